/* SPDX-License-Identifier: MIT
 *
 * test_items.c - the items of a conversation that are made from a tool's result.
 */
#include <fcntl.h>
#include <ftw.h>

#include "itemsrig.h"

/* Checks the JSON of the items.  A "*" in `json` matches any text up to the next
 * quote. */
static void
expect(const char *json)
{
    const char *have = items->json;

    while (*json) {
        if (*json == '*') {
            have += strcspn(have, "\"");
            json++;
        } else {
            ck_assert_msg(*json == *have, "%s\nis not\n%s", items->json, json);
            json++;
            have++;
        }
    }
    ck_assert_str_eq(have, "");
}

static size_t
read_file(const char *path, char *buf, size_t size)
{
    size_t n;

    ck_assert_int_eq(mcphost_artifact_read(dir, path, 0, buf, size, &n, NULL), 0);
    return n;
}

/* ---- items ------------------------------------------------------------------------- */

/* R68, R70, R74 */
START_TEST(texts_and_pictures_become_items_in_order)
{
    char bytes[200];

    make("{\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"},"
         "{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"t\\u00e9\\n\"}]"
         "}");
    expect(
        "[{\"type\":\"input_text\",\"text\":\"one\"},{\"type\":\"input_image\","
        "\"mimeType\":\"image/png\",\"byteLength\":70,\"artifact\":{\"rootId\":\"root\","
        "\"selfId\":\"self\",\"relPath\":\"*\"}},{\"type\":\"input_text\",\"text\":\"\"},"
        "{\"type\":\"input_text\",\"text\":\"t\xc3\xa9\\n\"}]");
    ck_assert_str_eq(mcphost_items_get_text(items, NULL),
                     "one\n[image saved: image/png, 70 bytes]\nt\xc3\xa9\n");
    ck_assert_int_eq(strncmp(path_in(items->json), "artifacts/mcp/srv/draw/", 23), 0);
    ck_assert_uint_eq(read_file(path_in(items->json), bytes, sizeof(bytes)), 70);
    ck_assert_int_eq(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), 0);
}
END_TEST

/* R68 */
START_TEST(the_prefix_of_a_data_url_is_skipped)
{
    char bytes[10];

    make_one("{\"type\":\"image\",\"mimeType\":\"image/x-any\",\"data\":"
             "\"  data:image\\/png;base64,AQID\"}");
    ck_assert_ptr_nonnull(strstr(items->json, "\"byteLength\":3"));
    ck_assert_uint_eq(read_file(path_in(items->json), bytes, 10), 3);
    ck_assert_int_eq(memcmp(bytes, "\1\2\3", 3), 0);
}
END_TEST

START_TEST(a_data_url_prefix_with_escapes_and_parameters_is_skipped)
{
    char bytes[10];

    make_one("{\"type\":\"image\",\"mimeType\":\"image/x-any\",\"data\":"
             "\"\\n\\u0044atA:x;babase64;base64,AQID\"}");
    ck_assert_uint_eq(read_file(path_in(items->json), bytes, 10), 3);
    ck_assert_int_eq(memcmp(bytes, "\1\2\3", 3), 0);
}
END_TEST

START_TEST(json_escapes_in_base64_are_decoded)
{
    char bytes[10];

    make_one("{\"type\":\"image\",\"mimeType\":\"image/bmp\",\"data\":"
             "\"\\/\\u002f8\\r\\n\\t\\u003d\"}");
    ck_assert_uint_eq(read_file(path_in(items->json), bytes, 10), 2);
    ck_assert_int_eq(memcmp(bytes, "\xff\xff", 2), 0);
}
END_TEST

