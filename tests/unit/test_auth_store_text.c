/* SPDX-License-Identifier: MIT
 *
 * test_auth_store_text.c - checking the text of tokens.json, and changing one entry
 * without a change of the other entries.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/store_text.h"
#include "support/runner.h"

#define ENTRY(client, record)                                                    \
    "{\"issuer\":\"i\",\"resource\":\"r\",\"client\":\"" client "\",\"account\"" \
    ":\"\",\"record\":" record "}"
#define FILE_OF(entries) "{\"format\":1,\"tokens\":[" entries "]}"

static struct mcph_buf made;

static void
clean_up(void)
{
    mcph_buf_wipe(&made);
}

static struct mcph_store_key
key_of(const char *client)
{
    return (struct mcph_store_key){"i", "r", client, ""};
}

static struct mcph_tokens
check(const char *text)
{
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    mcphost_error *err = NULL;
    int r = mcph_tokens_check(mcph_span_str(text), "file", &tokens, &err);

    ck_assert_msg(r == 0, "%s", err ? mcphost_error_get_message(err) : "no message");
    return tokens;
}

/* Puts a record into `text` and returns the new text. */
static const char *
put(const char *text, const char *client, const char *record)
{
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    struct mcph_store_key key = key_of(client);
    struct mcph_token_entry entry;

    if (text)
        tokens = check(text);
    ck_assert_int_eq(mcph_tokens_put(&tokens, &key, mcph_span_str(record), &made), 0);
    ck_assert_ptr_nonnull(mcph_buf_text(&made));
    tokens = check(made.data);
    ck_assert(mcph_tokens_find(&tokens, &key, &entry));
    ck_assert(mcph_span_is(entry.record, record));
    return made.data;
}

START_TEST(without_a_file_a_put_makes_a_whole_file)
{
    ck_assert_str_eq(
        put(NULL, "c", "{\"a\":1}"),
        "{\n\"format\": 1,\n\"tokens\": [\n" ENTRY("c", "{\"a\":1}") "\n]\n}\n");
}
END_TEST

START_TEST(a_put_of_a_known_key_changes_only_its_record)
{
    ck_assert_str_eq(
        put("{\"x\" :1e999,\"format\":1,\"tokens\":[" ENTRY("b", "{}") " , " ENTRY(
                "c", "{\"old\":1},\"more\":[0.10]") "],\"y\":\"\\u0041\"}\n",
            "c", "{\"new\":2}"),
        "{\"x\" :1e999,\"format\":1,\"tokens\":[" ENTRY("b", "{}") " , " ENTRY(
            "c", "{\"new\":2},\"more\":[0.10]") "],\"y\":\"\\u0041\"}\n");
}
END_TEST

START_TEST(a_put_of_another_key_adds_an_entry_behind_the_last_entry)
{
    ck_assert_str_eq(put(FILE_OF(ENTRY("b", "{}") " "), "c", "{}"),
                     FILE_OF(ENTRY("b", "{}") ",\n" ENTRY("c", "{}") " "));
}
END_TEST

START_TEST(a_put_into_an_empty_list_adds_no_comma)
{
    ck_assert_str_eq(put(FILE_OF(""), "c", "{}"), FILE_OF("\n" ENTRY("c", "{}")));
}
END_TEST

START_TEST(a_key_of_escapes_fits_and_is_found_again)
{
    char text[MCPH_STORE_TEXT_MAX + 1];
    struct mcph_store_key key = {text, text, text, text};
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    struct mcph_token_entry entry;

    memset(text, 1, sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(mcph_tokens_put(&tokens, &key, mcph_span_str("{}"), &made), 0);
    tokens = check(mcph_buf_text(&made));
    ck_assert(mcph_tokens_find(&tokens, &key, &entry));
    key.account = "";
    ck_assert(!mcph_tokens_find(&tokens, &key, &entry));
}
END_TEST

START_TEST(each_text_of_a_key_tells_entries_apart)
{
    static const struct mcph_store_key keys[] = {{"i", "r", "c", ""},
                                                 {"I", "r", "c", ""},
                                                 {"i", "R", "c", ""},
                                                 {"i", "r", "C", ""},
                                                 {"i", "r", "c", "A"}};
    struct mcph_tokens tokens = check(FILE_OF(ENTRY("c", "{}")));
    struct mcph_token_entry entry;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(keys); i++)
        ck_assert_int_eq(mcph_tokens_find(&tokens, &keys[i], &entry), i == 0);
}
END_TEST

START_TEST(a_text_with_escapes_in_another_spelling_is_found)
{
    struct mcph_tokens tokens = check(FILE_OF(ENTRY("\\u0063\\/", "{}")));
    struct mcph_store_key key = key_of("c/");
    struct mcph_token_entry entry;

    ck_assert(mcph_tokens_find(&tokens, &key, &entry));
}
END_TEST

#define B ENTRY("b", "{}")
#define C ENTRY("c", "{\"a\":1}")
#define D ENTRY("d", "{}")

static const struct {
    const char *before, *after;
} removals[] = {
    {FILE_OF(C), FILE_OF("")},
    {FILE_OF(" " C "\n"), FILE_OF("\n")},
    {FILE_OF(C ", " D), FILE_OF(D)},
    {FILE_OF(B " , " C), FILE_OF(B)},
    {FILE_OF(B "," C " ,\n" D), FILE_OF(B " ,\n" D)},
    {FILE_OF(C "," D "," B), FILE_OF(D "," B)},
};

