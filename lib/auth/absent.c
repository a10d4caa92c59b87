/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of lib/auth, for a build with --disable-auth.
 *
 * Servers at URLs work, but only with the headers of their entries.
 */
#include "auth/auth.h"

const bool mcph_auth_is_built = false;

static int
attach_nothing(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
               struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    (void)auth;
    (void)attempt;
    (void)waiter;
    (void)reterr;
    return 0;
}

static int
accept_answer(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
              const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
              mcphost_error **reterr)
{
    (void)auth;
    (void)attempt;
    (void)answer;
    (void)waiter;
    (void)reterr;
    return MCPH_NET_AUTH_PASS;
}

static int
identify_nobody(struct mcph_net_auth *auth, struct mcph_buf *who)
{
    (void)auth;
    (void)who;
    return 0;
}

/* The empty credentials that mcph_keeper_get() returns for every server. */
static struct mcph_net_auth no_credentials = {
    .attach = attach_nothing,
    .answered = accept_answer,
    .identify = identify_nobody,
};

int
mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                     struct mcph_challenge *ret)
{
    (void)lines;
    (void)n_lines;
    *ret = (struct mcph_challenge){0};
    return MCPHOST_E_NOTFOUND;
}

void
mcph_challenge_done(struct mcph_challenge *challenge)
{
    (void)challenge;
}

int
mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf)
{
    (void)challenge;
    (void)buf;
    return 0;
}

int
mcph_keeper_new(struct mcph_core *core, const struct mcph_keeper_events *events,
                void *arg, struct mcph_keeper **ret)
{
    (void)core;
    (void)events;
    (void)arg;
    *ret = NULL;
    return 0;
}

void
mcph_keeper_close(struct mcph_keeper *keeper, const char *why)
{
    (void)keeper;
    (void)why;
}

void
mcph_keeper_free(struct mcph_keeper *keeper)
{
    (void)keeper;
}

void
mcph_keeper_set_asking(struct mcph_keeper *keeper, bool asking, int64_t ms)
{
    (void)keeper;
    (void)asking;
    (void)ms;
}

struct mcph_net_auth *
mcph_keeper_get(struct mcph_keeper *keeper, const char *server, const char *url)
{
    (void)keeper;
    (void)server;
    (void)url;
    return &no_credentials;
}

void
mcph_keeper_put(struct mcph_net_auth *auth)
{
    (void)auth;
}

void
mcph_keeper_abandon(struct mcph_keeper *keeper, const char *server, const char *url)
{
    (void)keeper;
    (void)server;
    (void)url;
}

int
mcph_keeper_set_fixed_locked(struct mcph_keeper *keeper, const char *server,
                             const char *origin, const char *name, const char *value,
                             const char *bound)
{
    (void)keeper;
    (void)server;
    (void)origin;
    (void)name;
    (void)value;
    (void)bound;
    return MCPHOST_E_UNSUPPORTED;
}

void
mcph_keeper_drop_locked(struct mcph_keeper *keeper, const char *server)
{
    (void)keeper;
    (void)server;
}

void
mcph_keeper_revoke(struct mcph_keeper *keeper, struct mcph_net *net,
                   const struct mcph_logout *logout, const struct mcph_login_way *way,
                   const struct mcph_net_site *site, struct mcph_mask *mask)
{
    (void)keeper;
    (void)net;
    (void)logout;
    (void)way;
    (void)site;
    (void)mask;
}

void
mcph_logout_tell(struct mcph_core *core, const struct mcph_logout *logout,
                 const mcphost_error *why)
{
    (void)core;
    (void)logout;
    (void)why;
}

bool
mcph_keeper_is_revoking(const struct mcph_keeper *keeper)
{
    (void)keeper;
    return false;
}

void
mcph_keeper_end_revocations(struct mcph_keeper *keeper)
{
    (void)keeper;
}

void
mcph_ask_answer(struct mcph_ask *ask, const char *lines, size_t len, int64_t ms,
                const char *scope)
{
    (void)ask;
    (void)lines;
    (void)len;
    (void)ms;
    (void)scope;
}

