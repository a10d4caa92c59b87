/* SPDX-License-Identifier: MIT
 *
 * guard_proto.h - the protocol between the library and mcphost-guard.
 *
 * The header is plain C without a libc: constants and one fixed-size record.  The
 * lifeline is a SOCK_SEQPACKET socket pair.  A record is one packet and is never split.
 *
 *   mcphost-guard LIFELINE HOSTPID TERM_MS KILL_MS FLAGS CGROUP /abs/program argv0 ...
 *
 * LIFELINE is the file descriptor of the guard's end of the socket pair (MCPH_GUARD_FD).
 * HOSTPID is the ID of the process that must be the guard's parent.  CGROUP is the
 * control group (v2) that the guard makes for the server, an absolute path, or "-".  The
 * server inherits standard input, output and error, the environment and the working
 * directory from the guard.  The two sides negotiate no version, because they come from
 * one build.
 */
#ifndef MCPH_GUARD_PROTO_H
#define MCPH_GUARD_PROTO_H

#include <stdint.h>

#define MCPH_GUARD_FD 3

/* The name of a variable that is set only in the environment of a server and of its
 * guard, never in the host's.  The value is unique for each spawn.  A process that still
 * has the variable is the server's guard or belongs to that server's tree. */
#define MCPH_GUARD_COOKIE "MCPHOST_SPAWN_ID"

/* The bits of FLAGS, which is a decimal number.  A NO_ bit forbids the guard to use a
 * facility of the kernel.  The guard then behaves as on a kernel without the facility. */
#define MCPH_GUARD_WARDEN       0x01u /* a second guard process watches the first */
#define MCPH_GUARD_NO_PROC      0x02u /* no /proc */
#define MCPH_GUARD_NO_CHILDREN  0x04u /* no /proc/PID/task/TID/children */
#define MCPH_GUARD_NO_SUBREAPER 0x08u /* no PR_SET_CHILD_SUBREAPER */
#define MCPH_GUARD_NO_PIDFD     0x10u /* no pidfd_open, no pidfd_send_signal */
/* If one of these two bits is set and its facility is not available, the start fails. */
#define MCPH_GUARD_PID_NS      0x20u /* a PID namespace; needs MCPH_GUARD_WARDEN */
#define MCPH_GUARD_NEED_CGROUP 0x40u /* the control group CGROUP */

/* The time in ms between SIGTERM and SIGKILL after the host's death.  If TERM_MS is
 * shorter, the guard waits for TERM_MS instead. */
#define MCPH_GUARD_DEATH_MS 1000

/* Requests from the host to the guard, one byte each.  The guard treats end of file as
 * the host's death. */
/* The guard sends SIGTERM, waits TERM_MS, and then does the same as for 'K'. */
#define MCPH_GUARD_STOP 'T'
/* The guard sends SIGKILL until the tree is empty. */
#define MCPH_GUARD_KILL 'K'

/* Records from the guard to the host.  STARTED carries the server's pidfd as SCM_RIGHTS
 * if the kernel has pidfds.  EXECFAIL or EMPTY is the last record. */
enum {
    MCPH_GUARD_STARTED = 1, /* v: pid in the guard's namespace, MCPH_GUARD_HAS_* */
    MCPH_GUARD_EXECFAIL,    /* v: errno, MCPH_GUARD_STAGE_* */
    MCPH_GUARD_EXITED,      /* v: si_code, si_status of the server */
    /* v: MCPH_GUARD_IN_*, kill rounds, signals sent, ms since TERM or KILL began, or 0 */
    MCPH_GUARD_EMPTY,
    MCPH_GUARD_LEFT /* v: number of direct children that outlived KILL_MS; 1 in a PID
                     * namespace */
};

struct mcph_guard_record {
    uint32_t kind;
    int32_t v[5];
};

/* The facilities that the guard has, as reported in STARTED. */
#define MCPH_GUARD_HAS_SUBREAPER 0x01 /* without it, processes can be left after EMPTY */
#define MCPH_GUARD_HAS_PROC      0x02
#define MCPH_GUARD_HAS_CHILDREN  0x04
#define MCPH_GUARD_HAS_PIDFD     0x08
#define MCPH_GUARD_HAS_WARDEN    0x10
#define MCPH_GUARD_HAS_CGROUP    0x20
#define MCPH_GUARD_HAS_PID_NS    0x40

/* The step at which a start failed, as reported in EXECFAIL. */
enum {
    MCPH_GUARD_STAGE_SETUP = 1, /* the guard could not set itself up */
    MCPH_GUARD_STAGE_CLONE,     /* no process could be made for the server */
    MCPH_GUARD_STAGE_EXEC,      /* execve() of the program failed */
    MCPH_GUARD_STAGE_CGROUP,    /* the control group could not be made */
    MCPH_GUARD_STAGE_PID_NS     /* the PID namespace could not be made */
};

/* The guard's state when the tree became empty, as reported in EMPTY. */
enum {
    MCPH_GUARD_IN_RUN = 1, /* without a request */
    MCPH_GUARD_IN_TERM,    /* after SIGTERM */
    MCPH_GUARD_IN_KILL,    /* after SIGKILL */
    MCPH_GUARD_IN_WARDEN   /* the first guard died, and the warden cleaned up */
};

#endif
