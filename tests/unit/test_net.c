/* SPDX-License-Identifier: MIT
 *
 * test_net.c - the engine for HTTP requests in the loop: answers, deadlines, limits,
 * redirects, cancels, and the messages of failures.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/net.h"
#include "support/canned.h"
#include "support/procrig.h"
#include "support/rig.h"
#include "support/runner.h"

static struct mcph_core *core;
static struct mcph_net *net;
static struct mcph_net_site site;
static struct canned *can;

/* The events of one request. */
struct fate {
    struct mcph_net_request *req;
    char body[65536], type[128];
    size_t len, total; /* `len`: bytes in `body`; `total`: bytes of all body events */
    int status, code, heads, bodies, dones;
    char *why;
    bool cancel_on_head, cancel_on_body;
    sigset_t mask; /* the signal mask in on_body() */
};

static struct fate fate;
static bool heads_spend; /* a head spends the budget of its turn, so the body waits */

static void
on_head(struct mcph_net_request *req, void *arg)
{
    struct fate *f = arg;
    const char *type = mcph_net_get_header(req, "content-type", 0);

    ck_assert_int_eq(f->dones, 0);
    f->heads++;
    f->status = mcph_net_get_status(req);
    snprintf(f->type, sizeof(f->type), "%s", type ? type : "");
    if (f->cancel_on_head)
        f->req = mcph_net_cancel(req);
    if (heads_spend)
        mcph_net_spend(net, MCPH_TURN_BYTES);
}

static void
on_body(struct mcph_net_request *req, const char *data, size_t len, void *arg)
{
    struct fate *f = arg;

    ck_assert_int_eq(f->heads, 1);
    ck_assert(!f->cancel_on_head);
    f->bodies++;
    pthread_sigmask(SIG_SETMASK, NULL, &f->mask);
    f->total += len;
    if (len > sizeof(f->body) - 1 - f->len)
        len = sizeof(f->body) - 1 - f->len;
    memcpy(f->body + f->len, data, len);
    f->len += len;
    if (f->cancel_on_body)
        f->req = mcph_net_cancel(req);
}

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct fate *f = arg;

    ck_assert_ptr_eq(req, f->req);
    f->dones++;
    f->req = NULL;
    f->code = error ? mcphost_error_get_code(error) : 0;
    f->why = mcph_strdup(error ? mcphost_error_get_message(error) : "");
}

static const struct mcph_net_events events = {
    .head = on_head, .body = on_body, .done = on_done};

static void
up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_net_new(core, &net, NULL), 0);
    site = (struct mcph_net_site){0};
    fate = (struct fate){0};
    can = NULL;
}

static void
down(void)
{
    net = mcph_net_free(net);
    core = mcph_core_unref(core);
    canned_down(can);
    free(fate.why);
}

#define CAN(...)                                                 \
    static const struct canned_answer answers[] = {__VA_ARGS__}; \
    can = canned_up(answers, MCPH_ARRAY_SIZE(answers))

static struct mcph_net_spec
get(const char *url)
{
    return (struct mcph_net_spec){
        .site = &site, .method = "GET", .url = url, .events = &events, .arg = &fate};
}

static void
start(struct mcph_net_spec spec)
{
    ck_assert_int_eq(mcph_net_start(net, &spec, &fate.req, NULL), 0);
}

static void
await(void)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    while (!fate.dones && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 100);
    ck_assert_int_eq(fate.dones, 1);
}

static void
run_loop_for(int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 5);
}

static void
fetch(struct mcph_net_spec spec)
{
    free(fate.why);
    fate = (struct fate){0};
    start(spec);
    await();
}

#define OK(headers, body) "HTTP/1.1 200 OK\r\n" headers "\r\n" body

/* ---- answers ----------------------------------------------------------------------- */

START_TEST(the_head_of_an_answer_is_delivered_before_its_body)
{
    CAN({OK("Content-Type: text/plain\r\nContent-Length: 5\r\n", "hello"), 0, 0, 0});
    fetch(get(canned_url(can, "/x?y=z")));
    ck_assert_int_eq(fate.code, 0);
    ck_assert_int_eq(fate.status, 200);
    ck_assert_str_eq(fate.type, "text/plain");
    ck_assert_str_eq(fate.body, "hello");
    ck_assert_ptr_eq(strstr(canned_request(can, 0), "GET /x?y=z HTTP/1.1\r\n"),
                     canned_request(can, 0));
}
END_TEST