START_TEST(the_bytes_of_a_picture_decide_its_type)
{
    make_one("{\"type\":\"image\",\"mimeType\":\"image/jpeg\",\"data\":\"" PNG "\"}");
    ck_assert_ptr_nonnull(strstr(items->json, "\"mimeType\":\"image/png\""));
    ck_assert_ptr_nonnull(strstr(items->json, ".png\""));
    make_one("{\"type\":\"image\",\"data\":\"" PNG "\"}");
    ck_assert_ptr_nonnull(strstr(items->json, "\"mimeType\":\"image/png\""));
    make_one("{\"type\":\"image\",\"mimeType\":\"image/jpeg\",\"data\":\"AQIDBA\"}");
    ck_assert_ptr_nonnull(strstr(items->json, "\"mimeType\":\"image/jpeg\""));
}
END_TEST

/* R70, B.11 */
START_TEST(a_picture_without_a_type_is_saved_as_an_octet_stream)
{
    make_one("{\"type\":\"image\",\"data\":\"AQID\"}");
    expect("[{\"type\":\"input_image\",\"mimeType\":\"application/octet-stream\","
           "\"byteLength\":3,\"artifact\":{\"rootId\":\"root\",\"selfId\":\"self\","
           "\"relPath\":\"*\"}}]");
    ck_assert_ptr_nonnull(strstr(items->json, ".bin\""));
    ck_assert_str_eq(mcphost_items_get_text(items, NULL),
                     "[image saved: application/octet-stream, 3 bytes]");
}
END_TEST

START_TEST(bytes_then_kind_then_mime_type_decide_the_type_of_an_item)
{
    static const struct {
        const char *item, *type;
    } cases[] = {
        {"{\"type\":\"image\",\"mimeType\":\"text/html\",\"data\":\"AQID\"}",
         "input_image"},
        {"{\"type\":\"image\",\"mimeType\":\"audio/wav\",\"data\":\"AQID\"}",
         "input_image"},
        {"{\"type\":\"audio\",\"data\":\"AQID\"}", "input_audio"},
        {"{\"type\":\"audio\",\"mimeType\":\"a/b\",\"data\":\"" PNG "\"}", "input_image"},
        {"{\"type\":\"resource\",\"resource\":{\"blob\":\"AQID\"}}", "input_file"},
        {"{\"type\":\"resource\",\"resource\":{\"mimeType\":\"IMAGE/"
         "x\",\"blob\":\"AQID\"}}",
         "input_image"},
        {"{\"type\":\"resource\",\"resource\":{\"mimeType\":\"audio/"
         "x\",\"blob\":\"AQID\"}}",
         "input_audio"},
        {"{\"type\":\"resource\",\"resource\":{\"blob\":\"" PNG "\"}}", "input_image"},
    };
    char begin[60];

    spec.all_types = true;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        make_one(cases[i].item);
        snprintf(begin, sizeof(begin), "[{\"type\":\"%s\",\"mimeType\":", cases[i].type);
        ck_assert_msg(strncmp(items->json, begin, strlen(begin)) == 0, "%s",
                      cases[i].item);
    }
}
END_TEST

START_TEST(with_all_types_sounds_blobs_and_embedded_texts_have_their_own_items)
{
    spec.all_types = true;
    make(
        "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AQID\"},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"inside\"}},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:c\",\"mimeType\":"
        "\"application/pdf\",\"blob\":\"AQID\"}}]}");
    expect("[{\"type\":\"input_audio\",\"mimeType\":\"audio/wav\",\"byteLength\":3,"
           "\"artifact\":{\"rootId\":\"root\",\"selfId\":\"self\",\"relPath\":\"*\"}},"
           "{\"type\":\"input_text\",\"text\":\"inside\",\"uri\":\"a:b\"},"
           "{\"type\":\"input_file\",\"mimeType\":\"application/pdf\",\"byteLength\":3,"
           "\"artifact\":{\"rootId\":\"root\",\"selfId\":\"self\",\"relPath\":\"*\"},"
           "\"uri\":\"a:c\"}]");
    ck_assert_str_eq(mcphost_items_get_text(items, NULL),
                     "[audio saved: audio/wav, 3 bytes]\ninside\n"
                     "[file saved: application/pdf, 3 bytes, a:c]");
}
END_TEST

