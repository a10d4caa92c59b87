/* SPDX-License-Identifier: MIT
 *
 * answers.c - the default answers of the fake server.
 *
 * The default answers follow the rules of both eras.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeserver/fake.h"

#define META "io.modelcontextprotocol/"

static json_t *
params_of(const struct fake_run *run)
{
    return json_object_get(run->message, "params");
}

static void
add_server_info(const struct fake *fake, FILE *out)
{
    fputs("{\"name\":", out);
    fake_quote(out, fake->name);
    fputs(",\"version\":\"1.0\"}", out);
}

static void
add_instructions(const struct fake *fake, FILE *out)
{
    if (!fake->instructions)
        return;
    fputs(",\"instructions\":", out);
    fake_quote(out, fake->instructions);
}

/* Returns the version that the script sets.  If the script sets no version, returns the
 * client's version if this server knows that version.  Otherwise returns the newest
 * legacy version. */
static const char *
agreed_version(const struct fake *fake, const struct fake_run *run)
{
    static const char *const known[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                        "2024-11-05"};
    const char *asked =
        json_string_value(json_object_get(params_of(run), "protocolVersion"));

    if (fake->version)
        return fake->version;
    for (size_t i = 0; asked && i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(asked, known[i]) == 0)
            return known[i];
    return known[0];
}

static void
answer_initialize(struct fake *fake, struct fake_run *run)
{
    char *body = NULL;
    size_t size;
    FILE *out;

    if (fake->no_legacy) {
        fake_send_error(fake, run, -32601, "Method not found: initialize");
        return;
    }
    out = open_memstream(&body, &size);
    fprintf(out, "{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"serverInfo\":",
            agreed_version(fake, run), fake->capabilities);
    add_server_info(fake, out);
    add_instructions(fake, out);
    fputc('}', out);
    fclose(out);
    fake->initialized = true;
    fake_send_answer(fake, run, "result", body);
    free(body);
}

/* Checks the _meta of a modern request.  If _meta is bad, sends an error and returns
 * false. */
static bool
check_modern(struct fake *fake, struct fake_run *run)
{
    json_t *meta = json_object_get(params_of(run), "_meta"), *known;
    const char *version =
        json_string_value(json_object_get(meta, META "protocolVersion"));
    char *versions, *body = NULL;
    size_t i;

    if (!version || !json_is_object(json_object_get(meta, META "clientCapabilities"))) {
        fake_send_error(fake, run, -32602, "Missing required _meta");
        return false;
    }
    json_array_foreach(fake->modern_versions, i, known)
    {
        if (strcmp(version, json_string_value(known)) == 0)
            return true;
    }
    versions = json_dumps(fake->modern_versions, JSON_COMPACT);
    if (asprintf(&body,
                 "{\"code\":-32022,\"message\":\"Unsupported protocol version\","
                 "\"data\":{\"supported\":%s,\"requested\":\"%s\"}}",
                 versions, version) < 0)
        _exit(99);
    fake_send_answer(fake, run, "error", body);
    free(body);
    free(versions);
    return false;
}

static void
answer_discover(struct fake *fake, struct fake_run *run)
{
    char *body = NULL, *versions;
    size_t size;
    FILE *out;

    if (fake->no_modern) {
        fake_send_error(fake, run, -32601, "Method not found: server/discover");
        return;
    }
    if (!check_modern(fake, run))
        return;
    versions = json_dumps(fake->modern_versions, JSON_COMPACT);
    out = open_memstream(&body, &size);
    fprintf(out,
            "{\"resultType\":\"complete\",\"supportedVersions\":%s,\"capabilities\":%s",
            versions, fake->capabilities);
    add_instructions(fake, out);
    fprintf(out, ",%s,\"_meta\":{\"" META "serverInfo\":", fake->hints);
    add_server_info(fake, out);
    fputs("}}", out);
    fclose(out);
    fake_send_answer(fake, run, "result", body);
    free(body);
    free(versions);
}

/* Returns the index of the first entry of the page that the request's cursor names, or 0
 * without a cursor. */
static size_t
page_start(const struct fake *fake, const struct fake_run *run)
{
    const char *cursor = json_string_value(json_object_get(params_of(run), "cursor"));

    if (!cursor)
        return 0;
    if (fake->cursor_empty && !*cursor)
        return fake->page_size;
    return strtoul(cursor, NULL, 10);
}

