/* SPDX-License-Identifier: MIT
 *
 * resource.c - the MCP endpoint as a protected resource: its metadata (RFC 9728), its
 * challenges, and the check of access tokens.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

#define WELL_KNOWN "/.well-known/oauth-protected-resource"
#define CUSTOM     "/elsewhere/resource-metadata"

/* ---- metadata ---------------------------------------------------------------------- */

static json_t *
words_of(const char *words)
{
    char *copy = strdup(words), *save = NULL;
    json_t *list = json_array();

    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        json_array_append_new(list, json_string(w));
    free(copy);
    return list;
}

static json_t *
make_metadata(struct auth *auth)
{
    char *url = auth_resource(auth);
    json_t *document = json_object(), *issuers = json_array();
    const char *text;

    for (const struct as *as = auth->servers; as; as = as->next)
        if (auth->trusts & 1U << as->number)
            json_array_append_new(issuers, json_string(as->issuer));
    if (fault_is(auth, STEP_RESOURCE, "lying", NULL, &text))
        json_object_set_new(document, "resource",
                            json_string(*text ? text : "https://elsewhere.example/mcp"));
    else
        json_object_set_new(document, "resource", json_string(url));
    json_object_set_new(document, "authorization_servers", issuers);
    json_object_set_new(document, "bearer_methods_supported", json_pack("[s]", "header"));
    if (*auth->scopes)
        json_object_set_new(document, "scopes_supported", words_of(auth->scopes));
    if (auth->dpop) {
        json_object_set_new(document, "dpop_signing_alg_values_supported",
                            json_pack("[s]", "ES256"));
        json_object_set_new(document, "dpop_bound_access_tokens_required",
                            json_boolean(auth->dpop >= DPOP_REQUIRED));
    }
    free(url);
    return document;
}

/* Returns the path of the metadata that the challenge names.  The caller frees the
 * text. */
static char *
hinted_path(const struct auth *auth)
{
    if (auth->prm & PRM_CUSTOM)
        return strdup(CUSTOM);
    return auth_format("%s%s", WELL_KNOWN, auth->prm & PRM_PATH ? auth->http->path : "");
}

static bool
is_place(const struct auth *auth, const char *path)
{
    size_t len = strlen(WELL_KNOWN);

    if (strcmp(path, CUSTOM) == 0)
        return auth->prm & PRM_CUSTOM;
    if (strncmp(path, WELL_KNOWN, len) != 0)
        return false;
    if (strcmp(path + len, auth->http->path) == 0)
        return auth->prm & PRM_PATH;
    return !path[len] && auth->prm & PRM_ROOT;
}

bool
resource_take(struct auth *auth, struct exchange *ex)
{
    struct reply reply = {0};

    if (strcmp(ex->verb, "GET") != 0 || auth->is_legacy || !is_place(auth, ex->path))
        return false;
    fault_count(auth, STEP_RESOURCE);
    if (fault_replaces(auth, ex, STEP_RESOURCE))
        return true;
    reply_document(auth, STEP_RESOURCE, 200, &reply, make_metadata(auth));
    reply_send(auth, ex, STEP_RESOURCE, &reply);
    return true;
}

/* ---- challenges -------------------------------------------------------------------- */

/* Appends the script's own text, with the URL of the metadata in place of %m. */
static void
add_own_challenge(struct bytes *out, const char *text, const char *metadata)
{
    for (; *text; text++)
        if (strncmp(text, "%m", 2) == 0) {
            bytes_str(out, metadata);
            text++;
        } else {
            bytes_add(out, text, 1);
        }
}

static void
add_parameter(struct bytes *out, bool *is_first, const char *name, const char *value)
{
    bytes_str(out, *is_first ? " " : ", ");
    bytes_str(out, name);
    bytes_str(out, "=\"");
    bytes_str(out, value);
    bytes_str(out, "\"");
    *is_first = false;
}

