/* SPDX-License-Identifier: MIT
 *
 * logins.c - where the host keeps tokens, which logins it has, and logouts.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/logins.h"
#include "host/request.h"

/* ---- the store --------------------------------------------------------------------- */

static int
make_file_store(const char *directory, struct mcph_store **ret, mcphost_error **reterr)
{
    struct mcph_env env;
    char *made = NULL;
    int r = 0;

    if (!directory) {
        mcph_env_init(&env);
        r = mcph_env_snapshot(&env);
        if (r == 0)
            r = mcph_store_default_dir(mcph_env_get(&env, "XDG_STATE_HOME"),
                                       mcph_env_get(&env, "HOME"), &made, reterr);
        else
            mcph_err_nomem(reterr);
        mcph_env_done(&env);
    }
    if (r == 0)
        r = mcph_store_file_new(directory ? directory : made, ret, reterr);
    free(made);
    return r;
}

static int
make_store(int kind, const char *directory, struct mcph_store **ret,
           mcphost_error **reterr)
{
    if (kind == MCPHOST_TOKENS_FILE)
        return make_file_store(directory, ret, reterr);
    if (directory)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "token store: a store in memory has no directory");
    return mcph_store_memory_new(ret) < 0 ? mcph_err_nomem(reterr) : 0;
}

/* Takes the core's lock.  Fails with MCPHOST_E_STATE if the host is loaded, because a
 * loaded host keeps its store. */
static int
enter_early(mcphost *host, mcphost_error **reterr)
{
    int r = mcph_host_enter(host);

    if (r == 0 && host->loaded) {
        mcph_core_leave(host->core);
        r = MCPHOST_E_STATE;
    }
    return r < 0 ? mcph_err(reterr, r, "token store: %s", mcphost_strerror(r)) : 0;
}

/* Sets the host's store, and releases the core's lock. */
static void
install(mcphost *host, struct mcph_store *store, bool keeps_tokens)
{
    struct mcph_store *old = mcph_keeper_set_store(host->keeper, store, keeps_tokens);

    host->tokens = store;
    mcph_core_leave(host->core);
    mcph_store_unref(old);
}

/* Takes a reference to the store, because another thread may set another store.  Call
 * this under the lock.  Use the store without the lock. */
static struct mcph_store *
get_store(const mcphost *host)
{
    return mcph_store_ref(host->tokens);
}

int
mcph_logins_set_store(mcphost *host, int kind, const char *directory,
                      mcphost_error **reterr)
{
    struct mcph_store *store = NULL;
    int r;

    if (!mcph_auth_is_built)
        return mcph_err_unsupported(reterr, "logins");
    r = make_store(kind, directory, &store, reterr);
    if (r < 0)
        return r;
    r = enter_early(host, reterr);
    if (r < 0)
        mcph_store_unref(store);
    else
        install(host, store, kind != MCPHOST_TOKENS_MEMORY);
    return r;
}

int
mcph_logins_set_calls(mcphost *host, const struct mcph_store_calls *calls,
                      mcphost_error **reterr)
{
    struct mcph_store *store = NULL;
    int r;

    if (!mcph_auth_is_built)
        return mcph_err_unsupported(reterr, "logins");
    r = enter_early(host, reterr);
    if (r < 0)
        return r;
    if (mcph_store_calls_new(calls, &store) < 0) {
        mcph_core_leave(host->core);
        return mcph_err_nomem(reterr);
    }
    install(host, store, true);
    return 0;
}

/* ---- servers ----------------------------------------------------------------------- */

/* Returns 1 if tokens for `resource` and `account` are valid for the server of `spec`,
 * else 0 or MCPHOST_E_NOMEM. */
static int
is_served(const struct mcph_spec *spec, const char *resource, const char *account)
{
    if (!spec || !spec->url || strcmp(spec->account ? spec->account : "", account) != 0)
        return 0;
    return mcph_login_serves(resource, spec->url);
}

