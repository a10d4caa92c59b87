/* SPDX-License-Identifier: MIT
 *
 * blob.c - turns base64 data in a result into a file.
 *
 * The data goes from the server's bytes to the file in steps, so that memory holds no
 * second copy of the data.  A blob of a resource becomes a text item instead if its type
 * is a text type and its bytes are UTF-8 without a NUL.  To check the bytes,
 * add_as_text() decodes a blob of a text type as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "result/items.h"

#define STEP 49152 /* characters that one step decodes */

/* Reads the inside of a string token in steps and decodes its escapes. */
struct source {
    const char *p, *end;
    struct mcph_base64 b64;
    char *escaped; /* memory for STEP characters; NULL if the token has no escape */
};

static char
unescape(const char **p)
{
    const char *at = *p + 1;

    *p += 2;
    switch (*at) {
    case 'n':
    case 'r':
    case 't':
    case 'b':
    case 'f':
        return *at == 'b' ? '\b' : '\n';
    case 'u':
        *p += 4;
        /* base64 is ASCII.  Any other character becomes a character that the decoder
         * rejects. */
        return at[1] == '0' && at[2] == '0'
                   ? (char)strtol((char[]){at[3], at[4], 0}, NULL, 16)
                   : '\x7f';
    default:
        return *at;
    }
}

static char
next_character(const char **p)
{
    return **p == '\\' ? unescape(p) : *(*p)++;
}

/* Returns the next characters, at most STEP, with escapes decoded.  At the end, the span
 * is empty. */
static struct mcph_span
next_characters(struct source *source)
{
    size_t left = (size_t)(source->end - source->p), n = 0;
    const char *start = source->p;

    if (!source->escaped) {
        n = left < STEP ? left : STEP;
        source->p += n;
        return mcph_span(start, n);
    }
    while (source->p < source->end && n < STEP)
        source->escaped[n++] = next_character(&source->p);
    return mcph_span(source->escaped, n);
}

/* Decodes the next step into `out`.  Returns 1 if another step follows, 0 if these bytes
 * are the last, or MCPHOST_E_INVALID. */
static int
next_bytes(struct source *source, unsigned char *out, size_t *ret_len)
{
    struct mcph_span text = next_characters(source);
    int r;

    if (text.len)
        r = mcph_base64_feed(&source->b64, text.p, text.len, out, ret_len);
    else
        r = mcph_base64_end(&source->b64, out, ret_len);
    return r < 0 ? r : text.len > 0;
}

/* Moves *p behind `word` if `word` comes next, in upper or lower case.  Returns false if
 * another text comes next. */
static bool
skip_word(const char **p, const char *end, const char *word)
{
    const char *at = *p;

    for (; *word; word++) {
        char c = at < end ? next_character(&at) : '\0';

        if (c != *word && (c < 'A' || c > 'Z' || c + 32 != *word))
            return false;
    }
    *p = at;
    return true;
}

/* Returns a text without the start of a data: URL (B.11).  The start ends in "base64,".
 * If the text is no data: URL with base64, returns the text itself. */
static struct mcph_span
without_prefix(struct mcph_span text)
{
    static const char mark[] = "base64,";
    const char *p = text.p, *end = p + text.len, *blank = p;
    size_t n = 0;

    while (blank < end) {
        char c = next_character(&blank);

        if (c != ' ' && (c < '\t' || c > '\r'))
            break;
        p = blank;
    }
    if (!skip_word(&p, end, "data:"))
        return text;
    while (p < end && n < sizeof(mark) - 1) {
        char c = next_character(&p);

        /* After a mismatch, restart at 0 or 1, because the first letter of the mark
         * occurs only once in the mark. */
        n = c == mark[n] ? n + 1 : c == mark[0];
    }
    return mark[n] ? text : mcph_span(p, (size_t)(end - p));
}

/* ---- the type of a blob ------------------------------------------------------------ */

/* Returns the picture type that the first bytes show, or NULL.  The returned type
 * replaces the server's type, because a model provider also examines the bytes.  The
 * provider refuses the whole request if the bytes do not match the type. */
