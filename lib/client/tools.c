/* SPDX-License-Identifier: MIT
 *
 * tools.c - tools/list, page by page, and the notices that it changed.
 *
 * The pages are handed over as they came, so that every byte of a schema stays the
 * server's own (R51, R52); nothing here looks into a tool.  An empty cursor, a cursor
 * that comes twice, too many pages or too many bytes cut the list, and what came before
 * is good.  (Servers send an empty cursor where they mean none; asked with it, they begin
 * anew.)
 */
#include <stdlib.h>

#include "client/internal.h"

#define BAD_CURSOR (-32602)

struct mcph_client_list *
mcph_client_list_ref(struct mcph_client_list *list)
{
    if (list)
        mcph_refs_get(&list->refs);
    return list;
}

struct mcph_client_list *
mcph_client_list_unref(struct mcph_client_list *list)
{
    if (!list || !mcph_refs_put(&list->refs))
        return NULL;
    for (size_t i = 0; i < list->n_pages; i++)
        mcph_frame_unref(list->pages[i].frame);
    mcphost_error_unref(list->cut);
    free(list);
    return NULL;
}

/* ---- the end of a list ------------------------------------------------------------- */

static void
drop_pages(struct list_job *list)
{
    for (size_t i = 0; i < list->n_pages; i++)
        mcph_frame_unref(list->pages[i].page.frame);
    free(list->pages);
    list->pages = NULL;
    list->n_pages = list->cap = list->bytes = 0;
}

/* Takes over both; one of them is NULL. */
static void
tell(struct mcph_client *c, struct mcph_client_list *result, mcphost_error *error)
{
    struct list_job *list = &c->list;

    mcph_timer_cancel(&list->timer);
    drop_pages(list);
    list->running = list->empty = list->begun_anew = false;
    if (c->holding) {
        mcph_client_list_unref(c->fresh);
        c->fresh = mcph_client_list_ref(result);
    }
    c->holding = false;
    if (c->events->listed)
        c->events->listed(c, result, error, c->arg);
    mcph_client_list_unref(result);
    mcphost_error_unref(error);
    if (c->state == MCPH_CLIENT_READY && list->again && !list->running) {
        list->again = false;
        tools_changed(c);
    }
    operations_pump(c);
}

/* Takes over `cut`. */
static void
finish(struct mcph_client *c, mcphost_error *cut)
{
    struct list_job *list = &c->list;
    struct mcph_client_list *result;
    mcphost_error *error = NULL;

    result = calloc(1, sizeof(*result) + list->n_pages * sizeof(result->pages[0]));
    if (!result) {
        mcphost_error_unref(cut);
        mcph_err_nomem(&error);
        tell(c, NULL, error);
        return;
    }
    mcph_refs_init(&result->refs);
    result->cut = cut;
    result->n_pages = list->n_pages;
    for (size_t i = 0; i < list->n_pages; i++)
        result->pages[i] = list->pages[i].page;
    list->n_pages = 0; /* the frames have moved */
    if (!cut)
        cache_keep_tools(c, &list->hints, result);
    tell(c, result, NULL);
}

static void
fail(struct mcph_client *c, int code, const char *text)
{
    mcphost_error *error = NULL;

    client_error(c, &error, code, "%s", text);
    tell(c, NULL, error);
}

/* ---- pages ------------------------------------------------------------------------- */

static int
ask(struct mcph_client *c, struct mcph_span cursor)
{
    struct mcph_buf params;
    struct mcph_rpc_call *call = &c->list.call;
    int r;

    mcph_buf_init(&params, 2 * cursor.len + 64);
    if (cursor.p) {
        mcph_buf_adds(&params, "\"cursor\":");
        mcph_buf_add(&params, cursor.p, cursor.len);
    }
    r = mcph_buf_ok(&params);
    if (r == 0)
        r = mcph_rpc_start(&c->rpc, call);
    if (r == 0) {
        r = send_request(c, call, MCPH_METHOD_LIST_TOOLS,
                         mcph_span(params.data, params.len));
        if (r < 0)
            mcph_rpc_abandon(call);
    }
    mcph_buf_done(&params);
    return r;
}

static int
keep(struct list_job *list, struct mcph_frame *frame, struct mcph_span tools,
     bool headers, struct mcph_span next)
{
    struct list_page *pages;
    size_t cap;

    if (list->n_pages == list->cap) {
        cap = list->cap ? 2 * list->cap : 1;
        pages = mcph_reallocarray(list->pages, cap, sizeof(*pages));
        if (!pages)
            return MCPHOST_E_NOMEM;
        list->pages = pages;
        list->cap = cap;
    }
    list->pages[list->n_pages++] =
        (struct list_page){{mcph_frame_ref(frame), tools, headers}, next};
    list->bytes += frame->len;
    return 0;
}

