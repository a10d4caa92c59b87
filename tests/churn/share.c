/* SPDX-License-Identifier: MIT
 *
 * share.c - keeps the handles that the threads share.
 */
#include <pthread.h>

#include "churn.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *places[N_KINDS][N_PLACES];

static void *
ref(int kind, void *handle)
{
    switch (kind) {
    case A_SOURCE:
        return mcphost_source_ref(handle);
    case A_VIEW:
        return mcphost_view_ref(handle);
    case A_DIALOG:
        return mcphost_dialog_ref(handle);
    case A_TURN:
        return mcphost_turn_ref(handle);
    default:
        return mcphost_call_ref(handle);
    }
}

void *
share_unref(int kind, void *handle)
{
    switch (kind) {
    case A_SOURCE:
        return mcphost_source_unref(handle);
    case A_VIEW:
        return mcphost_view_unref(handle);
    case A_DIALOG:
        return mcphost_dialog_unref(handle);
    case A_TURN:
        return mcphost_turn_unref(handle);
    default:
        return mcphost_call_unref(handle);
    }
}

void
share_put(int kind, unsigned place, void *handle)
{
    void *old;

    pthread_mutex_lock(&lock);
    old = places[kind][place % N_PLACES];
    places[kind][place % N_PLACES] = handle;
    pthread_mutex_unlock(&lock);
    share_unref(kind, old);
}

void *
share_get(int kind, unsigned place, bool take)
{
    void **found = &places[kind][place % N_PLACES], *handle;

    pthread_mutex_lock(&lock);
    handle = take ? *found : ref(kind, *found);
    if (take)
        *found = NULL;
    pthread_mutex_unlock(&lock);
    return handle;
}

void
share_clear(void)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        for (unsigned i = 0; i < N_PLACES; i++)
            share_put(kind, i, NULL);
}
