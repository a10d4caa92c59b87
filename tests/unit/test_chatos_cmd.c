/* SPDX-License-Identifier: MIT
 *
 * test_chatos_cmd.c - writing and parsing cmd:// URLs.
 *
 * Two parsers read the written URLs: the library's parser, and a parser in this file that
 * follows the description of ChatOS's own parser (B.22).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "support/runner.h"

/* ---- a second parser --------------------------------------------------------------- */

static bool
is_blank_at(const char *p, size_t *ret_len)
{
    static const char *const blanks[] = {
        " ",
        "\t",
        "\n",
        "\v",
        "\f",
        "\r",
        "\xc2\xa0",
        "\xe1\x9a\x80",
        "\xe2\x80\x80",
        "\xe2\x80\x81",
        "\xe2\x80\x82",
        "\xe2\x80\x83",
        "\xe2\x80\x84",
        "\xe2\x80\x85",
        "\xe2\x80\x86",
        "\xe2\x80\x87",
        "\xe2\x80\x88",
        "\xe2\x80\x89",
        "\xe2\x80\x8a",
        "\xe2\x80\xa8",
        "\xe2\x80\xa9",
        "\xe2\x80\xaf",
        "\xe2\x81\x9f",
        "\xe3\x80\x80",
        "\xef\xbb\xbf",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(blanks); i++) {
        *ret_len = strlen(blanks[i]);
        if (strncmp(p, blanks[i], *ret_len) == 0)
            return true;
    }
    return false;
}

/* Splits a command line into tokens.  Returns false if a quote is not closed. */
static bool
split_again(const char *p, struct mcph_strings *argv)
{
    char token[8192], quote = 0;
    size_t n = 0, blank = 1;

    for (;; p++) {
        bool ends = !*p || (!quote && is_blank_at(p, &blank));

        ck_assert_uint_lt(n, sizeof(token) - 1);
        if (ends && n > 0) {
            token[n] = '\0';
            ck_assert_int_eq(mcph_strings_add(argv, token), 0);
            n = 0;
        }
        if (!*p)
            return quote == 0;
        if (ends)
            p += blank - 1;
        else if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            token[n++] = *++p;
        else
            token[n++] = *p;
    }
}

static void
same_lists(const struct mcph_strings *a, const struct mcph_strings *b, const char *url)
{
    ck_assert_msg(a->n == b->n, "%zu and %zu tokens of %s", a->n, b->n, url);
    for (size_t i = 0; i < a->n; i++)
        ck_assert_msg(strcmp(a->items[i], b->items[i]) == 0, "'%s' and '%s' of %s",
                      a->items[i], b->items[i], url);
}

/* ---- writing ----------------------------------------------------------------------- */

#define TOKENS_MAX 6

/* Returns the URL of the tokens: the command, the entry and the arguments.  NULL ends the
 * tokens if there are fewer than TOKENS_MAX.  Release the URL with free(). */
static char *
format(const char *const tokens[TOKENS_MAX])
{
    struct mcph_strings args = {0};
    char *url = NULL;

    for (size_t i = 2; i < TOKENS_MAX && tokens[i]; i++)
        mcph_strings_add(&args, tokens[i]);
    ck_assert_int_eq(mcph_chatos_cmd_format(tokens[0], tokens[1], &args, &url), 0);
    mcph_strings_done(&args);
    return url;
}

static const struct {
    const char *tokens[TOKENS_MAX], *url;
} written[] = {
    {{"node", "/p/server.mjs"}, "cmd://node /p/server.mjs"},
    {{"node"}, "cmd://node"},
    {{"node", "/p/server.mjs", "--x", "1"}, "cmd://node /p/server.mjs --x 1"},
    {{"node", "/p a/server.mjs"}, "cmd://node \"/p a/server.mjs\""},
    {{"node", "/p", "it's"}, "cmd://node /p \"it's\""},
    {{"node", "/p", "say \"hi\""}, "cmd://node /p \"say \\\"hi\\\"\""},
    {{"node", "/p", "C:\\x"}, "cmd://node /p \"C:\\\\x\""},
    {{"node", "/p", "a\tb", "c\nd"}, "cmd://node /p \"a\tb\" \"c\nd\""},
    {{"node", "/p", "a\xc2\xa0z"}, "cmd://node /p \"a\xc2\xa0z\""},
    {{"node", "/p", "$(x)", "`x`", "*;|&"}, "cmd://node /p $(x) `x` *;|&"},
    /* a URL cannot hold empty tokens */
    {{"node", "/p", "", "z"}, "cmd://node /p z"},
    {{"", "/p", "", ""}, "cmd:///p"},
};

