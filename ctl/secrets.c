/* SPDX-License-Identifier: MIT
 *
 * secrets.c - keep tokens in the secret service of the desktop, with secret-tool(1).
 *
 * Each record of the library is an item of the service.  The attribute `application` is
 * "libmcphost", the attribute `key` is the record's key, and the secret is the record.
 *
 * The functions of the store run on mcphostctl's one thread, and wait for secret-tool.
 * During a run, mcphostctl does nothing else.  A run takes some 10 ms, and at most 5 s if
 * the service does not answer.  This is tolerable, because a login needs few runs.
 *
 * The service cannot compare and replace in one step.  Therefore a write locks a fence
 * file, which keeps the writes of other mcphostctl processes out between the comparison
 * and the replacement.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"
#include "secrettool.h"

/* secret-tool cuts a secret of 8192 bytes or more, and does not fail. */
#define RECORD_MAX 8191
#define KEYS_MAX   10000
#define FENCE      "secret-service.lock"
#define KEY_LINE   "attribute.key = "

struct secrets {
    struct ctl *ctl;
    char **keys; /* the sorted result of the last search; keys are not secret */
    size_t n_keys;
    int told; /* a failure was reported */
};

/* Makes an error of a run that failed.  The error quotes the first line that the program
 * wrote to stderr. */
static int
fail_run(const struct tool_run *run, mcphost_error **reterr)
{
    return tool_fail(
        MCPHOST_E_IO,
        "the secret service does not work; start it, or keep tokens in a file "
        "with --token-store=file",
        run->err_len ? run->err : "secret-tool failed without a message", reterr);
}

static int
fail_locked(mcphost_error **reterr)
{
    return mcphost_error_new(MCPHOST_E_DENIED,
                             "the keyring of the desktop is locked; unlock it, or keep "
                             "tokens in a file with --token-store=file",
                             reterr);
}

/* Prints the first failure to load or save tokens, because the library only logs these
 * failures.  A login continues without the store. */
static int
report(struct secrets *s, int r, const char *what, mcphost_error **reterr)
{
    if (r == 0 || r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_EXISTS || r == MCPHOST_E_BUSY)
        return r;
    s->ctl->tokens_failed = 1;
    if (!s->told && !s->ctl->quiet)
        say(s->ctl, "cannot %s tokens: %s", what,
            *reterr ? mcphost_error_get_message(*reterr) : mcphost_strerror(r));
    s->told = 1;
    return r;
}

/* ---- searching --------------------------------------------------------------------- */

/* Returns the line that follows `line`, or NULL if `line` is the last line. */
static const char *
next_line(const char *line)
{
    line = strchr(line, '\n');
    return line && line[1] ? line + 1 : NULL;
}

/* Returns true if the output of a search has a locked item: secret-tool prints no secret
 * for a locked item.  Each item begins with a line that has the item's path in
 * brackets. */
static int
has_locked(const char *out)
{
    int locked = 0;

    for (const char *line = out; line && *line; line = next_line(line)) {
        if (*line == '[' && locked)
            return 1;
        if (*line == '[')
            locked = 1;
        if (strncmp(line, "secret = ", 9) == 0)
            locked = 0;
    }
    return locked;
}

/* Finds out whether the item is locked or does not exist, because a lookup fails without
 * a message in both cases. */
static int
explain_absence(const char *key, mcphost_error **reterr)
{
    const char *const argv[] = {"secret-tool", "search", "--all", "application",
                                "libmcphost",  "key",    key,     NULL};
    struct tool_run run;
    int r = tool_run(&run, argv, NULL, reterr);

    if (r == 0 && run.status == 0)
        r = has_locked(run.out) ? fail_locked(reterr) : MCPHOST_E_NOTFOUND;
    else if (r == 0 && run.status == 1 && !run.err_len)
        r = MCPHOST_E_NOTFOUND;
    else if (r == 0)
        r = fail_run(&run, reterr);
    tool_done(&run);
    return r;
}

static void
free_keys(struct secrets *s)
{
    for (size_t i = 0; i < s->n_keys; i++)
        free(s->keys[i]);
    free(s->keys);
    s->keys = NULL;
    s->n_keys = 0;
}

/* Adds the keys in the output of a search.  Some versions of secret-tool write attributes
 * to stdout, others to stderr. */
