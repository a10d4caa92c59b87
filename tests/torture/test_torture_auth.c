/* SPDX-License-Identifier: MIT
 *
 * test_torture_auth.c - credentials that the library asks for while memory runs out.
 *
 * A request gets its credential or an error.  No question stays open.
 */
#include <string.h>

#include "auth/auth.h"
#include "torture/torture.h"

#define URL   "https://one.example/mcp"
#define TOKEN "Authorization\0Bearer t1"

static struct mcph_ask *asked;
static struct mcph_net_auth *auth;
static struct mcph_net_attempt attempt;
static const char *challenge;
static bool is_told;

static int
on_ask(struct mcph_ask *ask, void *arg)
{
    (void)arg;
    torture_must(!asked && ask->message && ask->params);
    asked = ask;
    return 0;
}

static void
on_over(struct mcph_ask *ask, const char *why, void *arg)
{
    (void)arg;
    torture_must(ask == asked && why);
    asked = NULL;
}

static const struct mcph_keeper_events events = {.ask = on_ask, .over = on_over};

static void
attach(struct mcph_net_waiter *waiter)
{
    mcphost_error *error = NULL;
    int r;

    is_told = true;
    mcph_buf_done(&attempt.lines);
    mcph_buf_init(&attempt.lines, 4096);
    attempt.mark = 0;
    r = auth->attach(auth, &attempt, waiter, &error);
    torture_must(r >= 0 || error);
    (void)torture_told(r < 0 ? r : 0, error);
}

static const char *
get_header(const struct mcph_net_answer *answer, const char *name, size_t index)
{
    (void)answer;
    (void)name;
    return index == 0 ? challenge : NULL;
}

static void
cover_nothing(const struct mcph_net_answer *answer, char *text, size_t len)
{
    (void)answer;
    (void)text;
    (void)len;
}

/* Refuses the request as a server does.  Answers the question if the library then asks a
 * question. */
static void
refuse_lines(struct mcph_net_waiter *waiter, int status, const char *line,
             const char *scope)
{
    const struct mcph_net_answer answer = {
        .status = status, .header = get_header, .cover = cover_nothing};
    mcphost_error *error = NULL;
    int verdict;

    challenge = line;
    is_told = false;
    verdict = auth->answered(auth, &attempt, &answer, waiter, &error);
    torture_must(verdict != MCPH_NET_AUTH_FAIL || error);
    if (verdict == MCPH_NET_AUTH_FAIL)
        (void)torture_told(MCPHOST_E_NOMEM, error);
    torture_must((verdict == MCPH_NET_AUTH_WAIT) == (asked != NULL));
    if (!asked)
        return;
    attempt.refusals++;
    mcph_ask_answer(asked, TOKEN, sizeof(TOKEN), -1, scope);
    asked = NULL;
    torture_must(is_told && mcph_list_empty(&waiter->link));
}

static int
session(void)
{
    struct mcph_net_waiter waiter = {.ready = attach};
    struct mcph_keeper *keeper = NULL;
    struct mcph_core *core = NULL;

    asked = NULL;
    auth = NULL;
    mcph_list_init(&waiter.link);
    attempt = (struct mcph_net_attempt){.method = "POST", .url = URL, .number = 1};
    if (torture_good(mcph_core_new(&core, NULL)) &&
        torture_good(mcph_keeper_new(core, &events, NULL, &keeper))) {
        mcph_keeper_set_asking(keeper, true, 5000);
        auth = mcph_keeper_get(keeper, "s", URL);
        (void)torture_good(auth ? 0 : MCPHOST_E_NOMEM);
    }
    if (auth) {
        attach(&waiter);
        refuse_lines(&waiter, 401, "Bearer realm=\"r\", scope=\"read list\"", NULL);
        refuse_lines(&waiter, 403, "Bearer error=insufficient_scope, scope=write",
                     "read write");
        mcph_core_lock(core);
        (void)torture_good(
            mcph_keeper_set_fixed_locked(keeper, "s", NULL, "X-A", "v", NULL));
        mcph_core_unlock(core);
        attach(&waiter);
    }
    mcph_buf_done(&attempt.lines);
    mcph_keeper_put(auth);
    if (keeper)
        mcph_keeper_close(keeper, "the host is closing");
    torture_must(!asked);
    mcph_keeper_free(keeper);
    mcph_core_unref(core);
    return torture_code();
}

START_TEST(if_allocations_fail_a_request_gets_its_credential_or_an_error)
{
    /* MCPHOST_E_AUTH means that there is no credential, because the library could not
     * store the answer. */
    static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_AUTH, 0};

    torture_run(&(struct torture){.run = session, .least = 40, .codes = codes},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "credentials");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, if_allocations_fail_a_request_gets_its_credential_or_an_error,
                        0, 2);
}

int
main(void)
{
    return torture_main("torture-auth", add);
}
