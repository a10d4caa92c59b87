/* SPDX-License-Identifier: MIT
 *
 * test_login_secrets.c - no secret of a login is shown: logins of each kind at once,
 * their refreshes and refusals, and crashes.
 *
 * loginrig.h keeps each text that the library shows.  These tests also read the arguments
 * and the environment of each process that the host starts.  Servers inherit the
 * variables of the host itself (R14), and these variables may contain secrets.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "support/keys.h"
#include "support/relay.h"
#include "system/loginrig.h"

#define VARIABLE "MCPT_LOGIN" /* a variable in the host's own environment */

/* ---- servers of each kind of login ------------------------------------------------- */

#define ROBOT "clientId: robot, clientSecret: canary-robot"

enum {
    DYNAMIC,
    OWN,
    POST,
    ROBOTS,
    DEVICE,
    BOUND,
    PAIR,
    ASSERTION,
    EXCHANGE,
    PROXY,
    KINDS
};

/* `sent` are the secrets in the entry of the server.  The kinds from PAIR on get their
 * keys from the functions below. */
static const struct {
    const char *id, *keys, *script, *sent;
} kinds[KINDS] = {
    [DYNAMIC] = {"dynamic", "auth: {scopes: [tools, openid]}",
                 "scopes tools openid\nmethods basic", NULL},
    [OWN] = {"own", "auth: {clientId: own, clientSecret: {env: " VARIABLE "}}",
             "client own basic canary-variable", "canary-variable"},
    [POST] = {"post", "auth: {clientId: own, clientSecret: canary-post}",
              "methods post\nclient own post canary-post", "canary-post"},
    [ROBOTS] = {"robots", "auth: {flow: client_credentials, " ROBOT "}",
                "client robot basic canary-robot", "canary-robot"},
    [DEVICE] = {"device", "auth: {flow: device}", "methods post\ndevice approve 2", NULL},
    [ASSERTION] = {"assertion", NULL,
                   "client robot basic canary-robot\nsubject carol canary-assertion",
                   "canary-robot canary-assertion"},
    [BOUND] = {"bound", NULL, "dpop nonce\nmethods basic", NULL},
    [PAIR] = {"pair", NULL, NULL, NULL},
    [EXCHANGE] = {"exchange", NULL,
                  "issuer own\nissuer own\nclient robot basic canary-robot\n"
                  "client app basic canary-idp\nsubject carol canary-identity",
                  "canary-robot canary-idp canary-identity"},
    [PROXY] = {"proxy", NULL, "issuer same /as\nmethods basic", "canary-proxy"},
};

static struct loginrig lr;
static struct authrig ars[KINDS];
static struct httprig headers, url;
static struct relay *relay;

static void
add_pair(void)
{
    struct mcph_span pem = keys_text("p256-pkcs8");

    sec_learn_key(&lr.secrets, pem.p, pem.len);
    lr_keyed(&lr, &ars[PAIR], "pair", "p256-pkcs8");
}

/* Adds a server whose login sends an assertion.  The assertion does not name its issuer,
 * so the entry names the issuer. */
static void
add_assertion(void)
{
    char text[256];

    ar_web(&lr.hr, &ars[ASSERTION], "assertion", kinds[ASSERTION].script);
    snprintf(
        text, sizeof(text),
        "auth: {flow: jwt_bearer, assertion: canary-assertion, issuer: \"%s\", " ROBOT
        "}",
        ar_issuer(&ars[ASSERTION], 1));
    hr_url(&lr.hr, "assertion", ars[ASSERTION].web.url, text);
}

/* Adds a server whose login exchanges an identity token.  The second issuer of the server
 * `exchange` is the identity provider. */
static void
add_exchange(void)
{
    char text[512];

    ar_web(&lr.hr, &ars[EXCHANGE], "exchange", kinds[EXCHANGE].script);
    snprintf(text, sizeof(text),
             "auth: {flow: token_exchange, assertion: canary-identity, idpTokenUrl: "
             "\"%s/token\", idpClientId: app, idpClientSecret: canary-idp, " ROBOT "}",
             ar_issuer(&ars[EXCHANGE], 2));
    hr_url(&lr.hr, "exchange", ars[EXCHANGE].web.url, text);
}

