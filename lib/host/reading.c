/* SPDX-License-Identifier: MIT
 *
 * reading.c - calls other than tool calls: reading a resource, getting a prompt,
 * completing a value, following a task, and single requests about a task.  The calls for
 * skills are in skill.c.
 *
 * run.c carries out these calls like any other call.  The caller names the server of a
 * resource, a template or a task.  The server need not have listed the resource or the
 * template.  The caller does not name the server of a prompt, because the catalog knows
 * the server.
 */
#include <stdio.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/task.h"
#include "names/names.h"
#include "uri/uri.h"

#define VALUE_MAX 65536 /* maximum bytes of an argument's name, and of its value */

/* Finds the prompt that the dialog sees under this name now.  *ret_catalog gets a
 * reference.  *ret and *ret_block (the block of the prompt's server) live as long as this
 * catalog. */
static int
find_prompt(mcphost_dialog *dialog, const char *name, mcphost_catalog **ret_catalog,
            const mcphost_tool **ret, struct mcph_block **ret_block,
            mcphost_error **reterr)
{
    const mcphost_server *entry = NULL;
    int r = mcph_dialog_look_open(dialog, ret_catalog, reterr);

    if (r < 0)
        return r;
    *ret = mcph_catalog_find_prompt(*ret_catalog, name);
    if (*ret)
        entry = mcph_catalog_server(*ret_catalog, mcph_block_key((*ret)->block));
    if (entry) {
        *ret_block = entry->block;
        return 0;
    }
    mcph_catalog_unref(*ret_catalog);
    return mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no prompt '%.64s'", name);
}

int
mcph_call_make_named(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                     struct mcph_block *block, struct mcph_span name,
                     struct mcph_span arguments, size_t more, char **ret_more,
                     mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_span params = arguments.p ? arguments : mcph_span("", 0);
    mcphost_call *call = mcph_call_alloc(dialog, params, name.len + 1 + more);
    char *copy;

    if (!call) {
        mcph_block_unref(block);
        return mcph_err_nomem(reterr);
    }
    if (!arguments.p)
        call->arguments = NULL;
    copy = (char *)(call + 1) + params.len + 1;
    memcpy(copy, name.p, name.len);
    copy[name.len] = '\0'; /* providers' functions need the NUL */
    call->target.kind = kind;
    call->answer_room.form = kind->form; /* for a tool call, `form` stays 0, which is
                                          * MCPH_RESULT_TOOL */
    call->target.block = block;
    call->target.name = mcph_span(copy, name.len);
    if (ret_more)
        *ret_more = copy + name.len + 1;
    *ret = call;
    return 0;
}

/* Makes a call to the server of `block`.  Takes over the reference to `block`. */
static int
make_reading_call(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                  struct mcph_block *block, struct mcph_span name,
                  struct mcph_span arguments, mcphost_call **ret, mcphost_error **reterr)
{
    return mcph_call_make_named(dialog, kind, block, name, arguments, 0, NULL, ret,
                                reterr);
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

int
mcph_call_make_read(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                    mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    int r = mcph_uri_check(uri, reterr);

    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r == 0)
        r = make_reading_call(dialog, &mcph_target_read, block, uri, MCPH_SPAN_NONE, ret,
                              reterr);
    return r;
}

/* Checks that *object is a JSON object whose values are strings.  Removes the white space
 * around *object.  `what` begins the error messages. */
static int
check_strings(struct mcph_span *object, const char *what, mcphost_error **reterr)
{
    struct mcph_json_iter members;
    struct mcph_span name, value;
    int r = mcph_json_check_input(*object, 0, MCPH_JSON_OBJECT, what, object, reterr);

    if (r < 0)
        return r;
    mcph_json_iter_init(&members, *object);
    while (mcph_json_iter_next(&members, &name, &value))
        if (mcph_json_type(value) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "%s: the value of %.*s is not a string", what,
                            name.len < 100 ? (int)name.len : 100, name.p);
    return 0;
}

/* ---- prompts ----------------------------------------------------------------------- */

/* Returns 1 if the object has a member with the name in the string token, else 0.
 * Returns MCPHOST_E_NOMEM if memory is short. */
static int
has_member(struct mcph_span object, struct mcph_span token)
{
    struct mcph_json_iter members;
    struct mcph_span name, key, value;
    struct mcph_buf buf;
    int found = 0, r;

    mcph_buf_init(&buf, token.len);
    r = mcph_json_string_get(token, &buf, &name);
    mcph_json_iter_init(&members, object);
    while (r == 0 && !found && mcph_json_iter_next(&members, &key, &value))
        found = mcph_json_string_is(key, name.p, name.len);
    mcph_buf_done(&buf);
    return r < 0 ? r : found;
}

/* Checks that `arguments` has each argument that the prompt requires. */
static int
check_required(const mcphost_tool *prompt, struct mcph_span arguments,
               mcphost_error **reterr)
{
    struct mcph_json_iter items;
    struct mcph_span item;

    mcph_json_iter_init(&items, mcph_json_get(mcph_tool_definition(prompt), "arguments"));
    while (mcph_json_iter_next(&items, NULL, &item)) {
        struct mcph_span name = mcph_json_get(item, "name");
        bool required = false;
        int r;

        if (mcph_json_bool(mcph_json_get(item, "required"), &required) < 0 || !required ||
            mcph_json_type(name) != MCPH_JSON_STRING)
            continue;
        r = has_member(arguments, name);
        if (r < 0)
            return mcph_err_nomem(reterr);
        if (r == 0)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "prompt '%s' needs the argument %.*s", mcph_tool_name(prompt),
                            name.len < 100 ? (int)name.len : 100, name.p);
    }
    return 0;
}

