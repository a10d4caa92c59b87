/* SPDX-License-Identifier: MIT
 *
 * request.c - requests to the fake HTTP server.
 *
 * request.c splits the input into requests, checks each request against the rules of its
 * era (fakehttp.c), and passes the request to the script.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeauth/auth.h"
#include "support/fakehttp/http.h"

#define META "io.modelcontextprotocol/"

static char *
trimmed(const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
        end--;
    return strndup(from, (size_t)(end - from));
}

/* Returns the value of the first line "Name: value" with this name, or NULL if no line
 * has the name.  The caller frees the text. */
static char *
find_header(const char *head, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = head; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            const char *end = line + strcspn(line, "\n");

            return trimmed(line + len + 1, end);
        }
    }
    return NULL;
}

char *
request_header(const struct exchange *ex, const char *name)
{
    return find_header(ex->head, name);
}

/* Checks whether a header has this value.  A missing header counts as an empty header. */
static bool
header_is(const struct exchange *ex, const char *name, const char *value)
{
    char *found = request_header(ex, name);
    bool same = strcmp(found ? found : "", value ? value : "") == 0;

    free(found);
    return same;
}

static bool
header_has(const struct exchange *ex, const char *name, const char *part)
{
    char *found = request_header(ex, name);
    bool has = found && strcasestr(found, part);

    free(found);
    return has;
}

static void
refuse_request(struct http *http, struct exchange *ex, int status, const char *id,
               int code, const char *message)
{
    char *body = NULL;
    int n = asprintf(&body,
                     "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,"
                     "\"message\":\"%s\"}}",
                     id ? id : "null", code, message);

    if (n < 0)
        _exit(99);
    fake_trace(http->fake, "refused", message);
    exchange_reply(http, ex, status, "application/json", body, (size_t)n);
    free(body);
}

/* ---- the rules --------------------------------------------------------------------- */

/* Checks whether a header can carry the text unencoded.  This server does not check
 * encoded names, because tests of the client check them. */
static bool
is_plain(const char *text)
{
    size_t len = strlen(text);

    for (const char *p = text; *p; p++)
        if (*p < 0x20 || *p > 0x7e)
            return false;
    return len && text[0] != ' ' && text[len - 1] != ' ' && strncmp(text, "=?", 2) != 0;
}

/* Returns the member of the params that Mcp-Name repeats, or NULL if the method has no
 * Mcp-Name. */
static const char *
name_of(const char *method)
{
    if (strcmp(method, "tools/call") == 0 || strcmp(method, "prompts/get") == 0)
        return "name";
    if (strcmp(method, "resources/read") == 0)
        return "uri";
    return strncmp(method, "tasks/", 6) == 0 ? "taskId" : NULL;
}

/* Checks that the modern headers agree with the body.  If not, refuses the request. */
static bool
check_modern_headers(struct http *http, struct exchange *ex, json_t *message,
                     const char *id)
{
    json_t *params = json_object_get(message, "params");
    json_t *meta = json_object_get(params, "_meta");
    const char *version =
        json_string_value(json_object_get(meta, META "protocolVersion"));
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *name = name_of(method);
    const char *value = name ? json_string_value(json_object_get(params, name)) : NULL;

    if (!header_is(ex, "MCP-Protocol-Version", version)) {
        refuse_request(http, ex, 400, id, -32020,
                       "MCP-Protocol-Version is not that of the body");
    } else if (!header_is(ex, "Mcp-Method", method)) {
        refuse_request(http, ex, 400, id, -32020, "Mcp-Method is not that of the body");
    } else if (name ? value && is_plain(value) && !header_is(ex, "Mcp-Name", value)
                    : !header_is(ex, "Mcp-Name", NULL)) {
        refuse_request(http, ex, 400, id, -32020, "Mcp-Name is not that of the body");
    } else {
        return true;
    }
    return false;
}

static bool
request_header_is_there(const struct exchange *ex, const char *name)
{
    char *value = request_header(ex, name);
    bool there = value != NULL;

    free(value);
    return there;
}

/* Checks that the request names a known session or needs no session.  If not, refuses the
 * request. */
