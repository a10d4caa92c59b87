/* SPDX-License-Identifier: MIT
 *
 * batch_ops.c - the table of the batch operations, and the operations that have no file
 * of their own.
 *
 * Each operation answers or refuses its line exactly once, immediately or later.  jansson
 * parses a line.  The line's id and the arguments of a call are passed on as they are
 * written in the line.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/* ---- members ----------------------------------------------------------------------- */

const char *
batch_get_string(const struct command_line *line, const char *key)
{
    return json_string_value(json_object_get(line->root, key));
}

int64_t
batch_get_ms(const struct command_line *line)
{
    const json_t *ms = json_object_get(line->root, "ms");

    return ms ? (int64_t)json_integer_value(ms) : -1;
}

void
batch_refuse_line(struct batch *b, const struct command_line *line, int code,
                  const char *message)
{
    batch_refuse(b, line->id, line->id_len, code, message);
}

void
batch_answer_text(struct batch *b, const struct command_line *line, struct text *t)
{
    if (text_failed(t))
        batch_refuse_line(b, line, MCPHOST_E_NOMEM, NULL);
    else
        batch_answer(b, line->id, line->id_len, t->data, t->len);
    text_free(t);
}

void
batch_answer_flag(struct batch *b, const struct command_line *line, const char *key,
                  int value)
{
    struct text t = {0};

    put_begin(&t, '{');
    put_key(&t, key);
    put_flag(&t, value);
    put_end(&t, '}');
    batch_answer_text(b, line, &t);
}

/* ---- leases and dialogs ------------------------------------------------------------ */

/* Returns 0 if the default view shows the server `name`, else MCPHOST_E_*.  `name` is
 * "SOURCE:SERVER" or "SERVER". */
static int
find_server(struct batch *b, const char *name)
{
    const char *id;
    const struct source *source = source_split(b->ctl, name, &id);
    mcphost_catalog *catalog = NULL;
    int r = mcphost_view_get_catalog(mcphost_default_view(b->ctl->host), &catalog);
    int found = 0;

    for (size_t i = 0; i < mcphost_catalog_count_servers(catalog) && !found; i++) {
        const mcphost_server *server = mcphost_catalog_get_server(catalog, i);
        const char *of = mcphost_server_get_source_id(server);

        found = source_find(b->ctl, of) == source &&
                strcmp(mcphost_server_get_id(server), id) == 0;
    }
    mcphost_catalog_unref(catalog);
    return r == 0 && !found ? MCPHOST_E_NOTFOUND : r;
}

static void
op_release(struct batch *b, const struct command_line *line)
{
    const char *server = batch_get_string(line, "server");
    struct open_dialog *known = *batch_find_dialog(b, line);
    mcphost_lease *lease = NULL;
    int r;

    if (!server) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'server' is missing");
        return;
    }
    r = find_server(b, server);
    if (r < 0) {
        batch_refuse_line(b, line, r, r == MCPHOST_E_NOTFOUND ? "no such server" : NULL);
        return;
    }
    r = MCPHOST_E_NOTFOUND;
    if (known)
        r = mcphost_dialog_get_lease(known->dialog, server, &lease);
    if (r == 0)
        r = mcphost_lease_release(lease);
    mcphost_lease_unref(lease);
    if (r == 0 || r == MCPHOST_E_NOTFOUND)
        batch_answer_flag(b, line, "released", r == 0);
    else
        batch_refuse_line(b, line, r, NULL);
}

static void
op_close_dialog(struct batch *b, const struct command_line *line)
{
    struct open_dialog **at = batch_find_dialog(b, line);
    int known = *at != NULL;
    int r = 0;

    if (known) {
        r = mcphost_dialog_close((*at)->dialog);
        batch_drop_dialog(b, at);
    }
    if (r < 0)
        batch_refuse_line(b, line, r, NULL);
    else
        batch_answer_flag(b, line, "closed", known);
}

/* ---- reading the host's state ------------------------------------------------------ */

static void
answer_status(struct batch *b, const struct command_line *line,
              void (*rows)(struct text *t, const mcphost_status *status))
{
    mcphost_status *status = NULL;
    struct text t = {0};
    int r = mcphost_get_status(b->ctl->host, &status);

    if (r < 0) {
        batch_refuse_line(b, line, r, NULL);
        return;
    }
    rows(&t, status);
    mcphost_status_unref(status);
    batch_answer_text(b, line, &t);
}

