/* SPDX-License-Identifier: MIT
 *
 * workspace.h - the room `workspace`: sources, and what becomes of the servers that a
 * source declares.
 *
 * A source is one set of servers with an id, policies, problems and a life of its own.
 * The room reads and follows its files, applies each configuration to what runs,
 * supervises its servers, and makes one block of tools for each server that lists some.
 * Which catalogs show these blocks, and who calls the tools, is decided above.
 *
 *   reader --follow.c, apply.c--> what is wanted --server.c--> instances (pool)
 *   instances --report.c, making.c--> last good lists --block.c--> blocks
 *
 * All of this is the dispatcher's, except what is marked.  The room must not know views,
 * dialogs or calls: it tells its owner (struct mcph_workspace_ops) and asks it.
 */
#ifndef MCPH_WORKSPACE_H
#define MCPH_WORKSPACE_H

#include "catalog/catalog.h"
#include "config/config.h"
#include "journal/journal.h"
#include "loop/loop.h"
#include "names/names.h"
#include "pool/pool.h"
#include "provide/provide.h"

#include <mcphost/policy.h>
#include <mcphost/status.h>

struct mcph_server;
struct mcphost_source;

/* ---- what all sources of a host share ---------------------------------------------- */

/* What a list comes to.  Borrowed. */
struct mcph_made {
    int kind; /* MCPH_LIST_* */
    struct mcph_client_list *list;
    struct mcph_listing *listing; /* NULL: `error` */
    struct mcph_block *block; /* of it; NULL: nothing is new, or there was no memory */
    mcphost_error *error;     /* or NULL */
};

/* What the owner does and knows.  `owner` is the workspace's. */
struct mcph_workspace_ops {
    /* Under the lock: an order was posted.  From dispatch: it was carried out. */
    void (*ordered)(mcphost *owner);
    void (*carried_out)(mcphost *owner);
    /* Servers may have had their attempt. */
    void (*tried)(mcphost *owner);
    /* The state of a server changed; the configuration of a source did. */
    void (*state_changed)(mcphost *owner);
    void (*config_changed)(mcphost *owner);
    /* A source that was removed has no server any more. */
    void (*left)(struct mcphost_source *source, mcphost *owner);
    /* Shows the blocks of all servers that are dirty: now, or by a job.  Now: 0, or
     * MCPHOST_E_NOMEM while a catalog shows what was. */
    int (*publish)(mcphost *owner);
    void (*publish_soon)(mcphost *owner);
    /* The server is removed: nothing may point to it when this returns. */
    void (*removed)(struct mcph_server *server, mcphost *owner);
    /* Whether a turn keeps the server, or this lease of it. */
    bool (*keeps_server)(const struct mcph_server *server);
    bool (*keeps_lease)(const struct mcph_server *server, const mcphost_lease *lease);
    /* Ends a lease; `now`: without draining. */
    void (*end_lease)(mcphost_lease *lease, bool now);
    /* The client of a seat is READY. */
    void (*seat_ready)(struct mcph_seat *seat);
    /* What the holders of a seat that is not everyone's see in place of the server's
     * block: their client has listed; which block (NULL: the server's); filters have
     * changed.  `own_drop`: the holder of this lease sees the server's again. */
    void (*own_listed)(struct mcph_server *server, struct mcph_seat *seat,
                       const struct mcph_made *made);
    void (*own_drop)(struct mcph_server *server, mcphost_lease *lease);
    struct mcph_block *(*own_block)(const struct mcph_seat *seat,
                                    const struct mcph_server *server, int kind);
    void (*own_refresh)(struct mcph_server *server);
    /* The instance drains; is DEAD. */
    void (*instance_closing)(struct mcph_instance *inst, mcphost *owner);
    void (*instance_dead)(const struct mcph_instance *inst, mcphost *owner);
    /* As in pool/pool.h. */
    void (*subscribed)(struct mcph_instance *inst, struct mcph_span uri,
                       mcphost_error *error, mcphost *owner);
    void (*updated)(struct mcph_instance *inst, struct mcph_span uri, uint64_t count,
                    mcphost *owner);
    void (*task)(struct mcph_instance *inst, struct mcph_span task, mcphost *owner);
    void (*question)(struct mcph_instance *inst, struct mcph_client_question *question,
                     mcphost *owner);
    void (*question_over)(struct mcph_client_question *question, const char *why);
    void (*closed)(mcphost *owner);
};

