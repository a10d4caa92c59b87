/* SPDX-License-Identifier: MIT
 *
 * scope.c - sets of scopes, as text (RFC 6749, section 3.3).
 *
 * No scope contains another scope: `files` does not include `files:read`.
 */
#include <string.h>

#include "auth/auth.h"

/* Moves the next scope from *rest to *ret.  Returns false if no scope is left. */
static bool
next_scope(struct mcph_span *rest, struct mcph_span *ret)
{
    size_t n = 0;

    while (rest->len > 0 && rest->p[0] == ' ') {
        rest->p++;
        rest->len--;
    }
    while (n < rest->len && rest->p[n] != ' ')
        n++;
    if (n == 0)
        return false;
    *ret = mcph_span(rest->p, n);
    rest->p += n;
    rest->len -= n;
    return true;
}

static bool
has_scope(const struct mcph_buf *scopes, struct mcph_span wanted)
{
    struct mcph_span rest = mcph_span(scopes->data, scopes->len), word;

    while (next_scope(&rest, &word)) {
        if (mcph_span_eq(word, wanted))
            return true;
    }
    return false;
}

int
mcph_scopes_add(struct mcph_buf *scopes, const char *more, size_t len)
{
    struct mcph_span rest = mcph_span(more, len), word;
    size_t before = scopes->len;
    int r;

    while (next_scope(&rest, &word)) {
        if (has_scope(scopes, word))
            continue;
        if (scopes->len > 0)
            mcph_buf_addc(scopes, ' ');
        if (mcph_buf_add(scopes, word.p, word.len) < 0)
            break;
    }
    r = mcph_buf_ok(scopes);
    if (r < 0) {
        scopes->len = before;
        scopes->err = 0;
    }
    return r;
}

bool
mcph_scopes_have(const struct mcph_buf *scopes, const char *others, size_t len)
{
    struct mcph_span rest = mcph_span(others, len), word;

    while (next_scope(&rest, &word)) {
        if (!has_scope(scopes, word))
            return false;
    }
    return true;
}
