/* SPDX-License-Identifier: MIT
 *
 * skills.c - the command `skills`: list, print, enable and disable skills.
 */
#include <string.h>

#include "ctl.h"
#include "term.h"
#include "workspace_skills.h"

static int
is_wanted(const struct ctl *ctl, const mcphost_skill *skill)
{
    char room[NAME_SIZE];

    if (ctl->opt.role)
        return 0; /* skills of servers have no role */
    return !ctl->opt.server ||
           strcmp(ctl->opt.server, full_name(room, mcphost_skill_get_source_id(skill),
                                             mcphost_skill_get_server_id(skill))) == 0;
}

/* ---- the list ---------------------------------------------------------------------- */

static void
put_text_of(struct text *t, const char *key,
            const char *(*get)(const mcphost_skill *skill, size_t *ret_len),
            const mcphost_skill *skill)
{
    size_t len = 0;
    const char *s = get(skill, &len);

    put_key(t, key);
    put_text(t, s, len);
}

/* Writes a skill of a server.  A server's skill has no role and is always enabled. */
static void
put_skill(struct text *t, const mcphost_skill *skill)
{
    put_begin(t, '{');
    put_text_of(t, "name", mcphost_skill_get_name, skill);
    put_key(t, "source");
    put_str(t, mcphost_skill_get_source_id(skill));
    put_key(t, "server");
    put_str(t, mcphost_skill_get_server_id(skill));
    put_key(t, "role");
    put_raw(t, NULL, 0);
    put_key(t, "uri");
    put_str(t, mcphost_skill_get_uri(skill));
    put_key(t, "enabled");
    put_flag(t, 1);
    put_text_of(t, "description", mcphost_skill_get_description, skill);
    put_end(t, '}');
}

/* Adds a skill of a server.  If there are workspaces, the table has columns for the role
 * and the state. */
static void
add_skill(struct ctl *ctl, struct table *table, const mcphost_skill *skill)
{
    size_t len = 0;
    const char *s;

    table_add_source(ctl, table, mcphost_skill_get_source_id(skill));
    table_add(table, COLOR_BOLD, mcphost_skill_get_name(skill, NULL));
    table_add(table, COLOR_PLAIN, mcphost_skill_get_server_id(skill));
    if (have_workspaces(ctl)) {
        table_add(table, COLOR_PLAIN, NULL);
        table_add(table, COLOR_PLAIN, "enabled");
    }
    table_add(table, COLOR_PLAIN, mcphost_skill_get_uri(skill));
    s = mcphost_skill_get_description(skill, &len);
    table_add_text(table, COLOR_PLAIN, s, len);
}

static void
add_workspace_skill(struct ctl *ctl, struct table *table, const json_t *skill)
{
    int enabled = json_is_true(json_object_get(skill, "enabled"));

    table_add_source(ctl, table, json_string_value(json_object_get(skill, "source")));
    table_add(table, COLOR_BOLD, json_string_value(json_object_get(skill, "name")));
    table_add(table, COLOR_PLAIN, NULL);
    table_add(table, COLOR_PLAIN, json_string_value(json_object_get(skill, "role")));
    table_add(table, enabled ? COLOR_PLAIN : COLOR_DIM, enabled ? "enabled" : "disabled");
    table_add(table, COLOR_PLAIN,
              json_string_value(json_object_get(skill, "skill_file")));
    table_add(table, COLOR_PLAIN,
              json_string_value(json_object_get(skill, "description")));
}

static int
print_list(struct ctl *ctl, const mcphost_catalog *catalog, const json_t *skills)
{
    static const char *const heads[] = {"SOURCE", "NAME",        "SERVER",
                                        "URI",    "DESCRIPTION", NULL};
    static const char *const more_heads[] = {"SOURCE", "NAME", "SERVER",      "ROLE",
                                             "STATE",  "URI",  "DESCRIPTION", NULL};
    struct table *table =
        table_of_sources(ctl, have_workspaces(ctl) ? more_heads : heads);
    const json_t *one;
    size_t i;

    for (i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);

        if (is_wanted(ctl, skill))
            add_skill(ctl, table, skill);
    }
    json_array_foreach(skills, i, one)
    {
        add_workspace_skill(ctl, table, one);
    }
    return print_cut_table(ctl, table);
}

static void
put_skills(struct text *t, const struct ctl *ctl, const mcphost_catalog *catalog)
{
    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);

        if (is_wanted(ctl, skill))
            put_skill(t, skill);
    }
}

void
rows_skills(struct text *t, const struct ctl *ctl, const mcphost_catalog *catalog)
{
    put_begin(t, '[');
    put_skills(t, ctl, catalog);
    put_end(t, ']');
}

static int
list(struct ctl *ctl, const mcphost_catalog *catalog, const json_t *skills)
{
    int bad = ctl_servers_status(ctl, 1), status;
    struct text t = {0};

    if (ctl->opt.json) {
        put_begin(&t, '[');
        put_skills(&t, ctl, catalog);
        workspace_skills_put(&t, skills);
        put_end(&t, ']');
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        status = print_list(ctl, catalog, skills);
    }
    return status ? status : bad;
}

