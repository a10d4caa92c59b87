/* SPDX-License-Identifier: MIT
 *
 * fuzz_config_writer.c - sets servers.<id>.enabled in any bytes.
 *
 * The first byte selects the server and the value.  The remaining bytes are the text.  If
 * the server did not have the key, an edit must insert text at one place and change
 * nothing else.  If the old text is a valid configuration, the new text must be a valid
 * configuration, too, and have the new value, and the hashes of all other servers must
 * not change.  The same edit again must change nothing.
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

static mcphost_config *
load_config(const char *text, size_t len)
{
    mcphost_config *config = NULL;

    must(mcph_dominds_parse(text, len, "f", "/ws", MCPH_TRANSPORTS_USUAL, &config,
                            NULL) == 0);
    return config;
}

static int
ignore(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)severity;
    (void)key;
    (void)line;
    (void)column;
    (void)text;
    (void)arg;
    return 0;
}

static bool
has_key(const char *text, size_t len, const char *id)
{
    struct mcph_doc *doc = NULL;
    bool has;

    must(mcph_yaml_parse(text, len, ignore, NULL, &doc) == 0);
    has = mcph_node_get(mcph_node_get(mcph_node_get(doc->root, "servers"), id),
                        "enabled") != NULL;
    mcph_doc_free(doc);
    return has;
}

/* Checks that the edit only inserts text, at one place.  Checks nothing if the server
 * `id` had the key `enabled` before, because the edit may then replace text. */
static void
one_place(const char *a, size_t a_len, const char *b, size_t b_len, const char *id)
{
    size_t front = 0, back = 0;

    while (front < a_len && front < b_len && a[front] == b[front])
        front++;
    while (back < a_len - front && back < b_len - front &&
           a[a_len - 1 - back] == b[b_len - 1 - back])
        back++;
    must(front + back == a_len || has_key(a, a_len, id));
}

static void
others_stay(const mcphost_config *a, const mcphost_config *b, const char *id)
{
    must(a->servers.n == b->servers.n);
    for (size_t i = 0; i < a->servers.n; i++) {
        const struct mcph_config_server *x = a->servers.items[i],
                                        *y = b->servers.items[i];

        must(strcmp(x->id, y->id) == 0);
        if (strcmp(x->id, id) == 0)
            continue;
        must(x->state == y->state);
        if (x->spec)
            must(memcmp(x->spec->launch_hash, y->spec->launch_hash, MCPH_DIGEST_LEN) ==
                     0 &&
                 memcmp(x->spec->view_hash, y->spec->view_hash, MCPH_DIGEST_LEN) == 0);
    }
}

static void
edit(const char *text, size_t len, const mcphost_config *before, const char *id,
     bool enabled)
{
    const struct mcph_config_server *server;
    struct mcph_buf edited, again;
    mcphost_error *err = NULL;
    mcphost_config *after;
    int r;

    mcph_buf_init(&edited, 2 * MCPH_YAML_SIZE_MAX);
    mcph_buf_init(&again, 2 * MCPH_YAML_SIZE_MAX);
    r = mcph_config_set_enabled(text, len, "f", id, enabled, &edited, &err);
    must((r < 0) == (err != NULL) && (r == 1) == (edited.len > 0));
    mcphost_error_unref(err);
    if (r == 1) {
        one_place(text, len, edited.data, edited.len, id);
        after = load_config(edited.data, edited.len);
        must(after->status == before->status);
        if (after->status == 0) {
            server = mcph_config_find(after, id);
            /* Do not expect a server with a blank id to change, because it is always
             * invalid. */
            must(server &&
                 (mcph_text_blank(id) ||
                  (server->state == MCPHOST_CONFIG_SERVER_DISABLED) == !enabled));
            others_stay(before, after, id);
        }
        must(mcph_config_set_enabled(edited.data, edited.len, "f", id, enabled, &again,
                                     NULL) == 0);
        mcph_config_unref(after);
    }
    mcph_buf_done(&edited);
    mcph_buf_done(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1, *id = "web";
    mcphost_config *before;

    if (size < 1)
        return 0;
    before = load_config(text, size - 1);
    if (before->servers.n > 0) {
        const struct mcph_config_server *server =
            before->servers.items[data[0] / 2 % before->servers.n];

        id = server->id;
    }
    edit(text, size - 1, before, id, data[0] % 2 != 0);
    mcph_config_unref(before);
    return 0;
}
