/* SPDX-License-Identifier: MIT
 *
 * names.c - keep the names, short descriptions and arguments that servers offer, for the
 * completion of command lines.
 *
 * The names are kept in $XDG_CACHE_HOME/mcphost/names.json, so that a completion seldom
 * has to start servers.  The key of the names contains salted hashes of the servers'
 * entries.  Therefore the names of a configuration are not used after the configuration
 * has changed.  Entries may hold secrets, but the file has only hashes of the entries.
 * Only the file's owner can read the file.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"
#include "keep.h"
#include "names.h"
#include "term.h"

#define FILE_NAME "names.json"
#define FORMAT    1
#define FILE_MOST ((size_t)4 << 20)
/* Times in seconds.  Names are fresh for LIFE if all servers came up, else for LIFE_PART.
 * Names that are no longer fresh stay in the file for OLD. */
#define LIFE      900
#define LIFE_PART 60
#define OLD       (7 * 24 * 3600)

enum {
    KEPT_MAX = 16,
    ARGUMENTS_MAX = 64,
    VALUES_MAX = 32,
    WORD_MAX = 1024,
    ABOUT_MAX = 72
};

/* ---- one name ---------------------------------------------------------------------- */

int
name_is_fit(const char *s)
{
    size_t len = s ? strlen(s) : 0;

    if (len == 0 || len > WORD_MAX)
        return 0;
    for (size_t i = 0, n; i < len; i += n) {
        if (text_is_harmful(utf8_next(s + i, len - i, &n)))
            return 0;
    }
    return 1;
}

/* Sets the description, on one line and of at most ABOUT_MAX bytes. */
static void
set_about(json_t *object, const char *s, size_t len)
{
    struct text t = {0};
    size_t end = 0, n = 0;

    if (!s || len == 0)
        return;
    term_flatten(&t, s, len < 16 * ABOUT_MAX ? len : 16 * ABOUT_MAX);
    while (end < t.len && end + n <= ABOUT_MAX) {
        end += n;
        (void)utf8_next(t.data + end, t.len - end, &n);
    }
    if (!text_failed(&t) && end > 0)
        json_object_set_new(object, "d", json_stringn(t.data, end));
    text_free(&t);
}

/* Adds a name to the list and returns the name's object.  The list owns the object.
 * Returns NULL if the name is not fit to be offered, or if memory is short. */
static json_t *
add_name(json_t *list, const char *s, const char *about, size_t about_len)
{
    json_t *object;

    if (!name_is_fit(s))
        return NULL;
    object = json_object();
    if (json_object_set_new(object, "n", json_string(s)) < 0 ||
        json_array_append(list, object) < 0) {
        json_decref(object);
        return NULL;
    }
    json_decref(object);
    set_about(object, about, about_len);
    return object;
}

static void
set_server(json_t *object, const char *source, const char *server)
{
    char room[NAME_SIZE];
    const char *name = full_name(room, source, server);

    if (object && name)
        json_object_set_new(object, "s", json_string(name));
}

/* ---- arguments --------------------------------------------------------------------- */

/* Sets the member `v` of `object` to the values that a property can have: the strings in
 * `enum` of its schema or, without `enum`, "true" and "false" for a boolean. */
static void
set_values(json_t *object, const json_t *schema)
{
    const json_t *one, *list = json_object_get(schema, "enum");
    const char *type = json_string_value(json_object_get(schema, "type"));
    json_t *values = json_array();
    size_t i;

    if (!list && type && strcmp(type, "boolean") == 0) {
        json_array_append_new(values, json_string("true"));
        json_array_append_new(values, json_string("false"));
    }
    json_array_foreach(list, i, one)
    {
        if (i < VALUES_MAX && name_is_fit(json_string_value(one)))
            json_array_append(values, (json_t *)one);
    }
    if (json_array_size(values) > 0)
        json_object_set(object, "v", values);
    json_decref(values);
}

