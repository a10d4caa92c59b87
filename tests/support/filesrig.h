/* SPDX-License-Identifier: MIT
 *
 * filesrig.h - a host whose server "a" is the provider `files`, with a directory tree of
 * its own.  A test program includes this file once.
 */
#ifndef TESTS_SUPPORT_FILESRIG_H
#define TESTS_SUPPORT_FILESRIG_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/heard.h"
#include "support/hostrig.h"

#define FR_NOT_FOUND (-32002)
#define FR_INVALID   (-32602)
#define FR_INTERNAL  (-32603)

static struct hostrig hr;
static mcphost_dialog *dialog;
static json_t *fr_result; /* the first item of the latest read */
static char fr_why[512];  /* error message of the latest read, or "" */
static char fr_base[256]; /* the base directory */

/* Returns a path below the base directory.  The text is valid until the eighth later
 * call. */
static inline const char *
fr_path(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned at;
    char *path = paths[at++ % 8];

    snprintf(path, PATH_MAX, "%s/%s", fr_base, name);
    return path;
}

static inline void
fr_write_bytes(const char *name, const void *data, size_t len)
{
    int fd = open(fr_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    ck_assert_msg(fd >= 0, "%s: %s", name, strerror(errno));
    ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
    close(fd);
}

static inline void
fr_write(const char *name, const char *text)
{
    fr_write_bytes(name, text, strlen(text));
}

static inline void
fr_mkdir(const char *name)
{
    ck_assert_msg(mkdir(fr_path(name), 0700) == 0, "%s: %s", name, strerror(errno));
}

/* Makes a host with a dialog.  Also makes the directory "base" and the file "outside.txt"
 * in the host's workspace. */
static inline void
fr_up(void)
{
    hr_up(&hr);
    heard_up(&hr);
    snprintf(fr_base, sizeof(fr_base), "%s/base", hr.ws.dir);
    ck_assert_int_eq(mkdir(fr_base, 0700), 0);
    rig_workspace_write(&hr.ws, "outside.txt", "OUTSIDE");
    dialog = hr_dialog(&hr, "d");
}

static inline void
fr_down(void)
{
    json_decref(fr_result);
    fr_result = NULL;
    hr_down(&hr);
}

/* Loads a configuration with the provider `a`.  `options` adds options to the entry, as
 * YAML.  `options` is "" or begins with ", ". */
static inline void
fr_load(const char *options)
{
    char entry[1024];

    snprintf(entry, sizeof(entry),
             "a:\n  provider: files\n  options: {base_dir: base%s}\n", options);
    hr_entry(&hr, entry);
    hr_load(&hr);
    hr_loaded(&hr, "a");
}

static inline mcphost_call *
fr_start(const char *uri)
{
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;

    ck_assert_msg(mcphost_call_new_read(dialog, "a", uri, &call, &err) == 0, "%s",
                  err ? mcphost_error_get_message(err) : "");
    hr_go(call);
    return call;
}

/* Waits for the end of a read.  Returns 0 or the JSON-RPC error code.  Any other failure
 * fails the test. */
static inline int64_t
fr_end(mcphost_call *call)
{
    int r = hr_end(&hr, call);
    int64_t code = 0;
    size_t len = 0;

    json_decref(fr_result);
    fr_result = NULL;
    fr_why[0] = '\0';
    if (r == 0) {
        const char *json = mcphost_result_get_json(mcphost_call_get_result(call), &len);
        json_t *all = json_loadb(json, len, JSON_ALLOW_NUL, NULL);

        ck_assert_ptr_nonnull(all);
        fr_result = json_incref(json_array_get(json_object_get(all, "contents"), 0));
        ck_assert_ptr_nonnull(fr_result);
        json_decref(all);
    } else {
        ck_assert_msg(r == MCPHOST_E_RPC, "%d: %s", r, hr_why(call));
        code = mcphost_error_get_rpc_code(mcphost_call_get_error(call));
        snprintf(fr_why, sizeof(fr_why), "%s", hr_why(call));
    }
    mcphost_call_unref(call);
    return code;
}

static inline int64_t
fr_read(const char *uri)
{
    return fr_end(fr_start(uri));
}

/* Returns a string member of the item that was read, or "". */
static inline const char *
fr_get(const char *member)
{
    const char *text = json_string_value(json_object_get(fr_result, member));

    return text ? text : "";
}

/* Reads a file and returns its text.  The read must succeed. */
static inline const char *
fr_text(const char *uri)
{
    int64_t code = fr_read(uri);

    ck_assert_msg(code == 0, "%s: %s", uri, fr_why);
    ck_assert_str_eq(fr_get("uri"), uri);
    return fr_get("text");
}

/* Reads a page of a directory.  The caller releases the page with json_decref(). */
static inline json_t *
fr_dir(const char *uri)
{
    json_t *page = json_loads(fr_text(uri), 0, NULL);

    ck_assert_ptr_nonnull(page);
    ck_assert_str_eq(fr_get("mimeType"), "inode/directory");
    return page;
}

#endif
