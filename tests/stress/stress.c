/* SPDX-License-Identifier: MIT
 *
 * stress.c - a host under random edits, kills and calls without a pause.
 *
 *   stress [-s SEED] [-n STEPS] [-m MODE] [-p POLICY] [-o] [-t] [-v]
 *
 * MODE says how the host notices an edit: explicit (the default), watch, poll or turn.
 * POLICY decides what happens to a server that is removed or replaced while a turn uses
 * it: successor or serve.  By default the policy is drawn from the seed.  -o edits only
 * the sources of profiles.c.  -t lets a thread of the library dispatch, while another
 * thread reads catalogs and problems all the time.  -v prints each step.
 *
 * The program prints the seed.  The same seed makes the same edits.  A failure prints the
 * last steps.  A run of 2000 steps or more also fails if an event that it must draw was
 * never drawn.  The last line is `N passed, N failed`.
 */
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stress/stress.h"
#include "support/instrumented.h"

#define LOGGED   200
#define PER_REST 12 /* average number of steps between two quiet points */

struct stress st = {.steps = 200};

static struct {
    long step;
    char text[160];
} last[LOGGED];
static unsigned n_logged;
static bool verbose;

/* ---- messages ---------------------------------------------------------------------- */

void
stress_log(const char *fmt, ...)
{
    va_list ap;

    pthread_mutex_lock(&st.lock);
    va_start(ap, fmt);
    last[n_logged % LOGGED].step = st.step;
    vsnprintf(last[n_logged % LOGGED].text, sizeof(last[0].text), fmt, ap);
    va_end(ap);
    if (verbose)
        printf("%6ld  %s\n", st.step, last[n_logged % LOGGED].text);
    n_logged++;
    pthread_mutex_unlock(&st.lock);
}

void
stress_fail(const char *fmt, ...)
{
    va_list ap;

    printf("the last steps:\n");
    for (unsigned i = n_logged > LOGGED ? n_logged - LOGGED : 0; i < n_logged; i++)
        printf("%6ld  %s\n", last[i % LOGGED].step, last[i % LOGGED].text);
    printf("stress: seed %llu, step %ld: ", (unsigned long long)st.seed, st.step);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n0 passed, 1 failed\n");
    fflush(stdout);
    _exit(1); /* the guards then end the servers */
}

/* ---- events that are drawn --------------------------------------------------------- */

#define ALL   (1U << MODE_EXPLICIT | 1U << MODE_WATCH | 1U << MODE_POLL | 1U << MODE_TURN)
#define ALONE (1U << 16) /* a run with -o must draw the event, too */
#define LONG  2000       /* a run of this many steps or more must draw all events */

