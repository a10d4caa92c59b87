/* SPDX-License-Identifier: MIT
 *
 * driver.c - tests that no process of a server outlives its host.
 *
 *   orphan-driver HOST GUARD SERVER [-j N] [-s SERVERMODE]... [-e EVENT]...
 *
 * $ORPHANS_MODE is the containment: tree, cgroup or pid.
 *
 * The driver tests the servers of server.c with the ways in which a host may end.  A cell
 * is one server with one event.  The driver starts the host with the server, waits until
 * the server is ready and causes the event.  Then the driver measures the time until no
 * process of the tree is left.  No process is left when the FIFO that the processes hold
 * open is at its end, and no process has the cell's mark in its environment.  Two guards
 * run between the host and the server: the warden, and its child, the inner guard.  The
 * guards have the mark, too.  The limit is 2 s after the death of a host or of guards.
 * After an orderly end the limit is the time of the stop steps plus half a second.  The
 * limit is longer for the server `stops-warden` (WATCHDOG_MS).
 *
 * In the mode `tree`, a process that has left its server's process group and carries no
 * cookie (MCPHOST_SPAWN_ID in its environment) can be found only by the guards, which are
 * its ancestors.  The process therefore survives if both guards are killed.  The table
 * shows the cells with these processes in parentheses.  These cells do not count as
 * failures.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_MS   80
#define GRACE_MS    500
#define HOST_MS     1000 /* the time that a busy host needs to end an unguarded tree */
#define DEATH_MS    2000
#define MAX_CELLS   512
#define WATCHDOG_MS 2500
#define LENGTH(a)   (sizeof(a) / sizeof((a)[0]))

/* The guards that an event kills. */
enum victim {
    NOBODY,
    BOTH,              /* the two guards at once; the host lives */
    WARDEN,            /* the warden, a moment before the host is killed */
    WARDEN_THEN_INNER, /* the warden, then the inner guard and the host; the guard that
                        * replaces the warden lives */
    INNER_GROUP,       /* the process group of the inner guard; the host lives */
    WARDEN_GROUP       /* the process group of the warden, then the host */
};

struct event {
    const char *name;
    const char *host_end; /* END argument of orphan-host */
    const char *eof_ms, *term_ms;
    int limit_ms;
    int sig; /* signal sent to the host; 0 if none */
    enum victim victim;
};

static const struct event events[] = {
    {"exit", "exit", "500", "500", DEATH_MS, 0, 0},
    {"close", "close", "500", "500", 1000 + GRACE_MS, 0, 0},
    {"close2s", "close", "2000", "2000", 4000 + GRACE_MS, 0, 0},
    {"free", "free", "500", "500", 1000 + GRACE_MS, 0, 0},
    {"TERM", "-", "2000", "2000", DEATH_MS, SIGTERM, 0},
    {"KILL", "-", "2000", "2000", DEATH_MS, SIGKILL, 0},
    {"SEGV", "-", "2000", "2000", DEATH_MS, SIGSEGV, 0},
    {"fkhold", "fkhold", "2000", "2000", DEATH_MS, SIGKILL, 0},
    {"guard", "-", "500", "500", DEATH_MS, 0, BOTH},
    {"warden", "-", "2000", "2000", DEATH_MS, SIGKILL, WARDEN},
    {"both", "-", "2000", "2000", DEATH_MS, SIGKILL, WARDEN_THEN_INNER},
    {"grp-grd", "-", "500", "500", DEATH_MS, 0, INNER_GROUP},
    {"grp-wrd", "-", "2000", "2000", DEATH_MS, SIGKILL, WARDEN_GROUP},
};

/* Servers that keep all processors busy.  Each cell of these servers runs alone. */
static const char *const greedy[] = {"hopper", "hopper-setsid", "8-hoppers",
                                     "fork-bomb-200"};

struct cell {
    size_t server;
    const struct event *event;
    bool alone;
    pid_t worker;
    int result; /* reading end of a pipe from the worker */
    char text[32];
    bool failed, skipped, expected;
};

