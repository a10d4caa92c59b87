/* SPDX-License-Identifier: MIT
 *
 * sampling_result.c - convert a provider's answer into the result of a sampling request.
 *
 * MCP 2025-11-25, "Sampling": CreateMessageResult.
 */
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define SAID_MAX 500 /* bytes of a provider's text in an error */

struct answering {
    const mcphost_sampling *s;
    struct mcph_span answer;
    struct mcph_buf blocks; /* the blocks of content */
    struct mcph_buf text;   /* text that is not in `blocks` yet */
    struct mcph_buf room;   /* the decoded string */
    size_t n_blocks, n_uses;
    struct mcph_span stop, model; /* string tokens, or p NULL */
    mcphost_error **reterr;
};

static int
broken(struct answering *a, const char *why)
{
    return mcph_err(a->reterr, MCPHOST_E_PROTOCOL, "the provider's answer: %s", why);
}

static int
checked(struct answering *a, int r)
{
    return r < 0
               ? mcph_err(a->reterr, r, "the provider's answer: %s", mcphost_strerror(r))
               : 0;
}

static bool
says(struct mcph_span token, const char *text)
{
    return mcph_json_string_is(token, text, strlen(text));
}

static struct mcph_span
get(struct mcph_span object, const char *name)
{
    struct mcph_span value = MCPH_SPAN_NONE;

    if (mcph_json_type(object) == MCPH_JSON_OBJECT)
        value = mcph_json_get(object, name);
    return mcph_json_is_null(value) ? MCPH_SPAN_NONE : value;
}

static struct mcph_span
get_string(struct mcph_span object, const char *name)
{
    struct mcph_span value = get(object, name);

    return mcph_json_type(value) == MCPH_JSON_STRING ? value : MCPH_SPAN_NONE;
}

/* ---- refusals ---------------------------------------------------------------------- */

/* Makes an error that contains the provider's own text. */
static int
refuse(struct answering *a, int code, const char *what, struct mcph_span words)
{
    struct mcph_span text = MCPH_SPAN_NONE;

    mcph_buf_clear(&a->room);
    if (mcph_json_string_get(words, &a->room, &text) < 0 || text.len == 0)
        return mcph_err(a->reterr, code, "%s", what);
    return mcph_err(a->reterr, code, "%s: %.*s", what,
                    (int)(text.len < SAID_MAX ? text.len : SAID_MAX), text.p);
}

static int
code_of(struct mcph_span error)
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
    struct mcph_span said[] = {get(error, "type"), get(error, "code"),
                               get(error, "status")};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(words); i++)
        for (size_t j = 0; j < MCPH_ARRAY_SIZE(said); j++)
            if (mcph_span_is(said[j], words[i].word) || says(said[j], words[i].word))
                return words[i].code;
    return MCPHOST_E_DENIED;
}

static int
look_for_error(struct answering *a)
{
    struct mcph_span error = get(a->answer, "error");

    if (!error.p && says(get(a->answer, "object"), "error"))
        error = a->answer;
    if (!error.p)
        return 0;
    return refuse(
        a, code_of(error), "the provider reports an error",
        mcph_json_type(error) == MCPH_JSON_STRING ? error : get_string(error, "message"));
}

/* ---- content ----------------------------------------------------------------------- */

static void
begin_block(struct answering *a)
{
    if (a->n_blocks++)
        mcph_buf_addc(&a->blocks, ',');
}

/* Ends a text.  Consecutive texts become one block, because all protocol revisions accept
 * a single block. */
static int
end_text(struct answering *a)
{
    int r = mcph_buf_ok(&a->text);

    if (r < 0 || a->text.len == 0)
        return r;
    begin_block(a);
    mcph_buf_adds(&a->blocks, "{\"type\":\"text\",\"text\":");
    mcph_json_add_string(&a->blocks, a->text.data, a->text.len);
    mcph_buf_addc(&a->blocks, '}');
    mcph_buf_clear(&a->text);
    return mcph_buf_ok(&a->blocks);
}

static int
add_text(struct answering *a, struct mcph_span token)
{
    struct mcph_span text;
    int r;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return 0;
    mcph_buf_clear(&a->room);
    r = mcph_json_string_get(token, &a->room, &text);
    return checked(a, r < 0 ? r : mcph_buf_add(&a->text, text.p, text.len));
}

