/* SPDX-License-Identifier: MIT
 *
 * chatos_choice.c - choose the servers and prompts that a run of an agent gets for the
 * apps that the agent has selected (R145, R146, B.27, B.28).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/chatos_run.h"

#define NAMES_MAX   6 /* limit on the names in one notice */
#define TEXT_MAX    ((size_t)16 * 1024 * 1024)
#define PROMPTS_MAX ((size_t)12 * 1024 * 1024) /* limit on the JSON of all prompts */

/* The reasons why a run does not get a selected item.  Each reason has a notice. */
enum {
    NO_APP,
    NO_SERVER,
    SERVER_NOT_EXPOSED,
    SERVER_NOT_ALLOWED,
    NO_PROMPT,
    PROMPT_NOT_EXPOSED,
    PROMPT_NOT_ALLOWED,
    PROMPT_TOO_LARGE,
    N_NOTICES
};

static const char *const messages[N_NOTICES] = {
    [NO_APP] = "apps that are not installed",
    [NO_SERVER] = "servers that do not exist",
    [SERVER_NOT_EXPOSED] = "servers that the app does not expose",
    [SERVER_NOT_ALLOWED] = "servers that this agent may not use",
    [NO_PROMPT] = "prompts that do not exist",
    [PROMPT_NOT_EXPOSED] = "prompts that the app does not expose",
    [PROMPT_NOT_ALLOWED] = "prompts that this agent may not use",
    [PROMPT_TOO_LARGE] = "prompts for which there is no room",
};

struct choosing {
    const struct mcph_chatos_world *world;
    struct mcph_chatos_choice *choice;
    const struct mcph_chatos_ref *ref;
    const struct mcph_chatos_entry *entry;
    struct mcph_strings missing[N_NOTICES];
    struct mcph_strings prompts; /* names of the prompts that the run gets */
    int err;
};

bool
mcph_chatos_allowed(const struct mcph_chatos_mcp *mcp, int flow)
{
    return (flow == MCPHOST_CHATOS_SUB ? mcp->allow_sub : mcp->allow_main) != 0;
}

static void
keep_error(struct choosing *ch, int r)
{
    if (ch->err == 0 && r < 0)
        ch->err = r;
}

static void
add_missing(struct choosing *ch, int what, const char *name)
{
    keep_error(ch, mcph_strings_add(&ch->missing[what], name));
}

static bool
has_name(const struct mcph_strings *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcasecmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

/* Checks whether the app exposes a server or prompt, by its name or by its id.  If the
 * flag MCPHOST_CHATOS_ANY_ID is set, an app exposes everything. */
static bool
exposes_name(const struct choosing *ch, const struct mcph_chatos_expose *what,
             const char *name, const char *id)
{
    if (ch->world->flags & MCPHOST_CHATOS_ANY_ID)
        return true;
    if (!what || what->kind == MCPH_CHATOS_UNSET || what->kind == MCPH_CHATOS_OFF)
        return false;
    return what->kind == MCPH_CHATOS_ALL || has_name(&what->names, name) ||
           has_name(&what->names, id);
}

/* ---- servers ----------------------------------------------------------------------- */

static void
put_tag(struct mcph_buf *buf, const char *plugin, const char *between, const char *app)
{
    const char *parts[] = {"uiapp", *plugin ? ":" : "", plugin, between, app};

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '"');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(parts); i++)
        mcph_json_add_part(buf, parts[i], strlen(parts[i]));
    mcph_buf_addc(buf, '"');
}

static void
put_tags(struct mcph_buf *buf, const struct mcph_chatos_entry *entry)
{
    const char *plugin = entry->plugin->id, *app = entry->app->id;
    const struct mcph_strings *tags = &entry->offer.mcp->tags;

    put_tag(buf, "", "", "");
    put_tag(buf, plugin, "", "");
    put_tag(buf, plugin, ":", app);
    put_tag(buf, plugin, ".", app);
    for (size_t i = 0; i < tags->n; i++) {
        mcph_json_add_comma(buf);
        mcph_json_add_str(buf, tags->items[i]);
    }
}

