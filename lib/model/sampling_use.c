/* SPDX-License-Identifier: MIT
 *
 * sampling_use.c - tool uses and results in the messages of a sampling request.
 *
 * MCP 2025-11-25, "Sampling": each use has its result in the next message, and a message
 * with results contains nothing else.  Providers require the same.  A request that breaks
 * this rule is refused here, where the error can name the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define ID_MAX 40 /* limit of the strictest provider */

/* ---- uses that wait for results ---------------------------------------------------- */

static void
forget_uses(struct mcph_sampling_writer *w)
{
    for (size_t i = 0; i < w->uses.n; i++) {
        struct mcph_sampling_use *use = w->uses.items[i];

        free(use->id);
        free(use->own);
        free(use);
    }
    mcph_map_done(&w->by_id);
    mcph_vec_done(&w->uses);
    w->uses = (struct mcph_vec){0};
    w->by_id = (struct mcph_map){0};
    w->n_open = 0;
}

void
mcph_sampling_uses_done(struct mcph_sampling_writer *w)
{
    forget_uses(w);
}

int
mcph_sampling_uses_end(struct mcph_sampling_writer *w)
{
    if (w->n_open)
        return mcph_sampling_invalid(w, "the uses of tools before it lack results");
    forget_uses(w);
    return 0;
}

static int
remember(struct mcph_sampling_writer *w, struct mcph_span id, struct mcph_span name,
         struct mcph_sampling_use **ret)
{
    struct mcph_sampling_use *use = calloc(1, sizeof(*use));
    int r;

    if (!use || mcph_vec_add(&w->uses, use) < 0) {
        free(use);
        return mcph_err_nomem(w->reterr);
    }
    r = mcph_json_string_dup(id, &use->id);
    if (r == 0)
        r = mcph_json_string_dup(name, &use->own);
    if (r == MCPHOST_E_INVALID || (r == 0 && (!*use->id || !*use->own)))
        return mcph_sampling_invalid(w, "a use of a tool needs an id and a name");
    if (r == 0 && mcph_map_get(&w->by_id, use->id, strlen(use->id)))
        return mcph_sampling_invalid(w, "two uses of tools have one id");
    if (r == 0)
        r = mcph_map_put(&w->by_id, use->id, strlen(use->id), use, NULL);
    if (r < 0)
        return mcph_err_nomem(w->reterr);
    w->n_open++;
    *ret = use;
    return 0;
}

/* ---- ids --------------------------------------------------------------------------- */

/* Writes an id that all providers accept: the id itself, or one derived from it alone. */
static void
add_id(struct mcph_buf *buf, const char *id)
{
    size_t len = strlen(id), good = 0;
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];

    while (good < len &&
           (id[good] == '_' || id[good] == '-' || (id[good] >= '0' && id[good] <= '9') ||
            (id[good] >= 'A' && id[good] <= 'Z') || (id[good] >= 'a' && id[good] <= 'z')))
        good++;
    if (good < len || len > ID_MAX) {
        struct mcph_sha256 sha;

        mcph_sha256_init(&sha);
        mcph_sha256_add(&sha, id, len);
        mcph_sha256_end(&sha, digest);
        mcph_hex(digest, 16, hex);
        id = hex;
    }
    mcph_json_add_str(buf, id);
}

/* Gemini gets back only its own ids. */
static void
gemini_add_id(struct mcph_buf *buf, const char *id)
{
    if (strncmp(id, MCPH_SAMPLING_ID, sizeof(MCPH_SAMPLING_ID) - 1) == 0)
        return;
    mcph_json_add_key(buf, "id");
    add_id(buf, id);
}

/* ---- uses -------------------------------------------------------------------------- */

static void
chat_add_use(struct mcph_buf *buf, const char *id, const char *name,
             struct mcph_span input)
{
    mcph_json_add_comma(buf);
    mcph_buf_adds(buf, "{\"id\":");
    add_id(buf, id);
    mcph_buf_adds(buf, ",\"type\":\"function\",\"function\":{\"name\":");
    mcph_json_add_str(buf, name);
    mcph_buf_adds(buf, ",\"arguments\":");
    mcph_json_add_string(buf, input.p, input.len);
    mcph_buf_adds(buf, "}}");
}

static void
responses_add_use(struct mcph_buf *buf, const char *id, const char *name,
                  struct mcph_span input)
{
    mcph_json_add_comma(buf);
    mcph_buf_adds(buf, "{\"type\":\"function_call\",\"call_id\":");
    add_id(buf, id);
    mcph_json_add_key(buf, "name");
    mcph_json_add_str(buf, name);
    mcph_json_add_key(buf, "arguments");
    mcph_json_add_string(buf, input.p, input.len);
    mcph_buf_addc(buf, '}');
}

