/* SPDX-License-Identifier: MIT
 *
 * store_calls.c - a store of the application's functions.
 *
 * The application keeps texts under keys.  This file makes the keys and compares the
 * versions.  A write reads the record again, compares its version with the expected
 * version, and gives the application the record that the new record replaces.  The
 * application replaces only that record, so that no write of another process is lost
 * between the two steps.
 *
 * The application's functions run on several threads, but never two at the same time:
 * while one of them runs, the store is busy.  No lock is held around them.  Therefore a
 * function that uses the store through the library gets MCPHOST_E_BUSY, and cannot
 * deadlock.
 *
 * The application's functions make no claims.  Therefore this store claims keys in a
 * store in memory, which keeps the logins of this host apart.  Between processes, only
 * the comparison of versions protects a record.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "auth/store.h"
#include "json/json.h"

#define LISTED_MAX 10000 /* limit on the keys of one list */
#define ROOM       (MCPH_STORE_RECORD_MAX + 1)

_Static_assert(MCPH_STORE_NAME_MAX >= (size_t)4 * (6 * MCPH_STORE_TEXT_MAX + 3) + 1,
               "the longest texts fit into a key, if each byte needs an escape");

struct calls_store {
    struct mcph_store base;
    struct mcph_store *claims; /* a store in memory, for claims alone */
    struct mcph_store_calls calls;
    atomic_flag busy;
};

static struct calls_store *
calls_of(struct mcph_store *store)
{
    return MCPH_CONTAINER_OF(store, struct calls_store, base);
}

/* ---- calls ------------------------------------------------------------------------- */

static int
enter(struct calls_store *store, mcphost_error **reterr)
{
    if (atomic_flag_test_and_set_explicit(&store->busy, memory_order_acquire))
        return mcph_err(reterr, MCPHOST_E_BUSY,
                        "another thread is using the application's store of tokens");
    return 0;
}

static int
leave(struct calls_store *store, int r)
{
    atomic_flag_clear_explicit(&store->busy, memory_order_release);
    return r;
}

/* Turns the code that a function of the application has returned into a result.  Takes
 * over `made`, the error of the function. */
static int
judge(int r, mcphost_error *made, const char *what, mcphost_error **reterr)
{
    /* Replace MCPHOST_E_STATE, because this code would say that the store has moved
     * damaged contents aside.  Also replace negative numbers that are no error
     * codes. */
    if (r == MCPHOST_E_STATE ||
        (r < 0 && !mcphost_enum_get_name(MCPHOST_ENUM_ERROR_CODE, r)))
        r = MCPHOST_E_IO;
    if (r < 0)
        mcph_err(reterr, r, "the application cannot %s tokens: %s", what,
                 made ? mcphost_error_get_message(made) : mcphost_strerror(r));
    mcphost_error_unref(made);
    return r < 0 ? r : 0;
}

static void
wipe_room(char *room)
{
    if (room)
        explicit_bzero(room, ROOM);
    free(room);
}

/* Checks that the text in `room` ends within `size` bytes. */
static int
check_end(const char *room, size_t size, mcphost_error **reterr)
{
    if (memchr(room, '\0', size))
        return 0;
    return mcph_err(reterr, MCPHOST_E_LIMIT,
                    "the application's store of tokens gave a text of more than %zu "
                    "bytes",
                    size - 1);
}

/* Loads the record of a key into `room`, which has ROOM bytes. */
static int
load(struct calls_store *store, const char *name, char *room, mcphost_error **reterr)
{
    mcphost_error *made = NULL;
    int r = store->calls.load(name, room, ROOM, store->calls.arg, &made);

    if (r == MCPHOST_E_NOTFOUND) {
        mcphost_error_unref(made);
        return mcph_err(reterr, r,
                        "no tokens are stored for this server, client and account");
    }
    r = judge(r, made, "load", reterr);
    return r < 0 ? r : check_end(room, ROOM, reterr);
}

static int
save(struct calls_store *store, const char *name, const char *old, const char *text,
     mcphost_error **reterr)
{
    mcphost_error *made = NULL;
    int r = store->calls.save(name, old, text, store->calls.arg, &made);

    return judge(r, made, text ? "save" : "remove", reterr);
}

/* ---- keys -------------------------------------------------------------------------- */

