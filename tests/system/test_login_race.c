/* SPDX-License-Identifier: MIT
 *
 * test_login_race.c - processes share the tokens of one file, and are killed at random
 * moments, also while they refresh.
 *
 * Each process has a host with one server, and calls the tool `whoami` again and again.
 * The access token expires after some seconds, and each refresh replaces the refresh
 * token.  The authorization server delays the answers to refreshes, so that some kills
 * of a long run fall between the rotation and the write.
 *
 * With `rotate grace`, the authorization server accepts the previous refresh token until
 * its successor is used.  Then a kill must not lose the login.  With `rotate strict`, a
 * kill between the rotation and the write loses the login.  Then exactly one process asks
 * its user again, and gives the reason.
 *
 * LOGIN_RACE_S (default: 8) is the length of each test in seconds.  In tests of more than
 * a minute an access token lives for 5 seconds, and in shorter tests for 2 seconds.
 * `make login-race` runs the tests longer.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#include "support/authrig.h"
#include "support/rig.h"
#include "support/runner.h"

#define WORKERS 8
#define WAIT_MS 20000

/* The notes of the processes, in memory that all processes share. */
struct notes {
    long calls[WORKERS];
    /* true while the process asks its user; run_race() kills no process that asks */
    int asking[WORKERS];
    long questions;
    long reasons; /* the number of questions that give a reason */
    long faults;
};

static struct rig_workspace ws;
static struct authrig ar;
static struct notes *notes;

static long
get_seconds(void)
{
    const char *text = getenv("LOGIN_RACE_S");

    return text ? strtol(text, NULL, 10) : 8;
}

/* Starts the MCP server and its authorization server.  `lines` are further lines of their
 * script. */
static void
serve(const char *lines)
{
    char script[256];

    snprintf(script, sizeof(script),
             "expires %d\nlifetime 3600\nfault refresh slow 60\n%s",
             get_seconds() > 60 ? 5 : 2, lines);
    ar_up(&ar, &ws, "a", script);
}

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    ck_assert_ptr_ne(notes, MAP_FAILED);
}

static void
down(void)
{
    munmap(notes, sizeof(*notes));
    rig_workspace_down(&ws);
}

/* ---- a process --------------------------------------------------------------------- */

static const char *account; /* this process's account; "" for the default account */
static int number;          /* this process's index in struct notes */
static struct browser *browser;

static void
answer_request(mcphost_request *request)
{
    size_t len;
    const char *params = mcphost_request_get_params(request, &len);

    __atomic_store_n(&notes->asking[number], 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&notes->questions, 1, __ATOMIC_SEQ_CST);
    if (params && strstr(params, "\"reason\":\""))
        __atomic_add_fetch(&notes->reasons, 1, __ATOMIC_SEQ_CST);
    if (browser)
        browser_end(browser);
    browser = browser_start(mcphost_request_get_url(request), BROWSER_LOGIN);
}

static void
on_event(const mcphost_event *event, void *arg)
{
    const mcphost_problem *problem = mcphost_event_get_problem(event);

    (void)arg;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_REQUEST) {
        if (mcphost_request_is_open(mcphost_event_get_request(event)))
            answer_request(mcphost_event_get_request(event));
    } else if (mcphost_event_get_kind(event) == MCPHOST_EVENT_PROBLEM) {
        fprintf(stderr, "process %d: %s\n", number, mcphost_problem_get_message(problem));
    }
}

static void
note_fault(const char *what, int r, const mcphost_error *err)
{
    fprintf(stderr, "process %d: %s: %s\n", number, what,
            err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    __atomic_add_fetch(&notes->faults, 1, __ATOMIC_SEQ_CST);
}

static mcphost *
make_host(void)
{
    char text[1024];
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, NULL);

    snprintf(text, sizeof(text),
             "version: 1\nservers:\n  a:\n    transport: streamable_http\n    url: %s\n"
             "    auth: {mode: oauth, account: '%s'}\n",
             ar.web.url, account);
    if (r == 0)
        r = mcphost_set_option(host, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_AUTHORIZE);
    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = mcphost_set_token_store(host, MCPHOST_TOKENS_FILE,
                                    rig_workspace_path(&ws, "state"), &err);
    if (r == 0)
        r = mcphost_config_load_memory(text, strlen(text), "race", ".", &config, &err);
    if (r == 0)
        r = mcphost_load(host, config);
    if (r == 0)
        r = mcphost_wait_ready(host, WAIT_MS);
    if (r < 0)
        note_fault("start", r, err);
    mcphost_error_unref(err);
    mcphost_config_unref(config);
    return host;
}

static void
end_host(mcphost *host)
{
    mcphost_close(host);
    while (mcphost_wait(host, -1) >= 0)
        ;
    mcphost_unref(host);
}

