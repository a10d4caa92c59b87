/* SPDX-License-Identifier: MIT
 *
 * login_ask.c - the question to the user: log in at this page.
 *
 *   claim -> read again -> door -> client -> question -> code -> redeem
 *                     `--> client -> device code -> question -> poll
 *
 * The door (lib/door) is the listener for redirects of the browser.
 *
 * For one issuer, only one process at a time asks the user: the process that holds a
 * claim on `question_key`.  The claims of a file store keep processes apart.  The claims
 * of any other store keep only the logins of one host apart.  A process that waited for
 * the claim reads the store again, because the user may have logged in for the other
 * process during the wait.
 */
#include "auth/auth.h"
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

#define PATH        "/callback"
#define CLIENT_NAME "libmcphost"
#define ASK_MAX_MS  ((int64_t)24 * 3600 * 1000)
/* A login waits as long as this number of questions of other logins can take, but at most
 * ASK_MAX_MS. */
#define TURNS 8

/* ---- the end of a question --------------------------------------------------------- */

void
mcph_login_close_question(struct mcph_login *login, const char *why)
{
    if (!login->is_open)
        return;
    login->is_open = false;
    login->events->over(why, login->arg);
}

static void
fail_asking(struct mcph_login *login, int code, const char *next, const char *why)
{
    mcphost_error *error = NULL;

    mcph_oauth_fail(&error, code, "login", login->issuer.issuer, next, "%s", why);
    mcph_login_fail(login, error);
}

static void
on_late(struct mcph_login *login)
{
    fail_asking(login, MCPHOST_E_AUTH, "log in again", "nobody answered in time");
}

void
mcph_login_decline(struct mcph_login *login, const char *why)
{
    login->is_open = false;
    fail_asking(login, MCPHOST_E_AUTH, NULL, why);
}

/* ---- the code ---------------------------------------------------------------------- */

static void
redeem_code(struct mcph_login *login)
{
    login->grant = MCPH_OAUTH_GRANT_CODE;
    mcph_login_redeem(login);
}

/* Handles the result of reading a redirect or a pasted text: the authorization code if
 * `r` is 0, else the error.  Takes over `code` and `error`.  Returns the verdict that the
 * door needs about the redirect. */
static enum mcph_door_verdict
take_redirect(struct mcph_login *login, int r, int why, char *code, mcphost_error *error)
{
    if (r == MCPHOST_E_DENIED) {
        mcph_login_say(login, MCPHOST_LOG_INFO, error);
        mcphost_error_unref(error);
        return MCPH_DOOR_REFUSED;
    }
    login->is_taken = true;
    login->taken_at = mcph_core_now(login->means.core);
    mcph_timer_cancel(&login->timer);
    if (r < 0) {
        if (!mcph_login_ask_again(login, why, error))
            mcph_login_fail(login, error);
        return MCPH_DOOR_FAILED;
    }
    mcph_login_hide(login, code);
    login->code = code;
    mcph_login_close_question(login, MCPH_LOGIN_ANSWERED);
    mcph_login_continue(login, redeem_code);
    return MCPH_DOOR_DONE;
}

static enum mcph_door_verdict
on_redirect(struct mcph_door *door, const char *query, void *arg)
{
    struct mcph_login *login = arg;
    mcphost_error *error = NULL;
    char *code = NULL;
    int why = MCPH_OAUTH_WHY_NONE, r;

    (void)door;
    if (!login->is_open || login->is_taken)
        return MCPH_DOOR_REFUSED;
    r = mcph_oauth_redirect_read(&login->question.awaited, query, strlen(query),
                                 login->means.mask, &code, &why, &error);
    return take_redirect(login, r, why, code, error);
}

static void
on_answered(struct mcph_door *door, void *arg)
{
    struct mcph_login *login = arg;

    (void)door;
    login->is_answered = true;
}

static const struct mcph_door_events door_events = {.request = on_redirect,
                                                    .answered = on_answered};

void
mcph_login_paste(struct mcph_login *login, const char *text, size_t len)
{
    mcphost_error *error = NULL;
    char *code = NULL;
    int why = MCPH_OAUTH_WHY_NONE, r;

    if (!login->is_open || !login->question.awaited.state)
        return;
    r = mcph_oauth_pasted_read(&login->question.awaited, text, len, login->means.mask,
                               &code, &why, &error);
    login->is_answered = true; /* no browser waits at the door */
    /* End the question.  The application may already have closed the dialog with the
     * user, so that no other answer can come. */
    if (take_redirect(login, r, why, code, error) == MCPH_DOOR_REFUSED)
        fail_asking(login, MCPHOST_E_AUTH, "log in again",
                    "the pasted text does not belong to this login");
}

