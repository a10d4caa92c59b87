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

/* Posts the job that publishes, unless it is posted already.  Does nothing before the
 * host is loaded. */
void mcph_publish_soon_locked(mcphost *host);
/* Reviews the updates of servers (review.c).  A server whose update must not be published
 * is reverted to its last good edition. */
void mcph_review(mcphost *host, const struct mcph_vec *views);
/* Returns the finding that says why a catalog leaves the server out, or NULL if the
 * catalog does not leave the server out. */
const struct mcph_finding *mcph_publish_find_rejection(const mcphost_catalog *catalog,
                                                       const struct mcph_server *server);
/* Makes the next catalog as `dialog` sees it or, if `dialog` is NULL, as the view shows
 * it.  Does not publish the catalog.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_publish_build(struct mcph_stack *stack, mcphost_dialog *dialog,
                       mcphost_catalog **ret);
/* Makes and publishes the default view's next catalog.  Call this under the lock, before
 * the host is loaded.  *ret_old gets the old catalog.  Returns 0 or MCPHOST_E_NOMEM.  The
 * caller emits the event and drops the old catalog without the lock. */
int mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old);
/* mcph_publish_now() makes and publishes the next catalogs of the views, and of dialogs
 * with lists of their own.  It then ends the leases of earlier editions, and leases with
 * a scope that the server no longer has, except leases that a turn keeps.  It returns 0,
 * or MCPHOST_E_NOMEM if memory was too short for a catalog.  The old catalog then stays
 * in force until the next publication, and no lease ends.  mcph_publish_soon() posts a
 * job that calls mcph_publish_now(). */
int mcph_publish_now(mcphost *host);
void mcph_publish_soon(mcphost *host);
void mcph_publish_job(struct mcph_job *job);
/* Marks the sources of the first load as settled when all their servers have been tried
 * (host.c).  Emits no event until every server has come up or failed, no list is awaited,
 * and no order is left.  Emits MCPHOST_EVENT_READY the first time.  Emits
 * MCPHOST_EVENT_SETTLED if an order was posted or a configuration was applied since the
 * last MCPHOST_EVENT_SETTLED.  Wakes the threads that wait for these events. */
void mcph_host_check_ready(mcphost *host);

#endif
