/* SPDX-License-Identifier: MIT
 *
 * chatos_names.c - derive names from the ids of a plugin and an app (R128-R130, B.21,
 * B.25).
 *
 * Each name must equal the name in ChatOS byte for byte, because saved selections of
 * agents contain the names.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"

/* Appends `text` in its normal form, without a '_' at either end.  If `dot` is true,
 * keeps each '.'.  Returns MCPHOST_E_INVALID if nothing remains. */
static int
normalize_name(struct mcph_buf *buf, const char *text, bool dot)
{
    struct mcph_buf all;
    size_t from = 0, to;
    int r;

    mcph_buf_init(&all, strlen(text) + 1);
    r = mcph_name_add_normal(text, strlen(text), dot, &all);
    to = all.len;
    while (from < to && all.data[from] == '_')
        from++;
    while (to > from && all.data[to - 1] == '_')
        to--;
    if (r == 0)
        r = to > from ? mcph_buf_add(buf, all.data + from, to - from) : MCPHOST_E_INVALID;
    mcph_buf_done(&all);
    return r;
}

/* Initializes a buffer that can hold the names `a` and `b`, a prefix and a suffix. */
static void
init_for(struct mcph_buf *buf, const char *a, const char *b)
{
    mcph_buf_init(buf, strlen(a) + strlen(b) + 16);
}

static int
finish_name(struct mcph_buf *buf, int r, char **ret)
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
    return finish_name(&buf, normalize_name(&buf, text, false), ret_name);
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
    r = normalize_name(&buf, server_name, false);
    if (r == 0 && language == MCPH_CHATOS_EN)
        r = mcph_buf_adds(&buf, "__en");
    return finish_name(&buf, r, ret_name);
}

int
mcph_chatos_default_key(const char *plugin_id, const char *app_id, char **ret_key)
{
    struct mcph_buf buf;
    int r;

    init_for(&buf, plugin_id, app_id);
    r = normalize_name(&buf, plugin_id, true);
    if (r == 0)
        r = mcph_buf_adds(&buf, "__");
    if (r == 0)
        r = normalize_name(&buf, app_id, true);
    return finish_name(&buf, r, ret_key);
}