static struct {
    const char *what;
    unsigned modes;
    long n;
} drawn[] = {
    {"good", ALL, 0},
    {"slow", ALL, 0},
    {"second attempt", ALL, 0},
    {"no program", ALL, 0},
    {"crashing", ALL, 0},
    {"list is error", ALL, 0},
    {"bad list", ALL, 0},
    {"missing env", ALL, 0},
    {"hangs", ALL, 0},
    {"view", ALL, 0},
    {"bad server", ALL, 0},
    {"valid server", ALL, 0},
    {"enabled", ALL, 0},
    {"removed", ALL, 0},
    {"renamed", ALL, 0},
    {"swapped", ALL, 0},
    {"reordered", ALL, 0},
    {"back", ALL, 0},
    {"edited twice", ALL, 0},
    {"invalid", ALL, 0},
    {"unreadable", ALL, 0},
    {"deleted", ALL, 0},
    {"directory deleted", ALL, 0},
    {"modern http", ALL, 0},
    {"legacy http", ALL, 0},
    {"killed", ALL, 0},
    {"http restarted", ALL, 0},
    {"session lost", ALL, 0},
    {"restart", ALL, 0},
    {"host enables", ALL, 0},
    {"mcp_restart", ALL, 0},
    {"mcp_disable", ALL, 0},
    {"dialog", ALL, 0},
    {"team", ALL, 0},
    {"member invalid", ALL, 0},
    {"member removed", ALL, 0},
    {"team invalid", ALL, 0},
    {"team deleted", ALL, 0},
    {"disk full", ALL, 0},
    {"source comes", ALL, 0},
    {"source goes", ALL, 0},
    {"source is used", ALL, 0},
    {"scope is used", ALL, 0},
    {"scope edited", ALL, 0},
    {"released", ALL, 0},
    {"turn", ALL, 0},
    {"turn outlives its dialog", ALL, 0},
    {"view made", ALL, 0},
    {"view dropped", ALL, 0},
    {"layer added", ALL, 0},
    {"layer removed", ALL, 0},
    {"agent invalidated", ALL, 0},
    {"view invalidated", ALL, 0},
    {"clock", ALL, 0},
    {"too many instances", 1U << MODE_WATCH, 0},
    {"too many watches", 1U << MODE_WATCH, 0},
    {"mcpServers changed", ALL | ALONE, 0},
    {"mcpServers enabled", ALL | ALONE, 0},
    {"mcpServers removed", ALL | ALONE, 0},
    {"mcpServers invalid", ALL | ALONE, 0},
    {"mcpServers spoilt", ALL | ALONE, 0},
    {"mcpServers deleted", ALL | ALONE, 0},
    {"mcp_put_server", ALL | ALONE, 0},
    {"mcp_set_enabled", ALL | ALONE, 0},
    {"mcp_delete_server", ALL | ALONE, 0},
    {"mcp_list", ALL | ALONE, 0},
    {"runtime_reload", ALL | ALONE, 0},
    {"goclaw by hand", ALL | ALONE, 0},
    {"goclaw spoilt", ALL | ALONE, 0},
    {"goclaw refused", ALL | ALONE, 0},
    {"skill looked at", ALL | ALONE, 0},
    {"plugin changed", ALL | ALONE, 0},
    {"plugin spoilt", ALL | ALONE, 0},
    {"run injected", ALL | ALONE, 0},
    {"run ended", ALL | ALONE, 0},
    {"reader", ALL | ALONE, 0},
    {"reader's server killed", ALL | ALONE, 0},
    {"reader's turn", ALL | ALONE, 0},
};

#define N_DRAWN (sizeof(drawn) / sizeof(drawn[0]))

void
stress_draw(const char *what)
{
    for (size_t i = 0; i < N_DRAWN; i++) {
        if (strcmp(drawn[i].what, what) == 0) {
            drawn[i].n++;
            return;
        }
    }
    stress_fail("what is '%s'?", what);
}

static void
tell_drawn(void)
{
    unsigned needed = st.profiles_alone ? ALONE : 1U << st.mode;

    printf("stress: drawn");
    for (size_t i = 0; i < N_DRAWN; i++)
        if (drawn[i].n)
            printf("%s %s %ld", i ? "," : ":", drawn[i].what, drawn[i].n);
    printf("\n");
    for (size_t i = 0; i < N_DRAWN && st.steps >= LONG; i++)
        if (!drawn[i].n && (drawn[i].modes & needed))
            stress_fail("'%s' was never drawn", drawn[i].what);
}

/* ---- chance and time --------------------------------------------------------------- */

unsigned
stress_random(uint64_t *state, unsigned n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return n ? (unsigned)((z ^ z >> 31) >> 16) % n : 0;
}

void
stress_pump(int ms)
{
    int64_t until = mcph_clock_monotonic_ms() + ms;

    if (st.thread) {
        usleep((useconds_t)ms * 1000);
        return;
    }
    do {
        int64_t left = until - mcph_clock_monotonic_ms();
        int r = mcphost_wait(st.host, left > 0 ? left : 0);

        if (r < 0)
            stress_fail("wait: %s", mcphost_strerror(r));
    } while (mcph_clock_monotonic_ms() < until);
}

/* ---- the host ---------------------------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    uint64_t version;

    (void)arg;
    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(!st.closed);
    switch (mcphost_event_get_kind(event)) {
    case MCPHOST_EVENT_CATALOG:
        version = mcphost_event_get_version(event);
        if (mcphost_event_get_dialog_id(event) || mcphost_event_get_text(event))
            break; /* the event is for a dialog or another view */
        if (version <= st.version)
            stress_fail("version %llu after %llu", (unsigned long long)version,
                        (unsigned long long)st.version);
        st.version = version;
        st.n_catalogs++;
        break;
    case MCPHOST_EVENT_CLOSED:
        st.closed = true;
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&st.lock);
}

static void
on_log(int level, const char *room, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)arg;
    stress_log("    %s: %s%s%s", room, server ? server : "", server ? ": " : "", text);
}