static bool
check_session(struct http *http, struct exchange *ex, const char *method, const char *id)
{
    bool initializes = method && strcmp(method, "initialize") == 0;

    /* Refuse to initialize a session twice, as servers that use the SDKs do. */
    if (initializes && request_header_is_there(ex, "Mcp-Session-Id")) {
        refuse_request(http, ex, 400, id, -32600,
                       "Invalid Request: Server already initialized");
        return false;
    }
    if (http->no_sessions || initializes) {
        http->fake->initialized = true;
        return true;
    }
    ex->session = request_header(ex, "Mcp-Session-Id");
    if (!ex->session)
        refuse_request(http, ex, 400, NULL, -32000,
                       "Bad Request: Server not initialized");
    else if (!session_find(http, ex->session))
        refuse_request(http, ex, 404, id, -32001, "Session not found");
    else
        return http->fake->initialized = true;
    return false;
}

static bool
check_credentials(struct http *http, struct exchange *ex, const char *body, size_t len)
{
    char *wanted = NULL;
    bool good;

    if (!http->bearer)
        return auth_admit(http, ex, body, len);
    if (asprintf(&wanted, "Bearer %s", http->bearer) < 0)
        _exit(99);
    good = header_is(ex, "Authorization", wanted);
    free(wanted);
    if (!good) {
        bytes_str(&ex->headers, "WWW-Authenticate: Bearer realm=\"fake\", "
                                "error=\"invalid_token\", scope=\"tools:call\"\r\n");
        refuse_request(http, ex, 401, NULL, -32000, "Unauthorized");
    }
    return good;
}

/* ---- the verbs --------------------------------------------------------------------- */

static void
take_post(struct http *http, struct exchange *ex, char *body, size_t len)
{
    json_t *message = json_loadb(body, len, JSON_ALLOW_NUL, NULL);
    json_t *meta = json_object_get(json_object_get(message, "params"), "_meta");
    const char *method = json_string_value(json_object_get(message, "method"));
    json_t *id_value = json_object_get(message, "id");
    char *id = id_value ? json_dumps(id_value, JSON_ENCODE_ANY) : NULL;

    ex->modern = method && !http->fake->no_modern &&
                 json_object_get(meta, META "protocolVersion") != NULL;
    ex->is_request = method && id;
    if (!http->loose && !header_has(ex, "Content-Type", "application/json"))
        refuse_request(http, ex, 415, id, -32000, "Unsupported Media Type");
    else if (!http->loose && (!header_has(ex, "Accept", "application/json") ||
                              !header_has(ex, "Accept", "text/event-stream")))
        refuse_request(http, ex, 406, id, -32000, "Not Acceptable");
    else if (!message)
        refuse_request(http, ex, 400, NULL, -32700, "Parse error");
    else if (ex->modern && !http->loose && !check_modern_headers(http, ex, message, id))
        ;
    else if (!ex->modern && !http->fake->no_legacy &&
             !check_session(http, ex, method, id))
        ;
    else
        fake_receive_from(http->fake, body, len, ex);
    /* Answer a notification or a response with 202, unless the script has answered the
     * message or has an unfinished run for it. */
    if (ex->state == BODY_NONE && !ex->is_request && ex->conn &&
        !exchange_is_running(http, ex))
        exchange_reply(http, ex, 202, NULL, "", 0);
    free(id);
    json_decref(message);
}

static void
take_get(struct http *http, struct exchange *ex)
{
    char *last = request_header(ex, "Last-Event-ID");
    const char *event = last ? "resume" : "get";

    if (http->no_get || http->fake->no_legacy) {
        exchange_reply(http, ex, 405, "text/plain", "Method Not Allowed", 18);
    } else if (!header_has(ex, "Accept", "text/event-stream")) {
        exchange_reply(http, ex, 406, "text/plain", "Not Acceptable", 14);
    } else if (check_session(http, ex, NULL, NULL)) {
        ex->is_get = !last;
        if (fake_has_block(http->fake, event))
            fake_event_from(http->fake, event, NULL, ex);
        else if (!last)
            exchange_open(http, ex, true);
        else if (!exchange_resume(http, ex, last))
            exchange_reply(http, ex, 404, "text/plain", "no such event", 13);
    }
    free(last);
}

