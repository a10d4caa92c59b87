/* SPDX-License-Identifier: MIT
 *
 * list.c - the commands that list things: servers, server, tools, tool, problems.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ctl.h"
#include "term.h"
#include "words.h"

/* Prints a JSON document and frees it. */
static int
print_rows(struct ctl *ctl, struct text *t)
{
    int status = print_json(ctl, t);

    text_free(t);
    return status;
}

static int
worse(int a, int b)
{
    return a > b ? a : b;
}

/* ---- servers ----------------------------------------------------------------------- */

static int
state_color(int state)
{
    switch (state) {
    case MCPHOST_SERVER_LOADED:
        return COLOR_GREEN;
    case MCPHOST_SERVER_STARTING:
        return COLOR_YELLOW;
    case MCPHOST_SERVER_DISABLED:
        return COLOR_DIM;
    default:
        return COLOR_RED;
    }
}

/* Adds a number, or "-" if the number is not known. */
static void
add_known(struct table *table, int64_t n, int known)
{
    if (known)
        table_add_int(table, COLOR_PLAIN, n);
    else
        table_add(table, COLOR_DIM, NULL);
}

/* Returns the reason why a server is not loaded, or why it is loaded but has no tools.
 * Returns NULL if no reason is known. */
static const char *
why_of(const mcphost_status *status, size_t index)
{
    mcphost_error *err = mcphost_status_server_get_error(status, index);

    if (err)
        return mcphost_error_get_message(err);
    return mcphost_status_server_has_tools(status, index) == 0 ? "no tools capability"
                                                               : NULL;
}

int
show_servers(struct ctl *ctl, const mcphost_status *status)
{
    static const char *const heads[] = {
        "SOURCE", "SERVER", "TRANSPORT", "ERA",      "VERSION", "STATE", ">PID",
        "HELD",   ">TOOLS", ">MS",       ">LATENCY", "ERROR",   NULL};
    size_t n = mcphost_status_count_servers(status);
    struct table *table = table_of_sources(ctl, heads);

    for (size_t i = 0; i < n; i++) {
        const char *version = mcphost_status_server_get_version(status, i);
        int state = mcphost_status_server_get_state(status, i);
        int64_t pid = mcphost_status_server_get_pid(status, i);
        int64_t ms = mcphost_status_server_get_start_ms(status, i);
        int64_t latency = mcphost_status_server_get_latency_ms(status, i);

        table_add_source(ctl, table, mcphost_status_server_get_source_id(status, i));
        table_add(table, COLOR_BOLD, mcphost_status_server_get_id(status, i));
        table_add(table, COLOR_PLAIN,
                  name_unless_0(MCPHOST_ENUM_TRANSPORT,
                                mcphost_status_server_get_transport(status, i)));
        table_add(
            table, COLOR_PLAIN,
            name_unless_0(MCPHOST_ENUM_ERA, mcphost_status_server_get_era(status, i)));
        table_add(table, COLOR_PLAIN, version);
        table_add(table, state_color(state), name_of(MCPHOST_ENUM_SERVER_STATE, state));
        add_known(table, pid, pid > 0);
        table_add(table, COLOR_PLAIN,
                  name_unless_0(MCPHOST_ENUM_CONTAINMENT,
                                mcphost_status_server_get_containment(status, i)));
        table_add_int(table, COLOR_PLAIN,
                      (long long)mcphost_status_server_count_tools(status, i));
        add_known(table, ms, ms >= 0);
        add_known(table, latency, latency >= 0);
        table_add(table, COLOR_PLAIN, why_of(status, i));
    }
    return print_cut_table(ctl, table);
}

static void
show_advice(struct ctl *ctl, const mcphost_error *err, FILE *out)
{
    struct text advice = {0};

    if (err && login_advise(ctl, err, &advice)) {
        term_print(out, "", advice.data, advice.len);
        fputs("\n", out);
    }
    text_free(&advice);
}

