/* SPDX-License-Identifier: MIT
 *
 * config.c - commands that configure the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario.h"

void
write_file(const char *name, const char *text, size_t len)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", sc.dir, name);
    file = fopen(path, "we");
    if (!file || fwrite(text, 1, len, file) != len || fclose(file) != 0)
        die("cannot write %s", path);
}

static void
save(void)
{
    char dir[128];

    snprintf(dir, sizeof(dir), "%s/.minds", sc.dir);
    mkdir(dir, 0700);
    write_file(".minds/mcp.yaml", sc.yaml.p ? sc.yaml.p : "", sc.yaml.len);
}

void
declare_entry(const struct command *c, const char *keys)
{
    const char *id = c->words[1];
    bool has_transform = false;

    if (sc.is_whole)
        text_free(&sc.yaml);
    sc.is_whole = false;
    if (!sc.yaml.len)
        text_format(&sc.yaml, "version: 1\nservers:\n");
    text_format(&sc.yaml, "  %s:\n%s", id, keys);
    for (int i = 2; i < c->n; i++) {
        text_format(&sc.yaml, "    %s\n", c->words[i]);
        has_transform |= strncmp(c->words[i], "transform:", 10) == 0;
    }
    if (!has_transform)
        text_format(&sc.yaml, "    transform: [{prefix: \"%s_\"}]\n", id);
}

static void
declare_server(const struct command *c)
{
    struct text keys = {0};
    char name[128];

    snprintf(name, sizeof(name), "%s.script", c->words[1]);
    write_file(name, c->text.p ? c->text.p : "", c->text.len);
    text_format(&keys,
                "    transport: stdio\n    command: \"%s\"\n    args: [\"%s/%s\"]\n",
                sc.server, sc.dir, name);
    declare_entry(c, keys.p);
    text_free(&keys);
}

static void
check_config(void)
{
    mcphost_error *err = NULL;
    mcphost_config *config;
    size_t n;
    int r;

    save();
    r = mcphost_config_load_workspace(sc.dir, &config, &err);
    if (r < 0) {
        say_error("check", r, err);
        return;
    }
    n = mcphost_config_count_diagnostics(config);
    for (size_t i = 0; i < n; i++) {
        int severity = mcphost_config_diagnostic_get_severity(config, i);

        say("%s %d:%d %s",
            mcphost_enum_get_name(MCPHOST_ENUM_DIAGNOSTIC_SEVERITY, severity),
            mcphost_config_diagnostic_get_line(config, i),
            mcphost_config_diagnostic_get_column(config, i),
            mcphost_config_diagnostic_get_message(config, i));
    }
    say("check: %zu servers", mcphost_config_count_servers(config));
    mcphost_config_unref(config);
}

static void
load(void)
{
    mcphost_error *err = NULL;
    int r;

    save();
    r = mcphost_load_workspace(sc.host, sc.dir, NULL, &err);
    if (r < 0)
        say_error("load", r, err);
    else
        wait_ready("load");
}

static void
edit(void)
{
    int r;

    save();
    r = mcphost_reload(sc.host);
    if (r < 0)
        say_error("edit", r, NULL);
    else
        wait_ready("edit");
}

static void
follow_mcpservers(const char *name)
{
    mcphost_error *err = NULL;
    char path[256];
    int r;

    snprintf(path, sizeof(path), "%s/%s", sc.dir, name);
    r = mcphost_mcpservers_follow(mcphost_default_source(sc.host), sc.dir, path, &err);
    if (r < 0)
        say_error("mcpservers", r, err);
    else
        wait_ready("mcpservers");
}

/* Enables, disables or restarts a server, and waits until the servers are ready. */
static void
change_server(const char *what, const char *id)
{
    int r = strcmp(what, "restart") == 0
                ? mcphost_restart_server(sc.host, id)
                : mcphost_set_server_enabled(sc.host, id, strcmp(what, "enable") == 0);

    if (r < 0)
        say_error(what, r, NULL);
    else
        wait_ready(what);
}

static void
set_option(const char *name, const char *value)
{
    int r = mcphost_set_option(sc.host, enum_value(MCPHOST_ENUM_OPTION, name),
                               strtoll(value, NULL, 10));

    if (r < 0)
        say_error("option", r, NULL);
}

bool
run_config(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "server") == 0) {
        declare_server(c);
    } else if (strcmp(name, "yaml") == 0) {
        text_free(&sc.yaml);
        text_add(&sc.yaml, c->text.p, c->text.len);
        sc.is_whole = true;
    } else if (strcmp(name, "file") == 0) {
        write_file(c->words[1], c->text.p, c->text.len);
    } else if (strcmp(name, "forget") == 0) {
        text_free(&sc.yaml);
    } else if (strcmp(name, "check") == 0) {
        check_config();
    } else if (strcmp(name, "option") == 0) {
        set_option(c->words[1], c->words[2]);
    } else if (strcmp(name, "load") == 0) {
        load();
    } else if (strcmp(name, "edit") == 0) {
        edit();
    } else if (strcmp(name, "mcpservers") == 0) {
        follow_mcpservers(c->words[1]);
    } else if (strcmp(name, "enable") == 0 || strcmp(name, "disable") == 0 ||
               strcmp(name, "restart") == 0) {
        change_server(name, c->words[1]);
    } else {
        return false;
    }
    return true;
}
