/* SPDX-License-Identifier: MIT
 *
 * mask.c - replace secrets by asterisks, wherever a text repeats them.
 *
 * A mask stores its values in one trie with failure links (Aho and Corasick, 1975).  Each
 * value is stored plain, and in base64 at three alignments (add_base64()).  scan_all()
 * scans a text once for each way in which the text may be encoded: plain, JSON-escaped,
 * percent-encoded, and combinations of these encodings.  The cost is linear in the length
 * of the text, whatever the values are.  A text that contains no value costs no memory.
 *
 * A long value is stored in pieces of PIECE_MAX bytes, so that a part of the value is
 * found, too.  At the end of a text, scan_all() also masks the beginning of a piece,
 * because the text may have been cut there.  Values shorter than MCPH_MASK_MIN bytes
 * are ignored: masking them would hide harmless words.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

#define PIECE_MAX  64u
#define VALUE_MAX  ((size_t)64 * 1024) /* further bytes of a value are ignored */
#define BASE64_MAX ((size_t)4 * 1024)  /* longer values are not searched for in base64 */
#define VALUES_MAX 256u /* limit on kept values, and also on values that are not kept */
#define NODES_MAX  ((size_t)512 * 1024)

struct node {
    uint32_t child, next; /* the first child; the next child of the same parent */
    uint32_t fail;        /* the node of the longest proper suffix of this node's bytes
                           * that is in the trie */
    uint32_t queue;       /* the next node in the queue of link_nodes() */
    uint8_t byte, depth;
    uint8_t out;  /* the length of the longest piece that ends at this node; 0 if no
                   * piece ends at this node */
    bool encoded; /* the piece of `out` is base64, and the characters beside the piece are
                   * masked, too */
};

struct value {
    char *text;
    size_t len;
    bool kept;
};

struct mcph_mask {
    struct mcph_refs refs;
    struct node *nodes; /* [0] is the root */
    size_t n, cap;
    uint32_t roots[256]; /* the children of the root */
    bool linked;
    struct mcph_vec values; /* struct value *, oldest first */
    size_t n_kept;          /* number of values that are kept */
    bool keeps;             /* the values that are added are kept */
};

/* ---- life -------------------------------------------------------------------------- */

static void
wipe_nodes(struct mcph_mask *mask)
{
    if (mask->nodes)
        explicit_bzero(mask->nodes, mask->cap * sizeof(*mask->nodes));
    free(mask->nodes);
    mask->nodes = NULL;
    mask->n = mask->cap = 0;
    memset(mask->roots, 0, sizeof(mask->roots));
}

static void
value_free(struct value *value)
{
    if (!value)
        return;
    if (value->text)
        explicit_bzero(value->text, value->len);
    free(value->text);
    free(value);
}

struct mcph_mask *
mcph_mask_new(void)
{
    struct mcph_mask *mask = calloc(1, sizeof(*mask));

    if (mask)
        mcph_refs_init(&mask->refs);
    return mask;
}

struct mcph_mask *
mcph_mask_ref(struct mcph_mask *mask)
{
    if (mask)
        mcph_refs_get(&mask->refs);
    return mask;
}

struct mcph_mask *
mcph_mask_unref(struct mcph_mask *mask)
{
    if (!mask || !mcph_refs_put(&mask->refs))
        return NULL;
    for (size_t i = 0; i < mask->values.n; i++)
        value_free(mask->values.items[i]);
    mcph_vec_done(&mask->values);
    wipe_nodes(mask);
    free(mask);
    return NULL;
}

/* ---- the trie ---------------------------------------------------------------------- */

static uint32_t
find_child(const struct mcph_mask *mask, uint32_t node, uint8_t byte)
{
    uint32_t child;

    if (node == 0)
        return mask->roots[byte];
    child = mask->nodes[node].child;
    while (child && mask->nodes[child].byte != byte)
        child = mask->nodes[child].next;
    return child;
}

/* Makes room for more nodes.  Copies and wipes the old nodes, because realloc() could
 * leave a copy of the secrets behind. */
static int
grow_nodes(struct mcph_mask *mask)
{
    size_t cap = mask->cap ? mask->cap * 2 : 256;
    struct node *nodes;

    if (mask->n >= NODES_MAX)
        return MCPHOST_E_LIMIT;
    nodes = mcph_reallocarray(NULL, cap, sizeof(*nodes));
    if (!nodes)
        return MCPHOST_E_NOMEM;
    memset(nodes, 0, cap * sizeof(*nodes));
    if (mask->n) {
        memcpy(nodes, mask->nodes, mask->n * sizeof(*nodes));
        explicit_bzero(mask->nodes, mask->cap * sizeof(*nodes));
    }
    free(mask->nodes);
    mask->nodes = nodes;
    mask->cap = cap;
    mask->n = mask->n ? mask->n : 1; /* the root */
    return 0;
}

