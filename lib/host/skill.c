/* SPDX-License-Identifier: MIT
 *
 * skill.c - calls for skills: the entry of a skill, its files, and directories.
 *
 * A file is read like any resource.  Its contents are checked against the skill's entry
 * before the application sees them.  The application keeps the entry for as long as it
 * uses the skill.  The application reads all files of the skill by this entry.
 *
 * Skills are the MCP extension io.modelcontextprotocol/skills.
 */
#include <stdio.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "uri/uri.h"

#define CURSOR_MAX 65536

/* ---- checks of answers ------------------------------------------------------------- */

int
mcph_skill_check_entry(mcphost_call *call, struct mcph_span result,
                       mcphost_error **reterr)
{
    struct mcph_span skill = mcph_json_get(result, "skill"), uri = call->target.name;
    const char *why = NULL;
    char text[200];

    if (mcph_skill_check(skill, &why) == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (!why && !mcph_json_string_is(mcph_json_get(skill, "uri"), uri.p, uri.len))
        why = "its uri is not the requested one";
    if (!why)
        return 0;
    snprintf(text, sizeof(text), "an invalid skill: %s", why);
    return mcph_target_refuse(call, text, reterr);
}

int
mcph_skill_check_directory(mcphost_call *call, struct mcph_span result,
                           mcphost_error **reterr)
{
    if (mcph_json_type(mcph_json_get(result, "resources")) != MCPH_JSON_ARRAY)
        return mcph_target_refuse(call, "no array 'resources'", reterr);
    return 0;
}

/* Decodes base64 into the buffer.  Returns 0, MCPHOST_E_PROTOCOL or MCPHOST_E_NOMEM. */
static int
decode_text(struct mcph_span text, struct mcph_buf *out)
{
    struct mcph_base64 b64;
    size_t n = 0, end = 0;
    int r = mcph_buf_reserve(out, MCPH_BASE64_ROOM(text.len));

    if (r < 0)
        return MCPHOST_E_NOMEM;
    mcph_base64_init(&b64);
    r = mcph_base64_feed(&b64, text.p, text.len, (unsigned char *)out->data, &n);
    if (r == 0)
        r = mcph_base64_end(&b64, (unsigned char *)out->data + n, &end);
    out->len = n + end;
    return r < 0 ? MCPHOST_E_PROTOCOL : 0;
}

/* Gets the bytes of the file from the result.  The result must have one element of
 * `contents`, with the URI of the file.  Returns 0, MCPHOST_E_PROTOCOL or
 * MCPHOST_E_NOMEM. */
static int
read_bytes(const mcphost_call *call, struct mcph_span result, struct mcph_buf *text,
           struct mcph_buf *bytes, struct mcph_span *ret)
{
    struct mcph_span contents = mcph_json_get(result, "contents"), item, uri, value;
    struct mcph_json_iter items;
    bool is_text;
    int r;

    mcph_json_iter_init(&items, contents);
    if (mcph_json_count(contents) != 1 || !mcph_json_iter_next(&items, NULL, &item))
        return MCPHOST_E_PROTOCOL;
    uri = mcph_json_get(item, "uri");
    if (!mcph_json_string_is(uri, call->target.name.p, call->target.name.len))
        return MCPHOST_E_PROTOCOL;
    value = mcph_json_get(item, "text");
    is_text = value.p != NULL;
    if (!is_text)
        value = mcph_json_get(item, "blob");
    r = mcph_json_string_get(value, text, ret);
    if (r < 0)
        return r == MCPHOST_E_NOMEM ? r : MCPHOST_E_PROTOCOL;
    if (is_text)
        return 0;
    r = decode_text(*ret, bytes);
    *ret = mcph_span(bytes->data, bytes->len);
    return r;
}

/* Returns the skill's entry.  The entry and its length are in the call's memory behind
 * the name, because a member for them would make every call larger. */
static struct mcph_span
entry_of(const mcphost_call *call)
{
    const char *at = call->target.name.p + call->target.name.len + 1;
    size_t len;

    memcpy(&len, at, sizeof(len));
    return mcph_span(at + sizeof(len), len);
}

int
mcph_skill_check_file(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    struct mcph_span bytes, uri = call->target.name;
    struct mcph_buf text, room;
    mcphost_error *why = NULL;
    char said[300];
    int r = mcph_target_read.check_result(call, result, reterr);

    if (r < 0)
        return r;
    mcph_buf_init(&text, SIZE_MAX / 4);
    mcph_buf_init(&room, SIZE_MAX / 4);
    r = read_bytes(call, result, &text, &room, &bytes);
    if (r == 0)
        r = mcph_skill_verify(entry_of(call), uri, bytes, &why);
    mcph_buf_done(&text);
    mcph_buf_done(&room);
    if (r == MCPHOST_E_NOMEM) {
        mcphost_error_unref(why);
        return mcph_err_nomem(reterr);
    }
    if (r < 0) {
        snprintf(said, sizeof(said), "a file of a skill that cannot be used: %s",
                 why ? mcphost_error_get_message(why)
                     : "it does not have exactly one content");
        r = mcph_target_refuse(call, said, reterr);
    }
    mcphost_error_unref(why);
    return r;
}

/* ---- making the calls -------------------------------------------------------------- */

int
mcph_call_make_get_skill(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                         mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    int r = mcph_uri_check(uri, reterr);

    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r == 0)
        r = mcph_call_make_named(dialog, &mcph_target_get_skill, block, uri,
                                 MCPH_SPAN_NONE, 0, NULL, ret, reterr);
    return r;
}