static bool
is_taken(const struct choosing *ch, const char *server)
{
    const struct mcph_vec *own = &ch->choice->own;

    for (size_t i = 0; i < own->n; i++) {
        const struct mcph_chatos_entry *entry = own->items[i];

        if (strcasecmp(entry->server, server) == 0)
            return true;
    }
    return has_name(&ch->choice->global, server);
}

static void
put_server(struct choosing *ch, const char *id, const char *name,
           const struct mcph_chatos_entry *own)
{
    struct mcph_buf *buf = &ch->choice->servers;

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "id", id);
    mcph_json_add_member(buf, "name", name);
    mcph_json_add_key(buf, "app");
    mcph_json_add_bool(buf, own != NULL);
    mcph_json_add_key(buf, "tags");
    mcph_buf_addc(buf, '[');
    if (own)
        put_tags(buf, own);
    mcph_buf_adds(buf, "]}");
}

/* Takes a server of the application, or adds a notice if this run may not have the
 * server.  Always returns true, because the server exists. */
static bool
take_global(struct choosing *ch, const char *id, const char *server)
{
    if (!mcph_chatos_admin_allows(ch->world->admin, server, ch->world->flow)) {
        add_missing(ch, SERVER_NOT_ALLOWED, server);
    } else if (!is_taken(ch, server)) {
        keep_error(ch, mcph_strings_add(&ch->choice->global, server));
        put_server(ch, id, server, NULL);
    }
    return true;
}

static bool
has_own(const struct choosing *ch)
{
    const struct mcph_chatos_entry *entry = ch->entry;

    return entry->offers && entry->offer.mcp && !entry->no_server &&
           entry->offer.mcp->enabled != 0;
}

static bool
take_own(struct choosing *ch)
{
    const struct mcph_chatos_entry *entry = ch->entry;
    char *id;

    if (!has_own(ch))
        return false;
    if (!mcph_chatos_allowed(entry->offer.mcp, ch->world->flow)) {
        add_missing(ch, SERVER_NOT_ALLOWED, entry->server);
        return true;
    }
    if (is_taken(ch, entry->server))
        return true;
    id = mcph_asprintf("uiapp:%s", entry->server);
    keep_error(ch, id ? mcph_vec_add(&ch->choice->own, (void *)entry) : MCPHOST_E_NOMEM);
    put_server(ch, id, entry->server, entry);
    free(id);
    return true;
}

/* Finds a server of the application by its id.  The application's list maps the id to a
 * name.  An id that is not in the list counts as a name.  Returns NULL if the
 * configuration of the default source does not have the server. */
static const char *
find_global(const struct choosing *ch, const char *id)
{
    const struct mcph_chatos_item *item =
        mcph_chatos_admin_by_id(ch->world->admin, MCPHOST_CHATOS_SERVER, id);
    const struct mcph_config_server *server =
        ch->world->global ? mcph_config_find(ch->world->global, item ? item->name : id)
                          : NULL;

    return server ? server->id : NULL;
}

/* Finds a server of the application by its name, ignoring case.  Returns the server's id,
 * or NULL. */
static const char *
find_named(const struct choosing *ch, const char *name)
{
    const mcphost_config *global = ch->world->global;

    for (size_t i = 0; global && i < global->servers.n; i++) {
        const struct mcph_config_server *server = global->servers.items[i];

        if (strcasecmp(server->id, name) == 0)
            return server->id;
    }
    return NULL;
}

static bool
is_own_id(const struct choosing *ch, const char *id)
{
    static const char prefix[] = "uiapp:";
    size_t len = sizeof(prefix) - 1;

    if (strncmp(id, prefix, len) == 0)
        id += len;
    return strcmp(id, ch->entry->server) == 0;
}

/* Takes the server with this id: the app's own server, or a server of the application
 * that the app exposes or that has the name of the app's own server.  If the id names
 * neither, adds a notice and returns false. */
static bool
take_server_id(struct choosing *ch, const char *id)
{
    const char *server = find_global(ch, id);

    if (!server && is_own_id(ch, id) && take_own(ch))
        return true;
    if (!server) {
        add_missing(ch, NO_SERVER, id);
        return false;
    }
    if (strcasecmp(server, ch->entry->server) != 0 &&
        !exposes_name(ch, ch->entry->offers ? ch->entry->offer.servers : NULL, server,
                      id)) {
        add_missing(ch, SERVER_NOT_EXPOSED, server);
        return false;
    }
    return take_global(ch, id, server);
}

