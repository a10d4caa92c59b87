/* SPDX-License-Identifier: MIT
 *
 * mask_header.c - find the secrets in the value of a header, and the names of secrets.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

/* Adds the user's name and password of basic authentication, and the password alone.
 * `text` is base64 of a name, a colon and a password (RFC 7617). */
static int
add_basic(struct mcph_mask *mask, const char *text, size_t len)
{
    struct mcph_base64 b64;
    unsigned char *out = malloc(MCPH_BASE64_ROOM(len));
    const unsigned char *colon;
    size_t n = 0, more = 0;
    int r = 0;

    if (!out)
        return MCPHOST_E_NOMEM;
    mcph_base64_init(&b64);
    if (mcph_base64_feed(&b64, text, len, out, &n) == 0 &&
        mcph_base64_end(&b64, out + n, &more) == 0) {
        n += more;
        colon = memchr(out, ':', n);
        r = mcph_mask_add(mask, (const char *)out, n);
        if (r == 0 && colon)
            r = mcph_mask_add(mask, (const char *)colon + 1,
                              n - (size_t)(colon + 1 - out));
    }
    explicit_bzero(out, MCPH_BASE64_ROOM(len));
    free(out);
    return r;
}

int
mcph_mask_add_header(struct mcph_mask *mask, const char *value, size_t len)
{
    const char *blank = memchr(value, ' ', len), *rest;
    size_t n;
    int r = mcph_mask_add(mask, value, len);

    if (r < 0 || !blank)
        return r;
    rest = blank + 1;
    n = len - (size_t)(rest - value);
    r = mcph_mask_add(mask, rest, n);
    if (r == 0 && blank - value == 5 && strncasecmp(value, "Basic", 5) == 0)
        r = add_basic(mask, rest, n);
    return r;
}

bool
mcph_mask_is_secret_name(const char *name)
{
    static const char *const parts[] = {"TOKEN", "SECRET", "KEY", "PASS", "AUTH"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(parts); i++) {
        if (strcasestr(name, parts[i]))
            return true;
    }
    return false;
}
