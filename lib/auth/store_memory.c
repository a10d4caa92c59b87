/* SPDX-License-Identifier: MIT
 *
 * store_memory.c - a store in memory: its tokens end with the host.
 *
 * The store has a lock of its own, because any thread may list the logins of a host.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "auth/store_inner.h"

struct memory_record {
    struct mcph_list link;
    char *texts[4]; /* issuer, resource, client, account */
    char *text;     /* the record; NULL for a key that is only claimed */
    size_t len;
    bool is_claimed;
    char holder[MCPH_STORE_HOLDER_MAX + 1];
};

struct memory_store {
    struct mcph_store base;
    pthread_mutex_t mutex;
    struct mcph_list records;
};

struct memory_claim {
    struct mcph_token_claim base;
    struct memory_record *record;
};

static struct memory_store *
memory_of(struct mcph_store *store)
{
    return MCPH_CONTAINER_OF(store, struct memory_store, base);
}

static void
record_free(struct memory_record *record)
{
    mcph_list_remove(&record->link);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(record->texts); i++)
        free(record->texts[i]);
    mcph_str_wipe(record->text);
    free(record);
}

static struct memory_record *
find_record(struct mcph_store *store, const struct mcph_store_key *key)
{
    mcph_list_for_each_entry (r, &memory_of(store)->records, struct memory_record, link) {
        if (strcmp(r->texts[0], key->issuer) == 0 &&
            strcmp(r->texts[1], key->resource) == 0 &&
            strcmp(r->texts[2], key->client) == 0 &&
            strcmp(r->texts[3], key->account) == 0)
            return r;
    }
    return NULL;
}

static struct memory_record *
make_record(struct mcph_store *store, const struct mcph_store_key *key)
{
    const char *const texts[] = {key->issuer, key->resource, key->client, key->account};
    struct memory_record *record = find_record(store, key);
    bool good = true;

    if (record)
        return record;
    record = calloc(1, sizeof(*record));
    if (!record)
        return NULL;
    mcph_list_init(&record->link);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        record->texts[i] = mcph_strdup(texts[i]);
        good = good && record->texts[i];
    }
    if (good) {
        mcph_list_append(&memory_of(store)->records, &record->link);
        return record;
    }
    record_free(record);
    return NULL;
}

/* Frees a record that has neither a text nor a claim. */
static void
drop_unused(struct memory_record *record)
{
    if (record && !record->text && !record->is_claimed)
        record_free(record);
}

static int
read_locked(struct mcph_store *store, const struct mcph_store_key *key,
            struct mcph_store_record *ret, mcphost_error **reterr)
{
    const struct memory_record *record = find_record(store, key);
    struct mcph_store_record made = {0};
    int r;

    if (!record || !record->text)
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "there are no tokens for this server");
    r = mcph_store_version(record->text, record->len, made.version);
    made.text = r == 0 ? mcph_strndup(record->text, record->len) : NULL;
    made.len = record->len;
    if (!made.text)
        return mcph_err_nomem(reterr);
    *ret = made;
    return 0;
}

/* Compares the version of the present record with the expected version.  If `expected` is
 * NULL, there must be no record. */
static int
check_version(const struct memory_record *record, const char *expected,
              mcphost_error **reterr)
{
    char version[MCPH_DIGEST_HEX];

    if (!record || !record->text)
        return expected ? mcph_err(reterr, MCPHOST_E_NOTFOUND,
                                   "the tokens were removed meanwhile")
                        : 0;
    if (mcph_store_version(record->text, record->len, version) < 0)
        return mcph_err_nomem(reterr);
    return expected && strcmp(version, expected) == 0
               ? 0
               : mcph_err(reterr, MCPHOST_E_EXISTS, "the tokens were replaced meanwhile");
}

static int
write_locked(struct mcph_store *store, const struct mcph_store_key *key,
             const char *expected, const char *text, size_t len, mcphost_error **reterr)
{
    struct memory_record *record = find_record(store, key);
    int r = check_version(record, expected, reterr);
    char *copy;

    if (r < 0)
        return r;
    copy = mcph_strndup(text, len);
    record = copy ? make_record(store, key) : NULL;
    if (!record) {
        mcph_str_wipe(copy);
        return mcph_err_nomem(reterr);
    }
    mcph_str_wipe(record->text);
    record->text = copy;
    record->len = len;
    return 0;
}

