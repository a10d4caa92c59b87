/* SPDX-License-Identifier: MIT
 *
 * sampling_request.c - write the body of a request to a provider from a server's sampling
 * request.
 *
 * MCP 2025-11-25 and 2026-07-28, "Sampling".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define NOTES_MAX 100
#define NOTE_MAX  500

#define CHAT_TEXT "{\"type\":\"text\",\"text\":"

void
mcph_sampling_free(mcphost_sampling *s)
{
    mcph_sampling_tools_done(s);
    for (size_t i = 0; i < s->notes.n; i++)
        free(s->notes.items[i]);
    mcph_vec_done(&s->notes);
    free(s->model);
    free(s->json);
    free(s);
}

int
mcph_sampling_note(mcphost_sampling *s, const char *fmt, ...)
{
    char text[NOTE_MAX];
    struct mcph_buf clean;
    va_list ap;
    char *note;
    int r;

    if (s->notes.n >= NOTES_MAX)
        return 0;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (s->notes.n == NOTES_MAX - 1)
        snprintf(text, sizeof(text), "more was left out than the notes tell");
    mcph_buf_init(&clean, SIZE_MAX / 2);
    mcph_utf8_add_clean(&clean, text, strlen(text), true);
    note = mcph_buf_steal(&clean, NULL);
    mcph_buf_done(&clean);
    r = note ? mcph_vec_add(&s->notes, note) : MCPHOST_E_NOMEM;
    if (r < 0)
        free(note);
    return r;
}

/* ---- end of a message -------------------------------------------------------------- */

/* Writes a single text as a plain string, which even the oldest compatible servers
 * accept. */
static void
chat_add_content(struct mcph_sampling_writer *w)
{
    const struct mcph_buf *parts = &w->parts.parts;
    size_t head = sizeof(CHAT_TEXT) - 1;

    if (w->parts.n == 1 && !w->parts.n_media) {
        mcph_buf_add(&w->out, parts->data + head, parts->len - head - 1);
        return;
    }
    mcph_buf_addc(&w->out, '[');
    mcph_buf_add(&w->out, parts->data, parts->len);
    mcph_buf_addc(&w->out, ']');
}

static void
chat_flush(struct mcph_sampling_writer *w)
{
    mcph_buf_adds(&w->out, w->said ? "{\"role\":\"assistant\",\"content\":"
                                   : "{\"role\":\"user\",\"content\":");
    if (w->parts.n)
        chat_add_content(w);
    else
        mcph_buf_adds(&w->out, "null");
    if (w->calls.len) {
        mcph_json_add_key(&w->out, "tool_calls");
        mcph_buf_addc(&w->out, '[');
        mcph_buf_add(&w->out, w->calls.data, w->calls.len);
        mcph_buf_addc(&w->out, ']');
    }
    mcph_buf_addc(&w->out, '}');
}

int
mcph_sampling_flush(struct mcph_sampling_writer *w)
{
    static const char *const heads[] = {
        [MCPHOST_SHAPE_OPENAI_RESPONSES] = "{\"type\":\"message\",\"role\":\"%s\","
                                           "\"content\":[",
        [MCPHOST_SHAPE_ANTHROPIC] = "{\"role\":\"%s\",\"content\":[",
        [MCPHOST_SHAPE_GEMINI] = "{\"role\":\"%s\",\"parts\":[",
    };
    const char *role = !w->said                              ? "user"
                       : w->s->shape == MCPHOST_SHAPE_GEMINI ? "model"
                                                             : "assistant";
    struct mcph_buf *bufs[] = {&w->parts.parts, &w->calls, &w->out};
    int r = 0;

    if (w->parts.n || w->calls.len) {
        mcph_json_add_comma(&w->out);
        if (w->s->shape == MCPHOST_SHAPE_OPENAI_CHAT) {
            chat_flush(w);
        } else {
            mcph_buf_addf(&w->out, heads[w->s->shape], role);
            mcph_buf_add(&w->out, w->parts.parts.data, w->parts.parts.len);
            mcph_buf_adds(&w->out, "]}");
        }
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bufs) && r == 0; i++)
        r = mcph_buf_ok(bufs[i]);
    mcph_buf_clear(&w->parts.parts);
    mcph_buf_clear(&w->calls);
    w->parts.n = w->parts.n_media = 0;
    return r < 0 ? mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r)) : 0;
}

