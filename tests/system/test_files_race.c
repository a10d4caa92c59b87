/* SPDX-License-Identifier: MIT
 *
 * test_files_race.c - opening files while other threads move the directories above them
 * (R160).
 *
 * The threads rename the directories and exchange them with symbolic links that lead out
 * of the base directory.  The provider must not read a file from outside.
 *
 * FILES_RACE_S (default: 5) is the time for the provider's races in seconds.  The test
 * divides this time among the file systems and the two ways of opening.  The races run in
 * /tmp and /dev/shm.  They also run in an overlay if the test can mount an overlay.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "files/inner.h"
#include "support/runner.h"

#define READERS  3
#define MOVERS   2
#define VARIANTS 6

static char root[64], top[128]; /* made by the test; `top` holds base/ and out/ */
static struct files files;
static int dir_a, dir_b; /* descriptors of the directories a and a/b, wherever these
                          * directories are now */
static atomic_bool over;
static atomic_long opens, reads, refused, escapes;

static const char *const paths[] = {"a/b/c/f", "a/b/f", "a/f", "x/f",
                                    "x/b/f",   "f",     "c/f"};

static int64_t
race_ms(void)
{
    const char *text = getenv("FILES_RACE_S");

    return (text ? strtol(text, NULL, 10) : 5) * 1000 / VARIANTS;
}

/* ---- the tree ---------------------------------------------------------------------- */