struct mcph_workspace {
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcph_journal *journal;
    const struct mcph_workspace_ops *ops;
    mcphost *owner;
    struct mcph_list sources; /* mcphost_source.link, in order; changed by the dispatcher,
                               * under the lock */
    struct mcph_list coming;  /* those that were never opened; under the lock */
    unsigned editions;        /* how many servers have had, one after the other */
    bool closing;             /* no order or job is carried out; under the lock */
    bool ended;               /* nothing is told any more */
};

/* Under the lock, or from dispatch; not among those that are coming.  NULL: there is
 * none, as for the default source. */
struct mcphost_source *mcph_workspace_find(const struct mcph_workspace *ws,
                                           const char *id, size_t len);
/* Under the lock.  Takes a reference.  0, MCPHOST_E_EXISTS. */
int mcph_workspace_add_locked(struct mcph_workspace *ws, struct mcphost_source *source);
/* As mcph_workspace_find(): what the key of a server (mcph_realm_key()) means.  The
 * default source, which is the first, has all ids without a source. */
struct mcphost_source *mcph_workspace_split(const struct mcph_workspace *ws,
                                            const char *key, const char **ret_id);
/* Jobs ask this before they do anything. */
bool mcph_workspace_is_closing(const struct mcph_workspace *ws);

/* ---- files that are followed (follow.c) -------------------------------------------- */

struct mcph_follow {
    struct mcph_core *core;
    /* Reads it, and says what it named by mcph_follow_files(). */
    void (*read)(struct mcph_follow *follow, const char *why);
    bool unread; /* memory was short: read() is called again soon */

    struct mcph_watcher *watcher;
    struct mcph_watch *watch;
    struct mcph_vec files;   /* struct mcph_watch *: those that it names */
    struct mcph_map by_path; /* the same */
    struct mcph_timer again;
};

/* 0, MCPHOST_E_NOMEM. */
int mcph_follow_init(struct mcph_follow *follow, struct mcph_core *core,
                     void (*read)(struct mcph_follow *follow, const char *why));
/* Watches a file (NULL: none) in a mode, MCPHOST_RELOAD_*.  One that cannot be watched
 * is logged.  `counts` not NULL: it is a directory with these names. */
void mcph_follow_start(struct mcph_follow *follow, const char *file,
                       bool (*counts)(const char *name), int64_t mode, int64_t poll_ms,
                       int64_t debounce_ms);
/* Watches the further files of a configuration and no others.  True when one is watched
 * only since now: it may have changed after it was read. */
bool mcph_follow_files(struct mcph_follow *follow, const mcphost_config *config);
/* What is there now counts as seen; true when some of it was not. */
bool mcph_follow_look(struct mcph_follow *follow);
/* An edit of our own is no change of the file. */
void mcph_follow_wrote(struct mcph_follow *follow, const struct mcph_config_edit *edit);
/* To be set back by read(). */
void mcph_follow_unread(struct mcph_follow *follow);
void mcph_follow_end(struct mcph_follow *follow); /* looks no more */
void mcph_follow_done(struct mcph_follow *follow);

/* ---- sources (source.c, order.c) --------------------------------------------------- */

struct mcphost_source {
    struct mcph_refs refs;
    struct mcph_workspace *ws;
    struct mcph_core *core; /* the workspace's, and these */
    struct mcph_pool *pool;
    struct mcph_journal *journal;
    struct mcph_realm realm; /* its policies are changed under the lock, until `frozen` */
    struct mcph_list link;   /* in ws->sources */
    char *id;                /* NULL: the default source */

    /* under the lock */
    struct mcph_hook *namer; /* mcphost_name_fn, or NULL; until it is loaded */
    mcphost_config *config;  /* a reference: the one that was applied last, with
                                     * the providers in front */
    struct mcph_vec servers; /* struct mcph_server *, in its order */
    bool config_rejected;    /* the one that came last, as a whole */
    bool frozen;             /* its policies do not change any more */
    /* The dispatcher reads these two unlocked. */
    atomic_bool loaded;                /* it follows something, or has a configuration */
    atomic_bool leaving;               /* it was removed */
    struct mcph_list made;             /* the owner's: providers that were made for it */
    struct mcph_config_reader *reader; /* NULL: given by the application */

