/* SPDX-License-Identifier: MIT
 *
 * host.h - interface of lib/host: the host itself, and its dialogs, views, dialog turns,
 * calls, requests of servers, credentials and built-in tools.
 *
 * lib/host may use all folders of lib/ except `api`, `plugins`, `profile` and `serve`,
 * which use lib/host.  lib/host makes catalogs of the blocks that sources offer, and
 * finds the instance for each call.  Where a decision is a matter of policy, an option of
 * <mcphost/policy.h> decides, not lib/host.  lib/host runs user code by deliveries, with
 * three exceptions: functions that free an argument, functions of the application's token
 * store, and the functions that name tools.  These functions run without the lock, on the
 * thread that needs them.
 *
 * This header declares the host itself.  Each concern of lib/host has its own header:
 * view.h, publish.h, builtin.h, walk.h, team.h, dialog.h, turn.h, leasing.h, call.h,
 * task.h, request.h, logins.h, subscription.h, projection.h, native.h.
 *
 * When the application drops its last reference, the host ends.  The host's memory is
 * freed when the handles that point to the host (dialogs, calls, leases, events) are
 * freed too.  If `ended` is set, a function of a handle that needs the host returns
 * MCPHOST_E_CLOSED.  An answer to a call or to a request is then too late, and gets
 * MCPHOST_E_STATE.  A function that only ends a handle returns 0.
 */
#ifndef MCPH_HOST_H
#define MCPH_HOST_H

#include "auth/auth.h"
#include "host/builtin.h"
#include "host/view.h"
#include "journal/journal.h"
#include "loop/loop.h"
#include "pool/pool.h"
#include "result/result.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

/* ---- the host (host.c) ------------------------------------------------------------- */

struct mcphost {
    struct mcph_refs owners; /* references of the application */
    struct mcph_refs refs;   /* a reference for each of `owners`, and references of
                              * functions that use the host */
    struct mcph_refs mem;    /* references of handles that point here; all of `refs`
                              * count as one */
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcph_net *net;       /* the HTTP engine of all servers; NULL once the host
                                 * is closed */
    struct mcph_keeper *keeper; /* keeps the credentials */
    struct mcph_store *tokens;  /* borrowed from the keeper; guarded by the lock; fixed
                                 * after the load */
    struct mcphost_view view;
    uint64_t version; /* the version of the newest catalog or grant; guarded by the
                       * lock */
    struct mcph_workspace workspace;
    struct mcphost_source *source; /* the default source; a reference */
    struct mcph_shown admin;       /* the toolset mcp_admin; does not change until the
                                    * host ends */
    struct mcph_server *recent;    /* the server of the last call; dispatcher only */

    /* The members below are guarded by the core's lock, unless a comment says
     * otherwise. */
    bool ready, was_ready; /* `ready`: all orders are carried out, and every server was
                            * tried; `was_ready`: `ready` was true at least once */
    unsigned orders;       /* number of orders that are posted but not carried out yet:
                            * orders to sources (workspace/order.c,
                            * workspace/source.c, sources.c), and orders to read the
                            * team file (host.c) */
    uint64_t order_serial; /* the number of the last order */
    atomic_bool loaded, closing, ended;    /* readable without the lock */
    _Atomic int64_t options[MCPH_OPTIONS]; /* readable without the lock */
    struct mcph_map dialogs;               /* map from id to open dialog, borrowed */
    struct mcph_journal journal;
    struct mcph_hook *before_call; /* mcphost_before_call_fn */
    struct mcph_hook *trace;       /* mcphost_trace_context_fn */
    struct mcph_hook *sampler;     /* mcphost_sampler_fn */
    mcphost_provider *sampler_of;  /* the plugin that set the sampler, a reference;
                                    * NULL if the application set it */
    atomic_bool asks_before_calls; /* true from the first time that `before_call` or
                                    * `trace` was set; readable without the lock */
    /* Each sweep belongs to one check.  The host clears the problems that the last run of
     * the check did not raise again. */
    struct mcph_sweep catalog_sweep, team_sweep, grant_sweep;
    struct mcph_spool_sink spool;  /* keeps messages too large for memory in files */
    struct mcph_ration *held;      /* limits the memory of all large messages; a
                                    * reference */
    struct mcph_list views;        /* all views but the default view, linked by
                                    * mcphost_view.link */
    struct mcph_vec toolset_flags; /* struct mcph_toolset_flags * */
    bool flags_used;               /* toolset_flags no longer change */
    bool views_posted, turns_posted, roots_posted;
    struct mcph_list turns; /* all running turns, linked by mcphost_turn.link */
    struct mcph_team *team; /* the last valid team, a reference, or NULL */
    struct mcph_team_source *team_source;

