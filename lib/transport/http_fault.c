/* SPDX-License-Identifier: MIT
 *
 * http_fault.c - report a response that is no answer to the request: its status, headers
 * and the beginning of its body.
 *
 * The transport masks secrets and the session before it reports a response, because a
 * server may repeat texts of the request in a page or in a header.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define HEADERS_MAX 16

/* Returns the part of an endpoint's URL that contains the session: the query, as in
 * "?session=secret", or the end of the path.  May return NULL. */
static const char *
query_of(const char *url)
{
    const char *query = strchr(url, '?');

    if (!query)
        query = strrchr(url, '/');
    return query ? query + 1 : NULL;
}

static void
cover_query(char *text, size_t len, const char *url)
{
    const char *query = query_of(url), *value = query ? strrchr(query, '=') : NULL;

    if (query)
        mcph_cover_value(query, strlen(query), text, len);
    if (value)
        mcph_cover_value(value + 1, strlen(value + 1), text, len);
}

void
mcph_http_redact(const struct http *h, char *text, size_t len)
{
    mcph_mask_text(h->base.mask, text, len);
    if (h->session)
        mcph_cover_value(h->session, strlen(h->session), text, len);
    if (h->given_session)
        mcph_cover_value(h->given_session, strlen(h->given_session), text, len);
    if (h->endpoint)
        cover_query(text, len, h->endpoint);
}

void
mcph_http_exchange_redact(const struct exchange *x, char *text, size_t len)
{
    mcph_http_auth_cover(x, text, len);
    mcph_http_redact(x->http, text, len);
}

static int
mask_add_text(struct mcph_mask *mask, const char *text)
{
    return text ? mcph_mask_add(mask, text, strlen(text)) : 0;
}

/* Masks the session in the strings of a JSON text.  If memory is short, also masks the
 * session in other places, which may damage the JSON. */
static void
redact_sessions(const struct http *h, char *json, size_t len)
{
    struct mcph_mask *mask = mcph_mask_new();
    const char *query = h->endpoint ? query_of(h->endpoint) : NULL;
    const char *value = query ? strrchr(query, '=') : NULL;

    if (mask && mask_add_text(mask, h->session) == 0 &&
        mask_add_text(mask, h->given_session) == 0 && mask_add_text(mask, query) == 0 &&
        mask_add_text(mask, value ? value + 1 : NULL) == 0)
        mcph_mask_json(mask, json, len);
    else
        mcph_http_redact(h, json, len);
    mcph_mask_unref(mask);
}

void
mcph_http_exchange_redact_body(struct exchange *x)
{
    struct mcph_buf *body = &x->body;
    size_t blanks = 0;

    while (blanks < body->len && strchr(" \t\r\n", body->data[blanks]))
        blanks++;
    if (blanks < body->len && body->data[blanks] == '{') {
        mcph_http_auth_cover(x, body->data, body->len);
        mcph_mask_json(x->http->base.mask, body->data, body->len);
        redact_sessions(x->http, body->data, body->len);
    } else {
        mcph_http_exchange_redact(x, body->data, body->len);
    }
}

/* Copies the relevant headers, because libcurl keeps a value only until the next
 * lookup. */
static size_t
copy_headers(struct exchange *x, struct mcph_buf *values, struct mcph_header *ret)
{
    static const char *const names[] = {"www-authenticate", "retry-after", "content-type",
                                        "location", "allow"};
    size_t n = 0, at[HEADERS_MAX];
    const char *value;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        for (size_t k = 0; n < HEADERS_MAX; k++) {
            value = mcph_net_get_header(x->req, names[i], k);
            if (!value)
                break;
            at[n] = values->len;
            ret[n].name = names[i];
            ret[n].value.len = strlen(value);
            if (mcph_buf_add(values, value, ret[n].value.len) < 0)
                break;
            n++;
        }
    }
    for (size_t i = 0; i < n; i++)
        ret[i].value.p = values->data + at[i];
    return n;
}

struct refusal {
    struct mcph_transport_status status; /* points to the members below */
    struct mcph_header headers[HEADERS_MAX];
    struct mcph_buf values, body;
    char *unhelped;
    mcphost_error *error; /* the reason why the stream is closed */
};

/* Makes the error with which closed() reports the end of the stream.  The error contains
 * the HTTP status, because the user of the transport may have no function status(). */
static mcphost_error *
make_reason(const struct mcph_transport_status *status)
{
    const struct mcph_net_meaning *meaning = mcph_net_status_meaning(status->code);
    struct mcph_span pause = MCPH_SPAN_NONE;
    mcphost_error *error = NULL;

    for (size_t i = 0; i < status->n_headers && !pause.p; i++) {
        if (strcmp(status->headers[i].name, "retry-after") == 0)
            pause = status->headers[i].value;
    }
    mcph_err(&error, meaning->code, "answered with HTTP status %d%s", status->code,
             meaning->words);
    mcph_err_set_http(error, status->code, pause.p, pause.len);
    return error;
}

struct refusal *
mcph_http_refusal_new(struct exchange *x)
{
    struct refusal *refusal = calloc(1, sizeof(*refusal));

    if (!refusal)
        return NULL;
    mcph_buf_init(&refusal->values, MCPH_NET_HEADERS_MAX);
    refusal->status.code = x->status;
    refusal->status.headers = refusal->headers;
    refusal->status.n_headers = copy_headers(x, &refusal->values, refusal->headers);
    mcph_http_exchange_redact(x, refusal->values.data, refusal->values.len);
    mcph_http_exchange_redact_body(x);
    refusal->body = x->body;
    refusal->status.body = mcph_span(x->body.data, x->body.len);
    mcph_buf_init(&x->body, 0);
    if (x->unhelped)
        refusal->unhelped = mcph_strdup(mcphost_error_get_message(x->unhelped));
    if (refusal->unhelped)
        mcph_http_exchange_redact(x, refusal->unhelped, strlen(refusal->unhelped));
    refusal->status.unhelped = refusal->unhelped;
    refusal->error = make_reason(&refusal->status);
    return refusal;
}

void
mcph_http_refusal_free(struct refusal *refusal)
{
    if (!refusal)
        return;
    mcphost_error_unref(refusal->error);
    mcph_buf_done(&refusal->values);
    mcph_buf_done(&refusal->body);
    free(refusal->unhelped);
    free(refusal);
}

void
mcph_http_refusal_tell(struct exchange *x, struct refusal *refusal)
{
    mcph_http_enter(x);
    mcph_transport_tell_status(&x->http->base, x->stream, &refusal->status);
    if (!x->dead)
        mcph_http_exchange_close(x, refusal->error);
    mcph_http_leave(x);
}

void
mcph_http_exchange_refused(struct exchange *x)
{
    struct refusal *refusal = mcph_http_refusal_new(x);
    mcphost_error *error = NULL;

    if (!refusal) {
        mcph_err_nomem(&error);
        mcph_http_exchange_close(x, error);
        mcphost_error_unref(error);
        return;
    }
    mcph_http_refusal_tell(x, refusal);
    mcph_http_refusal_free(refusal);
}
