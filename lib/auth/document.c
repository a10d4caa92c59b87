/* SPDX-License-Identifier: MIT
 *
 * document.c - the documents of OAuth: JSON objects that foreign servers wrote.
 *
 * Secrets and numbers of seconds stay raw JSON text in the tree.  Therefore each secret
 * is in one block of memory, and mcph_json_wipe() can wipe this block.  A number of
 * seconds can have any size and spelling, because mcph_oauth_doc_seconds() reads the raw
 * text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"
#include "json/json.h"
#include "net/net.h"

#define DEPTH_MAX 32
#define WORDS_MAX ((size_t)16 * 1024)

static const char *const raw_names[] = {
    MCPH_JSON_RAW "access_token",
    MCPH_JSON_RAW "refresh_token",
    MCPH_JSON_RAW "id_token",
    MCPH_JSON_RAW "client_secret",
    MCPH_JSON_RAW "device_code",
    MCPH_JSON_RAW "registration_access_token",
    MCPH_JSON_RAW "expires_in",
    MCPH_JSON_RAW "interval",
    MCPH_JSON_RAW "client_secret_expires_at",
    MCPH_JSON_RAW "expires_at",
    MCPH_JSON_RAW "dpop_key",
    NULL,
};

/* ---- messages ---------------------------------------------------------------------- */

/* Returns the advice for an error that gives no advice of its own. */
static const char *
default_next(int code)
{
    switch (code) {
    case MCPHOST_E_AUTH:
        return "log in again";
    case MCPHOST_E_TRANSPORT:
    case MCPHOST_E_TIMEOUT:
        return "check the network, or try again later";
    case MCPHOST_E_CONFIG:
        return "correct the configuration";
    default:
        return "tell the operator of the server";
    }
}

int
mcph_oauth_fail(mcphost_error **reterr, int code, const char *step, const char *url,
                const char *next, const char *fmt, ...)
{
    char *shown = url ? mcph_net_url_shown(url) : NULL, *reason;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&reason, fmt, ap);
    va_end(ap);
    if (n < 0 || (url && !shown)) {
        if (n >= 0)
            free(reason);
        free(shown);
        return mcph_err_nomem(reterr);
    }
    mcph_err(reterr, code, "%s%s%s: %s; %s", step, shown ? " at " : "",
             shown ? shown : "", reason, next ? next : default_next(code));
    free(reason);
    free(shown);
    return code;
}

/* ---- opening and closing ----------------------------------------------------------- */

int
mcph_oauth_doc_open(struct mcph_oauth_doc *doc, const char *step, const char *url,
                    const char *text, size_t len, mcphost_error **reterr)
{
    struct mcph_oauth_doc made = {.step = step, .url = url};
    mcphost_error *why = NULL;
    int r;

    if (len > MCPH_OAUTH_DOCUMENT_MAX)
        return mcph_oauth_fail(reterr, MCPHOST_E_LIMIT, step, url, NULL,
                               "the document is longer than %zu bytes",
                               MCPH_OAUTH_DOCUMENT_MAX);
    r = mcph_json_load(mcph_span(text, len), DEPTH_MAX, "the document", raw_names,
                       MCPH_TREE_UNIQUE | MCPH_TREE_LENIENT, &made.object, &why);
    if (r == MCPHOST_E_NOMEM)
        mcph_err_nomem(reterr);
    else if (r < 0)
        r = mcph_oauth_fail(reterr, r == MCPHOST_E_INVALID ? MCPHOST_E_PROTOCOL : r, step,
                            url, "check that the URL is right", "%s",
                            mcphost_error_get_message(why));
    mcphost_error_unref(why);
    if (r == 0)
        *doc = made;
    return r;
}

void
mcph_oauth_doc_close(struct mcph_oauth_doc *doc)
{
    mcph_json_wipe(doc->object);
    doc->object = NULL;
}

/* ---- members ----------------------------------------------------------------------- */

/* Returns the member of this name, or NULL if the member is absent or null. */
static const json_t *
find_member(const struct mcph_oauth_doc *doc, const char *name)
{
    const json_t *value = json_object_get(doc->object, name);

    return json_is_null(value) ? NULL : value;
}

/* Returns the raw text of a member.  The p of the span is NULL if the member is absent or
 * null. */
static struct mcph_span
find_raw(const struct mcph_oauth_doc *doc, const char *name)
{
    char key[64];
    const json_t *value;
    struct mcph_span span;

    snprintf(key, sizeof(key), MCPH_JSON_RAW "%s", name);
    value = json_object_get(doc->object, key);
    span = mcph_span(json_string_value(value), json_string_length(value));
    return mcph_json_is_null(span) ? MCPH_SPAN_NONE : span;
}

