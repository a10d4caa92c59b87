/* SPDX-License-Identifier: MIT
 *
 * host.c - one host, from its configuration to its end.
 *
 *   load_config -> open -> [turn]* -> close
 *
 * Signals arrive through a descriptor that is polled together with the host's descriptor.
 * The first SIGINT, SIGTERM or SIGHUP stops the servers in an orderly way.  A second
 * signal kills the servers.  A SIGINT that cancels questions (ask.h) does not count.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "ctl.h"
#include "names.h"
#include "words.h"

/* The wanted limit of open files.  The limit is not higher, because servers inherit it
 * and some programs try all descriptors below their limit. */
#define WANTED_FILES ((rlim_t)65536)
/* Time limits in ms.  CLOSE_MS is the limit for an orderly end of all servers.  In the
 * command `serve`, SERVE_EOF_MS and SERVE_TERM_MS are the limits of the first two steps
 * that stop a server.  The library's own limits of these steps are 4 s together. */
#define CLOSE_MS      15000
#define SERVE_EOF_MS  800
#define SERVE_TERM_MS 500

/* ---- configuration ----------------------------------------------------------------- */

/* Sets the era of --era, unless `r`, the result of making the configuration, is < 0. */
static int
set_era(struct ctl *ctl, int r)
{
    return r < 0 || ctl->opt.era < 0 ? r
                                     : mcphost_config_set_era(ctl->config, ctl->opt.era);
}

static int
load_stdio(struct ctl *ctl)
{
    mcphost_error *err = NULL;
    const char *reason;
    char **words;
    int r;

    if (words_split(ctl->opt.stdio, &words, &reason) < 0) {
        say(ctl, "--stdio: %s", reason);
        return STATUS_USAGE;
    }
    if (!words[0] || !*words[0]) {
        say(ctl, "--stdio needs a command");
        words_free(words);
        return STATUS_USAGE;
    }
    r = mcphost_config_new_stdio("stdio", (const char *const *)words, ctl->opt.directory,
                                 &ctl->config, &err);
    words_free(words);
    r = set_era(ctl, r);
    if (r == 0)
        return 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return STATUS_CONFIG;
}

static int
load_url(struct ctl *ctl)
{
    mcphost_error *err = NULL;
    int r;

    if (ctl->opt.sse)
        r = mcphost_config_new_sse("url", ctl->opt.url, ctl->opt.headers,
                                   ctl->opt.directory, &ctl->config, &err);
    else
        r = mcphost_config_new_http("url", ctl->opt.url, ctl->opt.headers,
                                    ctl->opt.directory, &ctl->config, &err);
    r = set_era(ctl, r);
    if (r == 0)
        return 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return r == MCPHOST_E_INVALID || r == MCPHOST_E_CONFIG ? STATUS_USAGE : STATUS_CONFIG;
}

int
ctl_pick_server(struct ctl *ctl, mcphost_config **config)
{
    mcphost_config *one = NULL;
    int r = mcphost_config_pick_server(*config, ctl->only, &one);

    if (r == MCPHOST_E_NOTFOUND) {
        say(ctl, "server '%s' was removed from the file", ctl->only);
        return STATUS_CONFIG;
    }
    if (r < 0)
        return out_of_memory(ctl);
    mcphost_config_unref(*config);
    *config = one;
    return 0;
}

const char *
ctl_directory(const struct ctl *ctl)
{
    if (ctl->directory)
        return ctl->directory;
    return ctl->opt.directory ? ctl->opt.directory : ".";
}

const char *
ctl_file(const struct ctl *ctl)
{
    return ctl->default_is_empty || ctl->default_may_lack
               ? ctl->sources[0].path
               : mcphost_config_get_file(ctl->config);
}

int
ctl_follows_file(const struct ctl *ctl)
{
    return ctl->follow && !ctl->opt.stdio && !ctl->opt.url && !ctl->default_is_empty;
}

/* Returns the transports that the options allow.  HTTP+SSE is allowed only if the user
 * asks for it. */
unsigned
ctl_transports(const struct ctl *ctl)
{
    return MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP |
           (ctl->opt.sse ? MCPHOST_ALLOW_SSE : 0u);
}

