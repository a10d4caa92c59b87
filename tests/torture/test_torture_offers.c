/* SPDX-License-Identifier: MIT
 *
 * test_torture_offers.c - resources, prompts, tasks and skills while memory runs out.
 *
 * The scenarios are lists of each kind, a read, a prompt, a completion, a subscription,
 * skills, and the built-in tools for resources.  In a further scenario a task runs to its
 * end and is then resumed.
 *
 * Each run has a new host and a new server process.  In the scenario `lists` allocations
 * fail from the start.  In the other scenarios allocations fail only after the server is
 * ready.  At the end of the other scenarios, allocations succeed again.  A last call must
 * then succeed.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "host/host.h"
#include "support/rig.h"
#include "support/skills.h"
#include "support/tasks.h"
#include "torture/session.h"
#include "torture/torture.h"

#define WAIT_MS  5000
#define LOST_MS  60 /* ms to wait for an event that may be lost */
#define COMPLETE "\"resultType\":\"complete\","
#define KEPT     COMPLETE "\"ttlMs\":0,\"cacheScope\":\"private\","

#define OFFERS                                                                          \
    "capabilities {\"tools\":{\"listChanged\":true},\"prompts\":{},\"completions\":{}," \
    "\"resources\":{\"subscribe\":true,\"listChanged\":true},\"tasks\":{\"cancel\":{}," \
    "\"requests\":{\"tools\":{\"call\":{}}}},\"extensions\":{"                          \
    "\"io.modelcontextprotocol/tasks\":{},\"io.modelcontextprotocol/skills\":{"         \
    "\"directoryRead\":true}}}\n"                                                       \
    "no-tools\ntool echo\ntool touch\npage-size 2\n"                                    \
    "tool-json {\"name\":\"build\",\"inputSchema\":{\"type\":\"object\"},"              \
    "\"execution\":{\"taskSupport\":\"required\"}}\n"                                   \
    "entries 5 resources {\"uri\":\"f:#\",\"name\":\"r#\"}\n"                           \
    "entries 3 resourceTemplates {\"uriTemplate\":\"g#:{x}\",\"name\":\"t#\"}\n"        \
    "entries 3 prompts {\"name\":\"p#\"}\n"                                             \
    "entry skills " ONE "\n"                                                            \
    "entry skills " SKILL(                                                              \
        "two",                                                                          \
        "\"dynamic\"") "\n"                                                             \
                       "entry skills " SKILL(                                           \
                           "three",                                                     \
                           "\"dynamic\"") "\n"                                          \
                                          "on call:touch\n updates 3 f:1\n text "       \
                                          "touched\n"                                   \
                                          "on resources/read\n result {" KEPT           \
                                          "\"contents\":[{\"uri\":\"f:1\",\"text\":"    \
                                          "\"words\"},{\"uri\":\"f:2\",\"blob\":"       \
                                          "\"AAEC\"}]}\n"                               \
                                          "on prompts/get\n result {" COMPLETE          \
                                          "\"messages\":[{\"role\":\"user\","           \
                                          "\"content\":{\"type\":\"text\",\"text\":"    \
                                          "\"words\"}}]}\n"                             \
                                          "on completion/complete\n result {" COMPLETE  \
                                          "\"completion\":{\"values\":["                \
                                          "\"words\"]}}\n"                              \
                                          "on skills/get\n result {" KEPT               \
                                          "\"skill\":" ONE "}\n"                        \
                                          "on resources/directory/read\n result "       \
                                          "{" COMPLETE "\"resources\":[]}\n"
#define BUILT                                                                            \
    {                                                                                    \
        OLD_BEGUN "on tasks/get 1\n result {" OLD(                                       \
            "working") "}\n"                                                             \
                       "on tasks/get\n result {" OLD(                                    \
                           "completed") "}\non tasks/result\n text built\n",             \
            BEGUN "on tasks/get 1\n " NEW(                                               \
                "input_required", ASK) "on tasks/update\n result {" COMPLETE             \
                                       "\"taskId\":\"t-1\"}\n"                           \
                                       "on tasks/get\n " NEW("completed", DONE("built")) \
    }

