/* SPDX-License-Identifier: MIT
 *
 * test_net_url.c - private addresses, redirects within an origin, and URLs that are shown
 * without secrets.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "net/net.h"
#include "support/runner.h"

/* ---- addresses --------------------------------------------------------------------- */

static const struct {
    const char *address;
    bool is_private;
} addresses[] = {
    {"8.8.8.8", false},
    {"0.0.0.0", true},
    {"10.1.2.3", true},
    {"100.63.255.255", false},
    {"100.64.0.1", true},
    {"127.0.0.1", true},
    {"128.0.0.1", false},
    {"169.254.169.254", true},
    {"172.15.255.255", false},
    {"172.16.0.1", true},
    {"172.32.0.1", false},
    {"192.168.0.1", true},
    {"192.167.0.1", false},
    {"224.0.0.1", true},
    {"255.255.255.255", true},
    {"2606:4700::1111", false},
    {"::", true},
    {"::1", true},
    {"::ffff:10.0.0.1", true},
    {"::ffff:8.8.8.8", false},
    {"64:ff9b::10.0.0.1", true},
    {"64:ff9b::8.8.8.8", false},
    {"fe80::1", true},
    {"fd00::1", true},
    {"ff02::1", true},
    {"fec0::1", true},
    {"2002:0a00:0001::", true},
    {"2002:0808:0808::", false},
    /* prefixes for local translation (RFC 8215), and other addresses outside 2000::/3 */
    {"64:ff9b:1::8.8.8.8", true},
    {"64:ff9b:1:ffff::10.0.0.1", true},
    {"100::1", true},
    {"4000::1", true},
    {"::ffff:0:8.8.8.8", true},
    /* Teredo: the server 8.8.8.8 and the client 9.9.9.9; a private server; a client with
     * the address 192.168.0.1.  The last prefix is not Teredo. */
    {"2001:0:808:808::f6f6:f6f6", false},
    {"2001:0:a00:1::f6f6:f6f6", true},
    {"2001:0:808:808::3f57:fffe", true},
    {"2001:1:a00:1::3f57:fffe", false},
};

START_TEST(private_addresses_are_recognized_in_every_form)
{
    const char *text = addresses[_i].address;
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool is = addresses[_i].is_private;

    ck_assert_int_eq(mcph_net_text_is_private(text), is);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        ck_assert_int_eq(mcph_net_address_is_private((struct sockaddr *)&v4), is);
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        ck_assert_int_eq(mcph_net_address_is_private((struct sockaddr *)&v6), is);
    else
        ck_abort_msg("%s", text);
}
END_TEST

/* ---- URLs -------------------------------------------------------------------------- */

static const struct {
    const char *from, *to, *result;
} follows[] = {
    {"http://h/a", "http://h/b", "http://h/b"},
    {"http://h/a", "http://H:80/b", "http://H:80/b"},
    {"http://h/a", "https://h/b", "https://h/b"},
    {"http://h:8080/a", "https://h/b", NULL},
    {"https://h/a", "http://h/b", NULL},
    {"http://h/a", "http://h:81/b", NULL},
    {"http://h/a", "http://i/b", NULL},
    {"http://u:p@h/a", "http://h/b", "http://u:p@h/b"},
    {"http://a%40b:c%3ad@h/a", "http://h/b", "http://a%40b:c%3ad@h/b"},
    {"http://u:p@h/a", "http://u:p@h/b", "http://u:p@h/b"},
    {"http://u:p@h/a", "http://v:p@h/b", NULL},
    {"http://h/a", "http://u@h/b", NULL},
};

START_TEST(a_redirect_is_followed_only_within_its_origin_or_to_https)
{
    char *url = mcph_net_url_follow(follows[_i].from, follows[_i].to);

    if (follows[_i].result)
        ck_assert_str_eq(url, follows[_i].result);
    else
        ck_assert_ptr_null(url);
    free(url);
}
END_TEST

START_TEST(a_shown_url_has_no_secrets)
{
    char *shown = mcph_net_url_shown("https://u:p@h:8443/a/b?token=t#f");
    char *place = mcph_net_url_place("https://u:p@h/a");

    ck_assert_str_eq(shown, "https://h:8443/a/b");
    ck_assert_str_eq(place, "h:443");
    free(shown);
    free(place);
}
END_TEST

START_TEST(a_shown_url_is_valid_utf8)
{
    char *shown = mcph_net_url_shown("http://h/x\xbftoken=y");

    ck_assert_ptr_nonnull(shown);
    ck_assert(mcph_utf8_valid(shown, strlen(shown), NULL));
    free(shown);
}
END_TEST

START_TEST(loopback_and_literal_addresses_are_recognized)
{
    ck_assert(mcph_net_url_is_loopback("http://localhost:1/"));
    ck_assert(mcph_net_url_is_loopback("http://a.LOCALHOST/"));
    ck_assert(mcph_net_url_is_loopback("http://127.9.9.9/"));
    ck_assert(mcph_net_url_is_loopback("http://[::1]:1/"));
    ck_assert(!mcph_net_url_is_loopback("http://notlocalhost/"));
    ck_assert(!mcph_net_url_is_loopback("http://10.0.0.1/"));
    ck_assert(mcph_net_url_is_literal("http://10.0.0.1/"));
    ck_assert(!mcph_net_url_is_literal("http://h/"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "url");

    tcase_add_loop_test(tc, private_addresses_are_recognized_in_every_form, 0,
                        MCPH_ARRAY_SIZE(addresses));
    tcase_add_loop_test(tc, a_redirect_is_followed_only_within_its_origin_or_to_https, 0,
                        MCPH_ARRAY_SIZE(follows));
    tcase_add_test(tc, a_shown_url_has_no_secrets);
    tcase_add_test(tc, a_shown_url_is_valid_utf8);
    tcase_add_test(tc, loopback_and_literal_addresses_are_recognized);
}

int
main(void)
{
    return test_main("net-url", add);
}
