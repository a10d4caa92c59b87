/* SPDX-License-Identifier: MIT
 *
 * dominds.c - .minds/mcp.yaml as a source of servers (R1-R9, R114, B.1-B.3).
 *
 * The top of the file and its failures as a whole; dominds_server.c has what
 * stands in a server.  A file that is not there is an empty configuration; one
 * that is there and empty is a failure, so that an editor which truncates
 * before it writes never wipes the servers (requirements C2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define SOURCE     "dominds"
#define EDIT_TRIES 3

static int
read_version(mcphost_config *config, const struct mcph_node *root)
{
    const struct mcph_node *version = mcph_node_get(root, "version");

    if (!version)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "version", root->line,
                                root->column, "expected the number 1, found nothing");
    if (version->kind == MCPH_NODE_STRING)
        return mcph_config_fail(
            config, MCPHOST_E_CONFIG, "version", version->line, version->column,
            "expected the number 1, found the string '%.32s'", version->text);
    if (version->kind != MCPH_NODE_INT && version->kind != MCPH_NODE_FLOAT)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "version", version->line,
                                version->column, "expected the number 1, found %s",
                                mcph_node_kind_text(version));
    if (version->number < 1 || version->number > 1 || version->number != version->number)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "version", version->line,
                                version->column, "expected the number 1, found %.32s",
                                version->text);
    return 0;
}

static int
read_servers(struct mcph_check *check, const struct mcph_node *servers)
{
    mcphost_config *config = check->config;
    size_t mark = mcph_check_enter(check, "servers");

    for (size_t i = 0; i < servers->n; i++) {
        const struct mcph_node *key = servers->keys[i], *node = servers->items[i];
        struct mcph_config_server *server;
        size_t inner;

        server = mcph_config_add_server(config, key->text, key->line, key->column);
        if (!server)
            return MCPHOST_E_NOMEM;
        inner = mcph_check_enter(check, key->text);
        mcph_dominds_server(check, server, key, node);
        mcph_check_leave(check, inner);
        if (check->err < 0)
            return check->err;
    }
    mcph_check_leave(check, mark);
    return 0;
}

static int
read_root(mcphost_config *config, const struct mcph_node *root)
{
    static const char *const known[] = {"version", "servers"};
    const struct mcph_node *servers;
    struct mcph_check check;
    int r;

    if (root->kind == MCPH_NODE_NULL)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "", root->line, root->column,
                                "expected a map with 'version' and 'servers', found an "
                                "empty file");
    if (root->kind != MCPH_NODE_MAP)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "", root->line, root->column,
                                "expected a map with 'version' and 'servers', found %s",
                                mcph_node_kind_text(root));

    mcph_check_init(&check, config);
    mcph_check_unknown(&check, root, known, MCPH_ARRAY_SIZE(known));
    r = check.err;
    if (r == 0)
        r = read_version(config, root);
    servers = mcph_node_get(root, "servers");
    if (r == 0 && config->status == 0 && servers) {
        if (servers->kind == MCPH_NODE_MAP)
            r = read_servers(&check, servers);
        else
            r = mcph_config_fail(config, MCPHOST_E_CONFIG, "servers", servers->line,
                                 servers->column, "expected a map of servers, found %s",
                                 mcph_node_kind_text(servers));
    }
    mcph_check_done(&check);
    return r;
}

/* Fills `config` from text; what is wrong with the text is no failure here. */
static int
fill(mcphost_config *config, const char *data, size_t len)
{
    struct mcph_doc *doc = NULL;
    int r;

    r = mcph_yaml_parse(data, len, mcph_profile_report, config, &doc);
    config->has_manuals = true;
    if (r == 0)
        r = read_root(config, doc->root);
    else if (r == MCPHOST_E_LIMIT)
        config->status = r;
    mcph_doc_free(doc);
    if (r == MCPHOST_E_NOMEM)
        return r;
    return mcph_config_finish(config);
}

int
mcph_dominds_parse(const char *data, size_t len, const char *name, const char *workspace,
                   unsigned transports, mcphost_config **ret_config,
                   mcphost_error **reterr)
{
    mcphost_config *config;
    char *dir = NULL;
    int r;

    r = mcph_profile_workspace(workspace, &dir, reterr);
    if (r < 0)
        return r;
    config = mcph_config_new(SOURCE, NULL, name, dir);
    free(dir);
    if (config) {
        config->transports = transports;
        r = fill(config, data, len);
    } else {
        r = MCPHOST_E_NOMEM;
    }
    if (r < 0) {
        mcph_config_unref(config);
        return mcph_err_nomem(reterr);
    }
    *ret_config = config;
    return 0;
}

