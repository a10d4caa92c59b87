/* SPDX-License-Identifier: MIT
 *
 * builtin.c - built-in tools and the blocks of built-in tools (R27, R211).
 *
 * Catalogs list these blocks beside the tools of servers.  A tool is checked once, when
 * the tool is made.  A view later compares only names.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "host/builtin.h"
#include "schema/schema.h"

#define DEFINITION_MAX ((size_t)4 * 1024 * 1024)

struct set {
    char *name, *description;
    struct mcph_vec tools; /* char *: the names of the tools of the set */
};

/* ---- a tool ------------------------------------------------------------------------ */

struct mcph_builtin *
mcph_builtin_ref(struct mcph_builtin *tool)
{
    mcph_refs_get(&tool->refs);
    return tool;
}

void
mcph_builtin_unref(struct mcph_builtin *tool)
{
    if (!tool || !mcph_refs_put(&tool->refs))
        return;
    if (tool->free_arg)
        tool->free_arg(tool->arg);
    free(tool->name);
    free(tool->definition);
    free(tool);
}

/* Allocates a tool.  Takes over how->arg, also on failure. */
static struct mcph_builtin *
start_builtin(const struct mcph_builtin *how)
{
    struct mcph_builtin *tool = malloc(sizeof(*tool));

    if (!tool) {
        if (how->free_arg)
            how->free_arg(how->arg);
        return NULL;
    }
    *tool = *how;
    tool->name = tool->definition = NULL;
    mcph_refs_init(&tool->refs);
    return tool;
}

static int
check_schemas(const mcphost_tool *tool, mcphost_error **reterr)
{
    int64_t steps = mcph_option_find(MCPHOST_OPT_SCHEMA_STEPS)->fallback;
    mcphost_schema *schema;
    int r = mcph_tool_schema(tool, MCPH_TOOL_INPUT, steps, &schema, reterr);

    return r < 0 ? r : mcph_tool_schema(tool, MCPH_TOOL_OUTPUT, steps, &schema, reterr);
}

static int
keep_definition(struct mcph_builtin *tool, const char *name, struct mcph_span definition,
                mcphost_error **reterr)
{
    tool->name = mcph_strdup(name);
    tool->definition = mcph_strndup(definition.p, definition.len);
    tool->definition_len = definition.len;
    return tool->name && tool->definition ? 0 : mcph_err_nomem(reterr);
}

/* Checks the definition in a temporary block, and keeps a copy of the definition. */
static int
take_definition(struct mcph_builtin *tool, struct mcph_span definition,
                mcphost_error **reterr)
{
    struct mcph_block *block = NULL;
    int r;

    if (definition.len > DEFINITION_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the definition of a tool is longer than %zu bytes",
                        DEFINITION_MAX);
    r = mcph_block_new_builtin("", &definition, 1, NULL, 0, &block, reterr);
    if (r < 0)
        return r;
    r = check_schemas(&block->items[0], reterr);
    if (r == 0)
        r = keep_definition(tool, mcph_tool_name(&block->items[0]), definition, reterr);
    mcph_block_unref(block);
    return r;
}

/* Makes a tool.  `own_name` is the name of a tool of mcp_admin, or NULL for any other
 * tool.  The definition of a tool of mcp_admin needs no check. */
static int
make_builtin(const char *own_name, struct mcph_span definition,
             const struct mcph_builtin *how, struct mcph_builtin **ret,
             mcphost_error **reterr)
{
    struct mcph_builtin *tool = start_builtin(how);
    int r;

    if (!tool)
        return mcph_err_nomem(reterr);
    r = own_name ? keep_definition(tool, own_name, definition, reterr)
                 : take_definition(tool, definition, reterr);
    if (r < 0)
        mcph_builtin_unref(tool);
    else
        *ret = tool;
    return r;
}

