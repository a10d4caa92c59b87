/* SPDX-License-Identifier: MIT
 *
 * test_http_way.c - the connection keys of an HTTP server's entry: proxies, certificate
 * authorities, client certificates, refused addresses and deadlines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/httprig.h"
#include "support/names.h"
#include "support/relay.h"

static struct hostrig hr;
static struct httprig web;
static struct relay *relay;
static mcphost_dialog *d;

/* Starts a host, and a fake server with this script.  No entry of the configuration names
 * the server yet. */
static void
up(const char *script)
{
    relay = NULL;
    d = NULL;
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_web(&hr, &web, "web", script);
}

static void
up_tls(const char *mode)
{
    char script[256];

    relay = NULL;
    d = NULL;
    hr_up(&hr);
    snprintf(script, sizeof(script), "tls %s %s", mode, hr.ws.dir);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_web(&hr, &web, "web", script);
}

static void
down(void)
{
    names_done();
    hr_down(&hr);
    relay_down(relay);
}

/* Starts a relay in front of the fake server.  Adds the relay's descriptors and thread to
 * the numbers that hr_down() expects, because the relay outlives the host. */
static void
relay_to_web(const char *login)
{
    relay = relay_up(web.port, login);
    hr.before.fds += 3;
    hr.before.threads++;
}

static void
load_server(const char *url, const char *keys)
{
    hr_url(&hr, "web", url, keys);
    hr_load(&hr);
}

static void
works(void)
{
    hr_loaded(&hr, "web");
    if (!d)
        d = hr_dialog(&hr, "d");
    ck_assert_str_eq(hr_say(&hr, d, "web_echo", "{\"text\":\"x\"}"), "x");
}

/* Checks that the server is not loaded, and that the server's error contains all of
 * `words`.  The separator of `words` is '|'. */
static void
fails(const char *words)
{
    ck_assert_int_ne(hr_server_state(&hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(hr_server_why(&hr, "web"), words);
}

/* ---- TLS --------------------------------------------------------------------------- */

static const struct {
    const char *mode, *keys;
} trusted[] = {
    {"good", "tls: {caFile: ca.pem}"},
    {"good", "tls: {caFile: ./ca.pem}"},
    {"good", "tls: {caDir: authorities}"},
    {"good", "tls: {caFile: ca.pem, caDir: authorities}"},
    {"client", "tls: {caFile: ca.pem, clientCert: client.pem, clientKey: client.key}"},
    {"client", "tls:\n  caDir: authorities\n  clientCert: client.pem\n"
               "  clientKey: locked.key\n  keyPassword: fake"},
    {"client", "tls:\n  caFile: ca.pem\n  clientCert: client.pem\n"
               "  clientKey: locked.key\n  keyPassword: {prefix: fa, env: LAST}"},
};

/* R1, R20: paths are relative to the workspace. */
START_TEST(authorities_and_client_certificates_of_the_entry_are_used)
{
    static const char *const environment[] = {"LAST=ke", NULL};

    up_tls(trusted[_i].mode);
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    load_server(web.url, trusted[_i].keys);
    works();
    down();
}
END_TEST

static const struct {
    const char *mode, *keys, *words;
} mistrusted[] = {
    {"good", NULL, "'web'|cannot trust the certificate of '127.0.0.1"},
    {"unknown", "tls: {caFile: ca.pem}", "'web'|cannot trust the certificate"},
    {"unknown", "tls: {caDir: authorities}", "'web'|cannot trust the certificate"},
    {"client", "tls: {caFile: ca.pem}", "'web'|127.0.0.1"},
    {"client",
     "tls:\n  caFile: ca.pem\n  clientCert: client.pem\n  clientKey: locked.key\n"
     "  keyPassword: hidden",
     "'web'|cannot use the client certificate"},
    {"good", "tls: {caFile: nowhere.pem}",
     "'web'|tls.caFile: cannot read|/nowhere.pem': No such file"},
    {"good", "tls: {caDir: ca.pem}", "'web'|tls.caDir: cannot read|Not a directory"},
    {"good", "tls: {caFile: authorities}", "'web'|tls.caFile: cannot|Is a directory"},
    {"good", "tls: {caFile: ca.pem, clientCert: none.pem}",
     "'web'|tls.clientCert: cannot read|No such file"},
    {"good", "tls: {caFile: ca.pem, clientCert: client.pem, clientKey: none.key}",
     "'web'|tls.clientKey: cannot read|No such file"},
};

START_TEST(without_valid_certificates_a_server_fails_and_says_why)
{
    up_tls(mistrusted[_i].mode);
    hr_server(&hr, "good", NULL, NULL);
    load_server(web.url, mistrusted[_i].keys);
    fails(mistrusted[_i].words);
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "hidden"));
    ck_assert_int_eq(hr_traced(&hr, "web", " http "), 0);
    ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "good_echo", "{\"text\":\"x\"}"),
                     "x");
    down();
}
END_TEST

