/* SPDX-License-Identifier: MIT
 *
 * test_ctl_keyring.c - mcphostctl --token-store=secret-service, with a fake secret-tool
 * that misbehaves, and with the real secret-tool and gnome-keyring on a bus of their own.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/authrig.h"
#include "support/ctlrun.h"
#include "support/keyring.h"
#include "support/runner.h"
#include "support/secretrig.h"

#define STORE "--token-store=secret-service"

static struct ctl_place place;
static struct ctl_run run;
static struct authrig ar;
static char state[128], browser[600], how[] = "FAKE_BROWSER=login", path[256];
static char bus[300], home[128], data[128], runtime[128];
static char *variables[] = {state, browser, how, home, data, runtime, bus, NULL};
static pid_t session;
static int session_in = -1;

/* ---- the fake program -------------------------------------------------------------- */

static void
set_mode(const char *mode)
{
    keyring_set_mode(&place.ws, mode);
}

static void
use_fake(void)
{
    snprintf(path, sizeof(path), "PATH=%s/bin:/usr/bin:/bin", place.ws.dir);
    place.path = path;
    keyring_up(&place.ws);
}

/* ---- the real program -------------------------------------------------------------- */

/* Starts a bus and an unlocked keyring.  They end when `session_in` is closed. */
static void
begin_session(void)
{
    static char script[] =
        "rm -rf \"$XDG_DATA_HOME/keyrings\"; printf x | gnome-keyring-daemon --unlock "
        "--components=secrets >/dev/null; echo \"$DBUS_SESSION_BUS_ADDRESS\"; cat";
    char *argv[] = {(char[]){"dbus-run-session"},
                    (char[]){"--"},
                    (char[]){"sh"},
                    (char[]){"-c"},
                    script,
                    NULL};
    char *environment[] = {(char[]){"PATH=/usr/bin:/bin"}, home, data, runtime, NULL};
    char address[200];
    int in[2], out[2];
    FILE *f;

    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    session = fork();
    if (session == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 2);
        execvpe(argv[0], argv, environment);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    session_in = in[1];
    f = fdopen(out[0], "r");
    ck_assert_ptr_nonnull(fgets(address, sizeof(address), f));
    address[strcspn(address, "\n")] = '\0';
    snprintf(bus, sizeof(bus), "DBUS_SESSION_BUS_ADDRESS=%s", address);
    fclose(f);
}

static bool
has_real(void)
{
    if (access("/usr/bin/secret-tool", X_OK) == 0 &&
        access("/usr/bin/gnome-keyring-daemon", X_OK) == 0 &&
        access("/usr/bin/dbus-run-session", X_OK) == 0)
        return true;
    printf("not run: there is no secret-tool, gnome-keyring-daemon or "
           "dbus-run-session\n");
    return false;
}

/* ---- the rig ----------------------------------------------------------------------- */

static void
up(bool real, const char *script)
{
    ctl_place_up(&place);
    snprintf(state, sizeof(state), "XDG_STATE_HOME=%s/state", place.ws.dir);
    snprintf(home, sizeof(home), "HOME=%s", place.ws.dir);
    snprintf(data, sizeof(data), "XDG_DATA_HOME=%s/data", place.ws.dir);
    snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", place.ws.dir);
    snprintf(browser, sizeof(browser), "BROWSER=%s", ar_browser());
    snprintf(bus, sizeof(bus), "DBUS_SESSION_BUS_ADDRESS=");
    place.variables = variables;
    if (real)
        begin_session();
    else
        use_fake();
    ar_up(&ar, &place.ws, "a", script);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n"
        "  w: {transport: streamable_http, url: %s, auth: {account: work},\n"
        "      transform: [{prefix: w_}]}\n"
        "  h: {transport: streamable_http, url: %s, auth: {account: home},\n"
        "      transform: [{prefix: h_}]}\n",
        ar.web.url, ar.web.url);
}

static void
down(void)
{
    ctl_run_free(&run);
    ar_down(&ar);
    if (session_in >= 0) {
        close(session_in);
        ck_assert_int_eq(waitpid(session, NULL, 0), session);
    }
    rig_reap_adopted(2000);
    ctl_place_down(&place);
}

