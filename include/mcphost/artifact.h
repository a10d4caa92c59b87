/* SPDX-License-Identifier: MIT
 *
 * artifact.h - artifacts: the files in which a dialog keeps large results of tools.
 *
 * Pictures, sounds, blobs, and texts that are too large for a model become artifacts.  A
 * dialog that has a directory keeps its artifacts in this directory, under names of the
 * form
 *
 *     artifacts/mcp/SERVER/TOOL/TIMESTAMP-UUID.EXT
 *
 * The application reads an artifact by its name, in this process or in another process.
 * Directories have mode 0700, files 0600.  A file appears under its name only when it is
 * complete.
 */
#ifndef MCPHOST_ARTIFACT_H
#define MCPHOST_ARTIFACT_H

#include <stdint.h>

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_artifact_open - open an artifact for reading.
 *
 * `dir` is the dialog's directory.  `path` is the `relPath` of an item that
 * mcphost_call_make_items() has made.  The path may come from an untrusted place.  The
 * path must begin with `artifacts/`, be shorter than 1024 bytes, and have no empty
 * segment, no segment `.` or `..`, no backslash and no colon.  The function follows no
 * symbolic link below `dir`.
 *
 * *ret_fd gets a close-on-exec descriptor of a regular file.  The caller closes the
 * descriptor.  *ret_size gets the size of the file in bytes.
 *
 * Errors: MCPHOST_E_INVALID (the directory is not an absolute path, or `path` cannot name
 *   an artifact), MCPHOST_E_NOTFOUND (the file does not exist, or the path leads to
 *   another object than a regular file, such as a symbolic link), MCPHOST_E_IO,
 *   MCPHOST_E_LIMIT (no descriptor is left), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_open(const char *dir, const char *path, int *ret_fd,
                      MCPHOST_NULLABLE uint64_t *ret_size,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_artifact_read - read a part of an artifact.
 *
 * Reads up to `len` bytes into `buf`, beginning at `offset`.  *ret_len gets the number of
 * bytes.  This number is smaller than `len` only at the end of the file.
 *
 * Errors: MCPHOST_E_INVALID (the directory is not an absolute path, `path` cannot name an
 *   artifact, or the offset is larger than INT64_MAX), those of mcphost_artifact_open().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_read(const char *dir, const char *path, uint64_t offset, void *buf,
                      size_t len, size_t *ret_len,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Returns the MIME type for the extension of a path, or "application/octet-stream" for an
 * unknown extension.  The text is a constant of the library.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_artifact_get_mime_type(const char *path);

/*
 * mcphost_artifact_fn - handle one artifact of a directory.
 *
 * `path` is the name of the artifact, as mcphost_artifact_open() takes it.  `size` is in
 * bytes.  `mtime_ms` is the time of the last change, in ms since 1970.
 *
 * Returns: 0 to continue, or any other value to end the listing.
 * Since: 0.1
 */
typedef int (*mcphost_artifact_fn)(const char *path, uint64_t size, int64_t mtime_ms,
                                   MCPHOST_NULLABLE void *arg);

/*
 * mcphost_artifact_list - list the artifacts in a directory.
 *
 * `fn` runs on the caller's thread once for each artifact, in no particular order.  The
 * function leaves out hidden files, files that are not regular, such as symbolic links,
 * and files whose paths are not UTF-8 or are too long for mcphost_artifact_open().  A
 * directory that does not exist has no artifacts.
 *
 * Returns: 0, or the value with which `fn` ended the listing.
 * Errors: MCPHOST_E_INVALID (the directory is not an absolute path), MCPHOST_E_IO,
 *   MCPHOST_E_LIMIT (no descriptor is left, or a directory is nested too deeply for
 *   artifacts), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_list(const char *dir, mcphost_artifact_fn fn, MCPHOST_NULLABLE void *arg,
                      MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_artifact_delete_all - delete all artifacts in a directory.
 *
 * Use this function for a dialog that the application discards, because closing a dialog
 * deletes nothing.  The function deletes `artifacts/mcp` with everything in it, and then
 * `artifacts` if that directory is empty.  The function deletes symbolic links, not
 * the files that they point to.  `dir` stays.  If something cannot be deleted, the
 * function continues, and returns the first error at the end.
 *
 * Errors: those of mcphost_artifact_list().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_artifact_delete_all(const char *dir,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
