/* SPDX-License-Identifier: MIT
 *
 * wait.c - wait for events, for the servers, or for one tool.
 *
 * The functions of this file sleep only in ctl_turn().
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "words.h"

/* Limit on the turns of the dispatcher that ctl_turn() runs before it polls signals and
 * other descriptors again. */
#define TURNS 64
/* Limit on the descriptors that a caller passes to ctl_turn(). */
enum { FDS_MAX = 4 };

int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int
status_of(const struct ctl *ctl, int code)
{
    if (code == MCPHOST_E_CANCELLED && ctl->signal)
        return 128 + ctl->signal;
    return code == MCPHOST_E_CONFIG ? STATUS_CONFIG : STATUS_SERVER;
}

/* ---- waiting ----------------------------------------------------------------------- */

static void
read_signals(struct ctl *ctl)
{
    struct signalfd_siginfo info;

    while (read(ctl->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGINT && ask_interrupt(ctl))
            continue;
        if (!ctl->signal)
            ctl->signal = (int)info.ssi_signo;
        ctl->n_signals++;
    }
}

/* Polls the caller's descriptors together with the descriptors of ask.c and sample.c.
 * Then reads the signals and handles the events of ask.c and sample.c.  Returns as poll()
 * does. */
static int
wait_for_any(struct ctl *ctl, struct pollfd *fds, nfds_t n, int64_t timeout_ms)
{
    struct pollfd all[FDS_MAX + ASK_FDS + SAMPLE_FDS];
    nfds_t asks = ask_poll(ctl, all + n), samples;
    int r;

    samples = sample_poll(ctl, all + n + asks, &timeout_ms);
    memcpy(all, fds, n * sizeof(*fds));
    r = poll(all, n + asks + samples, timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);
    if (r < 0)
        return r;
    memcpy(fds, all, n * sizeof(*fds));
    read_signals(ctl);
    ask_turn(ctl, all + n, asks);
    sample_turn(ctl, all + n + asks, samples);
    return r;
}

int
ctl_turn(struct ctl *ctl, struct pollfd *fds, nfds_t n, int64_t timeout_ms)
{
    int r;

    fds[0] = (struct pollfd){.fd = mcphost_get_fd(ctl->host), .events = POLLIN};
    fds[1] = (struct pollfd){.fd = ctl->signal_fd, .events = POLLIN};
    r = wait_for_any(ctl, fds, n, timeout_ms);
    if (r < 0) {
        for (nfds_t i = 2; i < n; i++)
            fds[i].revents = 0;
        return errno == EINTR ? 0 : MCPHOST_E_IO;
    }
    r = 1;
    for (int i = 0; r > 0 && i < TURNS; i++)
        r = mcphost_dispatch(ctl->host);
    if (r == MCPHOST_E_CLOSED) {
        ctl->closed = 1;
        return 0;
    }
    return r < 0 ? r : 0;
}

int
ctl_run(struct ctl *ctl, int (*until)(struct ctl *ctl, void *arg), void *arg,
        int64_t timeout_ms)
{
    int64_t end = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;

    for (;;) {
        struct pollfd fds[2];
        int64_t left = -1;
        int r;

        if (until(ctl, arg))
            return 1;
        if (ctl->closed)
            return MCPHOST_E_CLOSED;
        if (ctl->n_signals > ctl->n_heeded) {
            ctl->n_heeded = ctl->n_signals;
            return MCPHOST_E_CANCELLED;
        }
        if (end >= 0) {
            left = end - now_ms();
            if (left <= 0)
                return 0;
        }
        r = ctl_turn(ctl, fds, 2, left);
        if (r < 0)
            return r;
    }
}

/* Prints a message for each server that is still starting after the time of --timeout. */
static void
say_late(struct ctl *ctl)
{
    mcphost_status *status = NULL;
    char name[NAME_SIZE];

    if (mcphost_get_status(ctl->host, &status) < 0)
        return;
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        if (mcphost_status_server_get_state(status, i) == MCPHOST_SERVER_STARTING)
            say(ctl, "server '%s' did not come up within %g s (--timeout)",
                full_name(name, mcphost_status_server_get_source_id(status, i),
                          mcphost_status_server_get_id(status, i)),
                (double)ctl->opt.timeout_ms / 1000);
    mcphost_status_unref(status);
}

static int
until_ready(struct ctl *ctl, void *arg)
{
    (void)arg;
    return ctl->ready;
}

int
ctl_wait_ready(struct ctl *ctl)
{
    int r;

    say_starting(ctl);
    r = ctl_run(ctl, until_ready, NULL, ctl->opt.timeout_ms);
    say_status_end(ctl);
    if (r == 0)
        say_late(ctl);
    if (r >= 0)
        return 0;
    if (r != MCPHOST_E_CANCELLED)
        say_error(ctl, r, NULL);
    return status_of(ctl, r);
}

int
ctl_start(struct ctl *ctl, mcphost_catalog **ret)
{
    int status = ctl_open(ctl);

    if (status == 0)
        status = ctl_wait_ready(ctl);
    if (status == 0 && ret &&
        mcphost_view_get_catalog(mcphost_default_view(ctl->host), ret) < 0)
        status = out_of_memory(ctl);
    return status;
}

