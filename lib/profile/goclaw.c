/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - read <workspace>/.goclaw/mcp.json, the servers of the profile `goclaw`
 * (R190, R191, B.33).
 *
 * These errors reject the whole file: a file that is too large, bad JSON, a duplicate
 * key, a root that is not an object, a wrong type of `version` or of `servers`, and a
 * newer version, unless the application accepts any version (K20).  goclaw_entry.c reads
 * the servers.
 *
 * An empty file has no servers (B.33).  In the profile `dominds` an empty file is an
 * error, because an editor may truncate a file before it writes.  Here an empty file is
 * no error, because goclaw_write.c replaces the file and never truncates it.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/goclaw.h"
#include "profile/reading.h"

#include <mcphost/policy.h>

#define SOURCE "goclaw"

/* ---- the top of the file ----------------------------------------------------------- */

/* Checks `version`.  A version below 1 counts as 1 (B.33).  A version above 1 is an error
 * or, if `any_version` is true, counts as 1 with a warning. */
static int
read_version(struct mcph_check *check, const struct mcph_node *node, bool any_version)
{
    size_t mark;

    if (node->kind != MCPH_NODE_INT)
        return mcph_config_fail(check->config, MCPHOST_E_CONFIG, "version", node->line,
                                node->column, "expected the number 1, found %.32s",
                                mcph_goclaw_found(node));
    if (node->integer > 1 && !any_version)
        return mcph_config_fail(check->config, MCPHOST_E_CONFIG, "version", node->line,
                                node->column, "expected the number 1, found %.32s",
                                node->text);
    if (node->integer > 1) {
        mark = mcph_check_enter(check, "version");
        mcph_check_warn(check, node, "expected the number 1, found %.32s; read as 1",
                        node->text);
        mcph_check_leave(check, mark);
    }
    return check->err;
}

static int
read_servers(struct mcph_check *check, const struct mcph_node *servers)
{
    mcphost_config *config = check->config;
    size_t mark = mcph_check_enter(check, "servers");
    int r;

    if (servers->kind != MCPH_NODE_MAP)
        return mcph_config_fail(
            config, MCPHOST_E_CONFIG, "servers", servers->line, servers->column,
            "expected an object of servers, found %s", mcph_node_kind_text(servers));
    r = mcph_reading_servers(check, servers, mcph_goclaw_read_server);
    mcph_check_leave(check, mark);
    return r;
}

/* Removes members that are null, because null means absent. */
static void
drop_nulls(struct mcph_node *map)
{
    size_t n = 0;

    for (size_t i = 0; i < map->n; i++) {
        if (map->items[i]->kind == MCPH_NODE_NULL)
            continue;
        map->keys[n] = map->keys[i];
        map->items[n++] = map->items[i];
    }
    map->n = n;
}

static int
read_root(mcphost_config *config, struct mcph_node *root, bool any_version)
{
    static const char *const known[] = {"version", "servers"};
    const struct mcph_node *version, *servers;
    struct mcph_check check;
    int r;

    if (root->kind != MCPH_NODE_MAP)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, "", root->line, root->column,
                                "expected an object with 'version' and 'servers', found "
                                "%s",
                                mcph_node_kind_text(root));
    drop_nulls(root);
    mcph_check_init(&check, config);
    mcph_check_unknown(&check, root, known, MCPH_ARRAY_SIZE(known));
    version = mcph_node_get(root, "version");
    servers = mcph_node_get(root, "servers");
    r = check.err;
    if (r == 0 && version)
        r = read_version(&check, version, any_version);
    if (r == 0 && config->status == 0 && servers)
        r = read_servers(&check, servers);
    mcph_check_done(&check);
    return r;
}

/* Fills `config` from text.  Errors in the text go into `config`.  The function fails
 * only if there is no memory. */
static int
fill_config(mcphost_config *config, const char *data, size_t len, bool any_version)
{
    struct mcph_doc *doc = NULL;
    int r = 0;

    if (len > 0)
        r = mcph_json_parse(data, len, MCPH_GOCLAW_SIZE_MAX, 0, mcph_profile_report,
                            config, &doc);
    if (doc)
        r = read_root(config, doc->root, any_version);
    else if (r == MCPHOST_E_LIMIT)
        config->status = r;
    mcph_doc_free(doc);
    if (r == MCPHOST_E_NOMEM)
        return r;
    return mcph_config_finish(config);
}

static int
fill_version_1(mcphost_config *config, const char *data, size_t len)
{
    return fill_config(config, data, len, false);
}

static int
fill_any_version(mcphost_config *config, const char *data, size_t len)
{
    return fill_config(config, data, len, true);
}

int
mcph_goclaw_parse(const char *data, size_t len, const char *name, const char *workspace,
                  uint64_t flags, mcphost_config **ret_config, mcphost_error **reterr)
{
    const struct mcph_form form = {
        .source = SOURCE,
        .place = MCPH_GOCLAW_FILE,
        .size_max = MCPH_GOCLAW_SIZE_MAX,
        .transports = MCPH_GOCLAW_SOURCES,
        .fill = flags & MCPHOST_GOCLAW_ANY_VERSION ? fill_any_version : fill_version_1,
    };

    return mcph_form_parse(&form, data, len, name, workspace, form.transports, ret_config,
                           reterr);
}

