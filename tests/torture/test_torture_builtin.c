/* SPDX-License-Identifier: MIT
 *
 * test_torture_builtin.c - built-in tools and their calls while memory runs out.
 *
 * Each allocation fails once, or together with all later allocations.  The test needs no
 * server process, and is therefore fast enough to try every allocation.
 */
#include <string.h>

#include "base/base.h"
#include "torture/session.h"
#include "torture/torture.h"

#define WAIT_MS 5000
#define TEXT(s) s, sizeof(s) - 1

/* The state of one session. */
static struct {
    mcphost *host;
    mcphost_view *view; /* a layered view */
    mcphost_dialog *dialog;
    mcphost_call *kept; /* the reference that keep_call() took, or NULL */
    int made, freed;    /* numbers of arguments: given to tools, and freed */
    int asked, told, told_freed;
    int started, done;
} s;

static mcphost_config *nothing;

/* MCPHOST_E_NOTFOUND and MCPHOST_E_GONE occur if the host could not publish the new
 * catalog. */
static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_NOTFOUND, MCPHOST_E_GONE, 0};

static void
count_free(void *arg)
{
    (*(int *)arg)++;
}

static void
on_cancelled(mcphost_call *call, void *arg)
{
    torture_must(arg == &s.told_freed && mcphost_call_is_cancelled(call));
    s.told++;
}

/* Reports progress and answers with a complete result. */
static int
answer(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    mcphost_error *error = NULL;
    int r;

    torture_must(arg == &s.freed && strlen(arguments) == len);
    (void)torture_good(mcphost_call_report_progress(call, 1, 2, TEXT("half")));
    r = mcphost_call_answer_result(
        call,
        TEXT("{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{"
             "\"n\":1}}"),
        &error);
    (void)torture_told(r, error);
    return r;
}

/* Keeps the call and sets a function for its cancellation. */
static int
keep_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    int r;

    (void)arguments;
    (void)len;
    (void)arg;
    s.asked++;
    r = mcphost_call_set_cancelled(call, on_cancelled, &s.told_freed, count_free);
    if (torture_good(r))
        s.kept = mcphost_call_ref(call);
    return r;
}

static bool
add_tool(mcphost_builtins *block, const char *json, mcphost_builtin_fn fn)
{
    mcphost_error *error = NULL;
    int r;

    s.made++;
    r = mcphost_builtins_add_tool(block, json, strlen(json), fn, &s.freed, count_free,
                                  &error);
    return torture_told(r, error);
}

static bool
add_set(mcphost_builtins *block, const char *name)
{
    static const char *const tools[] = {"now", "later"};
    mcphost_error *error = NULL;
    int r = mcphost_builtins_add_toolset(block, name, "Tools of ours.", tools, 2, &error);

    return torture_told(r, error);
}

/* Gives the view a block of two tools.  Both tools are in both toolsets of the block. */
static void
set_block(mcphost_view *view)
{
    static const char now[] =
        "{\"name\":\"now\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{"
        "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}";
    static const char later[] = "{\"name\":\"later\",\"inputSchema\":{}}";
    mcphost_builtins *block = NULL;
    mcphost_error *error = NULL;
    int r = mcphost_builtins_new("us", &block, &error);

    torture_must((r == 0) == (block != NULL));
    if (torture_told(r, error) && add_tool(block, now, answer) &&
        add_tool(block, later, keep_call) && add_set(block, "one") &&
        add_set(block, "two")) {
        error = NULL;
        r = mcphost_view_set_builtins(view, block, &error);
        (void)torture_told(r, error);
    }
    mcphost_builtins_unref(block);
}

static void
add_and_remove_tool(void)
{
    mcphost_view *view = mcphost_default_view(s.host);
    mcphost_error *error = NULL;
    int r;

    s.made++;
    r = mcphost_view_add_builtin(view, "short", "brief", "d", "{}", keep_call, &s.freed,
                                 count_free, &error);
    if (!torture_told(r, error))
        return;
    error = NULL;
    r = mcphost_view_set_toolset_description(view, "short", "Brief.", &error);
    (void)torture_told(r, error);
    (void)torture_good(mcphost_view_remove_builtin(view, "brief"));
}

/* ---- calls ------------------------------------------------------------------------- */

