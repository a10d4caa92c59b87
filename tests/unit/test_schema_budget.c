/* SPDX-License-Identifier: MIT
 *
 * test_schema_budget.c - limits on the work that schemas and values can cause.
 *
 * The tests of the limit on steps switch off MCPHOST_SCHEMA_OPT_MAX_MS, so that a busy
 * machine does not change their outcome.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"
#include "support/runner.h"

#define STEPS 200000 /* default of MCPHOST_OPT_SCHEMA_STEPS */

static struct mcph_buf schema_text, value_text;

static void
up(void)
{
    mcph_buf_init(&schema_text, 16 << 20);
    mcph_buf_init(&value_text, 16 << 20);
}

static void
down(void)
{
    mcph_buf_done(&schema_text);
    mcph_buf_done(&value_text);
}

/* Appends `before`, `n` times `each`, and `after`.  Replaces '~' by the number of the
 * repetition and '\'' by '"'. */
static void
repeat(struct mcph_buf *buf, const char *before, const char *each, int n,
       const char *after)
{
    const char *parts[] = {before, each, after};

    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < (part == 1 ? n : 1); i++) {
            for (const char *p = parts[part]; *p; p++) {
                if (*p == '~')
                    mcph_buf_addf(buf, "%d", i);
                else
                    mcph_buf_addc(buf, *p == '\'' ? '"' : *p);
            }
        }
    }
    ck_assert_int_eq(mcph_buf_ok(buf), 0);
}

static int
compile(mcphost_schema **ret_schema, int64_t steps)
{
    int r;

    ck_assert_int_eq(mcphost_schema_new(ret_schema), 0);
    mcphost_schema_set_option(*ret_schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, steps);
    mcphost_schema_set_option(*ret_schema, MCPHOST_SCHEMA_OPT_MAX_MS, -1);
    mcphost_schema_set_option(*ret_schema, MCPHOST_SCHEMA_OPT_FORMATS, 1);
    r = mcphost_schema_compile(*ret_schema, schema_text.data, schema_text.len, NULL);
    ck_assert(r == 0 || r == MCPHOST_E_LIMIT);
    return r;
}

/* Compiles the schema without a limit and checks the value with STEPS steps.  Returns the
 * result of the check. */
static int
check_budget(bool with_report, uint64_t flags)
{
    mcphost_schema_report *report = NULL;
    mcphost_schema *schema;
    int r;

    ck_assert_int_eq(compile(&schema, INT64_MAX), 0);
    schema->options[MCPHOST_SCHEMA_OPT_MAX_STEPS] = STEPS;
    r = mcphost_schema_validate(schema, value_text.data, value_text.len, flags,
                                with_report ? &report : NULL, NULL);
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
    return r;
}

static void
add_part(struct mcph_buf *buf, const char *const part[3], int n)
{
    repeat(buf, part[0] ? part[0] : "", part[1] ? part[1] : "", n,
           part[2] ? part[2] : "");
}

/* ---- checks ------------------------------------------------------------------------ */

