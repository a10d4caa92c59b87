/* SPDX-License-Identifier: MIT
 *
 * proc.h - interface of lib/proc: a child's environment, the search for its program, and
 * server processes from spawn to the proof that no process of the server is left.
 *
 * lib/proc knows nothing of MCP: it transports no message and never reads stdout.  It
 * must never signal a process by number unless it can prove that the process is its own.
 * It must never wait for a child that is not its own, and never sleep (except for the
 * bounded wait in mcph_proc_free()).  It must never change the host's process:
 * environment, signal handlers and mask, working directory, limits.
 *
 * The functions for processes run on the dispatching thread, or in the last unref of the
 * host.  Any thread may use a struct mcph_env that no other thread uses.
 */
#ifndef MCPH_PROC_H
#define MCPH_PROC_H

#include <sys/types.h>

#include "base/base.h"
#include "loop/loop.h"

#include <mcphost/policy.h>

/* ---- environment (env.c) -------------------------------------------------------
 * An environment is a list of "NAME=value" strings and owns these strings.  Each name
 * occurs once.  Of these functions, only mcph_env_snapshot() reads the host's
 * environment.  None of them changes the host's environment. */

struct mcph_env {
    struct mcph_vec vars; /* char *, malloc'd; a NULL follows the last string */
};

enum {
    MCPH_ENV_ALL,     /* all variables of the host */
    MCPH_ENV_MINIMAL, /* HOME LANG LANGUAGE LC_* LOGNAME PATH SHELL TERM TMPDIR TZ USER */
    MCPH_ENV_NONE     /* no variables */
};

void mcph_env_init(struct mcph_env *env);
void mcph_env_done(struct mcph_env *env);             /* `env` stays usable */
struct mcph_env *mcph_env_free(struct mcph_env *env); /* NULL is allowed */
/* Adds a copy of the process's current environment.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_env_snapshot(struct mcph_env *env);
/* Adds the variables of `from` that `policy` permits.  MINIMAL leaves out variables whose
 * value begins with "()", because old shells take these values for functions.  Returns 0,
 * MCPHOST_E_NOMEM, or MCPHOST_E_INVALID if the policy is unknown. */
int mcph_env_inherit(struct mcph_env *env, int policy, const struct mcph_env *from);
/* Sets or replaces a variable.  Returns 0, MCPHOST_E_NOMEM, or MCPHOST_E_INVALID if
 * `name` is empty or contains '='. */
int mcph_env_set(struct mcph_env *env, const char *name, const char *value);
void mcph_env_unset(struct mcph_env *env, const char *name);
/* Returns the value of a variable, borrowed until the next change.  Returns NULL if the
 * variable is not set, and "" if its value is empty. */
const char *mcph_env_get(const struct mcph_env *env, const char *name);
/* Returns the variables as an array that ends with NULL, borrowed until the next change.
 * Never returns NULL. */
char *const *mcph_env_array(const struct mcph_env *env);

/* ---- program (path.c) -------------------------------------------------------------- */

/* Finds the file to execute.  A `command` that contains a '/' is the path of the file.
 * For any other `command`, the file is the first executable regular file of that name in
 * the directories of `path`, which is the *child's* PATH.  If `path` is NULL,
 * "/usr/local/bin:/usr/bin:/bin" is searched.  Relative commands, and relative or empty
 * PATH entries, are resolved against `cwd` or, if `cwd` is NULL, against the process's
 * own working directory.  *ret_file is absolute and malloc'd.  Returns 0,
 * MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_IO, or MCPHOST_E_SPAWN with an errno such
 * as ENOENT or EACCES.  The message names the program, and the PATH or the directory that
 * was searched. */
int mcph_proc_resolve(const char *command, const char *path, const char *cwd,
                      char **ret_file, mcphost_error **reterr);

/* ---- the guard's program (guard_path.c) -------------------------------------------- */

/* Finds the file of the guard: `installed` if it exists, else the first guard near the
 * file of the library, else `installed`.  In a program with AT_SECURE set, the function
 * does not search near the library.  If `installed` is NULL, the function uses the path
 * that was set at build time instead.  *ret_path is malloc'd.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_guard_find(const char *installed, char **ret_path);
/* Finds a guard near the file `library`.  mcphost_new(3) lists the places and the
 * conditions.  *ret_path is malloc'd, or NULL if no guard is found.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_guard_find_near(const char *library, char **ret_path);
/* Gets the absolute path of the file that contains the library: a shared object, or the
 * program.  *ret_file is malloc'd, or NULL if the path is not known.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_library_file(char **ret_file);

/* ---- control groups (cgroup.c) ----------------------------------------------------- */

/* Finds the directory of the process's own control group (v2), and checks that the
 * process may make groups in the directory and move processes.  *ret_dir is malloc'd.
 * Returns 0 or an errno. */
int mcph_cgroup_find(char **ret_dir);
/* Cleans up servers' groups in `dir` that are older than `age_s` seconds and that no
 * guard holds: kills their processes and removes the empty groups.  Does not wait. */
