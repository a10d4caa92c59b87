/* SPDX-License-Identifier: MIT
 *
 * pool.h - the room `pool`: instances (one connection to a server each), the seats that
 * they fill, the leases that hold the seats; how instances start, drain, end, and start
 * again.
 *
 *   NEW --slot and delay--> STARTING --handshake--> READY --close--> CLOSING
 *                               \________ down ________/ \___________ | drained
 *                                          v                          v
 *                                        DEAD  <--------- stopped ---'
 *
 * An instance either fills a seat (server x edition x scope), or lists tools and waits
 * to fill the first one.  Leases hold seats: a dialog's lease for the dialog, and one of
 * the owner's for a seat that is everyone's.  A seat ends with its last lease.  An
 * instance that is CLOSING takes no new call and is stopped when its calls are done
 * or the drain deadline passes.
 *
 * Everything belongs to the thread that dispatches, except the lease table,
 * which is changed under the core's lock so that others may look at it.  This
 * room must never publish tools, know catalogs, or call user code: it tells its
 * owner what happened.
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

/* The servers of one source.  Belongs to the owner and outlives its instances. */
struct mcph_realm {
    struct mcph_pool *pool;
    const char *name; /* before the ids of its servers in keys; NULL: nothing */
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
/* When no instance of it is left. */
void mcph_realm_done(struct mcph_realm *realm);

/* What happened to an instance.  From any of these the owner may call every
 * function below.  Errors are borrowed and name the server. */
struct mcph_pool_ops {
    /* Its server process runs (pid, containment), it is READY, or it is DEAD. */
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
    /* `aside`: the host has not asked for it. */
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
    /* An instance of this owner is freed: nothing of it comes any more. */
    void (*freed)(void *owner, void *arg);
    /* The last process and the last instance are gone after mcph_pool_close(). */
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
/* Adds it as MCP's Implementation.  0, MCPHOST_E_NOMEM. */
int mcph_pool_add_identity(const struct mcph_pool *pool, struct mcph_buf *buf);
int mcph_pool_set_guard_path(struct mcph_pool *pool, const char *path);
/* What servers inherit; NULL: the process's environment as it is at each start.
 * Takes the environment over. */
void mcph_pool_set_environment(struct mcph_pool *pool, struct mcph_env *env);
/* Over either: one variable that later starts and {env: NAME} see (NULL: do not see).
 * 0, MCPHOST_E_INVALID (no such name can be), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_pool_set_variable(struct mcph_pool *pool, const char *name, const char *value);
/* A copy, or NULL where it is not set.  0, MCPHOST_E_NOMEM. */
int mcph_pool_get_variable(const struct mcph_pool *pool, const char *name,
                           char **ret_value);
bool mcph_pool_is_variable(const char *name); /* [A-Za-z_][A-Za-z0-9_]* */

/* For servers at URLs: the HTTP engine, and the keeper of their credentials.  Borrowed;
 * both outlive the pool, or its event `closed`. */
void mcph_pool_set_net(struct mcph_pool *pool, struct mcph_net *net);
void mcph_pool_set_keeper(struct mcph_pool *pool, struct mcph_keeper *keeper);

/* What was kept of this server's answers is not used any more. */
void mcph_pool_forget(struct mcph_pool *pool, const struct mcph_spec *spec);

/* Ends all instances: closed comes when nothing is left, from this call at the
 * earliest.  Calls in flight get their answers from mcph_client_stop(). */
void mcph_pool_close(struct mcph_pool *pool);
/* Kills what is still ending; closed comes as ever. */
void mcph_pool_kill(struct mcph_pool *pool);
/* Nothing is started any more, and closed does not come.  NULL is fine. */
void mcph_pool_halt(struct mcph_pool *pool);
/* Kills what lives and frees; at most `wait_ms` in all.  No event comes.  Not in a
 * forked child.  NULL is fine. */
void mcph_pool_free(struct mcph_pool *pool, int64_t wait_ms);

/* Servers that may ask for the roots are told that those have changed. */
void mcph_pool_roots_changed(struct mcph_pool *pool);

/* What the spec says of calls in flight holds from now on for all instances of servers
 * with its id.  0, MCPHOST_E_NOMEM (nothing has changed). */
int mcph_realm_limit_calls(struct mcph_realm *realm, const struct mcph_spec *spec);
/* The same for what it says of log messages. */
void mcph_realm_ask_messages(struct mcph_realm *realm, const struct mcph_spec *spec);

/* What is not to be shown of what the server writes, or NULL; borrowed.  From dispatch.
 * Dropped when the server is no longer declared and its last instance is freed. */
struct mcph_mask *mcph_realm_get_mask(const struct mcph_realm *realm, const char *id);
/* The server was removed. */
void mcph_realm_drop_server(struct mcph_realm *realm, const char *id);

/* Whether an instance of this owner is not freed yet. */
bool mcph_pool_owns(const struct mcph_pool *pool, const void *owner);

/* ---- instances (instance.c, start.c) ----------------------------------------------- */

struct mcph_instance {
    struct mcph_list link; /* in the pool */
    struct mcph_pool *pool;
    struct mcph_realm *realm;
    struct mcph_spec *spec;     /* a reference */
    void *owner;                /* the owner's; NULL at first */
    struct mcph_seat *seat;     /* borrowed; NULL: listing, or the seat has ended */
    struct mcph_scope *scope;   /* a reference: whose it is, also when the seat has
                                  * ended; NULL: everyone's, or listing */
    struct mcph_client *client; /* NULL once DEAD */
    mcphost_provider *provider; /* a reference: in process; else NULL */
    bool owns_provider;         /* that it has made, and that ends with it */
    int state;                  /* MCPHOST_INSTANCE_*; 0: NEW */
    pid_t pid;                  /* 0 while unknown */
    int containment;            /* of its process; MCPHOST_CONTAINMENT_* */
    int64_t started;            /* when it was spawned */
    int64_t latest_due;         /* of its calls; INT64_MAX: one has no deadline */
    size_t n_calls;             /* between call_began and call_ended */
    bool came_up;               /* it was READY once */
    bool has_listed;            /* the owner's: it has listed its tools once */
    bool asked_aside;           /* the owner's: some call has asked for log messages that
                                 * the host has not asked for */

