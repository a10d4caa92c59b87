/* SPDX-License-Identifier: MIT
 *
 * headers.c - the headers of --url, from the command line, a file or the environment.
 *
 * Every user of the machine can read a command line.  A file has permissions, and the
 * environment belongs to one user.  Therefore a secret header should come from a file or
 * from the environment.  No message contains the value of a header.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define FILE_MAX ((size_t)256 * 1024)

static int
refuse_header(const char *option, const char *name, const char *why)
{
    fprintf(stderr, "mcphostctl: %s '%s': %s\n", option, name, why);
    return STATUS_USAGE;
}

int
ctl_headers_add(struct options *opt, const char *line, char *own)
{
    size_t n = opt->n_headers;

    if (n + 1 >= sizeof(opt->headers) / sizeof(opt->headers[0])) {
        fprintf(stderr, "mcphostctl: more than %zu headers\n", n);
        free(own);
        return STATUS_USAGE;
    }
    opt->headers[n] = line;
    opt->own_headers[n] = own;
    opt->n_headers++;
    return 0;
}

static int
add_line(struct options *opt, const char *path, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    char *own;

    if (!colon || colon == line)
        return refuse_header("--header-file", path, "a line is not 'Name: value'");
    own = strndup(line, len);
    if (!own)
        return refuse_header("--header-file", path, "not enough memory");
    return ctl_headers_add(opt, own, own);
}

/* Adds a header for each line.  Empty lines and lines that begin with '#' are skipped. */
static int
add_lines(struct options *opt, const char *path, const char *text, size_t len)
{
    const char *end = text + len;
    int r = 0;

    if (memchr(text, '\0', len))
        return refuse_header("--header-file", path, "it has a NUL character");
    while (text < end && r == 0) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        size_t n = (size_t)(stop - text);

        if (n > 0 && text[n - 1] == '\r')
            n--;
        if (n > 0 && text[0] != '#')
            r = add_line(opt, path, text, n);
        text = newline ? newline + 1 : end;
    }
    return r;
}

int
ctl_headers_add_file(struct options *opt, const char *path)
{
    char *text = malloc(FILE_MAX + 1);
    FILE *f = text ? fopen(path, "re") : NULL;
    size_t n;
    int r, failed;

    if (!f) {
        free(text);
        return refuse_header("--header-file", path,
                             text ? strerror(errno) : "not enough memory");
    }
    n = fread(text, 1, FILE_MAX + 1, f);
    failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed)
        r = refuse_header("--header-file", path, strerror(failed));
    else if (n > FILE_MAX)
        r = refuse_header("--header-file", path, "it is larger than 256 KiB");
    else
        r = add_lines(opt, path, text, n);
    explicit_bzero(text, n);
    free(text);
    return r;
}

int
ctl_headers_add_env(struct options *opt, const char *text)
{
    const char *colon = strchr(text, ':'), *name, *value;
    char *own;

    if (!colon || colon == text)
        return refuse_header("--header-env", text, "it is not 'Name: VARIABLE'");
    name = colon + 1 + strspn(colon + 1, " \t");
    value = *name && !strchr(name, '=') ? secure_getenv(name) : NULL;
    if (!value)
        return refuse_header("--header-env", text, "the variable is not set");
    if (asprintf(&own, "%.*s: %s", (int)(colon - text), text, value) < 0)
        return refuse_header("--header-env", text, "not enough memory");
    return ctl_headers_add(opt, own, own);
}

void
ctl_headers_free(struct options *opt)
{
    for (size_t i = 0; i < opt->n_headers; i++) {
        if (opt->own_headers[i])
            explicit_bzero(opt->own_headers[i], strlen(opt->own_headers[i]));
        free(opt->own_headers[i]);
        opt->own_headers[i] = NULL;
        opt->headers[i] = NULL;
    }
    opt->n_headers = 0;
}
