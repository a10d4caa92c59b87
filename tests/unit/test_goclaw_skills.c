/* SPDX-License-Identifier: MIT
 *
 * test_goclaw_skills.c - listing, reading, writing, enabling and deleting the skills of a
 * workspace.
 *
 * No operation touches anything outside the workspace.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"
#include "support/rig.h"
#include "support/runner.h"

#define ROLE MCPH_SPAN_NONE /* the role of the main agent */

static struct rig_workspace ws, out;
static struct mcph_goclaw *goclaw;
static struct mcph_goclaw_skills *skills;
static struct mcph_goclaw_skill *skill;
static mcphost_error *err;

static struct mcph_span
span(const char *text)
{
    return mcph_span(text, strlen(text));
}

static const char *
path(const char *name)
{
    return rig_workspace_path(&ws, name);
}

static void
make_dir(const char *name)
{
    if (mkdir(path(name), 0755) < 0)
        ck_assert_msg(errno == EEXIST, "%s: %s", name, strerror(errno));
}

static bool
is_there(const char *name)
{
    struct stat st;

    return lstat(path(name), &st) == 0;
}

static void
holds(const char *name, const char *text)
{
    char *now = rig_workspace_read(&ws, name);

    ck_assert_str_eq(now, text);
    free(now);
}

static int
put_skill(const char *name, const char *text, int enabled, bool overwrite)
{
    err = mcphost_error_unref(err);
    return mcph_goclaw_put_skill(goclaw, ROLE, span(name), span(text), enabled, overwrite,
                                 &err);
}

static int
get(const char *name)
{
    mcph_goclaw_skill_free(skill);
    skill = NULL;
    err = mcphost_error_unref(err);
    return mcph_goclaw_get_skill(goclaw, ROLE, span(name), true, &skill, &err);
}

/* Returns the names of the listed skills, separated by blanks. */
static const char *
list(const char *role, bool with_disabled)
{
    static char names[512];
    size_t len = 0;

    mcph_goclaw_skills_free(skills);
    skills = NULL;
    ck_assert_int_eq(
        mcph_goclaw_list_skills(goclaw, span(role), with_disabled, &skills, NULL), 0);
    names[0] = '\0';
    for (size_t i = 0; i < skills->items.n; i++) {
        const struct mcph_goclaw_skill *one = skills->items.items[i];

        len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? " " : "",
                                one->name);
    }
    return names;
}

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    rig_workspace_up(&out, NULL);
    ck_assert_int_eq(mcph_goclaw_new(ws.dir, NULL, 0, &goclaw, NULL), 0);
}

static void
down(void)
{
    mcph_goclaw_skills_free(skills);
    mcph_goclaw_skill_free(skill);
    skills = NULL;
    skill = NULL;
    err = mcphost_error_unref(err);
    mcph_goclaw_free(goclaw);
    rig_workspace_down(&ws);
    rig_workspace_down(&out);
}

/* ---- listing ----------------------------------------------------------------------- */

START_TEST(a_missing_role_has_no_skills) /* R181, B.35 */
{
    ck_assert_str_eq(list("", true), "");
    ck_assert(!skills->has_role);
    ck_assert_str_eq(skills->base_dir, path("skills/main"));
    make_dir("skills");
    make_dir("skills/main");
    ck_assert_str_eq(list("main", true), "");
    ck_assert(skills->has_role);
}
END_TEST