START_TEST(a_removal_takes_the_entry_and_one_comma)
{
    struct mcph_tokens tokens = check(removals[_i].before);
    struct mcph_store_key key = key_of("c");
    struct mcph_token_entry entry;

    ck_assert_int_eq(mcph_tokens_remove(&tokens, &key, &made), 0);
    ck_assert_int_eq(mcph_buf_reserve(&made, 1), 0);
    made.data[made.len] = '\0';
    ck_assert_str_eq(made.data, removals[_i].after);
    tokens = check(made.data);
    ck_assert(!mcph_tokens_find(&tokens, &key, &entry));
}
END_TEST

START_TEST(a_file_that_would_be_too_large_is_not_made)
{
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    struct mcph_store_key key = key_of("c");
    char *text = malloc(MCPH_STORE_FILE_MAX + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', MCPH_STORE_FILE_MAX);
    text[MCPH_STORE_FILE_MAX] = '\0';
    memcpy(text, FILE_OF(""), strlen(FILE_OF("")));
    tokens = check(text);
    ck_assert_int_eq(mcph_tokens_put(&tokens, &key, mcph_span_str("{}"), &made),
                     MCPHOST_E_LIMIT);
    free(text);
}
END_TEST

static const struct {
    const char *text, *why;
} damages[] = {
    {"", "line 1, column 1"},
    {"{\"format\":1,\n \"tokens\":[}", "line 2, column 12"},
    {"[]", "the number of a format"},
    {"{\"tokens\":[]}", "the number of a format"},
    {"{\"format\":\"1\",\"tokens\":[]}", "the number of a format"},
    {"{\"format\":0,\"tokens\":[]}", "the number of a format"},
    {"{\"format\":1,\"format\":1,\"tokens\":[]}", "the number of a format"},
    {"{\"format\":1}", "no list of tokens"},
    {"{\"format\":1,\"tokens\":{}}", "no list of tokens"},
    {FILE_OF("1"), "not an entry"},
    {FILE_OF("{}"), "not an entry"},
    {FILE_OF(ENTRY("c", "{}") ",\n" ENTRY("c", "\"secret\"")), "line 2, column 1"},
    {FILE_OF(ENTRY("c", "{},\"client\":\"secret\"")), "not an entry"},
    {FILE_OF("{\"issuer\":\"i\",\"resource\":\"r\",\"client\":1,\"account\":\"\","
             "\"record\":{}}"),
     "not an entry"},
};

START_TEST(a_damaged_text_is_refused_with_its_place_and_without_its_bytes)
{
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    mcphost_error *err = NULL;
    int r = mcph_tokens_check(mcph_span_str(damages[_i].text), "file", &tokens, &err);

    ck_assert_int_eq(r, MCPHOST_E_INVALID);
    ck_assert_ptr_null(tokens.list.p);
    test_has(mcphost_error_get_message(err), "'file' is damaged at line");
    test_has(mcphost_error_get_message(err), damages[_i].why);
    test_has_not(mcphost_error_get_message(err), "secret");
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_record_above_the_limit_is_damage)
{
    char *text = malloc(2 * MCPH_STORE_RECORD_MAX), *end = text;
    struct mcph_tokens tokens;

    ck_assert_ptr_nonnull(text);
    end = stpcpy(end, "{\"format\":1,\"tokens\":[{\"issuer\":\"i\",\"resource\":\"r\","
                      "\"client\":\"c\",\"account\":\"\",\"record\":{");
    memset(end, ' ', MCPH_STORE_RECORD_MAX - 2);
    stpcpy(end + MCPH_STORE_RECORD_MAX - 2, "}}]}");
    check(text);
    memset(end, ' ', MCPH_STORE_RECORD_MAX - 1);
    stpcpy(end + MCPH_STORE_RECORD_MAX - 1, "}}]}");
    ck_assert_int_eq(mcph_tokens_check(mcph_span_str(text), "file", &tokens, NULL),
                     MCPHOST_E_INVALID);
    free(text);
}
END_TEST

START_TEST(a_newer_format_is_no_damage)
{
    struct mcph_tokens tokens;

    ck_assert_int_eq(mcph_tokens_check(mcph_span_str("{\"format\":2,\"other\":[]}"),
                                       "file", &tokens, NULL),
                     MCPHOST_E_UNSUPPORTED);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "text");

    tcase_add_checked_fixture(tc, NULL, clean_up);
    tcase_add_test(tc, without_a_file_a_put_makes_a_whole_file);
    tcase_add_test(tc, a_put_of_a_known_key_changes_only_its_record);
    tcase_add_test(tc, a_put_of_another_key_adds_an_entry_behind_the_last_entry);
    tcase_add_test(tc, a_put_into_an_empty_list_adds_no_comma);
    tcase_add_test(tc, a_key_of_escapes_fits_and_is_found_again);
    tcase_add_test(tc, each_text_of_a_key_tells_entries_apart);
    tcase_add_test(tc, a_text_with_escapes_in_another_spelling_is_found);
    tcase_add_loop_test(tc, a_removal_takes_the_entry_and_one_comma, 0,
                        (int)MCPH_ARRAY_SIZE(removals));
    tcase_add_test(tc, a_file_that_would_be_too_large_is_not_made);
    tcase_add_loop_test(tc,
                        a_damaged_text_is_refused_with_its_place_and_without_its_bytes, 0,
                        (int)MCPH_ARRAY_SIZE(damages));
    tcase_add_test(tc, a_record_above_the_limit_is_damage);
    tcase_add_test(tc, a_newer_format_is_no_damage);
}

int
main(void)
{
    return test_main("auth-store-text", add);
}
