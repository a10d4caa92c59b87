/* SPDX-License-Identifier: MIT
 *
 * request.c - the public functions of <mcphost/request.h>.
 */
#include <string.h>

#include "api/getter.h"
#include "host/call.h"
#include "host/host.h"
#include "host/request.h"

mcphost_request *
mcphost_request_ref(mcphost_request *request)
{
    mcph_request_get_user(request);
    return request;
}

mcphost_request *
mcphost_request_unref(mcphost_request *request)
{
    mcph_request_put_user(request);
    return NULL;
}

MCPH_GETTER(int, mcphost_request_get_kind, const mcphost_request *, self->kind)
MCPH_GETTER(const char *, mcphost_request_get_source_id, const mcphost_request *,
            self->source->id)
MCPH_GETTER(const char *, mcphost_request_get_server_id, const mcphost_request *,
            self->server)
MCPH_GETTER(const char *, mcphost_request_get_dialog_id, const mcphost_request *,
            self->dialog)
MCPH_GETTER(mcphost_call *, mcphost_request_get_call, const mcphost_request *, self->call)
MCPH_GETTER(const char *, mcphost_request_get_message, const mcphost_request *,
            self->message)
MCPH_GETTER(const char *, mcphost_request_get_url, const mcphost_request *, self->url)

static const char *
give_text(const mcphost_request *request, struct mcph_span text, size_t *ret_len)
{
    if (ret_len)
        *ret_len = text.len;
    /* Cast `const` away, because the request keeps a copy of each text that a getter
     * returns, although the application sees the request as constant. */
    return text.p ? mcph_kept_copy((struct mcph_kept *)(uintptr_t)&request->kept, text.p,
                                   text.len)
                  : NULL;
}

const char *
mcphost_request_get_schema(const mcphost_request *request, size_t *ret_len)
{
    return give_text(request, request ? request->schema : MCPH_SPAN_NONE, ret_len);
}

const char *
mcphost_request_get_defaults(const mcphost_request *request, size_t *ret_len)
{
    if (!request || !request->defaults)
        return give_text(request, MCPH_SPAN_NONE, ret_len);
    return give_text(request, mcph_span(request->defaults, request->defaults_len),
                     ret_len);
}

const char *
mcphost_request_get_params(const mcphost_request *request, size_t *ret_len)
{
    return give_text(request, request ? request->params : MCPH_SPAN_NONE, ret_len);
}

/* Decodes the token of a JSON string.  Returns NULL if the text has a NUL or memory is
 * short. */
static const char *
give_string(struct mcph_kept *kept, struct mcph_span token)
{
    const char *found;
    struct mcph_span text;
    struct mcph_buf buf;
    size_t len = 0;

    found = mcph_kept_find(kept, token.p, &len);
    if (found)
        return found;
    mcph_buf_init(&buf, token.len + 1);
    if (mcph_json_string_get(token, &buf, &text) == 0 &&
        !memchr(text.p, '\0', text.len)) {
        len = text.len;
        found = mcph_kept_add(kept, token.p, mcph_strndup(text.p, len), &len);
    }
    mcph_buf_done(&buf);
    return found;
}

const char *
mcphost_request_get_param(const mcphost_request *request, const char *name)
{
    struct mcph_span value = MCPH_SPAN_NONE;

    if (request && name && mcph_json_type(request->params) == MCPH_JSON_OBJECT)
        value = mcph_json_get(request->params, name);
    if (mcph_json_type(value) != MCPH_JSON_STRING)
        return give_text(request, value, NULL);
    return give_string((struct mcph_kept *)(uintptr_t)&request->kept, value);
}

MCPH_GETTER(int, mcphost_request_is_open, const mcphost_request *,
            mcph_request_is_open((mcphost_request *)(uintptr_t)self))

int
mcphost_request_check(const mcphost_request *request, const char *json, size_t len,
                      mcphost_error **reterr)
{
    if (!request || (!json && len > 0))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the request is NULL");
    return mcph_request_check(request, json, len, reterr);
}

int
mcphost_request_respond(mcphost_request *request, const char *json, size_t len,
                        mcphost_error **reterr)
{
    if (!request || (!json && len > 0))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the request is NULL");
    return mcph_request_respond(request, json, len, reterr);
}

int
mcphost_request_reject(mcphost_request *request, int how, const char *message)
{
    if (!request || how < MCPHOST_REJECT_DECLINE || how > MCPHOST_REJECT_ERROR ||
        (message && !mcph_utf8_is_text(message)))
        return MCPHOST_E_INVALID;
    return mcph_request_reject(request, how, message);
}

int
mcphost_set_sampler(mcphost *host, mcphost_sampler_fn fn, void *arg,
                    mcphost_free_fn free_arg)
{
    int r = host ? mcph_sampler_set(host, fn, arg, free_arg) : MCPHOST_E_INVALID;

    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_roots_changed(mcphost *host)
{
    return host ? mcph_roots_post(host) : MCPHOST_E_INVALID;
}
