/* SPDX-License-Identifier: MIT
 *
 * chatos_rows.c - apps as JSON: a row for each app, and the contribution of one app.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/chatos_apps.h"

static const char *const languages[MCPH_CHATOS_N_LANGUAGES] = {"zh", "en"};

/* ---- parts that rows and contributions share --------------------------------------- */

static void
put_texts(struct mcph_buf *buf, const struct mcph_strings *texts)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < texts->n; i++) {
        mcph_json_add_comma(buf);
        mcph_json_add_str(buf, texts->items[i]);
    }
    mcph_buf_addc(buf, ']');
}

/* Writes true for "all", an array of the names for a list, and null for "off" and for an
 * unset key (B.26). */
static void
put_exposed(struct mcph_buf *buf, const char *name, const struct mcph_chatos_expose *what)
{
    mcph_json_add_key(buf, name);
    if (what && what->kind == MCPH_CHATOS_ALL)
        mcph_json_add_bool(buf, true);
    else if (what && what->kind == MCPH_CHATOS_LIST)
        put_texts(buf, &what->names);
    else
        mcph_json_add_str(buf, NULL);
}

static bool
has_text(const struct mcph_chatos_prompt *prompt, int language)
{
    return prompt && (prompt->texts[language].content || prompt->texts[language].path);
}

/* ---- rows -------------------------------------------------------------------------- */

/* Writes the names of the app's own prompts. */
static int
put_prompt_names(struct mcph_buf *buf, const struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_prompt *prompt = entry->offers ? entry->offer.prompt : NULL;

    mcph_json_add_key(buf, "prompts");
    mcph_buf_addc(buf, '[');
    for (int i = 0; i < MCPH_CHATOS_N_LANGUAGES; i++) {
        char *name = NULL;
        int r =
            has_text(prompt, i) ? mcph_chatos_prompt_name(entry->server, i, &name) : 0;

        if (r == MCPHOST_E_NOMEM)
            return r;
        if (name) {
            mcph_json_add_comma(buf);
            mcph_json_add_str(buf, name);
        }
        free(name);
    }
    mcph_buf_addc(buf, ']');
    return 0;
}

/* Writes a URL.  Replaces the userinfo and the query by "(hidden)", because they may hold
 * secrets.  Writes a command line, and a text without "://", unchanged. */
static void
put_shown_url(struct mcph_buf *buf, const char *url)
{
    struct mcph_buf shown;

    mcph_buf_init(&shown, MCPH_CHATOS_CMD_MAX * 2);
    if (mcph_chatos_is_cmd(url, strlen(url)) || !strstr(url, "://"))
        mcph_buf_adds(&shown, url);
    else
        mcph_url_show(url, &shown);
    if (mcph_buf_ok(&shown) == 0)
        mcph_json_add_string(buf, shown.data, shown.len);
    else
        mcph_json_add_str(buf, NULL);
    mcph_buf_wipe(&shown);
}

static int
put_row(struct mcph_buf *buf, const struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_offer *offer = entry->offers ? &entry->offer : NULL;
    const struct mcph_chatos_mcp *mcp = offer ? offer->mcp : NULL;
    char *url = NULL;
    int r = 0;

    if (mcp && !entry->no_server)
        r = mcph_chatos_mcp_url(mcp, entry->plugin->dir, &url);
    if (r == MCPHOST_E_NOMEM)
        return r;
    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "plugin", entry->plugin->id);
    mcph_json_add_member(buf, "app", entry->app->id);
    mcph_json_add_member(buf, "name", entry->app->name);
    mcph_json_add_member(buf, "server", mcp ? entry->server : NULL);
    mcph_json_add_key(buf, "url");
    if (url)
        put_shown_url(buf, url);
    else
        mcph_json_add_str(buf, NULL);
    mcph_str_wipe(url);
    r = put_prompt_names(buf, entry);
    put_exposed(buf, "mcpServers", offer ? offer->servers : NULL);
    put_exposed(buf, "exposedPrompts", offer ? offer->prompts : NULL);
    mcph_json_add_key(buf, "builtin");
    mcph_json_add_bool(buf, entry->builtin);
    mcph_json_add_member(buf, "dir", entry->plugin->dir);
    mcph_json_add_member(buf, "error", NULL);
    mcph_buf_addc(buf, '}');
    return r;
}

static void
put_flaw(struct mcph_buf *buf, const struct mcph_chatos_flaw *flaw)
{
    static const char *const absent[] = {"name",    "server",     "url",
                                         "prompts", "mcpServers", "exposedPrompts"};

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "plugin", flaw->plugin);
    mcph_json_add_member(buf, "app", flaw->app);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(absent); i++)
        mcph_json_add_member(buf, absent[i], NULL);
    mcph_json_add_key(buf, "builtin");
    mcph_json_add_bool(buf, flaw->builtin);
    mcph_json_add_member(buf, "dir", flaw->dir);
    mcph_json_add_member(buf, "error", flaw->message);
    mcph_buf_addc(buf, '}');
}

