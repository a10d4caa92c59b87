/* SPDX-License-Identifier: MIT
 *
 * test_host_more.c - resources, templates and prompts of running servers: first lists,
 * changes, lists that fail, changed filters.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define OFFERS                                                         \
    "capabilities {\"tools\":{},\"resources\":{\"listChanged\":true}," \
    "\"prompts\":{\"listChanged\":true}}\n"                            \
    "no-tools\ntool grow\n"                                            \
    "on call:grow\n notify notifications/resources/list_changed\n text grown\n"
#define RESOURCE(uri) "{\"uri\":\"" uri "\",\"name\":\"n\"}"
#define RESOURCES(on, delay, list)                                                       \
    "on resources/list" on "\n" delay " result {\"ttlMs\":0,\"cacheScope\":\"private\"," \
    "\"resources\":[" list "]}\n"
#define TEMPLATES                                                                   \
    "on resources/templates/list\n result {\"ttlMs\":0,\"cacheScope\":\"private\"," \
    "\"resourceTemplates\":[{\"uriTemplate\":\"f:{x}\",\"name\":\"t\"}]}\n"
#define PROMPTS                                                                    \
    "on prompts/list\n delay 10\n result {\"ttlMs\":0,\"cacheScope\":\"private\"," \
    "\"prompts\":[{\"name\":\"p\"}]}\n"
#define SHARED "truely-stateless: true"

static struct hostrig hr;

static void
up(const char *keys, const char *script)
{
    hr_up(&hr);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
}

/* Returns the counts of server `a` as "RESOURCES TEMPLATES PROMPTS TOOLS".  Looks in
 * the catalog of `dialog` or, if `dialog` is NULL, of the default view. */
static const char *
counts(mcphost_dialog *dialog)
{
    static char text[64];
    mcphost_catalog *catalog;
    const mcphost_server *server;

    if (dialog)
        ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    else
        ck_assert_int_eq(
            mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog), 0);
    server = mcphost_catalog_find_server(catalog, "a");
    snprintf(text, sizeof(text), "%zu %zu %zu %zu",
             mcphost_server_count_resources(server),
             mcphost_server_count_resource_templates(server),
             mcphost_server_count_prompts(server), mcphost_server_count_tools(server));
    mcphost_catalog_unref(catalog);
    return text;
}

static const char *const loads[] = {
    "era legacy\n" OFFERS RESOURCES(
        "", " delay 20\n", RESOURCE("f:a") "," RESOURCE("f:b")) TEMPLATES PROMPTS,
    "era modern\n" OFFERS RESOURCES(
        "", " delay 20\n", RESOURCE("f:a") "," RESOURCE("f:b")) TEMPLATES PROMPTS,
};

/* R157 R166 */
START_TEST(a_load_ends_after_all_kinds_of_lists_have_arrived)
{
    up(NULL, loads[_i]);
    ck_assert_str_eq(counts(NULL), "2 1 1 1");
    hr_down(&hr);
}
END_TEST

/* R157 R118 */
START_TEST(a_failed_resource_list_is_a_problem_and_other_lists_are_published)
{
    static const char *const failing[] = {
        "era legacy\n" OFFERS "on resources/list\n error -32000 no\n" TEMPLATES PROMPTS,
        "era modern\n" OFFERS "on resources/list\n error -32000 no\n" TEMPLATES PROMPTS,
    };

    up(NULL, failing[_i]);
    hr_loaded(&hr, "a");
    ck_assert_str_eq(counts(NULL), "0 1 1 1");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/list_error/resources"));
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(a_change_in_resources_alone_publishes_once)
{
    uint64_t version;
    int events;

    up(SHARED, "era legacy\n" OFFERS RESOURCES("", "", RESOURCE("f:a")) RESOURCES(
                   " 2", "", RESOURCE("f:a") "," RESOURCE("f:b")) TEMPLATES PROMPTS);
    version = hr_version(&hr);
    events = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL);
    hr_until(&hr, strcmp(counts(NULL), "2 1 1 1") == 0);
    ck_assert_uint_eq(hr_version(&hr), version + 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), events + 1);
    hr_down(&hr);
}
END_TEST

/* R173 */
START_TEST(the_last_good_list_is_kept_when_a_later_list_fails)
{
    up(SHARED,
       "era legacy\n" OFFERS RESOURCES(
           "", "",
           RESOURCE("f:a")) "on resources/list 2\n error -32000 no\n" TEMPLATES PROMPTS);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_grow", NULL);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/list_error/resources"));
    ck_assert_str_eq(counts(NULL), "1 1 1 1");
    hr_say(&hr, hr_dialog(&hr, "e"), "a_grow", NULL);
    hr_until(&hr, !hr_problem(&hr, "mcp/server/a/list_error/resources"));
    ck_assert_str_eq(counts(NULL), "1 1 1 1");
    hr_down(&hr);
}
END_TEST

/* R103 */
START_TEST(a_changed_filter_is_applied_without_a_restart)
{
    int64_t pid;

    up(SHARED, loads[0]);
    pid = hr_server_pid(&hr, "a");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nresources: {blacklist: ['f:b']}", loads[0]);
    hr_load_only(&hr);
    hr_until(&hr, strcmp(counts(NULL), "1 1 1 1") == 0);
    ck_assert_int_eq(hr_server_pid(&hr, "a"), pid);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "more");

    tcase_add_loop_test(tc, a_load_ends_after_all_kinds_of_lists_have_arrived, 0, 2);
    tcase_add_loop_test(
        tc, a_failed_resource_list_is_a_problem_and_other_lists_are_published, 0, 2);
    tcase_add_test(tc, a_change_in_resources_alone_publishes_once);
    tcase_add_test(tc, the_last_good_list_is_kept_when_a_later_list_fails);
    tcase_add_test(tc, a_changed_filter_is_applied_without_a_restart);
}

int
main(void)
{
    return test_main("host-more", add);
}
