/* SPDX-License-Identifier: MIT
 *
 * form.c - forms (application/x-www-form-urlencoded), and the client's proof of its
 * identity in them.
 *
 * A form holds secrets, and a buffer that grows leaves a copy of its bytes behind.
 * Therefore mcph_oauth_form_fill() first reserves memory for the whole form.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"

/* The bytes that are reserved for the names of all parameters in a form and for the
 * constant parts of the client's proof. */
#define NAMES_ROOM     1024
#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '.' || c == '_' || c == '~';
}

int
mcph_oauth_form_encode(struct mcph_buf *form, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        const char escape[] = {'%', digits[c >> 4], digits[c & 15]};

        if (is_plain(*text))
            mcph_buf_addc(form, *text);
        else
            mcph_buf_add(form, escape, sizeof(escape));
    }
    return mcph_buf_ok(form);
}

int
mcph_oauth_form_add(struct mcph_buf *form, const char *name, const char *value)
{
    if (!value)
        return mcph_buf_ok(form);
    if (form->len > 0)
        mcph_buf_addc(form, '&');
    mcph_buf_adds(form, name);
    mcph_buf_addc(form, '=');
    return mcph_oauth_form_encode(form, value);
}

/* ---- decoding ---------------------------------------------------------------------- */

static int
digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int
mcph_oauth_form_decode(char *text, size_t len, bool plus, size_t *ret_len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c == '%') {
            int high = i + 2 < len ? digit_of(text[i + 1]) : -1;
            int low = i + 2 < len ? digit_of(text[i + 2]) : -1;

            if (high < 0 || low < 0)
                return MCPHOST_E_INVALID;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if ((unsigned char)c < ' ' || c == 0x7f)
            return MCPHOST_E_INVALID;
        text[n++] = c;
    }
    if (!mcph_utf8_valid(text, n, NULL))
        return MCPHOST_E_INVALID;
    text[n] = '\0';
    *ret_len = n;
    return 0;
}

/* ---- the client's proof ------------------------------------------------------------ */

/* Appends "Basic " and the base64 of the encoded id, ":" and the encoded secret (RFC
 * 6749, section 2.3.1). */
static int
add_basic(const struct mcph_oauth_proof *proof, struct mcph_buf *header)
{
    size_t room = 3 * (strlen(proof->client_id) + strlen(proof->secret)) + 1;
    struct mcph_buf pair;
    int r;

    mcph_buf_init_sized(&pair, room, room);
    mcph_oauth_form_encode(&pair, proof->client_id);
    mcph_buf_addc(&pair, ':');
    mcph_oauth_form_encode(&pair, proof->secret);
    r = mcph_buf_ok(&pair);
    if (r == 0)
        r = mcph_buf_reserve(header, 8 + pair.len / 3 * 4 + 4);
    if (r == 0) {
        mcph_buf_adds(header, "Basic ");
        r = mcph_base64_add(header, pair.data, pair.len);
    }
    mcph_buf_wipe(&pair);
    return r;
}

/* Appends the client's id and its proof to the form or, with MCPH_OAUTH_METHOD_BASIC, to
 * `header`. */
static int
add_proof(const struct mcph_oauth_proof *proof, struct mcph_buf *body,
          struct mcph_buf *header, mcphost_error **reterr)
{
    bool needs_secret =
        proof->method & (MCPH_OAUTH_METHOD_BASIC | MCPH_OAUTH_METHOD_POST);
    bool needs_assertion = proof->method == MCPH_OAUTH_METHOD_KEY;

    if (!proof->client_id || (needs_secret && !proof->secret) ||
        (needs_assertion && !proof->assertion))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the client's id, its secret or its assertion is missing");
    if (proof->method == MCPH_OAUTH_METHOD_BASIC) {
        int r = add_basic(proof, header);

        return r < 0 ? mcph_err(reterr, r, "the client's secret is too long") : 0;
    }
    mcph_oauth_form_add(body, "client_id", proof->client_id);
    if (needs_secret)
        mcph_oauth_form_add(body, "client_secret", proof->secret);
    if (needs_assertion) {
        mcph_oauth_form_add(body, "client_assertion_type", ASSERTION_TYPE);
        mcph_oauth_form_add(body, "client_assertion", proof->assertion);
    }
    return 0;
}

/* ---- whole forms ------------------------------------------------------------------- */

static size_t
room_of(const char *value)
{
    return value ? 3 * strlen(value) : 0;
}

/* Wipes and removes the bytes behind `len`. */
static void
take_back(struct mcph_buf *buf, size_t len)
{
    if (buf->len > len)
        explicit_bzero(buf->data + len, buf->len - len);
    buf->len = len;
    buf->err = 0;
}

int
mcph_oauth_form_fill(const struct mcph_oauth_pair *pairs, size_t n,
                     const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                     struct mcph_buf *header, mcphost_error **reterr)
{
    size_t room = NAMES_ROOM + room_of(proof->client_id) + room_of(proof->secret) +
                  room_of(proof->assertion);
    size_t body_len = body->len, header_len = header->len;
    int r;

    for (size_t i = 0; i < n; i++) {
        if (pairs[i].is_needed && !pairs[i].value)
            return mcph_err(reterr, MCPHOST_E_INVALID, "the request needs \"%s\"",
                            pairs[i].name);
        room += room_of(pairs[i].value);
    }
    r = mcph_buf_reserve(body, room);
    for (size_t i = 0; i < n && r == 0; i++)
        r = mcph_oauth_form_add(body, pairs[i].name, pairs[i].value);
    if (r == 0)
        r = add_proof(proof, body, header, reterr);
    else
        mcph_err(reterr, r, "the request is too long");
    if (r < 0) {
        take_back(body, body_len);
        take_back(header, header_len);
    }
    return r;
}
