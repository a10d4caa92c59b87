/* SPDX-License-Identifier: MIT
 *
 * guard_proto.h - what the library and mcphost-guard say to each other.
 *
 * Plain C: constants and one fixed-size record, no libc needed.  The lifeline
 * is a SOCK_SEQPACKET socket pair, so a record is one packet and never split.
 *
 *   mcphost-guard LIFELINE HOSTPID TERM_MS KILL_MS FLAGS CGROUP /abs/program argv0 ...
 *
 * LIFELINE is the number of the guard's end (MCPH_GUARD_FD), HOSTPID the
 * process that must be its parent.  CGROUP is the control group (v2) that the
 * guard makes for the server, an absolute path, or "-".  Standard input, output
 * and error are the server's, the environment and the working directory too.
 * Both sides come from one build; there is no version to negotiate.
 */
#ifndef MCPH_GUARD_PROTO_H
#define MCPH_GUARD_PROTO_H

#include <stdint.h>

#define MCPH_GUARD_FD 3

/* In the server's environment only, never in the host's: unique for a spawn.
 * Whoever still carries it belongs to that server's tree. */
#define MCPH_GUARD_COOKIE "MCPHOST_SPAWN_ID"

/* FLAGS, a decimal number.  The NO_ bits forbid the guard a facility of the
 * kernel; it then behaves as in a place that has none. */
#define MCPH_GUARD_WARDEN       0x01u /* a second guard process watches the first */
#define MCPH_GUARD_NO_PROC      0x02u /* no /proc */
#define MCPH_GUARD_NO_CHILDREN  0x04u /* no /proc/PID/task/TID/children */
#define MCPH_GUARD_NO_SUBREAPER 0x08u /* PR_SET_CHILD_SUBREAPER refused */
#define MCPH_GUARD_NO_PIDFD     0x10u /* no pidfd_open, no pidfd_send_signal */
/* These two make the start fail where the facility cannot be had. */
#define MCPH_GUARD_PID_NS      0x20u /* a PID namespace; needs MCPH_GUARD_WARDEN */
#define MCPH_GUARD_NEED_CGROUP 0x40u /* the control group CGROUP */

/* After the host's death a tree has this long between SIGTERM and SIGKILL, or
 * TERM_MS if that is shorter. */
#define MCPH_GUARD_DEATH_MS 1000

/* Host to guard, one byte each.  End of file means the host's death. */
#define MCPH_GUARD_STOP 'T' /* SIGTERM, wait TERM_MS, then as KILL */
#define MCPH_GUARD_KILL 'K' /* SIGKILL until nothing is left */

/* Guard to host.  STARTED carries the server's pidfd as SCM_RIGHTS where the
 * kernel has pidfds.  EXECFAIL or EMPTY is the last record. */
enum {
    MCPH_GUARD_STARTED = 1, /* v: pid in the guard's namespace, features (below) */
    MCPH_GUARD_EXECFAIL,    /* v: errno, stage (below) */
    MCPH_GUARD_EXITED,      /* v: si_code, si_status of the server */
    MCPH_GUARD_EMPTY,       /* v: state (below), kill rounds, signals sent, ms */
    MCPH_GUARD_LEFT         /* v: how many direct children outlived KILL_MS */
};

struct mcph_guard_record {
    uint32_t kind;
    int32_t v[5];
};

/* What the guard has to work with, in STARTED. */
#define MCPH_GUARD_HAS_SUBREAPER 0x01 /* without it EMPTY is no proof */
#define MCPH_GUARD_HAS_PROC      0x02
#define MCPH_GUARD_HAS_CHILDREN  0x04
#define MCPH_GUARD_HAS_PIDFD     0x08
#define MCPH_GUARD_HAS_WARDEN    0x10
#define MCPH_GUARD_HAS_CGROUP    0x20
#define MCPH_GUARD_HAS_PID_NS    0x40

/* Where a start failed, in EXECFAIL. */
enum {
    MCPH_GUARD_STAGE_SETUP = 1, /* the guard could not set itself up */
    MCPH_GUARD_STAGE_CLONE,     /* no process for the server */
    MCPH_GUARD_STAGE_EXEC,      /* execve of the program */
    MCPH_GUARD_STAGE_CGROUP,    /* no control group */
    MCPH_GUARD_STAGE_PID_NS     /* no PID namespace */
};

/* In which state the tree became empty, in EMPTY. */
enum {
    MCPH_GUARD_IN_RUN = 1, /* nobody asked */
    MCPH_GUARD_IN_TERM,    /* after SIGTERM */
    MCPH_GUARD_IN_KILL,    /* after SIGKILL */
    MCPH_GUARD_IN_WARDEN   /* the first guard died, the warden cleaned up */
};

#endif
