/* SPDX-License-Identifier: MIT
 *
 * test_uri_template.c - checking, expanding and matching URI templates (RFC 6570).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "support/runner.h"
#include "support/texts.h"
#include "uri/uri.h"

/* The variables of the examples in RFC 6570, sections 1.2 and 3.2. */
static const char values[] =
    "{\"count\":[\"one\",\"two\",\"three\"],\"dom\":[\"example\",\"com\"],"
    "\"dub\":\"me/too\",\"hello\":\"Hello World!\",\"half\":\"50%\",\"var\":\"value\","
    "\"who\":\"fred\",\"base\":\"http://example.com/home/\",\"path\":\"/foo/bar\","
    "\"list\":[\"red\",\"green\",\"blue\"],"
    "\"keys\":{\"semi\":\";\",\"dot\":\".\",\"comma\":\",\"},"
    "\"v\":\"6\",\"x\":\"1024\",\"y\":\"768\",\"empty\":\"\",\"empty_keys\":{},"
    "\"undef\":null}";

struct example {
    const char *text, *uri;
};

static const struct example simple[] = {
    {"{var}", "value"},
    {"{hello}", "Hello%20World%21"},
    {"{half}", "50%25"},
    {"O{empty}X", "OX"},
    {"O{undef}X", "OX"},
    {"{x,y}", "1024,768"},
    {"{x,hello,y}", "1024,Hello%20World%21,768"},
    {"?{x,empty}", "?1024,"},
    {"?{x,undef}", "?1024"},
    {"?{undef,y}", "?768"},
    {"{var:3}", "val"},
    {"{var:30}", "value"},
    {"{list}", "red,green,blue"},
    {"{list*}", "red,green,blue"},
    {"{keys}", "semi,%3B,dot,.,comma,%2C"},
    {"{keys*}", "semi=%3B,dot=.,comma=%2C"},
    {"map?{x,y}", "map?1024,768"},
    {"{count}", "one,two,three"},
    {"{count*}", "one,two,three"},
    {"{dub}", "me%2Ftoo"},
    {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"},
};

static const struct example reserved[] = {
    {"{+var}", "value"},
    {"{+hello}", "Hello%20World!"},
    {"{+half}", "50%25"},
    {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"},
    {"{+base}index", "http://example.com/home/index"},
    {"O{+empty}X", "OX"},
    {"O{+undef}X", "OX"},
    {"{+path}/here", "/foo/bar/here"},
    {"here?ref={+path}", "here?ref=/foo/bar"},
    {"up{+path}{var}/here", "up/foo/barvalue/here"},
    {"{+x,hello,y}", "1024,Hello%20World!,768"},
    {"{+path,x}/here", "/foo/bar,1024/here"},
    {"{+path:6}/here", "/foo/b/here"},
    {"{+list}", "red,green,blue"},
    {"{+list*}", "red,green,blue"},
    {"{+keys}", "semi,;,dot,.,comma,,"},
    {"{+keys*}", "semi=;,dot=.,comma=,"},
};

static const struct example fragment[] = {
    {"{#var}", "#value"},
    {"{#hello}", "#Hello%20World!"},
    {"{#half}", "#50%25"},
    {"foo{#empty}", "foo#"},
    {"foo{#undef}", "foo"},
    {"{#x,hello,y}", "#1024,Hello%20World!,768"},
    {"{#path,x}/here", "#/foo/bar,1024/here"},
    {"{#path:6}/here", "#/foo/b/here"},
    {"X{#var}", "X#value"},
    {"X{#hello}", "X#Hello%20World!"},
    {"{#list}", "#red,green,blue"},
    {"{#list*}", "#red,green,blue"},
    {"{#keys}", "#semi,;,dot,.,comma,,"},
    {"{#keys*}", "#semi=;,dot=.,comma=,"},
};

static const struct example label[] = {
    {"{.who}", ".fred"},
    {"{.who,who}", ".fred.fred"},
    {"{.half,who}", ".50%25.fred"},
    {"www{.dom*}", "www.example.com"},
    {"X{.var}", "X.value"},
    {"X{.x,y}", "X.1024.768"},
    {"X{.empty}", "X."},
    {"X{.undef}", "X"},
    {"X{.var:3}", "X.val"},
    {"X{.list}", "X.red,green,blue"},
    {"X{.list*}", "X.red.green.blue"},
    {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C"},
    {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C"},
    {"X{.empty_keys}", "X"},
    {"X{.empty_keys*}", "X"},
};

static const struct example segment[] = {
    {"{/who}", "/fred"},
    {"{/who,who}", "/fred/fred"},
    {"{/half,who}", "/50%25/fred"},
    {"{/who,dub}", "/fred/me%2Ftoo"},
    {"{/var}", "/value"},
    {"{/var,empty}", "/value/"},
    {"{/var,undef}", "/value"},
    {"{/var,x}/here", "/value/1024/here"},
    {"{/var:1,var}", "/v/value"},
    {"{/list}", "/red,green,blue"},
    {"{/list*}", "/red/green/blue"},
    {"{/list*,path:4}", "/red/green/blue/%2Ffoo"},
    {"{/keys}", "/semi,%3B,dot,.,comma,%2C"},
    {"{/keys*}", "/semi=%3B/dot=./comma=%2C"},
    {"{/count}", "/one,two,three"},
    {"{/count*}", "/one/two/three"},
};

static const struct example parameter[] = {
    {"{;who}", ";who=fred"},
    {"{;half}", ";half=50%25"},
    {"{;empty}", ";empty"},
    {"{;v,empty,who}", ";v=6;empty;who=fred"},
    {"{;v,bar,who}", ";v=6;who=fred"},
    {"{;x,y}", ";x=1024;y=768"},
    {"{;x,y,empty}", ";x=1024;y=768;empty"},
    {"{;x,y,undef}", ";x=1024;y=768"},
    {"{;hello:5}", ";hello=Hello"},
    {"{;list}", ";list=red,green,blue"},
    {"{;list*}", ";list=red;list=green;list=blue"},
    {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"},
    {"{;keys*}", ";semi=%3B;dot=.;comma=%2C"},
    {"{;count}", ";count=one,two,three"},
    {"{;count*}", ";count=one;count=two;count=three"},
};

static const struct example query[] = {
    {"{?who}", "?who=fred"},
    {"{?half}", "?half=50%25"},
    {"{?x,y}", "?x=1024&y=768"},
    {"{?x,y,empty}", "?x=1024&y=768&empty="},
    {"{?x,y,undef}", "?x=1024&y=768"},
    {"{?var:3}", "?var=val"},
    {"{?list}", "?list=red,green,blue"},
    {"{?list*}", "?list=red&list=green&list=blue"},
    {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"},
    {"{?keys*}", "?semi=%3B&dot=.&comma=%2C"},
    {"{?count}", "?count=one,two,three"},
    {"{?count*}", "?count=one&count=two&count=three"},
    {"{&who}", "&who=fred"},
    {"{&half}", "&half=50%25"},
    {"?fixed=yes{&x}", "?fixed=yes&x=1024"},
    {"{&x,y,empty}", "&x=1024&y=768&empty="},
    {"{&x,y,undef}", "&x=1024&y=768"},
    {"{&var:3}", "&var=val"},
    {"{&list}", "&list=red,green,blue"},
    {"{&list*}", "&list=red&list=green&list=blue"},
    {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"},
    {"{&keys*}", "&semi=%3B&dot=.&comma=%2C"},
};

static const struct {
    const char *name;
    const struct example *rows;
    size_t n;
} sections[] = {
    {"simple", simple, MCPH_ARRAY_SIZE(simple)},
    {"reserved", reserved, MCPH_ARRAY_SIZE(reserved)},
    {"fragment", fragment, MCPH_ARRAY_SIZE(fragment)},
    {"label", label, MCPH_ARRAY_SIZE(label)},
    {"segment", segment, MCPH_ARRAY_SIZE(segment)},
    {"parameter", parameter, MCPH_ARRAY_SIZE(parameter)},
    {"query", query, MCPH_ARRAY_SIZE(query)},
};

/* ---- expanding --------------------------------------------------------------------- */

static int
expand(const char *text, const char *json, char **ret_uri, mcphost_error **reterr)
{
    return mcphost_template_expand(text, strlen(text), json, json ? strlen(json) : 0,
                                   ret_uri, NULL, reterr);
}

static void
expands(const char *text, const char *json, const char *uri)
{
    char *made = NULL;
    mcphost_error *err = NULL;
    int r = expand(text, json, &made, &err);

    ck_assert_msg(r == 0, "%s: %s", text, err ? mcphost_error_get_message(err) : "");
    ck_assert_msg(strcmp(made, uri) == 0, "%s: %s, not %s", text, made, uri);
    mcphost_free(made);
}

/* Checks that the expansion fails with a message that contains `says`. */
static void
expansion_fails(const char *text, const char *json, const char *says)
{
    char *made = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(expand(text, json, &made, &err), MCPHOST_E_INVALID);
    ck_assert_ptr_null(made);
    test_has(mcphost_error_get_message(err), says);
    mcphost_error_unref(err);
}

START_TEST(every_example_of_the_rfc_expands_to_its_uri) /* R156 B.19 */
{
    for (size_t i = 0; i < sections[_i].n; i++)
        expands(sections[_i].rows[i].text, values, sections[_i].rows[i].uri);
}
END_TEST

START_TEST(values_of_all_scalar_types_are_expanded) /* R156 B.19 */
{
    expands("{a,b,c,d}", "{\"a\":1.50,\"b\":true,\"c\":false,\"d\":-3}",
            "1.50,true,false,-3");
    expands("{?a*}", "{\"a\":[1,null,true]}", "?a=1&a=true");
    expands("{?a*}", "{\"a\":{\"b\":null,\"c\":0}}", "?c=0");
    expands("{a}", "{\"\\u0061\":\"\\u00e9\\n\"}", "%C3%A9%0A");
    expands("{a%20b}", "{\"a%20b\":1,\"a b\":2}", "1");
    expands("{a.b_c}", "{\"a.b_c\":1}", "1");
}
END_TEST

START_TEST(a_variable_without_a_value_expands_to_nothing) /* R156 B.19 */
{
    expands("a{?b}{&c*}{/d}{;e}{#f}{.g}", NULL, "a");
    expands("a{?b,c,d,e}", "{\"b\":[],\"c\":{},\"d\":[null],\"e\":{\"x\":null}}", "a");
    expands("{?b}", "{\"b\":[\"\"]}", "?b=");
    expands("{;b}{;c*}", "{\"b\":[\"\"],\"c\":[\"\",\"x\"]}", ";b;c;c=x");
    expands("{;c*}{?c*}{c*}", "{\"c\":{\"k\":\"\"}}", ";k?k=k=");
    expands("", "{}", "");
}
END_TEST

START_TEST(a_prefix_counts_characters_and_splits_no_character) /* R156 B.19 */
{
    expands("{a:1}{+a:2}", "{\"a\":\"\\u20acuro\"}", "%E2%82%AC%E2%82%ACu");
    expands("{a:1}", "{\"a\":\"\\ud83d\\ude00x\"}", "%F0%9F%98%80");
    /* With the operator +, a percent-encoded character counts as one character.  Without
     * an operator, the percent sign and the digits count as characters. */
    expands("{+a:2}", "{\"a\":\"%C3%A9%20x\"}", "%C3%A9%20");
    expands("{a:2}", "{\"a\":\"%C3%A9%20x\"}", "%25C");
    expands("{+a:1}", "{\"a\":\"%A9%20\"}", "%A9");
    expands("{a:9999}", "{\"a\":\"abc\"}", "abc");
    expands("{a:2}", "{\"a\":12345}", "12");
}
END_TEST

START_TEST(escapes_are_kept_where_reserved_characters_are) /* R156 B.19 */
{
    expands("{+a}{#a}{a}", "{\"a\":\"%2f%zz%\"}", "%2f%25zz%25#%2f%25zz%25%252f%25zz%25");
    expands("{+a}", "{\"a\":\":/?#[]@!$&'()*+,;=-._~\"}", ":/?#[]@!$&'()*+,;=-._~");
    expands("{a}", "{\"a\":\":/'-._~\"}", "%3A%2F%27-._~");
    expands("{+a}", "{\"a\":\"<\\\"> \\\\^`{|}\"}", "%3C%22%3E%20%5C%5E%60%7B%7C%7D");
}
END_TEST

START_TEST(literals_are_escaped_if_a_uri_may_not_contain_them) /* R156 B.19 */
{
    expands("/caf\xc3\xa9/%41/{a}", "{\"a\":1}", "/caf%C3%A9/%41/1");
    expands("it's", NULL, "it's");
}
END_TEST

START_TEST(an_error_of_a_value_names_the_variable) /* R156 B.19 */
{
    expansion_fails("{a}{b}", "{\"b\":[[1]]}", "variable 'b' has a list or an object");
    expansion_fails("{b*}", "{\"b\":{\"c\":{}}}", "variable 'b' has");
    expansion_fails("{b:3}", "{\"b\":[1]}", "variable 'b' is a list or an object");
    expansion_fails("{a,b:3}", "{\"b\":{\"a\":1}}", "variable 'b' is a list");
    expansion_fails("{a}", "[1]", "values of a URI template: expected object");
    expansion_fails("{a}", "{\"a\":1", "line 1, column");
    expansion_fails("{a}", "{\"a\":1,\"\\u0061\":2}", "has two values");
}
END_TEST

START_TEST(if_all_values_are_required_an_error_names_the_missing_value) /* B.19 */
{
    static const struct {
        const char *json, *says;
    } rows[] = {
        {"{\"a\":1}", "variable 'b' has no value"},
        {"{\"a\":1,\"b\":null}", "variable 'b' has no value"},
        {"{\"a\":1,\"b\":[]}", "variable 'b' has no value"},
        {"{\"a\":\"\",\"b\":1}", "variable 'a' is empty"},
        {"{\"a\":0,\"b\":false}", NULL},
    };
    struct mcph_template *t;
    struct mcph_buf buf;
    mcphost_error *err;

    ck_assert_int_eq(mcph_template_parse(mcph_span_str("{a}{?b}"), &t, NULL), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        err = NULL;
        mcph_buf_init(&buf, 100);
        ck_assert_int_eq(
            mcph_template_expand(t, mcph_span_str(rows[i].json), true, &buf, &err),
            rows[i].says ? MCPHOST_E_INVALID : 0);
        if (rows[i].says)
            test_has(mcphost_error_get_message(err), rows[i].says);
        mcphost_error_unref(err);
        mcph_buf_done(&buf);
    }
    mcph_template_free(t);
}
END_TEST

/* ---- mistakes and limits ----------------------------------------------------------- */

START_TEST(an_invalid_template_is_refused_with_the_column) /* R156 B.19 */
{
    static const struct {
        const char *text;
        int column;
        const char *why;
    } rows[] = {
        {"{/id*", 6, "does not end"},
        {"a{", 3, "is missing here|does not end"},
        {"{}", 2, "is missing"},
        {"{+}", 3, "is missing"},
        {"/id*}", 5, "'}' without '{'"},
        {"{/?id}", 3, "is missing"},
        {"{var:prefix}", 6, "1 to 9999"},
        {"{hello:2*}", 9, "not allowed in a variable name"},
        {"{hello*:2}", 8, "not allowed in a variable name"},
        {"{??hello}", 3, "is missing"},
        {"{!hello}", 2, "unknown operator"},
        {"{=path}", 2, "unknown operator"},
        {"{|var}", 2, "unknown operator"},
        {"{@var}", 2, "unknown operator"},
        {"{,var}", 2, "unknown operator"},
        {"{$var}", 2, "is missing"},
        {"{*keys}", 2, "is missing"},
        {"{~thing}", 2, "is missing"},
        {"{default-graph-uri}", 9, "not allowed in a variable name"},
        {"{?x, y}", 5, "is missing"},
        {"{?empty=default,var}", 8, "not allowed in a variable name"},
        {"{a..b}", 3, "'.'"},
        {"{a.}", 3, "'.'"},
        {"{.a.}", 4, "'.'"},
        {"{a:0}", 4, "1 to 9999"},
        {"{a:}", 4, "1 to 9999"},
        {"{a:10000}", 8, "1 to 9999"},
        {"{a%2}", 3, "not allowed in a variable name"},
        {"{{a}}", 2, "is missing"},
        {"\xc3\xa9 b", 2, "not allowed in a URI"},
        {"a<b>", 2, "not allowed in a URI"},
        {"50%", 3, "two hexadecimal digits"},
        {"a\xff", 2, "invalid UTF-8"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        mcphost_error *err = NULL;
        const char *text = rows[i].text, *bar = strchr(rows[i].why, '|');
        int r = mcphost_template_check(text, strlen(text), NULL, NULL, &err);

        ck_assert_msg(r == MCPHOST_E_INVALID, "%s: %d", text, r);
        ck_assert_msg(mcphost_error_get_column(err) == rows[i].column, "%s: %s", text,
                      mcphost_error_get_message(err));
        test_has(mcphost_error_get_message(err), bar ? bar + 1 : rows[i].why);
        mcphost_error_unref(err);
    }
}
END_TEST

START_TEST(variables_are_listed_once_in_order_of_appearance) /* R156 B.19 */
{
    static const char text[] = "{b}/{a,b:2,c.d}{?a*,%20}";
    char *names = NULL;
    size_t len = 0;

    ck_assert_int_eq(mcphost_template_check(text, strlen(text), &names, &len, NULL), 0);
    ck_assert_str_eq(names, "[\"b\",\"a\",\"c.d\",\"%20\"]");
    ck_assert_uint_eq(len, strlen(names));
    mcphost_free(names);
    ck_assert_int_eq(mcphost_template_check("", 0, &names, NULL, NULL), 0);
    ck_assert_str_eq(names, "[]");
    mcphost_free(names);
}
END_TEST

static char *
repeat(const char *text, size_t n)
{
    size_t len = strlen(text);
    char *all = malloc(len * n + 1);

    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < n; i++)
        memcpy(all + i * len, text, len);
    all[len * n] = '\0';
    return all;
}

START_TEST(templates_and_uris_over_their_limits_are_refused) /* R156 B.19 */
{
    char *vars = repeat("{a}", 257), *one = repeat("a,", 257), *text = repeat("x", 65537);
    char *out = NULL, *json = malloc(70000);

    ck_assert_int_eq(mcphost_template_check(vars, 768, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_template_check(vars, 771, NULL, NULL, NULL),
                     MCPHOST_E_LIMIT);
    memmove(one + 1, one, 512);
    one[0] = '{';
    one[512] = '}';
    ck_assert_int_eq(mcphost_template_check(one, 513, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_template_check(text, 65536, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_template_check(text, 65537, NULL, NULL, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcphost_template_match("{a}", 3, text, 65536, &out, NULL, NULL), 0);
    mcphost_free(out);
    ck_assert_int_eq(mcphost_template_match("{a}", 3, text, 65537, &out, NULL, NULL),
                     MCPHOST_E_LIMIT);
    snprintf(json, 70000, "{\"a\":\"%s\"}", text);
    ck_assert_int_eq(expand("{a}", json, &out, NULL), MCPHOST_E_LIMIT);
    ck_assert_int_eq(expand("{a:9999}", json, &out, NULL), 0);
    ck_assert_uint_eq(strlen(out), 9999);
    mcphost_free(out);
    free(json);
    free(text);
    free(one);
    free(vars);
}
END_TEST

START_TEST(a_null_argument_is_refused) /* R156 B.19 */
{
    char *out = NULL;

    ck_assert_int_eq(mcphost_template_check(NULL, 0, &out, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_template_expand(NULL, 0, NULL, 0, &out, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_template_expand("", 0, NULL, 0, NULL, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_template_match(NULL, 0, "", 0, &out, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_template_match("", 0, NULL, 0, &out, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_template_match("", 0, "", 0, NULL, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(out);
}
END_TEST

/* ---- matching ---------------------------------------------------------------------- */

static int
match(const char *text, const char *uri, char **ret_json)
{
    return mcphost_template_match(text, strlen(text), uri, strlen(uri), ret_json, NULL,
                                  NULL);
}

/* Checks that `uri` matches the template and gives the values `json`.  If `json` is NULL,
 * `uri` must not match. */
static void
matches(const char *text, const char *uri, const char *json)
{
    char *made = NULL;
    int r = match(text, uri, &made);

    ck_assert_msg(r == (json ? 0 : MCPHOST_E_NOTFOUND), "%s, %s: %d", text, uri, r);
    if (json)
        ck_assert_msg(strcmp(made, json) == 0, "%s, %s: %s", text, uri, made);
    mcphost_free(made);
}

/* Checks that the values that `uri` gives expand to `uri` again. */
static void
comes_back(const char *text, const char *uri)
{
    char *json = NULL;
    int r = match(text, uri, &json);

    ck_assert_msg(r == 0, "%s, %s: %d", text, uri, r);
    expands(text, json, uri);
    mcphost_free(json);
}

START_TEST(values_matched_in_each_example_expand_to_the_same_uri) /* R156 B.19 */
{
    for (size_t i = 0; i < sections[_i].n; i++)
        comes_back(sections[_i].rows[i].text, sections[_i].rows[i].uri);
}
END_TEST

START_TEST(a_uri_gives_the_values_of_its_variables) /* R156 B.19 */
{
    matches("file:///{+path}", "file:///a/b%20c", "{\"path\":\"a/b c\"}");
    matches("demo://{kind}/{id}{?rev}", "demo://x/caf%C3%A9?rev=2",
            "{\"kind\":\"x\",\"id\":\"caf\xc3\xa9\",\"rev\":\"2\"}");
    matches("demo://{kind}/{id}{?rev}", "demo://x/7", "{\"kind\":\"x\",\"id\":\"7\"}");
    matches("a{?x,y}", "a?y=1", "{\"y\":\"1\"}");
    matches("a{?x,y}", "a?x=1&y=", "{\"x\":\"1\",\"y\":\"\"}");
    matches("a{;x,y}", "a;x;y=2", "{\"x\":\"\",\"y\":\"2\"}");
    matches("{x,y}", "1,2,3", "{\"x\":\"1\",\"y\":[\"2\",\"3\"]}");
    matches("{a}", "%00", "{\"a\":\"\\u0000\"}");
    matches("plain", "plain", "{}");
    matches("", "", "{}");
}
END_TEST

START_TEST(an_exploded_variable_is_a_list_or_a_map) /* R156 B.19 */
{
    matches("{/p*}", "/a", "{\"p\":[\"a\"]}");
    matches("{/p*}/z", "/a/b/z", "{\"p\":[\"a\",\"b\"]}");
    matches("{?q*}", "?q=1&q=2", "{\"q\":[\"1\",\"2\"]}");
    matches("{?q*}", "?q=1&r=2", "{\"q\":{\"q\":\"1\",\"r\":\"2\"}}");
    matches("{;q*}", ";a;b=%3B", "{\"q\":{\"a\":\"\",\"b\":\";\"}}");
    matches("{;q*}", ";q;q=%3B", "{\"q\":[\"\",\";\"]}");
    matches("{.q*}", ".a=..b=", "{\"q\":{\"a\":\"\",\".b\":\"\"}}");
    matches("{+q*}", "a,b=c", "{\"q\":[\"a\",\"b=c\"]}");
    matches("{p,q*}", "1,a=2,b=3", "{\"p\":\"1\",\"q\":{\"a\":\"2\",\"b\":\"3\"}}");
    matches("{?p*,q*}", "?p=1&p=2&r=3", "{\"p\":[\"1\",\"2\"],\"q\":{\"r\":\"3\"}}");
    matches("{/q*}", "/a/b=c", NULL);
    matches("{?q*}", "?a=1&a=2", NULL);
}
END_TEST

START_TEST(a_uri_that_is_no_expansion_does_not_match) /* R156 B.19 */
{
    matches("file:///{path}", "file:///a/b", NULL);
    matches("file:///{path}", "file://a", NULL);
    matches("a{x}b", "a1bc", NULL);
    matches("{?x}", "?y=1", NULL);
    matches("{?x}", "?x", NULL);
    matches("{?x,y}", "?y=1&x=2", NULL);
    matches("{;x}", ";x=", NULL);
    matches("{x:2}", "abc", NULL);
    matches("{x:2}", "a,b", NULL);
    matches("{x}", "a:b", NULL);
    matches("{x}", "%C3", NULL);
    matches("{x}", "%C3%28", NULL);
    matches("plain", "plaine", NULL);
    matches("", "x", NULL);
    ck_assert_int_eq(match("{x}", "\xff", &(char *){NULL}), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(if_several_values_match_the_leftmost_are_the_shortest) /* R156 B.19 */
{
    matches("{a}-{b}", "1-2-3", "{\"a\":\"1\",\"b\":\"2-3\"}");
    matches("{a}{b}", "12", "{\"b\":\"12\"}");
    matches("{/a}{/b}", "/x", "{\"a\":\"x\"}");
    matches("{/a*}{/b*}", "/1/2/3", "{\"a\":[\"1\"],\"b\":[\"2\",\"3\"]}");
    matches("{+a}/{+b}", "1/2/3", "{\"a\":\"1\",\"b\":\"2/3\"}");
    matches("{a:1}{b:1}", "xy", "{\"a\":\"x\",\"b\":\"y\"}");
    matches("{a:2}{b:1}", "xy", "{\"a\":\"x\",\"b\":\"y\"}");
    matches("{a:1}{b:2}z", "xyz", "{\"b\":\"xy\"}");
    matches("{a:1}{b}", "%C3%A9x", "{\"b\":\"\xc3\xa9x\"}");
    matches("{a:1}{b:1}", "%C3%A9x", "{\"a\":\"\xc3\xa9\",\"b\":\"x\"}");
}
END_TEST

START_TEST(a_variable_used_twice_must_have_the_same_value) /* R156 B.19 */
{
    matches("{a}/{a}", "x/x", "{\"a\":\"x\"}");
    matches("{a}/{a}", "x/y", NULL);
    matches("{a}/{a}", "x/", NULL);
    matches("{a:1}/{a}", "x/xyz", "{\"a\":\"xyz\"}");
    matches("{a}/{a:1}", "xyz/x", "{\"a\":\"xyz\"}");
    matches("{a:1}/{a}", "y/xyz", NULL);
    matches("{a:3}/{a:2}", "xyz/xy", "{\"a\":\"xyz\"}");
    matches("{k}{?k*}", "a,1?a=1", "{\"k\":{\"a\":\"1\"}}");
    matches("{k}{?k*}", "a,2?a=1", NULL);
    matches("{k:1}{?k*}", "a?a=1", NULL);
    matches("{a}{?a}", "?a=", "{\"a\":\"\"}");
}
END_TEST

START_TEST(equivalent_spellings_of_a_uri_match) /* R156 B.19 */
{
    matches("/caf\xc3\xa9/{a}", "/caf%c3%a9/%41", "{\"a\":\"A\"}");
    matches("/%7Ea/{a}", "/~a/%c3%A9", "{\"a\":\"\xc3\xa9\"}");
    matches("/caf%c3%a9/{a}", "/caf\xc3\xa9/a b", "{\"a\":\"a b\"}");
    matches("{a}", "caf\xc3\xa9", "{\"a\":\"caf\xc3\xa9\"}");
    matches("{a}/{a}", "%41/A", "{\"a\":\"A\"}");
    /* A reserved character is not equivalent to its escape. */
    matches("a:{a}", "a%3Ab", NULL);
    matches("{+a}", "%2F/%25%41%C3%C3%A9", "{\"a\":\"%2F/%25A%C3\xc3\xa9\"}");
    matches("{a}", "100%x", "{\"a\":\"100%x\"}");
}
END_TEST

START_TEST(matching_a_hostile_uri_takes_bounded_time) /* R156 B.19 */
{
    char *text = repeat("{a}{+b}{c*}", 20), *stars = repeat("{/a*}", 30);
    char *many = repeat("a", 60000), *slashes = repeat("/a", 15000), *out = NULL;
    char *zs = repeat("{z:9999}", 2);

    many[59999] = '"';
    /* For these two templates, the work is at most the product of the sizes of template
     * and URI.  This product is below the limit. */
    ck_assert_int_eq(match("{a}{b}{c}{d}{e}{f}{g}:", many, &out), MCPHOST_E_NOTFOUND);
    slashes[29999] = ':';
    ck_assert_int_eq(match("{/a*}{/b*}{/c*}", slashes, &out), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(match(text, many, &out), MCPHOST_E_LIMIT);
    ck_assert_int_eq(match(stars, slashes, &out), MCPHOST_E_LIMIT);
    ck_assert_int_eq(match(zs, many, &out), MCPHOST_E_LIMIT);
    ck_assert_ptr_null(out);
    free(zs);
    free(slashes);
    free(many);
    free(stars);
    free(text);
}
END_TEST

/* R68 */
START_TEST(texts_of_templates_are_utf8_and_end_with_a_nul)
{
    static const char text[] = "x{a}/caf\xc3\xa9{?b*}";
    static const char json[] =
        "{\"a\":\"\\u0000\\ud800\\u2028\",\"b\":{\"\\n\":\"\\u0000\"}}";
    char *uri = NULL;
    size_t n = sizeof(text) - 1;

    MAKE(mcphost_template_check, text, n, &text_, &len_, NULL);
    MAKE(mcphost_template_expand, text, n, json, sizeof(json) - 1, &text_, &len_, NULL);
    ck_assert_int_eq(expand(text, json, &uri, NULL), 0);
    MAKE(mcphost_template_match, text, n, uri, strlen(uri), &text_, &len_, NULL);
    mcphost_free(uri);
    texts_expect("template_");
}
END_TEST

/* ---- random templates -------------------------------------------------------------- */

static unsigned seed;

static unsigned
dice(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static void
put_word(char *to, size_t size)
{
    static const char *const bits[] = {"g", "h", "/", ",",        "%20", "%", ".",
                                       "=", ":", " ", "\xc3\xa9", "&",   "x", "~"};
    unsigned n = dice(5);

    *to = '\0';
    while (n--)
        snprintf(to + strlen(to), size - strlen(to), "%s",
                 bits[dice(MCPH_ARRAY_SIZE(bits))]);
}

/* Writes a random value of the variable `var`.  The member names of an object contain
 * `var`, so that no two variables share a name. */
static void
put_value(char *to, size_t size, int var)
{
    unsigned kind = dice(4), n = dice(3);
    char word[64];

    if (kind < 2) {
        put_word(word, sizeof(word));
        snprintf(to, size, "\"%s\"", word);
        return;
    }
    snprintf(to, size, "%s", kind == 2 ? "[" : "{");
    for (unsigned i = 0; i <= n; i++) {
        put_word(word, sizeof(word));
        snprintf(to + strlen(to), size - strlen(to), "%s", i ? "," : "");
        if (kind == 3)
            snprintf(to + strlen(to), size - strlen(to), "\"k%d.%u%s\":", var, i, word);
        snprintf(to + strlen(to), size - strlen(to), "\"%s\"", word);
    }
    snprintf(to + strlen(to), size - strlen(to), "%s", kind == 2 ? "]" : "}");
}

static void
put_template(char *to, size_t size)
{
    static const char *const ops[] = {"", "+", "#", ".", "/", ";", "?", "&"};
    static const char *const literals[] = {"",  "x",   "/",  "-",
                                           ",", "%C3", "=a", "\xc3\xa9"};
    int var = 0;
    unsigned n = 1 + dice(3), vars;

    *to = '\0';
    while (n--) {
        vars = 1 + dice(2);
        snprintf(to + strlen(to), size - strlen(to), "%s{%s",
                 literals[dice(MCPH_ARRAY_SIZE(literals))],
                 ops[dice(MCPH_ARRAY_SIZE(ops))]);
        while (vars--)
            snprintf(to + strlen(to), size - strlen(to), "v%d%s%s", var++,
                     dice(2) ? "*" : "", vars ? "," : "");
        snprintf(to + strlen(to), size - strlen(to), "}");
    }
}

START_TEST(an_expanded_uri_matches_and_expands_to_itself_again) /* R156 B.19 */
{
    char text[512], json[4096];

    seed = 1;
    for (int round = 0; round < 20000; round++) {
        char *uri = NULL, *found = NULL, *again = NULL;

        put_template(text, sizeof(text));
        snprintf(json, sizeof(json), "{");
        for (int v = 0; v < 6; v++) {
            snprintf(json + strlen(json), sizeof(json) - strlen(json),
                     "%s\"v%d\":", v ? "," : "", v);
            put_value(json + strlen(json), sizeof(json) - strlen(json), v);
        }
        snprintf(json + strlen(json), sizeof(json) - strlen(json), "}");
        ck_assert_int_eq(expand(text, json, &uri, NULL), 0);
        ck_assert_msg(match(text, uri, &found) == 0, "%s %s gave %s", text, json, uri);
        ck_assert_int_eq(expand(text, found, &again, NULL), 0);
        ck_assert_msg(strcmp(uri, again) == 0, "%s %s: %s, then %s gave %s", text, json,
                      uri, found, again);
        mcphost_free(uri);
        mcphost_free(found);
        mcphost_free(again);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "expand");

    tcase_add_loop_test(tc, every_example_of_the_rfc_expands_to_its_uri, 0,
                        (int)MCPH_ARRAY_SIZE(sections));
    tcase_add_test(tc, values_of_all_scalar_types_are_expanded);
    tcase_add_test(tc, a_variable_without_a_value_expands_to_nothing);
    tcase_add_test(tc, a_prefix_counts_characters_and_splits_no_character);
    tcase_add_test(tc, escapes_are_kept_where_reserved_characters_are);
    tcase_add_test(tc, literals_are_escaped_if_a_uri_may_not_contain_them);
    tcase_add_test(tc, an_error_of_a_value_names_the_variable);
    tcase_add_test(tc, if_all_values_are_required_an_error_names_the_missing_value);
    tc = test_case(suite, "mistakes");
    tcase_add_test(tc, an_invalid_template_is_refused_with_the_column);
    tcase_add_test(tc, variables_are_listed_once_in_order_of_appearance);
    tcase_add_test(tc, templates_and_uris_over_their_limits_are_refused);
    tcase_add_test(tc, a_null_argument_is_refused);
    tc = test_case(suite, "match");
    tcase_add_loop_test(tc, values_matched_in_each_example_expand_to_the_same_uri, 0,
                        (int)MCPH_ARRAY_SIZE(sections));
    tcase_add_test(tc, a_uri_gives_the_values_of_its_variables);
    tcase_add_test(tc, an_exploded_variable_is_a_list_or_a_map);
    tcase_add_test(tc, a_uri_that_is_no_expansion_does_not_match);
    tcase_add_test(tc, if_several_values_match_the_leftmost_are_the_shortest);
    tcase_add_test(tc, a_variable_used_twice_must_have_the_same_value);
    tcase_add_test(tc, equivalent_spellings_of_a_uri_match);
    tcase_add_test(tc, matching_a_hostile_uri_takes_bounded_time);
    tcase_add_test(tc, texts_of_templates_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, an_expanded_uri_matches_and_expands_to_itself_again);
    tcase_set_timeout(tc, 30);
}

int
main(void)
{
    return test_main("uri-template", add);
}
