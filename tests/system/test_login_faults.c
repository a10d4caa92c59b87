/* SPDX-License-Identifier: MIT
 *
 * test_login_faults.c - authorization servers and resources with a fault at each step of
 * a login: each fault gives one message that names the server, the step, the URL without
 * its query, and a remedy.  No fault leaves a request, a descriptor, a process or a
 * thread behind.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "host/host.h"
#include "support/relay.h"
#include "system/loginrig.h"

static struct loginrig lr;

/* ---- the matrix -------------------------------------------------------------------- */

#define SOON 800 /* the time limit in ms of a request that no user answers */

struct row {
    const char *fault;  /* lines of the script that set the fault */
    int code;           /* the error's code; 0 means that the login works */
    const char *words;  /* parts of the message, separated by '|' */
    const char *script; /* further lines of the script, or NULL */
    const char *keys;   /* keys of the entry, "ISSUER" for a fixed issuer, or NULL */
    int timeout_ms;     /* the time limit of the request to the user; 0 is the default */
};

#define AT_RESOURCE  "protected-resource metadata at http://127.0.0.1:|oauth-protected-res"
#define AT_ISSUER    "authorization-server metadata at http://127.0.0.1:"
#define AT_REGISTER  "client registration at http://127.0.0.1:|/register: "
#define AT_AUTHORIZE "authorization at http://127.0.0.1:"
#define AT_TOKEN     "token request at http://127.0.0.1:|/token: "
#define AT_REFRESH   "token refresh at http://127.0.0.1:|/token: "
#define AT_DEVICE    "device authorization at http://127.0.0.1:|/device_authorization: "
#define AT_LOGIN     "login at http://127.0.0.1:"
#define OPERATOR     "|tell the operator of the server"
#define NETWORK      "|check the network, or try again later"
#define CHECK_URL    "|check the server's URL"
#define CHECK_DOC    "|check that the URL is right"
#define LATER        "|try again later"
#define AGAIN        "|log in again"
#define BY_HAND      "|configure a client that is registered by hand"

static const struct row challenges[] = {
    {"fault challenge missing", 0, "", NULL, NULL, 0},
    {"fault challenge garbage", 0, "", NULL, NULL, 0},
    {"fault challenge lying http://127.0.0.1:1/m?a=query", MCPHOST_E_TRANSPORT,
     "protected-resource metadata at http://127.0.0.1:1/m: " NETWORK, NULL, NULL, 0},
    {"fault challenge lying http://10.0.0.1/m", MCPHOST_E_DENIED,
     "http://10.0.0.1/m: " OPERATOR, NULL, NULL, 0},
    {"fault challenge lying javascript:alert(1)", MCPHOST_E_DENIED, "metadata" OPERATOR,
     NULL, NULL, 0},
};

