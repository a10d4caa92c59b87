/* SPDX-License-Identifier: MIT
 *
 * sampling_dialect.c - the table of the providers' forms of texts, media and limits.
 *
 * Each row follows the provider's own documentation.  The parts that all four forms have
 * in common, and the order of members, are in sampling_message.c and sampling_request.c.
 */
#include <string.h>

#include "model/sampling.h"

/* ---- media ------------------------------------------------------------------------- */

static const struct mcph_sampling_media usual_images[] = {
    {"image/png", "image/png"}, {"image/jpeg", "image/jpeg"}, {"image/jpg", "image/jpeg"},
    {"image/gif", "image/gif"}, {"image/webp", "image/webp"}, {NULL, NULL},
};
static const struct mcph_sampling_media gemini_images[] = {
    {"image/png", "image/png"},
    {"image/jpeg", "image/jpeg"},
    {"image/jpg", "image/jpeg"},
    {"image/webp", "image/webp"},
    {"image/heic", "image/heic"},
    {"image/heif", "image/heif"},
    {NULL, NULL},
};
/* Media types and their formats.  The chat interface uses a format instead of a type. */
static const struct mcph_sampling_media chat_audio[] = {
    {"audio/wav", "wav"},   {"audio/x-wav", "wav"}, {"audio/wave", "wav"},
    {"audio/mpeg", "mp3"},  {"audio/mp3", "mp3"},   {"audio/vnd.wave", "wav"},
    {"audio/x-mp3", "mp3"}, {NULL, NULL},
};
static const struct mcph_sampling_media gemini_audio[] = {
    {"audio/wav", "audio/wav"},   {"audio/x-wav", "audio/wav"},
    {"audio/wave", "audio/wav"},  {"audio/mp3", "audio/mp3"},
    {"audio/mpeg", "audio/mp3"},  {"audio/aiff", "audio/aiff"},
    {"audio/aac", "audio/aac"},   {"audio/ogg", "audio/ogg"},
    {"audio/flac", "audio/flac"}, {NULL, NULL},
};

/* ---- texts ------------------------------------------------------------------------- */

static json_t *
usual_text(bool said, json_t *text)
{
    (void)said;
    return json_pack("{s:s,s:O}", "type", "text", "text", text);
}

static json_t *
responses_text(bool said, json_t *text)
{
    return json_pack("{s:s,s:O}", "type", said ? "output_text" : "input_text", "text",
                     text);
}

static json_t *
gemini_text(bool said, json_t *text)
{
    (void)said;
    return json_pack("{s:O}", "text", text);
}

/* ---- images and audio -------------------------------------------------------------- */

static json_t *
data_url(const char *type, const char *base64)
{
    return json_sprintf("data:%s;base64,%s", type, base64);
}

static json_t *
chat_media(bool image, const char *type, const char *base64)
{
    if (image)
        return json_pack("{s:s,s:{s:o}}", "type", "image_url", "image_url", "url",
                         data_url(type, base64));
    return json_pack("{s:s,s:{s:s,s:s}}", "type", "input_audio", "input_audio", "data",
                     base64, "format", type);
}

static json_t *
responses_media(bool image, const char *type, const char *base64)
{
    (void)image;
    return json_pack("{s:s,s:o}", "type", "input_image", "image_url",
                     data_url(type, base64));
}

static json_t *
anthropic_media(bool image, const char *type, const char *base64)
{
    (void)image;
    return json_pack("{s:s,s:{s:s,s:s,s:s}}", "type", "image", "source", "type", "base64",
                     "media_type", type, "data", base64);
}

static json_t *
gemini_media(bool image, const char *type, const char *base64)
{
    (void)image;
    return json_pack("{s:{s:s,s:s}}", "inlineData", "mimeType", type, "data", base64);
}

/* ---- the system prompt ------------------------------------------------------------- */

