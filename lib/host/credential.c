/* SPDX-License-Identifier: MIT
 *
 * credential.c - credentials of the application for servers at URLs: fixed credentials,
 * answers to requests of the kind MCPHOST_REQUEST_CREDENTIALS, and the questions of
 * logins.
 *
 * The keeper (auth/auth.h) stores the credentials.  This file checks the credentials, and
 * turns the keeper's questions into requests.  No value may get into an error or a log
 * line.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/request.h"

#define VALUE_MAX ((size_t)32 * 1024)
#define NAMES_MAX 32
#define ELSEWHERE "credential_origin"

/* Checks a header.  Returns NULL if the header is valid, else a text about its fault. */
static const char *
check_header(const char *name, const char *value, size_t value_len)
{
    if (!mcph_header_name_ok(name, strlen(name)))
        return "is not a valid header name";
    if (mcph_http_is_reserved(name))
        return "is a header that the protocol reserves";
    if (!value)
        return NULL;
    if (value_len > VALUE_MAX)
        return "has a value that is too long";
    return mcph_header_value_ok(value, value_len)
               ? NULL
               : "has a value with a control character";
}

static int
refuse_header(mcphost_error **reterr, const char *name, const char *why)
{
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, 1024);
    mcph_utf8_add_clean(&text, name, strnlen(name, 80), true);
    r = mcph_buf_text(&text)
            ? mcph_err(reterr, MCPHOST_E_INVALID, "credential: '%s' %s", text.data, why)
            : mcph_err_nomem(reterr);
    mcph_buf_done(&text);
    return r;
}

/* ---- fixed credentials ------------------------------------------------------------- */

/* Returns the origin of the URL in the server's configuration.  Returns NULL if the
 * origin is not known or memory is short.  In this case, the first request to the server
 * decides the origin.  Call this under the lock. */
static char *
origin_of(const mcphost *host, const char *server)
{
    const char *id;
    const struct mcphost_source *source =
        mcph_workspace_split(&host->workspace, server, &id);
    const struct mcph_config_server *entry =
        source->config ? mcph_config_find(source->config, id) : NULL;

    return entry && entry->spec && entry->spec->url &&
                   !(entry->spec->variables && mcph_text_has_variables(entry->spec->url))
               ? mcph_net_url_origin(entry->spec->url)
               : NULL;
}

int
mcph_credential_set(mcphost *host, const char *server, const char *origin,
                    const char *name, const char *value, mcphost_error **reterr)
{
    const char *why = check_header(name, value, value ? strlen(value) : 0);
    char *place = NULL, *bound = NULL;
    int r;

    if (why)
        return refuse_header(reterr, name, why);
    if (!mcph_auth_is_built)
        return mcph_err_unsupported(reterr, "credentials");
    if (origin) {
        place = mcph_net_url_origin(origin);
        if (!place)
            return refuse_header(reterr, name,
                                 "is for an origin that is not an http or https URL");
    }
    r = mcph_host_enter(host);
    if (r == 0) {
        if (server && !place)
            bound = origin_of(host, server);
        r = mcph_keeper_set_fixed_locked(host->keeper, server, place, name, value, bound);
        mcph_core_leave(host->core);
    }
    free(place);
    free(bound);
    return r < 0 ? mcph_err(reterr, r, "credential: %s", mcphost_strerror(r)) : 0;
}

int
mcph_credential_drop(mcphost *host, const char *server)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    mcph_keeper_drop_locked(host->keeper, server);
    mcph_core_leave(host->core);
    return 0;
}

/* ---- answers ----------------------------------------------------------------------- */

static void
replace_nuls(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!text[i])
            text[i] = ' ';
    }
}

