/* SPDX-License-Identifier: MIT
 *
 * test_catalog_block.c - blocks, the tools of one server in a catalog.
 *
 * The tests check which tools of the server's list a block keeps, the names of the kept
 * tools, and the findings about the rejected tools.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/catalog.h"
#include "support/runner.h"

#define GOOD(name) "{\"name\":\"" name "\",\"inputSchema\":{}}"
#define X16        "xxxxxxxxxxxxxxxx"
#define X64        X16 X16 X16 X16

static struct mcph_block *block;
static struct mcph_buf buf;

static void
up(void)
{
    mcph_buf_init(&buf, 1 << 16);
}

static void
down(void)
{
    block = mcph_block_unref(block);
    mcph_buf_done(&buf);
}

static const struct mcph_finding *
finding(size_t i)
{
    ck_assert_uint_lt(i, block->findings.n);
    return block->findings.items[i];
}

static const char *
text_of(int (*add)(struct mcph_buf *, const struct mcph_finding *), size_t i)
{
    mcph_buf_clear(&buf);
    ck_assert_int_eq(add(&buf, finding(i)), 0);
    ck_assert_int_eq(mcph_buf_addc(&buf, '\0'), 0);
    return buf.data;
}

/* Checks all parts of a finding: kind, severity, id, detail and message. */
static void
finding_is(size_t i, const char *kind, int severity, const char *id, const char *detail,
           const char *message)
{
    ck_assert_str_eq(mcph_finding_kind_name(finding(i)), kind);
    ck_assert_int_eq(finding(i)->severity, severity);
    ck_assert_str_eq(text_of(mcph_finding_add_id, i), id);
    ck_assert_str_eq(text_of(mcph_finding_add_detail, i), detail);
    ck_assert_str_eq(text_of(mcph_finding_add_message, i), message);
}

static void
tools_are(const char *want)
{
    mcph_buf_clear(&buf);
    for (size_t i = 0; i < block->n_items; i++)
        mcph_buf_addf(&buf, "%s%s=%s", i ? " " : "", mcph_tool_name(&block->items[i]),
                      mcph_tool_original(&block->items[i]));
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data, want);
}

START_TEST(tools_keep_the_server_s_order_and_both_names)
{
    block = catrig_server_under(catrig_spec("s", NULL, NULL, "p_"),
                                "[" GOOD("b") "," GOOD("a") "," GOOD("c") "]");
    tools_are("p_b=b p_a=a p_c=c");
    ck_assert_uint_eq(block->findings.n, 0);
}
END_TEST

/* R31, R118 */
START_TEST(a_blacklisted_tool_is_left_out_with_a_warning)
{
    block = catrig_server_under(catrig_spec("s", NULL, "x_* rm", NULL),
                                "[" GOOD("rm") "," GOOD("ls") "]");
    tools_are("ls=ls");
    ck_assert_uint_eq(block->findings.n, 1);
    finding_is(0, "mcp_tool_blacklisted", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_blacklisted/rm",
               "{\"serverId\":\"s\",\"toolName\":\"rm\",\"pattern\":\"rm\"}",
               "server 's': tool 'rm' is left out: it is on the blacklist: 'rm'");
}
END_TEST

/* R31, R118 */
START_TEST(a_tool_that_is_not_whitelisted_is_left_out_with_a_warning)
{
    block = catrig_server_under(catrig_spec("s", "page_* ls", NULL, NULL),
                                "[" GOOD("rm") "," GOOD("page_x") "]");
    tools_are("page_x=page_x");
    ck_assert_uint_eq(block->findings.n, 1);
    finding_is(0, "mcp_tool_not_whitelisted", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_not_whitelisted/rm",
               "{\"serverId\":\"s\",\"toolName\":\"rm\",\"pattern\":\"page_*, ls\"}",
               "server 's': tool 'rm' is left out: it is not on the whitelist: "
               "'page_*, ls'");
}
END_TEST

