/* SPDX-License-Identifier: MIT
 *
 * test_base_err.c - error codes, and the error object with its details.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/runner.h"

static mcphost_error *err;

static void
up(void)
{
    err = NULL;
}

static void
down(void)
{
    err = mcphost_error_unref(err);
}

START_TEST(an_error_has_its_code_and_message)
{
    ck_assert_int_eq(mcph_err(&err, MCPHOST_E_STATE, "tool '%s' is %d", "t", 3),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_STATE);
    ck_assert_str_eq(mcphost_error_get_message(err), "tool 't' is 3");
    ck_assert_ptr_null(mcphost_error_get_server_id(err));
    ck_assert_ptr_null(mcphost_error_get_file(err));
    ck_assert_int_eq(mcphost_error_get_errno(err), 0);
}
END_TEST

START_TEST(the_error_object_may_be_left_out)
{
    ck_assert_int_eq(mcph_err(NULL, MCPHOST_E_STATE, "x"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcph_err_os(NULL, EIO, "x"), MCPHOST_E_IO);
    ck_assert_int_eq(mcph_err_sys(NULL, MCPHOST_E_SPAWN, EIO, "x"), MCPHOST_E_SPAWN);
    ck_assert_int_eq(mcph_err_at(NULL, MCPHOST_E_CONFIG, "f", 1, 2, "x"),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(mcph_err_rpc(NULL, -32601, "m", 1, NULL, 0), MCPHOST_E_RPC);
    ck_assert_int_eq(mcph_err_nomem(NULL), MCPHOST_E_NOMEM);
}
END_TEST

START_TEST(getters_and_unref_accept_null)
{
    size_t len = 9;

    ck_assert_int_eq(mcphost_error_get_code(NULL), 0);
    ck_assert_str_eq(mcphost_error_get_message(NULL), "no error");
    ck_assert_ptr_null(mcphost_error_get_server_id(NULL));
    ck_assert_ptr_null(mcphost_error_get_file(NULL));
    ck_assert_int_eq(mcphost_error_get_line(NULL), 0);
    ck_assert_int_eq(mcphost_error_get_column(NULL), 0);
    ck_assert_int_eq(mcphost_error_get_errno(NULL), 0);
    ck_assert_int_eq((int)mcphost_error_get_rpc_code(NULL), 0);
    ck_assert_ptr_null(mcphost_error_get_rpc_data(NULL, &len));
    ck_assert_uint_eq(len, 0);
    ck_assert_ptr_null(mcphost_error_get_stderr_tail(NULL));
    ck_assert_int_eq(mcphost_error_get_http_status(NULL), 0);
    ck_assert_ptr_null(mcphost_error_get_retry_after(NULL));
    ck_assert_ptr_null(mcphost_error_ref(NULL));
    ck_assert_ptr_null(mcphost_error_unref(NULL));
}
END_TEST

START_TEST(out_of_memory_is_one_object_that_refuses_attachments)
{
    mcphost_error *other = NULL;

    mcph_err_nomem(&err);
    mcph_err(&other, MCPHOST_E_NOMEM, "text is not used");
    ck_assert_ptr_eq(err, other);
    mcph_err_set_server(err, NULL, "s");
    mcph_err_set_stderr_tail(err, "tail", 4);
    mcph_err_set_http(err, 503, "1", 1);
    ck_assert_str_eq(mcphost_error_get_message(err), "out of memory");
    ck_assert_int_eq(mcphost_error_get_errno(err), ENOMEM);
    ck_assert_ptr_null(mcphost_error_get_server_id(err));
    ck_assert_ptr_null(mcphost_error_get_stderr_tail(err));
    ck_assert_int_eq(mcphost_error_get_http_status(err), 0);
    for (int i = 0; i < 3; i++)
        mcphost_error_unref(other);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_NOMEM);
}
END_TEST

START_TEST(a_system_error_names_the_reason)
{
    ck_assert_int_eq(mcph_err_os(&err, ENOENT, "cannot open '%s'", "f"), MCPHOST_E_IO);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "cannot open 'f': No such file or directory");
    ck_assert_int_eq(mcphost_error_get_errno(err), ENOENT);
}
END_TEST

START_TEST(exhausted_system_resources_give_the_code_limit)
{
    ck_assert_int_eq(mcph_err_os(NULL, EMFILE, "x"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_err_os(NULL, ENFILE, "x"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_err_os(NULL, EAGAIN, "x"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(mcph_err_os(NULL, ENOMEM, "x"), MCPHOST_E_NOMEM);
}
END_TEST

START_TEST(a_system_error_may_get_another_code)
{
    ck_assert_int_eq(mcph_err_sys(&err, MCPHOST_E_SPAWN, EACCES, "program '%s'", "p"),
                     MCPHOST_E_SPAWN);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_SPAWN);
    ck_assert_int_eq(mcphost_error_get_errno(err), EACCES);
    ck_assert_str_eq(mcphost_error_get_message(err), "program 'p': Permission denied");
}
END_TEST

START_TEST(a_configuration_error_has_file_line_and_column)
{
    mcph_err_at(&err, MCPHOST_E_CONFIG, "mcp.yaml", 3, 14, "expected %s", "a map");
    ck_assert_str_eq(mcphost_error_get_file(err), "mcp.yaml");
    ck_assert_int_eq(mcphost_error_get_line(err), 3);
    ck_assert_int_eq(mcphost_error_get_column(err), 14);
    ck_assert_str_eq(mcphost_error_get_message(err), "expected a map");
}
END_TEST

START_TEST(an_rpc_error_keeps_the_servers_bytes)
{
    static const char data[] = "{\"big\":18446744073709551616}";
    size_t len;

    mcph_err_rpc(&err, -32042, "no\nway", 6, data, strlen(data));
    ck_assert_int_eq((int)mcphost_error_get_rpc_code(err), -32042);
    ck_assert_str_eq(mcphost_error_get_message(err), "no way (JSON-RPC error -32042)");
    ck_assert_uint_eq(mcph_err_rpc_len(err), strlen("no way"));
    ck_assert_str_eq(mcphost_error_get_rpc_data(err, &len), data);
    ck_assert_uint_eq(len, strlen(data));
}
END_TEST

START_TEST(a_very_long_message_of_a_server_is_cut)
{
    size_t len = 1 << 20;
    char *text = malloc(len);

    memset(text, 0xff, len);
    mcph_err_rpc(&err, 1, text, len, NULL, 0);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_RPC);
    ck_assert_uint_lt(strlen(mcphost_error_get_message(err)), 64 * 1024);
    ck_assert(mcph_utf8_valid(mcphost_error_get_message(err),
                              strlen(mcphost_error_get_message(err)), NULL));
    free(text);
}
END_TEST

START_TEST(the_message_begins_with_the_server_named_once)
{
    mcph_err(&err, MCPHOST_E_TIMEOUT, "no answer");
    mcph_err_set_server(err, NULL, "files");
    mcph_err_set_server(err, NULL, "other");
    ck_assert_str_eq(mcphost_error_get_server_id(err), "files");
    ck_assert_str_eq(mcphost_error_get_message(err), "server 'files': no answer");
    mcph_err_set_server(NULL, NULL, "files");
}
END_TEST

/* An argument or the format may have line breaks.  An argument may end within a
 * character. */
