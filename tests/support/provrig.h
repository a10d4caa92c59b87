/* SPDX-License-Identifier: MIT
 *
 * provrig.h - a host whose default source has the provider "app".  A test program
 * includes this file once.
 */
#ifndef TESTS_SUPPORT_PROVRIG_H
#define TESTS_SUPPORT_PROVRIG_H

#include <string.h>

#include "support/hostrig.h"

#define TOOL(name)                                      \
    "{\"name\":\"" name "\",\"inputSchema\":{\"type\":" \
    "\"object\",\"properties\":{\"text\":{"             \
    "\"type\":\"string\"}}}}"

static struct hostrig hr;
static mcphost_provider *provider;
static mcphost_dialog *dialog;
static mcphost_provider_call *kept; /* set by keep() */
static int freed, calls;

static inline void
count_free(void *arg)
{
    (void)arg;
    freed++;
}

static inline void
up(void)
{
    freed = calls = 0;
    hr_up(&hr);
    ck_assert_int_eq(
        mcphost_provider_new(mcphost_default_source(hr.host), "app", &provider, NULL), 0);
    dialog = hr_dialog(&hr, "d");
}

static inline void
down(void)
{
    provider = mcphost_provider_unref(provider);
    hr_down(&hr);
}

static inline int
add(int feature, const char *definition, mcphost_provide_fn fn, void *arg)
{
    mcphost_error *err = NULL;
    int r = mcphost_provider_add(provider, feature, definition, strlen(definition), fn,
                                 arg, count_free, &err);

    if (r < 0 && r != MCPHOST_E_CLOSED)
        ck_assert_ptr_nonnull(err);
    mcphost_error_unref(err);
    return r;
}

static inline void
start(void)
{
    ck_assert_int_eq(mcphost_provider_start(provider), 0);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "app", NULL, MCPHOST_SERVER_LOADED) > 0);
    hr_until(&hr, mcphost_wait_ready(hr.host, 0) == 1);
}

/* Answers a call with the call's arguments. */
static inline int
echo(mcphost_provider_call *call, void *arg)
{
    size_t len;
    const char *text = mcphost_provider_call_get_arguments(call, &len);

    (void)arg;
    calls++;
    ck_assert_str_eq(mcphost_provider_get_id(mcphost_provider_call_get_provider(call)),
                     "app");
    return mcphost_provider_call_answer_text(call, text, len, 0);
}

static inline int
constant(mcphost_provider_call *call, void *arg)
{
    return mcphost_provider_call_answer_text(call, arg, strlen(arg), 0);
}

/* Keeps the call in `kept`, so that the test can answer it later. */
static inline int
keep(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    kept = mcphost_provider_call_ref(call);
    return 0;
}

#endif
