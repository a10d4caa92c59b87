/* SPDX-License-Identifier: MIT
 *
 * dominds.c - read and edit .minds/mcp.yaml (R1-R9, R114, B.1-B.3).
 *
 * This file reads the top of the document and handles errors that reject the whole file.
 * dominds_server.c reads the servers.  A missing file is an empty configuration if the
 * application named no file and the workspace exists.  Otherwise a missing file is an
 * error.  A file that exists but is empty is an error (C2), because an editor may
 * truncate a file before it writes.  The truncation must not remove the servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/reading.h"

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
    size_t mark = mcph_check_enter(check, "servers");
    int r = mcph_reading_servers(check, servers, mcph_dominds_server);

    mcph_check_leave(check, mark);
    return r;
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

/* Fills `config` from text.  Errors in the text go into `config`.  The function fails
 * only if there is no memory. */
static int
fill_config(mcphost_config *config, const char *data, size_t len)
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

/* ---- edits ------------------------------------------------------------------------- */

/* Reads, edits and replaces the file.  Returns 1 if the file was written, 0 if there was
 * nothing to change, MCPHOST_E_STATE if another program saved the file in the meantime,
 * or another error code. */
static int
edit_file(const char *file, const char *id, bool enabled,
          struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    struct mcph_buf text, edited;
    struct mcph_file_sig before;
    int r;

    mcph_buf_init(&text, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    mcph_buf_init(&edited, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    mcph_file_sign(file, &before);
    r = mcph_file_read(file, MCPH_YAML_SIZE_MAX, &text, reterr);
    if (r == 0)
        r = mcph_config_set_enabled(text.data ? text.data : "", text.len, file, id,
                                    enabled, &edited, reterr);
    if (r == 1) {
        struct mcph_config_edit edit = {.file = file, .before = before};

        r = mcph_file_replace(file, edited.data, edited.len, &before, &edit.after,
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
    mcphost_error *err = NULL;
    int r = MCPHOST_E_STATE;

    /* If another program saves the file at the same time, read the file again and repeat
     * the edit, so that the edit keeps the text of the other program. */
    for (int i = 0; i < EDIT_TRIES && r == MCPHOST_E_STATE; i++) {
        err = mcphost_error_unref(err);
        r = edit_file(base->file, id, enabled, ret_edit, &err);
    }
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* ---- the form ---------------------------------------------------------------------- */

static const struct mcph_form form = {
    .source = "dominds",
    .place = ".minds/mcp.yaml",
    .size_max = MCPH_YAML_SIZE_MAX,
    .transports = MCPH_TRANSPORTS_USUAL,
    .fill = fill_config,
    .set_enabled = set_enabled,
};

int
mcph_dominds_parse(const char *data, size_t len, const char *name, const char *workspace,
                   unsigned transports, mcphost_config **ret_config,
                   mcphost_error **reterr)
{
    return mcph_form_parse(&form, data, len, name, workspace, transports, ret_config,
                           reterr);
}

int
mcph_dominds_source_new(const char *file, const char *workspace,
                        struct mcph_config_reader **ret_source, mcphost_error **reterr)
{
    return mcph_form_reader_new(&form, file, workspace, ret_source, reterr);
}
