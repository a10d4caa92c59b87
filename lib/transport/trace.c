/* SPDX-License-Identifier: MIT
 *
 * trace.c - write sent and received messages to the log (MCPHOST_LOG_TRACE), with secrets
 * masked.
 *
 * The masked part of a message is longer than the shown part, so that a secret that is
 * cut at the end of the shown part is still recognised.  The trace never shows the state
 * of a request (MCP 2026-07-28, "Multi round-trip requests"), because the state concerns
 * only the server.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/transport.h"

#define SECRET_MIN 6
#define SHOWN_MAX  2000u
#define WINDOW     (SHOWN_MAX + 32u * 1024u)

/* ---- masking ----------------------------------------------------------------------- */

void
mcph_cover_value(const char *secret, size_t secret_len, char *text, size_t len)
{
    char *p;

    if (secret_len < SECRET_MIN || len == 0)
        return;
    for (p = memmem(text, len, secret, secret_len); p;
         p = memmem(p, len - (size_t)(p - text), secret, secret_len))
        memset(p, '*', secret_len);
    /* Mask a secret that is cut at the end of `text`. */
    for (size_t n = secret_len - 1; n >= SECRET_MIN; n--) {
        if (n <= len && memcmp(text + len - n, secret, n) == 0) {
            memset(text + len - n, '*', n);
            return;
        }
    }
}

/* Masks the string after each "requestState", up to its end or the end of the text. */
static void
cover_state(char *text, size_t len)
{
    static const char key[] = "\"requestState\"";
    char *p = text, *end = text + len;

    for (;;) {
        p = memmem(p, (size_t)(end - p), key, sizeof(key) - 1);
        if (!p)
            return;
        p += sizeof(key) - 1;
        while (p < end && (*p == ' ' || *p == ':'))
            p++;
        if (p == end || *p != '"')
            continue;
        for (p++; p < end && *p != '"'; p++) {
            if (*p == '\\' && p + 1 < end)
                *p++ = '*';
            *p = '*';
        }
    }
}

/* ---- lines ------------------------------------------------------------------------- */

void
mcph_trace(struct mcph_transport *t, const char *mark, const char *what,
           struct mcph_span text)
{
    size_t len = text.len < WINDOW ? text.len : WINDOW;
    char *copy = mcph_strndup(text.p, len);
    size_t shown = len < SHOWN_MAX ? len : SHOWN_MAX;

    if (!copy)
        return;
    mcph_mask_text(t->mask, copy, len);
    if (t->ops->cover)
        t->ops->cover(t, copy, len);
    cover_state(copy, len);
    if (text.len > shown)
        mcph_log(t->core, MCPHOST_LOG_TRACE, "wire", t->server,
                 "%s %s%.*s... (%zu bytes)", mark, what, (int)shown, copy, text.len);
    else
        mcph_log(t->core, MCPHOST_LOG_TRACE, "wire", t->server, "%s %s%.*s", mark, what,
                 (int)shown, copy);
    explicit_bzero(copy, len);
    free(copy);
}
