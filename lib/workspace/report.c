/* SPDX-License-Identifier: MIT
 *
 * report.c - react to the reports of instances: states, lists, log lines, noise on
 * stdout.
 *
 * An instance is a server's lister (it prepares the next edition), its spare, the
 * instance in the seat that all dialogs share, or an instance in a seat of a narrower
 * scope.  The role of the instance decides the meaning of its reports.
 */
#include <stdlib.h>

#include "workspace/workspace.h"

/* Returns the id of the instance's source, for events and problems. */
static const char *
source_of(const struct mcph_instance *inst)
{
    const struct mcph_server *server = inst->owner;

    return server->source->id;
}

static void
emit_instance(struct mcph_instance *inst, mcphost_error *reason)
{
    struct mcph_server *server = inst->owner;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_INSTANCE,
                                  .state = inst->state,
                                  .source = server->source->id,
                                  .server = inst->spec->id,
                                  .dialog = mcph_instance_dialog(inst),
                                  .pid = inst->pid,
                                  .error = reason};

    mcph_emit(server->source->journal, &event);
}

/* Returns true if the server's status shows the process of this instance.  An instance of
 * an earlier edition in the shared seat does not count, although it may run until the
 * next edition is published. */
static bool
is_main(const struct mcph_server *server, const struct mcph_instance *inst)
{
    return inst == server->spare ||
           (inst->seat && inst->seat == server->shared &&
            inst->seat->edition == server->edition) ||
           (inst == server->lister && !server->listing);
}

/* Updates the server's status after an answer: the latency, and whether the server offers
 * tools. */
static void
update_status(struct mcph_server *server, const struct mcph_instance *inst)
{
    const struct mcph_client_info *info = mcph_client_get_info(inst->client);

    mcph_core_lock(server->source->core);
    server->latency_ms = mcph_client_get_latency(inst->client);
    if (info)
        server->has_tools = (info->offers & MCPH_OFFERS_TOOLS) != 0;
    mcph_core_unlock(server->source->core);
}

/* Raises the problem that the client of a seat did not come up.  If `error` is NULL,
 * clears the problem. */
static void
report_client(const struct mcph_server *server, const mcphost_error *error)
{
    const struct mcphost_source *source = server->source;

    mcph_problem_client(source->journal, source->id, server->id, error);
}

static void
on_ready(struct mcph_server *server, struct mcph_instance *inst)
{
    const struct mcph_client_info *info = mcph_client_get_info(inst->client);

    /* Clear the problem that the server did not know the configured session.  The server
     * has now resumed this session, or no session is configured any more. */
    if (info->taken_up || !inst->spec->session_id)
        mcph_problem_clear_server(server->source->journal, server->source->id, server->id,
                                  MCPH_CLIENT_ODD_SESSION);
    if (!inst->seat || inst->seat->edition == server->edition) {
        mcph_core_lock(server->source->core);
        server->version = info->version;
        mcph_core_unlock(server->source->core);
        update_status(server, inst);
    }
    if (inst == server->spare || (inst->seat && inst->seat->edition == server->edition))
        mcph_server_met(server, inst);
    if (inst->seat)
        server->source->ws->ops->seat_ready(inst->seat);
    if (server->lease_failed)
        report_client(server, NULL);
    server->lease_failed = false;
    mcph_crash_sign_of_life(server);
}

/* Returns true if `inst` is the lister, the spare, or in a seat of the present edition.
 * The end of any other instance is no failure of the server. */
static bool
is_present(const struct mcph_server *server, const struct mcph_instance *inst)
{
    return inst == server->lister || inst == server->spare ||
           (inst->seat && inst->seat->edition == server->edition);
}

static void
on_dead(struct mcph_server *server, struct mcph_instance *inst, mcphost_error *reason)
{
    /* Count a crash only if there is a reason.  An instance that was stopped has no
     * reason. */
    if (reason && is_present(server, inst))
        mcph_crash_note(server, inst, reason);
    if (reason && server->wanted && inst->seat && !inst->came_up &&
        is_present(server, inst)) {
        server->lease_failed = true;
        report_client(server, reason);
    }
    if (inst->seat && inst->scope) {
        mcph_list_for_each (item, &inst->seat->leases) {
            server->source->ws->ops->own_drop(
                server, MCPH_LIST_ENTRY(item, mcphost_lease, seat_link));
        }
    }
    if (inst == server->spare)
        mcph_server_take_spare(server);
    if (inst == server->lister) {
        server->lister = NULL;
        /* Report a failure only if there is a reason.  Without a reason, the host is
         * closing. */
        if (reason)
            mcph_server_unavailable(server, reason);
    }
}

