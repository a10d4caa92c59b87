/* SPDX-License-Identifier: MIT
 *
 * auth.h - logins at servers by OAuth, and where their tokens are kept.
 *
 * A server at a URL may need a login.  The host finds the server's authorization server,
 * asks the user with MCPHOST_REQUEST_AUTHORIZE, and keeps the tokens.  Later the host
 * refreshes the tokens without a question.  mcphost-auth(7) explains logins.
 *
 * No function of this header returns a token.  Any thread may call these functions.
 */
#ifndef MCPHOST_AUTH_H
#define MCPHOST_AUTH_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a server gets its credentials: the key `auth` of its entry.  Since: 0.3 */
enum mcphost_auth_mode {
    /* by OAuth if the entry has no header Authorization, and the application answers
     * MCPHOST_REQUEST_AUTHORIZE or has set a store that keeps tokens; else as HEADERS */
    MCPHOST_AUTH_AUTO = 0,
    MCPHOST_AUTH_NONE = 1,    /* the headers of the entry alone; nobody is asked */
    MCPHOST_AUTH_HEADERS = 2, /* headers of the application (MCPHOST_REQUEST_CREDENTIALS,
                               * mcphost_set_credential()) */
    MCPHOST_AUTH_OAUTH = 3    /* by OAuth */
};

/* The flow by which a server gets its tokens: the key `auth.flow` of its entry.
 * Since: 0.3 */
enum mcphost_login_flow {
    MCPHOST_FLOW_AUTO = 0,    /* BROWSER, or DEVICE if the authorization server has no
                               * page for a browser */
    MCPHOST_FLOW_BROWSER = 1, /* the user logs in with a browser (authorization code) */
    MCPHOST_FLOW_DEVICE = 2,  /* the user enters a code on another device (RFC 8628) */
    MCPHOST_FLOW_CLIENT_CREDENTIALS = 3, /* the client alone, without a user */
    MCPHOST_FLOW_JWT_BEARER = 4,         /* a configured assertion (RFC 7523), without a
                                          * question */
    MCPHOST_FLOW_TOKEN_EXCHANGE = 5 /* an identity token of the user (RFC 8693), without
                                          * a question */
};

#ifdef __cplusplus
}
#endif

#endif
