/* SPDX-License-Identifier: MIT
 *
 * leasing.h - leases: the instance that carries out a dialog's calls.
 */
#ifndef MCPH_HOST_LEASING_H
#define MCPH_HOST_LEASING_H

#include "loop/loop.h"
#include "pool/pool.h"

#include <mcphost/mcphost.h>

struct mcph_server;

/* ---- leases (leasing.c) ------------------------------------------------------------ */

/* Finds the instance that carries out a call of `dialog` on this edition of a server, or
 * starts an instance for the call.  Returns 0, MCPHOST_E_CLOSED or MCPHOST_E_NOMEM. */
int mcph_leasing_instance(struct mcph_server *server, unsigned edition,
                          struct mcph_spec *spec, mcphost_dialog *dialog,
                          struct mcph_instance **ret);
/* Ends the dialog's leases on the server with this id in this realm.  Returns false if
 * the dialog had no lease on the server. */
bool mcph_leasing_end_all(mcphost_dialog *dialog, const char *server,
                          const struct mcph_realm *realm);
/* Get and release a lease for the application.  Any thread may call these functions. */
int mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret);
int mcph_leasing_release(mcphost_lease *lease);
/* Emits MCPHOST_EVENT_REMINDER for each lease on the seat, unless all dialogs share the
 * seat.  Call this when the seat's instance is READY. */
void mcph_leasing_ready(struct mcph_seat *seat);
/* Ends the leases that were idle for too long (MCPHOST_OPT_LEASE_IDLE).  The timer
 * host->idle runs this function. */
void mcph_leasing_sweep(struct mcph_timer *timer);
/* Ends a lease and withdraws its MCPHOST_EVENT_REMINDER.  The end of the seat's last
 * lease also ends the seat's instance.  If `now` is true, the instance does not drain. */
void mcph_leasing_end(mcphost_lease *lease, bool now);

#endif
