/* SPDX-License-Identifier: MIT
 *
 * pool.h - the room `pool`: instances (one connection to a server each), the seats that
 * they fill, and the leases that hold the seats.  How instances start, drain, end, and
 * start again.
 *
 *   NEW --slot and delay--> STARTING --handshake--> READY --close--> CLOSING
 *                               \________ down ________/ \___________ | drained
 *                                          v                          v
 *                                        DEAD  <--------- stopped ---'
 *
 * An instance either fills a seat (server x edition x scope), or it lists tools and waits
 * to fill the first seat.  Leases hold seats: a dialog has a lease of its own, and the
 * owner has one on a seat that is everyone's.  A seat ends with its last lease.  An
 * instance that is CLOSING takes no new call.  It is stopped when its calls are done or
 * the drain deadline passes.
 *
 * Everything belongs to the thread that dispatches, except the table of leases: it is
 * changed under the core's lock, so that other threads may read it.  This room must never
 * publish tools, know catalogs, or call user code: it reports to its owner.
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

/* ---- what the owner sets ----------------------------------------------------------- */

#define MCPH_POLICY_UNSET INT64_MIN

/* A set of servers whose ids are unique in it, and settings that hold for all of them.
 * It belongs to the owner, and outlives its instances. */
struct mcph_realm {
    struct mcph_pool *pool;
    const char *name; /* in front of its servers' ids in keys; NULL: nothing */
    const _Atomic int64_t *options; /* the host's; see mcph_pool_new() */
    /* The source's own values of policies, by MCPHOST_OPT_*, or MCPH_POLICY_UNSET.  The
     * owner may set them until it makes the first instance. */
    int64_t policies[MCPH_OPTIONS];
    struct mcph_vec servers; /* shared.c: what their instances share */
};

void mcph_realm_init(struct mcph_realm *realm, struct mcph_pool *pool);
/* The realm's own value of a policy, or else the value of the host's option. */
static inline int64_t
mcph_realm_policy(const struct mcph_realm *realm, int option)
{
    int64_t own = realm->policies[option];

    return own == MCPH_POLICY_UNSET ? realm->options[option] : own;
}
/* `own`: the value in a server's spec, which wins; -1: the spec has none. */
static inline int64_t
mcph_realm_choose(const struct mcph_realm *realm, int64_t own, int option)
{
    return own >= 0 ? own : mcph_realm_policy(realm, option);
}
/* The key of one of its servers, "id" or "name:id"; NULL: no memory. */
char *mcph_realm_key(const struct mcph_realm *realm, const char *id);
/* Frees what the realm holds.  No instance of it may be left. */
void mcph_realm_done(struct mcph_realm *realm);

/* What the pool reports of its instances.  From each of these functions the owner may
 * call every function below.  Errors are borrowed and name the server. */
struct mcph_pool_ops {
    /* The server process runs (pid and containment are known), or the instance is READY,
     * CLOSING or DEAD. */
    void (*state)(struct mcph_instance *inst, mcphost_error *reason, void *arg);
    /* As in client/client.h; `kind` is one of MCPH_LIST_*. */
    void (*listed)(struct mcph_instance *inst, int kind, struct mcph_client_list *list,
                   mcphost_error *error, void *arg);
    void (*changed)(struct mcph_instance *inst, int kind, void *arg);
    void (*subscribed)(struct mcph_instance *inst, struct mcph_span uri,
                       mcphost_error *error, void *arg);
    void (*updated)(struct mcph_instance *inst, struct mcph_span uri, uint64_t count,
                    void *arg);
    void (*task)(struct mcph_instance *inst, struct mcph_span task, void *arg);
    /* `aside`: a call has asked for this message, but the host has not. */
    void (*log)(struct mcph_instance *inst, const char *level, struct mcph_span data,
                bool aside, void *arg);
    void (*stderr_line)(struct mcph_instance *inst, const char *line, void *arg);
    /* As in client/client.h. */
    void (*question)(struct mcph_instance *inst, struct mcph_client_question *question,
                     void *arg);
    void (*question_over)(struct mcph_instance *inst,
                          struct mcph_client_question *question, const char *why,
                          void *arg);
    void (*noise)(struct mcph_instance *inst, const char *text, void *arg);
    /* Likewise: MCPH_CLIENT_ODD_*. */
    void (*odd)(struct mcph_instance *inst, const char *kind, const char *text,
                void *arg);
    void (*unguarded)(struct mcph_instance *inst, mcphost_error *reason, void *arg);
    /* An instance of this owner is freed, and reports nothing any more. */
    void (*freed)(void *owner, void *arg);
    /* After mcph_pool_close(): the last process has ended, and the last instance is
     * freed. */
    void (*closed)(void *arg);
};