/* ---- rest of the body -------------------------------------------------------------- */

enum {
    SYSTEM,
    MAX_TOKENS,
    TEMPERATURE,
    STOPS,
    TOOLS,
    CHOICE,
    METADATA,
    CONTEXT,
    MESSAGES,
    N_WANTS
};

static int
invalid(struct mcph_sampling_writer *w, const char *why)
{
    return mcph_err(w->reterr, MCPHOST_E_INVALID, "params: %s", why);
}

static int
add_temperature(struct mcph_sampling_writer *w, struct mcph_buf *body,
                struct mcph_span token)
{
    double heat, max = w->dialect->hottest;

    if (!token.p)
        return 0;
    if (mcph_json_double(token, &heat) < 0)
        return invalid(w, "temperature is no number");
    mcph_json_add_key(body, "temperature");
    if (heat >= 0 && heat <= max)
        return mcph_json_add_span(body, token);
    mcph_json_add_double(body, heat < 0 ? 0 : max);
    return mcph_sampling_note(w->s, "temperature: the provider takes 0 to %g", max);
}

static int
add_stops(struct mcph_sampling_writer *w, struct mcph_buf *body, struct mcph_span stops)
{
    struct mcph_json_iter it;
    struct mcph_span stop;
    size_t n = 0, max = w->dialect->stops_max;

    if (!stops.p || (mcph_json_type(stops) == MCPH_JSON_ARRAY && !mcph_json_count(stops)))
        return 0;
    if (mcph_json_type(stops) != MCPH_JSON_ARRAY)
        return invalid(w, "stopSequences is not an array");
    if (max) {
        mcph_json_add_key(body, w->dialect->stops);
        mcph_buf_addc(body, '[');
    }
    mcph_json_iter_init(&it, stops);
    for (; mcph_json_iter_next(&it, NULL, &stop); n++) {
        if (mcph_json_type(stop) != MCPH_JSON_STRING)
            return invalid(w, "stopSequences are texts");
        if (n >= max)
            continue;
        mcph_json_add_comma(body);
        mcph_json_add_span(body, stop);
    }
    if (max)
        mcph_buf_addc(body, ']');
    if (n <= max)
        return 0;
    return mcph_sampling_note(w->s, "stopSequences: the provider takes %zu of %zu", max,
                              n);
}

/* Writes the limits of the answer: tokens, temperature and stop sequences. */
static int
add_limits(struct mcph_sampling_writer *w, struct mcph_buf *body,
           const struct mcph_json_want *want)
{
    bool config = w->dialect->flags & MCPH_D_CONFIG;
    const char *max_tokens = w->dialect->max_tokens;
    int64_t n;
    int r;

    if (mcph_json_int64(want[MAX_TOKENS].value, &n) < 0 || n < 1)
        return invalid(w, "maxTokens is no whole number from 1 on");
    /* Use the old name, because compatible servers know it. */
    if (w->s->shape == MCPHOST_SHAPE_OPENAI_CHAT &&
        (w->s->profile == MCPHOST_PROFILE_IDENTITY ||
         w->s->profile == MCPHOST_PROFILE_MOONSHOT))
        max_tokens = "max_tokens";
    if (config) {
        mcph_json_add_key(body, "generationConfig");
        mcph_buf_addc(body, '{');
    }
    mcph_json_add_key(body, max_tokens);
    mcph_json_add_span(body, want[MAX_TOKENS].value);
    r = add_temperature(w, body, want[TEMPERATURE].value);
    if (r == 0)
        r = add_stops(w, body, want[STOPS].value);
    if (config)
        mcph_buf_addc(body, '}');
    return r;
}

static int
add_choice(struct mcph_sampling_writer *w, struct mcph_buf *body, struct mcph_span choice)
{
    static const char *const modes[] = {"auto", "required", "none"};
    struct mcph_span mode;

    if (!choice.p)
        return 0;
    mode = mcph_json_type(choice) == MCPH_JSON_OBJECT ? mcph_json_get(choice, "mode")
                                                      : MCPH_SPAN_NONE;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(modes); i++) {
        if (mode.p && !mcph_json_string_is(mode, modes[i], strlen(modes[i])))
            continue;
        if (w->tools)
            w->dialect->add_choice(body, modes[i]);
        return w->tools || i != 1
                   ? 0
                   : mcph_sampling_note(w->s, "toolChoice left out: there are no tools");
    }
    return invalid(w, "the mode of toolChoice is not auto, required or none");
}

