/* SPDX-License-Identifier: MIT
 *
 * steps.c - the steps of the threads.
 *
 * A thread draws its steps from a table at random.  The weight of a step in the table
 * sets how often the threads draw the step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "churn.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static char *
name(char *text, const char *kind)
{
    snprintf(text, 48, "%s%u", kind, atomic_fetch_add(&churn.ids, 1));
    return text;
}

static void *
get_shared(int kind, uint64_t *chance)
{
    return share_get(kind, churn_draw(chance, N_PLACES), false);
}

static void
share(int kind, uint64_t *chance, void *handle)
{
    share_put(kind, churn_draw(chance, N_PLACES), handle);
}

/* Returns a reference to a shared view from a random place or, sometimes, to the default
 * view.  Returns NULL if the place holds no view. */
static mcphost_view *
some_view(uint64_t *chance)
{
    if (churn_draw(chance, 3) == 0)
        return mcphost_view_ref(mcphost_default_view(churn.host));
    return get_shared(A_VIEW, chance);
}

/* ---- sources ----------------------------------------------------------------------- */

/* Arguments of the fake server, as elements of a YAML list.  Each entry selects a
 * behavior of the server. */
static const char *const manners[] = {
    "name s",
    "name s",
    "era legacy",
    "ignore eof",
    "on list', -e, ' hang",
    "on call:find', -e, ' hang",
    "on spawn', -e, ' exit 1",
    "on initialized', -e, ' changed', -e, ' changed",
    "on call:find', -e, ' progress 1 2 half', -e, ' ask elicitation/create {\"message\":"
    "\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}', -e, ' text %r",
};
static const char *const scopes[] = {"truely-stateless: true", "scope: agent",
                                     "scope: dialog"};

void
steps_load(mcphost_source *source, uint64_t *chance)
{
    mcphost_config *config;
    char text[4096];
    int len = snprintf(text, sizeof(text), "version: 1\nservers:\n");

    for (unsigned i = 0; i <= churn_draw(chance, 2); i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "  s%u:\n    transport: stdio\n    transform: []\n    %s\n"
                        "    command: '%s'\n    args: [-e, no-tools, -e, 'tool find', "
                        "-e, 'tool t%u', -e, '%s']\n",
                        i, scopes[churn_draw(chance, ARRAY_SIZE(scopes))],
                        MCPH_TEST_PROGDIR "/fakeserver", churn_draw(chance, 4),
                        manners[churn_draw(chance, ARRAY_SIZE(manners))]);
    if (mcphost_config_load_memory(text, (size_t)len, "churn", "/", &config, NULL) < 0 ||
        mcphost_config_get_status(config) < 0)
        churn_fail("a configuration is refused");
    mcphost_source_load(source, config);
    mcphost_config_unref(config);
}

static void
add_source(uint64_t *chance)
{
    unsigned place = churn_draw(chance, N_PLACES);
    mcphost_view *view = some_view(chance);
    mcphost_source *source, *old = NULL;
    char id[48];

    if (mcphost_source_new(churn.host, name(id, "source"), &source, NULL) == 0) {
        if (churn_draw(chance, 5))
            steps_load(source, chance);
        if (view)
            mcphost_view_add_source(view, source, NULL, 0);
        old = share_get(A_SOURCE, place, true);
        share_put(A_SOURCE, place, source);
    }
    if (old)
        mcphost_source_remove(old);
    mcphost_source_unref(old);
    mcphost_view_unref(view);
}

static void
change_source(uint64_t *chance)
{
    mcphost_source *source = get_shared(A_SOURCE, chance);

    if (source && churn_draw(chance, 2))
        steps_load(source, chance);
    else if (source && churn_draw(chance, 2))
        mcphost_source_restart_server(source, "s0");
    else if (source)
        mcphost_source_remove(source);
    mcphost_source_unref(source);
}

/* ---- views, dialogs, turns --------------------------------------------------------- */

static void
add_view(uint64_t *chance)
{
    mcphost_source *source = get_shared(A_SOURCE, chance);
    mcphost_view *view;
    char id[48];

    if (mcphost_view_new_layered(churn.host, name(id, "view"), &view, NULL) == 0) {
        if (source)
            mcphost_view_add_source(view, source, NULL, 0);
        mcphost_view_add_source(view, mcphost_default_source(churn.host), NULL, 0);
        mcphost_view_show_builtins(view, churn_draw(chance, 4) > 0);
        share(A_VIEW, chance, view);
    }
    mcphost_source_unref(source);
}

