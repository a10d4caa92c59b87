/* SPDX-License-Identifier: MIT
 *
 * test_torture_provider.c - starts and closes a provider of the application while memory
 * runs out.
 */
#include <mcphost/mcphost.h>
#include <string.h>

#include "support/rig.h"
#include "torture/torture.h"

#define WAITS 200

static mcphost *host;
static mcphost_provider *provider;
static int n_up, n_torn;

static int
set_up(mcphost_provider *which, void *arg, mcphost_error **reterr)
{
    (void)which;
    (void)arg;
    (void)reterr;
    n_up++;
    return 0;
}

static void
tear_down(mcphost_provider *which, void *arg)
{
    (void)which;
    (void)arg;
    n_torn++;
}

static void
wait_for(const int *n)
{
    for (int i = 0; i < WAITS && *n == 0; i++)
        (void)mcphost_wait(host, 10);
    torture_must(*n == 1);
}

static void
make_provider(void)
{
    n_up = n_torn = 0;
    torture_must(mcphost_new(&host, NULL) == 0);
    torture_must(
        mcphost_provider_new(mcphost_default_source(host), "app", &provider, NULL) == 0);
    torture_must(mcphost_provider_set_life(provider, set_up, tear_down, NULL, NULL) == 0);
}

static void
begin(void)
{
    make_provider();
    torture_must(mcphost_provider_start(provider) == 0);
    wait_for(&n_up);
}

static void
end(void)
{
    provider = mcphost_provider_unref(provider);
    torture_must(mcphost_close(host) == 0);
    for (int i = 0; i < WAITS && mcphost_wait(host, 10) != MCPHOST_E_CLOSED; i++)
        ;
    host = mcphost_unref(host);
}

/* Closes a provider.  If the close fails, the provider keeps running.  A second close
 * must then succeed. */
static int
close_provider(void)
{
    int r;

    failing_pause();
    begin();
    failing_resume();
    r = mcphost_provider_close(provider);
    failing_pause();
    if (r < 0) {
        for (int i = 0; i < 5; i++)
            (void)mcphost_wait(host, 1);
        torture_must(n_torn == 0);
        torture_must(mcphost_provider_close(provider) == 0);
    }
    wait_for(&n_torn);
    end();
    failing_resume();
    return r;
}

/* Starts a provider.  If the start fails, checks that a second start without failing
 * allocations succeeds.  Returns the result of the first start. */
static int
start_provider(void)
{
    int r;

    failing_pause();
    make_provider();
    failing_resume();
    r = mcphost_provider_start(provider);
    failing_pause();
    if (r < 0)
        torture_must(mcphost_provider_start(provider) == 0);
    wait_for(&n_up);
    end();
    failing_resume();
    return r;
}

static const int modes[] = {FAIL_ONCE, FAIL_FROM_THEN_ON};

START_TEST(a_provider_is_started_or_can_be_started_again) /* R167 */
{
    struct rig_census before = rig_census_take();

    torture_run(&(struct torture){.run = start_provider, .least = 1}, modes[_i]);
    rig_census_check(&before, 2000);
}
END_TEST

START_TEST(a_provider_is_closed_or_can_be_closed_again) /* R167 */
{
    struct rig_census before = rig_census_take();

    torture_run(&(struct torture){.run = close_provider, .least = 1}, modes[_i]);
    rig_census_check(&before, 2000);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "provider");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_provider_is_started_or_can_be_started_again, 0, 2);
    tcase_add_loop_test(tc, a_provider_is_closed_or_can_be_closed_again, 0, 2);
}

int
main(void)
{
    return torture_main("torture-provider", add);
}
