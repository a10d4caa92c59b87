/* SPDX-License-Identifier: MIT
 *
 * sampling_message.c - write the messages of a sampling request for a provider.
 *
 * The blocks of a message are collected as parts.  The parts are written at the end of
 * the message, or before an item that is not part of a message.  A block that the
 * provider does not accept becomes a text that explains the omission.  Base64 is decoded
 * and encoded again, so that it has padding and one alphabet.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/sampling.h"

#define TYPE_SHOWN 100 /* limit on the bytes of a type in a note */

int
mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why)
{
    return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages[%zu]: %s", w->message,
                    why);
}

int
mcph_sampling_get_string(struct mcph_sampling_writer *w, const json_t *object,
                         const char *name, json_t **ret)
{
    *ret = json_object_get(object, name);
    return json_is_string(*ret)
               ? 0
               : mcph_sampling_invalid(w, "a text, id or name is missing");
}

/* ---- parts ------------------------------------------------------------------------- */

int
mcph_sampling_add_text(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                       json_t *text)
{
    size_t len = json_string_length(text);

    if (len == 0)
        return 0; /* some providers refuse an empty text */
    if (parts->result) {
        if (parts->joined.len)
            mcph_buf_addc(&parts->joined, '\n');
        mcph_buf_add(&parts->joined, json_string_value(text), len);
    }
    if (parts->text_only)
        return 0;
    return mcph_sampling_append(w, parts->parts, w->dialect->make_text(w->said, text));
}

int
mcph_sampling_add_line(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                       struct mcph_buf *line)
{
    int r = mcph_buf_ok(line);
    json_t *text = NULL;

    if (r == 0)
        text = json_stringn(line->data, line->len);
    mcph_buf_done(line);
    if (text)
        r = mcph_sampling_add_text(w, parts, text);
    else
        r = r < 0 ? mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r))
                  : mcph_err_nomem(w->reterr);
    json_decref(text);
    return r;
}

int
mcph_sampling_leave_out(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                        const char *what, const json_t *type, const char *why)
{
    size_t len = json_string_length(type);
    struct mcph_buf shown, line;
    int r;

    mcph_buf_init(&shown, SIZE_MAX / 2);
    mcph_buf_init(&line, SIZE_MAX / 2);
    if (len) {
        mcph_buf_adds(&shown, " (");
        mcph_utf8_add_clean(&shown, json_string_value(type),
                            len < TYPE_SHOWN ? len : TYPE_SHOWN, true);
        mcph_buf_adds(&shown, ")");
    }
    r = mcph_buf_addc(&shown, '\0');
    if (r == 0)
        r = mcph_sampling_note(w->s, "messages[%zu].content[%zu]: %s left out%s: %s",
                               w->message, w->block, what, shown.data, why);
    if (r == 0)
        mcph_buf_addf(&line, "[%s left out%s: %s]", what, shown.data, why);
    mcph_buf_done(&shown);
    return r < 0 ? mcph_err_nomem(w->reterr) : mcph_sampling_add_line(w, parts, &line);
}

/* ---- images and audio -------------------------------------------------------------- */

/* Finds the provider's name of a media type.  Ignores parameters of the type, and upper
 * or lower case.  Returns NULL if the provider does not accept the type. */
static const char *
find_type(const struct mcph_sampling_media *media, const char *text)
{
    size_t len = strcspn(text, "; ");

    for (; media && media->type; media++)
        if (strlen(media->type) == len && strncasecmp(media->type, text, len) == 0)
            return media->as;
    return NULL;
}

/* Adds the data and a NUL to `base64`, in the spelling that all providers accept.  Sets
 * *ret_why if the data is invalid or empty. */
