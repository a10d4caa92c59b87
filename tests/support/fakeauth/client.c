/* SPDX-License-Identifier: MIT
 *
 * client.c - clients of the fake authorization server: their registration (RFC 7591) and
 * their proofs of identity.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "support/fakeauth/inner.h"

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
#define ASSERTION_S    360 /* seconds within which a client's assertion must expire */

const char *const client_methods[METHODS] = {
    [METHOD_NONE] = "none",
    [METHOD_BASIC] = "client_secret_basic",
    [METHOD_POST] = "client_secret_post",
    [METHOD_KEY] = "private_key_jwt",
};

struct client *
client_new(struct auth *auth, const char *id, int as)
{
    struct client *client = fake_alloc(NULL, sizeof(*client));

    *client = (struct client){.id = strdup(id), .as = as, .next = auth->clients};
    auth->clients = client;
    return client;
}

struct client *
client_find(struct auth *auth, const struct as *as, const char *id)
{
    struct client *client = auth->clients;

    if (!id)
        return NULL;
    while (client && (client->forgotten || strcmp(client->id, id) != 0 ||
                      (client->as && client->as != as->number)))
        client = client->next;
    if (!client && auth->takes_cimd && strncmp(id, "https://", 8) == 0) {
        client = client_new(auth, id, as->number);
        client->method = METHODS;
        auth_trace(auth, "document", "%s", id);
    }
    return client;
}

/* Returns the length of the part of a loopback URI before the port.  Returns 0 for any
 * other URI. */
