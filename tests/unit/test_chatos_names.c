/* SPDX-License-Identifier: MIT
 *
 * test_chatos_names.c - the names that ChatOS derives from ids.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "support/runner.h"

static const struct {
    const char *text, *name;
} normal[] = {
    {"com.example.tools.db-client", "com_example_tools_db-client"},
    {"Com.Ex ample!!.App", "com_ex_ample_app"},
    {"__a__", "a"},
    {"-a-", "-a-"},
    {"a__b", "a__b"},
    {"a_!_b", "a___b"},
    {"  a  ", "a"},
    {"\xe3\x80\x80 a b \xc2\xa0", "a_b"},
    {"\xe4\xbd\xa0"
     "A\xe5\xa5\xbd",
     "a"},
    {"a\xe4\xbd\xa0\xe5\xa5\xbd"
     "b",
     "a_b"},
    /* these two names have a character that is not ASCII, but whose lower-case form
     * begins with an ASCII letter */
    {"\xe2\x84\xaa"
     "elvin",
     "kelvin"},
    {"x\xc4\xb0y", "xi_y"},
    {"\xe2\x84\xab", NULL},
    {"\xe4\xbd\xa0\xe5\xa5\xbd", NULL},
    {"", NULL},
    {" ", NULL},
    {"___", NULL},
    {"._.", NULL},
    {"0", "0"},
};

START_TEST(a_name_is_normalized_as_chatos_does_it) /* R130, B.21 */
{
    char *name = NULL;
    int r = mcph_chatos_normalize(normal[_i].text, &name);

    ck_assert_int_eq(r, normal[_i].name ? 0 : MCPHOST_E_INVALID);
    ck_assert(mcph_streq(name, normal[_i].name));
    free(name);
}
END_TEST

START_TEST(a_server_is_named_after_plugin_and_app) /* R128 */
{
    char *name = mcph_chatos_server_name(" com.Example ", "\tApp\n");

    ck_assert_str_eq(name, "com.Example.App");
    free(name);
}
END_TEST

START_TEST(prompts_are_named_after_the_server) /* R129, R130, B.21, C3 */
{
    char *name = NULL;

    ck_assert_int_eq(
        mcph_chatos_prompt_name("com.example.tools.Db", MCPH_CHATOS_ZH, &name), 0);
    ck_assert_str_eq(name, "mcp_com_example_tools_db");
    free(name);
    ck_assert_int_eq(
        mcph_chatos_prompt_name("com.example.tools.Db", MCPH_CHATOS_EN, &name), 0);
    ck_assert_str_eq(name, "mcp_com_example_tools_db__en");
    free(name);
    name = NULL;
    ck_assert_int_eq(
        mcph_chatos_prompt_name("\xe4\xbd\xa0.\xe5\xa5\xbd", MCPH_CHATOS_EN, &name),
        MCPHOST_E_INVALID);
    ck_assert_ptr_null(name);
}
END_TEST

static const struct {
    const char *plugin, *app, *key;
} keys[] = {
    {"com.leeoohoo.aideui.builtin", "cli", "com.leeoohoo.aideui.builtin__cli"},
    {"Com.Example", "My App", "com.example__my_app"},
    {"../../etc/passwd", "x", ".._.._etc_passwd__x"},
    {"a/b\\c", "d\ne", "a_b_c__d_e"},
    {"_a_", "_.b_", "a__.b"},
    {"\xe4\xbd\xa0", "x", NULL},
    {"x", "\xe4\xbd\xa0", NULL},
    {"", "x", NULL},
};

START_TEST(the_key_of_a_default_list_has_no_slash) /* R154, B.25, C3 */
{
    char *key = NULL;
    int r = mcph_chatos_default_key(keys[_i].plugin, keys[_i].app, &key);

    ck_assert_int_eq(r, keys[_i].key ? 0 : MCPHOST_E_INVALID);
    ck_assert(mcph_streq(key, keys[_i].key));
    ck_assert(!key || !strchr(key, '/'));
    free(key);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "names");

    tcase_add_loop_test(tc, a_name_is_normalized_as_chatos_does_it, 0,
                        MCPH_ARRAY_SIZE(normal));
    tcase_add_test(tc, a_server_is_named_after_plugin_and_app);
    tcase_add_test(tc, prompts_are_named_after_the_server);
    tcase_add_loop_test(tc, the_key_of_a_default_list_has_no_slash, 0,
                        MCPH_ARRAY_SIZE(keys));
}

int
main(void)
{
    return test_main("chatos-names", add);
}
