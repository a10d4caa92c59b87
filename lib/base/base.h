/* SPDX-License-Identifier: MIT
 *
 * base.h - the room `base`: memory, buffers with a hard limit, strings,
 * containers, reference counts, UTF-8, base64, digests, clock, random, error
 * records and files.
 *
 * The only list, vector, map and buffer of the library live here.  This room
 * knows nothing of loops, processes, JSON or MCP, and must never call user
 * code, log, or touch process-wide state.
 */
#ifndef MCPH_BASE_H
#define MCPH_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mcphost/enum.h>
#include <mcphost/error.h>
#include <mcphost/types.h>

#define MCPH_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MCPH_CONTAINER_OF(ptr, type, member) \
    ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* ---- memory (mem.c): NULL on failure, sizes checked for overflow ------------------- */

/* Zeroed, with `more` bytes that are not behind it.  For what a call needs: calloc()
 * passes over the thread's own cache. */
void *mcph_zalloc(size_t size, size_t more);
void *mcph_memdup(const void *data, size_t len);
char *mcph_strdup(const char *str);
char *mcph_strndup(const char *str, size_t len); /* len bytes and a NUL */
void mcph_str_wipe(char *secret);                /* overwrites and frees; NULL is fine */
char *mcph_asprintf(const char *fmt, ...) MCPHOST_PRINTF(1, 2);
void *mcph_reallocarray(void *ptr, size_t n, size_t size);
bool mcph_streq(const char *a, const char *b); /* NULLs are equal to each other only */

/* ---- texts made at the first ask (kept.c) -----------------------------------------
 * A zeroed one is empty.  Any thread, but for the end. */

struct mcph_kept {
    _Atomic(struct mcph_kept_text *) first;
};

/* The text with a NUL behind it: itself if one stands there, else a copy that is kept.
 * What is behind the text must be readable.  NULL: no memory, or `text` is NULL. */
const char *mcph_kept_copy(struct mcph_kept *kept, const char *text, size_t len);
/* The same in two steps, for what is made in another way than by copying.  `key` is a
 * place in what it is made from.  `add` takes over `text` (NULL: it could not be made)
 * and returns it, or the one that another thread has added before, and its length. */
const char *mcph_kept_find(struct mcph_kept *kept, const char *key, size_t *ret_len);
const char *mcph_kept_add(struct mcph_kept *kept, const char *key, char *text,
                          size_t *len);
void mcph_kept_done(struct mcph_kept *kept);

/* ---- reference count (inline) ------------------------------------------------------ */

struct mcph_refs {
    atomic_uint n;
};

static inline void
mcph_refs_init(struct mcph_refs *refs)
{
    atomic_init(&refs->n, 1);
}

static inline void
mcph_refs_get(struct mcph_refs *refs)
{
    atomic_fetch_add_explicit(&refs->n, 1, memory_order_relaxed);
}

/* True for the caller that dropped the last one. */
static inline bool
mcph_refs_put(struct mcph_refs *refs)
{
    return atomic_fetch_sub_explicit(&refs->n, 1, memory_order_acq_rel) == 1;
}

/* True while somebody besides the caller holds a reference. */
static inline bool
mcph_refs_are_shared(const struct mcph_refs *refs)
{
    return atomic_load_explicit(&refs->n, memory_order_acquire) > 1;
}

/* ---- buffer (buf.c): grows up to `max`, then MCPHOST_E_LIMIT --------------
 * A failed add changes nothing, and all later ones fail with it until the buffer
 * is cleared: check each, or mcph_buf_ok() once after a run of adds. */

struct mcph_buf {
    char *data;
    size_t len, cap, max;
    int err; /* first failure: 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT */
    bool paged, mapped;
};

void mcph_buf_init(struct mcph_buf *buf, size_t max);
/* With room for `cap` bytes, which is at most `max`, at once. */
void mcph_buf_init_sized(struct mcph_buf *buf, size_t max, size_t cap);
/* For what may become large: from MCPH_PAGES_MIN on the memory are pages of its own
 * (`mapped`), which grow without being copied and go back to the system at once. */
