/* SPDX-License-Identifier: MIT
 *
 * issuer.c - the authorization servers: their origins, their metadata (RFC 8414, OpenID
 * Connect Discovery) and the dispatch of requests to their endpoints.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeauth/inner.h"

struct as *
issuer_new(struct auth *auth)
{
    struct as *as = fake_alloc(NULL, sizeof(*as)), **last = &auth->servers;
    int number = 1;

    for (; *last; last = &(*last)->next)
        number++;
    if (number > SERVERS) {
        fprintf(stderr, "fakehttp: more than %d issuers\n", SERVERS);
        _exit(2);
    }
    *as = (struct as){.number = number, .path = strdup("")};
    *last = as;
    return as;
}

struct as *
issuer_find(struct auth *auth, int number)
{
    struct as *as = auth->servers;

    while (as && as->number != number)
        as = as->next;
    return as;
}

void
auth_listen(struct http *http)
{
    struct auth *auth = http->auth;

    if (!auth || !auth->is_on)
        return;
    if (!auth->servers)
        issuer_new(auth);
    for (struct as *as = auth->servers; as; as = as->next) {
        as->at = as->is_same || auth->is_legacy
                     ? http->listeners
                     : conn_listen(http, auth->ports[as->number - 1]);
        as->origin = conn_origin(http, as->at);
        as->issuer = auth_format("%s%s", as->origin, as->path);
        as->key = EVP_EC_gen("P-256");
    }
}

void
auth_say_where(const struct http *http)
{
    const struct auth *auth = http->auth;

    for (const struct as *as = auth && auth->is_on ? auth->servers : NULL; as;
         as = as->next)
        printf("%s\n", as->issuer);
}

/* ---- metadata ---------------------------------------------------------------------- */

static void
add_list(json_t *document, const char *name, const char *words)
{
    char *copy = strdup(words), *save = NULL;
    json_t *list = json_array();

    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        json_array_append_new(list, json_string(w));
    json_object_set_new(document, name, list);
    free(copy);
}

static void
add_endpoint(json_t *document, const struct as *as, const char *name, const char *path)
{
    char *url = auth_format("%s%s", as->issuer, path);

    json_object_set_new(document, name, json_string(url));
    free(url);
}

static void
add_grants(const struct auth *auth, json_t *document)
{
    static const char *const grants[][2] = {
        {"code", "authorization_code"},
        {"refresh", "refresh_token"},
        {"client", "client_credentials"},
        {"device", "urn:ietf:params:oauth:grant-type:device_code"},
        {"exchange", "urn:ietf:params:oauth:grant-type:token-exchange"},
        {"jwt", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
    };
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof(grants) / sizeof(grants[0]); i++)
        if (auth_has_word(auth->grants, grants[i][0]))
            json_array_append_new(list, json_string(grants[i][1]));
    json_object_set_new(document, "grant_types_supported", list);
    if (auth_has_word(auth->grants, "jwt"))
        add_list(document, "authorization_grant_profiles_supported",
                 "urn:ietf:params:oauth:grant-profile:id-jag");
}

static void
add_methods(const struct auth *auth, json_t *document)
{
    json_t *list = json_array();

    for (int i = 0; i < METHODS; i++)
        if (auth->methods & 1U << i)
            json_array_append_new(list, json_string(client_methods[i]));
    json_object_set_new(document, "token_endpoint_auth_methods_supported", list);
    if (auth->methods & 1U << METHOD_KEY)
        add_list(document, "token_endpoint_auth_signing_alg_values_supported",
                 "ES256 RS256");
}

static json_t *
make_metadata(struct auth *auth, const struct as *as)
{
    json_t *document = json_object();
    const char *text, *issuer = as->issuer;

    if (fault_is(auth, STEP_ISSUER, "lying", NULL, &text))
        issuer = *text ? text : "https://elsewhere.example";
    json_object_set_new(document, "issuer", json_string(issuer));
    add_endpoint(document, as, "authorization_endpoint", "/authorize");
    add_endpoint(document, as, "token_endpoint", "/token");
    add_endpoint(document, as, "revocation_endpoint", "/revoke");
    add_endpoint(document, as, "jwks_uri", "/jwks");
    if (!auth->no_registration)
        add_endpoint(document, as, "registration_endpoint", "/register");
    if (auth_has_word(auth->grants, "device"))
        add_endpoint(document, as, "device_authorization_endpoint",
                     "/device_authorization");
    add_list(document, "response_types_supported", "code");
    add_grants(auth, document);
    add_methods(auth, document);
    if (auth->pkce != PKCE_UNLISTED)
        add_list(document, "code_challenge_methods_supported",
                 auth->pkce == PKCE_ON ? "S256" : "plain");
    if (*auth->scopes)
        add_list(document, "scopes_supported", auth->scopes);
    if (auth->iss == ISS_ON)
        json_object_set_new(document, "authorization_response_iss_parameter_supported",
                            json_true());
    if (auth->takes_cimd)
        json_object_set_new(document, "client_id_metadata_document_supported",
                            json_true());
    if (auth->dpop)
        add_list(document, "dpop_signing_alg_values_supported", "ES256");
    return document;
}

