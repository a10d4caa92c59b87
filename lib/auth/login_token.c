/* SPDX-License-Identifier: MIT
 *
 * login_token.c - the requests of a login to the endpoints for tokens, device codes and
 * revocation, and the answers of the token endpoint.
 */
#include "auth/auth.h"
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

/* The pause, in seconds, before the host repeats a request after a fault of the server.
 * The server may ask for a longer pause.  The host does not repeat the request if the
 * server asks for a pause of more than RETRY_MAX_S. */
#define RETRY_S     1
#define RETRY_MAX_S 30

static const char form_type[] = "application/x-www-form-urlencoded";

static void on_token(struct mcph_login *login);

bool
mcph_login_is_alone(const struct mcph_login *login)
{
    return login->way->flow >= MCPHOST_FLOW_CLIENT_CREDENTIALS;
}

/* ---- the client's proof ------------------------------------------------------------ */

/* The client of one request, and its proof of identity.  The struct does not own the
 * texts of `client`. */
struct identity {
    struct mcph_oauth_client client;
    struct mcph_oauth_proof proof;
    struct mcph_buf assertion;
};

static void
identity_done(struct identity *identity)
{
    mcph_buf_wipe(&identity->assertion);
}

struct mcph_oauth_client
mcph_login_get_client(const struct mcph_login *login)
{
    char *const *texts = login->way->texts;

    if (texts[MCPH_WAY_CLIENT_ID])
        return (struct mcph_oauth_client){.id = texts[MCPH_WAY_CLIENT_ID],
                                          .secret = texts[MCPH_WAY_CLIENT_SECRET]};
    if (texts[MCPH_WAY_CLIENT_DOCUMENT] && login->issuer.takes_cimd)
        return (struct mcph_oauth_client){.id = texts[MCPH_WAY_CLIENT_DOCUMENT]};
    return login->client.id ? login->client : login->record.client;
}

static int
read_signer(struct mcph_login *login, mcphost_error **reterr)
{
    const char *pem = mcph_login_text(login, MCPH_WAY_CLIENT_KEY);

    if (!pem || login->signer)
        return 0;
    return mcph_keypair_read(pem, strlen(pem), "'auth.clientKeyFile'", &login->signer,
                             reterr);
}

static int
make_identity(struct mcph_login *login, struct identity *ret, mcphost_error **reterr)
{
    struct mcph_assertion assertion = {.issuer = login->issuer.issuer,
                                       .now_s = mcph_clock_realtime_ms() / 1000};
    int method = 0, r = read_signer(login, reterr);

    *ret = (struct identity){.client = mcph_login_get_client(login)};
    mcph_buf_init(&ret->assertion, MCPH_JWT_MAX);
    if (r == 0)
        r = mcph_oauth_choose_method(&login->issuer, &ret->client, login->signer, &method,
                                     reterr);
    assertion.client = ret->client.id;
    if (r == 0 && method == MCPH_OAUTH_METHOD_KEY) {
        r = mcph_assertion_make(login->signer, &assertion, &ret->assertion, reterr);
        if (r == 0 && !mcph_buf_text(&ret->assertion))
            r = mcph_err_nomem(reterr);
        /* Mask the assertion, because it lets any program act as the client until it
         * expires. */
        if (r == 0)
            mcph_login_hide(login, ret->assertion.data);
    }
    ret->proof = (struct mcph_oauth_proof){.method = method,
                                           .client_id = ret->client.id,
                                           .secret = ret->client.secret,
                                           .assertion = ret->assertion.data};
    return r;
}

/* ---- DPoP -------------------------------------------------------------------------- */

static bool
wants_dpop(const struct mcph_login *login)
{
    return login->cause.wants_dpop || login->resource.wants_dpop ||
           (login->grant == MCPH_OAUTH_GRANT_REFRESH && login->record.dpop_key);
}

/* Sets login->dpop, the key that signs the DPoP proofs, if the request needs DPoP.  A
 * refresh uses the stored key of the login, because the refresh token is bound to this
 * key. */
