/* SPDX-License-Identifier: MIT
 *
 * goclaw_write.c - edit <workspace>/.goclaw/mcp.json (R193-R195, B.33, B.35).
 *
 *   lock --> read --> edit --> write a new file --> compare --> rename the new file
 *
 * Processes that take the lock never lose each other's edits.  Other programs, for
 * example editors, take no lock.  The comparison detects the changes of these programs.
 * edit_servers() then makes the edit again in the new contents.  A save between the
 * comparison and the rename is lost.
 *
 * The functions never edit a text that the reader rejects, because the text may hold
 * servers that cannot be read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/goclaw.h"

#define DIR_NAME ".goclaw"
#define NAME     "mcp.json"
#define TEMP     ".mcp.json.tmp"
#define NEW_MODE 0600 /* other users may not read secrets in variables and headers */
#define TRIES    3

/* ---- checks ------------------------------------------------------------------------ */

/* Makes an error with `code` and the message of the reader's first error.  Returns
 * `code`. */
static int
report_first_error(const mcphost_config *config, int code, bool with_place,
                   mcphost_error **reterr)
{
    const struct mcph_diag *diag = mcph_config_first_error(config);

    if (!diag)
        return mcph_err(reterr, code, "%s", mcphost_strerror(code));
    return with_place ? mcph_err_at(reterr, code, diag->file, diag->line, diag->column,
                                    "%s", diag->message)
                      : mcph_err(reterr, code, "%s", diag->message);
}

/* Refuses a text that the reader rejects. */
static int
check_text(const struct mcph_goclaw *goclaw, const struct mcph_buf *text,
           mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    int r = mcph_goclaw_parse(text->data, text->len, goclaw->file, goclaw->workspace,
                              goclaw->flags, &config, reterr);

    if (r == 0 && config->status < 0)
        r = report_first_error(config, config->status, true, reterr);
    mcph_config_unref(config);
    return r;
}

static int
report_entry(int severity, const char *key, int line, int column, const char *text,
             void *arg)
{
    mcphost_error **err = arg;

    (void)line;
    (void)column;
    if (severity == MCPHOST_DIAGNOSTIC_ERROR && !*err)
        mcph_err(err, MCPHOST_E_INVALID, "the entry of the server: %s%s%s", key,
                 *key ? ": " : "", text);
    return 0;
}

/* Parses the new entry of a server.  Bad JSON gives MCPHOST_E_INVALID. */
static int
parse_entry(struct mcph_span entry, struct mcph_doc **ret_doc, mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    int r = mcph_json_parse(entry.p, entry.len, MCPH_GOCLAW_SIZE_MAX, 0, report_entry,
                            &err, ret_doc);

    if (r == MCPHOST_E_NOMEM) {
        mcph_err_nomem(reterr);
    } else if (r < 0) {
        r = r == MCPHOST_E_LIMIT ? r : MCPHOST_E_INVALID;
        mcph_err(reterr, r, "%s", mcphost_error_get_message(err));
    }
    mcphost_error_unref(err);
    return r;
}

/* Refuses an entry that is not an object, has an unknown key or has a bad `enabled`.  An
 * unknown key is an error, because a misspelled key must not be dropped silently. */
static int
check_keys(const struct mcph_node *entry, mcphost_error **reterr)
{
    const struct mcph_node *enabled;

    if (entry->kind != MCPH_NODE_MAP)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the entry of the server: expected an object, found %s",
                        mcph_node_kind_text(entry));
    for (size_t i = 0; i < entry->n; i++) {
        const char *key = entry->keys[i]->text;

        if (!mcph_goclaw_form_knows(key) && strcmp(key, "name") != 0)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the entry of the server: unknown key '%.64s'", key);
    }
    enabled = mcph_node_get(entry, "enabled");
    if (enabled && enabled->kind != MCPH_NODE_NULL && enabled->kind != MCPH_NODE_BOOL)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "enabled: expected true or false, found %s",
                        mcph_node_kind_text(enabled));
    return 0;
}

