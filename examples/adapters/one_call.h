/* SPDX-License-Identifier: MIT
 *
 * one_call.h - the part that the adapters' examples share: a host that calls one tool.
 *
 * The examples differ only in the loop that drives the host.
 */
#ifndef ONE_CALL_H
#define ONE_CALL_H

#include <stdio.h>
#include <string.h>

#include <mcphost/mcphost.h>

static mcphost *host;
static mcphost_dialog *dialog;
static char **args;
static int status = 1;

static void
on_done(mcphost_call *call, void *arg)
{
    mcphost_result *result = mcphost_call_get_result(call);

    (void)arg;
    if (result) {
        puts(mcphost_result_get_json(result, NULL));
        status = mcphost_result_is_error(result);
    } else {
        fprintf(stderr, "%s\n", mcphost_error_get_message(mcphost_call_get_error(call)));
    }
    mcphost_close(host); /* the loop continues until all servers have ended */
}

static void
start_call(void)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new(dialog, args[2], args[3], strlen(args[3]), &call, &err);

    if (r == 0)
        r = mcphost_call_start(call, on_done, NULL, NULL);
    if (r < 0) {
        fprintf(stderr, "%s\n",
                err ? mcphost_error_get_message(err) : mcphost_strerror(r));
        mcphost_close(host);
    }
    mcphost_error_unref(err);
    mcphost_call_unref(call); /* the host holds its own reference */
}

static void
on_event(const mcphost_event *event, void *arg)
{
    static int started;

    (void)arg;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_READY && !started) {
        started = 1;
        start_call();
    }
}

/* Makes the host of the workspace argv[1].  The host calls the tool argv[2] with the
 * arguments argv[3] when all servers have started or failed.  Returns 0 or a negative
 * code. */
static int
open_host(char **argv)
{
    int r;

    args = argv;
    r = mcphost_new(&host, NULL);
    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = mcphost_load_workspace(host, argv[1], NULL, NULL);
    if (r == 0)
        r = mcphost_dialog_new(mcphost_default_view(host), "me", NULL, &dialog, NULL);
    return r;
}

static void
drop_host(void)
{
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
}

#endif
