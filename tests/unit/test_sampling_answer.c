/* SPDX-License-Identifier: MIT
 *
 * test_sampling_answer.c - making results of sampling requests from answers of providers.
 *
 * The last test converts random requests to a provider's format and back.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "unit/samplingrig.h"

/* ---- answers ----------------------------------------------------------------------- */

#define SIMPLE "{" HI ",'maxTokens':1}"
#define TEXT(t, reason)                                                           \
    "{'role':'assistant','content':{'type':'text','text':'" t "'},'model':'g-1'," \
    "'stopReason':'" reason "'}"
#define CHAT_ANSWER(message, reason) \
    "{'model':'g-1','choices':[{'message':" message ",'finish_reason':'" reason "'}]}"

/* R164 */
START_TEST(a_chat_answer_becomes_a_result)
{
    samplingrig_make(SIMPLE, CHAT);
    samplingrig_answer(
        CHAT_ANSWER("{'role':'assistant','content':'caf\\u00e9','refusal':null}", "stop"),
        TEXT("caf\\u00e9", "endTurn"));
    samplingrig_answer(CHAT_ANSWER("{'content':'x'}", "length"), TEXT("x", "maxTokens"));
    samplingrig_answer(CHAT_ANSWER("{'content':'x'}", "content_filter"),
                       TEXT("x", "content_filter"));
    samplingrig_answer(
        CHAT_ANSWER("{'content':[{'type':'thinking','thinking':[]},{'type':'text',"
                    "'text':'a'},{'type':'text','text':'b'}]}",
                    "stop"),
        TEXT("ab", "endTurn"));
    samplingrig_answer(
        CHAT_ANSWER("{'content':null,'audio':{'transcript':'said','data':''}}", "stop"),
        TEXT("said", "endTurn"));
    samplingrig_answer(CHAT_ANSWER("{'content':null}", "length"), TEXT("", "maxTokens"));
    /* The finish_reason says that the answer uses a tool, but the answer contains no use
     * of a tool. */
    samplingrig_answer(CHAT_ANSWER("{'content':'x'}", "tool_calls"),
                       TEXT("x", "endTurn"));
    samplingrig_answer(
        "{'choices':[{'message':{'content':'x'}}]}",
        "{'role':'assistant','content':{'type':'text','text':'x'},'model':'m',"
        "'stopReason':'endTurn'}");
    samplingrig_fails(CHAT_ANSWER("{'content':null,'refusal':'I cannot'}", "stop"),
                      MCPHOST_E_DENIED, "the model refuses: I cannot");
    samplingrig_fails(CHAT_ANSWER("{'content':''}", "content_filter"), MCPHOST_E_DENIED,
                      "gives no answer: content_filter");
    samplingrig_fails("{'choices':[]}", MCPHOST_E_PROTOCOL,
                      "there is no choices[0].message");
    samplingrig_fails("{}", MCPHOST_E_PROTOCOL, "choices");
}
END_TEST

START_TEST(a_responses_answer_becomes_a_result)
{
    samplingrig_make(SIMPLE, RESPONSES);
    samplingrig_answer("{'model':'g-1','status':'completed','error':null,'output':["
                       "{'type':'reasoning','summary':[]},{'type':'message','content':["
                       "{'type':'output_text','text':'x'}]}]}",
                       TEXT("x", "endTurn"));
    samplingrig_answer(
        "{'model':'g-1','status':'incomplete','incomplete_details':{"
        "'reason':'max_output_tokens'},'output':[{'type':'message','content':["
        "{'type':'output_text','text':'x'}]}]}",
        TEXT("x", "maxTokens"));
    samplingrig_fails("{'status':'completed','output':[{'type':'message','content':["
                      "{'type':'refusal','refusal':'no way'}]}]}",
                      MCPHOST_E_DENIED, "the model refuses: no way");
    samplingrig_fails(
        "{'status':'failed','error':{'code':'server_error','message':'oops'},"
        "'output':[]}",
        MCPHOST_E_DENIED, "the provider reports an error: oops");
    samplingrig_fails(
        "{'status':'incomplete','incomplete_details':{'reason':'content_filter'},"
        "'output':[]}",
        MCPHOST_E_DENIED, "content_filter");
    samplingrig_fails("{}", MCPHOST_E_PROTOCOL, "there is no output");
}
END_TEST

