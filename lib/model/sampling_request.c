/* SPDX-License-Identifier: MIT
 *
 * sampling_request.c - write the body of a request to a provider from a server's sampling
 * request.
 *
 * Sampling requests are defined in MCP 2025-11-25 and 2026-07-28, "Sampling".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sampling.h"

#define NOTES_MAX 100
#define NOTE_MAX  500

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
        snprintf(text, sizeof(text), "more was left out than these notes list");
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

int
mcph_sampling_append(struct mcph_sampling_writer *w, json_t *array, json_t *value)
{
    return json_array_append_new(array, value) < 0 ? mcph_err_nomem(w->reterr) : 0;
}

/* Makes a message of the chat interface.  A single text becomes a plain string, because
 * even the oldest compatible servers accept a plain string. */
static json_t *
chat_message(const struct mcph_sampling_writer *w)
{
    json_t *content = w->parts.parts, *calls = NULL;

    if (json_array_size(content) == 0)
        content = NULL;
    else if (json_array_size(content) == 1 && !w->parts.n_media)
        content = json_object_get(json_array_get(content, 0), "text");
    if (json_array_size(w->calls))
        calls = w->calls;
    return json_pack("{s:s,s:O?,s:O*}", "role", w->said ? "assistant" : "user", "content",
                     content, "tool_calls", calls);
}

static json_t *
make_message(const struct mcph_sampling_writer *w)
{
    const char *role = w->said ? "assistant" : "user";

    switch (w->s->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        return chat_message(w);
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        return json_pack("{s:s,s:s,s:O}", "type", "message", "role", role, "content",
                         w->parts.parts);
    case MCPHOST_SHAPE_ANTHROPIC:
        return json_pack("{s:s,s:O}", "role", role, "content", w->parts.parts);
    default:
        return json_pack("{s:s,s:O}", "role", w->said ? "model" : role, "parts",
                         w->parts.parts);
    }
}

int
mcph_sampling_flush(struct mcph_sampling_writer *w)
{
    int r = 0;

    if (json_array_size(w->parts.parts) || json_array_size(w->calls))
        r = mcph_sampling_append(w, w->out, make_message(w));
    json_decref(w->parts.parts);
    json_decref(w->calls);
    w->parts.parts = json_array();
    w->calls = json_array();
    w->parts.n_media = 0;
    return r == 0 && (!w->parts.parts || !w->calls) ? mcph_err_nomem(w->reterr) : r;
}

/* ---- rest of the body -------------------------------------------------------------- */

static int
invalid_params(struct mcph_sampling_writer *w, const char *why)
{
    return mcph_err(w->reterr, MCPHOST_E_INVALID, "params: %s", why);
}

/* Sets a member to a value.  Takes over the value.  A NULL `value` means that there was
 * no memory to make the value.  If there is no memory, sets the error. */
static int
put_member(struct mcph_sampling_writer *w, json_t *object, const char *name,
           json_t *value)
{
    return json_object_set_new(object, name, value) < 0 ? mcph_err_nomem(w->reterr) : 0;
}

static int
put_temperature(struct mcph_sampling_writer *w, json_t *limits, json_t *heat)
{
    int max = w->dialect->hottest, r;
    double wanted;

    if (!heat)
        return 0;
    if (!json_is_number(heat))
        return invalid_params(w, "temperature is not a number");
    wanted = json_number_value(heat);
    if (wanted >= 0 && wanted <= max)
        return put_member(w, limits, "temperature", json_incref(heat));
    r = put_member(w, limits, "temperature", json_integer(wanted < 0 ? 0 : max));
    return r < 0 ? r
                 : mcph_sampling_note(w->s, "temperature: the provider accepts 0 to %d",
                                      max);
}

static int
put_stops(struct mcph_sampling_writer *w, json_t *limits, const json_t *stops)
{
    size_t i, n = json_array_size(stops), max = w->dialect->stops_max;
    json_t *taken = json_array(), *stop;
    int r = 0;

    json_array_foreach(stops, i, stop)
    {
        if (r == 0 && !json_is_string(stop))
            r = invalid_params(w, "stopSequences must be strings");
        if (r == 0 && i < max)
            r = mcph_sampling_append(w, taken, json_incref(stop));
    }
    if (r == 0 && stops && !json_is_array(stops))
        r = invalid_params(w, "stopSequences is not an array");
    if (r == 0 && n && max)
        r = put_member(w, limits, w->dialect->stops, json_incref(taken));
    json_decref(taken);
    if (r < 0 || n <= max)
        return r;
    return mcph_sampling_note(w->s, "stopSequences: the provider accepts %zu of %zu", max,
                              n);
}