/* R47, R50: the finding has the server, the tool and the broken rule. */
START_TEST(a_bad_name_is_reported_with_the_rule_it_breaks)
{
    block = catrig_server("s", "[" GOOD("a.b") "," GOOD("") "," GOOD(X64 "x") "," GOOD(
                                   X64) "," GOOD("a\\n") "," GOOD("\xc3\xa9") "]");
    tools_are(X64 "=" X64);
    ck_assert_uint_eq(block->findings.n, 5);
    finding_is(0, "mcp_tool_invalid_name", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_invalid_name/a.b",
               "{\"serverId\":\"s\",\"toolName\":\"a.b\",\"rule\":\"has a character "
               "other than ASCII letters, digits, '_' and '-'\"}",
               "server 's': tool 'a.b' is left out: its name has a character other than "
               "ASCII letters, digits, '_' and '-' (the step {map: _} of 'transform' "
               "would make it valid)");
    ck_assert_str_eq(finding(1)->text, "is empty");
    ck_assert_str_eq(finding(2)->text, "is longer than 64 characters");
    ck_assert_str_eq(finding(3)->tool, "a "); /* a line break becomes a blank */
    ck_assert_str_eq(finding(4)->tool, "\xc3\xa9");
}
END_TEST

static struct mcph_spec *
mapping(const char *blacklisted)
{
    struct mcph_spec *spec = mcph_spec_new("s", "test");

    ck_assert_ptr_nonnull(spec);
    spec->command = mcph_strdup("true");
    spec->cwd = mcph_strdup("/");
    spec->filter = mcph_filter_new();
    if (blacklisted)
        ck_assert_int_eq(mcph_filter_add(spec->filter, MCPH_FILTER_BLACKLIST, blacklisted,
                                         strlen(blacklisted)),
                         0);
    spec->transform = mcph_transform_new();
    ck_assert_int_eq(
        mcph_transform_add(spec->transform, MCPH_TRANSFORM_MAP, "_", 1, NULL, 0), 0);
    ck_assert_int_eq(mcph_spec_seal(spec), 0);
    return spec;
}

/* R48: a block accepts a name that is too long or has invalid characters only if a map
 * step of the transform changes the name. */
START_TEST(a_map_makes_long_names_and_names_with_other_characters_valid)
{
    block = catrig_server_under(
        mapping("d.*"), "[" GOOD("a.b/c d") "," GOOD("ok") "," GOOD(X64 "yz") "," GOOD(
                            "d.e") "," GOOD("") "," GOOD("\xc3\xa9") "]");
    ck_assert_uint_eq(block->n_items, 3);
    ck_assert_str_eq(mcph_tool_name(&block->items[0]), "a_b_c_d");
    ck_assert_str_eq(mcph_tool_original(&block->items[0]), "a.b/c d");
    ck_assert_str_eq(mcph_tool_name(&block->items[1]), "ok");
    ck_assert_uint_eq(strlen(mcph_tool_name(&block->items[2])), 64);
    ck_assert_int_eq(mcph_tool_name(&block->items[2])[55], '_');
    ck_assert_ptr_eq(mcph_block_find_original(block, "a.b/c d"), &block->items[0]);
    ck_assert_uint_eq(block->findings.n, 3);
    ck_assert_int_eq(finding(0)->kind, MCPH_FINDING_BLACKLISTED);
    ck_assert_int_eq(finding(1)->kind, MCPH_FINDING_INVALID_NAME);
    ck_assert_int_eq(finding(2)->kind, MCPH_FINDING_INVALID_NAME);
}
END_TEST

