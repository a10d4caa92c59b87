/* SPDX-License-Identifier: MIT
 *
 * call.c - calls as futures of asyncio, and the driver that dispatches for a loop.
 *
 * A call has the protocols of asyncio.Future and of a coroutine.  A task can await a
 * call.  asyncio.gather() and asyncio.create_task() accept a call.  The call needs no
 * coroutine or future of Python around it.
 *
 * The library reports the end of a call inside mcphost_dispatch().  There, this file does
 * not take the GIL, but only appends the call to a list.  Driver.drive() runs the
 * callbacks of the list after the dispatch.  A task that awaits the call continues in
 * Driver.drive().  The next turn in Driver.drive() sends the requests that the task has
 * made.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define TURNS_MAX 16 /* turns of the dispatcher before the loop runs other callbacks */

struct driver {
    PyObject ob_base;
    mcphost *host; /* a reference */
    PyObject *loop, *call_soon, *on_closed;
    pthread_mutex_t lock; /* protects the list and is_driving */
    struct call *first, *last;
    bool is_driving;
    unsigned generation; /* fork_generation when the driver was made */
};

static PyTypeObject *driver_type;
static PyObject *cancelled_error, *invalid_state_error, *str_context, *str_run;

PyObject *
call_keep(PyObject *call, PyObject *dialog)
{
    if (call)
        ((struct call *)call)->dialog = Py_NewRef(dialog);
    return call;
}

/* ---- the end of a call ------------------------------------------------------------- */

static void
append_ended(struct driver *driver, struct call *call)
{
    bool is_driving;

    pthread_mutex_lock(&driver->lock);
    call->next = NULL;
    if (driver->last)
        driver->last->next = call;
    else
        driver->first = call;
    driver->last = call;
    is_driving = driver->is_driving;
    pthread_mutex_unlock(&driver->lock);
    if (!is_driving) /* another thread dispatches */
        mcphost_wake(driver->host);
}

/* Appends an ended call to the driver's list.  The list takes over the library's
 * reference. */
static void
on_done(mcphost_call *h, void *arg)
{
    struct call *call = arg;

    (void)h;
    call->is_ended = 1;
    append_ended(call->driver, call);
}

/* Drops the library's reference if the call did not start. */
static void
on_free(void *arg)
{
    struct call *call = arg;
    PyGILState_STATE state;

    if (call->is_ended || !python_enter(&state))
        return;
    Py_DECREF((PyObject *)call);
    python_leave(state);
}

static struct call *
pop_ended(struct driver *driver)
{
    struct call *call;

    pthread_mutex_lock(&driver->lock);
    call = driver->first;
    if (call) {
        driver->first = call->next;
        if (!driver->first)
            driver->last = NULL;
    }
    pthread_mutex_unlock(&driver->lock);
    return call;
}

static bool
call_soon(struct driver *driver, PyObject *fn, PyObject *call, PyObject *context)
{
    PyObject *args = PyTuple_Pack(2, fn, call), *kw = NULL, *ret = NULL;

    if (args && context)
        kw = PyDict_New();
    if (kw && PyDict_SetItem(kw, str_context, context) < 0)
        Py_CLEAR(kw);
    if (args && (kw || !context))
        ret = PyObject_Call(driver->call_soon, args, kw);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    Py_XDECREF(ret);
    return ret != NULL;
}

/* Continues the task that awaits the call.  Returns false if an exception leaves the
 * task: KeyboardInterrupt or SystemExit. */
static bool
run_task(struct call *call)
{
    PyObject *fn = call->callback, *context = call->context, *ret;

    call->callback = call->context = NULL;
    if (context)
        ret = PyObject_CallMethodObjArgs(context, str_run, fn, call, NULL);
    else
        ret = PyObject_CallFunctionObjArgs(fn, call, NULL);
    Py_DECREF(fn);
    Py_XDECREF(context);
    Py_XDECREF(ret);
    return ret != NULL;
}

static bool
schedule_callbacks(struct call *call)
{
    PyObject *list = call->callbacks;
    bool ok = true;

    call->callbacks = NULL;
    for (Py_ssize_t i = 0; list && ok && i < PyList_Size(list); i++) {
        PyObject *pair = PyList_GetItem(list, i), *context = PyTuple_GetItem(pair, 1);

        ok = call_soon(call->driver, PyTuple_GetItem(pair, 0), (PyObject *)call,
                       context == Py_None ? NULL : context);
    }
    Py_XDECREF(list);
    return ok;
}

/* Runs the callbacks of the calls that have ended.  Returns the number of these calls, or
 * -1 with an exception.  After an exception, the remaining calls stay in the list. */
static int
deliver(struct driver *driver)
{
    struct call *call;
    int n = 0;

    while ((call = pop_ended(driver)) != NULL) {
        bool ok = true;

        call->is_done = 1;
        Py_CLEAR(call->dialog);
        if (call->callbacks)
            ok = schedule_callbacks(call);
        if (ok && call->callback)
            ok = run_task(call);
        Py_DECREF((PyObject *)call);
        if (!ok) {
            mcphost_wake(driver->host);
            return -1;
        }
        n++;
    }
    return n;
}