/* R70: without `all_types`, an item that is neither text nor picture appears as a
 * text. */
START_TEST(without_all_types_items_are_only_texts_and_pictures)
{
    make(
        "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AQID\"},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:c\",\"mimeType\":"
        "\"application/pdf\",\"blob\":\"AQID\"}},"
        "{\"type\":\"resource_link\",\"uri\":\"x:y\"},{\"type\":\"hologram\"},7,"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:i\",\"blob\":\"" PNG "\"}}]}");
    expect(
        "[{\"type\":\"input_text\",\"text\":\"[audio saved: audio/wav, 3 bytes: *\"},"
        "{\"type\":\"input_text\",\"text\":\"[file saved: application/pdf, 3 bytes: *\","
        "\"uri\":\"a:c\"},{\"type\":\"input_text\",\"text\":\"{\\\"type\\\":"
        "\\\"resource_link\\\",\\\"uri\\\":\\\"x:y\\\"}\"},{\"type\":\"input_text\","
        "\"text\":\"{\\\"type\\\":\\\"hologram\\\"}\"},{\"type\":\"input_text\","
        "\"text\":\"7\"},{\"type\":\"input_image\",\"mimeType\":\"image/png\","
        "\"byteLength\":70,\"artifact\":{\"rootId\":\"root\",\"selfId\":\"self\","
        "\"relPath\":\"*\"},\"uri\":\"a:i\"}]");
    ck_assert_ptr_nonnull(strstr(items->json, "3 bytes: artifacts/mcp/srv/draw/"));
}
END_TEST

/* R68: a blob becomes a text if its type is a text type and its bytes are UTF-8 without a
 * NUL. */
START_TEST(a_blob_of_a_text_type_becomes_a_text_if_its_bytes_are_text)
{
    static const char *const types[] = {
        "text/plain",           "Text/CSV; charset=utf-8",
        "application/json",     "application/ld+json ; profile=x",
        "application/atom+xml", "application/x-yaml"};
    static const char *const others[] = {"application/pdf", "image/svg+xml", "textual/x",
                                         "application/octet-stream", "+xml"};
    char item[200];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        snprintf(item, sizeof(item),
                 "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"mimeType\":"
                 "\"%s\",\"blob\":\"w6kK\"}}",
                 types[i]);
        make_one(item);
        expect("[{\"type\":\"input_text\",\"text\":\"\xc3\xa9\\n\",\"uri\":\"a:b\"}]");
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(others); i++) {
        snprintf(item, sizeof(item),
                 "{\"type\":\"resource\",\"resource\":{\"mimeType\":\"%s\","
                 "\"blob\":\"w6kK\"}}",
                 others[i]);
        make_one(item);
        ck_assert_msg(!strstr(items->json, "\xc3\xa9"), "%s", others[i]);
    }
    /* The library saves Latin-1 bytes and bytes with a NUL as a file.  It reports invalid
     * base64. */
    make_one("{\"type\":\"resource\",\"resource\":{\"mimeType\":\"text/plain\","
             "\"blob\":\"6Qo=\"}}");
    ck_assert_ptr_nonnull(strstr(items->json, "[file saved: text/plain, 2 bytes: "));
    make_one("{\"type\":\"resource\",\"resource\":{\"mimeType\":\"text/plain\","
             "\"blob\":\"YQBi\"}}");
    ck_assert_ptr_nonnull(strstr(items->json, "[file saved: text/plain, 3 bytes: "));
    make_one("{\"type\":\"resource\",\"resource\":{\"mimeType\":\"text/plain\","
             "\"blob\":\"YQ!\"}}");
    ck_assert_ptr_nonnull(strstr(items->json, "its base64 is invalid at character 2]"));
}
END_TEST