static int
find_dpop_key(struct mcph_login *login, mcphost_error **reterr)
{
    const char *pem = login->record.dpop_key;

    if (login->dpop || !wants_dpop(login))
        return 0;
    if (pem && login->grant == MCPH_OAUTH_GRANT_REFRESH)
        return mcph_keypair_read(pem, strlen(pem), "the stored key", &login->dpop,
                                 reterr);
    return mcph_keypair_new(&login->dpop, reterr);
}

static int
make_proof(struct mcph_login *login, const char *url, struct mcph_buf *proof,
           mcphost_error **reterr)
{
    /* Use the last nonce of this server.  It stays valid after an answer without a nonce,
     * for example the answer of an overloaded server. */
    bool is_of_server =
        login->fetch.nonce_url && mcph_net_url_same_origin(login->fetch.nonce_url, url);
    struct mcph_dpop dpop = {.method = "POST",
                             .url = url,
                             .nonce = is_of_server ? login->fetch.nonce : NULL,
                             .now_s = mcph_clock_realtime_ms() / 1000};
    int r;

    if (!login->dpop)
        return 0;
    r = mcph_dpop_make(login->dpop, &dpop, proof, reterr);
    if (r == 0 && !mcph_buf_text(proof))
        r = mcph_err_nomem(reterr);
    return r;
}

/* ---- sending ----------------------------------------------------------------------- */

/* Sends a request to a token endpoint, and runs `next` with the answer. */
static void
send_form(struct mcph_login *login, const char *url,
          const struct mcph_oauth_request *request, const struct mcph_oauth_proof *proof,
          mcph_login_step next)
{
    struct mcph_buf body, header, dpop;
    mcphost_error *error = NULL;
    int r;

    mcph_buf_init(&body, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&header, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&dpop, MCPH_JWT_MAX);
    r = mcph_oauth_request_add(request, proof, &body, &header, &error);
    if (r == 0)
        r = make_proof(login, url, &dpop, &error);
    if (r == 0 && header.len && !mcph_buf_text(&header))
        r = mcph_err_nomem(&error);
    if (r == 0) {
        struct mcph_login_request fetch = {.step = mcph_oauth_token_step(request->grant),
                                           .url = url,
                                           .body = &body,
                                           .type = form_type,
                                           .authorization = header.data,
                                           .dpop = dpop.data};

        mcph_login_fetch(login, &fetch, next);
    } else {
        mcph_login_fail(login, error);
    }
    mcph_buf_wipe(&body);
    mcph_buf_wipe(&header);
    mcph_buf_wipe(&dpop);
}

/* Fills in the members of the request that login->grant needs. */
static void
fill_request(struct mcph_login *login, struct mcph_oauth_request *request)
{
    request->grant = login->grant;
    request->resource = login->resource.resource;
    request->audience = mcph_login_text(login, MCPH_WAY_AUDIENCE);
    switch (login->grant) {
    case MCPH_OAUTH_GRANT_CODE:
        request->code = login->code;
        request->redirect_uri = login->redirect_uri;
        request->verifier = login->pkce.verifier;
        break;
    case MCPH_OAUTH_GRANT_REFRESH:
        request->refresh_token = login->record.refresh;
        break;
    case MCPH_OAUTH_GRANT_DEVICE:
        request->device_code = login->device.device_code;
        break;
    case MCPH_OAUTH_GRANT_JWT:
        request->assertion =
            login->jag ? login->jag : mcph_login_text(login, MCPH_WAY_ASSERTION);
        request->scope = login->scope;
        break;
    default:
        request->scope = login->scope;
        break;
    }
}

static void
send_request(struct mcph_login *login)
{
    struct mcph_oauth_request request = {0};
    struct identity identity = {0};
    mcphost_error *error = NULL;
    int r = find_dpop_key(login, &error);

    if (r == 0)
        r = make_identity(login, &identity, &error);
    if (r == 0) {
        fill_request(login, &request);
        send_form(login, login->issuer.token, &request, &identity.proof, on_token);
    } else {
        mcph_login_fail(login, error);
    }
    identity_done(&identity);
}