static size_t
loopback_len(const char *uri)
{
    static const char *const starts[] = {"http://127.0.0.1", "http://[::1]"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (strncmp(uri, starts[i], strlen(starts[i])) == 0)
            return strlen(starts[i]);
    return 0;
}

/* Compares redirect URIs.  The port of a loopback URI does not count (RFC 8252, section
 * 7.3), unless the script has `redirects exact`. */
static bool
is_same_redirect(const struct auth *auth, const char *a, const char *b)
{
    size_t len = auth->exact_redirects ? 0 : loopback_len(a);

    if (!len || len != loopback_len(b) || strncmp(a, b, len) != 0)
        return strcmp(a, b) == 0;
    a += len;
    b += len;
    a += *a == ':' ? 1 + strspn(a + 1, "0123456789") : 0;
    b += *b == ':' ? 1 + strspn(b + 1, "0123456789") : 0;
    return strcmp(a, b) == 0;
}

bool
client_has_redirect(const struct auth *auth, const struct client *client, const char *uri)
{
    json_t *known;
    size_t i;

    json_array_foreach(client->redirects, i, known)
    {
        if (is_same_redirect(auth, json_string_value(known), uri))
            return true;
    }
    return !client->redirects;
}

/* ---- registration ------------------------------------------------------------------ */

/* Returns the method in the client's metadata, or METHOD_BASIC if the metadata have no
 * method.  If the server does not support this method, returns the first method that
 * the server supports. */
static int
choose_method(const struct auth *auth, json_t *wanted)
{
    const char *asked = json_string_value(wanted);
    const char *name = asked ? asked : client_methods[METHOD_BASIC]; /* by RFC 7591 */
    int first = METHODS;

    for (int i = METHOD_KEY; i >= METHOD_NONE; i--) {
        if (!(auth->methods & 1U << i))
            continue;
        first = i;
        if (strcmp(name, client_methods[i]) == 0)
            return i;
    }
    return first;
}

static bool
are_texts(json_t *array)
{
    json_t *value;
    size_t i;

    json_array_foreach(array, i, value)
    {
        if (!json_is_string(value))
            return false;
    }
    return json_array_size(array) > 0;
}

/* Returns true if the client names its grants, and none of them redirects a browser (RFC
 * 7591, section 2). */
static bool
needs_no_redirect(json_t *metadata)
{
    json_t *grants = json_object_get(metadata, "grant_types"), *grant;
    size_t i;

    json_array_foreach(grants, i, grant)
    {
        if (strcmp(json_string_value(grant), "authorization_code") == 0)
            return false;
    }
    return json_array_size(grants) > 0;
}

static void
answer_registration(struct auth *auth, struct exchange *ex, struct client *client,
                    json_t *metadata)
{
    bool has_secret = client->method == METHOD_BASIC || client->method == METHOD_POST;
    struct reply reply = {0};
    json_t *body = json_deep_copy(metadata);
    const char *text;

    json_object_set_new(body, "client_id", json_string(client->id));
    json_object_set_new(body, "client_id_issued_at",
                        json_integer(auth_now_s(auth, STEP_REGISTER)));
    json_object_set_new(body, "token_endpoint_auth_method",
                        json_string(client_methods[client->method]));
    if (has_secret) {
        json_object_set_new(body, "client_secret", json_string(client->secret));
        json_object_set_new(body, "client_secret_expires_at", json_integer(0));
    }
    if (fault_is(auth, STEP_REGISTER, "lying", NULL, &text))
        json_object_set_new(body, "client_id", *text ? json_string(text) : json_null());
    reply_document(auth, STEP_REGISTER, 201, &reply, body);
    reply_send(auth, ex, STEP_REGISTER, &reply);
}

void
client_register(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
                size_t len)
{
    json_t *metadata, *redirects;
    struct reply reply = {0};
    struct client *client;
    char *id;

    fault_count(auth, STEP_REGISTER);
    fake_trace(auth->http->fake, "<", body);
    if (fault_replaces(auth, ex, STEP_REGISTER))
        return;
    metadata = json_loadb(body, len, 0, NULL);
    redirects = json_object_get(metadata, "redirect_uris");
    if (auth->no_registration || !json_is_object(metadata) ||
        !(redirects ? are_texts(redirects) : needs_no_redirect(metadata))) {
        reply_error(&reply, auth->no_registration ? 403 : 400,
                    json_is_object(metadata) ? "invalid_redirect_uri"
                                             : "invalid_client_metadata",
                    "this client cannot be registered");
        reply_send(auth, ex, STEP_REGISTER, &reply);
        json_decref(metadata);
        return;
    }
    id = auth_format("client-%d", ++auth->n_clients);
    client = client_new(auth, id, as->number);
    client->secret = auth_random("cs-");
    client->redirects = json_incref(redirects);
    client->key = jwt_key(
        json_array_get(json_object_get(json_object_get(metadata, "jwks"), "keys"), 0));
    client->method =
        choose_method(auth, json_object_get(metadata, "token_endpoint_auth_method"));
    auth_trace(auth, "register", "%s", id);
    auth_trace(auth, "name", "%s",
               json_string_value(json_object_get(metadata, "client_name")));
    answer_registration(auth, ex, client, metadata);
    json_decref(metadata);
    free(id);
}

/* ---- proofs of identity ------------------------------------------------------------ */

/* The identity that a request claims. */
struct proof {
    int method;
    char *id, *secret;
};

/* Reads `Basic base64(id:secret)`, whose two parts are form-encoded. */
static void
read_basic(const char *header, struct proof *ret)
{
    size_t len = strlen(header + 6), n;
    unsigned char *text = jwt_decode(header + 6, strcspn(header + 6, "="), &n);
    char *colon = strchr((char *)text, ':');

    ret->method = METHOD_BASIC;
    if (len && colon) {
        ret->id = form_decode((char *)text, (size_t)(colon - (char *)text));
        ret->secret = form_decode(colon + 1, strlen(colon + 1));
    }
    free(text);
}

static struct proof
read_proof(const struct exchange *ex, const struct form *form)
{
    char *header = request_header(ex, "Authorization");
    const char *id = form_get(form, "client_id"),
               *secret = form_get(form, "client_secret"),
               *assertion = form_get(form, "client_assertion");
    struct proof proof = {0};

    if (header && strncasecmp(header, "Basic ", 6) == 0) {
        read_basic(header, &proof);
    } else if (assertion) {
        json_t *claims = jwt_part(assertion, 1);
        const char *subject = json_string_value(json_object_get(claims, "sub"));

        proof.method = METHOD_KEY;
        proof.id = subject ? strdup(subject) : NULL;
        proof.secret = strdup(assertion);
        json_decref(claims);
    } else {
        proof.method = secret ? METHOD_POST : METHOD_NONE;
        proof.id = id ? strdup(id) : NULL;
        proof.secret = secret ? strdup(secret) : NULL;
    }
    free(header);
    return proof;
}

/* Checks whether the audience of an assertion is the issuer or its token endpoint.  Of a
 * list, only the first audience counts. */
static bool
is_for(json_t *audience, const struct as *as)
{
    const char *text = json_string_value(
        json_is_array(audience) ? json_array_get(audience, 0) : audience);
    size_t len = strlen(as->issuer);

    return text && strncmp(text, as->issuer, len) == 0 &&
           (!text[len] || strcmp(text + len, "/token") == 0);
}

/* Returns the first reason against an assertion (RFC 7523), or NULL. */
static const char *
fault_of_assertion(struct auth *auth, const struct as *as, const struct client *client,
                   const char *assertion, const struct form *form, enum step step)
{
    json_t *claims = jwt_part(assertion, 1);
    const char *issuer = json_string_value(json_object_get(claims, "iss"));
    const char *jti = json_string_value(json_object_get(claims, "jti"));
    int64_t now = auth_now_s(auth, step);
    int64_t until = json_integer_value(json_object_get(claims, "exp"));
    const char *why = NULL;

    if (!auth_is_same(form_get(form, "client_assertion_type"), ASSERTION_TYPE))
        why = "type of assertion";
    else if (!client->key || !jwt_verify(client->key, assertion))
        why = "signature";
    else if (!issuer || strcmp(issuer, client->id) != 0)
        why = "iss";
    else if (!is_for(json_object_get(claims, "aud"), as))
        why = "aud";
    else if (until < now || until > now + ASSERTION_S)
        why = "exp";
    if (!auth->jtis)
        auth->jtis = json_object();
    if (!why && (!jti || json_object_get(auth->jtis, jti)))
        why = "jti";
    if (!why)
        json_object_set_new(auth->jtis, jti, json_true());
    json_decref(claims);
    return why;
}

struct client *
client_check(struct auth *auth, struct as *as, const struct exchange *ex,
             const struct form *form, enum step step)
{
    struct proof proof = read_proof(ex, form);
    struct client *client = client_find(auth, as, proof.id);
    const char *named = form_get(form, "client_id"), *why = NULL;

    if (!client)
        why = "unknown client";
    else if (named && strcmp(named, client->id) != 0)
        why = "two clients";
    else if (client->method != METHODS && client->method != proof.method)
        why = "wrong method";
    else if (!(auth->methods & 1U << proof.method))
        why = "unsupported method";
    else if (proof.method == METHOD_KEY)
        why = fault_of_assertion(auth, as, client, proof.secret, form, step);
    else if (proof.method != METHOD_NONE && !auth_is_same(proof.secret, client->secret))
        why = "wrong secret";
    if (why)
        auth_trace(auth, "client", "%s refused: %s", proof.id ? proof.id : "-", why);
    else
        auth_trace(auth, "client", "%s %s", client->id, client_methods[proof.method]);
    free(proof.id);
    free(proof.secret);
    return why ? NULL : client;
}
