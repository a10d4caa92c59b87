/* SPDX-License-Identifier: MIT
 *
 * core.h - declarations that the sources of the extension module share.
 *
 * One binary serves CPython 3.11 and all later versions, because the module uses the
 * limited API.  A Python object holds one reference to a handle of the library.  The
 * object drops the reference when Python frees the object.  The object of a host drops
 * the reference earlier if its method drop() is called.  Functions of the application run
 * in trampolines.  A trampoline takes the GIL, for the interpreter that has set the
 * function.  While the interpreter ends, no trampoline runs Python, except that
 * tramp_free() may still drop a reference in a subinterpreter.
 */
#ifndef MCPH_PYTHON_CORE_H
#define MCPH_PYTHON_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "generated.h"

/* ---- interpreters (interp.c) ------------------------------------------------------- */

/* The objects that each interpreter has of its own.  The types of handles come first, in
 * the order of their kinds. */
enum object {
    HANDLE_TYPE = N_KINDS,
    SEQUENCE_TYPE,
    CALLER_TYPE,
    DRIVER_TYPE,
    MAKE_ERROR, /* mcphost._errors.make, or NULL before the first error */
    CANCELLED_ERROR,
    INVALID_STATE_ERROR,
    RUNNING_LOOP, /* asyncio.events._get_running_loop */
    STR_CONTEXT,
    STR_RUN,
    STR_IS_RUNNING,
    N_OBJECTS
};

/* An interpreter that has imported the module.  The list of all interpreters has a
 * reference.  A subinterpreter leaves the list when its module is freed.  Callbacks and
 * drivers have references, too, because they may outlive the interpreter. */
struct interp {
    PyInterpreterState *id;
    int64_t number;            /* 0 is the main interpreter */
    PyObject **objects;        /* N_OBJECTS; NULL if the module is freed */
    struct driver *drivers;    /* the interpreter's drivers; the GIL protects the list */
    pthread_t finalizer;       /* the thread that ends the interpreter */
    atomic_bool is_finalizing; /* callbacks do not run any more */
    atomic_bool is_over;       /* no thread of the library enters the interpreter */
    atomic_int visitors;       /* threads of the library that are in the interpreter */
    atomic_int refs;
    struct interp *next;
};

extern struct interp *interp_front;
struct interp *interp_find(PyInterpreterState *id);

/* Returns the interpreter that runs, or NULL if it is not in the list. */
static inline struct interp *
interp_here(void)
{
    PyInterpreterState *id = PyInterpreterState_Get();

    return interp_front && interp_front->id == id ? interp_front : interp_find(id);
}

/* Returns a borrowed reference to object `which` of the interpreter that runs, or NULL if
 * the module is freed. */
static inline PyObject *
object_here(int which)
{
    struct interp *interp = interp_here();

    return interp && interp->objects ? interp->objects[which] : NULL;
}

static inline bool
is_kind(PyObject *ob, int kind)
{
    return (PyObject *)Py_TYPE(ob) == object_here(kind);
}

/* Raises RuntimeError with the message that the interpreter has ended.  A function of a
 * freed module calls it. */
void raise_ended(void);
struct interp *interp_open(void);
/* Removes the objects from their interpreter.  A module calls this before it frees
 * them. */
void interp_close(PyObject **objects);
struct interp *interp_ref(struct interp *interp);
void interp_unref(struct interp *interp);

/* Stops all later callbacks in the interpreter that runs.  Returns true if the caller may
 * wait.  Returns false if the interpreter is not in the list, or if the interpreter is a
 * subinterpreter that Python ends after the main interpreter.  The caller must then not
 * wait, because a thread that releases the GIL in this subinterpreter does not get the
 * GIL back. */
bool interp_begin_finalizing(void);
/* Keeps threads of the library out of the interpreter that runs, even if they only want
 * to free an object.  Waits until none of these threads is in the interpreter, because
 * Python aborts the process if it ends a subinterpreter that has other threads.  In the
 * main interpreter, the function does this for all subinterpreters instead, because
 * Python ends them later.  There it waits for at most a second. */
void interp_end(void);
/* Returns true if this thread runs in the main interpreter and the main interpreter ends,
 * or if Python is not initialized.  The caller must then neither release a host nor
 * release the GIL, because Python would not give the GIL back. */
bool python_is_ending(void);
/* Stops the calling thread for ever, without the GIL, if the main interpreter ends and
 * does not wait for this thread.  Python would also stop the thread, but later, and until
 * then an exception about a closed host could end the thread with a traceback. */
void stop_at_exit(void);