static int
add_media(struct answering *a, struct mcph_span data)
{
    struct mcph_span type = get_string(data, "mimeType"),
                     bytes = get_string(data, "data");
    bool image = type.len > 7 && strncmp(type.p, "\"image/", 7) == 0;
    int r = end_text(a);

    if (r < 0)
        return checked(a, r);
    if (!bytes.p || (!image && !(type.len > 7 && strncmp(type.p, "\"audio/", 7) == 0)))
        return 0;
    begin_block(a);
    mcph_buf_adds(&a->blocks, image ? "{\"type\":\"image\"" : "{\"type\":\"audio\"");
    mcph_json_add_key(&a->blocks, "data");
    mcph_json_add_span(&a->blocks, bytes);
    mcph_json_add_key(&a->blocks, "mimeType");
    mcph_json_add_span(&a->blocks, type);
    return checked(a, mcph_buf_addc(&a->blocks, '}'));
}

/* ---- uses of tools ----------------------------------------------------------------- */

/* Writes the answer's own id, or an id derived from the answer. */
static void
add_id(struct answering *a, struct mcph_span id)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];
    struct mcph_sha256 sha;

    if (mcph_json_type(id) == MCPH_JSON_STRING && id.len > 2) {
        mcph_json_add_span(&a->blocks, id);
        return;
    }
    mcph_sha256_init(&sha);
    mcph_sha256_add(&sha, &a->n_uses, sizeof(a->n_uses));
    mcph_sha256_add(&sha, a->answer.p, a->answer.len);
    mcph_sha256_end(&sha, digest);
    mcph_hex(digest, 12, hex);
    mcph_buf_addf(&a->blocks, "\"" MCPH_SAMPLING_ID "%s\"", hex);
}

/* Reads the arguments as an object.  Providers send an object, or JSON in a string. */
static int
read_input(struct answering *a, const char *name, struct mcph_span token,
           struct mcph_span *ret)
{
    mcphost_error *error = NULL;
    struct mcph_span text = token;
    size_t i = 0;
    int r = 0;

    mcph_buf_clear(&a->room);
    if (mcph_json_type(token) == MCPH_JSON_STRING)
        r = mcph_json_string_get(token, &a->room, &text);
    if (r < 0)
        return checked(a, r);
    while (i < text.len && strchr(" \t\r\n", text.p[i]))
        i++;
    if (!text.p || i == text.len)
        text = mcph_span_str("{}");
    r = mcph_json_check_input(text, 0, MCPH_JSON_OBJECT, "arguments", ret, &error);
    if (r == MCPHOST_E_INVALID || r == MCPHOST_E_LIMIT)
        r = mcph_err(a->reterr, MCPHOST_E_PROTOCOL,
                     "the provider's answer: use of the tool '%s'%s: %s", name,
                     says(a->stop, "length") || says(a->stop, "max_tokens") ||
                             says(a->stop, "MAX_TOKENS")
                         ? " (cut off by maxTokens)"
                         : "",
                     mcphost_error_get_message(error));
    else if (r < 0)
        mcph_err_nomem(a->reterr);
    mcphost_error_unref(error);
    return r;
}

static int
write_use(struct answering *a, struct mcph_span id, const char *name,
          struct mcph_span arguments, struct mcph_span signature)
{
    const struct mcph_sampling_tool *tool =
        mcph_map_get(&a->s->by_name, name, strlen(name));
    struct mcph_span input;
    int r = read_input(a, name, arguments, &input);

    if (r < 0)
        return r;
    begin_block(a);
    mcph_buf_adds(&a->blocks, "{\"type\":\"tool_use\",\"id\":");
    add_id(a, id);
    mcph_json_add_key(&a->blocks, "name");
    mcph_json_add_str(&a->blocks, tool ? tool->own : name);
    mcph_json_add_key(&a->blocks, "input");
    if (tool && a->s->profile != MCPHOST_PROFILE_IDENTITY)
        r = mcph_model_restore(a->s->profile, tool->schema, input, &a->blocks);
    else
        mcph_json_add_span(&a->blocks, input);
    if (mcph_json_type(signature) == MCPH_JSON_STRING) {
        mcph_json_add_key(&a->blocks, "_meta");
        mcph_buf_adds(&a->blocks, "{\"" MCPH_SAMPLING_SIGNATURE "\":");
        mcph_json_add_span(&a->blocks, signature);
        mcph_buf_addc(&a->blocks, '}');
    }
    mcph_buf_addc(&a->blocks, '}');
    a->n_uses++;
    return checked(a, r < 0 ? r : mcph_buf_ok(&a->blocks));
}

static int
add_use(struct answering *a, struct mcph_span id, struct mcph_span name,
        struct mcph_span arguments, struct mcph_span signature)
{
    char *text = NULL;
    int r = end_text(a);