static json_t *
gemini_system(json_t *text)
{
    return json_pack("{s:[{s:O}]}", "parts", "text", text);
}

/* ---- the choice of a tool: "auto", "required" or "none" ---------------------------- */

static json_t *
anthropic_choice(const char *mode)
{
    return json_pack("{s:s}", "type", mcph_streq(mode, "required") ? "any" : mode);
}

static json_t *
gemini_choice(const char *mode)
{
    const char *as = mcph_streq(mode, "auto")       ? "AUTO"
                     : mcph_streq(mode, "required") ? "ANY"
                                                    : "NONE";

    return json_pack("{s:{s:s}}", "functionCallingConfig", "mode", as);
}

/* ---- the table --------------------------------------------------------------------- */

static const struct mcph_sampling_dialect dialects[] = {
    [MCPHOST_SHAPE_OPENAI_CHAT] = {.flags = MCPH_D_TEXT_RESULT,
                                   .images = usual_images,
                                   .audio = chat_audio,
                                   .stops_max = 4,
                                   .hottest = 2,
                                   .messages = "messages",
                                   .max_tokens = "max_completion_tokens",
                                   .stops = "stop",
                                   .choice = "tool_choice",
                                   .make_text = usual_text,
                                   .make_media = chat_media,
                                   .make_choice = json_string},
    [MCPHOST_SHAPE_OPENAI_RESPONSES] = {.images = usual_images,
                                        .hottest = 2,
                                        .messages = "input",
                                        .max_tokens = "max_output_tokens",
                                        .choice = "tool_choice",
                                        .system = "instructions",
                                        .make_text = responses_text,
                                        .make_media = responses_media,
                                        .make_system = json_incref,
                                        .make_choice = json_string},
    [MCPHOST_SHAPE_ANTHROPIC] = {.flags = MCPH_D_NEED_TOOLS,
                                 .images = usual_images,
                                 .stops_max = SIZE_MAX,
                                 .hottest = 1,
                                 .messages = "messages",
                                 .max_tokens = "max_tokens",
                                 .stops = "stop_sequences",
                                 .choice = "tool_choice",
                                 .system = "system",
                                 .make_text = usual_text,
                                 .make_media = anthropic_media,
                                 .make_system = json_incref,
                                 .make_choice = anthropic_choice},
    [MCPHOST_SHAPE_GEMINI] = {.flags =
                                  MCPH_D_CONFIG | MCPH_D_SAID_MEDIA | MCPH_D_TEXT_RESULT,
                              .images = gemini_images,
                              .audio = gemini_audio,
                              .stops_max = 5,
                              .hottest = 2,
                              .messages = "contents",
                              .max_tokens = "maxOutputTokens",
                              .stops = "stopSequences",
                              .choice = "toolConfig",
                              .system = "systemInstruction",
                              .make_text = gemini_text,
                              .make_media = gemini_media,
                              .make_system = gemini_system,
                              .make_choice = gemini_choice},
};

const struct mcph_sampling_dialect *
mcph_sampling_dialect_of(int shape)
{
    if (shape < 0 || shape >= (int)MCPH_ARRAY_SIZE(dialects) || !dialects[shape].messages)
        return NULL;
    return &dialects[shape];
}

/* Accepts only strings: "user_id" for Anthropic, and for the Responses API members with a
 * name of at most 64 bytes and a value of at most 512 bytes.  Refuses all metadata for
 * the chat interface, because this interface accepts metadata only for stored
 * completions.  The requests do not ask the provider to store completions. */
bool
mcph_sampling_takes_metadata(int shape, const char *key, const json_t *value)
{
    if (!json_is_string(value))
        return false;
    if (shape == MCPHOST_SHAPE_ANTHROPIC)
        return mcph_streq(key, "user_id");
    return shape == MCPHOST_SHAPE_OPENAI_RESPONSES && strlen(key) <= 64 &&
           json_string_length(value) <= 512;
}