static void
ctl(int status, const char *one, const char *two, const char *three)
{
    ctl_run_free(&run);
    run = (struct ctl_run){0};
    ctl_run(&run, &place, STORE, one, two, three, NULL);
    ctl_status_is(&run, status);
}

/* Returns the path of the only item of the fake program. */
static const char *
find_item(void)
{
    static char item[400];
    FILE *f;

    snprintf(item, sizeof(item), "cd %s && ls bin/items/* | grep -v key", place.ws.dir);
    f = popen(item, "r");
    ck_assert_ptr_nonnull(fgets(item, sizeof(item), f));
    pclose(f);
    item[strcspn(item, "\n")] = '\0';
    return item;
}

static size_t
count_rows(void)
{
    json_t *rows;
    size_t n;

    ctl(0, "auth", "status", "--json");
    rows = ctl_run_json(&run);
    n = json_array_size(rows);
    json_decref(rows);
    return n;
}

/* ---- tests ------------------------------------------------------------------------- */

static void
visit_accounts(bool real)
{
    up(real, "account alice\naccount bob");
    ck_assert_uint_eq(count_rows(), 0);
    ctl(0, "login", "w", NULL);
    test_has(run.out, "; account: work;");
    ctl(0, "login", "h", NULL);
    ctl(0, "call", "w_whoami", NULL);
    test_has(run.out, "alice");
    ctl(0, "call", "h_whoami", NULL);
    test_has(run.out, "bob");
    ck_assert_uint_eq(count_rows(), 2);
    ar_say(&ar, "forget access");
    ctl(0, "call", "h_whoami", NULL);
    test_has(run.out, "bob");
    ctl(0, "logout", "w", NULL);
    ck_assert_str_eq(run.out, "server 'w' is logged out\n");
    ck_assert_uint_eq(count_rows(), 1);
    ctl(0, "call", "h_whoami", NULL);
    ctl(4, "call", "w_whoami", NULL);
    test_has(run.err, "to log in: mcphostctl --token-store secret-service login w\n");
    ck_assert_int_eq(
        access(rig_workspace_path(&place.ws, "state/mcphost/tokens.json"), F_OK), -1);
    /* mcphostctl has refreshed the token of each of the two servers once. */
    ck_assert_int_eq(ar_traced(&ar, "token refresh ok"), 2);
    down();
}

START_TEST(logins_are_kept_in_the_secret_service)
{
    visit_accounts(false);
}
END_TEST

START_TEST(the_real_secret_service_keeps_logins)
{
    if (has_real())
        visit_accounts(true);
}
END_TEST

/* Another process saves the tokens of its refresh after this process has refreshed its
 * own tokens, and before this process saves its own. */
START_TEST(the_refresh_that_is_saved_first_wins)
{
    char *first, *second, *now, *item;

    up(false, "account alice\nrotate grace");
    ctl(0, "login", "w", NULL);
    item = strdup(find_item());
    first = rig_workspace_read(&place.ws, item);
    ar_say(&ar, "forget access");
    ctl(0, "call", "w_whoami", NULL);
    second = rig_workspace_read(&place.ws, item);
    ck_assert_str_ne(first, second);
    rig_workspace_write(&place.ws, item, "%s", first);
    rig_workspace_write(&place.ws, "bin/other", "%s", second);
    ctl(0, "call", "w_whoami", NULL);
    test_has(run.out, "alice");
    now = rig_workspace_read(&place.ws, item);
    ck_assert_str_eq(now, second);
    free(first);
    free(second);
    free(now);
    free(item);
    down();
}
END_TEST

START_TEST(a_logout_fails_while_another_process_holds_the_lock_file)
{
    int fd;

    up(false, "account alice");
    ctl(0, "login", "w", NULL);
    fd = open(rig_workspace_path(&place.ws, KEYRING_FENCE), O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ctl(4, "logout", "w", NULL);
    test_has(run.err, "another process saves tokens");
    ck_assert_uint_eq(count_rows(), 1);
    close(fd);
    ctl(0, "logout", "w", NULL);
    ck_assert_uint_eq(count_rows(), 0);
    down();
}
END_TEST

static const struct {
    const char *mode, *text;
} faults[] = {{"fail", "the secret service does not work"},
              {"fail", "secret-tool: the bus is broken"},
              {"locked", "the keyring of the desktop is locked"},
              {"flood", "secret-tool wrote more than 1 MiB"},
              {"hang", "secret-tool did not end within 5 s"},
              {"missing", "install the package libsecret-tools"}};

START_TEST(a_service_that_fails_is_reported_before_the_login)
{
    up(false, "account alice");
    set_mode(faults[_i].mode);
    if (strcmp(faults[_i].mode, "missing") == 0)
        snprintf(path, sizeof(path), "PATH=/nonexistent");
    ctl(4, "login", "w", NULL);
    test_has(run.err, faults[_i].text);
    test_has_not(run.err, "asks you");
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 0);
    down();
}
END_TEST

