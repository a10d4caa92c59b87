/* SPDX-License-Identifier: MIT
 *
 * front.c - the actions and directives that only the fake HTTP server has.
 *
 * front.c also chooses the response that a message goes into.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeauth/auth.h"
#include "support/fakehttp/http.h"

static struct http *
http_of(struct fake *fake)
{
    return fake->front_data;
}

/* Finds the open GET stream of the session that `of` belongs to.  If `of` is NULL or has
 * no session, any open GET stream matches.  A GET stream without a session always
 * matches. */
static struct exchange *
get_stream(struct http *http, const struct exchange *of)
{
    for (struct exchange *ex = http->exchanges; ex; ex = ex->next)
        if (ex->is_get && ex->state == BODY_OPEN && (ex->conn || http->resumable) &&
            (!of || !of->session || !ex->session ||
             strcmp(of->session, ex->session) == 0))
            return ex;
    return NULL;
}

static struct exchange *
place_of(struct http *http, const struct fake_run *run)
{
    struct exchange *ex = run ? run->peer : NULL;

    if (!ex)
        return get_stream(http, NULL);
    if (ex->to == TO_NOWHERE)
        return NULL;
    return ex->to == TO_GET ? get_stream(http, ex) : ex;
}

/* Returns the HTTP status that the modern era requires for the error code in an answer.
 * Returns 200 for a result, and for each answer of the legacy era. */
static int
status_of(const struct exchange *ex, const char *text, size_t len)
{
    json_t *message = len < 65536 && ex->modern ? json_loadb(text, len, 0, NULL) : NULL;
    json_t *code = json_object_get(json_object_get(message, "error"), "code");
    long n = (long)json_integer_value(code);

    json_decref(message);
    if (n == -32601)
        return 404;
    return n == -32602 || (n <= -32020 && n >= -32022) ? 400 : 200;
}

static void
open_session(struct http *http, struct fake_run *run, struct exchange *ex)
{
    if (http->no_sessions || !run->method || strcmp(run->method, "initialize") != 0)
        return;
    bytes_str(&ex->headers, "Mcp-Session-Id: ");
    bytes_str(&ex->headers, session_new(http)->id);
    bytes_str(&ex->headers, "\r\n");
}

static void
send_answer(struct fake *fake, struct fake_run *run, const char *text, size_t len)
{
    struct http *http = http_of(fake);
    struct exchange *own = run->peer, *ex = place_of(http, run);

    if (own)
        own->answered = true;
    if (!ex)
        return;
    if (ex == own && ex->state == BODY_NONE && memmem(text, len, "\"result\":", 9))
        open_session(http, run, ex);
    if (ex->state == BODY_NONE && http->reply != REPLY_SSE) {
        int status = status_of(ex, text, len);

        if (!ex->status && status != 200)
            ex->status = status;
        bytes_add(&ex->held, text, len);
    } else {
        exchange_event(http, ex, text, len);
    }
}

static void
send_method(struct fake *fake, struct fake_run *run, const char *text, size_t len)
{
    struct http *http = http_of(fake);
    struct exchange *ex = place_of(http, run);

    if (!ex)
        return;
    if (ex->modern && run->method && strcmp(run->method, "subscriptions/listen") == 0 &&
        !ex->listen_id) {
        ex->listen_id = strdup(run->id);
        ex->listens = json_dumps(
            json_object_get(json_object_get(run->message, "params"), "notifications"),
            JSON_COMPACT);
    }
    if (http->reply != REPLY_JSON || ex->is_get || ex->listen_id)
        exchange_event(http, ex, text, len);
}

/* Checks whether a stream gets a notification.  A change of a list (no `uri`) goes to all
 * streams.  A change of a resource goes to the modern streams that name the resource, and
 * to the legacy streams of the session of `of`.  A legacy stream also gets the change
 * if `of` is NULL, or if `of` or the stream has no session. */
static bool
listens(const struct exchange *ex, const struct exchange *of, const char *uri)
{
    char quoted[256];

    if (ex->state != BODY_OPEN || (!ex->is_get && !ex->listen_id))
        return false;
    snprintf(quoted, sizeof(quoted), "\"%s\"", uri ? uri : "");
    if (uri && ex->listens)
        return strstr(ex->listens, quoted) != NULL;
    return !uri || !of || !of->session || !ex->session ||
           strcmp(of->session, ex->session) == 0;
}

