/* SPDX-License-Identifier: MIT
 *
 * rig.c - the parts that system tests share.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/instrumented.h"
#include "support/rig.h"
#include "support/runner.h"

const char *
rig_fakeserver(void)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/fakeserver", test_progdir());
    ck_assert_msg(access(path, X_OK) == 0, "'%s' is not built", path);
    return path;
}

void
rig_low_begin(struct rig_low *low)
{
    struct rlimit limit;

    low->out = dup(1);
    ck_assert_int_ge(low->out, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &low->usual), 0);
    limit = low->usual;
    limit.rlim_cur = 3;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    close(0);
    close(1);
}

void
rig_low_end(struct rig_low *low)
{
    int r = setrlimit(RLIMIT_NOFILE, &low->usual);

    dup2(low->out, 1);
    close(low->out);
    ck_assert_int_eq(r, 0);
}

void
rig_pause(int ms)
{
    struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

    while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
        ;
}

bool
rig_is_dead(int pid)
{
    return kill(pid, 0) < 0;
}

/* ---- a workspace ------------------------------------------------------------------- */

const char *
rig_workspace_path(const struct rig_workspace *ws, const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof(paths[0]), "%s/%s", ws->dir, name);
    return path;
}

static void
vwrite_file(const char *path, const char *text, va_list ap)
{
    FILE *f = fopen(path, "we");

    ck_assert_msg(f != NULL, "cannot write '%s': %s", path, strerror(errno));
    ck_assert_int_ge(vfprintf(f, text, ap), 0);
    ck_assert_int_eq(fclose(f), 0);
}

void
rig_workspace_write(struct rig_workspace *ws, const char *name, const char *text, ...)
{
    va_list ap;

    va_start(ap, text);
    vwrite_file(rig_workspace_path(ws, name), text, ap);
    va_end(ap);
}

static void
vwrite_yaml(struct rig_workspace *ws, const char *yaml, va_list ap)
{
    const char *fresh = rig_workspace_path(ws, ".minds/.mcp.yaml.new");

    vwrite_file(fresh, yaml, ap);
    ck_assert_int_eq(rename(fresh, rig_workspace_path(ws, ".minds/mcp.yaml")), 0);
}

void
rig_workspace_yaml(struct rig_workspace *ws, const char *yaml, ...)
{
    va_list ap;

    va_start(ap, yaml);
    vwrite_yaml(ws, yaml, ap);
    va_end(ap);
}

