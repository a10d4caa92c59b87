/* SPDX-License-Identifier: MIT
 *
 * test_http_faults.c - a host with an HTTP server that misbehaves and another server that
 * works.
 *
 * The error of each fault names the server and the reason.  A fault affects only its
 * call or its server.  No fault leaks a descriptor, a process or a secret.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/httprig.h"
#include "support/procrig.h"

extern char **environ;

static struct hostrig hr;
static struct httprig web, good;
static mcphost_dialog *d;

static void
begin(const char *script)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_http(&hr, &web, "web", NULL, script);
    hr_http(&hr, &good, "good", NULL, NULL);
}

static void
load_servers(void)
{
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
up(const char *script)
{
    begin(script);
    load_servers();
    hr_loaded(&hr, "web");
}

/* Checks that the server `good` still works.  Ends the host. */
static void
down(void)
{
    ck_assert_str_eq(hr_say(&hr, d, "good_echo", "{\"text\":\"well\"}"), "well");
    hr_down(&hr);
}

/* ---- a call whose answer is broken ------------------------------------------------- */

struct fault {
    const char *actions; /* the script of the answer to `add` */
    const char *words;   /* parts of the error, separated by '|' */
    int code;            /* the error code; 0 means any code */
};

static const struct fault faults[] = {
    {" status 500\n body it went wrong", "'web'|500", 0},
    {" status 502\n header Content-Type: text/html\n body <html>Bad Gateway</html>",
     "'web'|502", 0},
    {" status 503\n header Retry-After: 9\n body later", "'web'|503", 0},
    {" status 401\n header WWW-Authenticate: Bearer scope=\"files:read\"\n body no",
     "'web'|401|files:read", MCPHOST_E_AUTH},
    {" status 403\n header WWW-Authenticate: Bearer error=\"insufficient_scope\", "
     "scope=\"files:write\"\n body no",
     "'web'|403|files:write", MCPHOST_E_AUTH},
    {" status 409\n body conflict", "'web'|409", 0},
    {" status 429\n header Retry-After: 7\n body slow down", "'web'|429|7", 0},
    {" status 418 I am a teapot\n body short and stout", "'web'|418", 0},
    {" header Content-Type: text/html\n body <html>Log in first</html>",
     "'web'|text/html", 0},
    {" header Content-Type: application/octet-stream\n body {}", "'web'|octet-stream", 0},
    {" header Content-Type: application/json\n body {\"jsonrpc\":\"2.0\",\"id\":",
     "'web'", 0},
    {" header Content-Type: application/json\n body", "'web'", 0},
    {" header Content-Type: application/json\n body []", "'web'", 0},
    {" header Content-Type: application/json\n body {\"some\":\"thing\"}", "'web'", 0},
    {" header Content-Type: application/json\n length 4000\n body {\"jsonrpc\":\"2.0\"",
     "'web'|middle of its answer", MCPHOST_E_TRANSPORT},
    {" header Content-Type: application/json\n length 5\n body {\"jsonrpc\":\"2.0\"}",
     "'web'", 0},
    {" wire HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
     "Transfer-Encoding: chunked\\r\\n\\r\\nnonsense\\r\\n{}\\r\\n\n cut",
     "'web'", MCPHOST_E_TRANSPORT},
    {" wire HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
     "Transfer-Encoding: chunked\\r\\n\\r\\n8\\r\\n{\\\"json\n cut",
     "'web'", MCPHOST_E_TRANSPORT},
    {" wire SSH-2.0-OpenSSH_9.2\\r\\n\n cut", "'web'|HTTP", MCPHOST_E_TRANSPORT},
    {" wire HTTP/1.1 2\n reset", "'web'", MCPHOST_E_TRANSPORT},
    {" cut", "'web'", MCPHOST_E_TRANSPORT},
    {" reset", "'web'", MCPHOST_E_TRANSPORT},
    {" header-fill 400k\n answer", "'web'|header", MCPHOST_E_LIMIT},
    {" status 307\n header Location: http://127.0.0.1:1/elsewhere\n body",
     "'web'|redirect|127.0.0.1:1", 0},
    {" status 302\n header Location: https://user:pw@example.com/mcp?token=x\n body",
     "'web'|redirect", 0},
    {" status 308\n body", "'web'|308", 0},
    {" stream\n end", "'web'", 0},
    {" stream\n cut", "'web'", 0},
    {" raw data: {\"jsonrpc\":\"2.0\",\"id\":%i,\"res\n cut", "'web'", 0},
    {" raw data: {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[]}}\n end",
     "'web'", 0}, /* no empty line: the event is incomplete */
};

