/* SPDX-License-Identifier: MIT
 *
 * serving.c - the life of a serving: from two descriptors to a connection, and its end.
 *
 *   new --job--> begun --the first load is over--> up --the client--> ready --> over
 *
 * A serving ends when its connection cannot be made, when the client ends the connection
 * or exceeds a limit, when the application closes the serving, and when the host closes.
 * The dialog of the serving ends at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/serve.h"

const bool mcph_serve_is_built = true;

/* ---- the end of a serving ---------------------------------------------------------- */

mcphost_serving *
mcph_serving_ref(mcphost_serving *serving)
{
    if (serving)
        mcph_refs_get(&serving->refs);
    return serving;
}

static void
close_fds(mcphost_serving *serving)
{
    if (serving->in >= 0)
        close(serving->in);
    if (serving->out >= 0 && serving->out != serving->in)
        close(serving->out);
    serving->in = serving->out = -1;
}

mcphost_serving *
mcph_serving_unref(mcphost_serving *serving)
{
    mcphost *host;

    if (!serving || !mcph_refs_put(&serving->refs))
        return NULL;
    host = serving->host;
    if (mcph_core_forked(host->core))
        return NULL; /* a forked child frees nothing */
    close_fds(serving);
    mcph_catalog_unref(serving->told);
    mcph_buf_done(&serving->instructions);
    mcph_offer_forget(serving);
    mcph_dialog_put(serving->dialog);
    free(serving);
    mcph_host_put_mem(host);
    return NULL;
}

static void
emit_state(mcphost_serving *serving, int state, mcphost_error *error)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_SERVING,
                                  .state = state,
                                  .dialog = serving->dialog->id,
                                  .error = error};

    mcph_emit(&serving->host->journal, &event);
}

static void
drop_serving(mcphost_serving *serving)
{
    mcph_tap_remove(&serving->host->journal, &serving->tap);
    mcph_serving_unref(serving); /* drops the reference that mcph_serve_fd() took */
}

/* Ends a serving.  A second call does nothing.  When the transport has sent its queue, or
 * the time limit for sending has passed, on_gone() frees the transport.  The tap, which
 * receives the host's events, stays until on_gone() is called, because on_closing() must
 * run if the host closes first. */
static void
end_serving(mcphost_serving *serving, mcphost_error *reason)
{
    if (serving->is_over)
        return;
    serving->is_over = true;
    serving->connection = mcph_connection_free(serving->connection);
    mcph_watch_done(serving);
    mcph_offer_forget(serving);
    (void)mcph_dialog_close(serving->dialog);
    emit_state(serving, 0, reason);
    if (serving->transport)
        mcph_transport_close(serving->transport);
    else
        drop_serving(serving);
}

static void
on_gone(struct mcph_transport *t, void *arg)
{
    mcphost_serving *serving = arg;

    serving->transport = mcph_transport_free(t, 0);
    if (serving->is_over)
        drop_serving(serving);
}

static const struct mcph_transport_owner owner = {.gone = on_gone};

static void
on_over(struct mcph_connection *connection, mcphost_error *reason, void *arg)
{
    (void)connection;
    end_serving(arg, reason);
}

static void
on_ready(struct mcph_connection *connection, void *arg)
{
    (void)connection;
    emit_state(arg, 1, NULL);
}

static const struct mcph_connection_events events = {.ready = on_ready, .over = on_over};

/* ---- events of the host ------------------------------------------------------------ */

static void
go_up(mcphost_serving *serving)
{
    if (serving->is_up)
        return;
    serving->is_up = true;
    (void)mcph_dialog_look(serving->dialog, &serving->told);
    mcph_service_up(&serving->service, NULL);
}

/* Reports to the client the lists that have changed.  If the old or the new catalog is
 * missing (memory was short), reports all lists. */
static void
tell_changes(mcphost_serving *serving)
{
    mcphost_catalog *old = serving->told, *now = NULL;

    if (!serving->is_up)
        return;
    (void)mcph_dialog_look(serving->dialog, &now);
    serving->told = now;
    mcph_service_changed(&serving->service, mcph_offer_compare(old, now));
    mcph_catalog_unref(old);
}

/* Returns true if the catalog has the server that an event is about.  Also compares the
 * source, because two sources may have servers with equal ids. */
static bool
is_shown(const mcphost_catalog *catalog, const struct mcphost_event *event)
{
    for (size_t i = 0; i < catalog->n_entries; i++) {
        const struct mcph_block *block = catalog->entries[i].block;

        if (block->spec && strcmp(block->id, event->server) == 0 &&
            mcph_streq(block->source, event->source))
            return true;
    }
    return false;
}

/* Passes on a log message of a server that the view shows, with the server as the logger.
 * Skips messages of an instance that is leased to another dialog. */