START_TEST(a_long_blob_of_a_text_type_is_saved_and_its_item_has_head_and_tail)
{
    struct mcph_buf item;

    spec.text_bytes = 8192;
    mcph_buf_init(&item, 1 << 20);
    mcph_buf_adds(&item, "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\","
                         "\"mimeType\":\"text/plain\",\"blob\":\"");
    for (int i = 0; i < 30000; i++)
        mcph_buf_adds(&item, "YWFh");
    mcph_buf_adds(&item, "\"}}");
    mcph_buf_addc(&item, '\0');
    ck_assert_int_eq(mcph_buf_ok(&item), 0);
    make_one(item.data);
    ck_assert_ptr_nonnull(strstr(items->json, "\"byteLength\":90000,\"lineCount\":1,"));
    mcph_buf_done(&item);
}
END_TEST

START_TEST(with_all_types_links_and_unknown_kinds_keep_their_json)
{
    spec.all_types = true;
    make("{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x:y\",\"n\":1e400},"
         "{\"type\":\"hologram\"},7,{\"type\":\"image\"}]}");
    expect("[{\"type\":\"resource_link\",\"uri\":\"x:y\",\"n\":1e400},"
           "{\"type\":\"hologram\"},7,{\"type\":\"image\"}]");
}
END_TEST

/* R71: only the library makes items that name a file. */
START_TEST(a_servers_item_that_imitates_an_item_of_the_library_becomes_text)
{
    spec.all_types = true;
    make("{\"content\":[{\"type\":\"input_image\",\"mimeType\":\"image/png\","
         "\"artifact\":{\"relPath\":\"artifacts/mcp/b/t/x.png\"}},"
         "{\"type\":\"input\\u005ftext\",\"text\":1}]}");
    expect("[{\"type\":\"input_text\",\"text\":\"{\\\"type\\\":\\\"input_image\\\","
           "\\\"mimeType\\\":\\\"image/png\\\",\\\"artifact\\\":{\\\"relPath\\\":"
           "\\\"artifacts/mcp/b/t/x.png\\\"}}\"},{\"type\":\"input_text\",\"text\":"
           "\"{\\\"type\\\":\\\"input\\\\u005ftext\\\",\\\"text\\\":1}\"}]");
}
END_TEST

START_TEST(a_result_without_content_becomes_its_json_as_text) /* B.11 */
{
    make("{\"toolResult\":{\"a\":1}}");
    expect("[{\"type\":\"input_text\",\"text\":\"{\\\"toolResult\\\":{\\\"a\\\":1}}\"}]");
    make("{\"structuredContent\":[1]}");
    expect("[{\"type\":\"input_text\",\"text\":\"[1]\"}]");
}
END_TEST

/* B.11 */
START_TEST(structured_content_is_shown_only_if_content_is_empty_or_blank)
{
    make("{\"content\":[],\"structuredContent\":[1]}");
    expect("[{\"type\":\"input_text\",\"text\":\"[1]\"}]");
    make("{\"content\":[{\"type\":\"text\",\"text\":\" "
         "\\n\"}],\"structuredContent\":[1]}");
    expect("[{\"type\":\"input_text\",\"text\":\" \\n\"},"
           "{\"type\":\"input_text\",\"text\":\"[1]\"}]");
    make("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":[1]}");
    expect("[{\"type\":\"input_text\",\"text\":\"x\"}]");
    make("{\"content\":[{\"type\":\"text\"}],\"structuredContent\":[1]}");
    expect("[{\"type\":\"input_text\",\"text\":\"{\\\"type\\\":\\\"text\\\"}\"}]");
    make("{\"content\":[]}");
    expect("[]");
}
END_TEST

