/* SPDX-License-Identifier: MIT
 *
 * test_sampler.c - the sampler, one function that answers all requests for sampling in
 * both eras (R162, R164, R165, R177).
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

#define SAMPLE "{\"messages\":[],\"maxTokens\":10}"
#define MESSAGE                                \
    "{\"role\":\"assistant\",\"model\":\"m\"," \
    "\"content\":{\"type\":\"text\",\"text\":\"hi\"}}"

static const char *const eras[] = {"legacy", "modern"};
static struct hostrig hr;
static mcphost_dialog *dialog;
static int sampled, freed, events;
static bool keeps;
static mcphost_request *kept;

static void
count_free(void *arg)
{
    (void)arg;
    freed++;
}

static void
sample(mcphost_request *request, void *arg)
{
    sampled++;
    ck_assert_ptr_eq(arg, &hr);
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_SAMPLING);
    if (keeps)
        kept = mcphost_request_ref(request);
    else
        ck_assert_int_eq(mcphost_request_respond(request, MESSAGE, strlen(MESSAGE), NULL),
                         0);
}

static void
refuse_request(mcphost_request *request, void *arg)
{
    (void)arg;
    sampled++;
    ck_assert_int_eq(mcphost_request_reject(request, MCPHOST_REJECT_ERROR, "not now"), 0);
}

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    events += mcphost_event_get_kind(event) == MCPHOST_EVENT_REQUEST;
}

static void
up(int era, mcphost_sampler_fn fn)
{
    char script[512];

    sampled = freed = events = 0;
    keeps = false;
    hr_up(&hr);
    hr.on_event = on_event;
    ck_assert_int_eq(mcphost_set_sampler(hr.host, fn, &hr, count_free), 0);
    snprintf(script, sizeof(script),
             "era %s\non call:echo\n ask sampling/createMessage " SAMPLE "\n text %%r",
             eras[era]);
    hr_server(&hr, "a", NULL, script);
    hr_load(&hr);
    dialog = hr_dialog(&hr, "d");
}

START_TEST(a_server_that_samples_is_answered_by_the_sampler) /* K18 */
{
    up(_i, sample);
    test_has(hr_say(&hr, dialog, "a_echo", "{}"), "\"text\":\"hi\"");
    ck_assert_int_eq(sampled, 1);
    ck_assert_int_eq(events, 0);
    hr_down(&hr);
    ck_assert_int_eq(freed, 1);
}
END_TEST

START_TEST(a_request_that_the_sampler_rejects_fails_with_its_reason)
{
    mcphost_call *call;

    up(_i, refuse_request);
    call = hr_start(&hr, dialog, "a_echo", "{}");
    if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
        test_has(hr_text(&hr, call), "not now");
    } else {
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_DENIED);
        test_has(hr_why(call), "not now");
    }
    hr_down(&hr);
}
END_TEST

static void *
answer_later(void *arg)
{
    mcphost_request_respond(arg, MESSAGE, strlen(MESSAGE), NULL);
    mcphost_request_unref(arg);
    return NULL;
}

START_TEST(a_sampler_may_answer_later_from_another_thread)
{
    pthread_t thread;
    mcphost_call *call;

    up(_i, sample);
    keeps = true;
    kept = NULL;
    call = hr_start(&hr, dialog, "a_echo", "{}");
    hr_until(&hr, kept);
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_later, kept), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    pthread_join(thread, NULL);
    hr_down(&hr);
}
END_TEST

START_TEST(a_request_whose_call_is_cancelled_is_closed_without_an_event)
{
    mcphost_call *call;

    up(_i, sample);
    keeps = true;
    kept = NULL;
    call = hr_start(&hr, dialog, "a_echo", "{}");
    hr_until(&hr, kept);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    ck_assert(!mcphost_request_is_open(kept));
    ck_assert_int_eq(events, 0);
    mcphost_request_unref(kept);
    hr_down(&hr);
}
END_TEST

START_TEST(after_the_load_a_first_sampler_is_refused)
{
    hr_up(&hr);
    hr_load(&hr);
    freed = 0;
    ck_assert_int_eq(mcphost_set_sampler(hr.host, sample, &hr, count_free),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(freed, 1);
    ck_assert_int_eq(mcphost_set_sampler(hr.host, NULL, NULL, NULL), 0);
    hr_down(&hr);
}
END_TEST

static void
on_answer(mcphost_provider_call *call, int code, const char *json, size_t len,
          const mcphost_error *error, void *arg)
{
    (void)arg;
    (void)error;
    ck_assert_int_eq(code, 0);
    mcphost_provider_call_answer_text(call, json, len, 0);
}

static int
generate(mcphost_provider_call *call, void *arg)
{
    return mcphost_provider_request_sampling(call, SAMPLE, strlen(SAMPLE), on_answer, arg,
                                             NULL, NULL);
}

/* R177: a provider inside the host may send a request to the sampler.  The host logs a
 * warning. */
START_TEST(a_sampling_request_of_a_provider_is_answered_with_a_warning)
{
    static const char tool[] =
        "{\"name\":\"generate\",\"inputSchema\":{\"type\":\"object\"}}";
    mcphost_provider *provider = NULL;

    sampled = freed = events = 0;
    keeps = false;
    hr_up(&hr);
    hr_keep_log(&hr, MCPHOST_LOG_WARNING);
    ck_assert_int_eq(mcphost_set_sampler(hr.host, sample, &hr, count_free), 0);
    ck_assert_int_eq(
        mcphost_provider_new(mcphost_default_source(hr.host), "app", &provider, NULL), 0);
    ck_assert_int_eq(mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool,
                                          sizeof(tool) - 1, generate, NULL, NULL, NULL),
                     0);
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_until(&hr, hr_has(&hr, "generate"));
    dialog = hr_dialog(&hr, "d");
    test_has(hr_say(&hr, dialog, "generate", "{}"), "\"text\":\"hi\"");
    ck_assert_int_eq(sampled, 1);
    test_has(hr.log, "unusual");
    mcphost_provider_unref(provider);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sampler");

    tcase_add_loop_test(tc, a_server_that_samples_is_answered_by_the_sampler, 0, 2);
    tcase_add_loop_test(tc, a_request_that_the_sampler_rejects_fails_with_its_reason, 0,
                        2);
    tcase_add_loop_test(tc, a_sampler_may_answer_later_from_another_thread, 0, 2);
    tcase_add_loop_test(tc, a_request_whose_call_is_cancelled_is_closed_without_an_event,
                        0, 2);
    tcase_add_test(tc, after_the_load_a_first_sampler_is_refused);
    tcase_add_test(tc, a_sampling_request_of_a_provider_is_answered_with_a_warning);
}

int
main(void)
{
    return test_main("sampler", add);
}
