/* SPDX-License-Identifier: MIT
 *
 * leasing.h - which instance carries out a call of a dialog.
 */
#ifndef MCPH_HOST_LEASING_H
#define MCPH_HOST_LEASING_H

#include "loop/loop.h"
#include "pool/pool.h"

#include <mcphost/mcphost.h>

struct mcph_server;

/* ---- leases (leasing.c) ------------------------------------------------------------ */

/* The instance that carries out a call of `dialog` on this edition of a server,
 * starting one where there is none.  0 or MCPHOST_E_NOMEM. */
int mcph_leasing_instance(struct mcph_server *server, unsigned edition,
                          struct mcph_spec *spec, mcphost_dialog *dialog,
                          struct mcph_instance **ret);
/* Ends what the dialog holds of the servers with this id, in this realm or (NULL) in any;
 * false: nothing. */
bool mcph_leasing_end_all(mcphost_dialog *dialog, const char *server,
                          const struct mcph_realm *realm);
/* For the application: any thread. */
int mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret);
int mcph_leasing_release(mcphost_lease *lease);
/* Its client is READY: time for the reminders. */
void mcph_leasing_ready(struct mcph_seat *seat);
/* Timer of host->idle: ends the leases that nobody has used for so long. */
void mcph_leasing_sweep(struct mcph_timer *timer);
/* Ends a lease and withdraws its reminder; `now`: without draining. */
void mcph_leasing_end(mcphost_lease *lease, bool now);

#endif
