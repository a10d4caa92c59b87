/* SPDX-License-Identifier: MIT
 *
 * edit.c - random edits of the file, and other events.
 *
 * The other events are killed servers, lost sessions, restarts, servers that are enabled
 * or disabled through the host, dialogs that are replaced, edits of the team's file,
 * faults (faults.c), and calls of built-in tools (admin.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stress/stress.h"

static char yaml[65536];
static size_t yaml_len;

static unsigned
chance(unsigned n)
{
    return stress_random(&st.edits, n);
}

static void STRESS_PRINTF(1, 2) put(const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(yaml + yaml_len, sizeof(yaml) - yaml_len, fmt, ap);
    va_end(ap);
    STRESS_CHECK(n >= 0 && yaml_len + (size_t)n < sizeof(yaml));
    yaml_len += (size_t)n;
}

/* ---- the text ---------------------------------------------------------------------- */

static const char *
fakeserver(void)
{
    return MCPH_TEST_PROGDIR "/fakeserver";
}

static void
put_fare(int number, int fare)
{
    switch (fare) {
    case FARE_SLOWLY:
        put(", -e, on list, -e, ' delay 60', -e, ' answer'");
        break;
    case FARE_SECOND:
        put(", -e, on spawn, -e, ' once %s/once-%d', -e, ' exit 3'", st.dir, number);
        break;
    case FARE_EXIT:
        put(", -e, on spawn, -e, ' exit 3'");
        break;
    case FARE_NO_LIST:
        put(", -e, on list, -e, ' error -32000 no'");
        break;
    case FARE_BAD_LIST:
        put(", -e, on list, -e, ' result {\"tools\":7}'");
        break;
    case FARE_HANG:
        put(", -e, on discover, -e, ' delay 60000', -e, on initialize, -e, ' delay "
            "60000'");
        break;
    default:
        break;
    }
}

static void
put_tools(int number, bool second)
{
    unsigned tools = model_list(number, second);

    for (int i = 0; i < TOOL_OWN; i++)
        if (tools & 1U << i)
            put(", -e, tool %s", model_tools[i]);
    put(", -e, tool u%d", number);
}

static void
put_http(int number, int fare)
{
    bool none = fare == FARE_NO_PROGRAM;

    put("    transport: streamable_http\n");
    put("    url: 'http://127.0.0.1:%d/%s'\n", none ? 1 : http_port(number),
        none ? "none" : "mcp");
    put("    headers: {X-Launch: '%d'", number);
    if (fare == FARE_NO_ENV)
        put(", X-Token: {env: MCPHOST_STRESS_NOT_SET_%d}", number);
    put("}\n");
    if (fare == FARE_HANG)
        put("    timeouts: {start: 0.3}\n");
}

static void
put_launch(int number)
{
    const struct launch *launch = &st.launches[number];

    if (launch->http) {
        put_http(number, launch->fare);
        return;
    }
    put("    transport: stdio\n");
    if (launch->fare == FARE_NO_PROGRAM)
        put("    command: /no/such/program-%d\n", number);
    else
        put("    command: '%s'\n", fakeserver());
    put("    args: [-e, 'name %s-%d', -e, no-tools", st.tag, number);
    put_tools(number, false);
    put(", -e, set second, -e, no-tools");
    put_tools(number, true);
    put(", -e, set main");
    put(", -e, on call, -e, ' text %d %%p %%a'", number);
    put(", -e, 'on call:slow', -e, ' delay 15', -e, ' text %d %%p %%a'", number);
    put(", -e, 'on call:boom', -e, ' exit 9'");
    put(", -e, 'on call:turn', -e, ' use second', -e, ' changed', -e, ' text %d %%p %%a'",
        number);
    put_fare(number, launch->fare);
    put("]\n");
    if (launch->fare == FARE_NO_ENV)
        put("    env: {TOKEN: {env: MCPHOST_STRESS_NOT_SET_%d}}\n", number);
    if (launch->fare == FARE_HANG)
        put("    timeouts: {start: 0.3}\n");
}