/* ---- the file ---------------------------------------------------------------------- */

struct dominds_source {
    struct mcph_config_reader base;
    char *file, *workspace;
    bool required; /* the file was named, so it must be there */
};

/* The detail may be the shared out-of-memory object; then only the code counts. */
static int
fail_file(const struct dominds_source *source, mcphost_config *config, int code,
          const mcphost_error *err)
{
    mcphost_error *gone = NULL;
    int r = 0;

    if (code == MCPHOST_E_NOTFOUND && !source->required) {
        code = mcph_profile_check_workspace(source->workspace, &gone);
        if (code < 0)
            r = mcph_config_fail(config, code, "", 0, 0, "%s",
                                 mcphost_error_get_message(gone));
        mcphost_error_unref(gone);
        return r;
    }
    return mcph_config_fail(config, code, "", 0, 0, "%s", mcphost_error_get_message(err));
}

static int
read_file(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    struct dominds_source *source = (struct dominds_source *)base;
    mcphost_error *err = NULL;
    mcphost_config *config;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    config = mcph_config_new(SOURCE, source->file, source->file, source->workspace);
    if (!config) {
        r = MCPHOST_E_NOMEM;
        goto out;
    }
    config->transports = base->transports;
    r = mcph_file_read(source->file, MCPH_YAML_SIZE_MAX, &text, &err);
    if (r == 0)
        r = fill(config, text.data ? text.data : "", text.len);
    else if (r != MCPHOST_E_NOMEM)
        r = fail_file(source, config, r, err);
    if (r == 0) {
        *ret_config = config;
        config = NULL;
    }
out:
    if (r < 0)
        mcph_err_nomem(reterr);
    mcph_buf_wipe(&text);
    mcphost_error_unref(err);
    mcph_config_unref(config);
    return r;
}

/* Reads, edits, replaces.  MCPHOST_E_STATE when somebody saved meanwhile. */
static int
edit_file(const struct dominds_source *source, const char *id, bool enabled,
          struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    struct mcph_buf text, edited;
    struct mcph_file_sig before;
    int r;

    mcph_buf_init(&text, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    mcph_buf_init(&edited, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    mcph_file_sign(source->file, &before);
    r = mcph_file_read(source->file, MCPH_YAML_SIZE_MAX, &text, reterr);
    if (r == 0)
        r = mcph_config_set_enabled(text.data ? text.data : "", text.len, source->file,
                                    id, enabled, &edited, reterr);
    if (r == 1) {
        struct mcph_config_edit edit = {.file = source->file, .before = before};

        r = mcph_file_replace(source->file, edited.data, edited.len, &before, &edit.after,
                              reterr);
        if (r == 0) {
            *ret_edit = edit;
            r = 1;
        }
    }
    mcph_buf_wipe(&text);
    mcph_buf_wipe(&edited);
    return r;
}

static int
set_enabled(struct mcph_config_reader *base, const char *id, bool enabled,
            struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    const struct dominds_source *source = (const struct dominds_source *)base;
    mcphost_error *err = NULL;
    int r = MCPHOST_E_STATE;

    /* Who saves at the same time wins, and the edit is made in what he saved. */
    for (int i = 0; i < EDIT_TRIES && r == MCPHOST_E_STATE; i++) {
        err = mcphost_error_unref(err);
        r = edit_file(source, id, enabled, ret_edit, &err);
    }
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

static void
free_source(struct mcph_config_reader *base)
{
    struct dominds_source *source = (struct dominds_source *)base;

    free(source->file);
    free(source->workspace);
    free(source);
}

int
mcph_dominds_source_new(const char *file, const char *workspace,
                        struct mcph_config_reader **ret_source, mcphost_error **reterr)
{
    struct dominds_source *source = calloc(1, sizeof(*source));
    int r;

    if (!source)
        return mcph_err_nomem(reterr);
    source->base.name = SOURCE;
    source->base.read = read_file;
    source->base.free = free_source;
    source->base.transports = MCPH_TRANSPORTS_USUAL;
    source->required = file != NULL;
    r = mcph_profile_workspace(workspace, &source->workspace, reterr);
    if (r == 0) {
        source->file = file ? mcph_strdup(file)
                            : mcph_profile_join(source->workspace, ".minds/mcp.yaml");
        if (!source->file)
            r = mcph_err_nomem(reterr);
    }
    source->base.file = source->file;
    source->base.workspace = source->workspace;
    source->base.set_enabled = set_enabled;
    if (r < 0)
        free_source(&source->base);
    else
        *ret_source = &source->base;
    return r;
}