/* Checks whether the path is a place of this server's metadata. */
static bool
is_place(const struct auth *auth, const struct as *as, const char *path)
{
    char *places[] = {
        auth_format("/.well-known/oauth-authorization-server%s", as->path),
        auth_format("/.well-known/openid-configuration%s", as->path),
        auth_format("%s/.well-known/openid-configuration", as->path),
    };
    bool found = false;

    for (int i = 0; i < 3; i++) {
        if (auth->metadata & 1U << i && strcmp(path, places[i]) == 0)
            found = true;
        free(places[i]);
    }
    return found;
}

static void
take_metadata(struct auth *auth, const struct as *as, struct exchange *ex)
{
    struct reply reply = {0};

    fault_count(auth, STEP_ISSUER);
    if (fault_replaces(auth, ex, STEP_ISSUER))
        return;
    reply_document(auth, STEP_ISSUER, 200, &reply, make_metadata(auth, as));
    reply_send(auth, ex, STEP_ISSUER, &reply);
}

static void
take_keys(struct auth *auth, const struct as *as, struct exchange *ex)
{
    struct reply reply = {0};

    reply_json(&reply, 200, json_pack("{s:[o]}", "keys", jwt_jwk(as->key)));
    exchange_reply(auth->http, ex, 200, reply.type, reply.body.p, reply.body.len);
    bytes_free(&reply.headers);
    bytes_free(&reply.body);
}

/* ---- endpoints --------------------------------------------------------------------- */

/* Handles a POST to /fake/script.  Reads the body as more lines of the script. */
static void
take_script(struct auth *auth, struct exchange *ex, const char *body)
{
    char *lines = strdup(body), *save = NULL;
    int n = 0;

    for (char *l = strtok_r(lines, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
        fake_script_line(auth->http->fake, l, "/fake/script", ++n);
    exchange_reply(auth->http, ex, 200, "text/plain", "", 0);
    free(lines);
}

/* Checks that a request has the Content-Type that the endpoint at `path` requires.  If
 * not, refuses the request. */
static bool
check_type(struct auth *auth, struct exchange *ex, const char *path)
{
    char *type = request_header(ex, "Content-Type");
    const char *wanted = strcmp(path, "/register") == 0
                             ? "application/json"
                             : "application/x-www-form-urlencoded";
    size_t len = strlen(wanted);
    bool fits =
        type && strncasecmp(type, wanted, len) == 0 && !isalnum((unsigned char)type[len]);

    if (!fits) {
        auth_trace(auth, "type", "%s %s", path, type ? type : "-");
        exchange_reply(auth->http, ex, 415, "text/plain", "Unsupported Media Type", 22);
    }
    free(type);
    return fits;
}

static void
take_endpoint(struct auth *auth, struct as *as, struct exchange *ex, const char *path,
              const char *query, const char *body, size_t len)
{
    bool is_post = strcmp(ex->verb, "POST") == 0;

    if (!is_post && strcmp(path, "/authorize") == 0)
        authorize_take(auth, as, ex, query);
    else if (!is_post && strcmp(path, "/jwks") == 0)
        take_keys(auth, as, ex);
    else if (!is_post && strncmp(path, "/device", 7) == 0)
        device_visit(auth, as, ex, path, query);
    else if (is_post && !check_type(auth, ex, path))
        ;
    else if (is_post && strcmp(path, "/token") == 0)
        token_take(auth, as, ex, body, len);
    else if (is_post && strcmp(path, "/register") == 0)
        client_register(auth, as, ex, body, len);
    else if (is_post && strcmp(path, "/device_authorization") == 0)
        device_take(auth, as, ex, body, len);
    else if (is_post && strcmp(path, "/revoke") == 0)
        token_revoke(auth, as, ex, body, len);
    else
        exchange_reply(auth->http, ex, 404, "text/html", "<p>Not Found", 12);
}

/* Checks whether the path leads to an endpoint below the issuer's path. */
static bool
is_endpoint(const struct as *as, const char *path)
{
    static const char *const names[] = {"/authorize", "/token", "/register",
                                        "/revoke",    "/jwks",  "/device"};
    size_t len = strlen(as->path);

    if (strncmp(path, as->path, len) != 0)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(path + len, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

bool
issuer_take(struct auth *auth, struct exchange *ex, const char *body, size_t len)
{
    const struct listener *at = ex->conn->at;
    size_t n = strcspn(ex->path, "?");
    char *path = strndup(ex->path, n);
    const char *query = ex->path[n] ? ex->path + n + 1 : "";
    struct as *as = auth->servers;

    if (strcmp(path, "/fake/script") == 0) {
        take_script(auth, ex, body);
        free(path);
        return true;
    }
    while (as && (as->at != at || (!is_place(auth, as, path) && !is_endpoint(as, path))))
        as = as->next;
    if (as)
        auth->current = as->number;
    if (as && is_place(auth, as, path))
        take_metadata(auth, as, ex);
    else if (as)
        take_endpoint(auth, as, ex, path + strlen(as->path), query, body, len);
    free(path);
    if (!as && at != auth->http->listeners)
        exchange_reply(auth->http, ex, 404, "text/html", "<p>Not Found", 12);
    return as || at != auth->http->listeners;
}

bool
auth_take(struct http *http, struct exchange *ex, const char *body, size_t len)
{
    struct auth *auth = http->auth;

    if (!auth || !auth->is_on)
        return false;
    auth->current = 0;
    auth->posted = body;
    auth->posted_len = len;
    if (ex->conn->at == http->listeners && resource_take(auth, ex))
        return true;
    return issuer_take(auth, ex, body, len);
}
