/* SPDX-License-Identifier: MIT
 *
 * sampling_result.c - convert a provider's answer into the result of a sampling request.
 *
 * The result is a CreateMessageResult of MCP 2025-11-25, "Sampling".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define SAID_MAX 500 /* limit on the bytes of a provider's text in an error */

/* The names that providers give to the arguments of a tool use.  INPUT is also the name
 * in the result.  The arguments are kept as JSON text, so that numbers of any size and
 * spelling stay unchanged. */
#define ARGUMENTS MCPH_JSON_RAW "arguments"
#define INPUT     MCPH_JSON_RAW "input"
#define ARGS      MCPH_JSON_RAW "args"

struct answering {
    const mcphost_sampling *s;
    struct mcph_span text; /* the answer as received */
    json_t *answer;
    json_t *blocks;       /* the blocks of content, an array */
    struct mcph_buf said; /* text that is not in `blocks` yet */
    size_t n_uses;
    const json_t *stop; /* the provider's stop reason, or NULL */
    json_t *model;      /* name of the model, or NULL */
    mcphost_error **reterr;
};

static int
broken_answer(struct answering *a, const char *why)
{
    return mcph_err(a->reterr, MCPHOST_E_PROTOCOL, "the provider's answer: %s", why);
}

static int
buffer_error(struct answering *a, int r)
{
    return r < 0
               ? mcph_err(a->reterr, r, "the provider's answer: %s", mcphost_strerror(r))
               : 0;
}

static bool
is_string(const json_t *value, const char *text)
{
    return mcph_streq(json_string_value(value), text);
}

/* Returns the member `name`.  Returns NULL if the object lacks the member, or if the
 * member is null. */
static json_t *
get_member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);

    return json_is_null(value) ? NULL : value;
}

static json_t *
get_string(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);

    return json_is_string(value) ? value : NULL;
}

/* ---- refusals ---------------------------------------------------------------------- */

/* Makes an error that contains the provider's own text. */
static int
refuse_answer(struct answering *a, int code, const char *what, const json_t *words)
{
    if (json_string_length(words) == 0)
        return mcph_err(a->reterr, code, "%s", what);
    return mcph_err(a->reterr, code, "%s: %.*s", what, SAID_MAX,
                    json_string_value(words));
}

static int
code_of(const json_t *error)
{
    static const struct {
        const char *word;
        int code;
    } words[] = {
        {"authentication_error", MCPHOST_E_AUTH},
        {"permission_error", MCPHOST_E_AUTH},
        {"invalid_api_key", MCPHOST_E_AUTH},
        {"UNAUTHENTICATED", MCPHOST_E_AUTH},
        {"PERMISSION_DENIED", MCPHOST_E_AUTH},
        {"401", MCPHOST_E_AUTH},
        {"403", MCPHOST_E_AUTH},
        {"rate_limit_error", MCPHOST_E_LIMIT},
        {"rate_limit_exceeded", MCPHOST_E_LIMIT},
        {"insufficient_quota", MCPHOST_E_LIMIT},
        {"overloaded_error", MCPHOST_E_LIMIT},
        {"RESOURCE_EXHAUSTED", MCPHOST_E_LIMIT},
        {"UNAVAILABLE", MCPHOST_E_LIMIT},
        {"429", MCPHOST_E_LIMIT},
        {"503", MCPHOST_E_LIMIT},
        {"529", MCPHOST_E_LIMIT},
    };
    const json_t *said[] = {get_member(error, "type"), get_member(error, "code"),
                            get_member(error, "status")};
    char number[24];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(words); i++) {
        for (size_t j = 0; j < MCPH_ARRAY_SIZE(said); j++) {
            snprintf(number, sizeof(number), "%lld",
                     (long long)json_integer_value(said[j]));
            if (is_string(said[j], words[i].word) || mcph_streq(number, words[i].word))
                return words[i].code;
        }
    }
    return MCPHOST_E_DENIED;
}