    /* the pool's own */
    struct mcph_inside *inside;             /* the provider's end; NULL: none */
    struct mcph_net_auth *auth;             /* NULL: none; put back when it is freed */
    struct mcph_mask *mask;                 /* a reference; the server's */
    struct mcph_ration *ration;             /* likewise */
    unsigned char who[MCPH_DIGEST_LEN];     /* what it was given at the start */
    struct mcph_transport *transport, *old; /* `old`: the one a restart left */
    unsigned n_transports;                  /* not gone yet */
    struct mcph_list queue_link;            /* waiting for a slot */
    bool has_slot, lists;
    struct mcph_timer delay, drain;
    struct mcph_job settle; /* what may not be done inside an event */
    bool settling;
};

enum { MCPH_INSTANCE_LISTING, MCPH_INSTANCE_PLAIN };

/* Makes an instance and starts it as soon as a slot is free, not before
 * `not_before` (mcph_core_now(); 0: at once).  LISTING ones list their tools when
 * READY.  What goes wrong with the start is told by `state`, never from here.
 * 0, MCPHOST_E_CLOSED (the pool is closing: nothing is launched any more),
 * MCPHOST_E_NOMEM. */
int mcph_instance_new(struct mcph_realm *realm, struct mcph_spec *spec, int kind,
                      int64_t not_before, void *owner, struct mcph_instance **ret);
/* CLOSING, then DEAD when drained; `now`: without draining.  Idempotent. */
void mcph_instance_close(struct mcph_instance *inst, bool now);
static inline bool
mcph_instance_usable(const struct mcph_instance *inst)
{
    return inst->state != MCPHOST_INSTANCE_CLOSING &&
           inst->state != MCPHOST_INSTANCE_DEAD;
}
/* The caller's bookkeeping around mcph_operation_start(): a call that may last until
 * `due` began, or one ended. */
void mcph_instance_call_began(struct mcph_instance *inst, int64_t due);
void mcph_instance_call_ended(struct mcph_instance *inst);

/* ---- scopes (scope.c): for whom an instance works ---------------------------------- */

/* NULL stands for everyone's.  A dialog's scope is that dialog's alone, whatever its
 * key: ids of closed dialogs are used again.  Of the other kinds equal keys mean one
 * scope.  Immutable but for `messages`. */
struct mcph_scope {
    struct mcph_refs refs;
    int kind;     /* MCPHOST_SCOPE_*, not EVERYONE */
    int messages; /* the dispatcher's: MCPHOST_MESSAGES_* that is wanted besides what the
                   * configuration asks for */
    char key[];
};

struct mcph_scope *mcph_scope_new(int kind, const char *key); /* NULL: no memory */
struct mcph_scope *mcph_scope_ref(struct mcph_scope *scope);
struct mcph_scope *mcph_scope_unref(struct mcph_scope *scope); /* returns NULL */
bool mcph_scope_same(const struct mcph_scope *a, const struct mcph_scope *b);
int mcph_scope_kind(const struct mcph_scope *scope);
/* The instances that work for this scope alone are asked for log messages from `level`
 * on, MCPHOST_MESSAGES_*, unless the configuration asks for more of them. */
void mcph_scope_ask_messages(struct mcph_pool *pool, struct mcph_scope *scope, int level);
/* The dialog that an instance is for alone, or NULL. */
const char *mcph_instance_dialog(const struct mcph_instance *inst);

/* ---- seats and leases (lease.c) ---------------------------------------------------- */

/* What a lease is wanted on; all borrowed. */
struct mcph_claim {
    struct mcph_realm *realm;
    struct mcph_spec *spec;
    void *owner;      /* of the instances that fill the seat */
    unsigned edition; /* the owner's */
    int policy;       /* MCPHOST_SCOPE_*: which of a dialog's scopes it asks for */
    struct mcph_scope *scope;
};

/* A place for one instance.  Made with its first lease, ends with its last. */
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
    struct mcph_instance *instance; /* NULL after its death, until the next call */
    int64_t last_start, delay;      /* restarts back off */
    int64_t idle_since;             /* its last call ended, or it was made */
    atomic_int pid, state;          /* of the instance, for status */
    atomic_size_t in_flight;
};

/* A holder's (a dialog's or, with holder NULL, the owner's) hold on a seat.  The table
 * holds one reference, handles of the application hold others. */
struct mcphost_lease {
    struct mcph_refs refs;
    struct mcph_core *core;   /* a reference */
    struct mcph_list link;    /* in the table; changed under the lock */
    bool listed;              /* likewise */
    char *source, *server;    /* source: the realm's name, or NULL */
    char *dialog;             /* the holder's id; NULL for the owner's */
    struct mcph_scope *scope; /* a reference: the seat's */
    int64_t since;            /* realtime */
    void *host;               /* of the owner of the pool, for handles */
    void *holder;             /* the dialog, compared by address; NULL: the owner */
    struct mcph_job release_job;
    atomic_bool releasing;

