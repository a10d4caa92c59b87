/* SPDX-License-Identifier: MIT
 *
 * auth.h - authorization for the fake HTTP server: the server as an OAuth resource, and
 * the authorization servers that issue its tokens.
 *
 * directive.c describes the directives.  The functions share no code with the library.
 */
#ifndef TESTS_SUPPORT_FAKEAUTH_AUTH_H
#define TESTS_SUPPORT_FAKEAUTH_AUTH_H

#include "support/fakehttp/http.h"

/* Reads a directive.  Returns false if the directive is unknown. */
bool auth_directive(struct http *http, const char *key, char *value);
/* Opens the listeners of the authorization servers. */
void auth_listen(struct http *http);
/* Prints the URL of each issuer on a line of its own. */
void auth_say_where(const struct http *http);
/* Answers a request for metadata, for /fake/script, or to an authorization server.
 * Returns false if the request is for another part of the server. */
bool auth_take(struct http *http, struct exchange *ex, const char *body, size_t len);
/* Checks the access token of a request to the MCP endpoint.  If the token is missing,
 * invalid, or lacks a scope, refuses the request and returns false.  Also returns false
 * if a fault of the step `use` has answered the request. */
bool auth_admit(struct http *http, struct exchange *ex, const char *body, size_t len);
/* Calls the tool `whoami`.  Returns false if `tool` is another tool. */
bool auth_call(struct fake *fake, struct fake_run *run, const char *tool);

#endif
