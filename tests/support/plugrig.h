/* SPDX-License-Identifier: MIT
 *
 * plugrig.h - fills a directory of plugins for a test.  Most of the plugins are copies of
 * tests/plugins/chameleon.c, whose behaviour the test chooses.
 */
#ifndef TESTS_SUPPORT_PLUGRIG_H
#define TESTS_SUPPORT_PLUGRIG_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostrig.h"

/* The functions of the library that the plugins call.  These references keep the
 * functions in the program, because the program is linked with the static library. */
typedef void (*plug_symbol)(void);
static const plug_symbol plug_symbols[]
    __attribute__((used)) = {(plug_symbol)mcphost_error_new,
                             (plug_symbol)mcphost_plugin_declare,
                             (plug_symbol)mcphost_provider_add,
                             (plug_symbol)mcphost_provider_call_answer_text,
                             (plug_symbol)mcphost_provider_call_ref,
                             (plug_symbol)mcphost_provider_call_unref,
                             (plug_symbol)mcphost_provider_close,
                             (plug_symbol)mcphost_provider_dup_config,
                             (plug_symbol)mcphost_provider_get_id,
                             (plug_symbol)mcphost_provider_request_sampling,
                             (plug_symbol)mcphost_provider_set_config,
                             (plug_symbol)mcphost_provider_set_defaults,
                             (plug_symbol)mcphost_provider_set_life,
                             (plug_symbol)mcphost_provider_set_sampler,
                             (plug_symbol)mcphost_provider_start,
                             (plug_symbol)mcphost_request_respond};

/* Returns the path of a plugin in this build. */
static inline const char *
plug_built(const char *name)
{
    static char path[512];
    const char *dir = getenv("MCPHOST_TEST_PROGDIR");

    snprintf(path, sizeof(path), "%s/plugins/%s.so", dir ? dir : MCPH_TEST_PROGDIR, name);
    return path;
}

static inline char *
plug_read(const char *path, size_t *ret_len)
{
    FILE *f = fopen(path, "r");
    char *data = malloc(8 << 20);

    ck_assert_msg(f && data, "cannot read %s", path);
    *ret_len = fread(data, 1, 4 << 20, f);
    fclose(f);
    return data;
}

/* Replaces the string after a mark by `text`. */
static inline void
plug_patch(char *data, size_t len, const char *mark, const char *text)
{
    char *at = memmem(data, len, mark, strlen(mark));

    ck_assert_ptr_nonnull(at);
    ck_assert_uint_lt(strlen(text), 50);
    memset(at + strlen(mark), 0, 57 - strlen(mark));
    memcpy(at + strlen(mark), text, strlen(text));
}

static inline void
plug_write_all(const char *path, const char *data, size_t len, int flags, mode_t mode)
{
    int fd = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, mode);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
    ck_assert_int_eq(fchmod(fd, mode), 0);
    ck_assert_int_eq(close(fd), 0);
}

/* Writes a file under another name and then renames it, so that no process can open an
 * incomplete file. */
static inline void
plug_put(const char *dir, const char *file, const char *data, size_t len)
{
    char path[256], made[300];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    snprintf(made, sizeof(made), "%s.new", path);
    plug_write_all(made, data, len, O_TRUNC, 0644);
    ck_assert_int_eq(rename(made, path), 0);
}

/* Returns the bytes of the plugin chameleon with this mode and this text.  The caller
 * frees the bytes. */
static inline char *
plug_bytes(const char *mode, const char *say, size_t *ret_len)
{
    char *data = plug_read(plug_built("chameleon"), ret_len);

    plug_patch(data, *ret_len, "@MODE@", mode);
    plug_patch(data, *ret_len, "@SAY@", say);
    return data;
}

static inline void
plug_make(const char *dir, const char *file, const char *mode, const char *say)
{
    size_t len;
    char *data = plug_bytes(mode, say, &len);

    plug_put(dir, file, data, len);
    free(data);
}

static inline void
plug_copy(const char *dir, const char *file, const char *built)
{
    size_t len;
    char *data = plug_read(plug_built(built), &len);

    plug_put(dir, file, data, len);
    free(data);
}

#endif
