/* SPDX-License-Identifier: MIT
 *
 * test_net_names.c - the engine for HTTP requests, and host names: lookups that hang,
 * names with private addresses, addresses of two families, proxies, and hosts that are
 * exempt from a proxy.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"
#include "support/canned.h"
#include "support/names.h"
#include "support/rig.h"
#include "support/runner.h"

#define OK    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define TRIES 5
#define SOON  50 /* ms that the fastest of TRIES attempts may take */
#define LATE  2000

static struct rig_census before;
static struct mcph_core *core;
static struct mcph_net *net;
static struct mcph_net_site site;
static struct canned *can;
static int dones, code, status;
static char why[512], url[128];

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    (void)arg;
    dones++;
    code = error ? mcphost_error_get_code(error) : 0;
    status = error ? 0 : mcph_net_get_status(req);
    snprintf(why, sizeof(why), "%s", error ? mcphost_error_get_message(error) : "");
}

static const struct mcph_net_events events = {.done = on_done};

static void
up(void)
{
    static const struct canned_answer answers[] = {
        {OK, 0, 0, 0}, {OK, 0, 0, 0}, {OK, 0, 0, 0}};

    before = rig_census_take();
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_net_new(core, &net, NULL), 0);
    can = canned_up(answers, MCPH_ARRAY_SIZE(answers));
    site = (struct mcph_net_site){.proxy = "", .no_proxy = ""};
    dones = 0;
}

static void
down(void)
{
    net = mcph_net_free(net);
    core = mcph_core_unref(core);
    canned_down(can);
    names_done();
    rig_census_check(&before, 5000);
}

static const char *
url_of(const char *name)
{
    snprintf(url, sizeof(url), "http://%s:%d/", name, canned_port(can));
    return url;
}

static struct mcph_net_request *
start(const char *to)
{
    struct mcph_net_spec spec = {
        .site = &site, .method = "GET", .url = to, .events = &events};
    struct mcph_net_request *req = NULL;

    dones = 0;
    ck_assert_int_eq(mcph_net_start(net, &spec, &req, NULL), 0);
    return req;
}

static void
fetch(const char *to)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    start(to);
    while (!dones && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 100);
    ck_assert_int_eq(dones, 1);
}

static void
await_lookup(const char *name, int n)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    while (names_asked(name) < n && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 5);
    ck_assert_int_ge(names_asked(name), n);
}

/* ---- lookups that hang ------------------------------------------------------------- */

START_TEST(a_request_is_cancelled_at_once_while_its_name_is_looked_up)
{
    int64_t took = SOON + 1, begin;

    names_set("hang.test", NULL);
    for (int i = 1; i <= TRIES && took > SOON && took < LATE; i++) {
        struct mcph_net_request *req = start(url_of("hang.test"));

        await_lookup("hang.test", i);
        begin = mcph_clock_monotonic_ms();
        mcph_net_cancel(req);
        mcph_core_wait(core, 0);
        took = mcph_clock_monotonic_ms() - begin;
    }
    ck_assert_int_le(took, SOON);
    ck_assert_int_eq(dones, 0);
}
END_TEST

START_TEST(the_engine_is_freed_at_once_while_a_name_is_looked_up)
{
    int64_t took = SOON + 1, begin;

    names_set("hang.test", NULL);
    for (int i = 1; i <= TRIES && took > SOON && took < LATE; i++) {
        start(url_of("hang.test"));
        await_lookup("hang.test", i);
        begin = mcph_clock_monotonic_ms();
        net = mcph_net_free(net);
        took = mcph_clock_monotonic_ms() - begin;
        ck_assert_int_eq(mcph_net_new(core, &net, NULL), 0);
    }
    ck_assert_int_le(took, SOON);
    ck_assert_int_eq(dones, 0);
}
END_TEST

START_TEST(a_lookup_that_hangs_times_out_and_the_error_names_the_host)
{
    names_set("hang.test", NULL);
    site.connect_ms = 100;
    fetch(url_of("hang.test"));
    ck_assert_int_eq(code, MCPHOST_E_TIMEOUT);
    ck_assert_msg(strstr(why, "no answer from the name service for 'hang.test:"), "%s",
                  why);
    ck_assert_ptr_nonnull(strstr(why, "100 ms"));
}
END_TEST