static int
add_child(struct mcph_mask *mask, uint32_t parent, uint8_t byte, uint32_t *ret)
{
    uint32_t child;
    int r = mask->n == mask->cap ? grow_nodes(mask) : 0;

    if (r < 0)
        return r;
    child = (uint32_t)mask->n++;
    mask->nodes[child] = (struct node){.byte = byte};
    mask->nodes[child].depth = (uint8_t)(mask->nodes[parent].depth + 1);
    if (parent == 0) {
        mask->roots[byte] = child;
    } else {
        mask->nodes[child].next = mask->nodes[parent].child;
        mask->nodes[parent].child = child;
    }
    *ret = child;
    return 0;
}

static int
add_piece(struct mcph_mask *mask, const char *text, size_t len, bool encoded)
{
    uint32_t node = 0, child;
    int r;

    for (size_t i = 0; i < len; i++) {
        child = mask->n ? find_child(mask, node, (uint8_t)text[i]) : 0;
        if (!child) {
            r = add_child(mask, node, (uint8_t)text[i], &child);
            if (r < 0)
                return r;
        }
        node = child;
    }
    mask->nodes[node].out = (uint8_t)len;
    /* A piece may be part of a plain value and also part of the base64 of another
     * value.  In this case, the value that was added last decides about `encoded`. */
    mask->nodes[node].encoded = encoded;
    mask->linked = false;
    return 0;
}

/* Adds the text in pieces of PIECE_MAX bytes.  The last piece ends where the text
 * ends. */
static int
add_text(struct mcph_mask *mask, const char *text, size_t len, bool encoded)
{
    size_t at = 0;
    int r = 0;

    if (len < MCPH_MASK_MIN)
        return 0;
    for (; at + PIECE_MAX <= len && r == 0; at += PIECE_MAX)
        r = add_piece(mask, text + at, PIECE_MAX, encoded);
    if (r == 0 && at < len) {
        at = len > PIECE_MAX ? len - PIECE_MAX : 0;
        r = add_piece(mask, text + at, len - at, encoded);
    }
    return r;
}

/* Adds the base64 of a value in three forms, because 0, 1 or 2 bytes of a group of
 * three may stand before the value in the encoded data.  Adds each form in both
 * alphabets of RFC 4648 (sections 4 and 5).  Leaves out the characters that also depend
 * on the bytes before and after the value. */
static int
add_base64(struct mcph_mask *mask, const char *text, size_t len)
{
    static const size_t skipped[] = {0, 2, 3};
    struct mcph_buf shifted, code;
    size_t whole;
    int r = 0;

    mcph_buf_init(&shifted, BASE64_MAX + 2);
    mcph_buf_init(&code, 2 * BASE64_MAX);
    for (size_t k = 0; k < 3 && r == 0; k++) {
        mcph_buf_clear(&shifted);
        mcph_buf_clear(&code);
        mcph_buf_add(&shifted, "\0\0", k);
        r = mcph_buf_add(&shifted, text, len);
        if (r == 0)
            r = mcph_base64_add(&code, shifted.data, shifted.len);
        if (r < 0)
            break;
        whole = 8 * (len + k) / 6;
        r = add_text(mask, code.data + skipped[k], whole - skipped[k], true);
        for (size_t i = 0; i < whole; i++)
            code.data[i] = code.data[i] == '+'   ? '-'
                           : code.data[i] == '/' ? '_'
                                                 : code.data[i];
        if (r == 0)
            r = add_text(mask, code.data + skipped[k], whole - skipped[k], true);
    }
    mcph_buf_wipe(&shifted);
    mcph_buf_wipe(&code);
    return r;
}

static int
add_value(struct mcph_mask *mask, const struct value *value)
{
    int r = add_text(mask, value->text, value->len, false);

    if (r == 0 && value->len <= BASE64_MAX)
        r = add_base64(mask, value->text, value->len);
    return r;
}

/* Sets the failure links in breadth-first order, since the link of a node depends on the
 * links of the nodes above it. */
