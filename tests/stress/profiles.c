/* SPDX-License-Identifier: MIT
 *
 * profiles.c - chooses the steps of the profile stress test and checks its views.
 *
 * Each view shows sources of one or more profiles.  After each step, the catalog of each
 * view must have the predicted tools.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress/profiles.h"

#define N_LAYERED 8
#define N_OWN     10 /* number of goclaw's built-in tools */

struct layered {
    mcphost_view *view;
    const char *name;
    int order[N_SOURCES]; /* sources of the view's layers; -1 ends the list */
    bool tools;           /* the view has goclaw's tools */
};

#define APPS                                     \
    .servers = {"p0.a", "p0.b", "p1.a", "p1.b"}, \
    .prefixes = {"mcp_p0_a_", "mcp_p0_b_", "mcp_p1_a_", "mcp_p1_b_"}

struct origin origins[N_SOURCES] = {
    [OF_GOCLAW] = {.id = "goclaw", .letter = 'g', .servers = {"g0", "g1", "g2"}},
    [OF_MCPSERVERS] = {.id = "shared", .letter = 'm', .servers = {"m0", "m1", "g2"}},
    [OF_CHATOS] = {.id = "chatos", .letter = 'c', APPS},
    [OF_RUNS] = {.id = "uiapp", .letter = 'c', .serves = true, APPS},
    [OF_RUNS + 1] = {.id = "uiapp", .letter = 'c', .serves = true, APPS},
};

static struct layered layered[N_LAYERED] = {
    {.name = "all", .order = {OF_GOCLAW, OF_MCPSERVERS, OF_CHATOS, -1}, .tools = true},
    {.name = "turned", .order = {OF_CHATOS, OF_MCPSERVERS, OF_GOCLAW, -1}},
    {.name = "goclaw", .order = {OF_GOCLAW, -1}, .tools = true},
    {.name = "shared", .order = {OF_MCPSERVERS, -1}},
    {.name = "apps", .order = {OF_CHATOS, OF_GOCLAW, -1}, .tools = true},
    {.name = "mixed", .order = {OF_MCPSERVERS, OF_CHATOS, -1}},
    {.name = "run0", .order = {OF_RUNS, -1}},
    {.name = "run1", .order = {OF_RUNS + 1, -1}},
};

static uint64_t state;
static int n_shapes;
static long n_edits, n_observed;

unsigned
profiles_chance(unsigned n)
{
    return stress_random(&state, n);
}

/* ---- servers ----------------------------------------------------------------------- */

struct offer
profiles_draw(void)
{
    struct offer offer = {.present = true, .enabled = true};

    offer.works = profiles_chance(6) != 0;
    offer.wanted.number = ++n_shapes;
    offer.wanted.common = profiles_chance(2);
    return offer;
}

/* Makes a tool's name in the form that its server uses. */
static void
original_name(char *name, size_t size, int origin, int server, int number)
{
    if (number)
        snprintf(name, size, "%c%d_e%d", origins[origin].letter, server, number);
    else
        snprintf(name, size, "%c%d_who", origins[origin].letter, server);
}

void
profiles_tool_name(char *name, size_t size, int origin, int server, int number)
{
    const char *prefix = origins[origin].prefixes[server];
    char original[32];

    original_name(original, sizeof(original), origin, server, number);
    snprintf(name, size, "%s%s", prefix ? prefix : "", original);
}

const char *
profiles_script(int origin, int server, const struct offer *offer)
{
    static char path[128];
    char text[512], who[32], own[32];
    int number = offer->wanted.number;

    snprintf(path, sizeof(path), "%s/shape%d", st.dir, number);
    if (access(path, F_OK) == 0)
        return path;
    original_name(who, sizeof(who), origin, server, 0);
    original_name(own, sizeof(own), origin, server, number);
    snprintf(text, sizeof(text),
             "no-tools\ntool %s\ntool %s\n%son call\n text %d %%p %%a\n"
             "on call:%s\n delay %d\n text %d %%p %%a\n%s",
             who, own, offer->wanted.common ? "tool common\n" : "", number, who,
             number % 3 ? 0 : 25, number, offer->works ? "" : "on spawn\n exit 3\n");
    profiles_save(path, text);
    return path;
}