/* ---- waiting for one tool ---------------------------------------------------------- */

struct wanted {
    const char *name;
    mcphost_tool *tool;
};

/* Returns true if every server that comes before the tool's own server in the list of
 * servers has come up or failed.  Until then, one of these servers can still take the
 * tool's name. */
static int
is_certain(struct ctl *ctl, const mcphost_tool *tool)
{
    const char *owner = mcphost_tool_get_server_id(tool);
    struct source *source = source_find(ctl, mcphost_tool_get_source_id(tool));
    mcphost_status *status = NULL;
    int certain = 1;

    if (ctl->ready || !owner)
        return 1;
    if (mcphost_get_status(ctl->host, &status) < 0)
        return 0;
    for (size_t i = 0; i < mcphost_status_count_servers(status) && certain; i++) {
        const char *id = mcphost_status_server_get_id(status, i);
        const char *source_id = mcphost_status_server_get_source_id(status, i);

        if (strcmp(id, owner) == 0 && source_find(ctl, source_id) == source)
            break;
        certain = mcphost_status_server_get_state(status, i) != MCPHOST_SERVER_STARTING;
    }
    mcphost_status_unref(status);
    return certain;
}

static int
until_tool(struct ctl *ctl, void *arg)
{
    struct wanted *wanted = arg;
    mcphost_catalog *catalog = NULL;
    mcphost_tool *tool;

    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) == 0) {
        tool = mcphost_catalog_find_tool(catalog, wanted->name);
        if (tool && is_certain(ctl, tool))
            wanted->tool = mcphost_tool_ref(tool);
        mcphost_catalog_unref(catalog);
    }
    return wanted->tool || ctl->ready;
}

/* Prints the errors of the servers.  Then prints that no tool has the name `name`, and
 * suggests a similar name if there is one.  Returns the exit status. */
static int
no_such_tool(struct ctl *ctl, const char *name)
{
    int status = ctl_servers_status(ctl, 1);
    mcphost_catalog *catalog = NULL;
    const char **names = NULL;
    const char *meant = NULL;
    size_t n;

    if (mcphost_view_get_catalog(mcphost_default_view(ctl->host), &catalog) == 0) {
        n = mcphost_catalog_count_tools(catalog);
        names = calloc(n + 1, sizeof(*names));
        for (size_t i = 0; names && i < n; i++)
            names[i] = mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i));
    }
    if (names)
        meant = words_suggest(name, names);
    say(ctl, "no tool '%s'%s%s%s", name, meant ? "; did you mean '" : "",
        meant ? meant : "", meant ? "'?" : "");
    free(names);
    mcphost_catalog_unref(catalog);
    return status ? status : STATUS_USAGE;
}

int
ctl_wait_tool(struct ctl *ctl, const char *name, mcphost_tool **ret_tool)
{
    struct wanted wanted = {.name = name};
    int r;

    say_starting(ctl);
    r = ctl_run(ctl, until_tool, &wanted, ctl->opt.timeout_ms);
    say_status_end(ctl);
    if (r == 0)
        say_late(ctl);
    if (wanted.tool) {
        *ret_tool = wanted.tool;
        return 0;
    }
    if (r >= 0)
        return no_such_tool(ctl, name);
    if (r != MCPHOST_E_CANCELLED)
        say_error(ctl, r, NULL);
    return status_of(ctl, r);
}

/* Returns STATUS_CONFIG if a configuration was rejected as a whole, else STATUS_OK. */
static int
config_status(const struct ctl *ctl)
{
    int bad = mcphost_config_get_status(ctl->config) < 0;

    for (size_t i = 0; i < ctl->n_sources; i++) {
        const mcphost_config *config = ctl->sources[i].config;

        bad |= config && mcphost_config_get_status(config) < 0;
    }
    return bad ? STATUS_CONFIG : STATUS_OK;
}

int
ctl_servers_status(struct ctl *ctl, int tell)
{
    mcphost_status *status = NULL;
    int worst = config_status(ctl);
    char name[NAME_SIZE];

    if (mcphost_get_status(ctl->host, &status) < 0)
        return STATUS_SERVER;
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        int state = mcphost_status_server_get_state(status, i);
        mcphost_error *err = mcphost_status_server_get_error(status, i);

        if (state == MCPHOST_SERVER_LOADED || state == MCPHOST_SERVER_DISABLED)
            continue;
        if (state != MCPHOST_SERVER_CONFIG_INVALID)
            worst = STATUS_SERVER;
        else if (worst == STATUS_OK)
            worst = STATUS_CONFIG;
        /* Skip the servers that were reported before: a diagnostic reports an invalid
         * server, and say_late() reports a starting server. */
        if (!tell || state == MCPHOST_SERVER_CONFIG_INVALID ||
            state == MCPHOST_SERVER_STARTING)
            continue;
        if (err)
            say_error(ctl, mcphost_error_get_code(err), err);
        else
            say(ctl, "server '%s' is %s",
                full_name(name, mcphost_status_server_get_source_id(status, i),
                          mcphost_status_server_get_id(status, i)),
                name_of(MCPHOST_ENUM_SERVER_STATE, state));
    }
    mcphost_status_unref(status);
    return worst;
}
