/* SPDX-License-Identifier: MIT
 *
 * itemsrig.h - makes the items of a result in tests, with a directory for their
 * artifacts.
 */
#ifndef UNIT_ITEMSRIG_H
#define UNIT_ITEMSRIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/catalog.h>

#include "result/items.h"
#include "support/runner.h"

#define PNG                                                         \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+" \
    "M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

static char dir[40];
static struct mcph_artifacts *place;
static struct mcph_items_spec spec;
static mcphost_items *items;

static void
up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcphost-items-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 0, &place, NULL), 0);
    spec = (struct mcph_items_spec){
        .place = place, .server = "srv", .tool = "draw", .text_bytes = 1 << 20};
}

static void
down(void)
{
    items = mcphost_items_unref(items);
    place = mcph_artifacts_unref(place);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}

static void
make(const char *json)
{
    struct mcph_frame *frame = mcph_frame_new(json, strlen(json));
    mcphost_result *result;

    mcphost_items_unref(items);
    ck_assert_int_eq(mcph_json_check(mcph_frame_span(frame), 0, NULL, NULL), 0);
    ck_assert_int_eq(mcph_result_new(frame, mcph_frame_span(frame), &result), 0);
    mcph_frame_unref(frame);
    ck_assert_int_eq(mcph_items_make(result, &spec, &items), 0);
    mcphost_result_unref(result);
    ck_assert_uint_eq(
        mcph_json_check(mcph_span(items->json, items->json_len), 0, NULL, NULL), 0);
    ck_assert_uint_eq(strlen(items->json), items->json_len);
}

/* Makes the items of a result with one content item. */
static void
make_one(const char *item)
{
    char *json = mcph_asprintf("{\"content\":[%s]}", item);

    make(json);
    free(json);
}

/* Returns the value of `relPath` in `json`.  Fails the test if `json` has no
 * `relPath`. */
static const char *
path_in(const char *json)
{
    static char path[MCPH_ARTIFACT_PATH];
    const char *at = strstr(json, "\"relPath\":\"");

    ck_assert_ptr_nonnull(at);
    at += 11;
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "\""), at);
    return path;
}

#endif
