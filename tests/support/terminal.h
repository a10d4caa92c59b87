/* SPDX-License-Identifier: MIT
 *
 * terminal.h - a program on a pseudo-terminal whose other side is the test.
 */
#ifndef TESTS_SUPPORT_TERMINAL_H
#define TESTS_SUPPORT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
    int master;
    pid_t pid;
    char *seen; /* all that came; NULL: nothing yet */
    size_t n_seen;
    struct termios before;
};

/* False, and said on stdout, when the system has none. */
bool terminal_is_possible(const char *test);
/* Starts argv[0] in `dir`, in a session of its own, so that ^C is a signal. */
void terminal_up(struct terminal *t, int rows, int columns, const char *dir, char **argv,
                 char **environment);
/* Takes what is there, after at most `ms`; false when the other side is closed. */
bool terminal_take(struct terminal *t, int ms);
void terminal_type(struct terminal *t, const char *s);
/* Frees what was seen.  The process is the test's to wait for. */
void terminal_down(struct terminal *t);

#endif
