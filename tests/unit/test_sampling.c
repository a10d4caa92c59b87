/* SPDX-License-Identifier: MIT
 *
 * test_sampling.c - writing sampling requests of servers in the formats of providers.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"
#include "unit/samplingrig.h"

/* ---- texts and limits -------------------------------------------------------------- */

#define TALK                                                                           \
    "{'systemPrompt':'Be brief.','messages':["                                         \
    "{'role':'user','content':{'type':'text','text':'caf\\u00e9?'}},"                  \
    "{'role':'assistant','content':[{'type':'text','text':'Yes'}]},"                   \
    "{'role':'user','content':[{'type':'text','text':'a'},{'type':'text','text':'b'}]" \
    "}],'maxTokens':64,'temperature':0.5,'stopSequences':['END'],"                     \
    "'modelPreferences':{'hints':[{'name':'x'}]},'includeContext':'none'}"

/* R164 */
START_TEST(a_conversation_is_written_in_the_format_of_each_provider)
{
    samplingrig_make(TALK, CHAT);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'system','content':'Be brief.'},"
        "{'role':'user','content':'caf\\u00e9?'},{'role':'assistant','content':'Yes'},"
        "{'role':'user','content':[{'type':'text','text':'a'},"
        "{'type':'text','text':'b'}]}],'max_completion_tokens':64,"
        "'temperature':0.5,'stop':['END']}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 0);
    samplingrig_make(TALK, ANTHROPIC);
    samplingrig_expect(
        "{'model':'m','system':'Be brief.','messages':[{'role':'user','content':["
        "{'type':'text','text':'caf\\u00e9?'}]},{'role':'assistant','content':["
        "{'type':'text','text':'Yes'}]},{'role':'user','content':["
        "{'type':'text','text':'a'},{'type':'text','text':'b'}]}],"
        "'max_tokens':64,'temperature':0.5,'stop_sequences':['END']}");
    samplingrig_make(TALK, GEMINI);
    samplingrig_expect(
        "{'systemInstruction':{'parts':[{'text':'Be brief.'}]},'contents':["
        "{'role':'user','parts':[{'text':'caf\\u00e9?'}]},"
        "{'role':'model','parts':[{'text':'Yes'}]},"
        "{'role':'user','parts':[{'text':'a'},{'text':'b'}]}],"
        "'generationConfig':{'maxOutputTokens':64,'temperature':0.5,"
        "'stopSequences':['END']}}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 0);
    samplingrig_make(TALK, RESPONSES);
    samplingrig_expect(
        "{'model':'m','instructions':'Be brief.','input':["
        "{'type':'message','role':'user','content':["
        "{'type':'input_text','text':'caf\\u00e9?'}]},"
        "{'type':'message','role':'assistant','content':["
        "{'type':'output_text','text':'Yes'}]},"
        "{'type':'message','role':'user','content':[{'type':'input_text','text':'a'},"
        "{'type':'input_text','text':'b'}]}],'max_output_tokens':64,"
        "'temperature':0.5}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 1);
    samplingrig_expect_note(0, "stopSequences: the provider accepts 0 of 1");
    ck_assert_ptr_null(mcphost_sampling_get_note(samplingrig_sampling, 1));
}
END_TEST

START_TEST(parameters_that_a_provider_does_not_take_are_cut_and_noted)
{
    static const char params[] =
        "{" HI ",'maxTokens':1,'temperature':3,'stopSequences':['1','2','3','4','5','6'],"
        "'metadata':{'user_id':'u','n':1},'includeContext':'allServers',"
        "'toolChoice':{'mode':'required'}}";

    samplingrig_make(params, CHAT);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':'hi'}],"
        "'max_completion_tokens':1,'temperature':2,'stop':['1','2','3','4']}");
    samplingrig_expect_note(0, "temperature: the provider accepts 0 to 2");
    samplingrig_expect_note(1, "stopSequences: the provider accepts 4 of 6");
    samplingrig_expect_note(2, "toolChoice left out");
    samplingrig_expect_note(3, "metadata: 2 members");
    samplingrig_expect_note(4, "includeContext");
    samplingrig_make(params, ANTHROPIC);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':[{'type':'text',"
        "'text':'hi'}]}],'max_tokens':1,'temperature':1,"
        "'stop_sequences':['1','2','3','4','5','6'],'metadata':{'user_id':'u'}}");
    samplingrig_make(params, GEMINI);
    samplingrig_expect(
        "{'contents':[{'role':'user','parts':[{'text':'hi'}]}],'generationConfig':{"
        "'maxOutputTokens':1,'temperature':2,"
        "'stopSequences':['1','2','3','4','5']}}");
    samplingrig_make(params, RESPONSES);
    ck_assert_ptr_nonnull(strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                                 "\"metadata\":{\"user_id\":\"u\"}"));
}
END_TEST