START_TEST(an_answer_that_arrives_byte_by_byte_is_delivered_whole)
{
    CAN({OK("Content-Length: 5\r\n", "hello"), 0, 0, 1});
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, 0);
    ck_assert_str_eq(fate.body, "hello");
}
END_TEST

START_TEST(a_post_carries_headers_and_body)
{
    const struct mcph_net_header headers[] = {{"X-One", "1", 1}, {"X-None", "", 0}};
    struct mcph_net_spec spec;
    struct mcph_buf body;
    const char *sent;

    CAN({OK("Content-Length: 0\r\n", ""), 0, 0, 0});
    mcph_buf_init(&body, 100);
    mcph_buf_adds(&body, "{\"a\":1}");
    spec = get(canned_url(can, "/"));
    spec.method = "POST";
    spec.headers = headers;
    spec.n_headers = 2;
    spec.body = &body;
    fetch(spec);
    ck_assert_ptr_null(body.data);
    sent = canned_request(can, 0);
    ck_assert_ptr_nonnull(strstr(sent, "POST / HTTP/1.1\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "\r\nX-One: 1\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "\r\nX-None:\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "\r\n\r\n{\"a\":1}"));
    ck_assert_ptr_null(strcasestr(sent, "expect:"));
    ck_assert_ptr_null(strcasestr(sent, "cookie"));
}
END_TEST

/* libcurl before 8.1.1 wrote to a freed header of the previous answer (curl issue
 * 11101). */
START_TEST(an_answer_that_begins_with_a_folded_line_does_no_harm)
{
    static const char *const firsts[] = {
        OK("X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nContent-Length: 1\r\n", "a"),
        "HTTP/1.1 307 T\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"};
    const struct canned_answer both[] = {
        {firsts[_i], 0, 0, 0},
        {"HTTP/1.1 200 OK\r\n folded: bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n"
         "Content-Length: 1\r\n\r\nb",
         0, 0, 0}};

    can = canned_up(both, MCPH_ARRAY_SIZE(both));
    fetch(get(canned_url(can, "/")));
    if (_i == 0)
        fetch(get(canned_url(can, "/")));
    /* Some versions of libcurl refuse the folded line. */
    ck_assert_msg(strcmp(fate.body, "b") == 0 || fate.code < 0, "%s", fate.body);
    ck_assert_uint_eq(canned_count(can), 2);
}
END_TEST

START_TEST(a_connection_is_used_again)
{
    CAN({OK("Content-Length: 1\r\n", "a"), 0, 0, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0});
    fetch(get(canned_url(can, "/")));
    fetch(get(canned_url(can, "/")));
    ck_assert_str_eq(fate.body, "b");
    ck_assert_uint_eq(canned_connections(can), 1);
}
END_TEST

START_TEST(a_name_with_addresses_of_two_families_is_reached)
{
    char url[64];

    CAN({OK("Content-Length: 2\r\n", "ok"), 0, 0, 0});
    snprintf(url, sizeof(url), "http://localhost:%d/", canned_port(can));
    fetch(get(url));
    ck_assert_str_eq(fate.body, "ok");
}
END_TEST

/* The engine refuses a compressed body, because a few compressed bytes can expand to
 * gigabytes. */
START_TEST(compression_is_not_offered_and_a_compressed_answer_is_refused)
{
    static const char *const heads[] = {"Content-Encoding: gzip\r\n",
                                        "Content-Encoding: identity, br\r\n",
                                        "Transfer-Encoding: gzip, chunked\r\n"};
    static char text[512];
    const struct canned_answer answers[] = {{text, 0, CANNED_CLOSE, 0}};

    snprintf(text, sizeof(text), OK("%sConnection: close\r\n", "5\r\nhello\r\n0\r\n\r\n"),
             heads[_i]);
    can = canned_up(answers, 1);
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, MCPHOST_E_PROTOCOL);
    ck_assert_ptr_nonnull(strstr(fate.why, "compressed body"));
    ck_assert_int_eq(fate.bodies, 0);
    ck_assert_ptr_nonnull(
        strstr(canned_request(can, 0), "Accept-Encoding: identity\r\n"));
}
END_TEST

