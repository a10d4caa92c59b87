/* SPDX-License-Identifier: MIT
 *
 * subscription.c - subscriptions of dialogs to changes of resources.
 *
 * A subscription belongs to a dialog.  The subscription is made at the client that
 * would carry out the dialog's calls: the client of the dialog's lease, or the client
 * that all dialogs share.  The idle time (MCPHOST_OPT_LEASE_IDLE) does not end a lease
 * while its client has the subscription.  When the client ends, or the server gets
 * another edition, the subscription is made again at the next client.  If a change may
 * have been missed in between, the host reports a change.
 *
 * The function look_at() moves a subscription to the client where the subscription
 * belongs.  look_at() runs when a subscription begins, when an instance or a lease has
 * ended, when catalogs were published, and when grants may have changed.
 */
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/subscription.h"
#include "uri/uri.h"

static mcphost_subscription *
subscription_of(struct mcph_list *it)
{
    return MCPH_LIST_ENTRY(it, mcphost_subscription, link);
}

static struct mcph_span
uri_of(const mcphost_subscription *sub)
{
    return mcph_span(sub->uri, sub->uri_len);
}

void
mcph_subscription_get(mcphost_subscription *sub)
{
    if (sub)
        mcph_refs_get(&sub->refs);
}

void
mcph_subscription_put(mcphost_subscription *sub)
{
    mcphost *host;

    if (!sub || !mcph_refs_put(&sub->refs))
        return;
    host = sub->host;
    if (mcph_core_forked(host->core))
        return; /* in a forked child, leave the subscription unfreed */
    mcph_block_unref(sub->block);
    mcph_dialog_put(sub->dialog);
    free(sub);
    mcph_host_put_mem(host);
}

/* ---- events ------------------------------------------------------------------------ */

static struct mcphost_event
event_of(mcphost_subscription *sub, int kind)
{
    return (struct mcphost_event){.kind = kind,
                                  .source = sub->block->source,
                                  .server = sub->block->id,
                                  .dialog = sub->dialog->id,
                                  .uri = sub->uri,
                                  .subscription = sub};
}

static void
tell_update(mcphost_subscription *sub, uint64_t count)
{
    struct mcphost_event event = event_of(sub, MCPHOST_EVENT_UPDATED);

    if (atomic_load(&sub->ended))
        return;
    event.count = count;
    mcph_emit(&sub->host->journal, &event);
}

static void
tell_state(mcphost_subscription *sub, bool on, mcphost_error *error)
{
    struct mcphost_event event = event_of(sub, MCPHOST_EVENT_SUBSCRIPTION);

    event.state = on;
    event.error = error;
    mcph_emit(&sub->host->journal, &event);
}

/* Reports that the server has confirmed the subscription.  If a change may have been
 * missed, reports a change too. */
static void
confirm_subscription(mcphost_subscription *sub)
{
    if (atomic_load(&sub->ended))
        return;
    if (!sub->told)
        tell_state(sub, true, NULL);
    sub->told = true;
    if (sub->missed)
        tell_update(sub, 1);
    sub->missed = false;
}

/* ---- the client of a subscription -------------------------------------------------- */

static void
leave_client(mcphost_subscription *sub)
{
    struct mcph_instance *inst = sub->instance;

    if (inst && inst->client)
        mcph_client_unsubscribe(inst->client, uri_of(sub));
    if (inst)
        sub->missed |= sub->told;
    sub->instance = NULL;
}

/* Removes the subscription from its client and from the host's list, and drops the
 * list's reference. */
static void
release_subscription(mcphost_subscription *sub)
{
    atomic_store(&sub->ended, true);
    leave_client(sub);
    mcph_list_remove(&sub->link);
    mcph_subscription_put(sub);
}

/* Emits MCPHOST_EVENT_SUBSCRIPTION with the error, unless the subscription has ended
 * already.  Releases the subscription. */
static void
fail_subscription(mcphost_subscription *sub, mcphost_error *error)
{
    if (!atomic_exchange(&sub->ended, true))
        tell_state(sub, false, error);
    release_subscription(sub);
}