/* ---- the question ------------------------------------------------------------------ */

static void
add_text(struct mcph_buf *buf, const char *name, const char *text)
{
    if (text && *text)
        mcph_json_add_member(buf, name, text);
}

static void
add_masked(const struct mcph_login *login, struct mcph_buf *buf, const char *name,
           const char *text)
{
    char *shown = text ? mcph_mask_copy(login->means.mask, text) : NULL;

    add_text(buf, name, shown);
    if (text && !shown)
        buf->err = MCPHOST_E_NOMEM;
    free(shown);
}

/* Makes the params of the question.  In a browser flow, they do not contain the URL of
 * the question, because the state in this URL is secret, and programs may log the params.
 * In a device flow, the URL has no state, and the params contain the URL.  The issuer,
 * the resource, the scopes and the reason may repeat a secret, and are masked. */
static char *
make_params(struct mcph_login *login, int64_t ms)
{
    const struct mcph_oauth_device *device = &login->device;
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 8 * MCPH_OAUTH_URL_MAX + 2 * MCPH_SCOPES_MAX);
    mcph_buf_addc(&buf, '{');
    add_text(&buf, "flow", device->device_code ? "device" : "browser");
    add_masked(login, &buf, "issuer", login->issuer.issuer);
    add_masked(login, &buf, "resource", login->resource.resource);
    add_text(&buf, "account", login->key.account);
    add_masked(login, &buf, "scope", login->scope);
    add_text(&buf, "redirectUri", login->redirect_uri);
    add_text(&buf, "userCode", device->user_code);
    add_text(&buf, "verificationUri", device->uri);
    add_text(&buf, "verificationUriComplete", device->uri_complete);
    add_masked(login, &buf, "reason", login->record.reason);
    mcph_json_add_key(&buf, "expiresInMs");
    mcph_buf_addi(&buf, ms);
    mcph_buf_addc(&buf, '}');
    text = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return text;
}

/* Makes the message of the question.  In a browser flow, the message names the origin of
 * the page if the page is not at the issuer, because the user types a password on the
 * page. */
static char *
make_message(const struct mcph_login *login)
{
    char *host = mcph_net_url_origin(login->issuer.issuer);
    char *page = mcph_net_url_origin(login->question.url);
    const char *account = login->key.account, *shown = host ? host : "";
    bool elsewhere = page && strcmp(page, shown) != 0;
    char *text;

    if (login->device.device_code)
        text = mcph_asprintf("log in at %s%s%s: open %s and enter the code %s", shown,
                             *account ? " as " : "", account, login->device.uri,
                             login->device.user_code);
    else
        text = mcph_asprintf("log in at %s%s%s: open the page%s%s in a browser", shown,
                             *account ? " as " : "", account, elsewhere ? " at " : "",
                             elsewhere ? page : "");
    free(page);
    free(host);
    return text;
}

/* Opens the question for at most `ms`, which is at most ASK_MAX_MS, and not longer than
 * the limit of the login's means.  Runs `on_end` at the end of this time.  Takes over
 * `url`. */
static void
open_question(struct mcph_login *login, char *url, int64_t ms, mcph_login_step on_end)
{
    if (login->means.ask_ms >= 0 && login->means.ask_ms < ms)
        ms = login->means.ask_ms;
    login->question.url = url;
    login->question.message = make_message(login);
    login->question.params = make_params(login, ms);
    if (!url || !login->question.message || !login->question.params ||
        login->is_unmasked) {
        mcph_login_fail(login, NULL);
        return;
    }
    if (login->events->ask(&login->question, login->arg) < 0) {
        mcph_login_fail(login, NULL);
        return;
    }
    login->is_open = true;
    login->deadline = mcph_core_now(login->means.core) + ms;
    mcph_login_wait(login, ms, on_end);
}

/* ---- the browser ------------------------------------------------------------------- */

