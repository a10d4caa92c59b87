/* SPDX-License-Identifier: MIT
 *
 * micro_json.c - measures the JSON scanner, the functions that walk through JSON, the
 * JSON writer, the framer, which cuts input into messages, and the table of requests.
 *
 * The program measures each part alone, and at the end the parts of one call together.
 * It prints one row for each part and input: nanoseconds for one operation, and GB/s.  A
 * time is the best of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rpc/rpc.h"

#define ROUNDS 7

struct text {
    char *p;
    size_t len;
};

static uint64_t sink; /* keeps the compiler from dropping the work */

static double
now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Returns the best time of one operation in ns, over several rounds of at least 5 ms. */
static double
measure(void (*fn)(const struct text *text), const struct text *text)
{
    double best = 1e30;
    long n = 1;

    for (int round = 0; round < ROUNDS; round++) {
        double from = now(), took;

        for (long i = 0; i < n; i++)
            fn(text);
        took = now() - from;
        if (took < 5e6 && round < 30) {
            n = took < 1e5 ? n * 20 : (long)((double)n * 2e7 / took) + 1;
            round--;
            continue;
        }
        if (took / (double)n < best)
            best = took / (double)n;
    }
    return best;
}

static void
row(const char *what, const char *input, void (*fn)(const struct text *),
    const struct text *text)
{
    double ns = measure(fn, text);

    printf("%-26s %-22s %12.1f ns %9.2f GB/s\n", what, input, ns, (double)text->len / ns);
}

/* ---- texts ------------------------------------------------------------------------- */

/* Makes an answer of about `len` bytes, with `unit` repeated in its text.  The id is
 * last. */
static struct text
answer(size_t len, const char *unit)
{
    static const char head[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"",
                      tail[] = "\"}]},\"jsonrpc\":\"2.0\",\"id\":7}";
    size_t step = strlen(unit), n = sizeof(head) - 1;
    struct text text = {malloc(len + step + 200), 0};

    memcpy(text.p, head, n);
    for (; n < len; n += step)
        memcpy(text.p + n, unit, step);
    memcpy(text.p + n, tail, sizeof(tail) - 1);
    text.len = n + sizeof(tail) - 1;
    return text;
}

static struct text
tool_list(int tools)
{
    static const char one[] = "{\"name\":\"tool_%05d\",\"description\":\"Does a thing "
                              "with the \\\"path\\\" that it is "
                              "given, and tells what came of "
                              "it.\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                              "{\"path\":{\"type\":\"string\",\"description\":\"where\"},"
                              "\"depth\":{\"type\":\"integer\","
                              "\"minimum\":0,\"maximum\":10},\"flags\":{\"type\":"
                              "\"array\",\"items\":{\"type\":\"string\","
                              "\"enum\":[\"a\",\"b\",\"c\"]}}},\"required\":[\"path\"],"
                              "\"additionalProperties\":false}}";
    struct text text = {malloc((size_t)tools * (sizeof(one) + 20) + 100), 0};

    text.len =
        (size_t)snprintf(text.p, 100, "{\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[");
    for (int i = 0; i < tools; i++) {
        if (i > 0)
            text.p[text.len++] = ',';
        text.len += (size_t)snprintf(text.p + text.len, sizeof(one) + 20, one, i);
    }
    memcpy(text.p + text.len, "]},\"id\":7}", 10);
    text.len += 10;
    return text;
}

/* ---- operations -------------------------------------------------------------------- */

static void
parse(const struct text *text)
{
    struct mcph_rpc_message msg;

    mcph_rpc_parse(mcph_span(text->p, text->len), 0, &msg);
    sink += (uint64_t)msg.id.n;
}

static void
follow(const struct text *text)
{
    char id[16];
    struct mcph_json_catch caught = {
        .name = "id", .name_len = 2, .value = id, .size = 16};
    struct mcph_json_stream stream;

    mcph_json_stream_init(&stream, &caught, 1);
    mcph_json_stream_feed(&stream, text->p, text->len);
    sink += caught.len;
}

static void
walk_tools(const struct text *text)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("name"), MCPH_JSON_WANT("description"),
                                    MCPH_JSON_WANT("inputSchema")};
    struct mcph_json_iter it;
    struct mcph_span tool;

    mcph_json_iter_init(
        &it,
        mcph_json_get(mcph_json_get(mcph_span(text->p, text->len), "result"), "tools"));
    while (mcph_json_iter_next(&it, NULL, &tool)) {
        (void)mcph_json_pick(tool, want, 3);
        sink += want[2].value.len;
    }
}

static struct mcph_buf out;

