/* SPDX-License-Identifier: MIT
 *
 * hash.c - the two hashes of a spec (architecture.md section 6.6, R99).
 *
 * Each is SHA-256 over a canonical form: a sequence of fields, each a tag, a
 * length and bytes, so that no two specs can run into the same text.  Maps go
 * in sorted by name, lists in their order; a reference to a variable goes in
 * by its name, never by its value.  The digests cover literal values and stay
 * inside the process; what leaves it is their HMAC under the caller's key.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

/* Above every spec that a file of MCPH_YAML_SIZE_MAX can describe. */
#define CANONICAL_MAX ((size_t)64 * 1024 * 1024)

#define HMAC_BLOCK 64

static void
add_bytes(struct mcph_buf *buf, char tag, const char *data, size_t len)
{
    mcph_buf_addc(buf, tag);
    mcph_buf_addi(buf, (int64_t)len);
    mcph_buf_addc(buf, ':');
    mcph_buf_add(buf, data, len);
}

/* An absent text differs from an empty one. */
static void
add_text(struct mcph_buf *buf, char tag, const char *text)
{
    if (text)
        add_bytes(buf, tag, text, strlen(text));
    else
        mcph_buf_addf(buf, "%c-", tag);
}

static void
add_number(struct mcph_buf *buf, char tag, int64_t n)
{
    mcph_buf_addc(buf, tag);
    mcph_buf_addi(buf, n);
    mcph_buf_addc(buf, ';');
}

static int
by_name(const void *a, const void *b)
{
    const struct mcph_value *const *va = a, *const *vb = b;

    return strcmp((*va)->name, (*vb)->name);
}

static int
add_values(struct mcph_buf *buf, char tag, const struct mcph_values *values)
{
    const struct mcph_value **sorted;

    add_number(buf, tag, (int64_t)values->n);
    if (values->n == 0)
        return 0;
    sorted = mcph_reallocarray(NULL, values->n, sizeof(const struct mcph_value *));
    if (!sorted)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < values->n; i++)
        sorted[i] = &values->items[i];
    qsort(sorted, values->n, sizeof(const struct mcph_value *), by_name);
    for (size_t i = 0; i < values->n; i++) {
        add_text(buf, 'n', sorted[i]->name);
        add_text(buf, 't', sorted[i]->text);
        add_text(buf, 'e', sorted[i]->env);
    }
    free(sorted);
    return 0;
}

/* How the server at a URL is reached. */
static int
way_form(const struct mcph_spec *spec, struct mcph_buf *buf)
{
    int r = add_values(buf, 'P', &spec->proxy);

    if (r == 0)
        r = add_values(buf, 'W', &spec->key_password);
    if (r < 0)
        return r;
    add_text(buf, 'f', spec->ca_file);
    add_text(buf, 'd', spec->ca_dir);
    add_text(buf, 'c', spec->client_cert);
    add_text(buf, 'k', spec->client_key);
    add_number(buf, 'p', spec->public_only);
    add_number(buf, 'o', spec->connect_timeout_ms);
    add_number(buf, 'i', spec->idle_timeout_ms);
    return mcph_buf_ok(buf);
}

static int
launch_form(const struct mcph_spec *spec, struct mcph_buf *buf)
{
    int r;

    mcph_buf_adds(buf, "launch 1\n");
    add_number(buf, 'T', spec->transport);
    add_text(buf, 'C', spec->command);
    add_number(buf, 'A', (int64_t)spec->n_args);
    for (size_t i = 0; i < spec->n_args; i++)
        add_text(buf, 'a', spec->args[i]);
    r = add_values(buf, 'E', &spec->env);
    if (r < 0)
        return r;
    add_text(buf, 'D', spec->cwd);
    add_number(buf, 'N', spec->containment);
    add_text(buf, 'U', spec->url);
    r = add_values(buf, 'H', &spec->headers);
    if (r < 0)
        return r;
    add_text(buf, 'S', spec->session_id);
    add_number(buf, 'R', spec->era);
    return way_form(spec, buf);
}

static int
view_form(const struct mcph_spec *spec, struct mcph_buf *buf)
{
    mcph_buf_adds(buf, "view 1\n");
    for (size_t l = 0; l < MCPH_ARRAY_SIZE(spec->filter->lists); l++) {
        const struct mcph_patterns *list = &spec->filter->lists[l];

        add_number(buf, 'F', (int64_t)list->n);
        for (size_t i = 0; i < list->n; i++)
            add_bytes(buf, 'p', list->items[i].text, list->items[i].len);
    }
    add_number(buf, 'X', (int64_t)spec->transform->n);
    for (size_t i = 0; i < spec->transform->n; i++) {
        const struct mcph_transform_step *step = &spec->transform->steps[i];

        add_number(buf, 'k', step->kind);
        add_bytes(buf, 'r', step->remove, step->remove_len);
        add_bytes(buf, 'a', step->add, step->add_len);
    }
    add_number(buf, 'S', spec->stateless);
    add_number(buf, 's', spec->start_timeout_ms);
    add_number(buf, 'l', spec->list_timeout_ms);
    add_number(buf, 'c', spec->call_timeout_ms);
    add_number(buf, 'v', spec->arguments);
    add_number(buf, 'o', spec->results);
    add_number(buf, 'f', (int64_t)spec->calls_in_flight);
    add_text(buf, 'm', spec->manual);
    return mcph_buf_ok(buf);
}

static int
digest(const struct mcph_spec *spec,
       int (*form)(const struct mcph_spec *spec, struct mcph_buf *buf),
       unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, CANONICAL_MAX);
    r = form(spec, &buf);
    if (r == 0)
        r = mcph_sha256(buf.data, buf.len, ret_digest);
    if (buf.data)
        explicit_bzero(buf.data, buf.cap);
    mcph_buf_done(&buf);
    return r;
}

int
mcph_spec_seal(struct mcph_spec *spec)
{
    int r;

    if (!spec->filter)
        spec->filter = mcph_filter_new();
    if (!spec->transform)
        spec->transform = mcph_transform_new();
    if (!spec->filter || !spec->transform)
        return MCPHOST_E_NOMEM;
    mcph_filter_freeze(spec->filter);
    mcph_transform_freeze(spec->transform);
    r = digest(spec, launch_form, spec->launch_hash);
    if (r == 0)
        r = digest(spec, view_form, spec->view_hash);
    return r;
}

/* HMAC-SHA-256 (RFC 2104) of a message of one digest's length. */
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
