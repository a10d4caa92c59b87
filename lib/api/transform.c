/* SPDX-License-Identifier: MIT
 *
 * transform.c - the public functions of <mcphost/transform.h>.
 *
 * The functions check their arguments and call the code in lib/names.
 */
#include <string.h>

#include "names/names.h"

/* The limit in bytes of a name that mcphost_transform_apply() makes. */
#define RESULT_MAX ((size_t)4 * 1024 * 1024)

int
mcphost_transform_new(mcphost_transform **ret_transform)
{
    mcphost_transform *transform;

    if (!ret_transform)
        return MCPHOST_E_INVALID;
    transform = mcph_transform_new();
    if (!transform)
        return MCPHOST_E_NOMEM;
    *ret_transform = transform;
    return 0;
}

mcphost_transform *
mcphost_transform_ref(mcphost_transform *transform)
{
    if (transform)
        mcph_refs_get(&transform->refs);
    return transform;
}

mcphost_transform *
mcphost_transform_unref(mcphost_transform *transform)
{
    return mcph_transform_unref(transform);
}

int
mcphost_transform_add_prefix(mcphost_transform *transform, const char *prefix)
{
    if (!transform || !mcph_utf8_is_text(prefix))
        return MCPHOST_E_INVALID;
    return mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, prefix, strlen(prefix),
                              NULL, 0);
}

int
mcphost_transform_add_prefix_replace(mcphost_transform *transform, const char *remove,
                                     const char *add)
{
    if (!transform || !mcph_utf8_is_text(remove) || !mcph_utf8_is_text(add))
        return MCPHOST_E_INVALID;
    return mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, add, strlen(add), remove,
                              strlen(remove));
}

int
mcphost_transform_add_suffix(mcphost_transform *transform, const char *suffix)
{
    if (!transform || !mcph_utf8_is_text(suffix))
        return MCPHOST_E_INVALID;
    return mcph_transform_add(transform, MCPH_TRANSFORM_SUFFIX, suffix, strlen(suffix),
                              NULL, 0);
}

int
mcphost_transform_add_map(mcphost_transform *transform, const char *replacement)
{
    if (!transform || !replacement ||
        (strcmp(replacement, "_") != 0 && strcmp(replacement, "-") != 0))
        return MCPHOST_E_INVALID;
    return mcph_transform_add(transform, MCPH_TRANSFORM_MAP, replacement, 1, NULL, 0);
}

int
mcphost_transform_apply(mcphost_transform *transform, const char *name, char *ret_name,
                        size_t size)
{
    struct mcph_buf buf;
    int r;

    if (!transform || !mcph_utf8_is_text(name) || (!ret_name && size > 0))
        return MCPHOST_E_INVALID;
    mcph_transform_freeze(transform);
    mcph_buf_init(&buf, RESULT_MAX);
    r = mcph_transform_apply(transform, name, strlen(name), false, &buf);
    if (r == 0) {
        r = (int)buf.len;
        if (buf.len < size) {
            if (buf.len > 0)
                memcpy(ret_name, buf.data, buf.len);
            ret_name[buf.len] = '\0';
        }
    }
    mcph_buf_done(&buf);
    return r;
}
