/* SPDX-License-Identifier: MIT
 *
 * store_text.h - the text of tokens.json (store_text.c), for the file store.
 *
 *   {"format": 1,
 *    "tokens": [
 *      {"issuer": "...", "resource": "...", "client": "...", "account": "...",
 *       "record": {...}}]}
 *
 * The functions do no input or output.  They change a text by copying its parts, so that
 * members that they do not know keep their bytes.
 */
#ifndef MCPH_AUTH_STORE_TEXT_H
#define MCPH_AUTH_STORE_TEXT_H

#include "auth/store.h"
#include "json/json.h"

#define MCPH_TOKENS_FORMAT 1
#define MCPH_TOKENS_DEPTH  64

/* A text that mcph_tokens_check() has checked.  `text` is the whole text and `list` its
 * array of entries, both borrowed.  If there is no file, both spans are
 * MCPH_SPAN_NONE. */
struct mcph_tokens {
    struct mcph_span text, list;
};

/* An entry of the list.  The texts of the key are JSON strings, with their quotes. */
struct mcph_token_entry {
    struct mcph_span whole, issuer, resource, client, account, record;
};

/* Checks a text.  Messages call the text `shown`, give a line and a column where
 * possible, and contain no bytes of the text.  Returns 0, MCPHOST_E_INVALID if the text
 * is damaged, or MCPHOST_E_UNSUPPORTED if the text has a newer format than this
 * library. */
int mcph_tokens_check(struct mcph_span text, const char *shown, struct mcph_tokens *ret,
                      mcphost_error **reterr);
/* Takes the next entry of a checked list.  Returns false at the end. */
bool mcph_tokens_next(struct mcph_json_iter *it, struct mcph_token_entry *ret);
bool mcph_tokens_find(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                      struct mcph_token_entry *ret);
/* These functions make a new text.  In the text of mcph_tokens_put(), the key has the
 * record `record`, a checked JSON object.  In the text of mcph_tokens_remove(), the key
 * has no entry; the entry must exist before.  The buffer never grows, and therefore
 * leaves no copy behind.  Wipe *ret, even after a failure.  The functions
 * return 0, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM, without a message. */
int mcph_tokens_put(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                    struct mcph_span record, struct mcph_buf *ret);
int mcph_tokens_remove(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                       struct mcph_buf *ret);

#endif
