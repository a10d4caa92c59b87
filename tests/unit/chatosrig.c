/* SPDX-License-Identifier: MIT
 *
 * chatosrig.c - manifests of ChatOS read for a test.
 */
#include <stdio.h>
#include <string.h>

#include "support/conf.h"
#include "support/runner.h"
#include "unit/chatosrig.h"

struct mcph_chatos_plugin *cr_plugin;

void
cr_parse_bytes(const char *text, size_t len)
{
    mcph_chatos_plugin_free(cr_plugin);
    cr_plugin = NULL;
    ck_assert_int_eq(
        mcph_chatos_manifest_parse(text, len, "plugin.json", PLUGIN_DIR, &cr_plugin), 0);
    ck_assert_ptr_nonnull(cr_plugin);
    ck_assert(cr_plugin->report->status == 0 || cr_plugin->apps.n == 0);
    ck_assert(cr_plugin->report->status == 0 || cr_plugin->report->diags.n > 0);
    for (size_t i = 0; i < cr_plugin->report->diags.n; i++) {
        const struct mcph_diag *diag = cr_plugin->report->diags.items[i];

        ck_assert_str_eq(diag->file, "plugin.json");
        ck_assert(diag->line > 0 || cr_plugin->report->status == MCPHOST_E_LIMIT);
    }
}

void
cr_parse(const char *text)
{
    cr_parse_bytes(text, strlen(text));
}

void
cr_down(void)
{
    cr_plugin = mcph_chatos_plugin_free(cr_plugin);
}

const char *
cr_diags(void)
{
    return conf_diags(cr_plugin->report);
}

const struct mcph_chatos_app *
cr_app_at(size_t i)
{
    ck_assert_msg(i < cr_plugin->apps.n, "%zu apps: %s", cr_plugin->apps.n, cr_diags());
    return cr_plugin->apps.items[i];
}

/* The only app of a plugin, whose further keys are these. */
const struct mcph_chatos_app *
cr_parse_app(const char *keys)
{
    static char text[8192];

    snprintf(text, sizeof(text),
             "{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
             "{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e.mjs\",\n%s}]}",
             keys);
    cr_parse(text);
    return cr_plugin->apps.n ? cr_plugin->apps.items[0] : NULL;
}

const struct mcph_chatos_ai *
cr_parse_ai(const char *ai)
{
    static char text[4096];
    const struct mcph_chatos_app *app;

    snprintf(text, sizeof(text), "\"ai\":%s", ai);
    app = cr_parse_app(text);
    ck_assert_msg(app != NULL, "%s", cr_diags());
    ck_assert_ptr_nonnull(app->ai);
    return app->ai;
}
