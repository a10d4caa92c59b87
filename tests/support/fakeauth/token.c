/* SPDX-License-Identifier: MIT
 *
 * token.c - the token endpoint with its grants, and the revocation of tokens (RFC 7009).
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

#define URN      "urn:ietf:params:oauth:"
#define ID_JAG_S 300

/* A token request.  The function that handles a grant returns NULL after it has set
 * `login` or `assertion`.  Otherwise it returns the OAuth error code. */
struct request {
    struct auth *auth;
    struct as *as;
    const struct form *form;
    struct client *client;
    enum step step;
    char *jkt;
    struct login *login;
    const char *scope; /* scope of the access token; NULL means the scope of the login */
    struct refresh *refresh;
    bool wants_refresh;
    char *assertion; /* an ID-JAG in place of an access token */
};

/* Checks that the request and the login have the same resource, or both have none.  In
 * the legacy mode, also accepts a request without a resource. */
static bool
fits_resource(const struct request *rq, const struct login *login)
{
    const char *resource = form_get(rq->form, "resource");

    return auth_is_same(resource, login->resource) || (!resource && rq->auth->is_legacy);
}

/* ---- the grants -------------------------------------------------------------------- */

static const char *
grant_code(struct request *rq)
{
    const char *text = form_get(rq->form, "code");
    const char *verifier = form_get(rq->form, "code_verifier");
    struct code *code = rq->auth->codes;
    char *digest = jwt_digest(verifier ? verifier : "");
    const char *why = NULL;

    while (code && !auth_is_same(code->text, text))
        code = code->next;
    if (!code || code->login->as != rq->as->number)
        why = "unknown code";
    else if (code->login->client != rq->client)
        why = "code of another client";
    else if (code->used)
        why = "code used twice";
    else if (code->until_ms <= auth_now_ms())
        why = "expired code";
    else if (!auth_is_same(form_get(rq->form, "redirect_uri"), code->redirect))
        why = "wrong redirect_uri";
    else if (!auth_is_same(digest, code->challenge))
        why = "wrong code_verifier";
    free(digest);
    if (why) {
        auth_trace(rq->auth, "code", "%s", why);
        if (code && code->used)
            code->login->revoked = true;
        return "invalid_grant";
    }
    if (!fits_resource(rq, code->login))
        return "invalid_target";
    code->used = true;
    rq->login = code->login;
    rq->wants_refresh = true;
    return NULL;
}

static const char *
grant_refresh(struct request *rq)
{
    const char *text = form_get(rq->form, "refresh_token");
    struct refresh *old = text ? refresh_find(rq->auth, text) : NULL;
    const char *scope = form_get(rq->form, "scope"), *word;

    if (!old || old->login->as != rq->as->number || old->login->client != rq->client) {
        auth_trace(rq->auth, "refresh", "0 unknown");
        return "invalid_grant";
    }
    if (!fits_resource(rq, old->login))
        return "invalid_target";
    if (scope && !auth_has_words(old->login->scope, scope))
        return "invalid_scope";
    if (old->login->jkt && !auth_is_same(old->login->jkt, rq->jkt))
        return "invalid_dpop_proof";
    word = refresh_use(rq->auth, old, &rq->refresh);
    if (word)
        return word;
    rq->login = old->login;
    rq->scope = scope;
    return NULL;
}

static void
log_in(struct request *rq, const char *account, const char *scope, const char *resource)
{
    char *granted = login_scope(rq->auth, scope);

    rq->login = login_new(rq->as, rq->client, granted, resource);
    login_as(rq->auth, rq->login, strdup(account));
    free(granted);
}

static const char *
grant_client(struct request *rq)
{
    char *url = auth_resource(rq->auth);
    const char *resource = form_get(rq->form, "resource");
    bool fits = resource ? strcmp(resource, url) == 0 : rq->auth->is_legacy;

    free(url);
    if (rq->client->method == METHOD_NONE)
        return "unauthorized_client";
    if (!fits)
        return "invalid_target";
    log_in(rq, rq->client->id, form_get(rq->form, "scope"), resource);
    return NULL;
}

static const char *
grant_device(struct request *rq)
{
    const char *word =
        device_poll(rq->auth, rq->as, form_get(rq->form, "device_code"), &rq->login);
    const char *resource = form_get(rq->form, "resource");

    if (!word && rq->login->client != rq->client)
        word = "invalid_grant";
    if (!word && resource && !auth_is_same(resource, rq->login->resource))
        word = "invalid_target";
    rq->wants_refresh = !word;
    return word;
}

/* Returns the account that a token names.  The token must be a token of another issuer,
 * or an ID token or ID-JAG that one of the fake authorization servers has issued for this
 * audience and that has not expired.  Returns NULL for any other token.  The caller frees
 * the text, and *ret_claims (which may be NULL) with json_decref(). */
