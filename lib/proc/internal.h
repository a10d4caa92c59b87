/* SPDX-License-Identifier: MIT
 *
 * internal.h - declarations that the files of lib/proc share: the process object.
 */
#ifndef MCPH_PROC_INTERNAL_H
#define MCPH_PROC_INTERNAL_H

#include <dirent.h>

#include "proc/guard_proto.h"
#include "proc/proc.h"

#define MCPH_COOKIE_HEX 33 /* 16 random bytes as 32 hex digits, and a NUL */

/* The time in ms during which the guard sends SIGKILL before it reports the processes
 * that are left. */
#define MCPH_GUARD_KILL_MS 1000

#define MCPH_PROC_ERROR_LINE 1024

/* The last bytes of stderr, and the line that is being assembled. */
struct mcph_proc_stderr {
    struct mcph_source source;
    int fd;
    char *ring;          /* grows by doubling to MCPH_PROC_RING_MAX */
    size_t cap, len, at; /* bytes allocated, bytes used, index of the next byte */
    struct mcph_buf line;
    char error[MCPH_PROC_ERROR_LINE]; /* the first line of the last error, or "" */
    int64_t error_at;
    bool skipping;  /* set while the rest of a line that is too long is dropped */
    int64_t window; /* the current second; `lines` counts its lines */
    unsigned lines;
    uint64_t lost;
};

/* The step that the stop of a process has reached.  The value only grows. */
enum mcph_proc_phase {
    MCPH_PHASE_RUN,
    MCPH_PHASE_EOF,   /* stdin is closed */
    MCPH_PHASE_TERM,  /* SIGTERM was requested */
    MCPH_PHASE_KILL,  /* SIGKILL was requested */
    MCPH_PHASE_POKED, /* the guard did not answer, and was woken up */
    MCPH_PHASE_CUT    /* the guard was killed; the host does the guard's work */
};

struct mcph_proc {
    struct mcph_core *core;
    const struct mcph_proc_ops *ops;
    void *arg;
    char *server, *program;
    int64_t stop_eof_ms, stop_term_ms;
    unsigned depth; /* number of nested mcph_proc_enter() calls without their
                     * mcph_proc_leave(), plus 1 while mcph_proc_free() waits; the memory
                     * is not freed while this is not 0 */
    bool dead;      /* freed by the owner; the outermost handler frees the memory */

    int in, out; /* the host's ends of stdin and stdout */
    struct mcph_proc_stderr err;

    bool guarded;
    unsigned guard_flags;
    struct mcph_source lifeline, child_source; /* sources of lifeline_fd and childfd */
    int lifeline_fd;
    pid_t child;           /* the guard, or the server if there is no guard */
    int childfd, serverfd; /* pidfds of `child` and of the server; -1 for none */
    pid_t pid;             /* the server's pid */
    char cookie[MCPH_COOKIE_HEX];
    mcphost_error *unguarded; /* why there is no guard; NULL once reported */
    int containment;          /* the configured MCPHOST_CONTAINMENT_* */
    unsigned features;        /* the guard's MCPH_GUARD_HAS_* */
    char *cgroup;             /* the group that the guard may have made, or NULL */

    enum mcph_proc_phase phase;
    struct mcph_timer step; /* the next step of the stop */
    struct mcph_timer tick; /* drives the first event, the polling without pidfds, and
                             * the passes of the sweep */
    bool announced;         /* the first event of a start without guard was sent */
    bool started, failed, exited;
    bool empty;  /* the guard proved that the tree is empty or reported a failed start,
                  * or the sweep has ended */
    bool reaped; /* the child is dead, and its pid can be reused */
    bool left;   /* the guard reported survivors and continues to kill; without a guard:
                  * the server did not end in time after SIGKILL */
    bool gone;

