/* SPDX-License-Identifier: MIT
 *
 * test_torture_goclaw.c - servers and skills of a goclaw workspace while memory runs out.
 *
 * The library makes an edit completely or not at all.  No memory leaks.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"
#include "support/rig.h"
#include "torture/torture.h"

#include <mcphost/builtins.h>

#define FILE_TEXT                                                                     \
    "{\"version\":1,\"servers\":{\"a\":{\"enabled\":true,\"type\":\"stdio\","         \
    "\"command\":\"x\",\"args\":[\"1\"],\"env\":{\"B\":\"2\",\"A\":\"1\"},"           \
    "\"note\":[{}],\"timeoutSeconds\":3},\"b\":{\"enabled\":true,\"type\":\"http\","  \
    "\"url\":\"http://h/\",\"headers\":{\"H\":\"v\"},\"http_headers\":{\"I\":\"w\"}," \
    "\"bearer_token_env_var\":\"T\",\"enabled_tools\":[\"t\",\"u\"],"                 \
    "\"disabled_tools\":[\"u\"],\"tool_timeout_sec\":1},\"c\":{\"enabled\":true}}}"
#define FRONT "---\nname: other\ndescription: d\n---\n"
#define ENTRY \
    "{\"type\":\"sse\",\"url\":\"http://h/\",\"headers\":{\"B\":\"2\",\"A\":\"1\"}}"

static struct rig_workspace ws;

/* Replaces fsync() with a function that does nothing, because the test makes thousands of
 * edits. */
int
fsync(int fd)
{
    (void)fd;
    return 0;
}

static struct mcph_span
span(const char *text)
{
    return mcph_span(text, strlen(text));
}

static struct mcph_goclaw *
begin(void)
{
    struct mcph_goclaw *goclaw = NULL;
    mcphost_error *err = NULL;
    int r = mcph_goclaw_new(ws.dir, NULL, 0, &goclaw, &err);

    torture_must((r == 0) == (goclaw != NULL));
    (void)torture_told(r, err);
    return goclaw;
}

/* Checks whether .goclaw/mcp.json contains a text.  No allocation fails meanwhile. */
static bool
file_has(const char *text)
{
    char *now;
    bool has;

    failing_pause();
    now = rig_workspace_read(&ws, ".goclaw/mcp.json");
    has = strstr(now, text) != NULL;
    free(now);
    failing_resume();
    return has;
}

static void
restore(void)
{
    failing_pause();
    rig_workspace_write(&ws, ".goclaw/mcp.json", "%s", FILE_TEXT);
    failing_resume();
}

/* ---- the servers ------------------------------------------------------------------- */

static int
read_servers(void)
{
    struct mcph_config_reader *reader = NULL;
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    int r;

    r = mcph_goclaw_source_new(NULL, ws.dir, 0, &reader, &err);
    torture_must((r == 0) == (reader != NULL));
    if (!torture_told(r, err))
        return torture_code();
    err = NULL;
    r = reader->read(reader, &config, &err);
    torture_must((r == 0) == (config != NULL));
    if (torture_told(r, err)) {
        torture_must(config->servers.n == 3);
        torture_must(mcph_config_find(config, "b")->state == MCPHOST_CONFIG_SERVER_VALID);
        torture_must(mcph_config_find(config, "c")->state ==
                     MCPHOST_CONFIG_SERVER_INVALID);
    }
    mcph_config_unref(config);
    reader->free(reader);
    return torture_code();
}

static int
list_servers(void)
{
    struct mcph_goclaw *goclaw = begin();
    mcphost_error *err = NULL;
    struct mcph_buf rows;
    int r;

    if (!goclaw)
        return torture_code();
    mcph_buf_init(&rows, 65536);
    r = mcph_goclaw_list_servers(goclaw, &rows, &err);
    if (torture_told(r, err))
        torture_must(rows.len > 2 && rows.data[rows.len - 1] == ']');
    mcph_buf_done(&rows);
    mcph_goclaw_free(goclaw);
    return torture_code();
}

/* Makes goclaw's built-in tools and drops them.  If an allocation fails, the function
 * under test must return an error and make no tools. */
static int
make_tools(void)
{
    mcphost_builtins *tools = NULL;
    mcphost_error *err = NULL;
    int r = mcph_goclaw_builtins_new(ws.dir, NULL, 0, &tools, &err);

    torture_must((r == 0) == (tools != NULL));
    (void)torture_told(r, err);
    mcphost_builtins_unref(tools);
    return torture_code();
}