static int
add_tools(struct mcph_sampling_writer *w, struct mcph_buf *body,
          const struct mcph_buf *functions, size_t n)
{
    bool gemini = w->s->shape == MCPHOST_SHAPE_GEMINI;

    if (!n)
        return 0;
    mcph_json_add_key(body, "tools");
    mcph_buf_adds(body, gemini ? "[{\"functionDeclarations\":[" : "[");
    mcph_buf_add(body, functions->data, functions->len);
    return mcph_buf_adds(body, gemini ? "]}]" : "]");
}

static int
add_metadata(struct mcph_sampling_writer *w, struct mcph_buf *body,
             struct mcph_span metadata)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    size_t n = 0, left_out = 0;

    if (mcph_json_type(metadata) != MCPH_JSON_OBJECT)
        return 0;
    mcph_json_iter_init(&it, metadata);
    while (mcph_json_iter_next(&it, &key, &value)) {
        if (n == 16 || !mcph_sampling_takes_metadata(w->s->shape, key, value)) {
            left_out++;
            continue;
        }
        if (n++ == 0) {
            mcph_json_add_key(body, "metadata");
            mcph_buf_addc(body, '{');
        } else {
            mcph_buf_addc(body, ',');
        }
        mcph_json_add_span(body, key);
        mcph_buf_addc(body, ':');
        mcph_json_add_span(body, value);
    }
    if (n)
        mcph_buf_addc(body, '}');
    return left_out ? mcph_sampling_note(w->s,
                                         "metadata: %zu members left out that the "
                                         "provider does not take",
                                         left_out)
                    : 0;
}

/* In the chat interface, the system prompt is the first message. */
static void
add_messages(struct mcph_sampling_writer *w, struct mcph_buf *body)
{
    struct mcph_span system = mcph_span(w->system.data, w->system.len);

    if (system.len && w->dialect->add_system)
        w->dialect->add_system(body, system);
    mcph_json_add_key(body, w->dialect->messages);
    mcph_buf_addc(body, '[');
    if (system.len && !w->dialect->add_system) {
        mcph_buf_adds(body, "{\"role\":\"system\",\"content\":");
        mcph_json_add_string(body, system.p, system.len);
        mcph_buf_adds(body, w->out.len ? "}," : "}");
    }
    mcph_buf_add(body, w->out.data, w->out.len);
    mcph_buf_addc(body, ']');
}

static int
add_body(struct mcph_sampling_writer *w, struct mcph_buf *body,
         const struct mcph_json_want *want, const struct mcph_buf *functions, size_t n)
{
    mcphost_sampling *s = w->s;
    struct mcph_span context = want[CONTEXT].value;
    int r;

    mcph_buf_addc(body, '{');
    if (s->model && s->shape != MCPHOST_SHAPE_GEMINI) {
        mcph_json_add_key(body, "model");
        mcph_json_add_str(body, s->model);
    }
    add_messages(w, body);
    r = add_limits(w, body, want);
    if (r == 0)
        r = add_tools(w, body, functions, n);
    if (r == 0)
        r = add_choice(w, body, want[CHOICE].value);
    if (r == 0)
        r = add_metadata(w, body, want[METADATA].value);
    if (r == 0 && context.p && !mcph_json_string_is(context, "none", 4))
        r = mcph_sampling_note(s, "includeContext: nothing of servers is added");
    mcph_buf_addc(body, '}');
    return r < 0 ? r : mcph_buf_ok(body);
}

/* ---- the whole request ------------------------------------------------------------- */

static int
write_all(struct mcph_sampling_writer *w, struct mcph_json_want *want,
          struct mcph_buf *functions, struct mcph_buf *body)
{
    mcphost_sampling *s = w->s;
    struct mcph_span text;
    size_t n = 0;
    int r = mcph_sampling_read_tools(s, want[TOOLS].value, w->reterr);

