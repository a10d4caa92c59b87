/* SPDX-License-Identifier: MIT
 *
 * internal.h - what the files of this room share: the process itself.
 */
#ifndef MCPH_PROC_INTERNAL_H
#define MCPH_PROC_INTERNAL_H

#include <dirent.h>

#include "proc/guard_proto.h"
#include "proc/proc.h"

#define MCPH_COOKIE_HEX 33 /* 16 random bytes and a NUL */

/* How long the guard tries SIGKILL before it tells us what is left. */
#define MCPH_GUARD_KILL_MS 1000

#define MCPH_PROC_ERROR_LINE 1024

/* The last bytes of stderr, and the line that is being put together. */
struct mcph_proc_stderr {
    struct mcph_source source;
    int fd;
    char *ring;          /* grows by doubling to MCPH_PROC_RING_MAX */
    size_t cap, len, at; /* room, bytes kept, where the next one goes */
    struct mcph_buf line;
    char error[MCPH_PROC_ERROR_LINE]; /* the first line of the last error, or "" */
    int64_t error_at;
    bool skipping;  /* the rest of a line that was too long */
    int64_t window; /* the second that `lines` counts */
    unsigned lines;
    uint64_t lost;
};

/* Where the end of a process stands; only ever grows. */
enum mcph_proc_phase {
    MCPH_PHASE_RUN,
    MCPH_PHASE_EOF,   /* stdin is closed */
    MCPH_PHASE_TERM,  /* SIGTERM was asked for */
    MCPH_PHASE_KILL,  /* SIGKILL was asked for */
    MCPH_PHASE_POKED, /* the guard did not answer: woken up */
    MCPH_PHASE_CUT    /* the guard is killed, its work ours */
};

struct mcph_proc {
    struct mcph_core *core;
    const struct mcph_proc_ops *ops;
    void *arg;
    char *server, *program;
    int64_t stop_eof_ms, stop_term_ms;
    unsigned depth; /* handlers on the stack that touch this afterwards */
    bool dead;      /* freed meanwhile: the outermost handler does it */

    int in, out; /* our ends of stdin and stdout */
    struct mcph_proc_stderr err;

    bool guarded;
    unsigned guard_flags;
    struct mcph_source lifeline, child_source; /* fds are ours to close */
    int lifeline_fd;
    pid_t child;           /* the guard, or the server without one */
    int childfd, serverfd; /* pidfds; the same one without a guard */
    pid_t pid;             /* the server's */
    char cookie[MCPH_COOKIE_HEX];
    mcphost_error *unguarded; /* why, until it has been told */
    int containment;          /* as asked: MCPHOST_CONTAINMENT_* */
    unsigned features;        /* of the guard: MCPH_GUARD_HAS_* */
    char *cgroup;             /* the group that the guard may have made, or NULL */

    enum mcph_proc_phase phase;
    struct mcph_timer step; /* the next step of the ladder */
    struct mcph_timer tick; /* first news, polling without pidfds, sweep passes */
    bool announced;         /* the first news of a direct start are out */
    bool started, failed, exited;
    bool empty;  /* the guard proved it, or we swept */
    bool reaped; /* our child is dead and nobody's */
    bool left;   /* the guard has told of survivors and goes on */
    bool gone;

    bool sweeping;
    DIR *procfs;       /* between the slices of a pass */
    int swept;         /* processes found in this pass */
    int clean;         /* passes in a row that found none */
    int64_t sweep_end; /* when to give up */
};

/* Handlers stand between enter and leave; leave may free the proc. */
void mcph_proc_enter(struct mcph_proc *proc);
void mcph_proc_leave(struct mcph_proc *proc);

/* events.c: each may run the owner's code; look at proc->dead afterwards. */
void mcph_proc_announce(struct mcph_proc *proc);
void mcph_proc_tell_started(struct mcph_proc *proc, pid_t pid);
void mcph_proc_tell_failed(struct mcph_proc *proc, int sys_errno, int stage);
void mcph_proc_tell_exited(struct mcph_proc *proc, int code, int status);
void mcph_proc_tell_left(struct mcph_proc *proc, int n);
/* The end, when all that it takes has happened. */
void mcph_proc_check_gone(struct mcph_proc *proc);

int mcph_proc_no_cgroup(mcphost_error **reterr, const struct mcph_proc *proc,
                        int sys_errno);

/* launch.c */
int mcph_proc_launch(struct mcph_proc *proc, const struct mcph_proc_spec *spec,
                     mcphost_error **reterr);

/* stderr.c */
void mcph_proc_stderr_init(struct mcph_proc *proc);
void mcph_proc_stderr_done(struct mcph_proc *proc);
/* Reads what is there, up to a turn's budget. */
/* `last`: the server has ended, and what it has said belongs to its tail. */
void mcph_proc_stderr_drain(struct mcph_proc *proc, bool last);

/* lifeline.c */
void mcph_proc_on_lifeline(struct mcph_source *source, uint32_t events);
void mcph_proc_close_lifeline(struct mcph_proc *proc);
/* No guard is left and the tree is not known to be empty: end it ourselves. */
void mcph_proc_guard_lost(struct mcph_proc *proc);
void mcph_proc_ask_guard(struct mcph_proc *proc, char what);

/* child.c */
void mcph_proc_on_child(struct mcph_source *source, uint32_t events);
void mcph_proc_reap(struct mcph_proc *proc);
void mcph_proc_signal_group(struct mcph_proc *proc, int sig);
/* A signal to our child: the warden, or the guard where there is no warden. */
void mcph_proc_signal_guard(struct mcph_proc *proc, int sig);

/* stop.c */
void mcph_proc_on_step(struct mcph_timer *timer);
void mcph_proc_on_tick(struct mcph_timer *timer);
void mcph_proc_cut(struct mcph_proc *proc);          /* kills the guard */
void mcph_proc_server_ended(struct mcph_proc *proc); /* moves the ladder on */

/* cgroup.c */
#define MCPH_CGROUP_PREFIX "mcphost-"
/* SIGKILL to every process of a group, and its directory removed: true when it is no
 * longer there. */
bool mcph_cgroup_end(const char *path);

/* sweep.c */
void mcph_proc_sweep_start(struct mcph_proc *proc);
/* One slice; true when it is all over. */
bool mcph_proc_sweep_slice(struct mcph_proc *proc);
void mcph_proc_sweep_done(struct mcph_proc *proc);

#endif