/* Prints the errors of servers uncut, each with the last lines of the server's stderr. */
static void
show_errors(struct ctl *ctl, const mcphost_status *status)
{
    FILE *out = ctl->out ? ctl->out : stdout;
    char name[NAME_SIZE];

    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        mcphost_error *err = mcphost_status_server_get_error(status, i);
        const char *id = full_name(name, mcphost_status_server_get_source_id(status, i),
                                   mcphost_status_server_get_id(status, i));
        const char *tail = err ? mcphost_error_get_stderr_tail(err) : NULL;
        const char *message = why_of(status, i);

        if (!message)
            continue;
        fputs("\n", out);
        term_print(out, "", id, strlen(id));
        fputs(": ", out);
        term_print(out, "", message, strlen(message));
        fputs("\n", out);
        if (tail && *tail)
            print_tail(out, tail);
        show_advice(ctl, err, out);
    }
}

int
cmd_servers(struct ctl *ctl)
{
    int r = ctl_start(ctl, NULL);
    mcphost_status *status = NULL;
    struct text t = {0};

    if (r)
        return r;
    if (mcphost_get_status(ctl->host, &status) < 0)
        return out_of_memory(ctl);
    if (ctl->opt.json) {
        rows_servers(&t, status);
        r = print_rows(ctl, &t);
    } else {
        r = show_servers(ctl, status);
        show_errors(ctl, status);
    }
    mcphost_status_unref(status);
    return worse(r, ctl_servers_status(ctl, 0));
}

/* ---- tools ------------------------------------------------------------------------- */

/* Returns the number of tools of this toolset that are shown. */
static size_t
count_shown(const struct ctl *ctl, const mcphost_catalog *catalog, size_t toolset)
{
    const char *name = mcphost_catalog_get_toolset(catalog, toolset);

    if (ctl->opt.toolset && strcmp(name, ctl->opt.toolset) != 0)
        return 0;
    return mcphost_catalog_count_toolset_tools(catalog, toolset);
}

/* Returns the server's own name for the tool, or NULL if the catalog has the same
 * name. */
static const char *
other_name(const mcphost_tool *tool)
{
    const char *original = mcphost_tool_get_original_name(tool);

    return original && strcmp(original, mcphost_tool_get_name(tool)) != 0 ? original
                                                                          : NULL;
}

/* Returns true if a server has another name for one of the tools that are shown. */
static int
names_differ(const struct ctl *ctl, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        for (size_t k = count_shown(ctl, catalog, i); k-- > 0;) {
            if (other_name(mcphost_catalog_get_toolset_tool(catalog, i, k)))
                return 1;
        }
    }
    return 0;
}

static void
add_tool(const struct ctl *ctl, struct table *table, mcphost_tool *tool,
         const char *toolset, int differ)
{
    size_t len = 0;
    const char *description = mcphost_tool_get_description(tool, &len);

    table_add_source(ctl, table, mcphost_tool_get_source_id(tool));
    table_add(table, COLOR_BOLD, mcphost_tool_get_name(tool));
    if (differ)
        table_add(table, COLOR_PLAIN, other_name(tool));
    table_add(table, COLOR_PLAIN, mcphost_tool_get_server_id(tool));
    table_add(table, COLOR_PLAIN, toolset);
    table_add_text(table, COLOR_PLAIN, description, len);
}

/* Prints the tools.  Adds a column ORIGINAL if a server has another name for a tool. */
static int
tools_text(struct ctl *ctl, const mcphost_catalog *catalog)
{
    static const char *const heads[] = {"SOURCE",  "NAME",        "SERVER",
                                        "TOOLSET", "DESCRIPTION", NULL};
    static const char *const more_heads[] = {
        "SOURCE", "NAME", "ORIGINAL", "SERVER", "TOOLSET", "DESCRIPTION", NULL};
    int differ = names_differ(ctl, catalog);
    struct table *table = table_of_sources(ctl, differ ? more_heads : heads);

    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        size_t n = count_shown(ctl, catalog, i);

        for (size_t k = 0; k < n; k++)
            add_tool(ctl, table, mcphost_catalog_get_toolset_tool(catalog, i, k),
                     mcphost_catalog_get_toolset(catalog, i), differ);
    }
    return print_cut_table(ctl, table);
}

