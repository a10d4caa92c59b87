/* SPDX-License-Identifier: MIT
 *
 * resources.c - built-in tools by which a model looks through resources and reads them:
 * list_resources and fetch_resource (B.19).
 *
 * Both go through what the dialog's view shows, a few elements a turn, for a server may
 * list a hundred thousand.  An element is named "SERVER:ID".  What is fetched is read by
 * a call of its own, on the dialog's lease, which ends with the model's.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/view.h"
#include "uri/uri.h"

#define TOOLSET  "mcp_resources"
#define A_TURN   500                  /* elements that are looked at */
#define ROWS_MAX ((size_t)256 * 1024) /* bytes of a list */
#define KIND_ANY (-1)

/* ---- going through what is shown --------------------------------------------------- */

/* A call on its way through the catalog. */
struct walk {
    struct mcph_job job;
    mcphost_call *call; /* a reference */
    mcphost_catalog *catalog;
    size_t entry, place; /* the next element */
    int kind;
    /* Looks at one; false: that was the one. */
    bool (*visit)(struct walk *walk, const mcphost_server *entry,
                  const mcphost_tool *item);
    void (*end)(struct walk *walk);

    struct mcph_span server, query, id; /* in the call's arguments; p NULL: any */
    char *texts;                        /* that they point into */
    int only;                           /* MCPH_LIST_*, or KIND_ANY */
    struct mcph_buf scratch, id_buf;
    bool failed; /* there was no memory for an id or a text */

    struct mcph_buf rows; /* of list_resources */
    size_t left_out;
    const mcphost_server *found_in; /* of fetch_resource */
    const mcphost_tool *found;
};

static void
walk_free(struct walk *walk)
{
    mcph_catalog_unref(walk->catalog);
    mcph_call_put(walk->call);
    mcph_buf_done(&walk->scratch);
    mcph_buf_done(&walk->id_buf);
    mcph_buf_done(&walk->rows);
    free(walk->texts);
    free(walk);
}

/* A call that cannot be answered ends for want of what the answer needs; one that was
 * answered, or has ended, is left alone. */
static void
said(mcphost_call *call, int r)
{
    if (r < 0 && r != MCPHOST_E_STATE)
        mcph_call_finish(call, r, NULL, NULL);
}

static void
say(mcphost_call *call, bool is_error, const char *text)
{
    said(call, mcph_handling_answer(call, text, strlen(text), is_error));
}

static void
say_error(mcphost_call *call, const mcphost_error *err, int code)
{
    char *text = mcph_asprintf("error: %s", err ? mcphost_error_get_message(err)
                                                : mcphost_strerror(code));

    say(call, true, text ? text : "error: out of memory");
    free(text);
}

/* The next element, or NULL. */
static const mcphost_tool *
next(struct walk *walk, const mcphost_server **ret_entry)
{
    static const int kinds[] = {MCPH_LIST_RESOURCES, MCPH_LIST_TEMPLATES};

    for (; walk->entry < walk->catalog->n_entries; walk->entry++, walk->kind = 0) {
        const mcphost_server *entry = &walk->catalog->entries[walk->entry];

        if (walk->server.p && !mcph_span_is(walk->server, entry->name))
            continue;
        for (; walk->kind < (int)MCPH_ARRAY_SIZE(kinds); walk->kind++, walk->place = 0) {
            int kind = kinds[walk->kind];

            if ((walk->only == KIND_ANY || walk->only == kind) &&
                walk->place < mcph_entry_count(entry, kind)) {
                *ret_entry = entry;
                return mcph_entry_item(entry, kind, walk->place++);
            }
        }
    }
    return NULL;
}

static void
step(struct mcph_job *job)
{
    struct walk *walk = MCPH_CONTAINER_OF(job, struct walk, job);
    mcphost *host = walk->call->host;
    const mcphost_server *entry = NULL;

    for (size_t i = 0; i < A_TURN; i++) {
        const mcphost_tool *item = walk->call->active ? next(walk, &entry) : NULL;

        if (item && walk->visit(walk, entry, item))
            continue;
        if (walk->call->active)
            walk->end(walk);
        walk_free(walk);
        return;
    }
    mcph_core_post(host->core, &walk->job);
}

/* Takes the texts of these members (p NULL: absent) out of the arguments, which fit the
 * schema.  0, MCPHOST_E_NOMEM. */
static int
take_texts(struct walk *walk, struct mcph_span args, const char *const *names,
           struct mcph_span *const *to, size_t n)
{
    struct mcph_buf buf;
    char *at;
    int r = 0;

