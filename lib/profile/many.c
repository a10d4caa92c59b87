/* SPDX-License-Identifier: MIT
 *
 * many.c - read several files of the Dominds form as one configuration: a list of files,
 * or the files of a directory (R3, R93, R114).
 *
 *   list the files -> read one after the other -> merge their servers
 *
 * Each file has a reader and a last good state.  If the reader rejects a file, only the
 * servers of this file are affected: they are lost, or they stay as in the last good
 * state if the application wants that (`keeps_last_good`).  read_part() does not read a
 * good file again if is_unchanged() accepts it.  Therefore an edit of one file usually
 * reads one file and not a thousand.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/profile.h"

#define SOURCE    "dominds"
#define FILES_MAX 1000

struct part {
    struct mcph_config_reader *reader; /* reader of one file */
    mcphost_config *config;   /* set only during a read; NULL if the file was deleted */
    mcphost_config *good;     /* the last accepted configuration, or NULL */
    struct mcph_file_sig sig; /* signature from before `good` was read */
    bool settled;             /* true if every later change of the file changes `sig` */
    bool in_both; /* set by a listing if both the old and the new list have the file */
};

struct many {
    struct mcph_config_reader base;
    char *dir;       /* NULL if the application named the files */
    char *workspace; /* absolute path */
    char *shown;     /* name in errors, for example "3 files" */
    struct mcph_vec parts;
};

static void
part_free(struct part *part)
{
    if (part->reader)
        part->reader->free(part->reader);
    mcph_config_unref(part->config);
    mcph_config_unref(part->good);
    free(part);
}

/* Adds a part for the file at `path`, which is absolute. */
static int
part_add(const struct many *many, struct mcph_vec *parts, const char *path,
         mcphost_error **reterr)
{
    struct part *part = calloc(1, sizeof(*part));
    int r;

    if (!part)
        return mcph_err_nomem(reterr);
    r = mcph_dominds_source_new(path, many->workspace, &part->reader, reterr);
    if (r == 0 && mcph_vec_add(parts, part) < 0)
        r = mcph_err_nomem(reterr);
    if (r < 0)
        part_free(part);
    return r;
}

/* ---- the files of a directory ------------------------------------------------------ */

static bool
ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);

    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

static bool
is_config_name(const char *name)
{
    return name[0] != '.' && (ends_with(name, ".yaml") || ends_with(name, ".yml"));
}

/* Frees one of two lists of parts, and the parts that are not in the other list. */
static void
drop_others(struct mcph_vec *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        struct part *part = parts->items[i];

        if (!part->in_both)
            part_free(part);
    }
    mcph_vec_done(parts);
}

/* Finds the part of a path.  Returns NULL if no part has the path.  The search begins at
 * *at, because both the parts and the caller's paths are in ascending order.  Moves *at
 * to the start of the next search. */
static struct part *
find_part(const struct many *many, const char *path, size_t *at)
{
    for (; *at < many->parts.n; ++*at) {
        struct part *part = many->parts.items[*at];
        int order = strcmp(part->reader->file, path);

        if (order >= 0)
            return order == 0 ? part : NULL;
    }
    return NULL;
}

static int
add_names(struct many *many, const struct mcph_vec *names, struct mcph_vec *parts,
          mcphost_error **reterr)
{
    size_t at = 0;
    int r = 0;

    for (size_t i = 0; i < names->n && r == 0; i++) {
        char *path = mcph_profile_join(many->dir, names->items[i]);
        struct part *part = path ? find_part(many, path, &at) : NULL;

        if (!path || (part && mcph_vec_add(parts, part) < 0))
            r = mcph_err_nomem(reterr);
        else if (part)
            part->in_both = true;
        else
            r = part_add(many, parts, path, reterr);
        free(path);
    }
    return r;
}

/* Lists the directory again.  A file that was listed before keeps its part with the last
 * good state.  If the directory cannot be listed or there is no memory, the list stays as
 * it was. */
