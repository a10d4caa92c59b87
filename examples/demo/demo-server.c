/* SPDX-License-Identifier: MIT
 *
 * demo-server.c - a small MCP server over stdio, written with the library.
 *
 *   demo-server [--modern] [NAME]
 *
 * The program shows how to write a server.  It can also test a host.  It offers one tool
 * of each kind that a host has to handle: echo, a slow count with progress, a picture, a
 * tool whose name is too long for a prefix, and a tool that the demo's configuration
 * hides.  A further tool counts its own calls.  Two conversations should not share the
 * process, because the process stores this count.
 *
 * A provider runs the tools.  A view contains the provider.  The library serves the view
 * to the client that started the program.  With --modern the server uses only protocol
 * 2026-07-28.  Otherwise it uses only the earlier revisions.
 *
 * The program has one thread and sleeps only in mcphost_wait().  The end of the input
 * closes the host.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>
#include <mcphost/mcphost.h>

enum { MAX_COUNTS = 64, NEVER = -1 };

/* ---- tools that answer at once ----------------------------------------------------- */

/* Returns the arguments of a call, or NULL if memory is short.  The library has checked
 * the arguments against the tool's schema.  The caller owns the result. */
static json_t *
arguments_of(const mcphost_provider_call *call)
{
    size_t len;
    const char *json = mcphost_provider_call_get_arguments(call, &len);

    return json_loadb(json, len, 0, NULL);
}

static int
answer(mcphost_provider_call *call, const char *said)
{
    char text[512];

    snprintf(text, sizeof(text), "%.400s (process %d)", said, (int)getpid());
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

static int
echo(mcphost_provider_call *call, void *arg)
{
    json_t *arguments = arguments_of(call);
    const char *text = json_string_value(json_object_get(arguments, "text"));
    int r = text ? answer(call, text) : MCPHOST_E_NOMEM;

    (void)arg;
    json_decref(arguments);
    return r;
}

static int
tally(mcphost_provider_call *call, void *arg)
{
    static unsigned long n;
    char text[32];

    (void)arg;
    snprintf(text, sizeof(text), "%lu", ++n);
    return answer(call, text);
}

/* Answers with a picture of a face, 8 x 8 pixels, as PNG. */
static int
picture(mcphost_provider_call *call, void *arg)
{
    static const char json[] =
        "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\""
        "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAFUlEQVR42mM4zLCXIYqhDojTgKzD"
        "ACTQBJmbSLVQAAAAAElFTkSuQmCC\"}]}";

    (void)arg;
    return mcphost_provider_call_answer(call, json, strlen(json), NULL);
}

static int
done(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return answer(call, "done");
}

/* ---- a tool that answers later ----------------------------------------------------- */

/* A running call of `count`. */
static struct count {
    mcphost_provider_call *call; /* a reference; NULL if the slot is free */
    int64_t due;                 /* time of the next number, in ms */
    int64_t step_ms;
    int at, to;
} counts[MAX_COUNTS];

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
count(mcphost_provider_call *call, void *arg)
{
    static const char full[] = "too many counts at once";
    json_t *arguments = arguments_of(call), *step = json_object_get(arguments, "step_ms");
    struct count *c = counts;

    (void)arg;
    while (c < counts + MAX_COUNTS && c->call)
        c++;
    if (c == counts + MAX_COUNTS) {
        json_decref(arguments);
        return mcphost_provider_call_answer_text(call, full, strlen(full), 1);
    }
    c->at = 0;
    c->to = (int)json_integer_value(json_object_get(arguments, "to"));
    c->step_ms = step ? json_integer_value(step) : 100;
    c->due = now_ms() + c->step_ms;
    c->call = mcphost_provider_call_ref(call);
    json_decref(arguments);
    return 0;
}

/* Reports the next number as progress.  After the last number, answers the call. */
static void
count_on(struct count *c)
{
    char text[64];

    snprintf(text, sizeof(text), "%d", ++c->at);
    mcphost_provider_call_report(c->call, c->at, c->to, text, strlen(text));
    c->due += c->step_ms;
    if (c->at < c->to)
        return;
    snprintf(text, sizeof(text), "counted to %d", c->to);
    answer(c->call, text);
    c->call = mcphost_provider_call_unref(c->call);
}

/* Advances the counts that are due, and drops cancelled counts.  Returns the milliseconds
 * until the next number, or NEVER if no count is left. */
static int64_t
turn_counts(void)
{
    int64_t now = now_ms(), wait = NEVER;

    for (struct count *c = counts; c < counts + MAX_COUNTS; c++) {
        if (c->call && mcphost_provider_call_is_cancelled(c->call))
            c->call = mcphost_provider_call_unref(c->call);
        if (c->call && c->due <= now)
            count_on(c);
        if (c->call && (wait == NEVER || c->due - now < wait))
            wait = c->due > now ? c->due - now : 0;
    }
    return wait;
}

/* ---- the server -------------------------------------------------------------------- */

/* Makes a string from the text between the parentheses. */
#define JSON(...) #__VA_ARGS__

/* clang-format off */
static const struct {
    mcphost_provide_fn fn;
    const char *definition;
} tools[] = {
    {echo, JSON({"name": "echo", "description": "Say the same again.",
                 "inputSchema": {"type": "object", "required": ["text"],
                                 "properties": {"text": {"type": "string"}}}})},
    {count, JSON({"name": "count",
                  "description": "Count to a number, slowly, with progress.",
                  "inputSchema": {"type": "object", "required": ["to"], "properties": {
                      "to": {"type": "integer", "minimum": 1, "maximum": 1000},
                      "step_ms": {"type": "integer", "minimum": 0, "maximum": 60000,
                                  "default": 100}}}})},
    {tally, JSON({"name": "tally",
                  "description": "Add one to a number that this process keeps.",
                  "inputSchema": {"type": "object"}})},
    {picture, JSON({"name": "picture", "description": "A small picture.",
                    "inputSchema": {"type": "object"}})},
    {done, JSON({"name": "look_up_what_may_be_in_any_of_the_many_drawers_of_this_old_desk",
                 "description": "Has a name that leaves no room for a prefix.",
                 "inputSchema": {"type": "object"}})},
    {done, JSON({"name": "erase_all", "description": "Erase everything.",
                 "inputSchema": {"type": "object"}})},
};
/* clang-format on */

/* Closes the host once the client has ended the connection. */
static void
on_event(const mcphost_event *event, void *host)
{
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_SERVING &&
        mcphost_event_get_state(event) == 0)
        mcphost_close(host);
}