static const struct row resources[] = {
    {"fault resource missing", MCPHOST_E_PROTOCOL, AT_RESOURCE "|404" CHECK_URL, NULL,
     NULL, 0},
    {"fault resource missing", MCPHOST_E_AUTH,
     "login at http://127.0.0.1:|/mcp: |names no authorization server|/register|header",
     "resource-hint off", NULL, 0},
    {"fault resource status 500", MCPHOST_E_TRANSPORT, AT_RESOURCE "|500" LATER, NULL,
     NULL, 0},
    {"fault resource status 429 77", MCPHOST_E_TRANSPORT,
     AT_RESOURCE "|429" LATER "|77 s", "resource-hint off", NULL, 0},
    {"fault resource redirect", MCPHOST_E_PROTOCOL, AT_RESOURCE "|redirect" OPERATOR,
     NULL, NULL, 0},
    {"fault resource redirect http://127.0.0.1:1/a?canary", MCPHOST_E_PROTOCOL,
     AT_RESOURCE "|another origin|configure that URL", NULL, NULL, 0},
    {"fault resource garbage", MCPHOST_E_PROTOCOL, AT_RESOURCE CHECK_DOC, NULL, NULL, 0},
    {"fault resource endless", MCPHOST_E_LIMIT, AT_RESOURCE "|1048576" OPERATOR, NULL,
     NULL, 0},
    {"fault resource huge 2M", MCPHOST_E_LIMIT, AT_RESOURCE "|1048576" OPERATOR, NULL,
     NULL, 0},
    {"fault resource cut", MCPHOST_E_TRANSPORT, AT_RESOURCE NETWORK, NULL, NULL, 0},
    {"fault resource lost", MCPHOST_E_TRANSPORT, AT_RESOURCE NETWORK, NULL, NULL, 0},
    {"fault resource half", MCPHOST_E_TRANSPORT, AT_RESOURCE NETWORK, NULL, NULL, 0},
    {"fault resource type", 0, "", NULL, NULL, 0},
    {"fault resource nul", MCPHOST_E_PROTOCOL, AT_RESOURCE, NULL, NULL, 0},
    {"fault resource lying https://elsewhere.example/mcp?canary", MCPHOST_E_DENIED,
     AT_RESOURCE "|https://elsewhere.example/mcp|correct the server's URL", NULL, NULL,
     0},
    {"fault resource hold", MCPHOST_E_TIMEOUT, AT_RESOURCE NETWORK, NULL, NULL, 0},
    {"fault resource drip 300", MCPHOST_E_TIMEOUT, AT_RESOURCE NETWORK, NULL, NULL, 0},
    {"member resource authorization_servers [\"http://10.0.0.1/\"]", MCPHOST_E_DENIED,
     AT_RESOURCE OPERATOR, NULL, NULL, 0},
    {"member resource authorization_servers 7", MCPHOST_E_AUTH,
     AT_LOGIN "|names no authorization server", NULL, NULL, 0},
    {"trusts 2", MCPHOST_E_DENIED, AT_RESOURCE "|/mcp|auth.issuer",
     "issuer own\nissuer own", "ISSUER", 0},
};

#define NO_DEVICE "member issuer device_authorization_endpoint"

static const struct row issuers[] = {
    {"fault issuer missing", MCPHOST_E_PROTOCOL, AT_ISSUER "|404" CHECK_URL, NULL, NULL,
     0},
    {"fault issuer status 500", MCPHOST_E_TRANSPORT, AT_ISSUER "|500" LATER, NULL, NULL,
     0},
    {"fault issuer status 429 77", MCPHOST_E_TRANSPORT, AT_ISSUER "|429" LATER "|77 s",
     NULL, NULL, 0},
    {"fault issuer redirect", MCPHOST_E_PROTOCOL, AT_ISSUER "|redirect" OPERATOR, NULL,
     NULL, 0},
    {"fault issuer garbage", MCPHOST_E_PROTOCOL, AT_ISSUER CHECK_DOC, NULL, NULL, 0},
    {"fault issuer endless", MCPHOST_E_LIMIT, AT_ISSUER "|1048576" OPERATOR, NULL, NULL,
     0},
    {"fault issuer huge 2M", MCPHOST_E_LIMIT, AT_ISSUER "|1048576" OPERATOR, NULL, NULL,
     0},
    {"fault issuer cut", MCPHOST_E_TRANSPORT, AT_ISSUER NETWORK, NULL, NULL, 0},
    {"fault issuer half", MCPHOST_E_TRANSPORT, AT_ISSUER NETWORK, NULL, NULL, 0},
    {"fault issuer type", 0, "", NULL, NULL, 0},
    {"fault issuer nul", MCPHOST_E_PROTOCOL, AT_ISSUER, NULL, NULL, 0},
    {"fault issuer lying", MCPHOST_E_DENIED, AT_ISSUER "|name the issuer exactly", NULL,
     NULL, 0},
    {"fault issuer hold", MCPHOST_E_TIMEOUT, AT_ISSUER NETWORK, NULL, NULL, 0},
    {"fault issuer drip 300", MCPHOST_E_TIMEOUT, AT_ISSUER NETWORK, NULL, NULL, 0},
    {"member issuer token_endpoint", MCPHOST_E_PROTOCOL,
     AT_ISSUER "|token_endpoint" OPERATOR, NULL, NULL, 0},
    {"member issuer token_endpoint \"http://10.0.0.1/t?canary\"", MCPHOST_E_DENIED,
     "token_endpoint at http://10.0.0.1/t: " OPERATOR, NULL, NULL, 0},
    {"member issuer authorization_endpoint \"http://10.0.0.1/t?canary\"",
     MCPHOST_E_DENIED, "authorization_endpoint at http://10.0.0.1/t: " OPERATOR, NULL,
     NULL, 0},
    {"pkce unlisted", MCPHOST_E_DENIED, AT_ISSUER "|S256|allowNoPkce", NO_DEVICE, NULL,
     0},
    {"pkce plain", MCPHOST_E_DENIED, AT_ISSUER "|S256|allowNoPkce", NO_DEVICE, NULL, 0},
    {"pkce unlisted", 0, "", NULL, "auth: {allowNoPkce: true}", 0},
};

