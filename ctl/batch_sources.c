/* SPDX-License-Identifier: MIT
 *
 * batch_sources.c - the operations source_add and source_remove.
 */
#include <string.h>

#include "batch.h"
#include "profiles.h"

static const char *
get_id(struct batch *b, const struct command_line *line)
{
    const char *id = batch_get_string(line, "source");

    if (!id)
        batch_refuse_line(b, line, MCPHOST_E_INVALID, "'source' is missing");
    return id;
}

/* Returns the fault of a line with the operation source_add, or NULL if there is none. */
static const char *
find_fault(struct batch *b, const struct command_line *line, int *ret_code)
{
    const char *profile = batch_get_string(line, "profile");

    *ret_code = MCPHOST_E_INVALID;
    if (!profile == !batch_get_string(line, "file"))
        return "exactly one of 'profile' and 'file' is needed";
    if (!profile && batch_get_string(line, "dir"))
        return "'dir' needs a 'profile'";
    if (profile && !profile_find(profile))
        return "'profile' must be one of " PROFILE_WORDS;
    *ret_code = MCPHOST_E_EXISTS;
    if (source_find(b->ctl, batch_get_string(line, "source")))
        return "a source with this id already exists";
    *ret_code = MCPHOST_E_LIMIT;
    return b->ctl->n_sources == SOURCES_MAX ? "there are too many sources" : NULL;
}

/* Removes a source from the list and, if it was opened, from the host. */
static void
remove_source(struct batch *b, struct source *source)
{
    if (source->handle)
        mcphost_source_remove(source->handle);
    sources_drop(b->ctl, source);
}

void
batch_source_add(struct batch *b, const struct command_line *line)
{
    const char *id = get_id(b, line), *profile = batch_get_string(line, "profile");
    const char *dir = batch_get_string(line, "dir"), *fault;
    struct source *source = NULL;
    mcphost_error *err = NULL;
    int r;

    if (!id)
        return;
    fault = find_fault(b, line, &r);
    if (fault) {
        batch_refuse_line(b, line, r, fault);
        return;
    }
    if (sources_add(b->ctl, id, batch_get_string(line, "file"),
                    profile ? profile_find(profile) : NULL,
                    dir ? dir : ctl_directory(b->ctl), &source) != 0) {
        batch_refuse_line(b, line, MCPHOST_E_NOMEM, NULL);
        return;
    }
    r = source_open(b->ctl, source, &err);
    if (r == 0) {
        batch_answer_flag(b, line, "added", 1);
    } else {
        batch_refuse_error(b, line->id, line->id_len, r, err);
        remove_source(b, source);
    }
    mcphost_error_unref(err);
}

void
batch_source_remove(struct batch *b, const struct command_line *line)
{
    const char *id = get_id(b, line);
    struct source *source = source_find(b->ctl, id);

    if (!id)
        return;
    if (!source) {
        batch_refuse_line(b, line, MCPHOST_E_NOTFOUND, "no such source");
        return;
    }
    remove_source(b, source);
    batch_answer_flag(b, line, "removed", 1);
}
