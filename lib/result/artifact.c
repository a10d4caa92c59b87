/* SPDX-License-Identifier: MIT
 *
 * artifact.c - write the files that hold large parts of tool results: their names, their
 * place and their quota.
 *
 * make_segment() turns the names of the server and the tool into plain path segments,
 * because the names come from outside.  Each directory below the dialog's directory is
 * opened without following symbolic links.  A file keeps a temporary name until it is
 * complete, so that a full disk leaves no partial file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "result/result.h"

/* ---- names ------------------------------------------------------------------------- */

static const struct {
    const char *mime_type, *extension;
} types[] = {
    /* If several types have the same extension, mcphost_artifact_get_mime_type() returns
     * the first of them. */
    {"image/png", "png"},         {"image/jpeg", "jpg"},  {"image/jpg", "jpg"},
    {"image/gif", "gif"},         {"image/webp", "webp"}, {"image/svg+xml", "svg"},
    {"audio/mpeg", "mp3"},        {"audio/mp3", "mp3"},   {"audio/wav", "wav"},
    {"audio/x-wav", "wav"},       {"audio/ogg", "ogg"},   {"audio/flac", "flac"},
    {"video/mp4", "mp4"},         {"video/webm", "webm"}, {"application/pdf", "pdf"},
    {"application/json", "json"}, {"text/plain", "txt"},
};

const char *
mcph_artifact_extension(struct mcph_span mime_type)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        const char *type = types[i].mime_type;

        if (mime_type.len == strlen(type) &&
            strncasecmp(mime_type.p, type, mime_type.len) == 0)
            return types[i].extension;
    }
    return "bin";
}

const char *
mcphost_artifact_get_mime_type(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;

    for (size_t i = 0; dot && i < MCPH_ARRAY_SIZE(types); i++) {
        if (strcmp(dot + 1, types[i].extension) == 0)
            return types[i].mime_type;
    }
    return "application/octet-stream";
}

static bool
is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '.' || c == '_' || c == '-';
}

/* Makes a path segment from a name (B.11).  Removes blanks and control characters at both
 * ends.  Replaces each byte by '_', except ASCII letters, digits, '.', '_' and '-'.  An
 * empty name becomes "unnamed".  Also replaces a leading dot by '_', to rule out "." and
 * ".." and hidden files.  Cuts a name that is too long for a segment.  The cut name ends
 * in '-' and the first 16 hex digits of the name's digest, so that long names stay
 * distinct. */
static void
make_segment(const char *name, char ret[MCPH_ARTIFACT_SEGMENT + 1])
{
    size_t len = strlen(name), n = 0;

    while (len && (unsigned char)*name <= ' ') {
        name++;
        len--;
    }
    while (len && (unsigned char)name[len - 1] <= ' ')
        len--;
    for (; n < len && n < MCPH_ARTIFACT_SEGMENT; n++)
        ret[n] = is_plain(name[n]) && (n || name[n] != '.') ? name[n] : '_';
    ret[n] = '\0';
    if (n == 0) {
        memcpy(ret, "unnamed", sizeof("unnamed"));
    } else if (n < len) {
        unsigned char digest[MCPH_DIGEST_LEN];

        mcph_sha256(name, len, digest);
        ret[MCPH_ARTIFACT_SEGMENT - 17] = '-';
        mcph_hex(digest, 8, ret + MCPH_ARTIFACT_SEGMENT - 16);
    }
}

/* Makes the stem of a file's name: the time, such as "2026-02-04T01-02-03-456Z-", and a
 * random UUID. */
static int
make_stem(char *ret, size_t size)
{
    int64_t now = mcph_clock_realtime_ms();
    time_t seconds = (time_t)(now / 1000);
    unsigned char r[16];
    char hex[33];
    struct tm tm;
    size_t n;

    if (mcph_random_bytes(r, sizeof(r)) < 0)
        return MCPHOST_E_IO;
    r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
    r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
    mcph_hex(r, sizeof(r), hex);
    gmtime_r(&seconds, &tm);
    n = strftime(ret, size, "%Y-%m-%dT%H-%M-%S", &tm);
    snprintf(ret + n, size - n, "-%03dZ-%.8s-%.4s-%.4s-%.4s-%.12s", (int)(now % 1000),
             hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return 0;
}

/* ---- the place --------------------------------------------------------------------- */

int
mcph_artifacts_new(const char *dir, const char *root_id, const char *self_id,
                   uint64_t quota, struct mcph_artifacts **ret, mcphost_error **reterr)
{
    struct mcph_artifacts *place;

    if (dir[0] != '/' || strlen(dir) >= 4096)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "a directory for artifacts must be an absolute path");
    place = calloc(1, sizeof(*place));
    if (!place)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&place->refs);
    place->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    place->quota = quota;
    place->dir = mcph_strdup(dir);
    place->root_id = mcph_strdup(root_id);
    place->self_id = mcph_strdup(self_id);
    if (!place->dir || !place->root_id || !place->self_id) {
        mcph_artifacts_unref(place);
        return mcph_err_nomem(reterr);
    }
    *ret = place;
    return 0;
}