/* Checks an entry and strips the white space around it.  If *json is an answer to
 * skills/get, *json becomes the entry in the answer. */
static int
find_entry(struct mcph_span *json, mcphost_error **reterr)
{
    struct mcph_span inner;
    const char *why;
    int r = mcph_json_check_input(*json, 0, MCPH_JSON_OBJECT, "the skill's entry", json,
                                  reterr);

    if (r < 0)
        return r;
    inner = mcph_json_get(*json, "skill");
    if (inner.p)
        *json = inner;
    r = mcph_skill_check(*json, &why);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    return r < 0 ? mcph_err(reterr, MCPHOST_E_INVALID, "the skill's entry is invalid: %s",
                            why)
                 : 0;
}

int
mcph_call_make_skill_file(mcphost_dialog *dialog, const char *server,
                          struct mcph_span entry, const char *file, mcphost_call **ret,
                          mcphost_error **reterr)
{
    struct mcph_block *block;
    struct mcph_buf uri;
    mcphost_call *call;
    char *room;
    int r = find_entry(&entry, reterr);

    if (r < 0)
        return r;
    mcph_buf_init(&uri, SIZE_MAX / 4);
    r = mcph_skill_find_file(entry, file, &uri, reterr);
    if (r == 0)
        r = mcph_uri_check(mcph_span(uri.data, uri.len), reterr);
    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r == 0)
        r = mcph_call_make_named(dialog, &mcph_target_skill_file, block,
                                 mcph_span(uri.data, uri.len), MCPH_SPAN_NONE,
                                 sizeof(entry.len) + entry.len, &room, &call, reterr);
    mcph_buf_done(&uri);
    if (r < 0)
        return r;
    memcpy(room, &entry.len, sizeof(entry.len));
    memcpy(room + sizeof(entry.len), entry.p, entry.len);
    *ret = call;
    return 0;
}

static int
write_params(struct mcph_buf *buf, struct mcph_span uri, const char *cursor)
{
    mcph_buf_adds(buf, "{\"uri\":");
    mcph_json_add_string(buf, uri.p, uri.len);
    if (cursor) {
        mcph_buf_adds(buf, ",\"cursor\":");
        mcph_json_add_str(buf, cursor);
    }
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}

int
mcph_call_make_directory(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                         const char *cursor, mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    struct mcph_buf params;
    int r = mcph_uri_check(uri, reterr);

    if (r == 0 && cursor && !mcph_utf8_valid(cursor, strlen(cursor), NULL))
        r = mcph_err(reterr, MCPHOST_E_INVALID, "the cursor is not UTF-8");
    if (r == 0 && cursor && strlen(cursor) > CURSOR_MAX)
        r = mcph_err(reterr, MCPHOST_E_LIMIT, "the cursor has more than %d bytes",
                     CURSOR_MAX);
    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&params, SIZE_MAX / 4);
    if (write_params(&params, uri, cursor) == 0) {
        r = mcph_call_make_named(dialog, &mcph_target_directory, block, uri,
                                 mcph_span(params.data, params.len), 0, NULL, ret,
                                 reterr);
    } else {
        mcph_block_unref(block);
        r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(&params);
    return r;
}
