/* SPDX-License-Identifier: MIT
 *
 * test_chatos_keys.c - plugin.json: each key with a value of each type, and the limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "unit/chatosrig.h"

/* ---- every key with every type ----------------------------------------------------- */

enum { NUL = 1, BOOLEAN = 2, NUMBER = 4, TEXT = 8, LIST = 16, MAP = 32 };

static const struct {
    int kind;
    const char *text;
} values[] = {{NUL, "null"},      {BOOLEAN, "true"}, {NUMBER, "17"},
              {TEXT, "\"text\""}, {LIST, "[\"x\"]"}, {MAP, "{\"unheard\":\"of\"}"}};

static const struct {
    const char *text, *key;
    int good; /* the kinds of values that the key accepts */
} places[] = {
    {"{\"id\":%s,\"name\":\"P\"}", "id", TEXT},
    {"{\"id\":\"p\",\"name\":%s}", "name", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"manifestVersion\":%s}", "manifestVersion", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"version\":%s}", "version", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"description\":%s}", "description", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"providerAppId\":%s}", "providerAppId", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"backend\":%s}", "backend", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"backend\":{\"entry\":%s}}", "backend.entry", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":%s}", "apps", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[%s]}", "apps[0]", 0},
    {"{\"id\":\"p\",\"name\":\"P\",\"unheard\":%s}", "", ~0},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":%s,\"name\":\"A\",\"entry\":\"e\"}]"
     "}",
     "apps[0].id", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":%s,\"entry\":\"e\"}]"
     "}",
     "apps[0].name", TEXT},
    {"{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":%s}]"
     "}",
     "apps[0].entry", TEXT},
    {APP_1 "\"description\":%s" APP_2, "apps[0].description", TEXT},
    {APP_1 "\"icon\":%s" APP_2, "apps[0].icon", TEXT},
    {APP_1 "\"unheard\":%s" APP_2, "", ~0},
    {APP_1 "\"ai\":%s" APP_2, "apps[0].ai", TEXT | MAP},
    {IN_AI("\"unheard\":%s"), "", ~0},
    {IN_AI("\"config\":%s"), "apps[0].ai.config", TEXT},
    {IN_AI("\"mcpServers\":%s"), "apps[0].ai.mcpServers", BOOLEAN | LIST},
    {IN_AI("\"mcpServers\":[%s]"), "apps[0].ai.mcpServers[0]", TEXT},
    {IN_AI("\"prompts\":%s"), "apps[0].ai.prompts", BOOLEAN | LIST},
    {IN_AI("\"prompts\":[%s]"), "apps[0].ai.prompts[0]", TEXT},
    {IN_AI("\"agent\":%s"), "apps[0].ai.agent", 0},
    {IN_AI("\"agent\":{\"name\":%s}"), "apps[0].ai.agent.name", TEXT},
    {IN_AI("\"agent\":{\"name\":\"n\",\"description\":%s}"),
     "apps[0].ai.agent.description", TEXT},
    {IN_AI("\"agent\":{\"name\":\"n\",\"modelId\":%s}"), "apps[0].ai.agent.modelId",
     TEXT},
    {IN_AI("\"mcpPrompt\":%s"), "apps[0].ai.mcpPrompt", TEXT},
    {IN_AI("\"mcpPrompt\":{\"zh\":\"z\",\"title\":%s}"), "apps[0].ai.mcpPrompt.title",
     TEXT},
    {IN_AI("\"mcpPrompt\":{\"zh\":%s}"), "apps[0].ai.mcpPrompt.zh", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":%s}"), "apps[0].ai.mcpPrompt.en", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":{\"path\":%s}}"), "apps[0].ai.mcpPrompt.en.path", TEXT},
    {IN_AI("\"mcpPrompt\":{\"en\":{\"content\":%s}}"), "apps[0].ai.mcpPrompt.en.content",
     TEXT},
    {IN_AI("\"mcp\":%s"), "apps[0].ai.mcp", 0},
    {IN_AI("\"mcp\":{\"url\":%s}"), "apps[0].ai.mcp.url", TEXT},
    {IN_AI("\"mcp\":{\"entry\":%s}"), "apps[0].ai.mcp.entry", TEXT},
    {IN_AI("\"mcp\":{\"url\":\"u\",\"entry\":%s}"), "apps[0].ai.mcp.entry", TEXT},
    {IN_MCP("\"unheard\":%s"), "", ~0},
    {IN_MCP("\"command\":%s"), "apps[0].ai.mcp.command", TEXT},
    {IN_MCP("\"args\":%s"), "apps[0].ai.mcp.args", LIST},
    {IN_MCP("\"args\":[%s]"), "apps[0].ai.mcp.args[0]", TEXT},
    {IN_MCP("\"tags\":%s"), "apps[0].ai.mcp.tags", LIST},
    {IN_MCP("\"tags\":[%s]"), "apps[0].ai.mcp.tags[0]", TEXT},
    {IN_MCP("\"description\":%s"), "apps[0].ai.mcp.description", TEXT},
    {IN_MCP("\"enabled\":%s"), "apps[0].ai.mcp.enabled", BOOLEAN},
    {IN_MCP("\"allowMain\":%s"), "apps[0].ai.mcp.allowMain", BOOLEAN},
    {IN_MCP("\"allowSub\":%s"), "apps[0].ai.mcp.allowSub", BOOLEAN},
    {IN_MCP("\"callMeta\":%s"), "apps[0].ai.mcp.callMeta", MAP},
    {IN_MCP("\"callMeta\":{\"x\":%s}"), "", ~0},
    {IN_MCP("\"auth\":%s"), "apps[0].ai.mcp.auth", MAP},
    {IN_MCP("\"auth\":{\"token\":%s}"), "apps[0].ai.mcp.auth.token", TEXT},
    {IN_MCP("\"auth\":{\"basic\":%s}"), "apps[0].ai.mcp.auth.basic", MAP},
    {IN_MCP("\"auth\":{\"basic\":{\"username\":%s}}"),
     "apps[0].ai.mcp.auth.basic.username", TEXT},
    {IN_MCP("\"auth\":{\"basic\":{\"password\":%s}}"),
     "apps[0].ai.mcp.auth.basic.password", TEXT},
    {IN_MCP("\"auth\":{\"headers\":%s}"), "apps[0].ai.mcp.auth.headers", MAP},
    {IN_MCP("\"auth\":{\"headers\":{\"X\":%s}}"), "apps[0].ai.mcp.auth.headers.X", TEXT},
};

