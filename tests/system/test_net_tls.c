/* SPDX-License-Identifier: MIT
 *
 * test_net_tls.c - HTTPS to servers with good and bad certificates.
 *
 * The library refuses a bad server before it sends the first byte of the request.  The
 * error of each refusal names a reason of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/net.h"
#include "support/httprig.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_census before;
static struct rig_workspace ws;
static struct httprig web;
static struct mcph_core *core;
static struct mcph_net *net;
static struct mcph_net_site site;
static char ca[160], cert[160], key[160];
static int dones, status, code;
static char why[512];

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    (void)arg;
    dones++;
    status = error ? 0 : mcph_net_get_status(req);
    code = error ? mcphost_error_get_code(error) : 0;
    snprintf(why, sizeof(why), "%s", error ? mcphost_error_get_message(error) : "");
}

static const struct mcph_net_events events = {.done = on_done};

static void
up(const char *mode)
{
    char script[256];

    before = rig_census_take();
    rig_workspace_up(&ws, NULL);
    snprintf(script, sizeof(script), "tls %s %s\non request\n body hello", mode, ws.dir);
    http_up(&web, &ws, "web", script);
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_net_new(core, &net, NULL), 0);
    snprintf(ca, sizeof(ca), "%s/ca.pem", ws.dir);
    snprintf(cert, sizeof(cert), "%s/client.pem", ws.dir);
    snprintf(key, sizeof(key), "%s/client.key", ws.dir);
    site = (struct mcph_net_site){.ca_file = ca};
}

static void
down(void)
{
    net = mcph_net_free(net);
    core = mcph_core_unref(core);
    http_down(&web);
    rig_workspace_down(&ws);
    rig_census_check(&before, 5000);
}

static void
fetch(const char *url)
{
    struct mcph_net_spec spec = {
        .site = &site, .method = "GET", .url = url, .events = &events};
    int64_t end = mcph_clock_monotonic_ms() + 20000;
    struct mcph_net_request *req;

    dones = 0;
    ck_assert_int_eq(mcph_net_start(net, &spec, &req, NULL), 0);
    while (!dones && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 100);
    ck_assert_int_eq(dones, 1);
}

/* Checks that the request failed with an error that contains `what`, and that no byte of
 * the request reached the server. */
static void
expect_refused(const char *what)
{
    char *trace = rig_workspace_read(&ws, "web.trace");

    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, what) != NULL, "'%s' is not in: %s", what, why);
    ck_assert_ptr_null(strstr(trace, " http "));
    free(trace);
}

START_TEST(a_server_with_a_certificate_of_a_known_authority_is_trusted)
{
    up("good");
    fetch(web.url);
    ck_assert_msg(status == 200, "%s", why);
    down();
}
END_TEST

START_TEST(an_unknown_authority_is_not_trusted)
{
    up("unknown");
    fetch(web.url);
    expect_refused("cannot trust the certificate of '127.0.0.1");
    expect_refused("the authority that signed it is not known here");
    down();
}
END_TEST

START_TEST(without_its_authority_a_good_server_is_not_trusted)
{
    up("good");
    site.ca_file = NULL;
    fetch(web.url);
    expect_refused("cannot trust the certificate");
    down();
}
END_TEST

START_TEST(a_self_signed_certificate_is_not_trusted)
{
    up("self-signed");
    fetch(web.url);
    expect_refused("it is self-signed");
    down();
}
END_TEST

START_TEST(an_expired_certificate_is_not_trusted)
{
    up("expired");
    fetch(web.url);
    expect_refused("it has expired");
    down();
}
END_TEST

START_TEST(the_certificate_of_another_name_is_not_trusted)
{
    up("wrong-name");
    fetch(web.url);
    expect_refused("cannot trust the certificate of '127.0.0.1");
    expect_refused("it was issued for another host name");
    down();
}
END_TEST

START_TEST(a_server_that_wants_a_client_certificate_accepts_ours)
{
    up("client");
    fetch(web.url);
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    /* The test does not check the reason, because the connection may end before the
     * reason arrives. */
    ck_assert_msg(strstr(why, "127.0.0.1") != NULL, "%s", why);
    site.client_cert = cert;
    site.client_key = key;
    fetch(web.url);
    ck_assert_msg(status == 200, "%s", why);
    down();
}
END_TEST

START_TEST(an_unreadable_client_key_fails_before_the_request)
{
    up("client");
    site.client_cert = cert;
    site.client_key = "/nowhere/client.key";
    fetch(web.url);
    expect_refused("client certificate");
    down();
}
END_TEST

START_TEST(unreadable_authorities_fail_before_the_request)
{
    up("good");
    site.ca_file = "/nowhere/ca.pem";
    fetch(web.url);
    expect_refused("CA certificates");
    down();
}
END_TEST

START_TEST(a_server_with_only_old_tls_versions_is_refused)
{
    up("old");
    fetch(web.url);
    expect_refused("cannot speak TLS with '127.0.0.1");
    expect_refused("it supports only TLS versions before 1.2");
    down();
}
END_TEST

START_TEST(a_handshake_without_an_answer_ends_at_the_connect_timeout)
{
    up("mute");
    site.connect_ms = 300;
    fetch(web.url);
    ck_assert_int_eq(code, MCPHOST_E_TIMEOUT);
    ck_assert_msg(strstr(why, "300 ms") != NULL, "%s", why);
    down();
}
END_TEST

START_TEST(plain_http_to_a_server_that_wants_tls_is_an_error)
{
    char url[sizeof(web.url) + 8];

    up("good");
    snprintf(url, sizeof(url), "http%s", web.url + strlen("https"));
    fetch(url);
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_msg(strstr(why, "127.0.0.1") != NULL, "%s", why);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "trust");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_server_with_a_certificate_of_a_known_authority_is_trusted);
    tcase_add_test(tc, an_unknown_authority_is_not_trusted);
    tcase_add_test(tc, without_its_authority_a_good_server_is_not_trusted);
    tcase_add_test(tc, a_self_signed_certificate_is_not_trusted);
    tcase_add_test(tc, an_expired_certificate_is_not_trusted);
    tcase_add_test(tc, the_certificate_of_another_name_is_not_trusted);
    tcase_add_test(tc, a_server_that_wants_a_client_certificate_accepts_ours);
    tcase_add_test(tc, an_unreadable_client_key_fails_before_the_request);
    tcase_add_test(tc, unreadable_authorities_fail_before_the_request);
    tc = test_case(suite, "protocol");
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_server_with_only_old_tls_versions_is_refused);
    tcase_add_test(tc, a_handshake_without_an_answer_ends_at_the_connect_timeout);
    tcase_add_test(tc, plain_http_to_a_server_that_wants_tls_is_an_error);
}

int
main(void)
{
    return test_main("net-tls", add);
}
