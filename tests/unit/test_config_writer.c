/* SPDX-License-Identifier: MIT
 *
 * test_config_writer.c - writing servers.<id>.enabled into a configuration that people
 * edit.
 *
 * An edit changes only the bytes of that key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

static struct mcph_buf text;
static mcphost_error *err;

static void
up(void)
{
    mcph_buf_init(&text, 2 * MCPH_YAML_SIZE_MAX);
    err = NULL;
}

static void
down(void)
{
    mcph_buf_done(&text);
    err = mcphost_error_unref(err);
}

static int
set_enabled(const char *before, size_t len, const char *id, bool enabled)
{
    mcph_buf_clear(&text);
    err = mcphost_error_unref(err);
    return mcph_config_set_enabled(before, len, "mcp.yaml", id, enabled, &text, &err);
}

/* ---- edits ------------------------------------------------------------------------- */

enum { OFF, ON };

/* Each edit sets `enabled` of the server `web`. */
static const struct {
    const char *what;
    int enabled;
    const char *before, *after;
} written[] = {
    /* the key `enabled` is present */
    {"on to off", OFF,
     "version: 1\nservers:\n  web:\n    command: x\n    enabled: true\n",
     "version: 1\nservers:\n  web:\n    command: x\n    enabled: false\n"},
    {"off to on", ON,
     "servers:\n  web:\n    enabled: false # for now\n    command: x # y\nversion: 1",
     "servers:\n  web:\n    enabled: true # for now\n    command: x # y\nversion: 1"},
    {"spellings of true", OFF, "servers:\n  web:\n    enabled:   TRUE   # shout\n",
     "servers:\n  web:\n    enabled:   false   # shout\n"},
    {"a quoted key", OFF, "servers:\n  \"web\":\n    'enabled': True\n",
     "servers:\n  \"web\":\n    'enabled': false\n"},
    {"a string in its place", OFF, "servers: {web: {enabled: \"yes\", command: x}}",
     "servers: {web: {enabled: false, command: x}}"},
    {"a string in its place, on", ON, "servers: {web: {enabled: 'true', command: x}}",
     "servers: {web: {enabled: true, command: x}}"},
    {"a number in its place", ON, "servers:\n  web:\n    enabled: 1\n",
     "servers:\n  web:\n    enabled: true\n"},
    {"nothing behind the colon", OFF, "servers:\n  web:\n    enabled:\n    command: x\n",
     "servers:\n  web:\n    enabled: false\n    command: x\n"},
    {"nothing but a comment behind it", OFF,
     "servers:\n  web:\n    enabled: # ?\n    command: x\n",
     "servers:\n  web:\n    enabled: false # ?\n    command: x\n"},
    {"a key alone in braces", OFF, "servers: {web: {enabled, command: x}}",
     "servers: {web: {enabled: false, command: x}}"},
    {"a tag that fits", OFF, "servers:\n  web:\n    enabled: !!bool true\n",
     "servers:\n  web:\n    enabled: !!bool false\n"},
    {"an anchor that nobody uses", OFF, "servers:\n  web:\n    enabled: &on true\n",
     "servers:\n  web:\n    enabled: &on false\n"},
    {"an alias as value", OFF,
     "x: &t true\nservers:\n  web:\n    enabled: *t\n  b: {enabled: *t}\n",
     "x: &t true\nservers:\n  web:\n    enabled: false\n  b: {enabled: *t}\n"},
    {"a key before and after", OFF,
     "servers:\n  a:\n    enabled: true\n  web:\n    enabled: true\n  c:\n    enabled: "
     "true\n",
     "servers:\n  a:\n    enabled: true\n  web:\n    enabled: false\n  c:\n    enabled: "
     "true\n"},
    {"deeper keys of this name", OFF,
     "servers:\n  web:\n    env:\n      enabled: true\n    args: [enabled]\n    enabled: "
     "true\n",
     "servers:\n  web:\n    env:\n      enabled: true\n    args: [enabled]\n    enabled: "
     "false\n"},
    {"maps of the same names elsewhere", OFF,
     "web: {enabled: true}\nother:\n  servers:\n    web:\n      enabled: "
     "true\nservers:\n  "
     "web:\n    enabled: true\n",
     "web: {enabled: true}\nother:\n  servers:\n    web:\n      enabled: "
     "true\nservers:\n  "
     "web:\n    enabled: false\n"},
    {"JSON", OFF,
     "{\"version\":1,\"servers\":{\"web\":{\"command\":\"x\",\"enabled\":true}}}",
     "{\"version\":1,\"servers\":{\"web\":{\"command\":\"x\",\"enabled\":false}}}"},
    {"a merge key beside the key", OFF,
     "servers:\n  web:\n    <<: {command: x}\n    enabled: true\n",
     "servers:\n  web:\n    <<: {command: x}\n    enabled: false\n"},
    {"characters of several bytes before it", OFF,
     "# \xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x88\nservers:\n  web:\n    name: \"\xc3\xbc\"\n "
     "   "
     "enabled: true # \xc3\xa9\n",
     "# \xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x88\nservers:\n  web:\n    name: \"\xc3\xbc\"\n "
     "   "
     "enabled: false # \xc3\xa9\n"},

    /* the key `enabled` is missing, and each key of the map has a line of its own */
    {"the first key, with its neighbours' indentation", OFF,
     "servers:\n  web:\n      command: x\n      args: []\n",
     "servers:\n  web:\n      enabled: false\n      command: x\n      args: []\n"},
    {"a byte order mark and CR LF", OFF,
     "\xef\xbb\xbfversion: 1\r\nservers:\r\n  web:\r\n    command: x\r\n",
     "\xef\xbb\xbfversion: 1\r\nservers:\r\n  web:\r\n    enabled: false\r\n    command: "
     "x\r\n"},
    {"CR alone", OFF, "servers:\r  web:\r    command: x\r",
     "servers:\r  web:\r    enabled: false\r    command: x\r"},
    {"no line end at the end", OFF, "servers:\n  web:\n    command: x",
     "servers:\n  web:\n    enabled: false\n    command: x"},
    {"a comment stays with the key below it", OFF,
     "servers:\n  web: # the web\n\n    # what to start\n    command: x\n",
     "servers:\n  web: # the web\n    enabled: false\n\n    # what to start\n    "
     "command: "
     "x\n"},
    {"a comment at the margin", OFF, "servers:\n  web:\n# margin\n    command: x\n",
     "servers:\n  web:\n    enabled: false\n# margin\n    command: x\n"},
    {"comments and CR LF", OFF, "servers:\r\n  web:\r\n    # c\r\n    command: x\r\n",
     "servers:\r\n  web:\r\n    enabled: false\r\n    # c\r\n    command: x\r\n"},
    {"an anchor that nobody uses, on the map", OFF,
     "servers:\n  web: &w\n    command: x\n",
     "servers:\n  web: &w\n    enabled: false\n    command: x\n"},
    {"a tag on the map, on a line of its own", OFF,
     "servers:\n  web:\n    !!map\n    command: x\n",
     "servers:\n  web:\n    !!map\n    enabled: false\n    command: x\n"},
    {"a quoted first key", OFF, "servers:\n  web:\n    \"command\": x\n",
     "servers:\n  web:\n    enabled: false\n    \"command\": x\n"},
    {"keys with question marks", OFF, "servers:\n  ? web\n  : command: x\n    args: []\n",
     "servers:\n  ? web\n  : enabled: false\n    command: x\n    args: []\n"},
    {"no indentation but one blank", OFF, "servers:\n web:\n  command: x\n",
     "servers:\n web:\n  enabled: false\n  command: x\n"},
    {"a block text as first value", OFF,
     "servers:\n  web:\n    env:\n      A: |\n        # no comment\n        b\n    "
     "command: x\n",
     "servers:\n  web:\n    enabled: false\n    env:\n      A: |\n        # no comment\n "
     "      "
     " b\n    command: x\n"},
    {"behind a document marker", OFF,
     "--- # one\nservers:\n  web:\n    command: x\n...\n",
     "--- # one\nservers:\n  web:\n    enabled: false\n    command: x\n...\n"},
    {"an anchor inside that is used", OFF,
     "servers:\n  web:\n    env: &e {A: b}\n    command: x\n  two: {env: *e}\n",
     "servers:\n  web:\n    enabled: false\n    env: &e {A: b}\n    command: x\n  two: "
     "{env: "
     "*e}\n"},

    /* the key is missing in a map in braces */
    {"braces", OFF, "servers:\n  web: {command: x}  # one line\n",
     "servers:\n  web: {enabled: false, command: x}  # one line\n"},
    {"braces with blanks", OFF, "servers: { web: { command: x } }",
     "servers: { web: { enabled: false, command: x } }"},
    {"empty braces", OFF, "servers:\n  web: {}\n", "servers:\n  web: {enabled: false}\n"},
    {"empty braces with an anchor", OFF, "servers:\n  web: &w { }\n",
     "servers:\n  web: &w {enabled: false }\n"},
    {"braces over lines", OFF, "servers:\n  web: {\n    command: x,\n    args: []\n  }\n",
     "servers:\n  web: {\n    enabled: false,\n    command: x,\n    args: []\n  }\n"},
    {"braces whose first key is on their line", OFF,
     "servers:\n  web: {command: x,\n        args: []}\n",
     "servers:\n  web: {enabled: false, command: x,\n        args: []}\n"},
    {"JSON over lines, with tabs", OFF,
     "{\r\n\t\"servers\": {\r\n\t\t\"web\": {\r\n\t\t\t\"command\": "
     "\"x\"\r\n\t\t}\r\n\t}\r\n}",
     "{\r\n\t\"servers\": {\r\n\t\t\"web\": {\r\n\t\t\t\"enabled\": "
     "false,\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t}\r\n}"},
    {"JSON on a line", OFF, "{\"servers\":{\"web\":{\"command\":\"x\"}}}",
     "{\"servers\":{\"web\":{\"enabled\": false, \"command\":\"x\"}}}"},
    {"empty JSON", OFF, "{\"servers\":{\"web\":{}}}",
     "{\"servers\":{\"web\":{\"enabled\": false}}}"},
};

