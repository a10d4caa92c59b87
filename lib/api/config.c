/* SPDX-License-Identifier: MIT
 *
 * config.c - the public functions of <mcphost/config.h>.
 *
 * The functions check their arguments, read and edit files through the readers of
 * lib/profile, and read the resulting configuration.
 */
#include <string.h>

#include "api/getter.h"
#include "config/config.h"
#include "profile/profile.h"

#define KEY_LEN_MIN 16
/* Limits in bytes for lists of keys and for JSON.  All names in a file of
 * MCPH_YAML_SIZE_MAX bytes together are shorter than KEYS_MAX. */
#define KEYS_MAX ((size_t)64 * 1024 * 1024)
#define JSON_MAX ((size_t)64 * 1024 * 1024)

static int
load_config(const char *file, const char *workspace, unsigned transports,
            mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r = mcph_dominds_source_new(file, workspace, &reader, reterr);

    return r < 0 ? r : mcph_config_reader_once(reader, transports, ret_config, reterr);
}

int
mcphost_config_load_workspace(const char *dir, mcphost_config **ret_config,
                              mcphost_error **reterr)
{
    if (!dir)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the directory is NULL");
    return mcphost_config_load(NULL, 0, NULL, dir, MCPH_TRANSPORTS_USUAL, ret_config,
                               reterr);
}

int
mcphost_config_load_file(const char *path, const char *workspace,
                         mcphost_config **ret_config, mcphost_error **reterr)
{
    if (!path)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the path is NULL");
    return mcphost_config_load(NULL, 0, path, workspace, MCPH_TRANSPORTS_USUAL,
                               ret_config, reterr);
}

int
mcphost_config_load_memory(const char *data, size_t len, const char *name,
                           const char *workspace, mcphost_config **ret_config,
                           mcphost_error **reterr)
{
    if (!data && len == 0)
        data = "";
    return mcphost_config_load(data, len, name, workspace, MCPH_TRANSPORTS_USUAL,
                               ret_config, reterr);
}

