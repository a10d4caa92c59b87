/* SPDX-License-Identifier: MIT
 *
 * goclaw_skills.c - read the skills of a workspace (R179-R182, R187, B.34, B.35).
 *
 *   <workspace>/<skills directory>/<role>/<skill>/SKILL.md      or skill.md
 *                                                /.disabled     the skill is disabled
 *
 * Two rules keep paths below the workspace.  The functions check the role and the name
 * before they open a file.  The functions follow no symbolic link.
 *
 * Readers take no lock.  goclaw_skill_write.c explains why no lock is needed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/goclaw.h"

#define FRONTS_MAX ((size_t)256 * 1024) /* limit on bytes of front matters in one list */

void
mcph_goclaw_skill_done(struct goclaw_skill_place *place)
{
    free(place->role_dir);
    free(place->name);
    free(place->shown);
}

int
mcph_goclaw_skill_init(struct goclaw_skill_place *place, const struct mcph_goclaw *goclaw,
                       struct mcph_span role, const struct mcph_span *name,
                       mcphost_error **reterr)
{
    const char *why;
    char *copy;

    *place = (struct goclaw_skill_place){.goclaw = goclaw};
    if (role.len == 0)
        role = mcph_span(MCPH_GOCLAW_ROLE, strlen(MCPH_GOCLAW_ROLE));
    why = mcph_goclaw_name_fault(role);
    if (why)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the name of the role %s", why);
    why = name ? mcph_goclaw_name_fault(*name) : NULL;
    if (why)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the name of the skill %s", why);
    copy = mcph_strndup(role.p, role.len);
    if (copy)
        place->role_dir = mcph_asprintf("%s/%s", goclaw->skills_dir, copy);
    free(copy);
    if (name)
        place->name = mcph_strndup(name->p, name->len);
    if (place->role_dir && name && place->name)
        place->shown = mcph_asprintf("%s/%s", place->role_dir, place->name);
    else if (place->role_dir && !name)
        place->shown = mcph_strdup(place->role_dir);
    return place->shown ? 0 : mcph_err_nomem(reterr);
}

/* Opens the directory of the role for reading.  Returns a descriptor or an error code. */
static int
open_role(const struct goclaw_skill_place *place, mcphost_error **reterr)
{
    int top = mcph_goclaw_open_top(place->goclaw, reterr), fd;

    if (top < 0)
        return top;
    fd = mcph_goclaw_open(top, place->role_dir, O_RDONLY | O_DIRECTORY, place->role_dir,
                          reterr);
    close(top);
    return fd;
}

/* ---- one skill --------------------------------------------------------------------- */

void
mcph_goclaw_skill_free(struct mcph_goclaw_skill *skill)
{
    if (!skill)
        return;
    free(skill->name);
    free(skill->dir);
    free(skill->file);
    free(skill->description);
    free(skill->warning);
    free(skill->content);
    free(skill);
}

bool
mcph_goclaw_exists(int dir, const char *name)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static bool
is_file(int dir, const char *name)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Returns the name of the file with the skill's text, or NULL if no file exists. */
static const char *
file_of(int dir)
{
    return is_file(dir, GOCLAW_MAIN_FILE)    ? GOCLAW_MAIN_FILE
           : is_file(dir, GOCLAW_OTHER_FILE) ? GOCLAW_OTHER_FILE
                                             : NULL;
}

/* Describes the skill `name` and reads its front matter.  `dir` is the descriptor of the
 * skill's directory.  Returns NULL if memory is short. */
static struct mcph_goclaw_skill *
describe_skill(const struct goclaw_skill_place *place, int dir, const char *name)
{
    struct mcph_goclaw_skill *skill = calloc(1, sizeof(*skill));
    const char *file = file_of(dir);

    if (!skill)
        return NULL;
    skill->enabled = !mcph_goclaw_exists(dir, GOCLAW_FLAG);
    skill->name = mcph_strdup(name);
    skill->dir =
        mcph_asprintf("%s/%s/%s", place->goclaw->workspace, place->role_dir, name);
    if (skill->dir && file)
        skill->file = mcph_asprintf("%s/%s", skill->dir, file);
    if (skill->name && skill->dir && (!file || skill->file) &&
        mcph_goclaw_front_read(dir, skill, place->front_left) == 0)
        return skill;
    mcph_goclaw_skill_free(skill);
    return NULL;
}