static void
choose_servers(struct choosing *ch)
{
    const struct mcph_strings *ids = &ch->ref->servers;
    const char *named;
    bool any = false;

    for (size_t i = 0; i < ids->n && ch->err == 0; i++)
        any |= take_server_id(ch, ids->items[i]);
    if (any)
        return;
    named = find_named(ch, ch->entry->server);
    if (named)
        take_global(ch, named, named);
    else if (!take_own(ch) && ids->n == 0)
        add_missing(ch, NO_SERVER, ch->entry->server);
}

/* ---- prompts ----------------------------------------------------------------------- */

static void
put_prompt(struct choosing *ch, const char *name, int language, const char *title,
           struct mcph_span text, bool app)
{
    static const char *const languages[MCPH_CHATOS_N_LANGUAGES] = {"zh", "en"};
    struct mcph_buf *buf = &ch->choice->prompts;
    size_t len = text.len + strlen(name) + (title ? strlen(title) : 0);

    if (has_name(&ch->prompts, name))
        return;
    /* Refuse a prompt whose JSON might not fit.  In JSON, a byte may become six
     * characters. */
    if (buf->len >= PROMPTS_MAX || len > (PROMPTS_MAX - buf->len) / 6) {
        add_missing(ch, PROMPT_TOO_LARGE, name);
        return;
    }
    keep_error(ch, mcph_strings_add(&ch->prompts, name));
    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", name);
    mcph_json_add_member(buf, "language", language < 0 ? NULL : languages[language]);
    mcph_json_add_member(buf, "title", title ? title : "");
    mcph_json_add_key(buf, "text");
    mcph_json_add_string(buf, text.p, text.len);
    mcph_json_add_key(buf, "app");
    mcph_json_add_bool(buf, app);
    mcph_buf_addc(buf, '}');
}

static bool
take_item(struct choosing *ch, const struct mcph_chatos_item *item, int language)
{
    bool allowed =
        ch->world->flow == MCPHOST_CHATOS_SUB ? item->allow_sub : item->allow_main;

    if (allowed)
        put_prompt(ch, item->name, language, item->title, mcph_span_str(item->content),
                   false);
    else
        add_missing(ch, PROMPT_NOT_ALLOWED, item->name);
    return true;
}

static bool
take_prompt_id(struct choosing *ch, const char *id)
{
    const struct mcph_chatos_item *item =
        mcph_chatos_admin_by_id(ch->world->admin, MCPHOST_CHATOS_PROMPT, id);

    if (!item) {
        add_missing(ch, NO_PROMPT, id);
        return false;
    }
    if (!exposes_name(ch, ch->entry->offers ? ch->entry->offer.prompts : NULL, item->name,
                      id)) {
        add_missing(ch, PROMPT_NOT_EXPOSED, item->name);
        return false;
    }
    return take_item(ch, item, -1);
}

/* Takes the application's prompt for this app in `language`.  Returns true if the
 * application has this prompt, even if the agent may not have it. */
static bool
take_named_prompt(struct choosing *ch, int language)
{
    const struct mcph_chatos_item *item = NULL;
    char *name = NULL;
    int r = mcph_chatos_prompt_name(ch->entry->server, language, &name);

    if (r == MCPHOST_E_NOMEM)
        keep_error(ch, r);
    if (name)
        item = mcph_chatos_admin_by_name(ch->world->admin, MCPHOST_CHATOS_PROMPT, name);
    free(name);
    return item && take_item(ch, item, language);
}

static bool
take_own_prompt(struct choosing *ch, int language)
{
    mcphost_error *err = NULL;
    struct mcph_buf text;
    char *name = NULL;
    int r;

    mcph_buf_init(&text, MCPH_CHATOS_PROMPT_MAX + 1);
    r = mcph_chatos_read_prompt(ch->entry, language, &text, &err);
    if (r == 0)
        r = mcph_chatos_prompt_name(ch->entry->server, language, &name);
    if (r == 0)
        put_prompt(ch, name, language, ch->entry->offer.prompt->title,
                   mcph_span(text.data, text.len), true);
    else if (r == MCPHOST_E_NOMEM)
        keep_error(ch, r);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
    free(name);
    return r == 0;
}