    walk->texts = at = malloc(args.len + 1);
    if (!at)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < n && r == 0; i++) {
        struct mcph_span token = mcph_json_get(args, names[i]), text;

        if (mcph_json_type(token) != MCPH_JSON_STRING)
            continue;
        mcph_buf_init(&buf, token.len);
        r = mcph_json_string_get(token, &buf, &text);
        if (r == 0) {
            memcpy(at, text.p, text.len);
            *to[i] = mcph_span(at, text.len);
            at += text.len;
        }
        mcph_buf_done(&buf);
    }
    return r;
}

/* Takes over nothing.  0, or what the call fails with. */
static int
begin(mcphost_call *call, struct walk **ret)
{
    struct walk *walk = calloc(1, sizeof(*walk));
    int r;

    if (!walk)
        return MCPHOST_E_NOMEM;
    r = mcph_dialog_look(call->dialog, &walk->catalog);
    if (r < 0) {
        free(walk);
        return r;
    }
    walk->call = call;
    mcph_refs_get(&call->refs);
    walk->only = KIND_ANY;
    walk->job.run = step;
    mcph_list_init(&walk->job.link);
    mcph_buf_init(&walk->scratch, SIZE_MAX / 4);
    mcph_buf_init(&walk->id_buf, SIZE_MAX / 4);
    mcph_buf_init(&walk->rows, SIZE_MAX / 4);
    *ret = walk;
    return 0;
}

static int
go(struct walk *walk, int r)
{
    if (r < 0)
        walk_free(walk);
    else
        mcph_core_post(walk->call->host->core, &walk->job);
    return r;
}

/* ---- list_resources ---------------------------------------------------------------- */

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether a text has the query in it; letters of ASCII are the same in both cases. */
static bool
has(struct mcph_span text, struct mcph_span query)
{
    for (size_t i = 0; i + query.len <= text.len; i++) {
        size_t k = 0;

        while (k < query.len && lower(text.p[i + k]) == lower(query.p[k]))
            k++;
        if (k == query.len)
            return true;
    }
    return false;
}

static bool
fits(struct walk *walk, const mcphost_tool *item, struct mcph_span id)
{
    static const char *const names[] = {"name", "title", "description"};

    if (!walk->query.p || has(id, walk->query) || has(mcph_item_uri(item), walk->query))
        return true;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        struct mcph_span token = mcph_json_get(mcph_tool_definition(item), names[i]),
                         text;

        mcph_buf_clear(&walk->scratch);
        if (mcph_json_type(token) != MCPH_JSON_STRING)
            continue;
        if (mcph_json_string_get(token, &walk->scratch, &text) < 0)
            walk->failed = true;
        else if (has(text, walk->query))
            return true;
    }
    return false;
}

static void
add_row(struct mcph_buf *rows, const mcphost_server *entry, const mcphost_tool *item,
        struct mcph_span id)
{
    static const struct {
        const char *name;
        int type;
    } members[] = {{"name", MCPH_JSON_STRING},
                   {"title", MCPH_JSON_STRING},
                   {"description", MCPH_JSON_STRING},
                   {"mimeType", MCPH_JSON_STRING},
                   {"size", MCPH_JSON_NUMBER}};
    bool resource = item->block->listing->kind == MCPH_LIST_RESOURCES;
    struct mcph_span uri = mcph_item_uri(item);

    mcph_json_add_comma(rows);
    mcph_buf_adds(rows, "{\"resourceId\":");
    mcph_json_add_string(rows, id.p, id.len);
    mcph_json_add_member(rows, "kind", resource ? "resource" : "template");
    mcph_json_add_member(rows, "serverId", entry->name);
    mcph_json_add_key(rows, resource ? "uri" : "uriTemplate");
    mcph_json_add_string(rows, uri.p, uri.len);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(members); i++) {
        struct mcph_span token =
            mcph_json_get(mcph_tool_definition(item), members[i].name);

        if (mcph_json_type(token) != members[i].type)
            continue;
        mcph_json_add_key(rows, members[i].name);
        mcph_buf_add(rows, token.p, token.len);
    }
    mcph_buf_addc(rows, '}');
}