static int
remove_locked(struct mcph_store *store, const struct mcph_store_key *key,
              const char *expected, mcphost_error **reterr)
{
    struct memory_record *record = find_record(store, key);
    int r = check_version(record, expected ? expected : "", reterr);

    if (r < 0)
        return r;
    mcph_str_wipe(record->text);
    record->text = NULL;
    drop_unused(record);
    return 0;
}

static int
list_locked(struct mcph_store *store, mcph_store_each_fn each, void *arg,
            mcphost_error **reterr)
{
    int r = 0;

    (void)reterr;
    mcph_list_for_each_entry (rec, &memory_of(store)->records, struct memory_record,
                              link) {
        const struct mcph_store_key key = {.issuer = rec->texts[0],
                                           .resource = rec->texts[1],
                                           .client = rec->texts[2],
                                           .account = rec->texts[3]};

        if (r == 0 && rec->text)
            r = each(&key, arg);
    }
    return r;
}

static int
claim_locked(struct mcph_store *store, const struct mcph_store_key *key,
             const char *holder, struct mcph_token_claim **ret, mcphost_error **reterr)
{
    struct memory_record *record = make_record(store, key);
    struct memory_claim *claim;

    if (record && record->is_claimed)
        return mcph_err(reterr, MCPHOST_E_BUSY, "the tokens are claimed by %s",
                        record->holder);
    claim = record ? calloc(1, sizeof(*claim)) : NULL;
    if (!claim) {
        drop_unused(record);
        return mcph_err_nomem(reterr);
    }
    claim->base = (struct mcph_token_claim){.store = store, .fd = -1};
    claim->record = record;
    record->is_claimed = true;
    memcpy(record->holder, holder, strlen(holder) + 1);
    *ret = &claim->base;
    return 0;
}

/* ---- the functions of the store ---------------------------------------------------- */

static struct mcph_store *
enter(struct mcph_store *store)
{
    pthread_mutex_lock(&memory_of(store)->mutex);
    return store;
}

static int
leave(struct mcph_store *store, int r)
{
    pthread_mutex_unlock(&memory_of(store)->mutex);
    return r;
}

static int
memory_read(struct mcph_store *store, const struct mcph_store_key *key,
            struct mcph_store_record *ret, mcphost_error **reterr)
{
    return leave(store, read_locked(enter(store), key, ret, reterr));
}

static int
memory_write(struct mcph_store *store, const struct mcph_store_key *key,
             const char *expected, const char *text, size_t len, mcphost_error **reterr)
{
    return leave(store, write_locked(enter(store), key, expected, text, len, reterr));
}

static int
memory_remove(struct mcph_store *store, const struct mcph_store_key *key,
              const char *expected, mcphost_error **reterr)
{
    return leave(store, remove_locked(enter(store), key, expected, reterr));
}

static int
memory_list(struct mcph_store *store, mcph_store_each_fn each, void *arg,
            mcphost_error **reterr)
{
    return leave(store, list_locked(enter(store), each, arg, reterr));
}

static int
memory_claim(struct mcph_store *store, const struct mcph_store_key *key,
             const char *holder, struct mcph_token_claim **ret, mcphost_error **reterr)
{
    return leave(store, claim_locked(enter(store), key, holder, ret, reterr));
}

static void
memory_release(struct mcph_token_claim *base)
{
    struct memory_claim *claim = MCPH_CONTAINER_OF(base, struct memory_claim, base);

    enter(base->store);
    claim->record->is_claimed = false;
    drop_unused(claim->record);
    leave(base->store, 0);
    free(claim);
}

static void
memory_free(struct mcph_store *store)
{
    struct memory_store *memory = memory_of(store);

    while (!mcph_list_empty(&memory->records))
        record_free(MCPH_LIST_ENTRY(memory->records.next, struct memory_record, link));
    pthread_mutex_destroy(&memory->mutex);
    free(memory);
}

static const struct mcph_store_ops memory_ops = {.read = memory_read,
                                                 .write = memory_write,
                                                 .remove = memory_remove,
                                                 .list = memory_list,
                                                 .claim = memory_claim,
                                                 .release = memory_release,
                                                 .free = memory_free};

int
mcph_store_memory_new(struct mcph_store **ret)
{
    struct memory_store *memory = calloc(1, sizeof(*memory));

    if (!memory)
        return MCPHOST_E_NOMEM;
    pthread_mutex_init(&memory->mutex, NULL);
    mcph_store_init(&memory->base, &memory_ops);
    mcph_list_init(&memory->records);
    *ret = &memory->base;
    return 0;
}
