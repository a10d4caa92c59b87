/* SPDX-License-Identifier: MIT
 *
 * native.h - providers of the application in a host.
 *
 * The functions work like the public functions of <mcphost/provider.h>.  Any thread may
 * call these functions.
 */
#ifndef MCPH_HOST_NATIVE_H
#define MCPH_HOST_NATIVE_H

#include "host/host.h"

int mcph_native_new(struct mcphost_source *source, const char *id, mcphost_provider **ret,
                    mcphost_error **reterr);
int mcph_native_new_in_view(mcphost_view *view, const char *id, mcphost_provider **ret,
                            mcphost_error **reterr);
int mcph_native_start(mcphost_provider *provider);
int mcph_native_close(mcphost_provider *provider);
/* Withdraws a started provider from its source.  The provider then ends.  Returns 0, or
 * MCPHOST_E_NOMEM (nothing has changed).  Returns another code if the host is closing or
 * the source is leaving.  A closing host, and a source that leaves, end the provider. */
int mcph_native_withdraw(mcphost_provider *provider);
mcphost *mcph_native_host(const mcphost_provider *provider);
/* Take and drop a reference to the source or, for the default source, to its host's
 * memory. */
void mcph_native_keep_source(struct mcphost_source *source);
void mcph_native_drop_source(struct mcphost_source *source);

#endif
