/* SPDX-License-Identifier: MIT
 *
 * guard.h - internal interface of mcphost-guard, the parent process of one MCP server.
 *
 * The guard runs the server and keeps the server's whole process tree below itself, as a
 * child subreaper.  It ends the tree when the host requests the end or dies.  It
 * allocates nothing and changes nothing that the server would inherit.  It signals a
 * process of the tree only if the process is proven to be a descendant.  Without a
 * subreaper, it also kills each process that carries the server's cookie, the variable
 * MCPHOST_SPAWN_ID of the environment.
 */
#ifndef GUARD_H
#define GUARD_H

#include "proc/guard_proto.h"
#include "sys.h"

struct guard {
    int lifeline;
    int signals;  /* signalfd; -1 in the warden */
    int hostfd;   /* pidfd of the host; -1 if there is none */
    int serverfd; /* pidfd of the server; -1 if there is none */
    pid_t self;
    pid_t partner; /* in the inner guard: the warden or its replacement, or 0 */
    pid_t server;
    int cgroup;        /* descriptor of the control group's locked directory, or -1 */
    const char *path;  /* path of the control group */
    unsigned flags;    /* MCPH_GUARD_WARDEN to MCPH_GUARD_NEED_CGROUP */
    unsigned features; /* MCPH_GUARD_HAS_* */
    int term_ms, kill_ms;
    char **envp;

    int state;     /* MCPH_GUARD_IN_* */
    int64_t since; /* when TERM or KILL began, in ms; 0 before */
    int64_t due;   /* when TERM ends, in ms */
    int rounds, sent;
    bool left;
    bool exited;              /* the server is dead and reaped */
    int end_code, end_status; /* si_code and si_status of the server */
};

extern struct guard guard;

/* guard.c: the life of the guard */
_Noreturn void guard_live(void);               /* starts the server; runs to the end */
_Noreturn void guard_fail(int err, int stage); /* reports that the server did not start */
void guard_send(uint32_t kind, int a, int b, int c, int d);
bool guard_reap(void);               /* reaps children; returns true if none is left */
_Noreturn void guard_kill_all(void); /* runs the KILL state; ends the process */

/* tree.c: the server's process tree */
void tree_probe(void); /* sets the features that /proc offers */
void tree_signal_group(int sig);
/* Sends SIGKILL to each child that it finds, and returns the number of these children.
 * If the guard has a PID namespace of its own, sends SIGKILL to all other processes
 * of this namespace and returns 1. */
int tree_kill_children(void);
/* Sends `sig` to every descendant that /proc shows.  If `outside` is true, spares the
 * server's process group.  Without pidfds, signals only children of the guard. */
void tree_signal_deep(int sig, bool outside);
int tree_sweep(void); /* kills processes that carry the cookie; returns their number */

/* procfs.c: reads /proc without a library.  Callers must check the process numbers. */
/* Writes a number that is not negative, and a NUL.  Returns the address of the NUL. */
char *procfs_put_number(char *at, long num);
bool procfs_is_ours(void); /* /proc exists and shows this PID namespace */
bool procfs_has_children(void);
/* Calls fn for each child of any thread of `pid`. */
void procfs_children(pid_t pid, void (*fn)(pid_t pid, pid_t parent));
/* Calls fn for each process. */
void procfs_each(void (*fn)(pid_t pid));
pid_t procfs_newest(void); /* the newest process number; 0 if it is unknown */
bool procfs_stat(pid_t pid, pid_t *ret_ppid, pid_t *ret_pgrp);
bool procfs_has_env(pid_t pid, const char *var); /* var is "NAME=value" */

/* cgroup.c: the server's control group */
int cgroup_make(const char *path); /* makes the group; returns 0 or an errno */
int cgroup_enter(void);            /* enters the group; returns 0 or an errno */
void cgroup_kill(void);            /* sends SIGKILL to every process of the group */
bool cgroup_remove(void);          /* returns false if the group is still in use */
void cgroup_end(void);             /* kills the group, and removes it if possible */

/* namespace.c: for the first process of a new PID namespace */
bool namespace_is_ours(void);          /* returns true in process 1 */
int namespace_map(long uid, long gid); /* maps user and group; returns 0 or an errno */

/* warden.c: the parent process of the guard */
#define WARDEN_DIED SIGUSR2 /* sent to the inner guard when the warden ends */
void warden_live(void);     /* returns if no inner guard can be made */
void warden_replace(void);  /* replaces the warden if the warden is dead */

#endif