/* Returns true if KEY=VALUE with this key cannot be taken for another kind of
 * argument. */
static int
is_key(const char *s)
{
    return !strchr(s, '=') && !strchr("@-{[\" ", *s) && s[strlen(s) - 1] != ':';
}

static void
add_argument(json_t *list, const char *name, const json_t *about, const json_t *schema)
{
    json_t *object;

    if (!name || !*name || !is_key(name) || json_array_size(list) >= ARGUMENTS_MAX)
        return;
    object = add_name(list, name, json_string_value(about), json_string_length(about));
    if (object && schema)
        set_values(object, schema);
}

static void
set_tool_arguments(json_t *object, const mcphost_tool *tool)
{
    size_t len = 0;
    const char *s = mcphost_tool_get_input_schema(tool, &len), *key;
    json_t *schema = s ? json_loadb(s, len, 0, NULL) : NULL, *one;
    json_t *list = json_array();

    json_object_foreach(json_object_get(schema, "properties"), key, one)
    {
        add_argument(list, key, json_object_get(one, "description"), one);
    }
    json_object_set_new(object, "a", list);
    json_decref(schema);
}

static void
set_prompt_arguments(json_t *object, const mcphost_prompt *prompt)
{
    size_t len = 0, i;
    const char *s = mcphost_prompt_get_arguments(prompt, &len);
    json_t *arguments = s ? json_loadb(s, len, 0, NULL) : NULL, *one;
    json_t *list = json_array();

    json_array_foreach(arguments, i, one)
    {
        add_argument(list, json_string_value(json_object_get(one, "name")),
                     json_object_get(one, "description"), NULL);
    }
    json_object_set_new(object, "a", list);
    json_decref(arguments);
}

/* ---- the names of a catalog -------------------------------------------------------- */

static void
add_tools(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++) {
        const mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);
        const char *name = mcphost_tool_get_name(tool);
        size_t len = 0;
        const char *about = mcphost_tool_get_description(tool, &len);
        json_t *object = add_name(list, name, about, len);

        if (object)
            set_tool_arguments(object, tool);
    }
}

static void
add_prompts(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_prompts(catalog); i++) {
        const mcphost_prompt *prompt = mcphost_catalog_get_prompt(catalog, i);
        const char *name = mcphost_prompt_get_name(prompt);
        size_t len = 0;
        const char *about = mcphost_prompt_get_description(prompt, &len);
        json_t *object = add_name(list, name, about, len);

        set_server(object, mcphost_prompt_get_source_id(prompt),
                   mcphost_prompt_get_server_id(prompt));
        if (object) {
            json_object_set_new(object, "o",
                                json_string(mcphost_prompt_get_original_name(prompt)));
            set_prompt_arguments(object, prompt);
        }
    }
}

static void
add_resources(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_resources(catalog); i++) {
        const mcphost_resource *resource = mcphost_catalog_get_resource(catalog, i);
        const char *uri = mcphost_resource_get_uri(resource);
        size_t len = 0;
        const char *about = mcphost_resource_get_name(resource, &len);

        set_server(add_name(list, uri, about, len),
                   mcphost_resource_get_source_id(resource),
                   mcphost_resource_get_server_id(resource));
    }
}

static void
add_templates(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_resource_templates(catalog); i++) {
        const mcphost_resource_template *template =
            mcphost_catalog_get_resource_template(catalog, i);
        const char *text = mcphost_resource_template_get_uri_template(template);
        size_t len = 0;
        const char *about = mcphost_resource_template_get_name(template, &len);

        set_server(add_name(list, text, about, len),
                   mcphost_resource_template_get_source_id(template),
                   mcphost_resource_template_get_server_id(template));
    }
}

static void
add_skills(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);
        size_t len = 0;
        const char *about = mcphost_skill_get_description(skill, &len);

        set_server(add_name(list, mcphost_skill_get_name(skill, NULL), about, len),
                   mcphost_skill_get_source_id(skill),
                   mcphost_skill_get_server_id(skill));
    }
}

