/* SPDX-License-Identifier: MIT
 *
 * batch_events.c - write events of the host as lines of output.
 */
#include "batch.h"
#include "words.h"

static void
add_member(struct text *t, const char *key, const char *value)
{
    put_key(t, key);
    put_str(t, value);
}

/* Writes the members that name the event's server. */
static void
server_member(struct text *t, const mcphost_event *event)
{
    add_member(t, "server", mcphost_event_get_server_id(event));
    put_source(t, mcphost_event_get_source_id(event));
}

static void
put_server(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    mcphost_error *err = mcphost_event_get_error(event);
    int state = mcphost_event_get_state(event);

    server_member(t, event);
    add_member(t, "state", state ? name_of(MCPHOST_ENUM_SERVER_STATE, state) : "removed");
    if (err) {
        put_key(t, "error");
        row_error(t, 0, err);
    }
}

static void
put_instance(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    mcphost_error *err = mcphost_event_get_error(event);
    int64_t pid = mcphost_event_get_pid(event);

    server_member(t, event);
    add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    put_key(t, "pid");
    if (pid > 0)
        put_int(t, pid);
    else
        put_raw(t, NULL, 0);
    add_member(t, "state",
               name_of(MCPHOST_ENUM_INSTANCE_STATE, mcphost_event_get_state(event)));
    if (err) {
        put_key(t, "error");
        row_error(t, 0, err);
    }
}

static void
put_reminder(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;

    server_member(t, event);
    add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    put_key(t, "active");
    put_flag(t, mcphost_event_get_state(event) != 0);
    add_member(t, "text", mcphost_event_get_text(event));
}

static void
put_problem(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;

    put_key(t, "active");
    put_flag(t, mcphost_event_get_state(event) != 0);
    put_key(t, "problem");
    row_problem(t, mcphost_event_get_problem(event));
}

/* Writes the members of a log event.  The member `lost` gives the number of events that
 * were left out before this event. */
static void
put_log(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    size_t len = 0;
    const char *text = mcphost_event_get_text(event);
    const char *data = mcphost_event_get_data(event, &len);

    server_member(t, event);
    if (text)
        add_member(t, "text", text);
    if (data) {
        add_member(t, "level", mcphost_event_get_level(event));
        put_key(t, "data");
        put_raw(t, data, len);
    }
    if (b->lost) {
        put_key(t, "lost");
        put_int(t, (int64_t)b->lost);
    }
    b->lost = 0;
}

static void
put_progress(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    mcphost_call *call = mcphost_event_get_call(event);
    const struct call_id *id = mcphost_call_get_user_data(call);

    put_key(t, "id");
    put_raw(t, id ? id->id : NULL, id ? id->len : 0);
    add_member(t, "dialog", mcphost_call_get_dialog_id(call));
    add_member(t, "tool", mcphost_tool_get_name(mcphost_call_get_tool(call)));
    put_key(t, "progress");
    put_num(t, mcphost_event_get_progress(event));
    put_key(t, "total");
    put_num(t, mcphost_event_get_total(event));
    add_member(t, "message", mcphost_event_get_text(event));
}

/* Returns true if the event is left out because too much output is queued.  Counts this
 * event in `lost`. */
static int
is_spared(struct batch *b, int kind)
{
    if (kind != MCPHOST_EVENT_LOG && kind != MCPHOST_EVENT_PROGRESS)
        return 0;
    if (!batch_is_flooded(b))
        return 0;
    b->lost++;
    return 1;
}

static void
put_catalog(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;

    if (mcphost_event_get_dialog_id(event))
        add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    put_key(t, "version");
    put_int(t, (int64_t)mcphost_event_get_version(event));
}

static void
put_config(struct batch *b, const mcphost_event *event)
{
    batch_put_reading(b, &b->out, event);
}

static void
put_updated(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;

    server_member(t, event);
    add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    add_member(t, "uri", mcphost_event_get_uri(event));
    put_key(t, "count");
    put_int(t, (int64_t)mcphost_event_get_count(event));
}

static void
put_subscription(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    mcphost_error *err = mcphost_event_get_error(event);

    server_member(t, event);
    add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    add_member(t, "uri", mcphost_event_get_uri(event));
    put_key(t, "active");
    put_flag(t, mcphost_event_get_state(event) != 0);
    if (err) {
        put_key(t, "error");
        row_error(t, 0, err);
    }
}

/* Writes the members of a task event.  The member `id` is the id of the line that made
 * the call. */
static void
put_task_event(struct batch *b, const mcphost_event *event)
{
    struct text *t = &b->out;
    mcphost_call *call = mcphost_event_get_call(event);
    const struct call_id *id = mcphost_call_get_user_data(call);

    put_key(t, "id");
    put_raw(t, id ? id->id : NULL, id ? id->len : 0);
    server_member(t, event);
    add_member(t, "dialog", mcphost_event_get_dialog_id(event));
    add_member(t, "task", mcphost_call_get_task_id(call));
    add_member(t, "status",
               name_of(MCPHOST_ENUM_TASK_STATUS, mcphost_event_get_state(event)));
    add_member(t, "message", mcphost_event_get_text(event));
}

static void
put_removed(struct batch *b, const mcphost_event *event)
{
    put_source(&b->out, mcphost_event_get_source_id(event));
    add_member(&b->out, "state", "removed");
}

static void (*const writers[])(struct batch *b, const mcphost_event *event) = {
    [MCPHOST_EVENT_CATALOG] = put_catalog,
    [MCPHOST_EVENT_CONFIG] = put_config,
    [MCPHOST_EVENT_SERVER] = put_server,
    [MCPHOST_EVENT_INSTANCE] = put_instance,
    [MCPHOST_EVENT_REMINDER] = put_reminder,
    [MCPHOST_EVENT_PROBLEM] = put_problem,
    [MCPHOST_EVENT_LOG] = put_log,
    [MCPHOST_EVENT_PROGRESS] = put_progress,
    [MCPHOST_EVENT_UPDATED] = put_updated,
    [MCPHOST_EVENT_SUBSCRIPTION] = put_subscription,
    [MCPHOST_EVENT_TASK] = put_task_event,
    [MCPHOST_EVENT_SOURCE] = put_removed,
};

void
batch_event(struct ctl *ctl, const mcphost_event *event)
{
    struct batch *b = ctl->user;
    int kind = mcphost_event_get_kind(event);
    struct text *t = &b->out;

    if (kind == MCPHOST_EVENT_REQUEST)
        batch_request(b, event);
    if ((size_t)kind >= sizeof(writers) / sizeof(writers[0]) || !writers[kind] ||
        is_spared(b, kind))
        return;
    put_begin(t, '{');
    add_member(t, "event", name_of(MCPHOST_ENUM_EVENT_KIND, kind));
    writers[kind](b, event);
    put_end(t, '}');
    text_puts(t, "\n");
    if (kind == MCPHOST_EVENT_CONFIG)
        batch_answer_reload(b, event);
}
