/* SPDX-License-Identifier: MIT
 *
 * items.c - make the items of a conversation from a call's result.
 *
 * This file is not in lib/result, because lib/result knows neither calls nor
 * dialogs.  The functions run on the caller's thread and write files.  The functions do
 * not hold the lock while they write.  The library calls these functions only for the
 * application.
 */
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"

int
mcph_dialog_set_artifacts(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                          mcphost_error **reterr)
{
    struct mcph_artifacts *place = NULL, *old;
    int r = 0;

    if (dir)
        r = mcph_artifacts_new(dir, dialog->root_id, dialog->id, quota, &place, reterr);
    if (r < 0)
        return r;
    if (place)
        mcph_artifacts_limit_files(
            place, (uint64_t)dialog->host->options[MCPHOST_OPT_ARTIFACT_FILES]);
    r = mcph_host_enter(dialog->host);
    if (r < 0) {
        mcph_artifacts_unref(place);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    if (dialog->closed) {
        old = place;
        r = mcph_err(reterr, MCPHOST_E_CLOSED, "the dialog is closed");
    } else {
        old = dialog->artifacts;
        dialog->artifacts = place;
    }
    mcph_core_leave(dialog->host->core);
    mcph_artifacts_unref(old);
    return r;
}

/* Returns the tool's own limit on the characters of a text in its results, or 0 if the
 * tool names no limit. */
static size_t
characters_of(const mcphost_tool *tool)
{
    struct mcph_span meta = mcph_json_get(mcph_tool_definition(tool), "_meta");
    int64_t n;

    if (mcph_json_int64(mcph_json_get(meta, "anthropic/maxResultSizeChars"), &n) < 0 ||
        n <= 0)
        return 0;
    return (uint64_t)n < SIZE_MAX ? (size_t)n : SIZE_MAX;
}

int
mcph_call_items(mcphost_call *call, mcphost_items **ret, mcphost_error **reterr)
{
    mcphost *host = call->host;
    const mcphost_tool *tool = call->target.tool;
    const char *server = mcph_target_server_id(&call->target);
    struct mcph_items_spec spec = {
        .server = server ? server : mcph_tool_toolset(tool),
        .tool = tool ? mcph_tool_original(tool) : call->target.kind->folder,
        .text_bytes = (size_t)host->options[MCPHOST_OPT_TEXT_SPILL],
        .text_chars = tool ? characters_of(tool) : 0,
        .all_types = host->options[MCPHOST_OPT_ITEM_TYPES] == MCPHOST_ITEMS_ALL};
    int r;

    if (mcph_core_forked(host->core))
        return mcph_err(reterr, MCPHOST_E_FORKED, "%s",
                        mcphost_strerror(MCPHOST_E_FORKED));
    /* Do not enter the host, because items may be made from a result after the host has
     * ended. */
    mcph_core_lock(host->core);
    spec.place = mcph_artifacts_ref(call->dialog->artifacts);
    mcph_core_unlock(host->core);
    r = mcph_items_make(call->result, &spec, ret);
    mcph_artifacts_unref(spec.place);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}
