/* SPDX-License-Identifier: MIT
 *
 * profiles_calls.c - the calls of the readers' dialogs (profiles.h).
 *
 * Each call must end exactly once.  Its answer must come from a shape that its server
 * showed between the call's start and the call's end.  If one of these shapes lacks the
 * tool, the call may also end with MCPHOST_E_GONE.  In a turn that keeps its servers,
 * only the shape from the turn's start may answer before the turn ends.  A call may also
 * fail because the test has killed its server or closed its dialog.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress/profiles.h"

#define N_ANSWERS 32

enum { WHO, OWN, COMMON };

struct reading {
    mcphost_call *handle; /* NULL if there is no call */
    char token[48];
    int origin, server, what, number; /* number: the shape whose OWN tool is called */
    const struct pin *pin;            /* the call's turn; NULL after the turn's end */
    bool pinned, may_gone, may_cancel, may_die;
    int may[N_ANSWERS], n_may, ends;
};

static struct reading readings[N_READERS];
/* A counter for each server.  The counter is above 0 for some time after the test has
 * killed a process of the server.  During this time, a call of the server may end with
 * MCPHOST_E_TRANSPORT.  calls_drain() decrements the counters. */
static int dying[N_SOURCES][N_OF];
static struct {
    int pid, origin, server;
} last; /* the process that answered last */
/* The random generator of the calls.  Edits use another generator.  The number of calls
 * depends on when earlier calls end, and must not change the edits of a seed. */
static uint64_t traffic;
static long n_made, n_answered, n_gone, n_cancelled, n_died;
static long n_pinned, n_crossed;

static unsigned
chance(unsigned n)
{
    return stress_random(&traffic, n);
}

/* ---- possible outcomes of a call --------------------------------------------------- */

static void
add_shape(struct reading *call, const struct shape *shape)
{
    bool offers = shape->number != 0;

    if (call->what == OWN)
        offers = shape->number == call->number;
    else if (call->what == COMMON)
        offers = offers && shape->common;
    if (!offers)
        call->may_gone = true;
    for (int i = 0; i < call->n_may && offers; i++)
        if (call->may[i] == shape->number)
            return;
    if (!offers)
        return;
    STRESS_CHECK(call->n_may < N_ANSWERS);
    call->may[call->n_may++] = shape->number;
}

void
calls_edited(int origin, int server)
{
    for (int i = 0; i < N_READERS; i++) {
        struct reading *call = &readings[i];

        if (!call->handle || call->pinned || call->origin != origin ||
            call->server != server)
            continue;
        n_crossed++;
        add_shape(call, &origins[origin].offers[server].shown);
    }
}

static _Noreturn void
wrong(const struct reading *call, const char *what)
{
    printf("    may answer:");
    for (int i = 0; i < call->n_may; i++)
        printf(" %d", call->may[i]);
    printf("%s%s%s%s\n", call->may_gone ? ", may be gone" : "",
           call->may_cancel ? ", may be cancelled" : "",
           call->may_die ? ", may lose its server" : "", call->pinned ? ", pinned" : "");
    stress_fail("call %s of %s's %s, tool %d of edition %d: %s", call->token,
                origins[call->origin].id, origins[call->origin].servers[call->server],
                call->what, call->number, what);
}

static void
check_answer(const struct reading *call, mcphost_result *result)
{
    const char *text;
    char copy[256], expected[64];
    size_t len;
    int number = 0, pid = 0, rest = 0;

    if (mcphost_result_item_get_text(result, 0, &text, &len) < 0)
        wrong(call, "a result without text");
    snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
    snprintf(expected, sizeof(expected), "{\"t\":\"%s\"}", call->token);
    if (sscanf(copy, "%d %d %n", &number, &pid, &rest) != 2 ||
        strcmp(copy + rest, expected) != 0)
        wrong(call, copy);
    last.pid = pid;
    last.origin = call->origin;
    last.server = call->server;
    for (int i = 0; i < call->n_may; i++)
        if (call->may[i] == number)
            return;
    wrong(call, copy);
}

static void
check_error(const struct reading *call, mcphost_error *error)
{
    int code = mcphost_error_get_code(error);
    char text[600];

    if (code == MCPHOST_E_GONE && call->may_gone) {
        n_gone++;
    } else if (code == MCPHOST_E_CANCELLED && call->may_cancel) {
        n_cancelled++;
    } else if (code == MCPHOST_E_TRANSPORT && call->may_die) {
        n_died++;
    } else {
        snprintf(text, sizeof(text), "error %d: %s", code,
                 mcphost_error_get_message(error));
        wrong(call, text);
    }
}