/* Checks that the toolset of --toolset exists.  Returns 0 or a STATUS_*.  Prints a
 * message if the toolset is unknown.  Prints nothing if the name is the id of a server
 * and some server is not up, because messages have already named the servers that are
 * not up. */
static int
check_toolset(struct ctl *ctl, const mcphost_catalog *catalog)
{
    const char *wanted = ctl->opt.toolset;
    size_t n = mcphost_catalog_count_toolsets(catalog);
    const char **names;
    const char *meant;
    int status;

    if (!wanted || mcphost_catalog_find_toolset(catalog, wanted, NULL) == 0)
        return STATUS_OK;
    /* Do not call the toolset unknown if the name is the id of a server and some server
     * is not up. */
    status = ctl_servers_status(ctl, 0);
    if (status && mcphost_catalog_find_server(catalog, wanted))
        return status;
    names = calloc(n + 1, sizeof(*names));
    if (!names)
        return out_of_memory(ctl);
    for (size_t i = 0; i < n; i++)
        names[i] = mcphost_catalog_get_toolset(catalog, i);
    meant = words_suggest(wanted, names);
    say(ctl, "no toolset '%s'%s%s%s", wanted, meant ? "; did you mean '" : "",
        meant ? meant : "", meant ? "'?" : "");
    free(names);
    return STATUS_USAGE;
}

int
cmd_tools(struct ctl *ctl)
{
    mcphost_catalog *catalog = NULL;
    struct text t = {0};
    int bad, r = ctl_start(ctl, NULL);

    if (r)
        return r;
    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) < 0)
        return out_of_memory(ctl);
    bad = ctl_servers_status(ctl, 1);
    r = check_toolset(ctl, catalog);
    if (r == STATUS_OK && ctl->opt.json) {
        rows_tools(&t, catalog, ctl->opt.toolset);
        r = print_rows(ctl, &t);
    } else if (r == STATUS_OK) {
        r = tools_text(ctl, catalog);
    }
    mcphost_catalog_unref(catalog);
    return r ? r : bad;
}

/* ---- tool -------------------------------------------------------------------------- */

/* Returns the name of the tool's toolset in the catalog.  If two servers have the same
 * id, this name may differ from the name in the tool. */
static const char *
toolset_of(const mcphost_catalog *catalog, const mcphost_tool *tool)
{
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        size_t n = mcphost_catalog_count_toolset_tools(catalog, i);

        for (size_t k = 0; k < n; k++)
            if (mcphost_catalog_get_toolset_tool(catalog, i, k) == tool)
                return mcphost_catalog_get_toolset(catalog, i);
    }
    return mcphost_tool_get_toolset(tool);
}

static void
tool_json(struct text *t, const mcphost_catalog *catalog, const mcphost_tool *tool)
{
    size_t len = 0;
    const char *s;

    /* Write the row, and continue it with the members that a list leaves out. */
    row_tool(t, tool, toolset_of(catalog, tool));
    if (text_failed(t))
        return;
    t->len--;
    s = mcphost_tool_get_title(tool, &len);
    put_key(t, "title");
    put_text(t, s, len);
    s = mcphost_tool_get_input_schema(tool, &len);
    put_key(t, "inputSchema");
    put_raw(t, s, len);
    s = mcphost_tool_get_output_schema(tool, &len);
    put_key(t, "outputSchema");
    put_raw(t, s, len);
    s = mcphost_tool_get_annotations(tool, &len);
    put_key(t, "annotations");
    put_raw(t, s, len);
    s = mcphost_tool_get_app_uri(tool, &len);
    put_key(t, "app");
    put_text(t, s, len);
    put_end(t, '}');
}