START_TEST(each_key_accepts_only_its_types) /* R122, R123, B.20 */
{
    const char *key = places[_i].key;
    bool of_app = strncmp(key, "apps[0]", 7) == 0;
    char text[1024];

    for (size_t v = 0; v < MCPH_ARRAY_SIZE(values); v++) {
        snprintf(text, sizeof(text), places[_i].text, values[v].text);
        chatosrig_parse(text);
        if (places[_i].good & values[v].kind) {
            ck_assert_msg(chatosrig_plugin->report->diags.n == 0, "%s: %s", text,
                          chatosrig_diags());
            ck_assert_int_eq(chatosrig_plugin->report->status, 0);
            continue;
        }
        ck_assert_msg(chatosrig_plugin->report->diags.n > 0, "%s", text);
        for (size_t i = 0; i < chatosrig_plugin->report->diags.n; i++) {
            const struct mcph_diag *diag = chatosrig_plugin->report->diags.items[i];

            ck_assert_msg(strncmp(diag->key, key, strlen(key)) == 0, "%s: %s", text,
                          chatosrig_diags());
        }
        ck_assert_uint_eq(chatosrig_plugin->apps.n, 0);
        /* The status for the key `apps` may be 0, because `apps` accepts a list with a
         * wrong item. */
        ck_assert(chatosrig_plugin->report->status == (of_app ? 0 : MCPHOST_E_CONFIG) ||
                  strcmp(key, "apps") == 0);
    }
}
END_TEST

START_TEST(misspelled_keys_are_warned_of) /* B.20 */
{
    ck_assert_ptr_nonnull(
        chatosrig_parse_app("\"ai\":{\"mcpServer\":true,\"theme\":1,"
                            "\"mcp\":{\"entry\":\"e\",\"allowmain\":true}}"));
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 2);
    test_has(chatosrig_diags(),
             "warning apps[0].ai.mcpServer: unknown key, ignored; did you mean "
             "'mcpServers'?");
    test_has(chatosrig_diags(),
             "warning apps[0].ai.mcp.allowmain: unknown key, ignored; did you "
             "mean 'allowMain'?");
    test_has_not(chatosrig_diags(), "theme");
}
END_TEST

