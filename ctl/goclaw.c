/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - a workspace of goclaw as a source, and calls of the workspace's own tools.
 *
 * mcphostctl changes the files of the workspace only by calls of these tools, because the
 * tools know the rules for names, locks and links.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/goclaw.h>

#include "goclaw.h"
#include "profiles.h"

/* ---- as a source ------------------------------------------------------------------- */

int
is_goclaw(const struct source *source)
{
    return source->profile && source->profile->make_tools == goclaw_make_tools;
}

/* Sets the policies of a goclaw workspace.  If there are dialog turns, the host reads the
 * file only when a tool or an operation asks for it.  Without dialog turns nothing asks
 * for a reading, and therefore the host follows the file. */
int
goclaw_set_policies(const struct ctl *ctl, mcphost_source *source, mcphost_error **reterr)
{
    int r = mcphost_source_set_policy(source, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE,
                                      reterr);

    if (r == 0 && ctl->has_turns)
        r = mcphost_source_set_policy(source, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT,
                                      reterr);
    return r;
}

int
goclaw_make_tools(const char *directory, mcphost_builtins **ret, mcphost_error **reterr)
{
    return mcphost_goclaw_builtins_new(directory, NULL, 0, ret, reterr);
}

/* ---- calls ------------------------------------------------------------------------- */

int
goclaw_begin(struct goclaw *goclaw, const char *directory, mcphost_error **reterr)
{
    mcphost_builtins *tools = NULL;
    mcphost_view *view;
    int r;

    *goclaw = (struct goclaw){0};
    r = mcphost_new(&goclaw->host, reterr);
    view = mcphost_default_view(goclaw->host);
    if (r == 0)
        r = goclaw_make_tools(directory, &tools, reterr);
    if (r == 0)
        r = mcphost_view_set_builtins(view, tools, reterr);
    if (r == 0)
        r = mcphost_dialog_new(view, "cli", NULL, &goclaw->dialog, reterr);
    mcphost_builtins_unref(tools);
    return r;
}

void
goclaw_end(struct goclaw *goclaw)
{
    goclaw->dialog = mcphost_dialog_unref(goclaw->dialog);
    goclaw->host = mcphost_unref(goclaw->host);
}

/* Parses the first text of the result as JSON.  The workspace's tools answer with a JSON
 * object. */
static json_t *
read_answer(mcphost_call *call)
{
    mcphost_result *result = mcphost_call_get_result(call);
    const char *s = NULL;
    size_t len = 0;

    if (!result || mcphost_result_item_get_text(result, 0, &s, &len) < 0)
        return NULL;
    return json_loadb(s, len, JSON_ALLOW_NUL, NULL);
}

/* Sets *ret to the answer of a call that has ended, if the answer's member "success" is
 * true.  Otherwise returns the code of the call's error.  If the call has no error,
 * returns MCPHOST_E_CONFIG, with the answer's member "error" as message. */
static int
take_answer(mcphost_call *call, json_t **ret, mcphost_error **reterr)
{
    mcphost_error *err = mcphost_call_get_error(call);
    json_t *answer = read_answer(call);
    const char *why = json_string_value(json_object_get(answer, "error"));
    int r;

    if (json_is_true(json_object_get(answer, "success"))) {
        *ret = answer;
        return 0;
    }
    r = err ? mcphost_error_get_code(err)
            : mcphost_error_new(MCPHOST_E_CONFIG, why ? why : "no answer", reterr);
    if (err)
        *reterr = mcphost_error_ref(err);
    json_decref(answer);
    return r;
}

int
goclaw_ask(struct goclaw *goclaw, const char *tool, json_t *arguments, json_t **ret,
           mcphost_error **reterr)
{
    char *json = json_dumps(arguments, JSON_COMPACT);
    mcphost_call *call = NULL;
    int r = MCPHOST_E_NOMEM;

    if (json)
        r = mcphost_call_new(goclaw->dialog, tool, json, strlen(json), &call, reterr);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(call, -1);
    if (r >= 0)
        r = take_answer(call, ret, reterr);
    mcphost_call_unref(call);
    json_decref(arguments);
    free(json);
    return r;
}

/* ---- servers ----------------------------------------------------------------------- */

/* Returns 1 if the configuration that was read last enables the server, 0 if the
 * configuration disables the server, and -1 if the server is not declared. */
static int
is_enabled(const struct source *source, const char *server)
{
    const mcphost_config *config = source->applied ? source->applied : source->config;
    size_t index;

    if (mcphost_config_find_server(config, server, &index) < 0)
        return -1;
    return mcphost_config_server_get_state(config, index) !=
           MCPHOST_CONFIG_SERVER_DISABLED;
}

int
goclaw_set_enabled(const struct source *source, const char *server, int enabled,
                   mcphost_error **reterr)
{
    int was = is_enabled(source, server), r;
    json_t *answer = NULL;
    struct goclaw goclaw;

    if (was == enabled)
        return 0;
    r = goclaw_begin(&goclaw, source->directory, reterr);
    if (r == 0)
        r = goclaw_ask(&goclaw, "mcp_set_enabled",
                       json_pack("{s:s, s:b}", "name", server, "enabled", enabled),
                       &answer, reterr);
    json_decref(answer);
    goclaw_end(&goclaw);
    return r < 0 ? r : 1;
}
