/* SPDX-License-Identifier: MIT
 *
 * passing.c - pass requests of a client on as calls of its dialog.
 *
 * Results are passed back as the server wrote them.  The connection adds the members that
 * the client's version of the protocol requires.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

static void
passed_free(void *arg)
{
    struct mcph_passed *passed = arg;

    mcph_list_remove(&passed->link);
    mcph_call_put(passed->call);
    mcph_serving_unref(passed->serving);
    free(passed);
}

struct mcph_passed *
mcph_pass_find(const mcphost_serving *serving, const mcphost_call *call)
{
    mcph_list_for_each (it, &serving->passed) {
        struct mcph_passed *passed = MCPH_LIST_ENTRY(it, struct mcph_passed, link);

        if ((!call || passed->call == call) && passed->served)
            return passed;
    }
    return NULL;
}

/* ---- the answer -------------------------------------------------------------------- */

static void
on_done(mcphost_call *call, void *arg)
{
    struct mcph_passed *passed = arg;
    struct mcph_served *served = passed->served;
    const mcphost_result *result = call->result;

    mcph_pass_unask(passed, NULL);
    passed->served = NULL;
    mcph_list_remove(&passed->link);
    if (!served)
        return;
    if (result)
        mcph_served_answer(served, result->frame, result->json);
    else
        mcph_served_fail(served, mcphost_error_get_code(call->error), call->error);
}

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t len, void *arg)
{
    struct mcph_passed *passed = arg;

    (void)call;
    (void)len;
    if (passed->served)
        mcph_served_report(passed->served, progress, total, message);
}

/* ---- the call ---------------------------------------------------------------------- */

static int
make_tool(mcphost_dialog *dialog, const struct mcph_served *served, mcphost_call **ret,
          mcphost_error **reterr)
{
    mcphost_tool *tool;
    int r = mcph_call_find(dialog, served->name.p, false, &tool, reterr);

    return r < 0 ? r
                 : mcph_call_make(dialog, tool, served->arguments.p,
                                  served->arguments.len, ret, reterr);
}

static int
make_read(mcphost_dialog *dialog, const struct mcph_served *served, mcphost_call **ret,
          mcphost_error **reterr)
{
    mcphost_catalog *catalog;
    struct mcph_buf server;
    int r = mcph_dialog_look_open(dialog, &catalog, reterr);

    if (r < 0)
        return r;
    mcph_buf_init(&server, SIZE_MAX / 4);
    r = mcph_offer_find_uri(catalog, served->name, &server);
    mcph_catalog_unref(catalog);
    if (r == 0)
        r = mcph_call_make_read(dialog, server.data, served->name, ret, reterr);
    else
        mcph_err(reterr, r, "there is no resource '%.200s'", served->name.p);
    mcph_buf_done(&server);
    return r;
}

static int
make_completion(mcphost_dialog *dialog, const struct mcph_served *served,
                mcphost_call **ret, mcphost_error **reterr)
{
    const struct mcph_completion wanted = {.argument = served->argument,
                                           .value = served->value,
                                           .context = served->arguments};
    mcphost_catalog *catalog;
    mcphost_tool *template;
    char *server;
    int r;

    if (served->kind == MCPHOST_FEATURE_PROMPT)
        return mcph_call_complete_prompt(dialog, served->name.p, wanted, ret, reterr);
    r = mcph_dialog_look_open(dialog, &catalog, reterr);
    if (r < 0)
        return r;
    template = mcph_offer_find_template(catalog, served->name.p);
    server = template ? mcph_strdup(mcph_block_key(template->block)) : NULL;
    mcph_catalog_unref(catalog);
    r = server ? mcph_call_complete_template(dialog, server, served->name, wanted, ret,
                                             reterr)
               : mcph_err(reterr, MCPHOST_E_NOTFOUND, "there is no template '%.200s'",
                          served->name.p);
    free(server);
    return r;
}

static int
make_call(mcphost_dialog *dialog, const struct mcph_served *served, mcphost_call **ret,
          mcphost_error **reterr)
{
    switch (served->method) {
    case MCPH_PROVIDE_CALL:
        return make_tool(dialog, served, ret, reterr);
    case MCPH_PROVIDE_READ:
        return make_read(dialog, served, ret, reterr);
    case MCPH_PROVIDE_GET:
        return mcph_call_make_prompt(dialog, served->name.p, served->arguments, ret,
                                     reterr);
    default:
        return make_completion(dialog, served, ret, reterr);
    }
}

/* Passes on the members of `_meta` that do not belong to the protocol.  Returns 0 or the
 * code of the error. */
static int
set_meta(mcphost_call *call, struct mcph_span meta, mcphost_error **reterr)
{
    struct mcph_buf buf;
    int r = 0;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    if (mcph_meta_add_free(&buf, meta) < 0)
        r = mcph_err_nomem(reterr);
    else if (buf.len > 2)
        r = mcph_call_set_meta(call, buf.data, buf.len, reterr);
    mcph_buf_done(&buf);
    return r;
}

static int
start_call(struct mcph_passed *passed, mcphost_error **reterr)
{
    mcphost_call *call = passed->call;
    int r = 0;

    if (passed->served->level > 0)
        call->log_level = (uint8_t)passed->served->level;
    if (passed->served->wants_progress) {
        r = mcph_progress_set(call, on_progress, passed, NULL);
        if (r < 0)
            return mcph_err_nomem(reterr);
        call->progress_wanted = true;
    }
    r = mcph_call_submit(call, on_done, passed, passed_free);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

int
mcph_pass_begin(struct mcph_service *service, struct mcph_served *served,
                mcphost_error **reterr)
{
    mcphost_serving *serving = mcph_serving_of(service);
    struct mcph_passed *passed = calloc(1, sizeof(*passed));
    int r;

    if (!passed)
        return mcph_err_nomem(reterr);
    mcph_list_init(&passed->link);
    mcph_list_init(&passed->asked);
    passed->serving = mcph_serving_ref(serving);
    passed->served = served;
    r = make_call(serving->dialog, served, &passed->call, reterr);
    if (r == 0 && served->meta.p)
        r = set_meta(passed->call, served->meta, reterr);
    if (r == 0)
        r = start_call(passed, reterr);
    if (r < 0) {
        passed_free(passed);
        return r;
    }
    mcph_list_append(&serving->passed, &passed->link);
    served->carried = passed;
    return 0;
}

void
mcph_pass_abandon(struct mcph_service *service, struct mcph_served *served)
{
    struct mcph_passed *passed = served->carried;

    (void)service;
    mcph_pass_unask(passed, NULL);
    passed->served = NULL;
    (void)mcph_call_request_cancel(passed->call);
}
