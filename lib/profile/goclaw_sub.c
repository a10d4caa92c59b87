/* SPDX-License-Identifier: MIT
 *
 * goclaw_sub.c - choose and read the servers of a sub-agent (R203-R207, B.33).
 *
 *   a file that the application names > <workdir>/.goclaw/mcp.json > the workspace's file
 *
 * The sub-agent gets the servers of the first file that applies, and of no other file.
 * mcph_goclaw_subagent_new() reads the file once.  Later edits of the file, reloads and
 * invalidations do not change the servers of the sub-agent.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"

struct sub {
    struct mcph_config_reader base;
    struct goclaw_file file;
};

/* ---- choosing the file ------------------------------------------------------------- */

/* Sets the workspace and the path of `file`.  Takes over `dir`.  A relative `name` starts
 * at `dir`. */
static int
set_file(struct goclaw_file *file, char *dir, const char *name, mcphost_error **reterr)
{
    file->workspace = dir;
    file->path = mcph_profile_join(dir, name);
    return file->path ? 0 : mcph_err_nomem(reterr);
}

static bool
is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Chooses the file in `workdir`.  Returns 1 if that file exists (R204), 0 if not, or an
 * error code. */
static int
take_private(struct goclaw_file *file, const char *workdir, mcphost_error **reterr)
{
    char *dir;
    int r = mcph_profile_workspace(workdir, &dir, reterr);

    if (r == 0)
        r = set_file(file, dir, MCPH_GOCLAW_FILE, reterr);
    if (r < 0 || is_regular(file->path))
        return r < 0 ? r : 1;
    free(file->workspace);
    free(file->path);
    file->workspace = file->path = NULL;
    return 0;
}

static int
choose_file(struct goclaw_file *file, const char *workspace, const char *workdir,
            const char *named, mcphost_error **reterr)
{
    char *dir;
    int r = 0;

    file->named = named != NULL;
    if (workdir && !named)
        r = take_private(file, workdir, reterr);
    if (r != 0)
        return r < 0 ? r : 0;
    r = mcph_profile_workspace(workspace, &dir, reterr);
    return r < 0 ? r : set_file(file, dir, named ? named : MCPH_GOCLAW_FILE, reterr);
}

/* ---- reading the file -------------------------------------------------------------- */

/* Returns the path relative to file->workspace, or NULL if the file is not below that
 * directory. */
static const char *
path_below(const struct goclaw_file *file)
{
    size_t len = strlen(file->workspace);

    while (len > 0 && file->workspace[len - 1] == '/')
        len--;
    if (strncmp(file->path, file->workspace, len) != 0 || file->path[len] != '/')
        return NULL;
    return file->path + len + strspn(file->path + len, "/");
}

/* Reads a file that must be below the workspace.  Opens each directory from its parent,
 * so that no symbolic link leads out of the workspace.  A link that another program makes
 * at the same time does not lead out either. */
static int
read_confined(struct goclaw_file *file, mcphost_error **reterr)
{
    const struct mcph_goclaw place = {.workspace = file->workspace};
    const char *name = path_below(file);
    int top, r;

    if (!name)
        return mcph_err(reterr, MCPHOST_E_DENIED, "'%s' leads out of the workspace",
                        file->path);
    top = mcph_goclaw_open_top(&place, reterr);
    if (top < 0)
        return top;
    r = mcph_goclaw_read(top, name, MCPH_GOCLAW_SIZE_MAX, file->path, &file->text, NULL,
                         NULL, reterr);
    close(top);
    return r;
}

/* Reads the file.  Returns MCPHOST_E_DENIED for a file that MCPHOST_GOCLAW_CONFINED
 * forbids, or MCPHOST_E_NOMEM.  Otherwise returns 0, even if the file cannot be read: the
 * source then has no servers, and mcph_goclaw_file_config() reports the reason. */
static int
read_once(struct goclaw_file *file, mcphost_error **reterr)
{
    bool confined = (file->flags & MCPHOST_GOCLAW_CONFINED) != 0;

    mcph_buf_init(&file->text, GOCLAW_TEXT_MAX);
    file->code = confined ? read_confined(file, &file->err)
                          : mcph_file_read(file->path, MCPH_GOCLAW_SIZE_MAX, &file->text,
                                           &file->err);
    if (file->code == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (!confined || file->code != MCPHOST_E_DENIED)
        return 0;
    return mcph_err(reterr, file->code, "%s", mcphost_error_get_message(file->err));
}

/* ---- the reader -------------------------------------------------------------------- */

static int
read_text(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    const struct sub *sub = (const struct sub *)base;

    return mcph_goclaw_file_config(&sub->file, base->transports, ret_config, reterr);
}

static void
free_sub(struct mcph_config_reader *base)
{
    struct sub *sub = (struct sub *)base;

    mcph_goclaw_file_done(&sub->file);
    free(sub);
}

int
mcph_goclaw_subagent_new(const char *workspace, const char *workdir, const char *file,
                         uint64_t flags, struct mcph_config_reader **ret_source,
                         mcphost_error **reterr)
{
    struct sub *sub = calloc(1, sizeof(*sub));
    int r;

    if (!sub)
        return mcph_err_nomem(reterr);
    mcph_goclaw_reader_init(&sub->base);
    sub->base.read = read_text;
    sub->base.free = free_sub;
    sub->base.once = true;
    sub->file.flags = flags;
    r = choose_file(&sub->file, workspace, workdir, file, reterr);
    if (r == 0)
        r = read_once(&sub->file, reterr);
    if (r < 0) {
        free_sub(&sub->base);
        return r;
    }
    sub->base.workspace = sub->file.workspace;
    *ret_source = &sub->base;
    return 0;
}
