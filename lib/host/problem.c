/* SPDX-License-Identifier: MIT
 *
 * problem.c - the problem store (R114-R118, B.17).
 *
 * A problem is immutable; a change puts another one in its place.  The version
 * moves only when something visible changed, so an equal one raised again is no
 * news.  One that no longer holds is resolved: it goes to the history, which keeps
 * the last life of each id, the newest MCPH_PROBLEM_HISTORY of them, until somebody
 * clears it.  One that comes back begins a new life beside it.
 *
 * Active problems are changed by the dispatcher alone, under the lock; the history
 * by any thread under the lock.  Of what happens to one problem before the
 * application is told, it is told the last.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

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
    if (value) {
        mcph_json_add_key(&buf, key);
        mcph_json_add_str(&buf, value);
    }
    mcph_json_add_key(&buf, text_key);
    mcph_json_add_str(&buf, text);
    mcph_buf_addc(&buf, '}');
    detail = mcph_buf_ok(&buf) == 0 ? mcph_buf_steal(&buf, NULL) : NULL;
    mcph_buf_done(&buf);
    return detail;
}

char *
mcph_problem_detail(const char *key, const char *value, const char *error_text)
{
    return make_detail(key, value, "errorText", error_text);
}

mcphost_problem *
mcph_problem_new(const struct mcph_problem_draft *draft)
{
    mcphost_problem *p = draft->id && draft->message ? calloc(1, sizeof(*p)) : NULL;

    if (!p)
        return NULL;
    mcph_refs_init(&p->refs);
    p->id = mcph_strdup(draft->id);
    p->kind = mcph_strdup(draft->kind);
    p->message = mcph_strdup(draft->message);
    p->detail = draft->detail ? mcph_strdup(draft->detail)
                              : make_detail(NULL, NULL, "text", draft->message);
    p->server = draft->server ? mcph_strdup(draft->server) : NULL;
    p->severity = draft->severity;
    p->first = mcph_clock_realtime_ms();
    p->resolved = -1;
    atomic_init(&p->last, p->first);
    if (p->id && p->kind && p->message && p->detail && (p->server || !draft->server))
        return p;
    return mcphost_problem_unref(p);
}

static bool
same(const mcphost_problem *a, const mcphost_problem *b)
{
    return a->severity == b->severity && mcph_streq(a->kind, b->kind) &&
           mcph_streq(a->message, b->message) && mcph_streq(a->detail, b->detail) &&
           mcph_streq(a->server, b->server);
}

static void
tell(mcphost *host, mcphost_problem *problem, bool present)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_PROBLEM,
                                  .state = present,
                                  .server = problem->server,
                                  .problem = problem};
    struct mcph_map *untold = &host->problems.untold;
    const char *id = problem->id;
    struct mcphost_event *queued = mcph_map_get(untold, id, strlen(id));

    mcph_log(host->core, present ? log_levels[problem->severity] : MCPHOST_LOG_INFO,
             "host", problem->server, "%s%s",
             present ? "" : "no longer: ", problem->message);
    /* The key is the newer problem's from now on. */
    if (queued && mcph_map_put(untold, id, strlen(id), queued, NULL) == 0) {
        mcphost_problem_unref(queued->problem);
        queued->problem = mcphost_problem_ref(problem);
        queued->state = present;
        return;
    }
    queued = mcph_emit(host, &event);
    /* Short of memory there will be two events where one would do. */
    if (queued)
        (void)mcph_map_put(untold, queued->problem->id, strlen(id), queued, NULL);
}

void
mcph_problem_told(mcphost *host, const struct mcphost_event *event)
{
    struct mcph_map *untold = &host->problems.untold;
    const char *id = event->problem->id;

    if (mcph_map_get(untold, id, strlen(id)) == event)
        mcph_map_remove(untold, id, strlen(id));
}

/* Takes over the reference to `problem` on success; under the lock. */
static int
put(struct mcph_problem_store *store, mcphost_problem *problem, mcphost_problem *old)
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
lost(mcphost *host, const struct mcph_problem_draft *draft)
{
    mcph_log(host->core, MCPHOST_LOG_ERROR, "host", draft->server,
             "a problem was lost: out of memory: %s",
             draft->message ? draft->message : draft->kind);
}