START_TEST(an_anthropic_answer_becomes_a_result)
{
    samplingrig_make(SIMPLE, ANTHROPIC);
    samplingrig_answer("{'type':'message','role':'assistant','model':'g-1','content':["
                       "{'type':'thinking','thinking':'t','signature':'s'},"
                       "{'type':'text','text':'a'},{'type':'text','text':'b'}],"
                       "'stop_reason':'end_turn'}",
                       TEXT("ab", "endTurn"));
    samplingrig_answer("{'model':'g-1','content':[{'type':'text','text':'x'}],"
                       "'stop_reason':'stop_sequence','stop_sequence':'END'}",
                       TEXT("x", "stopSequence"));
    samplingrig_answer("{'model':'g-1','content':[{'type':'text','text':'x'}],"
                       "'stop_reason':'max_tokens'}",
                       TEXT("x", "maxTokens"));
    samplingrig_answer("{'model':'g-1','content':[{'type':'text','text':'x'}],"
                       "'stop_reason':'pause_turn'}",
                       TEXT("x", "pause_turn"));
    samplingrig_answer("{'model':'g-1','content':[],'stop_reason':'end_turn'}",
                       TEXT("", "endTurn"));
    samplingrig_fails("{'content':[{'type':'text','text':'par'}],'stop_reason':'refusal',"
                      "'stop_details':{'explanation':'bio'}}",
                      MCPHOST_E_DENIED, "the model refuses: bio");
    samplingrig_fails(
        "{'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}}",
        MCPHOST_E_LIMIT, "Overloaded");
    samplingrig_fails(
        "{'type':'error','error':{'type':'authentication_error','message':'bad key'}}",
        MCPHOST_E_AUTH, "bad key");
    samplingrig_fails("{'content':'x'}", MCPHOST_E_PROTOCOL, "there is no content");
}
END_TEST

START_TEST(a_gemini_answer_becomes_a_result)
{
    samplingrig_make(SIMPLE, GEMINI);
    samplingrig_answer("{'candidates':[{'content':{'role':'model','parts':[{'text':'hm',"
                       "'thought':true},{'text':'x'}]},'finishReason':'STOP'}],"
                       "'modelVersion':'g-1'}",
                       TEXT("x", "endTurn"));
    samplingrig_answer("{'candidates':[{'content':{'parts':[{'text':'x'}]},"
                       "'finishReason':'MAX_TOKENS'}],'modelVersion':'g-1'}",
                       TEXT("x", "maxTokens"));
    samplingrig_answer(
        "{'candidates':[{'content':{'parts':[{'text':'x'},{'inlineData':{"
        "'mimeType':'image/png','data':'AAAA'}}]},'finishReason':'STOP'}]}",
        "{'role':'assistant','content':[{'type':'text','text':'x'},{'type':'image',"
        "'data':'AAAA','mimeType':'image/png'}],'model':'m','stopReason':'endTurn'}");
    samplingrig_fails("{'promptFeedback':{'blockReason':'SAFETY'}}", MCPHOST_E_DENIED,
                      "the provider blocks the prompt: SAFETY");
    samplingrig_fails("{'candidates':[{'finishReason':'SAFETY'}]}", MCPHOST_E_DENIED,
                      "SAFETY");
    samplingrig_fails("{'candidates':[]}", MCPHOST_E_PROTOCOL,
                      "there is no candidates[0]");
    samplingrig_fails(
        "{'error':{'code':429,'message':'slow down','status':'RESOURCE_EXHAUSTED'}}",
        MCPHOST_E_LIMIT, "slow down");
    samplingrig_fails("{'error':{'code':403,'message':'who?'}}", MCPHOST_E_AUTH, "who?");
    samplingrig_fails("{'error':'just words'}", MCPHOST_E_DENIED, "just words");
}
END_TEST

/* ---- uses of tools in answers ------------------------------------------------------ */

#define USED                                                                             \
    "{'role':'assistant','content':[{'type':'text','text':'I will'},{'type':'tool_use'," \
    "'id':'c9','name':'get.it','input':{'dry-run':'y','n':2}}],'model':'g-1',"           \
    "'stopReason':'toolUse'}"

/* Returns a copy of the provider's answer `text`.  Replaces each @ by the name that the
 * tool has for the provider, and each # by the name that the parameter dry-run has for
 * the provider.  The caller must free the copy. */
