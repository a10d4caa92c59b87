/* SPDX-License-Identifier: MIT
 *
 * redirect.c - the redirect that ends an authorization: the state, the issuer, the code.
 *
 * Anybody can send a browser to the redirect URI.  mcph_oauth_redirect_read() first
 * compares the state with the state of the login, and then `iss` with the issuer of the
 * login (RFC 9207).  It uses the other parameters only after both checks.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/key.h"
#include "auth/oauth_inner.h"
#include "json/json.h"

#define PARAMETERS_MAX 64

static const char step[] = "authorization";

struct parameters {
    char *text; /* the decoded names and values; a secret */
    size_t room, n;
    struct {
        const char *name, *value;
    } items[PARAMETERS_MAX];
};

static int
refuse(const char *issuer, mcphost_error **reterr, int code, const char *why)
{
    return mcph_oauth_fail(reterr, code, step, issuer, "log in again", "%s", why);
}

/* ---- parameters -------------------------------------------------------------------- */

static void
parameters_done(struct parameters *p)
{
    if (p->text)
        explicit_bzero(p->text, p->room);
    free(p->text);
}

static const char *
find_parameter(const struct parameters *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->items[i].name, name) == 0)
            return p->items[i].value;
    return NULL;
}

/* Decodes the parameter "NAME=VALUE" in place and adds it to `p`.  A NUL can replace
 * text[len]. */
static int
add_parameter(const struct mcph_oauth_awaited *awaited, struct parameters *p, char *text,
              size_t len, mcphost_error **reterr)
{
    char *equals = memchr(text, '=', len), *value = equals ? equals + 1 : text + len;
    size_t name_len = (size_t)((equals ? equals : text + len) - text), n;

    if (mcph_oauth_form_decode(value, (size_t)(text + len - value), true, &n) < 0 ||
        mcph_oauth_form_decode(text, name_len, true, &n) < 0)
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      "a parameter has a character that is not allowed");
    if (find_parameter(p, text))
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      "a parameter occurs twice");
    if (p->n == PARAMETERS_MAX)
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      "there are too many parameters");
    p->items[p->n].name = text;
    p->items[p->n++].value = value;
    return 0;
}

static int
parameters_init(const struct mcph_oauth_awaited *awaited, struct parameters *p,
                const char *query, size_t len, mcphost_error **reterr)
{
    int r = 0;

    *p = (struct parameters){0};
    if (len > MCPH_OAUTH_REDIRECT_MAX)
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED, "the query is too long");
    p->room = len + 1;
    p->text = mcph_strndup(query, len);
    if (!p->text)
        return mcph_err_nomem(reterr);
    for (size_t at = 0, end; at < len && r == 0; at = end + 1) {
        const char *next = memchr(p->text + at, '&', len - at);

        end = next ? (size_t)(next - p->text) : len;
        if (end > at)
            r = add_parameter(awaited, p, p->text + at, end - at, reterr);
    }
    return r;
}

/* ---- checks ------------------------------------------------------------------------ */

/* Checks that the redirect has the awaited state and names no other issuer.  Refuses a
 * redirect without `iss` if the issuer sends `iss`. */
static int
check_origin(const struct mcph_oauth_awaited *awaited, const struct parameters *p,
             mcphost_error **reterr)
{
    const char *state = find_parameter(p, "state"), *iss = find_parameter(p, "iss");

    if (!state || !*state ||
        !mcph_equal_secret(mcph_span_str(state), mcph_span_str(awaited->state)))
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      "the state is missing or is not the state of this login");
    if (iss ? strcmp(iss, awaited->issuer) != 0 : awaited->sends_iss)
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      iss ? "the redirect comes from another authorization server"
                          : "the redirect does not name its authorization server");
    return 0;
}

static int
give_code(const struct mcph_oauth_awaited *awaited, const char *code, char **ret_code,
          mcphost_error **reterr)
{
    for (const char *p = code; *p; p++)
        if (*p < ' ' || *p > '~')
            return refuse(awaited->issuer, reterr, MCPHOST_E_PROTOCOL,
                          "the code has a character that is not allowed");
    if (!*code)
        return refuse(awaited->issuer, reterr, MCPHOST_E_PROTOCOL, "the code is empty");
    code = mcph_strdup(code);
    if (!code)
        return mcph_err_nomem(reterr);
    *ret_code = (char *)code;
    return 0;
}

