/* SPDX-License-Identifier: MIT
 *
 * native.h - providers of the application in a host; as the public functions of
 * <mcphost/provider.h>, from any thread.
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

#endif