/* Makes a form with `fill`, and sends the form to an endpoint that takes the client's
 * proof, but no DPoP proof. */
static void
send_plain(struct mcph_login *login, struct mcph_login_request *request,
           int (*fill)(const struct mcph_login *, const struct mcph_oauth_proof *,
                       struct mcph_buf *, struct mcph_buf *, mcphost_error **),
           mcph_login_step next)
{
    struct identity identity = {0};
    struct mcph_buf body, header;
    mcphost_error *error = NULL;
    int r = make_identity(login, &identity, &error);

    mcph_buf_init(&body, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&header, MCPH_OAUTH_FORM_MAX);
    if (r == 0)
        r = fill(login, &identity.proof, &body, &header, &error);
    if (r == 0 && header.len && !mcph_buf_text(&header))
        r = mcph_err_nomem(&error);
    request->type = form_type;
    request->body = &body;
    request->authorization = header.data;
    if (r == 0)
        mcph_login_fetch(login, request, next);
    else
        mcph_login_fail(login, error);
    mcph_buf_wipe(&body);
    mcph_buf_wipe(&header);
    identity_done(&identity);
}

static int
fill_device(const struct mcph_login *login, const struct mcph_oauth_proof *proof,
            struct mcph_buf *body, struct mcph_buf *header, mcphost_error **reterr)
{
    return mcph_oauth_device_add(login->scope, login->resource.resource, proof, body,
                                 header, reterr);
}

void
mcph_login_request_device(struct mcph_login *login, mcph_login_step next)
{
    struct mcph_login_request request = {.step = "device authorization",
                                         .url = login->issuer.device};

    send_plain(login, &request, fill_device, next);
}

static int
fill_revocation(const struct mcph_login *login, const struct mcph_oauth_proof *proof,
                struct mcph_buf *body, struct mcph_buf *header, mcphost_error **reterr)
{
    const struct mcph_login_record *record = &login->record;
    bool is_refresh = record->refresh != NULL;

    return mcph_oauth_revocation_add(is_refresh ? record->refresh : record->access,
                                     is_refresh, proof, body, header, reterr);
}

void
mcph_login_request_revocation(struct mcph_login *login, mcph_login_step next)
{
    struct mcph_login_request request = {.step = "token revocation",
                                         .url = login->issuer.revocation};

    send_plain(login, &request, fill_revocation, next);
}

/* ---- the identity provider --------------------------------------------------------- */

static void
on_exchanged(struct mcph_login *login)
{
    struct mcph_oauth_token token = {0};
    struct mcph_oauth_refusal refusal = {0};
    mcphost_error *error = NULL;
    int r = mcph_login_fetch_check(login, &error);

    if (r == 0)
        r = mcph_oauth_token_read(MCPH_OAUTH_GRANT_EXCHANGE, login->fetch.url,
                                  login->fetch.status, login->fetch.body.data,
                                  login->fetch.body.len, login->means.mask, &token,
                                  &refusal, &error);
    if (r < 0) {
        mcph_login_fail(login, error);
        return;
    }
    mcph_login_hide(login, token.access);
    login->jag = token.access;
    token.access = NULL;
    mcph_oauth_token_done(&token);
    login->grant = MCPH_OAUTH_GRANT_JWT;
    send_request(login);
}

/* Exchanges the identity token for an assertion that the issuer accepts. */
static void
exchange(struct mcph_login *login)
{
    char *const *texts = login->way->texts;
    struct mcph_oauth_request request = {.grant = MCPH_OAUTH_GRANT_EXCHANGE,
                                         .subject_token = texts[MCPH_WAY_ASSERTION],
                                         .subject_type = MCPH_OAUTH_TYPE_ID_TOKEN,
                                         .requested_type = MCPH_OAUTH_TYPE_ID_JAG,
                                         .resource = login->resource.resource,
                                         .audience = login->issuer.issuer,
                                         .scope = login->scope};
    struct mcph_oauth_proof proof = {.method = texts[MCPH_WAY_IDP_CLIENT_SECRET]
                                                   ? MCPH_OAUTH_METHOD_BASIC
                                                   : MCPH_OAUTH_METHOD_NONE,
                                     .client_id = texts[MCPH_WAY_IDP_CLIENT_ID],
                                     .secret = texts[MCPH_WAY_IDP_CLIENT_SECRET]};

    send_form(login, texts[MCPH_WAY_IDP_URL], &request, &proof, on_exchanged);
}

