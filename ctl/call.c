/* SPDX-License-Identifier: MIT
 *
 * call.c - the command `call`, and functions with which other commands make their
 * calls.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "term.h"

/* ---- the call ---------------------------------------------------------------------- */

int
call_failed(struct ctl *ctl, int code, mcphost_error *err, int usage)
{
    struct text t = {0};

    if (err)
        code = mcphost_error_get_code(err);
    say_error(ctl, code, err);
    if (ctl->opt.json) {
        put_begin(&t, '{');
        put_key(&t, "error");
        row_error(&t, code, err);
        put_end(&t, '}');
        print_json(ctl, &t);
        text_free(&t);
    }
    if (usage && (code == MCPHOST_E_INVALID || code == MCPHOST_E_NOTFOUND))
        return STATUS_USAGE;
    return status_of(ctl, code);
}

static int
until_done(struct ctl *ctl, void *arg)
{
    (void)ctl;
    return mcphost_call_is_done(arg);
}

int
call_run(struct ctl *ctl, mcphost_call *call, print_fn *print)
{
    mcphost_result *result;
    int r = 0;

    if (ctl->opt.timeout_ms >= 0)
        r = mcphost_call_set_timeout(call, ctl->opt.timeout_ms, 0, -1);
    ctl->call_shown = !ctl->opt.verbose && term_width(stderr) > 0;
    if (r == 0 && ctl->call_shown)
        r = mcphost_call_set_progress(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r < 0)
        return call_failed(ctl, r, NULL, 0);
    say_status(ctl, "calling '%s'", ctl->opt.args[0]);
    r = ctl_run(ctl, until_done, call, -1);
    say_status_end(ctl);
    ctl->call_shown = 0;
    if (r == MCPHOST_E_CANCELLED) {
        mcphost_call_cancel(call);
        return status_of(ctl, r);
    }
    result = mcphost_call_get_result(call);
    if (r == 1 && result)
        return print(ctl, call);
    return call_failed(ctl, r, mcphost_call_get_error(call), 0);
}

int
call_run_made(struct ctl *ctl, int r, mcphost_call *call, mcphost_error *err,
              print_fn *print)
{
    int status = r < 0 ? call_failed(ctl, r, err, 1) : call_run(ctl, call, print);

    mcphost_call_unref(call);
    mcphost_error_unref(err);
    return status;
}

int
call_dialog(struct ctl *ctl, mcphost_dialog **ret, mcphost_error **reterr)
{
    int r = mcphost_dialog_new(mcphost_default_view(ctl->host), ctl->opt.dialog, NULL,
                               ret, reterr);

    if (r == 0 && ctl->opt.save)
        r = mcphost_dialog_set_artifact_dir(*ret, ctl->opt.save, 0, reterr);
    return r;
}

static int
call_tool(struct ctl *ctl, mcphost_tool *tool, const struct arguments *arguments)
{
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int status;
    int r = call_dialog(ctl, &dialog, &err);

    if (r == 0)
        r = mcphost_call_new_tool(dialog, tool,
                                  arguments->json.data ? arguments->json.data : "",
                                  arguments->json.len, &call, &err);
    status = r < 0 ? call_failed(ctl, r, err, 1) : call_run(ctl, call, result_print);
    mcphost_call_unref(call);
    mcphost_dialog_unref(dialog);
    mcphost_error_unref(err);
    return status;
}

int
call_find_save(struct ctl *ctl)
{
    static char room[2 * PATH_MAX];
    char here[PATH_MAX];

    if (!ctl->opt.save || ctl->opt.save[0] == '/')
        return 0;
    if (!getcwd(here, sizeof(here)) ||
        snprintf(room, sizeof(room), "%s/%s", here, ctl->opt.save) >= (int)sizeof(room)) {
        say(ctl, "--save: the current directory is unknown, or its path is too long");
        return STATUS_USAGE;
    }
    ctl->opt.save = room;
    return 0;
}

int
cmd_call(struct ctl *ctl)
{
    struct arguments arguments = {0};
    mcphost_tool *tool = NULL;
    int status = arguments_read(ctl, ctl->opt.args + 1, ctl->opt.n_args - 1, &arguments);

    if (status == 0)
        status = call_find_save(ctl);
    if (status == 0)
        status = ctl_open(ctl);
    if (status == 0)
        status = ctl_wait_tool(ctl, ctl->opt.args[0], &tool);
    if (status == 0)
        status = arguments_finish(ctl, &arguments, tool);
    if (status == 0)
        status = call_tool(ctl, tool, &arguments);
    mcphost_tool_unref(tool);
    arguments_free(&arguments);
    return status;
}
