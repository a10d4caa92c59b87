/* SPDX-License-Identifier: MIT
 *
 * test_base_file.c - replacing a file completely or not at all, with its old mode and
 * owner.
 *
 * A test sets `fail.which` to a system call of the replacement.  A wrapper makes this
 * system call fail once.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "support/runner.h"

/* ---- system calls that fail once --------------------------------------------------- */

enum { NONE, OPENAT, WRITE, FCHMOD, FCHOWN, FSYNC_FILE, RENAMEAT, FSYNC_DIR };

static struct {
    int which, error;
    int n_fsync;
    bool short_writes;
    void (*before_rename)(void);
} fail;

static bool
fails(int which)
{
    if (fail.which != which)
        return false;
    fail.which = NONE;
    errno = fail.error;
    return true;
}

int
openat(int dir, const char *path, int flags, ...)
{
    if ((flags & O_CREAT) && fails(OPENAT))
        return -1;
    return (int)syscall(SYS_openat, dir, path, flags, 0600);
}

ssize_t
write(int fd, const void *data, size_t len)
{
    if (fd > 2 && fails(WRITE))
        return -1;
    if (fd > 2 && fail.short_writes && len > 3)
        len = 3;
    return syscall(SYS_write, fd, data, len);
}

int
fchmod(int fd, mode_t mode)
{
    return fails(FCHMOD) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int
fchown(int fd, uid_t owner, gid_t group)
{
    return fails(FCHOWN) ? -1 : (int)syscall(SYS_fchown, fd, owner, group);
}

int
fsync(int fd)
{
    fail.n_fsync++;
    if (fails(fail.n_fsync == 1 ? FSYNC_FILE : FSYNC_DIR))
        return -1;
    if (fail.n_fsync == 1 && fail.before_rename)
        fail.before_rename();
    return (int)syscall(SYS_fsync, fd);
}

int
renameat(int old_dir, const char *old_path, int new_dir, const char *new_path)
{
    if (fails(RENAMEAT))
        return -1;
    return (int)syscall(SYS_renameat2, old_dir, old_path, new_dir, new_path, 0);
}

/* ---- fixture ----------------------------------------------------------------------- */

static char dir[64], file[128];
static mcphost_error *err;

static void
put_at(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void
holds(const char *path, const char *text)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4096);
    ck_assert_int_eq(mcph_file_read(path, 4096, &buf, NULL), 0);
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data, text);
    mcph_buf_done(&buf);
}

