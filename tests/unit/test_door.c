/* SPDX-License-Identifier: MIT
 *
 * test_door.c - the door for the redirect of a browser: requests that are accepted and
 * refused, slow and hostile clients, limits, and the closing of a door.
 *
 * The clients are sockets of the test.  The clock moves only if the test moves it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/inner.h"
#include "support/heap.h"
#include "support/rig.h"
#include "support/runner.h"

static struct mcph_core *core;
static struct mcph_door *door;
static struct rig_census census;
static int64_t now_ms;
static unsigned port;

/* The state of the door's owner: the events that the owner got, and its settings. */
static struct {
    int requests, answered;
    char query[512];
    enum mcph_door_verdict verdict;
    bool close_on_request, close_on_answered;
} owner;

static int64_t
tell_time(void *arg)
{
    (void)arg;
    return now_ms;
}

static enum mcph_door_verdict
on_request(struct mcph_door *from, const char *query, void *arg)
{
    ck_assert_ptr_eq(from, door);
    ck_assert_ptr_eq(arg, &owner);
    owner.requests++;
    snprintf(owner.query, sizeof(owner.query), "%s", query);
    if (owner.close_on_request)
        door = mcph_door_close(door);
    return owner.verdict;
}

static void
on_answered(struct mcph_door *from, void *arg)
{
    ck_assert_ptr_eq(from, door);
    ck_assert_ptr_eq(arg, &owner);
    owner.answered++;
    if (owner.close_on_answered)
        door = mcph_door_close(door);
}

static const struct mcph_door_events events = {on_request, on_answered};

static struct mcph_door_spec
spec(void)
{
    return (struct mcph_door_spec){.path = "/callback",
                                   .done = "All <is> done & well.",
                                   .failed = "It failed.",
                                   .events = &events,
                                   .arg = &owner};
}

static void
up(void)
{
    struct mcph_door_spec s = spec();

    census = rig_census_take();
    memset(&owner, 0, sizeof(owner));
    owner.verdict = MCPH_DOOR_DONE;
    now_ms = 1000;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, tell_time, NULL);
    ck_assert_int_eq(mcph_door_open(core, &s, &door, NULL), 0);
    port = door->port;
}

static void
down(void)
{
    door = mcph_door_close(door);
    core = mcph_core_unref(core);
    rig_census_check(&census, 0);
}

/* ---- clients ----------------------------------------------------------------------- */

static void
turn(void)
{
    struct pollfd p = {.fd = mcph_core_get_fd(core), .events = POLLIN};

    (void)poll(&p, 1, 5);
    (void)mcph_core_dispatch(core);
}

static void
turns(int n)
{
    while (n-- > 0)
        turn();
}

static void
pass_ms(int64_t ms)
{
    now_ms += ms;
    turns(2);
}

static int
dial(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert(connect(fd, (struct sockaddr *)&in, sizeof(in)) == 0 ||
              errno == EINPROGRESS);
    return fd;
}

static int
dial_v6(void)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert(connect(fd, (struct sockaddr *)&in6, sizeof(in6)) == 0 ||
              errno == EINPROGRESS);
    return fd;
}

static void
say(int fd, const char *text, size_t len)
{
    for (int i = 0; len > 0 && i < 10000; i++) {
        ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

        ck_assert(n > 0 || errno == EAGAIN);
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
        turn();
    }
    ck_assert_uint_eq(len, 0);
}

static char reply[16384];

/* Reads the answer until the door closes the connection.  Closes the client's socket. */
static const char *
hear(int fd)
{
    size_t len = 0;

    for (int i = 0; i < 1000; i++) {
        ssize_t n;

        turn();
        n = recv(fd, reply + len, sizeof(reply) - 1 - len, 0);
        if (n == 0)
            break;
        ck_assert_msg(n > 0 || errno == EAGAIN, "recv: %s", strerror(errno));
        len += n > 0 ? (size_t)n : 0;
        ck_assert_int_lt(i, 999);
    }
    reply[len] = '\0';
    close(fd);
    turns(2);
    return reply;
}

static int
status_of(const char *text)
{
    int status = 0;

    ck_assert_msg(!*text || sscanf(text, "HTTP/1.1 %d ", &status) == 1, "%s", text);
    return status;
}

