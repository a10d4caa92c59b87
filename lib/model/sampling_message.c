/* SPDX-License-Identifier: MIT
 *
 * sampling_message.c - write the messages of a sampling request for a provider.
 *
 * The blocks of a message are collected as parts.  They are written at the end of the
 * message, or before an item that is not part of a message.  A block that the provider
 * does not accept becomes a text that says so.  Texts are decoded and encoded again,
 * which turns an unpaired surrogate into U+FFFD.  Base64 is decoded and encoded again
 * too, so that it has padding and one alphabet.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/sampling.h"

#define TYPE_SHOWN 100 /* bytes of a type in a note */

int
mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why)
{
    return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages[%zu]: %s", w->message,
                    why);
}

int
mcph_sampling_text(struct mcph_sampling_writer *w, struct mcph_span token,
                   struct mcph_span *ret_text)
{
    int r;

    mcph_buf_clear(&w->text);
    r = mcph_json_string_get(token, &w->text, ret_text);
    if (r == MCPHOST_E_INVALID)
        return mcph_sampling_invalid(w, "a text, id or name is missing");
    return r < 0 ? mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r)) : 0;
}

/* ---- parts ------------------------------------------------------------------------- */

static void
begin_part(struct mcph_sampling_parts *parts)
{
    if (parts->n++)
        mcph_buf_addc(&parts->parts, ',');
}

int
mcph_sampling_add_text(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                       struct mcph_span text)
{
    if (text.len == 0)
        return 0; /* has no content, and some providers refuse it */
    if (parts->result) {
        if (parts->joined.len)
            mcph_buf_addc(&parts->joined, '\n');
        mcph_buf_add(&parts->joined, text.p, text.len);
    }
    if (parts->text_only)
        return 0;
    begin_part(parts);
    w->dialect->add_text(&parts->parts, w->said, text);
    return 0;
}

int
mcph_sampling_leave_out(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                        const char *what, struct mcph_span type, const char *why)
{
    struct mcph_buf shown, line;
    struct mcph_span text;
    int r = 0;

    mcph_buf_init(&shown, SIZE_MAX / 2);
    mcph_buf_init(&line, SIZE_MAX / 2);
    mcph_buf_clear(&w->text);
    r = mcph_json_string_get(type, &w->text, &text);
    if (r == 0 && text.len > 0) {
        mcph_buf_adds(&shown, " (");
        mcph_utf8_add_clean(&shown, text.p, text.len < TYPE_SHOWN ? text.len : TYPE_SHOWN,
                            true);
        mcph_buf_adds(&shown, ")");
    }
    mcph_buf_addc(&shown, '\0');
    if (r == 0 || r == MCPHOST_E_INVALID) /* INVALID: there is no type */
        r = mcph_buf_ok(&shown);
    if (r == 0)
        r = mcph_sampling_note(w->s, "messages[%zu].content[%zu]: %s left out%s: %s",
                               w->message, w->block, what, shown.data, why);
    if (r == 0)
        r = mcph_buf_addf(&line, "[%s left out%s: %s]", what, shown.data, why);
    if (r == 0)
        r = mcph_sampling_add_text(w, parts, mcph_span(line.data, line.len));
    mcph_buf_done(&shown);
    mcph_buf_done(&line);
    return r < 0 ? mcph_err_nomem(w->reterr) : 0;
}

/* ---- images and audio -------------------------------------------------------------- */

/* Finds a media type.  Ignores its parameters and upper or lower case. */
static const char *
find_type(const struct mcph_sampling_media *media, struct mcph_span text)
{
    size_t len = 0;

    while (len < text.len && text.p[len] != ';' && text.p[len] != ' ')
        len++;
    for (; media && media->type; media++)
        if (strlen(media->type) == len && strncasecmp(media->type, text.p, len) == 0)
            return media->as;
    return NULL;
}

/* Puts the data into w->base64 in the spelling that all providers accept.  *ret_why is
 * set if the data is invalid or empty. */
