/* SPDX-License-Identifier: MIT
 *
 * test_torture_login.c - logins by OAuth, and revocations, while memory runs out.
 *
 * A login ends with a token or an error, its request ends, and nothing leaks.  A
 * revocation ends.  If its request was sent, the revocation reports its end exactly once.
 * The tests of logins try only every 11th allocation.  The functions below replace
 * lib/net.  The server's own allocations never fail.
 */
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "support/nonet.h"
#include "support/rig.h"
#include "torture/torture.h"

#define TURNS  600
#define URL    "https://mcp.example/mcp"
#define AS     "https://as.example"
#define SECRET "refresh-token-1"

struct mcph_net_request {
    const struct mcph_net_events *events;
    void *arg;
    char url[256];
    bool is_refresh, is_device;
};

/* MCPHOST_E_INVALID and MCPHOST_E_STATE occur because libcrypto may hide a lack of
 * memory. */
static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_INVALID, MCPHOST_E_STATE, 0};

static struct mcph_core *core;
static struct mcph_store *store;
static struct mcph_login *login;
static const struct mcph_login_question *asked;
static struct mcph_net_request *request; /* a login has one request at a time */
static struct rig_census census;
static int64_t now_ms;
static int polls, refreshes;
static char *access_token;
static int outcome;                 /* 1 while the login runs, else its result */
static bool is_refused;             /* the server refuses revocations */
static int revocations, ends, told; /* numbers of requests, reported ends, log lines */
static char line[1024];             /* the last line of the log */

/* ---- lib/net ----------------------------------------------------------------------- */

int
mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
               struct mcph_net_request **ret, mcphost_error **reterr)
{
    struct mcph_net_request *req = calloc(1, sizeof(*req));

    (void)net;
    torture_must(!request);
    if (!req)
        return mcph_err_nomem(reterr);
    req->events = spec->events;
    req->arg = spec->arg;
    snprintf(req->url, sizeof(req->url), "%s", spec->url);
    if (spec->body) {
        req->is_refresh = memmem(spec->body->data, spec->body->len, "refresh_token=", 14);
        req->is_device = memmem(spec->body->data, spec->body->len, "device_code=", 12);
        mcph_buf_wipe(spec->body);
    }
    *ret = request = req;
    return 0;
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    if (req && req == request) {
        request = NULL;
        free(req);
    }
    return NULL;
}

int
mcph_net_get_status(const struct mcph_net_request *req)
{
    if (strstr(req->url, "/register"))
        return 201;
    if (strstr(req->url, "/revoke"))
        return is_refused ? 400 : 200;
    return req->is_device && polls < 2 ? 400 : 200;
}

const char *
mcph_net_get_header(struct mcph_net_request *req, const char *name, size_t index)
{
    (void)req;
    return strcmp(name, "dpop-nonce") == 0 && index == 0 ? "n1" : NULL;
}

const struct mcph_buf *
mcph_net_get_body(const struct mcph_net_request *req)
{
    static const struct mcph_buf none;

    (void)req;
    return &none;
}

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    (void)req;
    (void)ret;
    torture_must(false); /* only lib/transport calls this function */
}

void
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    (void)req;
    (void)max;
}

/* ---- the server -------------------------------------------------------------------- */