static int
write_servers(void)
{
    struct mcph_goclaw *goclaw;
    struct mcph_config_edit edit;
    mcphost_error *err = NULL;
    int r;

    restore();
    goclaw = begin();
    if (!goclaw)
        return torture_code();
    r = mcph_goclaw_put_server(goclaw, span("d"), span(ENTRY), &edit, &err);
    torture_must(file_has("\"d\"") == (r == 1));
    (void)torture_told(r < 0 ? r : 0, err);
    err = NULL;
    r = mcph_goclaw_enable_server(goclaw, span("a"), false, &edit, &err);
    torture_must(file_has("\"enabled\": false") == (r == 1));
    (void)torture_told(r < 0 ? r : 0, err);
    err = NULL;
    r = mcph_goclaw_delete_server(goclaw, span("b"), &edit, &err);
    torture_must(file_has("\"b\"") == (r != 1));
    (void)torture_told(r < 0 ? r : 0, err);
    mcph_goclaw_free(goclaw);
    return torture_code();
}

static int
refuse_entry(void)
{
    struct mcph_goclaw *goclaw = begin();
    mcphost_error *err = NULL;
    int r;

    if (!goclaw)
        return torture_code();
    r = mcph_goclaw_put_server(goclaw, span("d"), span("{\"type\":\"stdio\"}"), NULL,
                               &err);
    torture_must(r == MCPHOST_E_INVALID || r == MCPHOST_E_NOMEM);
    if (r == MCPHOST_E_INVALID) {
        mcphost_error_unref(err);
        r = 0;
        err = NULL;
    }
    (void)torture_told(r, err);
    mcph_goclaw_free(goclaw);
    return torture_code();
}

/* ---- the skills -------------------------------------------------------------------- */

static bool
is_there(const char *name)
{
    struct stat st;

    return stat(rig_workspace_path(&ws, name), &st) == 0;
}

static void
look_at_skills(struct mcph_goclaw *goclaw)
{
    struct mcph_goclaw_skills *skills = NULL;
    struct mcph_goclaw_skill *skill = NULL;
    mcphost_error *err = NULL;
    int r = mcph_goclaw_list_skills(goclaw, MCPH_SPAN_NONE, true, &skills, &err);

    torture_must((r == 0) == (skills != NULL));
    if (torture_told(r, err)) {
        const struct mcph_goclaw_skill *first = skills->items.items[0];

        torture_must(skills->items.n >= 1 && strcmp(first->description, "d") == 0);
        torture_must(strstr(first->warning, "'other'") != NULL);
    }
    mcph_goclaw_skills_free(skills);
    err = NULL;
    r = mcph_goclaw_get_skill(goclaw, span("main"), span("kept"), true, &skill, &err);
    torture_must((r == 0) == (skill != NULL));
    if (torture_told(r, err))
        torture_must(strcmp(skill->content, FRONT) == 0);
    mcph_goclaw_skill_free(skill);
}

static int
use_skills(void)
{
    struct mcph_goclaw *goclaw = begin();
    mcphost_error *err = NULL;
    int r;

    if (!goclaw)
        return torture_code();
    look_at_skills(goclaw);
    r = mcph_goclaw_put_skill(goclaw, MCPH_SPAN_NONE, span("new"), span("t"),
                              MCPH_GOCLAW_KEEP, true, &err);
    torture_must(r != 1 || is_there("skills/main/new/SKILL.md"));
    (void)torture_told(r < 0 ? r : 0, err);
    err = NULL;
    if (is_there("skills/main/new")) {
        r = mcph_goclaw_enable_skill(goclaw, MCPH_SPAN_NONE, span("new"), false, &err);
        torture_must((r == 1) == is_there("skills/main/new/.disabled"));
        (void)torture_told(r < 0 ? r : 0, err);
        err = NULL;
        r = mcph_goclaw_delete_skill(goclaw, MCPH_SPAN_NONE, span("new"), &err);
        torture_must(r < 0 || !is_there("skills/main/new"));
        (void)torture_told(r, err);
        err = NULL;
    }
    /* Remove the skill if a failure has left it. */
    failing_pause();
    if (is_there("skills/main/new"))
        (void)mcph_goclaw_delete_skill(goclaw, MCPH_SPAN_NONE, span("new"), NULL);
    failing_resume();
    mcph_goclaw_free(goclaw);
    return torture_code();
}

/* ---- a sub-agent ------------------------------------------------------------------- */

