/* SPDX-License-Identifier: MIT
 *
 * store_file.c - the file store: records in tokens.json.
 *
 * A reader needs no lock, because the file is only ever replaced by rename().  A reader
 * takes the lock of tokens.lock only to move a damaged file aside.  A writer holds this
 * lock while it reads, compares and replaces the file.  The kernel releases the lock when
 * the process ends.  store_file.c never removes tokens.lock.  If another program removes
 * tokens.lock, for example when the directory is cleaned, the next writer makes the file
 * again.
 *
 * mcph_file_replace() does not fit here: it follows symbolic links, it needs an old file,
 * and each killed process would leave a temporary file with tokens under another name.
 * Only the holder of the lock writes the temporary file of this store.  Therefore one
 * name suffices, and the next writer removes the temporary file that a killed process
 * left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/store_inner.h"
#include "auth/store_text.h"

#define FILE_NAME    "tokens.json"
#define LOCK_NAME    "tokens.lock"
#define TEMP_NAME    "tokens.json.new"
#define DAMAGED_NAME "tokens.json.damaged"

/* One operation on the store: the open descriptors and the text of the file. */
struct visit {
    const char *path; /* the directory, for messages */
    int dir, lock;    /* descriptors, or -1 */
    struct mcph_buf text;
    struct mcph_tokens tokens;
};

static const char *
dir_of(const struct mcph_store *store)
{
    return MCPH_CONTAINER_OF(store, struct mcph_store_file, base)->dir;
}

static void
leave(struct visit *v)
{
    mcph_buf_wipe(&v->text);
    /* Unlock before the close.  Another thread may have forked a child in the meantime,
     * and the child's copy of the descriptor would keep the lock. */
    if (v->lock >= 0) {
        (void)flock(v->lock, LOCK_UN);
        close(v->lock);
    }
    if (v->dir >= 0)
        close(v->dir);
}

/* ---- reading ----------------------------------------------------------------------- */

static int
read_text(struct visit *v, int fd, mcphost_error **reterr)
{
    char shown[4096];
    struct stat st;
    size_t size;

    snprintf(shown, sizeof(shown), "%s/" FILE_NAME, v->path);
    if (fstat(fd, &st) < 0)
        return mcph_err_os(reterr, errno, "cannot examine '%s'", shown);
    if (st.st_size > (off_t)MCPH_STORE_FILE_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' is larger than %zu bytes", shown,
                        MCPH_STORE_FILE_MAX);
    size = (size_t)st.st_size;
    /* The buffer has the size of the file, because a buffer that grows leaves copies of
     * the tokens in freed memory. */
    mcph_buf_init_sized(&v->text, size + 1, size + 1);
    if (mcph_buf_ok(&v->text) < 0)
        return mcph_err_nomem(reterr);
    return mcph_file_read_fd(fd, shown, size, &v->text, reterr);
}