static void
pass_message(mcphost_serving *serving, const struct mcphost_event *event)
{
    int level = MCPHOST_MESSAGES_INFO; /* used if event->level is not a level of
                                        * MCP */
    mcphost_catalog *catalog;

    (void)mcphost_enum_find_value(MCPHOST_ENUM_MESSAGE_LEVEL, event->level, &level);
    if (!event->data || !event->server || level < serving->level ||
        (event->dialog && strcmp(event->dialog, serving->dialog->id) != 0) ||
        mcph_dialog_look(serving->dialog, &catalog) < 0)
        return;
    if (is_shown(catalog, event))
        mcph_service_logged(&serving->service, level, mcph_span_str(event->server),
                            mcph_span(event->data, event->data_len));
    mcph_catalog_unref(catalog);
}

static bool
is_ours(const mcphost_serving *serving, const mcphost_subscription *sub)
{
    return sub && sub->dialog == serving->dialog;
}

static bool
on_heard(struct mcph_tap *tap, const struct mcphost_event *event)
{
    mcphost_serving *serving = MCPH_CONTAINER_OF(tap, mcphost_serving, tap);

    if (serving->is_over)
        return false;
    switch (event->kind) {
    case MCPHOST_EVENT_SETTLED:
        go_up(serving);
        return false;
    case MCPHOST_EVENT_CATALOG:
        mcph_offer_forget(serving);
        tell_changes(serving);
        return false;
    case MCPHOST_EVENT_UPDATED:
        if (!is_ours(serving, event->subscription))
            return false;
        mcph_service_updated(&serving->service, mcph_span_str(event->uri));
        return true;
    case MCPHOST_EVENT_SUBSCRIPTION:
        return is_ours(serving, event->subscription);
    case MCPHOST_EVENT_LOG:
        pass_message(serving, event);
        return false;
    case MCPHOST_EVENT_REQUEST:
        return mcph_pass_question(serving, event);
    default:
        return false;
    }
}

/* Ends the serving when the host closes.  Frees the transport at once, without time to
 * flush its queue, because no event may follow the host's last event. */
static void
on_closing(struct mcph_tap *tap)
{
    mcphost_serving *serving = MCPH_CONTAINER_OF(tap, mcphost_serving, tap);
    mcphost_error *err = NULL;

    mcph_serving_ref(serving);
    mcph_err(&err, MCPHOST_E_CANCELLED, "the host was closed");
    end_serving(serving, err);
    mcphost_error_unref(err);
    if (serving->transport) {
        serving->transport = mcph_transport_free(serving->transport, 100);
        drop_serving(serving);
    }
    mcph_serving_unref(serving);
}

/* ---- functions of the service ------------------------------------------------------ */

static void
service_start(struct mcph_service *service)
{
    (void)service; /* go_up() reports when the service is up */
}

/* Drops the connection's reference to the serving that contains the service. */
static void
service_free(struct mcph_service *service)
{
    mcph_serving_unref(mcph_serving_of(service));
}

static void
service_get_offer(struct mcph_service *service, struct mcph_service_offer *ret)
{
    (void)service;
    *ret = (struct mcph_service_offer){
        .kinds = MCPH_OFFER_ALL, .completion = true, .subscribe = true, .logging = true};
}

static int
service_add_info(struct mcph_service *service, struct mcph_buf *buf)
{
    mcphost *host = mcph_serving_of(service)->host;
    int r;

    mcph_core_lock(host->core);
    r = mcph_pool_add_identity(host->pool, buf);
    mcph_core_unlock(host->core);
    return r;
}

/* Sets the lowest level of log messages that the client wants.  Asks only the instances
 * of this dialog for messages of this level.  Other servers send the messages that the
 * configuration asks for.  A level above the highest means no messages. */
static void
service_set_level(struct mcph_service *service, int level)
{
    mcphost_serving *serving = mcph_serving_of(service);

    serving->level = level;
    mcph_scope_ask_messages(serving->host->pool, serving->dialog->scope,
                            level > MCPHOST_MESSAGES_EMERGENCY ? MCPHOST_MESSAGES_UNASKED
                                                               : level);
}

static const struct mcph_service_ops service_ops = {
    .start = service_start,
    .free = service_free,
    .get_offer = service_get_offer,
    .add_info = service_add_info,
    .get_instructions = mcph_offer_instructions,
    .list = mcph_offer_list,
    .begin = mcph_pass_begin,
    .abandon = mcph_pass_abandon,
    .subscribe = mcph_watch_subscribe,
    .unsubscribe = mcph_watch_unsubscribe,
    .set_level = service_set_level,
};

/* ---- the beginning of a serving ---------------------------------------------------- */

