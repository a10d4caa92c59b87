/* SPDX-License-Identifier: MIT
 *
 * test_client_session.c - a client that resumes a session that another client has
 * begun.
 */
#include <string.h>

#include "protocol/clientrig.h"
#include "support/runner.h"

#define RPC_ERROR(id, code, message)                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"" message "\"}}"

static struct cr_call a;

static void
up(void)
{
    cr_up();
    cr.web = true;
    cr_call_init(&a, 1, "alpha", NULL);
}

static void
send_call(struct cr_call *call)
{
    cr_call_go(call);
    cr_next();
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\",\"params\":{}}"

static void
take_up(void)
{
    cr.spec.session = true;
    cr.spec.lists = 1u << MCPH_LIST_TOOLS;
    cr_start();
    cr_expect(PING("1"));
    ck_assert_int_eq(cr_kind(), MCPH_SEND_REQUEST);
    ck_assert_str_eq(cr_headers(), "");
}

/* R20 */
START_TEST(a_configured_session_is_resumed_without_a_handshake)
{
    const struct mcph_client_info *info;

    take_up();
    cr_answer(cr_stream(),
              _i ? CR_REFUSED("1") : "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    ck_assert_int_eq(cr.ready, 1);
    info = mcph_client_get_info(cr.client);
    ck_assert_int_eq(info->era, MCPH_CLIENT_LEGACY);
    ck_assert(info->offers == MCPH_OFFERS_ALL && info->taken_up);
    /* The client sends no version header, because it does not know the version of the
     * session. */
    test_has(cr_next(), "\"method\":\"tools/list\"");
    ck_assert_str_eq(cr_headers(), "");
    send_call(&a);
    ck_assert_str_eq(cr_headers(), "");
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(cr.odds, 0);
}
END_TEST

static const struct {
    int status;
    const char *body;
} unknown_sessions[] = {
    {404, NULL},
    {404, RPC_ERROR("null", "-32001", "Session not found")},
    {400, RPC_ERROR("null", "-32000", "Bad Request: No valid session ID provided")},
    {400, RPC_ERROR("null", "-32000", "Bad Request: Server not initialized")},
};

/* R20 */
START_TEST(an_unknown_configured_session_is_reported_and_replaced)
{
    take_up();
    cr_status(cr_stream(), unknown_sessions[_i].status, NULL, unknown_sessions[_i].body);
    ck_assert_int_eq(cr.odds, 1);
    test_has(cr.odd, "session_unknown: does not know the session in 'sessionId'");
    test_has(cr_next(), "\"method\":\"initialize\"");
    ck_assert_int_eq(cr_kind(), MCPH_SEND_INITIALIZE);
    cr_answer(cr_stream(), CR_INIT_RESULT("2", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    ck_assert_str_eq(cr_headers(), "MCP-Protocol-Version=2025-06-18");
    ck_assert_int_eq(cr.ready, 1);
    ck_assert(!mcph_client_get_info(cr.client)->taken_up);
    ck_assert_int_eq(cr.odds, 1);
}
END_TEST

/* R20 */
START_TEST(a_resumed_session_that_is_lost_is_reported_and_replaced)
{
    take_up();
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    cr_next();
    cr_answer(cr_stream(), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}");
    send_call(&a);
    cr_status(cr_stream(), 404, NULL, NULL);
    ck_assert_int_eq(cr.odds, 1);
    test_has(cr_next(), "\"method\":\"initialize\"");
    cr_answer(cr_stream(), CR_INIT_RESULT("4", "2025-06-18"));
    cr_expect(CR_INITIALIZED);
    test_has(cr_next(), "tools/");
    ck_assert_int_eq(cr.ready, 2);
}
END_TEST

START_TEST(status_500_for_a_configured_session_ends_the_client)
{
    take_up();
    cr_status(cr_stream(), 500, NULL, NULL);
    cr_expect_nothing();
    ck_assert_int_eq(cr.downs, 1);
    test_has(mcphost_error_get_message(cr.error), "HTTP status 500");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "given sessions");
    tcase_add_checked_fixture(tc, up, cr_down);
    tcase_add_loop_test(tc, a_configured_session_is_resumed_without_a_handshake, 0, 2);
    tcase_add_loop_test(tc, an_unknown_configured_session_is_reported_and_replaced, 0,
                        MCPH_ARRAY_SIZE(unknown_sessions));
    tcase_add_test(tc, a_resumed_session_that_is_lost_is_reported_and_replaced);
    tcase_add_test(tc, status_500_for_a_configured_session_ends_the_client);
}

int
main(void)
{
    return test_main("client-session", add);
}