/* Writes the limits of the answer: tokens, temperature and stop sequences. */
static int
put_limits(struct mcph_sampling_writer *w, json_t *body, const json_t *params)
{
    json_t *limits = body, *tokens = json_object_get(params, "maxTokens");
    const char *max_tokens = w->dialect->max_tokens;
    int r = 0;

    if (!json_is_integer(tokens) || json_integer_value(tokens) < 1)
        return invalid_params(w, "maxTokens must be a whole number of at least 1");
    /* Use the old name `max_tokens`, because compatible servers know that name. */
    if (w->s->shape == MCPHOST_SHAPE_OPENAI_CHAT &&
        (w->s->profile == MCPHOST_PROFILE_IDENTITY ||
         w->s->profile == MCPHOST_PROFILE_MOONSHOT))
        max_tokens = "max_tokens";
    if (w->dialect->flags & MCPH_D_CONFIG) {
        limits = json_object();
        r = put_member(w, body, "generationConfig", limits);
    }
    if (r == 0)
        r = put_member(w, limits, max_tokens, json_incref(tokens));
    if (r == 0)
        r = put_temperature(w, limits, json_object_get(params, "temperature"));
    return r < 0 ? r : put_stops(w, limits, json_object_get(params, "stopSequences"));
}

static int
put_choice(struct mcph_sampling_writer *w, json_t *body, const json_t *choice)
{
    static const char *const modes[] = {"auto", "required", "none"};
    const json_t *mode = json_object_get(choice, "mode");

    if (!choice)
        return 0;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(modes); i++) {
        if (mode && !mcph_streq(json_string_value(mode), modes[i]))
            continue;
        if (w->tools)
            return put_member(w, body, w->dialect->choice,
                              w->dialect->make_choice(modes[i]));
        return i != 1
                   ? 0
                   : mcph_sampling_note(w->s, "toolChoice left out: there are no tools");
    }
    return invalid_params(w, "the mode of toolChoice must be auto, required or none");
}

static int
put_metadata(struct mcph_sampling_writer *w, json_t *body, struct mcph_span text)
{
    json_t *metadata = NULL, *taken = json_object(), *value;
    size_t left_out = 0;
    const char *key;
    int r = mcph_json_load(text, 0, "metadata", NULL, MCPH_TREE_LENIENT, &metadata, NULL);

    /* Ignore metadata that is not an object. */
    r = r == MCPHOST_E_NOMEM || !taken ? mcph_err_nomem(w->reterr) : 0;
    json_object_foreach(metadata, key, value)
    {
        if (json_object_size(taken) == 16 ||
            !mcph_sampling_takes_metadata(w->s->shape, key, value))
            left_out++;
        else if (r == 0)
            r = put_member(w, taken, key, json_incref(value));
    }
    if (r == 0 && json_object_size(taken))
        r = put_member(w, body, "metadata", json_incref(taken));
    json_decref(taken);
    json_decref(metadata);
    if (r < 0 || !left_out)
        return r;
    return mcph_sampling_note(
        w->s, "metadata: %zu members left out that the provider does not accept",
        left_out);
}

/* Writes the system prompt and the messages.  In the chat interface, the system prompt is
 * the first message. */
static int
put_messages(struct mcph_sampling_writer *w, json_t *body)
{
    json_t *system = NULL;
    int r = 0;

    if (w->system.len)
        system = json_stringn(w->system.data, w->system.len);
    if (w->system.len && !system)
        r = mcph_err_nomem(w->reterr);
    else if (system && w->dialect->system)
        r = put_member(w, body, w->dialect->system, w->dialect->make_system(system));
    else if (system && json_array_insert_new(w->out, 0,
                                             json_pack("{s:s,s:O}", "role", "system",
                                                       "content", system)) < 0)
        r = mcph_err_nomem(w->reterr);
    json_decref(system);
    return r < 0 ? r : put_member(w, body, w->dialect->messages, json_incref(w->out));
}

static int
fill_body(struct mcph_sampling_writer *w, json_t *body, const json_t *params,
          const struct mcph_buf *functions)
{
    const json_t *context = json_object_get(params, "includeContext");
    mcphost_sampling *s = w->s;
    int r = 0;

    if (s->model && s->shape != MCPHOST_SHAPE_GEMINI)
        r = put_member(w, body, "model", json_string(s->model));
    if (r == 0)
        r = put_messages(w, body);
    if (r == 0)
        r = put_limits(w, body, params);
    if (r == 0 && w->tools &&
        mcph_sampling_set_raw(body, MCPH_JSON_RAW "tools", functions->data,
                              functions->len) < 0)
        r = mcph_err_nomem(w->reterr);
    if (r == 0)
        r = put_choice(w, body, json_object_get(params, "toolChoice"));
    if (r == 0)
        r = put_metadata(w, body, mcph_sampling_raw(params, MCPH_JSON_RAW "metadata"));
    if (r == 0 && context && !mcph_streq(json_string_value(context), "none"))
        r = mcph_sampling_note(s, "includeContext: no context of servers is added");
    return r;
}

/* ---- the whole request ------------------------------------------------------------- */

/* Writes the list of tools.  Stores their number in *ret_n.  If the model does not accept
 * tools, writes nothing, and adds a note if the request has tools. */
