/* SPDX-License-Identifier: MIT
 *
 * team.c - read .minds/team.yaml, the toolsets and tools that each team member may use
 * (R83, B.18).
 *
 * This file reads only `members.<id>.toolsets` and `members.<id>.tools`, and the same two
 * keys of `member_defaults`.  The defaults hold for members that lack a key.  A team file
 * has many other keys for other programs.  An unknown key gives a warning only if it
 * looks like a misspelling of one of the two keys.
 *
 * A grant with an error becomes empty, because a misspelled exclusion must not give
 * access.  An item with a blank text is an error, because YAML reads an unquoted `!name`
 * as a tag on an empty text.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define SOURCE "team"

static struct mcph_team *
team_new(const char *file, const char *shown, const char *workspace)
{
    mcphost_config *report = mcph_config_new(SOURCE, file, shown, workspace);

    return report ? mcph_team_new(report) : NULL;
}

static struct mcph_team_member *
add_member(struct mcph_team *team, const struct mcph_node *key)
{
    struct mcph_team_member *member = mcph_team_add(team, key->text);

    if (member) {
        member->line = key->line;
        member->column = key->column;
    }
    return member;
}

/* ---- reading ----------------------------------------------------------------------- */

static void
read_name(struct mcph_check *check, struct mcphost_grant *grant,
          enum mcph_grant_list list, const struct mcph_node *item)
{
    int r;

    if (!mcph_check_kind(check, item, MCPH_NODE_STRING, "a string"))
        return;
    if (mcph_text_blank(item->text)) {
        mcph_check_error(
            check, item,
            "expected a name, \"*\" or \"!name\", found a blank text (without "
            "quotes !name is a tag of YAML)");
        return;
    }
    r = mcph_grant_add(grant, list, item->text, item->line, item->column);
    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(check, item, "expected at most %d names, found more",
                         MCPH_GRANT_ITEMS_MAX);
    else if (r < 0 && check->err == 0)
        check->err = r;
}

static void
read_names(struct mcph_check *check, struct mcphost_grant *grant,
           enum mcph_grant_list list, const struct mcph_node *map, const char *key)
{
    const struct mcph_node *node =
        mcph_check_member(check, map, key, MCPH_NODE_LIST, "a list of names");
    size_t mark, errors = check->n_errors;

    if (!node)
        return;
    mark = mcph_check_enter(check, key);
    for (size_t i = 0; i < node->n && check->n_errors == errors; i++) {
        size_t inner = mcph_check_enter_index(check, i);

        read_name(check, grant, list, node->items[i]);
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
}

/* Returns the map from which the key of a member is read: the member itself if it has the
 * key, else the defaults, which may be NULL. */
static const struct mcph_node *
holder_of(const struct mcph_node *member, const struct mcph_node *defaults,
          const char *key)
{
    return member && mcph_node_get(member, key) ? member : defaults;
}

static void
warn_misspelt(struct mcph_check *check, const struct mcph_node *map)
{
    static const char *const known[] = {"toolsets", "tools"};

    for (size_t i = 0; i < map->n; i++) {
        const struct mcph_node *key = map->keys[i];
        const char *nearest;
        size_t mark;

        if (strcmp(key->text, known[0]) == 0 || strcmp(key->text, known[1]) == 0)
            continue;
        nearest = mcph_name_nearest(key->text, key->len, known, MCPH_ARRAY_SIZE(known));
        if (!nearest)
            continue;
        mark = mcph_check_enter(check, key->text);
        mcph_check_warn(check, key, "unknown key, ignored; did you mean '%s'?", nearest);
        mcph_check_leave(check, mark);
    }
}

static void
read_member(struct mcph_check *check, struct mcph_team_member *member,
            const struct mcph_node *node, const struct mcph_node *defaults)
{
    static const char *const keys[] = {"toolsets", "tools"};
    static const enum mcph_grant_list lists[] = {MCPH_GRANT_TOOLSETS, MCPH_GRANT_TOOLS};
    size_t errors = check->n_errors;

    if (node && node->kind == MCPH_NODE_NULL) /* a member without keys, written `ann:` */
        node = NULL;
    if (!node || mcph_check_kind(check, node, MCPH_NODE_MAP, "a map")) {
        if (node)
            warn_misspelt(check, node);
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(keys); i++) {
            const struct mcph_node *from = holder_of(node, defaults, keys[i]);

            if (from)
                read_names(check, member->grant, lists[i], from, keys[i]);
        }
    }
    if (check->n_errors == errors)
        return;
    member->invalid = true;
    mcph_grant_clear(member->grant);
}

/* Returns the defaults.  Returns NULL if the file has no defaults, if they are not a map,
 * or if memory is short (then check->err is set).  Reports errors in the defaults once,
 * and not for each member.  If the defaults have an error, sets *ret_bad to true.  Each
 * member that needs the defaults then becomes invalid, and its grant stays empty. */
static const struct mcph_node *
read_defaults(struct mcph_check *check, const struct mcph_node *root, bool *ret_bad)
{
    const struct mcph_node *node = mcph_node_get(root, "member_defaults");
    struct mcph_team_member member = {.grant = NULL};
    size_t mark;

    if (!node || node->kind == MCPH_NODE_NULL)
        return NULL;
    member.grant = mcph_grant_new();
    if (!member.grant) {
        check->err = MCPHOST_E_NOMEM;
        return NULL;
    }
    mark = mcph_check_enter(check, "member_defaults");
    read_member(check, &member, node, NULL);
    mcph_check_leave(check, mark);
    mcph_grant_unref(member.grant);
    *ret_bad = member.invalid;
    return node->kind == MCPH_NODE_MAP ? node : NULL;
}