void
mcph_ask_refuse(struct mcph_ask *ask, const char *why)
{
    (void)ask;
    (void)why;
}

void
mcph_keeper_set_net(struct mcph_keeper *keeper, struct mcph_net *net)
{
    (void)keeper;
    (void)net;
}

struct mcph_store *
mcph_keeper_set_store(struct mcph_keeper *keeper, struct mcph_store *store,
                      bool keeps_tokens)
{
    (void)keeper;
    (void)store;
    (void)keeps_tokens;
    return NULL;
}

void
mcph_keeper_set_logins(struct mcph_keeper *keeper, bool asks)
{
    (void)keeper;
    (void)asks;
}

int
mcph_keeper_set_way(struct mcph_net_auth *auth, const struct mcph_login_way *way,
                    const struct mcph_net_site *site, struct mcph_mask *mask)
{
    (void)auth;
    (void)way;
    (void)site;
    (void)mask;
    return 0;
}

void
mcph_login_way_done(struct mcph_login_way *way)
{
    for (size_t i = 0; i < MCPH_WAY_TEXTS; i++)
        mcph_str_wipe(way->texts[i]);
}

int
mcph_store_memory_new(struct mcph_store **ret)
{
    *ret = NULL;
    return 0;
}

void
mcph_ask_paste(struct mcph_ask *ask, const char *text, size_t len)
{
    (void)ask;
    (void)text;
    (void)len;
}

int
mcph_oauth_pasted_read(const struct mcph_oauth_awaited *awaited, const char *text,
                       size_t len, struct mcph_mask *mask, char **ret_code, int *ret_why,
                       mcphost_error **reterr)
{
    (void)awaited;
    (void)text;
    (void)len;
    (void)mask;
    (void)ret_code;
    (void)ret_why;
    return mcph_err_unsupported(reterr, "logins");
}

/* ---- stores and logins: there are none --------------------------------------------- */

int
mcph_store_file_new(const char *dir, struct mcph_store **ret, mcphost_error **reterr)
{
    (void)dir;
    (void)ret;
    return mcph_err_unsupported(reterr, "logins");
}

int
mcph_store_calls_new(const struct mcph_store_calls *calls, struct mcph_store **ret)
{
    (void)calls;
    (void)ret;
    return MCPHOST_E_UNSUPPORTED;
}

int
mcph_store_default_dir(const char *state_home, const char *home, char **ret,
                       mcphost_error **reterr)
{
    (void)state_home;
    (void)home;
    (void)ret;
    return mcph_err_unsupported(reterr, "logins");
}

struct mcph_store *
mcph_store_ref(struct mcph_store *store)
{
    return store;
}

struct mcph_store *
mcph_store_unref(struct mcph_store *store)
{
    (void)store;
    return NULL;
}

int
mcph_store_list(struct mcph_store *store, mcph_store_each_fn each, void *arg,
                mcphost_error **reterr)
{
    (void)store;
    (void)each;
    (void)arg;
    return mcph_err_unsupported(reterr, "logins");
}

int
mcph_store_read(struct mcph_store *store, const struct mcph_store_key *key,
                struct mcph_store_record *ret, mcphost_error **reterr)
{
    (void)store;
    (void)key;
    (void)ret;
    return mcph_err_unsupported(reterr, "logins");
}

void
mcph_store_record_done(struct mcph_store_record *record)
{
    (void)record;
}

int
mcph_store_remove(struct mcph_store *store, const struct mcph_store_key *key,
                  const char *expected, mcphost_error **reterr)
{
    (void)store;
    (void)key;
    (void)expected;
    return mcph_err_unsupported(reterr, "logins");
}

int
mcph_login_summarize(struct mcph_store *store, const struct mcph_store_key *key,
                     struct mcph_login_summary *ret, mcphost_error **reterr)
{
    (void)store;
    (void)key;
    (void)ret;
    return mcph_err_unsupported(reterr, "logins");
}

int
mcph_login_serves(const char *resource, const char *url)
{
    (void)resource;
    (void)url;
    return 0;
}