static int
read_content(const struct goclaw_skill_place *place, int dir,
             struct mcph_goclaw_skill *skill, mcphost_error **reterr)
{
    const char *file = strrchr(skill->file, '/') + 1;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, MCPH_GOCLAW_SKILL_BYTES + (size_t)64 * 1024);
    r = mcph_goclaw_read(dir, file, MCPH_GOCLAW_SKILL_BYTES, place->shown, &text, NULL,
                         NULL, reterr);
    if (r == 0) {
        skill->content = mcph_buf_steal(&text, &skill->len);
        if (!skill->content)
            r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(&text);
    return r;
}

int
mcph_goclaw_skill_open(const struct goclaw_skill_place *place, int role,
                       mcphost_error **reterr)
{
    return mcph_goclaw_open(role, place->name, O_RDONLY | O_DIRECTORY, place->shown,
                            reterr);
}

int
mcph_goclaw_get_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                      struct mcph_span name, bool with_content,
                      struct mcph_goclaw_skill **ret, mcphost_error **reterr)
{
    struct mcph_goclaw_skill *skill = NULL;
    struct goclaw_skill_place place;
    int role_fd = -1, fd = -1, r;

    r = mcph_goclaw_skill_init(&place, goclaw, role, &name, reterr);
    if (r == 0)
        r = role_fd = open_role(&place, reterr);
    if (r >= 0)
        r = fd = mcph_goclaw_skill_open(&place, role_fd, reterr);
    if (r >= 0) {
        skill = describe_skill(&place, fd, place.name);
        r = skill ? 0 : mcph_err_nomem(reterr);
    }
    if (r == 0 && with_content && skill->file)
        r = read_content(&place, fd, skill, reterr);
    if (r == 0)
        *ret = skill;
    else
        mcph_goclaw_skill_free(skill);
    if (fd >= 0)
        close(fd);
    if (role_fd >= 0)
        close(role_fd);
    mcph_goclaw_skill_done(&place);
    return r;
}

/* ---- the skills of a role ---------------------------------------------------------- */

void
mcph_goclaw_skills_free(struct mcph_goclaw_skills *skills)
{
    if (!skills)
        return;
    for (size_t i = 0; i < skills->items.n; i++)
        mcph_goclaw_skill_free(skills->items.items[i]);
    mcph_vec_done(&skills->items);
    free(skills->base_dir);
    free(skills);
}

static int
by_name(const void *a, const void *b)
{
    const struct mcph_goclaw_skill *const *sa = a, *const *sb = b;

    return strcmp((*sa)->name, (*sb)->name);
}

/* Adds the skill of this name.  Skips bad names, links, files, and directories that were
 * deleted after readdir() listed them.  If `with_disabled` is false, also skips a
 * disabled skill. */
static int
add_skill(const struct goclaw_skill_place *place, int role, const char *name,
          bool with_disabled, struct mcph_goclaw_skills *skills, mcphost_error **reterr)
{
    struct mcph_goclaw_skill *skill;
    int fd, r = 0;

    if (mcph_goclaw_name_fault(mcph_span(name, strlen(name))))
        return 0;
    fd = mcph_open_beneath(role, name, O_PATH | O_DIRECTORY, false);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
                   ? 0
                   : mcph_err_os(reterr, errno, "cannot open '%s/%s'", place->shown,
                                 name);
    skill = describe_skill(place, fd, name);
    close(fd);
    if (!skill)
        return mcph_err_nomem(reterr);
    if ((skill->enabled || with_disabled) && mcph_vec_add(&skills->items, skill) < 0)
        r = mcph_err_nomem(reterr);
    if (r < 0 || !(skill->enabled || with_disabled))
        mcph_goclaw_skill_free(skill);
    return r;
}

static int
list_dir(const struct goclaw_skill_place *place, DIR *dir, bool with_disabled,
         struct mcph_goclaw_skills *skills, mcphost_error **reterr)
{
    size_t n = 0;

    for (;;) {
        const struct dirent *entry;
        int r;

        errno = 0;
        entry = readdir(dir);
        if (!entry)
            return errno ? mcph_err_os(reterr, errno, "cannot read '%s'", place->shown)
                         : 0;
        if (n++ == MCPH_GOCLAW_NAMES_MAX + 2) /* counts "." and ".." */
            return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' has more than %d names",
                            place->shown, MCPH_GOCLAW_NAMES_MAX);
        r = add_skill(place, dirfd(dir), entry->d_name, with_disabled, skills, reterr);
        if (r < 0)
            return r;
    }
}

/* Lists the skills in the directory `fd`, and closes `fd`.  `fd` may also be the code of
 * a failed open: MCPHOST_E_NOTFOUND means that there are no skills. */
static int
list_opened(const struct goclaw_skill_place *place, int fd, bool with_disabled,
            struct mcph_goclaw_skills *skills, mcphost_error **reterr)
{
    DIR *dir;
    int r;