void
mcph_login_redeem(struct mcph_login *login)
{
    login->has_repeated = login->has_retried = false;
    if (login->grant == MCPH_OAUTH_GRANT_EXCHANGE)
        exchange(login);
    else
        send_request(login);
}

/* ---- answers ----------------------------------------------------------------------- */

static int
keep_dpop_key(struct mcph_login *login, struct mcph_login_record *made,
              mcphost_error **reterr)
{
    struct mcph_buf pem;
    int r;

    mcph_buf_init_sized(&pem, MCPH_KEYPAIR_PEM_MAX, 4096);
    r = mcph_keypair_write(login->dpop, &pem, reterr);
    if (r == 0) {
        made->dpop_key = mcph_strndup(pem.data, pem.len);
        r = made->dpop_key ? 0 : mcph_err_nomem(reterr);
    }
    mcph_buf_wipe(&pem);
    return r;
}

/* Returns the scopes of the token.  The server may leave out the scopes in its answer if
 * they are the requested scopes (RFC 6749, section 5.1). */
static const char *
find_scope(struct mcph_login *login, const struct mcph_oauth_token *token)
{
    if (token->scope)
        return token->scope;
    if (login->grant == MCPH_OAUTH_GRANT_REFRESH)
        return login->record.scope;
    return login->scope;
}

/* Makes the record of a token.  Takes over the access token and the refresh token. */
static int
make_record(struct mcph_login *login, struct mcph_oauth_token *token,
            mcphost_error **reterr)
{
    struct mcph_login_record *made = &login->made;
    struct mcph_oauth_client client = mcph_login_get_client(login);
    const char *scope = find_scope(login, token);
    bool is_copied,
        is_registered = !mcph_login_text(login, MCPH_WAY_CLIENT_ID) &&
                        client.id != mcph_login_text(login, MCPH_WAY_CLIENT_DOCUMENT);
    int r = 0;

    mcph_login_record_done(made);
    made->access = token->access;
    made->refresh = token->refresh;
    token->access = token->refresh = NULL;
    is_copied = mcph_str_copy(scope, &made->scope);
    if (!made->refresh && login->grant == MCPH_OAUTH_GRANT_REFRESH)
        is_copied &= mcph_str_copy(login->record.refresh, &made->refresh);
    /* Some servers say 0 for a token that does not expire. */
    if (token->expires_s > 0)
        made->expires_at = mcph_clock_realtime_ms() / 1000 + token->expires_s;
    if (is_registered) {
        is_copied &= mcph_oauth_client_copy(&client, &made->client);
        made->client.is_doubted = false;
    }
    if (!is_copied)
        r = mcph_err_nomem(reterr);
    else if (token->is_dpop)
        r = keep_dpop_key(login, made, reterr);
    return r;
}

static int
check_token(const struct mcph_login *login, const struct mcph_oauth_token *token,
            mcphost_error **reterr)
{
    if (token->is_dpop && !login->dpop)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, login->fetch.step,
                               login->fetch.url, NULL,
                               "the token is for DPoP, which was not requested");
    if (!token->is_dpop && login->dpop)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, login->fetch.step,
                               login->fetch.url, NULL,
                               "the token is not bound to the key of the proof");
    return mcph_login_check_audience(login, token->access, reterr);
}

static void
take_token(struct mcph_login *login, struct mcph_oauth_token *token)
{
    mcphost_error *error = NULL;
    int r = check_token(login, token, &error);

    mcph_login_hide(login, token->access);
    mcph_login_hide(login, token->refresh);
    if (r == 0)
        r = make_record(login, token, &error);
    mcph_oauth_token_done(token);
    if (r < 0)
        mcph_login_fail(login, error);
    else
        mcph_login_write(login);
}

