/* SPDX-License-Identifier: MIT
 *
 * test_net_status.c - the explanations of HTTP statuses and of requests without a
 * response.
 */
#include <limits.h>
#include <string.h>

#include "net/net.h"
#include "support/runner.h"

static const struct {
    int status, code;
    const char *words, *cause;
} meanings[] = {
    {202, MCPHOST_E_PROTOCOL, "without a valid answer", "does not follow the protocol"},
    {304, MCPHOST_E_TRANSPORT, "a redirect", "has moved"},
    {400, MCPHOST_E_TRANSPORT, "", "not known"},
    {401, MCPHOST_E_AUTH, "it wants credentials", "credentials are missing"},
    {402, MCPHOST_E_TRANSPORT, "", "not known"},
    {403, MCPHOST_E_AUTH, "access refused", "credentials are missing"},
    {404, MCPHOST_E_TRANSPORT, "nothing is at this url", "the path"},
    {405, MCPHOST_E_TRANSPORT, "it does not accept POST", "the path"},
    {407, MCPHOST_E_TRANSPORT, "the proxy", "the proxy"},
    {429, MCPHOST_E_TRANSPORT, "limits the number", "limits the number"},
    {500, MCPHOST_E_TRANSPORT, "", "or a proxy before it, fails"},
    {599, MCPHOST_E_TRANSPORT, "", "or a proxy before it, fails"},
    {INT_MAX, MCPHOST_E_TRANSPORT, "", "not known"},
    {-1, MCPHOST_E_TRANSPORT, "", "not known"},
};

START_TEST(each_status_has_its_words)
{
    const struct mcph_net_meaning *meaning = mcph_net_status_meaning(meanings[_i].status);

    ck_assert_int_eq(meaning->code, meanings[_i].code);
    ck_assert_ptr_nonnull(strstr(meaning->words, meanings[_i].words));
    ck_assert_int_eq(!*meaning->words, !*meanings[_i].words);
    ck_assert_ptr_nonnull(strstr(meaning->cause, meanings[_i].cause));
    ck_assert(*meaning->next);
    ck_assert_int_eq(meaning->cause_if_up != NULL, meanings[_i].status / 100 == 5);
}
END_TEST

START_TEST(each_fault_has_its_cause)
{
    for (int fault = MCPH_NET_FAULT_NONE; fault <= MCPH_NET_FAULT_OTHER; fault++) {
        const struct mcph_net_meaning *meaning = mcph_net_fault_meaning(fault);
        bool known = fault != MCPH_NET_FAULT_NONE && fault != MCPH_NET_FAULT_OTHER;

        ck_assert_int_eq(strcmp(meaning->cause, "not known") != 0, known);
        ck_assert(*meaning->next);
    }
}
END_TEST

START_TEST(a_redirect_that_is_not_followed_means_the_same_by_status_and_by_fault)
{
    ck_assert_ptr_eq(mcph_net_fault_meaning(MCPH_NET_FAULT_REDIRECT),
                     mcph_net_status_meaning(307));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "words");

    tcase_add_loop_test(tc, each_status_has_its_words, 0, MCPH_ARRAY_SIZE(meanings));
    tcase_add_test(tc, each_fault_has_its_cause);
    tcase_add_test(tc,
                   a_redirect_that_is_not_followed_means_the_same_by_status_and_by_fault);
}

int
main(void)
{
    return test_main("net-status", add);
}