static int
look_for_error(struct answering *a)
{
    const json_t *error = get_member(a->answer, "error");

    if (!error && is_string(get_member(a->answer, "object"), "error"))
        error = a->answer;
    if (!error)
        return 0;
    return refuse_answer(a, code_of(error), "the provider reports an error",
                         json_is_string(error) ? error : get_member(error, "message"));
}

/* ---- content ----------------------------------------------------------------------- */

/* Adds a block.  Takes over the block.  A NULL `block` means that there was no memory to
 * make the block.  If there is no memory, sets the error. */
static int
add_block(struct answering *a, json_t *block)
{
    return json_array_append_new(a->blocks, block) < 0 ? mcph_err_nomem(a->reterr) : 0;
}

/* Adds the text in `said` as a block.  Empties `said`.  Consecutive texts become one
 * block, because all protocol revisions accept a single block. */
static int
end_text(struct answering *a)
{
    int r = buffer_error(a, mcph_buf_ok(&a->said));

    if (r < 0 || a->said.len == 0)
        return r;
    r = add_block(
        a, json_pack("{s:s,s:s%}", "type", "text", "text", a->said.data, a->said.len));
    mcph_buf_clear(&a->said);
    return r;
}

static int
add_text(struct answering *a, const json_t *text)
{
    return buffer_error(
        a, mcph_buf_add(&a->said, json_string_value(text), json_string_length(text)));
}

static int
add_media(struct answering *a, const json_t *data)
{
    json_t *type = get_string(data, "mimeType"), *bytes = get_string(data, "data");
    bool image = type && strncmp(json_string_value(type), "image/", 6) == 0;
    int r = end_text(a);

    if (r < 0 || !bytes || !type ||
        (!image && strncmp(json_string_value(type), "audio/", 6) != 0))
        return r;
    return add_block(a, json_pack("{s:s,s:O,s:O}", "type", image ? "image" : "audio",
                                  "data", bytes, "mimeType", type));
}

/* ---- uses of tools ----------------------------------------------------------------- */

/* Makes an id for a tool use from the number of the use and the bytes of the answer,
 * because the answer gives no id. */
static json_t *
make_id(const struct answering *a)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];
    struct mcph_sha256 sha;

    mcph_sha256_init(&sha);
    mcph_sha256_add(&sha, &a->n_uses, sizeof(a->n_uses));
    mcph_sha256_add(&sha, a->text.p, a->text.len);
    mcph_sha256_end(&sha, digest);
    mcph_hex(digest, 12, hex);
    return json_sprintf(MCPH_SAMPLING_ID "%s", hex);
}

/* Reads the arguments as an object.  Providers send an object, or JSON in a string.
 * Decodes a string into `room`.  Missing or blank arguments become an empty object. */
static int
read_input(struct answering *a, const char *name, struct mcph_span token,
           struct mcph_buf *room, struct mcph_span *ret)
{
    mcphost_error *error = NULL;
    struct mcph_span text = token;
    size_t i = 0;
    int r = 0;

    if (mcph_json_type(token) == MCPH_JSON_STRING)
        r = mcph_json_string_get(token, room, &text);
    if (r < 0)
        return buffer_error(a, r);
    while (i < text.len && strchr(" \t\r\n", text.p[i]))
        i++;
    if (i == text.len)
        text = mcph_span_str("{}");
    r = mcph_json_check_input(text, 0, MCPH_JSON_OBJECT, "arguments", ret, &error);
    if (r == MCPHOST_E_INVALID || r == MCPHOST_E_LIMIT)
        r = mcph_err(a->reterr, MCPHOST_E_PROTOCOL,
                     "the provider's answer: use of the tool '%s'%s: %s", name,
                     is_string(a->stop, "length") || is_string(a->stop, "max_tokens") ||
                             is_string(a->stop, "MAX_TOKENS")
                         ? " (cut off by maxTokens)"
                         : "",
                     mcphost_error_get_message(error));
    else if (r < 0)
        mcph_err_nomem(a->reterr);
    mcphost_error_unref(error);
    return r;
}

/* Sets the input of a tool use, with the server's own names of parameters. */
static int
set_input(struct answering *a, json_t *use, const struct mcph_sampling_tool *tool,
          struct mcph_span input)
{
    struct mcph_buf restored;
    int r = 0;

