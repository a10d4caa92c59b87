/* SPDX-License-Identifier: MIT
 *
 * test_schema_check.c - checking values against schemas: keywords, limits, bad input.
 *
 * The test suite of JSON Schema (tests/schema-suite) tests every keyword.  This file
 * tests the keywords of tool schemas briefly, and tests features that the suite leaves
 * out.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"
#include "support/schemarig.h"

#define VALID   MCPHOST_SCHEMA_VALID
#define INVALID MCPHOST_SCHEMA_INVALID

START_TEST(each_keyword_of_tool_schemas_accepts_and_refuses_values) /* R51 */
{
    static const struct {
        const char *schema, *good, *bad;
    } all[] = {
        {"{'type':'integer'}", "5", "5.5"},
        {"{'type':'null'}", "null", "0"},
        {"{'type':['string','null']}", "null", "true"},
        {"{'oneOf':[{'minimum':3},{'maximum':5}]}", "7", "4"},
        {"{'anyOf':[{'type':'string'},{'minimum':5}]}", "5", "4"},
        {"{'allOf':[{'minimum':1},{'maximum':3}]}", "2", "4"},
        {"{'not':{'type':'string'}}", "1", "'a'"},
        {"{'enum':['a',1,{'b':[null]}]}", "{'b':[null]}", "'1'"},
        {"{'const':{'a':1,'b':2}}", "{'b':2.0,'a':1}", "{'a':1}"},
        {"{'properties':{'a':{'type':'string'}}}", "{'a':''}", "{'a':1}"},
        {"{'required':['a','b']}", "{'a':1,'b':2}", "{'a':1,'c':2}"},
        {"{'properties':{'a':{}},'additionalProperties':false}", "{'a':1}", "{'b':1}"},
        {"{'additionalProperties':{'type':'string'}}", "{'a':''}", "{'a':1}"},
        {"{'patternProperties':{'^x':{'type':'string'}}}", "{'y':1}", "{'x1':1}"},
        {"{'propertyNames':{'maxLength':2}}", "{'ab':1}", "{'abc':1}"},
        {"{'items':{'type':'string'}}", "['a']", "['a',1]"},
        {"{'items':[{'type':'string'},{'type':'number'}]}", "['a',1,2]", "['a','b']"},
        {"{'prefixItems':[{'type':'string'}],'items':false}", "['a']", "['a',1]"},
        {"{'minItems':1,'maxItems':2}", "[1]", "[1,2,3]"},
        {"{'uniqueItems':true}", "[1,'1',true]", "[{'a':1},{'a':1.0}]"},
        {"{'minLength':2,'maxLength':3}", "'\xc3\xa4\xc3\xb6\xc3\xbc'", "'\xc3\xa4'"},
        {"{'pattern':'^a+$'}", "'aa'", "'ab'"},
        {"{'minimum':1,'maximum':2}", "1", "2.1"},
        {"{'exclusiveMinimum':1,'exclusiveMaximum':2}", "1.5", "2"},
        {"{'multipleOf':0.01}", "19.99", "19.999"},
        {"{'title':'t','description':'d','default':5,'x-other':[1]}", "1", NULL},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        ck_assert_msg(sch_check(all[i].schema, all[i].good) == VALID, "%s refuses %s",
                      all[i].schema, all[i].good);
        if (all[i].bad)
            ck_assert_msg(sch_check(all[i].schema, all[i].bad) == INVALID, "%s takes %s",
                          all[i].schema, all[i].bad);
    }
}
END_TEST

START_TEST(formats_are_checked_only_with_the_option) /* R51 */
{
    const char *json;
    mcphost_schema *schema;

    ck_assert_int_eq(sch_check("{'format':'date'}", "'no date'"), VALID);
    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_FORMATS, 1), 0);
    json = sch_quoted("{'anyOf':[{'format':'date'},{'format':'unheard-of'}],"
                      "'not':{'format':'ipv4'}}");
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    ck_assert_int_eq(sch_verdict(schema, "'no date'"), VALID);
    ck_assert_int_eq(sch_verdict(schema, "'10.0.0.1'"), INVALID);
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(names_and_values_are_compared_unescaped)
{
    ck_assert_int_eq(sch_check("{'properties':{'a\\u0062':{'const':'\\u0063'}},"
                               "'required':['\\u0061b'],'additionalProperties':false}",
                               "{'\\u0061b':'c'}"),
                     VALID);
    ck_assert_int_eq(sch_check("{'enum':['\\u0000','x']}", "'\\u0000'"), VALID);
    ck_assert_int_eq(sch_check("{'maxLength':1}", "'\\ud83d\\ude00'"), VALID);
}
END_TEST

