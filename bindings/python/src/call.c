/* SPDX-License-Identifier: MIT
 *
 * call.c - calls as futures of asyncio.
 *
 * A call implements the protocols of asyncio.Future and of a coroutine.  Therefore a task
 * can await a call, and asyncio.gather() and asyncio.create_task() accept a call.  A call
 * needs no coroutine or future of Python around it.
 */
#include "core.h"

PyObject *
call_keep(PyObject *call, PyObject *dialog)
{
    if (call)
        ((struct call *)call)->dialog = Py_NewRef(dialog);
    return call;
}

/* Calls the application's function with progress, total and message. */
static void
tramp_report(mcphost_call *call, double progress, double total, const char *message,
             size_t message_len, void *arg)
{
    struct callback *callback = arg;
    PyObject *args, *ret;
    struct entry entry;

    (void)call;
    if (!python_enter(callback->interp, &entry))
        return;
    args = wrap_tuple(3, PyFloat_FromDouble(progress),
                      total == total ? PyFloat_FromDouble(total) : Py_NewRef(Py_None),
                      wrap_text(message, &message_len));
    ret = args ? PyObject_Call(callback->fn, args, NULL) : NULL;
    if (!ret)
        report_exception(callback->fn);
    Py_XDECREF(args);
    Py_XDECREF(ret);
    python_leave(&entry);
}

/* Sets the limits of the call: a timeout, whether progress starts it anew, and a limit of
 * the whole call.  A time is None, -1 for no limit, or a number of milliseconds.  If both
 * times are None, the call keeps the limit of its server. */
static bool
set_limits(struct arguments *a, int i, mcphost_call *call)
{
    bool has_timeout = a->v[i] && a->v[i] != Py_None;
    bool has_max = a->v[i + 2] && a->v[i + 2] != Py_None;
    int64_t timeout_ms = -1, max_ms = -1;
    int reset = 0, r;

    if ((has_timeout && !take_int64(a, i, &timeout_ms)) || !take_int(a, i + 1, &reset) ||
        (has_max && !take_int64(a, i + 2, &max_ms)))
        return false;
    if (reset && !has_timeout) {
        PyErr_SetString(PyExc_ValueError, "reset_on_progress needs a timeout");
        return false;
    }
    if (!has_timeout && !has_max)
        return true;
    r = mcphost_call_set_timeout(call, timeout_ms, reset, max_ms);
    if (r < 0)
        raise_code(r, NULL);
    return r >= 0;
}

bool
set_up_call(struct arguments *a, int i, mcphost_call *call)
{
    struct callback *on_progress = NULL;
    mcphost_error *err = NULL;
    const char *meta = NULL;
    size_t meta_len = 0;
    int r = 0;

    if (!set_limits(a, i + 1, call) || !take_callback(a, i, 1, 1, &on_progress) ||
        !take_text(a, i + 4, TEXT_NULL | TEXT_JSON, &meta, &meta_len))
        return false;
    if (on_progress) {
        r = mcphost_call_set_progress(call, tramp_report, on_progress, tramp_free);
        arguments_given(a);
    }
    if (r == 0 && meta)
        r = mcphost_call_set_meta(call, meta, meta_len, &err);
    if (r < 0)
        raise_code(r, err);
    return r >= 0;
}

/* ---- the protocol of a future ------------------------------------------------------ */

static bool
is_done(struct call *call)
{
    return call->driver ? call->is_done : mcphost_call_is_done(call->base.h);
}

/* Makes the exception of the error with which the call ended.  The library reports
 * MCPHOST_E_CANCELLED if the application cancelled the call, if the server cancelled the
 * task of the call, or if the host or the dialog was closed during the call.  To find out
 * whether the host or the dialog is closed, the function starts the call again.  The
 * start fails with MCPHOST_E_CLOSED only if the host or the dialog is closed. */
static PyObject *
call_error(struct call *call, mcphost_error *err)
{
    int code = mcphost_error_get_code(err);

    if (code == MCPHOST_E_CANCELLED && !call->is_cancel_wanted &&
        mcphost_call_start(call->base.h, NULL, NULL, NULL) == MCPHOST_E_CLOSED)
        code = MCPHOST_E_CLOSED;
    return make_exception(code, mcphost_error_ref(err));
}

PyObject *
call_outcome(struct call *call)
{
    mcphost_error *err;

    if (call->is_cancel_wanted && call->driver) {
        PyErr_SetNone(object_here(CANCELLED_ERROR));
        return NULL;
    }
    err = mcphost_call_get_error(call->base.h);
    if (!err)
        return wrap_borrowed(KIND_RESULT, mcphost_call_get_result(call->base.h));
    raise_exception(call_error(call, err));
    return NULL;
}

