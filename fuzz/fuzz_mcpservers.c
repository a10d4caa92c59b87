/* SPDX-License-Identifier: MIT
 *
 * fuzz_mcpservers.c - reads any bytes as an `mcpServers` file and prepares its servers.
 *
 * Reading a file twice must give the same result.  The target expands each server's
 * variables, as for a start.  An expanded argument may contain a variable only if it
 * contained a `$` before.  The values must not change a hash or appear in an error.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* Looks up a variable.  Only some names have a value. */
static const char *
look_up(const char *name, void *arg)
{
    (void)arg;
    must(*name && !strchr(name, '}'));
    return strlen(name) % 3 ? "/value" : NULL;
}

/* True if the file itself may contain "/value", the value of a variable.  In this case,
 * errors may contain "/value", too, because errors name ids and keys. */
static bool names_it;

static void
expand_spec(struct mcph_spec *spec)
{
    struct mcph_spec *launch = NULL;
    mcphost_error *err = NULL;
    unsigned char before[MCPH_DIGEST_LEN];
    int r;

    memcpy(before, spec->launch_hash, sizeof(before));
    r = mcph_spec_expand(spec, look_up, NULL, &launch, &err);
    must((r == 0) == (launch != NULL) && (r < 0) == (err != NULL));
    must(memcmp(before, spec->launch_hash, sizeof(before)) == 0);
    if (launch) {
        must(launch->args.n == spec->args.n && launch->env.n == spec->env.n);
        must(launch->transport == spec->transport);
        must(!launch->command || *launch->command);
        for (size_t i = 0; i < launch->args.n; i++)
            must(!mcph_text_has_variables(launch->args.items[i]) ||
                 strstr(spec->args.items[i], "$"));
    } else {
        must(names_it || strstr(mcphost_error_get_message(err), "/value") == NULL);
    }
    mcph_spec_unref(launch);
    mcphost_error_unref(err);
}

static mcphost_config *
parse(const uint8_t *data, size_t size)
{
    mcphost_config *config = NULL;

    must(mcph_mcpservers_parse((const char *)data, size, "f", "/ws",
                               MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE, &config,
                               NULL) == 0);
    return config;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mcphost_config *config = parse(size ? data : (const uint8_t *)"", size);
    mcphost_config *again = parse(size ? data : (const uint8_t *)"", size);

    names_it = memmem(data, size, "value", 5) || memmem(data, size, "\\u", 2);
    must(config->status == again->status && config->servers.n == again->servers.n &&
         config->diags.n == again->diags.n);
    must(config->status == 0 || config->servers.n == 0);
    for (size_t i = 0; i < config->servers.n; i++) {
        struct mcph_config_server *server = config->servers.items[i];
        struct mcph_config_server *other = again->servers.items[i];

        must(server->state == other->state);
        must((server->state == MCPHOST_CONFIG_SERVER_VALID) == (server->spec != NULL));
        if (!server->spec)
            continue;
        must(memcmp(server->spec->launch_hash, other->spec->launch_hash,
                    MCPH_DIGEST_LEN) == 0);
        expand_spec(server->spec);
    }
    mcph_config_unref(config);
    mcph_config_unref(again);
    return 0;
}
