/* SPDX-License-Identifier: MIT
 *
 * fuzz_oauth_redirect.c - reads redirects and pasted texts, and makes the URL for the
 * browser.
 *
 * The target uses the whole input three times: as a redirect's query, as a pasted text,
 * and as an authorization endpoint.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STATE "Kq3v0nEs"

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* Checks the result of reading a redirect or a pasted text. */
static void
check(int r, const char *code, int why, mcphost_error *err, bool has_state)
{
    must(r == 0 || r == MCPHOST_E_DENIED || r == MCPHOST_E_AUTH ||
         r == MCPHOST_E_PROTOCOL || r == MCPHOST_E_TRANSPORT);
    must((r == 0) == (code != NULL) && mcphost_error_get_code(err) == r);
    must((r == MCPHOST_E_AUTH || r == MCPHOST_E_TRANSPORT) ==
         (why != MCPH_OAUTH_WHY_NONE));
    must(mcph_utf8_is_text(mcphost_error_get_message(err)));
    must(has_state || (r != 0 && r != MCPHOST_E_AUTH && r != MCPHOST_E_TRANSPORT));
    for (const char *p = code; p && *p; p++)
        must(*p >= ' ' && *p <= '~');
    must(!code || *code);
}

static void
read_redirect(const char *text, size_t len, bool sends_iss, bool has_s256)
{
    const struct mcph_oauth_awaited awaited = {
        STATE, "https://id.ex/t1", "http://127.0.0.1:5000/cb", sends_iss, has_s256};
    bool may_pass = len >= sizeof(STATE) - 1;
    mcphost_error *err = NULL;
    char *code = NULL;
    int why = MCPH_OAUTH_WHY_NONE;
    int r = mcph_oauth_redirect_read(&awaited, text, len, NULL, &code, &why, &err);

    check(r, code, why, err, may_pass);
    mcph_str_wipe(code);
    mcphost_error_unref(err);
    code = NULL;
    err = NULL;
    why = MCPH_OAUTH_WHY_NONE;
    r = mcph_oauth_pasted_read(&awaited, text, len, NULL, &code, &why, &err);
    check(r, code, why, err, may_pass || (!sends_iss && has_s256));
    mcph_str_wipe(code);
    mcphost_error_unref(err);
}

/* Makes the URL for the browser with this endpoint.  The URL must have exactly one
 * parameter `state`. */
static void
make_url(const char *text, size_t len)
{
    const struct mcph_oauth_server server = {.url = "https://api.ex/mcp"};
    struct mcph_oauth_issuer issuer = {.authorization = mcph_strndup(text, len)};
    const struct mcph_oauth_authorization authorization = {
        .client_id = "c", .redirect_uri = "x:/", .challenge = "ch", .state = STATE};
    char *url = NULL, *query;
    size_t n = 0;

    must(issuer.authorization != NULL);
    if (mcph_oauth_check_url(&server, "url", issuer.authorization, NULL) == 0 &&
        mcph_oauth_authorize_url(&issuer, &authorization, &url, NULL) == 0) {
        must(mcph_oauth_check_url(&server, "url", url, NULL) == 0 ||
             strlen(url) > MCPH_OAUTH_URL_MAX);
        query = strchr(url, '?');
        must(query != NULL);
        for (char *p = query; p; p = strpbrk(p + 1, "&"))
            n += strncmp(p + 1, "state=", 6) == 0;
        must(n == 1);
    }
    free(url);
    free(issuer.authorization);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    for (int i = 0; i < 4; i++)
        read_redirect(text, size, i & 1, i & 2);
    make_url(text, size);
    return 0;
}
