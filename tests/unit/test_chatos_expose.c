/* SPDX-License-Identifier: MIT
 *
 * test_chatos_expose.c - the servers and prompts that an app exposes.
 *
 * The tests parse the files that name servers and prompts.  They also merge manifest,
 * ai.config file and default list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "support/conf.h"
#include "support/runner.h"

#define DIR "/plugins/db"

/* ---- merging one value ------------------------------------------------------------- */

static char *names[] = {(char *)"x", NULL};

/* The letters name the values that a source may have: '-' means that the source is
 * missing, 'u' is unset, 'e' is a list without names, '0' is off, '1' is all, 'l' is a
 * list. */
static const char letters[] = "-ue01l";

static const struct mcph_chatos_expose *
value_of(char letter, struct mcph_chatos_expose *room)
{
    *room = (struct mcph_chatos_expose){0};
    switch (letter) {
    case '-':
        return NULL;
    case 'e':
        room->kind = MCPH_CHATOS_LIST;
        break;
    case '0':
        room->kind = MCPH_CHATOS_OFF;
        break;
    case '1':
        room->kind = MCPH_CHATOS_ALL;
        break;
    case 'l':
        *room = (struct mcph_chatos_expose){MCPH_CHATOS_LIST, {names, 1}};
        break;
    default:
        break;
    }
    return room;
}

/* Returns the result by the table at mcph_chatos_expose(): 'u' (unset), '0' (off), '1'
 * (all), or the source of the list: 'M' for manifest, 'F' for file, 'D' for defaults. */
static char
expected(char own, char file, char defaults)
{
    bool file_says = strchr("01l", file) != NULL;
    bool defaults_say = strchr("01l", defaults) != NULL;

    if (own == '0')
        return '0';
    if (own == 'l')
        return 'M';
    if (file_says)
        return file == 'l' ? 'F' : file;
    if (own != '1')
        return 'u';
    if (defaults_say)
        return defaults == 'l' ? 'D' : defaults;
    return '1';
}

START_TEST(
    manifest_file_and_defaults_decide_in_this_order) /* R148-R152, R155, B.26, C3 */
{
    static const int kinds[] = {
        ['u'] = MCPH_CHATOS_UNSET, ['0'] = MCPH_CHATOS_OFF,  ['1'] = MCPH_CHATOS_ALL,
        ['M'] = MCPH_CHATOS_LIST,  ['F'] = MCPH_CHATOS_LIST, ['D'] = MCPH_CHATOS_LIST};
    int n = 0;

    for (const char *own = letters; *own; own++) {
        for (const char *file = letters; *file; file++) {
            for (const char *defaults = letters; *defaults; defaults++, n++) {
                struct mcph_chatos_expose a, b, c;
                const struct mcph_chatos_expose *r = mcph_chatos_expose(
                    value_of(*own, &a), value_of(*file, &b), value_of(*defaults, &c));
                char want = expected(*own, *file, *defaults);

                ck_assert_msg(r->kind == kinds[(int)want], "%c%c%c gives %d, not %c",
                              *own, *file, *defaults, r->kind, want);
                ck_assert(want != 'M' || r == &a);
                ck_assert(want != 'F' || r == &b);
                ck_assert(want != 'D' || r == &c);
            }
        }
    }
    ck_assert_int_eq(n, 216);
}
END_TEST

/* Each row has the three sources and the result that one rule requires. */
static const struct {
    char own, file, defaults;
    int kind;
} rules[] = {
    {'0', '1', 'l', MCPH_CHATOS_OFF},   /* R149: "off" overrides file and defaults */
    {'l', '0', '1', MCPH_CHATOS_LIST},  /* R150: a list overrides file and defaults */
    {'1', 'l', '0', MCPH_CHATOS_LIST},  /* R151: the file overrides "all" */
    {'1', '0', 'l', MCPH_CHATOS_OFF},   /* B.26: the file overrides "all" */
    {'1', '-', 'l', MCPH_CHATOS_LIST},  /* R151: no file: the defaults override "all" */
    {'1', '-', '0', MCPH_CHATOS_OFF},   /* no file: "off" in the defaults applies, too */
    {'1', '-', '-', MCPH_CHATOS_ALL},   /* R151: everything is exposed */
    {'u', '-', '1', MCPH_CHATOS_UNSET}, /* R152, R155: the defaults are not used */
    {'u', '-', 'l', MCPH_CHATOS_UNSET}, /* R152, R155: the defaults are not used */
    {'u', '1', '0', MCPH_CHATOS_ALL},   /* R152: the file sets an unset value */
    {'u', '0', '1', MCPH_CHATOS_OFF},   /* B.26: the file sets an unset value */
    {'e', '-', '1', MCPH_CHATOS_UNSET}, /* C3: the defaults do not add names */
};