/* Reads and checks the file.  An absent file has no records. */
static int
load(struct visit *v, mcphost_error **reterr)
{
    char shown[4096];
    int fd, r;

    mcph_buf_wipe(&v->text);
    v->tokens = (struct mcph_tokens){MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    if (faccessat(v->dir, FILE_NAME, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return 0;
    r = mcph_store_dir_file(v->dir, v->path, FILE_NAME, O_RDONLY, &fd, reterr);
    if (r < 0)
        return r;
    r = read_text(v, fd, reterr);
    close(fd);
    if (r < 0)
        return r;
    snprintf(shown, sizeof(shown), "%s/" FILE_NAME, v->path);
    return mcph_tokens_check(mcph_span(v->text.data, v->text.len), shown, &v->tokens,
                             reterr);
}

static int
lock(struct visit *v, mcphost_error **reterr)
{
    int r = 1;

    for (int i = 0; r > 0 && i < MCPH_STORE_TRIES; i++) {
        if (v->lock >= 0)
            close(v->lock);
        v->lock = -1;
        r = mcph_store_dir_file(v->dir, v->path, LOCK_NAME, O_RDWR | O_CREAT, &v->lock,
                                reterr);
        if (r == 0)
            r = mcph_store_dir_lock(v->dir, v->lock, v->path, LOCK_NAME, reterr);
    }
    if (r == 1 || r == MCPHOST_E_BUSY)
        return mcph_err(reterr, MCPHOST_E_BUSY,
                        "another process writes '%s/" FILE_NAME "'", v->path);
    return r;
}

/* Moves a damaged file aside.  Replaces a damaged file that was moved aside earlier,
 * because keeping both would only keep more secrets.  `damage` is the error of the check,
 * and becomes a part of the message. */
static int
move_aside(struct visit *v, const mcphost_error *damage, mcphost_error **reterr)
{
    if (renameat(v->dir, FILE_NAME, v->dir, DAMAGED_NAME) < 0)
        return mcph_err_os(reterr, errno,
                           "%s; the file cannot be renamed to '" DAMAGED_NAME "'",
                           mcphost_error_get_message(damage));
    (void)fsync(v->dir);
    return mcph_err(reterr, MCPHOST_E_STATE,
                    "%s; the file is now called '" DAMAGED_NAME "', and no tokens are "
                    "stored any more; the next logout deletes the file",
                    mcphost_error_get_message(damage));
}

/* Deletes the damaged file, and the temporary file that a killed writer left.  Both files
 * may contain the tokens of a record that is removed. */
static int
delete_copies(struct visit *v, mcphost_error **reterr)
{
    static const char *const names[] = {DAMAGED_NAME, TEMP_NAME};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        if (unlinkat(v->dir, names[i], 0) < 0 && errno != ENOENT)
            return mcph_err_os(reterr, errno, "cannot delete '%s/%s'", v->path, names[i]);
    }
    return 0;
}

/* Loads the file.  If the file is damaged, takes the lock and loads the file again,
 * because another process may have moved the damaged file aside and written a good file.
 * Moves the file aside if it is still damaged. */
static int
load_whole(struct visit *v, mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    int r = load(v, &err);

    if (r == MCPHOST_E_INVALID && v->lock < 0) {
        mcphost_error_unref(err);
        err = NULL;
        r = lock(v, &err);
        if (r == 0)
            r = load(v, &err);
    }
    if (r == MCPHOST_E_INVALID)
        r = move_aside(v, err, reterr);
    else if (r < 0 && reterr)
        *reterr = mcphost_error_ref(err);
    mcphost_error_unref(err);
    return r;
}

/* Begins an operation.  Call leave() after the operation, also after a failure. */
static int
enter(struct visit *v, const struct mcph_store *store, bool writes,
      mcphost_error **reterr)
{
    int r;

    *v = (struct visit){.path = dir_of(store), .dir = -1, .lock = -1};
    r = mcph_store_dir_open(v->path, writes, &v->dir, reterr);
    if (r == 0 && writes)
        r = lock(v, reterr);
    return r < 0 ? r : load_whole(v, reterr);
}

static int
no_record(mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                    "no tokens are stored for this server, client and account");
}

static int
read_record(struct mcph_store *store, const struct mcph_store_key *key,
            struct mcph_store_record *ret, mcphost_error **reterr)
{
    struct mcph_store_record record = {0};
    struct mcph_token_entry entry;
    struct visit v;
    int r = enter(&v, store, false, reterr);

    if (r == 0 && !mcph_tokens_find(&v.tokens, key, &entry))
        r = no_record(reterr);
    if (r == 0) {
        record.len = entry.record.len;
        record.text = mcph_strndup(entry.record.p, record.len);
        if (!record.text ||
            mcph_store_version(record.text, record.len, record.version) < 0)
            r = mcph_err_nomem(reterr);
    }
    leave(&v);
    if (r < 0)
        mcph_store_record_done(&record);
    else
        *ret = record;
    return r;
}

/* Calls `each` with the key of the entry. */
static int
show_key(const struct mcph_token_entry *entry, mcph_store_each_fn each, void *arg,
         mcphost_error **reterr)
{
    const struct mcph_span tokens[] = {entry->issuer, entry->resource, entry->client,
                                       entry->account};
    char *texts[MCPH_ARRAY_SIZE(tokens)] = {NULL};
    int r = 0;

    for (size_t i = 0; r == 0 && i < MCPH_ARRAY_SIZE(tokens); i++)
        r = mcph_json_string_show(tokens[i], &texts[i]);
    if (r < 0)
        mcph_err_nomem(reterr);
    else
        r = each(&(struct mcph_store_key){texts[0], texts[1], texts[2], texts[3]}, arg);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tokens); i++)
        free(texts[i]);
    return r;
}

static int
list_keys(struct mcph_store *store, mcph_store_each_fn each, void *arg,
          mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    struct mcph_token_entry entry;
    struct mcph_json_iter it;
    struct visit v;
    int r = enter(&v, store, false, &err);

    if (r == MCPHOST_E_NOTFOUND) { /* without a directory there are no keys */
        r = 0;
    } else if (r < 0 && reterr) {
        *reterr = mcphost_error_ref(err);
    } else if (r == 0) {
        mcph_json_iter_init(&it, v.tokens.list);
        while (r == 0 && mcph_tokens_next(&it, &entry))
            r = show_key(&entry, each, arg, reterr);
    }
    mcphost_error_unref(err);
    leave(&v);
    return r;
}

/* ---- writing ----------------------------------------------------------------------- */

