/* SPDX-License-Identifier: MIT
 *
 * http_headers.c - the headers of a request.  They come from the transport, the sender,
 * the provider of credentials, and the server's configuration.
 *
 * The configuration and the provider may add any header that the protocol does not define
 * (MCP 2026-07-28, "Streamable HTTP"; R17).  The sender's values are encoded if a header
 * cannot carry them.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "transport/http.h"

static const char encoded_start[] = "=?base64?";
#define ENCODED_END "?="

/* Returns true if a header can carry the value: visible ASCII that is not empty, with
 * blanks and tabs only inside.  Returns false for a value that looks encoded, because the
 * server would decode this value. */
static bool
is_plain(struct mcph_span v)
{
    size_t mark = sizeof(encoded_start) - 1;

    if (v.len == 0 || v.p[0] == ' ' || v.p[0] == '\t' || v.p[v.len - 1] == ' ' ||
        v.p[v.len - 1] == '\t')
        return false;
    for (size_t i = 0; i < v.len; i++) {
        unsigned char c = (unsigned char)v.p[i];

        if ((c < 0x20 && c != '\t') || c > 0x7e)
            return false;
    }
    return v.len < mark + 2 || memcmp(v.p, encoded_start, mark) != 0 ||
           memcmp(v.p + v.len - 2, ENCODED_END, 2) != 0;
}

int
mcph_http_headers_add(struct mcph_buf *lines, const struct mcph_header *header)
{
    mcph_buf_add(lines, header->name, strlen(header->name) + 1);
    if (is_plain(header->value)) {
        mcph_buf_add(lines, header->value.p, header->value.len);
    } else {
        mcph_buf_adds(lines, encoded_start);
        mcph_base64_add(lines, header->value.p, header->value.len);
        mcph_buf_adds(lines, ENCODED_END);
    }
    mcph_buf_addc(lines, '\0');
    return mcph_buf_ok(lines);
}

bool
mcph_http_is_reserved(const char *name)
{
    static const char *const ours[] = {
        "Accept",         "Accept-Encoding",
        "Connection",     "Content-Encoding",
        "Content-Length", "Content-Type",
        "Expect",         "Host",
        "Last-Event-ID",  "MCP-Protocol-Version",
        "Mcp-Method",     "Mcp-Name",
        "Mcp-Session-Id", "TE",
        "Trailer",        "Transfer-Encoding",
        "Upgrade",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ours); i++) {
        if (strcasecmp(name, ours[i]) == 0)
            return true;
    }
    return strncasecmp(name, "Mcp-Param-", 10) == 0;
}

struct maker {
    struct mcph_net_header *items;
    size_t n;
};

static void
add_header(struct maker *m, const char *name, const char *value)
{
    if (m->n < HTTP_HEADERS_MAX)
        m->items[m->n] = (struct mcph_net_header){name, value, strlen(value)};
    m->n++;
}

bool
mcph_http_headers_next(const struct mcph_buf *lines, const char **p,
                       const char **ret_name, const char **ret_value)
{
    if (!*p)
        *p = lines->data;
    if (!*p || *p >= lines->data + lines->len)
        return false;
    *ret_name = *p;
    *ret_value = *p + strlen(*p) + 1;
    *p = *ret_value + strlen(*ret_value) + 1;
    return true;
}

static void
make_lines(struct maker *m, const struct mcph_buf *lines, bool ours)
{
    const char *p = NULL, *name, *value;

    while (mcph_http_headers_next(lines, &p, &name, &value)) {
        if (ours || !mcph_http_is_reserved(name))
            add_header(m, name, value);
    }
}

static bool
has_line(const struct mcph_buf *lines, const char *wanted)
{
    const char *p = NULL, *name, *value;

    while (mcph_http_headers_next(lines, &p, &name, &value)) {
        if (strcasecmp(name, wanted) == 0)
            return true;
    }
    return false;
}

int
mcph_http_headers_make(const struct exchange *x, const char *method,
                       struct mcph_net_header *ret, size_t *ret_n)
{
    const struct http *h = x->http;
    struct maker m = {ret, 0};
    bool post = method[0] == 'P';

    if (post)
        add_header(&m, "Content-Type", "application/json");
    if (method[0] != 'D')
        add_header(&m, "Accept",
                   post ? "application/json, text/event-stream" : "text/event-stream");
    make_lines(&m, &x->lines, true);
    if (!has_line(&x->lines, "MCP-Protocol-Version") && !post && h->version[0])
        add_header(&m, "MCP-Protocol-Version", h->version);
    if (h->session && h->shake != SHAKE_NONE)
        add_header(&m, "Mcp-Session-Id", h->session);
    if (!post && method[0] != 'D' && x->sse && x->sse->id[0])
        add_header(&m, "Last-Event-ID", x->sse->id);
    make_lines(&m, &x->attempt.lines, false);
    make_lines(&m, &x->attempt.proof, false);
    for (size_t i = 0; i < h->n_user; i++) {
        if (has_line(&x->lines, h->user[i].name) ||
            has_line(&x->attempt.lines, h->user[i].name) ||
            has_line(&x->attempt.proof, h->user[i].name))
            continue;
        if (m.n < HTTP_HEADERS_MAX)
            ret[m.n] = h->user[i];
        m.n++;
    }
    *ret_n = m.n;
    return m.n <= HTTP_HEADERS_MAX ? 0 : MCPHOST_E_LIMIT;
}

/* Returns true if a session is not empty, not too long, and visible ASCII (MCP
 * 2025-11-25, "Session Management"). */
bool
mcph_http_session_is_valid(const char *session)
{
    const char *p;

    for (p = session; *p; p++) {
        if (*p < 0x21 || *p > 0x7e)
            return false;
    }
    return p > session && p - session <= 4096;
}

bool
mcph_http_type_is(const char *type, const char *essence)
{
    size_t len = strlen(essence);

    if (!type)
        return false;
    type += strspn(type, " \t");
    return strncasecmp(type, essence, len) == 0 &&
           (type[len] == '\0' || type[len] == ';' || type[len] == ' ' ||
            type[len] == '\t');
}