static void
ask_for_code(struct mcph_login *login)
{
    struct mcph_oauth_authorization authorization = {
        .client_id = mcph_login_get_client(login).id,
        .redirect_uri = login->redirect_uri,
        .challenge = login->pkce.challenge,
        .state = login->state,
        .resource = login->resource.resource,
        .scope = login->scope,
        .audience = mcph_login_text(login, MCPH_WAY_AUDIENCE)};
    mcphost_error *error = NULL;
    char *url = NULL;

    login->question.awaited =
        (struct mcph_oauth_awaited){.state = login->state,
                                    .issuer = login->issuer.issuer,
                                    .redirect_uri = login->redirect_uri,
                                    .sends_iss = login->issuer.sends_iss,
                                    .has_s256 = login->issuer.has_s256};
    if (mcph_oauth_authorize_url(&login->issuer, &authorization, &url, &error) < 0)
        mcph_login_fail(login, error);
    else
        open_question(login, url, ASK_MAX_MS, on_late);
}

/* Fails because the server has no metadata, and the registration at its default endpoint
 * has failed, too.  Takes over `why`. */
static void
fail_unsupported(struct mcph_login *login, mcphost_error *why)
{
    mcphost_error *error = NULL;

    mcph_oauth_fail(&error, MCPHOST_E_UNSUPPORTED, "login", login->url,
                    "if it wants a fixed credential, configure a header with it",
                    "the server names no authorization server (%s)",
                    mcphost_error_get_message(why));
    mcphost_error_unref(why);
    mcph_login_fail(login, error);
}

/* Makes the metadata of the client that this login needs. */
static struct mcph_oauth_registration
make_registration(const struct mcph_login *login, const char *uris[2])
{
    const char *name = mcph_login_text(login, MCPH_WAY_CLIENT_NAME);
    unsigned offered = login->issuer.lists_methods ? login->issuer.methods : 0;
    int method = MCPH_OAUTH_METHOD_NONE;

    uris[0] = login->redirect_uri;
    uris[1] = NULL;
    if (offered && !(offered & MCPH_OAUTH_METHOD_NONE))
        method = offered & MCPH_OAUTH_METHOD_BASIC ? MCPH_OAUTH_METHOD_BASIC
                                                   : MCPH_OAUTH_METHOD_POST;
    return (struct mcph_oauth_registration){
        .name = name ? name : CLIENT_NAME,
        .redirect_uris = uris,
        .grants = MCPH_OAUTH_GRANT_REFRESH |
                  (login->redirect_uri ? MCPH_OAUTH_GRANT_CODE : MCPH_OAUTH_GRANT_DEVICE),
        .scope = login->scope,
        .method = method};
}

static void
on_registered(struct mcph_login *login)
{
    struct mcph_oauth_registration registration;
    const char *uris[2];
    mcphost_error *error = NULL;
    int r = mcph_login_fetch_check(login, &error);

    if (r == 0)
        r = mcph_oauth_registration_read(login->fetch.url, login->fetch.status,
                                         login->fetch.body.data, login->fetch.body.len,
                                         login->means.mask, &login->client, &error);
    if (r < 0) {
        if (login->is_guessed && (r == MCPHOST_E_AUTH || r == MCPHOST_E_PROTOCOL))
            fail_unsupported(login, error);
        else
            mcph_login_fail(login, error);
        return;
    }
    mcph_login_hide(login, login->client.secret);
    registration = make_registration(login, uris);
    if (mcph_oauth_client_note(&login->client, &registration))
        login->after_client(login);
    else
        mcph_login_fail(login, NULL);
}

static void
register_client(struct mcph_login *login)
{
    const char *uris[2];
    struct mcph_oauth_registration registration = make_registration(login, uris);
    struct mcph_login_request request = {.step = "client registration",
                                         .url = login->issuer.registration,
                                         .type = "application/json"};
    mcphost_error *error = NULL;
    struct mcph_buf body;

    mcph_buf_init(&body, MCPH_OAUTH_FORM_MAX);
    request.body = &body;
    if (mcph_oauth_registration_add(&registration, &body, &error) < 0)
        mcph_login_fail(login, error);
    else
        mcph_login_fetch(login, &request, on_registered);
    mcph_buf_done(&body);
}

/* Uses the record's client, which was registered for an earlier login. */
static void
reuse_client(struct mcph_login *login)
{
    if (!mcph_oauth_client_copy(&login->record.client, &login->client)) {
        mcph_login_fail(login, NULL);
        return;
    }
    login->is_reused = true;
    mcph_login_doubt(login);
}

