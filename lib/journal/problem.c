/* SPDX-License-Identifier: MIT
 *
 * problem.c - the store of active problems, and the history of resolved problems
 * (R114-R118, B.17).
 *
 * The content of a problem does not change.  If a problem is raised with other content, a
 * new problem with the same id replaces it.  The version of the store grows only when a
 * change is visible to the application.  A problem that is raised again without a change
 * is not reported.  Then only its `last` changes, and the version does not grow.
 *
 * A problem that no longer holds is resolved and moves to the history.  The history keeps
 * the last resolved problem of each id until the application removes it.  The history
 * holds at most the newest MCPH_PROBLEM_HISTORY problems.  If a problem is raised again,
 * the resolved problem stays in the history.
 *
 * Only the dispatcher changes active problems, under the lock.  Any thread may change the
 * history under the lock.  If a problem changes several times before its event is
 * delivered, the application gets one event with the last state.
 */
#include <stdlib.h>
#include <string.h>

#include "journal/journal.h"
#include "json/json.h"

static const int log_levels[] = {
    [MCPHOST_SEVERITY_INFO] = MCPHOST_LOG_INFO,
    [MCPHOST_SEVERITY_WARNING] = MCPHOST_LOG_WARNING,
    [MCPHOST_SEVERITY_ERROR] = MCPHOST_LOG_ERROR,
};

mcphost_problem *
mcphost_problem_ref(mcphost_problem *problem)
{
    if (problem)
        mcph_refs_get(&problem->refs);
    return problem;
}

mcphost_problem *
mcphost_problem_unref(mcphost_problem *problem)
{
    if (!problem || !mcph_refs_put(&problem->refs))
        return NULL;
    free(problem->id);
    free(problem->kind);
    free(problem->message);
    free(problem->source);
    free(problem->server);
    free(problem->detail);
    free(problem);
    return NULL;
}

static char *
make_detail(const char *key, const char *value, const char *text_key, const char *text)
{
    struct mcph_buf buf;
    char *detail;

    mcph_buf_init(&buf, 1024 * 1024);
    mcph_buf_addc(&buf, '{');
    if (value)
        mcph_json_add_member(&buf, key, value);
    mcph_json_add_member(&buf, text_key, text);
    mcph_buf_addc(&buf, '}');
    detail = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return detail;
}

char *
mcph_problem_detail(const char *key, const char *value, const char *error_text)
{
    return make_detail(key, value, "errorText", error_text);
}

/* Makes the full id of a problem.  The ids of the default source have no prefix. */
static char *
full_id(const char *source, const char *id)
{
    return source ? mcph_asprintf("source/%s/%s", source, id) : mcph_strdup(id);
}

mcphost_problem *
mcph_problem_new(const struct mcph_problem_draft *draft)
{
    mcphost_problem *p = draft->id && draft->message ? calloc(1, sizeof(*p)) : NULL;

    if (!p)
        return NULL;
    mcph_refs_init(&p->refs);
    p->id = full_id(draft->source, draft->id);
    p->kind = mcph_strdup(draft->kind);
    p->message = mcph_strdup(draft->message);
    p->detail = draft->detail ? mcph_strdup(draft->detail)
                              : make_detail(NULL, NULL, "text", draft->message);
    p->source = draft->source ? mcph_strdup(draft->source) : NULL;
    p->server = draft->server ? mcph_strdup(draft->server) : NULL;
    p->severity = draft->severity;
    p->first = mcph_clock_realtime_ms();
    p->resolved = -1;
    atomic_init(&p->last, p->first);
    if (p->id && p->kind && p->message && p->detail && (p->source || !draft->source) &&
        (p->server || !draft->server))
        return p;
    return mcphost_problem_unref(p);
}

static bool
same_problem(const mcphost_problem *a, const mcphost_problem *b)
{
    return a->severity == b->severity && mcph_streq(a->kind, b->kind) &&
           mcph_streq(a->message, b->message) && mcph_streq(a->detail, b->detail) &&
           mcph_streq(a->server, b->server);
}

static void
emit_problem(struct mcph_journal *journal, mcphost_problem *problem, bool present)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_PROBLEM,
                                  .state = present,
                                  .source = problem->source,
                                  .server = problem->server,
                                  .problem = problem};
    struct mcph_map *untold = &journal->problems.untold;
    const char *id = problem->id;
    struct mcphost_event *queued = mcph_map_get(untold, id, strlen(id));

    mcph_log(journal->core, present ? log_levels[problem->severity] : MCPHOST_LOG_INFO,
             "host", problem->server, "%s%s",
             present ? "" : "no longer: ", problem->message);
    /* Also replace the key, because the old key belongs to the older problem and may be
     * freed with it. */
    if (queued && mcph_map_put(untold, id, strlen(id), queued, NULL) == 0) {
        mcphost_problem_unref(queued->problem);
        queued->problem = mcphost_problem_ref(problem);
        queued->state = present;
        return;
    }
    queued = mcph_emit(journal, &event);
    /* Ignore a lack of memory for the entry in `untold`.  If the entry is missing, the
     * next change of the problem only makes a second event. */
    if (queued)
        (void)mcph_map_put(untold, queued->problem->id, strlen(id), queued, NULL);
}

