/* SPDX-License-Identifier: MIT
 *
 * head.c - parse the head of an HTTP/1 request (RFC 9112).
 *
 * The parser is strict.  Only browsers have a reason to send a redirect, and browsers
 * send heads of one form: lines end with CR and LF, no line is folded, and the target is
 * a path with a query.
 */
#include <string.h>

#include "door/inner.h"

#define METHOD_MAX 32 /* no registered method is that long */

static bool
is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

bool
mcph_door_head_can_begin(const char *data, size_t len)
{
    size_t n = 0;

    while (n < len && is_token(data[n]))
        n++;
    return n <= METHOD_MAX && (n == len || (n > 0 && data[n] == ' '));
}

size_t
mcph_door_head_end(const char *data, size_t len)
{
    const char *end = memmem(data, len, "\r\n\r\n", 4);

    return end ? (size_t)(end - data) + 4 : 0;
}

/* Takes the next line off the head and ends the line with a NUL.  Returns NULL if the
 * line does not end with CR and LF, or has a control character other than a tab. */
static char *
take_line(char **at)
{
    char *line = *at, *p = line;

    while ((unsigned char)*p >= ' ' || *p == '\t')
        p++;
    if (p[0] != '\r' || p[1] != '\n')
        return NULL;
    *p = '\0';
    *at = p + 2;
    return strchr(line, 0x7f) ? NULL : line;
}

/* Takes a word and the blank behind it off the request line.  Returns NULL if there is no
 * word, or no blank. */
static char *
take_word(char **at)
{
    char *word = *at, *p = word;

    while (*p > ' ' && *p <= '~')
        p++;
    if (p == word || *p != ' ')
        return NULL;
    *p = '\0';
    *at = p + 1;
    return word;
}

static int
parse_request_line(char *line, struct mcph_door_head *head)
{
    char *method = take_word(&line), *target = method ? take_word(&line) : NULL;
    const char *version = line; /* the rest of the line */
    char *query;

    if (!target || strncmp(version, "HTTP/", 5) != 0 || *target != '/' ||
        strchr(target, '#'))
        return 400;
    for (const char *p = method; *p; p++) {
        if (!is_token(*p))
            return 400;
    }
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return 505;
    query = strchr(target, '?');
    if (query)
        *query++ = '\0';
    head->method = method;
    head->path = target;
    head->query = query ? query : "";
    return 0;
}

static void
trim(char **value)
{
    char *end = *value + strlen(*value);

    while (**value == ' ' || **value == '\t')
        ++*value;
    while (end > *value && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
}

static int
parse_field(char *line, struct mcph_door_head *head)
{
    char *value = line;

    while (is_token(*value))
        value++;
    if (value == line || *value != ':')
        return 400;
    *value++ = '\0';
    trim(&value);
    if (strcasecmp(line, "Host") == 0) {
        if (head->host)
            return 400;
        head->host = value;
    } else if (strcasecmp(line, "Origin") == 0) {
        /* Treat a request with any Origin as foreign, because a navigation by GET sends
         * no Origin.  Even the origin "null" is foreign: hidden frames send it. */
        head->foreign = true;
    } else if (strcasecmp(line, "Sec-Fetch-Mode") == 0) {
        head->foreign |= strcmp(value, "navigate") != 0;
    } else if (strcasecmp(line, "Sec-Fetch-Dest") == 0) {
        /* Accept only "document", a whole window.  A frame in a page navigates, too,
         * but has another destination. */
        head->foreign |= strcmp(value, "document") != 0;
    }
    return 0;
}

int
mcph_door_head_parse(char *head, size_t len, struct mcph_door_head *ret)
{
    struct mcph_door_head made = {0};
    char *at = head, *line;
    int status;

    if (len < 4 || memchr(head, '\0', len))
        return 400;
    line = take_line(&at);
    status = line ? parse_request_line(line, &made) : 400;
    while (status == 0) {
        line = take_line(&at);
        if (line && !*line)
            break;
        status = line ? parse_field(line, &made) : 400;
    }
    if (status == 0 && !made.host)
        status = 400;
    if (status == 0)
        *ret = made;
    return status;
}