START_TEST(a_refusal_with_a_compressed_body_is_delivered_without_its_body)
{
    CAN({"HTTP/1.1 401 No\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", 0,
         0, 0});
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, 0);
    ck_assert_int_eq(fate.status, 401);
    ck_assert_uint_eq(fate.len, 0);
}
END_TEST

/* A large answer of one server must not delay other servers. */
START_TEST(one_turn_reads_at_most_its_budget_of_bytes)
{
    static char text[4u << 20];
    const struct canned_answer answers[] = {{text, sizeof(text), CANNED_CLOSE, 0}};
    int n = snprintf(text, sizeof(text), OK("Connection: close\r\n", ""));
    size_t before, most = 0;

    memset(text + n, 'x', sizeof(text) - (size_t)n);
    can = canned_up(answers, 1);
    start(get(canned_url(can, "/")));
    while (!fate.dones) {
        before = fate.total;
        ck_assert_int_ge(mcph_core_wait(core, 20000), 1);
        if (fate.total - before > most)
            most = fate.total - before;
    }
    ck_assert_int_eq(fate.code, 0);
    ck_assert_uint_eq(fate.total, sizeof(text) - (size_t)n);
    ck_assert_uint_le(most, MCPH_TURN_BYTES + 16384u);
}
END_TEST

/* ---- requests that fail ------------------------------------------------------------ */

START_TEST(a_refused_connection_is_reported_with_host_and_reason_but_no_secret)
{
    char url[64];

    can = canned_up(NULL, 0);
    snprintf(url, sizeof(url), "http://u:secret@127.0.0.1:%d/p?q=secret",
             canned_port(can));
    canned_down(can);
    can = NULL;
    fetch(get(url));
    ck_assert_int_eq(fate.code, MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(fate.why, "cannot connect to '127.0.0.1:"));
    ck_assert_ptr_nonnull(strstr(fate.why, "Connection refused"));
    ck_assert_ptr_null(strstr(fate.why, "secret"));
}
END_TEST

START_TEST(an_unknown_host_name_is_reported)
{
    fetch(get("http://no-such-host.invalid/"));
    ck_assert_int_eq(fate.code, MCPHOST_E_TRANSPORT);
    test_has(fate.why, "'no-such-host.invalid:80' cannot be resolved");
}
END_TEST

static const struct {
    struct canned_answer answer;
    int code;
    const char *why;
} broken[] = {
    {{NULL, 0, CANNED_CLOSE, 0}, MCPHOST_E_TRANSPORT, "without an answer"},
    {{NULL, 0, CANNED_RESET, 0}, MCPHOST_E_TRANSPORT, ""},
    {{"hello\r\n\r\n", 0, CANNED_CLOSE, 0}, MCPHOST_E_TRANSPORT, "not answer in HTTP"},
    {{OK("Content-Length: 9\r\n", "hi"), 0, CANNED_CLOSE, 0},
     MCPHOST_E_TRANSPORT,
     "in the middle of its answer"},
    {{OK("Transfer-Encoding: chunked\r\n", "zz\r\n"), 0, CANNED_CLOSE, 0},
     MCPHOST_E_TRANSPORT,
     ""},
};

START_TEST(a_broken_answer_is_an_error)
{
    can = canned_up(&broken[_i].answer, 1);
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, broken[_i].code);
    ck_assert_msg(strstr(fate.why, broken[_i].why), "%s", fate.why);
    ck_assert_ptr_nonnull(strstr(fate.why, "127.0.0.1:"));
}
END_TEST

/* Sends an HTTPS request to a server that accepts the connection, sends `piece` and then
 * sends nothing more. */
static void
fetch_by_tls(const char *piece)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), peer = -1;
    int64_t end = mcph_clock_monotonic_ms() + 20000;
    socklen_t len = sizeof(at);
    char url[64];

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, len), 0);
    ck_assert_int_eq(listen(fd, 4), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    snprintf(url, sizeof(url), "https://127.0.0.1:%d/", ntohs(at.sin_port));
    start(get(url));
    while (!fate.dones && mcph_clock_monotonic_ms() < end) {
        mcph_core_wait(core, 5);
        if (peer < 0)
            peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (peer >= 0 && *piece)
            (void)!write(peer, piece, strlen(piece));
        if (peer >= 0)
            piece = "";
    }
    ck_assert_int_eq(fate.dones, 1);
    close(peer);
    close(fd);
}