/* ---- the GIL (gil.c) --------------------------------------------------------------- */

/* Call the library between these two functions if it may wait or run a callback. */
void gil_release(void);
void gil_take(void);

/* Records for python_leave() how a callback has entered its interpreter. */
struct entry {
    struct interp *interp;
    PyThreadState *released; /* the state that gil_release() saved, or NULL */
    PyThreadState *visitor;  /* the thread state made for the callback, or NULL */
};

/* Enters the interpreter with the GIL.  Returns false if the interpreter is ending, or if
 * this thread holds the GIL for another interpreter. */
bool python_enter(struct interp *interp, struct entry *entry);
/* Works like python_enter(), but only to drop a reference.  In a subinterpreter, this is
 * possible until interp_end(), even after callbacks have stopped. */
bool python_enter_to_free(struct interp *interp, struct entry *entry);
void python_leave(struct entry *entry);
/* Returns true if this thread runs a callback. */
bool is_in_callback(void);

/* ---- handles (core.c) -------------------------------------------------------------- */

struct handle {
    PyObject ob_base;
    void *h; /* a reference to a handle of the library */
    int kind;
    PyObject *weak;
};

struct kind_info {
    const char *name;
    void *(*ref)(void *p);
    void *(*unref)(void *p);
    PyMethodDef *methods;
    PyGetSetDef *getters;
};

extern const struct kind_info kinds[N_KINDS];
extern PyMethodDef module_generated[];

#define METHOD(f) (PyCFunction)(void (*)(void))(f), METH_FASTCALL | METH_KEYWORDS, NULL

static inline void *
handle_of(PyObject *self)
{
    return ((struct handle *)self)->h;
}

/* These functions return a new object for a handle, or None for NULL.  wrap_owned() takes
 * over the caller's reference.  wrap_borrowed() takes a new reference. */
PyObject *wrap_owned(int kind, void *h);
PyObject *wrap_borrowed(int kind, const void *h);

PyObject *wrap_text(const char *text, const size_t *len);
/* Returns `text` as a str, or None for NULL.  Frees `text`. */
PyObject *wrap_own_text(char *text, const size_t *len);
/* Returns a tuple of the items, or NULL if an item is NULL.  Takes over the references to
 * the items. */
PyObject *wrap_tuple(int n, ...);
PyObject *wrap_tristate(int64_t value);

PyObject *sequence_new(PyObject *owner, size_t (*count)(void *h),
                       PyObject *(*get)(void *h, size_t i));

/* Raises the exception of an error.  Takes over the reference to `err`.  `err` may be
 * NULL. */
void raise_code(int code, mcphost_error *err);
/* Makes the exception of an error.  Takes over the reference to `err`. */
PyObject *make_exception(int code, mcphost_error *err);
/* Raises the exception.  Takes over the reference to it.  `exception` may be NULL. */
void raise_exception(PyObject *exception);
/* Returns the error code of the current exception, and passes the exception to
 * report_exception().  If `reterr` is not NULL, *reterr gets an error with the
 * exception's text. */
int code_of_exception(PyObject *what, mcphost_error **reterr);

/* ---- arguments (core.c) ------------------------------------------------------------ */

#define ARGUMENTS_MAX 12

struct arguments {
    PyObject *v[ARGUMENTS_MAX]; /* arguments, borrowed; NULL if left out */
    PyObject *kept[ARGUMENTS_MAX];
    int n_kept;
    Py_buffer buffers[4];
    int n_buffers;
    void *blocks[6];
    int n_blocks;
    struct callback *given[2]; /* the called function takes over these callbacks */
    int n_given;
    struct callback *lent[1]; /* the called function borrows these callbacks */
    int n_lent;
};

enum { TEXT_NULL = 1, TEXT_JSON = 2, TEXT_PATH = 4 };

bool arguments_parse(struct arguments *a, const char *function, PyObject *const *args,
                     Py_ssize_t n, PyObject *kw, const char *const *names, int required);
/* Forgets the references that the called function has taken over. */
void arguments_given(struct arguments *a);
void arguments_free(struct arguments *a);

bool take_handle(struct arguments *a, int i, int kind, int nullable, void **ret);
bool take_text(struct arguments *a, int i, int flags, const char **ret, size_t *ret_len);
bool take_texts(struct arguments *a, int i, int nullable, const char *const **ret,
                size_t *ret_n);
