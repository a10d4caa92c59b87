/* SPDX-License-Identifier: MIT
 *
 * fuzz_rpc_message.c - sends lines of a peer to an endpoint with calls in flight.
 *
 * Each call must end at most once.  Progress must not arrive after the end.  The counters
 * must be consistent.  The answer to a request must be JSON with the id of the request.
 *
 * Bit 0 of byte 0 allows batches.  Bit 1 abandons calls at their first progress.  The
 * other bits are the nesting limit.  The remaining bytes are the lines of the peer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_CALLS 5

struct probe {
    struct mcph_rpc_call call;
    int answers;
};

static struct probe probes[N_CALLS];

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct probe *p = MCPH_CONTAINER_OF(call, struct probe, call);
    struct mcph_span message, data;
    int64_t code;

    must(++p->answers == 1 && !mcph_rpc_call_waits(call));
    switch (answer->code) {
    case 0:
        must(answer->msg->result.p && answer->frame);
        break;
    case MCPHOST_E_RPC:
        mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
        must(!message.p || *message.p == '"');
        break;
    default:
        must(answer->code == MCPHOST_E_PROTOCOL && answer->why);
    }
}

static void
on_progress(struct mcph_rpc_call *call, const struct mcph_rpc_message *msg)
{
    must(MCPH_CONTAINER_OF(call, struct probe, call)->answers == 0 && msg->params.p);
    if (call->max_ms == 1)
        mcph_rpc_abandon(call);
}

static void
on_request(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_message back;
    struct mcph_buf buf;

    (void)rpc;
    mcph_buf_init(&buf, SIZE_MAX / 4);
    must(mcph_rpc_add_error(&buf, msg->id.raw, MCPH_RPC_METHOD_NOT_FOUND,
                            "method not found", MCPH_SPAN_NONE) == 0);
    mcph_rpc_parse(mcph_span(buf.data, buf.len), 0, &back);
    must(back.kind == MCPH_RPC_ERROR && mcph_rpc_id_eq(&back.id, &msg->id));
    mcph_buf_done(&buf);
}

static void
on_other(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    (void)rpc;
    must(msg->frame != NULL);
}

static const struct mcph_rpc_ops ops = {on_request, on_other, on_other,
                                        on_other,   on_other, on_other};

static int64_t
no_time(void *arg)
{
    (void)arg;
    return 0;
}

/* Returns the core that all runs share.  Making a core for each run would cost system
 * calls. */
static struct mcph_core *
the_core(void)
{
    static struct mcph_core *core;

    if (!core) {
        must(mcph_core_new(&core, NULL) == 0);
        mcph_core_set_clock(core, no_time, NULL);
    }
    return core;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p, *end;
    struct mcph_rpc rpc;
    size_t i, waiting = 0, ended = 0;

    if (size < 1)
        return 0;
    mcph_rpc_init(&rpc, the_core(), &ops);
    rpc.allow_batch = data[0] & 1;
    rpc.depth = data[0] >> 2;
    for (i = 0; i < N_CALLS; i++) {
        probes[i] = (struct probe){.call = {.on_answer = on_answer,
                                            .on_progress = on_progress,
                                            .timeout_ms = -1,
                                            .max_ms = data[0] & 2 ? 1 : -1,
                                            .progress_resets = true}};
        must((i == 0 ? mcph_rpc_start_named(&rpc, &probes[i].call, "listen")
                     : mcph_rpc_start(&rpc, &probes[i].call)) == 0);
    }
    p = (const char *)data + 1;
    end = (const char *)data + size;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        struct mcph_frame *frame = mcph_frame_new(p, (size_t)(stop - p));

        must(frame != NULL);
        mcph_rpc_receive(&rpc, frame);
        mcph_frame_unref(frame);
        p = newline ? newline + 1 : end;
    }
    for (i = 0; i < N_CALLS; i++) {
        waiting += mcph_rpc_call_waits(&probes[i].call);
        ended += probes[i].answers > 0;
    }
    must(rpc.n_calls == waiting && waiting + ended <= N_CALLS);
    must(rpc.counters.garbage <= rpc.counters.messages);
    mcph_rpc_done(&rpc);
    return 0;
}