static const char *host_path, *guard_path, *server_path;
static char dir[] = "/tmp/mcph-orphans-XXXXXX";
static char *servers[64];
static size_t n_servers;

static long
now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void
pause_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static bool
file_has(const char *pid, const char *name, const char *text)
{
    static char data[65536];
    char path[300];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
    fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    n = read(fd, data, sizeof(data));
    close(fd);
    return n > 0 && memmem(data, (size_t)n, text, strlen(text));
}

struct run {
    const struct cell *cell;
    char fifo[128], mark[64];
    int life;         /* reading end of the FIFO */
    int to, from;     /* the host's stdin and stdout */
    pid_t host, held; /* `held`: the host's forked child */
    bool host_dead;   /* the host has ended and was reaped */
};

/* Counts the processes that have the cell's mark in their environment: the processes of
 * the tree, and the guards.  Does not count the host and its forked child.  If `comm` is
 * not NULL, counts only processes of that name.  Sends `sig` to each counted process,
 * unless `sig` is 0.  Returns -1 if /proc cannot be read. */
static int
count_marked(const struct run *run, const char *comm, int sig)
{
    struct dirent *entry;
    DIR *proc = opendir("/proc");
    int n = 0;

    if (!proc)
        return -1;
    while ((entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid <= 1 || pid == run->host || pid == run->held)
            continue;
        if (!file_has(entry->d_name, "environ", run->mark))
            continue;
        if (comm && !file_has(entry->d_name, "comm", comm))
            continue;
        n++;
        if (sig)
            kill(pid, sig);
    }
    closedir(proc);
    return n;
}

