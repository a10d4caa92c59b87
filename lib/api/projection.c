/* SPDX-License-Identifier: MIT
 *
 * projection.c - the public functions of <mcphost/projection.h>, and
 * mcphost_catalog_find_projected().
 *
 * The functions check their arguments and call the code in lib/host.
 */
#include <stdlib.h>

#include "api/getter.h"
#include "host/projection.h"
#include "model/model.h"

#define NAME_MIN        16
#define NAME_MAX_OF_ALL 64

static bool
is_limit(int profile, size_t name_max)
{
    if (!name_max)
        return true;
    return profile != MCPHOST_PROFILE_IDENTITY && name_max >= NAME_MIN &&
           name_max <= NAME_MAX_OF_ALL;
}

int
mcphost_projection_new(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                       mcphost_projection **ret_projection, mcphost_error **reterr)
{
    mcphost_projection *projection;
    int r;

    if (!catalog || !ret_projection)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!mcph_model_shapes(profile))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the profile %d does not exist",
                        profile);
    if (shape < 0 || shape >= MCPH_N_SHAPES || !(mcph_model_shapes(profile) >> shape & 1))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "shape %d cannot be used with profile %d", shape, profile);
    if (!is_limit(profile, name_max))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "names cannot be limited to %zu bytes with profile %d", name_max,
                        profile);
    r = mcph_project(catalog, shape, profile, name_max, &projection);
    if (r < 0)
        return mcph_err(reterr, r, "the projection: %s", mcphost_strerror(r));
    *ret_projection = mcphost_projection_ref(projection);
    return 0;
}

mcphost_projection *
mcphost_projection_ref(mcphost_projection *projection)
{
    if (projection)
        mcph_catalog_ref(projection->catalog);
    return projection;
}

mcphost_projection *
mcphost_projection_unref(mcphost_projection *projection)
{
    if (projection)
        mcph_catalog_unref(projection->catalog);
    return NULL;
}

const char *
mcphost_projection_get_json(const mcphost_projection *projection, size_t *ret_len)
{
    if (ret_len)
        *ret_len = projection ? projection->json.len : 0;
    return projection ? projection->json.p : NULL;
}

MCPH_GETTER(size_t, mcphost_projection_count_problems, const mcphost_projection *,
            self->problems.n)
MCPH_GETTER_AT(mcphost_problem *, mcphost_projection_get_problem,
               const mcphost_projection *, self->problems.n, self->problems.items[index])

/* ---- names and arguments of the model ---------------------------------------------- */

const char *
mcphost_projection_get_name(const mcphost_projection *projection,
                            const mcphost_tool *tool)
{
    const struct mcph_projected *projected;
    const char *own;

    if (!projection || !tool)
        return NULL;
    own = mcph_tool_name(tool);
    if (!projection->tools)
        return mcph_catalog_find(projection->catalog, own, strlen(own)) == tool ? own
                                                                                : NULL;
    projected = mcph_map_get(&projection->by_own, own, strlen(own));
    return projected && projected->tool == tool ? projected->name : NULL;
}

mcphost_tool *
mcphost_projection_find_tool(const mcphost_projection *projection, const char *name)
{
    const struct mcph_projected *projected;

    if (!projection || !name)
        return NULL;
    if (!projection->tools)
        return mcph_catalog_find(projection->catalog, name, strlen(name));
    projected = mcph_map_get(&projection->by_name, name, strlen(name));
    return projected ? projected->tool : NULL;
}

mcphost_tool *
mcphost_catalog_find_projected(mcphost_catalog *catalog, int profile, size_t name_max,
                               const char *name)
{
    mcphost_projection *projection;
    unsigned shapes = mcph_model_shapes(profile);

    if (!catalog || !name || !shapes || !is_limit(profile, name_max))
        return NULL;
    if (mcph_project(catalog, __builtin_ctz(shapes), profile, name_max, &projection) < 0)
        return NULL;
    return mcphost_projection_find_tool(projection, name);
}

int
mcphost_projection_restore_arguments(const mcphost_projection *projection,
                                     const mcphost_tool *tool, const char *json,
                                     size_t len, char **ret_json, size_t *ret_len,
                                     mcphost_error **reterr)
{
    struct mcph_span value;
    struct mcph_buf buf;
    char *restored;
    size_t restored_len;
    int r;

    if (!projection || !tool || !json || !ret_json || !ret_len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!mcphost_projection_get_name(projection, tool))
        return mcph_err(reterr, MCPHOST_E_NOTFOUND, "tool '%s' is not in the list",
                        mcph_tool_name(tool));
    r = mcph_json_check_input(mcph_span(json, len), 0, MCPH_JSON_OBJECT, "arguments",
                              &value, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, SIZE_MAX / 2);
    if (projection->profile != MCPHOST_PROFILE_IDENTITY)
        r = mcph_model_restore(projection->profile, mcph_tool_input_schema(tool), value,
                               &buf);
    else
        r = mcph_buf_add(&buf, value.p, value.len);
    restored = r == 0 ? mcph_buf_steal(&buf, &restored_len) : NULL;
    mcph_buf_done(&buf);
    if (!restored)
        return mcph_err_nomem(reterr);
    *ret_json = restored;
    *ret_len = restored_len;
    return 0;
}