START_TEST(openai_compatible_providers_get_max_tokens)
{
    ck_assert_int_eq(
        samplingrig_try_as("{" HI ",'maxTokens':9}", CHAT, MCPHOST_PROFILE_MOONSHOT, 0),
        0);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':'hi'}],'max_tokens':9}");
    ck_assert_int_eq(
        samplingrig_try_as("{" HI ",'maxTokens':9}", CHAT, MCPHOST_PROFILE_IDENTITY, 0),
        0);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':'hi'}],'max_tokens':9}");
}
END_TEST

/* B.31 */
START_TEST(messages_of_role_system_join_the_system_prompt)
{
    samplingrig_make(
        "{'systemPrompt':'one','messages':[{'role':'system','content':{'type':'text',"
        "'text':'two'}},{'role':'user','content':{'type':'text','text':'hi'}}],"
        "'maxTokens':9}",
        ANTHROPIC);
    samplingrig_expect(
        "{'model':'m','system':'one\\n\\ntwo','messages':[{'role':'user','content':["
        "{'type':'text','text':'hi'}]}],'max_tokens':9}");
    samplingrig_is_invalid(
        "{'messages':[{'role':'system','content':{'type':'text','text':'x'}}],"
        "'maxTokens':1}",
        "only a system prompt");
}
END_TEST

START_TEST(an_empty_message_is_noted)
{
    for (int shape = CHAT; shape < SHAPES; shape++) {
        samplingrig_make(
            "{'messages':[{'role':'user','content':[]},{'role':'user','content':"
            "{'type':'text','text':''}}],'maxTokens':1}",
            shape);
        ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 2);
        samplingrig_expect_note(1, "messages[1]");
        samplingrig_expect_note(1, "the message is empty");
    }
}
END_TEST

/* ---- images and audio -------------------------------------------------------------- */

#define PNG "{'type':'image','data':'iVBORw==','mimeType':'image/png'}"
#define WAV "{'type':'audio','data':'UklGRg==','mimeType':'audio/x-wav'}"

/* R164 */
START_TEST(images_and_audio_are_sent_only_to_providers_that_take_them)
{
    static const char params[] = "{" ONE("[" PNG "," WAV "]") ",'maxTokens':5}";

    samplingrig_make(params, CHAT);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':[{'type':'image_url',"
        "'image_url':{'url':'data:image/png;base64,iVBORw=='}},{'type':'input_audio',"
        "'input_audio':{'data':'UklGRg==','format':'wav'}}]}],"
        "'max_completion_tokens':5}");
    samplingrig_make(params, GEMINI);
    samplingrig_expect(
        "{'contents':[{'role':'user','parts':[{'inlineData':{'mimeType':'image/png',"
        "'data':'iVBORw=='}},{'inlineData':{'mimeType':'audio/wav',"
        "'data':'UklGRg=='}}]}],'generationConfig':{'maxOutputTokens':5}}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 0);
    samplingrig_make(params, RESPONSES);
    samplingrig_expect(
        "{'model':'m','input':[{'type':'message','role':'user','content':[{'type':'input_"
        "image','image_url':'data:image/"
        "png;base64,iVBORw=='},{'type':'input_text','text':'[audio left out "
        "(audio/x-wav): the provider does not accept it]'}]}],'max_output_tokens':5}");
    samplingrig_expect_note(
        0, "messages[0].content[1]: audio left out (audio/x-wav): the provider");
    samplingrig_make(params, ANTHROPIC);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'user','content':[{'type':'image','source':{'"
        "type':'base64','media_type':'image/"
        "png','data':'iVBORw=='}},{'type':'text','text':'[audio left out (audio/x-wav): "
        "the provider does not accept it]'}]}],'max_tokens':5}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 1);
}
END_TEST

/* R165 */
START_TEST(a_model_without_images_and_audio_gets_texts_in_their_place)
{
    for (int shape = CHAT; shape < SHAPES; shape++) {
        ck_assert_int_eq(
            samplingrig_try_as("{" ONE("[" PNG "," WAV "]") ",'maxTokens':5}", shape,
                               samplingrig_profiles[shape], 0),
            0);
        ck_assert_ptr_nonnull(
            strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                   "[image left out (image/png): the model does not accept it]"));
        ck_assert_ptr_null(
            strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL), "iVBORw"));
        ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 2);
    }
}
END_TEST

