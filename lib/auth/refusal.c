/* SPDX-License-Identifier: MIT
 *
 * refusal.c - the refusals of authorization servers: their meaning, and their error
 * messages.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"

#define WORD_MAX        64
#define DESCRIPTION_MAX 512
#define INTERVAL_MAX    300

static const struct {
    const char *word;
    int why;
    const char *next; /* the next action of the user, or NULL */
} words[] = {
    {"invalid_grant", MCPH_OAUTH_WHY_GRANT, "log in again"},
    {"invalid_client", MCPH_OAUTH_WHY_CLIENT,
     "check the client id and its secret, or register the client again"},
    {"unauthorized_client", MCPH_OAUTH_WHY_CLIENT,
     "allow this grant for the client at the authorization server"},
    {"invalid_scope", MCPH_OAUTH_WHY_SCOPE, "configure other scopes"},
    {"insufficient_scope", MCPH_OAUTH_WHY_SCOPE, "configure other scopes"},
    {"authorization_pending", MCPH_OAUTH_WHY_PENDING, NULL},
    {"slow_down", MCPH_OAUTH_WHY_SLOW_DOWN, NULL},
    {"expired_token", MCPH_OAUTH_WHY_EXPIRED, "log in again"},
    {"access_denied", MCPH_OAUTH_WHY_USER, "log in again and allow the access"},
    {"use_dpop_nonce", MCPH_OAUTH_WHY_NONCE, "try again later"},
    {"temporarily_unavailable", MCPH_OAUTH_WHY_LATER, "try again later"},
    {"server_error", MCPH_OAUTH_WHY_LATER, "try again later"},
    {"invalid_redirect_uri", MCPH_OAUTH_WHY_OTHER,
     "configure a client that is registered by hand"},
    {"invalid_client_metadata", MCPH_OAUTH_WHY_OTHER,
     "configure a client that is registered by hand"},
};

/* Returns the index of a word in `words`, or the size of `words` for an unknown word. */
static size_t
find_word(const char *word)
{
    size_t i = 0;

    while (i < MCPH_ARRAY_SIZE(words) && !mcph_streq(word, words[i].word))
        i++;
    return i;
}

int
mcph_oauth_why(const char *word)
{
    size_t i = find_word(word);

    return i < MCPH_ARRAY_SIZE(words) ? words[i].why : MCPH_OAUTH_WHY_OTHER;
}

/* Appends a text of the server as one line of UTF-8, without secrets, cut to `max`
 * bytes.  Masks the text before the cut, because mcph_mask_copy() might not recognize a
 * secret whose end is cut off. */
static int
add_told(struct mcph_buf *to, const char *text, size_t max, struct mcph_mask *mask)
{
    char *masked = mcph_mask_copy(mask, text);
    size_t len = masked ? strlen(masked) : 0;

    if (!masked)
        return MCPHOST_E_NOMEM;
    mcph_utf8_add_clean(to, masked, len < max ? len : max, true);
    if (len > max)
        mcph_buf_adds(to, "...");
    free(masked);
    return mcph_buf_ok(to);
}

/* Returns the user's next action after a refusal with the OAuth error code `word`, or
 * NULL.  If `word` has no action in `words`, or is invalid_grant and `own` is not NULL,
 * returns "try again later" if `is_later` is true, else `own`. */
static const char *
find_next(const char *word, const char *own, bool is_later)
{
    size_t i = find_word(word);

    if (i < MCPH_ARRAY_SIZE(words) && words[i].next &&
        !(own && words[i].why == MCPH_OAUTH_WHY_GRANT))
        return words[i].next;
    return is_later ? "try again later" : own;
}

int
mcph_oauth_refuse(mcphost_error **reterr, const char *step, const char *url, int status,
                  const char *word, const char *description, const char *next,
                  struct mcph_mask *mask)
{
    const char *told;
    bool is_later =
        status >= 500 || status == 429 || mcph_oauth_why(word) == MCPH_OAUTH_WHY_LATER;
    int code = is_later ? MCPHOST_E_TRANSPORT : MCPHOST_E_AUTH;
    struct mcph_buf text;

    next = find_next(word, next, is_later);
    mcph_buf_init(&text, 4 * (WORD_MAX + DESCRIPTION_MAX));
    mcph_buf_adds(&text, "the authorization server refused the request");
    if (status && (!word || status >= 500))
        mcph_buf_addf(&text, " with HTTP status %d", status);
    if (word) {
        mcph_buf_adds(&text, ": ");
        (void)add_told(&text, word, WORD_MAX, mask);
    }
    if (description) {
        mcph_buf_adds(&text, " (");
        if (add_told(&text, description, DESCRIPTION_MAX, mask) < 0)
            mcph_buf_clear(&text);
        mcph_buf_adds(&text, ")");
    }
    told = mcph_buf_text(&text);
    if (told)
        code = mcph_oauth_fail(reterr, code, step, url, next, "%s", told);
    else
        code = mcph_err_nomem(reterr);
    mcph_buf_done(&text);
    return code;
}

/* Makes the error of a refusal from the document's members "error" and
 * "error_description" (or "message").  Treats a member that is not a string as absent,
 * because a document that breaks the rules can still be a refusal. */
static int
refuse_document(const struct mcph_oauth_doc *doc, int status, const char *next,
                struct mcph_mask *mask, struct mcph_oauth_refusal *ret_refusal,
                mcphost_error **reterr)
{
    const char *word = json_string_value(json_object_get(doc->object, "error"));
    const char *description =
        json_string_value(json_object_get(doc->object, "error_description"));
    int64_t interval = mcph_oauth_doc_seconds(doc, "interval", INTERVAL_MAX);
    int why = mcph_oauth_why(word);

    if (!description)
        description = json_string_value(json_object_get(doc->object, "message"));
    if (!word && (status >= 500 || status == 429))
        why = MCPH_OAUTH_WHY_LATER;
    if (ret_refusal) {
        ret_refusal->why = why;
        ret_refusal->interval_s = interval > 0 ? interval : 0;
    }
    return mcph_oauth_refuse(reterr, doc->step, doc->url, status, word, description, next,
                             mask);
}

static bool
has_error(const struct mcph_oauth_doc *doc)
{
    const json_t *error = json_object_get(doc->object, "error");

    return error && !json_is_null(error);
}

int
mcph_oauth_answer_open(struct mcph_oauth_doc *doc, const char *step, const char *url,
                       int status, const char *text, size_t len, const char *next,
                       struct mcph_mask *mask, struct mcph_oauth_refusal *ret_refusal,
                       mcphost_error **reterr)
{
    bool is_good = status >= 200 && status < 300;
    struct mcph_oauth_doc made = {0};
    int r = mcph_oauth_doc_open(&made, step, url, text, len, is_good ? reterr : NULL);

    if (ret_refusal)
        *ret_refusal = (struct mcph_oauth_refusal){0};
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0 && is_good)
        return r;
    if (r < 0) {
        /* The answer is a refusal without a document, for example the page of a proxy. */
        made = (struct mcph_oauth_doc){.step = step, .url = url};
    } else if (is_good && !has_error(&made)) {
        *doc = made;
        return 0;
    }
    r = refuse_document(&made, status, next, mask, ret_refusal, reterr);
    mcph_oauth_doc_close(&made);
    return r;
}