    mcph_buf_init(&restored, MCPH_SAMPLING_MAX);
    if (tool && a->s->profile != MCPHOST_PROFILE_IDENTITY) {
        r = mcph_model_restore(a->s->profile, tool->schema, input, &restored);
        input = mcph_span(restored.data, restored.len);
    }
    if (r == 0)
        r = mcph_buf_ok(&restored);
    if (r == 0 && mcph_sampling_set_raw(use, INPUT, input.p, input.len) < 0)
        r = MCPHOST_E_NOMEM;
    mcph_buf_done(&restored);
    return buffer_error(a, r);
}

static int
write_use(struct answering *a, json_t *id, const char *name, struct mcph_span input,
          json_t *signature)
{
    const struct mcph_sampling_tool *tool =
        mcph_map_get(&a->s->by_name, name, strlen(name));
    json_t *use = json_pack("{s:s,s:o,s:s}", "type", "tool_use", "id",
                            json_string_length(id) ? json_incref(id) : make_id(a), "name",
                            tool ? tool->own : name);
    int r = use ? set_input(a, use, tool, input) : mcph_err_nomem(a->reterr);

    if (r == 0 && json_is_string(signature) &&
        json_object_set_new(use, "_meta",
                            json_pack("{s:O}", MCPH_SAMPLING_SIGNATURE, signature)) < 0)
        r = mcph_err_nomem(a->reterr);
    if (r < 0) {
        json_decref(use);
        return r;
    }
    a->n_uses++;
    return add_block(a, use);
}

static int
add_use(struct answering *a, json_t *id, const json_t *name, struct mcph_span arguments,
        json_t *signature)
{
    const char *text = json_string_value(name);
    struct mcph_span input;
    struct mcph_buf room;
    int r = end_text(a);

    if (r < 0)
        return r;
    if (!text || !*text || strlen(text) < json_string_length(name))
        return broken_answer(a, "a use of a tool has no name");
    mcph_buf_init(&room, MCPH_SAMPLING_MAX);
    r = read_input(a, text, arguments, &room, &input);
    if (r == 0)
        r = write_use(a, id, text, input, signature);
    mcph_buf_done(&room);
    return r;
}

/* ---- OpenAI, chat completions ------------------------------------------------------ */

static int
read_chat_content(struct answering *a, const json_t *content)
{
    json_t *part;
    size_t i;
    int r = json_is_string(content) ? add_text(a, content) : 0;

    json_array_foreach(content, i, part)
    {
        if (r == 0 && is_string(get_member(part, "type"), "text"))
            r = add_text(a, get_member(part, "text"));
    }
    return r;
}

static int
read_chat_calls(struct answering *a, const json_t *calls)
{
    json_t *call, *function;
    size_t i;
    int r = 0;

    json_array_foreach(calls, i, call)
    {
        function = get_member(call, "function");
        if (r == 0)
            r = add_use(a, get_member(call, "id"), get_member(function, "name"),
                        mcph_sampling_raw(function, ARGUMENTS), NULL);
    }
    return r;
}

static int
read_chat(struct answering *a)
{
    const json_t *choice = json_array_get(get_member(a->answer, "choices"), 0), *refusal;
    const json_t *message = get_member(choice, "message");
    int r;

    if (!json_is_object(message))
        return broken_answer(a, "there is no choices[0].message");
    a->stop = get_string(choice, "finish_reason");
    refusal = get_member(message, "refusal");
    if (json_string_length(refusal))
        return refuse_answer(a, MCPHOST_E_DENIED, "the model refuses", refusal);
    r = read_chat_content(a, get_member(message, "content"));
    /* If the answer has no text, use the transcript of its audio as the text. */
    if (r == 0 && !a->said.len)
        r = add_text(a, get_member(get_member(message, "audio"), "transcript"));
    return r < 0 ? r : read_chat_calls(a, get_member(message, "tool_calls"));
}

/* ---- OpenAI, responses ------------------------------------------------------------- */

