/* SPDX-License-Identifier: MIT
 *
 * logq.c - a queue in which log lines wait until no lock is held.
 *
 * At most QUEUE_MAX lines wait.  If the queue is full or memory is short, a line is lost,
 * and mcph_log() counts it.  mcph_core_flush_log() then reports the number of lost lines
 * in one line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop/core.h"

#define QUEUE_MAX      1000
#define LINE_MAX_BYTES 2048

struct line {
    struct mcph_list link;
    int level;
    const char *room; /* the part of the library that logs; a string literal */
    char *server;
    char *text;
};

/* Returns the level of LIBMCPHOST_DEBUG, or MCPHOST_LOG_NONE if the variable is unset or
 * empty.  A value that names no level means MCPHOST_LOG_DEBUG.  A person who
 * looks for a fault can set this variable to get more lines than the application
 * requested.  The variable never reduces the number of lines.  All lines go to the
 * application's log function only. */
int
mcph_log_level_asked(void)
{
    const char *value = secure_getenv("LIBMCPHOST_DEBUG");
    int level = value && *value ? MCPHOST_LOG_DEBUG : MCPHOST_LOG_NONE;

    (void)mcphost_enum_find_value(MCPHOST_ENUM_LOG_LEVEL, value, &level);
    return level;
}

bool
mcph_log_wants(const struct mcph_core *core, int level)
{
    return level <= atomic_load_explicit(&core->log_level, memory_order_relaxed);
}

static void
line_free(struct line *line)
{
    free(line->server);
    free(line->text);
    free(line);
}

static struct line *
line_new(int level, const char *room, const char *server, const char *text)
{
    struct line *line = calloc(1, sizeof(*line));
    struct mcph_buf clean;

    if (!line)
        return NULL;
    line->level = level;
    line->room = room;
    mcph_list_init(&line->link);
    mcph_buf_init(&clean, 3 * LINE_MAX_BYTES);
    mcph_utf8_add_clean(&clean, text, strlen(text), true);
    line->text = mcph_buf_steal(&clean, NULL);
    mcph_buf_done(&clean);
    line->server = server ? mcph_strdup(server) : NULL;
    if (!line->text || (server && !line->server)) {
        line_free(line);
        return NULL;
    }
    return line;
}

void
mcph_log(struct mcph_core *core, int level, const char *room, const char *server,
         const char *fmt, ...)
{
    char text[LINE_MAX_BYTES];
    struct line *line;
    va_list ap;

    if (!mcph_log_wants(core, level))
        return;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
        text[0] = '\0';
    va_end(ap);
    line = line_new(level, room, server, text);
    pthread_mutex_lock(&core->log_lock);
    if (line && core->nlines < QUEUE_MAX) {
        mcph_list_append(&core->lines, &line->link);
        core->nlines++;
        line = NULL;
    } else {
        core->lost++;
    }
    pthread_mutex_unlock(&core->log_lock);
    if (line)
        line_free(line);
}

void
mcph_core_flush_log(struct mcph_core *core)
{
    struct mcph_list batch, *item;
    struct mcph_hook *sink;
    mcphost_log_fn fn = NULL;
    char lost_text[64];
    unsigned lost;

    if (!mcph_core_logs(core))
        return;
    mcph_list_init(&batch);
    pthread_mutex_lock(&core->log_lock);
    mcph_list_splice(&batch, &core->lines);
    lost = core->lost;
    core->nlines = core->lost = 0;
    sink = mcph_hook_ref(core->sink);
    pthread_mutex_unlock(&core->log_lock);
    if (sink)
        fn = (mcphost_log_fn)sink->fn;
    for (item = mcph_list_take_first(&batch); item; item = mcph_list_take_first(&batch)) {
        struct line *line = MCPH_LIST_ENTRY(item, struct line, link);

        if (fn)
            fn(line->level, line->room, line->server, line->text, sink->arg);
        line_free(line);
    }
    if (fn && lost) {
        snprintf(lost_text, sizeof(lost_text), "%u log lines were lost", lost);
        fn(MCPHOST_LOG_WARNING, "loop", NULL, lost_text, sink->arg);
    }
    mcph_hook_unref(sink);
}

int
mcph_core_set_log(struct mcph_core *core, int level, mcphost_log_fn fn, void *arg,
                  mcphost_free_fn free_arg)
{
    struct mcph_hook *sink = NULL, *old;
    struct mcph_list unwanted, *item;

    if (mcph_core_forked(core))
        return MCPHOST_E_FORKED;
    mcph_list_init(&unwanted);
    if (fn) {
        sink = mcph_hook_new((mcph_any_fn)fn, arg, free_arg);
        if (!sink)
            return MCPHOST_E_NOMEM;
    }
    pthread_mutex_lock(&core->log_lock);
    old = core->sink;
    core->sink = sink;
    if (level < core->log_least)
        level = core->log_least;
    atomic_store(&core->log_level, fn ? level : MCPHOST_LOG_NONE);
    if (!fn) {
        mcph_list_splice(&unwanted, &core->lines);
        core->nlines = core->lost = 0;
    }
    pthread_mutex_unlock(&core->log_lock);
    for (item = mcph_list_take_first(&unwanted); item;
         item = mcph_list_take_first(&unwanted))
        line_free(MCPH_LIST_ENTRY(item, struct line, link));
    mcph_hook_unref(old);
    return 0;
}

void
mcph_core_log_done(struct mcph_core *core)
{
    struct mcph_list *item;

    for (item = mcph_list_take_first(&core->lines); item;
         item = mcph_list_take_first(&core->lines))
        line_free(MCPH_LIST_ENTRY(item, struct line, link));
    mcph_hook_unref(core->sink);
    core->sink = NULL;
}
