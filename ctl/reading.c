/* SPDX-License-Identifier: MIT
 *
 * reading.c - the commands `read`, `prompt` and `complete`.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "term.h"

/* ---- resources and prompts --------------------------------------------------------- */

int
cmd_read(struct ctl *ctl)
{
    const char *uri = ctl->opt.args[0];
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int r, status = call_find_save(ctl);

    if (status == 0)
        status = ctl_start(ctl, &catalog);
    if (status == 0)
        status = offers_pick(ctl, catalog, OFFER_RESOURCES, uri, name);
    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        if (r == 0)
            r = mcphost_call_new_read(dialog, name, uri, &call, &err);
        status = call_run_made(ctl, r, call, err, result_print);
    }
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    return status;
}

/* Writes key=value as {"key":"value"}: each value becomes a string, even if it looks like
 * a number.  Returns 0, or a STATUS_* after printing the reason. */
static int
put_pairs(struct ctl *ctl, struct text *t, char **pairs, int n)
{
    put_begin(t, '{');
    for (int i = 0; i < n; i++) {
        char *equals = strchr(pairs[i], '=');

        if (!equals || equals == pairs[i]) {
            say(ctl, "'%s' is not key=value", pairs[i]);
            return STATUS_USAGE;
        }
        *equals = '\0';
        put_key(t, pairs[i]);
        put_str(t, equals + 1);
        *equals = '=';
    }
    put_end(t, '}');
    return text_failed(t) ? out_of_memory(ctl) : 0;
}

int
cmd_prompt(struct ctl *ctl)
{
    struct arguments arguments = {0};
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    const char *name;
    int r,
        status = arguments_read(ctl, ctl->opt.args + 1, ctl->opt.n_args - 1, &arguments);

    if (status == 0 && arguments.n_pairs > 0)
        status = put_pairs(ctl, &arguments.json, arguments.pairs, arguments.n_pairs);
    if (status == 0)
        status = call_find_save(ctl);
    if (status == 0)
        status = ctl_start(ctl, &catalog);
    if (status == 0)
        status = offers_find_prompt(ctl, catalog, ctl->opt.args[0], &name);
    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        if (r == 0)
            r = mcphost_call_new_prompt(dialog, name, arguments.json.data,
                                        arguments.json.len, &call, &err);
        status = call_run_made(ctl, r, call, err, result_print);
    }
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    arguments_free(&arguments);
    return status;
}

/* ---- completion -------------------------------------------------------------------- */

void
put_values(struct text *t, mcphost_result *result)
{
    int64_t total = mcphost_result_get_total(result);

    put_begin(t, '{');
    put_key(t, "values");
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_result_count_values(result); i++) {
        size_t len = 0;
        const char *s = mcphost_result_get_value(result, i, &len);

        put_text(t, s, len);
    }
    put_end(t, ']');
    put_key(t, "total");
    if (total < 0)
        put_raw(t, NULL, 0);
    else
        put_int(t, total);
    put_key(t, "hasMore");
    put_flag(t, mcphost_result_has_more(result));
    put_end(t, '}');
}

/* Prints each value on a line or, with --json, an object. */
static int
values_print(struct ctl *ctl, mcphost_call *call)
{
    mcphost_result *result = mcphost_call_get_result(call);
    struct text t = {0};
    int status = STATUS_OK;

    if (ctl->opt.json) {
        put_values(&t, result);
        status = print_json(ctl, &t);
        text_free(&t);
        return status;
    }
    for (size_t i = 0; i < mcphost_result_count_values(result); i++) {
        size_t len = 0;
        const char *s = mcphost_result_get_value(result, i, &len);

        term_print(stdout, "", s ? s : "", len);
        putchar('\n');
    }
    return status;
}

/* Completes an argument and prints the values.  `pair` is ARGUMENT=BEGINNING.  The
 * function cuts `pair` in two at the '='. */
static int
complete(struct ctl *ctl, const mcphost_catalog *catalog, char *pair,
         const struct text *context)
{
    char *value = strchr(pair, '=');
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    const char *prompt = NULL;
    char server[NAME_SIZE];
    int r, status;

    if (ctl->opt.prompt)
        status = offers_find_prompt(ctl, catalog, ctl->opt.prompt, &prompt);
    else
        status = offers_pick(ctl, catalog, OFFER_TEMPLATES, ctl->opt.template, server);
    if (status)
        return status;
    *value++ = '\0';
    r = call_dialog(ctl, &dialog, &err);
    if (r == 0 && prompt)
        r = mcphost_call_new_complete_prompt(dialog, prompt, pair, value, context->data,
                                             context->len, &call, &err);
    else if (r == 0)
        r = mcphost_call_new_complete_template(dialog, server, ctl->opt.template, pair,
                                               value, context->data, context->len, &call,
                                               &err);
    status = call_run_made(ctl, r, call, err, values_print);
    mcphost_dialog_unref(dialog);
    return status;
}

int
cmd_complete(struct ctl *ctl)
{
    char **pairs = ctl->opt.args;
    mcphost_catalog *catalog = NULL;
    struct text context = {0};
    int status = 0;

    if (!ctl->opt.prompt == !ctl->opt.template) {
        say(ctl, "'complete' needs --prompt NAME or --template TEMPLATE");
        return STATUS_USAGE;
    }
    if (!strchr(pairs[0], '=') || pairs[0][0] == '=') {
        say(ctl, "'%s' is not ARGUMENT=BEGINNING", pairs[0]);
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args > 1)
        status = put_pairs(ctl, &context, pairs + 1, ctl->opt.n_args - 1);
    if (status == 0)
        status = ctl_start(ctl, &catalog);
    if (status == 0)
        status = complete(ctl, catalog, pairs[0], &context);
    mcphost_catalog_unref(catalog);
    text_free(&context);
    return status;
}