/* Makes an empty configuration, for a default source that the command does not use. */
static int
load_nothing(struct ctl *ctl)
{
    static const char text[] = "version: 1\n";
    int r = mcphost_config_load_memory(text, sizeof(text) - 1, NULL, ctl_directory(ctl),
                                       &ctl->config, NULL);

    return r < 0 ? out_of_memory(ctl) : 0;
}

static int
load_default(struct ctl *ctl)
{
    const char *directory = ctl_directory(ctl);
    mcphost_error *err = NULL;
    struct stat st;
    int r;

    /* For the library, a directory that does not exist is a workspace without
     * configuration.  Here, the missing directory is an error, because the user has
     * probably mistyped its name. */
    if (stat(directory, &st) < 0 || !S_ISDIR(st.st_mode)) {
        say(ctl, "'%s' is not a directory", directory);
        return STATUS_USAGE;
    }
    if (ctl->only_in || ctl->default_is_empty)
        return load_nothing(ctl);
    if (ctl->opt.stdio)
        return load_stdio(ctl);
    if (ctl->opt.url)
        return load_url(ctl);
    r = ctl_read_file(ctl, ctl->opt.config, &ctl->config, &err);
    if (r == 0)
        return ctl->only ? ctl_pick_server(ctl, &ctl->config) : 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return STATUS_CONFIG;
}

int
ctl_load_config(struct ctl *ctl)
{
    int r = load_default(ctl);

    return r ? r : sources_load(ctl);
}

static void
say_lacks(struct ctl *ctl, const mcphost_config *config, const char *path)
{
    say_all_diagnostics(config);
    if (path && mcphost_config_count_diagnostics(config) == 0 &&
        mcphost_config_count_servers(config) == 0)
        say(ctl, "no servers in %s", path);
}

static void
say_diagnostics(struct ctl *ctl)
{
    int is_quiet = ctl->only_in || ctl->default_is_empty || ctl->default_may_lack;

    say_lacks(ctl, ctl->config, is_quiet ? NULL : mcphost_config_get_file(ctl->config));
    for (size_t i = 0; i < ctl->n_sources; i++) {
        if (ctl->sources[i].config)
            say_lacks(ctl, ctl->sources[i].config, ctl->sources[i].path);
    }
}

/* ---- events ------------------------------------------------------------------------ */

void
say_starting(struct ctl *ctl)
{
    mcphost_status *status = NULL;
    struct text names = {0};
    size_t n, starting = 0;
    char name[NAME_SIZE];

    if (ctl->ready || ctl->quiet || mcphost_get_status(ctl->host, &status) < 0)
        return;
    n = mcphost_status_count_servers(status);
    for (size_t i = 0; i < n; i++) {
        if (mcphost_status_server_get_state(status, i) != MCPHOST_SERVER_STARTING)
            continue;
        text_printf(&names, "%s%s", starting ? ", " : "",
                    full_name(name, mcphost_status_server_get_source_id(status, i),
                              mcphost_status_server_get_id(status, i)));
        starting++;
    }
    if (starting && !text_failed(&names))
        say_status(ctl, "starting servers (%zu of %zu): %s", n - starting, n, names.data);
    text_free(&names);
    mcphost_status_unref(status);
}

static void
show_progress(struct ctl *ctl, const mcphost_event *event)
{
    const char *text = mcphost_event_get_text(event);
    double total = mcphost_event_get_total(event);
    double progress = mcphost_event_get_progress(event);

    if (!ctl->call_shown)
        return;
    if (total > 0)
        say_status(ctl, "%3.0f %%  %s", 100 * progress / total, text ? text : "");
    else
        say_status(ctl, "%g  %s", progress, text ? text : "");
}

static void
keep_applied(struct ctl *ctl, const mcphost_event *event)
{
    if (mcphost_event_get_state(event) == 0)
        source_keep_applied(ctl, mcphost_event_get_source_id(event),
                            mcphost_event_get_config(event));
}

static void
show_log(struct ctl *ctl, const mcphost_event *event)
{
    char name[NAME_SIZE];
    const char *server = full_name(name, mcphost_event_get_source_id(event),
                                   mcphost_event_get_server_id(event));
    const char *text = mcphost_event_get_text(event);
    size_t len = 0;
    const char *data = mcphost_event_get_data(event, &len);

    if (text)
        say_server(ctl, server, text, strlen(text));
    else if (data)
        say_server(ctl, server, data, len);
}

