/* SPDX-License-Identifier: MIT
 *
 * test_ctl_candidates.c - the words that `mcphostctl complete-line` offers to a shell,
 * their quoting, and the servers that the command starts.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "support/ctlrun.h"
#include "support/hostile.h"
#include "support/runner.h"

/* The default COMP_WORDBREAKS of bash. */
#define BREAKS " \t\n\"'@><=;|&(:"

static struct ctl_place place;
static struct ctl_run run;

static char start[] = "MCPHOSTCTL_COMPLETE=start";

static void
up(void)
{
    ctl_place_up(&place);
    place.variable = start;
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

/* Returns the candidates for the line "mcphostctl BEFORE|AFTER", where | is the
 * cursor. */
static const char *
ask(const char *shell, const char *before, const char *after, const char *breaks)
{
    char line[4096];

    ctl_run_free(&run);
    snprintf(line, sizeof(line), "mcphostctl %s", before);
    ctl_run(&run, &place, "complete-line", "--", shell, line, after, breaks, NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.err, "");
    return run.out;
}

static const char *
zsh(const char *before)
{
    return ask("zsh", before, "", NULL);
}

static const char *
bash(const char *before)
{
    return ask("bash", before, "", BREAKS);
}

static int
starts(void)
{
    return access(rig_workspace_path(&place.ws, "starts"), F_OK) == 0
               ? rig_workspace_count(&place.ws, "starts", "started")
               : 0;
}

/* ---- candidates for fixed lines ---------------------------------------------------- */

static const struct {
    const char *before, *offered;
} fixed[] = {
    {"dis", "w disable\n"},
    {"--era ", "w auto\nw legacy\nw modern\n"},
    {"--era=", "w auto\nw legacy\nw modern\n"},
    {"--transport s", "w streamable_http\nw sse\n"},
    {"--names=t", "w transforms\n"},
    {"--color=a", "w auto\nw always\n"},
    {"tools --col", "p --color=\n"},
    {"tools --js", "w --json\n"},
    {"tools --json --js", ""},
    {"tools --too", "w --toolset\n"},
    {"servers --too", ""},
    {"diff --sou", ""},
    {"skills ", "w list\nw show\nw enable\nw disable\n"},
    {"skills list ", ""},
    {"servers ", NULL},
    {"task w", "w wait\n"},
    {"schema ", "w check\n"},
    {"schema check ", "f \n"},
    {"schema check a b", "f \n"},
    {"diff ", "f \n"},
    {"--config ", "f \n"},
    {"--config=/x", "f \n"},
    {"-C ", "d \n"},
    {"-vC ", "d \n"},
    {"-C/e", "d -C\t/e\n"},
    {"--source x=", "f \n"},
    {"--source x", ""},
    {"call t @f", "f @\tf\n"},
    {"--dialog ", ""},
    {"--dialog --era=l", ""},
    {"--dia x --era=l", "w legacy\n"},
    {"-- --er", ""},
    {"nothing ", NULL},
    {"project --for mo", "w moonshot\n"},
    {"tools > ", "f \n"},
    {"tools 2>/dev/null --js", "w --json\n"},
    {"tools; mcphostctl dis", "w disable\n"},
    {"\\\n tools \\\n --js", "w --json\n"},
    {"server 'des", "w desk\n"},
    {"enable ", "w desk\nw board\n"},
    {"call $'a", ""},
    {"call $(mcphostctl ", ""},
    {"--server d", "w desk\n"},
    {"read --server d", "w desk\n"},
};

START_TEST(each_position_offers_only_the_words_that_fit)
{
    const char *offered = bash(fixed[_i].before);

    if (fixed[_i].offered)
        ck_assert_str_eq(offered, fixed[_i].offered);
    else
        test_has(offered, "w --json\n"); /* only options can follow */
}
END_TEST

START_TEST(commands_and_options_have_descriptions)
{
    test_has(zsh(""), "w check\tcheck the configuration, start nothing\n");
    test_has_not(run.out, "complete-line");
    test_has(zsh("tools --"), "w --json\tprint one JSON document instead of text\n");
    test_has(run.out, "w --toolset\t");
    test_has_not(run.out, "--prompt");
}
END_TEST

START_TEST(an_unknown_shell_is_a_usage_error)
{
    ctl_run(&run, &place, "complete-line", "--", "fish", "mcphostctl ", "", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "bash and zsh");
}
END_TEST

/* ---- servers ----------------------------------------------------------------------- */

START_TEST(completing_the_id_of_a_server_starts_no_server)
{
    hostile_up(&place);
    rig_workspace_write(&place.ws, "more.yaml",
                        "version: 1\nservers:\n  t:\n    transport: stdio\n"
                        "    command: /bin/true\n    enabled: false\n");
    ck_assert_str_eq(zsh("server "), "w s\tstdio, valid\n");
    ck_assert_str_eq(zsh("restart --source p=more.yaml "),
                     "w s\tstdio, valid\nw p:t\tstdio, disabled\n");
    ck_assert_str_eq(ask("bash", "enable p:", " --source p=more.yaml", BREAKS), "w t\n");
    ck_assert_str_eq(ask("bash", "enable p:", " --source p=more.yaml", ""), "w p:t\n");
    ck_assert_str_eq(zsh("--config more.yaml disable "), "w t\tstdio, disabled\n");
    ck_assert_int_eq(starts(), 0);
}
END_TEST

START_TEST(a_bad_configuration_gives_no_candidates_and_no_message)
{
    rig_workspace_yaml(&place.ws, "version: [");
    ck_assert_str_eq(zsh("server "), "");
    ck_assert_str_eq(zsh("call "), "");
    ck_assert_str_eq(zsh("-C no/such/place call "), "");
    ck_assert_str_eq(zsh("--stdio \"'\" call "), "");
    ck_assert_str_eq(zsh("--era modern call "), "");
}
END_TEST

START_TEST(options_on_both_sides_of_the_cursor_choose_the_servers)
{
    ck_assert_str_eq(ask("bash", "call desk_c", " to=3", BREAKS), "w desk_count\n");
    ck_assert_str_eq(bash("tools --toolset "), "w desk\nw board\n");
    ck_assert_str_eq(bash("call desk_count to=3 "), "p step_ms=\n");
    ck_assert_str_eq(bash("--names=server tool desk__"),
                     "w desk__desk_echo\nw desk__desk_count\nw desk__desk_tally\n"
                     "w desk__desk_picture\n");
    ck_assert_str_eq(
        ask("bash", "tool desk_c", " --config=$HOME/x -C /nonexistent", BREAKS), "");
}
END_TEST

START_TEST(arguments_values_prompts_and_templates_are_offered)
{
    hostile_up(&place);
    ck_assert_str_eq(bash("call use co"), "p color=\n");
    ck_assert_str_eq(bash("call use color="), "w red\nw light\\ blue\n");
    ck_assert_str_eq(bash("call use deep=t"), "w true\n");
    ck_assert_str_eq(bash("prompt a"), "w ask\n");
    ck_assert_str_eq(bash("prompt ask what=1 "), "p how=\n");
    ck_assert_str_eq(bash("complete --prompt "), "w ask\n");
    ck_assert_str_eq(bash("complete --prompt=ask w"), "p what=\n");
    ck_assert_str_eq(bash("complete --template "), "w row:\\{n\\}\\{\\?rev\\}\n");
    ck_assert_str_eq(bash("complete --template 'x:{a}{?bc}' "), "p a=\np bc=\n");
    ck_assert_str_eq(bash("read file:"), "w ///plain\n");
    ck_assert_str_eq(ask("bash", "subscribe f:one file:", "", " ="), "w file:///plain\n");
    ck_assert_str_eq(bash("read --server t f"), "");
}
END_TEST

/* ---- hostile names ----------------------------------------------------------------- */

START_TEST(names_with_control_characters_are_not_offered)
{
    hostile_up(&place);
    test_has(zsh("read "), "w f:two words\tx\n");
    test_has(run.out, "w f:$(touch pwned)\tx\n");
    test_has_not(run.out, "never");
    test_has(zsh("call "), "w use\ta\xef\xbf\xbd[2J b\n");
    test_has_not(run.out, "\033");
}
END_TEST

START_TEST(a_name_that_would_be_an_option_is_offered_behind_two_dashes)
{
    hostile_up(&place);
    test_has(zsh("tool "), "w use\t");
    test_has_not(run.out, "--json");
    test_has(zsh("tool -- "), "w --json\t");
    test_has_not(zsh("call use "), "-dash=");
    test_has(zsh("call -- use "), "p color=\t");
}
END_TEST

START_TEST(an_argument_that_a_pair_cannot_express_is_not_offered)
{
    hostile_up(&place);
    test_has(zsh("call use "), "p color=\t");
    test_has_not(run.out, "passwd");
    test_has_not(run.out, "a=b");
    test_has_not(run.out, "json:");
    test_has_not(run.out, "p {=");
}
END_TEST

START_TEST(candidates_are_quoted_to_fit_the_open_quotes)
{
    hostile_up(&place);
    test_has(bash("read f:$'\\\\''x"), "");
    test_has(bash("read "), "w f:\\$\\(touch\\ pwned\\)\n");
    test_has(bash("read \""), "w f:\\$(touch pwned)\n");
    test_has(run.out, "w f:quo\\\"te\n");
    test_has(run.out, "w f:excl\"\\!\"am\n");
    test_has(bash("read '"), "w f:$(touch pwned)\n");
    test_has(run.out, "w f:apo'\\''strophe\n");
    ck_assert_str_eq(bash("read 'f:quo"), "w f:quo\"te\n");
    ck_assert_str_eq(bash("read f\\:quo"), "w f:quo\\\"te\n");
    ck_assert_str_eq(bash("read \"f\":quo"), "w quo\\\"te\n");
    ck_assert_str_eq(bash("read f:a@"), "w @b\n");
}
END_TEST

/* ---- when servers are started ------------------------------------------------------ */

START_TEST(names_are_cached_until_the_configuration_changes)
{
    char *yaml, *kept;

    hostile_up(&place);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 1);
    test_has(zsh("read "), "w file:///plain\t");
    ck_assert_int_eq(starts(), 1);
    kept = rig_workspace_read(&place.ws, "cache/mcphost/names.json");
    ck_assert_ptr_null(strstr(kept, "fakeserver"));
    free(kept);
    yaml = rig_workspace_read(&place.ws, ".minds/mcp.yaml");
    rig_workspace_yaml(&place.ws, "%s    env: { A: b }\n", yaml);
    free(yaml);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 2);
}
END_TEST

