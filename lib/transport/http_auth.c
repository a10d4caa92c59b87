/* SPDX-License-Identifier: MIT
 *
 * http_auth.c - attach credentials to requests, and show responses to the provider of
 * credentials (struct mcph_net_auth in net/net.h).
 *
 *   attach --> sent --2xx--> noted
 *     ^         |-- refused --> answered --RETRY, WAIT--> attach
 *     |         |                  `-- PASS, FAIL --> the refusal is reported
 *     `---------'-- redirected, or connection lost (see resend_lost())
 *
 * The transport sends a request again after at most REFUSALS refusals and RESENDS lost
 * connections.  The provider's headers replace configured headers of the same name.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define REFUSALS 3
#define RESENDS  5

static void
on_ready(struct mcph_net_waiter *waiter)
{
    mcph_http_exchange_start_or_close(MCPH_CONTAINER_OF(waiter, struct exchange, waiter));
}

/* Adds new credentials to the mask, because the server may repeat them.  Does not add
 * proofs, because each proof is used once and proofs would fill the mask. */
static int
mask_credentials(struct http *h, const struct mcph_buf *secrets)
{
    const char *p = NULL, *name, *value;
    int r = 0;

    if (!h->base.mask || secrets->len == 0 ||
        (h->given.len == secrets->len &&
         memcmp(h->given.data, secrets->data, secrets->len) == 0))
        return 0;
    while (r == 0 && mcph_http_headers_next(secrets, &p, &name, &value))
        r = mcph_mask_add_header(h->base.mask, value, strlen(value));
    mcph_buf_wipe(&h->given);
    if (r == 0)
        r = mcph_buf_reserve(&h->given, secrets->len);
    return r == 0 ? mcph_buf_add(&h->given, secrets->data, secrets->len) : r;
}

void
mcph_http_forget_given(struct http *h)
{
    mcph_buf_wipe(&h->given);
}

int
mcph_http_auth_attach(struct exchange *x, const char *method, const char *url,
                      mcphost_error **reterr)
{
    struct mcph_net_attempt *attempt = &x->attempt;
    struct http *h = x->http;
    int r;

    if (!h->auth)
        return 0;
    mcph_buf_wipe(&attempt->lines);
    mcph_buf_wipe(&attempt->proof);
    mcph_buf_init_secret(&attempt->lines, HTTP_SECRETS_MAX);
    mcph_buf_init_secret(&attempt->proof, HTTP_SECRETS_MAX);
    mcph_str_wipe(x->attempt_url);
    x->attempt_url = mcph_strdup(url);
    if (!x->attempt_url)
        return mcph_err_nomem(reterr);
    attempt->method = method;
    attempt->url = x->attempt_url;
    attempt->number++;
    attempt->is_resend = x->resends > 0;
    attempt->mark = 0;
    x->waiter.ready = on_ready;
    r = h->auth->attach(h->auth, attempt, &x->waiter, reterr);
    if (r == 0 && mask_credentials(h, &attempt->lines) < 0)
        r = mcph_err_nomem(reterr);
    if (r != 0)
        attempt->number--;
    return r;
}

void
mcph_http_auth_reset(struct exchange *x)
{
    x->attempt.number = x->attempt.refusals = x->resends = 0;
}

void
mcph_http_auth_cover(const struct exchange *x, char *text, size_t len)
{
    const char *p = NULL, *name, *value;

    while (mcph_http_headers_next(&x->attempt.proof, &p, &name, &value))
        mcph_cover_value(value, strlen(value), text, len);
}

/* ---- responses --------------------------------------------------------------------- */

struct reading {
    struct mcph_net_answer answer;
    const struct exchange *x;
    struct mcph_net_request *req;
};

static const struct reading *
reading_of(const struct mcph_net_answer *answer)
{
    return MCPH_CONTAINER_OF((struct mcph_net_answer *)(uintptr_t)answer, struct reading,
                             answer);
}

static const char *
read_header(const struct mcph_net_answer *answer, const char *name, size_t index)
{
    return mcph_net_get_header(reading_of(answer)->req, name, index);
}

