/* SPDX-License-Identifier: MIT
 *
 * test_parts.c - items as parts of a message to a model.
 */
#include "itemsrig.h"

static char *parts, *user_parts;

static void
parts_down(void)
{
    mcphost_free(parts);
    mcphost_free(user_parts);
    down();
}

/* ---- parts ------------------------------------------------------------------------- */

static void
take_parts(int shape, uint64_t max_bytes)
{
    size_t len;

    mcphost_free(parts);
    ck_assert_int_eq(
        mcphost_items_make_parts(items, shape, max_bytes, &parts, &len, NULL), 0);
    ck_assert_uint_eq(len, strlen(parts));
    ck_assert_int_eq(mcph_json_check(mcph_span(parts, len), 0, NULL, NULL), 0);
    mcphost_free(user_parts);
    ck_assert_int_eq(
        mcphost_items_make_user_parts(items, shape, max_bytes, &user_parts, &len, NULL),
        0);
    ck_assert_uint_eq(len, strlen(user_parts));
    ck_assert_int_eq(mcph_json_check(mcph_span(user_parts, len), 0, NULL, NULL), 0);
    if (shape != MCPHOST_SHAPE_OPENAI_CHAT)
        ck_assert_str_eq(user_parts, "[]");
}

/* R72 */
START_TEST(pictures_are_converted_to_the_form_of_each_provider)
{
    make("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}]}");
    take_parts(MCPHOST_SHAPE_OPENAI_RESPONSES, 0);
    ck_assert_str_eq(parts,
                     "[{\"type\":\"input_text\",\"text\":\"a\"},{\"type\":"
                     "\"input_image\",\"image_url\":\"data:image/png;base64," PNG "\"}]");
    take_parts(MCPHOST_SHAPE_ANTHROPIC, 0);
    ck_assert_str_eq(parts,
                     "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\","
                     "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
                     "\"data\":\"" PNG "\"}}]");
    take_parts(MCPHOST_SHAPE_GEMINI, 0);
    ck_assert_str_eq(parts,
                     "[{\"text\":\"a\"},{\"inlineData\":{\"mimeType\":\"image/png\","
                     "\"data\":\"" PNG "\"}}]");
}
END_TEST

/* R72, R73: a tool message of Chat Completions can hold only texts. */
START_TEST(a_chat_tool_message_holds_texts_and_a_user_message_the_files)
{
    char want[900];
    const char *path;

    make("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/bmp\",\"data\":\"AQID\"},"
         "{\"type\":\"text\",\"text\":\"b\"}]}");
    path = path_in(items->json);
    take_parts(MCPHOST_SHAPE_OPENAI_CHAT, 0);
    snprintf(want, sizeof(want),
             "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":"
             "\"[image in the next user message: %s]\"},{\"type\":\"text\",\"text\":"
             "\"[image omitted: unsupported mimeType=image/bmp]\"},"
             "{\"type\":\"text\",\"text\":\"b\"}]",
             path);
    ck_assert_str_eq(parts, want);
    snprintf(want, sizeof(want),
             "[{\"type\":\"text\",\"text\":\"[image: %s]\"},{\"type\":\"image_url\","
             "\"image_url\":{\"url\":\"data:image/png;base64," PNG "\"}}]",
             path);
    ck_assert_str_eq(user_parts, want);
    /* Only the tool message, and not the user message, mentions an image that the library
     * leaves out. */
    take_parts(MCPHOST_SHAPE_OPENAI_CHAT, 69);
    ck_assert_ptr_nonnull(strstr(parts, "[image omitted, too large: artifacts/"));
    ck_assert_str_eq(user_parts, "[]");
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    take_parts(MCPHOST_SHAPE_OPENAI_CHAT, 0);
    ck_assert_ptr_nonnull(strstr(parts, "[image missing: artifacts/"));
    ck_assert_str_eq(user_parts, "[]");
}
END_TEST

/* R73: the library leaves out empty texts for Anthropic and Gemini, because Anthropic and
 * Gemini refuse empty blocks.  The library sends empty texts to OpenAI. */