    if (r < 0)
        return checked(a, r);
    r = mcph_json_string_dup(name, &text);
    if (r == MCPHOST_E_INVALID || (r == 0 && !*text)) {
        free(text);
        return broken(a, "a use of a tool has no name");
    }
    r = r < 0 ? checked(a, r) : write_use(a, id, text, arguments, signature);
    free(text);
    return r;
}

/* ---- OpenAI, chat completions ------------------------------------------------------ */

static int
read_chat_content(struct answering *a, struct mcph_span content)
{
    struct mcph_json_iter it;
    struct mcph_span part;
    int r = 0;

    if (mcph_json_type(content) != MCPH_JSON_ARRAY)
        return add_text(a, content);
    mcph_json_iter_init(&it, content);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &part))
        if (says(get(part, "type"), "text"))
            r = add_text(a, get(part, "text"));
    return r;
}

static int
read_chat_calls(struct answering *a, struct mcph_span calls)
{
    struct mcph_json_iter it;
    struct mcph_span call, function;
    int r = 0;

    mcph_json_iter_init(&it, calls);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &call)) {
        function = get(call, "function");
        r = add_use(a, get(call, "id"), get(function, "name"), get(function, "arguments"),
                    MCPH_SPAN_NONE);
    }
    return r;
}

static int
read_chat(struct answering *a)
{
    struct mcph_json_iter it;
    struct mcph_span choice = MCPH_SPAN_NONE, message, refusal;
    int r;

    mcph_json_iter_init(&it, get(a->answer, "choices"));
    (void)mcph_json_iter_next(&it, NULL, &choice);
    message = get(choice, "message");
    if (mcph_json_type(message) != MCPH_JSON_OBJECT)
        return broken(a, "there is no choices[0].message");
    a->stop = get_string(choice, "finish_reason");
    refusal = get_string(message, "refusal");
    if (refusal.len > 2)
        return refuse(a, MCPHOST_E_DENIED, "the model refuses", refusal);
    r = read_chat_content(a, get(message, "content"));
    /* An audio answer has its text in the transcript. */
    if (r == 0 && !a->text.len)
        r = add_text(a, get(get(message, "audio"), "transcript"));
    return r < 0 ? r : read_chat_calls(a, get(message, "tool_calls"));
}

/* ---- OpenAI, responses ------------------------------------------------------------- */

static int
read_responses_message(struct answering *a, struct mcph_span content)
{
    struct mcph_json_iter it;
    struct mcph_span part;
    int r = 0;

    mcph_json_iter_init(&it, content);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &part)) {
        if (says(get(part, "type"), "refusal"))
            return refuse(a, MCPHOST_E_DENIED, "the model refuses", get(part, "refusal"));
        if (says(get(part, "type"), "output_text"))
            r = add_text(a, get(part, "text"));
    }
    return r;
}

static int
read_responses(struct answering *a)
{
    struct mcph_span output = get(a->answer, "output"), item;
    struct mcph_json_iter it;
    int r = 0;

    if (mcph_json_type(output) != MCPH_JSON_ARRAY)
        return broken(a, "there is no output");
    a->stop = get_string(get(a->answer, "incomplete_details"), "reason");
    if (!a->stop.p)
        a->stop = get_string(a->answer, "status");
    mcph_json_iter_init(&it, output);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &item)) {
        struct mcph_span type = get(item, "type");

        if (says(type, "message"))
            r = read_responses_message(a, get(item, "content"));
        else if (says(type, "function_call"))
            r = add_use(a, get(item, "call_id"), get(item, "name"),
                        get(item, "arguments"), MCPH_SPAN_NONE);
    }
    return r;
}

/* ---- Anthropic ----------------------------------------------------------------------*/

static int
read_anthropic(struct answering *a)
{
    struct mcph_span content = get(a->answer, "content"), block;
    struct mcph_json_iter it;
    int r = 0;

    if (mcph_json_type(content) != MCPH_JSON_ARRAY)
        return broken(a, "there is no content");
    a->stop = get_string(a->answer, "stop_reason");
    if (says(a->stop, "refusal"))
        return refuse(a, MCPHOST_E_DENIED, "the model refuses",
                      get(get(a->answer, "stop_details"), "explanation"));
    mcph_json_iter_init(&it, content);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &block)) {
        struct mcph_span type = get(block, "type");

        if (says(type, "text"))
            r = add_text(a, get(block, "text"));
        else if (says(type, "tool_use"))
            r = add_use(a, get(block, "id"), get(block, "name"), get(block, "input"),
                        MCPH_SPAN_NONE);
    }
    return r;
}

/* ---- Gemini ------------------------------------------------------------------------ */