/* Appends a header's name and value as texts, each with a NUL behind it.  Returns 0,
 * MCPHOST_E_INVALID if the header is invalid (then `lines` has the name, and *ret_why
 * gets a text about the fault), MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
static int
read_header(struct mcph_span key, struct mcph_span token, struct mcph_buf *lines,
            const char **ret_why)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    size_t name_at = lines->len, value_at;
    int r;

    mcph_buf_init(&decoded, 2 * VALUE_MAX);
    r = mcph_json_string_get(key, &decoded, &text);
    if (r == 0) {
        mcph_buf_add(lines, text.p, text.len);
        r = mcph_buf_addc(lines, '\0');
    }
    if (r == 0) {
        /* Replace each NUL by a blank, because a NUL would hide the rest of the name.  A
         * blank makes the name invalid, too. */
        replace_nuls(lines->data + name_at, text.len);
        *ret_why = check_header(lines->data + name_at, NULL, 0);
        if (!*ret_why && mcph_json_type(token) != MCPH_JSON_STRING)
            *ret_why = "has a value that is not a string";
        r = *ret_why ? MCPHOST_E_INVALID : 0;
    }
    value_at = lines->len;
    mcph_buf_clear(&decoded);
    if (r == 0)
        r = mcph_json_string_get(token, &decoded, &text);
    if (r == 0) {
        mcph_buf_add(lines, text.p, text.len);
        r = mcph_buf_addc(lines, '\0');
    }
    if (r == 0) {
        *ret_why = check_header(lines->data + name_at, lines->data + value_at, text.len);
        r = *ret_why ? MCPHOST_E_INVALID : 0;
    }
    mcph_buf_wipe(&decoded);
    return r;
}

static int
read_headers(struct mcph_span headers, struct mcph_buf *lines, mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    size_t at = lines->len, n = 0;
    const char *why = "";
    int r;

    mcph_json_iter_init(&it, headers);
    while (mcph_json_iter_next(&it, &key, &value)) {
        at = lines->len;
        r = read_header(key, value, lines, &why);
        if (r == MCPHOST_E_INVALID && lines->len > at)
            return refuse_header(reterr, lines->data + at, why);
        if (r < 0)
            return mcph_err(reterr, r, "answer: %s", mcphost_strerror(r));
        if (++n > NAMES_MAX)
            return mcph_err(reterr, MCPHOST_E_LIMIT, "answer: more than %d headers",
                            NAMES_MAX);
    }
    if (n == 0)
        return mcph_err(reterr, MCPHOST_E_INVALID, "answer: 'headers' is empty");
    return 0;
}

/* Returns true if each character of the text is allowed in a list of scopes (RFC 6749,
 * section 3.3). */
static bool
is_scope(struct mcph_span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < ' ' || text.p[i] > '~' || text.p[i] == '"' || text.p[i] == '\\')
            return false;
    }
    return true;
}

/* Reads the granted scope.  *ret_scope stays NULL if the answer does not name the
 * scope. */
static int
read_scope(struct mcph_span token, char **ret_scope, mcphost_error **reterr)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    int r = MCPHOST_E_INVALID;

    if (!token.p)
        return 0;
    mcph_buf_init(&decoded, MCPH_SCOPES_MAX);
    if (mcph_json_type(token) == MCPH_JSON_STRING)
        r = mcph_json_string_get(token, &decoded, &text);
    if (r == 0)
        r = text.len > MCPH_SCOPES_MAX ? MCPHOST_E_LIMIT
            : is_scope(text)           ? 0
                                       : MCPHOST_E_INVALID;
    if (r == 0) {
        *ret_scope = mcph_strndup(text.p, text.len);
        r = *ret_scope ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&decoded);
    if (r == MCPHOST_E_INVALID)
        return mcph_err(reterr, r, "answer: 'scope' is not a valid list of scopes");
    return r < 0 ? mcph_err(reterr, r, "answer: 'scope': %s", mcphost_strerror(r)) : 0;
}