    bool sweeping;
    DIR *procfs;       /* open during a pass of the sweep */
    int swept;         /* processes killed in this pass, plus 1 if the control group is
                        * still in use after the pass */
    int clean;         /* passes in a row that found no process */
    int64_t sweep_end; /* deadline of the sweep; monotonic ms */
};

/* Each event handler calls mcph_proc_enter() first and mcph_proc_leave() last.
 * mcph_proc_leave() may free the proc. */
void mcph_proc_enter(struct mcph_proc *proc);
void mcph_proc_leave(struct mcph_proc *proc);

/* events.c: report events.  Check proc->dead after each call, because each function may
 * run the owner's code. */
void mcph_proc_announce(struct mcph_proc *proc);
void mcph_proc_tell_started(struct mcph_proc *proc, pid_t pid);
void mcph_proc_tell_failed(struct mcph_proc *proc, int sys_errno, int stage);
void mcph_proc_tell_exited(struct mcph_proc *proc, int code, int status);
void mcph_proc_tell_left(struct mcph_proc *proc, int n);
/* Calls on_gone if no process of the tree is left and the guard has ended. */
void mcph_proc_check_gone(struct mcph_proc *proc);

int mcph_proc_no_cgroup(mcphost_error **reterr, const struct mcph_proc *proc,
                        int sys_errno);

/* launch.c: start the process. */
int mcph_proc_launch(struct mcph_proc *proc, const struct mcph_proc_spec *spec,
                     mcphost_error **reterr);

/* stderr.c: read the server's stderr. */
void mcph_proc_stderr_init(struct mcph_proc *proc);
void mcph_proc_stderr_done(struct mcph_proc *proc);
/* Reads the available bytes, up to a turn's budget.  `last` means that the server has
 * ended.  The budget is then larger, so that the tail gets the server's last output. */
void mcph_proc_stderr_drain(struct mcph_proc *proc, bool last);

/* lifeline.c: the host's end of the guard's socket. */
void mcph_proc_on_lifeline(struct mcph_source *source, uint32_t events);
void mcph_proc_close_lifeline(struct mcph_proc *proc);
/* Ends the tree without a guard: kills the server's group and the host's child, and
 * starts the sweep.  Call this if the tree may not be empty, and no guard is left or the
 * guard does not answer. */
void mcph_proc_guard_lost(struct mcph_proc *proc);
void mcph_proc_ask_guard(struct mcph_proc *proc, char what);

/* child.c: the host's child, which is the warden, the guard if there is no warden, or a
 * server without a guard. */
void mcph_proc_on_child(struct mcph_source *source, uint32_t events);
void mcph_proc_reap(struct mcph_proc *proc);
void mcph_proc_signal_group(struct mcph_proc *proc, int sig);
/* Signals the warden, or the guard if there is no warden. */
void mcph_proc_signal_guard(struct mcph_proc *proc, int sig);

/* stop.c: the steps from closing stdin to SIGKILL. */
void mcph_proc_on_step(struct mcph_timer *timer);
void mcph_proc_on_tick(struct mcph_timer *timer);
void mcph_proc_cut(struct mcph_proc *proc);          /* kills the guard and ends the
                                                      * tree */
void mcph_proc_server_ended(struct mcph_proc *proc); /* continues the stop */

/* cgroup.c: control groups. */
#define MCPH_CGROUP_PREFIX "mcphost-"
/* Sends SIGKILL to every process of a group and removes the group's directory.  Returns
 * false if the directory cannot be opened, or cannot be removed because it is still in
 * use.  Returns true in all other cases, also if the directory did not exist. */
bool mcph_cgroup_end(const char *path);

/* sweep.c: kill the processes that have the cookie. */
void mcph_proc_sweep_start(struct mcph_proc *proc);
/* Runs one slice of a pass.  Returns true if the sweep is finished. */
bool mcph_proc_sweep_slice(struct mcph_proc *proc);
void mcph_proc_sweep_done(struct mcph_proc *proc);

#endif
