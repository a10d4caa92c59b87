/* SPDX-License-Identifier: MIT
 *
 * workspace.h - the room `workspace`: sources, and the servers that each source declares.
 *
 * A source is one set of servers with an id, policies and problems of its own.  Sources
 * are loaded and removed independently.  The room reads and follows a source's files,
 * applies each configuration to what runs, supervises the servers, and makes one block of
 * tools for each server that lists some.  The rooms above decide which catalogs show
 * these blocks, and which callers may use the tools.
 *
 *   reader --follow.c, apply.c--> what is wanted --server.c--> instances (pool)
 *   instances --report.c, making.c--> last good lists --block.c--> blocks
 *
 * All of this belongs to the dispatcher, except what is marked.  The room must not know
 * views, dialogs or calls: it reports to its owner, and asks it, by struct
 * mcph_workspace_ops.
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

/* The result of reading one list of an instance (making.c).  Borrowed. */
struct mcph_made {
    int kind; /* MCPH_LIST_* */
    struct mcph_client_list *list;
    struct mcph_listing *listing; /* NULL: `error` says why */
    struct mcph_block *block;     /* of `listing`; NULL: a known list, or no memory */
    mcphost_error *error;         /* or NULL */
};

/* What the owner of a workspace does for it.  `owner` is the workspace's. */
struct mcph_workspace_ops {
    /* `ordered`: an order was posted; under the lock.  `carried_out`: it was carried out;
     * from dispatch. */
    void (*ordered)(mcphost *owner);
    void (*carried_out)(mcphost *owner);
    /* Servers may have come up or failed. */
    void (*tried)(mcphost *owner);
    /* The state of a server, or the configuration of a source, has changed. */
    void (*state_changed)(mcphost *owner);
    void (*config_changed)(mcphost *owner);
    /* A source that was removed has no server left. */
    void (*left)(struct mcphost_source *source, mcphost *owner);
    /* Publish the blocks of all dirty servers: at once, or by a job.  `publish` returns
     * 0, or MCPHOST_E_NOMEM if a catalog still shows the old state. */
    int (*publish)(mcphost *owner);
    void (*publish_soon)(mcphost *owner);
    /* The server is removed: the owner drops all its pointers to it before this
     * returns. */
    void (*removed)(struct mcph_server *server, mcphost *owner);
    /* Whether a turn keeps the server, or keeps this lease of the server. */
    bool (*keeps_server)(const struct mcph_server *server);
    bool (*keeps_lease)(const struct mcph_server *server, const mcphost_lease *lease);
    /* Ends a lease.  `now`: its client does not drain. */
    void (*end_lease)(mcphost_lease *lease, bool now);
    /* The client of a seat is READY. */
    void (*seat_ready)(struct mcph_seat *seat);
    /* A client whose seat is not everyone's may list other tools than the server's block
     * has.  `own_listed`: the client of this seat has listed.  `own_drop`: the holder of
     * this lease sees the server's block again.  `own_block`: the block that the holders
     * of the seat see; NULL: the server's.  `own_refresh`: the server's filters have
     * changed. */
    void (*own_listed)(struct mcph_server *server, struct mcph_seat *seat,
                       const struct mcph_made *made);
    void (*own_drop)(struct mcph_server *server, mcphost_lease *lease);
    struct mcph_block *(*own_block)(const struct mcph_seat *seat,
                                    const struct mcph_server *server, int kind);
    void (*own_refresh)(struct mcph_server *server);
    /* The instance drains, or is DEAD. */
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
    struct mcph_list sources; /* mcphost_source.link, in order; the dispatcher changes
                               * it, under the lock */
    struct mcph_list coming;  /* sources that are not open yet; under the lock */
    unsigned editions;        /* the number of the latest edition of any server */
    bool closing;             /* orders and jobs do nothing any more; under the lock */
    bool ended;               /* nothing is reported any more */
};

/* The open source with this id, unless it is leaving.  The default source has no id, so
 * it is never found.  NULL: there is none.  Under the lock, or from dispatch. */
struct mcphost_source *mcph_workspace_find(const struct mcph_workspace *ws,
                                           const char *id, size_t len);
/* Adds a source to `coming`, with a reference.  Under the lock.  0, MCPHOST_E_EXISTS. */
int mcph_workspace_add_locked(struct mcph_workspace *ws, struct mcphost_source *source);
/* Splits the key of a server (mcph_realm_key()): returns its source; *ret_id points to
 * the server's id in `key`.  A key that begins with the id of no source belongs to the
 * default source, which is the first.  Under the lock, or from dispatch. */