static void
change_view(uint64_t *chance)
{
    mcphost_source *source = get_shared(A_SOURCE, chance);
    mcphost_view *view = get_shared(A_VIEW, chance);

    if (view && source && churn_draw(chance, 2))
        mcphost_view_add_source(view, source, NULL, 0);
    else if (view && source)
        mcphost_view_remove_source(view, source);
    mcphost_view_unref(view);
    mcphost_source_unref(source);
}

static void
add_dialog(uint64_t *chance)
{
    mcphost_view *view = some_view(chance);
    mcphost_dialog *dialog;
    char id[48];

    if (view && mcphost_dialog_new(view, name(id, "dialog"), NULL, &dialog, NULL) == 0) {
        if (churn_draw(chance, 2))
            mcphost_dialog_set_agent(dialog, churn_draw(chance, 2) ? "ann" : "bob");
        share(A_DIALOG, chance, dialog);
    }
    mcphost_view_unref(view);
}

static void
close_dialog(uint64_t *chance)
{
    mcphost_dialog *dialog = get_shared(A_DIALOG, chance);

    mcphost_dialog_close(dialog);
    mcphost_dialog_unref(dialog);
}

static void
begin_turn(uint64_t *chance)
{
    mcphost_dialog *dialog = get_shared(A_DIALOG, chance);
    mcphost_view *view = some_view(chance);
    mcphost_turn *turn = NULL;

    if (dialog && churn_draw(chance, 3) == 0)
        mcphost_dialog_begin_turn(dialog);
    else if (dialog && churn_draw(chance, 2))
        mcphost_turn_new(dialog, &turn);
    else if (view)
        mcphost_turn_new_view(view, churn_draw(chance, 2) ? "ann" : NULL, &turn);
    if (turn)
        share(A_TURN, chance, turn);
    mcphost_view_unref(view);
    mcphost_dialog_unref(dialog);
}

static void
end_turn(uint64_t *chance)
{
    mcphost_dialog *dialog = get_shared(A_DIALOG, chance);
    mcphost_turn *turn = get_shared(A_TURN, chance);
    mcphost_catalog *catalog;

    if (dialog && churn_draw(chance, 2)) {
        mcphost_dialog_end_turn(dialog);
    } else if (turn) {
        mcphost_turn_is_stale(turn);
        if (mcphost_turn_get_catalog(turn, &catalog) == 0)
            mcphost_catalog_unref(catalog);
        mcphost_turn_end(turn);
    }
    mcphost_turn_unref(turn);
    mcphost_dialog_unref(dialog);
}

static void
invalidate(uint64_t *chance)
{
    mcphost_view *view = some_view(chance);

    if (view && churn_draw(chance, 2))
        mcphost_invalidate_view(view);
    else
        mcphost_invalidate_agent(churn.host, "ann");
    mcphost_view_unref(view);
}

static void
read_state(uint64_t *chance)
{
    mcphost_dialog *dialog = get_shared(A_DIALOG, chance);
    mcphost_catalog *catalog;
    mcphost_status *status;
    const char *json;
    char *dump;
    size_t len;

    if (dialog && mcphost_dialog_get_catalog(dialog, &catalog) == 0) {
        mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_MCP, NULL, &json, &len,
                                       NULL);
        mcphost_catalog_unref(catalog);
    }
    if (mcphost_get_status(churn.host, &status) == 0) {
        if (mcphost_status_make_json(status, &dump, &len) == 0)
            mcphost_free(dump);
        mcphost_status_unref(status);
    }
    mcphost_dialog_unref(dialog);
    mcphost_wake(churn.host);
}

/* ---- built-in tools ---------------------------------------------------------------- */

static const char *const owners[] = {"one", "two"};