static void
set_ready(struct ctl *ctl)
{
    ctl->ready = 1;
    say_status_end(ctl);
}

static void
on_event(const mcphost_event *event, void *arg)
{
    struct ctl *ctl = arg;

    switch (mcphost_event_get_kind(event)) {
    case MCPHOST_EVENT_READY:
        /* With plugins, ignore this event, because it comes before the configuration is
         * loaded. */
        if (!ctl->plugins)
            set_ready(ctl);
        break;
    case MCPHOST_EVENT_SETTLED:
        ctl->settled = mcphost_event_get_serial(event);
        if (ctl->ready_at && ctl->settled >= ctl->ready_at && !ctl->ready)
            set_ready(ctl);
        break;
    case MCPHOST_EVENT_PLUGINS:
        ctl->plugins_settled = 1;
        break;
    case MCPHOST_EVENT_SERVER:
        say_starting(ctl);
        break;
    case MCPHOST_EVENT_PROGRESS:
        show_progress(ctl, event);
        break;
    case MCPHOST_EVENT_LOG:
        show_log(ctl, event);
        break;
    case MCPHOST_EVENT_REQUEST:
        ask_event(ctl, event);
        sample_event(ctl, event);
        break;
    case MCPHOST_EVENT_CLOSED:
        ctl->closed = 1;
        break;
    default:
        break;
    }
    if (ctl->on_event)
        ctl->on_event(ctl, event);
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CONFIG)
        keep_applied(ctl, event);
}

/* Prints a line of the library's log.  The library holds no lock during this function.
 * Nevertheless the function may call only getters, mcphost_free() and *_unref(). */
static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    struct ctl *ctl = arg;

    /* Without a second -v, leave out the library's debug lines, because they would hide
     * the messages of the protocol. */
    if (level == MCPHOST_LOG_DEBUG && ctl->opt.verbose < 2)
        return;
    say(ctl, "[%s] %s%s%s", room, server ? server : "", server ? ": " : "", line);
}

/* ---- the host ---------------------------------------------------------------------- */

static void
raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= WANTED_FILES)
        return;
    limit.rlim_cur = limit.rlim_max < WANTED_FILES ? limit.rlim_max : WANTED_FILES;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Uses the guard beside this program, as in the build tree.  If there is no guard beside
 * this program, the library uses the guard with which it was installed. */
static int
set_guard(struct ctl *ctl)
{
    static const char name[] = "mcphost-guard";
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(name));
    char *slash;

    if (n <= 0 || (size_t)n >= sizeof(path) - sizeof(name))
        return 0;
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return 0;
    memcpy(slash + 1, name, sizeof(name));
    return access(path, X_OK) < 0 ? 0 : mcphost_set_guard_path(ctl->host, path);
}

static int
catch_signals(struct ctl *ctl)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGPIPE, &ignore, NULL) < 0)
        return -1;
    ctl->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return ctl->signal_fd;
}

/* Sets the time limits for the end of servers in the command `serve`.  The MCP client
 * that started mcphostctl gives mcphostctl about 2 s to end.  With these limits, the
 * host's servers end in that time. */
static int
set_patience(mcphost *host)
{
    int r = mcphost_set_option(host, MCPHOST_OPT_STOP_EOF, SERVE_EOF_MS);

    return r < 0 ? r : mcphost_set_option(host, MCPHOST_OPT_STOP_TERM, SERVE_TERM_MS);
}

