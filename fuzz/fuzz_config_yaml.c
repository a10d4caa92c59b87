/* SPDX-License-Identifier: MIT
 *
 * fuzz_config_yaml.c - reads any bytes as .minds/mcp.yaml: the tree, the specs and the
 * diagnostics.
 *
 * The reader either reads or refuses a text.  A refusal must give a reason without
 * control characters.  The diagnostics must be in the order of the lines.  The same text
 * must give the same specs, hashes and diagnostics.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the tree ---------------------------------------------------------------------- */

static int
count_errors(int severity, const char *key, int line, int column, const char *text,
             void *arg)
{
    int *n = arg;

    must(key && text && *text && line >= 0 && column >= 0);
    if (severity == MCPHOST_DIAGNOSTIC_ERROR)
        ++*n;
    return 0;
}

static size_t
walk(const struct mcph_node *node, int depth)
{
    size_t n = 1;

    must(depth <= MCPH_DOC_DEPTH_MAX && node->line >= 1 && node->column >= 1);
    if (node->kind == MCPH_NODE_LIST || node->kind == MCPH_NODE_MAP) {
        must(!node->text &&
             (node->keys != NULL) == (node->kind == MCPH_NODE_MAP && node->n));
        for (size_t i = 0; i < node->n; i++) {
            if (node->kind == MCPH_NODE_MAP) {
                must(mcph_node_get(node, node->keys[i]->text) == node->items[i]);
                n += walk(node->keys[i], depth + 1);
            }
            n += walk(node->items[i], depth + 1);
        }
    } else {
        must(node->text && strlen(node->text) == node->len);
        must(mcph_utf8_valid(node->text, node->len, NULL));
        if (node->kind == MCPH_NODE_INT)
            must(node->number <= (double)INT64_MAX && node->number >= (double)INT64_MIN);
    }
    must(n <= node->weight);
    return n;
}

static bool
check_tree(const char *text, size_t len)
{
    struct mcph_doc *doc = NULL;
    int n_errors = 0, r;

    r = mcph_yaml_parse(text, len, count_errors, &n_errors, &doc);
    must((r == 0) == (doc != NULL) && n_errors == (r == 0 ? 0 : 1));
    if (doc)
        walk(doc->root, 1);
    mcph_doc_free(doc);
    return r == 0;
}

/* ---- the configuration ------------------------------------------------------------- */

static bool
is_clean(const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    }
    return mcph_utf8_valid(text, strlen(text), NULL);
}

static void
check_diags(const mcphost_config *config)
{
    int line = 0;
    size_t n_errors = 0;

    for (size_t i = 0; i < config->diags.n; i++) {
        const struct mcph_diag *diag = config->diags.items[i];

        must(*diag->message && is_clean(diag->message) && is_clean(diag->key));
        must(strncmp(diag->message, diag->key, strlen(diag->key)) == 0);
        must(diag->line >= line || diag->line == 0);
        line = diag->line;
        n_errors += diag->severity == MCPHOST_DIAGNOSTIC_ERROR;
    }
    if (config->status != 0)
        must(n_errors > 0 && config->servers.n == 0);
}

static const char *
lookup(const char *name, void *arg)
{
    (void)arg;
    return strlen(name) % 2 ? name : NULL;
}

static void
check_spec(const struct mcph_spec *spec)
{
    struct mcph_pairs pairs = {0};
    mcphost_error *err = NULL;

    must(spec->filter && spec->transform && spec->cwd);
    if (spec->transport == MCPHOST_TRANSPORT_STDIO)
        must(spec->command && *spec->command);
    else
        must(spec->url && strncmp(spec->url, "http", 4) == 0);
    if (mcph_spec_resolve(spec, &spec->env, lookup, NULL, &pairs, &err) == 0)
        must(pairs.n == spec->env.n);
    else
        must(strstr(mcphost_error_get_message(err), "is not set") != NULL);
    err = mcphost_error_unref(err);
    mcph_pairs_done(&pairs);
    mcph_spec_resolve(spec, &spec->headers, lookup, NULL, &pairs, NULL);
    mcph_pairs_done(&pairs);
}

static void
check_servers(const mcphost_config *config)
{
    for (size_t i = 0; i < config->servers.n; i++) {
        const struct mcph_config_server *server = config->servers.items[i];

        must(mcph_config_find(config, server->id) == server);
        must((server->state == MCPHOST_CONFIG_SERVER_VALID) == (server->spec != NULL));
        must((server->state == MCPHOST_CONFIG_SERVER_INVALID) == (server->error != NULL));
        if (server->spec)
            check_spec(server->spec);
    }
}

static void
same(const mcphost_config *a, const mcphost_config *b)
{
    must(a->status == b->status && a->servers.n == b->servers.n &&
         a->diags.n == b->diags.n);
    for (size_t i = 0; i < a->servers.n; i++) {
        const struct mcph_config_server *x = a->servers.items[i],
                                        *y = b->servers.items[i];

        must(strcmp(x->id, y->id) == 0 && x->state == y->state);
        if (!x->spec)
            continue;
        must(memcmp(x->spec->launch_hash, y->spec->launch_hash, MCPH_DIGEST_LEN) == 0);
        must(memcmp(x->spec->view_hash, y->spec->view_hash, MCPH_DIGEST_LEN) == 0);
    }
    for (size_t i = 0; i < a->diags.n; i++) {
        const struct mcph_diag *x = a->diags.items[i], *y = b->diags.items[i];

        must(strcmp(x->message, y->message) == 0 && x->line == y->line);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mcphost_config *config[2] = {NULL, NULL};
    const char *text = (const char *)data;
    bool readable = check_tree(text, size);

    for (size_t i = 0; i < 2; i++) {
        must(mcph_dominds_parse(text, size, "f", "/ws", MCPH_TRANSPORTS_USUAL, &config[i],
                                NULL) == 0);
        must(readable || config[i]->status != 0);
        check_diags(config[i]);
        check_servers(config[i]);
    }
    same(config[0], config[1]);
    mcph_config_unref(config[0]);
    mcph_config_unref(config[1]);
    return 0;
}
