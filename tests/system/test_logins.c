/* SPDX-License-Identifier: MIT
 *
 * test_logins.c - the store of tokens, the list of logins, and logouts
 * (<mcphost/logins.h>).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/texts.h"
#include "system/loginrig.h"

static struct loginrig lr;

static const char *
store_path(const char *name)
{
    return rig_workspace_path(&lr.hr.ws, name);
}

/* Starts a host that keeps tokens in a file, and a server that wants a login. */
static void
up(const char *keys, const char *script)
{
    lr_up(&lr, BROWSER_LOGIN);
    ck_assert_int_eq(mcphost_set_token_store(lr.hr.host, MCPHOST_TOKENS_FILE,
                                             store_path("state"), NULL),
                     0);
    ar_http(&lr.hr, &lr.ar, "web", keys, script);
}

static mcphost_logins *
list(void)
{
    mcphost_logins *logins = NULL;

    ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, NULL), 0);
    return logins;
}

static size_t
count(void)
{
    mcphost_logins *logins = list();
    size_t n = mcphost_logins_count(logins);

    mcphost_logins_unref(logins);
    return n;
}

START_TEST(a_login_has_a_row_with_its_server_and_scopes)
{
    mcphost_logins *logins;

    up("auth: {account: work}", "account alice\nscopes read write\nexpires 100");
    ck_assert_uint_eq(count(), 0);
    hr_load(&lr.hr);
    logins = list();
    ck_assert_uint_eq(mcphost_logins_count(logins), 1);
    ck_assert_ptr_eq(mcphost_logins_ref(logins), logins);
    mcphost_logins_unref(logins);
    ck_assert_str_eq(mcphost_logins_get_server_id(logins, 0), "web");
    ck_assert_str_eq(mcphost_logins_get_issuer(logins, 0), ar_issuer(&lr.ar, 1));
    ck_assert_str_eq(mcphost_logins_get_resource(logins, 0), lr.ar.web.url);
    ck_assert_str_eq(mcphost_logins_get_account(logins, 0), "work");
    ck_assert_str_eq(mcphost_logins_get_scope(logins, 0), "read write");
    ck_assert_int_eq(mcphost_logins_get_state(logins, 0), MCPHOST_LOGIN_VALID);
    ck_assert_int_gt(mcphost_logins_get_expires_s(logins, 0), 50);
    ck_assert_int_le(mcphost_logins_get_expires_s(logins, 0), 100);
    GET(mcphost_logins_get_server_id, logins, 0);
    GET(mcphost_logins_get_issuer, logins, 0);
    GET(mcphost_logins_get_resource, logins, 0);
    GET(mcphost_logins_get_account, logins, 0);
    GET(mcphost_logins_get_scope, logins, 0);
    texts_expect("logins");
    ck_assert_ptr_null(mcphost_logins_get_issuer(logins, 1));
    ck_assert_int_eq(mcphost_logins_get_expires_s(logins, 1), -1);
    ck_assert_int_eq(mcphost_logins_get_state(logins, 1), 0);
    mcphost_logins_unref(logins);
    lr_down(&lr);
}
END_TEST

START_TEST(the_file_of_tokens_belongs_to_its_owner_alone)
{
    struct stat st;

    up(NULL, NULL);
    hr_load(&lr.hr);
    ck_assert_int_eq(stat(store_path("state/tokens.json"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(stat(store_path("state"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0700);
    lr_down(&lr);
}
END_TEST

START_TEST(after_a_logout_the_next_request_needs_a_login)
{
    up(NULL, "account alice");
    hr_load(&lr.hr);
    ck_assert_uint_eq(count(), 1);
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    ck_assert_uint_eq(count(), 0);
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_str_eq(lr_whoami(&lr), "alice tools");
    ck_assert_int_eq(lr.n_asked, 2);
    ck_assert_uint_eq(count(), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_logout_removes_damaged_contents_of_the_store)
{
    up(NULL, NULL);
    hr_load(&lr.hr);
    rig_workspace_write(&lr.hr.ws, "state/tokens.json", "%s", "{\"format\": 1, ");
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    ck_assert_int_ne(access(store_path("state/tokens.json.damaged"), F_OK), 0);
    ck_assert_uint_eq(count(), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(a_list_of_a_damaged_store_fails_once)
{
    mcphost_logins *logins = NULL;

    up(NULL, NULL);
    ck_assert_int_eq(mkdir(store_path("state"), 0700), 0);
    rig_workspace_write(&lr.hr.ws, "state/tokens.json", "%s", "{\"format\": 1, ");
    ck_assert_int_eq(chmod(store_path("state/tokens.json"), 0600), 0);
    ck_assert_int_eq(mcphost_get_logins(lr.hr.host, &logins, NULL), MCPHOST_E_STATE);
    ck_assert_ptr_null(logins);
    ck_assert_uint_eq(count(), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    mcphost_error *err = NULL;
    mcphost *host;

    up(NULL, NULL);
    host = lr.hr.host;
    ck_assert_int_eq(mcphost_set_token_store(host, 9, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_token_store(host, MCPHOST_TOKENS_MEMORY, "/x", NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_token_store(host, MCPHOST_TOKENS_FILE, "x", &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(err);
    mcphost_error_unref(err);
    ck_assert_int_eq(mcphost_log_out(host, "nobody", NULL), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_log_out(host, NULL, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_get_logins(host, NULL, NULL), MCPHOST_E_INVALID);
    hr_load(&lr.hr);
    ck_assert_int_eq(mcphost_set_token_store(host, MCPHOST_TOKENS_MEMORY, NULL, NULL),
                     MCPHOST_E_STATE);
    lr_down(&lr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "logins");

    tcase_add_test(tc, a_login_has_a_row_with_its_server_and_scopes);
    tcase_add_test(tc, the_file_of_tokens_belongs_to_its_owner_alone);
    tcase_add_test(tc, after_a_logout_the_next_request_needs_a_login);
    tcase_add_test(tc, a_logout_removes_damaged_contents_of_the_store);
    tcase_add_test(tc, a_list_of_a_damaged_store_fails_once);
    tcase_add_test(tc, wrong_arguments_are_refused);
    tcase_set_timeout(tc, 30);
}

int
main(void)
{
    return test_main("logins", add);
}
