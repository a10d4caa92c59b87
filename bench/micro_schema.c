/* SPDX-License-Identifier: MIT
 *
 * micro_schema.c - measures schemas: compiling a list of tools, and checking arguments.
 *
 *     build/bench/micro_schema [TOOLS.json | --figures | --samples]
 *
 * TOOLS.json is an array of tools, as in an answer to tools/list.  Without TOOLS.json,
 * the program uses 52 tools with four different schemas, which resemble the schemas of
 * published servers.  A time is the best of several runs.  The goals are 2 ms to compile
 * the whole list, and no more time for parsing and checking arguments than JSON.parse and
 * a compiled Ajv need.  bench/peers/schema.mjs measures JSON.parse and Ajv with the texts
 * that --samples prints.  --figures prints one line for bench/run.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"
#include "schema/schema.h"

#define RUNS 200
#define MANY 20000

static const struct sample {
    const char *name, *schema, *value;
} samples[] = {
    {"read a file",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
     "\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"where it is\"},"
     "\"head\":{\"type\":\"number\",\"description\":\"first lines\"},\"tail\":{\"type\":"
     "\"number\",\"description\":\"last lines\"}},\"required\":[\"path\"],"
     "\"additionalProperties\":false}",
     "{\"path\":\"/srv/data/reports/2026/summary.txt\",\"head\":20}"},
    {"edit a file",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
     "\"properties\":{\"path\":{\"type\":\"string\"},\"edits\":{\"type\":\"array\","
     "\"items\":{\"type\":\"object\",\"properties\":{\"oldText\":{\"type\":\"string\","
     "\"description\":\"what to look for\"},\"newText\":{\"type\":\"string\","
     "\"description\":\"what to put there\"}},\"required\":[\"oldText\",\"newText\"],"
     "\"additionalProperties\":false}},\"dryRun\":{\"type\":\"boolean\",\"default\":"
     "false,"
     "\"description\":\"only show\"}},\"required\":[\"path\",\"edits\"],"
     "\"additionalProperties\":false}",
     "{\"path\":\"/srv/a.c\",\"edits\":[{\"oldText\":\"int x = 1;\",\"newText\":\"int x "
     "= "
     "2;\"},{\"oldText\":\"return x;\",\"newText\":\"return x + 1;\"}],\"dryRun\":true}"},
    {"search",
     "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\",\"minLength\":"
     "1,"
     "\"maxLength\":400},\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":20,"
     "\"default\":10},\"offset\":{\"type\":\"integer\",\"minimum\":0},\"order\":{"
     "\"enum\":["
     "\"relevance\",\"date\",\"size\"]},\"since\":{\"type\":\"string\",\"pattern\":"
     "\"^\\\\d{4}-\\\\d{2}-\\\\d{2}$\"},\"sites\":{\"type\":\"array\",\"items\":{"
     "\"type\":"
     "\"string\"},\"uniqueItems\":true}},\"required\":[\"query\"]}",
     "{\"query\":\"model context protocol\",\"count\":5,\"order\":\"date\",\"since\":"
     "\"2026-01-31\",\"sites\":[\"example.com\",\"example.org\"]}"},
    {"add to a graph",
     "{\"type\":\"object\",\"properties\":{\"entities\":{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/$defs/entity\"}}},\"required\":[\"entities\"],\"$defs\":{\"entity\":{"
     "\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"entityType\":{"
     "\"type\":\"string\"},\"observations\":{\"type\":\"array\",\"items\":{\"type\":"
     "\"string\"}}},\"required\":[\"name\",\"entityType\",\"observations\"]}}}",
     "{\"entities\":[{\"name\":\"a\",\"entityType\":\"person\",\"observations\":[\"x\","
     "\"y\"]},{\"name\":\"b\",\"entityType\":\"place\",\"observations\":[]}]}"},
};

static size_t sink;
static bool figures;

static double
now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static mcphost_schema *
compile(struct mcph_span text)
{
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;

    if (mcph_schema_new(&schema) < 0)
        abort();
    if (mcph_schema_compile(schema, text, &err) < 0) {
        fprintf(stderr, "micro_schema: %s\n", mcphost_error_get_message(err));
        mcphost_error_unref(err);
        return mcph_schema_unref(schema);
    }
    return schema;
}

static void
compile_list(const struct mcph_span *schemas, size_t n)
{
    double best = 1e18, since;
    size_t i, bytes = 0;
    int run;

    for (run = 0; run < RUNS; run++) {
        since = now_us();
        for (i = 0; i < n; i++) {
            mcphost_schema *schema = compile(schemas[i]);

            sink += schema != NULL;
            mcph_schema_unref(schema);
        }
        since = now_us() - since;
        best = since < best ? since : best;
    }
    for (i = 0; i < n; i++)
        bytes += schemas[i].len;
    if (figures)
        printf("{\"who\":\"schema\",\"what\":\"schemas\",\"compile_us\":%.6g", best);
    else
        printf("compile          %zu tools, %zu bytes %26.3f ms\n", n, bytes, best / 1e3);
}

static void
check_sample(const struct sample *sample, size_t index)
{
    mcphost_schema *schema = compile(mcph_span_str(sample->schema));
    struct mcph_span value = mcph_span_str(sample->value);
    double best = 1e18, since;
    int run, i;

    for (run = 0; run < 15 && schema; run++) {
        since = now_us();
        for (i = 0; i < MANY; i++)
            sink += mcph_schema_validate(schema, value, 0, NULL, NULL) == 0;
        since = (now_us() - since) / MANY;
        best = since < best ? since : best;
    }
    if (figures)
        printf(",\"check%zu_us\":%.6g", index, best);
    else
        printf("parse and check  %-24s %4zu bytes %11.3f us\n", sample->name, value.len,
               best);
    mcph_schema_unref(schema);
}

static int
print_samples(void)
{
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(samples); i++)
        printf("%s\n%s\n", samples[i].schema, samples[i].value);
    return 0;
}

int
main(int argc, char **argv)
{
    struct mcph_span schemas[4096], value, tool;
    struct mcph_json_iter it;
    struct mcph_buf buf;
    size_t i, n = 0;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    if (argc > 1 && strcmp(argv[1], "--samples") == 0)
        return print_samples();
    figures = argc > 1 && strcmp(argv[1], "--figures") == 0;
    if (argc > 1 && !figures) {
        if (mcph_file_read(argv[1], (size_t)64 << 20, &buf, NULL) < 0 ||
            mcph_json_check(mcph_span(buf.data, buf.len), 0, &value, NULL) < 0)
            return 1;
        mcph_json_iter_init(&it, value);
        while (n < 4096 && mcph_json_iter_next(&it, NULL, &tool)) {
            schemas[n] = mcph_json_get(tool, "inputSchema");
            n += schemas[n].p != NULL;
        }
    } else {
        for (; n < 52; n++)
            schemas[n] = mcph_span_str(samples[n % MCPH_ARRAY_SIZE(samples)].schema);
    }
    compile_list(schemas, n);
    for (i = 0; i < MCPH_ARRAY_SIZE(samples); i++)
        check_sample(&samples[i], i);
    if (figures)
        printf("}\n");
    mcph_buf_done(&buf);
    return sink == 0;
}
