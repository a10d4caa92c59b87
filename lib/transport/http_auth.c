/* SPDX-License-Identifier: MIT
 *
 * http_auth.c - credentials that somebody else keeps (architecture.md section 6.7).
 *
 * Each request asks what it is to carry, and may have to wait for that; one that is
 * refused all the same is sent again if the keeper thinks that this helps, CHALLENGES
 * times at most.  What the keeper gives stands before the user's headers of that name.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define CHALLENGES  3
#define VALUES_MAX  8
#define SECRETS_MAX (64u * 1024u)

static void
on_ready(struct mcph_net_waiter *waiter)
{
    exchange_start_or_close(MCPH_CONTAINER_OF(waiter, struct exchange, waiter));
}

static void
clear(struct mcph_buf *secrets)
{
    if (secrets->data)
        explicit_bzero(secrets->data, secrets->cap);
    mcph_buf_done(secrets);
    mcph_buf_init(secrets, SECRETS_MAX);
}

/* What was given is not to be seen where it comes back. */
static int
learn(struct http *h, const struct mcph_buf *secrets)
{
    const char *p = NULL, *name, *value;
    int r = 0;

    if (!h->base.mask || secrets->len == 0 ||
        (h->given.len == secrets->len &&
         memcmp(h->given.data, secrets->data, secrets->len) == 0))
        return 0;
    while (r == 0 && headers_next(secrets, &p, &name, &value))
        r = mcph_mask_add_header(h->base.mask, value, strlen(value));
    clear(&h->given);
    if (r == 0)
        r = mcph_buf_reserve(&h->given, secrets->len);
    return r == 0 ? mcph_buf_add(&h->given, secrets->data, secrets->len) : r;
}

void
http_forget_given(struct http *h)
{
    clear(&h->given);
    mcph_buf_done(&h->given);
}

int
auth_ask(struct exchange *x, const char *method, mcphost_error **reterr)
{
    struct http *h = x->http;
    int r;

    if (!h->auth)
        return 0;
    clear(&x->secrets);
    x->waiter.ready = on_ready;
    r = h->auth->authorize(h->auth, method, h->url, &x->secrets, &x->waiter, reterr);
    if (r == 0 && learn(h, &x->secrets) < 0)
        r = mcph_err_nomem(reterr);
    return r;
}

static size_t
collect(struct exchange *x, char **values)
{
    const char *value;
    size_t n = 0;

    /* A copy: the one that libcurl gives is good until the next. */
    for (; n < VALUES_MAX; n++) {
        value = mcph_net_get_header(x->req, "www-authenticate", n);
        values[n] = value ? mcph_strdup(value) : NULL;
        if (!values[n])
            break;
        http_redact(x->http, values[n], strlen(values[n]));
    }
    return n;
}

bool
auth_again(struct exchange *x)
{
    struct http *h = x->http;
    char *values[VALUES_MAX];
    size_t n;
    int r;

    if (!h->auth || (x->status != 401 && x->status != 403) || x->challenges >= CHALLENGES)
        return false;
    x->challenges++;
    n = collect(x, values);
    x->waiter.ready = on_ready;
    r = h->auth->challenged(h->auth, x->status, (const char *const *)values, n,
                            &x->secrets, &x->waiter);
    while (n > 0)
        free(values[--n]);
    if (r == MCPH_NET_AUTH_FAIL)
        return false;
    mcph_buf_done(&x->body); /* the page that came */
    mcph_net_take_body(x->req, &x->body);
    x->req = NULL;
    if (r == MCPH_NET_AUTH_RETRY)
        exchange_start_or_close(x);
    return true;
}

bool
auth_awaited(struct mcph_transport *t)
{
    struct http *h = MCPH_CONTAINER_OF(t, struct http, base);

    return h->auth && h->auth->asking && h->auth->asking(h->auth);
}

void
auth_done(struct exchange *x)
{
    mcph_list_remove(&x->waiter.link);
    clear(&x->secrets);
    mcph_buf_done(&x->secrets);
}