START_TEST(an_edit_changes_only_the_bytes_of_the_key) /* B.14, K16 */
{
    const char *before = written[_i].before, *after = written[_i].after;
    int r = set_enabled(before, strlen(before), "web", written[_i].enabled == ON);

    ck_assert_msg(r == 1, "%s: %d %s", written[_i].what, r,
                  err ? mcphost_error_get_message(err) : "");
    mcph_buf_addc(&text, '\0');
    ck_assert_msg(strcmp(text.data, after) == 0, "%s:\n%s", written[_i].what, text.data);
    /* A second edit has nothing to change. */
    ck_assert_int_eq(set_enabled(after, strlen(after), "web", written[_i].enabled == ON),
                     0);
    ck_assert_uint_eq(text.len, 0);
}
END_TEST

START_TEST(an_edit_can_be_reversed)
{
    const char *after = written[_i].after;
    bool enabled = written[_i].enabled == ON;
    char *there;
    int r = set_enabled(after, strlen(after), "web", !enabled);

    ck_assert_int_eq(r, 1);
    mcph_buf_addc(&text, '\0');
    there = mcph_strdup(text.data);
    ck_assert_int_eq(set_enabled(there, strlen(there), "web", enabled), 1);
    mcph_buf_addc(&text, '\0');
    ck_assert_str_eq(text.data, after);
    free(there);
}
END_TEST