START_TEST(each_rule_of_exposure_holds) /* R149, R150, R151, R152, R155, B.26 */
{
    struct mcph_chatos_expose a, b, c;

    ck_assert_int_eq(mcph_chatos_expose(value_of(rules[_i].own, &a),
                                        value_of(rules[_i].file, &b),
                                        value_of(rules[_i].defaults, &c))
                         ->kind,
                     rules[_i].kind);
}
END_TEST

/* ---- parsing a document ------------------------------------------------------------ */

static struct mcph_chatos_ai *ai;
static mcphost_config *report;

static void
down(void)
{
    ai = mcph_chatos_ai_free(ai);
    report = mcphost_config_unref(report);
}

static void
read_bytes(const char *file, const char *text, size_t len)
{
    down();
    ck_assert_int_eq(mcph_chatos_ai_parse(text, len, file, DIR, &ai, &report), 0);
    ck_assert_ptr_nonnull(report);
    ck_assert((report->status < 0) == !ai);
    for (size_t i = 0; i < report->diags.n; i++)
        ck_assert_str_eq(((struct mcph_diag *)report->diags.items[i])->file, file);
}

static void
read_text(const char *file, const char *text)
{
    read_bytes(file, text, strlen(text));
}

static const char yaml[] = "# what the app team maintains\n"
                           "mcpServers:\n"
                           "  - project_files\n"
                           "  - ' task_manager '\n"
                           "  - project_files\n"
                           "prompts: true\n"
                           "mcpPrompt:\n"
                           "  title: T\n"
                           "  zh:\n"
                           "    content: |\n"
                           "      # one\n"
                           "      two\n"
                           "mcp:\n"
                           "  entry: s.mjs\n"
                           "  callMeta: {n: 0x10, f: 1.5, big: .inf, t: yes, z: ~}\n";

static const char json[] =
    "{\"mcpServers\": [\"project_files\", \" task_manager \", \"project_files\"],\n"
    " \"prompts\": true,\n"
    " \"mcpPrompt\": {\"title\": \"T\", \"zh\": {\"content\": \"# one\\ntwo\\n\"}},\n"
    " \"mcp\": {\"entry\": \"s.mjs\",\n"
    "  \"callMeta\": {\"n\": 16, \"f\": 1.5, \"big\": null, \"t\": \"yes\", \"z\": "
    "null}}}";

static const struct {
    const char *file, *text;
} documents[] = {
    {"ai.yaml", yaml}, {"ai.YML", yaml},  {"ai.json", json}, {"ai.JSON", json},
    {"ai", yaml},      {"ai.conf", json}, {"ai.yaml", json},
};

START_TEST(yaml_and_json_give_the_same_result) /* R153, B.20, K8 */
{
    read_text(documents[_i].file, documents[_i].text);
    ck_assert_str_eq(conf_diags(report), "");
    ck_assert_int_eq(ai->servers.kind, MCPH_CHATOS_LIST);
    ck_assert_uint_eq(ai->servers.names.n, 2);
    ck_assert_str_eq(ai->servers.names.items[0], "project_files");
    ck_assert_str_eq(ai->servers.names.items[1], "task_manager");
    ck_assert_int_eq(ai->prompts.kind, MCPH_CHATOS_ALL);
    ck_assert_str_eq(ai->prompt->title, "T");
    ck_assert_str_eq(ai->prompt->texts[MCPH_CHATOS_ZH].content, "# one\ntwo");
    ck_assert_str_eq(ai->mcp->entry, "s.mjs");
    ck_assert_str_eq(ai->mcp->call_meta,
                     "{\"big\":null,\"f\":1.5,\"n\":16,\"t\":\"yes\",\"z\":null}");
    ck_assert_ptr_null(ai->config);
}
END_TEST

static const struct {
    const char *file, *text, *said;
} rejected[] = {
    {"a.yaml", "", "expected a map, found"},
    {"a.yaml", "# nothing\n", "expected a map, found"},
    {"a.json", "", "not valid JSON"},
    {"a", "", "expected a map, found"},
    {"a.yaml", "- a\n", "1:1 error expected a map, found a list"},
    {"a.yaml", "ai.json\n", "1:1 error expected a map, found a string"},
    {"a.json", "mcpServers: true\n", "not valid JSON"},
    {"a.yaml", "mcpServers: [a\n", "error"},
    {"a.yaml", "mcpServers: true\nmcpServers: false\n", "duplicate key"},
    {"a.yaml", "mcpServers:\n", "1:12 error mcpServers: expected true, false or a list"},
    {"a.yaml", "mcpServers: yes\n",
     "mcpServers: expected true, false or a list of names"},
    {"a.yaml", "mcpServers: []\n",
     "mcpServers: expected at least one name, found an empty"},
    {"a.yaml", "mcpServers: [1]\n", "mcpServers[0]: expected a string, found a number"},
    {"a.yaml", "prompts: ['']\nmcpServers: true\n", "1:11 error prompts[0]: expected"},
    {"a.yaml", "prompts: true\nagent: {}\n", "2:8 error agent.name: expected a string"},
    {"a.json", "{\"prompts\":\"\xff\"}", "invalid UTF-8"},
    {"a.yaml", "prompts: [\"\xff\"]", "UTF-8"},
};

