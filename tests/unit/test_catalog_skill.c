/* SPDX-License-Identifier: MIT
 *
 * test_catalog_skill.c - skills: checking an entry, finding its files, and verifying
 * files against the entry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "support/runner.h"

#define HEX   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FRONT "\"frontmatter\":{\"name\":\"pdf\",\"description\":\"d\"}"
#define FILE_OF(uri, size) \
    "{\"uri\":\"" uri "\",\"digest\":\"sha256:" HEX "\",\"size\":" size "}"
#define MAIN_OF(size) FILE_OF("skill://acme/pdf/SKILL.md", size)
#define ENTRY(front, files) \
    "{\"uri\":\"skill://acme/pdf/SKILL.md\"," front ",\"resources\":" files "}"

static const struct {
    const char *entry, *why; /* why the entry is invalid; NULL if it is valid */
} entries[] = {
    {ENTRY(FRONT, "[" MAIN_OF("3") "," FILE_OF("skill://acme/pdf/a/b.md", "0") "]"),
     NULL},
    {ENTRY(FRONT, "\"dynamic\""), NULL},
    {"{\"uri\":\"gh://o/r/pdf/SKILL.md\"," FRONT ",\"resources\":\"dynamic\",\"more\":1}",
     NULL},
    {ENTRY("\"frontmatter\":{\"name\":\"pdf\",\"description\":\"\",\"x\":[1]}",
           "\"dynamic\""),
     NULL},
    {"[]", "not an object"},
    {"{}", "uri"},
    {"{\"uri\":\"skill://pdf/skill.md\"," FRONT ",\"resources\":\"dynamic\"}", "uri"},
    {"{\"uri\":\"skill:\\/\\/pdf\\/SKILL.md\"," FRONT ",\"resources\":\"dynamic\"}",
     NULL},
    {"{\"uri\":\"skill://a/../pdf/SKILL.md\"," FRONT ",\"resources\":\"dynamic\"}",
     "uri"},
    {"{\"uri\":\"skill://p\\u0064f/SKILL.md\"," FRONT ",\"resources\":\"dynamic\"}",
     "uri"},
    {"{\"uri\":\"skill://a/pdf/SKILL.md\",\"uri\":\"x\"," FRONT
     ",\"resources\":\"dynamic\"}",
     "twice"},
    {ENTRY("\"frontmatter\":[]", "\"dynamic\""), "frontmatter"},
    {ENTRY("\"frontmatter\":{\"name\":\"pdf\"}", "\"dynamic\""), "description"},
    {ENTRY("\"frontmatter\":{\"name\":\"pdf\",\"description\":7}", "\"dynamic\""),
     "description"},
    {ENTRY("\"frontmatter\":{\"description\":\"d\"}", "\"dynamic\""), "its name"},
    {ENTRY("\"frontmatter\":{\"name\":\"Pdf\",\"description\":\"d\"}", "\"dynamic\""),
     "its name"},
    {ENTRY("\"frontmatter\":{\"name\":\"-pdf\",\"description\":\"d\"}", "\"dynamic\""),
     "its name"},
    {ENTRY("\"frontmatter\":{\"name\":\"p--f\",\"description\":\"d\"}", "\"dynamic\""),
     "its name"},
    {ENTRY("\"frontmatter\":{\"name\":\"pd\",\"description\":\"d\"}", "\"dynamic\""),
     "directory"},
    {ENTRY("\"frontmatter\":{\"name\":\"df\",\"description\":\"d\"}", "\"dynamic\""),
     "directory"},
    {ENTRY(FRONT, "\"static\""), "dynamic"},
    {ENTRY(FRONT, "null"), "dynamic"},
    {"{\"uri\":\"skill://acme/pdf/SKILL.md\"," FRONT "}", "dynamic"},
    {ENTRY(FRONT, "[]"), "SKILL.md"},
    {ENTRY(FRONT, "[" FILE_OF("skill://acme/pdf/a.md", "1") "]"), "SKILL.md"},
    {ENTRY(FRONT, "[" MAIN_OF("1") "," MAIN_OF("1") "]"), "twice"},
    {ENTRY(FRONT, "[" MAIN_OF("1") "," FILE_OF("skill://acme/pdfs/a.md", "1") "]"),
     "outside its directory"},
    {ENTRY(FRONT, "[" MAIN_OF("1") "," FILE_OF("skill://acme/pdf", "1") "]"),
     "outside its directory"},
    {ENTRY(FRONT, "[" MAIN_OF("-1") "]"), "no size"},
    {ENTRY(FRONT, "[" MAIN_OF("\"1\"") "]"), "no size"},
    {ENTRY(FRONT, "[" MAIN_OF("1.5") "]"), "no size"},
    {ENTRY(FRONT, "[" MAIN_OF("16777216") "]"), NULL},
    {ENTRY(FRONT, "[" MAIN_OF("16777216") "," FILE_OF("skill://acme/pdf/a", "1") "]"),
     "16 MiB"},
    {ENTRY(FRONT, "[" MAIN_OF("9223372036854775807") "," FILE_OF(
                      "skill://acme/pdf/a", "9223372036854775807") "]"),
     "16 MiB"},
    {ENTRY(FRONT, "[{\"uri\":\"skill://acme/pdf/SKILL.md\",\"digest\":\"sha256:AB\","
                  "\"size\":1}]"),
     "no digest"},
    {ENTRY(FRONT, "[7]"), "no uri"},
};