void mcph_cgroup_sweep(const char *dir, int64_t age_s);
#define MCPH_CGROUP_AGE 10 /* seconds; a younger group is perhaps not locked yet */

/* ---- a server process (proc.c and others) -------------------------------------------
 *
 *   spawn -> [on_started | on_exec_failed] -> on_exited -> on_gone
 *
 * If a guard is used (the default), the host's child is mcphost-guard, and the server is
 * the guard's child.  With and without a guard, mcph_proc_pid() returns the pid of the
 * server.  Events come from dispatch, never from inside spawn, stop or kill:
 *
 *  - on_started: the program runs.  Its first bytes on stdout may arrive earlier.
 *  - on_exec_failed: the program could not be started.  on_gone follows, but on_exited
 *    does not.
 *  - on_exited: the server itself ended.  Its last output may still be in the stdout
 *    pipe, and descendants may still run.  The bytes of stderr that were available have
 *    been read, so that an error text has the last lines.  The owner reads stdout to its
 *    end or to a limit of the owner, and must then call mcph_proc_stop().
 *  - on_gone: no process of the tree is left that the host can reach, and the guard has
 *    ended.  This is the last event.  The event comes once for each successful spawn,
 *    unless the owner frees the proc first.
 *  - on_left: `n` processes outlived SIGKILL (set-uid processes, or processes that are
 *    stuck in the kernel).  The guard continues to kill them.  Without a guard, the event
 *    means that the server itself has not ended, and `n` is 1.  on_left may come before
 *    on_exited.  on_gone may follow, or may never come.
 *
 * End of file on stdout and the end of the server are independent: a server may close
 * stdout and continue to run, and a daemon may hold the pipe after the server has ended.
 *
 * An instance holds 6 descriptors with the guard (stdin, stdout, stderr, lifeline, pidfds
 * of guard and server), or 4 without a guard (no lifeline, one pidfd).  Closing stdin,
 * closing stdout, and end of file on stderr each release one descriptor.  During the
 * spawn 8 descriptors must be free (6 without the guard).  All descriptors are CLOEXEC
 * and above 2.  The host's ends of the pipes are nonblocking.
 */

struct mcph_proc;

/* The settings of a server process.  mcph_proc_spec_init() sets the defaults.  Then the
 * owner changes members.  mcph_proc_spawn() copies everything. */
struct mcph_proc_spec {
    const char *server;  /* server id for log lines; may be NULL */
    const char *command; /* as configured; resolved against PATH of envp */
    char *const *argv;   /* all arguments with argv[0]; NULL-terminated */
    char *const *envp;   /* the complete environment; NULL-terminated */
    const char *cwd;     /* the working directory; NULL for the process's own */

    bool use_guard;         /* default true: run the server under a guard */
    bool guard_optional;    /* default false: the start fails without a working guard */
    bool warden;            /* default true: a second process watches the guard */
    const char *guard_path; /* the guard's program; NULL for mcph_guard_find() */
    unsigned guard_flags;   /* default 0; MCPH_GUARD_NO_* disables a facility */
    int containment;        /* MCPHOST_CONTAINMENT_AUTO, _TREE, _CGROUP or _PID */
    const char *cgroup_dir; /* from mcph_cgroup_find(); NULL to make no group */
    int cgroup_errno;       /* the errno that explains why cgroup_dir is NULL */

    int64_t stop_eof_ms;  /* ms from closing stdin to SIGTERM; default 2000 */
    int64_t stop_term_ms; /* ms from SIGTERM to SIGKILL; default 2000 */
};

void mcph_proc_spec_init(struct mcph_proc_spec *spec);

/* The owner's functions for events.  Each function may be NULL.  Each function may call
 * every function below, even mcph_proc_free(). */
struct mcph_proc_ops {
    void (*on_started)(struct mcph_proc *proc, pid_t pid, void *arg);
    /* Reports that the program could not be started.  `err` is borrowed.  Its code is
     * MCPHOST_E_LIMIT at a limit of descriptors or processes, else MCPHOST_E_SPAWN with
     * the errno.  The errno is 0 if the guard was killed before the program started. */
    void (*on_exec_failed)(struct mcph_proc *proc, mcphost_error *err, void *arg);
    /* Reports that the server ended.  `code` and `status` are si_code and si_status of
     * waitid(2).  If `code` is 0, the status is unknown, because another part of the
     * process reaped the child, or the guard was killed before it reported the status. */
    void (*on_exited)(struct mcph_proc *proc, int code, int status, void *arg);
    void (*on_gone)(struct mcph_proc *proc, void *arg);
    void (*on_left)(struct mcph_proc *proc, int n, void *arg);
    /* Reports a line of stderr, NUL-terminated and without its newline.  The line is
     * valid UTF-8 without control characters, at most MCPH_PROC_LINE_MAX bytes.  The rest
     * of a longer line is dropped.  `lost` is the number of lines that were dropped since
     * the last call, because of the rate limit or because memory was short.  At the end
     * of stderr, an empty line may report `lost` alone. */
    void (*on_stderr)(struct mcph_proc *proc, const char *line, size_t len, uint64_t lost,
                      void *arg);
    /* Reports that the guard was optional and could not be used.  `err` gives the reason.
     * The server was started without a guard.  The server's descendants may outlive a
     * crash of the host.  This event comes from dispatch, before on_started. */
    void (*on_unguarded)(struct mcph_proc *proc, mcphost_error *err, void *arg);
};

