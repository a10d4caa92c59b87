/* SPDX-License-Identifier: MIT
 *
 * publish.h - the next catalogs, and the updates that may be in them.
 */
#ifndef MCPH_HOST_PUBLISH_H
#define MCPH_HOST_PUBLISH_H

#include "catalog/catalog.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_server;
struct mcph_stack;

/* ---- catalogs (publish.c, review.c) ------------------------------------------------ */

/* A layer or the built-ins changed: by a job, once the host is loaded. */
void mcph_publish_soon_locked(mcphost *host);
/* Of the servers whose blocks are new, those that may not be published go back to what
 * is (review.c). */
void mcph_review(mcphost *host, const struct mcph_vec *views);
/* Why a catalog leaves a server out; NULL: it does not. */
const struct mcph_finding *mcph_publish_find_rejection(const mcphost_catalog *catalog,
                                                       const struct mcph_server *server);
/* The next catalog as `dialog` is to see it (NULL: as the view is), not swapped in.  0 or
 * MCPHOST_E_NOMEM. */
int mcph_publish_build(struct mcph_stack *stack, mcphost_dialog *dialog,
                       mcphost_catalog **ret);
/* The same under the lock, before load; the caller emits the event and drops the
 * old catalog, without the lock. */
int mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old);
/* Swaps in the next catalogs, those of dialogs with lists of their own too, and ends what
 * is over; the same as a job.  0, or MCPHOST_E_NOMEM: a catalog stays as it is, and the
 * next publication makes it anew. */
int mcph_publish_now(mcphost *host);
void mcph_publish_soon(mcphost *host);
void mcph_publish_job(struct mcph_job *job);
/* Whether the last attempt of all servers is over: tells and wakes who waits. */
void mcph_host_check_ready(mcphost *host);

#endif