static void
on_done(mcphost_call *handle, void *arg)
{
    struct reading *call = arg;
    mcphost_error *error = mcphost_call_get_error(handle);
    mcphost_result *result = mcphost_call_get_result(handle);

    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(handle == call->handle && call->ends++ == 0);
    STRESS_CHECK((error == NULL) != (result == NULL));
    if (error) {
        check_error(call, error);
    } else {
        check_answer(call, result);
        n_answered++;
    }
    pthread_mutex_unlock(&st.lock);
}

static void
on_free(void *arg)
{
    struct reading *call = arg;

    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(call->ends == 1);
    mcphost_call_unref(call->handle);
    call->handle = NULL;
    pthread_mutex_unlock(&st.lock);
}

/* ---- calls ------------------------------------------------------------------------- */

/* Finds a source by its id, which is the beginning of `source`.  `chosen` has a bit for
 * each source of the call's view. */
static int
origin_of(const char *source, unsigned chosen)
{
    for (int i = 0; i < N_SOURCES; i++)
        if (chosen & 1U << i &&
            strncmp(source, origins[i].id, strlen(origins[i].id)) == 0)
            return i;
    stress_fail("a tool is of the source %s", source);
}

/* Sets the call's server and the kind of its tool.  Returns false if the tool is one of
 * goclaw's built-in tools. */
static bool
describe(struct reading *call, unsigned chosen, mcphost_tool *tool)
{
    const char *source = mcphost_tool_get_source_id(tool);
    const char *name = mcphost_tool_get_original_name(tool);

    if (!source)
        return false;
    call->origin = origin_of(source, chosen);
    for (call->server = 0; call->server < N_OF; call->server++) {
        const char *id = origins[call->origin].servers[call->server];

        STRESS_CHECK(id != NULL);
        if (strcmp(id, mcphost_tool_get_server_id(tool)) == 0)
            break;
    }
    STRESS_CHECK(call->server < N_OF);
    if (strcmp(name, "common") == 0)
        call->what = COMMON;
    else
        call->what = strstr(name, "_who") ? WHO : OWN;
    return true;
}

static void
expect(struct reading *call, const struct pin *pin)
{
    const struct origin *o = &origins[call->origin];
    const struct shape *now = &o->offers[call->server].shown;
    const struct shape *shown = pin ? &pin->shown[call->origin][call->server] : now;

    STRESS_CHECK(shown->number != 0);
    call->number = shown->number;
    call->may_die = dying[call->origin][call->server] > 0;
    call->pin = pin;
    call->pinned = pin && o->serves;
    add_shape(call, call->pinned ? shown : now);
    n_pinned += call->pinned && shown->number != now->number;
}

static mcphost_tool *
draw_tool(const struct reader *reader, const struct pin *pin)
{
    mcphost_tool *tool = NULL;
    mcphost_catalog *catalog;
    size_t n;

    if (pin)
        STRESS_CHECK(mcphost_turn_get_catalog(pin->handle, &catalog) == 0);
    else
        STRESS_CHECK(mcphost_dialog_get_catalog(reader->handle, &catalog) == 0);
    n = mcphost_catalog_count_tools(catalog);
    if (n)
        tool = mcphost_tool_ref(mcphost_catalog_get_tool(catalog, chance((unsigned)n)));
    mcphost_catalog_unref(catalog);
    return tool;
}

/* Starts a call of a random tool for a reader, unless the tool is one of goclaw's
 * built-in tools.  Call this with the lock held. */