static void
op_servers(struct batch *b, const struct command_line *line)
{
    answer_status(b, line, rows_servers);
}

static void
op_leases(struct batch *b, const struct command_line *line)
{
    answer_status(b, line, rows_leases);
}

static void
op_problems(struct batch *b, const struct command_line *line)
{
    mcphost_problems *problems = NULL;
    struct text t = {0};
    int r = mcphost_get_problems(b->ctl->host, &problems);

    if (r < 0) {
        batch_refuse_line(b, line, r, NULL);
        return;
    }
    rows_problems(&t, problems);
    mcphost_problems_unref(problems);
    batch_answer_text(b, line, &t);
}

static void
op_plugins(struct batch *b, const struct command_line *line)
{
    struct text t = {0};
    int r = b->ctl->plugins ? rows_plugins(&t, b->ctl->plugins) : MCPHOST_E_STATE;

    if (r < 0) {
        batch_refuse_line(b, line, r, NULL);
        return;
    }
    batch_answer_text(b, line, &t);
}

static void
op_tools(struct batch *b, const struct command_line *line)
{
    const char *toolset = batch_get_string(line, "toolset"), *message = NULL;
    mcphost_catalog *catalog = NULL;
    struct text t = {0};
    int r = batch_get_catalog(b, line, &catalog, &message);

    if (r == 0 && toolset && mcphost_catalog_find_toolset(catalog, toolset, NULL) < 0) {
        r = MCPHOST_E_NOTFOUND;
        message = "no such toolset";
    }
    if (r < 0) {
        batch_refuse_line(b, line, r, message);
    } else {
        rows_tools(&t, catalog, toolset);
        batch_answer_text(b, line, &t);
    }
    mcphost_catalog_unref(catalog);
}

static void
put_toolsets(struct text *t, const mcphost_catalog *catalog)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        put_begin(t, '{');
        put_key(t, "name");
        put_str(t, mcphost_catalog_get_toolset(catalog, i));
        put_key(t, "server");
        put_str(t, mcphost_catalog_get_toolset_owner(catalog, i));
        put_source(t, toolset_source(catalog, i));
        put_key(t, "tools");
        put_int(t, (int64_t)mcphost_catalog_count_toolset_tools(catalog, i));
        put_end(t, '}');
    }
    put_end(t, ']');
}

/* Returns the MCPHOST_SHAPE_* that has this name, or -1. */
static int
find_shape(const char *name)
{
    int shape = -1;

    (void)mcphost_enum_find_value(MCPHOST_ENUM_SHAPE, name, &shape);
    return shape;
}

/* Writes a catalog.  If the line has the member `shape`, also writes the tools in the
 * form that `shape` names. */
static int
put_catalog(struct text *t, mcphost_catalog *catalog, const struct command_line *line,
            mcphost_error **reterr)
{
    const char *shape = batch_get_string(line, "shape");
    const char *json = NULL;
    size_t len = 0;
    int r = 0;

    if (shape)
        r = mcphost_catalog_get_tools_json(catalog, find_shape(shape),
                                           batch_get_string(line, "toolset"), &json, &len,
                                           reterr);
    if (r < 0)
        return r;
    put_begin(t, '{');
    put_key(t, "version");
    put_int(t, (int64_t)mcphost_catalog_get_version(catalog));
    put_key(t, "toolsets");
    put_toolsets(t, catalog);
    put_key(t, "missing");
    batch_put_missing(t, catalog);
    if (json) {
        put_key(t, "tools");
        put_raw(t, json, len);
    }
    put_end(t, '}');
    return 0;
}

static void
op_catalog(struct batch *b, const struct command_line *line)
{
    const char *shape = batch_get_string(line, "shape"), *message = NULL;
    mcphost_catalog *catalog = NULL;
    mcphost_error *err = NULL;
    struct text t = {0};
    int r;

    if (shape && find_shape(shape) < 0) {
        batch_refuse_line(
            b, line, MCPHOST_E_INVALID,
            "'shape' must be mcp, openai_chat, openai_responses, anthropic or gemini");
        return;
    }
    r = batch_get_catalog(b, line, &catalog, &message);
    if (r == 0)
        r = put_catalog(&t, catalog, line, &err);
    if (r < 0 && message)
        batch_refuse_line(b, line, r, message);
    else if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        batch_answer_text(b, line, &t);
    mcphost_error_unref(err);
    mcphost_catalog_unref(catalog);
}

/* ---- wait and quit ----------------------------------------------------------------- */

