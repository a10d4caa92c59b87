/* SPDX-License-Identifier: MIT
 *
 * test_ctl_login.c - mcphostctl and logins: on a terminal and without one, by a browser,
 * a pasted URL and a device code; the commands logout and auth; the advice to log in.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/authrig.h"
#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;
static struct ctl_terminal tty;
static struct authrig ar;
static char state[128], browser[600], how[32];
static char *variables[] = {state, NULL, NULL, NULL};

/* ---- the rig ----------------------------------------------------------------------- */

static void
up(void)
{
    ctl_place_up(&place);
    snprintf(state, sizeof(state), "XDG_STATE_HOME=%s/state", place.ws.dir);
    variables[1] = variables[2] = NULL;
    place.variables = variables;
}

static void
down(void)
{
    ctl_run_free(&run);
    ar_down(&ar);
    rig_reap_adopted(2000);
    ctl_place_down(&place);
}

/* Starts a fake MCP server with its authorization servers, and writes a configuration
 * with the MCP server as server `a`. */
static void
serve(const char *script)
{
    ar_up(&ar, &place.ws, "a", script);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: streamable_http\n"
                       "    url: %s\n",
                       ar.web.url);
}

/* Does what serve() does, but the configuration has the id of a client that the
 * authorization server knows.  Tests of logins by device code use this function. */
static void
serve_devices(const char *script)
{
    char *whole = NULL;

    ck_assert_int_ge(
        asprintf(&whole, "client tv none\ndevice interval 1\naccount alice\n%s", script),
        0);
    ar_up(&ar, &place.ws, "a", whole);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: streamable_http\n"
                       "    url: %s\n    auth: {clientId: tv}\n",
                       ar.web.url);
    free(whole);
}

/* Makes mcphostctl start the fake browser.  `word` says what the user does in the
 * browser, e.g. "login". */
static void
use_browser(const char *word)
{
    snprintf(browser, sizeof(browser), "BROWSER=%s", ar_browser());
    snprintf(how, sizeof(how), "FAKE_BROWSER=%s", word);
    variables[1] = browser;
    variables[2] = how;
}

/* Runs mcphostctl once more with one to three words. */
static void
again(const char *one, const char *two, const char *three)
{
    ctl_run_free(&run);
    ctl_run(&run, &place, one, two, three, NULL);
}

/* Returns the text of a token in the store, or NULL if there is no token.  The caller
 * frees the text. */
static char *
find_token(const char *member)
{
    char *text = rig_workspace_read(&place.ws, "state/mcphost/tokens.json");
    char *at = strstr(text, member), *token = NULL;

    if (at) {
        at = strchr(at + strlen(member) + 1, '"');
        ck_assert_ptr_nonnull(at);
        token = strndup(at + 1, strcspn(at + 1, "\""));
        ck_assert_uint_gt(strlen(token), 8);
    }
    free(text);
    return token;
}

/* Checks that no token is in the output of the last run. */
static void
has_no_token(void)
{
    static const char *const members[] = {"\"access_token\"", "\"refresh_token\""};

    for (int i = 0; i < 2; i++) {
        char *token = find_token(members[i]);

        ck_assert_msg(token != NULL, "the store has no member %s", members[i]);
        test_has_not(run.out, token);
        test_has_not(run.err, token);
        free(token);
    }
}

static int
count_tokens(void)
{
    return rig_workspace_count(&place.ws, "state/mcphost/tokens.json",
                               "\"access_token\"");
}

/* Checks that the program on the terminal ends with `status`, and reads its stdout. */
static void
ends(int status)
{
    int ended = ctl_terminal_down(&tty);

    ctl_run_free(&run);
    run.out = rig_workspace_read(&place.ws, "stdout");
    run.err = strdup("");
    ck_assert_msg(ended == status, "status %d: %s", ended, run.out);
}

/* Waits until the terminal shows the URL of the login page, and returns the URL.  The
 * caller frees the text. */