#define MCPH_PROC_LINE_MAX  (8u * 1024u)
#define MCPH_PROC_RING_MAX  (64u * 1024u)
#define MCPH_PROC_TAIL_MAX  (4u * 1024u)
#define MCPH_PROC_LINE_RATE 200u /* limit on lines per second for on_stderr */

/* Starts the server.  `ops` must outlive the proc.  Returns 0, MCPHOST_E_SPAWN with the
 * errno of the step that failed, MCPHOST_E_LIMIT with a message that names the limit
 * of descriptors or processes, or another code: _NOMEM, _INVALID, _IO, _FORKED.  After a
 * failure nothing is left open and no event comes. */
int mcph_proc_spawn(struct mcph_core *core, const struct mcph_proc_spec *spec,
                    const struct mcph_proc_ops *ops, void *arg, struct mcph_proc **ret,
                    mcphost_error **reterr);

/* These functions return the host's end of the server's stdin (to write) or stdout (to
 * read), or -1 once this end is closed.  The proc owns both ends.  The owner of the proc
 * registers sources on them.  The owner must remove its source *before* it calls
 * close_stdin, close_stdout, stop (which closes stdin), kill (which closes both ends) or
 * free. */
int mcph_proc_stdin(const struct mcph_proc *proc);
int mcph_proc_stdout(const struct mcph_proc *proc);
void mcph_proc_close_stdin(struct mcph_proc *proc);
/* Closes the host's end of stdout.  A server that continues to write then gets EPIPE. */
void mcph_proc_close_stdout(struct mcph_proc *proc);

/* Returns the server's pid, or 0 before on_started (with the guard the pid is not known
 * earlier).  The pid of a server in a PID namespace may stay unknown, and is then 0.  The
 * value stays after the end of the server.  Use the value only to show it: never send a
 * signal to this pid. */
pid_t mcph_proc_pid(const struct mcph_proc *proc);
bool mcph_proc_guarded(const struct mcph_proc *proc);
/* Returns how the tree is contained: MCPHOST_CONTAINMENT_*, never AUTO.  Before
 * on_started the result is a guess. */
int mcph_proc_containment(const struct mcph_proc *proc);

/* Stops the server in order: closes stdin, sends SIGTERM to the tree after stop_eof_ms,
 * and after another stop_term_ms sends SIGKILL until the tree is empty.  Without a guard,
 * the signals go to the server's process group only, and the sweep (sweep.c) kills the
 * rest of the tree when the server has ended.  Steps are skipped once the tree is empty.
 * If the server has ended already, the stop begins with SIGTERM to the rest of the tree,
 * or with SIGKILL if the server had no guard.  stdout stays open.  Continue to read
 * stdout, or close it, because a server that blocks on a full pipe cannot see the end of
 * its input.  Later calls do nothing. */
void mcph_proc_stop(struct mcph_proc *proc);
/* Sends SIGKILL at once and does not wait.  on_gone follows, unless a process outlives
 * SIGKILL (see on_left above). */
void mcph_proc_kill(struct mcph_proc *proc);
/* Frees the proc.  If the tree is not empty, kills the tree and waits for its end, at
 * most `wait_ms`.  The last unref of a host has 1000 ms for all servers of the host: it
 * first kills all servers, and then frees each server with the time that is left.  No
 * event comes any more.  In a forked child of the host only memory and descriptors are
 * released.  `proc` may be NULL.  Returns NULL. */
struct mcph_proc *mcph_proc_free(struct mcph_proc *proc, int64_t wait_ms);

/* Appends the last bytes that the server wrote to stderr, at most `max`, unprocessed.
 * Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
int mcph_proc_stderr_tail(const struct mcph_proc *proc, size_t max, struct mcph_buf *buf);
/* Adds the end of stderr to `err`, with secrets masked, at most MCPH_PROC_TAIL_MAX
 * bytes.  If the last lines do not contain the first line of the last error, puts that
 * first line before them.  `mask` and `err` may be NULL. */
void mcph_proc_attach_tail(const struct mcph_proc *proc, struct mcph_mask *mask,
                           mcphost_error *err);
/* Limit on the bytes that mcph_proc_exit_text() writes, with the NUL.  This function
 * describes how a process ended, for example "exited with status 3", "killed by signal 9
 * (Killed)" or "ended, status unknown". */
#define MCPH_PROC_EXIT_TEXT 64
void mcph_proc_exit_text(int code, int status, char ret_text[MCPH_PROC_EXIT_TEXT]);

#endif
