/* SPDX-License-Identifier: MIT
 *
 * batch_subagent.c - the operation `subagent`: open a dialog as a sub-agent of goclaw.
 *
 * The dialog gets a view of its own.  The servers of this view are read once.
 */
#include <string.h>

#include <mcphost/goclaw.h>

#include "batch.h"

/* Returns the fault of the line, or NULL if there is none. */
static const char *
find_fault(struct batch *b, const struct command_line *line, int *ret_code)
{
    *ret_code = MCPHOST_E_INVALID;
    if (!batch_get_string(line, "source"))
        return "'source' is missing";
    *ret_code = MCPHOST_E_EXISTS;
    if (source_find(b->ctl, batch_get_string(line, "source")))
        return "a source with this id already exists";
    return *batch_find_dialog(b, line) ? "the dialog is already open" : NULL;
}

static int
load_servers(struct batch *b, const struct command_line *line, mcphost_source *source,
             mcphost_error **reterr)
{
    const char *dir = batch_get_string(line, "dir");
    int r = mcphost_source_set_policy(source, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE,
                                      reterr);

    if (r < 0)
        return r;
    return mcphost_goclaw_load_subagent(source, dir ? dir : ctl_directory(b->ctl),
                                        batch_get_string(line, "workdir"),
                                        batch_get_string(line, "file"), 0, reterr);
}

/* Opens the dialog on a view of its own, with the servers of `source`.  The caller keeps
 * its reference to `source` in any case. */
static int
open_dialog(struct batch *b, const struct command_line *line, mcphost_source *source,
            mcphost_error **reterr)
{
    mcphost_dialog *dialog = NULL;
    mcphost_view *view = NULL;
    struct text name = {0};
    int r = MCPHOST_E_NOMEM;

    text_printf(&name, "sub-agent %s", batch_get_string(line, "source"));
    if (!text_failed(&name))
        r = mcphost_view_new_layered(b->ctl->host, name.data, &view, reterr);
    if (r == 0)
        r = mcphost_view_add_source(view, source, NULL, 0);
    if (r == 0)
        r = mcphost_dialog_new(view, batch_get_dialog(b, line), NULL, &dialog, reterr);
    if (r == 0)
        r = load_servers(b, line, source, reterr);
    if (r == 0)
        r = batch_keep_dialog(b, dialog, NULL, mcphost_source_ref(source));
    else
        mcphost_dialog_unref(dialog);
    mcphost_view_unref(view);
    text_free(&name);
    return r;
}

void
batch_subagent(struct batch *b, const struct command_line *line)
{
    mcphost_source *source = NULL;
    mcphost_error *err = NULL;
    int r;
    const char *fault = find_fault(b, line, &r);

    if (fault) {
        batch_refuse_line(b, line, r, fault);
        return;
    }
    r = mcphost_source_new(b->ctl->host, batch_get_string(line, "source"), &source, &err);
    if (r == 0) {
        r = open_dialog(b, line, source, &err);
        if (r < 0)
            mcphost_source_remove(source);
    }
    if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        batch_answer_flag(b, line, "opened", 1);
    mcphost_error_unref(err);
    mcphost_source_unref(source);
}