static const struct row registrations[] = {
    {"fault register refuse invalid_redirect_uri a reason", MCPHOST_E_AUTH,
     AT_REGISTER "|invalid_redirect_uri|a reason" BY_HAND, NULL, NULL, 0},
    {"fault register refuse", MCPHOST_E_AUTH, AT_REGISTER "|invalid_request" BY_HAND,
     NULL, NULL, 0},
    {"fault register missing", MCPHOST_E_AUTH, AT_REGISTER "|404" BY_HAND, NULL, NULL, 0},
    {"fault register status 500", MCPHOST_E_TRANSPORT, AT_REGISTER "|500" LATER, NULL,
     NULL, 0},
    {"fault register status 503 99999", MCPHOST_E_TRANSPORT,
     AT_REGISTER "|503" LATER "|after 3600 s", NULL, NULL, 0},
    {"fault register status 429 77", MCPHOST_E_TRANSPORT,
     AT_REGISTER "|429" LATER "|77 s", NULL, NULL, 0},
    {"fault register redirect", MCPHOST_E_PROTOCOL, AT_REGISTER "|redirect" CHECK_URL,
     NULL, NULL, 0},
    {"fault register garbage", MCPHOST_E_PROTOCOL, AT_REGISTER CHECK_DOC, NULL, NULL, 0},
    {"fault register endless", MCPHOST_E_LIMIT, AT_REGISTER "|1048576" OPERATOR, NULL,
     NULL, 0},
    {"fault register cut", MCPHOST_E_TRANSPORT, AT_REGISTER NETWORK, NULL, NULL, 0},
    {"fault register lost", MCPHOST_E_TRANSPORT, AT_REGISTER NETWORK, NULL, NULL, 0},
    {"fault register half", MCPHOST_E_TRANSPORT, AT_REGISTER NETWORK, NULL, NULL, 0},
    {"fault register lying", MCPHOST_E_PROTOCOL, AT_REGISTER "|client_id" OPERATOR, NULL,
     NULL, 0},
    {"fault register nul", MCPHOST_E_PROTOCOL, AT_REGISTER, NULL, NULL, 0},
    {"fault register hold", MCPHOST_E_TIMEOUT, AT_REGISTER NETWORK, NULL, NULL, 0},
    {"member register token_endpoint_auth_method \"tls_client_auth\"", MCPHOST_E_PROTOCOL,
     AT_REGISTER BY_HAND, NULL, NULL, 0},
    {"fault register absurd-expiry", 0, "", "methods basic", NULL, 0},
};

#define NOBODY AT_LOGIN "|nobody answered in time" AGAIN

