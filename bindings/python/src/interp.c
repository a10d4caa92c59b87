/* SPDX-License-Identifier: MIT
 *
 * interp.c - the interpreters that have imported the module.
 *
 * Each interpreter has its own types and other objects.  These objects belong to the
 * state of the interpreter's module.  The functions of the module find the objects by the
 * running interpreter.  All interpreters share one GIL, which protects the list of
 * interpreters: Python does not let an interpreter with a GIL of its own import this
 * module.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

/* The longest time, in ms, that interp_end() of the main interpreter waits. */
#define MOMENTS_MAX 1000

struct interp *interp_front;
static atomic_bool is_main_ending;

/* Finds the interpreter with this id and moves it to the front of the list.  Returns NULL
 * if the list does not have it. */
struct interp *
interp_find(PyInterpreterState *id)
{
    for (struct interp **at = &interp_front; *at; at = &(*at)->next) {
        struct interp *interp = *at;

        if (interp->id != id)
            continue;
        *at = interp->next;
        interp->next = interp_front;
        interp_front = interp;
        return interp;
    }
    return NULL;
}

void
raise_ended(void)
{
    PyErr_SetString(PyExc_RuntimeError, "the interpreter has ended");
}

struct interp *
interp_ref(struct interp *interp)
{
    atomic_fetch_add(&interp->refs, 1);
    return interp;
}

void
interp_unref(struct interp *interp)
{
    if (interp && atomic_fetch_sub(&interp->refs, 1) == 1)
        free(interp);
}

static void
forget(struct interp *interp)
{
    struct interp **at = &interp_front;

    while (*at && *at != interp)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = interp->next;
    interp_unref(interp);
}

/* Returns the entry of the running interpreter.  Makes the entry if the list does not
 * have it.  On failure, sets an exception and returns NULL. */
struct interp *
interp_open(void)
{
    PyInterpreterState *id = PyInterpreterState_Get();
    struct interp *interp = interp_find(id);
    int64_t number = PyInterpreterState_GetID(id);

    /* Forget an entry of an interpreter that has ended: a new interpreter can get the
     * address of the old interpreter. */
    if (interp && (interp->number != number || atomic_load(&interp->is_finalizing))) {
        forget(interp);
        interp = NULL;
    }
    if (interp)
        return interp;
    interp = calloc(1, sizeof(*interp));
    if (!interp) {
        PyErr_NoMemory();
        return NULL;
    }
    interp->id = id;
    interp->number = number;
    if (number == 0)
        atomic_store(&is_main_ending, false);
    atomic_init(&interp->refs, 1);
    interp->next = interp_front;
    interp_front = interp;
    return interp;
}

void
interp_close(PyObject **objects)
{
    struct interp *interp = interp_here();

    if (!interp || interp->objects != objects)
        return;
    interp->objects = NULL;
    if (interp->number != 0)
        forget(interp);
}

/* ---- the end of an interpreter ----------------------------------------------------- */

bool
interp_begin_finalizing(void)
{
    struct interp *interp = interp_here();

    if (!interp)
        return false;
    interp->finalizer = pthread_self();
    atomic_store(&interp->is_finalizing, true);
    if (interp->number == 0)
        atomic_store(&is_main_ending, true);
    return Py_IsInitialized();
}

/* Returns true if interp_end() ends `interp` when the interpreter `here` runs
 * interp_end().  The main interpreter (number 0) ends all other interpreters. */
static bool
is_ended_by(struct interp *interp, struct interp *here)
{
    return here->number == 0 ? interp != here : interp == here;
}

static bool
is_visited(struct interp *here)
{
    for (struct interp *interp = interp_front; interp; interp = interp->next)
        if (is_ended_by(interp, here) && atomic_load(&interp->visitors) > 0)
            return true;
    return false;
}

void
interp_end(void)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    struct interp *here = interp_here();

    if (!here)
        return;
    for (struct interp *interp = interp_front; interp; interp = interp->next) {
        if (!is_ended_by(interp, here))
            continue;
        atomic_store(&interp->is_finalizing, true);
        atomic_store(&interp->is_over, true);
    }
    for (int i = 0; is_visited(here) && (here->number != 0 || i < MOMENTS_MAX); i++) {
        gil_release();
        nanosleep(&moment, NULL);
        gil_take();
    }
}

/* Returns the running interpreter if it is the main interpreter and is ending.  Otherwise
 * returns NULL. */
static struct interp *
find_ending(void)
{
    struct interp *interp = atomic_load(&is_main_ending) ? interp_here() : NULL;

    return interp && interp->number == 0 ? interp : NULL;
}

bool
python_is_ending(void)
{
    return !Py_IsInitialized() || find_ending();
}

void
stop_at_exit(void)
{
    struct interp *interp = find_ending();

    /* Do not stop a thread that runs a callback, because this thread dispatches. */
    if (!interp || is_in_callback() || pthread_equal(pthread_self(), interp->finalizer))
        return;
    gil_release();
    for (;;)
        pause();
}