struct mcphost_source *mcph_workspace_split(const struct mcph_workspace *ws,
                                            const char *key, const char **ret_id);
/* Jobs ask this before they do anything. */
bool mcph_workspace_is_closing(const struct mcph_workspace *ws);

/* ---- files that are followed (follow.c) -------------------------------------------- */

struct mcph_follow {
    struct mcph_core *core;
    /* Reads the file, and calls mcph_follow_files() with the files that it named. */
    void (*read)(struct mcph_follow *follow, const char *why);
    bool unread; /* memory was short: read() is called again soon */

    struct mcph_watcher *watcher;
    struct mcph_watch *watch;
    struct mcph_vec files;   /* struct mcph_watch * of the files that it names */
    struct mcph_map by_path; /* the same, by path */
    struct mcph_timer again;
};

/* 0, MCPHOST_E_NOMEM. */
int mcph_follow_init(struct mcph_follow *follow, struct mcph_core *core,
                     void (*read)(struct mcph_follow *follow, const char *why));
/* Watches a file (NULL: none) in a mode, MCPHOST_RELOAD_*.  A file that cannot be watched
 * is logged.  `counts` not NULL: `file` is a directory, and only the names in it that
 * `counts` accepts matter. */
void mcph_follow_start(struct mcph_follow *follow, const char *file,
                       bool (*counts)(const char *name), int64_t mode, int64_t poll_ms,
                       int64_t debounce_ms);
/* Watches the further files that a configuration names, and stops watching all others.
 * True: a file is watched only from now on, so it may have changed after it was read. */
bool mcph_follow_files(struct mcph_follow *follow, const mcphost_config *config);
/* Marks the present state of all files as seen.  True: a file had changed since the last
 * look. */
bool mcph_follow_look(struct mcph_follow *follow);
/* Reports an edit that the library made itself, so that it does not count as a change. */
void mcph_follow_wrote(struct mcph_follow *follow, const struct mcph_config_edit *edit);
/* Memory was short: read() is called again in a second.  read() resets `unread`. */
void mcph_follow_unread(struct mcph_follow *follow);
void mcph_follow_end(struct mcph_follow *follow); /* watches nothing any more */
void mcph_follow_done(struct mcph_follow *follow);

/* ---- sources (source.c, order.c) --------------------------------------------------- */

struct mcphost_source {
    struct mcph_refs refs;
    struct mcph_workspace *ws;
    struct mcph_core *core; /* this and the next two: the workspace's */
    struct mcph_pool *pool;
    struct mcph_journal *journal;
    struct mcph_realm realm; /* its policies are changed under the lock, until `frozen` */
    struct mcph_list link;   /* in ws->sources */
    char *id;                /* NULL: the default source */

    /* under the lock */
    struct mcph_hook *namer; /* mcphost_name_fn, or NULL; fixed when `frozen` */
    mcphost_config *config;  /* a reference: the configuration applied last,
                                     * with the providers in front */
    struct mcph_vec servers; /* struct mcph_server *, in the order of `config` */
    bool config_rejected;    /* the last configuration was rejected as a whole */
    bool frozen;             /* its policies do not change any more */
    /* The dispatcher reads these two without the lock. */
    atomic_bool loaded;                /* it follows files, or has a configuration */
    atomic_bool leaving;               /* it was removed */
    struct mcph_list made;             /* the owner's list of providers on this source */
    struct mcph_config_reader *reader; /* NULL: the application gives configurations */

    bool started;             /* the first configuration was applied or put off */
    bool changed;             /* a catalog does not show its present blocks yet */
    bool first_load, settled; /* `first_load`: a configuration with servers was
                               * applied; `settled`: each of these servers is ready or
                               * has failed, so names stay with their servers */
    struct mcph_map by_id;    /* servers by their ids */
    struct mcph_list gone;    /* removed servers that have not ended yet */
    struct mcph_list makings; /* struct making.link; making.c */
    struct mcph_sweep config_sweep;