static void
put_view(const struct edition *edition)
{
    const char *comma = "";

    if (edition->shared)
        put("    truely-stateless: true\n");
    if (edition->prefix)
        put("    transform: [{prefix: p%d_}]\n", edition->prefix);
    if (!edition->whitelist)
        return;
    put("    tools: {whitelist: [");
    for (int i = 0; i < N_TOOLS; i++) {
        if (!(edition->whitelist & 1U << i))
            continue;
        if (i == TOOL_OWN)
            put("%su%d", comma, edition->launch);
        else
            put("%s%s", comma, model_tools[i]);
        comma = ", ";
    }
    put("]}\n");
}

static void
put_file(void)
{
    yaml_len = 0;
    put("version: 1\nservers:\n");
    for (int i = 0; i < N_SERVERS; i++) {
        const struct entry *entry = &st.file[st.file_order[i]];

        if (!entry->present)
            continue;
        put("  s%d:\n", st.file_order[i]);
        put_launch(entry->want.launch);
        put_view(&entry->want);
        if (!entry->enabled)
            put("    enabled: false\n");
        if (entry->invalid)
            put("    %s: [7]\n",
                st.launches[entry->want.launch].http ? "sessionId" : "cwd");
    }
    put("  m%ld: {transport: stdio, command: none, enabled: false}\n", ++st.marker);
}

/* ---- the file ---------------------------------------------------------------------- */

static const char *
path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/.minds%s", st.dir, name);
    return path;
}

static void
write_text(const char *path, const char *text, size_t len, bool in_two)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t half = in_two && len > 14 ? 14 : 0; /* the first part is not a valid file */

    STRESS_CHECK(fd >= 0);
    STRESS_CHECK(write(fd, text, half) == (ssize_t)half);
    if (in_two)
        stress_pump(5);
    STRESS_CHECK(write(fd, text + half, len - half) == (ssize_t)(len - half));
    close(fd);
}

/* Saves the file like an editor.  Renames a new file over the old file, or overwrites the
 * old file. */
static void
save(const char *text, size_t len)
{
    char from[128];

    mkdir(path_of(""), 0700);
    faults_unreadable(false);
    /* While the clock is wrong, do not overwrite the file: mcph_file_sig_young() then
     * cannot see that the file has changed a moment ago, and two overwrites within one
     * tick of the kernel's clock may look like a single overwrite. */
    if (chance(3) == 0 && !faults_clock_is_set()) {
        chmod(path_of("/mcp.yaml"), 0600);
        write_text(path_of("/mcp.yaml"), text, len, chance(2));
        return;
    }
    snprintf(from, sizeof(from), "%s", path_of("/.mcp.yaml.swp"));
    write_text(from, text, len, false);
    STRESS_CHECK(rename(from, path_of("/mcp.yaml")) == 0);
}

void
edit_tell(void)
{
    if (st.mode == MODE_EXPLICIT) {
        STRESS_CHECK(mcphost_reload(st.host) == 0);
    } else if (st.mode == MODE_TURN) {
        STRESS_CHECK(mcphost_dialog_begin_turn(st.turner) == 0);
        STRESS_CHECK(mcphost_dialog_end_turn(st.turner) == 0);
    }
}

/* Waits until the dispatching thread has completed the edit.  Calls a built-in tool,
 * because the tool runs only after the status and the catalog have changed.  Other
 * threads can see the edit in the status before they see the edit in the catalog. */
