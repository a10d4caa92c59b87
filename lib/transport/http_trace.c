/* SPDX-License-Identifier: MIT
 *
 * http_trace.c - write HTTP requests and responses to the trace: request lines and
 * headers.
 *
 * For a request, the trace shows the values of the headers that the protocol defines,
 * except the session.  The trace shows only the names of configured headers and of
 * headers of the provider of credentials.  For a response, the trace shows only the
 * headers that mcph_http_trace_answer() lists, and of the session's header only the
 * name.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "transport/http.h"

#define LINE_MAX_BYTES (16u * 1024u)

static bool
may_be_shown(const char *name)
{
    return mcph_http_is_reserved(name) && strcasecmp(name, "Mcp-Session-Id") != 0;
}

static void
trace_line(struct http *h, const char *mark, struct mcph_buf *line)
{
    if (mcph_buf_ok(line) == 0)
        mcph_trace(&h->base, mark, "", mcph_span(line->data, line->len));
    mcph_buf_done(line);
}

void
mcph_http_trace_request(struct exchange *x, const char *method, const char *url,
                        const struct mcph_net_header *headers, size_t n)
{
    struct http *h = x->http;
    struct mcph_buf line;
    char *shown;

    if (!mcph_trace_wanted(&h->base))
        return;
    mcph_buf_init(&line, LINE_MAX_BYTES);
    shown = mcph_net_url_shown(url);
    mcph_buf_addf(&line, "%s %s", method, shown ? shown : "?");
    free(shown);
    for (size_t i = 0; i < n; i++) {
        mcph_buf_addf(&line, "%s %s: ", i ? ";" : ",", headers[i].name);
        if (may_be_shown(headers[i].name))
            mcph_buf_add(&line, headers[i].value, headers[i].len);
        else
            mcph_buf_adds(&line, "***");
    }
    trace_line(h, ">", &line);
}

void
mcph_http_trace_answer(struct exchange *x, struct mcph_net_request *req)
{
    static const char *const names[] = {
        "content-type", "mcp-protocol-version", "www-authenticate", "retry-after",
        "allow",        "mcp-session-id"};
    struct http *h = x->http;
    struct mcph_buf line;
    const char *value;

    if (!mcph_trace_wanted(&h->base))
        return;
    mcph_buf_init(&line, LINE_MAX_BYTES);
    mcph_buf_addf(&line, "HTTP %d", mcph_net_get_status(req));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        value = mcph_net_get_header(req, names[i], 0);
        if (value)
            mcph_buf_addf(&line, "; %s: %.1000s", names[i],
                          i + 1 < MCPH_ARRAY_SIZE(names) ? value : "***");
    }
    trace_line(h, "<", &line);
}

void
mcph_http_trace_end(struct exchange *x, mcphost_error *error)
{
    if (error && mcph_trace_wanted(&x->http->base))
        mcph_trace(&x->http->base, "<",
                   "failed: ", mcph_span_str(mcphost_error_get_message(error)));
}