/* The host reads `caFile` again for each connection. */
START_TEST(an_authority_that_was_replaced_counts_from_the_next_connection)
{
    up_tls("good");
    hr_url(&hr, "web", web.url, "tls: {caFile: ca.pem}");
    hr_load(&hr);
    works();
    http_again(&web); /* the new process has a new authority of the same name */
    ck_assert_int_eq(mcphost_restart_server(hr.host, "web"), 0);
    hr_ready(&hr);
    works();
    down();
}
END_TEST

/* ---- proxies ----------------------------------------------------------------------- */

#define LOGIN "YWdlbnQ6aHVzaA==" /* agent:hush in base64 */

/* The relay connects to the fake server, whatever server the URL names. */
static const struct {
    const char *url, *keys, *login;
    const char *environment[4];
} ways[] = {
    {"http://fake.invalid/mcp", "proxy: 'http://127.0.0.1:%d'", NULL, {NULL}},
    {"http://127.0.0.1:9/mcp", "proxy: 'http://127.0.0.1:%d'", NULL, {NULL}},
    {"http://fake.invalid/mcp", "proxy: 'http://agent:hush@127.0.0.1:%d'", LOGIN, {NULL}},
    {"http://fake.invalid/mcp", "proxy: {env: VIA}", NULL, {"VIA=http://127.0.0.1:%d"}},
    {"http://fake.invalid/mcp",
     "proxy: {prefix: 'http://agent:', env: VIA}",
     LOGIN,
     {"VIA=hush@127.0.0.1:%d"}},
    {"http://fake.invalid/mcp", NULL, NULL, {"http_proxy=http://127.0.0.1:%d"}},
    {"http://fake.invalid/mcp", NULL, NULL, {"all_proxy=127.0.0.1:%d"}},
    {"http://fake.invalid/mcp",
     NULL,
     LOGIN,
     {"ALL_PROXY=http://agent:hush@127.0.0.1:%d", "no_proxy=other.invalid,10.0.0.0/8"}},
    /* The configuration overrides the environment. */
    {"http://fake.invalid/mcp",
     "proxy: 'http://127.0.0.1:%d'",
     NULL,
     {"http_proxy=http://127.0.0.1:9", "no_proxy=*"}},
};

START_TEST(a_plain_http_server_is_reached_through_its_proxy)
{
    const char *environment[5] = {NULL};
    char texts[4][128], keys[256];

    up(NULL);
    relay_to_web(ways[_i].login);
    for (int i = 0; i < 4 && ways[_i].environment[i]; i++) {
        snprintf(texts[i], sizeof(texts[i]), ways[_i].environment[i], relay_port(relay));
        environment[i] = texts[i];
    }
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    snprintf(keys, sizeof(keys), ways[_i].keys ? ways[_i].keys : "", relay_port(relay));
    load_server(ways[_i].url, keys);
    works();
    ck_assert_uint_gt(relay_count(relay), 0);
    ck_assert_ptr_eq(strstr(relay_head(relay, 0), ways[_i].url),
                     relay_head(relay, 0) + strlen("POST "));
    down();
}
END_TEST

static const struct {
    const char *keys, *variable;
} tunnels[] = {
    {"proxy: 'http://agent:hush@127.0.0.1:%d'\ntls: {caFile: ca.pem}", NULL},
    {"tls: {caFile: ca.pem}", "https_proxy=http://agent:hush@127.0.0.1:%d"},
    {"tls: {caFile: ca.pem}", "HTTPS_PROXY=http://agent:hush@127.0.0.1:%d"},
};

