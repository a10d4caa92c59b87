/* SPDX-License-Identifier: MIT
 *
 * team.c - random edits of the team's file, and checks of the grants in it.
 *
 * The checks cover the tools that a member's view shows, and the calls that the host
 * must, may or must not deny.  team.c resolves the grants a second time, by the rules of
 * the manual, against the catalog of the default view.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stress/stress.h"

#define NOBODY_GETS (N_SERVERS - 1) /* a server that is not assignable */
#define NOT_BY_STAR (N_SERVERS - 2)

/* Each valid file has a marker: a member whose name contains a new number.  The test
 * looks for the marker to see whether the host has applied the file. */
static long marker;       /* number in the name of the newest file's marker */
static bool marker_there; /* the newest file has the marker */

static unsigned
chance(unsigned n)
{
    return stress_random(&st.edits, n);
}

/* ---- random grants ----------------------------------------------------------------- */

static void
add_name(char names[][16], int *n, const char *fmt, int number, const char *tool)
{
    char *name = names[(*n)++];

    STRESS_CHECK(*n <= N_NAMES);
    if (tool && number)
        snprintf(name, 16, "p%d_%s", number, tool);
    else if (tool)
        snprintf(name, 16, "%s", tool);
    else
        snprintf(name, 16, fmt, number);
}

static void
draw_grant(struct grant *grant)
{
    char name[16];

    *grant = (struct grant){0};
    for (unsigned i = chance(5); i > 0; i--)
        add_name(grant->toolsets, &grant->n_toolsets, chance(4) ? "s%d" : "!s%d",
                 (int)chance(N_SERVERS), NULL);
    if (chance(2))
        add_name(grant->toolsets, &grant->n_toolsets, "*", 0, NULL);
    if (chance(12) == 0)
        add_name(grant->toolsets, &grant->n_toolsets, "!*", 0, NULL);
    if (chance(3) == 0)
        add_name(grant->toolsets, &grant->n_toolsets,
                 chance(3) ? "mcp_admin" : "!mcp_admin", 0, NULL);
    for (unsigned i = chance(4); i > 0; i--) {
        snprintf(name, sizeof(name), "%s", model_tools[chance(TOOL_OWN)]);
        add_name(grant->tools, &grant->n_tools, "", (int)chance(4), name);
    }
    if (chance(3) == 0) {
        snprintf(name, sizeof(name), "!%s", model_tools[chance(TOOL_OWN)]);
        add_name(grant->tools, &grant->n_tools, "", 0, name);
    }
}

/* ---- the tools of a grant ---------------------------------------------------------- */

static bool
lists(const char names[][16], int n, const char *prefix, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strncmp(names[i], prefix, strlen(prefix)) == 0 &&
            strcmp(names[i] + strlen(prefix), name) == 0)
            return true;
    return false;
}

static bool
refuses_toolset(const struct grant *g, const char *toolset)
{
    return lists(g->toolsets, g->n_toolsets, "!", "*") ||
           lists(g->toolsets, g->n_toolsets, "!", toolset);
}

static bool
is_for(const char *toolset, int server)
{
    char name[16];

    snprintf(name, sizeof(name), "s%d", server);
    return strcmp(toolset, name) == 0;
}

static void
toolset_of(const struct observed *tool, char name[16])
{
    if (tool->server < 0)
        snprintf(name, 16, "mcp_admin");
    else
        snprintf(name, 16, "s%d", tool->server);
}

struct listing {
    const struct grant *grant;
    const struct observed *base;
    size_t n_base;
    char toolsets[N_SERVERS + 1][16]; /* in the order of the grant */
    bool whole[N_SERVERS + 1];
    int n;
};

static int
place(struct listing *l, const char *toolset)
{
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->toolsets[i], toolset) == 0)
            return i;
    snprintf(l->toolsets[l->n], 16, "%s", toolset);
    l->whole[l->n] = false;
    return l->n++;
}

