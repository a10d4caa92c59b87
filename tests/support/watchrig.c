/* SPDX-License-Identifier: MIT
 *
 * watchrig.c - a watched file, a clock that the test moves, and an inotify that can fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support/runner.h"
#include "support/watchrig.h"

/* ---- inotify as the library sees it ------------------------------------------------ */

struct watch_fake fake;

int
inotify_init1(int flags)
{
    fake.n_init++;
    if (fake.init_errno) {
        errno = fake.init_errno;
        return -1;
    }
    fake.fd = (int)syscall(SYS_inotify_init1, flags);
    return fake.fd;
}

int
inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    if (fake.add_errno) {
        errno = fake.add_errno;
        return -1;
    }
    if (fake.deaf)
        return 4711;
    return (int)syscall(SYS_inotify_add_watch, fd, path, mask);
}

ssize_t
read(int fd, void *data, size_t len)
{
    if (fake.read_errno && fake.fd >= 0 && fd == fake.fd) {
        errno = fake.read_errno;
        fake.read_errno = 0;
        return -1;
    }
    return syscall(SYS_read, fd, data, len);
}

/* ---- the rig ----------------------------------------------------------------------- */

char root[PATH_MAX], dir[PATH_MAX + 8], file[PATH_MAX + 32];
struct mcph_core *core;
struct mcph_watcher *watcher;
struct mcph_watch *watch;
int64_t now;
int n_changed;
char said[1024];

static int64_t
fake_now(void *arg)
{
    return *(int64_t *)arg;
}

static void
hear(int level, const char *room, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)arg;
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", text);
}

void
watch_changed(struct mcph_watch *w, void *arg)
{
    ck_assert_ptr_eq(w, watch);
    ck_assert_ptr_eq(arg, &n_changed);
    ck_assert(mcph_core_is_dispatcher(core));
    n_changed++;
}

void
watch_turn(void)
{
    int r;

    do
        r = mcph_core_dispatch(core);
    while (r > 0);
    ck_assert_int_eq(r, 0);
}

void
watch_pass(int64_t ms)
{
    watch_turn();
    for (; ms > 0; ms -= 50) {
        now += ms < 50 ? ms : 50;
        watch_turn();
    }
}

void
watch_age(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
}

void
watch_put_at(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

void
watch_put(const char *text)
{
    watch_put_at(file, text);
}

const char *
watch_in(const char *base, const char *name)
{
    static char text[4][PATH_MAX + 64];
    static unsigned at;
    char *p = text[at++ % 4];

    snprintf(p, sizeof(text[0]), "%s/%s", base, name);
    return p;
}

void
watch_up(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.fd = -1;
    said[0] = '\0';
    n_changed = 0;
    snprintf(root, sizeof(root), "/tmp/mcphost-watch-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(dir, sizeof(dir), "%s/.minds", root);
    snprintf(file, sizeof(file), "%s/mcp.yaml", dir);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    now = 1000;
    mcph_core_set_clock(core, fake_now, &now);
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_WARNING, hear, NULL, NULL), 0);
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

void
watch_clear(const char *path)
{
    ck_assert_int_eq(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void
watch_down(void)
{
    watch = mcph_watch_free(watch);
    watcher = mcph_watcher_free(watcher);
    core = mcph_core_unref(core);
    watch_clear(root);
}

void
watch_open_with(bool events, int64_t poll_ms, const char *path)
{
    struct mcph_watch_options options = {
        .events = events, .poll_ms = poll_ms, .debounce_ms = DEBOUNCE};

    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(
        mcph_watch_new(watcher, path, watch_changed, &n_changed, &watch, NULL), 0);
}
