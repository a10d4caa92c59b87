/* SPDX-License-Identifier: MIT
 *
 * fuzz_projection.c - projects tool schemas for every profile except the identity.
 *
 * The input is a schema, a NUL, and arguments, which may be missing.
 *
 * A projection must be one JSON object.  Two projections of a schema must be equal.  A
 * schema that cannot be projected must have a reason.  Restored arguments must be JSON.
 * Restoring them again must not change them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
project(int profile, struct mcph_span schema)
{
    char why[MCPH_PROJECT_WHY];
    struct mcph_buf first, second;
    unsigned flags = 0;
    int r;

    mcph_buf_init(&first, 1024 * 1024);
    mcph_buf_init(&second, 1024 * 1024);
    r = mcph_model_project(profile, schema, &first, &flags, why);
    must(r == 0 || r == MCPHOST_E_LIMIT || r == MCPHOST_E_NOMEM);
    if (r == MCPHOST_E_LIMIT)
        must(*why && !first.len);
    must(mcph_model_project(profile, schema, &second, &flags, why) == r);
    must(first.len == second.len && !memcmp(first.data ? first.data : "",
                                            second.data ? second.data : "", first.len));
    if (r == 0) {
        struct mcph_span made = mcph_span(first.data, first.len);

        must(mcph_json_check(made, 0, NULL, NULL) == 0);
        must(mcph_json_type(made) == MCPH_JSON_OBJECT);
    }
    mcph_buf_done(&first);
    mcph_buf_done(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t split = strnlen(text, size);
    struct mcph_span schema, arguments;
    struct mcph_buf once, twice;

    if (mcph_json_check(mcph_span(text, split), 0, &schema, NULL) < 0 ||
        mcph_json_type(schema) != MCPH_JSON_OBJECT)
        return 0;
    for (int profile = MCPHOST_PROFILE_OPENAI;
         profile < (int)mcphost_enum_count_values(MCPHOST_ENUM_PROFILE); profile++)
        project(profile, schema);
    if (split == size ||
        mcph_json_check(mcph_span(text + split + 1, size - split - 1), 0, &arguments,
                        NULL) < 0 ||
        mcph_json_type(arguments) != MCPH_JSON_OBJECT)
        return 0;
    for (int profile = MCPHOST_PROFILE_OPENAI;
         profile < (int)mcphost_enum_count_values(MCPHOST_ENUM_PROFILE); profile++) {
        mcph_buf_init(&once, SIZE_MAX / 2);
        mcph_buf_init(&twice, SIZE_MAX / 2);
        must(mcph_model_restore(profile, schema, arguments, &once) == 0);
        must(mcph_json_check(mcph_span(once.data, once.len), 0, NULL, NULL) == 0);
        must(mcph_model_restore(profile, schema, mcph_span(once.data, once.len),
                                &twice) == 0);
        must(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
        mcph_buf_done(&once);
        mcph_buf_done(&twice);
    }
    return 0;
}
