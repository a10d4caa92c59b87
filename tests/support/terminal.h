/* SPDX-License-Identifier: MIT
 *
 * terminal.h - runs a program on a pseudo-terminal whose master side the test holds.
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
    char *seen; /* all output so far; NULL before the first output */
    size_t n_seen;
    struct termios before;
};

/* Checks whether the system has pseudo-terminals.  If not, prints on stdout that `test`
 * is not run, and returns false. */
bool terminal_is_possible(const char *test);
/* Starts argv[0] in `dir`, in a session of its own, so that ^C sends a signal. */
void terminal_up(struct terminal *t, int rows, int columns, const char *dir, char **argv,
                 char **environment);
/* Waits at most `ms` for output and adds the output to `seen`.  Returns false if the
 * slave side is closed. */
bool terminal_take(struct terminal *t, int ms);
void terminal_type(struct terminal *t, const char *s);
/* Closes the terminal and frees `seen`.  The test itself waits for the process. */
void terminal_down(struct terminal *t);

#endif
