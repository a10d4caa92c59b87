/* SPDX-License-Identifier: MIT
 *
 * test_chatos_meta.c - the metadata that an app's server gets with each call.
 *
 * The library merges callMeta of the manifest and the defaults of the host.  The library
 * also replaces the variables in callMeta by their values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "support/runner.h"

static const struct mcph_chatos_place place = {.plugin_id = "com.x",
                                               .app_id = "db",
                                               .plugin_dir = "/p/x",
                                               .data_dir = "/d \"1\"",
                                               .state_dir = "/s",
                                               .session_root = "/r",
                                               .project_root = "/j"};
/* Places in which some values are unknown: "" and NULL both mean unknown. */
static const struct mcph_chatos_place little = {
    .plugin_id = "com.x", .app_id = "", .state_dir = "/s"};
static const struct mcph_chatos_place nothing;

#define APP                                                                 \
    "\"chatos\":{\"uiApp\":{\"appId\":\"db\",\"dataDir\":\"/d \\\"1\\\"\"," \
    "\"pluginDir\":\"/p/x\",\"pluginId\":\"com.x\",\"projectRoot\":\"/j\"," \
    "\"sessionRoot\":\"/r\",\"stateDir\":\"/s\"}}"
#define BARE_APP                                                            \
    "\"chatos\":{\"uiApp\":{\"appId\":\"db\",\"dataDir\":\"/d \\\"1\\\"\"," \
    "\"pluginDir\":\"/p/x\",\"pluginId\":\"com.x\",\"stateDir\":\"/s\"}}"
#define LITTLE  "\"chatos\":{\"uiApp\":{\"pluginId\":\"com.x\",\"stateDir\":\"/s\"}}"
#define WORKDIR "\"workdir\":\"/d \\\"1\\\"\""

static const struct {
    const struct mcph_chatos_place *place;
    unsigned flags;
    const char *given, *meta;
} metas[] = {
    /* R136, R137: the metadata are the defaults without the unknown values */
    {&place, 0, NULL, "{" APP "," WORKDIR "}"},
    {&place, 0, "{}", "{" APP "," WORKDIR "}"},
    {&little, 0, NULL, "{" LITTLE "}"},
    {&nothing, 0, NULL, NULL},
    {&nothing, 0, "{}", NULL},
    {&nothing, 0, "{\"a\":1}", "{\"a\":1}"},
    /* R139: callMeta adds or replaces members and keeps the other defaults */
    {&place, 0, "{\"x\":1}", "{" APP "," WORKDIR ",\"x\":1}"},
    {&place, 0, "{\"workdir\":\"/other\"}", "{" APP ",\"workdir\":\"/other\"}"},
    {&place, 0, "{\"workdir\":[1,\"a\"]}", "{" APP ",\"workdir\":[1,\"a\"]}"},
    {&little, 0, "{\"chatos\":{\"a\":{\"b\":1},\"uiApp\":{\"c\":2}}}",
     "{\"chatos\":{\"a\":{\"b\":1},\"uiApp\":{\"c\":2,\"pluginId\":\"com.x\","
     "\"stateDir\":\"/s\"}}}"},
    /* R138: a text in a map or a list may be a variable.  A member's name is never a
     * variable. */
    {&place, 0, "{\"workdir\":\"$dataDir\"}", "{" APP "," WORKDIR "}"},
    {&place, 0, "{\"workdir\":\"$stateDir\"}", "{" APP ",\"workdir\":\"/s\"}"},
    {&place, 0,
     "{\"z\":{\"l\":[\"$pluginId\",[\"$appId\",1],{\"$appId\":\"$pluginDir\"}],"
     "\"m\":\"$sessionRoot\",\"n\":\"$projectRoot\"}}",
     "{" APP "," WORKDIR ",\"z\":{\"l\":[\"com.x\",[\"db\",1],{\"$appId\":\"/p/x\"}],"
     "\"m\":\"/r\",\"n\":\"/j\"}}"},
    {&place, 0,
     "{\"z\":[\"$x\",\"$\",\"$$dataDir\",\"a/$dataDir\",\"$dataDir/a\",\"$dataDirs\","
     "\" $dataDir\",\"$datadir\",\"dataDir\"]}",
     "{" APP "," WORKDIR
     ",\"z\":[\"$x\",\"$\",\"$$dataDir\",\"a/$dataDir\",\"$dataDir/a\",\"$dataDirs\","
     "\" $dataDir\",\"$datadir\",\"dataDir\"]}"},
    {&little, 0, "{\"z\":[\"$dataDir\",\"$appId\",\"$stateDir\"]}",
     "{" LITTLE ",\"z\":[\"$dataDir\",\"$appId\",\"/s\"]}"},
    /* escapes may spell a variable */
    {&little, 0, "{\"z\":\"\\u0024stateDi\\u0072\"}", "{" LITTLE ",\"z\":\"/s\"}"},
    /* values of other types are unchanged */
    {&nothing, 0, "{ \"b\":1e400, \"a\":[0.10,null,true,18446744073709551616] }",
     "{\"a\":[0.10,null,true,18446744073709551616],\"b\":1e400}"},
    /* the host replaces the members of chatos.uiApp whose values it knows, except with
     * the flag IDENTITY */
    {&little, 0, "{\"chatos\":{\"uiApp\":{\"pluginId\":\"evil\",\"appId\":\"mine\"}}}",
     "{\"chatos\":{\"uiApp\":{\"appId\":\"mine\",\"pluginId\":\"com.x\","
     "\"stateDir\":\"/s\"}}}"},
    {&little, 0, "{\"chatos\":1}", "{" LITTLE "}"},
    {&little, 0, "{\"chatos\":{\"uiApp\":[],\"k\":1}}",
     "{\"chatos\":{\"k\":1,\"uiApp\":{\"pluginId\":\"com.x\",\"stateDir\":\"/s\"}}}"},
    {&little, MCPHOST_CHATOS_IDENTITY,
     "{\"chatos\":{\"uiApp\":{\"pluginId\":\"other\"}}}",
     "{\"chatos\":{\"uiApp\":{\"pluginId\":\"other\",\"stateDir\":\"/s\"}}}"},
    {&little, MCPHOST_CHATOS_IDENTITY, "{\"chatos\":1}", "{\"chatos\":1}"},
    /* for later versions of ChatOS: the flag SUBSTITUTE replaces variables within texts,
     * and the flag BARE removes defaults */
    {&little, MCPHOST_CHATOS_SUBSTITUTE,
     "{\"z\":[\"$stateDir\",\"a/$stateDir/b$pluginId\",\"[$dataDir]\",\"$dataDir\","
     "\"$stateDirs\",\"$x$\",\"$$stateDir\"]}",
     "{" LITTLE ",\"z\":[\"/s\",\"a//s/bcom.x\",\"[]\",\"\",\"/ss\",\"$x$\",\"$/s\"]}"},
    {&place, MCPHOST_CHATOS_BARE, NULL, "{" BARE_APP "}"},
    {&place, MCPHOST_CHATOS_BARE,
     "{\"chatos\":{\"uiApp\":{\"projectRoot\":\"$projectRoot\"}},\"workdir\":\"/w\"}",
     "{\"chatos\":{\"uiApp\":{\"appId\":\"db\",\"dataDir\":\"/d \\\"1\\\"\","
     "\"pluginDir\":\"/p/x\",\"pluginId\":\"com.x\",\"projectRoot\":\"/j\","
     "\"stateDir\":\"/s\"}},\"workdir\":\"/w\"}"},
};

