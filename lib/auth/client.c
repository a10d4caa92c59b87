/* SPDX-License-Identifier: MIT
 *
 * client.c - the identity of this client at an authorization server: choosing it,
 * registering it (RFC 7591), and proving it.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/oauth_inner.h"
#include "json/json.h"
#include "net/net.h"

static const char step[] = "client registration";
static const char by_hand[] = "configure a client that is registered by hand";

/* ---- choosing ---------------------------------------------------------------------- */

/* Makes the error for an issuer that differs from `pinned`, the issuer with which the
 * configured client was used before. */
static int
refuse_pinned(const struct mcph_oauth_issuer *issuer, const char *pinned,
              mcphost_error **reterr)
{
    char *old = mcph_net_url_shown(pinned), *new = mcph_net_url_shown(issuer->issuer);
    int r;

    if (old && new)
        r = mcph_oauth_fail(
            reterr, MCPHOST_E_DENIED, "client", NULL,
            "if this is right, set auth.issuer to the new issuer, or log "
            "out and log in again",
            "the server names the authorization server %s now, but the "
            "configured client was used with %s before; its secret is not "
            "sent to another authorization server",
            new, old);
    else
        r = mcph_err_nomem(reterr);
    free(old);
    free(new);
    return r;
}

int
mcph_oauth_client_choose(const struct mcph_oauth_issuer *issuer,
                         const struct mcph_oauth_identities *have, int *ret,
                         mcphost_error **reterr)
{
    if (have->configured && have->configured_issuer &&
        !mcph_oauth_issuer_fits(have->configured_issuer, issuer->issuer))
        return mcph_oauth_fail(reterr, MCPHOST_E_DENIED, "client", issuer->issuer,
                               "configure a client of the new authorization server",
                               "the configured client belongs to another authorization "
                               "server");
    if (have->configured && !have->configured_issuer && have->pinned_issuer &&
        strcmp(have->pinned_issuer, issuer->issuer) != 0)
        return refuse_pinned(issuer, have->pinned_issuer, reterr);
    if (have->configured)
        *ret = MCPH_OAUTH_CLIENT_CONFIGURED;
    else if (have->document && issuer->takes_cimd)
        *ret = MCPH_OAUTH_CLIENT_DOCUMENT;
    else if (mcph_streq(have->stored_issuer, issuer->issuer))
        *ret = MCPH_OAUTH_CLIENT_STORED;
    else if (issuer->registration)
        *ret = MCPH_OAUTH_CLIENT_REGISTER;
    else
        return mcph_oauth_fail(
            reterr, MCPHOST_E_CONFIG, "client", issuer->issuer,
            "register a client there and configure its client id",
            "the authorization server does not register clients by itself");
    return 0;
}

int
mcph_oauth_choose_method(const struct mcph_oauth_issuer *issuer,
                         const struct mcph_oauth_client *client, bool has_key, int *ret,
                         mcphost_error **reterr)
{
    const unsigned with_secret = MCPH_OAUTH_METHOD_BASIC | MCPH_OAUTH_METHOD_POST;
    unsigned offered = issuer->lists_methods ? issuer->methods : ~0u, able, usable;

    able = MCPH_OAUTH_METHOD_NONE | (client->secret ? with_secret : 0) |
           (has_key ? MCPH_OAUTH_METHOD_KEY : 0);
    usable = offered & able;
    if (usable & (unsigned)client->method)
        *ret = client->method;
    else if (usable & MCPH_OAUTH_METHOD_KEY)
        *ret = MCPH_OAUTH_METHOD_KEY;
    else if (usable & MCPH_OAUTH_METHOD_BASIC)
        *ret = MCPH_OAUTH_METHOD_BASIC;
    else if (usable & MCPH_OAUTH_METHOD_POST)
        *ret = MCPH_OAUTH_METHOD_POST;
    else if (usable & MCPH_OAUTH_METHOD_NONE || (!client->secret && !has_key))
        *ret = MCPH_OAUTH_METHOD_NONE; /* many servers accept "none" and do not list it */
    else
        return mcph_oauth_fail(reterr, MCPHOST_E_CONFIG, "client", issuer->token,
                               "configure the client with a method that the server lists",
                               "the token endpoint supports no method by which the "
                               "client can prove its identity");
    return 0;
}

/* ---- registering ------------------------------------------------------------------- */

/* Returns true if the redirect URI leads to a web server, and neither to this machine nor
 * to a program with a scheme of its own. */
static bool
is_web(const char *uri)
{
    return (strncasecmp(uri, "https://", 8) == 0 ||
            strncasecmp(uri, "http://", 7) == 0) &&
           !mcph_net_url_is_loopback(uri);
}

