/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - a workspace of goclaw as a source, and its tools, called for a person.
 *
 * The tools know the rules for names, locks and links, so that no file of such a
 * workspace is written here.
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

/* An agent has the host read the file; where there are no turns, nobody would. */
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

static int
fail(struct ctl *ctl, int r, mcphost_error *err)
{
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return status_of(ctl, r);
}

int
goclaw_begin(struct ctl *ctl, struct goclaw *goclaw, const char *directory)
{
    mcphost_builtins *tools = NULL;
    mcphost_error *err = NULL;
    mcphost_view *view;
    int r;

    *goclaw = (struct goclaw){0};
    r = mcphost_new(&goclaw->host, &err);
    view = mcphost_default_view(goclaw->host);
    if (r == 0)
        r = goclaw_make_tools(directory, &tools, &err);
    if (r == 0)
        r = mcphost_view_set_builtins(view, tools, &err);
    if (r == 0)
        r = mcphost_dialog_new(view, ctl->opt.dialog, NULL, &goclaw->dialog, &err);
    mcphost_builtins_unref(tools);
    return r < 0 ? fail(ctl, r, err) : 0;
}

void
goclaw_end(struct goclaw *goclaw)
{
    goclaw->dialog = mcphost_dialog_unref(goclaw->dialog);
    goclaw->host = mcphost_unref(goclaw->host);
}

/* The object that is the text of the result. */
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

int
goclaw_call(struct ctl *ctl, struct goclaw *goclaw, const char *tool, json_t *arguments,
            json_t **ret)
{
    char *json = json_dumps(arguments, JSON_COMPACT);
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    json_t *answer = NULL;
    int r = MCPHOST_E_NOMEM, status = 0;

    if (json)
        r = mcphost_call_new(goclaw->dialog, tool, json, strlen(json), &call, &err);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(call, -1);
    if (r >= 0)
        answer = read_answer(call);
    if (r < 0)
        status = fail(ctl, r, err);
    else if (!answer)
        status =
            fail(ctl, MCPHOST_E_NOMEM, mcphost_error_ref(mcphost_call_get_error(call)));
    *ret = answer;
    mcphost_call_unref(call);
    json_decref(arguments);
    free(json);
    return status;
}

int
goclaw_ask(struct ctl *ctl, struct goclaw *goclaw, const char *tool, json_t *arguments,
           int failed, json_t **ret)
{
    int status = goclaw_call(ctl, goclaw, tool, arguments, ret);
    const char *why;

    if (status || json_is_true(json_object_get(*ret, "success")))
        return status;
    why = json_string_value(json_object_get(*ret, "error"));
    say(ctl, "%s", why ? why : tool);
    json_decref(*ret);
    *ret = NULL;
    return failed;
}

/* ---- servers ----------------------------------------------------------------------- */

/* Whether the file says so already. */
static int
is_enabled(const struct source *source, const char *server)
{
    size_t index;

    return mcphost_config_find_server(source->config, server, &index) == 0 &&
           mcphost_config_server_get_state(source->config, index) !=
               MCPHOST_CONFIG_SERVER_DISABLED;
}

int
goclaw_set_enabled(struct ctl *ctl, const struct source *source, const char *server,
                   int enabled, int *ret_changed)
{
    json_t *answer = NULL;
    struct goclaw goclaw;
    int status;

    *ret_changed = is_enabled(source, server) != enabled;
    if (!*ret_changed)
        return 0;
    status = goclaw_begin(ctl, &goclaw, source->directory);
    if (status == 0)
        status = goclaw_ask(ctl, &goclaw, "mcp_set_enabled",
                            json_pack("{s:s, s:b}", "name", server, "enabled", enabled),
                            STATUS_CONFIG, &answer);
    json_decref(answer);
    goclaw_end(&goclaw);
    return status;
}
