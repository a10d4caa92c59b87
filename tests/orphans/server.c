/* SPDX-License-Identifier: MIT
 *
 * server.c - servers that are hard to end, one for each mode.
 *
 *   orphan-server MODE
 *
 * Every process of a tree holds the FIFO $ORPHANS_LIFE open for writing.  The reader of
 * the FIFO therefore gets the end of the file when the last process ends, even if the
 * processes change their ids quickly.  When the tree has been started, the server writes
 * "ready".  It writes "cannot" if it cannot do the work of its mode.  A process that does
 * not wait for the end of its stdin ends itself after LIFE_S, because a tree that the
 * test has lost must not use up the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIFE_S 15

static time_t end_s;

static time_t
now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void
pause_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

_Noreturn static void
forever(void)
{
    while (now_s() < end_s)
        pause_ms(500);
    _exit(0);
}

static void
ignore_term(void)
{
    signal(SIGTERM, SIG_IGN);
}

static void
ready(void)
{
    (void)!write(1, "ready\n", 6);
}

static void
until_eof(void)
{
    char buf[256];
    ssize_t n;

    do
        n = read(0, buf, sizeof(buf));
    while (n > 0 || (n < 0 && errno == EINTR));
}

_Noreturn static void
polite(void)
{
    ready();
    until_eof();
    exit(0);
}

_Noreturn static void
ignores_eof(void)
{
    ready();
    forever();
}

_Noreturn static void
ignores_all(void)
{
    for (int sig = 1; sig < 65; sig++)
        signal(sig, SIG_IGN);
    ready();
    forever();
}

_Noreturn static void
shell(void)
{
    execl("/bin/sh", "sh", "-c", "sleep 15 & echo ready; wait", (char *)NULL);
    exit(1);
}

_Noreturn static void
setsid_child(void)
{
    ignore_term();
    if (fork() == 0) {
        setsid();
        forever();
    }
    polite();
}

/* Makes a daemon with two forks.  The daemon's parent has ended when this function
 * returns. */
static void
make_daemon(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        ignore_term();
        forever();
    }
    waitpid(pid, NULL, 0);
}

_Noreturn static void
daemon_polite(void)
{
    make_daemon();
    polite();
}

_Noreturn static void
daemon_exits(void)
{
    make_daemon();
    ready();
    exit(7);
}

_Noreturn static void
bomb(void)
{
    ignore_term();
    for (int i = 0; i < 200; i++)
        if (fork() == 0) {
            if (i % 3 == 0)
                setsid();
            forever();
        }
    polite();
}

_Noreturn static void
attack(int sig)
{
    pid_t guard = getppid();

    ready();
    pause_ms(20);
    if (guard > 1 && getppid() == guard)
        kill(guard, sig);
    forever();
}

_Noreturn static void
kills_guard(void)
{
    attack(SIGKILL);
}

_Noreturn static void
stopped(void)
{
    ready();
    raise(SIGSTOP);
    until_eof();
    exit(0);
}

_Noreturn static void
closes_fds(void)
{
    ignore_term();
    ready();
    close(0);
    close(1);
    close(2);
    forever();
}

/* Forks again and again, and ends each parent at once.  No process lives long enough for
 * the guard to inspect it. */
_Noreturn static void
hop(bool session)
{
    while (now_s() < end_s) {
        pid_t pid = fork();

        if (pid != 0) /* a failed fork() ends the tree */
            _exit(0);
        if (session)
            setsid();
    }
    _exit(0);
}

static void
start_hopper(bool session)
{
    if (fork() == 0) {
        ignore_term();
        hop(session);
    }
}

_Noreturn static void
hopper(void)
{
    ignore_term();
    ready();
    hop(false);
}

_Noreturn static void
hopper_setsid(void)
{
    ignore_term();
    ready();
    hop(true);
}

_Noreturn static void
hoppers(void)
{
    for (int i = 0; i < 8; i++)
        start_hopper(true);
    ready();
    exit(0);
}

_Noreturn static void
supervisor(void)
{
    ignore_term();
    ready();
    while (now_s() < end_s) {
        pid_t pid = fork();

        if (pid < 0)
            break;
        if (pid == 0) {
            setsid();
            forever();
        }
        waitpid(pid, NULL, 0);
    }
    _exit(0);
}

_Noreturn static void
chain(void)
{
    ignore_term();
    for (int i = 0; i < 100; i++) {
        if (fork() != 0) {
            if (i > 0)
                forever();
            polite();
        }
        setsid();
    }
    forever();
}

static void *
daemons_of_thread(void *arg)
{
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            setsid();
            ignore_term();
            forever();
        }
    }
    return arg;
}

_Noreturn static void
threads(void)
{
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, daemons_of_thread, NULL))
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    polite();
}

/* Starts a child that adopts the orphans of its own tree, as the guard does. */
_Noreturn static void
subreaper(void)
{
    if (fork() == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        ignore_term();
        setsid();
        for (int i = 0; i < 3; i++)
            make_daemon();
        forever();
    }
    pause_ms(20);
    polite();
}

_Noreturn static void
new_pid_namespace(void)
{
    if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0) {
        (void)!write(1, "cannot\n", 7);
        exit(0);
    }
    if (fork() == 0) {
        for (int i = 0; i < 3; i++)
            make_daemon();
        forever(); /* this process is the namespace's init; it reaps no orphans */
    }
    pause_ms(20);
    polite();
}

_Noreturn static void
siblings(void)
{
    for (int i = 0; i < 3; i++)
        if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) {
            setsid();
            ignore_term();
            forever();
        }
    polite();
}

