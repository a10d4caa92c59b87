/* SPDX-License-Identifier: MIT
 *
 * batch_turns.c - dialog turns in the command `batch`.
 *
 * During a turn the tools do not change.
 *
 * The writer of the lines chooses the ids of turns.  Any number of turns may be open at
 * once.  A line that names only a dialog means the newest turn of that dialog.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define DEFAULT_VIEW "default"

/* ---- finding a turn ---------------------------------------------------------------- */

/* Returns the link to the turn, or the link at the end of the list. */
static struct open_turn **
find_link(struct batch *b, const char *id)
{
    struct open_turn **at = &b->turns;

    while (*at && strcmp((*at)->id, id) != 0)
        at = &(*at)->next;
    return at;
}

static struct open_turn *
find_named(struct batch *b, const struct command_line *line)
{
    const char *id = batch_get_string(line, "turn");

    return id ? *find_link(b, id) : NULL;
}

const char *
batch_get_dialog(struct batch *b, const struct command_line *line)
{
    const struct open_turn *turn = find_named(b, line);
    const char *name = batch_get_string(line, "dialog");

    if (!name && turn)
        name = turn->dialog;
    return name ? name : b->ctl->opt.dialog;
}

int
batch_find_turn(struct batch *b, const struct command_line *line, struct open_turn **ret,
                const char **ret_message)
{
    const char *dialog = batch_get_dialog(b, line);
    struct open_turn *turn = find_named(b, line);

    if (batch_get_string(line, "turn")) {
        if (!turn)
            *ret_message = "no such turn";
        else if (turn->dialog && strcmp(turn->dialog, dialog) != 0)
            *ret_message = "the turn belongs to another dialog";
        *ret = turn;
        return *ret_message ? MCPHOST_E_NOTFOUND : 0;
    }
    for (turn = b->turns; turn; turn = turn->next) {
        if (turn->dialog && strcmp(turn->dialog, dialog) == 0)
            break;
    }
    *ret = turn;
    return 0;
}

int
batch_call_in_turn(const struct open_turn *turn, mcphost_dialog *dialog, const char *tool,
                   const char *arguments, size_t len, mcphost_call **ret,
                   const char **ret_message, mcphost_error **reterr)
{
    mcphost_catalog *catalog = NULL;
    mcphost_tool *found = NULL;
    int r = mcphost_turn_get_catalog(turn->turn, &catalog);

    if (r == 0)
        found = mcphost_catalog_find_tool(catalog, tool);
    if (found) {
        r = mcphost_call_new_tool(dialog, found, arguments, len, ret, reterr);
    } else if (r == 0) {
        *ret_message = "the turn has no such tool";
        r = MCPHOST_E_NOTFOUND;
    }
    mcphost_catalog_unref(catalog);
    return r;
}

/* ---- begin and end ----------------------------------------------------------------- */

static void
drop_turn(struct open_turn **at)
{
    struct open_turn *turn = *at;

    *at = turn->next;
    mcphost_turn_end(turn->turn);
    mcphost_turn_unref(turn->turn);
    free(turn->dialog);
    free(turn);
}

void
batch_end_turns(struct batch *b, const char *dialog)
{
    struct open_turn **at = &b->turns;

    while (*at) {
        if (!dialog || ((*at)->dialog && strcmp((*at)->dialog, dialog) == 0))
            drop_turn(at);
        else
            at = &(*at)->next;
    }
}

/* Makes a turn that has not begun.  Returns NULL if memory is short. */
static struct open_turn *
new_turn(const char *id, const char *dialog)
{
    size_t size = strlen(id) + 1;
    struct open_turn *turn = calloc(1, sizeof(*turn) + size);

    if (!turn)
        return NULL;
    memcpy(turn->id, id, size);
    if (dialog)
        turn->dialog = strdup(dialog);
    if (dialog && !turn->dialog) {
        free(turn);
        return NULL;
    }
    return turn;
}

/* Gives the view that the line's member `view` names.  The line must have this member. */
static int
get_view(struct batch *b, const struct command_line *line, mcphost_view **ret,
         const char **ret_message)
{
    const char *name = batch_get_string(line, "view");

    return batch_get_view(b, strcmp(name, DEFAULT_VIEW) != 0 ? name : NULL, ret,
                          ret_message);
}