/* Makes the value of WWW-Authenticate. */
static void
make_challenge(struct auth *auth, struct bytes *out, const char *error, const char *scope)
{
    char *origin = conn_origin(auth->http, auth->http->listeners);
    char *path = hinted_path(auth), *metadata = auth_format("%s%s", origin, path);
    bool is_first = true;
    const char *text;

    if (auth->challenge) {
        add_own_challenge(out, auth->challenge, metadata);
    } else {
        bytes_str(out, auth->dpop >= DPOP_REQUIRED ? "DPoP" : "Bearer");
        if (auth->dpop >= DPOP_REQUIRED)
            add_parameter(out, &is_first, "algs", "ES256");
        if (fault_is(auth, STEP_CHALLENGE, "lying", NULL, &text))
            add_parameter(out, &is_first, "resource_metadata",
                          *text ? text : "https://elsewhere.example/metadata");
        else if (auth->has_hint && !auth->is_legacy && auth->prm)
            add_parameter(out, &is_first, "resource_metadata", metadata);
        if (error)
            add_parameter(out, &is_first, "error", error);
        if (scope)
            add_parameter(out, &is_first, "scope", scope);
    }
    free(origin);
    free(path);
    free(metadata);
}

void
resource_challenge(struct auth *auth, struct exchange *ex, int status, const char *error,
                   const char *scope)
{
    struct reply reply = {.status = status, .type = "application/json"};
    struct bytes value = {0};
    const char *text;
    long n = 0;

    fault_count(auth, STEP_CHALLENGE);
    auth_trace(auth, "refused", "%d %s", status, error ? error : "no token");
    if (fault_replaces(auth, ex, STEP_CHALLENGE))
        return;
    if (fault_is(auth, STEP_CHALLENGE, "refuse", NULL, &text))
        error = text;
    if (fault_is(auth, STEP_CHALLENGE, "garbage", NULL, NULL))
        bytes_str(&value, "Bearer =,\"resource_metadata=\\");
    else
        make_challenge(auth, &value, error, scope);
    if (fault_is(auth, STEP_CHALLENGE, "huge", &n, NULL))
        for (n = n ? n : 64L * 1024; n > 0; n--)
            bytes_str(&value, n % 64 ? "x" : ", x=");
    if (!fault_is(auth, STEP_CHALLENGE, "missing", NULL, NULL))
        reply_header(&reply, "WWW-Authenticate: %s", value.p);
    if (error && strcmp(error, "use_dpop_nonce") == 0)
        reply_header(&reply, "DPoP-Nonce: %s", dpop_nonce(auth, STEP_USE, false));
    bytes_str(&reply.body, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,"
                           "\"message\":\"Unauthorized\"}}");
    reply_send(auth, ex, STEP_CHALLENGE, &reply);
    bytes_free(&value);
}

/* ---- access tokens ----------------------------------------------------------------- */

/* Reads "Bearer TOKEN" or "DPoP TOKEN".  Returns NULL without a token.  The caller frees
 * the text. */
static char *
read_token(const struct exchange *ex, bool *ret_is_dpop)
{
    char *header = request_header(ex, "Authorization"), *token = NULL;

    *ret_is_dpop = header && strncasecmp(header, "DPoP ", 5) == 0;
    if (*ret_is_dpop || (header && strncasecmp(header, "Bearer ", 7) == 0))
        token = strdup(strchr(header, ' ') + 1);
    free(header);
    return token;
}

/* Returns the first reason to refuse the token, or NULL if the token is good. */
static const char *
fault_of(const struct auth *auth, const struct access *access)
{
    char *url = auth_resource(auth);
    const struct login *login = access ? access->login : NULL;
    const char *why = NULL;

    if (!access)
        why = "unknown token";
    else if (!(auth->trusts & 1U << login->as))
        why = "token of another issuer";
    else if (access->dead || login->revoked)
        why = "revoked token";
    else if (access->until_ms <= auth_now_ms())
        why = "expired token";
    else if (login->resource ? strcmp(login->resource, url) != 0 : !auth->is_legacy)
        why = "token for another resource";
    free(url);
    return why;
}

/* Checks that a token that is bound to a key comes with the scheme DPoP and a good proof,
 * and any other token with the scheme Bearer.  Returns NULL or an error. */
