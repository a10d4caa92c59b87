/* SPDX-License-Identifier: MIT
 *
 * callback.c - runs Python functions for the library.
 *
 * The argument of each callback is a struct callback.  An exception that its callable
 * raises goes to sys.unraisablehook.  If the thread waits, KeyboardInterrupt and
 * SystemExit end the wait instead: the wait raises them.  After an exception, a callback
 * whose result is an error code returns the code of the exception, or MCPHOST_E_STATE for
 * an exception without a code of the library.  For an exception whose class is not
 * derived from Exception, such as KeyboardInterrupt, the callback returns
 * MCPHOST_E_CANCELLED.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

unsigned fork_generation;

/* The number of nested waits of this thread. */
static _Thread_local int waits;
/* An exception of a callback that the thread's wait will raise. */
static _Thread_local struct kept {
    PyObject *type, *value, *trace;
} kept;

/* ---- exceptions that end a wait ---------------------------------------------------- */

void
wait_begin(void)
{
    waits++;
}

void
wait_end(void)
{
    struct kept e = kept;

    waits--;
    if (!e.type)
        return;
    kept = (struct kept){0};
    PyErr_Restore(e.type, e.value, e.trace);
}

bool
wait_is_interrupted(void)
{
    return kept.type != NULL;
}

bool
keep_exception(void)
{
    if (!waits || kept.type ||
        !(PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ||
          PyErr_ExceptionMatches(PyExc_SystemExit)))
        return false;
    PyErr_Fetch(&kept.type, &kept.value, &kept.trace);
    return true;
}

void
report_exception(PyObject *what)
{
    if (!keep_exception())
        PyErr_WriteUnraisable(what);
}

/* ---- callbacks --------------------------------------------------------------------- */

struct callback *
callback_new(PyObject *fn)
{
    struct interp *interp = interp_here();
    struct callback *callback;

    if (!interp) {
        raise_ended();
        return NULL;
    }
    callback = malloc(sizeof(*callback));
    if (!callback) {
        PyErr_NoMemory();
        return NULL;
    }
    callback->fn = Py_NewRef(fn);
    callback->interp = interp_ref(interp);
    return callback;
}

void
callback_free(struct callback *callback)
{
    Py_DECREF(callback->fn);
    interp_unref(callback->interp);
    free(callback);
}

void
tramp_free(void *arg)
{
    struct callback *callback = arg;
    struct entry entry;

    /* The function is never freed if its interpreter has ended. */
    if (python_enter_to_free(callback->interp, &entry)) {
        Py_DECREF(callback->fn);
        python_leave(&entry);
    }
    interp_unref(callback->interp);
    free(callback);
}

static bool
enter(void *arg, struct entry *entry)
{
    return python_enter(((struct callback *)arg)->interp, entry);
}

/* Calls the function.  `args` is a new tuple, or NULL with an exception. */
static PyObject *
run(void *arg, PyObject *args)
{
    PyObject *fn = ((struct callback *)arg)->fn;
    PyObject *ret = args ? PyObject_Call(fn, args, NULL) : NULL;

    Py_XDECREF(args);
    return ret;
}

static void
finish(void *arg, PyObject *ret, struct entry *entry)
{
    if (!ret)
        report_exception(((struct callback *)arg)->fn);
    Py_XDECREF(ret);
    python_leave(entry);
}

/* Returns the number that a callable returned, 0 for None, or the code of an exception.
 * Also leaves the interpreter (python_leave()). */
static int
finish_number(void *arg, PyObject *ret, struct entry *entry)
{
    long value = 0;

    if (ret && ret != Py_None)
        value = PyLong_AsLong(ret);
    Py_XDECREF(ret);
    if (PyErr_Occurred())
        value = code_of_exception(((struct callback *)arg)->fn, NULL);
    python_leave(entry);
    return (int)value;
}

int
tramp_artifact(const char *path, uint64_t size, int64_t mtime_ms, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(arg,
                         run(arg, Py_BuildValue("(sKL)", path, (unsigned long long)size,
                                                (long long)mtime_ms)),
                         &entry);
}

int
tramp_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(arg,
                         run(arg, wrap_tuple(2, wrap_borrowed(KIND_CALL, call),
                                             wrap_text(arguments, &len))),
                         &entry);
}

