/* SPDX-License-Identifier: MIT
 *
 * secretrig.h - looks for secrets in all texts that a program shows.
 *
 *     struct secretrig sr;
 *
 *     sec_up(&sr, NULL);
 *     sec_tell(&sr, "log", line);       (each text that is shown)
 *     sec_watch(&sr);                   (the processes of the test, again and again)
 *     sec_learn_trace(&sr, trace);      (the secrets that a fake server got)
 *     sec_end(&sr);
 *
 * A secret is a value that the rig has learnt, or any text with the mark `canary-`.  The
 * rig looks for each secret as it is and in base64.  The secrets that a test chooses have
 * the mark.  The secrets that a program or an authorization server makes are learnt from
 * the traces of fake servers and from stores of tokens.
 */
#ifndef TESTS_SUPPORT_SECRETRIG_H
#define TESTS_SUPPORT_SECRETRIG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sec_text {
    char *data;
    size_t len, room;
};

struct secretrig {
    char *const *inherited;
    bool opens_pages; /* a browser's argument may be the URL of a login with a state */
    pthread_mutex_t lock; /* protects the texts */
    struct sec_text told, processes;
    char **secrets;
    size_t n_secrets;
    pthread_t thread;
    bool is_watched;
    atomic_bool stop;
    atomic_int n_watched; /* how often the rig has read a process */
};

/* `inherited` lists variables "NAME=VALUE", and ends with NULL.  The rig ignores these
 * variables in the environment of a process, because a process inherits the variables
 * from the test.  If `inherited` is NULL, the list is the environment of the test. */
void sec_up(struct secretrig *sr, char *const *inherited);
/* Fails the test if a text that the rig has kept contains a secret, and frees the rig. */
void sec_end(struct secretrig *sr);
/* Frees the rig without a check.  Call this after sec_rest(). */
void sec_done(struct secretrig *sr);
/* Returns a message about the first secret that was shown, or NULL if no secret was
 * shown.  The caller frees the message.  Call this after sec_rest(). */
char *sec_find(struct secretrig *sr);

/* Keeps a text that the program shows.  `text` may be NULL.  Any thread may call this
 * function. */
void sec_tell(struct secretrig *sr, const char *what, const char *text);
/* Does what sec_tell() does, for output that shows the user the URL of a login after
 * "  URL:  ".  This URL may contain the parameter `state`.  `text` must not be NULL. */
void sec_tell_shown(struct secretrig *sr, const char *what, const char *text);
/* Starts a thread that reads the arguments and the environment of each descendant of the
 * test again and again, until sec_rest(). */
void sec_watch(struct secretrig *sr);
void sec_rest(struct secretrig *sr);

/* Learns a secret.  Ignores a text of less than 8 characters. */
void sec_learn(struct secretrig *sr, const char *text, size_t len);
/* Learns the lines of a private key in PEM. */
void sec_learn_key(struct secretrig *sr, const char *pem, size_t len);
/* Learns the secrets in the trace of a fake server. */
void sec_learn_trace(struct secretrig *sr, const char *trace);
/* Learns the secrets in a file of the token store. */
void sec_learn_store(struct secretrig *sr, const char *json);

#endif
