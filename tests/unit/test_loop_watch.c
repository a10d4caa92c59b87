/* SPDX-License-Identifier: MIT
 *
 * test_loop_watch.c - a file that changes in every way that editors know: by
 * events, by polling, by either alone.
 *
 * The files are real, the clock is not: what the debounce and the poll wait for
 * is set by the test.  Events of inotify are there as soon as the system call that
 * caused them is back, so nothing sleeps for them.
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/core.h"
#include "support/runner.h"

/* ---- inotify as the library sees it ------------------------------------------------ */

static struct {
    int init_errno, add_errno; /* 0: as it is */
    int read_errno;            /* once */
    bool deaf;                 /* watches are accepted and nothing is ever told */
    int n_init, fd;
} fake;

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

/* ---- the rig -------------------------------------------------------------------------- */

static char root[PATH_MAX], dir[PATH_MAX + 8], file[PATH_MAX + 32];
static struct mcph_core *core;
static struct mcph_watcher *watcher;
static struct mcph_watch *watch;
static int64_t now;
static int n_changed;
static char said[1024];

enum { DEBOUNCE = 200, POLL = 1500 };

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

static void
changed(struct mcph_watch *w, void *arg)
{
    ck_assert_ptr_eq(w, watch);
    ck_assert_ptr_eq(arg, &n_changed);
    ck_assert(mcph_core_is_dispatcher(core));
    n_changed++;
}

static void
turn(void)
{
    int r;

    do
        r = mcph_core_dispatch(core);
    while (r > 0);
    ck_assert_int_eq(r, 0);
}

/* Lets time pass, step by step, as a loop would see it. */
static void
pass(int64_t ms)
{
    turn();
    for (; ms > 0; ms -= 50) {
        now += ms < 50 ? ms : 50;
        turn();
    }
}

/* Signatures of files older than a tick of the kernel's clock can be trusted. */
static void
age(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
}