static void
set(int option, int64_t value)
{
    STRESS_CHECK(mcphost_set_option(st.host, option, value) == 0);
}

static void
begin(void)
{
    static const int64_t reloads[] = {MCPHOST_RELOAD_EXPLICIT, MCPHOST_RELOAD_WATCH,
                                      MCPHOST_RELOAD_POLL, MCPHOST_RELOAD_TURN};

    snprintf(st.dir, sizeof(st.dir), "/tmp/mcphost-stress.XXXXXX");
    STRESS_CHECK(mkdtemp(st.dir) != NULL);
    snprintf(st.tag, sizeof(st.tag), "stress%d", (int)getpid());
    STRESS_CHECK(mcphost_new(&st.host, NULL) == 0);
    STRESS_CHECK(mcphost_set_guard_path(st.host, MCPH_TEST_BINDIR "/mcphost-guard") == 0);
    STRESS_CHECK(mcphost_set_event(st.host, on_event, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_set_log(st.host, MCPHOST_LOG_WARNING, on_log, NULL, NULL) == 0);
    set(MCPHOST_OPT_ADMIN_TOOLS, 1);
    set(MCPHOST_OPT_STOP_EOF, 500);
    set(MCPHOST_OPT_STOP_TERM, 500);
    set(MCPHOST_OPT_RESTART_DELAY, 1);
    set(MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    set(MCPHOST_OPT_RELOAD, reloads[st.mode]);
    set(MCPHOST_OPT_RELOAD_POLL, st.mode == MODE_POLL ? 20 : 400);
    set(MCPHOST_OPT_REMOVED,
        st.serve ? MCPHOST_REMOVED_SERVE : MCPHOST_REMOVED_SUCCESSOR);
    edit_begin();
    team_begin();
    STRESS_CHECK(mcphost_load_workspace(st.host, st.dir, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_use_team(st.host, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_wait_ready(st.host, 10000) == 1);
    look_builtins();
    team_take_views();
    STRESS_CHECK(mcphost_dialog_new(mcphost_default_view(st.host), "turner", NULL,
                                    &st.turner, NULL) == 0);
    if (st.thread)
        STRESS_CHECK(mcphost_thread_start(st.host) == 0);
    for (int i = 0; i < N_DIALOGS; i++)
        traffic_open(i);
    traffic_go();
}

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void
end(void)
{
    pid_t pids[16];
    int launches[16], r = 0;
    int64_t until = mcph_clock_monotonic_ms() + 20000;

    if (!st.profiles_alone) {
        passing_end();
        scopes_end();
        layers_end();
    }
    profiles_end();
    traffic_drain();
    traffic_close();
    mcphost_dialog_unref(st.turner);
    for (int i = 0; i < N_MEMBERS; i++)
        mcphost_view_unref(st.members[i].view);
    if (st.thread)
        STRESS_CHECK(mcphost_thread_stop(st.host) == 0);
    STRESS_CHECK(mcphost_close(st.host) == 0);
    while (r >= 0) {
        r = mcphost_wait(st.host, 100);
        STRESS_CHECK(mcph_clock_monotonic_ms() < until);
    }
    STRESS_CHECK(r == MCPHOST_E_CLOSED);
    STRESS_CHECK(st.closed);
    st.host = mcphost_unref(st.host);
    http_reap(true);
    while (look_processes(pids, launches, 16) || look_children()) {
        if (mcph_clock_monotonic_ms() > until)
            stress_fail("processes are left");
        usleep(5000);
    }
    for (int i = 0; i < st.n_builtins; i++)
        free(st.builtins[i]);
    free(st.builtins);
    free(st.launches);
    nftw(st.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- steps ------------------------------------------------------------------------- */

/* Reads catalogs and problems from another thread, as a user interface does. */
static void *
look_on(void *arg)
{
    uint64_t seen = 0;

    (void)arg;
    for (bool over = false; !over; usleep(2000)) {
        mcphost_catalog *catalog;
        mcphost_problems *problems;

        STRESS_CHECK(mcphost_view_get_catalog(mcphost_default_view(st.host), &catalog) ==
                     0);
        STRESS_CHECK(mcphost_catalog_get_version(catalog) >= seen);
        seen = mcphost_catalog_get_version(catalog);
        mcphost_catalog_unref(catalog);
        STRESS_CHECK(mcphost_get_problems(st.host, &problems) == 0);
        mcphost_problems_unref(problems);
        pthread_mutex_lock(&st.lock);
        over = st.over;
        pthread_mutex_unlock(&st.lock);
    }
    return NULL;
}

/* Checks that memory does not grow without limit.  The limit is rough: 16 MiB, and 25 KiB
 * for each hundred steps after the first quarter of the run.  The model's records of
 * launches need less. */
static void
check_memory(void)
{
    long now = look_rss_kib(), more = 16384 + (st.steps - st.steps / 4) / 4;

    if (!st.rss_kib && st.step >= st.steps / 4)
        st.rss_kib = now;
    if (st.rss_kib && !INSTRUMENTED && now > st.rss_kib + more)
        stress_fail("%ld KiB, %ld after a quarter of the steps", now, st.rss_kib);
}

static bool
next_step(void)
{
    pthread_mutex_lock(&st.lock);
    st.step++;
    pthread_mutex_unlock(&st.lock);
    return st.step <= st.steps;
}

static void
run_round(void)
{
    while (next_step()) {
        if (!st.profiles_alone) {
            edit_step();
            passing_step();
            scopes_step();
            layers_step();
        }
        profiles_step();
        traffic_go();
        stress_pump((int)stress_random(&st.edits, 4) == 0
                        ? (int)stress_random(&st.edits, 60)
                        : 1);
        model_observe();
        if (stress_random(&st.edits, PER_REST) == 0 || st.step == st.steps) {
            look_quiet();
            check_memory();
        }
    }
}

static const char *const modes[] = {"explicit", "watch", "poll", "turn", NULL};
static const char *const policies[] = {"successor", "serve", NULL};

static int
choose(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fprintf(stderr, "stress: what is '%s'?\n", name);
    _exit(2);
}

static void
options(int argc, char **argv)
{
    int opt, policy = -1;

    st.seed = (uint64_t)time(NULL);
    while ((opt = getopt(argc, argv, "s:n:m:p:otv")) != -1) {
        if (opt == 's')
            st.seed = strtoull(optarg, NULL, 10);
        else if (opt == 'n')
            st.steps = strtol(optarg, NULL, 10);
        else if (opt == 'm')
            st.mode = choose(modes, optarg);
        else if (opt == 'p')
            policy = choose(policies, optarg);
        else if (opt == 'o')
            st.profiles_alone = true;
        else if (opt == 't')
            st.thread = true;
        else if (opt == 'v')
            verbose = true;
        else
            _exit(2);
    }
    st.edits = st.seed;
    st.traffic = ~st.seed;
    st.serve = stress_random(&st.edits, 2);
    if (policy >= 0)
        st.serve = policy;
}

int
main(int argc, char **argv)
{
    pthread_mutexattr_t attr;
    pthread_t watcher;
    int before;

    setvbuf(stdout, NULL, _IOLBF, 0);
    options(argc, argv);
    printf("stress: seed %llu, %ld steps, %s, %s%s%s\n", (unsigned long long)st.seed,
           st.steps, modes[st.mode], policies[st.serve],
           st.profiles_alone ? ", profiles alone" : "", st.thread ? ", by a thread" : "");
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&st.lock, &attr);
    before = look_descriptors();
    begin();
    if (st.thread)
        STRESS_CHECK(pthread_create(&watcher, NULL, look_on, NULL) == 0);
    run_round();
    pthread_mutex_lock(&st.lock);
    st.over = true;
    pthread_mutex_unlock(&st.lock);
    if (st.thread)
        pthread_join(watcher, NULL);
    end();
    if (look_descriptors() != before)
        stress_fail("%d descriptors, %d before", look_descriptors(), before);
    printf("stress: %ld calls: %ld answered, %ld gone, %ld lost their server, "
           "%ld cancelled, %ld denied, %ld more not made; %ld in turns that are served\n",
           st.n_calls, st.n_results, st.n_gone, st.n_died, st.n_cancelled, st.n_denied,
           st.n_refused, st.n_pinned);
    printf("stress: %ld times a name had to stay with its server\n", st.n_kept);
    printf("stress: %ld turns, %ld other lists, %ld catalogs, %d launches\n", st.n_turns,
           st.n_turned, st.n_catalogs, st.n_launches);
    tell_drawn();
    printf("1 passed, 0 failed\n");
    return 0;
}
