/* SPDX-License-Identifier: MIT
 *
 * test_torture_live.c - edits, teams, grants and watches while memory runs out.
 *
 * Each function succeeds completely or reports an error.  A catalog for a grant never has
 * a tool that the grant excludes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop/loop.h"
#include "profile/profile.h"
#include "support/catalog.h"
#include "torture/torture.h"

static const char before[] = "version: 1\nservers:\n  web:\n    # c\n    command: x\n";
static const char after[] =
    "version: 1\nservers:\n  web:\n    enabled: false\n    # c\n    command: x\n";

static int
edit(void)
{
    mcphost_error *error = NULL;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, 4096);
    r = mcph_config_set_enabled(before, strlen(before), "f", "web", false, &text, &error);
    torture_must((r < 0) == (error != NULL));
    torture_must(r == 1 ? text.len == strlen(after) && !memcmp(text.data, after, text.len)
                        : text.len == 0);
    mcphost_error_unref(error);
    mcph_buf_done(&text);
    return r < 0 ? r : 0;
}

static int
edit_refused(void)
{
    static const char alias[] = "x: &w {command: x}\nservers: {web: *w}\n";
    mcphost_error *error = NULL;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, 4096);
    r = mcph_config_set_enabled(alias, strlen(alias), "f", "web", false, &text, &error);
    torture_must(r < 0 && error != NULL && text.len == 0);
    mcphost_error_unref(error);
    mcph_buf_done(&text);
    return r == MCPHOST_E_CONFIG ? 0 : r;
}

static char file_name[64], team_file[64];

static int
read_team(void)
{
    struct mcph_team_source *source = NULL;
    struct mcph_team *team = NULL;
    mcphost_error *error = NULL;
    int r;

    r = mcph_team_source_new(team_file, "/ws", &source, &error);
    if (r == 0) {
        r = source->read(source, &team, &error);
        source->free(source);
    }
    torture_must((r < 0) == (error != NULL) && (r == 0) == (team != NULL));
    if (team) {
        const struct mcph_team_member *ann = mcph_team_find(team, "ann");

        torture_must(team->members.n == 3 && team->report->diags.n == 2);
        torture_must(ann && ann->grant->lists[MCPH_GRANT_TOOLSETS].n == 2 &&
                     ann->grant->lists[MCPH_GRANT_TOOLS].n == 1);
    }
    mcphost_error_unref(error);
    mcph_team_unref(team);
    return r;
}

static mcphost_catalog *base;

static int
grant(void)
{
    struct mcphost_grant *given = mcph_grant_new();
    mcphost_catalog *mine = NULL;
    mcphost_error *error = NULL;
    int r = given ? 0 : MCPHOST_E_NOMEM;

    if (r == 0)
        r = mcph_grant_add(given, MCPH_GRANT_TOOLSETS, "web", 0, 0);
    if (r == 0)
        r = mcph_grant_add(given, MCPH_GRANT_TOOLSETS, "none", 0, 0);
    if (r == 0)
        r = mcph_grant_add(given, MCPH_GRANT_TOOLS, "run", 0, 0);
    if (r == 0)
        r = mcph_grant_add(given, MCPH_GRANT_TOOLS, "!get", 0, 0);
    if (r == 0) {
        r = mcph_catalog_new_granted(1, base, given, NULL, &mine, &error);
        torture_must((r < 0) == (error != NULL) && (r == 0) == (mine != NULL));
    }
    if (mine) {
        torture_must(mine->n_tools == 2 && mine->n_missing == 1);
        torture_must(!mcph_catalog_find(mine, "get", 3));
    }
    mcphost_error_unref(error);
    mcph_catalog_unref(mine);
    mcph_grant_unref(given);
    return r;
}

static void
nothing(struct mcph_watch *watch, void *arg)
{
    (void)watch;
    (void)arg;
}

static int
watch(void)
{
    struct mcph_watch_options options = {true, 1500, 200};
    struct mcph_watcher *watcher = NULL;
    struct mcph_watch *file = NULL;
    struct mcph_core *core = NULL;
    mcphost_error *error = NULL;
    int r;

    r = mcph_core_new(&core, &error);
    if (r == 0)
        r = mcph_watcher_new(core, &options, &watcher, &error);
    if (r == 0)
        r = mcph_watch_new(watcher, "/tmp/.minds/mcp.yaml", nothing, NULL, &file, &error);
    torture_must((r < 0) == (error != NULL));
    if (file)
        torture_must(!mcph_watch_check(file));
    mcphost_error_unref(error);
    mcph_watch_free(file);
    mcph_watcher_free(watcher);
    mcph_core_unref(core);
    return r;
}

static int
replace(void)
{
    mcphost_error *error = NULL;
    int r = mcph_file_replace(file_name, "new", 3, NULL, NULL, &error);

    torture_must((r < 0) == (error != NULL));
    mcphost_error_unref(error);
    return r;
}

static void
up(void)
{
    static const char text[] = "members:\n  ann: {toolsets: ['*', '!os'], tools: [run]}\n"
                               "  bob: {toolsets: [1]}\n  eve: {toolset: [a]}\n";
    int fd;

    base = catrig_catalog(catrig_builtin("os", "run"),
                          catrig_server_named("web", "get put"), NULL);
    snprintf(file_name, sizeof(file_name), "/tmp/mcphost-live-XXXXXX");
    fd = mkstemp(file_name);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(team_file, sizeof(team_file), "/tmp/mcphost-team-XXXXXX");
    fd = mkstemp(team_file);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void
down(void)
{
    base = mcph_catalog_unref(base);
    ck_assert_int_eq(unlink(file_name), 0);
    ck_assert_int_eq(unlink(team_file), 0);
}

static const struct {
    int (*run)(void);
    long least;
} scenarios[] = {
    {edit, 40},  {edit_refused, 20}, {read_team, 30},
    {grant, 12}, {watch, 5},         {replace, 1},
};

START_TEST(
    edits_teams_grants_and_watches_are_complete_or_fail_with_e_nomem) /* R83 R89 B.14 */
{
    torture_run(
        &(struct torture){.run = scenarios[_i / 2].run, .least = scenarios[_i / 2].least},
        _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "live");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc,
                        edits_teams_grants_and_watches_are_complete_or_fail_with_e_nomem,
                        0, 2 * (int)MCPH_ARRAY_SIZE(scenarios));
}

int
main(void)
{
    return torture_main("torture-live", add);
}