START_TEST(an_image_of_an_unknown_type_or_from_an_assistant_is_left_out)
{
    samplingrig_make(
        "{'messages':[{'role':'user','content':{'type':'image','data':'AAAA',"
        "'mimeType':'image/tiff'}},{'role':'assistant','content':" PNG "},"
        "{'role':'user','content':{'type':'video','x':1}}],'maxTokens':5}",
        ANTHROPIC);
    samplingrig_expect_note(0, "messages[0].content[0]: image left out (image/tiff): the "
                               "provider does not accept images of this type");
    samplingrig_expect_note(1, "messages[1].content[0]: image left out (image/png): the "
                               "provider does not accept it from an assistant");
    samplingrig_expect_note(2, "content left out (video): its type is not known");
    samplingrig_make(
        "{'messages':[{'role':'assistant','content':" PNG "},{'role':'user',"
        "'content':{'type':'image','data':'AAAA','mimeType':'IMAGE/JPG; q=1'}}],"
        "'maxTokens':5}",
        GEMINI);
    samplingrig_expect(
        "{'contents':[{'role':'model','parts':[{'inlineData':{'mimeType':'image/png',"
        "'data':'iVBORw=='}}]},{'role':'user','parts':[{'inlineData':{"
        "'mimeType':'image/jpeg','data':'AAAA'}}]}],"
        "'generationConfig':{'maxOutputTokens':5}}");
}
END_TEST

START_TEST(broken_base64_is_mended_or_its_image_is_left_out)
{
    for (int shape = CHAT; shape < SHAPES; shape++) {
        samplingrig_make(
            "{" ONE("[{'type':'image','data':'iV BO\\nRw','mimeType':'image/png'},"
                    "{'type':'image','data':'iV!O','mimeType':'image/png'},"
                    "{'type':'image','data':'','mimeType':'image/png'}]") ",'maxTokens':"
                                                                          "5}",
            shape);
        ck_assert_ptr_nonnull(
            strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL), "iVBORw=="));
        ck_assert_ptr_null(
            strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL), "iV!O"));
        samplingrig_expect_note(
            0, "content[1]: image left out (image/png): its base64 is invalid");
        samplingrig_expect_note(1, "content[2]: image left out (image/png): it is empty");
    }
}
END_TEST

/* ---- tools ------------------------------------------------------------------------- */

#define LOOP                                                                       \
    "{'messages':[{'role':'user','content':{'type':'text','text':'go'}},"          \
    "{'role':'assistant','content':[{'type':'text','text':'I will'},"              \
    "{'type':'tool_use','id':'c1','name':'get.it','input':{'n':1},'_meta':{"       \
    "'mcphost/thoughtSignature':'sig'}},"                                          \
    "{'type':'tool_use','id':'mcphost_2','name':'get.it','input':{}}]},"           \
    "{'role':'user','content':[{'type':'tool_result','toolUseId':'c1','content':[" \
    "{'type':'text','text':'one'}," PNG                                            \
    "]},{'type':'tool_result','toolUseId':'mcphost_2','isError':true,'content':["  \
    "{'type':'text','text':'no'}]}]}],'maxTokens':7," TOOLS "}"

/* Replaces each @ in `wanted` by the provider's name of the tool.  Compares the body with
 * the resulting text. */