void
edit_await_turn(void)
{
    static const char arguments[] = "{\"serverId\":\"none\"}";
    mcphost_call *call;

    STRESS_CHECK(mcphost_call_new(st.turner, "mcp_release", arguments, strlen(arguments),
                                  &call, NULL) == 0);
    STRESS_CHECK(mcphost_call_start(call, NULL, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_call_wait(call, 15000) == 1);
    STRESS_CHECK(mcphost_call_get_result(call) != NULL);
    mcphost_call_unref(call);
}

static void
await_applied(const struct entry entries[N_SERVERS])
{
    int64_t until = mcph_clock_monotonic_ms() + 15000;

    while (!look_applied()) {
        if (mcph_clock_monotonic_ms() > until)
            stress_fail("the edit is not applied");
        stress_pump(1);
    }
    edit_await_turn();
    pthread_mutex_lock(&st.lock);
    model_applied(entries, st.file_order);
    pthread_mutex_unlock(&st.lock);
    model_observe();
}

/* Writes the file and waits until the host has applied it.  If `again` is true, does not
 * wait, because another edit follows at once. */
static void
commit(bool again)
{
    st.written = true;
    pthread_mutex_lock(&st.lock);
    model_grow(st.file);
    pthread_mutex_unlock(&st.lock);
    put_file();
    save(yaml, yaml_len);
    edit_tell();
    if (!again)
        await_applied(st.file);
}

/* Makes the file invalid or unreadable, so that the host must reject the whole file. */
static void
spoil(void)
{
    static const char *const texts[] = {"version: 1\nservers: [\n", "# nothing\n", "",
                                        "version: 1\nservers:\n  s0: &a {x: *a}\n  \t- y",
                                        "version: 99\nservers: {}\n"};
    unsigned which = chance(sizeof(texts) / sizeof(texts[0]));

    if (chance(4) == 0) {
        stress_draw("unreadable");
        stress_log("unreadable");
        chmod(path_of("/mcp.yaml"), 0);
        /* Make the file unreadable for root, too, because root ignores the mode. */
        faults_unreadable(true);
    } else {
        stress_draw("invalid");
        stress_log("rejected as a whole (%u)", which);
        save(texts[which], strlen(texts[which]));
    }
    edit_tell();
    stress_pump(2);
    model_observe();
}

/* Deletes the file, or moves its directory away. */
static void
delete_file(void)
{
    static const struct entry none[N_SERVERS];
    bool team = false;
    char to[160];

    pthread_mutex_lock(&st.lock);
    model_grow(none);
    pthread_mutex_unlock(&st.lock);
    st.written = false;
    faults_unreadable(false);
    if (chance(2)) {
        stress_draw("deleted");
        stress_log("deleted");
        unlink(path_of("/mcp.yaml"));
    } else {
        team = true;
        team_gone();
        stress_draw("directory deleted");
        stress_log("deleted with its directory");
        snprintf(to, sizeof(to), "%s/moved-%ld", st.dir, st.step);
        STRESS_CHECK(rename(path_of(""), to) == 0 || errno == ENOENT);
    }
    edit_tell();
    await_applied(none);
    if (team)
        team_await();
}

/* ---- changes of entries ------------------------------------------------------------ */

static struct edition
new_edition(int fare)
{
    struct edition edition = {.shared = chance(2) == 0};
    unsigned tools = 1U << TOOL_OWN | chance(1U << TOOL_OWN);
    int http = HTTP_NOT;

    if (fare != FARE_SECOND && fare != FARE_EXIT && chance(3) == 0) {
        http = HTTP_MODERN + (int)chance(2);
        tools &= ~(1U << TOOL_TURN); /* an HTTP server has no second list of tools */
        stress_draw(http == HTTP_MODERN ? "modern http" : "legacy http");
    }
    edition.launch = model_launch(fare, tools, http);
    if (chance(3) == 0)
        edition.whitelist = 1U << TOOL_OWN | chance(1U << TOOL_OWN);
    if (chance(2) == 0)
        edition.prefix = 1 + (int)chance(3);
    return edition;
}

static int
good_fare(void)
{
    unsigned n = chance(40);

    return n == 0 ? FARE_SECOND : n < 10 ? FARE_SLOWLY : FARE_WELL;
}

static void
change_view(struct edition *want)
{
    switch (chance(3)) {
    case 0:
        want->shared = !want->shared;
        break;
    case 1:
        /* Keep the launch's own tool visible, because it distinguishes the launch from
         * all others. */
        want->whitelist = chance(3) ? 1U << TOOL_OWN | chance(1U << TOOL_OWN) : 0;
        break;
    default:
        want->prefix = (int)chance(4);
    }
}

static void
rename_entry(int from)
{
    int to = (int)chance(N_SERVERS);

    if (st.file[to].present || !st.file[from].present)
        return;
    stress_draw("renamed");
    stress_log("s%d is now s%d", from, to);
    st.file[to] = st.file[from];
    st.file[from].present = false;
}

static void
swap_entries(int a)
{
    int b = (int)chance(N_SERVERS);
    struct entry kept = st.file[a];

    stress_draw("swapped");
    stress_log("s%d and s%d swap names", a, b);
    st.file[a] = st.file[b];
    st.file[b] = kept;
}

static void
reorder(void)
{
    int a = (int)chance(N_SERVERS), b = (int)chance(N_SERVERS);
    int kept = st.file_order[a];

    stress_draw("reordered");
    stress_log("s%d and s%d swap places", kept, st.file_order[b]);
    st.file_order[a] = st.file_order[b];
    st.file_order[b] = kept;
}

static const char *const fares[] = {
    "good",          "slow",     "second attempt", "",     "no program", "crashing",
    "list is error", "bad list", "missing env",    "hangs"};

static void
change_launch(int server, int fare)
{
    struct entry *entry = &st.file[server];

    entry->want = new_edition(fare);
    stress_draw(fares[fare]);
    stress_log("s%d: launch %d, which fares %d%s%s", server, entry->want.launch, fare,
               entry->want.shared ? ", shared" : "",
               st.launches[entry->want.launch].http ? ", http" : "");
    if (!entry->present)
        *entry = (struct entry){.present = true, .enabled = true, .want = entry->want};
}

static void
change_entry(int server)
{
    struct entry *entry = &st.file[server];
    unsigned what = chance(100);

    if (!entry->present || what < 22) {
        change_launch(server, good_fare());
    } else if (what < 34) {
        change_launch(server, FARE_GOOD + 1 + (int)chance(FARE_END - FARE_GOOD - 1));
    } else if (what < 54) {
        stress_draw("view");
        change_view(&entry->want);
        stress_log("s%d: view %x/%d%s", server, entry->want.whitelist, entry->want.prefix,
                   entry->want.shared ? ", shared" : "");
    } else if (what < 62) {
        entry->invalid = !entry->invalid;
        stress_draw(entry->invalid ? "bad server" : "valid server");
        stress_log("s%d: %s", server, entry->invalid ? "invalid" : "valid");
    } else if (what < 68) {
        entry->enabled = !entry->enabled;
        stress_draw("enabled");
        stress_log("s%d: %s", server, entry->enabled ? "enabled" : "disabled");
    } else if (what < 76) {
        entry->present = false;
        stress_draw("removed");
        stress_log("s%d: removed", server);
    } else if (what < 82) {
        rename_entry(server);
    } else if (what < 88) {
        swap_entries(server);
    } else if (what < 92) {
        reorder();
    } else if (st.servers[server].last.launch) {
        entry->want = st.servers[server].last;
        stress_draw("back");
        stress_log("s%d: back to launch %d", server, entry->want.launch);
    }
}

/* ---- events other than edits ------------------------------------------------------- */

static void
kill_one(void)
{
    pid_t pids[512];
    int launches[512];
    int n = look_processes(pids, launches, 512), which;

    if (!n)
        return;
    which = (int)chance((unsigned)n);
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_SERVERS; i++)
        traffic_dying(i);
    pthread_mutex_unlock(&st.lock);
    stress_draw("killed");
    stress_log("SIGKILL for %d of launch %d", (int)pids[which], launches[which]);
    kill(pids[which], SIGKILL);
}

