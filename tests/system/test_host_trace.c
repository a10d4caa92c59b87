/* SPDX-License-Identifier: MIT
 *
 * test_host_trace.c - trace contexts of calls, in both eras: in _meta, and over HTTP also
 * in headers.
 */
#include <stdio.h>
#include <string.h>

#include "support/httprig.h"

#define PARENT  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
#define STATE   "congo=t61rcWkgMzE,rojo@x=00f067aa0ba902b7"
#define BAGGAGE "user=al%20ice;ttl=3,k = v"
#define META                                                       \
    "\"traceparent\":\"" PARENT "\",\"tracestate\":\"" STATE "\"," \
    "\"baggage\":\"" BAGGAGE "\""

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d;

static struct {
    int asked, freed, refused;
    const char *parent;
} app;

static void
set_context(mcphost_call *call, void *arg)
{
    ck_assert_ptr_eq(arg, &app);
    app.asked++;
    app.refused = mcphost_call_set_trace_context(call, app.parent, STATE, BAGGAGE, NULL);
}

static void
count_free(void *arg)
{
    (void)arg;
    app.freed++;
}

static int
builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    return mcphost_call_answer(call, arguments, len, 0);
}

/* Starts a server over HTTP with this script, or over stdio if `script` is NULL. */
static void
up(const char *script)
{
    memset(&app, 0, sizeof(app));
    app.parent = PARENT;
    hr_up(&hr);
    if (script)
        hr_http(&hr, &web, "a", NULL, script);
    else
        hr_server(&hr, "a", "truely-stateless: true", NULL);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "ours",
                                              "ours", "d", "{\"type\":\"object\"}",
                                              builtin, NULL, NULL, NULL),
                     0);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_trace_context(hr.host, set_context, &app, count_free),
                     0);
    d = hr_dialog(&hr, "d");
}

static void
down(void)
{
    hr_down(&hr);
    ck_assert_int_eq(app.freed, 1);
}

static int
traced(const char *needle)
{
    return rig_workspace_count(&hr.ws, "a.trace", needle);
}

START_TEST(a_call_over_stdio_has_the_context_in_its_meta) /* R135 */
{
    up(NULL);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}"), "hi");
    ck_assert_int_eq(app.asked, 1);
    ck_assert_int_eq(app.refused, 0);
    ck_assert_int_eq(traced(META), 1);
    down();
}
END_TEST

START_TEST(a_call_over_http_has_the_context_in_headers_too) /* R135 */
{
    static const char *const eras[] = {"era modern", "era legacy"};

    up(eras[_i]);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}"), "hi");
    ck_assert_int_eq(hr_traced(&hr, "a", META), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h traceparent: " PARENT), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h tracestate: " STATE), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "h baggage: " BAGGAGE), 1);
    down();
}
END_TEST

START_TEST(a_missing_or_invalid_context_is_not_sent) /* R135 */
{
    up(NULL);
    app.parent = NULL; /* a tracestate alone is invalid */
    hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(app.refused, MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_trace_context(hr.host, NULL, NULL, NULL), 0);
    hr_say(&hr, d, "a_echo", "{\"text\":\"hi\"}");
    ck_assert_int_eq(app.asked, 1);
    ck_assert_int_eq(traced("traceparent"), 0);
    ck_assert_int_eq(traced("baggage"), 0);
    down();
}
END_TEST

static int
refuse_call(mcphost_call *call, void *arg)
{
    (void)arg;
    return mcphost_call_refuse(call, "no", 2);
}

/* R135, R157: only calls of tools need approval. */
START_TEST(a_read_has_the_context_and_needs_no_approval)
{
    mcphost_call *call = NULL;

    up("era modern\ncapabilities {\"tools\":{},\"resources\":{}}\non resources/read\n"
       " result {\"resultType\":\"complete\",\"contents\":[]}");
    ck_assert_int_eq(mcphost_set_before_call(hr.host, refuse_call, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_new_read(d, "a", "file:///x", &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    mcphost_call_unref(call);
    ck_assert_int_eq(app.asked, 1);
    ck_assert_int_eq(hr_traced(&hr, "a", META), 1);
    down();
}
END_TEST

/* R135 */
START_TEST(the_trace_function_is_not_called_for_builtin_tools)
{
    up(NULL);
    ck_assert_str_eq(hr_say(&hr, d, "ours", "{}"), "{}");
    ck_assert_int_eq(app.asked, 0);
    down();
}
END_TEST

/* R135 */
START_TEST(a_context_can_be_set_only_before_the_start_or_in_the_function)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;

    up("era modern");
    ck_assert_int_eq(mcphost_set_trace_context(hr.host, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_new(d, "a_echo", "{\"text\":\"hi\"}", 13, &call, NULL),
                     0);
    ck_assert_int_eq(mcphost_call_set_trace_context(NULL, PARENT, NULL, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_set_trace_context(call, "00", NULL, NULL, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "traceparent");
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_call_set_trace_context(call, PARENT, NULL, "a=1", NULL), 0);
    ck_assert_int_eq(mcphost_call_set_meta(call, "{\"baggage\":\"b=2\"}", 17, NULL), 0);
    ck_assert_int_eq(mcphost_call_start(call, NULL, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_call_set_trace_context(call, PARENT, NULL, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(hr_traced(&hr, "a", "\"traceparent\":\"" PARENT "\""), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "\"baggage\":\"b=2\""), 1);
    ck_assert_int_eq(hr_traced(&hr, "a", "a=1"), 0);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "calls");

    tcase_add_test(tc, a_call_over_stdio_has_the_context_in_its_meta);
    tcase_add_loop_test(tc, a_call_over_http_has_the_context_in_headers_too, 0, 2);
    tcase_add_test(tc, a_missing_or_invalid_context_is_not_sent);
    tcase_add_test(tc, a_read_has_the_context_and_needs_no_approval);
    tcase_add_test(tc, the_trace_function_is_not_called_for_builtin_tools);
    tcase_add_test(tc, a_context_can_be_set_only_before_the_start_or_in_the_function);
    tcase_set_timeout(tc, 30);
}

int
main(void)
{
    return test_main("host-trace", add);
}
