/* SPDX-License-Identifier: MIT
 *
 * batch_calls.c - the operations that make calls (of tools, resources, prompts,
 * completions and tasks), and the operation `subscribe`.
 *
 * A call is answered when it has ended.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/* The kinds of calls. */
enum { A_TOOL, A_RESOURCE, A_PROMPT, A_COMPLETION, A_TASK, A_TASK_STEP };

/* ---- answers ----------------------------------------------------------------------- */

/* Writes the object {"dir":...,"isError":...,"items":[...]} that `call --save --json`
 * prints. */
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
answer_made(struct call_id *id, mcphost_call *call)
{
    struct text t = {0};

    if (id->what == A_TASK)
        put_task(&t, call);
    else
        put_values(&t, mcphost_call_get_result(call));
    if (text_failed(&t))
        batch_refuse(id->batch, id->id, id->len, MCPHOST_E_NOMEM, NULL);
    else
        batch_answer(id->batch, id->id, id->len, t.data, t.len);
    text_free(&t);
}

static void
on_done(mcphost_call *call, void *arg)
{
    struct call_id *id = arg;
    mcphost_result *result = mcphost_call_get_result(call);
    const char *json;
    size_t len = 0;

    if (result && (id->what == A_COMPLETION || id->what == A_TASK)) {
        answer_made(id, call);
    } else if (result && id->save) {
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

/* Stores the directory `save` as an absolute path. */
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

/* ---- making a call ----------------------------------------------------------------- */

/* Writes the name of the line's server to `name`.  If the line names no server, writes
 * the name of the only server that may have the resource, template or task `wanted`.
 * Returns 0 or MCPHOST_E_*.  On failure, *ret_message may be set. */
static int
find_server(struct batch *b, const struct command_line *line, int kind,
            const char *wanted, char name[NAME_SIZE], const char **ret_message)
{
    static char message[1024];
    const char *server = batch_get_string(line, "server");
    mcphost_catalog *catalog = NULL;
    struct text names = {0};
    int r;

    if (server) {
        snprintf(name, NAME_SIZE, "%s", server);
        return 0;
    }
    r = batch_get_catalog(b, line, &catalog, ret_message);
    if (r < 0)
        return r;
    if (offers_find_server(catalog, kind, wanted, name, &names) != 1) {
        snprintf(message, sizeof(message), "%s%.900s",
                 names.data ? "say which server with 'server': " : "no server offers it",
                 names.data ? names.data : "");
        *ret_message = message;
        r = MCPHOST_E_NOTFOUND;
    }
    text_free(&names);
    mcphost_catalog_unref(catalog);
    return r;
}

static int
make_read(struct batch *b, const struct command_line *line, mcphost_dialog *dialog,
          mcphost_call **ret, const char **ret_message, mcphost_error **reterr)
{
    const char *uri = batch_get_string(line, "uri");
    char name[NAME_SIZE];
    int r = find_server(b, line, OFFER_RESOURCES, uri, name, ret_message);

    return r < 0 ? r : mcphost_call_new_read(dialog, name, uri, ret, reterr);
}

static int
make_completion(struct batch *b, const struct command_line *line, mcphost_dialog *dialog,
                mcphost_call **ret, const char **ret_message, mcphost_error **reterr)
{
    const char *prompt = batch_get_string(line, "prompt");
    const char *template = batch_get_string(line, "template");
    const char *argument = batch_get_string(line, "argument");
    const char *value = batch_get_string(line, "value"), *context;
    char name[NAME_SIZE];
    size_t len = 0;
    int r;

    if (!prompt == !template) {
        *ret_message = "exactly one of 'prompt' and 'template' is needed";
        return MCPHOST_E_INVALID;
    }
    context = find_member(line->line, line->len, "context", &len);
    if (prompt)
        return mcphost_call_new_complete_prompt(
            dialog, prompt, argument, value ? value : "", context, len, ret, reterr);
    r = find_server(b, line, OFFER_TEMPLATES, template, name, ret_message);
    if (r < 0)
        return r;
    return mcphost_call_new_complete_template(
        dialog, name, template, argument, value ? value : "", context, len, ret, reterr);
}

static int
make_task(struct batch *b, const struct command_line *line, mcphost_dialog *dialog,
          mcphost_call **ret, const char **ret_message, mcphost_error **reterr)
{
    const char *id = batch_get_string(line, "task");
    const char *action = batch_get_string(line, "action"), *responses;
    char name[NAME_SIZE];
    size_t len = 0;
    int r = find_server(b, line, OFFER_ANY, id, name, ret_message);

    if (r < 0)
        return r;
    responses = find_member(line->line, line->len, "responses", &len);
    return make_for_task(dialog, action ? action : "get", name, id, responses, len, ret,
                         reterr);
}

static int
make_tool_call(struct batch *b, const struct command_line *line, mcphost_dialog *dialog,
               mcphost_call **ret, const char **ret_message, mcphost_error **reterr)
{
    size_t len = 0;
    const char *arguments = find_member(line->line, line->len, "arguments", &len);
    const char *tool = batch_get_string(line, "tool");
    struct open_turn *turn = NULL;
    int r = batch_find_turn(b, line, &turn, ret_message);

    if (r < 0)
        return r;
    if (turn)
        return batch_call_in_turn(turn, dialog, tool, arguments, len, ret, ret_message,
                                  reterr);
    return mcphost_call_new(dialog, tool, arguments, len, ret, reterr);
}

static int
make_call(struct batch *b, const struct command_line *line, int what,
          mcphost_dialog *dialog, mcphost_call **ret, const char **ret_message,
          mcphost_error **reterr)
{
    size_t len = 0;
    const char *arguments = find_member(line->line, line->len, "arguments", &len);

    switch (what) {
    case A_TOOL:
        return make_tool_call(b, line, dialog, ret, ret_message, reterr);
    case A_PROMPT:
        return mcphost_call_new_prompt(dialog, batch_get_string(line, "name"), arguments,
                                       len, ret, reterr);
    case A_RESOURCE:
        return make_read(b, line, dialog, ret, ret_message, reterr);
    case A_TASK:
    case A_TASK_STEP:
        return make_task(b, line, dialog, ret, ret_message, reterr);
    default:
        return make_completion(b, line, dialog, ret, ret_message, reterr);
    }
}

/* Starts the call of a line.  Takes over `id`, also on failure, as mcphost_call_start()
 * does. */
static int
start_call(struct batch *b, const struct command_line *line, struct call_id *id,
           const char **ret_message, mcphost_error **reterr)
{
    int64_t ms = batch_get_ms(line);
    mcphost_dialog *dialog;
    mcphost_call *call = NULL;
    int r = batch_open_dialog(b, line, &dialog, ret_message, reterr);

    if (r == 0)
        r = take_save(id, batch_get_string(line, "save"), dialog);
    if (r < 0) {
        free_id(id);
        return r;
    }
    if (ms < 0)
        ms = b->ctl->opt.timeout_ms;
    r = make_call(b, line, id->what, dialog, &call, ret_message, reterr);
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

/* Begins the call of a line, of the kind `what`.  `needed` names the member that the
 * operation requires. */
static void
begin_call(struct batch *b, const struct command_line *line, int what, const char *needed)
{
    char missing[64];
    const char *message = NULL;
    mcphost_error *err = NULL;
    struct call_id *id;
    int r;

    if (!batch_get_string(line, needed)) {
        snprintf(missing, sizeof(missing), "'%s' is missing", needed);
        batch_refuse_line(b, line, MCPHOST_E_INVALID, missing);
        return;
    }
    id = calloc(1, sizeof(*id) + line->id_len);
    if (!id) {
        batch_refuse_line(b, line, MCPHOST_E_NOMEM, NULL);
        return;
    }
    id->batch = b;
    id->what = what;
    id->len = line->id_len;
    memcpy(id->id, line->id ? line->id : "", line->id_len);
    b->n_calls++;
    r = start_call(b, line, id, &message, &err);
    if (r < 0 && message)
        batch_refuse_line(b, line, r, message);
    else if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    mcphost_error_unref(err);
}

void
batch_call(struct batch *b, const struct command_line *line)
{
    begin_call(b, line, A_TOOL, "tool");
}

void
batch_read(struct batch *b, const struct command_line *line)
{
    begin_call(b, line, A_RESOURCE, "uri");
}

void
batch_prompt(struct batch *b, const struct command_line *line)
{
    begin_call(b, line, A_PROMPT, "name");
}

void
batch_complete(struct batch *b, const struct command_line *line)
{
    begin_call(b, line, A_COMPLETION, "argument");
}

/* Carries out the operation `task`.  The answer to the action "get" is the status of
 * the task.  The answer to every other action is the server's result. */
void
batch_task(struct batch *b, const struct command_line *line)
{
    const char *action = batch_get_string(line, "action");

    if (action && !is_task_action(action))
        batch_refuse_line(b, line, MCPHOST_E_INVALID,
                          "unknown action; the actions are " TASK_WORDS);
    else
        begin_call(b, line, !action || strcmp(action, "get") == 0 ? A_TASK : A_TASK_STEP,
                   "task");
}

/* Cancels every call whose id equals the member `call` byte for byte.  Each of these
 * calls is answered with an error. */
void
batch_cancel(struct batch *b, const struct command_line *line)
{
    size_t len = 0;
    const char *wanted = find_member(line->line, line->len, "call", &len);
    int found = 0;

    if (!wanted) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'call' is missing");
        return;
    }
    for (struct call_id *id = b->calls; id; id = id->next) {
        if (id->len == len && memcmp(id->id, wanted, len) == 0)
            found |= mcphost_call_cancel(id->call) == 0;
    }
    batch_answer_flag(b, line, "cancelled", found);
}

/* ---- subscriptions ----------------------------------------------------------------- */

/* Carries out the operation `subscribe`.  The subscription ends with the dialog.
 * Events report the updates of the resource and the end of the subscription. */
void
batch_subscribe(struct batch *b, const struct command_line *line)
{
    const char *uri = batch_get_string(line, "uri"), *message = NULL;
    mcphost_subscription *subscription = NULL;
    mcphost_dialog *dialog;
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int r;

    if (!uri) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'uri' is missing");
        return;
    }
    r = batch_open_dialog(b, line, &dialog, &message, &err);
    if (r == 0)
        r = find_server(b, line, OFFER_RESOURCES, uri, name, &message);
    if (r == 0)
        r = mcphost_subscribe(dialog, name, uri, &subscription, &err);
    if (r == 0)
        batch_answer_flag(b, line, "subscribed", 1);
    else if (message)
        batch_refuse_line(b, line, r, message);
    else
        batch_refuse_error(b, line->id, line->id_len, r, err);
    mcphost_subscription_unref(subscription);
    mcphost_error_unref(err);
}