START_TEST(a_server_that_answers_tls_with_http_is_reported)
{
    fetch_by_tls("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    ck_assert_int_eq(fate.code, MCPHOST_E_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(fate.why, "cannot speak TLS with '127.0.0.1:"));
    ck_assert_ptr_nonnull(strstr(fate.why, "the other end does not speak TLS"));
}
END_TEST

START_TEST(a_tls_handshake_without_an_answer_times_out)
{
    site.connect_ms = 200;
    fetch_by_tls("");
    ck_assert_int_eq(fate.code, MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(
        strstr(fate.why, "a connection, but no TLS handshake with '127.0.0.1:"));
}
END_TEST

START_TEST(headers_beyond_the_limits_are_refused)
{
    size_t len = 600 * 1024;
    char *bytes = malloc(len + 1), *p;
    struct canned_answer answer;

    ck_assert_ptr_nonnull(bytes);
    p = bytes + snprintf(bytes, len, "HTTP/1.1 200 OK\r\n");
    while (p < bytes + len - 1000)
        p += snprintf(p, 1000, "X-Filler: %0*d\r\n", _i ? 900 : 1, 1);
    answer = (struct canned_answer){bytes, 0, CANNED_HANG, 0};
    can = canned_up(&answer, 1);
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(fate.why, _i ? "KiB of headers" : "1024 header lines"));
    ck_assert_int_eq(fate.heads, 0);
    canned_down(can);
    can = NULL;
    free(bytes);
}
END_TEST

/* If _i is 1, the body waits a turn.  libcurl does not end the transfer if the engine
 * refuses a body that waited, so the engine must end the transfer itself. */
START_TEST(a_body_over_the_limit_is_refused)
{
    struct mcph_net_spec spec;

    CAN({OK("Content-Length: 7\r\n", "abcdef"), 0, CANNED_HANG, 0},
        {OK("Content-Length: 5\r\n", "abcde"), 0, 0, 0});
    spec = get(canned_url(can, "/"));
    spec.max_body = 5;
    heads_spend = _i == 1;
    fetch(spec);
    ck_assert_int_eq(fate.code, MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(fate.why, "5 bytes"));
    fetch(spec);
    ck_assert_int_eq(fate.code, 0);
}
END_TEST

/* ---- deadlines and cancels --------------------------------------------------------- */

START_TEST(a_request_that_exceeds_its_total_time_fails_with_e_timeout)
{
    struct mcph_net_spec spec;

    CAN({OK("Content-Length: 9\r\n", "hi"), 0, CANNED_HANG, 0});
    spec = get(canned_url(can, "/"));
    spec.total_ms = 500;
    fetch(spec);
    ck_assert_int_eq(fate.code, MCPHOST_E_TIMEOUT);
    ck_assert_str_eq(fate.body, "hi");
}
END_TEST

START_TEST(a_request_whose_server_is_silent_too_long_fails_with_e_timeout)
{
    struct mcph_net_spec spec;

    CAN({OK("Content-Length: 9\r\n", "hi"), 0, CANNED_HANG, 0});
    spec = get(canned_url(can, "/"));
    spec.idle_ms = 30;
    fetch(spec);
    ck_assert_int_eq(fate.code, MCPHOST_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(fate.why, "silent for 30 ms"));
}
END_TEST

START_TEST(a_cancelled_request_has_no_more_events)
{
    CAN({OK("Content-Length: 9\r\n", "hi"), 0, CANNED_HANG, 0});
    start(get(canned_url(can, "/")));
    while (!fate.len)
        mcph_core_wait(core, 100);
    fate.req = mcph_net_cancel(fate.req);
    run_loop_for(20);
    ck_assert_int_eq(fate.dones, 0);
    ck_assert_ptr_null(mcph_net_cancel(NULL));
}
END_TEST

START_TEST(a_request_may_be_cancelled_in_its_own_event)
{
    CAN({OK("Content-Length: 5\r\n", "hello"), 0, 0, 1});
    if (_i)
        fate.cancel_on_body = true;
    else
        fate.cancel_on_head = true;
    start(get(canned_url(can, "/")));
    while (fate.req)
        mcph_core_wait(core, 100);
    run_loop_for(20);
    ck_assert_int_eq(fate.dones, 0);
    ck_assert_int_le(fate.bodies, 1);
}
END_TEST

START_TEST(freeing_the_engine_cancels_its_requests)
{
    static struct fate other;
    struct mcph_net_spec second = get("http://no-such-host.invalid/");
    struct rig_census before;

    second.arg = &other;
    down();
    before = rig_census_take();
    up();
    CAN({OK("Content-Length: 9\r\n", "hi"), 0, CANNED_HANG, 0});
    start(get(canned_url(can, "/")));
    while (!fate.len)
        mcph_core_wait(core, 100);
    ck_assert_int_eq(mcph_net_start(net, &second, &other.req, NULL), 0);
    down();
    rig_census_check(&before, 2000);
    ck_assert_int_eq(fate.dones + other.dones, 0);
    up();
}
END_TEST

/* ---- state that outlives a request ------------------------------------------------- */

static struct mcph_net_spec
post(const char *url, const struct mcph_net_header *header, struct mcph_buf *body,
     const char *text)
{
    struct mcph_net_spec spec = get(url);

    mcph_buf_init(body, 100);
    mcph_buf_adds(body, text);
    spec.method = "POST";
    spec.headers = header;
    spec.n_headers = header ? 1 : 0;
    spec.body = body;
    return spec;
}

static char first_seen[64];

static void
look_for_first(struct mcph_net_request *req, void *arg)
{
    const char *value = mcph_net_get_header(req, "X-First", 0);

    on_head(req, arg);
    snprintf(first_seen, sizeof(first_seen), "%s", value ? value : "none");
}

START_TEST(headers_and_body_of_a_request_do_not_appear_in_the_next)
{
    static const struct mcph_net_events looking = {
        .head = look_for_first, .body = on_body, .done = on_done};
    const struct mcph_net_header secret = {"X-Secret", "abc", 3},
                                 user = {"X-User", "u", 1};
    struct mcph_net_spec spec;
    struct mcph_buf body;

    CAN({OK("X-First: 1\r\nContent-Length: 1\r\n", "a"), 0, 0, 0},
        {OK("Content-Length: 2\r\n", "bc"), 0, 0, 0},
        {OK("Content-Length: 0\r\n", ""), 0, 0, 0});
    site.key = mcph_net_site_key();
    spec = post(canned_url(can, "/"), &secret, &body, "{\"first\":1}");
    spec.events = &looking;
    fetch(spec);
    ck_assert_str_eq(first_seen, "1");
    spec = post(canned_url(can, "/"), &user, &body, "{}");
    spec.events = &looking;
    fetch(spec);
    ck_assert_str_eq(fate.body, "bc");
    ck_assert_str_eq(first_seen, "none");
    ck_assert_ptr_nonnull(strstr(canned_request(can, 0), "X-Secret: abc"));
    ck_assert_ptr_null(strstr(canned_request(can, 1), "X-Secret"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\nX-User: u\r\n"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\nContent-Length: 2\r\n"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\n\r\n{}"));
    fetch(get(canned_url(can, "/"))); /* a GET after the POST */
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "GET / HTTP/1.1\r\n"));
    ck_assert_ptr_null(strstr(canned_request(can, 2), "Content-Length"));
}
END_TEST

START_TEST(each_site_is_reached_by_its_own_proxy_setting)
{
    struct mcph_net_site other = {.key = mcph_net_site_key(),
                                  .proxy = "http://127.0.0.1:1"};
    struct mcph_net_spec spec;

    CAN({OK("Content-Length: 1\r\n", "a"), 0, 0, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0});
    site.key = mcph_net_site_key();
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, 0);
    spec = get(canned_url(can, "/"));
    spec.site = &other;
    fetch(spec);
    ck_assert_int_eq(fate.code, MCPHOST_E_TRANSPORT);
    fetch(get(canned_url(can, "/")));
    ck_assert_str_eq(fate.body, "b");
    mcph_net_forget(net, site.key);
    site.proxy = "http://127.0.0.1:1"; /* no old connection bypasses this proxy */
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, MCPHOST_E_TRANSPORT);
    ck_assert_uint_eq(canned_count(can), 2);
}
END_TEST

