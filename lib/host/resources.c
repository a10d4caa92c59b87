/* SPDX-License-Identifier: MIT
 *
 * resources.c - list_resources and fetch_resource: the built-in tools by which a model
 * finds resources and reads them (B.19).
 *
 * A resource or a template is identified by "SERVER:ID".
 */
#include <string.h>

#include "host/builtin.h"
#include "host/view.h"
#include "host/walk.h"
#include "uri/uri.h"

#define BOTH (1u << MCPH_LIST_RESOURCES | 1u << MCPH_LIST_TEMPLATES)

/* ---- list_resources ---------------------------------------------------------------- */

static bool
fits_template(struct mcph_walk *walk, const mcphost_tool *item, struct mcph_span id)
{
    static const char *const names[] = {"name", "title", "description"};

    return mcph_walk_fits(walk, id, mcph_tool_definition(item), names,
                          MCPH_ARRAY_SIZE(names)) ||
           mcph_walk_fits(walk, mcph_item_uri(item), MCPH_SPAN_NONE, NULL, 0);
}

static void
add_row(struct mcph_buf *rows, const mcphost_server *entry, const mcphost_tool *item,
        struct mcph_span id)
{
    static const struct mcph_walk_member members[] = {{"name", MCPH_JSON_STRING},
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
    mcph_walk_copy(rows, mcph_tool_definition(item), members, MCPH_ARRAY_SIZE(members));
    mcph_buf_addc(rows, '}');
}

/* Writes "SERVER:ID" into walk->id_buf, and returns this text.  Returns a span whose `p`
 * is NULL if the element has no id or memory is short. */
static struct mcph_span
full_id(struct mcph_walk *walk, const mcphost_server *entry, const mcphost_tool *item)
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
visit_for_list(struct mcph_walk *walk, const mcphost_server *entry,
               const mcphost_tool *item)
{
    struct mcph_span id = full_id(walk, entry, item);
    size_t begin = walk->rows.len;

    if (id.p && fits_template(walk, item, id)) {
        add_row(&walk->rows, entry, item, id);
        mcph_walk_end_row(walk, begin);
    }
    return !walk->failed;
}

int
mcph_tool_list_resources(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"serverId", "query", "kind"};
    struct mcph_span kind = MCPH_SPAN_NONE;
    struct mcph_walk *walk;
    int r = mcph_walk_begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = mcph_walk_take(walk, mcph_span(arguments, len), names,
                       (struct mcph_span *const[]){&walk->server, &walk->query, &kind},
                       3);
    walk->kinds = BOTH;
    if (kind.p)
        walk->kinds = 1u << (mcph_span_is(kind, "template") ? MCPH_LIST_TEMPLATES
                                                            : MCPH_LIST_RESOURCES);
    walk->visit = visit_for_list;
    mcph_buf_adds(&walk->rows, "{\"resources\":[");
    return mcph_walk_list(walk, r);
}

/* ---- fetch_resource ---------------------------------------------------------------- */

/* Makes a URI of a template with the call's arguments. */
static int
expand_template(struct mcph_span text, struct mcph_span values, struct mcph_buf *uri,
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
end_fetch(struct mcph_walk *walk)
{
    struct mcph_span values = mcph_json_get(
        mcph_span(walk->call->arguments, walk->call->arguments_len), "arguments");
    mcphost_error *err = NULL;
    mcphost_call *read;
    struct mcph_buf uri;
    int r = 0;

    if (walk->failed) {
        mcph_say(walk->call, true, "error: out of memory");
        return;
    }
    if (!walk->found) {
        mcph_say(walk->call, true,
                 "error: no resource has this resourceId; see list_resources");
        return;
    }
    mcph_buf_init(&uri, MCPH_URI_MAX);
    if (walk->found->block->listing->kind == MCPH_LIST_TEMPLATES)
        r = expand_template(mcph_item_uri(walk->found), values, &uri, &err);
    else if (mcph_json_count(values) > 0)
        r = mcph_err(&err, MCPHOST_E_INVALID,
                     "a resource takes no arguments, only a template does");
    else
        r = mcph_buf_add(&uri, mcph_item_uri(walk->found).p,
                         mcph_item_uri(walk->found).len);
    if (r == 0)
        r = mcph_call_make_read(walk->call->dialog, walk->found_in->name,
                                mcph_span(uri.data, uri.len), &read, &err);
    if (r == 0)
        r = mcph_fetch_start(walk->call, read);
    if (r < 0)
        mcph_say_error(walk->call, err, r);
    mcphost_error_unref(err);
    mcph_buf_done(&uri);
}

static bool
visit_for_fetch(struct mcph_walk *walk, const mcphost_server *entry,
                const mcphost_tool *item)
{
    struct mcph_span id = full_id(walk, entry, item);

    if (!id.p || !mcph_span_eq(id, walk->id))
        return !walk->failed;
    walk->found = item;
    walk->found_in = entry;
    return false;
}

int
mcph_tool_fetch_resource(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"resourceId"};
    const char *colon;
    struct mcph_walk *walk;
    int r = mcph_walk_begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = mcph_walk_take(walk, mcph_span(arguments, len), names,
                       (struct mcph_span *const[]){&walk->id}, 1);
    /* Split the text at its last colon, because a server's name may have a colon and an
     * id has no colon. */
    colon = walk->id.p ? memrchr(walk->id.p, ':', walk->id.len) : NULL;
    if (colon)
        walk->server = mcph_span(walk->id.p, (size_t)(colon - walk->id.p));
    walk->kinds = BOTH;
    walk->visit = visit_for_fetch;
    walk->end = end_fetch;
    return mcph_walk_go(walk, r);
}