static void
expect_named(const char *wanted)
{
    char text[4096], name[80];
    size_t n = 0;

    samplingrig_name(name);
    for (; *wanted; wanted++) {
        const char *add = *wanted == '@' ? name : wanted;
        size_t len = *wanted == '@' ? strlen(name) : 1;

        ck_assert_uint_lt(n + len, sizeof(text));
        memcpy(text + n, add, len);
        n += len;
    }
    text[n] = '\0';
    samplingrig_expect(text);
}

/* R164, R175 */
START_TEST(uses_and_results_of_tools_are_written_for_chat)
{
    samplingrig_make(LOOP, CHAT);
    expect_named(
        "{'model':'m','messages':[{'role':'user','content':'go'},{'role':'assistant','"
        "content':'I "
        "will','tool_calls':[{'id':'c1','type':'function','function':{'name':'@','"
        "arguments':'{\\'n\\':1}'}},{'id':'mcphost_2','type':'function','function':{'"
        "name':'@','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c1','content':'"
        "one\\n[image left out (image/png): the provider accepts only text "
        "there]'},{'role':'tool','tool_call_id':'mcphost_2','content':'The tool "
        "failed:\\nno'}],'max_completion_tokens':7,'tools':[{'type':'function','function'"
        ":{'name':'@','description':'D','parameters':{'type':'object','properties':{'dry-"
        "run':{'type':'string'},'n':{'type':'integer'}},'required':['n']}}}],'tool_"
        "choice':'required'}");
    samplingrig_expect_note(0, "messages[2].content[0]: image left out");
}
END_TEST

START_TEST(uses_and_results_of_tools_are_written_for_responses)
{
    samplingrig_make(LOOP, RESPONSES);
    expect_named(
        "{'model':'m','input':[{'type':'message','role':'user','content':["
        "{'type':'input_text','text':'go'}]},"
        "{'type':'message','role':'assistant','content':[{'type':'output_text',"
        "'text':'I will'}]},"
        "{'type':'function_call','call_id':'c1','name':'@','arguments':'{\\'n\\':1}'},"
        "{'type':'function_call','call_id':'mcphost_2','name':'@','arguments':'{}'},"
        "{'type':'function_call_output','call_id':'c1','output':["
        "{'type':'input_text','text':'one'},"
        "{'type':'input_image','image_url':'data:image/png;base64,iVBORw=='}]},"
        "{'type':'function_call_output','call_id':'mcphost_2',"
        "'output':'The tool failed:\\nno'}],"
        "'max_output_tokens':7,'tools':[{'type':'function','name':'@',"
        "'description':'D','parameters':{'type':'object','properties':{'dry-run':{"
        "'type':'string'},'n':{'type':'integer'}},'required':['n']},'strict':false}],"
        "'tool_choice':'required'}");
    ck_assert_uint_eq(mcphost_sampling_count_notes(samplingrig_sampling), 0);
}
END_TEST

START_TEST(uses_and_results_of_tools_are_written_for_anthropic)
{
    samplingrig_make(LOOP, ANTHROPIC);
    expect_named(
        "{'model':'m','messages':[{'role':'user','content':[{'type':'text',"
        "'text':'go'}]},"
        "{'role':'assistant','content':[{'type':'text','text':'I will'},"
        "{'type':'tool_use','id':'c1','name':'@','input':{'n':1}},"
        "{'type':'tool_use','id':'mcphost_2','name':'@','input':{}}]},"
        "{'role':'user','content':["
        "{'type':'tool_result','tool_use_id':'c1','content':[{'type':'text',"
        "'text':'one'},{'type':'image','source':{'type':'base64',"
        "'media_type':'image/png','data':'iVBORw=='}}]},"
        "{'type':'tool_result','tool_use_id':'mcphost_2','content':[{'type':'text',"
        "'text':'no'}],'is_error':true}]}],"
        "'max_tokens':7,'tools':[{'name':'@','description':'D','input_schema':{"
        "'type':'object','properties':{'dry-run':{'type':'string'},'n':{"
        "'type':'integer'}},'required':['n']}}],'tool_choice':{'type':'any'}}");
}
END_TEST