static bool
choose_own_prompt(struct choosing *ch)
{
    bool english = ch->world->language == MCPH_CHATOS_EN;

    return (english && take_named_prompt(ch, MCPH_CHATOS_EN)) ||
           take_named_prompt(ch, MCPH_CHATOS_ZH) ||
           (english && take_own_prompt(ch, MCPH_CHATOS_EN)) ||
           take_own_prompt(ch, MCPH_CHATOS_ZH) || take_own_prompt(ch, MCPH_CHATOS_EN);
}

static void
choose_prompts(struct choosing *ch)
{
    const struct mcph_strings *ids = &ch->ref->prompts;
    bool any = false;
    char *name = NULL;

    for (size_t i = 0; i < ids->n && ch->err == 0; i++)
        any |= take_prompt_id(ch, ids->items[i]);
    if (any || choose_own_prompt(ch) || ids->n > 0 || ch->err < 0)
        return;
    if (mcph_chatos_prompt_name(ch->entry->server, ch->world->language, &name) == 0)
        add_missing(ch, NO_PROMPT, name);
    free(name);
}

/* ---- notices ----------------------------------------------------------------------- */

static void
put_notice(struct mcph_buf *buf, const char *message, const struct mcph_strings *names)
{
    if (names->n == 0)
        return;
    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "message", message);
    mcph_json_add_key(buf, "names");
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < names->n && i < NAMES_MAX; i++) {
        mcph_json_add_comma(buf);
        mcph_json_add_str(buf, names->items[i]);
    }
    mcph_buf_addc(buf, ']');
    mcph_json_add_key(buf, "count");
    mcph_buf_addi(buf, (int64_t)names->n);
    mcph_buf_addc(buf, '}');
}

/* ---- a run ------------------------------------------------------------------------- */

void
mcph_chatos_choice_init(struct mcph_chatos_choice *choice)
{
    *choice = (struct mcph_chatos_choice){0};
    mcph_buf_init(&choice->servers, TEXT_MAX);
    mcph_buf_init(&choice->prompts, TEXT_MAX);
    mcph_buf_init(&choice->notices, TEXT_MAX);
}

void
mcph_chatos_choice_done(struct mcph_chatos_choice *choice)
{
    mcph_strings_done(&choice->global);
    mcph_vec_done(&choice->own);
    mcph_buf_done(&choice->servers);
    mcph_buf_done(&choice->prompts);
    mcph_buf_done(&choice->notices);
}

static void
choose_app(struct choosing *ch, const struct mcph_chatos_ref *ref)
{
    int r = mcph_chatos_apps_find(ch->world->apps, ref->plugin, ref->app, &ch->entry);

    ch->ref = ref;
    if (r == MCPHOST_E_NOTFOUND) {
        char *name = mcph_asprintf("%s.%s", ref->plugin, ref->app);

        if (name)
            add_missing(ch, NO_APP, name);
        else
            keep_error(ch, MCPHOST_E_NOMEM);
        free(name);
        return;
    }
    keep_error(ch, r);
    if (r == 0 && ref->mcp)
        choose_servers(ch);
    if (r == 0 && ref->prompt)
        choose_prompts(ch);
}

int
mcph_chatos_choose(const struct mcph_chatos_world *world,
                   const struct mcph_chatos_record *record,
                   struct mcph_chatos_choice *choice)
{
    struct choosing ch = {.world = world, .choice = choice};
    int r;

    for (size_t i = 0; i < record->refs.n && ch.err == 0; i++)
        choose_app(&ch, record->refs.items[i]);
    for (int i = 0; i < N_NOTICES; i++) {
        put_notice(&choice->notices, messages[i], &ch.missing[i]);
        mcph_strings_done(&ch.missing[i]);
    }
    mcph_strings_done(&ch.prompts);
    r = ch.err;
    r = r < 0 ? r : mcph_buf_ok(&choice->servers);
    r = r < 0 ? r : mcph_buf_ok(&choice->prompts);
    return r < 0 ? r : mcph_buf_ok(&choice->notices);
}