/* "SERVER:ID" in walk->id_buf; p NULL: the element has no id, or there is no memory. */
static struct mcph_span
full_id(struct walk *walk, const mcphost_server *entry, const mcphost_tool *item)
{
    struct mcph_buf *buf = &walk->id_buf;
    int r;

    mcph_buf_clear(buf);
    mcph_buf_adds(buf, entry->name);
    mcph_buf_addc(buf, ':');
    r = mcph_item_add_id(item, buf);
    if (r == MCPHOST_E_NOMEM || mcph_buf_ok(buf) < 0)
        walk->failed = true;
    return r < 0 || walk->failed ? MCPH_SPAN_NONE : mcph_span(buf->data, buf->len);
}

static bool
visit_for_list(struct walk *walk, const mcphost_server *entry, const mcphost_tool *item)
{
    struct mcph_span id = full_id(walk, entry, item);

    if (id.p && fits(walk, item, id)) {
        if (walk->rows.len < ROWS_MAX)
            add_row(&walk->rows, entry, item, id);
        else
            walk->left_out++;
    }
    return !walk->failed;
}

static void
end_list(struct walk *walk)
{
    struct mcph_buf *rows = &walk->rows;

    mcph_buf_adds(rows, "]");
    if (walk->left_out)
        mcph_buf_addf(rows, ",\"leftOut\":%zu", walk->left_out);
    mcph_buf_addc(rows, '}');
    if (walk->failed || mcph_buf_ok(rows) < 0)
        say(walk->call, true, "error: out of memory");
    else
        said(walk->call, mcph_handling_answer(walk->call, rows->data, rows->len, false));
}

static int
list_resources(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"serverId", "query", "kind"};
    struct mcph_span kind = MCPH_SPAN_NONE;
    struct walk *walk;
    int r = begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = take_texts(walk, mcph_span(arguments, len), names,
                   (struct mcph_span *const[]){&walk->server, &walk->query, &kind}, 3);
    if (kind.p)
        walk->only =
            mcph_span_is(kind, "template") ? MCPH_LIST_TEMPLATES : MCPH_LIST_RESOURCES;
    walk->visit = visit_for_list;
    walk->end = end_list;
    mcph_buf_adds(&walk->rows, "{\"resources\":[");
    if (r == 0 && walk->server.p) {
        char *name = mcph_strndup(walk->server.p, walk->server.len);

        if (name && !mcph_catalog_server(walk->catalog, name)) {
            char *text = mcph_asprintf("error: there is no server '%.64s'", name);

            say(call, true, text ? text : "error: out of memory");
            free(text);
            free(name);
            walk_free(walk);
            return 0;
        }
        r = name ? 0 : MCPHOST_E_NOMEM;
        free(name);
    }
    return go(walk, r);
}

/* ---- fetch_resource ---------------------------------------------------------------- */

/* The model's call, and the read that it waits for.  Both are references, dropped when
 * the read has ended. */
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

/* What was read, as the items of a tool's result. */
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
        say_error(call, err, r);
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
        say_error(fetch->call, read->error, MCPHOST_E_CANCELLED);
}

static void
fetch_free(void *arg)
{
    struct fetch *fetch = arg;

    mcph_call_put(fetch->call);
    mcph_call_put(fetch->read);
    free(fetch);
}

static int
start_read(mcphost_call *call, const char *server, struct mcph_span uri,
           mcphost_error **reterr)
{
    struct fetch *fetch = calloc(1, sizeof(*fetch));
    int r;

    if (!fetch)
        return mcph_err_nomem(reterr);
    r = mcph_call_make_read(call->dialog, server, uri, &fetch->read, reterr);
    if (r < 0) {
        free(fetch);
        return r;
    }
    fetch->call = call;
    mcph_refs_get(&call->refs);
    mcph_refs_get(&fetch->read->refs);
    r = mcph_handling_set_cancelled(call, cancel_read, fetch->read, put_read);
    if (r < 0) {
        put_read(fetch->read);
        fetch_free(fetch);
        return r;
    }
    r = mcph_call_submit(fetch->read, on_read, fetch, fetch_free);
    if (r < 0)
        fetch_free(fetch);
    return r;
}

/* The URI of a template's element with the call's arguments. */
static int
expand(struct mcph_span text, struct mcph_span values, struct mcph_buf *uri,
       mcphost_error **reterr)
{
    struct mcph_template *template;
    int r = mcph_template_parse(text, &template, reterr);

    if (r < 0)
        return r;
    r = mcph_template_expand(template, values.p ? values : mcph_span("{}", 2), true, uri,
                             reterr);
    mcph_template_free(template);
    return r;
}

