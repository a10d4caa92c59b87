/* SPDX-License-Identifier: MIT
 *
 * authorize.c - the authorization endpoint, which logs a user in without a question.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

#define CODE_MS 60000

/* Returns the first reason to send the browser back with an error, or NULL. */
static const char *
fault_of(struct auth *auth, const struct form *form)
{
    const char *type = form_get(form, "response_type");
    const char *resource = form_get(form, "resource");
    const char *challenge = form_get(form, "code_challenge");
    char *url = auth_resource(auth);
    const char *word = NULL, *text;

    if (fault_is(auth, STEP_AUTHORIZE, "refuse", NULL, &text))
        word = *text ? text : "server_error";
    else if (auth_is_same(form_get(form, "fake"), "deny"))
        word = "access_denied";
    else if (!auth_is_same(type, "code"))
        word = "unsupported_response_type";
    else if (form_has_twice(form) || !challenge || strlen(challenge) != 43 ||
             !auth_is_same(form_get(form, "code_challenge_method"), "S256"))
        word = "invalid_request";
    else if (resource ? strcmp(resource, url) != 0 : !auth->is_legacy)
        word = "invalid_target";
    free(url);
    return word;
}

static char *
make_code(struct auth *auth, struct as *as, const struct client *client,
          const struct form *form)
{
    const char *resource = form_get(form, "resource"), *nonce = form_get(form, "nonce");
    char *scope = login_scope(auth, form_get(form, "scope"));
    struct code *code = fake_alloc(NULL, sizeof(*code));
    bool is_same = auth->codes && fault_is(auth, STEP_AUTHORIZE, "same-code", NULL, NULL);

    *code = (struct code){
        .text = is_same ? strdup(auth->codes->text) : auth_random("code-"),
        .redirect = strdup(form_get(form, "redirect_uri")),
        .challenge = strdup(form_get(form, "code_challenge")),
        .login = login_new(as, client, scope, resource),
        .until_ms = auth_now_ms() + CODE_MS,
        .next = auth->codes,
    };
    auth->codes = code;
    code->login->nonce = nonce ? strdup(nonce) : NULL;
    login_as(auth, code->login, auth_account(auth, form_get(form, "login_hint")));
    free(scope);
    return strdup(code->text);
}

static void
add_code(struct auth *auth, struct bytes *url, char first, const char *code)
{
    long n = 0;

    form_add(url, first, "code", code);
    if (fault_is(auth, STEP_AUTHORIZE, "nul", NULL, NULL))
        bytes_str(url, "%00");
    if (fault_is(auth, STEP_AUTHORIZE, "huge", &n, NULL))
        for (n = n ? n : 64L * 1024; n > 0; n--)
            bytes_str(url, "x");
    if (fault_is(auth, STEP_AUTHORIZE, "code-twice", NULL, NULL))
        form_add(url, '&', "code", "another-code");
}

/* Appends the parameters `state` and `iss` to the URL of a redirect.  Faults can change
 * or leave out each of the two parameters. */
static void
add_origin(struct auth *auth, const struct as *as, struct bytes *url, const char *state)
{
    const char *text;

    if (fault_is(auth, STEP_AUTHORIZE, "wrong-state", NULL, NULL))
        form_add(url, '&', "state", "a-wrong-state");
    else if (state && !fault_is(auth, STEP_AUTHORIZE, "no-state", NULL, NULL))
        form_add(url, '&', "state", state);
    if (fault_is(auth, STEP_AUTHORIZE, "wrong-iss", NULL, &text))
        form_add(url, '&', "iss", *text ? text : "https://elsewhere.example");
    else if (auth->iss != ISS_OFF &&
             !fault_is(auth, STEP_AUTHORIZE, "no-iss", NULL, NULL))
        form_add(url, '&', "iss", as->issuer);
}

/* Sends the browser back to the client. */
static void
send_back(struct auth *auth, struct as *as, struct exchange *ex, const struct form *form,
          const struct client *client)
{
    const char *word = fault_of(auth, form), *redirect = form_get(form, "redirect_uri");
    char first = strchr(redirect, '?') ? '&' : '?', *copy, *rest, *code;
    struct reply reply = {0};
    struct bytes url = {0};

    bytes_str(&url, redirect);
    if (word) {
        rest = copy = strdup(word);
        form_add(&url, first, "error", fault_word(&rest));
        form_add(&url, '&', "error_description", *rest ? rest : "the fake refuses");
        auth_trace(auth, "authorize", "%s", copy);
        free(copy);
    } else {
        code = make_code(auth, as, client, form);
        add_code(auth, &url, first, code);
        free(code);
    }
    if (fault_is(auth, STEP_AUTHORIZE, "garbage", NULL, NULL))
        bytes_str(&url, "&%zz=%&&=");
    add_origin(auth, as, &url, form_get(form, "state"));
    reply_page(&reply, 302, "Back to the client.");
    reply_header(&reply, "Location: %s", url.p);
    reply_send(auth, ex, STEP_AUTHORIZE, &reply);
    bytes_free(&url);
}

void
authorize_take(struct auth *auth, struct as *as, struct exchange *ex, const char *query)
{
    struct reply reply = {0};
    const struct client *client;
    const char *redirect;
    struct form form;

    fault_count(auth, STEP_AUTHORIZE);
    form_read(auth, query, strlen(query), &form);
    client = client_find(auth, as, form_get(&form, "client_id"));
    redirect = form_get(&form, "redirect_uri");
    if (fault_replaces(auth, ex, STEP_AUTHORIZE)) {
        ;
    } else if (!client || !redirect || !client_has_redirect(auth, client, redirect)) {
        auth_trace(auth, "authorize", "%s", client ? "wrong redirect" : "unknown client");
        reply_page(&reply, 400, client ? "wrong redirect_uri" : "unknown client");
        reply_send(auth, ex, STEP_AUTHORIZE, &reply);
    } else {
        send_back(auth, as, ex, &form, client);
    }
    form_done(&form);
}