/* R48: the final names do not depend on the order of the tools. */
START_TEST(two_names_with_equal_mapped_names_both_get_a_hash)
{
    char slash[65], dot[65];

    block = catrig_server_under(mapping(NULL),
                                "[" GOOD("a/b") "," GOOD("a.b") "," GOOD("c.d") "]");
    ck_assert_uint_eq(block->n_items, 3);
    ck_assert_uint_eq(block->findings.n, 0);
    snprintf(slash, sizeof(slash), "%s", mcph_tool_name(&block->items[0]));
    snprintf(dot, sizeof(dot), "%s", mcph_tool_name(&block->items[1]));
    ck_assert_int_eq(strncmp(slash, "a_b_", 4), 0);
    ck_assert_uint_eq(strlen(slash), 12);
    ck_assert_str_ne(slash, dot);
    ck_assert_str_eq(mcph_tool_name(&block->items[2]), "c_d");
    mcph_block_unref(block);
    block = catrig_server_under(mapping(NULL),
                                "[" GOOD("a.b") "," GOOD("a_b") "," GOOD("a/b") "]");
    ck_assert_str_eq(mcph_tool_name(&block->items[0]), dot);
    ck_assert_str_eq(mcph_tool_name(&block->items[1]), "a_b");
    ck_assert_str_eq(mcph_tool_name(&block->items[2]), slash);
}
END_TEST

/* Builds a block in steps of `budget`.  Returns the number of steps.  Takes over the
 * caller's reference to `spec`. */
static int
build_in_steps(struct mcph_spec *spec, const char *tools, size_t budget)
{
    struct mcph_listing *listing = catrig_listing(tools);
    struct mcph_block_build *build = mcph_block_begin(spec, NULL, listing);
    size_t left;
    int n = 0, r;

    mcph_spec_unref(spec);
    mcph_listing_unref(listing);
    ck_assert_ptr_nonnull(build);
    do {
        left = budget;
        r = mcph_block_step(build, &left, &block);
        ck_assert_int_ge(r, 0);
        n++;
    } while (r > 0);
    mcph_block_build_free(build);
    return n;
}

#define FIVE "[" GOOD("a.b") "," GOOD("a_b") "," GOOD("a/b") "," GOOD("c") ",7]"

START_TEST(a_block_built_in_steps_equals_a_block_built_at_once)
{
    char names[256];

    ck_assert_int_eq(build_in_steps(mapping(NULL), FIVE, SIZE_MAX), 1);
    ck_assert_uint_eq(block->n_items, 4);
    mcph_buf_clear(&buf);
    for (size_t i = 0; i < block->n_items; i++)
        mcph_buf_addf(&buf, "%s%s=%s", i ? " " : "", mcph_tool_name(&block->items[i]),
                      mcph_tool_original(&block->items[i]));
    snprintf(names, sizeof(names), "%.*s", (int)buf.len, buf.data);
    block = mcph_block_unref(block);
    /* Five elements take ten steps.  One step counts an element.  A later step decides on
     * that element. */
    ck_assert_int_eq(build_in_steps(mapping(NULL), FIVE, 1), 10);
    tools_are(names);
    ck_assert_uint_eq(block->findings.n, 1);
    block = mcph_block_unref(block);
    ck_assert_int_eq(build_in_steps(mapping(NULL), FIVE, 3 * MCPH_STEP_ITEM), 4);
    tools_are(names);
}
END_TEST

START_TEST(a_build_can_be_freed_before_its_end)
{
    struct mcph_spec *spec = mapping(NULL);
    struct mcph_listing *listing = catrig_listing(FIVE);
    struct mcph_block_build *build = mcph_block_begin(spec, NULL, listing);
    size_t budget = 7 * MCPH_STEP_ITEM;

    ck_assert_int_eq(mcph_block_step(build, &budget, &block), 1);
    ck_assert_ptr_null(mcph_block_build_free(build));
    ck_assert_ptr_null(block);
    mcph_listing_unref(listing);
    mcph_spec_unref(spec);
}
END_TEST

/* R48, R49: a prefix does not make a bad name valid.  A block reports a name that a
 * prefix makes too long. */
