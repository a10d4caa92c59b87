/* SPDX-License-Identifier: MIT
 *
 * procfs.c - reads the parts of /proc that the guard needs, into fixed buffers.
 *
 * The contents are a hint and never a proof: lists are not atomic, and process numbers
 * are reused.  This file sends no signals.
 */
#include "guard.h"

#define PATH_LEN 96

struct dirent64 {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

static char *
put_str(char *at, const char *str)
{
    while (*str)
        *at++ = *str++;
    *at = '\0';
    return at;
}

char *
procfs_put_number(char *at, long num)
{
    char digits[20];
    int n = 0;

    do {
        digits[n++] = (char)('0' + num % 10);
        num /= 10;
    } while (num);
    while (n)
        *at++ = digits[--n];
    *at = '\0';
    return at;
}

static int
open_in_proc(pid_t pid, const char *name, int flags)
{
    char path[PATH_LEN];

    put_str(procfs_put_number(put_str(path, "/proc/"), pid), name);
    return (int)sys_open(path, flags);
}

/* Parses a whole string as a decimal number of at most nine digits.  Returns -1 for any
 * other string. */
static pid_t
parse_number(const char *str, size_t len)
{
    pid_t num = 0;

    if (len == 0 || len > 9)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (str[i] < '0' || str[i] > '9')
            return -1;
        num = num * 10 + (str[i] - '0');
    }
    return num;
}

bool
procfs_is_ours(void)
{
    char buf[16];
    long n = sys_readlink("/proc/self", buf, sizeof(buf));

    return n > 0 && parse_number(buf, (size_t)n) == guard.self;
}

static void
children_path(char *path, pid_t pid, pid_t tid)
{
    char *at = procfs_put_number(put_str(path, "/proc/"), pid);

    put_str(procfs_put_number(put_str(at, "/task/"), tid), "/children");
}

bool
procfs_has_children(void)
{
    char path[PATH_LEN];
    long fd;

    children_path(path, guard.self, guard.self);
    fd = sys_open(path, O_RDONLY);
    if (fd >= 0)
        sys_close((int)fd);
    return fd >= 0;
}

/* Calls fn for each child of the thread `tid`.  Joins a number that is split between two
 * reads. */
static void
children_of_thread(pid_t pid, pid_t tid, void (*fn)(pid_t, pid_t))
{
    char path[PATH_LEN], buf[1024];
    pid_t num = 0;
    long fd, n;

    children_path(path, pid, tid);
    fd = sys_open(path, O_RDONLY);
    if (fd < 0)
        return;
    do {
        n = sys_read((int)fd, buf, sizeof(buf));
        for (long i = 0; i < n; i++) {
            if (buf[i] >= '0' && buf[i] <= '9') {
                num = num * 10 + (buf[i] - '0');
            } else if (num) {
                fn(num, pid);
                num = 0;
            }
        }
    } while (n > 0);
    if (num)
        fn(num, pid);
    sys_close((int)fd);
}

/* Calls fn for each number among the names in the directory `fd`.  Closes `fd`. */
static void
each_number(int fd, void (*fn)(pid_t num, pid_t pid, void *arg), pid_t pid, void *arg)
{
    _Alignas(8) char buf[2048];
    long n;

    if (fd < 0)
        return;
    do {
        n = sys_getdents(fd, buf, sizeof(buf));
        for (long at = 0; at < n;) {
            const struct dirent64 *ent = (const void *)(buf + at);
            size_t len = 0;
            pid_t num;

            while (ent->name[len])
                len++;
            num = parse_number(ent->name, len);
            if (num > 0)
                fn(num, pid, arg);
            at += ent->reclen;
        }
    } while (n > 0);
    sys_close(fd);
}

struct children_walk {
    void (*fn)(pid_t pid, pid_t parent);
};

static void
thread_seen(pid_t tid, pid_t pid, void *arg)
{
    const struct children_walk *walk = arg;

    children_of_thread(pid, tid, walk->fn);
}

void
procfs_children(pid_t pid, void (*fn)(pid_t pid, pid_t parent))
{
    struct children_walk walk = {fn};

    if (pid == guard.self) {
        children_of_thread(pid, pid, fn); /* the guard has one thread */
        return;
    }
    each_number(open_in_proc(pid, "/task", O_RDONLY | O_DIRECTORY), thread_seen, pid,
                &walk);
}

struct each_walk {
    void (*fn)(pid_t pid);
};

static void
process_seen(pid_t num, pid_t pid, void *arg)
{
    const struct each_walk *walk = arg;

    (void)pid;
    walk->fn(num);
}

void
procfs_each(void (*fn)(pid_t pid))
{
    struct each_walk walk = {fn};

    each_number((int)sys_open("/proc", O_RDONLY | O_DIRECTORY), process_seen, 0, &walk);
}

/* Reads the parent and the process group from "PID (name) S PPID PGRP ...".  Searches for
 * the last ')', because the name may contain any byte, even ')'.  Returns false for a
 * dead process. */
bool
procfs_stat(pid_t pid, pid_t *ret_ppid, pid_t *ret_pgrp)
{
    char buf[128];
    long n, at = -1;
    pid_t num[2] = {0, 0};
    int fd = open_in_proc(pid, "/stat", O_RDONLY);

    if (fd < 0)
        return false;
    n = sys_read(fd, buf, sizeof(buf));
    sys_close(fd);
    for (long i = 0; i < n; i++)
        if (buf[i] == ')')
            at = i;
    if (at < 0 || at + 3 >= n || buf[at + 2] == 'Z' || buf[at + 2] == 'X')
        return false;
    at += 3; /* skip ") S" */
    for (int i = 0; i < 2; i++) {
        at++;
        if (at >= n || buf[at] < '0' || buf[at] > '9')
            return false;
        for (; at < n && buf[at] >= '0' && buf[at] <= '9'; at++)
            num[i] = num[i] * 10 + (buf[at] - '0');
    }
    *ret_ppid = num[0];
    *ret_pgrp = num[1];
    return true;
}

bool
procfs_has_env(pid_t pid, const char *var)
{
    char buf[1024];
    long n;
    size_t match = 0; /* number of matching bytes; SIZE_MAX if this string differs */
    bool found = false;
    int fd = open_in_proc(pid, "/environ", O_RDONLY);

    if (fd < 0)
        return false;
    do {
        n = sys_read(fd, buf, sizeof(buf));
        for (long i = 0; i < n && !found; i++) {
            if (match != SIZE_MAX && buf[i] == var[match])
                found = var[match++] == '\0';
            else
                match = SIZE_MAX;
            if (buf[i] == '\0')
                match = 0;
        }
    } while (n > 0 && !found);
    sys_close(fd);
    return found;
}

/* Returns the newest process number, or 0 if it is unknown.  The number is the last word
 * of /proc/loadavg ("0.1 0.2 0.3 1/234 5678"). */
pid_t
procfs_newest(void)
{
    char buf[128];
    long n, at, end;
    int fd = (int)sys_open("/proc/loadavg", O_RDONLY);

    if (fd < 0)
        return 0;
    n = sys_read(fd, buf, sizeof(buf));
    sys_close(fd);
    end = n > 0 && buf[n - 1] == '\n' ? n - 1 : n;
    for (at = end; at > 0 && buf[at - 1] != ' ';)
        at--;
    return end > at ? parse_number(buf + at, (size_t)(end - at)) : 0;
}
