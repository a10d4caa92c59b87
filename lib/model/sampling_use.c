/* SPDX-License-Identifier: MIT
 *
 * sampling_use.c - tool uses and results in the messages of a sampling request.
 *
 * By MCP 2025-11-25, "Sampling", each use has its result in the next message.  A message
 * with results contains nothing else.  Providers have the same rules.  This file and
 * sampling_message.c refuse a request that breaks a rule, although the provider would
 * refuse the request, too, because an error of these files can name the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define ID_MAX 40 /* limit on the bytes of an id, from the strictest provider */

/* ---- uses that wait for results ---------------------------------------------------- */

int
mcph_sampling_uses_end(struct mcph_sampling_writer *w)
{
    if (json_object_size(w->uses))
        return mcph_sampling_invalid(
            w, "the uses of tools in an earlier message have no results");
    return 0;
}

static int
remember_use(struct mcph_sampling_writer *w, const char *id, const char *own)
{
    if (!id || !own)
        return mcph_sampling_invalid(w, "a use of a tool needs an id and a name");
    if (json_object_get(w->uses, id))
        return mcph_sampling_invalid(w, "two uses of tools have the same id");
    return json_object_set_new(w->uses, id, json_string(own)) < 0
               ? mcph_err_nomem(w->reterr)
               : 0;
}

/* ---- ids --------------------------------------------------------------------------- */

/* Makes an id that all providers accept: `id` itself, or a digest of `id`. */
static json_t *
make_id(const char *id)
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
    return json_string(id);
}

/* Makes an object with the id and the name.  Leaves out an id that this library made,
 * because Gemini gets back only the ids that Gemini made. */
static json_t *
gemini_named(const char *id, const char *name)
{
    if (strncmp(id, MCPH_SAMPLING_ID, sizeof(MCPH_SAMPLING_ID) - 1) == 0)
        return json_pack("{s:s}", "name", name);
    return json_pack("{s:o,s:s}", "id", make_id(id), "name", name);
}

/* ---- uses -------------------------------------------------------------------------- */

static json_t *
anthropic_use(const char *id, const char *name, struct mcph_span input)
{
    json_t *use =
        json_pack("{s:s,s:o,s:s}", "type", "tool_use", "id", make_id(id), "name", name);

    if (mcph_sampling_set_raw(use, MCPH_JSON_RAW "input", input.p, input.len) == 0)
        return use;
    json_decref(use);
    return NULL;
}

static json_t *
gemini_use(const char *id, const char *name, struct mcph_span input, json_t *signature)
{
    json_t *call = gemini_named(id, name);

    if (mcph_sampling_set_raw(call, MCPH_JSON_RAW "args", input.p, input.len) == 0)
        return json_pack("{s:o,s:O*}", "functionCall", call, "thoughtSignature",
                         json_is_string(signature) ? signature : NULL);
    json_decref(call);
    return NULL;
}

/* Writes a tool use or a tool's result as text.  Call this function if the model does not
 * accept tools, or if the provider requires a list of tools and no tool is left for the
 * list. */
static int
tell_as_text(struct mcph_sampling_writer *w, const char *what, const char *own,
             struct mcph_span text)
{
    struct mcph_buf line;
    int r;

    mcph_buf_init(&line, MCPH_SAMPLING_MAX);
    mcph_buf_addf(&line, "[%s '%s': ", what, own);
    mcph_buf_add(&line, text.p, text.len);
    mcph_buf_addc(&line, ']');
    r = mcph_sampling_add_line(w, &w->parts, &line);
    if (r < 0)
        return r;
    r = mcph_sampling_note(w->s,
                           "messages[%zu].content[%zu]: %s '%s' sent as text: the "
                           "request has no tools for the model",
                           w->message, w->block, what, own);
    return r < 0 ? mcph_err_nomem(w->reterr) : 0;
}

static int
write_use(struct mcph_sampling_writer *w, const char *id, const char *own,
          struct mcph_span input, const json_t *meta)
{
    char made[MCPH_PROJECTED_NAME];
    const char *name = mcph_sampling_name(w->s, own, made);
    json_t *value;
    int r;

    switch (w->s->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        value = json_pack("{s:o,s:s,s:{s:s,s:s%}}", "id", make_id(id), "type", "function",
                          "function", "name", name, "arguments", input.p, input.len);
        return mcph_sampling_append(w, w->calls, value);
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        r = mcph_sampling_flush(w);
        if (r < 0)
            return r;
        value = json_pack("{s:s,s:o,s:s,s:s%}", "type", "function_call", "call_id",
                          make_id(id), "name", name, "arguments", input.p, input.len);
        return mcph_sampling_append(w, w->out, value);
    case MCPHOST_SHAPE_ANTHROPIC:
        return mcph_sampling_append(w, w->parts.parts, anthropic_use(id, name, input));
    default:
        value =
            gemini_use(id, name, input, json_object_get(meta, MCPH_SAMPLING_SIGNATURE));
        return mcph_sampling_append(w, w->parts.parts, value);
    }
}

