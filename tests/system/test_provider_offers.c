/* SPDX-License-Identifier: MIT
 *
 * test_provider_offers.c - the resources, prompts, completions and messages of a
 * provider, and its requests to the application (R156, R158, R163, R165, R166, R178).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/provrig.h"
#include "support/texts.h"

/* ---- resources and prompts --------------------------------------------------------- */

static int
read_uri(mcphost_provider_call *call, void *arg)
{
    const char *uri = mcphost_provider_call_get_name(call, NULL);
    char text[256];

    (void)arg;
    snprintf(text, sizeof(text), "%d %s %s", mcphost_provider_call_get_feature(call), uri,
             mcphost_provider_call_get_arguments(call, NULL));
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

static mcphost_call *
go_read(const char *uri)
{
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;

    ck_assert_msg(mcphost_call_new_read(dialog, "app", uri, &call, &err) == 0, "%s",
                  err ? mcphost_error_get_message(err) : "");
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    return call;
}

/* R156 R158 */
START_TEST(resources_and_templates_are_read)
{
    mcphost_call *call;

    ck_assert_int_eq(add(MCPHOST_FEATURE_RESOURCE,
                         "{\"name\":\"one\",\"uri\":\"app://one\"}", read_uri, NULL),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TEMPLATE,
                         "{\"name\":\"any\",\"uriTemplate\":\"app://x/{id}\"}", read_uri,
                         NULL),
                     0);
    start();
    call = go_read("app://one");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "2 app://one {}");
    call = go_read("app://x/7");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "3 app://x/7 {\"id\":\"7\"}");
    call = go_read("app://none");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
    ck_assert_int_eq(mcphost_error_get_rpc_code(mcphost_call_get_error(call)), -32002);
}
END_TEST

/* R166 R178 */
START_TEST(a_prompt_is_answered_by_its_function)
{
    mcphost_call *call = NULL;

    ck_assert_int_eq(add(MCPHOST_FEATURE_PROMPT,
                         "{\"name\":\"greet\",\"arguments\":[{\"name\":\"who\","
                         "\"required\":true}]}",
                         echo, NULL),
                     0);
    start();
    ck_assert_int_eq(
        mcphost_call_new_prompt(dialog, "greet", "{\"who\":\"you\"}", 13, &call, NULL),
        0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "{\"who\":\"you\"}");
}
END_TEST

static int
complete(mcphost_provider_call *call, void *arg)
{
    char json[200];

    (void)arg;
    snprintf(json, sizeof(json), "{\"completion\":{\"values\":[\"%s\",\"%s\"]}}",
             mcphost_provider_call_get_argument(call, NULL),
             mcphost_provider_call_get_value(call, NULL));
    return mcphost_provider_call_answer(call, json, strlen(json), NULL);
}

START_TEST(arguments_are_completed)
{
    mcphost_call *call = NULL;

    ck_assert_int_eq(add(MCPHOST_FEATURE_PROMPT,
                         "{\"name\":\"greet\",\"arguments\":[{\"name\":\"who\"}]}", echo,
                         NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_set_completion(provider, MCPHOST_FEATURE_PROMPT,
                                                     "none", complete, NULL, count_free),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(freed, 1);
    ck_assert_int_eq(mcphost_provider_set_completion(provider, MCPHOST_FEATURE_PROMPT,
                                                     "greet", complete, NULL, count_free),
                     0);
    start();
    ck_assert_int_eq(mcphost_call_new_complete_prompt(dialog, "greet", "who", "yo", NULL,
                                                      0, &call, NULL),
                     0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    test_has(mcphost_result_get_json(mcphost_call_get_result(call), NULL),
             "[\"who\",\"yo\"]");
}
END_TEST

START_TEST(only_updates_of_a_subscribed_resource_reach_the_dialog)
{
    mcphost_subscription *sub = NULL;

    ck_assert_int_eq(add(MCPHOST_FEATURE_RESOURCE,
                         "{\"name\":\"one\",\"uri\":\"app://one\"}", read_uri, NULL),
                     0);
    start();
    ck_assert_int_eq(mcphost_subscribe(dialog, "app", "app://one", &sub, NULL), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SUBSCRIPTION, "app", "d", 1) == 1);
    ck_assert_int_eq(mcphost_provider_updated(provider, "app://other"), 0);
    ck_assert_int_eq(mcphost_provider_updated(provider, "app://one"), 0);
    ck_assert_int_eq(mcphost_provider_updated(provider, ""), MCPHOST_E_INVALID);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_UPDATED, "app", "d", -1) == 1);
    mcphost_subscription_unref(sub);
}
END_TEST