bool take_int(struct arguments *a, int i, int *ret);
bool take_unsigned(struct arguments *a, int i, unsigned *ret);
bool take_int64(struct arguments *a, int i, int64_t *ret);
bool take_uint64(struct arguments *a, int i, uint64_t *ret);
bool take_size(struct arguments *a, int i, size_t *ret);
bool take_double(struct arguments *a, int i, double *ret);
bool take_callable(struct arguments *a, int i, int nullable, PyObject **ret);
/* Makes the argument of a trampoline.  If `is_given` is 0, the argument lives only until
 * arguments_free(). */
bool take_callback(struct arguments *a, int i, int nullable, int is_given,
                   struct callback **ret);

/* ---- JSON (json.c) ----------------------------------------------------------------- */

/* Writes a Python value as JSON.  The caller frees the text with PyMem_Free().  Returns
 * NULL with an exception if the value has no JSON form. */
char *json_encode(PyObject *value, size_t *ret_len);
/* Works like json_encode(), but writes the text into the `size` bytes of `first` if the
 * text surely fits: json.c counts 6 bytes for each byte of a string.  The function then
 * returns `first`, and the caller must not free it. */
char *json_encode_in(char *first, size_t size, PyObject *value, size_t *ret_len);
/* Returns json.loads(text). */
PyObject *json_decode(const char *text, size_t len);

/* ---- trampolines (callback.c) ------------------------------------------------------ */

/* The argument of a trampoline. */
struct callback {
    PyObject *fn;
    struct interp *interp; /* in which `fn` runs */
};

/* Returns a callback with new references, or NULL with an exception. */
struct callback *callback_new(PyObject *fn);
/* Frees a callback that no function has taken over. */
void callback_free(struct callback *callback);

/* A number that each forked child increases. */
extern unsigned fork_generation;

/* Call these functions before and after a wait.  wait_end() raises the exception that a
 * callback has left for the wait: KeyboardInterrupt or SystemExit. */
void wait_begin(void);
void wait_end(void);
/* Returns true if wait_end() will raise an exception. */
bool wait_is_interrupted(void);
/* Keeps the current exception for the thread's wait.  Returns false if the exception does
 * not end a wait, if the thread does not wait, or if the thread has kept an exception
 * already. */
bool keep_exception(void);
/* Keeps the current exception, or passes it to sys.unraisablehook. */
void report_exception(PyObject *what);

void tramp_free(void *arg);
int tramp_artifact(const char *path, uint64_t size, int64_t mtime_ms, void *arg);
int tramp_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg);
void tramp_progress(mcphost_call *call, double progress, double total,
                    const char *message, size_t message_len, void *arg);
int tramp_before_call(mcphost_call *call, void *arg);
void tramp_trace_context(mcphost_call *call, void *arg);
void tramp_cancelled(mcphost_call *call, void *arg);
void tramp_chatos_scan(mcphost_chatos *chatos, void *arg);
int tramp_chatos_put(int kind, const char *name, const char *json, size_t len, void *arg);
void tramp_event(const mcphost_event *event, void *arg);
void tramp_log(int level, const char *room, const char *server, const char *line,
               void *arg);
int tramp_provide(mcphost_provider_call *call, void *arg);
void tramp_answered(mcphost_provider_call *call, int code, const char *json, size_t len,
                    const mcphost_error *error, void *arg);
void tramp_unwanted(mcphost_provider_call *call, void *arg);
void tramp_sampler(mcphost_request *request, void *arg);
int tramp_schema_document(mcphost_schema *schema, const char *uri, void *arg);
int tramp_name(const char *server_id, const char *name, char *buffer, size_t size,
               void *arg);

/* ---- drivers (driver.c), calls (call.c, wait.c), other functions (extra.c) --------- */

struct driver {
    PyObject ob_base;
    mcphost *host;         /* a reference */
    struct interp *interp; /* a reference */
    PyObject *loop, *call_soon, *on_closed;
    pthread_mutex_t lock; /* protects first, last and is_driving */
    struct call *first, *last;
    bool is_driving;
    bool is_declared;    /* mcphost_set_driven() has declared the driver */
    unsigned generation; /* fork_generation when the driver was made */
    struct driver *next; /* in the interpreter's list of all drivers */
};

struct call {
    struct handle base;
    struct driver *driver; /* a reference, or NULL */
    PyObject *callback;    /* of the task that awaits the call, with `context`; or NULL */
    PyObject *context;
    PyObject *callbacks; /* a list of further (callback, context) pairs, or NULL */
    PyObject *dialog;    /* keeps the dialog until the call has ended, because a dialog
                            without references closes and cancels its calls */
    struct call *next;   /* in the driver's list of ended calls */
    char is_started, is_ended, is_done, is_cancel_wanted;
    char is_blocking; /* 1: `_asyncio_future_blocking` is True; 2: the next callback
                       * belongs to the task */
};