static void
add_cursor(const struct fake *fake, const struct fake_list *list, FILE *out, size_t start,
           size_t end)
{
    if (fake->cursor_repeat)
        fputs(",\"nextCursor\":\"0\"", out);
    else if (fake->cursor_endless)
        fprintf(out, ",\"nextCursor\":\"%zu\"", end + 1);
    else if (end < list->n && fake->cursor_empty && start == 0)
        fputs(",\"nextCursor\":\"\"", out);
    else if (end < list->n)
        fprintf(out, ",\"nextCursor\":\"%zu\"", end);
}

const struct fake_kind fake_kinds[FAKE_KINDS] = {
    {"tools/list", "", "tools"},
    {"resources/list", "\"resources\"", "resources"},
    {"resources/templates/list", "\"resources\"", "resourceTemplates"},
    {"prompts/list", "\"prompts\"", "prompts"},
    {"skills/list", "protocol/skills\"", "skills"},
};

/* Answers a request for a list.  Returns false if the request is not for a list, or if
 * the capabilities do not name the list.  The list of tools needs no capability. */
static bool
answer_list(struct fake *fake, struct fake_run *run)
{
    size_t start = page_start(fake, run), size, end, kind = 0;
    const struct fake_list *list;
    char *body = NULL;
    FILE *out;

    while (kind < FAKE_KINDS && strcmp(run->method, fake_kinds[kind].method) != 0)
        kind++;
    if (kind == FAKE_KINDS || !strstr(fake->capabilities, fake_kinds[kind].capability))
        return false;
    list = &fake->set->lists[kind];
    end = start + (fake->page_size ? fake->page_size : list->n);
    out = open_memstream(&body, &size);
    fputc('{', out);
    if (run->modern)
        fprintf(out, "\"resultType\":\"complete\",%s,", fake->hints);
    fprintf(out, "\"%s\":[", fake_kinds[kind].array);
    for (size_t i = start; i < end && i < list->n; i++)
        fprintf(out, "%s%s", i > start ? "," : "", list->entries[i]);
    fputc(']', out);
    add_cursor(fake, list, out, start, end);
    fputc('}', out);
    fclose(out);
    fake_send_answer(fake, run, "result", body);
    free(body);
    return true;
}

/* ---- tools ------------------------------------------------------------------------- */

static json_t *
argument(const struct fake_run *run, const char *name)
{
    return json_object_get(json_object_get(params_of(run), "arguments"), name);
}

static long
int_argument(const struct fake_run *run, const char *name, long fallback)
{
    json_t *value = argument(run, name);

    return json_is_integer(value) ? (long)json_integer_value(value) : fallback;
}

static void
call_echo(struct fake *fake, struct fake_run *run)
{
    const char *text = json_string_value(argument(run, "text"));

    fake_send_text(fake, run, text ? text : run->args ? run->args : "{}", false);
}

static void
call_add(struct fake *fake, struct fake_run *run)
{
    double sum =
        json_number_value(argument(run, "a")) + json_number_value(argument(run, "b"));
    char text[64];

    snprintf(text, sizeof(text), "%.15g", sum);
    fake_send_text(fake, run, text, false);
}

/* Replaces the remaining actions of the run by `actions`. */
static void
replace_actions(struct fake_run *run, const char *actions)
{
    fake_free_actions(run->own);
    run->own = fake_parse_actions(actions);
    run->next = run->own;
}

static void
call_slow(struct fake *fake, struct fake_run *run)
{
    long ms = int_argument(run, "ms", 1000);
    char actions[96];

    (void)fake;
    snprintf(actions, sizeof(actions), "delay %ld\ntext slept %ld ms", ms, ms);
    replace_actions(run, actions);
}

static void
call_count(struct fake *fake, struct fake_run *run)
{
    long n = int_argument(run, "n", 3), ms = int_argument(run, "ms", 10);
    char *actions = NULL;
    size_t size;
    FILE *out = open_memstream(&actions, &size);

    (void)fake;
    for (long i = 1; i <= n; i++)
        fprintf(out, "delay %ld\nprogress %ld %ld at %ld\n", ms, i, n, i);
    fprintf(out, "text counted to %ld\n", n);
    fclose(out);
    replace_actions(run, actions);
    free(actions);
}

static void
call_pid(struct fake *fake, struct fake_run *run)
{
    char text[24];

    snprintf(text, sizeof(text), "%d", (int)getpid());
    fake_send_text(fake, run, text, false);
}

static void
call_env(struct fake *fake, struct fake_run *run)
{
    const char *name = json_string_value(argument(run, "name"));
    const char *value = name ? secure_getenv(name) : NULL;

    fake_send_text(fake, run, value ? value : "not set", !value);
}