    bool started;             /* a configuration was applied */
    bool changed;             /* its blocks are not those of all catalogs */
    bool first_load, settled; /* one with servers was; each server of it is ready or has
                               * failed, so names stay with their servers */
    struct mcph_map by_id;    /* servers */
    struct mcph_list gone;    /* removed servers whose processes still end */
    struct mcph_list makings; /* struct making.link; making.c */
    struct mcph_sweep config_sweep;

    struct mcph_follow follow; /* the files of `reader` */
    struct mcph_job begin, leave;
    struct mcph_vec provided; /* struct mcph_spec *: of providers, in their order */
    mcphost_config *given;    /* `config` without these; a reference, or NULL */
    bool open;                /* its timers are there */
    bool emptied;             /* its servers were removed, as it was */
    bool withdrawing;         /* since before `leaving`: catalogs may show its tools */
    bool left;                /* the owner was told */
    mcphost_config *put_off;  /* what could not be applied for want of memory */
    struct mcph_timer apply_timer;
};

/* `id` NULL: the default source, whose memory is its host's; any other keeps that of its
 * host.  It is in no list yet.  0, MCPHOST_E_NOMEM. */
int mcph_source_new(struct mcph_workspace *ws, const char *id,
                    struct mcphost_source **ret);
struct mcphost_source *mcph_source_ref(struct mcphost_source *source);
struct mcphost_source *mcph_source_unref(struct mcphost_source *source); /* NULL */
/* It was removed: its tools leave the catalogs, then its servers end.  Short of memory,
 * the apply timer tries again.  `carried_out` is told when no catalog shows its tools,
 * `left` when its last server has ended, too; both may be before this returns. */
void mcph_source_leave(struct mcphost_source *source);
/* The next attempt. */
void mcph_source_withdraw(struct mcphost_source *source);
void mcph_source_check_left(struct mcphost_source *source);
/* From dispatch, before anything is done with it: makes its timers, and puts it among the
 * sources.  0, MCPHOST_E_NOMEM. */
int mcph_source_open(struct mcphost_source *source);
/* The host is closing: no timer or file of it starts anything any more. */
void mcph_source_close(struct mcphost_source *source);
/* Frees what it has, when no instance is left. */
void mcph_source_end(struct mcphost_source *source);

/* Its own policy, or the host's option. */
static inline int64_t
mcph_source_policy(const struct mcphost_source *source, int option)
{
    return mcph_realm_policy(&source->realm, option);
}
bool mcph_source_serves_removed(const struct mcphost_source *source);
bool mcph_source_keeps_last_good(const struct mcphost_source *source);
/* Whether its servers keep the names that they have, by now. */
bool mcph_source_keeps_names(const struct mcphost_source *source);
/* Whether a collision costs the whole server. */
bool mcph_source_rejects_collisions(const struct mcphost_source *source);
/* How its servers' names are made; once it is loaded. */
struct mcph_naming mcph_source_naming(const struct mcphost_source *source);

/* Under the lock.  Takes the reader over when it returns 0; else MCPHOST_E_STATE. */
int mcph_source_follow_locked(struct mcphost_source *source,
                              struct mcph_config_reader *reader);
/* Reads it again, now, and applies it; 0 also where no file is followed.  Fails when it
 * is rejected as a whole. */
int mcph_source_read(struct mcphost_source *source, mcphost_error **reterr);
/* The same, if something has changed. */
void mcph_source_check(struct mcphost_source *source);
/* As the reader's set_enabled; applied when it returns. */
int mcph_source_set_enabled(struct mcphost_source *source, const char *id, bool enabled,
                            mcphost_error **reterr);

enum mcph_order {
    MCPH_ORDER_APPLY, /* a configuration */
    MCPH_ORDER_RELOAD,
    MCPH_ORDER_CHECK, /* reload if something has changed */
    MCPH_ORDER_RESTART,
    MCPH_ORDER_ENABLE,
    MCPH_ORDER_DISABLE,
    MCPH_ORDER_PROVIDE, /* a provider of the application's is a server of the source */
    MCPH_ORDER_WITHDRAW /* and is none any more */
};

/* Under the lock; carried out by a job.  `server` NULL: of the source.  0,
 * MCPHOST_E_NOTFOUND, MCPHOST_E_STATE, MCPHOST_E_NOMEM. */
int mcph_source_order_locked(struct mcphost_source *source, enum mcph_order what,
                             const char *server);