/* Sends a request and returns the status of the answer, or 0 for no answer.  "PORT" in
 * `request` becomes the port. */
static int
ask(const char *request)
{
    const char *mark = strstr(request, "PORT");
    char text[1024];
    int fd = dial();

    if (mark)
        snprintf(text, sizeof(text), "%.*s%u%s", (int)(mark - request), request, port,
                 mark + 4);
    else
        snprintf(text, sizeof(text), "%s", request);
    say(fd, text, strlen(text));
    return status_of(hear(fd));
}

/* Sends a GET request for `target`, a path with or without a query. */
static void
say_get(int fd, const char *target)
{
    char text[256];

    snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", target,
             port);
    say(fd, text, strlen(text));
}

#define TO(host) " HTTP/1.1\r\nHost: " host "\r\n"
#define HERE     TO("127.0.0.1:PORT")
#define GOOD     "GET /callback?code=c&state=s%20t HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"

/* ---- the redirect ------------------------------------------------------------------ */

START_TEST(the_url_names_the_loopback_address_the_port_and_the_path)
{
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u/callback", port);
    ck_assert_str_eq(mcph_door_get_url(door), url);
    ck_assert_uint_gt(port, 0);
}
END_TEST

START_TEST(a_redirect_is_reported_and_answered_by_a_page_that_runs_nothing)
{
    ck_assert_int_eq(ask(GOOD), 200);
    ck_assert_int_eq(owner.requests, 1);
    ck_assert_int_eq(owner.answered, 1);
    ck_assert_str_eq(owner.query, "code=c&state=s%20t");
    test_has_all(reply, "Content-Type: text/html; charset=utf-8\r\n"
                        "|Cache-Control: no-store\r\n"
                        "|Content-Security-Policy: default-src 'none'; "
                        "|frame-ancestors 'none'\r\n"
                        "|Referrer-Policy: no-referrer\r\n"
                        "|X-Content-Type-Options: nosniff\r\n"
                        "|Connection: close\r\n"
                        "|<p>All &lt;is> done &amp; well.</p>");
    test_has_not(reply, "<script");
    test_has_not(reply, "code=c");
}
END_TEST

START_TEST(the_length_of_the_page_is_its_content_length)
{
    const char *field, *body;

    ck_assert_int_eq(ask(GOOD), 200);
    field = strstr(reply, "Content-Length: ");
    body = strstr(reply, "\r\n\r\n");
    ck_assert(field && body);
    ck_assert_int_eq(strtol(field + 16, NULL, 10), (long)strlen(body + 4));
}
END_TEST

START_TEST(after_the_verdict_done_or_failed_another_redirect_gets_410)
{
    owner.verdict = _i ? MCPH_DOOR_FAILED : MCPH_DOOR_DONE;
    ck_assert_int_eq(ask(GOOD), _i ? 400 : 200);
    test_has(reply, _i ? "It failed." : "done");
    ck_assert_int_eq(owner.answered, 1);
    ck_assert_int_eq(ask(GOOD), 410);
    ck_assert_int_eq(owner.requests, 1);
    ck_assert_int_eq(owner.answered, 1);
}
END_TEST

START_TEST(after_a_redirect_that_was_refused_the_door_waits_on)
{
    owner.verdict = MCPH_DOOR_REFUSED;
    ck_assert_int_eq(ask(GOOD), 403);
    test_has_not(reply, "failed");
    ck_assert_int_eq(owner.answered, 0);
    owner.verdict = MCPH_DOOR_DONE;
    ck_assert_int_eq(ask(GOOD), 200);
    ck_assert_int_eq(owner.requests, 2);
}
END_TEST

static const char *const accepted[] = {
    GOOD,
    "GET /callback?code=c&state=s%20t HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    "GET /callback?code=c&state=s%20t HTTP/1.1\r\nhost:LocalHost:PORT\t \r\n\r\n",
    "GET /callback?code=c&state=s%20t HTTP/1.1\r\nHost: [::1]:PORT\r\n\r\n",
    "GET /callback?code=c&state=s%20t HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
    "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-User: ?1\r\n"
    "Sec-Fetch-Dest: document\r\nReferer: https://issuer.example/\r\n\r\n",
};

START_TEST(requests_of_browsers_are_accepted)
{
    ck_assert_int_eq(ask(accepted[_i]), 200);
    ck_assert_str_eq(owner.query, "code=c&state=s%20t");
}
END_TEST