static int
encode_again(const json_t *data, struct mcph_buf *base64, const char **ret_why)
{
    size_t len = json_string_length(data), n = 0, rest = 0;
    struct mcph_base64 b64;
    struct mcph_buf bytes;
    unsigned char *to;
    int r;

    mcph_buf_init(&bytes, MCPH_SAMPLING_MAX);
    r = mcph_buf_reserve(&bytes, MCPH_BASE64_ROOM(len));
    if (r < 0)
        return r;
    to = (unsigned char *)bytes.data;
    mcph_base64_init(&b64);
    if (mcph_base64_feed(&b64, json_string_value(data), len, to, &n) < 0 ||
        mcph_base64_end(&b64, to + n, &rest) < 0)
        *ret_why = "its base64 is invalid";
    else if (n + rest == 0)
        *ret_why = "it is empty";
    else
        mcph_base64_add(base64, bytes.data, n + rest);
    mcph_buf_done(&bytes);
    return mcph_buf_addc(base64, '\0');
}

/* Returns the reason why the provider does not accept the media.  If the provider accepts
 * the media, returns NULL and stores the provider's name of the type in *ret_type. */
static const char *
why_not(const struct mcph_sampling_writer *w, const struct mcph_sampling_parts *parts,
        bool image, const char *type, const char **ret_type)
{
    const struct mcph_sampling_media *media =
        image ? w->dialect->images : w->dialect->audio;
    unsigned bit = image ? MCPHOST_MODALITY_IMAGES : MCPHOST_MODALITY_AUDIO;

    if (!(w->s->modalities & bit))
        return "the model does not accept it";
    if (!media)
        return "the provider does not accept it";
    if (parts->text_only)
        return "the provider accepts only text there";
    if (w->said && !(w->dialect->flags & MCPH_D_SAID_MEDIA))
        return "the provider does not accept it from an assistant";
    *ret_type = find_type(media, type);
    if (*ret_type)
        return NULL;
    return image ? "the provider does not accept images of this type"
                 : "the provider does not accept audio of this type";
}

/* Adds a part with the data.  If the data is invalid or empty, sets *ret_why instead. */
static int
add_data(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts, bool image,
         const char *type, const json_t *data, const char **ret_why)
{
    struct mcph_buf base64;
    int r;

    mcph_buf_init(&base64, MCPH_SAMPLING_MAX);
    r = encode_again(data, &base64, ret_why);
    if (r < 0)
        mcph_err(w->reterr, r, "params: %s", mcphost_strerror(r));
    else if (!*ret_why)
        r = mcph_sampling_append(w, parts->parts,
                                 w->dialect->make_media(image, type, base64.data));
    mcph_buf_done(&base64);
    parts->n_media += r == 0 && !*ret_why;
    return r;
}

static int
add_media(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts, bool image,
          const json_t *block)
{
    const json_t *data = json_object_get(block, "data");
    const char *as = NULL, *why;
    json_t *type;
    int r = 0;

    if (!json_is_string(data))
        return mcph_sampling_invalid(w, "an image or audio needs data and mimeType");
    r = mcph_sampling_get_string(w, block, "mimeType", &type);
    if (r < 0)
        return r;
    why = why_not(w, parts, image, json_string_value(type), &as);
    if (!why)
        r = add_data(w, parts, image, as, data, &why);
    if (r < 0 || !why)
        return r;
    return mcph_sampling_leave_out(w, parts, image ? "image" : "audio", type, why);
}

/* ---- resources in a tool's result -------------------------------------------------- */

static int
add_link(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
         const json_t *block)
{
    struct mcph_buf line;
    json_t *uri;
    int r = mcph_sampling_get_string(w, block, "uri", &uri);

    if (r < 0)
        return r;
    mcph_buf_init(&line, SIZE_MAX / 2);
    mcph_buf_adds(&line, "[resource: ");
    mcph_buf_add(&line, json_string_value(uri), json_string_length(uri));
    mcph_buf_addc(&line, ']');
    return mcph_sampling_add_line(w, parts, &line);
}

static int
add_resource(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
             const json_t *block)
{
    const json_t *resource = json_object_get(block, "resource");
    json_t *text;
    int r;

    if (!json_object_get(resource, "text"))
        return mcph_sampling_leave_out(
            w, parts, "resource", json_object_get(resource, "uri"), "it is not text");
    r = mcph_sampling_get_string(w, resource, "text", &text);
    return r < 0 ? r : mcph_sampling_add_text(w, parts, text);
}

