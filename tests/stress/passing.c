/* SPDX-License-Identifier: MIT
 *
 * passing.c - adds and removes sources, while edit.c edits the file of another source.
 *
 * Each of these sources has a view of its own.  The source's server has an id that the
 * edited file may use, too.  The source's only tool is `alpha`.  Servers of the edited
 * file also offer a tool of this name.
 *
 * The passing sources do not change the model's prediction for the default view.  The
 * view of a passing source shows only the source's own tool.  The source's own process
 * answers a call in this view, or the call fails.  After the source is removed, its view
 * shows nothing.
 */
#include <stdio.h>
#include <string.h>

#include "stress/stress.h"

#define N_PASSING 4

struct passing {
    mcphost_source *source; /* NULL if there is no source */
    mcphost_view *view;
    mcphost_dialog *dialog;
    int number;
};

static struct passing passing[N_PASSING];
static uint64_t state;
static int n_made;

static unsigned
chance(unsigned n)
{
    return stress_random(&state, n);
}

static mcphost_config *
config_of(int number)
{
    static const char *const fares[] = {"",
                                        ", -e, on list, -e, ' delay 30', -e, ' answer'",
                                        ", -e, on spawn, -e, ' exit 3'"};
    unsigned fare = chance(8);
    mcphost_config *config;
    char yaml[1024];
    int n;

    n = snprintf(yaml, sizeof(yaml),
                 "version: 1\nservers:\n  s%u:\n    transport: stdio\n"
                 "    command: '" MCPH_TEST_PROGDIR "/fakeserver'\n"
                 "    truely-stateless: %s\n"
                 "    args: [-e, 'name passing-%d', -e, no-tools, -e, tool alpha, -e, on "
                 "call, -e, ' text passing-%d'%s]\n",
                 chance(N_SERVERS), chance(2) ? "true" : "false", number, number,
                 fares[fare < 6 ? 0 : fare - 5]);
    STRESS_CHECK(n > 0 && n < (int)sizeof(yaml));
    STRESS_CHECK(mcphost_config_load_memory(yaml, (size_t)n, "passing", st.dir, &config,
                                            NULL) == 0);
    STRESS_CHECK(mcphost_config_get_status(config) == 0);
    return config;
}

static void
add_passing(struct passing *p, int slot)
{
    mcphost_config *config = config_of(++n_made);
    char id[32];

    p->number = n_made;
    snprintf(id, sizeof(id), "passing%d", slot);
    stress_log("%s comes (%d)", id, p->number);
    STRESS_CHECK(mcphost_source_new(st.host, id, &p->source, NULL) == 0);
    if (chance(2))
        STRESS_CHECK(mcphost_source_load(p->source, config) == 0);
    snprintf(id, sizeof(id), "view%d-%d", slot, p->number);
    STRESS_CHECK(mcphost_view_new_layered(st.host, id, &p->view, NULL) == 0);
    STRESS_CHECK(mcphost_view_add_source(p->view, p->source, NULL, 0) == 0);
    STRESS_CHECK(mcphost_source_load(p->source, config) == 0);
    STRESS_CHECK(mcphost_dialog_new(p->view, id, NULL, &p->dialog, NULL) == 0);
    mcphost_config_unref(config);
    stress_draw("source comes");
}

static void
remove_passing(struct passing *p)
{
    mcphost_catalog *catalog;

    stress_log("passing %d goes", p->number);
    STRESS_CHECK(mcphost_source_remove(p->source) == 0);
    if (chance(2))
        STRESS_CHECK(mcphost_source_remove(p->source) == 0);
    if (chance(4) == 0) {
        edit_await_turn();
        STRESS_CHECK(mcphost_view_get_catalog(p->view, &catalog) == 0);
        STRESS_CHECK(mcphost_catalog_count_tools(catalog) == 0);
        mcphost_catalog_unref(catalog);
    }
    mcphost_source_unref(p->source);
    mcphost_dialog_unref(p->dialog);
    mcphost_view_unref(p->view);
    *p = (struct passing){0};
    stress_draw("source goes");
}

/* Calls the source's tool.  Checks that the view shows no other tool, and that an answer
 * is from the source's process. */
static void
call_passing(const struct passing *p)
{
    mcphost_catalog *catalog;
    mcphost_call *call;
    const char *json;
    char text[32];
    size_t n, len;

    STRESS_CHECK(mcphost_view_get_catalog(p->view, &catalog) == 0);
    n = mcphost_catalog_count_tools(catalog);
    STRESS_CHECK(n <= 1);
    if (n == 1)
        STRESS_CHECK(strcmp(mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, 0)),
                            "alpha") == 0);
    mcphost_catalog_unref(catalog);
    if (n == 0 || mcphost_call_new(p->dialog, "alpha", "{}", 2, &call, NULL) < 0)
        return;
    STRESS_CHECK(mcphost_call_start(call, NULL, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_call_wait(call, 15000) == 1);
    snprintf(text, sizeof(text), "passing-%d", p->number);
    json = mcphost_result_get_json(mcphost_call_get_result(call), &len);
    if (json)
        STRESS_CHECK(memmem(json, len, text, strlen(text)) != NULL);
    mcphost_call_unref(call);
    stress_draw("source is used");
}

void
passing_step(void)
{
    unsigned slot = chance(N_PASSING);
    struct passing *p = &passing[slot];

    if (st.step == 1)
        state = st.seed * 3;
    if (chance(6))
        return;
    if (!p->source)
        add_passing(p, (int)slot);
    else if (chance(2))
        call_passing(p);
    else
        remove_passing(p);
}

void
passing_end(void)
{
    for (size_t i = 0; i < N_PASSING; i++)
        if (passing[i].source)
            remove_passing(&passing[i]);
}