START_TEST(tokens_are_quoted_only_if_a_parser_would_change_them) /* R131, B.22 */
{
    char *url = format(written[_i].tokens);

    ck_assert_str_eq(url, written[_i].url);
    free(url);
}
END_TEST

START_TEST(a_url_without_a_token_is_refused) /* B.22 */
{
    struct mcph_strings args = {0};
    char *url = NULL;

    ck_assert_int_eq(mcph_chatos_cmd_format("", "", &args, &url), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_chatos_cmd_format("", NULL, &args, &url), MCPHOST_E_INVALID);
    mcph_strings_add(&args, "");
    ck_assert_int_eq(mcph_chatos_cmd_format("", "", &args, &url), MCPHOST_E_INVALID);
    ck_assert_ptr_null(url);
    mcph_strings_done(&args);
}
END_TEST

START_TEST(too_long_urls_are_neither_written_nor_parsed) /* R131 */
{
    struct mcph_strings args = {0};
    struct mcph_chatos_fault fault = {0};
    size_t len = MCPH_CHATOS_CMD_MAX;
    char *url = NULL, *arg = malloc(len + 1);

    memset(arg, 'x', len);
    memcpy(arg, "cmd://", 6);
    ck_assert_int_eq(mcph_chatos_cmd_parse(arg, len, &args, &fault), 0);
    ck_assert_uint_eq(strlen(args.items[0]), len - 6);
    mcph_strings_done(&args);
    arg[len] = 'x';
    ck_assert_int_eq(mcph_chatos_cmd_parse(arg, len + 1, &args, &fault), MCPHOST_E_LIMIT);
    ck_assert_str_eq(fault.why, "is too long");
    ck_assert_uint_eq(fault.at, len);
    arg[len] = '\0';
    ck_assert_int_eq(mcph_chatos_cmd_format(arg, NULL, &args, &url), MCPHOST_E_LIMIT);
    ck_assert_ptr_null(url);
    free(arg);
}
END_TEST

/* ---- parsing ----------------------------------------------------------------------- */

/* Pairs of a URL and its tokens.  '|' separates the tokens. */
static const struct {
    const char *url, *tokens;
} read_[] = {
    {"cmd://node /p/server.mjs", "node|/p/server.mjs"},
    {"CMD://node", "node"},
    {"Cmd://node", "node"},
    {" \t\ncmd:// node  /p \r\n", "node|/p"},
    {"\xef\xbb\xbf\xc2\xa0"
     "cmd://node\xe2\x80\x83x\xe3\x80\x80",
     "node|x"},
    {"cmd:///usr/bin/env node", "/usr/bin/env|node"},
    {"cmd://node ./relative.mjs", "node|./relative.mjs"},
    {"cmd://node 'single \"quoted\" \\x'", "node|single \"quoted\" \\x"},
    {"cmd://node \"double 'quoted' \\\" \\\\ \\x\"", "node|double 'quoted' \" \\ x"},
    {"cmd://node a\\ b \\\"c \\\\d \\'e", "node|a b|\"c|\\d|'e"},
    {"cmd://node a\"b c\"d'e f'g", "node|ab cde fg"},
    {"cmd://node a\\", "node|a\\"},
    {"cmd://node \\n \"\\n\"", "node|n|n"},
    {"cmd://node \"a\nb\"", "node|a\nb"},
    /* a parser drops empty quoted tokens */
    {"cmd://node '' \"\" x ''", "node|x"},
    {"cmd://'' node", "node"},
    /* characters that share their first bytes with white space beyond ASCII */
    {"cmd://node \xe2\x80\x8b \xe2\x80\x8b", "node|\xe2\x80\x8b|\xe2\x80\x8b"},
    {"cmd://node \xc2\xa1 \xe2\x81\xa0 \xe2", "node|\xc2\xa1|\xe2\x81\xa0|\xe2"},
};

static char *
join(const struct mcph_strings *argv)
{
    struct mcph_buf buf;
    char *text = NULL;

    mcph_buf_init(&buf, 100000);
    for (size_t i = 0; i < argv->n; i++) {
        mcph_buf_adds(&buf, i > 0 ? "|" : "");
        mcph_buf_adds(&buf, argv->items[i]);
    }
    ck_assert_int_eq(mcph_buf_give(&buf, &text, NULL), 0);
    return text;
}