static void
on_state(struct mcph_instance *inst, mcphost_error *reason, void *arg)
{
    struct mcph_server *server = inst->owner;

    (void)arg;
    if (is_main(server, inst))
        mcph_server_set_pid(server, inst->state == MCPHOST_INSTANCE_DEAD ? 0 : inst->pid);
    if (inst->containment != MCPHOST_CONTAINMENT_AUTO)
        mcph_server_set_containment(server, inst->containment);
    if (reason)
        mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", inst->spec->id, "%s",
                 mcphost_error_get_message(reason));
    emit_instance(inst, reason);
    if (inst->state == MCPHOST_INSTANCE_CLOSING)
        server->source->ws->ops->instance_closing(inst, server->source->ws->owner);
    if (inst->state == MCPHOST_INSTANCE_DEAD) {
        mcph_making_cancel(server->source, inst);
        server->source->ws->ops->instance_dead(inst, server->source->ws->owner);
        mcph_more_lost(server, inst);
    }
    if (inst->state == MCPHOST_INSTANCE_READY)
        on_ready(server, inst);
    if (inst->state == MCPHOST_INSTANCE_DEAD)
        on_dead(server, inst, reason);
}

static void
refuse_list(struct mcph_server *server, struct mcph_instance *inst, mcphost_error *error)
{
    bool first = inst == server->lister;

    mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id, "%s",
             mcphost_error_get_message(error));
    if (!first)
        return; /* the last good list stays */
    server->lister = NULL;
    if (!server->listing)
        mcph_server_set_pid(server, 0);
    mcph_server_unavailable(server, error);
    mcph_instance_close(inst, true);
}

/* Raises a problem for a list of tools that was cut short, or that the server does not
 * offer.  The next whole list clears the problem. */
static void
report_cut(struct mcph_server *server, const struct mcph_client_list *list)
{
    mcphost_error *cut = mcph_err_masked(
        list->cut, mcph_realm_get_mask(&server->source->realm, server->id));

    if (cut)
        mcph_problem_server(server->source->journal, server->source->id, server->id,
                            mcphost_error_get_code(cut) == MCPHOST_E_NOTFOUND
                                ? MCPHOST_SEVERITY_INFO
                                : MCPHOST_SEVERITY_WARNING,
                            cut);
    else
        mcph_server_clear_complaint(server);
    server->complained = cut != NULL;
    mcphost_error_unref(cut);
}

/* Returns true if the lists of this instance still count, for the server or for a
 * scope. */
static bool
may_list(const struct mcph_server *server, const struct mcph_instance *inst)
{
    if (inst == server->awaits)
        return true;
    if (inst->scope)
        return inst->seat && server->spec && inst->seat->edition == server->edition;
    return inst == server->lister || is_main(server, inst);
}

static void
refuse_own_list(struct mcph_server *server, mcphost_error *error)
{
    mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id,
             "a changed list of tools is ignored: %s", mcphost_error_get_message(error));
}

/* Reports that a list of a kind other than tools failed. */
static void
report_failed_list(struct mcph_server *server, struct mcph_instance *inst, int kind,
                   mcphost_error *error)
{
    mcph_err_set_server(error, server->source->id, server->id);
    mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id, "%s",
             mcphost_error_get_message(error));
    if (!inst->scope || inst == server->awaits)
        mcph_more_tell(server, kind, error);
    mcph_more_heard(server, inst, kind);
}

static void
tell_more_cut(struct mcph_server *server, const struct mcph_made *made)
{
    mcphost_error *cut = mcph_err_masked(
        made->list->cut, mcph_realm_get_mask(&server->source->realm, server->id));

    mcph_more_tell(server, made->kind,
                   mcphost_error_get_code(cut) == MCPHOST_E_NOTFOUND ? NULL : cut);
    mcphost_error_unref(cut);
}

static void
report_more(struct mcph_server *server, struct mcph_instance *inst,
            const struct mcph_made *made)
{
    bool own = inst->scope && inst != server->awaits;

    if (!made->listing) {
        report_failed_list(server, inst, made->kind, made->error);
    } else if (own) {
        server->source->ws->ops->own_listed(server, inst->seat, made);
    } else {
        tell_more_cut(server, made);
        if (mcph_more_listed(server, inst, made))
            mcph_server_schedule(server);
        mcph_more_heard(server, inst, made->kind);
    }
}

void
mcph_report_made(struct mcph_instance *inst, const struct mcph_made *made)
{
    struct mcph_server *server = inst->owner;

    if (!may_list(server, inst))
        return;
    if (made->kind != MCPH_LIST_TOOLS) {
        report_more(server, inst, made);
        return;
    }
    if (!made->listing && inst->scope) {
        refuse_own_list(server, made->error);
        return;
    }
    if (!made->listing) {
        mcph_err_set_server(made->error, server->source->id, server->id);
        refuse_list(server, inst, made->error);
        return;
    }
    /* If not all dialogs share the instance, change the tools only for the dialogs that
     * hold a lease on its seat. */
    if (inst->scope) {
        server->source->ws->ops->own_listed(server, inst->seat, made);
        return;
    }
    report_cut(server, made->list);
    mcph_block_unref(server->made);
    server->made = mcph_block_ref(made->block);
    if (inst == server->lister) {
        mcph_server_commit(server, made->listing);
        mcph_server_set_pid(server, inst->pid);
    } else {
        mcph_server_relisted(server, made->listing, !inst->has_listed);
    }
    inst->has_listed = true;
}

