/* SPDX-License-Identifier: MIT
 *
 * start.c - start the process of a spec, open its URL or connect its provider, and make
 * the client.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

/* Makes an argv of the command and its arguments.  The strings belong to the spec.  The
 * caller frees the array.  Returns NULL if memory is short. */
static char **
make_argv(const struct mcph_spec *spec)
{
    char **argv = mcph_reallocarray(NULL, spec->args.n + 2, sizeof(*argv));

    if (!argv)
        return NULL;
    argv[0] = spec->command;
    for (size_t i = 0; i < spec->args.n; i++)
        argv[i + 1] = spec->args.items[i];
    argv[spec->args.n + 1] = NULL;
    return argv;
}

/* ---- the transport ----------------------------------------------------------------- */

static void
on_up(struct mcph_transport *t, pid_t pid, void *arg)
{
    struct mcph_instance *inst = arg;

    if (t != inst->transport)
        return;
    inst->containment = mcph_transport_get_containment(t);
    mcph_instance_up(inst, pid);
}

static void
on_gone(struct mcph_transport *t, void *arg)
{
    mcph_instance_transport_gone(arg, t);
}

static void
on_stderr(struct mcph_transport *t, const char *line, size_t len, uint64_t lost,
          void *arg)
{
    struct mcph_instance *inst = arg;
    char *shown = mcph_mask_copy(inst->mask, line);

    (void)t;
    (void)len;
    if (!shown)
        lost++;
    if (lost)
        mcph_log(inst->pool->core, MCPHOST_LOG_WARNING, "pool", inst->spec->id,
                 "%llu lines of stderr were left out", (unsigned long long)lost);
    if (shown)
        inst->pool->ops->stderr_line(inst, shown, inst->pool->arg);
    free(shown);
}

static void
on_unguarded(struct mcph_transport *t, mcphost_error *err, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)t;
    inst->pool->ops->unguarded(inst, err, inst->pool->arg);
}

static void
on_left(struct mcph_transport *t, int n, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)t;
    mcph_log(inst->pool->core, MCPHOST_LOG_ERROR, "pool", inst->spec->id,
             "%d processes of the server survived SIGKILL", n);
}

static const struct mcph_transport_owner transport_owner = {
    .up = on_up,
    .gone = on_gone,
    .stderr_line = on_stderr,
    .unguarded = on_unguarded,
    .left = on_left,
};

/* Connects the instance to the cache of answers.  The environment identifies the caller
 * to the server.  If the instance is to list the server's tools, earlier answers of the
 * server are dropped. */
static void
share_cache(struct mcph_instance *inst, char *const *envp)
{
    struct mcph_buf who;

    if (inst->lists)
        mcph_pool_forget(inst->pool, inst->spec);
    mcph_instance_who_begin(&who);
    for (; *envp; envp++)
        mcph_instance_who_add(&who, *envp);
    mcph_instance_who_end(inst, &who);
}

/* Sets proc->cgroup_dir and proc->cgroup_errno if the server may get a control group.
 * The pool looks for the directory only once.  If the pool finds the directory, it also
 * removes control groups that earlier hosts left there. */
static void
set_cgroup(struct mcph_pool *pool, struct mcph_proc_spec *proc)
{
    if (proc->containment != MCPHOST_CONTAINMENT_AUTO &&
        proc->containment != MCPHOST_CONTAINMENT_CGROUP)
        return;
    if (!pool->cgroup_known) {
        pool->cgroup_known = true;
        pool->cgroup_errno = mcph_cgroup_find(&pool->cgroup_dir);
        if (pool->cgroup_dir)
            mcph_cgroup_sweep(pool->cgroup_dir, MCPH_CGROUP_AGE);
    }
    proc->cgroup_dir = pool->cgroup_dir;
    proc->cgroup_errno = pool->cgroup_errno;
}