static void
add_toolsets(json_t *list, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        add_name(list, mcphost_catalog_get_toolset(catalog, i), NULL, 0);
    }
}

static json_t *
make_names(const mcphost_catalog *catalog)
{
    static const struct {
        const char *key;
        void (*add)(json_t *list, const mcphost_catalog *catalog);
    } kinds[] = {
        {NAMES_TOOLS, add_tools},         {NAMES_PROMPTS, add_prompts},
        {NAMES_RESOURCES, add_resources}, {NAMES_TEMPLATES, add_templates},
        {NAMES_SKILLS, add_skills},       {NAMES_TOOLSETS, add_toolsets},
    };
    json_t *names = json_object();

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        json_t *list = json_array();

        kinds[i].add(list, catalog);
        json_object_set_new(names, kinds[i].key, list);
    }
    return names;
}

/* ---- the file ---------------------------------------------------------------------- */

struct store {
    int dir; /* the cache directory; -1 if it cannot be opened */
    unsigned char salt[KEEP_SALT];
    json_t *kept;    /* an array of {key, until, names} */
    struct text key; /* the key of the present configuration */
};

static void
put_servers(struct text *t, const char *source, const mcphost_config *config,
            const unsigned char *salt)
{
    char hash[MCPHOST_CONFIG_HASH_SIZE];

    put_begin(t, '[');
    put_str(t, source);
    put_str(t, mcphost_config_get_workspace(config));
    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        put_str(t, mcphost_config_server_get_id(config, i));
        put_int(t, mcphost_config_server_get_state(config, i));
        for (int which = MCPHOST_CONFIG_HASH_LAUNCH; which <= MCPHOST_CONFIG_HASH_VIEW;
             which++) {
            if (mcphost_config_server_get_hash(config, i, which, salt, KEEP_SALT, hash) ==
                0)
                put_str(t, hash);
        }
    }
    put_end(t, ']');
}

static void
make_key(const struct ctl *ctl, struct store *store)
{
    struct text *t = &store->key;

    put_begin(t, '[');
    put_int(t, ctl->opt.names);
    put_int(t, ctl->opt.admin);
    put_servers(t, NULL, ctl->config, store->salt);
    for (size_t i = 0; i < ctl->n_sources; i++)
        put_servers(t, ctl->sources[i].id, ctl->sources[i].config, store->salt);
    put_end(t, ']');
}

static int
read_store(struct store *store)
{
    struct text t = {0};
    json_t *root = NULL;
    int r = -1;

    if (keep_read(store->dir, FILE_NAME, FILE_MOST, &t) == 0)
        root = json_loadb(t.data ? t.data : "", t.len, JSON_REJECT_DUPLICATES, NULL);
    if (json_integer_value(json_object_get(root, "format")) == FORMAT &&
        keep_read_salt(root, store->salt) == 0) {
        store->kept = json_incref(json_object_get(root, "kept"));
        r = 0;
    }
    json_decref(root);
    text_free(&t);
    return r;
}

static void
store_close(struct store *store)
{
    if (store->dir >= 0)
        close(store->dir);
    json_decref(store->kept);
    text_free(&store->key);
}

/* Opens the directory.  Then reads the file or makes a new salt.  Returns 0, or -1 if
 * nothing can be kept. */
static int
store_open(struct store *store, const struct ctl *ctl)
{
    *store = (struct store){.dir = keep_open()};
    if (store->dir >= 0 && (read_store(store) == 0 || keep_make_salt(store->salt) == 0)) {
        make_key(ctl, store);
        if (!text_failed(&store->key))
            return 0;
    }
    store_close(store);
    return -1;
}

/* Finds the names that are kept for this configuration, even if they are old.  Returns
 * NULL if no names are kept. */