static void
link_nodes(struct mcph_mask *mask)
{
    struct node *nodes = mask->nodes;
    uint32_t first = 0, last = 0;

    for (size_t b = 0; b < 256; b++) {
        uint32_t child = mask->roots[b];

        if (!child)
            continue;
        nodes[child].fail = 0;
        nodes[child].queue = 0;
        if (last)
            nodes[last].queue = child;
        else
            first = child;
        last = child;
    }
    for (uint32_t node = first; node; node = nodes[node].queue) {
        for (uint32_t child = nodes[node].child; child; child = nodes[child].next) {
            uint32_t fail = nodes[node].fail, to = 0;

            for (;;) {
                to = find_child(mask, fail, nodes[child].byte);
                if (to || fail == 0)
                    break;
                fail = nodes[fail].fail;
            }
            nodes[child].fail = to;
            if (!nodes[child].out && nodes[to].out) {
                nodes[child].out = nodes[to].out;
                nodes[child].encoded = nodes[to].encoded;
            }
            nodes[child].queue = 0;
            nodes[last].queue = child;
            last = child;
        }
    }
    mask->linked = true;
}

/* ---- values ------------------------------------------------------------------------ */

static struct value *
find_value(const struct mcph_mask *mask, const char *text, size_t len)
{
    for (size_t i = mask->values.n; i-- > 0;) {
        struct value *value = mask->values.items[i];

        if (value->len == len && memcmp(value->text, text, len) == 0)
            return value;
    }
    return NULL;
}

/* Keeps the value.  If too many values are kept, the oldest kept value is not kept any
 * more. */
static void
keep_value(struct mcph_mask *mask, struct value *value)
{
    if (value->kept)
        return;
    for (size_t i = 0; mask->n_kept >= VALUES_MAX && i < mask->values.n; i++) {
        struct value *old = mask->values.items[i];

        mask->n_kept -= old->kept;
        old->kept = false;
    }
    value->kept = true;
    mask->n_kept++;
}

static int
rebuild_automaton(struct mcph_mask *mask)
{
    int r = 0;

    wipe_nodes(mask);
    for (size_t i = 0; i < mask->values.n && r == 0; i++)
        r = add_value(mask, mask->values.items[i]);
    return r;
}

/* Drops the older half of the values that are not kept, to make room for the last value.
 * If all values but the last are kept, drops the older half of all values. */
static int
drop_older_values(struct mcph_mask *mask)
{
    const struct value *last = mask->values.items[mask->values.n - 1];
    size_t others = mask->values.n - mask->n_kept - !last->kept, at = 0;
    bool drops_kept = others == 0;

    for (size_t n = ((drops_kept ? mask->values.n : others) + 1) / 2; n > 0;) {
        struct value *value = mask->values.items[at];

        if (value->kept && !drops_kept) {
            at++;
            continue;
        }
        mask->n_kept -= value->kept;
        value_free(value);
        mcph_vec_remove(&mask->values, at);
        n--;
    }
    return rebuild_automaton(mask);
}

static int
add_one(struct mcph_mask *mask, const char *text, size_t len)
{
    struct value *value;
    int r;

    while (len > 0 && isspace((unsigned char)text[0])) {
        text++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    len = len < VALUE_MAX ? len : VALUE_MAX;
    if (len < MCPH_MASK_MIN)
        return 0;
    value = find_value(mask, text, len);
    if (value) {
        if (mask->keeps)
            keep_value(mask, value);
        return 0;
    }
    value = calloc(1, sizeof(*value));
    if (!value)
        return MCPHOST_E_NOMEM;
    value->text = mcph_memdup(text, len);
    value->len = len;
    if (!value->text || mcph_vec_add(&mask->values, value) < 0) {
        value_free(value);
        return MCPHOST_E_NOMEM;
    }
    if (mask->keeps)
        keep_value(mask, value);
    r = mask->values.n - mask->n_kept > VALUES_MAX ? MCPHOST_E_LIMIT
                                                   : add_value(mask, value);
    while (r == MCPHOST_E_LIMIT && mask->values.n > 1)
        r = drop_older_values(mask);
    return r;
}

void
mcph_mask_set_keeping(struct mcph_mask *mask, bool keeps)
{
    mask->keeps = keeps;
}

/* Adds a value as messages show it: without control characters and invalid bytes. */
static int
add_cleaned(struct mcph_mask *mask, const char *text, size_t len)
{
    struct mcph_buf clean;
    int r;

    len = len < VALUE_MAX ? len : VALUE_MAX;
    mcph_buf_init(&clean, 3 * VALUE_MAX);
    r = mcph_utf8_add_clean(&clean, text, len, true);
    if (r == 0 && (clean.len != len || memcmp(clean.data, text, len) != 0))
        r = add_one(mask, clean.data, clean.len);
    mcph_buf_wipe(&clean);
    return r;
}

int
mcph_mask_add(struct mcph_mask *mask, const char *text, size_t len)
{
    const char *end = text + len, *line = text, *newline;
    int r;

    if (len < MCPH_MASK_MIN)
        return 0;
    r = add_one(mask, text, len);
    if (r == 0)
        r = add_cleaned(mask, text, len);
    /* Add each line of a value with several lines, too.  A message may repeat only one
     * line of the value, for example of a private key. */
    while (r == 0 && line < end) {
        newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline && line == text)
            break;
        newline = newline ? newline : end;
        r = add_one(mask, line, (size_t)(newline - line));
        line = newline + 1;
    }
    return r;
}

