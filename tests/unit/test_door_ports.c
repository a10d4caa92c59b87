/* SPDX-License-Identifier: MIT
 *
 * test_door_ports.c - the port of the door for redirects.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/inner.h"
#include "support/rig.h"
#include "support/runner.h"

static struct mcph_core *core;
static struct mcph_door *door;
static struct rig_census census;

static enum mcph_door_verdict
on_request(struct mcph_door *from, const char *query, void *arg)
{
    (void)from;
    (void)query;
    (void)arg;
    return MCPH_DOOR_DONE;
}

static void
on_answered(struct mcph_door *from, void *arg)
{
    (void)from;
    (void)arg;
}

/* Opens a door, at this port if possible.  0 means any port. */
static struct mcph_door *
open_door(unsigned port)
{
    static const struct mcph_door_events events = {on_request, on_answered};
    const struct mcph_door_spec spec = {.path = "/callback",
                                        .port = port,
                                        .done = "Done.",
                                        .failed = "Failed.",
                                        .events = &events};
    struct mcph_door *made = NULL;

    ck_assert_int_eq(mcph_door_open(core, &spec, &made, NULL), 0);
    return made;
}

static void
up(void)
{
    census = rig_census_take();
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    door = open_door(0);
}

static void
down(void)
{
    door = mcph_door_close(door);
    core = mcph_core_unref(core);
    rig_census_check(&census, 0);
}

/* Connects to the door, which accepts the connection. */
static int
enter(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)door->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    for (int i = 0; i < 100 && door->n_guests == 0; i++)
        mcph_core_wait(core, 10);
    ck_assert_uint_eq(door->n_guests, 1);
    return fd;
}

START_TEST(two_doors_have_ports_of_their_own)
{
    struct mcph_door *other = open_door(_i == 0 ? 0 : door->port);

    ck_assert_uint_gt(other->port, 0);
    ck_assert_uint_ne(other->port, door->port);
    mcph_door_close(other);
}
END_TEST

/* The door ends its connection first, so the kernel keeps the port in FIN_WAIT2, or in
 * TIME_WAIT if the browser has ended the connection, too. */
START_TEST(a_door_gets_the_port_of_an_earlier_door_with_connections)
{
    unsigned port = door->port;
    int fd = enter();

    door = mcph_door_close(door);
    if (_i == 1)
        shutdown(fd, SHUT_RDWR);
    door = open_door(port);
    ck_assert_uint_eq(door->port, port);
    close(fd);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "ports");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, two_doors_have_ports_of_their_own, 0, 2);
    tcase_add_loop_test(tc, a_door_gets_the_port_of_an_earlier_door_with_connections, 0,
                        2);
}

int
main(void)
{
    return test_main("door-ports", add);
}