static int
encode_again(struct mcph_sampling_writer *w, struct mcph_span token, const char **ret_why)
{
    struct mcph_base64 b64;
    struct mcph_span text;
    size_t n = 0, rest = 0;
    int r = mcph_sampling_text(w, token, &text);

    if (r < 0)
        return r;
    mcph_buf_clear(&w->bytes);
    mcph_buf_clear(&w->base64);
    r = mcph_buf_reserve(&w->bytes, MCPH_BASE64_ROOM(text.len));
    if (r < 0)
        return mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r));
    mcph_base64_init(&b64);
    if (mcph_base64_feed(&b64, text.p, text.len, (unsigned char *)w->bytes.data, &n) <
            0 ||
        mcph_base64_end(&b64, (unsigned char *)w->bytes.data + n, &rest) < 0)
        *ret_why = "its base64 is broken";
    else if (n + rest == 0)
        *ret_why = "it is empty";
    else
        mcph_base64_add(&w->base64, w->bytes.data, n + rest);
    r = mcph_buf_ok(&w->base64);
    return r < 0 ? mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r)) : 0;
}

/* Returns why the provider does not accept the media.  NULL: it does, as *ret_type. */
static const char *
why_not(const struct mcph_sampling_writer *w, const struct mcph_sampling_parts *parts,
        bool image, struct mcph_span type, const char **ret_type)
{
    const struct mcph_sampling_media *media =
        image ? w->dialect->images : w->dialect->audio;
    unsigned bit = image ? MCPHOST_MODALITY_IMAGES : MCPHOST_MODALITY_AUDIO;

    if (!(w->s->modalities & bit))
        return "the model takes none";
    if (!media)
        return "the provider takes none";
    if (parts->text_only)
        return "the provider takes text alone there";
    if (w->said && !(w->dialect->flags & MCPH_D_SAID_MEDIA))
        return "the provider takes none from an assistant";
    *ret_type = find_type(media, type);
    if (*ret_type)
        return NULL;
    return image ? "the provider takes no images of this type"
                 : "the provider takes no audio of this type";
}

static int
add_media(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts, bool image,
          struct mcph_span block)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("mimeType"), MCPH_JSON_WANT("data")};
    const char *type = NULL, *why;
    struct mcph_span text;
    int r;

    (void)mcph_json_pick(block, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[1].value) != MCPH_JSON_STRING)
        return mcph_sampling_invalid(w, "an image or audio needs data and mimeType");
    r = mcph_sampling_text(w, want[0].value, &text);
    if (r < 0)
        return r;
    why = why_not(w, parts, image, text, &type);
    if (!why) {
        r = encode_again(w, want[1].value, &why);
        if (r < 0)
            return r;
    }
    if (why)
        return mcph_sampling_leave_out(w, parts, image ? "image" : "audio", want[0].value,
                                       why);
    begin_part(parts);
    parts->n_media++;
    w->dialect->add_media(&parts->parts, image, type,
                          mcph_span(w->base64.data, w->base64.len));
    return 0;
}

/* ---- resources in a tool's result -------------------------------------------------- */

static int
add_link(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
         struct mcph_span block)
{
    struct mcph_span uri;
    struct mcph_buf line;
    int r = mcph_sampling_text(w, mcph_json_get(block, "uri"), &uri);

    if (r < 0)
        return r;
    mcph_buf_init(&line, SIZE_MAX / 2);
    mcph_buf_adds(&line, "[resource: ");
    mcph_buf_add(&line, uri.p, uri.len);
    r = mcph_buf_addc(&line, ']');
    if (r == 0)
        r = mcph_sampling_add_text(w, parts, mcph_span(line.data, line.len));
    mcph_buf_done(&line);
    return r < 0 ? mcph_err_nomem(w->reterr) : 0;
}

static int
add_resource(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
             struct mcph_span block)
{
    struct mcph_span resource = mcph_json_get(block, "resource"), text, token;
    int r;

    token = mcph_json_type(resource) == MCPH_JSON_OBJECT ? mcph_json_get(resource, "text")
                                                         : MCPH_SPAN_NONE;
    if (!token.p)
        return mcph_sampling_leave_out(w, parts, "resource",
                                       mcph_json_type(resource) == MCPH_JSON_OBJECT
                                           ? mcph_json_get(resource, "uri")
                                           : MCPH_SPAN_NONE,
                                       "it is no text");
    r = mcph_sampling_text(w, token, &text);
    return r < 0 ? r : mcph_sampling_add_text(w, parts, text);
}

/* ---- blocks ------------------------------------------------------------------------ */

static bool
type_is(struct mcph_span type, const char *name)
{
    return mcph_json_string_is(type, name, strlen(name));
}

