/* SPDX-License-Identifier: MIT
 *
 * micro_results.c - measures the processing of results.
 *
 *     build/bench/micro_results [--figures]
 *
 * The program decodes base64, writes base64 data to a file, and makes conversation items
 * from a result.  A time is the best of several runs.  GB/s refer to the base64 text.
 * The program writes the file to the directory for temporary files.  The figure for the
 * file depends on the file system of this directory.  --figures prints one line for
 * bench/run.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "result/items.h"
#include <mcphost/catalog.h>

#define RUNS     15
#define MANY     2000
#define TEXT     ((size_t)16 << 20)
#define STEP     ((size_t)64 << 10)
#define ITEM_MAX ((size_t)64 << 20)

static size_t sink; /* keeps the compiler from dropping the work */

static double
now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void
must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "micro_results: %s\n", what);
    exit(1);
}

static char *
make_base64(void)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(TEXT);
    uint32_t seed = 1;

    must(text != NULL, "no memory");
    for (size_t i = 0; i < TEXT; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = letters[seed >> 26];
    }
    return text;
}

/* Decodes base64 in steps of STEP characters.  Returns GB/s. */
static double
decode(const char *text)
{
    static unsigned char out[STEP];
    double best = 1e18, since;

    for (int run = 0; run < RUNS; run++) {
        struct mcph_base64 b64;
        size_t n;

        mcph_base64_init(&b64);
        since = now_us();
        for (size_t at = 0; at < TEXT; at += STEP) {
            must(mcph_base64_feed(&b64, text + at, STEP, out, &n) == 0, "no base64");
            sink += out[0] + n;
        }
        since = now_us() - since;
        best = since < best ? since : best;
    }
    return (double)TEXT / best / 1e3;
}

static mcphost_result *
make_result(const char *json, size_t len)
{
    struct mcph_frame *frame = mcph_frame_new(json, len);
    mcphost_result *result;

    must(frame && mcph_json_check(mcph_frame_span(frame), 0, NULL, NULL) == 0, "no JSON");
    must(mcph_result_new(frame, mcph_frame_span(frame), &result) == 0, "no memory");
    mcph_frame_unref(frame);
    return result;
}

/* Makes a file from a result with base64 data.  Returns GB/s. */
static double
to_file(const char *text, const struct mcph_items_spec *spec)
{
    static const char head[] = "{\"content\":[{\"type\":\"resource\",\"resource\":{"
                               "\"uri\":\"a://b\",\"mimeType\":\"application/zip\","
                               "\"blob\":\"";
    double best = 1e18, since;
    struct mcph_buf json;

    mcph_buf_init(&json, SIZE_MAX / 4);
    mcph_buf_adds(&json, head);
    mcph_buf_add(&json, text, TEXT);
    must(mcph_buf_adds(&json, "\"}}]}") == 0, "no memory");
    for (int run = 0; run < RUNS; run++) {
        mcphost_result *result = make_result(json.data, json.len);
        mcphost_items *items;

        since = now_us();
        must(mcph_items_make(result, spec, &items) == 0, "no items");
        since = now_us() - since;
        best = since < best ? since : best;
        must(strstr(items->json, "artifacts/mcp/") != NULL, "no file was written");
        mcphost_items_unref(items);
        mcphost_result_unref(result);
        must(mcphost_artifact_delete_all(spec->place->dir, NULL) == 0, "the file stays");
    }
    mcph_buf_done(&json);
    return (double)TEXT / best / 1e3;
}

/* Makes items from a result with some texts.  Returns the mean time for one
 * result in the fastest run, in microseconds. */
static double
to_items(const struct mcph_items_spec *spec)
{
    static const char json[] =
        "{\"content\":[{\"type\":\"text\",\"text\":\"three files were found\"},"
        "{\"type\":\"text\",\"text\":\"/srv/data/a.txt \\u00e4 \\\"quoted\\\"\"},"
        "{\"type\":\"resource_link\",\"uri\":\"file:///srv/data/a.txt\",\"name\":\"a\"},"
        "{\"type\":\"text\",\"text\":\"done\"}],\"isError\":false}";
    mcphost_result *result = make_result(json, sizeof(json) - 1);
    double best = 1e18, since;

    for (int run = 0; run < RUNS; run++) {
        since = now_us();
        for (int i = 0; i < MANY; i++) {
            mcphost_items *items;

            must(mcph_items_make(result, spec, &items) == 0, "no items");
            sink += items->json_len;
            mcphost_items_unref(items);
        }
        since = (now_us() - since) / MANY;
        best = since < best ? since : best;
    }
    mcphost_result_unref(result);
    return best;
}

int
main(int argc, char **argv)
{
    bool figures = argc > 1 && strcmp(argv[1], "--figures") == 0;
    const char *tmp = getenv("TMPDIR");
    struct mcph_items_spec spec = {
        .server = "s", .tool = "t", .text_bytes = ITEM_MAX, .text_chars = ITEM_MAX};
    char dir[4096], *text = make_base64();
    double decoded, filed, mapped;

    snprintf(dir, sizeof(dir), "%s/mcphost-bench-XXXXXX", tmp ? tmp : "/tmp");
    must(mkdtemp(dir) != NULL, "no directory");
    must(mcph_artifacts_new(dir, "root", "self", 0, &spec.place, NULL) == 0, "no place");
    decoded = decode(text);
    filed = to_file(text, &spec);
    mapped = to_items(&spec);
    if (figures)
        printf("{\"who\":\"results\",\"what\":\"base64 and items\",\"decode_gb_s\":%.6g,"
               "\"file_gb_s\":%.6g,\"items_us\":%.6g}\n",
               decoded, filed, mapped);
    else
        printf("base64 decoded         %8.3f GB/s\nbase64 to a file       %8.3f GB/s\n"
               "four items of a result %8.3f us\n",
               decoded, filed, mapped);
    mcph_artifacts_unref(spec.place);
    rmdir(dir);
    free(text);
    return sink == 0;
}