int
mcph_chatos_put_rows(const struct mcph_chatos_apps *apps,
                     const struct mcph_chatos_apps *failed, struct mcph_buf *buf)
{
    const struct mcph_chatos_apps *last = failed ? failed : apps;
    int r = 0;

    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < apps->entries.n && r == 0; i++)
        r = put_row(buf, apps->entries.items[i]);
    for (size_t i = 0; i < last->flaws.n && r == 0; i++)
        put_flaw(buf, last->flaws.items[i]);
    if (last->n_left_out > 0) {
        char text[64];
        struct mcph_chatos_flaw rest = {.dir = NULL, .message = text};

        snprintf(text, sizeof(text), "%zu further errors are left out", last->n_left_out);
        put_flaw(buf, &rest);
    }
    mcph_buf_addc(buf, ']');
    return r < 0 ? r : mcph_buf_ok(buf);
}

/* ---- texts of prompts -------------------------------------------------------------- */

/* Opens the directory of a plugin from a descriptor of the parent directory.  Refuses a
 * symbolic link in place of the plugin's directory, because the directory may have been
 * replaced since the scan.  Returns a descriptor.  On failure, returns -1 and sets
 * errno. */
static int
open_plugin(const char *dir)
{
    const char *name = strrchr(dir, '/') + 1;
    char *folder = mcph_strndup(dir, (size_t)(name - dir));
    int top, fd = -1, error;

    if (!folder) {
        errno = ENOMEM;
        return -1;
    }
    top = mcph_fd_high(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (top >= 0)
        fd = mcph_open_beneath(top, name, O_RDONLY | O_DIRECTORY, false);
    error = errno;
    if (top >= 0)
        close(top);
    free(folder);
    errno = error;
    return fd;
}

int
mcph_chatos_read_prompt(const struct mcph_chatos_entry *entry, int language,
                        struct mcph_buf *buf, mcphost_error **reterr)
{
    const struct mcph_chatos_text *text;
    char *shown;
    int dir, r;

    if (!entry->offers || !has_text(entry->offer.prompt, language))
        return MCPHOST_E_NOTFOUND;
    text = &entry->offer.prompt->texts[language];
    if (text->content) {
        mcph_buf_adds(buf, text->content);
        return mcph_buf_ok(buf);
    }
    shown = mcph_asprintf("%s/%s", entry->plugin->dir, text->path);
    if (!shown)
        return mcph_err_nomem(reterr);
    dir = open_plugin(entry->plugin->dir);
    if (dir < 0)
        r = mcph_err_os(reterr, errno, "cannot open '%s'", entry->plugin->dir);
    else
        r = mcph_file_read_beneath(dir, text->path, shown, MCPH_CHATOS_PROMPT_MAX, buf,
                                   reterr);
    if (dir >= 0)
        close(dir);
    if (r == 0 && !mcph_utf8_valid(buf->data, buf->len, NULL))
        r = mcph_err(reterr, MCPHOST_E_CONFIG, "'%s' is not UTF-8", shown);
    free(shown);
    return r;
}

/* ---- a contribution ---------------------------------------------------------------- */

static void
put_choice(struct mcph_buf *buf, const char *name, int flag, bool fallback)
{
    mcph_json_add_key(buf, name);
    mcph_json_add_bool(buf, flag < 0 ? fallback : flag > 0);
}

int
mcph_chatos_put_server(const struct mcph_chatos_entry *entry, struct mcph_buf *buf)
{
    const struct mcph_chatos_mcp *mcp = entry->offers ? entry->offer.mcp : NULL;
    char *url = NULL;
    int r = mcp && !entry->no_server ? mcph_chatos_mcp_url(mcp, entry->plugin->dir, &url)
                                     : MCPHOST_E_NOTFOUND;

    if (r == MCPHOST_E_NOMEM)
        return r;
    if (r < 0) {
        mcph_json_add_str(buf, NULL);
        return 0;
    }
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", entry->server);
    mcph_json_add_member(buf, "url", url);
    mcph_json_add_member(buf, "description", mcp->description ? mcp->description : "");
    mcph_json_add_key(buf, "tags");
    put_texts(buf, &mcp->tags);
    /* Write true for each absent flag: by default, an app's own server is enabled and
     * allowed for all agents (B.27). */
    put_choice(buf, "enabled", mcp->enabled, true);
    put_choice(buf, "allowMain", mcp->allow_main, true);
    put_choice(buf, "allowSub", mcp->allow_sub, true);
    mcph_json_add_key(buf, "callMeta");
    if (mcp->call_meta)
        mcph_buf_adds(buf, mcp->call_meta);
    else
        mcph_json_add_str(buf, NULL);
    mcph_buf_addc(buf, '}');
    mcph_str_wipe(url);
    return 0;
}

static int
put_text_of(struct mcph_buf *buf, const struct mcph_chatos_entry *entry, int language,
            struct mcph_buf *errors)
{
    mcphost_error *err = NULL;
    struct mcph_buf text;
    char *name = NULL;
    int r;

    mcph_buf_init(&text, MCPH_CHATOS_PROMPT_MAX + 1);
    r = mcph_chatos_read_prompt(entry, language, &text, &err);
    if (r == 0)
        r = mcph_chatos_prompt_name(entry->server, language, &name);
    mcph_json_add_key(buf, languages[language]);
    if (r == 0) {
        mcph_buf_addc(buf, '{');
        mcph_json_add_member(buf, "name", name);
        mcph_json_add_key(buf, "text");
        mcph_json_add_string(buf, text.data, text.len);
        mcph_buf_addc(buf, '}');
    } else {
        mcph_json_add_str(buf, NULL);
        if (err) {
            mcph_json_add_comma(errors);
            mcph_json_add_str(errors, mcphost_error_get_message(err));
        }
    }
    mcphost_error_unref(err);
    mcph_buf_done(&text);
    free(name);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

static int
put_prompt(struct mcph_buf *buf, const struct mcph_chatos_entry *entry,
           struct mcph_buf *errors)
{
    const struct mcph_chatos_prompt *prompt = entry->offers ? entry->offer.prompt : NULL;
    int r = 0;

    mcph_json_add_key(buf, "mcpPrompt");
    if (!prompt) {
        mcph_json_add_str(buf, NULL);
        return 0;
    }
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "title", prompt->title ? prompt->title : "");
    for (int i = 0; i < MCPH_CHATOS_N_LANGUAGES && r == 0; i++)
        r = put_text_of(buf, entry, i, errors);
    mcph_buf_addc(buf, '}');
    return r;
}

static void
put_agent(struct mcph_buf *buf, const struct mcph_chatos_agent *agent)
{
    mcph_json_add_key(buf, "agent");
    if (!agent) {
        mcph_json_add_str(buf, NULL);
        return;
    }
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", agent->name);
    mcph_json_add_member(buf, "description", agent->description);
    mcph_json_add_member(buf, "modelId", agent->model_id);
    mcph_buf_addc(buf, '}');
}

static void
put_errors_of(const struct mcph_chatos_apps *apps, const struct mcph_chatos_entry *entry,
              struct mcph_buf *errors)
{
    for (size_t i = 0; i < apps->flaws.n; i++) {
        const struct mcph_chatos_flaw *flaw = apps->flaws.items[i];

        if (!flaw->plugin || !flaw->app || strcmp(flaw->plugin, entry->plugin->id) != 0 ||
            strcmp(flaw->app, entry->app->id) != 0)
            continue;
        mcph_json_add_comma(errors);
        mcph_json_add_str(errors, flaw->message);
    }
}

static int
put_entry(const struct mcph_chatos_apps *apps, const struct mcph_chatos_entry *entry,
          struct mcph_buf *buf, struct mcph_buf *errors)
{
    const struct mcph_chatos_offer *offer = entry->offers ? &entry->offer : NULL;
    int r;

    put_errors_of(apps, entry, errors);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "pluginId", entry->plugin->id);
    mcph_json_add_member(buf, "appId", entry->app->id);
    mcph_json_add_member(buf, "name", entry->app->name);
    mcph_json_add_key(buf, "mcp");
    r = mcph_chatos_put_server(entry, buf);
    if (r == 0)
        r = put_prompt(buf, entry, errors);
    put_agent(buf, offer ? offer->agent : NULL);
    put_exposed(buf, "mcpServers", offer ? offer->servers : NULL);
    put_exposed(buf, "prompts", offer ? offer->prompts : NULL);
    mcph_json_add_key(buf, "errors");
    mcph_buf_addc(buf, '[');
    mcph_buf_add(buf, errors->data, errors->len);
    mcph_buf_adds(buf, "]}");
    if (r == 0)
        r = mcph_buf_ok(errors);
    return r < 0 ? r : mcph_buf_ok(buf);
}

int
mcph_chatos_put_contribution(const struct mcph_chatos_apps *apps, const char *plugin,
                             const char *app, struct mcph_buf *buf,
                             mcphost_error **reterr)
{
    const struct mcph_chatos_entry *entry = NULL;
    struct mcph_buf errors;
    int r = mcph_chatos_apps_find(apps, plugin, app, &entry);

    if (r < 0)
        return mcph_err(reterr, r, "there is no app '%s' of a plugin '%s'", app, plugin);
    mcph_buf_init(&errors, buf->max);
    r = put_entry(apps, entry, buf, &errors);
    mcph_buf_done(&errors);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}
