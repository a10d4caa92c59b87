/* SPDX-License-Identifier: MIT
 *
 * site.c - copies of the settings with which a server is reached.
 */
#include "net/net.h"

/* An initialiser with the addresses of all texts of a site. */
#define TEXTS(site)                                                           \
    {                                                                         \
        &(site)->proxy, &(site)->no_proxy, &(site)->ca_file, &(site)->ca_dir, \
            &(site)->client_cert, &(site)->client_key, &(site)->key_password  \
    }

int
mcph_net_site_copy(const struct mcph_net_site *site, struct mcph_net_site *ret)
{
    const char *const *from[] = TEXTS(site);
    const char **to[] = TEXTS(ret);
    bool is_whole = true;

    *ret = (struct mcph_net_site){.key = site->key,
                                  .public_only = site->public_only,
                                  .connect_ms = site->connect_ms};
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(to); i++)
        is_whole &= mcph_str_copy(*from[i], (char **)(uintptr_t)to[i]);
    if (is_whole)
        return 0;
    mcph_net_site_done(ret);
    return MCPHOST_E_NOMEM;
}

void
mcph_net_site_done(struct mcph_net_site *site)
{
    const char **texts[] = TEXTS(site);

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++)
        mcph_str_wipe((char *)(uintptr_t)*texts[i]);
    *site = (struct mcph_net_site){0};
}