static void
on_listed(struct mcph_instance *inst, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    struct mcph_server *server = inst->owner;
    struct mcph_made none = {.kind = kind, .error = NULL};

    (void)arg;
    /* Ignore lists of an instance that is being replaced, or that only a dialog turn
     * keeps. */
    if (server->source->ws->ended || !may_list(server, inst))
        return;
    if (!inst->scope)
        update_status(server, inst);
    if (error && kind != MCPH_LIST_TOOLS)
        report_failed_list(server, inst, kind, error);
    else if (error && inst->scope)
        mcph_log(server->source->core, MCPHOST_LOG_WARNING, "host", server->id, "%s",
                 mcphost_error_get_message(error));
    else if (error)
        refuse_list(server, inst, error);
    else if (mcph_making_begin(server->source, inst, list) < 0) {
        mcph_err_nomem(&none.error);
        mcph_report_made(inst, &none);
        mcphost_error_unref(none.error);
    }
}

static void
on_changed(struct mcph_instance *inst, int kind, void *arg)
{
    struct mcph_workspace *ws = arg;
    int r;

    if (inst->state != MCPHOST_INSTANCE_READY)
        return;
    r = mcph_client_list(inst->client, kind);
    if (r < 0)
        mcph_log(ws->core, MCPHOST_LOG_WARNING, "host", inst->spec->id,
                 "its changed %s cannot be listed: %s", mcph_list_kinds[kind].array,
                 mcphost_strerror(r));
}

static void
on_log(struct mcph_instance *inst, const char *level, struct mcph_span data, bool aside,
       void *arg)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_LOG,
                                  .source = source_of(inst),
                                  .server = inst->spec->id,
                                  .dialog = mcph_instance_dialog(inst),
                                  .pid = inst->pid,
                                  .level = level,
                                  .data = data.p,
                                  .data_len = data.len,
                                  .aside = aside};
    struct mcph_workspace *ws = arg;

    mcph_emit(ws->journal, &event);
}

static void
on_stderr_line(struct mcph_instance *inst, const char *line, void *arg)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_LOG,
                                  .source = source_of(inst),
                                  .server = inst->spec->id,
                                  .dialog = mcph_instance_dialog(inst),
                                  .pid = inst->pid,
                                  .text = line};
    struct mcph_workspace *ws = arg;

    mcph_emit(ws->journal, &event);
}

static void
on_subscribed(struct mcph_instance *inst, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    struct mcph_workspace *ws = arg;

    ws->ops->subscribed(inst, uri, error, ws->owner);
}

static void
on_updated(struct mcph_instance *inst, struct mcph_span uri, uint64_t count, void *arg)
{
    struct mcph_workspace *ws = arg;

    ws->ops->updated(inst, uri, count, ws->owner);
}

static void
on_task(struct mcph_instance *inst, struct mcph_span task, void *arg)
{
    struct mcph_workspace *ws = arg;

    ws->ops->task(inst, task, ws->owner);
}

static void
on_question(struct mcph_instance *inst, struct mcph_client_question *question, void *arg)
{
    struct mcph_workspace *ws = arg;

    ws->ops->question(inst, question, ws->owner);
}

static void
on_question_over(struct mcph_instance *inst, struct mcph_client_question *question,
                 const char *why, void *arg)
{
    struct mcph_workspace *ws = arg;

    (void)inst;
    ws->ops->question_over(question, why);
}

static void
on_odd(struct mcph_instance *inst, const char *kind, const char *text, void *arg)
{
    struct mcph_workspace *ws = arg;

    mcph_problem_odd(ws->journal, source_of(inst), inst->spec->id, kind, text);
}

static void
on_noise(struct mcph_instance *inst, const char *text, void *arg)
{
    char *phrase = mcph_asprintf("wrote something to stdout that is not a protocol "
                                 "message; logs belong on stderr: %s",
                                 text);

    on_odd(inst, "stdout_noise", phrase, arg);
    free(phrase);
}

static void
on_unguarded(struct mcph_instance *inst, mcphost_error *reason, void *arg)
{
    struct mcph_workspace *ws = arg;
    char *message = mcph_asprintf("servers run without mcphost-guard, so processes that "
                                  "they leave behind may survive a crash of the host: %s",
                                  mcphost_error_get_message(reason));
    struct mcph_problem_draft draft = {.id = "mcp/unguarded",
                                       .kind = "generic_problem",
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    (void)inst;
    mcph_problem_raise(ws->journal, &draft);
    free(message);
}

static void
on_closed(void *arg)
{
    struct mcph_workspace *ws = arg;

    ws->ops->closed(ws->owner);
}

static void
on_freed(void *owner, void *arg)
{
    struct mcph_server *server = owner;

    (void)arg;
    mcph_server_let_go(server);
}

const struct mcph_pool_ops mcph_report_ops = {
    .freed = on_freed,
    .state = on_state,
    .listed = on_listed,
    .changed = on_changed,
    .log = on_log,
    .stderr_line = on_stderr_line,
    .subscribed = on_subscribed,
    .updated = on_updated,
    .task = on_task,
    .question = on_question,
    .question_over = on_question_over,
    .noise = on_noise,
    .odd = on_odd,
    .unguarded = on_unguarded,
    .closed = on_closed,
};
