/* SPDX-License-Identifier: MIT
 *
 * goclaw_skill_write.c - write, enable and delete skills (R183-R187, B.35).
 *
 * A writer holds the lock of the role's directory (goclaw_place.c).  Readers need no
 * lock.  A rename replaces the whole SKILL.md.  A rename also takes a deleted skill out
 * of the list before its files are removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/goclaw.h"

#define TEMP      ".SKILL.md.tmp"
#define FLAG_TEXT "disabled\n"
#define GRAVE     ".mcphost-deleted" /* directory name of a skill during its deletion */
#define NEW_MODE  0666               /* mode of new files before the umask */
#define BLANKS    " \t\r\n\v\f"

/* ---- writing ----------------------------------------------------------------------- */

/* Removes or creates `.disabled`.  Returns 1 if the skill changed, 0 if there was nothing
 * to change, or an error code. */
static int
set_flag(const struct goclaw_skill_place *place, int dir, bool enabled,
         mcphost_error **reterr)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, fd, r;

    if (enabled) {
        if (unlinkat(dir, GOCLAW_FLAG, 0) == 0)
            r = mcph_goclaw_sync(dir, place->shown, reterr);
        else if (errno == ENOENT)
            return 0;
        else
            r = mcph_err_os(reterr, errno, "cannot enable '%s'", place->shown);
        return r < 0 ? r : 1;
    }
    fd = mcph_fd_high(openat(dir, GOCLAW_FLAG, flags, NEW_MODE));
    if (fd < 0 && errno == EEXIST)
        return 0;
    if (fd < 0)
        return mcph_err_os(reterr, errno, "cannot disable '%s'", place->shown);
    /* Write any text, because only the existence of the file counts (R180). */
    if (write(fd, FLAG_TEXT, strlen(FLAG_TEXT)) < 0)
        r = mcph_err_os(reterr, errno, "cannot disable '%s'", place->shown);
    else
        r = mcph_goclaw_sync(dir, place->shown, reterr);
    close(fd);
    return r < 0 ? r : 1;
}

static int
write_text(const struct goclaw_skill_place *place, int dir, struct mcph_span text,
           mcphost_error **reterr)
{
    struct goclaw_new_file file = {.dir = dir,
                                   .fd = -1,
                                   .name = GOCLAW_MAIN_FILE,
                                   .temp = TEMP,
                                   .shown = place->shown};
    bool replaces;
    struct stat st;
    int r;

    replaces = fstatat(dir, GOCLAW_MAIN_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISREG(st.st_mode);
    r = mcph_goclaw_new_file_write(&file, text, replaces ? &st : NULL, NEW_MODE, reterr);
    if (r == 0)
        r = mcph_goclaw_new_file_place(&file, reterr);
    mcph_goclaw_new_file_done(&file);
    return r;
}

/* Writes the text of a skill.  MCPH_GOCLAW_DISABLE disables the skill before the write.
 * MCPH_GOCLAW_ENABLE enables the skill after the write.  With this order, a new text is
 * never enabled by mistake.  If `overwrite` is false and there is a text, returns
 * MCPHOST_E_EXISTS.  Otherwise returns 1 if the skill is enabled, 0 if it is disabled, or
 * another error code. */
static int
write_skill(const struct goclaw_skill_place *place, int dir, struct mcph_span text,
            int enabled, bool overwrite, mcphost_error **reterr)
{
    bool is_enabled;
    int r = 0;

    if (!overwrite && (mcph_goclaw_exists(dir, GOCLAW_MAIN_FILE) ||
                       mcph_goclaw_exists(dir, GOCLAW_OTHER_FILE)))
        return mcph_err(reterr, MCPHOST_E_EXISTS, "'%s' already has a text",
                        place->shown);
    if (enabled == MCPH_GOCLAW_DISABLE)
        r = set_flag(place, dir, false, reterr);
    if (r >= 0)
        r = write_text(place, dir, text, reterr);
    if (r >= 0 && enabled == MCPH_GOCLAW_ENABLE)
        r = set_flag(place, dir, true, reterr);
    is_enabled = !mcph_goclaw_exists(dir, GOCLAW_FLAG);
    return r < 0 ? r : is_enabled;
}

static int
check_text(struct mcph_span text, mcphost_error **reterr)
{
    size_t blanks = 0;

    while (blanks < text.len && text.p[blanks] && strchr(BLANKS, text.p[blanks]))
        blanks++;
    if (blanks == text.len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the text of the skill is blank");
    if (text.len > MCPH_GOCLAW_SKILL_BYTES)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the text of the skill is larger than %d bytes",
                        MCPH_GOCLAW_SKILL_BYTES);
    if (memchr(text.p, '\0', text.len) || !mcph_utf8_valid(text.p, text.len, NULL))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the text of the skill is not UTF-8 or has a NUL");
    return 0;
}

/* Opens the directory of a skill, and makes it if it is missing. */
static int
make_skill(const struct goclaw_skill_place *place, const struct goclaw_dir *role,
           mcphost_error **reterr)
{
    bool made = mkdirat(role->fd, place->name, 0755) == 0;
    int r = 0;

    if (!made && errno != EEXIST)
        return mcph_err_os(reterr, errno, "cannot make '%s'", place->shown);
    if (made)
        r = mcph_goclaw_sync(role->fd, place->shown, reterr);
    return r < 0 ? r : mcph_goclaw_skill_open(place, role->fd, reterr);
}

int
mcph_goclaw_put_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                      struct mcph_span name, struct mcph_span text, int enabled,
                      bool overwrite, mcphost_error **reterr)
{
    struct goclaw_dir dir = {.top = -1, .fd = -1};
    struct goclaw_skill_place place;
    int fd = -1, r;

    r = mcph_goclaw_skill_init(&place, goclaw, role, &name, reterr);
    if (r == 0)
        r = check_text(text, reterr);
    if (r == 0)
        r = mcph_goclaw_dir_open(&dir, goclaw, place.role_dir, true, reterr);
    if (r == 0)
        r = fd = make_skill(&place, &dir, reterr);
    if (r >= 0)
        r = mcph_goclaw_dir_check(&dir, reterr);
    if (r == 0)
        r = write_skill(&place, fd, text, enabled, overwrite, reterr);
    if (fd >= 0)
        close(fd);
    mcph_goclaw_dir_close(&dir);
    mcph_goclaw_skill_done(&place);
    return r;
}