START_TEST(a_lookup_that_hangs_does_not_delay_other_requests)
{
    struct mcph_net_request *req;

    names_set("hang.test", NULL);
    names_set("web.test", "127.0.0.1");
    req = start(url_of("hang.test"));
    await_lookup("hang.test", 1);
    fetch(url_of("web.test"));
    ck_assert_int_eq(status, 200);
    mcph_net_cancel(req);
}
END_TEST

/* Threads that libcurl makes must not receive the application's signals. */
START_TEST(a_thread_that_looks_up_names_has_all_signals_blocked)
{
    names_set("web.test", "127.0.0.1");
    fetch(url_of("web.test"));
    ck_assert_int_eq(status, 200);
    ck_assert_int_eq(names_asked("web.test"), 1);
    ck_assert(names_masked());
}
END_TEST

/* ---- names that lead to private networks ------------------------------------------- */

static const char *const inside[] = {
    "127.0.0.1",     "::1",     "10.255.255.1", "169.254.169.254",
    "192.168.255.1", "fd00::1", "fe80::1",      "127.0.0.1 ::1",
};

START_TEST(a_name_with_a_private_address_is_refused_without_a_connection)
{
    names_set("rebound.test", inside[_i]);
    site.public_only = true;
    fetch(url_of("rebound.test"));
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "leads to an address of a private network, which is not"),
                  "%s", why);
    ck_assert_uint_eq(canned_connections(can), 0);
}
END_TEST

START_TEST(a_url_with_a_literal_private_address_or_localhost_is_allowed)
{
    site.public_only = true;
    fetch(url_of("127.0.0.1"));
    ck_assert_int_eq(status, 200);
    fetch(url_of("localhost"));
    ck_assert_int_eq(status, 200);
}
END_TEST

/* The engine opens the connection while the site allows private addresses.  It must not
 * use the open connection after the site forbids private addresses. */
START_TEST(an_open_connection_to_a_private_address_is_not_used_if_forbidden)
{
    names_set("rebound.test", "127.0.0.1");
    fetch(url_of("rebound.test"));
    ck_assert_int_eq(status, 200);
    site.public_only = true;
    fetch(url_of("rebound.test"));
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "private network") != NULL, "%s", why);
    ck_assert_uint_eq(canned_count(can), 1);
}
END_TEST

/* The engine checks the address of a host that is exempt from the proxy, because the
 * engine connects to that host directly. */
START_TEST(a_proxy_may_have_a_private_address_but_an_exempt_host_may_not)
{
    char proxy[64];

    names_set("rebound.test", "127.0.0.1");
    snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", canned_port(can));
    site.public_only = true;
    site.proxy = proxy;
    fetch("http://rebound.test/");
    ck_assert_int_eq(status, 200);
    site.no_proxy = "other.test, .rebound.test";
    fetch(url_of("rebound.test"));
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "private network") != NULL, "%s", why);
    ck_assert_uint_eq(canned_count(can), 1);
}
END_TEST

/* ---- connecting -------------------------------------------------------------------- */

/* Returns a socket that listens with a full queue, so that a connect to the socket waits.
 * Returns -1 if the address does not exist or is in use. */
static int
open_deaf(int family, uint16_t port, int filler[8], uint16_t *ret_port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr *addr =
        family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    v6.sin6_addr = in6addr_loopback;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, addr, len) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    ck_assert_int_eq(listen(fd, 0), 0);
    ck_assert_int_eq(getsockname(fd, addr, &len), 0);
    *ret_port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
    for (int i = 0; i < 8; i++) {
        filler[i] = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(filler[i], addr, len);
    }
    return fd;
}

static void
close_deaf(int fd, const int filler[8])
{
    close(fd);
    for (int i = 0; i < 8; i++)
        close(filler[i]);
}

START_TEST(a_connect_that_takes_too_long_fails_with_e_timeout)
{
    uint16_t port;
    char to[64];
    int filler[8], fd;

    fd = open_deaf(AF_INET, 0, filler, &port);
    ck_assert_int_ge(fd, 0);
    site.connect_ms = 200;
    snprintf(to, sizeof(to), "http://127.0.0.1:%d/", port);
    fetch(to);
    close_deaf(fd, filler);
    ck_assert_int_eq(code, MCPHOST_E_TIMEOUT);
    ck_assert_msg(strstr(why, "no connection to '127.0.0.1:") != NULL, "%s", why);
    ck_assert_ptr_nonnull(strstr(why, "200 ms"));
}
END_TEST

