/* SPDX-License-Identifier: MIT
 *
 * batch_ops.c - the operations of the command batch.
 *
 * Each answers or refuses its line exactly once, now or later.  jansson reads a line;
 * its id and the arguments of a call go on as they were written.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/* ---- members ----------------------------------------------------------------------- */

static const char *
get_string(const struct command_line *line, const char *key)
{
    return json_string_value(json_object_get(line->root, key));
}

/* Returns -1 when there is none. */
static int64_t
get_ms(const struct command_line *line)
{
    const json_t *ms = json_object_get(line->root, "ms");

    return ms ? (int64_t)json_integer_value(ms) : -1;
}

static void
refuse(struct batch *b, const struct command_line *line, int code, const char *message)
{
    batch_refuse(b, line->id, line->id_len, code, message);
}

/* Answers with what was written into `t`, and frees it. */
static void
answer(struct batch *b, const struct command_line *line, struct text *t)
{
    if (text_failed(t))
        refuse(b, line, MCPHOST_E_NOMEM, NULL);
    else
        batch_answer(b, line->id, line->id_len, t->data, t->len);
    text_free(t);
}

static void
answer_flag(struct batch *b, const struct command_line *line, const char *key, int value)
{
    struct text t = {0};

    put_begin(&t, '{');
    put_key(&t, key);
    put_flag(&t, value);
    put_end(&t, '}');
    answer(b, line, &t);
}

/* ---- call -------------------------------------------------------------------------- */

/* {"dir":...,"isError":...,"items":[...]}, as `call --save --json` prints it. */
static int
put_saved(struct text *t, const struct call_id *id, mcphost_call *call,
          mcphost_error **reterr)
{
    mcphost_items *items = NULL;
    const char *json;
    size_t len = 0;
    int r = mcphost_dialog_set_artifact_dir(id->dialog, id->save, 0, reterr);

    if (r == 0)
        r = mcphost_call_make_items(call, &items, reterr);
    if (r < 0)
        return r;
    json = mcphost_items_get_json(items, &len);
    put_begin(t, '{');
    put_key(t, "dir");
    put_str(t, id->save);
    put_key(t, "isError");
    put_flag(t, mcphost_items_is_error(items));
    put_key(t, "items");
    put_raw(t, json, len);
    put_end(t, '}');
    mcphost_items_unref(items);
    return text_failed(t) ? MCPHOST_E_NOMEM : 0;
}

static void
answer_saved(struct call_id *id, mcphost_call *call)
{
    mcphost_error *err = NULL;
    struct text t = {0};
    int r = put_saved(&t, id, call, &err);

    if (r < 0)
        batch_refuse_error(id->batch, id->id, id->len, r, err);
    else
        batch_answer(id->batch, id->id, id->len, t.data, t.len);
    mcphost_error_unref(err);
    text_free(&t);
}

static void
on_done(mcphost_call *call, void *arg)
{
    struct call_id *id = arg;
    mcphost_result *result = mcphost_call_get_result(call);
    const char *json;
    size_t len = 0;

    if (result && id->save) {
        answer_saved(id, call);
    } else if (result) {
        json = mcphost_result_get_json(result, &len);
        batch_answer(id->batch, id->id, id->len, json, len);
    } else {
        batch_refuse_error(id->batch, id->id, id->len, MCPHOST_E_NOMEM,
                           mcphost_call_get_error(call));
    }
}

static void
free_id(void *arg)
{
    struct call_id *id = arg, **at = &id->batch->calls;

    while (*at && *at != id)
        at = &(*at)->next;
    if (*at)
        *at = id->next;
    id->batch->n_calls--;
    mcphost_call_unref(id->call);
    mcphost_dialog_unref(id->dialog);
    free(id->save);
    free(id);
}

/* The directory of `save`, from the root on. */
static int
take_save(struct call_id *id, const char *save, mcphost_dialog *dialog)
{
    char here[PATH_MAX];

    if (!save)
        return 0;
    id->dialog = mcphost_dialog_ref(dialog);
    if (save[0] == '/')
        id->save = strdup(save);
    else if (!getcwd(here, sizeof(here)) || asprintf(&id->save, "%s/%s", here, save) < 0)
        id->save = NULL;
    return id->save ? 0 : MCPHOST_E_NOMEM;
}

