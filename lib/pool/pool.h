/* SPDX-License-Identifier: MIT
 *
 * pool.h - interface of lib/pool: instances (one connection to a server each), the seats
 * that they fill, and the leases that hold the seats.  lib/pool decides how instances
 * start, drain, end, and start again.
 *
 *   NEW --slot and delay--> STARTING --handshake--> READY --close--> CLOSING
 *                               \________ down ________/ \___________ | drained
 *                                          v                          v
 *                                        DEAD  <--------- stopped ---'
 *
 * An instance either fills a seat (server x edition of its spec x scope), or it lists
 * tools and waits to fill the first seat.  Leases hold seats.  A dialog that uses a
 * server has its own lease on a seat, unless the declared scope of the server is
 * MCPHOST_SCOPE_EVERYONE.  If all dialogs share a seat, the owner of the pool has a lease
 * on that seat.  A seat ends with its last lease.  An instance that is CLOSING takes no
 * new call.  The instance is stopped when its calls are done or the drain deadline
 * passes.
 *
 * Only the dispatcher may use lib/pool, with a few exceptions.  Under the core's lock,
 * other threads may read the table of leases, set the identity and the guard's path, and
 * import and export verdicts.  Therefore the dispatcher takes this lock to change this
 * data.  Any thread may make and release scopes.  lib/pool must never publish tools, know
 * catalogs, or call user code.  lib/pool reports events to its owner, and the owner does
 * this work.
 */
#ifndef MCPH_POOL_H
#define MCPH_POOL_H

#include "auth/auth.h"
#include "client/client.h"
#include "provide/provide.h"
#include "config/config.h"
#include "loop/loop.h"
#include "proc/proc.h"

#include <mcphost/lease.h>
#include <mcphost/policy.h>

struct mcph_pool;
struct mcph_instance;

/* ---- settings of the owner --------------------------------------------------------- */

#define MCPH_POLICY_UNSET INT64_MIN

/* A set of servers with unique ids, and the settings of all of them.  The pool's owner
 * owns the realm.  The realm must outlive its instances. */
struct mcph_realm {
    struct mcph_pool *pool;
    const char *name; /* prefix of the servers' ids in keys; NULL: no prefix */
    const _Atomic int64_t *options; /* the host's options; see mcph_pool_new() */
    /* The realm's own value of each policy, indexed by MCPHOST_OPT_*.  The value
     * MCPH_POLICY_UNSET means that the host's option applies.  The owner may set values
     * until the owner makes the first instance. */
    int64_t policies[MCPH_OPTIONS];
    struct mcph_vec servers; /* holds struct shared * (see shared.c) */
};

void mcph_realm_init(struct mcph_realm *realm, struct mcph_pool *pool);
/* Returns the realm's own value of a policy.  If the realm has no own value, returns the
 * value of the host's option. */
static inline int64_t
mcph_realm_policy(const struct mcph_realm *realm, int option)
{
    int64_t own = realm->policies[option];

    return own == MCPH_POLICY_UNSET ? realm->options[option] : own;
}
/* Returns `own`, the value in a server's spec.  If `own` is negative (the spec has no
 * value), returns the realm's policy. */
static inline int64_t
mcph_realm_choose(const struct mcph_realm *realm, int64_t own, int option)
{
    return own >= 0 ? own : mcph_realm_policy(realm, option);
}
/* Makes the key of one of the realm's servers, "id" or "name:id".  The caller frees the
 * key.  Returns NULL if memory is short. */
char *mcph_realm_key(const struct mcph_realm *realm, const char *id);
/* Frees everything that the realm holds.  All its instances must have been freed. */
void mcph_realm_done(struct mcph_realm *realm);

/* The functions by which the pool reports to its owner.  Inside each of these functions,
 * the owner may call every function that is declared below.  Errors are borrowed and name
 * the server. */
