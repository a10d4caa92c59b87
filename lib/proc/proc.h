/* SPDX-License-Identifier: MIT
 *
 * proc.h - the room `proc`: the child's environment, finding its program, and
 * a server process from spawn to the proof that nothing of it is left.
 *
 * The room knows nothing of MCP: it moves no message and never reads stdout.
 * It must never touch a process by number that it cannot prove to be its own,
 * never wait for a child that is not its own, never sleep (but for the bounded
 * wait in mcph_proc_free), and never change anything of the host's process:
 * environment, signal handlers and mask, working directory, limits.
 *
 * Everything here runs on the dispatching thread.
 */
#ifndef MCPH_PROC_H
#define MCPH_PROC_H

#include <sys/types.h>

#include "base/base.h"
#include "loop/loop.h"

#include <mcphost/policy.h>

/* ---- environment (env.c) -------------------------------------------------------
 * A list of "NAME=value" strings of its own.  A name stands in it once.  The
 * host's environment is only ever read, and by mcph_env_snapshot() alone. */

struct mcph_env {
    struct mcph_vec vars; /* of char *, malloc'd; a NULL behind the last one */
};

enum {
    MCPH_ENV_ALL,     /* everything the host has */
    MCPH_ENV_MINIMAL, /* HOME LANG LC_* LOGNAME PATH SHELL TERM TMPDIR TZ USER */
    MCPH_ENV_NONE     /* nothing */
};

void mcph_env_init(struct mcph_env *env);
void mcph_env_done(struct mcph_env *env);             /* frees; usable again */
struct mcph_env *mcph_env_free(struct mcph_env *env); /* that too; NULL is fine */
/* Adds a copy of the process's environment as it is now: 0 or NOMEM. */
int mcph_env_snapshot(struct mcph_env *env);
/* Adds what `policy` lets through of `from` (a snapshot with the host's overlay
 * on it): 0, NOMEM, INVALID.  MINIMAL leaves out values that begin with "()",
 * which old shells take for functions. */
int mcph_env_inherit(struct mcph_env *env, int policy, const struct mcph_env *from);
/* Sets or replaces: 0, NOMEM, or INVALID when `name` is empty or holds '='. */
int mcph_env_set(struct mcph_env *env, const char *name, const char *value);
void mcph_env_unset(struct mcph_env *env, const char *name);
/* The value, or NULL; an empty value is present ("").  Borrowed until the next
 * change. */
const char *mcph_env_get(const struct mcph_env *env, const char *name);
/* NULL-terminated, borrowed until the next change; never NULL. */
char *const *mcph_env_array(const struct mcph_env *env);

/* ---- program (path.c) -------------------------------------------------------------- */

/* Finds the file to execute: `command` as it stands when it holds a '/', else
 * the first executable regular file of that name along `path` (the *child's*
 * PATH; NULL: "/usr/local/bin:/usr/bin:/bin").  Relative paths and relative or
 * empty PATH entries count from `cwd` (NULL: the process's own).  *ret_file is
 * absolute and malloc'd.  Returns 0, or MCPHOST_E_SPAWN with a message that names
 * the program and where was looked (errno ENOENT or EACCES), INVALID, NOMEM. */
int mcph_proc_resolve(const char *command, const char *path, const char *cwd,
                      char **ret_file, mcphost_error **reterr);

/* ---- control groups (cgroup.c) ----------------------------------------------------- */

/* The directory of our own control group (v2), malloc'd, if groups can be made in it
 * and processes moved there: 0 or an errno. */
int mcph_cgroup_find(char **ret_dir);
/* Ends what runs in servers' groups in that directory that are older than `age_s` and
 * that no guard stands over, and removes those that are empty.  Does not wait. */
void mcph_cgroup_sweep(const char *dir, int64_t age_s);
#define MCPH_CGROUP_AGE 10 /* s; the guard of a younger one may not hold it yet */