int
mcph_sampling_add_block(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                        struct mcph_span block)
{
    struct mcph_span type = mcph_json_get(block, "type"), text;
    int r;

    if (type_is(type, "text")) {
        r = mcph_sampling_text(w, mcph_json_get(block, "text"), &text);
        return r < 0 ? r : mcph_sampling_add_text(w, parts, text);
    }
    if (type_is(type, "image") || type_is(type, "audio"))
        return add_media(w, parts, type_is(type, "image"), block);
    if (parts->result && type_is(type, "resource_link"))
        return add_link(w, parts, block);
    if (parts->result && type_is(type, "resource"))
        return add_resource(w, parts, block);
    return mcph_sampling_leave_out(w, parts, "content", type, "its type is not known");
}

static int
add_any(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
        struct mcph_span block, bool *ret_result)
{
    struct mcph_span type;

    if (mcph_json_type(block) != MCPH_JSON_OBJECT ||
        mcph_json_type(mcph_json_get(block, "type")) != MCPH_JSON_STRING)
        return mcph_sampling_invalid(w, "content is an object with a type, or several");
    type = mcph_json_get(block, "type");
    if (parts == &w->parts && type_is(type, "tool_use"))
        return mcph_sampling_add_use(w, block);
    *ret_result = parts == &w->parts && type_is(type, "tool_result");
    return *ret_result ? mcph_sampling_add_result(w, block)
                       : mcph_sampling_add_block(w, parts, block);
}

static int
add_content(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
            struct mcph_span content)
{
    struct mcph_json_iter it;
    struct mcph_span block;
    size_t n_results = 0;
    bool result = false;
    int r = 0;

    w->block = 0;
    if (mcph_json_type(content) != MCPH_JSON_ARRAY)
        return add_any(w, parts, content, &result);
    mcph_json_iter_init(&it, content);
    for (; r == 0 && mcph_json_iter_next(&it, NULL, &block); w->block++) {
        result = false;
        r = add_any(w, parts, block, &result);
        n_results += result;
    }
    if (r == 0 && n_results && n_results < w->block)
        return mcph_sampling_invalid(w, "results of tools stand with other content");
    return r;
}

/* ---- messages ---------------------------------------------------------------------- */

static int
add_system(struct mcph_sampling_writer *w, struct mcph_span content)
{
    bool text_only = w->result.text_only;
    int r;

    mcph_buf_clear(&w->result.joined);
    w->result.text_only = true;
    r = add_content(w, &w->result, content);
    w->result.text_only = text_only;
    if (r < 0)
        return r;
    if (w->system.len && w->result.joined.len)
        mcph_buf_adds(&w->system, "\n\n");
    mcph_buf_add(&w->system, w->result.joined.data, w->result.joined.len);
    return mcph_buf_ok(&w->result.joined);
}

static int
add_message(struct mcph_sampling_writer *w, struct mcph_span message)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("role"), MCPH_JSON_WANT("content")};
    size_t before = w->out.len;
    int r;

    if (mcph_json_pick(message, want, MCPH_ARRAY_SIZE(want)) < 0 || !want[1].value.p)
        return mcph_sampling_invalid(w, "a message needs a role and content");
    w->said = false;
    if (type_is(want[0].value, "system"))
        return add_system(w, want[1].value);
    w->said = type_is(want[0].value, "assistant");
    if (!w->said && !type_is(want[0].value, "user"))
        return mcph_sampling_invalid(w, "the role is neither user nor assistant");
    r = w->said ? mcph_sampling_uses_end(w) : 0;
    if (r == 0)
        r = add_content(w, &w->parts, want[1].value);
    if (r == 0 && !w->said)
        r = mcph_sampling_uses_end(w);
    if (r < 0)
        return r;
    if (w->out.len == before && !w->parts.n && !w->calls.len)
        r = mcph_sampling_leave_out(w, &w->parts, "content", MCPH_SPAN_NONE,
                                    "the message is empty");
    return r < 0 ? r : mcph_sampling_flush(w);
}

int
mcph_sampling_add_messages(struct mcph_sampling_writer *w, struct mcph_span messages)
{
    struct mcph_json_iter it;
    struct mcph_span message;
    int r = 0;

    if (mcph_json_type(messages) != MCPH_JSON_ARRAY)
        return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages: not an array");
    mcph_json_iter_init(&it, messages);
    for (; r == 0 && mcph_json_iter_next(&it, NULL, &message); w->message++)
        r = add_message(w, message);
    if (r == 0 && w->message == 0)
        return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages: there is none");
    return r < 0 ? r : mcph_sampling_uses_end(w);
}