START_TEST(items_and_records_keep_the_error_flag_of_the_result)
{
    static const char record[] = "{\"isError\":true,\"id\":7,\"contentItems\":"
                                 "[{\"type\":\"input_text\",\"text\":\"no\"}]}";
    static const char *const bad[] = {"{\"isError\":true}", "{\"contentItems\":{}}", "7"};
    mcphost_items *none = NULL;

    make("{\"content\":[],\"isError\":true}");
    ck_assert_int_eq(mcphost_items_is_error(items), 1);
    make("{\"content\":[],\"isError\":1}");
    ck_assert_int_eq(mcphost_items_is_error(items), 0);
    ck_assert_int_eq(mcphost_items_is_error(NULL), 0);
    mcphost_items_unref(items);
    ck_assert_int_eq(mcphost_items_parse(record, strlen(record), dir, &items, NULL), 0);
    ck_assert_int_eq(mcphost_items_is_error(items), 1);
    expect("[{\"type\":\"input_text\",\"text\":\"no\"}]");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_int_eq(mcphost_items_parse(bad[i], strlen(bad[i]), dir, &none, NULL),
                         MCPHOST_E_INVALID);
}
END_TEST

START_TEST(wrong_base64_is_reported_and_does_not_affect_other_items)
{
    make("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/"
         "png\",\"data\":\"AQID!\"},"
         "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"A\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\" \\n\"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AQ\\ud800\"},"
         "{\"type\":\"text\",\"text\":\"after\"}]}");
    expect("[{\"type\":\"input_text\",\"text\":\"[image left out: image/png: its base64 "
           "is invalid at character 4]\"},{\"type\":\"input_text\",\"text\":\"[audio "
           "left out: audio/wav: its base64 is invalid at character "
           "1]\"},{\"type\":\"input_text\",\"text\":\"[image left out: image/png: it is "
           "empty]\"},{\"type\":\"input_text\",\"text\":\"[image left out: image/png: it "
           "is empty]\"},{\"type\":\"input_text\",\"text\":\"[image left out: image/png: "
           "its base64 is invalid at character "
           "2]\"},{\"type\":\"input_text\",\"text\":\"after\"}]");
}
END_TEST

static int n_files;

static int
count_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)path;
    (void)st;
    (void)ftw;
    n_files += type != FTW_D;
    return 0;
}

START_TEST(a_fault_far_into_a_picture_leaves_no_file)
{
    struct mcph_buf json;
    char *text;

    mcph_buf_init(&json, 1 << 20);
    mcph_buf_adds(&json, "{\"content\":[{\"type\":\"image\",\"data\":\"");
    for (int i = 0; i < 200000; i++)
        mcph_buf_addc(&json, i == 150000 ? '?' : 'A');
    mcph_buf_adds(&json, "\"}]}");
    text = mcph_buf_steal(&json, NULL);
    make(text);
    free(text);
    ck_assert_ptr_nonnull(strstr(items->json, "invalid at character 150000]"));
    n_files = 0;
    ck_assert_int_eq(nftw(dir, count_file, 16, FTW_PHYS), 0);
    ck_assert_int_eq(n_files, 0);
}
END_TEST

START_TEST(without_a_directory_a_note_replaces_the_picture)
{
    spec.place = NULL;
    make_one("{\"type\":\"image\",\"data\":\"" PNG "\"}");
    expect(
        "[{\"type\":\"input_text\",\"text\":\"[image left out: image/png: the dialog has "
        "no directory for artifacts]\"}]");
}
END_TEST

START_TEST(a_note_replaces_a_picture_that_exceeds_the_quota)
{
    struct mcph_artifacts *small;

    ck_assert_int_eq(mcph_artifacts_new(dir, "r", "s", 60, &small, NULL), 0);
    spec.place = small;
    make_one("{\"type\":\"image\",\"data\":\"" PNG "\"}");
    ck_assert_ptr_nonnull(strstr(items->json, "exceed 60 bytes]\"}]"));
    ck_assert_uint_eq(small->used, 0);
    mcph_artifacts_unref(small);
}
END_TEST