static int
load_sub(const char *workdir, const char *file, uint64_t flags)
{
    struct mcph_config_reader *reader = NULL;
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    int r = mcph_goclaw_subagent_new(ws.dir, workdir, file, flags, &reader, &err);

    torture_must((r == 0) == (reader != NULL));
    if (!torture_told(r, err))
        return torture_code();
    err = NULL;
    r = reader->read(reader, &config, &err);
    torture_must((r == 0) == (config != NULL));
    if (torture_told(r, err))
        torture_must(config->status == 0 && config->servers.n == 3);
    mcph_config_unref(config);
    reader->free(reader);
    return torture_code();
}

static int
load_named(void)
{
    return load_sub(NULL, ".goclaw/mcp.json", MCPHOST_GOCLAW_CONFINED);
}

static int
load_private(void)
{
    return load_sub(ws.dir, NULL, 0);
}

static int
load_shared(void)
{
    return load_sub("/nowhere/at/all", NULL, 0);
}

static int
show_skills(const char *workdir)
{
    mcphost_error *err = NULL;
    char *json = NULL;
    int r =
        mcph_goclaw_make_skills_json(ws.dir, workdir, NULL, NULL, 0, &json, NULL, &err);

    torture_must((r == 0) == (json != NULL));
    if (torture_told(r, err))
        torture_must(strstr(json, "\"description\":\"d\"") != NULL);
    free(json);
    return torture_code();
}

static int
show_shared_skills(void)
{
    return show_skills("/nowhere/at/all");
}

static int
show_private_skills(void)
{
    return show_skills(ws.dir);
}

/* ---- the tests --------------------------------------------------------------------- */

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw"), 0700), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "skills"), 0700), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "skills/main"), 0700), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "skills/main/kept"), 0700), 0);
    rig_workspace_write(&ws, "skills/main/kept/SKILL.md", "%s", FRONT);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw/skills"), 0700), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw/skills/own"), 0700), 0);
    rig_workspace_write(&ws, ".goclaw/skills/own/SKILL.md", "%s", FRONT);
    restore();
}

static void
down(void)
{
    rig_workspace_down(&ws);
}

START_TEST(servers_are_read_completely_or_fail_with_e_nomem) /* R190 */
{
    torture_run(&(struct torture){.run = read_servers, .least = 60}, _i);
}
END_TEST

START_TEST(servers_are_listed_completely_or_fail_with_e_nomem) /* R192 */
{
    torture_run(&(struct torture){.run = list_servers, .least = 20}, _i);
}
END_TEST

START_TEST(the_goclaw_tools_are_made_completely_or_fail_with_e_nomem) /* R213 */
{
    torture_run(&(struct torture){.run = make_tools, .least = 60}, _i);
}
END_TEST

START_TEST(
    if_allocations_fail_an_edit_is_made_completely_or_not_at_all) /* R193 R194 R195 */
{
    torture_run(&(struct torture){.run = write_servers, .least = 200}, _i);
}
END_TEST

START_TEST(a_bad_entry_is_refused_with_e_invalid_or_e_nomem) /* R193 */
{
    torture_run(&(struct torture){.run = refuse_entry, .least = 30}, _i);
}
END_TEST

START_TEST(skill_operations_succeed_completely_or_fail_with_e_nomem) /* R181-R185 */
{
    torture_run(&(struct torture){.run = use_skills, .least = 30}, _i);
}
END_TEST

static const struct torture subs[] = {
    {.run = load_named, .least = 60},          {.run = load_private, .least = 60},
    {.run = load_shared, .least = 60},         {.run = show_shared_skills, .least = 30},
    {.run = show_private_skills, .least = 30},
};

START_TEST(a_sub_agent_is_loaded_completely_or_fails_with_e_nomem) /* R203-R209 */
{
    torture_run(&subs[_i / 2], _i % 2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "goclaw");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, servers_are_read_completely_or_fail_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, servers_are_listed_completely_or_fail_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, the_goclaw_tools_are_made_completely_or_fail_with_e_nomem, 0,
                        2);
    tcase_add_loop_test(tc, if_allocations_fail_an_edit_is_made_completely_or_not_at_all,
                        0, 2);
    tcase_add_loop_test(tc, a_bad_entry_is_refused_with_e_invalid_or_e_nomem, 0, 2);
    tcase_add_loop_test(tc, skill_operations_succeed_completely_or_fail_with_e_nomem, 0,
                        2);
    tcase_add_loop_test(tc, a_sub_agent_is_loaded_completely_or_fails_with_e_nomem, 0,
                        2 * (int)MCPH_ARRAY_SIZE(subs));
}

int
main(void)
{
    return torture_main("torture-goclaw", add);
}
