/* SPDX-License-Identifier: MIT
 *
 * user.c - the application's callbacks.
 *
 * The callbacks call functions of the library that are permitted inside a callback.
 */
#include <stdlib.h>
#include <string.h>

#include "churn.h"

static _Thread_local uint64_t chance;

static unsigned
draw(unsigned n)
{
    if (!chance)
        chance = 88172645463325252u ^ (uintptr_t)&chance;
    return churn_draw(&chance, n);
}

struct given {
    atomic_int freed, done;
};

void *
user_give(void)
{
    struct given *given = calloc(1, sizeof(*given));

    if (!given)
        churn_fail("out of memory");
    atomic_fetch_add(&churn.given, 1);
    return given;
}

void
user_free(void *arg)
{
    struct given *given = arg;

    if (atomic_fetch_add(&given->freed, 1))
        churn_fail("an argument was freed twice");
    atomic_fetch_add(&churn.freed, 1);
    free(given);
}

void
user_done(mcphost_call *call, void *arg)
{
    struct given *given = arg;

    if (atomic_fetch_add(&given->done, 1))
        churn_fail("a call was done twice");
    if (!mcphost_call_get_result(call) == !mcphost_call_get_error(call))
        churn_fail("a call has a result and an error, or neither");
    atomic_fetch_add(&churn.done, 1);
}

void
user_progress(mcphost_call *call, double progress, double total, const char *text,
              size_t len, void *arg)
{
    struct given *given;

    (void)progress;
    (void)total;
    (void)text;
    (void)len;
    (void)arg;
    given = mcphost_call_get_user_data(call); /* user_done() gets the same pointer */
    if (atomic_load(&given->done))
        churn_fail("progress behind done");
    atomic_fetch_add(&churn.progress, 1);
}

int
user_before_call(mcphost_call *call, void *arg)
{
    (void)arg;
    atomic_fetch_add(&churn.asked, 1);
    switch (draw(9)) {
    case 0:
        share_put(AN_ASKED_CALL, draw(N_PLACES), mcphost_call_ref(call));
        return MCPHOST_BEFORE_CALL_LATER;
    case 1:
        mcphost_call_refuse(call, "no", 2);
        return draw(2) ? MCPHOST_BEFORE_CALL_GO : MCPHOST_BEFORE_CALL_LATER;
    case 2:
        mcphost_call_allow(call);
        return MCPHOST_BEFORE_CALL_LATER;
    case 3:
        return MCPHOST_E_DENIED;
    default:
        return MCPHOST_BEFORE_CALL_GO;
    }
}

static void
on_cancelled(mcphost_call *call, void *arg)
{
    (void)arg;
    atomic_fetch_add(&churn.told, 1);
    mcphost_call_answer(call, "too late", 8, 1);
}

int
user_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    static const char whole[] = "{\"content\":[{\"type\":\"text\",\"text\":\"whole\"}]}";

    (void)arg;
    if (len != strlen(arguments))
        churn_fail("arguments with a NUL");
    atomic_fetch_add(&churn.handled, 1);
    switch (draw(7)) {
    case 0:
    case 1:
        mcphost_call_set_cancelled(call, on_cancelled, user_give(), user_free);
        share_put(AN_OPEN_CALL, draw(N_PLACES), mcphost_call_ref(call));
        return 0;
    case 2:
        return mcphost_call_answer_result(call, whole, sizeof(whole) - 1, NULL);
    case 3:
        mcphost_call_answer(call, "first", 5, 0);
        mcphost_call_answer(call, "second", 6, 0);
        return 0;
    case 4:
        mcphost_call_report_progress(call, 1, 2, "half", 4);
        return mcphost_call_answer(call, "done", 4, 0);
    case 5:
        return MCPHOST_E_IO;
    default:
        return mcphost_call_answer(call, "ok", 2, 0);
    }
}

void
user_event(const mcphost_event *event, void *arg)
{
    static const char accepted[] = "{\"action\":\"accept\",\"content\":{}}";
    mcphost_request *request = mcphost_event_get_request(event);

    (void)arg;
    if (request && mcphost_event_get_state(event) == 1 && draw(3))
        mcphost_request_respond(request, accepted, sizeof(accepted) - 1, NULL);
}