static int
list_files(struct many *many, mcphost_error **reterr)
{
    struct mcph_vec names, parts = {0};
    int r = mcph_dir_list(many->dir, is_config_name, FILES_MAX, &names, reterr);

    if (r < 0)
        return r;
    r = add_names(many, &names, &parts, reterr);
    mcph_dir_list_done(&names);
    drop_others(r < 0 ? &parts : &many->parts);
    if (r == 0)
        many->parts = parts;
    for (size_t i = 0; i < many->parts.n; i++)
        ((struct part *)many->parts.items[i])->in_both = false;
    return r;
}

/* ---- reading ----------------------------------------------------------------------- */

/* Checks whether a file of the directory was deleted after the directory was listed.
 * Always returns false for a list of files. */
static bool
has_gone(const struct many *many, const struct part *part)
{
    struct stat st;

    return many->dir && part->config->status == MCPHOST_E_NOTFOUND &&
           lstat(part->reader->file, &st) < 0;
}

/* Checks whether a part need not be read again.  Returns false for a part whose
 * configuration names further files, because the further files may have changed. */
static bool
is_unchanged(const struct part *part, const struct mcph_file_sig *now,
             unsigned transports)
{
    return part->good && part->settled && mcph_file_sig_equal(&part->sig, now) &&
           part->good->transports == transports && part->good->files.n == 0;
}

static void
set_good(struct part *part, mcphost_config *config, const struct mcph_file_sig *sig)
{
    mcph_config_unref(part->good);
    part->good = mcph_config_ref(config);
    part->sig = *sig;
    part->settled = !mcph_file_sig_young(sig, mcph_clock_realtime_ms());
}

static int
read_part(const struct many *many, struct part *part, mcphost_error **reterr)
{
    struct mcph_file_sig sig;
    int r;

    mcph_file_sign(part->reader->file, &sig);
    if (is_unchanged(part, &sig, many->base.transports)) {
        part->config = mcph_config_ref(part->good);
        return 0;
    }
    part->reader->transports = many->base.transports;
    r = part->reader->read(part->reader, &part->config, reterr);
    if (r < 0)
        return r;
    part->settled = false;
    if (has_gone(many, part)) {
        part->good = mcph_config_unref(part->good);
        part->config = mcph_config_unref(part->config);
    } else if (part->config->status == 0) {
        set_good(part, part->config, &sig);
    } else if (!many->base.keeps_last_good) {
        part->good = mcph_config_unref(part->good);
    }
    return 0;
}

static int
merge_part(const struct many *many, const struct part *part, mcphost_config *whole)
{
    const char *file = part->reader->file;
    int r = 0;

    if (!part->config)
        return 0;
    if (file != many->base.file)
        r = mcph_config_add_file(whole, file);
    if (r == 0)
        r = mcph_config_merge(whole, part->config, false);
    if (r == 0 && part->config->status < 0 && part->good)
        r = mcph_config_merge(whole, part->good, true);
    return r;
}

static int
read_parts(struct many *many, mcphost_config *whole, mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; i < many->parts.n && r == 0; i++)
        r = read_part(many, many->parts.items[i], reterr);
    if (r < 0)
        return r;
    for (size_t i = 0; i < many->parts.n && r == 0; i++)
        r = merge_part(many, many->parts.items[i], whole);
    if (r == 0)
        r = mcph_config_finish(whole);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

static int
read_many(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    struct many *many = (struct many *)base;
    mcphost_error *err = NULL;
    mcphost_config *whole;
    int r = 0;

    whole = mcph_config_new(SOURCE, NULL, many->shown, many->workspace);
    if (!whole)
        return mcph_err_nomem(reterr);
    whole->transports = base->transports;
    if (many->dir)
        r = list_files(many, &err);
    if (r == 0)
        r = read_parts(many, whole, &err);
    else if (r != MCPHOST_E_NOMEM)
        r = mcph_config_fail(whole, r, "", 0, 0, "%s", mcphost_error_get_message(err));
    mcphost_error_unref(err);
    for (size_t i = 0; i < many->parts.n; i++) {
        struct part *part = many->parts.items[i];

        part->config = mcph_config_unref(part->config);
    }
    if (r < 0) {
        mcph_config_unref(whole);
        return mcph_err_nomem(reterr);
    }
    *ret_config = whole;
    return 0;
}

/* ---- editing ----------------------------------------------------------------------- */