/* ---- the driver -------------------------------------------------------------------- */

static void
set_driving(struct driver *driver, bool on)
{
    pthread_mutex_lock(&driver->lock);
    driver->is_driving = on;
    pthread_mutex_unlock(&driver->lock);
}

static PyObject *
close_driver(struct driver *driver)
{
    PyObject *on_closed = driver->on_closed, *ret;

    driver->on_closed = NULL;
    if (!on_closed)
        Py_RETURN_NONE;
    ret = PyObject_CallNoArgs(on_closed);
    Py_DECREF(on_closed);
    return ret;
}

static PyObject *
driver_drive(PyObject *self, PyObject *unused)
{
    struct driver *driver = (struct driver *)self;
    int r, n;

    (void)unused;
    if (driver->generation != fork_generation) /* the driver of the parent process */
        Py_RETURN_NONE;
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        stop_at_exit();
        set_driving(driver, true);
        wait_begin();
        Py_BEGIN_ALLOW_THREADS r = mcphost_dispatch(driver->host);
        Py_END_ALLOW_THREADS set_driving(driver, false);
        stop_at_exit();
        wait_end();
        if (PyErr_Occurred()) {
            mcphost_wake(driver->host);
            return NULL;
        }
        n = deliver(driver);
        if (n < 0)
            return NULL;
        if (r == MCPHOST_E_CLOSED)
            return close_driver(driver);
        if (r < 0 && r != MCPHOST_E_BUSY) {
            raise_code(r, NULL);
            return NULL;
        }
        if (n == 0 && r <= 0)
            break;
    }
    Py_RETURN_NONE;
}

static bool
start_call(struct driver *driver, struct call *call)
{
    int r;

    if (call->is_started) {
        raise_code(MCPHOST_E_STATE, NULL);
        return false;
    }
    call->driver = (struct driver *)Py_NewRef((PyObject *)driver);
    call->is_started = 1;
    Py_INCREF((PyObject *)call);
    r = mcphost_call_start(call->base.h, on_done, call, on_free);
    if (r < 0)
        raise_code(r, NULL);
    return r >= 0;
}

static PyObject *
driver_start(PyObject *self, PyObject *ob)
{
    if (Py_TYPE(ob) != kinds[KIND_CALL].type) {
        PyErr_Format(PyExc_TypeError, "expected Call, not %R", ob);
        return NULL;
    }
    return start_call((struct driver *)self, (struct call *)ob) ? Py_NewRef(ob) : NULL;
}

/* Calls the application's function with progress, total and message. */
static void
tramp_report(mcphost_call *call, double progress, double total, const char *message,
             size_t message_len, void *arg)
{
    PyGILState_STATE state;
    PyObject *args, *ret;

    (void)call;
    if (!python_enter(&state))
        return;
    args = wrap_tuple(3, PyFloat_FromDouble(progress),
                      total == total ? PyFloat_FromDouble(total) : Py_NewRef(Py_None),
                      wrap_text(message, &message_len));
    ret = args ? PyObject_Call(arg, args, NULL) : NULL;
    if (!ret)
        report_exception(arg);
    Py_XDECREF(args);
    Py_XDECREF(ret);
    python_leave(state);
}

bool
set_up_call(struct arguments *a, int i, mcphost_call *call)
{
    int64_t timeout_ms = -1, max_ms = -1;
    PyObject *on_progress = NULL;
    mcphost_error *err = NULL;
    const char *meta = NULL;
    size_t meta_len = 0;
    int reset = 0, r = 0;

    if (!take_callable(a, i, 1, 1, &on_progress) || !take_int64(a, i + 1, &timeout_ms) ||
        !take_int(a, i + 2, &reset) || !take_int64(a, i + 3, &max_ms) ||
        !take_text(a, i + 4, TEXT_NULL | TEXT_JSON, &meta, &meta_len))
        return false;
    if (on_progress) {
        r = mcphost_call_set_progress(call, tramp_report, on_progress, tramp_free);
        arguments_given(a);
    }
    if (r == 0 && (timeout_ms >= 0 || reset || max_ms >= 0))
        r = mcphost_call_set_timeout(call, timeout_ms, reset, max_ms);
    if (r == 0 && meta)
        r = mcphost_call_set_meta(call, meta, meta_len, &err);
    if (r < 0)
        raise_code(r, err);
    return r >= 0;
}

/* Makes, sets up and starts a call of a tool. */
static PyObject *
driver_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dialog",      "tool",       "arguments",
                                        "on_progress", "timeout_ms", "reset",
                                        "max_ms",      "meta",       NULL};
    struct arguments a = {0};
    void *dialog = NULL;
    const char *tool = NULL, *json = NULL;
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    PyObject *ob = NULL;
    size_t len = 0;
    int r;

    if (!arguments_parse(&a, "call", args, n, kw, names, 2))
        return NULL;
    if (!take_handle(&a, 0, KIND_DIALOG, 0, &dialog) ||
        !take_text(&a, 1, 0, &tool, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_JSON, &json, &len))
        goto out;
    r = mcphost_call_new(dialog, tool, json, len, &call, &err);
    if (r < 0) {
        raise_code(r, err);
        goto out;
    }
    ob = call_keep(wrap_owned(KIND_CALL, call), a.v[0]);
    if (ob && ((n + (kw ? PyTuple_Size(kw) : 0) > 3 && !set_up_call(&a, 3, call)) ||
               !start_call((struct driver *)self, (struct call *)ob)))
        Py_CLEAR(ob);
