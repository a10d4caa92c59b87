/* SPDX-License-Identifier: MIT
 *
 * batch_dialogs.c - dialogs of the command `batch`, and the team whose members open
 * them.
 *
 * The first call, subscription or turn of a dialog opens the dialog, on the view of the
 * member that the line names or else on the default view.  The operations `inject` and
 * `subagent` open a dialog on a view of its own.  An open dialog keeps its member.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "words.h"

static const char *
get_string(const struct command_line *line, const char *key)
{
    return json_string_value(json_object_get(line->root, key));
}

static int
same_member(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- dialogs ----------------------------------------------------------------------- */

struct open_dialog **
batch_find_dialog(struct batch *b, const struct command_line *line)
{
    const char *name = batch_get_dialog(b, line);
    struct open_dialog **at = &b->dialogs;

    while (*at && strcmp(mcphost_dialog_get_id((*at)->dialog), name) != 0)
        at = &(*at)->next;
    return at;
}

static void
free_dialog(struct open_dialog *known)
{
    mcphost_dialog_unref(known->dialog);
    mcphost_chatos_run_unref(known->run);
    if (known->source)
        mcphost_source_remove(known->source);
    mcphost_source_unref(known->source);
    free(known->member);
    free(known);
}

void
batch_drop_dialog(struct batch *b, struct open_dialog **at)
{
    struct open_dialog *known = *at;

    batch_end_turns(b, mcphost_dialog_get_id(known->dialog));
    *at = known->next;
    free_dialog(known);
}

int
batch_keep_dialog(struct batch *b, mcphost_dialog *dialog, mcphost_chatos_run *run,
                  mcphost_source *source)
{
    struct open_dialog *known = calloc(1, sizeof(*known));

    if (!known) {
        mcphost_dialog_unref(dialog);
        mcphost_chatos_run_unref(run);
        mcphost_source_unref(source);
        return MCPHOST_E_NOMEM;
    }
    known->dialog = dialog;
    known->run = run;
    known->source = source;
    known->next = b->dialogs;
    b->dialogs = known;
    return 0;
}

void
batch_free_dialogs(struct batch *b)
{
    while (b->dialogs)
        batch_drop_dialog(b, &b->dialogs);
}

/* Gives the view of a member of the team, or the default view if `member` is NULL.  On
 * failure, *ret_message may get a better message than mcphost_strerror() gives. */
int
batch_get_view(struct batch *b, const char *member, mcphost_view **ret_view,
               const char **ret_message)
{
    int r;

    if (!member) {
        *ret_view = mcphost_view_ref(mcphost_default_view(b->ctl->host));
        return 0;
    }
    r = mcphost_get_team_view(b->ctl->host, member, ret_view);
    if (r == MCPHOST_E_NOTFOUND)
        *ret_message = b->has_team ? "the team has no such member" : "no team is loaded";
    return r;
}

/* Refuses a line that names a member if the dialog was opened for another member or
 * without a member. */
static int
check_member(const struct open_dialog *known, const char *member,
             const char **ret_message)
{
    if (!member || same_member(known->member, member))
        return 0;
    *ret_message = known->member ? "the dialog is already open as another member"
                                 : "the dialog is already open without a member";
    return MCPHOST_E_STATE;
}

/* Sets the agent of a dialog.  If `agent` is NULL, the dialog keeps its agent. */
static int
set_agent(mcphost_dialog *dialog, const char *agent, const char **ret_message)
{
    const char *known = mcphost_dialog_get_agent(dialog);
    int r;

    if (!agent || (known && strcmp(known, agent) == 0))
        return 0;
    r = mcphost_dialog_set_agent(dialog, agent);
    if (r == MCPHOST_E_STATE)
        *ret_message = known ? "the dialog belongs to another agent"
                             : "the dialog has no agent, and cannot get one because it "
                               "already has a client";
    return r;
}

static int
new_dialog(struct batch *b, const char *id, const char *member,
           struct open_dialog **ret_known, const char **ret_message,
           mcphost_error **reterr)
{
    struct open_dialog *known = calloc(1, sizeof(*known));
    mcphost_view *view = NULL;
    int r = MCPHOST_E_NOMEM;

    if (!known)
        return r;
    if (member)
        known->member = strdup(member);
    if (!member || known->member)
        r = batch_get_view(b, member, &view, ret_message);
    if (r == 0)
        r = mcphost_dialog_new(view, id, NULL, &known->dialog, reterr);
    mcphost_view_unref(view);
    if (r < 0) {
        free_dialog(known);
        return r;
    }
    known->next = b->dialogs;
    b->dialogs = known;
    *ret_known = known;
    return 0;
}