static const char *
check_binding(struct auth *auth, const struct exchange *ex, const struct access *access,
              bool is_dpop)
{
    char *origin = conn_origin(auth->http, ex->conn->at);
    char *url = auth_format("%s%.*s", origin, (int)strcspn(ex->path, "?"), ex->path);
    const char *error = NULL;
    char *jkt = NULL;

    if (!access->jkt != !is_dpop)
        error = "invalid_token";
    else if (is_dpop)
        error = dpop_check(auth, ex, STEP_USE, url, access->text, &jkt);
    if (!error && is_dpop && !auth_is_same(jkt, access->jkt))
        error = "invalid_dpop_proof";
    free(origin);
    free(url);
    free(jkt);
    return error;
}

/* Returns the scopes that the request needs if the token lacks one of them, or NULL. */
static const char *
lacking_scope(const struct auth *auth, const struct access *access, const char *body,
              size_t len)
{
    json_t *message = auth->needs ? json_loadb(body, len, 0, NULL) : NULL;
    json_t *params = json_object_get(message, "params");
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *tool = json_string_value(json_object_get(params, "name"));
    const char *lacks = NULL;

    for (const struct need *n = auth->needs; n && method && !lacks; n = n->next)
        if ((strcmp(method, n->tool) == 0 ||
             (tool && strcmp(method, "tools/call") == 0 && strcmp(tool, n->tool) == 0)) &&
            !auth_has_words(access->scope, n->scope))
            lacks = n->scope;
    json_decref(message);
    return lacks;
}

/* Carries out the faults of a request whose token is good.  Returns false if the request
 * was refused. */
static bool
pass_faults(struct auth *auth, struct exchange *ex)
{
    const char *word;

    fault_count(auth, STEP_USE);
    if (fault_replaces(auth, ex, STEP_USE))
        return false;
    if (fault_is(auth, STEP_USE, "refuse", NULL, &word)) {
        if (strncmp(word, "403 ", 4) == 0) {
            resource_challenge(auth, ex, 403, word + 4, auth->asks);
            return false;
        }
        word = *word ? word : "invalid_token";
        resource_challenge(auth, ex, strcmp(word, "insufficient_scope") == 0 ? 403 : 401,
                           word, auth->asks);
        return false;
    }
    if (fault_is(auth, STEP_USE, "nonce-loop", NULL, NULL)) {
        dpop_nonce(auth, STEP_USE, true);
        resource_challenge(auth, ex, 401, "use_dpop_nonce", NULL);
        return false;
    }
    return true;
}

bool
auth_admit(struct http *http, struct exchange *ex, const char *body, size_t len)
{
    struct auth *auth = http->auth;
    const char *why, *error = NULL, *lacks;
    struct access *access;
    bool is_dpop;
    char *token;

    if (!auth || !auth->is_on)
        return true;
    token = read_token(ex, &is_dpop);
    access = token ? access_find(auth, token) : NULL;
    if (!token) {
        resource_challenge(auth, ex, 401, NULL, auth->asks);
        return false;
    }
    free(token);
    why = fault_of(auth, access);
    if (why)
        auth_trace(auth, "token", "rejected: %s", why);
    error = why ? "invalid_token" : check_binding(auth, ex, access, is_dpop);
    if (error) {
        resource_challenge(auth, ex, 401, error, auth->asks);
        return false;
    }
    if (!pass_faults(auth, ex))
        return false;
    lacks = lacking_scope(auth, access, body, len);
    if (lacks) {
        resource_challenge(auth, ex, 403, "insufficient_scope", lacks);
        return false;
    }
    ex->access = access;
    if (auth->dpop == DPOP_NONCE) {
        bytes_str(&ex->headers, "DPoP-Nonce: ");
        bytes_str(&ex->headers, dpop_nonce(auth, STEP_USE, false));
        bytes_str(&ex->headers, "\r\n");
    }
    return true;
}

bool
auth_call(struct fake *fake, struct fake_run *run, const char *tool)
{
    const struct exchange *ex = run->peer;
    const struct access *access = ex ? ex->access : NULL;
    char *text;

    if (strcmp(tool, "whoami") != 0)
        return false;
    text = access ? auth_format("%s%s%s", access->login->account,
                                *access->scope ? " " : "", access->scope)
                  : strdup("nobody");
    fake_send_text(fake, run, text, !access);
    free(text);
    return true;
}