static void
on_done(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    s.done++;
}

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t len, void *arg)
{
    (void)call;
    (void)arg;
    torture_must(progress == 1 && total == 2 && len == 4 && strcmp(message, "half") == 0);
}

static mcphost_call *
start(const char *tool)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r;

    if (!s.dialog)
        return NULL;
    r = mcphost_call_new(s.dialog, tool, TEXT("{}"), &call, &error);
    torture_must((r == 0) == (call != NULL));
    if (!torture_told(r, error))
        return NULL;
    (void)torture_good(mcphost_call_set_progress(call, on_progress, NULL, NULL));
    if (!torture_good(mcphost_call_start(call, on_done, NULL, NULL)))
        return mcphost_call_unref(call);
    s.started++;
    return call;
}

/* Waits for the end of the call.  Records the call's error code unless it is
 * `expected`. */
static void
end(mcphost_call *call, int expected)
{
    int code;

    if (!call)
        return;
    torture_must(mcphost_call_wait(call, WAIT_MS) == 1);
    code = mcphost_error_get_code(mcphost_call_get_error(call));
    torture_must((code == 0) == (mcphost_call_get_result(call) != NULL));
    if (code != expected)
        (void)torture_good(code);
    mcphost_call_unref(call);
}

/* Starts a call that the tool keeps.  Cancels the call. */
static void
cancel(void)
{
    mcphost_call *call = start("later");
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS;
    int asked = s.asked;

    if (!call)
        return;
    while (s.asked == asked && !mcphost_call_is_done(call) &&
           mcph_clock_monotonic_ms() < until)
        torture_must(mcphost_wait(s.host, 10) >= 0);
    /* The removal of the block does not end the pending call. */
    (void)torture_good(mcphost_view_remove_builtins(mcphost_default_view(s.host), "us"));
    torture_must(mcphost_call_cancel(call) == 0);
    end(call, MCPHOST_E_CANCELLED);
    torture_must(s.told == (s.kept != NULL));
    if (s.kept)
        torture_must(mcphost_call_answer(s.kept, TEXT("late"), 0) == MCPHOST_E_STATE);
    s.kept = mcphost_call_unref(s.kept);
}

/* ---- a session --------------------------------------------------------------------- */

static bool
begin(void)
{
    mcphost_error *error = NULL;
    int r;

    memset(&s, 0, sizeof(s));
    r = mcphost_new(&s.host, &error);
    if (!torture_told(r, error))
        return false;
    set_block(mcphost_default_view(s.host));
    if (!torture_good(mcphost_load(s.host, nothing)))
        return false;
    torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
    error = NULL;
    r = mcphost_dialog_new(mcphost_default_view(s.host), "d", NULL, &s.dialog, &error);
    (void)torture_told(r, error);
    error = NULL;
    r = mcphost_view_new_layered(s.host, "v", &s.view, &error);
    return torture_told(r, error);
}

static void
finish(void)
{
    mcphost *host = s.host;

    if (!host)
        return;
    session_close(host);
    torture_must(s.done == s.started);
    s.kept = mcphost_call_unref(s.kept);
    mcphost_dialog_unref(s.dialog);
    mcphost_view_unref(s.view);
    s.host = NULL;
    mcphost_unref(host);
    torture_must(s.freed == s.made);
    torture_must(s.told_freed == s.asked);
}

static int
session(void)
{
    if (begin()) {
        end(start("now"), 0);
        set_block(mcphost_default_view(s.host)); /* a new block with equal schemas */
        set_block(s.view);
        end(start("now"), 0);
        add_and_remove_tool();
        cancel();
        (void)torture_good(mcphost_view_remove_builtins(s.view, "us"));
    }
    finish();
    return torture_code();
}

static void
up(void)
{
    ck_assert_int_eq(
        mcphost_config_load_memory(TEXT("version: 1\n"), NULL, "/", &nothing, NULL), 0);
}

static void
down(void)
{
    nothing = mcphost_config_unref(nothing);
}

START_TEST(if_allocations_fail_built_in_calls_end_once_and_arguments_are_freed) /* R116 */
{
    torture_run(&(struct torture){.run = session, .least = 300, .codes = codes},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sessions");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, if_allocations_fail_built_in_calls_end_once_and_arguments_are_freed, 0, 2);
}

int
main(void)
{
    return torture_main("torture-builtin", add);
}