void
rig_workspace_up(struct rig_workspace *ws, const char *yaml, ...)
{
    va_list ap;

    snprintf(ws->dir, sizeof(ws->dir), "/tmp/mcphost-test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(ws->dir));
    ck_assert_int_eq(mkdir(rig_workspace_path(ws, ".minds"), 0700), 0);
    if (!yaml)
        return;
    va_start(ap, yaml);
    vwrite_yaml(ws, yaml, ap);
    va_end(ap);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void
rig_workspace_down(struct rig_workspace *ws)
{
    ck_assert_int_eq(strncmp(ws->dir, "/tmp/mcphost-test.", 18), 0);
    nftw(ws->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *
rig_workspace_read(const struct rig_workspace *ws, const char *name)
{
    FILE *f = fopen(rig_workspace_path(ws, name), "re");
    char *text = NULL;
    size_t size, n;
    FILE *out = open_memstream(&text, &size);
    char block[4096];

    ck_assert_ptr_nonnull(out);
    while (f && (n = fread(block, 1, sizeof(block), f)) > 0)
        fwrite(block, 1, n, out);
    if (f)
        fclose(f);
    fclose(out);
    return text;
}

int
rig_workspace_count(const struct rig_workspace *ws, const char *name, const char *needle)
{
    char *text = rig_workspace_read(ws, name);
    int n = 0;

    for (const char *p = strstr(text, needle); p; p = strstr(p + strlen(needle), needle))
        n++;
    free(text);
    return n;
}

/* Checks whether a process is alive.  Treats a zombie as dead, because the zombie's
 * parent may reap it late. */
static bool
lives(pid_t pid)
{
    char path[64], line[512], *state;
    FILE *f;
    bool yes = false;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (!f)
        return false;
    if (fgets(line, sizeof(line), f)) {
        state = strrchr(line, ')');
        yes = state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
    }
    fclose(f);
    return yes;
}

int
rig_workspace_living(const struct rig_workspace *ws, const char *trace)
{
    char *text = rig_workspace_read(ws, trace), *save = NULL;
    int n = 0;

    for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        char *end;
        long pid = strtol(l, &end, 10);

        if (end != l && strcmp(end, " spawn") == 0 && lives((pid_t)pid))
            n++;
    }
    free(text);
    return n;
}

/* ---- census of the process --------------------------------------------------------- */

static int
count_entries(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL)
        n += isdigit((unsigned char)entry->d_name[0]) != 0;
    closedir(dir);
    return n;
}

static int
parent_of(const char *pid)
{
    char path[300], line[512], *end;
    FILE *f;
    int parent = -1;

    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return -1;
    if (fgets(line, sizeof(line), f)) {
        end = strrchr(line, ')');
        if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
            parent = -1;
    }
    fclose(f);
    return parent;
}

/* Counts all children, including children that have ended.  If `reaps` is true, also
 * reaps the children that have ended. */
static int
count_children(bool reaps)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            parent_of(entry->d_name) != (int)getpid())
            continue;
        n++;
        if (reaps)
            waitpid((pid_t)strtol(entry->d_name, NULL, 10), NULL, WNOHANG);
    }
    closedir(dir);
    return n;
}

void
rig_reap_adopted(int ms)
{
    while (count_children(true) > 0 && ms > 0) {
        rig_pause(5);
        ms -= 5;
    }
}

#if defined(__SANITIZE_THREAD__)
#define THREADS_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_CHECKED 1
#endif
#endif

#ifdef THREADS_CHECKED
static void *
do_nothing(void *arg)
{
    return arg;
}
#endif

/* Starts a first thread in a build with ThreadSanitizer.  ThreadSanitizer then starts a
 * thread of its own.  The census must count this thread from the beginning. */
static void
settle_threads(void)
{
#ifdef THREADS_CHECKED
    static bool settled;
    pthread_t thread;

    if (!settled && pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        pthread_join(thread, NULL);
    settled = true;
#endif
}

struct rig_census
rig_census_take(void)
{
    settle_threads();
    return (struct rig_census){
        .fds = count_entries("/proc/self/fd") - 1, /* minus the descriptor of opendir() */
        .threads = count_entries("/proc/self/task"),
        .children = count_children(false),
    };
}

static void
print_fds(void)
{
    char path[64], target[256];

    for (int fd = 0; fd < 4096; fd++) {
        ssize_t n;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        n = readlink(path, target, sizeof(target) - 1);
        if (n > 0)
            printf("    fd %d: %.*s\n", fd, (int)n, target);
    }
}

void
rig_census_check(const struct rig_census *before, int ms)
{
    struct rig_census now;

    for (;;) {
        now = rig_census_take();
        if (memcmp(&now, before, sizeof(now)) == 0)
            return;
        if (ms <= 0)
            break;
        rig_pause(5);
        ms -= 5;
    }
    print_fds();
    ck_abort_msg("left behind: %d descriptors (%d before), %d threads (%d), "
                 "%d children (%d)",
                 now.fds, before->fds, now.threads, before->threads, now.children,
                 before->children);
}

void
rig_peak_reset(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "5", 1);
    close(fd);
}

/* Returns the value of a line of /proc/self/status in KiB, or -1 in an instrumented
 * build. */
static long
status_kib(const char *name)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long kib = -1;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    fclose(f);
    return INSTRUMENTED ? -1 : kib;
}

long
rig_peak_kib(void)
{
    return status_kib("VmHWM:");
}

long
rig_anon_kib(void)
{
    return status_kib("RssAnon:");
}
