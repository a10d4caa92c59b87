/* SPDX-License-Identifier: MIT
 *
 * check.c - the command check: what the library thinks of a configuration.
 *
 * Starts nothing and needs no host.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"
#include "term.h"
#include "words.h"

static void
add_diagnostic(struct text *t, const mcphost_config *config, size_t i)
{
    put_begin(t, '{');
    put_key(t, "severity");
    put_str(t, name_of(MCPHOST_ENUM_DIAGNOSTIC_SEVERITY,
                       mcphost_config_diagnostic_get_severity(config, i)));
    put_key(t, "file");
    put_str(t, mcphost_config_diagnostic_get_file(config, i));
    put_key(t, "line");
    put_int(t, mcphost_config_diagnostic_get_line(config, i));
    put_key(t, "column");
    put_int(t, mcphost_config_diagnostic_get_column(config, i));
    put_key(t, "key");
    put_str(t, mcphost_config_diagnostic_get_key(config, i));
    put_key(t, "server");
    put_str(t, mcphost_config_diagnostic_get_server_id(config, i));
    put_key(t, "message");
    put_str(t, mcphost_config_diagnostic_get_message(config, i));
    put_end(t, '}');
}

/* The keys of a valid server. */
static void
put_entry(struct text *t, const mcphost_config *config, size_t i)
{
    char *json;
    size_t len;

    if (mcphost_config_server_make_json(config, i, &json, &len) < 0)
        return;
    put_key(t, "entry");
    put_raw(t, json, len);
    free(json);
}

static int
check_json(struct ctl *ctl, int valid)
{
    const mcphost_config *config = ctl->config;
    struct text t = {0};
    int status;

    put_begin(&t, '{');
    put_key(&t, "file");
    put_str(&t, mcphost_config_get_file(config));
    put_key(&t, "valid");
    put_flag(&t, valid);
    put_key(&t, "servers");
    put_begin(&t, '[');
    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        put_begin(&t, '{');
        put_key(&t, "id");
        put_str(&t, mcphost_config_server_get_id(config, i));
        put_key(&t, "transport");
        put_str(&t, name_unless_0(MCPHOST_ENUM_TRANSPORT,
                                  mcphost_config_server_get_transport(config, i)));
        put_key(&t, "state");
        put_str(&t, name_of(MCPHOST_ENUM_CONFIG_SERVER_STATE,
                            mcphost_config_server_get_state(config, i)));
        put_key(&t, "line");
        put_int(&t, mcphost_config_server_get_line(config, i));
        put_entry(&t, config, i);
        put_end(&t, '}');
    }
    put_end(&t, ']');
    put_key(&t, "diagnostics");
    put_begin(&t, '[');
    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++)
        add_diagnostic(&t, config, i);
    put_end(&t, ']');
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

static int
state_color(int state)
{
    switch (state) {
    case MCPHOST_CONFIG_SERVER_VALID:
        return COLOR_GREEN;
    case MCPHOST_CONFIG_SERVER_DISABLED:
        return COLOR_DIM;
    default:
        return COLOR_RED;
    }
}

static int
check_text(struct ctl *ctl, int valid)
{
    static const char *const heads[] = {"SERVER", "TRANSPORT", "STATE", ">LINE", NULL};
    const mcphost_config *config = ctl->config;
    size_t n = mcphost_config_count_servers(config);
    struct table *table;

    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++)
        print_diagnostic(stdout, config, i, use_color(ctl));
    if (n == 0) {
        if (valid)
            printf("%s: no servers\n", mcphost_config_get_file(config));
        return STATUS_OK;
    }
    table = table_new(heads);
    for (size_t i = 0; i < n; i++) {
        int state = mcphost_config_server_get_state(config, i);

        table_add(table, COLOR_BOLD, mcphost_config_server_get_id(config, i));
        table_add(table, COLOR_PLAIN,
                  name_unless_0(MCPHOST_ENUM_TRANSPORT,
                                mcphost_config_server_get_transport(config, i)));
        table_add(table, state_color(state),
                  name_of(MCPHOST_ENUM_CONFIG_SERVER_STATE, state));
        table_add_int(table, COLOR_PLAIN, mcphost_config_server_get_line(config, i));
    }
    return print_table(ctl, table);
}

int
cmd_check(struct ctl *ctl)
{
    int status = ctl_load_config(ctl);
    int valid;

    if (status)
        return status;
    valid = mcphost_config_get_status(ctl->config) == 0;
    for (size_t i = 0; i < mcphost_config_count_servers(ctl->config); i++) {
        if (mcphost_config_server_get_state(ctl->config, i) ==
            MCPHOST_CONFIG_SERVER_INVALID)
            valid = 0;
    }
    status = ctl->opt.json ? check_json(ctl, valid) : check_text(ctl, valid);
    return status ? status : valid ? STATUS_OK : STATUS_CONFIG;
}