/* ---- ways to encode a text --------------------------------------------------------- */

enum { JSON = 1, PERCENT, FORM };

/* The ways in which a text may be encoded.  A way lists the encodings of the text, the
 * outermost encoding first.  0 ends a way.  FORM is percent-encoding in which "+" is a
 * blank. */
static const uint8_t ways[][2] = {
    {0, 0},    {JSON, 0},       {JSON, JSON}, {PERCENT, 0},
    {FORM, 0}, {JSON, PERCENT}, {JSON, FORM},
};

struct unit {
    uint8_t byte;
    size_t start, end; /* the bytes of the text that encode `byte` */
};

struct reader {
    const uint8_t *in, *way;
    size_t len, at;
    struct pending { /* the decoded bytes of one character */
        uint8_t bytes[4], n, i;
        size_t start, end;
    } pending[2];
};

static bool next_unit(struct reader *r, unsigned level, struct unit *ret);

static bool
next_hex(struct reader *r, unsigned level, unsigned digits, uint32_t *ret,
         size_t *ret_end)
{
    struct unit u;

    *ret = 0;
    while (digits-- > 0) {
        if (!next_unit(r, level, &u) || !isxdigit(u.byte))
            return false;
        *ret = *ret << 4 |
               (uint32_t)(isdigit(u.byte) ? u.byte - '0' : (u.byte | 0x20) - 'a' + 10);
        *ret_end = u.end;
    }
    return true;
}

static void
put_utf8(struct pending *p, uint32_t cp)
{
    if (cp < 0x80) {
        p->bytes[p->n++] = (uint8_t)cp;
        return;
    }
    if (cp < 0x800) {
        p->bytes[p->n++] = (uint8_t)(0xc0 | cp >> 6);
    } else {
        if (cp < 0x10000) {
            p->bytes[p->n++] = (uint8_t)(0xe0 | cp >> 12);
        } else {
            p->bytes[p->n++] = (uint8_t)(0xf0 | cp >> 18);
            p->bytes[p->n++] = (uint8_t)(0x80 | (cp >> 12 & 0x3f));
        }
        p->bytes[p->n++] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
    }
    p->bytes[p->n++] = (uint8_t)(0x80 | (cp & 0x3f));
}

/* Reads the digits after \u, and a second \u escape if the first escape is a high
 * surrogate.  Adds the character to `p` in UTF-8.  Returns false if an escape is not
 * valid. */
