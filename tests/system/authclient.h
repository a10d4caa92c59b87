/* SPDX-License-Identifier: MIT
 *
 * authclient.h - a small OAuth client over plain HTTP, which sends requests to the fake
 * authorization server in the tests of this server.
 *
 * The client shares no code with the library.  The functions fail the test if the server
 * behaves in another way than their comments say.
 */
#ifndef TESTS_SYSTEM_AUTHCLIENT_H
#define TESTS_SYSTEM_AUTHCLIENT_H

#include <jansson.h>

#include "support/authrig.h"
#include "support/webclient.h"

#define AC_REDIRECT "http://127.0.0.1:1/callback"
/* The example of RFC 7636, appendix B. */
#define AC_VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define AC_CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

struct ac {
    struct rig_workspace ws;
    struct authrig ar;
    int issuer;      /* the number of the issuer that gets the requests; ac_up() sets 1 */
    char client[64]; /* the id of the registered client */
    char headers[2048]; /* further headers of ac_form() and ac_call() */
    char access[256], refresh[256];
    struct web_answer answer; /* the last answer */
    json_t *json;             /* the last answer, or NULL if it is no JSON */
};

void ac_up(struct ac *ac, const char *script);
void ac_down(struct ac *ac);

/* ac_get(), ac_form(), ac_register() and ac_call() send a request, keep the response in
 * ac->answer and ac->json, and return the HTTP status. */
int ac_get(struct ac *ac, const char *url);
/* Posts a form to a path below the issuer. */
int ac_form(struct ac *ac, const char *path, const char *form, ...) RIG_PRINTF(3, 4);
/* `method` is the client's token_endpoint_auth_method; `none` makes a public client. */
int ac_register(struct ac *ac, const char *method);
/* Calls a tool.  Sends the access token, unless it is "", and ac->headers. */
int ac_call(struct ac *ac, const char *tool);
/* Returns a member of the last answer, or "" if there is none. */
const char *ac_text(const struct ac *ac, const char *name);
/* Returns the URL of an authorization request of the client.  `more` is appended to the
 * URL; it may be NULL.  The text is valid until the next call. */
const char *ac_url(struct ac *ac, const char *more);
/* Opens the URL of ac_url() in a fake browser, where the user logs in.  Returns the query
 * of the redirect's URL, or "" without a redirect.  The text is valid until the next
 * call. */
const char *ac_login(struct ac *ac, const char *more);
/* Returns the decoded value of the query's parameter `name`, or "".  The text is valid
 * until the next call. */
const char *ac_param(const char *query, const char *name);
/* ac_redeem() exchanges an authorization code for tokens, ac_refresh() a refresh token.
 * Both keep the new tokens in ac->access and ac->refresh, and return the HTTP status. */
int ac_redeem(struct ac *ac, const char *code);
int ac_refresh(struct ac *ac, const char *token);
/* Registers a public client, logs in with `more` as for ac_url(), and exchanges the code
 * for tokens.  Each step must succeed. */
void ac_all(struct ac *ac, const char *more);
/* Checks that the tool `whoami` answers with this text, e.g. "alice tools". */
void ac_is(struct ac *ac, const char *account_and_scopes);

#endif
