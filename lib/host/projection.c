/* SPDX-License-Identifier: MIT
 *
 * projection.c - projections: the tools of a catalog in the form that a model provider
 * accepts, made once.
 *
 * A projection lives as long as its catalog.  If two threads make the same projection at
 * once, the later projection is discarded.  The same tools give the same bytes (R58),
 * because the catalog's tools never change (R56) and no data of a host is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/projection.h"
#include "journal/journal.h"
#include "model/model.h"

#define LIST_MAX ((size_t)256 * 1024 * 1024)
#define ROUNDS   10

static void
drop_projections(struct mcph_catalog_kept *kept)
{
    mcphost_projection *p = MCPH_CONTAINER_OF(kept, mcphost_projection, kept);

    for (size_t i = 0; p->tools && i < p->catalog->n_tools; i++)
        free(p->tools[i].made);
    for (size_t i = 0; i < p->problems.n; i++)
        mcphost_problem_unref(p->problems.items[i]);
    mcph_vec_done(&p->problems);
    mcph_map_done(&p->by_name);
    mcph_map_done(&p->by_own);
    free(p->tools);
    free(p->made);
    free(p);
}

/* ---- problems ---------------------------------------------------------------------- */

static char *
make_detail(const mcphost_tool *tool, const char *profile, const char *why)
{
    const char *server = mcph_tool_server_id(tool);
    struct mcph_buf buf;
    char *detail;

    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_buf_addc(&buf, '{');
    if (server)
        mcph_json_add_member(&buf, "serverId", server);
    mcph_json_add_member(&buf, "toolName", mcph_tool_name(tool));
    mcph_json_add_member(&buf, "profile", profile);
    mcph_json_add_member(&buf, "reason", why);
    mcph_buf_addc(&buf, '}');
    detail = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return detail;
}

enum lack { EXCLUDED, REDUCED, NOT_STRICT };

static int
note_lack(mcphost_projection *p, const mcphost_tool *tool, enum lack lack,
          const char *why)
{
    static const char *const whats[] = {"excluded", "reduced", "not_strict"};
    static const char *const says_all[] = {"left out", "shortened", "not sent as strict"};
    const char *what = whats[lack], *says = says_all[lack],
               *profile = mcphost_enum_get_name(MCPHOST_ENUM_PROFILE, p->profile),
               *name = mcph_tool_name(tool);
    char *id = mcph_asprintf("mcp/projection/%s/%s/%s", profile, what, name),
         *kind = mcph_asprintf("mcp_tool_projection_%s", what),
         *message = mcph_asprintf("tool '%s' is %s for %s: %s", name, says, profile, why),
         *detail = make_detail(tool, profile, why);
    struct mcph_problem_draft draft = {
        .id = id,
        .kind = kind,
        .server = mcph_tool_server_id(tool),
        .message = message,
        .detail = detail,
        .severity = lack == EXCLUDED ? MCPHOST_SEVERITY_WARNING : MCPHOST_SEVERITY_INFO};
    mcphost_problem *problem = kind && detail ? mcph_problem_new(&draft) : NULL;
    int r = problem ? mcph_vec_add(&p->problems, problem) : MCPHOST_E_NOMEM;

    if (r < 0)
        mcphost_problem_unref(problem);
    free(id);
    free(kind);
    free(message);
    free(detail);
    return r;
}

/* ---- names ------------------------------------------------------------------------- */

static int
compare_names(const void *a, const void *b)
{
    const struct mcph_projected *const *x = a, *const *y = b;

    return strcmp(mcph_tool_name((*x)->tool), mcph_tool_name((*y)->tool));
}

/* Gives the tool a new name that no other tool of the catalog or of the list has.  If no
 * name is found, notes that the tool is left out. */
static int
rename_tool(mcphost_projection *p, struct mcph_projected *tool)
{
    const char *own = mcph_tool_name(tool->tool);
    char name[MCPH_PROJECTED_NAME];

    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t len;

        (void)mcph_model_tool_name(p->profile, p->name_max, own, round, name);
        len = strlen(name);
        if (mcph_catalog_find(p->catalog, name, len) ||
            mcph_map_get(&p->by_name, name, len))
            continue;
        tool->made = mcph_strdup(name);
        tool->name = tool->made;
        return tool->made ? mcph_map_put(&p->by_name, tool->made, len, tool, NULL)
                          : MCPHOST_E_NOMEM;
    }
    return note_lack(p, tool->tool, EXCLUDED, "every usable name is already taken");
}

/* Names the tools.  The names do not depend on the order of the tools, because tools
 * whose names must change are named last, in the order of their names. */
static int
name_tools(mcphost_projection *p)
{
    size_t n = p->catalog->n_tools, n_changed = 0;
    struct mcph_projected **changed = calloc(n + 1, sizeof(struct mcph_projected *));
    char name[MCPH_PROJECTED_NAME];
    int r = changed ? 0 : MCPHOST_E_NOMEM;

    for (size_t i = 0; i < n && r >= 0; i++) {
        struct mcph_projected *tool = &p->tools[i];
        const char *own = mcph_tool_name(p->catalog->tools[i]);

        tool->tool = p->catalog->tools[i];
        r = mcph_map_put(&p->by_own, own, strlen(own), tool, NULL);
        if (r < 0)
            break;
        if (mcph_model_tool_name(p->profile, p->name_max, own, 0, name)) {
            changed[n_changed++] = tool;
        } else {
            tool->name = own;
            r = mcph_map_put(&p->by_name, own, strlen(own), tool, NULL);
        }
    }
    if (r >= 0 && n_changed)
        qsort(changed, n_changed, sizeof(*changed), compare_names);
    for (size_t i = 0; i < n_changed && r >= 0; i++)
        r = rename_tool(p, changed[i]);
    free(changed);
    return r < 0 ? r : 0;
}