static int
connect_client(mcphost_serving *serving, mcphost_error **reterr)
{
    struct mcph_connection_spec spec;
    int r = mcph_pair_new(serving->host->core, serving->in, serving->out, &owner, serving,
                          &serving->transport, reterr);

    close_fds(serving);
    if (r < 0)
        return r;
    mcph_pair_set_frame_limit(serving->transport,
                              (size_t)serving->host->options[MCPHOST_OPT_MESSAGE_BYTES]);
    mcph_connection_spec_init(&spec);
    spec.name = serving->dialog->id;
    spec.era = (int)serving->host->options[MCPHOST_OPT_SERVED_ERA];
    r = mcph_connection_new(serving->host->core, &spec, serving->transport,
                            &serving->service, &events, serving, &serving->connection);
    if (r == 0) {
        mcph_serving_ref(serving); /* service_free() drops this reference */
        r = mcph_transport_open(serving->transport, reterr);
    } else {
        mcph_err_nomem(reterr);
    }
    if (r < 0) { /* free the connection first, because it uses the transport */
        serving->connection = mcph_connection_free(serving->connection);
        serving->transport = mcph_transport_free(serving->transport, 0);
    }
    return r;
}

static bool
is_loaded(mcphost *host)
{
    bool loaded;

    mcph_core_lock(host->core);
    loaded = host->was_ready;
    mcph_core_unlock(host->core);
    return loaded;
}

static void
run_begin(struct mcph_job *job)
{
    mcphost_serving *serving = MCPH_CONTAINER_OF(job, mcphost_serving, begin);
    mcphost *host = serving->host;
    mcphost_error *err = NULL;

    if (host->closing || host->ended) {
        mcph_err(&err, MCPHOST_E_CANCELLED, "the host was closed");
    } else {
        mcph_tap_add(&host->journal, &serving->tap);
        (void)connect_client(serving, &err);
    }
    if (err) {
        end_serving(serving, err);
    } else if (is_loaded(host)) {
        go_up(serving);
    }
    mcphost_error_unref(err);
}

/* Ends the serving because the application has closed the serving.  The job is posted
 * once, after the job `begin`. */
static void
run_close(struct mcph_job *job)
{
    mcphost_serving *serving = MCPH_CONTAINER_OF(job, mcphost_serving, close);

    end_serving(serving, NULL);
    mcph_serving_unref(serving);
}

static int
duplicate_fd(int fd, const char *what, int *ret, mcphost_error **reterr)
{
    *ret = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return *ret < 0 ? mcph_err_sys(reterr,
                                   errno == EMFILE ? MCPHOST_E_LIMIT : MCPHOST_E_INVALID,
                                   errno, "the descriptor for %s", what)
                    : 0;
}

static mcphost_serving *
serving_new(mcphost *host)
{
    mcphost_serving *serving = calloc(1, sizeof(*serving));

    if (!serving)
        return NULL;
    mcph_refs_init(&serving->refs);
    serving->host = host;
    mcph_host_get_mem(host);
    serving->in = serving->out = -1;
    serving->begin.run = run_begin;
    serving->close.run = run_close;
    serving->service.ops = &service_ops;
    serving->tap.heard = on_heard;
    serving->tap.closing = on_closing;
    serving->level = MCPHOST_MESSAGES_INFO;
    mcph_buf_init(&serving->instructions, SIZE_MAX / 4);
    mcph_list_init(&serving->begin.link);
    mcph_list_init(&serving->close.link);
    mcph_list_init(&serving->tap.link);
    mcph_list_init(&serving->passed);
    mcph_list_init(&serving->subscriptions);
    return serving;
}

int
mcph_serve_fd(mcphost_view *view, int in, int out, const char *dialog_id,
              mcphost_serving **ret, mcphost_error **reterr)
{
    mcphost *host = view->host;
    mcphost_serving *serving = serving_new(host);
    int r = serving ? duplicate_fd(in, "input", &serving->in, reterr)
                    : mcph_err_nomem(reterr);

    if (r == 0)
        r = duplicate_fd(out, "output", &serving->out, reterr);
    if (r == 0)
        r = mcph_dialog_open(view, dialog_id, NULL, &serving->dialog, reterr);
    if (r == 0) {
        r = mcph_host_enter(host);
        if (r < 0) {
            mcph_err(reterr, r, "%s", mcphost_strerror(r));
            (void)mcph_dialog_close(serving->dialog);
        }
    }
    if (r < 0) {
        mcph_serving_unref(serving);
        return r;
    }
    mcph_serving_ref(serving); /* dropped when the serving has ended */
    mcph_core_post_locked(host->core, &serving->begin);
    mcph_core_leave(host->core);
    *ret = serving;
    return 0;
}

int
mcph_serving_close(mcphost_serving *serving)
{
    int r = mcph_core_enter_closed(serving->host->core);

    if (r < 0)
        return r;
    if (!serving->closing && !serving->host->ended) {
        serving->closing = true;
        mcph_serving_ref(serving);
        mcph_core_post_locked(serving->host->core, &serving->close);
    }
    mcph_core_leave(serving->host->core);
    return 0;
}