START_TEST(a_redirect_without_a_query_has_an_empty_query)
{
    ck_assert_int_eq(ask("GET /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"), 200);
    ck_assert_str_eq(owner.query, "");
    ck_assert_int_eq(owner.requests, 1);
}
END_TEST

START_TEST(a_request_in_pieces_is_one_request)
{
    char text[256];
    int fd = dial();

    snprintf(text, sizeof(text), "GET /callback?a HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
             port);
    for (size_t i = 0; text[i]; i++) {
        ck_assert_int_eq(owner.requests, 0);
        say(fd, text + i, 1);
    }
    ck_assert_int_eq(status_of(hear(fd)), 200);
    ck_assert_int_eq(owner.requests, 1);
}
END_TEST

START_TEST(the_door_listens_on_the_other_loopback_address_too)
{
    char text[256];
    int fd;

    if (door->listeners[1].source.fd < 0)
        return; /* this machine has no ::1 */
    fd = dial_v6();
    snprintf(text, sizeof(text), "GET /callback?a HTTP/1.1\r\nHost: [::1]:%u\r\n\r\n",
             port);
    say(fd, text, strlen(text));
    ck_assert_int_eq(status_of(hear(fd)), 200);
}
END_TEST

/* The first client disconnects before the head of its request is complete.  The second
 * client stays connected. */
START_TEST(no_copy_of_a_query_stays_in_memory)
{
    static const char part[] = "GET /callback?code=this-code-must-not-stay";
    int fd = dial();

    say(fd, part, sizeof(part) - 1);
    close(fd);
    turns(3);
    ck_assert_int_eq(heap_count("this-code-must-not"), 0);
    fd = dial();
    say_get(fd, part + strlen("GET "));
    turns(3);
    test_has(owner.query, "this-code-must-not-stay");
    ck_assert_uint_eq(door->n_guests, 1);
    ck_assert_int_eq(heap_count("this-code-must-not"), 0);
    close(fd);
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------- */

#define CALL(...) "GET /callback?code=c" HERE __VA_ARGS__ "\r\n"

static const struct {
    const char *request;
    int status;
} refused[] = {
    /* other paths and methods */
    {"GET /" HERE "\r\n", 404},
    {"GET /favicon.ico" HERE "Sec-Fetch-Mode: no-cors\r\n\r\n", 404},
    {"GET /callback/?code=c" HERE "\r\n", 404},
    {"GET /Callback" HERE "\r\n", 404},
    {"GET /%63allback" HERE "\r\n", 404},
    {"POST /callback?code=c" HERE "Content-Length: 0\r\n\r\n", 405},
    {"OPTIONS /callback" HERE "Origin: https://evil.example\r\n\r\n", 405},
    {"get /callback" HERE "\r\n", 405},
    /* other hosts */
    {"GET /callback" TO("evil.example:PORT") "\r\n", 403},
    {"GET /callback" TO("127.0.0.1") "\r\n", 403},
    {"GET /callback" TO("127.0.0.1:1") "\r\n", 403},
    {"GET /callback" TO("127.0.0.1:PORT0") "\r\n", 403},
    {"GET /callback" TO("127.0.0.1:0PORT") "\r\n", 403},
    {"GET /callback" TO("127.0.0.1.evil.example:PORT") "\r\n", 403},
    {"GET /callback" TO("user@127.0.0.1:PORT") "\r\n", 403},
    {"GET /callback" TO("") "\r\n", 403},
    {"GET /callback HTTP/1.1\r\n\r\n", 400},
    {"GET /callback HTTP/1.0\r\n\r\n", 400},
    {CALL("Host: 127.0.0.1\r\n"), 400},
    /* pages that send requests by themselves */
    {CALL("Origin: https://evil.example\r\n"), 403},
    {CALL("Origin: null\r\n"), 403},
    {CALL("origin:\r\n"), 403},
    {CALL("Sec-Fetch-Mode: no-cors\r\n"), 403},
    {CALL("Sec-Fetch-Mode: cors\r\n"), 403},
    {CALL("Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"), 403},
    {CALL("Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Mode: navigate\r\n"), 403},
    /* garbage; 0 means that the connection ends, because no method begins this way */
    {"\r\n\r\n", 0},
    {"garbage\r\n\r\n", 0},
    {" GET /callback" HERE "\r\n", 0},
    {"\x16\x03\x01\r\n\r\n", 0},
    {"\xc3\xa9 /callback" HERE "\r\n", 0},
    {"GET\t/callback" HERE "\r\n", 0},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG /callback" HERE "\r\n", 0},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF /callback" HERE "\r\n", 405},
    {"GET  /callback" HERE "\r\n", 400},
    {"GET callback" HERE "\r\n", 400},
    {"GET *" HERE "\r\n", 400},
    {"GET http://127.0.0.1/callback" HERE "\r\n", 400},
    {"GET /callback#f" HERE "\r\n", 400},
    {"GET /callback?\x01" HERE "\r\n", 400},
    {"GET /callback?\xc3\xa9" HERE "\r\n", 400},
    {"G(T /callback" HERE "\r\n", 0},
    {"GET /callback\r\nHost: 127.0.0.1:PORT\r\n\r\n", 400},
    {"GET /callback HTTP/2.0\r\nHost: 127.0.0.1:PORT\r\n\r\n", 505},
    {"GET /callback HTTP/1.1 \r\nHost: 127.0.0.1:PORT\r\n\r\n", 505},
    {"GET /callback HTTQ/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 400},
    {CALL("no colon\r\n"), 400},
    {CALL(": no name\r\n"), 400},
    {CALL("Name : blank\r\n"), 400},
    {CALL(" folded: line\r\n"), 400},
    {CALL("X: a\nb\r\n"), 400},
    {CALL("X: a\rb\r\n"), 400},
    {CALL("X: \x7f\r\n"), 400},
    {CALL("X: \x1b[2J\r\n"), 400},
};

START_TEST(other_requests_are_refused_and_not_reported)
{
    ck_assert_int_eq(ask(refused[_i].request), refused[_i].status);
    ck_assert_int_eq(owner.requests, 0);
    test_has_not(reply, "evil");
    ck_assert_int_eq(ask(GOOD), 200);
}
END_TEST

/* 0x16 begins a connection with TLS. */
START_TEST(a_connection_that_begins_no_method_is_closed_at_once)
{
    static const char *const beginnings[] = {"\x16", " ", "\r", "GET\r", "{"};
    char c;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(beginnings); i++) {
        int fd = dial();

        say(fd, beginnings[i], strlen(beginnings[i]));
        turns(3);
        ck_assert_uint_eq(door->n_guests, 0);
        ck_assert_int_eq((int)recv(fd, &c, 1, 0), 0);
        close(fd);
    }
}
END_TEST

