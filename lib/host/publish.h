/* SPDX-License-Identifier: MIT
 *
 * publish.h - making catalogs and publishing them.
 */
#ifndef MCPH_HOST_PUBLISH_H
#define MCPH_HOST_PUBLISH_H

#include "catalog/catalog.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_server;
struct mcph_stack;

/* ---- catalogs (publish.c, review.c) ------------------------------------------------ */

/* Call this when a layer or a built-in tool has changed.  A job then publishes.  Before
 * the host is loaded nothing happens. */
void mcph_publish_soon_locked(mcphost *host);
/* review.c: puts each server whose update may not be published back to its last good
 * edition. */
void mcph_review(mcphost *host, const struct mcph_vec *views);
/* The finding that says why a catalog leaves a server out; NULL: the catalog does not. */
const struct mcph_finding *mcph_publish_find_rejection(const mcphost_catalog *catalog,
                                                       const struct mcph_server *server);
/* Makes the next catalog as `dialog` sees it (NULL: as the view shows it), without
 * swapping it in.  0 or MCPHOST_E_NOMEM. */
int mcph_publish_build(struct mcph_stack *stack, mcphost_dialog *dialog,
                       mcphost_catalog **ret);
/* Makes the default view's next catalog and swaps it in, under the lock and before the
 * load.  The caller emits the event and drops the old catalog, without the lock. */
int mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old);
/* Makes the next catalogs of the views, and of dialogs with lists of their own, swaps
 * them in, and ends the leases of earlier editions.  mcph_publish_soon() does this by a
 * job.  0, or MCPHOST_E_NOMEM: some catalog stays as it was, and the next publication
 * makes it. */
int mcph_publish_now(mcphost *host);
void mcph_publish_soon(mcphost *host);
void mcph_publish_job(struct mcph_job *job);
/* If the last attempt of every server has ended, emits MCPHOST_EVENT_READY and
 * MCPHOST_EVENT_SETTLED as they are due, and wakes the threads that wait for this. */
void mcph_host_check_ready(mcphost *host);

#endif
