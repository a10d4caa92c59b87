/* SPDX-License-Identifier: MIT
 *
 * test_ctl_shells.c - the completions of mcphostctl in real shells.
 *
 * The test types into a bash and a zsh on a terminal.  The completed word must reach the
 * command exactly as the server offers it.  The shell must not run any part of the word.
 *
 * The shells use the completion of mcphostctl for the shell function `show`.  `show`
 * writes the number of its words and the last word to a file.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/ctlrun.h"
#include "support/hostile.h"
#include "support/runner.h"
#include "support/terminal.h"

enum { PATIENCE_MS = 20000 };

#define SHOW                                                                       \
    "show() { printf '%s:%s' \"$#\" \"${@: -1}\" >shown; printf 'SHO''WN\\n'; }\n" \
    "printf 'REA''DY\\n'\n"

static const struct shell {
    const char *path;
    const char *arguments[4];
    const char *set_up; /* a format; %s is the directory of completions */
} shells[] = {
    {"/bin/bash",
     {"--norc", "--noprofile", "-i"},
     "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'\n"
     ". %s/mcphostctl.bash; complete -F _mcphostctl show\n"},
    /* The settings of bash-completion: no completion of host names, and no word break at
     * ':' and '='. */
    {"/bin/bash",
     {"--norc", "--noprofile", "-i"},
     "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'\n"
     "shopt -u hostcomplete; COMP_WORDBREAKS=${COMP_WORDBREAKS//[:=]/}\n"
     ". %s/mcphostctl.bash; complete -F _mcphostctl show\n"},
    {"/bin/zsh",
     {"-f", "-i"},
     "fpath=(%s $fpath); autoload -Uz compinit; compinit -u -d dump\n"
     "compdef _mcphostctl show; bindkey -e; unsetopt beep promptsp\n"},
};

static struct ctl_place place;
static struct terminal terminal;
static size_t used; /* bytes of terminal.seen up to the last match */

/* ---- a shell ----------------------------------------------------------------------- */

static void
wait_for(const char *what)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENCE_MS;
    char *at;

    for (;;) {
        at = terminal.seen ? strstr(terminal.seen + used, what) : NULL;
        if (at)
            break;
        ck_assert_msg(mcph_clock_monotonic_ms() < until, "in vain for %s: %s", what,
                      terminal.seen ? terminal.seen + used : "nothing");
        ck_assert(terminal_take(&terminal, 100));
    }
    used = (size_t)(at - terminal.seen) + strlen(what);
}

static void
shell_up(const struct shell *shell)
{
    static char path[4096], cache[1024], home[1024];
    char program[64], text[8192], where[4096];
    char *argv[6] = {program};
    char *environment[] = {
        path, cache, home, "TERM=xterm", "LC_ALL=C.UTF-8", "MCPHOSTCTL_COMPLETE=start",
        NULL};

    snprintf(program, sizeof(program), "%s", shell->path);
    for (int i = 0; shell->arguments[i]; i++)
        argv[i + 1] = (char *)shell->arguments[i];
    snprintf(path, sizeof(path), "PATH=%s:/usr/bin:/bin", test_bindir());
    snprintf(cache, sizeof(cache), "XDG_CACHE_HOME=%s/cache", place.ws.dir);
    snprintf(home, sizeof(home), "HOME=%s", place.ws.dir);
    used = 0;
    terminal_up(&terminal, 60, 200, place.ws.dir, argv, environment);
    snprintf(where, sizeof(where), "%s/completions", test_srcdir());
    snprintf(text, sizeof(text), shell->set_up, where);
    terminal_type(&terminal, text);
    terminal_type(&terminal, SHOW);
    wait_for("READY");
}

static void
shell_down(void)
{
    int status;

    kill(terminal.pid, SIGKILL);
    ck_assert_int_eq(waitpid(terminal.pid, &status, 0), terminal.pid);
    terminal_down(&terminal);
}

/* Types `show`, these words, a tab and a return.  Returns the text that `show` wrote. */
static char *
shown(const char *typed)
{
    terminal_type(&terminal, "show ");
    terminal_type(&terminal, typed);
    terminal_type(&terminal, "\t\n");
    wait_for("SHOWN");
    return rig_workspace_read(&place.ws, "shown");
}