void
mcph_problem_told(struct mcph_journal *journal, const struct mcphost_event *event)
{
    struct mcph_map *untold = &journal->problems.untold;
    const char *id = event->problem->id;

    if (mcph_map_get(untold, id, strlen(id)) == event)
        mcph_map_remove(untold, id, strlen(id));
}

/* Puts a problem into the store, in the place of `old` if `old` is not NULL.  Takes
 * ownership of the reference to `problem` on success.  Call this under the lock.  Returns
 * 0 or MCPHOST_E_NOMEM. */
static int
put_problem(struct mcph_problem_store *store, mcphost_problem *problem,
            mcphost_problem *old)
{
    int r;

    if (!old) {
        r = mcph_vec_reserve(&store->items, 1);
        if (r < 0)
            return r;
    }
    r = mcph_map_put(&store->by_id, problem->id, strlen(problem->id), problem, NULL);
    if (r < 0)
        return r;
    problem->place = old ? old->place : store->items.n;
    if (old)
        store->items.items[old->place] = problem;
    else
        mcph_vec_add(&store->items, problem);
    store->version++;
    return 0;
}

static void
log_lost(struct mcph_journal *journal, const struct mcph_problem_draft *draft)
{
    mcph_log(journal->core, MCPHOST_LOG_ERROR, "host", draft->server,
             "a problem was lost: out of memory: %s",
             draft->message ? draft->message : draft->kind);
}

void
mcph_problem_raise(struct mcph_journal *journal, const struct mcph_problem_draft *draft)
{
    struct mcph_problem_store *store = &journal->problems;
    mcphost_problem *problem = mcph_problem_new(draft), *old;
    bool news = true;
    int r = 0;

    if (!problem) {
        log_lost(journal, draft);
        return;
    }
    mcph_core_lock(journal->core);
    problem->sweep = draft->sweep;
    problem->sweep_n = draft->sweep ? draft->sweep->n : 0;
    old = mcph_map_get(&store->by_id, problem->id, strlen(problem->id));
    if (old && same_problem(old, problem)) {
        atomic_store(&old->last, atomic_load(&problem->last));
        old->sweep = problem->sweep;
        old->sweep_n = problem->sweep_n;
        news = false;
    } else {
        if (old)
            problem->first = old->first;
        r = put_problem(store, problem, old);
    }
    mcph_core_unlock(journal->core);
    if (news && r == 0) {
        emit_problem(journal, problem, true);
        mcphost_problem_unref(old);
        return;
    }
    if (r < 0)
        log_lost(journal, draft);
    mcphost_problem_unref(problem);
}

/* ---- the history ------------------------------------------------------------------- */

/* Copies a problem, including its id, and marks the copy as resolved now.  Returns NULL
 * if memory is short. */
static mcphost_problem *
make_resolved(const mcphost_problem *problem)
{
    struct mcph_problem_draft draft = {.id = problem->id,
                                       .kind = problem->kind,
                                       .server = problem->server,
                                       .message = problem->message,
                                       .detail = problem->detail,
                                       .severity = problem->severity};
    mcphost_problem *p = mcph_problem_new(&draft);

    if (p && problem->source) {
        p->source = mcph_strdup(problem->source);
        if (!p->source)
            p = mcphost_problem_unref(p);
    }
    if (!p)
        return NULL;
    p->resolved = p->first;
    p->first = problem->first;
    atomic_store(&p->last, atomic_load(&problem->last));
    return p;
}

static mcphost_problem *
take_resolved(struct mcph_problem_store *store, size_t i)
{
    mcphost_problem *problem = store->history.items[i];

    mcph_vec_remove(&store->history, i);
    return problem;
}

static size_t
find_resolved(const struct mcph_problem_store *store, const char *id)
{
    size_t i = 0;

    while (i < store->history.n) {
        const mcphost_problem *problem = store->history.items[i];

        if (strcmp(problem->id, id) == 0)
            break;
        i++;
    }
    return i;
}

