/* SPDX-License-Identifier: MIT
 *
 * goclaw_list.c - list the servers of .goclaw/mcp.json, enabled or not, as JSON for a
 * model (R192, B.35).
 *
 * Unless MCPHOST_GOCLAW_SHOW_SECRETS is set, the list hides possible secrets (K13): the
 * values in `env`, `headers` and `http_headers`, and the userinfo and query of a URL.  A
 * member with one of these three keys that is no object is hidden as a whole, because a
 * person may have written the secrets in another form.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/goclaw.h"

#define HIDDEN "(hidden)"

/* ---- one server -------------------------------------------------------------------- */

static void
put_scalar(struct mcph_buf *buf, const struct mcph_node *node)
{
    if (node->kind == MCPH_NODE_STRING)
        mcph_json_add_string(buf, node->text, node->len);
    else if (node->text)
        mcph_buf_add(buf, node->text, node->len);
    else
        mcph_buf_adds(buf, "null");
}

static void
put_list(struct mcph_buf *buf, const struct mcph_node *list)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < list->n; i++) {
        mcph_json_add_comma(buf);
        put_scalar(buf, list->items[i]);
    }
    mcph_buf_addc(buf, ']');
}

static void
put_values(struct mcph_buf *buf, const struct mcph_node *map, bool secrets)
{
    mcph_buf_addc(buf, '{');
    for (size_t i = 0; i < map->n; i++) {
        mcph_json_add_key(buf, map->keys[i]->text);
        if (secrets)
            put_scalar(buf, map->items[i]);
        else
            mcph_json_add_str(buf, HIDDEN);
    }
    mcph_buf_addc(buf, '}');
}

static void
put_url(struct mcph_buf *buf, const struct mcph_node *node, bool secrets)
{
    struct mcph_buf shown;

    if (secrets || node->kind != MCPH_NODE_STRING) {
        put_scalar(buf, node);
        return;
    }
    mcph_buf_init(&shown, GOCLAW_TEXT_MAX);
    mcph_url_show(node->text, &shown);
    if (mcph_buf_ok(&shown) < 0)
        buf->err = shown.err;
    else
        mcph_json_add_string(buf, shown.data, shown.len);
    mcph_buf_done(&shown);
}

/* Returns true if the value of `key` may hold secrets, whatever its type is. */
static bool
holds_secrets(const char *key)
{
    return strcmp(key, "env") == 0 || strcmp(key, "headers") == 0 ||
           strcmp(key, "http_headers") == 0;
}

static void
put_members(struct mcph_buf *buf, const struct mcph_node *map, const char *const *keys,
            bool secrets)
{
    for (const char *const *key = keys; *key; key++) {
        const struct mcph_node *node = mcph_node_get(map, *key);

        if (!node || node->kind == MCPH_NODE_NULL || strcmp(*key, "enabled") == 0)
            continue;
        mcph_json_add_key(buf, *key);
        if (strcmp(*key, "url") == 0)
            put_url(buf, node, secrets);
        else if (node->kind == MCPH_NODE_MAP)
            put_values(buf, node, secrets);
        else if (!secrets && holds_secrets(*key))
            mcph_json_add_str(buf, HIDDEN);
        else if (node->kind == MCPH_NODE_LIST)
            put_list(buf, node);
        else
            put_scalar(buf, node);
    }
}

/* Appends one server.  Writes `enabled` even if the entry has no `enabled`. */
static void
put_server(struct mcph_buf *buf, const char *name, const struct mcph_node *map,
           bool secrets)
{
    const struct mcph_node *enabled = mcph_node_get(map, "enabled");

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", name);
    mcph_json_add_key(buf, "enabled");
    mcph_json_add_bool(buf,
                       enabled && enabled->kind == MCPH_NODE_BOOL && enabled->boolean);
    put_members(buf, map, mcph_goclaw_keys, secrets);
    put_members(buf, map, mcph_goclaw_later_keys, secrets);
    mcph_buf_addc(buf, '}');
}

/* ---- all servers ------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    const struct mcph_node *const *ka = a, *const *kb = b;

    return strcmp((*ka)->text, (*kb)->text);
}

/* Appends the servers in the order of their names (B.35).  Skips entries that are not
 * objects. */
static int
put_servers(struct mcph_buf *buf, const struct mcph_node *servers, bool secrets)
{
    const struct mcph_node **keys;

    if (!servers || servers->kind != MCPH_NODE_MAP || servers->n == 0)
        return 0;
    keys = mcph_reallocarray(NULL, servers->n, sizeof(const struct mcph_node *));
    if (!keys)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < servers->n; i++)
        keys[i] = servers->keys[i];
    qsort(keys, servers->n, sizeof(const struct mcph_node *), by_name);
    for (size_t i = 0; i < servers->n; i++) {
        const struct mcph_node *node = mcph_node_get(servers, keys[i]->text);

        if (node->kind == MCPH_NODE_MAP)
            put_server(buf, keys[i]->text, node, secrets);
    }
    free(keys);
    return 0;
}

/* Reads the file of servers.  A missing file counts as a file without servers. */
static int
read_text(const struct mcph_goclaw *goclaw, struct mcph_buf *text, mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    int top = mcph_goclaw_open_top(goclaw, reterr), r;

    if (top < 0)
        return top;
    r = mcph_goclaw_read(top, MCPH_GOCLAW_FILE, MCPH_GOCLAW_SIZE_MAX, MCPH_GOCLAW_FILE,
                         text, NULL, NULL, &err);
    close(top);
    if (r == MCPHOST_E_NOTFOUND)
        r = 0;
    if (r < 0 && reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

struct report {
    const struct mcph_goclaw *goclaw;
    mcphost_error *err;
};

static int
keep_report(int severity, const char *key, int line, int column, const char *text,
            void *arg)
{
    struct report *report = arg;

    if (severity == MCPHOST_DIAGNOSTIC_ERROR && !report->err)
        mcph_err_at(&report->err, MCPHOST_E_CONFIG, report->goclaw->file, line, column,
                    "%s%s%s", key, *key ? ": " : "", text);
    return 0;
}

int
mcph_goclaw_list_servers(const struct mcph_goclaw *goclaw, struct mcph_buf *buf,
                         mcphost_error **reterr)
{
    bool secrets = (goclaw->flags & MCPHOST_GOCLAW_SHOW_SECRETS) != 0;
    struct report report = {.goclaw = goclaw};
    const struct mcph_node *servers = NULL;
    struct mcph_doc *doc = NULL;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, GOCLAW_TEXT_MAX);
    r = read_text(goclaw, &text, reterr);
    if (r == 0 && text.len > 0) {
        r = mcph_json_parse(text.data, text.len, MCPH_GOCLAW_SIZE_MAX, 0, keep_report,
                            &report, &doc);
        if (r == MCPHOST_E_NOMEM)
            mcph_err_nomem(reterr);
        else if (r < 0 && reterr)
            *reterr = mcphost_error_ref(report.err);
    }
    if (doc && doc->root->kind == MCPH_NODE_MAP)
        servers = mcph_node_get(doc->root, "servers");
    if (r == 0) {
        mcph_buf_addc(buf, '[');
        r = put_servers(buf, servers, secrets);
        mcph_buf_addc(buf, ']');
        if (r == 0)
            r = mcph_buf_ok(buf);
        if (r < 0)
            mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    mcph_doc_free(doc);
    mcph_buf_wipe(&text);
    mcphost_error_unref(report.err);
    return r;
}