START_TEST(after_a_redirect_the_next_request_goes_to_the_original_url)
{
    CAN({"HTTP/1.1 307 M\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 0, 0, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0},
        {OK("Content-Length: 1\r\n", "a"), 0, 0, 0});
    site.key = mcph_net_site_key();
    fetch(get(canned_url(can, "/a")));
    ck_assert_str_eq(fate.body, "b");
    fetch(get(canned_url(can, "/a")));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 2), "GET /a HTTP/1.1\r\n"));
}
END_TEST

START_TEST(the_name_and_password_of_a_url_are_sent_with_every_request)
{
    char url[96];

    CAN({OK("Content-Length: 1\r\n", "a"), 0, 0, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0});
    site.key = mcph_net_site_key();
    snprintf(url, sizeof(url), "http://me:pw@127.0.0.1:%d/a/../b", canned_port(can));
    for (size_t i = 0; i < 2; i++) {
        fetch(get(url));
        ck_assert_ptr_nonnull(
            strstr(canned_request(can, i), "\r\nAuthorization: Basic bWU6cHc=\r\n"));
        ck_assert_ptr_nonnull(strstr(canned_request(can, i), "GET /b HTTP/1.1\r\n"));
    }
}
END_TEST

START_TEST(a_user_agent_of_the_caller_replaces_ours)
{
    struct mcph_net_header agent = {"user-agent", "mine", 4};
    struct mcph_net_spec spec;

    CAN({OK("Content-Length: 1\r\n", "a"), 0, 0, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0});
    spec = get(canned_url(can, "/"));
    fetch(spec);
    ck_assert_ptr_nonnull(strstr(canned_request(can, 0), "User-Agent: libmcphost/"));
    spec.headers = &agent;
    spec.n_headers = 1;
    fetch(spec);
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "user-agent: mine"));
    ck_assert_ptr_null(strstr(canned_request(can, 1), "libmcphost"));
}
END_TEST

