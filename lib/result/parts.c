/* SPDX-License-Identifier: MIT
 *
 * parts.c - turns items into parts of a message to a model (R72, R73).
 *
 * Every item becomes one part, in its place, except a blank text that the provider would
 * refuse.  A file that the provider would refuse, or that has been deleted, becomes a
 * text that gives the reason.  Otherwise one bad picture would fail the whole request,
 * and every later request of the same conversation.
 *
 * A tool message of OpenAI's Chat Completions can hold only texts.  In this shape, the
 * tool message holds a text that names each file.  A user message after the tool message
 * holds the files.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/catalog.h>

#include "result/items.h"

#define BYTES_MAX        (SIZE_MAX / 2)
#define FILE_MAX_DEFAULT ((uint64_t)20 << 20)

enum { PART_NONE, PART_IMAGE, PART_AUDIO, PART_DOCUMENT };

struct file_item {
    struct mcph_span mime_type, path; /* NUL-terminated */
};

struct parts {
    const mcphost_items *items;
    int shape;
    bool user; /* true for the user message after the tool message */
    uint64_t max_bytes;
    struct mcph_buf json;
};

/* ---- the files that a shape can carry ---------------------------------------------- */

static bool
is_type(struct mcph_span type, const char *name)
{
    return type.p && type.len == strlen(name) && strncasecmp(type.p, name, type.len) == 0;
}

/* Returns true for the four picture types of R72. */
static bool
is_picture(struct mcph_span type)
{
    return is_type(type, "image/jpeg") || is_type(type, "image/png") ||
           is_type(type, "image/gif") || is_type(type, "image/webp");
}

static int
part_kind(const struct parts *parts, struct mcph_span type)
{
    bool sound = type.len > 6 && strncasecmp(type.p, "audio/", 6) == 0;

    if (is_picture(type))
        return PART_IMAGE;
    switch (parts->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        if (is_type(type, "application/pdf"))
            return PART_DOCUMENT;
        return is_type(type, "audio/wav") || is_type(type, "audio/x-wav") ||
                       is_type(type, "audio/mpeg") || is_type(type, "audio/mp3")
                   ? PART_AUDIO
                   : PART_NONE;
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
    case MCPHOST_SHAPE_ANTHROPIC:
        return is_type(type, "application/pdf") ? PART_DOCUMENT : PART_NONE;
    default: /* Gemini */
        return sound                              ? PART_AUDIO
               : is_type(type, "application/pdf") ? PART_DOCUMENT
                                                  : PART_NONE;
    }
}

/* ---- writing parts ----------------------------------------------------------------- */

/* Returns true if the provider refuses the text.  Anthropic and Gemini refuse a request
 * with a blank text. */
static bool
is_refused(const struct parts *parts, struct mcph_span text)
{
    return (parts->shape == MCPHOST_SHAPE_ANTHROPIC ||
            parts->shape == MCPHOST_SHAPE_GEMINI) &&
           mcph_item_is_blank(text);
}

static void
add_text(struct parts *parts, struct mcph_span text)
{
    struct mcph_buf *json = &parts->json;

    if (is_refused(parts, text))
        return;
    mcph_json_add_comma(json);
    if (parts->shape == MCPHOST_SHAPE_GEMINI)
        mcph_buf_adds(json, "{\"text\":");
    else if (parts->shape == MCPHOST_SHAPE_OPENAI_RESPONSES)
        mcph_buf_adds(json, "{\"type\":\"input_text\",\"text\":");
    else
        mcph_buf_adds(json, "{\"type\":\"text\",\"text\":");
    mcph_json_add_string(json, text.p, text.len);
    mcph_buf_addc(json, '}');
}

/* Adds a text of the library itself: "[", `what`, `of`, "]". */
static void
add_line(struct parts *parts, const char *what, struct mcph_span of)
{
    struct mcph_buf text;

    mcph_buf_init(&text, BYTES_MAX);
    mcph_buf_addc(&text, '[');
    mcph_buf_adds(&text, what);
    mcph_utf8_add_clean(&text, of.p ? of.p : "-", of.p ? of.len : 1, true);
    mcph_buf_addc(&text, ']');
    if (mcph_buf_ok(&text))
        parts->json.err = MCPHOST_E_NOMEM;
    else
        add_text(parts, mcph_span(text.data, text.len));
    mcph_buf_done(&text);
}

/* Adds a line to a tool message in place of a file.  Adds nothing to a user message. */
static void
add_instead(struct parts *parts, const char *what, struct mcph_span of)
{
    if (!parts->user)
        add_line(parts, what, of);
}

