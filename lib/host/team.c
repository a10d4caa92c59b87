/* SPDX-License-Identifier: MIT
 *
 * team.c - apply the team file (R83, R85, B.18).
 *
 * The team file defines the tools that each member may see and call.  The host follows
 * the file as it follows the configuration.  Each member has a view.  The view lives
 * while the member is in the team or a reference to the view exists.  If the file is
 * rejected as a whole, the grants do not change.  If the entry of a member is invalid,
 * or is no longer in the file, the member may see and call no tool.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/team.h"
#include "host/view.h"

/* ---- diagnostics ------------------------------------------------------------------- */

static void
raise_diagnostic(mcphost *host, const mcphost_config *report,
                 const struct mcph_diag *diag)
{
    char *where = mcph_diag_line(diag);
    bool error = diag->severity == MCPHOST_DIAGNOSTIC_ERROR;
    struct mcph_problem_draft draft = {.kind = "team_workspace_config_error",
                                       .message = where,
                                       .severity = error ? MCPHOST_SEVERITY_ERROR
                                                         : MCPHOST_SEVERITY_WARNING,
                                       .sweep = &host->team_sweep};
    char *id;

    if (error && report->status < 0)
        id = mcph_strdup("team/workspace_config_error");
    else
        id = mcph_asprintf("team/%s/%s", error ? "config_error" : "config_warning",
                           diag->key ? diag->key : "");
    draft.id = id;
    if (id && where)
        mcph_problem_raise(&host->journal, &draft);
    free(id);
    free(where);
}

static void
raise_diagnostics(mcphost *host, const mcphost_config *report)
{
    mcph_problem_sweep_begin(&host->journal, &host->team_sweep);
    for (size_t i = 0; i < report->diags.n; i++)
        raise_diagnostic(host, report, report->diags.items[i]);
    mcph_problem_sweep_end(&host->journal, &host->team_sweep);
}

/* ---- the views of members ---------------------------------------------------------- */

/* Gives the member's view the member's grant.  Makes the view if the member has no view
 * yet.  The host holds one reference to the view while the member is in the team.  Fails
 * only if memory is short. */