/* ---- long texts -------------------------------------------------------------------- */

static void
make_long(size_t len, const char *fill)
{
    struct mcph_buf json;
    char *text;

    mcph_buf_init(&json, 1 << 20);
    mcph_buf_adds(&json, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    for (size_t i = 0; i < len; i += strlen(fill))
        mcph_buf_adds(&json, fill);
    mcph_buf_adds(&json, "\"}]}");
    text = mcph_buf_steal(&json, NULL);
    make(text);
    free(text);
}

START_TEST(a_long_text_is_saved_and_its_item_has_head_and_tail)
{
    char *bytes = malloc(30000);

    spec.text_bytes = 20000;
    make_long(20000, "0123456789");
    ck_assert_ptr_null(strstr(items->json, "artifact"));
    make_long(20010, "0123456789");
    ck_assert_ptr_nonnull(strstr(items->json, "\"byteLength\":20010,\"lineCount\":1,"));
    ck_assert_ptr_nonnull(strstr(items->json, ".txt\"}}]"));
    ck_assert_ptr_nonnull(
        strstr(items->json, "\\n[11818 of 20010 bytes left out here; the whole text is "
                            "in artifacts/mcp/srv/draw/"));
    ck_assert_uint_eq(read_file(path_in(items->json), bytes, 30000), 20010);
    ck_assert_int_eq(memcmp(bytes, "0123456789", 10), 0);
    free(bytes);
    ck_assert_uint_lt(items->json_len, 9000);
}
END_TEST

START_TEST(no_character_is_cut_in_two_and_lines_are_counted)
{
    spec.text_bytes = 8192;
    make_long(12000, "\xe2\x82\xac\\n");
    ck_assert(mcph_utf8_valid(items->json, items->json_len, NULL));
    ck_assert_ptr_null(strstr(items->json, "\xef\xbf\xbd"));
    ck_assert_ptr_nonnull(strstr(items->json, "\"lineCount\":2400"));
    /* A cut at a fixed place would split a character at the end of the first text's head.
     * It would also split a character at the beginning of the second text's tail. */
    make_long(7 * 2000, "ab\xe2\x82\xac\\n");
    ck_assert_ptr_null(strstr(items->json, "\xef\xbf\xbd"));
    ck_assert_ptr_nonnull(strstr(items->json, "\"lineCount\":2000"));
    make_long(7 * 2000, "\xe2\x82\xac"
                        "abc\xc3\xa4");
    ck_assert_ptr_null(strstr(items->json, "\xef\xbf\xbd"));
}
END_TEST

START_TEST(the_digest_is_of_the_whole_text)
{
    spec.text_bytes = 8192;
    make_long(10000, "aaaaaaaaaa");
    ck_assert_ptr_nonnull(strstr(
        items->json, "27dd1f61b867b6a0f6e9d8a41c43231de52107e53ae424de8f847b821db4b711"));
}
END_TEST

START_TEST(a_limit_in_characters_wins_over_the_limit_in_bytes)
{
    spec.text_bytes = 8192;
    spec.text_chars = 5000;
    make_long(15000, "\xe2\x82\xac\xe2\x82\xac");
    ck_assert_ptr_null(strstr(items->json, "artifact"));
    make_long(15006, "\xe2\x82\xac\xe2\x82\xac");
    ck_assert_ptr_nonnull(strstr(items->json, "artifact"));
}
END_TEST

/* Compares both spellings of a text, because the library decodes a text with escapes in
 * steps. */
START_TEST(a_long_text_is_the_same_with_escapes_and_without)
{
    static const size_t lengths[] = {8180,  8200,  16380, 16390,
                                     32760, 32770, 49150, 100000};
    static char bytes[2][101000];
    char *plain;

    spec.text_bytes = 8192;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lengths); i++) {
        struct mcph_artifacts *there = spec.place;
        size_t n[2];

        spec.place = NULL;
        make_long(lengths[i], "ab\xe2\x82\xac\xc3\xa4-\xf0\x9f\x98\x80");
        plain = mcph_strdup(items->json);
        make_long(lengths[i] * 32 / 12, "\\u0061b\\u20ac\\u00e4-\\ud83d\\ude00");
        ck_assert(strcmp(items->json, plain) == 0);
        ck_assert_int_eq(strstr(plain, "\"sha256\"") != NULL, i > 0);
        free(plain);
        spec.place = there;
        if (i == 0)
            continue;
        make_long(lengths[i], "ab\xe2\x82\xac\xc3\xa4-\xf0\x9f\x98\x80");
        n[0] = read_file(path_in(items->json), bytes[0], sizeof(bytes[0]));
        make_long(lengths[i] * 32 / 12, "\\u0061b\\u20ac\\u00e4-\\ud83d\\ude00");
        n[1] = read_file(path_in(items->json), bytes[1], sizeof(bytes[1]));
        ck_assert_uint_eq(n[0], n[1]);
        ck_assert_mem_eq(bytes[0], bytes[1], n[0]);
    }
}
END_TEST