static char *
subject_of(struct request *rq, const char *token, const char *audience,
           json_t **ret_claims)
{
    json_t *claims;

    *ret_claims = NULL;
    for (const struct subject *s = rq->auth->subjects; s && token; s = s->next)
        if (strcmp(s->text, token) == 0)
            return strdup(s->account);
    claims = token ? jwt_part(token, 1) : NULL;
    for (const struct as *as = rq->auth->servers; as && claims; as = as->next)
        if (jwt_verify(as->key, token) &&
            auth_is_same(json_string_value(json_object_get(claims, "aud")), audience) &&
            json_integer_value(json_object_get(claims, "exp")) >
                auth_now_s(rq->auth, rq->step)) {
            *ret_claims = claims;
            return strdup(json_string_value(json_object_get(claims, "sub")));
        }
    json_decref(claims);
    return NULL;
}

static const char *
grant_exchange(struct request *rq)
{
    const char *token = form_get(rq->form, "subject_token");
    const char *type = form_get(rq->form, "requested_token_type");
    const char *audience = form_get(rq->form, "audience");
    const char *scope = form_get(rq->form, "scope");
    const char *resource = form_get(rq->form, "resource");
    int64_t now = auth_now_s(rq->auth, rq->step);
    json_t *claims;
    char *account = subject_of(rq, token, rq->client->id, &claims);

    json_decref(claims);
    if (!account)
        return "invalid_grant";
    if (!auth_is_same(type, URN "token-type:id-jag") || !audience) {
        free(account);
        return "invalid_request";
    }
    claims = json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:s*,s:s*}", "iss", rq->as->issuer,
                       "sub", account, "aud", audience, "client_id", rq->client->id,
                       "iat", (json_int_t)now, "exp", (json_int_t)now + ID_JAG_S, "scope",
                       scope, "resource", resource);
    rq->assertion =
        jwt_sign(rq->as->key, json_pack("{s:s}", "typ", "oauth-id-jag+jwt"), claims);
    auth_trace(rq->auth, "id-jag", "%s", account);
    free(account);
    return NULL;
}

static const char *
grant_jwt(struct request *rq)
{
    const char *scope = form_get(rq->form, "scope");
    const char *resource = form_get(rq->form, "resource"), *claimed;
    json_t *claims;
    char *account =
        subject_of(rq, form_get(rq->form, "assertion"), rq->as->issuer, &claims);

    if (!account)
        return "invalid_grant";
    claimed = json_string_value(json_object_get(claims, "resource"));
    if (!scope)
        scope = json_string_value(json_object_get(claims, "scope"));
    log_in(rq, account, scope, resource ? resource : claimed);
    json_decref(claims);
    free(account);
    return NULL;
}

static const struct {
    const char *name, *word;
    const char *(*grant)(struct request *);
} grants[] = {
    {"authorization_code", "code", grant_code},
    {"refresh_token", "refresh", grant_refresh},
    {"client_credentials", "client", grant_client},
    {URN "grant-type:device_code", "device", grant_device},
    {URN "grant-type:token-exchange", "exchange", grant_exchange},
    {URN "grant-type:jwt-bearer", "jwt", grant_jwt},
};

#define N_GRANTS (sizeof(grants) / sizeof(grants[0]))

/* ---- the answer -------------------------------------------------------------------- */

static char *
make_id_token(const struct request *rq)
{
    const struct login *login = rq->login;
    int64_t now = auth_now_s(rq->auth, rq->step);

    return jwt_sign(rq->as->key, json_pack("{s:s}", "typ", "JWT"),
                    json_pack("{s:s,s:s,s:s,s:I,s:I,s:s*}", "iss", rq->as->issuer, "sub",
                              login->account, "aud", login->client->id, "iat",
                              (json_int_t)now, "exp", (json_int_t)now + 3600, "nonce",
                              login->nonce));
}

/* Makes a refresh token if the grant and the script ask for a refresh token and the grant
 * has not made one. */
static void
add_refresh(struct request *rq)
{
    const struct auth *auth = rq->auth;

    if (rq->refresh || !rq->wants_refresh || auth->refreshing == REFRESH_OFF)
        return;
    if (auth->refreshing == REFRESH_OFFLINE &&
        !auth_has_word(rq->login->scope, "offline_access"))
        return;
    rq->refresh = login_refresh(rq->auth, rq->login, NULL);
    if (rq->client->method == METHOD_NONE && rq->jkt)
        rq->login->jkt = strdup(rq->jkt);
}

