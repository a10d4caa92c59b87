/* SPDX-License-Identifier: MIT
 *
 * changes.c - the differences between two editions of a configuration, server by server.
 */
#include <string.h>

#include "ctl.h"

const char *
name_change(int change)
{
    static const char *const names[] = {"kept",     "added",   "removed",
                                        "view",     "restart", "enabled",
                                        "disabled", "invalid", "corrected"};

    return names[change];
}

static int
state_of(const mcphost_config *config, const char *id)
{
    size_t index;

    if (!config || mcphost_config_find_server(config, id, &index) < 0)
        return -1;
    return mcphost_config_server_get_state(config, index);
}

/* Sets change->kind, and change->keys if the keys were compared, for a server that `to`
 * declares. */
static void
find_change(const mcphost_config *from, const mcphost_config *to, struct change *change)
{
    int was = state_of(from, change->server), is = state_of(to, change->server);
    int r;

    if (is == MCPHOST_CONFIG_SERVER_INVALID) {
        change->kind = was == is ? CHANGE_KEPT : CHANGE_INVALID;
    } else if (is == MCPHOST_CONFIG_SERVER_DISABLED) {
        change->kind = was == is ? CHANGE_KEPT : CHANGE_DISABLED;
    } else if (was == MCPHOST_CONFIG_SERVER_DISABLED) {
        change->kind = CHANGE_ENABLED;
    } else if (was == MCPHOST_CONFIG_SERVER_INVALID) {
        change->kind = CHANGE_CORRECTED;
    } else if (was < 0) {
        change->kind = CHANGE_ADDED;
    } else {
        r = mcphost_config_server_compare(from, to, change->server, change->keys,
                                          sizeof(change->keys));
        change->kind = r == MCPHOST_CONFIG_CHANGE_NONE   ? CHANGE_KEPT
                       : r == MCPHOST_CONFIG_CHANGE_VIEW ? CHANGE_VIEW
                                                         : CHANGE_RESTART;
    }
}

void
changes_each(const mcphost_config *from, const mcphost_config *to,
             void (*each)(const struct change *change, void *arg), void *arg)
{
    for (size_t i = 0; i < mcphost_config_count_servers(to); i++) {
        struct change change = {.server = mcphost_config_server_get_id(to, i)};

        find_change(from, to, &change);
        each(&change, arg);
    }
    for (size_t i = 0; i < mcphost_config_count_servers(from); i++) {
        struct change change = {.server = mcphost_config_server_get_id(from, i),
                                .kind = CHANGE_REMOVED};

        if (state_of(to, change.server) < 0)
            each(&change, arg);
    }
}

void
row_change(struct text *t, const struct change *change)
{
    put_begin(t, '{');
    put_key(t, "server");
    put_str(t, change->server);
    put_key(t, "change");
    put_str(t, name_change(change->kind));
    put_key(t, "keys");
    put_str(t, change->keys[0] ? change->keys : NULL);
    put_end(t, '}');
}
