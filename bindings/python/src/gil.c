/* SPDX-License-Identifier: MIT
 *
 * gil.c - takes the GIL for a callback, and releases the GIL for the library.
 *
 * A callback runs Python in the interpreter that has set it.  A thread of this
 * interpreter that has released the GIL for the library continues with its own thread
 * state.  A thread of this interpreter that has kept the GIL just runs the callback.  A
 * thread of another interpreter that has kept the GIL does not run the callback.  A
 * thread of the library, or of another interpreter that has released the GIL, gets a new
 * thread state of the interpreter for the callback.  PyGILState_Ensure() is not suitable,
 * because it always takes the first thread state of the thread, which may belong to
 * another interpreter.
 */
#include "core.h"

static _Thread_local struct {
    PyThreadState *released; /* the state of this thread, while the GIL is released */
    int callbacks;           /* the number of callbacks that this thread runs */
} thread;

void
gil_release(void)
{
    thread.released = PyEval_SaveThread();
}

void
gil_take(void)
{
    PyThreadState *tstate = thread.released;

    thread.released = NULL;
    PyEval_RestoreThread(tstate);
}

bool
is_in_callback(void)
{
    return thread.callbacks > 0;
}

/* Enters the interpreter with a new thread state.  interp_end() waits until end_visit()
 * has deleted this state. */
static bool
visit(struct interp *interp, struct entry *entry)
{
    PyThreadState *tstate = NULL;

    atomic_fetch_add(&interp->visitors, 1);
    if (!atomic_load(&interp->is_over))
        tstate = PyThreadState_New(interp->id);
    if (!tstate) {
        atomic_fetch_sub(&interp->visitors, 1);
        return false;
    }
    entry->visitor = tstate;
    PyEval_AcquireThread(tstate);
    return true;
}

static void
end_visit(struct entry *entry)
{
    PyThreadState_Clear(entry->visitor);
    PyEval_ReleaseThread(entry->visitor);
    PyThreadState_Delete(entry->visitor);
    atomic_fetch_sub(&entry->interp->visitors, 1);
}

static bool
enter(struct interp *interp, struct entry *entry)
{
    PyThreadState *released = thread.released;

    *entry = (struct entry){.interp = interp, .released = released};
    if (!Py_IsInitialized())
        return false;
    if (released && PyThreadState_GetInterpreter(released) == interp->id) {
        gil_take();
    } else if (!released && PyGILState_GetThisThreadState()) {
        /* A function that does not release the GIL has called the library. */
        if (PyInterpreterState_Get() != interp->id)
            return false;
    } else {
        if (!visit(interp, entry))
            return false;
        thread.released = NULL;
    }
    thread.callbacks++;
    return true;
}

bool
python_enter(struct interp *interp, struct entry *entry)
{
    return !atomic_load(&interp->is_finalizing) && enter(interp, entry);
}

bool
python_enter_to_free(struct interp *interp, struct entry *entry)
{
    if (interp->number == 0 && atomic_load(&interp->is_finalizing))
        return false;
    return enter(interp, entry);
}

void
python_leave(struct entry *entry)
{
    thread.callbacks--;
    if (entry->visitor) {
        end_visit(entry);
        thread.released = entry->released;
    } else if (entry->released) {
        gil_release();
    }
}
