/* SPDX-License-Identifier: MIT
 *
 * test_host_meta.c - the members of a _meta that do not belong to the protocol.
 */
#include "host/call.h"
#include "support/runner.h"

static const struct {
    const char *meta, *left;
} metas[] = {
    {"{}", "{}"},
    {"{\"a\":1,\"io.modelcontextprotocol/x\":2,\"progressToken\":3,\"b\":{\"c\":[]}}",
     "{\"a\":1,\"b\":{\"c\":[]}}"},
    {"{\"io.modelcontextprotocol/\":1}", "{}"},
    {"{\"io.modelcontextprotocol\":1,\"o.modelcontextprotocol/x\":2,\"\":3}",
     "{\"io.modelcontextprotocol\":1,\"o.modelcontextprotocol/x\":2,\"\":3}"},
    /* the library finds a reserved name in any spelling */
    {"{\"io.modelcontextprotocol\\/x\":1,\"\\u0069o.modelcontextprotocol/x\":2,"
     "\"io.modelcontextprotoco\\u006c/\":3,\"progress\\u0054oken\":4,"
     "\"\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\":"
     "5}",
     "{\"\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\":"
     "5}"},
};

START_TEST(reserved_members_are_left_out) /* R139 */
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 1024);
    ck_assert_int_eq(mcph_meta_add_free(&buf, mcph_span_str(metas[_i].meta)), 0);
    ck_assert_str_eq(mcph_buf_text(&buf), metas[_i].left);
    mcph_buf_done(&buf);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "meta");

    tcase_add_loop_test(tc, reserved_members_are_left_out, 0, MCPH_ARRAY_SIZE(metas));
}

int
main(void)
{
    return test_main("host_meta", add);
}