static void
write_string(const struct text *text)
{
    mcph_buf_clear(&out);
    (void)mcph_json_add_string(&out, text->p, text->len);
    sink += out.len;
}

static void
write_request(const struct text *text)
{
    static const struct mcph_rpc_call request = {.id = 12345};

    mcph_buf_clear(&out);
    (void)mcph_rpc_open_call(&out, &request, "tools/call", text->len);
    (void)mcph_buf_add(&out, text->p + 1, text->len - 1);
    (void)mcph_buf_addc(&out, '}');
    sink += out.len;
}

static struct mcph_framer framer;

static void
frame(const struct text *text)
{
    struct mcph_frame *frame;
    const char *p = text->p, *end = text->p + text->len;

    while (p < end) {
        size_t size, n;
        char *space = mcph_framer_space(&framer, &size);

        n = size < 65536 ? size : 65536; /* the capacity of a pipe */
        if (n > (size_t)(end - p))
            n = (size_t)(end - p);
        memcpy(space, p, n);
        p += n;
        if (p == end)
            space[n - 1] = '\n';
        mcph_framer_commit(&framer, n);
        while (mcph_framer_next(&framer, &frame) > 0) {
            sink += frame->len;
            mcph_frame_unref(frame);
        }
    }
}

static struct mcph_rpc rpc;
static struct mcph_rpc_call call;

static void
on_answer(struct mcph_rpc_call *c, const struct mcph_rpc_answer *a)
{
    (void)c;
    sink += a->frame->len;
}

/* Does all the work of lib/rpc for one call: start, build, frame, parse, find and end. */
static void
round_trip(const struct text *text)
{
    struct mcph_frame *f;
    char *space;
    size_t size;

    mcph_buf_clear(&out);
    (void)mcph_rpc_start(&rpc, &call);
    (void)mcph_rpc_open_call(&out, &call, "tools/call", 16);
    (void)mcph_buf_adds(&out, "\"name\":\"echo\"}}");
    space = mcph_framer_space(&framer, &size);
    memcpy(space, text->p, text->len - 2); /* leave out the id's value and the brace */
    size = text->len - 2;
    size += (size_t)snprintf(space + size, 30, "%lld}\n", (long long)call.id);
    mcph_framer_commit(&framer, size);
    if (mcph_framer_next(&framer, &f) > 0) {
        mcph_rpc_receive(&rpc, f);
        mcph_frame_unref(f);
    }
}

int
main(void)
{
    static const struct mcph_rpc_ops ops;
    static char small[] =
        "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[],\"x\":123456},\"id\":7}";
    struct text a64 = {small, sizeof(small) - 1};
    struct text a200 = answer(120, "x"), a2k = answer(2000, "plain text "),
                big = answer(10 << 20, "x");
    struct text escaped = answer(10 << 20, "a line of text\\n"),
                other = answer(10 << 20, "\xc3\xa4\xe4\xb8\xad");
    struct text list = tool_list(100), many = tool_list(10000);
    struct mcph_core *core = NULL;

    if (mcph_core_new(&core, NULL) < 0)
        return 1;
    mcph_buf_init(&out, SIZE_MAX / 4);
    mcph_framer_init(&framer, 0);
    mcph_rpc_init(&rpc, core, &ops);
    call =
        (struct mcph_rpc_call){.on_answer = on_answer, .timeout_ms = 60000, .max_ms = -1};

    row("parse", "60 B", parse, &a64);
    row("parse", "200 B", parse, &a200);
    row("parse", "2 KB", parse, &a2k);
    row("parse", "list of 100 tools", parse, &list);
    row("parse", "list of 10,000 tools", parse, &many);
    row("parse", "10 MB, plain", parse, &big);
    row("parse", "10 MB, escapes", parse, &escaped);
    row("parse", "10 MB, not ASCII", parse, &other);
    row("stream", "list of 10,000 tools", follow, &many);
    row("stream", "10 MB, plain", follow, &big);
    row("walk and pick", "list of 10,000 tools", walk_tools, &many);
    row("write string", "2 KB", write_string, &a2k);
    row("write string", "10 MB, plain", write_string, &big);
    row("write string", "10 MB, not ASCII", write_string, &other);
    row("build request", "60 B", write_request, &a64);
    row("frame", "60 B", frame, &a64);
    row("frame", "2 KB", frame, &a2k);
    row("frame", "list of 100 tools", frame, &list);
    row("frame", "10 MB, plain", frame, &big);
    row("start to answer", "60 B", round_trip, &a64);

    mcph_rpc_done(&rpc);
    mcph_framer_done(&framer);
    mcph_buf_done(&out);
    mcph_core_unref(core);
    return sink == 0;
}
