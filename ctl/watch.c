/* SPDX-License-Identifier: MIT
 *
 * watch.c - the command `watch`: follow the configuration file and show the host's
 * events.
 *
 * Each event becomes one line.  If stdout is not a terminal that can show the tables of
 * live.c, the program prints only these lines.  Otherwise the last lines are below the
 * tables.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live.h"
#include "words.h"

/* KEPT is the number of lines that the view keeps.  DRAW_MS is the least time between two
 * draws, in ms. */
#define KEPT    12
#define DRAW_MS 100

struct watch {
    struct ctl *ctl;
    int live;                 /* stdout is a terminal that can show the tables */
    mcphost_catalog *catalog; /* the last catalog whose tools were shown */
    char *kept[KEPT];         /* the last lines; the oldest is at `next` */
    size_t next;
    struct text reading; /* the changes of the last reading of the file */
    int dirty;
    int64_t drawn; /* when the view was drawn last, in ms; 0 if never */
};

/* ---- lines ------------------------------------------------------------------------- */

/* Replaces control characters by spaces, so that a server's text cannot break the
 * line. */
static void
clean(char *s)
{
    for (unsigned char *c = (unsigned char *)s; *c; c++) {
        if (*c < 0x20 || *c == 0x7f)
            *c = ' ';
    }
}

static void
keep_line(struct watch *w, const char *line)
{
    char stamp[16] = "";
    time_t now = time(NULL);
    struct tm tm;
    char *copy;

    if (localtime_r(&now, &tm))
        strftime(stamp, sizeof(stamp), "%H:%M:%S", &tm);
    if (asprintf(&copy, "%s  %s", stamp, line) < 0)
        return;
    free(w->kept[w->next]);
    w->kept[w->next] = copy;
    w->next = (w->next + 1) % KEPT;
}

__attribute__((format(printf, 2, 3))) static void
put_line(struct watch *w, const char *fmt, ...)
{
    char *line;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&line, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    clean(line);
    if (w->live)
        keep_line(w, line);
    else
        puts(line);
    free(line);
}

/* Returns ": " if there is a message, else "".  *ret gets the message, or "". */
static const char *
colon_before(const char *message, const char **ret)
{
    *ret = message ? message : "";
    return message ? ": " : "";
}

/* ---- events ------------------------------------------------------------------------ */

struct reading {
    struct watch *watch;
    const char *source; /* the source's id and a blank, or "" without an id */
    const char *why;
    int n;
};

/* Returns the full name of the event's server: SOURCE:SERVER, or SERVER for the default
 * source. */
static const char *
server_of(char name[NAME_SIZE], const mcphost_event *event)
{
    return full_name(name, mcphost_event_get_source_id(event),
                     mcphost_event_get_server_id(event));
}

static void
tell_change(const struct change *change, void *arg)
{
    struct reading *reading = arg;
    const char *keys, *colon = colon_before(change->keys[0] ? change->keys : NULL, &keys);

    if (change->kind == CHANGE_KEPT)
        return;
    put_line(reading->watch, "config %s%s: %s %s%s%s", reading->source, reading->why,
             name_change(change->kind), change->server, colon, keys);
    text_printf(&reading->watch->reading, "%s%s %s%s%s%s", reading->n ? ", " : "",
                name_change(change->kind), change->server, *colon ? " (" : "", keys,
                *colon ? ")" : "");
    reading->n++;
}

static void
tell_reading(struct watch *w, const mcphost_event *event)
{
    const char *id = mcphost_event_get_source_id(event);
    struct reading reading = {.watch = w, .why = mcphost_event_get_text(event)};
    char source[NAME_SIZE] = "";

    if (id)
        snprintf(source, sizeof(source), "%s ", id);
    reading.source = source;
    text_free(&w->reading);
    text_printf(&w->reading, "%s%s: ", source, reading.why);
    if (mcphost_event_get_state(event) < 0) {
        put_line(w, "config %s%s: rejected", source, reading.why);
        text_puts(&w->reading, "rejected; the running servers stay as they are");
        return;
    }
    changes_each(source_applied(w->ctl, id), mcphost_event_get_config(event), tell_change,
                 &reading);
    if (reading.n)
        return;
    put_line(w, "config %s%s: no change", source, reading.why);
    text_puts(&w->reading, "no change");
}

static void
tell_server(struct watch *w, const mcphost_event *event)
{
    mcphost_error *err = mcphost_event_get_error(event);
    int state = mcphost_event_get_state(event);
    const char *message;
    const char *colon =
        colon_before(err ? mcphost_error_get_message(err) : NULL, &message);
    char name[NAME_SIZE];

    put_line(w, "server %s: %s%s%s", server_of(name, event),
             state ? name_of(MCPHOST_ENUM_SERVER_STATE, state) : "removed", colon,
             message);
}

static void
tell_instance(struct watch *w, const mcphost_event *event)
{
    mcphost_error *err = mcphost_event_get_error(event);
    int state = mcphost_event_get_state(event);
    const char *message;
    const char *colon =
        colon_before(err ? mcphost_error_get_message(err) : NULL, &message);
    char name[NAME_SIZE];

    if (state != MCPHOST_INSTANCE_READY && state != MCPHOST_INSTANCE_DEAD)
        return;
    put_line(w, "process %s: %s, pid %lld%s%s", server_of(name, event),
             name_of(MCPHOST_ENUM_INSTANCE_STATE, state),
             (long long)mcphost_event_get_pid(event), colon, message);
}

