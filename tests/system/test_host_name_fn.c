/* SPDX-License-Identifier: MIT
 *
 * test_host_name_fn.c - a function of the application that names the tools and prompts of
 * a source.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_source *source;
static mcphost_view *view;
static mcphost_dialog *d;

#define PLAIN "transform: []"
#define LONG                                                           \
    "a_name_of_more_than_64_characters_that_the_function_makes_a_very" \
    "_short_one_of"

static struct {
    int named, freed, others_freed;
} seen;

static void
up(void)
{
    memset(&seen, 0, sizeof(seen));
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    ck_assert_int_eq(mcphost_source_new(hr.host, "src", &source, NULL), 0);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, source, NULL, 0), 0);
}

static void
down(void)
{
    view = mcphost_view_unref(view);
    hr_close(&hr);
    source = mcphost_source_unref(source);
    hr_clear(&hr);
}

/* Makes `source` load the servers that hr_server() has added.  Opens dialog `d` at the
 * first load. */
static void
load_servers(void)
{
    mcphost_config *config;

    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
    hr_edit(&hr);
    hr_ready(&hr);
    if (!hr.n_dialogs)
        ck_assert_int_eq(
            mcphost_dialog_new(view, "d", NULL, &hr.dialogs[hr.n_dialogs++], NULL), 0);
    d = hr.dialogs[0];
}

/* Makes the name "SERVER-NAME", with '_' for each '.' and "long" for LONG.  Refuses names
 * that end in "drop". */
static int
on_name(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    size_t len = strlen(name);
    int64_t value;

    ck_assert_ptr_eq(arg, &hr);
    seen.named++;
    /* The library calls on_name() during mcphost_dispatch() and holds no lock. */
    ck_assert_int_eq(mcphost_source_get_policy(source, MCPHOST_OPT_NAMES, &value), 0);
    ck_assert_int_eq((int)value, MCPHOST_NAMES_CALLBACK);
    ck_assert_int_eq(mcphost_dispatch(hr.host), MCPHOST_E_BUSY);
    if (len >= 4 && strcmp(name + len - 4, "drop") == 0) {
        snprintf(buffer, size, "%s may drop nothing", server);
        return MCPHOST_E_DENIED;
    }
    snprintf(buffer, size, "%s-%s", server, strcmp(name, LONG) == 0 ? "long" : name);
    for (char *p = buffer; *p; p++)
        if (*p == '.')
            *p = '_';
    return 0;
}

static int
on_other(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    (void)server;
    (void)arg;
    snprintf(buffer, size, "%s", name);
    return 0;
}

static void
on_free(void *arg)
{
    ck_assert_ptr_eq(arg, &hr);
    seen.freed++;
}

static void
on_other_free(void *arg)
{
    ck_assert_ptr_null(arg);
    seen.others_freed++;
}

static int
set(void)
{
    return mcphost_source_set_name_fn(source, on_name, &hr, on_free);
}

static bool
says(const char *id, const char *text)
{
    const char *message = hr_problem(&hr, id);

    return message && strstr(message, text);
}

START_TEST(a_function_names_the_tools_of_a_source) /* K3 */
{
    up();
    ck_assert_int_eq(set(), 0);
    hr_server(&hr, "a.b", "transform: [{suffix: _x}]\ntools: {blacklist: [no, a.b-*]}",
              "no-tools\ntool db.query\ntool no\ntool " LONG "\n"
              "on call:db.query\n text queried");
    hr_server(&hr, "b", PLAIN,
              "no-tools\ntool db.query\ntool db_query\ntool drop\ntool a/b\ntool " LONG);
    load_servers();
    ck_assert_str_eq(hr_tools(&hr, d), "a_b-db_query_x b-db_query b-long");
    ck_assert_str_eq(hr_say(&hr, d, "a_b-db_query_x", NULL), "queried");
    /* The blacklist matches the server's own name of a tool.  The function gets the name
     * with the suffix. */
    ck_assert_ptr_nonnull(
        hr_problem(&hr, "source/src/mcp/server/a.b/tool_blacklisted/no"));
    ck_assert(says("source/src/mcp/server/b/tool_name_refused/drop",
                   "tool 'drop' is left out: the application refuses its name: "
                   "b may drop nothing"));
    ck_assert(
        says("source/src/mcp/server/b/tool_invalid_name/a/b/transformed", "'b-a/b'"));
    ck_assert_ptr_nonnull(
        hr_problem(&hr, "source/src/mcp/server/b/tool_collision/b-db_query"));
    ck_assert_int_eq(hr_severity(&hr, "source/src/mcp/server/b/tool_name_refused/drop"),
                     MCPHOST_SEVERITY_WARNING);
    ck_assert_int_eq(seen.freed, 0);
    down();
    ck_assert_int_eq(seen.freed, 1);
}
END_TEST