static void
send_notification(struct fake *fake, const char *method, const char *params,
                  const char *uri)
{
    const struct exchange *of = fake->current ? fake->current->peer : NULL;
    struct http *http = http_of(fake);

    for (struct exchange *ex = http->exchanges; ex; ex = ex->next) {
        char *text = NULL;
        size_t size;
        FILE *out;

        if (!listens(ex, of, uri))
            continue;
        out = open_memstream(&text, &size);
        fprintf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s", method,
                params);
        if (ex->listen_id)
            fprintf(out, "%s\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}",
                    params[1] ? "," : "", ex->listen_id);
        fputs("}}", out);
        fclose(out);
        exchange_event(http, ex, text, size);
        free(text);
    }
}

static void
send_raw(struct fake *fake, struct fake_run *run, const char *data, size_t len)
{
    struct http *http = http_of(fake);
    struct exchange *ex = place_of(http, run);

    if (!ex)
        return;
    exchange_open_any(http, ex);
    if (ex->state == BODY_OPEN)
        exchange_data(http, ex, data, len);
}

static void
run_ended(struct fake *fake, struct fake_run *run)
{
    struct exchange *ex = run->peer;

    if (ex && (ex->answered || run->dropped || (run->message && !ex->is_request)))
        exchange_end(http_of(fake), ex);
}

/* ---- actions ----------------------------------------------------------------------- */

static void
add_header(struct exchange *ex, const char *text)
{
    static const char type[] = "Content-Type: ";

    if (strncasecmp(text, type, sizeof(type) - 1) == 0) {
        free(ex->type);
        ex->type = strdup(text + sizeof(type) - 1);
        return;
    }
    bytes_str(&ex->headers, text);
    bytes_str(&ex->headers, "\r\n");
}

static void
fill_header(struct exchange *ex, long n, const char *name)
{
    bytes_str(&ex->headers, *name ? name : "X-Fill");
    bytes_str(&ex->headers, ": ");
    for (long i = 0; i < n; i++)
        bytes_add(&ex->headers, "x", 1);
    bytes_str(&ex->headers, "\r\n");
}

static void
send_file(struct http *http, struct exchange *ex, const char *path)
{
    struct bytes body = {0};
    FILE *f = fopen(path, "re");
    char block[65536];
    size_t n;

    if (!f) {
        fprintf(stderr, "fakehttp: no file '%s'\n", path);
        _exit(2);
    }
    while ((n = fread(block, 1, sizeof(block), f)) > 0)
        bytes_add(&body, block, n);
    fclose(f);
    bytes_add(&body, "", 0);
    exchange_reply(http, ex, 200, "application/json", body.p, body.len);
    bytes_free(&body);
}

static void
set_place(struct exchange *ex, const char *word)
{
    if (strcmp(word, "get") == 0)
        ex->to = TO_GET;
    else
        ex->to = strcmp(word, "here") == 0 ? TO_HERE : TO_NOWHERE;
}

/* Carries out an action that sets up the response before the response begins.  Returns
 * false if `a` is another action. */
static bool
set_up_response(struct exchange *ex, const struct fake_action *a, char *text)
{
    switch (a->verb) {
    case V_STATUS:
        ex->status = (int)a->n;
        free(ex->reason);
        ex->reason = *text ? strdup(text) : NULL;
        break;
    case V_HEADER:
        add_header(ex, text);
        break;
    case V_HEADER_FILL:
        fill_header(ex, a->n, text);
        break;
    case V_LENGTH:
        ex->length = a->n;
        break;
    case V_TO:
        set_place(ex, text);
        break;
    default:
        return false;
    }
    return true;
}

