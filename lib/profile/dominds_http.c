/* SPDX-License-Identifier: MIT
 *
 * dominds_http.c - the keys of a streamable HTTP server: where it is, how it is reached
 * (R5, R17, R20).
 *
 * Nothing is opened here: whether a file can be read is found out at each start.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/dominds.h"

#define SESSION_MAX 4096

static void
read_url(struct reading *rd)
{
    const struct mcph_node *url;
    const char *why;
    size_t mark;
    int r;

    if (!mcph_node_get(rd->map, "url")) {
        dominds_missing(rd, "url", "an http or https URL");
        return;
    }
    url = dominds_filled_string(rd, rd->map, "url");
    if (!url)
        return;
    r = mcph_url_normalize(url->text, url->len, &rd->spec->url, &why);
    if (r == MCPHOST_E_CONFIG) {
        mark = mcph_check_enter(rd->check, "url");
        mcph_check_error(rd->check, url,
                         "expected an http or https URL, found one that %s", why);
        mcph_check_leave(rd->check, mark);
    } else {
        dominds_keep_nomem(rd->check, r == 0);
    }
}

/* A session goes into a header as it is. */
static bool
is_session(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++) {
        if (text[i] < 0x21 || text[i] > 0x7e)
            return false;
    }
    return len <= SESSION_MAX;
}

/* A blank one is none. */
static void
read_session(struct reading *rd)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *node;
    size_t mark;

    node = mcph_check_member(check, rd->map, "sessionId", MCPH_NODE_STRING, "a string");
    if (!node || mcph_text_blank(node->text))
        return;
    if (is_session(node->text)) {
        rd->spec->session_id = mcph_strdup(node->text);
        dominds_keep_nomem(check, rd->spec->session_id != NULL);
        return;
    }
    mark = mcph_check_enter(check, "sessionId");
    mcph_check_error(check, node,
                     "expected at most %d visible ASCII characters, found others or more",
                     SESSION_MAX);
    mcph_check_leave(check, mark);
}

/* A path below the workspace, or an absolute one (R1). */
static void
read_path(struct reading *rd, const struct mcph_node *tls, const char *key, char **ret)
{
    const struct mcph_node *node = dominds_filled_string(rd, tls, key);

    if (!node)
        return;
    *ret = mcph_profile_join(rd->check->config->workspace, node->text);
    dominds_keep_nomem(rd->check, *ret != NULL);
}

/* The one means nothing without the other. */
static void
need(struct reading *rd, const struct mcph_node *tls, const char *key, const char *other)
{
    const struct mcph_node *node = mcph_node_get(tls, key);
    size_t mark;

    if (!node || mcph_node_get(tls, other))
        return;
    mark = mcph_check_enter(rd->check, key);
    mcph_check_error(rd->check, node, "expected '%s' beside it, found nothing", other);
    mcph_check_leave(rd->check, mark);
}

static void
read_tls(struct reading *rd)
{
    static const char *const known[] = {"caFile", "caDir", "clientCert", "clientKey",
                                        "keyPassword"};
    struct mcph_check *check = rd->check;
    struct mcph_spec *spec = rd->spec;
    const struct mcph_node *tls;
    size_t mark;

    tls = mcph_check_member(check, rd->map, "tls", MCPH_NODE_MAP, "a map");
    if (!tls)
        return;
    mark = mcph_check_enter(check, "tls");
    mcph_check_unknown(check, tls, known, MCPH_ARRAY_SIZE(known));
    read_path(rd, tls, "caFile", &spec->ca_file);
    read_path(rd, tls, "caDir", &spec->ca_dir);
    read_path(rd, tls, "clientCert", &spec->client_cert);
    read_path(rd, tls, "clientKey", &spec->client_key);
    need(rd, tls, "clientKey", "clientCert");
    need(rd, tls, "keyPassword", "clientCert");
    dominds_value(rd, tls, "keyPassword", "tls.keyPassword", &spec->key_password);
    mcph_check_leave(check, mark);
}

void
dominds_http(struct reading *rd)
{
    read_url(rd);
    dominds_values(rd, "headers", &rd->spec->headers);
    read_session(rd);
    dominds_value(rd, rd->map, "proxy", "proxy", &rd->spec->proxy);
    read_tls(rd);
    rd->spec->public_only = mcph_check_bool(rd->check, rd->map, "publicOnly", false);
    rd->spec->cwd = mcph_strdup(rd->check->config->workspace);
    dominds_keep_nomem(rd->check, rd->spec->cwd != NULL);
}
