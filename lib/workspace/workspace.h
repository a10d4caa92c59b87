/* SPDX-License-Identifier: MIT
 *
 * workspace.h - interface of lib/workspace: sources, and the servers that each source
 * declares.
 *
 * A source is one set of servers with an id, policies and problems of its own.  Sources
 * are loaded and removed independently.  lib/workspace reads and follows a source's
 * files, applies each configuration to the running servers, and supervises the servers.
 * lib/workspace makes one block for each list of a server: the tools, the resources and
 * so on.  The folders above it decide which catalogs show these blocks, and which callers
 * may use the tools.
 *
 * A server has a last good edition: the spec, the lists and the blocks that are published
 * and that calls go to.  An instance is one connection to a server (pool.h).  The lister
 * of a server is the instance that prepares the next edition.
 *
 *   reader --follow.c, apply.c--> wanted specs --server.c--> instances (pool)
 *   instances --report.c, making.c--> last good lists --block.c--> blocks
 *
 * Only the dispatcher may use lib/workspace, except where a comment says otherwise.
 * lib/workspace must not know views, dialogs or calls.  lib/workspace reports to its
 * owner, and asks its owner questions, through struct mcph_workspace_ops.
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

/* ---- the state that all sources of a host share ------------------------------------ */

/* The result of reading one list of an instance (making.c).  Functions that get this
 * struct borrow its members. */
struct mcph_made {
    int kind; /* MCPH_LIST_* */
    struct mcph_client_list *list;
    struct mcph_listing *listing; /* NULL if reading failed; `error` says why */
    struct mcph_block *block;     /* made from `listing`; NULL if reading failed, an
                                   * equal list was known, the server has no spec, or
                                   * memory was short */
    mcphost_error *error;         /* why reading failed, or NULL */
};

/* The functions that a workspace calls.  The owner of the workspace provides the
 * functions.  A parameter `owner` is this owner. */
struct mcph_workspace_ops {
    /* `ordered` is called under the lock when an order is posted.  `carried_out` is
     * called from dispatch when an order was carried out, or was dropped because its
     * source is leaving or the host is closing. */
    void (*ordered)(mcphost *owner);
    void (*carried_out)(mcphost *owner);
    /* Called when servers may have come up or failed. */
    void (*tried)(mcphost *owner);
    /* Called when the state of a server, or the configuration of a source, has
     * changed. */
    void (*state_changed)(mcphost *owner);
    void (*config_changed)(mcphost *owner);
    /* Called when a source that was removed has no server left. */
    void (*left)(struct mcphost_source *source, mcphost *owner);
    /* `publish` publishes the blocks of all dirty servers at once.  `publish_soon` lets a
     * job publish the blocks.  `publish` returns 0, or MCPHOST_E_NOMEM if a catalog still
     * shows the old state. */
    int (*publish)(mcphost *owner);
    void (*publish_soon)(mcphost *owner);
    /* Called when the server was removed.  The owner drops all its pointers to the server
     * before this function returns. */
    void (*removed)(struct mcph_server *server, mcphost *owner);
    /* keeps_server() returns whether a dialog turn uses the server, so that the server
     * must not end.  keeps_lease() returns whether a dialog turn uses this lease on the
     * server, so that the lease must not end. */
    bool (*keeps_server)(const struct mcph_server *server);
    bool (*keeps_lease)(const struct mcph_server *server, const mcphost_lease *lease);
    /* Ends a lease.  If `now` is set, the client of the lease does not drain. */
    void (*end_lease)(mcphost_lease *lease, bool now);
    /* Called when the client of a seat is READY. */
    void (*seat_ready)(struct mcph_seat *seat);
    /* A client in a seat that not all dialogs share may list other tools than the
     * server's block has.  `own_listed` reports a list that the client of this seat has
     * sent.  `own_drop` discards the own lists of this lease's holder.  The holder then
     * sees the server's block again.  `own_block` returns the own block of the seat's
     * holders, or NULL if they see the server's block.  `own_refresh` is called when the
     * server has another block, for example after a change of its filters. */
    void (*own_listed)(struct mcph_server *server, struct mcph_seat *seat,
                       const struct mcph_made *made);
    void (*own_drop)(struct mcph_server *server, mcphost_lease *lease);
    struct mcph_block *(*own_block)(const struct mcph_seat *seat,
                                    const struct mcph_server *server, int kind);
    void (*own_refresh)(struct mcph_server *server);
    /* `instance_closing` is called when the instance begins to drain.  `instance_dead` is
     * called when the instance is DEAD. */
    void (*instance_closing)(struct mcph_instance *inst, mcphost *owner);
    void (*instance_dead)(const struct mcph_instance *inst, mcphost *owner);
    /* These functions report the events of the same names in struct mcph_pool_ops. */
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
    struct mcph_list sources; /* mcphost_source.link, in the order of opening; only the
                               * dispatcher changes the list, under the lock */
    struct mcph_list coming;  /* sources that are not open yet; used under the lock */
    unsigned editions;        /* the number of the latest edition of any server */
    bool closing;             /* if set, orders and jobs do nothing; changed under
                               * the lock */
    bool ended;               /* the host has ended; lists of instances are ignored */
};

