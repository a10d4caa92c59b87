/* SPDX-License-Identifier: MIT
 *
 * mcpservers.c - read the JSON file with the map `mcpServers` of Claude Desktop, Claude
 * Code, Cursor, llama.cpp and other programs.
 *
 * The file may have comments and trailing commas, as editors allow them.  Each of the
 * programs has keys of its own.  The reader ignores unknown keys.  Each unknown key
 * of an entry gives one warning per file.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/reading.h"

const bool mcph_profile_has_all = true;

#include <mcphost/policy.h>

#define SECONDS_BELOW \
    1000 /* limits below this number are seconds; all other limits are milliseconds */
#define TIMEOUT_MAX_S 86400

struct file {
    struct mcph_check check;
    /* The unknown keys that gave a warning.  These keys point into the document. */
    struct mcph_map warned;
};

struct entry {
    struct reading rd;
    struct file *file;
};

/* ---- texts ------------------------------------------------------------------------- */

/* Translates variables of Cursor into the form that all other programs use.  ${env:NAME}
 * becomes ${NAME}.  ${userHome} becomes ${HOME}.  Replaces the other variables in `all`,
 * for example ${workspaceFolder}, by their values. */
static char *
rewrite_text(const char *text, const char *workspace)
{
    const char *base = strrchr(workspace, '/');
    const struct {
        const char *written, *meant;
    } all[] = {
        {"${env:", "${"},
        {"${workspaceFolder}", workspace},
        {"${workspaceFolderBasename}", base ? base + 1 : workspace},
        {"${userHome}", "${HOME}"},
        {"${pathSeparator}", "/"},
        {"${/}", "/"},
    };
    struct mcph_buf buf;
    char *copy;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    while (*text) {
        size_t i = 0;

        while (i < MCPH_ARRAY_SIZE(all) &&
               strncmp(text, all[i].written, strlen(all[i].written)) != 0)
            i++;
        if (i < MCPH_ARRAY_SIZE(all)) {
            mcph_buf_adds(&buf, all[i].meant);
            text += strlen(all[i].written);
        } else {
            mcph_buf_addc(&buf, *text++);
        }
    }
    copy = mcph_buf_steal(&buf, NULL);
    mcph_buf_wipe(&buf);
    return copy;
}

static void
rewrite_node(struct mcph_check *check, struct mcph_node *node)
{
    char *text;

    for (size_t i = 0; i < node->n; i++)
        rewrite_node(check, node->items[i]);
    if (node->kind != MCPH_NODE_STRING || !strstr(node->text, "${"))
        return;
    text = rewrite_text(node->text, check->config->workspace);
    if (!text || mcph_node_set_text(node, mcph_span_str(text)) < 0)
        mcph_reading_keep_nomem(check, false);
    mcph_str_wipe(text);
}

/* ---- the keys of an entry ---------------------------------------------------------- */

static const struct {
    const char *type;
    int transport;
} types[] = {
    {"stdio", MCPHOST_TRANSPORT_STDIO},
    {"http", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"streamable-http", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"streamableHttp", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"streamable_http", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"sse", MCPHOST_TRANSPORT_SSE},
};

/* Reads the transport of an entry.  If `type` is missing, `command` or `url` decides the
 * transport. */
static int
transport_of(struct mcph_check *check, const struct mcph_node *map)
{
    const struct mcph_node *type = mcph_node_get(map, "type"), *at = map;
    bool command = mcph_node_get(map, "command"), url = mcph_node_get(map, "url");
    size_t i = 0, mark;

    if (!type && command != url)
        return command ? MCPHOST_TRANSPORT_STDIO : MCPHOST_TRANSPORT_STREAMABLE_HTTP;
    if (!type) {
        mcph_check_error(check, at, "expected either 'command' or 'url', found %s",
                         command ? "both, and no 'type'" : "neither");
        return MCPHOST_TRANSPORT_NONE;
    }
    mark = mcph_check_enter(check, "type");
    if (mcph_check_kind(check, type, MCPH_NODE_STRING, "'stdio', 'http' or 'sse'")) {
        while (i < MCPH_ARRAY_SIZE(types) && strcmp(types[i].type, type->text) != 0)
            i++;
        if (i == MCPH_ARRAY_SIZE(types))
            mcph_check_error(check, type,
                             "expected 'stdio', 'http' or 'sse', found '%.32s'",
                             type->text);
    } else {
        i = MCPH_ARRAY_SIZE(types);
    }
    mcph_check_leave(check, mark);
    return i < MCPH_ARRAY_SIZE(types) ? types[i].transport : MCPHOST_TRANSPORT_NONE;
}