START_TEST(the_title_and_instructions_of_a_provider_are_shown)
{
    static const char about[] = "{\"name\":\"n\",\"title\":\"My tools\","
                                "\"instructions\":\"Use them.\"}";
    const mcphost_server *server;
    mcphost_catalog *catalog;

    ck_assert_int_eq(mcphost_provider_set_about(provider, "{\"title\":7}", 11, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_provider_set_about(provider, about, sizeof(about) - 1, NULL),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    start();
    ck_assert_int_eq(mcphost_provider_set_about(provider, "{}", 2, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    server = mcphost_catalog_find_server(catalog, "app");
    ck_assert_str_eq(mcphost_server_get_title(server, NULL), "My tools");
    ck_assert_str_eq(mcphost_server_get_instructions(server, NULL), "Use them.");
    mcphost_catalog_unref(catalog);
}
END_TEST

START_TEST(only_log_messages_of_the_wanted_level_are_reported)
{
    mcphost_provider *same = mcphost_provider_ref(provider);

    hr_option(&hr, MCPHOST_OPT_MESSAGES, MCPHOST_MESSAGES_WARNING);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("echo"), echo, NULL), 0);
    start();
    ck_assert_int_eq(
        mcphost_provider_log(same, MCPHOST_MESSAGES_INFO, NULL, "\"low\"", 5), 0);
    ck_assert_int_eq(mcphost_provider_log(same, MCPHOST_MESSAGES_ERROR, "me", "{", 1),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_provider_log(same, 0, "me", "1", 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_provider_log(same, MCPHOST_MESSAGES_ERROR, "me", "\"high\"", 6), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LOG, "app", NULL, -1) > 0);
    hr_turn(&hr, 20);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LOG, "app", NULL, -1), 1);
    mcphost_provider_unref(same);
}
END_TEST

/* ---- requests to the application --------------------------------------------------- */

static int answered;

static void
on_answer(mcphost_provider_call *call, int code, const char *json, size_t len,
          const mcphost_error *error, void *arg)
{
    (void)arg;
    texts_check("mcphost_answered_fn", json, len);
    answered = code ? code : 1;
    ck_assert_int_eq(code < 0, error != NULL);
    if (code == 0)
        mcphost_provider_call_answer_text(call, json, len, 0);
    else if (code != MCPHOST_E_CANCELLED)
        mcphost_provider_call_answer_text(call, mcphost_error_get_message(error),
                                          strlen(mcphost_error_get_message(error)), 1);
}

/* Requests sampling from the application during the call (R163). */
static int
generate_content(mcphost_provider_call *call, void *arg)
{
    static const char params[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
        "\"text\":\"hi\"}}],\"maxTokens\":10}";

    (void)arg;
    answered = 0;
    return mcphost_provider_request_sampling(call, params, sizeof(params) - 1, on_answer,
                                             NULL, count_free, NULL);
}

static int
ask_form(mcphost_provider_call *call, void *arg)
{
    answered = 0;
    return mcphost_provider_call_ask(call, MCPHOST_REQUEST_FORM, arg, strlen(arg),
                                     on_answer, NULL, count_free, NULL);
}

static int
ask_url(mcphost_provider_call *call, void *arg)
{
    answered = 0;
    return mcphost_provider_call_ask(call, MCPHOST_REQUEST_URL, arg, strlen(arg),
                                     on_answer, NULL, count_free, NULL);
}

static mcphost_request *asked;
static bool responds;

static void
on_request(struct hostrig *rig, const mcphost_event *event)
{
    static const char message[] = "{\"role\":\"assistant\",\"content\":{\"type\":"
                                  "\"text\",\"text\":\"ho\"},\"model\":\"m\"}";

    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST ||
        !mcphost_event_get_state(event))
        return;
    asked = mcphost_event_get_request(event);
    ck_assert_str_eq(mcphost_request_get_server_id(asked), "app");
    ck_assert_str_eq(mcphost_request_get_dialog_id(asked), "d");
    ck_assert_ptr_nonnull(mcphost_request_get_call(asked));
    if (!responds) {
        mcphost_request_ref(asked);
        return;
    }
    if (mcphost_request_get_kind(asked) == MCPHOST_REQUEST_SAMPLING)
        ck_assert_int_eq(
            mcphost_request_respond(asked, message, sizeof(message) - 1, NULL), 0);
    else
        ck_assert_int_eq(mcphost_request_reject(asked, MCPHOST_REJECT_DECLINE, NULL), 0);
}