START_TEST(other_commands_report_a_service_that_fails)
{
    up(false, "account alice");
    ctl(0, "login", "w", NULL);
    set_mode(faults[_i].mode);
    ctl(4, "call", "w_whoami", NULL);
    test_has(run.err, "cannot load tokens: ");
    test_has(run.err, faults[_i].text);
    ctl(4, "auth", "status", NULL);
    test_has(run.err, faults[_i].text);
    down();
}
END_TEST

START_TEST(a_login_whose_tokens_are_lost_fails)
{
    up(false, "account alice");
    set_mode("deaf");
    ctl(4, "login", "w", NULL);
    test_has(run.err, "cannot save tokens: ");
    down();
}
END_TEST

/* secret-tool cuts a secret of 8192 bytes or more. */
START_TEST(tokens_that_are_too_long_are_not_stored)
{
    static char token[8300];

    up(false, "account alice");
    memset(token, 'r', sizeof(token) - 1);
    ar_say(&ar, "member token refresh_token \"%s\"", token);
    ctl(4, "login", "w", NULL);
    test_has(run.err, "more than 8191 bytes");
    ck_assert_uint_eq(count_rows(), 0);
    down();
}
END_TEST

static void
look_for_secrets(bool real)
{
    struct secretrig sr;
    char *trace;

    up(real, "account alice\nscopes tools openid\ndpop on");
    sec_up(&sr, variables);
    sr.opens_pages = true;
    sec_watch(&sr);
    for (int i = 0; i < 4; i++) {
        ctl(0, i ? "call" : "login", i ? "w_whoami" : "w", "-vv");
        sec_tell_shown(&sr, "stdout", run.out);
        sec_tell_shown(&sr, "stderr", run.err);
        ar_say(&ar, "forget access");
    }
    ck_assert_uint_eq(count_rows(), 1);
    sec_tell(&sr, "rows", run.out);
    sec_rest(&sr);
    trace = rig_workspace_read(&place.ws, "a.trace");
    sec_learn_trace(&sr, trace);
    free(trace);
    test_has(sr.processes.data, "secret-tool");
    ck_assert_uint_gt(sr.n_secrets, 6);
    sec_end(&sr);
    down();
}

START_TEST(secrets_are_not_in_arguments_and_environments)
{
    look_for_secrets(false);
}
END_TEST

START_TEST(secrets_are_not_in_arguments_and_environments_of_the_real_program)
{
    if (has_real())
        look_for_secrets(true);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "keyring"), *failing = test_case(suite, "faults");

    tcase_set_timeout(tc, 60);
    tcase_set_timeout(failing, 60);
    tcase_add_test(tc, logins_are_kept_in_the_secret_service);
    tcase_add_test(tc, the_real_secret_service_keeps_logins);
    tcase_add_test(tc, the_refresh_that_is_saved_first_wins);
    tcase_add_test(tc, a_logout_fails_while_another_process_holds_the_lock_file);
    tcase_add_loop_test(failing, a_service_that_fails_is_reported_before_the_login, 0,
                        sizeof(faults) / sizeof(faults[0]));
    tcase_add_loop_test(failing, other_commands_report_a_service_that_fails, 0, 4);
    tcase_add_test(failing, a_login_whose_tokens_are_lost_fails);
    tcase_add_test(failing, tokens_that_are_too_long_are_not_stored);
    tcase_add_test(tc, secrets_are_not_in_arguments_and_environments);
    tcase_add_test(tc, secrets_are_not_in_arguments_and_environments_of_the_real_program);
}

int
main(void)
{
    return test_main("ctl-keyring", add);
}
