/* SPDX-License-Identifier: MIT
 *
 * fuzz_chatos_manifest.c - reads any bytes as a plugin.json, an ai.json and an ai.yaml.
 *
 * Every text must give a result with a report.  No path may lead out of the plugin's
 * directory.  Call metadata must be a JSON object.  Merging a document with itself must
 * give the values of the document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"

#define DIR "/plugins/x"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_path(const char *path)
{
    must(path && *path && *path != '/');
    while (*path) {
        size_t n = strcspn(path, "/");

        must(n > 0 && !(n == 1 && path[0] == '.'));
        must(!(n == 2 && path[0] == '.' && path[1] == '.'));
        must(!path[n] || path[n + 1]);
        path += n + (path[n] == '/');
    }
}

static void
check_report(const mcphost_config *report)
{
    for (size_t i = 0; i < report->diags.n; i++) {
        const struct mcph_diag *diag = report->diags.items[i];

        must(diag->message && *diag->message && diag->key);
        must(mcph_utf8_is_text(diag->message));
    }
    must(report->status <= 0 && (report->status == 0 || report->diags.n > 0));
}

static void
check_expose(const struct mcph_chatos_expose *expose)
{
    must((expose->kind == MCPH_CHATOS_LIST) == (expose->names.n > 0));
    for (size_t i = 0; i < expose->names.n; i++) {
        const char *name = expose->names.items[i];
        struct mcph_span text = mcph_chatos_trim(name, strlen(name));

        must(text.len > 0 && text.len == strlen(name));
    }
}

static void
check_mcp(const struct mcph_chatos_mcp *mcp)
{
    struct mcph_span meta = mcph_span_str(mcp->call_meta);
    char *url = NULL;
    int r = mcph_chatos_mcp_url(mcp, DIR, &url);

    must(!mcp->url || !mcp->entry);
    must(r == (mcp->url || mcp->entry ? 0 : MCPHOST_E_NOTFOUND));
    if (mcp->entry) {
        struct mcph_strings argv = {0};

        check_path(mcp->entry);
        must(mcph_chatos_cmd_parse(url, strlen(url), &argv, NULL) == 0);
        must(argv.n >= 2 && strcmp(argv.items[0], mcp->command) == 0);
        must(strncmp(argv.items[1], DIR "/", sizeof(DIR)) == 0);
        mcph_strings_done(&argv);
    }
    must(!meta.p || (mcph_json_check(meta, 0, NULL, NULL) == 0 && *meta.p == '{'));
    free(url);
}

static void
check_ai(const struct mcph_chatos_ai *ai)
{
    struct mcph_chatos_offer offer;

    if (ai->config)
        check_path(ai->config);
    if (ai->mcp)
        check_mcp(ai->mcp);
    for (size_t i = 0; ai->prompt && i < MCPH_CHATOS_N_LANGUAGES; i++) {
        must(!ai->prompt->texts[i].path || !ai->prompt->texts[i].content);
        if (ai->prompt->texts[i].path)
            check_path(ai->prompt->texts[i].path);
    }
    check_expose(&ai->servers);
    check_expose(&ai->prompts);
    must(!mcph_chatos_offer(NULL, ai, ai, &offer));
    if (mcph_chatos_offer(ai, ai, ai, &offer))
        must(offer.mcp == ai->mcp && offer.prompt == ai->prompt &&
             offer.agent == ai->agent);
}

static void
read_manifest(const char *data, size_t len)
{
    struct mcph_chatos_plugin *plugin = NULL;

    must(mcph_chatos_manifest_parse(data, len, "plugin.json", DIR, &plugin) == 0);
    check_report(plugin->report);
    must(plugin->report->status == 0 || plugin->apps.n == 0);
    must(plugin->report->status < 0 ||
         (plugin->id && plugin->name && plugin->version && plugin->provider));
    if (plugin->backend)
        check_path(plugin->backend);
    for (size_t i = 0; i < plugin->apps.n; i++) {
        const struct mcph_chatos_app *app = plugin->apps.items[i];

        must(*app->id && *app->name && app->description && app->icon);
        check_path(app->entry);
        if (app->compact)
            check_path(app->compact);
        if (app->ai)
            check_ai(app->ai);
    }
    mcph_chatos_plugin_free(plugin);
}

static void
read_document(const char *data, size_t len, const char *file)
{
    struct mcph_chatos_ai *ai = NULL;
    mcphost_config *report = NULL;

    must(mcph_chatos_ai_parse(data, len, file, DIR, &ai, &report) == 0);
    check_report(report);
    must((report->status == 0) == (ai != NULL));
    if (ai)
        check_ai(ai);
    mcph_chatos_ai_free(ai);
    mcphost_config_unref(report);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    read_manifest(text, size);
    read_document(text, size, "ai.json");
    read_document(text, size, "ai.yaml");
    read_document(text, size, "ai");
    return 0;
}
