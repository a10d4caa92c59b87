/* SPDX-License-Identifier: MIT
 *
 * test_config_hash.c - the launch hash and the view hash of a server.
 *
 * The launch hash covers the keys that decide how the host starts or reaches the server.
 * The view hash covers the keys that decide how the server's tools are offered and
 * called.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/conf.h"
#include "support/runner.h"

struct hashes {
    unsigned char launch[MCPH_DIGEST_LEN], view[MCPH_DIGEST_LEN];
};

static struct hashes
hashes_of(const char *body)
{
    mcphost_config *config = conf_load_server(body);
    const struct mcph_spec *spec = conf_spec(config, "x");
    struct hashes h;

    memcpy(h.launch, spec->launch_hash, sizeof(h.launch));
    memcpy(h.view, spec->view_hash, sizeof(h.view));
    mcph_config_unref(config);
    return h;
}

static bool
same_launch(const char *a, const char *b)
{
    struct hashes ha = hashes_of(a), hb = hashes_of(b);

    return memcmp(ha.launch, hb.launch, sizeof(ha.launch)) == 0;
}

static bool
same_view(const char *a, const char *b)
{
    struct hashes ha = hashes_of(a), hb = hashes_of(b);

    return memcmp(ha.view, hb.view, sizeof(ha.view)) == 0;
}

#define STDIO "transport: stdio\ncommand: c\n"
#define HTTP  "transport: streamable_http\nurl: http://h/p\n"

/* Each entry differs from STDIO in a key that changes the launch hash. */
static const char *const launches[] = {
    "transport: stdio\ncommand: d",
    STDIO "args: [a]",
    STDIO "args: [a, b]",
    STDIO "args: [ab]",
    STDIO "args: ['']",
    STDIO "env: {A: x}",
    STDIO "env: {A: y}",
    STDIO "env: {B: x}",
    STDIO "env: {A: {env: x}}",
    STDIO "env: {A: {env: y}}",
    STDIO "env: {A: {prefix: p, env: x}}",
    STDIO "env: {A: ''}",
    STDIO "cwd: sub",
    STDIO "era: legacy",
    STDIO "containment: cgroup",
    STDIO "era: modern",
    HTTP,
    "transport: streamable_http\nurl: http://h/q",
    HTTP "headers: {A: x}",
    HTTP "headers: {A: {env: x}}",
    HTTP "sessionId: s",
    HTTP "proxy: 'http://p:1'",
    HTTP "proxy: 'http://p:2'",
    HTTP "proxy: {env: P}",
    HTTP "proxy: none",
    HTTP "tls: {caFile: f}",
    HTTP "tls: {caDir: f}",
    HTTP "tls: {clientCert: f}",
    HTTP "tls: {clientCert: f, clientKey: f}",
    HTTP "tls: {clientCert: f, keyPassword: f}",
    HTTP "tls: {clientCert: f, keyPassword: {env: f}}",
    HTTP "publicOnly: true",
    HTTP "timeouts: {connect: 5}",
    HTTP "timeouts: {idle: 5}",
};

START_TEST(keys_of_the_start_change_the_launch_hash) /* R99 */
{
    const char *mine = launches[_i];

    ck_assert(!same_launch(STDIO, mine));
    for (int j = 0; j < (int)MCPH_ARRAY_SIZE(launches); j++)
        ck_assert_msg(same_launch(mine, launches[j]) == (j == _i), "%s and %s", mine,
                      launches[j]);
}
END_TEST

/* Each entry differs from STDIO in a key that changes the view hash. */
static const char *const views[] = {
    STDIO "tools: {whitelist: [a]}",
    STDIO "tools: {blacklist: [a]}",
    STDIO "tools: {whitelist: [a, b]}",
    STDIO "tools: {whitelist: [b, a]}",
    STDIO "transform: [{prefix: a}]",
    STDIO "transform: [{suffix: a}]",
    STDIO "transform: [{prefix: {remove: b, add: a}}]",
    STDIO "transform: [{prefix: a}, {suffix: a}]",
    STDIO "transform: [{suffix: a}, {prefix: a}]",
    STDIO "truely-stateless: true",
    STDIO "timeouts: {start: 1}",
    STDIO "timeouts: {list: 1}",
    STDIO "timeouts: {call: 1}",
    STDIO "arguments: object",
    STDIO "arguments: full",
    STDIO "results: fail",
    STDIO "callsInFlight: 5",
    STDIO "manual: a",
    STDIO "manual: b",
};

START_TEST(keys_of_the_view_change_only_the_view_hash) /* R99 */
{
    const char *mine = views[_i];

    ck_assert(!same_view(STDIO, mine));
    ck_assert(same_launch(STDIO, mine));
    for (int j = 0; j < (int)MCPH_ARRAY_SIZE(views); j++)
        ck_assert_msg(same_view(mine, views[j]) == (j == _i), "%s and %s", mine,
                      views[j]);
}
END_TEST