static const struct {
    const char *what;
    const char *schema[3];
    int n_schema;
    const char *value[3];
    int n_value;
    bool report;
    uint64_t flags;
} costly[] = {
    {"a run from each start",
     {"{'pattern':'[ab]*[cd]'}"},
     0,
     {"'", "a", "'"},
     20000,
     .report = false},
    {"a group from each start",
     {"{'pattern':'(a|b)*[cd]'}"},
     0,
     {"'", "a", "'"},
     3000,
     .report = false},
    {"what a group held",
     {"{'pattern':'^(a*)b?\\\\1[cd]'}"},
     0,
     {"'", "a", "'"},
     20000,
     .report = false},
    {"a pattern too large for callouts",
     {"{'pattern':'(?:a?b?){3000}[cd]'}"},
     0,
     {"'", "a", "'"},
     2000,
     .report = false},
    {"patterns times names",
     {"{'patternProperties':{", "'(a|b)*[c~]':{},", "'x':{}}}"},
     100,
     {"{", "'~aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa':1,", "'b':1}"},
     40,
     .report = false},
    {"simple patterns times names",
     {"{'patternProperties':{", "'^[a-z]*~$':{},", "'x':{}}}"},
     200,
     {"{", "'~aa':1,", "'b':1}"},
     1000,
     .report = false},
    {"patterns that are compiled",
     {"{'items':{'format':'regex'}}"},
     0,
     {"[", "'(a|b)*[cd]{1,5}',", "'x']"},
     10000,
     .report = false},
    {"enum times items",
     {"{'items':{'enum':[", "'aaaa',", "1]}}"},
     10000,
     {"[", "'bbbb',", "1]"},
     1000,
     .report = true},
    {"names in another order",
     {"{'const':{", "'a~':1,", "'b':1}}"},
     3000,
     {"{'b':1", ",'a~':1", "}"},
     3000,
     .report = false},
    {"bounds times digits",
     {"{'allOf':[", "{'maximum':1e9},", "true]}"},
     1000,
     {"", "1", ""},
     10000,
     .report = true},
    {"a divisor of a thousand digits",
     {"{'items':{'multipleOf':3", "7", "}}"},
     1000,
     {"[", "11111111111111111111111111111111111111111111111111111e900,", "1]"},
     1000,
     .report = true},
    {"required times objects",
     {"{'items':{'required':[", "'k~',", "'k']}}"},
     20000,
     {"[", "{'a':1},", "{}]"},
     2000,
     .report = true},
    {"names that need others",
     {"{'items':{'dependentRequired':{'a':[", "'k~',", "'k']}}}"},
     2000,
     {"[", "{'a':1,'b':2},", "{}]"},
     1000,
     .report = true},
    {"schemas that need a name",
     {"{'items':{'dependentSchemas':{", "'a~':{},", "'k':true}}}"},
     2000,
     {"[", "{'a':1,'b':2},", "{}]"},
     1000,
     .report = false},
    {"names of members",
     {"{'allOf':[", "{'propertyNames':{'maxLength':9}},", "true]}"},
     1000,
     {"{", "'~':1,", "'a':1}"},
     1000,
     .report = false},
    {"what nothing evaluated",
     {"{'unevaluatedProperties':false,'allOf':[", "{'minProperties':0},",
      "{'additionalProperties':true}]}"},
     2000,
     {"{", "'~':1,", "'a':1}"},
     4000,
     .report = false},
    {"dynamic anchors",
     {"{'$defs':{", "'a~':{'$dynamicAnchor':'a~'},",
      "'b':{}},'items':{'$dynamicRef':'#a1'}}"},
     2000,
     {"[", "1,", "1]"},
     2000,
     .report = false},
    {"long names and a map",
     {"{'allOf':[",
      "{'properties':{'a':{},'b':{},'c':{},'d':{},'e':{},'f':{},"
      "'g':{},'h':{},'i':{},'j':{}}},",
      "true]}"},
     500,
     {"{'", "a", "':1}"},
     100000,
     .report = false},
    {"characters that are counted",
     {"{'allOf':[", "{'minLength':60000},", "true]}"},
     1000,
     {"'", "a", "'"},
     100000,
     .report = false},
    {"defaults that bring defaults",
     {"{'items':{'properties':{", "'a~':{'default':1},", "'b':{}}}}"},
     300,
     {"[", "{},", "{}]"},
     3000,
     .report = false,
     .flags = MCPHOST_SCHEMA_DEFAULTS},
    {"a default, large and often",
     {"{'items':{'properties':{'a':{'default':'", "x", "'}}}}"},
     100000,
     {"[", "{},", "{}]"},
     3000,
     .report = false,
     .flags = MCPHOST_SCHEMA_DEFAULTS},
    {"more values than steps", {"true"}, 0, {"[", "1,", "1]"}, STEPS, .report = false},
    {"more bytes than steps",
     {"true"},
     0,
     {"'", "0123456789abcdef", "'"},
     STEPS * 2 + 2,
     .report = false},
};

/* R51: the limit on steps ends each of these checks, whatever the schema and the value
 * are. */
START_TEST(costly_checks_end_at_the_limit_on_steps)
{
    int r;

    add_part(&schema_text, costly[_i].schema, costly[_i].n_schema);
    add_part(&value_text, costly[_i].value, costly[_i].n_value);
    r = check_budget(costly[_i].report, costly[_i].flags);
    ck_assert_msg(r == MCPHOST_E_LIMIT, "%s: %d", costly[_i].what, r);
}
END_TEST