/* Likewise: to apply a configuration.  0, MCPHOST_E_STATE, MCPHOST_E_NOMEM. */
int mcph_source_apply_locked(struct mcphost_source *source, mcphost_config *config);

/* Likewise: PROVIDE or WITHDRAW.  0, MCPHOST_E_STATE, MCPHOST_E_NOMEM. */
int mcph_source_order_provider_locked(struct mcphost_source *source, enum mcph_order what,
                                      mcphost_provider *provider);

/* ---- providers as servers (provided.c); the dispatcher's --------------------------- */

void mcph_provided_add(struct mcphost_source *source, mcphost_provider *provider);
void mcph_provided_remove(struct mcphost_source *source, mcphost_provider *provider);
/* All of them: the source is leaving, or the host is closing.  Their calls end at once
 * with `now`. */
void mcph_provided_close(struct mcphost_source *source, bool now);
/* `config` with the providers in front: *ret gets a reference.  0, MCPHOST_E_NOMEM. */
int mcph_provided_merge(const struct mcphost_source *source, mcphost_config *config,
                        mcphost_config **ret);
/* Raises a problem for each server of `config` whose id a provider has. */
void mcph_provided_raise(struct mcphost_source *source, const mcphost_config *config,
                         struct mcph_sweep *sweep);

/* ---- servers (server.c, apply.c, block.c, report.c) -------------------------------- */

/* Somebody who waits for the next edition of a server. */
struct mcph_restart {
    struct mcph_list link; /* in the server's list until it is answered */
    /* `why_not` NULL: it is there. */
    void (*answer)(struct mcph_restart *restart, const struct mcph_server *server,
                   const char *why_not);
};

/* Of one kind of lists other than tools (more.c). */
struct mcph_more {
    struct mcph_listing *listing; /* the last good one; NULL: none was */
    struct mcph_block *block;     /* what is published of it */
    struct mcph_block *made;      /* of `listing`, to be published next; else NULL */
    struct mcph_listing *next;    /* of the lister, whose tools are not there yet */
    struct mcph_block *next_made; /* of `next` */
    bool complained;              /* there is a problem */
};

struct mcph_server {
    struct mcphost_source *source;
    char *id;
    const struct mcph_config_server *entry; /* of source->config */
    struct mcph_spec *wanted; /* what the configuration says; NULL: invalid, disabled */

    struct mcph_spec *held; /* what stood in the entry when it was stopped by order and
                               * the file did not follow; else NULL */

    /* The last good edition; before the first, `spec` is what is wanted. */
    struct mcph_spec *spec;       /* a reference, or NULL */
    struct mcph_listing *listing; /* NULL: none was good yet */
    struct mcph_block *block;     /* what is published of it */
    struct mcph_block *made;      /* of `listing`, to be published next; else NULL */
    unsigned edition;             /* leases of earlier ones are let go */
    struct mcph_more more[MCPH_LIST_KINDS]; /* by kind; that of tools is not used */
    const struct mcph_instance *awaits; /* compared by address; more lists of it are to */
    unsigned awaited;                   /* come, of the kinds 1u << MCPH_LIST_* */

    struct mcph_instance *lister; /* prepares the next edition; else NULL */
    struct mcph_instance *spare;  /* has listed, serves nobody yet, may be leased */
    struct mcph_timer spare_timer, retry;
    unsigned failures;         /* attempts in a row that failed */
    unsigned crashes;          /* of its instances, in a row; crash.c */
    struct mcph_timer calm;    /* the row is over */
    struct mcph_seat *shared;  /* everyone's of this edition, or NULL */
    struct mcph_list restarts; /* struct mcph_restart: told of the next edition */
    bool attempted;            /* the first start came to an end */
    bool of_first_load;
    bool strict;        /* what changed is no notice of the server's own: see review.c */
    bool kept_nothing;  /* `keeps_nothing` of the edition that is published */
    bool start;         /* a lister is to be started when the catalog is out */
    bool dirty;         /* `block` is not what it should be */
    bool committed;     /* there is a new edition to be told of */
    bool call_failed;   /* the last call that said something of the connection did */
    bool lease_failed;  /* the last client of a dialog's own did not come up */
    bool complained;    /* its problem was raised here, not by the catalog */
    bool rejected;      /* the catalogs leave it out; `error` says why */
    bool removed;       /* waits in source->gone for its last process */
    bool keeps_nothing; /* speaks 2026-07-28 over HTTP: one connection serves all dialogs,
                         * whatever scope is declared */
    struct mcph_list gone_link;
    int64_t load_began;
    int64_t sampling_due; /* in us: when all that it has asked for is made up for */