/* ---- the file ---------------------------------------------------------------------- */

/* Handles a missing file.  The configuration then has no servers.  If the application
 * named the file, adds a warning.  If the application named no file, a missing workspace
 * is an error, because the path of the workspace is probably mistyped. */
static int
miss_file(const struct goclaw_file *file, mcphost_config *config)
{
    mcphost_error *gone = NULL;
    int r;

    if (file->named)
        return mcph_config_diag(config, MCPHOST_DIAGNOSTIC_WARNING, NULL, "", 0, 0,
                                "the file does not exist, so there are no servers");
    r = mcph_profile_check_workspace(file->workspace, &gone);
    if (r < 0)
        r = mcph_config_fail(config, r, "", 0, 0, "%s", mcphost_error_get_message(gone));
    mcphost_error_unref(gone);
    return r;
}

int
mcph_goclaw_file_config(const struct goclaw_file *file, unsigned transports,
                        mcphost_config **ret_config, mcphost_error **reterr)
{
    mcphost_config *config =
        mcph_config_new(SOURCE, file->path, file->path, file->workspace);
    bool any_version = (file->flags & MCPHOST_GOCLAW_ANY_VERSION) != 0;
    int r = config ? file->code : MCPHOST_E_NOMEM;

    if (config)
        config->transports = transports;
    if (r == 0)
        r = fill_config(config, file->text.data, file->text.len, any_version);
    else if (r == MCPHOST_E_NOTFOUND)
        r = miss_file(file, config);
    else if (r != MCPHOST_E_NOMEM)
        r = mcph_config_fail(config, r, "", 0, 0, "%s",
                             mcphost_error_get_message(file->err));
    if (r < 0) {
        mcph_config_unref(config);
        return mcph_err_nomem(reterr);
    }
    *ret_config = config;
    return 0;
}

void
mcph_goclaw_file_clear(struct goclaw_file *file)
{
    mcph_buf_wipe(&file->text);
    file->err = mcphost_error_unref(file->err);
    file->code = 0;
}

void
mcph_goclaw_file_done(struct goclaw_file *file)
{
    mcph_goclaw_file_clear(file);
    free(file->path);
    free(file->workspace);
}

/* ---- a source that follows the file ------------------------------------------------ */

/* The reader of a file.  The reader in form.c does not fit, because a named file of this
 * profile may be missing.  A relative name starts at the workspace (B.33). */
struct goclaw_source {
    struct mcph_config_reader base;
    struct mcph_goclaw *goclaw;
    struct goclaw_file file;
};

static int
read_file(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    struct goclaw_source *source = (struct goclaw_source *)base;
    struct goclaw_file *file = &source->file;
    int r;

    mcph_buf_init(&file->text, GOCLAW_TEXT_MAX);
    file->code =
        mcph_file_read(file->path, MCPH_GOCLAW_SIZE_MAX, &file->text, &file->err);
    r = mcph_goclaw_file_config(file, base->transports, ret_config, reterr);
    mcph_goclaw_file_clear(file);
    return r;
}

static int
set_enabled(struct mcph_config_reader *base, const char *id, bool enabled,
            struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    const struct goclaw_source *source = (const struct goclaw_source *)base;
    int r = mcph_goclaw_enable_server(source->goclaw, mcph_span(id, strlen(id)), enabled,
                                      ret_edit, reterr);

    if (r == 1)
        ret_edit->file = source->file.path;
    return r;
}

static void
free_source(struct mcph_config_reader *base)
{
    struct goclaw_source *source = (struct goclaw_source *)base;

    mcph_goclaw_free(source->goclaw);
    mcph_goclaw_file_done(&source->file);
    free(source);
}

void
mcph_goclaw_reader_init(struct mcph_config_reader *base)
{
    base->name = SOURCE;
    base->transports = MCPH_GOCLAW_SOURCES;
    base->start_ms = base->list_ms = MCPH_GOCLAW_WAIT_MS;
}

int
mcph_goclaw_source_new(const char *file, const char *workspace, uint64_t flags,
                       struct mcph_config_reader **ret_source, mcphost_error **reterr)
{
    struct goclaw_source *source = calloc(1, sizeof(*source));
    int r;

    if (!source)
        return mcph_err_nomem(reterr);
    mcph_goclaw_reader_init(&source->base);
    source->base.read = read_file;
    source->base.free = free_source;
    source->file.named = file != NULL;
    source->file.flags = flags;
    r = mcph_goclaw_new(workspace, NULL, flags, &source->goclaw, reterr);
    if (r == 0) {
        source->file.workspace = mcph_strdup(source->goclaw->workspace);
        source->file.path =
            mcph_profile_join(source->goclaw->workspace, file ? file : MCPH_GOCLAW_FILE);
        if (!source->file.workspace || !source->file.path)
            r = mcph_err_nomem(reterr);
    }
    if (r < 0) {
        free_source(&source->base);
        return r;
    }
    source->base.file = source->file.path;
    source->base.workspace = source->goclaw->workspace;
    /* Do not let the reader edit a named file, because the file may be outside of the
     * workspace (R205).  This profile never writes files outside of the workspace
     * (R187). */
    source->base.set_enabled = file ? NULL : set_enabled;
    *ret_source = &source->base;
    return 0;
}
