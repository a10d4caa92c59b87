/* SPDX-License-Identifier: MIT
 *
 * dialect.c - look up keywords, drafts and vocabularies.
 */
#include <string.h>

#include "schema/inner.h"

#define VOCAB_2019  "https://json-schema.org/draft/2019-09/vocab/"
#define FORMAT_2019 VOCAB_2019 "format"

static const struct keyword {
    const char *name;
    size_t len;
    int first, last, vocab;
} keywords[KW_COUNT] = {
#define KEYWORD(id, name, first, last, vocabulary) \
    [id] = {name, sizeof(name) - 1, first, last, vocabulary},
#include "schema/keywords.h"
#undef KEYWORD
};

/* Recognizes two frequent keywords that check nothing.  mcph_keyword_find() calls this
 * function first, to save the search of the table. */
static bool
is_remark(struct mcph_span token)
{
    return mcph_json_string_is(token, "description", 11) ||
           mcph_json_string_is(token, "title", 5);
}

enum mcph_keyword
mcph_keyword_find(struct mcph_span token, const struct mcph_dialect *dialect)
{
    int i;

    if (is_remark(token))
        return KW_NONE;
    for (i = 1; i < KW_COUNT; i++) {
        const struct keyword *k = &keywords[i];

        if (mcph_json_string_is(token, k->name, k->len) && dialect->draft >= k->first &&
            dialect->draft <= k->last && (dialect->vocab & k->vocab))
            return (enum mcph_keyword)i;
    }
    return KW_NONE;
}

const char *
mcph_keyword_name(enum mcph_keyword keyword)
{
    return keywords[keyword].name ? keywords[keyword].name : "";
}

static bool
strip_prefix(struct mcph_span *uri, const char *with)
{
    size_t len = strlen(with);

    if (uri->len < len || memcmp(uri->p, with, len) != 0)
        return false;
    *uri = mcph_span(uri->p + len, uri->len - len);
    return true;
}

int
mcph_draft_find(struct mcph_span uri)
{
    static const struct {
        const char *place;
        int draft;
    } drafts[] = {
        {"draft/2020-12/schema", MCPHOST_SCHEMA_DRAFT_2020_12},
        {"draft/2019-09/schema", MCPHOST_SCHEMA_DRAFT_2019_09},
        {"draft-07/schema", MCPHOST_SCHEMA_DRAFT_7},
        {"draft-06/schema", MCPHOST_SCHEMA_DRAFT_6},
        {"draft-04/schema", MCPHOST_SCHEMA_DRAFT_4},
    };
    size_t i;

    /* Accept http and https, because schemas use either.  Also accept an empty fragment
     * at the end. */
    if (!strip_prefix(&uri, "https://json-schema.org/") &&
        !strip_prefix(&uri, "http://json-schema.org/"))
        return 0;
    if (uri.len > 0 && uri.p[uri.len - 1] == '#')
        uri.len--;
    for (i = 0; i < MCPH_ARRAY_SIZE(drafts); i++) {
        if (mcph_span_is(uri, drafts[i].place))
            return drafts[i].draft;
    }
    return 0;
}

static int
vocab_find(struct mcph_span token)
{
    static const struct {
        const char *name;
        int vocab;
    } vocabs[] = {
        {"core", VOCAB_CORE},
        {"applicator", VOCAB_APPLICATOR},
        {"unevaluated", VOCAB_UNEVALUATED},
        {"validation", VOCAB_VALIDATION},
        {"format", VOCAB_FORMAT | VOCAB_FORMAT_ASSERTION},
        {"format-annotation", VOCAB_FORMAT},
        {"format-assertion", VOCAB_FORMAT | VOCAB_FORMAT_ASSERTION},
        {"meta-data", VOCAB_CORE},
        {"content", VOCAB_CORE},
    };
    struct mcph_span uri = mcph_span(token.p + 1, token.len - 2);
    bool old = false;
    size_t i;

    if (strip_prefix(&uri, VOCAB_2019))
        old = true;
    else if (!strip_prefix(&uri, "https://json-schema.org/draft/2020-12/vocab/"))
        return 0;
    for (i = 0; i < MCPH_ARRAY_SIZE(vocabs); i++) {
        if (mcph_span_is(uri, vocabs[i].name))
            /* In 2019-09, the vocabulary of applicators includes the unevaluated*
             * keywords. */
            return vocabs[i].vocab | (old && i == 1 ? VOCAB_UNEVALUATED : 0);
    }
    return 0;
}

int
mcph_dialect_vocabulary(struct mcph_span vocabulary, int *ret_vocab)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    int vocab = VOCAB_CORE;

    mcph_json_iter_init(&it, vocabulary);
    while (mcph_json_iter_next(&it, &key, &value)) {
        int one = vocab_find(key);
        bool needed = *value.p == 't';

        if (!one && needed)
            return MCPHOST_E_INVALID;
        /* 2019-09 has one vocabulary for annotation and assertion of `format`.  Let
         * `format` assert only if this vocabulary is required. */
        if (!needed && mcph_json_string_is(key, FORMAT_2019, sizeof(FORMAT_2019) - 1))
            one = VOCAB_FORMAT;
        vocab |= one;
    }
    *ret_vocab = vocab;
    return 0;
}
