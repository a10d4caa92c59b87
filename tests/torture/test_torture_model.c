/* SPDX-License-Identifier: MIT
 *
 * test_torture_model.c - the functions for models while memory runs out.
 *
 * The test makes projections, restores arguments, applies tools' schemas, judges
 * failures, stops dialogs and converts sampling requests.  Each function gives the usual
 * result or fails with MCPHOST_E_NOMEM.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "support/catalog.h"
#include "torture/torture.h"

static const char tools[] =
    "[{\"name\":\"plain\",\"description\":\"d\\u00e9\",\"inputSchema\":{\"properties\":{"
    "\"a\":{\"type\":\"string\",\"format\":\"uri\",\"default\":\"x\"},\"b\\u0063\":{"
    "\"enum\":[1,\"z\"]},\"t\":{\"items\":[{\"type\":\"string\"},{}]}},\"required\":"
    "[\"a\"]},\"outputSchema\":{\"properties\":{\"n\":{\"multipleOf\":0.1,\"pattern\":"
    "\"^a\"}},\"required\":[\"n\"]}},"
    "{\"name\":\"refs\",\"inputSchema\":{\"oneOf\":[{\"properties\":{\"a\":{\"const\":1},"
    "\"p\":{\"$ref\":\"#/$defs/p\"}}},{\"allOf\":[{\"properties\":{\"a\":{\"const\":2}}},"
    "{\"properties\":{\"q\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\","
    "\"properties\":{\"r\":{\"type\":\"null\"}}}]}}}]}],\"$defs\":{\"p\":{\"type\":"
    "\"object\",\"properties\":{\"p\":{\"$ref\":\"#/$defs/p\"}}}}}},"
    "{\"name\":\"none\",\"inputSchema\":{\"type\":\"string\"}},"
    "{\"name\":\"less\",\"inputSchema\":{\"properties\":{\"dry run\":{},\"b\":{\"type\":"
    "[\"string\",\"null\"]}}}},"
    "{\"name\":\"map\",\"inputSchema\":{\"properties\":{\"env\":{"
    "\"additionalProperties\":{\"type\":\"string\"}}}}},"
    "{\"name\":\"a-name-that-is-longer-than-what-was-asked-for\",\"inputSchema\":{}},"
    "{\"name\":\"bad\",\"inputSchema\":{\"properties\":{\"a\":{\"pattern\":\"(\"}}}}]";

static struct mcph_block *block;

static void
up(void)
{
    block = catrig_server("s", tools);
}

static void
down(void)
{
    block = mcph_block_unref(block);
}

/* ---- projections ------------------------------------------------------------------- */

static const struct {
    int shape, profile;
    const char *mark; /* a text in the projection or in a problem of the projection */
} kinds[] = {
    {MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_OPENAI, "/excluded/none"},
    {MCPHOST_SHAPE_OPENAI_RESPONSES, MCPHOST_PROFILE_OPENAI_STRICT, "/not_strict/map"},
    {MCPHOST_SHAPE_ANTHROPIC, MCPHOST_PROFILE_ANTHROPIC, "/excluded/none"},
    {MCPHOST_SHAPE_GEMINI, MCPHOST_PROFILE_GEMINI, "\"dry_run\""},
    {MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_MOONSHOT, "/excluded/none"},
    /* Keep this row last: the test of sampling leaves out the last row, because sampling
     * cannot have this shape. */
    {MCPHOST_SHAPE_MCP, MCPHOST_PROFILE_IDENTITY, "\"name\":\"refs\""},
};
static size_t kind;
/* The output of the projection in a run in which no allocation fails. */
static char expected[16384];

static void
add_all(struct mcph_buf *said, const mcphost_projection *projection)
{
    mcph_buf_adds(said, mcphost_projection_get_json(projection, NULL));
    for (size_t i = 0; i < mcphost_projection_count_problems(projection); i++) {
        mcphost_problem *problem = mcphost_projection_get_problem(projection, i);

        mcph_buf_adds(said, mcphost_problem_get_id(problem));
        mcph_buf_adds(said, mcphost_problem_get_message(problem));
        mcph_buf_adds(said, mcphost_problem_get_detail(problem, NULL));
    }
}