static int
begin_turn(struct batch *b, const struct command_line *line, struct open_turn *turn,
           const char **ret_message, mcphost_error **reterr)
{
    mcphost_dialog *dialog;
    mcphost_view *view = NULL;
    int r;

    if (turn->dialog) {
        r = batch_open_dialog(b, line, &dialog, ret_message, reterr);
        return r < 0 ? r : mcphost_turn_new(dialog, &turn->turn);
    }
    r = get_view(b, line, &view, ret_message);
    if (r == 0)
        r = mcphost_turn_new_view(view, batch_get_string(line, "agent"), &turn->turn);
    mcphost_view_unref(view);
    return r;
}

static void
answer_begun(struct batch *b, const struct command_line *line,
             const struct open_turn *turn)
{
    mcphost_catalog *catalog = NULL;
    struct text t = {0};

    (void)mcphost_turn_get_catalog(turn->turn, &catalog);
    put_begin(&t, '{');
    put_key(&t, "turn");
    put_str(&t, turn->id);
    put_key(&t, "version");
    put_int(&t, (int64_t)mcphost_catalog_get_version(catalog));
    put_end(&t, '}');
    mcphost_catalog_unref(catalog);
    batch_answer_text(b, line, &t);
}

static const char *
get_id(struct batch *b, const struct command_line *line)
{
    const char *id = batch_get_string(line, "turn");

    if (!id)
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'turn' is missing");
    return id;
}

void
batch_turn_begin(struct batch *b, const struct command_line *line)
{
    const char *id = get_id(b, line), *message = NULL;
    int of_view = batch_get_string(line, "view") != NULL;
    mcphost_error *err = NULL;
    struct open_turn *turn;
    int r = MCPHOST_E_NOMEM;

    if (!id)
        return;
    if (of_view && batch_get_string(line, "dialog")) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID,
                          "exactly one of 'dialog' and 'view' is needed");
        return;
    }
    if (*find_link(b, id)) {
        batch_refuse_line(b, line, MCPHOST_E_EXISTS, "the turn is already open");
        return;
    }
    turn = new_turn(id, of_view ? NULL : batch_get_dialog(b, line));
    if (turn)
        r = begin_turn(b, line, turn, &message, &err);
    if (r == 0) {
        turn->next = b->turns;
        b->turns = turn;
        answer_begun(b, line, turn);
    } else {
        if (turn)
            drop_turn(&turn);
        if (message)
            batch_refuse_line(b, line, r, message);
        else
            batch_refuse_error(b, line->id, line->id_len, r, err);
    }
    mcphost_error_unref(err);
}

void
batch_turn_end(struct batch *b, const struct command_line *line)
{
    const char *id = get_id(b, line);
    struct text t = {0};
    struct open_turn **at;
    int known;

    if (!id)
        return;
    at = find_link(b, id);
    known = *at != NULL;
    put_begin(&t, '{');
    put_key(&t, "ended");
    put_flag(&t, known);
    put_key(&t, "stale");
    put_flag(&t, known && mcphost_turn_is_stale((*at)->turn) == 1);
    put_end(&t, '}');
    if (known)
        drop_turn(at);
    batch_answer_text(b, line, &t);
}

/* ---- invalidation ------------------------------------------------------------------ */

void
batch_invalidate(struct batch *b, const struct command_line *line)
{
    const char *agent = batch_get_string(line, "agent"), *message = NULL;
    mcphost_view *view = NULL;
    int r;

    if (!agent == !batch_get_string(line, "view")) {
        batch_refuse_line(b, line, MCPHOST_E_INVALID,
                          "exactly one of 'agent' and 'view' is needed");
        return;
    }
    if (agent) {
        r = mcphost_invalidate_agent(b->ctl->host, agent);
    } else {
        r = get_view(b, line, &view, &message);
        if (r == 0)
            r = mcphost_invalidate_view(view);
        mcphost_view_unref(view);
    }
    if (r < 0)
        batch_refuse_line(b, line, r, message);
    else
        batch_answer_flag(b, line, "invalidated", 1);
}
