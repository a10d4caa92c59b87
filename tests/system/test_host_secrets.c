/* SPDX-License-Identifier: MIT
 *
 * test_host_secrets.c - servers that repeat their secrets in every spelling.
 *
 * Nothing that the host reports or logs contains a secret.  The model gets the server's
 * texts unchanged.  Secrets and their spellings are random.  The seed is
 * computed from the number of the loop test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "json/json.h"
#include "support/httprig.h"

#define ROUNDS 24

static struct hostrig hr;
static struct httprig web;
static char told[1 << 20]; /* all texts that the host gave out */
static size_t told_len;
static unsigned seed;

static unsigned
chance(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

/* ---- collecting all texts that the host gives out ---------------------------------- */

static void
hear_bytes(const char *text, size_t len)
{
    if (!text || told_len + len + 2 > sizeof(told))
        return;
    memcpy(told + told_len, text, len);
    told_len += len;
    told[told_len++] = '\n';
    told[told_len] = '\0';
}

static void
hear(const char *text)
{
    hear_bytes(text, text ? strlen(text) : 0);
}

static void
hear_error(const mcphost_error *error)
{
    const char *data;
    size_t len;

    if (!error)
        return;
    hear(mcphost_error_get_message(error));
    hear(mcphost_error_get_stderr_tail(error));
    hear(mcphost_error_get_retry_after(error));
    data = mcphost_error_get_rpc_data(error, &len);
    hear_bytes(data, len);
}

static void
hear_problem(const mcphost_problem *problem)
{
    hear(mcphost_problem_get_id(problem));
    hear(mcphost_problem_get_message(problem));
    hear(mcphost_problem_get_detail(problem, NULL));
}

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    size_t len;
    const char *data = mcphost_event_get_data(event, &len);

    (void)rig;
    hear(mcphost_event_get_text(event));
    hear_bytes(data, len);
    hear_error(mcphost_event_get_error(event));
    if (mcphost_event_get_problem(event))
        hear_problem(mcphost_event_get_problem(event));
}

static void
on_log(int level, const char *room, const char *server, const char *message, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    hear(message);
}

static void
hear_state(void)
{
    mcphost_problems *problems;
    mcphost_status *status;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        hear_problem(mcphost_problems_get(problems, i));
    mcphost_problems_unref(problems);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        hear_error(mcphost_status_server_get_error(status, i));
    mcphost_status_unref(status);
}

/* ---- secrets and their spellings --------------------------------------------------- */

/* The ways to spell a secret.  `JSON` escapes only the characters that must be escaped
 * in a JSON string.  `SLASH` also escapes '/'. */
enum { PLAIN, JSON, SLASH, UNICODE, PERCENT, BASE64, WAYS };

static char secret[64], spelled[1024];

static void
make_secret(void)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789\"\\/+=-_.:@!&*~<>(){}[]|'?%";
    size_t len = chance(4) ? 6 + chance(40) : 5;

    for (size_t i = 0; i < len; i++)
        secret[i] = letters[chance(sizeof(letters) - 1)];
    secret[len] = '\0';
}