    struct mcph_follow follow; /* watches the files of `reader` */
    struct mcph_job begin, leave;
    struct mcph_vec provided; /* struct mcph_spec * of its providers, the oldest first */
    mcphost_config *given;    /* `config` without the providers; a reference, or NULL */
    bool open;                /* its timers exist */
    bool emptied;             /* it is leaving, and its servers were removed */
    bool withdrawing;         /* it is leaving, and catalogs may still show its tools */
    bool left;                /* the owner was told that it has no server left */
    mcphost_config *put_off;  /* not applied yet: memory was short; a reference, or
                               * NULL */
    struct mcph_timer apply_timer;
};

/* Makes a source, which is in no list yet.  `id` NULL: the default source, which ends
 * with its host.  Any other source keeps the memory of its host.  0, MCPHOST_E_NOMEM. */
int mcph_source_new(struct mcph_workspace *ws, const char *id,
                    struct mcphost_source **ret);
struct mcphost_source *mcph_source_ref(struct mcphost_source *source);
/* Returns NULL. */
struct mcphost_source *mcph_source_unref(struct mcphost_source *source);
/* Removes the source: its tools leave the catalogs, then its servers end.  If memory is
 * short, the apply timer tries again.  `carried_out` is called when no catalog shows its
 * tools, and `left` when its last server has ended, too.  Both may be called before this
 * returns. */
void mcph_source_leave(struct mcphost_source *source);
/* Makes the next attempt to remove the servers of a source that is leaving. */
void mcph_source_withdraw(struct mcphost_source *source);
void mcph_source_check_left(struct mcphost_source *source);
/* Makes the timers of the source, and moves it to ws->sources.  Call this from dispatch
 * before anything else is done with the source.  0, MCPHOST_E_NOMEM. */
int mcph_source_open(struct mcphost_source *source);
/* The host is closing: the timers and watched files of the source start nothing any
 * more. */
void mcph_source_close(struct mcphost_source *source);
/* Frees what the source holds.  No instance of it may be left. */
void mcph_source_end(struct mcphost_source *source);

/* The source's own policy; if it has none, the host's option. */
static inline int64_t
mcph_source_policy(const struct mcphost_source *source, int option)
{
    return mcph_realm_policy(&source->realm, option);
}
bool mcph_source_serves_removed(const struct mcphost_source *source);
bool mcph_source_keeps_last_good(const struct mcphost_source *source);
/* Whether servers keep the names that they have (MCPHOST_HOLDERS_KEEP, once settled). */
bool mcph_source_keeps_names(const struct mcphost_source *source);
/* Whether a collision of tool names rejects the whole server. */
bool mcph_source_rejects_collisions(const struct mcphost_source *source);
/* How the names of its servers' tools are made.  The source must be loaded. */
struct mcph_naming mcph_source_naming(const struct mcphost_source *source);

/* Follows the files of `reader`.  Takes the reader over when it returns 0.  Under the
 * lock.  0, MCPHOST_E_STATE. */
int mcph_source_follow_locked(struct mcphost_source *source,
                              struct mcph_config_reader *reader);
/* Reads the files again, now, and applies them.  Does nothing where no file is followed.
 * Fails if the configuration is rejected as a whole. */
int mcph_source_read(struct mcphost_source *source, mcphost_error **reterr);
/* The same, if a file has changed. */
void mcph_source_check(struct mcphost_source *source);
/* Writes servers.<id>.enabled with the reader's set_enabled().  The edit is applied when
 * this returns. */
int mcph_source_set_enabled(struct mcphost_source *source, const char *id, bool enabled,
                            mcphost_error **reterr);

enum mcph_order {
    MCPH_ORDER_APPLY, /* apply a configuration */
    MCPH_ORDER_RELOAD,
    MCPH_ORDER_CHECK, /* reload if a file has changed */
    MCPH_ORDER_RESTART,
    MCPH_ORDER_ENABLE,
    MCPH_ORDER_DISABLE,
    MCPH_ORDER_PROVIDE, /* make a provider of the application a server of the source */
    MCPH_ORDER_WITHDRAW /* remove that server */
};

/* Orders `what` of the source or, if `server` is not NULL, of this server.  A job carries
 * the order out.  Under the lock.  0, MCPHOST_E_NOTFOUND, MCPHOST_E_STATE,
 * MCPHOST_E_NOMEM. */
int mcph_source_order_locked(struct mcphost_source *source, enum mcph_order what,
                             const char *server);
/* Likewise, orders that a configuration is applied.  0, MCPHOST_E_STATE,
 * MCPHOST_E_NOMEM. */
