/* SPDX-License-Identifier: MIT
 *
 * chatos_mcp.c - read `ai.mcp`, an app's own server (R120, R122, R131, R132, B.20, B.22).
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "profile/reading.h"

#define COMMAND "node"

/* ---- callMeta ---------------------------------------------------------------------- */

static void add_value(struct mcph_buf *json, const struct mcph_node *node);

static void
add_map(struct mcph_buf *json, const struct mcph_node *map)
{
    mcph_buf_addc(json, '{');
    for (size_t i = 0; i < map->n && mcph_buf_ok(json) == 0; i++) {
        if (i > 0)
            mcph_buf_addc(json, ',');
        mcph_json_add_string(json, map->keys[i]->text, map->keys[i]->len);
        mcph_buf_addc(json, ':');
        add_value(json, map->items[i]);
    }
    mcph_buf_addc(json, '}');
}

static void
add_list(struct mcph_buf *json, const struct mcph_node *list)
{
    mcph_buf_addc(json, '[');
    for (size_t i = 0; i < list->n && mcph_buf_ok(json) == 0; i++) {
        if (i > 0)
            mcph_buf_addc(json, ',');
        add_value(json, list->items[i]);
    }
    mcph_buf_addc(json, ']');
}

/* Writes a number as the file spells it.  If JSON does not allow this spelling of YAML,
 * writes the value of the number. */
static void
add_number(struct mcph_buf *json, const struct mcph_node *node)
{
    struct mcph_span text = mcph_span(node->text, node->len);

    if (mcph_json_check(text, 1, NULL, NULL) == 0)
        mcph_buf_add(json, text.p, text.len);
    else if (node->kind == MCPH_NODE_INT)
        mcph_buf_addi(json, node->integer);
    else
        mcph_json_add_double(json, node->number);
}

static void
add_value(struct mcph_buf *json, const struct mcph_node *node)
{
    switch (node->kind) {
    case MCPH_NODE_MAP:
        add_map(json, node);
        break;
    case MCPH_NODE_LIST:
        add_list(json, node);
        break;
    case MCPH_NODE_STRING:
        mcph_json_add_string(json, node->text, node->len);
        break;
    case MCPH_NODE_INT:
    case MCPH_NODE_FLOAT:
        add_number(json, node);
        break;
    case MCPH_NODE_BOOL:
        mcph_json_add_bool(json, node->boolean);
        break;
    default:
        mcph_buf_adds(json, "null");
    }
}

static int
make_json(const struct mcph_node *node, char **ret_json)
{
    struct mcph_buf written, canonical;
    int r;

    /* Limit the text, because YAML aliases may make the text longer than the file. */
    mcph_buf_init(&written, MCPH_CHATOS_MANIFEST_MAX);
    mcph_buf_init(&canonical, MCPH_CHATOS_MANIFEST_MAX);
    add_value(&written, node);
    r = mcph_buf_ok(&written);
    if (r == 0)
        r = mcph_json_add_canonical(&canonical, mcph_span(written.data, written.len));
    if (r == 0)
        r = mcph_buf_give(&canonical, ret_json, NULL);
    mcph_buf_wipe(&written);
    mcph_buf_wipe(&canonical);
    return r;
}

static char *
read_call_meta(struct chatos_reading *rd, const struct mcph_node *map)
{
    const struct mcph_node *node =
        mcph_check_member(rd->check, map, "callMeta", MCPH_NODE_MAP, "a map");
    char *json = NULL;
    size_t mark;
    int r;

    if (!node)
        return NULL;
    r = make_json(node, &json);
    mark = mcph_check_enter(rd->check, "callMeta");
    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(rd->check, node, "is larger than %zu bytes",
                         MCPH_CHATOS_MANIFEST_MAX);
    mcph_check_leave(rd->check, mark);
    mcph_reading_keep_nomem(rd->check, r != MCPHOST_E_NOMEM);
    return json;
}

/* ---- auth -------------------------------------------------------------------------- */

static void
auth_done(struct mcph_chatos_auth *auth)
{
    mcph_str_wipe(auth->token);
    mcph_str_wipe(auth->username);
    mcph_str_wipe(auth->password);
    mcph_values_done(&auth->headers);
}

static void
read_header(struct chatos_reading *rd, const char *name, const struct mcph_node *node,
            struct mcph_values *headers)
{
    char *text = mcph_chatos_read_text(rd, node, CHATOS_ANY);

    if (text)
        mcph_reading_keep_nomem(rd->check,
                                mcph_values_add(headers, name, text, NULL) == 0);
    mcph_str_wipe(text);
}

/* Reads the headers.  Stops at the first bad header, because a file may have very many
 * bad headers. */
static void
read_headers(struct chatos_reading *rd, const struct mcph_node *auth,
             struct mcph_values *headers)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *map =
        mcph_check_member(check, auth, "headers", MCPH_NODE_MAP, "a map of headers");
    size_t errors = check->n_errors, mark;

    if (!map)
        return;
    mark = mcph_check_enter(check, "headers");
    for (size_t i = 0; i < map->n && check->n_errors == errors && !check->err; i++) {
        size_t inner = mcph_check_enter(check, map->keys[i]->text);

        read_header(rd, map->keys[i]->text, map->items[i], headers);
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
}

