/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - <workspace>/.goclaw/mcp.json as a source of servers (R190, R191, B.33).
 *
 * A server's entry is read by the table of keys; the dialect lists the keys that the
 * profile has.  An error in an entry costs that server only.  These errors reject the
 * whole file: bad JSON, a duplicate key, a wrong type of `version` or of `servers`.
 *
 * An empty file has no servers (B.33).  In the profile `dominds` it is an error, because
 * an editor may truncate a file before it writes; goclaw_write.c never truncates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/goclaw.h"
#include "profile/reading.h"

#include <mcphost/policy.h>

#define SOURCE "goclaw"

const char *const mcph_goclaw_keys[] = {"enabled", "type", "command", "args",
                                        "url",     "env",  "headers", "timeoutSeconds",
                                        NULL};

/* ---- the dialect ------------------------------------------------------------------- */

static const struct {
    const char *name;
    int transport;
} types[] = {
    {"stdio", MCPHOST_TRANSPORT_STDIO},
    {"http", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"sse", MCPHOST_TRANSPORT_SSE},
};

static int
transport_of(const struct mcph_node *map, unsigned allowed)
{
    const struct mcph_node *node = mcph_node_get(map, "type");

    for (size_t i = 0; node && i < MCPH_ARRAY_SIZE(types); i++) {
        if (node->kind == MCPH_NODE_STRING && strcmp(node->text, types[i].name) == 0 &&
            mcph_transport_allowed(allowed, types[i].transport))
            return types[i].transport;
    }
    return MCPHOST_TRANSPORT_NONE;
}

/* "'stdio', 'http' or 'sse'": those that are allowed. */
static void
types_text(unsigned allowed, char *ret, size_t size)
{
    const char *names[MCPH_ARRAY_SIZE(types)];
    size_t n = 0, len = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        if (mcph_transport_allowed(allowed, types[i].transport))
            names[n++] = types[i].name;
    }
    snprintf(ret, size, "nothing");
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(ret + len, size - len, "%s'%s'",
                                i == 0       ? ""
                                : i == n - 1 ? " or "
                                             : ", ",
                                names[i]);
}

/* `type` is the only key that the table leaves to the profile.  A transport that was
 * found is in the spec already; the rest is an error. */
static void
read_own(struct reading *rd, const struct mcph_key *key, const char *spelled,
         const struct mcph_node *node)
{
    char expected[64];
    size_t mark;

    (void)key;
    if (rd->spec->transport != MCPHOST_TRANSPORT_NONE)
        return;
    types_text(rd->check->config->transports, expected, sizeof(expected));
    mark = mcph_check_enter(rd->check, spelled);
    if (!node)
        mcph_check_error(rd->check, rd->map, "expected %s, found nothing", expected);
    else if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, expected))
        mcph_check_error(rd->check, node, "expected %s, found '%.32s'", expected,
                         node->text);
    mcph_check_leave(rd->check, mark);
}

/* Literals only: there is no form for variables (B.33). */
static void
read_value(struct reading *rd, const struct mcph_key *key, const char *name,
           const struct mcph_node *node)
{
    if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, "a string"))
        reading_add_value(rd, key, name, node, node->text, NULL);
}

static const struct spelling spellings[] = {
    {"transport", "type"}, {"command", "command"}, {"args", "args"}, {"url", "url"},
    {"env", "env"},        {"headers", "headers"}, {NULL, NULL},
};

static const char *const others[] = {"enabled", "timeoutSeconds", NULL};

static const struct dialect dialect = {
    .spellings = spellings,
    .others = others,
    .read = read_own,
    .value = read_value,
};

/* ---- the server -------------------------------------------------------------------- */

/* For messages: a fraction as it is written; of other nodes the kind. */
static const char *
found(const struct mcph_node *node)
{
    return node->kind == MCPH_NODE_FLOAT ? node->text : mcph_node_kind_text(node);
}

