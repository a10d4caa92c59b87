/* SPDX-License-Identifier: MIT
 *
 * keeper_refusal.c - read a refusal, and show it in a question.
 *
 * A login uses the challenge as the server has sent it.  The owner and the log get the
 * challenge with secrets masked, because a server may repeat secrets of the request.
 */
#include "auth/keeper_inner.h"

static void
add_member(struct mcph_buf *buf, const char *key, const char *value)
{
    if (!value)
        return;
    mcph_json_add_member(buf, key, value);
}

int
mcph_refusal_read(const struct mcph_net_answer *answer, bool had_token,
                  struct mcph_refusal *ret)
{
    struct mcph_span spans[LINES_N];
    const char *value;
    int r, shown;

    *ret = (struct mcph_refusal){.status = answer->status};
    for (; ret->n < LINES_N; ret->n++) {
        value = answer->header(answer, "www-authenticate", ret->n);
        if (!value)
            break;
        ret->lines[ret->n] = mcph_strdup(value);
        if (!ret->lines[ret->n])
            return MCPHOST_E_NOMEM;
        spans[ret->n] = mcph_span_str(ret->lines[ret->n]);
    }
    /* The secrets may contain a part of a URL or of a scope, for example the name of a
     * tenant.  Therefore parse the values before and after secrets are masked. */
    r = mcph_challenge_parse(spans, ret->n, &ret->challenge);
    for (size_t i = 0; i < ret->n; i++)
        answer->cover(answer, ret->lines[i], spans[i].len);
    shown = mcph_challenge_parse(spans, ret->n, &ret->shown);
    /* RFC 6750 has invalid_token with the status 401 alone, but some servers send it with
     * 403. */
    ret->is_invalid = ret->status == 401 ||
                      (had_token && mcph_streq(ret->challenge.error, "invalid_token"));
    return r == MCPHOST_E_NOMEM || shown == MCPHOST_E_NOMEM ? MCPHOST_E_NOMEM : 0;
}

void
mcph_refusal_done(struct mcph_refusal *refusal)
{
    while (refusal->n > 0)
        free(refusal->lines[--refusal->n]);
    mcph_challenge_done(&refusal->challenge);
    mcph_challenge_done(&refusal->shown);
}

static void
add_challenges(struct mcph_buf *buf, const struct mcph_refusal *refusal)
{
    struct mcph_buf clean;

    mcph_json_add_key(buf, "challenges");
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < refusal->n; i++) {
        const char *line = refusal->lines[i];

        mcph_buf_init(&clean, TEXT_MAX);
        mcph_utf8_add_clean(&clean, line, strlen(line), true);
        mcph_json_add_comma(buf);
        mcph_json_add_string(buf, clean.data ? clean.data : "", clean.len);
        mcph_buf_done(&clean);
    }
    mcph_buf_addc(buf, ']');
}

static void
add_scopes(struct mcph_buf *buf, const char *key, const struct mcph_buf *scopes,
           struct mcph_mask *mask)
{
    struct mcph_buf shown;

    if (scopes->len == 0)
        return;
    mcph_buf_init(&shown, MCPH_SCOPES_MAX);
    if (mcph_buf_add(&shown, scopes->data, scopes->len) == 0) {
        mcph_mask_text(mask, shown.data, shown.len);
        mcph_json_add_key(buf, key);
        mcph_json_add_string(buf, shown.data, shown.len);
    } else {
        buf->err = MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&shown);
}

char *
mcph_refusal_params(const struct mcph_asking *asking, const struct mcph_refusal *refusal)
{
    const struct mcph_challenge *challenge = &refusal->shown;
    struct mcph_mask *mask = asking->entry->mask;
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, 16 * TEXT_MAX);
    mcph_buf_addc(&buf, '{');
    add_member(&buf, "origin", asking->entry->origin);
    if (refusal->status) {
        mcph_json_add_key(&buf, "status");
        mcph_buf_addf(&buf, "%d", refusal->status);
    }
    add_challenges(&buf, refusal);
    add_member(&buf, "scheme", challenge->scheme);
    add_member(&buf, "realm", challenge->realm);
    add_member(&buf, "scope", challenge->scope);
    add_scopes(&buf, "grantedScope", &asking->entry->granted, mask);
    add_scopes(&buf, "wantedScope", &asking->wanted, mask);
    add_member(&buf, "error", challenge->error);
    add_member(&buf, "errorDescription", challenge->description);
    add_member(&buf, "resourceMetadata", challenge->metadata);
    mcph_buf_addc(&buf, '}');
    text = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return text;
}

char *
mcph_refusal_message(const struct mcph_refusal *refusal)
{
    const struct mcph_challenge *challenge = &refusal->shown;
    int status = refusal->status;
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, TEXT_MAX);
    if (!status)
        mcph_buf_adds(&buf, "its credentials have expired");
    else
        /* For a 403 with a challenge, the message has the words for status 401, because
         * both answers ask for credentials. */
        mcph_buf_addf(&buf, "answered with HTTP status %d%s", status,
                      mcph_net_status_meaning(401)->words);
    if (challenge->scheme) {
        mcph_buf_adds(&buf, "; it ");
        mcph_challenge_describe(challenge, &buf);
    }
    text = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return text;
}
