/* SPDX-License-Identifier: MIT
 *
 * lists.c - read tools/list, resources/list, resources/templates/list, prompts/list and
 * skills/list page by page, and handle the notices that a list has changed.
 *
 * There is one job for each kind of list.  Jobs run at the same time.  The failure of one
 * job does not affect another job.
 *
 * This file passes the pages on unchanged, so that every byte of a schema is the
 * server's own (R51, R52).  No code in this file changes an item.  This file cuts the
 * list at an empty cursor, at a cursor that comes twice, and when there are too many
 * pages or bytes.  The pages before the cut are used.  An empty cursor ends the list,
 * because some servers send it after the last page, and answer a request that has this
 * cursor with the first page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

#define BAD_CURSOR (-32602)

/* ---- the differences between the kinds --------------------------------------------- */

static const struct {
    int method;
    const char *items; /* name of the array in a page */
    const char *what;  /* name of the items in error texts */
} kinds[MCPH_LIST_KINDS] = {
    [MCPH_LIST_TOOLS] = {MCPH_METHOD_LIST_TOOLS, "tools", "tools"},
    [MCPH_LIST_RESOURCES] = {MCPH_METHOD_LIST_RESOURCES, "resources", "resources"},
    [MCPH_LIST_TEMPLATES] = {MCPH_METHOD_LIST_TEMPLATES, "resourceTemplates",
                             "resource templates"},
    [MCPH_LIST_PROMPTS] = {MCPH_METHOD_LIST_PROMPTS, "prompts", "prompts"},
    [MCPH_LIST_SKILLS] = {MCPH_METHOD_LIST_SKILLS, "skills", "skills"},
};

/* The notices that lists have changed.  The notice about resources also counts for
 * templates, and for skills, because the files of skills are resources. */
const struct list_notice mcph_list_notices[LIST_NOTICES] = {
    {"tools", "notifications/tools/list_changed", "toolsListChanged",
     1u << MCPH_LIST_TOOLS},
    {"resources", "notifications/resources/list_changed", "resourcesListChanged",
     1u << MCPH_LIST_RESOURCES | 1u << MCPH_LIST_TEMPLATES | 1u << MCPH_LIST_SKILLS},
    {"prompts", "notifications/prompts/list_changed", "promptsListChanged",
     1u << MCPH_LIST_PROMPTS},
};

static const struct mcph_method *
method_of(const struct list_job *list)
{
    return &mcph_methods[kinds[list->kind].method];
}

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

/* Ends the time in which the client sends no operation because the server refused the
 * headers of a call.  `result` is the new list of tools, or NULL if the list could not
 * be read. */
static void
stop_holding(struct mcph_client *c, struct mcph_client_list *result)
{
    if (c->holding) {
        mcph_client_list_unref(c->fresh);
        c->fresh = mcph_client_list_ref(result);
    }
    c->holding = false;
}

/* Reports the end of a list.  Takes over the references to `result` and `error`.  One of
 * these references is NULL. */
static void
report_list(struct list_job *list, struct mcph_client_list *result, mcphost_error *error)
{
    struct mcph_client *c = list->client;

    mcph_timer_cancel(&list->timer);
    drop_pages(list);
    list->running = list->empty = list->begun_anew = false;
    list->unsent = 0;
    if (list->kind == MCPH_LIST_TOOLS)
        stop_holding(c, result);
    if (c->events->listed)
        c->events->listed(c, list->kind, result, error, c->arg);
    mcph_client_list_unref(result);
    mcphost_error_unref(error);
    if (c->state == MCPH_CLIENT_READY && list->again && !list->running) {
        list->again = false;
        mcph_client_lists_changed(c, 1u << list->kind);
    }
    mcph_operations_pump(c);
}

/* Makes the list from its pages and reports the list.  Takes over the reference to
 * `cut`. */
static void
finish_list(struct list_job *list, mcphost_error *cut)
{
    struct mcph_client_list *result;
    mcphost_error *error = NULL;

    result = calloc(1, sizeof(*result) + list->n_pages * sizeof(result->pages[0]));
    if (!result) {
        mcphost_error_unref(cut);
        mcph_err_nomem(&error);
        report_list(list, NULL, error);
        return;
    }
    mcph_refs_init(&result->refs);
    result->kind = list->kind;
    result->cut = cut;
    result->n_pages = list->n_pages;
    for (size_t i = 0; i < list->n_pages; i++)
        result->pages[i] = list->pages[i].page;
    list->n_pages = 0; /* `result` owns the frames now */
    if (!cut)
        mcph_client_cache_keep_list(list->client, &list->hints, result);
    report_list(list, result, NULL);
}

