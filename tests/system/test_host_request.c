/* SPDX-License-Identifier: MIT
 *
 * test_host_request.c - requests that servers send to the application, in both eras.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

#define FORM                                                                          \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"user\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\",\"default\":3}},"     \
    "\"required\":[\"user\"]}}"

static struct hostrig hr;
static mcphost_dialog *d;
static mcphost_request *asked[80];
static int n_asked, n_over;
static char over_text[128];
static bool keep;                     /* true: keep a reference to each request */
static int64_t limits_on_sampling[3]; /* `open`, `rate`, `depth`; 0 means the default */

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST)
        return;
    ck_assert_ptr_nonnull(mcphost_event_get_request(event));
    if (mcphost_event_get_state(event) == 0) {
        n_over++;
        snprintf(over_text, sizeof(over_text), "%s", mcphost_event_get_text(event));
        return;
    }
    ck_assert_ptr_eq(mcphost_event_get_call(event),
                     mcphost_request_get_call(mcphost_event_get_request(event)));
    if (keep)
        asked[n_asked] = mcphost_request_ref(mcphost_event_get_request(event));
    n_asked++;
}

static void
up(const char *era, const char *script, int64_t questions)
{
    char text[2048];

    memset(asked, 0, sizeof(asked));
    n_asked = n_over = 0;
    keep = true;
    hr_up(&hr);
    hr.on_event = on_event;
    if (questions)
        hr_option(&hr, MCPHOST_OPT_REQUESTS, questions);
    for (int i = 0; i < 3; i++)
        if (limits_on_sampling[i])
            hr_option(&hr, MCPHOST_OPT_SAMPLING_OPEN + i, limits_on_sampling[i]);
    snprintf(text, sizeof(text), "era %s\non call:echo\n %s", era, script);
    hr_server(&hr, "a", NULL, text);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
down(void)
{
    for (int i = 0; i < n_asked; i++)
        mcphost_request_unref(asked[i]);
    hr_down(&hr);
}

/* Closes the host without hr_close(), because hr_close() would also check the last event
 * and drop the handles. */
static void
close_host(void)
{
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
}

static const char *
era(int i)
{
    return i == 0 ? "legacy" : "modern";
}

static mcphost_request *
ask(mcphost_call **ret_call)
{
    *ret_call = hr_start(&hr, d, "a_echo", "{}");
    hr_until(&hr, n_asked > 0);
    return asked[0];
}

static void
expect_json(const char *json, size_t len, const char *wanted)
{
    ck_assert_uint_eq(len, strlen(wanted));
    ck_assert_int_eq(strncmp(json, wanted, len), 0);
}

/* ---- forms ------------------------------------------------------------------------- */

START_TEST(a_member_of_the_params_is_a_text)
{
    const char *text;
    mcphost_call *call;

    up("modern",
       "ask elicitation/create {\"message\":\"a \\\"b\\\" \\u00fc\",\"_meta\":"
       "{\"message\":\"\"},\"x\":[1, 2],\"nul\":\"a\\u0000b\",\"requestedSchema\":"
       "{\"type\":\"object\",\"properties\":{}}}\n text %r",
       MCPHOST_REQUEST_FORM);
    (void)ask(&call);
    text = mcphost_request_get_param(asked[0], "message");
    ck_assert_str_eq(text, "a \"b\" \xc3\xbc");
    ck_assert_ptr_eq(mcphost_request_get_param(asked[0], "message"), text);
    ck_assert_str_eq(mcphost_request_get_param(asked[0], "x"), "[1, 2]");
    ck_assert_ptr_null(mcphost_request_get_param(asked[0], "nul"));
    ck_assert_ptr_null(mcphost_request_get_param(asked[0], "type"));
    ck_assert_ptr_null(mcphost_request_get_param(asked[0], NULL));
    ck_assert_int_eq(mcphost_request_reject(asked[0], MCPHOST_REJECT_DECLINE, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

START_TEST(a_form_is_answered_with_defaults_for_missing_fields)
{
    mcphost_request *request;
    mcphost_call *call;
    const char *json;
    size_t len = 0;

    up(era(_i), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_FORM);
    ck_assert_str_eq(mcphost_request_get_server_id(request), "a");
    ck_assert_str_eq(mcphost_request_get_dialog_id(request), "d");
    ck_assert_ptr_eq(mcphost_request_get_call(request), call);
    ck_assert_str_eq(mcphost_request_get_message(request), "Who?");
    ck_assert_ptr_null(mcphost_request_get_url(request));
    json = mcphost_request_get_schema(request, &len);
    ck_assert(len > 10 && json[0] == '{');
    json = mcphost_request_get_defaults(request, &len);
    expect_json(json, len, "{\"n\":3}");
    ck_assert_ptr_nonnull(mcphost_request_get_params(request, &len));
    ck_assert_int_eq(mcphost_request_is_open(request), 1);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"user\":\"mina\"}", 15, NULL),
                     0);
    ck_assert_int_eq(mcphost_request_is_open(request), 0);
    /* The library refuses a late answer with MCPHOST_E_STATE, even if the answer does not
     * fit the form. */
    ck_assert_int_eq(mcphost_request_respond(request, NULL, 0, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_request_respond(request, "[]", 2, NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "\"user\":\"mina\",\"n\":3"));
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "accept"));
    ck_assert_int_eq(n_over, 0);
    down();
}
END_TEST

/* The library replaces a NUL in the message by a blank.  The text after the NUL stays. */
START_TEST(a_nul_in_a_message_is_replaced_by_a_blank)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i),
       "ask elicitation/create {\"message\":\"Delete?\\u0000 All?\",\"requestedSchema\":"
       "{\"type\":\"object\",\"properties\":{}}}\n text %r",
       MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_ptr_nonnull(mcphost_request_get_message(request));
    ck_assert_str_eq(mcphost_request_get_message(request), "Delete?  All?");
    ck_assert_int_eq(mcphost_request_respond(request, "{}", 2, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

START_TEST(an_invalid_answer_is_refused_and_the_request_stays_open)
{
    mcphost_error *err = NULL;
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"user\":1}", 10, &err),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "the form's field \"user\" must be a string");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_request_respond(request, NULL, 0, &err), MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "the form's field \"user\" is required");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_request_respond(request, "{x", 2, &err), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_error_get_column(err), 2);
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_request_is_open(request), 1);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"user\":\"\"}", 11, NULL), 0);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"user\":\"\"}", 11, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_request_reject(request, MCPHOST_REJECT_CANCEL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

START_TEST(checking_part_of_a_form_does_not_answer_the_request)
{
    mcphost_error *err = NULL;
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_check(request, "{\"n\":\"x\"}", 9, &err),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "the form's field \"n\" must be a number");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_request_check(request, "{\"m\":4}", 7, &err),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "the form's field \"m\" is not a field of the requested form");
    err = mcphost_error_unref(err);
    /* mcphost_request_check() accepts an answer that lacks a required field. */
    ck_assert_int_eq(mcphost_request_check(request, "{\"n\":4}", 7, NULL), 0);
    ck_assert_int_eq(mcphost_request_check(request, NULL, 0, NULL), 0);
    ck_assert_int_eq(mcphost_request_is_open(request), 1);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"n\":4}", 7, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_request_respond(request, "{\"n\":4,\"user\":\"u\"}", 18, NULL), 0);
    ck_assert_int_eq(mcphost_request_check(request, "{\"n\":4}", 7, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

static const struct {
    int how;
    const char *action;
} rejections[] = {
    {MCPHOST_REJECT_DECLINE, "decline"},
    {MCPHOST_REJECT_CANCEL, "cancel"},
};

START_TEST(a_form_can_be_declined_or_cancelled)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i / 2), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_reject(request, rejections[_i % 2].how, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), rejections[_i % 2].action));
    down();
}
END_TEST