static int
count(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;

    ck_assert_ptr_nonnull(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static int
replace_with(const char *path, const char *text)
{
    err = mcphost_error_unref(err);
    return mcph_file_replace(path, text, strlen(text), NULL, NULL, &err);
}

static void
up(void)
{
    memset(&fail, 0, sizeof(fail));
    snprintf(dir, sizeof(dir), "/tmp/mcphost-file-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(file, sizeof(file), "%s/mcp.yaml", dir);
    put_at(file, "old");
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
down(void)
{
    err = mcphost_error_unref(err);
    ck_assert_int_eq(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* ---- replacing --------------------------------------------------------------------- */

START_TEST(a_replaced_file_has_the_new_bytes_and_leaves_no_other_file)
{
    struct stat before, after;

    ck_assert_int_eq(stat(file, &before), 0);
    fail.short_writes = _i != 0;
    ck_assert_int_eq(replace_with(file, "brand new"), 0);
    holds(file, "brand new");
    ck_assert_int_eq(stat(file, &after), 0);
    ck_assert_uint_ne(before.st_ino, after.st_ino); /* the file was replaced, not
                                                     * overwritten */
    ck_assert_int_eq(count(dir), 1);
    ck_assert_int_eq(fail.n_fsync, 2); /* fsync() of the file and of the directory */
    ck_assert_int_eq(replace_with(file, ""), 0);
    holds(file, "");
}
END_TEST

START_TEST(an_open_descriptor_still_reads_the_old_bytes)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    char data[8] = "";

    ck_assert_int_eq(replace_with(file, "new"), 0);
    ck_assert_int_eq((int)read(fd, data, sizeof(data)), 3);
    ck_assert_str_eq(data, "old");
    close(fd);
}
END_TEST

START_TEST(the_mode_is_kept)
{
    static const mode_t modes[] = {0600, 0640, 0755, 0660, 02755};
    mode_t mask = umask(077);
    struct stat st;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(modes); i++) {
        ck_assert_int_eq(chmod(file, modes[i]), 0);
        ck_assert_int_eq(replace_with(file, "new"), 0);
        ck_assert_int_eq(stat(file, &st), 0);
        ck_assert_uint_eq(st.st_mode & 07777, modes[i]);
    }
    umask(mask);
}
END_TEST

START_TEST(the_owner_is_kept)
{
    struct stat st;

    if (geteuid() != 0)
        return; /* only root can change the owner */
    ck_assert_int_eq(chown(file, 12345, 23456), 0);
    ck_assert_int_eq(chmod(file, 0640), 0);
    ck_assert_int_eq(replace_with(file, "new"), 0);
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_uint_eq(st.st_uid, 12345);
    ck_assert_uint_eq(st.st_gid, 23456);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
}
END_TEST

START_TEST(the_target_of_a_symbolic_link_is_replaced)
{
    char target[160], link_name[128];
    struct stat st;

    snprintf(target, sizeof(target), "%s/real", dir);
    snprintf(link_name, sizeof(link_name), "%s/link.yaml", dir);
    ck_assert_int_eq(mkdir(target, 0700), 0);
    snprintf(target, sizeof(target), "%s/real/mcp.yaml", dir);
    put_at(target, "real");
    ck_assert_int_eq(symlink("real/mcp.yaml", link_name), 0);
    ck_assert_int_eq(replace_with(link_name, "new"), 0);
    ck_assert_int_eq(lstat(link_name, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    holds(target, "new");
    ck_assert_int_eq(count(dir), 3);
}
END_TEST

START_TEST(a_file_with_the_longest_possible_name_is_replaced)
{
    char path[NAME_MAX + 80];
    size_t len = strlen(dir);

    snprintf(path, sizeof(path), "%s/", dir);
    memset(path + len + 1, 'n', NAME_MAX);
    path[len + 1 + NAME_MAX] = '\0';
    put_at(path, "old");
    ck_assert_int_eq(replace_with(path, "new"), 0);
    holds(path, "new");
}
END_TEST

static const struct {
    const char *name;
    int which, error, code;
    const char *said;
} faults[] = {
    {"no room for a file", OPENAT, ENOSPC, MCPHOST_E_IO,
     "cannot make a temporary file in the directory of '"},
    {"no descriptor", OPENAT, EMFILE, MCPHOST_E_LIMIT,
     "cannot make a temporary file in the directory of '"},
    {"disk full", WRITE, ENOSPC, MCPHOST_E_IO, "cannot write the new contents of '"},
    {"disk broken", WRITE, EIO, MCPHOST_E_IO, "cannot write the new contents of '"},
    {"quota", WRITE, EDQUOT, MCPHOST_E_IO, "cannot write the new contents of '"},
    {"mode refused", FCHMOD, EPERM, MCPHOST_E_IO, "cannot keep the mode of '"},
    {"full when synced", FSYNC_FILE, ENOSPC, MCPHOST_E_IO, "' to disk"},
    {"rename refused", RENAMEAT, EACCES, MCPHOST_E_IO, "cannot replace '"},
};

START_TEST(a_failure_leaves_the_old_file_and_nothing_else)
{
    fail.which = faults[_i].which;
    fail.error = faults[_i].error;
    ck_assert_msg(replace_with(file, "new") == faults[_i].code, "%s", faults[_i].name);
    ck_assert_int_eq(fail.which, NONE);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), faults[_i].said));
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), file));
    ck_assert_int_eq(mcphost_error_get_errno(err), faults[_i].error);
    holds(file, "old");
    ck_assert_int_eq(count(dir), 1);
    ck_assert_int_eq(replace_with(file, "new"), 0); /* the next attempt works */
    holds(file, "new");
}
END_TEST

