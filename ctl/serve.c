/* SPDX-License-Identifier: MIT
 *
 * serve.c - the command `serve`: offer all servers of the configuration as one server,
 * to the MCP client that has started this program.
 *
 * stdin and stdout belong to the client.  The program writes its own messages to stderr.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

struct serve {
    int over;
    int code; /* the MCPHOST_E_* with which serving ended, or 0 */
    char why[512];
};

static void
on_event(struct ctl *ctl, const mcphost_event *event)
{
    struct serve *serve = ctl->user;
    const mcphost_error *err = mcphost_event_get_error(event);

    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_SERVING ||
        mcphost_event_get_state(event) != 0)
        return;
    serve->over = 1;
    serve->code = err ? mcphost_error_get_code(err) : 0;
    if (err)
        snprintf(serve->why, sizeof(serve->why), "%s", mcphost_error_get_message(err));
}

static int
begin(struct ctl *ctl)
{
    mcphost_serving *serving = NULL;
    mcphost_error *err = NULL;
    int r = mcphost_serve_fd(mcphost_default_view(ctl->host), STDIN_FILENO, STDOUT_FILENO,
                             ctl->opt.dialog, &serving, &err);

    if (r < 0)
        say_error(ctl, r, err);
    mcphost_serving_unref(serving);
    mcphost_error_unref(err);
    return r;
}

/* Returns the exit status.  MCPHOST_E_TRANSPORT is the normal end: the connection to
 * the client has ended, usually because the client has closed its output. */
static int
end_status(struct ctl *ctl, const struct serve *serve, int r)
{
    if (ctl->signal)
        return 128 + ctl->signal;
    if (r < 0) {
        say_error(ctl, r, NULL);
        return STATUS_SERVER;
    }
    if (serve->code == 0 || serve->code == MCPHOST_E_TRANSPORT)
        return 0;
    say(ctl, "the connection to the client has ended: %s", serve->why);
    return STATUS_SERVER;
}

int
cmd_serve(struct ctl *ctl)
{
    struct serve serve = {0};
    int status, r = 0;

    if (!ctl->opt.serve_stdio) {
        say(ctl,
            "'serve' needs --stdio after it: it serves the client at stdin and stdout");
        return STATUS_USAGE;
    }
    ctl->on_event = on_event;
    ctl->user = &serve;
    ctl->follow = ctl->quiet = 1;
    status = ctl_open(ctl);
    if (status == 0)
        status = begin(ctl) < 0 ? STATUS_SERVER : 0;
    while (status == 0 && r >= 0 && !serve.over && !ctl->closed && !ctl->signal) {
        struct pollfd fds[2];

        r = ctl_turn(ctl, fds, 2, -1);
    }
    ctl->on_event = NULL;
    return status ? status : end_status(ctl, &serve, r);
}