START_TEST(no_diagnostic_shows_a_value) /* R18, K13 */
{
    ck_assert_ptr_null(chatosrig_parse_app(
        "\"ai\":{\"mcp\":{\"url\":[\"s3cret\"],\"entry\":\"../"
        "s3cret\",\"args\":\"s3cret\","
        "\"callMeta\":\"s3cret\",\"auth\":{\"token\":[\"s3cret\"],\"basic\":\"s3cret\","
        "\"headers\":{\"X\":{\"a\":\"s3cret\"}}}},\"config\":\"/s3cret\"}"));
    ck_assert_uint_gt(chatosrig_plugin->report->diags.n, 5);
    test_has_not(chatosrig_diags(), "s3cret");
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

/* Returns a manifest of `len` bytes, filled up with blanks.  Release the manifest with
 * free(). */
static char *
of_size(size_t len)
{
    static const char text[] = "{\"id\":\"p\",\"name\":\"n\"}";
    char *data = malloc(len + 1);

    memset(data, ' ', len);
    memcpy(data, text, sizeof(text) - 1);
    return data;
}

START_TEST(a_manifest_of_more_than_256_kib_is_rejected) /* B.20 */
{
    static const size_t sizes[] = {MCPH_CHATOS_MANIFEST_MAX + 1, (size_t)10 << 20};
    char *text = of_size(sizes[1]);

    chatosrig_parse_bytes(text, MCPH_CHATOS_MANIFEST_MAX);
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    for (size_t i = 0; i < 2; i++) {
        chatosrig_parse_bytes(text, sizes[i]);
        ck_assert_int_eq(chatosrig_plugin->report->status, MCPHOST_E_LIMIT);
        test_has(chatosrig_diags(), "is larger than 262144 bytes");
    }
    free(text);
}
END_TEST

START_TEST(deep_nesting_is_refused) /* B.20 */
{
    char deep[2 * MCPH_DOC_DEPTH_MAX + 1], text[1024];
    /* At most MCPH_DOC_DEPTH_MAX - 1 containers may nest.  Six containers enclose
     * `deep`. */
    size_t most = MCPH_DOC_DEPTH_MAX - 7;

    for (int over = 0; over < 2; over++) {
        size_t n = most + (size_t)over;

        memset(deep, '[', n);
        memset(deep + n, ']', n);
        deep[2 * n] = '\0';
        snprintf(text, sizeof(text), IN_MCP("\"callMeta\":{\"x\":%s}"), deep);
        chatosrig_parse(text);
        ck_assert_int_eq(chatosrig_plugin->report->status, over ? MCPHOST_E_CONFIG : 0);
    }
    test_has(chatosrig_diags(), "nesting");
    memset(text, '[', sizeof(text));
    chatosrig_parse_bytes(text, sizeof(text));
    ck_assert_int_eq(chatosrig_plugin->report->status, MCPHOST_E_CONFIG);
}
END_TEST

START_TEST(a_prompt_over_131072_bytes_in_the_manifest_is_refused) /* B.20 */
{
    size_t n = MCPH_CHATOS_PROMPT_MAX;
    char *content = malloc(n + 2), *text = malloc(2 * n);

    for (int over = 0; over < 2; over++) {
        memset(content, 'x', n + 1);
        content[n + (size_t)over] = '\0';
        snprintf(text, 2 * n, IN_AI("\"mcpPrompt\":{\"en\":{\"content\":\"%s\"}}"),
                 content);
        chatosrig_parse(text);
        ck_assert_uint_eq(chatosrig_plugin->apps.n, over ? 0 : 1);
    }
    test_has(chatosrig_diags(), "ai.mcpPrompt.en.content: is larger than 131072 bytes");
    free(content);
    free(text);
}
END_TEST

/* Parses a manifest with as many copies of `item` as a manifest of the largest size
 * holds. */
static void
parse_many(const char *before, const char *item, const char *after)
{
    char *text = malloc(MCPH_CHATOS_MANIFEST_MAX);
    size_t len = strlen(before), n = strlen(item), rest = strlen(after);

    memcpy(text, before, len);
    while (len + n + 1 + rest <= MCPH_CHATOS_MANIFEST_MAX) {
        memcpy(text + len, item, n);
        len += n;
        text[len++] = ',';
    }
    memcpy(text + len - 1, after, rest);
    chatosrig_parse_bytes(text, len - 1 + rest);
    free(text);
}

START_TEST(errors_beyond_1000_in_a_manifest_are_not_reported) /* B.20 */
{
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[", "1", "]}");
    ck_assert_int_eq(chatosrig_plugin->report->status, 0);
    ck_assert_uint_le(chatosrig_plugin->report->diags.n, MCPH_CHATOS_ERRORS_MAX + 1);
    test_has(((struct mcph_diag *)
                  chatosrig_plugin->report->diags.items[MCPH_CHATOS_ERRORS_MAX])
                 ->message,
             "more than 1000 errors");
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[", "{\"id\":\"a\"}", "]}");
    ck_assert_uint_le(chatosrig_plugin->report->diags.n, MCPH_CHATOS_ERRORS_MAX + 2);
    /* The list `prompts` gives at most one error. */
    parse_many(APP_1 "\"ai\":{\"prompts\":[", "1", "]}}]}");
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
    parse_many(APP_1 "\"ai\":{\"prompts\":[", "\"x\"", "]}}]}");
    ck_assert_uint_eq(chatosrig_plugin->report->diags.n, 1);
    /* If several apps have the same id, the library reads only the first app. */
    parse_many("{\"id\":\"p\",\"name\":\"n\",\"apps\":[",
               "{\"id\":\"a\",\"name\":\"n\",\"entry\":\"e\",\"ai\":\"..\"}", "]}");
    ck_assert_uint_eq(chatosrig_plugin->apps.n, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "keys");

    tcase_add_checked_fixture(tc, NULL, chatosrig_down);
    tcase_add_loop_test(tc, each_key_accepts_only_its_types, 0, MCPH_ARRAY_SIZE(places));
    tcase_add_test(tc, misspelled_keys_are_warned_of);
    tcase_add_test(tc, no_diagnostic_shows_a_value);

    tc = test_case(suite, "limits");
    tcase_add_checked_fixture(tc, NULL, chatosrig_down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_manifest_of_more_than_256_kib_is_rejected);
    tcase_add_test(tc, deep_nesting_is_refused);
    tcase_add_test(tc, a_prompt_over_131072_bytes_in_the_manifest_is_refused);
    tcase_add_test(tc, errors_beyond_1000_in_a_manifest_are_not_reported);
}

int
main(void)
{
    return test_main("chatos-keys", add);
}
