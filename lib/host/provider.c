/* SPDX-License-Identifier: MIT
 *
 * provider.c - handle reports of the application: the provider of a dialog's model has
 * rejected or answered a request.
 *
 * The run state changes when a report is made.  The dispatcher raises or clears the
 * problem about a rejection, in the order of the reports.
 */
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/projection.h"
#include "host/view.h"
#include "model/model.h"

#define TEXT_MAX 10000 /* maximum bytes of an error text in a problem (B.11) */

struct report {
    struct mcph_job job;
    mcphost_dialog *dialog;      /* a reference */
    char *id, *message, *detail; /* NULL if the report clears the problem */
    char *reason;                /* a copy of `detail`, for the dialog */
};

static void
report_free(struct report *report)
{
    mcph_dialog_put(report->dialog);
    free(report->id);
    free(report->message);
    free(report->detail);
    free(report->reason);
    free(report);
}

/* Raises the problem of the report.  The dialog keeps the problem's id, so that clearing
 * the problem needs no memory. */
static void
raise_problem(mcphost *host, struct report *report)
{
    mcphost_dialog *dialog = report->dialog;
    struct mcph_problem_draft draft = {.id = report->id,
                                       .kind = "llm_provider_rejected_request",
                                       .severity = MCPHOST_SEVERITY_ERROR,
                                       .message = report->message,
                                       .detail = report->detail};

    mcph_problem_raise(&host->journal, &draft);
    free(dialog->rejection);
    dialog->rejection = report->id;
    report->id = NULL;
}

void
mcph_dialog_forget_rejection(mcphost_dialog *dialog)
{
    if (!dialog->rejection)
        return;
    mcph_problem_clear(&dialog->host->journal, NULL, dialog->rejection);
    free(dialog->rejection);
    dialog->rejection = NULL;
}

/* Raises or clears the problem.  Runs on the dispatcher. */
static void
run_report(struct mcph_job *job)
{
    struct report *report = MCPH_CONTAINER_OF(job, struct report, job);

    if (report->detail)
        raise_problem(report->dialog->host, report);
    else
        mcph_dialog_forget_rejection(report->dialog);
    report_free(report);
}

/* ---- which tool was refused -------------------------------------------------------- */

static mcphost_tool *
nth_tool(const mcphost_catalog *catalog, size_t place)
{
    return place < catalog->n_tools ? catalog->tools[place] : NULL;
}

/* Returns the tool with this index in the list that a projection gives, or NULL. */
static mcphost_tool *
tool_at(const mcphost_projection *p, size_t place)
{
    if (!p->tools)
        return nth_tool(p->catalog, place);
    for (size_t i = 0; i < p->catalog->n_tools; i++) {
        if (p->tools[i].name && place-- == 0)
            return p->tools[i].tool;
    }
    return NULL;
}

/* Returns the tool whose name is in the text, or NULL.  A tool has its own name, and the
 * names that projections gave it.  If several names are in the text, the function returns
 * the tool with the longest of these names. */
static mcphost_tool *
tool_named(mcphost_catalog *catalog, const mcphost_projection *first, const char *text,
           size_t len)
{
    mcphost_tool *found = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < catalog->n_tools; i++) {
        mcphost_tool *tool = catalog->tools[i];

        if (mcph_model_blame_name(text, len, mcph_tool_name(tool), &longest))
            found = tool;
        for (const mcphost_projection *p = first; p; p = mcph_projection_before(p)) {
            const char *made = p->tools ? p->tools[i].made : NULL;

            if (made && mcph_model_blame_name(text, len, made, &longest))
                found = tool;
        }
    }
    return found;
}

/* Finds the tool that an error text is about.  Returns NULL if no tool is found.  An
 * index in the text refers to the list that was sent to the provider.  The newest
 * projection is the best guess at that list. */
static mcphost_tool *
find_blamed(mcphost_catalog *catalog, const char *text, size_t len)
{
    const mcphost_projection *last = mcph_projection_last(catalog);
    size_t place = mcph_model_blame_place(text, len);
    mcphost_tool *tool = NULL;

    if (place != SIZE_MAX)
        tool = last ? tool_at(last, place) : nth_tool(catalog, place);
    return tool ? tool : tool_named(catalog, last, text, len);
}

/* Makes the detail of a problem, without "tool" if no tool is found:
 * {"provider":...,"dialogId":...,"tool":...,"errorText":...} */