static void
add_proxy(void)
{
    char text[256];

    ar_web(&lr.hr, &ars[PROXY], "proxy", kinds[PROXY].script);
    relay = relay_up(ars[PROXY].web.port, NULL);
    snprintf(text, sizeof(text), "proxy: \"http://agent:canary-proxy@127.0.0.1:%d\"",
             relay_port(relay));
    hr_url(&lr.hr, "proxy", ars[PROXY].web.url, text);
}

/* Adds three servers without logins: a server with secrets in its headers, a server with
 * secrets in its URL, and a server over stdio. */
static void
add_others(void)
{
    char text[256];

    hr_http(&lr.hr, &headers, "headers",
            "headers: {Authorization: Bearer canary-bearer, X-Key: canary-key}",
            "bearer canary-bearer");
    hr_web(&lr.hr, &url, "url", NULL);
    snprintf(text, sizeof(text), "http://user:canary-password@127.0.0.1:%d/mcp?key=%s",
             url.port, "canary-query");
    hr_url(&lr.hr, "url", text, NULL);
    hr_server(&lr.hr, "stdio", NULL, NULL);
}

static void
up(int how)
{
    ck_assert_int_eq(setenv(VARIABLE, "canary-variable", 1), 0);
    lr_up(&lr, how);
    ck_assert_int_eq(mcphost_set_token_store(lr.hr.host, MCPHOST_TOKENS_FILE,
                                             rig_workspace_path(&lr.hr.ws, "tokens"),
                                             NULL),
                     0);
    for (int i = 0; i < PAIR; i++)
        ar_http(&lr.hr, &ars[i], kinds[i].id, kinds[i].keys, kinds[i].script);
    add_pair();
    add_assertion();
    add_exchange();
    add_proxy();
    add_others();
    sec_watch(&lr.secrets);
}

static void
learn_store(void)
{
    char *json = rig_workspace_read(&lr.hr.ws, "tokens/tokens.json");

    sec_learn_store(&lr.secrets, json);
    free(json);
}

static void
down(void)
{
    learn_store();
    ck_assert_int_gt(atomic_load(&lr.secrets.n_watched), 3);
    relay_down(relay);
    lr_down(&lr);
}

/* ---- what the servers do ----------------------------------------------------------- */

static mcphost_call *
start_call(const char *server, const char *tool)
{
    static int n;
    char id[16], name[64];

    snprintf(id, sizeof(id), "call-%d", n++);
    snprintf(name, sizeof(name), "%s_%s", server, tool);
    return hr_start(&lr.hr, hr_dialog(&lr.hr, id), name, "{\"message\":\"hi\"}");
}

static void
use_all(void)
{
    for (int i = 0; i < KINDS; i++)
        (void)lr_whoami_of(&lr, kinds[i].id);
    ck_assert_int_eq(hr_end(&lr.hr, start_call("stdio", "echo")), 0);
    ck_assert_int_eq(hr_end(&lr.hr, start_call("headers", "echo")), 0);
    ck_assert_int_eq(hr_end(&lr.hr, start_call("url", "echo")), 0);
    lr_tell_state(&lr);
    learn_store();
    ck_assert_uint_gt(lr.secrets.n_secrets, KINDS);
}

/* Calls the tool of each server in `kinds`.  Each call must fail with this code. */
static void
fail_all(const char *tool, int code)
{
    for (int i = 0; i < KINDS; i++) {
        mcphost_call *call = start_call(kinds[i].id, tool);

        ck_assert_int_eq(hr_end(&lr.hr, call), code);
        sec_tell(&lr.secrets, kinds[i].id, hr_why(call));
    }
}

/* Makes each fake server of `kinds` read these lines of a script.  A '%' becomes the
 * secrets in the server's entry. */
static void
say_all(const char *lines)
{
    const char *at = strchr(lines, '%');
    int before = at ? (int)(at - lines) : (int)strlen(lines);

    for (int i = 0; i < KINDS; i++)
        ar_say(&ars[i], "%.*s%s%s", before, lines,
               at && kinds[i].sent ? kinds[i].sent : "", at ? at + 1 : "");
}

