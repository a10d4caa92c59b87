/* SPDX-License-Identifier: MIT
 *
 * store_claim.c - claims of the file store.
 *
 * A claim is the lock (flock) of a file in the store's directory.  A digest of the key is
 * part of the file's name.  The kernel releases the lock when the process has ended and
 * no forked child has the file open.  A forked child shares the lock with its parent, but
 * does not have the claim.
 *
 * When the holder releases a claim, it removes the name of the file, so that files do not
 * collect.  Nevertheless, two processes cannot hold the same claim:
 * - A process that has locked a file has a claim only if the name still leads to that
 *   file.
 * - Only the holder of a claim removes the name.  Therefore, during a claim, the name
 *   leads to the locked file.
 * - Another process that opens the name during a claim opens the locked file, and flock()
 *   gives it no lock.
 * - A process that opened the file before the holder removed the name may lock the file
 *   after the removal.  The name then leads to no file or to a new file, and the process
 *   tries again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "auth/store_inner.h"

struct claim {
    struct mcph_token_claim base;
    int dir;
    pid_t pid; /* the process that made the claim */
    char name[MCPH_DIGEST_HEX + sizeof("claim-.lock")];
};

static void
name_claim(const struct mcph_store_key *key, struct claim *claim)
{
    const char *const texts[] = {key->issuer, key->resource, key->client, key->account};
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];
    struct mcph_sha256 sha;

    mcph_sha256_init(&sha);
    /* Also add the NUL of each text, so that no two keys give the same bytes. */
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++)
        mcph_sha256_add(&sha, texts[i], strlen(texts[i]) + 1);
    mcph_sha256_end(&sha, digest);
    mcph_hex(digest, sizeof(digest), hex);
    memcpy(claim->name, "claim-", 6);
    memcpy(claim->name + 6, hex, MCPH_DIGEST_HEX - 1);
    memcpy(claim->name + 6 + MCPH_DIGEST_HEX - 1, ".lock", sizeof(".lock"));
}

/* Makes the error that names the holder of the claim. */
static int
tell_busy(int fd, mcphost_error **reterr)
{
    char text[MCPH_STORE_HOLDER_MAX];
    ssize_t n = pread(fd, text, sizeof(text), 0);
    struct mcph_buf shown;
    const char *holder = NULL;
    int r;

    mcph_buf_init(&shown, 4 * sizeof(text));
    if (n > 0 && mcph_utf8_add_clean(&shown, text, (size_t)n, true) == 0)
        holder = mcph_buf_text(&shown);
    r = mcph_err(reterr, MCPHOST_E_BUSY, "the tokens are being refreshed by %s",
                 holder ? holder : "another process");
    mcph_buf_done(&shown);
    return r;
}

/* Opens and locks the file.  Returns 1 if the file was removed between the two steps. */
static int
try_lock(struct claim *claim, const char *path, mcphost_error **reterr)
{
    int r = mcph_store_dir_file(claim->dir, path, claim->name, O_RDWR | O_CREAT,
                                &claim->base.fd, reterr);

    if (r < 0)
        return r;
    r = mcph_store_dir_lock(claim->dir, claim->base.fd, path, claim->name, reterr);
    if (r == MCPHOST_E_BUSY)
        r = tell_busy(claim->base.fd, reterr);
    if (r == 0)
        return 0;
    close(claim->base.fd);
    claim->base.fd = -1;
    return r;
}

static void
note_holder(const struct claim *claim, const char *holder)
{
    size_t len = strlen(holder);

    /* Ignore failures, because the text only improves the messages of other processes. */
    if (ftruncate(claim->base.fd, 0) < 0 ||
        pwrite(claim->base.fd, holder, len, 0) != (ssize_t)len)
        (void)!ftruncate(claim->base.fd, 0);
}

int
mcph_store_file_claim(struct mcph_store *store, const struct mcph_store_key *key,
                      const char *holder, struct mcph_token_claim **ret,
                      mcphost_error **reterr)
{
    const char *path = MCPH_CONTAINER_OF(store, struct mcph_store_file, base)->dir;
    struct claim *claim = mcph_zalloc(sizeof(*claim), 0);
    int r;

    if (!claim)
        return mcph_err_nomem(reterr);
    claim->base = (struct mcph_token_claim){.store = store, .fd = -1};
    claim->dir = -1;
    claim->pid = getpid();
    name_claim(key, claim);
    r = mcph_store_dir_open(path, true, &claim->dir, reterr);
    for (int i = 0; r >= 0; i++) {
        r = i < MCPH_STORE_TRIES
                ? try_lock(claim, path, reterr)
                : mcph_err(reterr, MCPHOST_E_BUSY,
                           "other processes claim the tokens in quick succession");
        if (r == 0)
            break;
    }
    if (r < 0) {
        if (claim->dir >= 0)
            close(claim->dir);
        free(claim);
        return r;
    }
    note_holder(claim, holder);
    *ret = &claim->base;
    return 0;
}

void
mcph_store_file_release(struct mcph_token_claim *base)
{
    struct claim *claim = MCPH_CONTAINER_OF(base, struct claim, base);

    /* A forked child also has the descriptor of the lock, but only its parent owns the
     * claim.  Therefore a child does not remove the file. */
    if (claim->pid == getpid())
        unlinkat(claim->dir, claim->name, 0);
    close(claim->base.fd);
    close(claim->dir);
    free(claim);
}
