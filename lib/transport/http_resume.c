/* SPDX-License-Identifier: MIT
 *
 * http_resume.c - resume broken legacy streams, and keep the listener open (MCP
 * 2025-11-25, "Resumability and Redelivery").
 *
 * If a stream breaks off before its answer, a GET resumes the stream after the time that
 * the server asked for.  The GET names the id of the last event.  A stream whose events
 * had no ids is not resumed.
 *
 * The listener is a GET whose stream belongs to no request.  The transport opens the
 * listener when the handshake is done.  The transport opens the listener again, with
 * growing pauses, as long as the server offers it.
 *
 * A server that does not know the session any more answers these GETs with 404.  The
 * transport reports this status on stream 0.  It does not report the status on the stream
 * of the request that the GET resumes, because the server has accepted the request and
 * may have carried it out.
 */
#include <stdlib.h>

#include "transport/http.h"

#define LEAST_MS    50 /* shortest pause in ms, even if the server asked for less */
#define FIRST_MS    1000
#define ATTEMPTS    5 /* limit on a stream's resumes in a row that bring no event */
#define FIRST_TRIES 3 /* limit on the retries to open the listener's first stream */
/* Longest pause in ms, unless the server asked for more.  A stream that was open for this
 * time is no failure. */
#define LONGEST_MS 30000

/* Returns the pause before the next attempt.  The first pause is the time that the server
 * asked for (at least LEAST_MS).  If the server did not ask for a time, the first pause
 * is FIRST_MS.  Later pauses grow with each attempt that brought no event.  Later pauses
 * are never shorter than the time that the server asked for. */
static int64_t
pause_of(const struct exchange *x)
{
    int64_t asked = x->sse ? x->sse->retry_ms : -1, ms = FIRST_MS;

    if (x->attempts == 0 && asked >= 0)
        return asked > LEAST_MS ? asked : LEAST_MS;
    for (unsigned i = 0; i < x->attempts && ms < LONGEST_MS; i++)
        ms += ms / 2;
    if (ms > LONGEST_MS)
        ms = LONGEST_MS;
    return ms > asked ? ms : asked;
}

/* Returns true if a new session was begun since this message was sent. */
static bool
is_outlived(const struct exchange *x)
{
    return x->session_no != x->http->session_no;
}

static void
close_lost(struct exchange *x)
{
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_TRANSPORT,
             "broke the stream off before the answer, and lost the session");
    mcph_http_exchange_close(x, error);
    mcphost_error_unref(error);
}

static void
on_due(struct mcph_timer *timer)
{
    struct exchange *x = MCPH_CONTAINER_OF(timer, struct exchange, timer);

    if (x->failed)
        mcph_http_exchange_close(x, x->failed);
    else if (is_outlived(x))
        close_lost(x);
    else
        mcph_http_exchange_start_or_close(x);
}

int
mcph_http_fail_later(struct exchange *x, mcphost_error *error)
{
    if (!x->timer.core && mcph_timer_init(&x->timer, x->http->base.core, on_due) < 0)
        return MCPHOST_E_NOMEM;
    x->failed = mcphost_error_ref(error);
    mcph_timer_set(&x->timer, mcph_core_now(x->http->base.core));
    return 0;
}

/* Resumes the stream after a pause.  Returns false if there is no memory. */
static bool
resume_after_pause(struct exchange *x)
{
    if (!x->timer.core && mcph_timer_init(&x->timer, x->http->base.core, on_due) < 0)
        return false;
    mcph_timer_set(&x->timer, mcph_core_now(x->http->base.core) + pause_of(x));
    x->attempts++;
    x->req = NULL;
    mcph_http_auth_reset(x);
    return true;
}

bool
mcph_http_resume_later(struct exchange *x)
{
    if (x->http->shake == SHAKE_NONE || !x->sse || !x->sse->id[0] ||
        x->attempts >= ATTEMPTS || is_outlived(x))
        return false;
    x->resumed = true;
    return resume_after_pause(x);
}

static void
tell_session_lost(struct exchange *x)
{
    static const char text[] = "the session is gone";
    const struct mcph_transport_status status = {.code = 404,
                                                 .body = mcph_span_str(text)};

    mcph_transport_tell_status(&x->http->base, 0, &status);
}

void
mcph_http_resume_refused(struct exchange *x)
{
    mcphost_error *error = NULL;

    if (x->status >= 500 && mcph_http_resume_later(x))
        return;
    mcph_err(&error, MCPHOST_E_TRANSPORT,
             "broke the stream off before the answer and does not resume it (HTTP %d)",
             x->status);
    mcph_http_enter(x);
    if (x->status == 404 && x->http->session && !is_outlived(x))
        tell_session_lost(x);
    if (!x->dead)
        mcph_http_exchange_close(x, error);
    mcph_http_leave(x);
    mcphost_error_unref(error);
}

/* ---- the listener ------------------------------------------------------------------ */

void
mcph_http_listener_start(struct http *h)
{
    struct exchange *x;

    mcph_http_listener_stop(h);
    x = mcph_http_exchange_new(h, KIND_LISTENER, 0);
    if (!x)
        return;
    mcph_list_append(&h->exchanges, &x->link);
    h->listener = x;
    if (mcph_http_exchange_start(x) < 0)
        mcph_http_exchange_end(x);
}

void
mcph_http_listener_stop(struct http *h)
{
    if (h->listener)
        mcph_http_exchange_end(h->listener);
}

static void
session_lost(struct exchange *x)
{
    mcph_http_enter(x);
    tell_session_lost(x);
    if (!x->dead)
        mcph_http_exchange_end(x);
    mcph_http_leave(x);
}

/* Handles the end of the listener's GET.  A server need not offer this stream (MCP
 * 2025-11-25, "Listening for Messages"). */
void
mcph_http_listener_ended(struct exchange *x)
{
    /* Try again after 409, because the server believes that the previous stream is still
     * open. */
    bool failed = x->status == 0 || x->status >= 500 || x->status == 408 ||
                  x->status == 409 || x->status == 429;

    if (x->mode == BODY_SSE) {
        /* Reset the number of attempts after a long stream, because a long stream was no
         * failure, even without events. */
        if (mcph_core_now(x->http->base.core) - x->since >= LONGEST_MS)
            x->attempts = 0;
        if (resume_after_pause(x))
            return;
    } else if (x->lived && x->status == 404 && x->http->session) {
        session_lost(x);
        return;
    } else if (failed && (x->lived || (x->status == 0 && x->attempts < FIRST_TRIES))) {
        if (resume_after_pause(x))
            return;
    }
    mcph_http_exchange_end(x);
}