static char *
read_url(void)
{
    char *from;
    size_t len;

    ctl_shows(&tty, "  URL:  ");
    len = tty.seen;
    ctl_shows(&tty, "\r\n");
    from = tty.data + len;
    return strndup(from, strcspn(from, "\r"));
}

static void
is_alice(void)
{
    again("call", "whoami", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "alice");
}

/* ---- logging in -------------------------------------------------------------------- */

START_TEST(the_browser_logs_in_and_later_commands_use_the_token)
{
    serve("account alice");
    use_browser("login");
    ctl_terminal_up(&tty, &place, "login", "a", NULL);
    ctl_shows(&tty, "Server 'a' asks you to log in:");
    ctl_shows(&tty, "  URL:  http://127.0.0.1:");
    ctl_shows(&tty, "The page opens in your browser.");
    ends(0);
    test_has(run.out, "server 'a' is logged in at http://127.0.0.1:");
    test_has(run.out, "; scopes: tools; expires in ");
    has_no_token();
    variables[1] = NULL;
    is_alice();
    has_no_token();
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
}
END_TEST

START_TEST(without_a_terminal_the_browser_is_enough)
{
    json_t *json, *row;

    serve("account alice");
    use_browser("login");
    ctl_run(&run, &place, "login", "a", "--json", NULL);
    ctl_status_is(&run, 0);
    test_has(run.err, "The page opens in your browser.");
    test_has_not(run.err, "Paste the URL");
    has_no_token();
    json = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(json, "server"), "a");
    ck_assert(json_is_true(json_object_get(json, "asked")));
    row = ctl_row(json_object_get(json, "logins"), "server", "a");
    ck_assert_str_eq(ctl_string(row, "issuer"), ar_issuer(&ar, 1));
    json_decref(json);
    variables[1] = NULL;
    is_alice();
}
END_TEST

START_TEST(a_second_login_asks_nothing)
{
    serve("account alice");
    use_browser("login");
    ctl_run(&run, &place, "login", "a", NULL);
    ctl_status_is(&run, 0);
    again("login", "a", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "server 'a' is logged in at ");
    test_has_not(run.err, "asks you");
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
}
END_TEST

START_TEST(the_url_of_the_redirect_can_be_pasted)
{
    char *url, *redirect;

    serve("account alice");
    use_browser("login"); /* mcphostctl must not start the browser */
    ctl_terminal_up(&tty, &place, "login", "a", _i ? "--no-browser" : "--paste", NULL);
    url = read_url();
    ctl_shows(&tty, "Open the page in a browser.");
    ctl_replies(&tty, "a> URL: ", "http://127.0.0.1:1/callback?code=x&state=y\n");
    ctl_shows(&tty, "answer: 'redirect': ");
    redirect = browser_redirect(url, BROWSER_LOGIN);
    ck_assert_ptr_nonnull(redirect);
    ctl_shows(&tty, "a> URL: ");
    ctl_types(&tty, redirect);
    ctl_types(&tty, "\n");
    ends(0);
    test_has(run.out, "server 'a' is logged in at ");
    free(redirect);
    free(url);
    is_alice();
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
}
END_TEST

START_TEST(a_code_is_entered_on_another_device)
{
    char *code;

    serve_devices("");
    use_browser("login"); /* mcphostctl must not start the browser */
    ctl_terminal_up(&tty, &place, "login", "a", "--device", NULL);
    ctl_shows(&tty, "and enter the code ");
    ctl_shows(&tty, "Open the page in a browser.");
    code = strstr(tty.data, "and enter the code ") + strlen("and enter the code ");
    code = strndup(code, strcspn(code, "\r\n"));
    ar_approve(&ar, code, false);
    free(code);
    ends(0);
    test_has(run.out, "server 'a' is logged in at ");
    is_alice();
    ck_assert_int_eq(ar_traced(&ar, "token device ok"), 1);
}
END_TEST

/* ---- logins that fail -------------------------------------------------------------- */

