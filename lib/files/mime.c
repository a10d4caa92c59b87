/* SPDX-License-Identifier: MIT
 *
 * mime.c - MIME types of files by their extensions.
 *
 * A short built-in table has precedence.  If shared-mime-info is installed, its table
 * is used in addition.  This table has lines "WEIGHT:TYPE:GLOB", the line with the
 * highest weight first.  Only globs of the form "*.EXT" are used.
 */
#include <stdlib.h>
#include <string.h>

#include "files/inner.h"

#define GLOBS_MAX ((size_t)1024 * 1024)
#define EXT_MAX   32

static const struct {
    const char *extension, *type;
} built_in[] = {
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"json", "application/json"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"txt", "text/plain"},
    {"csv", "text/csv"},
    {"html", "text/html"},
    {"htm", "text/html"},
    {"css", "text/css"},
    {"js", "text/javascript"},
    {"ts", "text/x-typescript"},
    {"xml", "application/xml"},
    {"toml", "application/toml"},
    {"pdf", "application/pdf"},
    {"zip", "application/zip"},
    {"gz", "application/gzip"},
    {"tar", "application/x-tar"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"svg", "image/svg+xml"},
    {"webp", "image/webp"},
    {"mp3", "audio/mpeg"},
    {"wav", "audio/wav"},
    {"mp4", "video/mp4"},
    {"py", "text/x-python"},
    {"c", "text/x-csrc"},
    {"h", "text/x-chdr"},
    {"sh", "application/x-shellscript"},
    {"rs", "text/rust"},
};

struct files_mime {
    struct mcph_buf text;  /* text of the globs, cut into strings */
    struct mcph_map types; /* map from extension in lower case to type */
};

/* ---- the table of the system ------------------------------------------------------- */

static char
to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Adds the type of a line "WEIGHT:TYPE:*.EXT[:FLAGS]".  Cuts the line into strings.
 * Ignores other lines.  If an extension occurs again, its first type stays. */
static int
add_line(struct files_mime *mime, char *line)
{
    char *type = strchr(line, ':'), *glob, *end;

    if (line[0] == '#' || !type)
        return 0;
    type++;
    glob = strchr(type, ':');
    if (!glob || strncmp(glob, ":*.", 3) != 0)
        return 0;
    *glob = '\0';
    glob += 3;
    end = strchr(glob, ':');
    if (end)
        *end = '\0';
    if (!*type || !*glob || strpbrk(glob, "*?[") || strlen(glob) >= EXT_MAX)
        return 0;
    for (char *c = glob; *c; c++)
        *c = to_lower(*c);
    if (mcph_map_get(&mime->types, glob, strlen(glob)))
        return 0;
    return mcph_map_put(&mime->types, glob, strlen(glob), type, NULL);
}

static int
add_globs(struct files_mime *mime)
{
    char *line, *end;
    int r = mcph_buf_addc(&mime->text, '\0');

    for (line = mime->text.data; r == 0 && line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        r = add_line(mime, line);
    }
    return r;
}

static int
add_built_in(struct files_mime *mime)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < MCPH_ARRAY_SIZE(built_in); i++) {
        const char *extension = built_in[i].extension;

        r = mcph_map_put(&mime->types, extension, strlen(extension),
                         (void *)(uintptr_t)built_in[i].type, NULL);
    }
    return r;
}

/* ---- life -------------------------------------------------------------------------- */

struct files_mime *
mcph_files_mime_new(const char *globs)
{
    struct files_mime *mime = calloc(1, sizeof(*mime));
    int r;

    if (!mime)
        return NULL;
    mcph_buf_init(&mime->text, GLOBS_MAX + 1);
    r = mcph_file_read(globs, GLOBS_MAX, &mime->text, NULL);
    if (r < 0 && r != MCPHOST_E_NOMEM)
        mcph_buf_done(&mime->text); /* drop a table that is unreadable or too large */
    if (r != MCPHOST_E_NOMEM)
        r = add_built_in(mime);
    if (r == 0)
        r = add_globs(mime);
    if (r == 0)
        return mime;
    mcph_files_mime_free(mime);
    return NULL;
}

void
mcph_files_mime_free(struct files_mime *mime)
{
    if (!mime)
        return;
    mcph_map_done(&mime->types);
    mcph_buf_done(&mime->text);
    free(mime);
}

const char *
mcph_files_mime_find(const struct files_mime *mime, const char *name)
{
    char extension[EXT_MAX];

    /* Skip the first character, because a leading dot hides a file and begins no
     * extension. */
    name += *name != '\0';
    for (name = strchr(name, '.'); name; name = strchr(name, '.')) {
        size_t len = strlen(++name);
        const char *type;

        if (len == 0 || len >= sizeof(extension))
            continue;
        for (size_t i = 0; i < len; i++)
            extension[i] = to_lower(name[i]);
        type = mcph_map_get(&mime->types, extension, len);
        if (type)
            return type;
    }
    return NULL;
}