START_TEST(a_message_is_one_line_of_valid_utf8)
{
    const char *text;

    mcph_err(&err, MCPHOST_E_INVALID, "argument '%.4s' of\n'%s' %s", "abc\xc3\xa9",
             "a\x1b[31mb", "\xe2\x80\xa6 \xff");
    text = mcphost_error_get_message(err);
    ck_assert_str_eq(text, "argument 'abc\xef\xbf\xbd' of 'a [31mb' \xe2\x80\xa6 "
                           "\xef\xbf\xbd");
    mcph_err_set_server(err, NULL, "x\ny");
    text = mcphost_error_get_message(err);
    ck_assert(mcph_utf8_valid(text, strlen(text), NULL));
    ck_assert_ptr_null(strchr(text, '\n'));
    err = mcphost_error_unref(err);
    mcph_err_at(&err, MCPHOST_E_CONFIG, "f", 1, 2, "x\ry");
    ck_assert_str_eq(mcphost_error_get_message(err), "x y");
}
END_TEST

START_TEST(the_stderr_tail_is_the_last_4096_bytes_as_valid_utf8)
{
    char tail[10000];

    memset(tail, 'a', sizeof(tail));
    memcpy(tail + sizeof(tail) - 6,
           "\xff"
           "\0end",
           6);
    mcph_err(&err, MCPHOST_E_TRANSPORT, "gone");
    mcph_err_set_stderr_tail(err, tail, sizeof(tail) - 1);
    ck_assert_uint_le(strlen(mcphost_error_get_stderr_tail(err)), 4096);
    ck_assert_uint_ge(strlen(mcphost_error_get_stderr_tail(err)), 4000);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_stderr_tail(err), "a\xef\xbf\xbd end"));
}
END_TEST

START_TEST(the_stderr_tail_keeps_its_limit_when_every_byte_is_bad)
{
    const char *text;
    char tail[4096];

    memset(tail, 0xff, sizeof(tail));
    mcph_err(&err, MCPHOST_E_TRANSPORT, "gone");
    mcph_err_set_stderr_tail(err, tail, sizeof(tail));
    text = mcphost_error_get_stderr_tail(err);
    ck_assert_uint_le(strlen(text), 4096);
    ck_assert_uint_ge(strlen(text), 4090);
    ck_assert(mcph_utf8_valid(text, strlen(text), NULL));
}
END_TEST