#define ABC READ("skill://one/a/b.md", "\"text\":\"abc\"")

static struct rig_workspace ws;
static struct rig_census before;
static mcphost_config *config;
static const struct scenario *scenario;
static int era, how; /* `how`: FAIL_ONCE or FAIL_FROM_THEN_ON */
static int64_t ahead;

/* The state of one run. */
static struct {
    mcphost *host;
    mcphost_dialog *dialog;
    int on, over;
    uint64_t updates;
} s;

/* ---- a host ------------------------------------------------------------------------ */

static void
on_event(const mcphost_event *event, void *arg)
{
    int kind = mcphost_event_get_kind(event);
    const char *answer = "{\"user\":\"mina\"}";
    int r;

    (void)arg;
    s.on += kind == MCPHOST_EVENT_SUBSCRIPTION && mcphost_event_get_state(event);
    s.over += kind == MCPHOST_EVENT_SUBSCRIPTION && !mcphost_event_get_state(event);
    if (kind == MCPHOST_EVENT_UPDATED)
        s.updates += mcphost_event_get_count(event);
    if (kind != MCPHOST_EVENT_REQUEST || !mcphost_event_get_state(event))
        return;
    r = mcphost_request_respond(mcphost_event_get_request(event), answer, strlen(answer),
                                NULL);
    if (!torture_good(r))
        torture_must(mcphost_request_reject(mcphost_event_get_request(event),
                                            MCPHOST_REJECT_CANCEL, NULL) <= 0);
}

static int64_t
now_ms(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms() + ahead;
}

/* Dispatches once and sets the clock forward, so that no task needs real waiting.  The
 * clock moves further after a failure, because only a deadline reveals a lost message. */
static void
turn(void)
{
    torture_must(mcphost_wait(s.host, 1) >= 0);
    ahead += !failing_happened() ? 20 : how == FAIL_ONCE ? 200 : 1000;
}

static const struct {
    int option;
    int64_t value;
} options[] = {
    {MCPHOST_OPT_STOP_EOF, 500},
    {MCPHOST_OPT_STOP_TERM, 500},
    {MCPHOST_OPT_RESTART_DELAY, 1},
    {MCPHOST_OPT_WARDEN, 0},
    {MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM},
};

static bool
begin(void)
{
    char guard[4200];

    memset(&s, 0, sizeof(s));
    ahead = 0;
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    if (!torture_good(mcphost_new(&s.host, NULL)))
        return false;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(options); i++)
        (void)torture_good(
            mcphost_set_option(s.host, options[i].option, options[i].value));
    (void)torture_good(mcphost_set_event(s.host, on_event, NULL, NULL));
    (void)torture_good(mcphost_view_add_resource_tools(
        mcphost_default_view(s.host),
        MCPHOST_RESOURCE_TOOL_LIST | MCPHOST_RESOURCE_TOOL_FETCH, NULL));
    if (!torture_good(mcphost_set_guard_path(s.host, guard)) ||
        !torture_good(mcphost_load(s.host, config)) ||
        !torture_good(
            mcphost_dialog_new(mcphost_default_view(s.host), "d", NULL, &s.dialog, NULL)))
        return false;
    torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
    mcph_core_set_clock(s.host->core, now_ms, NULL);
    return true;
}

/* Waits until `*n` is at least `least`.  Records a lost event as an error. */
static void
until(const int *n, int least)
{
    int64_t begun = mcph_clock_monotonic_ms();

    while (*n < least &&
           mcph_clock_monotonic_ms() - begun < (failing_happened() ? LOST_MS : WAIT_MS)) {
        turn();
    }
    if (*n < least)
        (void)torture_good(MCPHOST_E_NOTFOUND);
}