/* ---- reading ----------------------------------------------------------------------- */

int
mcph_oauth_redirect_read(const struct mcph_oauth_awaited *awaited, const char *query,
                         size_t len, struct mcph_mask *mask, char **ret_code,
                         int *ret_why, mcphost_error **reterr)
{
    const char *code, *word;
    struct parameters p;
    int r = parameters_init(awaited, &p, query, len, reterr);

    if (r == 0)
        r = check_origin(awaited, &p, reterr);
    if (r == 0) {
        code = find_parameter(&p, "code");
        word = find_parameter(&p, "error");
        if (word) {
            *ret_why = mcph_oauth_why(word);
            r = mcph_oauth_refuse(reterr, step, awaited->issuer, 0, word,
                                  find_parameter(&p, "error_description"), NULL, mask);
        } else if (code) {
            r = give_code(awaited, code, ret_code, reterr);
        } else {
            r = refuse(awaited->issuer, reterr, MCPHOST_E_PROTOCOL,
                       "there is neither a code nor an error");
        }
    }
    parameters_done(&p);
    return r;
}

static struct mcph_span
trim(const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) && text[len - 1])
        len--;
    while (len > 0 && strchr(" \t\r\n", *text) && *text) {
        text++;
        len--;
    }
    return mcph_span(text, len);
}

/* Returns true if the text begins with a parameter of redirects. */
static bool
is_query(struct mcph_span text)
{
    static const char *const names[] = {"code=", "state=", "error=", "iss="};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        if (text.len > strlen(names[i]) &&
            strncmp(text.p, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Reads a code without its redirect.  The code may be copied from the address bar, where
 * it is percent-encoded. */
static int
read_bare_code(const struct mcph_oauth_awaited *awaited, struct mcph_span text,
               char **ret_code, mcphost_error **reterr)
{
    char *copy;
    size_t n;
    int r;

    if (awaited->sends_iss || !awaited->has_s256)
        return mcph_oauth_fail(reterr, MCPHOST_E_DENIED, step, awaited->issuer,
                               "paste the whole URL of the browser's address bar", "%s",
                               awaited->sends_iss
                                   ? "a code alone does not name its authorization server"
                                   : "a code alone does not show that it belongs to this "
                                     "login, because the authorization server does not "
                                     "list PKCE with S256");
    copy = mcph_strndup(text.p, text.len);
    if (!copy)
        return mcph_err_nomem(reterr);
    if (mcph_oauth_form_decode(copy, text.len, false, &n) < 0 || strchr(copy, ' '))
        r = refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                   "the pasted text is not a code");
    else
        r = give_code(awaited, copy, ret_code, reterr);
    explicit_bzero(copy, text.len);
    free(copy);
    return r;
}

int
mcph_oauth_pasted_read(const struct mcph_oauth_awaited *awaited, const char *pasted,
                       size_t len, struct mcph_mask *mask, char **ret_code, int *ret_why,
                       mcphost_error **reterr)
{
    struct mcph_span text = trim(pasted, len);
    const char *mark, *fragment;
    size_t place, skip = 0;

    if (text.len > MCPH_OAUTH_REDIRECT_MAX)
        return refuse(awaited->issuer, reterr, MCPHOST_E_DENIED,
                      "the pasted text is too long");
    mark = text.len ? memchr(text.p, '?', text.len) : NULL;
    place = mark ? (size_t)(mark - text.p) : text.len;
    if (place > 0 && memmem(text.p, place, "://", 3)) {
        if (!mark || place != strcspn(awaited->redirect_uri, "?") ||
            strncmp(text.p, awaited->redirect_uri, place) != 0)
            return mcph_oauth_fail(reterr, MCPHOST_E_DENIED, step, awaited->issuer,
                                   "paste the URL to which the browser was sent at last",
                                   "the pasted URL is not the redirect of this login");
        skip = place + 1;
    } else if (mark && place == 0) {
        skip = 1;
    } else if (!is_query(text)) {
        return read_bare_code(awaited, text, ret_code, reterr);
    }
    text = mcph_span(text.p + skip, text.len - skip);
    fragment = text.len ? memchr(text.p, '#', text.len) : NULL;
    return mcph_oauth_redirect_read(awaited, text.p,
                                    fragment ? (size_t)(fragment - text.p) : text.len,
                                    mask, ret_code, ret_why, reterr);
}
