/* SPDX-License-Identifier: MIT
 *
 * schema.c - the command `schema`: check a JSON file against a schema.
 *
 * The command needs no host.
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "term.h"

static void
show_errors(const mcphost_schema_report *report)
{
    for (size_t i = 0; i < mcphost_schema_report_count_errors(report); i++) {
        const char *at = mcphost_schema_report_get_instance_path(report, i);
        struct text t = {0};

        text_printf(&t, "%s: expected %s, found %s (%s)\n", *at ? at : "(the value)",
                    mcphost_schema_report_get_expected(report, i),
                    mcphost_schema_report_get_found(report, i),
                    mcphost_schema_report_get_schema_path(report, i));
        if (!text_failed(&t))
            term_print(stdout, "", t.data, t.len);
        text_free(&t);
    }
}

/* Prints {"valid":...,"errors":[...]}, with a member "error" if `err` is not NULL.
 * `report` is NULL if a file cannot be used. */
static int
print_rows(struct ctl *ctl, const mcphost_schema_report *report, int valid,
           mcphost_error *err)
{
    struct text t = {0};
    size_t len = 0;
    const char *s = mcphost_schema_report_get_json(report, &len);
    int status;

    put_begin(&t, '{');
    put_key(&t, "valid");
    put_flag(&t, valid);
    put_key(&t, "errors");
    put_raw(&t, report ? s : "[]", report ? len : 2);
    if (err) {
        put_key(&t, "error");
        row_error(&t, mcphost_error_get_code(err), err);
    }
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

/* Reports why the file `path` cannot be used.  Returns the exit status. */
static int
refused(struct ctl *ctl, const char *path, int code, mcphost_error *err, int status)
{
    say(ctl, "%s: %s", path,
        err ? mcphost_error_get_message(err) : mcphost_strerror(code));
    if (ctl->opt.json && print_rows(ctl, NULL, 0, err))
        return STATUS_SERVER;
    return code == MCPHOST_E_NOMEM ? STATUS_SERVER : status;
}

static int
check_value(struct ctl *ctl, mcphost_schema *schema, const struct text *value)
{
    const char *path = ctl->opt.args[2];
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    int status, r = mcphost_schema_validate(schema, value->data ? value->data : "",
                                            value->len, 0, &report, &err);

    if (r < 0) {
        /* Report a value that is not JSON as a value that does not fit the schema.  Other
         * failures say nothing about the value. */
        status = refused(ctl, path, r, err,
                         r == MCPHOST_E_INVALID ? STATUS_TOOL : STATUS_SERVER);
        mcphost_error_unref(err);
        return status;
    }
    if (ctl->opt.json) {
        status = print_rows(ctl, report, r == MCPHOST_SCHEMA_VALID, NULL);
    } else {
        status = STATUS_OK;
        show_errors(report);
        if (r == MCPHOST_SCHEMA_VALID)
            puts("valid");
    }
    mcphost_schema_report_unref(report);
    return status ? status : r == MCPHOST_SCHEMA_VALID ? STATUS_OK : STATUS_TOOL;
}

int
cmd_schema(struct ctl *ctl)
{
    struct text text = {0}, value = {0};
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int status, r;

    if (strcmp(ctl->opt.args[0], "check") != 0) {
        say(ctl, "'schema' has only 'check', not '%s'", ctl->opt.args[0]);
        return STATUS_USAGE;
    }
    status = input_read(ctl, ctl->opt.args[1], &text);
    if (status == 0)
        status = input_read(ctl, ctl->opt.args[2], &value);
    if (status)
        goto out;
    r = mcphost_schema_new(&schema);
    if (r == 0)
        r = mcphost_schema_compile(schema, text.data ? text.data : "", text.len, &err);
    status = r < 0 ? refused(ctl, ctl->opt.args[1], r, err, STATUS_CONFIG)
                   : check_value(ctl, schema, &value);
out:
    mcphost_error_unref(err);
    mcphost_schema_unref(schema);
    text_free(&text);
    text_free(&value);
    return status;
}