struct mcph_pool_ops {
    /* Called when the server process runs (pid and containment are known), or when the
     * instance becomes READY, CLOSING or DEAD. */
    void (*state)(struct mcph_instance *inst, mcphost_error *reason, void *arg);
    /* The functions from `listed` to `task` report the events of struct
     * mcph_client_events.  `kind` is one of MCPH_LIST_*. */
    void (*listed)(struct mcph_instance *inst, int kind, struct mcph_client_list *list,
                   mcphost_error *error, void *arg);
    void (*changed)(struct mcph_instance *inst, int kind, void *arg);
    void (*subscribed)(struct mcph_instance *inst, struct mcph_span uri,
                       mcphost_error *error, void *arg);
    void (*updated)(struct mcph_instance *inst, struct mcph_span uri, uint64_t count,
                    void *arg);
    void (*task)(struct mcph_instance *inst, struct mcph_span task, void *arg);
    /* Reports a log message.  `aside` is set if the host has not asked for this message:
     * a call asked for it, or a provider sent it unasked. */
    void (*log)(struct mcph_instance *inst, const char *level, struct mcph_span data,
                bool aside, void *arg);
    void (*stderr_line)(struct mcph_instance *inst, const char *line, void *arg);
    /* `question`, `question_over` and `noise` report events of struct
     * mcph_client_events. */
    void (*question)(struct mcph_instance *inst, struct mcph_client_question *question,
                     void *arg);
    void (*question_over)(struct mcph_instance *inst,
                          struct mcph_client_question *question, const char *why,
                          void *arg);
    void (*noise)(struct mcph_instance *inst, const char *text, void *arg);
    /* Called when the server behaves in a way that a person should know about.  `kind` is
     * one of MCPH_CLIENT_ODD_*. */
    void (*odd)(struct mcph_instance *inst, const char *kind, const char *text,
                void *arg);
    void (*unguarded)(struct mcph_instance *inst, mcphost_error *reason, void *arg);
    /* Called when an instance of this owner was freed.  No report about the instance
     * follows. */
    void (*freed)(void *owner, void *arg);
    /* Called after mcph_pool_close(), when the last process has ended and the last
     * instance is freed. */
    void (*closed)(void *arg);
};

/* Makes a pool.  `options` has the values of the host's options, by MCPHOST_OPT_*.  The
 * values of the options that lib/pool reads must not change once a realm has an instance.
 * `options` and `ops` must outlive the pool.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_pool_new(struct mcph_core *core, const _Atomic int64_t *options,
                  const struct mcph_pool_ops *ops, void *arg, struct mcph_pool **ret);
/* Sets the sink and the ration.  The sink takes messages beyond
 * MCPHOST_OPT_MESSAGE_BYTES.  The ration limits the memory that the messages of all
 * servers use.  The sink and the ration are borrowed.  Call this before any start. */
void mcph_pool_set_limits(struct mcph_pool *pool, struct mcph_sink *sink,
                          struct mcph_ration *ration);
int mcph_pool_set_identity(struct mcph_pool *pool, const char *name, const char *version,
                           const char *title);
/* Adds the identity to `buf` as an MCP object `Implementation`.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_pool_add_identity(const struct mcph_pool *pool, struct mcph_buf *buf);
int mcph_pool_set_guard_path(struct mcph_pool *pool, const char *path);
/* Sets the environment that servers inherit, and takes ownership of `env`.  If `env` is
 * NULL, servers inherit the process's environment as it is at each start. */
void mcph_pool_set_environment(struct mcph_pool *pool, struct mcph_env *env);
/* Sets one variable for later starts and for {env: NAME}.  The variable overrides the
 * inherited environment.  If `value` is NULL, the variable is hidden instead.  Returns 0,
 * MCPHOST_E_INVALID if `name` cannot be the name of a variable, MCPHOST_E_LIMIT or
 * MCPHOST_E_NOMEM. */
int mcph_pool_set_variable(struct mcph_pool *pool, const char *name, const char *value);
/* Reads a variable as {env: NAME} reads it.  *ret_value gets a copy of the variable's
 * value, or NULL if the variable is not set.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_pool_get_variable(const struct mcph_pool *pool, const char *name,
                           char **ret_value);
/* Returns true if `name` has the form of a variable's name, [A-Za-z_][A-Za-z0-9_]*. */
bool mcph_pool_is_variable(const char *name);

/* These functions set the HTTP engine and the keeper of credentials, for servers at URLs.
 * The engine and the keeper are borrowed.  They must exist until the pool is freed or has
 * reported `closed`. */
void mcph_pool_set_net(struct mcph_pool *pool, struct mcph_net *net);
void mcph_pool_set_keeper(struct mcph_pool *pool, struct mcph_keeper *keeper);
/* Calls mcph_keeper_revoke() with the settings of the spec and the values that its
 * variables have now.  logout->url is ignored.  If the settings cannot be made, calls
 * mcph_logout_tell() with the error instead. */