static json_t *
store_find(const struct store *store)
{
    json_t *one;
    size_t i;

    json_array_foreach(store->kept, i, one)
    {
        const char *key = json_string_value(json_object_get(one, "key"));

        if (key && strcmp(key, store->key.data) == 0)
            return one;
    }
    return NULL;
}

/* Returns the seconds for which the names are still fresh.  Returns 0 if the names are
 * not fresh, or if the clock was set back. */
static json_int_t
seconds_left(const json_t *one)
{
    json_int_t left = json_integer_value(json_object_get(one, "until")) - time(NULL);

    return left > 0 && left <= LIFE ? left : 0;
}

/* Makes the new contents of the file: these names first, then the kept names of other
 * configurations, except names that are too old.  Keeps at most KEPT_MAX
 * configurations. */
static json_t *
make_kept(const struct store *store, json_t *names, int life)
{
    json_t *kept = json_array(), *one;
    json_int_t now = time(NULL);
    size_t i;

    json_array_append_new(kept, json_pack("{s:s, s:I, s:O}", "key", store->key.data,
                                          "until", now + life, "names", names));
    json_array_foreach(store->kept, i, one)
    {
        json_int_t until = json_integer_value(json_object_get(one, "until"));

        if (one != store_find(store) && until > now - OLD &&
            json_array_size(kept) < KEPT_MAX)
            json_array_append(kept, one);
    }
    return kept;
}

/* Writes the file.  Returns 0, or -1 if the file would be too long or memory is short. */
static int
write_kept(const struct store *store, const json_t *kept)
{
    char *json = json_dumps(kept, JSON_COMPACT);
    struct text t = {0};
    int r = -1;

    put_begin(&t, '{');
    put_key(&t, "format");
    put_int(&t, FORMAT);
    keep_put_salt(&t, store->salt);
    put_key(&t, "kept");
    put_raw(&t, json, json ? strlen(json) : 0);
    put_end(&t, '}');
    text_puts(&t, "\n");
    if (json && !text_failed(&t) && t.len <= FILE_MOST) {
        keep_replace(store->dir, FILE_NAME, &t);
        r = 0;
    }
    free(json);
    text_free(&t);
    return r;
}

static void
store_write(const struct store *store, json_t *names, int life)
{
    json_t *kept = make_kept(store, names, life);

    while (json_array_size(kept) > 0 && write_kept(store, kept) < 0)
        json_array_remove(kept, json_array_size(kept) - 1);
    json_decref(kept);
}

/* ---- the functions of names.h ------------------------------------------------------ */

json_t *
names_find(const struct ctl *ctl, int any_age)
{
    struct store store;
    json_t *one, *names = NULL;

    if (store_open(&store, ctl) < 0)
        return NULL;
    one = store_find(&store);
    if (one && (any_age || seconds_left(one) > 0))
        names = json_incref(json_object_get(one, "names"));
    store_close(&store);
    return names;
}

/* Keeps the names.  Fresh names are replaced only if two conditions hold.  First, the new
 * names are the names of all servers (`is_whole`).  Second, the new names differ from the
 * kept names, or the kept names are fresh for less than half of LIFE. */
static void
keep_names(const struct ctl *ctl, json_t *names, int is_whole)
{
    struct store store;
    json_int_t left = 0;
    json_t *one;

    if (store_open(&store, ctl) < 0)
        return;
    one = store_find(&store);
    if (one)
        left = seconds_left(one);
    if (left == 0 || (is_whole && (left < LIFE / 2 ||
                                   !json_equal(json_object_get(one, "names"), names))))
        store_write(&store, names, is_whole ? LIFE : LIFE_PART);
    store_close(&store);
}

json_t *
names_keep(struct ctl *ctl)
{
    int is_whole = ctl->ready && ctl_servers_status(ctl, 0) == STATUS_OK;
    mcphost_catalog *catalog = NULL;
    json_t *names = NULL;

    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) == 0) {
        names = make_names(catalog);
        keep_names(ctl, names, is_whole);
    }
    mcphost_catalog_unref(catalog);
    return names;
}