static json_t *
make_answer(struct request *rq)
{
    struct auth *auth = rq->auth;
    const char *scope, *type = rq->jkt ? "DPoP" : "Bearer", *text;
    json_t *body = json_object();
    char *id_token;

    if (rq->assertion)
        return json_pack_ex(NULL, 0, "{s:s,s:s,s:s,s:i}", "access_token", rq->assertion,
                            "issued_token_type", URN "token-type:id-jag", "token_type",
                            "N_A", "expires_in", ID_JAG_S);
    scope = rq->scope ? rq->scope : rq->login->scope;
    add_refresh(rq);
    json_object_set_new(body, "access_token",
                        json_string(login_access(auth, rq->login, scope, rq->jkt)->text));
    if (fault_is(auth, rq->step, "lying", NULL, &text))
        type = *text ? text : "mac";
    json_object_set_new(body, "token_type", json_string(type));
    if (auth->claimed_s >= 0)
        json_object_set_new(body, "expires_in", json_integer(auth->claimed_s));
    if (rq->refresh)
        json_object_set_new(body, "refresh_token", json_string(rq->refresh->text));
    json_object_set_new(body, "scope", json_string(scope));
    if (auth_has_word(scope, "openid")) {
        id_token = make_id_token(rq);
        json_object_set_new(body, "id_token", json_string(id_token));
        free(id_token);
    }
    return body;
}

/* ---- the endpoint ------------------------------------------------------------------ */

/* Checks the client and its proof of possession, then calls the function of the grant
 * with this index.  Returns NULL or the OAuth error code. */
static const char *
give(struct request *rq, const struct exchange *ex, size_t grant)
{
    char *url = auth_format("%s/token", rq->as->issuer);
    const char *word;

    rq->client = client_check(rq->auth, rq->as, ex, rq->form, rq->step);
    if (!rq->client)
        word = "invalid_client";
    else if (grant == N_GRANTS || !auth_has_word(rq->auth->grants, grants[grant].word))
        word = "unsupported_grant_type";
    else if (form_has_twice(rq->form))
        word = "invalid_request";
    else
        word = dpop_check(rq->auth, ex, rq->step, url, NULL, &rq->jkt);
    free(url);
    return word ? word : grants[grant].grant(rq);
}

static void
answer(struct request *rq, struct exchange *ex, const char *word)
{
    struct reply reply = {0};

    if (!word) {
        reply_document(rq->auth, rq->step, 200, &reply, make_answer(rq));
    } else {
        bool is_client = strcmp(word, "invalid_client") == 0;

        reply_error(&reply, is_client ? 401 : 400, word, "the fake refuses");
        if (is_client)
            reply_header(&reply, "WWW-Authenticate: Basic realm=\"fake\"");
    }
    if (rq->auth->dpop == DPOP_NONCE)
        reply_header(&reply, "DPoP-Nonce: %s", dpop_nonce(rq->auth, rq->step, false));
    reply_send(rq->auth, ex, rq->step, &reply);
}

void
token_take(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
           size_t len)
{
    struct form form;
    struct request rq = {.auth = auth, .as = as, .form = &form, .step = STEP_TOKEN};
    const char *grant, *word;
    size_t i = 0;

    form_read(auth, body, len, &form);
    grant = form_get(&form, "grant_type");
    while (i < N_GRANTS && !auth_is_same(grant, grants[i].name))
        i++;
    if (auth_is_same(grant, "refresh_token"))
        rq.step = STEP_REFRESH;
    fault_count(auth, rq.step);
    if (fault_replaces(auth, ex, rq.step)) {
        form_done(&form);
        return;
    }
    word = give(&rq, ex, i);
    auth_trace(auth, "token", "%s %s", i < N_GRANTS ? grants[i].word : "?",
               word ? word : "ok");
    answer(&rq, ex, word);
    form_done(&form);
    free(rq.jkt);
    free(rq.assertion);
}

void
token_revoke(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
             size_t len)
{
    struct access *access = NULL;
    struct refresh *refresh = NULL;
    struct reply reply = {0};
    struct client *client;
    const char *token;
    struct form form;

    fault_count(auth, STEP_REVOKE);
    form_read(auth, body, len, &form);
    if (!fault_replaces(auth, ex, STEP_REVOKE)) {
        client = client_check(auth, as, ex, &form, STEP_REVOKE);
        token = form_get(&form, "token");
        if (client && token) {
            access = access_find(auth, token);
            refresh = refresh_find(auth, token);
        }
        if (access && access->login->client == client)
            access->dead = true;
        if (refresh && refresh->login->client == client)
            refresh->login->revoked = true;
        auth_trace(auth, "revoke", "%s",
                   access    ? "access"
                   : refresh ? "refresh"
                             : "unknown");
        reply_page(&reply, 200, "");
        if (!client)
            reply_error(&reply, 401, "invalid_client", NULL);
        reply_send(auth, ex, STEP_REVOKE, &reply);
    }
    form_done(&form);
}