/* Returns the configuration loaded last, even if the dispatcher has not applied it.
 * Returns NULL if there is none. */
static const mcphost_config *
config_of(const struct mcphost_source *source)
{
    return source->loading ? source->loading : source->config;
}

/* Searches a list of sources as find_server() does.  Returns 1 if a server was found, 0
 * if none was found, or MCPHOST_E_NOMEM. */
static int
find_in(const struct mcph_list *sources, const char *resource, const char *account,
        char **ret)
{
    mcph_list_for_each_entry (source, sources, struct mcphost_source, link) {
        const mcphost_config *config = config_of(source);

        for (size_t i = 0; config && i < config->servers.n; i++) {
            const struct mcph_config_server *entry = config->servers.items[i];
            int r = is_served(entry->spec, resource, account);

            if (r == 0)
                continue;
            if (r < 0)
                return r;
            *ret = mcph_realm_key(&source->realm, entry->id);
            return *ret ? 1 : MCPHOST_E_NOMEM;
        }
    }
    return 0;
}

/* Finds a server for which tokens for `resource` and `account` are valid.  Sets *ret to
 * the server's key, or to NULL if no server is found.  Call this under the lock.  Returns
 * 0 or MCPHOST_E_NOMEM. */
static int
find_server(mcphost *host, const char *resource, const char *account, char **ret)
{
    int r;

    *ret = NULL;
    r = find_in(&host->workspace.sources, resource, account, ret);
    if (r == 0)
        r = find_in(&host->workspace.coming, resource, account, ret);
    return r < 0 ? r : 0;
}

/* ---- rows -------------------------------------------------------------------------- */

void
mcph_login_row_free(struct mcph_login_row *row)
{
    free(row->server);
    free(row->issuer);
    free(row->resource);
    free(row->account);
    free(row->client);
    free(row->scope);
    free(row);
}

static int
add_row(const struct mcph_store_key *key, void *arg)
{
    struct mcph_login_row *row = calloc(1, sizeof(*row));

    if (!row)
        return MCPHOST_E_NOMEM;
    row->issuer = mcph_strdup(key->issuer);
    row->resource = mcph_strdup(key->resource);
    row->client = mcph_strdup(key->client);
    row->account = mcph_strdup(key->account);
    if (row->issuer && row->resource && row->client && row->account &&
        mcph_vec_add(arg, row) == 0)
        return 0;
    mcph_login_row_free(row);
    return MCPHOST_E_NOMEM;
}

/* Adds a row for each login of the store. */
static int
list_store(struct mcph_store *store, struct mcph_vec *rows, mcphost_error **reterr)
{
    int r = mcph_store_list(store, add_row, rows, reterr);

    return r == MCPHOST_E_NOMEM ? mcph_err_nomem(reterr) : r;
}

static void
judge_row(struct mcph_login_row *row, const struct mcph_login_summary *summary)
{
    int64_t now_s = mcph_clock_realtime_ms() / 1000;

    row->scope = summary->scope;
    row->expires_s = summary->expires_at < 0        ? -1
                     : summary->expires_at <= now_s ? 0
                                                    : summary->expires_at - now_s;
    row->state = summary->is_refused    ? MCPHOST_LOGIN_EXPIRED
                 : row->expires_s != 0  ? MCPHOST_LOGIN_VALID
                 : summary->can_refresh ? MCPHOST_LOGIN_RENEWABLE
                                        : MCPHOST_LOGIN_EXPIRED;
}

