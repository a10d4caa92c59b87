/* SPDX-License-Identifier: MIT
 *
 * test_host_verdicts.c - verdicts on the eras of servers, exported and imported.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/hostrig.h"

static struct hostrig hr;

/* The kept verdict says that the server has the legacy era.  The host therefore begins
 * with initialize. */
START_TEST(a_host_with_a_kept_verdict_sends_no_probe)
{
    static const char salt[16] = "0123456789abcdef";
    char kept[1024], guard[4200];
    char *json;
    size_t len;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, "era legacy");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 8, &json, &len),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 16, &json, &len), 0);
    ck_assert_uint_lt(len, sizeof(kept));
    memcpy(kept, json, len + 1);
    mcphost_free(json);
    ck_assert_ptr_nonnull(strstr(kept, "\"era\":\"legacy\""));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    mcphost_close(hr.host);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
    mcphost_unref(hr.host);
    ck_assert_int_eq(mcphost_new(&hr.host, NULL), 0);
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, guard), 0);
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, "[", 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, kept, strlen(kept)), 0);
    hr_load(&hr);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"initialize\""), 2);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

#define OLD_KEY "00000000000000000000000000000000000000000000000000000000000000aa"
#define NEW_KEY "00000000000000000000000000000000000000000000000000000000000000bb"

/* Writes one verdict as JSON into `buf`.  The verdict is `age` days old. */
static void
keep_verdict(char *buf, size_t size, const char *key, const char *era, int age)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    snprintf(buf, size,
             "{\"key\":\"%s\",\"era\":\"%s\",\"version\":\"2025-11-25\",\"at\":%lld}",
             key, era, (long long)(ts.tv_sec - age * 86400LL) * 1000);
}

/* mcphost_get_verdicts() returns imported verdicts even if no server has used them. */
START_TEST(legacy_verdicts_over_seven_days_old_are_not_imported)
{
    static const char salt[16] = "0123456789abcdef";
    char legacy[256], modern[256], all[1024];
    char *json;
    size_t len;

    hr_up(&hr);
    keep_verdict(legacy, sizeof(legacy), OLD_KEY, "legacy", 8);
    keep_verdict(modern, sizeof(modern), NEW_KEY, "modern", 400);
    snprintf(all, sizeof(all), "{\"verdicts\":[5,%s,{\"key\":1},%s]}", legacy, modern);
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, all, strlen(all)), 0);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 16, &json, &len), 0);
    ck_assert_ptr_nonnull(strstr(json, NEW_KEY));
    ck_assert_ptr_null(strstr(json, OLD_KEY));
    mcphost_free(json);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, "fedcba9876543210", 16, &json, &len),
                     0);
    ck_assert_ptr_null(strstr(json, NEW_KEY));
    mcphost_free(json);
    /* A later call of mcphost_set_verdicts() may have another salt. */
    ck_assert_int_eq(
        mcphost_set_verdicts(hr.host, "fedcba9876543210", 16, "{\"verdicts\":[]}", 15),
        0);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, "fedcba9876543210", 16, &json, &len),
                     0);
    ck_assert_ptr_null(strstr(json, NEW_KEY));
    mcphost_free(json);
    hr_down(&hr);
}
END_TEST

/* Both verdicts are imported with the same salt. */
START_TEST(of_two_imported_verdicts_with_one_key_the_newer_one_is_kept)
{
    static const char salt[16] = "0123456789abcdef";
    char older[256], newer[256], all[600];
    char *json;
    size_t len;

    hr_up(&hr);
    keep_verdict(older, sizeof(older), NEW_KEY, "legacy", 2);
    keep_verdict(newer, sizeof(newer), NEW_KEY, "modern", 1);
    for (int i = 0; i < 3; i++) {
        snprintf(all, sizeof(all), "{\"verdicts\":[%s]}", i == 1 ? newer : older);
        ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, all, strlen(all)), 0);
    }
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 16, &json, &len), 0);
    snprintf(all, sizeof(all), "{\"verdicts\":[%s]}", newer);
    ck_assert_str_eq(json, all);
    mcphost_free(json);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "verdicts");

    tcase_add_test(tc, a_host_with_a_kept_verdict_sends_no_probe);
    tcase_add_test(tc, legacy_verdicts_over_seven_days_old_are_not_imported);
    tcase_add_test(tc, of_two_imported_verdicts_with_one_key_the_newer_one_is_kept);
}

int
main(void)
{
    return test_main("host-verdicts", add);
}