/* R65: the caller decides by the status and Retry-After whether to retry. */
START_TEST(the_http_status_is_kept_in_the_error_and_its_copies)
{
    mcphost_error *copy = NULL;

    mcph_err(&err, MCPHOST_E_TRANSPORT, "busy");
    ck_assert_int_eq(mcphost_error_get_http_status(err), 0);
    ck_assert_ptr_null(mcphost_error_get_retry_after(err));
    mcph_err_set_http(err, 0, "7", 1);
    ck_assert_ptr_null(mcphost_error_get_retry_after(err));
    mcph_err_set_http(err, 429, "17 and more", 2);
    ck_assert_int_eq(mcph_err_copy(&copy, err, NULL, "web"), MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(mcphost_error_get_http_status(copy), 429);
    ck_assert_str_eq(mcphost_error_get_retry_after(copy), "17");
    mcphost_error_unref(copy);
}
END_TEST

START_TEST(retry_after_is_one_line_of_at_most_64_bytes)
{
    char text[4096];

    memset(text, 'x', sizeof(text));
    text[3] = '\n';
    mcph_err(&err, MCPHOST_E_TRANSPORT, "busy");
    mcph_err_set_http(err, 503, text, sizeof(text));
    ck_assert_uint_eq(strlen(mcphost_error_get_retry_after(err)), 64);
    ck_assert_ptr_null(strchr(mcphost_error_get_retry_after(err), '\n'));
    mcphost_error_unref(err);
    mcph_err(&err, MCPHOST_E_TRANSPORT, "busy");
    memset(text, 0xff, sizeof(text));
    mcph_err_set_http(err, 503, text, sizeof(text));
    ck_assert_int_eq(mcphost_error_get_http_status(err), 503);
    ck_assert_ptr_null(mcphost_error_get_retry_after(err));
}
END_TEST

START_TEST(an_error_lives_until_its_last_reference)
{
    mcph_err(&err, MCPHOST_E_STATE, "x");
    ck_assert_ptr_eq(mcphost_error_ref(err), err);
    ck_assert_ptr_null(mcphost_error_unref(err));
    ck_assert_str_eq(mcphost_error_get_message(err), "x");
}
END_TEST

START_TEST(each_error_code_has_a_different_text)
{
    static const int codes[] = {
        MCPHOST_E_INVALID,   MCPHOST_E_STATE,       MCPHOST_E_BUSY,
        MCPHOST_E_CLOSED,    MCPHOST_E_UNSUPPORTED, MCPHOST_E_FORKED,
        MCPHOST_E_NOTFOUND,  MCPHOST_E_EXISTS,      MCPHOST_E_NOMEM,
        MCPHOST_E_IO,        MCPHOST_E_SPAWN,       MCPHOST_E_LIMIT,
        MCPHOST_E_TIMEOUT,   MCPHOST_E_PROTOCOL,    MCPHOST_E_CANCELLED,
        MCPHOST_E_TRANSPORT, MCPHOST_E_AUTH,        MCPHOST_E_RPC,
        MCPHOST_E_GONE,      MCPHOST_E_CONFIG,      MCPHOST_E_DENIED,
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(codes); i++) {
        ck_assert_str_ne(mcphost_strerror(codes[i]), mcphost_strerror(-9999));
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(mcphost_strerror(codes[i]), mcphost_strerror(codes[k]));
    }
    ck_assert_str_eq(mcphost_strerror(0), "success");
    ck_assert_str_eq(mcphost_strerror(5), "success");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "err");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_error_has_its_code_and_message);
    tcase_add_test(tc, the_error_object_may_be_left_out);
    tcase_add_test(tc, getters_and_unref_accept_null);
    tcase_add_test(tc, out_of_memory_is_one_object_that_refuses_attachments);
    tcase_add_test(tc, a_system_error_names_the_reason);
    tcase_add_test(tc, exhausted_system_resources_give_the_code_limit);
    tcase_add_test(tc, a_system_error_may_get_another_code);
    tcase_add_test(tc, a_configuration_error_has_file_line_and_column);
    tcase_add_test(tc, an_rpc_error_keeps_the_servers_bytes);
    tcase_add_test(tc, a_very_long_message_of_a_server_is_cut);
    tcase_add_test(tc, the_message_begins_with_the_server_named_once);
    tcase_add_test(tc, a_message_is_one_line_of_valid_utf8);
    tcase_add_test(tc, the_stderr_tail_is_the_last_4096_bytes_as_valid_utf8);
    tcase_add_test(tc, the_stderr_tail_keeps_its_limit_when_every_byte_is_bad);
    tcase_add_test(tc, the_http_status_is_kept_in_the_error_and_its_copies);
    tcase_add_test(tc, retry_after_is_one_line_of_at_most_64_bytes);
    tcase_add_test(tc, an_error_lives_until_its_last_reference);
    tcase_add_test(tc, each_error_code_has_a_different_text);
}

int
main(void)
{
    return test_main("base-err", add);
}
