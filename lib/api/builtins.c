/* SPDX-License-Identifier: MIT
 *
 * builtins.c - the public functions of <mcphost/builtins.h>.
 */
#include <string.h>

#include "api/getter.h"
#include "host/builtin.h"

static int
refuse_null(mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
}

int
mcphost_builtins_new(const char *owner, mcphost_builtins **ret_builtins,
                     mcphost_error **reterr)
{
    if (!owner || !ret_builtins)
        return refuse_null(reterr);
    if (!*owner || !mcph_utf8_is_text(owner))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the owner of the built-ins is empty or not UTF-8");
    return mcph_builtins_new(owner, ret_builtins) < 0 ? mcph_err_nomem(reterr) : 0;
}

mcphost_builtins *
mcphost_builtins_ref(mcphost_builtins *builtins)
{
    return mcph_builtins_ref(builtins);
}

mcphost_builtins *
mcphost_builtins_unref(mcphost_builtins *builtins)
{
    mcph_builtins_unref(builtins);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_builtins_get_owner, const mcphost_builtins *,
            self->owner)

int
mcphost_builtins_add_tool(mcphost_builtins *builtins, const char *definition, size_t len,
                          mcphost_builtin_fn fn, void *arg, mcphost_free_fn free_arg,
                          mcphost_error **reterr)
{
    const struct mcph_builtin how = {.fn = fn, .arg = arg, .free_arg = free_arg};
    struct mcph_builtin *tool = NULL;
    int r;

    if (!builtins || !definition || !fn) {
        if (free_arg)
            free_arg(arg);
        return refuse_null(reterr);
    }
    r = mcph_builtin_new(mcph_span(definition, len), &how, &tool, reterr);
    if (r == 0)
        r = mcph_builtins_add(builtins, tool, reterr);
    mcph_builtin_unref(tool);
    return r;
}

int
mcphost_builtins_add_toolset(mcphost_builtins *builtins, const char *toolset,
                             const char *description, const char *const *tools,
                             size_t n_tools, mcphost_error **reterr)
{
    if (!builtins || !toolset || (!tools && n_tools))
        return refuse_null(reterr);
    for (size_t i = 0; i < n_tools; i++) {
        if (!tools[i])
            return refuse_null(reterr);
    }
    if (!mcph_utf8_is_text(toolset) || (description && !mcph_utf8_is_text(description)))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the toolset's name or description is not UTF-8");
    return mcph_builtins_add_set(builtins, toolset,
                                 description && *description ? description : NULL, tools,
                                 n_tools, reterr);
}
