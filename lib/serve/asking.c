/* SPDX-License-Identifier: MIT
 *
 * asking.c - the questions that a server asks during a call: pass them on to the client
 * of the call, and pass the client's answers back to the server.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

/* A question that was sent to the client. */
struct asked {
    struct mcph_list link; /* link in passed->asked */
    struct mcph_served_ask base;
    mcphost_request *request; /* a reference of mcph_request_get_user() */
};

static struct asked *
asked_of(struct mcph_served_ask *base)
{
    return MCPH_CONTAINER_OF(base, struct asked, base);
}

static void
reject_request(mcphost_request *request, int how, const mcphost_error *error)
{
    (void)mcph_request_reject(request, how,
                              error ? mcphost_error_get_message(error)
                                    : "the client does not accept this kind of request");
}

/* Passes on an answer to an elicitation: the user's action and the content of the
 * form. */
static void
pass_elicitation(mcphost_request *request, struct mcph_span result)
{
    struct mcph_span action = mcph_json_get(result, "action");
    struct mcph_span content = mcph_json_get(result, "content");
    mcphost_error *err = NULL;
    int r = 0;

    if (mcph_json_string_is(action, "decline", 7)) {
        reject_request(request, MCPHOST_REJECT_DECLINE, NULL);
    } else if (!mcph_json_string_is(action, "accept", 6)) {
        reject_request(request, MCPHOST_REJECT_CANCEL, NULL);
    } else {
        if (request->kind == MCPHOST_REQUEST_URL)
            content = MCPH_SPAN_NONE;
        r = mcph_request_respond(request, content.p, content.len, &err);
        if (r < 0)
            reject_request(request, MCPHOST_REJECT_ERROR, err);
    }
    mcphost_error_unref(err);
}

static void
pass_answer(mcphost_request *request, struct mcph_span result)
{
    mcphost_error *err = NULL;

    if (request->kind == MCPHOST_REQUEST_FORM || request->kind == MCPHOST_REQUEST_URL) {
        pass_elicitation(request, result);
        return;
    }
    if (request->kind == MCPHOST_REQUEST_ROOTS)
        result = mcph_json_get(result, "roots");
    if (mcph_request_respond(request, result.p, result.len, &err) < 0)
        reject_request(request, MCPHOST_REJECT_ERROR, err);
    mcphost_error_unref(err);
}

static void
on_answered(struct mcph_served_ask *base, int code, struct mcph_span result,
            mcphost_error *error)
{
    struct asked *asked = asked_of(base);
    mcphost_request *request = asked->request;

    mcph_list_remove(&asked->link);
    free(asked);
    if (code == 0)
        pass_answer(request, result);
    else
        reject_request(request, MCPHOST_REJECT_ERROR, error);
    mcph_request_put_user(request);
}

static void
ask_client(struct mcph_passed *passed, mcphost_request *request)
{
    struct asked *asked = calloc(1, sizeof(*asked));
    int r = MCPHOST_E_NOMEM;

    if (asked) {
        asked->base.kind = request->kind;
        asked->base.params = request->params;
        asked->base.answered = on_answered;
        asked->request = request;
        r = mcph_served_ask(passed->served, &asked->base);
    }
    if (r == 0) {
        mcph_list_append(&passed->asked, &asked->link);
        mcph_request_get_user(request);
        return;
    }
    free(asked);
    reject_request(request, MCPHOST_REJECT_ERROR, NULL);
}

void
mcph_pass_unask(struct mcph_passed *passed, const mcphost_request *request)
{
    mcph_list_for_each_safe (it, &passed->asked) {
        struct asked *asked = MCPH_LIST_ENTRY(it, struct asked, link);

        if (request && asked->request != request)
            continue;
        mcph_served_unask(&asked->base);
        mcph_list_remove(&asked->link);
        mcph_request_put_user(asked->request);
        free(asked);
    }
}

bool
mcph_pass_question(mcphost_serving *serving, const struct mcphost_event *event)
{
    mcphost_request *request = event->request;
    struct mcph_passed *passed;

    if (!mcph_streq(event->dialog, serving->dialog->id))
        return false;
    if (!event->state) { /* the server withdraws the question */
        mcph_list_for_each_entry (it, &serving->passed, struct mcph_passed, link)
            mcph_pass_unask(it, request);
        return true;
    }
    /* If the call of the question is not known, request->call is NULL and
     * mcph_pass_find() returns the first passed request. */
    passed = mcph_pass_find(serving, request->call);
    if (passed)
        ask_client(passed, request);
    else
        reject_request(request, MCPHOST_REJECT_ERROR, NULL);
    return true;
}
