/* SPDX-License-Identifier: MIT
 *
 * provided.c - serves a provider with features of each kind on stdin and stdout.
 *
 *     provided
 *
 * Each feature is a simple form of the feature with the same name in modern.mjs, so that
 * served.mjs can run the same checks on both programs.  A tool that takes time runs in a
 * thread of its own.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#define STEP_MS 20

static mcphost_provider *provider;
static atomic_int n_cancelled;
static int over;

_Noreturn static void
die(const char *what, int r)
{
    fprintf(stderr, "provided: %s: %s\n", what, mcphost_strerror(r));
    exit(1);
}

static int
answer_text(mcphost_provider_call *call, const char *text)
{
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

static int
answer(mcphost_provider_call *call, const char *json)
{
    return mcphost_provider_call_answer(call, json, strlen(json), NULL);
}

/* Returns the number after a key in the call's arguments, or `fallback` if the key is
 * absent. */
static long
number_of(const mcphost_provider_call *call, const char *key, long fallback)
{
    const char *at = strstr(mcphost_provider_call_get_arguments(call, NULL), key);

    return at ? strtol(at + strlen(key), NULL, 10) : fallback;
}

/* Copies the string after a key without decoding its JSON escapes.  Makes `text` empty if
 * there is no string or if the string does not fit. */
static void
string_of(const char *json, const char *key, char *text, size_t size)
{
    const char *at = json ? strstr(json, key) : NULL;
    size_t len;

    text[0] = '\0';
    at = at ? strchr(at + strlen(key), ':') : NULL;
    at = at ? strchr(at, '"') : NULL;
    len = at ? strcspn(at + 1, "\"") : 0;
    if (at && len < size) {
        memcpy(text, at + 1, len);
        text[len] = '\0';
    }
}

/* ---- tools that answer at once ----------------------------------------------------- */

static int
echo(mcphost_provider_call *call, void *arg)
{
    char text[256];

    (void)arg;
    string_of(mcphost_provider_call_get_arguments(call, NULL), "\"text\"", text,
              sizeof(text));
    return answer_text(call, text);
}

static int
fail(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_answer_text(call, "no such luck", 12, 1);
}

static int
typed(mcphost_provider_call *call, void *arg)
{
    char city[64], json[256];

    (void)arg;
    string_of(mcphost_provider_call_get_arguments(call, NULL), "\"city\"", city,
              sizeof(city));
    snprintf(json, sizeof(json),
             "{\"content\":[{\"type\":\"text\",\"text\":\"21.5\"}],"
             "\"structuredContent\":{\"city\":\"%s\",\"degrees\":21.5}}",
             city);
    return answer(call, json);
}

static int
tell_cancelled(mcphost_provider_call *call, void *arg)
{
    char text[16];

    (void)arg;
    snprintf(text, sizeof(text), "%d", atomic_load(&n_cancelled));
    return answer_text(call, text);
}

/* Logs a message of each level. */
static int
log_all(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    for (int level = MCPHOST_MESSAGES_DEBUG; level <= MCPHOST_MESSAGES_EMERGENCY;
         level++) {
        char data[32];

        snprintf(data, sizeof(data), "{\"said\":%d}", level - MCPHOST_MESSAGES_DEBUG);
        mcphost_provider_log(provider, level, "provided", data, strlen(data));
    }
    return answer_text(call, "logged");
}

static int
touch(mcphost_provider_call *call, void *arg)
{
    char uri[256];

    (void)arg;
    string_of(mcphost_provider_call_get_arguments(call, NULL), "\"uri\"", uri,
              sizeof(uri));
    mcphost_provider_updated(provider, uri);
    return answer_text(call, uri);
}

/* ---- tools that take time ---------------------------------------------------------- */

static void
sleep_ms(long ms)
{
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&ts, NULL);
}

static void *
count_up(void *arg)
{
    mcphost_provider_call *call = arg;
    long n = number_of(call, "\"n\":", 3), ms = number_of(call, "\"ms\":", 0);

    for (long i = 1; i <= n; i++) {
        char text[32];

        snprintf(text, sizeof(text), "step %ld", i);
        mcphost_provider_call_report(call, (double)i, (double)n, text, strlen(text));
        sleep_ms(ms);
    }
    answer_text(call, "counted");
    mcphost_provider_call_unref(call);
    return NULL;
}

static void *
sleep_on(void *arg)
{
    mcphost_provider_call *call = arg;
    long left = number_of(call, "\"ms\":", 0);

    for (; left > 0 && !mcphost_provider_call_is_cancelled(call); left -= STEP_MS)
        sleep_ms(STEP_MS);
    if (mcphost_provider_call_is_cancelled(call))
        atomic_fetch_add(&n_cancelled, 1);
    answer_text(call, "awake");
    mcphost_provider_call_unref(call);
    return NULL;
}