/* Checks whether a run for notifications/initialized is unfinished. */
static bool
is_greeted(const struct http *http)
{
    for (const struct fake_run *run = http->fake->runs; run; run = run->link)
        if (run->method && strcmp(run->method, "notifications/initialized") == 0)
            return true;
    return false;
}

/* Handles a request of HTTP+SSE of 2024-11-05.  Opens the stream, or takes a message
 * whose answer goes to the stream. */
static void
take_old(struct http *http, struct exchange *ex, char *body, size_t len)
{
    char event[512];
    json_t *message = json_loadb(body, len, JSON_ALLOW_NUL, NULL);

    if (message) {
        ex->is_request =
            json_object_get(message, "method") && json_object_get(message, "id");
        if (ex->is_request && is_greeted(http))
            refuse_request(http, ex, 400, NULL, -32602,
                           "Received before initialization was complete");
        ex->to = TO_GET;
        http->fake->initialized = true;
        if (ex->state == BODY_NONE)
            fake_receive_from(http->fake, body, len, ex);
        if (ex->state == BODY_NONE && ex->conn &&
            (ex->is_request || !exchange_is_running(http, ex)))
            exchange_reply(http, ex, 202, "text/plain", "Accepted", 8);
    } else if (fake_has_block(http->fake, "get")) {
        ex->is_get = true;
        fake_event_from(http->fake, "get", NULL, ex);
    } else {
        ex->is_get = true;
        exchange_open(http, ex, true);
        snprintf(event, sizeof(event), "event: endpoint\ndata: %s\n\n", http->endpoint);
        exchange_data(http, ex, event, strlen(event));
    }
    json_decref(message);
}

/* Checks whether the path of a request is the path of the endpoint.  A relative endpoint
 * is resolved against the path of the URL. */
static bool
is_endpoint(const struct http *http, const char *path)
{
    const char *origin = strstr(http->endpoint, "://"), *slash = strrchr(http->path, '/');
    const char *rest = origin ? strchr(origin + 3, '/') : http->endpoint;
    size_t len = rest && *rest != '/' && slash ? (size_t)(slash + 1 - http->path) : 0;

    return rest && strncmp(path, http->path, len) == 0 && strcmp(path + len, rest) == 0;
}

static bool
is_old(const struct http *http, const struct exchange *ex)
{
    if (!http->endpoint)
        return false;
    if (strcmp(ex->verb, "POST") == 0)
        return is_endpoint(http, ex->path);
    return strcmp(ex->verb, "GET") == 0 && strcmp(ex->path, http->path) == 0;
}

static void
take_delete(struct http *http, struct exchange *ex)
{
    if (http->fake->no_legacy) {
        exchange_reply(http, ex, 405, "text/plain", "Method Not Allowed", 18);
        return;
    }
    if (!check_session(http, ex, NULL, NULL))
        return;
    if (fake_has_block(http->fake, "delete")) {
        fake_event_from(http->fake, "delete", NULL, ex);
        return;
    }
    session_forget(http, ex->session ? ex->session : "");
    exchange_reply(http, ex, 200, NULL, "", 0);
}

