/* SPDX-License-Identifier: MIT
 *
 * fuzz_door.c - parses the head of an HTTP request to a door (lib/door).
 *
 * A door waits for the request of the browser that returns from a login.  The target
 * parses the first complete head of the input.  In an accepted head, the method, the path
 * and the query must be printable ASCII without blanks.  The host must have no control
 * characters except tabs.
 */
#include <stdlib.h>
#include <string.h>

#include "door/inner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* Checks a text of the head: a word is printable ASCII without blanks, and any other text
 * has no control characters except tabs. */
static void
check_text(const char *head, size_t len, const char *text, bool is_word)
{
    must(text >= head && text + strlen(text) < head + len);
    for (const char *p = text; *p; p++)
        must(is_word ? *p > ' ' && *p < 0x7f
                     : ((unsigned char)*p >= ' ' || *p == '\t') && *p != 0x7f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t len = mcph_door_head_end((const char *)data, size);
    struct mcph_door_head head = {0};
    char *copy;
    int status;

    must(len <= size && (len == 0 || memcmp(data + len - 4, "\r\n\r\n", 4) == 0));
    if (len == 0)
        return 0;
    copy = mcph_memdup(data, len);
    must(copy != NULL);
    status = mcph_door_head_parse(copy, len, &head);
    must(status == 0 || status == 400 || status == 505);
    if (status == 0) {
        check_text(copy, len, head.method, true);
        check_text(copy, len, head.path, true);
        if (*head.query)
            check_text(copy, len, head.query, true);
        check_text(copy, len, head.host, false);
        must(*head.method && *head.path == '/' && !strpbrk(head.path, "?#"));
        must(strlen(head.method) > 32 ||
             mcph_door_head_can_begin((const char *)data, len));
    } else {
        must(!head.method && !head.host);
    }
    free(copy);
    return 0;
}