/* Starts the call and waits for its end.  `r`, `call` and `error` come from a function
 * mcphost_call_new...().  Returns the code of the call's error, 0 if the call succeeded,
 * or MCPHOST_E_NOMEM if the call could not be made or started. */
static int
run_call(int r, mcphost_call *call, mcphost_error *error)
{
    int64_t end = mcph_clock_monotonic_ms() + WAIT_MS;

    torture_must((r == 0) == (call != NULL));
    if (!torture_told(r, error) ||
        !torture_good(mcphost_call_start(call, NULL, NULL, NULL)))
        return MCPHOST_E_NOMEM;
    while (!mcphost_call_is_done(call) && mcph_clock_monotonic_ms() < end) {
        turn();
    }
    torture_must(mcphost_call_is_done(call));
    torture_must(!mcphost_call_get_result(call) != !mcphost_call_get_error(call));
    r = mcphost_error_get_code(mcphost_call_get_error(call));
    (void)torture_good(r);
    return r;
}

/* Checks that the first item of the result contains `text`. */
static void
says(const mcphost_call *call, const char *text)
{
    size_t len = 0;
    const char *json =
        mcphost_result_item_get_json(mcphost_call_get_result(call), 0, &len);

    if (json)
        torture_must(memmem(json, len, text, strlen(text)) != NULL);
    else
        (void)torture_good(MCPHOST_E_NOMEM);
}

static void
call_tool(const char *tool, const char *arguments, const char *text)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new(s.dialog, tool, arguments, strlen(arguments), &call, &error);

    r = run_call(r, call, error);
    if (r == 0 && mcphost_result_is_error(mcphost_call_get_result(call)))
        (void)torture_good(failing_happened() ? MCPHOST_E_NOMEM : MCPHOST_E_STATE);
    else if (r == 0)
        says(call, text);
    mcphost_call_unref(call);
}

/* ---- scenarios --------------------------------------------------------------------- */

/* Checks the lists that the host fetched at its start. */
static void
look_at_lists(void)
{
    mcphost_catalog *catalog = NULL;
    const char *json = NULL;
    size_t len;

    torture_must(mcphost_dialog_get_catalog(s.dialog, &catalog) == 0);
    if (torture_code() == 0 && !failing_happened()) {
        torture_must(mcphost_catalog_count_resources(catalog) == 5);
        torture_must(mcphost_catalog_count_resource_templates(catalog) == 3);
        torture_must(mcphost_catalog_count_prompts(catalog) == 3);
        torture_must(mcphost_catalog_count_skills(catalog) == 3);
    } else if (mcphost_catalog_count_prompts(catalog) == 0) {
        (void)torture_good(MCPHOST_E_NOTFOUND); /* only the log reports a lost list */
    }
    (void)torture_good(
        mcphost_catalog_get_resources_json(catalog, NULL, &json, &len, NULL));
    (void)torture_good(
        mcphost_catalog_get_prompts_json(catalog, NULL, &json, &len, NULL));
    mcphost_catalog_unref(catalog);
}

static void
read_one(void)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new_read(s.dialog, "a", "f:1", &call, &error);

    if (run_call(r, call, error) == 0)
        says(call, "words");
    mcphost_call_unref(call);
}

static void
get_prompt(void)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new_prompt(s.dialog, "p1", "{\"x\":\"y\"}", 9, &call, &error);

    if (run_call(r, call, error) == 0)
        says(call, "words");
    mcphost_call_unref(call);
}

static void
complete(void)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    const char *value;
    int r = mcphost_call_new_complete_template(s.dialog, "a", "g1:{x}", "x", "w",
                                               "{\"y\":\"z\"}", 9, &call, &error);

    if (run_call(r, call, error) == 0) {
        value = mcphost_result_get_value(mcphost_call_get_result(call), 0, NULL);
        if (value)
            torture_must(strcmp(value, "words") == 0);
        else
            (void)torture_good(MCPHOST_E_NOMEM);
    }
    mcphost_call_unref(call);
}

