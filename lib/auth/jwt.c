/* SPDX-License-Identifier: MIT
 *
 * jwt.c - JSON Web Tokens: sign the tokens of this client, and read the claims of foreign
 * tokens (RFC 7515, 7519).
 */
#include "auth/key.h"

/* ---- signing --------------------------------------------------------------------- */

static int
add_header(struct mcph_buf *jwt, const struct mcph_keypair *key, struct mcph_span header)
{
    struct mcph_buf json;
    int r;

    mcph_buf_init(&json, MCPH_JWT_MAX);
    mcph_buf_addc(&json, '{');
    mcph_json_add_member(&json, "alg", mcph_keypair_algorithm(key));
    if (header.len)
        mcph_json_add_comma(&json);
    mcph_buf_add(&json, header.p, header.len);
    r = mcph_buf_addc(&json, '}');
    if (r == 0)
        r = mcph_base64url_add(jwt, json.data, json.len);
    mcph_buf_done(&json);
    return r;
}

int
mcph_jwt_sign(const struct mcph_keypair *key, struct mcph_span header,
              struct mcph_span claims, struct mcph_buf *jwt, mcphost_error **reterr)
{
    unsigned char signature[MCPH_SIGNATURE_MAX];
    size_t begin = jwt->len, n = 0;
    int r;

    /* Reserve the memory first.  A growing buffer would leave a copy of its bytes in
     * freed memory, and no function would wipe this copy. */
    r = mcph_buf_reserve(jwt, (header.len + claims.len + sizeof(signature) + 64) / 3 * 4);
    if (r == 0)
        r = add_header(jwt, key, header);
    if (r == 0) {
        mcph_buf_addc(jwt, '.');
        r = mcph_base64url_add(jwt, claims.p, claims.len);
    }
    if (r == 0) {
        r = mcph_keypair_sign(key, jwt->data + begin, jwt->len - begin, signature, &n,
                              reterr);
        if (r < 0) {
            jwt->len = begin;
            return r;
        }
        mcph_buf_addc(jwt, '.');
        r = mcph_base64url_add(jwt, signature, n);
    }
    if (r < 0) {
        jwt->len = begin;
        return mcph_err(reterr, r, "cannot sign a JWT: it is too long");
    }
    return 0;
}

/* ---- reading --------------------------------------------------------------------- */

/* Takes the text up to the next dot.  Returns false if there is no dot. */
static bool
take_part(struct mcph_span *rest, struct mcph_span *ret_part)
{
    const char *dot = memchr(rest->p, '.', rest->len);

    if (!dot)
        return false;
    *ret_part = mcph_span(rest->p, (size_t)(dot - rest->p));
    *rest = mcph_span(dot + 1, rest->len - ret_part->len - 1);
    return true;
}

/* Returns true if the text is not empty and has only digits of base64url.  This check
 * is necessary, because the decoder of lib/base accepts other characters, too. */
static bool
is_base64url(struct mcph_span text)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    for (size_t i = 0; i < text.len; i++)
        if (!memchr(digits, text.p[i], sizeof(digits) - 1))
            return false;
    return text.len > 0;
}

static int
decode(struct mcph_span part, struct mcph_buf *bytes)
{
    struct mcph_base64 b64;
    unsigned char *room;
    size_t n, more;
    int r;

    if (!is_base64url(part))
        return MCPHOST_E_INVALID;
    r = mcph_buf_reserve(bytes, MCPH_BASE64_ROOM(part.len));
    if (r < 0)
        return r;
    room = (unsigned char *)bytes->data + bytes->len;
    mcph_base64_init(&b64);
    r = mcph_base64_feed(&b64, part.p, part.len, room, &n);
    if (r == 0)
        r = mcph_base64_end(&b64, room + n, &more);
    if (r == 0)
        bytes->len += n + more;
    return r;
}

/* Decodes a part that must be a JSON object. */
static int
read_object(struct mcph_span part, const char *what, struct mcph_buf *text,
            mcphost_error **reterr)
{
    int r = decode(part, text);

    if (r < 0)
        return mcph_err(reterr, r, "%s: a part of the JWT is not base64url", what);
    return mcph_json_check_input(mcph_span(text->data, text->len), MCPH_JWT_DEPTH,
                                 MCPH_JSON_OBJECT, what, NULL, reterr);
}

static int
pick_claims(struct mcph_jwt *jwt, const char *what, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("iss"), MCPH_JSON_WANT("aud"),
                                    MCPH_JSON_WANT("exp")};
    struct mcph_span claims = MCPH_SPAN_NONE;
    int r = mcph_json_scan(mcph_span(jwt->text.data, jwt->text.len), MCPH_JWT_DEPTH, want,
                           MCPH_ARRAY_SIZE(want), &claims, NULL);

    if (r < 0)
        return mcph_err(reterr, r, "%s: a claim of the JWT occurs twice", what);
    jwt->issuer = want[0].value;
    jwt->audience = want[1].value;
    jwt->expires = want[2].value;
    return 0;
}

int
mcph_jwt_read(struct mcph_span token, const char *what, struct mcph_jwt *ret,
              mcphost_error **reterr)
{
    struct mcph_span rest = token, header, claims;
    struct mcph_buf text;
    int r;

    *ret = (struct mcph_jwt){.issuer = MCPH_SPAN_NONE};
    mcph_buf_init(&ret->text, MCPH_JWT_MAX);
    if (token.len > MCPH_JWT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "%s: more than %zu bytes", what,
                        MCPH_JWT_MAX);
    if (!take_part(&rest, &header) || !take_part(&rest, &claims) ||
        memchr(rest.p, '.', rest.len))
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s: a JWT has three parts", what);
    if (!is_base64url(rest))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "%s: the JWT has no signature in base64url", what);
    mcph_buf_init(&text, MCPH_JWT_MAX);
    r = read_object(header, what, &text, reterr);
    mcph_buf_done(&text);
    if (r == 0)
        r = read_object(claims, what, &ret->text, reterr);
    return r < 0 ? r : pick_claims(ret, what, reterr);
}

void
mcph_jwt_done(struct mcph_jwt *jwt)
{
    mcph_buf_wipe(&jwt->text);
    *jwt = (struct mcph_jwt){.issuer = MCPH_SPAN_NONE};
}

bool
mcph_jwt_has_audience(const struct mcph_jwt *jwt, const char *audience)
{
    size_t len = strlen(audience);
    struct mcph_json_iter it;
    struct mcph_span item;

    if (mcph_json_type(jwt->audience) == MCPH_JSON_STRING)
        return mcph_json_string_is(jwt->audience, audience, len);
    if (mcph_json_type(jwt->audience) != MCPH_JSON_ARRAY)
        return false;
    mcph_json_iter_init(&it, jwt->audience);
    while (mcph_json_iter_next(&it, NULL, &item))
        if (mcph_json_string_is(item, audience, len))
            return true;
    return false;
}