static int
fill_row(mcphost *host, struct mcph_store *store, struct mcph_login_row *row,
         mcphost_error **reterr)
{
    const struct mcph_store_key key = {.issuer = row->issuer,
                                       .resource = row->resource,
                                       .client = row->client,
                                       .account = row->account};
    struct mcph_login_summary summary = {.expires_at = -1};
    mcphost_error *error = NULL;
    int r = mcph_login_summarize(store, &key, &summary, &error);

    /* A record that is damaged, or that another process has removed meanwhile, counts as
     * expired. */
    if (r == MCPHOST_E_PROTOCOL || r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_LIMIT) {
        mcphost_error_unref(error);
        row->state = MCPHOST_LOGIN_EXPIRED;
    } else if (r < 0) {
        if (reterr)
            *reterr = error;
        else
            mcphost_error_unref(error);
        return r;
    } else {
        judge_row(row, &summary);
    }
    r = mcph_core_enter_closed(host->core);
    if (r < 0)
        return mcph_err(reterr, r, "logins: %s", mcphost_strerror(r));
    r = find_server(host, row->resource, row->account, &row->server);
    mcph_core_leave(host->core);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

/* Unlike list_rows(), does not call list_store() again after MCPHOST_E_STATE, because
 * <mcphost/logins.h> promises this code.  An empty list instead of the error would hide
 * from the application that tokens were lost, and why. */
int
mcph_logins_list(mcphost *host, struct mcph_vec *rows, mcphost_error **reterr)
{
    struct mcph_store *store;
    int r;

    if (!mcph_auth_is_built)
        return mcph_err_unsupported(reterr, "logins");
    r = mcph_core_enter_closed(host->core);
    if (r < 0)
        return mcph_err(reterr, r, "logins: %s", mcphost_strerror(r));
    store = get_store(host);
    mcph_core_leave(host->core);
    r = list_store(store, rows, reterr);
    for (size_t i = 0; r == 0 && i < rows->n; i++)
        r = fill_row(host, store, rows->items[i], reterr);
    mcph_store_unref(store);
    return r;
}

/* ---- logouts ----------------------------------------------------------------------- */

/* Splits the key of a server as mcph_workspace_split() does, but also finds a source that
 * is not open yet. */
static const struct mcphost_source *
split_key(mcphost *host, const char *key, const char **ret_id)
{
    size_t len = strcspn(key, ":");

    mcph_list_for_each_entry (source, &host->workspace.coming, struct mcphost_source,
                              link) {
        if (key[len] && strlen(source->id) == len && memcmp(source->id, key, len) == 0) {
            *ret_id = key + len + 1;
            return source;
        }
    }
    return mcph_workspace_split(&host->workspace, key, ret_id);
}

/* The server of a logout. */
struct target {
    const char *server; /* the server's key, as the application gave it */
    char *url, *account;
    struct mcph_spec *spec;
    struct mcph_store *store; /* the host's store */
};

static void
target_done(struct target *target)
{
    free(target->url);
    free(target->account);
    mcph_spec_unref(target->spec);
    mcph_store_unref(target->store);
}

/* Refuses a logout from a server whose URL is not known.  Readers make no spec for a
 * disabled entry, and without a spec the URL is not known. */
static int
refuse_target(const struct mcph_config_server *entry, mcphost_error **reterr)
{
    bool disabled = entry && entry->state == MCPHOST_CONFIG_SERVER_DISABLED;

    return mcph_err(reterr, MCPHOST_E_NOTFOUND, "logout: %s",
                    disabled ? "the server is disabled; enable it first"
                             : "the configuration has no such server at a URL");
}

/* Finds the URL, the account and the spec of a server, and the store of its tokens.  Call
 * this under the lock. */
static int
find_target(mcphost *host, const char *server, struct target *ret, mcphost_error **reterr)
{
    const char *id;
    const struct mcphost_source *source = split_key(host, server, &id);
    const mcphost_config *config = config_of(source);
    const struct mcph_config_server *entry = config ? mcph_config_find(config, id) : NULL;

    if (!entry || !entry->spec || !entry->spec->url)
        return refuse_target(entry, reterr);
    ret->server = server;
    ret->url = mcph_strdup(entry->spec->url);
    ret->account = mcph_strdup(entry->spec->account ? entry->spec->account : "");
    ret->spec = mcph_spec_ref(entry->spec);
    ret->store = get_store(host);
    return ret->url && ret->account ? 0 : mcph_err_nomem(reterr);
}

/* A logout whose tokens are to be revoked. */
struct order {
    struct mcph_list link; /* in host->logouts */
    struct mcph_spec *spec;
    char *server, *issuer, *resource, *client, *account;
    struct mcph_store_record record;
};

static void
order_free(struct order *order)
{
    mcph_spec_unref(order->spec);
    free(order->server);
    free(order->issuer);
    free(order->resource);
    free(order->client);
    free(order->account);
    mcph_store_record_done(&order->record);
    free(order);
}

static struct mcph_logout
make_logout(const struct order *order)
{
    return (struct mcph_logout){.server = order->server,
                                .key = {.issuer = order->issuer,
                                        .resource = order->resource,
                                        .client = order->client,
                                        .account = order->account},
                                .record = order->record};
}

static bool
fill_order(struct order *order, const struct target *target,
           const struct mcph_login_row *row)
{
    order->spec = mcph_spec_ref(target->spec);
    order->server = mcph_strdup(target->server);
    order->issuer = mcph_strdup(row->issuer);
    order->resource = mcph_strdup(row->resource);
    order->client = mcph_strdup(row->client);
    order->account = mcph_strdup(row->account);
    return order->server && order->issuer && order->resource && order->client &&
           order->account;
}

/* Makes the dispatcher revoke the tokens of a record that was removed.  Takes over the
 * record, and empties *record.  If memory is short, only logs the lost revocation, and
 * the caller keeps the record. */
static void
revoke_later(mcphost *host, const struct target *target, const struct mcph_login_row *row,
             struct mcph_store_record *record)
{
    struct order *order = calloc(1, sizeof(*order));
    const struct mcph_logout lost = {.server = target->server,
                                     .key = {.issuer = row->issuer}};

    if (!order || !fill_order(order, target, row)) {
        mcph_logout_tell(host->core, &lost, NULL);
        if (order)
            order_free(order);
        return;
    }
    mcph_list_init(&order->link);
    order->record = *record;
    *record = (struct mcph_store_record){0};
    mcph_core_lock(host->core);
    if (mcph_list_empty(&host->logouts))
        mcph_core_post_locked(host->core, &host->logouts_job);
    mcph_list_append(&host->logouts, &order->link);
    mcph_core_unlock(host->core);
}

static struct order *
take_order(mcphost *host)
{
    struct mcph_list *item;

    mcph_core_lock(host->core);
    item = mcph_list_take_first(&host->logouts);
    mcph_core_unlock(host->core);
    return item ? MCPH_LIST_ENTRY(item, struct order, link) : NULL;
}

void
mcph_logins_revoke(mcphost *host)
{
    for (struct order *order = take_order(host); order; order = take_order(host)) {
        const struct mcph_logout logout = make_logout(order);

        mcph_pool_revoke(host->pool, order->spec, &logout);
        order_free(order);
    }
}

void
mcph_logins_revoke_job(struct mcph_job *job)
{
    mcph_logins_revoke(MCPH_CONTAINER_OF(job, mcphost, logouts_job));
}

void
mcph_logins_drop(mcphost *host)
{
    for (struct order *order = take_order(host); order; order = take_order(host)) {
        const struct mcph_logout logout = make_logout(order);
        mcphost_error *error = NULL;

        mcph_err(&error, MCPHOST_E_CLOSED, "the host was closed before the request");
        mcph_logout_tell(host->core, &logout, error);
        mcphost_error_unref(error);
        order_free(order);
    }
}

/* Removes a login.  If another process replaces the tokens after they were read, fails
 * with MCPHOST_E_EXISTS, as <mcphost/logins.h> promises, and keeps the new tokens.  The
 * application decides whether the logout holds for the new tokens, too. */
static int
remove_row(mcphost *host, const struct target *target, const struct mcph_login_row *row,
           mcphost_error **reterr)
{
    const struct mcph_store_key key = {.issuer = row->issuer,
                                       .resource = row->resource,
                                       .client = row->client,
                                       .account = row->account};
    struct mcph_store_record record = {0};
    int r = mcph_store_read(target->store, &key, &record, reterr);

    if (r == 0)
        r = mcph_store_remove(target->store, &key, record.version, reterr);
    if (r == 0)
        revoke_later(host, target, row, &record);
    mcph_store_record_done(&record);
    return r;
}

static int
remove_rows(mcphost *host, const struct mcph_vec *rows, const struct target *target,
            mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < rows->n; i++) {
        const struct mcph_login_row *row = rows->items[i];
        mcphost_error *error = NULL;

        r = is_served(target->spec, row->resource, row->account);
        if (r == 1)
            r = remove_row(host, target, row, &error);
        else if (r < 0)
            mcph_err_nomem(&error);
        if (r == MCPHOST_E_NOTFOUND)
            r = 0;
        if (r < 0 && reterr)
            *reterr = error;
        else
            mcphost_error_unref(error);
    }
    return r;
}

