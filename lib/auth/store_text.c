/* SPDX-License-Identifier: MIT
 *
 * store_text.c - read and change the text of tokens.json.
 *
 * The text is never turned into a tree: a tree would be one more copy of each token, in
 * many blocks of memory, and would lose the spelling of members that other versions of
 * the library have written.
 */
#include "auth/store_text.h"

/* ---- reading ----------------------------------------------------------------------- */

static int
refuse(mcphost_error **reterr, struct mcph_span text, const char *at, const char *shown,
       const char *why)
{
    int line, column;

    mcph_json_position(text, (size_t)(at - text.p), &line, &column);
    return mcph_err_at(reterr, MCPHOST_E_INVALID, NULL, line, column,
                       "'%s' is damaged at line %d, column %d: %s", shown, line, column,
                       why);
}

/* Reads an entry.  Returns false if the entry is not an object with the members of an
 * entry, or if its record is too long. */
static bool
read_entry(struct mcph_span whole, struct mcph_token_entry *ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("issuer"), MCPH_JSON_WANT("resource"),
                                    MCPH_JSON_WANT("client"), MCPH_JSON_WANT("account"),
                                    MCPH_JSON_WANT("record")};

    if (mcph_json_pick(whole, want, MCPH_ARRAY_SIZE(want)) < 0)
        return false;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(want) - 1; i++) {
        if (mcph_json_type(want[i].value) != MCPH_JSON_STRING)
            return false;
    }
    *ret = (struct mcph_token_entry){.whole = whole,
                                     .issuer = want[0].value,
                                     .resource = want[1].value,
                                     .client = want[2].value,
                                     .account = want[3].value,
                                     .record = want[4].value};
    return mcph_json_type(ret->record) == MCPH_JSON_OBJECT &&
           ret->record.len <= MCPH_STORE_RECORD_MAX;
}

static int
check_entries(const struct mcph_tokens *tokens, const char *shown, mcphost_error **reterr)
{
    struct mcph_token_entry entry;
    struct mcph_json_iter it;
    struct mcph_span value;

    mcph_json_iter_init(&it, tokens->list);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        if (!read_entry(value, &entry))
            return refuse(reterr, tokens->text, value.p, shown,
                          "this is not an entry of the list of tokens");
    }
    return 0;
}

int
mcph_tokens_check(struct mcph_span text, const char *shown, struct mcph_tokens *ret,
                  mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("format"), MCPH_JSON_WANT("tokens")};
    struct mcph_json_fault fault = {0};
    struct mcph_tokens tokens;
    struct mcph_span value;
    int64_t format = 0;
    int r;

    if (mcph_json_check(text, MCPH_TOKENS_DEPTH, &value, &fault) < 0)
        return refuse(reterr, text, text.p + fault.at, shown, fault.why);
    if (mcph_json_pick(value, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        mcph_json_int64(want[0].value, &format) < 0 || format < MCPH_TOKENS_FORMAT)
        return refuse(reterr, text, value.p, shown,
                      "this is not an object with the number of a format");
    if (format > MCPH_TOKENS_FORMAT)
        return mcph_err(reterr, MCPHOST_E_UNSUPPORTED,
                        "'%s' was written by a newer version of the library (its format "
                        "is not %d)",
                        shown, MCPH_TOKENS_FORMAT);
    tokens = (struct mcph_tokens){text, want[1].value};
    if (mcph_json_type(tokens.list) != MCPH_JSON_ARRAY)
        return refuse(reterr, text, value.p, shown, "there is no list of tokens");
    r = check_entries(&tokens, shown, reterr);
    if (r == 0)
        *ret = tokens;
    return r;
}

bool
mcph_tokens_next(struct mcph_json_iter *it, struct mcph_token_entry *ret)
{
    struct mcph_span value;

    return mcph_json_iter_next(it, NULL, &value) && read_entry(value, ret);
}

static bool
is_text(struct mcph_span token, const char *text)
{
    return mcph_json_string_is(token, text, strlen(text));
}

