/* SPDX-License-Identifier: MIT
 *
 * terminal.c - runs a program on a pseudo-terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support/runner.h"
#include "support/terminal.h"

bool
terminal_is_possible(const char *test)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool has = fd >= 0 && grantpt(fd) == 0;

    if (!has)
        printf("%s: not run, there are no pseudo-terminals: %s\n", test, strerror(errno));
    if (fd >= 0)
        close(fd);
    return has;
}

/* Turns the child process into the program, with the slave side as its terminal. */
static void
become(const char *slave_name, const char *dir, char **argv, char **environment)
{
    int slave;

    if (setsid() < 0)
        _exit(126);
    slave = open(slave_name, O_RDWR);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0 || dup2(slave, 0) < 0 ||
        dup2(slave, 1) < 0 || dup2(slave, 2) < 0 || chdir(dir) < 0)
        _exit(126);
    if (slave > 2)
        close(slave);
    execve(argv[0], argv, environment);
    _exit(127);
}

void
terminal_up(struct terminal *t, int rows, int columns, const char *dir, char **argv,
            char **environment)
{
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)columns};
    char name[128];

    *t = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    ck_assert_int_ge(t->master, 0);
    ck_assert_int_eq(grantpt(t->master), 0);
    ck_assert_int_eq(unlockpt(t->master), 0);
    ck_assert_int_eq(ptsname_r(t->master, name, sizeof(name)), 0);
    ck_assert_int_eq(ioctl(t->master, TIOCSWINSZ, &size), 0);
    ck_assert_int_eq(tcgetattr(t->master, &t->before), 0);
    t->pid = fork();
    ck_assert_int_ge(t->pid, 0);
    if (t->pid == 0)
        become(name, dir, argv, environment);
}

bool
terminal_take(struct terminal *t, int ms)
{
    struct pollfd pfd = {.fd = t->master, .events = POLLIN};
    ssize_t n;

    if (poll(&pfd, 1, ms) <= 0)
        return true;
    t->seen = realloc(t->seen, t->n_seen + 65537);
    ck_assert_ptr_nonnull(t->seen);
    n = read(t->master, t->seen + t->n_seen, 65536);
    if (n > 0)
        t->n_seen += (size_t)n;
    t->seen[t->n_seen] = '\0';
    return n > 0;
}

void
terminal_type(struct terminal *t, const char *s)
{
    ck_assert_int_eq(write(t->master, s, strlen(s)), (ssize_t)strlen(s));
}

void
terminal_down(struct terminal *t)
{
    close(t->master);
    free(t->seen);
    t->seen = NULL;
}