START_TEST(the_length_of_a_text_is_measured_without_its_escapes)
{
    spec.text_bytes = 10000;
    make_long(6 * 10000, "\\u0061");
    ck_assert_ptr_null(strstr(items->json, "artifact"));
    make_long(6 * 10001, "\\u0061");
    ck_assert_ptr_nonnull(strstr(items->json, "\"byteLength\":10001,"));
    spec.text_chars = 12000;
    make_long(6 * 12000, "\\u20ac");
    ck_assert_ptr_null(strstr(items->json, "artifact"));
    make_long(6 * 12001, "\\u20ac");
    ck_assert_ptr_nonnull(strstr(items->json, "\"byteLength\":36003,"));
}
END_TEST

/* R70: the library also saves a long item of an unknown kind, or of a known kind without
 * its data. */
START_TEST(a_long_item_of_any_kind_is_saved_as_a_file)
{
    static const char *const heads[] = {
        "{\"type\":\"hologram\",\"x\":\"", "{\"type\":\"image\",\"data\":1,\"x\":\"",
        "{\"type\":\"resource\",\"x\":\"", "{\"type\":\"input_image\",\"x\":\"", "\""};
    static char item[11000], bytes[11000];

    spec.text_bytes = 9000;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(heads); i++) {
        size_t n = strlen(heads[i]);

        memcpy(item, heads[i], n);
        memset(item + n, 'x', 10000);
        snprintf(item + n + 10000, 10, "%s", n > 1 ? "\"}" : "\"");
        make_one(item);
        ck_assert_uint_lt(items->json_len, 9000);
        ck_assert_int_eq(strncmp(items->json, "[{\"type\":\"input_text\",", 22), 0);
        ck_assert_ptr_nonnull(strstr(items->json, ".txt\"}}]"));
        n = read_file(path_in(items->json), bytes, sizeof(bytes));
        ck_assert_uint_eq(n, strlen(item));
        ck_assert_mem_eq(bytes, item, n);
    }
}
END_TEST

START_TEST(a_long_text_without_a_directory_still_has_head_and_tail)
{
    spec.text_bytes = 8192;
    spec.place = NULL;
    make_long(10000, "0123456789");
    ck_assert_ptr_nonnull(strstr(
        items->json, "the whole text was not stored: the dialog has no directory"));
    ck_assert_ptr_null(strstr(items->json, "\"artifact\""));
}
END_TEST

/* ---- records ----------------------------------------------------------------------- */