/* Finds a tool by its projected name.  Restores the arguments of a call. */
static int
go_back(mcphost_catalog *catalog, const mcphost_projection *projection)
{
    static const char arguments[] = "{\"a\":\"x\",\"bc\":null,\"t\":[\"\\u0041\",1e400]}";
    mcphost_tool *tool = mcphost_catalog_find_tool(catalog, "plain");
    mcphost_error *error = NULL;
    char *json = NULL;
    size_t len = 0;
    int r;

    torture_must(mcphost_projection_find_tool(projection, "plain") == tool);
    r = mcphost_projection_restore_arguments(projection, tool, arguments,
                                             strlen(arguments), &json, &len, &error);
    torture_must((r < 0) == (error != NULL) && (r < 0) == !json);
    if (r == 0)
        torture_must(strcmp(json, kinds[kind].profile == MCPHOST_PROFILE_OPENAI_STRICT
                                      ? "{\"a\":\"x\",\"t\":[\"\\u0041\",1e400]}"
                                      : arguments) == 0);
    mcphost_error_unref(error);
    mcphost_free(json);
    return r;
}

static int
compare(const mcphost_projection *projection)
{
    struct mcph_buf said;
    int r;

    failing_pause();
    mcph_buf_init(&said, sizeof(expected) - 1);
    add_all(&said, projection);
    mcph_buf_add(&said, "", 1);
    r = mcph_buf_ok(&said);
    if (r == 0 && !expected[0])
        memcpy(expected, said.data, said.len);
    torture_must(r == 0 && strcmp(said.data, expected) == 0);
    mcph_buf_done(&said);
    failing_resume();
    return r;
}

static int
project(void)
{
    size_t name_max = kinds[kind].profile == MCPHOST_PROFILE_IDENTITY ? 0 : 20;
    struct mcph_offer offer = {.block = block};
    mcphost_projection *projection = NULL;
    mcphost_catalog *catalog = NULL;
    mcphost_error *error = NULL;
    int r;

    failing_pause();
    r = mcph_catalog_new(1, NULL, &offer, 1, &catalog, NULL);
    failing_resume();
    torture_must(r == 0);
    r = mcphost_projection_new(catalog, kinds[kind].shape, kinds[kind].profile, name_max,
                               &projection, &error);
    torture_must((r < 0) == (error != NULL) && (r < 0) == !projection);
    if (r == 0)
        r = compare(projection);
    if (r == 0)
        r = go_back(catalog, projection);
    mcphost_error_unref(error);
    mcphost_projection_unref(projection);
    mcphost_catalog_unref(catalog);
    return r;
}

START_TEST(a_projection_is_complete_or_fails_with_e_nomem) /* R55 R57 R59 */
{
    kind = (size_t)_i;
    expected[0] = '\0';
    ck_assert_int_eq(project(), 0);
    ck_assert_ptr_nonnull(strstr(expected, kinds[kind].mark));
    torture_run(&(struct torture){.run = project, .least = 2}, FAIL_ONCE);
    torture_run(&(struct torture){.run = project, .least = 2}, FAIL_FROM_THEN_ON);
}
END_TEST

/* ---- tools' schemas ---------------------------------------------------------------- */

static int
check_arguments(const mcphost_tool *tool, int which, const char *value, int verdict)
{
    mcphost_schema_report *report = NULL;
    mcphost_schema *schema = NULL;
    mcphost_error *error = NULL;
    int r = mcph_tool_schema(tool, which, 200000, &schema, &error);

    torture_must((r < 0) == (error != NULL));
    if (r == 0) {
        r = mcphost_schema_validate(schema, value, strlen(value), 0, &report, &error);
        torture_must((r < 0) == (error != NULL) && (r < 0) == !report);
        torture_must(r < 0 || r == verdict);
    }
    mcphost_error_unref(error);
    mcphost_schema_report_unref(report);
    return r < 0 ? r : 0;
}

/* Applies the schemas of a tool.  Each run makes a block of its own, because a block
 * keeps compiled schemas. */
