/* SPDX-License-Identifier: MIT
 *
 * test_torture_items.c - items that are made, recorded and read back while memory runs
 * out.
 *
 * The test makes items from a result, reads their record back and makes parts for a
 * model.  Each step succeeds completely or fails with MCPHOST_E_NOMEM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/catalog.h>

#include "result/result.h"
#include "torture/torture.h"

static char dir[48], text[20000];

static void
up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcphost-torture-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
down(void)
{
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}

/* Makes items of several kinds.  One of the items is a text that is saved as a file. */
static int
make(struct mcph_artifacts *place, mcphost_items **ret)
{
    struct mcph_items_spec spec = {
        .place = place, .server = "s", .tool = "t", .text_bytes = 9000};
    struct mcph_frame *frame = mcph_frame_new(text, strlen(text));
    mcphost_result *result;
    int r = MCPHOST_E_NOMEM;

    if (!frame)
        return r;
    r = mcph_result_new(frame, mcph_frame_span(frame), &result);
    mcph_frame_unref(frame);
    if (r < 0)
        return r;
    r = mcph_items_make(result, &spec, ret);
    mcphost_result_unref(result);
    return r;
}

static int
use(mcphost_items *items)
{
    mcphost_items *again = NULL;
    mcphost_error *error = NULL;
    char *parts = NULL;
    size_t len;
    const char *json = mcphost_items_get_json(items, &len);
    int r = mcphost_items_parse(json, len, dir, &again, &error);

    torture_must((r < 0) == (error != NULL));
    if (r == 0) {
        torture_must(strcmp(mcphost_items_get_text(again, NULL),
                            mcphost_items_get_text(items, NULL)) == 0);
        r = mcphost_items_make_parts(again, MCPHOST_SHAPE_ANTHROPIC, 0, &parts, &len,
                                     &error);
        torture_must((r < 0) == (error != NULL));
        torture_must(
            r < 0 ||
            strstr(parts, "\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\""));
    }
    mcphost_error_unref(error);
    mcphost_items_unref(again);
    mcphost_free(parts);
    return r;
}

static int
run_items(void)
{
    struct mcph_artifacts *place = NULL;
    mcphost_items *items = NULL;
    int r = mcph_artifacts_new(dir, "root", "self", 1 << 24, &place, NULL);

    if (r == 0)
        r = make(place, &items);
    if (r == 0) {
        torture_must(strstr(mcphost_items_get_text(items, NULL), "left out:") == NULL);
        r = use(items);
    }
    mcphost_items_unref(items);
    mcph_artifacts_unref(place);
    return r;
}

static void
write_result(void)
{
    size_t n = (size_t)snprintf(
        text, sizeof(text),
        "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u00e9\"},{\"type\":\"image\","
        "\"mimeType\":\"image\\/"
        "png\",\"data\":\"iVBOR\\u00770KGgo=\"},{\"type\":\"resource\","
        "\"resource\":{\"uri\":\"a:b\",\"blob\":\"AQID\"}},{\"type\":\"new\"},"
        "{\"type\":\"text\",\"text\":\"");

    memset(text + n, 'x', 9500);
    snprintf(text + n + 9500, sizeof(text) - n - 9500, "\\n\"}]}");
}

START_TEST(items_are_made_completely_or_fail_with_e_nomem)
{
    write_result();
    torture_run(&(struct torture){.run = run_items, .least = 20}, _i);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "items");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, items_are_made_completely_or_fail_with_e_nomem, FAIL_ONCE,
                        FAIL_FROM_THEN_ON + 1);
}

int
main(void)
{
    return torture_main("torture-items", add);
}
