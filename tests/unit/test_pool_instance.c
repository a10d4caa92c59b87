/* SPDX-License-Identifier: MIT
 *
 * test_pool_instance.c - how long the free of an instance (a connection to a server)
 * waits for the server's processes.
 */
#include <stdlib.h>
#include <time.h>

#include "pool/inner.h"
#include "support/runner.h"

#define WAIT_MS 1000

/* The times in ms that the transports were given to end, in the order of the calls. */
static int64_t waits[2];
static size_t n_waits;

static void
slow_free(struct mcph_transport *t, int64_t wait_ms)
{
    (void)t;
    ck_assert_uint_lt(n_waits, 2);
    waits[n_waits++] = wait_ms;
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

/* While an instance restarts, it has the transport of the old process, too. */
START_TEST(the_two_transports_of_a_restarting_instance_share_the_time_to_wait)
{
    static const struct mcph_transport_ops ops = {.name = "slow", .free = slow_free};
    struct mcph_transport present = {.ops = &ops}, old = {.ops = &ops};
    struct mcph_instance *inst = calloc(1, sizeof(*inst));
    struct mcph_pool pool = {.core = NULL};

    ck_assert_int_eq(mcph_core_new(&pool.core, NULL), 0);
    inst->pool = &pool;
    inst->transport = &present;
    inst->old = &old;
    mcph_list_init(&inst->queue_link);
    mcph_list_init(&inst->settle.link);
    mcph_instance_free(inst, WAIT_MS);
    ck_assert_uint_eq(n_waits, 2);
    ck_assert_int_eq(waits[0], WAIT_MS);
    ck_assert_int_le(waits[1], WAIT_MS - 19);
    mcph_core_unref(pool.core);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "free");

    tcase_add_test(tc,
                   the_two_transports_of_a_restarting_instance_share_the_time_to_wait);
}

int
main(void)
{
    return test_main("pool-instance", add);
}
