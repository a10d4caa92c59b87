/* SPDX-License-Identifier: MIT
 *
 * retry.h - whether and when to repeat a request that a model's provider did not answer.
 *
 * The application talks to the provider.  It classifies each failure and asks a policy
 * whether and when to try again.  A request that the provider refused must not be
 * repeated without a person's decision: mcphost_dialog_report_rejection() stops the
 * dialog until a person resumes it.
 */
#ifndef MCPHOST_RETRY_H
#define MCPHOST_RETRY_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of failures.  Since: 0.1 */
enum mcphost_failure {
    MCPHOST_FAILURE_FATAL = 0,    /* another try would change nothing */
    MCPHOST_FAILURE_REJECTED = 1, /* the provider refused the request itself */
    MCPHOST_FAILURE_RATE = 2,     /* the provider got too many requests */
    MCPHOST_FAILURE_TRANSIENT = 3 /* a network fault, timeout or overloaded server */
};

/*
 * mcphost_classify_failure - classify a provider's answer, or the lack of an answer.
 *
 * `status` is the HTTP status, or 0 if there was no HTTP answer.  `body` is the body of
 * the HTTP answer, or NULL.  `error` is the error text or code of the transport, such as
 * "ECONNRESET" or the text of curl, or NULL.
 *
 * The status decides the kind of the failure.  400 to 499 are MCPHOST_FAILURE_REJECTED,
 * except 408 and 429.  429 is MCPHOST_FAILURE_RATE.  408 and 500 to 599 are
 * MCPHOST_FAILURE_TRANSIENT.  For any other status, the error type in the body decides
 * the kind.  An error within a stream, for example, comes with status 200.  The types of
 * OpenAI, Anthropic and Gemini are known.  If the body has no known error type, a code in
 * `error` decides the kind.  Other words in `error` count only if `status` is 0.  If
 * nothing decides the kind, the kind is MCPHOST_FAILURE_FATAL.
 *
 * Returns: the kind of the failure, one of MCPHOST_FAILURE_*.
 * Since: 0.1
 */
MCPHOST_API int mcphost_classify_failure(int status, MCPHOST_NULLABLE const char *body,
                                         size_t body_len,
                                         MCPHOST_NULLABLE const char *error);

/* Strategies: how often and when to try again.  Since: 0.1 */
enum mcphost_retry_strategy {
    /* up to 5 retries, with delays of 1, 2, 4, 8 and 16 s */
    MCPHOST_RETRY_STANDARD = 0,
    /* for connections that break: up to 3 retries, with delays of 1, 1.5 and 2.25 s, then
     * the 5 retries of MCPHOST_RETRY_STANDARD */
    MCPHOST_RETRY_AGGRESSIVE = 1,
    /* like MCPHOST_RETRY_STANDARD, but with up to 10 retries after a rate limit.  The
     * delay after a rate limit is a penalty that all requests of the policy share.  Each
     * rate limit doubles the penalty, from 1 s to 5 min.  Each period of 5 min without a
     * rate limit halves the penalty. */
    MCPHOST_RETRY_SMART_RATE = 2,
    /* up to 30 retries: 10 with a delay of 30 s, then each with 1.5 times the previous
     * delay, at most 30 min */
    MCPHOST_RETRY_CONSERVATIVE = 3
};

/*
 * mcphost_retry_new - make a policy for the requests to one provider and model.
 *
 * Errors: MCPHOST_E_INVALID (`strategy` is unknown), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_retry_new(int strategy, MCPHOST_OWNED mcphost_retry **ret_retry);

/* Takes a reference to `retry`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_retry *
mcphost_retry_ref(MCPHOST_NULLABLE mcphost_retry *retry);

/* Drops a reference to `retry`.  Dropping the last reference frees the policy.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_retry *
mcphost_retry_unref(MCPHOST_NULLABLE mcphost_retry *retry);

/*
 * mcphost_retry_set_jitter - spread the delays.
 *
 * The policy adds a random part of each delay, up to `percent` percent, to the delay.
 * This part keeps many clients from sending their requests again at the same time.  The
 * default of `percent` is 0.  Set the jitter before several threads share the policy.
 *
 * Errors: MCPHOST_E_INVALID (`percent` is not between 0 and 100).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_retry_set_jitter(mcphost_retry *retry, int percent);

/*
 * mcphost_retry_judge - decide whether and when to send a request again.
 *
 * Do not call this function once a response has started, because the application cannot
 * take back the part of the response that it has shown.
 *
 * `failures` counts how often this request has failed, the present failure included.
 * `failure` is the value that mcphost_classify_failure() returned.  `retry_after` is the
 * value of the header Retry-After, in seconds or as an HTTP date, or NULL.  If the time
 * of `retry_after` is longer than the policy's delay, this time becomes the delay.  If
 * the time of `retry_after` is longer than an hour, the request is not sent again.
 *
 * *ret_delay_ms gets the delay in milliseconds, if the request is to be sent again.
 *
 * Returns: 1 if the request is to be sent again, 0 if it is not.
 * Errors: MCPHOST_E_INVALID (`failures` is 0, or `failure` is unknown).
 * Since: 0.1
 */
MCPHOST_API int mcphost_retry_judge(mcphost_retry *retry, unsigned failures, int failure,
                                    MCPHOST_NULLABLE const char *retry_after,
                                    int64_t *ret_delay_ms);

/* Returns the milliseconds that a new request should wait because other requests of
 * this policy have just met a rate limit, or 0 for strategies without a penalty.
 * Since: 0.1 */
MCPHOST_API int64_t mcphost_retry_get_penalty_ms(mcphost_retry *retry);

#ifdef __cplusplus
}
#endif
#endif
