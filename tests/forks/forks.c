/* SPDX-License-Identifier: MIT
 *
 * forks.c - forks a process while the library's thread dispatches.
 *
 *   forks [-n FORKS] [-d DEADLINE_MS]
 *
 * Each child releases the last reference to the host and exits.  Meanwhile two servers
 * answer calls without a pause, so that a fork can copy the memory in the middle of any
 * change.  Each child must exit by the deadline, without a signal and with no descriptor
 * of the host left open.  The calls of the parent continue.
 *
 * The last line is `N passed, N failed`.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#define N_CALLS 64 /* calls that the program keeps in flight */

static mcphost *host;
static mcphost_dialog *dialog;
static atomic_long n_done, n_failed;
static atomic_bool over;
static int loop_fd;
static char dir[64];

static void __attribute__((noreturn)) fail(const char *what, long n)
{
    printf("forks: fork %ld: %s\n0 passed, 1 failed\n", n, what);
    fflush(stdout);
    _exit(1);
}

/* ---- traffic ----------------------------------------------------------------------- */

static void start_call(unsigned n);

static void
on_done(mcphost_call *call, void *arg)
{
    if (!mcphost_call_get_result(call) && !atomic_load(&over))
        atomic_fetch_add(&n_failed, 1);
    atomic_fetch_add(&n_done, 1);
    if (!atomic_load(&over))
        start_call((unsigned)(uintptr_t)arg);
}

static void
start_call(unsigned n)
{
    mcphost_call *call = NULL;
    int r = mcphost_call_new(dialog, n % 2 ? "a_echo" : "b_echo", "{\"text\":\"hello\"}",
                             16, &call, NULL);

    if (r == 0)
        r = mcphost_call_start(call, on_done, (void *)(uintptr_t)n, NULL);
    if (r < 0 && !atomic_load(&over))
        fail(mcphost_strerror(r), 0);
    mcphost_call_unref(call);
}

/* ---- the host ---------------------------------------------------------------------- */

static void
write_workspace(void)
{
    char path[96];
    FILE *f;

    snprintf(dir, sizeof(dir), "/tmp/mcphost-forks.XXXXXX");
    if (!mkdtemp(dir))
        fail("no directory", 0);
    snprintf(path, sizeof(path), "%s/.minds", dir);
    if (mkdir(path, 0700) < 0)
        fail("no directory", 0);
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", dir);
    f = fopen(path, "we");
    if (!f)
        fail("no file", 0);
    fputs("version: 1\nservers:\n", f);
    for (const char *id = "ab"; *id; id++)
        fprintf(f,
                "  %c:\n    transport: stdio\n    command: \"%s/fakeserver\"\n    "
                "transform: [{prefix: %c_}]\n"
                "    truely-stateless: true\n",
                *id, MCPH_TEST_PROGDIR, *id);
    if (fclose(f) != 0)
        fail("the file cannot be written", 0);
}

static void
remove_workspace(void)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/.minds", dir);
    rmdir(path);
    rmdir(dir);
}

static void
begin(void)
{
    write_workspace();
    if (mcphost_new(&host, NULL) < 0 ||
        mcphost_set_guard_path(host, MCPH_TEST_BINDIR "/mcphost-guard") < 0 ||
        mcphost_set_option(host, MCPHOST_OPT_STOP_EOF, 200) < 0 ||
        mcphost_set_option(host, MCPHOST_OPT_STOP_TERM, 200) < 0 ||
        mcphost_load_workspace(host, dir, NULL, NULL) < 0 ||
        mcphost_wait_ready(host, 30000) != 1 ||
        mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL) < 0)
        fail("no host", 0);
    loop_fd = mcphost_get_fd(host);
    if (mcphost_thread_start(host) < 0)
        fail("no thread", 0);
    for (unsigned i = 0; i < N_CALLS; i++)
        start_call(i);
}

static void
end(void)
{
    atomic_store(&over, true);
    mcphost_close(host);
    while (mcphost_thread_stop(host) == MCPHOST_E_BUSY)
        ;
    while (mcphost_wait(host, 1000) >= 0)
        ;
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    remove_workspace();
}

/* ---- forks ------------------------------------------------------------------------- */

/* Counts open pipes and sockets above descriptor 2.  Makes only system calls, because a
 * lock that another thread held at the fork stays locked in the child. */
static int
count_pipes(void)
{
    struct stat status;
    int n = 0;

    for (int fd = 3; fd < 256; fd++)
        n += fstat(fd, &status) == 0 &&
             (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    return n;
}

static void __attribute__((noreturn)) be_child(int pipes_before)
{
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    if (fcntl(loop_fd, F_GETFD) >= 0)
        _exit(2);
    _exit(count_pipes() > pipes_before ? 3 : 0);
}

static void
fork_once(long n, int pipes_before, int64_t deadline_ms)
{
    pid_t pid = fork();
    struct pollfd child;
    int status;

    if (pid < 0)
        fail("no process", n);
    if (pid == 0)
        be_child(pipes_before);
    child = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (poll(&child, 1, (int)deadline_ms) != 1) {
        kill(pid, SIGABRT);
        fail("the child does not end", n);
    }
    close(child.fd);
    if (waitpid(pid, &status, 0) != pid)
        fail("the child is lost", n);
    if (WIFSIGNALED(status))
        fail("a signal ended the child", n);
    if (WEXITSTATUS(status) == 2)
        fail("the child holds the loop's descriptor", n);
    if (WEXITSTATUS(status) == 3)
        fail("the child holds a pipe or socket of the host", n);
    if (WEXITSTATUS(status) != 0)
        fail("the child fails", n);
}

int
main(int argc, char **argv)
{
    long forks = 200, deadline_ms = 30000;
    struct timespec pause = {0};
    int c, pipes;

    setvbuf(stdout, NULL, _IOLBF, 0);
    while ((c = getopt(argc, argv, "n:d:")) != -1) {
        if (c == 'n')
            forks = strtol(optarg, NULL, 10);
        else if (c == 'd')
            deadline_ms = strtol(optarg, NULL, 10);
        else
            _exit(2);
    }
    pipes = count_pipes();
    begin();
    for (long n = 0; n < forks; n++) {
        fork_once(n, pipes, deadline_ms);
        pause.tv_nsec = n * 7919 % 400000;
        nanosleep(&pause, NULL);
    }
    if (atomic_load(&n_failed))
        fail("a call of the parent failed", forks);
    end();
    printf("forks: %ld children, %ld calls meanwhile\n", forks, atomic_load(&n_done));
    printf("%ld passed, 0 failed\n", forks);
    return 0;
}