/* Takes over `id`, like mcphost_call_start(). */
static int
start_call(struct batch *b, const struct command_line *line, struct call_id *id,
           const char **ret_message, mcphost_error **reterr)
{
    int64_t ms = get_ms(line);
    mcphost_dialog *dialog;
    mcphost_call *call = NULL;
    const char *arguments;
    size_t len = 0;
    int r = batch_open_dialog(b, line, &dialog, ret_message, reterr);

    if (r == 0)
        r = take_save(id, get_string(line, "save"), dialog);
    if (r < 0) {
        free_id(id);
        return r;
    }
    if (ms < 0)
        ms = b->ctl->opt.timeout_ms;
    arguments = find_member(line->line, line->len, "arguments", &len);
    r = mcphost_call_new(dialog, get_string(line, "tool"), arguments, len, &call, reterr);
    if (r == 0)
        r = mcphost_call_set_progress(call, NULL, NULL, NULL);
    if (r == 0 && ms >= 0)
        r = mcphost_call_set_timeout(call, ms, 0, -1);
    if (r == 0) {
        id->call = mcphost_call_ref(call);
        id->next = b->calls;
        b->calls = id;
        mcphost_call_set_user_data(call, id);
        r = mcphost_call_start(call, on_done, id, free_id);
    } else {
        free_id(id);
    }
    mcphost_call_unref(call);
    return r;
}

static void
op_call(struct batch *b, const struct command_line *line)
{
    const char *message = NULL;
    mcphost_error *err = NULL;
    struct call_id *id;
    int r;

    if (!get_string(line, "tool")) {
        refuse(b, line, MCPHOST_E_INVALID, "'tool' is missing");
        return;
    }
    id = calloc(1, sizeof(*id) + line->id_len);
    if (!id) {
        refuse(b, line, MCPHOST_E_NOMEM, NULL);
        return;
    }
    id->batch = b;
    id->len = line->id_len;
    memcpy(id->id, line->id ? line->id : "", line->id_len);
    b->n_calls++;
    r = start_call(b, line, id, &message, &err);
    if (r < 0 && message)
        refuse(b, line, r, message);
    else if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    mcphost_error_unref(err);
}

/* Of every call under this id, as it was written; each is answered as cancelled. */
static void
op_cancel(struct batch *b, const struct command_line *line)
{
    size_t len = 0;
    const char *wanted = find_member(line->line, line->len, "call", &len);
    int found = 0;

    if (!wanted) {
        refuse(b, line, MCPHOST_E_INVALID, "'call' is missing");
        return;
    }
    for (struct call_id *id = b->calls; id; id = id->next) {
        if (id->len == len && memcmp(id->id, wanted, len) == 0)
            found |= mcphost_call_cancel(id->call) == 0;
    }
    answer_flag(b, line, "cancelled", found);
}

/* ---- leases and dialogs ------------------------------------------------------------ */

/* 0 when the server, "SOURCE:SERVER" or "SERVER", is declared. */
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
    const char *server = get_string(line, "server");
    struct open_dialog *known = *batch_find_dialog(b, line);
    mcphost_lease *lease = NULL;
    int r;

    if (!server) {
        refuse(b, line, MCPHOST_E_INVALID, "'server' is missing");
        return;
    }
    r = find_server(b, server);
    if (r < 0) {
        refuse(b, line, r, r == MCPHOST_E_NOTFOUND ? "no such server" : NULL);
        return;
    }
    r = MCPHOST_E_NOTFOUND;
    if (known)
        r = mcphost_dialog_get_lease(known->dialog, server, &lease);
    if (r == 0)
        r = mcphost_lease_release(lease);
    mcphost_lease_unref(lease);
    if (r == 0 || r == MCPHOST_E_NOTFOUND)
        answer_flag(b, line, "released", r == 0);
    else
        refuse(b, line, r, NULL);
}

static void
op_close_dialog(struct batch *b, const struct command_line *line)
{
    struct open_dialog **at = batch_find_dialog(b, line);
    int known = *at != NULL;
    int r = 0;

    if (known) {
        r = mcphost_dialog_close((*at)->dialog);
        batch_drop_dialog(at);
    }
    if (r < 0)
        refuse(b, line, r, NULL);
    else
        answer_flag(b, line, "closed", known);
}

/* ---- looking ----------------------------------------------------------------------- */

