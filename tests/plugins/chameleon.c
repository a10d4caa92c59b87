/* SPDX-License-Identifier: MIT
 *
 * chameleon.c - a plugin whose behaviour and text are two strings in its file.  A test
 * replaces the strings in a copy of the file (support/plugrig.h).
 *
 * If PLUGIN_TRACE names a file, the plugin appends lines to that file.  It appends a line
 * when its entry function, setup or teardown runs, when the argument of a callback is
 * freed, and when the plugin is unloaded.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/plugin.h>

/* A test changes these strings in the file.  Therefore the qualifier volatile keeps the
 * compiler from copying their values into the code. */
static const volatile char mode_mark[64] = "@MODE@tool";
static const volatile char say_mark[64] = "@SAY@hello";

static char mode[58], say[59];
static mcphost_provider *self;
static mcphost_provider_call *kept;
static pthread_t thread;
static int has_thread;
static atomic_int ends;

static void
trace(const char *what)
{
    const char *path = getenv("PLUGIN_TRACE");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%s %s\n", what, self ? mcphost_provider_get_id(self) : say);
    fclose(f);
}

static void __attribute__((constructor)) on_load(void)
{
    for (size_t i = 0; i < sizeof(mode) - 1; i++)
        mode[i] = mode_mark[i + 6];
    for (size_t i = 0; i < sizeof(say) - 1; i++)
        say[i] = say_mark[i + 5];
    if (strcmp(mode, "crash-load") == 0)
        abort();
}

static void __attribute__((destructor)) on_unload(void)
{
    self = NULL;
    trace("unload");
}

static int
is(const char *word)
{
    return strcmp(mode, word) == 0;
}

/* ---- tools ------------------------------------------------------------------------- */

static int
on_say(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_answer_text(call, say, strlen(say), 0);
}

static int
on_config(mcphost_provider_call *call, void *arg)
{
    size_t len;
    char *json;
    int r = mcphost_provider_dup_config(self, "", &json, &len);

    (void)arg;
    if (r < 0)
        return r;
    r = mcphost_provider_call_answer_text(call, json, len, 0);
    mcphost_free(json);
    return r;
}

/* Waits in a thread of its own until the file "$PLUGIN_TRACE.go" exists or teardown
 * begins.  Then answers the call. */
static void *
wait_for_go(void *arg)
{
    char path[512];

    (void)arg;
    snprintf(path, sizeof(path), "%s.go", getenv("PLUGIN_TRACE"));
    while (!ends && access(path, F_OK) < 0)
        usleep(1000);
    mcphost_provider_call_answer_text(kept, say, strlen(say), 0);
    kept = mcphost_provider_call_unref(kept);
    return NULL;
}

static int
on_wait(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    if (has_thread)
        return MCPHOST_E_BUSY;
    kept = mcphost_provider_call_ref(call);
    has_thread = pthread_create(&thread, NULL, wait_for_go, NULL) == 0;
    return has_thread ? 0 : MCPHOST_E_NOMEM;
}

static void
on_sampled(mcphost_provider_call *call, int code, const char *json, size_t len,
           const mcphost_error *error, void *arg)
{
    (void)arg;
    if (code < 0)
        json = mcphost_error_get_message(error), len = strlen(json);
    mcphost_provider_call_answer_text(call, json, len, code < 0);
    mcphost_provider_call_unref(call);
}