    if (fd < 0)
        return fd == MCPHOST_E_NOTFOUND ? 0 : fd;
    skills->has_role = true;
    dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return mcph_err_nomem(reterr);
    }
    r = list_dir(place, dir, with_disabled, skills, reterr);
    closedir(dir);
    if (r == 0 && skills->items.n > 0)
        qsort(skills->items.items, skills->items.n, sizeof(void *), by_name);
    return r;
}

/* Lists the skills of a role.  A missing workspace is an error, but a missing role has no
 * skills. */
static int
list_role(const struct goclaw_skill_place *place, bool with_disabled,
          struct mcph_goclaw_skills *skills, mcphost_error **reterr)
{
    int top = mcph_goclaw_open_top(place->goclaw, reterr), fd;
    mcphost_error *err = NULL;

    if (top < 0)
        return top;
    fd = mcph_goclaw_open(top, place->role_dir, O_RDONLY | O_DIRECTORY, place->role_dir,
                          &err);
    close(top);
    if (fd < 0 && fd != MCPHOST_E_NOTFOUND && reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return list_opened(place, fd, with_disabled, skills, reterr);
}

/* Lists the skills of a sub-agent.  A symbolic link in the path is an error.  If the link
 * counted as a missing directory, the agent would silently get the skills of its role. */
static int
list_private(const struct goclaw_skill_place *place, bool with_disabled,
             struct mcph_goclaw_skills *skills, mcphost_error **reterr)
{
    int top =
        mcph_fd_high(open(place->goclaw->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC));
    int fd = -1;

    if (top >= 0)
        fd = mcph_open_beneath(top, place->role_dir, O_RDONLY | O_DIRECTORY, false);
    if (fd < 0)
        fd = errno == ENOENT || errno == ENOTDIR ? MCPHOST_E_NOTFOUND
             : errno == ELOOP
                 ? mcph_err(reterr, MCPHOST_E_DENIED,
                            "'%s' has a symbolic link in it, which is not followed",
                            place->shown)
                 : mcph_err_os(reterr, errno, "cannot open '%s'", place->shown);
    if (top >= 0)
        close(top);
    return list_opened(place, fd, with_disabled, skills, reterr);
}

typedef int (*list_fn)(const struct goclaw_skill_place *place, bool with_disabled,
                       struct mcph_goclaw_skills *skills, mcphost_error **reterr);

static int
list_place(const struct goclaw_skill_place *place, list_fn list, bool with_disabled,
           struct mcph_goclaw_skills **ret, mcphost_error **reterr)
{
    struct mcph_goclaw_skills *skills = calloc(1, sizeof(*skills));
    int r;

    if (skills)
        skills->base_dir =
            mcph_asprintf("%s/%s", place->goclaw->workspace, place->role_dir);
    r = skills && skills->base_dir ? list(place, with_disabled, skills, reterr)
                                   : mcph_err_nomem(reterr);
    if (r == 0)
        *ret = skills;
    else
        mcph_goclaw_skills_free(skills);
    return r;
}

int
mcph_goclaw_list_skills(const struct mcph_goclaw *goclaw, struct mcph_span role,
                        bool with_disabled, struct mcph_goclaw_skills **ret,
                        mcphost_error **reterr)
{
    size_t left = FRONTS_MAX;
    struct goclaw_skill_place place;
    int r = mcph_goclaw_skill_init(&place, goclaw, role, NULL, reterr);

    place.front_left = &left;
    if (r == 0)
        r = list_place(&place, list_role, with_disabled, ret, reterr);
    mcph_goclaw_skill_done(&place);
    return r;
}

int
mcph_goclaw_list_private_skills(const char *workdir, bool with_disabled,
                                struct mcph_goclaw_skills **ret, mcphost_error **reterr)
{
    size_t left = FRONTS_MAX;
    struct goclaw_skill_place place = {.front_left = &left};
    struct mcph_goclaw *goclaw;
    int r = mcph_goclaw_new(workdir, MCPH_GOCLAW_PRIVATE, 0, &goclaw, reterr);

    if (r < 0)
        return r;
    place.goclaw = goclaw;
    place.role_dir = mcph_strdup(MCPH_GOCLAW_PRIVATE);
    place.shown = mcph_strdup(MCPH_GOCLAW_PRIVATE);
    r = place.role_dir && place.shown
            ? list_place(&place, list_private, with_disabled, ret, reterr)
            : mcph_err_nomem(reterr);
    mcph_goclaw_skill_done(&place);
    mcph_goclaw_free(goclaw);
    return r;
}
