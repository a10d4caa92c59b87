/* SPDX-License-Identifier: MIT
 *
 * check.c - the command `check`: report the faults of a configuration.
 *
 * The command starts nothing and needs no host.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"
#include "term.h"
#include "words.h"

/* The configuration of one source. */
struct part {
    const char *source; /* the source's id; NULL for the default source */
    const mcphost_config *config;
};

static void
each_part(const struct ctl *ctl, void (*each)(const struct part *part, void *arg),
          void *arg)
{
    each(&(struct part){.config = ctl->config}, arg);
    for (size_t i = 0; i < ctl->n_sources; i++)
        each(&(struct part){ctl->sources[i].id, ctl->sources[i].config}, arg);
}

static void
add_diagnostic(struct text *t, const struct part *part, size_t i)
{
    const mcphost_config *config = part->config;

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
    put_source(t, part->source);
    put_key(t, "message");
    put_str(t, mcphost_config_diagnostic_get_message(config, i));
    put_end(t, '}');
}

/* Writes the member "entry", an object with the keys of the server's entry, if the entry
 * is valid. */
static void
put_entry(struct text *t, const mcphost_config *config, size_t i)
{
    char *json;
    size_t len;

    if (mcphost_config_server_make_json(config, i, &json, &len) < 0)
        return;
    put_key(t, "entry");
    put_raw(t, json, len);
    mcphost_free(json);
}

static void
servers_json(const struct part *part, void *arg)
{
    const mcphost_config *config = part->config;
    struct text *t = arg;

    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        put_begin(t, '{');
        put_key(t, "id");
        put_str(t, mcphost_config_server_get_id(config, i));
        put_source(t, part->source);
        put_key(t, "transport");
        put_str(t, name_unless_0(MCPHOST_ENUM_TRANSPORT,
                                 mcphost_config_server_get_transport(config, i)));
        put_key(t, "state");
        put_str(t, name_of(MCPHOST_ENUM_CONFIG_SERVER_STATE,
                           mcphost_config_server_get_state(config, i)));
        put_key(t, "line");
        put_int(t, mcphost_config_server_get_line(config, i));
        put_entry(t, config, i);
        put_end(t, '}');
    }
}

static void
diagnostics_json(const struct part *part, void *arg)
{
    for (size_t i = 0; i < mcphost_config_count_diagnostics(part->config); i++)
        add_diagnostic(arg, part, i);
}

static int
check_json(struct ctl *ctl, int valid)
{
    struct text t = {0};
    int status;

    put_begin(&t, '{');
    put_key(&t, "file");
    put_str(&t, ctl_file(ctl));
    put_key(&t, "valid");
    put_flag(&t, valid);
    put_key(&t, "servers");
    put_begin(&t, '[');
    each_part(ctl, servers_json, &t);
    put_end(&t, ']');
    put_key(&t, "diagnostics");
    put_begin(&t, '[');
    each_part(ctl, diagnostics_json, &t);
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

struct rows {
    struct ctl *ctl;
    struct table *table;
    size_t n;
};

static void
diagnostics_text(const struct part *part, void *arg)
{
    const mcphost_config *config = part->config;
    struct rows *rows = arg;

    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++)
        print_diagnostic(stdout, config, i, use_color(rows->ctl));
    rows->n += mcphost_config_count_servers(config);
}

static void
servers_text(const struct part *part, void *arg)
{
    const mcphost_config *config = part->config;
    struct rows *rows = arg;
    struct table *table = rows->table;

    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        int state = mcphost_config_server_get_state(config, i);

        table_add_source(rows->ctl, table, part->source);
        table_add(table, COLOR_BOLD, mcphost_config_server_get_id(config, i));
        table_add(table, COLOR_PLAIN,
                  name_unless_0(MCPHOST_ENUM_TRANSPORT,
                                mcphost_config_server_get_transport(config, i)));
        table_add(table, state_color(state),
                  name_of(MCPHOST_ENUM_CONFIG_SERVER_STATE, state));
        table_add_int(table, COLOR_PLAIN, mcphost_config_server_get_line(config, i));
    }
}

static int
check_text(struct ctl *ctl, int valid)
{
    static const char *const heads[] = {"SOURCE", "SERVER", "TRANSPORT",
                                        "STATE",  ">LINE",  NULL};
    struct rows rows = {.ctl = ctl};

    each_part(ctl, diagnostics_text, &rows);
    if (rows.n == 0) {
        if (valid)
            printf("%s: no servers\n", ctl_file(ctl));
        return STATUS_OK;
    }
    rows.table = table_of_sources(ctl, heads);
    each_part(ctl, servers_text, &rows);
    return print_table(ctl, rows.table);
}

static void
check_part(const struct part *part, void *arg)
{
    int *valid = arg;

    *valid = *valid && config_is_valid(part->config);
}

int
cmd_check(struct ctl *ctl)
{
    int status = ctl_load_config(ctl), valid = 1;

    if (status)
        return status;
    each_part(ctl, check_part, &valid);
    status = ctl->opt.json ? check_json(ctl, valid) : check_text(ctl, valid);
    return status ? status : valid ? STATUS_OK : STATUS_CONFIG;
}