static int
set_member(mcphost *host, const struct mcph_team_member *member)
{
    mcphost_view *view;
    mcphost_error *err = NULL;
    bool strange;
    int r = 0;

    mcph_core_lock(host->core);
    view = mcph_view_find_locked(host, member->id);
    strange = view && !view->of_team;
    if (view && !strange && !view->in_team) {
        mcph_view_get(view);
        view->in_team = true;
    }
    mcph_core_unlock(host->core);
    if (strange)
        r = mcph_err(&err, MCPHOST_E_EXISTS, "the application has a view of this name");
    else if (view)
        r = mcph_view_set_grant(view, member->grant);
    else
        r = mcph_view_new(host, member->id, member->grant, true, &view, &err);
    if (r == 0) {
        mcph_core_lock(host->core);
        view->in_team = true;
        mcph_core_unlock(host->core);
    } else if (r != MCPHOST_E_CLOSED) {
        mcph_log(host->core, MCPHOST_LOG_WARNING, "host", NULL,
                 "member '%s' of the team is ignored: %s", member->id,
                 err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    }
    mcphost_error_unref(err);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

/* Finds the view of a member that the team no longer has, and marks the view as not in
 * the team.  Returns the host's reference to the view, or NULL if all members with views
 * are in the team. */
static mcphost_view *
find_gone(mcphost *host, const struct mcph_team *team)
{
    mcphost_view *gone = NULL;

    mcph_core_lock(host->core);
    mcph_list_for_each (item, &host->views) {
        mcphost_view *view = MCPH_LIST_ENTRY(item, mcphost_view, link);

        if (view->in_team && !mcph_team_find(team, view->name)) {
            view->in_team = false;
            gone = view; /* takes over the host's reference */
            break;
        }
    }
    mcph_core_unlock(host->core);
    return gone;
}

static int
drop_gone(mcphost *host, const struct mcph_team *team)
{
    struct mcphost_grant *nothing = mcph_grant_new();
    mcphost_view *view;

    if (!nothing)
        return MCPHOST_E_NOMEM;
    while (1) {
        view = find_gone(host, team);
        if (!view)
            break;
        mcph_view_set_grant(view, nothing);
        mcph_view_put(view);
    }
    mcph_grant_unref(nothing);
    return 0;
}

static int
apply_members(mcphost *host, struct mcph_team *team)
{
    int r = drop_gone(host, team);

    for (size_t i = 0; i < team->members.n && r == 0; i++)
        r = set_member(host, team->members.items[i]);
    return r;
}

static int
apply_team(mcphost *host, struct mcph_team *team)
{
    struct mcph_team *old;
    int r;

    raise_diagnostics(host, team->report);
    if (team->report->status < 0) {
        mcph_log(host->core, MCPHOST_LOG_WARNING, "host", NULL,
                 "the team is rejected; the grants stay as they are");
        return 0;
    }
    r = apply_members(host, team);
    if (r < 0)
        return r;
    mcph_core_lock(host->core);
    old = host->team;
    host->team = mcph_team_ref(team);
    mcph_core_unlock(host->core);
    mcph_team_unref(old);
    return 0;
}

/* Reads and applies the file.  If memory is short, the host reads the file again soon,
 * because otherwise a grant that an edit has removed would stay in force. */
static void
read_and_apply(mcphost *host)
{
    struct mcph_team_source *source = host->team_source;
    struct mcph_team *team;
    int r = source->read(source, &team, NULL);

    host->team_follow.unread = false;
    if (r == 0) {
        r = apply_team(host, team);
        mcph_team_unref(team);
    }
    if (r < 0) {
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the team is not applied yet: %s", mcphost_strerror(r));
        mcph_follow_unread(&host->team_follow);
    }
}

static void
on_read(struct mcph_follow *follow, const char *why)
{
    (void)why;
    read_and_apply(MCPH_CONTAINER_OF(follow, mcphost, team_follow));
}

void
mcph_team_reload(mcphost *host, bool only_if_changed)
{
    bool changed = mcph_follow_look(&host->team_follow);

    if (host->team_source && (changed || !only_if_changed))
        read_and_apply(host);
}

int
mcph_team_get_view(mcphost *host, const char *member, mcphost_view **ret)
{
    mcphost_view *view;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    view = mcph_view_find_locked(host, member);
    if (!host->team || !mcph_team_find(host->team, member)) {
        r = MCPHOST_E_NOTFOUND;
    } else if (!view) {
        r = MCPHOST_E_NOMEM;
    } else if (!view->of_team) {
        r = MCPHOST_E_EXISTS;
    } else {
        mcph_view_get(view);
        *ret = view;
    }
    mcph_core_leave(host->core);
    return r;
}

/* ---- beginning and end ------------------------------------------------------------- */

static void
run_begin(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, team_job);

    if (mcph_workspace_is_closing(&host->workspace))
        return;
    mcph_follow_start(&host->team_follow, host->team_source->file, NULL,
                      mcph_source_policy(host->source, MCPHOST_OPT_RELOAD),
                      mcph_source_policy(host->source, MCPHOST_OPT_RELOAD_POLL),
                      mcph_source_policy(host->source, MCPHOST_OPT_RELOAD_DEBOUNCE));
    read_and_apply(host);
}

int
mcph_team_init(mcphost *host)
{
    return mcph_follow_init(&host->team_follow, host->core, on_read);
}

int
mcph_team_begin(mcphost *host, struct mcph_team_source *source)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (host->team_source) {
        r = MCPHOST_E_STATE;
    } else {
        host->team_source = source;
        host->flags_used = true;
        host->team_job.run = run_begin;
        mcph_list_init(&host->team_job.link);
        mcph_core_post_locked(host->core, &host->team_job);
    }
    mcph_core_leave(host->core);
    return r;
}

void
mcph_team_done(mcphost *host)
{
    mcph_follow_done(&host->team_follow);
    if (host->team_source)
        host->team_source->free(host->team_source);
    host->team_source = NULL;
    host->team = mcph_team_unref(host->team);
}
