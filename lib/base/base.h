/* SPDX-License-Identifier: MIT
 *
 * base.h - interface of lib/base: memory, buffers with a hard limit, strings, containers,
 * reference counts, UTF-8, base64, digests, clock, random bytes, error records and files.
 *
 * No other part of the library has a list, vector, map or buffer type of its own.
 * lib/base does not depend on loops, processes, JSON or MCP.  It must never call user
 * code, log, or change process-wide state.  The one exception is mcph_fd_plug().
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

/* Allocates `size` zeroed bytes, followed by `more` bytes that are not zeroed.  The code
 * of tool calls uses this function instead of calloc(), because the calloc() of glibc
 * does not use the thread's own cache of free blocks. */
void *mcph_zalloc(size_t size, size_t more);
void *mcph_memdup(const void *data, size_t len);
char *mcph_strdup(const char *str);
char *mcph_strndup(const char *str, size_t len); /* copies `len` bytes and adds a NUL */
/* Copies a text.  If `text` is NULL, sets *ret to NULL.  Returns false if memory is
 * short. */
bool mcph_str_copy(const char *text, char **ret);
void mcph_str_wipe(char *secret); /* overwrites and frees; NULL is fine */
char *mcph_asprintf(const char *fmt, ...) MCPHOST_PRINTF(1, 2);
void *mcph_reallocarray(void *ptr, size_t n, size_t size);
bool mcph_streq(const char *a, const char *b); /* NULL equals only NULL */

/* ---- texts made on first request (kept.c) -------------------------------------------
 * A zeroed struct is empty.  Any thread may call these functions, but
 * mcph_kept_done() needs exclusive access. */

struct mcph_kept {
    _Atomic(struct mcph_kept_text *) first;
};

/* Returns `text` itself if a NUL follows it.  Otherwise returns a copy of `text` that
 * ends with a NUL.  `kept` owns the copy.  text[len] must be readable.  Returns NULL if
 * `text` is NULL or memory is short. */
const char *mcph_kept_copy(struct mcph_kept *kept, const char *text, size_t len);
/* The next two functions find and add a text that is not a plain copy.  `key` is an
 * address inside the data from which the text is made.  mcph_kept_find() returns NULL if
 * there is no text for `key`.  mcph_kept_add() takes over `text`.  It returns NULL if
 * `text` is NULL or memory is short.  Otherwise mcph_kept_add() returns `text`, or the
 * text that another thread added first.  *len becomes the length of the returned text. */
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

/* Drops a reference.  Returns true if it was the last reference. */
static inline bool
mcph_refs_put(struct mcph_refs *refs)
{
    return atomic_fetch_sub_explicit(&refs->n, 1, memory_order_acq_rel) == 1;
}

/* Returns true if another reference exists besides the caller's. */
static inline bool
mcph_refs_are_shared(const struct mcph_refs *refs)
{
    return atomic_load_explicit(&refs->n, memory_order_acquire) > 1;
}

/* ---- buffer (buf.c) ------------------------------------------------------------------
 * A buffer grows up to `max` bytes.  An add that needs more fails with MCPHOST_E_LIMIT.
 * A failed add changes nothing in the data.  All later adds fail with the same code until
 * the buffer is cleared.  Check each add, or mcph_buf_ok() once after a run of adds. */

struct mcph_buf {
    char *data;
    size_t len, cap, max;
    int err; /* 0, or the first failure: MCPHOST_E_NOMEM or MCPHOST_E_LIMIT */
    bool paged, mapped, secret;
};

void mcph_buf_init(struct mcph_buf *buf, size_t max);
/* Initialises a buffer and allocates its first `cap` bytes now.  `cap` must not exceed
 * `max`. */
void mcph_buf_init_sized(struct mcph_buf *buf, size_t max, size_t cap);
/* Initialises a buffer that may become large.  At a capacity of MCPH_PAGES_MIN or more,
 * the buffer's memory consists of whole pages (`mapped` is true).  The system can grow
 * a block of pages without copying bytes, and gets freed pages back at once. */