/* Ends the list because an answer is not a page.  `how` continues "answered METHOD". */
static void
fail_page(struct list_job *list, const char *how)
{
    mcphost_error *error = NULL;

    mcph_client_error(list->client, &error, MCPHOST_E_PROTOCOL, "answered %s %s",
                      method_of(list)->name, how);
    report_list(list, NULL, error);
}

/* ---- reading pages ----------------------------------------------------------------- */

static int
ask_page(struct list_job *list, struct mcph_span cursor)
{
    struct mcph_client *c = list->client;
    struct mcph_rpc_call *call = &list->call;
    struct mcph_buf params;
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
        r = mcph_client_send_request(c, call, kinds[list->kind].method,
                                     mcph_span(params.data, params.len));
        if (r < 0)
            mcph_rpc_abandon(call);
    }
    mcph_buf_done(&params);
    return r;
}

static int
keep_page(struct list_job *list, struct mcph_frame *frame, struct mcph_span items,
          struct mcph_span next, bool headers)
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
        (struct list_page){{mcph_frame_ref(frame), items, headers}, next};
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

/* Returns the error that says why the list is cut before this cursor, a string token.
 * Returns NULL if the list is not cut. */
static mcphost_error *
cut_before(const struct list_job *list, struct mcph_span cursor)
{
    const struct mcph_client *c = list->client;
    const char *what = kinds[list->kind].what;
    mcphost_error *cut = NULL;

    if (mcph_json_string_is(cursor, "", 0))
        mcph_client_error(
            c, &cut, MCPHOST_E_PROTOCOL,
            "gave an empty cursor while listing its %s; the list ends there, "
            "after %zu page%s",
            what, list->n_pages, list->n_pages == 1 ? "" : "s");
    else if (came_before(list, cursor))
        mcph_client_error(
            c, &cut, MCPHOST_E_PROTOCOL,
            "gave the same cursor twice while listing its %s; the list ends "
            "there, after %zu pages",
            what, list->n_pages);
    else if (list->n_pages >= c->spec.max_pages)
        mcph_client_error(c, &cut, MCPHOST_E_LIMIT,
                          "has more than %zu pages of %s; the rest is left out",
                          list->n_pages, what);
    else if (list->bytes >= c->spec.max_list_bytes)
        mcph_client_error(c, &cut, MCPHOST_E_LIMIT,
                          "has more than %zu bytes of %s; the rest is left out",
                          c->spec.max_list_bytes, what);
    return cut;
}

static void
fail_unsent(struct list_job *list, int code)
{
    mcphost_error *error = NULL;

    mcph_client_error(list->client, &error, code,
                      "the request for %sits %s cannot be sent: %s",
                      list->n_pages > 0 ? "the next page of " : "",
                      kinds[list->kind].what, mcphost_strerror(code));
    report_list(list, NULL, error);
}

/* Continues after a page was kept: asks for the next page, or ends the list. */
static void
next_page(struct list_job *list, struct mcph_span cursor)
{
    mcphost_error *cut;
    int r;

    if (!cursor.p || mcph_json_is_null(cursor)) {
        finish_list(list, NULL);
        return;
    }
    if (mcph_json_type(cursor) != MCPH_JSON_STRING) {
        fail_page(list, "with a nextCursor that is not a string");
        return;
    }
    cut = cut_before(list, cursor);
    if (cut) {
        finish_list(list, cut);
        return;
    }
    r = ask_page(list, cursor);
    if (r < 0 && !mcph_client_is_losing(list->client, r))
        fail_unsent(list, r);
}

/* Drops the pages and asks for the first page again, if the server has refused an old
 * cursor (MCP, "Pagination").  Restarts a list only once.  Returns false if nothing was
 * sent. */
static bool
restart_list(struct list_job *list, const struct mcph_rpc_answer *answer)
{
    struct mcph_span message, data;
    int64_t code = 0;

    if (answer->code == MCPHOST_E_RPC)
        mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (code != BAD_CURSOR || list->n_pages == 0 || list->begun_anew)
        return false;
    drop_pages(list);
    list->begun_anew = true;
    mcph_client_cache_forget_list(list->client, list->kind);
    mcph_client_cache_hints_begin(list->client, &list->hints);
    return ask_page(list, MCPH_SPAN_NONE) == 0;
}

