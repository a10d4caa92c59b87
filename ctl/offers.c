/* SPDX-License-Identifier: MIT
 *
 * offers.c - resources, templates and prompts of servers: list them, and find the server
 * of a resource, template or prompt.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "term.h"

/* ---- one offer --------------------------------------------------------------------- */

struct part {
    const char *s;
    size_t len;
};

/* A resource, a template or a prompt. */
struct offer {
    const char *name;     /* the URI, the template, or the prompt's name */
    const char *original; /* the server's own name for a prompt */
    const char *server, *source;
    struct part label, title, type, description, arguments;
    int64_t size;
};

static void
get_resource(const mcphost_catalog *catalog, size_t index, struct offer *ret)
{
    const mcphost_resource *resource = mcphost_catalog_get_resource(catalog, index);

    ret->name = mcphost_resource_get_uri(resource);
    ret->server = mcphost_resource_get_server_id(resource);
    ret->source = mcphost_resource_get_source_id(resource);
    ret->label.s = mcphost_resource_get_name(resource, &ret->label.len);
    ret->title.s = mcphost_resource_get_title(resource, &ret->title.len);
    ret->type.s = mcphost_resource_get_mime_type(resource, &ret->type.len);
    ret->description.s =
        mcphost_resource_get_description(resource, &ret->description.len);
    ret->size = mcphost_resource_get_size(resource);
}

static void
get_template(const mcphost_catalog *catalog, size_t index, struct offer *ret)
{
    const mcphost_resource_template *template =
        mcphost_catalog_get_resource_template(catalog, index);

    ret->name = mcphost_resource_template_get_uri_template(template);
    ret->server = mcphost_resource_template_get_server_id(template);
    ret->source = mcphost_resource_template_get_source_id(template);
    ret->label.s = mcphost_resource_template_get_name(template, &ret->label.len);
    ret->title.s = mcphost_resource_template_get_title(template, &ret->title.len);
    ret->type.s = mcphost_resource_template_get_mime_type(template, &ret->type.len);
    ret->description.s =
        mcphost_resource_template_get_description(template, &ret->description.len);
}

static void
get_prompt(const mcphost_catalog *catalog, size_t index, struct offer *ret)
{
    const mcphost_prompt *prompt = mcphost_catalog_get_prompt(catalog, index);

    ret->name = mcphost_prompt_get_name(prompt);
    ret->original = mcphost_prompt_get_original_name(prompt);
    ret->server = mcphost_prompt_get_server_id(prompt);
    ret->source = mcphost_prompt_get_source_id(prompt);
    ret->title.s = mcphost_prompt_get_title(prompt, &ret->title.len);
    ret->description.s = mcphost_prompt_get_description(prompt, &ret->description.len);
    ret->arguments.s = mcphost_prompt_get_arguments(prompt, &ret->arguments.len);
}

/* ---- the lists --------------------------------------------------------------------- */

static const struct list {
    size_t (*count)(const mcphost_catalog *catalog);
    void (*get)(const mcphost_catalog *catalog, size_t index, struct offer *ret);
    const char *key; /* the JSON key of `name` */
    const char *heads[6];
} lists[] = {
    [OFFER_RESOURCES] = {mcphost_catalog_count_resources,
                         get_resource,
                         "uri",
                         {"SOURCE", "URI", "SERVER", "TYPE", "DESCRIPTION", NULL}},
    [OFFER_TEMPLATES] = {mcphost_catalog_count_resource_templates,
                         get_template,
                         "uriTemplate",
                         {"SOURCE", "TEMPLATE", "SERVER", "TYPE", "DESCRIPTION", NULL}},
    [OFFER_PROMPTS] = {mcphost_catalog_count_prompts,
                       get_prompt,
                       "name",
                       {"SOURCE", "NAME", "SERVER", "DESCRIPTION", NULL}},
};

static void
put_part(struct text *t, const char *key, struct part part)
{
    put_key(t, key);
    put_text(t, part.s, part.len);
}