static void
cover_secrets(const struct mcph_net_answer *answer, char *text, size_t len)
{
    mcph_http_exchange_redact(reading_of(answer)->x, text, len);
}

static int
tell_answer(struct exchange *x, struct mcph_net_request *req,
            struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    struct reading rd = {.answer = {.status = x->status,
                                    .body = x->body.data,
                                    .body_len = x->body.len,
                                    .is_cut = x->is_cut,
                                    .header = read_header,
                                    .cover = cover_secrets},
                         .x = x,
                         .req = req};
    struct mcph_net_auth *auth = x->http->auth;

    return auth->answered(auth, &x->attempt, &rd.answer, waiter, reterr);
}

void
mcph_http_auth_note(struct exchange *x, struct mcph_net_request *req)
{
    if (x->http->auth)
        (void)tell_answer(x, req, NULL, NULL);
}

/* Puts the sent body back into x->body, so that it can be sent again. */
static void
take_back(struct exchange *x)
{
    mcph_buf_done(&x->body); /* frees the response's body */
    mcph_net_take_body(x->req, &x->body);
    x->req = NULL;
}

/* Sends the request again if its connection was lost.  Makes a new attempt, because the
 * old proof was valid for one sending only.  Returns false if the request is not sent
 * again: the connection was not lost, the request may have effects, or it was sent again
 * RESENDS times. */
static bool
resend_lost(struct exchange *x)
{
    if (!mcph_net_was_lost(x->req) || x->kind == MCPH_SEND_CALL || x->resends >= RESENDS)
        return false;
    x->resends++;
    take_back(x);
    mcph_http_exchange_start_or_close(x);
    return true;
}

bool
mcph_http_auth_again(struct exchange *x, mcphost_error *error)
{
    bool is_last = x->attempt.refusals >= REFUSALS;
    int verdict;

    if (x->is_parked) {
        x->is_parked = false;
        take_back(x);
        return true;
    }
    if (!x->http->auth || (x->status >= 200 && x->status < 300))
        return false;
    if (x->status == 0)
        return error && resend_lost(x);
    mcph_http_exchange_redact_body(x);
    x->waiter.ready = on_ready;
    verdict = tell_answer(x, x->req, is_last ? NULL : &x->waiter, &x->unhelped);
    if (is_last || (verdict != MCPH_NET_AUTH_RETRY && verdict != MCPH_NET_AUTH_WAIT))
        return false;
    x->attempt.refusals++;
    take_back(x);
    if (verdict == MCPH_NET_AUTH_RETRY)
        mcph_http_exchange_start_or_close(x);
    return true;
}

bool
mcph_http_auth_moved(struct exchange *x, struct mcph_net_request *req, const char *url)
{
    struct mcph_net_header headers[HTTP_HEADERS_MAX];
    const char *method = x->attempt.method;
    mcphost_error *error = NULL;
    size_t n;
    int r;

    if (!x->http->auth)
        return true;
    r = mcph_http_auth_attach(x, method, url, &error);
    if (r == 0)
        r = mcph_http_headers_make(x, method, headers, &n);
    if (r == 0)
        r = mcph_net_set_headers(req, headers, n);
    x->is_parked = r == 1;
    if (r < 0 && !error)
        mcph_err(&error, r, "the redirect cannot be followed: %s", mcphost_strerror(r));
    x->failed = error;
    return r == 0;
}

bool
mcph_http_auth_awaited(struct mcph_transport *t)
{
    struct http *h = MCPH_CONTAINER_OF(t, struct http, base);

    return h->auth && h->auth->is_asking && h->auth->is_asking(h->auth);
}

void
mcph_http_auth_done(struct exchange *x)
{
    mcph_list_remove(&x->waiter.link);
    mcph_buf_wipe(&x->attempt.lines);
    mcph_buf_wipe(&x->attempt.proof);
    mcphost_error_unref(x->unhelped);
    x->unhelped = NULL;
    mcph_str_wipe(x->attempt_url);
    x->attempt_url = NULL;
}