static int
open_child(struct mcph_instance *inst, struct mcph_transport **ret,
           mcphost_error **reterr)
{
    const _Atomic int64_t *options = inst->pool->options;
    struct mcph_transport *t = NULL;
    struct mcph_spec *launch = NULL;
    struct mcph_proc_spec proc;
    struct mcph_env env;
    char **argv = NULL;
    int r;

    mcph_env_init(&env);
    r = mcph_instance_environment(inst, &env, &launch, reterr);
    if (r < 0)
        goto out;
    argv = make_argv(launch);
    if (!argv) {
        r = mcph_err_nomem(reterr);
        goto out;
    }
    mcph_proc_spec_init(&proc);
    proc.server = inst->spec->id;
    proc.command = launch->command;
    proc.argv = argv;
    proc.envp = mcph_env_array(&env);
    proc.cwd = launch->cwd;
    proc.use_guard = options[MCPHOST_OPT_GUARD] != MCPHOST_GUARD_NONE;
    proc.guard_optional = options[MCPHOST_OPT_GUARD] == MCPHOST_GUARD_OPTIONAL;
    proc.containment = launch->containment;
    set_cgroup(inst->pool, &proc);
    proc.warden = options[MCPHOST_OPT_WARDEN] != 0;
    proc.guard_path = inst->pool->guard_path;
    proc.stop_eof_ms = mcph_realm_policy(inst->realm, MCPHOST_OPT_STOP_EOF);
    proc.stop_term_ms = mcph_realm_policy(inst->realm, MCPHOST_OPT_STOP_TERM);
    r = mcph_stdio_new(inst->pool->core, &proc, &transport_owner, inst, &t, reterr);
    if (r < 0)
        goto out;
    mcph_stdio_set_frame_limit(t, (size_t)options[MCPHOST_OPT_MESSAGE_BYTES]);
    mcph_stdio_set_sink(t, inst->pool->sink, inst->ration);
    share_cache(inst, proc.envp);
    mcph_transport_set_trace(t, inst->spec->id, inst->mask);
    /* Open the transport before this function returns, because the transport borrows
     * `proc` until it is open. */
    r = mcph_transport_open(t, reterr);
    if (r < 0)
        mcph_transport_free(t, 0);
    else
        *ret = t;
out:
    free(argv);
    mcph_spec_unref(launch);
    mcph_env_done(&env);
    return r;
}

static int
open_http(struct mcph_instance *inst, struct mcph_transport **ret, mcphost_error **reterr)
{
    struct mcph_transport *t = NULL;
    int r = mcph_instance_make_http(inst, &transport_owner, &t, reterr);

    if (r < 0)
        return r;
    r = mcph_transport_open(t, reterr);
    if (r < 0)
        mcph_transport_free(t, 0);
    else
        *ret = t;
    return r;
}

static int
open_inside(struct mcph_instance *inst, struct mcph_transport **ret,
            mcphost_error **reterr)
{
    struct mcph_transport *t = NULL;
    int r = mcph_instance_make_inside(inst, &transport_owner, &t, reterr);

    if (r < 0)
        return r;
    mcph_transport_set_trace(t, inst->spec->id, inst->mask);
    r = mcph_transport_open(t, reterr);
    if (r < 0)
        mcph_transport_free(t, 0);
    else
        *ret = t;
    return r;
}

/* Checks that the policy allows the spec's transport, because the configuration's reader
 * may not have known the policy. */
static int
check_transport(const struct mcph_instance *inst, mcphost_error **reterr)
{
    unsigned allowed = (unsigned)mcph_realm_policy(inst->realm, MCPHOST_OPT_TRANSPORTS);
    int transport = inst->spec->transport;
    char expected[MCPH_TRANSPORTS_TEXT];

    /* IN_PROCESS is always allowed, because the policy limits only transports that files
     * can name.  No file can name IN_PROCESS. */
    if (transport == MCPHOST_TRANSPORT_IN_PROCESS ||
        mcph_transport_allowed(allowed, transport))
        return 0;
    mcph_transports_text(allowed, expected);
    return mcph_err(reterr, MCPHOST_E_CONFIG,
                    "transport: expected %s, found '%s', which is not allowed here",
                    expected, mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, transport));
}

typedef int open_fn(struct mcph_instance *inst, struct mcph_transport **ret,
                    mcphost_error **reterr);

/* Opens the transport of the spec if the policy allows it.  Sends nothing over the
 * transport yet. */
static int
open_transport(struct mcph_instance *inst, mcphost_error **reterr)
{
    static open_fn *const carriers[MCPH_N_CARRIERS] = {[MCPH_CARRIER_CHILD] = open_child,
                                                       [MCPH_CARRIER_HTTP] = open_http,
                                                       [MCPH_CARRIER_PROVIDER] =
                                                           open_inside};
    int carrier = mcph_transport_kind(inst->spec->transport)->carrier;
    int r = check_transport(inst, reterr);

    if (r == 0)
        r = carriers[carrier](inst, &inst->transport, reterr);
    if (r == 0)
        inst->n_transports++;
    return r;
}

/* ---- the client -------------------------------------------------------------------- */