/* ---- one skill --------------------------------------------------------------------- */

/* Finds the skills of servers that have this name or URI, and returns their number.  *ret
 * gets the last of these skills.  `which` gets a list of all these skills. */
static size_t
find_of_servers(struct ctl *ctl, const mcphost_catalog *catalog, const char *wanted,
                const mcphost_skill **ret, struct text *which)
{
    size_t n = 0;

    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);
        char room[NAME_SIZE];

        if (!is_wanted(ctl, skill) ||
            (strcmp(mcphost_skill_get_name(skill, NULL), wanted) != 0 &&
             strcmp(mcphost_skill_get_uri(skill), wanted) != 0))
            continue;
        *ret = skill;
        text_printf(which, "%s'%s' of '%s'", n++ > 0 ? ", " : "",
                    mcphost_skill_get_uri(skill),
                    full_name(room, mcphost_skill_get_source_id(skill),
                              mcphost_skill_get_server_id(skill)));
    }
    return n;
}

static int
show_of_server(struct ctl *ctl, const mcphost_skill *skill)
{
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    char room[NAME_SIZE];
    const char *entry;
    size_t len = 0;
    int r, status;

    entry = mcphost_skill_get_entry(skill, &len);
    r = call_dialog(ctl, &dialog, &err);
    if (r == 0)
        r = mcphost_call_new_read_skill(dialog,
                                        full_name(room,
                                                  mcphost_skill_get_source_id(skill),
                                                  mcphost_skill_get_server_id(skill)),
                                        entry ? entry : "", len, NULL, &call, &err);
    status = call_run_made(ctl, r, call, err, result_print);
    mcphost_dialog_unref(dialog);
    return status;
}

/* Prints the skill whose name or URI is `wanted`.  If no skill or more than one skill
 * fits, prints an error. */
static int
show_skill(struct ctl *ctl, const mcphost_catalog *catalog, const json_t *skills,
           const char *wanted)
{
    const mcphost_skill *skill = NULL;
    const json_t *found = NULL;
    struct text which = {0};
    int status = STATUS_USAGE;
    size_t n, of_servers;

    of_servers = find_of_servers(ctl, catalog, wanted, &skill, &which);
    n = of_servers + workspace_skills_find(skills, wanted, &found, &which);
    if (n > 1)
        say(ctl, "several skills are called '%s': %s", wanted,
            which.data ? which.data : "");
    else if (n == 0)
        say(ctl,
            have_workspaces(ctl) ? "no server lists a skill '%s', and no workspace has it"
                                 : "no server lists a skill '%s'",
            wanted);
    else
        status = found ? workspace_skill_show(ctl, found) : show_of_server(ctl, skill);
    text_free(&which);
    return status;
}

/* ---- the command ------------------------------------------------------------------- */

/* The actions, in the order of SKILLS_WORDS. */
enum { LIST, SHOW, ENABLE, DISABLE, NOTHING };

static int
action_of(const char *word)
{
    static const char *const words[] = {"list", "show", "enable", "disable"};
    int action = LIST;

    while (action < NOTHING && strcmp(words[action], word) != 0)
        action++;
    return action;
}

static int
check_words(struct ctl *ctl, int action)
{
    const char *word = ctl->opt.args[0];
    int has_role = action != SHOW || have_workspaces(ctl);

    if (action == NOTHING) {
        say(ctl, "'skills' needs list, show, enable or disable, not '%s'", word);
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args != 1 + (action != LIST)) {
        say(ctl,
            action == LIST ? "'skills %s' takes no more arguments"
                           : "'skills %s' needs the name of a skill",
            word);
        return STATUS_USAGE;
    }
    if (ctl->opt.role && (!has_role || ctl->opt.server)) {
        say(ctl,
            "--role is for skills of workspaces, and cannot be combined with --server");
        return STATUS_USAGE;
    }
    if (ctl->opt.server && action >= ENABLE) {
        say(ctl, "a skill of a server cannot be enabled or disabled");
        return STATUS_USAGE;
    }
    return 0;
}

/* Lists skills or prints one skill.  With --server, skills of workspaces are left out. */
static int
read_skills(struct ctl *ctl, int action)
{
    mcphost_catalog *catalog = NULL;
    json_t *skills = NULL;
    int status = ctl_start(ctl, &catalog);

    if (status == 0)
        status = offers_check_server(ctl, catalog);
    if (status == 0 && !ctl->opt.server)
        status = workspace_skills_read(ctl, ctl->opt.role, &skills);
    if (status == 0)
        status = action == SHOW ? show_skill(ctl, catalog, skills, ctl->opt.args[1])
                                : list(ctl, catalog, skills);
    json_decref(skills);
    mcphost_catalog_unref(catalog);
    return status;
}

int
cmd_skills(struct ctl *ctl)
{
    int action = action_of(ctl->opt.args[0]);
    int status = check_words(ctl, action);

    if (status)
        return status;
    if (action == ENABLE || action == DISABLE)
        return workspace_skill_set_enabled(ctl, ctl->opt.args[1], action == ENABLE);
    return read_skills(ctl, action);
}
