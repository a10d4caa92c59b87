/* SPDX-License-Identifier: MIT
 *
 * offers.c - what servers offer besides tools: resources, templates, prompts, which are
 * listed, read, asked for and completed.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "term.h"

/* ---- one of them ------------------------------------------------------------------- */

struct part {
    const char *s;
    size_t len;
};

/* A resource, a template or a prompt. */
struct offer {
    const char *name;     /* what is told apart by: the URI, the template, the name */
    const char *original; /* of a prompt */
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
    const char *key; /* of `name` in JSON */
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

/* Opens the host and waits for the servers; the catalog is the caller's.  Returns 0 or a
 * status. */
static int
start(struct ctl *ctl, mcphost_catalog **ret)
{
    int status = ctl_open(ctl);

    if (status == 0)
        status = ctl_wait_ready(ctl);
    if (status == 0 && mcphost_view_get_catalog(mcphost_default_view(ctl->host), ret) < 0)
        status = out_of_memory(ctl);
    return status;
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
    int bad, status = start(ctl, &catalog);

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

/* ---- which server ------------------------------------------------------------------ */

/* Whether a server has what is looked for; `name` is that of the server. */
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

/* The servers that fit, "'a', 'b'"; their number.  `name` is the first one's. */
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

/* The first rule that any server fits says which they are. */
static fits_fn *const rules_of[][4] = {
    [OFFER_RESOURCES] = {lists_resource, has_template_of, is_server, NULL},
    [OFFER_TEMPLATES] = {lists_template, is_server, NULL},
    [OFFER_PROMPTS] = {lists_prompt, NULL},
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

/* The one server that is meant.  Returns 0 or, told, a status. */
static int
pick(struct ctl *ctl, const mcphost_catalog *catalog, int kind, const char *wanted,
     char name[NAME_SIZE])
{
    struct text names = {0};
    size_t n;

    if (ctl->opt.server) {
        if (!mcphost_catalog_find_server(catalog, ctl->opt.server)) {
            say(ctl, "no server '%s'", ctl->opt.server);
            return STATUS_USAGE;
        }
        snprintf(name, NAME_SIZE, "%s", ctl->opt.server);
        return 0;
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

/* The name that the catalog has for a prompt, which --server may name as its server does.
 * Returns 0 or, told, a status. */
static int
find_prompt(struct ctl *ctl, const mcphost_catalog *catalog, const char *wanted,
            const char **ret)
{
    const mcphost_prompt *prompt = mcphost_catalog_find_prompt(catalog, wanted);
    const mcphost_server *server;
    char name[NAME_SIZE];
    int status;

    *ret = wanted;
    if (prompt && !ctl->opt.server)
        return 0;
    status = pick(ctl, catalog, OFFER_PROMPTS, wanted, name);
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

/* ---- calls ------------------------------------------------------------------------- */

/* Runs the call that `r` says was made. */
static int
run(struct ctl *ctl, int r, mcphost_call *call, mcphost_error *err, print_fn *print)
{
    int status = r < 0 ? call_failed(ctl, r, err, 1) : call_run(ctl, call, print);

    mcphost_call_unref(call);
    mcphost_error_unref(err);
    return status;
}

int
cmd_read(struct ctl *ctl)
{
    const char *uri = ctl->opt.args[0];
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int r, status = call_find_save(ctl);

    if (status == 0)
        status = start(ctl, &catalog);
    if (status == 0)
        status = pick(ctl, catalog, OFFER_RESOURCES, uri, name);
    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        if (r == 0)
            r = mcphost_call_new_read(dialog, name, uri, &call, &err);
        status = run(ctl, r, call, err, result_print);
    }
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    return status;
}

/* Texts, whatever they look like: {"k":"v"}.  Returns 0 or, told, STATUS_USAGE. */
static int
put_pairs(struct ctl *ctl, struct text *t, char **pairs, int n)
{
    put_begin(t, '{');
    for (int i = 0; i < n; i++) {
        char *equals = strchr(pairs[i], '=');

        if (!equals || equals == pairs[i]) {
            say(ctl, "'%s' is no key=value", pairs[i]);
            return STATUS_USAGE;
        }
        *equals = '\0';
        put_key(t, pairs[i]);
        put_str(t, equals + 1);
        *equals = '=';
    }
    put_end(t, '}');
    return text_failed(t) ? out_of_memory(ctl) : 0;
}

int
cmd_prompt(struct ctl *ctl)
{
    struct arguments arguments = {0};
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    const char *name;
    int r,
        status = arguments_read(ctl, ctl->opt.args + 1, ctl->opt.n_args - 1, &arguments);

    if (status == 0 && arguments.n_pairs > 0)
        status = put_pairs(ctl, &arguments.json, arguments.pairs, arguments.n_pairs);
    if (status == 0)
        status = call_find_save(ctl);
    if (status == 0)
        status = start(ctl, &catalog);
    if (status == 0)
        status = find_prompt(ctl, catalog, ctl->opt.args[0], &name);
    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        if (r == 0)
            r = mcphost_call_new_prompt(dialog, name, arguments.json.data,
                                        arguments.json.len, &call, &err);
        status = run(ctl, r, call, err, result_print);
    }
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    arguments_free(&arguments);
    return status;
}

/* ---- completion -------------------------------------------------------------------- */

void
put_values(struct text *t, mcphost_result *result)
{
    int64_t total = mcphost_result_get_total(result);

    put_begin(t, '{');
    put_key(t, "values");
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_result_count_values(result); i++) {
        size_t len = 0;
        const char *s = mcphost_result_get_value(result, i, &len);

        put_text(t, s, len);
    }
    put_end(t, ']');
    put_key(t, "total");
    if (total < 0)
        put_raw(t, NULL, 0);
    else
        put_int(t, total);
    put_key(t, "hasMore");
    put_flag(t, mcphost_result_has_more(result));
    put_end(t, '}');
}

/* One a line. */
static int
values_print(struct ctl *ctl, mcphost_call *call)
{
    mcphost_result *result = mcphost_call_get_result(call);
    struct text t = {0};
    int status = STATUS_OK;

    if (ctl->opt.json) {
        put_values(&t, result);
        status = print_json(ctl, &t);
        text_free(&t);
        return status;
    }
    for (size_t i = 0; i < mcphost_result_count_values(result); i++) {
        size_t len = 0;
        const char *s = mcphost_result_get_value(result, i, &len);

        term_print(stdout, "", s ? s : "", len);
        putchar('\n');
    }
    return status;
}

/* `pair`: ARGUMENT=BEGINNING, cut in two. */
static int
complete(struct ctl *ctl, const mcphost_catalog *catalog, char *pair,
         const struct text *context)
{
    char *value = strchr(pair, '=');
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    const char *prompt = NULL;
    char server[NAME_SIZE];
    int r, status;

    if (ctl->opt.prompt)
        status = find_prompt(ctl, catalog, ctl->opt.prompt, &prompt);
    else
        status = pick(ctl, catalog, OFFER_TEMPLATES, ctl->opt.template, server);
    if (status)
        return status;
    *value++ = '\0';
    r = call_dialog(ctl, &dialog, &err);
    if (r == 0 && prompt)
        r = mcphost_call_new_complete_prompt(dialog, prompt, pair, value, context->data,
                                             context->len, &call, &err);
    else if (r == 0)
        r = mcphost_call_new_complete_template(dialog, server, ctl->opt.template, pair,
                                               value, context->data, context->len, &call,
                                               &err);
    status = run(ctl, r, call, err, values_print);
    mcphost_dialog_unref(dialog);
    return status;
}

int
cmd_complete(struct ctl *ctl)
{
    char **pairs = ctl->opt.args;
    mcphost_catalog *catalog = NULL;
    struct text context = {0};
    int status = 0;

    if (!ctl->opt.prompt == !ctl->opt.template) {
        say(ctl, "complete wants --prompt NAME or --template TEMPLATE");
        return STATUS_USAGE;
    }
    if (!strchr(pairs[0], '=') || pairs[0][0] == '=') {
        say(ctl, "'%s' is no ARGUMENT=BEGINNING", pairs[0]);
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args > 1)
        status = put_pairs(ctl, &context, pairs + 1, ctl->opt.n_args - 1);
    if (status == 0)
        status = start(ctl, &catalog);
    if (status == 0)
        status = complete(ctl, catalog, pairs[0], &context);
    mcphost_catalog_unref(catalog);
    text_free(&context);
    return status;
}

/* ---- subscriptions ----------------------------------------------------------------- */

struct hearing {
    int wanted, over; /* subscriptions; those that have ended */
    int status;
};

/* {"server":...,"uri":...,"count":...}, or the same with blanks between. */
static void
print_update(struct ctl *ctl, const mcphost_event *event)
{
    const char *uri = mcphost_event_get_uri(event);
    char room[NAME_SIZE];
    const char *server = full_name(room, mcphost_event_get_source_id(event),
                                   mcphost_event_get_server_id(event));
    struct text t = {0};

    if (ctl->opt.json) {
        put_begin(&t, '{');
        put_key(&t, "server");
        put_str(&t, mcphost_event_get_server_id(event));
        put_source(&t, mcphost_event_get_source_id(event));
        put_key(&t, "uri");
        put_str(&t, uri);
        put_key(&t, "count");
        put_int(&t, (int64_t)mcphost_event_get_count(event));
        put_end(&t, '}');
        (void)print_json(ctl, &t);
    } else {
        term_print(stdout, "", server, strlen(server));
        putchar(' ');
        term_print(stdout, "", uri, strlen(uri));
        printf(" %llu\n", (unsigned long long)mcphost_event_get_count(event));
    }
    text_free(&t);
    fflush(stdout);
}

static void
on_event(struct ctl *ctl, const mcphost_event *event)
{
    struct hearing *h = ctl->user;
    int kind = mcphost_event_get_kind(event);
    mcphost_error *err = mcphost_event_get_error(event);

    if (kind == MCPHOST_EVENT_UPDATED)
        print_update(ctl, event);
    if (kind != MCPHOST_EVENT_SUBSCRIPTION || mcphost_event_get_state(event))
        return;
    h->over++;
    h->status = status_of(ctl, mcphost_error_get_code(err));
    say_error(ctl, mcphost_error_get_code(err), err);
}

static int
until_over(struct ctl *ctl, void *arg)
{
    const struct hearing *h = arg;

    return h->over >= h->wanted || ctl->closed || ferror(stdout);
}

static int
subscribe(struct ctl *ctl, const mcphost_catalog *catalog, mcphost_dialog *dialog,
          const char *uri)
{
    mcphost_subscription *subscription;
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int r, status = pick(ctl, catalog, OFFER_RESOURCES, uri, name);

    if (status)
        return status;
    r = mcphost_subscribe(dialog, name, uri, &subscription, &err);
    if (r < 0)
        status = call_failed(ctl, r, err, 1);
    else
        mcphost_subscription_unref(subscription);
    mcphost_error_unref(err);
    return status;
}

int
cmd_subscribe(struct ctl *ctl)
{
    struct hearing h = {.wanted = ctl->opt.n_args};
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    int r, status = start(ctl, &catalog);

    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        status = r < 0 ? call_failed(ctl, r, err, 0) : 0;
    }
    ctl->on_event = on_event;
    ctl->user = &h;
    for (int i = 0; i < ctl->opt.n_args && status == 0; i++)
        status = subscribe(ctl, catalog, dialog, ctl->opt.args[i]);
    if (status == 0) {
        r = ctl_run(ctl, until_over, &h, -1);
        status = r < 0 ? status_of(ctl, r) : h.status;
    }
    ctl->on_event = NULL;
    mcphost_error_unref(err);
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    return status;
}