static void
on_ready(struct mcph_client *client, void *arg)
{
    (void)client;
    mcph_instance_ready(arg);
}

static void
on_restart(struct mcph_client *client, mcphost_error *reason, void *arg)
{
    struct mcph_instance *inst = arg;
    mcphost_error *err = NULL, *shown = mcph_err_masked(reason, inst->mask);

    (void)client;
    mcph_log(inst->pool->core, MCPHOST_LOG_DEBUG, "pool", inst->spec->id,
             "restarting the server: %s", mcphost_error_get_message(shown));
    mcphost_error_unref(shown);
    if (mcph_instance_reconnect(inst, &err) < 0) {
        mcph_err_set_server(err, inst->realm->name, inst->spec->id);
        mcph_instance_die(inst, err);
        mcphost_error_unref(err);
    }
}

static void
on_tried(struct mcph_transport *t, const struct mcph_trial *server,
         const struct mcph_trial *health, void *arg)
{
    struct mcph_instance *inst = arg;
    mcphost_error *reason = mcph_client_diagnose(inst->undiagnosed, server, health);

    (void)t;
    mcph_instance_die(inst, reason);
    mcphost_error_unref(reason);
}

static int64_t
start_timeout(const struct mcph_instance *inst)
{
    return mcph_realm_choose(inst->realm, inst->spec->start_timeout_ms,
                             MCPHOST_OPT_START_TIMEOUT);
}

/* Returns how long the start may still take, in ms. */
static int64_t
start_left(const struct mcph_instance *inst)
{
    return inst->started + start_timeout(inst) - mcph_core_now(inst->pool->core);
}

/* Ends the instance, or first sends test requests to find out why the server never came
 * up.  Only an instance that lists sends test requests.  No test request is sent while
 * the application is asked for credentials. */
static void
on_down(struct mcph_client *client, mcphost_error *reason, void *arg)
{
    struct mcph_instance *inst = arg;
    bool young = !mcph_client_get_info(client) && inst->lists && inst->transport &&
                 inst->state == MCPHOST_INSTANCE_STARTING &&
                 !mcph_transport_awaits_credentials(inst->transport);

    if (!young || !mcph_realm_policy(inst->realm, MCPHOST_OPT_HTTP_DIAGNOSIS) ||
        mcph_transport_try_requests(inst->transport, mcph_client_test_request(),
                                    start_left(inst), on_tried, inst) < 0)
        mcph_instance_die(inst, reason);
    else
        inst->undiagnosed = mcphost_error_ref(reason);
}

static void
on_listed(struct mcph_client *client, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    struct mcph_instance *inst = arg;
    mcphost_error *shown = mcph_err_masked(error, inst->mask);

    (void)client;
    inst->pool->ops->listed(inst, kind, list, shown, inst->pool->arg);
    mcphost_error_unref(shown);
}

static void
on_changed(struct mcph_client *client, int kind, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->changed(inst, kind, inst->pool->arg);
}

static void
on_subscribed(struct mcph_client *client, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->subscribed(inst, uri, error, inst->pool->arg);
}

static void
on_updated(struct mcph_client *client, struct mcph_span uri, uint64_t count, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->updated(inst, uri, count, inst->pool->arg);
}

static void
on_task(struct mcph_client *client, struct mcph_span task, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->task(inst, task, inst->pool->arg);
}

static void
on_log(struct mcph_client *client, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    struct mcph_instance *inst = arg;
    /* NULL while a legacy server has not answered `initialize` yet. */
    const struct mcph_client_info *info = mcph_client_get_info(client);
    bool aside = inst->asked_aside && info && info->era != MCPH_CLIENT_LEGACY &&
                 mcph_realm_messages(inst->realm, inst->spec) == MCPHOST_MESSAGES_UNASKED;
    char *name = NULL;

    (void)logger;
    if (mcph_json_type(level) == MCPH_JSON_STRING)
        (void)mcph_json_string_dup(level, &name);
    mcph_instance_logged(inst, name, data, aside);
    free(name);
}

static void
on_question(struct mcph_client *client, struct mcph_client_question *question, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->question(inst, question, inst->pool->arg);
}

static void
on_question_over(struct mcph_client *client, struct mcph_client_question *question,
                 const char *why, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->question_over(inst, question, why, inst->pool->arg);
}

static void
on_noise(struct mcph_client *client, const char *text, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->noise(inst, text, inst->pool->arg);
}

