/* SPDX-License-Identifier: MIT
 *
 * spec.c - the spec of one server, in the same form for every source.
 *
 * One thread fills a spec and seals it.  A sealed spec is immutable and shared.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

struct mcph_spec *
mcph_spec_new(const char *id, const char *source)
{
    struct mcph_spec *spec = calloc(1, sizeof(*spec));

    if (!spec)
        return NULL;
    mcph_refs_init(&spec->refs);
    mcph_keys_init(spec);
    spec->id = mcph_strdup(id);
    spec->source = mcph_strdup(source);
    if (!spec->id || !spec->source)
        return mcph_spec_unref(spec);
    return spec;
}

struct mcph_spec *
mcph_spec_ref(struct mcph_spec *spec)
{
    if (spec)
        mcph_refs_get(&spec->refs);
    return spec;
}

struct mcph_spec *
mcph_spec_unref(struct mcph_spec *spec)
{
    if (!spec || !mcph_refs_put(&spec->refs))
        return NULL;
    free(spec->id);
    free(spec->source);
    free(spec->file);
    mcph_keys_done(spec);
    if (spec->native)
        spec->drop_native(spec->native);
    free(spec);
    return NULL;
}

const mcphost_filter *
mcph_spec_filter(const struct mcph_spec *spec, int named)
{
    switch (named) {
    case MCPH_NAMED_TOOLS:
        return spec->filter;
    case MCPH_NAMED_PROMPTS:
        return spec->prompts_filter;
    case MCPH_NAMED_RESOURCES:
        return spec->resources_filter;
    default:
        return spec->skills_filter;
    }
}

const mcphost_transform *
mcph_spec_transform(const struct mcph_spec *spec, int named)
{
    static const char *const keys[] = {[MCPH_NAMED_TOOLS] = "tools.transform",
                                       [MCPH_NAMED_PROMPTS] = "prompts.transform",
                                       [MCPH_NAMED_RESOURCES] = "resources.transform",
                                       [MCPH_NAMED_SKILLS] =
                                           "resources.skills.transform"};

    return mcph_key_steps(mcph_key_find(keys[named]), spec);
}

int
mcph_strings_add(struct mcph_strings *strings, const char *text)
{
    char **items = mcph_reallocarray(strings->items, strings->n + 2, sizeof(*items));

    if (!items)
        return MCPHOST_E_NOMEM;
    strings->items = items;
    items[strings->n] = mcph_strdup(text);
    if (!items[strings->n])
        return MCPHOST_E_NOMEM;
    items[++strings->n] = NULL;
    return 0;
}

void
mcph_strings_done(struct mcph_strings *strings)
{
    for (size_t i = 0; i < strings->n; i++)
        mcph_str_wipe(strings->items[i]);
    free(strings->items);
    *strings = (struct mcph_strings){0};
}