static const char *
find_answer(const struct mcph_net_request *req)
{
    if (strstr(req->url, "oauth-protected-resource"))
        return "{\"resource\":\"" URL "\",\"authorization_servers\":[\"" AS "\"],"
               "\"scopes_supported\":[\"a\",\"b\"]}";
    if (strstr(req->url, "oauth-authorization-server"))
        return "{\"issuer\":\"" AS "\",\"authorization_endpoint\":\"" AS "/authorize\","
               "\"token_endpoint\":\"" AS "/token\",\"registration_endpoint\":\"" AS
               "/register\",\"device_authorization_endpoint\":\"" AS "/device\","
               "\"revocation_endpoint\":\"" AS "/revoke\","
               "\"code_challenge_methods_supported\":[\"S256\"]}";
    if (strstr(req->url, "/register"))
        return "{\"client_id\":\"c1\",\"client_secret\":\"secret-of-c1\"}";
    if (strstr(req->url, "/device"))
        return "{\"device_code\":\"device-1\",\"user_code\":\"AB-12\","
               "\"verification_uri\":\"" AS "/d\",\"interval\":1}";
    if (strstr(req->url, "/revoke")) {
        revocations++;
        return is_refused ? "{\"error\":\"invalid_request\",\"error_description\":"
                            "\"" SECRET "\"}"
                          : "";
    }
    if (req->is_device && ++polls < 2)
        return "{\"error\":\"authorization_pending\"}";
    refreshes += req->is_refresh;
    return req->is_refresh ? "{\"access_token\":\"access-2\",\"token_type\":\"DPoP\","
                             "\"expires_in\":3600,\"refresh_token\":\"refresh-2\"}"
                           : "{\"access_token\":\"access-1\",\"token_type\":\"DPoP\","
                             "\"refresh_token\":\"refresh-1\",\"scope\":\"a b\"}";
}

static void
serve(void)
{
    struct mcph_net_request *req = request;
    const char *text;

    if (!req)
        return;
    text = find_answer(req);
    req->events->body(req, text, strlen(text), req->arg);
    request = NULL;
    req->events->done(req, NULL, req->arg);
    free(req);
}

/* ---- the user ---------------------------------------------------------------------- */

static int
on_ask(const struct mcph_login_question *question, void *arg)
{
    (void)arg;
    torture_must(!asked && question->url && question->message && question->params);
    asked = question;
    return 0;
}

static void
on_over(const char *why, void *arg)
{
    (void)arg;
    torture_must(asked && why);
    asked = NULL;
}

static void
on_waits(const char *why, void *arg)
{
    (void)why;
    (void)arg;
}

static void
on_done(const struct mcph_login_token *token, const mcphost_error *error, void *arg)
{
    (void)arg;
    torture_must((token != NULL) == (error == NULL));
    outcome = token ? 0 : mcphost_error_get_code(error);
    failing_pause();
    free(access_token);
    access_token = token ? strdup(token->access) : NULL;
    failing_resume();
    login = NULL;
}

static const struct mcph_login_events events = {
    .ask = on_ask, .over = on_over, .waits = on_waits, .done = on_done};

/* Pastes the redirect.  A question with a device code has no redirect. */
static void
answer(void)
{
    char text[512];

    if (!asked || !asked->awaited.state)
        return;
    snprintf(text, sizeof(text), "?code=code-1&state=%s", asked->awaited.state);
    mcph_login_paste(login, text, strlen(text));
}

/* ---- logins ------------------------------------------------------------------------ */

static int
log_in(int flow, int status, const char *refused)
{
    static const struct mcph_net_site site;
    const struct mcph_login_means means = {
        .core = core, .site = &site, .store = store, .asks = true, .ask_ms = -1};
    struct mcph_login_way way = {.mode = MCPHOST_AUTH_OAUTH, .flow = flow};
    const struct mcph_login_cause cause = {
        .status = status, .refused = refused, .wants_dpop = true};

    outcome = mcph_login_start(&means, URL, &way, &cause, &events, NULL, &login);
    if (outcome == 0)
        outcome = 1;
    for (int i = 0; i < TURNS && outcome == 1; i++) {
        now_ms += 50;
        serve();
        (void)mcph_core_dispatch(core);
        answer();
    }
    torture_must(outcome != 1 && !login && !request && !asked);
    return outcome;
}

static int
run_login(int flow)
{
    char *refused;
    int r;

    polls = refreshes = 0;
    if (mcph_store_memory_new(&store) < 0)
        return MCPHOST_E_NOMEM;
    r = log_in(flow, 401, NULL);
    if (r == 0) {
        refused = access_token;
        access_token = NULL;
        r = log_in(flow, 401, refused);
        torture_must(r < 0 || access_token);
        free(refused);
    }
    free(access_token);
    access_token = NULL;
    store = mcph_store_unref(store);
    OPENSSL_thread_stop(); /* frees libcrypto's list of errors */
    return r;
}