/* Returns true if the request has no answer, but the next request may have an answer.
 * After any other failure, for example an answer that is too long, the next answer is the
 * same. */
static bool
is_lost(const struct mcph_login *login)
{
    int code = login->fetch.error ? mcphost_error_get_code(login->fetch.error) : 0;

    return code == MCPHOST_E_TIMEOUT || code == MCPHOST_E_TRANSPORT;
}

/* Repeats the request once if the server asks for a nonce, and once if the server is
 * overloaded or has a fault, or if the answer to a refresh is lost.  Repeats at once
 * for a nonce.  In the other cases, waits first (with a device code, at least its
 * interval), and does not repeat the request if the server wants a pause of more than
 * RETRY_MAX_S or if the device code expires before the pause ends.  Returns true if the
 * request is repeated. */
static bool
repeat(struct mcph_login *login, int why)
{
    int64_t pause_s = RETRY_S;

    if (login->grant == MCPH_OAUTH_GRANT_DEVICE)
        pause_s = login->interval_s;
    if (login->fetch.retry_s > pause_s)
        pause_s = login->fetch.retry_s;
    if (why == MCPH_OAUTH_WHY_NONCE && login->fetch.nonce && !login->has_repeated) {
        login->has_repeated = true;
        send_request(login);
        return true;
    }
    if ((why == MCPH_OAUTH_WHY_LATER ||
         (is_lost(login) && login->grant == MCPH_OAUTH_GRANT_REFRESH)) &&
        !login->has_retried && login->fetch.retry_s <= RETRY_MAX_S) {
        if (login->grant == MCPH_OAUTH_GRANT_DEVICE &&
            mcph_core_now(login->means.core) + pause_s * 1000 >= login->deadline)
            return false; /* the device code expires before the pause ends */
        login->has_retried = true;
        mcph_login_wait(login, pause_s * 1000, send_request);
        return true;
    }
    return false;
}

static void
on_refused(struct mcph_login *login, int why, mcphost_error *error)
{
    bool is_refresh = login->grant == MCPH_OAUTH_GRANT_REFRESH;

    if (is_refresh && (why == MCPH_OAUTH_WHY_GRANT || why == MCPH_OAUTH_WHY_CLIENT)) {
        mcph_login_say(login, MCPHOST_LOG_INFO, error);
        mcph_login_record_done(&login->made);
        login->made.reason = mcph_strdup(mcphost_error_get_message(error));
        mcphost_error_unref(error);
        /* Continue if the copy fails: the next login then registers a new client. */
        if (why == MCPH_OAUTH_WHY_GRANT &&
            !mcph_oauth_client_copy(&login->record.client, &login->made.client))
            mcph_oauth_client_done(&login->made.client);
        mcph_login_forget(login);
        return;
    }
    if (!mcph_login_ask_again(login, why, error))
        mcph_login_fail(login, error);
}

static void
on_token(struct mcph_login *login)
{
    struct mcph_oauth_token token = {0};
    struct mcph_oauth_refusal refusal = {0};
    mcphost_error *error = NULL;
    int r = mcph_login_fetch_check(login, &error);

    if (r == 0)
        r = mcph_oauth_token_read(login->grant, login->fetch.url, login->fetch.status,
                                  login->fetch.body.data, login->fetch.body.len,
                                  login->means.mask, &token, &refusal, &error);
    if (is_lost(login))
        refusal.why = MCPH_OAUTH_WHY_LOST;
    if (r == 0) {
        take_token(login, &token);
    } else if (login->grant == MCPH_OAUTH_GRANT_DEVICE &&
               (refusal.why == MCPH_OAUTH_WHY_PENDING ||
                refusal.why == MCPH_OAUTH_WHY_SLOW_DOWN ||
                refusal.why == MCPH_OAUTH_WHY_LOST)) {
        mcphost_error_unref(error);
        mcph_login_poll_device(login, &refusal);
    } else if (repeat(login, refusal.why)) {
        mcphost_error_unref(error);
    } else {
        on_refused(login, refusal.why, error);
    }
}