static int
set_enabled(struct mcph_config_reader *base, const char *id, bool enabled,
            struct mcph_config_edit *ret_edit, mcphost_error **reterr)
{
    const struct many *many = (const struct many *)base;

    for (size_t i = 0; i < many->parts.n; i++) {
        const struct part *part = many->parts.items[i];

        if (part->good && mcph_config_find(part->good, id))
            return part->reader->set_enabled(part->reader, id, enabled, ret_edit, reterr);
    }
    return mcph_err(reterr, MCPHOST_E_NOTFOUND, "%s: no file declares the server '%s'",
                    many->shown, id);
}

/* ---- life -------------------------------------------------------------------------- */

static void
free_many(struct mcph_config_reader *base)
{
    struct many *many = (struct many *)base;

    for (size_t i = 0; i < many->parts.n; i++)
        part_free(many->parts.items[i]);
    mcph_vec_done(&many->parts);
    free(many->dir);
    free(many->workspace);
    free(many->shown);
    free(many);
}

static int
many_new(const char *workspace, struct many **ret, mcphost_error **reterr)
{
    struct many *many = calloc(1, sizeof(*many));
    int r;

    if (!many)
        return mcph_err_nomem(reterr);
    many->base.name = SOURCE;
    many->base.read = read_many;
    many->base.free = free_many;
    many->base.transports = MCPH_TRANSPORTS_USUAL;
    many->base.set_enabled = set_enabled;
    r = mcph_profile_workspace(workspace, &many->workspace, reterr);
    if (r < 0) {
        free_many(&many->base);
        return r;
    }
    many->base.workspace = many->workspace;
    *ret = many;
    return 0;
}

/* Adds a file to the list.  `seen` has the paths of the files that were added before. */
static int
add_file(struct many *many, const char *file, struct mcph_map *seen,
         mcphost_error **reterr)
{
    const struct part *part;
    char *path;
    int r;

    if (!file || !*file)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the path of a file is NULL or empty");
    r = mcph_profile_workspace(file, &path, reterr);
    if (r < 0)
        return r;
    if (mcph_map_get(seen, path, strlen(path)))
        r = mcph_err(reterr, MCPHOST_E_INVALID, "'%.256s' is listed twice", path);
    else
        r = part_add(many, &many->parts, path, reterr);
    free(path);
    if (r < 0)
        return r;
    part = many->parts.items[many->parts.n - 1];
    r = mcph_map_put(seen, part->reader->file, strlen(part->reader->file),
                     many->parts.items[many->parts.n - 1], NULL);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_many_reader_new(const char *const *files, size_t n, const char *workspace,
                     struct mcph_config_reader **ret, mcphost_error **reterr)
{
    struct mcph_map seen = {0};
    struct many *many;
    int r;

    if (n < 1 || n > FILES_MAX)
        return mcph_err(reterr, n ? MCPHOST_E_LIMIT : MCPHOST_E_INVALID,
                        "expected 1 to %d files, got %zu", FILES_MAX, n);
    r = many_new(workspace, &many, reterr);
    if (r < 0)
        return r;
    many->shown = mcph_asprintf("%zu files", n);
    if (!many->shown)
        r = mcph_err_nomem(reterr);
    for (size_t i = 0; i < n && r == 0; i++)
        r = add_file(many, files[i], &seen, reterr);
    mcph_map_done(&seen);
    if (r < 0) {
        free_many(&many->base);
        return r;
    }
    many->base.file = ((struct part *)many->parts.items[0])->reader->file;
    *ret = &many->base;
    return 0;
}

int
mcph_dir_reader_new(const char *dir, const char *workspace,
                    struct mcph_config_reader **ret, mcphost_error **reterr)
{
    struct many *many;
    int r = many_new(workspace, &many, reterr);

    if (r < 0)
        return r;
    r = mcph_profile_workspace(dir, &many->dir, reterr);
    if (r == 0) {
        many->shown = mcph_strdup(many->dir);
        r = many->shown ? 0 : mcph_err_nomem(reterr);
    }
    if (r < 0) {
        free_many(&many->base);
        return r;
    }
    many->base.file = many->dir;
    many->base.counts = is_config_name;
    *ret = &many->base;
    return 0;
}
