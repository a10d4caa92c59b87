/* SPDX-License-Identifier: MIT
 *
 * files.c - the public functions of <mcphost/files.h> that make providers of files.
 */
#include <mcphost/files.h>

#include "files/files.h"
#include "host/native.h"

/* Adds the files to a provider that was just made.  Releases the provider on failure. */
static int
add_files(mcphost_provider *provider, const char *options, size_t len,
          mcphost_provider **ret_provider, mcphost_error **reterr)
{
    int r = mcph_files_fill_json(provider, mcph_span(options, len), reterr);

    if (r < 0)
        mcph_provider_unref(provider);
    else
        *ret_provider = provider;
    return r;
}

static int
refuse_null(mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
}

int
mcphost_files_new(mcphost_source *source, const char *id, const char *options, size_t len,
                  mcphost_provider **ret_provider, mcphost_error **reterr)
{
    mcphost_provider *provider;
    int r;

    if (!source || !id || !options || !ret_provider)
        return refuse_null(reterr);
    r = mcph_files_check_json(mcph_span(options, len), reterr);
    if (r == 0)
        r = mcphost_provider_new(source, id, &provider, reterr);
    return r < 0 ? r : add_files(provider, options, len, ret_provider, reterr);
}

int
mcphost_files_new_in_view(mcphost_view *view, const char *id, const char *options,
                          size_t len, mcphost_provider **ret_provider,
                          mcphost_error **reterr)
{
    mcphost_provider *provider;
    int r;

    if (!view || !id || !options || !ret_provider)
        return refuse_null(reterr);
    r = mcph_files_check_json(mcph_span(options, len), reterr);
    if (r == 0)
        r = mcphost_provider_new_in_view(view, id, &provider, reterr);
    return r < 0 ? r : add_files(provider, options, len, ret_provider, reterr);
}