int
mcph_goclaw_enable_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                         struct mcph_span name, bool enabled, mcphost_error **reterr)
{
    struct goclaw_dir dir = {.top = -1, .fd = -1};
    struct goclaw_skill_place place;
    int fd = -1, r;

    r = mcph_goclaw_skill_init(&place, goclaw, role, &name, reterr);
    if (r == 0)
        r = mcph_goclaw_dir_open(&dir, goclaw, place.role_dir, false, reterr);
    if (r == 0)
        r = fd = mcph_goclaw_skill_open(&place, dir.fd, reterr);
    if (r >= 0)
        r = mcph_goclaw_dir_check(&dir, reterr);
    if (r == 0)
        r = set_flag(&place, fd, enabled, reterr);
    if (fd >= 0)
        close(fd);
    mcph_goclaw_dir_close(&dir);
    mcph_goclaw_skill_done(&place);
    return r;
}

/* ---- deleting ---------------------------------------------------------------------- */

/* Deletes a skill.  Checks the limits first, so that a refusal changes nothing.  Also
 * removes a GRAVE that a killed process has left. */
static int
delete_skill(const struct goclaw_skill_place *place, const struct goclaw_dir *role,
             mcphost_error **reterr)
{
    int r = mcph_goclaw_remove_tree(role->fd, place->name, false, place->shown, reterr);

    if (r == 0)
        (void)unlinkat(role->fd, GRAVE, 0); /* removes GRAVE if it is a file or a link */
    if (r == 0 && mcph_goclaw_exists(role->fd, GRAVE))
        r = mcph_goclaw_remove_tree(role->fd, GRAVE, true, place->shown, reterr);
    if (r == 0)
        r = mcph_goclaw_dir_check(role, reterr);
    if (r == 0 && renameat(role->fd, place->name, role->fd, GRAVE) < 0)
        r = mcph_err_os(reterr, errno, "cannot remove '%s'", place->shown);
    if (r == 0)
        r = mcph_goclaw_sync(role->fd, place->shown, reterr);
    return r < 0 ? r
                 : mcph_goclaw_remove_tree(role->fd, GRAVE, true, place->shown, reterr);
}

int
mcph_goclaw_delete_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                         struct mcph_span name, mcphost_error **reterr)
{
    struct goclaw_dir dir = {.top = -1, .fd = -1};
    struct goclaw_skill_place place;
    int r = mcph_goclaw_skill_init(&place, goclaw, role, &name, reterr);

    if (r == 0)
        r = mcph_goclaw_dir_open(&dir, goclaw, place.role_dir, false, reterr);
    if (r == 0)
        r = delete_skill(&place, &dir, reterr);
    mcph_goclaw_dir_close(&dir);
    mcph_goclaw_skill_done(&place);
    return r;
}