START_TEST(a_url_is_split_as_chatos_splits_it) /* R131, B.22 */
{
    struct mcph_strings argv = {0};
    struct mcph_chatos_fault fault = {7, "untouched"};
    const char *url = read_[_i].url;
    char *tokens;

    ck_assert(mcph_chatos_is_cmd(url, strlen(url)));
    ck_assert_int_eq(mcph_chatos_cmd_parse(url, strlen(url), &argv, &fault), 0);
    tokens = join(&argv);
    ck_assert_str_eq(tokens, read_[_i].tokens);
    ck_assert_ptr_null(argv.items[argv.n]);
    ck_assert_uint_eq(fault.at, 7);
    free(tokens);
    mcph_strings_done(&argv);
}
END_TEST

static const struct {
    const char *url;
    size_t len, at;
    const char *why;
} refused[] = {
    {"", 0, 0, "does not begin with cmd://"},
    {"cmd:/", 5, 0, "does not begin with cmd://"},
    {" http://x", 9, 1, "does not begin with cmd://"},
    {"node server.mjs", 15, 0, "does not begin with cmd://"},
    {"cmd://", 6, 6, "names no program"},
    {" cmd:// \t ", 10, 7, "names no program"},
    {"cmd://''", 8, 8, "names no program"},
    {"cmd://node 'a", 13, 11, "has a quote that is not closed"},
    {" cmd://node \"a b' c", 19, 12, "has a quote that is not closed"},
    {"cmd://node 'a' b\"c\\\"", 20, 16, "has a quote that is not closed"},
    {"cmd://node \"a\\", 14, 11, "has a quote that is not closed"},
    {"cmd://\"", 7, 6, "has a quote that is not closed"},
    {"cmd://no\0de", 11, 8, "has a NUL character"},
    {"cmd://'no\0de", 12, 9, "has a NUL character"},
    {"\0", 1, 0, "has a NUL character"},
};

START_TEST(a_refused_url_gives_the_reason_and_the_position) /* R131, B.22 */
{
    struct mcph_strings argv = {0};
    struct mcph_chatos_fault fault = {0};

    for (int with = 0; with < 2; with++) {
        ck_assert_int_eq(mcph_chatos_cmd_parse(refused[_i].url, refused[_i].len, &argv,
                                               with ? &fault : NULL),
                         MCPHOST_E_INVALID);
        ck_assert_uint_eq(argv.n, 0);
        ck_assert_ptr_null(argv.items);
    }
    ck_assert_str_eq(fault.why, refused[_i].why);
    ck_assert_uint_eq(fault.at, refused[_i].at);
}
END_TEST

/* ---- writing and parsing ----------------------------------------------------------- */

/* Writes `list` as a URL, parses the URL with both parsers, and compares the tokens. */
static void
round_trip(const struct mcph_strings *list)
{
    struct mcph_strings args = {.items = list->items + 1, .n = list->n - 1};
    struct mcph_strings ours = {0}, theirs = {0};
    struct mcph_chatos_fault fault = {0};
    char *url = NULL;

    ck_assert_int_eq(mcph_chatos_cmd_format(list->items[0], NULL, &args, &url), 0);
    ck_assert_msg(mcph_chatos_cmd_parse(url, strlen(url), &ours, &fault) == 0, "%s: %s",
                  url, fault.why);
    same_lists(list, &ours, url);
    ck_assert(split_again(url + 6, &theirs));
    same_lists(list, &theirs, url);
    mcph_strings_done(&ours);
    mcph_strings_done(&theirs);
    free(url);
}

static const char *const hostile[] = {
    "'",
    "\"",
    "''",
    "\"\"",
    "'\"'",
    "\\",
    "\\\\",
    "\\'",
    "\\\"",
    "a\\",
    "\\n",
    "it's",
    "$(touch /tmp/x)",
    "`touch /tmp/x`",
    "${IFS}",
    "$HOME",
    "; rm -rf /",
    "&& x",
    "| x",
    "> /etc/passwd",
    "< x",
    "a\nb",
    "\n",
    "\r\n",
    "\t",
    " ",
    "  x  ",
    "*",
    "?",
    "[a-z]",
    "~",
    "~root",
    "!x",
    "#x",
    "{a,b}",
    "%PATH%",
    "^",
    "--root",
    "-",
    "--",
    "=",
    "cmd://node",
    "'; x; '",
    "\"; x; \"",
    "\" 'x' \"",
    "\x01\x02\x1b[31m",
    "\x7f",
    "\xc2\xa0",
    "\xe2\x80\xa8x\xe2\x80\xa9",
    "\xef\xbb\xbfx",
    "\xe3\x80\x80",
    "\xe4\xbd\xa0\xe5\xa5\xbd",
    "\xf0\x9f\x98\x80 \xf0\x9f\x98\x80",
    "e\xcc\x81",
    "\xe2\x80\xae"
    "gnp",
    "\xff\xfe",
    "\xe2\x80",
    "\xc2",
    "a|b",
    "a\"b'c\\d e",
};