/* Returns true if the member lacks `toolsets` or `tools`, so that the defaults apply to
 * the member. */
static bool
needs_defaults(const struct mcph_node *member)
{
    return member->kind != MCPH_NODE_MAP || !mcph_node_get(member, "toolsets") ||
           !mcph_node_get(member, "tools");
}

static int
read_members(struct mcph_check *check, struct mcph_team *team,
             const struct mcph_node *members, const struct mcph_node *defaults, bool bad)
{
    size_t mark = mcph_check_enter(check, "members");

    for (size_t i = 0; i < members->n; i++) {
        struct mcph_team_member *member = add_member(team, members->keys[i]);
        size_t inner;

        if (!member)
            return MCPHOST_E_NOMEM;
        inner = mcph_check_enter(check, member->id);
        read_member(check, member, members->items[i], bad ? NULL : defaults);
        if (bad && needs_defaults(members->items[i])) {
            member->invalid = true;
            mcph_grant_clear(member->grant);
        }
        mcph_check_leave(check, inner);
        if (check->err < 0)
            return check->err;
    }
    mcph_check_leave(check, mark);
    return 0;
}

static int
read_root(struct mcph_team *team, const struct mcph_node *root)
{
    const struct mcph_node *members, *defaults;
    struct mcph_check check;
    bool bad = false;
    int r;

    if (root->kind != MCPH_NODE_MAP)
        return mcph_config_fail(team->report, MCPHOST_E_CONFIG, "", root->line,
                                root->column, "expected a map with 'members', found %s",
                                root->kind == MCPH_NODE_NULL ? "an empty file"
                                                             : mcph_node_kind_text(root));
    members = mcph_node_get(root, "members");
    if (!members)
        return 0;
    if (members->kind != MCPH_NODE_MAP)
        return mcph_config_fail(team->report, MCPHOST_E_CONFIG, "members", members->line,
                                members->column, "expected a map of members, found %s",
                                mcph_node_kind_text(members));
    mcph_check_init(&check, team->report);
    defaults = read_defaults(&check, root, &bad);
    r = check.err < 0 ? check.err : read_members(&check, team, members, defaults, bad);
    mcph_check_done(&check);
    return r;
}

/* Fills the team from text.  Errors in the text go into the report.  The function fails
 * only if there is no memory. */
static int
fill_team(struct mcph_team *team, const char *data, size_t len)
{
    struct mcph_doc *doc = NULL;
    int r;

    r = mcph_yaml_parse(data, len, mcph_profile_report, team->report, &doc);
    if (r == 0)
        r = read_root(team, doc->root);
    else if (r == MCPHOST_E_LIMIT)
        team->report->status = r;
    mcph_doc_free(doc);
    if (r == MCPHOST_E_NOMEM)
        return r;
    if (team->report->status != 0)
        mcph_team_drop_members(team);
    return mcph_config_finish(team->report);
}

static int
read_file(struct mcph_team *team, const char *file, bool required)
{
    mcphost_error *err = NULL;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    r = mcph_file_read(file, MCPH_YAML_SIZE_MAX, &text, &err);
    if (r == 0)
        r = fill_team(team, text.data ? text.data : "", text.len);
    else if (r == MCPHOST_E_NOTFOUND && !required)
        r = 0;
    else if (r != MCPHOST_E_NOMEM)
        r = mcph_config_fail(team->report, r, "", 0, 0, "%s",
                             mcphost_error_get_message(err));
    mcph_buf_done(&text);
    mcphost_error_unref(err);
    return r;
}

/* ---- as a source ------------------------------------------------------------------- */

struct team_source {
    struct mcph_team_source base;
    char *file, *workspace;
    bool required; /* a missing file is an error */
};

static int
source_read(struct mcph_team_source *base, struct mcph_team **ret_team,
            mcphost_error **reterr)
{
    const struct team_source *source = (const struct team_source *)base;
    struct mcph_team *team = team_new(source->file, source->file, source->workspace);
    int r = team ? read_file(team, source->file, source->required) : MCPHOST_E_NOMEM;

    if (r < 0) {
        mcph_team_unref(team);
        return mcph_err_nomem(reterr);
    }
    *ret_team = team;
    return 0;
}

static void
source_free(struct mcph_team_source *base)
{
    struct team_source *source = (struct team_source *)base;

    free(source->file);
    free(source->workspace);
    free(source);
}

int
mcph_team_source_new(const char *file, const char *workspace,
                     struct mcph_team_source **ret_source, mcphost_error **reterr)
{
    struct team_source *source = calloc(1, sizeof(*source));
    int r;

    if (!source)
        return mcph_err_nomem(reterr);
    source->base.read = source_read;
    source->base.free = source_free;
    source->required = file != NULL;
    r = mcph_profile_workspace(workspace, &source->workspace, reterr);
    if (r == 0) {
        source->file =
            mcph_profile_join(source->workspace, file ? file : ".minds/team.yaml");
        if (!source->file)
            r = mcph_err_nomem(reterr);
    }
    source->base.file = source->file;
    if (r < 0)
        source_free(&source->base);
    else
        *ret_source = &source->base;
    return r;
}