static bool
has_headers(const struct list_job *list)
{
    const struct mcph_client *c = list->client;

    return list->kind == MCPH_LIST_TOOLS && c->transport && c->transport->wants_headers &&
           c->info.era == MCPH_CLIENT_MODERN;
}

/* Checks an answer and keeps it as a page.  Returns 0, MCPHOST_E_NOMEM, or
 * MCPHOST_E_PROTOCOL if the answer is not a page.  In the last case `ret_how` gets the
 * text to pass to fail_page(). */
static int
read_page(struct list_job *list, const struct mcph_rpc_answer *answer,
          struct mcph_span *ret_cursor, char *ret_how, size_t size)
{
    const char *items = kinds[list->kind].items, *why;
    struct mcph_json_want want[] = {{items, strlen(items), MCPH_SPAN_NONE},
                                    MCPH_JSON_WANT("nextCursor")};
    struct mcph_span result = answer->msg->result;

    if (mcph_method_check_result(list->client, method_of(list), result, &why) < 0) {
        snprintf(ret_how, size, "with %s", why);
        return MCPHOST_E_PROTOCOL;
    }
    if (mcph_json_pick(result, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        mcph_json_type(want[0].value) != MCPH_JSON_ARRAY) {
        snprintf(ret_how, size, "without an array '%s'", items);
        return MCPHOST_E_PROTOCOL;
    }
    *ret_cursor = want[1].value;
    return keep_page(list, answer->frame, want[0].value, want[1].value,
                     has_headers(list));
}

static void
on_page(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct list_job *list = MCPH_CONTAINER_OF(call, struct list_job, call);
    struct mcph_client *c = list->client;
    mcphost_error *error = NULL;
    struct mcph_span cursor;
    char how[128];
    int r;

    if (answer->code < 0 &&
        (mcph_negotiate_was_stranger(c, answer) || restart_list(list, answer)))
        return;
    mcph_client_measure(c, call, answer);
    if (answer->code < 0) {
        mcph_client_answer_error(c, &error, method_of(list)->name, answer);
        report_list(list, NULL, error);
        return;
    }
    r = read_page(list, answer, &cursor, how, sizeof(how));
    if (r == MCPHOST_E_NOMEM) {
        mcph_err_nomem(&error);
        report_list(list, NULL, error);
        return;
    }
    if (r < 0) {
        fail_page(list, how);
        return;
    }
    c->unproven = false;
    /* Read the hints only in the era that has hints, because reading the hints takes a
     * pass over the whole page. */
    if (c->info.era == MCPH_CLIENT_MODERN)
        mcph_client_cache_hints_add(c, answer->msg->result, &list->hints);
    next_page(list, cursor);
}

/* ---- the start of a list ----------------------------------------------------------- */

static void
on_list_due(struct mcph_timer *timer)
{
    struct list_job *list = MCPH_CONTAINER_OF(timer, struct list_job, timer);
    struct mcph_client *c = list->client;
    struct mcph_client_list *known = list->recalled;
    mcphost_error *error = NULL;
    char what[40];

    if (list->unsent < 0) {
        fail_unsent(list, list->unsent);
        return;
    }
    if (list->empty) {
        mcph_method_not_offered(c, method_of(list), &error);
        finish_list(list, error);
        return;
    }
    if (known) {
        list->recalled = NULL;
        report_list(list, known, NULL);
        return;
    }
    mcph_rpc_abandon(&list->call);
    mcph_client_send_cancel(c, &list->call, "timed out");
    snprintf(what, sizeof(what), "its %s", kinds[list->kind].what);
    if (!mcph_client_awaits_credentials(c, &error, what))
        mcph_client_error(c, &error, MCPHOST_E_TIMEOUT, "did not list %s within %lld ms",
                          what, (long long)c->spec.list_ms);
    report_list(list, NULL, error);
}

int
mcph_client_list(struct mcph_client *c, int kind)
{
    struct list_job *list = &c->lists[kind];
    int64_t now;
    int r;

    if (c->state != MCPH_CLIENT_READY)
        return MCPHOST_E_STATE;
    if (list->running)
        return 0;
    now = mcph_core_now(c->core);
    /* Do not ask for a list that the server does not offer or that is cached. */
    list->empty = (method_of(list)->needs & ~c->info.offers) != 0;
    if (!list->empty)
        list->recalled = mcph_client_cache_find_list(c, kind);
    if (list->empty || list->recalled) {
        list->running = true;
        mcph_timer_set(&list->timer, now);
        return 0;
    }
    mcph_client_cache_hints_begin(c, &list->hints);
    r = ask_page(list, MCPH_SPAN_NONE);
    if (r < 0)
        return r;
    list->running = true;
    if (c->spec.list_ms >= 0)
        mcph_timer_set(&list->timer, now + c->spec.list_ms);
    return 0;
}

void
mcph_client_lists_begin(struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct list_job *list = &c->lists[kind];
        bool wanted = list->postponed || (c->spec.lists & 1u << kind);
        int r = wanted ? mcph_client_list(c, kind) : 0;

        list->postponed = false;
        if (r == 0 || mcph_client_is_losing(c, r))
            continue;
        /* Report the failure by the event `listed`, and only after the event `ready`. */
        list->unsent = r;
        list->running = true;
        mcph_timer_set(&list->timer, mcph_core_now(c->core));
    }
}