/* Finds the open source with this id that is not leaving.  Returns NULL if no source has
 * this id.  Never finds the default source, because the default source has no id.  Call
 * this under the lock, or from dispatch. */
struct mcphost_source *mcph_workspace_find(const struct mcph_workspace *ws,
                                           const char *id, size_t len);
/* Adds a source to `coming`, with a reference.  Call this under the lock.  Returns 0, or
 * MCPHOST_E_EXISTS if another source that is not leaving has this id. */
int mcph_workspace_add_locked(struct mcph_workspace *ws, struct mcphost_source *source);
/* Splits the key of a server (mcph_realm_key()).  Returns the server's source.  *ret_id
 * points to the server's id in `key`.  If the key does not begin with the id of a source,
 * returns the default source.  The default source is the first source.  Call this under
 * the lock, or from dispatch. */
struct mcphost_source *mcph_workspace_split(const struct mcph_workspace *ws,
                                            const char *key, const char **ret_id);
/* Returns whether the host is closing.  Jobs must do nothing while the host is
 * closing. */
bool mcph_workspace_is_closing(const struct mcph_workspace *ws);

/* ---- files that are followed (follow.c) -------------------------------------------- */

struct mcph_follow {
    struct mcph_core *core;
    /* Reads the file again.  If the file can name other files, calls mcph_follow_files()
     * with the configuration that was read. */
    void (*read)(struct mcph_follow *follow, const char *why);
    bool unread; /* memory was short; read() is called again soon */

    struct mcph_watcher *watcher;
    struct mcph_watch *watch;
    struct mcph_vec files;   /* struct mcph_watch *, for files that the followed file
                              * names */
    struct mcph_map by_path; /* the watches of `files`, by path */
    struct mcph_timer again;
};

/* Prepares a follow.  The follow watches nothing yet.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_follow_init(struct mcph_follow *follow, struct mcph_core *core,
                     void (*read)(struct mcph_follow *follow, const char *why));
/* Watches `file` as `mode` (MCPHOST_RELOAD_*) says.  Watches nothing if `file` is NULL or
 * the mode is MCPHOST_RELOAD_EXPLICIT.  Logs a file that cannot be watched.  If `counts`
 * is not NULL, `file` is a directory.  In this case, changes of a name in the directory
 * count only if `counts` accepts the name. */
void mcph_follow_start(struct mcph_follow *follow, const char *file,
                       bool (*counts)(const char *name), int64_t mode, int64_t poll_ms,
                       int64_t debounce_ms);
/* Watches the files that the configuration names, and stops watching the files that only
 * an earlier configuration named.  Begins to watch no file if the followed file itself is
 * not watched.  Returns true if the function begins to watch a file.  The caller must
 * then read the configuration again, because the file may have changed after it was
 * read. */