    /* the dispatcher's */
    struct mcph_seat *seat; /* NULL once released; changed under the lock */
    int64_t used;           /* the holder's last call began, or the lease was made */
    bool reminded;          /* the owner's: the reminder was given */
    struct mcph_list seat_link;
    struct mcph_list holder_link; /* in the owner's list of this holder's leases */
};

/* The seat of a claim, or NULL.  A dialog's own scope has no other lease to find. */
struct mcph_seat *mcph_seat_find(struct mcph_pool *pool, const struct mcph_claim *claim);
/* Takes a lease on the seat of a claim, which is made if need be; it has no instance
 * then.  0, MCPHOST_E_NOMEM. */
int mcph_lease_new(const struct mcph_claim *claim, const char *dialog, void *holder,
                   mcphost_lease **ret);
/* Fills the seat: with `spare` when it is not NULL (READY or on its way, never used by
 * anybody), else with a new instance of this kind, later when the last ones died
 * young.  0, MCPHOST_E_CLOSED, MCPHOST_E_NOMEM. */
int mcph_seat_fill(struct mcph_seat *seat, struct mcph_instance *spare, int kind);
/* Whether this is the only lease on its seat. */
bool mcph_lease_is_last(const mcphost_lease *lease);
/* Takes it out of the table.  The last one closes the seat's instance. */
void mcph_lease_end(mcphost_lease *lease, bool now);
void mcph_lease_put(mcphost_lease *lease); /* a reference; NULL is fine */
/* The table, oldest first; under the core's lock. */
struct mcph_list *mcph_pool_leases(struct mcph_pool *pool);

/* ---- verdicts (verdict.c) ------------------------------------------------------------
 * Which era a server speaks, by launch hash; learnt at READY, used at the next
 * start.  Kept ones are keyed (HMAC) with the application's salt. */

int mcph_pool_verdicts_import(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_span json, int64_t now_realtime_ms);
int mcph_pool_verdicts_export(struct mcph_pool *pool, const void *salt, size_t salt_len,
                              struct mcph_buf *buf);

#endif
