/* SPDX-License-Identifier: MIT
 *
 * items.c - the public functions that make the items of a call and set the artifact
 * directory of a dialog.
 */
#include "host/call.h"
#include "host/dialog.h"

int
mcphost_dialog_set_artifact_dir(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                                mcphost_error **reterr)
{
    if (!dialog)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the dialog is NULL");
    return mcph_dialog_set_artifacts(dialog, dir, quota, reterr);
}

int
mcphost_call_make_items(mcphost_call *call, mcphost_items **ret_items,
                        mcphost_error **reterr)
{
    if (!call || !ret_items)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!mcphost_call_get_result(call))
        return mcph_err(reterr, MCPHOST_E_STATE, "the call has no result");
    return mcph_call_items(call, ret_items, reterr);
}