bool mcph_follow_files(struct mcph_follow *follow, const mcphost_config *config);
/* Marks the present state of all watched files as seen.  Returns true if a file was not
 * in the state that was seen last. */
bool mcph_follow_look(struct mcph_follow *follow);
/* Reports an edit that the library itself made, so that this edit does not count as a
 * change. */
void mcph_follow_wrote(struct mcph_follow *follow, const struct mcph_config_edit *edit);
/* Sets `unread`, and a timer that calls read() again in a second, because memory was
 * short.  The implementation of read() must reset `unread`. */
void mcph_follow_unread(struct mcph_follow *follow);
void mcph_follow_end(struct mcph_follow *follow); /* stops watching */
void mcph_follow_done(struct mcph_follow *follow);

/* ---- sources (source.c, order.c) --------------------------------------------------- */

struct mcphost_source {
    struct mcph_refs refs;
    struct mcph_workspace *ws;
    /* The three members below belong to the workspace. */
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcph_journal *journal;
    struct mcph_realm realm; /* the policies in it may change under the lock until
                              * `frozen` */
    struct mcph_list link;   /* in ws->sources */
    char *id;                /* NULL for the default source */

    /* The members from `namer` to `frozen` are changed under the lock. */
    struct mcph_hook *namer; /* mcphost_name_fn, or NULL; fixed when `frozen` */
    mcphost_config *config;  /* a reference to the configuration applied last, with the
                              * providers in front */
    mcphost_config *loading; /* a reference to the configuration loaded last, until the
                              * dispatcher applies it; else NULL */
    struct mcph_vec servers; /* struct mcph_server *, in the order of `config` */
    bool config_rejected;    /* the last configuration was rejected as a whole */
    bool frozen;             /* the source's policies do not change any more */
    /* The dispatcher reads `loaded` and `leaving` without the lock. */
    atomic_bool loaded;                /* the source follows files or has a
                                        * configuration */
    atomic_bool leaving;               /* the source was removed */
    struct mcph_list made;             /* the owner's list of providers on this source */
    struct mcph_config_reader *reader; /* NULL if the application gives configurations */

    bool started;             /* the first configuration was applied or put off, or
                               * could not be read */
    bool changed;             /* a catalog does not show the source's present blocks
                               * yet */
    bool first_load, settled; /* `first_load`: a configuration with servers was
                               * applied; `settled`: each of these servers is ready or
                               * has failed */
    struct mcph_map by_id;    /* servers by their ids */
    struct mcph_list gone;    /* removed servers that have not ended yet */
    struct mcph_list makings; /* struct making.link (making.c) */
    struct mcph_sweep config_sweep;

    struct mcph_follow follow; /* watches the files of `reader` */
    struct mcph_job begin, leave;
    struct mcph_vec provided; /* struct mcph_spec * of the providers, oldest first */
    mcphost_config *given;    /* `config` without the providers; a reference, or NULL */
    bool open;                /* the source's timers exist */
    bool emptied;             /* the source is leaving, and its servers were removed */
    bool withdrawing;         /* the source is leaving, but catalogs may still show its
                               * tools */
    bool left;                /* the owner's function `left` was called */
    mcphost_config *put_off;  /* a reference to a configuration that is not applied
                               * yet, because memory was short; or NULL */
    struct mcph_timer apply_timer;
};

/* Makes a source.  The source is in no list yet.  If `id` is NULL, makes the default
 * source.  The default source ends with its host.  Any other source keeps its host's
 * memory from being freed.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_source_new(struct mcph_workspace *ws, const char *id,
                    struct mcphost_source **ret);
struct mcphost_source *mcph_source_ref(struct mcphost_source *source);
/* Drops a reference.  The last call frees the source.  Returns NULL. */
struct mcphost_source *mcph_source_unref(struct mcphost_source *source);
/* Removes the source: its tools leave the catalogs, then its servers end.  If memory is
 * short, the apply timer tries again.  `carried_out` is called when no catalog shows the
 * source's tools any more.  `left` is called when, in addition, the source's last server
 * has ended.  Both functions may be called before mcph_source_leave() returns. */