static void
answer_status(struct batch *b, const struct command_line *line,
              void (*rows)(struct text *t, const mcphost_status *status))
{
    mcphost_status *status = NULL;
    struct text t = {0};
    int r = mcphost_get_status(b->ctl->host, &status);

    if (r < 0) {
        refuse(b, line, r, NULL);
        return;
    }
    rows(&t, status);
    mcphost_status_unref(status);
    answer(b, line, &t);
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
        refuse(b, line, r, NULL);
        return;
    }
    rows_problems(&t, problems);
    mcphost_problems_unref(problems);
    answer(b, line, &t);
}

static void
op_tools(struct batch *b, const struct command_line *line)
{
    const char *toolset = get_string(line, "toolset"), *message = NULL;
    mcphost_catalog *catalog = NULL;
    struct text t = {0};
    int r = batch_get_catalog(b, line, &catalog, &message);

    if (r == 0 && toolset && mcphost_catalog_find_toolset(catalog, toolset, NULL) < 0) {
        r = MCPHOST_E_NOTFOUND;
        message = "no such toolset";
    }
    if (r < 0) {
        refuse(b, line, r, message);
    } else {
        rows_tools(&t, catalog, toolset);
        answer(b, line, &t);
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

/* The MCPHOST_SHAPE_* of a name, or -1. */
static int
find_shape(const char *name)
{
    int shape = -1;

    (void)mcphost_enum_find_value(MCPHOST_ENUM_SHAPE, name, &shape);
    return shape;
}

/* With `shape` also the tools, as a model's provider wants them. */
static int
put_catalog(struct text *t, mcphost_catalog *catalog, const struct command_line *line,
            mcphost_error **reterr)
{
    const char *shape = get_string(line, "shape");
    const char *json = NULL;
    size_t len = 0;
    int r = 0;

    if (shape)
        r = mcphost_catalog_get_tools_json(
            catalog, find_shape(shape), get_string(line, "toolset"), &json, &len, reterr);
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
    const char *shape = get_string(line, "shape"), *message = NULL;
    mcphost_catalog *catalog = NULL;
    mcphost_error *err = NULL;
    struct text t = {0};
    int r;

    if (shape && find_shape(shape) < 0) {
        refuse(b, line, MCPHOST_E_INVALID,
               "'shape' is mcp, openai_chat, openai_responses, anthropic or gemini");
        return;
    }
    r = batch_get_catalog(b, line, &catalog, &message);
    if (r == 0)
        r = put_catalog(&t, catalog, line, &err);
    if (r < 0 && message)
        refuse(b, line, r, message);
    else if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        answer(b, line, &t);
    mcphost_error_unref(err);
    mcphost_catalog_unref(catalog);
}

/* ---- wait and quit ----------------------------------------------------------------- */

void
batch_put_off(struct batch *b, const struct command_line *line, struct pending *pending)
{
    char *id = malloc(line->id_len + 1);

    if (!id) {
        refuse(b, line, MCPHOST_E_NOMEM, NULL);
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
    int64_t ms = get_ms(line);

    b->wait_end = ms < 0 ? -1 : now_ms() + ms;
    batch_put_off(b, line, &b->wait);
}

static void
op_quit(struct batch *b, const struct command_line *line)
{
    batch_put_off(b, line, &b->quit);
}

int64_t
batch_check_wait(struct batch *b)
{
    int over = b->ending || (b->ctl->ready && b->n_calls == 0);
    struct text t = {0};
    int64_t left;

    if (!b->wait.due || (!over && b->wait_end < 0))
        return -1;
    left = over ? 0 : b->wait_end - now_ms();
    if (left > 0)
        return left;
    put_begin(&t, '{');
    put_key(&t, "ready");
    put_flag(&t, b->ctl->ready);
    put_key(&t, "calls");
    put_int(&t, (int64_t)b->n_calls);
    put_end(&t, '}');
    b->wait.due = 0;
    batch_answer(b, b->wait.id, b->wait.id_len, t.data, t.len);
    text_free(&t);
    /* The commands behind it were waiting: do not sleep. */
    return 0;
}

/* ---- which operation --------------------------------------------------------------- */

const struct batch_operation batch_operations[] = {
    {"tools", op_tools},
    {"call", op_call},
    {"cancel", op_cancel},
    {"release", op_release},
    {"close_dialog", op_close_dialog},
    {"servers", op_servers},
    {"leases", op_leases},
    {"problems", op_problems},
    {"catalog", op_catalog},
    {"reload", batch_reload},
    {"restart", batch_restart},
    {"enable", batch_enable},
    {"disable", batch_disable},
    {"team", batch_team},
    {"wait", op_wait},
    {"quit", op_quit},
    {NULL, NULL},
};