/* Lists the logins.  If the store is damaged, the first call of mcph_store_list() moves
 * the contents aside, and the second call lists nothing. */
static int
list_rows(struct mcph_store *store, struct mcph_vec *rows, mcphost_error **reterr)
{
    mcphost_error *error = NULL;
    int r = list_store(store, rows, &error);

    if (r == MCPHOST_E_STATE) {
        error = mcphost_error_unref(error);
        r = list_store(store, rows, &error);
    }
    if (r < 0 && reterr)
        *reterr = error;
    else
        mcphost_error_unref(error);
    return r;
}

/* Removes the damaged contents that the store has moved aside, because they may have the
 * tokens, too.  Each removal of a record also removes these contents, even if the store
 * does not have the record. */
static void
remove_damaged(const struct target *target)
{
    const struct mcph_store_key key = {
        .issuer = "", .resource = target->url, .client = "", .account = target->account};

    (void)mcph_store_remove(target->store, &key, "", NULL);
}

/* Finds each server of one source for which the tokens of `target` are valid, and makes
 * the keeper forget the server's tokens. */
static int
drop_source(mcphost *host, const struct mcphost_source *source,
            const struct target *target)
{
    const mcphost_config *config = config_of(source);
    int r = 0;

    for (size_t i = 0; r >= 0 && config && i < config->servers.n; i++) {
        const struct mcph_config_server *entry = config->servers.items[i];
        char *key = NULL;

        r = is_served(entry->spec, target->url, target->account);
        if (r == 1) {
            key = mcph_realm_key(&source->realm, entry->id);
            r = key ? 0 : MCPHOST_E_NOMEM;
        }
        if (key)
            mcph_keeper_drop_locked(host->keeper, key);
        free(key);
    }
    return r;
}