START_TEST(a_command_that_starts_all_servers_caches_their_names)
{
    hostile_up(&place);
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 1);
}
END_TEST

/* By default, completion starts only servers that a command has started before, because
 * the completion key must not run programs in a directory that somebody else made. */
START_TEST(by_default_completion_starts_only_servers_that_a_command_started)
{
    char *names, *until;

    hostile_up(&place);
    place.variable = NULL;
    ck_assert_str_eq(zsh("tool "), "");
    ck_assert_int_eq(starts(), 0);
    ctl_run_free(&run);
    ctl_run(&run, &place, "tools", NULL);
    ck_assert_int_eq(starts(), 1);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 1);
    /* Completion reads the names again after their expiry time. */
    names = rig_workspace_read(&place.ws, "cache/mcphost/names.json");
    until = strstr(names, "\"until\":");
    ck_assert_ptr_nonnull(until);
    until += strlen("\"until\":");
    memset(until + 1, ' ', strspn(until, "0123456789") - 1);
    rig_workspace_write(&place.ws, "cache/mcphost/names.json", "%s", names);
    free(names);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 2);
}
END_TEST

START_TEST(with_complete_set_to_kept_no_server_is_started)
{
    char kept[] = "MCPHOSTCTL_COMPLETE=kept";

    hostile_up(&place);
    place.variable = kept;
    ck_assert_str_eq(zsh("tool "), "");
    ck_assert_int_eq(starts(), 0);
    ctl_run_free(&run);
    ctl_run(&run, &place, "tools", NULL);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 1);
}
END_TEST