START_TEST(ctrl_c_cancels_a_login_at_once)
{
    serve_devices("");
    ctl_terminal_up(&tty, &place, "login", "a", _i ? "--device" : "--paste", NULL);
    ctl_replies(&tty, _i ? "Open the page in a browser." : "a> URL: ", "\003");
    ends(128 + SIGINT);
    ck_assert_str_eq(run.out, "");
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

START_TEST(a_login_expires)
{
    serve_devices("device expires 1");
    use_browser("closed");
    if (_i == 0)
        ctl_run(&run, &place, "login", "a", "--timeout", "0.5", NULL);
    else
        ctl_run(&run, &place, "login", "a", "--device", NULL);
    ctl_status_is(&run, 4);
    ck_assert_str_eq(run.out, "");
    test_has(run.err, "the login failed: ");
    test_has(run.err, "log in again");
    test_has_not(run.err, "to log in: ");
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

START_TEST(the_user_declines)
{
    serve("");
    if (_i == 0) {
        use_browser("deny");
        ctl_run(&run, &place, "login", "a", NULL);
        ctl_status_is(&run, 4);
        test_has(run.err, "the login failed: ");
    } else {
        ctl_terminal_up(&tty, &place, "login", "a", "--paste", NULL);
        ctl_replies(&tty, "a> URL: ", _i == 1 ? "!decline\n" : "\004");
        ctl_shows(&tty, "the login failed: ");
        ends(4);
    }
    ck_assert_str_eq(run.out, "");
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

START_TEST(a_server_without_logins_is_reported)
{
    serve("auth off");
    ctl_run(&run, &place, "login", "a", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "server 'a' did not ask for a login\n");
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a: {transport: stdio, command: x}\n"
                       "  b: {transport: streamable_http, url: %s, enabled: false}\n",
                       ar.web.url);
    again("login", "a", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "server 'a' is not at a URL");
    again("logout", "a", NULL);
    ctl_status_is(&run, 2);
    again("login", "b", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "server 'b' is disabled");
    again("login", "c", NULL);
    ctl_status_is(&run, 2);
}
END_TEST

START_TEST(bad_command_lines_of_logins_are_refused)
{
    serve("");
    ctl_run(&run, &place, "login", "a", "--paste", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--paste needs a terminal");
    again("login", "--paste", "--device");
    ctl_status_is(&run, 2);
    test_has(run.err, "--device, --paste and --no-browser cannot be combined");
    again("call", "x", "--no-browser");
    ctl_status_is(&run, 2);
    again("auth", "list", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "'auth' has only 'status', not 'list'");
    again("auth", "status", "--token-store=disk");
    ctl_status_is(&run, 2);
    test_has(run.err, "--token-store must be file, memory or secret-service, not 'disk'");
}
END_TEST

START_TEST(without_a_home_tokens_cannot_be_kept)
{
    serve("");
    place.variables = NULL;
    ctl_run(&run, &place, "login", "a", "--timeout", "0.5", NULL);
    ctl_status_is(&run, 4);
    test_has_not(run.err, "asks you to log in");
    again("auth", "status", NULL);
    ctl_status_is(&run, 4);
    again("tools", NULL, NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "it wants credentials");
    place.variables = variables;
    use_browser("login");
    again("login", "a", "--token-store=memory");
    ctl_status_is(&run, 0);
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

/* ---- the store --------------------------------------------------------------------- */

static void
check_mode(const char *path, mode_t mode)
{
    struct stat st;

    ck_assert_int_eq(lstat(path, &st), 0);
    ck_assert_msg((st.st_mode & 07777) == mode, "%s has the mode %o", path,
                  (unsigned)st.st_mode & 07777);
}

START_TEST(only_the_owner_may_read_the_tokens)
{
    char path[512], dir[128];
    struct dirent *entry;
    int n = 0;
    DIR *open;

    serve("account alice");
    use_browser("login");
    ctl_run(&run, &place, "login", "a", NULL);
    ctl_status_is(&run, 0);
    snprintf(dir, sizeof(dir), "%s/state/mcphost", place.ws.dir);
    check_mode(dir, 0700);
    open = opendir(dir);
    ck_assert_ptr_nonnull(open);
    while ((entry = readdir(open)) != NULL) {
        if (entry->d_name[0] == '.' &&
            strspn(entry->d_name, ".") == strlen(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        check_mode(path, 0600);
        n++;
    }
    closedir(open);
    ck_assert_int_ge(n, 1);
}
END_TEST

/* Writes a configuration with two accounts at the MCP server, and with a stdio server
 * `s`, whose trace shows whether `s` was started. */
static void
declare_accounts(void)
{
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n"
        "  w: {transport: streamable_http, url: %s, auth: {account: work},\n"
        "      transform: [{prefix: w_}]}\n"
        "  h: {transport: streamable_http, url: %s, auth: {account: home},\n"
        "      transform: [{prefix: h_}]}\n"
        "  s: {transport: stdio, command: %s,\n"
        "      args: [-e, \"trace %s/s.trace\"]}\n",
        ar.web.url, ar.web.url, rig_fakeserver(), place.ws.dir);
}

START_TEST(two_accounts_have_tokens_of_their_own)
{
    json_t *rows;

    serve("account alice\naccount bob");
    declare_accounts();
    use_browser("login");
    ctl_run(&run, &place, "login", "w", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "; account: work;");
    again("login", "h", NULL);
    ctl_status_is(&run, 0);
    again("call", "w_whoami", NULL);
    test_has(run.out, "alice");
    again("call", "h_whoami", NULL);
    test_has(run.out, "bob");
    again("logout", "w", NULL);
    ctl_status_is(&run, 0);
    again("auth", "status", "--json");
    ctl_status_is(&run, 0);
    rows = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(rows), 1);
    ck_assert_str_eq(ctl_string(ctl_row(rows, "server", "h"), "account"), "home");
    json_decref(rows);
    again("call", "h_whoami", NULL);
    test_has(run.out, "bob");
}
END_TEST

START_TEST(auth_status_shows_logins_without_tokens_and_starts_nothing)
{
    json_t *rows, *row;
    char *trace;

    serve("account alice");
    declare_accounts();
    ctl_run(&run, &place, "auth", "status", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "no logins\n");
    use_browser("login");
    again("login", "w", NULL);
    ctl_status_is(&run, 0);
    again("auth", "status", "--json");
    ctl_status_is(&run, 0);
    has_no_token();
    rows = ctl_run_json(&run);
    ck_assert_uint_eq(json_array_size(rows), 1);
    row = ctl_row(rows, "server", "w");
    ck_assert_str_eq(ctl_string(row, "issuer"), ar_issuer(&ar, 1));
    ck_assert_str_eq(ctl_string(row, "account"), "work");
    ck_assert_str_eq(ctl_string(row, "resource"), ar.web.url);
    ck_assert_str_eq(ctl_string(row, "state"), "valid");
    ck_assert_int_gt(ctl_int(row, "expires_s"), 3000);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(row, "scopes"), 0)),
                     "tools");
    json_decref(rows);
    again("auth", "status", NULL);
    ctl_status_is(&run, 0);
    has_no_token();
    test_has_all(run.out,
                 "SERVER|ISSUER|ACCOUNT|STATE|EXPIRES_S|SCOPES|work|valid|tools");
    test_has(run.out, ar_issuer(&ar, 1));
    ck_assert_int_eq(rig_workspace_living(&place.ws, "s.trace"), 0);
    trace = rig_workspace_read(&place.ws, "s.trace");
    ck_assert_str_eq(trace, "");
    free(trace);
}
END_TEST

/* `auth status` also shows the login of a server that is no longer in the
 * configuration. */
START_TEST(auth_status_names_the_servers_of_all_sources)
{
    json_t *rows;

    serve("account alice");
    rig_workspace_write(&place.ws, "more.yaml",
                        "version: 1\nservers:\n"
                        "  b: {transport: streamable_http, url: %s}\n",
                        ar.web.url);
    rig_workspace_yaml(&place.ws, "version: 1\n");
    use_browser("login");
    ctl_run(&run, &place, "login", "m:b", "--source", "m=more.yaml", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
    ctl_run(&run, &place, "auth", "status", "--source", "m=more.yaml", "--json", NULL);
    ctl_status_is(&run, 0);
    rows = ctl_run_json(&run);
    ck_assert_str_eq(ctl_string(ctl_row(rows, "server", "b"), "source"), "m");
    json_decref(rows);
    again("auth", "status", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, ar.web.url);
    ctl_run_free(&run);
    ctl_run(&run, &place, "logout", "m:b", "--source", "m=more.yaml", "--json", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "{\"server\":\"b\",\"source\":\"m\",\"changed\":true}\n");
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

START_TEST(after_a_logout_the_server_needs_a_login)
{
    serve("account alice");
    use_browser("login");
    ctl_run(&run, &place, "login", "a", NULL);
    ctl_status_is(&run, 0);
    again("logout", "a", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "server 'a' is logged out\n");
    test_has(run.err, "mcphostctl: the token is removed here, and revoked at ");
    ck_assert_int_eq(ar_traced(&ar, "revoke refresh"), 1);
    ck_assert_int_eq(count_tokens(), 0);
    again("logout", "a", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "server 'a' was not logged in\n");
    again("call", "whoami", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "mcphostctl: to log in: mcphostctl login a\n");
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
}
END_TEST

START_TEST(a_logout_says_why_the_token_was_not_revoked)
{
    serve("fault revoke status 500");
    use_browser("login");
    ctl_run(&run, &place, "login", "a", NULL);
    ctl_status_is(&run, 0);
    again("logout", "a", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "server 'a' is logged out\n");
    test_has(run.err, "the token is removed here, but not revoked at http://127.0.0.1:");
    test_has(run.err, "HTTP status 500");
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    ck_assert_int_eq(count_tokens(), 0);
}
END_TEST

/* ---- advice ------------------------------------------------------------------------ */

START_TEST(the_advice_names_the_same_configuration)
{
    serve("");
    rig_workspace_write(&place.ws, "it's.yaml",
                        "version: 1\nservers:\n"
                        "  b c: {transport: streamable_http, url: %s}\n",
                        ar.web.url);
    ctl_run(&run, &place, "-C", ".", "--source=m=it's.yaml", "--timeout", "30", "--json",
            "call", "whoami", NULL);
    ctl_status_is(&run, 4);
    test_has(run.err, "mcphostctl: to log in: mcphostctl -C . --source 'm=it'\\''s.yaml' "
                      "login a\n");
    ctl_run_free(&run);
    ctl_run(&run, &place, "servers", "--config", "it's.yaml", NULL);
    ctl_status_is(&run, 4);
    test_has(run.out, "\nto log in: mcphostctl --config 'it'\\''s.yaml' login 'b c'\n");
    ctl_run_free(&run);
    ctl_run(&run, &place, "tools", "--url", ar.web.url, "--header", "X-Key: secret",
            NULL);
    test_has(run.err, " --header 'X-Key: ...' login url\n");
    test_has_not(run.err, "secret");
}
END_TEST

/* A login of the user does not help against a wrong header or a client's bad secret. */
START_TEST(there_is_no_advice_where_no_user_logs_in)
{
    serve("");
    ctl_run(&run, &place, "tools", "--url", ar.web.url, "--header",
            "Authorization: Bearer x", NULL);
    ctl_status_is(&run, 4);
    test_has_not(run.err, "to log in");
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n"
        "  a: {transport: streamable_http, url: %s, auth: none}\n"
        "  b: {transport: streamable_http, url: %s, auth: {flow: client_credentials,\n"
        "      clientId: x, clientSecret: y}}\n",
        ar.web.url, ar.web.url);
    again("tools", NULL, NULL);
    ctl_status_is(&run, 4);
    test_has_not(run.err, "to log in");
}
END_TEST

/* ---- logins in the middle of other commands ---------------------------------------- */

START_TEST(with_elicit_ask_a_call_asks_for_the_login)
{
    char *url;

    serve("account alice");
    ctl_terminal_up(&tty, &place, "--elicit", "ask", "call", "whoami", NULL);
    url = read_url();
    ctl_shows(&tty, "a> URL: ");
    ck_assert_int_eq(browser_open(url, BROWSER_LOGIN), 200);
    ends(0);
    test_has(run.out, "alice");
    free(url);
}
END_TEST

START_TEST(in_batch_a_login_is_an_event)
{
    char elicit[] = "--elicit=ask", *redirect;
    struct ctl_session session;
    json_t *event, *answer;

    serve("account alice");
    place.argument = elicit;
    ctl_session_up(&session, &place);
    event = ctl_event(&session, "request");
    ck_assert_str_eq(ctl_string(event, "kind"), "authorize");
    ck_assert_str_eq(ctl_string(event, "server"), "a");
    test_has(ctl_string(event, "message"), "log in at ");
    ck_assert_str_eq(ctl_string(json_object_get(event, "params"), "flow"), "browser");
    ctl_send(&session, "{\"id\":\"1\",\"op\":\"answer\",\"request\":1,\"content\":"
                       "{\"redirect\":\"http://127.0.0.1:1/callback?code=x\"}}");
    answer = ctl_answer(&session, "1");
    ck_assert(json_is_false(json_object_get(answer, "ok")));
    json_decref(answer);
    redirect = browser_redirect(ctl_string(event, "url"), BROWSER_LOGIN);
    ck_assert_ptr_nonnull(redirect);
    ctl_send(
        &session,
        "{\"id\":2,\"op\":\"answer\",\"request\":1,\"content\":{\"redirect\":\"%s\"}}",
        redirect);
    free(redirect);
    json_decref(event);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    answer = ctl_ask(&session, "3", "\"op\":\"call\",\"tool\":\"whoami\"");
    test_has(ctl_said(answer), "alice");
    json_decref(answer);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "login");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_browser_logs_in_and_later_commands_use_the_token);
    tcase_add_test(tc, without_a_terminal_the_browser_is_enough);
    tcase_add_test(tc, a_second_login_asks_nothing);
    tcase_add_loop_test(tc, the_url_of_the_redirect_can_be_pasted, 0, 2);
    tcase_add_test(tc, a_code_is_entered_on_another_device);
    tcase_add_loop_test(tc, ctrl_c_cancels_a_login_at_once, 0, 2);
    tcase_add_loop_test(tc, a_login_expires, 0, 2);
    tcase_add_loop_test(tc, the_user_declines, 0, 3);
    tcase_add_test(tc, a_server_without_logins_is_reported);
    tcase_add_test(tc, bad_command_lines_of_logins_are_refused);
    tcase_add_test(tc, without_a_home_tokens_cannot_be_kept);
    tc = test_case(suite, "store");
    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, only_the_owner_may_read_the_tokens);
    tcase_add_test(tc, two_accounts_have_tokens_of_their_own);
    tcase_add_test(tc, auth_status_shows_logins_without_tokens_and_starts_nothing);
    tcase_add_test(tc, auth_status_names_the_servers_of_all_sources);
    tcase_add_test(tc, after_a_logout_the_server_needs_a_login);
    tcase_add_test(tc, a_logout_says_why_the_token_was_not_revoked);
    tc = test_case(suite, "advice");
    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_advice_names_the_same_configuration);
    tcase_add_test(tc, there_is_no_advice_where_no_user_logs_in);
    tcase_add_test(tc, with_elicit_ask_a_call_asks_for_the_login);
    tcase_add_test(tc, in_batch_a_login_is_an_event);
}

int
main(void)
{
    return test_main("ctl-login", add);
}
