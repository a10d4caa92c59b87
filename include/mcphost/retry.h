/* SPDX-License-Identifier: MIT
 *
 * retry.h - what to do when a model's provider did not answer a request: whether and when
 * to send it again.
 *
 * The application talks to the provider.  It hands over what came back and gets a
 * verdict.  A request that the provider refused is never sent again without a person:
 * mcphost_dialog_report_rejection() stops the dialog until a person resumes it (R61,
 * R62).
 */
#ifndef MCPHOST_RETRY_H
#define MCPHOST_RETRY_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a failure was.  Since: 0.1 */
enum {
    MCPHOST_FAILURE_FATAL = 0,    /* nothing that another try would change */
    MCPHOST_FAILURE_REJECTED = 1, /* the request itself was refused */
    MCPHOST_FAILURE_RATE = 2,     /* too many requests */
    MCPHOST_FAILURE_TRANSIENT = 3 /* the network, a timeout, an overloaded server */
};

/*
 * mcphost_classify_failure - what a provider's answer, or its absence, means.
 *
 * `status` is the HTTP status, 0 when there was none; `body` what came with it, of
 * which the error types of OpenAI, Anthropic and Gemini are known (NULL: nothing);
 * `error` the transport's own words or code, such as "ECONNRESET" or curl's text
 * (NULL: none).  The status decides; without one that says something the type in the
 * body; without that the transport's code; words count last (requirement C2).
 * 401, 403, 404 and the like are REJECTED as 400 is.  An error within a stream is known
 * by its body: it comes with status 200.  Any thread; keeps nothing.
 * R61, R65.  Since: 0.1
 */
MCPHOST_API int mcphost_classify_failure(int status, const char *body, size_t body_len,
                                         const char *error);

/* How often and when to try again.  Since: 0.1 */
enum {
    /* 5 times, after 1 s x 2^n, at most 30 s */
    MCPHOST_RETRY_STANDARD = 0,
    /* 3 times after 1 s x 1.5^n, then as STANDARD: for connections that break */
    MCPHOST_RETRY_AGGRESSIVE = 1,
    /* as STANDARD, but a rate limit doubles a penalty that all requests of this policy
     * share, from 1 s to 5 min, and which halves every 5 min without one: 10 times */
    MCPHOST_RETRY_SMART_RATE = 2,
    /* 10 times after 30 s, then after 1.5 times the last, at most 30 min: 30 times */
    MCPHOST_RETRY_CONSERVATIVE = 3
};

/*
 * mcphost_retry_new - a policy, for the requests to one provider and model.
 *
 * *ret_retry gets a reference.  Returns 0, MCPHOST_E_INVALID (unknown strategy),
 * MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_retry_new(int strategy, mcphost_retry **ret_retry);

/* Takes a reference; drops one.  NULL is fine.  Since: 0.1 */
MCPHOST_API mcphost_retry *mcphost_retry_ref(mcphost_retry *retry);
MCPHOST_API mcphost_retry *mcphost_retry_unref(mcphost_retry *retry);

/* Spreads delays by up to `percent` of themselves, 0 (the default) to 100, so that
 * many clients do not come back at once; before the policy is shared.  Returns 0,
 * MCPHOST_E_INVALID.  Since: 0.1 */
MCPHOST_API int mcphost_retry_set_jitter(mcphost_retry *retry, int percent);

/*
 * mcphost_retry_judge - whether and when to send a request again.
 *
 * Do not call this once a response has started: what was shown cannot be taken back.
 *
 * `failures` counts how often this request has failed, this time included, from 1 on;
 * `failure` is what mcphost_classify_failure() said; `retry_after` the value of the
 * header of that name, seconds or an HTTP date (NULL: none): a longer delay than the
 * policy's own, unless it is longer than an hour, which is as good as never.
 *
 * Returns 1 and the delay in milliseconds in *ret_delay_ms; 0: not again, without a
 * change of *ret_delay_ms; MCPHOST_E_INVALID.  Any thread, several at once.
 * R61, R65, R66.  Since: 0.1
 */
MCPHOST_API int mcphost_retry_judge(mcphost_retry *retry, unsigned failures, int failure,
                                    const char *retry_after, int64_t *ret_delay_ms);

/* How long a request should wait before it is sent at all, because others have just
 * met a rate limit; 0 for strategies without a penalty.  Since: 0.1 */
MCPHOST_API int64_t mcphost_retry_get_penalty(mcphost_retry *retry);

/* ---- dialogs that stop ------------------------------------------------------------- */

/* Run states of a dialog.  Since: 0.1 */
enum {
    MCPHOST_RUN_RUNNING = 0,
    MCPHOST_RUN_STOPPED = 1 /* by a rejection, until a person resumes it */
};

/*
 * mcphost_dialog_report_rejection - a provider refused this dialog's request.
 *
 * The dialog's run state becomes STOPPED, and a problem
 * `llm/provider_rejected/DIALOG` is raised with provider, dialog, error text and, as
 * far as the text lets it be known, the tool whose schema was refused: by its name, by
 * the name that a projection of the dialog's catalog gave it, or by its place in the
 * list of the projection that was made last (R53, R60, R63).
 * No timer, reload or retry changes the state again: mcphost_dialog_resume() and
 * mcphost_dialog_report_success() do; closing the dialog resolves the problem.  The
 * library does nothing different for a stopped dialog; the application decides what such
 * a dialog may not do (R67).
 *
 * Returns 0, MCPHOST_E_INVALID (NULL, no UTF-8), MCPHOST_E_CLOSED (the dialog or its
 * host), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Any thread.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_report_rejection(mcphost_dialog *dialog,
                                                const char *provider, const char *text,
                                                size_t len);

/* A person says that the dialog may go on: it is RUNNING again, and the problem is
 * resolved.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.  Any thread.  R62, R64.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_resume(mcphost_dialog *dialog);

/* A provider answered: the same (R64).  Costs next to nothing when there is nothing to
 * resolve.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_report_success(mcphost_dialog *dialog);

/* MCPHOST_RUN_*.  Any thread.  Since: 0.1 */
MCPHOST_API int mcphost_dialog_get_run_state(const mcphost_dialog *dialog);

/*
 * mcphost_dialog_get_stop_reason - why a dialog is STOPPED.
 *
 * At once, while the problem follows from dispatch: the problem's detail, a JSON object
 * with `provider`, `dialogId`, `errorText` and, where it is known, `tool`.
 * *ret_json is NUL-terminated and the caller's: mcphost_free(); *ret_len (may be NULL)
 * gets its bytes without the NUL.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (it is RUNNING), MCPHOST_E_CLOSED (its
 * host), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Any thread.  Since: 0.1
 */
MCPHOST_API int mcphost_dialog_get_stop_reason(mcphost_dialog *dialog, char **ret_json,
                                               size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
