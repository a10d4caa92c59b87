/* SPDX-License-Identifier: MIT
 *
 * test_torture_pair.c - a transport over a pair of descriptors while memory runs out.
 *
 * The transport reads two messages, and the test answers each message with a copy of the
 * message.  The transport writes both answers, or ends the connection with a reason.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/procrig.h"
#include "torture/torture.h"
#include "transport/transport.h"

#define LARGE 100000 /* bytes of a message that the framer does not copy */

static struct mcph_core *core;
static int messages, closings, gones, code;

static void
on_message(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame, void *arg)
{
    int r = mcph_transport_send(t, mcph_frame_span(frame), NULL, 0, MCPH_SEND_RESPONSE,
                                stream);

    (void)arg;
    messages++;
    if (r < 0)
        code = r;
}

static void
on_closed(struct mcph_transport *t, uint64_t stream, mcphost_error *reason, void *arg)
{
    (void)t;
    (void)stream;
    (void)arg;
    closings++;
    if (mcphost_error_get_code(reason) != MCPHOST_E_TRANSPORT)
        code = mcphost_error_get_code(reason);
}

static void
on_gone(struct mcph_transport *t, void *arg)
{
    (void)t;
    (void)arg;
    gones++;
}

static const struct mcph_transport_user user = {.message = on_message,
                                                .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};

/* Dispatches until the transport has ended, for 2 s at most.  Returns the number of bytes
 * that the transport has written. */
static size_t
talk(int peer)
{
    static char heard[65536];
    int64_t end = mcph_clock_monotonic_ms() + 2000;
    size_t len = 0;
    ssize_t n;

    while (gones == 0 && mcph_clock_monotonic_ms() < end) {
        mcph_core_wait(core, 5);
        n = recv(peer, heard, sizeof(heard), MSG_DONTWAIT);
        len += n > 0 ? (size_t)n : 0;
    }
    while ((n = recv(peer, heard, sizeof(heard), MSG_DONTWAIT)) > 0)
        len += (size_t)n;
    return len;
}

static int
serve(int end, int peer)
{
    static char large[LARGE + 1];
    struct mcph_transport *t;
    mcphost_error *error = NULL;
    size_t len = 0;
    int r = mcph_pair_new(core, end, end, &owner, NULL, &t, &error);

    torture_must((r < 0) == (error != NULL));
    mcphost_error_unref(error);
    if (r < 0)
        return r;
    memset(large, 'x', LARGE);
    large[LARGE] = '\n';
    torture_must(write(peer, "{}\n", 3) == 3);
    torture_must(write(peer, large, sizeof(large)) == sizeof(large));
    shutdown(peer, SHUT_WR);
    mcph_transport_set_user(t, &user, NULL);
    r = mcph_transport_open(t, NULL);
    if (r == 0) {
        len = talk(peer);
        torture_must(closings == 1 && gones == 1);
        torture_must(code < 0 || (messages == 2 && len == LARGE + 4));
        r = code;
    }
    mcph_transport_free(t, 0);
    return r;
}

static int
run_pair(void)
{
    int fds[2], r;

    messages = closings = gones = code = 0;
    r = mcph_core_new(&core, NULL);
    if (r < 0)
        return r;
    torture_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    r = serve(fds[0], fds[1]);
    mcph_core_drain(core);
    mcph_core_unref(core);
    torture_must(close(fds[0]) == 0 && close(fds[1]) == 0);
    return r;
}

START_TEST(if_allocations_fail_each_message_is_answered_or_the_transport_ends)
{
    static const struct torture torture = {.run = run_pair, .least = 8};
    int fds;

    run_pair();
    fds = procrig_count_fds();
    torture_run(&torture, _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
    ck_assert_int_eq(procrig_count_fds(), fds);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "pair");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(
        tc, if_allocations_fail_each_message_is_answered_or_the_transport_ends, 0, 2);
}

int
main(void)
{
    return torture_main("torture-pair", add);
}