static int
write_tools(struct mcph_sampling_writer *w, const json_t *params,
            struct mcph_buf *functions, size_t *ret_n)
{
    bool gemini = w->s->shape == MCPHOST_SHAPE_GEMINI;
    mcphost_sampling *s = w->s;
    int r = mcph_sampling_read_tools(s, json_object_get(params, "tools"), w->reterr);

    if (r < 0)
        return r;
    if (!(s->modalities & MCPHOST_MODALITY_TOOLS))
        return s->n_tools ? mcph_sampling_note(
                                s, "tools left out: the model does not accept tools")
                          : 0;
    mcph_buf_adds(functions, gemini ? "[{\"functionDeclarations\":[" : "[");
    r = mcph_sampling_add_tools(s, functions, ret_n);
    return r < 0 ? r : mcph_buf_adds(functions, gemini ? "]}]" : "]");
}

static int
write_all(struct mcph_sampling_writer *w, const json_t *params,
          struct mcph_buf *functions, json_t *body)
{
    const json_t *system = json_object_get(params, "systemPrompt");
    mcphost_sampling *s = w->s;
    size_t n = 0;
    int r = write_tools(w, params, functions, &n);

    if (r < 0)
        return r;
    w->tools = s->modalities & MCPHOST_MODALITY_TOOLS &&
               (n || !(w->dialect->flags & MCPH_D_NEED_TOOLS));
    w->result.text_only = !w->tools || w->dialect->flags & MCPH_D_TEXT_RESULT;
    if (system && !json_is_string(system))
        return invalid_params(w, "systemPrompt is not a string");
    if (system)
        mcph_buf_add(&w->system, json_string_value(system), json_string_length(system));
    r = mcph_sampling_add_messages(w, json_object_get(params, "messages"));
    if (r == 0)
        r = mcph_buf_ok(&w->system);
    if (r == 0 && !json_array_size(w->out))
        r = invalid_params(w, "messages hold only a system prompt");
    w->tools = n > 0;
    return r < 0 ? r : fill_body(w, body, params, functions);
}

static int
make_json(mcphost_sampling *s, const json_t *params, mcphost_error **reterr)
{
    mcphost_error *error = NULL;
    struct mcph_sampling_writer w = {.s = s,
                                     .dialect = mcph_sampling_dialect_of(s->shape),
                                     .out = json_array(),
                                     .calls = json_array(),
                                     .uses = json_object(),
                                     .parts = {.parts = json_array()},
                                     .result = {.result = true},
                                     .reterr = &error};
    struct mcph_buf functions, text;
    struct mcph_buf *bufs[] = {&w.system, &w.result.joined, &functions, &text};
    json_t *body = json_object();
    int r = MCPHOST_E_NOMEM;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bufs); i++)
        mcph_buf_init(bufs[i], MCPH_SAMPLING_MAX);
    if (w.out && w.calls && w.uses && w.parts.parts && body)
        r = write_all(&w, params, &functions, body);
    if (r == 0)
        r = mcph_json_add_tree(&text, body);
    if (r == 0)
        r = mcph_buf_give(&text, &s->json, &s->json_len);
    if (r < 0 && error && reterr)
        *reterr = error;
    else if (r < 0)
        mcph_err(reterr, r, "params: %s", mcphost_strerror(r));
    if (!reterr)
        mcphost_error_unref(error);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bufs); i++)
        mcph_buf_done(bufs[i]);
    json_decref(w.out);
    json_decref(w.calls);
    json_decref(w.uses);
    json_decref(w.parts.parts);
    json_decref(w.result.parts);
    json_decref(body);
    return r;
}

int
mcph_sampling_make(struct mcph_span text, int shape, int profile, const char *model,
                   unsigned modalities, mcphost_sampling **ret, mcphost_error **reterr)
{
    /* Keep these members as raw text, because only the tools know the meaning of the
     * values.  `metadata` is raw because a name inside `metadata` may equal one of the
     * other names. */
    static const char *const raw[] = {
        MCPH_JSON_RAW "inputSchema", MCPH_JSON_RAW "outputSchema",
        MCPH_JSON_RAW "input",       MCPH_JSON_RAW "structuredContent",
        MCPH_JSON_RAW "metadata",    NULL};
    json_t *params = NULL;
    mcphost_sampling *s;
    int r = mcph_json_load(text, 0, "params", raw, MCPH_TREE_UNIQUE | MCPH_TREE_LENIENT,
                           &params, reterr);

    if (r < 0)
        return r;
    s = calloc(1, sizeof(*s));
    if (s) {
        mcph_refs_init(&s->refs);
        s->shape = shape;
        s->profile = profile;
        s->modalities = modalities;
        s->model = model ? mcph_strdup(model) : NULL;
    }
    r = !s || (model && !s->model) ? mcph_err_nomem(reterr)
                                   : make_json(s, params, reterr);
    json_decref(params);
    if (r == 0)
        *ret = s;
    else if (s)
        mcph_sampling_free(s);
    return r;
}
