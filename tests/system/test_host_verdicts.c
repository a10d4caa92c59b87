/* SPDX-License-Identifier: MIT
 *
 * test_host_verdicts.c - verdicts on the eras of servers, exported and imported.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/hostrig.h"

static struct hostrig hr;
static const char salt[] = "0123456789abcdef", other_salt[] = "fedcba9876543210";

static void
import(const char *with_salt, const char *json)
{
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, with_salt, 16, json, strlen(json)), 0);
}

/* Returns the exported verdicts.  The text lives until the next call. */
static const char *
exported(const char *with_salt)
{
    static char text[1024];
    char *json;
    size_t len;

    ck_assert_int_eq(mcphost_get_verdicts(hr.host, with_salt, 16, &json, &len), 0);
    ck_assert_uint_lt(len, sizeof(text));
    memcpy(text, json, len + 1);
    mcphost_free(json);
    return text;
}

/* The kept verdict says that the server has the legacy era.  The host therefore begins
 * with initialize. */
START_TEST(a_host_with_a_kept_verdict_sends_no_probe)
{
    char kept[1024], guard[4200];
    char *json;
    size_t len;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, "era legacy");
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 8, &json, &len),
                     MCPHOST_E_INVALID);
    snprintf(kept, sizeof(kept), "%s", exported(salt));
    test_has(kept, "\"era\":\"legacy\"");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "server/discover"), 1);
    mcphost_close(hr.host);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
    mcphost_unref(hr.host);
    ck_assert_int_eq(mcphost_new(&hr.host, NULL), 0);
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, guard), 0);
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, "[", 1), MCPHOST_E_INVALID);
    import(salt, kept);
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
    char legacy[256], modern[256], all[1024];

    hr_up(&hr);
    keep_verdict(legacy, sizeof(legacy), OLD_KEY, "legacy", 8);
    keep_verdict(modern, sizeof(modern), NEW_KEY, "modern", 400);
    snprintf(all, sizeof(all), "{\"verdicts\":[5,%s,{\"key\":1},%s]}", legacy, modern);
    import(salt, all);
    test_has(exported(salt), NEW_KEY);
    ck_assert_ptr_null(strstr(exported(salt), OLD_KEY));
    ck_assert_ptr_null(strstr(exported(other_salt), NEW_KEY));
    /* A later call of mcphost_set_verdicts() may have another salt. */
    import(other_salt, "{\"verdicts\":[]}");
    ck_assert_ptr_null(strstr(exported(other_salt), NEW_KEY));
    hr_down(&hr);
}
END_TEST

/* The verdicts are imported with the same salt. */
START_TEST(of_two_imported_verdicts_with_one_key_the_newer_one_is_kept)
{
    char older[256], newer[256], all[600];

    hr_up(&hr);
    keep_verdict(older, sizeof(older), NEW_KEY, "legacy", 2);
    keep_verdict(newer, sizeof(newer), NEW_KEY, "modern", 1);
    for (int i = 0; i < 3; i++) {
        snprintf(all, sizeof(all), "{\"verdicts\":[%s]}", i == 1 ? newer : older);
        import(salt, all);
    }
    snprintf(all, sizeof(all), "{\"verdicts\":[%s]}", newer);
    ck_assert_str_eq(exported(salt), all);
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
