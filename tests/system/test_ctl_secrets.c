/* SPDX-License-Identifier: MIT
 *
 * test_ctl_secrets.c - mcphostctl -vv shows no secret of a login, neither in its output
 * nor in the arguments and the environment of the processes that it starts.
 */
#include <stdlib.h>
#include <string.h>

#include "support/authrig.h"
#include "support/ctlrun.h"
#include "support/runner.h"
#include "support/secretrig.h"

static struct ctl_place place;
static struct ctl_run run;
static struct authrig user, robot;
static struct secretrig sr;
static char state[128], browser[600];
static char variable[] = "MCPT_LOGIN=canary-variable", how[] = "FAKE_BROWSER=login";
static char *variables[] = {state, variable, browser, how, NULL};

/* ---- the rig ----------------------------------------------------------------------- */

/* Starts the two HTTP servers of a configuration that also has a server over stdio.  At
 * `user`, a user logs in.  At `robot`, the client logs in without a user.  The secrets
 * are in the configuration file and in the variable MCPT_LOGIN.  The page of the login
 * answers slowly, so that the rig has time to read the environment of the browser. */
static void
up(const char *user_lines, const char *robot_lines)
{
    char *script = NULL;

    ctl_place_up(&place);
    snprintf(state, sizeof(state), "XDG_STATE_HOME=%s/state", place.ws.dir);
    snprintf(browser, sizeof(browser), "BROWSER=%s", ar_browser());
    place.variables = variables;
    ck_assert_int_ge(asprintf(&script,
                              "methods basic\nscopes tools openid\ndpop on\n"
                              "fault authorize slow 100\n%s",
                              user_lines),
                     0);
    ar_up(&user, &place.ws, "user", script);
    free(script);
    ck_assert_int_ge(asprintf(&script,
                              "client robot basic canary-variable\n"
                              "subject carol canary-assertion\n%s",
                              robot_lines),
                     0);
    ar_up(&robot, &place.ws, "robot", script);
    free(script);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n"
        "  user:\n    transport: streamable_http\n    url: %s\n"
        "    headers: {X-Key: canary-key}\n    auth: {scopes: [tools, openid]}\n"
        "    transform: [{prefix: user_}]\n"
        "  robot:\n    transport: streamable_http\n    url: %s\n"
        "    auth: {flow: jwt_bearer, assertion: canary-assertion, issuer: '%s', "
        "clientId: robot, clientSecret: {env: MCPT_LOGIN}}\n    transform: [{prefix: "
        "robot_}]\n"
        "  desk: {transport: stdio, command: '%s', args: [desk]}\n",
        user.web.url, robot.web.url, ar_issuer(&robot, 1), ctl_demo_server());
    sec_up(&sr, variables);
    sr.opens_pages = true;
    sec_watch(&sr);
}

static void
learn(const char *file, void (*learn_text)(struct secretrig *sr, const char *text))
{
    char *text = rig_workspace_read(&place.ws, file);

    learn_text(&sr, text);
    free(text);
}

/* Runs mcphostctl -vv, and adds its output to the texts that are searched for secrets. */
static void
ctl(int status, const char *one, const char *two, const char *three)
{
    ctl_run_free(&run);
    ctl_run(&run, &place, "-vv", one, two, three, NULL);
    sec_tell_shown(&sr, "stdout", run.out);
    sec_tell_shown(&sr, "stderr", run.err);
    learn("state/mcphost/tokens.json", sec_learn_store);
    ctl_status_is(&run, status);
}

static void
down(void)
{
    sec_rest(&sr);
    learn("user.trace", sec_learn_trace);
    learn("robot.trace", sec_learn_trace);
    ck_assert_int_gt(atomic_load(&sr.n_watched), 3);
    sec_end(&sr);
    ctl_run_free(&run);
    ar_down(&user);
    ar_down(&robot);
    rig_reap_adopted(2000);
    ctl_place_down(&place);
}

/* ---- tests ------------------------------------------------------------------------- */

START_TEST(logins_calls_and_logouts_show_no_secret)
{
    up("", "");
    ctl(0, "login", "user", NULL);
    ctl(0, "login", "robot", NULL);
    ctl(0, "auth", "status", NULL);
    ctl(0, "call", "user_whoami", NULL);
    test_has(run.err, "user"); /* the log of -vv */
    ar_say(&user, "forget access");
    ar_say(&robot, "forget access");
    ctl(0, "call", "user_whoami", NULL);
    ctl(0, "call", "robot_whoami", NULL);
    ck_assert_int_eq(ar_traced(&user, "token refresh ok"), 1);
    ctl(0, "servers", "--json", NULL);
    ctl(0, "problems", NULL, NULL);
    ctl(0, "logout", "user", NULL);
    ctl(4, "call", "user_whoami", NULL);
    ck_assert_uint_gt(sr.n_secrets, 6);
    down();
}
END_TEST

static const char *const faults[] = {"fault token refuse invalid_client sent %s",
                                     "fault token garbage",
                                     "fault authorize refuse access_denied sent "
                                     "%s\nfault token refuse invalid_grant sent %s",
                                     "fault challenge status 500"};

START_TEST(logins_that_fail_show_no_secret)
{
    char lines[2][256];

    snprintf(lines[0], sizeof(lines[0]), faults[_i], "canary-key", "canary-key");
    snprintf(lines[1], sizeof(lines[1]), faults[_i], "canary-variable canary-assertion",
             "canary-variable canary-assertion");
    up(lines[0], lines[1]);
    ctl(4, "login", "user", NULL);
    ctl(4, "login", "robot", NULL);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "secrets");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, logins_calls_and_logouts_show_no_secret);
    tcase_add_loop_test(tc, logins_that_fail_show_no_secret, 0,
                        sizeof(faults) / sizeof(faults[0]));
}

int
main(void)
{
    return test_main("ctl-secrets", add);
}