static int
run_browser(void)
{
    return run_login(MCPHOST_FLOW_BROWSER);
}

static int
run_device(void)
{
    return run_login(MCPHOST_FLOW_DEVICE);
}

/* ---- revocations ------------------------------------------------------------------- */

static void
on_revoked(void *arg)
{
    (void)arg;
    ends++;
}

static void
on_log(int level, const char *room, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    if (strncmp(text, "logout:", 7) != 0)
        return; /* the line reports that other lines of the log were lost */
    told++;
    snprintf(line, sizeof(line), "%s", text);
}

static void
revoke(struct mcph_keeper *keeper, struct mcph_mask *mask)
{
    static char record[] =
        "{\"access_token\":\"access-token-1\",\"refresh_token\":\"" SECRET "\"}";
    static const struct mcph_net_site site = {.proxy = "http://proxy.example"};
    const struct mcph_login_way way = {.mode = MCPHOST_AUTH_OAUTH};
    const struct mcph_logout logout = {
        .server = "web",
        .url = URL,
        .key = {.issuer = AS, .resource = URL, .client = "c1", .account = ""},
        .record = {.text = record, .len = sizeof(record) - 1}};

    mcph_keeper_revoke(keeper, NULL, &logout, &way, &site, mask);
    for (int i = 0; i < TURNS && mcph_keeper_is_revoking(keeper); i++) {
        serve();
        (void)mcph_core_dispatch(core);
    }
    torture_must(!mcph_keeper_is_revoking(keeper) && !request);
}

/* Revokes a token.  If memory is short, the log can lack the line about the
 * revocation. */
static int
run_revocation(void)
{
    static const struct mcph_keeper_events keeper_events = {.revoked = on_revoked};
    struct mcph_mask *mask = mcph_mask_new();
    struct mcph_keeper *keeper = NULL;

    revocations = ends = told = 0;
    *line = '\0';
    if (mask && mcph_keeper_new(core, &keeper_events, NULL, &keeper) == 0)
        revoke(keeper, mask);
    mcph_keeper_free(keeper);
    mcph_mask_unref(mask);
    (void)mcph_core_dispatch(core); /* passes the lines of the log to on_log() */
    OPENSSL_thread_stop();
    torture_must(revocations <= 1 && ends <= 1 && told <= 1);
    torture_must(ends == 1 || revocations == 0);
    torture_must(!strstr(line, SECRET));
    if (revocations == 0 || told == 0)
        return MCPHOST_E_NOMEM;
    torture_must(is_refused == (strstr(line, "not revoked") != NULL));
    return 0;
}

static int64_t
tell_time(void *arg)
{
    (void)arg;
    return now_ms;
}

static void
up(void)
{
    census = rig_census_take();
    now_ms = 1000;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, tell_time, NULL);
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_INFO, on_log, NULL, NULL), 0);
}

static void
down(void)
{
    core = mcph_core_unref(core);
    rig_census_check(&census, 0);
}

START_TEST(a_login_by_a_browser_ends_if_an_allocation_fails)
{
    torture_run(
        &(struct torture){.run = run_browser, .least = 200, .step = 11, .codes = codes},
        _i);
}
END_TEST

START_TEST(a_login_by_a_device_code_ends_if_an_allocation_fails)
{
    torture_run(
        &(struct torture){.run = run_device, .least = 200, .step = 11, .codes = codes},
        _i);
}
END_TEST

START_TEST(a_revocation_ends_if_an_allocation_fails)
{
    is_refused = _i / 2;
    torture_run(&(struct torture){.run = run_revocation, .least = 50}, _i % 2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "login");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_login_by_a_browser_ends_if_an_allocation_fails, 0, 2);
    tcase_add_loop_test(tc, a_login_by_a_device_code_ends_if_an_allocation_fails, 0, 2);
    tcase_add_loop_test(tc, a_revocation_ends_if_an_allocation_fails, 0, 4);
    tcase_set_timeout(tc, 120);
}

int
main(void)
{
    return torture_main("torture-login", add);
}
