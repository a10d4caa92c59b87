/* SPDX-License-Identifier: MIT
 *
 * store_inner.h - the parts of the file store: its directory (store_dir.c), the claims
 * (store_claim.c) and the file (store_file.c).
 */
#ifndef MCPH_AUTH_STORE_INNER_H
#define MCPH_AUTH_STORE_INNER_H

#include "auth/store.h"

struct mcph_store_file {
    struct mcph_store base;
    char *dir;
};

/* Opens the directory of the store.  If `make` is true, makes the directory and its
 * parents if they are missing.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED or
 * another error. */
int mcph_store_dir_open(const char *path, bool make, int *ret_fd, mcphost_error **reterr);
/* Opens a file of the directory and checks its type, owner and mode.  `flags` are flags
 * of open().  With O_CREAT the file gets the mode 0600.  Messages call the directory
 * `path`.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED or another error. */
int mcph_store_dir_file(int dir, const char *path, const char *name, int flags,
                        int *ret_fd, mcphost_error **reterr);
/* The number of attempts to open and lock a file that another process may remove between
 * the two steps. */
#define MCPH_STORE_TRIES 8

/* Takes the lock of an open file of the directory.  Returns 0, or 1 if the name does
 * not lead to this file any more, so that the lock excludes nobody.  After the result
 * 1, close the file and open the name again.  Returns MCPHOST_E_BUSY without a message
 * if the file is locked, or another error. */
int mcph_store_dir_lock(int dir, int fd, const char *path, const char *name,
                        mcphost_error **reterr);

int mcph_store_file_claim(struct mcph_store *store, const struct mcph_store_key *key,
                          const char *holder, struct mcph_token_claim **ret,
                          mcphost_error **reterr);
void mcph_store_file_release(struct mcph_token_claim *claim);

#endif