static int
in_thread(mcphost_provider_call *call, void *(*work)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, mcphost_provider_call_ref(call))) {
        mcphost_provider_call_unref(call);
        return MCPHOST_E_LIMIT;
    }
    pthread_detach(thread);
    return 0;
}

static int
count(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return in_thread(call, count_up);
}

static int
slow(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return in_thread(call, sleep_on);
}

/* ---- tools that send a request to the client --------------------------------------- */

/* A request to the client.  The tool answers with the string after `key` in the client's
 * response, or with the action if the response to a form has no such string. */
struct question {
    int kind;
    const char *params, *key;
};

#define WHO                                                           \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\"," \
    "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":["  \
    "\"name\"]}}"

static struct question who = {MCPHOST_REQUEST_FORM, WHO, "\"name\""};
static struct question page = {MCPHOST_REQUEST_URL,
                               "{\"mode\":\"url\",\"message\":\"Sign in\",\"url\":"
                               "\"https://example.com/in?a=1\",\"elicitationId\":\"e1\"}",
                               "\"action\""};
static struct question model = {
    MCPHOST_REQUEST_SAMPLING,
    "{\"maxTokens\":10,\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
    "\"text\":\"say something\"}}]}",
    "\"text\":"};
static struct question roots = {MCPHOST_REQUEST_ROOTS, "{}", "\"uri\""};

/* Answers the call with a string of the client's response (see struct question), or with
 * the reason for a refusal.  Searches a response to sampling for "text" with its colon,
 * because the response contains "text" twice: {"type":"text","text":...}. */
static void
on_answered(mcphost_provider_call *call, int code, const char *json, size_t len,
            const mcphost_error *error, void *arg)
{
    const struct question *question = arg;
    char text[256], found[200];
    const char *from = json;

    (void)len;
    if (code < 0) {
        snprintf(text, sizeof(text), "refused: %s",
                 error ? mcphost_error_get_message(error) : mcphost_strerror(code));
        answer_text(call, text);
        return;
    }
    if (question->kind == MCPHOST_REQUEST_SAMPLING) {
        from = strstr(json, "\"text\":");
        snprintf(found, sizeof(found), "%.*s", from ? (int)strcspn(from + 8, "\"") : 0,
                 from ? from + 8 : "");
    } else {
        string_of(json, question->key, found, sizeof(found));
    }
    if (question->kind == MCPHOST_REQUEST_FORM && !*found)
        string_of(json, "\"action\"", found, sizeof(found));
    snprintf(text, sizeof(text), "told: %s", found);
    answer_text(call, text);
}

static int
ask(mcphost_provider_call *call, void *arg)
{
    const struct question *question = arg;

    return mcphost_provider_call_ask(call, question->kind, question->params,
                                     strlen(question->params), on_answered, arg, NULL,
                                     NULL);
}

/* ---- resources, templates, prompts ------------------------------------------------- */

static int
read_fixed(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return answer_text(call, "fixed");
}

static int
read_page(mcphost_provider_call *call, void *arg)
{
    const char *variables = mcphost_provider_call_get_arguments(call, NULL);
    char book[64], number[64], text[160];

    (void)arg;
    string_of(variables, "\"book\"", book, sizeof(book));
    string_of(variables, "\"page\"", number, sizeof(number));
    snprintf(text, sizeof(text), "page %s of %s", number, book);
    return answer_text(call, text);
}

static int
letter(mcphost_provider_call *call, void *arg)
{
    char language[64], text[128];

    (void)arg;
    string_of(mcphost_provider_call_get_arguments(call, NULL), "\"language\"", language,
              sizeof(language));
    snprintf(text, sizeof(text), "Hi in %s", language);
    return answer_text(call, text);
}

/* Answers with the words of the list `arg` that begin with the typed text. */
static int
complete(mcphost_provider_call *call, void *arg)
{
    const char *const *words = arg, *typed_so_far;
    char json[512] = "{\"completion\":{\"values\":[";
    size_t len;
    int n = 0;

    typed_so_far = mcphost_provider_call_get_value(call, &len);
    for (; *words; words++) {
        if (strncmp(*words, typed_so_far, len) != 0)
            continue;
        snprintf(json + strlen(json), sizeof(json) - strlen(json), "%s\"%s\"",
                 n++ ? "," : "", *words);
    }
    strncat(json, "]}}", sizeof(json) - strlen(json) - 1);
    return answer(call, json);
}

static const char *const languages[] = {"English", "Esperanto", "German", NULL};
static const char *const books[] = {"atlas", "novel", NULL};

/* ---- the provider ------------------------------------------------------------------ */

static int grow(mcphost_provider_call *call, void *arg);

struct feature {
    int kind;
    const char *definition;
    mcphost_provide_fn fn;
    void *arg;
};

#define TOOL(name, properties)                                             \
    MCPHOST_FEATURE_TOOL, "{\"name\":\"" name "\",\"description\":\"" name \
                          "\",\"inputSchema\":{\"type\":\"object\","       \
                          "\"properties\":{" properties "}}}"
#define STRING(name) "\"" name "\":{\"type\":\"string\"}"
#define NUMBER(name) "\"" name "\":{\"type\":\"integer\"}"

static const struct feature features[] = {
    {TOOL("echo", STRING("text")), echo, NULL},
    {TOOL("fail", ""), fail, NULL},
    {MCPHOST_FEATURE_TOOL,
     "{\"name\":\"typed\",\"description\":\"typed\",\"inputSchema\":{\"type\":\"object\","
     "\"properties\":{\"city\":{\"type\":\"string\"}}},\"outputSchema\":{"
     "\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"degrees\":{"
     "\"type\":\"number\"}},\"required\":[\"city\",\"degrees\"]}}",
     typed, NULL},
    {TOOL("cancelled", ""), tell_cancelled, NULL},
    {TOOL("log", ""), log_all, NULL},
    {TOOL("touch", STRING("uri")), touch, NULL},
    {TOOL("count", NUMBER("n") "," NUMBER("ms")), count, NULL},
    {TOOL("slow", NUMBER("ms")), slow, NULL},
    {TOOL("ask", ""), ask, &who},
    {TOOL("open", ""), ask, &page},
    {TOOL("sample", ""), ask, &model},
    {TOOL("roots", ""), ask, &roots},
    {TOOL("grow", ""), grow, NULL},
    {MCPHOST_FEATURE_RESOURCE, "{\"name\":\"fixed\",\"uri\":\"note://fixed\"}",
     read_fixed, NULL},
    {MCPHOST_FEATURE_TEMPLATE,
     "{\"name\":\"page\",\"uriTemplate\":\"note://pages/{book}/{page}\"}", read_page,
     NULL},
    {MCPHOST_FEATURE_PROMPT,
     "{\"name\":\"letter\",\"arguments\":[{\"name\":\"language\",\"required\":true}]}",
     letter, NULL},
};

static void
add(const struct feature *feature)
{
    int r = mcphost_provider_add(provider, feature->kind, feature->definition,
                                 strlen(feature->definition), feature->fn, feature->arg,
                                 NULL, NULL);

    if (r < 0)
        die(feature->definition, r);
}

static int
grow(mcphost_provider_call *call, void *arg)
{
    static const struct feature grown[] = {
        {TOOL("grown", ""), echo, NULL},
        {MCPHOST_FEATURE_RESOURCE, "{\"name\":\"grown\",\"uri\":\"note://grown\"}",
         read_fixed, NULL},
        {MCPHOST_FEATURE_PROMPT, "{\"name\":\"grown\"}", letter, NULL},
    };

    (void)arg;
    for (size_t i = 0; i < sizeof(grown) / sizeof(grown[0]); i++)
        add(&grown[i]);
    return answer_text(call, "grown");
}

static void
start_provider(mcphost *host)
{
    int r =
        mcphost_provider_new(mcphost_default_source(host), "provided", &provider, NULL);

    if (r < 0)
        die("provider", r);
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
        add(&features[i]);
    r = mcphost_provider_set_completion(provider, MCPHOST_FEATURE_PROMPT, "letter",
                                        complete, (void *)languages, NULL);
    if (r == 0)
        r = mcphost_provider_set_completion(provider, MCPHOST_FEATURE_TEMPLATE,
                                            "note://pages/{book}/{page}", complete,
                                            (void *)books, NULL);
    if (r == 0)
        r = mcphost_provider_start(provider);
    if (r < 0)
        die("start", r);
}

/* ---- the host ---------------------------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_SERVING &&
        mcphost_event_get_state(event) == 0)
        over = 1;
}

static void
set(mcphost *host, int option, int64_t value)
{
    int r = mcphost_set_option(host, option, value);

    if (r < 0)
        die("option", r);
}

int
main(void)
{
    mcphost_serving *serving;
    mcphost *host;
    int r = mcphost_new(&host, NULL);

    if (r < 0)
        die("host", r);
    set(host, MCPHOST_OPT_REQUESTS,
        MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL | MCPHOST_REQUEST_SAMPLING |
            MCPHOST_REQUEST_ROOTS);
    set(host, MCPHOST_OPT_MESSAGES, MCPHOST_MESSAGES_DEBUG);
    mcphost_set_event(host, on_event, NULL, NULL);
    start_provider(host);
    r = mcphost_serve_fd(mcphost_default_view(host), STDIN_FILENO, STDOUT_FILENO,
                         "client", &serving, NULL);
    if (r < 0)
        die("serve", r);
    mcphost_serving_unref(serving);
    while (!over && r >= 0)
        r = mcphost_wait(host, -1);
    mcphost_provider_unref(provider);
    mcphost_unref(host);
    return r < 0;
}