START_TEST(numbers_of_any_size_are_compared_exactly) /* R51 */
{
    ck_assert_int_eq(
        sch_check("{'maximum':18446744073709551616}", "18446744073709551617"), INVALID);
    ck_assert_int_eq(sch_check("{'minimum':1e400}", "9e399"), INVALID);
    ck_assert_int_eq(sch_check("{'type':'integer'}", "1e400"), VALID);
    ck_assert_int_eq(sch_check("{'const':9007199254740993}", "9007199254740992"),
                     INVALID);
    ck_assert_int_eq(sch_check("{'uniqueItems':true}",
                               "[1,2,3,4,5,6,7,8,9007199254740993,9007199254740992]"),
                     VALID);
    ck_assert_int_eq(sch_check("{'uniqueItems':true}", "[1,2,3,4,5,6,7,8,9,10,1e1]"),
                     INVALID);
}
END_TEST

/* 1.5 and -5e30 have the same hash, because the digits of numbers are combined without a
 * seed (equal.c). */
START_TEST(equal_elements_are_found_with_another_of_the_same_hash_between_them) /* R51 */
{
    ck_assert_int_eq(sch_check("{'uniqueItems':true}", "[1,2,3,4,5,6,7,8,1.5,-5e30,1.5]"),
                     INVALID);
    ck_assert_int_eq(sch_check("{'uniqueItems':true}", "[1,2,3,4,5,6,7,8,1.5,-5e30]"),
                     VALID);
}
END_TEST