/* ---- the other kinds --------------------------------------------------------------- */

START_TEST(a_url_request_has_its_url_and_is_answered_without_content)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i),
       "ask elicitation/create {\"mode\":\"url\",\"message\":\"Pay\","
       "\"elicitationId\":\"e\",\"url\":\"https://pay.example/9\"}\n text %r",
       MCPHOST_REQUEST_URL);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_URL);
    ck_assert_str_eq(mcphost_request_get_url(request), "https://pay.example/9");
    ck_assert_ptr_null(mcphost_request_get_schema(request, NULL));
    ck_assert_ptr_null(mcphost_request_get_defaults(request, NULL));
    ck_assert_int_eq(mcphost_request_respond(request, "{}", 2, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(request, NULL, 0, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "accept"));
    down();
}
END_TEST

/* MCP 2025-11-25, error -32042: the host sends the call again once the user has finished
 * at the URL.  Either the application or the server reports that the user has
 * finished. */
START_TEST(a_call_that_requires_a_url_first_is_sent_again_afterwards)
{
    mcphost_request *request;
    mcphost_call *call;
    char script[1024];

    snprintf(script, sizeof(script),
             "text done\non call:echo 1\n"
             " line {\"jsonrpc\":\"2.0\",\"id\":%%i,\"error\":{\"code\":-32042,"
             "\"message\":\"first\",\"data\":{\"elicitations\":[{\"mode\":\"url\","
             "\"elicitationId\":\"e\",\"url\":\"https://pay.example/9\","
             "\"message\":\"Pay\"}]}}}\n%s",
             _i ? " delay 30\n notify notifications/elicitation/complete "
                  "{\"elicitationId\":\"e\"}"
                : "");
    up("legacy", script, MCPHOST_REQUEST_URL);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_URL);
    ck_assert_str_eq(mcphost_request_get_url(request), "https://pay.example/9");
    ck_assert_str_eq(mcphost_request_get_message(request), "Pay");
    ck_assert_ptr_eq(mcphost_request_get_call(request), call);
    if (_i)
        hr_until(&hr, n_over == 1);
    else
        ck_assert_int_eq(mcphost_request_respond(request, NULL, 0, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "done");
    ck_assert_int_eq(mcphost_request_is_open(request), 0);
    ck_assert_int_eq(n_over, _i);
    if (_i)
        ck_assert_str_eq(over_text, "the server reports that the user has finished");
    down();
}
END_TEST