/* ---- nothing to write -------------------------------------------------------------- */

static const struct {
    int enabled;
    const char *before;
} done[] = {
    {ON, "servers:\n  web:\n    command: x\n"}, /* true is the default */
    {ON, "servers:\n  web: {}\n"},
    {ON, "servers:\n  web:\n    enabled: TRUE\n"},
    {OFF, "servers:\n  web:\n    enabled: false\n"},
    {OFF, "servers:\n  web:\n    enabled: False\n"},
    {OFF, "x: &f false\nservers:\n  web:\n    enabled: *f\n"},
    {OFF, "x: &w {enabled: false}\nservers:\n  web: *w\n"},
};

START_TEST(a_text_with_the_wanted_value_is_not_changed) /* B.14 */
{
    ck_assert_int_eq(set_enabled(done[_i].before, strlen(done[_i].before), "web",
                                 done[_i].enabled == ON),
                     0);
    ck_assert_uint_eq(text.len, 0);
    ck_assert_ptr_null(err);
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------- */

static const struct {
    const char *before;
    int code, line, column;
    const char *said;
} refused[] = {
    {"x: &w {command: x}\nservers:\n  web: *w\n", MCPHOST_E_CONFIG, 3, 8,
     "servers.web.enabled: cannot be changed: the server is an alias"},
    {"servers:\n  web: &w\n    command: x\n  two: *w\n", MCPHOST_E_CONFIG, 2, 8,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"servers:\n  web: &w\n    enabled: true\n  two: *w\n", MCPHOST_E_CONFIG, 3, 14,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"servers:\n  web:\n    enabled: &t true\n  two: {enabled: *t}\n", MCPHOST_E_CONFIG,
     3, 14,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"x: &x {command: x}\nservers:\n  web:\n    <<: *x\n", MCPHOST_E_CONFIG, 4, 5,
     "servers.web.enabled: cannot be added: the server has a '<<' key"},
    {"servers: &s\n  web: {command: x}\nagain: *s\n", MCPHOST_E_CONFIG, 2, 8,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"x: &s {web: {command: x}}\nservers: *s\n", MCPHOST_E_CONFIG, 2, 10,
     "servers.web.enabled: cannot be changed: the server is an alias"},
    {"servers:\n  web:\n    enabled: [true]\n", MCPHOST_E_CONFIG, 3, 14,
     "servers.web.enabled: expected true or false, found a list or map"},
    {"servers:\n  web:\n    enabled: {a: true}\n", MCPHOST_E_CONFIG, 3, 14,
     "servers.web.enabled: expected true or false, found a list or map"},
    {"servers:\n  web:\n    enabled: !!str true\n", MCPHOST_E_CONFIG, 3, 14,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"servers:\n  web:\n    enabled: |\n      true\n    command: x\n", MCPHOST_E_CONFIG,
     3, 14,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"servers:\n  web:\n    ? command\n    : x\n", MCPHOST_E_CONFIG, 3, 5,
     "servers.web.enabled: cannot be changed without changing other parts of the file"},
    {"servers:\n  web:\n", MCPHOST_E_CONFIG, 2, 7,
     "servers.web: expected a map, found something else"},
    {"servers:\n  web: x\n", MCPHOST_E_CONFIG, 2, 8,
     "servers.web: expected a map, found something else"},
    {"servers:\n  other: {}\n", MCPHOST_E_NOTFOUND, 0, 0,
     "servers.web: the server does not exist"},
    {"servers: [web]\n", MCPHOST_E_NOTFOUND, 0, 0,
     "servers.web: the server does not exist"},
    {"web: {}\n", MCPHOST_E_NOTFOUND, 0, 0, "servers.web: the server does not exist"},
    {"[]", MCPHOST_E_NOTFOUND, 0, 0, "servers.web: the server does not exist"},
    {"", MCPHOST_E_NOTFOUND, 0, 0, "servers.web: the server does not exist"},
    {"servers:\n  web: {}\n  web: {}\n", MCPHOST_E_CONFIG, 3, 3,
     "servers.web: duplicate key, first on line 2"},
    {"servers:\n\tweb: {}\n", MCPHOST_E_CONFIG, 2, 1,
     "not valid YAML: a tab cannot indent, use blanks"},
    {"servers: {web: {}}\n---\nservers: {web: {}}\n", MCPHOST_E_CONFIG, 2, 1,
     "a second document begins here, but only one is allowed"},
};

START_TEST(an_edit_that_would_change_more_is_refused_with_its_position) /* B.14 */
{
    const char *before = refused[_i].before;

    ck_assert_int_eq(set_enabled(before, strlen(before), "web", false), refused[_i].code);
    ck_assert_ptr_nonnull(err);
    ck_assert_str_eq(mcphost_error_get_message(err), refused[_i].said);
    ck_assert_int_eq(mcphost_error_get_code(err), refused[_i].code);
    ck_assert_str_eq(mcphost_error_get_file(err), "mcp.yaml");
    ck_assert_int_eq(mcphost_error_get_line(err), refused[_i].line);
    ck_assert_int_eq(mcphost_error_get_column(err), refused[_i].column);
    ck_assert_uint_eq(text.len, 0);
    /* The caller may pass NULL for the error object. */
    ck_assert_int_eq(
        mcph_config_set_enabled(before, strlen(before), "f", "web", false, &text, NULL),
        refused[_i].code);
}
END_TEST

START_TEST(an_id_with_any_characters_is_found) /* K4 */
{
    static const char *const ids[] = {"a b",     "a.b",      "1",    "true", "servers",
                                      "enabled", "\xc3\xa9", "a\"b", "<<",   ""};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ids); i++) {
        char before[128], after[160], key[32];
        size_t n = 0;

        key[n++] = '"';
        for (const char *p = ids[i]; *p; p++) {
            if (*p == '"')
                key[n++] = '\\';
            key[n++] = *p;
        }
        key[n++] = '"';
        key[n] = '\0';
        snprintf(before, sizeof(before), "servers:\n  x: {}\n  %s:\n    command: x\n",
                 key);
        snprintf(after, sizeof(after),
                 "servers:\n  x: {}\n  %s:\n    enabled: false\n    command: x\n", key);
        ck_assert_msg(set_enabled(before, strlen(before), ids[i], false) == 1, "%s",
                      before);
        mcph_buf_addc(&text, '\0');
        ck_assert_str_eq(text.data, after);
    }
}
END_TEST

