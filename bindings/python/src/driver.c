/* SPDX-License-Identifier: MIT
 *
 * driver.c - the driver that dispatches for an asyncio loop.
 *
 * The library reports the end of a call inside mcphost_dispatch().  The completion
 * function does not take the GIL.  It appends the call to a list, and wakes the loop if
 * another thread dispatches.  After the dispatch, Driver.drive() resumes the tasks that
 * await these calls, and passes other callbacks to call_soon().  The next turn in
 * Driver.drive() sends the requests that the tasks have made.
 */
#include "core.h"

#define TURNS_MAX 16 /* turns of the dispatcher before the loop runs other callbacks */
#define HOLDS_UP  "a loop drives the host on this thread, which must not wait: use await"

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
    if (!is_driving) /* another thread dispatches: wake the loop */
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

/* Drops the library's reference if on_done() has not run: the call did not start, or the
 * host ended before the call. */
static void
on_free(void *arg)
{
    struct call *call = arg;
    struct entry entry;

    if (call->is_ended || !python_enter_to_free(call->driver->interp, &entry))
        return;
    Py_DECREF((PyObject *)call);
    python_leave(&entry);
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

bool
driver_call_soon(struct driver *driver, PyObject *fn, PyObject *call, PyObject *context)
{
    PyObject *args = PyTuple_Pack(2, fn, call), *kw = NULL, *ret = NULL;

    if (args && context)
        kw = PyDict_New();
    if (kw && PyDict_SetItem(kw, object_here(STR_CONTEXT), context) < 0)
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
        ret = PyObject_CallMethodObjArgs(context, object_here(STR_RUN), fn, call, NULL);
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

        ok = driver_call_soon(call->driver, PyTuple_GetItem(pair, 0), (PyObject *)call,
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

/* ---- loops that do not run --------------------------------------------------------- */

/* Declares that the loop drives the host or, if `on` is false, that waiting threads drive
 * the host. */
static int
declare(struct driver *driver, bool on)
{
    int r;

    driver->is_declared = on;
    gil_release();
    r = mcphost_set_driven(driver->host, on);
    gil_take();
    return r;
}

static bool
loop_is_running(struct driver *driver)
{
    PyObject *name = object_here(STR_IS_RUNNING);
    PyObject *ret = PyObject_CallMethodObjArgs(driver->loop, name, NULL);
    bool is_running = ret == Py_True;

    Py_XDECREF(ret);
    PyErr_Clear();
    return is_running;
}

void
drivers_check(void)
{
    struct interp *interp = interp_here();
    struct driver *driver = interp ? interp->drivers : NULL, *next;

    Py_XINCREF((PyObject *)driver);
    for (; driver; driver = next) {
        if (driver->is_declared && driver->loop &&
            driver->generation == fork_generation && !loop_is_running(driver))
            declare(driver, false);
        /* Take a reference to the next driver, so that it stays in the list while
         * declare() has released the GIL. */
        next = (struct driver *)Py_XNewRef((PyObject *)driver->next);
        Py_DECREF((PyObject *)driver);
    }
}

static struct driver *
find_driver(PyObject *self)
{
    struct interp *interp = interp_here();
    struct driver *driver = interp ? interp->drivers : NULL;

    if (is_kind(self, KIND_CALL))
        return ((struct call *)self)->driver;
    if (!is_kind(self, KIND_HOST))
        return NULL;
    while (driver && driver->host != handle_of(self))
        driver = driver->next;
    return driver;
}

bool
driver_allows_wait(PyObject *self)
{
    struct driver *driver = find_driver(self);
    mcphost_error *err = NULL;
    PyObject *loop;
    bool is_here;

    if (!driver)
        return true;
    loop = PyObject_CallNoArgs(object_here(RUNNING_LOOP));
    is_here = loop && loop == driver->loop;
    Py_XDECREF(loop);
    if (is_here) {
        mcphost_error_new(MCPHOST_E_BUSY, HOLDS_UP, &err);
        raise_code(MCPHOST_E_BUSY, err);
    }
    return loop && !is_here;
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
    if (driver->generation != fork_generation) /* the parent process made the driver */
        Py_RETURN_NONE;
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        stop_at_exit();
        if (!driver->is_declared)
            declare(driver, true);
        set_driving(driver, true);
        wait_begin();
        gil_release();
        r = mcphost_dispatch(driver->host);
        gil_take();
        set_driving(driver, false);
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
    if (!driver->is_declared) /* the loop had ended and runs again */
        declare(driver, true);
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
    if (!is_kind(ob, KIND_CALL)) {
        PyErr_Format(PyExc_TypeError, "expected Call, not %R", ob);
        return NULL;
    }
    return start_call((struct driver *)self, (struct call *)ob) ? Py_NewRef(ob) : NULL;
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

/* Adds the driver to the list.  Marks older drivers of the host as not declared, because
 * their loops have ended. */
static void
take_over(struct driver *driver)
{
    struct interp *interp = driver->interp;

    for (struct driver *one = interp->drivers; one; one = one->next)
        if (one->host == driver->host)
            one->is_declared = false;
    driver->next = interp->drivers;
    interp->drivers = driver;
}

static struct driver *
allocate_driver(void)
{
    struct interp *interp = interp_here();
    struct driver *driver;

    if (!interp || !interp->objects) {
        raise_ended();
        return NULL;
    }
    driver = (struct driver *)PyType_GenericAlloc(
        (PyTypeObject *)interp->objects[DRIVER_TYPE], 0);
    if (driver)
        driver->interp = interp_ref(interp);
    return driver;
}

PyObject *
driver_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"host", "loop", "on_closed", NULL};
    struct arguments a = {0};
    struct driver *driver;
    int r;

    (void)self;
    if (!arguments_parse(&a, "driver_new", args, n, kw, names, 3))
        return NULL;
    if (!is_kind(a.v[0], KIND_HOST) || !handle_of(a.v[0])) {
        PyErr_SetString(PyExc_TypeError, "expected a Host that is open");
        return NULL;
    }
    driver = allocate_driver();
    if (!driver)
        return NULL;
    pthread_mutex_init(&driver->lock, NULL);
    driver->host = mcphost_ref(handle_of(a.v[0]));
    driver->generation = fork_generation;
    driver->loop = Py_NewRef(a.v[1]);
    driver->on_closed = Py_NewRef(a.v[2]);
    driver->call_soon = PyObject_GetAttrString(a.v[1], "call_soon");
    take_over(driver);
    r = driver->call_soon ? declare(driver, true) : 0;
    if (r < 0)
        raise_code(r, NULL);
    if (PyErr_Occurred())
        Py_CLEAR(driver);
    return (PyObject *)driver;
}

static int
driver_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct driver *driver = (struct driver *)self;
    int r = 0;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(driver->loop);
    Py_VISIT(driver->call_soon);
    Py_VISIT(driver->on_closed);
    pthread_mutex_lock(&driver->lock);
    for (struct call *call = driver->first; call && r == 0; call = call->next)
        r = visit((PyObject *)call, arg);
    pthread_mutex_unlock(&driver->lock);
    return r;
}

static int
driver_clear(PyObject *self)
{
    struct driver *driver = (struct driver *)self;
    struct call *call;

    while ((call = pop_ended(driver)) != NULL) /* calls that the loop did not deliver */
        Py_DECREF((PyObject *)call);
    Py_CLEAR(driver->loop);
    Py_CLEAR(driver->call_soon);
    Py_CLEAR(driver->on_closed);
    return 0;
}

static void
driver_dealloc(PyObject *self)
{
    struct driver *driver = (struct driver *)self, **at = &driver->interp->drivers;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    while (*at && *at != driver)
        at = &(*at)->next;
    if (*at)
        *at = driver->next;
    driver_clear(self);
    if (driver->host && !python_is_ending()) {
        if (driver->is_declared)
            declare(driver, false);
        gil_release();
        mcphost_unref(driver->host);
        gil_take();
    }
    pthread_mutex_destroy(&driver->lock);
    interp_unref(driver->interp);
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

static PyObject *
import_name(const char *module, const char *name)
{
    PyObject *m = PyImport_ImportModule(module), *ret;

    ret = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return ret;
}

bool
driver_setup(PyObject *module, PyObject **objects)
{
    objects[CANCELLED_ERROR] = import_name("asyncio.exceptions", "CancelledError");
    objects[INVALID_STATE_ERROR] = import_name("asyncio.exceptions", "InvalidStateError");
    objects[RUNNING_LOOP] = import_name("asyncio.events", "_get_running_loop");
    objects[STR_IS_RUNNING] = PyUnicode_InternFromString("is_running");
    objects[STR_CONTEXT] = PyUnicode_InternFromString("context");
    objects[STR_RUN] = PyUnicode_InternFromString("run");
    objects[DRIVER_TYPE] = PyType_FromModuleAndSpec(module, &driver_spec, NULL);
    for (int i = DRIVER_TYPE; i < N_OBJECTS; i++)
        if (!objects[i] && i != MAKE_ERROR)
            return false;
    return true;
}
