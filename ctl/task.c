/* SPDX-License-Identifier: MIT
 *
 * task.c - the command `task`: show, answer, cancel or await a task that a server works
 * on.
 */
#include <string.h>

#include "ctl.h"
#include "words.h"

static void
put_ms(struct text *t, const char *key, int64_t ms)
{
    put_key(t, key);
    if (ms < 0)
        put_raw(t, NULL, 0);
    else
        put_int(t, ms);
}

void
put_task(struct text *t, const mcphost_call *call)
{
    put_begin(t, '{');
    put_key(t, "task");
    put_str(t, mcphost_call_get_task_id(call));
    put_key(t, "status");
    put_str(t, name_of(MCPHOST_ENUM_TASK_STATUS, mcphost_call_get_task_status(call)));
    put_ms(t, "ttl", mcphost_call_get_task_ttl(call));
    put_ms(t, "pollInterval", mcphost_call_get_task_interval(call));
    put_end(t, '}');
}

static int
task_print(struct ctl *ctl, mcphost_call *call)
{
    struct text t = {0};
    int status = STATUS_OK;

    if (ctl->opt.json) {
        put_task(&t, call);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        puts(name_of(MCPHOST_ENUM_TASK_STATUS, mcphost_call_get_task_status(call)));
    }
    return status;
}

static int
print_nothing(struct ctl *ctl, mcphost_call *call)
{
    (void)ctl;
    (void)call;
    return STATUS_OK;
}

int
is_task_action(const char *word)
{
    return words_have(TASK_WORDS, word);
}

int
make_for_task(mcphost_dialog *dialog, const char *action, const char *server,
              const char *id, const char *responses, size_t len, mcphost_call **ret,
              mcphost_error **reterr)
{
    if (strcmp(action, "get") == 0)
        return mcphost_call_new_get_task(dialog, server, id, ret, reterr);
    if (strcmp(action, "update") == 0)
        return mcphost_call_new_update_task(dialog, server, id, responses, len, ret,
                                            reterr);
    if (strcmp(action, "cancel") == 0)
        return mcphost_call_new_cancel_task(dialog, server, id, ret, reterr);
    if (strcmp(action, "wait") == 0)
        return mcphost_call_resume_task(dialog, server, id, ret, reterr);
    return MCPHOST_E_INVALID;
}

/* The action and its arguments, from the words after the command. */
struct wish {
    const char *action, *id, *responses;
};

static int
read_words(struct ctl *ctl, struct wish *ret)
{
    char **args = ctl->opt.args;
    int n = ctl->opt.n_args, update;

    if (n == 1) {
        *ret = (struct wish){"get", args[0], NULL};
        return 0;
    }
    *ret = (struct wish){args[0], args[1], n > 2 ? args[2] : NULL};
    update = strcmp(args[0], "update") == 0;
    if (!is_task_action(args[0]))
        say(ctl, "'task' needs get, update, cancel or wait, not '%s'", args[0]);
    else if (update && n == 2)
        say(ctl, "'task update' needs the responses, a JSON object");
    else if (!update && n > 2)
        say(ctl, "'%s' is one argument too many", args[2]);
    else
        return 0;
    return STATUS_USAGE;
}

static int
run_action(struct ctl *ctl, mcphost_dialog *dialog, const char *server,
           const struct wish *wish, print_fn *print)
{
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    size_t len = wish->responses ? strlen(wish->responses) : 0;
    int r = make_for_task(dialog, wish->action, server, wish->id, wish->responses, len,
                          &call, &err);

    return call_run_made(ctl, r, call, err, print);
}

/* Carries out the action.  After an update or a cancellation, also reads and prints the
 * task's status, because the server's answer to these two actions need not contain the
 * status. */
static int
carry_out(struct ctl *ctl, mcphost_dialog *dialog, const char *server,
          const struct wish *wish)
{
    struct wish get = {"get", wish->id, NULL};
    int status;

    if (strcmp(wish->action, "wait") == 0)
        return run_action(ctl, dialog, server, wish, result_print);
    if (strcmp(wish->action, "get") != 0) {
        status = run_action(ctl, dialog, server, wish, print_nothing);
        if (status)
            return status;
    }
    return run_action(ctl, dialog, server, &get, task_print);
}

int
cmd_task(struct ctl *ctl)
{
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    char server[NAME_SIZE];
    struct wish wish;
    int r, status = read_words(ctl, &wish);

    if (status == 0)
        status = call_find_save(ctl);
    if (status == 0)
        status = ctl_start(ctl, &catalog);
    if (status == 0)
        status = offers_pick(ctl, catalog, OFFER_ANY, wish.id, server);
    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        status =
            r < 0 ? call_failed(ctl, r, err, 0) : carry_out(ctl, dialog, server, &wish);
    }
    mcphost_error_unref(err);
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    return status;
}
