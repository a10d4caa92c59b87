/* SPDX-License-Identifier: MIT
 *
 * oauth_inner.h - helpers that the files of oauth.h share: documents, forms, refusals.
 */
#ifndef MCPH_OAUTH_INNER_H
#define MCPH_OAUTH_INNER_H

#include <jansson.h>

#include "auth/oauth.h"

/* ---- messages (document.c) --------------------------------------------------------- */

/* Makes the error "STEP at URL: REASON; NEXT".  `url` is shown without its query.  `url`
 * may be NULL.  If `next` is NULL, NEXT is the advice for `code`.  Returns `code`,
 * or MCPHOST_E_NOMEM. */
int mcph_oauth_fail(mcphost_error **reterr, int code, const char *step, const char *url,
                    const char *next, const char *fmt, ...) MCPHOST_PRINTF(6, 7);

/* ---- documents (document.c) --------------------------------------------------------
 * A document is a JSON object of at most MCPH_OAUTH_DOCUMENT_MAX bytes.  All functions of
 * type int make an error on failure.  A member whose value is null is absent. */

struct mcph_oauth_doc {
    const char *step, *url; /* for messages */
    json_t *object;
};

int mcph_oauth_doc_open(struct mcph_oauth_doc *doc, const char *step, const char *url,
                        const char *text, size_t len, mcphost_error **reterr);
/* Wipes the secrets of the document, and frees the document. */
void mcph_oauth_doc_close(struct mcph_oauth_doc *doc);
/* Copies a text.  Refuses a text of more than `max` bytes, and a text with control
 * characters (C0, DEL, C1) or characters that override the direction of text.  Sets *ret
 * to NULL if the member is absent. */
int mcph_oauth_doc_text(const struct mcph_oauth_doc *doc, const char *name, size_t max,
                        char **ret, mcphost_error **reterr);
/* Copies a secret of visible ASCII characters, whose JSON text has at most
 * MCPH_OAUTH_TOKEN_MAX bytes.  `blanks` also allows blanks.  Sets *ret to NULL if the
 * member is absent.  The list raw_names in document.c must contain the name. */
int mcph_oauth_doc_secret(const struct mcph_oauth_doc *doc, const char *name, bool blanks,
                          char **ret, mcphost_error **reterr);
/* Makes a text of the words in an array, separated by blanks.  Leaves out elements that
 * are no words of visible ASCII characters.  If the member is absent, sets *ret to
 * NULL. */
int mcph_oauth_doc_words(const struct mcph_oauth_doc *doc, const char *name, char **ret,
                         mcphost_error **reterr);
/* Returns true if the member is an array that contains the text `word`. */
bool mcph_oauth_doc_has(const struct mcph_oauth_doc *doc, const char *name,
                        const char *word);
bool mcph_oauth_doc_flag(const struct mcph_oauth_doc *doc, const char *name);
/* Returns a number of seconds, which may be written as text.  Returns -1 if the member is
 * absent or no number.  Any other result is from 0 to `max`.  The list raw_names in
 * document.c must contain the name. */
int64_t mcph_oauth_doc_seconds(const struct mcph_oauth_doc *doc, const char *name,
                               int64_t max);

/* ---- URLs (places.c) --------------------------------------------------------------- */

/* Returns the path of a URL.  With `bare`, the path has no "/" at its end.  Returns NULL
 * if memory is short or the text is not a URL. */
char *mcph_oauth_path(const char *url, bool bare);
/* Makes the URL of a resource from `place`, the well-known URL of the resource's metadata
 * (RFC 9728, section 3.1).  Sets *ret to NULL if the path of `place` does not begin with
 * "/.well-known/oauth-protected-resource", or if `place` has a query or a fragment.
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_oauth_place_subject(const char *place, char **ret);

/* ---- words (issuer.c) -------------------------------------------------------------- */

/* Returns the word for one MCPH_OAUTH_METHOD_*. */
const char *mcph_oauth_method_word(unsigned bit);
unsigned mcph_oauth_method_bit(const char *word); /* 0 for an unknown word */
/* Returns the word for one MCPH_OAUTH_GRANT_*, or NULL for any other number. */
const char *mcph_oauth_grant_word(unsigned bit);

/* ---- refusals (refusal.c, answer.c) ------------------------------------------------ */

/* Makes the error of a refusal with the server's word and description.  `word` and
 * `description` may be NULL.  The texts are cleaned, cut and masked.  `next` is the next
 * action after the word invalid_grant, and after words that have no action of their own;
 * NULL means to log in again.  If the server has a fault or is overloaded, the next
 * action is instead to try again later.  Returns MCPHOST_E_AUTH, MCPHOST_E_TRANSPORT or
 * MCPHOST_E_NOMEM. */
int mcph_oauth_refuse(mcphost_error **reterr, const char *step, const char *url,
                      int status, const char *word, const char *description,
                      const char *next, struct mcph_mask *mask);
/* Opens the document of an answer.  On failure, leaves *doc untouched.  Always sets
 * *ret_refusal, unless `ret_refusal` is NULL.  If the answer is a refusal, makes the
 * error of mcph_oauth_refuse() and returns its code. */
int mcph_oauth_answer_open(struct mcph_oauth_doc *doc, const char *step, const char *url,
                           int status, const char *text, size_t len, const char *next,
                           struct mcph_mask *mask, struct mcph_oauth_refusal *ret_refusal,
                           mcphost_error **reterr);
/* Returns the name of the request for this grant. */
const char *mcph_oauth_token_step(int grant);

/* ---- forms (form.c) ---------------------------------------------------------------- */

/* Appends a text in the encoding of forms and queries.  A blank becomes %20, because all
 * decoders of queries and forms accept %20.  Returns 0 or the buffer's error. */
int mcph_oauth_form_encode(struct mcph_buf *form, const char *text);
/* Appends a parameter.  If `value` is NULL, appends nothing. */
int mcph_oauth_form_add(struct mcph_buf *form, const char *name, const char *value);
/* Decodes a part of a form in place, and appends a NUL at *ret_len.  Can overwrite the
 * byte behind the text.  If `plus` is true, decodes "+" as a blank.  Returns 0, or
 * MCPHOST_E_INVALID for a bad escape, a control character or text that is not UTF-8. */
int mcph_oauth_form_decode(char *text, size_t len, bool plus, size_t *ret_len);

struct mcph_oauth_pair {
    const char *name, *value;
    bool is_needed;
};

/* Appends the pairs to the form `body`.  Appends the client's proof to `body`, or with
 * MCPH_OAUTH_METHOD_BASIC to `header`.  A needed value that is NULL gives
 * MCPHOST_E_INVALID. */
int mcph_oauth_form_fill(const struct mcph_oauth_pair *pairs, size_t n,
                         const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                         struct mcph_buf *header, mcphost_error **reterr);

#endif