static char *
fill_in_names(const char *text)
{
    const char *at =
        strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL), "\"dry");
    char *out = malloc(4096), name[80];
    size_t n = 0;

    samplingrig_name(name);
    for (; *text; text++) {
        const char *add = *text == '@' ? name : *text == '#' ? at + 1 : text;
        size_t len = *text == '@'   ? strlen(name)
                     : *text == '#' ? strcspn(at + 1, "\"")
                                    : 1;

        memcpy(out + n, add, len);
        n += len;
    }
    out[n] = '\0';
    return out;
}

static void
expect_tool_use(int shape, const char *said)
{
    char *text;

    samplingrig_make("{" HI ",'maxTokens':7," TOOLS "}", shape);
    text = fill_in_names(said);
    samplingrig_answer(text, USED);
    free(text);
}

/* R164, R175 */
START_TEST(uses_of_tools_get_the_servers_names_back)
{
    expect_tool_use(CHAT,
                    CHAT_ANSWER("{'content':'I will','tool_calls':[{'id':'c9',"
                                "'type':'function','function':{'name':'@','arguments':"
                                "'{\\'#\\':\\'y\\',\\'n\\':2}'}}]}",
                                "tool_calls"));
    /* Servers that imitate the API of OpenAI may send the arguments as an object and give
     * another finish_reason. */
    expect_tool_use(CHAT,
                    CHAT_ANSWER("{'content':'I will','tool_calls':[{'id':'c9',"
                                "'function':{'name':'@','arguments':{'#':'y','n':2}}}]}",
                                "stop"));
    expect_tool_use(RESPONSES,
                    "{'model':'g-1','status':'completed','output':[{'type':'message',"
                    "'content':[{'type':'output_text','text':'I will'}]},"
                    "{'type':'function_call','call_id':'c9','name':'@',"
                    "'arguments':'{\\'#\\':\\'y\\',\\'n\\':2}'}]}");
    expect_tool_use(ANTHROPIC,
                    "{'model':'g-1','stop_reason':'tool_use','content':[{'type':'text',"
                    "'text':'I will'},{'type':'tool_use','id':'c9','name':'@',"
                    "'input':{'#':'y','n':2}}]}");
    expect_tool_use(
        GEMINI, "{'modelVersion':'g-1','candidates':[{'finishReason':'STOP','content':{"
                "'parts':[{'text':'I will'},{'functionCall':{'id':'c9','name':'@',"
                "'args':{'#':'y','n':2}}}]}}]}");
}
END_TEST

START_TEST(a_use_without_an_id_gets_an_id_and_keeps_its_signature)
{
    static const char said[] =
        "{'candidates':[{'finishReason':'STOP','content':{'parts':["
        "{'functionCall':{'name':'x'},'thoughtSignature':'s'},"
        "{'functionCall':{'name':'x'}}]}}]}";
    json_t *root, *content, *id;

    samplingrig_make(SIMPLE, GEMINI);
    ck_assert_int_eq(samplingrig_answer_with(said), 0);
    root = json_loads(samplingrig_result, 0, NULL);
    content = json_object_get(root, "content");
    ck_assert_uint_eq(json_array_size(content), 2);
    id = json_object_get(json_array_get(content, 0), "id");
    ck_assert_int_eq(strncmp(json_string_value(id), "mcphost_", 8), 0);
    ck_assert(!json_equal(id, json_object_get(json_array_get(content, 1), "id")));
    ck_assert_ptr_nonnull(
        strstr(samplingrig_result,
               "\"input\":{},\"_meta\":{\"mcphost/thoughtSignature\":\"s\"}"));
    json_decref(root);
}
END_TEST