int
mcph_credential_read(struct mcph_span json, struct mcph_buf *lines, int64_t *ret_good_ms,
                     char **ret_scope, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("headers"),
                                    MCPH_JSON_WANT("expiresInMs"),
                                    MCPH_JSON_WANT("scope")};
    int64_t ms = -1;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "answer", &json, reterr);

    if (r < 0)
        return r;
    (void)mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID, "answer: 'headers' is not an object");
    if (want[1].value.p &&
        (mcph_json_type(want[1].value) != MCPH_JSON_NUMBER ||
         mcph_json_int64(want[1].value, &ms) < 0 || ms <= 0 || ms > INT64_MAX / 4))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "answer: 'expiresInMs' is not a positive number of milliseconds");
    /* Reserve all memory now, because a buffer that grows would leave copies of the
     * values behind. */
    r = mcph_buf_reserve(lines, json.len + NAMES_MAX + 1);
    if (r < 0)
        return mcph_err(reterr, r, "answer: %s", mcphost_strerror(r));
    r = read_headers(want[0].value, lines, reterr);
    if (r == 0)
        r = read_scope(want[2].value, ret_scope, reterr);
    if (r == 0)
        *ret_good_ms = ms;
    return r;
}

/* ---- questions --------------------------------------------------------------------- */

/* Finds the source of the server with this key.  *ret_server gets the server's id in that
 * source. */
static struct mcphost_source *
split_key(mcphost *host, const char *key, const char **ret_server)
{
    return mcph_workspace_split(&host->workspace, key, ret_server);
}

static mcphost_request *
make_request(mcphost *host, const struct mcph_ask *ask)
{
    const char *server;
    struct mcphost_source *source = split_key(host, ask->server, &server);
    int kind = ask->awaited ? MCPHOST_REQUEST_AUTHORIZE : MCPHOST_REQUEST_CREDENTIALS;
    mcphost_request *request = mcph_request_new(host, kind, source, server);

    if (!request)
        return NULL;
    request->message = mcph_strdup(ask->message);
    request->url = mcph_strdup(ask->url);
    request->frame = mcph_frame_new(ask->params, strlen(ask->params));
    if (request->frame)
        request->params = mcph_frame_span(request->frame);
    if (request->message && request->url && request->frame &&
        mcph_authorize_keep(request, ask->awaited) == 0)
        return request;
    mcph_request_put_user(request);
    return NULL;
}

static int
on_ask(struct mcph_ask *ask, void *arg)
{
    mcphost_request *request = make_request(arg, ask);

    if (!request)
        return MCPHOST_E_NOMEM;
    ask->owner = request;
    request->ask = ask;
    mcph_request_tell(request);
    return 0;
}

/* Sets the reason of the server's delay for each request that waits for the answer to a
 * question.  The reason is not set when the question is asked, because the question may
 * be older than this start of the server, and each start begins without a reason. */
static void
on_waits(const struct mcph_ask *ask, void *arg)
{
    const char *server;
    struct mcphost_source *source = split_key(arg, ask->server, &server);

    mcph_server_set_hold_up(
        source, server,
        ask->awaited ? "waiting for a login: the user has not logged in yet"
                     : "waiting for credentials: the application has not answered the "
                       "request for them");
}

static void
on_over(struct mcph_ask *ask, const char *why, void *arg)
{
    const char *server;
    struct mcphost_source *source = split_key(arg, ask->server, &server);

    mcph_server_set_hold_up(source, server, NULL);
    mcph_request_end(ask->owner, why);
}

static void
on_elsewhere(const char *key, const char *origin, const struct mcph_elsewhere *header,
             void *arg)
{
    const char *server;
    struct mcphost_source *source = split_key(arg, key, &server);
    char *text;

    if (!header) {
        mcph_problem_clear_server(source->journal, source->id, server, ELSEWHERE);
        return;
    }
    text = mcph_asprintf("its credential '%s' was set for %s and is not sent to %s: set "
                         "it again if the new origin is right",
                         header->name, header->bound, origin);
    mcph_problem_odd(source->journal, source->id, server, ELSEWHERE, text);
    free(text);
}

static void
on_delayed(const char *key, const char *why, void *arg)
{
    const char *server;
    struct mcphost_source *source = split_key(arg, key, &server);

    mcph_server_set_hold_up(source, server, why);
}

static void
on_revoked(void *arg)
{
    mcph_host_revoked(arg);
}

const struct mcph_keeper_events mcph_credential_events = {.ask = on_ask,
                                                          .over = on_over,
                                                          .elsewhere = on_elsewhere,
                                                          .waits = on_waits,
                                                          .delayed = on_delayed,
                                                          .revoked = on_revoked};