START_TEST(an_entry_is_valid_or_the_reason_is_given)
{
    const char *why = NULL;

    (void)mcph_skill_check(mcph_span_str(entries[_i].entry), &why);

    if (entries[_i].why)
        test_has(why, entries[_i].why);
    else
        ck_assert_msg(!why, "%s: %s", entries[_i].entry, why);
}
END_TEST

START_TEST(a_skill_has_at_most_512_files)
{
    const char *why = NULL;
    struct mcph_buf buf;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_adds(&buf, "{\"uri\":\"skill://acme/pdf/SKILL.md\"," FRONT
                        ",\"resources\":[" MAIN_OF("0"));
    for (int i = 1; i < 512 + _i; i++)
        mcph_buf_addf(&buf,
                      ",{\"uri\":\"skill://acme/pdf/%d\",\"digest\":\"sha256:" HEX
                      "\",\"size\":0}",
                      i);
    mcph_buf_adds(&buf, "]}");
    ck_assert_int_eq(mcph_skill_check(mcph_span(buf.data, buf.len), &why),
                     _i ? MCPHOST_E_PROTOCOL : 0);
    mcph_buf_done(&buf);
}
END_TEST

/* ---- files ------------------------------------------------------------------------- */

static const struct {
    const char *file, *uri; /* `uri` is NULL if the skill lacks `file` */
    bool dynamic;
} files[] = {
    {NULL, "skill://acme/pdf/SKILL.md", false},
    {"SKILL.md", "skill://acme/pdf/SKILL.md", false},
    {"a/b.md", "skill://acme/pdf/a/b.md", false},
    {"skill://acme/pdf/a/b.md", "skill://acme/pdf/a/b.md", false},
    {"a/c.md", NULL, false},
    {"", NULL, false},
    {"../pdf/SKILL.md", NULL, false},
    {"skill://other/SKILL.md", NULL, false},
    {"a/c.md", "skill://acme/pdf/a/c.md", true},
    {"skill://acme/pdf/x", "skill://acme/pdf/x", true},
    {"../x", NULL, true},
    {"a/../../x", NULL, true},
    {"a/..", NULL, true},
    {"%2e./x", NULL, true},
    {"a..b", "skill://acme/pdf/a..b", true},
    {"", NULL, true},
};

START_TEST(a_file_is_found_by_its_path_or_its_uri)
{
    struct mcph_span entry = mcph_span_str(
        files[_i].dynamic ? ENTRY(FRONT, "\"dynamic\"")
                          : ENTRY(FRONT, "[" MAIN_OF("3") "," FILE_OF(
                                             "skill://acme/pdf/a/b.md", "0") "]"));
    mcphost_error *err = NULL;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    r = mcph_skill_find_file(entry, files[_i].file, &buf, &err);
    ck_assert_int_eq(r, files[_i].uri ? 0 : MCPHOST_E_NOTFOUND);
    if (files[_i].uri)
        ck_assert(mcph_span_is(mcph_span(buf.data, buf.len), files[_i].uri));
    else
        test_has(mcphost_error_get_message(err), "has no file");
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
}
END_TEST

/* ---- verification ------------------------------------------------------------------ */

static int
verify(const char *entry, const char *uri, const char *bytes, const char *why)
{
    mcphost_error *err = NULL;
    int r = mcph_skill_verify(mcph_span_str(entry), mcph_span_str(uri),
                              mcph_span_str(bytes), &err);

    if (why)
        test_has(mcphost_error_get_message(err), why);
    mcphost_error_unref(err);
    return r;
}