int
batch_open_dialog(struct batch *b, const struct command_line *line,
                  mcphost_dialog **ret_dialog, const char **ret_message,
                  mcphost_error **reterr)
{
    const char *member = get_string(line, "member");
    struct open_dialog *known = *batch_find_dialog(b, line);
    int r;

    if (known)
        r = check_member(known, member, ret_message);
    else
        r = new_dialog(b, batch_get_dialog(b, line), member, &known, ret_message, reterr);
    if (r == 0)
        r = set_agent(known->dialog, get_string(line, "agent"), ret_message);
    if (r == 0)
        *ret_dialog = known->dialog;
    return r;
}

int
batch_get_catalog(struct batch *b, const struct command_line *line,
                  mcphost_catalog **ret_catalog, const char **ret_message)
{
    struct open_dialog *known = *batch_find_dialog(b, line);
    const char *member = get_string(line, "member");
    struct open_turn *turn = NULL;
    mcphost_view *view = NULL;
    int r = batch_find_turn(b, line, &turn, ret_message);

    if (r < 0)
        return r;
    if (turn && (get_string(line, "turn") || get_string(line, "dialog") || !member))
        return mcphost_turn_get_catalog(turn->turn, ret_catalog);
    /* Use the catalog of the open dialog, unless the line names a member but no dialog.
     * A line without a dialog asks for the member's catalog, even if the dialog of
     * --dialog is open. */
    if (known && (get_string(line, "dialog") || !member)) {
        r = check_member(known, member, ret_message);
        return r < 0 ? r : mcphost_dialog_get_catalog(known->dialog, ret_catalog);
    }
    r = batch_get_view(b, member, &view, ret_message);
    if (r == 0)
        r = mcphost_view_get_catalog(view, ret_catalog);
    mcphost_view_unref(view);
    return r;
}

/* ---- the team ---------------------------------------------------------------------- */

/* Writes the problems of the team file and of its grants. */
static int
put_team_problems(struct batch *b, struct text *t)
{
    mcphost_problems *problems = NULL;
    int r = mcphost_select_problems(b->ctl->host, MCPHOST_PROBLEMS_ACTIVE, "team/", NULL,
                                    &problems);

    if (r < 0)
        return r;
    put_begin(t, '{');
    put_key(t, "problems");
    rows_problems(t, problems);
    put_end(t, '}');
    mcphost_problems_unref(problems);
    return 0;
}

void
batch_answer_team(struct batch *b, const struct command_line *line)
{
    struct text t = {0};
    /* Run the dispatcher once, so that the host reads the team file. */
    int r = mcphost_dispatch(b->ctl->host);

    if (r >= 0)
        r = put_team_problems(b, &t);
    if (r == 0 && text_failed(&t))
        r = MCPHOST_E_NOMEM;
    if (r < 0)
        batch_refuse(b, line->id, line->id_len, r, NULL);
    else
        batch_answer(b, line->id, line->id_len, t.data, t.len);
    text_free(&t);
}

void
batch_team(struct batch *b, const struct command_line *line)
{
    mcphost_error *err = NULL;
    int r;

    if (b->has_team) {
        batch_refuse(b, line->id, line->id_len, MCPHOST_E_STATE,
                     "a team is already loaded; 'reload' reads its file again");
        return;
    }
    r = mcphost_use_team(b->ctl->host, get_string(line, "file"), &err);
    if (r < 0) {
        batch_refuse_error(b, line->id, line->id_len, r, err);
    } else {
        b->has_team = 1;
        batch_answer_team(b, line);
    }
    mcphost_error_unref(err);
}

void
batch_put_missing(struct text *t, const mcphost_catalog *catalog)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_catalog_count_missing(catalog); i++) {
        int is_tool = 0, lack = 0;
        const char *name = mcphost_catalog_get_missing(catalog, i, &is_tool, &lack);

        put_begin(t, '{');
        put_key(t, is_tool ? "tool" : "toolset");
        put_str(t, name);
        put_key(t, "lack");
        put_str(t, name_of(MCPHOST_ENUM_LACK, lack));
        put_end(t, '}');
    }
    put_end(t, ']');
}
