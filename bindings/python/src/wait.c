/* SPDX-License-Identifier: MIT
 *
 * wait.c - calls without a loop.
 *
 * A thread that waits for a call dispatches the host.  A signal does not end a wait of
 * the library.  This file cuts a wait into slices, so that Python's signal handlers run.
 */
#include <string.h>
#include <time.h>

#include "core.h"

#include <structmember.h>

#define SLICE_MS   50  /* the longest time between two checks for signals */
#define JSON_FIRST 512 /* bytes on the stack for the JSON of a call's arguments */

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

/* Waits for the call and returns the call's outcome.  Raises MCPHOST_E_TIMEOUT after
 * `timeout_ms`, and does not cancel the call then.  Cancels the call if a signal's
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

/* ---- dialogs ----------------------------------------------------------------------- */

/* The base of sync.Dialog.  It is written in C, so that a call without settings needs no
 * Python frame. */
struct caller {
    PyObject ob_base;
    PyObject *core; /* the dialog, or NULL before __init__() */
};

/* Calls self._call_with(), which takes the settings of a call. */
static PyObject *
call_with_settings(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    PyObject *fn = PyObject_GetAttrString(self, "_call_with"), *ret = NULL;
    PyObject *positional = PyTuple_New(n), *settings = PyDict_New();
    bool ok = fn && positional && settings;

    for (Py_ssize_t i = 0; ok && i < n; i++)
        PyTuple_SetItem(positional, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; ok && i < PyTuple_Size(kw); i++)
        ok = PyDict_SetItem(settings, PyTuple_GetItem(kw, i), args[n + i]) == 0;
    if (ok)
        ret = PyObject_Call(fn, positional, settings);
    Py_XDECREF(fn);
    Py_XDECREF(positional);
    Py_XDECREF(settings);
    return ret;
}

/* Makes and starts a call of a tool, and waits for it.  A call that gets its result
 * within SLICE_MS needs no Python object except this result. */
static PyObject *
run_call(void *dialog, const char *tool, const char *json, size_t len)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    PyObject *ob, *ret = NULL;
    const mcphost_result *result;
    int r;

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
        return NULL;
    }
    result = r == 1 ? mcphost_call_get_result(call) : NULL;
    if (result) {
        ret = wrap_borrowed(KIND_RESULT, result);
        mcphost_call_unref(call);
        return ret;
    }
    if (r < 0 && r != MCPHOST_E_WOKEN) {
        raise_code(r, err);
        cancel_and_drop(call);
        return NULL;
    }
    ob = wrap_owned(KIND_CALL, call);
    if (ob) {
        ((struct call *)ob)->is_started = 1;
        ret = wait_for_call((struct call *)ob, -1);
        Py_DECREF(ob);
    }
    return ret;
}

/* Calls a tool with the arguments that json.c writes.  Most calls are of this form. */
static PyObject *
call_with_dict(void *dialog, PyObject *tool, PyObject *arguments)
{
    char first[JSON_FIRST], *json = NULL;
    PyObject *ret = NULL;
    Py_ssize_t tool_len;
    size_t len = 0;
    const char *name = PyUnicode_AsUTF8AndSize(tool, &tool_len);

    if (name && strlen(name) != (size_t)tool_len)
        PyErr_SetString(PyExc_ValueError, "embedded null character");
    else if (name)
        json = json_encode_in(first, sizeof(first), arguments, &len);
    if (json)
        ret = run_call(dialog, name, json, len);
    if (json != first)
        PyMem_Free(json);
    return ret;
}

/* Implements call(tool, arguments=None, **settings). */
static PyObject *
caller_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"tool", "arguments", NULL};
    PyObject *core = ((struct caller *)self)->core, *ret = NULL;
    const char *tool = NULL, *json = NULL;
    struct arguments a = {0};
    size_t len = 0;

    if (kw && PyTuple_Size(kw) > 0)
        return call_with_settings(self, args, n, kw);
    if (core && is_kind(core, KIND_DIALOG) && n == 2 && PyUnicode_Check(args[0]) &&
        PyDict_CheckExact(args[1]))
        return call_with_dict(handle_of(core), args[0], args[1]);
    if (!arguments_parse(&a, "call", args, n, kw, names, 1))
        return NULL;
    if (!core || !is_kind(core, KIND_DIALOG))
        PyErr_SetString(PyExc_TypeError, "expected a Dialog in 'core'");
    else if (take_text(&a, 0, 0, &tool, NULL) &&
             take_text(&a, 1, TEXT_NULL | TEXT_JSON, &json, &len))
        ret = run_call(handle_of(core), tool, json, len);
    arguments_free(&a);
    return ret;
}

static int
caller_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct caller *)self)->core);
    return 0;
}

static int
caller_clear(PyObject *self)
{
    Py_CLEAR(((struct caller *)self)->core);
    return 0;
}

static void
caller_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    caller_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static PyMethodDef caller_methods[] = {
    {"call", (PyCFunction)(void (*)(void))caller_call, METH_FASTCALL | METH_KEYWORDS,
     "Calls a tool and returns its result.  Times are in seconds.  Without timeout and\n"
     "max_time, the call has the limit of its server.  reset_on_progress needs timeout."},
    {0},
};

static PyMemberDef caller_members[] = {
    {"core", T_OBJECT_EX, offsetof(struct caller, core), 0, NULL},
    {0},
};

static PyType_Slot caller_slots[] = {
    {Py_tp_dealloc, caller_dealloc}, {Py_tp_traverse, caller_traverse},
    {Py_tp_clear, caller_clear},     {Py_tp_methods, caller_methods},
    {Py_tp_members, caller_members}, {0, NULL},
};

PyType_Spec caller_spec = {
    .name = "mcphost._core.Caller",
    .basicsize = sizeof(struct caller),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = caller_slots,
};