    if (r < 0)
        return r;
    if (s->modalities & MCPHOST_MODALITY_TOOLS)
        r = mcph_sampling_add_tools(s, functions, &n);
    else if (s->n_tools)
        r = mcph_sampling_note(s, "tools left out: the model takes none");
    if (r < 0)
        return r;
    w->tools = s->modalities & MCPHOST_MODALITY_TOOLS &&
               (n || !(w->dialect->flags & MCPH_D_NEED_TOOLS));
    w->result.text_only = !w->tools || w->dialect->flags & MCPH_D_TEXT_RESULT;
    if (want[SYSTEM].value.p) {
        if (mcph_json_type(want[SYSTEM].value) != MCPH_JSON_STRING)
            return invalid(w, "systemPrompt is no text");
        r = mcph_sampling_text(w, want[SYSTEM].value, &text);
        if (r < 0)
            return r;
        mcph_buf_add(&w->system, text.p, text.len);
    }
    r = mcph_sampling_add_messages(w, want[MESSAGES].value);
    if (r == 0)
        r = mcph_buf_ok(&w->system);
    if (r == 0 && !w->out.len)
        r = invalid(w, "messages hold a system prompt alone");
    w->tools = n > 0;
    return r < 0 ? r : add_body(w, body, want, functions, n);
}

static void
each_buf(struct mcph_sampling_writer *w, void (*fn)(struct mcph_buf *buf))
{
    struct mcph_buf *bufs[] = {
        &w->out,          &w->system,        &w->calls, &w->parts.parts, &w->parts.joined,
        &w->result.parts, &w->result.joined, &w->text,  &w->bytes,       &w->base64};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bufs); i++)
        fn(bufs[i]);
}

static void
init_buf(struct mcph_buf *buf)
{
    mcph_buf_init(buf, MCPH_SAMPLING_MAX);
}

static int
make_json(mcphost_sampling *s, struct mcph_span params, mcphost_error **reterr)
{
    struct mcph_json_want want[N_WANTS] = {
        [SYSTEM] = MCPH_JSON_WANT("systemPrompt"),
        [MAX_TOKENS] = MCPH_JSON_WANT("maxTokens"),
        [TEMPERATURE] = MCPH_JSON_WANT("temperature"),
        [STOPS] = MCPH_JSON_WANT("stopSequences"),
        [TOOLS] = MCPH_JSON_WANT("tools"),
        [CHOICE] = MCPH_JSON_WANT("toolChoice"),
        [METADATA] = MCPH_JSON_WANT("metadata"),
        [CONTEXT] = MCPH_JSON_WANT("includeContext"),
        [MESSAGES] = MCPH_JSON_WANT("messages"),
    };
    struct mcph_sampling_writer w = {
        .s = s, .dialect = mcph_sampling_dialect_of(s->shape), .reterr = reterr};
    struct mcph_buf functions, body;
    mcphost_error *error = NULL;
    int r;

    if (mcph_json_pick(params, want, N_WANTS) < 0)
        return mcph_err(reterr, MCPHOST_E_INVALID, "params: a member stands twice");
    each_buf(&w, init_buf);
    init_buf(&functions);
    init_buf(&body);
    w.result.result = true;
    w.reterr = &error;
    r = write_all(&w, want, &functions, &body);
    if (r == 0) {
        s->json = mcph_buf_steal(&body, &s->json_len);
        r = s->json ? 0 : MCPHOST_E_NOMEM;
    }
    if (r < 0 && error && reterr)
        *reterr = error;
    else if (r < 0)
        mcph_err(reterr, r, "params: %s", mcphost_strerror(r));
    if (!reterr)
        mcphost_error_unref(error);
    mcph_sampling_uses_done(&w);
    each_buf(&w, mcph_buf_done);
    mcph_buf_done(&functions);
    mcph_buf_done(&body);
    return r;
}

int
mcph_sampling_make(struct mcph_span params, int shape, int profile, const char *model,
                   unsigned modalities, mcphost_sampling **ret, mcphost_error **reterr)
{
    mcphost_sampling *s;
    int r = mcph_json_check_input(params, 0, MCPH_JSON_OBJECT, "params", &params, reterr);

    if (r < 0)
        return r;
    s = calloc(1, sizeof(*s));
    if (!s)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&s->refs);
    s->shape = shape;
    s->profile = profile;
    s->modalities = modalities;
    s->model = model ? mcph_strdup(model) : NULL;
    r = model && !s->model ? mcph_err_nomem(reterr) : make_json(s, params, reterr);
    if (r < 0) {
        mcph_sampling_free(s);
        return r;
    }
    *ret = s;
    return 0;
}
