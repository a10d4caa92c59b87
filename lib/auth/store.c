/* SPDX-License-Identifier: MIT
 *
 * store.c - the functions that all stores of tokens share: they check keys and records,
 * and make the versions of records.
 */
#include <stdlib.h>

#include "auth/auth.h"
#include "json/json.h"

/* A record has two tokens, a DPoP key, a client's secret, scopes and some URLs.  A secret
 * takes no more bytes in the record than in the document that it comes from.  Each byte
 * of the other texts may need an escape of two bytes. */
_Static_assert(MCPH_STORE_RECORD_MAX >= 4 * MCPH_OAUTH_TOKEN_MAX + 2 * MCPH_SCOPES_MAX +
                                            16 * MCPH_OAUTH_URL_MAX,
               "the result of a login fits into a record");
_Static_assert(MCPH_STORE_TEXT_MAX >= MCPH_OAUTH_URL_MAX,
               "an issuer, a resource and a client id fit into a key");

int
mcph_store_version(const char *record, size_t len, char ret_version[MCPH_DIGEST_HEX])
{
    unsigned char digest[MCPH_DIGEST_LEN];
    int r = mcph_sha256(record, len, digest);

    if (r < 0)
        return r;
    mcph_hex(digest, sizeof(digest), ret_version);
    return 0;
}

void
mcph_store_record_done(struct mcph_store_record *record)
{
    if (record->text)
        explicit_bzero(record->text, record->len);
    free(record->text);
    *record = (struct mcph_store_record){0};
}

/* Checks a key.  A text that is not UTF-8 would not be found again, because the file of
 * the store would contain other characters. */
static int
check_key(const struct mcph_store_key *key, mcphost_error **reterr)
{
    const char *const texts[] = {key->issuer, key->resource, key->client, key->account};
    static const char *const names[] = {"issuer", "resource", "client", "account"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        if (!mcph_utf8_is_text(texts[i]))
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "cannot store tokens: the %s is not UTF-8", names[i]);
        if (strlen(texts[i]) > MCPH_STORE_TEXT_MAX)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "cannot store tokens: the %s is longer than %d bytes",
                            names[i], MCPH_STORE_TEXT_MAX);
    }
    return 0;
}

int
mcph_store_read(struct mcph_store *store, const struct mcph_store_key *key,
                struct mcph_store_record *ret, mcphost_error **reterr)
{
    int r = check_key(key, reterr);

    return r < 0 ? r : store->ops->read(store, key, ret, reterr);
}

/* Checks a record.  *ret becomes the record without white space around it. */
static int
check_record(const char *record, size_t len, struct mcph_span *ret,
             mcphost_error **reterr)
{
    int r;

    if (len > MCPH_STORE_RECORD_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "cannot store tokens: the record is larger than %zu bytes",
                        MCPH_STORE_RECORD_MAX);
    r = mcph_json_check(mcph_span(record, len), MCPH_STORE_DEPTH_MAX, ret, NULL);
    if (r < 0 || mcph_json_type(*ret) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "cannot store tokens: the record is not a JSON object that "
                        "nests at most %d deep",
                        MCPH_STORE_DEPTH_MAX);
    return 0;
}

int
mcph_store_write(struct mcph_store *store, const struct mcph_store_key *key,
                 const char *expected, const char *record, size_t len,
                 char ret_version[MCPH_DIGEST_HEX], mcphost_error **reterr)
{
    char version[MCPH_DIGEST_HEX];
    struct mcph_span object;
    int r = check_key(key, reterr);

    if (r == 0)
        r = check_record(record, len, &object, reterr);
    if (r < 0)
        return r;
    if (mcph_store_version(object.p, object.len, version) < 0)
        return mcph_err_nomem(reterr);
    r = store->ops->write(store, key, expected, object.p, object.len, reterr);
    if (r == 0 && ret_version)
        memcpy(ret_version, version, sizeof(version));
    return r;
}

int
mcph_store_remove(struct mcph_store *store, const struct mcph_store_key *key,
                  const char *expected, mcphost_error **reterr)
{
    int r = check_key(key, reterr);

    return r < 0 ? r : store->ops->remove(store, key, expected, reterr);
}

struct listing {
    mcph_store_each_fn each;
    void *arg;
};

static int
show_valid(const struct mcph_store_key *key, void *arg)
{
    const struct listing *listing = arg;

    return check_key(key, NULL) < 0 ? 0 : listing->each(key, listing->arg);
}

int
mcph_store_list(struct mcph_store *store, mcph_store_each_fn each, void *arg,
                mcphost_error **reterr)
{
    struct listing listing = {each, arg};

    return store->ops->list(store, show_valid, &listing, reterr);
}

int
mcph_store_claim(struct mcph_store *store, const struct mcph_store_key *key,
                 const char *holder, struct mcph_token_claim **ret,
                 mcphost_error **reterr)
{
    int r = check_key(key, reterr);

    if (r < 0)
        return r;
    if (!mcph_utf8_is_text(holder) || strlen(holder) > MCPH_STORE_HOLDER_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "cannot claim tokens: the holder's name is not UTF-8, or longer "
                        "than %d bytes",
                        MCPH_STORE_HOLDER_MAX);
    return store->ops->claim(store, key, holder, ret, reterr);
}

void
mcph_store_release(struct mcph_token_claim *claim)
{
    if (claim)
        claim->store->ops->release(claim);
}

/* ---- life -------------------------------------------------------------------------- */

void
mcph_store_init(struct mcph_store *store, const struct mcph_store_ops *ops)
{
    store->ops = ops;
    mcph_refs_init(&store->refs);
}

struct mcph_store *
mcph_store_ref(struct mcph_store *store)
{
    if (store)
        mcph_refs_get(&store->refs);
    return store;
}

struct mcph_store *
mcph_store_unref(struct mcph_store *store)
{
    if (store && mcph_refs_put(&store->refs))
        store->ops->free(store);
    return NULL;
}
