/* SPDX-License-Identifier: MIT
 *
 * test_ctl_escape.c - text from a server cannot control the terminal or imitate a line of
 * mcphostctl.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/hostrig.h"

static struct ctl_place place;
static struct ctl_run run;

/* NASTY contains ESC, a C1 control, DEL, bidirectional controls, line separators and a
 * tag character. */
#define NASTY "a\\u001b[31m\\u009b2J\\u007f\\u202e\\u2066\\u2028\\u2029\\udb40\\udc41z"

static const char *const bytes[] = {
    "\033",         "\xc2\x9b",     "\x7f",         "\xe2\x80\xae",
    "\xe2\x81\xa6", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xf3\xa0\x81\x81",
};

static void
up(void)
{
    ctl_place_up(&place);
    rig_workspace_write(
        &place.ws, "a.script", "%s",
        "no-tools\n"
        "tool-json {\"name\":\"text\",\"description\":\"" NASTY
        "\",\"inputSchema\":{\"type\":\"object\"}}\n"
        "tool link\n"
        "on call:text\n  result {\"content\":[{\"type\":\"text\",\"text\":\"" NASTY
        "\"}]}\n"
        "on call:link\n  result {\"content\":[{\"type\":\"resource_link\",\"name\":\"n\","
        "\"uri\":\"u:x\\nforged: line\",\"mimeType\":\"a/b\\nforged: type\"}]}\n");
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: stdio\n"
                       "    command: '%s'\n    args: ['%s/a.script']\n",
                       rig_fakeserver(), place.ws.dir);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static const char *const commands[][4] = {
    {"call", "text", NULL},
    {"call", "text", "--json", NULL},
    {"tools", NULL},
    {"tools", "--json", NULL},
    {"tool", "text", NULL},
    {"tool", "text", "--json"},
    {"-v", "call", "text", NULL},
};

START_TEST(without_raw_control_characters_from_a_server_are_not_printed)
{
    const char *const *c = commands[_i];

    ctl_run(&run, &place, c[0], c[1], c[1] ? c[2] : NULL, c[1] && c[2] ? c[3] : NULL,
            NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "a");
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        ck_assert_msg(!strstr(run.out, bytes[i]), "%zu: %s", i, run.out);
        ck_assert_msg(!strstr(run.err, bytes[i]), "%zu: %s", i, run.err);
    }
}
END_TEST

START_TEST(control_characters_in_text_are_printed_as_escapes)
{
    ctl_run(&run, &place, "call", "text", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "a\\x1b[31m\\x9b2J\\x7f\\u{202e}\\u{2066}\\u{2028}\\u{2029}"
                              "\\u{e0041}z\n");
}
END_TEST

/* --raw writes the result byte for byte if stdout is not a terminal. */
START_TEST(raw_changes_nothing_in_a_pipe)
{
    ctl_run(&run, &place, "call", "text", "--raw", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\"" NASTY "\"");
}
END_TEST

START_TEST(line_breaks_in_types_and_uris_become_blanks)
{
    ctl_run(&run, &place, "call", "link", NULL);
    ctl_status_is(&run, 0);
    ck_assert_str_eq(run.out, "[resource_link a/b forged: type u:x forged: line]\n");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "escape");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, without_raw_control_characters_from_a_server_are_not_printed,
                        0, (int)(sizeof(commands) / sizeof(commands[0])));
    tcase_add_test(tc, control_characters_in_text_are_printed_as_escapes);
    tcase_add_test(tc, raw_changes_nothing_in_a_pipe);
    tcase_add_test(tc, line_breaks_in_types_and_uris_become_blanks);
}

int
main(void)
{
    return test_main("ctl-escape", add);
}