START_TEST(hostile_arguments_come_back_byte_for_byte) /* R131, B.22 */
{
    struct mcph_strings list = {0};

    mcph_strings_add(&list, "node");
    mcph_strings_add(&list, hostile[_i]);
    round_trip(&list);
    mcph_strings_add(&list, "after");
    mcph_strings_add(&list, hostile[_i]);
    round_trip(&list);
    mcph_strings_done(&list);
    /* Use the hostile text as the program. */
    mcph_strings_add(&list, hostile[_i]);
    round_trip(&list);
    mcph_strings_done(&list);
}
END_TEST

static uint64_t state = 0x9e3779b97f4a7c15u;

static unsigned
random_below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static const char *const pieces[] = {
    "'",
    "\"",
    "\\",
    " ",
    "\t",
    "\n",
    "\r",
    "\v",
    "\f",
    "$",
    "`",
    "(",
    ")",
    "*",
    "?",
    ";",
    "|",
    "&",
    "<",
    ">",
    "~",
    "#",
    "!",
    "\xc2\xa0",
    "\xe2\x80\xa8",
    "\xe3\x80\x80",
    "\xef\xbb\xbf",
    "\xe2\x80",
    "\x80",
    "\xff",
    "\xf0\x9f\x98\x80",
    "\xe4\xbd\xa0",
    "a",
    "node",
    "--root=",
    "/",
    ".",
    "\x01",
    "n",
    "u0041",
};

/* Adds a token of 1 to `max` random pieces. */
static void
add_random(struct mcph_strings *list, unsigned max)
{
    char token[1024] = "";
    unsigned n = 1 + random_below(max);

    for (unsigned i = 0; i < n; i++)
        strncat(token, pieces[random_below(MCPH_ARRAY_SIZE(pieces))],
                sizeof(token) - strlen(token) - 1);
    mcph_strings_add(list, token);
}

START_TEST(ten_thousand_argument_lists_come_back_byte_for_byte) /* R131, B.22 */
{
    for (int i = 0; i < 10000; i++) {
        struct mcph_strings list = {0};
        unsigned n = 1 + random_below(6);

        for (unsigned k = 0; k < n; k++)
            add_random(&list, k % 2 ? 3 : 12);
        round_trip(&list);
        mcph_strings_done(&list);
    }
}
END_TEST

/* Both parsers accept the same URLs and give the same tokens.  When the tokens of an
 * accepted URL are written and parsed again, they do not change. */
START_TEST(ten_thousand_texts_are_parsed_alike_by_both_parsers) /* R131, B.22 */
{
    int n_read = 0;

    for (int i = 0; i < 10000; i++) {
        struct mcph_strings text = {0}, ours = {0}, theirs = {0};
        char url[2048];
        bool good;
        int r;

        add_random(&text, 30);
        /* The `z` keeps the URL from ending in white space, because split_again() does
         * not trim the URL as ChatOS does. */
        snprintf(url, sizeof(url), "cmd://%sz", text.items[0]);
        r = mcph_chatos_cmd_parse(url, strlen(url), &ours, NULL);
        good = split_again(url + 6, &theirs);
        ck_assert_int_eq(r, good && theirs.n > 0 ? 0 : MCPHOST_E_INVALID);
        if (r == 0) {
            same_lists(&theirs, &ours, url);
            round_trip(&ours);
            n_read++;
        }
        mcph_strings_done(&text);
        mcph_strings_done(&ours);
        mcph_strings_done(&theirs);
    }
    ck_assert_int_gt(n_read, 1000);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "cmd");

    tcase_add_loop_test(tc, tokens_are_quoted_only_if_a_parser_would_change_them, 0,
                        MCPH_ARRAY_SIZE(written));
    tcase_add_test(tc, a_url_without_a_token_is_refused);
    tcase_add_test(tc, too_long_urls_are_neither_written_nor_parsed);
    tcase_add_loop_test(tc, a_url_is_split_as_chatos_splits_it, 0,
                        MCPH_ARRAY_SIZE(read_));
    tcase_add_loop_test(tc, a_refused_url_gives_the_reason_and_the_position, 0,
                        MCPH_ARRAY_SIZE(refused));

    tc = test_case(suite, "both ways");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, hostile_arguments_come_back_byte_for_byte, 0,
                        MCPH_ARRAY_SIZE(hostile));
    tcase_add_test(tc, ten_thousand_argument_lists_come_back_byte_for_byte);
    tcase_add_test(tc, ten_thousand_texts_are_parsed_alike_by_both_parsers);
}

int
main(void)
{
    return test_main("chatos-cmd", add);
}