static void
put_file(const char *dir, const char *text)
{
    char path[512];
    int fd;

    snprintf(path, sizeof(path), "%s/%s/f", top, dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void
put_tree(const char *tree, const char *text)
{
    static const char *const dirs[] = {"",   "/a",   "/a/b",  "/a/b/c",
                                       "/x", "/x/b", "/spare"};
    char path[512], name[64];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(dirs); i++) {
        snprintf(name, sizeof(name), "%s%s", tree, dirs[i]);
        snprintf(path, sizeof(path), "%s/%s", top, name);
        ck_assert_msg(mkdir(path, 0700) == 0, "%s: %s", path, strerror(errno));
        put_file(name, text);
    }
}

static void
put_link(const char *target, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/base/%s", top, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void
build(void)
{
    char path[512];
    int fd;

    put_tree("base", "INSIDE");
    put_tree("out", "OUTSIDE");
    snprintf(path, sizeof(path), "%s/out/OUTSIDE", top);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(fd);
    put_link("../out/a", "la");
    put_link("../../out/a/b", "a/lb");
    put_link("../../../out/a/b/c", "a/b/lc");
    put_link("../out/x", "lx");
    put_link("../out/f", "lf");
    snprintf(path, sizeof(path), "%s/base", top);
    files = (struct files){.base = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    ck_assert_int_ge(files.base, 0);
    dir_a = openat(files.base, "a", O_PATH | O_DIRECTORY | O_CLOEXEC);
    dir_b = openat(dir_a, "b", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ck_assert(dir_a >= 0 && dir_b >= 0);
    over = false;
    opens = reads = refused = escapes = 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void
demolish(void)
{
    close(files.base);
    close(dir_a);
    close(dir_b);
    if (strcmp(root, top) != 0)
        ck_assert_int_eq(umount2(top, MNT_DETACH), 0);
    ck_assert_ptr_nonnull(strstr(root, "/mcphost-test."));
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- threads that move directories ------------------------------------------------- */

/* Exchanges two entries of an open directory.  No link can redirect the exchange itself,
 * because the directory is open. */
static void
exchange(int dir, const char *a, const char *b)
{
    if (renameat2(dir, a, dir, b, RENAME_EXCHANGE) == 0 || errno != EINVAL)
        return;
    /* Rename in three steps, because the file system cannot exchange names. */
    if (renameat(dir, a, dir, "t") == 0) {
        (void)renameat(dir, b, dir, a);
        (void)renameat(dir, "t", dir, b);
    }
}

static void *
move(void *arg)
{
    unsigned n = (unsigned)(uintptr_t)arg * 7919u;

    while (!atomic_load(&over)) {
        switch (n++ % 6) {
        case 0:
            exchange(files.base, "a", "la");
            break;
        case 1:
            exchange(dir_a, "b", "lb");
            break;
        case 2:
            exchange(dir_b, "c", "lc");
            break;
        case 3:
            exchange(files.base, "x", "lx");
            break;
        case 4:
            exchange(files.base, "f", "lf");
            break;
        default:
            /* Move c up and back, so that ".." of an open c is another directory for a
             * moment. */
            (void)renameat(dir_b, "c", files.base, "c");
            (void)renameat(files.base, "c", dir_b, "c");
            break;
        }
    }
    return NULL;
}

/* ---- threads that read ------------------------------------------------------------- */

static void
look_at_file(const char *path)
{
    char text[16] = "";
    struct stat st;
    int fd = mcph_files_open(&files, path, false, &st);

    opens++;
    if (fd < 0) {
        refused++;
        return;
    }
    if (read(fd, text, sizeof(text) - 1) > 0) {
        reads++;
        escapes += strcmp(text, "INSIDE") != 0;
    }
    close(fd);
}

static void
look_at_dir(const char *path)
{
    const struct dirent *entry;
    struct stat st;
    int fd = mcph_files_open(&files, path, true, &st);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    opens++;
    if (!dir) {
        refused++;
        return;
    }
    while ((entry = readdir(dir)))
        escapes += strcmp(entry->d_name, "OUTSIDE") == 0;
    reads++;
    closedir(dir);
}

static void *
read_all(void *arg)
{
    size_t n = (size_t)(uintptr_t)arg;

    while (!atomic_load(&over)) {
        look_at_file(paths[n++ % MCPH_ARRAY_SIZE(paths)]);
        if (n % 5 == 0)
            look_at_dir(n % 2 ? "a" : "x");
    }
    return NULL;
}

/* Until `over` is set, reads the files with a plain openat(), which follows links out of
 * the base directory.  A read from outside shows that the race occurs. */
static void *
look_naively(void *arg)
{
    size_t n = (size_t)(uintptr_t)arg;

    while (!atomic_load(&over)) {
        char text[16] = "";
        int fd =
            openat(files.base, paths[n++ % MCPH_ARRAY_SIZE(paths)], O_RDONLY | O_CLOEXEC);

        opens++;
        if (fd < 0)
            continue;
        if (read(fd, text, sizeof(text) - 1) > 0)
            escapes += strcmp(text, "OUTSIDE") == 0;
        close(fd);
    }
    return NULL;
}

static void
race(void *(*reader)(void *), int64_t ms, bool until_escape)
{
    pthread_t threads[READERS + MOVERS];
    int64_t end = mcph_clock_monotonic_ms() + ms;

    for (uintptr_t i = 0; i < READERS + MOVERS; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, i < READERS ? reader : move, (void *)i), 0);
    while (mcph_clock_monotonic_ms() < end && !(until_escape && escapes > 0))
        usleep(5000);
    over = true;
    for (size_t i = 0; i < READERS + MOVERS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- file systems ------------------------------------------------------------------ */

static bool
make_top(const char *parent)
{
    snprintf(root, sizeof(root), "%s/mcphost-test.XXXXXX", parent);
    snprintf(top, sizeof(top), "%s", mkdtemp(root) ? root : "");
    return *top != '\0';
}

/* Mounts an overlay in a mount namespace of this process.  Returns true if `top` is in
 * the overlay. */
static bool
mount_overlay(void)
{
    static const char *const dirs[] = {"lower", "upper", "work", "merged"};
    char path[128], options[512];

    if (!make_top("/dev/shm") && !make_top("/tmp"))
        return false;
    if (unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        (void)rmdir(root);
        return false;
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(dirs); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
        (void)mkdir(path, 0700);
    }
    snprintf(options, sizeof(options),
             "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", root, root, root);
    if (mount("overlay", path, "overlay", 0, options) < 0) {
        int error = errno;

        nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        errno = error;
        return false;
    }
    snprintf(top, sizeof(top), "%s", path);
    return true;
}

static bool
find_place(int which)
{
    static const char *const names[] = {"/tmp", "/dev/shm", "an overlay"};
    bool found = which == 2 ? mount_overlay() : make_top(which ? "/dev/shm" : "/tmp");
    struct statfs fs;

    if (!found || statfs(top, &fs) < 0) {
        printf("%s: not here: %s\n", names[which], strerror(errno));
        return false;
    }
    printf("%s, file system %#lx: ", names[which], (unsigned long)fs.f_type);
    return true;
}

/* R160 */
START_TEST(no_file_from_outside_is_read_during_renames)
{
    if (!find_place(_i / 2))
        return;
    build();
    files.by_steps = _i % 2;
    race(read_all, race_ms(), false);
    printf("%s, %ld opened, %ld read, %ld refused, %ld escapes\n",
           files.by_steps ? "walked" : "openat2", (long)opens, (long)reads, (long)refused,
           (long)escapes);
    ck_assert_int_eq(escapes, 0);
    ck_assert_int_gt(reads, 100);
    ck_assert_int_gt(refused, 100);
    demolish();
}
END_TEST

START_TEST(the_same_race_leads_an_unconfined_reader_outside)
{
    ck_assert(find_place(0));
    build();
    race(look_naively, 20000, true);
    printf("%ld opened, %ld escapes\n", (long)opens, (long)escapes);
    ck_assert_int_gt(escapes, 0);
    demolish();
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "race");

    tcase_set_timeout(tc, (double)race_ms() / 1000 + 60);
    tcase_add_loop_test(tc, no_file_from_outside_is_read_during_renames, 0, VARIANTS);
    tcase_add_test(tc, the_same_race_leads_an_unconfined_reader_outside);
}

int
main(void)
{
    return test_main("files-race", add_tests);
}