START_TEST(uses_and_results_of_tools_are_written_for_gemini)
{
    char *text;
    json_t *body, *parts;

    samplingrig_make(LOOP, GEMINI);
    body = json_loads(mcphost_sampling_get_json(samplingrig_sampling, NULL), 0, NULL);
    parts =
        json_object_get(json_array_get(json_object_get(body, "contents"), 1), "parts");
    ck_assert_uint_eq(json_array_size(parts), 3);
    text = json_dumps(json_array_get(parts, 1), JSON_SORT_KEYS | JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(text, "\"args\":{\"n\":1},\"id\":\"c1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"thoughtSignature\":\"sig\""));
    free(text);
    /* The library sends this use of a tool without an id, because Gemini gave the use no
     * id. */
    text = json_dumps(json_array_get(parts, 2), JSON_SORT_KEYS | JSON_COMPACT);
    ck_assert_ptr_null(strstr(text, "\"id\""));
    free(text);
    parts =
        json_object_get(json_array_get(json_object_get(body, "contents"), 2), "parts");
    text = json_dumps(parts, JSON_SORT_KEYS | JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(text, "\"id\":\"c1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"response\":{\"output\":\"one\\n[image left"));
    ck_assert_ptr_nonnull(strstr(text, "\"response\":{\"error\":\"no\"}"));
    free(text);
    text = json_dumps(json_object_get(body, "toolConfig"), JSON_COMPACT);
    ck_assert_str_eq(text, "{\"functionCallingConfig\":{\"mode\":\"ANY\"}}");
    free(text);
    /* The library replaces the name `dry-run`, because Gemini accepts no parameter names
     * with a hyphen. */
    text = json_dumps(json_object_get(body, "tools"), JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(text, "[{\"functionDeclarations\":[{\"name\":"));
    ck_assert_ptr_null(strstr(text, "dry-run\":"));
    free(text);
    json_decref(body);
}
END_TEST

/* R165 */
START_TEST(a_model_without_tools_gets_uses_and_results_as_text)
{
    for (int shape = CHAT; shape < SHAPES; shape++) {
        const char *json;

        ck_assert_int_eq(samplingrig_try_as(LOOP, shape, samplingrig_profiles[shape],
                                            ALL & ~MCPHOST_MODALITY_TOOLS),
                         0);
        json = mcphost_sampling_get_json(samplingrig_sampling, NULL);
        ck_assert_ptr_nonnull(strstr(json, "[use of the tool 'get.it': {\\\"n\\\":1}]"));
        ck_assert_ptr_nonnull(strstr(json, "[result of the tool 'get.it': one"));
        ck_assert_ptr_nonnull(strstr(json, "[failure of the tool 'get.it': no]"));
        ck_assert_ptr_nonnull(strstr(
            json, "[image left out (image/png): the provider accepts only text there]"));
        ck_assert_ptr_null(strstr(json, "\"tools\""));
        ck_assert_ptr_null(strstr(json, "tool_choice"));
        samplingrig_expect_note(0, "tools left out: the model does not accept tools");
        samplingrig_expect_note(
            1, "messages[1].content[1]: use of the tool 'get.it' sent as text");
    }
}
END_TEST

#define PAIR(result)                                                          \
    "{'messages':[{'role':'assistant','content':{'type':'tool_use','id':'c'," \
    "'name':'t','input':{}}},{'role':'user','content':{'type':'tool_result'," \
    "'toolUseId':'c'," result "}}],'maxTokens':7}"