/* The engine must remove the closed connection from the epoll set.  Otherwise the
 * connection would wake the loop again and again. */
START_TEST(an_idle_connection_that_the_server_closes_does_not_wake_the_loop)
{
    int turns = 0;

    CAN({OK("Content-Length: 1\r\n", "a"), 0, CANNED_CLOSE, 0},
        {OK("Content-Length: 1\r\n", "b"), 0, 0, 0});
    site.key = mcph_net_site_key();
    fetch(get(canned_url(can, "/")));
    run_loop_for(30);
    while (turns < 100 && mcph_core_wait(core, 20) > 0)
        turns++;
    ck_assert_int_lt(turns, 10);
    fetch(get(canned_url(can, "/")));
    ck_assert_str_eq(fate.body, "b");
    ck_assert_uint_eq(canned_connections(can), 2);
}
END_TEST

/* ---- redirects --------------------------------------------------------------------- */

static const int followed[] = {301, 302, 307, 308};

START_TEST(a_redirect_within_the_origin_is_followed_with_method_and_body)
{
    struct mcph_net_spec spec;
    struct mcph_buf body;
    char text[128];
    struct canned_answer two[] = {{text, 0, 0, 0},
                                  {OK("Content-Length: 2\r\n", "ok"), 0, 0, 0}};

    snprintf(text, sizeof(text),
             "HTTP/1.1 %d M\r\nLocation: /b?c\r\nContent-Length: 4\r\n\r\ngone",
             followed[_i]);
    can = canned_up(two, 2);
    mcph_buf_init(&body, 100);
    mcph_buf_adds(&body, "{}");
    spec = get(canned_url(can, "/a"));
    spec.method = "POST";
    spec.body = &body;
    fetch(spec);
    ck_assert_int_eq(fate.code, 0);
    ck_assert_int_eq(fate.heads, 1);
    ck_assert_str_eq(fate.body, "ok");
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "POST /b?c HTTP/1.1\r\n"));
    ck_assert_ptr_nonnull(strstr(canned_request(can, 1), "\r\n\r\n{}"));
}
END_TEST

static const char *const elsewhere[] = {
    "https://example.invalid/x?token=secret", "http://127.0.0.1:1/x",
    "http://other@127.0.0.1:%d/", "ftp://127.0.0.1/", "//example.invalid/"};