static void
show_field(const struct ctl *ctl, const char *name, const char *s, size_t len)
{
    int color = use_color(ctl);

    if (!s)
        return;
    printf("%s%s:%s ", term_color(color, COLOR_BOLD), name,
           term_reset(color, COLOR_BOLD));
    term_print(stdout, "", s, len);
    putchar('\n');
}

/* Shows JSON with indentation, or unchanged if jansson cannot parse it. */
static void
show_json(const struct ctl *ctl, const char *name, const char *s, size_t len)
{
    json_t *parsed = s ? json_loadb(s, len, JSON_ALLOW_NUL, NULL) : NULL;
    char *pretty = parsed ? json_dumps(parsed, JSON_INDENT(2)) : NULL;

    if (pretty)
        show_field(ctl, name, pretty, strlen(pretty));
    else
        show_field(ctl, name, s, len);
    free(pretty);
    json_decref(parsed);
}

static void
tool_text(const struct ctl *ctl, const mcphost_catalog *catalog, const mcphost_tool *tool)
{
    const char *original = mcphost_tool_get_original_name(tool);
    const char *source = mcphost_tool_get_source_id(tool);
    const char *server = mcphost_tool_get_server_id(tool);
    const char *s = mcphost_tool_get_name(tool);
    size_t len = 0;

    show_field(ctl, "name", s, strlen(s));
    if (original && strcmp(original, s) != 0)
        show_field(ctl, "original", original, strlen(original));
    if (source)
        show_field(ctl, "source", source, strlen(source));
    show_field(ctl, "server", server ? server : "(built in)",
               server ? strlen(server) : strlen("(built in)"));
    s = toolset_of(catalog, tool);
    show_field(ctl, "toolset", s, strlen(s));
    s = mcphost_tool_get_title(tool, &len);
    show_field(ctl, "title", s, len);
    s = mcphost_tool_get_description(tool, &len);
    show_field(ctl, "description", s, len);
    s = mcphost_tool_get_app_uri(tool, &len);
    show_field(ctl, "app", s, len);
    s = mcphost_tool_get_annotations(tool, &len);
    show_json(ctl, "annotations", s, len);
    s = mcphost_tool_get_input_schema(tool, &len);
    show_json(ctl, "input schema", s, len);
    s = mcphost_tool_get_output_schema(tool, &len);
    show_json(ctl, "output schema", s, len);
}

int
cmd_tool(struct ctl *ctl)
{
    mcphost_catalog *catalog = NULL;
    mcphost_tool *tool = NULL;
    struct text t = {0};
    int r = ctl_open(ctl);

    if (r == 0)
        r = ctl_wait_tool(ctl, ctl->opt.args[0], &tool);
    if (r)
        return r;
    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) < 0) {
        r = out_of_memory(ctl);
    } else if (ctl->opt.json) {
        tool_json(&t, catalog, tool);
        r = print_rows(ctl, &t);
    } else {
        tool_text(ctl, catalog, tool);
    }
    mcphost_catalog_unref(catalog);
    mcphost_tool_unref(tool);
    return r;
}

/* ---- server ------------------------------------------------------------------------ */

typedef const char *about_fn(const mcphost_server *server, size_t *ret_len);

/* The texts about a server, from the server itself and from its configuration. */
static const struct {
    const char *name;
    about_fn *get;
} abouts[] = {
    {"title", mcphost_server_get_title},
    {"description", mcphost_server_get_description},
    {"instructions", mcphost_server_get_instructions},
    {"manual", mcphost_server_get_manual},
};

enum { N_ABOUTS = sizeof(abouts) / sizeof(abouts[0]) };

static void
server_json(struct text *t, const mcphost_status *status, const mcphost_server *server)
{
    row_server(t, status, 0);
    if (text_failed(t))
        return;
    t->len--;
    for (size_t i = 0; i < N_ABOUTS; i++) {
        size_t len = 0;
        const char *s = abouts[i].get(server, &len);

        put_key(t, abouts[i].name);
        put_text(t, s, len);
    }
    put_end(t, '}');
}