void mcph_source_leave(struct mcphost_source *source);
/* Removes the servers of a source that is leaving.  If memory is short, the apply timer
 * calls this function again. */
void mcph_source_withdraw(struct mcphost_source *source);
void mcph_source_check_left(struct mcphost_source *source);
/* Makes the timers of the source, and moves it to ws->sources.  Does nothing for an open
 * source.  Call the function from dispatch before any other use of the source.  Returns 0
 * or MCPHOST_E_NOMEM. */
int mcph_source_open(struct mcphost_source *source);
/* Stops the timers and watches of the source and of its servers, because the host is
 * closing. */
void mcph_source_close(struct mcphost_source *source);
/* Frees everything that the source holds.  All its instances must have been freed. */
void mcph_source_end(struct mcphost_source *source);

/* Returns the source's own value of a policy.  If the source has no value of the policy,
 * returns the host's option. */
static inline int64_t
mcph_source_policy(const struct mcphost_source *source, int option)
{
    return mcph_realm_policy(&source->realm, option);
}
bool mcph_source_serves_removed(const struct mcphost_source *source);
bool mcph_source_keeps_last_good(const struct mcphost_source *source);
/* Returns true if servers keep the tool names that they have: MCPHOST_HOLDERS_KEEP is set
 * and the source is settled. */
bool mcph_source_keeps_names(const struct mcphost_source *source);
/* Returns whether a collision of tool names rejects the whole server. */
bool mcph_source_rejects_collisions(const struct mcphost_source *source);
/* Returns the rules by which the tools of the source's servers get their names.  The
 * source must be frozen. */
struct mcph_naming mcph_source_naming(const struct mcphost_source *source);

/* Orders that the files of `reader` are read and followed.  Call this under the lock.  On
 * success, takes ownership of the reader and returns 0.  Returns MCPHOST_E_STATE if the
 * source is loaded or leaving. */
int mcph_source_follow_locked(struct mcphost_source *source,
                              struct mcph_config_reader *reader);
/* Reads the files again at once, and applies the configuration.  Does nothing if the
 * source has no reader or is leaving, or if the reader reads only once.  Fails if memory
 * is short, or if the configuration is rejected as a whole. */
int mcph_source_read(struct mcphost_source *source, mcphost_error **reterr);
/* Reads the files again and applies the configuration if a file has changed. */
void mcph_source_check(struct mcphost_source *source);
/* Writes servers.<id>.enabled with the reader's set_enabled().  The edit is applied when
 * this function returns.  Returns 1 if the files were read again, 0 if nothing had to
 * change, MCPHOST_E_STATE if the source cannot write, or an error of set_enabled(). */
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
    MCPH_ORDER_WITHDRAW /* remove the server of a provider */
};

/* Posts a job that carries out the order `what` for the source or, if `server` is not
 * NULL, for this server.  Call this under the lock.  Returns 0, MCPHOST_E_NOTFOUND (no
 * server has this id), MCPHOST_E_STATE (the source or the server cannot carry out the
 * order) or MCPHOST_E_NOMEM. */
int mcph_source_order_locked(struct mcphost_source *source, enum mcph_order what,
                             const char *server);
/* Posts a job that applies a configuration.  Call this under the lock.  Returns 0,
 * MCPHOST_E_NOMEM, or MCPHOST_E_STATE if the source has a reader or is leaving. */
int mcph_source_apply_locked(struct mcphost_source *source, mcphost_config *config);

/* Posts a job that carries out the order PROVIDE or WITHDRAW for a provider.  Call this
 * under the lock.  Returns 0, MCPHOST_E_NOMEM, or MCPHOST_E_STATE if the source is
 * leaving. */
int mcph_source_order_provider_locked(struct mcphost_source *source, enum mcph_order what,
                                      mcphost_provider *provider);

/* ---- providers as servers (provided.c), on the dispatcher -------------------------- */

