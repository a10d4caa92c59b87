/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of lib/serve, for a build with --disable-serving.
 */
#include "serve/serve.h"

const bool mcph_serve_is_built = false;

int
mcph_serve_fd(mcphost_view *view, int in, int out, const char *dialog_id,
              mcphost_serving **ret, mcphost_error **reterr)
{
    (void)view;
    (void)in;
    (void)out;
    (void)dialog_id;
    (void)ret;
    return mcph_err_unsupported(reterr, "serving");
}

int
mcph_serving_close(mcphost_serving *serving)
{
    (void)serving;
    return mcph_err_unsupported(NULL, "serving");
}

mcphost_serving *
mcph_serving_ref(mcphost_serving *serving)
{
    (void)serving;
    return NULL;
}

mcphost_serving *
mcph_serving_unref(mcphost_serving *serving)
{
    (void)serving;
    return NULL;
}