void
profiles_edit(int origin, int server, const struct offer *next)
{
    struct offer *offer = &origins[origin].offers[server];
    struct shape was = offer->shown;

    pthread_mutex_lock(&st.lock);
    *offer = *next;
    offer->shown = was;
    if (!offer->present || !offer->enabled)
        offer->shown = (struct shape){0};
    else if (offer->works)
        offer->shown = offer->wanted;
    if (offer->shown.number != was.number)
        calls_edited(origin, server);
    n_edits++;
    pthread_mutex_unlock(&st.lock);
    stress_log("profiles: %s %s is %d%s%s%s, shows %d", origins[origin].id,
               origins[origin].servers[server], offer->wanted.number,
               offer->present ? "" : ", absent", offer->enabled ? "" : ", disabled",
               offer->works ? "" : ", fails", offer->shown.number);
}

void
profiles_save(const char *path, const char *text)
{
    char from[160];
    FILE *f;

    snprintf(from, sizeof(from), "%s.new", path);
    f = fopen(from, "we");
    STRESS_CHECK(f != NULL);
    STRESS_CHECK(fputs(text, f) >= 0);
    STRESS_CHECK(fclose(f) == 0);
    STRESS_CHECK(rename(from, path) == 0);
}

mcphost_source *
profiles_source(int origin, int reload)
{
    struct origin *o = &origins[origin];

    o->serves = st.serve || origin != OF_MCPSERVERS;
    STRESS_CHECK(mcphost_source_new(st.host, o->id, &o->source, NULL) == 0);
    if (reload >= 0)
        STRESS_CHECK(
            mcphost_source_set_policy(o->source, MCPHOST_OPT_RELOAD, reload, NULL) == 0);
    STRESS_CHECK(mcphost_source_set_policy(o->source, MCPHOST_OPT_REMOVED,
                                           o->serves ? MCPHOST_REMOVED_SERVE
                                                     : MCPHOST_REMOVED_SUCCESSOR,
                                           NULL) == 0);
    return o->source;
}

/* ---- catalogs ---------------------------------------------------------------------- */

static bool
has(mcphost_catalog *catalog, const char *name, int origin, int server)
{
    mcphost_tool *tool = mcphost_catalog_find_tool(catalog, name);
    const char *source = tool ? mcphost_tool_get_source_id(tool) : NULL;

    return source &&
           strncmp(source, origins[origin].id, strlen(origins[origin].id)) == 0 &&
           strcmp(mcphost_tool_get_server_id(tool), origins[origin].servers[server]) == 0;
}

/* Checks whether a catalog shows a shape of a server.  Sets *has_common if the catalog
 * shows this server's tool under the name `common`.  If several servers offer a tool of
 * this name, history decides which server has the name.  layers.c tests that history. */
static bool
shows_shape(mcphost_catalog *catalog, int origin, int server, const struct shape *shape,
            bool *has_common)
{
    char who[32], own[32];

    profiles_tool_name(who, sizeof(who), origin, server, 0);
    profiles_tool_name(own, sizeof(own), origin, server, shape->number);
    if (shape->common && has(catalog, "common", origin, server))
        *has_common = true;
    return has(catalog, who, origin, server) && has(catalog, own, origin, server);
}

bool
profiles_shows(mcphost_catalog *catalog, unsigned chosen, bool tools,
               const struct shape shown[N_SOURCES][N_OF])
{
    size_t n = tools ? N_OWN : 0;
    bool common = false, has_common = false;

    for (int i = 0; i < N_SOURCES; i++) {
        for (int j = 0; j < N_OF && chosen & 1U << i; j++) {
            const struct shape *shape = &shown[i][j];

            if (!shape->number)
                continue;
            n += 2;
            common |= shape->common;
            if (!shows_shape(catalog, i, j, shape, &has_common))
                return false;
        }
    }
    return mcphost_catalog_count_tools(catalog) == n + common && common == has_common;
}

static unsigned
chosen_of(const struct layered *l)
{
    unsigned chosen = 0;

    for (int i = 0; l->order[i] >= 0; i++)
        chosen |= 1U << l->order[i];
    return chosen;
}

