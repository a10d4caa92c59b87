/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations that the files of lib/pool share.
 */
#ifndef MCPH_POOL_INNER_H
#define MCPH_POOL_INNER_H

#include "pool/pool.h"

struct mcph_verdict {
    unsigned char launch_hash[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX]; /* the HMAC of `launch_hash` with the salt; an imported
                                * verdict has only `hex`, not `launch_hash` */
    int era;                   /* MCPH_CLIENT_LEGACY or MCPH_CLIENT_MODERN */
    char version[16];
    int64_t at; /* when the verdict was learnt (realtime in ms) */
};

struct mcph_pool {
    struct mcph_core *core; /* a reference */
    const struct mcph_pool_ops *ops;
    void *arg;
    const _Atomic int64_t *options; /* the host's options, indexed by
                                     * MCPHOST_OPT_* */
    struct mcph_sink *sink;         /* borrowed; if NULL, messages over the limit are
                                     * errors */
    struct mcph_ration *ration;     /* borrowed; NULL means no limit */
    char *name, *version, *title, *guard_path;
    bool cgroup_known;            /* `cgroup_dir` and `cgroup_errno` are set */
    char *cgroup_dir;             /* the directory for new control groups, or NULL */
    int cgroup_errno;             /* the errno that explains why `cgroup_dir` is NULL */
    struct mcph_env *environment; /* NULL means the process's environment */
    struct mcph_env set, hidden;  /* the overlay: variables that are set, and variables
                                   * that are hidden (with "" as value) */

    struct mcph_net *net; /* borrowed */
    struct mcph_keeper *keeper;
    struct mcph_client_cache *cache; /* NULL if nothing is cached */

    struct mcph_list instances; /* all instances that are not freed */
    struct mcph_list queue;     /* instances that wait for a slot, by queue_link */
    size_t n_starting;
    bool closing, closed_told;

    struct mcph_list seats;
    struct mcph_list leases; /* changed only under the core's lock */

    struct mcph_vec learnt, kept; /* hold struct mcph_verdict *; `learnt`: learnt by this
                                   * pool; `kept`: imported */
    void *salt;
    size_t salt_len;
};

/* mcph_instance_connect() opens a transport for the instance and starts its client on the
 * transport.  mcph_instance_reconnect() closes the present transport and then calls
 * mcph_instance_connect().  mcph_instance_make_client() makes the client.  The three
 * functions are in start.c. */
int mcph_instance_connect(struct mcph_instance *inst, mcphost_error **reterr);
int mcph_instance_reconnect(struct mcph_instance *inst, mcphost_error **reterr);
int mcph_instance_make_client(struct mcph_instance *inst);

/* Makes the environment of a child process and the expanded spec for one start
 * (environment.c).  The expanded spec has the values of variables in place of their
 * names.  Adds the secrets of the spec to the instance's mask. */
int mcph_instance_environment(struct mcph_instance *inst, struct mcph_env *child,
                              struct mcph_spec **ret_launch, mcphost_error **reterr);
/* Makes the expanded spec for one start or revocation.  The expanded spec has the values
 * of variables of `env` in place of their names.  Adds its secrets to `mask`. */
int mcph_pool_expand(struct mcph_pool *pool, struct mcph_spec *spec, struct mcph_env *env,
                     struct mcph_mask *mask, struct mcph_spec **ret_launch,
                     mcphost_error **reterr);
/* Adds to `env` the variables that {env: NAME} reads.  These are all variables but the
 * spec's own values.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_pool_environment(const struct mcph_pool *pool, struct mcph_env *env);

/* Returns the value of a variable, or NULL.  `arg` is a struct mcph_env. */
const char *mcph_lookup_variable(const char *name, void *arg);
/* Makes the settings of the logins at a server from the keys under `auth` in the spec
 * (way.c).  The caller wipes *ret with mcph_login_way_done(). */
int mcph_login_way_make(const struct mcph_spec *spec, struct mcph_env *env,
                        struct mcph_login_way *ret, mcphost_error **reterr);
/* Returns the proxy that the variables of `env` name for the spec's URL (http.c).
 * Returns NULL if the variables name no proxy, or if the URL names the loopback
 * interface. */