static void
anthropic_add_use(struct mcph_buf *buf, const char *id, const char *name,
                  struct mcph_span input)
{
    mcph_buf_adds(buf, "{\"type\":\"tool_use\",\"id\":");
    add_id(buf, id);
    mcph_json_add_key(buf, "name");
    mcph_json_add_str(buf, name);
    mcph_json_add_key(buf, "input");
    mcph_json_add_span(buf, input);
    mcph_buf_addc(buf, '}');
}

static void
gemini_add_use(struct mcph_buf *buf, const char *id, const char *name,
               struct mcph_span input, struct mcph_span signature)
{
    mcph_buf_adds(buf, "{\"functionCall\":{");
    gemini_add_id(buf, id);
    mcph_json_add_key(buf, "name");
    mcph_json_add_str(buf, name);
    mcph_json_add_key(buf, "args");
    mcph_json_add_span(buf, input);
    mcph_buf_addc(buf, '}');
    if (mcph_json_type(signature) == MCPH_JSON_STRING) {
        mcph_json_add_key(buf, "thoughtSignature");
        mcph_json_add_span(buf, signature);
    }
    mcph_buf_addc(buf, '}');
}

/* Writes a use or a result as text, for a model without tools. */
static int
tell(struct mcph_sampling_writer *w, const char *what,
     const struct mcph_sampling_use *use, struct mcph_span text)
{
    struct mcph_buf line;
    int r;

    mcph_buf_init(&line, MCPH_SAMPLING_MAX);
    mcph_buf_addf(&line, "[%s '%s': ", what, use->own);
    mcph_buf_add(&line, text.p, text.len);
    r = mcph_buf_addc(&line, ']');
    if (r == 0)
        r = mcph_sampling_add_text(w, &w->parts, mcph_span(line.data, line.len));
    mcph_buf_done(&line);
    if (r == 0)
        r = mcph_sampling_note(w->s,
                               "messages[%zu].content[%zu]: %s '%s' told as text: "
                               "the request has no tools for the model",
                               w->message, w->block, what, use->own);
    return r < 0 ? mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r)) : 0;
}

static int
write_use(struct mcph_sampling_writer *w, const struct mcph_sampling_use *use,
          struct mcph_span input, struct mcph_span meta)
{
    char made[MCPH_PROJECTED_NAME];
    const char *name = mcph_sampling_name(w->s, use->own, made);
    struct mcph_buf *parts = &w->parts.parts;
    int r = 0;

    if (!name)
        return mcph_err_nomem(w->reterr);
    switch (w->s->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        chat_add_use(&w->calls, use->id, name, input);
        break;
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        r = mcph_sampling_flush(w);
        responses_add_use(&w->out, use->id, name, input);
        break;
    default:
        if (w->parts.n++)
            mcph_buf_addc(parts, ',');
        if (w->s->shape == MCPHOST_SHAPE_ANTHROPIC)
            anthropic_add_use(parts, use->id, name, input);
        else
            gemini_add_use(parts, use->id, name, input,
                           mcph_json_get(meta, MCPH_SAMPLING_SIGNATURE));
    }
    return r;
}

int
mcph_sampling_add_use(struct mcph_sampling_writer *w, struct mcph_span block)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id"), MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("input"), MCPH_JSON_WANT("_meta")};
    struct mcph_sampling_use *use = NULL;
    int r;

    (void)mcph_json_pick(block, want, MCPH_ARRAY_SIZE(want));
    if (!w->said)
        return mcph_sampling_invalid(w, "a user does not use tools");
    if (mcph_json_type(want[2].value) != MCPH_JSON_OBJECT)
        return mcph_sampling_invalid(w, "the input of a tool is an object");
    r = remember(w, want[0].value, want[1].value, &use);
    if (r < 0)
        return r;
    return w->tools ? write_use(w, use, want[2].value, want[3].value)
                    : tell(w, "use of the tool", use, want[2].value);
}

/* ---- results ----------------------------------------------------------------------- */

static void
add_output(const struct mcph_sampling_writer *w, struct mcph_buf *buf)
{
    const struct mcph_buf *joined = &w->result.joined;

    mcph_json_add_string(buf, joined->data ? joined->data : "", joined->len);
}

static void
responses_add_result(struct mcph_sampling_writer *w, const char *id)
{
    mcph_json_add_comma(&w->out);
    mcph_buf_adds(&w->out, "{\"type\":\"function_call_output\",\"call_id\":");
    add_id(&w->out, id);
    mcph_json_add_key(&w->out, "output");
    if (w->result.n_media == 0) {
        add_output(w, &w->out);
    } else {
        mcph_buf_addc(&w->out, '[');
        mcph_buf_add(&w->out, w->result.parts.data, w->result.parts.len);
        mcph_buf_addc(&w->out, ']');
    }
    mcph_buf_addc(&w->out, '}');
}