static int
use_schemas(void)
{
    struct mcph_block *mine;
    mcphost_schema *schema;
    mcphost_error *error = NULL;
    int r;

    failing_pause();
    mine = catrig_server("s", tools);
    failing_resume();
    r = check_arguments(&mine->items[0], MCPH_TOOL_INPUT, "{\"bc\":2}",
                        MCPHOST_SCHEMA_INVALID);
    if (r == 0)
        r = check_arguments(&mine->items[0], MCPH_TOOL_OUTPUT, "{\"n\":0.3}",
                            MCPHOST_SCHEMA_VALID);
    if (r == 0)
        r = check_arguments(&mine->items[0], MCPH_TOOL_INPUT, "{\"a\":\"\"}",
                            MCPHOST_SCHEMA_VALID);
    if (r == 0) {
        r = mcph_tool_schema(&mine->items[6], MCPH_TOOL_INPUT, 200000, &schema, &error);
        torture_must(r < 0 && error);
        r = r == MCPHOST_E_INVALID ? 0 : r;
    }
    mcphost_error_unref(error);
    mcph_block_unref(mine);
    return r;
}

START_TEST(a_tool_s_schema_is_applied_or_fails_with_e_nomem) /* R54 */
{
    torture_run(&(struct torture){.run = use_schemas, .least = 50}, FAIL_ONCE);
    torture_run(&(struct torture){.run = use_schemas, .least = 50}, FAIL_FROM_THEN_ON);
}
END_TEST

/* ---- retries ----------------------------------------------------------------------- */

static int
judge(void)
{
    static const char body[] = "{\"error\":{\"type\":\"rate_limit\\u005ferror\"}}";
    mcphost_retry *retry = NULL;
    int64_t delay = -1;
    int failure = mcphost_classify_failure(200, body, strlen(body), NULL), r;

    torture_must(failure == MCPHOST_FAILURE_RATE);
    r = mcphost_retry_new(MCPHOST_RETRY_SMART_RATE, &retry);
    torture_must((r < 0) == !retry);
    if (r == 0) {
        torture_must(mcphost_retry_set_jitter(retry, 20) == 0);
        torture_must(mcphost_retry_judge(retry, 1, failure,
                                         "Wed, 21 Oct 2015 07:28:00 GMT", &delay) == 1);
        torture_must(delay >= 1000 && mcphost_retry_get_penalty_ms(retry) > 0);
    }
    mcphost_retry_unref(retry);
    return r;
}

START_TEST(a_retry_policy_judges_failures_or_fails_with_e_nomem) /* R61 R65 */
{
    torture_run(&(struct torture){.run = judge, .least = 1}, FAIL_ONCE);
}
END_TEST

/* ---- dialogs that stop ------------------------------------------------------------- */

/* Reports a rejection.  Checks that the rejection has stopped the dialog with a reason,
 * or that the dialog's state is unchanged. */
static int
stop(mcphost_dialog *dialog)
{
    static const char text[] = "Invalid schema for function 'x'";
    int r = mcphost_dialog_report_rejection(dialog, "openai", text, strlen(text)), why;
    char *reason = NULL;

    why = mcphost_dialog_get_stop_reason(dialog, &reason, NULL);
    torture_must((why == 0) == (reason != NULL));
    if (r < 0)
        torture_must(why == MCPHOST_E_NOTFOUND &&
                     mcphost_dialog_get_run_state(dialog) == MCPHOST_RUN_RUNNING);
    else
        torture_must(why != MCPHOST_E_NOTFOUND &&
                     mcphost_dialog_get_run_state(dialog) == MCPHOST_RUN_STOPPED);
    torture_must(why != 0 || strstr(reason, "\"errorText\":\"Invalid schema"));
    mcphost_free(reason);
    return r < 0 ? r : why == MCPHOST_E_NOTFOUND ? 0 : why;
}

static void
dispatch(mcphost *host)
{
    while (mcphost_dispatch(host) > 0)
        ;
}

static int
stop_and_go_on(void)
{
    mcphost_dialog *dialog = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, NULL), on;

    if (r == 0)
        r = mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL);
    if (r == 0) {
        r = stop(dialog);
        dispatch(host);
        on = mcphost_dialog_resume(dialog);
        torture_must(mcphost_dialog_get_run_state(dialog) ==
                     (on == 0 ? MCPHOST_RUN_RUNNING : MCPHOST_RUN_STOPPED));
        dispatch(host);
        r = r < 0 ? r : on;
    }
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    return r;
}