/* R51: the library charges the largest possible number of bytes for an item that does not
 * match, because PCRE2 does not report how many bytes the item examined. */
START_TEST(bytes_that_an_item_of_a_pattern_may_examine_are_charged)
{
    static char run[5001];

    memset(run, 'a', sizeof(run) - 2);
    run[sizeof(run) - 2] = '!';
    repeat(&schema_text, "{'pattern':'[ab]{5000}[cd]'}", "", 0, "");
    repeat(&value_text, "'", run, 10, "'");
    ck_assert_int_eq(check_budget(false, 0), MCPHOST_E_LIMIT);
}
END_TEST

static const struct {
    const char *schema;
    const char *value[3];
    int n, verdict;
} cheap[] = {
    {"{'pattern':'^[a-z]+$'}", {"'", "ab", "'"}, 100000, MCPHOST_SCHEMA_VALID},
    {"{'pattern':'^[\\\\s\\\\S]*$'}", {"'", "ab", "'"}, 500000, MCPHOST_SCHEMA_VALID},
    {"{'pattern':'\\\\S'}", {"'", " ", "x'"}, 500000, MCPHOST_SCHEMA_VALID},
    {"{'pattern':'c'}", {"'", "ab", "'"}, 500000, MCPHOST_SCHEMA_INVALID},
    {"{'pattern':'^(?:[a-z]+ )*$'}", {"'", "abcdef ", "'"}, 5000, MCPHOST_SCHEMA_VALID},
    {"{'pattern':'^(?:[A-Za-z0-9+/]{4})*={0,2}$'}",
     {"'", "QUJD", "'"},
     10000,
     MCPHOST_SCHEMA_VALID},
    {"{'pattern':'^.*ab$'}", {"'", "ab", "'"}, 5000, MCPHOST_SCHEMA_VALID},
    {"{'items':{'pattern':'^[a-z]{2}-\\\\d+$'}}",
     {"[", "'ab-~',", "'cd-1']"},
     5000,
     MCPHOST_SCHEMA_VALID},
    {"{'items':{'pattern':'^(a|b)+@[a-z.]+$'}}",
     {"[", "'aba@example.com',", "'a@b']"},
     2000,
     MCPHOST_SCHEMA_VALID},
    {"{'items':{'type':'integer','minimum':0}}",
     {"[", "~,", "1]"},
     50000,
     MCPHOST_SCHEMA_VALID},
    {"{'uniqueItems':true}", {"[", "'~',", "1]"}, 20000, MCPHOST_SCHEMA_VALID},
    {"{'minLength':10,'maxLength':9999999}",
     {"'", "a", "'"},
     2000000,
     MCPHOST_SCHEMA_VALID},
};

/* R51 */
START_TEST(large_values_of_ordinary_schemas_stay_within_the_limit_on_steps)
{
    repeat(&schema_text, cheap[_i].schema, "", 0, "");
    add_part(&value_text, cheap[_i].value, cheap[_i].n);
    ck_assert_int_eq(check_budget(false, 0), cheap[_i].verdict);
}
END_TEST

/* R51: the library only counts errors that do not fit into the report.  Counting takes
 * few steps. */
START_TEST(errors_that_exceed_a_report_are_counted)
{
    mcphost_schema_report *report = NULL;
    mcphost_schema *schema;

    repeat(&schema_text, "{'items':{'required':[", "'k~',", 499, "'k']}}");
    repeat(&value_text, "[", "{'k1':1},", 99, "{}]");
    ck_assert_int_eq(compile(&schema, STEPS), 0);
    ck_assert_int_eq(mcphost_schema_validate(schema, value_text.data, value_text.len, 0,
                                             &report, NULL),
                     MCPHOST_SCHEMA_INVALID);
    ck_assert_uint_eq(mcphost_schema_report_count_errors(report), 10);
    ck_assert_ptr_nonnull(
        strstr(mcphost_schema_report_get_text(report), "; and 49891 more"));
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
}
END_TEST

