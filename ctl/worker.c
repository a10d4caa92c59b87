/* SPDX-License-Identifier: MIT
 *
 * worker.c - run a user's command for one answer.
 *
 * The command never outlives mcphostctl.
 *
 *   mcphostctl --socket-- supervisor --waits for-- command, in a group of its own
 *
 * The supervisor is a fork of mcphostctl without the descriptors of mcphostctl.  It kills
 * the command's process group when the command has ended or the socket closes.  The
 * socket also closes when mcphostctl is killed.  If the supervisor itself is killed, the
 * kernel kills the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"

/* The longest time in ms that a supervisor may take to end after its socket was
 * closed. */
#define STOP_MS 1000
/* The supervisor's descriptors.  The supervisor closes all descriptors from FIRST_UNUSED
 * on. */
enum { LINE_FD = 3, SIGNAL_FD = 4, FIRST_UNUSED = 5 };

/* ---- in the children: system calls only -------------------------------------------- */

static void
close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST_UNUSED, ~0U, 0) == 0)
        return;
#endif
    for (int fd = FIRST_UNUSED; fd < 65536; fd++)
        close(fd);
}

static void __attribute__((noreturn)) become_command(char *const *argv, pid_t supervisor)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    sigemptyset(&none);
    if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
        getppid() != supervisor || sigaction(SIGPIPE, &standard, NULL) < 0 ||
        sigprocmask(SIG_SETMASK, &none, NULL) < 0)
        _exit(126);
    close(LINE_FD);
    close(SIGNAL_FD);
    execvp(argv[0], argv);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Returns true if the command has ended.  Returns false if the command has only stopped.
 * Does not reap the command, because the command's process id is also the id of its
 * group.  The id must not be used again before the group is killed. */
static int
has_ended(pid_t pid)
{
    struct signalfd_siginfo signal;
    siginfo_t info = {.si_pid = 0};

    (void)!read(SIGNAL_FD, &signal, sizeof(signal));
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) < 0 ||
           info.si_pid == pid;
}

static void __attribute__((noreturn)) supervise(pid_t pid)
{
    struct pollfd fds[2] = {{.fd = LINE_FD, .events = POLLIN},
                            {.fd = SIGNAL_FD, .events = POLLIN}};
    int status = 0, told = 0;

    while (!told && !fds[0].revents) {
        if (poll(fds, 2, -1) > 0)
            told = fds[1].revents && has_ended(pid);
        else
            fds[0].revents = 0;
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    /* Reap the other processes of the command's group.  These processes are children of
     * the supervisor now. */
    while (waitpid(-pid, NULL, 0) > 0)
        ;
    if (told)
        (void)!send(LINE_FD, &status, sizeof(status), MSG_NOSIGNAL);
    _exit(0);
}

static void __attribute__((noreturn))
become_supervisor(char *const *argv, int in, int out, int line)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    pid_t pid, self = getpid();
    sigset_t child, all;
    int fd;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    /* Block all signals.  A signal that a terminal sends to the whole group must not end
     * the supervisor before the supervisor has killed the command. */
    sigfillset(&all);
    /* Move the descriptors away from the numbers that dup2() is about to fill. */
    in = fcntl(in, F_DUPFD, 16);
    out = fcntl(out, F_DUPFD, 16);
    line = fcntl(line, F_DUPFD, 16);
    if (sigaction(SIGCHLD, &standard, NULL) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
        sigprocmask(SIG_BLOCK, &all, NULL) < 0 || dup2(in, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(line, LINE_FD) < 0)
        _exit(126);
    fd = signalfd(-1, &child, 0);
    if (fd < 0 || (fd != SIGNAL_FD && dup2(fd, SIGNAL_FD) < 0))
        _exit(126);
    close_others();
    pid = fork();
    if (pid < 0)
        _exit(126);
    if (pid == 0)
        become_command(argv, self);
    /* Make the group here, too, because the child may call setpgid() only later. */
    (void)setpgid(pid, pid);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    supervise(pid);
}

/* ---- in mcphostctl itself ---------------------------------------------------------- */

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int
worker_start(struct worker *w, char *const *argv)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, line[2] = {-1, -1}, e;

    *w = (struct worker){-1, -1, -1, -1};
    if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) == 0)
        w->pid = fork();
    e = errno;
    if (w->pid == 0)
        become_supervisor(argv, in[0], out[1], line[1]);
    close_fd(&in[0]);
    close_fd(&out[1]);
    close_fd(&line[1]);
    w->in = in[1];
    w->out = out[0];
    w->line = line[0];
    if (w->pid > 0 && fcntl(w->in, F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(w->out, F_SETFL, O_NONBLOCK) == 0)
        return 0;
    worker_stop(w);
    errno = e;
    return -1;
}

int
worker_has_ended(struct worker *w, int *ret_status)
{
    int status;
    ssize_t n = recv(w->line, &status, sizeof(status), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n != (ssize_t)sizeof(status))
        return -1;
    *ret_status = status;
    return 1;
}

void
worker_stop(struct worker *w)
{
    struct pollfd line = {.fd = w->line, .events = POLLIN};
    char rest[16];
    int r;

    close_fd(&w->in);
    close_fd(&w->out);
    if (w->pid > 0) {
        /* Wait until the supervisor ends and its end of the socket closes.  Continue to
         * wait after a signal, because an early kill of the supervisor would leave the
         * command's group behind. */
        shutdown(w->line, SHUT_WR);
        do {
            r = poll(&line, 1, STOP_MS);
        } while ((r < 0 && errno == EINTR) ||
                 (r > 0 && recv(w->line, rest, sizeof(rest), 0) > 0));
        kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        w->pid = -1;
    }
    close_fd(&w->line);
}