START_TEST(a_redirect_to_another_origin_is_an_error_that_names_it)
{
    struct mcph_net_header secret = {"Authorization", "Bearer secret", 13};
    struct canned_answer answer = {0};
    struct mcph_net_spec spec;
    char place[64], text[256];

    answer.bytes = text;
    can = canned_up(&answer, 1);
    snprintf(place, sizeof(place), elsewhere[_i], canned_port(can));
    snprintf(text, sizeof(text),
             "HTTP/1.1 307 M\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", place);
    spec = get(canned_url(can, "/"));
    spec.headers = &secret;
    spec.n_headers = 1;
    fetch(spec);
    ck_assert_int_eq(fate.code, MCPHOST_E_PROTOCOL);
    ck_assert_ptr_nonnull(strstr(fate.why, "redirects to '"));
    ck_assert_ptr_nonnull(strstr(fate.why, "HTTP 307"));
    ck_assert_ptr_null(strstr(fate.why, "secret"));
    ck_assert_uint_eq(canned_count(can), 1);
}
END_TEST

static const char *const methods[] = {"GET", "POST", "DELETE"};

START_TEST(five_redirects_are_followed_with_method_and_headers)
{
    static const struct canned_answer on = {
        "HTTP/1.1 308 M\r\nLocation: /on\r\nContent-Length: 0\r\n\r\n", 0, 0, 0};
    struct canned_answer six[] = {on, on, on,
                                  on, on, {OK("Content-Length: 2\r\n", "ok"), 0, 0, 0}};
    struct mcph_net_header secret = {"Authorization", "Bearer secret", 13};
    struct mcph_net_spec spec;

    can = canned_up(six, 6);
    spec = get(canned_url(can, "/"));
    spec.method = methods[_i];
    spec.headers = &secret;
    spec.n_headers = 1;
    fetch(spec);
    ck_assert_int_eq(fate.code, 0);
    ck_assert_str_eq(fate.body, "ok");
    ck_assert_uint_eq(canned_count(can), 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_ptr_eq(strstr(canned_request(can, i), methods[_i]),
                         canned_request(can, i));
        ck_assert_ptr_nonnull(
            strstr(canned_request(can, i), "\r\nAuthorization: Bearer secret\r\n"));
    }
}
END_TEST

START_TEST(more_redirects_than_the_limit_are_an_error)
{
    static const struct canned_answer round = {
        "HTTP/1.1 307 M\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", 0, 0, 0};
    struct canned_answer many[10];

    for (int i = 0; i < 10; i++)
        many[i] = round;
    can = canned_up(many, 10);
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.code, MCPHOST_E_PROTOCOL);
    ck_assert_uint_eq(canned_count(can), 1 + MCPH_NET_REDIRECTS_MAX);
}
END_TEST