void mcph_provided_add(struct mcphost_source *source, mcphost_provider *provider);
void mcph_provided_remove(struct mcphost_source *source, mcphost_provider *provider);
/* Removes all providers, because the source is leaving or the host is closing.  If `now`
 * is set, calls to the providers end at once. */
void mcph_provided_close(struct mcphost_source *source, bool now);
/* Makes a configuration of the providers followed by the servers of `config`.  *ret gets
 * a reference to the result.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_provided_merge(const struct mcphost_source *source, mcphost_config *config,
                        mcphost_config **ret);
/* Raises a problem for each server of `config` that has the id of a provider. */
void mcph_provided_raise(struct mcphost_source *source, const mcphost_config *config,
                         struct mcph_sweep *sweep);

/* ---- servers (server.c, apply.c, block.c, report.c) -------------------------------- */

/* A caller that waits for the next edition of a server. */
struct mcph_restart {
    struct mcph_list link; /* in server->restarts until the caller is answered */
    /* Called once.  If `why_not` is NULL, the next edition is published.  Otherwise no
     * edition follows, and `why_not` is the reason. */
    void (*answer)(struct mcph_restart *restart, const struct mcph_server *server,
                   const char *why_not);
};

/* A server's lists of one kind other than tools (more.c). */
struct mcph_more {
    struct mcph_listing *listing; /* the last good list; NULL if none was good yet */
    struct mcph_block *block;     /* the published block */
    struct mcph_block *made;      /* the block of `listing` to publish next, or NULL */
    struct mcph_listing *next;    /* the lister's list, until the lister's tools are
                                   * read; else NULL */
    struct mcph_block *next_made; /* the block of `next`, or NULL */
    bool complained;              /* a problem about this list is active */
};

struct mcph_server {
    struct mcphost_source *source;
    char *id;
    const struct mcph_config_server *entry; /* the server's entry in source->config */
    struct mcph_spec *wanted; /* the spec that the configuration wants; NULL if the
                               * configuration wants no spec, for example because the
                               * server is disabled */

    struct mcph_spec *held; /* the spec that the server's entry had when an order
                             * stopped the server; NULL if the server is not stopped,
                             * or its entry was invalid */

    /* The last good edition.  Before the first good edition, `spec` equals `wanted`. */
    struct mcph_spec *spec;       /* a reference, or NULL */
    struct mcph_listing *listing; /* NULL if no list was good yet */
    struct mcph_block *block;     /* the published block */
    struct mcph_block *made;      /* the block of `listing` to publish next, or NULL */
    unsigned edition;             /* the edition's number; leases of other editions end */
    struct mcph_more more[MCPH_LIST_KINDS]; /* by kind; the element for tools is not
                                             * used */
    const struct mcph_instance *awaits;     /* the instance whose lists are awaited, or
                                             * NULL; the pointer is compared and never
                                             * followed */
    unsigned awaited; /* a set of 1u << MCPH_LIST_*: the awaited lists */

    struct mcph_instance *lister; /* the instance that prepares the next edition, or
                                   * NULL */
    struct mcph_instance *spare;  /* an instance that has listed but fills no seat, or
                                   * NULL */
    struct mcph_timer spare_timer, retry;
    unsigned failures;         /* attempts in a row that failed */
    unsigned crashes;          /* crashes of its instances in a row (crash.c) */
    struct mcph_timer calm;    /* ends the row of crashes */
    struct mcph_seat *shared;  /* the seat that all dialogs share, or NULL */
    struct mcph_list restarts; /* struct mcph_restart, for callers that wait for an
                                * edition */
    bool attempted;            /* the first attempt to start the server is over, or
                                * there is no attempt */
    bool of_first_load;
    bool strict;        /* an edit or a restart caused the update, not a notice of the
                         * server (see host/review.c) */
    bool kept_nothing;  /* the value of `keeps_nothing` for the published edition */
    bool start;         /* start a lister when the catalog is published */
    bool dirty;         /* catalogs do not show the server's present state yet */
    bool committed;     /* a new edition is to be published and reported */
    bool call_failed;   /* the last call failed at the connection or the server */
    bool lease_failed;  /* the last new client of a seat did not come up */
    bool complained;    /* a failed start or a cut list raised `server_error` */
    bool rejected;      /* all catalogs leave the server out; `error` says why */
    bool removed;       /* the server was removed, and is in source->gone until no
                         * instance or turn needs it */
    bool keeps_nothing; /* one connection serves all dialogs, whatever scope is
                         * declared, because the server speaks MCP 2026-07-28 over HTTP */
    struct mcph_list gone_link;
    int64_t load_began;
    int64_t sampling_due; /* a time in microseconds, at most a minute ahead of the clock;
                           * each sampling request that the rate limit (host/request.c)
                           * allows sets it to a later time */

