/* SPDX-License-Identifier: MIT
 *
 * tree.c - sends signals to the server's process tree, and to no other process.
 *
 * The guard proves that a process belongs to the tree before it signals the process.  It
 * checks a direct child with waitid(WNOWAIT): a child that was not reaped keeps its
 * number.  For a deeper descendant, it opens a pidfd first and then checks the
 * descendant's parent.  tree_sweep() opens a pidfd first and then checks the cookie, the
 * variable MCPHOST_SPAWN_ID.  The server's group keeps its number while it contains a
 * child of the guard.
 */
#include "guard.h"

/* Limit on the processes in the list of the tree.  If passes over /proc make the list,
 * the limit is TREE_MAX / 8.  A process beyond the limit becomes a child of the guard
 * when its parent is killed. */
#define TREE_MAX 16384
#define PASSES   4 /* limit on passes over /proc, if /proc has no lists of children */

/* Without /proc, the guard tries process numbers to find its children.  In each round
 * after the third, it tries the numbers from NEAR_BELOW below to NEAR_ABOVE above the
 * last child's number.  If it finds no child, it also tries at most FAR_STEP of the
 * numbers up to PID_LIMIT. */
#define NEAR_BELOW 256
#define NEAR_ABOVE 8192
#define FAR_STEP   262144
#define PID_LIMIT  4194304

/* If /proc has no lists of children, the guard tries the RECENT newest process numbers,
 * because a process that forks and exits all the time has one of these numbers.
 * tree_sweep() tries the CHASE_BACK newest numbers CHASES times. */
#define RECENT     1024
#define CHASES     64
#define CHASE_BACK 16

/* The processes of the tree and their parents.  The arrays are in .bss: pages that are
 * never touched take no memory. */
static pid_t tree_pid[TREE_MAX], tree_parent[TREE_MAX];
static int tree_n;
static int seen_children;
static pid_t near_pid, far_next = 1;

void
tree_probe(void)
{
    if ((guard.flags & MCPH_GUARD_NO_PROC) || !procfs_is_ours())
        return;
    guard.features |= MCPH_GUARD_HAS_PROC;
    if (!(guard.flags & MCPH_GUARD_NO_CHILDREN) && procfs_has_children())
        guard.features |= MCPH_GUARD_HAS_CHILDREN;
}

static bool
is_our_child(pid_t pid)
{
    siginfo_t info;

    return sys_child(P_PID, pid, &info, WEXITED | WNOWAIT) == 0;
}

void
tree_signal_group(int sig)
{
    siginfo_t info;

    /* In a PID namespace of its own, the guard signals all other processes. */
    if (namespace_is_ours()) {
        sys_kill(-1, sig);
        guard.sent++;
        return;
    }
    if (guard.server <= 1)
        return;
    if (sys_child(P_PGID, guard.server, &info, WEXITED | WNOWAIT) == 0)
        sys_kill(-guard.server, sig);
    else if (guard.serverfd >= 0)
        sys_pidfd_signal(guard.serverfd, sig, GUARD_PIDFD_GROUP);
    guard.sent++;
}

static void
kill_child(pid_t pid, pid_t parent)
{
    siginfo_t info;

    (void)parent;
    if (sys_child(P_PID, pid, &info, WEXITED | WNOWAIT) < 0 || info.si_pid)
        return; /* not a child, or already dead */
    seen_children++;
    near_pid = pid;
    guard.sent++;
    sys_kill(pid, SIGKILL);
}

static void
kill_if_child(pid_t pid)
{
    pid_t ppid, pgrp;

    if (procfs_stat(pid, &ppid, &pgrp) && ppid == guard.self)
        kill_child(pid, ppid);
}

/* Kills the server's group.  After a few rounds, the function also kills children of the
 * guard.  It tries process numbers to find these children: first the numbers near the
 * server's number or near the number of the last child found.  If none of these numbers
 * belongs to a child, the function tries a part of all possible numbers. */
static void
kill_by_number(void)
{
    pid_t from;

    tree_signal_group(SIGKILL);
    if (guard.rounds <= 3)
        return; /* the killed processes may need time to end */
    if (!near_pid)
        near_pid = guard.server;
    from = near_pid > NEAR_BELOW ? near_pid - NEAR_BELOW : 1;
    for (pid_t pid = from; pid < from + NEAR_BELOW + NEAR_ABOVE; pid++)
        kill_child(pid, 0);
    for (int i = 0; i < FAR_STEP && !seen_children; i++) {
        kill_child(far_next, 0);
        far_next = far_next < PID_LIMIT ? far_next + 1 : 1;
    }
}

static void
kill_newest(void)
{
    pid_t last = procfs_newest();

    for (pid_t pid = last + 1; pid > 1 && pid > last - RECENT; pid--)
        kill_child(pid, 0);
}