/* ---- compiling --------------------------------------------------------------------- */

static const struct {
    const char *what;
    const char *schema[3];
    int n;
} large[] = {
    {"text", {"{'description':'", "0123456789abcdef", "'}"}, STEPS / 2},
    {"subschemas", {"{'allOf':[", "{},", "{}]}"}, 20000},
    {"words that mean nothing", {"{", "'~':1,", "'x':1}"}, 60000},
    {"references",
     {"{'allOf':[", "{'$ref':'#/$defs/a'},", "{}],'$defs':{'a':{}}}"},
     20000},
    {"one long pattern", {"{'pattern':'", "abcdefghij", "'}"}, STEPS / 10},
    {"patterns that grow",
     {"{'allOf':[", "{'pattern':'(ab?[a-z]{1,100}c){1,90}'},", "{}]}"},
     1200},
};

/* R51 */
START_TEST(costly_schemas_are_refused_at_the_limit_on_steps)
{
    mcphost_schema *schema;

    add_part(&schema_text, large[_i].schema, large[_i].n);
    ck_assert_msg(compile(&schema, STEPS) == MCPHOST_E_LIMIT, "%s", large[_i].what);
    mcphost_schema_unref(schema);
}
END_TEST

/* R51: the compiler charges each level, because it reads all the text inside each
 * level. */
START_TEST(each_level_around_a_long_text_is_charged)
{
    mcphost_schema *schema;

    for (int i = 0; i < 240; i++)
        mcph_buf_adds(&schema_text, "{\"not\":");
    repeat(&schema_text, "{'x':'", "0123456789abcdef", 30000, "'}");
    for (int i = 0; i < 240; i++)
        mcph_buf_addc(&schema_text, '}');
    ck_assert_int_eq(compile(&schema, 2 * STEPS), MCPHOST_E_LIMIT);
    mcphost_schema_unref(schema);
}
END_TEST

/* R51: the compiler charges each anchor, because it stores the whole URI with each
 * anchor. */
START_TEST(anchors_below_a_long_uri_are_charged)
{
    mcphost_schema *schema;

    repeat(&schema_text, "{'$id':'http://x/", "a", 60000, "',");
    repeat(&schema_text, "'allOf':[", "{'$anchor':'a~'},", 1000, "{}]}");
    ck_assert_int_eq(compile(&schema, STEPS), MCPHOST_E_LIMIT);
    mcphost_schema_unref(schema);
}
END_TEST

/* Returns the steps that the compilation of `n` references takes.  If `same` is set, all
 * references have one target.  Otherwise each reference has its own target. */
static uint64_t
steps_of_refs(int n, bool same)
{
    mcphost_schema *schema;
    uint64_t steps;
    char ref[64];

    snprintf(ref, sizeof(ref), "{'$ref':'#/$defs/d%s'},", same ? "1" : "~");
    mcph_buf_clear(&schema_text);
    repeat(&schema_text, "{'allOf':[", ref, n, "{}],");
    repeat(&schema_text, "'$defs':{", "'d~':{},", n, "'d':{}}}");
    ck_assert_int_eq(compile(&schema, INT64_MAX), 0);
    steps = schema->budget.steps;
    mcphost_schema_unref(schema);
    return steps;
}

/* R51 */
START_TEST(the_cost_of_references_is_proportional_to_their_number)
{
    for (int same = 0; same < 2; same++) {
        uint64_t few = steps_of_refs(100, same), many = steps_of_refs(800, same);

        ck_assert_uint_lt(many, 10 * few);
    }
}
END_TEST

/* R51: the compiler follows JSON pointers through an index of members.  The index must
 * give the right targets. */