int
mcph_builtin_new(struct mcph_span definition, const struct mcph_builtin *how,
                 struct mcph_builtin **ret, mcphost_error **reterr)
{
    return make_builtin(NULL, definition, how, ret, reterr);
}

/* Checks that `json` is an object, and adds the object to a definition as the member
 * `key`. */
static int
add_object(struct mcph_buf *buf, const char *key, const char *json,
           const struct mcph_builtin_draft *draft, mcphost_error **reterr)
{
    struct mcph_span object;
    char *what = mcph_asprintf("%s of tool '%s'", key, draft->name);
    int r;

    if (!what)
        return mcph_err_nomem(reterr);
    r = mcph_json_check_input(mcph_span_str(json), 0, MCPH_JSON_OBJECT, what, &object,
                              reterr);
    free(what);
    if (r < 0)
        return r;
    mcph_json_add_key(buf, key);
    mcph_json_add_span(buf, object);
    return 0;
}

static int
write_draft(const struct mcph_builtin_draft *draft, struct mcph_buf *buf,
            mcphost_error **reterr)
{
    int r;

    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", draft->name);
    if (draft->description)
        mcph_json_add_member(buf, "description", draft->description);
    r = add_object(buf, "inputSchema", draft->schema, draft, reterr);
    if (r == 0 && draft->annotations)
        r = add_object(buf, "annotations", draft->annotations, draft, reterr);
    mcph_buf_addc(buf, '}');
    if (r < 0)
        return r;
    r = mcph_buf_ok(buf);
    return r < 0 ? mcph_err(reterr, r, "the definition of tool '%.64s': %s", draft->name,
                            mcphost_strerror(r))
                 : 0;
}

int
mcph_builtin_new_draft(const struct mcph_builtin_draft *draft,
                       const struct mcph_builtin *how, struct mcph_builtin **ret,
                       mcphost_error **reterr)
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, 2 * DEFINITION_MAX);
    r = write_draft(draft, &buf, reterr);
    if (r == 0)
        r = make_builtin(how->own ? draft->name : NULL, mcph_span(buf.data, buf.len), how,
                         ret, reterr);
    else if (how->free_arg)
        how->free_arg(how->arg);
    mcph_buf_done(&buf);
    return r;
}

/* ---- a block ----------------------------------------------------------------------- */

static void
set_free(struct set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->tools.n; i++)
        free(set->tools.items[i]);
    mcph_vec_done(&set->tools);
    free(set->name);
    free(set->description);
    free(set);
}

int
mcph_builtins_new(const char *owner, mcphost_builtins **ret)
{
    mcphost_builtins *builtins = calloc(1, sizeof(*builtins));

    if (!builtins)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&builtins->refs);
    builtins->owner = mcph_strdup(owner);
    if (!builtins->owner) {
        mcph_builtins_unref(builtins);
        return MCPHOST_E_NOMEM;
    }
    *ret = builtins;
    return 0;
}

mcphost_builtins *
mcph_builtins_ref(mcphost_builtins *builtins)
{
    if (builtins)
        mcph_refs_get(&builtins->refs);
    return builtins;
}

void
mcph_builtins_unref(mcphost_builtins *builtins)
{
    if (!builtins || !mcph_refs_put(&builtins->refs))
        return;
    for (size_t i = 0; i < builtins->tools.n; i++)
        mcph_builtin_unref(builtins->tools.items[i]);
    mcph_vec_done(&builtins->tools);
    for (size_t i = 0; i < builtins->sets.n; i++)
        set_free(builtins->sets.items[i]);
    mcph_vec_done(&builtins->sets);
    free(builtins->owner);
    free(builtins);
}

static struct mcph_builtin *
find_tool(const mcphost_builtins *builtins, const char *name)
{
    for (size_t i = 0; i < builtins->tools.n; i++) {
        struct mcph_builtin *tool = builtins->tools.items[i];

        if (strcmp(tool->name, name) == 0)
            return tool;
    }
    return NULL;
}