static bool
read_code(struct reader *r, unsigned level, struct pending *p)
{
    uint32_t cp, low;
    struct unit u;

    if (!next_hex(r, level, 4, &cp, &p->end))
        return false;
    if (cp >= 0xd800 && cp < 0xdc00) {
        if (!next_unit(r, level, &u) || u.byte != '\\' || !next_unit(r, level, &u) ||
            u.byte != 'u' || !next_hex(r, level, 4, &low, &p->end) || low < 0xdc00 ||
            low > 0xdfff)
            return false;
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(p, cp);
    return true;
}

static bool
read_escape(struct reader *r, unsigned level, struct pending *p)
{
    static const char from[] = "bfnrt\"\\/", to[] = "\b\f\n\r\t\"\\/";
    const char *known;
    struct unit u;

    if (!next_unit(r, level, &u))
        return false;
    if (u.byte == 'u')
        return read_code(r, level, p);
    known = u.byte ? strchr(from, u.byte) : NULL;
    if (!known)
        return false;
    p->bytes[p->n++] = (uint8_t)to[known - from];
    p->end = u.end;
    return true;
}

static bool
decode_escape(struct reader *r, unsigned level, uint8_t byte, struct pending *p)
{
    uint32_t code;

    switch (r->way[level]) {
    case JSON:
        return byte == '\\' && read_escape(r, level, p);
    case FORM:
        if (byte == '+') {
            p->bytes[p->n++] = ' ';
            return true;
        }
        /* fall through */
    default:
        if (byte != '%' || !next_hex(r, level, 2, &code, &p->end))
            return false;
        p->bytes[p->n++] = (uint8_t)code;
        return true;
    }
}

/* Decodes the next byte: undoes the first `level` encodings of the way, and sets *ret
 * to the byte and its place.  If a byte begins no valid escape, sets *ret to this byte
 * unchanged.  Returns false at the end of the text. */
static bool
next_unit(struct reader *r, unsigned level, struct unit *ret)
{
    struct pending *p;
    struct reader before;

    if (level == 0) {
        if (r->at >= r->len)
            return false;
        *ret = (struct unit){r->in[r->at], r->at, r->at + 1};
        r->at++;
        return true;
    }
    p = &r->pending[level - 1];
    if (p->i == p->n) {
        if (!next_unit(r, level - 1, ret))
            return false;
        if (ret->byte != '\\' && ret->byte != '%' && ret->byte != '+')
            return true;
        before = *r;
        *p = (struct pending){.start = ret->start, .end = ret->end};
        if (!decode_escape(r, level - 1, ret->byte, p)) {
            *r = before;
            return true;
        }
    }
    *ret = (struct unit){p->bytes[p->i++], p->start, p->end};
    return true;
}

/* ---- searching --------------------------------------------------------------------- */

struct scan {
    struct mcph_mask *mask;
    const uint8_t *text;
    size_t len;
    size_t dots;    /* offset of a final "..." that marks a cut; SIZE_MAX without "..." */
    uint8_t *marks; /* a mark for each byte of the text; NULL to stop at the first find */
};

static bool
is_base64(uint8_t c)
{
    return isalnum(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '=';
}

static void
mark_range(const struct scan *s, size_t from, size_t to, bool encoded)
{
    if (!s->marks)
        return;
    if (encoded && from > 0 && is_base64(s->text[from - 1]))
        from--;
    for (size_t k = 0; encoded && k < 3 && to < s->len && is_base64(s->text[to]); k++) {
        /* Mask the next character of base64, because it may contain bits of the value.
         * Also mask padding behind that character. */
        if (k > 0 && s->text[to] != '=')
            break;
        to++;
    }
    memset(s->marks + from, 1, to - from);
}

/* Sets `hot` for the bytes with which a value or an escape can begin. */
static void
find_hot(const struct mcph_mask *mask, const uint8_t *way, bool hot[256])
{
    for (size_t b = 0; b < 256; b++)
        hot[b] = mask->roots[b] != 0;
    if (way[0])
        hot['\\'] = hot['%'] = hot['+'] = true;
}

static uint32_t
next_state(const struct mcph_mask *mask, uint32_t state, uint8_t byte)
{
    for (;;) {
        uint32_t to = find_child(mask, state, byte);

        if (to || state == 0)
            return to;
        state = mask->nodes[state].fail;
    }
}

/* Marks an incomplete piece that ends at `end`, because the text may have been cut at
 * `end`.  Returns false if fewer than MCPH_MASK_MIN bytes of the piece were found. */
static bool
mark_begun(const struct scan *s, uint32_t state, const size_t *starts, size_t n,
           size_t end)
{
    unsigned depth = s->mask->nodes[state].depth;

    if (depth < MCPH_MASK_MIN)
        return false;
    mark_range(s, starts[(n - depth) % PIECE_MAX], end, false);
    return true;
}

/* Scans the text once and decodes it as `way` says.  Returns true if a value was
 * found. */
static bool
scan_way(const struct scan *s, const uint8_t *way)
{
    unsigned level = way[0] ? (way[1] ? 2 : 1) : 0;
    struct reader r = {.in = s->text, .way = way, .len = s->len};
    size_t starts[PIECE_MAX] = {0}, n = 0, end = 0;
    uint32_t state = 0;
    bool hot[256], found = false;
    struct unit u;

    find_hot(s->mask, way, hot);
    for (;;) {
        const struct node *node;

        if (state == 0 && r.pending[0].i == r.pending[0].n &&
            r.pending[1].i == r.pending[1].n) {
            while (r.at < r.len && !hot[r.in[r.at]])
                r.at++;
        }
        if (!next_unit(&r, level, &u))
            break;
        if (u.start == s->dots && mark_begun(s, state, starts, n, u.start))
            found = true;
        state = next_state(s->mask, state, u.byte);
        starts[n++ % PIECE_MAX] = u.start;
        end = u.end;
        node = &s->mask->nodes[state];
        if (node->out) {
            mark_range(s, starts[(n - node->out) % PIECE_MAX], u.end, node->encoded);
            found = true;
        }
        if (found && !s->marks)
            return true;
    }
    return mark_begun(s, state, starts, n, end) || found;
}

static bool
is_worth(const struct scan *s, const uint8_t *way)
{
    const char *text = (const char *)s->text;

    if (!way[0])
        return true;
    if (way[0] == JSON && !memchr(text, '\\', s->len))
        return false;
    return (way[0] != PERCENT && way[1] != PERCENT && way[0] != FORM && way[1] != FORM) ||
           memchr(text, '%', s->len) || memchr(text, '+', s->len);
}

static bool
scan_all(const struct scan *s)
{
    bool found = false;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ways); i++) {
        if (is_worth(s, ways[i]) && scan_way(s, ways[i]))
            found = true;
        if (found && !s->marks)
            return true;
    }
    return found;
}