/* ---- blocks ------------------------------------------------------------------------ */

int
mcph_sampling_add_block(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
                        const json_t *block)
{
    const json_t *type = json_object_get(block, "type");
    const char *is = json_string_value(type);
    json_t *text;
    int r;

    if (mcph_streq(is, "text")) {
        r = mcph_sampling_get_string(w, block, "text", &text);
        return r < 0 ? r : mcph_sampling_add_text(w, parts, text);
    }
    if (mcph_streq(is, "image") || mcph_streq(is, "audio"))
        return add_media(w, parts, mcph_streq(is, "image"), block);
    if (parts->result && mcph_streq(is, "resource_link"))
        return add_link(w, parts, block);
    if (parts->result && mcph_streq(is, "resource"))
        return add_resource(w, parts, block);
    return mcph_sampling_leave_out(w, parts, "content", type, "its type is not known");
}

static int
add_any(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
        const json_t *block, bool *ret_result)
{
    const char *is = json_string_value(json_object_get(block, "type"));

    if (!is)
        return mcph_sampling_invalid(
            w, "content must be an object with a type, or an array of such objects");
    if (parts == &w->parts && mcph_streq(is, "tool_use"))
        return mcph_sampling_add_use(w, block);
    *ret_result = parts == &w->parts && mcph_streq(is, "tool_result");
    return *ret_result ? mcph_sampling_add_result(w, block)
                       : mcph_sampling_add_block(w, parts, block);
}

static int
add_content(struct mcph_sampling_writer *w, struct mcph_sampling_parts *parts,
            const json_t *content)
{
    size_t n = json_array_size(content), n_results = 0;
    bool result = false;
    int r = 0;

    w->block = 0;
    if (!json_is_array(content))
        return add_any(w, parts, content, &result);
    for (; r == 0 && w->block < n; w->block++) {
        result = false;
        r = add_any(w, parts, json_array_get(content, w->block), &result);
        n_results += result;
    }
    if (r == 0 && n_results && n_results < n)
        return mcph_sampling_invalid(w, "results of tools are mixed with other content");
    return r;
}

/* ---- messages ---------------------------------------------------------------------- */

static int
add_system(struct mcph_sampling_writer *w, const json_t *content)
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
add_message(struct mcph_sampling_writer *w, const json_t *message)
{
    const char *role = json_string_value(json_object_get(message, "role"));
    const json_t *content = json_object_get(message, "content");
    size_t before = json_array_size(w->out);
    int r;

    if (!content)
        return mcph_sampling_invalid(w, "a message needs a role and content");
    w->said = false;
    if (mcph_streq(role, "system"))
        return add_system(w, content);
    w->said = mcph_streq(role, "assistant");
    if (!w->said && !mcph_streq(role, "user"))
        return mcph_sampling_invalid(w, "the role must be user or assistant");
    r = w->said ? mcph_sampling_uses_end(w) : 0;
    if (r == 0)
        r = add_content(w, &w->parts, content);
    if (r == 0 && !w->said)
        r = mcph_sampling_uses_end(w);
    if (r < 0)
        return r;
    if (json_array_size(w->out) == before && !json_array_size(w->parts.parts) &&
        !json_array_size(w->calls))
        r = mcph_sampling_leave_out(w, &w->parts, "content", NULL,
                                    "the message is empty");
    return r < 0 ? r : mcph_sampling_flush(w);
}

int
mcph_sampling_add_messages(struct mcph_sampling_writer *w, const json_t *messages)
{
    size_t n = json_array_size(messages);
    int r = 0;

    if (!json_is_array(messages))
        return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages: not an array");
    if (n == 0)
        return mcph_err(w->reterr, MCPHOST_E_INVALID, "params.messages: there are none");
    for (; r == 0 && w->message < n; w->message++)
        r = add_message(w, json_array_get(messages, w->message));
    return r < 0 ? r : mcph_sampling_uses_end(w);
}