START_TEST(a_303_after_a_post_is_not_followed)
{
    struct mcph_net_spec spec;

    CAN({"HTTP/1.1 303 S\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 0, 0, 0});
    spec = get(canned_url(can, "/"));
    spec.method = "POST";
    fetch(spec);
    ck_assert_int_eq(fate.code, 0);
    ck_assert_int_eq(fate.status, 303);
}
END_TEST

/* ---- the process ------------------------------------------------------------------- */

START_TEST(a_request_does_not_change_the_signal_mask_or_the_sigpipe_action)
{
    struct sigaction pipe_before, pipe_after;
    sigset_t before, after;

    CAN({OK("Content-Length: 2\r\n", "ok"), 0, 0, 0});
    sigaction(SIGPIPE, NULL, &pipe_before);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    fetch(get(canned_url(can, "/")));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigaction(SIGPIPE, NULL, &pipe_after);
    ck_assert_ptr_eq(pipe_before.sa_handler, pipe_after.sa_handler);
    for (int s = 1; s < 32; s++)
        ck_assert_int_eq(sigismember(&before, s), sigismember(&after, s));
}
END_TEST

/* The application's signal handlers must not run inside libcurl. */
START_TEST(all_signals_are_blocked_while_libcurl_runs)
{
    CAN({OK("Content-Length: 2\r\n", "ok"), 0, 0, 0});
    fetch(get(canned_url(can, "/")));
    ck_assert_int_eq(fate.bodies, 1);
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP)
            ck_assert_msg(sigismember(&fate.mask, s), "signal %d", s);
}
END_TEST

/* An unused engine must be cheap, because every host has an engine, even if no server has
 * a URL. */
START_TEST(an_engine_opens_no_descriptor_before_its_first_request)
{
    struct mcph_net *idle;
    int before = procrig_count_fds();

    ck_assert_int_eq(mcph_net_new(core, &idle, NULL), 0);
    ck_assert_int_eq(procrig_count_fds(), before);
    ck_assert_int_eq(mcph_net_prepare(idle, NULL), 0);
    ck_assert_int_gt(procrig_count_fds(), before);
    ck_assert_int_eq(mcph_net_prepare(idle, NULL), 0);
    mcph_net_free(idle);
    ck_assert_int_eq(procrig_count_fds(), before);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "net");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, an_engine_opens_no_descriptor_before_its_first_request);
    tcase_add_test(tc, the_head_of_an_answer_is_delivered_before_its_body);
    tcase_add_test(tc, an_answer_that_arrives_byte_by_byte_is_delivered_whole);
    tcase_add_test(tc, a_post_carries_headers_and_body);
    tcase_add_loop_test(tc, an_answer_that_begins_with_a_folded_line_does_no_harm, 0, 2);
    tcase_add_test(tc, a_connection_is_used_again);
    tcase_add_test(tc, a_name_with_addresses_of_two_families_is_reached);
    tcase_add_loop_test(tc, compression_is_not_offered_and_a_compressed_answer_is_refused,
                        0, 3);
    tcase_add_test(tc, a_refusal_with_a_compressed_body_is_delivered_without_its_body);
    tcase_add_test(tc, one_turn_reads_at_most_its_budget_of_bytes);
    tcase_add_test(tc,
                   a_refused_connection_is_reported_with_host_and_reason_but_no_secret);
    tcase_add_test(tc, an_unknown_host_name_is_reported);
    tcase_add_loop_test(tc, a_broken_answer_is_an_error, 0, MCPH_ARRAY_SIZE(broken));
    tcase_add_test(tc, a_server_that_answers_tls_with_http_is_reported);
    tcase_add_test(tc, a_tls_handshake_without_an_answer_times_out);
    tcase_add_loop_test(tc, headers_beyond_the_limits_are_refused, 0, 2);
    tcase_add_loop_test(tc, a_body_over_the_limit_is_refused, 0, 2);
    tcase_add_test(tc, a_request_that_exceeds_its_total_time_fails_with_e_timeout);
    tcase_add_test(tc, a_request_whose_server_is_silent_too_long_fails_with_e_timeout);
    tcase_add_test(tc, a_cancelled_request_has_no_more_events);
    tcase_add_loop_test(tc, a_request_may_be_cancelled_in_its_own_event, 0, 2);
    tcase_add_test(tc, freeing_the_engine_cancels_its_requests);
    tcase_add_test(tc, headers_and_body_of_a_request_do_not_appear_in_the_next);
    tcase_add_test(tc, each_site_is_reached_by_its_own_proxy_setting);
    tcase_add_test(tc, after_a_redirect_the_next_request_goes_to_the_original_url);
    tcase_add_test(tc, the_name_and_password_of_a_url_are_sent_with_every_request);
    tcase_add_test(tc, a_user_agent_of_the_caller_replaces_ours);
    tcase_add_test(tc, an_idle_connection_that_the_server_closes_does_not_wake_the_loop);
    tcase_add_loop_test(tc, a_redirect_within_the_origin_is_followed_with_method_and_body,
                        0, MCPH_ARRAY_SIZE(followed));
    tcase_add_loop_test(tc, a_redirect_to_another_origin_is_an_error_that_names_it, 0,
                        MCPH_ARRAY_SIZE(elsewhere));
    tcase_add_loop_test(tc, five_redirects_are_followed_with_method_and_headers, 0,
                        MCPH_ARRAY_SIZE(methods));
    tcase_add_test(tc, more_redirects_than_the_limit_are_an_error);
    tcase_add_test(tc, a_303_after_a_post_is_not_followed);
    tcase_add_test(tc, a_request_does_not_change_the_signal_mask_or_the_sigpipe_action);
    tcase_add_test(tc, all_signals_are_blocked_while_libcurl_runs);
}

int
main(void)
{
    return test_main("net", add);
}
