/* SPDX-License-Identifier: MIT
 *
 * project.c - convert the schema of a tool's arguments for a provider.
 *
 * The conversion is pure: the same input bytes give the same output bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "model/inner.h"

static int
project_as(const struct mcph_profile *profile, struct mcph_span schema,
           struct mcph_buf *out, struct mcph_projecting *p, char *why)
{
    struct mcph_part part = {.schema = schema};
    struct mcph_buf mine;
    int r;

    mcph_buf_init(&mine, profile->out_max);
    *p = (struct mcph_projecting){
        .profile = profile, .root = schema, .out = &mine, .why = why};
    *why = '\0';
    r = mcph_write_schema(p, &part, 1, MCPH_EMIT_ROOT);
    if (r == 0)
        r = mcph_project_fail(p, "its schema allows no arguments at all");
    if (r > 0) {
        mcph_buf_add(out, mine.data, mine.len);
        r = mcph_buf_ok(out);
    }
    mcph_renames_done(p);
    mcph_buf_done(&mine);
    return r;
}

int
mcph_model_project(int profile, struct mcph_span schema, struct mcph_buf *out,
                   unsigned *ret_flags, char ret_why[MCPH_PROJECT_WHY])
{
    struct mcph_projecting p;
    char strict_why[MCPH_PROJECT_WHY];
    unsigned flags = 0;
    int r;

    memset(ret_why, 0, MCPH_PROJECT_WHY);
    r = project_as(mcph_profile_of(profile), schema, out, &p, ret_why);
    if (r == MCPHOST_E_LIMIT && profile == MCPHOST_PROFILE_OPENAI_STRICT) {
        memcpy(strict_why, ret_why, sizeof(strict_why));
        memset(ret_why, 0, MCPH_PROJECT_WHY);
        r = project_as(mcph_profile_of(MCPHOST_PROFILE_OPENAI), schema, out, &p, ret_why);
        flags |= MCPH_PROJECT_LOOSE;
        if (r == 0)
            memcpy(ret_why, strict_why, sizeof(strict_why));
    }
    if (r < 0)
        return r;
    if (p.empty)
        flags |= MCPH_PROJECT_EMPTY;
    *ret_flags = flags;
    return 0;
}