/* Searches the text for secrets.  Returns 1 if there are secrets, 0 if there is nothing
 * to hide, or a negative code if memory is short.  If the result is 1, sets *ret to the
 * marks.  The caller frees the marks. */
static int
find_marks(struct mcph_mask *mask, const char *text, size_t len, uint8_t **ret)
{
    struct scan s = {.mask = mask, .text = (const uint8_t *)text, .len = len};

    if (!mask || mask->n == 0 || len < MCPH_MASK_MIN)
        return 0;
    if (!mask->linked)
        link_nodes(mask);
    s.dots = len >= 3 && memcmp(text + len - 3, "...", 3) == 0 ? len - 3 : SIZE_MAX;
    if (!scan_all(&s))
        return 0;
    s.marks = calloc(len, 1);
    if (!s.marks)
        return MCPHOST_E_NOMEM;
    scan_all(&s);
    *ret = s.marks;
    return 1;
}

/* ---- masking ----------------------------------------------------------------------- */

bool
mcph_mask_text(struct mcph_mask *mask, char *text, size_t len)
{
    uint8_t *marks = NULL;
    int r = find_marks(mask, text, len, &marks);

    if (r < 0)
        memset(text, '*', len);
    for (size_t i = 0, n; r > 0 && i < len; i += n) {
        bool any = marks[i];

        /* Mask a character of several bytes as a whole. */
        for (n = 1; i + n < len && ((unsigned char)text[i + n] & 0xc0) == 0x80; n++)
            any = any || marks[i + n];
        if (any)
            memset(text + i, '*', n);
    }
    free(marks);
    return r != 0;
}

/* If a byte of the character or escape at `text` is marked, masks the whole character or
 * escape, so that the JSON string stays valid.  Returns the number of bytes of the
 * character or escape. */
static size_t
cover_in_string(char *text, const uint8_t *marks, size_t left)
{
    size_t n = 1;
    bool any = marks[0];

    if (text[0] == '\\' && left > 1)
        n = text[1] == 'u' && left >= 6 ? 6 : 2;
    for (size_t k = 1; k < n; k++)
        any = any || marks[k];
    for (; n < left && ((unsigned char)text[n] & 0xc0) == 0x80; n++)
        any = any || marks[n];
    if (any)
        memset(text, '*', n);
    return n;
}

bool
mcph_mask_json(struct mcph_mask *mask, char *json, size_t len)
{
    bool in_string = false;
    uint8_t *marks = NULL;
    int r = find_marks(mask, json, len, &marks);

    if (r < 0) {
        memset(json, ' ', len);
        json[0] = '0';
    }
    for (size_t i = 0, n; r > 0 && i < len; i += n) {
        n = 1;
        if (json[i] == '"')
            in_string = !in_string;
        else if (in_string)
            n = cover_in_string(json + i, marks + i, len - i);
        else if (marks[i] && isdigit((unsigned char)json[i]))
            json[i] = '1';
    }
    free(marks);
    return r != 0;
}

char *
mcph_mask_copy(struct mcph_mask *mask, const char *text)
{
    char *copy = mcph_strdup(text);

    if (copy)
        mcph_mask_text(mask, copy, strlen(copy));
    return copy;
}
