/* SPDX-License-Identifier: MIT
 *
 * catalog.c - commands that show catalogs, the states of servers, and problems.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* Returns a reference to the catalog of a dialog or, if `dialog` is NULL, of the default
 * view. */
static mcphost_catalog *
get_catalog(const char *dialog)
{
    mcphost_catalog *catalog;
    int r = dialog ? mcphost_dialog_get_catalog(thing_find(THING_DIALOG, dialog)->object,
                                                &catalog)
                   : mcphost_view_get_catalog(mcphost_default_view(sc.host), &catalog);

    if (r < 0)
        die("there is no catalog: %s", mcphost_strerror(r));
    return catalog;
}

/* Prints the names of the catalog's tools, and drops the reference to the catalog. */
static void
show_tools(mcphost_catalog *catalog)
{
    struct text names = {0};

    text_add(&names, "", 0);
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        text_format(&names, " %s",
                    mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i)));
    say("tools:%s", names.p);
    text_free(&names);
    mcphost_catalog_unref(catalog);
}

static mcphost_catalog *
get_turns_catalog(const char *turn)
{
    mcphost_catalog *catalog;

    if (mcphost_turn_get_catalog(thing_find(THING_TURN, turn)->object, &catalog) < 0)
        die("the turn has no catalog");
    return catalog;
}

static void
show_tool(const char *name)
{
    mcphost_catalog *catalog = get_catalog(NULL);
    mcphost_tool *tool = mcphost_catalog_find_tool(catalog, name);

    if (tool) {
        const char *server = mcphost_tool_get_server_id(tool);
        const char *description = mcphost_tool_get_description(tool, NULL);

        say("tool: %s %s %s %s", server ? server : "-", mcphost_tool_get_toolset(tool),
            mcphost_tool_get_original_name(tool), description ? description : "-");
    } else {
        say("tool: none");
    }
    mcphost_catalog_unref(catalog);
}

static bool
has_tool(const void *arg)
{
    mcphost_catalog *catalog = get_catalog(NULL);
    mcphost_tool *tool = mcphost_catalog_find_tool(catalog, arg);

    mcphost_catalog_unref(catalog);
    return tool != NULL;
}

static bool
lacks_tool(const void *arg)
{
    return !has_tool(arg);
}

static void
show_offers(const char *what)
{
    mcphost_catalog *catalog = get_catalog(NULL);
    struct text names = {0};

    text_add(&names, "", 0);
    if (strcmp(what, "resources") == 0) {
        for (size_t i = 0; i < mcphost_catalog_count_resources(catalog); i++)
            text_format(
                &names, " %s",
                mcphost_resource_get_uri(mcphost_catalog_get_resource(catalog, i)));
    } else if (strcmp(what, "templates") == 0) {
        for (size_t i = 0; i < mcphost_catalog_count_resource_templates(catalog); i++)
            text_format(&names, " %s",
                        mcphost_resource_template_get_uri_template(
                            mcphost_catalog_get_resource_template(catalog, i)));
    } else {
        for (size_t i = 0; i < mcphost_catalog_count_prompts(catalog); i++)
            text_format(&names, " %s",
                        mcphost_prompt_get_name(mcphost_catalog_get_prompt(catalog, i)));
    }
    say("%s:%s", what, names.p);
    text_free(&names);
    mcphost_catalog_unref(catalog);
}

static void
show_servers(void)
{
    mcphost_status *status;

    if (mcphost_get_status(sc.host, &status) < 0)
        die("there is no status");
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        int state = mcphost_status_server_get_state(status, i);

        say("%s %s", mcphost_status_server_get_id(status, i),
            mcphost_enum_get_name(MCPHOST_ENUM_SERVER_STATE, state));
    }
    mcphost_status_unref(status);
}

/* Prints the error of a server. */
static void
show_why(const char *id)
{
    mcphost_error *err = NULL;
    mcphost_status *status;

    if (mcphost_get_status(sc.host, &status) < 0)
        die("there is no status");
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        if (strcmp(mcphost_status_server_get_id(status, i), id) == 0)
            err = mcphost_status_server_get_error(status, i);
    if (err)
        say_error("why", mcphost_error_get_code(err), mcphost_error_ref(err));
    else
        say("why: none");
    mcphost_status_unref(status);
}

static int
compare_ids(const void *a, const void *b)
{
    return strcmp(mcphost_problem_get_id(*(mcphost_problem *const *)a),
                  mcphost_problem_get_id(*(mcphost_problem *const *)b));
}

static void
show_problems(void)
{
    mcphost_problem **sorted;
    mcphost_problems *problems;
    size_t n;

    if (mcphost_get_problems(sc.host, &problems) < 0)
        die("there is no list of problems");
    n = mcphost_problems_count(problems);
    sorted = calloc(n + 1, sizeof(*sorted));
    if (!sorted)
        die("out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = mcphost_problems_get(problems, i);
    qsort(sorted, n, sizeof(*sorted), compare_ids);
    for (size_t i = 0; i < n; i++) {
        int severity = mcphost_problem_get_severity(sorted[i]);

        say("%s %s", mcphost_enum_get_name(MCPHOST_ENUM_SEVERITY, severity),
            mcphost_problem_get_id(sorted[i]));
    }
    say("problems: %zu", n);
    free(sorted);
    mcphost_problems_unref(problems);
}

static void
show_projection(const char *shape, const char *profile)
{
    mcphost_catalog *catalog = get_catalog(NULL);
    mcphost_projection *projection;
    mcphost_error *err = NULL;
    int r = mcphost_projection_new(catalog, enum_value(MCPHOST_ENUM_SHAPE, shape),
                                   enum_value(MCPHOST_ENUM_PROFILE, profile), 0,
                                   &projection, &err);

    if (r < 0) {
        say_error("projection", r, err);
    } else {
        say("projection: %s", mcphost_projection_get_json(projection, NULL));
        mcphost_projection_unref(projection);
    }
    mcphost_catalog_unref(catalog);
}

bool
run_catalog(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "tools") == 0)
        show_tools(get_catalog(c->n > 1 ? c->words[1] : NULL));
    else if (strcmp(name, "turn-tools") == 0)
        show_tools(get_turns_catalog(c->words[1]));
    else if (strcmp(name, "tool") == 0)
        show_tool(c->words[1]);
    else if (strcmp(name, "until") == 0)
        wait_until(has_tool, c->words[1]);
    else if (strcmp(name, "until-not") == 0)
        wait_until(lacks_tool, c->words[1]);
    else if (strcmp(name, "servers") == 0)
        show_servers();
    else if (strcmp(name, "why") == 0)
        show_why(c->words[1]);
    else if (strcmp(name, "problems") == 0)
        show_problems();
    else if (strcmp(name, "resources") == 0 || strcmp(name, "templates") == 0 ||
             strcmp(name, "prompts") == 0)
        show_offers(name);
    else if (strcmp(name, "projection") == 0)
        show_projection(c->words[1], c->words[2]);
    else
        return false;
    return true;
}