static json_t *
make_grants(unsigned bits)
{
    json_t *array = json_array();
    int bad = 0;

    for (unsigned bit = 1; bit <= bits; bit <<= 1)
        if (bits & bit && mcph_oauth_grant_word(bit))
            bad |= json_array_append_new(array, json_string(mcph_oauth_grant_word(bit)));
    if (!bad)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *
make_texts(const char *const *texts, size_t n)
{
    json_t *array = json_array();
    int bad = 0;

    for (size_t i = 0; i < n && texts[i]; i++)
        bad |= json_array_append_new(array, json_string(texts[i]));
    if (!bad)
        return array;
    json_decref(array);
    return NULL;
}

int
mcph_oauth_registration_add(const struct mcph_oauth_registration *registration,
                            struct mcph_buf *body, mcphost_error **reterr)
{
    static const char *const code[] = {"code"};
    const char *type = "native";
    json_t *object = json_object();
    int bad = 0, r = MCPHOST_E_NOMEM;

    for (size_t i = 0; registration->redirect_uris[i]; i++)
        type = is_web(registration->redirect_uris[i]) ? "web" : type;
    bad |= json_object_set_new(object, "client_name", json_string(registration->name));
    if (registration->redirect_uris[0])
        bad |= json_object_set_new(object, "redirect_uris",
                                   make_texts(registration->redirect_uris, SIZE_MAX));
    bad |= json_object_set_new(object, "grant_types", make_grants(registration->grants));
    bad |= json_object_set_new(
        object, "response_types",
        make_texts(code, registration->grants & MCPH_OAUTH_GRANT_CODE ? 1 : 0));
    bad |= json_object_set_new(
        object, "token_endpoint_auth_method",
        json_string(mcph_oauth_method_word((unsigned)registration->method)));
    bad |= json_object_set_new(object, "application_type", json_string(type));
    if (registration->scope && *registration->scope)
        bad |= json_object_set_new(object, "scope", json_string(registration->scope));
    if (!bad)
        r = mcph_json_add_tree(body, object);
    json_decref(object);
    return r < 0 ? mcph_err(reterr, r, "%s: the request is too long", step) : 0;
}

static int
read_client(const struct mcph_oauth_doc *doc, struct mcph_oauth_client *to,
            mcphost_error **reterr)
{
    int64_t expires =
        mcph_oauth_doc_seconds(doc, "client_secret_expires_at", INT64_MAX / 2);
    char *method = NULL;
    int r = mcph_oauth_doc_text(doc, "client_id", MCPH_OAUTH_URL_MAX, &to->id, reterr);

    if (r == 0 && (!to->id || !*to->id))
        r = mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, doc->url, NULL,
                            "the answer has no \"client_id\"");
    if (r == 0)
        r = mcph_oauth_doc_secret(doc, "client_secret", true, &to->secret, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "token_endpoint_auth_method", 64, &method, reterr);
    to->expires_s = expires > 0 ? expires : 0;
    to->method = method ? (int)mcph_oauth_method_bit(method) : 0;
    if (r == 0 && method && to->method == 0)
        r = mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, doc->url, by_hand,
                            "this client does not support the method of authentication "
                            "that the server assigned to it");
    free(method);
    return r;
}

int
mcph_oauth_registration_read(const char *url, int status, const char *text, size_t len,
                             struct mcph_mask *mask, struct mcph_oauth_client *ret,
                             mcphost_error **reterr)
{
    struct mcph_oauth_client made = {0};
    struct mcph_oauth_doc doc;
    int r = mcph_oauth_answer_open(&doc, step, url, status, text, len, by_hand, mask,
                                   NULL, reterr);

    if (r < 0)
        return r;
    r = read_client(&doc, &made, reterr);
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_oauth_client_done(&made);
    else
        *ret = made;
    return r;
}

void
mcph_oauth_client_done(struct mcph_oauth_client *client)
{
    free(client->id);
    mcph_str_wipe(client->secret);
    free(client->name);
    free(client->redirect_uri);
    free(client->scope);
    *client = (struct mcph_oauth_client){0};
}

/* ---- using a registration again ---------------------------------------------------- */

bool
mcph_oauth_client_copy(const struct mcph_oauth_client *from, struct mcph_oauth_client *to)
{
    *to = (struct mcph_oauth_client){.expires_s = from->expires_s,
                                     .method = from->method,
                                     .is_doubted = from->is_doubted};
    return mcph_str_copy(from->id, &to->id) && mcph_str_copy(from->secret, &to->secret) &&
           mcph_str_copy(from->name, &to->name) &&
           mcph_str_copy(from->redirect_uri, &to->redirect_uri) &&
           mcph_str_copy(from->scope, &to->scope);
}

bool
mcph_oauth_client_note(struct mcph_oauth_client *client,
                       const struct mcph_oauth_registration *registration)
{
    return mcph_str_copy(registration->name, &client->name) &&
           mcph_str_copy(registration->redirect_uris[0], &client->redirect_uri) &&
           mcph_str_copy(registration->scope, &client->scope);
}

/* Stores the port of a URI that begins with "http://127.0.0.1:", and returns the text
 * behind the port.  For any other URI, stores 0 and returns NULL. */
static const char *
skip_port(const char *uri, unsigned *ret_port)
{
    static const char start[] = "http://127.0.0.1:";
    char *end;

    *ret_port = 0;
    if (!uri || strncmp(uri, start, sizeof(start) - 1) != 0)
        return NULL;
    *ret_port = (unsigned)strtoul(uri + sizeof(start) - 1, &end, 10);
    return end;
}

static bool
is_same_redirect(const char *a, const char *b)
{
    unsigned port;
    const char *a_path = skip_port(a, &port), *b_path = skip_port(b, &port);

    return a_path && b_path ? strcmp(a_path, b_path) == 0 : mcph_streq(a, b);
}

static bool
has_scopes(const char *have, const char *wanted)
{
    struct mcph_buf view = {.data = (char *)have, .len = have ? strlen(have) : 0};

    return !wanted || mcph_scopes_have(&view, wanted, strlen(wanted));
}

bool
mcph_oauth_client_covers(const struct mcph_oauth_client *client,
                         const struct mcph_oauth_registration *registration,
                         int64_t now_s)
{
    bool is_expired = client->expires_s > 0 && client->expires_s <= now_s;

    return client->id && client->name && !client->is_doubted &&
           !(client->secret && is_expired) &&
           strcmp(client->name, registration->name) == 0 &&
           is_same_redirect(client->redirect_uri, registration->redirect_uris[0]) &&
           has_scopes(client->scope, registration->scope);
}

unsigned
mcph_oauth_client_port(const struct mcph_oauth_client *client)
{
    unsigned port;

    (void)skip_port(client->redirect_uri, &port);
    return port <= 65535 ? port : 0;
}