static bool
check_allowed(struct mcph_check *check, const struct mcph_node *map, int transport)
{
    char expected[MCPH_TRANSPORTS_TEXT];

    if (transport == MCPHOST_TRANSPORT_NONE ||
        mcph_transport_allowed(check->config->transports, transport))
        return true;
    mcph_transports_text(check->config->transports, expected);
    mcph_check_error(check, map, "expected a server over %s, found one over '%s'",
                     expected, mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, transport));
    return false;
}

/* Does nothing.  `type` is the only key that this function is called for, and
 * transport_of() reads `type`. */
static void
read_own(struct reading *rd, const struct mcph_key *key, const char *name,
         const struct mcph_node *node)
{
    (void)rd;
    (void)key;
    (void)name;
    (void)node;
}

/* Reads a value.  Accepts numbers, true and false as texts, in the spelling of the
 * file. */
static void
read_value(struct reading *rd, const struct mcph_key *key, const char *name,
           const struct mcph_node *node)
{
    if (node->kind == MCPH_NODE_INT || node->kind == MCPH_NODE_FLOAT ||
        node->kind == MCPH_NODE_BOOL ||
        mcph_check_kind(rd->check, node, MCPH_NODE_STRING, "a string"))
        mcph_reading_add_value(rd, key, name, node, node->text, NULL);
}

static void
warn_once(struct reading *rd, const struct mcph_node *name)
{
    struct file *file = MCPH_CONTAINER_OF(rd, struct entry, rd)->file;
    size_t mark;

    if (mcph_map_get(&file->warned, name->text, name->len))
        return;
    mcph_reading_keep_nomem(rd->check, mcph_map_put(&file->warned, name->text, name->len,
                                                    (void *)(uintptr_t)name, NULL) == 0);
    mark = mcph_check_enter(rd->check, name->text);
    mcph_check_warn(rd->check, name, "unknown here, ignored in this and other servers");
    mcph_check_leave(rd->check, mark);
}

/* Reads the time limit of calls.  Programs use two units for `timeout`: Claude Code
 * writes milliseconds, Cline and Roo Code write seconds.  The size of the number decides
 * the unit (SECONDS_BELOW). */
static void
read_timeout(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "timeout");
    size_t mark = mcph_check_enter(rd->check, "timeout");
    double ms = node ? node->number : 0;

    if (node && node->kind != MCPH_NODE_INT && node->kind != MCPH_NODE_FLOAT) {
        mcph_check_error(rd->check, node, "expected a number of milliseconds, found %s",
                         mcph_node_kind_text(node));
    } else if (node) {
        if (ms < SECONDS_BELOW)
            ms *= 1000;
        if (ms >= 1 && ms <= TIMEOUT_MAX_S * 1000.0)
            rd->spec->call_timeout_ms = (int64_t)(ms + 0.5);
        else
            mcph_check_error(rd->check, node,
                             "expected milliseconds up to %d000, found %.32s",
                             TIMEOUT_MAX_S, node->text);
    }
    mcph_check_leave(rd->check, mark);
}

/* If the entry has `cwd`, puts `cwd` before a relative `command` that contains a "/",
 * as other programs that read the file do.  A command without a "/" is looked up in
 * PATH. */
static void
place_program(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "command");
    char *path;

    if (!rd->spec->command || !rd->spec->cwd || !mcph_node_get(rd->map, "cwd") ||
        node->text[0] == '$' || node->text[0] == '/' || !strchr(node->text, '/') ||
        rd->spec->cwd[0] == '$')
        return;
    path = mcph_profile_join(rd->spec->cwd, node->text);
    mcph_reading_keep_nomem(rd->check, path != NULL);
    if (path) {
        free(rd->spec->command);
        rd->spec->command = path;
    }
}

static const struct spelling spellings[] = {
    {"transport", "type"}, {"command", "command"}, {"args", "args"},       {"env", "env"},
    {"cwd", "cwd"},        {"url", "url"},         {"headers", "headers"}, {NULL, NULL},
};

static const char *const others[] = {"disabled", "enabled", "timeout", NULL};

static const struct dialect dialect = {
    .spellings = spellings,
    .others = others,
    .read = read_own,
    .value = read_value,
    .unknown = warn_once,
};

static bool
is_disabled(struct mcph_check *check, const struct mcph_node *map)
{
    bool disabled = mcph_check_bool(check, map, "disabled", false);

    return !mcph_check_bool(check, map, "enabled", true) || disabled;
}