static char *
make_detail(mcphost_dialog *dialog, const char *provider, const char *text, size_t len)
{
    mcphost_catalog *catalog = NULL;
    mcphost_tool *tool = NULL;
    struct mcph_buf buf;
    char *detail;

    if (mcph_view_look(dialog->view, dialog, &catalog) == 0)
        tool = find_blamed(catalog, text, len < TEXT_MAX ? len : TEXT_MAX);
    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_buf_addc(&buf, '{');
    mcph_json_add_member(&buf, "provider", provider);
    mcph_json_add_member(&buf, "dialogId", dialog->id);
    if (tool)
        mcph_json_add_member(&buf, "tool", mcph_tool_name(tool));
    mcph_json_add_key(&buf, "errorText");
    mcph_json_add_string(&buf, text, len < TEXT_MAX ? len : TEXT_MAX);
    mcph_buf_addc(&buf, '}');
    detail = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    mcph_catalog_unref(catalog);
    return detail;
}

static char *
make_message(const char *provider, const char *dialog, const char *text, size_t len)
{
    struct mcph_buf buf;
    char *message;

    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_buf_addf(&buf, "%s refused a request of dialog '%s': ", provider, dialog);
    mcph_utf8_add_clean(&buf, text, len < 300 ? len : 300, true);
    message = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return message;
}

/* ---- reports ----------------------------------------------------------------------- */

/* Sets the dialog's run state and posts the report.  Takes over the report, also on
 * failure. */
static int
post_report(mcphost_dialog *dialog, struct report *report, int state)
{
    mcphost *host = dialog->host;
    int r = mcph_host_enter(host);

    if (r < 0) {
        report_free(report);
        return r;
    }
    if (dialog->closed) { /* refuse the report: after the close, nothing would clear the
                           * problem */
        r = MCPHOST_E_CLOSED;
    } else {
        char *old = dialog->stop_reason;

        atomic_store(&dialog->run_state, state);
        dialog->stop_reason = report->reason;
        report->reason = old; /* freed with the report */
        mcph_core_post_locked(host->core, &report->job);
    }
    mcph_core_leave(host->core);
    if (r < 0)
        report_free(report);
    return r;
}

static struct report *
report_new(mcphost_dialog *dialog)
{
    struct report *report = calloc(1, sizeof(*report));

    if (!report)
        return NULL;
    report->job.run = run_report;
    mcph_list_init(&report->job.link);
    report->dialog = dialog;
    mcph_dialog_get(dialog);
    return report;
}

int
mcph_dialog_rejected(mcphost_dialog *dialog, const char *provider, const char *text,
                     size_t len)
{
    struct report *report = report_new(dialog);

    if (!report)
        return MCPHOST_E_NOMEM;
    report->id = mcph_asprintf("llm/provider_rejected/%s", dialog->id);
    report->detail = make_detail(dialog, provider, text, len);
    report->message = make_message(provider, dialog->id, text, len);
    report->reason = report->detail ? mcph_strdup(report->detail) : NULL;
    if (!report->id || !report->reason || !report->message) {
        report_free(report);
        return MCPHOST_E_NOMEM;
    }
    return post_report(dialog, report, MCPHOST_RUN_STOPPED);
}

int
mcph_dialog_goes_on(mcphost_dialog *dialog)
{
    struct report *report;

    /* If the dialog runs, post no report: either there is no problem, or the report that
     * clears the problem has been posted. */
    if (atomic_load(&dialog->run_state) == MCPHOST_RUN_RUNNING)
        return mcph_core_forked(dialog->host->core) ? MCPHOST_E_FORKED : 0;
    report = report_new(dialog);
    return report ? post_report(dialog, report, MCPHOST_RUN_RUNNING) : MCPHOST_E_NOMEM;
}

int
mcph_dialog_stop_reason(mcphost_dialog *dialog, char **ret_json)
{
    mcphost *host = dialog->host;
    char *copy = NULL;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (!dialog->stop_reason)
        r = MCPHOST_E_NOTFOUND;
    else
        copy = mcph_strdup(dialog->stop_reason);
    mcph_core_leave(host->core);
    if (r == 0 && !copy)
        r = MCPHOST_E_NOMEM;
    if (r == 0)
        *ret_json = copy;
    return r;
}