static void
trace_request(struct http *http, const struct exchange *ex)
{
    char *lines = strdup(ex->head), *save = NULL, *what = NULL;

    if (asprintf(&what, "%s %s", ex->verb, ex->path) < 0)
        _exit(99);
    fake_trace(http->fake, "http", what);
    for (char *l = strtok_r(lines, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        l[strcspn(l, "\r")] = '\0';
        for (char *p = l; *p && *p != ':'; p++)
            *p = (char)tolower((unsigned char)*p);
        if (*l)
            fake_trace(http->fake, "h", l);
    }
    free(what);
    free(lines);
}

static void
take_request(struct http *http, struct exchange *ex, char *body, size_t len)
{
    size_t plain = strcspn(ex->path, "?");

    trace_request(http, ex);
    if (fake_has_block(http->fake, "request"))
        fake_event_from(http->fake, "request", NULL, ex);
    if (ex->state != BODY_NONE || !ex->conn)
        return;
    if (auth_take(http, ex, body, len))
        return;
    if (is_old(http, ex) && check_credentials(http, ex, body, len))
        take_old(http, ex, body, len);
    else if (ex->state != BODY_NONE || !ex->conn || ex->answered)
        return;
    else if (http->endpoint)
        exchange_reply(http, ex, strcmp(ex->path, http->path) == 0 ? 405 : 404,
                       "text/plain", "Method Not Allowed", 18);
    else if (strlen(http->path) != plain || strncmp(ex->path, http->path, plain) != 0)
        exchange_reply(http, ex, 404, "text/html", "<html>Not Found</html>", 22);
    else if (!check_credentials(http, ex, body, len))
        return;
    else if (strcmp(ex->verb, "POST") == 0)
        take_post(http, ex, body, len);
    else if (strcmp(ex->verb, "GET") == 0)
        take_get(http, ex);
    else if (strcmp(ex->verb, "DELETE") == 0)
        take_delete(http, ex);
    else
        exchange_reply(http, ex, 405, "text/plain", "Method Not Allowed", 18);
}

/* ---- splitting the input ----------------------------------------------------------- */

/* Adds the request's body to `body` and sets *ret_end to the end of the body in the
 * input.  Returns false if the input does not have the whole body yet. */
static bool
plain_body(struct bytes *in, size_t at, size_t length, struct bytes *body,
           size_t *ret_end)
{
    if (in->len - at < length)
        return false;
    bytes_add(body, in->p + at, length);
    *ret_end = at + length;
    return true;
}

static bool
chunked_body(struct bytes *in, size_t at, struct bytes *body, size_t *ret_end)
{
    for (;;) {
        char *line = memmem(in->p + at, in->len - at, "\r\n", 2);
        size_t size;

        if (!line)
            return false;
        size = strtoul(in->p + at, NULL, 16);
        at = (size_t)(line + 2 - in->p);
        if (in->len - at < size + 2)
            return false;
        bytes_add(body, in->p + at, size);
        at += size + 2;
        if (!size) {
            *ret_end = at;
            return true;
        }
    }
}

/* Reads the first line, the header lines and the body of a request.  Returns false if the
 * input does not have all of them yet. */
static bool
part(struct bytes *in, struct exchange *ex, struct bytes *body, size_t *ret_end)
{
    char *end = memmem(in->p, in->len, "\r\n\r\n", 4), *line, *length, *coding;
    size_t at;
    bool whole;

    if (!end)
        return false;
    at = (size_t)(end + 4 - in->p);
    line = in->p + strcspn(in->p, "\r");
    ex->head = strndup(line + 2, (size_t)(end > line ? end - line - 2 : 0));
    length = find_header(ex->head, "Content-Length");
    coding = find_header(ex->head, "Transfer-Encoding");
    bytes_add(body, "", 0);
    if (coding)
        whole = chunked_body(in, at, body, ret_end);
    else
        whole = plain_body(in, at, length ? strtoul(length, NULL, 10) : 0, body, ret_end);
    free(length);
    free(coding);
    if (!whole)
        return false;
    ex->verb = strndup(in->p, strcspn(in->p, " "));
    line = in->p + strlen(ex->verb) + 1;
    if (strncmp(line, "http://", 7) == 0) /* absolute form, which proxies get */
        line += 7 + strcspn(line + 7, "/ \r");
    ex->path = strndup(line, strcspn(line, " \r"));
    return true;
}

/* Sends 100 Continue if the request asks for this status.  curl waits for the status
 * before it sends a large body. */
static void
say_continue(struct http *http, struct conn *conn, struct exchange *ex)
{
    if (ex->head && header_has(ex, "Expect", "100-continue"))
        conn_write(http, conn, "HTTP/1.1 100 Continue\r\n\r\n", 25);
}

void
request_take(struct http *http, struct conn *conn)
{
    while (!conn->dead && !conn->exchange && conn->in.len) {
        struct exchange *ex = exchange_new(http, conn);
        struct bytes body = {0};
        size_t end = 0;

        if (!part(&conn->in, ex, &body, &end)) {
            say_continue(http, conn, ex);
            bytes_free(&body);
            ex->conn = NULL;
            return;
        }
        memmove(conn->in.p, conn->in.p + end, conn->in.len - end);
        conn->in.len -= end;
        conn->exchange = ex;
        take_request(http, ex, body.p, body.len);
        bytes_free(&body);
    }
}
