/* SPDX-License-Identifier: MIT
 *
 * team.c - the members of a team and their grants.
 *
 * One thread fills a team.  After that, threads only read the team.  For each catalog,
 * granted.c determines the effect of the grants.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "config/config.h"

static void
member_free(struct mcph_team_member *member)
{
    if (!member)
        return;
    mcph_grant_unref(member->grant);
    free(member->id);
    free(member);
}

void
mcph_team_drop_members(struct mcph_team *team)
{
    for (size_t i = 0; i < team->members.n; i++)
        member_free(team->members.items[i]);
    mcph_vec_done(&team->members);
    team->members = (struct mcph_vec){0};
    mcph_map_done(&team->by_id);
    team->by_id = (struct mcph_map){0};
}

struct mcph_team *
mcph_team_new(mcphost_config *report)
{
    struct mcph_team *team = calloc(1, sizeof(*team));

    if (!team) {
        mcph_config_unref(report);
        return NULL;
    }
    mcph_refs_init(&team->refs);
    team->report = report;
    return team;
}

struct mcph_team *
mcph_team_ref(struct mcph_team *team)
{
    if (team)
        mcph_refs_get(&team->refs);
    return team;
}

struct mcph_team *
mcph_team_unref(struct mcph_team *team)
{
    if (!team || !mcph_refs_put(&team->refs))
        return NULL;
    mcph_team_drop_members(team);
    mcph_config_unref(team->report);
    free(team);
    return NULL;
}

struct mcph_team_member *
mcph_team_add(struct mcph_team *team, const char *id)
{
    struct mcph_team_member *member = calloc(1, sizeof(*member));

    if (!member)
        return NULL;
    member->id = mcph_strdup(id);
    member->grant = mcph_grant_new();
    if (!member->id || !member->grant || mcph_vec_reserve(&team->members, 1) < 0 ||
        mcph_map_put(&team->by_id, member->id, strlen(member->id), member, NULL) < 0) {
        member_free(member);
        return NULL;
    }
    mcph_vec_add(&team->members, member); /* cannot fail, because memory is reserved */
    return member;
}

const struct mcph_team_member *
mcph_team_find(const struct mcph_team *team, const char *id)
{
    return mcph_map_get(&team->by_id, id, strlen(id));
}
