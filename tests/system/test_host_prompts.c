/* SPDX-License-Identifier: MIT
 *
 * test_host_prompts.c - calls that get prompts or complete arguments of prompts.
 */
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define BASE                                                         \
    "capabilities {\"tools\":{},\"prompts\":{\"listChanged\":true}," \
    "\"completions\":{}}\n"
#define LIST(on, prompts)                                                      \
    "on prompts/list" on "\n result {\"resultType\":\"complete\",\"ttlMs\":0," \
    "\"cacheScope\":\"private\",\"prompts\":[" prompts "]}\n"
#define REVIEW                                                                         \
    "{\"name\":\"review\",\"arguments\":[{\"name\":\"co\\u0064e\",\"required\":true}," \
    "{\"name\":\"tone\"},{\"name\":\"odd\",\"required\":\"yes\"}]}"
#define ANSWER(messages)                                                                \
    "on prompts/get\n result {\"resultType\":\"complete\",\"messages\":[" messages "]}" \
    "\n"

static const char *const eras[] = {"era legacy\n", "era modern\n"};

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(const char *era, const char *keys, const char *script)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", era, BASE, script);
    hr_up(&hr);
    hr_server(&hr, "a", keys, text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static mcphost_call *
keep_call(mcphost_call *call)
{
    hr.calls[hr.n_calls++] = call;
    return call;
}

static mcphost_call *
ask(const char *name, const char *arguments)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    if (mcphost_call_new_prompt(d, name, arguments, arguments ? strlen(arguments) : 0,
                                &call, &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    return keep_call(call);
}

static mcphost_result *
end(mcphost_call *call)
{
    hr_go(call);
    if (hr_end(&hr, call) < 0)
        ck_abort_msg("%s", hr_why(call));
    return mcphost_call_get_result(call);
}

static int
fails(mcphost_call *call, const char *why)
{
    int r;

    hr_go(call);
    r = hr_end(&hr, call);
    test_has(hr_why(call), why);
    return r;
}

static void
refused(const char *name, const char *arguments, int code, const char *why)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    ck_assert_int_eq(mcphost_call_new_prompt(d, name, arguments,
                                             arguments ? strlen(arguments) : 0, &call,
                                             &err),
                     code);
    test_has(mcphost_error_get_message(err), why);
    mcphost_error_unref(err);
}

/* ---- getting prompts --------------------------------------------------------------- */

/* R166 R178 K19 */
START_TEST(the_contents_of_the_messages_are_the_items_of_the_result)
{
    mcphost_result *result;
    mcphost_call *call;
    const char *text;
    size_t len;

    up(eras[_i], NULL,
       LIST("", REVIEW) ANSWER(
           "{\"role\":\"system\",\"content\":{\"type\":\"text\",\"text\":\"be "
           "\\u00e4\"}},"
           "{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"AAEC\","
           "\"mimeType\":\"image/png\"}},"
           "{\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":\"f:a\","
           "\"text\":\"x\"}},\"role\":\"assistant\"},"
           "{\"content\":{\"type\":\"text\",\"text\":\"last\"},\"role\":\"user\"}"));
    call = ask("a_review", " {\"code\":\"x=1\"} ");
    ck_assert_ptr_null(mcphost_call_get_arguments(call, &len));
    ck_assert_uint_eq(len, 0);
    result = end(call);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace",
                                         "\"name\":\"review\",\"arguments\":{\"code\":"
                                         "\"x=1\"}"),
                     1);
    ck_assert_uint_eq(mcphost_result_count_items(result), 4);
    ck_assert_str_eq(mcphost_result_item_get_role(result, 0, &len), "system");
    ck_assert_uint_eq(len, 6);
    ck_assert_str_eq(mcphost_result_item_get_role(result, 2, NULL), "assistant");
    ck_assert_ptr_null(mcphost_result_item_get_role(result, 4, NULL));
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 0), MCPHOST_CONTENT_TEXT);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 1), MCPHOST_CONTENT_IMAGE);
    ck_assert_int_eq(mcphost_result_item_get_kind(result, 2), MCPHOST_CONTENT_RESOURCE);
    ck_assert_str_eq(mcphost_result_item_get_mime_type(result, 1), "image/png");
    ck_assert_str_eq(mcphost_result_item_get_uri(result, 2, NULL), "f:a");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mcphost_result_item_get_text(result, 3, &text, &len), 0);
        ck_assert_str_eq(text, "last");
        ck_assert_str_eq(mcphost_result_item_get_role(result, 3, NULL), "user");
        ck_assert_int_eq(mcphost_result_item_get_text(result, 0, &text, &len), 0);
        ck_assert_str_eq(text, "be \xc3\xa4");
        ck_assert_str_eq(mcphost_result_item_get_json(result, 3, NULL),
                         "{\"type\":\"text\",\"text\":\"last\"}");
        ck_assert_ptr_null(mcphost_result_item_get_json(result, 4, NULL));
    }
    test_has(mcphost_result_get_json(result, NULL),
             "\"text\":\"last\"},\"role\":\"user\"}]}");
    hr_down(&hr);
}
END_TEST