START_TEST(the_refusal_of_a_method_lists_the_allowed_methods)
{
    ck_assert_int_eq(ask("PUT /callback" HERE "\r\n"), 405);
    test_has(reply, "\r\nAllow: GET, HEAD\r\n");
}
END_TEST

START_TEST(a_head_request_has_no_effect_and_no_page)
{
    ck_assert_int_eq(ask("HEAD /callback?code=c" HERE "\r\n"), 200);
    ck_assert_int_eq(owner.requests, 0);
    ck_assert_str_eq(strstr(reply, "\r\n\r\n"), "\r\n\r\n");
    ck_assert_int_eq(ask(GOOD), 200);
    ck_assert_int_eq(ask("HEAD /callback" HERE "\r\n"), 410);
}
END_TEST

START_TEST(a_nul_in_the_head_is_refused)
{
    static const char text[] = "GET /callback\0 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fd = dial();

    say(fd, text, sizeof(text) - 1);
    ck_assert_int_eq(status_of(hear(fd)), 400);
}
END_TEST

/* Sends a head of `len` bytes and returns the status. */
static int
ask_long(size_t len)
{
    static char text[2 * MCPH_DOOR_HEAD_MAX];
    int n = snprintf(text, sizeof(text),
                     "GET /callback HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nX: ", port);
    int fd = dial();

    memset(text + n, 'x', len - (size_t)n);
    memcpy(text + len - 4, "\r\n\r\n", 4);
    say(fd, text, len);
    return status_of(hear(fd));
}

/* A head may be long, because a browser sends the cookies of every server of this
 * machine. */
