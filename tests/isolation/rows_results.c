/* SPDX-License-Identifier: MIT
 *
 * rows_results.c - servers whose answers to calls are hostile.
 */
#include <stdio.h>
#include <string.h>

#include "isolation/isolation.h"

static void
begin_result(struct out *out, const char *id)
{
    out_begin(out);
    out_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    out_text(out, id);
    out_text(out, ",\"result\":{\"content\":[");
}

static void
end_result(struct out *out)
{
    out_text(out, "]}}");
    out_end(out);
    out_flush(out);
}

static void
big(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"");
    out_fill(out, 'b', 60u << 20);
    out_text(out, "\"}");
    end_result(out);
}

static void
middling(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"");
    out_fill(out, 'b', 8u << 20);
    out_text(out, "\"}");
    end_result(out);
}

static void
too_big(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"");
    out_fill(out, 'b', 100u << 20);
    out_text(out, "\"}");
    end_result(out);
}

static void
many_items(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"\"}");
    for (int i = 0; i < 100000; i++)
        out_text(out, ",{\"type\":\"text\",\"text\":\"x\"}");
    end_result(out);
}

static void
escapes(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 2000000; i++)
        out_text(out, "\\u0041");
    out_text(out, "\"}");
    end_result(out);
}

/* Answers with a text that is valid UTF-8 except for its last byte. */
static void
bad_utf8(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 4000000; i++)
        out_text(out, "\xc3\xa4");
    out_text(out, "\xff\"}");
    end_result(out);
}

static void
digits(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_fill(out, '9', 16u << 20);
    end_result(out);
}

static void
pictures(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_text(out, "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"");
    out_fill(out, 'A', 8u << 20);
    out_text(out, "\"}");
    end_result(out);
}

static void
nested(struct out *out, const char *id, const char *token)
{
    (void)token;
    begin_result(out, id);
    out_fill(out, '[', 200000);
    out_fill(out, ']', 200000);
    end_result(out);
}

static void
long_error(struct out *out, const char *id, const char *token)
{
    (void)token;
    out_begin(out);
    out_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    out_text(out, id);
    out_text(out, ",\"error\":{\"code\":-1,\"message\":\"");
    out_fill(out, 'e', 16u << 20);
    out_text(out, "\"}}");
    out_end(out);
}

static void
twice(struct out *out, const char *id, const char *token)
{
    (void)token;
    for (int i = 0; i < 1000; i++)
        out_result(out, id, "{\"content\":[]}");
}

static void
never(struct out *out, const char *id, const char *token)
{
    (void)id;
    (void)token;
    out_flush(out);
    if (out_is_web(out))
        pause_ms(100000);
}

static void
says_nothing(struct out *out)
{
    (void)out;
    pause_ms(1000000);
}

static const struct row rows[] = {
    {.name = "big-results",
     .what = "results of 60 MiB, kept",
     .where = STDIO | WEB,
     .call = big,
     .calls = 8,
     .keeps = true},
    {.name = "middling-results",
     .what = "results of 8 MiB, kept",
     .where = STDIO | WEB,
     .call = middling,
     .calls = 16,
     .keeps = true},
    {.name = "too-big-results",
     .what = "results of 100 MiB",
     .where = STDIO | WEB,
     .call = too_big,
     .calls = 4},
    {.name = "many-items",
     .what = "results of 100,000 items",
     .where = STDIO | WEB,
     .call = many_items,
     .calls = 4,
     .items = true},
    {.name = "escapes",
     .what = "texts of 2,000,000 escapes",
     .where = STDIO | WEB,
     .call = escapes,
     .calls = 4,
     .items = true},
    {.name = "bad-utf8",
     .what = "8 MB whose last byte is no UTF-8",
     .where = STDIO | WEB,
     .call = bad_utf8,
     .calls = 4},
    {.name = "digits",
     .what = "a number of 16 MiB",
     .where = STDIO | WEB,
     .call = digits,
     .calls = 4},
    {.name = "pictures",
     .what = "pictures of 8 MiB",
     .where = STDIO | WEB,
     .call = pictures,
     .calls = 4,
     .items = true},
    {.name = "nested-results",
     .what = "results 200,000 deep",
     .where = STDIO | WEB,
     .call = nested,
     .calls = 4},
    {.name = "long-errors",
     .what = "error messages of 16 MiB",
     .where = STDIO | WEB,
     .call = long_error,
     .calls = 4},
    {.name = "answers-often",
     .what = "each call is answered 1,000 times",
     .where = STDIO | WEB,
     .call = twice,
     .calls = 8},
    {.name = "never-answers",
     .what = "calls stay open",
     .where = STDIO | WEB,
     .call = never,
     .calls = 32},
    {.name = "reads-nothing",
     .what = "arguments of 4 MiB are not read",
     .where = STDIO,
     .hello = says_nothing,
     .deaf = true,
     .calls = 32,
     .arguments = 4u << 20},
};
ROWS(rows)