void mcph_buf_init_paged(struct mcph_buf *buf, size_t max);
/* Initialises a buffer that wipes its old block when it grows.  Free the buffer with
 * mcph_buf_wipe(). */
void mcph_buf_init_secret(struct mcph_buf *buf, size_t max);
void mcph_buf_done(struct mcph_buf *buf);                /* frees the memory; the
                                                          * buffer is reusable */
void mcph_buf_wipe(struct mcph_buf *buf);                /* overwrites, then frees */
void mcph_buf_clear(struct mcph_buf *buf);               /* sets len and err to 0 */
int mcph_buf_reserve(struct mcph_buf *buf, size_t more); /* makes room for `more` bytes */
int mcph_buf_add_slow(struct mcph_buf *buf, const void *data, size_t len);
/* Appends bytes.  The function is inline, because messages are built from many short
 * pieces whose lengths the compiler knows. */
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
int mcph_buf_addi(struct mcph_buf *buf, int64_t n);    /* appends `n` in decimal */
void mcph_buf_consume(struct mcph_buf *buf, size_t n); /* removes the first n bytes */
/* Returns the bytes, followed by a NUL, in a block without spare bytes, and empties the
 * buffer.  The caller frees the block.  Returns NULL, and keeps the buffer as it is, if
 * an earlier add failed or memory is short. */
char *mcph_buf_steal(struct mcph_buf *buf, size_t *ret_len);
/* Appends a NUL and returns the data.  The NUL counts in `len`.  The data is valid until
 * the next add.  Returns NULL if an add has failed. */
const char *mcph_buf_text(struct mcph_buf *buf);
/* Hands the bytes over as mcph_buf_steal() does, but returns 0 or an error code.  Always
 * frees the buffer.  Sets *ret_data on success only.  `ret_len` may be NULL. */
int mcph_buf_give(struct mcph_buf *buf, char **ret_data, size_t *ret_len);
static inline int
mcph_buf_ok(const struct mcph_buf *buf)
{
    return buf->err;
}

/* ---- whole pages ------------------------------------------------------------------- */

#define MCPH_PAGES_MIN ((size_t)256 * 1024)

/* Allocates (`p` is NULL), grows or shrinks a block of pages.  A new block is zeroed.
 * Growing may move the block, but copies no bytes.  Returns NULL if memory is short.  The
 * old block is then unchanged. */
void *mcph_pages_resize(void *p, size_t old_size, size_t size);
void mcph_pages_free(void *p, size_t size); /* `p` may be NULL */

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

/* Removes an item from its list.  An initialised item that is in no list stays
 * unchanged. */
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

/* Moves all items of `from` to the end of `to`. */
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
/* Iterates over the entries and declares `entry`.  The body must not remove `entry` from
 * its list. */
#define mcph_list_for_each_entry(entry, head, type, member)         \
    for (type *entry = MCPH_LIST_ENTRY((head)->next, type, member); \
         &entry->member != (head);                                  \
         entry = MCPH_LIST_ENTRY(entry->member.next, type, member))
