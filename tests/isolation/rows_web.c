/* SPDX-License-Identifier: MIT
 *
 * rows_web.c - servers that are hostile with HTTP itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isolation/isolation.h"

static bool
is_call(const struct web_request *req)
{
    return strcmp(req->rpc, "\"tools/call\"") == 0;
}

/* ---- compression ------------------------------------------------------------------- */

struct bits {
    struct out *out;
    unsigned char block[4096];
    size_t n;
    unsigned acc, n_acc;
};

static void
put_bits(struct bits *b, unsigned value, unsigned n)
{
    b->acc |= value << b->n_acc;
    for (b->n_acc += n; b->n_acc >= 8; b->n_acc -= 8, b->acc >>= 8) {
        b->block[b->n++] = (unsigned char)b->acc;
        if (b->n == sizeof(b->block)) {
            out_raw(b->out, b->block, b->n);
            b->n = 0;
        }
    }
}

/* Writes a code of deflate's fixed table with its bits in reverse order, as deflate
 * requires. */
static void
put_code(struct bits *b, unsigned code, unsigned n)
{
    unsigned turned = 0;

    for (unsigned i = 0; i < n; i++)
        turned |= ((code >> i) & 1) << (n - 1 - i);
    put_bits(b, turned, n);
}

static void
put_byte(struct bits *b, unsigned char c)
{
    if (c < 144)
        put_code(b, 0x30u + c, 8);
    else
        put_code(b, 0x190u + c - 144, 9);
}

/* Writes gzip data for `before`, then for 258 * n copies of its last byte, then for
 * `behind`.  258 bytes take only 13 bits on the wire. */
static void
bomb(struct out *out, const char *before, size_t n, const char *behind)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8};
    struct bits b = {.out = out};

    out_raw(out, head, sizeof(head));
    put_bits(&b, 1, 1); /* the last block, with fixed codes */
    put_bits(&b, 1, 2);
    for (; *before; before++)
        put_byte(&b, (unsigned char)*before);
    for (size_t i = 0; i < n; i++) {
        put_code(&b, 0xc5, 8); /* length 258 */
        put_code(&b, 0, 5);    /* distance 1 */
    }
    for (; *behind; behind++)
        put_byte(&b, (unsigned char)*behind);
    put_code(&b, 0, 7);
    put_bits(&b, 0, 7);
    out_raw(out, b.block, b.n);
    out_fill(out, '\0', 8); /* a wrong check sum and a wrong size */
}

static bool
gzip_json(struct out *out, const struct web_request *req)
{
    char before[256];

    if (!is_call(req))
        return false;
    snprintf(before, sizeof(before),
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\","
             "\"text\":\"aaaa",
             req->id);
    web_head(out, 200, "application/json",
             "Content-Encoding: gzip\r\nConnection: close\r\n", -1);
    bomb(out, before, (60u << 20) / 258, "\"}]}}");
    out_flush(out);
    web_head(out, 200, "text/plain", "", 0);
    return true;
}

/* Answers with a gzip transfer coding.  libcurl decodes the body although the host has
 * not requested this coding. */
static bool
gzip_transfer(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    out_text(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  "Transfer-Encoding: gzip\r\nConnection: close\r\n\r\n");
    bomb(out, "\n", (400u << 20) / 258, "");
    out_flush(out);
    return true;
}

static bool
gzip_events(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    web_head(out, 200, "text/event-stream",
             "Content-Encoding: gzip\r\nConnection: close\r\n", -1);
    bomb(out, "\n", (400u << 20) / 258, "");
    out_flush(out);
    return true;
}

/* ---- heads ------------------------------------------------------------------------- */

static bool
endless_head(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    out_text(out, "HTTP/1.1 200 OK\r\n");
    while (out_text(out, "X-More: and more, and more, and more, and more\r\n"))
        ;
    return true;
}

static bool
long_header(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    out_text(out, "HTTP/1.1 200 OK\r\nX-Long: ");
    while (out_fill(out, 'h', 65536))
        ;
    return true;
}

static bool
interim(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    while (out_text(out, "HTTP/1.1 100 Continue\r\n\r\n"))
        ;
    return true;
}

static bool
redirects(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    web_head(out, 307, "text/plain", "Location: /mcp\r\n", 0);
    return true;
}

