/* SPDX-License-Identifier: MIT
 *
 * sd-event.c - a host in an event loop of libsystemd.
 *
 *   sd-event DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/adapters/sd-event.h>
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
    mcphost_close(host); /* the loop goes on until all servers have ended */
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

static void
on_ended(mcphost *ended, int code, void *arg)
{
    (void)ended;
    (void)code; /* MCPHOST_E_CLOSED */
    sd_event_exit((sd_event *)arg, 0);
}

int
main(int argc, char **argv)
{
    struct mcphost_sd_event *attached = NULL;
    sd_event *event = NULL;
    int r;

    if (argc != 4)
        return 2;
    args = argv;
    if (sd_event_default(&event) < 0)
        return 1;
    r = mcphost_new(&host, NULL);
    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = mcphost_load_workspace(host, argv[1], NULL, NULL);
    if (r == 0)
        r = mcphost_dialog_new(mcphost_default_view(host), "me", NULL, &dialog, NULL);
    if (r == 0)
        r = mcphost_sd_event_attach(host, event, on_ended, event, &attached);
    if (r < 0)
        fprintf(stderr, "sd-event: %s\n", mcphost_strerror(r));
    else
        sd_event_loop(event);
    mcphost_sd_event_detach(attached);
    sd_event_unref(event);
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    return status;
}