bool
mcph_client_lists_own(const struct mcph_rpc_call *call)
{
    return call->on_answer == on_page;
}

bool
mcph_client_lists_are_running(const struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (c->lists[kind].running)
            return true;
    }
    return false;
}

/* ---- tools for calls that were refused --------------------------------------------- */

void
mcph_client_lists_refresh_tools(struct mcph_client *c)
{
    mcph_client_cache_forget_list(c, MCPH_LIST_TOOLS);
    c->holding = true;
    if (mcph_client_list(c, MCPH_LIST_TOOLS) < 0) {
        c->holding = false;
        mcph_operations_pump(c);
    }
}

struct mcph_span
mcph_client_lists_fresh_schema(const struct mcph_client *c, struct mcph_span name)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("inputSchema")};
    struct mcph_json_iter it;
    struct mcph_span tool;

    for (size_t i = 0; c->fresh && i < c->fresh->n_pages; i++) {
        mcph_json_iter_init(&it, c->fresh->pages[i].items);
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
mcph_client_lists_changed(struct mcph_client *c, unsigned which)
{
    int64_t due = mcph_core_now(c->core) + c->spec.changed_ms;

    if (c->state != MCPH_CLIENT_READY)
        return;
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct list_job *list = &c->lists[kind];

        if (!(which & 1u << kind))
            continue;
        mcph_client_cache_forget_list(c, kind);
        if (list->running)
            list->again = true;
        else if (!mcph_timer_is_set(&list->changed_timer))
            mcph_timer_set(&list->changed_timer, due);
    }
}

const struct list_notice *
mcph_client_lists_notice(const struct mcph_rpc_message *msg)
{
    for (size_t i = 0; i < LIST_NOTICES; i++) {
        if (mcph_rpc_method_is(msg, mcph_list_notices[i].method))
            return &mcph_list_notices[i];
    }
    return NULL;
}

static void
on_changed_due(struct mcph_timer *timer)
{
    struct list_job *list = MCPH_CONTAINER_OF(timer, struct list_job, changed_timer);
    struct mcph_client *c = list->client;

    if (list->running)
        list->again = true;
    else if (c->events->changed)
        c->events->changed(c, list->kind, c->arg);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_client_lists_init(struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct list_job *list = &c->lists[kind];

        list->client = c;
        list->kind = kind;
        list->call.on_answer = on_page;
        list->call.timeout_ms = list->call.max_ms = -1;
        if (mcph_timer_init(&list->timer, c->core, on_list_due) < 0 ||
            mcph_timer_init(&list->changed_timer, c->core, on_changed_due) < 0)
            return MCPHOST_E_NOMEM;
    }
    return 0;
}

static void
stop_list(struct list_job *list)
{
    mcph_rpc_abandon(&list->call);
    mcph_timer_cancel(&list->timer);
    mcph_timer_cancel(&list->changed_timer);
    drop_pages(list);
    list->recalled = mcph_client_list_unref(list->recalled);
    list->running = list->again = list->empty = list->begun_anew = false;
    list->unsent = 0;
}

void
mcph_client_lists_postpone(struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (!c->lists[kind].running)
            continue;
        stop_list(&c->lists[kind]);
        c->lists[kind].postponed = true;
    }
}

void
mcph_client_lists_stop(struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        stop_list(&c->lists[kind]);
}

void
mcph_client_lists_done(struct mcph_client *c)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        mcph_timer_done(&c->lists[kind].timer);
        mcph_timer_done(&c->lists[kind].changed_timer);
    }
    mcph_client_list_unref(c->fresh);
}
