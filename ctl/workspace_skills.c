/* SPDX-License-Identifier: MIT
 *
 * workspace_skills.c - the skills of goclaw workspaces: <workspace>/skills/ROLE/SKILL.
 *
 * This file reads the roles from the directory.  The workspace's tools do all other work.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "goclaw.h"
#include "term.h"
#include "workspace_skills.h"

#define SKILLS_DIRECTORY "skills"

static const char *
text_member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int
have_workspaces(const struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->n_sources; i++) {
        if (is_goclaw(&ctl->sources[i]))
            return 1;
    }
    return 0;
}

/* ---- calling the workspace's tools ------------------------------------------------- */

/* Returns 0 if `r` is 0.  Otherwise prints the error and returns a STATUS_*.  The status
 * is `failed` if the tool has refused (MCPHOST_E_CONFIG). */
static int
report_error(struct ctl *ctl, int r, mcphost_error *err, int failed)
{
    if (r == 0)
        return 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return r == MCPHOST_E_CONFIG ? failed : status_of(ctl, r);
}

static int
begin_tools(struct ctl *ctl, struct goclaw *goclaw, const struct source *source)
{
    mcphost_error *err = NULL;
    int r = goclaw_begin(goclaw, source->directory, &err);

    return report_error(ctl, r, err, STATUS_CONFIG);
}

static int
ask_tool(struct ctl *ctl, struct goclaw *goclaw, const char *tool, json_t *arguments,
         int failed, json_t **ret)
{
    mcphost_error *err = NULL;
    int r = goclaw_ask(goclaw, tool, arguments, ret, &err);

    return report_error(ctl, r, err, failed);
}

/* ---- roles ------------------------------------------------------------------------- */

/* Returns true if the tools accept `s` as the name of a role. */
static int
is_name(const char *s)
{
    if (!isascii((unsigned char)*s) || !isalnum((unsigned char)*s))
        return 0;
    return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-")];
}

static int
is_role(const struct dirent *entry)
{
    return is_name(entry->d_name);
}

/* Returns true for a directory.  Returns false for a symbolic link, because the tools
 * reject symbolic links. */
static int
is_directory(const char *path, const char *name)
{
    struct text t = {0};
    struct stat st;
    int r;

    text_printf(&t, "%s/%s", path, name);
    r = !text_failed(&t) && lstat(t.data, &st) == 0 && S_ISDIR(st.st_mode);
    text_free(&t);
    return r;
}

/* Returns an array of the names of roles.  The array is empty if the directory is
 * missing. */