START_TEST(a_head_above_the_limit_is_refused)
{
    ck_assert_int_eq(ask_long(MCPH_DOOR_HEAD_MAX + 1), 431);
    ck_assert_int_eq(owner.requests, 0);
    ck_assert_int_eq(ask_long(32 * 1024), 200);
}
END_TEST

START_TEST(a_client_that_sends_much_more_still_gets_its_answer)
{
    static char body[1 << 20];
    char text[256];
    int fd = dial();

    snprintf(
        text, sizeof(text),
        "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Length: %zu\r\n\r\n",
        port, sizeof(body));
    say(fd, text, strlen(text));
    say(fd, body, sizeof(body));
    ck_assert_int_eq(status_of(hear(fd)), 405);
}
END_TEST

START_TEST(paths_and_texts_have_a_form_and_limits)
{
    static char text[MCPH_DOOR_TEXT_MAX + 2], path[MCPH_DOOR_PATH_MAX + 2] = "/";
    static const char *const paths[] = {"",     "callback", "/a?b",      "/a#b",
                                        "/%61", "/a b",     "/\xc3\xa9", path};
    struct mcph_door_spec s = spec();
    struct mcph_door *none = NULL;
    mcphost_error *err = NULL;

    memset(text, 'x', sizeof(text) - 1);
    memset(path + 1, 'x', sizeof(path) - 2);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(paths); i++) {
        s.path = paths[i];
        ck_assert_int_eq(mcph_door_open(core, &s, &none, NULL), MCPHOST_E_INVALID);
    }
    s = spec();
    s.failed = text;
    ck_assert_int_eq(mcph_door_open(core, &s, &none, NULL), MCPHOST_E_INVALID);
    s = spec();
    s.done = "\xff";
    ck_assert_int_eq(mcph_door_open(core, &s, &none, &err), MCPHOST_E_INVALID);
    ck_assert_ptr_null(none);
    test_has(mcphost_error_get_message(err), "texts for the browser");
    mcphost_error_unref(err);
}
END_TEST

/* ---- slow and many clients --------------------------------------------------------- */

START_TEST(a_slow_client_delays_no_other_and_is_closed_after_five_seconds)
{
    int slow = dial();
    char c;

    say(slow, "GET /", 5);
    for (int i = 0; i < 49; i++) {
        ck_assert_int_eq(send(slow, "x", 1, MSG_NOSIGNAL), 1);
        pass_ms(100);
        if (i % 12 == 0)
            ck_assert_int_eq(ask("GET /" HERE "\r\n"), 404);
        ck_assert_uint_eq(door->n_guests, 1);
    }
    ck_assert_int_lt((int)recv(slow, &c, 1, 0), 0);
    ck_assert_int_eq(errno, EAGAIN);
    pass_ms(100);
    ck_assert_uint_eq(door->n_guests, 0);
    ck_assert_int_eq((int)recv(slow, &c, 1, 0), 0);
    close(slow);
}
END_TEST

START_TEST(a_client_that_stays_after_its_answer_is_closed_after_five_seconds)
{
    int fd = dial();

    say_get(fd, "/callback");
    turns(5);
    ck_assert_int_eq(owner.requests, 1);
    ck_assert_int_eq(owner.answered, 0);
    ck_assert_uint_eq(door->n_guests, 1);
    pass_ms(MCPH_DOOR_GUEST_MS);
    ck_assert_uint_eq(door->n_guests, 0);
    ck_assert_int_eq(owner.answered, 1);
    close(fd);
}
END_TEST

START_TEST(a_client_that_never_reads_is_closed_after_five_seconds)
{
    int small = 1, fd = dial();

    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    say_get(fd, "/");
    turns(5);
    pass_ms(MCPH_DOOR_GUEST_MS);
    ck_assert_uint_eq(door->n_guests, 0);
    close(fd);
}
END_TEST

#define MANY 1000

START_TEST(a_thousand_connections_use_few_descriptors_and_the_door_recovers)
{
    struct rlimit limit;
    static int fds[MANY];
    int before;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_gt(limit.rlim_cur, MANY + 100);
    before = rig_census_take().fds;
    for (int i = 0; i < MANY; i++)
        fds[i] = dial();
    turns(50);
    ck_assert_uint_eq(door->n_guests, MCPH_DOOR_GUESTS_MAX);
    ck_assert_int_eq(rig_census_take().fds, before + MANY + MCPH_DOOR_GUESTS_MAX);
    pass_ms(MCPH_DOOR_GUEST_MS);
    turns(5);
    ck_assert_uint_eq(door->n_guests, MCPH_DOOR_GUESTS_MAX);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    turns(50);
    ck_assert_uint_eq(door->n_guests, 0);
    ck_assert_int_eq(ask(GOOD), 200);
}
END_TEST

