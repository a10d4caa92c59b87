/* SPDX-License-Identifier: MIT
 *
 * provider_call.c - the public functions of <mcphost/provider_call.h>.
 */
#include "api/getter.h"
#include "provide/provide.h"

mcphost_provider_call *
mcphost_provider_call_ref(mcphost_provider_call *call)
{
    if (call)
        mcph_providing_get_user(call);
    return call;
}

mcphost_provider_call *
mcphost_provider_call_unref(mcphost_provider_call *call)
{
    if (call)
        mcph_providing_put_user(call);
    return NULL;
}

MCPH_GETTER(mcphost_provider *, mcphost_provider_call_get_provider,
            const mcphost_provider_call *, self->provider)

MCPH_GETTER(int, mcphost_provider_call_get_feature, const mcphost_provider_call *,
            self->feature->kind)

MCPH_GETTER_TEXT(mcphost_provider_call_get_name, const mcphost_provider_call *,
                 self->name)
MCPH_GETTER_TEXT(mcphost_provider_call_get_arguments, const mcphost_provider_call *,
                 self->arguments)
MCPH_GETTER_TEXT(mcphost_provider_call_get_argument, const mcphost_provider_call *,
                 self->argument)
MCPH_GETTER_TEXT(mcphost_provider_call_get_value, const mcphost_provider_call *,
                 self->value)
MCPH_GETTER_TEXT(mcphost_provider_call_get_meta, const mcphost_provider_call *,
                 self->meta)
MCPH_GETTER(const char *, mcphost_provider_call_get_dialog_id,
            const mcphost_provider_call *, self->dialog)

/* ---- answers ----------------------------------------------------------------------- */

int
mcphost_provider_call_answer(mcphost_provider_call *call, const char *json, size_t len,
                             mcphost_error **reterr)
{
    if (!call || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_providing_answer(call, mcph_span(json, len), reterr);
}

int
mcphost_provider_call_answer_text(mcphost_provider_call *call, const char *text,
                                  size_t len, int is_error)
{
    if (!call || !text)
        return MCPHOST_E_INVALID;
    return mcph_providing_answer_text(call, mcph_span(text, len), is_error != 0);
}

int
mcphost_provider_call_fail(mcphost_provider_call *call, int64_t code, const char *message,
                           const char *data, size_t len)
{
    if (!call || !message)
        return MCPHOST_E_INVALID;
    return mcph_providing_fail(call, code, message,
                               data ? mcph_span(data, len) : MCPH_SPAN_NONE);
}

int
mcphost_provider_call_report(mcphost_provider_call *call, double progress, double total,
                             const char *text, size_t len)
{
    return call ? mcph_providing_report(call, progress, total, text, text ? len : 0)
                : MCPHOST_E_INVALID;
}

MCPH_GETTER(int, mcphost_provider_call_is_cancelled, const mcphost_provider_call *,
            mcph_providing_is_unwanted(self))

int
mcphost_provider_call_set_cancelled(mcphost_provider_call *call, mcphost_unwanted_fn fn,
                                    void *arg, mcphost_free_fn free_arg)
{
    if (call && fn)
        return mcph_providing_watch(call, fn, arg, free_arg);
    if (free_arg)
        free_arg(arg);
    return MCPHOST_E_INVALID;
}

int
mcphost_provider_call_ask(mcphost_provider_call *call, int kind, const char *params,
                          size_t len, mcphost_answered_fn fn, void *arg,
                          mcphost_free_fn free_arg, mcphost_error **reterr)
{
    bool known = mcph_ask_method(kind) != NULL;

    if (call && fn && known)
        return mcph_providing_ask(call, kind,
                                  params ? mcph_span(params, len) : MCPH_SPAN_NONE, fn,
                                  arg, free_arg, reterr);
    if (free_arg)
        free_arg(arg);
    return mcph_err(reterr, MCPHOST_E_INVALID,
                    known ? "an argument is NULL"
                          : "a request of this kind cannot be made");
}
