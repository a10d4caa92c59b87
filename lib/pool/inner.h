/* SPDX-License-Identifier: MIT
 *
 * inner.h - what the files of the room `pool` share.
 */
#ifndef MCPH_POOL_INNER_H
#define MCPH_POOL_INNER_H

#include "pool/pool.h"

struct mcph_verdict {
    unsigned char launch_hash[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX]; /* the keyed hash; imported verdicts have only this */
    int era;                   /* MCPH_CLIENT_LEGACY or _MODERN */
    char version[16];
    int64_t at; /* realtime */
};

struct mcph_pool {
    struct mcph_core *core; /* a reference */
    const struct mcph_pool_ops *ops;
    void *arg;
    const _Atomic int64_t *options; /* the host's, by MCPHOST_OPT_* */
    struct mcph_sink *sink;         /* borrowed; NULL: longer messages are errors */
    struct mcph_ration *ration;     /* borrowed; NULL: no limit */
    char *name, *version, *title, *guard_path;
    bool cgroup_known;            /* the two below are known */
    char *cgroup_dir;             /* where control groups can be made, or NULL */
    int cgroup_errno;             /* why `cgroup_dir` is NULL */
    struct mcph_env *environment; /* NULL: the process's own */
    struct mcph_env set, hidden;  /* the overlay; the values in `hidden` have no
                                   * meaning */

    struct mcph_net *net; /* borrowed */
    struct mcph_keeper *keeper;
    struct mcph_client_cache *cache; /* NULL: none */

    struct mcph_list instances; /* all instances that are not freed */
    struct mcph_list queue;     /* those that wait for a slot, by queue_link */
    size_t n_starting;
    bool closing, closed_told;

    struct mcph_list seats;
    struct mcph_list leases; /* under the core's lock */

    struct mcph_vec learnt, kept; /* struct mcph_verdict *: of this run; imported */
    void *salt;
    size_t salt_len;
};

/* start.c: the process and the connection of an instance. */
int mcph_instance_connect(struct mcph_instance *inst, mcphost_error **reterr);
int mcph_instance_reconnect(struct mcph_instance *inst, mcphost_error **reterr);
int mcph_instance_make_client(struct mcph_instance *inst);

/* environment.c: the environment of a child for one start, and the spec of that start, in
 * which the variables are replaced by their values. */
int mcph_instance_environment(struct mcph_instance *inst, struct mcph_env *child,
                              struct mcph_spec **ret_launch, mcphost_error **reterr);
/* Makes only the spec of a start, with the variables in `env`, and learns its secrets. */
int mcph_instance_expand(struct mcph_instance *inst, struct mcph_env *env,
                         struct mcph_spec **ret_launch, mcphost_error **reterr);
/* The variables that {env: NAME} reads: all but the spec's own values.  0,
 * MCPHOST_E_NOMEM. */
int mcph_pool_environment(const struct mcph_pool *pool, struct mcph_env *env);

/* http.c: makes a connection by the spec, and does not open it. */
int mcph_instance_make_http(struct mcph_instance *inst,
                            const struct mcph_transport_owner *owner,
                            struct mcph_transport **ret, mcphost_error **reterr);

/* inside.c: makes a connection in memory to the instance's provider, and does not open
 * it.  Sets inst->provider. */
int mcph_instance_make_inside(struct mcph_instance *inst,
                              const struct mcph_transport_owner *owner,
                              struct mcph_transport **ret, mcphost_error **reterr);
struct mcph_inside *mcph_inside_free(struct mcph_inside *inside); /* NULL is fine */

/* shared.c: gives the instance the mask and the ration of its server, which are made if
 * need be.  0, MCPHOST_E_NOMEM. */
int mcph_pool_join_server(struct mcph_instance *inst);
/* The level of log messages to ask the server for, by the newest spec; a static
 * string.  NULL: the server is not asked for any. */
const char *mcph_instance_level(const struct mcph_instance *inst,
                                const struct mcph_spec *spec);
/* Asks the server for log messages of that level.  A failure is logged. */
void mcph_instance_ask_messages(struct mcph_instance *inst, const struct mcph_spec *spec);
/* MCPHOST_MESSAGES_*: from which level on the configuration asks for log messages. */
int mcph_realm_messages(const struct mcph_realm *realm, const struct mcph_spec *spec);
/* Reports a log message.  `aside`: the host has not asked for it. */
void mcph_instance_logged(struct mcph_instance *inst, const char *level,
                          struct mcph_span data, bool aside);
/* secrets.c: adds the secrets of one start to the instance's mask.  `launch`: the spec of
 * that start; `env`: the variables that {env: NAME} reads.  0, MCPHOST_E_NOMEM. */
int mcph_instance_learn_secrets(struct mcph_instance *inst,
                                const struct mcph_spec *launch,
                                const struct mcph_env *env);

/* cache.c: collect the texts by which the server can tell callers apart.  After the last
 * text the instance's client joins the cache. */
void mcph_instance_who_begin(struct mcph_buf *who);
void mcph_instance_who_add(struct mcph_buf *who, const char *text);
void mcph_instance_who_end(struct mcph_instance *inst, struct mcph_buf *who);
/* The caller identity that keys private cache entries, with the present credentials.
 * False: it cannot be determined. */
bool mcph_instance_who(struct mcph_instance *inst, unsigned char ret[MCPH_DIGEST_LEN]);

/* pool.c: reports `closed` if the pool is closing and no instance is left. */
void mcph_pool_check_closed(struct mcph_pool *pool);

/* instance.c: reactions to events of the client and of transports. */
void mcph_instance_ready(struct mcph_instance *inst);
void mcph_instance_die(struct mcph_instance *inst, mcphost_error *reason);
void mcph_instance_up(struct mcph_instance *inst, pid_t pid);
void mcph_instance_transport_gone(struct mcph_instance *inst, struct mcph_transport *t);
/* Frees the instance.  Its transports are killed and waited for, at most `wait_ms`. */
void mcph_instance_free(struct mcph_instance *inst, int64_t wait_ms);

/* lease.c: the instance of a seat ended; `reason` NULL: it was stopped. */
void mcph_seat_lost(struct mcph_seat *seat, mcphost_error *reason);

/* verdict.c */
const struct mcph_verdict *mcph_verdict_find(struct mcph_pool *pool,
                                             const struct mcph_spec *spec);
void mcph_verdict_learn(struct mcph_pool *pool, const struct mcph_spec *spec, int era,
                        const char *version);
void mcph_verdicts_done(struct mcph_pool *pool);

#endif
