/* SPDX-License-Identifier: MIT
 *
 * model.h - the room `model`: what stands between tools and the providers of models:
 * what a provider's refusal means, and whose it was.
 *
 * Pure functions and small tables: no I/O, no clock but the one that is handed in, and
 * nothing of hosts or dialogs.
 */
#ifndef MCPH_MODEL_H
#define MCPH_MODEL_H

#include <pthread.h>

#include "base/base.h"
#include "json/json.h"

#include <mcphost/retry.h>

struct mcphost_retry {
    struct mcph_refs refs;
    int strategy, jitter;
    int64_t (*now_ms)(void); /* monotonic */
    int (*random)(void *ret_data, size_t len);
    pthread_mutex_t lock; /* of the two below */
    int64_t penalty_ms, penalty_at;
};

/* ---- whose schema was refused (blame.c) ------------------------------------------- */

/* Looks for a tool in a provider's error text: by name, or by its place in the list
 * that the request had.  `name_at` gives the tools' names in the order of the list,
 * NULL past the end.  Returns the place, or SIZE_MAX. */
size_t mcph_model_blame(const char *text, size_t len,
                        const char *(*name_at)(void *arg, size_t index), void *arg);

#endif
