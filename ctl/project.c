/* SPDX-License-Identifier: MIT
 *
 * project.c - the command `project`: print the tools in the form that a provider of
 * models accepts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ctl.h"
#include "words.h"

static const struct {
    const char *name;
    int shape, profile;
} providers[] = {
    {"openai", MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_OPENAI},
    {"openai-strict", MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_OPENAI_STRICT},
    {"openai-responses", MCPHOST_SHAPE_OPENAI_RESPONSES, MCPHOST_PROFILE_OPENAI},
    {"openai-responses-strict", MCPHOST_SHAPE_OPENAI_RESPONSES,
     MCPHOST_PROFILE_OPENAI_STRICT},
    {"anthropic", MCPHOST_SHAPE_ANTHROPIC, MCPHOST_PROFILE_ANTHROPIC},
    {"gemini", MCPHOST_SHAPE_GEMINI, MCPHOST_PROFILE_GEMINI},
    {"moonshot", MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_MOONSHOT},
};

enum { N_PROVIDERS = sizeof(providers) / sizeof(providers[0]) };

int
provider_find(const char *name, int *ret_shape, int *ret_profile)
{
    for (int i = 0; i < N_PROVIDERS; i++) {
        if (strcmp(providers[i].name, name) == 0) {
            *ret_shape = providers[i].shape;
            *ret_profile = providers[i].profile;
            return 1;
        }
    }
    return 0;
}

const char *
project_provider(size_t index)
{
    return index < N_PROVIDERS ? providers[index].name : NULL;
}

/* Prints the names of all providers, and suggests a similar name if there is one. */
static void
say_unknown(struct ctl *ctl, const char *const *names)
{
    const char *meant = words_suggest(ctl->opt.provider, names);
    struct text t = {0};

    for (int i = 0; names[i]; i++)
        text_printf(&t, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " and ", names[i]);
    say(ctl, "--for: no provider '%s'%s%s%s; there are %s", ctl->opt.provider,
        meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "",
        text_failed(&t) ? "others" : t.data);
    text_free(&t);
}

/* Returns the index of the provider in the table, or -1 after printing the reason. */
static int
find_provider(struct ctl *ctl)
{
    const char *names[N_PROVIDERS + 1] = {NULL};
    if (!ctl->opt.provider) {
        say(ctl, "'project' needs --for PROVIDER, such as --for openai");
        return -1;
    }
    for (int i = 0; i < N_PROVIDERS; i++) {
        if (strcmp(providers[i].name, ctl->opt.provider) == 0)
            return i;
        names[i] = providers[i].name;
    }
    say_unknown(ctl, names);
    return -1;
}

static int
print_rows(struct ctl *ctl, const mcphost_projection *projection)
{
    struct text t = {0};
    size_t len = 0;
    const char *s = mcphost_projection_get_json(projection, &len);
    int status;

    put_begin(&t, '{');
    put_key(&t, "for");
    put_str(&t, ctl->opt.provider);
    put_key(&t, "tools");
    put_raw(&t, s, len);
    put_key(&t, "problems");
    put_begin(&t, '[');
    for (size_t i = 0; i < mcphost_projection_count_problems(projection); i++)
        row_problem(&t, mcphost_projection_get_problem(projection, i));
    put_end(&t, ']');
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

/* Prints the list with indentation, or unchanged if jansson cannot parse it.  Prints the
 * problems to stderr. */
static int
print_list(struct ctl *ctl, const mcphost_projection *projection)
{
    size_t len = 0;
    const char *s = mcphost_projection_get_json(projection, &len);
    json_t *parsed = json_loadb(s, len, JSON_ALLOW_NUL, NULL);
    char *pretty = parsed ? json_dumps(parsed, JSON_INDENT(2)) : NULL;
    struct text t = {0};
    int status;

    text_add(&t, pretty ? pretty : s, pretty ? strlen(pretty) : len);
    status = print_json(ctl, &t);
    for (size_t i = 0; i < mcphost_projection_count_problems(projection); i++) {
        mcphost_problem *problem = mcphost_projection_get_problem(projection, i);

        say(ctl, "%s: %s",
            name_of(MCPHOST_ENUM_SEVERITY, mcphost_problem_get_severity(problem)),
            mcphost_problem_get_message(problem));
    }
    text_free(&t);
    free(pretty);
    json_decref(parsed);
    return status;
}

int
cmd_project(struct ctl *ctl)
{
    mcphost_catalog *catalog = NULL;
    mcphost_projection *projection = NULL;
    mcphost_error *err = NULL;
    int provider = find_provider(ctl), r, bad;

    if (provider < 0)
        return STATUS_USAGE;
    r = ctl_open(ctl);
    if (r == 0)
        r = ctl_wait_ready(ctl);
    if (r)
        return r;
    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) < 0)
        return out_of_memory(ctl);
    bad = ctl_servers_status(ctl, 1);
    r = mcphost_projection_new(catalog, providers[provider].shape,
                               providers[provider].profile, 0, &projection, &err);
    if (r < 0) {
        say_error(ctl, r, err);
        r = STATUS_SERVER;
    } else {
        r = ctl->opt.json ? print_rows(ctl, projection) : print_list(ctl, projection);
    }
    mcphost_projection_unref(projection);
    mcphost_catalog_unref(catalog);
    mcphost_error_unref(err);
    return r ? r : bad;
}
