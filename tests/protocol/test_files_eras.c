/* SPDX-License-Identifier: MIT
 *
 * test_files_eras.c - the provider `files` over a connection, for clients of either era
 * (R156, R157, R173).
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "servrig.h"
#include "support/rig.h"
#include "support/runner.h"

#define ASK(id, method, params)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"

static struct rig_workspace ws;

static void
up(void)
{
    static const struct mcph_strings any;

    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "base"), 0700), 0);
    rig_workspace_write(&ws, "base/a.md", "# a");
    sv_up();
    ck_assert_int_eq(
        mcph_files_fill(sv.provider, rig_workspace_path(&ws, "base"), &any, 0, NULL), 0);
}

static void
down(void)
{
    sv_down();
    rig_workspace_down(&ws);
}

/* Starts a connection of this era.  Returns the members that the test must add to the
 * params of each request. */
static const char *
begin(int era)
{
    if (era == 0) {
        sv_legacy("2025-11-25", "{}");
        return "";
    }
    sv_start();
    return "," SV_META;
}

static bool
is_answer(const char *line, const char *part)
{
    return strstr(line, part) && !strstr(line, "\"error\"");
}

START_TEST(a_file_and_a_directory_are_read)
{
    const char *meta = begin(_i);

    sv_say(ASK("1", "resources/read", "\"uri\":\"file://a.md\"%s"), meta);
    ck_assert(is_answer(sv_next(), "\"contents\":[{\"uri\":\"file://a.md\","
                                   "\"mimeType\":\"text/markdown\",\"text\":\"# a\"}]"));
    sv_say(ASK("2", "resources/read", "\"uri\":\"dir://\"%s"), meta);
    ck_assert(is_answer(sv_next(), "\"text\":\"{\\\"current_directory\\\":\\\"/\\\","
                                   "\\\"files\\\":[{\\\"name\\\":\\\"a.md\\\","
                                   "\\\"uri\\\":\\\"file://a.md\\\"}],"
                                   "\\\"directories\\\":[]}\""));
    sv_say(ASK("3", "resources/templates/list", "\"x\":0%s"), meta);
    test_has(sv_next(), "\"uriTemplate\":\"file://{+path}\"");
}
END_TEST

/* R160: each era has its own code for a missing resource. */
START_TEST(refused_reads_have_the_error_codes_of_the_era)
{
    const char *meta = begin(_i);
    int not_found = _i == 0 ? -32002 : -32602;

    sv_say(ASK("1", "resources/read", "\"uri\":\"file://../a\"%s"), meta);
    sv_error("1", -32602);
    sv_say(ASK("2", "resources/read", "\"uri\":\"file:///etc/passwd\"%s"), meta);
    sv_error("2", -32602);
    sv_say(ASK("3", "resources/read", "\"uri\":\"file://none\"%s"), meta);
    sv_error("3", not_found);
    sv_say(ASK("4", "resources/read", "\"uri\":\"dir://none\"%s"), meta);
    sv_error("4", not_found);
}
END_TEST

static void
change(const char *text)
{
    rig_workspace_write(&ws, "base/a.md", "%s", text);
    sv_turn();
    sv_advance(1000);
    sv_turn();
}

/* R173 */
START_TEST(a_change_of_a_file_is_announced_only_while_it_is_subscribed_to)
{
    (void)begin(_i);
    if (_i == 0)
        sv_say(ASK("1", "resources/subscribe", "\"uri\":\"file://a.md\""));
    else
        sv_say(ASK("1", "subscriptions/listen",
                   "\"notifications\":{\"resourceSubscriptions\":[\"file://a.md\","
                   "\"file://../b\"]}," SV_META));
    /* The next message is the result (legacy) or the acknowledgment (modern). */
    test_has_not(sv_next(), "../b");
    change("# b");
    test_has(sv_next(), "\"method\":\"notifications/resources/updated\"");
    if (_i == 0) {
        sv_say(ASK("2", "resources/unsubscribe", "\"uri\":\"file://a.md\""));
        (void)sv_next();
    } else {
        sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
               "\"requestId\":1}}");
    }
    change("# c");
    sv_silence();
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "eras");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_file_and_a_directory_are_read, 0, 2);
    tcase_add_loop_test(tc, refused_reads_have_the_error_codes_of_the_era, 0, 2);
    tcase_add_loop_test(
        tc, a_change_of_a_file_is_announced_only_while_it_is_subscribed_to, 0, 2);
}

int
main(void)
{
    return test_main("files-eras", add_tests);
}