START_TEST(a_broken_cache_of_names_is_replaced)
{
    static const char *const broken[] = {
        "",
        "{",
        "{\"format\":1,\"kept\":3}",
        "{\"format\":1,\"salt\":\"0\",\"kept\":[{}]}",
        "{\"format\":1,"
        "\"salt\":\"0000000000000000000000000000000000000000000000000000000000000000\","
        "\"kept\":[3,{\"key\":4},{\"key\":\"a\",\"until\":\"b\",\"names\":[]}]}",
    };

    hostile_up(&place);
    test_has(zsh("tool "), "w use\t");
    rig_workspace_write(&place.ws, "cache/mcphost/names.json", "%s", broken[_i]);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 2);
    test_has(zsh("tool "), "w use\t");
    ck_assert_int_eq(starts(), 2);
}
END_TEST

START_TEST(a_server_that_does_not_come_up_delays_completion_only_once)
{
    int64_t begin;

    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  deaf:\n    transport: stdio\n"
                       "    command: '%s'\n    args: [-e, 'on spawn', -e, ' hang']\n"
                       "  well:\n    transport: stdio\n    command: '%s'\n",
                       rig_fakeserver(), rig_fakeserver());
    begin = mcph_clock_monotonic_ms();
    test_has(zsh("--timeout 0.3 tool "), "w echo\t");
    ck_assert_int_lt(mcph_clock_monotonic_ms() - begin, 8000);
    /* Completion does not start the servers again.  mcphostctl keeps the names for a
     * minute, although the server `deaf` did not answer. */
    begin = mcph_clock_monotonic_ms();
    test_has(zsh("tool "), "w echo\t");
    ck_assert_int_lt(mcph_clock_monotonic_ms() - begin, 3000);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "candidates");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_position_offers_only_the_words_that_fit, 0,
                        (int)(sizeof(fixed) / sizeof(fixed[0])));
    tcase_add_test(tc, commands_and_options_have_descriptions);
    tcase_add_test(tc, an_unknown_shell_is_a_usage_error);
    tcase_add_test(tc, completing_the_id_of_a_server_starts_no_server);
    tcase_add_test(tc, a_bad_configuration_gives_no_candidates_and_no_message);
    tcase_add_test(tc, options_on_both_sides_of_the_cursor_choose_the_servers);
    tcase_add_test(tc, arguments_values_prompts_and_templates_are_offered);
    tcase_add_test(tc, names_with_control_characters_are_not_offered);
    tcase_add_test(tc, a_name_that_would_be_an_option_is_offered_behind_two_dashes);
    tcase_add_test(tc, an_argument_that_a_pair_cannot_express_is_not_offered);
    tcase_add_test(tc, candidates_are_quoted_to_fit_the_open_quotes);
    tcase_add_test(tc, names_are_cached_until_the_configuration_changes);
    tcase_add_test(tc, a_command_that_starts_all_servers_caches_their_names);
    tcase_add_test(tc, by_default_completion_starts_only_servers_that_a_command_started);
    tcase_add_test(tc, with_complete_set_to_kept_no_server_is_started);
    tcase_add_loop_test(tc, a_broken_cache_of_names_is_replaced, 0, 5);
    tcase_add_test(tc, a_server_that_does_not_come_up_delays_completion_only_once);
}

int
main(void)
{
    return test_main("ctl-candidates", add);
}
