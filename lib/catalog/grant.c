/* SPDX-License-Identifier: MIT
 *
 * grant.c - the names that a member of a team is granted, and the texts about names that
 * give nothing.
 *
 * This file uses no catalog.  For each snapshot, granted.c determines the meaning of the
 * names again.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

#define SHOWN_MAX 200

struct mcphost_grant *
mcph_grant_new(void)
{
    struct mcphost_grant *grant = calloc(1, sizeof(*grant));

    if (grant)
        mcph_refs_init(&grant->refs);
    return grant;
}

struct mcphost_grant *
mcph_grant_ref(struct mcphost_grant *grant)
{
    if (grant)
        mcph_refs_get(&grant->refs);
    return grant;
}

struct mcphost_grant *
mcph_grant_unref(struct mcphost_grant *grant)
{
    if (grant && mcph_refs_put(&grant->refs)) {
        mcph_grant_clear(grant);
        free(grant);
    }
    return NULL;
}

void
mcph_grant_clear(struct mcphost_grant *grant)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(grant->lists); i++) {
        for (size_t k = 0; k < grant->lists[i].n; k++) {
            struct mcph_grant_item *item = grant->lists[i].items[k];

            free(item->text);
            free(item);
        }
        mcph_vec_done(&grant->lists[i]);
        grant->lists[i] = (struct mcph_vec){0};
    }
}

int
mcph_grant_add(struct mcphost_grant *grant, enum mcph_grant_list list, const char *text,
               int line, int column)
{
    struct mcph_grant_item *item;
    bool refuses = text[0] == '!';

    if (atomic_load(&grant->frozen))
        return MCPHOST_E_STATE;
    text += refuses;
    if (text[strspn(text, " \t\r\n\v\f")] == '\0')
        return 0;
    if (grant->lists[list].n >= MCPH_GRANT_ITEMS_MAX)
        return MCPHOST_E_LIMIT;
    item = calloc(1, sizeof(*item));
    if (!item)
        return MCPHOST_E_NOMEM;
    item->text = mcph_strdup(text);
    item->refuses = refuses;
    item->line = line;
    item->column = column;
    if (!item->text || mcph_vec_add(&grant->lists[list], item) < 0) {
        free(item->text);
        free(item);
        return MCPHOST_E_NOMEM;
    }
    return 0;
}

/* ---- missing names ----------------------------------------------------------------- */

static const char *
lack_text(enum mcphost_lack lack)
{
    switch (lack) {
    case MCPHOST_LACK_DOWN:
        return "is declared, but its server is not running";
    case MCPHOST_LACK_DISABLED:
        return "is declared, but its server is disabled";
    case MCPHOST_LACK_INVALID:
        return "is declared, but its server's configuration is invalid";
    case MCPHOST_LACK_CONFIG_INVALID:
        return "is not known; the configuration of the servers is invalid as a whole";
    case MCPHOST_LACK_NOT_ASSIGNABLE:
        return "cannot be granted to any member";
    default:
        return "is not known";
    }
}

static const char *
list_name(const struct mcph_missing *missing)
{
    return missing->list == MCPH_GRANT_TOOLS ? "tool" : "toolset";
}

/* Adds a name on one line and with a limited length, because names come from files. */
static void
add_shown(struct mcph_buf *buf, const char *name)
{
    size_t len = strlen(name);
    bool cut = len > SHOWN_MAX;

    if (cut) {
        len = SHOWN_MAX;
        while (len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80)
            len--;
    }
    mcph_utf8_add_clean(buf, name, len, true);
    if (cut)
        mcph_buf_adds(buf, "...");
}

int
mcph_missing_add_id(struct mcph_buf *buf, const char *member,
                    const struct mcph_missing *missing)
{
    mcph_buf_adds(buf, "team/member/");
    mcph_buf_adds(buf, member);
    mcph_buf_addf(buf, "/%s/", list_name(missing));
    return mcph_buf_adds(buf, missing->item->text);
}

int
mcph_missing_add_message(struct mcph_buf *buf, const char *member,
                         const struct mcph_missing *missing)
{
    mcph_buf_adds(buf, "member '");
    add_shown(buf, member);
    mcph_buf_addf(buf, "': %s '", list_name(missing));
    add_shown(buf, missing->item->text);
    mcph_buf_adds(buf, "' ");
    return mcph_buf_adds(buf, lack_text(missing->lack));
}