static void
set_builtins(uint64_t *chance)
{
    static const char *const tools[] = {"own_a", "own_b"};
    const char *owner = owners[churn_draw(chance, 2)];
    mcphost_view *view = some_view(chance);
    mcphost_builtins *block;
    char json[128];

    if (view && mcphost_builtins_new(owner, &block, NULL) == 0) {
        for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
            int n = snprintf(json, sizeof(json),
                             "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}",
                             tools[i]);

            mcphost_builtins_add_tool(block, json, (size_t)n, user_builtin, user_give(),
                                      user_free, NULL);
        }
        mcphost_builtins_add_toolset(block, owner, NULL, tools, ARRAY_SIZE(tools), NULL);
        mcphost_view_set_builtins(view, block, NULL);
        mcphost_builtins_unref(block);
    }
    mcphost_view_unref(view);
}

static void
remove_builtins(uint64_t *chance)
{
    mcphost_view *view = some_view(chance);

    if (view)
        mcphost_view_remove_builtins(view, owners[churn_draw(chance, 2)]);
    mcphost_view_unref(view);
}

static void
set_before_call(uint64_t *chance)
{
    if (churn_draw(chance, 3))
        mcphost_set_before_call(churn.host, user_before_call, user_give(), user_free);
    else
        mcphost_set_before_call(churn.host, NULL, NULL, NULL);
}

/* ---- calls ------------------------------------------------------------------------- */

static void
start(mcphost_call *call, uint64_t *chance)
{
    void *given = user_give();

    if (churn_draw(chance, 2))
        mcphost_call_set_timeout(call, churn_draw(chance, 300),
                                 (int)churn_draw(chance, 2), 500);
    if (churn_draw(chance, 2))
        mcphost_call_set_progress(call, user_progress, user_give(), user_free);
    mcphost_call_set_user_data(call, given);
    if (mcphost_call_start(call, user_done, given, user_free) == 0)
        atomic_fetch_add(&churn.started, 1);
    if (churn_draw(chance, 4) == 0)
        mcphost_call_cancel(call);
    else if (churn_draw(chance, 6) == 0)
        mcphost_call_wait(call, churn_draw(chance, 30));
}

static void
call_tool(uint64_t *chance)
{
    static const char *const tools[] = {"find", "find",  "own_a",       "own_b", "t0",
                                        "t1",   "s0:t0", "mcp_release", "none"};
    mcphost_dialog *dialog = get_shared(A_DIALOG, chance);
    mcphost_call *call = NULL;

    if (dialog && churn_draw(chance, 9) == 0)
        mcphost_call_new_read(dialog, "s0", "a:b", &call, NULL);
    else if (dialog)
        mcphost_call_new(dialog, tools[churn_draw(chance, ARRAY_SIZE(tools))], "{}", 2,
                         &call, NULL);
    if (call)
        start(call, chance);
    mcphost_call_unref(call);
    mcphost_dialog_unref(dialog);
}

static void
answer(uint64_t *chance)
{
    mcphost_call *asked = share_get(AN_ASKED_CALL, churn_draw(chance, N_PLACES), true);
    mcphost_call *open = share_get(AN_OPEN_CALL, churn_draw(chance, N_PLACES), true);

    if (asked && churn_draw(chance, 2))
        mcphost_call_allow(asked);
    else if (asked)
        mcphost_call_refuse(asked, "no", 2);
    if (open) {
        mcphost_call_report_progress(open, 1, 2, NULL, 0);
        mcphost_call_answer(open, "later", 5, 0);
        mcphost_call_answer(open, "again", 5, 0);
    }
    mcphost_call_unref(asked);
    mcphost_call_unref(open);
}

/* ---- the table --------------------------------------------------------------------- */

static const struct {
    void (*run)(uint64_t *chance);
    unsigned weight;
} steps[] = {
    {add_source, 4},      {change_source, 4}, {add_view, 4},     {change_view, 4},
    {add_dialog, 40},     {close_dialog, 8},  {begin_turn, 30},  {end_turn, 30},
    {invalidate, 10},     {read_state, 20},   {set_builtins, 6}, {remove_builtins, 4},
    {set_before_call, 2}, {call_tool, 300},   {answer, 60},
};

void
steps_run(uint64_t *chance)
{
    unsigned sum = 0, drawn;
    size_t i = 0;

    for (size_t k = 0; k < ARRAY_SIZE(steps); k++)
        sum += steps[k].weight;
    drawn = churn_draw(chance, sum);
    for (; drawn >= steps[i].weight; i++)
        drawn -= steps[i].weight;
    steps[i].run(chance);
}