#define N_FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

static const char *const eras[] = {"era modern", "era legacy"};

START_TEST(a_broken_answer_fails_only_its_call_and_is_explained)
{
    const struct fault *f = &faults[_i / 2];
    mcphost_call *call;
    char script[1024];
    int r;

    snprintf(script, sizeof(script), "%s\non call:add\n%s", eras[_i % 2], f->actions);
    up(script);
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    r = hr_end(&hr, call);
    ck_assert_msg(r < 0, "it succeeded");
    test_has_all(hr_why(call), f->words);
    ck_assert_msg(f->code == 0 || f->code == r, "%d: %s", r, hr_why(call));
    ck_assert_ptr_null(strstr(hr_why(call), "pw@"));
    ck_assert_ptr_null(strstr(hr_why(call), "token"));
    ck_assert_ptr_null(strstr(hr_why(call), "secret"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* If a kept connection ends without a byte of an answer, libcurl would send the POST
 * again on a new connection.  The host prevents this, because the call may have effects
 * (RFC 9110, 9.2.2). */
static const char *const endings[] = {"cut", "reset"};

START_TEST(a_call_whose_connection_ends_without_an_answer_is_not_sent_again)
{
    mcphost_call *call;
    char script[64];

    snprintf(script, sizeof(script), "%s\non call:add\n %s", eras[_i % 2],
             endings[_i / 2]);
    up(script);
    for (int n = 1; n <= 3; n++) {
        /* After this call, libcurl keeps the connection open. */
        ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
        call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TRANSPORT);
        test_has_all(hr_why(call), "'web'|connection");
        ck_assert_int_eq(hr_traced(&hr, "web", "\"name\":\"add\""), n);
    }
    down();
}
END_TEST

/* ---- every status at every step ---------------------------------------------------- */

static const int statuses[] = {401, 403, 404, 409, 429, 500, 503};
#define N_STATUSES ((int)(sizeof(statuses) / sizeof(statuses[0])))

static void
refuse_at(const char *era, const char *event, int status)
{
    char script[256];

    snprintf(script, sizeof(script),
             "%s\non %s\n status %d\n header Retry-After: 5\n body no such luck", era,
             event, status);
    begin(script);
    load_servers();
}

static void
must_have_failed(int status)
{
    mcphost_status *now = NULL;
    mcphost_error *why;
    char number[16];

    snprintf(number, sizeof(number), "%d", status);
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(hr_server_why(&hr, "web"), "'web'");
    test_has_all(hr_server_why(&hr, "web"), number);
    ck_assert_int_eq(mcphost_get_status(hr.host, &now), 0);
    why = mcphost_status_server_get_error(now, 0);
    ck_assert_int_eq(mcphost_error_get_http_status(why), status);
    ck_assert_str_eq(mcphost_error_get_retry_after(why), "5");
    mcphost_status_unref(now);
}

/* After 401, 403, 429, 500 or 503 the host does not try the legacy era, because servers
 * of both eras may answer with these statuses. */
START_TEST(a_status_at_the_probe_fails_the_start_except_404_and_409)
{
    int status = statuses[_i];

    refuse_at("era dual", "discover", status);
    if (status == 404 || status == 409) {
        hr_loaded(&hr, "web");
    } else {
        must_have_failed(status);
        /* The requests that diagnose the failure do not complete a handshake. */
        ck_assert_int_eq(hr_traced(&hr, "web", "notifications/initialized"), 0);
    }
    down();
}
END_TEST

START_TEST(a_status_at_the_handshake_fails_the_start)
{
    refuse_at("era legacy", "initialize", statuses[_i]);
    must_have_failed(statuses[_i]);
    down();
}
END_TEST

START_TEST(a_status_at_the_list_fails_the_start)
{
    int status = statuses[_i / 2];

    refuse_at(eras[_i % 2], "list", status);
    /* After 404, the client repeats the handshake.  The host limits the repetitions. */
    if (status == 404)
        ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    else
        must_have_failed(status);
    ck_assert_int_lt(hr_traced(&hr, "web", "\"method\":\"tools/list\""), 6);
    down();
}
END_TEST

START_TEST(a_status_at_the_stream_of_the_session_does_no_harm)
{
    refuse_at("era legacy", "get", statuses[_i]);
    hr_loaded(&hr, "web");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

START_TEST(a_status_at_the_subscription_does_no_harm)
{
    refuse_at("era modern", "subscriptions/listen", statuses[_i]);
    hr_loaded(&hr, "web");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

START_TEST(a_status_at_the_end_of_a_session_does_no_harm)
{
    refuse_at("era legacy", "delete", statuses[_i]);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

START_TEST(a_status_at_a_call_fails_it_and_the_server_stays_usable)
{
    int status = statuses[_i / 2];
    mcphost_call *call;
    char number[16];

    refuse_at(eras[_i % 2], "call:add", status);
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    snprintf(number, sizeof(number), "%d", status);
    /* The error need not name 404, because in the legacy era 404 means a lost session. */
    if (status != 404) {
        test_has_all(hr_why(call), number);
        ck_assert_int_eq(mcphost_error_get_http_status(mcphost_call_get_error(call)),
                         status);
    }
    test_has_all(hr_why(call), "'web'");
    hr_end(&hr, hr_start(&hr, d, "web_echo", "{\"text\":\"again\"}"));
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* ---- silent and endless answers ---------------------------------------------------- */

static const char *const silences[] = {
    "",                                    /* no answer at all */
    " stream\n comment one",               /* a stream without an answer */
    " wire HTTP/1.1 200 OK\\r\\nContent-", /* half a response head */
    " raw data: {\"jsonrpc\"",             /* half an event */
    " id 99999\n answer",                  /* the answer to another request */
    " header Content-Type: application/json\n length 400\n raw {\"jsonrpc\"",
};

/* The call ends at its deadline at the latest, even if the server sends bytes before the
 * deadline. */
START_TEST(a_call_to_a_silent_server_ends_at_its_deadline)
{
    const char *silence = silences[_i / 2];
    mcphost_call *call;
    char script[512];
    int r;

    snprintf(script, sizeof(script), "%s\non call:add\n%s\n", eras[_i % 2], silence);
    up(script);
    hr_say(&hr, d, "web_echo", "{}");
    call = hr_call(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 400, 0, 400), 0);
    hr_go(call);
    r = hr_end(&hr, call);
    /* If the server answers another request (id 99999), the call can fail before its
     * deadline, because the response then ends without an answer to the call. */
    if (!strstr(silence, "id 9"))
        ck_assert_msg(r == MCPHOST_E_TIMEOUT, "%d: %s", r, hr_why(call));
    ck_assert_int_lt(r, 0);
    test_has_all(hr_why(call), "'web'");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

static const char *const floods[] = {
    " endless : still here\\n\\n",
    " endless data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}\\n\\n",
    " endless id: 7\\n\\n",
    " endless event: other\\ndata: x\\n\\n",
    " endless data: not json\\n\\n",
};

START_TEST(an_endless_stream_ends_with_the_deadline_in_bounded_memory)
{
    mcphost_call *call;
    char script[512];
    long peak;

    snprintf(script, sizeof(script), "%s\non call:add\n%s\n", eras[_i % 2],
             floods[_i / 2]);
    up(script);
    hr_say(&hr, d, "web_echo", "{}");
    rig_peak_reset();
    peak = rig_peak_kib();
    call = hr_call(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 500, 0, 500), 0);
    hr_go(call);
    ck_assert_str_eq(hr_say(&hr, d, "good_echo", "{\"text\":\"meanwhile\"}"),
                     "meanwhile");
    ck_assert_msg(hr_end(&hr, call) == MCPHOST_E_TIMEOUT, "%s", hr_why(call));
    ck_assert_int_lt(rig_peak_kib() - peak, 16 * 1024);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* ---- answers over the limits ------------------------------------------------------- */

static const char *const excesses[] = {
    " raw data: {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[],\"x\":\"\n"
    " fill 20M x\n raw \"}}\\n\\n\n end",
    " header Content-Type: application/json\n"
    " raw {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[],\"x\":\"\n"
    " fill 20M x\n raw \"}}\n end",
    " fill 20M x\n raw \\n\\n\n end",
    " endless data: more and more\\n",
    " endless x",
};

START_TEST(an_answer_over_the_limit_is_refused_in_bounded_memory)
{
    mcphost_call *call;
    char script[1024];
    long peak;
    int r;

    snprintf(script, sizeof(script), "%s\non call:add\n%s\n", eras[_i % 2],
             excesses[_i / 2]);
    begin(script);
    hr_option(&hr, MCPHOST_OPT_MESSAGE_BYTES, 1024 * 1024);
    hr_option(&hr, MCPHOST_OPT_SPOOL_BYTES, 0);
    load_servers();
    hr_say(&hr, d, "web_echo", "{}");
    rig_peak_reset();
    peak = rig_peak_kib();
    call = hr_call(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 3000, 0, 3000), 0);
    hr_go(call);
    r = hr_end(&hr, call);
    ck_assert_msg(r == MCPHOST_E_LIMIT || r == MCPHOST_E_TRANSPORT ||
                      r == MCPHOST_E_TIMEOUT,
                  "%d: %s", r, hr_why(call));
    test_has_all(hr_why(call), "'web'");
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * 1024);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* Writes an answer of 100 million bytes, compressed by gzip, to `path`.gz. */
static void
make_bomb(const char *path)
{
    char *argv[] = {(char *)"gzip", (char *)"-f", (char *)path, NULL};
    FILE *f = fopen(path, "we");
    int status;
    pid_t pid;

    ck_assert_ptr_nonnull(f);
    fputs("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"", f);
    for (int i = 0; i < 100 * 1000; i++)
        fprintf(f, "%01000d", 0);
    fputs("\"}}", f);
    fclose(f);
    ck_assert_int_eq(posix_spawnp(&pid, "gzip", NULL, NULL, argv, environ), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

START_TEST(a_compressed_answer_is_refused)
{
    char script[512], path[256];
    mcphost_call *call;
    long peak;

    hr_up(&hr);
    snprintf(path, sizeof(path), "%s/bomb", hr.ws.dir);
    make_bomb(path);
    snprintf(script, sizeof(script),
             "on call:add\n header Content-Encoding: gzip\n file %s.gz", path);
    hr_http(&hr, &web, "web", NULL, script);
    hr_http(&hr, &good, "good", NULL, NULL);
    hr_option(&hr, MCPHOST_OPT_MESSAGE_BYTES, 1024 * 1024);
    hr_option(&hr, MCPHOST_OPT_SPOOL_BYTES, 0);
    load_servers();
    hr_say(&hr, d, "web_echo", "{}");
    rig_peak_reset();
    peak = rig_peak_kib();
    call = hr_start(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    test_has_all(hr_why(call), "'web'|compressed body");
    ck_assert_int_lt(rig_peak_kib() - peak, 8 * 1024);
    down();
}
END_TEST

static int n_dropped;

static void
on_log(int level, const char *room, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    n_dropped +=
        strstr(text, "sends requests faster than it accepts the answers") != NULL;
}

/* R21: the host sends each answer to a ping in a POST of its own.  This server
 * responds to none of these POSTs. */
START_TEST(a_server_that_pings_without_end_gets_a_few_answers_at_a_time)
{
    int fds;

    begin("era legacy\non get\n stream\n delay 20\n"
          " lines 2000 data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\\n\n"
          "on reply\n delay 60000");
    n_dropped = 0;
    ck_assert_int_eq(mcphost_set_log(hr.host, MCPHOST_LOG_WARNING, on_log, NULL, NULL),
                     0);
    load_servers();
    hr_loaded(&hr, "web");
    fds = procrig_count_fds();
    for (int i = 0; i < 20; i++)
        ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    hr_until(&hr, n_dropped > 0);
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    ck_assert_int_le(procrig_count_fds() - fds, 8);
    ck_assert_int_eq(n_dropped, 1); /* the host logs the warning only once */
    down();
}
END_TEST

START_TEST(a_thousand_events_in_one_packet_are_all_reported)
{
    mcphost_call *call;

    up("on call:add\n stream\n delay 30\n"
       " lines 1000 data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
       "\"params\":{\"progressToken\":%t,\"progress\":1}}\\n\n answer");
    call = hr_call(&hr, d, "web_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROGRESS, NULL, NULL, -1), 1000);
    down();
}
END_TEST

/* ---- superfluous answers ----------------------------------------------------------- */

START_TEST(of_two_answers_the_first_counts)
{
    static const char *const scripts[] = {
        "era modern\non call:add\n stream\n text first\n text second",
        "era legacy\non call:add\n stream\n text first\n text second",
        "era modern\nreply sse\non call:add\n progress 1\n text first\n error -32000 "
        "second",
    };

    up(scripts[_i]);
    ck_assert_str_eq(hr_say(&hr, d, "web_add", "{}"), "first");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* The answer should come in the response to its request.  The client may accept or
 * ignore an answer on another stream.  The session must stay usable in both cases. */
START_TEST(an_answer_on_the_wrong_stream_leaves_the_session_usable)
{
    mcphost_call *call;
    int r;

    up("era legacy\non call:add\n to get\n text elsewhere\n to here\n end");
    hr_until(&hr, hr_traced(&hr, "web", "http GET") > 0);
    hr_say(&hr, d, "web_echo", "{}");
    hr_turn(&hr, 50);
    call = hr_call(&hr, d, "web_add", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, 1000, 0, 1000), 0);
    hr_go(call);
    r = hr_end(&hr, call);
    if (r == 0)
        ck_assert_str_eq(hr_text(&hr, call), "elsewhere");
    else
        test_has_all(hr_why(call), "'web'");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
    down();
}
END_TEST

/* ---- unreachable servers ----------------------------------------------------------- */

static const struct {
    const char *url, *words;
} nowhere[] = {
    {"http://127.0.0.1:1/mcp", "'web'|127.0.0.1:1|refused"},
    {"http://[::1]:1/mcp", "'web'|[::1]:1"},
    {"http://no-such-host.invalid/mcp", "'web'|no-such-host.invalid|resolve"},
    {"https://user:pw@127.0.0.1:1/mcp?key=hidden", "'web'|127.0.0.1:1"},
};

/* R20 */
START_TEST(the_error_of_an_unreachable_server_names_place_and_reason)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_url(&hr, "web", nowhere[_i].url, NULL);
    hr_http(&hr, &good, "good", NULL, NULL);
    load_servers();
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(hr_server_why(&hr, "web"), nowhere[_i].words);
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "pw"));
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "hidden"));
    down();
}
END_TEST

START_TEST(a_redirect_to_another_origin_is_not_followed)
{
    struct httprig other;
    char script[256];

    hr_up(&hr);
    hr_web(&hr, &other, "other", NULL);
    snprintf(script, sizeof(script),
             "on request\n status 307\n header Location: %s\n body", other.url);
    hr_http(&hr, &web, "web", "headers:\n  Authorization: Bearer hidden", script);
    hr_http(&hr, &good, "good", NULL, NULL);
    load_servers();
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(hr_server_why(&hr, "web"), "'web'|redirect");
    ck_assert_int_eq(hr_traced(&hr, "other", "connect"), 0);
    http_down(&other);
    hr.before.children--;
    hr.before.fds--;
    down();
}
END_TEST

START_TEST(a_server_that_dies_under_many_calls_fails_them_all)
{
    mcphost_call *calls[30];

    up(eras[_i]);
    hr_say(&hr, d, "web_echo", "{}");
    for (int i = 0; i < 30; i++)
        calls[i] = hr_start(&hr, d, "web_slow", "{\"ms\":60000}");
    hr_until(&hr, hr_traced(&hr, "web", "\"slow\"") >= 30);
    http_down(&web);
    hr.before.children--;
    hr.before.fds--;
    for (int i = 0; i < 30; i++) {
        ck_assert_int_lt(hr_end(&hr, calls[i]), 0);
        test_has_all(hr_why(calls[i]), "'web'");
    }
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "answers");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_broken_answer_fails_only_its_call_and_is_explained, 0,
                        N_FAULTS * 2);
    tcase_add_loop_test(
        tc, a_call_whose_connection_ends_without_an_answer_is_not_sent_again, 0, 4);
    tcase_add_loop_test(tc, of_two_answers_the_first_counts, 0, 3);
    tcase_add_test(tc, an_answer_on_the_wrong_stream_leaves_the_session_usable);

    tc = test_case(suite, "statuses");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_status_at_the_probe_fails_the_start_except_404_and_409, 0,
                        N_STATUSES);
    tcase_add_loop_test(tc, a_status_at_the_handshake_fails_the_start, 0, N_STATUSES);
    tcase_add_loop_test(tc, a_status_at_the_list_fails_the_start, 0, N_STATUSES * 2);
    tcase_add_loop_test(tc, a_status_at_the_stream_of_the_session_does_no_harm, 0,
                        N_STATUSES);
    tcase_add_loop_test(tc, a_status_at_the_subscription_does_no_harm, 0, N_STATUSES);
    tcase_add_loop_test(tc, a_status_at_the_end_of_a_session_does_no_harm, 0, N_STATUSES);
    tcase_add_loop_test(tc, a_status_at_a_call_fails_it_and_the_server_stays_usable, 0,
                        N_STATUSES * 2);

    tc = test_case(suite, "silence");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_call_to_a_silent_server_ends_at_its_deadline, 0,
                        2 * (int)(sizeof(silences) / sizeof(silences[0])));
    tcase_add_loop_test(tc, an_endless_stream_ends_with_the_deadline_in_bounded_memory, 0,
                        2 * (int)(sizeof(floods) / sizeof(floods[0])));

    tc = test_case(suite, "excess");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, an_answer_over_the_limit_is_refused_in_bounded_memory, 0,
                        2 * (int)(sizeof(excesses) / sizeof(excesses[0])));
    tcase_add_test(tc, a_compressed_answer_is_refused);
    tcase_add_test(tc, a_server_that_pings_without_end_gets_a_few_answers_at_a_time);
    tcase_add_test(tc, a_thousand_events_in_one_packet_are_all_reported);

    tc = test_case(suite, "nobody");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, the_error_of_an_unreachable_server_names_place_and_reason, 0,
                        (int)(sizeof(nowhere) / sizeof(nowhere[0])));
    tcase_add_test(tc, a_redirect_to_another_origin_is_not_followed);
    tcase_add_loop_test(tc, a_server_that_dies_under_many_calls_fails_them_all, 0, 2);
}

int
main(void)
{
    return test_main("http-faults", add);
}
