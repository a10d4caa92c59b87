/* SPDX-License-Identifier: MIT
 *
 * sampling_dialect.c - the table of the providers' forms of texts, media and limits.
 *
 * Each row follows the provider's own documentation.  The parts that all four have in
 * common, and the order of members, are in sampling_message.c and sampling_request.c.
 */
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
/* The chat interface uses a format instead of a media type. */
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

static void
add_text_part(struct mcph_buf *buf, bool said, struct mcph_span text)
{
    (void)said;
    mcph_buf_adds(buf, "{\"type\":\"text\",\"text\":");
    mcph_json_add_string(buf, text.p, text.len);
    mcph_buf_addc(buf, '}');
}

static void
responses_add_text(struct mcph_buf *buf, bool said, struct mcph_span text)
{
    mcph_buf_adds(buf, said ? "{\"type\":\"output_text\",\"text\":"
                            : "{\"type\":\"input_text\",\"text\":");
    mcph_json_add_string(buf, text.p, text.len);
    mcph_buf_addc(buf, '}');
}

static void
gemini_add_text(struct mcph_buf *buf, bool said, struct mcph_span text)
{
    (void)said;
    mcph_buf_adds(buf, "{\"text\":");
    mcph_json_add_string(buf, text.p, text.len);
    mcph_buf_addc(buf, '}');
}

/* ---- images and audio; neither type nor base64 needs an escape --------------------- */

static void
add_data_url(struct mcph_buf *buf, const char *type, struct mcph_span base64)
{
    mcph_buf_adds(buf, "\"data:");
    mcph_buf_adds(buf, type);
    mcph_buf_adds(buf, ";base64,");
    mcph_buf_add(buf, base64.p, base64.len);
    mcph_buf_addc(buf, '"');
}

