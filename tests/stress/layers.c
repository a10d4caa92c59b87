/* SPDX-License-Identifier: MIT
 *
 * layers.c - layered views that are made, changed and dropped while a thread reads them.
 *
 * Two sources have servers with the same ids, and some tools of these servers have the
 * same name.  The model predicts which tools each view shows after each change, and which
 * server's tool has each name.  The reader must get either the catalog from before a
 * change or the catalog from after the change.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress/stress.h"

#define N_VIEWS    3
#define N_SOURCES  2
#define N_IDS      2
#define N_OFFERED  8
#define PATIENT_MS 15000

struct layer {
    int source;
    unsigned chosen; /* a set of bits, one for each chosen server */
};

struct shown {
    char name;
    int source, server;
};

struct stack {
    mcphost_view *view; /* NULL if there is no view */
    unsigned made;
    struct layer layers[N_SOURCES];
    int n_layers;
    struct shown now[N_OFFERED], next[N_OFFERED];
    int n_now, n_next;
};

static const char *const ids[N_IDS] = {"p", "q"};
static const char *const offered[N_SOURCES][N_IDS] = {{"ab", "c"}, {"bd", "ce"}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `stacks`, `over` */
static pthread_t reader;
static bool over;
static mcphost_source *sources[N_SOURCES];
static struct stack stacks[N_VIEWS];
static uint64_t state;
static long n_read, n_dropped;

static unsigned
chance(unsigned n)
{
    return stress_random(&state, n);
}

/* ---- the model --------------------------------------------------------------------- */

static bool
offers(const struct stack *stack, const struct shown *tool)
{
    for (int i = 0; i < stack->n_layers; i++)
        if (stack->layers[i].source == tool->source)
            return stack->layers[i].chosen & 1U << tool->server;
    return false;
}

/* Checks whether another server's tool has the name.  A tool that has a name keeps it as
 * long as the view shows the tool's server. */
static bool
is_taken(const struct stack *stack, const struct shown *tool)
{
    for (int i = 0; i < stack->n_now; i++) {
        const struct shown *holder = &stack->now[i];

        if (holder->name == tool->name && offers(stack, holder))
            return holder->source != tool->source || holder->server != tool->server;
    }
    for (int i = 0; i < stack->n_next; i++)
        if (stack->next[i].name == tool->name)
            return true;
    return false;
}

static void
predict(struct stack *stack)
{
    stack->n_next = 0;
    for (int i = 0; i < stack->n_layers; i++) {
        int source = stack->layers[i].source;

        for (int j = 0; j < N_IDS; j++) {
            for (const char *name = offered[source][j]; *name; name++) {
                struct shown tool = {*name, source, j};

                if (offers(stack, &tool) && !is_taken(stack, &tool))
                    stack->next[stack->n_next++] = tool;
            }
        }
    }
}

static bool
shows(mcphost_catalog *catalog, const struct shown *tools, int n)
{
    bool same = mcphost_catalog_count_tools(catalog) == (size_t)n;

    for (int i = 0; i < n && same; i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, (size_t)i);
        char name[4] = {'l', '_', tools[i].name, '\0'};
        char source[16];

        snprintf(source, sizeof(source), "layer%d", tools[i].source);
        same = strcmp(mcphost_tool_get_name(tool), name) == 0 &&
               strcmp(mcphost_tool_get_server_id(tool), ids[tools[i].server]) == 0 &&
               strcmp(mcphost_tool_get_source_id(tool), source) == 0;
    }
    return same;
}

/* ---- the reader -------------------------------------------------------------------- */

/* Checks one view's catalog against the predictions from before and after a change.
 * Holds a reference to the view, because the main thread may drop the view meanwhile. */
static void
read_one(struct stack *stack)
{
    mcphost_catalog *catalog;
    mcphost_view *view;
    bool fits;

    pthread_mutex_lock(&lock);
    view = mcphost_view_ref(stack->view);
    if (view) {
        STRESS_CHECK(mcphost_view_get_catalog(view, &catalog) == 0);
        fits = shows(catalog, stack->now, stack->n_now) ||
               shows(catalog, stack->next, stack->n_next);
        if (!fits)
            stress_fail("a view shows neither what it did nor what it is to show");
        n_read++;
    }
    pthread_mutex_unlock(&lock);
    if (!view)
        return;
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        STRESS_CHECK(mcphost_catalog_find_tool(
                         catalog, mcphost_tool_get_name(
                                      mcphost_catalog_get_tool(catalog, i))) != NULL);
    mcphost_catalog_unref(catalog);
    mcphost_view_unref(view);
}

