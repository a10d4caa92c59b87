/* SPDX-License-Identifier: MIT
 *
 * wait.c - calls without a loop.
 *
 * A thread that waits for a call dispatches the host.  A signal does not end a wait of
 * the library.  This file cuts a wait into slices, so that Python's signal handlers run.
 */
#include <time.h>

#include "core.h"

#define SLICE_MS 50 /* the longest time between two checks for signals */

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct slices
slices_begin(int64_t timeout_ms)
{
    wait_begin();
    return (struct slices){.end = timeout_ms < 0 ? -1 : now_ms() + timeout_ms,
                           .next = timeout_ms < 0 || timeout_ms > SLICE_MS ? SLICE_MS
                                                                           : timeout_ms};
}

static bool
is_going_on(struct slices *slices, int r)
{
    int64_t rest;

    if (wait_is_interrupted() || PyErr_CheckSignals() < 0 || r != 0)
        return false;
    drivers_check();
    if (slices->end < 0)
        return true;
    rest = slices->end - now_ms();
    slices->next = rest < SLICE_MS ? rest : SLICE_MS;
    return rest > 0;
}

bool
slices_continue(struct slices *slices, int r)
{
    bool on = is_going_on(slices, r);

    if (!on)
        wait_end();
    return on;
}

/* Waits for the call and returns the call's outcome.  Cancels the call if a signal's
 * handler or a callback raises an exception. */
static PyObject *
wait_for_call(struct call *call, int64_t timeout_ms)
{
    struct slices slices = slices_begin(timeout_ms);
    int r;

    do {
        gil_release();
        r = mcphost_call_wait(call->base.h, slices.next);
        gil_take();
        if (r == MCPHOST_E_WOKEN)
            r = 0;
    } while (slices_continue(&slices, r));
    if (r == 1)
        Py_CLEAR(call->dialog);
    if (PyErr_Occurred()) {
        mcphost_call_cancel(call->base.h);
        call->is_cancel_wanted = 1;
    } else if (r == 1) {
        return call_outcome(call);
    } else {
        raise_code(r < 0 ? r : MCPHOST_E_TIMEOUT, NULL);
    }
    return NULL;
}

static bool
start_alone(struct call *call)
{
    int r;

    gil_release();
    r = mcphost_call_start(call->base.h, NULL, NULL, NULL);
    gil_take();
    if (r < 0)
        raise_code(r, NULL);
    else
        call->is_started = 1;
    return r >= 0;
}

/* Sets up and starts a call that a thread waits for: start(on_progress, timeout_ms,
 * reset, max_ms, meta). */
PyObject *
call_start(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"on_progress", "timeout_ms", "reset",
                                        "max_ms",      "meta",       NULL};
    struct call *call = (struct call *)self;
    struct arguments a = {0};
    PyObject *ret = NULL;

    if (!arguments_parse(&a, "start", args, n, kw, names, 0))
        return NULL;
    if (set_up_call(&a, 0, call->base.h) && start_alone(call))
        ret = Py_NewRef(self);
    arguments_free(&a);
    return ret;
}

/* Sets up a call that a driver starts: set_up(on_progress, timeout_ms, reset, max_ms,
 * meta). */
PyObject *
call_set_up(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"on_progress", "timeout_ms", "reset",
                                        "max_ms",      "meta",       NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;

    if (!arguments_parse(&a, "set_up", args, n, kw, names, 0))
        return NULL;
    if (set_up_call(&a, 0, handle_of(self)))
        ret = Py_NewRef(self);
    arguments_free(&a);
    return ret;
}

/* Starts the call if it is not started, waits for it and returns the result:
 * run(wait_ms=-1). */
PyObject *
call_run(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"wait_ms", NULL};
    struct call *call = (struct call *)self;
    struct arguments a = {0};
    int64_t wait_ms = -1;

    if (!arguments_parse(&a, "run", args, n, kw, names, 0))
        return NULL;
    if (!take_int64(&a, 0, &wait_ms) || !driver_allows_wait(self) ||
        (!call->is_started && !start_alone(call)))
        return NULL;
    return wait_for_call(call, wait_ms);
}

/* Cancels the call and drops the reference to it.  `call` may be NULL, or a call that has
 * not started. */
static void
cancel_and_drop(mcphost_call *call)
{
    if (call)
        mcphost_call_cancel(call);
    mcphost_call_unref(call);
}

/* Makes, starts and awaits a call of a tool: run_call(dialog, tool, arguments=None).  A
 * call that ends within SLICE_MS needs no Python object except its result. */
PyObject *
run_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dialog", "tool", "arguments", NULL};
    struct arguments a = {0};
    void *dialog = NULL;
    const char *tool = NULL, *json = NULL;
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    PyObject *ob, *ret = NULL;
    size_t len = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "run_call", args, n, kw, names, 2))
        return NULL;
    if (!take_handle(&a, 0, KIND_DIALOG, 0, &dialog) ||
        !take_text(&a, 1, 0, &tool, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_JSON, &json, &len))
        goto out;
    wait_begin();
    gil_release();
    r = mcphost_call_new(dialog, tool, json, len, &call, &err);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(call, SLICE_MS);
    gil_take();
    wait_end();
    if (PyErr_Occurred()) {
        mcphost_error_unref(err);
        cancel_and_drop(call);
        goto out;
    }
    if (r == 1 && mcphost_call_get_result(call)) {
        ret = wrap_borrowed(KIND_RESULT, mcphost_call_get_result(call));
        mcphost_call_unref(call);
        goto out;
    }
    if (r < 0 && r != MCPHOST_E_WOKEN) {
        raise_code(r, err);
        cancel_and_drop(call);
        goto out;
    }
    ob = wrap_owned(KIND_CALL, call);
    if (ob) {
        ((struct call *)ob)->is_started = 1;
        ret = wait_for_call((struct call *)ob, -1);
        Py_DECREF(ob);
    }
out:
    arguments_free(&a);
    return ret;
}
