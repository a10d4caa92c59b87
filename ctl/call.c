/* SPDX-License-Identifier: MIT
 *
 * call.c - the command call: one tool, once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ctl.h"
#include "term.h"

/* ---- the result ------------------------------------------------------------------------ */

static size_t
member_length(const json_t *item, const char *key)
{
    return json_string_length(json_object_get(item, key));
}

/* One line for an item that is no text: what it is, and how much of it. */
static void
show_item(mcphost_result *result, size_t index)
{
    size_t len = 0;
    const char *json = mcphost_result_item_get_json(result, index, &len);
    json_t *item = json ? json_loadb(json, len, JSON_ALLOW_NUL, NULL) : NULL;
    const char *type = json_string_value(json_object_get(item, "type"));
    const char *mime = mcphost_result_item_get_mime_type(result, index);
    const json_t *resource = json_object_get(item, "resource");
    const char *uri =
        json_string_value(json_object_get(resource ? resource : item, "uri"));
    struct text t = {0};

    text_printf(&t, "[%s", type ? type : "item");
    if (mime)
        text_printf(&t, " %s", mime);
    if (uri)
        text_printf(&t, " %s", uri);
    if (member_length(item, "data"))
        text_printf(&t, ", %zu bytes of base64", member_length(item, "data"));
    if (member_length(resource, "blob"))
        text_printf(&t, ", %zu bytes of base64", member_length(resource, "blob"));
    text_puts(&t, "]\n");
    if (!text_failed(&t))
        term_print(stdout, "", t.data, t.len);
    /* The text of an embedded resource is what the tool has to say, too. */
    if (member_length(resource, "text")) {
        const json_t *text = json_object_get(resource, "text");

        term_print(stdout, "", json_string_value(text), json_string_length(text));
        putchar('\n');
    }
    text_free(&t);
    json_decref(item);
}

static void
show_result(mcphost_result *result)
{
    size_t n = mcphost_result_count_items(result);
    size_t len = 0;
    const char *s;

    for (size_t i = 0; i < n; i++) {
        if (mcphost_result_item_get_text(result, i, &s, &len) < 0) {
            show_item(result, i);
            continue;
        }
        term_print(stdout, "", s, len);
        if (len == 0 || s[len - 1] != '\n')
            putchar('\n');
    }
    /* Where there is text too, it says the same. */
    s = mcphost_result_get_structured(result, &len);
    if (n == 0 && s) {
        term_print(stdout, "", s, len);
        putchar('\n');
    }
}

static int
print_result(struct ctl *ctl, mcphost_result *result)
{
    struct text t = {0};
    size_t len = 0;
    const char *s = mcphost_result_get_json(result, &len);
    int status = STATUS_OK;

    if (ctl->opt.json) {
        put_raw(&t, s, len);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        show_result(result);
    }
    if (status)
        return status;
    return mcphost_result_is_error(result) ? STATUS_TOOL : STATUS_OK;
}

/* ---- the call ------------------------------------------------------------------------------ */

/* Tells of a failure, as JSON besides when that was asked for.  Returns the status. */
static int
failed(struct ctl *ctl, int code, mcphost_error *err, int usage)
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

static int
run_call(struct ctl *ctl, mcphost_call *call)
{
    mcphost_result *result;
    int r = 0;

    if (ctl->opt.timeout_ms >= 0)
        r = mcphost_call_set_timeout(call, ctl->opt.timeout_ms, 0, -1);
    ctl->call_shown = !ctl->opt.verbose && term_width(stderr) > 0;
    if (r == 0 && ctl->call_shown)
        r = mcphost_call_set_progress(call, 1);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r < 0)
        return failed(ctl, r, NULL, 0);
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
        return print_result(ctl, result);
    return failed(ctl, r, mcphost_call_get_error(call), 0);
}

static int
call_tool(struct ctl *ctl, mcphost_tool *tool, const struct arguments *arguments)
{
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int status;
    int r = mcphost_dialog_new(mcphost_default_view(ctl->host), ctl->opt.dialog, NULL,
                               &dialog, &err);

    if (r == 0)
        r = mcphost_call_new_tool(dialog, tool,
                                  arguments->json.data ? arguments->json.data : "",
                                  arguments->json.len, &call, &err);
    status = r < 0 ? failed(ctl, r, err, 1) : run_call(ctl, call);
    mcphost_call_unref(call);
    mcphost_dialog_unref(dialog);
    mcphost_error_unref(err);
    return status;
}

int
cmd_call(struct ctl *ctl)
{
    struct arguments arguments = {0};
    mcphost_tool *tool = NULL;
    int status = arguments_read(ctl, ctl->opt.args + 1, ctl->opt.n_args - 1, &arguments);

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
