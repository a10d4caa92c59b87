/* SPDX-License-Identifier: MIT
 *
 * edit.c - the commands on the configuration file: diff, enable, disable.
 *
 * The commands start no servers.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "term.h"
#include "words.h"

int
want_file(struct ctl *ctl)
{
    if (!ctl->opt.stdio && !ctl->opt.url)
        return 0;
    say(ctl, "'%s' needs a configuration file, and %s has none", ctl->opt.command,
        ctl->opt.stdio ? "--stdio" : "--url");
    return STATUS_USAGE;
}

void
say_all_diagnostics(const mcphost_config *config)
{
    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++) {
        fputs("mcphostctl: ", stderr);
        print_diagnostic(stderr, config, i, 0);
    }
}

/* ---- diff -------------------------------------------------------------------------- */

int
config_is_valid(const mcphost_config *config)
{
    if (mcphost_config_get_status(config) < 0)
        return 0;
    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        if (mcphost_config_server_get_state(config, i) == MCPHOST_CONFIG_SERVER_INVALID)
            return 0;
    }
    return 1;
}

static void
add_json(const struct change *change, void *arg)
{
    row_change(arg, change);
}

static int
diff_json(struct ctl *ctl, const mcphost_config *to)
{
    struct text t = {0};
    int status;

    put_begin(&t, '{');
    put_key(&t, "from");
    put_str(&t, mcphost_config_get_file(ctl->config));
    put_key(&t, "to");
    put_str(&t, mcphost_config_get_file(to));
    put_key(&t, "valid");
    put_flag(&t, config_is_valid(to));
    put_key(&t, "changes");
    put_begin(&t, '[');
    if (mcphost_config_get_status(to) == 0)
        changes_each(ctl->config, to, add_json, &t);
    put_end(&t, ']');
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

static int
change_color(int kind)
{
    switch (kind) {
    case CHANGE_KEPT:
        return COLOR_DIM;
    case CHANGE_INVALID:
    case CHANGE_REMOVED:
        return COLOR_RED;
    case CHANGE_RESTART:
    case CHANGE_DISABLED:
        return COLOR_YELLOW;
    default:
        return COLOR_GREEN;
    }
}

static void
add_line(const struct change *change, void *arg)
{
    struct table *table = arg;

    table_add(table, COLOR_BOLD, change->server);
    table_add(table, change_color(change->kind), name_change(change->kind));
    table_add(table, COLOR_PLAIN, change->keys[0] ? change->keys : NULL);
}

static int
diff_text(struct ctl *ctl, const mcphost_config *to)
{
    static const char *const heads[] = {"SERVER", "CHANGE", "KEYS", NULL};
    struct table *table;

    if (mcphost_config_get_status(to) < 0) {
        puts("rejected: nothing would change");
        return STATUS_OK;
    }
    if (mcphost_config_count_servers(ctl->config) + mcphost_config_count_servers(to) ==
        0) {
        puts("no servers");
        return STATUS_OK;
    }
    table = table_new(heads);
    changes_each(ctl->config, to, add_line, table);
    return print_table(ctl, table);
}

int
cmd_diff(struct ctl *ctl)
{
    mcphost_config *to = NULL;
    mcphost_error *err = NULL;
    int status = want_file(ctl), r;

    if (status == 0)
        status = ctl_load_config(ctl);
    if (status)
        return status;
    r = ctl_read_file(ctl, ctl->opt.args[0], &to, &err);
    if (r < 0) {
        say_error(ctl, r, err);
        mcphost_error_unref(err);
        return STATUS_CONFIG;
    }
    say_all_diagnostics(to);
    status = ctl->opt.json ? diff_json(ctl, to) : diff_text(ctl, to);
    if (status == STATUS_OK && !config_is_valid(to))
        status = STATUS_CONFIG;
    mcphost_config_unref(to);
    return status;
}

/* ---- enable, disable --------------------------------------------------------------- */

/* Finds another source that has the server, if the server was named without a source.
 * Returns NULL if no other source has the server. */
static const struct source *
find_other(const struct ctl *ctl, const struct target *target)
{
    size_t index;

    for (size_t i = 0; i < ctl->n_sources && !target->source; i++) {
        const struct source *source = &ctl->sources[i];

        if (mcphost_config_find_server(source->config, target->server, &index) == 0)
            return source;
    }
    return NULL;
}

static int
no_server(struct ctl *ctl, const struct target *target)
{
    const struct source *other = find_other(ctl, target);
    char room[NAME_SIZE];
    size_t n = mcphost_config_count_servers(target->config);
    const char **names = calloc(n + 1, sizeof(*names));
    const char *meant;

    if (!names)
        return out_of_memory(ctl);
    for (size_t i = 0; i < n; i++)
        names[i] = mcphost_config_server_get_id(target->config, i);
    meant = other ? full_name(room, other->id, target->server)
                  : words_suggest(target->server, names);
    say(ctl, "no server '%s' in %s%s%s%s", target->server,
        target->source ? target->source->path : ctl_file(ctl),
        meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    free(names);
    return STATUS_USAGE;
}

int
want_server(struct ctl *ctl, const char *name, struct target *ret)
{
    struct source *source = source_split(ctl, name, &ret->server);
    size_t index;

    ret->source = source;
    ret->config = source ? source->config : ctl->config;
    if (mcphost_config_get_status(ret->config) < 0) {
        say_all_diagnostics(ret->config);
        return STATUS_CONFIG;
    }
    if (mcphost_config_find_server(ret->config, ret->server, &index) < 0)
        return no_server(ctl, ret);
    ret->file = mcphost_config_server_get_file(ret->config, index);
    return 0;
}

int
want_server_of_file(struct ctl *ctl, const char *name, struct target *ret)
{
    int status = source_split(ctl, name, &ret->server) ? 0 : want_file(ctl);

    if (status == 0)
        status = ctl_load_config(ctl);
    return status ? status : want_server(ctl, name, ret);
}

void
want_only(struct ctl *ctl, const struct target *target)
{
    ctl->only = target->server;
    ctl->only_in = target->source;
    ctl->config = mcphost_config_unref(ctl->config);
}

static int
show_enabled(struct ctl *ctl, const struct target *target, int enabled, int changed)
{
    const char *id = ctl->opt.args[0], *file = target->file;
    struct text t = {0};
    int status;

    if (!ctl->opt.json) {
        term_print(stdout, "", id, strlen(id));
        printf(" is %s%s in ", changed ? "" : "already ",
               enabled ? "enabled" : "disabled");
        term_print(stdout, "", file, strlen(file));
        putchar('\n');
        return STATUS_OK;
    }
    put_begin(&t, '{');
    put_key(&t, "server");
    put_str(&t, target->server);
    put_source(&t, target->source ? target->source->id : NULL);
    put_key(&t, "enabled");
    put_flag(&t, enabled);
    put_key(&t, "changed");
    put_flag(&t, changed);
    put_key(&t, "file");
    put_str(&t, file);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

int
target_set_enabled(struct ctl *ctl, const struct target *target, int enabled,
                   int *ret_changed)
{
    mcphost_error *err = NULL;
    int r =
        source_set_enabled(target->source, target->file, target->server, enabled, &err);

    *ret_changed = r > 0;
    if (r >= 0)
        return 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return r == MCPHOST_E_STATE ? STATUS_USAGE : status_of(ctl, r);
}

static int
set_enabled(struct ctl *ctl, int enabled)
{
    struct target target;
    int status = want_server_of_file(ctl, ctl->opt.args[0], &target), changed = 0;

    if (status == 0)
        status = target_set_enabled(ctl, &target, enabled, &changed);
    return status ? status : show_enabled(ctl, &target, enabled, changed);
}

int
cmd_enable(struct ctl *ctl)
{
    return set_enabled(ctl, 1);
}

int
cmd_disable(struct ctl *ctl)
{
    return set_enabled(ctl, 0);
}
