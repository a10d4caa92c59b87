/* SPDX-License-Identifier: MIT
 *
 * test_config_compare.c - the keys in which two editions of a server's configuration
 * differ, and editing `enabled` in a file.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/conf.h"
#include "support/runner.h"

static char keys[256];

static int
compare(const char *from, const char *to)
{
    mcphost_config *a = conf_load_server(from), *b = conf_load_server(to);
    int r;

    memset(keys, 'x', sizeof(keys));
    r = mcphost_config_server_compare(a, b, "x", keys, sizeof(keys));
    mcphost_config_unref(a);
    mcphost_config_unref(b);
    return r;
}

#define STDIO "transport: stdio\ncommand: c\nargs: [a]\nenv: {A: '1', B: '2'}\n"
#define HTTP  "transport: streamable_http\nurl: 'http://h/p'\nheaders: {X: v}\n"

static const struct {
    const char *from, *to, *keys;
    int change;
} edits[] = {
    {STDIO, STDIO, "", MCPHOST_CONFIG_CHANGE_NONE},
    {STDIO, "env: {B: '2', A: '1'}\nargs: [a]\ncommand: c\ntransport: stdio\n", "",
     MCPHOST_CONFIG_CHANGE_NONE},
    {STDIO, "transport: stdio\ncommand: d\nargs: [a]\nenv: {A: '1', B: '2'}\n", "command",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
    {STDIO, "transport: stdio\ncommand: c\nargs: [b]\nenv: {A: '3', C: '2'}\n",
     "args, env.A, env.B, env.C", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {STDIO, "transport: stdio\ncommand: c\nargs: [a, a]\nenv: {A: {env: Q}, B: '2'}\n",
     "args, env.A", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {STDIO, STDIO "cwd: /tmp\nera: legacy\n", "cwd, era", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {STDIO, STDIO "containment: tree\n", "containment", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {STDIO, STDIO "tools: {whitelist: [a], blacklist: [b]}\n",
     "tools.whitelist, tools.blacklist", MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO "tools: {whitelist: [a]}\n", STDIO "tools: {whitelist: [b]}\n",
     "tools.whitelist", MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO "transform: [{prefix: a}]\n", STDIO "transform: [{suffix: a}]\n", "transform",
     MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO "transform: [{prefix: a}]\n", STDIO "transform: [{prefix: b}]\n", "transform",
     MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO, STDIO "truely-stateless: true\ntimeouts: {start: 1, list: 2, call: 3}\n",
     "truely-stateless, timeouts.start, timeouts.list, timeouts.call",
     MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO, STDIO "arguments: full\nresults: report\n", "arguments, results",
     MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO, STDIO "cwd: /tmp\ntransform: [{prefix: a}]\n", "cwd, transform",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP, "transport: streamable_http\nurl: 'http://h/q'\nheaders: {X: w, X-Y: x}\n",
     "url, headers.X, headers.X-Y", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP, HTTP "sessionId: s\n", "sessionId", MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP,
     HTTP "proxy: none\npublicOnly: true\ntimeouts: {connect: 1, idle: 1}\n"
          "tls: {caFile: a, caDir: b, clientCert: c, clientKey: d, keyPassword: e}\n",
     "proxy, tls.caFile, tls.caDir, tls.clientCert, tls.clientKey, tls.keyPassword, "
     "publicOnly, timeouts.connect, timeouts.idle",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP "proxy: 'http://u:one@p:1'\n", HTTP "proxy: 'http://u:two@p:1'\n", "proxy",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP "tls: {clientCert: c, keyPassword: {env: A}}\n",
     HTTP "tls: {clientCert: c, keyPassword: {env: B}}\n", "tls.keyPassword",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
    {HTTP, HTTP "callsInFlight: 2\n", "callsInFlight", MCPHOST_CONFIG_CHANGE_VIEW},
    {HTTP, HTTP "manual: m\n", "manual", MCPHOST_CONFIG_CHANGE_VIEW},
    {STDIO, HTTP, "transport, command, args, env.A, env.B, url, headers.X",
     MCPHOST_CONFIG_CHANGE_LAUNCH},
};
enum { N_EDITS = sizeof(edits) / sizeof(edits[0]) };

START_TEST(an_edit_gives_its_changed_keys_and_its_kind) /* R99 */
{
    ck_assert_int_eq(compare(edits[_i].from, edits[_i].to), edits[_i].change);
    ck_assert_str_eq(keys, edits[_i].keys);
}
END_TEST

