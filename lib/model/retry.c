/* SPDX-License-Identifier: MIT
 *
 * retry.c - decide whether and when a request to a provider is sent again.
 *
 * Every strategy ends: no answer of a provider and no refused schema causes endless
 * retries (R66).  No function here sleeps or sends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"

#define SECOND      INT64_C(1000)
#define MINUTE      (60 * SECOND)
#define AFTER_MAX   (60 * MINUTE) /* a longer Retry-After prevents a retry */
#define PENALTY_MAX (5 * MINUTE)
#define DECAY       (5 * MINUTE)

int
mcphost_retry_new(int strategy, mcphost_retry **ret_retry)
{
    mcphost_retry *retry;

    if (!ret_retry || strategy < MCPHOST_RETRY_STANDARD ||
        strategy > MCPHOST_RETRY_CONSERVATIVE)
        return MCPHOST_E_INVALID;
    retry = calloc(1, sizeof(*retry));
    if (!retry)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&retry->refs);
    retry->strategy = strategy;
    retry->now_ms = mcph_clock_monotonic_ms;
    retry->date_ms = mcph_clock_realtime_ms;
    retry->random = mcph_random_bytes;
    retry->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    *ret_retry = retry;
    return 0;
}

mcphost_retry *
mcphost_retry_ref(mcphost_retry *retry)
{
    if (retry)
        mcph_refs_get(&retry->refs);
    return retry;
}

mcphost_retry *
mcphost_retry_unref(mcphost_retry *retry)
{
    if (retry && mcph_refs_put(&retry->refs)) {
        pthread_mutex_destroy(&retry->lock);
        free(retry);
    }
    return NULL;
}

int
mcphost_retry_set_jitter(mcphost_retry *retry, int percent)
{
    if (!retry || percent < 0 || percent > 100)
        return MCPHOST_E_INVALID;
    retry->jitter = percent;
    return 0;
}

/* ---- delays ------------------------------------------------------------------------ */

/* Returns first * (num/2)^n, or `most` if `most` is less.  `num` is 3 or 4. */
static int64_t
grow_delay(int64_t first, int num, unsigned n, int64_t most)
{
    int64_t delay = first;

    while (n-- && delay < most)
        delay = delay * num / 2;
    return delay < most ? delay : most;
}

/* Returns the standard delay before retry `n`, counted from 0 (B.10), or -1 if there are
 * no more retries. */
static int64_t
standard_delay(unsigned n)
{
    return n < 5 ? grow_delay(SECOND, 4, n, 30 * SECOND) : -1;
}

/* Halves the penalty for each five minutes that have passed since its last change.  A
 * penalty of at most one second becomes 0 instead.  Returns the present penalty in ms.
 * Call this function under the lock. */
static int64_t
decayed_penalty(mcphost_retry *retry)
{
    int64_t now = retry->now_ms();

    while (retry->penalty_ms && now - retry->penalty_at >= DECAY) {
        retry->penalty_at += DECAY;
        retry->penalty_ms = retry->penalty_ms > SECOND ? retry->penalty_ms / 2 : 0;
    }
    return retry->penalty_ms;
}

static int64_t
rate_limited(mcphost_retry *retry)
{
    int64_t penalty;

    pthread_mutex_lock(&retry->lock);
    penalty = decayed_penalty(retry);
    retry->penalty_ms = penalty ? grow_delay(penalty, 4, 1, PENALTY_MAX) : SECOND;
    retry->penalty_at = retry->now_ms();
    penalty = retry->penalty_ms;
    pthread_mutex_unlock(&retry->lock);
    return penalty;
}

static int64_t
own_delay(mcphost_retry *retry, unsigned n, int failure)
{
    switch (retry->strategy) {
    case MCPHOST_RETRY_AGGRESSIVE:
        return n < 3 ? grow_delay(SECOND, 3, n, 30 * SECOND) : standard_delay(n - 3);
    case MCPHOST_RETRY_SMART_RATE:
        if (failure != MCPHOST_FAILURE_RATE)
            return standard_delay(n);
        return n < 10 ? rate_limited(retry) : -1;
    case MCPHOST_RETRY_CONSERVATIVE:
        if (n >= 30)
            return -1;
        return n < 10 ? 30 * SECOND : grow_delay(30 * SECOND, 3, n - 9, 30 * MINUTE);
    default:
        return standard_delay(n);
    }
}

/* Reads "Sun, 06 Nov 1994 08:49:37 GMT".  Returns the ms from `date_ms` to this date, or
 * 0 if the date is past or cannot be read.  Does not use strptime(), because strptime()
 * depends on the locale. */
static int64_t
read_date(const char *text, int64_t date_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm = {0};
    const char *found;
    char month[4];
    int64_t ms;

    if (sscanf(text, "%*3s, %2d %3s %4d %2d:%2d:%2d GMT", &tm.tm_mday, month, &tm.tm_year,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
        return 0;
    found = strstr(months, month);
    if (!found)
        return 0;
    tm.tm_mon = (int)(found - months) / 3;
    tm.tm_year -= 1900;
    ms = (int64_t)timegm(&tm) * 1000 - date_ms;
    return ms > 0 ? ms : 0;
}

int64_t
mcph_model_read_after(const char *text, int64_t date_ms)
{
    int64_t seconds = 0;

    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return read_date(text, date_ms);
    for (; *text >= '0' && *text <= '9' && seconds < AFTER_MAX; text++)
        seconds = seconds * 10 + (*text - '0');
    return seconds * SECOND;
}

static int64_t
add_jitter(const mcphost_retry *retry, int64_t delay)
{
    uint32_t random;

    if (!retry->jitter || retry->random(&random, sizeof(random)) < 0)
        return delay;
    return delay + (int64_t)((double)delay * retry->jitter / 100 * random / UINT32_MAX);
}

int
mcphost_retry_judge(mcphost_retry *retry, unsigned failures, int failure,
                    const char *retry_after, int64_t *ret_delay_ms)
{
    int64_t delay, after;

    if (!retry || !failures || !ret_delay_ms || failure < MCPHOST_FAILURE_FATAL ||
        failure > MCPHOST_FAILURE_TRANSIENT)
        return MCPHOST_E_INVALID;
    if (failure == MCPHOST_FAILURE_FATAL || failure == MCPHOST_FAILURE_REJECTED)
        return 0;
    after = retry_after ? mcph_model_read_after(retry_after, retry->date_ms()) : 0;
    if (after > AFTER_MAX)
        return 0;
    delay = own_delay(retry, failures - 1, failure);
    if (delay < 0)
        return 0;
    delay = add_jitter(retry, delay);
    *ret_delay_ms = after > delay ? after : delay;
    return 1;
}

int64_t
mcphost_retry_get_penalty_ms(mcphost_retry *retry)
{
    int64_t penalty, until;

    if (!retry || retry->strategy != MCPHOST_RETRY_SMART_RATE)
        return 0;
    pthread_mutex_lock(&retry->lock);
    penalty = decayed_penalty(retry);
    until = penalty ? retry->penalty_at + penalty - retry->now_ms() : 0;
    pthread_mutex_unlock(&retry->lock);
    return until > 0 ? until : 0;
}