static void
act_on(struct http *http, struct exchange *ex, const struct fake_action *a, char *text)
{
    size_t len;

    switch (a->verb) {
    case V_BODY:
        fake_unescape(text, &len);
        exchange_reply(http, ex, 200, "text/plain", text, len);
        break;
    case V_FILE:
        send_file(http, ex, text);
        break;
    case V_WIRE:
        fake_unescape(text, &len);
        if (ex->conn)
            conn_write(http, ex->conn, text, len);
        break;
    case V_STREAM:
        exchange_open(http, ex, true);
        break;
    case V_EVENT:
        fake_unescape(text, &len);
        exchange_event(http, ex, text, len);
        break;
    case V_COMMENT:
        exchange_open(http, ex, true);
        exchange_data(http, ex, ": ", 2);
        exchange_data(http, ex, text, strlen(text));
        exchange_data(http, ex, "\n\n", 2);
        break;
    case V_ENDLESS:
        exchange_endless(http, ex, fake_unescape(text, &len));
        break;
    case V_END:
        exchange_end(http, ex);
        break;
    case V_CUT:
    case V_RESET:
        exchange_cut(http, ex, a->verb == V_RESET);
    }
}

static void
act(struct fake *fake, struct fake_run *run, const struct fake_action *a, char *text)
{
    struct http *http = http_of(fake);
    struct exchange *ex = run->peer;

    if (a->verb == V_FORGET)
        session_forget(http, NULL);
    else if (ex && !set_up_response(ex, a, text))
        act_on(http,
               a->verb == V_END || a->verb == V_CUT || a->verb == V_RESET ||
                       ex->to == TO_HERE
                   ? ex
                   : place_of(http, run),
               a, text);
}

/* ---- directives -------------------------------------------------------------------- */

static void
set_string(char **to, const char *value)
{
    free(*to);
    *to = strdup(value);
}

static bool
directive(struct fake *fake, const char *key, char *value)
{
    struct http *http = http_of(fake);
    char *more = value + strcspn(value, " ");

    if (auth_directive(http, key, value))
        return true;
    if (*more)
        *more++ = '\0';
    if (strcmp(key, "reply") == 0) {
        http->reply = strcmp(value, "json") == 0  ? REPLY_JSON
                      : strcmp(value, "sse") == 0 ? REPLY_SSE
                                                  : REPLY_AUTO;
    } else if (strcmp(key, "sessions") == 0) {
        http->no_sessions = strcmp(value, "off") == 0;
    } else if (strcmp(key, "session") == 0) {
        session_new_named(http, value);
    } else if (strcmp(key, "get") == 0) {
        http->no_get = strcmp(value, "off") == 0;
    } else if (strcmp(key, "chunked") == 0) {
        http->no_chunks = strcmp(value, "off") == 0;
    } else if (strcmp(key, "resumable") == 0) {
        http->resumable = true;
        http->retry = *value ? strtol(value, NULL, 10) : -1;
    } else if (strcmp(key, "loose") == 0) {
        http->loose = true;
    } else if (strcmp(key, "path") == 0) {
        set_string(&http->path, value);
    } else if (strcmp(key, "old") == 0) {
        set_string(&http->endpoint, *value ? value : "/messages?session=s3cret-session");
        fake->no_modern = true;
    } else if (strcmp(key, "bearer") == 0) {
        set_string(&http->bearer, value);
    } else if (strcmp(key, "listen") == 0) {
        set_string(&http->family, value);
    } else if (strcmp(key, "lifetime") == 0) {
        http->lifetime = (unsigned)strtol(value, NULL, 10);
    } else if (strcmp(key, "port") == 0) {
        http->port = (int)strtol(value, NULL, 10);
    } else if (strcmp(key, "tls") == 0) {
        set_string(&http->tls_mode, value);
        set_string(&http->tls_dir, more);
    } else {
        return false;
    }
    return true;
}

static bool
knows(struct fake *fake, const void *peer, const struct fake_run *run)
{
    const struct exchange *asks = peer, *of = run->peer;

    (void)fake;
    return !asks->session || !of || !of->session ||
           strcmp(asks->session, of->session) == 0;
}

const struct fake_front http_front = {
    .answer = send_answer,
    .method = send_method,
    .tell = send_notification,
    .raw = send_raw,
    .act = act,
    .call = auth_call,
    .directive = directive,
    .knows = knows,
    .ended = run_ended,
};