START_TEST(skills_are_listed_in_byte_order_with_state_and_files) /* R179 R180 R181 */
{
    const struct mcph_goclaw_skill *one;

    ck_assert_int_eq(put_skill("zeta", "z", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(put_skill("beta", "b", MCPH_GOCLAW_DISABLE, true), 0);
    ck_assert_int_eq(put_skill("Alpha", "a", MCPH_GOCLAW_KEEP, true), 1);
    make_dir("skills/main/lower");
    rig_workspace_write(&ws, "skills/main/lower/skill.md", "l");
    make_dir("skills/main/none");
    ck_assert_str_eq(list("", true), "Alpha beta lower none zeta");
    one = skills->items.items[0];
    ck_assert(one->enabled);
    ck_assert_str_eq(one->dir, path("skills/main/Alpha"));
    ck_assert_str_eq(one->file, path("skills/main/Alpha/SKILL.md"));
    ck_assert_ptr_null(one->content);
    one = skills->items.items[1];
    ck_assert(!one->enabled);
    one = skills->items.items[2];
    ck_assert_str_eq(one->file, path("skills/main/lower/skill.md"));
    one = skills->items.items[3];
    ck_assert_ptr_null(one->file);
    ck_assert_str_eq(list("main", false), "Alpha lower none zeta");
}
END_TEST

/* Texts of the skill `one`, each with the description and the warning that the text
 * gives. */
static const struct {
    const char *text, *description, *warning;
} fronts[] = {
    {"---\nname: one\ndescription: Does it.\n---\n", "Does it.", NULL},
    {"---\ndescription: 'Does it.'\n---\n", "Does it.", NULL},
    {"---\nname: two\ndescription: d\n---\n", "d",
     "the front matter has a different name: 'two'"},
    {"---\nname: [one]\ndescription: d\n---\n", "d",
     "the name in the front matter is not a text"},
    {"---\nname: one\n---\n", NULL, "the front matter has no description"},
    {"---\nname: two\ndescription: ' '\n---\n", NULL,
     "the front matter has no description"},
    {"---\ndescription: 7\n---\n", NULL, "the front matter has no description"},
    {"---\n- one\n---\n", NULL, "the front matter has no members"},
    {"---\n---\n", NULL, "the front matter has no members"},
    {"---\nname: one\nx: [\n---\n", NULL, "the front matter is not valid YAML (line 4)"},
    {"---\nname: one\n", NULL, "there is no front matter"},
    {"# One\n", NULL, "there is no front matter"},
};

START_TEST(front_matter_gives_a_description_and_warnings) /* R181 R182, B.38 */
{
    const struct mcph_goclaw_skill *one;

    ck_assert_int_eq(put_skill("one", fronts[_i].text, MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(
        put_skill("other", "---\ndescription: d\n---\n", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_str_eq(list("", true), "one other");
    one = skills->items.items[0];
    ck_assert_pstr_eq(one->description, fronts[_i].description);
    ck_assert_pstr_eq(one->warning, fronts[_i].warning);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_pstr_eq(skill->description, fronts[_i].description);
    ck_assert_pstr_eq(skill->warning, fronts[_i].warning);
}
END_TEST

START_TEST(a_front_matter_longer_than_4_kib_gets_a_warning) /* B.38 */
{
    size_t len = MCPH_FRONT_MAX + 1000;
    char *text = malloc(len + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, '#', len);
    memcpy(text, "---\n", 4);
    text[len] = '\0';
    ck_assert_int_eq(put_skill("one", text, MCPH_GOCLAW_KEEP, true), 1);
    free(text);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_str_eq(skill->warning, "the front matter is longer than 4 KiB");
    ck_assert_uint_eq(skill->len, len);
}
END_TEST

START_TEST(the_private_skills_of_a_directory_are_listed) /* R180 R209 */
{
    ck_assert_int_eq(
        mcph_goclaw_list_private_skills("/nowhere/at/all", true, &skills, NULL), 0);
    ck_assert(!skills->has_role);
    mcph_goclaw_skills_free(skills);
    make_dir(".goclaw");
    rig_workspace_write(&ws, ".goclaw/skills", "x");
    ck_assert_int_eq(mcph_goclaw_list_private_skills(ws.dir, true, &skills, NULL), 0);
    ck_assert(!skills->has_role);
    mcph_goclaw_skills_free(skills);
    ck_assert_int_eq(unlink(path(".goclaw/skills")), 0);
    make_dir(".goclaw/skills");
    make_dir(".goclaw/skills/b");
    make_dir(".goclaw/skills/a");
    rig_workspace_write(&ws, ".goclaw/skills/b/.disabled", "x");
    ck_assert_int_eq(mcph_goclaw_list_private_skills(ws.dir, true, &skills, NULL), 0);
    ck_assert(skills->has_role);
    ck_assert_uint_eq(skills->items.n, 2);
    ck_assert_str_eq(((struct mcph_goclaw_skill *)skills->items.items[0])->name, "a");
    ck_assert_str_eq(skills->base_dir, path(".goclaw/skills"));
    mcph_goclaw_skills_free(skills);
    ck_assert_int_eq(mcph_goclaw_list_private_skills(ws.dir, false, &skills, NULL), 0);
    ck_assert_uint_eq(skills->items.n, 1);
}
END_TEST

/* Only the descriptors 0 and 1 are free.  The library uses neither of them, so it can
 * open nothing.  If the library used them, it would find that there are no skills. */
START_TEST(a_workspace_is_not_opened_as_a_standard_descriptor)
{
    struct rig_low low;
    int r;

    rig_low_begin(&low);
    r = mcph_goclaw_list_private_skills(ws.dir, true, &skills, NULL);
    rig_low_end(&low);
    ck_assert_int_lt(r, 0);
}
END_TEST

START_TEST(files_links_and_invalid_names_are_not_skills) /* R181 R187, B.34, B.35 */
{
    ck_assert_int_eq(put_skill("good", "x", MCPH_GOCLAW_KEEP, true), 1);
    make_dir("skills/main/.hidden");
    make_dir("skills/main/-dash");
    make_dir("skills/main/_under");
    make_dir("skills/main/a.b");
    make_dir("skills/main/caf\xc3\xa9");
    rig_workspace_write(&ws, "skills/main/file", "x");
    ck_assert_int_eq(symlink("good", path("skills/main/link")), 0);
    ck_assert_int_eq(symlink(out.dir, path("skills/main/outer")), 0);
    ck_assert_str_eq(list("", true), "good");
}
END_TEST

START_TEST(each_role_has_skills_of_its_own) /* R179 */
{
    ck_assert_int_eq(put_skill("one", "x", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(mcph_goclaw_put_skill(goclaw, span("frontend"), span("two"),
                                           span("y"), MCPH_GOCLAW_KEEP, true, NULL),
                     1);
    ck_assert_str_eq(list("", true), "one");
    ck_assert_str_eq(list("frontend", true), "two");
    holds("skills/frontend/two/SKILL.md", "y");
}
END_TEST

START_TEST(a_skills_directory_must_be_relative_and_below_the_workspace) /* R179 R187 */
{
    static const char *const bad[] = {"", "/etc", "..", "a/../b", "a/..", "./a", "."};
    struct mcph_goclaw *other = NULL;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(bad); i++)
        ck_assert_msg(mcph_goclaw_new(ws.dir, bad[i], 0, &other, NULL) ==
                          MCPHOST_E_INVALID,
                      "'%s'", bad[i]);
    ck_assert_ptr_null(other);
    ck_assert_int_eq(mcph_goclaw_new(ws.dir, "my/roles//", 0, &other, NULL), 0);
    ck_assert_int_eq(mcph_goclaw_put_skill(other, ROLE, span("x"), span("t"),
                                           MCPH_GOCLAW_KEEP, true, NULL),
                     1);
    holds("my/roles/main/x/SKILL.md", "t");
    mcph_goclaw_free(other);
}
END_TEST

START_TEST(listing_a_role_with_too_many_entries_fails_with_e_limit) /* R181 */
{
    char name[128];

    make_dir("skills");
    make_dir("skills/main");
    for (int i = 0; i <= MCPH_GOCLAW_NAMES_MAX; i++) {
        snprintf(name, sizeof(name), "%s/skills/main/f%d", ws.dir, i);
        ck_assert_int_eq(mknod(name, S_IFREG | 0600, 0), 0);
    }
    ck_assert_int_eq(mcph_goclaw_list_skills(goclaw, ROLE, true, &skills, &err),
                     MCPHOST_E_LIMIT);
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_str_eq(list("", true), "");
}
END_TEST

/* ---- reading ----------------------------------------------------------------------- */

START_TEST(a_skill_is_read_with_or_without_its_text) /* R182 */
{
    ck_assert_int_eq(get("one"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(
        put_skill("one", "---\nname: one\n---\ntext\n", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_str_eq(skill->content, "---\nname: one\n---\ntext\n");
    ck_assert_uint_eq(skill->len, strlen(skill->content));
    ck_assert(skill->enabled);
    mcph_goclaw_skill_free(skill);
    ck_assert_int_eq(
        mcph_goclaw_get_skill(goclaw, span("main"), span("one"), false, &skill, NULL), 0);
    ck_assert_ptr_null(skill->content);
    ck_assert_str_eq(skill->file, path("skills/main/one/SKILL.md"));
    ck_assert_int_eq(get("two"), MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(a_directory_without_skill_md_is_a_skill_without_content) /* R182, B.35 */
{
    make_dir("skills");
    make_dir("skills/main");
    make_dir("skills/main/none");
    ck_assert_int_eq(get("none"), 0);
    ck_assert_ptr_null(skill->content);
    ck_assert_ptr_null(skill->file);
    /* The library does not read a SKILL.md that is a symbolic link, because the link may
     * lead out of the workspace. */
    rig_workspace_write(&out, "secret", "x");
    ck_assert_int_eq(
        symlink(rig_workspace_path(&out, "secret"), path("skills/main/none/SKILL.md")),
        0);
    ck_assert_int_eq(get("none"), 0);
    ck_assert_ptr_null(skill->content);
}
END_TEST

START_TEST(skill_md_in_lower_case_is_read_but_a_put_writes_upper_case) /* R179 R183 */
{
    make_dir("skills");
    make_dir("skills/main");
    make_dir("skills/main/one");
    rig_workspace_write(&ws, "skills/main/one/skill.md", "old");
    ck_assert_int_eq(get("one"), 0);
    ck_assert_str_eq(skill->content, "old");
    ck_assert_int_eq(put_skill("one", "new", MCPH_GOCLAW_KEEP, false), MCPHOST_E_EXISTS);
    ck_assert_int_eq(put_skill("one", "new", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_str_eq(skill->content, "new");
    ck_assert_str_eq(skill->file, path("skills/main/one/SKILL.md"));
    holds("skills/main/one/skill.md", "old");
}
END_TEST

START_TEST(a_text_that_is_too_large_is_neither_read_nor_written) /* R182 R183 */
{
    char *text = malloc(MCPH_GOCLAW_SKILL_BYTES + 2);

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', MCPH_GOCLAW_SKILL_BYTES + 1);
    text[MCPH_GOCLAW_SKILL_BYTES + 1] = '\0';
    ck_assert_int_eq(put_skill("one", text, MCPH_GOCLAW_KEEP, true), MCPHOST_E_LIMIT);
    ck_assert(!is_there("skills"));
    make_dir("skills");
    make_dir("skills/main");
    make_dir("skills/main/one");
    rig_workspace_write(&ws, "skills/main/one/SKILL.md", "%s", text);
    ck_assert_int_eq(get("one"), MCPHOST_E_LIMIT);
    text[MCPH_GOCLAW_SKILL_BYTES] = '\0';
    ck_assert_int_eq(put_skill("one", text, MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_uint_eq(skill->len, MCPH_GOCLAW_SKILL_BYTES);
    free(text);
}
END_TEST

/* ---- writing ----------------------------------------------------------------------- */

START_TEST(a_text_that_is_blank_or_not_utf8_or_has_a_nul_is_refused) /* R183, B.35 */
{
    ck_assert_int_eq(put_skill("one", "", MCPH_GOCLAW_KEEP, true), MCPHOST_E_INVALID);
    ck_assert_int_eq(put_skill("one", " \n\t", MCPH_GOCLAW_KEEP, true),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(put_skill("one", "\xff\xfe", MCPH_GOCLAW_KEEP, true),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_goclaw_put_skill(goclaw, ROLE, span("one"),
                                           mcph_span("a\0b", 3), MCPH_GOCLAW_KEEP, true,
                                           NULL),
                     MCPHOST_E_INVALID);
    ck_assert(!is_there("skills"));
}
END_TEST

START_TEST(without_overwrite_a_put_of_an_existing_skill_fails) /* R183, B.35 */
{
    ck_assert_int_eq(put_skill("one", "first", MCPH_GOCLAW_KEEP, false), 1);
    ck_assert_int_eq(put_skill("one", "second", MCPH_GOCLAW_DISABLE, false),
                     MCPHOST_E_EXISTS);
    holds("skills/main/one/SKILL.md", "first");
    ck_assert(!is_there("skills/main/one/.disabled"));
    ck_assert_int_eq(put_skill("one", "second", MCPH_GOCLAW_KEEP, true), 1);
    holds("skills/main/one/SKILL.md", "second");
    ck_assert(!is_there("skills/main/one/.SKILL.md.tmp"));
}
END_TEST

START_TEST(a_put_keeps_the_enabled_state_unless_it_sets_a_state) /* R183, B.35 */
{
    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_DISABLE, true), 0);
    holds("skills/main/one/.disabled", "disabled\n");
    ck_assert_int_eq(put_skill("one", "b", MCPH_GOCLAW_KEEP, true), 0);
    ck_assert(is_there("skills/main/one/.disabled"));
    ck_assert_int_eq(put_skill("one", "c", MCPH_GOCLAW_ENABLE, true), 1);
    ck_assert(!is_there("skills/main/one/.disabled"));
    ck_assert_int_eq(put_skill("one", "d", MCPH_GOCLAW_KEEP, true), 1);
}
END_TEST

START_TEST(a_file_named_disabled_with_any_content_disables_a_skill) /* R180 R185 */
{
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), true, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert(!is_there("skills"));
    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), true, NULL), 0);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), false, NULL), 1);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), false, NULL), 0);
    holds("skills/main/one/.disabled", "disabled\n");
    ck_assert_int_eq(get("one"), 0);
    ck_assert(!skill->enabled);
    rig_workspace_write(&ws, "skills/main/one/.disabled", "%s", "");
    ck_assert_int_eq(get("one"), 0);
    ck_assert(!skill->enabled);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), true, NULL), 1);
    ck_assert(!is_there("skills/main/one/.disabled"));
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("two"), true, NULL),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(writes_to_a_locked_role_fail_at_once_with_e_busy) /* R183 R184 R185 */
{
    int fd;

    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_KEEP, true), 1);
    fd = open(path("skills/main"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(put_skill("one", "b", MCPH_GOCLAW_KEEP, true), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL),
                     MCPHOST_E_BUSY);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), false, NULL),
                     MCPHOST_E_BUSY);
    ck_assert_int_eq(get("one"), 0);
    ck_assert_str_eq(skill->content, "a");
    close(fd);
}
END_TEST