int
tree_kill_children(void)
{
    seen_children = 0;
    if (namespace_is_ours()) {
        tree_signal_group(SIGKILL);
        return 1;
    }
    if (guard.features & MCPH_GUARD_HAS_CHILDREN) {
        procfs_children(guard.self, kill_child);
    } else if (guard.features & MCPH_GUARD_HAS_PROC) {
        /* Try the newest numbers first, because a pass over /proc is too slow to find
         * processes that fork and exit all the time.  Make the pass only if none of these
         * numbers belongs to a child. */
        kill_newest();
        if (!seen_children)
            procfs_each(kill_if_child);
    } else {
        kill_by_number();
    }
    return seen_children;
}

static void
tree_add(pid_t pid, pid_t parent)
{
    if (tree_n == TREE_MAX)
        return;
    tree_pid[tree_n] = pid;
    tree_parent[tree_n] = parent;
    tree_n++;
}

/* Adds a process to the tree if its parent is the guard or is already in the tree.  If
 * the kernel has no lists of children, tree_collect() calls this function for each
 * process. */
static void
tree_add_by_parent(pid_t pid)
{
    pid_t ppid, pgrp;
    bool below;

    if (pid == guard.self || tree_n >= TREE_MAX / 8 || !procfs_stat(pid, &ppid, &pgrp))
        return;
    below = ppid == guard.self;
    for (int i = 0; i < tree_n; i++) {
        if (tree_pid[i] == pid)
            return;
        below = below || tree_pid[i] == ppid;
    }
    if (below)
        tree_add(pid, ppid);
}

static void
tree_collect(void)
{
    int before;

    tree_n = 0;
    if (guard.features & MCPH_GUARD_HAS_CHILDREN) {
        procfs_children(guard.self, tree_add);
        for (int i = 0; i < tree_n; i++)
            procfs_children(tree_pid[i], tree_add);
        return;
    }
    /* Stop when a pass finds no new process.  A parent usually has a lower number than
     * its children and comes before them in a pass.  The number of passes is limited,
     * because a tree may grow all the time. */
    for (int i = 0; i < PASSES; i++) {
        before = tree_n;
        procfs_each(tree_add_by_parent);
        if (tree_n == before)
            break;
    }
}

static void
signal_deeper(pid_t pid, pid_t parent, int sig, bool outside)
{
    pid_t ppid, pgrp;
    long fd;

    if (!(guard.features & MCPH_GUARD_HAS_PIDFD))
        return;
    fd = sys_pidfd_open(pid);
    if (fd < 0)
        return;
    if (procfs_stat(pid, &ppid, &pgrp) && ppid == parent &&
        !(outside && pgrp == guard.server)) {
        sys_pidfd_signal((int)fd, sig, 0);
        if (sig != SIGKILL)
            sys_pidfd_signal((int)fd, SIGCONT, 0);
        guard.sent++;
    }
    sys_close((int)fd);
}

static void
signal_direct(pid_t pid, int sig, bool outside)
{
    pid_t ppid, pgrp;

    if (!is_our_child(pid) || !procfs_stat(pid, &ppid, &pgrp))
        return;
    if (outside && pgrp == guard.server)
        return;
    sys_kill(pid, sig);
    if (sig != SIGKILL)
        sys_kill(pid, SIGCONT);
    guard.sent++;
}

void
tree_signal_deep(int sig, bool outside)
{
    if (!(guard.features & MCPH_GUARD_HAS_PROC))
        return;
    tree_collect();
    for (int i = 0; i < tree_n; i++) {
        if (tree_parent[i] == guard.self)
            signal_direct(tree_pid[i], sig, outside);
        else
            signal_deeper(tree_pid[i], tree_parent[i], sig, outside);
    }
}

static const char *sweep_var;
static int sweep_found;

static const char *
find_cookie(void)
{
    static const char name[] = MCPH_GUARD_COOKIE "=";

    for (char **env = guard.envp; *env; env++) {
        size_t i = 0;

        while (name[i] && (*env)[i] == name[i])
            i++;
        if (!name[i])
            return *env;
    }
    return NULL;
}

static void
sweep_one(pid_t pid)
{
    long fd;

    if (pid == guard.self || pid == guard.partner)
        return;
    fd = sys_pidfd_open(pid);
    if (fd < 0)
        return;
    if (procfs_has_env(pid, sweep_var) && sys_pidfd_signal((int)fd, SIGKILL, 0) == 0) {
        sweep_found++;
        guard.sent++;
    }
    sys_close((int)fd);
}

static void
sweep_newest(void)
{
    for (int i = 0; i < CHASES; i++) {
        pid_t last = procfs_newest();

        for (pid_t pid = last + 1; pid > 1 && pid > last - CHASE_BACK; pid--)
            sweep_one(pid);
    }
}

int
tree_sweep(void)
{
    sweep_found = 0;
    sweep_var = find_cookie();
    if (sweep_var && (guard.features & MCPH_GUARD_HAS_PROC) &&
        (guard.features & MCPH_GUARD_HAS_PIDFD)) {
        procfs_each(sweep_one);
        sweep_newest();
    }
    return sweep_found;
}