/* Checks that the subscription has ended or reports changes, even if events were lost. */
static void
is_in_use(const mcphost_subscription *sub)
{
    failing_pause();
    for (int i = 0; i < 5 && !mcphost_subscription_is_ended(sub) && !s.updates; i++) {
        call_tool("touch", "{}", "touched");
        for (int j = 0; j < 200 && !s.updates; j++)
            turn();
    }
    torture_must(mcphost_subscription_is_ended(sub) || s.updates);
    failing_resume();
}

static void
subscribe(void)
{
    mcphost_subscription *sub = NULL, *other = NULL;
    mcphost_error *error = NULL;
    int r = mcphost_subscribe(s.dialog, "a", "f:1", &sub, &error);

    torture_must((r == 0) == (sub != NULL));
    if (!torture_told(r, error))
        return;
    until(&s.on, 1);
    call_tool("touch", "{}", "touched");
    for (int i = 0; i < 200 && s.updates < 3 && !failing_happened(); i++)
        turn();
    if (!failing_happened())
        torture_must(s.updates == 3);
    is_in_use(sub);
    if (torture_good(mcphost_subscribe(s.dialog, "a", "f:2", &other, NULL)))
        until(&s.on, 2);
    torture_must(mcphost_unsubscribe(sub) == 0);
    torture_must(mcphost_subscription_is_ended(sub));
    mcphost_subscription_unref(sub);
    mcphost_subscription_unref(other);
}

static void
build(void)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r;

    call_tool("build", "{}", "built");
    r = mcphost_call_resume_task(s.dialog, "a", "t-1", &call, &error);
    if (run_call(r, call, error) == 0)
        says(call, "built");
    mcphost_call_unref(call);
}

static void
use_skill(void)
{
    mcphost_catalog *catalog = NULL;
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    const char *entry;
    size_t len = 0;
    int r;

    torture_must(mcphost_dialog_get_catalog(s.dialog, &catalog) == 0);
    entry = mcphost_skill_get_entry(mcphost_catalog_get_skill(catalog, 0), &len);
    if (entry) {
        r = mcphost_call_new_read_skill(s.dialog, "a", entry, len, "a/b.md", &call,
                                        &error);
        if (run_call(r, call, error) == 0)
            says(call, "abc");
    } else {
        (void)torture_good(MCPHOST_E_NOMEM);
    }
    mcphost_call_unref(call);
    mcphost_catalog_unref(catalog);
    call = NULL;
    error = NULL;
    r = mcphost_call_new_get_skill(s.dialog, "a", "skill://one/SKILL.md", &call, &error);
    (void)run_call(r, call, error);
    mcphost_call_unref(call);
    call = NULL;
    error = NULL;
    r = mcphost_call_new_read_directory(s.dialog, "a", "skill://one", "c", &call, &error);
    (void)run_call(r, call, error);
    mcphost_call_unref(call);
}

static void
use_builtins(void)
{
    call_tool("list_resources", "{\"query\":\"r1\"}", "a:r1");
    call_tool("fetch_resource", "{\"resourceId\":\"a:r1\"}", "words");
    call_tool("fetch_resource", "{\"resourceId\":\"a:t1\",\"arguments\":{\"x\":\"1 2\"}}",
              "words");
}

static const struct scenario {
    const char *name;
    void (*run)(void);
    bool whole; /* allocations fail from the start of the host */
    const char *script[2];
    long least, step;
} scenarios[] = {
    {"lists", look_at_lists, true, {"", ""}, 300, 13},
    {"read", read_one, false, {"", ""}, 8, 1},
    {"prompt", get_prompt, false, {"", ""}, 8, 1},
    {"completion", complete, false, {"", ""}, 8, 1},
    {"subscription", subscribe, false, {"", ""}, 15, 1},
    {"task", build, false, BUILT, 20, 1},
    {"skills", use_skill, false, {ABC, ABC}, 20, 1},
    {"built-ins", use_builtins, false, {"", ""}, 20, 1},
};

