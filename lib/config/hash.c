/* SPDX-License-Identifier: MIT
 *
 * hash.c - compute the two hashes of a spec (R99).
 *
 * Each hash is SHA-256 over a canonical form of the keys that are set.  The form has
 * the name of each key, and the length in front of each text, so that two different
 * specs never have the same form.  Maps are sorted by name.  Lists keep their order.
 * If a value is a reference to a variable, the form has the name of the variable and
 * not its value.  The digests stay inside the process, because they depend on literal
 * values, which may be secrets.  Only their HMAC under the caller's key leaves the
 * process.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

/* The limit of a canonical form in bytes.  The form of any spec that a file of
 * MCPH_YAML_SIZE_MAX can describe is shorter. */
#define CANONICAL_MAX ((size_t)64 * 1024 * 1024)

#define HMAC_BLOCK 64

/* Appends the keys that are set and belong to one hash, in the order of the table.
 * Appends nothing for an unset key, so that a new key does not change the hash of a
 * server that lacks the key.  For the launch hash, also appends spec->variables, because
 * the meaning of "${NAME}" depends on this member. */
static int
add_form(const struct mcph_spec *spec, unsigned which, struct mcph_buf *buf)
{
    const struct mcph_key *key;
    int r = 0;

    if (spec->variables != MCPH_VARIABLES_NONE && which == MCPH_KEY_LAUNCH)
        mcph_buf_addf(buf, "variables=%d\n", spec->variables);
    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++) {
        if (!(key->flags & which) || !mcph_key_is_set(key, spec))
            continue;
        mcph_buf_adds(buf, key->name);
        mcph_buf_addc(buf, '=');
        r = mcph_key_put(key, spec, buf);
        mcph_buf_addc(buf, '\n');
    }
    return r < 0 ? r : mcph_buf_ok(buf);
}

static int
digest(const struct mcph_spec *spec, unsigned which,
       unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, CANONICAL_MAX);
    r = add_form(spec, which, &buf);
    if (r == 0)
        r = mcph_sha256(buf.data ? buf.data : "", buf.len, ret_digest);
    mcph_buf_wipe(&buf);
    return r;
}

static int
seal_filter(mcphost_filter **filter)
{
    if (!*filter)
        *filter = mcph_filter_new();
    if (!*filter)
        return MCPHOST_E_NOMEM;
    mcph_filter_freeze(*filter);
    return 0;
}

static int
seal_transform(mcphost_transform **transform, bool needed)
{
    if (!*transform && needed)
        *transform = mcph_transform_new();
    if (!*transform)
        return needed ? MCPHOST_E_NOMEM : 0;
    mcph_transform_freeze(*transform);
    return 0;
}

int
mcph_spec_seal(struct mcph_spec *spec)
{
    const struct mcph_key *key;
    int r = 0;

    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++) {
        if (key->kind == MCPH_KEY_PATTERNS)
            r = seal_filter(mcph_key_field(key, spec));
        else if (key->kind == MCPH_KEY_STEPS)
            r = seal_transform(mcph_key_field(key, spec), !key->replaces);
    }
    if (r == 0)
        r = digest(spec, MCPH_KEY_LAUNCH, spec->launch_hash);
    if (r == 0)
        r = digest(spec, MCPH_KEY_VIEW, spec->view_hash);
    return r;
}

/* Computes HMAC-SHA-256 (RFC 2104) of a message that is as long as a digest. */
static int
hmac(const void *key, size_t key_len, const unsigned char msg[MCPH_DIGEST_LEN],
     unsigned char ret_mac[MCPH_DIGEST_LEN])
{
    unsigned char block[HMAC_BLOCK] = {0}, pad[HMAC_BLOCK + MCPH_DIGEST_LEN];
    unsigned char inner[MCPH_DIGEST_LEN];
    int r = 0;

    if (key_len > HMAC_BLOCK)
        r = mcph_sha256(key, key_len, block);
    else
        memcpy(block, key, key_len);
    if (r < 0)
        goto out;

    for (size_t i = 0; i < HMAC_BLOCK; i++)
        pad[i] = block[i] ^ 0x36;
    memcpy(pad + HMAC_BLOCK, msg, MCPH_DIGEST_LEN);
    r = mcph_sha256(pad, sizeof(pad), inner);
    if (r < 0)
        goto out;

    for (size_t i = 0; i < HMAC_BLOCK; i++)
        pad[i] = block[i] ^ 0x5c;
    memcpy(pad + HMAC_BLOCK, inner, MCPH_DIGEST_LEN);
    r = mcph_sha256(pad, sizeof(pad), ret_mac);
out:
    explicit_bzero(block, sizeof(block));
    explicit_bzero(pad, sizeof(pad));
    return r;
}

int
mcph_spec_hash_hex(const struct mcph_spec *spec, int which, const void *key,
                   size_t key_len, char ret_hex[MCPH_DIGEST_HEX])
{
    unsigned char mac[MCPH_DIGEST_LEN];
    int r;

    r = hmac(key, key_len,
             which == MCPHOST_CONFIG_HASH_VIEW ? spec->view_hash : spec->launch_hash,
             mac);
    if (r == 0)
        mcph_hex(mac, sizeof(mac), ret_hex);
    return r;
}
