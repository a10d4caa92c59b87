/* SPDX-License-Identifier: MIT
 *
 * provided.c - make the application's providers servers of a source.
 *
 * The entries of providers come before the entries of the source's configuration.  The
 * library lists, shows, restarts and removes a provider like any other server.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "workspace/workspace.h"

static void
drop_native(mcphost_provider *native)
{
    mcph_provider_unref(native);
}

/* Fills in the spec of a provider.  A serial number makes the spec's launch hash unique,
 * whatever the provider's id is. */
static int
fill_spec(struct mcph_spec *spec, mcphost_provider *provider)
{
    static atomic_uint serial;

    mcph_spec_set_inside(spec);
    spec->command = mcph_asprintf("#%u", atomic_fetch_add(&serial, 1));
    spec->cwd = mcph_strdup("/");
    spec->native = mcph_provider_ref(provider);
    spec->drop_native = drop_native;
    return spec->command && spec->cwd ? mcph_spec_seal(spec) : MCPHOST_E_NOMEM;
}

static struct mcph_spec *
spec_of(mcphost_provider *provider)
{
    struct mcph_spec *spec = mcph_spec_new(provider->id, "provider");

    if (spec && fill_spec(spec, provider) < 0)
        spec = mcph_spec_unref(spec);
    return spec;
}

void
mcph_provided_add(struct mcphost_source *source, mcphost_provider *provider)
{
    struct mcph_spec *spec;

    if (provider->closed)
        return;
    spec = spec_of(provider);
    if (!spec || mcph_vec_add(&source->provided, spec) < 0) {
        mcph_log(source->core, MCPHOST_LOG_ERROR, "host", provider->id,
                 "the provider cannot be shown: out of memory");
        mcph_spec_unref(spec);
        mcph_provider_close(provider, 0);
        return;
    }
    mcph_apply_providers(source);
}

void
mcph_provided_remove(struct mcphost_source *source, mcphost_provider *provider)
{
    for (size_t i = 0; i < source->provided.n; i++) {
        struct mcph_spec *spec = source->provided.items[i];

        if (spec->native != provider)
            continue;
        mcph_vec_remove(&source->provided, i);
        mcph_apply_providers(source);
        mcph_spec_unref(spec);
        break;
    }
    mcph_provider_withdraw(provider);
}

void
mcph_provided_close(struct mcphost_source *source, bool now)
{
    struct mcph_vec provided = source->provided;

    source->provided = (struct mcph_vec){0};
    for (size_t i = 0; i < provided.n; i++) {
        struct mcph_spec *spec = provided.items[i];

        if (now)
            mcph_provider_close(spec->native, 0);
        else
            mcph_provider_withdraw(spec->native);
        mcph_spec_unref(spec);
    }
    mcph_vec_done(&provided);
}

/* ---- in the configuration ---------------------------------------------------------- */

static int
add_entries(const struct mcphost_source *source, mcphost_config *own)
{
    for (size_t i = 0; i < source->provided.n; i++) {
        struct mcph_spec *spec = source->provided.items[i];
        struct mcph_config_server *entry = mcph_config_add_server(own, spec->id, 0, 0);

        if (!entry)
            return MCPHOST_E_NOMEM;
        entry->transport = spec->transport;
        entry->spec = mcph_spec_ref(spec);
    }
    return 0;
}

int
mcph_provided_merge(const struct mcphost_source *source, mcphost_config *config,
                    mcphost_config **ret)
{
    mcphost_config *own, *all;
    int r = MCPHOST_E_NOMEM;

    if (source->provided.n == 0) {
        *ret = mcph_config_ref(config);
        return 0;
    }
    own = mcph_config_new("providers", NULL, "providers", "/");
    all = mcph_config_new(config->source, config->file, config->shown, config->workspace);
    if (own && all)
        r = add_entries(source, own);
    if (r == 0)
        r = mcph_config_merge(all, own, false);
    if (r == 0)
        r = mcph_config_merge(all, config, false);
    if (r == 0)
        r = mcph_config_finish(all);
    mcph_config_unref(own);
    if (r < 0)
        mcph_config_unref(all);
    else
        *ret = all;
    return r;
}

static void
raise_id_taken(struct mcphost_source *source, const mcphost_config *config,
               const struct mcph_config_server *entry, struct mcph_sweep *sweep)
{
    char *id = mcph_asprintf("mcp/server/%s/id_taken", entry->id);
    char *text = mcph_asprintf("%s:%d:%d: server '%s' is left out: a provider of the "
                               "application has its id",
                               config->shown, entry->line, entry->column, entry->id);
    char *detail = text ? mcph_problem_detail("serverId", entry->id, text) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = source->id,
                                       .server = entry->id,
                                       .message = text,
                                       .detail = detail,
                                       .severity = MCPHOST_SEVERITY_WARNING,
                                       .sweep = sweep};

    mcph_problem_raise(source->journal, &draft);
    free(detail);
    free(text);
    free(id);
}

void
mcph_provided_raise(struct mcphost_source *source, const mcphost_config *config,
                    struct mcph_sweep *sweep)
{
    for (size_t i = 0; i < source->provided.n; i++) {
        const struct mcph_spec *spec = source->provided.items[i];
        const struct mcph_config_server *entry = mcph_config_find(config, spec->id);

        if (entry)
            raise_id_taken(source, config, entry, sweep);
    }
}