static const char *
open_chat_part(struct parts *parts, int kind, const struct file_item *file)
{
    struct mcph_buf *json = &parts->json;
    struct mcph_span type = file->mime_type;

    if (kind == PART_AUDIO) {
        mcph_buf_adds(json, "{\"type\":\"input_audio\",\"input_audio\":{\"format\":");
        mcph_json_add_str(json, is_type(type, "audio/mpeg") || is_type(type, "audio/mp3")
                                    ? "mp3"
                                    : "wav");
        mcph_buf_adds(json, ",\"data\":\"");
        return "\"}}";
    }
    if (kind == PART_DOCUMENT) {
        mcph_buf_adds(json, "{\"type\":\"file\",\"file\":{\"filename\":");
        mcph_json_add_str(json, strrchr(file->path.p, '/') + 1);
        mcph_buf_adds(json, ",\"file_data\":\"data:");
    } else {
        mcph_buf_adds(json, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:");
    }
    mcph_buf_add(json, type.p, type.len);
    mcph_buf_adds(json, ";base64,");
    return "\"}}";
}

/* Writes the part up to its base64.  The base64 is inside a JSON string.  Returns the
 * text that closes the part. */
static const char *
open_part(struct parts *parts, int kind, const struct file_item *file)
{
    struct mcph_buf *json = &parts->json;
    struct mcph_span type = file->mime_type;

    mcph_json_add_comma(json);
    switch (parts->shape) {
    case MCPHOST_SHAPE_OPENAI_CHAT:
        return open_chat_part(parts, kind, file);
    case MCPHOST_SHAPE_OPENAI_RESPONSES:
        if (kind == PART_DOCUMENT) {
            mcph_buf_adds(json, "{\"type\":\"input_file\",\"filename\":");
            mcph_json_add_str(json, strrchr(file->path.p, '/') + 1);
            mcph_buf_adds(json, ",\"file_data\":\"data:");
        } else {
            mcph_buf_adds(json, "{\"type\":\"input_image\",\"image_url\":\"data:");
        }
        mcph_buf_add(json, type.p, type.len);
        mcph_buf_adds(json, ";base64,");
        return "\"}";
    case MCPHOST_SHAPE_ANTHROPIC:
        mcph_buf_adds(json, kind == PART_DOCUMENT ? "{\"type\":\"document\""
                                                  : "{\"type\":\"image\"");
        mcph_buf_adds(json, ",\"source\":{\"type\":\"base64\",\"media_type\":");
        mcph_json_add_string(json, type.p, type.len);
        mcph_buf_adds(json, ",\"data\":\"");
        return "\"}}";
    default:
        mcph_buf_adds(json, "{\"inlineData\":{\"mimeType\":");
        mcph_json_add_string(json, type.p, type.len);
        mcph_buf_adds(json, ",\"data\":\"");
        return "\"}}";
    }
}

/* Reads a file in steps and adds its base64.  Each step but the last is a multiple of
 * three bytes, because only the end of the base64 may have padding. */
static int
add_base64(struct mcph_buf *json, int fd, uint64_t size)
{
    unsigned char bytes[24576];
    size_t n = 0;
    int r = 0;

    while (r == 0 && size) {
        ssize_t got = read(fd, bytes + n, sizeof(bytes) - n);

        if (got <= 0)
            return MCPHOST_E_IO;
        n += (uint64_t)got < size ? (size_t)got : (size_t)size;
        size -= (uint64_t)got < size ? (uint64_t)got : size;
        if (n == sizeof(bytes) || !size) {
            r = mcph_base64_add(json, bytes, n);
            n = 0;
        }
    }
    return r;
}

/* If the file's bytes are a picture, sets file->mime_type to the type that the bytes
 * show, whatever the item says, and returns true. */
static bool
look_at_picture(int fd, struct file_item *file)
{
    unsigned char head[16];
    ssize_t n = pread(fd, head, sizeof(head), 0);
    const char *type = n > 0 ? mcph_picture_type(head, (size_t)n) : NULL;

    if (type)
        file->mime_type = mcph_span_str(type);
    return type != NULL;
}

/* Adds the file itself.  In the user message, a line in front of the file gives the path
 * of the file.  If the file cannot be read, adds nothing and returns MCPHOST_E_IO. */
static int
add_bytes(struct parts *parts, struct file_item *file, int kind, int fd, uint64_t size)
{
    size_t before = parts->json.len;
    const char *end;
    int r;

    if (parts->user)
        add_line(parts, kind == PART_IMAGE ? "image: " : "file: ", file->path);
    end = open_part(parts, kind, file);
    r = add_base64(&parts->json, fd, size);
    mcph_buf_adds(&parts->json, end);
    if (r == MCPHOST_E_IO)
        parts->json.len = before;
    return r;
}

static void
add_file(struct parts *parts, struct file_item *file, int kind)
{
    bool elsewhere = parts->shape == MCPHOST_SHAPE_OPENAI_CHAT && !parts->user;
    uint64_t size;
    int fd, r = 0;

    if (!parts->items->dir ||
        mcphost_artifact_open(parts->items->dir, file->path.p, &fd, &size, NULL) < 0) {
        add_instead(
            parts, kind == PART_IMAGE ? "image missing: " : "file missing: ", file->path);
        return;
    }
    if (size > parts->max_bytes) {
        add_instead(parts,
                    kind == PART_IMAGE ? "image omitted, too large: "
                                       : "file omitted, too large: ",
                    file->path);
        close(fd);
        return;
    }
    if (kind == PART_IMAGE && !look_at_picture(fd, file)) {
        add_instead(parts, "image omitted: its bytes are not mimeType=", file->mime_type);
        close(fd);
        return;
    }
    if (elsewhere)
        add_line(parts,
                 kind == PART_IMAGE ? "image in the next user message: "
                                    : "file in the next user message: ",
                 file->path);
    else
        r = add_bytes(parts, file, kind, fd, size);
    close(fd);
    if (r == MCPHOST_E_IO)
        add_instead(
            parts, kind == PART_IMAGE ? "image missing: " : "file missing: ", file->path);
}

/* ---- reading items ----------------------------------------------------------------- */

/* Adds the part of an item that consists of a file.  The item of a long text is not added
 * here, because the text of that item names the file.  Returns false if the item lacks
 * the MIME type or the path that this library gives to its items. */
static bool
add_file_item(struct parts *parts, struct mcph_span type, struct mcph_span item)
{
    struct mcph_span artifact = mcph_json_get(item, "artifact");
    char *mime_type = NULL, *path = NULL;
    struct file_item file;
    int kind, r;

    r = mcph_json_string_dup(mcph_json_get(item, "mimeType"), &mime_type);
    if (r == 0)
        r = mcph_json_string_dup(mcph_json_get(artifact, "relPath"), &path);
    if (r == MCPHOST_E_NOMEM)
        parts->json.err = r;
    if (r == 0) {
        file = (struct file_item){mcph_span_str(mime_type), mcph_span_str(path)};
        kind = part_kind(parts, file.mime_type);
        if (kind == PART_NONE)
            add_instead(parts,
                        mcph_json_string_is(type, "input_image", 11)
                            ? "image omitted: unsupported mimeType="
                            : "file omitted: unsupported mimeType=",
                        file.mime_type);
        else
            add_file(parts, &file, kind);
    }
    free(mime_type);
    free(path);
    return r != MCPHOST_E_INVALID;
}

static bool
add_text_item(struct parts *parts, struct mcph_span item)
{
    struct mcph_span token = mcph_json_get(item, "text"), text;
    struct mcph_buf buf;
    int r;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return false;
    mcph_buf_init_paged(&buf, BYTES_MAX);
    r = mcph_json_string_get(token, &buf, &text);
    if (r < 0)
        parts->json.err = r;
    else
        add_text(parts, text);
    mcph_buf_done(&buf);
    return true;
}

static void
add_item(struct parts *parts, struct mcph_span item)
{
    struct mcph_span type = mcph_json_get(item, "type");

    if (mcph_json_string_is(type, "input_text", 10) &&
        (parts->user || add_text_item(parts, item)))
        return;
    if ((mcph_json_string_is(type, "input_image", 11) ||
         mcph_json_string_is(type, "input_audio", 11) ||
         mcph_json_string_is(type, "input_file", 10)) &&
        add_file_item(parts, type, item))
        return;
    if (!parts->user)
        add_text(parts, item);
}

static int
make_parts(const mcphost_items *items, int shape, bool user, uint64_t max_bytes,
           char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    struct parts parts = {.items = items,
                          .shape = shape,
                          .user = user,
                          .max_bytes = max_bytes ? max_bytes : FILE_MAX_DEFAULT};
    struct mcph_json_iter it;
    struct mcph_span item;
    size_t len = 0;
    char *json;

    if (!items || !ret_json || shape <= MCPHOST_SHAPE_MCP ||
        shape >= (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE))
        return mcph_err(
            reterr, MCPHOST_E_INVALID,
            "an argument is NULL, or the shape is not that of a model provider");
    mcph_buf_init_paged(&parts.json, BYTES_MAX);
    mcph_buf_addc(&parts.json, '[');
    mcph_json_iter_init(&it, mcph_span(items->json, items->json_len));
    while ((!user || shape == MCPHOST_SHAPE_OPENAI_CHAT) &&
           mcph_json_iter_next(&it, NULL, &item))
        add_item(&parts, item);
    if (!user && shape == MCPHOST_SHAPE_OPENAI_CHAT && parts.json.len == 1)
        add_text(&parts, mcph_span("", 0)); /* a tool message has at least one part */
    mcph_buf_addc(&parts.json, ']');
    json = mcph_buf_ok(&parts.json) ? NULL : mcph_buf_steal(&parts.json, &len);
    mcph_buf_done(&parts.json);
    if (!json)
        return mcph_err_nomem(reterr);
    *ret_json = json;
    if (ret_len)
        *ret_len = len;
    return 0;
}

int
mcphost_items_make_parts(const mcphost_items *items, int shape, uint64_t max_bytes,
                         char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    return make_parts(items, shape, false, max_bytes, ret_json, ret_len, reterr);
}

int
mcphost_items_make_user_parts(const mcphost_items *items, int shape, uint64_t max_bytes,
                              char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    return make_parts(items, shape, true, max_bytes, ret_json, ret_len, reterr);
}
