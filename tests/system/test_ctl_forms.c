/* SPDX-License-Identifier: MIT
 *
 * test_ctl_forms.c - mcphostctl with the server files of other programs.
 *
 * mcphostctl recognizes the form of a file by the content of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
    rig_workspace_write(&place.ws, "mcp.json",
                        "{ // of another program\n\"mcpServers\": {\"x\": {\"command\": "
                        "\"%s\", \"args\": [\"-e\", \"tool ${NONE:-special}\"]}}}",
                        rig_fakeserver());
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

START_TEST(config_may_name_a_file_with_mcpservers) /* K8 */
{
    ctl_run(&run, &place, "check", "--config", "mcp.json", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
    ctl_run(&run, &place, "call", "--config", "mcp.json", "special", "text=hi", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hi");
}
END_TEST

START_TEST(a_source_may_be_a_file_with_mcpservers) /* K8 */
{
    ctl_run(&run, &place, "tools", "--source", "p=mcp.json", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "special");
    test_has(run.out, "desk");
}
END_TEST

START_TEST(a_file_with_mcpservers_may_name_the_transport_sse)
{
    rig_workspace_write(&place.ws, "sse.json",
                        "{\"mcpServers\": {\"x\": {\"type\": \"sse\", \"url\": "
                        "\"http://127.0.0.1:1/\"}}}");
    ctl_run(&run, &place, "servers", "--config", "sse.json", NULL);
    test_has(run.out, "cannot connect");
    test_has(run.out, "sse");
}
END_TEST

START_TEST(json_without_mcpservers_is_read_as_yaml)
{
    rig_workspace_write(
        &place.ws, "yaml.json",
        "{\"version\": 1, \"servers\": {\"y\": {\"transport\": \"stdio\", "
        "\"command\": \"%s\", \"transform\": []}}}",
        rig_fakeserver());
    ctl_run(&run, &place, "tools", "--config", "yaml.json", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "echo");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "forms");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, config_may_name_a_file_with_mcpservers);
    tcase_add_test(tc, a_source_may_be_a_file_with_mcpservers);
    tcase_add_test(tc, a_file_with_mcpservers_may_name_the_transport_sse);
    tcase_add_test(tc, json_without_mcpservers_is_read_as_yaml);
}

int
main(void)
{
    return test_main("ctl-forms", add);
}