static void
spell(int way)
{
    size_t at = 0, lead = chance(3), len = strlen(secret);
    struct mcph_buf code;
    char plain[80];

    for (size_t i = 0; i < len && way != BASE64; i++) {
        unsigned char c = (unsigned char)secret[i];

        if (way == UNICODE)
            at += (size_t)snprintf(spelled + at, 8, "\\u%04x", c);
        else if (way == PERCENT && !strchr("-_.~", c) &&
                 !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            at += (size_t)snprintf(spelled + at, 8, chance(2) ? "%%%02x" : "%%%02X", c);
        else if ((way == JSON || way == SLASH) &&
                 (c == '"' || c == '\\' || (c == '/' && way == SLASH)))
            at += (size_t)snprintf(spelled + at, 8, "\\%c", c);
        else
            spelled[at++] = (char)c;
    }
    spelled[at] = '\0';
    if (way != BASE64)
        return;
    memcpy(plain, "xyz", lead);
    memcpy(plain + lead, secret, len);
    mcph_buf_init(&code, sizeof(spelled));
    ck_assert_int_eq(mcph_base64_add(&code, plain, lead + len), 0);
    mcph_buf_addc(&code, '\0');
    memcpy(spelled, code.data, code.len);
    mcph_buf_done(&code);
}

/* Spells the secret for a JSON string.  Does not use PLAIN, because a quote would end the
 * string. */
static void
spell_json(void)
{
    spell(JSON + (int)chance(WAYS - JSON));
}

static void
spell_text(void)
{
    spell((int)chance(WAYS));
}

/* How add() quotes a text for the script of a fake server. */
enum { VERBATIM, TEXT, RAW };

static void
add(char *script, size_t size, const char *fmt, const char *text, int how)
{
    char quoted[4096];
    size_t n = 0, at = strlen(script);

    for (; *text; text++) {
        if ((*text == '%' && how != VERBATIM) || (*text == '\\' && how == RAW))
            quoted[n++] = *text;
        quoted[n++] = *text;
    }
    quoted[n] = '\0';
    snprintf(script + at, size - at, fmt, quoted);
    ck_assert_uint_lt(strlen(script) + 1, size);
}

/* All spellings that the server has used. */
static char used[64][1024];
static int n_used;

static const char *
record_spelling(void)
{
    ck_assert_int_lt(n_used, 64);
    snprintf(used[n_used], sizeof(used[n_used]), "%s", spelled);
    return used[n_used++];
}

static void
check_no_secret_told(int round)
{
    char *line, *rest = NULL;

    ck_assert_uint_lt(told_len + 4096, sizeof(told)); /* hear_bytes() dropped no text */
    for (int way = JSON; way <= SLASH; way++) { /* the details of problems are JSON */
        spell(way);
        record_spelling();
    }
    for (line = strtok_r(told, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        ck_assert_msg(!strstr(line, secret), "round %d: %s", round, line);
        for (int i = 0; i < n_used; i++)
            ck_assert_msg(!strstr(line, used[i]), "round %d, '%s': %s", round, used[i],
                          line);
    }
}

static void
up(int round)
{
    told_len = 0;
    told[0] = '\0';
    n_used = 0;
    seed = (unsigned)round * 7919u + 1;
    make_secret();
    hr_up(&hr);
    hr.on_event = on_event;
    ck_assert_int_eq(mcphost_set_log(hr.host, MCPHOST_LOG_TRACE, on_log, NULL, NULL), 0);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
}

static void
down(int round)
{
    hear_state();
    check_no_secret_told(round);
    hr_down(&hr);
}

/* ---- stdio ------------------------------------------------------------------------- */

/* Returns the keys that give the secret to the server: as a literal, from a variable, or
 * from a variable with a prefix. */
static const char *
pass_secret(void)
{
    static char keys[512];
    char quoted[160];
    size_t n = 0;

    for (const char *c = secret; *c; c++) {
        if (*c == '\'')
            quoted[n++] = '\'';
        quoted[n++] = *c;
    }
    quoted[n] = '\0';
    ck_assert_int_eq(mcphost_set_env(hr.host, "MCPT_VALUE", secret), 0);
    switch (chance(3)) {
    case 0:
        snprintf(keys, sizeof(keys), "truely-stateless: true\nenv: {Api_Key: '%s'}",
                 quoted);
        break;
    case 1:
        snprintf(keys, sizeof(keys),
                 "truely-stateless: true\nenv: {PLACE: {env: MCPT_VALUE}}");
        break;
    default:
        snprintf(keys, sizeof(keys),
                 "truely-stateless: true\n"
                 "env: {PLACE: {prefix: 'id=', env: MCPT_VALUE}}");
        break;
    }
    return keys;
}

/* Writes the script of a server that repeats its secret everywhere.  `want` gets the
 * description of the tool `good`, in quotes. */
static void
write_script(char *script, size_t size, char *want, size_t want_size)
{
    spell_json();
    add(script, size,
        "tool-json {\"name\":\"bad name %s\",\"inputSchema\":{\"type\":\"object\"}}\n",
        record_spelling(), VERBATIM);
    spell_json();
    add(script, size,
        "tool-json {\"name\":\"good\",\"description\":\"%s\",\"inputSchema\":"
        "{\"type\":\"object\"}}\n",
        record_spelling(), VERBATIM);
    snprintf(want, want_size, "\"%s\"", used[n_used - 1]);
    spell_text();
    add(script, size, "on call:echo\n  stderr it is %s.\n", record_spelling(), RAW);
    spell_text();
    add(script, size, "  line Hello, %s!\n", record_spelling(), RAW);
    spell_json();
    add(script, size,
        "  notify notifications/message {\"level\":\"info\",\"data\":{\"n\":[\"%s\"]}}\n",
        record_spelling(), TEXT);
    spell_json();
    add(script, size,
        "  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"error\":{\"code\":-32000,"
        "\"message\":\"no %s",
        record_spelling(), RAW);
    spell_json();
    add(script, size, "\",\"data\":{\"why\":\"%s\",\"n\":1}}}\n", record_spelling(), RAW);
    spell_json();
    add(script, size,
        "on call:add\n  result {\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}\n",
        record_spelling(), TEXT);
}

/* R18 K13 */
START_TEST(secrets_that_a_stdio_server_repeats_are_masked_in_every_report)
{
    char script[16384] = "no-tools\ntool echo\ntool add\n", want[2048];
    mcphost_dialog *d;
    mcphost_call *call;
    struct mcph_span value;
    const char *text;
    size_t len;

    up(_i);
    write_script(script, sizeof(script), want, sizeof(want));
    hr_server(&hr, "a", pass_secret(), script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");

    /* The model gets the server's definition of the tool unchanged. */
    {
        mcphost_tool *tool = hr_tool(&hr, "a_good");

        ck_assert_ptr_nonnull(tool);
        text = mcphost_tool_get_definition(tool, &len);
        ck_assert_msg(memmem(text, len, want, strlen(want)), "%s: %.*s", want, (int)len,
                      text);
        mcphost_tool_unref(tool);
    }
    call = hr_start(&hr, d, "a_add", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    text = mcphost_result_get_json(mcphost_call_get_result(call), &len);
    ck_assert_ptr_nonnull(memmem(text, len, used[n_used - 1], strlen(used[n_used - 1])));

    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    text = mcphost_error_get_rpc_data(mcphost_call_get_error(call), &len);
    ck_assert_int_eq(mcph_json_check(mcph_span(text, len), 0, &value, NULL), 0);
    hear_error(mcphost_call_get_error(call));
    hr_until(&hr, strstr(told, "it is ") && strstr(told, "Hello, "));
    down(_i);
}
END_TEST

START_TEST(secrets_in_the_output_of_a_failed_start_are_masked) /* R18 */
{
    char script[8192] = "era legacy\n";

    up(_i);
    spell_text();
    if (_i % 2) {
        add(script, sizeof(script), "on spawn\n  stderr it is %s.\n  exit 3\n",
            record_spelling(), RAW);
    } else {
        add(script, sizeof(script), "on initialize\n  stderr it is %s.\n",
            record_spelling(), RAW);
        spell_json();
        add(script, sizeof(script),
            "  line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"error\":{\"code\":1,"
            "\"message\":\"it is %s.\"}}\n",
            record_spelling(), RAW);
    }
    hr_server(&hr, "a", pass_secret(), script);
    hr_load(&hr);
    hear_state();
    ck_assert_ptr_nonnull(strstr(told, "it is "));
    ck_assert_ptr_nonnull(strstr(told, "****"));
    down(_i);
}
END_TEST

/* ---- HTTP -------------------------------------------------------------------------- */

/* R18: the secret is in a header and the body of an error page, and in a JSON-RPC
 * error. */
START_TEST(secrets_that_an_http_server_repeats_are_masked_in_every_report)
{
    static const char *const statuses[] = {"500 Oops", "400 Bad", "403 No", "429 Slow"};
    char script[16384] = "", bearer[160], keys[400];
    mcphost_dialog *d;
    mcphost_call *call;

    up(_i);
    spell_text();
    add(script, sizeof(script), "on call:echo\n  status ", "", TEXT);
    add(script, sizeof(script), "%s\n", statuses[_i % 4], TEXT);
    add(script, sizeof(script), "  header Content-Type: text/plain\n", "", TEXT);
    add(script, sizeof(script), "  header Retry-After: %s\n", "1", TEXT);
    spell(PERCENT);
    add(script, sizeof(script), "  header WWW-Authenticate: Bearer realm=\"%s\"\n",
        record_spelling(), TEXT);
    spell_text();
    add(script, sizeof(script), "  body you sent %s, no more\n", record_spelling(), RAW);
    spell(PERCENT);
    add(script, sizeof(script), "on call:add\n  error -32000 you sent %s\n",
        record_spelling(), TEXT);
    snprintf(bearer, sizeof(bearer), "Bearer %s", secret);
    snprintf(keys, sizeof(keys), "headers: {X-One: {env: MCPT_VALUE}}");
    ck_assert_int_eq(mcphost_set_env(hr.host, "MCPT_VALUE", secret), 0);
    hr_http(&hr, &web, "w", _i % 2 ? keys : NULL, script);
    if (_i % 2 == 0)
        ck_assert_int_eq(
            mcphost_set_credential(hr.host, "w", web.url, "Authorization", bearer, NULL),
            0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    call = hr_start(&hr, d, "w_echo", "{}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    hear_error(mcphost_call_get_error(call));
    ck_assert_ptr_nonnull(strstr(told, "you sent "));
    ck_assert_ptr_nonnull(strstr(told, "****"));
    call = hr_start(&hr, d, "w_add", "{}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    hear_error(mcphost_call_get_error(call));
    down(_i);
}
END_TEST

/* Calls a tool of an HTTP server that has these keys and this script.  Checks that the
 * message of the call's error has the session id masked. */
static void
expect_masked_session(const char *keys, const char *script)
{
    mcphost_call *call;

    hr_up(&hr);
    hr_http(&hr, &web, "w", keys, script);
    hr_load(&hr);
    call = hr_start(&hr, hr_dialog(&hr, "d"), "w_echo", "{}");
    ck_assert_int_lt(hr_end(&hr, call), 0);
    test_has(mcphost_error_get_message(mcphost_call_get_error(call)), "you sent ****");
    hr_down(&hr);
}

/* R18 R20 */
START_TEST(a_session_id_that_a_server_repeats_is_masked)
{
    expect_masked_session("sessionId: given-by-hand",
                          "era legacy\nsession given-by-hand\n"
                          "on call:echo\n  error -32000 you sent given-by-hand\n");
}
END_TEST

START_TEST(a_session_id_that_the_server_named_is_masked_in_an_error_in_json)
{
    expect_masked_session(
        NULL, "era legacy\nsessions off\n"
              "on initialize\n  header Mcp-Session-Id: named-by-server\n  answer\n"
              "on call:echo\n  status 400 Bad\n  header Content-Type: application/json\n"
              "  body {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,"
              "\"message\":\"you sent named-by-server\"}}\n");
}
END_TEST

/* The host adds each token to the mask.  The mask drops older tokens beyond a limit, but
 * must keep the secrets of the configuration. */
START_TEST(secrets_of_the_configuration_stay_masked_after_many_tokens)
{
    mcphost_dialog *d;
    mcphost_call *call;
    char bearer[32];

    hr_up(&hr);
    hr_http(&hr, &web, "w", "headers: {X-One: set-by-hand}",
            "on call:echo\n  error -32000 you sent set-by-hand\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    for (int i = 0; i < 300; i++) {
        snprintf(bearer, sizeof(bearer), "Bearer token-%d", i);
        ck_assert_int_eq(
            mcphost_set_credential(hr.host, "w", web.url, "Authorization", bearer, NULL),
            0);
        call = hr_start(&hr, d, "w_echo", "{}");
        ck_assert_int_lt(hr_end(&hr, call), 0);
        test_has(mcphost_error_get_message(mcphost_call_get_error(call)),
                 "you sent ****");
    }
    hr_down(&hr);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "secrets");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, secrets_that_a_stdio_server_repeats_are_masked_in_every_report, 0, ROUNDS);
    tcase_add_loop_test(tc, secrets_in_the_output_of_a_failed_start_are_masked, 0,
                        ROUNDS);
    tcase_add_loop_test(
        tc, secrets_that_an_http_server_repeats_are_masked_in_every_report, 0, ROUNDS);
    tcase_add_test(tc, a_session_id_that_a_server_repeats_is_masked);
    tcase_add_test(tc, a_session_id_that_the_server_named_is_masked_in_an_error_in_json);
    tcase_add_test(tc, secrets_of_the_configuration_stay_masked_after_many_tokens);
}

int
main(void)
{
    return test_main("host-secrets", add_tests);
}
