/* SPDX-License-Identifier: MIT
 *
 * login.c - the commands `login`, `logout` and `auth`, and the advice to log in.
 *
 * Only `login` asks for logins without --elicit ask.  Other commands use the tokens that
 * are kept, and say how to log in if there is no token.  No command prints a token.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ctl.h"
#include "term.h"
#include "words.h"

/* ---- the host ---------------------------------------------------------------------- */

/* Sets the token store that --token-store names, or else the store of files.  Without
 * --token-store, a missing home directory is no error, and neither is a library that
 * was built without credentials, because most commands need no tokens. */
static int
set_store(struct ctl *ctl, mcphost_error **reterr)
{
    int store = ctl->opt.token_store, r;
    mcphost_error *err = NULL;

    if (store == TOKENS_SECRET_SERVICE)
        return secrets_set_up(ctl, reterr);
    r = mcphost_set_token_store(ctl->host, store < 0 ? MCPHOST_TOKENS_FILE : store, NULL,
                                &err);
    if (store < 0 && (r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_UNSUPPORTED)) {
        mcphost_error_unref(err);
        return 0;
    }
    *reterr = err;
    return r;
}

int
login_set_up(struct ctl *ctl, mcphost_error **reterr)
{
    int r = set_store(ctl, reterr);

    if (r == 0 && ctl->opt.device)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_LOGIN_FLOW, MCPHOST_FLOW_DEVICE);
    if (r == 0 && ctl->logs_in && ctl->opt.timeout_ms >= 0)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_REQUEST_TIMEOUT,
                               ctl->opt.timeout_ms);
    return r;
}

/* ---- the advice to log in ---------------------------------------------------------- */

static int
is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static int
has_authorization(const json_t *headers)
{
    void *at;

    for (at = json_object_iter((json_t *)(uintptr_t)headers); at;
         at = json_object_iter_next((json_t *)(uintptr_t)headers, at)) {
        if (strcasecmp(json_object_iter_key(at), "Authorization") == 0)
            return 1;
    }
    return 0;
}

/* Returns true if a user logs in at the server of this entry. */
static int
entry_has_user(const json_t *entry)
{
    const json_t *mode = json_object_get(entry, "auth.mode");
    const json_t *flow = json_object_get(entry, "auth.flow");

    if (!json_object_get(entry, "url") || is_text(mode, "none") ||
        is_text(mode, "headers") || is_text(flow, "client_credentials") ||
        is_text(flow, "jwt_bearer") || is_text(flow, "token_exchange"))
        return 0;
    return is_text(mode, "oauth") ||
           !has_authorization(json_object_get(entry, "headers"));
}

static const mcphost_config *
find_config(struct ctl *ctl, const char *source_id)
{
    const struct source *source = source_find(ctl, source_id);
    const mcphost_config *applied = source_applied(ctl, source_id);

    return applied ? applied : source ? source->config : source_id ? NULL : ctl->config;
}

/* Returns true if a user logs in at this server. */
static int
has_user(struct ctl *ctl, const char *source_id, const char *server)
{
    const mcphost_config *config = find_config(ctl, source_id);
    char *json = NULL;
    size_t index, len = 0;
    json_t *entry;
    int has;

    if (!config || mcphost_config_find_server(config, server, &index) < 0 ||
        mcphost_config_server_make_json(config, index, &json, &len) < 0)
        return 0;
    entry = json_loadb(json, len, 0, NULL);
    has = entry_has_user(entry);
    json_decref(entry);
    free(json);
    return has;
}

int
login_advise(struct ctl *ctl, const mcphost_error *err, struct text *t)
{
    const char *server = mcphost_error_get_server_id(err);
    const char *source = mcphost_error_get_source_id(err);
    char name[NAME_SIZE];

    if (mcphost_error_get_code(err) != MCPHOST_E_AUTH || !server || ctl->logs_in ||
        !has_user(ctl, source, server))
        return 0;
    if (mcphost_error_get_http_status(err) == 403) {
        text_puts(t, "to grant more, run this command again with --elicit ask");
        return !text_failed(t);
    }
    text_puts(t, "to log in: mcphostctl");
    if (ctl->opt.server_words.len > 0)
        text_puts(t, ctl->opt.server_words.data);
    text_puts(t, " login ");
    words_add_quoted(t, full_name(name, source, server));
    return !text_failed(t);
}