START_TEST(a_tool_result_without_content_is_written_as_its_structured_content)
{
    samplingrig_make(PAIR("'content':[],'structuredContent':{'a':1}"), CHAT);
    ck_assert_ptr_nonnull(strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                                 "\"content\":\"{\\\"a\\\":1}\""));
    samplingrig_make(
        PAIR("'content':[{'type':'text','text':'A'}],'structuredContent':{'a':1}"), CHAT);
    ck_assert_ptr_nonnull(strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                                 "\"content\":\"A\""));
    samplingrig_make(
        PAIR("'content':[{'type':'resource_link','uri':'file:///a','name':'a'},"
             "{'type':'resource','resource':{'uri':'x:b','text':'B'}},"
             "{'type':'resource','resource':{'uri':'x:c','blob':'AA=='}}]"),
        CHAT);
    ck_assert_ptr_nonnull(strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                                 "\"content\":\"[resource: file:///a]\\nB\\n[resource "
                                 "left out (x:c): it is not text]\""));
    /* Each use of a tool becomes text, because Anthropic refuses uses of tools in a
     * request without `tools`. */
    samplingrig_make(PAIR("'content':[{'type':'text','text':'A'}]"), ANTHROPIC);
    samplingrig_expect(
        "{'model':'m','messages':[{'role':'assistant','content':[{'type':'text',"
        "'text':'[use of the tool \\u0027t\\u0027: {}]'}]},{'role':'user','content':["
        "{'type':'text','text':'[result of the tool \\u0027t\\u0027: A]'}]}],"
        "'max_tokens':7}");
}
END_TEST

#define USE(id)    "{'type':'tool_use','id':'" id "','name':'t','input':{}}"
#define RESULT(id) "{'type':'tool_result','toolUseId':'" id "','content':[]}"
#define SAID(c)    "{'role':'assistant','content':" c "}"
#define ASKED(c)   "{'role':'user','content':" c "}"
#define SEQ(m)     "{'messages':[" m "],'maxTokens':1}"

/* MCP 2025-11-25, "Sampling": for example, the message after uses of tools must have a
 * result for each use. */
START_TEST(uses_and_results_that_do_not_match_are_refused)
{
    static const char lack[] = "the uses of tools in an earlier message have no results";

    samplingrig_is_invalid(SEQ(SAID(USE("a"))), lack);
    samplingrig_is_invalid(SEQ(SAID(USE("a")) "," ASKED("{'type':'text','text':'x'}")),
                           lack);
    samplingrig_is_invalid(
        SEQ(SAID("[" USE("a") "," USE("b") "]") "," ASKED(RESULT("a"))), lack);
    samplingrig_is_invalid(SEQ(SAID(USE("a")) "," SAID("{'type':'text','text':'x'}")),
                           lack);
    samplingrig_is_invalid(SEQ(SAID("[" USE("a") "," USE("a") "]")),
                           "two uses of tools have the same id");
    samplingrig_is_invalid(SEQ(ASKED(RESULT("a"))), "no use of a tool for this result");
    samplingrig_is_invalid(
        SEQ(SAID(USE("a")) "," ASKED("[" RESULT("a") "," RESULT("a") "]")),
        "no use of a tool for this result");
    samplingrig_is_invalid(SEQ(SAID(USE("a")) "," ASKED("[" RESULT("a") ",{'type':'text',"
                                                                        "'text':'x'}]")),
                           "results of tools are mixed with other content");
    samplingrig_is_invalid(SEQ(ASKED(USE("a"))), "a user message cannot use tools");
    samplingrig_is_invalid(SEQ(SAID(RESULT("a"))),
                           "an assistant message cannot have results");
    samplingrig_is_invalid(
        SEQ(SAID("{'type':'tool_use','id':'a','name':'t','input':[]}")),
        "the input of a tool must be an object");
    samplingrig_is_invalid(SEQ(SAID("{'type':'tool_use','name':'t','input':{}}")),
                           "an id and a name");
}
END_TEST

START_TEST(ids_that_a_provider_would_refuse_are_replaced_in_use_and_result)
{
    const char *json, *at, *other;

    samplingrig_make(SEQ(SAID(USE("call|1/2")) "," ASKED(RESULT("call|1/2"))), CHAT);
    json = mcphost_sampling_get_json(samplingrig_sampling, NULL);
    ck_assert_ptr_null(strstr(json, "call|1"));
    at = strstr(json, "\"id\":\"");
    other = strstr(json, "\"tool_call_id\":\"");
    ck_assert(at && other);
    ck_assert_int_eq(strncmp(at + 6, other + 16, 33), 0);
    ck_assert_int_eq(at[6 + 32], '"');
}
END_TEST

