/* SPDX-License-Identifier: MIT
 *
 * test_base_enum.c - a name for each enumerator of the public headers.
 *
 * The library must find each enumerator by its name.  The build refuses headers that
 * would leave an enumerator without a name.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "support/runner.h"

#include <mcphost/mcphost.h>

#define HEADER_MAX ((size_t)256 * 1024)

/* Returns the text of a header, with its comments replaced by blanks. */
static char *
read_code(const char *path)
{
    struct mcph_buf buf;
    char *text, *end;

    mcph_buf_init(&buf, HEADER_MAX);
    ck_assert_int_eq(mcph_file_read(path, HEADER_MAX, &buf, NULL), 0);
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    for (char *p = text; (p = strstr(p, "/*")) != NULL; p = end) {
        end = strstr(p, "*/");
        ck_assert_ptr_nonnull(end);
        end += 2;
        memset(p, ' ', (size_t)(end - p));
    }
    return text;
}

/* Checks one enumerator.  `index` is the position of the enumerator in the
 * enumeration. */
static void
check_enumerator(int which, size_t index, const char *symbol, int number)
{
    const char *name = mcphost_enum_get_name(which, number);
    char lower[128], with_gap[128];
    int value = number + 1;

    ck_assert_msg(name != NULL, "%s has no name", symbol);
    snprintf(with_gap, sizeof(with_gap), "_%s", name);
    snprintf(lower, sizeof(lower), "%s", symbol);
    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    ck_assert_msg(strlen(lower) > strlen(with_gap) &&
                      strcmp(lower + strlen(lower) - strlen(with_gap), with_gap) == 0,
                  "%s is called %s", symbol, name);
    ck_assert_int_eq(mcphost_enum_find_value(which, name, &value), 0);
    ck_assert_int_eq(value, number);
    value = number + 1;
    ck_assert_int_eq(mcphost_enum_get_value(which, index, &value), 0);
    ck_assert_int_eq(value, number);
}

/* Checks the enumerators between the braces of an enumeration.  Returns the number of
 * enumerators. */
static size_t
check_body(int which, const char *body, const char *end)
{
    size_t n = 0;

    for (const char *p = body; p < end; p++) {
        char symbol[80];
        int number;

        if (sscanf(p, "%79[A-Z0-9_] = %d", symbol, &number) != 2)
            continue;
        check_enumerator(which, n++, symbol, number);
        p += strcspn(p, ",}");
    }
    return n;
}

/* Compares the enumerations of a header with the library's lists of names.  Returns the
 * number of enumerations. */
static size_t
check_header(const char *path)
{
    char *text = read_code(path), tag[80];
    size_t n = 0, values;

    for (char *p = text; (p = strstr(p, "\nenum ")) != NULL; n++) {
        const char *end = strchr(p, '}');
        int which = 0;

        ck_assert_ptr_nonnull(end);
        ck_assert_msg(sscanf(p, " enum mcphost_%79[a-z0-9_] {", tag) == 1,
                      "%s: an enumeration without a tag", path);
        ck_assert_msg(mcphost_enum_find_value(MCPHOST_ENUM_ENUM, tag, &which) == 0,
                      "%s: there is no list of %s", path, tag);
        p = strchr(p, '{');
        ck_assert(p && p < end);
        values = check_body(which, p + 1, end);
        ck_assert_uint_gt(values, 0);
        ck_assert_uint_eq(values, mcphost_enum_count_values(which));
    }
    free(text);
    return n;
}

START_TEST(each_enumerator_of_the_headers_has_a_name_and_is_found_by_it)
{
    char pattern[1024];
    glob_t found;
    size_t n = 0;

    snprintf(pattern, sizeof(pattern), "%s/include/mcphost/*.h", test_srcdir());
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        n += check_header(found.gl_pathv[i]);
    ck_assert_uint_eq(n, mcphost_enum_count_values(MCPHOST_ENUM_ENUM));
    globfree(&found);
}
END_TEST