void
batch_put_off(struct batch *b, const struct command_line *line, struct pending *pending)
{
    char *id = malloc(line->id_len + 1);

    if (!id) {
        batch_refuse_line(b, line, MCPHOST_E_NOMEM, NULL);
        return;
    }
    memcpy(id, line->id ? line->id : "", line->id_len);
    free(pending->id);
    pending->id = id;
    pending->id_len = line->id_len;
    pending->due = 1;
}

static void
op_wait(struct batch *b, const struct command_line *line)
{
    int64_t ms = batch_get_ms(line);

    b->wait_end = ms < 0 ? -1 : now_ms() + ms;
    batch_put_off(b, line, &b->wait);
}

static void
op_quit(struct batch *b, const struct command_line *line)
{
    batch_put_off(b, line, &b->quit);
}

/* Returns true if every server that was ordered to start has come up or failed.  Servers
 * that were enabled or restarted later are included. */
static int
is_ready(const struct batch *b)
{
    return b->ctl->ready && b->ctl->settled >= mcphost_get_order_serial(b->ctl->host);
}

int64_t
batch_check_wait(struct batch *b)
{
    int ready = is_ready(b), over = b->ending || (ready && b->n_calls == 0);
    struct text t = {0};
    int64_t left;

    if (!b->wait.due || (!over && b->wait_end < 0))
        return -1;
    left = over ? 0 : b->wait_end - now_ms();
    if (left > 0)
        return left;
    put_begin(&t, '{');
    put_key(&t, "ready");
    put_flag(&t, ready);
    put_key(&t, "calls");
    put_int(&t, (int64_t)b->n_calls);
    put_end(&t, '}');
    b->wait.due = 0;
    batch_answer(b, b->wait.id, b->wait.id_len, t.data, t.len);
    text_free(&t);
    /* Return 0, so that the loop does not sleep.  The loop can now carry out the lines
     * that `wait` has held back. */
    return 0;
}

/* ---- what servers offer besides tools ---------------------------------------------- */

#define SKILLS (-1) /* a kind for answer_offers(), besides OFFER_* */

static void
answer_offers(struct batch *b, const struct command_line *line, int kind)
{
    const char *message = NULL;
    mcphost_catalog *catalog = NULL;
    struct text t = {0};
    int r = batch_get_catalog(b, line, &catalog, &message);

    if (r < 0) {
        batch_refuse_line(b, line, r, message);
    } else {
        if (kind == SKILLS)
            rows_skills(&t, b->ctl, catalog);
        else
            rows_offers(&t, kind, catalog);
        batch_answer_text(b, line, &t);
    }
    mcphost_catalog_unref(catalog);
}

static void
op_resources(struct batch *b, const struct command_line *line)
{
    answer_offers(b, line, OFFER_RESOURCES);
}

static void
op_templates(struct batch *b, const struct command_line *line)
{
    answer_offers(b, line, OFFER_TEMPLATES);
}

static void
op_prompts(struct batch *b, const struct command_line *line)
{
    answer_offers(b, line, OFFER_PROMPTS);
}

static void
op_skills(struct batch *b, const struct command_line *line)
{
    answer_offers(b, line, SKILLS);
}

/* ---- the table --------------------------------------------------------------------- */

const struct batch_operation batch_operations[] = {
    {"tools", op_tools},
    {"call", batch_call},
    {"resources", op_resources},
    {"templates", op_templates},
    {"read", batch_read},
    {"prompts", op_prompts},
    {"skills", op_skills},
    {"prompt", batch_prompt},
    {"complete", batch_complete},
    {"subscribe", batch_subscribe},
    {"task", batch_task},
    {"cancel", batch_cancel},
    {"answer", batch_answer_request},
    {"release", op_release},
    {"close_dialog", op_close_dialog},
    {"servers", op_servers},
    {"leases", op_leases},
    {"problems", op_problems},
    {"plugins", op_plugins},
    {"catalog", op_catalog},
    {"reload", batch_reload},
    {"restart", batch_restart},
    {"enable", batch_enable},
    {"disable", batch_disable},
    {"team", batch_team},
    {"source_add", batch_source_add},
    {"source_remove", batch_source_remove},
    {"apps", batch_apps},
    {"inject", batch_inject},
    {"subagent", batch_subagent},
    {"turn_begin", batch_turn_begin},
    {"turn_end", batch_turn_end},
    {"invalidate", batch_invalidate},
    {"wait", op_wait},
    {"quit", op_quit},
    {NULL, NULL},
};