START_TEST(a_name_twice_in_an_object_is_refused)
{
    const char *why;

    ck_assert_int_eq(sch_check("{}", "{'a':1,'a':1}"), MCPHOST_E_INVALID);
    ck_assert_int_eq(sch_check("true", "[{'b':{'a':1,'x':0,'\\u0061':2}}]"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(sch_check("{}", "{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,"
                                     "'i':9,'j':1,'k':1,'l':1,'m':1,'n':1,'a':2}"),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(sch_broken("{'type':'string','type':'number'}", &why),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(why, "the schema: the name 'type' occurs twice in an object");
}
END_TEST

/* plain_schema is a usual schema of a tool.  The fast check of simple objects applies to
 * it, and runs in the same pass as the check of the JSON text. */
static const char plain_schema[] =
    "{'type':'object','properties':{'path':{'type':'string'},'n':{'type':'integer'},"
    "'x':{'type':['number','null']},'deep':{'type':'boolean'},'any':{},"
    "'a rather long name of a member':{'type':'string'},"
    "'mode':{'type':'string','enum':['r','w']},'never':false,"
    "'list':{'type':'array'}},'required':['path']%s}";

/* Compiles plain_schema with the further keywords `more`. */
static mcphost_schema *
plain_schema_with(const char *more)
{
    char text[sizeof(plain_schema) + 64];

    snprintf(text, sizeof(text), plain_schema, more);
    return sch_new(text);
}

START_TEST(plain_objects_pass_the_fast_check)
{
    static const char *const plain[] = {
        "{'path':'/tmp/a'}",
        " { 'n' : -12 , 'path' : '' } ",
        "{'path':'\xc3\xa4 \\n \\u0041','x':1.5e3,'deep':false}",
        "{'x':null,'any':'text','path':'p'}",
        "{'a rather long name of a member':'0123456789abcdef0123456789','path':'p'}",
    };
    mcphost_schema *schema = plain_schema_with("");

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        ck_assert_msg(sch_plainly(schema, plain[i]), "not at sight: %s", plain[i]);
        ck_assert_int_eq(sch_verdict(schema, plain[i]), VALID);
    }
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(other_values_do_not_pass_the_fast_check)
{
    static const char *const others[] = {
        "{'path':'p','mode':'r'}",     /* the schema of `mode` has `enum` */
        "{'path':'p','list':[]}",      /* the value of `list` is an array */
        "{'path':'p','n':1.0}",        /* has an integer with a fraction of 0 */
        "{'path':'p','unheard of':1}", /* allowed, but not in `properties` */
        "{'p\\u0061th':'p'}",          /* spells the name with an escape */
        "{}",                          /* this value and all values below do not fit */
        "{'n':1}",
        "{'path':1}",
        "{'path':'p','path':'q'}",
        "{'path':'p','never':1}",
        "{'path':'p','deep':'true'}",
        "[]",
        "'path'",
        "",
        "{'path':'p'", /* this text and all texts below are not JSON */
        "{'path':'p',}",
        "{'path':'p'} x",
        "{'path':'\x01'}",
        "{'path':'\xff'}",
        "{'path':tru}",
        "{'path' 'p'}",
        "{'path':'p' 'n':1}",
        "{'path':'p','n':01}",
        "{path:'p'}",
        "{'path':",
    };
    mcphost_schema *schema = plain_schema_with("");

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_msg(!sch_plainly(schema, others[i]), "at sight: %s", others[i]);
        (void)sch_verdict(schema, others[i]);
    }
    mcphost_schema_unref(schema);
}
END_TEST

START_TEST(a_schema_with_other_rules_than_members_has_no_fast_check)
{
    mcphost_schema *const schemas[] = {
        plain_schema_with(",'minProperties':3"),
        plain_schema_with(",'not':{'required':['path']}"),
        plain_schema_with(",'patternProperties':{'^p':{'maxLength':2}}"),
        sch_new("{'type':['string','array'],'properties':{'path':{}}}"),
        sch_new("false"),
    };

    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        ck_assert(!sch_plainly(schemas[i], "{'path':'/tmp/a'}"));
        ck_assert_int_eq(sch_verdict(schemas[i], "{'path':'/tmp/a'}"), INVALID);
        mcphost_schema_unref(schemas[i]);
    }
}
END_TEST

START_TEST(sixteen_members_pass_the_fast_check_and_seventeen_do_not)
{
    struct mcph_buf schema, value;

    for (int n = 15; n <= 18; n++) {
        mcphost_schema *compiled;

        mcph_buf_init(&schema, 4096);
        mcph_buf_init(&value, 4096);
        mcph_buf_adds(&schema, "{'properties':{");
        mcph_buf_adds(&value, "{");
        for (int i = 0; i < n; i++) {
            mcph_buf_addf(&schema, "%s'm%d':{'type':'number'}", i ? "," : "", i);
            mcph_buf_addf(&value, "%s'm%d':%d", i ? "," : "", i, i);
        }
        mcph_buf_adds(&schema, "}}");
        mcph_buf_adds(&value, "}");
        compiled = sch_new(mcph_buf_text(&schema));
        ck_assert_int_eq(sch_plainly(compiled, mcph_buf_text(&value)), n <= 16);
        ck_assert_int_eq(sch_verdict(compiled, mcph_buf_text(&value)), VALID);
        mcphost_schema_unref(compiled);
        mcph_buf_done(&schema);
        mcph_buf_done(&value);
    }
}
END_TEST

START_TEST(the_error_of_a_bad_keyword_has_its_place) /* R8 */
{
    static const struct {
        const char *schema, *why;
    } all[] = {
        {"5", "schema at '#': expected a schema, which is an object or a boolean, found "
              "number"},
        {"{'properties':{'a/b':{'minLength':-1}}}",
         "schema at '#/properties/a~1b/minLength': expected an integer that is not "
         "negative"},
        {"{'allOf':[{},{'type':'strong'}]}",
         "schema at '#/allOf/1/type': expected the name of a JSON type, or an array of "
         "them"},
        {"{'anyOf':[]}", "schema at '#/anyOf': expected a non-empty array of schemas"},
        {"{'$defs':{'x':{'pattern':'('}}}",
         "schema at '#/$defs/x/pattern': '(' is not a valid regular expression: missing "
         "closing parenthesis"},
        {"{'multipleOf':0}", "schema at '#/multipleOf': expected a number above 0 of at "
                             "most 1024 digits"},
        {"{'$schema':'http://json-schema.org/draft-03/schema#'}",
         "schema at '#/$schema': 'http://json-schema.org/draft-03/schema#' is not a "
         "supported draft of JSON Schema"},
        {"{'$schema':'http://json-schema.org/draft-07/schema#','minimum':5,"
         "'exclusiveMinimum':true}",
         "schema at '#/exclusiveMinimum': expected a number"},
    };
    const char *why;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        ck_assert_int_eq(sch_broken(all[i].schema, &why), MCPHOST_E_INVALID);
        ck_assert_str_eq(why, all[i].why);
    }
}
END_TEST

START_TEST(a_schema_that_is_not_json_is_refused_with_line_and_column)
{
    const char *why;

    ck_assert_int_eq(sch_broken("{'a':\n 1,}", &why), MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(strstr(why, "line 2, column 4"));
    ck_assert_int_eq(sch_check("{}", "[1,"), MCPHOST_E_INVALID);
}
END_TEST

static char *
repeat(const char *head, const char *again, size_t n, const char *middle,
       const char *again_at_end, const char *tail)
{
    size_t la = strlen(again), lz = strlen(again_at_end);
    char *text = malloc(strlen(head) + n * (la + lz) + strlen(middle) + strlen(tail) + 1);
    char *p = text;

    ck_assert_ptr_nonnull(text);
    p = stpcpy(p, head);
    for (size_t i = 0; i < n; i++)
        p = stpcpy(p, again);
    p = stpcpy(p, middle);
    for (size_t i = 0; i < n; i++)
        p = stpcpy(p, again_at_end);
    stpcpy(p, tail);
    return text;
}

START_TEST(ten_thousand_levels_are_refused)
{
    char *deep_schema = repeat("", "{'not':", 10000, "true", "}", "");
    char *deep_value = repeat("", "[", 10000, "", "]", "");

    ck_assert_int_eq(sch_broken(deep_schema, NULL), MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_check("{'items':{'$ref':'#'}}", deep_value), MCPHOST_E_LIMIT);
    free(deep_schema);
    free(deep_value);
}
END_TEST

START_TEST(five_hundred_levels_are_checked) /* R51 */
{
    char *schema = repeat("", "{'not':", 500, "true", "}", "");
    char *value = repeat("", "[", 500, "5", "]", "");
    char *less = repeat("", "[", 300, "5", "]", "");

    ck_assert_int_eq(sch_check(schema, "1"), VALID);
    ck_assert_int_eq(sch_check("{'items':{'$ref':'#'}}", value), VALID);
    ck_assert_int_eq(
        sch_check("{'anyOf':[{'items':{'$ref':'#'},'type':'array'},{'type':'null'}]}",
                  less),
        INVALID);
    free(less);
    free(schema);
    free(value);
}
END_TEST

START_TEST(circular_references_end_with_e_limit)
{
    ck_assert_int_eq(sch_check("{'$ref':'#'}", "1"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_check("{'$defs':{'a':{'$ref':'#/$defs/b'},'b':{'allOf':[{'$ref':"
                               "'#/$defs/a'}]}},'$ref':'#/$defs/a'}",
                               "1"),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_check("{'not':{'$ref':'#'}}", "1"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_check("{'unevaluatedProperties':{'$ref':'#'},'anyOf':[{'$ref':"
                               "'#'},true]}",
                               "{'a':1}"),
                     MCPHOST_E_LIMIT);
}
END_TEST

/* Makes a schema of 40 levels.  A check needs 2^40 steps, because each level applies the
 * next level twice. */
static char *
doubling(const char *keyword)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);

    fprintf(f, "{'$ref':'#/$defs/a0','$defs':{");
    for (int i = 0; i < 40; i++)
        fprintf(f, "'a%d':{'%s':[{'$ref':'#/$defs/a%d'},{'$ref':'#/$defs/a%d'}]},", i,
                keyword, i + 1, i + 1);
    fprintf(f, "'a40':{'type':'string'}}}");
    fclose(f);
    return text;
}

/* Limits only the steps, so that a busy machine does not change the verdict. */
START_TEST(a_schema_that_doubles_at_each_level_ends_with_e_limit)
{
    static const char *const values[] = {"'a'", "5", "5"};
    static const char *const keywords[] = {"allOf", "anyOf", "oneOf"};
    char *text = doubling(keywords[_i]);
    const char *json = sch_quoted(text);
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_MS, -1), 0);
    ck_assert_int_eq(
        mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, 100000), 0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    ck_assert_int_eq(sch_verdict(schema, values[_i]), MCPHOST_E_LIMIT);
    mcphost_schema_unref(schema);
    free(text);
}
END_TEST