START_TEST(if_the_owner_cannot_be_kept_the_file_is_not_replaced)
{
    if (geteuid() != 0)
        return; /* only root can change the owner */
    ck_assert_int_eq(chown(file, 12345, 23456), 0);
    fail.which = FCHOWN;
    fail.error = EPERM;
    ck_assert_int_eq(replace_with(file, "new"), MCPHOST_E_IO);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "cannot keep the owner of '"));
    holds(file, "old");
    ck_assert_int_eq(count(dir), 1);
}
END_TEST

START_TEST(an_interrupted_write_is_continued)
{
    fail.which = WRITE;
    fail.error = EINTR;
    ck_assert_int_eq(replace_with(file, "new"), 0);
    holds(file, "new");
}
END_TEST

START_TEST(a_failure_to_sync_the_directory_is_reported)
{
    fail.which = FSYNC_DIR;
    fail.error = EIO;
    ck_assert_int_eq(replace_with(file, "new"), MCPHOST_E_IO);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "' is replaced, but"));
    holds(file, "new");
    ck_assert_int_eq(count(dir), 1);
    fail.n_fsync = 0;
    fail.which = FSYNC_DIR;
    fail.error = EINVAL; /* the file system has no fsync() of a directory */
    ck_assert_int_eq(replace_with(file, "newer"), 0);
}
END_TEST

START_TEST(only_an_existing_regular_file_is_replaced)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/none", dir);
    ck_assert_int_eq(replace_with(path, "new"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_error_get_errno(err), ENOENT);
    snprintf(path, sizeof(path), "%s/mcp.yaml/x", dir);
    ck_assert_int_eq(replace_with(path, "new"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(replace_with(dir, "new"), MCPHOST_E_IO);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "' is not a regular file"));
    ck_assert_int_eq(count(dir), 1);
}
END_TEST

START_TEST(a_file_that_may_not_be_written_is_not_replaced)
{
    if (geteuid() == 0)
        return; /* root can write all files */
    ck_assert_int_eq(chmod(file, 0444), 0);
    ck_assert_int_eq(replace_with(file, "new"), MCPHOST_E_IO);
    ck_assert_int_eq(mcphost_error_get_errno(err), EACCES);
    holds(file, "old");
}
END_TEST

/* ---- signatures -------------------------------------------------------------------- */

START_TEST(the_returned_signature_is_the_signature_of_the_new_file)
{
    struct mcph_file_sig before, wrote, now;

    mcph_file_sign(file, &before);
    ck_assert_int_eq(mcph_file_replace(file, "new", 3, &before, &wrote, NULL), 0);
    mcph_file_sign(file, &now);
    ck_assert(mcph_file_sig_equal(&wrote, &now));
    ck_assert(!mcph_file_sig_equal(&wrote, &before));
}
END_TEST

static void
save_in_between(void)
{
    fail.before_rename = NULL;
    put_at(file, "saved by an editor");
}

START_TEST(a_file_that_was_changed_meanwhile_is_not_replaced)
{
    struct mcph_file_sig before, wrote = {.error = 77};

    mcph_file_sign(file, &before);
    fail.before_rename = save_in_between;
    ck_assert_int_eq(mcph_file_replace(file, "new", 3, &before, &wrote, &err),
                     MCPHOST_E_STATE);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err),
                                 "' was changed by someone else meanwhile"));
    ck_assert_int_eq(wrote.error, 77);
    holds(file, "saved by an editor");
    ck_assert_int_eq(count(dir), 1);
}
END_TEST