static void *
read_on(void *arg)
{
    bool end = false;

    (void)arg;
    for (unsigned i = 0; !end; i++) {
        read_one(&stacks[i % N_VIEWS]);
        usleep(500);
        pthread_mutex_lock(&lock);
        end = over;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* ---- changes ----------------------------------------------------------------------- */

static void
await(struct stack *stack)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;
    mcphost_catalog *catalog;
    bool fits;

    do {
        STRESS_CHECK(mcphost_view_get_catalog(stack->view, &catalog) == 0);
        fits = shows(catalog, stack->next, stack->n_next);
        mcphost_catalog_unref(catalog);
        if (!fits && mcph_clock_monotonic_ms() > until)
            stress_fail("a view does not come to show what it should");
        if (!fits)
            stress_pump(1);
    } while (!fits);
    pthread_mutex_lock(&lock);
    memcpy(stack->now, stack->next, sizeof(stack->now));
    stack->n_now = stack->n_next;
    pthread_mutex_unlock(&lock);
}

static void
make(struct stack *stack)
{
    char name[32];

    snprintf(name, sizeof(name), "layers%d-%u", (int)(stack - stacks), stack->made++);
    stack->n_layers = stack->n_now = stack->n_next = 0;
    STRESS_CHECK(mcphost_view_new_layered(st.host, name, &stack->view, NULL) == 0);
    stress_draw("view made");
}

/* Drops the view.  The view's name becomes free after the reader has released its
 * reference, too. */
static void
drop(struct stack *stack)
{
    stack->view = mcphost_view_unref(stack->view);
    n_dropped++;
    stress_draw("view dropped");
}

static void
add_layer(struct stack *stack, int source)
{
    struct layer *layer = &stack->layers[stack->n_layers];
    const char *chosen[N_IDS];
    size_t n = 0;

    layer->source = source;
    layer->chosen = 1 + chance((1U << N_IDS) - 1);
    for (int i = 0; i < N_IDS; i++)
        if (layer->chosen & 1U << i)
            chosen[n++] = ids[i];
    STRESS_CHECK(mcphost_view_add_source(stack->view, sources[source],
                                         n == N_IDS ? NULL : chosen,
                                         n == N_IDS ? 0 : n) == 0);
    stack->n_layers++;
    stress_draw("layer added");
}

static void
remove_layer(struct stack *stack, int at)
{
    STRESS_CHECK(
        mcphost_view_remove_source(stack->view, sources[stack->layers[at].source]) == 0);
    if (at == 0)
        stack->layers[0] = stack->layers[1];
    stack->n_layers--;
    stress_draw("layer removed");
}

/* Adds or removes a layer and predicts what the view shows.  Call this with the lock
 * held.  Otherwise the reader could see the change before the prediction. */
static void
change(struct stack *stack, int source)
{
    int at = 0;

    while (at < stack->n_layers && stack->layers[at].source != source)
        at++;
    if (at < stack->n_layers)
        remove_layer(stack, at);
    else
        add_layer(stack, source);
    predict(stack);
}

static void
load_source(int source)
{
    char yaml[2048] = "version: 1\nservers:\n", id[24];
    size_t n = strlen(yaml);
    mcphost_config *config;

    for (int i = 0; i < N_IDS; i++) {
        n += (size_t)snprintf(yaml + n, sizeof(yaml) - n,
                              "  %s:\n    transport: stdio\n    scope: everyone\n"
                              "    command: '" MCPH_TEST_PROGDIR "/fakeserver'\n"
                              "    transform: [{prefix: l_}]\n    args: [-e, no-tools",
                              ids[i]);
        for (const char *name = offered[source][i]; *name; name++)
            n += (size_t)snprintf(yaml + n, sizeof(yaml) - n, ", -e, tool %c", *name);
        n += (size_t)snprintf(yaml + n, sizeof(yaml) - n, "]\n");
    }
    STRESS_CHECK(n < sizeof(yaml));
    STRESS_CHECK(mcphost_config_load_memory(yaml, n, "layers", st.dir, &config, NULL) ==
                 0);
    snprintf(id, sizeof(id), "layer%d", source);
    STRESS_CHECK(mcphost_source_new(st.host, id, &sources[source], NULL) == 0);
    STRESS_CHECK(mcphost_source_load(sources[source], config) == 0);
    mcphost_config_unref(config);
}

static void
begin(void)
{
    state = st.seed * 7;
    for (int i = 0; i < N_SOURCES; i++)
        load_source(i);
    STRESS_CHECK(mcphost_wait_ready(st.host, PATIENT_MS) == 1);
    STRESS_CHECK(pthread_create(&reader, NULL, read_on, NULL) == 0);
}

void
layers_step(void)
{
    struct stack *stack = &stacks[chance(N_VIEWS)];
    bool changed = false;

    if (st.step == 1)
        begin();
    if (chance(2))
        return;
    pthread_mutex_lock(&lock);
    stress_log("layers: view %d has %d", (int)(stack - stacks), stack->n_layers);
    if (!stack->view) {
        make(stack);
    } else if (chance(5) == 0) {
        drop(stack);
    } else {
        change(stack, (int)chance(N_SOURCES));
        changed = true;
    }
    pthread_mutex_unlock(&lock);
    if (changed)
        await(stack);
}

void
layers_end(void)
{
    pthread_mutex_lock(&lock);
    over = true;
    pthread_mutex_unlock(&lock);
    STRESS_CHECK(pthread_join(reader, NULL) == 0);
    for (int i = 0; i < N_VIEWS; i++)
        mcphost_view_unref(stacks[i].view);
    for (int i = 0; i < N_SOURCES; i++) {
        STRESS_CHECK(mcphost_source_remove(sources[i]) == 0);
        mcphost_source_unref(sources[i]);
    }
    printf("stress: %ld catalogs of %ld views that were dropped were read beside their "
           "changes\n",
           n_read, n_dropped);
}