static int
add_keys(struct secrets *s, const char *out, mcphost_error **reterr)
{
    for (const char *line = out; line && *line; line = next_line(line)) {
        const char *key = line + strlen(KEY_LINE);

        if (strncmp(line, KEY_LINE, strlen(KEY_LINE)) != 0)
            continue;
        if (s->n_keys == KEYS_MAX)
            return mcphost_error_new(MCPHOST_E_LIMIT,
                                     "the secret service has too many tokens", reterr);
        s->keys[s->n_keys] = strndup(key, strcspn(key, "\n"));
        if (!s->keys[s->n_keys])
            return mcphost_error_new(MCPHOST_E_NOMEM, "out of memory", reterr);
        s->n_keys++;
    }
    return 0;
}

static int
compare_keys(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
search(struct secrets *s, mcphost_error **reterr)
{
    static const char *const argv[] = {"secret-tool", "search",     "--all", "--unlock",
                                       "application", "libmcphost", NULL};
    struct tool_run run;
    int r = tool_run(&run, argv, NULL, reterr);

    free_keys(s);
    if (r == 0 && run.status != 0 && (run.status != 1 || run.err_len))
        r = fail_run(&run, reterr);
    if (r == 0 && has_locked(run.out))
        r = fail_locked(reterr);
    if (r == 0) {
        s->keys = calloc(KEYS_MAX, sizeof(*s->keys));
        if (!s->keys)
            r = mcphost_error_new(MCPHOST_E_NOMEM, "out of memory", reterr);
    }
    if (r == 0)
        r = add_keys(s, run.out, reterr);
    if (r == 0)
        r = add_keys(s, run.err, reterr);
    if (r == 0)
        qsort(s->keys, s->n_keys, sizeof(*s->keys), compare_keys);
    tool_done(&run);
    return r;
}

/* Gives the key that follows `after`.  Searches the service only if `after` is empty, and
 * later takes the keys that this search found, because a search is slow and reads all
 * secrets. */
static int
find_next(const char *after, char *buffer, size_t size, void *arg, mcphost_error **reterr)
{
    struct secrets *s = arg;
    int r = *after ? 0 : search(s, reterr);

    for (size_t i = 0; r == 0 && i < s->n_keys; i++) {
        if (strcmp(s->keys[i], after) <= 0)
            continue;
        if (strlen(s->keys[i]) >= size)
            return mcphost_error_new(MCPHOST_E_LIMIT, "a key is too long", reterr);
        memcpy(buffer, s->keys[i], strlen(s->keys[i]) + 1);
        return 0;
    }
    free_keys(s);
    return r < 0 ? r : MCPHOST_E_NOTFOUND;
}

/* ---- records ----------------------------------------------------------------------- */

static int
look_up(const char *key, char *buffer, size_t size, mcphost_error **reterr)
{
    const char *const argv[] = {"secret-tool", "lookup", "application", "libmcphost",
                                "key",         key,      NULL};
    struct tool_run run;
    int r = tool_run(&run, argv, NULL, reterr);

    if (r == 0 && run.status == 1 && !run.err_len && !run.out_len)
        r = explain_absence(key, reterr);
    else if (r == 0 && run.status != 0)
        r = fail_run(&run, reterr);
    else if (r == 0 && (run.out_len >= size || strlen(run.out) != run.out_len))
        r = mcphost_error_new(MCPHOST_E_LIMIT, "the secret is no record of tokens",
                              reterr);
    if (r == 0)
        memcpy(buffer, run.out, run.out_len + 1);
    tool_done(&run);
    return r;
}

static int
load(const char *key, char *buffer, size_t size, void *arg, mcphost_error **reterr)
{
    return report(arg, look_up(key, buffer, size, reterr), "load", reterr);
}

/* Adds the label that keyring managers show.  Leaves out the query of the server's URL,
 * because some servers have a secret there. */
static void
add_label(struct text *t, const char *key)
{
    json_t *texts = json_loads(key, 0, NULL);
    const char *issuer = json_string_value(json_array_get(texts, 0));
    const char *server = json_string_value(json_array_get(texts, 1));
    const char *account = json_string_value(json_array_get(texts, 3));

    text_puts(t, "--label=MCP login");
    if (issuer && server)
        text_printf(t, " at %s for %.*s", issuer, (int)strcspn(server, "?"), server);
    if (account && *account)
        text_printf(t, " (%s)", account);
    json_decref(texts);
}

static int
store(const char *key, const char *text, mcphost_error **reterr)
{
    struct text label = {0};
    struct tool_run run;
    int r;

    if (strlen(text) > RECORD_MAX || strchr(text, '\n'))
        return mcphost_error_new(MCPHOST_E_LIMIT,
                                 "the tokens have more than 8191 bytes, which is the "
                                 "limit of secret-tool; keep tokens in a file with "
                                 "--token-store=file",
                                 reterr);
    add_label(&label, key);
    if (text_failed(&label)) {
        text_free(&label);
        return mcphost_error_new(MCPHOST_E_NOMEM, "out of memory", reterr);
    }
    r = tool_run(&run,
                 (const char *const[]){"secret-tool", "store", label.data, "application",
                                       "libmcphost", "key", key, NULL},
                 text, reterr);
    if (r == 0 && run.status != 0)
        r = fail_run(&run, reterr);
    tool_done(&run);
    text_free(&label);
    return r;
}

static int
clear(const char *key, mcphost_error **reterr)
{
    const char *const argv[] = {"secret-tool", "clear", "application", "libmcphost",
                                "key",         key,     NULL};
    struct tool_run run;
    int r = tool_run(&run, argv, NULL, reterr);

    if (r == 0 && run.status != 0)
        r = fail_run(&run, reterr);
    tool_done(&run);
    return r;
}

/* ---- the fence --------------------------------------------------------------------- */

/* Makes the directory in which the library keeps the token file, as the library does.
 * Writes the directory's path to `path`. */
static int
make_state_dir(struct text *path)
{
    const char *state = secure_getenv("XDG_STATE_HOME");
    const char *home = secure_getenv("HOME");

    if (state && *state == '/')
        text_printf(path, "%s/mcphost/", state);
    else if (home && *home == '/')
        text_printf(path, "%s/.local/state/mcphost/", home);
    if (text_failed(path) || !path->data)
        return -1;
    for (char *slash = path->data + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path->data, 0700); /* open() reports a missing directory */
        *slash = '/';
    }
    return 0;
}