static void
give_toolsets(struct listing *l, const char *item)
{
    bool star = strcmp(item, "*") == 0;

    for (size_t i = 0; i < l->n_base; i++) {
        char toolset[16];

        toolset_of(&l->base[i], toolset);
        if ((!star && strcmp(toolset, item) != 0) || refuses_toolset(l->grant, toolset) ||
            is_for(toolset, NOBODY_GETS) ||
            (star && (is_for(toolset, NOT_BY_STAR) || strcmp(toolset, "mcp_admin") == 0)))
            continue;
        l->whole[place(l, toolset)] = true;
    }
}

static void
give_tool(struct listing *l, const char *item)
{
    for (size_t i = 0; i < l->n_base; i++) {
        char toolset[16];

        toolset_of(&l->base[i], toolset);
        if (strcmp(l->base[i].name, item) == 0 && !is_for(toolset, NOBODY_GETS) &&
            !lists(l->grant->tools, l->grant->n_tools, "!", item))
            place(l, toolset);
    }
}

static size_t
resolve(const struct grant *g, const struct observed *base, size_t n_base,
        struct observed *ret)
{
    struct listing l = {.grant = g, .base = base, .n_base = n_base};
    size_t n = 0;

    for (int i = 0; i < g->n_toolsets; i++)
        if (g->toolsets[i][0] != '!')
            give_toolsets(&l, g->toolsets[i]);
    for (int i = 0; i < g->n_tools; i++)
        if (g->tools[i][0] != '!')
            give_tool(&l, g->tools[i]);
    for (int t = 0; t < l.n; t++) {
        for (size_t i = 0; i < n_base; i++) {
            char toolset[16];

            toolset_of(&base[i], toolset);
            if (strcmp(toolset, l.toolsets[t]) == 0 &&
                !lists(g->tools, g->n_tools, "!", base[i].name) &&
                (l.whole[t] || lists(g->tools, g->n_tools, "", base[i].name)))
                ret[n++] = base[i];
        }
    }
    return n;
}

/* Checks whether the grant gives a tool of this name, with any prefix.  If `refused` is
 * true, checks whether the grant refuses the tool. */
static bool
names_tool(const struct grant *g, bool refused, int tool)
{
    for (int i = 0; i < g->n_tools; i++) {
        const char *name = g->tools[i], *cut;

        if ((name[0] == '!') != refused)
            continue;
        name += refused;
        cut = strchr(name, '_');
        if (model_tools[tool] && strcmp(cut ? cut + 1 : name, model_tools[tool]) == 0)
            return true;
    }
    return false;
}

/* Decides whether the grant gives a tool.  Returns GRANT_MAYBE if the decision depends on
 * the tool's present name. */
static int
judge(const struct grant *g, int server, int tool)
{
    char toolset[16];
    bool whole;

    snprintf(toolset, sizeof(toolset), "s%d", server);
    if (server == NOBODY_GETS)
        return GRANT_NO;
    whole = !refuses_toolset(g, toolset) &&
            (lists(g->toolsets, g->n_toolsets, "", toolset) ||
             (server != NOT_BY_STAR && lists(g->toolsets, g->n_toolsets, "", "*")));
    if (whole)
        return names_tool(g, true, tool) ? GRANT_MAYBE : GRANT_YES;
    return names_tool(g, false, tool) ? GRANT_MAYBE : GRANT_NO;
}

int
team_judge(int member, int server, int tool)
{
    const struct member *m = &st.members[member];
    int first, second;

    first = judge(&m->grant, server, tool);
    if (!m->pending)
        return first;
    second = judge(&m->next, server, tool);
    return first == second ? first : GRANT_MAYBE;
}

/* ---- observation ------------------------------------------------------------------- */

static void
take_catalog(mcphost_catalog *catalog, struct observed *seen, size_t *ret_n)
{
    *ret_n = mcphost_catalog_count_tools(catalog);
    STRESS_CHECK(*ret_n <= N_OBSERVED);
    for (size_t i = 0; i < *ret_n; i++)
        look_tool(mcphost_catalog_get_tool(catalog, i), &seen[i]);
}