static int
write_all(int fd, const struct mcph_buf *text)
{
    const char *p = text->data;
    size_t left = text->len;

    while (left) {
        ssize_t n = write(fd, p, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        p += n;
        left -= (size_t)n;
    }
    return fsync(fd);
}

/* Writes the text to a temporary file, and renames this file to tokens.json. */
static int
save(struct visit *v, const struct mcph_buf *text, mcphost_error **reterr)
{
    int fd, r;

    unlinkat(v->dir, TEMP_NAME, 0);
    r = mcph_store_dir_file(v->dir, v->path, TEMP_NAME, O_WRONLY | O_CREAT | O_EXCL, &fd,
                            reterr);
    if (r < 0)
        return r;
    if (write_all(fd, text) < 0 || renameat(v->dir, TEMP_NAME, v->dir, FILE_NAME) < 0) {
        r = mcph_err_os(reterr, errno, "cannot replace '%s/" FILE_NAME "'", v->path);
        unlinkat(v->dir, TEMP_NAME, 0);
    } else if (fsync(v->dir) < 0 && errno != EINVAL && errno != ENOTSUP) {
        r = mcph_err_os(reterr, errno,
                        "'%s/" FILE_NAME "' is replaced, but its directory cannot be "
                        "synced",
                        v->path);
    }
    close(fd);
    return r;
}

/* Finishes a change: `r` is the result of the function that made the new text. */
static int
save_made(struct visit *v, int r, const struct mcph_buf *text, mcphost_error **reterr)
{
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(reterr, r, "'%s/" FILE_NAME "' would be larger than %zu bytes",
                        v->path, MCPH_STORE_FILE_MAX);
    return r < 0 ? mcph_err_nomem(reterr) : save(v, text, reterr);
}

/* Compares the version of the stored record with `expected`.  If `expected` is NULL,
 * there must be no record.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_EXISTS or
 * MCPHOST_E_NOMEM. */
static int
compare(struct visit *v, const struct mcph_store_key *key, const char *expected,
        mcphost_error **reterr)
{
    char version[MCPH_DIGEST_HEX];
    struct mcph_token_entry entry;

    if (!mcph_tokens_find(&v->tokens, key, &entry))
        return expected ? no_record(reterr) : 0;
    if (mcph_store_version(entry.record.p, entry.record.len, version) < 0)
        return mcph_err_nomem(reterr);
    if (!mcph_streq(expected, version))
        return mcph_err(reterr, MCPHOST_E_EXISTS,
                        "another process has stored other tokens for this server, client "
                        "and account");
    return 0;
}

static int
write_record(struct mcph_store *store, const struct mcph_store_key *key,
             const char *expected, const char *record, size_t len, mcphost_error **reterr)
{
    struct mcph_buf made;
    struct visit v;
    int r = enter(&v, store, true, reterr);

    if (r == 0)
        r = compare(&v, key, expected, reterr);
    if (r == 0) {
        r = mcph_tokens_put(&v.tokens, key, mcph_span(record, len), &made);
        r = save_made(&v, r, &made, reterr);
        mcph_buf_wipe(&made);
    }
    leave(&v);
    return r;
}

static int
remove_record(struct mcph_store *store, const struct mcph_store_key *key,
              const char *expected, mcphost_error **reterr)
{
    struct mcph_buf made;
    struct visit v;
    int r = enter(&v, store, true, reterr);

    if (r == 0)
        r = delete_copies(&v, reterr);
    if (r == 0)
        r = compare(&v, key, expected ? expected : "", reterr);
    if (r == 0) {
        r = mcph_tokens_remove(&v.tokens, key, &made);
        r = save_made(&v, r, &made, reterr);
        mcph_buf_wipe(&made);
    }
    leave(&v);
    return r;
}

/* ---- life -------------------------------------------------------------------------- */

static void
free_store(struct mcph_store *base)
{
    struct mcph_store_file *store = MCPH_CONTAINER_OF(base, struct mcph_store_file, base);

    free(store->dir);
    free(store);
}

static const struct mcph_store_ops ops = {.read = read_record,
                                          .write = write_record,
                                          .remove = remove_record,
                                          .list = list_keys,
                                          .claim = mcph_store_file_claim,
                                          .release = mcph_store_file_release,
                                          .free = free_store};

int
mcph_store_file_new(const char *dir, struct mcph_store **ret, mcphost_error **reterr)
{
    struct mcph_store_file *store;
    size_t len = strlen(dir);

    if (*dir != '/')
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the directory for tokens must be an absolute path, and '%s' is "
                        "not",
                        dir);
    /* Remove the slashes at the end, because open() follows a symbolic link, even with
     * O_NOFOLLOW, if a slash follows the link's name. */
    while (len > 1 && dir[len - 1] == '/')
        len--;
    store = mcph_zalloc(sizeof(*store), 0);
    if (!store)
        return mcph_err_nomem(reterr);
    mcph_store_init(&store->base, &ops);
    store->dir = mcph_strndup(dir, len);
    if (!store->dir) {
        free(store);
        return mcph_err_nomem(reterr);
    }
    *ret = &store->base;
    return 0;
}
