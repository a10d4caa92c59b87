/* SPDX-License-Identifier: MIT
 *
 * value.c - commands about schemas, URI templates, credentials and the version.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

static void
check_schema(const char *json, const char *value)
{
    mcphost_schema_report *report = NULL;
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int r = mcphost_schema_new(&schema);

    if (r == 0)
        r = mcphost_schema_compile(schema, json, strlen(json), &err);
    if (r == 0)
        r = mcphost_schema_validate(schema, value, strlen(value), 0, &report, &err);
    if (r < 0)
        say_error("schema", r, err);
    else if (mcphost_schema_report_count_errors(report) == 0)
        say("schema: valid");
    else
        say("schema: invalid %s %s", mcphost_schema_report_get_instance_path(report, 0),
            mcphost_schema_report_get_keyword(report, 0));
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
}

static void
expand(const char *uri_template, const char *values)
{
    mcphost_error *err = NULL;
    char *uri = NULL;
    int r = mcphost_template_expand(uri_template, strlen(uri_template), values,
                                    strlen(values), &uri, NULL, &err);

    say_outcome("expand", uri, r, err);
    mcphost_free(uri);
}

static void
match(const char *uri_template, const char *uri)
{
    mcphost_error *err = NULL;
    char *values = NULL;
    int r = mcphost_template_match(uri_template, strlen(uri_template), uri, strlen(uri),
                                   &values, NULL, &err);

    if (r == MCPHOST_E_NOTFOUND)
        say("match: none");
    else
        say_outcome("match", values, r, mcphost_error_ref(err));
    mcphost_error_unref(err);
    mcphost_free(values);
}

static void
set_credential(const char *server, const char *name, const char *value)
{
    mcphost_error *err = NULL;
    int r = mcphost_set_credential(sc.host, server, NULL, name,
                                   strcmp(value, "-") == 0 ? NULL : value, &err);

    if (r < 0)
        say_error("credential", r, err);
}

bool
run_value(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "schema") == 0)
        check_schema(c->words[1], c->words[2]);
    else if (strcmp(name, "expand") == 0)
        expand(c->words[1], c->words[2]);
    else if (strcmp(name, "match") == 0)
        match(c->words[1], c->words[2]);
    else if (strcmp(name, "credential") == 0)
        set_credential(c->words[1], c->words[2], c->words[3]);
    else if (strcmp(name, "version") == 0)
        say("version: %s",
            mcphost_version_number() == MCPHOST_VERSION_NUMBER ? "same" : "other");
    else
        return false;
    return true;
}