START_TEST(steps_values_and_time_have_separate_limits)
{
    const char *json = sch_quoted("{'items':{'type':'integer','minimum':0}}");
    mcphost_schema *schema;
    char *value = repeat("[0", ",1", 30000, "", "", "]");

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(
        mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, 20000), 0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    ck_assert_int_eq(sch_verdict(schema, value), MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_verdict(schema, "[1,2,3]"), VALID);
    mcphost_schema_unref(schema);

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(
        mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_VALUES, 100), 0);
    ck_assert_int_eq(mcphost_schema_compile(schema, "true", 4, NULL), 0);
    ck_assert_int_eq(sch_verdict(schema, value), MCPHOST_E_LIMIT);
    mcphost_schema_unref(schema);

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_MS, 0), 0);
    ck_assert_int_eq(
        mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, (int64_t)1 << 50),
        0);
    json = sch_quoted("{'anyOf':[{'$ref':'#'},{'$ref':'#'},false]}");
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    ck_assert_int_lt(sch_verdict(schema, value), 0);
    mcphost_schema_unref(schema);
    free(value);
}
END_TEST

/* Checks a value.  The time limit is so long that the limit of steps ends the check
 * first, even on a slow machine. */
static int
check_steps(const char *text, const char *value)
{
    const char *json = sch_quoted(text);
    mcphost_schema *schema;
    int r;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_MS, 60000),
                     0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    r = sch_verdict(schema, value);
    mcphost_schema_unref(schema);
    return r;
}