/* `options`: the values of the host's options, by MCPHOST_OPT_*.  They must not change
 * once a realm has an instance.  `options` and `ops` must outlive the pool.  0,
 * MCPHOST_E_NOMEM. */
int mcph_pool_new(struct mcph_core *core, const _Atomic int64_t *options,
                  const struct mcph_pool_ops *ops, void *arg, struct mcph_pool **ret);
/* `sink` takes messages beyond MCPHOST_OPT_MESSAGE_BYTES; `ration` limits what is held of
 * the messages of all servers.  Both are borrowed.  Call it before any start. */
void mcph_pool_set_limits(struct mcph_pool *pool, struct mcph_sink *sink,
                          struct mcph_ration *ration);
int mcph_pool_set_identity(struct mcph_pool *pool, const char *name, const char *version,
                           const char *title);
/* Adds the identity as an object Implementation of MCP.  0, MCPHOST_E_NOMEM. */
int mcph_pool_add_identity(const struct mcph_pool *pool, struct mcph_buf *buf);
int mcph_pool_set_guard_path(struct mcph_pool *pool, const char *path);
/* Sets the environment that servers inherit, and takes it over.  NULL: the process's
 * environment as it is at each start. */
void mcph_pool_set_environment(struct mcph_pool *pool, struct mcph_env *env);
/* Sets one variable over that environment, for later starts and for {env: NAME}; `value`
 * NULL: hides the variable from them.  0, MCPHOST_E_INVALID (this cannot be the name of a
 * variable), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_pool_set_variable(struct mcph_pool *pool, const char *name, const char *value);
/* *ret_value gets a copy, or NULL if the variable is not set.  0, MCPHOST_E_NOMEM. */
int mcph_pool_get_variable(const struct mcph_pool *pool, const char *name,
                           char **ret_value);
bool mcph_pool_is_variable(const char *name); /* [A-Za-z_][A-Za-z0-9_]* */

/* Set what servers at URLs need: the HTTP engine, and the keeper of their credentials.
 * Both are borrowed, and outlive the pool or its event `closed`. */
void mcph_pool_set_net(struct mcph_pool *pool, struct mcph_net *net);
void mcph_pool_set_keeper(struct mcph_pool *pool, struct mcph_keeper *keeper);

/* Drops the answers of this server that were kept for use again. */
void mcph_pool_forget(struct mcph_pool *pool, const struct mcph_spec *spec);

/* Ends all instances.  `closed` comes when nothing is left, possibly before this returns.
 * Calls in flight end by mcph_client_stop(). */
void mcph_pool_close(struct mcph_pool *pool);
/* Kills the processes that are still ending; `closed` comes as without this call. */
void mcph_pool_kill(struct mcph_pool *pool);
/* From now on nothing is started, and `closed` does not come.  NULL is allowed. */
void mcph_pool_halt(struct mcph_pool *pool);
/* Kills all processes, waits for them at most `wait_ms` in all, and frees the pool.  No
 * event comes.  Not allowed in a forked child.  NULL is allowed. */
void mcph_pool_free(struct mcph_pool *pool, int64_t wait_ms);

/* Tells the servers that may ask for the roots that the roots have changed. */
void mcph_pool_roots_changed(struct mcph_pool *pool);

/* Applies the spec's limit on calls in flight to all instances of servers with its id.
 * 0, MCPHOST_E_NOMEM (nothing has changed). */
int mcph_realm_limit_calls(struct mcph_realm *realm, const struct mcph_spec *spec);
/* Likewise, applies the spec's level of log messages. */
void mcph_realm_ask_messages(struct mcph_realm *realm, const struct mcph_spec *spec);

/* The mask that hides secrets in what the server writes; borrowed.  NULL: there is none.
 * From dispatch.  The mask is dropped when the server is no longer declared and its last
 * instance is freed. */
struct mcph_mask *mcph_realm_get_mask(const struct mcph_realm *realm, const char *id);
/* Drops the mask and the ration of a server that was removed. */
void mcph_realm_drop_server(struct mcph_realm *realm, const char *id);

/* Whether an instance of this owner is not freed yet. */
bool mcph_pool_owns(const struct mcph_pool *pool, const void *owner);

/* ---- instances (instance.c, start.c) ----------------------------------------------- */