/* Checks names on which configuration files and programs rely. */
START_TEST(names_are_the_words_of_configuration_and_json)
{
    static const struct {
        int which, value;
        const char *name;
    } names[] = {
        {MCPHOST_ENUM_ENUM, MCPHOST_ENUM_SERVER_STATE, "server_state"},
        {MCPHOST_ENUM_ERROR_CODE, MCPHOST_E_NOMEM, "nomem"},
        {MCPHOST_ENUM_TRANSPORT, MCPHOST_TRANSPORT_STREAMABLE_HTTP, "streamable_http"},
        {MCPHOST_ENUM_OPTION, MCPHOST_OPT_STOP_EOF, "stop_eof"},
        {MCPHOST_ENUM_DRAIN, MCPHOST_DRAIN_INFINITE, "infinite"},
        {MCPHOST_ENUM_SCHEMA_DRAFT, MCPHOST_SCHEMA_DRAFT_2019_09, "2019_09"},
        {MCPHOST_ENUM_SCHEMA_VERDICT, MCPHOST_SCHEMA_INVALID, "invalid"},
        {MCPHOST_ENUM_SCHEMA_FLAG, MCPHOST_SCHEMA_DEFAULTS, "defaults"},
        {MCPHOST_ENUM_REQUEST_KIND, MCPHOST_REQUEST_SAMPLING_TOOLS, "sampling_tools"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        ck_assert_str_eq(mcphost_enum_get_name(names[i].which, names[i].value),
                         names[i].name);
}
END_TEST

START_TEST(an_unknown_value_has_no_name)
{
    int value = 77;

    ck_assert_ptr_null(mcphost_enum_get_name(MCPHOST_ENUM_SERVER_STATE, 0));
    ck_assert_ptr_null(mcphost_enum_get_name(MCPHOST_ENUM_REQUEST_KIND, 3));
    ck_assert_ptr_null(mcphost_enum_get_name(0, 1));
    ck_assert_ptr_null(mcphost_enum_get_name(-1, 1));
    ck_assert_ptr_null(mcphost_enum_get_name(1 << 20, 1));
    ck_assert_uint_eq(mcphost_enum_count_values(0), 0);
    ck_assert_uint_eq(mcphost_enum_count_values(-1), 0);
    ck_assert_int_eq(
        mcphost_enum_get_value(MCPHOST_ENUM_SCHEMA_FLAG, 1, &value), /* past the end */
        MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_enum_get_value(0, 0, &value), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_enum_get_value(MCPHOST_ENUM_ERA, 0, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(value, 77);
}
END_TEST

START_TEST(a_name_of_another_enumeration_is_not_found)
{
    int value = 77;

    ck_assert_int_eq(mcphost_enum_find_value(MCPHOST_ENUM_SCOPE, "watch", &value),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_enum_find_value(MCPHOST_ENUM_SCOPE, "Dialog", &value),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_enum_find_value(MCPHOST_ENUM_SCOPE, "", &value),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_enum_find_value(MCPHOST_ENUM_SCOPE, NULL, &value),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_enum_find_value(MCPHOST_ENUM_SCOPE, "agent", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_enum_find_value(0, "dialog", &value), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_enum_find_value(1 << 20, "dialog", &value),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(value, 77);
}
END_TEST

static const struct {
    size_t n;
    bool numbers;
    const char *text;
} lists[] = {
    {SIZE_MAX, false, "'auto', 'tree', 'cgroup', 'pid' or 'group'"},
    {4, false, "'auto', 'tree', 'cgroup' or 'pid'"},
    {2, true, "auto (0) or tree (1)"},
    {1, false, "'auto'"},
};

START_TEST(a_message_lists_the_names_that_may_be_written)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 256);
    mcph_enum_put(MCPHOST_ENUM_CONTAINMENT, lists[_i].n, lists[_i].numbers, &buf);
    mcph_buf_addc(&buf, '\0');
    ck_assert_int_eq(mcph_buf_ok(&buf), 0);
    ck_assert_str_eq(buf.data, lists[_i].text);
    mcph_buf_done(&buf);
}
END_TEST

/* ---- headers that the build refuses ------------------------------------------------ */

#define LIST "enum mcphost_enum {\n    MCPHOST_ENUM_ENUM = 1, /* MCPHOST_ENUM_* */\n"
#define ROW  "    MCPHOST_ENUM_COLOR = 2 /* MCPHOST_COLOR_* */\n};\n"

static const struct {
    const char *header, *said;
} headers[] = {
    {LIST ROW "enum mcphost_color {\n    MCPHOST_COLOR_RED = 0, /* a, b = 1 */\n"
              "    MCPHOST_COLOR_DARK_BLUE =\n        -7 /* {\n */\n};\n",
     "{MCPHOST_COLOR_DARK_BLUE, \"dark_blue\"}"},
    {LIST ROW "enum { MCPHOST_COLOR_RED = 0 };\n", "an enumeration without a tag"},
    {LIST ROW "enum mcphost_colour { MCPHOST_COLOR_RED = 0 };\n",
     "enum mcphost_colour has no row in enum.h"},
    {LIST ROW, "MCPHOST_ENUM_COLOR is no enumeration"},
    {LIST ROW "enum mcphost_color { MCPHOST_COLOUR_RED = 0 };\n",
     "MCPHOST_COLOUR_RED does not begin with MCPHOST_COLOR_"},
    {LIST ROW "enum mcphost_color { MCPHOST_COLOR_RED = 0, MCPHOST_COLOR_BLUE };\n",
     "not an enumerator with its number:  MCPHOST_COLOR_BLUE"},
    {LIST ROW "enum mcphost_color { MCPHOST_COLOR_RED = 1, MCPHOST_COLOR_BLUE = 1 };\n",
     "MCPHOST_COLOR_BLUE has the number of MCPHOST_COLOR_RED"},
    {LIST ROW "typedef enum mcphost_color { MCPHOST_COLOR_RED = 1 } color;\n",
     "an enumeration begins its line"},
};

/* Runs scripts/enums.awk on the header and returns its output.  *ret_status is the exit
 * status of the script, as pclose() returns it. */
static char *
run_script(const char *header, int *ret_status)
{
    char dir[] = "/tmp/mcph-enum-XXXXXX", path[64], command[2048];
    static char said[4096];
    FILE *file;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/enum.h", dir);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(header, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    snprintf(command, sizeof(command), "awk -f '%s/scripts/enums.awk' %s %s 2>&1",
             test_srcdir(), path, path);
    file = popen(command, "r");
    ck_assert_ptr_nonnull(file);
    said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
    *ret_status = pclose(file);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(dir), 0);
    return said;
}

START_TEST(a_header_with_an_enumerator_without_a_name_is_refused)
{
    int status = 0;
    const char *said = run_script(headers[_i].header, &status);

    test_has(said, headers[_i].said);
    ck_assert_int_eq(status != 0, _i > 0);
    ck_assert_int_eq(strstr(said, "words[]") == NULL, _i > 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "names");

    tcase_add_test(tc, each_enumerator_of_the_headers_has_a_name_and_is_found_by_it);
    tcase_add_test(tc, names_are_the_words_of_configuration_and_json);
    tcase_add_test(tc, an_unknown_value_has_no_name);
    tcase_add_test(tc, a_name_of_another_enumeration_is_not_found);
    tcase_add_loop_test(tc, a_message_lists_the_names_that_may_be_written, 0,
                        MCPH_ARRAY_SIZE(lists));
    tc = test_case(suite, "script");
    tcase_add_loop_test(tc, a_header_with_an_enumerator_without_a_name_is_refused, 0,
                        MCPH_ARRAY_SIZE(headers));
}

int
main(void)
{
    return test_main("base-enum", add);
}