const char *mcph_pool_proxy(const struct mcph_spec *spec, const struct mcph_env *env);
/* Makes the HTTP connection that the spec describes (http.c).  Does not open the
 * connection. */
int mcph_instance_make_http(struct mcph_instance *inst,
                            const struct mcph_transport_owner *owner,
                            struct mcph_transport **ret, mcphost_error **reterr);

/* Makes a connection in memory to the instance's provider (inside.c).  Does not open the
 * connection.  Sets inst->provider and inst->inside. */
int mcph_instance_make_inside(struct mcph_instance *inst,
                              const struct mcph_transport_owner *owner,
                              struct mcph_transport **ret, mcphost_error **reterr);
struct mcph_inside *mcph_inside_free(struct mcph_inside *inside); /* returns NULL */

/* Gives the instance the mask and the ration of its server (shared.c).  Makes the mask
 * and the ration for the first instance of the server.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_pool_join_server(struct mcph_instance *inst);
/* Returns the level of log messages to ask the server for, as a static string.  The
 * configuration may set a level.  For a legacy server, the scope of the instance may also
 * set a level, unless the spec names a level.  The function returns the lowest level that
 * is set.  If no level is set, the function returns NULL, and the host does not ask the
 * server for log messages. */
const char *mcph_instance_level(const struct mcph_instance *inst,
                                const struct mcph_spec *spec);
/* Asks the server for log messages of the level that mcph_instance_level() returns.  Does
 * nothing for a provider, because a provider sends log messages unasked.  A failure is
 * logged. */
void mcph_instance_ask_messages(struct mcph_instance *inst, const struct mcph_spec *spec);
/* Returns the lowest level of log messages that the spec asks for, MCPHOST_MESSAGES_*.
 * If the spec names no level, returns the level of the realm's policy. */
int mcph_realm_messages(const struct mcph_realm *realm, const struct mcph_spec *spec);
/* Masks a log message and reports it to the pool's owner.  `aside` is set if the host has
 * not asked for the message. */
void mcph_instance_logged(struct mcph_instance *inst, const char *level,
                          struct mcph_span data, bool aside);
/* Adds the secrets of an expanded spec to a mask (secrets.c).  `env` has the variables
 * that {env: NAME} reads.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_pool_learn_secrets(struct mcph_pool *pool, struct mcph_mask *mask,
                            const struct mcph_spec *launch, const struct mcph_env *env);

/* These functions collect the texts that identify the caller to the server (cache.c).
 * mcph_instance_who_end() then connects the instance's client to the cache. */
void mcph_instance_who_begin(struct mcph_buf *who);
void mcph_instance_who_add(struct mcph_buf *who, const char *text);
void mcph_instance_who_end(struct mcph_instance *inst, struct mcph_buf *who);
/* Computes the caller identity that keys private cache entries, from inst->who and the
 * present credentials.  Returns false if the identity cannot be determined. */
bool mcph_instance_who(struct mcph_instance *inst, unsigned char ret[MCPH_DIGEST_LEN]);

/* Reports `closed` if the pool is closing and no instance is left (pool.c). */
void mcph_pool_check_closed(struct mcph_pool *pool);

/* These functions react to events of the client and of the transports (instance.c). */
void mcph_instance_ready(struct mcph_instance *inst);
void mcph_instance_die(struct mcph_instance *inst, mcphost_error *reason);
void mcph_instance_up(struct mcph_instance *inst, pid_t pid);
void mcph_instance_transport_gone(struct mcph_instance *inst, struct mcph_transport *t);
/* Frees the instance.  Kills its transports, and waits for them at most `wait_ms` in
 * all. */
void mcph_instance_free(struct mcph_instance *inst, int64_t wait_ms);

/* Empties a seat whose instance has ended, and sets the delay of the next start
 * (lease.c).  If `reason` is NULL (the instance was stopped), the next start has no
 * delay. */
void mcph_seat_lost(struct mcph_seat *seat, mcphost_error *reason);

/* These functions find, learn and free verdicts (verdict.c). */
const struct mcph_verdict *mcph_verdict_find(struct mcph_pool *pool,
                                             const struct mcph_spec *spec);
void mcph_verdict_learn(struct mcph_pool *pool, const struct mcph_spec *spec, int era,
                        const char *version);
void mcph_verdicts_done(struct mcph_pool *pool);

#endif