int mcph_source_apply_locked(struct mcphost_source *source, mcphost_config *config);

/* Likewise, orders PROVIDE or WITHDRAW.  0, MCPHOST_E_STATE, MCPHOST_E_NOMEM. */
int mcph_source_order_provider_locked(struct mcphost_source *source, enum mcph_order what,
                                      mcphost_provider *provider);

/* ---- providers as servers (provided.c); the dispatcher's --------------------------- */

void mcph_provided_add(struct mcphost_source *source, mcphost_provider *provider);
void mcph_provided_remove(struct mcphost_source *source, mcphost_provider *provider);
/* Removes all providers: the source is leaving, or the host is closing.  `now`: their
 * calls end at once. */
void mcph_provided_close(struct mcphost_source *source, bool now);
/* Puts the providers in front of the servers of `config`.  *ret gets a reference.  0,
 * MCPHOST_E_NOMEM. */
int mcph_provided_merge(const struct mcphost_source *source, mcphost_config *config,
                        mcphost_config **ret);
/* Raises a problem for each server of `config` whose id a provider has. */
void mcph_provided_raise(struct mcphost_source *source, const mcphost_config *config,
                         struct mcph_sweep *sweep);

/* ---- servers (server.c, apply.c, block.c, report.c) -------------------------------- */

/* A caller that waits for the next edition of a server. */
struct mcph_restart {
    struct mcph_list link; /* in the server's list until it is answered */
    /* `why_not` NULL: the next edition is published. */
    void (*answer)(struct mcph_restart *restart, const struct mcph_server *server,
                   const char *why_not);
};

/* What a server lists of one kind other than tools (more.c). */
struct mcph_more {
    struct mcph_listing *listing; /* the last good list; NULL: none yet */
    struct mcph_block *block;     /* the published block */
    struct mcph_block *made;      /* the block of `listing` to publish next, or NULL */
    struct mcph_listing *next;    /* the lister's, until its tools are read; else NULL */
    struct mcph_block *next_made; /* of `next`, or NULL */
    bool complained;              /* a problem about this list is active */
};

struct mcph_server {
    struct mcphost_source *source;
    char *id;
    const struct mcph_config_server *entry; /* its entry in source->config */
    struct mcph_spec *wanted; /* the configuration's; NULL: never valid, or disabled */

    struct mcph_spec *held; /* stopped by order: the spec that the entry had then, and
                             * may still have; else NULL */

    /* The last good edition.  Before the first one, `spec` is what is wanted. */
    struct mcph_spec *spec;       /* a reference, or NULL */
    struct mcph_listing *listing; /* NULL: no list was good yet */
    struct mcph_block *block;     /* the published block */
    struct mcph_block *made;      /* the block of `listing` to publish next, or NULL */
    unsigned edition;             /* leases of earlier editions end */
    struct mcph_more more[MCPH_LIST_KINDS]; /* by kind; the one of tools is not used */
    const struct mcph_instance *awaits; /* only compared; more lists of it are awaited */
    unsigned awaited;                   /* the kinds still to come: 1u << MCPH_LIST_* */

    struct mcph_instance *lister; /* prepares the next edition; else NULL */
    struct mcph_instance *spare;  /* has listed, fills no seat yet, may be leased */
    struct mcph_timer spare_timer, retry;
    unsigned failures;         /* attempts in a row that failed */
    unsigned crashes;          /* crashes of its instances in a row; crash.c */
    struct mcph_timer calm;    /* ends the row of crashes */
    struct mcph_seat *shared;  /* everyone's seat of this edition, or NULL */
    struct mcph_list restarts; /* struct mcph_restart: callers that wait for an edition */
    bool attempted;            /* the first attempt to start it is over */
    bool of_first_load;
    bool strict;        /* the update came with an edit or a restart, not with a notice
                         * of the server: see review.c */
    bool kept_nothing;  /* `keeps_nothing` of the published edition */
    bool start;         /* start a lister when the catalog is published */
    bool dirty;         /* catalogs do not show its present state yet */
    bool committed;     /* a new edition is to be published and reported */
    bool call_failed;   /* the last call failed at the connection or the server */
    bool lease_failed;  /* the last new client of a seat did not come up */
    bool complained;    /* this room raised its problem `server_error` */
    bool rejected;      /* all catalogs leave it out; `error` says why */
    bool removed;       /* in source->gone until no instance or turn needs it */
    bool keeps_nothing; /* speaks 2026-07-28 over HTTP: one connection serves all dialogs,
                         * whatever scope is declared */
    struct mcph_list gone_link;
    int64_t load_began;
    int64_t sampling_due; /* in us: when its next sampling request is due, at the
                           * allowed rate */