START_TEST(a_pattern_of_exponential_cost_ends_with_e_limit)
{
    char *value = repeat("'", "a", 40, "!", "", "'");

    ck_assert_int_eq(check_steps("{'pattern':'^(a+)+$'}", value), MCPHOST_E_LIMIT);
    ck_assert_int_eq(check_steps("{'not':{'pattern':'^(a|aa|a*)*$'}}", value),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(check_steps("{'patternProperties':{'^(a+)+$':false}}",
                                 "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!':1}"),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(sch_broken("{'pattern':'((a{1,1000}){1,1000}){1,1000}'}", NULL),
                     MCPHOST_E_INVALID);
    free(value);
}
END_TEST

START_TEST(long_strings_match_ordinary_patterns)
{
    char *value = repeat("'", "ab", 100000, "", "", "'");

    ck_assert_int_eq(sch_check("{'pattern':'^[a-z]+$'}", value), VALID);
    ck_assert_int_eq(sch_check("{'pattern':'c'}", value), INVALID);
    free(value);
}
END_TEST

START_TEST(too_many_subschemas_or_bytes_are_refused)
{
    char *many = repeat("{'allOf':[true", ",true", 2000, "", "", "]}");
    const char *json = sch_quoted(many);
    mcphost_error *err = NULL;
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(
        mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS, 1000), 0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), &err),
                     MCPHOST_E_LIMIT);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "schema at '#/allOf': too many subschemas");
    err = mcphost_error_unref(err);
    mcphost_schema_unref(schema);
    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_SIZE, 100),
                     0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL),
                     MCPHOST_E_LIMIT);
    mcphost_schema_unref(schema);
    free(many);
}
END_TEST

