/* SPDX-License-Identifier: MIT
 *
 * host.h - the room `host`: dialogs, views, turns, calls, requests of servers,
 * credentials and built-in tools, and the host that has them.
 *
 * Here the pieces meet: the blocks of sources become catalogs, a call finds its
 * instance.  The room decides nothing that a policy of policy.h could decide, and runs
 * user code only by deliveries.
 *
 * This header has the host itself.  Each concern of the room has a header of its own:
 * view.h, publish.h, builtin.h, team.h, dialog.h, turn.h, leasing.h, call.h, request.h,
 * subscription.h, projection.h.
 *
 * Life.  The application's references end the host; the memory goes when the
 * handles that point to it (dialogs, calls, leases, events) are gone too.  They
 * find `ended` set and answer MCPHOST_E_CLOSED.
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
    struct mcph_refs refs; /* the application's */
    struct mcph_refs mem;  /* handles that point here, and the above as one */
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcph_net *net;       /* the HTTP engine of all servers; NULL once closed */
    struct mcph_keeper *keeper; /* of credentials */
    struct mcphost_view view;
    uint64_t version; /* of the catalog or grant that came last; under the lock */
    struct mcph_workspace workspace;
    struct mcphost_source *source; /* the default one; a reference */
    struct mcph_shown admin;       /* our own toolset; does not change until the end */
    struct mcph_server *recent;    /* whose tool was called last; the dispatcher's */

    /* under the lock */
    bool ready, was_ready; /* what was asked for so far has been tried; at least once */
    unsigned orders;       /* posted and not carried out (order.c) */
    uint64_t order_serial; /* of the last one */
    atomic_bool loaded, closing, ended; /* may be read without it, and these */
    _Atomic int64_t options[MCPH_OPTIONS];
    struct mcph_map dialogs; /* id -> open dialog, borrowed */
    struct mcph_journal journal;
    struct mcph_hook *before_call; /* mcphost_before_call_fn */
    struct mcph_hook *trace;       /* mcphost_trace_context_fn */
    struct mcph_hook *sampler;     /* mcphost_sampler_fn */
    mcphost_provider *sampler_of;  /* the plugin whose it is, a reference; NULL: it is the
                                    * application's */
    atomic_bool asks_before_calls; /* there is or was one of these; may be read without
                                    * it */
    struct mcph_sweep catalog_sweep, team_sweep, grant_sweep; /* what raises problems */
    struct mcph_spool_sink spool;  /* set up before the first server starts */
    struct mcph_ration *held;      /* the memory of all large messages; a reference */
    struct mcph_list views;        /* mcphost_view.link, but the default view */
    struct mcph_vec toolset_flags; /* struct mcph_toolset_flags * */
    bool flags_used;               /* and from then on they stay as they are */
    bool views_posted, turns_posted, roots_posted;
    struct mcph_list turns; /* mcphost_turn.link */
    struct mcph_team *team; /* a reference: the last good one, or NULL */
    struct mcph_team_source *team_source;

    /* the dispatcher's */
    struct mcph_follow team_follow; /* the file of `team_source` */
    struct mcph_list calls;
    struct mcph_list waiting;                 /* mcphost_call.wait.link, for a tool */
    struct mcph_list own;                     /* mcphost_dialog.own_link */
    struct mcph_vec env_refused, env_allowed; /* char *; of settable.c, until load */
    bool env_refused_set;                     /* else the library's own list holds */
    struct mcph_list requests;                /* mcphost_request.link */
    struct mcph_list subscriptions;           /* mcphost_subscription.link */
    struct mcph_job subscriptions_job;
    struct mcph_list quits; /* task.c: tasks that are being cancelled; the dispatcher's */
    struct mcph_job roots_job;
    struct mcph_job look_job;
    struct mcph_job team_order;
    bool team_ordered;      /* it is posted */
    bool team_order_checks; /* under the lock: only if the file has changed */
    struct mcph_job close_job, publish_job, team_job, views_job, turns_job;
    struct mcph_timer idle;
    bool idle_set; /* it runs */
    bool publishing;
    bool close_begun, close_posted; /* under the lock, and the next */
    int64_t close_by;               /* -1: no deadline */
    struct mcph_timer close_due;    /* kills what lives then */
};

int mcph_host_new(mcphost **ret, mcphost_error **reterr);
/* One more of the application's references, unless the last is gone. */
bool mcph_host_try_get(mcphost *host);
void mcph_host_put(mcphost *host);
void mcph_host_get_mem(mcphost *host);
void mcph_host_put_mem(mcphost *host);
/* enter for a handle of this host: also MCPHOST_E_CLOSED once it is closing. */
int mcph_host_enter(mcphost *host);
int mcph_host_begin_close(mcphost *host, int64_t within_ms);
/* Any thread.  Follow takes the reader over when it returns 0. */
int mcph_host_load(struct mcphost_source *source, mcphost_config *config);
int mcph_host_follow(struct mcphost_source *source, struct mcph_config_reader *reader);
/* The same, but takes the reader over also when it fails. */
int mcph_host_follow_reader(struct mcphost_source *source,
                            struct mcph_config_reader *reader, mcphost_error **reterr);
int mcph_host_order(struct mcphost_source *source, enum mcph_order what,
                    const char *server);
/* sources.c; any thread.  *ret gets a reference.  0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_host_add_source(mcphost *host, const char *id, struct mcphost_source **ret,
                         mcphost_error **reterr);
int mcph_host_remove_source(struct mcphost_source *source);
/* Likewise: mcphost_source_set_name_fn().  If it fails, `arg` is the caller's. */
int mcph_host_set_namer(struct mcphost_source *source, mcphost_name_fn fn, void *arg,
                        mcphost_free_fn free_arg);
/* From dispatch: its last server has ended. */
void mcph_source_left(struct mcphost_source *source, mcphost *host);
/* A turn of the view begins: sources look at their files whose mode says so.  `anew`: the
 * sources of the view (NULL: all) read their files, whatever their mode.  Any thread. */
int mcph_host_look(mcphost *host, mcphost_view *view, bool anew);
/* From dispatch: the server that now has the place of the one whose block this is. */
struct mcph_server *mcph_host_find_server(const mcphost *host,
                                          const struct mcph_block *block);
/* That, and the team. */
int mcph_host_reload(mcphost *host, bool only_if_changed);
int mcph_host_set_loaded_locked(mcphost *host); /* 0, MCPHOST_E_NOMEM */

#endif