    /* for status, under the lock */
    int state;           /* MCPHOST_SERVER_* */
    const char *version; /* static */
    size_t tools;
    int64_t start_ms, latency_ms;
    int has_tools;        /* its capabilities name them; -1: unknown */
    mcphost_error *error; /* a reference */
    int64_t pid;
    int containment; /* of the process that was started last */
};

/* On the dispatcher.  `why` is the text of MCPHOST_EVENT_CONFIG. */
void mcph_apply_now(struct mcphost_source *source, mcphost_config *config,
                    const char *why);
/* The same configuration once more: its providers have changed. */
void mcph_apply_providers(struct mcphost_source *source);
/* As a configuration without servers, of a source that is leaving.  0 or
 * MCPHOST_E_NOMEM. */
int mcph_apply_nothing(struct mcphost_source *source);
void mcph_apply_again(struct mcph_timer *timer);
void mcph_apply_later(struct mcphost_source *source);
void mcph_apply_done(struct mcphost_source *source);

/* server.c; all for the dispatcher. */
int mcph_server_new(struct mcphost_source *source, const char *id,
                    struct mcph_server **ret);
void mcph_server_free(struct mcph_server *server);
/* NULL before the first configuration is applied. */
struct mcph_server *mcph_server_find(struct mcphost_source *source, const char *id);
void mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error);
/* Why a server that is STARTING does not go on (NULL: nothing holds it up); its status
 * and refused calls say so.  Of any other it changes nothing. */
void mcph_server_set_hold_up(struct mcphost_source *source, const char *id,
                             const char *why);
void mcph_server_set_pid(struct mcph_server *server, int64_t pid);
void mcph_server_set_containment(struct mcph_server *server, int containment);
/* The attempt failed: the state, a problem, another attempt later. */
void mcph_server_unavailable(struct mcph_server *server, mcphost_error *error);
/* Its last problem of that kind is over. */
void mcph_server_clear_complaint(struct mcph_server *server);
/* MCPHOST_SCOPE_*: for whom its instances work, as the spec or the source declares. */
static inline int
mcph_server_declared_scope(const struct mcph_server *server, const struct mcph_spec *spec)
{
    if (spec->stateless)
        return MCPHOST_SCOPE_EVERYONE;
    return (int)mcph_realm_choose(&server->source->realm, spec->scope,
                                  MCPHOST_OPT_LEASE_SCOPE);
}
/* The same for a server of the era that it speaks. */
static inline int
mcph_server_scope(const struct mcph_server *server, int declared)
{
    return server->keeps_nothing ? MCPHOST_SCOPE_EVERYONE : declared;
}
/* Whether one instance serves all dialogs. */
static inline bool
mcph_server_shares(const struct mcph_server *server, const struct mcph_spec *spec)
{
    int declared = mcph_server_declared_scope(server, spec);

    return mcph_server_scope(server, declared) == MCPHOST_SCOPE_EVERYONE;
}
/* Whether both start and show the same. */
bool mcph_server_same_spec(const struct mcph_spec *a, const struct mcph_spec *b);
/* What its client has agreed on, or agreed on anew. */
void mcph_server_met(struct mcph_server *server, const struct mcph_instance *inst);
/* Takes the spare, if there is one. */
struct mcph_instance *mcph_server_take_spare(struct mcph_server *server);
/* What the configuration wants: sets `dirty` and `start` as needed. */
void mcph_server_want(struct mcph_server *server, struct mcph_spec *spec);
void mcph_server_unwant(struct mcph_server *server);
/* Starts a process for what is wanted; it takes over when it has listed.  Also
 * without need: that is a restart. */
void mcph_server_launch(struct mcph_server *server);
void mcph_server_stop_lister(struct mcph_server *server);
/* The host is closing: no timer of the server starts anything any more. */
void mcph_server_close(struct mcph_server *server);
/* The lister listed; another instance of this edition listed again, as it is new
 * (`restarted`) or has said that its tools changed. */
void mcph_server_commit(struct mcph_server *server, struct mcph_listing *listing);
void mcph_server_relisted(struct mcph_server *server, struct mcph_listing *listing,
                          bool restarted);
