/* SPDX-License-Identifier: MIT
 *
 * retry.c - the public functions that report a model provider's answers to a dialog, and
 * get the dialog's state.
 */
#include "host/dialog.h"

int
mcphost_dialog_report_rejection(mcphost_dialog *dialog, const char *provider,
                                const char *text, size_t len)
{
    if (!dialog || !mcph_utf8_is_text(provider) || !text ||
        !mcph_utf8_valid(text, len, NULL))
        return MCPHOST_E_INVALID;
    return mcph_dialog_rejected(dialog, provider, text, len);
}

int
mcphost_dialog_resume(mcphost_dialog *dialog)
{
    return dialog ? mcph_dialog_goes_on(dialog) : MCPHOST_E_INVALID;
}

int
mcphost_dialog_report_success(mcphost_dialog *dialog)
{
    return dialog ? mcph_dialog_goes_on(dialog) : MCPHOST_E_INVALID;
}

int
mcphost_dialog_get_stop_reason(mcphost_dialog *dialog, char **ret_json, size_t *ret_len)
{
    int r = dialog && ret_json ? mcph_dialog_stop_reason(dialog, ret_json)
                               : MCPHOST_E_INVALID;

    if (r == 0 && ret_len)
        *ret_len = strlen(*ret_json);
    return r;
}

int
mcphost_dialog_get_run_state(const mcphost_dialog *dialog)
{
    return dialog ? atomic_load(&dialog->run_state) : MCPHOST_RUN_RUNNING;
}