static int
offer(mcphost *host, const char *name, mcphost_error **reterr)
{
    mcphost_provider *provider = NULL;
    int r = mcphost_provider_new(mcphost_default_source(host), name, &provider, reterr);

    for (size_t i = 0; r == 0 && i < sizeof(tools) / sizeof(tools[0]); i++)
        r = mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tools[i].definition,
                                 strlen(tools[i].definition), tools[i].fn, NULL, NULL,
                                 reterr);
    if (r == 0)
        r = mcphost_provider_start(provider);
    mcphost_provider_unref(provider);
    return r;
}

static int
serve(mcphost *host, const char *name, int era, mcphost_error **reterr)
{
    mcphost_serving *serving = NULL;
    int r = mcphost_set_event(host, on_event, host, NULL);

    if (r == 0)
        r = mcphost_set_identity(host, name, "1", NULL); /* sent to the client */
    if (r == 0)
        r = mcphost_set_option(host, MCPHOST_OPT_SERVED_ERA, era);
    if (r == 0)
        r = offer(host, name, reterr);
    if (r == 0)
        r = mcphost_serve_fd(mcphost_default_view(host), STDIN_FILENO, STDOUT_FILENO,
                             "client", &serving, reterr);
    mcphost_serving_unref(serving);
    if (r == 0)
        fprintf(stderr, "%s: ready, process %d\n", name, (int)getpid());
    while (r >= 0)
        r = mcphost_wait(host, turn_counts());
    return r == MCPHOST_E_CLOSED ? 0 : r;
}

int
main(int argc, char **argv)
{
    const char *name = "demo";
    int era = MCPHOST_ERA_LEGACY;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, &err);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--modern") == 0)
            era = MCPHOST_ERA_MODERN;
        else
            name = argv[i];
    }
    if (r == 0)
        r = serve(host, name, era, &err);
    if (r < 0)
        fprintf(stderr, "%s: %s\n", name,
                err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    mcphost_unref(host);
    return r < 0;
}