/* What was not published yet is given up: back to the edition of the entry `good`,
 * which is. */
void mcph_server_revert(struct mcph_server *server, const mcphost_server *good,
                        mcphost_error *error);
/* Something of the server is to be published. */
void mcph_server_schedule(struct mcph_server *server);
/* Lets the spare wait from now on for somebody to need it. */
void mcph_server_time_spare(struct mcph_server *server);
/* Answers all who wait for the next edition; NULL: it is there. */
void mcph_server_answer(struct mcph_server *server, const char *why_not);
/* Ends the leases of earlier editions, as gently as the drain policy says; those
 * that a turn keeps are not ended. */
void mcph_server_retire(struct mcph_server *server);
/* Stopped by order, whatever its entry says; whether it still is, as long as the entry
 * is what it was; wanted again, for who launches it. */
void mcph_server_hold(struct mcph_server *server);
bool mcph_server_is_held(struct mcph_server *server);
void mcph_server_resume(struct mcph_server *server);
/* No longer declared; freed when its last instance is. */
void mcph_server_remove(struct mcph_server *server);
void mcph_server_let_go(struct mcph_server *server);
extern const struct mcph_pool_ops mcph_report_ops; /* report.c */

/* ---- other lists than those of tools (more.c) -------------------------------------- */

/* An instance was started that lists all kinds; NULL: none is. */
void mcph_more_await(struct mcph_server *server, const struct mcph_instance *inst);
/* A list of it came or failed; it has ended. */
void mcph_more_heard(struct mcph_server *server, const struct mcph_instance *inst,
                     int kind);
void mcph_more_lost(struct mcph_server *server, const struct mcph_instance *inst);
/* Whether lists are awaited, or came and are not published yet. */
static inline bool
mcph_more_is_due(const struct mcph_server *server)
{
    return server->awaits || (server->listing && server->dirty);
}
/* A list was read.  True: there is something to publish. */
bool mcph_more_listed(struct mcph_server *server, const struct mcph_instance *inst,
                      const struct mcph_made *made);
void mcph_more_forget_next(struct mcph_server *server);
void mcph_more_commit(struct mcph_server *server); /* the lister's tools are good */
void mcph_more_drop(struct mcph_server *server);
/* Back to what these blocks show, by kind. */
void mcph_more_restore(struct mcph_server *server, struct mcph_block *const *good);
/* Makes the blocks anew.  0, MCPHOST_E_NOMEM. */
int mcph_more_refresh(struct mcph_server *server);
/* A list of this kind failed or was cut; NULL: one came that is whole. */
void mcph_more_tell(struct mcph_server *server, int kind, mcphost_error *error);

/* ---- lists that are read in steps (making.c) --------------------------------------- */

/* mcph_report_made() tells of the list: before this returns if it is short, else in a
 * later turn, unless the instance ends or lists this kind again.  0, MCPHOST_E_NOMEM. */
int mcph_making_begin(struct mcphost_source *source, struct mcph_instance *inst,
                      struct mcph_client_list *list);
void mcph_making_cancel(struct mcphost_source *source, const struct mcph_instance *inst);
void mcph_making_done(struct mcphost_source *source);
void mcph_report_made(struct mcph_instance *inst, const struct mcph_made *made);

/* ---- crashes (crash.c) ------------------------------------------------------------- */

/* An instance that the server still stands for is DEAD and should not be. */
void mcph_crash_note(struct mcph_server *server, const struct mcph_instance *inst,
                     const mcphost_error *reason);
/* One of its instances has come up, or has answered a call. */
void mcph_crash_sign_of_life(struct mcph_server *server);
/* What crashed is no longer what is wanted. */
void mcph_crash_forget(struct mcph_server *server);
void mcph_crash_calm(struct mcph_timer *timer);

/* ---- blocks (block.c) -------------------------------------------------------------- */

/* Makes the blocks of all servers that are dirty. */
void mcph_blocks_refresh(struct mcphost_source *source);
/* Says whose block it is.  0, MCPHOST_E_NOMEM. */
int mcph_block_sign(struct mcph_server *server, struct mcph_block *block);
/* What `listing` comes to as a block of this server, as it is.  0, MCPHOST_E_NOMEM. */
int mcph_block_of(struct mcph_server *server, struct mcph_listing *listing,
                  struct mcph_block **ret, mcphost_error **reterr);

#endif
