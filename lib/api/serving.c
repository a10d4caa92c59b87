/* SPDX-License-Identifier: MIT
 *
 * serving.c - the public functions of <mcphost/serving.h>.
 */
#include "api/getter.h"
#include "serve/serve.h"

int
mcphost_serve_fd(mcphost_view *view, int in, int out, const char *dialog_id,
                 mcphost_serving **ret_serving, mcphost_error **reterr)
{
    if (!view || !dialog_id || !ret_serving)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!*dialog_id || !mcph_utf8_is_text(dialog_id))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the dialog's id is empty or not UTF-8");
    return mcph_serve_fd(view, in, out, dialog_id, ret_serving, reterr);
}

int
mcphost_serving_close(mcphost_serving *serving)
{
    return serving ? mcph_serving_close(serving) : MCPHOST_E_INVALID;
}

MCPH_GETTER(const char *, mcphost_serving_get_dialog_id, const mcphost_serving *,
            self->dialog->id)

mcphost_serving *
mcphost_serving_ref(mcphost_serving *serving)
{
    return mcph_serving_ref(serving);
}

mcphost_serving *
mcphost_serving_unref(mcphost_serving *serving)
{
    return mcph_serving_unref(serving);
}