START_TEST(references_find_targets_in_objects_and_arrays)
{
    static const char *const refs[] = {
        "#/$defs/a",      "#/$defs/b~1c", "#/$defs/l/allOf/1", "#/$defs/l/allOf/01",
        "#/$defs/%C3%A4", "#/x/y/z",      "#/$defs/",
    };
    static const char *const none[] = {"#/$defs/l/allOf/9", "#/$defs/l/allOf/-",
                                       "#/$defs/l/allOf/",  "#/$defs/c",
                                       "#/$defs/l/allOf/x", "#/$defs/a/type/x"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(refs) + MCPH_ARRAY_SIZE(none); i++) {
        bool there = i < MCPH_ARRAY_SIZE(refs);
        mcphost_schema *schema;
        int r;

        mcph_buf_clear(&schema_text);
        mcph_buf_addf(&schema_text,
                      "{\"allOf\":[{\"$ref\":\"%s\"}],\"x\":{\"y\":{\"z\":{\"type\":"
                      "\"null\"}}},\"$defs\":{\"a\":{\"type\":\"null\"},\"b/c\":{"
                      "\"type\":\"null\"},\"\\u00e4\":{\"type\":\"null\"},\"\":{\"type\":"
                      "\"null\"},\"l\":{\"allOf\":[{},{\"type\":\"null\"}]}}}",
                      there ? refs[i] : none[i - MCPH_ARRAY_SIZE(refs)]);
        ck_assert_int_eq(mcphost_schema_new(&schema), 0);
        r = mcphost_schema_compile(schema, schema_text.data, schema_text.len, NULL);
        ck_assert_int_eq(r, there ? 0 : MCPHOST_E_NOTFOUND);
        if (there) {
            ck_assert_int_eq(mcphost_schema_validate(schema, "1", 1, 0, NULL, NULL),
                             MCPHOST_SCHEMA_INVALID);
            ck_assert_int_eq(mcphost_schema_validate(schema, "null", 4, 0, NULL, NULL),
                             MCPHOST_SCHEMA_VALID);
        }
        mcphost_schema_unref(schema);
    }
}
END_TEST

/* ---- processor time ---------------------------------------------------------------- */

/* R51: the limit that is reached first ends the work.  Later steps fail with the same
 * code. */
START_TEST(a_budget_ends_by_steps_or_by_processor_time)
{
    struct mcphost_schema schema = {
        .options = {
            [MCPHOST_SCHEMA_OPT_MAX_STEPS] = 10000, [MCPHOST_SCHEMA_OPT_MAX_MS] = -1}};
    struct mcph_budget budget;

    mcph_budget_init(&budget, &schema);
    ck_assert_int_eq(mcph_budget_spend(&budget, 10000), 0);
    ck_assert_int_eq(mcph_budget_spend(&budget, 1), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_budget_spend(&budget, 0), MCPHOST_E_LIMIT);

    schema.options[MCPHOST_SCHEMA_OPT_MAX_STEPS] = INT64_MAX;
    schema.options[MCPHOST_SCHEMA_OPT_MAX_MS] = 1000000;
    mcph_budget_init(&budget, &schema);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(mcph_budget_spend(&budget, 1000000), 0);
    budget.until = mcph_clock_thread_ms() - 1;
    ck_assert_int_eq(mcph_budget_spend(&budget, 4096), MCPHOST_E_TIMEOUT);
    ck_assert_int_eq(mcph_budget_spend(&budget, 0), MCPHOST_E_TIMEOUT);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "budget");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, costly_checks_end_at_the_limit_on_steps, 0,
                        (int)MCPH_ARRAY_SIZE(costly));
    tcase_add_test(tc, bytes_that_an_item_of_a_pattern_may_examine_are_charged);
    tcase_add_loop_test(tc,
                        large_values_of_ordinary_schemas_stay_within_the_limit_on_steps,
                        0, (int)MCPH_ARRAY_SIZE(cheap));
    tcase_add_test(tc, errors_that_exceed_a_report_are_counted);
    tcase_add_loop_test(tc, costly_schemas_are_refused_at_the_limit_on_steps, 0,
                        (int)MCPH_ARRAY_SIZE(large));
    tcase_add_test(tc, each_level_around_a_long_text_is_charged);
    tcase_add_test(tc, anchors_below_a_long_uri_are_charged);
    tcase_add_test(tc, the_cost_of_references_is_proportional_to_their_number);
    tcase_add_test(tc, references_find_targets_in_objects_and_arrays);
    tc = test_case(suite, "ends");
    tcase_add_test(tc, a_budget_ends_by_steps_or_by_processor_time);
}

int
main(void)
{
    return test_main("schema-budget", add);
}
