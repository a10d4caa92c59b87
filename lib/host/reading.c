/* SPDX-License-Identifier: MIT
 *
 * reading.c - calls that are no tool calls: a resource that is read, a value that is
 * completed.
 *
 * They are for a server, which need not have listed what they name, and are carried out
 * as any call is (run.c).
 */
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"

#define URI_MAX   65536 /* bytes; and of each part of a completion */
#define VALUE_MAX 65536

/* The block of the server in what the dialog sees now; a reference. */
static int
find_block(mcphost_dialog *dialog, const char *server, struct mcph_block **ret,
           mcphost_error **reterr)
{
    mcphost_catalog *catalog;
    mcphost_server *entry;
    int r = mcph_host_enter(dialog->host);

    if (r == 0) {
        r = dialog->closed ? MCPHOST_E_CLOSED : 0;
        mcph_core_leave(dialog->host->core);
    }
    if (r == 0)
        r = mcph_dialog_look(dialog, &catalog);
    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    entry = mcph_catalog_server(catalog, server);
    if (entry)
        *ret = mcph_block_ref(entry->block);
    else
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no server '%.64s'", server);
    mcph_catalog_unref(catalog);
    return r;
}

/* Takes over the block.  `name` is copied. */
static int
make(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
     struct mcph_block *block, struct mcph_span name, struct mcph_span arguments,
     mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_span params = arguments.p ? arguments : mcph_span("", 0);
    mcphost_call *call = mcph_call_alloc(dialog, params, name.len);
    char *copy;

    if (!call) {
        mcph_block_unref(block);
        return mcph_err_nomem(reterr);
    }
    if (!arguments.p)
        call->arguments = NULL;
    copy = (char *)(call + 1) + params.len + 1;
    memcpy(copy, name.p, name.len);
    call->target.kind = kind;
    call->answer_room.form = kind->form; /* a tool's is 0 */
    call->target.block = block;
    call->target.name = mcph_span(copy, name.len);
    *ret = call;
    return 0;
}

static int
check_text(struct mcph_span text, size_t max, const char *what, mcphost_error **reterr)
{
    if (!mcph_utf8_valid(text.p, text.len, NULL))
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s is not UTF-8", what);
    if (text.len > max)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "%s has more than %zu bytes", what, max);
    return 0;
}

/* Nothing is known of the schemes that servers make up: control characters alone are
 * refused, which stand in no URI. */
static int
check_uri(struct mcph_span uri, mcphost_error **reterr)
{
    int r = check_text(uri, URI_MAX, "the URI", reterr);

    if (r == 0 && !uri.len)
        r = mcph_err(reterr, MCPHOST_E_INVALID, "the URI is empty");
    for (size_t i = 0; r == 0 && i < uri.len; i++)
        if ((unsigned char)uri.p[i] < 0x20 || uri.p[i] == 0x7f)
            r = mcph_err(reterr, MCPHOST_E_INVALID,
                         "the URI has a control character at byte %zu", i + 1);
    return r;
}

int
mcph_call_make_read(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                    mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    int r = check_uri(uri, reterr);

    if (r == 0)
        r = find_block(dialog, server, &block, reterr);
    if (r == 0)
        r = make(dialog, &mcph_target_read, block, uri, MCPH_SPAN_NONE, ret, reterr);
    return r;
}

/* The params of completion/complete. */
static int
write_completion(struct mcph_buf *buf, struct mcph_span template,
                 struct mcph_span argument, struct mcph_span value,
                 struct mcph_span context)
{
    mcph_buf_adds(buf, "{\"ref\":{\"type\":\"ref/resource\",\"uri\":");
    mcph_json_add_string(buf, template.p, template.len);
    mcph_buf_adds(buf, "},\"argument\":{\"name\":");
    mcph_json_add_string(buf, argument.p, argument.len);
    mcph_buf_adds(buf, ",\"value\":");
    mcph_json_add_string(buf, value.p, value.len);
    mcph_buf_addc(buf, '}');
    if (context.p) {
        mcph_buf_adds(buf, ",\"context\":{\"arguments\":");
        mcph_buf_add(buf, context.p, context.len);
        mcph_buf_addc(buf, '}');
    }
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}

/* An object of strings. */
static int
check_context(struct mcph_span *context, mcphost_error **reterr)
{
    struct mcph_json_iter members;
    struct mcph_span name, value;
    int r = mcph_json_check_input(*context, 0, MCPH_JSON_OBJECT, "the context", context,
                                  reterr);

    if (r < 0)
        return r;
    mcph_json_iter_init(&members, *context);
    while (mcph_json_iter_next(&members, &name, &value))
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the context's value of %.*s is no string",
                            name.len < 100 ? (int)name.len : 100, name.p);
    return 0;
}

int
mcph_call_make_completion(mcphost_dialog *dialog, const char *server,
                          struct mcph_span template, struct mcph_span argument,
                          struct mcph_span value, struct mcph_span context,
                          mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    struct mcph_buf params;
    int r = check_uri(template, reterr);

    if (r == 0)
        r = check_text(argument, VALUE_MAX, "the name of the argument", reterr);
    if (r == 0)
        r = check_text(value, VALUE_MAX, "the value", reterr);
    if (r == 0 && context.p)
        r = check_context(&context, reterr);
    if (r == 0)
        r = find_block(dialog, server, &block, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&params, SIZE_MAX / 4);
    if (write_completion(&params, template, argument, value, context) == 0) {
        r = make(dialog, &mcph_target_completion, block, argument,
                 mcph_span(params.data, params.len), ret, reterr);
    } else {
        mcph_block_unref(block);
        r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(&params);
    return r;
}