static const struct row authorizations[] = {
    {"fault authorize refuse access_denied a reason", MCPHOST_E_AUTH,
     AT_AUTHORIZE "|access_denied|a reason" AGAIN, NULL, NULL, 0},
    {"fault authorize refuse server_error a reason", MCPHOST_E_TRANSPORT,
     AT_AUTHORIZE "|server_error" LATER, NULL, NULL, 0},
    {"fault authorize refuse invalid_scope", MCPHOST_E_AUTH,
     AT_AUTHORIZE "|invalid_scope|configure other scopes", NULL, NULL, 0},
    {"fault authorize wrong-state", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize no-state", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize wrong-iss", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize no-iss", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize code-twice", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize garbage", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize nul", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize huge 64k", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize status 500", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
    {"fault authorize cut", MCPHOST_E_AUTH, NOBODY, NULL, NULL, SOON},
};

static const struct row tokens[] = {
    {"fault token refuse invalid_grant a reason", MCPHOST_E_AUTH,
     AT_TOKEN "|invalid_grant|a reason" AGAIN, NULL, NULL, 0},
    {"fault token refuse invalid_client", MCPHOST_E_AUTH,
     AT_TOKEN "|invalid_client|check the client id", NULL, NULL, 0},
    {"fault token refuse invalid_scope", MCPHOST_E_AUTH,
     AT_TOKEN "|invalid_scope|configure other scopes", NULL, NULL, 0},
    {"fault token refuse made_up a reason", MCPHOST_E_AUTH,
     AT_TOKEN "|made_up|a reason" AGAIN, NULL, NULL, 0},
    {"fault token refuse-ok invalid_grant", MCPHOST_E_AUTH,
     AT_TOKEN "|invalid_grant" AGAIN, NULL, NULL, 0},
    {"fault token status 500", MCPHOST_E_TRANSPORT, AT_TOKEN "|500" LATER, NULL, NULL, 0},
    {"fault token status 429 120", MCPHOST_E_TRANSPORT, AT_TOKEN "|429" LATER "|120 s",
     NULL, NULL, 0},
    {"fault token status 503 Fri, 27 Nov 2099 10:00:00 GMT", MCPHOST_E_TRANSPORT,
     AT_TOKEN "|503" LATER "|after 3600 s", NULL, NULL, 0},
    {"fault token once status 429 1", 0, "", NULL, NULL, 0},
    {"fault token missing", MCPHOST_E_AUTH, AT_TOKEN "|404", NULL, NULL, 0},
    {"fault token redirect", MCPHOST_E_PROTOCOL, AT_TOKEN "|redirect" CHECK_URL, NULL,
     NULL, 0},
    {"fault token garbage", MCPHOST_E_PROTOCOL, AT_TOKEN CHECK_DOC, NULL, NULL, 0},
    {"fault token endless", MCPHOST_E_LIMIT, AT_TOKEN "|1048576" OPERATOR, NULL, NULL, 0},
    {"fault token huge 2M", MCPHOST_E_LIMIT, AT_TOKEN "|1048576" OPERATOR, NULL, NULL, 0},
    {"fault token cut", MCPHOST_E_TRANSPORT, AT_TOKEN NETWORK, NULL, NULL, 0},
    {"fault token lost", MCPHOST_E_TRANSPORT, AT_TOKEN NETWORK, NULL, NULL, 0},
    {"fault token half", MCPHOST_E_TRANSPORT, AT_TOKEN NETWORK, NULL, NULL, 0},
    {"fault token type", 0, "", NULL, NULL, 0},
    {"fault token lying mac", MCPHOST_E_PROTOCOL,
     AT_TOKEN "|neither Bearer nor DPoP" OPERATOR, NULL, NULL, 0},
    {"fault token nul", MCPHOST_E_PROTOCOL, AT_TOKEN, NULL, NULL, 0},
    {"fault token hold", MCPHOST_E_TIMEOUT, AT_TOKEN NETWORK, NULL, NULL, 0},
    {"fault token nonce-loop", MCPHOST_E_AUTH, AT_TOKEN "|use_dpop_nonce", "dpop nonce",
     NULL, 0},
    {"fault token absurd-expiry", 0, "", NULL, NULL, 0},
    {"member token access_token", MCPHOST_E_PROTOCOL, AT_TOKEN "|access_token" OPERATOR,
     NULL, NULL, 0},
    {"member token access_token 7", MCPHOST_E_PROTOCOL, AT_TOKEN "|access_token" OPERATOR,
     NULL, NULL, 0},
    {"member token token_type", MCPHOST_E_PROTOCOL, AT_TOKEN "|token_type" OPERATOR, NULL,
     NULL, 0},
    {"skew 3600", MCPHOST_E_AUTH, AT_TOKEN "|clock", "dpop required", NULL, 0},
};

#define BY_DEVICE "auth: {flow: device}"

static const struct row devices[] = {
    {"fault device refuse invalid_client a reason", MCPHOST_E_AUTH,
     AT_DEVICE "|invalid_client|a reason|check the client id", NULL, BY_DEVICE, 0},
    {"fault device status 500", MCPHOST_E_TRANSPORT, AT_DEVICE "|500" LATER, NULL,
     BY_DEVICE, 0},
    {"fault device status 429 77", MCPHOST_E_TRANSPORT, AT_DEVICE "|429" LATER "|77 s",
     NULL, BY_DEVICE, 0},
    {"fault device status 503 99999", MCPHOST_E_TRANSPORT,
     AT_DEVICE "|503" LATER "|after 3600 s", NULL, BY_DEVICE, 0},
    {"fault token status 503 120", MCPHOST_E_TRANSPORT, AT_TOKEN "|503" LATER "|120 s",
     NULL, BY_DEVICE, 0},
    {"fault device redirect", MCPHOST_E_PROTOCOL, AT_DEVICE "|redirect" CHECK_URL, NULL,
     BY_DEVICE, 0},
    {"fault device garbage", MCPHOST_E_PROTOCOL, AT_DEVICE CHECK_DOC, NULL, BY_DEVICE, 0},
    {"fault device endless", MCPHOST_E_LIMIT, AT_DEVICE "|1048576" OPERATOR, NULL,
     BY_DEVICE, 0},
    {"fault device cut", MCPHOST_E_TRANSPORT, AT_DEVICE NETWORK, NULL, BY_DEVICE, 0},
    {"fault device half", MCPHOST_E_TRANSPORT, AT_DEVICE NETWORK, NULL, BY_DEVICE, 0},
    {"fault device lying", MCPHOST_E_DENIED, "verification URI" OPERATOR, NULL, BY_DEVICE,
     0},
    {"fault device lying http://10.0.0.1/d?canary", MCPHOST_E_DENIED,
     "verification URI at http://10.0.0.1/d: " OPERATOR, NULL, BY_DEVICE, 0},
    {"fault device nul", MCPHOST_E_PROTOCOL, AT_DEVICE, NULL, BY_DEVICE, 0},
    {"fault device hold", MCPHOST_E_TIMEOUT, AT_DEVICE NETWORK, NULL, BY_DEVICE, 0},
    {"member device user_code \"a\\u0007b\"", MCPHOST_E_PROTOCOL,
     AT_DEVICE "|user_code" OPERATOR, NULL, BY_DEVICE, 0},
    {"member device device_code", MCPHOST_E_PROTOCOL, AT_DEVICE "|device_code" OPERATOR,
     NULL, BY_DEVICE, 0},
    {"fault token refuse expired_token", MCPHOST_E_AUTH, AT_TOKEN "|expired_token" AGAIN,
     NULL, BY_DEVICE, 0},
};

/* Faults that occur while the host refreshes the token of a login during a call. */
static const struct row refreshes[] = {
    {"fault refresh status 503", MCPHOST_E_TRANSPORT, AT_REFRESH "|503" LATER, NULL, NULL,
     0},
    {"fault refresh redirect", MCPHOST_E_PROTOCOL, AT_REFRESH "|redirect" CHECK_URL, NULL,
     NULL, 0},
    {"fault refresh garbage", MCPHOST_E_PROTOCOL, AT_REFRESH CHECK_DOC, NULL, NULL, 0},
    {"fault refresh endless", MCPHOST_E_LIMIT, AT_REFRESH "|1048576" OPERATOR, NULL, NULL,
     0},
    {"fault refresh cut", MCPHOST_E_TRANSPORT, AT_REFRESH NETWORK, NULL, NULL, 0},
    {"fault refresh lying mac", MCPHOST_E_PROTOCOL, AT_REFRESH "|Bearer" OPERATOR,
     "rotate off", NULL, 0},
    {"fault refresh nul", MCPHOST_E_PROTOCOL, AT_REFRESH, "rotate off", NULL, 0},
    {"fault refresh refuse invalid_scope", MCPHOST_E_AUTH,
     AT_REFRESH "|invalid_scope|configure other scopes", NULL, NULL, 0},
    {"fault refresh nonce-loop", MCPHOST_E_AUTH, AT_REFRESH "|use_dpop_nonce",
     "dpop nonce", NULL, 0},
    {"fault refresh hold", MCPHOST_E_TIMEOUT, AT_REFRESH NETWORK, "rotate off", NULL, 0},
    {"fault resource status 500", MCPHOST_E_TRANSPORT, AT_RESOURCE "|500" LATER, NULL,
     NULL, 0},
    {"fault issuer status 500", MCPHOST_E_TRANSPORT, AT_ISSUER "|500" LATER, NULL, NULL,
     0},
};

/* ---- a row ------------------------------------------------------------------------- */

/* Ends all faults that a row can set. */
static void
mend(void)
{
    ar_say(&lr.ar, "fault challenge none\nfault resource none\nfault issuer none\n"
                   "fault register none\nfault authorize none\nfault token none\n"
                   "fault refresh none\nfault device none\nforget members\npkce on\n"
                   "trusts 1\nskew 0\ndevice approve 1");
}

static void
up(const struct row *row, const char *fault)
{
    char script[512], keys[256];
    bool by_device = row->keys && strcmp(row->keys, BY_DEVICE) == 0;

    lr_up(&lr, by_device ? LR_WAIT : BROWSER_LOGIN);
    mcph_keeper_set_fetch_ms(lr.hr.host->keeper, 1200);
    if (row->timeout_ms)
        hr_option(&lr.hr, MCPHOST_OPT_REQUEST_TIMEOUT, row->timeout_ms);
    snprintf(script, sizeof(script), "device approve 1\n%s\n%s",
             row->script ? row->script : "", fault);
    ar_web(&lr.hr, &lr.ar, "web", script);
    snprintf(keys, sizeof(keys), "%s", row->keys ? row->keys : "");
    if (strcmp(keys, "ISSUER") == 0)
        snprintf(keys, sizeof(keys), "auth: {issuer: \"%s\"}", ar_issuer(&lr.ar, 1));
    hr_url(&lr.hr, "web", lr.ar.web.url, keys);
}

static void
check_message(const struct row *row, int code, const char *why)
{
    static const char *const never[] = {"canary", "?",     "code=",  "state=", "(null)",
                                        "; ;",    "next:", "likely", "\n"};

    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        ck_assert_msg(!strstr(why, never[i]), "%s: '%s' in %s", row->fault, never[i],
                      why);
    ck_assert_msg(code == row->code, "%s: code %d: %s", row->fault, code, why);
    test_has(why, "server 'web': ");
    test_has_all(why, row->words);
    ck_assert_int_eq(lr_open(&lr), 0);
}

/* Checks a row whose fault occurs during the start of the server. */
static void
check_start(const struct row *row)
{
    int code;

    up(row, row->fault);
    hr_load(&lr.hr);
    if (row->code == 0) {
        ck_assert_int_eq(strcmp(lr_whoami(&lr), "user tools"), 0);
    } else {
        const char *why = lr_why(&lr, &code);

        check_message(row, code, why);
        mend();
        lr_restart(&lr);
        ck_assert_str_eq(lr_whoami(&lr), "user tools");
    }
    ck_assert_int_eq(lr_open(&lr), 0);
    lr_down(&lr);
}

#define MATRIX(name, rows)      \
    START_TEST(name)            \
    {                           \
        check_start(&rows[_i]); \
    }                           \
    END_TEST

MATRIX(a_fault_of_a_challenge_is_named, challenges)

/* The relay lets the host reach the server under the name of another machine.  The
 * challenge names an https URL for the metadata.  Therefore the host has no reason to
 * refuse this URL, and refuses the login because of the server's own URL. */
START_TEST(a_login_for_a_plain_http_server_of_another_machine_is_refused)
{
    struct relay *relay;
    char keys[64];
    int code;

    lr_up(&lr, BROWSER_LOGIN);
    mcph_keeper_set_fetch_ms(lr.hr.host->keeper, 1200);
    ar_web(&lr.hr, &lr.ar, "web", "fault challenge lying https://web.test/metadata");
    relay = relay_up(lr.ar.web.port, NULL);
    snprintf(keys, sizeof(keys), "proxy: 'http://127.0.0.1:%d'", relay_port(relay));
    hr_url(&lr.hr, "web", "http://web.test/mcp", keys);
    hr_load(&lr.hr);
    test_has_all(lr_why(&lr, &code), "login at http://web.test|the URL is not an https "
                                     "URL|allowed only on the loopback interface");
    ck_assert_int_eq(code, MCPHOST_E_DENIED);
    ck_assert_int_eq(lr.n_asked, 0);
    relay_down(relay);
    lr_down(&lr);
}
END_TEST

MATRIX(a_fault_of_the_resource_metadata_is_named, resources)
MATRIX(a_fault_of_the_issuer_metadata_is_named, issuers)
MATRIX(a_fault_of_the_registration_is_named, registrations)
MATRIX(a_fault_of_the_authorization_is_named, authorizations)
MATRIX(a_fault_of_the_token_request_is_named, tokens)
MATRIX(a_fault_of_the_device_request_is_named, devices)

/* R65: the login is kept, and the user is not asked again. */
START_TEST(a_fault_of_a_refresh_is_named_and_keeps_the_login)
{
    const struct row *row = &refreshes[_i];
    char why[4096];
    int code;

    up(row, "");
    hr_load(&lr.hr);
    hr_loaded(&lr.hr, "web");
    ar_say(&lr.ar, "forget access\n%s", row->fault);
    code = lr_fail(&lr, why, sizeof(why));
    check_message(row, code, why);
    mend();
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

/* ---- secrets ----------------------------------------------------------------------- */

START_TEST(a_secret_that_a_server_repeats_is_masked)
{
    int code;

    lr_up(&lr, BROWSER_LOGIN);
    ar_http(&lr.hr, &lr.ar, "web", "auth: {clientId: own, clientSecret: canary-secret}",
            "client own basic canary-secret\n"
            "fault token refuse invalid_grant bad canary-secret");
    hr_load(&lr.hr);
    test_has(lr_why(&lr, &code), "invalid_grant (bad ***");
    ck_assert_int_eq(code, MCPHOST_E_AUTH);
    lr_down(&lr);
}
END_TEST

/* ---- the suite --------------------------------------------------------------------- */

#define ROWS(rows) (int)(sizeof(rows) / sizeof(rows[0]))

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "metadata");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_fault_of_a_challenge_is_named, 0, ROWS(challenges));
    tcase_add_test(tc, a_login_for_a_plain_http_server_of_another_machine_is_refused);
    tcase_add_loop_test(tc, a_fault_of_the_resource_metadata_is_named, 0,
                        ROWS(resources));
    tcase_add_loop_test(tc, a_fault_of_the_issuer_metadata_is_named, 0, ROWS(issuers));
    tc = test_case(suite, "requests");
    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_fault_of_the_registration_is_named, 0, ROWS(registrations));
    tcase_add_loop_test(tc, a_fault_of_the_authorization_is_named, 0,
                        ROWS(authorizations));
    tcase_add_loop_test(tc, a_fault_of_the_token_request_is_named, 0, ROWS(tokens));
    tcase_add_loop_test(tc, a_fault_of_the_device_request_is_named, 0, ROWS(devices));
    tcase_add_loop_test(tc, a_fault_of_a_refresh_is_named_and_keeps_the_login, 0,
                        ROWS(refreshes));
    tcase_add_test(tc, a_secret_that_a_server_repeats_is_masked);
}

int
main(void)
{
    return test_main("login-faults", add);
}
