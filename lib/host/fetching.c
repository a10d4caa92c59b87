/* SPDX-License-Identifier: MIT
 *
 * fetching.c - reads on behalf of a model's call.
 *
 * Each read is a separate call of the same dialog.  If the model's call ends before the
 * read, for example because the model's call is cancelled, the read is cancelled.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/walk.h"

void
mcph_said(mcphost_call *call, int r)
{
    if (r < 0 && r != MCPHOST_E_STATE)
        mcph_call_finish(call, r, NULL, NULL);
}

void
mcph_say(mcphost_call *call, bool is_error, const char *text)
{
    mcph_said(call, mcph_handling_answer(call, text, strlen(text), is_error));
}

void
mcph_say_error(mcphost_call *call, const mcphost_error *err, int code)
{
    char *text = mcph_asprintf("error: %s", err ? mcphost_error_get_message(err)
                                                : mcphost_strerror(code));

    mcph_say(call, true, text ? text : "error: out of memory");
    free(text);
}

/* The model's call, and the read that it waits for.  Both references are dropped when the
 * read has ended. */
struct fetch {
    mcphost_call *call, *read;
};

static void
cancel_read(mcphost_call *call, void *arg)
{
    (void)call;
    (void)mcph_call_request_cancel(arg);
}

static void
put_read(void *arg)
{
    mcph_call_put(arg);
}

/* Answers the model's call with the contents that were read, as items of a tool's
 * result. */
static void
answer_contents(mcphost_call *call, mcphost_result *result)
{
    struct mcph_span json = mcph_result_give_json(result), item;
    struct mcph_json_iter items;
    mcphost_error *err = NULL;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_adds(&buf, "{\"content\":[");
    mcph_json_iter_init(&items, mcph_json_get(json, "contents"));
    while (json.p && mcph_json_iter_next(&items, NULL, &item)) {
        mcph_json_add_comma(&buf);
        mcph_buf_adds(&buf, "{\"type\":\"resource\",\"resource\":");
        mcph_buf_add(&buf, item.p, item.len);
        mcph_buf_addc(&buf, '}');
    }
    mcph_buf_adds(&buf, "]}");
    r = json.p ? mcph_buf_ok(&buf) : MCPHOST_E_NOMEM;
    if (r == 0)
        r = mcph_handling_answer_result(call, buf.data, buf.len, &err);
    if (r < 0 && r != MCPHOST_E_STATE)
        mcph_say_error(call, err, r);
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
}

static void
on_read(mcphost_call *read, void *arg)
{
    struct fetch *fetch = arg;

    if (read->result)
        answer_contents(fetch->call, read->result);
    else
        mcph_say_error(fetch->call, read->error, MCPHOST_E_CANCELLED);
}

static void
fetch_free(void *arg)
{
    struct fetch *fetch = arg;

    mcph_call_put(fetch->call);
    mcph_call_put(fetch->read);
    free(fetch);
}

int
mcph_fetch_start(mcphost_call *call, mcphost_call *read)
{
    struct fetch *fetch = calloc(1, sizeof(*fetch));
    int r;

    if (!fetch) {
        mcph_call_put(read);
        return MCPHOST_E_NOMEM;
    }
    fetch->call = call;
    fetch->read = read;
    mcph_refs_get(&call->refs);
    mcph_refs_get(&read->refs);
    r = mcph_handling_set_cancelled(call, cancel_read, read, put_read);
    if (r < 0) {
        put_read(read);
        fetch_free(fetch);
        return r;
    }
    r = mcph_call_submit(read, on_read, fetch, fetch_free);
    if (r < 0)
        fetch_free(fetch);
    return r;
}