void mcph_pool_revoke(struct mcph_pool *pool, struct mcph_spec *spec,
                      const struct mcph_logout *logout);

/* Drops the cached answers of all servers with the launch hash of this spec. */
void mcph_pool_forget(struct mcph_pool *pool, const struct mcph_spec *spec);

/* Ends all instances.  `closed` is called when no instance is left, possibly before this
 * function returns.  mcph_client_stop() ends the calls in flight. */
void mcph_pool_close(struct mcph_pool *pool);
/* Kills the processes of all instances.  `closed` is still called when the last instance
 * of a closing pool is freed. */
void mcph_pool_kill(struct mcph_pool *pool);
/* Prevents all later starts and any later call of `closed`.  `pool` may be NULL. */
void mcph_pool_halt(struct mcph_pool *pool);
/* Kills all processes, waits for them at most `wait_ms` in all, and frees the pool.  No
 * function of the owner is called.  A forked child must not call this.  `pool` may be
 * NULL. */
void mcph_pool_free(struct mcph_pool *pool, int64_t wait_ms);

/* Notifies each server that can ask for the roots: the roots have changed. */
void mcph_pool_roots_changed(struct mcph_pool *pool);

/* Applies the spec's limit on calls in flight to all instances of the server with the
 * spec's id.  Returns 0 or MCPHOST_E_NOMEM.  On failure, changes nothing. */
int mcph_realm_limit_calls(struct mcph_realm *realm, const struct mcph_spec *spec);
/* Asks all instances of the server with the spec's id, except a provider's, for log
 * messages of the level that the spec, the realm's policy and the instance's scope ask
 * for. */
void mcph_realm_ask_messages(struct mcph_realm *realm, const struct mcph_spec *spec);

/* Returns the mask that hides a server's secrets in its texts, or NULL if the server has
 * no mask.  The mask is borrowed.  Only the dispatcher may call this.  The mask is
 * dropped when the server is no longer declared and its last instance is freed. */
struct mcph_mask *mcph_realm_get_mask(const struct mcph_realm *realm, const char *id);
/* Ends the questions for credentials of a server that is disabled or removed. */
void mcph_realm_abandon_server(const struct mcph_realm *realm, const char *id);
/* Drops the realm's references to the mask and the ration of a server that was
 * removed. */
void mcph_realm_drop_server(struct mcph_realm *realm, const char *id);

/* Returns true if at least one instance of this owner is not freed yet. */
bool mcph_pool_owns(const struct mcph_pool *pool, const void *owner);

/* ---- instances (instance.c, start.c) ----------------------------------------------- */

struct mcph_instance {
    struct mcph_list link; /* in pool->instances */
    struct mcph_pool *pool;
    struct mcph_realm *realm;
    struct mcph_spec *spec;     /* a reference */
    void *owner;                /* the owner's argument to mcph_instance_new() */
    struct mcph_seat *seat;     /* borrowed; NULL for a lister, or if the seat has
                                 * ended */
    struct mcph_scope *scope;   /* a reference to the scope that the instance works
                                 * for, even after the seat has ended; NULL for
                                 * everyone, or for a lister */
    struct mcph_client *client; /* NULL once the state is DEAD */
    mcphost_provider *provider; /* a reference; only for a server in this process */
    bool owns_provider;         /* the instance made the provider and ends it */
    int state;                  /* MCPHOST_INSTANCE_*; 0 means NEW */
    pid_t pid;                  /* 0 while the pid is unknown */
    int containment;            /* the process's containment, MCPHOST_CONTAINMENT_* */
    int64_t started;            /* when the start began */
    int64_t latest_due;         /* the latest deadline of its calls; INT64_MAX if one
                                 * of its calls has no deadline */
    size_t n_calls;             /* number of calls that have not ended */
    bool came_up;               /* the instance was READY at least once */
    bool has_listed;  /* the instance has listed its tools at least once; set by the
                       * owner */
    bool asked_aside; /* set by the owner when a call has asked for log
                                 * messages */