/* ---- the list ---------------------------------------------------------------------- */

static int
add_tool(mcphost_projection *p, struct mcph_projected *tool, struct mcph_buf *schema,
         struct mcph_buf *list)
{
    struct mcph_function function = {.shape = p->shape,
                                     .profile = p->profile,
                                     .name = tool->name,
                                     .title = mcph_tool_title(tool->tool),
                                     .description = mcph_tool_description(tool->tool)};
    char why[MCPH_PROJECT_WHY], cut[MCPH_PROJECT_WHY];
    size_t max;
    int r;

    if (!tool->name)
        return 0;
    mcph_buf_clear(schema);
    r = mcph_model_project(p->profile, mcph_tool_input_schema(tool->tool), schema,
                           &function.flags, why);
    if (r == MCPHOST_E_LIMIT) {
        (void)mcph_map_remove(&p->by_name, tool->name, strlen(tool->name));
        tool->name = NULL;
        return note_lack(p, tool->tool, EXCLUDED, why);
    }
    if (r < 0)
        return r;
    function.schema = mcph_span(schema->data, schema->len);
    r = mcph_model_add_function(&function, list, &max);
    if (r > 0) {
        snprintf(cut, sizeof(cut), "its description is cut to %zu characters", max);
        r = note_lack(p, tool->tool, REDUCED, cut);
    }
    if (r == 0 && function.flags & MCPH_PROJECT_LOOSE)
        r = note_lack(p, tool->tool, NOT_STRICT, why);
    return r;
}

static int
fill_projection(mcphost_projection *p)
{
    struct mcph_buf schema, list;
    int r;

    if (p->profile == MCPHOST_PROFILE_IDENTITY)
        return mcph_catalog_json(p->catalog, MCPH_LIST_TOOLS, p->shape, NULL, &p->json);
    mcph_buf_init(&schema, LIST_MAX);
    mcph_buf_init(&list, LIST_MAX);
    p->tools = calloc(p->catalog->n_tools + 1, sizeof(*p->tools));
    r = p->tools ? name_tools(p) : MCPHOST_E_NOMEM;
    mcph_buf_addc(&list, '[');
    for (size_t i = 0; i < p->catalog->n_tools && r == 0; i++)
        r = add_tool(p, &p->tools[i], &schema, &list);
    mcph_buf_addc(&list, ']');
    if (r == 0)
        p->made = mcph_buf_steal(&list, &p->json.len);
    if (r == 0 && !p->made)
        r = MCPHOST_E_NOMEM;
    p->json.p = p->made;
    mcph_buf_done(&schema);
    mcph_buf_done(&list);
    return r;
}

static mcphost_projection *
find_projection(struct mcph_catalog_kept *kept, int shape, int profile, size_t name_max)
{
    for (; kept; kept = kept->next) {
        mcphost_projection *p = MCPH_CONTAINER_OF(kept, mcphost_projection, kept);

        if (p->shape == shape && p->profile == profile && p->name_max == name_max)
            return p;
    }
    return NULL;
}

int
mcph_project(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
             mcphost_projection **ret)
{
    struct mcph_catalog_kept *head =
        atomic_load_explicit(&catalog->kept, memory_order_acquire);
    mcphost_projection *p = find_projection(head, shape, profile, name_max), *other;
    int r;

    if (p) {
        *ret = p;
        return 0;
    }
    p = calloc(1, sizeof(*p));
    if (!p)
        return MCPHOST_E_NOMEM;
    p->kept.drop = drop_projections;
    p->catalog = catalog;
    p->shape = shape;
    p->profile = profile;
    p->name_max = name_max;
    r = fill_projection(p);
    if (r < 0) {
        drop_projections(&p->kept);
        return r;
    }
    do {
        other = find_projection(head, shape, profile, name_max);
        if (other) {
            drop_projections(&p->kept);
            *ret = other;
            return 0;
        }
        p->kept.next = head;
    } while (!atomic_compare_exchange_weak_explicit(
        &catalog->kept, &head, &p->kept, memory_order_acq_rel, memory_order_acquire));
    *ret = p;
    return 0;
}

static const mcphost_projection *
projection_of(const struct mcph_catalog_kept *kept)
{
    return kept ? MCPH_CONTAINER_OF(kept, mcphost_projection, kept) : NULL;
}

const mcphost_projection *
mcph_projection_last(mcphost_catalog *catalog)
{
    return projection_of(atomic_load_explicit(&catalog->kept, memory_order_acquire));
}

const mcphost_projection *
mcph_projection_before(const mcphost_projection *projection)
{
    return projection_of(projection->kept.next);
}