START_TEST(a_function_names_prompts_and_changed_lists_too) /* K3 */
{
    mcphost_catalog *catalog;

    up();
    ck_assert_int_eq(set(), 0);
    hr_server(&hr, "s", PLAIN,
              "capabilities {\"tools\":{\"listChanged\":true},\"prompts\":{}}\n"
              "no-tools\ntool one\non call:one\n use more\n changed\n text done\n"
              "on prompts/list\n result {\"prompts\":[{\"name\":\"ask.me\"},"
              "{\"name\":\"drop\"}]}\n"
              "set more\ntool one\ntool two.three");
    load_servers();
    hr_until(&hr, hr_problem(&hr, "source/src/mcp/server/s/prompt_name_refused/drop"));
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_ptr_nonnull(mcphost_catalog_find_prompt(catalog, "s-ask_me"));
    ck_assert_ptr_null(mcphost_catalog_find_prompt(catalog, "ask.me"));
    mcphost_catalog_unref(catalog);
    ck_assert_str_eq(hr_tools(&hr, d), "s-one");
    ck_assert_str_eq(hr_say(&hr, d, "s-one", NULL), "done");
    hr_until(&hr, strcmp(hr_tools(&hr, d), "s-one s-two_three") == 0);
    down();
}
END_TEST

START_TEST(a_name_function_can_be_set_only_before_the_source_is_loaded)
{
    int64_t value;

    up();
    ck_assert_int_eq(mcphost_source_set_name_fn(source, on_other, NULL, on_other_free),
                     0);
    ck_assert_int_eq(set(), 0); /* on_name() replaces on_other() */
    hr_turn(&hr, 0);
    ck_assert_int_eq(seen.others_freed, 1);
    ck_assert_int_eq(mcphost_source_set_name_fn(source, NULL, NULL, NULL), 0);
    hr_turn(&hr, 0);
    ck_assert_int_eq(seen.freed, 1);
    ck_assert_int_eq(mcphost_source_get_policy(source, MCPHOST_OPT_NAMES, &value), 0);
    ck_assert_int_eq((int)value, MCPHOST_NAMES_TRANSFORMS);
    hr_server(&hr, "s", PLAIN, "no-tools\ntool one");
    load_servers();
    ck_assert_str_eq(hr_tools(&hr, d), "one");
    ck_assert_int_eq(set(), MCPHOST_E_STATE);
    ck_assert_int_eq(seen.freed, 2); /* a refusal frees the argument at once */
    ck_assert_int_eq(mcphost_source_set_name_fn(NULL, on_name, &hr, on_free),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(seen.freed, 3);
    ck_assert_int_eq(seen.named, 0);
    view = mcphost_view_unref(view);
    hr_close(&hr);
    ck_assert_int_eq(set(), MCPHOST_E_CLOSED);
    ck_assert_int_eq(seen.freed, 4);
    source = mcphost_source_unref(source);
    hr_clear(&hr);
}
END_TEST

START_TEST(a_source_that_is_removed_frees_the_argument_when_its_servers_have_ended)
{
    up();
    ck_assert_int_eq(set(), 0);
    hr_server(&hr, "s", PLAIN, "no-tools\ntool one");
    load_servers();
    ck_assert_str_eq(hr_tools(&hr, d), "s-one");
    ck_assert_int_eq(mcphost_source_remove(source), 0);
    ck_assert_int_eq(set(), MCPHOST_E_STATE);
    ck_assert_int_eq(seen.freed, 1); /* the refused call frees its argument */
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    hr_until(&hr, seen.freed == 2);
    down();
    ck_assert_int_eq(seen.freed, 2);
}
END_TEST

START_TEST(the_default_source_may_have_a_function) /* K3 */
{
    memset(&seen, 0, sizeof(seen));
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    source = mcphost_default_source(hr.host);
    ck_assert_int_eq(set(), 0);
    hr_server(&hr, "s", PLAIN, "no-tools\ntool one\ntool drop");
    hr_load(&hr);
    ck_assert_str_eq(hr_tools(&hr, NULL), "s-one");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/s/tool_name_refused/drop"));
    hr_down(&hr);
    ck_assert_int_eq(seen.freed, 1);
}
END_TEST

/* K3 */
START_TEST(names_by_callback_without_a_function_refuse_all_tools)
{
    up();
    ck_assert_int_eq(mcphost_source_set_policy(source, MCPHOST_OPT_NAMES,
                                               MCPHOST_NAMES_CALLBACK, NULL),
                     0);
    hr_server(&hr, "s", PLAIN, "no-tools\ntool one");
    load_servers();
    ck_assert_str_eq(hr_tools(&hr, d), "");
    ck_assert(
        says("source/src/mcp/server/s/tool_name_refused/one", "no name function is set"));
    down();
}
END_TEST

/* R134 K3 */
START_TEST(a_long_tool_name_is_accepted_if_its_full_name_is_short)
{
    up();
    ck_assert_int_eq(
        mcphost_source_set_policy(source, MCPHOST_OPT_NAMES, MCPHOST_NAMES_FULL, NULL),
        0);
    hr_server(&hr, "s", PLAIN,
              "no-tools\ntool ......................................................"
              "......................................................................"
              "......................................................................x");
    load_servers();
    ck_assert_str_eq(hr_tools(&hr, d), "mcp_s__x");
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "name function");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_function_names_the_tools_of_a_source);
    tcase_add_test(tc, a_function_names_prompts_and_changed_lists_too);
    tcase_add_test(tc, a_name_function_can_be_set_only_before_the_source_is_loaded);
    tcase_add_test(
        tc, a_source_that_is_removed_frees_the_argument_when_its_servers_have_ended);
    tcase_add_test(tc, the_default_source_may_have_a_function);
    tcase_add_test(tc, names_by_callback_without_a_function_refuse_all_tools);
    tcase_add_test(tc, a_long_tool_name_is_accepted_if_its_full_name_is_short);
}

int
main(void)
{
    return test_main("host-name-fn", add);
}