static void
read_server(struct mcph_check *check, struct mcph_config_server *server,
            const struct mcph_node *key, struct mcph_node *node)
{
    struct file *file = MCPH_CONTAINER_OF(check, struct file, check);
    struct entry entry = {.rd = {.check = check, .map = node, .dialect = &dialect},
                          .file = file};
    struct reading *rd = &entry.rd;
    size_t errors = check->n_errors;

    check->server = server->id;
    if (mcph_text_blank(key->text))
        mcph_check_error(check, key, "expected an id for the server, found a blank");
    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "a map"))
        goto out;
    if (is_disabled(check, node)) {
        if (check->n_errors == errors)
            server->state = MCPHOST_CONFIG_SERVER_DISABLED;
        goto out;
    }
    server->transport = transport_of(check, node);
    if (!check_allowed(check, node, server->transport))
        server->transport = MCPHOST_TRANSPORT_NONE;
    rewrite_node(check, node);
    rd->spec = mcph_reading_spec_new(check, server, key);
    if (!rd->spec)
        goto out;
    rd->spec->transport = server->transport;
    rd->spec->variables = MCPH_VARIABLES_NEEDED;
    mcph_reading_keys(rd);
    read_timeout(rd);
    place_program(rd);
    if (check->err == 0 && check->n_errors == errors)
        mcph_reading_seal(check, server, rd->spec);
out:
    mcph_spec_unref(rd->spec);
    check->server = NULL;
}

/* ---- the file ---------------------------------------------------------------------- */

static int
read_servers(struct file *file, const struct mcph_node *servers)
{
    size_t mark = mcph_check_enter(&file->check, "mcpServers");
    int r = mcph_reading_servers(&file->check, servers, read_server);

    mcph_check_leave(&file->check, mark);
    return r;
}

/* Reads the document.  Ignores all members except `mcpServers`, because the file may hold
 * all settings of a program. */
static int
read_root(mcphost_config *config, const struct mcph_node *root)
{
    const struct mcph_node *servers = NULL;
    struct file file = {0};
    int r = 0;

    mcph_check_init(&file.check, config);
    if (root->kind != MCPH_NODE_MAP)
        r = mcph_config_fail(config, MCPHOST_E_CONFIG, "", root->line, root->column,
                             "expected an object with 'mcpServers', found %s",
                             mcph_node_kind_text(root));
    else
        servers = mcph_node_get(root, "mcpServers");
    if (servers && servers->kind == MCPH_NODE_MAP)
        r = read_servers(&file, servers);
    else if (servers)
        r = mcph_config_fail(config, MCPHOST_E_CONFIG, "mcpServers", servers->line,
                             servers->column, "expected a map of servers, found %s",
                             mcph_node_kind_text(servers));
    else if (root->kind == MCPH_NODE_MAP)
        mcph_check_warn(&file.check, root, "there is no 'mcpServers'");
    if (r == 0)
        r = file.check.err;
    mcph_check_done(&file.check);
    mcph_map_done(&file.warned);
    return r;
}

static int
fill_config(mcphost_config *config, const char *data, size_t len)
{
    struct mcph_doc *doc = NULL;
    int r;

    r = mcph_json_parse(data, len, MCPH_JSON_DOC_SIZE, MCPH_JSON_DOC_RELAXED,
                        mcph_profile_report, config, &doc);
    if (r == 0)
        r = read_root(config, doc->root);
    else if (r == MCPHOST_E_LIMIT)
        config->status = r;
    mcph_doc_free(doc);
    if (r == MCPHOST_E_NOMEM)
        return r;
    return mcph_config_finish(config);
}

static const struct mcph_form form = {
    .source = "mcpservers",
    .place = ".mcp.json",
    .size_max = MCPH_JSON_DOC_SIZE,
    .transports = MCPH_TRANSPORTS_USUAL | MCPHOST_ALLOW_SSE,
    .fill = fill_config,
};

int
mcph_mcpservers_parse(const char *data, size_t len, const char *name,
                      const char *workspace, unsigned transports,
                      mcphost_config **ret_config, mcphost_error **reterr)
{
    return mcph_form_parse(&form, data, len, name, workspace, transports, ret_config,
                           reterr);
}

int
mcph_mcpservers_reader_new(const char *file, const char *workspace,
                           struct mcph_config_reader **ret, mcphost_error **reterr)
{
    return mcph_form_reader_new(&form, file, workspace, ret, reterr);
}