const char *
mcph_picture_type(const unsigned char *p, size_t len)
{
    if (len >= 8 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0)
        return "image/png";
    if (len >= 3 && memcmp(p, "\xff\xd8\xff", 3) == 0)
        return "image/jpeg";
    if (len >= 6 && (memcmp(p, "GIF87a", 6) == 0 || memcmp(p, "GIF89a", 6) == 0))
        return "image/gif";
    if (len >= 12 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

static bool
begins_with(struct mcph_span type, const char *family)
{
    size_t n = strlen(family);

    return type.len > n && strncasecmp(type.p, family, n) == 0;
}

/* Returns the type of item for a blob (R70).  The item is a picture if the server calls
 * the blob an image or the MIME type begins with "image/".  Otherwise the item is audio
 * if the server calls the blob audio or the MIME type begins with "audio/".  Any other
 * blob is a file. */
static const char *
item_type(const char *what, struct mcph_span mime_type)
{
    if (strcmp(what, "image") == 0 || begins_with(mime_type, "image/"))
        return "input_image";
    if (strcmp(what, "audio") == 0 || begins_with(mime_type, "audio/"))
        return "input_audio";
    return "input_file";
}

/* Returns true if a blob of this type is a text, provided that its bytes are UTF-8. */
static bool
is_text_type(struct mcph_span type)
{
    static const char *const names[] = {
        "application/json",  "application/xml",    "application/javascript",
        "application/yaml",  "application/x-yaml", "application/toml",
        "application/x-sh",  "application/sql",    "application/x-ndjson",
        "application/jsonl", "application/graphql"};
    const char *end = memchr(type.p, ';', type.len);

    if (end)
        type.len = (size_t)(end - type.p);
    while (type.len && type.p[type.len - 1] == ' ')
        type.len--;
    if (begins_with(type, "text/"))
        return true;
    if (type.len > 5 && (strncasecmp(type.p + type.len - 5, "+json", 5) == 0 ||
                         strncasecmp(type.p + type.len - 4, "+xml", 4) == 0))
        return !begins_with(type, "image/");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        if (type.len == strlen(names[i]) && strncasecmp(type.p, names[i], type.len) == 0)
            return true;
    return false;
}

struct blob {
    struct mcph_making *making;
    const char *what;
    struct mcph_span mime_type, uri;
    struct source source;
    unsigned char *bytes; /* the bytes that were decoded last */
    size_t len;
};

/* Writes the bytes that are decoded already.  Then decodes and writes the rest of the
 * blob.  Completes the file, or aborts the file on failure. */
static int
write_file(struct blob *blob, int more, struct mcph_artifact *artifact,
           mcphost_error **reterr)
{
    int r = mcph_artifact_write(artifact, blob->bytes, blob->len, reterr);

    while (r == 0 && more > 0) {
        more = next_bytes(&blob->source, blob->bytes, &blob->len);
        if (more < 0)
            r = mcph_err(reterr, MCPHOST_E_INVALID,
                         "its base64 is invalid at character %llu",
                         (unsigned long long)blob->source.b64.at);
        else
            r = mcph_artifact_write(artifact, blob->bytes, blob->len, reterr);
    }
    if (r < 0)
        mcph_artifact_abort(artifact);
    else
        r = mcph_artifact_end(artifact, reterr);
    return r;
}

static int
make_file(struct blob *blob, struct mcph_artifact *artifact, mcphost_error **reterr)
{
    const struct mcph_items_spec *spec = blob->making->spec;
    const char *seen;
    int more, r;

    /* Decode until there is a byte, because one call of next_bytes() can decode only
     * blanks, or less than one byte. */
    do {
        more = next_bytes(&blob->source, blob->bytes, &blob->len);
    } while (more > 0 && blob->len == 0);
    if (more < 0)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "its base64 is invalid at character %llu",
                        (unsigned long long)blob->source.b64.at);
    if (blob->len == 0)
        return mcph_err(reterr, MCPHOST_E_INVALID, "it is empty");
    seen = mcph_picture_type(blob->bytes, blob->len);
    if (seen)
        blob->mime_type = mcph_span_str(seen);
    if (!spec->place)
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "the dialog has no directory for artifacts");
    r = mcph_artifact_begin(spec->place, spec->server, spec->tool,
                            mcph_artifact_extension(blob->mime_type), artifact, reterr);
    return r < 0 ? r : write_file(blob, more, artifact, reterr);
}

/* Decodes the whole blob if it is a resource of a text type.  If the decoded bytes
 * are a text, adds a text item and returns true. */