void mcph_buf_init_paged(struct mcph_buf *buf, size_t max);
void mcph_buf_done(struct mcph_buf *buf);                /* frees; usable again */
void mcph_buf_wipe(struct mcph_buf *buf);                /* done, of what held a secret */
void mcph_buf_clear(struct mcph_buf *buf);               /* len 0, err 0, keeps memory */
int mcph_buf_reserve(struct mcph_buf *buf, size_t more); /* room for `more` past len */
int mcph_buf_add_slow(struct mcph_buf *buf, const void *data, size_t len);
/* Inline: a message is spliced from many short pieces of known length. */
static inline int
mcph_buf_add(struct mcph_buf *buf, const void *data, size_t len)
{
    if (buf->err || len > buf->cap - buf->len || !len)
        return mcph_buf_add_slow(buf, data, len);
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return 0;
}
static inline int
mcph_buf_adds(struct mcph_buf *buf, const char *str)
{
    return mcph_buf_add(buf, str, strlen(str));
}
static inline int
mcph_buf_addc(struct mcph_buf *buf, char c)
{
    return mcph_buf_add(buf, &c, 1);
}
int mcph_buf_addf(struct mcph_buf *buf, const char *fmt, ...) MCPHOST_PRINTF(2, 3);
int mcph_buf_addi(struct mcph_buf *buf, int64_t n);    /* decimal */
void mcph_buf_consume(struct mcph_buf *buf, size_t n); /* drop n bytes in front */
char *mcph_buf_steal(struct mcph_buf *buf,
                     size_t *ret_len); /* NUL-terminated, exact; NULL: NOMEM */
/* What was added, with a NUL behind it, until the next add; NULL: an add has failed. */
const char *mcph_buf_text(struct mcph_buf *buf);
/* Steals for a caller: 0, or what the buffer said.  `ret_len` may be NULL; the buffer
 * is done in any case. */
int mcph_buf_give(struct mcph_buf *buf, char **ret_data, size_t *ret_len);
static inline int
mcph_buf_ok(const struct mcph_buf *buf)
{
    return buf->err;
}

/* ---- whole pages ------------------------------------------------------------------- */

#define MCPH_PAGES_MIN ((size_t)256 * 1024)

/* Makes, grows (moving it, not its bytes) or shrinks a block of pages; NULL: no
 * memory, the block stays as it was.  `p` NULL: a new one, zeroed. */
void *mcph_pages_resize(void *p, size_t old_size, size_t size);
void mcph_pages_free(void *p, size_t size); /* NULL is fine */

/* ---- intrusive list (inline) ------------------------------------------------------- */

struct mcph_list {
    struct mcph_list *next, *prev;
};

static inline void
mcph_list_init(struct mcph_list *head)
{
    head->next = head->prev = head;
}

static inline bool
mcph_list_empty(const struct mcph_list *head)
{
    return head->next == head;
}

static inline void
mcph_list_append(struct mcph_list *head, struct mcph_list *item)
{
    item->prev = head->prev;
    item->next = head;
    head->prev->next = item;
    head->prev = item;
}

/* Safe on an item that is in no list but initialised. */
static inline void
mcph_list_remove(struct mcph_list *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    mcph_list_init(item);
}

static inline struct mcph_list *
mcph_list_take_first(struct mcph_list *head)
{
    struct mcph_list *item = head->next;

    if (item == head)
        return NULL;
    mcph_list_remove(item);
    return item;
}

