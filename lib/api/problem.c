/* SPDX-License-Identifier: MIT
 *
 * problem.c - the public functions of <mcphost/problem.h>: snapshots of the problem
 * store, and getters of problems.  The functions that make JSON are in dump.c.
 */
#include <stdlib.h>
#include <string.h>

#include "api/getter.h"
#include "host/host.h"

struct mcphost_problems {
    struct mcph_refs refs;
    uint64_t version;
    size_t n;
    mcphost_problem *items[];
};

/* Compares two problems for sorting: active problems come first, then more severe
 * problems, then newer problems, then lower ids. */
static int
compare_problems(const void *a, const void *b)
{
    const mcphost_problem *x = *(mcphost_problem *const *)a;
    const mcphost_problem *y = *(mcphost_problem *const *)b;

    if ((x->resolved < 0) != (y->resolved < 0))
        return x->resolved < 0 ? -1 : 1;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    return strcmp(x->id, y->id);
}

struct wish {
    uint64_t flags;
    const char *id_prefix, *server; /* filters by id and by server; NULL selects all */
};

static void
add_wanted(mcphost_problems *snapshot, const struct mcph_vec *items,
           const struct wish *wish)
{
    for (size_t i = 0; i < items->n; i++) {
        mcphost_problem *problem = items->items[i];

        if (wish->id_prefix &&
            strncmp(problem->id, wish->id_prefix, strlen(wish->id_prefix)) != 0)
            continue;
        if (!wish->server || mcph_streq(problem->server, wish->server))
            snapshot->items[snapshot->n++] = mcphost_problem_ref(problem);
    }
}

/* Fills a snapshot that has room for `n` problems, and returns 0.  If the store has more
 * than `n` problems of the states that wish->flags selects, leaves the snapshot unchanged
 * and returns the number of these problems.  This number also counts problems that the
 * filters of `wish` exclude.  The caller holds the lock. */
static size_t
fill_snapshot(mcphost *host, mcphost_problems *snapshot, size_t n,
              const struct wish *wish)
{
    const struct mcph_problem_store *store = &host->journal.problems;
    size_t most = 0;

    if (wish->flags & MCPHOST_PROBLEMS_ACTIVE)
        most += store->items.n;
    if (wish->flags & MCPHOST_PROBLEMS_RESOLVED)
        most += store->history.n;
    if (most > n)
        return most;
    snapshot->version = store->version;
    snapshot->n = 0;
    if (wish->flags & MCPHOST_PROBLEMS_ACTIVE)
        add_wanted(snapshot, &store->items, wish);
    if (wish->flags & MCPHOST_PROBLEMS_RESOLVED)
        add_wanted(snapshot, &store->history, wish);
    return 0;
}

static int
take_snapshot(mcphost *host, const struct wish *wish, mcphost_problems **ret_problems)
{
    mcphost_problems *snapshot = NULL;
    size_t n = 16, more;
    int r;

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
        more = fill_snapshot(host, snapshot, n, wish);
        mcph_core_leave(host->core);
        n = more + 16;
    } while (more);
    qsort(snapshot->items, snapshot->n, sizeof(snapshot->items[0]), compare_problems);
    *ret_problems = snapshot;
    return 0;
}

int
mcphost_get_problems(mcphost *host, mcphost_problems **ret_problems)
{
    const struct wish wish = {.flags = MCPHOST_PROBLEMS_ACTIVE};

    return host && ret_problems ? take_snapshot(host, &wish, ret_problems)
                                : MCPHOST_E_INVALID;
}

int
mcphost_select_problems(mcphost *host, uint64_t flags, const char *id_prefix,
                        const char *server_id, mcphost_problems **ret_problems)
{
    const struct wish wish = {
        .flags = flags, .id_prefix = id_prefix, .server = server_id};

    if (!host || !ret_problems || !flags ||
        (flags & ~(uint64_t)(MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED)))
        return MCPHOST_E_INVALID;
    return take_snapshot(host, &wish, ret_problems);
}

int
mcphost_forget_problem(mcphost *host, const char *id)
{
    return host ? mcph_problem_forget(&host->journal, id) : MCPHOST_E_INVALID;
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

MCPH_GETTER(uint64_t, mcphost_problems_get_version, const mcphost_problems *,
            self->version)
MCPH_GETTER(size_t, mcphost_problems_count, const mcphost_problems *, self->n)
MCPH_GETTER_AT(mcphost_problem *, mcphost_problems_get, const mcphost_problems *, self->n,
               self->items[index])

mcphost_problem *
mcphost_problems_find(const mcphost_problems *problems, const char *id)
{
    for (size_t i = 0; problems && id && i < problems->n; i++)
        if (strcmp(problems->items[i]->id, id) == 0)
            return problems->items[i];
    return NULL;
}

MCPH_GETTER(const char *, mcphost_problem_get_id, const mcphost_problem *, self->id)
MCPH_GETTER(const char *, mcphost_problem_get_kind, const mcphost_problem *, self->kind)
MCPH_GETTER(int, mcphost_problem_get_severity, const mcphost_problem *, self->severity)
MCPH_GETTER(const char *, mcphost_problem_get_message, const mcphost_problem *,
            self->message)
MCPH_GETTER(const char *, mcphost_problem_get_source_id, const mcphost_problem *,
            self->source)
MCPH_GETTER(const char *, mcphost_problem_get_server_id, const mcphost_problem *,
            self->server)

const char *
mcphost_problem_get_detail(const mcphost_problem *problem, size_t *ret_len)
{
    if (ret_len)
        *ret_len = problem ? strlen(problem->detail) : 0;
    return problem ? problem->detail : NULL;
}

MCPH_GETTER(int64_t, mcphost_problem_get_first_seen_ms, const mcphost_problem *,
            self->first)
MCPH_GETTER(int64_t, mcphost_problem_get_last_seen_ms, const mcphost_problem *,
            atomic_load(&self->last))
MCPH_GETTER(int, mcphost_problem_is_resolved, const mcphost_problem *,
            self->resolved >= 0)

int64_t
mcphost_problem_get_resolved_ms(const mcphost_problem *problem)
{
    return problem ? problem->resolved : -1;
}