START_TEST(a_fault_rejects_the_whole_document) /* B.25, B.26 */
{
    read_text(rejected[_i].file, rejected[_i].text);
    ck_assert_int_eq(report->status, MCPHOST_E_CONFIG);
    ck_assert_ptr_null(ai);
    test_has(conf_diags(report), rejected[_i].said);
}
END_TEST

START_TEST(the_key_config_of_a_document_is_ignored) /* B.20 */
{
    read_text("a.yaml", "prompts: true\nconfig: [odd]\n");
    ck_assert_int_eq(report->status, 0);
    ck_assert_uint_eq(report->diags.n, 0);
    ck_assert_ptr_null(ai->config);
}
END_TEST

START_TEST(a_path_that_leads_out_of_the_plugin_drops_only_its_key) /* B.20 */
{
    read_text("a.yaml", "prompts: true\nmcp: {entry: ../x}\nmcpPrompt: /x\n");
    ck_assert_int_eq(report->status, 0);
    ck_assert_uint_eq(report->diags.n, 2);
    ck_assert_int_eq(ai->prompts.kind, MCPH_CHATOS_ALL);
    ck_assert_ptr_null(ai->mcp->entry);
    ck_assert_ptr_null(ai->prompt->texts[MCPH_CHATOS_ZH].path);
}
END_TEST

START_TEST(a_document_of_more_than_128_kib_is_rejected) /* B.20 */
{
    static const char *const files[] = {"a.json", "a.yaml"};
    size_t len = (size_t)10 << 20;
    char *text = malloc(len);

    memset(text, ' ', len);
    memcpy(text, "{\"prompts\":true}", 16);
    for (size_t i = 0; i < 2; i++) {
        read_bytes(files[i], text, MCPH_CHATOS_AI_MAX);
        ck_assert_int_eq(report->status, 0);
        read_bytes(files[i], text, MCPH_CHATOS_AI_MAX + 1);
        ck_assert_int_eq(report->status, MCPHOST_E_LIMIT);
        test_has(conf_diags(report), "is larger than 131072 bytes");
        read_bytes(files[i], text, len);
        ck_assert_int_eq(report->status, MCPHOST_E_LIMIT);
    }
    free(text);
}
END_TEST

START_TEST(call_metadata_over_262144_bytes_from_aliases_is_rejected) /* B.20 */
{
    struct mcph_buf text;

    mcph_buf_init(&text, MCPH_CHATOS_AI_MAX);
    mcph_buf_adds(&text, "mcp: {entry: e, callMeta: {a: &a '");
    for (int i = 0; i < 60000; i++)
        mcph_buf_addc(&text, 'x');
    mcph_buf_adds(&text, "', b: [*a, *a, *a, *a]}}\n");
    read_bytes("a.yaml", text.data, text.len);
    ck_assert_int_eq(report->status, MCPHOST_E_CONFIG);
    test_has(conf_diags(report), "mcp.callMeta: is larger than 262144 bytes");
    mcph_buf_done(&text);
}
END_TEST

/* ---- merging documents ------------------------------------------------------------- */

/* The three sources, parsed from YAML.  A source is NULL if its text is "". */
static struct mcph_chatos_ai *three[3];
static struct mcph_chatos_offer offer;

static bool
merge(const char *own, const char *file, const char *defaults)
{
    const char *texts[] = {own, file, defaults};

    for (size_t i = 0; i < 3; i++) {
        three[i] = mcph_chatos_ai_free(three[i]);
        if (!*texts[i])
            continue;
        read_text("a.yaml", texts[i]);
        ck_assert_msg(ai != NULL, "%s", conf_diags(report));
        three[i] = ai;
        ai = NULL;
    }
    memset(&offer, 0x55, sizeof(offer));
    return mcph_chatos_offer(three[0], three[1], three[2], &offer);
}

static void
down_three(void)
{
    for (size_t i = 0; i < 3; i++)
        three[i] = mcph_chatos_ai_free(three[i]);
    down();
}