START_TEST(a_file_that_differs_from_its_entry_is_refused)
{
    /* The digest of skill://acme/pdf/x is the SHA-256 of "abc". */
    static const char entry[] = ENTRY(
        FRONT,
        "[" MAIN_OF(
            "3") ",{\"uri\":\"skill://acme/pdf/x\",\"digest\":\"sha256:"
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
                 "\"size\":3}]");

    ck_assert_int_eq(verify(entry, "skill://acme/pdf/x", "abc", NULL), 0);
    ck_assert_int_eq(verify(entry, "skill://acme/pdf/x", "abd", "digest"),
                     MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(verify(entry, "skill://acme/pdf/x", "abcd", "4 bytes"),
                     MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(verify(entry, "skill://acme/pdf/y", "abc", "does not list"),
                     MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(verify(entry, "skill://acme/pdf/SKILL.md", "abc", "digest"),
                     MCPHOST_E_PROTOCOL);
}
END_TEST

static const struct {
    const char *json, *yaml;
    bool same;
} fronts[] = {
    {"", "name: pdf\ndescription: d\n", true},
    {"", "description: d\nname: pdf\n", true},
    {"", "{name: pdf, description: \"d\"}\n", true},
    {"", "name: pdf\r\ndescription: d\r\n", true},
    {"", "name: pdf\ndescription: e\n", false},
    {"", "name: pdf\ndescription: d\nallowed-tools: Bash\n", false},
    {"", "name: pdf\n", false},
    {",\"v\":1", "name: pdf\ndescription: d\nv: 1\n", true},
    {",\"v\":1.5", "name: pdf\ndescription: d\nv: 1.5\n", true},
    {",\"v\":\"1.5\"", "name: pdf\ndescription: d\nv: 1.5\n", true},
    {",\"v\":1.5", "name: pdf\ndescription: d\nv: \"1.5\"\n", false},
    {",\"v\":2", "name: pdf\ndescription: d\nv: 1\n", false},
    {",\"v\":true", "name: pdf\ndescription: d\nv: true\n", true},
    {",\"v\":false", "name: pdf\ndescription: d\nv: true\n", false},
    {",\"v\":null", "name: pdf\ndescription: d\nv:\n", true},
    {",\"v\":null", "name: pdf\ndescription: d\nv: 0\n", false},
    {",\"v\":\"2026-01-01\"", "name: pdf\ndescription: d\nv: 2026-01-01\n", true},
    {",\"v\":[1,\"a\"]", "name: pdf\ndescription: d\nv: [1, a]\n", true},
    {",\"v\":[1]", "name: pdf\ndescription: d\nv: [1, a]\n", false},
    {",\"v\":[1,\"a\",2]", "name: pdf\ndescription: d\nv: [1, a]\n", false},
    {",\"v\":{\"k\":{\"l\":[]}}", "name: pdf\ndescription: d\nv: {k: {l: []}}\n", true},
    {",\"v\":{\"k\":1}", "name: pdf\ndescription: d\nv: {l: 1}\n", false},
    {",\"v\":{}", "name: pdf\ndescription: d\nv: []\n", false},
    {",\"v\":\"[]\"", "name: pdf\ndescription: d\nv: []\n", false},
    {"", "name: pdf\nname: pdf\ndescription: d\n", false},
    {"", "- name\n", false},
    {"", "name: [\n", false},
};

START_TEST(front_matter_that_differs_from_the_entry_is_refused)
{
    char entry[512], text[512];
    int r;

    snprintf(entry, sizeof(entry),
             "{\"uri\":\"skill://pdf/SKILL.md\",\"frontmatter\":{\"name\":\"pdf\","
             "\"description\":\"d\"%s},\"resources\":\"dynamic\"}",
             fronts[_i].json);
    snprintf(text, sizeof(text), "---\n%s---\nbody\n", fronts[_i].yaml);
    r = verify(entry, "skill://pdf/SKILL.md", text,
               fronts[_i].same ? NULL : "front matter");
    ck_assert_int_eq(r, fronts[_i].same ? 0 : MCPHOST_E_PROTOCOL);
    /* mcph_skill_verify() compares the front matter of SKILL.md only. */
    ck_assert_int_eq(verify(entry, "skill://pdf/x", text, NULL), 0);
}
END_TEST

static const struct {
    const char *text;
    bool good;
} texts[] = {
    {"---\nname: pdf\ndescription: d\n---\n", true},
    {"---\r\nname: pdf\r\ndescription: d\r\n---\r\nbody", true},
    {"---\nname: pdf\ndescription: d\n---", true},
    {"", false},
    {"---", false},
    {"---\n", false},
    {"---\nname: pdf\ndescription: d\n", false},
    {"----\nname: pdf\ndescription: d\n---\n", false},
    {" ---\nname: pdf\ndescription: d\n---\n", false},
    {"---\nname: pdf\ndescription: d\n----\n", false},
    {"name: pdf\ndescription: d\n", false},
};

START_TEST(front_matter_must_stand_between_lines_of_dashes)
{
    static const char entry[] =
        "{\"uri\":\"skill://pdf/SKILL.md\"," FRONT ",\"resources\":\"dynamic\"}";

    ck_assert_int_eq(verify(entry, "skill://pdf/SKILL.md", texts[_i].text,
                            texts[_i].good ? NULL : "front matter"),
                     texts[_i].good ? 0 : MCPHOST_E_PROTOCOL);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "entry");

    tcase_add_loop_test(tc, an_entry_is_valid_or_the_reason_is_given, 0,
                        (int)MCPH_ARRAY_SIZE(entries));
    tcase_add_loop_test(tc, a_skill_has_at_most_512_files, 0, 2);
    tc = test_case(suite, "files");
    tcase_add_loop_test(tc, a_file_is_found_by_its_path_or_its_uri, 0,
                        (int)MCPH_ARRAY_SIZE(files));
    tcase_add_test(tc, a_file_that_differs_from_its_entry_is_refused);
    tcase_add_loop_test(tc, front_matter_that_differs_from_the_entry_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(fronts));
    tcase_add_loop_test(tc, front_matter_must_stand_between_lines_of_dashes, 0,
                        (int)MCPH_ARRAY_SIZE(texts));
}

int
main(void)
{
    return test_main("catalog-skill", add);
}
