/* SPDX-License-Identifier: MIT
 *
 * challenge.c - parse WWW-Authenticate tolerantly.
 *
 *   header    = challenge *( "," challenge )
 *   challenge = scheme [ 1*SP ( token68 / #( name "=" ( token / quoted ) ) ) ]
 *
 * A name begins the next challenge if no single "=" follows the name, with or without
 * blanks between them.  If a part cannot be parsed, the parser ignores the part up to the
 * next comma, or the rest of the line if the part does not begin with a token.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"

#define VALUE_MAX 2048

struct reader {
    const char *p, *end;
};

static bool
is_token(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static void
skip_chars(struct reader *in, const char *what)
{
    while (in->p < in->end && *in->p && strchr(what, *in->p))
        in->p++;
}

static struct mcph_span
read_token(struct reader *in)
{
    const char *from = in->p;

    while (in->p < in->end && is_token(*in->p))
        in->p++;
    return mcph_span(from, (size_t)(in->p - from));
}

static bool
is_named(struct mcph_span name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.p, wanted, name.len) == 0;
}

/* Reads a token or a quoted string.  Replaces control characters and invalid bytes, so
 * that the value can be shown.  Sets *ret to NULL if the value has more than `max` bytes,
 * because a cut URL or scope would have another meaning. */
static int
read_value(struct reader *in, size_t max, char **ret)
{
    struct mcph_buf raw, clean;
    struct mcph_span plain;
    char *made = NULL;
    int r;

    mcph_buf_init(&raw, max);
    mcph_buf_init(&clean, 4 * max);
    if (in->p < in->end && *in->p == '"') {
        for (in->p++; in->p < in->end && *in->p != '"'; in->p++) {
            if (*in->p == '\\' && in->p + 1 < in->end)
                in->p++;
            mcph_buf_addc(&raw, *in->p);
        }
        if (in->p < in->end)
            in->p++;
    } else {
        plain = read_token(in);
        mcph_buf_add(&raw, plain.p, plain.len);
    }
    r = mcph_buf_ok(&raw);
    if (r == 0) {
        mcph_utf8_add_clean(&clean, raw.data ? raw.data : "", raw.len, true);
        mcph_buf_addc(&clean, '\0');
        made = mcph_buf_ok(&clean) == 0 ? mcph_strdup(clean.data) : NULL;
    }
    mcph_buf_done(&raw);
    mcph_buf_done(&clean);
    *ret = made;
    return made || r == MCPHOST_E_LIMIT ? 0 : MCPHOST_E_NOMEM;
}

static int
store_parameter(struct mcph_challenge *to, struct mcph_span name, struct reader *in)
{
    char **field = NULL, *text = NULL;
    int r;

    if (is_named(name, "realm"))
        field = &to->realm;
    else if (is_named(name, "scope"))
        field = &to->scope;
    else if (is_named(name, "error"))
        field = &to->error;
    else if (is_named(name, "error_description"))
        field = &to->description;
    else if (is_named(name, "resource_metadata"))
        field = &to->metadata;
    r = read_value(in, field == &to->scope ? MCPH_SCOPES_MAX : VALUE_MAX, &text);
    if (r < 0)
        return r;
    if (!field || *field) {
        free(text);
        return 0;
    }
    *field = text;
    return 0;
}

/* Reads the parameters after a scheme, up to the next scheme. */
static int
read_parameters(struct reader *in, struct mcph_challenge *to)
{
    int r;

    for (;;) {
        const char *from;
        struct mcph_span name;

        skip_chars(in, " \t,");
        from = in->p;
        name = read_token(in);
        if (name.len == 0)
            return 0;
        skip_chars(in, " \t");
        if (in->p == in->end || *in->p != '=' ||
            (in->p + 1 < in->end && in->p[1] == '=')) {
            in->p = from; /* go back to the start of the next scheme or token68 */
            return 0;
        }
        in->p++;
        skip_chars(in, " \t");
        r = store_parameter(to, name, in);
        if (r < 0)
            return r;
    }
}

static int
read_challenge(struct reader *in, struct mcph_challenge *ret)
{
    struct mcph_span scheme;

    skip_chars(in, " \t,");
    scheme = read_token(in);
    if (scheme.len == 0)
        return MCPHOST_E_NOTFOUND;
    ret->scheme = mcph_strndup(scheme.p, scheme.len < 64 ? scheme.len : 64);
    if (!ret->scheme)
        return MCPHOST_E_NOMEM;
    if (in->p < in->end && *in->p != ' ' && *in->p != ',')
        while (in->p < in->end && *in->p != ',')
            in->p++; /* a token68 or an invalid character: skip to the next part */
    return read_parameters(in, ret);
}

/* Returns how useful a challenge is for a login. */
static int
get_rank(const struct mcph_challenge *challenge)
{
    if (strcasecmp(challenge->scheme, "Bearer") != 0 &&
        strcasecmp(challenge->scheme, "DPoP") != 0)
        return 0;
    return challenge->metadata ? 2 : 1;
}

static int
read_line(struct mcph_span line, struct mcph_challenge *ret)
{
    struct reader in = {line.p, line.p + line.len};

    for (;;) {
        struct mcph_challenge next = {0};
        int r = read_challenge(&in, &next);

        if (r < 0) {
            mcph_challenge_done(&next);
            return r == MCPHOST_E_NOTFOUND ? 0 : r;
        }
        if (!ret->scheme || get_rank(&next) > get_rank(ret)) {
            mcph_challenge_done(ret);
            *ret = next;
        } else {
            mcph_challenge_done(&next);
        }
    }
}

int
mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                     struct mcph_challenge *ret)
{
    int r = 0;

    *ret = (struct mcph_challenge){0};
    for (size_t i = 0; i < n_lines && r == 0; i++)
        r = read_line(lines[i], ret);
    if (r < 0)
        return r;
    return ret->scheme ? 0 : MCPHOST_E_NOTFOUND;
}

void
mcph_challenge_done(struct mcph_challenge *challenge)
{
    free(challenge->scheme);
    free(challenge->realm);
    free(challenge->scope);
    free(challenge->error);
    free(challenge->description);
    free(challenge->metadata);
    *challenge = (struct mcph_challenge){0};
}

/* Appends the URL of the metadata, without its query. */
static void
add_metadata(const struct mcph_challenge *challenge, struct mcph_buf *buf)
{
    char *shown;

    if (!challenge->metadata)
        return;
    shown = mcph_net_url_shown(challenge->metadata);
    if (shown)
        mcph_buf_addf(buf, ", described at %s", shown);
    else
        buf->err = MCPHOST_E_NOMEM;
    free(shown);
}

int
mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf)
{
    mcph_buf_addf(buf, "asks for %s", challenge->scheme);
    if (challenge->scope)
        mcph_buf_addf(buf, " with scope \"%s\"", challenge->scope);
    if (challenge->realm)
        mcph_buf_addf(buf, " in realm \"%s\"", challenge->realm);
    add_metadata(challenge, buf);
    if (challenge->error)
        mcph_buf_addf(buf, ", because of %s", challenge->error);
    if (challenge->description)
        mcph_buf_addf(buf, ": %s", challenge->description);
    return mcph_buf_ok(buf);
}