START_TEST(both_the_original_and_the_final_name_must_be_valid)
{
    block = catrig_server_under(catrig_spec("s", NULL, NULL, "p_"),
                                "[" GOOD("a.b") "," GOOD(X64) "," GOOD("ok") "]");
    tools_are("p_ok=ok");
    ck_assert_uint_eq(block->findings.n, 2);
    ck_assert_int_eq(finding(0)->kind, MCPH_FINDING_INVALID_NAME);
    finding_is(1, "mcp_tool_invalid_name", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_invalid_name/" X64 "/transformed",
               "{\"serverId\":\"s\",\"toolName\":\"" X64 "\",\"finalName\":\"p_" X64
               "\",\"rule\":\"is longer than 64 characters\"}",
               "server 's': tool '" X64 "' is left out: its final name 'p_" X64
               "' is longer than 64 characters");
}
END_TEST

/* B.8: a tool has one finding, for the first reason in this order: bad name, filter, bad
 * schema, collision. */
START_TEST(a_tool_has_one_finding_for_the_first_reason)
{
    block = catrig_server_under(catrig_spec("s", "w*", "*", "p_"),
                                "[" GOOD("a.b") "," GOOD("x") ",{\"name\":\"y\"}," GOOD(
                                    "w") ",{\"name\":\"w2\"}," GOOD("w") "]");
    tools_are("p_w=w");
    ck_assert_uint_eq(block->findings.n, 5);
    ck_assert_int_eq(finding(0)->kind, MCPH_FINDING_INVALID_NAME);
    ck_assert_int_eq(finding(1)->kind, MCPH_FINDING_BLACKLISTED);
    ck_assert_int_eq(finding(2)->kind, MCPH_FINDING_BLACKLISTED);
    ck_assert_int_eq(finding(3)->kind, MCPH_FINDING_INVALID_SCHEMA);
    ck_assert_int_eq(finding(4)->kind, MCPH_FINDING_COLLISION);
}
END_TEST

/* R28, R118 */
START_TEST(of_two_tools_of_one_name_the_first_is_kept)
{
    block =
        catrig_server("s", "[{\"name\":\"a\",\"description\":\"first\",\"inputSchema\":"
                           "{}},{\"name\":\"a\",\"description\":\"second\","
                           "\"inputSchema\":{}}]");
    tools_are("a=a");
    ck_assert(mcph_span_is(mcph_tool_description(&block->items[0]), "first"));
    ck_assert_uint_eq(block->findings.n, 1);
    finding_is(0, "mcp_tool_collision", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_collision/a",
               "{\"serverId\":\"s\",\"toolName\":\"a\",\"finalName\":\"a\",\"ownerId\":"
               "\"s\"}",
               "server 's': tool 'a' is left out: the name 'a' is taken by an earlier "
               "tool of the same server");
}
END_TEST

START_TEST(an_unusable_tool_is_reported_with_the_reason)
{
    block = catrig_server("s", "[{\"name\":\"a\",\"inputSchema\":\"{}\"},null,"
                               "{\"name\":\"b\",\"name\":\"b\",\"inputSchema\":{}}]");
    tools_are("");
    ck_assert_uint_eq(block->findings.n, 3);
    finding_is(0, "mcp_tool_invalid", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_invalid/a",
               "{\"serverId\":\"s\",\"toolName\":\"a\",\"errorText\":\"its inputSchema "
               "is not an object\"}",
               "server 's': tool 'a' is left out: its inputSchema is not an object");
    finding_is(1, "mcp_tool_invalid", MCPHOST_SEVERITY_WARNING,
               "mcp/server/s/tool_invalid/#2",
               "{\"serverId\":\"s\",\"toolName\":\"#2\",\"errorText\":\"its definition "
               "is not an object\"}",
               "server 's': tool '#2' is left out: its definition is not an object");
    ck_assert_str_eq(finding(2)->text, "a member of its definition occurs twice");
}
END_TEST

START_TEST(an_unusable_tool_takes_no_name_from_a_usable_tool)
{
    block = catrig_server("s", "[{\"name\":\"a\",\"inputSchema\":7}," GOOD("a") "]");
    tools_are("a=a");
    ck_assert_uint_eq(block->items[0].place, 1);
}
END_TEST

