/* SPDX-License-Identifier: MIT
 *
 * secretrig.c - looks for secrets in all texts that a program shows.
 */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "support/rig.h"
#include "support/runner.h"
#include "support/secretrig.h"

#define MARK      "canary-"
#define SHORTEST  8
#define PROC_MAX  (1 << 18) /* bytes of a process's arguments or environment */
#define DEPTH_MAX 16
#define WATCH_MS  2

/* ---- texts ------------------------------------------------------------------------- */

/* Appends a line to `to`.  If `once` is true, does not repeat a line of `to`. */
static void
add_line(struct secretrig *sr, struct sec_text *to, const char *what, const char *text,
         bool once)
{
    char *line = NULL;
    size_t len;

    if (asprintf(&line, "%s: %s\n", what, text) < 0)
        abort();
    len = strlen(line);
    pthread_mutex_lock(&sr->lock);
    if (!once || !to->len || !memmem(to->data, to->len, line, len)) {
        if (to->len + len >= to->room) {
            to->room = 2 * (to->len + len) + 4096;
            to->data = realloc(to->data, to->room);
            if (!to->data)
                abort();
        }
        memcpy(to->data + to->len, line, len + 1);
        to->len += len;
    }
    pthread_mutex_unlock(&sr->lock);
    free(line);
}

void
sec_up(struct secretrig *sr, char *const *inherited)
{
    memset(sr, 0, sizeof(*sr));
    sr->inherited = inherited ? inherited : environ;
    ck_assert_int_eq(pthread_mutex_init(&sr->lock, NULL), 0);
    add_line(sr, &sr->told, "the rig", "begins", false);
    add_line(sr, &sr->processes, "the rig", "begins", false);
}

void
sec_tell(struct secretrig *sr, const char *what, const char *text)
{
    if (text)
        add_line(sr, &sr->told, what, text, false);
}

/* Overwrites the state in the URL of a login.  The URL ends at a blank. */
static void
blank_state(char *url)
{
    static const char name[] = "&state=";
    char *end = url + strcspn(url, " \r\n"), *at = strstr(url, name);

    if (at && at < end)
        for (at += sizeof(name) - 1; at < end && *at != '&'; at++)
            *at = '*';
}

void
sec_tell_shown(struct secretrig *sr, const char *what, const char *text)
{
    static const char before[] = "  URL:  ";
    char *copy = strdup(text);

    for (char *at = strstr(copy, before); at; at = strstr(at, before)) {
        at += sizeof(before) - 1;
        blank_state(at);
    }
    sec_tell(sr, what, copy);
    free(copy);
}

/* ---- processes --------------------------------------------------------------------- */

static bool
is_inherited(const struct secretrig *sr, const char *variable)
{
    for (char *const *v = sr->inherited; *v; v++)
        if (strcmp(*v, variable) == 0)
            return true;
    return false;
}

/* Adds each text in a file of /proc/PID to the texts about processes, except inherited
 * variables.  `name` is cmdline or environ, whose texts end with a NUL.  Returns false if
 * the file cannot be opened or is empty. */
static bool
tell_texts(struct secretrig *sr, long pid, const char *name, char *block)
{
    char path[64], what[64];
    ssize_t n = 0, len = 0;
    int fd;

    snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (len < PROC_MAX - 1 && (n = read(fd, block + len, PROC_MAX - 1 - len)) > 0)
        len += n;
    close(fd);
    block[len] = '\0';
    snprintf(what, sizeof(what), "%s of a process", name);
    for (char *p = block; p < block + len; p += strlen(p) + 1) {
        if (sr->opens_pages && *name == 'c' && strncmp(p, "http://", 7) == 0)
            blank_state(p);
        if (*name != 'e' || !is_inherited(sr, p))
            add_line(sr, &sr->processes, what, p, true);
    }
    return len > 0;
}

static void visit(struct secretrig *sr, long pid, int depth, char *block);

/* Visits the children that a thread has started. */
static void
visit_children(struct secretrig *sr, long pid, long tid, int depth, char *block)
{
    char path[64];
    FILE *f;
    long child;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, tid);
    f = fopen(path, "re");
    while (f && fscanf(f, "%ld", &child) == 1)
        visit(sr, child, depth + 1, block);
    if (f)
        fclose(f);
}

static void
visit(struct secretrig *sr, long pid, int depth, char *block)
{
    struct dirent *entry;
    char path[64];
    DIR *tasks;

    if (depth > 0 && tell_texts(sr, pid, "cmdline", block) &&
        tell_texts(sr, pid, "environ", block))
        atomic_fetch_add(&sr->n_watched, 1);
    snprintf(path, sizeof(path), "/proc/%ld/task", pid);
    tasks = depth < DEPTH_MAX ? opendir(path) : NULL;
    while (tasks && (entry = readdir(tasks)) != NULL)
        if (*entry->d_name != '.')
            visit_children(sr, pid, strtol(entry->d_name, NULL, 10), depth, block);
    if (tasks)
        closedir(tasks);
}

static void *
watch(void *arg)
{
    struct secretrig *sr = arg;
    char *block = malloc(PROC_MAX);

    if (!block)
        abort();
    while (!atomic_load(&sr->stop)) {
        visit(sr, getpid(), 0, block);
        rig_pause(WATCH_MS);
    }
    free(block);
    return NULL;
}

void
sec_watch(struct secretrig *sr)
{
    atomic_store(&sr->stop, false);
    sr->is_watched = true;
    ck_assert_int_eq(pthread_create(&sr->thread, NULL, watch, sr), 0);
}

