/* SPDX-License-Identifier: MIT
 *
 * notes.c - a plugin with resources: the files of a directory, as notes://NAME.
 *
 * The configuration names the directory: {"directory": "/some/where"}.  Without a
 * directory there are no notes.  The notes are the regular files in this directory,
 * except hidden files.  The plugin reads at most the first NOTE_MAX bytes of a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/plugin.h>

#define NOTE_MAX 65536

static char *directory; /* NULL if not configured */

/* Returns the content of a JSON string, or NULL if `json` is no string or has escapes.
 * The caller frees the content. */
static char *
unquote(const char *json, size_t len)
{
    if (len < 2 || *json != '"' || memchr(json, '\\', len))
        return NULL;
    return strndup(json + 1, len - 2);
}

/* Opens the file `name` of the directory for reading.  Refuses a name that has a slash or
 * begins with a dot. */
static int
open_note(const char *name)
{
    char path[PATH_MAX];

    if (!directory || !*name || *name == '.' || strchr(name, '/') ||
        (size_t)snprintf(path, sizeof(path), "%s/%s", directory, name) >= sizeof(path))
        return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int
read_note(mcphost_provider_call *call, void *arg)
{
    static char text[NOTE_MAX];
    const char *uri = mcphost_provider_call_get_name(call, NULL);
    int fd = open_note(uri + strlen("notes://"));
    struct stat st;
    ssize_t n = -1;

    (void)arg;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        n = read(fd, text, sizeof(text));
    if (fd >= 0)
        close(fd);
    if (n < 0) /* -32002: the resource does not exist */
        return mcphost_provider_call_fail(call, -32002, "there is no such note", NULL, 0);
    return mcphost_provider_call_answer_text(call, text, (size_t)n, 0);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char defaults[] = "{\"directory\":null}";
    static const char notes[] = "{\"uriTemplate\":\"notes://{name}\",\"name\":\"note\","
                                "\"mimeType\":\"text/plain\"}";
    char *json;
    size_t len;
    int r;

    (void)arg;
    r = mcphost_provider_set_defaults(provider, defaults, strlen(defaults), reterr);
    if (r == 0)
        r = mcphost_provider_dup_config(provider, "directory", &json, &len);
    if (r < 0)
        return r;
    directory = unquote(json, len);
    mcphost_free(json);
    return mcphost_provider_add(provider, MCPHOST_FEATURE_TEMPLATE, notes, strlen(notes),
                                read_note, NULL, NULL, reterr);
}

static void
teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
    free(directory);
    directory = NULL;
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_RESOURCE, setup, teardown)