static struct set *
find_set(const mcphost_builtins *builtins, const char *name)
{
    for (size_t i = 0; i < builtins->sets.n; i++) {
        struct set *set = builtins->sets.items[i];

        if (strcmp(set->name, name) == 0)
            return set;
    }
    return NULL;
}

static int
refuse_frozen(const mcphost_builtins *builtins, mcphost_error **reterr)
{
    return atomic_load(&builtins->frozen) ? mcph_err(reterr, MCPHOST_E_STATE,
                                                     "a view already shows the built-ins "
                                                     "of '%s', so they cannot be changed",
                                                     builtins->owner)
                                          : 0;
}

int
mcph_builtins_add(mcphost_builtins *builtins, struct mcph_builtin *tool,
                  mcphost_error **reterr)
{
    int r = refuse_frozen(builtins, reterr);

    if (r < 0)
        return r;
    if (find_tool(builtins, tool->name))
        return mcph_err(reterr, MCPHOST_E_EXISTS, "there is a built-in tool '%s' already",
                        tool->name);
    if (mcph_vec_add(&builtins->tools, tool) < 0)
        return mcph_err_nomem(reterr);
    mcph_builtin_ref(tool);
    return 0;
}

static bool
has_name(const struct mcph_vec *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

static int
add_name(struct mcph_vec *names, const char *name)
{
    char *copy = mcph_strdup(name);

    if (copy && mcph_vec_add(names, copy) == 0)
        return 0;
    free(copy);
    return MCPHOST_E_NOMEM;
}

static int
fill_set(const mcphost_builtins *builtins, struct set *set, const char *const *tools,
         size_t n, mcphost_error **reterr)
{
    for (size_t i = 0; i < n; i++) {
        if (!find_tool(builtins, tools[i]))
            return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                            "toolset '%s': there is no tool '%s'", set->name, tools[i]);
        if (has_name(&set->tools, tools[i]))
            return mcph_err(reterr, MCPHOST_E_INVALID, "toolset '%s' has tool '%s' twice",
                            set->name, tools[i]);
        if (add_name(&set->tools, tools[i]) < 0)
            return mcph_err_nomem(reterr);
    }
    return 0;
}

int
mcph_builtins_add_set(mcphost_builtins *builtins, const char *name,
                      const char *description, const char *const *tools, size_t n,
                      mcphost_error **reterr)
{
    int r = refuse_frozen(builtins, reterr);
    struct set *set;

    if (r < 0)
        return r;
    if (!*name)
        return mcph_err(reterr, MCPHOST_E_INVALID, "a toolset needs a name");
    if (find_set(builtins, name))
        return mcph_err(reterr, MCPHOST_E_EXISTS, "two toolsets are named '%s'", name);
    set = calloc(1, sizeof(*set));
    if (!set)
        return mcph_err_nomem(reterr);
    set->name = mcph_strdup(name);
    set->description = description ? mcph_strdup(description) : NULL;
    r = set->name && (set->description || !description)
            ? fill_set(builtins, set, tools, n, reterr)
            : mcph_err_nomem(reterr);
    if (r == 0 && mcph_vec_add(&builtins->sets, set) < 0)
        r = mcph_err_nomem(reterr);
    if (r < 0)
        set_free(set);
    return r;
}

/* ---- the block for catalogs -------------------------------------------------------- */

static bool
has_toolset(const mcphost_builtins *builtins, const struct mcph_builtin *tool)
{
    for (size_t i = 0; i < builtins->sets.n; i++) {
        const struct set *set = builtins->sets.items[i];

        if (has_name(&set->tools, tool->name))
            return true;
    }
    return false;
}