START_TEST(a_tls_server_is_reached_through_a_tunnel_that_hides_its_headers)
{
    const char *environment[2] = {NULL};
    char text[128], keys[256];

    up_tls("good");
    relay_to_web(LOGIN);
    if (tunnels[_i].variable) {
        snprintf(text, sizeof(text), tunnels[_i].variable, relay_port(relay));
        environment[0] = text;
    }
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    snprintf(keys, sizeof(keys), tunnels[_i].keys, relay_port(relay));
    strncat(keys, "\nheaders: {Authorization: Bearer hidden}",
            sizeof(keys) - strlen(keys) - 1);
    load_server("https://fake.invalid/mcp", keys);
    works();
    for (size_t i = 0; i < relay_count(relay); i++) {
        ck_assert_ptr_eq(
            strstr(relay_head(relay, i), "CONNECT fake.invalid:443 HTTP/1.1"),
            relay_head(relay, i));
        ck_assert_ptr_null(strstr(relay_head(relay, i), "hidden"));
    }
    /* The host does not send the proxy's login to the server. */
    ck_assert_int_eq(hr_traced(&hr, "web", "proxy-authorization"), 0);
    down();
}
END_TEST

static const struct {
    const char *name, *keys, *variable;
} directs[] = {
    {"127.0.0.1", NULL, NULL}, /* loopback never uses the environment's proxy */
    {"web.test", NULL, "no_proxy=elsewhere.test,.test"},
    {"web.test", NULL, "NO_PROXY=*"},
    {"web.test", "proxy: none", NULL},
    {"web.test", "proxy: ''", NULL},
    {"web.test", "proxy: {env: VIA}", "VIA="},
};

START_TEST(exceptions_and_empty_settings_bypass_the_proxy)
{
    const char *environment[3] = {NULL};
    char text[128], url[128];

    up(NULL);
    relay_to_web(NULL);
    names_set("web.test", "127.0.0.1");
    snprintf(text, sizeof(text), "http_proxy=http://127.0.0.1:%d", relay_port(relay));
    environment[0] = text;
    environment[1] = directs[_i].variable;
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    snprintf(url, sizeof(url), "http://%s:%d/mcp", directs[_i].name, web.port);
    load_server(url, directs[_i].keys);
    works();
    ck_assert_uint_eq(relay_count(relay), 0);
    down();
}
END_TEST

START_TEST(the_error_of_an_unreachable_proxy_names_it_without_its_login)
{
    up(NULL);
    load_server("http://fake.invalid/mcp", "proxy: 'http://agent:hush@127.0.0.1:1'");
    fails("'web'|the proxy '127.0.0.1:1' for 'fake.invalid:80'|refused");
    ck_assert_ptr_null(strstr(hr_server_why(&hr, "web"), "hush"));
    down();
}
END_TEST

static const char *const with_login[] = {
    "http_proxy=http://agent:hush@127.0.0.1:%d",
    "all_proxy=agent:hush@127.0.0.1:%d",
};

START_TEST(the_password_of_a_proxy_of_the_environment_is_masked)
{
    const char *environment[2] = {NULL};
    char text[128];

    up("on list\n error -32603 the login agent:hush is known, and hush alone");
    relay_to_web(LOGIN);
    snprintf(text, sizeof(text), with_login[_i], relay_port(relay));
    environment[0] = text;
    ck_assert_int_eq(mcphost_set_environment(hr.host, environment), 0);
    load_server("http://fake.invalid/mcp", NULL);
    fails("the login ********** is known, and **** alone");
    down();
}
END_TEST

static const char *const without_login[][2] = {
    {"http://fake.invalid/mcp", "407|proxy"},
    {"https://fake.invalid/mcp", "refuses to connect to 'fake.invalid:443'|407"},
};

START_TEST(the_error_says_that_the_proxy_wants_a_login)
{
    char keys[64];

    up(NULL);
    relay_to_web(LOGIN);
    snprintf(keys, sizeof(keys), "proxy: 'http://127.0.0.1:%d'", relay_port(relay));
    load_server(without_login[_i][0], keys);
    fails(without_login[_i][1]);
    ck_assert_int_eq(hr_traced(&hr, "web", "connect"), 0);
    down();
}
END_TEST

/* ---- addresses and deadlines ------------------------------------------------------- */

static void
load_at(const char *name, const char *keys)
{
    char url[128];

    snprintf(url, sizeof(url), "http://%s:%d/mcp", name, web.port);
    load_server(url, keys);
}

START_TEST(a_public_only_server_is_refused_at_a_private_address)
{
    up(NULL);
    names_set("rebound.test", "127.0.0.1");
    load_at("rebound.test", "publicOnly: true");
    fails("'web'|'rebound.test:|an address of a private network");
    ck_assert_int_eq(hr_traced(&hr, "web", "connect"), 0);
    down();
}
END_TEST