/* Adds a resolved problem to the history.  Takes ownership of the reference on success.
 * Removes the problem with the same id or, if the history is full, the oldest problem.
 * *ret_old gets the reference of the removed problem.  Call this under the lock.  Returns
 * 0 or MCPHOST_E_NOMEM. */
static int
add_resolved(struct mcph_problem_store *store, mcphost_problem *problem,
             mcphost_problem **ret_old)
{
    size_t at = find_resolved(store, problem->id);

    if (at < store->history.n)
        *ret_old = take_resolved(store, at);
    else if (store->history.n >= MCPH_PROBLEM_HISTORY)
        *ret_old = take_resolved(store, 0);
    return mcph_vec_add(&store->history, problem);
}

int
mcph_problem_forget(struct mcph_journal *journal, const char *id)
{
    struct mcph_problem_store *store = &journal->problems;
    struct mcph_vec gone = {0};
    int r = mcph_core_enter_closed(journal->core);

    if (r < 0)
        return r;
    if (!id) {
        gone = store->history;
        store->history = (struct mcph_vec){0};
    } else if (find_resolved(store, id) < store->history.n) {
        mcphost_problem_unref(take_resolved(store, find_resolved(store, id)));
        store->version++;
    } else if (mcph_map_get(&store->by_id, id, strlen(id))) {
        r = MCPHOST_E_STATE;
    } else {
        r = MCPHOST_E_NOTFOUND;
    }
    if (gone.n)
        store->version++;
    mcph_core_leave(journal->core);
    for (size_t i = 0; i < gone.n; i++)
        mcphost_problem_unref(gone.items[i]);
    mcph_vec_done(&gone);
    return r;
}

/* ---- resolving --------------------------------------------------------------------- */

/* Removes a problem from the store, adds a resolved copy to the history, and reports the
 * change.  If memory is short, the history does not get the copy. */
static void
resolve_problem(struct mcph_journal *journal, mcphost_problem *problem)
{
    struct mcph_problem_store *store = &journal->problems;
    mcphost_problem *resolved = make_resolved(problem), *old = NULL, *last;

    mcph_core_lock(journal->core);
    mcph_map_remove(&store->by_id, problem->id, strlen(problem->id));
    /* Move the last item to the place that becomes free. */
    last = store->items.items[--store->items.n];
    last->place = problem->place;
    store->items.items[last->place] = last;
    if (resolved && add_resolved(store, mcphost_problem_ref(resolved), &old) < 0)
        mcphost_problem_unref(resolved);
    store->version++;
    mcph_core_unlock(journal->core);
    mcphost_problem_unref(old);
    emit_problem(journal, resolved ? resolved : problem, false);
    mcphost_problem_unref(resolved);
    mcphost_problem_unref(problem);
}

void
mcph_problem_clear(struct mcph_journal *journal, const char *source, const char *id)
{
    char *full = id ? full_id(source, id) : NULL;
    /* Read the map without the lock, because only the dispatcher changes active
     * problems. */
    mcphost_problem *problem =
        full ? mcph_map_get(&journal->problems.by_id, full, strlen(full)) : NULL;

    free(full);
    if (problem)
        resolve_problem(journal, problem);
}

void
mcph_problem_sweep_begin(struct mcph_journal *journal, struct mcph_sweep *sweep)
{
    mcph_core_lock(journal->core);
    sweep->n++;
    mcph_core_unlock(journal->core);
}

void
mcph_problem_sweep_end(struct mcph_journal *journal, struct mcph_sweep *sweep)
{
    struct mcph_problem_store *store = &journal->problems;

    for (size_t i = store->items.n; i-- > 0;) {
        mcphost_problem *problem = store->items.items[i];

        if (problem->sweep == sweep && problem->sweep_n != sweep->n)
            resolve_problem(journal, problem);
    }
}

void
mcph_problem_forget_server(struct mcph_journal *journal, const char *source,
                           const char *server)
{
    struct mcph_problem_store *store = &journal->problems;

    for (size_t i = store->items.n; i-- > 0;) {
        mcphost_problem *problem = store->items.items[i];

        if (mcph_streq(problem->source, source) &&
            (!server || mcph_streq(problem->server, server)))
            resolve_problem(journal, problem);
    }
}

void
mcph_problems_done(struct mcph_journal *journal)
{
    struct mcph_problem_store *store = &journal->problems;

    for (size_t i = 0; i < store->items.n; i++)
        mcphost_problem_unref(store->items.items[i]);
    for (size_t i = 0; i < store->history.n; i++)
        mcphost_problem_unref(store->history.items[i]);
    mcph_vec_done(&store->items);
    mcph_vec_done(&store->history);
    mcph_map_done(&store->untold);
    mcph_map_done(&store->by_id);
}
