/* SPDX-License-Identifier: MIT
 *
 * envelope.c - find the members of a message that is checked while it is read.
 */
#include <string.h>

#include "rpc/rpc.h"

static const char *const names[MCPH_N_MEMBERS] = {
    [MCPH_MEMBER_RESULT] = "result", [MCPH_MEMBER_JSONRPC] = "jsonrpc",
    [MCPH_MEMBER_ID] = "id",         [MCPH_MEMBER_METHOD] = "method",
    [MCPH_MEMBER_PARAMS] = "params", [MCPH_MEMBER_ERROR] = "error",
};

void
mcph_envelope_begin(struct mcph_envelope *envelope)
{
    struct mcph_json_catch *id = &envelope->members[MCPH_MEMBER_ID];

    for (int i = 0; i < MCPH_N_MEMBERS; i++)
        envelope->members[i] =
            (struct mcph_json_catch){.name = names[i], .name_len = strlen(names[i])};
    id->value = envelope->id;
    id->size = sizeof(envelope->id);
    envelope->fed = 0;
    envelope->code = 0;
    envelope->fault = (struct mcph_json_fault){0};
    mcph_json_stream_init(&envelope->stream, envelope->members, MCPH_N_MEMBERS);
}

void
mcph_envelope_feed(struct mcph_envelope *envelope, const char *data, size_t len)
{
    mcph_json_stream_feed(&envelope->stream, data, len);
    envelope->fed += len;
}

void
mcph_envelope_end(struct mcph_envelope *envelope)
{
    envelope->code = mcph_json_stream_verdict(&envelope->stream, &envelope->fault);
}