static void
shows(const char *typed, const char *expected)
{
    char *got = shown(typed);

    ck_assert_msg(strcmp(got, expected) == 0, "%s<Tab> gave %s, not %s", typed, got,
                  expected);
    free(got);
}

static void
up(void)
{
    struct ctl_run run;

    ctl_place_up(&place);
    hostile_up(&place);
    /* Cache the names, so that no completion depends on how fast a server starts. */
    ctl_run(&run, &place, "tools", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
}

/* Checks that the shell has run no name as a command.  Waits for the end of completions,
 * because a completion ends its servers after it has answered. */
static void
end(void)
{
    ck_assert_int_ne(access(rig_workspace_path(&place.ws, "pwned"), F_OK), 0);
    rig_reap_adopted(PATIENCE_MS);
    ctl_place_down(&place);
}

static void
down(void)
{
    shell_down();
    end();
}

/* ---- lines that are typed ---------------------------------------------------------- */

/* Each `typed` is the beginning of `name`, written with shell quotes.  No other name
 * begins in this way. */
static const struct {
    const char *typed, *name;
} beginnings[] = {
    {"\\$\\(", "$(touch pwned)"},
    {"\\`", "`touch pwned`"},
    {"\\;", "; touch pwned"},
    {"\\&", "& touch pwned &"},
    {"\\|", "| touch pwned"},
    {"\\>", "> pwned"},
    {"two", "two words"},
    {"two\\ w", "two words"},
    {"quo", "quo\"te"},
    {"apo", "apo'strophe"},
    {"both", "both\"of'them"},
    {"back", "back\\slash"},
    {"a:b", "a:b:c"},
    {"a@", "a@b"},
    {"excl", "excl!am"},
    {"star", "star*[a]?"},
    {"~", "~tilde"},
    {"\\$H", "$HOME and ${HOME}"},
    {"#", "#hash"},
    {"\\{", "{a,b}"},
    {"^", "^caret^"},
    {"\\(", "(paren)"},
    {"\xc3\xa4", "\xc3\xa4\xc3\xb6"},
    {"-", "-dash"},
    {"trailing", "trailing\\"},
};

START_TEST(hostile_names_reach_the_command_unchanged)
{
    shell_up(&shells[_i]);
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        char typed[256], expected[256];

        snprintf(typed, sizeof(typed), "read f:%s", beginnings[i].typed);
        snprintf(expected, sizeof(expected), "2:f:%s", beginnings[i].name);
        shows(typed, expected);
    }
}
END_TEST

START_TEST(hostile_names_are_completed_inside_open_quotes)
{
    shell_up(&shells[_i]);
    shows("read \"f:two", "2:f:two words");
    shows("read 'f:two", "2:f:two words");
    shows("read \"f:quo", "2:f:quo\"te");
    shows("read 'f:quo", "2:f:quo\"te");
    shows("read \"f:apo", "2:f:apo'strophe");
    shows("read 'f:apo", "2:f:apo'strophe");
    shows("read \"f:both", "2:f:both\"of'them");
    shows("read 'f:both", "2:f:both\"of'them");
    shows("read \"f:excl", "2:f:excl!am");
    shows("read 'f:$(", "2:f:$(touch pwned)");
    shows("read 'f:`", "2:f:`touch pwned`");
    shows("read 'f:$H", "2:f:$HOME and ${HOME}");
    shows("read 'f:'two", "2:f:two words");
    shows("read f:\"two", "2:f:two words");
    shows("read f:t\"wo\"", "2:f:two words");
    shows("read \"f\":a:", "2:f:a:b:c");
    shows("read f\\:a:", "2:f:a:b:c");
}
END_TEST

START_TEST(each_kind_of_word_is_completed)
{
    shell_up(&shells[_i]);
    shows("serv", "1:serve");
    shows("--era=le", "1:--era=legacy");
    shows("--era le", "2:legacy");
    shows("tools --col", "2:--color=");
    shows("server ", "2:s");
    shows("read --server=", "2:--server=s");
    shows("read file:///p", "2:file:///plain");
    shows("read file:", "2:file:///plain");
    shows("call use col", "3:color=");
    shows("call use color=l", "3:color=light blue");
    shows("call use two", "3:two words=");
    shows("prompt ask wh", "3:what=");
    shows("complete --template ", "3:row:{n}{?rev}");
    shows("complete --template 'row:{n}{?rev}' re", "4:rev=");
    shows("schema ch", "2:check");
}
END_TEST

