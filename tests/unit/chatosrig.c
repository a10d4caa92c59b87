/* SPDX-License-Identifier: MIT
 *
 * chatosrig.c - parses plugin manifests of ChatOS in tests (see chatosrig.h).
 */
#include <stdio.h>
#include <string.h>

#include "support/conf.h"
#include "support/runner.h"
#include "unit/chatosrig.h"

struct mcph_chatos_plugin *chatosrig_plugin;

void
chatosrig_parse_bytes(const char *text, size_t len)
{
    mcph_chatos_plugin_free(chatosrig_plugin);
    chatosrig_plugin = NULL;
    ck_assert_int_eq(mcph_chatos_manifest_parse(text, len, "plugin.json", PLUGIN_DIR,
                                                &chatosrig_plugin),
                     0);
    ck_assert_ptr_nonnull(chatosrig_plugin);
    ck_assert(chatosrig_plugin->report->status == 0 || chatosrig_plugin->apps.n == 0);
    ck_assert(chatosrig_plugin->report->status == 0 ||
              chatosrig_plugin->report->diags.n > 0);
    for (size_t i = 0; i < chatosrig_plugin->report->diags.n; i++) {
        const struct mcph_diag *diag = chatosrig_plugin->report->diags.items[i];

        ck_assert_str_eq(diag->file, "plugin.json");
        ck_assert(diag->line > 0 || chatosrig_plugin->report->status == MCPHOST_E_LIMIT);
    }
}

void
chatosrig_parse(const char *text)
{
    chatosrig_parse_bytes(text, strlen(text));
}

void
chatosrig_down(void)
{
    chatosrig_plugin = mcph_chatos_plugin_free(chatosrig_plugin);
}

const char *
chatosrig_diags(void)
{
    return conf_diags(chatosrig_plugin->report);
}

const struct mcph_chatos_app *
chatosrig_app_at(size_t i)
{
    ck_assert_msg(i < chatosrig_plugin->apps.n, "%zu apps: %s", chatosrig_plugin->apps.n,
                  chatosrig_diags());
    return chatosrig_plugin->apps.items[i];
}

const struct mcph_chatos_app *
chatosrig_parse_app(const char *keys)
{
    static char text[8192];

    snprintf(text, sizeof(text),
             "{\"id\":\"p\",\"name\":\"P\",\"apps\":[\n"
             "{\"id\":\"a\",\"name\":\"A\",\"entry\":\"e.mjs\",\n%s}]}",
             keys);
    chatosrig_parse(text);
    return chatosrig_plugin->apps.n ? chatosrig_plugin->apps.items[0] : NULL;
}

const struct mcph_chatos_ai *
chatosrig_parse_ai(const char *ai)
{
    static char text[4096];
    const struct mcph_chatos_app *app;

    snprintf(text, sizeof(text), "\"ai\":%s", ai);
    app = chatosrig_parse_app(text);
    ck_assert_msg(app != NULL, "%s", chatosrig_diags());
    ck_assert_ptr_nonnull(app->ai);
    return app->ai;
}
