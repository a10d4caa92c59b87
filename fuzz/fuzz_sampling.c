/* SPDX-License-Identifier: MIT
 *
 * fuzz_sampling.c - converts sampling requests and the answers of model providers.
 *
 * The first byte selects the provider and the abilities of its model.  The params, a NUL
 * and an answer follow.  The body that is made for the provider, and the result that is
 * made from the answer, must be JSON objects.  The same answer must give an equal result
 * each time.  A refusal must have a reason.  Each note must be one line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
must_be_object(const char *text, size_t len)
{
    struct mcph_span value;

    must(mcph_json_check(mcph_span(text, len), MCPH_JSON_DEPTH_MAX, &value, NULL) == 0);
    must(mcph_json_type(value) == MCPH_JSON_OBJECT);
}

static void
must_explain(int code, mcphost_error *error)
{
    must(code < 0 && error && mcphost_error_get_code(error) == code);
    must(*mcphost_error_get_message(error) != '\0');
    mcphost_error_unref(error);
}

static void
answer(mcphost_sampling *sampling, const char *text, size_t len)
{
    mcphost_error *error = NULL;
    struct mcph_span result, content;
    char *json = NULL, *again = NULL;
    size_t n, m;
    int r = mcphost_sampling_make_result(sampling, text, len, &json, &n, &error);

    if (r < 0) {
        must_explain(r, error);
        return;
    }
    must_be_object(json, n);
    must(mcph_json_check(mcph_span(json, n), MCPH_JSON_DEPTH_MAX, &result, NULL) == 0);
    content = mcph_json_get(result, "content");
    must(mcph_json_type(content) == MCPH_JSON_OBJECT || mcph_json_count(content) > 1);
    must(mcph_json_type(mcph_json_get(result, "model")) == MCPH_JSON_STRING);
    must(mcph_json_type(mcph_json_get(result, "stopReason")) == MCPH_JSON_STRING);
    must(mcphost_sampling_make_result(sampling, text, len, &again, &m, NULL) == 0);
    must(m == n && !memcmp(json, again, n));
    mcphost_free(json);
    mcphost_free(again);
}

static const struct {
    int shape, profile;
} kinds[] = {
    {MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_OPENAI},
    {MCPHOST_SHAPE_OPENAI_RESPONSES, MCPHOST_PROFILE_OPENAI_STRICT},
    {MCPHOST_SHAPE_ANTHROPIC, MCPHOST_PROFILE_ANTHROPIC},
    {MCPHOST_SHAPE_GEMINI, MCPHOST_PROFILE_GEMINI},
    {MCPHOST_SHAPE_OPENAI_CHAT, MCPHOST_PROFILE_MOONSHOT},
    {MCPHOST_SHAPE_GEMINI, MCPHOST_PROFILE_IDENTITY},
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1;
    mcphost_sampling *sampling = NULL;
    mcphost_error *error = NULL;
    size_t kind, split, len;
    const char *json;
    int r;

    if (size == 0)
        return 0;
    kind = data[0] % (sizeof(kinds) / sizeof(kinds[0]));
    split = strnlen(text, size - 1);
    r = mcphost_sampling_new(text, split, kinds[kind].shape, kinds[kind].profile, "m",
                             7 - (data[0] >> 5), &sampling, &error);
    if (r < 0) {
        must_explain(r, error);
        return 0;
    }
    json = mcphost_sampling_get_json(sampling, &len);
    must_be_object(json, len);
    must(mcphost_sampling_count_notes(sampling) <= 100);
    for (size_t i = 0; i < mcphost_sampling_count_notes(sampling); i++) {
        const char *note = mcphost_sampling_get_note(sampling, i);

        must(note && *note && !strchr(note, '\n'));
    }
    if (split + 1 < size)
        answer(sampling, text + split + 1, size - split - 2);
    mcphost_sampling_unref(sampling);
    return 0;
}