int
mcph_sampling_add_use(struct mcph_sampling_writer *w, const json_t *block)
{
    struct mcph_span input = mcph_sampling_raw(block, MCPH_JSON_RAW "input");
    const char *id = mcph_sampling_plain(block, "id");
    const char *own = mcph_sampling_plain(block, "name");
    int r;

    if (!w->said)
        return mcph_sampling_invalid(w, "a user message cannot use tools");
    if (mcph_json_type(input) != MCPH_JSON_OBJECT)
        return mcph_sampling_invalid(w, "the input of a tool must be an object");
    r = remember_use(w, id, own);
    if (r < 0)
        return r;
    return w->tools ? write_use(w, id, own, input, json_object_get(block, "_meta"))
                    : tell_as_text(w, "use of the tool", own, input);
}

/* ---- results ----------------------------------------------------------------------- */

/* Makes a JSON string from the joined texts of the result. */
static json_t *
make_output(const struct mcph_sampling_writer *w)
{
    const struct mcph_buf *joined = &w->result.joined;

    return json_stringn(joined->len ? joined->data : "", joined->len);
}

static json_t *
make_result(const struct mcph_sampling_writer *w, const char *id, const char *own,
            bool error)
{
    char made[MCPH_PROJECTED_NAME];
    json_t *value;

    switch (w->s->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        return json_pack("{s:s,s:o,s:o}", "role", "tool", "tool_call_id", make_id(id),
                         "content", make_output(w));
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        return json_pack(
            "{s:s,s:o,s:o}", "type", "function_call_output", "call_id", make_id(id),
            "output", w->result.n_media ? json_incref(w->result.parts) : make_output(w));
    case MCPHOST_SHAPE_ANTHROPIC:
        return json_pack("{s:s,s:o,s:O,s:o*}", "type", "tool_result", "tool_use_id",
                         make_id(id), "content", w->result.parts, "is_error",
                         error ? json_true() : NULL);
    default:
        value = gemini_named(id, mcph_sampling_name(w->s, own, made));
        if (json_object_set_new(
                value, "response",
                json_pack("{s:o}", error ? "error" : "output", make_output(w))) == 0)
            return json_pack("{s:o}", "functionResponse", value);
        json_decref(value);
        return NULL;
    }
}

/* Returns true for OpenAI's interfaces.  These interfaces have results outside of
 * messages. */
static bool
is_openai(const struct mcph_sampling_writer *w)
{
    return w->s->shape == MCPHOST_SHAPE_OPENAI_CHAT ||
           w->s->shape == MCPHOST_SHAPE_OPENAI_RESPONSES;
}

/* Adds a text that reports the failure if the request goes to OpenAI and has tools,
 * because OpenAI's interfaces have no member for a failure. */
static int
add_failure(struct mcph_sampling_writer *w)
{
    struct mcph_buf line;

    if (!w->tools || !is_openai(w))
        return 0;
    mcph_buf_init(&line, SIZE_MAX / 2);
    mcph_buf_adds(&line, "The tool failed:");
    return mcph_sampling_add_line(w, &w->result, &line);
}

/* Collects the content of a result.  Structured content replaces missing content. */
static int
gather_result(struct mcph_sampling_writer *w, const json_t *content,
              struct mcph_span structured, bool error)
{
    size_t before, i;
    struct mcph_buf line;
    json_t *block;
    int r;

    json_decref(w->result.parts);
    w->result.parts = json_array();
    if (!w->result.parts)
        return mcph_err_nomem(w->reterr);
    mcph_buf_clear(&w->result.joined);
    w->result.n_media = 0;
    r = error ? add_failure(w) : 0;
    before = w->result.joined.len;
    json_array_foreach(content, i, block)
    {
        if (r == 0)
            r = json_is_object(block)
                    ? mcph_sampling_add_block(w, &w->result, block)
                    : mcph_sampling_invalid(w, "the content of a result must be objects");
    }
    if (r == 0 && w->result.joined.len == before && !w->result.n_media && structured.p) {
        mcph_buf_init(&line, SIZE_MAX / 2);
        mcph_buf_add(&line, structured.p, structured.len);
        r = mcph_sampling_add_line(w, &w->result, &line);
    }
    return r < 0 ? r : mcph_buf_ok(&w->result.joined);
}

int
mcph_sampling_add_result(struct mcph_sampling_writer *w, const json_t *block)
{
    bool error = json_is_true(json_object_get(block, "isError"));
    const char *id = mcph_sampling_plain(block, "toolUseId"), *own;
    json_t *name;
    int r;

    if (w->said)
        return mcph_sampling_invalid(w,
                                     "an assistant message cannot have results of tools");
    if (!id)
        return mcph_sampling_invalid(w, "a text, id or name is missing");
    name = json_incref(json_object_get(w->uses, id));
    if (!name)
        return mcph_sampling_invalid(
            w, "the previous message has no use of a tool for this result");
    json_object_del(w->uses, id);
    own = json_string_value(name);
    r = gather_result(w, json_object_get(block, "content"),
                      mcph_sampling_raw(block, MCPH_JSON_RAW "structuredContent"), error);
    if (r == 0 && !w->tools)
        r = tell_as_text(w, error ? "failure of the tool" : "result of the tool", own,
                         mcph_span(w->result.joined.data, w->result.joined.len));
    else if (r == 0)
        r = mcph_sampling_append(w, is_openai(w) ? w->out : w->parts.parts,
                                 make_result(w, id, own, error));
    json_decref(name);
    return r;
}
