/* SPDX-License-Identifier: MIT
 *
 * suite.c - runs the JSON Schema Test Suite against the library's schema functions.
 *
 *   schema-suite SUITE KNOWN [-v]
 *
 * SUITE holds tests/ and remotes/.  Every test outside of optional/ must pass.  A test in
 * optional/ may fail if KNOWN gives a reason.  KNOWN has lines of
 * `draft/file|group|test|reason`.  An empty group matches every group, and an empty test
 * matches every test.  The run fails if a test fails without a reason, or if a reason
 * matches no failure.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json.h"
#include "schema/schema.h"

#include <mcphost/mcphost.h>

#define REMOTE   "http://localhost:1234/"
#define FILE_MAX ((size_t)16 * 1024 * 1024)

static const struct draft {
    const char *name;
    int draft;
} drafts[] = {
    {"draft2020-12", MCPHOST_SCHEMA_DRAFT_2020_12},
    {"draft2019-09", MCPHOST_SCHEMA_DRAFT_2019_09},
    {"draft7", MCPHOST_SCHEMA_DRAFT_7},
    {"draft6", MCPHOST_SCHEMA_DRAFT_6},
    {"draft4", MCPHOST_SCHEMA_DRAFT_4},
};

struct known {
    char *place, *group, *test, *reason;
    int used;
};

struct count {
    int passed, failed, known;
};

static const char *suite;
static bool verbose;
static struct known *known;
static size_t n_known;
static struct count required, optional;

static void
die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    _exit(2);
}

static bool
read_file(const char *path, struct mcph_buf *buf)
{
    mcph_buf_init(buf, FILE_MAX);
    return mcph_file_read(path, FILE_MAX, buf, NULL) == 0;
}

static char *
dup_text(struct mcph_span token)
{
    struct mcph_span text;
    struct mcph_buf buf;
    char *copy;

    mcph_buf_init(&buf, token.len + 1);
    if (mcph_json_string_get(token, &buf, &text) < 0)
        die("a description is no string");
    copy = mcph_strndup(text.p, text.len);
    mcph_buf_done(&buf);
    return copy;
}

/* ---- known failures ---------------------------------------------------------------- */

static void
read_known(const char *path)
{
    char *line = NULL, *rest;
    size_t size = 0;
    FILE *f = fopen(path, "re");

    if (!f)
        die("cannot open %s", path);
    while (getline(&line, &size, f) > 0) {
        struct known k = {NULL, NULL, NULL, NULL, 0};

        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || *line == '\0')
            continue;
        rest = line;
        k.place = strsep(&rest, "|");
        k.group = strsep(&rest, "|");
        k.test = strsep(&rest, "|");
        k.reason = strsep(&rest, "|");
        if (!k.reason || *k.reason == '\0')
            die("%s: no reason for '%s'", path, k.place);
        known = mcph_reallocarray(known, n_known + 1, sizeof(*known));
        k.place = mcph_strdup(k.place);
        k.group = mcph_strdup(k.group);
        k.test = mcph_strdup(k.test);
        k.reason = mcph_strdup(k.reason);
        known[n_known++] = k;
    }
    free(line);
    fclose(f);
}

static const char *
reason_for(const char *place, const char *group, const char *test)
{
    size_t i;

    for (i = 0; i < n_known; i++) {
        struct known *k = &known[i];

        if (strcmp(k->place, place) == 0 &&
            (!*k->group || strcmp(k->group, group) == 0) &&
            (!*k->test || strcmp(k->test, test) == 0)) {
            k->used++;
            return k->reason;
        }
    }
    return NULL;
}

/* ---- one file ---------------------------------------------------------------------- */

static int
give_document(mcphost_schema *schema, const char *uri, void *arg)
{
    mcphost_error *err = NULL;
    struct mcph_buf buf;
    char *path;
    int r;

    (void)arg;
    if (strncmp(uri, REMOTE, strlen(REMOTE)) != 0)
        return -1;
    path = mcph_asprintf("%s/remotes/%s", suite, uri + strlen(REMOTE));
    if (!read_file(path, &buf)) {
        free(path);
        return -1;
    }
    r = mcphost_schema_add_document(schema, uri, buf.data, buf.len, &err);
    if (r < 0)
        printf("    %s: %s\n", uri, mcphost_error_get_message(err));
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
    free(path);
    return r;
}

static mcphost_schema *
compile(const struct draft *draft, struct mcph_span json, bool formats, char **ret_why)
{
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;

    if (mcphost_schema_new(&schema) < 0)
        die("no memory");
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_DRAFT, draft->draft);
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_FORMATS, formats);
    mcphost_schema_set_documents(schema, give_document, NULL, NULL);
    if (mcphost_schema_compile(schema, json.p, json.len, &err) == 0)
        return schema;
    *ret_why = mcph_strdup(mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return mcphost_schema_unref(schema);
}

/* Checks the schema's answer about a value.  Returns NULL if the answer is right,
 * otherwise a description of the wrong answer. */