int
mcphost_config_load(const char *data, size_t len, const char *file, const char *workspace,
                    unsigned transports, mcphost_config **ret_config,
                    mcphost_error **reterr)
{
    if ((!data && len > 0) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (transports == 0 || (transports & ~mcph_transports_known()))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the set of transports is empty or has unknown ones");
    if (data)
        return mcph_dominds_parse(data, len, file ? file : "<memory>", workspace,
                                  transports, ret_config, reterr);
    if (file ? !*file : workspace && !*workspace)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the path is empty");
    return load_config(file, workspace, transports, ret_config, reterr);
}

int
mcphost_config_load_dir(const char *dir, const char *workspace, unsigned transports,
                        mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if (!dir || !*dir || (workspace && !*workspace) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    if (transports == 0 || (transports & ~mcph_transports_known()))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the set of transports is empty or has unknown ones");
    r = mcph_dir_reader_new(dir, workspace, &reader, reterr);
    return r < 0 ? r : mcph_config_reader_once(reader, transports, ret_config, reterr);
}

int
mcphost_config_new_stdio(const char *id, const char *const *argv, const char *workspace,
                         mcphost_config **ret_config, mcphost_error **reterr)
{
    if (!id || mcph_text_blank(id) || !argv || !argv[0] || mcph_text_blank(argv[0]) ||
        !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the id, the program or the result argument is missing");
    return mcph_profile_stdio(id, argv, workspace, ret_config, reterr);
}

int
mcphost_config_new_http(const char *id, const char *url, const char *const *headers,
                        const char *workspace, mcphost_config **ret_config,
                        mcphost_error **reterr)
{
    if (!id || mcph_text_blank(id) || !url || mcph_text_blank(url) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the id, the URL or the result argument is missing");
    return mcph_profile_http(MCPHOST_TRANSPORT_STREAMABLE_HTTP, id, url, headers,
                             workspace, ret_config, reterr);
}

int
mcphost_config_new_sse(const char *id, const char *url, const char *const *headers,
                       const char *workspace, mcphost_config **ret_config,
                       mcphost_error **reterr)
{
    if (!id || mcph_text_blank(id) || !url || mcph_text_blank(url) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the id, the URL or the result argument is missing");
    return mcph_profile_http(MCPHOST_TRANSPORT_SSE, id, url, headers, workspace,
                             ret_config, reterr);
}

int
mcphost_config_set_era(mcphost_config *config, int era)
{
    if (!config || era < MCPHOST_ERA_AUTO || era > MCPHOST_ERA_MODERN)
        return MCPHOST_E_INVALID;
    return mcph_profile_set_era(config, era);
}

int
mcphost_config_pick_server(const mcphost_config *config, const char *id,
                           mcphost_config **ret_config)
{
    if (!config || !id || !ret_config)
        return MCPHOST_E_INVALID;
    return mcph_config_pick(config, id, ret_config);
}

mcphost_config *
mcphost_config_ref(mcphost_config *config)
{
    return mcph_config_ref(config);
}

mcphost_config *
mcphost_config_unref(mcphost_config *config)
{
    return mcph_config_unref(config);
}

int
mcphost_config_get_status(const mcphost_config *config)
{
    return config ? config->status : MCPHOST_E_INVALID;
}

MCPH_GETTER(const char *, mcphost_config_get_file, const mcphost_config *, self->file)
MCPH_GETTER(const char *, mcphost_config_get_workspace, const mcphost_config *,
            self->workspace)

/* ---- servers ----------------------------------------------------------------------- */

static const struct mcph_config_server *
server_at(const mcphost_config *config, size_t index)
{
    return config && index < config->servers.n ? config->servers.items[index] : NULL;
}

MCPH_GETTER(size_t, mcphost_config_count_servers, const mcphost_config *, self->servers.n)

int
mcphost_config_find_server(const mcphost_config *config, const char *id,
                           size_t *ret_index)
{
    const struct mcph_config_server *server;

    if (!config || !id || !ret_index)
        return MCPHOST_E_INVALID;
    server = mcph_config_find(config, id);
    for (size_t i = 0; server && i < config->servers.n; i++) {
        if (config->servers.items[i] == server) {
            *ret_index = i;
            return 0;
        }
    }
    return MCPHOST_E_NOTFOUND;
}

const char *
mcphost_config_server_get_id(const mcphost_config *config, size_t index)
{
    const struct mcph_config_server *server = server_at(config, index);

    return server ? server->id : NULL;
}

int
mcphost_config_server_get_state(const mcphost_config *config, size_t index)
{
    const struct mcph_config_server *server = server_at(config, index);

    return server ? server->state : MCPHOST_E_INVALID;
}

int
mcphost_config_server_get_transport(const mcphost_config *config, size_t index)
{
    const struct mcph_config_server *server = server_at(config, index);

    return server ? server->transport : MCPHOST_TRANSPORT_NONE;
}

const char *
mcphost_config_server_get_file(const mcphost_config *config, size_t index)
{
    const struct mcph_config_server *server = server_at(config, index);

    if (!server)
        return NULL;
    return server->part ? server->part->file : config->file;
}

int
mcphost_config_server_get_line(const mcphost_config *config, size_t index)
{
    const struct mcph_config_server *server = server_at(config, index);

    return server ? server->line : 0;
}

int
mcphost_config_server_get_hash(const mcphost_config *config, size_t index, int which,
                               const void *key, size_t key_len, char *ret_hex)
{
    const struct mcph_config_server *server = server_at(config, index);

    if (!server || !key || key_len < KEY_LEN_MIN || !ret_hex ||
        (which != MCPHOST_CONFIG_HASH_LAUNCH && which != MCPHOST_CONFIG_HASH_VIEW))
        return MCPHOST_E_INVALID;
    if (!server->spec)
        return MCPHOST_E_STATE;
    return mcph_spec_hash_hex(server->spec, which, key, key_len, ret_hex);
}

int
mcphost_config_server_make_json(const mcphost_config *config, size_t index,
                                char **ret_json, size_t *ret_len)
{
    const struct mcph_config_server *server = server_at(config, index);
    struct mcph_buf buf;

    if (!server || !ret_json)
        return MCPHOST_E_INVALID;
    if (!server->spec)
        return MCPHOST_E_STATE;
    mcph_buf_init(&buf, JSON_MAX);
    (void)mcph_spec_show(server->spec, &buf);
    return mcph_buf_give(&buf, ret_json, ret_len) < 0 ? MCPHOST_E_NOMEM : 0;
}

/* Copies as many whole keys as fit into `size` bytes.  Appends "..." if keys are left
 * out. */
static void
put_keys(const struct mcph_buf *keys, char *ret, size_t size)
{
    size_t len = keys->len;
    const char *end = "";

    if (len >= size) {
        len = size - sizeof("...");
        while (len > 0 && !(len >= 2 && memcmp(keys->data + len - 2, ", ", 2) == 0))
            len--;
        end = "...";
    }
    if (len > 0)
        memcpy(ret, keys->data, len);
    memcpy(ret + len, end, strlen(end) + 1);
}

int
mcphost_config_server_compare(const mcphost_config *from, const mcphost_config *to,
                              const char *id, char *ret_keys, size_t size)
{
    const struct mcph_config_server *a, *b;
    struct mcph_buf keys;
    int r;

    if (!from || !to || !id || (ret_keys && size < sizeof("...")))
        return MCPHOST_E_INVALID;
    a = mcph_config_find(from, id);
    b = mcph_config_find(to, id);
    if (!a || !b)
        return MCPHOST_E_NOTFOUND;
    if (!a->spec || !b->spec)
        return MCPHOST_E_STATE;
    mcph_buf_init(&keys, KEYS_MAX);
    r = mcph_spec_compare(a->spec, b->spec, &keys);
    if (r >= 0 && ret_keys)
        put_keys(&keys, ret_keys, size);
    mcph_buf_done(&keys);
    return r;
}

/* ---- editing the file -------------------------------------------------------------- */

int
mcphost_config_file_set_enabled(const char *path, const char *id, int enabled,
                                mcphost_error **reterr)
{
    struct mcph_config_reader *source;
    struct mcph_config_edit edit;
    int r;

    if (!path || !*path || !id || !*id)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the path or the server is missing");
    r = mcph_dominds_source_new(path, NULL, &source, reterr);
    if (r < 0)
        return r;
    r = source->set_enabled(source, id, enabled != 0, &edit, reterr);
    source->free(source);
    return r;
}

/* ---- diagnostics ------------------------------------------------------------------- */

static const struct mcph_diag *
diag_at(const mcphost_config *config, size_t index)
{
    return config && index < config->diags.n ? config->diags.items[index] : NULL;
}

MCPH_GETTER(size_t, mcphost_config_count_diagnostics, const mcphost_config *,
            self->diags.n)

int
mcphost_config_diagnostic_get_severity(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    if (!diag)
        return MCPHOST_E_INVALID;
    return diag->severity == MCPH_DIAGNOSTIC_SPARING ? MCPHOST_DIAGNOSTIC_ERROR
                                                     : diag->severity;
}

const char *
mcphost_config_diagnostic_get_message(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->message : NULL;
}

const char *
mcphost_config_diagnostic_get_key(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->key : NULL;
}

const char *
mcphost_config_diagnostic_get_server_id(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->server : NULL;
}

const char *
mcphost_config_diagnostic_get_file(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->file : NULL;
}

int
mcphost_config_diagnostic_get_line(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->line : 0;
}

int
mcphost_config_diagnostic_get_column(const mcphost_config *config, size_t index)
{
    const struct mcph_diag *diag = diag_at(config, index);

    return diag ? diag->column : 0;
}