void
tramp_progress(mcphost_call *call, double progress, double total, const char *message,
               size_t message_len, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return;
    finish(arg,
           run(arg,
               wrap_tuple(4, wrap_borrowed(KIND_CALL, call), PyFloat_FromDouble(progress),
                          isnan(total) ? Py_NewRef(Py_None) : PyFloat_FromDouble(total),
                          wrap_text(message, &message_len))),
           &entry);
}

int
tramp_before_call(mcphost_call *call, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(arg, run(arg, wrap_tuple(1, wrap_borrowed(KIND_CALL, call))),
                         &entry);
}

static void
run_with_handle(int kind, const void *h, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return;
    finish(arg, run(arg, wrap_tuple(1, wrap_borrowed(kind, h))), &entry);
}

void
tramp_trace_context(mcphost_call *call, void *arg)
{
    run_with_handle(KIND_CALL, call, arg);
}

void
tramp_cancelled(mcphost_call *call, void *arg)
{
    run_with_handle(KIND_CALL, call, arg);
}

void
tramp_chatos_scan(mcphost_chatos *chatos, void *arg)
{
    run_with_handle(KIND_CHATOS, chatos, arg);
}

int
tramp_chatos_put(int kind, const char *name, const char *json, size_t len, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(
        arg,
        run(arg, wrap_tuple(3, PyLong_FromLong(kind), wrap_text(name, NULL),
                            wrap_text(json, &len))),
        &entry);
}

void
tramp_event(const mcphost_event *event, void *arg)
{
    run_with_handle(KIND_EVENT, event, arg);
}

void
tramp_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return;
    finish(arg,
           run(arg, wrap_tuple(4, PyLong_FromLong(level), wrap_text(room, NULL),
                               wrap_text(server, NULL), wrap_text(line, NULL))),
           &entry);
}

int
tramp_provide(mcphost_provider_call *call, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(
        arg, run(arg, wrap_tuple(1, wrap_borrowed(KIND_PROVIDER_CALL, call))), &entry);
}

void
tramp_answered(mcphost_provider_call *call, int code, const char *json, size_t len,
               const mcphost_error *error, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return;
    finish(arg,
           run(arg, wrap_tuple(4, wrap_borrowed(KIND_PROVIDER_CALL, call),
                               PyLong_FromLong(code), wrap_text(json, &len),
                               wrap_borrowed(KIND_ERROR, error))),
           &entry);
}

void
tramp_unwanted(mcphost_provider_call *call, void *arg)
{
    run_with_handle(KIND_PROVIDER_CALL, call, arg);
}

void
tramp_sampler(mcphost_request *request, void *arg)
{
    run_with_handle(KIND_REQUEST, request, arg);
}

int
tramp_schema_document(mcphost_schema *schema, const char *uri, void *arg)
{
    struct entry entry;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    return finish_number(
        arg,
        run(arg, wrap_tuple(2, wrap_borrowed(KIND_SCHEMA, schema), wrap_text(uri, NULL))),
        &entry);
}

/* Stores a text and a NUL.  Returns 0, MCPHOST_E_LIMIT if the text does not fit, or
 * MCPHOST_E_DENIED with an exception if `text` is no str or has no UTF-8 form. */
static int
store_text(PyObject *text, char *buffer, size_t size)
{
    Py_ssize_t n;
    const char *p = PyUnicode_AsUTF8AndSize(text, &n);

    if (!p)
        return MCPHOST_E_DENIED;
    if ((size_t)n >= size)
        return MCPHOST_E_LIMIT;
    memcpy(buffer, p, (size_t)n + 1);
    return 0;
}

/* Calls the callable for a name and stores the name that the callable returns.  Returns
 * MCPHOST_E_DENIED if the callable returns None. */
int
tramp_name(const char *server_id, const char *name, char *buffer, size_t size, void *arg)
{
    struct entry entry;
    PyObject *ret;
    int r = MCPHOST_E_DENIED;

    if (!enter(arg, &entry))
        return MCPHOST_E_STATE;
    ret = run(arg, wrap_tuple(2, wrap_text(server_id, NULL), wrap_text(name, NULL)));
    if (ret && ret != Py_None)
        r = store_text(ret, buffer, size);
    Py_XDECREF(ret);
    if (PyErr_Occurred())
        r = code_of_exception(((struct callback *)arg)->fn, NULL);
    python_leave(&entry);
    return r;
}
