/* SPDX-License-Identifier: MIT
 *
 * retry.h - what to do when a model's provider did not answer a request: whether and when
 * to send it again.
 *
 * The application talks to the provider.  It hands over what came back and gets a
 * verdict.  A request that the provider refused is never sent again without a person:
 * mcphost_dialog_report_rejection() stops the dialog until a person resumes it.
 */
#ifndef MCPHOST_RETRY_H
#define MCPHOST_RETRY_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a failure was.  Since: 0.1 */
enum mcphost_failure {
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
 * body; without that the transport's code; words count last.
 * 401, 403, 404 and the like are REJECTED as 400 is.  An error within a stream is known
 * by its body: it comes with status 200.  Any thread; keeps nothing.
 * Since: 0.1
 */
MCPHOST_API int mcphost_classify_failure(int status, MCPHOST_NULLABLE const char *body,
                                         size_t body_len,
                                         MCPHOST_NULLABLE const char *error);

/* How often and when to try again.  Since: 0.1 */
enum mcphost_retry_strategy {
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
MCPHOST_API int mcphost_retry_new(int strategy, MCPHOST_OWNED mcphost_retry **ret_retry);

/* Takes a reference; drops one.  NULL is fine.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_retry *
mcphost_retry_ref(MCPHOST_NULLABLE mcphost_retry *retry);
MCPHOST_API MCPHOST_NULLABLE mcphost_retry *
mcphost_retry_unref(MCPHOST_NULLABLE mcphost_retry *retry);

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
 * Since: 0.1
 */
MCPHOST_API int mcphost_retry_judge(mcphost_retry *retry, unsigned failures, int failure,
                                    MCPHOST_NULLABLE const char *retry_after,
                                    int64_t *ret_delay_ms);

/* How long a request should wait before it is sent at all, because others have just
 * met a rate limit; 0 for strategies without a penalty.  Since: 0.1 */
MCPHOST_API int64_t mcphost_retry_get_penalty_ms(mcphost_retry *retry);

#ifdef __cplusplus
}
#endif
#endif
