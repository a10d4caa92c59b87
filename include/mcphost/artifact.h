/* SPDX-License-Identifier: MIT
 *
 * artifact.h - files that tools' answers became: pictures, sounds, blobs, and texts
 * too large for a model.
 *
 * A dialog that has a directory keeps them there, as
 *
 *     artifacts/mcp/SERVER/TOOL/TIMESTAMP-UUID.EXT
 *
 * which is also the name by which they are read again, in this process or another.
 * Directories are made with mode 0700, files with 0600, and a file appears under its
 * name only when it is whole.
 */
#ifndef MCPHOST_ARTIFACT_H
#define MCPHOST_ARTIFACT_H

#include <stdint.h>

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_artifact_open - open an artifact to read it.
 *
 * `dir` is the dialog's directory, `path` the `relPath` of an item.  A path that cannot
 * be an artifact's (empty, absolute, with NULs, backslashes or colons, with empty
 * segments, `.` or `..`, not below `artifacts/`) is refused, and no symbolic link is
 * followed below `dir`: `path` may come from anywhere.  *ret_fd gets a descriptor of
 * a regular file, close-on-exec, the caller's; *ret_size (may be NULL) its size.
 *
 * Returns 0, MCPHOST_E_INVALID (the path), MCPHOST_E_NOTFOUND (no such file, or
 * something else in its place), MCPHOST_E_IO, MCPHOST_E_LIMIT (no descriptor left),
 * MCPHOST_E_NOMEM.  Any thread, no host needed.  Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_open(const char *dir, const char *path, int *ret_fd,
                      MCPHOST_NULLABLE uint64_t *ret_size,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_artifact_read - a part of an artifact.
 *
 * Reads up to `len` bytes from `offset` on into `buf`, fewer at the end of the file:
 * *ret_len says how many.  Errors as mcphost_artifact_open().  Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_read(const char *dir, const char *path, uint64_t offset, void *buf,
                      size_t len, size_t *ret_len,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The MIME type that a path's extension stands for, a literal;
 * "application/octet-stream" when it stands for none.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_artifact_get_mime_type(const char *path);

/* One artifact: its path as above, size, and time of its last change in milliseconds
 * since 1970.  Not 0: stop.  Since: 0.1 */
typedef int (*mcphost_artifact_fn)(const char *path, uint64_t size, int64_t mtime_ms,
                                   MCPHOST_NULLABLE void *arg);

/*
 * mcphost_artifact_list - tell of each artifact in a directory, in no order.
 *
 * `fn` runs on the caller's thread.  Files whose names are no UTF-8 are none of ours, and
 * left out.  No directory: no artifacts.  Returns 0, what `fn`
 * returned, MCPHOST_E_INVALID, MCPHOST_E_IO, MCPHOST_E_LIMIT (no descriptor left, or
 * directories nested deeper than the library makes them), MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_list(const char *dir, mcphost_artifact_fn fn, MCPHOST_NULLABLE void *arg,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_artifact_delete_all - delete the artifacts in a directory.
 *
 * For a dialog that the application discards: closing one deletes nothing.
 * Deletes everything below `artifacts/mcp`, symbolic links themselves and not what
 * they lead to, and `artifacts` if it is empty then; `dir` stays.  Goes on where it
 * fails, and returns the first failure: 0, MCPHOST_E_INVALID, MCPHOST_E_IO,
 * MCPHOST_E_LIMIT, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_delete_all(const char *dir,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
