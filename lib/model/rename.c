/* SPDX-License-Identifier: MIT
 *
 * rename.c - rename parameters whose names a provider does not accept, and map them back.
 *
 * In the new name, '_' replaces each character that is not a letter or a digit.  The new
 * name gets a suffix with the old name's digest if the name was cut, or if another key of
 * the schema would get the same name.  The new name depends only on the old name and the
 * set of keys in the whole schema, not on the parameter's place.  Therefore no table is
 * needed to map the name back.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

#define NAME_MAX_ALL 64
#define SUFFIX       11 /* length of "_" and 10 digits */
#define ROOM         (NAME_MAX_ALL + 2)

struct mcph_rename_key {
    uint64_t plain, own;
};

/* Computes the FNV-1a hash of a name.  The hash need not resist attacks, because a server
 * that constructs two names with one hash breaks only its own tool. */
static uint64_t
digest(const char *p, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static bool
is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Writes the name with '_' for characters that some provider does not accept.  Puts '_'
 * before a name that is empty, begins with a digit or is reserved.  Returns the length.
 * Sets *ret_cut if the name is longer than NAME_MAX_ALL. */
static size_t
make_plain(const struct mcph_profile *profile, struct mcph_span name, char out[ROOM],
           bool *ret_cut)
{
    size_t n = 0;

    *ret_cut = false;
    if (!name.len || (*name.p >= '0' && *name.p <= '9'))
        out[n++] = '_';
    for (size_t i = 0; i < name.len && !*ret_cut; i++) {
        if (((unsigned char)name.p[i] & 0xc0) == 0x80)
            continue; /* skip the later bytes of the character */
        *ret_cut = n == NAME_MAX_ALL;
        if (!*ret_cut)
            out[n++] = is_word(name.p[i]) ? name.p[i] : '_';
    }
    if (!profile->property_ok(mcph_span(out, n)) && n < NAME_MAX_ALL) {
        memmove(out + 1, out, n); /* the name is reserved */
        out[0] = '_';
        n++;
    }
    return n;
}

/* ---- the keys of a schema ---------------------------------------------------------- */

static int
compare_keys(const void *a, const void *b)
{
    const struct mcph_rename_key *x = a, *y = b;

    if (x->plain != y->plain)
        return x->plain < y->plain ? -1 : 1;
    return x->own == y->own ? 0 : x->own < y->own ? -1 : 1;
}

static int
add_key(struct mcph_projecting *p, struct mcph_span token, size_t *cap)
{
    struct mcph_span name;
    struct mcph_buf buf;
    char plain[ROOM];
    bool cut;
    int r;

    if (p->n_keys == *cap) {
        size_t more = *cap ? 2 * *cap : 64;
        struct mcph_rename_key *keys = mcph_reallocarray(p->keys, more, sizeof(*keys));

        if (!keys)
            return MCPHOST_E_NOMEM;
        p->keys = keys;
        *cap = more;
    }
    mcph_buf_init(&buf, token.len + 1);
    r = mcph_json_string_get(token, &buf, &name);
    if (r == 0)
        p->keys[p->n_keys++] = (struct mcph_rename_key){
            .plain = digest(plain, make_plain(p->profile, name, plain, &cut)),
            .own = digest(name.p, name.len)};
    mcph_buf_done(&buf);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

/* Returns the end of the JSON string that begins at `at`.  The text must be valid
 * JSON. */
static const char *
string_end(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* Lists the digests of every key of every object in the schema, sorted, without
 * duplicates. */
static int
list_keys(struct mcph_projecting *p)
{
    const char *at = p->root.p, *end = at + p->root.len;
    size_t cap = 0, n = 0;
    int r = 0;

    while (r == 0 && at < end) {
        const char *from = at, *behind;

        if (*at != '"') {
            at++;
            continue;
        }
        at = behind = string_end(at);
        while (behind < end && strchr(" \t\r\n", *behind))
            behind++;
        if (behind < end && *behind == ':')
            r = add_key(p, mcph_span(from, (size_t)(at - from)), &cap);
    }
    if (p->n_keys)
        qsort(p->keys, p->n_keys, sizeof(*p->keys), compare_keys);
    for (size_t i = 0; i < p->n_keys; i++)
        if (!n || compare_keys(&p->keys[n - 1], &p->keys[i]) != 0)
            p->keys[n++] = p->keys[i];
    p->n_keys = n;
    p->has_keys = r == 0;
    return r;
}

/* Checks whether only one key of the schema has the plain name with the digest
 * `plain`. */
static bool
is_unique(const struct mcph_projecting *p, uint64_t plain)
{
    size_t low = 0, high = p->n_keys;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->keys[middle].plain < plain)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1 >= p->n_keys || p->keys[low + 1].plain != plain;
}

void
mcph_renames_done(struct mcph_projecting *p)
{
    free(p->keys);
    p->keys = NULL;
    p->n_keys = 0;
    p->has_keys = false;
}

/* ---- names ------------------------------------------------------------------------- */

/* Checks whether the provider accepts the parameter's name.  Rejects every name with NUL
 * or U+FFFD, because not every JSON reader accepts these characters. */
static bool
is_taken(const struct mcph_projecting *p, struct mcph_span name, bool root)
{
    if (memchr(name.p, 0, name.len) || memmem(name.p, name.len, "\xef\xbf\xbd", 3))
        return false;
    if (!root && p->profile->flags & MCPH_P_NAMES_AT_ROOT)
        return name.len > 0;
    return p->profile->property_ok(name);
}

static int
add_other_name(struct mcph_projecting *p, struct mcph_span name, struct mcph_buf *out)
{
    unsigned char sha[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX], plain[ROOM];
    bool cut;
    size_t n = make_plain(p->profile, name, plain, &cut);
    int r = p->has_keys ? 0 : list_keys(p);

    if (r < 0)
        return r;
    mcph_buf_addc(out, '"');
    if (!cut && is_unique(p, digest(plain, n))) {
        mcph_buf_add(out, plain, n);
    } else {
        if (mcph_sha256(name.p, name.len, sha) < 0)
            return MCPHOST_E_NOMEM;
        mcph_hex(sha, SUFFIX / 2, hex);
        mcph_buf_add(out, plain, n < NAME_MAX_ALL - SUFFIX ? n : NAME_MAX_ALL - SUFFIX);
        mcph_buf_addf(out, "_%.*s", SUFFIX - 1, hex);
    }
    return mcph_buf_addc(out, '"');
}

int
mcph_add_name(struct mcph_projecting *p, struct mcph_span key, bool root,
              struct mcph_buf *out)
{
    struct mcph_span name;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, key.len + 1);
    r = mcph_json_string_get(key, &buf, &name);
    if (r == 0)
        r = is_taken(p, name, root) ? mcph_json_add_span(out, key)
                                    : add_other_name(p, name, out);
    mcph_buf_done(&buf);
    return r;
}

int
mcph_is_named(struct mcph_projecting *p, struct mcph_span key, bool root,
              struct mcph_span used)
{
    struct mcph_buf made;
    int r;

    mcph_buf_init(&made, key.len + ROOM + 2);
    r = mcph_add_name(p, key, root, &made);
    if (r == 0)
        r = mcph_json_string_eq(mcph_span(made.data, made.len), used);
    mcph_buf_done(&made);
    return r;
}
