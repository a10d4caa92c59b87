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

void
http_keep_given(struct http *h, const struct mcph_buf *secrets)
{
    clear(&h->given);
    if (secrets && secrets->len > 0 && mcph_buf_reserve(&h->given, secrets->len) == 0)
        mcph_buf_add(&h->given, secrets->data, secrets->len);
}

int
auth_ask(struct exchange *x, const char *method, mcphost_error **reterr)
{
    struct http *h = x->http;

    if (!h->auth)
        return 0;
    clear(&x->secrets);
    x->waiter.ready = on_ready;
    return h->auth->authorize(h->auth, method, h->url, &x->secrets, &x->waiter, reterr);
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
        http_redact(x->http, &x->secrets, values[n], strlen(values[n]));
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

void
auth_done(struct exchange *x)
{
    mcph_list_remove(&x->waiter.link);
    clear(&x->secrets);
    mcph_buf_done(&x->secrets);
}
