/* SPDX-License-Identifier: MIT
 *
 * batch_apps.c - the operations `apps` and `inject`: list the apps of ChatOS plugins,
 * and open a dialog with the apps that an agent's record selects.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "chatos.h"

/* Returns the registry of the source that the line names, or else of the first source
 * that has a registry.  If there is no registry, refuses the line and returns NULL. */
static mcphost_chatos *
find_registry(struct batch *b, const struct command_line *line)
{
    const char *id = batch_get_string(line, "source");
    struct source *source = source_find(b->ctl, id);
    mcphost_chatos *chatos =
        id ? (source ? source->chatos : NULL) : chatos_of_sources(b->ctl);

    if (!chatos)
        batch_refuse_line(b, line, MCPHOST_E_NOTFOUND,
                          id ? "no source of ChatOS plugins has this id"
                             : "there are no ChatOS plugins");
    return chatos;
}

void
batch_apps(struct batch *b, const struct command_line *line)
{
    mcphost_chatos *chatos = find_registry(b, line);
    mcphost_error *err = NULL;
    char *json = NULL;
    size_t len = 0;
    int r;

    if (!chatos)
        return;
    r = mcphost_chatos_list_apps(chatos, &json, &len, &err);
    if (r < 0)
        batch_refuse_error(b, line->id, line->id_len, r, err);
    else
        batch_answer(b, line->id, line->id_len, json, len);
    mcphost_error_unref(err);
    mcphost_free(json);
}

/* Returns the fault of a line with the operation `inject`, or NULL if there is none. */
static const char *
find_fault(struct batch *b, const struct command_line *line, int *ret_code, int *ret_flow)
{
    const char *flow = batch_get_string(line, "flow");

    *ret_code = MCPHOST_E_INVALID;
    *ret_flow =
        flow && strcmp(flow, "sub") == 0 ? MCPHOST_CHATOS_SUB : MCPHOST_CHATOS_MAIN;
    if (!json_is_object(json_object_get(line->root, "record")))
        return "'record' is missing or not an object";
    if (flow && strcmp(flow, "main") != 0 && strcmp(flow, "sub") != 0)
        return "'flow' must be main or sub";
    *ret_code = MCPHOST_E_EXISTS;
    return *batch_find_dialog(b, line) ? "the dialog is already open" : NULL;
}

/* Opens the dialog on a view of its own, and injects the run into that view.  Closing the
 * dialog ends the run. */
static int
open_run(struct batch *b, const struct command_line *line, mcphost_chatos *chatos,
         int flow, mcphost_chatos_run **ret, mcphost_error **reterr)
{
    const char *id = batch_get_dialog(b, line);
    char *record = json_dumps(json_object_get(line->root, "record"), JSON_COMPACT);
    mcphost_chatos_run *run = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_view *view = NULL;
    struct text name = {0};
    int r;

    text_printf(&name, "run %s", id);
    r = !record || text_failed(&name)
            ? MCPHOST_E_NOMEM
            : mcphost_view_new_layered(b->ctl->host, name.data, &view, reterr);
    if (r == 0)
        r = mcphost_chatos_inject(chatos, view, record, strlen(record), flow,
                                  batch_get_string(line, "language"), &run, reterr);
    if (r == 0)
        r = mcphost_dialog_new(view, id, NULL, &dialog, reterr);
    if (r == 0) {
        *ret = run;
        r = batch_keep_dialog(b, dialog, run, NULL);
    } else {
        mcphost_chatos_run_unref(run);
    }
    mcphost_view_unref(view);
    text_free(&name);
    free(record);
    return r;
}

void
batch_inject(struct batch *b, const struct command_line *line)
{
    mcphost_chatos *chatos = find_registry(b, line);
    mcphost_chatos_run *run = NULL;
    mcphost_error *err = NULL;
    const char *fault, *json;
    int r, flow;
    size_t len;

    if (!chatos)
        return;
    fault = find_fault(b, line, &r, &flow);
    if (fault) {
        batch_refuse_line(b, line, r, fault);
        return;
    }
    r = open_run(b, line, chatos, flow, &run, &err);
    if (r < 0) {
        batch_refuse_error(b, line->id, line->id_len, r, err);
    } else {
        json = mcphost_chatos_run_get_json(run, &len);
        batch_answer(b, line->id, line->id_len, json, len);
    }
    mcphost_error_unref(err);
}
