/* SPDX-License-Identifier: MIT
 *
 * about.c - a server's description of itself: texts for people and models, and icons.
 *
 * Title, description and instructions come from the server's answer to initialize or
 * server/discover.  mcph_about_new() copies these texts, so that a catalog need not
 * keep the message with the answer in memory.  The copies are cut to the same length as
 * the texts of tools.
 */
#include <stdlib.h>

#include "catalog/catalog.h"
#include "client/client.h"

/* The limit in bytes of a server's icons.  Longer icons are left out, because icons are
 * JSON and JSON cannot be cut.  Icons may be long, because their URLs may contain
 * images. */
#define ICONS_MAX ((size_t)256 * 1024)

/* Adds a JSON array of at most ICONS_MAX bytes unchanged, or the text of a string token,
 * cut to `max` bytes.  Adds nothing for any other token.  If `max` is 0, texts are not
 * cut.  Sets *ret_len to the number of bytes added. */
static int
add_text(struct mcph_buf *buf, struct mcph_span token, size_t max, size_t *ret_len)
{
    size_t before = buf->len;
    struct mcph_buf decoded;
    struct mcph_span text;
    int r;

    *ret_len = 0;
    if (mcph_json_type(token) == MCPH_JSON_ARRAY && token.len <= ICONS_MAX) {
        *ret_len = token.len;
        return mcph_buf_add(buf, token.p, token.len);
    }
    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return 0;
    mcph_buf_init(&decoded, token.len);
    r = mcph_json_string_get(token, &decoded, &text);
    if (r == 0)
        r = mcph_text_cut(text, max, buf);
    mcph_buf_done(&decoded);
    *ret_len = buf->len - before;
    return r;
}

int
mcph_about_new(const struct mcph_client_info *info, size_t max_text,
               struct mcph_about **ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("title"), MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("description"),
                                    MCPH_JSON_WANT("icons")};
    struct mcph_span tokens[MCPH_ABOUT_N] = {0};
    struct mcph_about *about;
    struct mcph_buf buf;
    int r = 0;

    if (mcph_json_type(info->server_info) == MCPH_JSON_OBJECT)
        (void)mcph_json_pick(info->server_info, want, MCPH_ARRAY_SIZE(want));
    tokens[MCPH_ABOUT_TITLE] =
        mcph_json_type(want[0].value) == MCPH_JSON_STRING ? want[0].value : want[1].value;
    tokens[MCPH_ABOUT_DESCRIPTION] = want[2].value;
    tokens[MCPH_ABOUT_INSTRUCTIONS] = info->instructions;
    for (size_t i = 0; i < MCPH_ABOUT_ICONS; i++)
        if (mcph_json_type(tokens[i]) != MCPH_JSON_STRING)
            tokens[i] = MCPH_SPAN_NONE;
    if (mcph_json_type(want[3].value) == MCPH_JSON_ARRAY)
        tokens[MCPH_ABOUT_ICONS] = want[3].value;
    about = calloc(1, sizeof(*about));
    if (!about)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&about->refs);
    mcph_buf_init(&buf, SIZE_MAX / 2);
    for (size_t i = 0; i < MCPH_ABOUT_N && r == 0; i++) {
        r = add_text(&buf, tokens[i], max_text, &about->len[i]);
        mcph_buf_addc(&buf, '\0');
    }
    if (r == 0) {
        about->texts = mcph_buf_steal(&buf, NULL);
        r = about->texts ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&buf);
    if (r == 0)
        *ret = about;
    else
        mcph_about_unref(about);
    return r;
}

struct mcph_about *
mcph_about_ref(struct mcph_about *about)
{
    if (about)
        mcph_refs_get(&about->refs);
    return about;
}

struct mcph_about *
mcph_about_unref(struct mcph_about *about)
{
    if (!about || !mcph_refs_put(&about->refs))
        return NULL;
    free(about->texts);
    free(about);
    return NULL;
}

struct mcph_span
mcph_about_text(const struct mcph_about *about, int part)
{
    size_t at = 0;

    if (!about || about->len[part] == 0)
        return MCPH_SPAN_NONE;
    for (size_t i = 0; i < (size_t)part; i++)
        at += about->len[i] + 1;
    return mcph_span(about->texts + at, about->len[part]);
}

bool
mcph_about_equal(const struct mcph_about *a, const struct mcph_about *b)
{
    if (a == b)
        return true;
    for (int i = 0; i < MCPH_ABOUT_N; i++)
        if (!mcph_span_eq(mcph_about_text(a, i), mcph_about_text(b, i)))
            return false;
    return true;
}