START_TEST(a_renamed_prompt_is_requested_by_its_original_name) /* R23 */
{
    up(eras[0], "prompts: {transform: [{prefix: 'my-'}]}\ntransform: []",
       LIST("", "{\"name\":\"p\"}") ANSWER(""));
    ck_assert_uint_eq(mcphost_result_count_items(end(ask("my-p", NULL))), 0);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "{\"name\":\"p\"}"), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "my-p"), 0);
    hr_down(&hr);
}
END_TEST

/* R166: the library refuses wrong arguments and unknown prompts.  A tool is not a
 * prompt. */
START_TEST(arguments_are_checked_before_anything_is_sent)
{
    up(eras[0], NULL, LIST("", REVIEW) ANSWER(""));
    refused("a_review", NULL, MCPHOST_E_INVALID, "needs the argument");
    refused("a_review", "{}", MCPHOST_E_INVALID, "needs the argument");
    refused("a_review", "{\"tone\":\"x\"}", MCPHOST_E_INVALID, "a_review");
    refused("a_review", "{\"code\":1}", MCPHOST_E_INVALID, "\"code\" is not a string");
    refused("a_review", "[]", MCPHOST_E_INVALID, "arguments of prompt 'a_review'");
    refused("a_review", "{", MCPHOST_E_INVALID, "arguments of prompt 'a_review'");
    refused("a_echo", NULL, MCPHOST_E_NOTFOUND, "no prompt 'a_echo'");
    refused("review", "{\"code\":\"\"}", MCPHOST_E_NOTFOUND, "no prompt 'review'");
    end(ask("a_review", "{\"c\\u006fde\":\"\"}"));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "prompts/get"), 1);
    mcphost_dialog_close(d);
    refused("a_review", "{\"code\":\"\"}", MCPHOST_E_CLOSED, "");
    hr_down(&hr);
}
END_TEST

START_TEST(a_malformed_prompt_result_fails_with_the_reason) /* R166 */
{
    static const struct {
        const char *result, *why;
    } cases[] = {
        {"{}", "no array 'messages'"},
        {"{\"messages\":[7]}", "string 'role'"},
        {"{\"messages\":[{\"content\":{}}]}", "string 'role'"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", "object 'content'"},
    };
    char script[512];

    snprintf(script, sizeof(script), "%son prompts/get\n result %s\n",
             LIST("", "{\"name\":\"p\"}"), cases[_i].result);
    up(eras[0], NULL, script);
    ck_assert_int_eq(fails(ask("a_p", NULL), cases[_i].why), MCPHOST_E_PROTOCOL);
    hr_down(&hr);
}
END_TEST

/* B.17: a refused prompt is no problem, because the server itself works. */
START_TEST(a_prompt_that_the_server_refuses_is_no_problem)
{
    up(eras[_i], NULL,
       LIST("", "{\"name\":\"p\"}") "on prompts/get\n error -32602 not so\n");
    ck_assert_int_eq(fails(ask("a_p", NULL), "not so"), MCPHOST_E_RPC);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_PROBLEM, "a", NULL, -1), 0);
    hr_down(&hr);
}
END_TEST