START_TEST(recorded_items_have_the_same_json_and_text)
{
    mcphost_items *again = NULL;

    make("{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":"
         "\" \"},"
         "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}]}");
    ck_assert_int_eq(mcphost_items_parse(items->json, items->json_len, dir, &again, NULL),
                     0);
    ck_assert_str_eq(mcphost_items_get_json(again, NULL), items->json);
    ck_assert_str_eq(mcphost_items_get_text(again, NULL), items->text);
    ck_assert_ptr_eq(mcphost_items_ref(again), again);
    mcphost_items_unref(again);
    ck_assert_ptr_null(mcphost_items_unref(again));
    ck_assert_ptr_null(mcphost_items_ref(NULL));
}
END_TEST

START_TEST(an_invalid_record_or_a_relative_directory_is_refused)
{
    static const char *const bad[] = {"", "{}", "[{}", "[{}]x", "nul"};
    mcphost_items *none = NULL;
    mcphost_error *error = NULL;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++) {
        ck_assert_int_eq(mcphost_items_parse(bad[i], strlen(bad[i]), dir, &none, &error),
                         MCPHOST_E_INVALID);
        ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "recorded items"));
        error = mcphost_error_unref(error);
    }
    ck_assert_int_eq(mcphost_items_parse("[]", 2, "here", &none, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(none);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "items");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, texts_and_pictures_become_items_in_order);
    tcase_add_test(tc, the_prefix_of_a_data_url_is_skipped);
    tcase_add_test(tc, a_data_url_prefix_with_escapes_and_parameters_is_skipped);
    tcase_add_test(tc, json_escapes_in_base64_are_decoded);
    tcase_add_test(tc, the_bytes_of_a_picture_decide_its_type);
    tcase_add_test(tc, a_picture_without_a_type_is_saved_as_an_octet_stream);
    tcase_add_test(tc, bytes_then_kind_then_mime_type_decide_the_type_of_an_item);
    tcase_add_test(tc,
                   with_all_types_sounds_blobs_and_embedded_texts_have_their_own_items);
    tcase_add_test(tc, without_all_types_items_are_only_texts_and_pictures);
    tcase_add_test(tc, a_blob_of_a_text_type_becomes_a_text_if_its_bytes_are_text);
    tcase_add_test(tc,
                   a_long_blob_of_a_text_type_is_saved_and_its_item_has_head_and_tail);
    tcase_add_test(tc, with_all_types_links_and_unknown_kinds_keep_their_json);
    tcase_add_test(tc, a_servers_item_that_imitates_an_item_of_the_library_becomes_text);
    tcase_add_test(tc, a_result_without_content_becomes_its_json_as_text);
    tcase_add_test(tc, structured_content_is_shown_only_if_content_is_empty_or_blank);
    tcase_add_test(tc, items_and_records_keep_the_error_flag_of_the_result);
    tcase_add_test(tc, wrong_base64_is_reported_and_does_not_affect_other_items);
    tcase_add_test(tc, a_fault_far_into_a_picture_leaves_no_file);
    tcase_add_test(tc, without_a_directory_a_note_replaces_the_picture);
    tcase_add_test(tc, a_note_replaces_a_picture_that_exceeds_the_quota);
    tcase_add_test(tc, a_long_text_is_saved_and_its_item_has_head_and_tail);
    tcase_add_test(tc, no_character_is_cut_in_two_and_lines_are_counted);
    tcase_add_test(tc, the_digest_is_of_the_whole_text);
    tcase_add_test(tc, a_limit_in_characters_wins_over_the_limit_in_bytes);
    tcase_add_test(tc, a_long_text_is_the_same_with_escapes_and_without);
    tcase_add_test(tc, the_length_of_a_text_is_measured_without_its_escapes);
    tcase_add_test(tc, a_long_item_of_any_kind_is_saved_as_a_file);
    tcase_add_test(tc, a_long_text_without_a_directory_still_has_head_and_tail);
    tcase_add_test(tc, recorded_items_have_the_same_json_and_text);
    tcase_add_test(tc, an_invalid_record_or_a_relative_directory_is_refused);
}

int
main(void)
{
    return test_main("items", add);
}