static void
call_cwd(struct fake *fake, struct fake_run *run)
{
    char path[PATH_MAX];

    fake_send_text(fake, run, getcwd(path, sizeof(path)) ? path : "?", false);
}

static void
call_fail(struct fake *fake, struct fake_run *run)
{
    fake_send_text(fake, run, "it failed", true);
}

static void
call_boom(struct fake *fake, struct fake_run *run)
{
    fake_send_error(fake, run, -32000, "boom");
}

static void
call_big(struct fake *fake, struct fake_run *run)
{
    fake_send_text_bytes(fake, run, (size_t)int_argument(run, "bytes", 1024));
}

static const struct {
    const char *name;
    void (*call)(struct fake *, struct fake_run *);
} tools[] = {
    {"echo", call_echo}, {"add", call_add},     {"slow", call_slow}, {"pid", call_pid},
    {"env", call_env},   {"cwd", call_cwd},     {"big", call_big},   {"fail", call_fail},
    {"boom", call_boom}, {"count", call_count},
};

static bool
is_listed(const struct fake_set *set, const char *name)
{
    char *needle = NULL;
    bool found = false;

    if (asprintf(&needle, "\"name\":\"%s\"", name) < 0)
        _exit(99);
    for (size_t i = 0; i < set->lists[FAKE_TOOLS].n && !found; i++)
        found = strstr(set->lists[FAKE_TOOLS].entries[i], needle) != NULL;
    free(needle);
    return found;
}

static void
answer_call(struct fake *fake, struct fake_run *run)
{
    const char *name = json_string_value(json_object_get(params_of(run), "name"));
    char message[256];

    if (!name || !is_listed(fake->set, name)) {
        snprintf(message, sizeof(message), "Unknown tool: %s", name ? name : "?");
        fake_send_error(fake, run, -32602, message);
        return;
    }
    if (fake->front && fake->front->call && fake->front->call(fake, run, name))
        return;
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
        if (strcmp(tools[i].name, name) == 0) {
            tools[i].call(fake, run);
            return;
        }
    call_echo(fake, run);
}

static void
answer_listen(struct fake *fake, struct fake_run *run)
{
    json_t *wanted = json_object_get(params_of(run), "notifications");
    char *params = NULL, *filter = wanted ? json_dumps(wanted, JSON_COMPACT) : NULL;

    free(fake->listen_id);
    fake->listen_id = strdup(run->id);
    if (asprintf(&params,
                 "{\"notifications\":%s,\"_meta\":{\"" META "subscriptionId\":%s}}",
                 filter ? filter : "{}", run->id) < 0)
        _exit(99);
    fake_send_method(fake, NULL, "notifications/subscriptions/acknowledged", params);
    free(params);
    free(filter);
}

static void
answer_other(struct fake *fake, struct fake_run *run)
{
    char message[256];

    if (!run->modern && (strcmp(run->method, "ping") == 0 ||
                         strcmp(run->method, "logging/setLevel") == 0 ||
                         strcmp(run->method, "resources/subscribe") == 0 ||
                         strcmp(run->method, "resources/unsubscribe") == 0)) {
        fake_send_answer(fake, run, "result", "{}");
        return;
    }
    snprintf(message, sizeof(message), "Method not found: %s", run->method);
    fake_send_error(fake, run, -32601, message);
}

/* Checks the era and the _meta of the request, and whether a legacy client has
 * initialized the server.  If the server must not answer the request, sends an error and
 * returns false. */
static bool
admit(struct fake *fake, struct fake_run *run)
{
    if (run->modern)
        return fake->no_modern || check_modern(fake, run);
    if (fake->no_legacy) {
        fake_send_error(fake, run, -32602, "Missing required _meta");
        return false;
    }
    if (fake->initialized || strcmp(run->method, "ping") == 0)
        return true;
    fake_send_error(fake, run, -32600, "Not initialized");
    return false;
}

void
fake_answer(struct fake *fake, struct fake_run *run)
{
    if (!run->id || !run->method)
        return;
    if (strcmp(run->method, "initialize") == 0)
        answer_initialize(fake, run);
    else if (strcmp(run->method, "server/discover") == 0)
        answer_discover(fake, run);
    else if (!admit(fake, run))
        return;
    else if (strcmp(run->method, "tools/call") == 0)
        answer_call(fake, run);
    else if (run->modern && strcmp(run->method, "subscriptions/listen") == 0)
        answer_listen(fake, run);
    else if (!answer_list(fake, run))
        answer_other(fake, run);
}
