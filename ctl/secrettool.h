/* SPDX-License-Identifier: MIT
 *
 * secrettool.h - run the program secret-tool(1) once.
 */
#ifndef CTL_SECRETTOOL_H
#define CTL_SECRETTOOL_H

#include <stddef.h>

#include <mcphost/mcphost.h>

/* The outputs of a run of secret-tool.  Each text ends with a NUL. */
struct tool_run {
    char *out; /* may be secret */
    char *err;
    size_t out_len, err_len;
    int status; /* the exit status, or -1 after a signal */
};

/* Runs secret-tool with these arguments, and waits for its end.  `input` becomes its
 * standard input; NULL means no input.  Returns 0 or an error with a message.  Call
 * tool_done() in both cases. */
int tool_run(struct tool_run *run, const char *const *argv, const char *input,
             mcphost_error **reterr);
/* Wipes and frees the texts. */
void tool_done(struct tool_run *run);
/* Makes the error "WHAT: WHY", with the first line of `why`.  Returns `code`, or
 * MCPHOST_E_INVALID without an error if the text is not UTF-8. */
int tool_fail(int code, const char *what, const char *why, mcphost_error **reterr);

#endif