static bool
came_before(const struct list_job *list, struct mcph_span cursor)
{
    for (size_t i = 0; i + 1 < list->n_pages; i++) {
        if (mcph_json_string_eq(list->pages[i].next, cursor))
            return true;
    }
    return false;
}

/* With one more page kept: on to the next, or the end. */
static void
go_on(struct mcph_client *c, struct mcph_span cursor)
{
    struct list_job *list = &c->list;
    mcphost_error *cut = NULL;
    int r;

    if (!cursor.p || mcph_json_is_null(cursor)) {
        finish(c, NULL);
        return;
    }
    if (mcph_json_type(cursor) != MCPH_JSON_STRING) {
        fail(c, MCPHOST_E_PROTOCOL,
             "answered tools/list with a nextCursor that is no string");
        return;
    }
    if (mcph_json_string_is(cursor, "", 0))
        client_error(c, &cut, MCPHOST_E_PROTOCOL,
                     "gave an empty cursor while listing its tools; the list ends there, "
                     "after %zu page%s",
                     list->n_pages, list->n_pages == 1 ? "" : "s");
    else if (came_before(list, cursor))
        client_error(c, &cut, MCPHOST_E_PROTOCOL,
                     "gave the same cursor twice while listing its tools; the list "
                     "ends there, after %zu pages",
                     list->n_pages);
    else if (list->n_pages >= c->spec.max_pages)
        client_error(c, &cut, MCPHOST_E_LIMIT,
                     "has more than %zu pages of tools; the rest is left out",
                     list->n_pages);
    else if (list->bytes >= c->spec.max_list_bytes)
        client_error(c, &cut, MCPHOST_E_LIMIT,
                     "has more than %zu bytes of tools; the rest is left out",
                     c->spec.max_list_bytes);
    if (cut) {
        finish(c, cut);
        return;
    }
    r = ask(c, cursor);
    if (r < 0 && !client_is_losing(c, r))
        fail(c, r, "cannot be asked for the next page of its tools");
}

/* A server that was not asked what it speaks refuses the first request of all. */
static bool
was_stranger(struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    if (!c->unproven || stream_refusal(c, answer) != REFUSAL_STRANGER)
        return false;
    negotiate_again(c); /* it begins the list anew, too */
    return true;
}

/* MCP, "Pagination": a cursor may be too old; the pages so far go with it.  Once. */
static bool
begin_anew(struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    struct list_job *list = &c->list;
    struct mcph_span message, data;
    int64_t code = 0;

    if (answer->code == MCPHOST_E_RPC)
        mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (code != BAD_CURSOR || list->n_pages == 0 || list->begun_anew)
        return false;
    drop_pages(list);
    list->begun_anew = true;
    cache_forget_tools(c);
    cache_hints_begin(c, &list->hints);
    return ask(c, MCPH_SPAN_NONE) == 0;
}

static bool
has_headers(const struct mcph_client *c)
{
    return c->transport && c->transport->wants_headers &&
           c->info.era == MCPH_CLIENT_MODERN;
}

static void
on_page(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, list.call);
    struct mcph_json_want want[] = {MCPH_JSON_WANT("tools"),
                                    MCPH_JSON_WANT("nextCursor")};
    mcphost_error *error = NULL;
    const char *why;

    if (answer->code < 0 && (was_stranger(c, answer) || begin_anew(c, answer)))
        return;
    client_measure(c, call, answer);
    if (answer->code < 0) {
        client_answer_error(c, &error, "tools/list", answer);
        tell(c, NULL, error);
        return;
    }
    if (method_check_result(c, &mcph_methods[MCPH_METHOD_LIST_TOOLS], answer->msg->result,
                            &why) < 0) {
        client_error(c, &error, MCPHOST_E_PROTOCOL, "answered tools/list with %s", why);
        tell(c, NULL, error);
        return;
    }
    if (mcph_json_pick(answer->msg->result, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        mcph_json_type(want[0].value) != MCPH_JSON_ARRAY) {
        fail(c, MCPHOST_E_PROTOCOL, "answered tools/list without an array 'tools'");
        return;
    }
    if (keep(&c->list, answer->frame, want[0].value, has_headers(c), want[1].value) < 0) {
        fail(c, MCPHOST_E_NOMEM, "");
        return;
    }
    c->unproven = false;
    /* A pass over the whole page: only where what it finds is used. */
    if (c->info.era == MCPH_CLIENT_MODERN)
        cache_hints_add(c, answer->msg->result, &c->list.hints);
    go_on(c, want[1].value);
}

