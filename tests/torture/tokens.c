/* SPDX-License-Identifier: MIT
 *
 * tokens.c - an application's store of tokens whose own allocations never fail.
 */
#include "torture/tokens.h"
#include "torture/failing.h"

struct tokendb tokens;

static int
load(const char *key, char *buffer, size_t size, void *arg, mcphost_error **reterr)
{
    int r;

    failing_pause();
    r = tokendb_load(key, buffer, size, arg, reterr);
    failing_resume();
    return r;
}

static int
save(const char *key, const char *old, const char *text, void *arg,
     mcphost_error **reterr)
{
    int r;

    failing_pause();
    r = tokendb_save(key, old, text, arg, reterr);
    failing_resume();
    return r;
}

static int
next(const char *after, char *buffer, size_t size, void *arg, mcphost_error **reterr)
{
    int r;

    failing_pause();
    r = tokendb_next(after, buffer, size, arg, reterr);
    failing_resume();
    return r;
}

const struct mcph_store_calls tokens_calls = {
    .load = load, .save = save, .next = next, .arg = &tokens, .free_arg = tokendb_free};