/* ---- a server process (proc.c and others) -------------------------------------------
 *
 *   spawn -> [on_started | on_exec_failed] -> on_exited -> on_gone
 *
 * With the guard (the default) our child is mcphost-guard and the server its
 * child; the pid is the server's in both cases.  Events come from dispatch,
 * never from inside spawn, stop or kill:
 *
 *  - on_started: the program runs.  Its first bytes on stdout may come earlier.
 *  - on_exec_failed: it does not; on_gone follows, on_exited does not.
 *  - on_exited: the server itself ended; what it wrote is still in the pipe, and
 *    descendants may live on.  stderr has been read as far as it was there, so
 *    the tail is good for an error text.  The owner reads stdout to its end or
 *    a limit of its own and then calls mcph_proc_stop(): nobody else does.
 *  - on_gone: no process of the tree is left (or none that we may reach), the
 *    guard included.  The last event.  Comes once for each successful spawn, if
 *    the owner does not free first.
 *  - on_left: `n` processes outlived SIGKILL (set-uid ones, or stuck in the
 *    kernel).  The guard stays and goes on trying; on_gone may follow or not.
 *
 * EOF on stdout is not the server's end: a daemon may hold the pipe, and a
 * server may close it and live.
 *
 * Descriptors: an instance holds 6 with the guard (stdin, stdout, stderr,
 * lifeline, pidfds of guard and server), 4 without (no lifeline, one pidfd);
 * closing stdin or stdout, and end of file on stderr, give theirs back.  For the
 * moment of the spawn 8 must be free (6 without the guard).  All are CLOEXEC,
 * above 2, and our ends do not block.
 */

struct mcph_proc;

/* Filled by mcph_proc_spec_init(), then by the owner; everything is copied. */
struct mcph_proc_spec {
    const char *server;  /* id for log lines; may be NULL */
    const char *command; /* as configured; resolved against PATH of envp */
    char *const *argv;   /* the whole vector, argv[0] included, NULL at the end */
    char *const *envp;   /* the whole environment, NULL at the end */
    const char *cwd;     /* NULL: the process's own */

    bool use_guard;         /* true */
    bool guard_optional;    /* false: where the guard cannot run, the start fails */
    bool warden;            /* true: the guard is guarded by a second process */
    const char *guard_path; /* NULL: the one compiled in */
    unsigned guard_flags;   /* 0; MCPH_GUARD_NO_* to do without some facility */
    int containment;        /* MCPHOST_CONTAINMENT_AUTO, _TREE, _CGROUP or _PID */
    const char *cgroup_dir; /* mcph_cgroup_find()'s; NULL: no group is made */
    int cgroup_errno;       /* then: why there is none */

    int64_t stop_eof_ms;  /* 2000: between closing stdin and SIGTERM */
    int64_t stop_term_ms; /* 2000: between SIGTERM and SIGKILL */
};

void mcph_proc_spec_init(struct mcph_proc_spec *spec);

/* Each function may be NULL.  From any of them the owner may call every function
 * below, mcph_proc_free() too. */
struct mcph_proc_ops {
    void (*on_started)(struct mcph_proc *proc, pid_t pid, void *arg);
    /* `err` (MCPHOST_E_SPAWN, with the errno; LIMIT at the end of descriptors or
     * processes) is borrowed. */
    void (*on_exec_failed)(struct mcph_proc *proc, mcphost_error *err, void *arg);
    /* si_code and si_status as waitid(2) gives them; code 0 when somebody else
     * reaped the child: status unknown. */
    void (*on_exited)(struct mcph_proc *proc, int code, int status, void *arg);
    void (*on_gone)(struct mcph_proc *proc, void *arg);
    void (*on_left)(struct mcph_proc *proc, int n, void *arg);
    /* A line of stderr: no newline, valid UTF-8, no control characters, at most
     * MCPH_PROC_LINE_MAX bytes (the rest of a longer line is dropped), NUL-
     * terminated.  `lost`: lines left out since the last one, because of the
     * rate. */
    void (*on_stderr)(struct mcph_proc *proc, const char *line, size_t len, uint64_t lost,
                      void *arg);
    /* The guard, which was optional, could not be used (`err` says why): the server
     * was started without, so its descendants may outlive a crash of the host.  Comes
     * from dispatch, before on_started. */
    void (*on_unguarded)(struct mcph_proc *proc, mcphost_error *err, void *arg);
};