#define SAMPLE "{\"messages\":[],\"maxTokens\":10}"

/* R162, R163, K18: a tool of the server sends the request. */
START_TEST(a_sampling_request_is_answered_by_the_application)
{
    static const char good[] = "{\"role\":\"assistant\",\"model\":\"m\",\n"
                               "\"content\":{\"type\":\"text\",\"text\":\"hi\"}}";
    static const char bad[] = "{\"role\":\"assistant\",\"content\":{}}";
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask sampling/createMessage " SAMPLE "\n text %r",
       MCPHOST_REQUEST_SAMPLING);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_respond(request, bad, strlen(bad), NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(request, good, strlen(good), NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "\"text\":\"hi\""));
    down();
}
END_TEST

/* B.31: the application may refuse the request.  A legacy server gets an error.  In the
 * modern era the call fails. */
START_TEST(a_declined_sampling_is_an_error_for_a_legacy_server_and_fails_a_modern_call)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask sampling/createMessage " SAMPLE "\n text %r",
       MCPHOST_REQUEST_SAMPLING);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, "no"), 0);
    if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "-1"));
    } else {
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
        ck_assert_ptr_nonnull(strstr(hr_why(call), "no"));
    }
    down();
}
END_TEST

/* K18: the host offers sampling only if the application enables sampling. */
START_TEST(sampling_is_refused_unless_it_was_offered)
{
    mcphost_call *call;

    up(era(_i), "ask sampling/createMessage " SAMPLE "\n text %r", 0);
    call = hr_start(&hr, d, "a_echo", "{}");
    if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "-32601"));
    } else {
        ck_assert_int_lt(hr_end(&hr, call), 0);
    }
    ck_assert_int_eq(n_asked, 0);
    down();
}
END_TEST

#define SAMPLE_LINE                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"sampling/createMessage\"," \
    "\"params\":" SAMPLE "}"

/* R175: the server sends a thousand requests at once. */
START_TEST(a_flood_of_sampling_reaches_the_application_up_to_the_limit)
{
    static const struct {
        int64_t open, rate;
        int reach;
    } limits[] = {{8, 1000000, 8}, {256, 3, 3}, {1, 60, 1}};
    mcphost_call *call;
    char reach[64];

    limits_on_sampling[0] = limits[_i].open;
    limits_on_sampling[1] = limits[_i].rate;
    up("legacy", "lines 1000 " SAMPLE_LINE "\n text done", MCPHOST_REQUEST_SAMPLING);
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    snprintf(reach, sizeof(reach), "%d asked", n_asked);
    ck_assert_msg(n_asked == limits[_i].reach, "%s", reach);
    ck_assert_str_eq(hr_text(&hr, call), "done");
    down();
}
END_TEST

