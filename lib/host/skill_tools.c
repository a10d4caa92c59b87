/* SPDX-License-Identifier: MIT
 *
 * skill_tools.c - list_skills and read_skill: the built-in tools by which a model finds
 * skills and reads their files.
 *
 * A skill is identified by its server and its URI, because two skills may have the same
 * name.
 */
#include <string.h>

#include "host/builtin.h"
#include "host/walk.h"

/* ---- list_skills ------------------------------------------------------------------- */

static bool
visit_tool(struct mcph_walk *walk, const mcphost_server *entry, const mcphost_tool *item)
{
    static const char *const names[] = {"name", "description"};
    static const struct mcph_walk_member members[] = {{"name", MCPH_JSON_STRING},
                                                      {"description", MCPH_JSON_STRING}};
    struct mcph_span front = mcph_tool_member(item, "frontmatter");
    struct mcph_span uri = mcph_item_uri(item);
    struct mcph_buf *rows = &walk->rows;
    size_t begin = rows->len;

    if (!mcph_walk_fits(walk, uri, front, names, MCPH_ARRAY_SIZE(names)))
        return !walk->failed;
    mcph_json_add_comma(rows);
    mcph_buf_addc(rows, '{');
    mcph_json_add_member(rows, "serverId", entry->name);
    mcph_json_add_key(rows, "uri");
    mcph_json_add_string(rows, uri.p, uri.len);
    mcph_walk_copy(rows, front, members, MCPH_ARRAY_SIZE(members));
    mcph_buf_addc(rows, '}');
    mcph_walk_end_row(walk, begin);
    return true;
}

int
mcph_tool_list_skills(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"serverId", "query"};
    struct mcph_walk *walk;
    int r = mcph_walk_begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = mcph_walk_take(walk, mcph_span(arguments, len), names,
                       (struct mcph_span *const[]){&walk->server, &walk->query}, 2);
    walk->kinds = 1u << MCPH_LIST_SKILLS;
    walk->visit = visit_tool;
    mcph_buf_adds(&walk->rows, "{\"skills\":[");
    return mcph_walk_list(walk, r);
}

/* ---- read_skill -------------------------------------------------------------------- */

static int
make_read(const struct mcph_walk *walk, struct mcph_span file, mcphost_call **ret,
          mcphost_error **reterr)
{
    const mcphost_tool *skill = mcph_catalog_find_uri(walk->catalog, MCPH_LIST_SKILLS,
                                                      walk->server.p, walk->id.p);

    if (!skill || strlen(walk->id.p) != walk->id.len)
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "this server has no skill with this uri; see list_skills");
    if (file.p && strlen(file.p) != file.len)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the name of the file has a NUL character");
    return mcph_call_make_skill_file(walk->call->dialog, walk->server.p,
                                     mcph_tool_definition(skill), file.p, ret, reterr);
}

int
mcph_tool_read_skill(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char *const names[] = {"serverId", "uri", "file"};
    struct mcph_span file = MCPH_SPAN_NONE;
    mcphost_error *err = NULL;
    struct mcph_walk *walk;
    mcphost_call *read;
    int r = mcph_walk_begin(call, &walk);

    (void)arg;
    if (r < 0)
        return r;
    r = mcph_walk_take(walk, mcph_span(arguments, len), names,
                       (struct mcph_span *const[]){&walk->server, &walk->id, &file}, 3);
    if (r == 0)
        r = make_read(walk, file, &read, &err);
    if (r == 0)
        r = mcph_fetch_start(call, read);
    if (r < 0)
        mcph_say_error(call, err, r);
    mcphost_error_unref(err);
    mcph_walk_free(walk);
    return 0;
}