/* The deadline of the start and of lists (B.37).  0 means the source's default. */
static void
read_timeout(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "timeoutSeconds");
    size_t mark = mcph_check_enter(rd->check, "timeoutSeconds");

    if (!node) {
        /* The source's default holds. */
    } else if (node->kind != MCPH_NODE_INT) {
        mcph_check_error(rd->check, node,
                         "expected a whole number of seconds, found %.32s", found(node));
    } else if (node->integer < 0 || node->integer > MCPH_GOCLAW_TIMEOUT_MAX) {
        mcph_check_error(rd->check, node, "expected seconds from 0 to %d, found %.32s",
                         MCPH_GOCLAW_TIMEOUT_MAX, node->text);
    } else if (node->integer > 0) {
        rd->spec->start_timeout_ms = node->integer * 1000;
        rd->spec->list_timeout_ms = node->integer * 1000;
    }
    mcph_check_leave(rd->check, mark);
}

/* A name that could not be written is accepted, because people edit the file, too. */
static void
check_name(struct mcph_check *check, const struct mcph_node *key)
{
    const char *why = mcph_goclaw_name_fault(mcph_span(key->text, key->len));

    if (mcph_text_blank(key->text))
        mcph_check_error(check, key, "expected a name for the server, found a blank");
    else if (why)
        mcph_check_warn(check, key, "the name of the server %s", why);
}

/* A member that is null counts as absent. */
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

static void
read_server(struct mcph_check *check, struct mcph_config_server *server,
            const struct mcph_node *key, struct mcph_node *node)
{
    struct reading rd = {.check = check, .map = node, .dialect = &dialect};
    size_t errors = check->n_errors;

    check->server = server->id;
    check_name(check, key);
    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "an object"))
        goto out;
    drop_nulls(node);
    server->transport = transport_of(node, check->config->transports);
    if (!mcph_check_bool(check, node, "enabled", false)) {
        if (check->n_errors == errors)
            server->state = MCPHOST_CONFIG_SERVER_DISABLED;
        goto out;
    }
    rd.spec = reading_spec_new(check, server, key);
    if (!rd.spec)
        goto out;
    rd.spec->transport = server->transport;
    reading_keys(&rd);
    read_timeout(&rd);
    if (check->err == 0 && check->n_errors == errors)
        reading_seal(check, server, rd.spec);
out:
    mcph_spec_unref(rd.spec);
    check->server = NULL;
}

/* ---- the top of the file ----------------------------------------------------------- */

/* Any whole number is accepted; above 1 with a warning (B.33). */
static int
read_version(struct mcph_check *check, const struct mcph_node *node)
{
    size_t mark;

    if (node->kind != MCPH_NODE_INT)
        return mcph_config_fail(check->config, MCPHOST_E_CONFIG, "version", node->line,
                                node->column, "expected the number 1, found %.32s",
                                found(node));
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
    r = reading_servers(check, servers, read_server);
    mcph_check_leave(check, mark);
    return r;
}

static int
read_root(mcphost_config *config, struct mcph_node *root)
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
        r = read_version(&check, version);
    if (r == 0 && config->status == 0 && servers)
        r = read_servers(&check, servers);
    mcph_check_done(&check);
    return r;
}

/* Fills `config` from text.  Errors in the text go into `config`; this fails only if
 * there is no memory. */
static int
fill(mcphost_config *config, const char *data, size_t len)
{
    struct mcph_doc *doc = NULL;
    int r = 0;

    if (len > 0)
        r = mcph_json_parse(data, len, MCPH_GOCLAW_SIZE_MAX, 0, mcph_profile_report,
                            config, &doc);
    if (doc)
        r = read_root(config, doc->root);
    else if (r == MCPHOST_E_LIMIT)
        config->status = r;
    mcph_doc_free(doc);
    if (r == MCPHOST_E_NOMEM)
        return r;
    return mcph_config_finish(config);
}

static const struct mcph_form form = {
    .source = SOURCE,
    .place = MCPH_GOCLAW_FILE,
    .size_max = MCPH_GOCLAW_SIZE_MAX,
    .transports = MCPH_GOCLAW_SOURCES,
    .fill = fill,
};

