/* SPDX-License-Identifier: MIT
 *
 * chatos_cmd.c - convert argument lists to cmd:// URLs and back (R131, B.22).
 *
 *   cmd://node "/plugins/my app/server.mjs" --name "it's"
 *
 * No shell interprets these texts.  All characters except quotes, backslashes and white
 * space are ordinary, also $, `, * and ;.
 *
 * This file writes control characters unchanged, so that the reader of ChatOS and the
 * library's reader get the original text.  ChatOS itself writes control characters as
 * escapes of JSON, for example \n.  The reader of ChatOS does not know these escapes, and
 * reads \n as n.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/chatos.h"

#define SCHEME     "cmd://"
#define SCHEME_LEN (sizeof(SCHEME) - 1)

/* ---- writing ----------------------------------------------------------------------- */

static bool
needs_quotes(const char *token, size_t len)
{
    for (const char *p = token, *end = token + len; p < end; p++) {
        if (*p == '\\' || *p == '"' || *p == '\'' || mcph_chatos_space(p, end) > 0)
            return true;
    }
    return false;
}

static void
add_token(struct mcph_buf *url, const char *token)
{
    size_t len = strlen(token);

    if (len == 0)
        return;
    if (url->len > SCHEME_LEN)
        mcph_buf_addc(url, ' ');
    if (!needs_quotes(token, len)) {
        mcph_buf_add(url, token, len);
        return;
    }
    mcph_buf_addc(url, '"');
    for (size_t i = 0; i < len; i++) {
        if (token[i] == '"' || token[i] == '\\')
            mcph_buf_addc(url, '\\');
        mcph_buf_addc(url, token[i]);
    }
    mcph_buf_addc(url, '"');
}

int
mcph_chatos_cmd_format(const char *command, const char *entry,
                       const struct mcph_strings *args, char **ret_url)
{
    struct mcph_buf url;

    mcph_buf_init(&url, MCPH_CHATOS_CMD_MAX);
    mcph_buf_adds(&url, SCHEME);
    add_token(&url, command);
    if (entry)
        add_token(&url, entry);
    for (size_t i = 0; i < args->n; i++)
        add_token(&url, args->items[i]);
    if (mcph_buf_ok(&url) == 0 && url.len == SCHEME_LEN) {
        mcph_buf_done(&url);
        return MCPHOST_E_INVALID;
    }
    return mcph_buf_give(&url, ret_url, NULL);
}

/* ---- reading ----------------------------------------------------------------------- */

bool
mcph_chatos_is_cmd(const char *text, size_t len)
{
    struct mcph_span line = mcph_chatos_trim(text, len);

    return line.len >= SCHEME_LEN && strncasecmp(line.p, SCHEME, SCHEME_LEN) == 0;
}

/* Reads the token that begins at `p` into `token`.  Returns the end of the token.  If a
 * quote is not closed, returns NULL and stores the place of the quote in *ret_quote. */
static const char *
read_token(const char *p, const char *end, struct mcph_buf *token, const char **ret_quote)
{
    char quote = '\0';

    for (; p < end; p++) {
        if (quote && *p == quote) {
            quote = '\0';
            continue;
        }
        if (!quote && (*p == '"' || *p == '\'')) {
            quote = *p;
            *ret_quote = p;
            continue;
        }
        if (!quote && mcph_chatos_space(p, end) > 0)
            break;
        if (*p == '\\' && quote != '\'' && p + 1 < end)
            p++;
        mcph_buf_addc(token, *p);
    }
    return quote ? NULL : p;
}

static int
keep_token(struct mcph_strings *argv, struct mcph_buf *token)
{
    const char *text = mcph_buf_text(token);

    if (!text)
        return mcph_buf_ok(token);
    return *text ? mcph_strings_add(argv, text) : 0;
}

/* Splits a line that has no NUL.  If a quote is not closed, stores the place of the quote
 * in *ret_bad and returns MCPHOST_E_INVALID. */
static int
split_line(struct mcph_span line, struct mcph_strings *argv, const char **ret_bad)
{
    const char *p = line.p, *end = line.p + line.len;
    struct mcph_buf token;
    int r = 0;

    mcph_buf_init(&token, MCPH_CHATOS_CMD_MAX);
    while (r == 0 && p < end) {
        size_t blank = mcph_chatos_space(p, end);

        if (blank > 0) {
            p += blank;
            continue;
        }
        mcph_buf_clear(&token);
        p = read_token(p, end, &token, ret_bad);
        r = p ? keep_token(argv, &token) : MCPHOST_E_INVALID;
    }
    mcph_buf_done(&token);
    return r;
}

static int
set_fault(struct mcph_chatos_fault *fault, int code, size_t at, const char *why)
{
    if (fault)
        *fault = (struct mcph_chatos_fault){at, why};
    return code;
}

/* Splits the trimmed text after its first `skipped` bytes.  If `skipped` is not 0, these
 * bytes must be cmd://. */
static int
parse_words(const char *text, size_t len, size_t skipped, struct mcph_strings *ret_argv,
            struct mcph_chatos_fault *ret_fault)
{
    struct mcph_span line = mcph_chatos_trim(text, len);
    struct mcph_strings argv = {0};
    const char *bad = memchr(text, '\0', len);
    int r;

    if (len > MCPH_CHATOS_CMD_MAX)
        return set_fault(ret_fault, MCPHOST_E_LIMIT, MCPH_CHATOS_CMD_MAX, "is too long");
    if (bad)
        return set_fault(ret_fault, MCPHOST_E_INVALID, (size_t)(bad - text),
                         "has a NUL character");
    if (skipped > 0 && !mcph_chatos_is_cmd(text, len))
        return set_fault(ret_fault, MCPHOST_E_INVALID, (size_t)(line.p - text),
                         "does not begin with cmd://");
    r = split_line(mcph_span(line.p + skipped, line.len - skipped), &argv, &bad);
    if (r == MCPHOST_E_INVALID)
        set_fault(ret_fault, r, (size_t)(bad - text), "has a quote that is not closed");
    else if (r == 0 && argv.n == 0)
        r = set_fault(ret_fault, MCPHOST_E_INVALID, (size_t)(line.p - text) + line.len,
                      "names no program");
    if (r < 0)
        mcph_strings_done(&argv);
    else
        *ret_argv = argv;
    return r;
}

int
mcph_chatos_cmd_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                      struct mcph_chatos_fault *ret_fault)
{
    return parse_words(text, len, SCHEME_LEN, ret_argv, ret_fault);
}

int
mcph_chatos_line_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                       struct mcph_chatos_fault *ret_fault)
{
    return parse_words(text, len, 0, ret_argv, ret_fault);
}
