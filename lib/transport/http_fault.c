/* SPDX-License-Identifier: MIT
 *
 * http_fault.c - report a response that is no answer to the request: its status, and an
 * error with the server's words.
 *
 * A server may repeat what it was sent in a page or in a header.  Therefore secrets and
 * the session are masked before anything is reported.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"

#define SHOWN_MAX   200
#define TYPE_MAX    80
#define PAUSE_MAX   40
#define HEADERS_MAX 16

/* Mask the session in an endpoint's URL: "?session=secret", or the end of the path. */
static void
cover_query(char *text, size_t len, const char *url)
{
    const char *query = strchr(url, '?'), *value;

    if (!query)
        query = strrchr(url, '/');
    if (!query)
        return;
    mcph_cover_value(query + 1, strlen(query + 1), text, len);
    value = strrchr(query, '=');
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
    } else {
        mcph_http_exchange_redact(x, body->data, body->len);
    }
}

/* Append the content type and the beginning of the body in one line: "text/html: Not
 * here". */
static void
add_body(struct exchange *x, const char *type, struct mcph_buf *text)
{
    size_t len = x->body.len < SHOWN_MAX ? x->body.len : SHOWN_MAX;

    mcph_buf_adds(text, ", ");
    if (type)
        mcph_utf8_add_clean(text, type, strnlen(type, TYPE_MAX), true);
    else
        mcph_buf_adds(text, "without a content type");
    if (len == 0)
        return;
    mcph_buf_adds(text, ": ");
    mcph_utf8_add_clean(text, x->body.data, len, true);
    if (x->body.len > len)
        mcph_buf_adds(text, "...");
}

static int
code_of(int status)
{
    if (status == 401 || status == 403)
        return MCPHOST_E_AUTH;
    return status < 300 ? MCPHOST_E_PROTOCOL : MCPHOST_E_TRANSPORT;
}

static const char *
phrase_of(int status)
{
    switch (status) {
    case 202:
        return "accepted the request but will not answer it here";
    case 401:
        return "asks for credentials";
    case 403:
        return "does not allow it";
    case 404:
        return "has nothing at this URL";
    case 405:
        return "does not take this method at this URL";
    case 429:
        return "wants fewer requests";
    default:
        return status < 300 ? "answered with what is no message" : "refused the request";
    }
}

static void
explain(struct exchange *x, mcphost_error **reterr)
{
    const char *type = mcph_net_get_header(x->req, "content-type", 0), *more;
    struct mcph_buf text;

    mcph_buf_init(&text, 8 * SHOWN_MAX);
    mcph_buf_addf(&text, "%s (HTTP %d", phrase_of(x->status), x->status);
    add_body(x, type, &text);
    more = mcph_net_get_header(x->req, "www-authenticate", 0);
    if (more && x->status == 401) {
        mcph_buf_adds(&text, "; it asks for ");
        mcph_utf8_add_clean(&text, more, strnlen(more, SHOWN_MAX), true);
    }
    more = mcph_net_get_header(x->req, "retry-after", 0);
    if (more) {
        mcph_buf_adds(&text, "; again after ");
        mcph_utf8_add_clean(&text, more, strnlen(more, PAUSE_MAX), true);
    }
    mcph_buf_adds(&text, ")");
    if (x->unhelped)
        mcph_buf_addf(&text, ": %s", mcphost_error_get_message(x->unhelped));
    mcph_http_exchange_redact(x, text.data, text.len);
    if (mcph_buf_text(&text))
        mcph_err(reterr, code_of(x->status), "%s", text.data);
    else
        mcph_err(reterr, code_of(x->status), "%s (HTTP %d)", phrase_of(x->status),
                 x->status);
    mcph_err_set_http(*reterr, x->status, more, more ? strlen(more) : 0);
    mcph_buf_done(&text);
}

/* Copy the relevant headers, because libcurl keeps a value only until the next lookup. */
static size_t
collect(struct exchange *x, struct mcph_buf *values, struct mcph_header *ret)
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
    int status;
    struct mcph_header headers[HEADERS_MAX];
    size_t n;
    struct mcph_buf values, body;
    mcphost_error *error;
};

struct refusal *
mcph_http_refusal_new(struct exchange *x)
{
    struct refusal *refusal = calloc(1, sizeof(*refusal));

    if (!refusal)
        return NULL;
    refusal->status = x->status;
    mcph_buf_init(&refusal->values, MCPH_NET_HEADERS_MAX);
    refusal->n = collect(x, &refusal->values, refusal->headers);
    mcph_http_exchange_redact(x, refusal->values.data, refusal->values.len);
    mcph_http_exchange_redact_body(x);
    explain(x, &refusal->error);
    refusal->body = x->body;
    mcph_buf_init(&x->body, 0);
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
    free(refusal);
}

void
mcph_http_refusal_tell(struct exchange *x, struct refusal *refusal)
{
    mcph_http_enter(x);
    mcph_transport_tell_status(&x->http->base, x->stream, refusal->status,
                               refusal->headers, refusal->n,
                               mcph_span(refusal->body.data, refusal->body.len));
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