static bool
start_host(struct run *run)
{
    const struct event *event = run->cell->event;
    int in[2], out[2];

    if (mkfifo(run->fifo, 0600) < 0)
        return false;
    run->life = open(run->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (run->life < 0 || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        return false;
    run->host = fork();
    if (run->host == 0) {
        char life[160];

        dup2(in[0], 0);
        dup2(out[1], 1);
        snprintf(life, sizeof(life), "ORPHANS_LIFE=%s", run->fifo);
        putenv(life);
        putenv(run->mark);
        execl(host_path, host_path, event->host_end, guard_path, event->eof_ms,
              event->term_ms, server_path, servers[run->cell->server], (char *)NULL);
        _exit(126);
    }
    close(in[0]);
    close(out[1]);
    run->to = in[1];
    run->from = out[0];
    return run->host > 0;
}

/* Waits until the host writes "ready" and, for the END `fkhold`, also "fork PID".  Sets
 * *ret_cannot if the host writes "cannot".  Returns false if the host writes nothing for
 * 10 s or ends. */
static bool
wait_ready(struct run *run, bool *ret_cannot)
{
    bool want_fork = strcmp(run->cell->event->host_end, "fkhold") == 0;
    char text[128];
    size_t len = 0;

    for (;;) {
        struct pollfd fd = {.fd = run->from, .events = POLLIN};
        char *fork_line;
        ssize_t n;

        if (poll(&fd, 1, 10000) <= 0)
            return false;
        n = read(run->from, text + len, sizeof(text) - 1 - len);
        if (n <= 0)
            return false;
        len += (size_t)n;
        text[len] = '\0';
        if (strstr(text, "cannot\n")) {
            *ret_cannot = true;
            return true;
        }
        fork_line = strstr(text, "fork ");
        if (fork_line && strchr(fork_line, '\n'))
            run->held = (pid_t)strtol(fork_line + 5, NULL, 10);
        if (strstr(text, "ready\n") && (!want_fork || run->held))
            return true;
    }
}

static pid_t
first_child(pid_t parent)
{
    char path[64];
    FILE *file;
    int pid = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    file = fopen(path, "r");
    if (file && fscanf(file, "%d", &pid) != 1)
        pid = 0;
    if (file)
        fclose(file);
    return pid > 1 ? pid : 0;
}

/* Kills the warden and, for WARDEN_THEN_INNER, the inner guard.  The warden is the guard
 * whose parent is the host.  The inner guard is the warden's child. */
static void
kill_warden(const struct run *run)
{
    pid_t warden = first_child(run->host), inner = warden ? first_child(warden) : 0;

    if (warden)
        kill(warden, SIGKILL);
    pause_ms(SETTLE_MS);
    if (inner && run->cell->event->victim == WARDEN_THEN_INNER)
        kill(inner, SIGKILL);
}

/* Returns true if a process may outlive this cell in the mode `tree`.  In a cell of
 * this kind, a process without a cookie is left after both guards are killed. */
static bool
may_leave(const struct cell *cell)
{
    const char *mode = getenv("ORPHANS_MODE"), *server = servers[cell->server];

    if (mode && strcmp(mode, "tree") != 0)
        return false;
    return strcmp(server, "kills-both-clean") == 0 ||
           (strcmp(server, "clean-daemon") == 0 &&
            (cell->event->victim == BOTH || cell->event->victim == WARDEN_THEN_INNER));
}

static pid_t
parent_of(pid_t pid)
{
    char path[64], text[256] = "", *end;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "r");
    if (file && !fgets(text, sizeof(text), file))
        text[0] = '\0';
    if (file)
        fclose(file);
    end = strrchr(text, ')');
    return end ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

/* Kills the process groups of guards.  If `below_host` is true, kills the groups of
 * guards whose parent is the host: the warden, or the guard that replaces the warden.
 * Otherwise kills the groups of the other guards. */
static void
kill_groups(const struct run *run, bool below_host)
{
    struct dirent *entry;
    DIR *proc = opendir("/proc");

    while (proc && (entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid <= 1 || !file_has(entry->d_name, "environ", run->mark) ||
            !file_has(entry->d_name, "comm", "mcphost-guard") ||
            (parent_of(pid) == run->host) != below_host)
            continue;
        if (getpgid(pid) > 1)
            kill(-getpgid(pid), SIGKILL);
    }
    if (proc)
        closedir(proc);
}

static void
cause_event(const struct run *run)
{
    const struct event *event = run->cell->event;
    bool host_lives = event->victim == BOTH || event->victim == INNER_GROUP;

    /* Pause after a warden dies, so that another guard can take its place.  Without the
     * pause, both guards and the host could end at once, because a server can kill the
     * last guard when the server's stdin ends.  Then no process could end the tree. */
    switch (event->victim) {
    case BOTH:
        count_marked(run, "mcphost-guard", SIGKILL);
        break;
    case WARDEN:
    case WARDEN_THEN_INNER:
        kill_warden(run);
        break;
    case INNER_GROUP:
    case WARDEN_GROUP:
        kill_groups(run, event->victim == WARDEN_GROUP);
        if (event->victim == WARDEN_GROUP)
            pause_ms(SETTLE_MS);
        break;
    case NOBODY:
        break;
    }
    if (event->sig && !run->host_dead)
        kill(run->host, event->sig);
    else if (!event->sig && !host_lives)
        (void)!write(run->to, "x", 1);
}

/* Checks whether all writers of the FIFO have ended.  POLLHUP means that the FIFO had a
 * writer and has no writer any more. */
static bool
tree_ended(const struct run *run)
{
    struct pollfd fd = {.fd = run->life, .events = POLLIN};

    return poll(&fd, 1, 0) > 0 && (fd.revents & POLLHUP);
}

/* Reaps children.  Orphans become children of this process, because it is a subreaper.
 * A worker runs one cell, so that all of its children belong to this cell.  Returns true
 * if no child is left. */
static bool
reap(struct run *run)
{
    siginfo_t info;
    idtype_t any = P_ALL;

    for (;;) {
        info.si_pid = 0;
        if (waitid(any, 0, &info, WEXITED | WNOHANG) < 0)
            return errno == ECHILD;
        if (info.si_pid == 0)
            return false;
        if (info.si_pid == run->host)
            run->host_dead = true;
        if (info.si_pid == run->held)
            run->held = 0;
    }
}

static void
kill_children(void)
{
    char path[64];
    FILE *file;
    int pid;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    while (file && fscanf(file, "%d", &pid) == 1)
        if (pid > 1)
            kill(pid, SIGKILL);
    if (file)
        fclose(file);
}

static void
clean_up(struct run *run)
{
    long end = now_ms() + 5000;

    while (!reap(run) && now_ms() < end)
        kill_children();
    unlink(run->fifo);
}

/* Waits before the event.  Waits longer if a server kills both guards, because the host
 * must end the rest of the tree. */
static void
wait_before_event(struct run *run)
{
    bool host_sweeps = strncmp(servers[run->cell->server], "kills-both", 10) == 0;

    for (int i = 0; i < (host_sweeps ? HOST_MS : SETTLE_MS); i++) {
        if (i >= SETTLE_MS && tree_ended(run) && count_marked(run, NULL, 0) == 0)
            break;
        reap(run);
        pause_ms(1);
    }
}

/* Returns the time in which the tree must end.  If the server stops the warden, adds the
 * time that the host's watchdog needs to notice the stop. */
static long
limit_ms(const struct cell *cell)
{
    bool stopped = strcmp(servers[cell->server], "stops-warden") == 0;

    return cell->event->limit_ms + (stopped ? WATCHDOG_MS : 0);
}

/* Runs one cell.  begin() calls this function in a process that runs no other cell.
 * Prints a letter for the outcome, and then the text for the table.  The letter is P
 * (passed), E (failed), S (skipped) or X (left processes as documented). */
static void
run_cell(const struct cell *cell, size_t number)
{
    struct run run = {.cell = cell, .life = -1};
    bool cannot = false, early;
    long began, ended;
    int n;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    snprintf(run.fifo, sizeof(run.fifo), "%s/%zu", dir, number);
    snprintf(run.mark, sizeof(run.mark), "ORPHANS_CELL=%d-%zu", (int)getpid(), number);
    if (!start_host(&run) || !wait_ready(&run, &cannot)) {
        printf("Eno start");
        clean_up(&run);
        return;
    }
    if (cannot) {
        printf("S(n/a)");
        clean_up(&run);
        return;
    }
    wait_before_event(&run);
    early = tree_ended(&run) && count_marked(&run, NULL, 0) == 0;
    began = now_ms();
    cause_event(&run);
    do {
        struct pollfd fd = {.fd = run.life};

        reap(&run);
        if (!tree_ended(&run))
            poll(&fd, 1, 2);
        else if (count_marked(&run, NULL, 0) == 0)
            break;
        else
            pause_ms(2);
    } while (now_ms() - began <= limit_ms(cell));
    ended = now_ms();
    n = count_marked(&run, NULL, 0);
    if (n || !tree_ended(&run))
        printf(may_leave(cell) ? "X(L%d)" : "EL%d", n ? n : 1);
    else if (early)
        printf("P-");
    else
        printf("P%ld", ended - began);
    clean_up(&run);
}

static bool
begin(struct cell *cell, size_t number)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return false;
    fflush(stdout);
    cell->worker = fork();
    if (cell->worker == 0) {
        dup2(pair[1], 1);
        run_cell(cell, number);
        fflush(stdout);
        _exit(0);
    }
    close(pair[1]);
    cell->result = pair[0];
    return cell->worker > 0;
}

static void
finish(struct cell *cell)
{
    char text[sizeof(cell->text)] = "Ecrash";
    ssize_t n = read(cell->result, text, sizeof(text) - 1);

    if (n > 0)
        text[n] = '\0';
    close(cell->result);
    cell->failed = text[0] == 'E';
    cell->skipped = text[0] == 'S';
    cell->expected = text[0] == 'X';
    snprintf(cell->text, sizeof(cell->text), "%.30s", text + 1);
}

static bool
is_greedy(const char *server)
{
    for (size_t i = 0; i < LENGTH(greedy); i++)
        if (strcmp(server, greedy[i]) == 0)
            return true;
    return false;
}

_Noreturn static void
die(const char *what)
{
    fprintf(stderr, "orphan-driver: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void
run_all(struct cell *cells, size_t n, size_t jobs)
{
    size_t next = 0, running = 0;

    while (next < n || running) {
        siginfo_t info;

        while (next < n && running < jobs && (!cells[next].alone || !running)) {
            if (!begin(&cells[next], next))
                die("cannot begin a cell");
            running++;
            next++;
            if (cells[next - 1].alone)
                break;
        }
        if (waitid(P_PGID, 0, &info, WEXITED) < 0)
            die("waitid");
        /* Clear the id of the worker that ended, because some servers use up process ids
         * so fast that a later worker gets the same id. */
        for (size_t i = 0; i < next; i++)
            if (cells[i].worker == info.si_pid) {
                cells[i].worker = 0;
                finish(&cells[i]);
                running--;
            }
    }
}

static void
list_servers(void)
{
    char command[512], line[64];
    FILE *list;

    snprintf(command, sizeof(command), "'%s'", server_path);
    list = popen(command, "r");
    while (list && n_servers < LENGTH(servers) && fgets(line, sizeof(line), list)) {
        line[strcspn(line, "\n")] = '\0';
        servers[n_servers++] = strdup(line);
    }
    if (list)
        pclose(list);
}

static bool
wanted(const char *name, char option, int argc, char **argv)
{
    bool any = false;

    for (int i = 4; i + 1 < argc; i += 2) {
        if (argv[i][1] != option)
            continue;
        any = true;
        if (strcmp(argv[i + 1], name) == 0)
            return true;
    }
    return !any;
}

/* Returns true if the driver leaves out an event for a server.  The server `stops-warden`
 * stops the warden and kills the inner guard itself.  An event that kills the process
 * group of a guard would then find no inner guard, or would kill the last guard. */
static bool
nothing_happens(const char *server, const struct event *event)
{
    return strcmp(server, "stops-warden") == 0 &&
           (event->victim == INNER_GROUP || event->victim == WARDEN_GROUP);
}

static void
print_table(const struct cell *cells, size_t n, const bool *column)
{
    int passed = 0, failed = 0, expected = 0;

    printf("%-21s", "server (ms, Ln = n left)");
    for (size_t e = 0; e < LENGTH(events); e++)
        if (column[e])
            printf("%8s", events[e].name);
    for (size_t s = 0; s < n_servers; s++) {
        bool any = false;

        for (size_t i = 0; i < n; i++) {
            if (cells[i].server != s)
                continue;
            if (!any)
                printf("\n%-24s", servers[s]);
            any = true;
            printf("%8s", cells[i].text);
            passed += !cells[i].failed && !cells[i].skipped && !cells[i].expected;
            expected += cells[i].expected;
            failed += cells[i].failed;
        }
    }
    printf("\n%d left as documented\n%d passed, %d failed\n", expected, passed, failed);
}

int
main(int argc, char **argv)
{
    static struct cell cells[MAX_CELLS], sorted[MAX_CELLS];
    bool column[LENGTH(events)] = {false};
    size_t n = 0, at = 0, jobs = 6;
    bool failed = false;

    if (argc < 4)
        return 2;
    host_path = argv[1];
    guard_path = argv[2];
    server_path = argv[3];
    for (int i = 4; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "-j") == 0)
            jobs = strtoul(argv[i + 1], NULL, 10);
    if (!mkdtemp(dir))
        return 2;
    list_servers();
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < n_servers; s++)
            for (size_t e = 0; e < LENGTH(events); e++) {
                if (!wanted(servers[s], 's', argc, argv) ||
                    nothing_happens(servers[s], &events[e]) ||
                    !wanted(events[e].name, 'e', argc, argv) ||
                    is_greedy(servers[s]) != (pass == 1) || n == MAX_CELLS)
                    continue;
                column[e] = true;
                cells[n++] =
                    (struct cell){.server = s, .event = &events[e], .alone = pass == 1};
            }
    run_all(cells, n, jobs);
    rmdir(dir);
    for (size_t s = 0; s < n_servers; s++)
        for (size_t i = 0; i < n; i++)
            if (cells[i].server == s)
                sorted[at++] = cells[i];
    print_table(sorted, n, column);
    for (size_t i = 0; i < n; i++)
        failed = failed || cells[i].failed;
    return failed;
}