static const char model_said[] = "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{"
                                 "\"type\":\"text\",\"text\":\"hi\"}}";

/* R175 */
START_TEST(sampling_above_the_rate_limit_is_refused_with_the_reason)
{
    mcphost_request *request;
    mcphost_call *call;

    limits_on_sampling[0] = 1;
    limits_on_sampling[1] = _i < 2 ? 1 : 60;
    up(era(_i % 2),
       "ask sampling/createMessage " SAMPLE "\n ask sampling/createMessage " SAMPLE
       "\n text %r",
       MCPHOST_REQUEST_SAMPLING);
    request = ask(&call);
    ck_assert_int_eq(
        mcphost_request_respond(request, model_said, strlen(model_said), NULL), 0);
    if (_i >= 2) { /* the rate limit allows the second request */
        hr_until(&hr, n_asked == 2);
        ck_assert_int_eq(
            mcphost_request_respond(asked[1], model_said, strlen(model_said), NULL), 0);
        ck_assert_int_eq(hr_end(&hr, call), 0);
    } else if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_ptr_nonnull(strstr(hr_text(&hr, call),
                                     "this server asks for sampling more than 1 times"));
    } else {
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
        ck_assert_ptr_nonnull(strstr(hr_why(call), "more than 1 times a minute"));
    }
    down();
}
END_TEST

/* R175 */
START_TEST(sampling_nested_deeper_than_the_limit_is_refused)
{
    mcphost_request *request;
    mcphost_call *call, *inner;

    limits_on_sampling[2] = _i < 2 ? 1 : 2;
    up(era(_i % 2), "ask sampling/createMessage " SAMPLE "\n text %r",
       MCPHOST_REQUEST_SAMPLING);
    request = ask(&call);
    ck_assert_int_eq(mcphost_call_set_request(call, request), MCPHOST_E_STATE);
    inner = hr_call(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(mcphost_call_set_request(inner, request), 0);
    ck_assert_int_eq(mcphost_call_set_request(inner, NULL), MCPHOST_E_INVALID);
    hr_go(inner);
    hr_until(&hr, n_asked == 2 || mcphost_call_is_done(inner));
    ck_assert_int_eq(n_asked, _i < 2 ? 1 : 2);
    if (_i >= 2) {
        ck_assert_int_eq(
            mcphost_request_respond(asked[1], model_said, strlen(model_said), NULL), 0);
    }
    ck_assert_int_eq(hr_end(&hr, inner), _i == 1 ? MCPHOST_E_DENIED : 0);
    if (_i == 0)
        ck_assert_ptr_nonnull(
            strstr(hr_text(&hr, inner), "sampling is nested more than 1 deep"));
    if (_i == 1)
        ck_assert_ptr_nonnull(strstr(hr_why(inner), "nested more than 1 deep"));
    ck_assert_int_eq(
        mcphost_request_respond(request, model_said, strlen(model_said), NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    down();
}
END_TEST

START_TEST(roots_come_from_the_application_and_are_checked)
{
    static const char good[] = "[{\"uri\":\"file:///srv\",\"name\":\"s\"}]";
    static const char bad[] = "[{\"uri\":\"http://x/\"}]";
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask roots/list {}\n text %r", MCPHOST_REQUEST_ROOTS);
    request = ask(&call);
    ck_assert_int_eq(mcphost_request_respond(request, bad, strlen(bad), NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(request, NULL, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(request, good, strlen(good), NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "file:///srv"));
    down();
}
END_TEST

START_TEST(changed_roots_are_announced_to_servers)
{
    mcphost_call *call;

    up("legacy", "text x", MCPHOST_REQUEST_ROOTS);
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_roots_changed(hr.host), 0);
    ck_assert_int_eq(mcphost_roots_changed(hr.host), 0);
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "roots/list_changed") > 0);
    ck_assert_int_eq(mcphost_roots_changed(NULL), MCPHOST_E_INVALID);
    down();
}
END_TEST

/* ---- requests that get no answer --------------------------------------------------- */

/* K18 */
START_TEST(a_capability_that_the_application_did_not_enable_is_not_offered)
{
    mcphost_call *call;

    up("legacy", "ask roots/list {}\n text %r", 0);
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "-32601"));
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"capabilities\":{}") > 0,
                     1);
    ck_assert_int_eq(n_asked, 0);
    down();
}
END_TEST