static int
set_up(struct ctl *ctl, int64_t requests, mcphost_error **reterr)
{
    int r = mcphost_set_identity(ctl->host, "mcphostctl", MCPHOST_VERSION_STRING, NULL);

    if (r == 0)
        r = set_guard(ctl);
    if (r == 0)
        r = mcphost_set_event(ctl->host, on_event, ctl, NULL);
    if (r == 0 && ctl->opt.verbose)
        r = mcphost_set_log(ctl->host, MCPHOST_LOG_TRACE, on_log, ctl, NULL);
    if (r == 0 && ctl->opt.admin && !sources_have_tools(ctl))
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_ADMIN_TOOLS, 1);
    if (r == 0)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_NAMES, ctl->opt.names);
    if (r == 0)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_REQUESTS, requests);
    if (r == 0)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_ITEM_TYPES, MCPHOST_ITEMS_ALL);
    if (r == 0)
        r = mcphost_set_option(ctl->host, MCPHOST_OPT_TRANSPORTS, ctl_transports(ctl));
    if (r == 0)
        r = login_set_up(ctl, reterr);
    if (r == 0 && ctl->opt.serve_stdio)
        r = set_patience(ctl->host);
    if (r < 0)
        return r;
    cache_load(ctl);
    r = plugins_open(ctl, reterr);
    if (r < 0 || ctl->without_servers)
        return r;
    if (ctl_follows_file(ctl))
        r = file_follow(ctl, mcphost_default_source(ctl->host), ctl->opt.config, reterr);
    else
        r = file_load(ctl, mcphost_default_source(ctl->host), ctl->opt.config,
                      ctl->config);
    if (r == 0)
        r = sources_open(ctl, reterr);
    if (r == 0 && ctl->plugins)
        ctl->ready_at = mcphost_get_order_serial(ctl->host);
    return r;
}

int
ctl_open(struct ctl *ctl)
{
    mcphost_error *err = NULL;
    int64_t requests = 0;
    int r = ctl->without_servers ? 0 : ctl_load_config(ctl);

    if (r == 0)
        r = ask_open(ctl, &requests);
    if (r == 0)
        r = sample_open(ctl, &requests);
    /* Tell the servers that the host answers all kinds of requests.  The host passes the
     * requests on to the client, and the client decides which requests it answers. */
    if (ctl->opt.serve_stdio)
        requests = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL | MCPHOST_REQUEST_SAMPLING |
                   MCPHOST_REQUEST_SAMPLING_TOOLS | MCPHOST_REQUEST_ROOTS;
    if (r)
        return r;
    if (!ctl->quiet && !ctl->without_servers)
        say_diagnostics(ctl);
    raise_file_limit();
    if (catch_signals(ctl) < 0) {
        say(ctl, "cannot catch signals: %s", strerror(errno));
        return STATUS_SERVER;
    }
    r = mcphost_new(&ctl->host, &err);
    if (r == 0)
        r = set_up(ctl, requests, &err);
    if (r < 0 && r != MCPHOST_E_CANCELLED)
        say_error(ctl, r, err);
    mcphost_error_unref(err);
    if (r == MCPHOST_E_CANCELLED)
        return status_of(ctl, r);
    return r < 0 ? STATUS_SERVER : 0;
}

/* ---- the end ----------------------------------------------------------------------- */

static int
until_closed(struct ctl *ctl, void *arg)
{
    (void)arg;
    return ctl->closed;
}

void
ctl_begin_close(struct ctl *ctl)
{
    if (ctl->close_by == 0)
        ctl->close_by = now_ms() + CLOSE_MS;
    mcphost_close(ctl->host);
}

int64_t
ctl_close_left(const struct ctl *ctl)
{
    int64_t left = ctl->close_by - now_ms();

    if (ctl->close_by == 0)
        return -1;
    return left > 0 ? left : 0;
}

void
ctl_close(struct ctl *ctl)
{
    ask_end(ctl);
    sample_free(ctl);
    if (ctl->host) {
        cache_save(ctl);
        /* Keep the names only if all servers of one configuration were asked.  If the
         * host follows the file, the configuration may have changed during the wait.  If
         * there are plugins, not all names belong to a configuration. */
        if (ctl->ready && !ctl->only && !ctl->follow && !ctl->closed && !ctl->plugins)
            json_decref(names_keep(ctl));
        ctl_begin_close(ctl);
        ctl->n_heeded = ctl->n_signals;
        /* If a signal ends this wait, the mcphost_unref() below kills the servers. */
        if (ctl_run(ctl, until_closed, NULL, ctl_close_left(ctl)) == 0)
            say(ctl, "the servers did not end within %d s and are killed",
                CLOSE_MS / 1000);
    }
    say_status_end(ctl);
    sources_close(ctl);
    plugins_close(ctl);
    ctl->host = mcphost_unref(ctl->host);
    ask_free(ctl);
    ctl->config = mcphost_config_unref(ctl->config);
    ctl->applied = mcphost_config_unref(ctl->applied);
    if (ctl->signal_fd >= 0)
        close(ctl->signal_fd);
    ctl->signal_fd = -1;
}