struct mcph_artifacts *
mcph_artifacts_ref(struct mcph_artifacts *place)
{
    if (place)
        mcph_refs_get(&place->refs);
    return place;
}

struct mcph_artifacts *
mcph_artifacts_unref(struct mcph_artifacts *place)
{
    if (place && mcph_refs_put(&place->refs)) {
        free(place->dir);
        free(place->root_id);
        free(place->self_id);
        pthread_mutex_destroy(&place->lock);
        free(place);
    }
    return NULL;
}

/* ---- the quota: reserved before bytes are written, released with the file ---------- */

void
mcph_artifacts_limit_files(struct mcph_artifacts *place, uint64_t max)
{
    place->max_files = max;
}

static bool
has_bytes(const struct mcph_artifacts *place, uint64_t more)
{
    return !place->quota || (place->counted && place->used <= place->quota &&
                             more <= place->quota - place->used);
}

static bool
has_files(const struct mcph_artifacts *place, uint64_t more)
{
    return !place->max_files || (place->counted && place->files <= place->max_files &&
                                 more <= place->max_files - place->files);
}

/* Counts the files in the directory and their bytes, and adds the unfinished files.
 * After a successful count, does nothing until ten times the duration of the count has
 * passed.  Without this pause, a result of many pictures would cause a count for each
 * picture. */
static int
count_usage(struct mcph_artifacts *place, mcphost_error **reterr)
{
    int64_t now = mcph_clock_monotonic_ms();
    uint64_t there = 0, files = 0;
    int r;

    if (place->counted && now < place->count_again)
        return 0;
    r = mcph_artifact_usage(place->dir, &there, &files, reterr);
    place->counted = r == 0;
    place->used = there + place->unfinished;
    place->files = files + place->unfinished_files;
    place->count_again = now + 10 * (mcph_clock_monotonic_ms() - now);
    return r;
}

/* Reserves quota for data before the write.  Counts the files again before a refusal,
 * because files may have been deleted since the last count. */
static int
take_quota(struct mcph_artifacts *place, uint64_t more, uint64_t files,
           mcphost_error **reterr)
{
    int r = 0;

    if (!place->quota && !place->max_files)
        return 0;
    pthread_mutex_lock(&place->lock);
    if (!has_bytes(place, more) || !has_files(place, files))
        r = count_usage(place, reterr);
    if (r == 0 && !has_files(place, files))
        r = mcph_err(reterr, MCPHOST_E_LIMIT,
                     "the dialog's artifacts would exceed %llu files",
                     (unsigned long long)place->max_files);
    else if (r == 0 && !has_bytes(place, more))
        r = mcph_err(reterr, MCPHOST_E_LIMIT,
                     "the dialog's artifacts would exceed %llu bytes",
                     (unsigned long long)place->quota);
    if (r == 0) {
        place->used += more;
        place->unfinished += more;
        place->files += files;
        place->unfinished_files += files;
    }
    pthread_mutex_unlock(&place->lock);
    return r;
}

/* Ends the reservation of a file that is now complete or, if `gone` is true, deleted. */
static void
settle_quota(struct mcph_artifacts *place, uint64_t bytes, bool gone)
{
    if (!place->quota && !place->max_files)
        return;
    pthread_mutex_lock(&place->lock);
    place->unfinished -= bytes;
    place->unfinished_files--;
    if (gone) {
        place->used -= bytes < place->used ? bytes : place->used;
        place->files -= place->files > 0;
    }
    pthread_mutex_unlock(&place->lock);
}

/* ---- writing ----------------------------------------------------------------------- */