    /* The members below are for status, and are changed under the lock. */
    int state;           /* MCPHOST_SERVER_* */
    const char *version; /* a static string */
    size_t tools;
    int64_t start_ms, latency_ms;
    int has_tools;        /* 1 if the server offers tools, 0 if not, -1 if unknown */
    mcphost_error *error; /* why the server is in `state`; a reference, or NULL */
    int64_t pid;
    int containment; /* the latest process's containment, MCPHOST_CONTAINMENT_* */
};

/* Applies a configuration.  `why` is the text of MCPHOST_EVENT_CONFIG. */
void mcph_apply_now(struct mcphost_source *source, mcphost_config *config,
                    const char *why);
/* Applies the present configuration again, because the providers have changed. */
void mcph_apply_providers(struct mcphost_source *source);
/* Applies a configuration without servers to a source that is leaving.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_apply_nothing(struct mcphost_source *source);
void mcph_apply_again(struct mcph_timer *timer);
void mcph_apply_later(struct mcphost_source *source);
void mcph_apply_done(struct mcphost_source *source);

/* These functions make and free a server.  All functions of server.c are called on the
 * dispatcher. */
int mcph_server_new(struct mcphost_source *source, const char *id,
                    struct mcph_server **ret);
void mcph_server_free(struct mcph_server *server);
/* Finds a declared server.  Returns NULL if there is no server with this id, or if no
 * configuration was applied yet. */
struct mcph_server *mcph_server_find(struct mcphost_source *source, const char *id);
void mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error);
/* Sets the reason why the start of a server is delayed.  If `why` is NULL, clears the
 * reason.  The server's status and refused calls show the reason.  Does nothing if the
 * server is not STARTING. */
void mcph_server_set_hold_up(struct mcphost_source *source, const char *id,
                             const char *why);
void mcph_server_set_pid(struct mcph_server *server, int64_t pid);
void mcph_server_set_containment(struct mcph_server *server, int containment);
/* Reports that an attempt to start the server failed.  Sets the state, raises a problem,
 * and answers the callers that wait for the next edition.  If MCPHOST_OPT_RETRY is set,
 * sets the timer for the next attempt. */
void mcph_server_unavailable(struct mcph_server *server, mcphost_error *error);
/* Clears the problem `server_error` if server->complained is set. */
void mcph_server_clear_complaint(struct mcph_server *server);
/* Returns the scope (MCPHOST_SCOPE_*) that the spec declares for the instances of the
 * server.  If the spec declares no scope, returns the scope that the source declares.
 * The scope of a stateless server is MCPHOST_SCOPE_EVERYONE. */
static inline int
mcph_server_declared_scope(const struct mcph_server *server, const struct mcph_spec *spec)
{
    if (spec->stateless)
        return MCPHOST_SCOPE_EVERYONE;
    return (int)mcph_realm_choose(&server->source->realm, spec->scope,
                                  MCPHOST_OPT_LEASE_SCOPE);
}
/* Returns the scope in force for a declared scope.  The scope of a server with
 * `keeps_nothing` is MCPHOST_SCOPE_EVERYONE. */