static void
start(int at)
{
    struct reader *reader = &readers[at];
    struct reading *call = &readings[at];
    const struct pin *pin = chance(4) ? readers_find_pin(at, chance(N_PINS)) : NULL;
    mcphost_tool *tool = draw_tool(reader, pin);
    const char *name = tool ? mcphost_tool_get_name(tool) : NULL;
    char arguments[64];
    int n, r;

    *call = (struct reading){0};
    if (!tool || !describe(call, reader->chosen, tool)) {
        mcphost_tool_unref(tool);
        return;
    }
    snprintf(call->token, sizeof(call->token), "r%d-%ld", at, ++n_made);
    n = snprintf(arguments, sizeof(arguments), "{\"t\":\"%s\"}", call->token);
    expect(call, pin);
    r = pin ? mcphost_call_new_in_turn(reader->handle, pin->handle, name, arguments,
                                       (size_t)n, &call->handle, NULL)
            : mcphost_call_new(reader->handle, name, arguments, (size_t)n, &call->handle,
                               NULL);
    mcphost_tool_unref(tool);
    if (r < 0)
        wrong(call, mcphost_strerror(r));
    STRESS_CHECK(mcphost_call_start(call->handle, on_done, call, on_free) == 0);
}

void
calls_go(void)
{
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_READERS; i++)
        if (!readings[i].handle && chance(2))
            start(i);
    pthread_mutex_unlock(&st.lock);
}

static bool
is_idle(void)
{
    bool idle = true;

    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_READERS; i++)
        if (readings[i].handle)
            idle = false;
    pthread_mutex_unlock(&st.lock);
    return idle;
}

void
calls_drain(void)
{
    int64_t until = mcph_clock_monotonic_ms() + 2 * PATIENT_MS;

    while (!is_idle()) {
        for (int i = 0; i < N_READERS && mcph_clock_monotonic_ms() > until; i++)
            if (readings[i].handle)
                wrong(&readings[i], "it does not end");
        stress_pump(1);
    }
    STRESS_CHECK(n_made == n_answered + n_gone + n_cancelled + n_died);
    for (int i = 0; i < N_SOURCES; i++)
        for (int j = 0; j < N_OF; j++)
            dying[i][j] -= dying[i][j] > 0;
}

/* ---- killed servers ---------------------------------------------------------------- */

/* Checks whether the process is a server of this test.  The server may have ended, so
 * that another process has the id `pid`. */
static bool
is_ours(int pid)
{
    char path[32], text[512];
    ssize_t len = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        len = read(fd, text, sizeof(text));
        close(fd);
    }
    return len > 0 && memmem(text, (size_t)len, st.dir, strlen(st.dir)) != NULL;
}

void
calls_kill(void)
{
    int pid;

    pthread_mutex_lock(&st.lock);
    pid = last.pid;
    last.pid = 0;
    if (pid && is_ours(pid)) {
        dying[last.origin][last.server] = 3;
        for (int i = 0; i < N_READERS; i++)
            if (readings[i].handle && readings[i].origin == last.origin &&
                readings[i].server == last.server)
                readings[i].may_die = true;
        stress_log("profiles: process %d of %s %s is killed", pid,
                   origins[last.origin].id, origins[last.origin].servers[last.server]);
        kill(pid, SIGKILL);
        stress_draw("reader's server killed");
    }
    pthread_mutex_unlock(&st.lock);
}

/* ---- the ends of dialogs and turns ------------------------------------------------- */

void
calls_close(int reader)
{
    pthread_mutex_lock(&st.lock);
    readings[reader].may_cancel = true;
    pthread_mutex_unlock(&st.lock);
}

void
calls_await(int reader)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;
    bool ended;

    do {
        if (mcph_clock_monotonic_ms() > until)
            wrong(&readings[reader], "it does not end with its dialog");
        stress_pump(1);
        pthread_mutex_lock(&st.lock);
        ended = !readings[reader].handle;
        pthread_mutex_unlock(&st.lock);
    } while (!ended);
}

/* Call this before the turn ends.  From now on, the test also accepts answers to the
 * turn's open calls from the shape that the server shows now. */
void
calls_end_turn(const struct pin *pin)
{
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_READERS; i++) {
        struct reading *call = &readings[i];

        if (!call->handle || call->pin != pin)
            continue;
        call->pin = NULL;
        call->pinned = false;
        add_shape(call, &origins[call->origin].offers[call->server].shown);
    }
    pthread_mutex_unlock(&st.lock);
}

void
calls_begin(void)
{
    traffic = st.seed * 13;
}

void
calls_tell(void)
{
    printf(
        "stress: %d readers made %ld calls: %ld answered, %ld gone, %ld cancelled, %ld "
        "lost their server; %ld in flight over an edit of their server, %ld in a turn "
        "of an older edition\n",
        N_READERS, n_made, n_answered, n_gone, n_cancelled, n_died, n_crossed, n_pinned);
}
