/* SPDX-License-Identifier: MIT
 *
 * report.c - progress reports of the application's functions, on their way to the
 * dispatcher.
 *
 * The next report overwrites a report that still waits, so that a function cannot fill
 * the memory.
 */
#include <stdlib.h>

#include "provide/provide.h"

struct mcph_provide_report {
    struct mcph_job job;
    struct mcph_reporter *reporter;
    double progress, total;
    char *text; /* text of the report, or NULL */
};

void
mcph_provide_report_free(struct mcph_provide_report *report)
{
    if (report)
        free(report->text);
    free(report);
}

static void
run_reports(struct mcph_job *job)
{
    struct mcph_provide_report *report =
        MCPH_CONTAINER_OF(job, struct mcph_provide_report, job);
    struct mcph_reporter *reporter = report->reporter;

    mcph_core_lock(reporter->core);
    reporter->posted = NULL;
    mcph_core_unlock(reporter->core);
    reporter->tell(reporter, report->progress, report->total, report->text);
    mcph_provide_report_free(report);
}

struct mcph_provide_report *
mcph_provide_report_new(double progress, double total, const char *text, size_t len)
{
    struct mcph_provide_report *report = calloc(1, sizeof(*report));

    if (!report)
        return NULL;
    report->job.run = run_reports;
    report->progress = progress;
    report->total = total;
    report->text = text ? mcph_strndup(text, len) : NULL;
    if (!text || report->text)
        return report;
    free(report);
    return NULL;
}

struct mcph_provide_report *
mcph_provide_report_post_locked(struct mcph_reporter *reporter,
                                struct mcph_provide_report *report)
{
    struct mcph_provide_report *posted = reporter->posted;
    char *text;

    if (!posted) {
        report->reporter = reporter;
        reporter->posted = report;
        reporter->keep(reporter);
        mcph_core_post_locked(reporter->core, &report->job);
        return NULL;
    }
    posted->progress = report->progress;
    posted->total = report->total;
    text = posted->text;
    posted->text = report->text;
    report->text = text;
    return report;
}