static void
trouble(void)
{
    bool again = chance(2);

    if (http_trouble(chance(64), again))
        stress_draw(again ? "http restarted" : "session lost");
}

static void
restart(int server)
{
    char id[16];
    int r;

    stress_draw("restart");
    snprintf(id, sizeof(id), "s%d", server);
    r = mcphost_restart_server(st.host, id);
    stress_log("restart of %s: %s", id, mcphost_strerror(r));
    STRESS_CHECK(r == 0 || r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_STATE);
}

static void
enable(int server)
{
    struct entry *entry = &st.file[server];
    int64_t until = mcph_clock_monotonic_ms() + 15000;
    char id[16];

    if (!entry->present || entry->invalid)
        return;
    edit_restore();
    entry->enabled = !entry->enabled;
    pthread_mutex_lock(&st.lock);
    model_grow(st.file);
    pthread_mutex_unlock(&st.lock);
    snprintf(id, sizeof(id), "s%d", server);
    stress_draw("host enables");
    stress_log("the host %s %s", entry->enabled ? "enables" : "disables", id);
    STRESS_CHECK(mcphost_set_server_enabled(st.host, id, entry->enabled) == 0);
    for (bool done = false; !done; stress_pump(1)) {
        mcphost_status *status;

        if (mcph_clock_monotonic_ms() > until)
            stress_fail("'enabled' is not applied");
        STRESS_CHECK(mcphost_get_status(st.host, &status) == 0);
        for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
            if (!mcphost_status_server_get_source_id(status, i) &&
                strcmp(mcphost_status_server_get_id(status, i), id) == 0)
                done = (mcphost_status_server_get_state(status, i) ==
                        MCPHOST_SERVER_DISABLED) == !entry->enabled;
        mcphost_status_unref(status);
    }
    edit_await_turn();
    pthread_mutex_lock(&st.lock);
    model_applied(st.file, st.file_order);
    pthread_mutex_unlock(&st.lock);
    model_observe();
}