static void
tell_problem(struct watch *w, const mcphost_event *event)
{
    const mcphost_problem *problem = mcphost_event_get_problem(event);
    const char *source = mcphost_problem_get_source_id(problem);

    put_line(w, "problem %c %s%s%s %s: %s", mcphost_event_get_state(event) ? '+' : '-',
             source ? source : "", source ? " " : "",
             name_of(MCPHOST_ENUM_SEVERITY, mcphost_problem_get_severity(problem)),
             mcphost_problem_get_kind(problem), mcphost_problem_get_message(problem));
}

static int
same_tool(const mcphost_tool *a, const mcphost_tool *b)
{
    size_t n = 0, m = 0;
    const char *x = mcphost_tool_get_definition(a, &n);
    const char *y = mcphost_tool_get_definition(b, &m);

    return n == m && (n == 0 || memcmp(x, y, n) == 0) &&
           strcmp(mcphost_tool_get_toolset(a), mcphost_tool_get_toolset(b)) == 0;
}

static void
tell_tools(struct watch *w)
{
    mcphost_catalog *now = NULL, *old = w->catalog;

    if (mcphost_view_get_catalog(mcphost_default_view(w->ctl->host), &now) < 0)
        return;
    for (size_t i = 0; old && i < mcphost_catalog_count_tools(old); i++) {
        const char *name = mcphost_tool_get_name(mcphost_catalog_get_tool(old, i));

        if (!mcphost_catalog_find_tool(now, name))
            put_line(w, "tool - %s", name);
    }
    for (size_t i = 0; i < mcphost_catalog_count_tools(now); i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(now, i);
        const char *name = mcphost_tool_get_name(tool);
        mcphost_tool *was = old ? mcphost_catalog_find_tool(old, name) : NULL;

        if (!was || !same_tool(was, tool))
            put_line(w, "tool %c %s", was ? '~' : '+', name);
    }
    mcphost_catalog_unref(old);
    w->catalog = now;
}

static void
on_event(struct ctl *ctl, const mcphost_event *event)
{
    struct watch *w = ctl->user;
    const char *dialog = mcphost_event_get_dialog_id(event);
    char name[NAME_SIZE];

    w->dirty = 1;
    switch (mcphost_event_get_kind(event)) {
    case MCPHOST_EVENT_CONFIG:
        tell_reading(w, event);
        break;
    case MCPHOST_EVENT_READY:
        put_line(w, "ready");
        break;
    case MCPHOST_EVENT_CATALOG:
        if (!dialog)
            tell_tools(w);
        break;
    case MCPHOST_EVENT_SERVER:
        tell_server(w, event);
        break;
    case MCPHOST_EVENT_INSTANCE:
        tell_instance(w, event);
        break;
    case MCPHOST_EVENT_LEASE:
        put_line(w, "lease %c %s: %s", mcphost_event_get_state(event) ? '+' : '-',
                 server_of(name, event), dialog ? dialog : "shared by all");
        break;
    case MCPHOST_EVENT_PROBLEM:
        tell_problem(w, event);
        break;
    default:
        break;
    }
}

/* ---- the view ---------------------------------------------------------------------- */

static void
draw(struct watch *w)
{
    const struct live live = {.ctl = w->ctl,
                              .catalog = w->catalog,
                              .reading = &w->reading,
                              .lines = w->kept,
                              .n_lines = KEPT,
                              .oldest = w->next};

    live_draw(&live);
}

/* Draws the view, or flushes the lines, if something has changed.  Returns the ms until
 * the view may be drawn, or -1 if there is nothing to draw. */
static int64_t
show(struct watch *w)
{
    int64_t left;

    if (!w->dirty)
        return -1;
    if (w->live) {
        left = w->drawn + DRAW_MS - now_ms();
        if (left > 0)
            return left;
        draw(w);
        w->drawn = now_ms();
    }
    w->dirty = 0;
    fflush(stdout);
    return -1;
}

/* ---- the loop ---------------------------------------------------------------------- */

static int
run_watch(struct watch *w)
{
    struct ctl *ctl = w->ctl;

    while (!ctl->closed && !ctl->signal && !ferror(stdout)) {
        struct pollfd fds[2];
        int r = ctl_turn(ctl, fds, 2, show(w));

        if (r < 0)
            return r;
    }
    return 0;
}

static void
watch_free(struct watch *w)
{
    mcphost_catalog_unref(w->catalog);
    for (size_t i = 0; i < KEPT; i++)
        free(w->kept[i]);
    text_free(&w->reading);
}

int
cmd_watch(struct ctl *ctl)
{
    struct watch w = {.ctl = ctl, .live = live_possible()};
    int status, r = 0;

    if (ctl->opt.json) {
        say(ctl, "'watch' prints no JSON; 'batch' reports the same as lines of JSON");
        return STATUS_USAGE;
    }
    ctl->on_event = on_event;
    ctl->user = &w;
    ctl->follow = 1;
    ctl->quiet = w.live;
    status = ctl_open(ctl);
    if (w.live && status == 0)
        live_begin();
    if (status == 0)
        r = run_watch(&w);
    if (w.live && status == 0)
        live_end();
    ctl->on_event = NULL;
    if (r < 0)
        say_error(ctl, r, NULL);
    if (ctl->signal)
        status = 128 + ctl->signal;
    else if (status == 0 && (r < 0 || ferror(stdout)))
        status = STATUS_SERVER;
    watch_free(&w);
    return status;
}
