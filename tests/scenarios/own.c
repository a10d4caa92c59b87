/* SPDX-License-Identifier: MIT
 *
 * own.c - commands that make tools and servers of the application.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenario.h"

#define TEXT(s) s, sizeof(s) - 1

/* ---- built-in tools ---------------------------------------------------------------- */

static int
answer_builtin(mcphost_call *call, const char *arguments, size_t arguments_len, void *arg)
{
    (void)arguments;
    (void)arguments_len;
    return mcphost_call_answer(call, arg, strlen(arg), 0);
}

static void
add_builtin(const char *toolset, const char *name, const char *text)
{
    mcphost_error *err = NULL;
    int r = mcphost_view_add_builtin(mcphost_default_view(sc.host), toolset, name, NULL,
                                     "{\"type\":\"object\"}", answer_builtin,
                                     strdup(text), free, &err);

    if (r < 0)
        say_error("builtin", r, err);
}

/* ---- a provider -------------------------------------------------------------------- */

static int
give_arguments(mcphost_provider_call *call, void *arg)
{
    size_t len;
    const char *json = mcphost_provider_call_get_arguments(call, &len);

    (void)arg;
    return json ? mcphost_provider_call_answer_text(call, json, len, 0)
                : mcphost_provider_call_answer_text(call, TEXT("{}"), 0);
}

static int
give_failure(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_answer_text(call, TEXT("failed"), 1);
}

static int
give_refusal(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_fail(call, -32000, "refused", NULL, 0);
}

static void *
answer_later(void *arg)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    mcphost_provider_call_answer_text(arg, TEXT("later"), 0);
    mcphost_provider_call_unref(arg);
    return NULL;
}

static int
give_later(mcphost_provider_call *call, void *arg)
{
    pthread_t thread;

    (void)arg;
    if (pthread_create(&thread, NULL, answer_later, mcphost_provider_call_ref(call)) != 0)
        die("there is no thread");
    pthread_detach(thread);
    return 0;
}

/* Reports three steps and answers.  A pause follows each report, because the library
 * sends only the latest report of a dispatcher's turn. */
static void *
answer_steps(void *arg)
{
    static const char *const steps[] = {"one", "two", "three"};

    for (int i = 0; i < 3; i++) {
        mcphost_provider_call_report(arg, i + 1, 3, steps[i], strlen(steps[i]));
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    mcphost_provider_call_answer_text(arg, TEXT("done"), 0);
    mcphost_provider_call_unref(arg);
    return NULL;
}

static int
give_steps(mcphost_provider_call *call, void *arg)
{
    pthread_t thread;

    (void)arg;
    if (pthread_create(&thread, NULL, answer_steps, mcphost_provider_call_ref(call)) != 0)
        die("there is no thread");
    pthread_detach(thread);
    return 0;
}

static int
give_note(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_answer_text(call, TEXT("a note"), 0);
}

static int
give_prompt(mcphost_provider_call *call, void *arg)
{
    const char *json = mcphost_provider_call_get_arguments(call, NULL);
    const char *name = json ? strstr(json, "\"name\":\"") : NULL;
    mcphost_error *err = NULL;
    struct text answer = {0};
    int r;

    (void)arg;
    name = name ? name + 8 : "\"";
    text_format(&answer,
                "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                "\"text\":\"hello %.*s\"}}]}",
                (int)strcspn(name, "\""), name);
    r = mcphost_provider_call_answer(call, answer.p, answer.len, &err);
    text_free(&answer);
    mcphost_error_unref(err);
    return r;
}

static const struct {
    int feature;
    const char *definition;
    mcphost_provide_fn fn;
} features[] = {
    {MCPHOST_FEATURE_TOOL, "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}",
     give_arguments},
    {MCPHOST_FEATURE_TOOL, "{\"name\":\"fail\",\"inputSchema\":{\"type\":\"object\"}}",
     give_failure},
    {MCPHOST_FEATURE_TOOL, "{\"name\":\"refuse\",\"inputSchema\":{\"type\":\"object\"}}",
     give_refusal},
    {MCPHOST_FEATURE_TOOL, "{\"name\":\"later\",\"inputSchema\":{\"type\":\"object\"}}",
     give_later},
    {MCPHOST_FEATURE_TOOL, "{\"name\":\"steps\",\"inputSchema\":{\"type\":\"object\"}}",
     give_steps},
    {MCPHOST_FEATURE_RESOURCE, "{\"uri\":\"mem:note\",\"name\":\"note\"}", give_note},
    {MCPHOST_FEATURE_PROMPT,
     "{\"name\":\"hello\",\"arguments\":[{\"name\":\"name\",\"required\":true}]}",
     give_prompt},
};

static void
start_provider(const char *id)
{
    mcphost_provider *provider = NULL;
    mcphost_error *err = NULL;
    int r = mcphost_provider_new(mcphost_default_source(sc.host), id, &provider, &err);

    for (size_t i = 0; i < sizeof(features) / sizeof(*features) && r == 0; i++)
        r = mcphost_provider_add(provider, features[i].feature, features[i].definition,
                                 strlen(features[i].definition), features[i].fn, NULL,
                                 NULL, &err);
    if (r == 0)
        r = mcphost_provider_start(provider);
    if (r == 0) {
        thing_add(THING_PROVIDER, id, provider);
        return;
    }
    say_error("provider", r, err);
    mcphost_provider_unref(provider);
}

static void
stop_provider(const char *id)
{
    struct thing *thing = thing_find(THING_PROVIDER, id);
    int r = mcphost_provider_close(thing->object);

    if (r < 0)
        say_error("stop-provider", r, NULL);
    mcphost_provider_unref(thing->object);
    thing_remove(thing);
}

bool
run_own(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "builtin") == 0)
        add_builtin(c->words[1], c->words[2], c->words[3]);
    else if (strcmp(name, "provider") == 0)
        start_provider(c->words[1]);
    else if (strcmp(name, "stop-provider") == 0)
        stop_provider(c->words[1]);
    else
        return false;
    return true;
}