int
mcph_goclaw_parse(const char *data, size_t len, const char *name, const char *workspace,
                  mcphost_config **ret_config, mcphost_error **reterr)
{
    return mcph_form_parse(&form, data, len, name, workspace, form.transports, ret_config,
                           reterr);
}

/* ---- the file ---------------------------------------------------------------------- */

/* Not the reader of form.c: a named file may be missing, and is relative to the workspace
 * (B.33). */
struct goclaw_source {
    struct mcph_config_reader base;
    struct mcph_goclaw *goclaw;
    char *file;
    bool named;
};

/* A missing file has no servers.  If the file was named, a warning says that it is
 * missing.  A missing workspace is an error: its path was mistyped. */
static int
miss_file(const struct goclaw_source *source, mcphost_config *config)
{
    mcphost_error *gone = NULL;
    int r;

    if (source->named)
        return mcph_config_diag(config, MCPHOST_DIAGNOSTIC_WARNING, NULL, "", 0, 0,
                                "there is no such file, so there are no servers");
    r = mcph_profile_check_workspace(source->goclaw->workspace, &gone);
    if (r < 0)
        r = mcph_config_fail(config, r, "", 0, 0, "%s", mcphost_error_get_message(gone));
    mcphost_error_unref(gone);
    return r;
}

static int
read_file(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    struct goclaw_source *source = (struct goclaw_source *)base;
    mcphost_error *err = NULL;
    mcphost_config *config;
    struct mcph_buf text;
    int r = MCPHOST_E_NOMEM;

    mcph_buf_init(&text, MCPH_GOCLAW_SIZE_MAX + (size_t)64 * 1024);
    config = mcph_config_new(SOURCE, source->file, source->file, base->workspace);
    if (config) {
        config->transports = base->transports;
        r = mcph_file_read(source->file, MCPH_GOCLAW_SIZE_MAX, &text, &err);
        if (r == 0)
            r = fill(config, text.data, text.len);
        else if (r == MCPHOST_E_NOTFOUND)
            r = miss_file(source, config);
        else if (r != MCPHOST_E_NOMEM)
            r = mcph_config_fail(config, r, "", 0, 0, "%s",
                                 mcphost_error_get_message(err));
    }
    mcph_buf_wipe(&text);
    mcphost_error_unref(err);
    if (r < 0) {
        mcph_config_unref(config);
        return mcph_err_nomem(reterr);
    }
    *ret_config = config;
    return 0;
}

static int
set_enabled(struct mcph_config_reader *base, const char *id, bool enabled,
            struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    const struct goclaw_source *source = (const struct goclaw_source *)base;
    int r = mcph_goclaw_enable_server(source->goclaw, mcph_span(id, strlen(id)), enabled,
                                      ret_edit, reterr);

    if (r == 1)
        ret_edit->file = source->file;
    return r;
}

static void
free_source(struct mcph_config_reader *base)
{
    struct goclaw_source *source = (struct goclaw_source *)base;

    mcph_goclaw_free(source->goclaw);
    free(source->file);
    free(source);
}

int
mcph_goclaw_source_new(const char *file, const char *workspace,
                       struct mcph_config_reader **ret_source, mcphost_error **reterr)
{
    struct goclaw_source *source = calloc(1, sizeof(*source));
    int r;

    if (!source)
        return mcph_err_nomem(reterr);
    source->base.name = SOURCE;
    source->base.read = read_file;
    source->base.free = free_source;
    source->base.transports = MCPH_GOCLAW_SOURCES;
    source->named = file != NULL;
    r = mcph_goclaw_new(workspace, NULL, &source->goclaw, reterr);
    if (r == 0) {
        source->file =
            mcph_profile_join(source->goclaw->workspace, file ? file : form.place);
        if (!source->file)
            r = mcph_err_nomem(reterr);
    }
    if (r < 0) {
        free_source(&source->base);
        return r;
    }
    source->base.file = source->file;
    source->base.workspace = source->goclaw->workspace;
    /* A named file may be outside of the workspace (R205): it is not written (R187). */
    source->base.set_enabled = file ? NULL : set_enabled;
    *ret_source = &source->base;
    return 0;
}