START_TEST(servers_and_prompts_are_merged_separately) /* R123, R148 */
{
    ck_assert(
        merge("{mcpServers: true}", "{prompts: [p]}", "{mcpServers: [s], prompts: [q]}"));
    ck_assert_ptr_eq(offer.servers, &three[2]->servers);
    ck_assert_ptr_eq(offer.prompts, &three[1]->prompts);
    ck_assert(merge("{mcpServers: false, prompts: true}", "{mcpServers: true}",
                    "{prompts: [q]}"));
    ck_assert_int_eq(offer.servers->kind, MCPH_CHATOS_OFF);
    ck_assert_ptr_eq(offer.prompts, &three[2]->prompts);
}
END_TEST

START_TEST(other_keys_are_taken_whole_from_the_first_source_with_them) /* B.26 */
{
    ck_assert(merge("{mcp: {entry: own}}",
                    "{mcp: {entry: file, command: x}, agent: {name: file}}",
                    "{agent: {name: defaults, modelId: m}, mcpPrompt: p.md}"));
    ck_assert_str_eq(offer.mcp->entry, "own");
    ck_assert_str_eq(offer.mcp->command, "node");
    ck_assert_str_eq(offer.agent->name, "file");
    ck_assert_str_eq(offer.agent->model_id, "");
    ck_assert_str_eq(offer.prompt->texts[MCPH_CHATOS_ZH].path, "p.md");
    ck_assert_int_eq(offer.servers->kind, MCPH_CHATOS_UNSET);
    ck_assert_int_eq(offer.prompts->kind, MCPH_CHATOS_UNSET);
    /* The library uses `mcp` from the first source with the key, even if the value of
     * the key is unusable. */
    ck_assert(merge("{mcp: {entry: ../x}}", "{mcp: {entry: file}}", ""));
    ck_assert_ptr_eq(offer.mcp, three[0]->mcp);
    ck_assert_ptr_null(offer.mcp->entry);
}
END_TEST

static const struct {
    const char *own, *file, *defaults;
} nothings[] = {
    {"", "{prompts: true}", "{mcp: {entry: e}}"},
    {"{}", "", ""},
    {"{}", "{}", "{mcpServers: true, prompts: [p]}"},
    {"{mcpServers: false}", "{mcpServers: true}", ""},
    {"{mcpServers: true, prompts: true}", "{mcpServers: false, prompts: false}", ""},
};

START_TEST(an_app_that_exposes_nothing_contributes_nothing) /* R152, R155, B.26 */
{
    ck_assert(!merge(nothings[_i].own, nothings[_i].file, nothings[_i].defaults));
    ck_assert_int_eq(*(unsigned char *)&offer, 0x55);
}
END_TEST

START_TEST(one_key_is_enough_for_a_contribution) /* R125, B.26 */
{
    ck_assert(merge("{mcp: {url: u}}", "", ""));
    ck_assert(merge("{}", "{mcpPrompt: p}", ""));
    ck_assert(merge("{}", "", "{agent: {name: n}}"));
    ck_assert(merge("{prompts: [p]}", "", ""));
    ck_assert(merge("{}", "{mcpServers: true}", ""));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "one value");

    tcase_add_test(tc, manifest_file_and_defaults_decide_in_this_order);
    tcase_add_loop_test(tc, each_rule_of_exposure_holds, 0, MCPH_ARRAY_SIZE(rules));

    tc = test_case(suite, "documents");
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(tc, yaml_and_json_give_the_same_result, 0,
                        MCPH_ARRAY_SIZE(documents));
    tcase_add_loop_test(tc, a_fault_rejects_the_whole_document, 0,
                        MCPH_ARRAY_SIZE(rejected));
    tcase_add_test(tc, the_key_config_of_a_document_is_ignored);
    tcase_add_test(tc, a_path_that_leads_out_of_the_plugin_drops_only_its_key);
    tcase_add_test(tc, a_document_of_more_than_128_kib_is_rejected);
    tcase_add_test(tc, call_metadata_over_262144_bytes_from_aliases_is_rejected);

    tc = test_case(suite, "offers");
    tcase_add_checked_fixture(tc, NULL, down_three);
    tcase_add_test(tc, servers_and_prompts_are_merged_separately);
    tcase_add_test(tc, other_keys_are_taken_whole_from_the_first_source_with_them);
    tcase_add_loop_test(tc, an_app_that_exposes_nothing_contributes_nothing, 0,
                        MCPH_ARRAY_SIZE(nothings));
    tcase_add_test(tc, one_key_is_enough_for_a_contribution);
}

int
main(void)
{
    return test_main("chatos-expose", add);
}