static void
anthropic_add_result(struct mcph_sampling_writer *w, const char *id, bool error)
{
    struct mcph_buf *buf = &w->parts.parts;

    mcph_buf_adds(buf, "{\"type\":\"tool_result\",\"tool_use_id\":");
    add_id(buf, id);
    mcph_json_add_key(buf, "content");
    mcph_buf_addc(buf, '[');
    mcph_buf_add(buf, w->result.parts.data, w->result.parts.len);
    mcph_buf_addc(buf, ']');
    if (error)
        mcph_buf_adds(buf, ",\"is_error\":true");
    mcph_buf_addc(buf, '}');
}

static void
gemini_add_result(struct mcph_sampling_writer *w, const char *id, const char *name,
                  bool error)
{
    struct mcph_buf *buf = &w->parts.parts;

    mcph_buf_adds(buf, "{\"functionResponse\":{");
    gemini_add_id(buf, id);
    mcph_json_add_key(buf, "name");
    mcph_json_add_str(buf, name);
    mcph_json_add_key(buf, "response");
    mcph_buf_adds(buf, error ? "{\"error\":" : "{\"output\":");
    add_output(w, buf);
    mcph_buf_adds(buf, "}}}");
}

static int
write_result(struct mcph_sampling_writer *w, const struct mcph_sampling_use *use,
             bool error)
{
    char made[MCPH_PROJECTED_NAME];
    const char *name = mcph_sampling_name(w->s, use->own, made);

    if (!name)
        return mcph_err_nomem(w->reterr);
    switch (w->s->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        mcph_json_add_comma(&w->out);
        mcph_buf_adds(&w->out, "{\"role\":\"tool\",\"tool_call_id\":");
        add_id(&w->out, use->id);
        mcph_json_add_key(&w->out, "content");
        add_output(w, &w->out);
        mcph_buf_addc(&w->out, '}');
        return 0;
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        responses_add_result(w, use->id);
        return 0;
    default:
        if (w->parts.n++)
            mcph_buf_addc(&w->parts.parts, ',');
        if (w->s->shape == MCPHOST_SHAPE_ANTHROPIC)
            anthropic_add_result(w, use->id, error);
        else
            gemini_add_result(w, use->id, name, error);
        return 0;
    }
}

/* Adds a text about the failure for OpenAI, whose interface has no member for it. */
static int
add_failure(struct mcph_sampling_writer *w)
{
    bool openai = w->s->shape == MCPHOST_SHAPE_OPENAI_CHAT ||
                  w->s->shape == MCPHOST_SHAPE_OPENAI_RESPONSES;

    return w->tools && openai
               ? mcph_sampling_add_text(w, &w->result, mcph_span_str("The tool failed:"))
               : 0;
}

/* Collects the content of a result.  Structured content replaces missing content. */
static int
gather(struct mcph_sampling_writer *w, struct mcph_span content,
       struct mcph_span structured, bool error)
{
    struct mcph_json_iter it;
    struct mcph_span block;
    size_t before;
    int r;

    mcph_buf_clear(&w->result.parts);
    mcph_buf_clear(&w->result.joined);
    w->result.n = w->result.n_media = 0;
    r = error ? add_failure(w) : 0;
    before = w->result.joined.len;
    mcph_json_iter_init(&it, content);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &block))
        r = mcph_json_type(block) == MCPH_JSON_OBJECT
                ? mcph_sampling_add_block(w, &w->result, block)
                : mcph_sampling_invalid(w, "the content of a result is objects");
    if (r == 0 && w->result.joined.len == before && !w->result.n_media && structured.p)
        r = mcph_sampling_add_text(w, &w->result, structured);
    if (r == 0)
        r = mcph_buf_ok(&w->result.parts);
    if (r == 0)
        r = mcph_buf_ok(&w->result.joined);
    return r;
}

int
mcph_sampling_add_result(struct mcph_sampling_writer *w, struct mcph_span block)
{
    struct mcph_json_want want[] = {
        MCPH_JSON_WANT("toolUseId"), MCPH_JSON_WANT("content"),
        MCPH_JSON_WANT("structuredContent"), MCPH_JSON_WANT("isError")};
    struct mcph_sampling_use *use;
    struct mcph_span id;
    bool error = false;
    int r;

    (void)mcph_json_pick(block, want, MCPH_ARRAY_SIZE(want));
    if (w->said)
        return mcph_sampling_invalid(w, "an assistant has no results of tools");
    r = mcph_sampling_text(w, want[0].value, &id);
    if (r < 0)
        return r;
    use = mcph_map_get(&w->by_id, id.p, id.len);
    if (!use || use->answered)
        return mcph_sampling_invalid(w, "the message before has no use of a tool that "
                                        "this result is of");
    use->answered = true;
    w->n_open--;
    (void)mcph_json_bool(want[3].value, &error);
    r = gather(w, want[1].value, want[2].value, error);
    if (r < 0)
        return r;
    return w->tools ? write_result(w, use, error)
                    : tell(w, error ? "failure of the tool" : "result of the tool", use,
                           mcph_span(w->result.joined.data, w->result.joined.len));
}
