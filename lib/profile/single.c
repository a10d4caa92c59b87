/* SPDX-License-Identifier: MIT
 *
 * single.c - make a configuration of one server from a command line or a URL, without a
 * file.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define SOURCE_COMMAND "command"
#define SOURCE_URL     "url"

static int
make_stdio(const char *id, const char *const *argv, const char *workspace,
           struct mcph_spec **ret_spec)
{
    struct mcph_spec *spec = mcph_spec_new(id, SOURCE_COMMAND);
    int r = 0;

    if (!spec)
        return MCPHOST_E_NOMEM;
    spec->transport = MCPHOST_TRANSPORT_STDIO;
    spec->command = mcph_profile_command(workspace, argv[0]);
    spec->cwd = mcph_strdup(workspace);
    if (!spec->command || !spec->cwd)
        r = MCPHOST_E_NOMEM;
    for (size_t i = 1; r == 0 && argv[i]; i++)
        r = mcph_strings_add(&spec->args, argv[i]);
    if (r < 0)
        mcph_spec_unref(spec);
    else
        *ret_spec = spec;
    return r;
}

/* Adds a header.  `line` has the form "Name: value", as in HTTP. */
static int
add_header(struct mcph_spec *spec, const char *line, mcphost_error **reterr)
{
    const char *colon = strchr(line, ':'), *value;
    char *name;
    int r;

    if (!colon || !mcph_header_name_ok(line, (size_t)(colon - line)))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "a header is not of the form 'Name: value'");
    value = colon + 1 + strspn(colon + 1, " \t");
    if (!mcph_header_value_ok(value, strlen(value)))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the value of the header '%.*s' has a control character",
                        (int)(colon - line), line);
    name = mcph_strndup(line, (size_t)(colon - line));
    r = name ? mcph_values_add(&spec->headers, name, value, NULL) : MCPHOST_E_NOMEM;
    free(name);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

static int
make_http(int transport, const char *id, const char *url, const char *const *headers,
          const char *workspace, struct mcph_spec **ret_spec, mcphost_error **reterr)
{
    struct mcph_spec *spec = mcph_spec_new(id, SOURCE_URL);
    const char *why;
    int r;

    if (!spec)
        return mcph_err_nomem(reterr);
    spec->transport = transport;
    spec->cwd = mcph_strdup(workspace);
    r = mcph_url_normalize(url, strlen(url), &spec->url, &why);
    if (r == MCPHOST_E_CONFIG)
        mcph_err(reterr, r, "expected an http or https URL, found one that %s", why);
    else if (r < 0 || !spec->cwd)
        r = mcph_err_nomem(reterr);
    for (size_t i = 0; r == 0 && headers && headers[i]; i++)
        r = add_header(spec, headers[i], reterr);
    if (r < 0)
        mcph_spec_unref(spec);
    else
        *ret_spec = spec;
    return r;
}

/* Makes a configuration of one spec and seals the spec.  Takes `spec` over, also on
 * failure. */
static int
make_config(struct mcph_spec *spec, const char *source, const char *dir,
            mcphost_config **ret_config)
{
    char *shown = mcph_asprintf("<%s>", source);
    struct mcph_config_server *server = NULL;
    mcphost_config *config = NULL;
    int r = mcph_spec_seal(spec);

    if (shown && r == 0)
        config = mcph_config_new(source, NULL, shown, dir);
    if (config)
        server = mcph_config_add_server(config, spec->id, 0, 0);
    free(shown);
    if (!server) {
        mcph_config_unref(config);
        mcph_spec_unref(spec);
        return MCPHOST_E_NOMEM;
    }
    server->transport = spec->transport;
    server->spec = spec;
    *ret_config = config;
    return 0;
}

int
mcph_profile_stdio(const char *id, const char *const *argv, const char *workspace,
                   mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_spec *spec = NULL;
    char *dir = NULL;
    int r;

    r = mcph_profile_workspace(workspace, &dir, reterr);
    if (r < 0)
        return r;
    r = make_stdio(id, argv, dir, &spec);
    if (r == 0)
        r = make_config(spec, SOURCE_COMMAND, dir, ret_config);
    if (r < 0)
        mcph_err_nomem(reterr);
    free(dir);
    return r;
}

int
mcph_profile_http(int transport, const char *id, const char *url,
                  const char *const *headers, const char *workspace,
                  mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_spec *spec = NULL;
    char *dir = NULL;
    int r;

    r = mcph_profile_workspace(workspace, &dir, reterr);
    if (r < 0)
        return r;
    r = make_http(transport, id, url, headers, dir, &spec, reterr);
    if (r == 0) {
        r = make_config(spec, SOURCE_URL, dir, ret_config);
        if (r < 0)
            mcph_err_nomem(reterr);
    }
    free(dir);
    return r;
}

int
mcph_profile_set_era(mcphost_config *config, int era)
{
    struct mcph_config_server *server =
        config->servers.n ? config->servers.items[0] : NULL;
    struct mcph_spec *spec = server ? server->spec : NULL;
    unsigned char hash[MCPH_DIGEST_LEN];
    int old, r;

    /* Refuse a configuration that this file did not make, or that has another holder.  A
     * configuration with another holder is immutable. */
    if (!spec ||
        (strcmp(config->source, SOURCE_COMMAND) != 0 &&
         strcmp(config->source, SOURCE_URL) != 0) ||
        mcph_refs_are_shared(&config->refs) || mcph_refs_are_shared(&spec->refs))
        return MCPHOST_E_STATE;
    if (mcph_transport_kind(spec->transport)->is_legacy && era == MCPHOST_ERA_MODERN)
        return MCPHOST_E_INVALID;
    old = spec->era;
    memcpy(hash, spec->launch_hash, sizeof(hash));
    spec->era = era;
    r = mcph_spec_seal(spec);
    if (r < 0) {
        spec->era = old;
        memcpy(spec->launch_hash, hash, sizeof(hash));
    }
    return r;
}