static void
count_line(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)line;
    ++*(int *)arg;
}

/* libcurl closes the sockets of cancelled connects without notice, and the next sockets
 * get the same numbers.  The engine must therefore forget the old sockets. */
START_TEST(sockets_of_cancelled_connects_are_forgotten)
{
    int filler[8], fd, warnings = 0;
    uint16_t port;
    char to[64];

    ck_assert_int_eq(
        mcph_core_set_log(core, MCPHOST_LOG_WARNING, count_line, &warnings, NULL), 0);
    fd = open_deaf(AF_INET, 0, filler, &port);
    ck_assert_int_ge(fd, 0);
    snprintf(to, sizeof(to), "http://127.0.0.1:%d/", port);
    for (int i = 0; i < 3; i++) {
        struct mcph_net_request *req = start(to);

        ck_assert_int_ge(mcph_core_dispatch(core), 0); /* starts the connect */
        mcph_net_cancel(req);
        ck_assert_int_ge(mcph_core_dispatch(core), 0);
    }
    for (int i = 0; i < 3; i++) {
        fetch(url_of("127.0.0.1"));
        ck_assert_msg(status == 200, "%s", why);
    }
    close_deaf(fd, filler);
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_int_eq(warnings, 0);
}
END_TEST

static const char *const two_families[] = {"::1 127.0.0.1", "127.0.0.1 ::1"};

START_TEST(if_one_address_refuses_the_next_address_is_tried)
{
    names_set("both.test", two_families[_i]);
    fetch(url_of("both.test"));
    ck_assert_msg(status == 200, "%s", why);
}
END_TEST

/* libcurl tries an address of the other family (happy eyeballs) long before the
 * deadline. */
START_TEST(if_one_address_is_silent_the_other_family_is_tried_soon)
{
    uint16_t port;
    int filler[8], fd;

    fd = open_deaf(AF_INET6, (uint16_t)canned_port(can), filler, &port);
    if (fd < 0)
        return; /* no IPv6 on this machine */
    names_set("both.test", "::1 127.0.0.1");
    site.connect_ms = 15000;
    fetch(url_of("both.test"));
    close_deaf(fd, filler);
    ck_assert_msg(status == 200, "%s", why);
}
END_TEST

/* ---- proxies ----------------------------------------------------------------------- */

static const struct {
    const char *list, *url;
    bool exempt;
} exempts[] = {
    {NULL, "http://a.example/", false},
    {"", "http://a.example/", false},
    {"*", "http://a.example/", true},
    {"*", "http://127.0.0.1/", true},
    {"a.example", "http://a.example:8080/x", true},
    {"A.Example", "https://a.eXAMPLE/", true},
    {"a.example", "http://b.a.example/", true},
    {".a.example", "http://b.a.example/", true},
    {".a.example", "http://a.example/", true},
    {"a.example.", "http://a.example/", true},
    {"a.example", "http://a.example./", true},
    {"a.example", "http://ba.example/", false},
    {"b.a.example", "http://a.example/", false},
    {"example", "http://a.example/", true},
    {"xample", "http://a.example/", false},
    {"x, a.example ,y", "http://a.example/", true},
    {"x a.example y", "http://a.example/", true},
    {"x,y", "http://a.example/", false},
    {"10.0.0.0/8", "http://10.1.2.3/", true},
    {"10.0.0.0/8", "http://11.1.2.3/", false},
    {"10.1.2.3", "http://10.1.2.3/", true},
    {"10.1.2.3", "http://10.1.2.30/", false},
    {"2.3", "http://10.1.2.3/", false},
    {"192.168.4.0/22", "http://192.168.7.1/", true},
    {"192.168.4.0/22", "http://192.168.8.1/", false},
    {"0.0.0.0/0", "http://8.8.8.8/", true},
    {"10.0.0.0/33", "http://10.1.2.3/", false},
    {"10.0.0.0/x", "http://10.0.0.0/", false},
    {"10.0.0.0/8", "http://a.example/", false},
    {"fd00::/8", "http://[fd12::1]:8080/", true},
    {"fd00::/8", "http://[fe12::1]/", false},
    {"::1", "http://[::1]/", true},
    {"[::1]", "http://[::2]/", false},
};