    /* The members below are private to the pool. */
    struct mcph_inside *inside;             /* the provider's end of the connection, or
                                             * NULL */
    struct mcph_net_auth *auth;             /* credentials from the keeper, or NULL */
    struct mcph_mask *mask;                 /* a reference to the server's mask */
    struct mcph_ration *ration;             /* a reference to the server's ration */
    unsigned char who[MCPH_DIGEST_LEN];     /* digest of the texts that identify the
                                             * caller, made at start (cache.c) */
    struct mcph_transport *transport, *old; /* `old` is the transport before a restart */
    mcphost_error *undiagnosed;  /* the reason why the client went down; NULL unless
                                  * test requests look for the cause */
    unsigned n_transports;       /* number of transports that have not ended */
    struct mcph_list queue_link; /* in the pool's queue for a slot */
    bool has_slot, lists;
    struct mcph_timer delay, drain;
    struct mcph_job settle; /* does work that is not allowed inside an event */
    bool settling;
};

enum { MCPH_INSTANCE_LISTING, MCPH_INSTANCE_PLAIN };

/* Makes an instance, and starts it as soon as a slot is free, but not before
 * `not_before`.  `not_before` is a time of mcph_core_now(), or 0.  A LISTING instance
 * gets the lists of all kinds (MCPH_LIST_*) when it is READY.  `state` reports a start
 * that fails, but never before this function returns.  Returns 0, MCPHOST_E_CLOSED (the
 * pool is closing and starts nothing), or MCPHOST_E_NOMEM. */
int mcph_instance_new(struct mcph_realm *realm, struct mcph_spec *spec, int kind,
                      int64_t not_before, void *owner, struct mcph_instance **ret);
/* Closes the instance.  The instance becomes CLOSING, and DEAD when its calls are done or
 * the drain deadline passes.  It becomes DEAD at once if `now` is set, if the drain
 * timeout is 0, or if the instance is not READY and no call waits for it.  Does nothing
 * for an instance that is DEAD or, unless `now` is set, CLOSING. */
void mcph_instance_close(struct mcph_instance *inst, bool now);
static inline bool
mcph_instance_usable(const struct mcph_instance *inst)
{
    return inst->state != MCPHOST_INSTANCE_CLOSING &&
           inst->state != MCPHOST_INSTANCE_DEAD;
}
/* These functions count the calls of the instance.  If you use mcph_operation_start(),
 * call mcph_instance_call_began() when a call begins, and mcph_instance_call_ended()
 * when the call has ended.  `due` is the deadline of the call. */
void mcph_instance_call_began(struct mcph_instance *inst, int64_t due);
void mcph_instance_call_ended(struct mcph_instance *inst);

/* ---- scopes (scope.c) -------------------------------------------------------------- */

/* The dialog, agent or workspace that an instance works for.  A NULL scope means
 * everyone.  A dialog's scope belongs to that dialog alone, whatever its key is, because
 * ids of closed dialogs are used again.  For the other kinds, equal keys mean the same
 * scope.  Only `messages` changes. */
struct mcph_scope {
    struct mcph_refs refs;
    int kind;     /* MCPHOST_SCOPE_*, never MCPHOST_SCOPE_EVERYONE */
    int messages; /* MCPHOST_MESSAGES_*, the level that the scope wants in addition to
                   * the configured level; only the dispatcher uses this member */
    char key[];
};

struct mcph_scope *mcph_scope_new(int kind, const char *key); /* NULL if out of memory */
struct mcph_scope *mcph_scope_ref(struct mcph_scope *scope);
struct mcph_scope *mcph_scope_unref(struct mcph_scope *scope); /* always returns NULL */
bool mcph_scope_same(const struct mcph_scope *a, const struct mcph_scope *b);
int mcph_scope_kind(const struct mcph_scope *scope);
/* Sets the lowest level of log messages that the scope wants (MCPHOST_MESSAGES_*).  Asks
 * the scope's legacy servers for this level, unless the spec names a level or the policy
 * asks for a lower level. */
void mcph_scope_ask_messages(struct mcph_pool *pool, struct mcph_scope *scope, int level);
/* Returns the id of the dialog if the instance works for one dialog only, else NULL. */
const char *mcph_instance_dialog(const struct mcph_instance *inst);

/* ---- seats and leases (lease.c) ---------------------------------------------------- */

/* The seat on which a lease is wanted.  All pointers are borrowed. */
struct mcph_claim {
    struct mcph_realm *realm;
    struct mcph_spec *spec;
    void *owner;      /* the owner of the instances that fill the seat */
    unsigned edition; /* the owner's number for the edition of the spec */
    int policy;       /* MCPHOST_SCOPE_* of the policy; `scope` may be narrower */
    struct mcph_scope *scope;
};