void
sec_rest(struct secretrig *sr)
{
    atomic_store(&sr->stop, true);
    if (sr->is_watched)
        ck_assert_int_eq(pthread_join(sr->thread, NULL), 0);
    sr->is_watched = false;
}

/* ---- secrets ----------------------------------------------------------------------- */

static bool
is_learnt(const struct secretrig *sr, const char *text)
{
    for (size_t i = 0; i < sr->n_secrets; i++)
        if (strcmp(sr->secrets[i], text) == 0)
            return true;
    return false;
}

static void
learn(struct secretrig *sr, const char *text, size_t len)
{
    char *copy = strndup(text, len);

    if (len < SHORTEST || is_learnt(sr, copy)) {
        free(copy);
        return;
    }
    sr->secrets = realloc(sr->secrets, (sr->n_secrets + 1) * sizeof(char *));
    ck_assert_ptr_nonnull(sr->secrets);
    sr->secrets[sr->n_secrets++] = copy;
}

/* If the text has a dot, as a JWT has, also learns the part after the last dot.  This
 * part is the signature of the JWT.  A program may mask the other parts and show the
 * signature. */
void
sec_learn(struct secretrig *sr, const char *text, size_t len)
{
    const char *dot = memrchr(text, '.', len);

    learn(sr, text, len);
    if (dot)
        learn(sr, dot + 1, (size_t)(text + len - dot - 1));
}

void
sec_learn_key(struct secretrig *sr, const char *pem, size_t len)
{
    while (len > 0) {
        const char *end = memchr(pem, '\n', len);
        size_t line = end ? (size_t)(end - pem) : len;

        if (line > 0 && *pem != '-')
            sec_learn(sr, pem, line);
        line += end != NULL;
        pem += line;
        len -= line;
    }
}

void
sec_learn_trace(struct secretrig *sr, const char *trace)
{
    static const char *const names[] = {"f code=",
                                        "f state=",
                                        "f code_verifier=",
                                        "f refresh_token=",
                                        "f token=",
                                        "f client_secret=",
                                        "f assertion=",
                                        "f client_assertion=",
                                        "f subject_token=",
                                        "f device_code=",
                                        "h authorization: Bearer ",
                                        "h authorization: DPoP ",
                                        "h authorization: Basic "};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        for (const char *p = strstr(trace, names[i]); p; p = strstr(p, names[i])) {
            p += strlen(names[i]);
            sec_learn(sr, p, strcspn(p, "\n"));
        }
}

void
sec_learn_store(struct secretrig *sr, const char *json)
{
    static const char *const names[] = {"access_token", "refresh_token", "client_secret",
                                        "dpop_key"};
    json_t *root = json_loads(json, 0, NULL), *row;
    size_t i;

    json_array_foreach(json_object_get(root, "tokens"), i,
                       row) for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
    {
        const char *text =
            json_string_value(json_object_get(json_object_get(row, "record"), names[n]));

        if (text)
            sec_learn_key(sr, text, strlen(text));
    }
    json_decref(root);
}

/* ---- the search -------------------------------------------------------------------- */

/* Finds a secret, as it is or in base64.  Base64 of a text depends on the 0, 1 or 2
 * bytes before the text; the search is for the characters that the secret alone
 * determines. */
static const char *
find_secret(const char *told, const char *secret)
{
    const char *at = strstr(told, secret);

    for (size_t lead = 0; lead < 3 && !at; lead++) {
        size_t len = lead + strlen(secret), from = (lead * 8 + 5) / 6;
        char *plain = NULL;
        struct mcph_buf code;

        ck_assert_int_ge(asprintf(&plain, "%.*s%s", (int)lead, "xy", secret), 0);
        mcph_buf_init(&code, 1 << 20);
        ck_assert_int_eq(mcph_base64_add(&code, plain, len), 0);
        ck_assert_int_eq(mcph_buf_addc(&code, '\0'), 0);
        code.data[len * 8 / 6] = '\0';
        at = strstr(told, (const char *)code.data + from);
        mcph_buf_done(&code);
        free(plain);
    }
    return at;
}

/* Returns a message with a secret and the part of the text that contains it, or NULL if
 * the text contains no secret.  The caller frees the message. */
static char *
find_in(const struct secretrig *sr, const struct sec_text *text)
{
    for (size_t i = 0; i <= sr->n_secrets; i++) {
        const char *secret = i ? sr->secrets[i - 1] : MARK;
        const char *at = find_secret(text->data, secret);
        ptrdiff_t before = at ? at - text->data : 0;
        char *place = NULL;

        if (!at)
            continue;
        before = before > 200 ? 200 : before;
        ck_assert_int_ge(asprintf(&place, "'%s' in '%.400s'", secret, at - before), 0);
        return place;
    }
    return NULL;
}

char *
sec_find(struct secretrig *sr)
{
    char *place = find_in(sr, &sr->told);

    return place ? place : find_in(sr, &sr->processes);
}

void
sec_end(struct secretrig *sr)
{
    char *place;

    sec_rest(sr);
    place = sec_find(sr);
    ck_assert_msg(!place, "a secret was shown: %s", place);
    sec_done(sr);
}

void
sec_done(struct secretrig *sr)
{
    for (size_t i = 0; i < sr->n_secrets; i++)
        free(sr->secrets[i]);
    free(sr->secrets);
    free(sr->told.data);
    free(sr->processes.data);
    pthread_mutex_destroy(&sr->lock);
}