static char *
wrong_answer(mcphost_schema *schema, struct mcph_span data, bool expected)
{
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    struct mcph_span value;
    char *wrong = NULL;
    int r, brief;

    r = mcphost_schema_validate(schema, data.p, data.len, 0, &report, &err);
    brief = mcphost_schema_validate(schema, data.p, data.len, 0, NULL, NULL);
    if (r < 0)
        wrong = mcph_strdup(mcphost_error_get_message(err));
    else if ((r == MCPHOST_SCHEMA_VALID) != expected)
        wrong = expected ? mcph_strdup(mcphost_schema_report_get_text(report))
                         : mcph_strdup("found valid");
    else if (brief != r)
        wrong = mcph_strdup("another answer without a report");
    else if (!expected && mcph_schema_plainly_fits(schema, data, &value))
        wrong = mcph_strdup("found valid at sight");
    else if ((mcphost_schema_report_count_errors(report) == 0) != expected)
        wrong = mcph_strdup("a report that does not fit the answer");
    mcphost_schema_report_unref(report);
    mcphost_error_unref(err);
    return wrong;
}

static void
judge(struct count *count, const char *place, const char *group, const char *test,
      const char *wrong)
{
    const char *reason =
        wrong && count == &optional ? reason_for(place, group, test) : NULL;

    if (!wrong) {
        count->passed++;
        return;
    }
    if (reason) {
        count->known++;
        if (verbose)
            printf("  expected: %s: %s: %s: %s\n", place, group, test, reason);
        return;
    }
    count->failed++;
    printf("  FAILED: %s: %s: %s: %s\n", place, group, test, wrong);
}

static void
run_group(const struct draft *draft, const char *place, struct mcph_span group,
          struct count *count, bool formats)
{
    char *name = dup_text(mcph_json_get(group, "description")), *why = NULL;
    mcphost_schema *schema =
        compile(draft, mcph_json_get(group, "schema"), formats, &why);
    struct mcph_json_iter it;
    struct mcph_span test;

    mcph_json_iter_init(&it, mcph_json_get(group, "tests"));
    while (mcph_json_iter_next(&it, NULL, &test)) {
        char *what = dup_text(mcph_json_get(test, "description")), *wrong = NULL;
        bool expected = *mcph_json_get(test, "valid").p == 't';

        if (schema)
            wrong = wrong_answer(schema, mcph_json_get(test, "data"), expected);
        judge(count, place, name, what, schema ? wrong : why);
        free(wrong);
        free(what);
    }
    mcphost_schema_unref(schema);
    free(why);
    free(name);
}

static void
run_file(const struct draft *draft, const char *place, struct count *count, bool formats)
{
    char *path = mcph_asprintf("%s/tests/%s", suite, place);
    struct mcph_json_iter it;
    struct mcph_span value, group;
    struct mcph_buf buf;

    if (!read_file(path, &buf))
        die("cannot read %s", path);
    if (mcph_json_check(mcph_span(buf.data, buf.len), 0, &value, NULL) < 0)
        die("%s is not JSON", path);
    mcph_json_iter_init(&it, value);
    while (mcph_json_iter_next(&it, NULL, &group))
        run_group(draft, place, group, count, formats);
    mcph_buf_done(&buf);
    free(path);
}

static int
is_json(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

static void
run_directory(const struct draft *draft, const char *below, struct count *count,
              bool formats)
{
    char *path = mcph_asprintf("%s/tests/%s%s", suite, draft->name, below);
    struct dirent **entries;
    int i, n = scandir(path, &entries, is_json, alphasort);

    if (n < 0)
        die("cannot list %s", path);
    for (i = 0; i < n; i++) {
        char *place = mcph_asprintf("%s%s/%s", draft->name, below, entries[i]->d_name);

        /* Check formats in ecmascript-regex.json, because that file tests regular
         * expressions through a format of the meta-schema. */
        run_file(draft, place, count,
                 formats || strcmp(entries[i]->d_name, "ecmascript-regex.json") == 0);
        free(place);
        free(entries[i]);
    }
    free(entries);
    free(path);
}

int
main(int argc, char **argv)
{
    int stale = 0;
    size_t i;

    if (argc < 3)
        die("usage: schema-suite SUITE KNOWN [-v]");
    suite = argv[1];
    read_known(argv[2]);
    verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    for (i = 0; i < MCPH_ARRAY_SIZE(drafts); i++) {
        struct count r = required, o = optional;

        run_directory(&drafts[i], "", &required, false);
        run_directory(&drafts[i], "/optional", &optional, false);
        run_directory(&drafts[i], "/optional/format", &optional, true);
        printf("%s: required %d of %d, optional and formats %d of %d, %d explained\n",
               drafts[i].name, required.passed - r.passed,
               required.passed - r.passed + required.failed - r.failed,
               optional.passed - o.passed,
               optional.passed - o.passed + optional.failed - o.failed + optional.known -
                   o.known,
               optional.known - o.known);
    }
    for (i = 0; i < n_known; i++) {
        if (known[i].used == 0) {
            stale++;
            printf("  no longer needed: %s|%s|%s\n", known[i].place, known[i].group,
                   known[i].test);
        }
    }
    printf("%d passed, %d failed\n", required.passed + optional.passed + optional.known,
           required.failed + optional.failed + stale);
    return required.failed + optional.failed + stale > 0;
}
