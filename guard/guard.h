/* SPDX-License-Identifier: MIT
 *
 * guard.h - the inside of mcphost-guard, the parent of one MCP server.
 *
 * It runs the server, keeps its whole tree below itself (child subreaper), and
 * ends the tree when the host asks or dies, in whatever way.  It allocates
 * nothing, changes nothing that the server would inherit, and signals no
 * process that it has not proven to be a descendant.
 */
#ifndef GUARD_H
#define GUARD_H

#include "proc/guard_proto.h"
#include "sys.h"

struct guard {
    int lifeline;
    int signals;  /* signalfd */
    int hostfd;   /* pidfd of the host, -1: none */
    int serverfd; /* pidfd of the server, -1: none */
    pid_t self;
    pid_t partner; /* the warden, for the guard below it; later who stands in for it */
    pid_t server;
    int cgroup;        /* its directory, locked; -1: none */
    const char *path;  /* of the same */
    unsigned flags;    /* MCPH_GUARD_* */
    unsigned features; /* MCPH_GUARD_HAS_* */
    int term_ms, kill_ms;
    char **envp;

    int state;     /* MCPH_GUARD_IN_* */
    int64_t since; /* when TERM or KILL began */
    int64_t due;   /* when the state ends */
    int rounds, sent;
    bool left;
    bool exited;              /* the server is dead and reaped */
    int end_code, end_status; /* si_code and si_status of the server */
};

extern struct guard guard;

/* guard.c */
_Noreturn void guard_live(void);               /* from the server's start to the end */
_Noreturn void guard_fail(int err, int stage); /* there will be no server */
void guard_send(uint32_t kind, int a, int b, int c, int d);
bool guard_reap(void);               /* true: no child is left */
_Noreturn void guard_kill_all(void); /* the KILL state, to the end of the process */

/* tree.c */
void tree_probe(void); /* what /proc can do: sets features */
void tree_signal_group(int sig);
int tree_kill_children(void); /* how many there were */
/* `sig` to every descendant, or to those outside the server's group. */
void tree_signal_deep(int sig, bool outside);
int tree_sweep(void); /* SIGKILL to whoever carries the cookie: how many */

/* procfs.c: reading /proc without a library.  Numbers are checked by callers. */
/* The digits of a number that is not negative, and '\0': where that stands. */
char *procfs_put_number(char *at, long num);
bool procfs_is_ours(void); /* it is there and shows this pid namespace */
bool procfs_has_children(void);
/* Calls fn for each child of any thread of `pid`. */
void procfs_children(pid_t pid, void (*fn)(pid_t pid, pid_t parent));
/* Calls fn for each process there is. */
void procfs_each(void (*fn)(pid_t pid));
pid_t procfs_newest(void); /* the number that was given out last; 0: unknown */
bool procfs_stat(pid_t pid, pid_t *ret_ppid, pid_t *ret_pgrp);
bool procfs_has_env(pid_t pid, const char *var); /* "NAME=value" */

/* cgroup.c */
int cgroup_make(const char *path); /* an errno; sets the feature */
int cgroup_enter(void);            /* the caller goes into it: an errno */
void cgroup_kill(void);            /* SIGKILL to every process in it */
bool cgroup_remove(void);          /* false: there are processes in it */
void cgroup_end(void);             /* kills and removes, with a limit */

/* namespace.c: in the first process of a new PID namespace */
bool namespace_is_ours(void);          /* we are its process 1 */
int namespace_map(long uid, long gid); /* of its user namespace: an errno */

/* warden.c */
#define WARDEN_DIED SIGUSR2 /* to the guard below it */
void warden_live(void);     /* returns only when there is no process for a guard */
void warden_replace(void);  /* does nothing while it lives */

#endif
