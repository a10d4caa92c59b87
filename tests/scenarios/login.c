/* SPDX-License-Identifier: MIT
 *
 * login.c - commands about logins: servers that require tokens, and actions of the user.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenario.h"

extern char **environ;

/* Writes to `path` the path of the program `name` in the directory of the scripted
 * server. */
static void
path_beside(char *path, size_t size, const char *name)
{
    const char *slash = strrchr(sc.server, '/');

    snprintf(path, size, "%.*s/%s", slash ? (int)(slash - sc.server) : 1,
             slash ? sc.server : ".", name);
}

/* Starts a program.  Stdin becomes `in` and stdout `out`, unless they are -1. */
static pid_t
start(const char *name, const char *a, const char *b, int in, int out)
{
    char path[512];
    char *argv[] = {path, (char *)a, (char *)b, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;

    path_beside(path, sizeof(path), name);
    posix_spawn_file_actions_init(&actions);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&actions, in, 0);
    if (out >= 0)
        posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (posix_spawn(&pid, path, &actions, NULL, argv, environ) != 0)
        die("cannot start %s", path);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* ---- servers ----------------------------------------------------------------------- */

/* Reads a line with a URL.  Returns the scheme, host and port of the URL as a new
 * string. */
static char *
read_origin(FILE *from)
{
    char url[128], *slash;

    if (!fgets(url, sizeof(url), from) || strlen(url) < 8)
        die("the web server did not start");
    url[strcspn(url, "\n")] = '\0';
    slash = strchr(url + 8, '/');
    if (slash)
        *slash = '\0';
    return strdup(url);
}

static void
declare_web(const struct command *c)
{
    const char *id = c->words[1];
    struct web *web = &sc.webs[sc.n_webs++];
    int in[2], out[2];
    struct text script = {0};
    char path[256];
    FILE *from;

    if (sc.n_webs > WEBS_MAX || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        die("no room for another server");
    text_format(&script, "auth on\n%s", c->text.p ? c->text.p : "");
    snprintf(path, sizeof(path), "%s.script", id);
    write_file(path, script.p, script.len);
    text_free(&script);
    snprintf(path, sizeof(path), "%s/%s.script", sc.dir, id);
    web->pid = start("fakehttp", path, NULL, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    web->hold = in[1];
    from = fdopen(out[0], "r");
    web->origin = read_origin(from);
    web->issuer = read_origin(from);
    fclose(from);
    web->id = strdup(id);
    text_format(&script, "    transport: streamable_http\n    url: \"%s/mcp\"\n",
                web->origin);
    declare_entry(c, script.p);
    text_free(&script);
}

void
end_webs(void)
{
    for (size_t i = 0; i < sc.n_webs; i++) {
        struct web *web = &sc.webs[i];

        close(web->hold); /* the server ends */
        waitpid(web->pid, NULL, 0);
        free(web->id);
        free(web->origin);
        free(web->issuer);
    }
    for (size_t i = 0; i < sc.n_browsers; i++)
        waitpid(sc.browsers[i], NULL, 0);
}

/* ---- the user ---------------------------------------------------------------------- */

static const char *
param(const mcphost_request *request, const char *name)
{
    const char *text = mcphost_request_get_param(request, name);

    return text ? text : "-";
}

/* Starts the user's browser, which runs beside the host. */
static void
browse(const char *url, const char *how)
{
    if (sc.n_browsers == BROWSERS_MAX)
        die("too many browsers");
    sc.browsers[sc.n_browsers++] = start("browser_main", url, how, -1, -1);
}

static void
browse_device(const mcphost_request *request, const char *what)
{
    struct text url = {0};

    text_format(&url, "%s/%s?user_code=%s", param(request, "verificationUri"), what,
                param(request, "userCode"));
    browse(url.p, "login");
    text_free(&url);
}

/* Answers with the URL at which the user's browser has arrived. */
static void
paste(mcphost_request *request)
{
    char redirect[1024] = "";
    struct text json = {0};
    mcphost_error *err = NULL;
    int out[2], r;
    FILE *from;
    pid_t pid;

    if (pipe2(out, O_CLOEXEC) < 0)
        die("there is no pipe");
    pid = start("browser_main", mcphost_request_get_url(request), "print", -1, out[1]);
    close(out[1]);
    from = fdopen(out[0], "r");
    if (!fgets(redirect, sizeof(redirect), from))
        die("the browser has no redirect");
    fclose(from);
    waitpid(pid, NULL, 0);
    text_format(&json, "{\"redirect\":\"%.*s\"}", (int)strcspn(redirect, "\n"), redirect);
    r = mcphost_request_respond(request, json.p, json.len, &err);
    if (r < 0)
        say_error("paste", r, err);
    text_free(&json);
}

void
handle_login(mcphost_request *request)
{
    const char *how = sc.login ? sc.login : "decline";

    text_format(&sc.requests, "authorize %s %s %s %s %s\n",
                mcphost_request_get_server_id(request), param(request, "flow"),
                param(request, "issuer"), param(request, "scope"),
                param(request, "account"));
    if (strcmp(how, "browse") == 0)
        browse(mcphost_request_get_url(request), "login");
    else if (strcmp(how, "deny") == 0)
        browse(mcphost_request_get_url(request), "deny");
    else if (strcmp(how, "approve") == 0 || strcmp(how, "refuse") == 0)
        browse_device(request, *how == 'a' ? "approve" : "deny");
    else if (strcmp(how, "paste") == 0)
        paste(request);
    else if (strcmp(how, "decline") == 0)
        mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, NULL);
    else if (strcmp(how, "wait") != 0)
        die("unknown login: %s", how);
}

/* ---- tokens ------------------------------------------------------------------------ */

static int
compare_rows(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
show_logins(void)
{
    mcphost_error *err = NULL;
    mcphost_logins *logins;
    char *rows[THINGS_MAX];
    int r = mcphost_get_logins(sc.host, &logins, &err);
    size_t n;

    if (r < 0) {
        say_error("logins", r, err);
        return;
    }
    n = mcphost_logins_count(logins);
    if (n > THINGS_MAX)
        die("too many logins");
    for (size_t i = 0; i < n; i++) {
        const char *server = mcphost_logins_get_server_id(logins, i);
        const char *account = mcphost_logins_get_account(logins, i);
        int state = mcphost_logins_get_state(logins, i);
        struct text row = {0};

        text_format(&row, "%s %s %s %s %s %s", server ? server : "-",
                    mcphost_logins_get_issuer(logins, i),
                    mcphost_logins_get_resource(logins, i),
                    account && *account ? account : "-",
                    mcphost_enum_get_name(MCPHOST_ENUM_LOGIN_STATE, state),
                    mcphost_logins_get_scope(logins, i));
        rows[i] = row.p;
    }
    qsort(rows, n, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < n; i++) {
        say("%s", rows[i]);
        free(rows[i]);
    }
    say("logins: %zu", n);
    mcphost_logins_unref(logins);
}

static void
set_tokens(const char *store, const char *dir)
{
    mcphost_error *err = NULL;
    int r = mcphost_set_token_store(sc.host, enum_value(MCPHOST_ENUM_TOKEN_STORE, store),
                                    dir, &err);

    if (r < 0)
        say_error("tokens", r, err);
}

static void
log_out(const char *server)
{
    mcphost_error *err = NULL;
    int r = mcphost_log_out(sc.host, server, &err);

    say_outcome("logout", "ok", r, err);
}

bool
run_login(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "web") == 0) {
        declare_web(c);
    } else if (strcmp(name, "login") == 0) {
        free(sc.login);
        sc.login = strdup(c->words[1]);
    } else if (strcmp(name, "logins") == 0) {
        show_logins();
    } else if (strcmp(name, "logout") == 0) {
        log_out(c->words[1]);
    } else if (strcmp(name, "tokens") == 0) {
        set_tokens(c->words[1], c->n > 2 ? c->words[2] : NULL);
    } else if (strcmp(name, "new-host") == 0) {
        new_host();
    } else {
        return false;
    }
    return true;
}