static void
put_offer(struct text *t, int kind, const struct offer *offer)
{
    put_begin(t, '{');
    put_key(t, lists[kind].key);
    put_str(t, offer->name);
    if (kind == OFFER_PROMPTS) {
        put_key(t, "original");
        put_str(t, offer->original);
    } else {
        put_part(t, "name", offer->label);
        put_part(t, "title", offer->title);
    }
    put_key(t, "server");
    put_str(t, offer->server);
    put_source(t, offer->source);
    put_part(t, kind == OFFER_PROMPTS ? "title" : "mimeType",
             kind == OFFER_PROMPTS ? offer->title : offer->type);
    if (kind == OFFER_RESOURCES) {
        put_key(t, "size");
        if (offer->size < 0)
            put_raw(t, NULL, 0);
        else
            put_int(t, offer->size);
    }
    put_part(t, "description", offer->description);
    if (kind == OFFER_PROMPTS) {
        put_key(t, "arguments");
        put_raw(t, offer->arguments.s, offer->arguments.len);
    }
    put_end(t, '}');
}

static void
add_offer(const struct ctl *ctl, struct table *table, int kind, const struct offer *offer)
{
    const struct part *about = offer->description.s ? &offer->description : &offer->title;

    table_add_source(ctl, table, offer->source);
    table_add(table, COLOR_BOLD, offer->name);
    table_add(table, COLOR_PLAIN, offer->server);
    if (kind != OFFER_PROMPTS)
        table_add_text(table, COLOR_PLAIN, offer->type.s, offer->type.len);
    table_add_text(table, COLOR_PLAIN, about->s, about->len);
}

void
rows_offers(struct text *t, int kind, const mcphost_catalog *catalog)
{
    put_begin(t, '[');
    for (size_t i = 0; i < lists[kind].count(catalog); i++) {
        struct offer offer = {0};

        lists[kind].get(catalog, i, &offer);
        put_offer(t, kind, &offer);
    }
    put_end(t, ']');
}

static int
show_table(struct ctl *ctl, int kind, const mcphost_catalog *catalog)
{
    struct table *table = table_of_sources(ctl, lists[kind].heads);

    for (size_t i = 0; i < lists[kind].count(catalog); i++) {
        struct offer offer = {0};

        lists[kind].get(catalog, i, &offer);
        add_offer(ctl, table, kind, &offer);
    }
    return print_cut_table(ctl, table);
}

static int
show(struct ctl *ctl, int kind)
{
    mcphost_catalog *catalog = NULL;
    struct text t = {0};
    int bad, status = ctl_start(ctl, &catalog);

    if (status)
        return status;
    bad = ctl_servers_status(ctl, 1);
    if (ctl->opt.json) {
        rows_offers(&t, kind, catalog);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        status = show_table(ctl, kind, catalog);
    }
    mcphost_catalog_unref(catalog);
    return status ? status : bad;
}

int
cmd_resources(struct ctl *ctl)
{
    return show(ctl, OFFER_RESOURCES);
}

int
cmd_templates(struct ctl *ctl)
{
    return show(ctl, OFFER_TEMPLATES);
}

int
cmd_prompts(struct ctl *ctl)
{
    return show(ctl, OFFER_PROMPTS);
}

/* ---- finding a server -------------------------------------------------------------- */

/* Returns true if the server can have `wanted`.  `name` is the server's name with its
 * source. */
typedef int fits_fn(const mcphost_catalog *catalog, const mcphost_server *server,
                    const char *name, const char *wanted);

static int
lists_resource(const mcphost_catalog *catalog, const mcphost_server *server,
               const char *name, const char *wanted)
{
    (void)server;
    return mcphost_catalog_find_resource(catalog, name, wanted) != NULL;
}

static int
lists_template(const mcphost_catalog *catalog, const mcphost_server *server,
               const char *name, const char *wanted)
{
    (void)server;
    return mcphost_catalog_find_resource_template(catalog, name, wanted) != NULL;
}

static int
has_template_of(const mcphost_catalog *catalog, const mcphost_server *server,
                const char *name, const char *wanted)
{
    size_t n = mcphost_server_count_resource_templates(server);
    int found = 0;

    (void)catalog;
    (void)name;
    for (size_t i = 0; i < n && !found; i++) {
        const char *template = mcphost_resource_template_get_uri_template(
            mcphost_server_get_resource_template(server, i));
        char *values = NULL;

        found =
            template && mcphost_template_match(template, strlen(template), wanted,
                                               strlen(wanted), &values, NULL, NULL) == 0;
        mcphost_free(values);
    }
    return found;
}

static int
is_server(const mcphost_catalog *catalog, const mcphost_server *server, const char *name,
          const char *wanted)
{
    (void)catalog;
    (void)server;
    (void)name;
    (void)wanted;
    return 1;
}