START_TEST(tools_that_cannot_be_sent_are_noted)
{
    samplingrig_make(
        "{" HI ",'maxTokens':1,'tools':[{'name':'no','inputSchema':{'type':'string'}},"
        "{'name':'yes','inputSchema':{'type':'object'}}]}",
        ANTHROPIC);
    samplingrig_expect_note(0, "tool 'no' left out: ");
    ck_assert_ptr_nonnull(strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL),
                                 "\"tools\":[{\"name\":\"yes\""));
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'tools':[{'name':'a','inputSchema':{}},"
                           "{'name':'\\u0061','inputSchema':{}}]}",
                           "params.tools[1]: another tool has this name");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'tools':[{'name':'a'}]}",
                           "params.tools[0]");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'tools':{}}",
                           "params.tools: not an array");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'toolChoice':{'mode':'any'}}",
                           "toolChoice");
}
END_TEST

/* ---- bad requests ------------------------------------------------------------------ */

START_TEST(requests_that_break_the_protocol_are_refused_with_the_place)
{
    samplingrig_is_invalid("", "not valid JSON");
    samplingrig_is_invalid("[]", "expected object");
    samplingrig_is_invalid("{" HI "}", "maxTokens");
    samplingrig_is_invalid("{" HI ",'maxTokens':0}", "maxTokens");
    samplingrig_is_invalid("{" HI ",'maxTokens':1.5}", "maxTokens");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'maxTokens':2}", "occurs twice");
    samplingrig_is_invalid("{'maxTokens':1}", "params.messages: not an array");
    samplingrig_is_invalid("{'messages':[],'maxTokens':1}",
                           "params.messages: there are none");
    samplingrig_is_invalid("{'messages':[1],'maxTokens':1}", "params.messages[0]");
    samplingrig_is_invalid(
        "{'messages':[{'role':'dog','content':{'type':'text','text':''}}],"
        "'maxTokens':1}",
        "params.messages[0]: the role must be user or assistant");
    samplingrig_is_invalid("{" ONE("'x'") ",'maxTokens':1}",
                           "content must be an object with a type");
    samplingrig_is_invalid("{" ONE("{'type':'text'}") ",'maxTokens':1}",
                           "a text, id or name");
    samplingrig_is_invalid("{" ONE("{'type':'image','data':1}") ",'maxTokens':1}",
                           "an image");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'temperature':'x'}",
                           "temperature is not a number");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'stopSequences':[1]}", "stopSequences");
    samplingrig_is_invalid("{" HI ",'maxTokens':1,'systemPrompt':1}",
                           "systemPrompt is not a string");
    samplingrig_is_invalid("{" ONE("{'type':'text','text':'\xff'}") ",'maxTokens':1}",
                           "invalid UTF-8");
}
END_TEST

START_TEST(half_a_surrogate_pair_is_replaced_by_u_fffd)
{
    samplingrig_make("{" ONE("{'type':'text','text':'a\\ud800b'}") ",'maxTokens':1}",
                     CHAT);
    samplingrig_expect("{'model':'m','messages':[{'role':'user','content':'a\\ufffdb'}],"
                       "'max_completion_tokens':1}");
}
END_TEST

/* Each text that the library gives out is UTF-8 and ends with a NUL (see types.h). */
START_TEST(texts_are_utf8_and_end_with_a_nul)
{
    static const char said[] =
        "{\"choices\":[{\"message\":{\"content\":\"e\\u0000\\ud800\\n\"}}]}";

    samplingrig_make("{" ONE("[{'type':'text','text':'e\\u0000\\ud800\\n'},"
                             "{'type':'e\\u0000\\ud800\\n'}]") ",'maxTokens':1}",
                     CHAT);
    GET_LEN(mcphost_sampling_get_json, samplingrig_sampling);
    GET(mcphost_sampling_get_note, samplingrig_sampling, 0);
    MAKE(mcphost_sampling_make_result, samplingrig_sampling, said, strlen(said), &text_,
         &len_, NULL);
    texts_expect("sampling_");
}
END_TEST