    /* for status, under the lock */
    int state;           /* MCPHOST_SERVER_* */
    const char *version; /* a static string */
    size_t tools;
    int64_t start_ms, latency_ms;
    int has_tools;        /* 1: it offers tools; 0: it does not; -1: unknown */
    mcphost_error *error; /* a reference */
    int64_t pid;
    int containment; /* of the process that was started last */
};

/* Applies a configuration.  `why` is the text of MCPHOST_EVENT_CONFIG. */
void mcph_apply_now(struct mcphost_source *source, mcphost_config *config,
                    const char *why);
/* Applies the same configuration again, as the providers have changed. */
void mcph_apply_providers(struct mcphost_source *source);
/* Applies a configuration without servers to a source that is leaving.  0,
 * MCPHOST_E_NOMEM. */
int mcph_apply_nothing(struct mcphost_source *source);
void mcph_apply_again(struct mcph_timer *timer);
void mcph_apply_later(struct mcphost_source *source);
void mcph_apply_done(struct mcphost_source *source);

/* server.c; all on the dispatcher. */
int mcph_server_new(struct mcphost_source *source, const char *id,
                    struct mcph_server **ret);
void mcph_server_free(struct mcph_server *server);
/* NULL: there is none, or no configuration was applied yet. */
struct mcph_server *mcph_server_find(struct mcphost_source *source, const char *id);
void mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error);
/* Says why a server that is STARTING does not go on (NULL: nothing delays it).  Its
 * status and refused calls show the reason.  A server in another state is left as it
 * is. */
void mcph_server_set_hold_up(struct mcphost_source *source, const char *id,
                             const char *why);
void mcph_server_set_pid(struct mcph_server *server, int64_t pid);
void mcph_server_set_containment(struct mcph_server *server, int containment);
/* An attempt to start the server failed: sets the state, raises a problem, and sets the
 * timer for the next attempt. */
void mcph_server_unavailable(struct mcph_server *server, mcphost_error *error);
/* Clears the problem `server_error`, if this room raised it. */
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
/* The scope that is in force, from the declared one: a server that keeps nothing works
 * for everyone. */
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
/* Whether both start the same process and show the same tools. */
bool mcph_server_same_spec(const struct mcph_spec *a, const struct mcph_spec *b);
/* Sets `keeps_nothing` by what the client of the instance has agreed on. */
void mcph_server_met(struct mcph_server *server, const struct mcph_instance *inst);
/* Takes the spare from the server.  NULL: there is no usable one. */
struct mcph_instance *mcph_server_take_spare(struct mcph_server *server);
/* The configuration wants the server with this spec, or does not want it any more.  Both
 * set `dirty`, and the first sets `start`, as needed. */
void mcph_server_want(struct mcph_server *server, struct mcph_spec *spec);
void mcph_server_unwant(struct mcph_server *server);
/* Starts a lister for what is wanted; its edition takes over when it has listed.  If
 * nothing has changed, this is a restart. */
void mcph_server_launch(struct mcph_server *server);
void mcph_server_stop_lister(struct mcph_server *server);
/* The host is closing: stops all timers of the server. */
void mcph_server_close(struct mcph_server *server);
/* Take over a new list of tools: from the lister, or from another instance of the present
 * edition.  That instance is new (`restarted`), or has said that its tools changed. */
void mcph_server_commit(struct mcph_server *server, struct mcph_listing *listing);
void mcph_server_relisted(struct mcph_server *server, struct mcph_listing *listing,
                          bool restarted);
/* Discards an edition that was not published: the server goes back to the edition that
 * the published entry `good` shows. */
void mcph_server_revert(struct mcph_server *server, const mcphost_server *good,
                        mcphost_error *error);
/* The server has changed: publishes its present state soon. */
void mcph_server_schedule(struct mcph_server *server);
/* From now on the spare waits for MCPHOST_OPT_FIRST_LEASE_WAIT to be leased. */
void mcph_server_time_spare(struct mcph_server *server);
/* Answers all callers that wait for the next edition.  `why_not` NULL: it is
 * published. */