/* Iterates over the items.  The body may remove and free the current item. */
#define mcph_list_for_each_safe(it, head)                                          \
    for (struct mcph_list *it = (head)->next, *it##_next = it->next; it != (head); \
         it = it##_next, it##_next = it->next)

/* ---- vector of pointers (vec.c) ---------------------------------------------------- */

struct mcph_vec {
    void **items;
    size_t n, cap;
};

int mcph_vec_add(struct mcph_vec *vec, void *item);      /* 0 or MCPHOST_E_NOMEM */
int mcph_vec_reserve(struct mcph_vec *vec, size_t more); /* makes room for `more` items */
void mcph_vec_remove(struct mcph_vec *vec, size_t i);    /* keeps the order */
void mcph_vec_done(struct mcph_vec *vec); /* frees the array, not the items */

/* ---- hash map from byte strings to pointers (map.c) ---------------------------------
 * Keys are borrowed: a key must live as long as its entry.  The hash is seeded per
 * process, so that nobody can choose keys that collide.  Values are never NULL. */

struct mcph_map {
    struct mcph_map_slot *slots;
    size_t n, cap;
};

/* Adds an entry, or replaces the key and the value of an existing entry.  If `ret_old` is
 * not NULL, *ret_old becomes the old value, or NULL.  Returns 0 or MCPHOST_E_NOMEM.  On
 * failure nothing changes.  A key of 4 GiB or more also gives MCPHOST_E_NOMEM. */
int mcph_map_put(struct mcph_map *map, const char *key, size_t len, void *value,
                 void **ret_old);
/* Adds an entry unless the key exists.  *ret_other becomes the value of the existing
 * entry, or NULL if the new entry was added.  `hash` is mcph_map_hash() of the key, for
 * callers that keep the hash.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_map_add(struct mcph_map *map, uint32_t hash, const char *key, size_t len,
                 void *value, void **ret_other);
uint32_t mcph_map_hash(const char *key, size_t len);
int mcph_map_reserve(struct mcph_map *map, size_t more); /* makes room for `more` keys */
void *mcph_map_get(const struct mcph_map *map, const char *key, size_t len);
void *mcph_map_remove(struct mcph_map *map, const char *key, size_t len);
void mcph_map_done(struct mcph_map *map);
uint64_t mcph_hash64(const void *data, size_t len); /* hashes with the seed of the maps */

/* ---- UTF-8 (utf8.c) --------------------------------------------------------
 * UTF-8 is checked strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */

bool mcph_utf8_valid(const char *data, size_t len,
                     size_t *ret_bad);   /* ret_bad may be NULL */
bool mcph_utf8_is_text(const char *str); /* true for valid UTF-8; false for NULL */
/* Returns true for valid UTF-8 without control characters, as mcph_utf8_add_clean()
 * defines them. */
bool mcph_utf8_is_plain(const char *data, size_t len);
/* Appends `len` bytes.  Every invalid byte becomes U+FFFD and every NUL a space.  With
 * `oneline`, every control character becomes a space: C0, DEL, C1 (ISO 6429), and the
 * overrides of the direction of text. */
int mcph_utf8_add_clean(struct mcph_buf *buf, const char *data, size_t len, bool oneline);

/* ---- digest, random, clock --------------------------------------------------------- */

#define MCPH_DIGEST_LEN 32
#define MCPH_DIGEST_HEX (2 * MCPH_DIGEST_LEN + 1)

int mcph_sha256(const void *data, size_t len, unsigned char ret_digest[MCPH_DIGEST_LEN]);
/* The state of a SHA-256 digest that is computed in steps. */
struct mcph_sha256 {
    uint64_t state[16];
};
void mcph_sha256_init(struct mcph_sha256 *sha);
void mcph_sha256_add(struct mcph_sha256 *sha, const void *data, size_t len);
void mcph_sha256_end(struct mcph_sha256 *sha, unsigned char ret_digest[MCPH_DIGEST_LEN]);
/* Writes 2 * len + 1 bytes: the hexadecimal digits and a NUL. */
void mcph_hex(const unsigned char *data, size_t len, char *ret_hex);
int mcph_random_bytes(void *ret_data, size_t len);
/* Moves a freshly opened descriptor to `min` or above.  The library must not use 0, 1 or
 * 2, because a program that has closed these descriptors may still write to their numbers
 * by accident.  Returns the descriptor to use.  On failure closes `fd` and returns -1
 * with errno.  A negative `fd` is returned unchanged. */
int mcph_fd_lift(int fd, int min);
static inline int
mcph_fd_high(int fd)
{
    return mcph_fd_lift(fd, 3);
}
/* Opens /dev/null on each of 0, 1 and 2 that is closed.  Call mcph_fd_plug() before
 * another library opens descriptors, so that the other library does not get 0, 1 or 2.
 * When the other library has opened its descriptors, pass the result to
 * mcph_fd_unplug(). */
unsigned mcph_fd_plug(void);
void mcph_fd_unplug(unsigned plugs);
int64_t mcph_clock_monotonic_ms(void);
int64_t mcph_clock_realtime_ms(void);
int64_t mcph_clock_thread_ms(void); /* processor time of this thread */

/* ---- names of enumerators (enum.c) ------------------------------------------------- */

/* Appends the first `n` names of the enumeration `which` (MCPHOST_ENUM_*), for example
 * "'skip' or 'reject'".  With `numbers` the text is "skip (0) or reject (1)". */
void mcph_enum_put(int which, size_t n, bool numbers, struct mcph_buf *buf);

/* ---- base64 (base64.c) --------------------------------------------------------------
 * The functions decode a text in pieces.  Both alphabets of RFC 4648 (sections 4 and 5)
 * are accepted, even mixed in one text.  White space is skipped.  Padding may be absent.
 * Digits after padding are rejected. */

struct mcph_base64 {
    uint64_t at;   /* characters fed so far; after an error, the index of the bad
                    * character */
    uint32_t bits; /* bits of an incomplete group */
    unsigned n, padding;
};

/* An upper bound on the bytes needed to decode `len` characters. */
#define MCPH_BASE64_ROOM(len) ((len) / 4 * 3 + 8)

void mcph_base64_init(struct mcph_base64 *b64);
/* mcph_base64_feed() decodes one piece of the text.  mcph_base64_end() ends the text:
 * it writes up to two bytes, and rejects a text that ends within a byte or within its
 * padding.  Both return 0 or MCPHOST_E_INVALID, and set *ret_len on success. */
int mcph_base64_feed(struct mcph_base64 *b64, const char *text, size_t len,
                     unsigned char *out, size_t *ret_len);
int mcph_base64_end(struct mcph_base64 *b64, unsigned char *out, size_t *ret_len);
/* Append the data in base64: mcph_base64_add() with padding, mcph_base64url_add() with
 * the alphabet for URLs (RFC 4648, section 5) and without padding.  On failure the data
 * of `buf` is unchanged. */
int mcph_base64_add(struct mcph_buf *buf, const void *data, size_t len);
int mcph_base64url_add(struct mcph_buf *buf, const void *data, size_t len);

/* ---- masking (mask.c) ---------------------------------------------------------------
 * A mask replaces secrets by asterisks wherever a text repeats them: plain, JSON-escaped,
 * percent-encoded or in base64.  Only one thread at a time may use a mask. */

#define MCPH_MASK_MIN 4 /* bytes; shorter values are ignored */

struct mcph_mask;

struct mcph_mask *mcph_mask_new(void);                     /* an empty mask, or NULL */
struct mcph_mask *mcph_mask_ref(struct mcph_mask *mask);   /* NULL is allowed */
struct mcph_mask *mcph_mask_unref(struct mcph_mask *mask); /* takes NULL; returns NULL */
/* Adds a secret value and each line of the value, without white space at the ends.  If
 * messages show the value in another form (see mcph_utf8_add_clean()), also adds this
 * form.  Does not add a value twice.  If there are too many values, drops older values.
 * The values that are not kept (mcph_mask_set_keeping()) are dropped first.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_mask_add(struct mcph_mask *mask, const char *text, size_t len);
/* Sets whether the mask keeps each value that is added from now on.  A value that the
 * mask already has becomes a kept value, too, if the value is added again.  Kept values
 * stay when other values are dropped.  If more values are kept than a limit in mask.c
 * allows, the oldest kept value is not kept any more. */
void mcph_mask_set_keeping(struct mcph_mask *mask, bool keeps);
/* Adds the value of a header.  If the value has several words, as "Bearer secret" has,
 * also adds the text behind the first word.  If the first word is "Basic", also adds the
 * decoded base64 and the password in it.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_mask_add_header(struct mcph_mask *mask, const char *value, size_t len);
/* Returns true if values under this name are secret: the name contains TOKEN, SECRET,
 * KEY, PASS or AUTH, in upper or lower case. */
bool mcph_mask_is_secret_name(const char *name);
/* Replace secrets in place.  The length stays the same.  Return true if anything was
 * replaced.  If memory is short, replace the whole text.  mcph_mask_json() keeps the
 * text valid JSON.  `mask` may be NULL. */
bool mcph_mask_text(struct mcph_mask *mask, char *text, size_t len);
bool mcph_mask_json(struct mcph_mask *mask, char *json, size_t len);
/* Returns a masked copy of `text`, or NULL if memory is short. */
char *mcph_mask_copy(struct mcph_mask *mask, const char *text);

/* ---- errors (err.c): functions of type int return the error's code ----------------- */

int mcph_err(mcphost_error **reterr, int code, const char *fmt, ...) MCPHOST_PRINTF(3, 4);
/* Makes an error whose message ends in ": " and the text of `sys_errno`.  ENOMEM gives
 * MCPHOST_E_NOMEM; EMFILE, ENFILE and EAGAIN give MCPHOST_E_LIMIT; any other errno gives
 * MCPHOST_E_IO. */
int mcph_err_os(mcphost_error **reterr, int sys_errno, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
/* Makes an error as mcph_err_os() does, but with a code of the caller's choice. */
int mcph_err_sys(mcphost_error **reterr, int code, int sys_errno, const char *fmt, ...)
    MCPHOST_PRINTF(4, 5);
int mcph_err_nomem(mcphost_error **reterr); /* allocates nothing */
/* Makes an error that says that the library was built without `part`. */
int mcph_err_unsupported(mcphost_error **reterr, const char *part);
int mcph_err_at(mcphost_error **reterr, int code, const char *file, int line, int column,
                const char *fmt, ...) MCPHOST_PRINTF(6, 7);
int mcph_err_rpc(mcphost_error **reterr, int64_t rpc_code, const char *message,
                 size_t message_len, const char *data, size_t data_len);
/* Returns the length of the message without its suffix " (JSON-RPC error N)".  The prefix
 * of mcph_err_set_server() counts. */
size_t mcph_err_rpc_len(const mcphost_error *err);
/* Puts "server 'id': " before the message, unless the error has a server already.
 * `source` is the id of the server's source.  NULL means the default source.  All
 * mcph_err_set_*() functions attach details to an error.  Call them only for an error
 * that you have just made and not yet shared.  These functions ignore NULL and the
 * static error object of err.c.  If memory is short, only the detail is lost. */
void mcph_err_set_server(mcphost_error *err, const char *source, const char *server);
/* Sets *reterr to a copy of `err` with all details.  Only the caller has a reference to
 * the copy.  If memory is short, the copy is the static error object of err.c.  Attaches
 * the server to the copy as mcph_err_set_server() does.  Returns the code of `err`. */
int mcph_err_copy(mcphost_error **reterr, const mcphost_error *err, const char *source,
                  const char *server);
/* Returns an error that may be shown: a reference to `err` itself, a copy in which
 * secrets are masked, or the static error object of err.c if memory is short.  If `err`
 * is NULL, returns NULL. */
mcphost_error *mcph_err_masked(mcphost_error *err, struct mcph_mask *mask);
void mcph_err_set_stderr_tail(mcphost_error *err, const char *tail, size_t len);
/* Attaches the status of an HTTP response and the value of its Retry-After header.
 * `retry_after` may be NULL. */
void mcph_err_set_http(mcphost_error *err, int status, const char *retry_after,
                       size_t len);

/* ---- files (file.c) ---------------------------------------------------------------- */

/* Appends the contents of a regular file of at most `max` bytes to `buf`.  Returns 0,
 * MCPHOST_E_NOTFOUND (ENOENT, ENOTDIR), MCPHOST_E_LIMIT (the file is larger than `max` or
 * than `buf` can take), or another code.  On failure the length of `buf` is
 * unchanged. */
int mcph_file_read(const char *path, size_t max, struct mcph_buf *buf,
                   mcphost_error **reterr);

/* Reads a file that is already open, as mcph_file_read() does.  `fd` must be at the
 * beginning of the file.  Messages call the file `shown`. */
int mcph_file_read_fd(int fd, const char *shown, size_t max, struct mcph_buf *buf,
                      mcphost_error **reterr);

/* Opens `path` below the directory `dir` (beneath.c).  No symbolic link or magic link is
 * followed anywhere in the path.  "" opens the directory itself.  `flags` are flags of
 * open(), without O_CREAT.  The function adds O_CLOEXEC.  If `by_steps` is true, walks
 * the path name by name, as on a kernel without openat2().  Returns the descriptor, or -1
 * and errno: ELOOP for a symbolic link, EXDEV for a path that is absolute or has "..". */
int mcph_open_beneath(int dir, const char *path, int flags, bool by_steps);
/* Reads a file as mcph_file_read() does, but opens the file with mcph_open_beneath().
 * Messages call the file `shown`.  Returns MCPHOST_E_DENIED if the path has a symbolic
 * link. */
int mcph_file_read_beneath(int dir, const char *path, const char *shown, size_t max,
                           struct mcph_buf *buf, mcphost_error **reterr);

/* Lists the names in a directory, sorted by their bytes (dir.c).  Leaves out each name
 * that `counts` does not accept.  The items of *ret_names are char *.  Returns 0,
 * MCPHOST_E_NOTFOUND if there is no directory, MCPHOST_E_LIMIT if `counts` accepts more
 * than `max` names, or another code. */
int mcph_dir_list(const char *path, bool (*counts)(const char *name), size_t max,
                  struct mcph_vec *ret_names, mcphost_error **reterr);
void mcph_dir_list_done(struct mcph_vec *names); /* frees the names, too */

/* The state of a file as stat() shows it.  If two signatures are equal, the contents
 * are most likely equal, too.  If mcph_file_sig_young() is true for a signature, only
 * the contents themselves give certainty. */
struct mcph_file_sig {
    int error; /* 0, or the errno of stat(); if there is no file, ENOENT */
    uint64_t device, inode;
    int64_t size, mtime_ns, ctime_ns;
};

/* Take the signature of a file.  Neither function can fail.  mcph_file_sign() follows
 * symbolic links. */
void mcph_file_sign(const char *path, struct mcph_file_sig *ret_sig);
void mcph_file_sign_fd(int fd, struct mcph_file_sig *ret_sig);
bool mcph_file_sig_equal(const struct mcph_file_sig *a, const struct mcph_file_sig *b);
/* Returns true if the file was changed so shortly before `realtime_ms` that a further
 * change could leave the same times in the signature.  In this case only the contents
 * reveal whether the file has changed. */
bool mcph_file_sig_young(const struct mcph_file_sig *sig, int64_t realtime_ms);

/* ---- replacing a file (replace.c) -------------------------------------------------- */

/* Gives an existing regular file new contents.  A reader finds all of the old bytes or
 * all of the new bytes, also after a crash of the machine.  The mode and the owner stay.
 * If `path` is a symbolic link, the link stays and its target gets the new contents.
 * Hard links to the old contents, extended attributes and ACLs are not carried over.  A
 * file that the process may not write is not replaced.
 *
 * `expected` (may be NULL) is the signature of the contents on which the new contents are
 * based.  If the file has changed since, the function fails with MCPHOST_E_STATE.
 * *ret_sig (may be NULL) becomes the signature of the written file, even if another
 * process has replaced that file already.
 *
 * Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_STATE, MCPHOST_E_IO, MCPHOST_E_LIMIT or
 * MCPHOST_E_NOMEM, each with a message that names the path.  On failure the file is
 * unchanged and no temporary file is left.  There is one exception: the file was
 * replaced, but its directory could not be synced.  The message then reports this
 * state. */
int mcph_file_replace(const char *path, const void *data, size_t len,
                      const struct mcph_file_sig *expected, struct mcph_file_sig *ret_sig,
                      mcphost_error **reterr);

#endif