/* A place for one instance.  A seat is made for its first lease and ends with its last
 * lease. */
struct mcph_seat {
    struct mcph_list link;   /* in pool->seats */
    struct mcph_list leases; /* mcphost_lease.seat_link, oldest first */
    struct mcph_pool *pool;
    struct mcph_realm *realm;
    struct mcph_spec *spec;   /* a reference */
    struct mcph_scope *scope; /* a reference; NULL means everyone */
    void *owner;
    unsigned edition;
    int policy;
    struct mcph_instance *instance; /* NULL before mcph_seat_fill(); NULL again after an
                                     * instance has died, until the next call */
    int64_t last_start, delay;      /* the next start waits until last_start + delay */
    int64_t idle_since;             /* when the seat's last call ended, or the seat was
                                     * made */
    atomic_int pid, state;          /* pid and state of the instance; other threads
                                     * read both for status */
    atomic_size_t in_flight;
};

/* A hold on a seat.  The holder is a dialog.  If `holder` is NULL, the owner of the pool
 * holds the lease.  The table of leases has one reference.  Handles of the application
 * have other references. */
struct mcphost_lease {
    struct mcph_refs refs;
    struct mcph_core *core;   /* a reference */
    struct mcph_list link;    /* in the table of leases; changed under the lock */
    bool listed;              /* `link` is in the table of leases; changed under the
                               * lock */
    char *source, *server;    /* `source` is the realm's name, or NULL */
    char *dialog;             /* the dialog's id; NULL if the owner holds the lease */
    struct mcph_scope *scope; /* a reference to the seat's scope */
    int64_t since;            /* when the lease was made (realtime in ms) */
    void *host;               /* the host that owns the pool; the pool never looks into
                               * the host */
    void *holder;             /* the dialog, which the pool never looks into; NULL if the
                               * owner holds the lease */
    struct mcph_job release_job;
    atomic_bool releasing;

    /* The members below belong to the dispatcher. */
    struct mcph_seat *seat; /* NULL after the lease has ended; changed under the lock */
    int64_t used;           /* when the holder's last call began, or the lease was made */
    bool reminded;          /* the reminder of this lease was emitted, and not
                             * withdrawn yet */
    struct mcph_list seat_link;
    struct mcph_list holder_link; /* in the owner's list of this holder's leases */
};

/* Finds the seat of a claim.  Returns NULL if there is no seat.  Also returns NULL for a
 * claim with a dialog's scope, because two leases never share the seat of a dialog's
 * scope. */
struct mcph_seat *mcph_seat_find(struct mcph_pool *pool, const struct mcph_claim *claim);
/* Takes a lease on the seat of a claim.  Makes the seat if mcph_seat_find() finds no
 * seat.  A new seat has no instance.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_lease_new(const struct mcph_claim *claim, const char *dialog, void *holder,
                   mcphost_lease **ret);
/* Fills the seat with `spare`, an unused instance that is starting or READY.  If `spare`
 * is NULL, the seat gets a new instance of `kind` (MCPH_INSTANCE_*).  The start of the
 * new instance is delayed if earlier instances of the seat died soon after their start.
 * Returns 0, MCPHOST_E_CLOSED or MCPHOST_E_NOMEM. */
int mcph_seat_fill(struct mcph_seat *seat, struct mcph_instance *spare, int kind);
/* Returns true if `lease` is the only lease on its seat. */
bool mcph_lease_is_last(const mcphost_lease *lease);
/* Takes the lease out of the table of leases, and drops the table's reference.  The end
 * of a seat's last lease closes the seat's instance.  If `now` is set, the instance does
 * not drain. */
void mcph_lease_end(mcphost_lease *lease, bool now);
void mcph_lease_put(mcphost_lease *lease); /* drops a reference; `lease` may be NULL */
/* Returns the table of leases, oldest first.  Threads other than the dispatcher's must
 * hold the core's lock. */
struct mcph_list *mcph_pool_leases(struct mcph_pool *pool);

/* ---- verdicts (verdict.c) ------------------------------------------------------------
 * A verdict says which era a server speaks.  It is learnt at READY, kept by launch hash,
 * and used at the next start.  The application may store verdicts.  In exported verdicts,
 * an HMAC with the application's salt replaces the launch hash. */

int mcph_pool_verdicts_import(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_span json, int64_t now_realtime_ms);
int mcph_pool_verdicts_export(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_buf *buf);

#endif