static void
on_list_due(struct mcph_timer *timer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(timer, struct mcph_client, list.timer);
    struct mcph_client_list *known;
    mcphost_error *error = NULL;

    if (c->list.empty) {
        method_not_offered(c, &mcph_methods[MCPH_METHOD_LIST_TOOLS], &error);
        finish(c, error);
        return;
    }
    if (c->list.recalled) {
        known = c->list.recalled;
        c->list.recalled = NULL;
        tell(c, known, NULL);
        return;
    }
    mcph_rpc_abandon(&c->list.call);
    send_cancel(c, &c->list.call, "timed out");
    if (!client_awaits_credentials(c, &error, "its tools"))
        client_error(c, &error, MCPHOST_E_TIMEOUT,
                     "did not list its tools within %lld ms", (long long)c->spec.list_ms);
    tell(c, NULL, error);
}

int
mcph_client_list_tools(struct mcph_client *c)
{
    struct list_job *list = &c->list;
    int64_t now;
    int r;

    if (c->state != MCPH_CLIENT_READY)
        return MCPHOST_E_STATE;
    if (list->running)
        return 0;
    now = mcph_core_now(c->core);
    /* Not advertised, not asked for; nor is what is known. */
    list->empty = !(c->info.offers & MCPH_OFFERS_TOOLS);
    if (!list->empty)
        list->recalled = cache_find_tools(c);
    if (list->empty || list->recalled) {
        list->running = true;
        mcph_timer_set(&list->timer, now);
        return 0;
    }
    cache_hints_begin(c, &list->hints);
    r = ask(c, MCPH_SPAN_NONE);
    if (r < 0)
        return r;
    list->running = true;
    if (c->spec.list_ms >= 0)
        mcph_timer_set(&list->timer, now + c->spec.list_ms);
    return 0;
}

void
tools_postpone(struct mcph_client *c)
{
    tools_stop(c);
    c->list.postponed = true;
}

void
tools_refresh(struct mcph_client *c)
{
    cache_forget_tools(c);
    c->holding = true;
    if (mcph_client_list_tools(c) < 0) {
        c->holding = false;
        operations_pump(c);
    }
}

struct mcph_span
tools_fresh_schema(const struct mcph_client *c, struct mcph_span name)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("inputSchema")};
    struct mcph_json_iter it;
    struct mcph_span tool;

    for (size_t i = 0; c->fresh && i < c->fresh->n_pages; i++) {
        mcph_json_iter_init(&it, c->fresh->pages[i].tools);
        while (mcph_json_iter_next(&it, NULL, &tool)) {
            if (mcph_json_type(tool) == MCPH_JSON_OBJECT &&
                mcph_json_pick(tool, want, MCPH_ARRAY_SIZE(want)) == 0 &&
                mcph_json_type(want[0].value) == MCPH_JSON_STRING &&
                mcph_json_string_is(want[0].value, name.p, name.len))
                return want[1].value;
        }
    }
    return MCPH_SPAN_NONE;
}

/* ---- notices ----------------------------------------------------------------------- */

void
tools_changed(struct mcph_client *c)
{
    if (c->state != MCPH_CLIENT_READY)
        return;
    cache_forget_tools(c);
    if (c->list.running)
        c->list.again = true;
    else if (!mcph_timer_is_set(&c->changed_timer))
        mcph_timer_set(&c->changed_timer, mcph_core_now(c->core) + c->spec.changed_ms);
}

static void
on_changed_due(struct mcph_timer *timer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(timer, struct mcph_client, changed_timer);

    if (c->list.running)
        c->list.again = true;
    else if (c->events->tools_changed)
        c->events->tools_changed(c, c->arg);
}

int
tools_init(struct mcph_client *c)
{
    c->list.call.on_answer = on_page;
    c->list.call.timeout_ms = c->list.call.max_ms = -1;
    if (mcph_timer_init(&c->list.timer, c->core, on_list_due) < 0)
        return MCPHOST_E_NOMEM;
    return mcph_timer_init(&c->changed_timer, c->core, on_changed_due);
}

void
tools_stop(struct mcph_client *c)
{
    mcph_rpc_abandon(&c->list.call);
    mcph_timer_cancel(&c->list.timer);
    mcph_timer_cancel(&c->changed_timer);
    drop_pages(&c->list);
    c->list.recalled = mcph_client_list_unref(c->list.recalled);
    c->list.running = c->list.again = c->list.empty = c->list.begun_anew = false;
}