static void
fail_with(mcphost_subscription *sub, int code, const char *text)
{
    mcphost_error *err = NULL;

    mcph_err(&err, code, "%s", text);
    mcph_err_set_server(err, sub->block->source, sub->block->id);
    fail_subscription(sub, err);
    mcphost_error_unref(err);
}

static bool
is_in_place(const mcphost_subscription *sub, const struct mcph_server *server)
{
    const struct mcph_instance *inst = sub->instance;

    return inst && mcph_instance_usable(inst) && inst->seat &&
           inst->seat->owner == server && inst->seat->edition == server->edition;
}

static void
look_at(mcphost_subscription *sub)
{
    struct mcph_server *server = mcph_host_find_server(sub->host, sub->block);
    const mcphost_server *entry;
    mcphost_catalog *catalog;
    mcphost_error *err = NULL;
    int r;

    if (!server) {
        fail_with(sub, MCPHOST_E_GONE, "the server was removed");
        return;
    }
    r = mcph_dialog_find_entry(sub->dialog, sub->block, &catalog, &entry, &err);
    if (r < 0) {
        mcph_err_set_server(err, sub->block->source, sub->block->id);
        fail_subscription(sub, err);
        mcphost_error_unref(err);
        return;
    }
    mcph_catalog_unref(catalog);
    if (is_in_place(sub, server))
        return;
    leave_client(sub);
    /* Keep the subscription without a client while the server is disabled.  When the
     * server is enabled again, the publication of a catalog makes this function run
     * again. */
    if (!server->wanted || !server->spec)
        return;
    r = mcph_leasing_instance(server, server->edition, server->spec, sub->dialog,
                              &sub->instance);
    if (r < 0) {
        fail_with(sub, r, mcphost_strerror(r));
        return;
    }
    r = mcph_client_subscribe(sub->instance->client, uri_of(sub), &err);
    if (r < 0)
        fail_subscription(sub, err);
    mcphost_error_unref(err);
}

void
mcph_subscriptions_look(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, subscriptions_job);

    if (host->closing || host->ended)
        return;
    mcph_list_for_each_safe (it, &host->subscriptions)
        look_at(subscription_of(it));
}

void
mcph_subscriptions_look_soon(mcphost *host)
{
    if (mcph_list_empty(&host->subscriptions))
        return;
    mcph_core_unpost(host->core, &host->subscriptions_job);
    mcph_core_post(host->core, &host->subscriptions_job);
}

/* ---- events of clients ------------------------------------------------------------- */

static bool
is_at(const mcphost_subscription *sub, const struct mcph_instance *inst,
      struct mcph_span uri)
{
    return sub->instance == inst && mcph_span_eq(uri_of(sub), uri);
}

void
mcph_subscription_said(struct mcph_instance *inst, struct mcph_span uri,
                       mcphost_error *error, mcphost *host)
{
    mcph_list_for_each_safe (it, &host->subscriptions) {
        mcphost_subscription *sub = subscription_of(it);

        if (!is_at(sub, inst, uri))
            continue;
        if (!error) {
            confirm_subscription(sub);
            continue;
        }
        sub->instance = NULL; /* the client has dropped the subscription */
        fail_subscription(sub, error);
    }
}

void
mcph_subscription_updated(struct mcph_instance *inst, struct mcph_span uri,
                          uint64_t count, mcphost *host)
{
    mcph_list_for_each (it, &host->subscriptions) {
        if (is_at(subscription_of(it), inst, uri))
            tell_update(subscription_of(it), count);
    }
}

void
mcph_subscriptions_lost(const struct mcph_instance *inst, mcphost *host)
{
    mcph_list_for_each (it, &host->subscriptions) {
        mcphost_subscription *sub = subscription_of(it);

        if (sub->instance != inst)
            continue;
        sub->missed |= sub->told;
        sub->instance = NULL;
        mcph_subscriptions_look_soon(host);
    }
}

static bool
is_on(const mcphost_subscription *sub, const mcphost_lease *lease)
{
    return lease->holder && sub->dialog == lease->holder && sub->instance &&
           sub->instance == lease->seat->instance;
}

