/* SPDX-License-Identifier: MIT
 *
 * more.c - other objects of a host, besides the servers of its file.
 *
 * The objects are sources that are added and removed, layered views, turns, a built-in
 * tool that never answers, and calls that the before-call function leaves waiting.
 */
#include <stdio.h>
#include <string.h>

#include "closes/closes.h"

static int
never(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)call;
    (void)arguments;
    (void)len;
    (void)arg;
    return 0;
}

/* Decides about a call by the length of the tool's name and by `arg`.  The function
 * cannot draw random numbers as a run does, because any thread may call the function. */
static int
before(mcphost_call *call, void *arg)
{
    size_t n = strlen(mcphost_tool_get_name(mcphost_call_get_tool(call))) + (size_t)arg;

    if (n % 3 == 0)
        (void)mcphost_call_refuse(call, "no", 2);
    return n % 3 == 1 ? MCPHOST_BEFORE_CALL_GO : MCPHOST_BEFORE_CALL_LATER;
}

bool
closes_more_open(mcphost *host, unsigned chance)
{
    if (mcphost_view_add_builtin(mcphost_default_view(host), "ours", "never", NULL,
                                 "{\"type\":\"object\"}", never, NULL, NULL, NULL) < 0)
        return false;
    return chance % 4 || mcphost_set_before_call(
                             host, before, (void *)(size_t)(chance / 4 % 3), NULL) == 0;
}

/* ---- a second source, in a view of its own ----------------------------------------- */

static void
add_source(struct closes_more *more, mcphost *host, const char *dir, unsigned chance)
{
    char path[128], id[16];
    int r;

    snprintf(id, sizeof(id), "more%u", chance % 1000);
    if (mcphost_source_new(host, id, &more->source, NULL) < 0)
        return;
    snprintf(path, sizeof(path), "%s/.minds", dir);
    if (chance / 1000 % 2)
        r = mcphost_source_follow_dir(more->source, dir, path, NULL);
    else
        r = mcphost_source_follow_workspace(more->source, dir, NULL, NULL);
    if (r == 0 && !more->view)
        r = mcphost_view_new_layered(host, "more", &more->view, NULL);
    if (r == 0)
        (void)mcphost_view_add_source(more->view, more->source, NULL, 0);
    if (r == 0 && !more->dialog)
        (void)mcphost_dialog_new(more->view, "more", NULL, &more->dialog, NULL);
}

static void
begin_turn(struct closes_more *more, mcphost_dialog *dialog, unsigned chance)
{
    mcphost_turn **turn = &more->turns[chance % 4];

    *turn = mcphost_turn_unref(*turn);
    (void)mcphost_turn_new(dialog, turn);
}

static void
call_never(struct closes_more *more, mcphost_dialog *dialog)
{
    mcphost_call *call = NULL;

    (void)more;
    if (mcphost_call_new(dialog, "never", NULL, 0, &call, NULL) == 0)
        (void)mcphost_call_start(call, NULL, NULL, NULL);
    mcphost_call_unref(call);
}

void
closes_more_act(struct closes_more *more, mcphost *host, const char *dir,
                mcphost_dialog *dialog, unsigned chance)
{
    if (more->dialog && chance / 8 % 2)
        dialog = more->dialog;
    switch (chance % 8) {
    case 0:
    case 1:
        if (!more->source) {
            add_source(more, host, dir, chance / 16);
            break;
        }
        (void)mcphost_source_remove(more->source);
        more->source = mcphost_source_unref(more->source);
        break;
    case 2:
    case 3:
        begin_turn(more, dialog, chance / 16);
        break;
    case 4:
        (void)mcphost_invalidate_view(
            more->view && chance / 16 % 2 ? more->view : mcphost_default_view(host));
        break;
    case 5:
        if (more->source)
            (void)mcphost_source_reload(more->source);
        break;
    default:
        call_never(more, dialog);
    }
}

void
closes_more_done(struct closes_more *more)
{
    for (int i = 0; i < 4; i++)
        mcphost_turn_unref(more->turns[i]);
    mcphost_dialog_unref(more->dialog);
    mcphost_view_unref(more->view);
    mcphost_source_unref(more->source);
}