START_TEST(a_rejection_stops_the_dialog_with_a_reason_or_fails_with_e_nomem) /* R62 R63 */
{
    /* The run also succeeds if the host cannot allocate the problem that reports the
     * stop.  The host then raises no problem and sends no event about a problem. */
    torture_run(&(struct torture){.run = stop_and_go_on, .least = 30},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- sampling ---------------------------------------------------------------------- */

static const char sampled[] =
    "{\"systemPrompt\":\"s\\n\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
    "\"text\",\"text\":\"a\\u00e9\"},{\"type\":\"image\",\"data\":\"iVBORw==\","
    "\"mimeType\":\"image/png\"},{\"type\":\"x\\n\"}]},{\"role\":\"assistant\","
    "\"content\":{\"type\":\"tool_use\",\"id\":\"c/1\",\"name\":\"a.b\",\"input\":{}}},"
    "{\"role\":\"user\",\"content\":{\"type\":\"tool_result\",\"toolUseId\":\"c/1\","
    "\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"isError\":true}}],\"maxTokens\":"
    "5,"
    "\"stopSequences\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"],\"tools\":[{\"name\":\"a."
    "b\","
    "\"inputSchema\":{\"properties\":{\"x-y\":{\"type\":\"string\"}}}}]}";
static const char *const answers[] = {
    "{\"choices\":[{\"message\":{\"content\":\"x\\n\",\"tool_calls\":[{\"function\":{"
    "\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}",
    "{\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":"
    "\"x\\n\"}]},{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":\"\"}]}",
    "{\"content\":[{\"type\":\"text\",\"text\":\"x\\n\"},{\"type\":\"tool_use\",\"id\":"
    "\"c\",\"name\":\"f\",\"input\":{\"a\":1}}]}",
    "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\\n\"},{\"functionCall\":{"
    "\"name\":\"f\"}}]}}]}",
};
static char sampled_as[16384];

static void
remember_sampling(const mcphost_sampling *sampling, const char *result)
{
    struct mcph_buf said;

    failing_pause();
    mcph_buf_init(&said, sizeof(sampled_as) - 1);
    mcph_buf_adds(&said, mcphost_sampling_get_json(sampling, NULL));
    for (size_t i = 0; i < mcphost_sampling_count_notes(sampling); i++)
        mcph_buf_adds(&said, mcphost_sampling_get_note(sampling, i));
    mcph_buf_adds(&said, result);
    mcph_buf_add(&said, "", 1);
    if (!sampled_as[0])
        memcpy(sampled_as, said.data, said.len);
    torture_must(mcph_buf_ok(&said) == 0 && strcmp(said.data, sampled_as) == 0);
    mcph_buf_done(&said);
    failing_resume();
}

static int
sample(void)
{
    mcphost_sampling *sampling = NULL;
    mcphost_error *error = NULL;
    char *result = NULL;
    size_t len;
    int r = mcphost_sampling_new(sampled, strlen(sampled), kinds[kind].shape,
                                 kinds[kind].profile, "m", 7, &sampling, &error);

    torture_must((r < 0) == (error != NULL) && (r < 0) == !sampling);
    if (r == 0) {
        const char *answer = answers[kinds[kind].shape - MCPHOST_SHAPE_OPENAI_CHAT];

        r = mcphost_sampling_make_result(sampling, answer, strlen(answer), &result, &len,
                                         &error);
        torture_must((r < 0) == (error != NULL) && (r < 0) == !result);
    }
    if (r == 0)
        remember_sampling(sampling, result);
    mcphost_free(result);
    mcphost_error_unref(error);
    mcphost_sampling_unref(sampling);
    return r;
}

START_TEST(a_sampling_request_is_complete_or_fails_with_e_nomem) /* R164 */
{
    kind = (size_t)_i;
    sampled_as[0] = '\0';
    torture_run(&(struct torture){.run = sample, .least = 20}, FAIL_ONCE);
    torture_run(&(struct torture){.run = sample, .least = 20}, FAIL_FROM_THEN_ON);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "model");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_projection_is_complete_or_fails_with_e_nomem, 0,
                        MCPH_ARRAY_SIZE(kinds));
    tcase_add_test(tc, a_tool_s_schema_is_applied_or_fails_with_e_nomem);
    tcase_add_loop_test(tc, a_sampling_request_is_complete_or_fails_with_e_nomem, 0,
                        MCPH_ARRAY_SIZE(kinds) - 1);
    tcase_add_test(tc, a_retry_policy_judges_failures_or_fails_with_e_nomem);
    tcase_add_loop_test(
        tc, a_rejection_stops_the_dialog_with_a_reason_or_fails_with_e_nomem, 0, 2);
}

int
main(void)
{
    return torture_main("torture-model", add);
}