static bool
is_given(const struct grant *grant, const struct observed *base, size_t n_base,
         const struct observed *seen, size_t n)
{
    struct observed expected[N_OBSERVED];
    size_t m = resolve(grant, base, n_base, expected);
    bool same = m == n;

    for (size_t i = 0; i < n && same; i++)
        same = strcmp(seen[i].name, expected[i].name) == 0 &&
               seen[i].server == expected[i].server;
    return same;
}

static void
compare(const struct member *m, const struct observed *base, size_t n_base,
        const struct observed *seen, size_t n)
{
    struct observed expected[N_OBSERVED];
    size_t n_expected;

    if (is_given(&m->grant, base, n_base, seen, n) ||
        (m->pending && is_given(&m->next, base, n_base, seen, n)))
        return;
    n_expected = resolve(&m->grant, base, n_base, expected);
    for (size_t i = 0; i < n || i < n_expected; i++)
        printf("    %-20s %s\n", i < n ? seen[i].name : "-",
               i < n_expected ? expected[i].name : "-");
    stress_fail("t%d sees other tools (left) than it is given (right)",
                (int)(m - st.members));
}

static void
observe(int member)
{
    struct observed base[N_OBSERVED], seen[N_OBSERVED];
    mcphost_view *all = mcphost_default_view(st.host);
    mcphost_catalog *before, *shown, *after;
    size_t n_base, n;

    STRESS_CHECK(mcphost_view_get_catalog(all, &before) == 0);
    STRESS_CHECK(mcphost_view_get_catalog(st.members[member].view, &shown) == 0);
    STRESS_CHECK(mcphost_view_get_catalog(all, &after) == 0);
    STRESS_CHECK(mcphost_catalog_get_version(shown) >= st.members[member].version);
    st.members[member].version = mcphost_catalog_get_version(shown);
    /* Compare only if no other thread has published meanwhile. */
    if (before == after) {
        take_catalog(before, base, &n_base);
        take_catalog(shown, seen, &n);
        compare(&st.members[member], base, n_base, seen, n);
    }
    mcphost_catalog_unref(before);
    mcphost_catalog_unref(shown);
    mcphost_catalog_unref(after);
}

void
team_observe(void)
{
    for (int i = 0; i < N_MEMBERS; i++)
        observe(i);
}

/* ---- the file ---------------------------------------------------------------------- */

static void
write_names(FILE *f, const char *key, const char names[][16], int n)
{
    fprintf(f, "    %s: [", key);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s'%s'", i ? ", " : "", names[i]);
    fprintf(f, "]\n");
}

static void
write_member(FILE *f, int member)
{
    const struct member *m = &st.members[member];

    if (m->fate == MEMBER_ABSENT)
        return;
    fprintf(f, "  t%d:\n", member);
    if (m->fate == MEMBER_INVALID) {
        fprintf(f, "    toolsets: 7\n");
        return;
    }
    write_names(f, "toolsets", m->drawn.toolsets, m->drawn.n_toolsets);
    write_names(f, "tools", m->drawn.tools, m->drawn.n_tools);
}

static void
write_file(const char *text)
{
    char from[128], to[128];
    FILE *f;

    snprintf(from, sizeof(from), "%s/.minds", st.dir);
    mkdir(from, 0700);
    snprintf(from, sizeof(from), "%s/.minds/.team.yaml.swp", st.dir);
    snprintf(to, sizeof(to), "%s/.minds/team.yaml", st.dir);
    f = fopen(from, "we");
    STRESS_CHECK(f != NULL);
    if (text) {
        fputs(text, f);
    } else {
        fprintf(f, "members:\n");
        for (int i = 0; i < N_MEMBERS; i++)
            write_member(f, i);
        fprintf(f, "  x%ld: {}\n", ++marker);
    }
    STRESS_CHECK(fclose(f) == 0);
    STRESS_CHECK(rename(from, to) == 0);
}