/* Moves all of `from` to the end of `to`. */
static inline void
mcph_list_splice(struct mcph_list *to, struct mcph_list *from)
{
    if (mcph_list_empty(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    mcph_list_init(from);
}

#define MCPH_LIST_ENTRY(item, type, member) MCPH_CONTAINER_OF(item, type, member)
#define mcph_list_for_each(it, head) \
    for (struct mcph_list *it = (head)->next; it != (head); it = it->next)
/* `entry` is declared here; it stays in its list in the body. */
#define mcph_list_for_each_entry(entry, head, type, member)         \
    for (type *entry = MCPH_LIST_ENTRY((head)->next, type, member); \
         &entry->member != (head);                                  \
         entry = MCPH_LIST_ENTRY(entry->member.next, type, member))
/* The current item may be removed and freed in the body. */
#define mcph_list_for_each_safe(it, head)                                          \
    for (struct mcph_list *it = (head)->next, *it##_next = it->next; it != (head); \
         it = it##_next, it##_next = it->next)

/* ---- vector of pointers (vec.c) ---------------------------------------------------- */

struct mcph_vec {
    void **items;
    size_t n, cap;
};

int mcph_vec_add(struct mcph_vec *vec, void *item);      /* 0 or MCPHOST_E_NOMEM */
int mcph_vec_reserve(struct mcph_vec *vec, size_t more); /* later adds cannot fail */
void mcph_vec_remove(struct mcph_vec *vec, size_t i);    /* keeps the order */
void mcph_vec_done(struct mcph_vec *vec); /* frees the array, not the items */

/* ---- hash map from byte strings to pointers (map.c) -----------------------
 * Keys are borrowed: they must live as long as the entry.  Seeded per process
 * against collision attacks.  Values are never NULL. */

struct mcph_map {
    struct mcph_map_slot *slots;
    size_t n, cap;
};

int mcph_map_put(struct mcph_map *map, const char *key, size_t len, void *value,
                 void **ret_old); /* 0, or MCPHOST_E_NOMEM and nothing changed: also
                                  * for a key of 4 GiB */
/* Unless the key is there already: then nothing changes and *ret_other, else NULL, is
 * what it has.  `hash` is mcph_map_hash() of the key, for who keeps it. */
int mcph_map_add(struct mcph_map *map, uint32_t hash, const char *key, size_t len,
                 void *value, void **ret_other);
uint32_t mcph_map_hash(const char *key, size_t len);
int mcph_map_reserve(struct mcph_map *map, size_t more); /* so many adds cannot fail */
void *mcph_map_get(const struct mcph_map *map, const char *key, size_t len);
void *mcph_map_remove(struct mcph_map *map, const char *key, size_t len);
void mcph_map_done(struct mcph_map *map);
uint64_t mcph_hash64(const void *data, size_t len); /* the map's seeded hash */

/* ---- UTF-8 (utf8.c) --------------------------------------------------------
 * Strict: no overlong forms, no surrogates, nothing above U+10FFFF. */

bool mcph_utf8_valid(const char *data, size_t len,
                     size_t *ret_bad);   /* ret_bad may be NULL */
bool mcph_utf8_is_text(const char *str); /* a valid string, not NULL */
/* Adds `len` bytes with every bad byte replaced by U+FFFD and, when `oneline`,
 * control characters (those of ISO 6429 too) by spaces; NUL always. */
int mcph_utf8_add_clean(struct mcph_buf *buf, const char *data, size_t len, bool oneline);

/* ---- digest, random, clock --------------------------------------------------------- */

#define MCPH_DIGEST_LEN 32
#define MCPH_DIGEST_HEX (2 * MCPH_DIGEST_LEN + 1)

int mcph_sha256(const void *data, size_t len, unsigned char ret_digest[MCPH_DIGEST_LEN]);
/* The same in steps. */
struct mcph_sha256 {
    uint64_t state[16];
};
void mcph_sha256_init(struct mcph_sha256 *sha);
void mcph_sha256_add(struct mcph_sha256 *sha, const void *data, size_t len);
void mcph_sha256_end(struct mcph_sha256 *sha, unsigned char ret_digest[MCPH_DIGEST_LEN]);
void mcph_hex(const unsigned char *data, size_t len,
              char *ret_hex); /* 2 * len + 1 bytes */
int mcph_random_bytes(void *ret_data, size_t len);
/* Moves a descriptor that was just opened to `min` or above it, so that no program that
 * has closed 0, 1 or 2 writes into it.  Returns the descriptor to use; on failure -1 with
 * errno, and `fd` is closed.  A negative `fd` is returned as it is. */
int mcph_fd_lift(int fd, int min);
static inline int
mcph_fd_high(int fd)
{
    return mcph_fd_lift(fd, 3);
}
/* Fills those of 0, 1 and 2 that are closed, around a library that opens descriptors of
 * its own.  Returns what mcph_fd_unplug() takes. */
unsigned mcph_fd_plug(void);
void mcph_fd_unplug(unsigned plugs);
int64_t mcph_clock_monotonic_ms(void);
int64_t mcph_clock_realtime_ms(void);
int64_t mcph_clock_thread_ms(void); /* processor time of this thread */

/* ---- names of enumerators (enum.c) ------------------------------------------------- */

/* Appends the names of the first `n` of MCPHOST_ENUM_*: "'skip' or 'reject'", or with
 * `numbers` "skip (0) or reject (1)". */
void mcph_enum_put(int which, size_t n, bool numbers, struct mcph_buf *buf);

/* ---- base64 (base64.c) -------------------------------------------------------
 * Decoded in pieces: the alphabets of RFC 4648 sections 4 and 5, mixed; white space is
 * passed over; padding may be absent.  What stands after padding is refused. */

struct mcph_base64 {
    uint64_t at;   /* characters fed so far; after a refusal: of the refused one */
    uint32_t bits; /* of a group begun */
    unsigned n, padding;
};

/* The room that decoding `len` characters needs, at most. */
#define MCPH_BASE64_ROOM(len) ((len) / 4 * 3 + 8)

void mcph_base64_init(struct mcph_base64 *b64);
/* Return 0 or MCPHOST_E_INVALID; *ret_len is set on success.  `end` writes up to two
 * bytes and refuses a text that ends within a byte or within its padding. */
int mcph_base64_feed(struct mcph_base64 *b64, const char *text, size_t len,
                     unsigned char *out, size_t *ret_len);
int mcph_base64_end(struct mcph_base64 *b64, unsigned char *out, size_t *ret_len);
/* Encoded, with padding, behind what the buffer holds. */
int mcph_base64_add(struct mcph_buf *buf, const void *data, size_t len);

/* ---- masking (mask.c) ----------------------------------------------------------------
 * Asterisks in place of secrets, wherever a text repeats them: as they are, JSON-escaped,
 * percent-encoded or in base64.  One thread at a time. */

#define MCPH_MASK_MIN 4 /* bytes: shorter values are not looked for */

struct mcph_mask;

struct mcph_mask *mcph_mask_new(void); /* of no value; NULL: no memory */
struct mcph_mask *mcph_mask_ref(struct mcph_mask *mask);   /* NULL is allowed */
struct mcph_mask *mcph_mask_unref(struct mcph_mask *mask); /* likewise; returns NULL */
/* Adds a value and each of its lines, without the white space around them.  A known value
 * changes nothing.  Too many values: the oldest are dropped.  0, MCPHOST_E_NOMEM. */
int mcph_mask_add(struct mcph_mask *mask, const char *text, size_t len);
/* The same of a header: of "Bearer secret" the second word, too, and of "Basic" what its
 * base64 stands for. */
int mcph_mask_add_header(struct mcph_mask *mask, const char *value, size_t len);
/* Whether a value under this name is a secret: it contains TOKEN, SECRET, KEY, PASS or
 * AUTH, in upper or lower case. */
bool mcph_mask_is_secret_name(const char *name);
/* Cover what is to be covered, in place; the length stays.  True: something was.  Short
 * of memory everything is.  JSON stays JSON.  `mask` may be NULL. */
bool mcph_mask_text(struct mcph_mask *mask, char *text, size_t len);
bool mcph_mask_json(struct mcph_mask *mask, char *json, size_t len);
/* A copy that is covered; NULL: no memory. */
char *mcph_mask_copy(struct mcph_mask *mask, const char *text);

/* ---- errors (err.c): each returns the code it was given ---------------------------- */

int mcph_err(mcphost_error **reterr, int code, const char *fmt, ...) MCPHOST_PRINTF(3, 4);
int mcph_err_os(mcphost_error **reterr, int sys_errno, const char *fmt, ...)
    MCPHOST_PRINTF(
        3,
        4); /* ": strerror" is added; ENOMEM gives NOMEM, EMFILE/ENFILE LIMIT, else IO */
/* The same with a code of the caller's choice. */
int mcph_err_sys(mcphost_error **reterr, int code, int sys_errno, const char *fmt, ...)
    MCPHOST_PRINTF(4, 5);
int mcph_err_nomem(mcphost_error **reterr); /* the shared static object, no allocation */
int mcph_err_at(mcphost_error **reterr, int code, const char *file, int line, int column,
                const char *fmt, ...) MCPHOST_PRINTF(6, 7);
int mcph_err_rpc(mcphost_error **reterr, int64_t rpc_code, const char *message,
                 size_t message_len, const char *data, size_t data_len);
/* The length of its message as the peer wrote it, without the code behind it. */
size_t mcph_err_rpc_len(const mcphost_error *err);
/* Attach to an error made just now by the caller and shared with nobody: no
 * effect on NULL and on the static object; a failed allocation loses the
 * attachment only.  `source` is the server's, NULL the default one.  The message gets
 * "server 'id': " in front. */
void mcph_err_set_server(mcphost_error *err, const char *source, const char *server);
/* A copy that is the caller's alone, with all that hangs on it and "server 'id': " in
 * front.  Returns its code. */
int mcph_err_copy(mcphost_error **reterr, const mcphost_error *err, const char *source,
                  const char *server);
/* The error as it may be shown: a reference to `err` itself, or to a copy in which
 * secrets are covered.  NULL gives NULL. */
mcphost_error *mcph_err_masked(mcphost_error *err, struct mcph_mask *mask);
void mcph_err_set_stderr_tail(mcphost_error *err, const char *tail, size_t len);
/* Of the HTTP answer: its status, and its Retry-After (NULL: none). */
void mcph_err_set_http(mcphost_error *err, int status, const char *retry_after,
                       size_t len);

/* ---- files (file.c) ---------------------------------------------------------------- */

/* Reads a regular file of at most `max` bytes into `buf` (appended).  Returns
 * 0, MCPHOST_E_NOTFOUND (ENOENT, ENOTDIR), MCPHOST_E_LIMIT (more than `max`, or
 * than the buffer takes), or another code with the detail; then `buf` has the
 * length that it had. */
int mcph_file_read(const char *path, size_t max, struct mcph_buf *buf,
                   mcphost_error **reterr);

/* As mcph_file_read(), of a file that is open at its beginning; messages call it
 * `shown`. */
int mcph_file_read_fd(int fd, const char *shown, size_t max, struct mcph_buf *buf,
                      mcphost_error **reterr);

/* Opens `path` below the directory `dir` (beneath.c).  No symbolic link is followed, on
 * no step, nor is a magic link; "" is the directory itself.  `flags` are those of open(),
 * without O_CREAT; O_CLOEXEC is added.  `by_steps`: as where the kernel has no openat2().
 * The descriptor, or -1 and errno: ELOOP for a symbolic link, EXDEV for a path that is
 * absolute or has "..". */
int mcph_open_beneath(int dir, const char *path, int flags, bool by_steps);
/* As mcph_file_read(), of a file that is opened so; messages call it `shown`.
 * MCPHOST_E_DENIED: the path has a symbolic link. */
int mcph_file_read_beneath(int dir, const char *path, const char *shown, size_t max,
                           struct mcph_buf *buf, mcphost_error **reterr);

/* The names in a directory that `counts` accepts, in the order of their bytes (dir.c):
 * char *, at most `max`.  0, MCPHOST_E_NOTFOUND (there is no directory), MCPHOST_E_LIMIT,
 * or another code with the detail. */
int mcph_dir_list(const char *path, bool (*counts)(const char *name), size_t max,
                  struct mcph_vec *ret_names, mcphost_error **reterr);
void mcph_dir_list_done(struct mcph_vec *names); /* frees the names, too */

/* What a file looked like from outside: two that are equal held the same bytes, as
 * far as that can be told without reading. */
struct mcph_file_sig {
    int error; /* 0, or why it cannot be examined; ENOENT: it is not there */
    uint64_t device, inode;
    int64_t size, mtime_ns, ctime_ns;
};

/* Follows symbolic links; never fails. */
void mcph_file_sign(const char *path, struct mcph_file_sig *ret_sig);
void mcph_file_sign_fd(int fd, struct mcph_file_sig *ret_sig);
bool mcph_file_sig_equal(const struct mcph_file_sig *a, const struct mcph_file_sig *b);
/* True when the file was touched so shortly before `realtime_ms` that another
 * change could leave the same times; then only its bytes can tell. */
bool mcph_file_sig_young(const struct mcph_file_sig *sig, int64_t realtime_ms);

/* ---- replacing a file (replace.c) -------------------------------------------------- */

/* Gives an existing regular file new contents: whoever opens it finds all of the
 * old bytes or all of the new ones, also after a crash of the machine.  Mode and
 * owner stay; a symbolic link stays and its target is replaced.  Hard links to
 * the old contents, extended attributes and ACLs are not carried over.  A file
 * that may not be written is not replaced either.
 *
 * `expected` (may be NULL): what the contents were read from; if the file is no
 * longer that, MCPHOST_E_STATE.  *ret_sig (may be NULL) becomes the signature of
 * what was written, whatever others did meanwhile.
 *
 * Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_STATE, MCPHOST_E_IO, MCPHOST_E_LIMIT,
 * MCPHOST_E_NOMEM, each with a message that names the place.  On failure the file
 * is as it was and nothing else is left, with one exception that the message
 * tells: the directory could not be synced after the replacement. */
int mcph_file_replace(const char *path, const void *data, size_t len,
                      const struct mcph_file_sig *expected, struct mcph_file_sig *ret_sig,
                      mcphost_error **reterr);

#endif