static void
chat_add_media(struct mcph_buf *buf, bool image, const char *type,
               struct mcph_span base64)
{
    if (image) {
        mcph_buf_adds(buf, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
        add_data_url(buf, type, base64);
    } else {
        mcph_buf_adds(buf, "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"");
        mcph_buf_add(buf, base64.p, base64.len);
        mcph_buf_adds(buf, "\",\"format\":");
        mcph_json_add_str(buf, type);
    }
    mcph_buf_adds(buf, "}}");
}

static void
responses_add_media(struct mcph_buf *buf, bool image, const char *type,
                    struct mcph_span base64)
{
    (void)image;
    mcph_buf_adds(buf, "{\"type\":\"input_image\",\"image_url\":");
    add_data_url(buf, type, base64);
    mcph_buf_addc(buf, '}');
}

static void
anthropic_add_media(struct mcph_buf *buf, bool image, const char *type,
                    struct mcph_span base64)
{
    (void)image;
    mcph_buf_adds(buf, "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                       "\"media_type\":");
    mcph_json_add_str(buf, type);
    mcph_buf_adds(buf, ",\"data\":\"");
    mcph_buf_add(buf, base64.p, base64.len);
    mcph_buf_adds(buf, "\"}}");
}

static void
gemini_add_media(struct mcph_buf *buf, bool image, const char *type,
                 struct mcph_span base64)
{
    (void)image;
    mcph_buf_adds(buf, "{\"inlineData\":{\"mimeType\":");
    mcph_json_add_str(buf, type);
    mcph_buf_adds(buf, ",\"data\":\"");
    mcph_buf_add(buf, base64.p, base64.len);
    mcph_buf_adds(buf, "\"}}");
}

/* ---- the system prompt: a member of the body, or the first message ----------------- */

static void
responses_add_system(struct mcph_buf *buf, struct mcph_span text)
{
    mcph_json_add_key(buf, "instructions");
    mcph_json_add_string(buf, text.p, text.len);
}

static void
anthropic_add_system(struct mcph_buf *buf, struct mcph_span text)
{
    mcph_json_add_key(buf, "system");
    mcph_json_add_string(buf, text.p, text.len);
}

static void
gemini_add_system(struct mcph_buf *buf, struct mcph_span text)
{
    mcph_json_add_key(buf, "systemInstruction");
    mcph_buf_adds(buf, "{\"parts\":[");
    gemini_add_text(buf, false, text);
    mcph_buf_adds(buf, "]}");
}

/* ---- the choice of a tool: "auto", "required" or "none" ---------------------------- */

static void
openai_add_choice(struct mcph_buf *buf, const char *mode)
{
    mcph_json_add_key(buf, "tool_choice");
    mcph_json_add_str(buf, mode);
}

static void
anthropic_add_choice(struct mcph_buf *buf, const char *mode)
{
    mcph_json_add_key(buf, "tool_choice");
    mcph_buf_adds(buf, "{\"type\":");
    mcph_json_add_str(buf, mcph_streq(mode, "required") ? "any" : mode);
    mcph_buf_addc(buf, '}');
}

static void
gemini_add_choice(struct mcph_buf *buf, const char *mode)
{
    const char *as = mcph_streq(mode, "auto")       ? "AUTO"
                     : mcph_streq(mode, "required") ? "ANY"
                                                    : "NONE";

    mcph_json_add_key(buf, "toolConfig");
    mcph_buf_adds(buf, "{\"functionCallingConfig\":{\"mode\":");
    mcph_json_add_str(buf, as);
    mcph_buf_adds(buf, "}}");
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
                                   .add_text = add_text_part,
                                   .add_media = chat_add_media,
                                   .add_choice = openai_add_choice},
    [MCPHOST_SHAPE_OPENAI_RESPONSES] = {.images = usual_images,
                                        .hottest = 2,
                                        .messages = "input",
                                        .max_tokens = "max_output_tokens",
                                        .add_text = responses_add_text,
                                        .add_media = responses_add_media,
                                        .add_system = responses_add_system,
                                        .add_choice = openai_add_choice},
    [MCPHOST_SHAPE_ANTHROPIC] = {.flags = MCPH_D_NEED_TOOLS,
                                 .images = usual_images,
                                 .stops_max = SIZE_MAX,
                                 .hottest = 1,
                                 .messages = "messages",
                                 .max_tokens = "max_tokens",
                                 .stops = "stop_sequences",
                                 .add_text = add_text_part,
                                 .add_media = anthropic_add_media,
                                 .add_system = anthropic_add_system,
                                 .add_choice = anthropic_add_choice},
    [MCPHOST_SHAPE_GEMINI] = {.flags =
                                  MCPH_D_CONFIG | MCPH_D_SAID_MEDIA | MCPH_D_TEXT_RESULT,
                              .images = gemini_images,
                              .audio = gemini_audio,
                              .stops_max = 5,
                              .hottest = 2,
                              .messages = "contents",
                              .max_tokens = "maxOutputTokens",
                              .stops = "stopSequences",
                              .add_text = gemini_add_text,
                              .add_media = gemini_add_media,
                              .add_system = gemini_add_system,
                              .add_choice = gemini_add_choice},
};

const struct mcph_sampling_dialect *
mcph_sampling_dialect_of(int shape)
{
    if (shape < 0 || shape >= (int)MCPH_ARRAY_SIZE(dialects) || !dialects[shape].messages)
        return NULL;
    return &dialects[shape];
}

/* The chat interface accepts metadata only for stored completions, and requests do not
 * ask for storing. */
bool
mcph_sampling_takes_metadata(int shape, struct mcph_span key, struct mcph_span value)
{
    if (mcph_json_type(value) != MCPH_JSON_STRING)
        return false;
    if (shape == MCPHOST_SHAPE_ANTHROPIC)
        return mcph_json_string_is(key, "user_id", 7);
    return shape == MCPHOST_SHAPE_OPENAI_RESPONSES && key.len <= 64 + 2 &&
           value.len <= 512 + 2;
}