void
mcph_problem_raise(mcphost *host, const struct mcph_problem_draft *draft)
{
    struct mcph_problem_store *store = &host->problems;
    mcphost_problem *problem = mcph_problem_new(draft), *old;
    bool news = true;
    int r = 0;

    if (!problem) {
        lost(host, draft);
        return;
    }
    mcph_core_lock(host->core);
    problem->source = draft->source;
    problem->sweep = store->sweeps[draft->source];
    old = mcph_map_get(&store->by_id, draft->id, strlen(draft->id));
    if (old && same(old, problem)) {
        atomic_store(&old->last, atomic_load(&problem->last));
        old->source = problem->source;
        old->sweep = problem->sweep;
        news = false;
    } else {
        if (old)
            problem->first = old->first;
        r = put(store, problem, old);
    }
    mcph_core_unlock(host->core);
    if (news && r == 0) {
        tell(host, problem, true);
        mcphost_problem_unref(old);
        return;
    }
    if (r < 0)
        lost(host, draft);
    mcphost_problem_unref(problem);
}

/* ---- the history ------------------------------------------------------------------- */

/* What remains of it; NULL without memory. */
static mcphost_problem *
make_resolved(const mcphost_problem *problem)
{
    struct mcph_problem_draft draft = {.id = problem->id,
                                       .kind = problem->kind,
                                       .server = problem->server,
                                       .message = problem->message,
                                       .detail = problem->detail,
                                       .severity = problem->severity,
                                       .source = problem->source};
    mcphost_problem *p = mcph_problem_new(&draft);

    if (!p)
        return NULL;
    p->source = problem->source;
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

/* Under the lock; takes over the reference on success.  The one that has to go is the
 * caller's then. */
static int
remember(struct mcph_problem_store *store, mcphost_problem *problem,
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
mcph_problem_forget(mcphost *host, const char *id)
{
    struct mcph_problem_store *store = &host->problems;
    struct mcph_vec gone = {0};
    int r = mcph_core_enter_closed(host->core);

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
    mcph_core_leave(host->core);
    for (size_t i = 0; i < gone.n; i++)
        mcphost_problem_unref(gone.items[i]);
    mcph_vec_done(&gone);
    return r;
}

/* ---- the end of a life ------------------------------------------------------------- */

/* Takes it out, keeps what is left of it, and tells. */
static void
drop(mcphost *host, mcphost_problem *problem)
{
    struct mcph_problem_store *store = &host->problems;
    mcphost_problem *resolved = make_resolved(problem), *old = NULL, *last;

    mcph_core_lock(host->core);
    mcph_map_remove(&store->by_id, problem->id, strlen(problem->id));
    /* The last one takes the place. */
    last = store->items.items[--store->items.n];
    last->place = problem->place;
    store->items.items[last->place] = last;
    if (resolved && remember(store, mcphost_problem_ref(resolved), &old) < 0)
        mcphost_problem_unref(resolved);
    store->version++;
    mcph_core_unlock(host->core);
    mcphost_problem_unref(old);
    tell(host, resolved ? resolved : problem, false);
    mcphost_problem_unref(resolved);
    mcphost_problem_unref(problem);
}

void
mcph_problem_clear(mcphost *host, const char *id)
{
    /* Only the dispatcher changes the store: it may read without the lock. */
    mcphost_problem *problem = mcph_map_get(&host->problems.by_id, id, strlen(id));

    if (problem)
        drop(host, problem);
}

void
mcph_problem_sweep_begin(mcphost *host, int source)
{
    mcph_core_lock(host->core);
    host->problems.sweeps[source]++;
    mcph_core_unlock(host->core);
}

void
mcph_problem_sweep_end(mcphost *host, int source)
{
    struct mcph_problem_store *store = &host->problems;

    for (size_t i = store->items.n; i-- > 0;) {
        mcphost_problem *problem = store->items.items[i];

        if (problem->source == source && problem->sweep != store->sweeps[source])
            drop(host, problem);
    }
}

void
mcph_problem_forget_server(mcphost *host, const char *server)
{
    struct mcph_problem_store *store = &host->problems;

    for (size_t i = store->items.n; i-- > 0;) {
        mcphost_problem *problem = store->items.items[i];

        if (mcph_streq(problem->server, server))
            drop(host, problem);
    }
}

void
mcph_problems_done(struct mcph_problem_store *store)
{
    for (size_t i = 0; i < store->items.n; i++)
        mcphost_problem_unref(store->items.items[i]);
    for (size_t i = 0; i < store->history.n; i++)
        mcphost_problem_unref(store->history.items[i]);
    mcph_vec_done(&store->items);
    mcph_vec_done(&store->history);
    mcph_map_done(&store->untold);
    mcph_map_done(&store->by_id);
}

void
mcph_problem_server(mcphost *host, const char *server, int severity, mcphost_error *error)
{
    char *id = mcph_asprintf("mcp/server/%s/server_error", server);
    bool spawn = mcphost_error_get_code(error) == MCPHOST_E_SPAWN;
    const char *text = mcphost_error_get_message(error);
    struct mcph_problem_draft draft = {.kind = spawn ? "mcp_server_start_failed"
                                                     : "mcp_server_error",
                                       .server = server,
                                       .message = text,
                                       .severity = severity};
    char *detail = mcph_problem_detail("serverId", server, text);

    draft.id = id;
    draft.detail = detail;
    mcph_problem_raise(host, &draft);
    free(detail);
    free(id);
}

void
mcph_problem_server_clear(mcphost *host, const char *server)
{
    char *id = mcph_asprintf("mcp/server/%s/server_error", server);

    if (id)
        mcph_problem_clear(host, id);
    free(id);
}

void
mcph_problem_client(mcphost *host, const char *server, const mcphost_error *error)
{
    char *id = mcph_asprintf("mcp/server/%s/start_failed", server);
    const char *text = error ? mcphost_error_get_message(error) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "mcp_server_start_failed",
                                       .server = server,
                                       .message = text,
                                       .severity = MCPHOST_SEVERITY_ERROR};
    char *detail = text ? mcph_problem_detail("serverId", server, text) : NULL;

    draft.detail = detail;
    if (error)
        mcph_problem_raise(host, &draft);
    else if (id)
        mcph_problem_clear(host, id);
    free(detail);
    free(id);
}

/* ---- calls that fail (B.17) -------------------------------------------------------- */

#define CALL_ERROR_MAX 10000 /* characters */

/* An id of what names belong to; what is no letter, digit, '_', '-' or '.' in them
 * becomes '_'. */
static char *
id_under(const char *head, const char *server, const char *tool)
{
    char *id =
        mcph_asprintf("%s/%s%s%s", head, server, tool ? "." : "", tool ? tool : "");

    for (char *p = id ? id + strlen(head) + 1 : NULL; p && *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.",
                    *p))
            *p = '_';
    return id;
}