#define MCPH_PROC_LINE_MAX  (8u * 1024u)
#define MCPH_PROC_RING_MAX  (64u * 1024u)
#define MCPH_PROC_TAIL_MAX  (4u * 1024u)
#define MCPH_PROC_LINE_RATE 200u /* lines a second handed to on_stderr */

/* Starts the server.  `ops` must outlive the proc.  On failure nothing is left
 * open and no event comes: MCPHOST_E_SPAWN (program, directory; the errno is in the
 * error), MCPHOST_E_LIMIT (names the limit: descriptors or processes), NOMEM,
 * INVALID, IO, FORKED. */
int mcph_proc_spawn(struct mcph_core *core, const struct mcph_proc_spec *spec,
                    const struct mcph_proc_ops *ops, void *arg, struct mcph_proc **ret,
                    mcphost_error **reterr);

/* Our ends of the server's stdin (to write) and stdout (to read).  They stay the
 * proc's: the owner registers sources on them and removes its source *before*
 * it calls close_stdin, close_stdout, stop (which closes stdin), kill (closes
 * both) or free.  -1 once closed. */
int mcph_proc_stdin(const struct mcph_proc *proc);
int mcph_proc_stdout(const struct mcph_proc *proc);
void mcph_proc_close_stdin(struct mcph_proc *proc);
/* A server that goes on writing then gets EPIPE. */
void mcph_proc_close_stdout(struct mcph_proc *proc);

/* The server's pid; 0 before on_started (with the guard it is not known
 * earlier).  Keeps its value after the end: for showing, never for signals. */
pid_t mcph_proc_pid(const struct mcph_proc *proc);
bool mcph_proc_guarded(const struct mcph_proc *proc);
/* What holds the tree together: MCPHOST_CONTAINMENT_*, not AUTO; before on_started a
 * guess. */
int mcph_proc_containment(const struct mcph_proc *proc);

/* The orderly stop: closes stdin, after stop_eof_ms SIGTERM to the tree, after
 * stop_term_ms SIGKILL until it is empty; each step is left out when the tree is
 * empty before.  When the server has ended already it begins with SIGTERM for what
 * is left.  stdout stays open: go on reading it, or close it, since a server
 * that blocks on a full pipe cannot see the end of its input.  Idempotent. */
void mcph_proc_stop(struct mcph_proc *proc);
/* SIGKILL at once; does not wait.  on_gone follows. */
void mcph_proc_kill(struct mcph_proc *proc);
/* Frees.  A tree that is not gone is killed and waited for, at most `wait_ms`
 * (1000 is what the last unref of a host gives all its servers together: kill
 * all, then free each with what is left of the time).  No event comes any more.
 * In a forked child of the host: memory and descriptors only.  Returns NULL;
 * NULL is allowed. */
struct mcph_proc *mcph_proc_free(struct mcph_proc *proc, int64_t wait_ms);

/* The end of what the server wrote to stderr, at most `max` bytes, appended raw;
 * 0, NOMEM, LIMIT. */
int mcph_proc_stderr_tail(const struct mcph_proc *proc, size_t max, struct mcph_buf *buf);
/* Hangs the last MCPH_PROC_TAIL_MAX bytes on an error, secrets covered (NULL is allowed
 * for both). */
void mcph_proc_attach_tail(const struct mcph_proc *proc, struct mcph_mask *mask,
                           mcphost_error *err);
/* "exited with status 3", "killed by signal 9 (Killed)", "ended". */
#define MCPH_PROC_EXIT_TEXT 64
void mcph_proc_exit_text(int code, int status, char ret_text[MCPH_PROC_EXIT_TEXT]);

#endif