static inline int
mcph_server_scope(const struct mcph_server *server, int declared)
{
    return server->keeps_nothing ? MCPHOST_SCOPE_EVERYONE : declared;
}
/* Returns whether one instance serves all dialogs. */
static inline bool
mcph_server_shares(const struct mcph_server *server, const struct mcph_spec *spec)
{
    int declared = mcph_server_declared_scope(server, spec);

    return mcph_server_scope(server, declared) == MCPHOST_SCOPE_EVERYONE;
}
/* Returns whether two specs start the same process and show the same tools. */
bool mcph_server_same_spec(const struct mcph_spec *a, const struct mcph_spec *b);
/* Sets `keeps_nothing` by the MCP version and the transport of the instance. */
void mcph_server_met(struct mcph_server *server, const struct mcph_instance *inst);
/* Takes the spare from the server.  Returns NULL if there is no usable spare. */
struct mcph_instance *mcph_server_take_spare(struct mcph_server *server);
/* mcph_server_want() makes `spec` the spec with which the configuration wants the server.
 * mcph_server_unwant() discards the spec and the editions of a server that the
 * configuration does not want any more.  Both functions set `dirty` if there is something
 * to publish.  mcph_server_want() sets `start` if a lister must be started. */
void mcph_server_want(struct mcph_server *server, struct mcph_spec *spec);
void mcph_server_unwant(struct mcph_server *server);
/* Starts a lister with the spec `wanted`.  When the lister has listed, the lister's
 * edition replaces the present edition.  If `wanted` equals the present spec, the
 * function restarts the server. */
void mcph_server_launch(struct mcph_server *server);
void mcph_server_stop_lister(struct mcph_server *server);
/* Stops all timers of the server, because the host is closing. */
void mcph_server_close(struct mcph_server *server);
/* These functions make `listing` the server's list of tools.  mcph_server_commit() takes
 * the list of the lister, and begins a new edition.  mcph_server_relisted() takes a list
 * of another instance of the present edition.  `restarted` is set if that instance has
 * not listed before.  Otherwise the instance has sent a notice that its tools changed. */
void mcph_server_commit(struct mcph_server *server, struct mcph_listing *listing);
void mcph_server_relisted(struct mcph_server *server, struct mcph_listing *listing,
                          bool restarted);
/* Discards an edition that was not published.  The server returns to the edition that the
 * published entry `good` shows. */
void mcph_server_revert(struct mcph_server *server, const mcphost_server *good,
                        mcphost_error *error);
/* Marks the server as changed, and publishes its present state soon. */
void mcph_server_schedule(struct mcph_server *server);
/* Sets the timer that closes the spare, unless the spare is leased within
 * MCPHOST_OPT_FIRST_LEASE_WAIT from this call on.  If the option is 0, closes the spare
 * at once.  Keeps the spare without a timer if it may fill the seat that all dialogs
 * share, or while its lists are awaited. */
void mcph_server_time_spare(struct mcph_server *server);
/* Answers all callers that wait for the next edition.  If `why_not` is NULL, the edition
 * is published.  Otherwise `why_not` is the reason why no edition follows. */
void mcph_server_answer(struct mcph_server *server, const char *why_not);
/* Ends each lease of an earlier edition, and each lease whose scope differs from the
 * server's present scope.  The clients of these leases drain.  A lease that a turn keeps
 * does not end, but the own lists of the lease's holder are dropped. */
void mcph_server_retire(struct mcph_server *server);
/* mcph_server_hold() notes that the application or a model has ordered to stop the
 * server.  The server then stays stopped even if its entry enables it.  The function
 * has no effect if the entry has no valid spec.  mcph_server_is_held() returns whether
 * the order still stops the server.  A change of the entry ends the stop.
 * mcph_server_resume() ends the stop and sets `wanted` again.  The caller of
 * mcph_server_resume() must launch the server. */
void mcph_server_hold(struct mcph_server *server);
bool mcph_server_is_held(struct mcph_server *server);
void mcph_server_resume(struct mcph_server *server);
/* Removes a server that is no longer declared.  mcph_server_let_go() frees the server
 * when its last instance is freed and no turn keeps it. */
