/* SPDX-License-Identifier: MIT
 *
 * problem.c - snapshots of the problem store.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

struct mcphost_problems {
    struct mcph_refs refs;
    uint64_t version;
    size_t n;
    mcphost_problem *items[];
};

/* Worst first, then newest, then by id. */
static int
compare(const void *a, const void *b)
{
    const mcphost_problem *x = *(mcphost_problem *const *)a;
    const mcphost_problem *y = *(mcphost_problem *const *)b;

    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    return strcmp(x->id, y->id);
}

/* Room for `n` of them; fills it under the lock, or says how many there are. */
static size_t
fill(mcphost *host, mcphost_problems *snapshot, size_t n)
{
    const struct mcph_problem_store *store = &host->problems;

    if (store->items.n > n)
        return store->items.n;
    snapshot->version = store->version;
    snapshot->n = store->items.n;
    for (size_t i = 0; i < store->items.n; i++)
        snapshot->items[i] = mcphost_problem_ref(store->items.items[i]);
    return 0;
}

int
mcphost_get_problems(mcphost *host, mcphost_problems **ret_problems)
{
    mcphost_problems *snapshot = NULL;
    size_t n = 16, more;
    int r;

    if (!host || !ret_problems)
        return MCPHOST_E_INVALID;
    do {
        free(snapshot);
        snapshot = malloc(sizeof(*snapshot) + n * sizeof(snapshot->items[0]));
        if (!snapshot)
            return MCPHOST_E_NOMEM;
        mcph_refs_init(&snapshot->refs);
        r = mcph_core_enter_closed(host->core);
        if (r < 0) {
            free(snapshot);
            return r;
        }
        more = fill(host, snapshot, n);
        mcph_core_leave(host->core);
        n = more + 16;
    } while (more);
    qsort(snapshot->items, snapshot->n, sizeof(snapshot->items[0]), compare);
    *ret_problems = snapshot;
    return 0;
}

mcphost_problems *
mcphost_problems_ref(mcphost_problems *problems)
{
    if (problems)
        mcph_refs_get(&problems->refs);
    return problems;
}

mcphost_problems *
mcphost_problems_unref(mcphost_problems *problems)
{
    if (!problems || !mcph_refs_put(&problems->refs))
        return NULL;
    for (size_t i = 0; i < problems->n; i++)
        mcphost_problem_unref(problems->items[i]);
    free(problems);
    return NULL;
}

uint64_t
mcphost_problems_get_version(const mcphost_problems *problems)
{
    return problems ? problems->version : 0;
}

size_t
mcphost_problems_count(const mcphost_problems *problems)
{
    return problems ? problems->n : 0;
}

mcphost_problem *
mcphost_problems_get(const mcphost_problems *problems, size_t index)
{
    return problems && index < problems->n ? problems->items[index] : NULL;
}

mcphost_problem *
mcphost_problems_find(const mcphost_problems *problems, const char *id)
{
    for (size_t i = 0; problems && id && i < problems->n; i++)
        if (strcmp(problems->items[i]->id, id) == 0)
            return problems->items[i];
    return NULL;
}

const char *
mcphost_problem_get_id(const mcphost_problem *problem)
{
    return problem ? problem->id : NULL;
}

const char *
mcphost_problem_get_kind(const mcphost_problem *problem)
{
    return problem ? problem->kind : NULL;
}

int
mcphost_problem_get_severity(const mcphost_problem *problem)
{
    return problem ? problem->severity : 0;
}

const char *
mcphost_problem_get_message(const mcphost_problem *problem)
{
    return problem ? problem->message : NULL;
}

const char *
mcphost_problem_get_server(const mcphost_problem *problem)
{
    return problem ? problem->server : NULL;
}

const char *
mcphost_problem_get_detail(const mcphost_problem *problem)
{
    return problem ? problem->detail : NULL;
}

int64_t
mcphost_problem_get_first_seen(const mcphost_problem *problem)
{
    return problem ? problem->first : 0;
}

int64_t
mcphost_problem_get_last_seen(const mcphost_problem *problem)
{
    return problem ? atomic_load(&problem->last) : 0;
}