/* Does what drop_source() does, for all sources that are open. */
static int
drop_served(mcphost *host, const struct target *target, mcphost_error **reterr)
{
    int r = 0;

    if (mcph_host_enter(host) < 0)
        return 0;
    mcph_list_for_each_entry (source, &host->workspace.sources, struct mcphost_source,
                              link) {
        if (r >= 0)
            r = drop_source(host, source, target);
    }
    mcph_core_leave(host->core);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_logins_end(mcphost *host, const char *server, mcphost_error **reterr)
{
    struct target target = {0};
    struct mcph_vec rows = {0};
    int r = mcph_host_enter(host);

    if (r < 0)
        return mcph_err(reterr, r, "logout: %s", mcphost_strerror(r));
    r = find_target(host, server, &target, reterr);
    mcph_core_leave(host->core);
    if (r == 0)
        r = list_rows(target.store, &rows, reterr);
    if (r == 0)
        r = remove_rows(host, &rows, &target, reterr);
    if (r == 0) {
        remove_damaged(&target);
        r = drop_served(host, &target, reterr);
        (void)mcph_credential_drop(host, server);
    }
    for (size_t i = 0; i < rows.n; i++)
        mcph_login_row_free(rows.items[i]);
    mcph_vec_done(&rows);
    target_done(&target);
    return r;
}