out:
    arguments_free(&a);
    return ob;
}

static PyObject *
driver_new(PyObject *module, PyObject *args)
{
    PyObject *host, *loop, *on_closed;
    struct driver *driver;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:driver_new", &host, &loop, &on_closed))
        return NULL;
    if (Py_TYPE(host) != kinds[KIND_HOST].type || !handle_of(host)) {
        PyErr_SetString(PyExc_TypeError, "expected a Host that is open");
        return NULL;
    }
    driver = (struct driver *)PyType_GenericAlloc(driver_type, 0);
    if (!driver)
        return NULL;
    pthread_mutex_init(&driver->lock, NULL);
    driver->host = mcphost_ref(handle_of(host));
    driver->generation = fork_generation;
    driver->loop = Py_NewRef(loop);
    driver->on_closed = Py_NewRef(on_closed);
    driver->call_soon = PyObject_GetAttrString(loop, "call_soon");
    if (!driver->call_soon)
        Py_CLEAR(driver);
    return (PyObject *)driver;
}

static int
driver_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct driver *driver = (struct driver *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(driver->loop);
    Py_VISIT(driver->call_soon);
    Py_VISIT(driver->on_closed);
    return 0;
}

static int
driver_clear(PyObject *self)
{
    struct driver *driver = (struct driver *)self;

    Py_CLEAR(driver->loop);
    Py_CLEAR(driver->call_soon);
    Py_CLEAR(driver->on_closed);
    return 0;
}

static void
driver_dealloc(PyObject *self)
{
    struct driver *driver = (struct driver *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    driver_clear(self);
    if (driver->host && !atomic_load(&is_finalizing)) {
        Py_BEGIN_ALLOW_THREADS mcphost_unref(driver->host);
        Py_END_ALLOW_THREADS
    }
    pthread_mutex_destroy(&driver->lock);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static PyMethodDef driver_methods[] = {
    {"drive", driver_drive, METH_NOARGS, NULL},
    {"start", driver_start, METH_O, NULL},
    {"call", METHOD(driver_call)},
    {0},
};

static PyType_Slot driver_slots[] = {
    {Py_tp_dealloc, driver_dealloc},
    {Py_tp_traverse, driver_traverse},
    {Py_tp_clear, driver_clear},
    {Py_tp_methods, driver_methods},
    {0, NULL},
};

static PyType_Spec driver_spec = {
    .name = "mcphost._core.Driver",
    .basicsize = sizeof(struct driver),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = driver_slots,
};

static PyMethodDef driver_functions[] = {
    {"driver_new", driver_new, METH_VARARGS, NULL},
    {0},
};

static PyObject *
import_name(const char *module, const char *name)
{
    PyObject *m = PyImport_ImportModule(module), *ret;

    ret = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return ret;
}

bool
driver_setup(PyObject *module)
{
    cancelled_error = import_name("asyncio.exceptions", "CancelledError");
    invalid_state_error = import_name("asyncio.exceptions", "InvalidStateError");
    str_context = PyUnicode_InternFromString("context");
    str_run = PyUnicode_InternFromString("run");
    driver_type = (PyTypeObject *)PyType_FromSpec(&driver_spec);
    return cancelled_error && invalid_state_error && str_context && str_run &&
           driver_type && PyModule_AddType(module, driver_type) == 0 &&
           PyModule_AddFunctions(module, driver_functions) == 0;
}

/* ---- the protocol of a future ------------------------------------------------------ */

static bool
is_done(struct call *call)
{
    return call->driver ? call->is_done : mcphost_call_is_done(call->base.h);
}

/* Makes the exception of the error with which the call ended.  If the host or the dialog
 * was closed while the call was under way, the library reports MCPHOST_E_CANCELLED, as for
 * a call that the application has cancelled.  The second start of a call fails with
 * MCPHOST_E_CLOSED in the first case alone. */
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
        PyErr_SetNone(cancelled_error);
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
        PyErr_SetString(invalid_state_error, "the call has not ended");
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
    Py_BEGIN_ALLOW_THREADS r = mcphost_call_cancel(call->base.h);
    Py_END_ALLOW_THREADS if (r < 0)
    {
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
    return PyObject_CallNoArgs(cancelled_error);
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
        PyErr_SetString(invalid_state_error, "no loop drives the call");
        return NULL;
    }
    context = a.v[1] == Py_None ? NULL : a.v[1];
    call->is_blocking &= 1;
    if (call->is_done) {
        if (!call_soon(call->driver, a.v[0], self, context))
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
