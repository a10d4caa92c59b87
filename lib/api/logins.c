/* SPDX-License-Identifier: MIT
 *
 * logins.c - the public functions of <mcphost/logins.h>.
 */
#include <stdlib.h>
#include <string.h>

#include "api/getter.h"
#include "host/host.h"
#include "host/logins.h"

struct mcphost_logins {
    struct mcph_refs refs;
    struct mcph_vec rows; /* struct mcph_login_row * */
};

int
mcphost_set_token_store(mcphost *host, int store, const char *directory,
                        mcphost_error **reterr)
{
    if (!host || !mcphost_enum_get_name(MCPHOST_ENUM_TOKEN_STORE, store))
        return mcph_err(reterr, MCPHOST_E_INVALID, "token store: a bad argument");
    return mcph_logins_set_store(host, store, directory, reterr);
}

int
mcphost_set_token_callbacks(mcphost *host, mcphost_token_load_fn load,
                            mcphost_token_save_fn save, mcphost_token_next_fn next,
                            void *arg, mcphost_free_fn free_arg, mcphost_error **reterr)
{
    const struct mcph_store_calls calls = {
        .load = load, .save = save, .next = next, .arg = arg, .free_arg = free_arg};
    int r = host && load && save && next
                ? mcph_logins_set_calls(host, &calls, reterr)
                : mcph_err(reterr, MCPHOST_E_INVALID, "token store: an argument is NULL");

    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_get_logins(mcphost *host, mcphost_logins **ret_logins, mcphost_error **reterr)
{
    mcphost_logins *logins;
    int r;

    if (!host || !ret_logins)
        return mcph_err(reterr, MCPHOST_E_INVALID, "logins: an argument is NULL");
    logins = calloc(1, sizeof(*logins));
    if (!logins)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&logins->refs);
    r = mcph_logins_list(host, &logins->rows, reterr);
    if (r < 0)
        mcphost_logins_unref(logins);
    else
        *ret_logins = logins;
    return r;
}

mcphost_logins *
mcphost_logins_ref(mcphost_logins *logins)
{
    if (logins)
        mcph_refs_get(&logins->refs);
    return logins;
}

mcphost_logins *
mcphost_logins_unref(mcphost_logins *logins)
{
    if (!logins || !mcph_refs_put(&logins->refs))
        return NULL;
    for (size_t i = 0; i < logins->rows.n; i++)
        mcph_login_row_free(logins->rows.items[i]);
    mcph_vec_done(&logins->rows);
    free(logins);
    return NULL;
}

static const struct mcph_login_row *
row_at(const mcphost_logins *logins, size_t index)
{
    return logins->rows.items[index];
}

MCPH_GETTER(size_t, mcphost_logins_count, const mcphost_logins *, self->rows.n)
MCPH_GETTER_AT(const char *, mcphost_logins_get_server_id, const mcphost_logins *,
               self->rows.n, row_at(self, index)->server)
MCPH_GETTER_AT(const char *, mcphost_logins_get_issuer, const mcphost_logins *,
               self->rows.n, row_at(self, index)->issuer)
MCPH_GETTER_AT(const char *, mcphost_logins_get_resource, const mcphost_logins *,
               self->rows.n, row_at(self, index)->resource)
MCPH_GETTER_AT(const char *, mcphost_logins_get_account, const mcphost_logins *,
               self->rows.n, row_at(self, index)->account)
MCPH_GETTER_AT(const char *, mcphost_logins_get_scope, const mcphost_logins *,
               self->rows.n, row_at(self, index)->scope)
MCPH_GETTER_AT(int, mcphost_logins_get_state, const mcphost_logins *, self->rows.n,
               row_at(self, index)->state)

int64_t
mcphost_logins_get_expires_s(const mcphost_logins *logins, size_t index)
{
    return logins && index < logins->rows.n ? row_at(logins, index)->expires_s : -1;
}

int
mcphost_log_out(mcphost *host, const char *server, mcphost_error **reterr)
{
    if (!host || !server)
        return mcph_err(reterr, MCPHOST_E_INVALID, "logout: an argument is NULL");
    if (!mcph_auth_is_built)
        return mcph_err_unsupported(reterr, "logins");
    return mcph_logins_end(host, server, reterr);
}