START_TEST(a_new_client_takes_the_place_of_the_oldest_client_without_a_head)
{
    int fds[MCPH_DOOR_GUESTS_MAX], answered;
    char c;

    /* The oldest client is being answered, and the others have sent a part of a head. */
    answered = dial();
    say_get(answered, "/");
    turns(3);
    for (int i = 1; i < MCPH_DOOR_GUESTS_MAX; i++) {
        fds[i] = dial();
        say(fds[i], "GET /callback?", 14);
    }
    turns(3);
    ck_assert_uint_eq(door->n_guests, MCPH_DOOR_GUESTS_MAX);
    ck_assert_int_eq(ask(GOOD), 200);
    ck_assert_int_eq(owner.requests, 1);
    ck_assert_int_eq((int)recv(fds[1], &c, 1, 0), 0);
    for (int i = 2; i < MCPH_DOOR_GUESTS_MAX; i++) {
        ck_assert_int_lt((int)recv(fds[i], &c, 1, 0), 0);
        ck_assert_int_eq(errno, EAGAIN);
        close(fds[i]);
    }
    close(fds[1]);
    ck_assert_int_eq(status_of(hear(answered)), 404);
}
END_TEST

START_TEST(if_all_clients_are_being_answered_the_next_client_waits)
{
    int fds[MCPH_DOOR_GUESTS_MAX], next;
    char c;

    for (int i = 0; i < MCPH_DOOR_GUESTS_MAX; i++) {
        fds[i] = dial();
        say_get(fds[i], "/");
    }
    turns(3);
    next = dial();
    say_get(next, "/");
    turns(3);
    ck_assert_uint_eq(door->n_guests, MCPH_DOOR_GUESTS_MAX);
    ck_assert_int_lt((int)recv(next, &c, 1, 0), 0);
    ck_assert_int_eq(status_of(hear(fds[0])), 404);
    ck_assert_int_eq(status_of(hear(next)), 404);
    for (int i = 1; i < MCPH_DOOR_GUESTS_MAX; i++)
        close(fds[i]);
    turns(3);
}
END_TEST

START_TEST(without_a_descriptor_the_door_pauses_and_then_goes_on)
{
    struct rlimit old, low;
    int fd = dial(), next = fcntl(0, F_DUPFD_CLOEXEC, 3), n;

    ck_assert_int_ge(next, 0);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = (rlim_t)next;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    turns(5);
    n = mcph_core_dispatch(core);
    setrlimit(RLIMIT_NOFILE, &old);
    ck_assert_int_eq(n, 0);
    ck_assert_uint_eq(door->n_guests, 0);
    ck_assert_uint_eq(door->listeners[0].source.events, 0);
    pass_ms(100);
    ck_assert_uint_eq(door->listeners[0].source.events, EPOLLIN);
    ck_assert_int_eq(ask(GOOD), 200);
    close(fd);
    turns(2);
}
END_TEST

/* ---- descriptors and the end ------------------------------------------------------- */

/* Calls `check` for each network socket but `own`.  Returns the number of sockets. */
static int
each_socket(int own, void (*check)(int fd))
{
    int last = fcntl(0, F_DUPFD_CLOEXEC, 3), n = 0;

    for (int i = 3; i < last + 64; i++) {
        struct sockaddr_storage name;
        socklen_t len = sizeof(name);

        if (i == own || getsockname(i, (struct sockaddr *)&name, &len) < 0 ||
            name.ss_family == AF_UNIX)
            continue;
        n++;
        if (check)
            check(i);
    }
    close(last);
    return n;
}