static void
put_at(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void
put(const char *text)
{
    put_at(file, text);
}

static const char *
in(const char *base, const char *name)
{
    static char text[4][PATH_MAX + 64];
    static unsigned at;
    char *p = text[at++ % 4];

    snprintf(p, sizeof(text[0]), "%s/%s", base, name);
    return p;
}

static void
up(void)
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

static void
clear(const char *path)
{
    ck_assert_int_eq(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void
down(void)
{
    watch = mcph_watch_free(watch);
    watcher = mcph_watcher_free(watcher);
    core = mcph_core_unref(core);
    clear(root);
}

static void
open_with(bool events, int64_t poll_ms, const char *path)
{
    struct mcph_watch_options options = {
        .events = events, .poll_ms = poll_ms, .debounce_ms = DEBOUNCE};

    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(mcph_watch_new(watcher, path, changed, &n_changed, &watch, NULL), 0);
}

/* ---- every change, both ways -------------------------------------------------------------- */

static void
edit_in_place(void)
{
    put("version: 1\n# more\n");
}

static void
edit_same_size(void)
{
    put("VERSION: 2\n");
}

static void
edit_by_rename(void)
{
    put_at(in(dir, ".mcp.yaml.tmp"), "version: 1\n# by rename\n");
    ck_assert_int_eq(rename(in(dir, ".mcp.yaml.tmp"), file), 0);
}

static void
edit_with_backup(void)
{
    ck_assert_int_eq(rename(file, in(dir, "mcp.yaml~")), 0);
    put("version: 1\n# backed up\n");
}

static void
edit_by_truncation(void)
{
    int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);

    ck_assert_int_eq((int)write(fd, "version: 1\n#\n", 13), 13);
    ck_assert_int_eq(close(fd), 0);
}

static void
edit_by_removal(void)
{
    ck_assert_int_eq(unlink(file), 0);
}

static void
edit_whole_directory(void)
{
    clear(dir);
}

static void
edit_directory_moved(void)
{
    ck_assert_int_eq(rename(dir, in(root, "away")), 0);
}

static void
edit_directory_replaced(void)
{
    ck_assert_int_eq(rename(dir, in(root, "away")), 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    put("version: 1\n# another directory\n");
}

static void
edit_mode(void)
{
    ck_assert_int_eq(chmod(file, 0), 0);
}

static void
edit_to_link(void)
{
    ck_assert_int_eq(rename(file, in(root, "elsewhere.yaml")), 0);
    put_at(in(root, "elsewhere.yaml"), "version: 1\n# behind a link\n");
    ck_assert_int_eq(symlink("../elsewhere.yaml", file), 0);
}

static const struct {
    void (*edit)(void);
} edits[] = {
    {edit_in_place},
    {edit_same_size},
    {edit_by_rename},
    {edit_with_backup},
    {edit_by_truncation},
    {edit_by_removal},
    {edit_whole_directory},
    {edit_directory_moved},
    {edit_directory_replaced},
    {edit_mode},
    {edit_to_link},
};

START_TEST(events_alone_tell_each_kind_of_change_once_after_the_debounce) /* R89 R92 */
{
    put("version: 1\n");
    age();
    open_with(true, 0, file);
    edits[_i].edit();
    pass(DEBOUNCE - 1);
    ck_assert_int_eq(n_changed, 0);
    pass(1);
    ck_assert_int_eq(n_changed, 1);
    pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(polling_alone_tells_each_kind_of_change_within_an_interval) /* R90 R91 */
{
    put("version: 1\n");
    age();
    open_with(false, POLL, file);
    ck_assert_int_eq(fake.n_init, 0);
    pass(POLL / 2);
    edits[_i].edit();
    pass(POLL - POLL / 2 - 1);
    ck_assert_int_eq(n_changed, 0);
    pass(1);
    ck_assert_int_eq(n_changed, 1);
    age();
    pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(both_together_tell_each_kind_of_change_once) /* R91 */
{
    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    edits[_i].edit();
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    age();
    pass(10 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_file_system_without_events_is_polled) /* R90 R91 */
{
    put("version: 1\n");
    age();
    fake.deaf = true;
    open_with(true, POLL, file);
    edits[_i].edit();
    pass(POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

/* ---- debounce ------------------------------------------------------------------------------- */

START_TEST(five_writes_within_a_tenth_of_a_second_are_one_change) /* R92 */
{
    char text[] = "version: 1\n# 0\n";

    put("version: 1\n");
    open_with(true, POLL, file);
    for (int i = 0; i < 5; i++) {
        text[13] = (char)('0' + i);
        put(text);
        pass(20);
    }
    pass(DEBOUNCE - 21);
    ck_assert_int_eq(n_changed, 0);
    pass(1);
    ck_assert_int_eq(n_changed, 1);
    age();
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_file_that_never_rests_is_told_of_all_the_same)
{
    put("version: 1\n");
    open_with(true, 0, file);
    for (int i = 0; i < 30; i++) {
        FILE *f = fopen(file, "ae");

        fputs("# log\n", f);
        fclose(f);
        pass(100);
    }
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(an_edit_that_ends_where_it_began_is_no_change)
{
    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    ck_assert_int_eq(rename(file, in(dir, "x")), 0);
    ck_assert_int_eq(rename(in(dir, "x"), file), 0);
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1); /* the renames moved its ctime: not sure */
    ck_assert_int_eq(close(open(file, O_WRONLY | O_CLOEXEC)), 0);
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(files_beside_it_concern_nobody) /* R92: swap files */
{
    static const char *const names[] = {
        ".mcp.yaml.swp", ".mcp.yaml.swx", "4913", "mcp.yaml~", "#mcp.yaml#",
        ".#mcp.yaml",    "mcp.yaml.bak",  "mcp",  "mcp.yam",
    };

    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        put_at(in(dir, names[i]), "x");
        put_at(in(root, names[i]), "x");
        ck_assert_int_eq(unlink(in(dir, names[i])), 0);
    }
    turn();
    ck_assert_int_eq(mcph_core_next_due(core), 1000 + POLL); /* no debounce began */
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

/* ---- coming and going ---------------------------------------------------------------------- */

START_TEST(a_directory_that_goes_and_comes_stays_watched) /* R93 */
{
    put("version: 1\n");
    open_with(true, 0, file);
    for (int i = 1; i <= 6; i += 2) {
        clear(dir);
        pass(DEBOUNCE);
        ck_assert_int_eq(n_changed, i);
        ck_assert_int_eq(mkdir(dir, 0700), 0);
        turn();
        put("version: 1\n");
        pass(DEBOUNCE);
        ck_assert_int_eq(n_changed, i + 1);
        age();
    }
}
END_TEST

START_TEST(a_file_and_its_directory_may_come_later) /* R2 R88 */
{
    clear(dir);
    open_with(true, 0, file);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 0); /* there is still no file */
    put("version: 1\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(even_the_workspace_may_come_later)
{
    char *path = mcph_strdup(in(root, "ws/.minds/mcp.yaml"));

    open_with(true, 0, path);
    ck_assert_int_eq(mkdir(in(root, "ws"), 0700), 0);
    ck_assert_int_eq(mkdir(in(root, "ws/.minds"), 0700), 0);
    put_at(path, "version: 1\n");
    pass(2000); /* nothing was there to be watched: the posts are looked after */
    ck_assert_int_eq(n_changed, 1);
    put_at(path, "version: 1\n#\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    free(path);
}
END_TEST

START_TEST(events_alone_cost_no_wake_up_while_nothing_happens)
{
    put("version: 1\n");
    open_with(true, 0, file);
    turn();
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
    clear(dir);
    pass(DEBOUNCE);
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
}
END_TEST

/* ---- symbolic links --------------------------------------------------------------------------- */

START_TEST(what_a_link_leads_to_is_watched_too)
{
    put_at(in(root, "real.yaml"), "version: 1\n");
    ck_assert_int_eq(mkdir(in(root, "a"), 0700), 0);
    ck_assert_int_eq(symlink("../real.yaml", in(root, "a/middle.yaml")), 0);
    ck_assert_int_eq(symlink(in(root, "a/middle.yaml"), file), 0);
    open_with(true, 0, file);
    put_at(in(root, "real.yaml"), "version: 1\n# edited\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    put_at(in(root, "other.yaml"), "version: 1\n# other\n");
    ck_assert_int_eq(unlink(in(root, "a/middle.yaml")), 0);
    ck_assert_int_eq(symlink("../other.yaml", in(root, "a/middle.yaml")), 0);
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    put_at(in(root, "other.yaml"), "version: 1\n# other edited\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
    put_at(in(root, "real.yaml"), "no longer ours\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 3);
}
END_TEST

/* As configuration volumes are switched: the directory is a link, too. */
START_TEST(a_link_in_the_middle_of_the_way_may_be_switched)
{
    ck_assert_int_eq(mkdir(in(dir, "v1"), 0700), 0);
    ck_assert_int_eq(mkdir(in(dir, "v2"), 0700), 0);
    put_at(in(dir, "v1/mcp.yaml"), "version: 1\n");
    put_at(in(dir, "v2/mcp.yaml"), "version: 1\n# two\n");
    ck_assert_int_eq(symlink("v1", in(dir, "data")), 0);
    ck_assert_int_eq(symlink("data/mcp.yaml", file), 0);
    open_with(true, 0, file);
    ck_assert_int_eq(symlink("v2", in(dir, "next")), 0);
    ck_assert_int_eq(rename(in(dir, "next"), in(dir, "data")), 0);
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    put_at(in(dir, "v2/mcp.yaml"), "version: 1\n# two and a bit\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(links_that_lead_in_a_circle_harm_nobody)
{
    ck_assert_int_eq(symlink("b.yaml", in(dir, "a.yaml")), 0);
    ck_assert_int_eq(symlink("a.yaml", in(dir, "b.yaml")), 0);
    ck_assert_int_eq(symlink("a.yaml", file), 0);
    open_with(true, POLL, file);
    ck_assert_int_eq(unlink(file), 0);
    put("version: 1\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

/* ---- losses ------------------------------------------------------------------------------------ */

START_TEST(limits_of_inotify_leave_the_poll_and_are_said_once) /* R91 */
{
    static const int errors[] = {EMFILE, ENFILE, ENOMEM};

    put("version: 1\n");
    age();
    fake.init_errno = errors[_i];
    open_with(true, POLL, file);
    ck_assert_int_eq(mcph_watcher_fault(watcher), errors[_i]);
    turn(); /* flushes the log */
    ck_assert_ptr_nonnull(strstr(said, "files cannot be watched for changes, they are "
                                       "polled: "));
    put("version: 1\n# edited\n");
    pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    pass(5 * POLL);
    turn();
    ck_assert_ptr_null(strstr(strchr(said, '\n'), "watched"));

    fake.init_errno = 0; /* and when there is room again */
    pass(POLL);
    ck_assert_int_eq(mcph_watcher_fault(watcher), 0);
    put("version: 1\n# edited again\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(too_many_watches_leave_the_poll_and_are_said_once) /* R91 */
{
    put("version: 1\n");
    age();
    fake.add_errno = ENOSPC;
    open_with(true, POLL, file);
    pass(5 * POLL);
    ck_assert_int_eq(mcph_watcher_fault(watcher), ENOSPC);
    put("version: 1\n# edited\n");
    pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_ptr_nonnull(strchr(said, '\n'));
    ck_assert_str_eq(strchr(said, '\n'), "\n");
    fake.add_errno = 0;
    pass(POLL);
    put("version: 1\n# edited again\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(without_a_poll_lost_events_are_sought_and_what_happened_is_told)
{
    put("version: 1\n");
    age();
    fake.add_errno = ENOSPC;
    open_with(true, 0, file);
    pass(1000);
    put("version: 1\n# while nobody listened\n");
    ck_assert_str_eq(strchr(said, ':') + 1, " No space left on device\n");
    fake.add_errno = 0;
    pass(1500 + DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_int_eq(mcph_core_next_due(core), INT64_MAX);
}
END_TEST

START_TEST(an_overflow_of_events_counts_as_a_change) /* B.16 */
{
    FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    int max = 0;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%d", &max), 1);
    fclose(f);
    put("version: 1\n");
    age();
    open_with(true, 0, file);
    if (max > 40000)
        return; /* that would take too long to fill */
    for (int i = 0; i <= max / 2; i++) {
        int fd = open(in(dir, "noise"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

        ck_assert_int_ge(fd, 0);
        close(fd);
        ck_assert_int_eq(unlink(in(dir, "noise")), 0);
    }
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    put("version: 1\n# and then\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(a_descriptor_that_fails_is_opened_anew_by_the_poll) /* B.1 */
{
    put("version: 1\n");
    age();
    open_with(true, _i ? POLL : 0, file);
    fake.read_errno = EIO;
    put("version: 1\n# edited\n");
    turn();
    ck_assert_int_eq(mcph_watcher_fault(watcher), EIO);
    pass(1500 + DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    ck_assert_int_eq(fake.n_init, 2);
    put("version: 1\n# edited again\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
    ck_assert_int_eq(mcph_watcher_fault(watcher), 0);
}
END_TEST

/* Programs exist that close every descriptor they see. */
START_TEST(a_descriptor_taken_away_is_opened_anew_by_the_poll) /* B.1 */
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    ck_assert_int_eq(dup3(null, fake.fd, O_CLOEXEC), fake.fd);
    close(null);
    put("version: 1\n# edited\n");
    pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    pass(POLL);
    ck_assert_int_eq(fake.n_init, 2);
    put("version: 1\n# edited again\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

/* ---- clocks and own writes -------------------------------------------------------------------- */

START_TEST(a_clock_that_is_set_back_hides_nothing) /* B.16 */
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    put("version: 1\n");
    age();
    open_with(false, POLL, file);
    put("VERSION: 1\n");
    ck_assert_int_eq(utimensat(AT_FDCWD, file, times, 0), 0); /* older than before */
    pass(POLL);
    ck_assert_int_eq(n_changed, 1);
    put("version: 3\n");
    times[0].tv_sec = times[1].tv_sec = INT32_MAX; /* and in the future */
    ck_assert_int_eq(utimensat(AT_FDCWD, file, times, 0), 0);
    pass(POLL);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(two_edits_within_a_tick_of_the_clock_are_two) /* R90 */
{
    put("version: 0\n");
    open_with(false, 0, file);
    for (int i = 0; i < 200; i++) {
        char text[] = "version: 0\n";

        text[9] = (char)('1' + i % 2);
        put(text);
        ck_assert(mcph_watch_check(watch));
        ck_assert(!mcph_watch_check(watch));
    }
    age();
    ck_assert(!mcph_watch_check(watch));
    ck_assert(!mcph_watch_check(watch));
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

START_TEST(a_check_of_the_caller_s_takes_the_place_of_the_event) /* R30 */
{
    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    ck_assert(!mcph_watch_check(watch));
    put("version: 1\n# edited\n");
    turn();
    ck_assert(mcph_watch_check(watch));
    ck_assert(!mcph_watch_check(watch));
    age();
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
}
END_TEST

static void
own(const char *text, const struct mcph_file_sig *before)
{
    struct mcph_file_sig after;

    ck_assert_int_eq(mcph_file_replace(file, text, strlen(text), before, &after, NULL),
                     0);
    mcph_watch_own_write(watch, before, &after);
}

START_TEST(a_write_of_our_own_is_no_change) /* B.14 */
{
    struct mcph_file_sig before;

    put("version: 1\n");
    if (_i)
        age();
    open_with(true, POLL, file);
    for (int i = 0; i < 3; i++) {
        mcph_file_sign(file, &before);
        own("version: 1\n# own\n", &before);
        pass(DEBOUNCE);
    }
    age();
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 0);
    put("version: 1\n# theirs\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(a_write_of_our_own_hides_no_edit_before_it_or_after)
{
    struct mcph_file_sig before;

    put("version: 1\n");
    age();
    open_with(true, POLL, file);
    put("version: 1\n# theirs\n");
    mcph_file_sign(file, &before);
    own("version: 1\n# theirs and own\n", &before);
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    age();
    mcph_file_sign(file, &before);
    own("version: 1\n# own\n", &before);
    put("version: 1\n# it\n"); /* at once, within the tick */
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

/* ---- handles --------------------------------------------------------------------------------------- */

static struct mcph_watch *others[3];

static void
changed_all(struct mcph_watch *w, void *arg)
{
    (void)w;
    (void)arg;
    n_changed++;
    for (size_t i = 0; i < 3; i++)
        others[i] = mcph_watch_free(others[i]);
}

START_TEST(the_function_may_free_any_watch)
{
    struct mcph_watch_options options = {true, POLL, DEBOUNCE};

    put("version: 1\n");
    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(
            mcph_watch_new(watcher, file, changed_all, NULL, &others[i], NULL), 0);
    put("version: 1\n# edited\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
    pass(5 * POLL);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

START_TEST(files_of_one_directory_go_their_own_ways)
{
    struct mcph_watch_options options = {true, 0, DEBOUNCE};
    struct mcph_watch *team;
    int n_team = 0;

    put("version: 1\n");
    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(
        mcph_watch_new(watcher, in(dir, "team.yaml"), changed, &n_team, &team, NULL), 0);
    ck_assert_int_eq(mcph_watch_new(watcher, file, changed, &n_changed, &watch, NULL), 0);
    put("version: 1\n# edited\n");
    pass(DEBOUNCE); /* `changed` sees to it that it is the right one */
    ck_assert_int_eq(n_changed, 1);
    mcph_watch_free(team); /* and leaves the other's posts alone */
    put("version: 1\n# edited again\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 2);
}
END_TEST

START_TEST(a_path_must_be_absolute_and_of_a_length_that_exists)
{
    struct mcph_watch_options options = {true, POLL, DEBOUNCE};
    mcphost_error *err = NULL;
    char path[PATH_MAX + 2];

    ck_assert_int_eq(mcph_watcher_new(core, &options, &watcher, NULL), 0);
    ck_assert_int_eq(mcph_watch_new(watcher, "mcp.yaml", changed, NULL, &watch, &err),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "'mcp.yaml' cannot be watched: not an absolute path");
    mcphost_error_unref(err);
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[PATH_MAX] = '\0';
    ck_assert_int_eq(mcph_watch_new(watcher, path, changed, NULL, &watch, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(a_forked_child_takes_nothing_from_its_parent)
{
    pid_t pid;
    int status;

    put("version: 1\n");
    open_with(true, 0, file);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        mcph_watch_free(watch);
        mcph_watcher_free(watcher);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    put("version: 1\n# edited\n");
    pass(DEBOUNCE);
    ck_assert_int_eq(n_changed, 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "changes");
    int n = (int)MCPH_ARRAY_SIZE(edits);

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, events_alone_tell_each_kind_of_change_once_after_the_debounce,
                        0, n);
    tcase_add_loop_test(tc, polling_alone_tells_each_kind_of_change_within_an_interval, 0,
                        n);
    tcase_add_loop_test(tc, both_together_tell_each_kind_of_change_once, 0, n);
    tcase_add_loop_test(tc, a_file_system_without_events_is_polled, 0, n);

    tc = test_case(suite, "debounce");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, five_writes_within_a_tenth_of_a_second_are_one_change);
    tcase_add_test(tc, a_file_that_never_rests_is_told_of_all_the_same);
    tcase_add_test(tc, an_edit_that_ends_where_it_began_is_no_change);
    tcase_add_test(tc, files_beside_it_concern_nobody);

    tc = test_case(suite, "places");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_directory_that_goes_and_comes_stays_watched);
    tcase_add_test(tc, a_file_and_its_directory_may_come_later);
    tcase_add_test(tc, even_the_workspace_may_come_later);
    tcase_add_test(tc, events_alone_cost_no_wake_up_while_nothing_happens);
    tcase_add_test(tc, what_a_link_leads_to_is_watched_too);
    tcase_add_test(tc, a_link_in_the_middle_of_the_way_may_be_switched);
    tcase_add_test(tc, links_that_lead_in_a_circle_harm_nobody);

    tc = test_case(suite, "losses");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, limits_of_inotify_leave_the_poll_and_are_said_once, 0, 3);
    tcase_add_test(tc, too_many_watches_leave_the_poll_and_are_said_once);
    tcase_add_test(tc, without_a_poll_lost_events_are_sought_and_what_happened_is_told);
    tcase_add_test(tc, an_overflow_of_events_counts_as_a_change);
    tcase_add_loop_test(tc, a_descriptor_that_fails_is_opened_anew_by_the_poll, 0, 2);
    tcase_add_test(tc, a_descriptor_taken_away_is_opened_anew_by_the_poll);

    tc = test_case(suite, "clocks and writers");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_clock_that_is_set_back_hides_nothing);
    tcase_add_test(tc, two_edits_within_a_tick_of_the_clock_are_two);
    tcase_add_test(tc, a_check_of_the_caller_s_takes_the_place_of_the_event);
    tcase_add_loop_test(tc, a_write_of_our_own_is_no_change, 0, 2);
    tcase_add_test(tc, a_write_of_our_own_hides_no_edit_before_it_or_after);

    tc = test_case(suite, "handles");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_function_may_free_any_watch);
    tcase_add_test(tc, files_of_one_directory_go_their_own_ways);
    tcase_add_test(tc, a_path_must_be_absolute_and_of_a_length_that_exists);
    tcase_add_test(tc, a_forked_child_takes_nothing_from_its_parent);
}

int
main(void)
{
    return test_main("loop-watch", add);
}
