/* SPDX-License-Identifier: MIT
 *
 * conf.c - helpers for tests about configurations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "support/conf.h"
#include "support/runner.h"

static mcphost_config *
load_config_over(unsigned transports, const char *text)
{
    mcphost_config *config = NULL;

    ck_assert_int_eq(mcph_dominds_parse(text, strlen(text), "mcp.yaml", "/ws", transports,
                                        &config, NULL),
                     0);
    ck_assert_ptr_nonnull(config);
    return config;
}

mcphost_config *
conf_load(const char *text)
{
    return load_config_over(MCPH_TRANSPORTS_USUAL, text);
}

mcphost_config *
conf_load_server_over(unsigned transports, const char *body)
{
    mcphost_config *config;
    struct mcph_buf text;
    char *copy;

    mcph_buf_init(&text, (size_t)1 << 20);
    mcph_buf_adds(&text, "version: 1\nservers:\n  x:\n    ");
    for (; *body; body++) {
        mcph_buf_addc(&text, *body);
        if (*body == '\n')
            mcph_buf_adds(&text, "    ");
    }
    copy = mcph_buf_steal(&text, NULL);
    ck_assert_ptr_nonnull(copy);
    config = load_config_over(transports, copy);
    free(copy);
    return config;
}

mcphost_config *
conf_load_server(const char *body)
{
    return conf_load_server_over(MCPH_TRANSPORTS_USUAL, body);
}

const struct mcph_spec *
conf_spec(const mcphost_config *config, const char *id)
{
    const struct mcph_config_server *server = mcph_config_find(config, id);

    ck_assert_msg(server != NULL, "no server '%s': %s", id, conf_diags(config));
    ck_assert_msg(server->state == MCPHOST_CONFIG_SERVER_VALID && server->spec,
                  "'%s' is not valid: %s", id, conf_diags(config));
    return server->spec;
}

const char *
conf_diags(const mcphost_config *config)
{
    static char text[8192];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < config->diags.n && len < sizeof(text); i++) {
        const struct mcph_diag *d = config->diags.items[i];

        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%d:%d %s %s\n", d->line, d->column,
            d->severity == MCPHOST_DIAGNOSTIC_WARNING ? "warning" : "error", d->message);
    }
    return text;
}

const char *
conf_lookup(const char *name, void *pairs)
{
    const char *const *pair = pairs;

    for (; *pair; pair += 2) {
        if (strcmp(*pair, name) == 0)
            return pair[1];
    }
    return NULL;
}