static void
log_all_out(void)
{
    for (int i = 0; i < KINDS; i++)
        ck_assert_int_eq(mcphost_log_out(lr.hr.host, kinds[i].id, NULL), 0);
}

START_TEST(logins_that_succeed_and_refreshes_show_no_secret)
{
    up(BROWSER_LOGIN);
    hr_load(&lr.hr);
    use_all();
    say_all("forget access");
    use_all();
    ck_assert_int_eq(ar_traced(&ars[DYNAMIC], "token refresh ok"), 1);
    ck_assert_int_eq(ar_traced(&ars[BOUND], "token refresh ok"), 1);
    log_all_out();
    use_all();
    ck_assert_int_eq(ar_traced(&ars[DYNAMIC], "token code ok"), 2);
    down();
}
END_TEST

/* With most of these faults, an authorization server repeats secrets that it knows. */
static const char *const faults[] = {"fault token refuse invalid_client sent %",
                                     "fault token refuse-ok invalid_grant sent %",
                                     "fault token echo 400",
                                     "fault token echo 500",
                                     "fault token garbage",
                                     "fault token lying canary-type",
                                     "fault register refuse invalid_client sent %",
                                     "fault register echo 400",
                                     "fault register garbage",
                                     "fault authorize refuse access_denied sent %",
                                     "fault device refuse invalid_client sent %",
                                     "fault device echo 400",
                                     "fault challenge status 500",
                                     "fault use status 500"};

START_TEST(logins_that_fail_show_no_secret)
{
    up(BROWSER_LOGIN);
    say_all(faults[_i]);
    hr_load(&lr.hr);
    down();
}
END_TEST

static const char *const refusals[] = {"refuse invalid_grant sent %", "echo 400"};

START_TEST(refreshes_that_fail_show_no_secret)
{
    char text[128];

    up(BROWSER_LOGIN);
    hr_load(&lr.hr);
    use_all();
    snprintf(text, sizeof(text), "fault refresh %s", refusals[_i]);
    say_all(text);
    snprintf(text, sizeof(text), "fault token %s\nforget access", refusals[_i]);
    say_all(text);
    fail_all("whoami", MCPHOST_E_AUTH);
    ck_assert_int_gt(ar_traced(&ars[DYNAMIC], "fault refresh"), 0);
    ck_assert_int_gt(ar_traced(&ars[ROBOTS], "fault token"), 0);
    down();
}
END_TEST

/* The error answer of each authorization server repeats the request. */
START_TEST(logouts_that_fail_show_no_secret)
{
    up(BROWSER_LOGIN);
    hr_load(&lr.hr);
    use_all();
    say_all(_i ? "fault revoke echo 500" : "fault revoke echo 400");
    log_all_out();
    for (int i = 0; i < KINDS; i++)
        hr_until(&lr.hr, ar_traced(&ars[i], "fault revoke echo") == 1);
    down();
}
END_TEST

/* Makes the error of the tool `echo` repeat the secrets that the server has got. */
static void
repeat_secrets(int i)
{
    char name[64], *trace, *lines = NULL;
    struct secretrig got;
    size_t len;
    FILE *f = open_memstream(&lines, &len);

    snprintf(name, sizeof(name), "%s.trace", kinds[i].id);
    trace = rig_workspace_read(&lr.hr.ws, name);
    sec_up(&got, NULL);
    sec_learn_trace(&got, trace);
    fputs("on call:echo\n  error -32000 got", f);
    for (size_t n = 0; n < got.n_secrets; n++)
        fprintf(f, " %s", got.secrets[n]);
    fputc('\n', f);
    fclose(f);
    ar_say(&ars[i], "%s", lines);
    sec_end(&got);
    free(lines);
    free(trace);
}

START_TEST(secrets_of_a_login_that_a_server_repeats_are_masked)
{
    up(BROWSER_LOGIN);
    hr_load(&lr.hr);
    use_all();
    say_all("forget access");
    use_all();
    for (int i = 0; i < KINDS; i++)
        repeat_secrets(i);
    fail_all("echo", MCPHOST_E_RPC);
    test_has_all(lr.secrets.told.data, "dynamic: |****|bound: |pair: ");
    down();
}
END_TEST