static int
read_responses_message(struct answering *a, const json_t *content)
{
    json_t *part;
    size_t i;
    int r = 0;

    json_array_foreach(content, i, part)
    {
        if (r == 0 && is_string(get_member(part, "type"), "refusal"))
            r = refuse_answer(a, MCPHOST_E_DENIED, "the model refuses",
                              get_member(part, "refusal"));
        if (r == 0 && is_string(get_member(part, "type"), "output_text"))
            r = add_text(a, get_member(part, "text"));
    }
    return r;
}

static int
read_responses(struct answering *a)
{
    const json_t *output = get_member(a->answer, "output");
    json_t *item;
    size_t i;
    int r = 0;

    if (!json_is_array(output))
        return broken_answer(a, "there is no output");
    a->stop = get_string(get_member(a->answer, "incomplete_details"), "reason");
    if (!a->stop)
        a->stop = get_string(a->answer, "status");
    json_array_foreach(output, i, item)
    {
        if (r == 0 && is_string(get_member(item, "type"), "message"))
            r = read_responses_message(a, get_member(item, "content"));
        else if (r == 0 && is_string(get_member(item, "type"), "function_call"))
            r = add_use(a, get_member(item, "call_id"), get_member(item, "name"),
                        mcph_sampling_raw(item, ARGUMENTS), NULL);
    }
    return r;
}

/* ---- Anthropic --------------------------------------------------------------------- */

static int
read_anthropic(struct answering *a)
{
    const json_t *content = get_member(a->answer, "content");
    json_t *block;
    size_t i;
    int r = 0;

    if (!json_is_array(content))
        return broken_answer(a, "there is no content");
    a->stop = get_string(a->answer, "stop_reason");
    if (is_string(a->stop, "refusal"))
        return refuse_answer(
            a, MCPHOST_E_DENIED, "the model refuses",
            get_member(get_member(a->answer, "stop_details"), "explanation"));
    json_array_foreach(content, i, block)
    {
        if (r == 0 && is_string(get_member(block, "type"), "text"))
            r = add_text(a, get_member(block, "text"));
        else if (r == 0 && is_string(get_member(block, "type"), "tool_use"))
            r = add_use(a, get_member(block, "id"), get_member(block, "name"),
                        mcph_sampling_raw(block, INPUT), NULL);
    }
    return r;
}

/* ---- Gemini ------------------------------------------------------------------------ */

static int
read_gemini_part(struct answering *a, const json_t *part)
{
    const json_t *call = get_member(part, "functionCall"),
                 *data = get_member(part, "inlineData");
    bool thought = json_is_true(get_member(part, "thought"));

    if (thought)
        return 0;
    if (call)
        return add_use(a, get_member(call, "id"), get_member(call, "name"),
                       mcph_sampling_raw(call, ARGS),
                       get_member(part, "thoughtSignature"));
    return data ? add_media(a, data) : add_text(a, get_member(part, "text"));
}

static int
read_gemini(struct answering *a)
{
    const json_t *candidate = json_array_get(get_member(a->answer, "candidates"), 0),
                 *why;
    json_t *part;
    size_t i;
    int r = 0;

    if (!json_is_object(candidate)) {
        why = get_member(get_member(a->answer, "promptFeedback"), "blockReason");
        return why ? refuse_answer(a, MCPHOST_E_DENIED, "the provider blocks the prompt",
                                   why)
                   : broken_answer(a, "there is no candidates[0]");
    }
    a->stop = get_string(candidate, "finishReason");
    a->model = get_string(a->answer, "modelVersion");
    json_array_foreach(get_member(get_member(candidate, "content"), "parts"), i, part)
    {
        if (r == 0)
            r = read_gemini_part(a, part);
    }
    return r;
}

/* ---- the result -------------------------------------------------------------------- */