static json_t *
find_roles(const char *directory)
{
    json_t *roles = json_array();
    struct dirent **entries = NULL;
    struct text path = {0};
    int n = -1;

    text_printf(&path, "%s/" SKILLS_DIRECTORY, directory);
    if (!text_failed(&path))
        n = scandir(path.data, &entries, is_role, alphasort);
    for (int i = 0; i < n; i++) {
        if (is_directory(path.data, entries[i]->d_name))
            json_array_append_new(roles, json_string(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    text_free(&path);
    return roles;
}

/* ---- reading ----------------------------------------------------------------------- */

/* Adds the skills of a role.  Returns 0, or a STATUS_* after printing the reason. */
static int
read_role(struct ctl *ctl, struct goclaw *goclaw, const struct source *source,
          const char *role, json_t *skills)
{
    json_t *answer = NULL, *one;
    int status = ask_tool(ctl, goclaw, "skills_list", json_pack("{s:s}", "role", role),
                          STATUS_USAGE, &answer);
    size_t i;

    json_array_foreach(json_object_get(answer, "skills"), i, one)
    {
        json_t *skill = json_deep_copy(one);

        json_object_set_new(skill, "source", json_string(source->id));
        if (json_array_append_new(skills, skill) < 0)
            status = out_of_memory(ctl);
    }
    json_decref(answer);
    return status;
}

static int
read_workspace(struct ctl *ctl, const struct source *source, const char *role,
               json_t *skills)
{
    json_t *roles = role ? json_pack("[s]", role) : find_roles(source->directory), *one;
    struct goclaw goclaw;
    int status = begin_tools(ctl, &goclaw, source);
    size_t i;

    json_array_foreach(roles, i, one)
    {
        if (status == 0)
            status = read_role(ctl, &goclaw, source, json_string_value(one), skills);
    }
    goclaw_end(&goclaw);
    json_decref(roles);
    return status;
}

int
workspace_skills_read(struct ctl *ctl, const char *role, json_t **ret)
{
    json_t *skills = json_array();
    int status = skills ? 0 : out_of_memory(ctl);

    for (size_t i = 0; i < ctl->n_sources && status == 0; i++) {
        if (is_goclaw(&ctl->sources[i]))
            status = read_workspace(ctl, &ctl->sources[i], role, skills);
    }
    if (status)
        json_decref(skills);
    else
        *ret = skills;
    return status;
}

size_t
workspace_skills_find(const json_t *skills, const char *name, const json_t **ret,
                      struct text *which)
{
    const json_t *skill;
    size_t i, n = 0;

    json_array_foreach(skills, i, skill)
    {
        if (strcmp(text_member(skill, "name"), name) != 0)
            continue;
        if (n++ == 0)
            *ret = skill;
        text_printf(which, "%s'%s' of the role '%s' of '%s'", which->len > 0 ? ", " : "",
                    name, text_member(skill, "role"), text_member(skill, "source"));
    }
    return n;
}

void
workspace_skills_put(struct text *t, const json_t *skills)
{
    const json_t *skill;
    size_t i;

    json_array_foreach(skills, i, skill)
    {
        put_begin(t, '{');
        put_key(t, "name");
        put_str(t, text_member(skill, "name"));
        put_key(t, "source");
        put_str(t, text_member(skill, "source"));
        put_key(t, "server");
        put_str(t, NULL);
        put_key(t, "role");
        put_str(t, text_member(skill, "role"));
        put_key(t, "uri");
        put_str(t, NULL);
        put_key(t, "enabled");
        put_flag(t, json_is_true(json_object_get(skill, "enabled")));
        put_key(t, "description");
        put_str(t, text_member(skill, "description"));
        put_key(t, "file");
        put_str(t, text_member(skill, "skill_file"));
        put_end(t, '}');
    }
}

/* ---- one skill --------------------------------------------------------------------- */

static int
print_skill(struct ctl *ctl, const json_t *skill)
{
    const json_t *content = json_object_get(skill, "content");
    const char *s = json_string_value(content);
    size_t len = json_string_length(content);
    struct text t = {0};
    int status;

    if (!ctl->opt.json && !s) {
        say(ctl, "the skill '%s' has no SKILL.md", text_member(skill, "name"));
        return STATUS_CONFIG;
    }
    if (!ctl->opt.json) {
        /* Write the bytes unchanged only with --raw, and not to a terminal, because a
         * terminal would obey control characters. */
        if (ctl->opt.raw && !isatty(STDOUT_FILENO))
            fwrite(s, 1, len, stdout);
        else
            term_print(stdout, "", s, len);
        if (!ctl->opt.raw && len > 0 && s[len - 1] != '\n')
            putchar('\n');
        return STATUS_OK;
    }
    put_value(&t, skill);
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

static const struct source *
source_of(struct ctl *ctl, const json_t *skill)
{
    return source_find(ctl, text_member(skill, "source"));
}

static json_t *
name_skill(const json_t *skill)
{
    return json_pack("{s:s, s:s}", "skill_name", text_member(skill, "name"), "role",
                     text_member(skill, "role"));
}

int
workspace_skill_show(struct ctl *ctl, const json_t *skill)
{
    json_t *answer = NULL;
    struct goclaw goclaw;
    int status = begin_tools(ctl, &goclaw, source_of(ctl, skill));

    if (status == 0)
        status = ask_tool(ctl, &goclaw, "skills_get", name_skill(skill), STATUS_CONFIG,
                          &answer);
    if (status == 0)
        status = print_skill(ctl, json_object_get(answer, "skill"));
    json_decref(answer);
    goclaw_end(&goclaw);
    return status;
}

/* ---- enabling and disabling -------------------------------------------------------- */

static int
show_enabled(struct ctl *ctl, const json_t *skill, int enabled, int changed)
{
    const char *name = text_member(skill, "name"), *dir = text_member(skill, "dir");
    struct text t = {0};
    int status;

    if (!ctl->opt.json) {
        term_print(stdout, "", name, strlen(name));
        printf(" is %s%s in ", changed ? "" : "already ",
               enabled ? "enabled" : "disabled");
        term_print(stdout, "", dir ? dir : "", dir ? strlen(dir) : 0);
        putchar('\n');
        return STATUS_OK;
    }
    put_begin(&t, '{');
    put_key(&t, "skill");
    put_str(&t, name);
    put_source(&t, text_member(skill, "source"));
    put_key(&t, "role");
    put_str(&t, text_member(skill, "role"));
    put_key(&t, "enabled");
    put_flag(&t, enabled);
    put_key(&t, "changed");
    put_flag(&t, changed);
    put_key(&t, "dir");
    put_str(&t, dir);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

static int
set_enabled(struct ctl *ctl, const json_t *skill, int enabled)
{
    int changed = json_is_true(json_object_get(skill, "enabled")) != enabled;
    json_t *arguments, *answer = NULL;
    struct goclaw goclaw;
    int status;

    if (!changed)
        return show_enabled(ctl, skill, enabled, 0);
    arguments = name_skill(skill);
    json_object_set_new(arguments, "enabled", json_boolean(enabled));
    status = begin_tools(ctl, &goclaw, source_of(ctl, skill));
    if (status == 0)
        status = ask_tool(ctl, &goclaw, "skills_set_enabled", arguments, STATUS_CONFIG,
                          &answer);
    else
        json_decref(arguments);
    if (status == 0)
        status = show_enabled(ctl, skill, enabled, 1);
    json_decref(answer);
    goclaw_end(&goclaw);
    return status;
}

int
workspace_skill_set_enabled(struct ctl *ctl, const char *name, int enabled)
{
    const json_t *skill = NULL;
    struct text which = {0};
    json_t *skills = NULL;
    int status;
    size_t n;

    if (!have_workspaces(ctl)) {
        say(ctl, "there is no goclaw workspace whose skills could be %s",
            enabled ? "enabled" : "disabled");
        return STATUS_USAGE;
    }
    status = workspace_skills_read(ctl, ctl->opt.role, &skills);
    if (status)
        return status;
    n = workspace_skills_find(skills, name, &skill, &which);
    if (n == 1) {
        status = set_enabled(ctl, skill, enabled);
    } else {
        status = STATUS_USAGE;
        if (n == 0)
            say(ctl, "no workspace has a skill '%s'%s%s%s", name,
                ctl->opt.role ? " of the role '" : "", ctl->opt.role ? ctl->opt.role : "",
                ctl->opt.role ? "'" : "");
        else
            say(ctl, "several skills are called '%s': %s", name,
                which.data ? which.data : "");
    }
    text_free(&which);
    json_decref(skills);
    return status;
}