static int
on_sample(mcphost_provider_call *call, void *arg)
{
    static const char params[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
        "\"text\",\"text\":\"hi\"}}],\"maxTokens\":10}";
    int r;

    (void)arg;
    mcphost_provider_call_ref(call);
    r = mcphost_provider_request_sampling(call, params, strlen(params), on_sampled, NULL,
                                          NULL, NULL);
    if (r < 0)
        mcphost_provider_call_unref(call);
    return r;
}

static void
on_free(void *arg)
{
    (void)arg;
    trace("free");
}

static int
add(mcphost_provider *provider, int feature, const char *form, const char *suffix,
    mcphost_provide_fn fn, mcphost_error **reterr)
{
    char text[512];

    snprintf(text, sizeof(text), form, mcphost_provider_get_id(provider), suffix);
    return mcphost_provider_add(provider, feature, text, strlen(text), fn, NULL, on_free,
                                reterr);
}

static int
add_tools(mcphost_provider *provider, mcphost_error **reterr)
{
    static const char form[] =
        "{\"name\":\"%s_%s\",\"inputSchema\":{\"type\":\"object\"}}";
    int r = add(provider, MCPHOST_FEATURE_TOOL, form, "say", on_say, reterr);

    if (r == 0)
        r = add(provider, MCPHOST_FEATURE_TOOL, form, "config", on_config, reterr);
    if (r == 0)
        r = add(provider, MCPHOST_FEATURE_TOOL, form, "wait", on_wait, reterr);
    if (r == 0)
        r = add(provider, MCPHOST_FEATURE_TOOL, form, "sample", on_sample, reterr);
    return r;
}

/* ---- other kinds of plugins, setup and teardown ------------------------------------ */

static void
answer_request(mcphost_request *request, void *arg)
{
    char json[256];

    (void)arg;
    snprintf(json, sizeof(json),
             "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\","
             "\"text\":\"%s\"}}",
             say);
    mcphost_request_respond(request, json, strlen(json), NULL);
}

/* Checks whether the library lets a plugin start, close, configure or set the callbacks
 * of its provider.  Each of these calls must return MCPHOST_E_STATE. */
static int
allows_misuse(mcphost_provider *provider)
{
    return mcphost_provider_start(provider) != MCPHOST_E_STATE ||
           mcphost_provider_close(provider) != MCPHOST_E_STATE ||
           mcphost_provider_set_config(provider, "{}", 2, NULL) != MCPHOST_E_STATE ||
           mcphost_provider_set_life(provider, NULL, NULL, NULL, NULL) != MCPHOST_E_STATE;
}

static int
set_up(mcphost_provider *provider, mcphost_error **reterr)
{
    static const char defaults[] = "{\"limit\":1,\"name\":\"none\",\"api_key\":\"x\"}";
    int r;

    if (is("refuse"))
        return mcphost_error_new(MCPHOST_E_CONFIG, "no luck\ntoday", reterr);
    if (is("mute"))
        return MCPHOST_E_DENIED;
    if (is("crash"))
        abort();
    if (allows_misuse(provider))
        return mcphost_error_new(MCPHOST_E_STATE, "it may do too much", reterr);
    r = mcphost_provider_set_defaults(provider, defaults, strlen(defaults), reterr);
    if (r < 0)
        return r;
    if (is("resource"))
        return add(provider, MCPHOST_FEATURE_RESOURCE,
                   "{\"uri\":\"mem://%s/%s\",\"name\":\"n\"}", "a", on_say, reterr);
    if (is("prompt"))
        return add(provider, MCPHOST_FEATURE_PROMPT, "{\"name\":\"%s_%s\"}", "p", on_say,
                   reterr);
    if (is("sampling"))
        return mcphost_provider_set_sampler(provider, answer_request, NULL, on_free,
                                            reterr);
    if (is("wrong-kind"))
        return add(provider, MCPHOST_FEATURE_PROMPT, "{\"name\":\"%s_%s\"}", "p", on_say,
                   reterr);
    if (is("wrong-sampler"))
        return mcphost_provider_set_sampler(provider, answer_request, NULL, on_free,
                                            reterr);
    return add_tools(provider, reterr);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    int r;

    self = provider;
    trace(arg ? "argument" : "setup");
    r = set_up(provider, reterr);
    if (r < 0)
        self = NULL;
    return r;
}

static void
teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
    ends = 1;
    if (has_thread)
        pthread_join(thread, NULL);
    trace("teardown");
    self = NULL;
}

static int
kind(void)
{
    return is("resource")   ? MCPHOST_PLUGIN_RESOURCE
           : is("prompt")   ? MCPHOST_PLUGIN_PROMPT
           : is("sampling") ? MCPHOST_PLUGIN_SAMPLING
           : is("kind")     ? 99
                            : MCPHOST_PLUGIN_TOOL;
}

MCPHOST_PLUGIN_LINKAGE MCPHOST_PLUGIN_EXPORT void
mcphost_plugin_entry(mcphost_plugin *plugin);

/* Declares the plugin as MCPHOST_PLUGIN() does.  If the mode names a mistake, makes that
 * mistake. */
void
mcphost_plugin_entry(mcphost_plugin *plugin)
{
    trace("entry");
    if (is("silent"))
        return;
    mcphost_plugin_declare(plugin, MCPHOST_PLUGIN_ABI + is("abi"), kind(), setup,
                           is("no-teardown") ? NULL : teardown);
    if (is("twice"))
        mcphost_plugin_declare(plugin, MCPHOST_PLUGIN_ABI, kind(), setup, teardown);
}