void mcph_server_answer(struct mcph_server *server, const char *why_not);
/* Ends the leases of earlier editions, whose clients drain.  A lease that a turn keeps is
 * not ended. */
void mcph_server_retire(struct mcph_server *server);
/* mcph_server_hold(): an order stops the server, whatever its entry says.
 * mcph_server_is_held(): whether it is still stopped, which a change of the entry ends.
 * mcph_server_resume(): the server is wanted again, and the caller launches it. */
void mcph_server_hold(struct mcph_server *server);
bool mcph_server_is_held(struct mcph_server *server);
void mcph_server_resume(struct mcph_server *server);
/* The server is no longer declared.  It is freed when its last instance is freed and no
 * turn keeps it. */
void mcph_server_remove(struct mcph_server *server);
void mcph_server_let_go(struct mcph_server *server);
extern const struct mcph_pool_ops mcph_report_ops; /* report.c */

/* ---- other lists than those of tools (more.c) -------------------------------------- */

/* Awaits lists of all kinds from an instance that was just started; NULL: none was. */
void mcph_more_await(struct mcph_server *server, const struct mcph_instance *inst);
/* mcph_more_heard(): a list of the instance came or failed.  mcph_more_lost(): the
 * instance has ended, so none of its lists is awaited any more. */
void mcph_more_heard(struct mcph_server *server, const struct mcph_instance *inst,
                     int kind);
void mcph_more_lost(struct mcph_server *server, const struct mcph_instance *inst);
/* Whether lists are awaited, or were read and are not published yet. */
static inline bool
mcph_more_is_due(const struct mcph_server *server)
{
    return server->awaits || (server->listing && server->dirty);
}
/* Takes over a list that was read.  True: there is something to publish. */
bool mcph_more_listed(struct mcph_server *server, const struct mcph_instance *inst,
                      const struct mcph_made *made);
void mcph_more_forget_next(struct mcph_server *server);
void mcph_more_commit(struct mcph_server *server); /* takes the lister's lists over */
void mcph_more_drop(struct mcph_server *server);
/* Goes back to the lists of these blocks, which are given by kind. */
void mcph_more_restore(struct mcph_server *server, struct mcph_block *const *good);
/* Makes the blocks of all kinds anew.  0, MCPHOST_E_NOMEM. */
int mcph_more_refresh(struct mcph_server *server);
/* Raises a problem: a list of this kind failed or was cut.  `error` NULL: a
 * complete list came, which clears the problem. */
void mcph_more_tell(struct mcph_server *server, int kind, mcphost_error *error);

/* ---- lists that are read in steps (making.c) --------------------------------------- */

/* Reads a list in steps, and reports it with mcph_report_made().  A short list is
 * reported before this returns, a long one in a later turn, unless the instance ends or
 * lists this kind again.  0, MCPHOST_E_NOMEM. */
int mcph_making_begin(struct mcphost_source *source, struct mcph_instance *inst,
                      struct mcph_client_list *list);
void mcph_making_cancel(struct mcphost_source *source, const struct mcph_instance *inst);
void mcph_making_done(struct mcphost_source *source);
void mcph_report_made(struct mcph_instance *inst, const struct mcph_made *made);

/* ---- crashes (crash.c) ------------------------------------------------------------- */

/* Counts a crash: an instance that the server still uses is DEAD and was not stopped. */
void mcph_crash_note(struct mcph_server *server, const struct mcph_instance *inst,
                     const mcphost_error *reason);
/* An instance of the server has come up, or has answered a call. */
void mcph_crash_sign_of_life(struct mcph_server *server);
/* Ends the row of crashes, and clears its problem. */
void mcph_crash_forget(struct mcph_server *server);
void mcph_crash_calm(struct mcph_timer *timer);

/* ---- blocks (block.c) -------------------------------------------------------------- */

/* Makes the blocks of all servers that are dirty. */
void mcph_blocks_refresh(struct mcphost_source *source);
/* Notes in the block which server and edition it belongs to.  0, MCPHOST_E_NOMEM. */
int mcph_block_sign(struct mcph_server *server, struct mcph_block *block);
/* Makes the block of `listing` under the server's present spec.  0, MCPHOST_E_NOMEM. */
int mcph_block_of(struct mcph_server *server, struct mcph_listing *listing,
                  struct mcph_block **ret, mcphost_error **reterr);

#endif