START_TEST(signatures_differ_if_any_member_differs)
{
    struct mcph_file_sig a = {1, 2, 3, 4, 5, 6}, b[6];

    for (size_t i = 0; i < 6; i++)
        b[i] = a;
    b[0].error++;
    b[1].device++;
    b[2].inode++;
    b[3].size++;
    b[4].mtime_ns++;
    b[5].ctime_ns++;
    ck_assert(mcph_file_sig_equal(&a, &a));
    for (size_t i = 0; i < 6; i++)
        ck_assert(!mcph_file_sig_equal(&a, &b[i]));
}
END_TEST

START_TEST(a_missing_file_has_a_signature)
{
    struct mcph_file_sig a, b;
    char path[128];

    snprintf(path, sizeof(path), "%s/none", dir);
    mcph_file_sign(path, &a);
    ck_assert_int_eq(a.error, ENOENT);
    snprintf(path, sizeof(path), "%s/mcp.yaml/none", dir);
    mcph_file_sign(path, &b);
    ck_assert(mcph_file_sig_equal(&a, &b));
    ck_assert(!mcph_file_sig_young(&a, mcph_clock_realtime_ms()));
}
END_TEST

START_TEST(a_signature_is_young_for_20_ms_or_2_s_with_whole_seconds)
{
    struct mcph_file_sig sig = {.mtime_ns = INT64_C(5000000000123),
                                .ctime_ns = INT64_C(5000000000123)};

    ck_assert(mcph_file_sig_young(&sig, 5000000));
    ck_assert(mcph_file_sig_young(&sig, 5000019));
    ck_assert(mcph_file_sig_young(&sig, 4999981));
    ck_assert(!mcph_file_sig_young(&sig, 5000020));
    ck_assert(!mcph_file_sig_young(&sig, 4999980)); /* the clock was set back by 20 ms */
    sig.mtime_ns = 0;
    ck_assert(mcph_file_sig_young(&sig, 5000019)); /* the ctime is recent */
    sig.ctime_ns = 1;
    sig.mtime_ns = INT64_C(5000000000000); /* a time stamp in whole seconds */
    ck_assert(mcph_file_sig_young(&sig, 5001999));
    ck_assert(!mcph_file_sig_young(&sig, 5002000));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "replace");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_replaced_file_has_the_new_bytes_and_leaves_no_other_file, 0,
                        2);
    tcase_add_test(tc, an_open_descriptor_still_reads_the_old_bytes);
    tcase_add_test(tc, the_mode_is_kept);
    tcase_add_test(tc, the_owner_is_kept);
    tcase_add_test(tc, the_target_of_a_symbolic_link_is_replaced);
    tcase_add_test(tc, a_file_with_the_longest_possible_name_is_replaced);
    tcase_add_loop_test(tc, a_failure_leaves_the_old_file_and_nothing_else, 0,
                        (int)MCPH_ARRAY_SIZE(faults));
    tcase_add_test(tc, if_the_owner_cannot_be_kept_the_file_is_not_replaced);
    tcase_add_test(tc, an_interrupted_write_is_continued);
    tcase_add_test(tc, a_failure_to_sync_the_directory_is_reported);
    tcase_add_test(tc, only_an_existing_regular_file_is_replaced);
    tcase_add_test(tc, a_file_that_may_not_be_written_is_not_replaced);

    tc = test_case(suite, "signatures");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_returned_signature_is_the_signature_of_the_new_file);
    tcase_add_test(tc, a_file_that_was_changed_meanwhile_is_not_replaced);
    tcase_add_test(tc, signatures_differ_if_any_member_differs);
    tcase_add_test(tc, a_missing_file_has_a_signature);
    tcase_add_test(tc, a_signature_is_young_for_20_ms_or_2_s_with_whole_seconds);
}

int
main(void)
{
    return test_main("base-file", add);
}
