/* SPDX-License-Identifier: MIT
 *
 * chatos_names.c - the names that ChatOS derives from the ids of a plugin and an app
 * (R128-R130, B.21, B.25).
 *
 * They must be those of ChatOS to the byte: saved selections of agents refer to them.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"

/* JavaScript's toLowerCase() turns two characters beyond ASCII into letters of ASCII:
 * U+0130 becomes an i with a combining dot, U+212A becomes a k.  Returns the length of
 * what becomes the letter at `p`; 0: there is no such character. */
static size_t
lowered(const char *p, const char *end, char *ret_letter)
{
    if (end - p >= 2 && memcmp(p, "\xc4\xb0", 2) == 0) {
        *ret_letter = 'i';
        return 1; /* the second byte stands for the dot, which is not legal */
    }
    if (end - p >= 3 && memcmp(p, "\xe2\x84\xaa", 3) == 0) {
        *ret_letter = 'k';
        return 3;
    }
    return 0;
}

static bool
is_legal(char c, bool dot)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (c == '.' && dot);
}

static void
add_normalized(struct mcph_buf *buf, struct mcph_span text, bool dot)
{
    const char *p = text.p, *end = text.p + text.len;
    bool in_run = false; /* of characters that are not legal */

    while (p < end) {
        char c = *p;
        size_t n = lowered(p, end, &c);

        p += n ? n : 1;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (is_legal(c, dot))
            mcph_buf_addc(buf, c);
        else if (!in_run)
            mcph_buf_addc(buf, '_');
        in_run = !is_legal(c, dot);
    }
}

/* Appends `text` in its normal form. */
static int
normalize(struct mcph_buf *buf, const char *text, bool dot)
{
    struct mcph_buf all;
    size_t from = 0, to;
    int r;

    mcph_buf_init(&all, strlen(text) + 1);
    add_normalized(&all, mcph_chatos_trim(text, strlen(text)), dot);
    to = all.len;
    while (from < to && all.data[from] == '_')
        from++;
    while (to > from && all.data[to - 1] == '_')
        to--;
    r = mcph_buf_ok(&all);
    if (r == 0)
        r = to > from ? mcph_buf_add(buf, all.data + from, to - from) : MCPHOST_E_INVALID;
    mcph_buf_done(&all);
    return r;
}

/* With room for the names and what is added to them. */
static void
init_for(struct mcph_buf *buf, const char *a, const char *b)
{
    mcph_buf_init(buf, strlen(a) + strlen(b) + 16);
}

static int
finish(struct mcph_buf *buf, int r, char **ret)
{
    if (r == 0)
        return mcph_buf_give(buf, ret, NULL);
    mcph_buf_done(buf);
    return r;
}

int
mcph_chatos_normalize(const char *text, char **ret_name)
{
    struct mcph_buf buf;

    init_for(&buf, text, "");
    return finish(&buf, normalize(&buf, text, false), ret_name);
}

char *
mcph_chatos_server_name(const char *plugin_id, const char *app_id)
{
    struct mcph_span plugin = mcph_chatos_trim(plugin_id, strlen(plugin_id));
    struct mcph_span app = mcph_chatos_trim(app_id, strlen(app_id));
    struct mcph_buf buf;
    char *name = NULL;

    init_for(&buf, plugin_id, app_id);
    mcph_buf_add(&buf, plugin.p, plugin.len);
    mcph_buf_addc(&buf, '.');
    mcph_buf_add(&buf, app.p, app.len);
    return mcph_buf_give(&buf, &name, NULL) == 0 ? name : NULL;
}

int
mcph_chatos_prompt_name(const char *server_name, int language, char **ret_name)
{
    struct mcph_buf buf;
    int r;

    init_for(&buf, server_name, "");
    mcph_buf_adds(&buf, "mcp_");
    r = normalize(&buf, server_name, false);
    if (r == 0 && language == MCPH_CHATOS_EN)
        r = mcph_buf_adds(&buf, "__en");
    return finish(&buf, r, ret_name);
}

int
mcph_chatos_default_key(const char *plugin_id, const char *app_id, char **ret_key)
{
    struct mcph_buf buf;
    int r;

    init_for(&buf, plugin_id, app_id);
    r = normalize(&buf, plugin_id, true);
    if (r == 0)
        r = mcph_buf_adds(&buf, "__");
    if (r == 0)
        r = normalize(&buf, app_id, true);
    return finish(&buf, r, ret_key);
}