START_TEST(broken_arguments_of_a_tool_use_are_an_error)
{
#define ARGUMENTS(text, reason)                                                     \
    CHAT_ANSWER("{'tool_calls':[{'id':'c','function':{'name':'t','arguments':" text \
                "}}]}",                                                             \
                reason)
    samplingrig_make(SIMPLE, CHAT);
    samplingrig_fails(
        ARGUMENTS("'{\\'a\\':'", "tool_calls"), MCPHOST_E_PROTOCOL,
        "use of the tool 't': arguments: not valid JSON at line 1, column 6");
    samplingrig_fails(ARGUMENTS("'{\\'a\\':'", "length"), MCPHOST_E_PROTOCOL,
                      "use of the tool 't' (cut off by maxTokens): ");
    samplingrig_fails(ARGUMENTS("'[]'", "stop"), MCPHOST_E_PROTOCOL,
                      "expected object, found array");
    samplingrig_fails(ARGUMENTS("7", "stop"), MCPHOST_E_PROTOCOL,
                      "expected object, found number");
    samplingrig_fails(CHAT_ANSWER("{'tool_calls':[{'id':'c'}]}", "stop"),
                      MCPHOST_E_PROTOCOL, "a use of a tool has no name");
    ck_assert_int_eq(samplingrig_answer_with(ARGUMENTS("' '", "stop")), 0);
    ck_assert_ptr_nonnull(strstr(samplingrig_result, "\"input\":{}"));
    samplingrig_fails("{'choices'", MCPHOST_E_PROTOCOL, "not valid JSON");
    samplingrig_fails("{'choices':'\xff'}", MCPHOST_E_PROTOCOL, "invalid UTF-8");
}
END_TEST

/* ---- large and random data --------------------------------------------------------- */

START_TEST(ten_megabytes_of_text_are_converted_both_ways)
{
    const size_t size = (size_t)10 * 1024 * 1024;
    char *text = malloc(size + 1), *body;
    json_t *answer;
    size_t len;
    int r;

    memset(text, 'x', size);
    text[size] = '\0';
    text[size / 2] = '\n';
    for (int shape = CHAT; shape < SHAPES; shape++) {
        json_t *params =
            json_pack("{s:[{s:s,s:{s:s,s:s}}],s:i}", "messages", "role", "user",
                      "content", "type", "text", "text", text, "maxTokens", 5);

        body = json_dumps(params, 0);
        samplingrig_down();
        ck_assert_int_eq(mcphost_sampling_new(body, strlen(body), shape,
                                              samplingrig_profiles[shape], NULL, ALL,
                                              &samplingrig_sampling, NULL),
                         0);
        (void)mcphost_sampling_get_json(samplingrig_sampling, &len);
        ck_assert_uint_gt(len, size);
        free(body);
        json_decref(params);
    }
    samplingrig_make(SIMPLE, CHAT);
    answer = json_pack("{s:[{s:{s:s}}]}", "choices", "message", "content", text);
    body = json_dumps(answer, 0);
    json_decref(answer);
    r = mcphost_sampling_make_result(samplingrig_sampling, body, strlen(body),
                                     &samplingrig_result, &len, &samplingrig_error);
    ck_assert_int_eq(r, 0);
    ck_assert_uint_gt(len, size);
    free(body);
    free(text);
}
END_TEST

START_TEST(at_most_100_notes_are_kept)
{
    json_t *content = json_array(), *params;
    char *text;

    for (int i = 0; i < 1000; i++)
        json_array_append_new(content, json_pack("{s:s}", "type", "\x1b[2J"));
    params = json_pack("{s:[{s:s,s:o}],s:i}", "messages", "role", "user", "content",
                       content, "maxTokens", 1);
    text = json_dumps(params, 0);
    ck_assert_int_eq(mcphost_sampling_new(text, strlen(text), CHAT, 1, NULL, 0,
                                          &samplingrig_sampling, NULL),
                     0);
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 100);
    samplingrig_expect_note(98,
                            "messages[0].content[98]: content left out ( [2J): its type");
    samplingrig_expect_note(99, "more was left out");
    free(text);
    json_decref(params);
}
END_TEST

static unsigned seed = 7;