static bool
check_done(struct call *call)
{
    if (!is_done(call))
        PyErr_SetString(object_here(INVALID_STATE_ERROR), "the call has not ended");
    return is_done(call);
}

PyObject *
call_result(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    (void)args;
    (void)n;
    (void)kw;
    return check_done((struct call *)self) ? call_outcome((struct call *)self) : NULL;
}

PyObject *
call_exception(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    struct call *call = (struct call *)self;
    mcphost_error *err;

    (void)args;
    (void)n;
    (void)kw;
    if (!check_done(call))
        return NULL;
    if (call->is_cancel_wanted && call->driver)
        return call_outcome(call);
    err = mcphost_call_get_error(call->base.h);
    return err ? call_error(call, err) : Py_NewRef(Py_None);
}

/* Returns the library's exception for the call's error, or None.  Unlike exception(),
 * this function also returns the error of a cancelled call. */
PyObject *
call_core_exception(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    mcphost_error *err = mcphost_call_get_error(handle_of(self));

    (void)args;
    (void)n;
    (void)kw;
    return err ? make_exception(mcphost_error_get_code(err), mcphost_error_ref(err))
               : Py_NewRef(Py_None);
}

PyObject *
call_done(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    (void)args;
    (void)n;
    (void)kw;
    return PyBool_FromLong(is_done((struct call *)self));
}

PyObject *
call_cancelled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    struct call *call = (struct call *)self;

    (void)args;
    (void)n;
    (void)kw;
    return PyBool_FromLong(is_done(call) && call->is_cancel_wanted);
}

/* Cancels the call.  Ignores the argument `msg`.  Returns False if the call has ended. */
PyObject *
call_cancel_future(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    struct call *call = (struct call *)self;
    int r;

    (void)args;
    (void)n;
    (void)kw;
    if (is_done(call))
        Py_RETURN_FALSE;
    gil_release();
    r = mcphost_call_cancel(call->base.h);
    gil_take();
    if (r < 0) {
        raise_code(r, NULL);
        return NULL;
    }
    call->is_cancel_wanted = 1;
    Py_RETURN_TRUE;
}

/* Makes a CancelledError.  asyncio.gather() uses this function and
 * call_get_cancel_message(). */
PyObject *
call_make_cancelled_error(PyObject *self, PyObject *const *args, Py_ssize_t n,
                          PyObject *kw)
{
    (void)self;
    (void)args;
    (void)n;
    (void)kw;
    return PyObject_CallNoArgs(object_here(CANCELLED_ERROR));
}

PyObject *
call_get_cancel_message(PyObject *self, void *unused)
{
    (void)self;
    (void)unused;
    Py_RETURN_NONE;
}

static bool
add_further(struct call *call, PyObject *fn, PyObject *context)
{
    PyObject *pair = PyTuple_Pack(2, fn, context ? context : Py_None);
    int r;

    if (!call->callbacks)
        call->callbacks = PyList_New(0);
    r = call->callbacks && pair ? PyList_Append(call->callbacks, pair) : -1;
    Py_XDECREF(pair);
    return r == 0;
}