int
mcph_call_make_prompt(mcphost_dialog *dialog, const char *name,
                      struct mcph_span arguments, mcphost_call **ret,
                      mcphost_error **reterr)
{
    struct mcph_block *block;
    const mcphost_tool *prompt;
    mcphost_catalog *catalog;
    char what[MCPH_NAME_MAX + 32];
    int r = find_prompt(dialog, name, &catalog, &prompt, &block, reterr);

    if (r < 0)
        return r;
    snprintf(what, sizeof(what), "arguments of prompt '%s'", mcph_tool_name(prompt));
    if (arguments.p)
        r = check_strings(&arguments, what, reterr);
    if (r == 0)
        r = check_required(prompt, arguments, reterr);
    if (r == 0)
        r = make_reading_call(dialog, &mcph_target_prompt, mcph_block_ref(block),
                              mcph_span_str(mcph_tool_original(prompt)), arguments, ret,
                              reterr);
    mcph_catalog_unref(catalog);
    return r;
}

/* ---- completion -------------------------------------------------------------------- */

/* Writes the params of completion/complete. */
static int
write_completion(struct mcph_buf *buf, const char *type, const char *key,
                 struct mcph_span ref, const struct mcph_completion *wanted)
{
    mcph_buf_addf(buf, "{\"ref\":{\"type\":\"%s\",\"%s\":", type, key);
    mcph_json_add_string(buf, ref.p, ref.len);
    mcph_buf_adds(buf, "},\"argument\":{\"name\":");
    mcph_json_add_string(buf, wanted->argument.p, wanted->argument.len);
    mcph_buf_adds(buf, ",\"value\":");
    mcph_json_add_string(buf, wanted->value.p, wanted->value.len);
    mcph_buf_addc(buf, '}');
    if (wanted->context.p) {
        mcph_buf_adds(buf, ",\"context\":{\"arguments\":");
        mcph_buf_add(buf, wanted->context.p, wanted->context.len);
        mcph_buf_addc(buf, '}');
    }
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}

static int
check_completion(struct mcph_completion *wanted, mcphost_error **reterr)
{
    int r = check_text(wanted->argument, VALUE_MAX, "the name of the argument", reterr);

    if (r == 0)
        r = check_text(wanted->value, VALUE_MAX, "the value", reterr);
    if (r == 0 && wanted->context.p)
        r = check_strings(&wanted->context, "the context", reterr);
    return r;
}

/* Makes a call that completes a value.  Takes over the reference to `block`. */
static int
make_completion(mcphost_dialog *dialog, struct mcph_block *block, bool prompt,
                struct mcph_span ref, const struct mcph_completion *wanted,
                mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_buf params;
    int r;

    mcph_buf_init(&params, SIZE_MAX / 4);
    if (write_completion(&params, prompt ? "ref/prompt" : "ref/resource",
                         prompt ? "name" : "uri", ref, wanted) == 0) {
        r = make_reading_call(dialog, &mcph_target_completion, block, wanted->argument,
                              mcph_span(params.data, params.len), ret, reterr);
    } else {
        mcph_block_unref(block);
        r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(&params);
    return r;
}

int
mcph_call_complete_template(mcphost_dialog *dialog, const char *server,
                            struct mcph_span template, struct mcph_completion wanted,
                            mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    int r = mcph_uri_check(template, reterr);

    if (r == 0)
        r = check_completion(&wanted, reterr);
    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r == 0)
        r = make_completion(dialog, block, false, template, &wanted, ret, reterr);
    return r;
}

int
mcph_call_complete_prompt(mcphost_dialog *dialog, const char *name,
                          struct mcph_completion wanted, mcphost_call **ret,
                          mcphost_error **reterr)
{
    struct mcph_block *block;
    const mcphost_tool *prompt;
    mcphost_catalog *catalog;
    int r = check_completion(&wanted, reterr);

    if (r == 0)
        r = find_prompt(dialog, name, &catalog, &prompt, &block, reterr);
    if (r < 0)
        return r;
    r = make_completion(dialog, mcph_block_ref(block), true,
                        mcph_span_str(mcph_tool_original(prompt)), &wanted, ret, reterr);
    mcph_catalog_unref(catalog);
    return r;
}

/* ---- tasks ------------------------------------------------------------------------- */

static int
check_task_id(struct mcph_span id, mcphost_error **reterr)
{
    if (id.len == 0)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the id of a task is empty");
    return check_text(id, MCPH_TASK_ID_MAX, "the id of the task", reterr);
}

int
mcph_call_make_for_task(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                        const char *server, const char *id, struct mcph_span responses,
                        mcphost_call **ret, mcphost_error **reterr)
{
    struct mcph_block *block;
    mcphost_call *call;
    int r = check_task_id(mcph_span_str(id), reterr);

    if (r == 0 && responses.p)
        r = mcph_json_check_input(responses, 0, MCPH_JSON_OBJECT, "the responses",
                                  &responses, reterr);
    if (r == 0)
        r = mcph_dialog_find_server(dialog, server, &block, reterr);
    if (r == 0)
        r = make_reading_call(dialog, kind, block, mcph_span_str(id), responses, &call,
                              reterr);
    if (r < 0)
        return r;
    if (mcph_task_new(call, mcph_span_str(id), &call->task) < 0) {
        mcph_call_put(call);
        return mcph_err_nomem(reterr);
    }
    *ret = call;
    return 0;
}