START_TEST(empty_texts_are_left_out_for_providers_that_refuse_them)
{
    make("{\"content\":[{\"type\":\"text\",\"text\":\"\"},"
         "{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\" \\t\\n\"}]}");
    take_parts(MCPHOST_SHAPE_ANTHROPIC, 0);
    ck_assert_str_eq(parts, "[{\"type\":\"text\",\"text\":\"a\"}]");
    take_parts(MCPHOST_SHAPE_GEMINI, 0);
    ck_assert_str_eq(parts, "[{\"text\":\"a\"}]");
    take_parts(MCPHOST_SHAPE_OPENAI_RESPONSES, 0);
    ck_assert_str_eq(parts, "[{\"type\":\"input_text\",\"text\":\"\"},"
                            "{\"type\":\"input_text\",\"text\":\"a\"},"
                            "{\"type\":\"input_text\",\"text\":\" \\t\\n\"}]");
    make("{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}");
    take_parts(MCPHOST_SHAPE_ANTHROPIC, 0);
    ck_assert_str_eq(parts, "[]");
    /* The library adds an empty text, because a tool message needs at least one part. */
    make("{\"content\":[]}");
    take_parts(MCPHOST_SHAPE_OPENAI_CHAT, 0);
    ck_assert_str_eq(parts, "[{\"type\":\"text\",\"text\":\"\"}]");
}
END_TEST

START_TEST(sounds_and_documents_are_sent_to_providers_that_accept_them)
{
    spec.all_types = true;
    make("{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/"
         "mpeg\",\"data\":\"AQID\"},"
         "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:c\",\"mimeType\":"
         "\"application/pdf\",\"blob\":\"AQID\"}}]}");
    take_parts(MCPHOST_SHAPE_OPENAI_CHAT, 0);
    ck_assert_ptr_nonnull(
        strstr(user_parts, "{\"type\":\"input_audio\",\"input_audio\":{\"format\":"
                           "\"mp3\",\"data\":\"AQID\"}},{\"type\":\"text\",\"text\":"
                           "\"[file: artifacts/"));
    ck_assert_ptr_nonnull(
        strstr(user_parts, ",{\"type\":\"file\",\"file\":{\"filename\":"));
    ck_assert_ptr_nonnull(strstr(
        user_parts, ".pdf\",\"file_data\":\"data:application/pdf;base64,AQID\"}}]"));
    ck_assert_ptr_null(strstr(parts, "AQID"));
    take_parts(MCPHOST_SHAPE_ANTHROPIC, 0);
    ck_assert_str_eq(parts, "[{\"type\":\"text\",\"text\":\"[file omitted: unsupported "
                            "mimeType=audio/mpeg]\"},{\"type\":\"document\",\"source\":"
                            "{\"type\":\"base64\",\"media_type\":\"application/pdf\","
                            "\"data\":\"AQID\"}}]");
    take_parts(MCPHOST_SHAPE_GEMINI, 0);
    ck_assert_ptr_nonnull(strstr(parts, "\"audio/mpeg\""));
    ck_assert_ptr_nonnull(strstr(parts, "\"application/pdf\""));
    take_parts(MCPHOST_SHAPE_OPENAI_RESPONSES, 0);
    ck_assert_ptr_nonnull(
        strstr(parts, ".pdf\",\"file_data\":\"data:application/pdf;base64,AQID\"}]"));
}
END_TEST

/* R72, R73 */
START_TEST(a_picture_of_an_unsupported_type_becomes_a_text_that_names_it)
{
    static const char *const types[] = {
        "image/svg+xml", "image/tiff", "image/bmp", "image/avif",   "image/heic",
        "image/x-icon",  "image/jpg",  "image/jxl", "image/apng",   "image/pngx",
        "image/",        "text/html",  "video/mp4", "image/png;x=1"};
    static const struct {
        int shape;
        const char *head;
    } shapes[] = {
        {MCPHOST_SHAPE_OPENAI_CHAT, "[{\"type\":\"text\",\"text\":"},
        {MCPHOST_SHAPE_OPENAI_RESPONSES, "[{\"type\":\"input_text\",\"text\":"},
        {MCPHOST_SHAPE_ANTHROPIC, "[{\"type\":\"text\",\"text\":"},
        {MCPHOST_SHAPE_GEMINI, "[{\"text\":"},
    };
    char item[120], line[160];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        snprintf(item, sizeof(item),
                 "{\"type\":\"image\",\"mimeType\":\"%s\",\"data\":\"AQID\"}", types[i]);
        make_one(item);
        for (size_t k = 0; k < MCPH_ARRAY_SIZE(shapes); k++) {
            take_parts(shapes[k].shape, 0);
            snprintf(line, sizeof(line),
                     "%s\"[image omitted: unsupported mimeType=%s]\"}]", shapes[k].head,
                     types[i]);
            ck_assert_str_eq(parts, line);
            ck_assert_str_eq(user_parts, "[]");
        }
    }
}
END_TEST