START_TEST(defaults_and_call_meta_are_merged) /* R136 R137 R138 R139, B.24, C3 */
{
    char *meta = NULL;

    ck_assert_int_eq(
        mcph_chatos_call_meta(metas[_i].given, metas[_i].place, metas[_i].flags, &meta),
        0);
    if (metas[_i].meta)
        ck_assert_str_eq(meta, metas[_i].meta);
    else
        ck_assert_ptr_null(meta);
    free(meta);
}
END_TEST

/* R140 */
START_TEST(the_data_directory_is_sent_in_workdir_or_in_the_app)
{
    struct mcph_chatos_place known = {.data_dir = "/data"};
    char *meta = NULL;
    struct mcph_span span;

    ck_assert_int_eq(mcph_chatos_call_meta(NULL, &known, 0, &meta), 0);
    span = mcph_span_str(meta);
    ck_assert(mcph_json_string_is(mcph_json_get(span, "workdir"), "/data", 5));
    free(meta);
    ck_assert_int_eq(mcph_chatos_call_meta(NULL, &known, MCPHOST_CHATOS_BARE, &meta), 0);
    span = mcph_span_str(meta);
    ck_assert_ptr_null(mcph_json_get(span, "workdir").p);
    ck_assert(mcph_json_string_is(
        mcph_json_get(mcph_json_get(mcph_json_get(span, "chatos"), "uiApp"), "dataDir"),
        "/data", 5));
    free(meta);
}
END_TEST

static const struct {
    const char *text;
    int code;
} bad[] = {{"", MCPHOST_E_INVALID},
           {"[]", MCPHOST_E_INVALID},
           {"1", MCPHOST_E_INVALID},
           {"{\"a\":}", MCPHOST_E_INVALID},
           {"{}{}", MCPHOST_E_INVALID}};

START_TEST(call_meta_that_is_not_a_json_object_is_refused)
{
    char *meta = NULL;

    ck_assert_int_eq(mcph_chatos_call_meta(bad[_i].text, &place, 0, &meta), bad[_i].code);
    ck_assert_ptr_null(meta);
}
END_TEST

/* A small text may become large if the text uses one variable many times. */
START_TEST(too_deep_or_too_large_call_meta_is_refused)
{
    static char deep[4 * MCPH_CHATOS_META_DEPTH], wide[600 * 1024], value[4096];
    struct mcph_chatos_place big = {.data_dir = value};
    size_t n = 0;
    char *meta = NULL;

    for (int i = 0; i <= MCPH_CHATOS_META_DEPTH; i++)
        n += (size_t)snprintf(deep + n, sizeof(deep) - n, i ? "[" : "{\"a\":");
    for (int i = MCPH_CHATOS_META_DEPTH; i >= 0; i--)
        n += (size_t)snprintf(deep + n, sizeof(deep) - n, i ? "]" : "}");
    ck_assert_int_eq(mcph_chatos_call_meta(deep, &place, 0, &meta), MCPHOST_E_LIMIT);

    memset(value, 'v', sizeof(value) - 1);
    n = (size_t)snprintf(wide, sizeof(wide), "{\"a\":[");
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(wide + n, sizeof(wide) - n, "%s\"$dataDir\"", i ? "," : "");
    snprintf(wide + n, sizeof(wide) - n, "]}");
    ck_assert_int_eq(mcph_chatos_call_meta(wide, &big, 0, &meta), MCPHOST_E_LIMIT);
    ck_assert_ptr_null(meta);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "meta");

    tcase_add_loop_test(tc, defaults_and_call_meta_are_merged, 0,
                        (int)MCPH_ARRAY_SIZE(metas));
    tcase_add_test(tc, the_data_directory_is_sent_in_workdir_or_in_the_app);
    tcase_add_loop_test(tc, call_meta_that_is_not_a_json_object_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, too_deep_or_too_large_call_meta_is_refused);
}

int
main(void)
{
    return test_main("chatos-meta", add);
}
