/* SPDX-License-Identifier: MIT
 *
 * logins.h - the host's store of tokens.  Any thread may call these functions, except
 * mcph_logins_revoke(), mcph_logins_revoke_job() and mcph_logins_drop(), which only the
 * dispatcher may call.
 */
#ifndef MCPH_HOST_LOGINS_H
#define MCPH_HOST_LOGINS_H

#include "loop/loop.h"

#include <mcphost/mcphost.h>

/* A login that the store keeps. */
struct mcph_login_row {
    char *server; /* the key of a server that the login serves, or NULL */
    char *issuer, *resource, *client, *account;
    char *scope; /* the granted scopes, separated by blanks, or NULL */
    int64_t expires_s;
    int state; /* MCPHOST_LOGIN_* */
};

struct mcph_store_calls;

/* The functions behind mcphost_set_token_store(), mcphost_set_token_callbacks(),
 * mcphost_get_logins() and mcphost_log_out().  If mcph_logins_set_calls() fails, the
 * caller keeps calls->arg.  The caller of mcph_logins_list() frees the rows, also after
 * a failure. */
int mcph_logins_set_store(mcphost *host, int kind, const char *directory,
                          mcphost_error **reterr);
int mcph_logins_set_calls(mcphost *host, const struct mcph_store_calls *calls,
                          mcphost_error **reterr);
int mcph_logins_list(mcphost *host, struct mcph_vec *rows, mcphost_error **reterr);
int mcph_logins_end(mcphost *host, const char *server, mcphost_error **reterr);
void mcph_login_row_free(struct mcph_login_row *row);
/* Starts the revocations of the logouts (host->logouts). */
void mcph_logins_revoke(mcphost *host);
void mcph_logins_revoke_job(struct mcph_job *job); /* runs mcph_logins_revoke() */
void mcph_logins_drop(mcphost *host);              /* reports each logout as failed */

#endif