static bool
trailers(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    out_text(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n0\r\n");
    while (out_text(out, "X-Trailer: more\r\n"))
        ;
    return true;
}

/* ---- bodies ------------------------------------------------------------------------ */

static bool
one_byte_chunks(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    out_text(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n");
    while (out_text(out, "1\r\n:\r\n1\r\n\n\r\n"))
        ;
    return true;
}

static bool
endless_page(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    web_head(out, 500, "text/html", "", -1);
    while (out_fill(out, 'p', 65536))
        ;
    return true;
}

static bool
unauthorized(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    web_head(out, 401, "text/plain", "WWW-Authenticate: Bearer\r\n", 0);
    return true;
}

static bool
forgets(struct out *out, const struct web_request *req)
{
    if (!is_call(req))
        return false;
    web_head(out, 404, "text/plain", "", 0);
    return true;
}

static bool
cuts(struct out *out, const struct web_request *req)
{
    static char text[] =
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n\nid: 7\nretry: 0\n\n";

    if (!is_call(req) && strcmp(req->method, "GET") != 0)
        return false;
    web_head(out, 200, "text/event-stream", "Connection: close\r\n", (long)strlen(text));
    out_text(out, text);
    return true;
}

/* Never responds to a POST that carries an answer of the host (a message without a
 * method). */
static bool
holds_answers(struct out *out, const struct web_request *req)
{
    if (strcmp(req->method, "POST") != 0 || *req->rpc)
        return false;
    out_flush(out);
    pause_ms(100000);
    return true;
}

/* ---- streams of events ------------------------------------------------------------- */

static void
pings(struct out *out)
{
    for (unsigned long i = 0;
         out_message(out, "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"method\":\"ping\"}", i); i++)
        ;
}

static void
comments(struct out *out)
{
    while (out_text(out, ":\n"))
        ;
}

static void
empty_events(struct out *out)
{
    while (out_text(out, "data:\n\n"))
        ;
}

static void
ids(struct out *out)
{
    char text[64];

    for (unsigned long i = 0;; i++) {
        snprintf(text, sizeof(text), "id: %lu\n\n", i);
        if (!out_text(out, text))
            return;
    }
}

static void
long_fields(struct out *out)
{
    out_text(out, "id: ");
    while (out_fill(out, 'i', 65536))
        ;
}

static const struct row rows[] = {
    {.name = "gzip-json",
     .what = "60 MiB packed into 390 KB",
     .where = WEB,
     .web = gzip_json,
     .calls = 4,
     .keeps = true},
    {.name = "gzip-events",
     .what = "events of 400 MiB packed",
     .where = WEB,
     .web = gzip_events,
     .calls = 4},
    {.name = "gzip-transfer",
     .what = "a transfer coding of 400 MiB packed",
     .where = WEB,
     .web = gzip_transfer,
     .calls = 4},
    {.name = "pings-held",
     .what = "pings whose answers are not answered",
     .where = WEB,
     .hello = pings,
     .web = holds_answers},
    {.name = "comments", .what = "comments of a stream", .where = WEB, .hello = comments},
    {.name = "empty-events",
     .what = "events of nothing",
     .where = WEB,
     .hello = empty_events},
    {.name = "event-ids", .what = "ids of events", .where = WEB, .hello = ids},
    {.name = "long-event-id",
     .what = "an id without end",
     .where = WEB,
     .hello = long_fields},
    {.name = "endless-head",
     .what = "headers without end",
     .where = WEB,
     .web = endless_head,
     .calls = 4},
    {.name = "long-header",
     .what = "a header without end",
     .where = WEB,
     .web = long_header,
     .calls = 4},
    {.name = "interim",
     .what = "100 Continue without end",
     .where = WEB,
     .web = interim,
     .calls = 4},
    {.name = "redirects",
     .what = "redirects to itself",
     .where = WEB,
     .web = redirects,
     .calls = 8},
    {.name = "trailers",
     .what = "trailers without end",
     .where = WEB,
     .web = trailers,
     .calls = 4},
    {.name = "one-byte-chunks",
     .what = "chunks of one byte",
     .where = WEB,
     .web = one_byte_chunks,
     .calls = 4},
    {.name = "endless-page",
     .what = "an error's body without end",
     .where = WEB,
     .web = endless_page,
     .calls = 4},
    {.name = "unauthorized",
     .what = "401 to each call",
     .where = WEB,
     .web = unauthorized,
     .calls = 8},
    {.name = "forgets",
     .what = "forgets the session at each call",
     .where = WEB,
     .web = forgets,
     .calls = 8},
    {.name = "cuts",
     .what = "cuts each stream and lets it be taken up at once",
     .where = WEB,
     .web = cuts,
     .calls = 8},
};
ROWS(rows)