START_TEST(wrong_arguments_of_the_functions_are_refused)
{
    static const char good[] = "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                               "\"text\",\"text\":\"x\"}}],\"maxTokens\":1}";
    mcphost_sampling *s = NULL;
    char *json = NULL;
    size_t len = sizeof(good) - 1;

#define NEW(p, shape, profile, model, modalities) \
    mcphost_sampling_new(p, len, shape, profile, model, modalities, &s, NULL)
    ck_assert_int_eq(NEW(NULL, CHAT, 1, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, MCPHOST_SHAPE_MCP, 0, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, SHAPES, 0, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, -1, 0, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, CHAT, MCPHOST_PROFILE_GEMINI, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, CHAT, 99, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, CHAT, 1, "\xff", 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, CHAT, 1, NULL, 8), MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW(good, CHAT, 1, NULL, -1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_sampling_new(good, len, CHAT, 1, NULL, 0, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(NEW("{}", CHAT, 1, NULL, 0), MCPHOST_E_INVALID);
    ck_assert_ptr_null(s);
    ck_assert_int_eq(NEW(good, CHAT, 1, NULL, 0), 0);
    ck_assert_ptr_null(strstr(mcphost_sampling_get_json(s, NULL), "model"));
    ck_assert_ptr_eq(mcphost_sampling_ref(s), s);
    ck_assert_ptr_null(mcphost_sampling_unref(s));
    ck_assert_int_eq(mcphost_sampling_make_result(s, NULL, 0, &json, &len, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_sampling_make_result(s, "x", 1, &json, &len, NULL),
                     MCPHOST_E_PROTOCOL);
    ck_assert_int_eq(mcphost_sampling_make_result(NULL, "x", 1, &json, &len, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(json);
    ck_assert_ptr_null(mcphost_sampling_unref(s));
    ck_assert_ptr_null(mcphost_sampling_unref(NULL));
    ck_assert_ptr_null(mcphost_sampling_ref(NULL));
    ck_assert_ptr_null(mcphost_sampling_get_json(NULL, &len));
    ck_assert_uint_eq(len, 0);
    ck_assert_uint_eq(mcphost_sampling_count_notes(NULL), 0);
    ck_assert_ptr_null(mcphost_sampling_get_note(NULL, 0));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc;

    tc = test_case(suite, "request");
    tcase_add_checked_fixture(tc, NULL, samplingrig_down);
    tcase_add_test(tc, a_conversation_is_written_in_the_format_of_each_provider);
    tcase_add_test(tc, parameters_that_a_provider_does_not_take_are_cut_and_noted);
    tcase_add_test(tc, openai_compatible_providers_get_max_tokens);
    tcase_add_test(tc, messages_of_role_system_join_the_system_prompt);
    tcase_add_test(tc, an_empty_message_is_noted);
    tcase_add_test(tc, images_and_audio_are_sent_only_to_providers_that_take_them);
    tcase_add_test(tc, a_model_without_images_and_audio_gets_texts_in_their_place);
    tcase_add_test(tc, an_image_of_an_unknown_type_or_from_an_assistant_is_left_out);
    tcase_add_test(tc, broken_base64_is_mended_or_its_image_is_left_out);
    tcase_add_test(tc, requests_that_break_the_protocol_are_refused_with_the_place);
    tcase_add_test(tc, half_a_surrogate_pair_is_replaced_by_u_fffd);
    tcase_add_test(tc, texts_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, wrong_arguments_of_the_functions_are_refused);
    tc = test_case(suite, "tools");
    tcase_add_checked_fixture(tc, NULL, samplingrig_down);
    tcase_add_test(tc, uses_and_results_of_tools_are_written_for_chat);
    tcase_add_test(tc, uses_and_results_of_tools_are_written_for_responses);
    tcase_add_test(tc, uses_and_results_of_tools_are_written_for_anthropic);
    tcase_add_test(tc, uses_and_results_of_tools_are_written_for_gemini);
    tcase_add_test(tc, a_model_without_tools_gets_uses_and_results_as_text);
    tcase_add_test(tc,
                   a_tool_result_without_content_is_written_as_its_structured_content);
    tcase_add_test(tc, uses_and_results_that_do_not_match_are_refused);
    tcase_add_test(tc, ids_that_a_provider_would_refuse_are_replaced_in_use_and_result);
    tcase_add_test(tc, tools_that_cannot_be_sent_are_noted);
}

int
main(void)
{
    return test_main("sampling", add);
}