/* ---- rows of logins ---------------------------------------------------------------- */

struct rows {
    mcphost_logins *logins;
    size_t *order; /* the rows to show, sorted */
    size_t n;
};

/* A missing text comes after all other texts. */
static int
compare_texts(const char *a, const char *b)
{
    if (!a || !b)
        return !a - !b;
    return strcmp(a, b);
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
    const mcphost_logins *logins = arg;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int r = compare_texts(mcphost_logins_get_server_id(logins, i),
                          mcphost_logins_get_server_id(logins, j));

    if (r == 0)
        r = compare_texts(mcphost_logins_get_resource(logins, i),
                          mcphost_logins_get_resource(logins, j));
    if (r == 0)
        r = compare_texts(mcphost_logins_get_account(logins, i),
                          mcphost_logins_get_account(logins, j));
    return r ? r
             : compare_texts(mcphost_logins_get_issuer(logins, i),
                             mcphost_logins_get_issuer(logins, j));
}

static void
rows_done(struct rows *rows)
{
    mcphost_logins_unref(rows->logins);
    free(rows->order);
    *rows = (struct rows){0};
}

/* Reads the rows of all logins or, if `configured` is not 0, of the logins at configured
 * servers.  Returns 0, or a STATUS_* after printing the reason. */
static int
rows_read(struct ctl *ctl, int configured, struct rows *ret)
{
    struct rows rows = {0};
    mcphost_error *err = NULL;
    int r = mcphost_get_logins(ctl->host, &rows.logins, &err);
    size_t n = mcphost_logins_count(rows.logins);

    if (r < 0) {
        say_error(ctl, r, err);
        mcphost_error_unref(err);
        return status_of(ctl, r);
    }
    rows.order = calloc(n + 1, sizeof(*rows.order));
    if (!rows.order) {
        rows_done(&rows);
        return out_of_memory(ctl);
    }
    for (size_t i = 0; i < n; i++) {
        if (!configured || mcphost_logins_get_server_id(rows.logins, i))
            rows.order[rows.n++] = i;
    }
    qsort_r(rows.order, rows.n, sizeof(*rows.order), compare_rows, rows.logins);
    *ret = rows;
    return 0;
}

static void
put_scopes(struct text *t, const char *scope)
{
    if (!scope) {
        put_str(t, NULL);
        return;
    }
    put_begin(t, '[');
    while (*scope) {
        size_t len = strcspn(scope, " ");

        if (len > 0)
            put_text(t, scope, len);
        scope += len + (scope[len] == ' ');
    }
    put_end(t, ']');
}

static void
put_row(struct text *t, struct ctl *ctl, const mcphost_logins *logins, size_t i)
{
    const char *name = mcphost_logins_get_server_id(logins, i), *server = NULL;
    const struct source *source = name ? source_split(ctl, name, &server) : NULL;
    int64_t expires_s = mcphost_logins_get_expires_s(logins, i);

    put_begin(t, '{');
    put_key(t, "server");
    put_str(t, server);
    put_source(t, source ? source->id : NULL);
    put_key(t, "resource");
    put_str(t, mcphost_logins_get_resource(logins, i));
    put_key(t, "issuer");
    put_str(t, mcphost_logins_get_issuer(logins, i));
    put_key(t, "account");
    put_str(t, mcphost_logins_get_account(logins, i));
    put_key(t, "scopes");
    put_scopes(t, mcphost_logins_get_scope(logins, i));
    put_key(t, "expires_s");
    if (expires_s < 0)
        put_str(t, NULL);
    else
        put_int(t, expires_s);
    put_key(t, "state");
    put_str(t, name_of(MCPHOST_ENUM_LOGIN_STATE, mcphost_logins_get_state(logins, i)));
    put_end(t, '}');
}

static void
put_rows(struct text *t, struct ctl *ctl, const struct rows *rows)
{
    put_begin(t, '[');
    for (size_t i = 0; i < rows->n; i++)
        put_row(t, ctl, rows->logins, rows->order[i]);
    put_end(t, ']');
}

/* ---- auth -------------------------------------------------------------------------- */