static void
add_hosts(Suite *suite)
{
    TCase *good = test_case(suite, "success"), *bad = test_case(suite, "failure");
    TCase *repeated = test_case(suite, "repeated");

    tcase_set_timeout(good, 60);
    tcase_add_test(good, logins_that_succeed_and_refreshes_show_no_secret);
    tcase_set_timeout(bad, 30);
    tcase_add_loop_test(bad, logins_that_fail_show_no_secret, 0,
                        sizeof(faults) / sizeof(faults[0]));
    tcase_add_loop_test(bad, refreshes_that_fail_show_no_secret, 0,
                        sizeof(refusals) / sizeof(refusals[0]));
    tcase_add_loop_test(bad, logouts_that_fail_show_no_secret, 0, 2);
    tcase_set_timeout(repeated, 30);
    tcase_add_test(repeated, secrets_of_a_login_that_a_server_repeats_are_masked);
}

/* ---- crashes ----------------------------------------------------------------------- */

/* A program that crashes in the midst of a login.  The crash output is the text on the
 * program's stdout and stderr: the log of the program, and the last messages of
 * libcrypto, of the C library and of the processes that the host has started.  libmcphost
 * handles no signal, and writes nothing when a signal ends the program.
 *
 * A core dump is no output of this kind.  It may have the secrets that are in use, as
 * mcphost-auth(7) says.  These secrets are in blocks of the heap beside other data, and
 * MADV_DONTDUMP excludes only whole pages.  Secrets that are no longer in use are wiped
 * (tests/support/heap.h). */
struct crash {
    int signal;
    bool in_question; /* true: while the user is asked; else during a refresh */
};

static void
crash_log(int level, const char *room, const char *server, const char *message, void *arg)
{
    (void)level;
    (void)arg;
    fprintf(stderr, "%s [%s] %s\n", room, server ? server : "", message);
}

static void
crash_now(int sig)
{
    /* Remove the handler of a sanitizer, because that handler exits without a crash. */
    signal(sig, SIG_DFL);
    if (sig == SIGABRT)
        abort();
    raise(sig);
}

static void
crash_event(const mcphost_event *event, void *arg)
{
    struct crash *crash = arg;
    mcphost_request *request = mcphost_event_get_request(event);

    if (mcphost_event_get_text(event))
        fprintf(stderr, "%s\n", mcphost_event_get_text(event));
    if (!request || mcphost_event_get_state(event) != 1)
        return;
    if (crash->in_question)
        crash_now(crash->signal);
    browser_start(mcphost_request_get_url(request), BROWSER_LOGIN);
}

/* Runs until the crash, or exits if a step fails.  Never returns. */
static void __attribute__((noreturn))
crash_run(struct crash *crash, struct rig_workspace *ws, struct authrig *ar)
{
    char guard[4200];
    mcphost_config *config;
    mcphost *host;

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    if (mcphost_new(&host, NULL) < 0 || mcphost_set_guard_path(host, guard) < 0 ||
        mcphost_set_log(host, MCPHOST_LOG_TRACE, crash_log, NULL, NULL) < 0 ||
        mcphost_set_event(host, crash_event, crash, NULL) < 0 ||
        mcphost_set_option(host, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_AUTHORIZE) < 0 ||
        mcphost_config_load_workspace(ws->dir, &config, NULL) < 0 ||
        mcphost_load(host, config) < 0)
        _exit(99);
    if (mcphost_wait_ready(host, 20000) != 1)
        _exit(98);
    ar_say(ar, "forget access");
    (void)mcphost_restart_server(host, "a");
    for (int i = 0; i < 2000; i++) {
        (void)mcphost_wait(host, 10);
        if (ar_traced(ar, "f refresh_token=") > 0)
            crash_now(crash->signal);
    }
    _exit(96);
}

static void
start_crash(struct crash *crash, struct rig_workspace *ws, struct authrig *ar)
{
    struct rlimit no_core = {0, 0};
    FILE *out = fopen(rig_workspace_path(ws, "output"), "we");

    setrlimit(RLIMIT_CORE, &no_core);
    if (!out || dup2(fileno(out), 1) < 0 || dup2(fileno(out), 2) < 0)
        _exit(97);
    crash_run(crash, ws, ar);
}