/* R110 */
START_TEST(a_prompt_that_is_no_longer_listed_is_not_requested)
{
    mcphost_call *call;

    up(eras[0], "truely-stateless: true",
       LIST(" 1", "{\"name\":\"p\"}") LIST(" 2", "{\"name\":\"q\"}") ANSWER(
           "") "tool grow\non call:grow\n notify notifications/prompts/list_changed\n"
               " text ok\n");
    call = ask("a_p", NULL);
    hr_say(&hr, d, "a_grow", NULL);
    hr_until(&hr, mcphost_call_new_prompt(d, "a_q", NULL, 0, &hr.calls[hr.n_calls],
                                          NULL) == 0);
    hr.n_calls++;
    ck_assert_int_eq(fails(call, "prompt 'p' of server 'a' is no longer offered"),
                     MCPHOST_E_GONE);
    end(hr.calls[hr.n_calls - 1]);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "prompts/get"), 1);
    hr_down(&hr);
}
END_TEST

/* B.18 R84 */
START_TEST(a_grant_of_single_tools_gives_no_prompt_and_no_resource)
{
    mcphost_grant *whole, *single;
    mcphost_view *view;
    mcphost_call *prompt, *read;

    up(eras[0], NULL, LIST("", "{\"name\":\"p\"}"));
    whole = hr_grant("a", "");
    single = hr_grant("", "a_echo");
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", whole, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "e", NULL, &d, NULL), 0);
    prompt = ask("a_p", NULL);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "f:a", &read, NULL), 0);
    ck_assert_int_eq(mcphost_view_set_grant(view, single), 0);
    ck_assert_int_eq(fails(prompt, "single tools"), MCPHOST_E_DENIED);
    ck_assert_int_eq(fails(keep_call(read), "single tools"), MCPHOST_E_DENIED);
    refused("a_p", NULL, MCPHOST_E_NOTFOUND, "no prompt");
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "prompts/get"), 0);
    mcphost_grant_unref(whole);
    mcphost_grant_unref(single);
    mcphost_dialog_unref(d);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* ---- completion -------------------------------------------------------------------- */

START_TEST(an_argument_of_a_prompt_is_completed) /* R166 */
{
    mcphost_result *result;
    mcphost_call *call;

    up(eras[_i], NULL,
       LIST("", REVIEW) "on completion/complete\n result {\"resultType\":\"complete\","
                        "\"completion\":{\"values\":[\"calm\"]}}\n");
    ck_assert_int_eq(mcphost_call_new_complete_prompt(
                         d, "a_review", "tone", "c", "{\"code\":\"x\"}", 12, &call, NULL),
                     0);
    ck_assert_ptr_null(mcphost_call_get_arguments(call, NULL));
    result = end(keep_call(call));
    ck_assert_str_eq(mcphost_result_get_value(result, 0, NULL), "calm");
    ck_assert_ptr_null(mcphost_result_item_get_role(result, 0, NULL));
    ck_assert_int_eq(
        rig_workspace_count(&hr.ws, "a.trace",
                            "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review\"},"
                            "\"argument\":{\"name\":\"tone\",\"value\":\"c\"},"
                            "\"context\":{\"arguments\":{\"code\":\"x\"}}"),
        1);
    ck_assert_int_eq(
        mcphost_call_new_complete_prompt(d, "none", "tone", "", NULL, 0, &call, NULL),
        MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new_complete_prompt(d, "a_review", "tone", "\xff", NULL,
                                                      0, &call, NULL),
                     MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "prompts");

    tcase_add_loop_test(tc, the_contents_of_the_messages_are_the_items_of_the_result, 0,
                        2);
    tcase_add_test(tc, a_renamed_prompt_is_requested_by_its_original_name);
    tcase_add_test(tc, arguments_are_checked_before_anything_is_sent);
    tcase_add_loop_test(tc, a_malformed_prompt_result_fails_with_the_reason, 0, 4);
    tcase_add_loop_test(tc, a_prompt_that_the_server_refuses_is_no_problem, 0, 2);
    tcase_add_test(tc, a_prompt_that_is_no_longer_listed_is_not_requested);
    tcase_add_test(tc, a_grant_of_single_tools_gives_no_prompt_and_no_resource);
    tcase_add_loop_test(tc, an_argument_of_a_prompt_is_completed, 0, 2);
}

int
main(void)
{
    return test_main("host-prompts", add);
}