struct mcph_instance {
    struct mcph_list link; /* in the pool */
    struct mcph_pool *pool;
    struct mcph_realm *realm;
    struct mcph_spec *spec;     /* a reference */
    void *owner;                /* given by the owner when it was made */
    struct mcph_seat *seat;     /* borrowed; NULL: it lists, or the seat has ended */
    struct mcph_scope *scope;   /* a reference: for whom it works, also when the seat
                                 * has ended; NULL: for everyone, or it lists */
    struct mcph_client *client; /* NULL once DEAD */
    mcphost_provider *provider; /* a reference: of a server in process; else NULL */
    bool owns_provider;         /* it has made the provider, and ends it */
    int state;                  /* MCPHOST_INSTANCE_*; 0: NEW */
    pid_t pid;                  /* 0 while unknown */
    int containment;            /* of its process; MCPHOST_CONTAINMENT_* */
    int64_t started;            /* when the start began */
    int64_t latest_due;         /* the last deadline of its calls; INT64_MAX: one has
                                 * none */
    size_t n_calls;             /* calls that began and have not ended */
    bool came_up;               /* it was READY once */
    bool has_listed;            /* the owner's: it has listed its tools once */
    bool asked_aside;           /* the owner's: a call has asked for log messages that
                                 * the host has not asked for */

    /* the pool's own */
    struct mcph_inside *inside;             /* the provider's end of the connection, or
                                             * NULL */
    struct mcph_net_auth *auth;             /* from the keeper of credentials, or NULL */
    struct mcph_mask *mask;                 /* a reference to the server's */
    struct mcph_ration *ration;             /* likewise */
    unsigned char who[MCPH_DIGEST_LEN];     /* digest of what the server got at start */
    struct mcph_transport *transport, *old; /* `old`: the one before a restart */
    mcphost_error *undiagnosed;  /* the reason, while test requests are sent; or NULL */
    unsigned n_transports;       /* transports that are not gone yet */
    struct mcph_list queue_link; /* while it waits for a slot */
    bool has_slot, lists;
    struct mcph_timer delay, drain;
    struct mcph_job settle; /* does what an event must not do */
    bool settling;
};

enum { MCPH_INSTANCE_LISTING, MCPH_INSTANCE_PLAIN };

/* Makes an instance, and starts it as soon as a slot is free, but not before `not_before`
 * (mcph_core_now(); 0: at once).  A LISTING instance lists its tools when it is READY.  A
 * start that fails is reported by `state`, never from this call.  0, MCPHOST_E_CLOSED
 * (the pool is closing and starts nothing any more), MCPHOST_E_NOMEM. */
int mcph_instance_new(struct mcph_realm *realm, struct mcph_spec *spec, int kind,
                      int64_t not_before, void *owner, struct mcph_instance **ret);
/* Closes the instance: it is CLOSING, and DEAD when its calls are done.  `now`: it is
 * DEAD at once.  Idempotent. */
void mcph_instance_close(struct mcph_instance *inst, bool now);
static inline bool
mcph_instance_usable(const struct mcph_instance *inst)
{
    return inst->state != MCPHOST_INSTANCE_CLOSING &&
           inst->state != MCPHOST_INSTANCE_DEAD;
}
/* The caller of mcph_operation_start() reports that a call began, which may last until
 * `due`, or that a call ended. */
void mcph_instance_call_began(struct mcph_instance *inst, int64_t due);
void mcph_instance_call_ended(struct mcph_instance *inst);

/* ---- scopes (scope.c): for whom an instance works ---------------------------------- */

/* NULL means everyone.  A dialog's scope belongs to that dialog alone, whatever its key
 * is, because ids of closed dialogs are used again.  For the other kinds, equal keys mean
 * the same scope.  Only `messages` changes. */
struct mcph_scope {
    struct mcph_refs refs;
    int kind;     /* MCPHOST_SCOPE_*, not EVERYONE */
    int messages; /* the dispatcher's: MCPHOST_MESSAGES_* that is wanted besides the
                   * level of the configuration */
    char key[];
};

struct mcph_scope *mcph_scope_new(int kind, const char *key); /* NULL: no memory */
struct mcph_scope *mcph_scope_ref(struct mcph_scope *scope);
struct mcph_scope *mcph_scope_unref(struct mcph_scope *scope); /* returns NULL */
bool mcph_scope_same(const struct mcph_scope *a, const struct mcph_scope *b);
int mcph_scope_kind(const struct mcph_scope *scope);
/* Asks the instances that work for this scope alone for log messages from `level` on
 * (MCPHOST_MESSAGES_*), unless the configuration asks for more. */