static void
on_odd(struct mcph_client *client, const char *kind, const char *text, void *arg)
{
    struct mcph_instance *inst = arg;

    (void)client;
    inst->pool->ops->odd(inst, kind, text, inst->pool->arg);
}

static bool
on_who(struct mcph_client *client, unsigned char ret[MCPH_DIGEST_LEN], void *arg)
{
    (void)client;
    return mcph_instance_who(arg, ret);
}

static const struct mcph_client_events client_events = {
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .changed = on_changed,
    .subscribed = on_subscribed,
    .updated = on_updated,
    .task = on_task,
    .log = on_log,
    .question = on_question,
    .question_over = on_question_over,
    .noise = on_noise,
    .odd = on_odd,
    .who = on_who,
};

int
mcph_instance_make_client(struct mcph_instance *inst)
{
    const struct mcph_pool *pool = inst->pool;
    const _Atomic int64_t *options = pool->options;
    const struct mcph_realm *realm = inst->realm;
    const struct mcph_spec *spec = inst->spec;
    const struct mcph_transport_kind *kind = mcph_transport_kind(spec->transport);
    const struct mcph_verdict *verdict;
    struct mcph_client_spec cs;

    mcph_client_spec_init(&cs);
    cs.server = spec->id;
    cs.source = realm->name;
    cs.mask = inst->mask;
    cs.name = pool->name;
    cs.version = pool->version;
    cs.title = pool->title;
    cs.era = kind->is_legacy ? MCPH_CLIENT_LEGACY : spec->era;
    if (cs.era == MCPH_CLIENT_AUTO) {
        verdict = mcph_verdict_find(inst->pool, spec);
        if (verdict) {
            cs.cached_era = verdict->era;
            cs.cached_version = verdict->version;
        }
    }
    cs.session = spec->session_id && kind->has_session_id;
    cs.probe_ms = mcph_realm_policy(realm, MCPHOST_OPT_PROBE_TIMEOUT);
    cs.start_ms = start_timeout(inst);
    cs.list_ms =
        mcph_realm_choose(realm, spec->list_timeout_ms, MCPHOST_OPT_LIST_TIMEOUT);
    cs.ping_ms = kind->is_pinged ? mcph_realm_policy(realm, MCPHOST_OPT_PING) : 0;
    cs.ping_timeout_ms = mcph_realm_policy(realm, MCPHOST_OPT_PING_TIMEOUT);
    cs.lists = inst->lists ? (1u << MCPH_LIST_KINDS) - 1 : 0;
    /* A modern client must subscribe to changes of the lists.  A legacy server sends
     * notices of changes unasked.  The instance that reads the lists of a server
     * subscribes for the server.  A client in a seat subscribes only if its connection
     * keeps state, because over this kind of connection a server can change the lists of
     * one connection alone. */
    cs.listen = inst->lists || kind->keeps_state ? (1u << MCPH_LIST_KINDS) - 1 : 0;
    cs.questions = (unsigned)options[MCPHOST_OPT_REQUESTS];
    cs.question_ms = options[MCPHOST_OPT_REQUEST_TIMEOUT];
    cs.tasks = mcph_realm_policy(realm, MCPHOST_OPT_TASK_TIMEOUT) != 0;
    cs.apps = mcph_realm_policy(realm, MCPHOST_OPT_APPS) != 0;
    /* Set no level for a provider, because a provider sends its log messages unasked
     * (inside.c). */
    cs.log_level =
        kind->carrier == MCPH_CARRIER_PROVIDER ? NULL : mcph_instance_level(inst, spec);
    cs.max_pages = (size_t)mcph_realm_policy(realm, MCPHOST_OPT_LIST_PAGES);
    cs.max_in_flight = (size_t)options[MCPHOST_OPT_CALLS_IN_FLIGHT];
    cs.max_queued = (size_t)options[MCPHOST_OPT_QUEUED_CALLS];
    return mcph_client_new(pool->core, &cs, &client_events, inst, &inst->client, NULL);
}

int
mcph_instance_connect(struct mcph_instance *inst, mcphost_error **reterr)
{
    int r = open_transport(inst, reterr);

    if (r < 0)
        return r;
    return mcph_client_start(inst->client, inst->transport, reterr);
}

int
mcph_instance_reconnect(struct mcph_instance *inst, mcphost_error **reterr)
{
    inst->old = inst->transport;
    inst->transport = NULL;
    inst->pid = 0;
    mcph_transport_close(inst->old);
    return mcph_instance_connect(inst, reterr);
}