static void
check_flags(int fd)
{
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ck_assert_int_ne(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
}

START_TEST(every_socket_is_close_on_exec_and_does_not_block)
{
    int fd = dial();

    turns(3);
    ck_assert_uint_eq(door->n_guests, 1);
    ck_assert_int_eq(each_socket(fd, check_flags),
                     2 + (door->listeners[1].source.fd >= 0));
    close(fd);
}
END_TEST

START_TEST(a_forked_child_keeps_no_socket)
{
    int fd = dial(), status;
    pid_t pid;

    turns(3);
    ck_assert_uint_eq(door->n_guests, 1);
    pid = fork();
    if (pid == 0) {
        mcph_core_leave_parent(core);
        _exit(each_socket(fd, NULL));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    close(fd);
}
END_TEST

START_TEST(a_close_ends_all_connections_at_once)
{
    int fds[3];
    char c;

    for (int i = 0; i < 3; i++)
        fds[i] = dial();
    turns(3);
    ck_assert_uint_eq(door->n_guests, 3);
    door = mcph_door_close(door);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(recv(fds[i], &c, 1, 0), 0);
        close(fds[i]);
    }
    ck_assert_ptr_null(mcph_door_close(NULL));
}
END_TEST

START_TEST(the_owner_may_close_the_door_in_an_event)
{
    int idle = dial();

    turns(3);
    owner.close_on_request = _i == 0;
    owner.close_on_answered = _i == 1;
    if (_i == 0) {
        int fd = dial();

        say_get(fd, "/callback");
        ck_assert_int_eq(status_of(hear(fd)), 0);
    } else {
        ck_assert_int_eq(ask(GOOD), 200);
        ck_assert_int_eq(owner.answered, 1);
    }
    ck_assert_ptr_null(door);
    ck_assert_int_eq(owner.requests, 1);
    close(idle);
    turns(2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "redirect");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_url_names_the_loopback_address_the_port_and_the_path);
    tcase_add_test(tc, a_redirect_is_reported_and_answered_by_a_page_that_runs_nothing);
    tcase_add_test(tc, the_length_of_the_page_is_its_content_length);
    tcase_add_loop_test(tc, after_the_verdict_done_or_failed_another_redirect_gets_410, 0,
                        2);
    tcase_add_test(tc, after_a_redirect_that_was_refused_the_door_waits_on);
    tcase_add_loop_test(tc, requests_of_browsers_are_accepted, 0,
                        (int)MCPH_ARRAY_SIZE(accepted));
    tcase_add_test(tc, a_redirect_without_a_query_has_an_empty_query);
    tcase_add_test(tc, a_request_in_pieces_is_one_request);
    tcase_add_test(tc, the_door_listens_on_the_other_loopback_address_too);
    tcase_add_test(tc, no_copy_of_a_query_stays_in_memory);

    tc = test_case(suite, "refusals");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, other_requests_are_refused_and_not_reported, 0,
                        (int)MCPH_ARRAY_SIZE(refused));
    tcase_add_test(tc, a_connection_that_begins_no_method_is_closed_at_once);
    tcase_add_test(tc, the_refusal_of_a_method_lists_the_allowed_methods);
    tcase_add_test(tc, a_head_request_has_no_effect_and_no_page);
    tcase_add_test(tc, a_nul_in_the_head_is_refused);
    tcase_add_test(tc, a_head_above_the_limit_is_refused);
    tcase_add_test(tc, a_client_that_sends_much_more_still_gets_its_answer);
    tcase_add_test(tc, paths_and_texts_have_a_form_and_limits);

    tc = test_case(suite, "clients");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_slow_client_delays_no_other_and_is_closed_after_five_seconds);
    tcase_add_test(tc, a_client_that_stays_after_its_answer_is_closed_after_five_seconds);
    tcase_add_test(tc, a_client_that_never_reads_is_closed_after_five_seconds);
    tcase_add_test(tc, a_thousand_connections_use_few_descriptors_and_the_door_recovers);
    tcase_add_test(tc, a_new_client_takes_the_place_of_the_oldest_client_without_a_head);
    tcase_add_test(tc, if_all_clients_are_being_answered_the_next_client_waits);
    tcase_add_test(tc, without_a_descriptor_the_door_pauses_and_then_goes_on);
    tcase_set_timeout(tc, 20);

    tc = test_case(suite, "end");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, every_socket_is_close_on_exec_and_does_not_block);
    tcase_add_test(tc, a_forked_child_keeps_no_socket);
    tcase_add_test(tc, a_close_ends_all_connections_at_once);
    tcase_add_loop_test(tc, the_owner_may_close_the_door_in_an_event, 0, 2);
}

int
main(void)
{
    return test_main("door", add);
}