START_TEST(a_put_keeps_the_file_mode_of_the_text) /* R183 */
{
    struct stat st;

    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(chmod(path("skills/main/one/SKILL.md"), 0604), 0);
    ck_assert_int_eq(put_skill("one", "b", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(stat(path("skills/main/one/SKILL.md"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0604);
}
END_TEST

/* ---- deleting ---------------------------------------------------------------------- */

static void
make_tree(void)
{
    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_DISABLE, true), 0);
    make_dir("skills/main/one/refs");
    make_dir("skills/main/one/refs/deep");
    rig_workspace_write(&ws, "skills/main/one/refs/deep/f", "x");
    rig_workspace_write(&out, "kept", "x");
    ck_assert_int_eq(symlink(out.dir, path("skills/main/one/refs/out")), 0);
    ck_assert_int_eq(
        symlink(rig_workspace_path(&out, "kept"), path("skills/main/one/refs/deep/link")),
        0);
}

START_TEST(a_delete_removes_the_whole_tree_and_follows_no_link) /* R184 R187 */
{
    make_tree();
    ck_assert_int_eq(put_skill("two", "b", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL), 0);
    ck_assert(!is_there("skills/main/one"));
    ck_assert(!is_there("skills/main/.mcphost-deleted"));
    ck_assert_int_eq(rig_workspace_count(&out, "kept", "x"), 1);
    ck_assert_str_eq(list("", true), "two");
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

/* A directory of the same file system is mounted in the skill. */
START_TEST(a_delete_of_a_skill_with_a_mount_is_refused) /* R184 */
{
    bool mounts = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0;

    make_tree();
    if (!mounts || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount(out.dir, path("skills/main/one/refs/deep"), "none", MS_BIND, NULL) < 0) {
        printf("skipped: this kernel allows no mounts here\n");
        return;
    }
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(umount(path("skills/main/one/refs/deep")), 0);
    ck_assert_int_eq(rig_workspace_count(&out, "kept", "x"), 1);
    ck_assert(is_there("skills/main/one/refs/deep/f"));
}
END_TEST

START_TEST(the_next_delete_removes_the_remains_of_an_interrupted_delete) /* R184 */
{
    make_tree();
    ck_assert_int_eq(
        rename(path("skills/main/one"), path("skills/main/.mcphost-deleted")), 0);
    ck_assert_str_eq(list("", true), "");
    ck_assert_int_eq(put_skill("two", "b", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("two"), NULL), 0);
    ck_assert(!is_there("skills/main/.mcphost-deleted"));
    ck_assert_int_eq(symlink(out.dir, path("skills/main/.mcphost-deleted")), 0);
    ck_assert_int_eq(put_skill("two", "b", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("two"), NULL), 0);
    ck_assert_int_eq(rig_workspace_count(&out, "kept", "x"), 1);
}
END_TEST

START_TEST(a_symbolic_link_in_place_of_a_skill_is_refused_and_kept) /* R184 R187 */
{
    make_dir("skills");
    make_dir("skills/main");
    rig_workspace_write(&out, "SKILL.md", "theirs");
    ck_assert_int_eq(symlink(out.dir, path("skills/main/one")), 0);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(put_skill("one", "ours", MCPH_GOCLAW_DISABLE, true),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, ROLE, span("one"), false, NULL),
                     MCPHOST_E_DENIED);
    ck_assert_int_eq(get("one"), MCPHOST_E_DENIED);
    ck_assert(is_there("skills/main/one"));
    ck_assert_int_eq(rig_workspace_count(&out, "SKILL.md", "theirs"), 1);
    ck_assert_int_ne(access(rig_workspace_path(&out, ".disabled"), F_OK), 0);
}
END_TEST

START_TEST(deleting_a_skill_with_more_than_32_levels_is_refused) /* R184 */
{
    int at, next;

    ck_assert_int_eq(put_skill("one", "a", MCPH_GOCLAW_KEEP, true), 1);
    at = open(path("skills/main/one"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < MCPH_GOCLAW_DEPTH_MAX; i++) {
        ck_assert_int_eq(mkdirat(at, "d", 0700), 0);
        next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    close(at);
    ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), &err),
                     MCPHOST_E_LIMIT);
    test_has(mcphost_error_get_message(err), "more than 32 levels");
    holds("skills/main/one/SKILL.md", "a");
}
END_TEST

/* ---- names ------------------------------------------------------------------------- */

/* Names that the library refuses for roles and for skills. */
static const struct {
    const char *name;
    size_t len;
} names[] = {
    {"..", 2},
    {".", 1},
    {".hidden", 7},
    {"a/b", 3},
    {"../main", 7},
    {"/etc", 4},
    {"a\\b", 3},
    {"a\0b", 3},
    {"a\0", 2},
    {"\0", 1},
    {"-a", 2},
    {"_a", 2},
    {"a.b", 3},
    {"a b", 3},
    {"a\n", 2},
    {"a%2fb", 5},
    {"\xef\xbc\x8e\xef\xbc\x8e", 6}, /* U+FF0E twice: full-width dots */
    {"\xe2\x80\xa4\xe2\x80\xa4", 6}, /* U+2024 twice: one-dot leaders */
    {"a\xe2\x88\x95"
     "b",
     5}, /* U+2215: looks like a slash */
    {"a\xef\xbc\x8f"
     "b",
     5},                     /* U+FF0F: a full-width slash */
    {"\xd0\xb0", 2},         /* U+0430: a Cyrillic letter that looks like 'a' */
    {"\xc0\xae\xc0\xae", 4}, /* dots in overlong UTF-8 */
    {"a\xe2\x80\x8b", 4},    /* U+200B: a zero-width space */
};

START_TEST(an_invalid_role_or_skill_name_is_refused_without_changes) /* R187 R214, B.34 */
{
    struct mcph_span bad = mcph_span(names[_i].name, names[_i].len), good = span("x");

    for (int i = 0; i < 2; i++) {
        struct mcph_span role = i ? good : bad, name = i ? bad : good;

        ck_assert_int_eq(
            mcph_goclaw_put_skill(goclaw, role, name, good, MCPH_GOCLAW_KEEP, true, NULL),
            MCPHOST_E_INVALID);
        ck_assert_int_eq(mcph_goclaw_get_skill(goclaw, role, name, true, &skill, NULL),
                         MCPHOST_E_INVALID);
        ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, role, name, NULL),
                         MCPHOST_E_INVALID);
        ck_assert_int_eq(mcph_goclaw_enable_skill(goclaw, role, name, true, NULL),
                         MCPHOST_E_INVALID);
    }
    ck_assert_int_eq(mcph_goclaw_list_skills(goclaw, bad, true, &skills, NULL),
                     MCPHOST_E_INVALID);
    ck_assert(!is_there("skills"));
}
END_TEST