/* ---- steps ------------------------------------------------------------------------- */

static bool spoilt;

void
edit_restore(void)
{
    if (st.written && !spoilt)
        return;
    spoilt = false;
    stress_log("the file is there again");
    commit(false);
}

static void
change_some(void)
{
    for (unsigned n = 1 + chance(3); n > 0; n--)
        change_entry((int)chance(N_SERVERS));
}

void
edit_begin(void)
{
    mkdir(path_of(""), 0700);
    for (int i = 0; i < N_SERVERS; i++) {
        st.file_order[i] = i;
        st.order[i] = i;
        st.servers[i].n_may = 1; /* only one state is possible: nothing is
                                  * published */
    }
    put_file();
    save(yaml, yaml_len);
    st.written = true;
}

/* Makes inotify reach one of its limits, or removes the limit.  At a limit, the host
 * notices edits by polling. */
static void
limit_inotify(void)
{
    switch (chance(4)) {
    case 0:
        stress_draw("too many instances");
        stress_log("no instance of inotify is to be had");
        faults_inotify(EMFILE, 0);
        break;
    case 1:
        stress_draw("too many watches");
        stress_log("no watch is to be had");
        faults_inotify(0, ENOSPC);
        break;
    default:
        stress_log("inotify has room");
        faults_inotify(0, 0);
    }
}

static void
set_clock(void)
{
    static const long seconds[] = {0, 3600, -3600, -86400L * 300, 86400L * 4000};
    long to = seconds[chance(sizeof(seconds) / sizeof(seconds[0]))];

    stress_draw("clock");
    stress_log("the clock is %ld s off", to);
    faults_clock(to);
}

static void
fault(void)
{
    unsigned what = chance(10);

    if (what < 4)
        admin_disk_full((int)chance(N_SERVERS));
    else if (what < 7 && st.mode == MODE_WATCH)
        limit_inotify();
    else
        set_clock();
}

static void
administrate(void)
{
    int server = (int)chance(N_SERVERS);

    if (chance(3)) {
        stress_draw("mcp_restart");
        admin_restart(server);
    } else {
        stress_draw("mcp_disable");
        admin_disable(server);
    }
}

static void
edit_twice(void)
{
    stress_draw("edited twice");
    change_some();
    commit(true);
    change_some();
    commit(false);
    spoilt = false;
}

void
edit_step(void)
{
    unsigned what = chance(120);

    if (what < 58) {
        change_some();
        commit(false);
        spoilt = false;
    } else if (what < 64) {
        edit_twice();
    } else if (what < 71) {
        spoilt = true;
        spoil();
    } else if (what < 74) {
        spoilt = true;
        delete_file();
    } else if (what < 80) {
        kill_one();
    } else if (what < 83) {
        trouble();
    } else if (what < 88) {
        restart((int)chance(N_SERVERS));
    } else if (what < 93) {
        enable((int)chance(N_SERVERS));
    } else if (what < 97) {
        stress_draw("dialog");
        stress_log("another dialog");
        traffic_reopen((int)chance(N_DIALOGS));
    } else if (what < 105) {
        team_step();
    } else if (what < 110) {
        fault();
    } else if (what < 116) {
        administrate();
    } else {
        stress_log("nothing");
    }
}