static bool
view_fits(const struct layered *l)
{
    struct shape shown[N_SOURCES][N_OF];
    mcphost_catalog *catalog;
    bool fits;

    for (int i = 0; i < N_SOURCES; i++)
        for (int j = 0; j < N_OF; j++)
            shown[i][j] = origins[i].offers[j].shown;
    STRESS_CHECK(mcphost_view_get_catalog(l->view, &catalog) == 0);
    fits = profiles_shows(catalog, chosen_of(l), l->tools, shown);
    mcphost_catalog_unref(catalog);
    return fits;
}

static void
print_view(const struct layered *l)
{
    mcphost_catalog *catalog;

    STRESS_CHECK(mcphost_view_get_catalog(l->view, &catalog) == 0);
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);
        const char *source = mcphost_tool_get_source_id(tool);

        printf("    %s %s\n", source ? source : "-", mcphost_tool_get_name(tool));
    }
    mcphost_catalog_unref(catalog);
    for (int i = 0; i < N_SOURCES; i++)
        for (int j = 0; j < N_OF && origins[i].servers[j]; j++)
            printf("    %s %s should show %d%s\n", origins[i].id, origins[i].servers[j],
                   origins[i].offers[j].shown.number,
                   origins[i].offers[j].shown.common ? " and common" : "");
}

void
profiles_await(void)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;

    for (int i = 0; i < N_LAYERED; i++) {
        while (!view_fits(&layered[i])) {
            if (mcph_clock_monotonic_ms() > until) {
                print_view(&layered[i]);
                stress_fail("view %s does not come to show the edit", layered[i].name);
            }
            stress_pump(1);
        }
    }
    edit_await_turn();
}

/* Checks all views while no edit is under way. */
static void
observe(void)
{
    for (int i = 0; i < N_LAYERED; i++) {
        if (!view_fits(&layered[i])) {
            print_view(&layered[i]);
            stress_fail("view %s shows something else without an edit", layered[i].name);
        }
        n_observed++;
    }
}

/* ---- steps ------------------------------------------------------------------------- */

static void
make_view(struct layered *l)
{
    STRESS_CHECK(mcphost_view_new_layered(st.host, l->name, &l->view, NULL) == 0);
    for (int i = 0; l->order[i] >= 0 && l->order[i] < OF_RUNS; i++)
        STRESS_CHECK(
            mcphost_view_add_source(l->view, origins[l->order[i]].source, NULL, 0) == 0);
    if (l->tools)
        STRESS_CHECK(mcphost_view_set_builtins(l->view, goclaw_tools(), NULL) == 0);
}

static void
begin(void)
{
    mcphost_view *views[N_LAYERED];
    unsigned chosen[N_LAYERED];
    bool tools[N_LAYERED];

    state = st.seed * 11;
    goclaw_begin();
    mcpservers_begin();
    profiles_source(OF_CHATOS, -1);
    for (int i = 0; i < N_LAYERED; i++) {
        make_view(&layered[i]);
        views[i] = layered[i].view;
        chosen[i] = chosen_of(&layered[i]);
        tools[i] = layered[i].tools;
    }
    chatos_begin(&views[N_LAYERED - N_RUNS]);
    profiles_await();
    readers_begin(views, chosen, tools, N_LAYERED);
}

void
profiles_step(void)
{
    unsigned what;

    if (st.step == 1)
        begin();
    if (!st.profiles_alone && profiles_chance(2))
        return;
    calls_go();
    what = profiles_chance(15);
    if (what < 4)
        goclaw_step();
    else if (what < 8)
        mcpservers_step();
    else if (what < 11)
        chatos_step();
    else if (what == 11)
        calls_kill();
    else
        readers_change();
    observe();
    if (profiles_chance(12) == 0)
        calls_drain();
}

void
profiles_end(void)
{
    readers_end();
    chatos_end();
    for (int i = 0; i < N_LAYERED; i++)
        mcphost_view_unref(layered[i].view);
    goclaw_end();
    for (int i = 0; i < OF_RUNS; i++) {
        STRESS_CHECK(mcphost_source_remove(origins[i].source) == 0);
        mcphost_source_unref(origins[i].source);
    }
    printf("stress: profiles: %ld edits of %d editions, %ld catalogs as predicted\n",
           n_edits, n_shapes, n_observed);
}
