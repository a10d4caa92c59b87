/* SPDX-License-Identifier: MIT
 *
 * skills.c - the skills of servers: a list, and the text of one.
 */
#include <string.h>

#include "ctl.h"
#include "term.h"

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

/* A skill of a server has no role, and is not switched off one by one. */
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

static int
print_list(struct ctl *ctl, const mcphost_catalog *catalog)
{
    static const char *const heads[] = {"SOURCE", "NAME",        "SERVER",
                                        "URI",    "DESCRIPTION", NULL};
    struct table *table = table_of_sources(ctl, heads);
    size_t n = mcphost_catalog_count_skills(catalog);

    for (size_t i = 0; i < n; i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);
        size_t len = 0;
        const char *s;

        if (!is_wanted(ctl, skill))
            continue;
        table_add_source(ctl, table, mcphost_skill_get_source_id(skill));
        table_add(table, COLOR_BOLD, mcphost_skill_get_name(skill, NULL));
        table_add(table, COLOR_PLAIN, mcphost_skill_get_server_id(skill));
        table_add(table, COLOR_PLAIN, mcphost_skill_get_uri(skill));
        s = mcphost_skill_get_description(skill, &len);
        table_add_text(table, COLOR_PLAIN, s, len);
    }
    return print_cut_table(ctl, table);
}

void
rows_skills(struct text *t, const struct ctl *ctl, const mcphost_catalog *catalog)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);

        if (is_wanted(ctl, skill))
            put_skill(t, skill);
    }
    put_end(t, ']');
}

static int
list(struct ctl *ctl, const mcphost_catalog *catalog)
{
    int bad = ctl_servers_status(ctl, 1), status;
    struct text t = {0};

    if (ctl->opt.json) {
        rows_skills(&t, ctl, catalog);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        status = print_list(ctl, catalog);
    }
    return status ? status : bad;
}

/* ---- one skill --------------------------------------------------------------------- */

/* The only one that has this name or URI.  Returns 0 or, told, STATUS_USAGE. */
static int
find(struct ctl *ctl, const mcphost_catalog *catalog, const char *wanted,
     const mcphost_skill **ret)
{
    struct text which = {0};
    size_t n = 0;

    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++) {
        const mcphost_skill *skill = mcphost_catalog_get_skill(catalog, i);
        char room[NAME_SIZE];

        if (!is_wanted(ctl, skill) ||
            (strcmp(mcphost_skill_get_name(skill, NULL), wanted) != 0 &&
             strcmp(mcphost_skill_get_uri(skill), wanted) != 0))
            continue;
        *ret = skill;
        text_printf(&which, "%s'%s' of '%s'", n++ > 0 ? ", " : "",
                    mcphost_skill_get_uri(skill),
                    full_name(room, mcphost_skill_get_source_id(skill),
                              mcphost_skill_get_server_id(skill)));
    }
    if (n == 0)
        say(ctl, "no server lists a skill '%s'", wanted);
    else if (n > 1)
        say(ctl, "several skills are called '%s': %s", wanted,
            which.data ? which.data : "");
    text_free(&which);
    return n == 1 ? 0 : STATUS_USAGE;
}

static int
show(struct ctl *ctl, const mcphost_catalog *catalog, const char *wanted)
{
    const mcphost_skill *skill = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    char room[NAME_SIZE];
    const char *entry;
    size_t len = 0;
    int r, status = find(ctl, catalog, wanted, &skill);

    if (status)
        return status;
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

int
cmd_skills(struct ctl *ctl)
{
    char **args = ctl->opt.args;
    int shows = strcmp(args[0], "show") == 0, status;
    mcphost_catalog *catalog = NULL;

    if (!shows && strcmp(args[0], "list") != 0) {
        say(ctl, "skills lists or shows; '%s' is neither", args[0]);
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args != 1 + shows) {
        say(ctl, shows ? "skills show wants the name of a skill"
                       : "skills list takes no more words");
        return STATUS_USAGE;
    }
    if (ctl->opt.role && (shows || ctl->opt.server)) {
        say(ctl, "--role goes with skills list, and not with --server");
        return STATUS_USAGE;
    }
    status = ctl_start(ctl, &catalog);
    if (status == 0)
        status = offers_check_server(ctl, catalog);
    if (status == 0)
        status = shows ? show(ctl, catalog, args[1]) : list(ctl, catalog);
    mcphost_catalog_unref(catalog);
    return status;
}