static char *
call_error_id(const char *server)
{
    return id_under("mcp/tool_call_error", server, NULL);
}

/* The length of the first CALL_ERROR_MAX characters. */
static size_t
cut(const char *text)
{
    size_t n = 0, i = 0;

    for (; text[i]; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            n++;
        if (n > CALL_ERROR_MAX)
            break;
    }
    return i;
}

void
mcph_problem_call(mcphost *host, const char *server, const char *error_text)
{
    char *id = call_error_id(server);
    char *message = mcph_strndup(error_text, cut(error_text));
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .server = server,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_ERROR};

    if (id && message)
        mcph_problem_raise(host, &draft);
    else
        lost(host, &(struct mcph_problem_draft){.server = server, .message = error_text});
    free(message);
    free(id);
}

void
mcph_problem_call_clear(mcphost *host, const char *server)
{
    char *id = call_error_id(server);

    if (id)
        mcph_problem_clear(host, id);
    free(id);
}

void
mcph_problem_result(mcphost *host, const char *server, const char *tool, const char *text)
{
    char *id = id_under("mcp/tool_result", server, tool);
    char *message = text ? mcph_strndup(text, cut(text)) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .server = server,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    if (id && message)
        mcph_problem_raise(host, &draft);
    else if (text)
        lost(host, &(struct mcph_problem_draft){.server = server, .message = text});
    else if (id)
        mcph_problem_clear(host, id);
    free(message);
    free(id);
}