/* Chooses the client, and registers a client if necessary.  Then runs `next`. */
static void
choose_client(struct mcph_login *login, mcph_login_step next)
{
    const char *uris[2];
    const struct mcph_oauth_registration wanted = make_registration(login, uris);
    bool covers = mcph_oauth_client_covers(&login->record.client, &wanted,
                                           mcph_clock_realtime_ms() / 1000);
    const struct mcph_oauth_identities have = {
        .configured = mcph_login_text(login, MCPH_WAY_CLIENT_ID),
        .configured_issuer = mcph_login_text(login, MCPH_WAY_ISSUER),
        .document = mcph_login_text(login, MCPH_WAY_CLIENT_DOCUMENT),
        .stored_issuer = covers ? login->issuer.issuer : NULL};
    mcphost_error *error = NULL;
    int chosen = 0;

    if (mcph_oauth_client_choose(&login->issuer, &have, &chosen, &error) < 0) {
        mcph_login_fail(login, error);
        return;
    }
    login->after_client = next;
    if (chosen == MCPH_OAUTH_CLIENT_REGISTER)
        register_client(login);
    else if (chosen == MCPH_OAUTH_CLIENT_STORED)
        reuse_client(login);
    else
        next(login);
}

static void
ask_by_browser(struct mcph_login *login)
{
    const struct mcph_door_spec spec = {
        .path = PATH,
        /* Try the port with which the client was registered, because some issuers compare
         * the port, although RFC 8252 forbids this. */
        .port = mcph_oauth_client_port(&login->record.client),
        .done = "You are logged in. You may close this page.",
        .failed = "The login has failed. The program that asked for it has the reason.",
        .events = &door_events,
        .arg = login};
    mcphost_error *error = NULL;

    if (mcph_pkce_make(&login->pkce, &error) < 0 ||
        mcph_token_make(login->state, &error) < 0 ||
        mcph_door_open(login->means.core, &spec, &login->door, &error) < 0) {
        mcph_login_fail(login, error);
        return;
    }
    mcph_login_hide(login, login->pkce.verifier);
    mcph_login_hide(login, login->state);
    login->redirect_uri = mcph_strdup(mcph_door_get_url(login->door));
    if (!login->redirect_uri)
        mcph_login_fail(login, NULL);
    else
        choose_client(login, ask_for_code);
}

/* ---- the device code --------------------------------------------------------------- */

static void
redeem_device(struct mcph_login *login)
{
    if (mcph_core_now(login->means.core) >= login->deadline) {
        on_late(login);
        return;
    }
    login->grant = MCPH_OAUTH_GRANT_DEVICE;
    mcph_login_redeem(login);
}

/* Waits for the interval, but not longer than the question stays open. */
static void
wait_interval(struct mcph_login *login)
{
    int64_t left = login->deadline - mcph_core_now(login->means.core);
    int64_t ms = login->interval_s * 1000;

    mcph_login_wait(login, ms < left ? ms : left > 0 ? left : 0, redeem_device);
}

void
mcph_login_poll_device(struct mcph_login *login, const struct mcph_oauth_refusal *refusal)
{
    login->interval_s = mcph_oauth_device_next(login->interval_s, refusal);
    wait_interval(login);
}

static void
on_device(struct mcph_login *login)
{
    struct mcph_oauth_device *device = &login->device;
    mcphost_error *error = NULL;
    int64_t expires_ms;
    int r = mcph_login_fetch_check(login, &error);

    if (r == 0)
        r = mcph_oauth_device_read(&login->server, login->fetch.url, login->fetch.status,
                                   login->fetch.body.data, login->fetch.body.len,
                                   login->means.mask, device, &error);
    if (r < 0) {
        /* If the issuer refuses the device request, assume that it refuses the client. */
        if (r != MCPHOST_E_AUTH ||
            !mcph_login_ask_again(login, MCPH_OAUTH_WHY_CLIENT, error))
            mcph_login_fail(login, error);
        return;
    }
    mcph_login_hide(login, device->device_code);
    login->interval_s = device->interval_s;
    expires_ms = device->expires_s * 1000;
    open_question(login,
                  mcph_strdup(device->uri_complete ? device->uri_complete : device->uri),
                  expires_ms, redeem_device);
    if (login->is_open)
        wait_interval(login);
}

static void
request_device(struct mcph_login *login)
{
    mcph_login_request_device(login, on_device);
}

/* ---- beginning --------------------------------------------------------------------- */