static int
state_color(int state)
{
    return state == MCPHOST_LOGIN_VALID       ? COLOR_GREEN
           : state == MCPHOST_LOGIN_RENEWABLE ? COLOR_YELLOW
                                              : COLOR_RED;
}

static int
rows_table(struct ctl *ctl, const struct rows *rows)
{
    static const char *const heads[] = {"SERVER",     "ISSUER", "ACCOUNT", "STATE",
                                        ">EXPIRES_S", "SCOPES", NULL};
    struct table *table;

    if (rows->n == 0) {
        puts("no logins");
        return STATUS_OK;
    }
    table = table_new(heads);
    for (size_t k = 0; k < rows->n; k++) {
        const mcphost_logins *logins = rows->logins;
        size_t i = rows->order[k];
        const char *server = mcphost_logins_get_server_id(logins, i);
        const char *account = mcphost_logins_get_account(logins, i);
        int64_t expires_s = mcphost_logins_get_expires_s(logins, i);
        int state = mcphost_logins_get_state(logins, i);

        table_add(table, server ? COLOR_BOLD : COLOR_DIM,
                  server ? server : mcphost_logins_get_resource(logins, i));
        table_add(table, COLOR_PLAIN, mcphost_logins_get_issuer(logins, i));
        table_add(table, COLOR_PLAIN, account && *account ? account : NULL);
        table_add(table, state_color(state), name_of(MCPHOST_ENUM_LOGIN_STATE, state));
        if (expires_s < 0)
            table_add(table, COLOR_DIM, NULL);
        else
            table_add_int(table, COLOR_PLAIN, expires_s);
        table_add(table, COLOR_PLAIN, mcphost_logins_get_scope(logins, i));
    }
    return print_table(ctl, table);
}

/* Opens a host whose configurations are loaded but never applied, because the host does
 * not run.  Therefore no server is started. */
static int
open_idle(struct ctl *ctl)
{
    ctl->quiet = 1;
    if (ctl->opt.token_store < 0)
        ctl->opt.token_store = MCPHOST_TOKENS_FILE;
    return ctl_open(ctl);
}

int
cmd_auth(struct ctl *ctl)
{
    struct rows rows = {0};
    struct text t = {0};
    int status;

    if (strcmp(ctl->opt.args[0], "status") != 0) {
        say(ctl, "'auth' has only 'status', not '%s'", ctl->opt.args[0]);
        return STATUS_USAGE;
    }
    status = open_idle(ctl);
    if (status == 0)
        status = rows_read(ctl, 0, &rows);
    if (status)
        return status;
    if (ctl->opt.json) {
        put_rows(&t, ctl, &rows);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        status = rows_table(ctl, &rows);
    }
    rows_done(&rows);
    return status;
}

/* ---- login ------------------------------------------------------------------------- */

/* Finds the server that the command line names.  The server must be enabled and have a
 * URL.  Returns 0, or a STATUS_* after printing the reason. */
static int
want_url(struct ctl *ctl, struct target *ret)
{
    size_t index;
    int status = ctl_load_config(ctl), transport;

    if (status == 0)
        status = want_server(ctl, ctl->opt.args[0], ret);
    if (status)
        return status;
    (void)mcphost_config_find_server(ret->config, ret->server, &index);
    if (mcphost_config_server_get_state(ret->config, index) ==
        MCPHOST_CONFIG_SERVER_DISABLED) {
        say(ctl, "server '%s' is disabled", ctl->opt.args[0]);
        return STATUS_USAGE;
    }
    transport = mcphost_config_server_get_transport(ret->config, index);
    if (transport == MCPHOST_TRANSPORT_STREAMABLE_HTTP ||
        transport == MCPHOST_TRANSPORT_SSE)
        return 0;
    say(ctl, "server '%s' is not at a URL, and has no logins", ctl->opt.args[0]);
    return STATUS_USAGE;
}

static int
until_up(struct ctl *ctl, void *arg)
{
    (void)arg;
    return ctl->ready;
}