static int
take_tools(const mcphost_builtins *builtins, struct mcph_span *definitions,
           mcphost_error **reterr)
{
    for (size_t i = 0; i < builtins->tools.n; i++) {
        const struct mcph_builtin *tool = builtins->tools.items[i];

        if (!has_toolset(builtins, tool))
            return mcph_err(reterr, MCPHOST_E_INVALID, "tool '%s' belongs to no toolset",
                            tool->name);
        definitions[i] = mcph_span(tool->definition, tool->definition_len);
    }
    return 0;
}

static void
take_sets(const mcphost_builtins *builtins, struct mcph_toolset_draft *drafts)
{
    for (size_t i = 0; i < builtins->sets.n; i++) {
        const struct set *set = builtins->sets.items[i];

        drafts[i] = (struct mcph_toolset_draft){
            .name = set->name,
            .description = set->description,
            .tools = (const char *const *)set->tools.items,
            .n_tools = set->tools.n,
        };
    }
}

int
mcph_builtins_make_block(mcphost_builtins *builtins, const void *realm,
                         struct mcph_block **ret, mcphost_error **reterr)
{
    size_t n = builtins->tools.n, n_sets = builtins->sets.n;
    struct mcph_span *definitions = calloc(n + 1, sizeof(*definitions));
    struct mcph_toolset_draft *drafts = calloc(n_sets + 1, sizeof(*drafts));
    int r = definitions && drafts ? take_tools(builtins, definitions, reterr)
                                  : mcph_err_nomem(reterr);

    if (r == 0) {
        take_sets(builtins, drafts);
        r = mcph_block_new_builtin(builtins->owner, definitions, n, drafts, n_sets, ret,
                                   reterr);
    }
    if (r == 0)
        (*ret)->realm = realm;
    free(definitions);
    free(drafts);
    return r;
}

/* ---- copies with one change -------------------------------------------------------- */

static int
copy_set(mcphost_builtins *to, const struct set *set, const char *without)
{
    const char **names = calloc(set->tools.n + 1, sizeof(*names));
    size_t n = 0;
    int r = 0;

    if (!names)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < set->tools.n; i++) {
        const char *name = set->tools.items[i];

        if (!without || strcmp(name, without) != 0)
            names[n++] = name;
    }
    if (n > 0)
        r = mcph_builtins_add_set(to, set->name, set->description, names, n, NULL);
    free((void *)names);
    return r;
}

int
mcph_builtins_copy(const mcphost_builtins *from, const char *without,
                   mcphost_builtins **ret)
{
    mcphost_builtins *copy = NULL;
    int r = mcph_builtins_new(from ? from->owner : "", &copy);

    for (size_t i = 0; from && i < from->tools.n && r == 0; i++) {
        struct mcph_builtin *tool = from->tools.items[i];

        if (!without || strcmp(tool->name, without) != 0)
            r = mcph_builtins_add(copy, tool, NULL);
    }
    for (size_t i = 0; from && i < from->sets.n && r == 0; i++)
        r = copy_set(copy, from->sets.items[i], without);
    if (r < 0)
        mcph_builtins_unref(copy);
    else
        *ret = copy;
    return r;
}

int
mcph_builtins_put_in(mcphost_builtins *builtins, const char *toolset, const char *name,
                     mcphost_error **reterr)
{
    struct set *set = find_set(builtins, toolset);

    if (!set)
        return mcph_builtins_add_set(builtins, toolset, NULL, &name, 1, reterr);
    return add_name(&set->tools, name) < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_builtins_describe(mcphost_builtins *builtins, const char *toolset, const char *text,
                       mcphost_error **reterr)
{
    struct set *set = find_set(builtins, toolset);
    char *copy = text ? mcph_strdup(text) : NULL;

    if (text && !copy)
        return mcph_err_nomem(reterr);
    if (!set) {
        free(copy);
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "mcphost_view_add_builtin() has not made a toolset '%s'",
                        toolset);
    }
    free(set->description);
    set->description = copy;
    return 0;
}

bool
mcph_builtins_has(const mcphost_builtins *builtins, const char *name)
{
    return builtins && find_tool(builtins, name);
}