static int
read_gemini_part(struct answering *a, struct mcph_span part)
{
    struct mcph_span call = get(part, "functionCall"), data = get(part, "inlineData");
    bool thought = false;

    (void)mcph_json_bool(get(part, "thought"), &thought);
    if (thought)
        return 0;
    if (call.p)
        return add_use(a, get(call, "id"), get(call, "name"), get(call, "args"),
                       get(part, "thoughtSignature"));
    return data.p ? add_media(a, data) : add_text(a, get(part, "text"));
}

static int
read_gemini(struct answering *a)
{
    struct mcph_span candidate = MCPH_SPAN_NONE, part;
    struct mcph_json_iter it;
    int r = 0;

    mcph_json_iter_init(&it, get(a->answer, "candidates"));
    (void)mcph_json_iter_next(&it, NULL, &candidate);
    if (mcph_json_type(candidate) != MCPH_JSON_OBJECT) {
        part = get(get(a->answer, "promptFeedback"), "blockReason");
        return part.p
                   ? refuse(a, MCPHOST_E_DENIED, "the provider blocks the prompt", part)
                   : broken(a, "there is no candidates[0]");
    }
    a->stop = get_string(candidate, "finishReason");
    a->model = get_string(a->answer, "modelVersion");
    mcph_json_iter_init(&it, get(get(candidate, "content"), "parts"));
    while (r == 0 && mcph_json_iter_next(&it, NULL, &part))
        r = read_gemini_part(a, part);
    return r;
}

/* ---- the result -------------------------------------------------------------------- */

static const char *
find_reason(struct mcph_span stop)
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

    if (!stop.p)
        return "endTurn";
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(reasons); i++)
        if (says(stop, reasons[i].said))
            return reasons[i].reason;
    return NULL;
}

/* Tool uses in the content decide between "toolUse" and "endTurn", because some providers
 * say "stop" for both. */
static void
add_reason(const struct answering *a, const char *reason, struct mcph_buf *out)
{
    mcph_json_add_key(out, "stopReason");
    if (!reason)
        mcph_json_add_span(out, a->stop);
    else if (mcph_streq(reason, "endTurn") || mcph_streq(reason, "toolUse"))
        mcph_json_add_str(out, a->n_uses ? "toolUse" : "endTurn");
    else
        mcph_json_add_str(out, reason);
}

static int
write_result(struct answering *a, struct mcph_buf *out)
{
    const char *reason = find_reason(a->stop);
    int r = end_text(a);

    if (r < 0)
        return checked(a, r);
    if (!a->n_blocks && !reason)
        return refuse(a, MCPHOST_E_DENIED, "the provider gives no answer", a->stop);
    mcph_buf_adds(out, "{\"role\":\"assistant\",\"content\":");
    if (!a->n_blocks)
        mcph_buf_adds(out, "{\"type\":\"text\",\"text\":\"\"}");
    if (a->n_blocks > 1)
        mcph_buf_addc(out, '[');
    mcph_buf_add(out, a->blocks.data, a->blocks.len);
    if (a->n_blocks > 1)
        mcph_buf_addc(out, ']');
    mcph_json_add_key(out, "model");
    if (a->model.p)
        mcph_json_add_span(out, a->model);
    else
        mcph_json_add_str(out, a->s->model ? a->s->model : "unknown");
    add_reason(a, reason, out);
    return checked(a, mcph_buf_addc(out, '}'));
}

/* An answer that is not JSON is the fault of the provider, not of the caller. */
static int
read_answer(struct answering *a, struct mcph_span text)
{
    mcphost_error *error = NULL;
    int r = mcph_json_check_input(text, 0, MCPH_JSON_OBJECT, "the provider's answer",
                                  &a->answer, &error);

    if (r == MCPHOST_E_INVALID)
        r = mcph_err(a->reterr, MCPHOST_E_PROTOCOL, "%s",
                     mcphost_error_get_message(error));
    else if (r < 0)
        checked(a, r);
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
    struct answering a = {.s = s, .reterr = reterr};
    int r = read_answer(&a, answer);

    if (r < 0)
        return r;
    mcph_buf_init(&a.blocks, MCPH_SAMPLING_MAX);
    mcph_buf_init(&a.text, MCPH_SAMPLING_MAX);
    mcph_buf_init(&a.room, MCPH_SAMPLING_MAX);
    a.model = get_string(a.answer, "model");
    r = look_for_error(&a);
    if (r == 0)
        r = readers[s->shape](&a);
    if (r == 0)
        r = write_result(&a, out);
    mcph_buf_done(&a.blocks);
    mcph_buf_done(&a.text);
    mcph_buf_done(&a.room);
    return r;
}