static void
show_login(struct ctl *ctl, const mcphost_logins *logins, size_t i)
{
    const char *account = mcphost_logins_get_account(logins, i);
    const char *scope = mcphost_logins_get_scope(logins, i);
    int64_t expires_s = mcphost_logins_get_expires_s(logins, i);
    struct text t = {0};

    text_printf(&t, "server '%s' is logged in at %s", ctl->opt.args[0],
                mcphost_logins_get_issuer(logins, i));
    if (account && *account)
        text_printf(&t, "; account: %s", account);
    if (scope && *scope)
        text_printf(&t, "; scopes: %s", scope);
    if (expires_s >= 0)
        text_printf(&t, "; expires in %lld s", (long long)expires_s);
    if (!text_failed(&t))
        term_print(stdout, "", t.data, t.len);
    putchar('\n');
    text_free(&t);
}

static int
show_logins(struct ctl *ctl, const struct target *target, const struct rows *rows)
{
    struct text t = {0};
    int status;

    if (!ctl->opt.json) {
        for (size_t i = 0; i < rows->n; i++)
            show_login(ctl, rows->logins, rows->order[i]);
        if (rows->n == 0) {
            fputs("server '", stdout);
            term_print(stdout, "", ctl->opt.args[0], strlen(ctl->opt.args[0]));
            puts("' did not ask for a login");
        }
        return STATUS_OK;
    }
    put_begin(&t, '{');
    put_key(&t, "server");
    put_str(&t, target->server);
    put_source(&t, target->source ? target->source->id : NULL);
    put_key(&t, "asked");
    put_flag(&t, ctl->was_asked);
    put_key(&t, "logins");
    put_rows(&t, ctl, rows);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

int
cmd_login(struct ctl *ctl)
{
    struct target target;
    struct rows rows = {0};
    int status = want_url(ctl, &target), r;

    if (status)
        return status;
    ctl->logs_in = 1;
    if (ctl->opt.token_store < 0)
        ctl->opt.token_store = MCPHOST_TOKENS_FILE;
    want_only(ctl, &target);
    status = ctl_open(ctl);
    if (status)
        return status;
    say_starting(ctl);
    r = ctl_run(ctl, until_up, NULL, -1);
    say_status_end(ctl);
    if (r < 0 && r != MCPHOST_E_CANCELLED)
        say_error(ctl, r, NULL);
    if (r < 0)
        return status_of(ctl, r);
    status = ctl_servers_status(ctl, 1);
    if (status == 0 && ctl->tokens_failed)
        status = STATUS_SERVER; /* the reason is printed, and the tokens are lost */
    if (status == 0)
        status = rows_read(ctl, 1, &rows);
    if (status == 0)
        status = show_logins(ctl, &target, &rows);
    rows_done(&rows);
    return status;
}

/* ---- logout ------------------------------------------------------------------------ */

static int
show_logout(struct ctl *ctl, const struct target *target, int changed)
{
    struct text t = {0};
    int status;

    if (!ctl->opt.json) {
        fputs("server '", stdout);
        term_print(stdout, "", ctl->opt.args[0], strlen(ctl->opt.args[0]));
        puts(changed ? "' is logged out" : "' was not logged in");
        return STATUS_OK;
    }
    put_begin(&t, '{');
    put_key(&t, "server");
    put_str(&t, target->server);
    put_source(&t, target->source ? target->source->id : NULL);
    put_key(&t, "changed");
    put_flag(&t, changed);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

/* Prints how the revocation of a token has ended.  The host reports this by a line of its
 * log.  ctl_close() waits for the line. */
static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    static const char words[] = "logout: ";

    (void)level;
    (void)server;
    if (strcmp(room, "auth") == 0 && strncmp(line, words, strlen(words)) == 0)
        say(arg, "%s", line + strlen(words));
}

int
cmd_logout(struct ctl *ctl)
{
    struct target target;
    struct rows rows = {0};
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int status = want_url(ctl, &target), r;

    if (status)
        return status;
    want_only(ctl, &target);
    status = open_idle(ctl);
    if (status == 0)
        status = rows_read(ctl, 1, &rows);
    if (status)
        return status;
    if (!ctl->opt.verbose)
        (void)mcphost_set_log(ctl->host, MCPHOST_LOG_INFO, on_log, ctl, NULL);
    r = mcphost_log_out(
        ctl->host,
        full_name(name, target.source ? target.source->id : NULL, target.server), &err);
    if (r < 0)
        say_error(ctl, r, err);
    status = r < 0 ? status_of(ctl, r) : show_logout(ctl, &target, rows.n > 0);
    mcphost_error_unref(err);
    rows_done(&rows);
    return status;
}