START_TEST(keys_that_do_not_fit_are_left_out_whole)
{
    mcphost_config *a = conf_load_server(STDIO);
    mcphost_config *b =
        conf_load_server("transport: stdio\ncommand: d\nargs: [b]\nenv: {A: '3'}\n");
    static const char *const fit[] = {
        [4] = "...",
        [12] = "...",
        [13] = "command, ...",
        [19] = "command, args, ...",
        [22] = "command, args, ...",
        [26] = "command, args, env.A, ...",
        [28] = "command, args, env.A, env.B",
    };

    for (size_t size = 4; size < sizeof(fit) / sizeof(fit[0]); size++) {
        char *exact = malloc(size);

        ck_assert_ptr_nonnull(exact);
        ck_assert_int_eq(mcphost_config_server_compare(a, b, "x", exact, size),
                         MCPHOST_CONFIG_CHANGE_LAUNCH);
        if (fit[size])
            ck_assert_str_eq(exact, fit[size]);
        free(exact);
    }
    mcphost_config_unref(a);
    mcphost_config_unref(b);
}
END_TEST

START_TEST(missing_and_disabled_servers_are_not_compared)
{
    mcphost_config *a = conf_load_server(STDIO);
    mcphost_config *off = conf_load_server("enabled: false\n");
    mcphost_config *none = conf_load("version: 1\n");

    ck_assert_int_eq(mcphost_config_server_compare(a, none, "x", NULL, 0),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_config_server_compare(none, a, "x", NULL, 0),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_config_server_compare(a, off, "x", NULL, 0),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_config_server_compare(off, a, "x", NULL, 0),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_config_server_compare(a, a, "x", NULL, 0),
                     MCPHOST_CONFIG_CHANGE_NONE);
    ck_assert_int_eq(mcphost_config_server_compare(NULL, a, "x", NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_compare(a, NULL, "x", NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_compare(a, a, NULL, NULL, 0),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_compare(a, a, "x", keys, 3),
                     MCPHOST_E_INVALID);
    mcphost_config_unref(a);
    mcphost_config_unref(off);
    mcphost_config_unref(none);
}
END_TEST

/* ---- editing `enabled` in a file --------------------------------------------------- */

static char path[64];

static void
put_file(const char *text)
{
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static void
holds(const char *text)
{
    char data[256] = "";
    FILE *f = fopen(path, "re");

    ck_assert_ptr_nonnull(f);
    ck_assert(fread(data, 1, sizeof(data) - 1, f) > 0);
    fclose(f);
    ck_assert_str_eq(data, text);
}

static void
up(void)
{
    int fd;

    snprintf(path, sizeof(path), "%s", "/tmp/mcphost-compare-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void
down(void)
{
    unlink(path);
}

START_TEST(set_enabled_changes_only_that_key) /* B.14 */
{
    struct stat st;

    put_file("version: 1\nservers:\n  x: # mine\n    command: c\n");
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "x", 0, NULL), 1);
    holds("version: 1\nservers:\n  x: # mine\n    enabled: false\n    command: c\n");
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "x", 0, NULL), 0);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "x", 2, NULL), 1);
    holds("version: 1\nservers:\n  x: # mine\n    enabled: true\n    command: c\n");
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0640);
}
END_TEST

START_TEST(a_server_that_cannot_be_edited_gives_an_error) /* B.14 */
{
    static const char alias[] = "version: 1\nservers:\n  x: &x {command: c}\n  y: *x\n";
    mcphost_error *err = NULL;

    put_file(alias);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "y", 0, &err),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(mcphost_error_get_line(err), 4);
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "z", 0, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_config_file_set_enabled("", "x", 0, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, NULL, 0, NULL),
                     MCPHOST_E_INVALID);
    holds(alias);
    unlink(path);
    ck_assert_int_eq(mcphost_config_file_set_enabled(path, "x", 0, NULL),
                     MCPHOST_E_NOTFOUND);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "keys");

    tcase_add_loop_test(tc, an_edit_gives_its_changed_keys_and_its_kind, 0, N_EDITS);
    tcase_add_test(tc, keys_that_do_not_fit_are_left_out_whole);
    tcase_add_test(tc, missing_and_disabled_servers_are_not_compared);
    tc = test_case(suite, "enabled");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, set_enabled_changes_only_that_key);
    tcase_add_test(tc, a_server_that_cannot_be_edited_gives_an_error);
}

int
main(void)
{
    return test_main("config-compare", add);
}