static void
end_fetch(struct walk *walk)
{
    struct mcph_span values = mcph_json_get(
        mcph_span(walk->call->arguments, walk->call->arguments_len), "arguments");
    mcphost_error *err = NULL;
    struct mcph_buf uri;
    int r = 0;

    if (walk->failed) {
        say(walk->call, true, "error: out of memory");
        return;
    }
    if (!walk->found) {
        say(walk->call, true,
            "error: there is no resource with this resourceId; list_resources tells "
            "what there is");
        return;
    }
    mcph_buf_init(&uri, MCPH_URI_MAX);
    if (walk->found->block->listing->kind == MCPH_LIST_TEMPLATES)
        r = expand(mcph_item_uri(walk->found), values, &uri, &err);
    else if (mcph_json_count(values) > 0)
        r = mcph_err(&err, MCPHOST_E_INVALID,
                     "this is a resource, which takes no arguments");
    else
        r = mcph_buf_add(&uri, mcph_item_uri(walk->found).p,
                         mcph_item_uri(walk->found).len);
    if (r == 0)
        r = start_read(walk->call, walk->found_in->name, mcph_span(uri.data, uri.len),
                       &err);
    if (r < 0)
        say_error(walk->call, err, r);
    mcphost_error_unref(err);
    mcph_buf_done(&uri);
}

static bool
visit_for_fetch(struct walk *walk, const mcphost_server *entry, const mcphost_tool *item)
{
    struct mcph_span id = full_id(walk, entry, item);

    if (!id.p || !mcph_span_eq(id, walk->id))
        return !walk->failed;
    walk->found = item;
    walk->found_in = entry;
    return false;
}

static int
fetch_resource(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"resourceId"};
    const char *colon;
    struct walk *walk;
    int r = begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = take_texts(walk, mcph_span(arguments, len), names,
                   (struct mcph_span *const[]){&walk->id}, 1);
    /* The server's name may have a colon, the id has none. */
    colon = walk->id.p ? memrchr(walk->id.p, ':', walk->id.len) : NULL;
    if (colon)
        walk->server = mcph_span(walk->id.p, (size_t)(colon - walk->id.p));
    walk->visit = visit_for_fetch;
    walk->end = end_fetch;
    return go(walk, r);
}

/* ---- the toolset ------------------------------------------------------------------- */

#define ANNOTATIONS                                     \
    "{\"readOnlyHint\":true,\"destructiveHint\":false," \
    "\"idempotentHint\":true,\"openWorldHint\":true}"

static const struct {
    unsigned bit; /* MCPHOST_RESOURCE_TOOL_* */
    struct mcph_builtin_draft draft;
    mcphost_builtin_fn fn;
} tools[] = {
    {MCPHOST_RESOURCE_TOOL_LIST,
     {"list_resources",
      "List the resources of MCP servers, and the templates from which URIs of resources "
      "are made, with their resourceId.",
      "{\"type\":\"object\",\"properties\":{"
      "\"serverId\":{\"type\":\"string\",\"description\":\"of this server alone\"},"
      "\"query\":{\"type\":\"string\",\"description\":\"only those with this text in "
      "their id, URI, name, title or description\"},"
      "\"kind\":{\"enum\":[\"resource\",\"template\"]}},"
      "\"additionalProperties\":false}",
      ANNOTATIONS},
     list_resources},
    {MCPHOST_RESOURCE_TOOL_FETCH,
     {"fetch_resource",
      "Read a resource of an MCP server. A template needs arguments, a value for each of "
      "its variables.",
      "{\"type\":\"object\",\"properties\":{"
      "\"resourceId\":{\"type\":\"string\",\"description\":\"as list_resources tells "
      "it\"},"
      "\"arguments\":{\"type\":\"object\",\"description\":\"values of the template's "
      "variables\"}},"
      "\"required\":[\"resourceId\"],\"additionalProperties\":false}",
      ANNOTATIONS},
     fetch_resource},
};

int
mcph_resources_offer(struct mcph_stack *stack, unsigned which, mcphost_error **reterr)
{
    size_t done = 0;
    int r = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tools) && r == 0; i++) {
        const struct mcph_builtin how = {.fn = tools[i].fn};
        struct mcph_builtin *tool = NULL;

        if (!(which & tools[i].bit))
            continue;
        r = mcph_builtin_new_draft(&tools[i].draft, &how, &tool, reterr);
        if (r == 0)
            r = mcph_shown_add_tool(stack, TOOLSET, tool, reterr);
        mcph_builtin_unref(tool);
        done += r == 0;
    }
    if (r < 0 && done > 0)
        (void)mcph_shown_remove_tool(stack, tools[0].draft.name, NULL);
    return r;
}