/* ---- a run ------------------------------------------------------------------------- */

/* Checks that a call succeeds once allocations succeed again, no matter which allocation
 * failed before. */
static void
recover(void)
{
    mcphost_call *call = NULL;
    int r = MCPHOST_E_GONE;

    for (int i = 0; r < 0 && i < 20; i++) {
        call = mcphost_call_unref(call);
        r = mcphost_call_new(s.dialog, "echo", "{\"text\":\"x\"}", 12, &call, NULL);
        if (r == 0)
            r = mcphost_call_start(call, NULL, NULL, NULL);
        if (r == 0 && mcphost_call_wait(call, WAIT_MS) == 1)
            r = mcphost_error_get_code(mcphost_call_get_error(call));
        if (r < 0)
            (void)mcphost_wait(s.host, 10);
    }
    torture_must(r == 0);
    mcphost_call_unref(call);
}

static int
run_offers(void)
{
    bool up;

    if (!scenario->whole)
        failing_pause();
    up = begin();
    if (!scenario->whole)
        failing_resume();
    if (up)
        scenario->run();
    failing_pause();
    if (up && !scenario->whole)
        recover();
    failing_resume();
    if (s.host)
        session_close(s.host);
    mcphost_dialog_unref(s.dialog);
    mcphost_unref(s.host);
    return torture_code();
}

static void
check_recovery(void)
{
    rig_census_check(&before, 2000);
}

static void
torture_offers(void)
{
    static const char *const eras[] = {"era legacy\n" OFFERS, "era modern\n" OFFERS};
    /* MCPHOST_E_TIMEOUT occurs if the client could not read an answer.  MCPHOST_E_DENIED
     * occurs if the host could not report the server's request to the application. */
    static const int codes[] = {MCPHOST_E_NOMEM,
                                MCPHOST_E_NOTFOUND,
                                MCPHOST_E_TRANSPORT,
                                MCPHOST_E_GONE,
                                MCPHOST_E_TIMEOUT,
                                MCPHOST_E_DENIED,
                                0};
    char yaml[1024];

    rig_workspace_up(&ws, NULL);
    rig_workspace_write(&ws, "a.script", "%s%s", eras[era], scenario->script[era]);
    snprintf(yaml, sizeof(yaml),
             "version: 1\nservers:\n  a:\n    transport: stdio\n    command: '%s'\n"
             "    args: ['%s']\n    truely-stateless: true\n    transform: []\n"
             "    resources: {transform: []}\n    prompts: {transform: []}\n",
             rig_fakeserver(), rig_workspace_path(&ws, "a.script"));
    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, strlen(yaml), NULL, "/", &config, NULL), 0);
    before = rig_census_take();
    torture_run(&(struct torture){.run = run_offers,
                                  .least = scenario->least,
                                  .step = scenario->step,
                                  .codes = codes,
                                  .more = check_recovery},
                how);
    config = mcphost_config_unref(config);
    rig_workspace_down(&ws);
}

/* R116: each scenario runs in both eras, with FAIL_ONCE and with FAIL_FROM_THEN_ON. */
START_TEST(resources_prompts_tasks_and_skills_report_failed_allocations)
{
    scenario = &scenarios[_i / 4];
    era = _i / 2 % 2;
    how = _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE;
    torture_offers();
}
END_TEST

static void
add(Suite *suite)
{
    for (int i = 0; i < (int)MCPH_ARRAY_SIZE(scenarios); i++) {
        TCase *tc = test_case(suite, scenarios[i].name);

        tcase_set_timeout(tc, 60);
        tcase_add_loop_test(tc,
                            resources_prompts_tasks_and_skills_report_failed_allocations,
                            4 * i, 4 * i + 4);
    }
}

int
main(void)
{
    return torture_main("torture-offers", add);
}