_Noreturn static void
kills_guard_has_daemon(void)
{
    make_daemon();
    attack(SIGKILL);
}

_Noreturn static void
kills_guard_on_eof(void)
{
    make_daemon();
    ready();
    until_eof();
    if (getppid() > 1)
        kill(getppid(), SIGKILL);
    forever();
}

_Noreturn static void
stops_guard(void)
{
    make_daemon();
    ignore_term();
    attack(SIGSTOP);
}

/* Makes a daemon with an empty environment, so that the library cannot recognize the
 * daemon by its environment. */
static void
make_clean_daemon(void)
{
    static char *argv[] = {"orphan-server", "daemon-of", NULL}, *none[] = {NULL};
    pid_t pid = fork();

    if (pid == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        execve("/proc/self/exe", argv, none); /* keeps the FIFO open */
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    pause_ms(20);
}

_Noreturn static void
daemon_of(void)
{
    ignore_term();
    forever();
}

_Noreturn static void
clean_daemon(void)
{
    make_clean_daemon();
    polite();
}

/* Returns the parent of a guard if the parent is a guard, too.  Otherwise returns 0. */
static pid_t
warden_of(pid_t guard)
{
    char path[64], text[256] = "", *end;
    pid_t parent = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)guard);
    file = fopen(path, "r");
    if (file && fgets(text, sizeof(text), file)) {
        end = strrchr(text, ')');
        parent = end ? (pid_t)strtol(end + 4, NULL, 10) : 0;
    }
    if (file)
        fclose(file);
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)parent);
    file = parent > 1 ? fopen(path, "r") : NULL;
    if (!file || !fgets(text, sizeof(text), file) || !strstr(text, "mcphost-guard"))
        parent = 0;
    if (file)
        fclose(file);
    return parent;
}

/* Kills the process group of a guard.  Does nothing if the number of the process or of
 * its group is at most 1.  The server gets these numbers inside a PID namespace, where it
 * cannot see the guard. */
static void
kill_group_of(pid_t pid)
{
    pid_t group = pid > 1 ? getpgid(pid) : 0;

    if (group > 1)
        kill(-group, SIGKILL);
}

_Noreturn static void
kills_guard_group(void)
{
    make_daemon();
    ready();
    pause_ms(20);
    kill_group_of(getppid());
    forever();
}

_Noreturn static void
kills_warden_group(void)
{
    make_daemon();
    ready();
    pause_ms(20);
    kill_group_of(warden_of(getppid()));
    forever();
}

/* Kills the warden and the guard from a process that the kernel does not end together
 * with the guard. */
_Noreturn static void
attack_both(void)
{
    pid_t guard = getppid(), warden = warden_of(guard);

    if (warden > 1 && guard > 1 && fork() == 0) {
        setsid();
        pause_ms(20);
        kill(warden, SIGSTOP); /* the warden then cannot take over */
        kill(guard, SIGSTOP);  /* the guard then cannot replace the warden */
        kill(guard, SIGKILL);
        kill(warden, SIGKILL);
        _exit(0);
    }
    ready();
    forever();
}

/* Stops the warden and kills the guard.  The kernel then ends this process together with
 * the guard, and the warden stays stopped. */
_Noreturn static void
stops_warden(void)
{
    pid_t guard = getppid(), warden = warden_of(guard);

    make_daemon();
    ready();
    pause_ms(20);
    if (warden > 1 && guard > 1) {
        kill(warden, SIGSTOP);
        kill(guard, SIGKILL);
    }
    forever();
}

_Noreturn static void
kills_both(void)
{
    make_daemon();
    attack_both();
}

_Noreturn static void
kills_both_clean(void)
{
    make_clean_daemon();
    attack_both();
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"well-behaved", polite},
    {"ignores-eof", ignores_eof},
    {"ignores-all-signals", ignores_all},
    {"shell-and-sleep", shell},
    {"setsid-child", setsid_child},
    {"daemon", daemon_polite},
    {"daemon-server-exits", daemon_exits},
    {"fork-bomb-200", bomb},
    {"kills-guard", kills_guard},
    {"stops-itself", stopped},
    {"closes-fds", closes_fds},
    {"hopper", hopper},
    {"hopper-setsid", hopper_setsid},
    {"8-hoppers", hoppers},
    {"supervisor", supervisor},
    {"chain-100", chain},
    {"4-threads", threads},
    {"own-subreaper", subreaper},
    {"new-pid-namespace", new_pid_namespace},
    {"clone-parent", siblings},
    {"kills-guard-daemon", kills_guard_has_daemon},
    {"kills-guard-on-eof", kills_guard_on_eof},
    {"stops-guard", stops_guard},
    {"clean-daemon", clean_daemon},
    {"kills-guard-group", kills_guard_group},
    {"kills-warden-group", kills_warden_group},
    {"stops-warden", stops_warden},
    {"kills-both", kills_both},
    {"kills-both-clean", kills_both_clean},
    {"daemon-of", daemon_of}, /* for make_clean_daemon() only; main() does not list it */
};

int
main(int argc, char **argv)
{
    const char *life = getenv("ORPHANS_LIFE");

    if (argc < 2) {
        for (size_t i = 0; i + 1 < sizeof(modes) / sizeof(modes[0]); i++)
            puts(modes[i].name);
        return 0;
    }
    end_s = now_s() + LIFE_S;
    if (life && open(life, O_WRONLY) < 0)
        return 2;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    return 2;
}