/* Refuses an entry that the reader would find invalid if it were enabled. */
static int
check_entry(const struct mcph_goclaw *goclaw, const struct goclaw_edit *edit,
            mcphost_error **reterr)
{
    struct goclaw_edit enabled = *edit;
    const struct mcph_config_server *server;
    mcphost_config *config = NULL;
    struct mcph_buf text;
    int r;

    enabled.enabled = true;
    mcph_buf_init_sized(&text, GOCLAW_TEXT_MAX, GOCLAW_TEXT_MAX);
    mcph_goclaw_form_put(&text, NULL, &enabled);
    r = mcph_buf_ok(&text);
    if (r == MCPHOST_E_LIMIT)
        mcph_err(reterr, r, "the entry of server '%s' is too large", edit->name);
    else if (r < 0)
        mcph_err_nomem(reterr);
    else
        r = mcph_goclaw_parse(text.data, text.len, "<entry>", goclaw->workspace,
                              goclaw->flags, &config, reterr);
    if (r == 0) {
        server = mcph_config_find(config, edit->name);
        if (!server || server->state != MCPHOST_CONFIG_SERVER_VALID)
            r = report_first_error(config, MCPHOST_E_INVALID, false, reterr);
    }
    mcph_config_unref(config);
    mcph_buf_wipe(&text);
    return r;
}

/* ---- the edit ---------------------------------------------------------------------- */

static int
not_found(const struct goclaw_edit *edit, mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no server '%.255s'",
                    edit->name);
}

/* Refuses an edit that does not fit the present `servers` (may be NULL). */
static int
check_edit(const struct mcph_goclaw *goclaw, const struct mcph_node *servers,
           const struct goclaw_edit *edit, mcphost_error **reterr)
{
    const struct mcph_node *old = servers && servers->kind == MCPH_NODE_MAP
                                      ? mcph_node_get(servers, edit->name)
                                      : NULL;

    if (edit->what != GOCLAW_PUT && !old)
        return not_found(edit, reterr);
    if (edit->what == GOCLAW_PUT && !old && servers &&
        servers->n >= MCPH_GOCLAW_SERVERS_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "'%s' has %d servers, which is the limit", goclaw->file,
                        MCPH_GOCLAW_SERVERS_MAX);
    if (edit->what == GOCLAW_ENABLE && old->kind != MCPH_NODE_MAP)
        return mcph_err_at(reterr, MCPHOST_E_CONFIG, goclaw->file, old->line, old->column,
                           "server '%.255s': expected an object, found %s", edit->name,
                           mcph_node_kind_text(old));
    return 0;
}

/* Checks whether `enabled` already has the wanted value, or has it by default. */
static bool
is_done(const struct mcph_node *servers, const struct goclaw_edit *edit)
{
    const struct mcph_node *enabled;

    if (edit->what != GOCLAW_ENABLE)
        return false;
    enabled = mcph_node_get(mcph_node_get(servers, edit->name), "enabled");
    return enabled ? enabled->kind == MCPH_NODE_BOOL && enabled->boolean == edit->enabled
                   : !edit->enabled;
}

/* Makes the new text of the file.  Returns 1 if the new text differs from `old`, 0 if
 * there is nothing to change, or an error code. */
static int
make_text(const struct mcph_goclaw *goclaw, const struct mcph_buf *old,
          const struct goclaw_edit *edit, struct mcph_buf *text, mcphost_error **reterr)
{
    const struct mcph_node *root, *servers;
    struct mcph_doc *doc = NULL;
    int r = check_text(goclaw, old, reterr);

    if (r == 0 && old->len > 0) {
        r = mcph_json_parse(old->data, old->len, MCPH_GOCLAW_SIZE_MAX, 0, NULL, NULL,
                            &doc);
        if (r < 0)
            mcph_err_nomem(reterr);
    }
    root = doc ? doc->root : NULL;
    servers = root ? mcph_node_get(root, "servers") : NULL;
    if (r == 0)
        r = check_edit(goclaw, servers, edit, reterr);
    if (r == 0 && !is_done(servers, edit)) {
        mcph_goclaw_form_put(text, root, edit);
        r = mcph_buf_ok(text);
        if (r == 0 && text->len > MCPH_GOCLAW_SIZE_MAX)
            r = MCPHOST_E_LIMIT;
        if (r == MCPHOST_E_LIMIT)
            mcph_err(reterr, r, "'%s' would be larger than %d bytes", goclaw->file,
                     MCPH_GOCLAW_SIZE_MAX);
        else if (r < 0)
            mcph_err_nomem(reterr);
        else
            r = text->len != old->len || memcmp(text->data, old->data, old->len) != 0;
    }
    mcph_doc_free(doc);
    return r;
}