START_TEST(control_characters_of_an_id_are_replaced_in_messages)
{
    ck_assert_int_eq(set_enabled("servers: {}", 11, "a\nb\x1b", false),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "servers[\"a b \"]: the server does not exist");
}
END_TEST

START_TEST(an_edit_that_exceeds_the_size_limit_is_refused)
{
    static const char head[] = "servers: {web: {}}\n#";
    char *big = malloc(MCPH_YAML_SIZE_MAX + 1);

    memset(big, 'x', MCPH_YAML_SIZE_MAX + 1);
    memcpy(big, head, strlen(head));
    ck_assert_int_eq(set_enabled(big, MCPH_YAML_SIZE_MAX - 14, "web", false), 1);
    ck_assert_uint_eq(text.len, MCPH_YAML_SIZE_MAX);
    ck_assert_int_eq(set_enabled(big, MCPH_YAML_SIZE_MAX - 13, "web", false),
                     MCPHOST_E_LIMIT);
    ck_assert_uint_eq(text.len, 0);
    ck_assert_int_eq(set_enabled(big, MCPH_YAML_SIZE_MAX + 1, "web", false),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_LIMIT);
    free(big);
}
END_TEST

START_TEST(error_messages_show_no_part_of_the_text) /* R18 */
{
    static const char *const secrets[] = {
        "servers:\n  web: hunter2\n",
        "servers:\n  web:\n    enabled: |\n      hunter2\n    x: 1\n",
        "servers:\n  web: &w {env: {T: hunter2}}\n  two: *w\n",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(secrets); i++) {
        ck_assert_int_lt(set_enabled(secrets[i], strlen(secrets[i]), "web", false), 0);
        ck_assert_ptr_null(strstr(mcphost_error_get_message(err), "hunter2"));
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "writer");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, an_edit_changes_only_the_bytes_of_the_key, 0,
                        (int)MCPH_ARRAY_SIZE(written));
    tcase_add_loop_test(tc, an_edit_can_be_reversed, 0, (int)MCPH_ARRAY_SIZE(written));
    tcase_add_loop_test(tc, a_text_with_the_wanted_value_is_not_changed, 0,
                        (int)MCPH_ARRAY_SIZE(done));
    tcase_add_loop_test(tc, an_edit_that_would_change_more_is_refused_with_its_position,
                        0, (int)MCPH_ARRAY_SIZE(refused));
    tcase_add_test(tc, an_id_with_any_characters_is_found);
    tcase_add_test(tc, control_characters_of_an_id_are_replaced_in_messages);
    tcase_add_test(tc, an_edit_that_exceeds_the_size_limit_is_refused);
    tcase_add_test(tc, error_messages_show_no_part_of_the_text);
}

int
main(void)
{
    return test_main("config-writer", add);
}
