/* SPDX-License-Identifier: MIT
 *
 * err.c - error codes, and the immutable object with the details of an error.
 *
 * If memory is short, a function sets *reterr to one static object, because no memory
 * may be left for a new object.  If a function cannot allocate the object for another
 * error, it also sets *reterr to the static object, and still returns the code of the
 * other error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct mcphost_error {
    struct mcph_refs refs;
    bool is_static;
    int code, sys_errno, line, column;
    int64_t rpc_code;
    size_t rpc_data_len;
    int http_status;
    char *message, *source, *server, *file, *rpc_data, *stderr_tail, *retry_after;
};

static mcphost_error nomem = {
    .is_static = true,
    .code = MCPHOST_E_NOMEM,
    .sys_errno = ENOMEM,
    .message = (char *)"out of memory",
};

#define STDERR_TAIL_MAX (4u * 1024u)
#define RETRY_AFTER_MAX 64u

mcphost_error *
mcphost_error_ref(mcphost_error *err)
{
    if (err && !err->is_static)
        mcph_refs_get(&err->refs);
    return err;
}

mcphost_error *
mcphost_error_unref(mcphost_error *err)
{
    if (!err || err->is_static || !mcph_refs_put(&err->refs))
        return NULL;
    free(err->message);
    free(err->source);
    free(err->server);
    free(err->file);
    free(err->rpc_data);
    free(err->stderr_tail);
    free(err->retry_after);
    free(err);
    return NULL;
}

int
mcph_err_nomem(mcphost_error **reterr)
{
    if (reterr)
        *reterr = &nomem;
    return MCPHOST_E_NOMEM;
}

/* Returns the text as one line of valid UTF-8.  The text may contain names and values
 * from outside, which may be cut in the middle of a character.  Takes over `text`.
 * Returns NULL if `text` is NULL or memory is short. */
static char *
one_line(char *text)
{
    struct mcph_buf clean;
    const char *p = text;
    size_t len;

    while (p && *p >= 0x20 && *p < 0x7f)
        p++;
    if (!p || !*p)
        return text;
    len = strlen(text);
    mcph_buf_init(&clean, len < SIZE_MAX / 4 ? len * 3 + 1 : len);
    mcph_utf8_add_clean(&clean, text, len, true);
    free(text);
    text = mcph_buf_steal(&clean, NULL);
    mcph_buf_done(&clean);
    return text;
}

/* Makes an error object.  Takes over `message`.  Returns NULL if `message` is NULL or
 * memory is short. */
static mcphost_error *
make_error(int code, char *message)
{
    mcphost_error *err;

    message = one_line(message);
    err = message ? calloc(1, sizeof(*err)) : NULL;
    if (!err) {
        free(message);
        return NULL;
    }
    mcph_refs_init(&err->refs);
    err->code = code;
    err->message = message;
    return err;
}

static mcphost_error *
make_error_v(int code, const char *fmt, va_list ap)
{
    char *message;

    if (vasprintf(&message, fmt, ap) < 0)
        return NULL;
    return make_error(code, message);
}

