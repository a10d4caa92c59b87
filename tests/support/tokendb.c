/* SPDX-License-Identifier: MIT
 *
 * tokendb.c - an application's store of tokens.
 */
#include <stdio.h>
#include <string.h>

#include "support/runner.h"
#include "support/tokendb.h"

static int
take_fault(struct tokendb_fault *fault, mcphost_error **reterr)
{
    if (fault->times <= 0)
        return 0;
    fault->times--;
    if (fault->why)
        (void)mcphost_error_new(fault->code, fault->why, reterr);
    return fault->code;
}

static int
find(const struct tokendb *db, const char *key)
{
    int i = 0;

    while (i < db->n && strcmp(db->rows[i].key, key) != 0)
        i++;
    return i;
}

int
tokendb_load(const char *key, char *buffer, size_t size, void *arg,
             mcphost_error **reterr)
{
    struct tokendb *db = arg;
    int i = find(db, key), r;

    db->n_loads++;
    if (db->before)
        db->before();
    r = take_fault(&db->loads, reterr);
    if (db->never_ends)
        memset(buffer, 'x', size);
    if (r < 0 || db->never_ends)
        return r;
    if (i == db->n)
        return MCPHOST_E_NOTFOUND;
    ck_assert_uint_gt(size, sizeof(db->rows[i].text));
    memcpy(buffer, db->rows[i].text, strlen(db->rows[i].text) + 1);
    return 0;
}

int
tokendb_save(const char *key, const char *old, const char *text, void *arg,
             mcphost_error **reterr)
{
    struct tokendb *db = arg;
    int i = find(db, key), r;

    db->n_saves++;
    r = take_fault(&db->saves, reterr);
    if (r < 0)
        return r;
    if (i == db->n && old)
        return MCPHOST_E_NOTFOUND;
    if (i < db->n && (!old || strcmp(old, db->rows[i].text) != 0))
        return MCPHOST_E_EXISTS;
    if (!text) {
        db->rows[i] = db->rows[--db->n];
        return 0;
    }
    ck_assert_int_lt(i, 8);
    ck_assert_uint_lt(strlen(text), sizeof(db->rows[i].text));
    snprintf(db->rows[i].key, sizeof(db->rows[i].key), "%s", key);
    snprintf(db->rows[i].text, sizeof(db->rows[i].text), "%s", text);
    db->n += i == db->n;
    return 0;
}

int
tokendb_next(const char *after, char *buffer, size_t size, void *arg,
             mcphost_error **reterr)
{
    struct tokendb *db = arg;
    const char *best = NULL;
    int r = take_fault(&db->nexts, reterr);

    for (int i = 0; i < db->n; i++) {
        const char *key = db->rows[i].key;

        if (strcmp(key, after) > 0 && (!best || strcmp(key, best) < 0))
            best = key;
    }
    if (db->n_repeated > 0)
        best = db->n_repeated-- > 1 ? db->rows[0].key : NULL;
    if (db->never_ends)
        best = db->rows[0].key;
    if (r == 0 && !best)
        r = MCPHOST_E_NOTFOUND;
    if (r == 0)
        snprintf(buffer, size, "%s", best);
    return r;
}

void
tokendb_free(void *arg)
{
    struct tokendb *db = arg;

    db->n_freed++;
}