static int
refuse_member(const struct mcph_oauth_doc *doc, const char *name, const char *fault,
              mcphost_error **reterr)
{
    return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                           "the member \"%s\" %s", name, fault);
}

int
mcph_oauth_doc_text(const struct mcph_oauth_doc *doc, const char *name, size_t max,
                    char **ret, mcphost_error **reterr)
{
    const json_t *value = find_member(doc, name);
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);
    char *copy;

    if (!value) {
        *ret = NULL;
        return 0;
    }
    if (!text)
        return refuse_member(doc, name, "is not a text", reterr);
    if (len > max)
        return refuse_member(doc, name, "is too long", reterr);
    if (!mcph_utf8_is_plain(text, len))
        return refuse_member(doc, name, "has a control character", reterr);
    copy = mcph_strndup(text, len);
    if (!copy)
        return mcph_err_nomem(reterr);
    *ret = copy;
    return 0;
}

int
mcph_oauth_doc_secret(const struct mcph_oauth_doc *doc, const char *name, bool blanks,
                      char **ret, mcphost_error **reterr)
{
    struct mcph_span raw = find_raw(doc, name);
    char *copy, least = blanks ? ' ' : '!';

    if (!raw.p) {
        *ret = NULL;
        return 0;
    }
    if (mcph_json_type(raw) != MCPH_JSON_STRING)
        return refuse_member(doc, name, "is not a text", reterr);
    if (raw.len > MCPH_OAUTH_TOKEN_MAX)
        return refuse_member(doc, name, "is too long", reterr);
    switch (mcph_json_string_dup(raw, &copy)) {
    case 0:
        break;
    case MCPHOST_E_NOMEM:
        return mcph_err_nomem(reterr);
    default:
        return refuse_member(doc, name, "has a NUL character", reterr);
    }
    for (const char *p = copy; *p; p++)
        if (*p < least || *p > '~') {
            mcph_str_wipe(copy);
            return refuse_member(doc, name, "has a character that is not allowed",
                                 reterr);
        }
    *ret = copy;
    return 0;
}

/* Returns the text of an array's element if the element is one word, or NULL. */
static const char *
get_word(const json_t *item)
{
    const char *text = json_string_value(item);
    size_t len = json_string_length(item);

    for (size_t i = 0; text && i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return NULL;
    return len > 0 ? text : NULL;
}

int
mcph_oauth_doc_words(const struct mcph_oauth_doc *doc, const char *name, char **ret,
                     mcphost_error **reterr)
{
    const json_t *array = find_member(doc, name), *item;
    struct mcph_buf words;
    char *made;
    size_t i;

    if (!array) {
        *ret = NULL;
        return 0;
    }
    if (!json_is_array(array))
        return refuse_member(doc, name, "is not an array", reterr);
    mcph_buf_init(&words, WORDS_MAX);
    json_array_foreach(array, i, item)
    {
        const char *word = get_word(item);

        if (word && words.len > 0)
            mcph_buf_addc(&words, ' ');
        if (word)
            mcph_buf_adds(&words, word);
    }
    if (mcph_buf_ok(&words) == MCPHOST_E_LIMIT) {
        mcph_buf_done(&words);
        return refuse_member(doc, name, "is too long", reterr);
    }
    made = mcph_buf_steal(&words, NULL);
    mcph_buf_done(&words);
    if (!made)
        return mcph_err_nomem(reterr);
    *ret = made;
    return 0;
}

bool
mcph_oauth_doc_has(const struct mcph_oauth_doc *doc, const char *name, const char *word)
{
    const json_t *array = find_member(doc, name), *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        const char *text = get_word(item);

        if (text && strcmp(text, word) == 0)
            return true;
    }
    return false;
}

bool
mcph_oauth_doc_flag(const struct mcph_oauth_doc *doc, const char *name)
{
    return json_is_true(json_object_get(doc->object, name));
}

int64_t
mcph_oauth_doc_seconds(const struct mcph_oauth_doc *doc, const char *name, int64_t max)
{
    struct mcph_span raw = find_raw(doc, name);
    int64_t n;
    double d;

    if (mcph_json_type(raw) == MCPH_JSON_STRING)
        raw = mcph_span(raw.p + 1, raw.len - 2);
    if (raw.len == 0 || mcph_json_check(raw, 0, NULL, NULL) < 0 ||
        mcph_json_type(raw) != MCPH_JSON_NUMBER)
        return -1;
    if (mcph_json_int64(raw, &n) < 0) {
        /* If a double cannot hold the number, the sign decides: the result is `max` or
         * 0. */
        if (mcph_json_double(raw, &d) < 0)
            d = raw.p[0] == '-' ? -1 : (double)max;
        n = d >= (double)max ? max : d <= 0 ? 0 : (int64_t)d;
    }
    return n < 0 ? 0 : n > max ? max : n;
}
