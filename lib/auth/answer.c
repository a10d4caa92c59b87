/* SPDX-License-Identifier: MIT
 *
 * answer.c - the answers of a token endpoint: tokens and refusals.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/oauth_inner.h"

const char *
mcph_oauth_token_step(int grant)
{
    switch (grant) {
    case MCPH_OAUTH_GRANT_REFRESH:
        return "token refresh";
    case MCPH_OAUTH_GRANT_EXCHANGE:
        return "token exchange";
    default:
        return "token request";
    }
}

static int
read_type(const struct mcph_oauth_doc *doc, int grant, struct mcph_oauth_token *to,
          mcphost_error **reterr)
{
    const char *type = json_string_value(json_object_get(doc->object, "token_type"));

    if (!type)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                               "the answer has no \"token_type\"");
    to->is_dpop = strcasecmp(type, "DPoP") == 0;
    if (to->is_dpop || strcasecmp(type, "Bearer") == 0 ||
        (grant == MCPH_OAUTH_GRANT_EXCHANGE && strcasecmp(type, "N_A") == 0))
        return 0;
    return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                           "the token's type is neither Bearer nor DPoP");
}

/* Checks that a token exchange (RFC 8693) gave the requested assertion.  A token of
 * another kind may be valid at other servers, and must not be sent to the authorization
 * server. */
static int
check_issued(const struct mcph_oauth_doc *doc, int grant, mcphost_error **reterr)
{
    const char *type =
        json_string_value(json_object_get(doc->object, "issued_token_type"));

    if (grant != MCPH_OAUTH_GRANT_EXCHANGE || mcph_streq(type, MCPH_OAUTH_TYPE_ID_JAG))
        return 0;
    return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                           "the \"issued_token_type\" of the answer is not "
                           "\"" MCPH_OAUTH_TYPE_ID_JAG "\"");
}

static int
read_tokens(const struct mcph_oauth_doc *doc, int grant, struct mcph_oauth_token *to,
            mcphost_error **reterr)
{
    int r = mcph_oauth_doc_secret(doc, "access_token", false, &to->access, reterr);

    if (r == 0 && (!to->access || !*to->access))
        r = mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                            "the answer has no \"access_token\"");
    if (r == 0)
        r = read_type(doc, grant, to, reterr);
    if (r == 0)
        r = check_issued(doc, grant, reterr);
    if (r == 0)
        r = mcph_oauth_doc_secret(doc, "refresh_token", true, &to->refresh, reterr);
    if (r == 0)
        r = mcph_oauth_doc_secret(doc, "id_token", false, &to->id_token, reterr);
    /* Ignore scopes that are not a string, because some servers send an array. */
    if (r == 0 && json_is_string(json_object_get(doc->object, "scope")))
        r = mcph_oauth_doc_text(doc, "scope", MCPH_SCOPES_MAX, &to->scope, reterr);
    if (to->refresh && !*to->refresh) {
        free(to->refresh);
        to->refresh = NULL;
    }
    to->expires_s = mcph_oauth_doc_seconds(doc, "expires_in", MCPH_OAUTH_EXPIRES_MAX);
    return r;
}

int
mcph_oauth_token_read(int grant, const char *url, int status, const char *text,
                      size_t len, struct mcph_mask *mask, struct mcph_oauth_token *ret,
                      struct mcph_oauth_refusal *ret_refusal, mcphost_error **reterr)
{
    struct mcph_oauth_token made = {0};
    bool has_assertion = grant & (MCPH_OAUTH_GRANT_EXCHANGE | MCPH_OAUTH_GRANT_JWT);
    struct mcph_oauth_doc doc;
    int r = mcph_oauth_answer_open(&doc, mcph_oauth_token_step(grant), url, status, text,
                                   len, has_assertion ? "renew 'auth.assertion'" : NULL,
                                   mask, ret_refusal, reterr);

    if (r < 0)
        return r;
    r = read_tokens(&doc, grant, &made, reterr);
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_oauth_token_done(&made);
    else
        *ret = made;
    return r;
}

void
mcph_oauth_token_done(struct mcph_oauth_token *token)
{
    mcph_str_wipe(token->access);
    mcph_str_wipe(token->refresh);
    mcph_str_wipe(token->id_token);
    free(token->scope);
    *token = (struct mcph_oauth_token){0};
}