static bool
add_as_text(struct blob *blob)
{
    struct source source = blob->source;
    struct mcph_buf buf;
    struct mcph_span text;
    bool is_text;
    int more;

    if (strcmp(blob->what, "resource") != 0 || !is_text_type(blob->mime_type))
        return false;
    mcph_buf_init_paged(&buf, SIZE_MAX / 2);
    do {
        more = next_bytes(&blob->source, blob->bytes, &blob->len);
        if (more >= 0)
            mcph_buf_add(&buf, (const char *)blob->bytes, blob->len);
    } while (more > 0 && !mcph_buf_ok(&buf));
    blob->source = source;
    if (mcph_buf_ok(&buf))
        blob->making->json.err = MCPHOST_E_NOMEM;
    text = mcph_span(buf.data ? buf.data : "", buf.len);
    is_text = more == 0 && !memchr(text.p, '\0', text.len) &&
              mcph_utf8_valid(text.p, text.len, NULL);
    if (is_text && !mcph_item_add_long_text(blob->making, text, blob->uri))
        mcph_item_say(blob->making, text, blob->uri);
    mcph_buf_done(&buf);
    return is_text;
}

/* Adds a text such as "[audio saved: audio/wav, 44 bytes: artifacts/...]". */
static void
say_saved(struct blob *blob, const char *what, const struct mcph_artifact *artifact)
{
    struct mcph_buf text;

    mcph_buf_init(&text, SIZE_MAX / 2);
    mcph_buf_addf(&text, "[%s saved: ", what);
    mcph_utf8_add_clean(&text, blob->mime_type.p, blob->mime_type.len, true);
    mcph_buf_addf(&text, ", %llu bytes: %s]", (unsigned long long)artifact->size,
                  artifact->path);
    if (mcph_buf_ok(&text))
        blob->making->json.err = MCPHOST_E_NOMEM;
    else
        mcph_item_say(blob->making, mcph_span(text.data, text.len), blob->uri);
    mcph_buf_done(&text);
}

static void
add_item(struct blob *blob, const struct mcph_artifact *artifact)
{
    struct mcph_buf *json = &blob->making->json;
    const char *type = item_type(blob->what, blob->mime_type);

    if (!blob->making->spec->all_types && strcmp(type, "input_image") != 0) {
        say_saved(blob, type + strlen("input_"), artifact);
        return;
    }
    mcph_item_open(blob->making, type);
    mcph_json_add_key(json, "mimeType");
    mcph_json_add_string(json, blob->mime_type.p, blob->mime_type.len);
    mcph_json_add_key(json, "byteLength");
    mcph_buf_addi(json, (int64_t)artifact->size);
    mcph_item_add_artifact(blob->making, artifact->path);
    mcph_item_close(blob->making, blob->uri);
}

void
mcph_item_add_blob(struct mcph_making *making, const char *what, struct mcph_span data,
                   struct mcph_span mime_type, struct mcph_span uri)
{
    struct blob blob = {.making = making, .what = what, .uri = uri};
    struct mcph_span text = without_prefix(mcph_span(data.p + 1, data.len - 2));
    struct mcph_artifact artifact;
    mcphost_error *error = NULL;
    struct mcph_buf mime;
    int r;

    mcph_buf_init(&mime, mime_type.len + 1);
    r = mcph_json_string_get(mime_type, &mime, &blob.mime_type);
    if (r == MCPHOST_E_NOMEM)
        making->json.err = r;
    if (r < 0 || blob.mime_type.len == 0)
        blob.mime_type = mcph_span_str("application/octet-stream");
    blob.source = (struct source){.p = text.p, .end = text.p + text.len};
    mcph_base64_init(&blob.source.b64);
    blob.bytes = malloc(MCPH_BASE64_ROOM(STEP));
    if (memchr(text.p, '\\', text.len))
        blob.source.escaped = malloc(STEP);
    if (!blob.bytes || (!blob.source.escaped && memchr(text.p, '\\', text.len)))
        r = making->json.err = MCPHOST_E_NOMEM;
    else if (add_as_text(&blob))
        goto out;
    else
        r = make_file(&blob, &artifact, &error);
    if (r == 0)
        add_item(&blob, &artifact);
    else if (r == MCPHOST_E_NOMEM)
        making->json.err = r; /* out of memory: the caller may try again */
    else
        mcph_item_sayf(making, "[%s left out: %.*s: %s]", what,
                       blob.mime_type.len < 200 ? (int)blob.mime_type.len : 200,
                       blob.mime_type.p, mcphost_error_get_message(error));
out:
    mcphost_error_unref(error);
    free(blob.bytes);
    free(blob.source.escaped);
    mcph_buf_done(&mime);
}
