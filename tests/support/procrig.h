/* SPDX-License-Identifier: MIT
 *
 * procrig.h - one server process under test, with an event loop (struct mcph_core) of its
 * own.
 *
 * The rig counts the events of lib/proc.  procrig_down() fails the test if a child is
 * left, or if the number of descriptors is not the same as at procrig_up().
 */
#ifndef TESTS_SUPPORT_PROCRIG_H
#define TESTS_SUPPORT_PROCRIG_H

#include "proc/proc.h"

struct rig {
    struct mcph_core *core;
    struct mcph_proc *proc;
    struct mcph_proc_spec spec;
    struct mcph_proc_ops ops;
    char **argv;
    char *env[16];
    int fds_before;

    /* How often each event has occurred.  Only `left` is a sum: the number of processes
     * that the ended servers have left. */
    int started, failed, exited, gone, left, unguarded, lines;
    pid_t pid;
    int code, status;                  /* how the process ended, from on_exited */
    int fail_code, fail_errno;         /* the error, from on_exec_failed */
    char message[1024];                /* error of on_exec_failed or on_unguarded */
    char line[MCPH_PROC_LINE_MAX + 1]; /* the last line of stderr */
    size_t line_len;
    uint64_t lost;
    void (*on_line)(struct rig *rig);
    char out[4096]; /* bytes of stdout that procrig_read_line() has kept */
    size_t out_len;
};

void procrig_up(struct rig *rig); /* sets this build's guard and stop times of 200 ms */
void procrig_down(struct rig *rig);
void procrig_set_env(struct rig *rig, char **env);
/* Starts rig->argv with rig->spec.  Returns 0 or an error code. */
int procrig_try(struct rig *rig, mcphost_error **reterr);
void procrig_start(struct rig *rig, char **argv); /* the start must succeed */
void procrig_end(struct rig *rig); /* frees the process; clears the counts of events */
/* Dispatches until *flag is not 0.  Returns false if *flag is still 0 after `ms`. */
bool procrig_until(struct rig *rig, const int *flag, int ms);
/* Returns the next line of stdout, or "" at the end of stdout.  The test fails if no line
 * comes within `ms`. */
char *procrig_read_line(struct rig *rig, int ms);
/* Reads stdout to its end, or until `ret` is full. */
void procrig_read_all(struct rig *rig, char *ret, size_t size);
/* A fifo that shows whether a process of a server's tree still lives.  The server opens
 * the fifo for writing as descriptor 9 (exec 9>$LIFE).  The server's descendants inherit
 * the descriptor.  procrig_life_ended() notices when no process of the tree is left,
 * because the fifo then has no writer.  The mode of the fifo lets processes of other
 * users write to it, too. */
struct procrig_life {
    char dir[32], fifo[64], var[80]; /* var: "LIFE=PATH" */
    int fd;
};

/* Makes the fifo.  Call this before procrig_up(), because procrig_up() counts the
 * descriptors. */
void procrig_life_up(struct procrig_life *life);
void procrig_life_down(struct procrig_life *life);
bool procrig_life_ended(const struct procrig_life *life, int ms);

int procrig_count_fds(void);
void procrig_no_children(void);
void procrig_sleep(int ms);

#endif