PyObject *
call_add_done_callback(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", "context", NULL};
    struct call *call = (struct call *)self;
    struct arguments a = {0};
    PyObject *context;
    bool is_task = call->is_blocking == 2;

    if (!arguments_parse(&a, "add_done_callback", args, n, kw, names, 1))
        return NULL;
    if (!call->driver) {
        PyErr_SetString(object_here(INVALID_STATE_ERROR), "no loop drives the call");
        return NULL;
    }
    context = a.v[1] == Py_None ? NULL : a.v[1];
    call->is_blocking &= 1;
    if (call->is_done) {
        if (!driver_call_soon(call->driver, a.v[0], self, context))
            return NULL;
    } else if (is_task && !call->callback) {
        call->callback = Py_NewRef(a.v[0]);
        call->context = Py_XNewRef(context);
    } else if (!add_further(call, a.v[0], context)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *
call_remove_done_callback(PyObject *self, PyObject *const *args, Py_ssize_t n,
                          PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct call *call = (struct call *)self;
    struct arguments a = {0};
    long removed = 0;

    if (!arguments_parse(&a, "remove_done_callback", args, n, kw, names, 1))
        return NULL;
    if (call->callback && PyObject_RichCompareBool(call->callback, a.v[0], Py_EQ) == 1) {
        Py_CLEAR(call->callback);
        Py_CLEAR(call->context);
        removed++;
    }
    for (Py_ssize_t i = call->callbacks ? PyList_Size(call->callbacks) : 0; i-- > 0;) {
        PyObject *fn = PyTuple_GetItem(PyList_GetItem(call->callbacks, i), 0);
        int is_same = PyObject_RichCompareBool(fn, a.v[0], Py_EQ);

        if (is_same < 0 ||
            (is_same && PyList_SetSlice(call->callbacks, i, i + 1, NULL) < 0))
            return NULL;
        removed += is_same;
    }
    return PyLong_FromLong(removed);
}

PyObject *
call_get_loop(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    struct call *call = (struct call *)self;

    (void)args;
    (void)n;
    (void)kw;
    return Py_NewRef(call->driver ? call->driver->loop : Py_None);
}

/* Gets `_asyncio_future_blocking`.  An await sets this attribute to True.  When the task
 * that awaits the call resets the attribute, is_blocking becomes 2: the next callback
 * belongs to the task. */
PyObject *
call_get_blocking(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((struct call *)self)->is_blocking == 1);
}

int
call_set_blocking(PyObject *self, PyObject *value, void *unused)
{
    struct call *call = (struct call *)self;

    (void)unused;
    if (value == Py_True)
        call->is_blocking = 1;
    else
        call->is_blocking = call->is_blocking == 1 ? 2 : 0;
    return 0;
}

/* ---- the protocol of a coroutine --------------------------------------------------- */

static PySendResult
call_am_send(PyObject *self, PyObject *value, PyObject **ret)
{
    struct call *call = (struct call *)self;

    (void)value;
    if (call->is_done || !call->driver) {
        *ret = check_done(call) ? call_outcome(call) : NULL;
        return *ret ? PYGEN_RETURN : PYGEN_ERROR;
    }
    call->is_blocking = 1;
    *ret = Py_NewRef(self);
    return PYGEN_NEXT;
}

static PyObject *
call_next(PyObject *self)
{
    PyObject *value;
    PySendResult sent = call_am_send(self, Py_None, &value);

    if (sent == PYGEN_NEXT)
        return value;
    if (sent == PYGEN_RETURN) {
        PyErr_SetObject(PyExc_StopIteration, value);
        Py_DECREF(value);
    }
    return NULL;
}

PyObject *
call_send(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    (void)args;
    (void)n;
    (void)kw;
    return call_next(self);
}

PyObject *
call_throw(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    PyObject *value = n > 1 && args[1] != Py_None ? args[1] : NULL;

    (void)self;
    (void)kw;
    if (n < 1) {
        PyErr_SetString(PyExc_TypeError, "throw() takes an exception");
        return NULL;
    }
    if (PyExceptionInstance_Check(args[0]))
        PyErr_SetObject((PyObject *)Py_TYPE(args[0]), args[0]);
    else
        PyErr_SetObject(args[0], value);
    return NULL;
}

PyObject *
call_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    (void)self;
    (void)args;
    (void)n;
    (void)kw;
    Py_RETURN_NONE;
}

/* ---- the type ---------------------------------------------------------------------- */

static int
call_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct call *call = (struct call *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)call->driver);
    Py_VISIT(call->callback);
    Py_VISIT(call->context);
    Py_VISIT(call->callbacks);
    Py_VISIT(call->dialog);
    return 0;
}

static int
call_clear(PyObject *self)
{
    struct call *call = (struct call *)self;

    Py_CLEAR(call->callback);
    Py_CLEAR(call->context);
    Py_CLEAR(call->callbacks);
    Py_CLEAR(call->dialog);
    return 0;
}

static void
call_dealloc(PyObject *self)
{
    struct call *call = (struct call *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *driver = (PyObject *)call->driver;

    PyObject_GC_UnTrack(self);
    if (call->base.weak)
        PyObject_ClearWeakRefs(self);
    call_clear(self);
    call->driver = NULL;
    mcphost_call_unref(call->base.h);
    PyObject_GC_Del(self);
    Py_XDECREF(driver);
    Py_DECREF((PyObject *)type);
}

PyType_Slot call_slots[] = {
    {Py_tp_dealloc, call_dealloc}, {Py_tp_traverse, call_traverse},
    {Py_tp_clear, call_clear},     {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, call_next},   {Py_am_await, PyObject_SelfIter},
    {Py_am_send, call_am_send},    {0, NULL},
};