START_TEST(a_request_that_the_event_function_does_not_keep_is_refused)
{
    mcphost_call *call;

    up(era(_i), "ask roots/list {}\n text %r", MCPHOST_REQUEST_ROOTS);
    keep = false;
    call = hr_start(&hr, d, "a_echo", "{}");
    if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
        ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "-32603"));
    } else {
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
        ck_assert_ptr_nonnull(
            strstr(hr_why(call), "the application does not answer the request"));
    }
    ck_assert_int_eq(n_asked, 1);
    down();
}
END_TEST

START_TEST(without_an_event_function_requests_are_refused)
{
    mcphost_call *call;

    up("modern", "ask roots/list {}\n text %r", MCPHOST_REQUEST_ROOTS);
    ck_assert_int_eq(mcphost_set_event(hr.host, NULL, NULL, NULL), 0);
    call = hr_start(&hr, d, "a_echo", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
    close_host();
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(an_answer_after_the_end_of_the_call_is_refused)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    request = ask(&call);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    hr_until(&hr, n_over == 1);
    ck_assert_str_eq(over_text, "the call has ended");
    ck_assert_int_eq(mcphost_request_is_open(request), 0);
    ck_assert_int_eq(mcphost_request_respond(request, "{\"user\":\"m\"}", 12, NULL),
                     MCPHOST_E_STATE);
    down();
}
END_TEST

START_TEST(a_request_without_an_answer_is_cancelled_at_its_timeout)
{
    mcphost_call *call;

    memset(asked, 0, sizeof(asked));
    n_asked = n_over = 0;
    keep = true;
    hr_up(&hr);
    hr.on_event = on_event;
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    hr_option(&hr, MCPHOST_OPT_REQUEST_TIMEOUT, 30);
    hr_server(
        &hr, "a", NULL,
        _i == 0 ? "era legacy\non call:echo\n ask elicitation/create " FORM "\n text %r"
                : "era modern\non call:echo\n ask elicitation/create " FORM "\n text %r");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    ask(&call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "cancel"));
    hr_until(&hr, n_over == 1);
    ck_assert_str_eq(over_text, "the application did not answer in time");
    down();
}
END_TEST

/* ---- the end, and threads ---------------------------------------------------------- */

START_TEST(closing_the_host_ends_open_requests)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask roots/list {}\n text %r", MCPHOST_REQUEST_ROOTS);
    request = ask(&call);
    close_host();
    ck_assert_int_eq(n_over, 1);
    ck_assert_int_eq(mcphost_request_respond(request, "[]", 2, NULL), MCPHOST_E_STATE);
    mcphost_request_unref(request);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_request_may_outlive_its_host)
{
    mcphost_request *request;
    mcphost_call *call;

    up(era(_i), "ask roots/list {}\n text %r", MCPHOST_REQUEST_ROOTS);
    request = ask(&call);
    n_asked = 0;
    for (int i = 0; i < hr.n_calls; i++)
        hr.calls[i] = mcphost_call_unref(hr.calls[i]);
    hr.dialogs[0] = mcphost_dialog_unref(hr.dialogs[0]);
    hr.host = mcphost_unref(hr.host);
    ck_assert_str_eq(mcphost_request_get_server_id(request), "a");
    ck_assert_int_eq(mcphost_request_is_open(request), 0);
    ck_assert_int_eq(mcphost_request_respond(request, "[]", 2, NULL), MCPHOST_E_STATE);
    mcphost_request_unref(request);
    hr_down_ended(&hr);
}
END_TEST

static void *
answer_all(void *arg)
{
    (void)arg;
    for (int i = 63; i >= 0; i--) {
        if (mcphost_request_respond(asked[i], "{\"user\":\"u\"}", 12, NULL) < 0)
            return asked[i];
        mcphost_request_unref(asked[i]);
    }
    return NULL;
}

START_TEST(many_calls_wait_for_answers_from_another_thread)
{
    mcphost_call *calls[64];
    pthread_t thread;
    void *failed = NULL;

    up(era(_i), "ask elicitation/create " FORM "\n text %r", MCPHOST_REQUEST_FORM);
    for (int i = 0; i < 64; i++)
        calls[i] = hr_start(&hr, d, "a_echo", "{}");
    hr_until(&hr, n_asked == 64);
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_all, NULL), 0);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    n_asked = 0;
    down();
}
END_TEST

