/* SPDX-License-Identifier: MIT
 *
 * host.c - the smallest host: runs one server with lib/proc and ends in a given way.
 *
 *   orphan-host END GUARD EOF_MS TERM_MS SERVER MODE
 *
 * The host passes on the server's first line: "ready", or "cannot" if the server cannot
 * do the work of its mode.  If END is `fkhold`, the host also holds its descriptors in a
 * forked child, and writes "fork PID".  Then the host waits for a byte on stdin and ends
 * as END says: `exit` (without any clean-up), `close` (in an orderly way) or `free`
 * (frees the process object at once).  With any other END the host continues until it is
 * killed.
 *
 * With the END `probe`, the host only tests whether a server starts in the mode
 * $ORPHANS_MODE (tree, cgroup or pid).
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proc/proc.h"

static int gone;

static void
on_gone(struct mcph_proc *proc, void *arg)
{
    (void)proc;
    (void)arg;
    gone = 1;
}

/* Writes the server's first line to stdout. */
static void
relay_ready(struct mcph_proc *proc)
{
    char line[64];
    struct pollfd fd = {.fd = mcph_proc_stdout(proc), .events = POLLIN};
    size_t len = 0;

    do {
        ssize_t n;

        if (poll(&fd, 1, 10000) <= 0)
            exit(3);
        n = read(fd.fd, line + len, sizeof(line) - len);
        if (n <= 0)
            exit(3);
        len += (size_t)n;
    } while (line[len - 1] != '\n' && len < sizeof(line));
    (void)!write(1, line, len);
}

static void
set_containment(struct mcph_proc_spec *spec)
{
    const char *mode = getenv("ORPHANS_MODE");
    static char *dir;

    spec->containment = MCPHOST_CONTAINMENT_TREE;
    if (mode && strcmp(mode, "pid") == 0)
        spec->containment = MCPHOST_CONTAINMENT_PID;
    if (!mode || strcmp(mode, "cgroup") != 0)
        return;
    spec->containment = MCPHOST_CONTAINMENT_CGROUP;
    spec->cgroup_errno = mcph_cgroup_find(&dir);
    spec->cgroup_dir = dir;
    if (dir)
        mcph_cgroup_sweep(dir, MCPH_CGROUP_AGE);
}

/* Prints why the server did not start, and exits. */
static void
on_exec_failed(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    (void)proc;
    (void)arg;
    fprintf(stderr, "%s\n", mcphost_error_get_message(err));
    exit(3);
}

static struct mcph_proc *
start(struct mcph_core *core, char **argv)
{
    static const struct mcph_proc_ops ops = {.on_gone = on_gone,
                                             .on_exec_failed = on_exec_failed};
    struct mcph_proc_spec spec;
    mcphost_error *err = NULL;
    struct mcph_proc *proc;
    struct mcph_env env;

    mcph_env_init(&env);
    if (mcph_env_snapshot(&env) < 0)
        exit(3);
    mcph_proc_spec_init(&spec);
    spec.guard_path = argv[2];
    spec.stop_eof_ms = strtol(argv[3], NULL, 10);
    spec.stop_term_ms = strtol(argv[4], NULL, 10);
    if (getenv("ORPHANS_FLAGS"))
        spec.guard_flags = (unsigned)strtoul(getenv("ORPHANS_FLAGS"), NULL, 10);
    spec.warden = !getenv("ORPHANS_NO_WARDEN");
    set_containment(&spec);
    spec.command = argv[5];
    spec.argv = argv + 5;
    spec.envp = mcph_env_array(&env);
    if (mcph_proc_spawn(core, &spec, &ops, NULL, &proc, &err) < 0) {
        fprintf(stderr, "%s\n", mcphost_error_get_message(err));
        exit(3);
    }
    mcph_env_done(&env);
    return proc;
}

/* Exits with status 0 if a server starts in this mode.  If not, start() or
 * on_exec_failed() prints the reason and exits with status 3. */
_Noreturn static void
probe(struct mcph_core *core, struct mcph_proc *proc)
{
    while (!mcph_proc_pid(proc) && !gone)
        mcph_core_wait(core, 100);
    mcph_proc_free(proc, 1000);
    mcph_core_unref(core);
    exit(0);
}

static void
hold_in_fork(void)
{
    char text[32];
    pid_t pid = fork();

    if (pid < 0)
        exit(3);
    if (pid == 0)
        for (;;)
            pause();
    snprintf(text, sizeof(text), "fork %d\n", (int)pid);
    (void)!write(1, text, strlen(text));
}

static int
asked(void)
{
    struct pollfd fd = {.fd = 0, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

int
main(int argc, char **argv)
{
    struct rlimit no_core = {0, 0};
    struct mcph_core *core;
    struct mcph_proc *proc;

    if (argc < 7 || mcph_core_new(&core, NULL) < 0)
        return 3;
    setrlimit(RLIMIT_CORE, &no_core);
    proc = start(core, argv);
    if (strcmp(argv[1], "probe") == 0)
        probe(core, proc);
    relay_ready(proc);
    if (strcmp(argv[1], "fkhold") == 0)
        hold_in_fork();
    while (!asked())
        mcph_core_wait(core, 5);
    if (strcmp(argv[1], "exit") == 0)
        _exit(0);
    if (strcmp(argv[1], "close") == 0) {
        mcph_proc_stop(proc);
        mcph_proc_close_stdout(proc);
        while (!gone)
            mcph_core_wait(core, 100);
    } else if (strcmp(argv[1], "free") != 0) {
        for (;;)
            mcph_core_wait(core, 100);
    }
    mcph_proc_free(proc, 1000);
    mcph_core_unref(core);
    return 0;
}