START_TEST(files_and_directories_are_completed)
{
    rig_workspace_write(&place.ws, "a file.json", "{}");
    shell_up(&shells[_i]);
    shows("diff a", "2:a file.json");
    shows("--config a", "2:a file.json");
    shows("--config=a", "1:--config=a file.json");
    shows("call use @a", "3:@a file.json");
    shows("--source x=a", "2:x=a file.json");
    shows("--source=x=a", "1:--source=x=a file.json");
    shows("servers 2>a", "1:servers");
    ck_assert_int_ne(access(rig_workspace_path(&place.ws, "a"), F_OK), 0);
}
END_TEST

/* A second tab shows the list of candidates. */
START_TEST(the_list_of_candidates_has_no_control_characters)
{
    shell_up(&shells[_i]);
    terminal_type(&terminal, "show read f:\t\t");
    wait_for("trailing");
    ck_assert_ptr_null(strstr(terminal.seen, "never"));
}
END_TEST

START_TEST(replies_of_bash_evaluate_to_the_offered_words)
{
    static const char *const lines[] = {"mcphostctl read ", "mcphostctl read f:",
                                        "mcphostctl read \"f:", "mcphostctl read 'f:"};
    char command[16384], *out;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        int status;

        /* Pass the line in the environment, because the line has quotes of both kinds. */
        ck_assert_int_eq(setenv("LINE", lines[i], 1), 0);
        snprintf(command, sizeof(command),
                 "cd '%s' && XDG_CACHE_HOME=$PWD/cache MCPHOSTCTL_COMPLETE=start "
                 "PATH='%s':$PATH LC_ALL=C.UTF-8 "
                 "'%s/tests/system/ctl_completion.bash' "
                 "'%s/completions/mcphostctl.bash' \"$LINE\" >words",
                 place.ws.dir, test_bindir(), test_srcdir(), test_srcdir());
        status = system(command);
        ck_assert_int_eq(status, 0);
        out = rig_workspace_read(&place.ws, "words");
        for (size_t n = 0; hostile_names[n]; n++) {
            char word[256];
            char *first;

            snprintf(word, sizeof(word), "f:%s\n", hostile_names[n]);
            first = strstr(out, word);
            ck_assert_msg(first && strstr(first + 1, word), "%s: %s: %s", lines[i], word,
                          out);
        }
        ck_assert_ptr_null(strstr(out, "never"));
        free(out);
    }
}
END_TEST

/* Returns the number of shells to test.  Leaves zsh out if zsh is not installed, unless
 * MCPHOST_NEED_ZSH is set. */
static int
count_shells(void)
{
    int n = (int)(sizeof(shells) / sizeof(shells[0]));

    if (access(shells[n - 1].path, X_OK) == 0 || getenv("MCPHOST_NEED_ZSH"))
        return n;
    printf("test_ctl_shells: zsh is not installed: its completion is not tried\n");
    return n - 1;
}

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "terminal"), *plain = test_case(suite, "replies");
    int n = count_shells();

    tcase_add_checked_fixture(plain, up, end);
    tcase_set_timeout(plain, 60);
    tcase_add_test(plain, replies_of_bash_evaluate_to_the_offered_words);
    if (!terminal_is_possible("test_ctl_shells"))
        return;
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, hostile_names_reach_the_command_unchanged, 0, n);
    tcase_add_loop_test(tc, hostile_names_are_completed_inside_open_quotes, 0, n);
    tcase_add_loop_test(tc, each_kind_of_word_is_completed, 0, n);
    tcase_add_loop_test(tc, files_and_directories_are_completed, 0, n);
    tcase_add_loop_test(tc, the_list_of_candidates_has_no_control_characters, 0, n);
}

int
main(void)
{
    return test_main("ctl-shells", add);
}