    /* The members below are used by the dispatcher only, unless a comment says
     * otherwise. */
    struct mcph_follow team_follow; /* watches the file of `team_source` */
    struct mcph_list calls;
    struct mcph_list waiting;                 /* calls that wait for a tool, linked
                                               * by mcphost_call.wait.link */
    struct mcph_list own;                     /* dialogs that have lists of their own,
                                               * linked by mcphost_dialog.own_link */
    struct mcph_vec env_refused, env_allowed; /* patterns of names, char * (see
                                               * settable.c); do not change after the
                                               * load */
    bool env_refused_set;                     /* if false, the library's own list of
                                               * refused names is used */
    struct mcph_list requests;                /* linked by mcphost_request.link */
    struct mcph_list subscriptions;           /* linked by mcphost_subscription.link */
    struct mcph_job subscriptions_job;
    struct mcph_list quits; /* tasks/cancel requests without an answer yet (task.c) */
    struct mcph_job roots_job;
    struct mcph_job look_job;
    struct mcph_job team_order;
    bool team_ordered;      /* `team_order` is posted; guarded by the lock */
    bool team_order_checks; /* `team_order` reads the file only if it changed; guarded
                             * by the lock */
    struct mcph_job close_job, publish_job, team_job, views_job, turns_job;
    struct mcph_timer idle;
    bool idle_set;                  /* the timer `idle` is set */
    bool publishing;                /* `publish_job` is posted; guarded by the lock */
    bool close_begun, close_posted; /* guarded by the lock */
    int64_t close_by;               /* -1 means no deadline; guarded by the lock */
    struct mcph_list logouts;       /* tokens to revoke; guarded by the lock */
    struct mcph_job logouts_job;
    bool awaits_revocations;     /* all servers have ended, but not all revocations */
    struct mcph_timer close_due; /* at `close_by`, kills the processes that are left, and
                                  * ends the revocations in flight */
};

int mcph_host_new(mcphost **ret, mcphost_error **reterr);
/* Keeps the host while a function uses it.  Returns false if the host has ended. */
bool mcph_host_try_get(mcphost *host);
void mcph_host_put(mcphost *host);
/* Takes or drops a reference of the application.  When the application drops its last
 * reference, waits of other threads end.  The thread that leaves the host last ends the
 * host. */
void mcph_host_own(mcphost *host);
void mcph_host_disown(mcphost *host);
void mcph_host_get_mem(mcphost *host);
void mcph_host_put_mem(mcphost *host);
/* Takes the core's lock for a function of a handle of this host.  Returns the codes of
 * mcph_core_enter(), and MCPHOST_E_CLOSED once the host is closing. */
int mcph_host_enter(mcphost *host);
int mcph_host_begin_close(mcphost *host, int64_t within_ms);
/* Ends a close that waited for the last revocation. */
void mcph_host_revoked(mcphost *host);
/* Give a source its configuration, and mark the host as loaded.  mcph_host_load() applies
 * `config`.  mcph_host_follow() makes the source follow the files of a reader, and takes
 * over the reader on success.  Any thread may call these functions. */
int mcph_host_load(struct mcphost_source *source, mcphost_config *config);
/* Applies `config` as mcph_host_load() does.  Call this under the lock, between
 * mcph_host_enter() and mcph_core_leave(). */
int mcph_host_load_locked(struct mcphost_source *source, mcphost_config *config);
int mcph_host_follow(struct mcphost_source *source, struct mcph_config_reader *reader);
/* Works like mcph_host_follow(), but takes over the reader also on failure. */
int mcph_host_follow_reader(struct mcphost_source *source,
                            struct mcph_config_reader *reader, mcphost_error **reterr);
int mcph_host_order(struct mcphost_source *source, enum mcph_order what,
                    const char *server);
/* Adds a source (sources.c).  *ret gets a reference.  Any thread may call this.  Returns
 * 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM. */
int mcph_host_add_source(mcphost *host, const char *id, struct mcphost_source **ret,
                         mcphost_error **reterr);
int mcph_host_remove_source(struct mcphost_source *source);
/* Sets the function that names a source's tools, as mcphost_source_set_name_fn() does.
 * On failure the caller still owns `arg`.  Any thread may call this. */
int mcph_host_set_namer(struct mcphost_source *source, mcphost_name_fn fn, void *arg,
                        mcphost_free_fn free_arg);
/* Finishes the removal of a source.  The workspace calls this on the dispatcher when the
 * source's last server has ended. */
void mcph_source_left(struct mcphost_source *source, mcphost *host);
/* Orders a check of the files of each source of the view, and of the team file.  If
 * `view` is NULL, the order is for all sources of the host.  Call this when a dialog
 * turn begins, with `anew` false.  A file is then checked only if MCPHOST_OPT_RELOAD of
 * its source (of the host for the team file) is MCPHOST_RELOAD_TURN.  Call this with
 * `anew` true when turns are invalidated.  The files are then read in any case.  Any
 * thread may call this. */
int mcph_host_look(mcphost *host, mcphost_view *view, bool anew);
/* Returns the present server with the source and the id of the block's server.  Returns
 * NULL if this server is not declared any more, or if its source is leaving.  Only the
 * dispatcher may call this. */
struct mcph_server *mcph_host_find_server(const mcphost *host,
                                          const struct mcph_block *block);
/* Orders the default source and the team to read their files again.  Any thread may call
 * this. */
int mcph_host_reload(mcphost *host);
int mcph_host_set_loaded_locked(mcphost *host); /* marks the host as loaded */

#endif
