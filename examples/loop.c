/* SPDX-License-Identifier: MIT
 *
 * loop.c - a host inside a poll() loop of an application.
 *
 *   loop DIR
 *
 * Each line of standard input is a tool's name, a blank, and the tool's arguments as
 * JSON.  A line with the name alone gives no arguments.  The program reads input after
 * all servers have started or failed.  Calls run at the same time.  The program prints
 * each result when its call ends.  Servers may start and stop in the meantime.
 *
 * The program sleeps only in poll().  The library works only in mcphost_dispatch().
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

static int calls; /* number of running calls */
static int ready; /* every server has started or failed */

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    switch (mcphost_event_get_kind(event)) {
    case MCPHOST_EVENT_READY:
        ready = 1;
        puts("all servers came up or failed");
        break;
    case MCPHOST_EVENT_CATALOG:
        printf("the tools changed: catalog %llu\n",
               (unsigned long long)mcphost_event_get_version(event));
        break;
    case MCPHOST_EVENT_PROBLEM:
        printf("problem: %s\n",
               mcphost_problem_get_message(mcphost_event_get_problem(event)));
        break;
    default:
        break;
    }
}

static void
on_done(mcphost_call *call, void *arg)
{
    mcphost_result *result = mcphost_call_get_result(call);
    size_t len = 0;

    (void)arg;
    calls--;
    printf("%s: ", mcphost_tool_get_name(mcphost_call_get_tool(call)));
    if (result) {
        const char *json = mcphost_result_get_json(result, &len);

        printf("%.*s\n", (int)len, json);
    } else {
        puts(mcphost_error_get_message(mcphost_call_get_error(call)));
    }
}

/* Starts the call of one input line, e.g. "tool {...}". */
static void
start_call(mcphost_dialog *dialog, char *line)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    char *arguments;
    int r;

    line[strcspn(line, "\n")] = '\0';
    arguments = line + strcspn(line, " ");
    if (*arguments)
        *arguments++ = '\0';
    r = mcphost_call_new(dialog, line, *arguments ? arguments : "{}",
                         *arguments ? strlen(arguments) : 2, &call, &err);
    if (r == 0)
        r = mcphost_call_start(call, on_done, NULL, NULL);
    if (r == 0)
        calls++;
    else
        printf("%s: %s\n", line,
               err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    mcphost_call_unref(call); /* the host holds its own reference */
}

/* Reads the available input and starts the calls of its complete lines.  Returns 0 at the
 * end of the input, after an error, or if a line is too long for the buffer. */
static int
read_lines(mcphost_dialog *dialog)
{
    static char data[65536];
    static size_t len;
    ssize_t n = read(STDIN_FILENO, data + len, sizeof(data) - 1 - len);
    char *end;

    if (n <= 0)
        return 0;
    len += (size_t)n;
    data[len] = '\0';
    for (end = strchr(data, '\n'); end; end = strchr(data, '\n')) {
        *end = '\0';
        start_call(dialog, data);
        len -= (size_t)(end + 1 - data);
        memmove(data, end + 1, len + 1);
    }
    return len < sizeof(data) - 1;
}

static int
run(mcphost *host, mcphost_dialog *dialog)
{
    struct pollfd fds[2] = {{.fd = mcphost_get_fd(host), .events = POLLIN},
                            {.events = POLLIN}};
    int ended = 0, r;

    for (;;) {
        fds[1].fd = ready && !ended ? STDIN_FILENO : -1;
        if (poll(fds, 2, -1) < 0)
            return 1;
        if (fds[1].revents)
            ended = !read_lines(dialog);
        r = mcphost_dispatch(host);
        if (r == MCPHOST_E_CLOSED)
            return 0;
        if (r < 0)
            return 1;
        if (ended && calls == 0)
            mcphost_close(host); /* keep dispatching until MCPHOST_E_CLOSED */
        fflush(stdout);
    }
}

int
main(int argc, char **argv)
{
    mcphost_config *config = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, NULL);

    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = mcphost_config_load_workspace(argc > 1 ? argv[1] : ".", &config, NULL);
    if (r == 0)
        r = mcphost_load(host, config);
    if (r == 0)
        r = mcphost_dialog_new(mcphost_default_view(host), "loop", NULL, &dialog, NULL);
    if (r < 0)
        fprintf(stderr, "loop: %s\n", mcphost_strerror(r));
    r = r < 0 || run(host, dialog);
    mcphost_dialog_unref(dialog);
    mcphost_config_unref(config);
    mcphost_unref(host);
    return r;
}