/* R163 R165 */
START_TEST(the_application_answers_requests_of_a_provider_during_a_call)
{
    static char good[] = "{\"message\":\"who?\",\"requestedSchema\":{\"type\":"
                         "\"object\",\"properties\":{\"name\":{\"type\":"
                         "\"string\"}}}}";
    static char bad[] = "{\"message\":\"who?\"}";
    mcphost_call *call;

    responds = true;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_FORM);
    hr.on_event = on_request;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("gen"), generate_content, NULL), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("form"), ask_form, good), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("bad"), ask_form, bad), 0);
    start();
    test_has(hr_say(&hr, dialog, "gen", "{}"), "\"text\":\"ho\"");
    ck_assert_int_eq(freed, 1);
    ck_assert_str_eq(hr_say(&hr, dialog, "form", "{}"), "{\"action\":\"decline\"}");
    call = hr_start(&hr, dialog, "bad", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(answered, MCPHOST_E_INVALID);
    test_has(hr_text(&hr, call), "requestedSchema");
    /* A question ends with its call. */
    responds = false;
    call = hr_start(&hr, dialog, "gen", "{}");
    asked = NULL;
    hr_until(&hr, asked);
    ck_assert(mcphost_request_is_open(asked));
    mcphost_call_cancel(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, answered == MCPHOST_E_CANCELLED);
    ck_assert(!mcphost_request_is_open(asked));
    mcphost_request_unref(asked);
}
END_TEST

/* R163 R165 */
START_TEST(a_question_with_a_url_needs_no_mode)
{
    static char params[2][96] = {
        "{\"url\":\"https://pay.example/9\",\"message\":\"Pay\"}",
        "{\"mode\":\"url\",\"url\":\"https://pay.example/9\",\"message\":\"Pay\"}",
    };
    char *mode;

    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL);
    hr.on_event = on_request;
    responds = false;
    asked = NULL;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("pay"), ask_url, params[_i]), 0);
    start();
    hr_start(&hr, dialog, "pay", "{}");
    hr_until(&hr, asked || answered);
    ck_assert_int_eq(answered, 0);
    ck_assert_int_eq(mcphost_request_get_kind(asked), MCPHOST_REQUEST_URL);
    ck_assert_str_eq(mcphost_request_get_url(asked), "https://pay.example/9");
    ck_assert_str_eq(mcphost_request_get_message(asked), "Pay");
    mode = strstr(mcphost_request_get_params(asked, NULL), "\"mode\":\"url\"");
    ck_assert_ptr_nonnull(mode);
    ck_assert_ptr_null(strstr(mode + 1, "\"mode\""));
    ck_assert_int_eq(mcphost_request_respond(asked, NULL, 0, NULL), 0);
    hr_until(&hr, freed == 1);
    mcphost_request_unref(asked);
}
END_TEST

static char name_form[] = "{\"message\":\"who?\",\"requestedSchema\":{\"type\":"
                          "\"object\",\"properties\":{\"name\":{\"type\":"
                          "\"string\"}}}}";

/* Starts a provider whose tools ask questions, which the application leaves open. */
static void
start_unanswered(int64_t question_ms)
{
    responds = false;
    asked = NULL;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_FORM);
    hr_option(&hr, MCPHOST_OPT_REQUEST_TIMEOUT, question_ms);
    hr.on_event = on_request;
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("gen"), generate_content, NULL), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("form"), ask_form, name_form), 0);
    start();
}

/* R163 R165 */
START_TEST(a_question_of_a_provider_ends_with_the_timeout_of_requests)
{
    mcphost_call *call;

    start_unanswered(200);
    call = hr_start(&hr, dialog, "form", "{}");
    ck_assert_int_eq(mcphost_call_wait(call, 2500), 1);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "{\"action\":\"cancel\"}");
    ck_assert(!mcphost_request_is_open(asked));
    mcphost_request_unref(asked);
    test_has(hr_say(&hr, dialog, "gen", "{}"), "did not answer in time");
    ck_assert_int_eq(answered, MCPHOST_E_RPC);
    ck_assert(!mcphost_request_is_open(asked));
    mcphost_request_unref(asked);
}
END_TEST