/* Opens the directory `name` in `dir`.  Makes the directory if it is missing.  Closes
 * `dir`.  Returns a descriptor, or -1 with the error in errno. */
static int
step_down(int dir, const char *name)
{
    int fd = -1, error = 0;

    if (mkdirat(dir, name, 0700) == 0 || errno == EEXIST)
        fd = mcph_fd_high(
            openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0)
        error = errno;
    close(dir);
    errno = error;
    return fd;
}

static int
open_dir(const struct mcph_artifact *artifact, const char *server, const char *tool)
{
    const char *const steps[] = {"artifacts", "mcp", server, tool};
    const char *dir = artifact->place->dir;
    int fd;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return -1;
    fd = mcph_fd_high(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (size_t i = 0; fd >= 0 && i < MCPH_ARRAY_SIZE(steps); i++)
        fd = step_down(fd, steps[i]);
    return fd;
}

int
mcph_artifact_begin(struct mcph_artifacts *place, const char *server, const char *tool,
                    const char *extension, struct mcph_artifact *artifact,
                    mcphost_error **reterr)
{
    char server_name[MCPH_ARTIFACT_SEGMENT + 1], tool_name[MCPH_ARTIFACT_SEGMENT + 1];
    char stem[80];
    int r;

    *artifact = (struct mcph_artifact){.place = place, .fd = -1};
    make_segment(server, server_name);
    make_segment(tool, tool_name);
    if (make_stem(stem, sizeof(stem)) < 0)
        return mcph_err(reterr, MCPHOST_E_IO,
                        "cannot name an artifact: cannot get random bytes");
    snprintf(artifact->path, sizeof(artifact->path), "artifacts/mcp/%s/%s/%s.%s",
             server_name, tool_name, stem, extension);
    /* The temporary name has only the last 36 characters of the stem.  These characters
     * are the UUID, which makes the name unique. */
    snprintf(artifact->temp, sizeof(artifact->temp), ".%s.tmp", stem + strlen(stem) - 36);
    r = take_quota(place, 0, 1, reterr);
    if (r < 0)
        return r;
    artifact->dir = open_dir(artifact, server_name, tool_name);
    if (artifact->dir < 0) {
        int error = errno;

        settle_quota(place, 0, true);
        return mcph_err_os(reterr, error, "cannot make the directories of '%s' in '%s'",
                           artifact->path, place->dir);
    }
    artifact->fd =
        mcph_fd_high(openat(artifact->dir, artifact->temp,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (artifact->fd < 0) {
        int error = errno;

        close(artifact->dir);
        settle_quota(place, 0, true);
        return mcph_err_os(reterr, error, "cannot make '%s' in '%s'", artifact->path,
                           place->dir);
    }
    return 0;
}

int
mcph_artifact_write(struct mcph_artifact *artifact, const void *data, size_t len,
                    mcphost_error **reterr)
{
    const char *p = data;
    int r = take_quota(artifact->place, len, 0, reterr);

    if (r < 0)
        return r;
    artifact->size += len;
    while (len) {
        ssize_t n = write(artifact->fd, p, len);

        if (n < 0) {
            if (errno == EINTR)
                continue;
            return mcph_err_os(reterr, errno, "cannot write '%s' in '%s'", artifact->path,
                               artifact->place->dir);
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int
mcph_artifact_end(struct mcph_artifact *artifact, mcphost_error **reterr)
{
    int error = 0;

    /* Check the result of close(), because some file systems report a full disk only when
     * a file is closed. */
    if (close(artifact->fd) < 0)
        error = errno;
    artifact->fd = -1;
    if (!error && renameat(artifact->dir, artifact->temp, artifact->dir,
                           strrchr(artifact->path, '/') + 1) < 0)
        error = errno;
    if (error) {
        mcph_artifact_abort(artifact);
        return mcph_err_os(reterr, error, "cannot write '%s' in '%s'", artifact->path,
                           artifact->place->dir);
    }
    close(artifact->dir);
    settle_quota(artifact->place, artifact->size, false);
    return 0;
}

void
mcph_artifact_abort(struct mcph_artifact *artifact)
{
    unlinkat(artifact->dir, artifact->temp, 0);
    if (artifact->fd >= 0)
        close(artifact->fd);
    close(artifact->dir);
    settle_quota(artifact->place, artifact->size, true);
}