static int
select_scopes(struct mcph_login *login, mcphost_error **reterr)
{
    struct mcph_oauth_scoping scoping = {.challenged = login->cause.scope,
                                         .configured =
                                             mcph_login_text(login, MCPH_WAY_SCOPES),
                                         .supported = login->resource.scopes,
                                         .held = login->cause.held,
                                         .issuer = login->issuer.scopes,
                                         .wants_refresh = !mcph_login_is_alone(login)};

    free(login->scope);
    return mcph_login_join_scopes(&scoping, &login->scope, reterr);
}

static void
begin_question(struct mcph_login *login)
{
    bool by_device =
        login->way->flow == MCPHOST_FLOW_DEVICE ||
        (login->way->flow == MCPHOST_FLOW_AUTO && login->issuer.device &&
         mcph_oauth_issuer_check_code(&login->server, &login->issuer, NULL) < 0);

    if (!by_device)
        ask_by_browser(login);
    else if (login->issuer.device)
        choose_client(login, request_device);
    else
        fail_asking(login, MCPHOST_E_CONFIG, "log in with a browser",
                    "the authorization server does not support device codes");
}

/* Asks the user again.  If the browser has not got the page about the first question yet,
 * mcph_login_lingers() runs this function again later. */
static void
begin_again(struct mcph_login *login)
{
    if (mcph_login_lingers(login, begin_again))
        return;
    mcph_login_reset_question(login);
    begin_question(login);
}

bool
mcph_login_ask_again(struct mcph_login *login, int why, mcphost_error *error)
{
    mcphost_error *shown;

    if (why != MCPH_OAUTH_WHY_CLIENT || !login->is_reused)
        return false;
    login->is_reused = false;
    mcph_login_say(login, MCPHOST_LOG_INFO, error);
    shown = mcph_err_masked(error, login->means.mask);
    mcph_login_close_question(login, mcphost_error_get_message(shown));
    mcphost_error_unref(shown);
    mcphost_error_unref(error);
    mcph_timer_cancel(&login->timer);
    mcph_login_continue(login, begin_again);
    return true;
}

/* Continues the login after the record was read again under the claim.  If another
 * process has changed the record since mcph_login_ask() and the record has a token,
 * releases the claim and decides by the record.  Otherwise asks the user. */
static void
ask_under_claim(struct mcph_login *login)
{
    if (strcmp(login->version, login->asked_at) == 0 || !login->record.access) {
        begin_question(login);
        return;
    }
    mcph_login_release(login);
    mcph_login_decide(login);
}

static void
read_for_question(struct mcph_login *login)
{
    mcph_login_read(login, ask_under_claim);
}

/* Returns how long other questions at this issuer may delay the question of `login`. */
static int64_t
get_claim_ms(const struct mcph_login *login)
{
    int64_t ms = login->means.ask_ms;

    return ms >= 0 && ms < ASK_MAX_MS / TURNS ? ms * TURNS : ASK_MAX_MS;
}

void
mcph_login_ask(struct mcph_login *login)
{
    static const int grants[] = {
        [MCPHOST_FLOW_CLIENT_CREDENTIALS] = MCPH_OAUTH_GRANT_CLIENT,
        [MCPHOST_FLOW_JWT_BEARER] = MCPH_OAUTH_GRANT_JWT,
        [MCPHOST_FLOW_TOKEN_EXCHANGE] = MCPH_OAUTH_GRANT_EXCHANGE};
    mcphost_error *error = NULL;

    if (select_scopes(login, &error) < 0 ||
        mcph_login_check_assertion(login, &error) < 0) {
        mcph_login_fail(login, error);
        return;
    }
    if (mcph_login_is_alone(login)) {
        login->grant = grants[login->way->flow];
        mcph_login_redeem(login);
        return;
    }
    if (!login->means.asks) {
        fail_asking(login, MCPHOST_E_AUTH,
                    "log in with a program that supports logins, or configure a header "
                    "or another flow",
                    "the server needs a login, and this program cannot ask for it");
        return;
    }
    login->question_key = (struct mcph_store_key){.issuer = login->issuer.issuer,
                                                  .resource = "",
                                                  .client = "question",
                                                  .account = ""};
    login->claim_key = &login->question_key;
    memcpy(login->asked_at, login->version, sizeof(login->asked_at));
    mcph_login_claim(login, get_claim_ms(login), read_for_question);
}