void
mcph_subscriptions_leave(const mcphost_lease *lease, bool over)
{
    mcphost *host = lease->host;

    mcph_list_for_each_safe (it, &host->subscriptions) {
        mcphost_subscription *sub = subscription_of(it);

        if (!is_on(sub, lease))
            continue;
        if (over) {
            fail_with(sub, MCPHOST_E_CANCELLED, "the lease was released");
        } else {
            leave_client(sub);
            mcph_subscriptions_look_soon(host);
        }
    }
}

bool
mcph_subscriptions_need(const mcphost_lease *lease)
{
    mcphost *host = lease->host;

    mcph_list_for_each (it, &host->subscriptions) {
        if (is_on(subscription_of(it), lease))
            return true;
    }
    return false;
}

void
mcph_subscriptions_drop(mcphost *host, const mcphost_dialog *dialog)
{
    mcph_list_for_each_safe (it, &host->subscriptions) {
        if (!dialog || subscription_of(it)->dialog == dialog)
            release_subscription(subscription_of(it));
    }
}

/* ---- beginning and end ------------------------------------------------------------- */

static void
run_begin(struct mcph_job *job)
{
    mcphost_subscription *sub = MCPH_CONTAINER_OF(job, mcphost_subscription, begin);
    mcphost *host = sub->host;

    if (sub->ended || host->closing || host->ended || sub->dialog->closed) {
        atomic_store(&sub->ended, true);
        mcph_subscription_put(sub);
        return;
    }
    mcph_list_append(&host->subscriptions, &sub->link);
    look_at(sub);
}

/* Ends the subscription.  The job is posted once, after `begin`.  The subscription may
 * have ended by itself meanwhile. */
static void
run_end(struct mcph_job *job)
{
    mcphost_subscription *sub = MCPH_CONTAINER_OF(job, mcphost_subscription, end);

    if (!mcph_list_empty(&sub->link))
        release_subscription(sub);
    mcph_subscription_put(sub);
}

static mcphost_subscription *
make_subscription(mcphost_dialog *dialog, struct mcph_block *block, struct mcph_span uri)
{
    mcphost_subscription *sub = calloc(1, sizeof(*sub) + uri.len + 1);

    if (!sub)
        return NULL;
    mcph_refs_init(&sub->refs);
    sub->host = dialog->host;
    mcph_host_get_mem(sub->host);
    sub->dialog = dialog;
    mcph_dialog_get(dialog);
    sub->block = mcph_block_ref(block);
    sub->begin.run = run_begin;
    sub->end.run = run_end;
    mcph_list_init(&sub->begin.link);
    mcph_list_init(&sub->end.link);
    mcph_list_init(&sub->link);
    sub->uri_len = uri.len;
    memcpy(sub->uri, uri.p, uri.len);
    return sub;
}

int
mcph_subscribe(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
               mcphost_subscription **ret, mcphost_error **reterr)
{
    mcphost_subscription *sub;
    struct mcph_block *block;
    int r = mcph_uri_check(uri, reterr);

    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r < 0)
        return r;
    sub = make_subscription(dialog, block, uri);
    mcph_block_unref(block);
    if (!sub)
        return mcph_err_nomem(reterr);
    r = mcph_host_enter(dialog->host);
    if (r == 0) {
        mcph_refs_get(&sub->refs);
        mcph_core_post_locked(dialog->host->core, &sub->begin);
        mcph_core_leave(dialog->host->core);
        *ret = sub;
        return 0;
    }
    mcph_subscription_put(sub);
    return mcph_err(reterr, r, "%s", mcphost_strerror(r));
}

int
mcph_subscription_cancel(mcphost_subscription *sub)
{
    mcphost *host = sub->host;
    int r = mcph_core_enter_closed(host->core);

    if (r < 0)
        return r;
    if (!atomic_exchange(&sub->ended, true) && !host->ended) {
        mcph_refs_get(&sub->refs);
        mcph_core_post_locked(host->core, &sub->end);
    }
    mcph_core_leave(host->core);
    return 0;
}