START_TEST(options_out_of_range_or_after_compiling_are_refused)
{
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_option(NULL, MCPHOST_SCHEMA_OPT_DRAFT, 7),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_set_option(schema, 0, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_set_option(schema, 99, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_DRAFT, 5),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_ERRORS, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_validate(schema, "1", 1, 0, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_DRAFT,
                                               MCPHOST_SCHEMA_DRAFT_4),
                     0);
    ck_assert_int_eq(mcphost_schema_compile(schema, "{\"type\":\"integer\"}", 18, NULL),
                     0);
    ck_assert_int_eq(sch_verdict(schema, "1.0"), INVALID);
    ck_assert_int_eq(mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_DRAFT, 7),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_schema_validate(schema, "1", 1, 2, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_validate(schema, NULL, 1, 0, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_schema_compile(NULL, "1", 1, NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_eq(mcphost_schema_ref(schema), schema);
    ck_assert_ptr_null(mcphost_schema_unref(schema));
    ck_assert_ptr_null(mcphost_schema_unref(schema));
    ck_assert_ptr_null(mcphost_schema_ref(NULL));
    ck_assert_ptr_null(mcphost_schema_unref(NULL));
}
END_TEST

static void *
use(void *arg)
{
    static const char good[] = "{\"a\":[\"x\",\"y\"],\"n\":3}";
    static const char bad[] = "{\"a\":[\"x\",\"x\"],\"n\":3.5}";

    for (int i = 0; i < 300; i++) {
        mcphost_schema *mine = mcphost_schema_ref(arg);
        mcphost_schema_report *report = NULL;
        int g = mcphost_schema_validate(mine, good, sizeof(good) - 1, 0, NULL, NULL);
        int b = mcphost_schema_validate(mine, bad, sizeof(bad) - 1, 0, &report, NULL);
        size_t n = mcphost_schema_report_count_errors(report);

        mcphost_schema_report_unref(report);
        mcphost_schema_unref(mine);
        if (g != VALID || b != INVALID || n != 2)
            return arg;
    }
    return NULL;
}

START_TEST(many_threads_may_use_one_schema)
{
    mcphost_schema *schema =
        sch_new("{'properties':{'a':{'uniqueItems':true,'items':{'pattern':'^[a-z]$'}},"
                "'n':{'type':'integer'}},'unevaluatedProperties':false}");
    pthread_t threads[4];
    void *bad;

    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, schema), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], &bad);
        ck_assert_ptr_null(bad);
    }
    mcphost_schema_unref(schema);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "check");

    /* The timeout is long, because checks that end at a limit may take long on a busy
     * machine. */
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, each_keyword_of_tool_schemas_accepts_and_refuses_values);
    tcase_add_test(tc, formats_are_checked_only_with_the_option);
    tcase_add_test(tc, names_and_values_are_compared_unescaped);
    tcase_add_test(tc, numbers_of_any_size_are_compared_exactly);
    tcase_add_test(tc,
                   equal_elements_are_found_with_another_of_the_same_hash_between_them);
    tcase_add_test(tc, a_name_twice_in_an_object_is_refused);
    tcase_add_test(tc, plain_objects_pass_the_fast_check);
    tcase_add_test(tc, other_values_do_not_pass_the_fast_check);
    tcase_add_test(tc, a_schema_with_other_rules_than_members_has_no_fast_check);
    tcase_add_test(tc, sixteen_members_pass_the_fast_check_and_seventeen_do_not);
    tcase_add_test(tc, the_error_of_a_bad_keyword_has_its_place);
    tcase_add_test(tc, a_schema_that_is_not_json_is_refused_with_line_and_column);
    tcase_add_test(tc, ten_thousand_levels_are_refused);
    tcase_add_test(tc, five_hundred_levels_are_checked);
    tcase_add_test(tc, circular_references_end_with_e_limit);
    tcase_add_loop_test(tc, a_schema_that_doubles_at_each_level_ends_with_e_limit, 0, 3);
    tcase_add_test(tc, steps_values_and_time_have_separate_limits);
    tcase_add_test(tc, a_pattern_of_exponential_cost_ends_with_e_limit);
    tcase_add_test(tc, long_strings_match_ordinary_patterns);
    tcase_add_test(tc, too_many_subschemas_or_bytes_are_refused);
    tcase_add_test(tc, options_out_of_range_or_after_compiling_are_refused);
    tcase_add_test(tc, many_threads_may_use_one_schema);
}

int
main(void)
{
    return test_main("schema-check", add);
}