/* Calls `whoami`, and checks that the answer names the account. */
static void
call(mcphost_dialog *dialog)
{
    const char *text = "", *wanted = *account ? account : "user";
    mcphost_call *c = NULL;
    mcphost_error *err = NULL;
    size_t len = 0;
    int r = mcphost_call_new(dialog, "whoami", "{}", 2, &c, &err);

    if (r == 0)
        r = mcphost_call_start(c, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(c, WAIT_MS);
    __atomic_store_n(&notes->asking[number], 0, __ATOMIC_SEQ_CST);
    if (r == 1 && mcphost_call_get_result(c))
        text = mcphost_result_get_json(mcphost_call_get_result(c), &len);
    if (!strstr(text, wanted))
        note_fault(len ? text : "call", r,
                   err ? err
                   : c ? mcphost_call_get_error(c)
                       : NULL);
    else
        __atomic_add_fetch(&notes->calls[number], 1, __ATOMIC_SEQ_CST);
    mcphost_error_unref(err);
    mcphost_call_unref(c);
}

/* Makes calls with some hosts, one after the other, until the process is killed or `n`
 * calls are made.  A negative `n` means no limit.  Does not return. */
static void
work(long n)
{
    unsigned seed = (unsigned)(getpid() ^ time(NULL));

    while (n != 0) {
        mcphost *host = make_host();
        mcphost_dialog *dialog = NULL;

        (void)mcphost_dialog_new(mcphost_default_view(host), "race", NULL, &dialog, NULL);
        for (int i = 0; i < 20 && n != 0; i++, n--) {
            call(dialog);
            nanosleep(&(struct timespec){.tv_nsec = rand_r(&seed) % 200000000}, NULL);
        }
        mcphost_dialog_unref(dialog);
        end_host(host);
    }
    if (browser)
        browser_end(browser);
    _exit(0);
}

/* ---- the test ---------------------------------------------------------------------- */

static pid_t
start(int me, const char *label, long n)
{
    pid_t pid = fork();

    if (pid == 0) {
        number = me;
        account = label;
        work(n);
    }
    ck_assert_int_gt(pid, 0);
    return pid;
}

static void
finish(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

/* Runs a process that logs in and makes one call, until the process ends. */
static void
log_in(const char *label)
{
    finish(start(0, label, 1));
}

/* Starts the processes, and kills and replaces them at random moments, until the time is
 * over or a process notes a fault.  Meanwhile does not kill a process that asks its user,
 * because the test counts the questions.  Then kills all processes.  Returns the number
 * of replacements. */
static long
run_race(const char *const labels[WORKERS])
{
    unsigned seed = (unsigned)time(NULL);
    time_t end = time(NULL) + get_seconds();
    pid_t pids[WORKERS];
    long kills = 0;

    for (int i = 0; i < WORKERS; i++)
        pids[i] = start(i, labels[i], -1);
    while (time(NULL) < end && notes->faults == 0) {
        int i = rand_r(&seed) % WORKERS;

        nanosleep(&(struct timespec){.tv_nsec = rand_r(&seed) % 300000000}, NULL);
        if (__atomic_load_n(&notes->asking[i], __ATOMIC_SEQ_CST))
            continue;
        kill(pids[i], SIGKILL);
        ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
        pids[i] = start(i, labels[i], -1);
        kills++;
    }
    for (int i = 0; i < WORKERS; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    return kills;
}

static long
count_calls(void)
{
    long n = 0;

    for (int i = 0; i < WORKERS; i++) {
        ck_assert_int_gt(notes->calls[i], 0);
        n += notes->calls[i];
    }
    return n;
}

START_TEST(with_a_grace_for_refresh_tokens_no_kill_loses_a_login)
{
    static const char *const labels[WORKERS] = {"alice", "alice", "alice", "alice",
                                                "bob",   "bob",   "bob",   "bob"};
    long kills, calls;

    serve("rotate grace\naccount alice");
    log_in("alice");
    ar_say(&ar, "account bob");
    log_in("bob");
    kills = run_race(labels);
    ck_assert_int_eq(notes->faults, 0);
    calls = count_calls();
    ck_assert_int_eq(notes->questions, 2);
    ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
    ck_assert_int_eq(ar_traced(&ar, "login bob"), 1);
    printf("%ld calls, %ld kills, %d refreshes, %d with the previous token\n", calls,
           kills, ar_traced(&ar, "token refresh ok"), ar_traced(&ar, " grace"));
    ar_down(&ar);
}
END_TEST

START_TEST(under_strict_rotation_a_lost_login_is_asked_for_once_with_the_reason)
{
    static const char *const labels[WORKERS] = {"", "", "", "", "", "", "", ""};
    long kills, calls;
    int lost;

    serve("rotate strict");
    log_in("");
    kills = run_race(labels);
    ck_assert_int_eq(notes->faults, 0);
    calls = count_calls();
    lost = ar_traced(&ar, " reused");
    ck_assert_int_eq(notes->reasons, notes->questions - 1);
    ck_assert_int_le(notes->questions, 1 + lost);
    ck_assert_int_ge(notes->questions, lost);
    printf("%ld calls, %ld kills, %d refreshes, %d lost logins, %ld questions\n", calls,
           kills, ar_traced(&ar, "token refresh ok"), lost, notes->questions);
    ar_down(&ar);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "race");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, with_a_grace_for_refresh_tokens_no_kill_loses_a_login);
    tcase_add_test(tc,
                   under_strict_rotation_a_lost_login_is_asked_for_once_with_the_reason);
    tcase_set_timeout(tc, (double)get_seconds() + 60);
}

int
main(void)
{
    return test_main("login-race", add);
}
