/* SPDX-License-Identifier: MIT
 *
 * test_torture_logout.c - logouts of a host while memory runs out.
 *
 * A logout that succeeds has removed the record, and the log reports its revocation at
 * most once.  A logout that fails can be repeated.  The revocation fails, because no
 * process listens at the authorization server's port.
 */
#include <stdio.h>
#include <string.h>

#include "host/logins.h"
#include "torture/session.h"
#include "torture/tokens.h"
#include "torture/torture.h"

#define ISSUER "http://127.0.0.1:1"
#define SERVER ISSUER "/mcp"
#define SECRET "refresh-token-1"

static mcphost_config *config;
static int told; /* number of log lines about the revocation */

static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    torture_must(!strstr(line, SECRET));
    told += strncmp(line, "logout:", 7) == 0;
}

static void
fill_store(void)
{
    memset(&tokens, 0, sizeof(tokens));
    tokens.n = 1;
    snprintf(tokens.rows[0].key, sizeof(tokens.rows[0].key), "%s",
             "[\"" ISSUER "\",\"" SERVER "\",\"c1\",\"\"]");
    snprintf(tokens.rows[0].text, sizeof(tokens.rows[0].text), "%s",
             "{\"access_token\":\"access-token-1\",\"refresh_token\":\"" SECRET "\"}");
}

static mcphost *
begin(void)
{
    mcphost *host = NULL;
    mcphost_error *error = NULL;
    int r = mcphost_new(&host, &error);

    if (!torture_told(r, error))
        return NULL;
    error = NULL;
    r = mcphost_set_token_callbacks(host, tokens_calls.load, tokens_calls.save,
                                    tokens_calls.next, tokens_calls.arg,
                                    tokens_calls.free_arg, &error);
    torture_must(r == 0 || tokens.n_freed == 1);
    if (torture_told(r, error) &&
        torture_good(mcphost_set_log(host, MCPHOST_LOG_INFO, on_log, NULL, NULL)) &&
        torture_good(mcphost_load(host, config)))
        return host;
    mcphost_unref(host);
    return NULL;
}

static void
list(mcphost *host)
{
    mcphost_logins *logins = NULL;
    mcphost_error *error = NULL;
    int r = mcphost_get_logins(host, &logins, &error);

    torture_must((r == 0) == (logins != NULL));
    torture_must(r < 0 || mcphost_logins_count(logins) == 1);
    torture_told(r, error);
    mcphost_logins_unref(logins);
}

static void
log_out(mcphost *host)
{
    mcphost_error *error = NULL;
    int r = mcphost_log_out(host, "web", &error);

    torture_must(r < 0 || tokens.n == 0);
    if (torture_told(r, error))
        return;
    failing_pause();
    torture_must(mcphost_log_out(host, "web", NULL) == 0 && tokens.n == 0);
    failing_resume();
}

/* Begins the revocation, as the dispatcher does, and closes the host.  Memory is not
 * short during the requests, because libcurl crashes or leaks if memory is short.
 * test_torture_login.c tries the other allocations of a revocation. */
static void
close_host(mcphost *host)
{
    int r = 0;

    mcph_logins_revoke(host);
    failing_pause();
    torture_must(mcphost_close_within(host, 200) == 0);
    for (int i = 0; r >= 0 && i < 500; i++)
        r = mcphost_wait(host, 10);
    torture_must(r == MCPHOST_E_CLOSED);
    failing_resume();
    mcphost_unref(host);
}

static int
run(void)
{
    mcphost *host;
    int r;

    told = 0;
    fill_store();
    host = begin();
    if (host) {
        list(host);
        log_out(host);
        close_host(host);
        torture_must(tokens.n_freed == 1);
    }
    torture_must(told <= 1);
    r = torture_code();
    return r < 0 || told ? r : MCPHOST_E_NOMEM;
}

static void
up(void)
{
    static const char yaml[] =
        "version: 1\nservers:\n  web: {transport: streamable_http, "
        "url: '" SERVER "'}\n";

    session_up();
    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, strlen(yaml), NULL, "/", &config, NULL), 0);
}

static void
down(void)
{
    config = mcphost_config_unref(config);
    session_down();
}

START_TEST(a_logout_removes_the_record_or_can_be_repeated)
{
    torture_run(&(struct torture){.run = run, .least = 200}, _i);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "logout");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_logout_removes_the_record_or_can_be_repeated, 0, 2);
    tcase_set_timeout(tc, 120);
}

int
main(void)
{
    return torture_main("torture-logout", add);
}