static int
lists_prompt(const mcphost_catalog *catalog, const mcphost_server *server,
             const char *name, const char *wanted)
{
    size_t n = mcphost_server_count_prompts(server);

    (void)catalog;
    (void)name;
    for (size_t i = 0; i < n; i++) {
        const mcphost_prompt *prompt = mcphost_server_get_prompt(server, i);

        if (strcmp(mcphost_prompt_get_name(prompt), wanted) == 0 ||
            strcmp(mcphost_prompt_get_original_name(prompt), wanted) == 0)
            return 1;
    }
    return 0;
}

static const char *
name_of_server(char name[NAME_SIZE], const mcphost_server *server)
{
    return full_name(name, mcphost_server_get_source_id(server),
                     mcphost_server_get_id(server));
}

/* Finds the servers that fit and returns their number.  `name` gets the first server's
 * name, and `names` gets all names, as "'a', 'b'". */
static size_t
find_fitting(const mcphost_catalog *catalog, fits_fn *fits, const char *wanted,
             char name[NAME_SIZE], struct text *names)
{
    size_t found = 0;

    for (size_t i = 0; i < mcphost_catalog_count_servers(catalog); i++) {
        const mcphost_server *server = mcphost_catalog_get_server(catalog, i);
        char room[NAME_SIZE];
        const char *full = name_of_server(room, server);

        if (!fits(catalog, server, full, wanted))
            continue;
        if (found++ == 0)
            snprintf(name, NAME_SIZE, "%s", full);
        text_printf(names, "%s'%s'", names->len > 0 ? ", " : "", full);
    }
    return found;
}

/* The rules of each kind.  offers_find_server() uses the first rule that fits any
 * server. */
static fits_fn *const rules_of[][4] = {
    [OFFER_RESOURCES] = {lists_resource, has_template_of, is_server, NULL},
    [OFFER_TEMPLATES] = {lists_template, is_server, NULL},
    [OFFER_PROMPTS] = {lists_prompt, NULL},
    [OFFER_ANY] = {is_server, NULL},
};

size_t
offers_find_server(const mcphost_catalog *catalog, int kind, const char *wanted,
                   char name[NAME_SIZE], struct text *names)
{
    fits_fn *const *rule = rules_of[kind];
    size_t n = 0;

    for (; *rule && n == 0; rule++)
        n = find_fitting(catalog, *rule, wanted, name, names);
    return n;
}

int
offers_check_server(struct ctl *ctl, const mcphost_catalog *catalog)
{
    if (!ctl->opt.server || mcphost_catalog_find_server(catalog, ctl->opt.server))
        return 0;
    say(ctl, "no server '%s'", ctl->opt.server);
    return STATUS_USAGE;
}

int
offers_pick(struct ctl *ctl, const mcphost_catalog *catalog, int kind, const char *wanted,
            char name[NAME_SIZE])
{
    struct text names = {0};
    size_t n;

    if (ctl->opt.server) {
        snprintf(name, NAME_SIZE, "%s", ctl->opt.server);
        return offers_check_server(ctl, catalog);
    }
    n = offers_find_server(catalog, kind, wanted, name, &names);
    if (n == 0)
        say(ctl, "no server offers '%s'", wanted);
    else if (n > 1)
        say(ctl, "'%s' may be of several servers, say which with --server: %s", wanted,
            names.data ? names.data : "");
    text_free(&names);
    return n == 1 ? 0 : STATUS_USAGE;
}

int
offers_find_prompt(struct ctl *ctl, const mcphost_catalog *catalog, const char *wanted,
                   const char **ret)
{
    const mcphost_prompt *prompt = mcphost_catalog_find_prompt(catalog, wanted);
    const mcphost_server *server;
    char name[NAME_SIZE];
    int status;

    *ret = wanted;
    if (prompt && !ctl->opt.server)
        return 0;
    status = offers_pick(ctl, catalog, OFFER_PROMPTS, wanted, name);
    if (status)
        return status;
    server = mcphost_catalog_find_server(catalog, name);
    for (size_t i = 0; i < mcphost_server_count_prompts(server); i++) {
        prompt = mcphost_server_get_prompt(server, i);
        *ret = mcphost_prompt_get_name(prompt);
        if (strcmp(*ret, wanted) == 0 ||
            strcmp(mcphost_prompt_get_original_name(prompt), wanted) == 0)
            return 0;
    }
    say(ctl, "server '%s' has no prompt '%s'", name, wanted);
    return STATUS_USAGE;
}