/* Makes the key of a record: a JSON array of the four texts.  The caller frees it. */
static char *
make_name(const struct mcph_store_key *key)
{
    const char *const texts[] = {key->issuer, key->resource, key->client, key->account};
    struct mcph_buf buf;
    char *name = NULL;

    mcph_buf_init(&buf, MCPH_STORE_NAME_MAX);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        mcph_buf_addc(&buf, i == 0 ? '[' : ',');
        mcph_json_add_str(&buf, texts[i]);
    }
    if (mcph_buf_addc(&buf, ']') == 0)
        name = mcph_strndup(buf.data, buf.len);
    mcph_buf_done(&buf);
    return name;
}

/* Reads a key into four texts, which the caller frees.  Returns 1, 0 if `name` is not a
 * key of this library, or MCPHOST_E_NOMEM. */
static int
read_name(const char *name, char *texts[4])
{
    struct mcph_json_iter it;
    struct mcph_span whole, token;
    size_t n = 0;
    int r = 0;

    if (mcph_json_check(mcph_span(name, strlen(name)), 2, &whole, NULL) < 0 ||
        mcph_json_type(whole) != MCPH_JSON_ARRAY)
        return 0;
    mcph_json_iter_init(&it, whole);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &token)) {
        if (n == 4 || mcph_json_type(token) != MCPH_JSON_STRING)
            return 0;
        r = mcph_json_string_dup(token, &texts[n++]);
    }
    if (r == MCPHOST_E_NOMEM)
        return r;
    return r == 0 && n == 4;
}

/* ---- the functions of the store ---------------------------------------------------- */

/* One operation on a record: the store, the record's key, and a buffer for the record. */
struct visit {
    struct calls_store *store;
    char *name, *room;
};

/* Begins an operation, and loads the record.  Call end() at the end of the operation,
 * even if begin() fails. */
static int
begin(struct visit *v, struct mcph_store *store, const struct mcph_store_key *key,
      mcphost_error **reterr)
{
    int r = enter(calls_of(store), reterr);

    *v = (struct visit){0};
    if (r < 0)
        return r;
    v->store = calls_of(store);
    v->name = make_name(key);
    v->room = calloc(1, ROOM);
    if (!v->name || !v->room)
        return mcph_err_nomem(reterr);
    return load(v->store, v->name, v->room, reterr);
}

static int
end(struct visit *v, int r)
{
    wipe_room(v->room);
    free(v->name);
    return v->store ? leave(v->store, r) : r;
}

static int
calls_read(struct mcph_store *store, const struct mcph_store_key *key,
           struct mcph_store_record *ret, mcphost_error **reterr)
{
    struct mcph_store_record made = {0};
    struct visit v;
    int r = begin(&v, store, key, reterr);

    if (r < 0)
        return end(&v, r);
    made.len = strlen(v.room);
    made.text = mcph_strndup(v.room, made.len);
    if (!made.text || mcph_store_version(made.text, made.len, made.version) < 0) {
        mcph_store_record_done(&made);
        return end(&v, mcph_err_nomem(reterr));
    }
    *ret = made;
    return end(&v, 0);
}

/* Compares `expected` with the version of the record that was loaded. */
static int
compare(const struct visit *v, const char *expected, mcphost_error **reterr)
{
    char version[MCPH_DIGEST_HEX];

    if (mcph_store_version(v->room, strlen(v->room), version) < 0)
        return mcph_err_nomem(reterr);
    if (!mcph_streq(expected, version))
        return mcph_err(reterr, MCPHOST_E_EXISTS,
                        "other tokens are stored for this server, client and account");
    return 0;
}

static int
calls_write(struct mcph_store *store, const struct mcph_store_key *key,
            const char *expected, const char *record, size_t len, mcphost_error **reterr)
{
    mcphost_error *missing = NULL;
    bool is_new;
    char *text;
    struct visit v;
    int r = begin(&v, store, key, &missing);

    is_new = r == MCPHOST_E_NOTFOUND && !expected;
    if (is_new)
        r = 0;
    else if (r < 0 && reterr)
        *reterr = mcphost_error_ref(missing);
    else if (r == 0)
        r = compare(&v, expected, reterr);
    mcphost_error_unref(missing);
    if (r < 0)
        return end(&v, r);
    text = mcph_strndup(record, len);
    r = text ? save(v.store, v.name, is_new ? NULL : v.room, text, reterr)
             : mcph_err_nomem(reterr);
    mcph_str_wipe(text);
    return end(&v, r);
}