START_TEST(keys_of_the_start_do_not_change_the_view_hash) /* R99 */
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(launches); i++)
        ck_assert_msg(same_view(STDIO, launches[i]), "%s", launches[i]);
}
END_TEST

START_TEST(the_order_of_keys_does_not_change_the_hashes) /* R99 */
{
    ck_assert(same_launch(STDIO "env: {A: x, B: y, C: {env: z}}",
                          "env: {C: {env: z}, B: y, A: x}\n" STDIO));
    ck_assert(same_launch(HTTP "headers: {A: x, B: y}", HTTP "headers: {B: y, A: x}"));
    ck_assert(same_view(STDIO "tools: {whitelist: [a], blacklist: [b]}",
                        STDIO "tools: {blacklist: [b], whitelist: [a]}"));
}
END_TEST

START_TEST(the_order_of_args_changes_the_launch_hash) /* R99 */
{
    ck_assert(!same_launch(STDIO "args: [a, b]", STDIO "args: [b, a]"));
}
END_TEST

START_TEST(defaults_that_are_spelled_out_do_not_change_the_hashes) /* R99 */
{
    static const char spelled[] = STDIO "args: []\nenv: {}\ncwd: .\nera: auto\n"
                                        "truely-stateless: false\ntransform: []\n"
                                        "tools: {whitelist: [], blacklist: ['']}\n"
                                        "enabled: true\nmanual: ''\n";

    ck_assert(same_launch(STDIO, spelled));
    ck_assert(same_view(STDIO, spelled));
}
END_TEST

START_TEST(comments_and_layout_do_not_change_the_hashes) /* R99 */
{
    ck_assert(same_launch(STDIO "args:\n  - a # one\n  - 'b'", STDIO "args: [\"a\", b]"));
}
END_TEST

START_TEST(transforms_of_tools_and_of_all_lists_have_different_hashes) /* R99 */
{
    ck_assert(!same_view(STDIO "transform: [{prefix: a}]",
                         STDIO "tools: {transform: [{prefix: a}]}"));
}
END_TEST

START_TEST(a_keyed_hash_is_hmac_sha256) /* R18 */
{
    struct mcph_spec *spec = mcph_spec_new("x", "test");
    char hex[MCPH_DIGEST_HEX], other[MCPH_DIGEST_HEX];
    unsigned char key[100];

    /* The expected hashes are from `openssl dgst -sha256 -mac HMAC`.  The first key is
     * shorter than a block.  The second key is longer than a block. */
    memset(spec->launch_hash, 'a', MCPH_DIGEST_LEN);
    memset(spec->view_hash, 'b', MCPH_DIGEST_LEN);
    memset(key, 'k', sizeof(key));
    ck_assert_int_eq(mcph_spec_hash_hex(spec, MCPHOST_CONFIG_HASH_LAUNCH, key, 16, hex),
                     0);
    ck_assert_str_eq(hex,
                     "37511c4a1ea1f1286e49073421595996a670dcdd0b91ab6c9d844631d631dca5");
    ck_assert_int_eq(mcph_spec_hash_hex(spec, MCPHOST_CONFIG_HASH_LAUNCH, key, 100, hex),
                     0);
    ck_assert_str_eq(hex,
                     "348a916c5440a1c1f6a0086443a038015da0f0dffd03cef50966ea01fdf6ab71");
    ck_assert_int_eq(mcph_spec_hash_hex(spec, MCPHOST_CONFIG_HASH_VIEW, key, 100, other),
                     0);
    ck_assert_str_ne(hex, other);
    mcph_spec_unref(spec);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "hash");

    tcase_add_loop_test(tc, keys_of_the_start_change_the_launch_hash, 0,
                        (int)MCPH_ARRAY_SIZE(launches));
    tcase_add_loop_test(tc, keys_of_the_view_change_only_the_view_hash, 0,
                        (int)MCPH_ARRAY_SIZE(views));
    tcase_add_test(tc, keys_of_the_start_do_not_change_the_view_hash);
    tcase_add_test(tc, the_order_of_keys_does_not_change_the_hashes);
    tcase_add_test(tc, the_order_of_args_changes_the_launch_hash);
    tcase_add_test(tc, defaults_that_are_spelled_out_do_not_change_the_hashes);
    tcase_add_test(tc, comments_and_layout_do_not_change_the_hashes);
    tcase_add_test(tc, transforms_of_tools_and_of_all_lists_have_different_hashes);
    tcase_add_test(tc, a_keyed_hash_is_hmac_sha256);
}

int
main(void)
{
    return test_main("config-hash", add);
}