bool
mcph_tokens_find(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                 struct mcph_token_entry *ret)
{
    struct mcph_token_entry entry;
    struct mcph_json_iter it;

    mcph_json_iter_init(&it, tokens->list);
    while (mcph_tokens_next(&it, &entry)) {
        if (is_text(entry.issuer, key->issuer) &&
            is_text(entry.resource, key->resource) &&
            is_text(entry.client, key->client) && is_text(entry.account, key->account)) {
            *ret = entry;
            return true;
        }
    }
    return false;
}

/* ---- writing ----------------------------------------------------------------------- */

/* Allocates a buffer for the present text and `more` further bytes. */
static int
begin(const struct mcph_tokens *tokens, size_t more, struct mcph_buf *ret)
{
    mcph_buf_init_sized(ret, tokens->text.len + more, tokens->text.len + more);
    return mcph_buf_ok(ret);
}

static int
finish(const struct mcph_buf *made)
{
    if (mcph_buf_ok(made) < 0)
        return mcph_buf_ok(made);
    return made->len > MCPH_STORE_FILE_MAX ? MCPHOST_E_LIMIT : 0;
}

static void
add_range(struct mcph_buf *buf, const char *from, const char *to)
{
    mcph_buf_add(buf, from, (size_t)(to - from));
}

static void
add_entry(struct mcph_buf *buf, const struct mcph_store_key *key, struct mcph_span record)
{
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "issuer", key->issuer);
    mcph_json_add_member(buf, "resource", key->resource);
    mcph_json_add_member(buf, "client", key->client);
    mcph_json_add_member(buf, "account", key->account);
    mcph_json_add_key(buf, "record");
    mcph_json_add_span(buf, record);
    mcph_buf_addc(buf, '}');
}

/* Returns an upper bound on the bytes of a new entry and the text around it.  Each byte
 * of a text of the key may become an escape of six bytes. */
static size_t
entry_room(const struct mcph_store_key *key, struct mcph_span record)
{
    return record.len + 256 +
           6 * (strlen(key->issuer) + strlen(key->resource) + strlen(key->client) +
                strlen(key->account));
}

int
mcph_tokens_put(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                struct mcph_span record, struct mcph_buf *ret)
{
    const char *text = tokens->text.p, *end = text + tokens->text.len;
    struct mcph_token_entry entry;
    struct mcph_json_iter it;
    const char *at;

    if (begin(tokens, entry_room(key, record), ret) < 0)
        return mcph_buf_ok(ret);
    if (!text) {
        mcph_buf_addf(ret, "{\n\"format\": %d,\n\"tokens\": [\n", MCPH_TOKENS_FORMAT);
        add_entry(ret, key, record);
        mcph_buf_adds(ret, "\n]\n}\n");
    } else if (mcph_tokens_find(tokens, key, &entry)) {
        add_range(ret, text, entry.record.p);
        mcph_json_add_span(ret, record);
        add_range(ret, entry.record.p + entry.record.len, end);
    } else {
        at = tokens->list.p + 1;
        mcph_json_iter_init(&it, tokens->list);
        while (mcph_tokens_next(&it, &entry))
            at = entry.whole.p + entry.whole.len;
        add_range(ret, text, at);
        mcph_buf_adds(ret, at == tokens->list.p + 1 ? "\n" : ",\n");
        add_entry(ret, key, record);
        add_range(ret, at, end);
    }
    return finish(ret);
}

int
mcph_tokens_remove(const struct mcph_tokens *tokens, const struct mcph_store_key *key,
                   struct mcph_buf *ret)
{
    const char *text = tokens->text.p, *end = text + tokens->text.len;
    const char *from = tokens->list.p + 1, *to;
    struct mcph_token_entry gone, entry;
    struct mcph_json_iter it;

    if (begin(tokens, 0, ret) < 0)
        return mcph_buf_ok(ret);
    mcph_tokens_find(tokens, key, &gone);
    to = gone.whole.p + gone.whole.len;
    mcph_json_iter_init(&it, tokens->list);
    while (mcph_tokens_next(&it, &entry) && entry.whole.p != gone.whole.p)
        from = entry.whole.p + entry.whole.len;
    /* Remove the comma behind the first entry, or the comma before any other entry. */
    if (from == tokens->list.p + 1 && mcph_tokens_next(&it, &entry))
        to = entry.whole.p;
    add_range(ret, text, from);
    add_range(ret, to, end);
    return finish(ret);
}