/* In the cases with a refresh, the authorization server never answers the refresh.  The
 * program crashes while the host waits for the answer. */
START_TEST(a_crash_during_a_login_shows_no_secret)
{
    struct crash crash = {_i % 2 ? SIGSEGV : SIGABRT, _i / 2 == 0};
    struct rig_workspace ws;
    struct secretrig sr;
    struct authrig ar;
    int status = 0;
    char *text;
    pid_t pid;

    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    rig_workspace_up(&ws, NULL);
    ar_up(&ar, &ws, "a", "client own basic canary-own\nfault refresh hold");
    rig_workspace_yaml(&ws,
                       "version: 1\nservers:\n  a:\n    transport: streamable_http\n"
                       "    url: %s\n"
                       "    auth: {clientId: own, clientSecret: canary-own}\n"
                       "  b: {transport: stdio, command: '%s'}\n",
                       ar.web.url, rig_fakeserver());
    sec_up(&sr, NULL);
    /* Start the thread of sec_watch() after fork(), because the child allocates memory:
     * another thread could hold the allocator's lock during fork(). */
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        start_crash(&crash, &ws, &ar);
    sec_watch(&sr);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    text = rig_workspace_read(&ws, "output");
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == crash.signal,
                  "status %d: %.1000s", status, text);
    sec_tell(&sr, "output", text);
    free(text);
    text = rig_workspace_read(&ws, "a.trace");
    ck_assert_int_eq(strstr(text, "token code ok") == NULL, crash.in_question);
    sec_learn_trace(&sr, text);
    free(text);
    ck_assert_int_gt(atomic_load(&sr.n_watched), 0);
    sec_end(&sr);
    ar_down(&ar);
    rig_reap_adopted(2000);
    rig_workspace_down(&ws);
}
END_TEST

/* ---- the search itself ------------------------------------------------------------- */

/* Starts a program with an argument and a variable of its own. */
static pid_t
start_program(char *argument, char *variable)
{
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)"read line", argument, NULL};
    char *variables[] = {variable, NULL};
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        execve("/bin/sh", argv, variables);
        _exit(127);
    }
    return pid;
}

START_TEST(a_secret_that_is_shown_is_found)
{
    static const char *const shown[] = {"x canary-x", "token-of-a-test",
                                        "Basic eHg6dG9rZW4tb2YtYS10ZXN0"};
    struct secretrig sr;
    char *place;

    sec_up(&sr, NULL);
    sec_learn(&sr, "token-of-a-test", strlen("token-of-a-test"));
    ck_assert_ptr_null(sec_find(&sr));
    sec_tell(&sr, "log", shown[_i]);
    place = sec_find(&sr);
    ck_assert_ptr_nonnull(place);
    free(place);
    sec_done(&sr);
}
END_TEST

START_TEST(a_secret_of_a_process_is_found)
{
    int hold[2];
    struct secretrig sr;
    char *place;
    pid_t pid;

    ck_assert_int_eq(pipe(hold), 0);
    ck_assert_int_eq(dup2(hold[0], 0), 0);
    sec_up(&sr, NULL);
    pid = start_program(_i ? "x" : "canary-x", _i ? "KEY=canary-x" : "KEY=x");
    sec_watch(&sr);
    while (atomic_load(&sr.n_watched) < 100)
        rig_pause(2);
    sec_rest(&sr);
    place = sec_find(&sr);
    ck_assert_ptr_nonnull(place);
    test_has(place, _i ? "environ of" : "cmdline of");
    free(place);
    sec_done(&sr);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *crashes = test_case(suite, "crashes"), *search = test_case(suite, "search");

    tcase_set_timeout(crashes, 30);
    tcase_add_loop_test(crashes, a_crash_during_a_login_shows_no_secret, 0, 4);
    tcase_add_loop_test(search, a_secret_that_is_shown_is_found, 0, 3);
    tcase_add_loop_test(search, a_secret_of_a_process_is_found, 0, 2);
    add_hosts(suite);
}

int
main(void)
{
    return test_main("login-secrets", add);
}
