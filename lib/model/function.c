/* SPDX-License-Identifier: MIT
 *
 * function.c - write a tool as a function of a provider's interface.
 */
#include "model/inner.h"

#include <mcphost/catalog.h>

unsigned
mcph_model_shapes(int profile)
{
    switch (profile) {
    case MCPHOST_PROFILE_IDENTITY:
        return 1U << MCPHOST_SHAPE_MCP | 1U << MCPHOST_SHAPE_OPENAI_CHAT |
               1U << MCPHOST_SHAPE_OPENAI_RESPONSES | 1U << MCPHOST_SHAPE_ANTHROPIC |
               1U << MCPHOST_SHAPE_GEMINI;
    case MCPHOST_PROFILE_OPENAI:
    case MCPHOST_PROFILE_OPENAI_STRICT:
        return 1U << MCPHOST_SHAPE_OPENAI_CHAT | 1U << MCPHOST_SHAPE_OPENAI_RESPONSES;
    case MCPHOST_PROFILE_ANTHROPIC:
        return 1U << MCPHOST_SHAPE_ANTHROPIC;
    case MCPHOST_PROFILE_GEMINI:
        return 1U << MCPHOST_SHAPE_GEMINI;
    case MCPHOST_PROFILE_MOONSHOT:
        return 1U << MCPHOST_SHAPE_OPENAI_CHAT;
    default:
        return 0;
    }
}

/* Writes the first `kept` bytes of a description, and a mark that the text is cut.
 * Returns 1 or an error. */
static int
add_cut(struct mcph_buf *buf, struct mcph_span text, size_t kept)
{
    struct mcph_buf cut;
    int r;

    mcph_buf_init(&cut, SIZE_MAX / 2);
    mcph_buf_add(&cut, text.p, kept);
    mcph_buf_adds(&cut, MCPH_DESCRIPTION_MARK);
    r = mcph_buf_ok(&cut);
    if (r == 0)
        r = mcph_json_add_string(buf, cut.data, cut.len);
    mcph_buf_done(&cut);
    return r < 0 ? r : 1;
}

/* Writes the description.  For Gemini, the title or the name replaces a missing
 * description, because Gemini requires a description.  Returns 0, 1 if the description
 * was cut, or an error. */
static int
add_description(const struct mcph_function *f, struct mcph_buf *buf, size_t *ret_max)
{
    struct mcph_span text = f->description;
    size_t kept;

    if (!text.p && f->profile == MCPHOST_PROFILE_GEMINI)
        text = f->title.p ? f->title : mcph_span_str(f->name);
    if (!text.p)
        return 0;
    mcph_json_add_key(buf, "description");
    kept = mcph_model_description(f->profile, text, ret_max);
    if (kept != SIZE_MAX)
        return add_cut(buf, text, kept);
    return mcph_json_add_string(buf, text.p, text.len);
}

int
mcph_model_add_function(const struct mcph_function *f, struct mcph_buf *buf,
                        size_t *ret_max)
{
    static const char *const keys[] = {
        [MCPHOST_SHAPE_OPENAI_CHAT] = "parameters",
        [MCPHOST_SHAPE_OPENAI_RESPONSES] = "parameters",
        [MCPHOST_SHAPE_ANTHROPIC] = "input_schema",
        [MCPHOST_SHAPE_GEMINI] = "parameters",
    };
    bool as_it_is = f->profile == MCPHOST_PROFILE_IDENTITY;
    bool strict = f->profile == MCPHOST_PROFILE_OPENAI_STRICT;
    int cut;

    mcph_json_add_comma(buf);
    if (f->shape == MCPHOST_SHAPE_OPENAI_CHAT)
        mcph_buf_adds(buf, "{\"type\":\"function\",\"function\":");
    mcph_buf_addc(buf, '{');
    if (f->shape == MCPHOST_SHAPE_OPENAI_RESPONSES)
        mcph_buf_adds(buf, "\"type\":\"function\"");
    mcph_json_add_key(buf, "name");
    mcph_json_add_str(buf, f->name);
    cut = add_description(f, buf, ret_max);
    if (cut < 0)
        return cut;
    /* Leave out a schema without properties for Gemini, because Gemini does not accept an
     * object without properties. */
    if (f->profile != MCPHOST_PROFILE_GEMINI || !(f->flags & MCPH_PROJECT_EMPTY)) {
        mcph_json_add_key(buf, as_it_is && f->shape == MCPHOST_SHAPE_GEMINI
                                   ? "parametersJsonSchema"
                                   : keys[f->shape]);
        mcph_json_add_span(buf, f->schema);
    }
    /* Write `strict` even if it is false, because the Responses API treats functions as
     * strict by default. */
    if (strict || (f->profile == MCPHOST_PROFILE_OPENAI &&
                   f->shape == MCPHOST_SHAPE_OPENAI_RESPONSES)) {
        mcph_json_add_key(buf, "strict");
        mcph_json_add_bool(buf, strict && !(f->flags & MCPH_PROJECT_LOOSE));
    }
    mcph_buf_adds(buf, f->shape == MCPHOST_SHAPE_OPENAI_CHAT ? "}}" : "}");
    return mcph_buf_ok(buf) < 0 ? mcph_buf_ok(buf) : cut;
}