/* Sets each member's next grant.  Until team_await() returns, the host may use either the
 * member's old grant or the next grant.  Call this with the lock held, except before the
 * first call is made. */
static void
expect(void)
{
    static const struct grant nothing;

    for (int i = 0; i < N_MEMBERS; i++) {
        struct member *m = &st.members[i];

        m->next = m->fate == MEMBER_FINE ? m->drawn : nothing;
        m->pending = true;
    }
    traffic_regrant();
}

static bool
is_marked(long number)
{
    mcphost_view *view;
    char id[32];

    snprintf(id, sizeof(id), "x%ld", number);
    if (mcphost_get_team_view(st.host, id, &view) < 0)
        return false;
    mcphost_view_unref(view);
    return true;
}

void
team_await(void)
{
    int64_t until = mcph_clock_monotonic_ms() + 15000;

    while (is_marked(marker) != marker_there) {
        if (mcph_clock_monotonic_ms() > until)
            stress_fail("the edit of the team is not applied");
        stress_pump(1);
    }
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_MEMBERS; i++) {
        if (st.members[i].pending)
            st.members[i].grant = st.members[i].next;
        st.members[i].pending = false;
    }
    pthread_mutex_unlock(&st.lock);
    team_observe();
}

/* Removes all members from the model.  Call this before you delete the file.  Call
 * team_await() after the deletion. */
void
team_gone(void)
{
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_MEMBERS; i++)
        st.members[i].fate = MEMBER_ABSENT;
    expect();
    pthread_mutex_unlock(&st.lock);
    marker_there = false;
}

static void
change_members(void)
{
    for (int i = 0; i < N_MEMBERS; i++) {
        struct member *m = &st.members[i];
        unsigned what = chance(10);

        if (what < 5)
            draw_grant(&m->drawn);
        m->fate = what < 8 ? MEMBER_FINE : what == 8 ? MEMBER_INVALID : MEMBER_ABSENT;
        if (m->fate == MEMBER_INVALID)
            stress_draw("member invalid");
        if (m->fate == MEMBER_ABSENT)
            stress_draw("member removed");
    }
}

void
team_begin(void)
{
    for (int i = 0; i < N_MEMBERS; i++)
        draw_grant(&st.members[i].drawn);
    STRESS_CHECK(
        mcphost_set_toolset_flags(st.host, "s5", MCPHOST_TOOLSET_NOT_ASSIGNABLE) == 0);
    STRESS_CHECK(mcphost_set_toolset_flags(st.host, "s4", MCPHOST_TOOLSET_NOT_BY_STAR) ==
                 0);
    write_file(NULL);
    marker_there = true;
    expect();
}

void
team_take_views(void)
{
    for (int i = 0; i < N_MEMBERS; i++) {
        char id[16];

        snprintf(id, sizeof(id), "t%d", i);
        STRESS_CHECK(mcphost_get_team_view(st.host, id, &st.members[i].view) == 0);
    }
    team_await();
}

void
team_step(void)
{
    unsigned what = chance(10);
    char path[128];

    if (what < 7) {
        stress_draw("team");
        stress_log("the team is %d changed", (int)marker + 1);
        change_members();
        pthread_mutex_lock(&st.lock);
        expect();
        pthread_mutex_unlock(&st.lock);
        write_file(NULL);
        marker_there = true;
        edit_tell();
        team_await();
    } else if (what < 9) {
        stress_draw("team invalid");
        stress_log("the team is rejected");
        write_file(what == 7 ? "members: 7\n" : "members: {\n");
        edit_tell();
        stress_pump(2);
        team_observe();
    } else {
        stress_draw("team deleted");
        stress_log("the team is deleted");
        team_gone();
        snprintf(path, sizeof(path), "%s/.minds/team.yaml", st.dir);
        unlink(path);
        edit_tell();
        team_await();
    }
}
