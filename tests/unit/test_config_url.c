/* SPDX-License-Identifier: MIT
 *
 * test_config_url.c - the URLs that a server may have, and their normalized form.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

static const struct {
    const char *text, *url;
} good[] = {
    {"http://h", "http://h/"},
    {"https://h", "https://h/"},
    {"HTTPS://Example.COM/Path", "https://example.com/Path"},
    {"http://h:80/", "http://h/"},
    {"https://h:443/", "https://h/"},
    {"https://h:0443/", "https://h/"},
    {"http://h:443/", "http://h:443/"},
    {"https://h:8443/mcp", "https://h:8443/mcp"},
    {"http://h:/x", "http://h/x"},
    {"http://h?q=1", "http://h/?q=1"},
    {"http://h/p?q=A#frag", "http://h/p?q=A"},
    {"http://h#frag", "http://h/"},
    {"http://User:Pa:ss@H/x", "http://User:Pa:ss@h/x"},
    {"http://u@x@h/", "http://u@x@h/"},
    {"http://127.0.0.1:3000/mcp", "http://127.0.0.1:3000/mcp"},
    {"http://[::1]:3000/mcp", "http://[::1]:3000/mcp"},
    {"http://[2001:DB8::1]", "http://[2001:db8::1]/"},
    {"  http://h/ ", "http://h/"},
    {"http://h/a%20b", "http://h/a%20b"},
    {"http://h/?a@b:c", "http://h/?a@b:c"},
    {"http://h_1.x-y/", "http://h_1.x-y/"},
};

START_TEST(a_good_url_is_normalized)
{
    const char *why;
    char *url;

    ck_assert_int_eq(mcph_url_normalize(good[_i].text, strlen(good[_i].text), &url, &why),
                     0);
    ck_assert_str_eq(url, good[_i].url);
    free(url);
}
END_TEST

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "does not begin with http:// or https://"},
    {"h", "does not begin with http:// or https://"},
    {"ftp://h", "does not begin with http:// or https://"},
    {"ws://h", "does not begin with http:// or https://"},
    {"http:/h", "does not begin with http:// or https://"},
    {"httpx://h", "does not begin with http:// or https://"},
    {"//h", "does not begin with http:// or https://"},
    {"http://", "does not begin with http:// or https://"},
    {"http:///p", "has no host"},
    {"http://:80/", "has no host"},
    {"http://u@/", "has no host"},
    {"http://h:x/", "has a port that is not a number up to 65535"},
    {"http://h:65536/", "has a port that is not a number up to 65535"},
    {"http://h:-1/", "has a port that is not a number up to 65535"},
    {"http://a:b:1/", "has a host that is not a name or an address"},
    {"http://[::1/", "has a host that is not a name or an address"},
    {"http://[::g]/", "has a host that is not a name or an address"},
    {"http://[]/", "has a host that is not a name or an address"},
    {"http://a%2fb/", "has a host that is not a name or an address"},
    {"http://a<b/", "has a host that is not a name or an address"},
    {"http://a\\b/", "has a host that is not a name or an address"},
    {"http://h/a b", "has a blank or a control character"},
    {"http://h/\n", NULL},
    {"http://h/\nx", "has a blank or a control character"},
    {"http://h\x7f/", "has a blank or a control character"},
};

START_TEST(a_bad_url_is_refused_with_a_reason_that_does_not_show_it) /* R18 */
{
    const char *why = NULL;
    char *url = NULL;
    int r = mcph_url_normalize(bad[_i].text, strlen(bad[_i].text), &url, &why);

    if (!bad[_i].why) { /* mcph_url_normalize() trims a newline at the end */
        ck_assert_int_eq(r, 0);
        free(url);
        return;
    }
    ck_assert_msg(r == MCPHOST_E_CONFIG, "%s", bad[_i].text);
    ck_assert_str_eq(why, bad[_i].why);
}
END_TEST

START_TEST(a_url_over_16_kib_is_refused)
{
    size_t len = (size_t)16 * 1024 + 1;
    char *text = malloc(len), *url;
    const char *why;

    memset(text, 'a', len);
    memcpy(text, "http://h/", 9);
    ck_assert_int_eq(mcph_url_normalize(text, len - 1, &url, &why), 0);
    free(url);
    ck_assert_int_eq(mcph_url_normalize(text, len, &url, &why), MCPHOST_E_CONFIG);
    ck_assert_str_eq(why, "is longer than 16 KiB");
    free(text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "url");

    tcase_add_loop_test(tc, a_good_url_is_normalized, 0, (int)MCPH_ARRAY_SIZE(good));
    tcase_add_loop_test(tc, a_bad_url_is_refused_with_a_reason_that_does_not_show_it, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, a_url_over_16_kib_is_refused);
}

int
main(void)
{
    return test_main("config-url", add);
}