static int
calls_remove(struct mcph_store *store, const struct mcph_store_key *key,
             const char *expected, mcphost_error **reterr)
{
    struct visit v;
    int r = begin(&v, store, key, reterr);

    if (r == 0)
        r = compare(&v, expected, reterr);
    if (r == 0)
        r = save(v.store, v.name, v.room, NULL, reterr);
    return end(&v, r);
}

/* Passes a key to `each`, unless the key is not a key of this library. */
static int
show(const char *name, mcph_store_each_fn each, void *arg, mcphost_error **reterr)
{
    char *texts[4] = {NULL};
    int r = read_name(name, texts);

    if (r < 0)
        mcph_err_nomem(reterr);
    else if (r == 1)
        r = each(&(struct mcph_store_key){texts[0], texts[1], texts[2], texts[3]}, arg);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++)
        free(texts[i]);
    return r;
}

/* Calls `each` for each key.  `names` are two buffers: one has the previous key, and
 * the other receives the next key. */
static int
list(struct calls_store *store, char *names[2], mcph_store_each_fn each, void *arg,
     mcphost_error **reterr)
{
    for (int n = 0;; n++) {
        const char *after = names[n % 2];
        char *name = names[(n + 1) % 2];
        mcphost_error *made = NULL;
        int r;

        *name = '\0';
        r = store->calls.next(after, name, MCPH_STORE_NAME_MAX, store->calls.arg, &made);
        if (r == MCPHOST_E_NOTFOUND) {
            mcphost_error_unref(made);
            return 0;
        }
        r = judge(r, made, "list", reterr);
        if (r == 0 && n == LISTED_MAX)
            r = mcph_err(reterr, MCPHOST_E_LIMIT,
                         "the application's store of tokens lists more than %d keys",
                         LISTED_MAX);
        if (r == 0)
            r = check_end(name, MCPH_STORE_NAME_MAX, reterr);
        if (r == 0)
            r = show(name, each, arg, reterr);
        if (r < 0)
            return r;
    }
}

static int
calls_list(struct mcph_store *base, mcph_store_each_fn each, void *arg,
           mcphost_error **reterr)
{
    struct calls_store *store = calls_of(base);
    char *names[2] = {calloc(1, MCPH_STORE_NAME_MAX), calloc(1, MCPH_STORE_NAME_MAX)};
    int r = names[0] && names[1] ? enter(store, reterr) : mcph_err_nomem(reterr);

    if (r == 0)
        r = leave(store, list(store, names, each, arg, reterr));
    free(names[0]); /* keys are not secret */
    free(names[1]);
    return r;
}

static int
calls_claim(struct mcph_store *store, const struct mcph_store_key *key,
            const char *holder, struct mcph_token_claim **ret, mcphost_error **reterr)
{
    return mcph_store_claim(calls_of(store)->claims, key, holder, ret, reterr);
}

/* ---- life -------------------------------------------------------------------------- */

static void
calls_free(struct mcph_store *base)
{
    struct calls_store *store = calls_of(base);

    mcph_store_unref(store->claims);
    if (store->calls.free_arg)
        store->calls.free_arg(store->calls.arg);
    free(store);
}

/* The table needs no `release`: each claim belongs to the store in memory, so that
 * mcph_store_release() calls the function of that store. */
static const struct mcph_store_ops calls_ops = {.read = calls_read,
                                                .write = calls_write,
                                                .remove = calls_remove,
                                                .list = calls_list,
                                                .claim = calls_claim,
                                                .free = calls_free};

int
mcph_store_calls_new(const struct mcph_store_calls *calls, struct mcph_store **ret)
{
    struct calls_store *store = calloc(1, sizeof(*store));

    if (!store)
        return MCPHOST_E_NOMEM;
    mcph_store_init(&store->base, &calls_ops);
    store->calls = *calls;
    atomic_flag_clear(&store->busy);
    if (mcph_store_memory_new(&store->claims) < 0) {
        free(store);
        return MCPHOST_E_NOMEM;
    }
    *ret = &store->base;
    return 0;
}