/* ---- the file ---------------------------------------------------------------------- */

struct editing {
    struct goclaw_dir dir;
    struct goclaw_new_file file;
    struct mcph_buf old, text;
    struct mcph_file_sig before;
    struct stat st;
    bool exists;
};

/* Reads the present text of the file into `buf`, and sets ed->before and ed->st.  A
 * missing file counts as empty. */
static int
read_old(struct editing *ed, struct mcph_buf *buf, bool *ret_exists,
         mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    int r = mcph_goclaw_read(ed->dir.fd, NAME, MCPH_GOCLAW_SIZE_MAX, MCPH_GOCLAW_FILE,
                             buf, &ed->before, &ed->st, &err);

    *ret_exists = r == 0;
    if (r == MCPHOST_E_NOTFOUND) {
        ed->before = (struct mcph_file_sig){.error = ENOENT};
        r = 0;
    }
    if (r < 0 && reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* Checks that no other program has changed the file or replaced its directory.  Call this
 * function just before the rename, because the rename overwrites a change that comes
 * later. */
static int
check_unchanged(struct editing *ed, mcphost_error **reterr)
{
    struct mcph_buf now;
    bool exists = false;
    int r;

    mcph_buf_init_sized(&now, GOCLAW_TEXT_MAX, GOCLAW_TEXT_MAX);
    r = read_old(ed, &now, &exists, reterr);
    if (r == 0 && (exists != ed->exists || now.len != ed->old.len ||
                   memcmp(now.data, ed->old.data, now.len) != 0))
        r = mcph_err(reterr, MCPHOST_E_STATE,
                     "'%s' was changed by someone else meanwhile", MCPH_GOCLAW_FILE);
    mcph_buf_wipe(&now);
    return r == 0 ? mcph_goclaw_dir_check(&ed->dir, reterr) : r;
}

static int
replace_file(struct editing *ed, struct mcph_config_edit *ret_edit,
             mcphost_error **reterr)
{
    struct mcph_file_sig after;
    int r;

    ed->file = (struct goclaw_new_file){
        .dir = ed->dir.fd, .name = NAME, .temp = TEMP, .shown = MCPH_GOCLAW_FILE};
    r = mcph_goclaw_new_file_write(&ed->file, mcph_span(ed->text.data, ed->text.len),
                                   ed->exists ? &ed->st : NULL, NEW_MODE, reterr);
    if (r == 0)
        r = check_unchanged(ed, reterr);
    if (r == 0)
        r = mcph_goclaw_new_file_place(&ed->file, reterr);
    if (r == 0) {
        mcph_file_sign_fd(ed->file.fd, &after);
        *ret_edit = (struct mcph_config_edit){
            .file = ed->dir.goclaw->file, .before = ed->before, .after = after};
    }
    mcph_goclaw_new_file_done(&ed->file);
    return r;
}

/* Opens and locks `.goclaw`.  GOCLAW_PUT makes a missing directory.  For other edits a
 * missing directory means that the server does not exist. */
static int
open_dir(struct goclaw_dir *dir, const struct mcph_goclaw *goclaw,
         const struct goclaw_edit *edit, mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    int r = mcph_goclaw_dir_open(dir, goclaw, DIR_NAME, edit->what == GOCLAW_PUT, &err);

    if (r == MCPHOST_E_NOTFOUND && dir->top >= 0) {
        err = mcphost_error_unref(err);
        not_found(edit, &err);
    }
    if (r < 0 && reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* Makes one attempt at the edit.  Returns MCPHOST_E_STATE if another program changed the
 * file at the same time. */
static int
edit_file(const struct mcph_goclaw *goclaw, const struct goclaw_edit *edit,
          struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    struct editing ed = {.exists = false};
    int r;

    mcph_buf_init_sized(&ed.old, GOCLAW_TEXT_MAX, GOCLAW_TEXT_MAX);
    mcph_buf_init_sized(&ed.text, GOCLAW_TEXT_MAX, GOCLAW_TEXT_MAX);
    r = open_dir(&ed.dir, goclaw, edit, reterr);
    if (r == 0)
        r = read_old(&ed, &ed.old, &ed.exists, reterr);
    if (r == 0)
        r = make_text(goclaw, &ed.old, edit, &ed.text, reterr);
    if (r == 1) {
        r = replace_file(&ed, ret_edit, reterr);
        r = r == 0 ? 1 : r;
    }
    mcph_goclaw_dir_close(&ed.dir);
    mcph_buf_wipe(&ed.old);
    mcph_buf_wipe(&ed.text);
    return r;
}

static int
edit_servers(const struct mcph_goclaw *goclaw, const struct goclaw_edit *edit,
             struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    struct mcph_config_edit none;
    mcphost_error *err = NULL;
    int r = MCPHOST_E_STATE;

    for (int i = 0; i < TRIES && r == MCPHOST_E_STATE; i++) {
        err = mcphost_error_unref(err);
        r = edit_file(goclaw, edit, ret_edit ? ret_edit : &none, &err);
    }
    if (r < 0 && reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* ---- the functions ----------------------------------------------------------------- */

int
mcph_goclaw_put_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                       struct mcph_span entry, struct mcph_config_edit *ret_edit,
                       mcphost_error **reterr)
{
    const char *why = mcph_goclaw_name_fault(name);
    struct goclaw_edit edit = {.what = GOCLAW_PUT};
    const struct mcph_node *enabled;
    struct mcph_doc *doc = NULL;
    char *copy;
    int r;

    if (why)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the name of the server %s", why);
    copy = mcph_strndup(name.p, name.len);
    r = copy ? parse_entry(entry, &doc, reterr) : mcph_err_nomem(reterr);
    if (r == 0)
        r = check_keys(doc->root, reterr);
    if (r == 0) {
        enabled = mcph_node_get(doc->root, "enabled");
        edit.name = copy;
        edit.entry = doc->root;
        edit.enabled =
            enabled && enabled->kind == MCPH_NODE_BOOL ? enabled->boolean : true;
        r = check_entry(goclaw, &edit, reterr);
    }
    if (r == 0)
        r = edit_servers(goclaw, &edit, ret_edit, reterr);
    mcph_doc_free(doc);
    free(copy);
    return r;
}

/* Edits the server with this name.  Refuses only a missing name or a name with a NUL,
 * because a server in the file can have any other name. */
static int
edit_named(const struct mcph_goclaw *goclaw, struct mcph_span name,
           struct goclaw_edit *edit, struct mcph_config_edit *ret_edit,
           mcphost_error **reterr)
{
    char *copy;
    int r;

    if (!name.p || memchr(name.p, '\0', name.len))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the name of the server is missing or has a NUL character");
    copy = mcph_strndup(name.p, name.len);
    edit->name = copy;
    r = copy ? edit_servers(goclaw, edit, ret_edit, reterr) : mcph_err_nomem(reterr);
    free(copy);
    return r;
}

int
mcph_goclaw_delete_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                          struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    struct goclaw_edit edit = {.what = GOCLAW_DELETE};

    return edit_named(goclaw, name, &edit, ret_edit, reterr);
}

int
mcph_goclaw_enable_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                          bool enabled, struct mcph_config_edit *ret_edit,
                          mcphost_error **reterr)
{
    struct goclaw_edit edit = {.what = GOCLAW_ENABLE, .enabled = enabled};

    return edit_named(goclaw, name, &edit, ret_edit, reterr);
}