static void
server_text(struct ctl *ctl, const mcphost_status *status, const mcphost_server *server)
{
    (void)show_servers(ctl, status);
    for (size_t i = 0; i < N_ABOUTS; i++) {
        size_t len = 0;
        const char *s = abouts[i].get(server, &len);

        if (s)
            putchar('\n');
        show_field(ctl, abouts[i].name, s, len);
    }
    show_errors(ctl, status);
}

static int
show_server(struct ctl *ctl, const mcphost_catalog *catalog)
{
    /* Search by the id alone, because want_only() has left no other server. */
    mcphost_server *server = mcphost_catalog_find_server(catalog, ctl->only);
    mcphost_status *status = NULL;
    struct text t = {0};
    int r = STATUS_OK;

    if (mcphost_get_status(ctl->host, &status) < 0)
        return out_of_memory(ctl);
    if (ctl->opt.json) {
        server_json(&t, status, server);
        r = print_rows(ctl, &t);
    } else {
        server_text(ctl, status, server);
    }
    mcphost_status_unref(status);
    return r;
}

int
cmd_server(struct ctl *ctl)
{
    mcphost_catalog *catalog = NULL;
    struct target target;
    int r = ctl_load_config(ctl);

    if (r == 0)
        r = want_server(ctl, ctl->opt.args[0], &target);
    if (r)
        return r;
    want_only(ctl, &target);
    r = ctl_start(ctl, NULL);
    if (r)
        return r;
    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) < 0)
        return out_of_memory(ctl);
    r = show_server(ctl, catalog);
    mcphost_catalog_unref(catalog);
    return worse(r, ctl_servers_status(ctl, 0));
}

/* ---- problems ---------------------------------------------------------------------- */

int
show_problems(struct ctl *ctl, const mcphost_problems *problems)
{
    static const char *const heads[] = {"SOURCE", "SEVERITY", "SERVER",
                                        "KIND",   "MESSAGE",  NULL};
    size_t n = mcphost_problems_count(problems);
    struct table *table;

    if (n == 0) {
        fputs("no problems\n", ctl->out ? ctl->out : stdout);
        return STATUS_OK;
    }
    table = table_of_sources(ctl, heads);
    for (size_t i = 0; i < n; i++) {
        mcphost_problem *problem = mcphost_problems_get(problems, i);
        int severity = mcphost_problem_get_severity(problem);

        table_add_source(ctl, table, mcphost_problem_get_source_id(problem));
        table_add(table,
                  severity == MCPHOST_SEVERITY_ERROR     ? COLOR_RED
                  : severity == MCPHOST_SEVERITY_WARNING ? COLOR_YELLOW
                                                         : COLOR_PLAIN,
                  name_of(MCPHOST_ENUM_SEVERITY, severity));
        table_add(table, COLOR_BOLD, mcphost_problem_get_server_id(problem));
        table_add(table, COLOR_PLAIN, mcphost_problem_get_kind(problem));
        table_add(table, COLOR_PLAIN, mcphost_problem_get_message(problem));
    }
    return print_table(ctl, table);
}

int
cmd_problems(struct ctl *ctl)
{
    mcphost_problems *problems = NULL;
    mcphost_status *status = NULL;
    struct text t = {0};
    int r = ctl_start(ctl, NULL);

    if (r)
        return r;
    if (mcphost_get_problems(ctl->host, &problems) < 0)
        return out_of_memory(ctl);
    if (ctl->opt.json) {
        rows_problems(&t, problems);
        r = print_rows(ctl, &t);
    } else {
        r = show_problems(ctl, problems);
        if (mcphost_get_status(ctl->host, &status) == 0)
            show_errors(ctl, status);
        mcphost_status_unref(status);
    }
    mcphost_problems_unref(problems);
    return worse(r, ctl_servers_status(ctl, 0));
}