START_TEST(a_name_may_have_255_bytes_and_no_more) /* R187 R214, B.34 */
{
    char name[301];

    memset(name, 'a', sizeof(name));
    name[300] = '\0';
    ck_assert_int_eq(put_skill(name, "x", MCPH_GOCLAW_KEEP, true), MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "longer than 255");
    name[256] = '\0';
    ck_assert_int_eq(put_skill(name, "x", MCPH_GOCLAW_KEEP, true), MCPHOST_E_INVALID);
    ck_assert(!is_there("skills"));
    name[255] = '\0';
    ck_assert_int_eq(put_skill(name, "x", MCPH_GOCLAW_KEEP, true), 1);
    ck_assert_int_eq(put_skill("", "x", MCPH_GOCLAW_KEEP, true), MCPHOST_E_INVALID);
    ck_assert_int_eq(put_skill("9_-Z", "x", MCPH_GOCLAW_KEEP, true), 1);
}
END_TEST

START_TEST(a_symbolic_link_in_the_path_to_a_role_is_refused) /* R187 */
{
    static const char *const at[] = {"skills", "skills/main"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(at); i++) {
        if (i > 0)
            make_dir("skills");
        ck_assert_int_eq(symlink(out.dir, path(at[i])), 0);
        ck_assert_int_eq(put_skill("one", "x", MCPH_GOCLAW_KEEP, true), MCPHOST_E_DENIED);
        ck_assert_int_eq(mcph_goclaw_list_skills(goclaw, ROLE, true, &skills, NULL),
                         MCPHOST_E_DENIED);
        ck_assert_int_eq(mcph_goclaw_delete_skill(goclaw, ROLE, span("one"), NULL),
                         MCPHOST_E_DENIED);
        ck_assert_int_eq(unlink(path(at[i])), 0);
    }
    ck_assert_int_ne(access(rig_workspace_path(&out, "main"), F_OK), 0);
    ck_assert_int_ne(access(rig_workspace_path(&out, "one"), F_OK), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "reading");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 30); /* long, because one test makes thousands of files */
    tcase_add_test(tc, a_missing_role_has_no_skills);
    tcase_add_test(tc, skills_are_listed_in_byte_order_with_state_and_files);
    tcase_add_loop_test(tc, front_matter_gives_a_description_and_warnings, 0,
                        (int)MCPH_ARRAY_SIZE(fronts));
    tcase_add_test(tc, a_front_matter_longer_than_4_kib_gets_a_warning);
    tcase_add_test(tc, the_private_skills_of_a_directory_are_listed);
    tcase_add_test(tc, a_workspace_is_not_opened_as_a_standard_descriptor);
    tcase_add_test(tc, files_links_and_invalid_names_are_not_skills);
    tcase_add_test(tc, each_role_has_skills_of_its_own);
    tcase_add_test(tc, a_skills_directory_must_be_relative_and_below_the_workspace);
    tcase_add_test(tc, listing_a_role_with_too_many_entries_fails_with_e_limit);
    tcase_add_test(tc, a_skill_is_read_with_or_without_its_text);
    tcase_add_test(tc, a_directory_without_skill_md_is_a_skill_without_content);
    tcase_add_test(tc, skill_md_in_lower_case_is_read_but_a_put_writes_upper_case);
    tcase_add_test(tc, a_text_that_is_too_large_is_neither_read_nor_written);

    tc = test_case(suite, "writing");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_text_that_is_blank_or_not_utf8_or_has_a_nul_is_refused);
    tcase_add_test(tc, without_overwrite_a_put_of_an_existing_skill_fails);
    tcase_add_test(tc, a_put_keeps_the_enabled_state_unless_it_sets_a_state);
    tcase_add_test(tc, a_file_named_disabled_with_any_content_disables_a_skill);
    tcase_add_test(tc, writes_to_a_locked_role_fail_at_once_with_e_busy);
    tcase_add_test(tc, a_put_keeps_the_file_mode_of_the_text);

    tc = test_case(suite, "deleting");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_delete_removes_the_whole_tree_and_follows_no_link);
    tcase_add_test(tc, a_delete_of_a_skill_with_a_mount_is_refused);
    tcase_add_test(tc, the_next_delete_removes_the_remains_of_an_interrupted_delete);
    tcase_add_test(tc, a_symbolic_link_in_place_of_a_skill_is_refused_and_kept);
    tcase_add_test(tc, deleting_a_skill_with_more_than_32_levels_is_refused);

    tc = test_case(suite, "names");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, an_invalid_role_or_skill_name_is_refused_without_changes, 0,
                        (int)MCPH_ARRAY_SIZE(names));
    tcase_add_test(tc, a_name_may_have_255_bytes_and_no_more);
    tcase_add_test(tc, a_symbolic_link_in_the_path_to_a_role_is_refused);
}

int
main(void)
{
    return test_main("goclaw-skills", add);
}
