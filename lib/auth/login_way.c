/* SPDX-License-Identifier: MIT
 *
 * login_way.c - the configuration of the logins of one server.
 */
#include "auth/login_inner.h"

int
mcph_login_way_copy(const struct mcph_login_way *way, struct mcph_login_way *ret)
{
    *ret = *way;
    memset(ret->texts, 0, sizeof(ret->texts));
    for (size_t i = 0; i < MCPH_WAY_TEXTS; i++) {
        if (!way->texts[i])
            continue;
        ret->texts[i] = mcph_strdup(way->texts[i]);
        if (!ret->texts[i]) {
            mcph_login_way_done(ret);
            return MCPHOST_E_NOMEM;
        }
    }
    return 0;
}

bool
mcph_login_way_equal(const struct mcph_login_way *a, const struct mcph_login_way *b)
{
    for (size_t i = 0; i < MCPH_WAY_TEXTS; i++) {
        if (!mcph_streq(a->texts[i], b->texts[i]))
            return false;
    }
    return a->mode == b->mode && a->flow == b->flow &&
           a->takes_private == b->takes_private && a->takes_no_pkce == b->takes_no_pkce;
}

void
mcph_login_way_done(struct mcph_login_way *way)
{
    for (size_t i = 0; i < MCPH_WAY_TEXTS; i++)
        mcph_str_wipe(way->texts[i]);
    *way = (struct mcph_login_way){0};
}