void mcph_server_remove(struct mcph_server *server);
void mcph_server_let_go(struct mcph_server *server);
extern const struct mcph_pool_ops mcph_report_ops; /* defined in report.c */

/* ---- lists other than the list of tools (more.c) ----------------------------------- */

/* Awaits lists of all kinds but tools from an instance that was just started.  If `inst`
 * is NULL, awaits no lists. */
void mcph_more_await(struct mcph_server *server, const struct mcph_instance *inst);
/* mcph_more_heard() notes that a list of the instance came or failed.  mcph_more_lost()
 * stops waiting for lists of the instance. */
void mcph_more_heard(struct mcph_server *server, const struct mcph_instance *inst,
                     int kind);
void mcph_more_lost(struct mcph_server *server, const struct mcph_instance *inst);
/* Returns whether lists are awaited, or were read and are not published yet. */
static inline bool
mcph_more_is_due(const struct mcph_server *server)
{
    return server->awaits || (server->listing && server->dirty);
}
/* Makes the list in `made` the last good list of its kind.  If `inst` is the lister, the
 * list waits until mcph_more_commit() makes it the last good list.  Returns true if there
 * is something to publish. */
bool mcph_more_listed(struct mcph_server *server, const struct mcph_instance *inst,
                      const struct mcph_made *made);
void mcph_more_forget_next(struct mcph_server *server);
void mcph_more_commit(struct mcph_server *server); /* adopts the lister's lists */
void mcph_more_drop(struct mcph_server *server);
/* Replaces the lists by the listings of the blocks in `good`.  `good` has one element for
 * each kind.  An element may be NULL. */
void mcph_more_restore(struct mcph_server *server, struct mcph_block *const *good);
/* Makes the blocks of all kinds whose present block is out of date.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_more_refresh(struct mcph_server *server);
/* Raises the problem that a list of this kind failed or was cut.  If `error` is NULL,
 * clears the problem, because a complete list came or the server does not offer this
 * list. */
void mcph_more_tell(struct mcph_server *server, int kind, mcphost_error *error);

/* ---- lists that are read in steps (making.c) --------------------------------------- */

/* Reads a list in steps, and reports the result with mcph_report_made().  A short list is
 * usually reported before this function returns.  Otherwise a job reports the list
 * later, unless the instance first ends or sends a newer list of this kind.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_making_begin(struct mcphost_source *source, struct mcph_instance *inst,
                      struct mcph_client_list *list);
void mcph_making_cancel(struct mcphost_source *source, const struct mcph_instance *inst);
void mcph_making_done(struct mcphost_source *source);
void mcph_report_made(struct mcph_instance *inst, const struct mcph_made *made);

/* ---- crashes (crash.c) ------------------------------------------------------------- */

/* Counts a crash.  Call this function when an instance that the server still uses is DEAD
 * and was not stopped. */
void mcph_crash_note(struct mcph_server *server, const struct mcph_instance *inst,
                     const mcphost_error *reason);
/* Notes that an instance of the server has come up, or has answered a call.  If the
 * server has crashed, starts the time after which the row of crashes ends. */
void mcph_crash_sign_of_life(struct mcph_server *server);
/* Ends the row of crashes.  Clears the problems about crashes, and about a client that
 * did not come up. */
void mcph_crash_forget(struct mcph_server *server);
void mcph_crash_calm(struct mcph_timer *timer);

/* ---- blocks (block.c) -------------------------------------------------------------- */

/* Makes the blocks of all servers that are dirty. */
void mcph_blocks_refresh(struct mcphost_source *source);
/* Records in `block` the block's server, source and edition.  Also records the policies
 * in force: the checks of arguments and results, the denied features, and whether a turn
 * keeps a server that is removed.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_sign(struct mcph_server *server, struct mcph_block *block);
/* Makes the block of `listing` with the server's present spec and edition.  *ret gets a
 * reference.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_of(struct mcph_server *server, struct mcph_listing *listing,
                  struct mcph_block **ret, mcphost_error **reterr);

#endif
