/* SPDX-License-Identifier: MIT
 *
 * rows_wire.c - servers that are hostile with bytes and lines: noise, floods, endless
 * messages, and messages that cost much work for their size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isolation/isolation.h"

static void
echo(struct out *out, const char *id, const char *token)
{
    (void)token;
    out_result(out, id, "{\"content\":[{\"type\":\"text\",\"text\":\"well\"}]}");
}

static void
list_echo(struct out *out, const char *id, const char *request)
{
    (void)request;
    out_result(out, id,
               "{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}");
}

static void
noise(struct out *out)
{
    while (out_text(out, "x\n"))
        ;
}

static void
empty_lines(struct out *out)
{
    while (out_text(out, "\n"))
        ;
}

static void
tiny_messages(struct out *out)
{
    while (out_message(out, "{}"))
        ;
}

static void
endless_line(struct out *out)
{
    out_begin(out);
    out_text(out, "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"");
    while (out_fill(out, 'x', 1u << 20))
        ;
}

static void
nested(struct out *out)
{
    do {
        out_begin(out);
        out_fill(out, '[', 100000);
        out_fill(out, ']', 100000);
        out_end(out);
    } while (out_flush(out));
}

static void
batches(struct out *out)
{
    do {
        out_begin(out);
        out_text(out, "[{}");
        for (int i = 0; i < 100000; i++)
            out_text(out, ",{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");
        out_text(out, "]");
        out_end(out);
    } while (out_flush(out));
}

static void
strange_answers(struct out *out)
{
    for (unsigned long i = 1000000;
         out_message(out, "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{}}", i); i++)
        ;
}

static void
huge_ids(struct out *out)
{
    do {
        out_begin(out);
        out_text(out, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"");
        out_fill(out, 'i', 1u << 20);
        out_text(out, "\"}");
        out_end(out);
    } while (out_flush(out));
}

static void
many_members(struct out *out)
{
    char text[64];

    do {
        out_begin(out);
        out_text(out, "{\"jsonrpc\":\"2.0\",\"method\":\"m\"");
        for (int i = 0; i < 200000; i++) {
            snprintf(text, sizeof(text), ",\"id%d\":%d", i, i);
            out_text(out, text);
        }
        out_text(out, "}");
        out_end(out);
    } while (out_flush(out));
}

/* ---- stderr ------------------------------------------------------------------------ */

static void
stderr_with(const char *line)
{
    char block[65536];
    size_t len = strlen(line), n = 0;

    while (n + len <= sizeof(block)) {
        memcpy(block + n, line, len);
        n += len;
    }
    while (fwrite(block, 1, n, stderr) == n)
        ;
}

static void
stderr_short(struct out *out)
{
    (void)out;
    stderr_with("e\n");
}

static void
stderr_long(struct out *out)
{
    char line[8192];

    (void)out;
    memset(line, 'e', sizeof(line));
    line[sizeof(line) - 2] = '\n';
    line[sizeof(line) - 1] = '\0';
    stderr_with(line);
}

static void
stderr_bytes(struct out *out)
{
    (void)out;
    stderr_with("\xff\xfe\x80");
}

static void
both_outputs(struct out *out)
{
    (void)out;
    for (;;) {
        fputs("an error of this server, in a line of its own\n", stderr);
        out_message(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                         "\"params\":{\"level\":\"info\",\"data\":\"x\"}}");
        if (!out_flush(out))
            return;
    }
}

/* ---- start and end ----------------------------------------------------------------- */

static void
dies(void)
{
    exit(1);
}

static void
dies_later(struct out *out)
{
    (void)out;
    exit(1);
}

static void
silent(void)
{
    pause_ms(1000000);
}

static const struct row rows[] = {
    {.name = "healthy", .what = "nothing", .where = 0, .call = echo, .list = list_echo},
    {.name = "idle",
     .what = "a server that is not hostile",
     .where = STDIO | WEB,
     .calls = 1},
    {.name = "noise",
     .what = "lines that are no messages",
     .where = STDIO,
     .hello = noise},
    {.name = "empty-lines",
     .what = "empty lines",
     .where = STDIO | WEB,
     .hello = empty_lines},
    {.name = "tiny-messages",
     .what = "messages of two bytes",
     .where = STDIO | WEB,
     .hello = tiny_messages},
    {.name = "endless-line",
     .what = "a message without end",
     .where = STDIO | WEB,
     .hello = endless_line},
    {.name = "nested", .what = "100,000 brackets", .where = STDIO | WEB, .hello = nested},
    {.name = "batches",
     .what = "batches of 100,000",
     .where = STDIO | WEB,
     .hello = batches,
     .version = "2025-03-26"},
    {.name = "strange-answers",
     .what = "answers to nothing",
     .where = STDIO | WEB,
     .hello = strange_answers},
    {.name = "huge-ids",
     .what = "pings whose ids are 1 MiB, answers not read",
     .where = STDIO | WEB,
     .hello = huge_ids,
     .deaf = true},
    {.name = "many-members",
     .what = "objects of 200,000 members",
     .where = STDIO | WEB,
     .hello = many_members},
    {.name = "stderr-short",
     .what = "lines of one byte on stderr",
     .where = STDIO,
     .hello = stderr_short},
    {.name = "stderr-long",
     .what = "lines of 8 KiB on stderr",
     .where = STDIO,
     .hello = stderr_long},
    {.name = "stderr-bytes",
     .what = "invalid bytes on stderr, no line ends",
     .where = STDIO,
     .hello = stderr_bytes},
    {.name = "stderr-and-log",
     .what = "stderr and log messages at once",
     .where = STDIO,
     .hello = both_outputs},
    {.name = "dies", .what = "ends before it speaks", .where = STDIO, .start = dies},
    {.name = "dies-later",
     .what = "ends when the session has begun",
     .where = STDIO,
     .hello = dies_later,
     .calls = 4},
    {.name = "silent",
     .what = "never answers",
     .where = STDIO,
     .start = silent,
     .calls = 4},
};
ROWS(rows)