START_TEST(without_public_only_a_private_address_is_accepted)
{
    up(NULL);
    names_set("rebound.test", "127.0.0.1");
    load_at("rebound.test", "publicOnly: false");
    works();
    down();
}
END_TEST

START_TEST(public_only_accepts_an_address_written_in_the_url)
{
    up(NULL);
    load_server(web.url, "publicOnly: true");
    works();
    down();
}
END_TEST

START_TEST(the_connect_timeout_of_the_entry_ends_a_slow_name_lookup)
{
    up(NULL);
    names_set("hang.test", NULL);
    load_at("hang.test", "timeouts: {connect: 0.25}");
    fails("'web'|no answer from the name service for 'hang.test:|250 ms");
    down();
}
END_TEST

/* The host opens a silent GET stream again.  The host does not open the silent stream
 * of a call again. */
START_TEST(the_idle_timeout_of_the_entry_reopens_a_silent_get_stream)
{
    up("era legacy");
    load_server(web.url, "timeouts: {idle: 0.1}");
    works();
    hr_until(&hr, hr_traced(&hr, "web", "http GET") >= 2);
    ck_assert_str_eq(hr_say(&hr, d, "web_slow", "{\"ms\":400}"), "slept 400 ms");
    down();
}
END_TEST

START_TEST(closing_a_host_during_a_name_lookup_takes_at_most_50_ms)
{
    int64_t took = 51, begin;

    /* Try up to five times, because the machine may be busy.  One try of at most 50 ms
     * suffices.  A try of at least 2 s fails the test at once. */
    for (int i = 0; i < 5 && took > 50 && took < 2000; i++) {
        hr_up(&hr);
        names_set("hang.test", NULL);
        hr_url(&hr, "web", "http://hang.test:1/mcp", NULL);
        hr_load_only(&hr);
        hr_until(&hr, names_asked("hang.test") > 0);
        begin = mcph_clock_monotonic_ms();
        ck_assert_int_eq(mcphost_close(hr.host), 0);
        while (mcphost_wait(hr.host, 5000) >= 0)
            continue;
        took = mcph_clock_monotonic_ms() - begin;
        hr.host = mcphost_unref(hr.host);
        names_done();
        hr_down_ended(&hr);
    }
    ck_assert_int_le(took, 50);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "tls");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, authorities_and_client_certificates_of_the_entry_are_used, 0,
                        sizeof(trusted) / sizeof(trusted[0]));
    tcase_add_loop_test(tc, without_valid_certificates_a_server_fails_and_says_why, 0,
                        sizeof(mistrusted) / sizeof(mistrusted[0]));
    tcase_add_test(tc, an_authority_that_was_replaced_counts_from_the_next_connection);
    tc = test_case(suite, "proxy");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_plain_http_server_is_reached_through_its_proxy, 0,
                        sizeof(ways) / sizeof(ways[0]));
    tcase_add_loop_test(tc,
                        a_tls_server_is_reached_through_a_tunnel_that_hides_its_headers,
                        0, sizeof(tunnels) / sizeof(tunnels[0]));
    tcase_add_loop_test(tc, exceptions_and_empty_settings_bypass_the_proxy, 0,
                        sizeof(directs) / sizeof(directs[0]));
    tcase_add_test(tc, the_error_of_an_unreachable_proxy_names_it_without_its_login);
    tcase_add_loop_test(tc, the_password_of_a_proxy_of_the_environment_is_masked, 0,
                        (int)(sizeof(with_login) / sizeof(with_login[0])));
    tcase_add_loop_test(tc, the_error_says_that_the_proxy_wants_a_login, 0, 2);
    tc = test_case(suite, "addresses and deadlines");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_public_only_server_is_refused_at_a_private_address);
    tcase_add_test(tc, without_public_only_a_private_address_is_accepted);
    tcase_add_test(tc, public_only_accepts_an_address_written_in_the_url);
    tcase_add_test(tc, the_connect_timeout_of_the_entry_ends_a_slow_name_lookup);
    tcase_add_test(tc, the_idle_timeout_of_the_entry_reopens_a_silent_get_stream);
    tcase_add_test(tc, closing_a_host_during_a_name_lookup_takes_at_most_50_ms);
}

int
main(void)
{
    return test_main("http-way", add);
}