static void
read_auth(struct chatos_reading *rd, const struct mcph_node *map,
          struct mcph_chatos_auth *auth)
{
    const struct mcph_node *node =
        mcph_check_member(rd->check, map, "auth", MCPH_NODE_MAP, "a map");
    const struct mcph_node *basic;
    size_t mark, inner;

    if (!node)
        return;
    mark = mcph_check_enter(rd->check, "auth");
    auth->token = mcph_chatos_read_text_at(rd, node, "token", CHATOS_ANY);
    basic = mcph_check_member(rd->check, node, "basic", MCPH_NODE_MAP, "a map");
    if (basic) {
        inner = mcph_check_enter(rd->check, "basic");
        auth->username = mcph_chatos_read_text_at(rd, basic, "username", CHATOS_ANY);
        auth->password = mcph_chatos_read_text_at(rd, basic, "password", CHATOS_ANY);
        mcph_check_leave(rd->check, inner);
    }
    read_headers(rd, node, &auth->headers);
    mcph_check_leave(rd->check, mark);
}

/* ---- mcp --------------------------------------------------------------------------- */

struct mcph_chatos_mcp *
mcph_chatos_mcp_free(struct mcph_chatos_mcp *mcp)
{
    if (!mcp)
        return NULL;
    mcph_str_wipe(mcp->url);
    free(mcp->entry);
    free(mcp->command);
    mcph_strings_done(&mcp->args);
    mcph_str_wipe(mcp->call_meta);
    free(mcp->description);
    mcph_strings_done(&mcp->tags);
    auth_done(&mcp->auth);
    free(mcp);
    return NULL;
}

/* Reads the URL or the entry of a server, the command and the arguments.  An `entry`
 * beside `url` is ignored, but must be a text that is not blank. */
static void
read_endpoint(struct chatos_reading *rd, const struct mcph_node *map,
              struct mcph_chatos_mcp *mcp)
{
    mcp->url = mcph_chatos_read_text_at(rd, map, "url", CHATOS_FILLED);
    if (mcph_node_get(map, "url"))
        free(mcph_chatos_read_text_at(rd, map, "entry", CHATOS_FILLED));
    else if (mcph_node_get(map, "entry"))
        mcp->entry = mcph_chatos_read_path_at(rd, map, "entry", true);
    else
        mcph_check_error(rd->check, map, "expected 'url' or 'entry', found neither");
    mcp->command = mcph_node_get(map, "command")
                       ? mcph_chatos_read_text_at(rd, map, "command", CHATOS_FILLED)
                       : mcph_chatos_read_text_or(rd, map, "command", COMMAND);
    mcph_chatos_read_texts_at(rd, map, "args", &mcp->args);
}

struct mcph_chatos_mcp *
mcph_chatos_read_mcp(struct chatos_reading *rd, const struct mcph_node *node)
{
    static const char *const known[] = {"url",       "entry",       "command", "args",
                                        "callMeta",  "description", "tags",    "enabled",
                                        "allowMain", "allowSub",    "auth"};
    size_t errors = rd->check->n_errors;
    struct mcph_chatos_mcp *mcp;

    if (!mcph_check_kind(rd->check, node, MCPH_NODE_MAP, "a map"))
        return NULL;
    mcp = calloc(1, sizeof(*mcp));
    mcph_reading_keep_nomem(rd->check, mcp != NULL);
    if (!mcp)
        return NULL;
    mcp->line = node->line;
    mcp->column = node->column;
    mcph_chatos_warn_misspelt(rd, node, known, MCPH_ARRAY_SIZE(known));
    read_endpoint(rd, node, mcp);
    mcp->call_meta = read_call_meta(rd, node);
    mcp->description = mcph_chatos_read_text_or(rd, node, "description", "");
    mcph_chatos_read_texts_at(rd, node, "tags", &mcp->tags);
    mcp->enabled = mcph_chatos_read_flag_at(rd, node, "enabled");
    mcp->allow_main = mcph_chatos_read_flag_at(rd, node, "allowMain");
    mcp->allow_sub = mcph_chatos_read_flag_at(rd, node, "allowSub");
    read_auth(rd, node, &mcp->auth);
    if (rd->check->n_errors != errors || rd->check->err)
        mcp = mcph_chatos_mcp_free(mcp);
    return mcp;
}

int
mcph_chatos_mcp_url(const struct mcph_chatos_mcp *mcp, const char *dir, char **ret_url)
{
    char *entry;
    int r;

    if (!mcp->url && !mcp->entry)
        return MCPHOST_E_NOTFOUND;
    entry = mcp->url ? mcph_strdup(mcp->url) : mcph_profile_join(dir, mcp->entry);
    if (!entry)
        return MCPHOST_E_NOMEM;
    if (mcp->url) {
        *ret_url = entry;
        return 0;
    }
    r = mcph_chatos_cmd_format(mcp->command, entry, &mcp->args, ret_url);
    free(entry);
    return r;
}