START_TEST(the_limit_of_a_call_holds_while_its_provider_asks)
{
    mcphost_call *call;

    start_unanswered(MCPHOST_TIMEOUT_NONE);
    call = hr_call(&hr, dialog, "form", "{}");
    ck_assert_int_eq(mcphost_call_set_timeout(call, MCPHOST_TIMEOUT_NONE, 0, 300), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_wait(call, 2500), 1);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    hr_until(&hr, !mcphost_request_is_open(asked));
    mcphost_request_unref(asked);
}
END_TEST

START_TEST(a_request_that_the_application_does_not_answer_is_denied)
{
    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("gen"), generate_content, NULL), 0);
    start();
    ck_assert_int_eq(hr_fail(&hr, dialog, "gen", "{}"), MCPHOST_E_DENIED);
    ck_assert_int_eq(freed, 1);
}
END_TEST

/* ---- texts ------------------------------------------------------------------------- */

static int
check_texts(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    GET_LEN(mcphost_provider_call_get_name, call);
    GET_LEN(mcphost_provider_call_get_arguments, call);
    GET_LEN(mcphost_provider_call_get_argument, call);
    GET_LEN(mcphost_provider_call_get_value, call);
    GET_LEN(mcphost_provider_call_get_meta, call);
    GET(mcphost_provider_call_get_dialog_id, call);
    calls++;
    if (mcphost_provider_call_get_argument(call, NULL))
        return complete(call, arg);
    return mcphost_provider_call_answer_text(call, "x", 1, 0);
}

START_TEST(texts_of_providers_are_utf8_and_end_with_a_nul)
{
    mcphost_call *call;

    ck_assert_int_eq(add(MCPHOST_FEATURE_TOOL, TOOL("look"), check_texts, NULL), 0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_TEMPLATE,
                         "{\"name\":\"any\",\"uriTemplate\":\"app://x/{id}\"}",
                         check_texts, NULL),
                     0);
    ck_assert_int_eq(add(MCPHOST_FEATURE_PROMPT,
                         "{\"name\":\"p\",\"arguments\":[{\"name\":\"who\"}]}",
                         check_texts, NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_set_completion(provider, MCPHOST_FEATURE_PROMPT,
                                                     "p", check_texts, NULL, NULL),
                     0);
    MAKE(mcphost_provider_dup_config, provider, "", &text_, &len_);
    GET(mcphost_provider_get_id, provider);
    start();
    call = hr_call(&hr, dialog, "look", "{\"text\":\"\\u0000\"}");
    ck_assert_int_eq(mcphost_call_set_meta(call, "{\"a\":1}", 7, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(hr_end(&hr, go_read("app://x/%00")), 0);
    ck_assert_int_eq(
        mcphost_call_new_prompt(dialog, "p", "{\"who\":\"you\"}", 13, &call, NULL), 0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(
        mcphost_call_new_complete_prompt(dialog, "p", "who", "yo", NULL, 0, &call, NULL),
        0);
    hr.calls[hr.n_calls++] = call;
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(calls, 4);
    texts_expect("provider_");
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "offers");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, resources_and_templates_are_read);
    tcase_add_test(tc, a_prompt_is_answered_by_its_function);
    tcase_add_test(tc, arguments_are_completed);
    tcase_add_test(tc, only_updates_of_a_subscribed_resource_reach_the_dialog);
    tcase_add_test(tc, the_title_and_instructions_of_a_provider_are_shown);
    tcase_add_test(tc, only_log_messages_of_the_wanted_level_are_reported);
    tcase_add_test(tc, the_application_answers_requests_of_a_provider_during_a_call);
    tcase_add_test(tc, a_question_of_a_provider_ends_with_the_timeout_of_requests);
    tcase_add_test(tc, the_limit_of_a_call_holds_while_its_provider_asks);
    tcase_add_test(tc, a_request_that_the_application_does_not_answer_is_denied);
    tcase_add_loop_test(tc, a_question_with_a_url_needs_no_mode, 0, 2);
    tcase_add_test(tc, texts_of_providers_are_utf8_and_end_with_a_nul);
}

int
main(void)
{
    return test_main("provider-offers", add_tests);
}
