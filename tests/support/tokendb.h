/* SPDX-License-Identifier: MIT
 *
 * tokendb.h - an application's store of tokens, for mcphost_set_token_callbacks().
 *
 * The records are not on the heap, so that heap_count() finds only the library's copies.
 */
#ifndef TESTS_SUPPORT_TOKENDB_H
#define TESTS_SUPPORT_TOKENDB_H

#include <stdatomic.h>
#include <stdbool.h>

#include <mcphost/mcphost.h>

struct tokendb {
    struct {
        char key[8192], text[8192];
    } rows[8];
    int n;
    /* The next `times` calls of a function fail with `code`, and with the reason `why`
     * unless `why` is NULL. */
    struct tokendb_fault {
        int code, times;
        const char *why;
    } loads, saves, nexts;
    int n_loads, n_saves;
    atomic_int n_freed;   /* several threads may free stores */
    void (*before)(void); /* called before each load, or NULL */
    int n_repeated;       /* if above 0: the list has only the first key, n_repeated - 1
                           * times; tokendb_next() decrements n_repeated */
    bool never_ends;      /* loads fill the buffer; the list repeats the first key without
                           * end */
};

/* The functions of the store.  `arg` is the struct tokendb. */
int tokendb_load(const char *key, char *buffer, size_t size, void *arg,
                 mcphost_error **reterr);
int tokendb_save(const char *key, const char *old, const char *text, void *arg,
                 mcphost_error **reterr);
int tokendb_next(const char *after, char *buffer, size_t size, void *arg,
                 mcphost_error **reterr);
void tokendb_free(void *arg); /* increments n_freed */

#endif