START_TEST(a_name_may_be_spelled_with_escapes)
{
    block = catrig_server("s", "[" GOOD("\\u0061\\u002db") "," GOOD("a-b") "]");
    tools_are("a-b=a-b");
    ck_assert_uint_eq(block->findings.n, 1);
    ck_assert(
        mcph_span_is(mcph_tool_original_token(&block->items[0]), "\"\\u0061\\u002db\""));
}
END_TEST

START_TEST(long_names_are_cut_in_reports_and_remain_distinct)
{
    char name[2001], *tools;

    memset(name, 'n', 2000);
    name[2000] = '\0';
    tools = mcph_asprintf("[{\"name\":\"%s1\",\"inputSchema\":{}},"
                          "{\"name\":\"%s2\",\"inputSchema\":{}}]",
                          name, name);
    block = catrig_server("s", tools);
    free(tools);
    ck_assert_uint_eq(block->findings.n, 2);
    ck_assert_uint_lt(strlen(finding(0)->tool), 256);
    ck_assert_str_ne(finding(0)->tool, finding(1)->tool);
}
END_TEST

START_TEST(a_long_list_of_patterns_is_cut_in_reports)
{
    char word[400], *patterns, *half;

    memset(word, 'w', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    patterns = mcph_asprintf("%s %s", word, word);
    block =
        catrig_server_under(catrig_spec("s", patterns, NULL, NULL), "[" GOOD("a") "]");
    ck_assert_uint_gt(strlen(finding(0)->text), MCPH_FINDING_TEXT_MAX);
    ck_assert_uint_lt(strlen(text_of(mcph_finding_add_detail, 0)),
                      MCPH_FINDING_TEXT_MAX + 100);
    half = strstr(buf.data, "...\"}");
    ck_assert_ptr_nonnull(half);
    ck_assert_uint_lt(strlen(text_of(mcph_finding_add_message, 0)),
                      MCPH_FINDING_TEXT_MAX + 100);
    free(patterns);
}
END_TEST

START_TEST(a_server_id_with_odd_characters_is_escaped_in_reports)
{
    block = catrig_server("a\"\n'", "[1]");
    ck_assert_str_eq(text_of(mcph_finding_add_detail, 0),
                     "{\"serverId\":\"a\\\"\\n'\",\"toolName\":\"#1\",\"errorText\":"
                     "\"its definition is not an object\"}");
    ck_assert_ptr_null(strchr(text_of(mcph_finding_add_message, 0), '\n'));
}
END_TEST

/* If a new spec changes only how the server is shown, the library makes the new block
 * from the old list. */
START_TEST(a_listing_can_be_used_with_another_spec)
{
    struct mcph_listing *listing = catrig_listing("[" GOOD("a") "]");
    struct mcph_spec *spec = catrig_spec("s", NULL, NULL, "q_");
    struct mcph_block *other = NULL;

    block = catrig_server("s", NULL);
    ck_assert_uint_eq(block->n_items, 0);
    ck_assert_int_eq(mcph_block_new_server(spec, NULL, listing, &other, NULL), 0);
    mcph_block_unref(block);
    block = other;
    mcph_listing_unref(listing);
    mcph_spec_unref(spec);
    tools_are("q_a=a");
    ck_assert_ptr_eq(block->spec, spec);
}
END_TEST

START_TEST(a_tool_is_found_by_its_original_name)
{
    block = catrig_server_under(catrig_spec("s", NULL, NULL, "p_"),
                                "[" GOOD("b") "," GOOD("a") "]");
    ck_assert_ptr_eq(mcph_block_find_original(block, "a"), &block->items[1]);
    ck_assert_ptr_null(mcph_block_find_original(block, "p_a"));
}
END_TEST

/* ---- built-ins --------------------------------------------------------------------- */

static const char *const both[] = {"a", "b"}, *const only_a[] = {"a"};

/* R211: the functions that read tools of servers read built-in tools, too. */
START_TEST(a_built_in_tool_has_the_members_of_its_definition)
{
    static const char *const names[] = {"mcp_release"};
    const struct mcph_span definition =
        mcph_span_str(" {\"name\":\"mcp_release\",\"title\":\"Release\",\"description\":"
                      "\"Lets \\\"go\\\"\\n\",\"inputSchema\": {\"type\":\"object\"} } ");
    const struct mcph_toolset_draft set = {"mcp_admin", "for models", names, 1};
    const mcphost_tool *t;

    ck_assert_int_eq(mcph_block_new_builtin("us", &definition, 1, &set, 1, &block, NULL),
                     0);
    ck_assert(mcph_block_is_builtin(block));
    tools_are("mcp_release=mcp_release");
    t = &block->items[0];
    ck_assert_ptr_null(mcph_tool_server_id(t));
    ck_assert_str_eq(mcph_tool_toolset(t), "mcp_admin");
    ck_assert_str_eq(mcph_block_key(block), "us");
    ck_assert(mcph_span_is(mcph_tool_title(t), "Release"));
    ck_assert(mcph_span_is(mcph_tool_description(t), "Lets \"go\"\n"));
    ck_assert(mcph_span_is(mcph_tool_input_schema(t), "{\"type\":\"object\"}"));
}
END_TEST

/* R211: the toolsets of a block share its tools. */
START_TEST(a_built_in_tool_is_in_each_toolset_that_names_it)
{
    const struct mcph_toolset_draft sets[] = {{"all", NULL, both, 2},
                                              {"one", NULL, only_a, 1}};

    block = catrig_builtins("us", "a b", sets, 2);
    ck_assert_uint_eq(block->n_items, 2);
    ck_assert_ptr_eq(block->sets[0].tools[0], block->sets[1].tools[0]);
    ck_assert(mcph_toolset_has(&block->sets[0], &block->items[1]));
    ck_assert(!mcph_toolset_has(&block->sets[1], &block->items[1]));
    ck_assert_str_eq(mcph_tool_toolset(&block->items[0]), "all");
}
END_TEST

/* Checks that the library refuses a block of the tools `first` and `second` with the
 * toolsets `sets`.  The error must have `code` and contain `message`. */
static void
refused(const char *first, const char *second, const struct mcph_toolset_draft *sets,
        size_t n_sets, int code, const char *message)
{
    const struct mcph_span definitions[] = {mcph_span_str(first), mcph_span_str(second)};
    mcphost_error *err = NULL;

    ck_assert_int_eq(
        mcph_block_new_builtin("us", definitions, 2, sets, n_sets, &block, &err), code);
    ck_assert_ptr_null(block);
    ck_assert_msg(strstr(mcphost_error_get_message(err), message) != NULL, "%s",
                  mcphost_error_get_message(err));
    mcphost_error_unref(err);
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{}}"

START_TEST(a_block_with_a_bad_built_in_tool_is_refused)
{
    static const struct {
        const char *second;
        int code;
        const char *message;
    } cases[] = {
        {TOOL("a"), MCPHOST_E_EXISTS, "there are two tools 'a'"},
        {TOOL("b c"), MCPHOST_E_INVALID, "the name of tool 'b c' has a character"},
        {"{\"name\":\"b\",\"inputSchema\":[]}", MCPHOST_E_INVALID,
         "tool 'b': its inputS"},
        {"{\"name\":\"b\"}", MCPHOST_E_INVALID, "tool 'b': it has no inputSchema"},
        {"{\"inputSchema\":{}}", MCPHOST_E_INVALID, "tool '#2': it has no name"},
        {"{\"name\":\"b\"", MCPHOST_E_INVALID, "definition of a tool"},
        {"[]", MCPHOST_E_INVALID, "definition of a tool"},
    };

    refused(TOOL("a"), cases[_i].second, NULL, 0, cases[_i].code, cases[_i].message);
}
END_TEST

START_TEST(a_block_whose_definitions_are_longer_than_a_frame_is_refused)
{
    enum { N = 17 };
    const size_t len = MCPH_FRAME_LIMIT / (N - 1);
    struct mcph_span definitions[N];
    char *text = malloc(len + 1);
    mcphost_error *err = NULL;

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', len);
    memcpy(text, "{\"name\":\"a\"", 11);
    text[len - 1] = '}';
    for (size_t i = 0; i < N; i++)
        definitions[i] = mcph_span(text, len);
    ck_assert_int_eq(mcph_block_new_builtin("us", definitions, N, NULL, 0, &block, &err),
                     MCPHOST_E_LIMIT);
    test_has(mcphost_error_get_message(err), "longer than 67108864 bytes");
    mcphost_error_unref(err);
    free(text);
}
END_TEST

START_TEST(toolsets_with_unknown_or_duplicate_names_are_refused)
{
    static const char *const other[] = {"c"}, *const twice[] = {"a", "a"};
    const struct mcph_toolset_draft good[] = {{"all", NULL, both, 2},
                                              {"all", NULL, only_a, 1}};
    const struct mcph_toolset_draft nameless = {"", NULL, both, 2};
    const struct mcph_toolset_draft unknown = {"t", NULL, other, 1};
    const struct mcph_toolset_draft doubled = {"t", NULL, twice, 2};

    refused(TOOL("a"), TOOL("b"), &nameless, 1, MCPHOST_E_INVALID, "needs a name");
    refused(TOOL("a"), TOOL("b"), &unknown, 1, MCPHOST_E_INVALID, "no tool 'c'");
    refused(TOOL("a"), TOOL("b"), &doubled, 1, MCPHOST_E_EXISTS, "'a' twice");
    refused(TOOL("a"), TOOL("b"), good, 2, MCPHOST_E_EXISTS, "two toolsets");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "servers");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, tools_keep_the_server_s_order_and_both_names);
    tcase_add_test(tc, a_blacklisted_tool_is_left_out_with_a_warning);
    tcase_add_test(tc, a_tool_that_is_not_whitelisted_is_left_out_with_a_warning);
    tcase_add_test(tc, a_bad_name_is_reported_with_the_rule_it_breaks);
    tcase_add_test(tc, a_map_makes_long_names_and_names_with_other_characters_valid);
    tcase_add_test(tc, two_names_with_equal_mapped_names_both_get_a_hash);
    tcase_add_test(tc, a_block_built_in_steps_equals_a_block_built_at_once);
    tcase_add_test(tc, a_build_can_be_freed_before_its_end);
    tcase_add_test(tc, both_the_original_and_the_final_name_must_be_valid);
    tcase_add_test(tc, a_tool_has_one_finding_for_the_first_reason);
    tcase_add_test(tc, of_two_tools_of_one_name_the_first_is_kept);
    tcase_add_test(tc, an_unusable_tool_is_reported_with_the_reason);
    tcase_add_test(tc, an_unusable_tool_takes_no_name_from_a_usable_tool);
    tcase_add_test(tc, a_name_may_be_spelled_with_escapes);
    tcase_add_test(tc, long_names_are_cut_in_reports_and_remain_distinct);
    tcase_add_test(tc, a_long_list_of_patterns_is_cut_in_reports);
    tcase_add_test(tc, a_server_id_with_odd_characters_is_escaped_in_reports);
    tcase_add_test(tc, a_listing_can_be_used_with_another_spec);
    tcase_add_test(tc, a_tool_is_found_by_its_original_name);

    tc = test_case(suite, "built-ins");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_built_in_tool_has_the_members_of_its_definition);
    tcase_add_test(tc, a_built_in_tool_is_in_each_toolset_that_names_it);
    tcase_add_loop_test(tc, a_block_with_a_bad_built_in_tool_is_refused, 0, 7);
    tcase_add_test(tc, a_block_whose_definitions_are_longer_than_a_frame_is_refused);
    tcase_add_test(tc, toolsets_with_unknown_or_duplicate_names_are_refused);
}

int
main(void)
{
    return test_main("catalog-block", add);
}
