/* SPDX-License-Identifier: MIT
 *
 * test_torture_removal.c - the removal of a source while memory runs out.
 *
 * While a catalog shows tools of the source, the removal is not settled, the host is
 * not ready, and the source does not end.
 *
 * Allocations fail only during the first N_SCARCE turns of the dispatcher in the removal.
 * If a server is still ending after these turns, allocations also fail until its end.
 * The test sets the clock forward, because the host repeats a failed attempt after some
 * time.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "base/base.h"
#include "host/host.h"
#include "support/rig.h"
#include "torture/session.h"
#include "torture/torture.h"

#define WAIT_MS  5000
#define STEP_MS  1000
#define N_SCARCE 20 /* turns of the dispatcher in which allocations may fail */

static mcphost_config *config;
static struct rig_census before;
static char guard[4200];
static int64_t ahead; /* ms by which the host's clock is ahead of the real clock */

static struct {
    mcphost *host;
    mcphost_source *source;
    mcphost_view *views[2];
} s;

static int64_t
now_ms(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms() + ahead;
}

static int
count_shown(int i)
{
    mcphost_catalog *catalog = NULL;
    int n;

    torture_must(mcphost_view_get_catalog(s.views[i], &catalog) == 0);
    n = (int)mcphost_catalog_count_tools(catalog);
    mcphost_catalog_unref(catalog);
    return n;
}

/* Checks whether the host is ready.  Reads the host's state directly, because an event
 * would need memory, and a wait would dispatch. */
static bool
is_settled(void)
{
    bool ready;

    mcph_core_lock(s.host->core);
    ready = s.host->ready;
    mcph_core_unlock(s.host->core);
    return ready;
}

static void
begin(void)
{
    static const char *const names[] = {"v", "w"};

    memset(&s, 0, sizeof(s));
    ahead = 0;
    torture_must(mcphost_new(&s.host, NULL) == 0);
    mcph_core_set_clock(s.host->core, now_ms, NULL);
    torture_must(mcphost_set_guard_path(s.host, guard) == 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_STOP_EOF, 500) == 0);
    torture_must(mcphost_source_new(s.host, "plug", &s.source, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        torture_must(mcphost_view_new_layered(s.host, names[i], &s.views[i], NULL) == 0);
        torture_must(mcphost_view_add_source(s.views[i], s.source, NULL, 0) == 0);
    }
    torture_must(mcphost_source_load(s.source, config) == 0);
    torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
    torture_must(mcphost_wait(s.host, 0) >= 0);
    torture_must(count_shown(0) > 0 && count_shown(1) > 0);
}

/* Checks that the removal is not settled and the source has not ended while a catalog
 * shows tools of the source. */
static void
look_at_server(void)
{
    failing_pause();
    if (count_shown(0) > 0 || count_shown(1) > 0)
        torture_must(!is_settled() && !s.source->left);
    failing_resume();
}

static void
turn(int ms)
{
    torture_must(mcphost_wait(s.host, ms) >= 0);
    look_at_server();
    ahead += STEP_MS;
}

/* Checks whether all servers are removed and a removed server has not ended yet. */
static bool
is_ending(void)
{
    return s.source->servers.n == 0 && !mcph_list_empty(&s.source->gone);
}

static void
end(void)
{
    mcphost_source_unref(s.source);
    for (int i = 0; i < 2; i++)
        mcphost_view_unref(s.views[i]);
    session_close(s.host);
    mcphost_unref(s.host);
}

static int
removal(void)
{
    int64_t until;

    failing_pause();
    begin();
    failing_resume();
    torture_must(mcphost_source_remove(s.source) == 0);
    until = mcph_clock_monotonic_ms() + WAIT_MS;
    for (int i = 0; !s.source->left && (i < N_SCARCE || is_ending()) &&
                    mcph_clock_monotonic_ms() < until;
         i++)
        turn(2);
    failing_pause();
    until = mcph_clock_monotonic_ms() + WAIT_MS;
    while (!s.source->left && mcph_clock_monotonic_ms() < until)
        turn(10);
    torture_must(s.source->left && is_settled());
    torture_must(count_shown(0) == 0 && count_shown(1) == 0);
    end();
    failing_resume();
    return 0;
}

/* ---- the test ---------------------------------------------------------------------- */

static void
up(void)
{
    char yaml[2048];
    int n = snprintf(yaml, sizeof(yaml),
                     "version: 1\nservers:\n  a:\n    transport: stdio\n"
                     "    command: '%s'\n    args: [-e, no-tools, -e, tool t]\n",
                     rig_fakeserver());

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, (size_t)n, NULL, "/", &config, NULL), 0);
    before = rig_census_take();
}

static void
down(void)
{
    config = mcphost_config_unref(config);
}

static void
check_removal(void)
{
    rig_census_check(&before, 2000);
}

START_TEST(a_removal_is_settled_when_no_catalog_shows_the_source) /* R94 R107 R116 */
{
    torture_run(
        &(struct torture){
            .run = removal, .least = 15, .recovers = true, .more = check_removal},
        _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "removal");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_removal_is_settled_when_no_catalog_shows_the_source, 0, 2);
}

int
main(void)
{
    return torture_main("torture-removal", add);
}
