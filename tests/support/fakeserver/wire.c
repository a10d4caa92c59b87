/* SPDX-License-Identifier: MIT
 *
 * wire.c - writes the fake server's output and converts texts of its script.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeserver/fake.h"

void *
fake_alloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);

    if (!p)
        _exit(99);
    return p;
}

static void
write_all(int fd, const char *data, size_t len, size_t chunk)
{
    while (len) {
        ssize_t n = write(fd, data, chunk && chunk < len ? chunk : len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return; /* the script or the host has closed the descriptor */
        data += n;
        len -= (size_t)n;
    }
}

void
fake_write(struct fake *fake, const char *data, size_t len)
{
    if (fake->front)
        fake->front->raw(fake, fake->current, data, len);
    else
        write_all(1, data, len, fake->chunk);
}

static void
write_str(struct fake *fake, const char *text)
{
    fake_write(fake, text, strlen(text));
}

void
fake_fill(struct fake *fake, int fd, size_t n, const char *pattern)
{
    size_t len = strlen(pattern), size = len < 65536 ? 65536 / len * len : len;
    char *block = fake_alloc(NULL, size);

    for (size_t i = 0; i < size; i++)
        block[i] = pattern[i % len];
    while (n > 0) {
        size_t now = n < size ? n : size;

        if (fd == 1)
            fake_write(fake, block, now);
        else
            write_all(fd, block, now, 0);
        n -= now;
    }
    free(block);
}

/* Appends a line to the trace file.  Uses one write, so that the lines of several
 * processes do not mix. */
void
fake_trace(const struct fake *fake, const char *what, const char *text)
{
    char *line = NULL;
    int fd, n;

    if (!fake->trace)
        return;
    n = asprintf(&line, "%d %s%s%s\n", (int)getpid(), what, text ? " " : "",
                 text ? text : "");
    fd = open(fake->trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (n > 0 && fd >= 0)
        write_all(fd, line, (size_t)n, 0);
    if (fd >= 0)
        close(fd);
    free(line);
}

char *
fake_expand(const struct fake *fake, const struct fake_run *run, const char *text)
{
    char *ret = NULL;
    size_t size;
    FILE *out = open_memstream(&ret, &size);

    for (; *text; text++) {
        if (*text != '%' || !text[1]) {
            fputc(*text, out);
            continue;
        }
        switch (*++text) {
        case 'i':
            fputs(run->id ? run->id : "null", out);
            break;
        case 't':
            fputs(run->token ? run->token : "null", out);
            break;
        case 'a':
            fputs(run->args ? run->args : "{}", out);
            break;
        case 'p':
            fprintf(out, "%d", (int)getpid());
            break;
        case 'n':
            fprintf(out, "%d", run->nth);
            break;
        case 'c':
            fprintf(out, "%ld", fake->last_child);
            break;
        case 'r':
            fputs(run->reply ? run->reply : "null", out);
            break;
        default:
            fputc(*text, out);
        }
    }
    fclose(out);
    return ret;
}

/* Returns the character that a backslash and `c` mean. */
static char
plain_escape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case '0':
        return '\0';
    default:
        return c;
    }
}

char *
fake_unescape(char *text, size_t *ret_len)
{
    char *to = text, hex[3] = "";

    for (const char *from = text; *from; from++) {
        if (*from != '\\' || !from[1]) {
            *to++ = *from;
        } else if (*++from != 'x') {
            *to++ = plain_escape(*from);
        } else if (from[1] && from[2]) {
            hex[0] = *++from;
            hex[1] = *++from;
            *to++ = (char)strtol(hex, NULL, 16);
        }
    }
    *ret_len = (size_t)(to - text);
    *to = '\0';
    return text;
}

void
fake_quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

/* Sends an answer in one write, unless the script sets `chunk`.  `key` is the member
 * ("result" or "error") whose value is `body`. */
void
fake_send_answer(struct fake *fake, struct fake_run *run, const char *key,
                 const char *body)
{
    char *whole = NULL;
    int n;

    if (!run->id)
        return;
    if (run->id_last)
        n = asprintf(&whole, "{\"jsonrpc\":\"2.0\",\"%s\":%s,\"id\":%s}\n", key, body,
                     run->id);
    else
        n = asprintf(&whole, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":%s}\n", run->id, key,
                     body);
    if (n < 0)
        _exit(99);
    if (fake->front)
        fake->front->answer(fake, run, whole, (size_t)n - 1);
    else
        fake_write(fake, whole, (size_t)n);
    free(whole);
}

void
fake_send_text(struct fake *fake, struct fake_run *run, const char *text, bool is_error)
{
    char *body = NULL;
    size_t size;
    FILE *out = open_memstream(&body, &size);

    fprintf(out, "{%s\"content\":[{\"type\":\"text\",\"text\":",
            run->modern ? "\"resultType\":\"complete\"," : "");
    fake_quote(out, text);
    fprintf(out, "}]%s}", is_error ? ",\"isError\":true" : "");
    fclose(out);
    fake_send_answer(fake, run, "result", body);
    free(body);
}

static void
send_text_bytes_held(struct fake *fake, struct fake_run *run, size_t n)
{
    char *text = fake_alloc(NULL, n + 1);

    memset(text, 'x', n);
    text[n] = '\0';
    fake_send_text(fake, run, text, false);
    free(text);
}

/* Sends a result with a text of `n` bytes.  Over stdio, the function does not hold the
 * text in memory, because a test may ask for 100 million bytes. */
void
fake_send_text_bytes(struct fake *fake, struct fake_run *run, size_t n)
{
    if (!run->id)
        return;
    if (fake->front) {
        send_text_bytes_held(fake, run, n);
        return;
    }
    write_str(fake, "{\"jsonrpc\":\"2.0\"");
    if (!run->id_last) {
        write_str(fake, ",\"id\":");
        write_str(fake, run->id);
    }
    write_str(fake, ",\"result\":{");
    if (run->modern)
        write_str(fake, "\"resultType\":\"complete\",");
    write_str(fake, "\"content\":[{\"type\":\"text\",\"text\":\"");
    fake_fill(fake, 1, n, "x");
    write_str(fake, "\"}]}");
    if (run->id_last) {
        write_str(fake, ",\"id\":");
        write_str(fake, run->id);
    }
    write_str(fake, "}\n");
}

void
fake_send_error(struct fake *fake, struct fake_run *run, long code, const char *message)
{
    char *body = NULL;
    size_t size;
    FILE *out = open_memstream(&body, &size);

    fprintf(out, "{\"code\":%ld,\"message\":", code);
    fake_quote(out, message);
    fputc('}', out);
    fclose(out);
    fake_send_answer(fake, run, "error", body);
    free(body);
}

void
fake_send_method(struct fake *fake, const char *id, const char *method,
                 const char *params)
{
    char *line = NULL;
    int n = asprintf(&line, "{\"jsonrpc\":\"2.0\"%s%s,\"method\":\"%s\"%s%s}\n",
                     id ? ",\"id\":" : "", id ? id : "", method,
                     params ? ",\"params\":" : "", params ? params : "");

    if (n < 0)
        _exit(99);
    if (fake->front)
        fake->front->method(fake, fake->current, line, (size_t)n - 1);
    else
        fake_write(fake, line, (size_t)n);
    free(line);
}
