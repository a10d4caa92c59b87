/* SPDX-License-Identifier: MIT
 *
 * test_torture_door.c - a door (lib/door) while memory runs out.
 *
 * A door listens on a loopback address for the redirect that ends a login.
 * mcph_door_open() opens a door or fails with MCPHOST_E_NOMEM.  An open door may lose a
 * connection.  When there is memory again, the door answers the next redirect.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/inner.h"
#include "support/rig.h"
#include "torture/torture.h"

static struct mcph_core *core;
static int64_t now_ms;
static int reports;
static struct rig_census census;

static int64_t
tell_time(void *arg)
{
    (void)arg;
    return now_ms;
}

static enum mcph_door_verdict
on_request(struct mcph_door *door, const char *query, void *arg)
{
    (void)door;
    (void)arg;
    torture_must(strcmp(query, "a") == 0);
    reports++;
    return MCPH_DOOR_REFUSED;
}

static const struct mcph_door_events events = {.request = on_request};
static const struct mcph_door_spec spec = {
    .path = "/callback", .done = "done", .failed = "failed", .events = &events};

static void
up(void)
{
    census = rig_census_take();
    now_ms = 1000;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, tell_time, NULL);
}

static void
down(void)
{
    core = mcph_core_unref(core);
    rig_census_check(&census, 0);
}

/* Sends a redirect.  Returns the status of the answer, or 0 if no answer came. */
static int
visit(const struct mcph_door *door)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)door->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0, n;
    char text[1024];

    torture_must(fd >= 0 && connect(fd, (struct sockaddr *)&in, sizeof(in)) == 0);
    n = snprintf(text, sizeof(text),
                 "GET /callback?a HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", door->port);
    torture_must(send(fd, text, (size_t)n, MSG_NOSIGNAL) == n);
    for (int i = 0; i < 6; i++) {
        now_ms += 100;
        (void)mcph_core_dispatch(core);
    }
    n = (int)recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
    if (n > 0) {
        text[n] = '\0';
        torture_must(sscanf(text, "HTTP/1.1 %d ", &status) == 1);
    }
    close(fd);
    for (int i = 0; i < 3; i++)
        (void)mcph_core_dispatch(core);
    return status;
}

static int
open_and_answer(void)
{
    struct mcph_door *door = NULL;
    mcphost_error *err = NULL;
    int r = mcph_door_open(core, &spec, &door, &err), status;

    torture_must((r == 0) == (door != NULL));
    torture_told(r, err);
    if (!door)
        return r;
    reports = 0;
    status = visit(door);
    torture_must(status == 0 || status == 403);
    failing_pause();
    torture_must(visit(door) == 403 && reports >= 1);
    torture_must(door->n_guests == 0);
    failing_resume();
    mcph_door_close(door);
    return status == 403 ? 0 : MCPHOST_E_NOMEM;
}

START_TEST(a_door_that_opens_answers_when_there_is_memory)
{
    torture_run(&(struct torture){.run = open_and_answer, .least = 7}, _i);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "door");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_door_that_opens_answers_when_there_is_memory, 0, 2);
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return torture_main("torture-door", add);
}
