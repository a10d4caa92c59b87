/* SPDX-License-Identifier: MIT
 *
 * script.c - reads the commands of a scenario, and prints the output.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenario.h"

#define TEXT_MAX 200

static FILE *file;
static char *line;
static size_t line_size;

void
die(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}

/* ---- texts ------------------------------------------------------------------------- */

void
text_add(struct text *t, const char *p, size_t len)
{
    t->p = realloc(t->p, t->len + len + 1);
    if (!t->p)
        die("out of memory");
    memcpy(t->p + t->len, p, len);
    t->len += len;
    t->p[t->len] = '\0';
}

void
text_format(struct text *t, const char *fmt, ...)
{
    char *p = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&p, fmt, ap);
    va_end(ap);
    if (n < 0)
        die("out of memory");
    text_add(t, p, (size_t)n);
    free(p);
}

void
text_free(struct text *t)
{
    free(t->p);
    *t = (struct text){0};
}

/* Puts `by` in place of each `what`. */
static void
replace(struct text *t, const char *what, const char *by)
{
    const char *from = t->p, *found;
    struct text made = {0};

    while ((found = strstr(from, what))) {
        text_add(&made, from, (size_t)(found - from));
        text_add(&made, by, strlen(by));
        from = found + strlen(what);
    }
    text_add(&made, from, strlen(from));
    text_free(t);
    *t = made;
}

static struct text
with_paths(const char *from)
{
    struct text text = {0};

    text_add(&text, from, strlen(from));
    replace(&text, "@DIR@", sc.dir);
    replace(&text, "@SERVER@", sc.server);
    return text;
}

/* ---- commands ---------------------------------------------------------------------- */

void
script_open(const char *path)
{
    file = fopen(path, "re");
    if (!file)
        die("cannot open %s", path);
}

static bool
next_line(void)
{
    ssize_t n = getline(&line, &line_size, file);

    if (n > 0 && line[n - 1] == '\n')
        line[n - 1] = '\0';
    return n >= 0;
}

static void
read_text(struct command *c)
{
    struct text raw = {0};

    text_add(&raw, "", 0);
    while (next_line() && strcmp(line, ".") != 0)
        text_format(&raw, "%s\n", line);
    c->text = with_paths(raw.p);
    text_free(&raw);
}

/* Cuts the command's line into words. */
static void
cut_words(struct command *c)
{
    char *p = c->line.p;

    for (;;) {
        char end = ' ';

        while (*p == ' ')
            p++;
        if (!*p)
            return;
        if (c->n == WORDS_MAX)
            die("too many words");
        if (*p == '\'') {
            end = '\'';
            p++;
        }
        c->words[c->n++] = p;
        while (*p && *p != end)
            p++;
        if (*p)
            *p++ = '\0';
    }
}

bool
script_next(struct command *c)
{
    *c = (struct command){0};
    do {
        if (!next_line())
            return false;
    } while (!*line || *line == '#');
    c->line = with_paths(line);
    cut_words(c);
    if (c->n > 0 && strcmp(c->words[c->n - 1], "<<") == 0) {
        c->n--;
        read_text(c);
    }
    return true;
}

void
command_free(struct command *c)
{
    text_free(&c->line);
    text_free(&c->text);
}

/* ---- output ------------------------------------------------------------------------ */

void
say(const char *fmt, ...)
{
    struct text shown = {0};
    char *p = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&p, fmt, ap);
    va_end(ap);
    if (n < 0)
        die("out of memory");
    text_add(&shown, p, (size_t)n);
    free(p);
    replace(&shown, sc.dir, "@DIR@");
    replace(&shown, sc.server, "@SERVER@");
    for (size_t i = 0; i < sc.n_webs; i++) {
        char name[64];

        snprintf(name, sizeof(name), "@%s@", sc.webs[i].id);
        replace(&shown, sc.webs[i].origin, name);
        snprintf(name, sizeof(name), "@%s.issuer@", sc.webs[i].id);
        replace(&shown, sc.webs[i].issuer, name);
    }
    puts(shown.p);
    text_free(&shown);
}

void
say_error(const char *what, int code, mcphost_error *err)
{
    const char *name = mcphost_enum_get_name(MCPHOST_ENUM_ERROR_CODE, code);

    /* Leave out the message of a timeout, because the time in the message differs between
     * runs. */
    if (err && code != MCPHOST_E_TIMEOUT)
        say("%s: error %s %s", what, name, mcphost_error_get_message(err));
    else
        say("%s: error %s", what, name);
    mcphost_error_unref(err);
}

void
say_outcome(const char *what, const char *outcome, int r, mcphost_error *err)
{
    if (r < 0)
        say_error(what, r, err);
    else
        say("%s: %s", what, outcome);
}

int
enum_value(int which, const char *name)
{
    int value;

    if (mcphost_enum_find_value(which, name, &value) < 0)
        die("there is no value %s", name);
    return value;
}

int
number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (*end || n < 0 || n > 1000000)
        die("not a number: %s", text);
    return (int)n;
}

/* ---- waiting ----------------------------------------------------------------------- */

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
wait_until(bool (*is_over)(const void *arg), const void *arg)
{
    int64_t end = now_ms() + WAIT_MS;

    while (!is_over(arg)) {
        if (now_ms() > end) {
            say("error timeout");
            die("a wait took too long");
        }
        if (mcphost_wait(sc.host, 100) < 0)
            die("the host does not dispatch");
    }
}

void
wait_ready(const char *what)
{
    int r = mcphost_wait_ready(sc.host, WAIT_MS);

    if (r == 0) {
        say("error timeout");
        die("the servers did not become ready");
    }
    say_outcome(what, "ready", r, NULL);
}
