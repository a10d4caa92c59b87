/* SPDX-License-Identifier: MIT
 *
 * batch_live.c - the operations that change which servers run: reload, restart, enable,
 * disable.
 *
 * An operation that makes the host read the file again is answered when the host reports
 * the reading.  The answer has the changes.  The lines after the operation are held back
 * until the answer.
 */
#include <string.h>

#include "batch.h"

/* The time limit of a reading in ms.  After this time, the operation is refused with
 * MCPHOST_E_TIMEOUT. */
#define RELOAD_MS 10000

static const char *
get_server(struct batch *b, const struct command_line *line)
{
    const char *server = json_string_value(json_object_get(line->root, "server"));

    if (!server)
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_INVALID, "'server' is missing");
    return server;
}

static void
reload(struct batch *b, const struct command_line *line, struct source *source)
{
    int r = !source          ? mcphost_reload(b->ctl->host)
            : source->chatos ? mcphost_chatos_scan(source->chatos, NULL, NULL, NULL)
                             : mcphost_source_reload(source->handle);

    if (r < 0) {
        batch_refuse(b, line->id, line->id_len, r,
                     r == MCPHOST_E_STATE ? "no file is followed" : NULL);
        return;
    }
    /* If the team file is the only file that the host reads again, no event reports the
     * reading. */
    if (!source && !ctl_follows_file(b->ctl)) {
        batch_answer_team(b, line);
        return;
    }
    b->reload_end = now_ms() + RELOAD_MS;
    b->reload_of = source;
    batch_put_off(b, line, &b->reload);
}

void
batch_reload(struct batch *b, const struct command_line *line)
{
    const char *id = json_string_value(json_object_get(line->root, "source"));
    struct source *source = source_find(b->ctl, id);

    if (id && !source)
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_NOTFOUND, "no such source");
    else
        reload(b, line, source);
}

void
batch_restart(struct batch *b, const struct command_line *line)
{
    const char *server, *name = get_server(b, line);
    struct source *source;
    int r;

    if (!name)
        return;
    source = source_split(b->ctl, name, &server);
    r = source ? mcphost_source_restart_server(source->handle, server)
               : mcphost_restart_server(b->ctl->host, server);
    if (r < 0)
        batch_refuse(b, line->id, line->id_len, r,
                     r == MCPHOST_E_NOTFOUND ? "no such server"
                     : r == MCPHOST_E_STATE  ? "the server is invalid or disabled"
                                             : NULL);
    else
        batch_answer(b, line->id, line->id_len, "{\"restarting\":true}", 19);
}

/* Enables or disables a server.  Writes the file here, not in the host, so that the
 * answer can report errors. */
static void
set_enabled(struct batch *b, const struct command_line *line, int enabled)
{
    const char *file, *server, *name = get_server(b, line);
    mcphost_error *err = NULL;
    struct source *source;
    int r;

    if (!name)
        return;
    source = source_split(b->ctl, name, &server);
    if (!source && (b->ctl->opt.stdio || b->ctl->opt.url)) {
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_STATE, "no file is followed");
        return;
    }
    file = source ? source_get_file(source, server)
                  : mcphost_config_get_file(b->ctl->config);
    if (!file) {
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_NOTFOUND, "no such server");
        return;
    }
    r = source_set_enabled(source, file, server, enabled, &err);
    if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        reload(b, line, source);
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

/* ---- the changes of a reading ------------------------------------------------------ */

static void
add_change(const struct change *change, void *arg)
{
    if (change->kind != CHANGE_KEPT)
        row_change(arg, change);
}

void
batch_put_reading(struct batch *b, struct text *t, const mcphost_event *event)
{
    const char *source = mcphost_event_get_source_id(event);
    int applied = mcphost_event_get_state(event) == 0;

    put_source(t, source);
    put_key(t, "why");
    put_str(t, mcphost_event_get_text(event));
    put_key(t, "applied");
    put_flag(t, applied);
    put_key(t, "changes");
    put_begin(t, '[');
    if (applied)
        changes_each(source_applied(b->ctl, source), mcphost_event_get_config(event),
                     add_change, t);
    put_end(t, ']');
}

/* Returns true if the open operation `reload` can have caused a reading of its source
 * with the reason `why`.  The reason must be "reload".  For a source of ChatOS plugins
 * any reason is accepted, because the scan gives the reason. */
static int
is_reload(const struct batch *b, const char *why)
{
    return why && (strcmp(why, "reload") == 0 || (b->reload_of && b->reload_of->chatos));
}

void
batch_answer_reload(struct batch *b, const mcphost_event *event)
{
    struct text t = {0};

    if (!b->reload.due || !is_reload(b, mcphost_event_get_text(event)) ||
        source_find(b->ctl, mcphost_event_get_source_id(event)) != b->reload_of)
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