static unsigned
dice(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

/* Makes a random conversation that can be read back completely from the body of the
 * request.  Stores the number of uses of tools in `*ret_uses`. */
static json_t *
random_params(int *ret_uses)
{
    json_t *messages = json_array();
    unsigned n = 1 + dice(6);
    char text[64];

    *ret_uses = 0;
    for (unsigned i = 0; i < n; i++) {
        json_t *said = json_array(), *results = json_array();
        unsigned n_uses = dice(3);

        snprintf(text, sizeof(text), "say \"%u\" \t\n\\ %c", dice(1000), 32 + dice(90));
        json_array_append_new(said, json_pack("{s:s,s:s}", "type", "text", "text", text));
        for (unsigned j = 0; j < n_uses; j++) {
            snprintf(text, sizeof(text), "id %u/%u", i, j);
            json_array_append_new(said, json_pack("{s:s,s:s,s:s,s:{s:i}}", "type",
                                                  "tool_use", "id", text, "name", "t t",
                                                  "input", "k", (int)dice(100)));
            json_array_append_new(results,
                                  json_pack("{s:s,s:s,s:[{s:s,s:s}]}", "type",
                                            "tool_result", "toolUseId", text, "content",
                                            "type", "text", "text", text));
        }
        *ret_uses += (int)n_uses;
        json_array_append_new(
            messages, json_pack("{s:s,s:o}", "role", "assistant", "content", said));
        if (n_uses)
            json_array_append_new(
                messages, json_pack("{s:s,s:o}", "role", "user", "content", results));
        else
            json_decref(results);
    }
    return json_pack("{s:o,s:i,s:[{s:s,s:{s:s}}]}", "messages", messages, "maxTokens", 5,
                     "tools", "name", "t t", "inputSchema", "type", "object");
}

/* Reads each assistant message of a chat body as an answer.  The result must be the
 * message of the request, apart from the ids of its uses of tools. */
START_TEST(messages_written_for_chat_read_back_unchanged)
{
    for (int round = 0; round < 200; round++) {
        int n_uses, seen = 0;
        json_t *params = random_params(&n_uses), *body, *message;
        char *text = json_dumps(params, 0);
        size_t i, at = 0;

        samplingrig_down();
        ck_assert_int_eq(mcphost_sampling_new(text, strlen(text), CHAT, 1, NULL, ALL,
                                              &samplingrig_sampling, NULL),
                         0);
        free(text);
        body = json_loads(mcphost_sampling_get_json(samplingrig_sampling, NULL), 0, NULL);
        json_array_foreach(json_object_get(body, "messages"), i, message)
        {
            json_t *was, *is, *reply;
            size_t len;

            seen +=
                strcmp(json_string_value(json_object_get(message, "role")), "tool") == 0;
            if (strcmp(json_string_value(json_object_get(message, "role")), "assistant"))
                continue;
            reply = json_pack("{s:[{s:O}]}", "choices", "message", message);
            text = json_dumps(reply, 0);
            ck_assert_int_eq(
                mcphost_sampling_make_result(samplingrig_sampling, text, strlen(text),
                                             &samplingrig_result, &len, NULL),
                0);
            is = json_loads(samplingrig_result, 0, NULL);
            do
                was = json_array_get(json_object_get(params, "messages"), at++);
            while (strcmp(json_string_value(json_object_get(was, "role")), "assistant"));
            was = json_object_get(was, "content");
            if (json_array_size(was) == 1) {
                ck_assert(
                    json_equal(json_array_get(was, 0), json_object_get(is, "content")));
            } else {
                json_t *block;
                size_t j;

                json_array_foreach(was, j, block)
                {
                    json_t *got = json_array_get(json_object_get(is, "content"), j);

                    json_object_del(block, "id");
                    json_object_del(got, "id");
                    ck_assert(json_equal(block, got));
                }
            }
            free(text);
            mcphost_free(samplingrig_result);
            samplingrig_result = NULL;
            json_decref(reply);
            json_decref(is);
        }
        ck_assert_int_eq(seen, n_uses);
        json_decref(body);
        json_decref(params);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "answer");
    tcase_add_checked_fixture(tc, NULL, samplingrig_down);
    tcase_add_test(tc, a_chat_answer_becomes_a_result);
    tcase_add_test(tc, a_responses_answer_becomes_a_result);
    tcase_add_test(tc, an_anthropic_answer_becomes_a_result);
    tcase_add_test(tc, a_gemini_answer_becomes_a_result);
    tcase_add_test(tc, uses_of_tools_get_the_servers_names_back);
    tcase_add_test(tc, a_use_without_an_id_gets_an_id_and_keeps_its_signature);
    tcase_add_test(tc, broken_arguments_of_a_tool_use_are_an_error);
    tc = test_case(suite, "size");
    tcase_add_checked_fixture(tc, NULL, samplingrig_down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, ten_megabytes_of_text_are_converted_both_ways);
    tcase_add_test(tc, at_most_100_notes_are_kept);
    tcase_add_test(tc, messages_written_for_chat_read_back_unchanged);
}

int
main(void)
{
    return test_main("sampling_answer", add);
}