/* B.11 */
START_TEST(a_picture_whose_file_is_missing_becomes_a_text_that_names_it)
{
    char expected[300];

    make_one("{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}");
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    take_parts(MCPHOST_SHAPE_GEMINI, 0);
    snprintf(expected, sizeof(expected), "[{\"text\":\"[image missing: %s]\"}]",
             path_in(items->json));
    ck_assert_str_eq(parts, expected);
}
END_TEST

START_TEST(a_picture_over_the_limit_becomes_a_text)
{
    make_one("{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}");
    take_parts(MCPHOST_SHAPE_GEMINI, 69);
    ck_assert_ptr_nonnull(strstr(parts, "[image omitted, too large: artifacts/"));
    take_parts(MCPHOST_SHAPE_GEMINI, 70);
    ck_assert_ptr_nonnull(strstr(parts, "inlineData"));
}
END_TEST

START_TEST(a_record_cannot_make_the_library_read_another_file)
{
    static const char json[] =
        "[{\"type\":\"input_image\",\"mimeType\":\"image/"
        "png\",\"byteLength\":1,\"artifact\":"
        "{\"relPath\":\"artifacts/../../etc/passwd\"}},{\"type\":\"input_image\"},"
        "{\"type\":\"input_image\",\"mimeType\":\"image/png\",\"artifact\":{\"relPath\":"
        "\"artifacts/a\\u0000b\"}},{\"type\":\"input_text\",\"text\":5}]";

    ck_assert_int_eq(mcphost_items_parse(json, strlen(json), dir, &items, NULL), 0);
    take_parts(MCPHOST_SHAPE_GEMINI, 0);
    ck_assert_ptr_nonnull(
        strstr(parts, "[{\"text\":\"[image missing: artifacts/../../etc/passwd]\"},"));
    ck_assert_ptr_null(strstr(parts, "inlineData"));
}
END_TEST

START_TEST(base64_of_every_length_survives_a_round_trip)
{
    char data[64], expected[200];

    for (size_t n = 1; n < 40; n++) {
        struct mcph_buf buf;

        mcph_buf_init(&buf, 100);
        memset(data, 0xa5, n);
        ck_assert_int_eq(mcph_base64_add(&buf, data, n), 0);
        snprintf(
            expected, sizeof(expected),
            "{\"type\":\"image\",\"mimeType\":\"application/pdf\",\"data\":\"%.*s\"}",
            (int)buf.len, buf.data);
        make_one(expected);
        take_parts(MCPHOST_SHAPE_GEMINI, 0);
        snprintf(expected, sizeof(expected), "\"data\":\"%.*s\"", (int)buf.len, buf.data);
        ck_assert_ptr_nonnull(strstr(parts, expected));
        mcph_buf_done(&buf);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "parts");

    tcase_add_checked_fixture(tc, up, parts_down);
    tcase_add_test(tc, pictures_are_converted_to_the_form_of_each_provider);
    tcase_add_test(tc, a_chat_tool_message_holds_texts_and_a_user_message_the_files);
    tcase_add_test(tc, empty_texts_are_left_out_for_providers_that_refuse_them);
    tcase_add_test(tc, sounds_and_documents_are_sent_to_providers_that_accept_them);
    tcase_add_test(tc, a_picture_of_an_unsupported_type_becomes_a_text_that_names_it);
    tcase_add_test(tc, a_picture_whose_file_is_missing_becomes_a_text_that_names_it);
    tcase_add_test(tc, a_picture_over_the_limit_becomes_a_text);
    tcase_add_test(tc, a_record_cannot_make_the_library_read_another_file);
    tcase_add_test(tc, base64_of_every_length_survives_a_round_trip);
}

int
main(void)
{
    return test_main("parts", add);
}
