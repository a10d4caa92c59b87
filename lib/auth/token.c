/* SPDX-License-Identifier: MIT
 *
 * token.c - the requests to the token endpoint and to the revocation endpoint.
 */
#include "auth/oauth_inner.h"

#define PAIRS_MAX 10

struct list {
    struct mcph_oauth_pair pairs[PAIRS_MAX];
    size_t n;
};

static void
need(struct list *list, const char *name, const char *value)
{
    list->pairs[list->n++] = (struct mcph_oauth_pair){name, value, true};
}

static void
may(struct list *list, const char *name, const char *value)
{
    list->pairs[list->n++] =
        (struct mcph_oauth_pair){name, value && *value ? value : NULL, false};
}

int
mcph_oauth_request_add(const struct mcph_oauth_request *request,
                       const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                       struct mcph_buf *header, mcphost_error **reterr)
{
    struct list list = {.n = 0};
    bool has_scope = true;

    need(&list, "grant_type", mcph_oauth_grant_word((unsigned)request->grant));
    switch (request->grant) {
    case MCPH_OAUTH_GRANT_CODE:
        need(&list, "code", request->code);
        need(&list, "redirect_uri", request->redirect_uri);
        need(&list, "code_verifier", request->verifier);
        has_scope = false;
        break;
    case MCPH_OAUTH_GRANT_REFRESH:
        need(&list, "refresh_token", request->refresh_token);
        break;
    case MCPH_OAUTH_GRANT_EXCHANGE:
        need(&list, "subject_token", request->subject_token);
        need(&list, "subject_token_type", request->subject_type);
        may(&list, "requested_token_type", request->requested_type);
        break;
    case MCPH_OAUTH_GRANT_JWT:
        need(&list, "assertion", request->assertion);
        break;
    case MCPH_OAUTH_GRANT_DEVICE:
        need(&list, "device_code", request->device_code);
        has_scope = false;
        break;
    default:
        break;
    }
    may(&list, "resource", request->resource);
    may(&list, "audience", request->audience);
    if (has_scope)
        may(&list, "scope", request->scope);
    return mcph_oauth_form_fill(list.pairs, list.n, proof, body, header, reterr);
}

int
mcph_oauth_revocation_add(const char *token, bool is_refresh,
                          const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                          struct mcph_buf *header, mcphost_error **reterr)
{
    const struct mcph_oauth_pair pairs[] = {
        {"token", token, true},
        {"token_type_hint", is_refresh ? "refresh_token" : "access_token", true},
    };

    return mcph_oauth_form_fill(pairs, MCPH_ARRAY_SIZE(pairs), proof, body, header,
                                reterr);
}
