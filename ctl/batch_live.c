/* SPDX-License-Identifier: MIT
 *
 * batch_live.c - the operations of the command batch that change what runs: reload,
 * restart, enable, disable.
 *
 * What reads the file anew is answered with what that changed, when the host has told
 * of it; the lines behind it are held back until then.
 */
#include <string.h>

#include "batch.h"

/* Reading a file takes no longer. */
#define RELOAD_MS 10000

static const char *
get_server(struct batch *b, const struct command_line *line)
{
    const char *server = json_string_value(json_object_get(line->root, "server"));

    if (!server)
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_INVALID, "'server' is missing");
    return server;
}

void
batch_reload(struct batch *b, const struct command_line *line)
{
    int r = mcphost_reload(b->ctl->host);

    if (r < 0) {
        batch_refuse(b, line->id, line->id_len, r,
                     r == MCPHOST_E_STATE ? "no file is followed" : NULL);
        return;
    }
    b->reload_end = now_ms() + RELOAD_MS;
    batch_put_off(b, line, &b->reload);
}

void
batch_restart(struct batch *b, const struct command_line *line)
{
    const char *server = get_server(b, line);
    int r = server ? mcphost_restart_server(b->ctl->host, server) : 0;

    if (!server)
        return;
    if (r < 0)
        batch_refuse(b, line->id, line->id_len, r,
                     r == MCPHOST_E_NOTFOUND ? "no such server"
                     : r == MCPHOST_E_STATE  ? "the server is invalid or disabled"
                                             : NULL);
    else
        batch_answer(b, line->id, line->id_len, "{\"restarting\":true}", 19);
}

/* The file is written here, so that the answer can say what is wrong with it. */
static void
set_enabled(struct batch *b, const struct command_line *line, int enabled)
{
    const char *server = get_server(b, line);
    mcphost_error *err = NULL;
    int r;

    if (!server)
        return;
    if (b->ctl->opt.stdio || b->ctl->opt.url) {
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_STATE, "no file is followed");
        return;
    }
    r = mcphost_config_file_set_enabled(mcphost_config_get_file(b->ctl->config), server,
                                        enabled, &err);
    if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        batch_reload(b, line);
    mcphost_error_unref(err);
}

void
batch_enable(struct batch *b, const struct command_line *line)
{
    set_enabled(b, line, 1);
}

void
batch_disable(struct batch *b, const struct command_line *line)
{
    set_enabled(b, line, 0);
}

int64_t
batch_check_reload(struct batch *b)
{
    int64_t left;

    if (!b->reload.due)
        return -1;
    left = b->reload_end - now_ms();
    if (left > 0 && !b->ending)
        return left;
    b->reload.due = 0;
    batch_refuse(b, b->reload.id, b->reload.id_len,
                 b->ending ? MCPHOST_E_CANCELLED : MCPHOST_E_TIMEOUT, NULL);
    return 0;
}

/* ---- what a reading changed -------------------------------------------------------- */

static void
add_change(const struct change *change, void *arg)
{
    if (change->kind != CHANGE_KEPT)
        row_change(arg, change);
}

void
batch_put_reading(struct batch *b, struct text *t, const mcphost_event *event)
{
    int applied = mcphost_event_get_state(event) == 0;

    put_key(t, "why");
    put_str(t, mcphost_event_get_text(event));
    put_key(t, "applied");
    put_flag(t, applied);
    put_key(t, "changes");
    put_begin(t, '[');
    if (applied)
        changes_each(b->ctl->applied, mcphost_event_get_config(event), add_change, t);
    put_end(t, ']');
}

void
batch_answer_reload(struct batch *b, const mcphost_event *event)
{
    const char *why = mcphost_event_get_text(event);
    struct text t = {0};

    if (!b->reload.due || !why || strcmp(why, "reload") != 0)
        return;
    b->reload.due = 0;
    put_begin(&t, '{');
    batch_put_reading(b, &t, event);
    put_end(&t, '}');
    if (text_failed(&t))
        batch_refuse(b, b->reload.id, b->reload.id_len, MCPHOST_E_NOMEM, NULL);
    else
        batch_answer(b, b->reload.id, b->reload.id_len, t.data, t.len);
    text_free(&t);
}