static const char *
find_reason(const json_t *stop)
{
    static const struct {
        const char *said, *reason;
    } reasons[] = {
        {"stop", "endTurn"},       {"length", "maxTokens"},
        {"tool_calls", "toolUse"}, {"function_call", "toolUse"},
        {"completed", "endTurn"},  {"max_output_tokens", "maxTokens"},
        {"end_turn", "endTurn"},   {"max_tokens", "maxTokens"},
        {"tool_use", "toolUse"},   {"stop_sequence", "stopSequence"},
        {"STOP", "endTurn"},       {"MAX_TOKENS", "maxTokens"},
    };

    if (!stop)
        return "endTurn";
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(reasons); i++)
        if (is_string(stop, reasons[i].said))
            return reasons[i].reason;
    return NULL;
}

/* Chooses the stop reason.  If `reason` is NULL, returns the provider's own reason.  Tool
 * uses in the content decide between "toolUse" and "endTurn", because some providers
 * answer "stop" in both cases. */
static const char *
choose_reason(const struct answering *a, const char *reason)
{
    if (!reason)
        return json_string_value(a->stop);
    if (mcph_streq(reason, "endTurn") || mcph_streq(reason, "toolUse"))
        return a->n_uses ? "toolUse" : "endTurn";
    return reason;
}

static int
write_result(struct answering *a, struct mcph_buf *out)
{
    const char *reason = find_reason(a->stop);
    json_t *content = a->blocks, *result;
    int r = end_text(a);

    if (r < 0)
        return r;
    if (!json_array_size(a->blocks) && !reason)
        return refuse_answer(a, MCPHOST_E_DENIED, "the provider gives no answer",
                             a->stop);
    if (!json_array_size(a->blocks))
        r = add_block(a, json_pack("{s:s,s:s}", "type", "text", "text", ""));
    if (r < 0)
        return r;
    if (json_array_size(a->blocks) == 1)
        content = json_array_get(a->blocks, 0);
    result =
        json_pack("{s:s,s:O,s:o,s:s}", "role", "assistant", "content", content, "model",
                  a->model ? json_incref(a->model)
                           : json_string(a->s->model ? a->s->model : "unknown"),
                  "stopReason", choose_reason(a, reason));
    r = buffer_error(a, result ? mcph_json_add_tree(out, result) : MCPHOST_E_NOMEM);
    json_decref(result);
    return r;
}

/* Parses the answer.  If the answer is not JSON, the error code is MCPHOST_E_PROTOCOL and
 * not MCPHOST_E_INVALID, because the provider made the fault. */
static int
read_answer(struct answering *a)
{
    static const char *const raw[] = {ARGUMENTS, INPUT, ARGS, NULL};
    mcphost_error *error = NULL;
    int r = mcph_json_load(a->text, 0, "the provider's answer", raw, MCPH_TREE_LENIENT,
                           &a->answer, &error);

    if (r == MCPHOST_E_INVALID)
        r = mcph_err(a->reterr, MCPHOST_E_PROTOCOL, "%s",
                     mcphost_error_get_message(error));
    else if (r < 0)
        buffer_error(a, r);
    mcphost_error_unref(error);
    return r;
}

int
mcph_sampling_answer(const mcphost_sampling *s, struct mcph_span answer,
                     struct mcph_buf *out, mcphost_error **reterr)
{
    static int (*const readers[])(struct answering * a) = {
        [MCPHOST_SHAPE_OPENAI_CHAT] = read_chat,
        [MCPHOST_SHAPE_OPENAI_RESPONSES] = read_responses,
        [MCPHOST_SHAPE_ANTHROPIC] = read_anthropic,
        [MCPHOST_SHAPE_GEMINI] = read_gemini,
    };
    struct answering a = {.s = s, .text = answer, .reterr = reterr};
    int r = read_answer(&a);

    if (r < 0)
        return r;
    mcph_buf_init(&a.said, MCPH_SAMPLING_MAX);
    a.blocks = json_array();
    a.model = get_string(a.answer, "model");
    r = a.blocks ? look_for_error(&a) : mcph_err_nomem(reterr);
    if (r == 0)
        r = readers[s->shape](&a);
    if (r == 0)
        r = write_result(&a, out);
    mcph_buf_done(&a.said);
    json_decref(a.blocks);
    json_decref(a.answer);
    return r;
}