/* A wait in slices.  Between the slices, the signal handlers of Python run. */
struct slices {
    int64_t end, next;
};

struct slices slices_begin(int64_t timeout_ms);
/* Call this after each slice of a wait, until it returns false.  `r` is the result of the
 * library's wait.  Returns false if `r` is not 0, if the time of the whole wait has
 * passed, or if a signal's handler or a callback has raised an exception. */
bool slices_continue(struct slices *slices, int r);

/* Lets a new call keep its dialog.  Returns `call`.  `call` may be NULL. */
PyObject *call_keep(PyObject *call, PyObject *dialog);

/* Sets the options that every kind of call has.  The options are the arguments from `i`
 * on: on_progress, timeout_ms, reset, max_ms and meta. */
bool set_up_call(struct arguments *a, int i, mcphost_call *call);
/* Returns the result of a call that is done, or NULL with the call's exception. */
PyObject *call_outcome(struct call *call);

extern PyType_Slot call_slots[], result_slots[];
extern PyType_Spec caller_spec;
/* Fills in the entries of `objects` that driver.c and call.c use: objects of asyncio,
 * strings and the type of drivers. */
bool driver_setup(PyObject *module, PyObject **objects);
/* Returns false with an exception if a loop that runs on this thread drives the host or
 * call.  The thread must not wait, because the wait would stop the loop, and only the
 * loop dispatches the host. */
bool driver_allows_wait(PyObject *self);
/* Lets waiting threads dispatch the hosts whose loops do not run.  Otherwise these
 * threads would sleep for ever. */
void drivers_check(void);
/* Calls loop.call_soon(fn, call, context=context).  `context` may be NULL. */
bool driver_call_soon(struct driver *driver, PyObject *fn, PyObject *call,
                      PyObject *context);

#define EXTRA(f) \
    PyObject *f(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw);
#define GETTER(f) PyObject *f(PyObject *self, void *unused);

EXTRA(call_done)
EXTRA(call_make_cancelled_error)
GETTER(call_get_cancel_message)
EXTRA(call_core_exception)
EXTRA(call_result)
EXTRA(call_exception)
EXTRA(call_cancel_future)
EXTRA(call_cancelled)
EXTRA(call_add_done_callback)
EXTRA(call_remove_done_callback)
EXTRA(call_get_loop)
EXTRA(call_send)
EXTRA(call_throw)
EXTRA(call_close)
EXTRA(call_run)
EXTRA(driver_new)
EXTRA(call_start)
EXTRA(call_set_up)
EXTRA(host_unref_now)
EXTRA(artifact_read)
EXTRA(config_get_hash)
EXTRA(config_compare)
EXTRA(transform_apply)
EXTRA(provider_set_life)
EXTRA(result_parse)
GETTER(call_get_blocking)
GETTER(result_raw)
GETTER(result_text)
GETTER(result_structured)
int call_set_blocking(PyObject *self, PyObject *value, void *unused);

#define METHODS_CALL                                                                  \
    {"_make_cancelled_error", METHOD(call_make_cancelled_error)},                     \
        {"core_exception", METHOD(call_core_exception)}, {"done", METHOD(call_done)}, \
        {"result", METHOD(call_result)}, {"exception", METHOD(call_exception)},       \
        {"cancelled", METHOD(call_cancelled)},                                        \
        {"add_done_callback", METHOD(call_add_done_callback)},                        \
        {"remove_done_callback", METHOD(call_remove_done_callback)},                  \
        {"get_loop", METHOD(call_get_loop)}, {"send", METHOD(call_send)},             \
        {"throw", METHOD(call_throw)}, {"close", METHOD(call_close)},                 \
        {"run", METHOD(call_run)}, {"start", METHOD(call_start)},                     \
        {"set_up", METHOD(call_set_up)}, {"cancel", METHOD(call_cancel_future)},
#define GETTERS_CALL                                                \
    {"_cancel_message", call_get_cancel_message, NULL, NULL, NULL}, \
        {"_asyncio_future_blocking", call_get_blocking, call_set_blocking, NULL, NULL},
#define METHODS_RESULT {"json", METHOD(result_parse)},
#define GETTERS_RESULT                                                              \
    {"raw", result_raw, NULL, NULL, NULL}, {"text", result_text, NULL, NULL, NULL}, \
        {"structured", result_structured, NULL, NULL, NULL},
#define METHODS_HOST {"drop", METHOD(host_unref_now)},

#endif
