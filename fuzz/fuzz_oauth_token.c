/* SPDX-License-Identifier: MIT
 *
 * fuzz_oauth_token.c - reads the answers of a token endpoint, and makes forms.
 *
 * The first byte chooses the grant and the status.  The target uses the remaining bytes
 * three times: as the answer, as a value of a form, and as an encoded value.  A value
 * that was encoded and is decoded again must be the same value.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
must_be_visible(const char *text)
{
    for (; text && *text; text++)
        must(*text >= ' ' && *text <= '~');
}

static void
read_answer(int grant, int status, const char *text, size_t len)
{
    struct mcph_oauth_refusal refusal = {99, 99};
    struct mcph_oauth_token got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_token_read(grant, "https://id.ex/t", status, text, len, NULL, &got,
                                  &refusal, &err);

    must(mcphost_error_get_code(err) == r);
    must(refusal.why >= 0 && refusal.why <= MCPH_OAUTH_WHY_LATER);
    must(refusal.interval_s >= 0 && refusal.interval_s <= 300);
    must((r == MCPHOST_E_AUTH || r == MCPHOST_E_TRANSPORT) ==
         (refusal.why != MCPH_OAUTH_WHY_NONE));
    must(r != 0 || (status == 200 && got.access && *got.access));
    must(got.expires_s >= -1 && got.expires_s <= MCPH_OAUTH_EXPIRES_MAX);
    must_be_visible(got.access);
    must(!got.access || !strchr(got.access, ' '));
    must_be_visible(got.refresh);
    must_be_visible(got.id_token);
    mcph_oauth_token_done(&got);
    mcphost_error_unref(err);
}

static void
encode(const char *text, size_t len)
{
    char *value = mcph_strndup(text, len);
    struct mcph_buf form;
    size_t n;

    must(value != NULL);
    mcph_buf_init(&form, MCPH_OAUTH_FORM_MAX);
    if (mcph_oauth_form_encode(&form, value) == 0 && mcph_buf_reserve(&form, 1) == 0) {
        for (size_t i = 0; i < form.len; i++)
            must(!strchr("&=+ ?#", form.data[i]));
        if (mcph_oauth_form_decode(form.data, form.len, true, &n) == 0)
            must(strcmp(form.data, value) == 0 && n == strlen(value));
    }
    mcph_buf_wipe(&form);
    free(value);
}

/* Decodes text that the library did not encode. */
static void
decode(const char *text, size_t len)
{
    char *copy = mcph_strndup(text, len);
    size_t n;

    must(copy != NULL);
    if (mcph_oauth_form_decode(copy, len, true, &n) == 0)
        must(n <= len && n == strlen(copy) && mcph_utf8_is_text(copy));
    free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 400, 401, 503};
    const char *text;

    if (size == 0)
        return 0;
    text = (const char *)data + 1;
    read_answer(1 << (data[0] % 6), statuses[data[0] / 6 % 4], text, size - 1);
    encode(text, size - 1);
    decode(text, size - 1);
    return 0;
}