START_TEST(functions_of_requests_accept_null)
{
    ck_assert_ptr_null(mcphost_request_ref(NULL));
    ck_assert_ptr_null(mcphost_request_unref(NULL));
    ck_assert_int_eq(mcphost_request_get_kind(NULL), 0);
    ck_assert_ptr_null(mcphost_request_get_server_id(NULL));
    ck_assert_ptr_null(mcphost_request_get_dialog_id(NULL));
    ck_assert_ptr_null(mcphost_request_get_call(NULL));
    ck_assert_ptr_null(mcphost_request_get_message(NULL));
    ck_assert_ptr_null(mcphost_request_get_url(NULL));
    ck_assert_ptr_null(mcphost_request_get_schema(NULL, NULL));
    ck_assert_ptr_null(mcphost_request_get_defaults(NULL, NULL));
    ck_assert_ptr_null(mcphost_request_get_params(NULL, NULL));
    ck_assert_ptr_null(mcphost_request_get_param(NULL, "message"));
    ck_assert_int_eq(mcphost_request_is_open(NULL), 0);
    ck_assert_int_eq(mcphost_request_check(NULL, NULL, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_respond(NULL, NULL, 0, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_request_reject(NULL, MCPHOST_REJECT_CANCEL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_event_get_request(NULL));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "requests");

    tcase_add_test(tc, a_member_of_the_params_is_a_text);
    tcase_add_loop_test(tc, a_form_is_answered_with_defaults_for_missing_fields, 0, 2);
    tcase_add_loop_test(tc, a_nul_in_a_message_is_replaced_by_a_blank, 0, 2);
    tcase_add_loop_test(tc, an_invalid_answer_is_refused_and_the_request_stays_open, 0,
                        2);
    tcase_add_loop_test(tc, checking_part_of_a_form_does_not_answer_the_request, 0, 2);
    tcase_add_loop_test(tc, a_form_can_be_declined_or_cancelled, 0, 4);
    tcase_add_loop_test(tc, a_url_request_has_its_url_and_is_answered_without_content, 0,
                        2);
    tcase_add_loop_test(tc, a_call_that_requires_a_url_first_is_sent_again_afterwards, 0,
                        2);
    tcase_add_loop_test(tc, a_sampling_request_is_answered_by_the_application, 0, 2);
    tcase_add_loop_test(
        tc, a_declined_sampling_is_an_error_for_a_legacy_server_and_fails_a_modern_call,
        0, 2);
    tcase_add_loop_test(tc, sampling_is_refused_unless_it_was_offered, 0, 2);
    tcase_add_loop_test(tc, a_flood_of_sampling_reaches_the_application_up_to_the_limit,
                        0, 3);
    tcase_add_loop_test(tc, sampling_above_the_rate_limit_is_refused_with_the_reason, 0,
                        4);
    tcase_add_loop_test(tc, sampling_nested_deeper_than_the_limit_is_refused, 0, 4);
    tcase_add_loop_test(tc, roots_come_from_the_application_and_are_checked, 0, 2);
    tcase_add_test(tc, changed_roots_are_announced_to_servers);
    tcase_add_test(tc, a_capability_that_the_application_did_not_enable_is_not_offered);
    tcase_add_loop_test(tc, a_request_that_the_event_function_does_not_keep_is_refused, 0,
                        2);
    tcase_add_test(tc, without_an_event_function_requests_are_refused);
    tcase_add_loop_test(tc, an_answer_after_the_end_of_the_call_is_refused, 0, 2);
    tcase_add_loop_test(tc, a_request_without_an_answer_is_cancelled_at_its_timeout, 0,
                        2);
    tcase_add_loop_test(tc, closing_the_host_ends_open_requests, 0, 2);
    tcase_add_loop_test(tc, a_request_may_outlive_its_host, 0, 2);
    tcase_add_loop_test(tc, many_calls_wait_for_answers_from_another_thread, 0, 2);
    tcase_add_test(tc, functions_of_requests_accept_null);
}

int
main(void)
{
    return test_main("host-request", add);
}