/* Locks the fence.  Returns MCPHOST_E_BUSY if another process has locked it.  The library
 * then tries again after a while. */
static int
lock_fence(int *ret_fd, mcphost_error **reterr)
{
    struct text path = {0};
    int fd = -1, e = ENOENT;

    if (make_state_dir(&path) == 0) {
        text_puts(&path, FENCE);
        if (!text_failed(&path))
            fd = open(path.data, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        e = errno;
    }
    text_free(&path);
    if (fd < 0)
        return tool_fail(MCPHOST_E_IO, "cannot open " FENCE " in the state directory",
                         strerror(e), reterr);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        *ret_fd = fd;
        return 0;
    }
    e = errno;
    close(fd);
    if (e == EWOULDBLOCK)
        return mcphost_error_new(MCPHOST_E_BUSY, "another process saves tokens", reterr);
    return tool_fail(MCPHOST_E_IO, "cannot lock " FENCE, strerror(e), reterr);
}

/* Checks that the record is still `old` or, if `old` is NULL, that there is still no
 * record. */
static int
compare(const char *key, const char *old, mcphost_error **reterr)
{
    size_t size = (size_t)1 << 20;
    char *now = calloc(1, size);
    int r = now ? look_up(key, now, size, reterr)
                : mcphost_error_new(MCPHOST_E_NOMEM, "out of memory", reterr);

    if (r == MCPHOST_E_NOTFOUND && !old)
        r = 0;
    else if (r == 0 && (!old || strcmp(now, old) != 0))
        r = mcphost_error_new(MCPHOST_E_EXISTS, "another process has changed the tokens",
                              reterr);
    if (now)
        explicit_bzero(now, strlen(now));
    free(now);
    return r;
}

static int
save(const char *key, const char *old, const char *text, void *arg,
     mcphost_error **reterr)
{
    int fence = -1, r = lock_fence(&fence, reterr);

    if (r == 0)
        r = compare(key, old, reterr);
    if (r == 0)
        r = text ? store(key, text, reterr) : clear(key, reterr);
    if (fence >= 0)
        close(fence);
    return report(arg, r, text ? "save" : "remove", reterr);
}

/* ---- life -------------------------------------------------------------------------- */

static void
free_secrets(void *arg)
{
    free_keys(arg);
    free(arg);
}

int
secrets_set_up(struct ctl *ctl, mcphost_error **reterr)
{
    struct secrets *s = calloc(1, sizeof(*s));
    int r = 0;

    if (!s)
        return MCPHOST_E_NOMEM;
    s->ctl = ctl;
    /* Try the service before the user logs in: without the service, the tokens would be
     * lost. */
    if (ctl->logs_in)
        r = search(s, reterr);
    if (r < 0) {
        free_secrets(s);
        return r;
    }
    return mcphost_set_token_callbacks(ctl->host, load, save, find_next, s, free_secrets,
                                       reterr);
}