void mcph_scope_ask_messages(struct mcph_pool *pool, struct mcph_scope *scope, int level);
/* The id of the dialog that the instance works for alone, or NULL. */
const char *mcph_instance_dialog(const struct mcph_instance *inst);

/* ---- seats and leases (lease.c) ---------------------------------------------------- */

/* What a lease is to be taken on; all borrowed. */
struct mcph_claim {
    struct mcph_realm *realm;
    struct mcph_spec *spec;
    void *owner;      /* the owner of the instances that fill the seat */
    unsigned edition; /* the owner's number of it */
    int policy;       /* MCPHOST_SCOPE_* that was asked for; `scope` may be narrower */
    struct mcph_scope *scope;
};

/* A place for one instance.  It is made with its first lease and ends with its last. */
struct mcph_seat {
    struct mcph_list link;   /* in the pool */
    struct mcph_list leases; /* mcphost_lease.seat_link, oldest first */
    struct mcph_pool *pool;
    struct mcph_realm *realm;
    struct mcph_spec *spec;   /* a reference */
    struct mcph_scope *scope; /* likewise */
    void *owner;
    unsigned edition;
    int policy;
    struct mcph_instance *instance; /* NULL after a death, until the next call */
    int64_t last_start, delay;      /* the next start waits until last_start + delay */
    int64_t idle_since;             /* when its last call ended, or it was made */
    atomic_int pid, state;          /* of the instance, for status */
    atomic_size_t in_flight;
};

/* A hold on a seat.  The holder is a dialog or, with `holder` NULL, the owner of the
 * pool.  The table has one reference, and handles of the application have others. */
struct mcphost_lease {
    struct mcph_refs refs;
    struct mcph_core *core;   /* a reference */
    struct mcph_list link;    /* in the table; changed under the lock */
    bool listed;              /* likewise */
    char *source, *server;    /* source: the realm's name, or NULL */
    char *dialog;             /* the dialog's id; NULL: the owner holds it */
    struct mcph_scope *scope; /* a reference: the seat's */
    int64_t since;            /* realtime */
    void *host;               /* the owner of the pool, for handles */
    void *holder;             /* the dialog, which this room does not know; NULL: the
                               * owner */
    struct mcph_job release_job;
    atomic_bool releasing;

    /* the dispatcher's */
    struct mcph_seat *seat; /* NULL once released; changed under the lock */
    int64_t used;           /* when the holder's last call began, or the lease was made */
    bool reminded;          /* the owner's: the reminder was given */
    struct mcph_list seat_link;
    struct mcph_list holder_link; /* in the owner's list of this holder's leases */
};

/* The seat of a claim, or NULL.  No two leases share the seat of a dialog's own scope, so
 * for such a claim there is none. */
struct mcph_seat *mcph_seat_find(struct mcph_pool *pool, const struct mcph_claim *claim);
/* Takes a lease on the seat of a claim, and makes the seat if there is none.  A new seat
 * has no instance.  0, MCPHOST_E_NOMEM. */
int mcph_lease_new(const struct mcph_claim *claim, const char *dialog, void *holder,
                   mcphost_lease **ret);
/* Fills the seat with `spare`, which is starting or READY and was never used.  `spare`
 * NULL: with a new instance of this kind, which starts later if the last ones died young.
 * 0, MCPHOST_E_CLOSED, MCPHOST_E_NOMEM. */
int mcph_seat_fill(struct mcph_seat *seat, struct mcph_instance *spare, int kind);
/* Whether this is the only lease on its seat. */
bool mcph_lease_is_last(const mcphost_lease *lease);
/* Takes the lease out of the table, and drops the table's reference.  The last lease of a
 * seat closes the instance; `now`: without draining. */
void mcph_lease_end(mcphost_lease *lease, bool now);
void mcph_lease_put(mcphost_lease *lease); /* drops a reference; NULL is fine */
/* The table of leases, oldest first; under the core's lock. */
struct mcph_list *mcph_pool_leases(struct mcph_pool *pool);

/* ---- verdicts (verdict.c) ------------------------------------------------------------
 * A verdict says which era a server speaks.  It is learnt at READY, kept by launch hash,
 * and used at the next start.  The application may store verdicts, and these are keyed
 * (HMAC) with the application's salt. */

int mcph_pool_verdicts_import(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_span json, int64_t now_realtime_ms);
int mcph_pool_verdicts_export(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_buf *buf);

#endif
