/* SPDX-License-Identifier: MIT
 *
 * ask.c - questions of a provider to the client side of a call.
 *
 * The carrier of the call (provide.h) sends a question to the client side.  A delivery
 * (loop/loop.h) passes the answer to the function that the provider gave with the
 * question.  If the call ends first, the question ends with MCPHOST_E_CANCELLED.
 */
#include <stdlib.h>

#include "provide/more.h"

#define PARAMS_MAX ((size_t)16 * 1024 * 1024)

static void
ask_free(struct mcph_ask_out *ask)
{
    if (ask->free_arg)
        ask->free_arg(ask->arg);
    mcphost_error_unref(ask->error);
    free(ask->result);
    free(ask->params);
    free(ask);
}

/* ---- the answer -------------------------------------------------------------------- */

/* Passes the answer to the application's function, then frees the question. */
static void
run_answer(struct mcph_delivery *delivery)
{
    struct mcph_ask_out *ask = MCPH_CONTAINER_OF(delivery, struct mcph_ask_out, delivery);
    mcphost_provider_call *call = ask->call;

    ask->fn(call, ask->code, ask->result, ask->result_len, ask->error, ask->arg);
    ask_free(ask);
    mcph_providing_put_user(call);
}

static void
uncount_ask(mcphost_provider_call *call)
{
    size_t *n;

    mcph_core_lock(call->provider->core);
    if (mcph_more_asks_locked(call, &n))
        --*n;
    mcph_core_unlock(call->provider->core);
}

void
mcph_ask_out_answer(struct mcph_ask_out *ask, int code, struct mcph_span result,
                    mcphost_error *error)
{
    mcph_list_remove(&ask->link);
    uncount_ask(ask->call);
    ask->code = code;
    if (code == 0) {
        ask->result = mcph_strndup(result.p, result.len);
        ask->result_len = result.len;
        if (!ask->result) {
            ask->code = mcph_err_nomem(&ask->error);
            ask->result_len = 0;
        }
    } else if (error) {
        ask->error = mcphost_error_ref(error);
    } else {
        mcph_err(&ask->error, code, "%s", mcphost_strerror(code));
    }
    mcph_list_init(&ask->delivery.link);
    mcph_core_deliver(ask->call->provider->core, &ask->delivery);
}

void
mcph_asks_over(struct mcph_list *asks)
{
    while (!mcph_list_empty(asks)) {
        struct mcph_ask_out *ask = MCPH_LIST_ENTRY(asks->next, struct mcph_ask_out, link);

        ask->call->carrier->unask(ask->call, ask);
        mcph_ask_out_answer(ask, MCPHOST_E_CANCELLED, MCPH_SPAN_NONE, NULL);
    }
}

/* ---- the question ------------------------------------------------------------------ */

static void
run_ask(struct mcph_job *job)
{
    struct mcph_ask_out *ask = MCPH_CONTAINER_OF(job, struct mcph_ask_out, job);
    mcphost_provider_call *call = ask->call;
    struct mcph_list *asks;
    size_t *n;

    mcph_core_lock(call->provider->core);
    asks = mcph_more_asks_locked(call, &n);
    mcph_core_unlock(call->provider->core);
    if (mcph_list_empty(&call->link)) {
        mcph_ask_out_answer(ask, MCPHOST_E_CANCELLED, MCPH_SPAN_NONE, NULL);
        return;
    }
    mcph_list_append(asks, &ask->link);
    call->carrier->ask(call, ask);
}

static struct mcph_ask_out *
ask_new(mcphost_provider_call *call, int kind, struct mcph_span params)
{
    struct mcph_ask_out *ask = calloc(1, sizeof(*ask));

    if (!ask)
        return NULL;
    ask->kind = kind;
    ask->call = call;
    ask->job.run = run_ask;
    ask->delivery.deliver = run_answer;
    mcph_list_init(&ask->link);
    ask->params = params.p ? mcph_strndup(params.p, params.len) : NULL;
    ask->params_len = params.len;
    if (!params.p || ask->params)
        return ask;
    free(ask);
    return NULL;
}

/* Posts the job that sends the question.  On success the job owns the question.  Returns
 * 0, MCPHOST_E_STATE (the call is not open), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM or the code
 * of mcph_core_enter_closed(). */
static int
post_ask(mcphost_provider_call *call, struct mcph_ask_out *ask)
{
    size_t *n;
    int r = mcph_core_enter_closed(call->provider->core);

    if (r < 0)
        return r;
    if (!mcph_providing_is_open(call)) {
        r = MCPHOST_E_STATE;
    } else if (!mcph_more_asks_locked(call, &n)) {
        r = MCPHOST_E_NOMEM;
    } else if (*n >= MCPH_ASKS_MAX) {
        r = MCPHOST_E_LIMIT;
    } else {
        ++*n;
        mcph_providing_get_user(call);
        mcph_core_post_locked(call->provider->core, &ask->job);
    }
    mcph_core_leave(call->provider->core);
    return r;
}

static int
check_question(mcphost_provider_call *call, int kind, struct mcph_span params,
               struct mcph_span *ret_object, mcphost_error **reterr)
{
    *ret_object = MCPH_SPAN_NONE;
    if (!call->carrier->asks || !call->carrier->asks(call, kind))
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "the client side does not accept requests of this kind");
    if (!params.p)
        return 0;
    if (params.len > PARAMS_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "parameters of a request are longer than %zu bytes", PARAMS_MAX);
    return mcph_json_check_input(params, 0, MCPH_JSON_OBJECT, "parameters of a request",
                                 ret_object, reterr);
}

int
mcph_providing_ask(mcphost_provider_call *call, int kind, struct mcph_span params,
                   mcphost_answered_fn fn, void *arg, mcphost_free_fn free_arg,
                   mcphost_error **reterr)
{
    struct mcph_ask_out *ask = NULL;
    struct mcph_span object;
    int r = check_question(call, kind, params, &object, reterr);

    if (r == 0) {
        ask = ask_new(call, kind, object);
        r = ask ? 0 : mcph_err_nomem(reterr);
    }
    if (!ask) {
        if (free_arg)
            free_arg(arg);
        return r;
    }
    ask->fn = fn;
    ask->arg = arg;
    ask->free_arg = free_arg;
    r = post_ask(call, ask);
    if (r == 0)
        return 0;
    ask_free(ask);
    return mcph_err(reterr, r, "%s", mcphost_strerror(r));
}
