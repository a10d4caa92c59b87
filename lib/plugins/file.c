/* SPDX-License-Identifier: MIT
 *
 * file.c - check the directory and the files of plugins, and copy a file into memory to
 * load it.
 *
 * A file is opened through the descriptor of the checked directory.  The file is checked
 * and read through one descriptor.  A file is read once, into sealed memory.  Later
 * writes to the file do not change the pages that run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/plugins.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

#define ELF_MAGIC "\177ELF"

/* Refuses a file or directory that anybody but this user and root can write.  An access
 * list that lets others write shows in the group bits of the mode. */
static int
check_owner(const struct stat *st, const char *name, mcphost_error **reterr)
{
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "'%s' belongs to the user %u, not to this process or root", name,
                        (unsigned)st->st_uid);
    if (st->st_mode & 022)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "'%s' can be written by others: its mode is %04o", name,
                        (unsigned)st->st_mode & 07777);
    return 0;
}

int
mcph_plugins_open_dir(const char *path, int *ret_fd, mcphost_error **reterr)
{
    int fd = mcph_fd_high(open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW)), r;
    struct stat st;

    if (fd < 0 && errno == ENOENT)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'", path);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "'%s' is not a directory, or is a symbolic link", path);
    if (fd < 0)
        return mcph_err_os(reterr, errno, "cannot open '%s'", path);
    r = fstat(fd, &st) < 0 ? mcph_err_os(reterr, errno, "cannot examine '%s'", path)
                           : check_owner(&st, path, reterr);
    if (r < 0)
        close(fd);
    else
        *ret_fd = fd;
    return r;
}

/* ---- a file ------------------------------------------------------------------------ */

/* Opens a file, and refuses a symbolic link.  O_NONBLOCK is set because opening a FIFO
 * must not block. */
static int
open_file(int dir, const char *name, int *ret_fd, mcphost_error **reterr)
{
    int fd = mcph_fd_high(
        openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));

    if (fd < 0 && errno == ELOOP)
        return mcph_err(reterr, MCPHOST_E_DENIED, "'%s' is a symbolic link", name);
    if (fd < 0 && errno == ENXIO)
        return mcph_err(reterr, MCPHOST_E_DENIED, "'%s' is not a regular file", name);
    if (fd < 0)
        return mcph_err_os(reterr, errno, "cannot open '%s'", name);
    *ret_fd = fd;
    return 0;
}

static int
check_file(struct mcph_copy *copy, const char *name, mcphost_error **reterr)
{
    struct stat st;
    int r;

    if (fstat(copy->from, &st) < 0)
        return mcph_err_os(reterr, errno, "cannot examine '%s'", name);
    if (!S_ISREG(st.st_mode))
        return mcph_err(reterr, MCPHOST_E_DENIED, "'%s' is not a regular file", name);
    r = check_owner(&st, name, reterr);
    if (r < 0)
        return r;
    if (st.st_size > MCPH_PLUGIN_BYTES_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' is larger than %lld bytes", name,
                        (long long)MCPH_PLUGIN_BYTES_MAX);
    copy->size = st.st_size;
    return 0;
}

/* Makes the memory for a copy.  Tries MFD_EXEC first, because kernels from 6.3 on expect
 * this flag for memory that is executed.  Omits the flag if an older kernel rejects
 * it. */
static int
open_memory(const char *name)
{
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd = memfd_create(name, flags | MFD_EXEC);

    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, flags);
    return mcph_fd_high(fd);
}

int
mcph_copy_begin(struct mcph_copy *copy, int dir, const char *name, mcphost_error **reterr)
{
    int r;

    *copy = (struct mcph_copy){.from = -1, .to = -1};
    r = open_file(dir, name, &copy->from, reterr);
    if (r == 0)
        r = check_file(copy, name, reterr);
    if (r == 0) {
        mcph_file_sign_fd(copy->from, &copy->sig);
        /* Replace a long name, because memfd_create() refuses long names. */
        copy->to = open_memory(strlen(name) < 200 ? name : "plugin.so");
        if (copy->to < 0)
            r = mcph_err_os(reterr, errno, "not enough memory to load '%s'", name);
    }
    if (r < 0)
        mcph_copy_end(copy);
    return r;
}

/* Checks a complete copy and seals it. */
static int
seal_copy(struct mcph_copy *copy, const char *name, mcphost_error **reterr)
{
    struct mcph_file_sig now;
    char magic[sizeof(ELF_MAGIC) - 1];

    mcph_file_sign_fd(copy->from, &now);
    if (copy->done < copy->size || !mcph_file_sig_equal(&now, &copy->sig))
        return mcph_err(reterr, MCPHOST_E_STATE, "'%s' changed while it was read", name);
    if (pread(copy->to, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
        memcmp(magic, ELF_MAGIC, sizeof(magic)) != 0)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' is not an ELF file", name);
    if (fcntl(copy->to, F_ADD_SEALS,
              F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return mcph_err_os(reterr, errno, "cannot seal the copy of '%s'", name);
    return 0;
}

int
mcph_copy_step(struct mcph_copy *copy, const char *name, mcphost_error **reterr)
{
    off_t left = copy->size - copy->done;
    ssize_t n = 0;

    if (left > 0)
        n = sendfile(copy->to, copy->from, NULL,
                     left < MCPH_TURN_BYTES ? (size_t)left : MCPH_TURN_BYTES);
    if (n < 0)
        return mcph_err_os(reterr, errno, "cannot read '%s'", name);
    copy->done += n;
    return n > 0 && copy->done < copy->size ? 1 : seal_copy(copy, name, reterr);
}

void
mcph_copy_end(struct mcph_copy *copy)
{
    if (copy->from >= 0)
        close(copy->from);
    if (copy->to >= 0)
        close(copy->to);
    copy->from = copy->to = -1;
}
