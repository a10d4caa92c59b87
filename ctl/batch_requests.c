/* SPDX-License-Identifier: MIT
 *
 * batch_requests.c - requests of servers in the command `batch`: an event for each
 * request, and the operation that answers it.
 *
 * A request stays in a list, under a number, until it is answered or over.  Open requests
 * are cancelled at the end of the input, because no line can answer them any more.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "words.h"

struct open_request {
    struct open_request *next;
    mcphost_request *request;
    int64_t number;
};

static void
drop_request(struct open_request **at)
{
    struct open_request *open = *at;

    *at = open->next;
    mcphost_request_unref(open->request);
    free(open);
}

void
batch_cancel_requests(struct batch *b)
{
    while (b->requests) {
        mcphost_request_reject(b->requests->request, MCPHOST_REJECT_CANCEL, NULL);
        drop_request(&b->requests);
    }
}

int
batch_is_answer(const char *line, size_t len)
{
    json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const char *op = json_string_value(json_object_get(root, "op"));
    int is_answer = op && strcmp(op, "answer") == 0;

    json_decref(root);
    return is_answer;
}

/* ---- the event --------------------------------------------------------------------- */

static struct open_request *
keep_request(struct batch *b, mcphost_request *request)
{
    struct open_request **at = &b->requests, *open = calloc(1, sizeof(*open));

    if (!open)
        return NULL;
    while (*at)
        at = &(*at)->next;
    open->request = mcphost_request_ref(request);
    open->number = ++b->last_request;
    *at = open;
    return open;
}

static void
put_json(struct text *t, const char *key, const char *json, size_t len)
{
    put_key(t, key);
    put_raw(t, json, len);
}

static void
put_question(struct text *t, const mcphost_request *request)
{
    int kind = mcphost_request_get_kind(request);
    size_t len = 0;
    const char *s;

    put_key(t, "kind");
    put_str(t, name_of(MCPHOST_ENUM_REQUEST_KIND, kind));
    if (kind == MCPHOST_REQUEST_SAMPLING) {
        s = mcphost_request_get_params(request, &len);
        put_json(t, "params", s, len);
        return;
    }
    put_key(t, "message");
    put_str(t, mcphost_request_get_message(request));
    if (kind == MCPHOST_REQUEST_URL || kind == MCPHOST_REQUEST_AUTHORIZE) {
        put_key(t, "url");
        put_str(t, mcphost_request_get_url(request));
    }
    if (kind == MCPHOST_REQUEST_AUTHORIZE) {
        s = mcphost_request_get_params(request, &len);
        put_json(t, "params", s, len);
    }
    if (kind != MCPHOST_REQUEST_FORM)
        return;
    s = mcphost_request_get_schema(request, &len);
    put_json(t, "schema", s, len);
    s = mcphost_request_get_defaults(request, &len);
    put_json(t, "defaults", s, len);
}

static void
put_event(struct batch *b, const struct open_request *open, const mcphost_event *event)
{
    mcphost_call *call = mcphost_request_get_call(open->request);
    const struct call_id *id = call ? mcphost_call_get_user_data(call) : NULL;
    int active = mcphost_event_get_state(event) != 0;
    struct text *t = &b->out;

    put_begin(t, '{');
    put_key(t, "event");
    put_str(t, "request");
    put_key(t, "request");
    put_int(t, open->number);
    put_key(t, "active");
    put_flag(t, active);
    put_json(t, "id", id ? id->id : NULL, id ? id->len : 0);
    put_key(t, "server");
    put_str(t, mcphost_request_get_server_id(open->request));
    put_source(t, mcphost_request_get_source_id(open->request));
    put_key(t, "dialog");
    put_str(t, mcphost_request_get_dialog_id(open->request));
    if (active) {
        put_question(t, open->request);
    } else {
        put_key(t, "text");
        put_str(t, mcphost_event_get_text(event));
    }
    put_end(t, '}');
    text_puts(t, "\n");
}

/* Returns true if lines of the input answer requests of this kind. */
static int
is_for_lines(const struct ctl *ctl, int kind)
{
    if (kind == MCPHOST_REQUEST_SAMPLING)
        return ctl->opt.sampling_events;
    return ctl->opt.elicit == ELICIT_ASK;
}

void
batch_request(struct batch *b, const mcphost_event *event)
{
    mcphost_request *request = mcphost_event_get_request(event);
    struct open_request **at = &b->requests, *open;

    if (!is_for_lines(b->ctl, mcphost_request_get_kind(request)))
        return;
    if (mcphost_event_get_state(event) == 0) {
        while (*at && (*at)->request != request)
            at = &(*at)->next;
        if (!*at)
            return;
        put_event(b, *at, event);
        drop_request(at);
        return;
    }
    if (b->ending || (b->eof && b->in.len == 0)) {
        mcphost_request_reject(request, MCPHOST_REJECT_CANCEL, NULL);
        return;
    }
    open = keep_request(b, request);
    if (open)
        put_event(b, open, event);
    else
        mcphost_request_reject(request, MCPHOST_REJECT_ERROR, "out of memory");
}

/* ---- the operation ----------------------------------------------------------------- */

static int
respond(mcphost_request *request, const struct command_line *line, mcphost_error **reterr)
{
    size_t len = 0;
    const char *content = find_member(line->line, line->len, "content", &len);

    return mcphost_request_respond(request, content, len, reterr);
}

/* Returns 0 for "accept" or if `action` is NULL, MCPHOST_REJECT_* for another action, or
 * -1 for an unknown word. */
static int
find_action(const char *action)
{
    int how = -1;

    if (!action || strcmp(action, "accept") == 0)
        return 0;
    (void)mcphost_enum_find_value(MCPHOST_ENUM_REJECTION, action, &how);
    return how;
}

void
batch_answer_request(struct batch *b, const struct command_line *line)
{
    const json_t *number = json_object_get(line->root, "request");
    int how = find_action(batch_get_string(line, "action"));
    struct open_request **at = &b->requests;
    mcphost_error *err = NULL;
    int r;

    while (*at && (*at)->number != json_integer_value(number))
        at = &(*at)->next;
    if (!number) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'request' is missing");
    } else if (how < 0) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID,
                          "'action' must be accept, decline, cancel or error");
    } else if (!*at) {
        batch_refuse_line(b, line, MCPHOST_E_NOTFOUND, "no such request is open");
    } else {
        r = how == 0 ? respond((*at)->request, line, &err)
                     : mcphost_request_reject((*at)->request, how,
                                              batch_get_string(line, "message"));
        if (r < 0)
            batch_refuse_error(b, line->id, line->id_len, r, err);
        else
            batch_answer_flag(b, line, "answered", 1);
        if (!mcphost_request_is_open((*at)->request))
            drop_request(at);
    }
    mcphost_error_unref(err);
}