START_TEST(no_proxy_lists_match_names_domains_and_networks)
{
    ck_assert_msg(mcph_net_is_exempt(exempts[_i].list, exempts[_i].url) ==
                      exempts[_i].exempt,
                  "'%s' and %s", exempts[_i].list, exempts[_i].url);
}
END_TEST

START_TEST(a_proxy_is_shown_without_its_login)
{
    static const char *const shown[][2] = {
        {"http://u:hush@p.example:3128/", "p.example:3128"},
        {"socks5h://p:1080", "p:1080"},
        {"p.example:3128", "p.example:3128"},
        {"https://[::1]:1", "[::1]:1"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(shown); i++) {
        char *place = mcph_net_proxy_place(shown[i][0]);

        ck_assert_str_eq(place, shown[i][1]);
        free(place);
    }
}
END_TEST

START_TEST(a_proxy_that_refuses_the_connection_is_named_in_the_error)
{
    char proxy[64];
    int port = canned_port(can);

    snprintf(proxy, sizeof(proxy), "http://u:hush@127.0.0.1:%d", port);
    canned_down(can);
    can = NULL;
    site.proxy = proxy;
    fetch("http://web.test/");
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "cannot connect to the proxy '127.0.0.1:") != NULL, "%s",
                  why);
    ck_assert_ptr_nonnull(strstr(why, "for 'web.test:80': Connection refused"));
    ck_assert_ptr_null(strstr(why, "hush"));
}
END_TEST

START_TEST(a_proxy_whose_name_cannot_be_resolved_is_named_in_the_error)
{
    site.proxy = "http://u:hush@no-such-proxy.invalid:3128";
    fetch("http://web.test/");
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(why, "the name of the proxy 'no-such-proxy.invalid:3128' for "
                          "'web.test:80' cannot be resolved");
}
END_TEST

START_TEST(a_proxy_that_wants_a_login_is_reported)
{
    static const struct canned_answer no = {
        "HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n", 0, CANNED_CLOSE, 0};
    char proxy[64];

    canned_down(can);
    can = canned_up(&no, 1);
    snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", canned_port(can));
    site.proxy = proxy;
    fetch("https://web.test/");
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "refuses to connect to 'web.test:443' (HTTP 407, it "
                              "requires a login)") != NULL,
                  "%s", why);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "hang");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_request_is_cancelled_at_once_while_its_name_is_looked_up);
    tcase_add_test(tc, the_engine_is_freed_at_once_while_a_name_is_looked_up);
    tcase_add_test(tc, a_lookup_that_hangs_times_out_and_the_error_names_the_host);
    tcase_add_test(tc, a_lookup_that_hangs_does_not_delay_other_requests);
    tcase_add_test(tc, a_thread_that_looks_up_names_has_all_signals_blocked);
    tc = test_case(suite, "inside");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_name_with_a_private_address_is_refused_without_a_connection,
                        0, MCPH_ARRAY_SIZE(inside));
    tcase_add_test(tc, a_url_with_a_literal_private_address_or_localhost_is_allowed);
    tcase_add_test(tc, an_open_connection_to_a_private_address_is_not_used_if_forbidden);
    tcase_add_test(tc, a_proxy_may_have_a_private_address_but_an_exempt_host_may_not);
    tc = test_case(suite, "connect");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_connect_that_takes_too_long_fails_with_e_timeout);
    tcase_add_test(tc, sockets_of_cancelled_connects_are_forgotten);
    tcase_add_loop_test(tc, if_one_address_refuses_the_next_address_is_tried, 0,
                        MCPH_ARRAY_SIZE(two_families));
    tcase_add_test(tc, if_one_address_is_silent_the_other_family_is_tried_soon);
    tc = test_case(suite, "proxy");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, no_proxy_lists_match_names_domains_and_networks, 0,
                        MCPH_ARRAY_SIZE(exempts));
    tcase_add_test(tc, a_proxy_is_shown_without_its_login);
    tcase_add_test(tc, a_proxy_that_refuses_the_connection_is_named_in_the_error);
    tcase_add_test(tc, a_proxy_whose_name_cannot_be_resolved_is_named_in_the_error);
    tcase_add_test(tc, a_proxy_that_wants_a_login_is_reported);
}

int
main(void)
{
    return test_main("net-names", add);
}