int
mcph_err(mcphost_error **reterr, int code, const char *fmt, ...)
{
    mcphost_error *err;
    va_list ap;

    if (!reterr)
        return code;
    if (code == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    va_start(ap, fmt);
    err = make_error_v(code, fmt, ap);
    va_end(ap);
    *reterr = err ? err : &nomem;
    return code;
}

static int
os_code(int sys_errno)
{
    switch (sys_errno) {
    case ENOMEM:
        return MCPHOST_E_NOMEM;
    case EMFILE:
    case ENFILE:
    case EAGAIN:
        return MCPHOST_E_LIMIT;
    default:
        return MCPHOST_E_IO;
    }
}

static int
verr_sys(mcphost_error **reterr, int code, int sys_errno, const char *fmt, va_list ap)
{
    char reason[128], *what, *message = NULL;
    mcphost_error *err;

    if (!reterr)
        return code;
    if (code == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (vasprintf(&what, fmt, ap) >= 0) {
        message =
            mcph_asprintf("%s: %s", what, strerror_r(sys_errno, reason, sizeof(reason)));
        free(what);
    }
    err = make_error(code, message);
    if (err)
        err->sys_errno = sys_errno;
    *reterr = err ? err : &nomem;
    return code;
}

int
mcph_err_sys(mcphost_error **reterr, int code, int sys_errno, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    verr_sys(reterr, code, sys_errno, fmt, ap);
    va_end(ap);
    return code;
}

int
mcph_err_os(mcphost_error **reterr, int sys_errno, const char *fmt, ...)
{
    int code = os_code(sys_errno);
    va_list ap;

    va_start(ap, fmt);
    verr_sys(reterr, code, sys_errno, fmt, ap);
    va_end(ap);
    return code;
}

int
mcph_err_unsupported(mcphost_error **reterr, const char *part)
{
    return mcph_err(reterr, MCPHOST_E_UNSUPPORTED, "libmcphost was built without %s",
                    part);
}

int
mcph_err_at(mcphost_error **reterr, int code, const char *file, int line, int column,
            const char *fmt, ...)
{
    mcphost_error *err;
    va_list ap;

    if (!reterr)
        return code;
    va_start(ap, fmt);
    err = make_error_v(code, fmt, ap);
    va_end(ap);
    if (err) {
        err->file = file ? mcph_strdup(file) : NULL;
        err->line = line;
        err->column = column;
    }
    *reterr = err ? err : &nomem;
    return code;
}

#define RPC_SUFFIX " (JSON-RPC error %lld)"

int
mcph_err_rpc(mcphost_error **reterr, int64_t rpc_code, const char *message,
             size_t message_len, const char *data, size_t data_len)
{
    struct mcph_buf text;
    mcphost_error *err;

    if (!reterr)
        return MCPHOST_E_RPC;
    mcph_buf_init(&text, 64u * 1024u);
    /* Keep only the first 10000 bytes, because a server's message may have any length. */
    mcph_utf8_add_clean(&text, message, message_len > 10000 ? 10000 : message_len, true);
    mcph_buf_addf(&text, RPC_SUFFIX, (long long)rpc_code);
    err = make_error(MCPHOST_E_RPC, mcph_buf_steal(&text, NULL));
    mcph_buf_done(&text);
    if (err) {
        err->rpc_code = rpc_code;
        err->rpc_data = data ? mcph_strndup(data, data_len) : NULL;
        err->rpc_data_len = err->rpc_data ? data_len : 0;
    }
    *reterr = err ? err : &nomem;
    return MCPHOST_E_RPC;
}

size_t
mcph_err_rpc_len(const mcphost_error *err)
{
    const char *message = mcphost_error_get_message(err);
    size_t len = strlen(message), tail_len;
    char tail[64];

    tail_len = (size_t)snprintf(tail, sizeof(tail), RPC_SUFFIX,
                                (long long)mcphost_error_get_rpc_code(err));
    if (len >= tail_len && memcmp(message + len - tail_len, tail, tail_len) == 0)
        len -= tail_len;
    return len;
}

void
mcph_err_set_server(mcphost_error *err, const char *source, const char *server)
{
    char *name, *message;

    if (!err || err->is_static || !server)
        return;
    if (source && !err->source && (!err->server || mcph_streq(err->server, server)))
        err->source = mcph_strdup(source);
    if (err->server)
        return;
    name = mcph_strdup(server);
    message = one_line(mcph_asprintf("server '%s': %s", server, err->message));
    if (!name || !message) {
        free(name);
        free(message);
        return;
    }
    free(err->message);
    err->server = name;
    err->message = message;
}

int
mcph_err_copy(mcphost_error **reterr, const mcphost_error *err, const char *source,
              const char *server)
{
    mcphost_error *copy;

    if (!reterr)
        return err->code;
    if (err->is_static) {
        *reterr = &nomem;
        return err->code;
    }
    copy = make_error(err->code, mcph_strdup(err->message));
    if (copy) {
        copy->sys_errno = err->sys_errno;
        copy->line = err->line;
        copy->column = err->column;
        copy->rpc_code = err->rpc_code;
        copy->http_status = err->http_status;
        copy->file = err->file ? mcph_strdup(err->file) : NULL;
        copy->source = err->source ? mcph_strdup(err->source) : NULL;
        copy->server = err->server ? mcph_strdup(err->server) : NULL;
        copy->stderr_tail = err->stderr_tail ? mcph_strdup(err->stderr_tail) : NULL;
        copy->retry_after = err->retry_after ? mcph_strdup(err->retry_after) : NULL;
        copy->rpc_data =
            err->rpc_data ? mcph_strndup(err->rpc_data, err->rpc_data_len) : NULL;
        copy->rpc_data_len = copy->rpc_data ? err->rpc_data_len : 0;
        mcph_err_set_server(copy, source, server);
    }
    *reterr = copy ? copy : &nomem;
    return err->code;
}

/* Masks secrets in the message, the stderr tail, the Retry-After value and the JSON-RPC
 * data of an error.  Returns true if anything was masked. */
static bool
mask_all(mcphost_error *err, struct mcph_mask *mask)
{
    char *const texts[] = {err->message, err->stderr_tail, err->retry_after};
    bool covered = false;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        if (texts[i] && mcph_mask_text(mask, texts[i], strlen(texts[i])))
            covered = true;
    }
    if (err->rpc_data && mcph_mask_json(mask, err->rpc_data, err->rpc_data_len))
        covered = true;
    return covered;
}

mcphost_error *
mcph_err_masked(mcphost_error *err, struct mcph_mask *mask)
{
    mcphost_error *copy;

    if (!err || !mask || err->is_static)
        return mcphost_error_ref(err);
    mcph_err_copy(&copy, err, NULL, NULL);
    if (copy->is_static || mask_all(copy, mask))
        return copy;
    mcphost_error_unref(copy);
    return mcphost_error_ref(err);
}

void
mcph_err_set_stderr_tail(mcphost_error *err, const char *tail, size_t len)
{
    struct mcph_buf text;
    size_t over;

    if (!err || err->is_static || err->stderr_tail || !len)
        return;
    if (len > STDERR_TAIL_MAX) {
        tail += len - STDERR_TAIL_MAX;
        len = STDERR_TAIL_MAX;
    }
    mcph_buf_init(&text, 3 * STDERR_TAIL_MAX);
    mcph_utf8_add_clean(&text, tail, len, false);
    /* If the cleaned text is too long, remove whole characters from the front.  Cleaning
     * makes a text with invalid bytes longer. */
    if (text.len > STDERR_TAIL_MAX) {
        over = text.len - STDERR_TAIL_MAX;
        while (over < text.len && ((unsigned char)text.data[over] & 0xc0) == 0x80)
            over++;
        mcph_buf_consume(&text, over);
    }
    err->stderr_tail = mcph_buf_steal(&text, NULL);
    mcph_buf_done(&text);
}

void
mcph_err_set_http(mcphost_error *err, int status, const char *retry_after, size_t len)
{
    struct mcph_buf text;

    if (!err || err->is_static || status <= 0)
        return;
    err->http_status = status;
    if (!retry_after || err->retry_after)
        return;
    /* Keep nothing if the cleaned value exceeds the limit.  Only a value with invalid
     * UTF-8 becomes longer by cleaning.  A value with invalid UTF-8 is neither a number
     * nor a date. */
    mcph_buf_init(&text, RETRY_AFTER_MAX);
    mcph_utf8_add_clean(&text, retry_after, len < RETRY_AFTER_MAX ? len : RETRY_AFTER_MAX,
                        true);
    err->retry_after = mcph_buf_steal(&text, NULL);
    mcph_buf_done(&text);
}

int
mcphost_error_get_code(const mcphost_error *err)
{
    return err ? err->code : 0;
}

const char *
mcphost_error_get_message(const mcphost_error *err)
{
    return err ? err->message : "no error";
}

const char *
mcphost_error_get_source_id(const mcphost_error *err)
{
    return err ? err->source : NULL;
}

const char *
mcphost_error_get_server_id(const mcphost_error *err)
{
    return err ? err->server : NULL;
}

int
mcphost_error_get_errno(const mcphost_error *err)
{
    return err ? err->sys_errno : 0;
}

int64_t
mcphost_error_get_rpc_code(const mcphost_error *err)
{
    return err ? err->rpc_code : 0;
}

const char *
mcphost_error_get_rpc_data(const mcphost_error *err, size_t *ret_len)
{
    if (ret_len)
        *ret_len = err ? err->rpc_data_len : 0;
    return err ? err->rpc_data : NULL;
}

const char *
mcphost_error_get_file(const mcphost_error *err)
{
    return err ? err->file : NULL;
}

int
mcphost_error_get_line(const mcphost_error *err)
{
    return err ? err->line : 0;
}

int
mcphost_error_get_column(const mcphost_error *err)
{
    return err ? err->column : 0;
}

const char *
mcphost_error_get_stderr_tail(const mcphost_error *err)
{
    return err ? err->stderr_tail : NULL;
}

int
mcphost_error_get_http_status(const mcphost_error *err)
{
    return err ? err->http_status : 0;
}

const char *
mcphost_error_get_retry_after(const mcphost_error *err)
{
    return err ? err->retry_after : NULL;
}
