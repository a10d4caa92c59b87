/* SPDX-License-Identifier: MIT
 *
 * test_live_bytes.c - mcp_disable and mcp_restart change the text of `enabled` and no
 * other byte of a file (B.14).
 *
 * The files in tests/system/edits show the many ways in which people write YAML.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostrig.h"

static const struct {
    const char *file;
    const char *servers[4]; /* server ids, in the order of the edits */
} files[] = {
    {"anchors.yaml", {"web", "has"}},
    {"blocks.yaml", {"web", "has"}},
    {"bom.yaml", {"web", "has"}},
    {"bom-crlf.yaml", {"web", "has"}},
    {"comments.yaml", {"bare", "web"}},
    {"cr.yaml", {"web", "has"}},
    {"crlf.yaml", {"web", "has"}},
    {"explicit.yaml", {"web", "has"}},
    {"flow.yaml", {"web", "has", "lines", "last"}},
    {"indents.yaml", {"web", "has"}},
    {"json.yaml", {"web", "has"}},
    {"lookalikes.yaml", {"servers", "enabled", "web"}},
    {"markers.yaml", {"web", "has"}},
    {"mixed-ends.yaml", {"web", "has"}},
    {"no-end.yaml", {"web", "has"}},
    {"no-end-comment.yaml", {"web", "has"}},
    {"quoted.yaml", {"web", "has", "has two"}},
    {"tabs.yaml", {"web", "has"}},
    {"tags.yaml", {"web", "has"}},
    {"unicode.yaml", {"\xe7\xbd\x91", "has"}},
};

static struct hostrig hr;
static mcphost_dialog *d;

struct bytes {
    size_t len;
    char data[8192];
};

static void
read_bytes(const char *path, struct bytes *bytes)
{
    FILE *f = fopen(path, "re");

    ck_assert_msg(f != NULL, "%s", path);
    bytes->len = fread(bytes->data, 1, sizeof(bytes->data) - 1, f);
    bytes->data[bytes->len] = '\0';
    ck_assert_uint_lt(bytes->len, sizeof(bytes->data) - 1);
    fclose(f);
}

static const char *
config_path(void)
{
    return rig_workspace_path(&hr.ws, ".minds/mcp.yaml");
}

static void
up(const char *name)
{
    char from[4200];
    struct bytes bytes;
    FILE *f;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    ck_assert_int_eq(mkdir(rig_workspace_path(&hr.ws, "bin"), 0700), 0);
    ck_assert_int_eq(
        symlink(rig_fakeserver(), rig_workspace_path(&hr.ws, "bin/mcp-server")), 0);
    ck_assert_int_eq(mcphost_set_env(hr.host, "PATH", rig_workspace_path(&hr.ws, "bin")),
                     0);
    snprintf(from, sizeof(from), "%s/tests/system/edits/%s", test_srcdir(), name);
    read_bytes(from, &bytes);
    f = fopen(config_path(), "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    fclose(f);
    ck_assert_int_eq(chmod(config_path(), 0640), 0);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL), 0);
    hr_ready(&hr);
    d = hr_dialog(&hr, "d");
}

/* ---- comparing --------------------------------------------------------------------- */

static size_t
common(const struct bytes *a, const struct bytes *b)
{
    size_t i = 0;

    while (i < a->len && i < b->len && a->data[i] == b->data[i])
        i++;
    return i;
}

static bool
same_rest(const struct bytes *a, size_t i, const struct bytes *b, size_t j)
{
    return a->len - i == b->len - j && memcmp(a->data + i, b->data + j, a->len - i) == 0;
}

/* Returns true if `b` is `a` with `to` in place of one occurrence of `from`.  The case of
 * `from` does not count. */
static bool
is_replaced(const struct bytes *a, const struct bytes *b, const char *from,
            const char *to)
{
    size_t at = common(a, b), n_from = strlen(from), n_to = strlen(to);

    return at + n_from <= a->len && at + n_to <= b->len &&
           strncasecmp(a->data + at, from, n_from) == 0 &&
           memcmp(b->data + at, to, n_to) == 0 && same_rest(a, at + n_from, b, at + n_to);
}

static size_t
skip_space(const char *text, size_t n, size_t i)
{
    while (i < n && isspace((unsigned char)text[i]))
        i++;
    return i;
}

/* Returns true if the text is `enabled: false` with white space around it.  The key
 * may have quotes.  A comma may follow the value. */
static bool
is_key(const char *text, size_t n)
{
    static const char *const spelt[] = {"enabled: false", "\"enabled\": false"};
    size_t i = skip_space(text, n, 0);

    for (size_t k = 0; k < 2; k++) {
        size_t len = strlen(spelt[k]);

        if (n - i < len || memcmp(text + i, spelt[k], len) != 0)
            continue;
        i += len;
        i += i < n && text[i] == ',';
        return skip_space(text, n, i) == n;
    }
    return false;
}

/* Returns true if `b` is `a` with a text inserted that is_key() accepts. */
static bool
is_inserted(const struct bytes *a, const struct bytes *b)
{
    size_t last = common(a, b), n = b->len - a->len;

    if (b->len <= a->len)
        return false;
    for (size_t at = last + 1; at-- > 0 && at + n >= last;)
        if (same_rest(a, at, b, at + n) && is_key(b->data + at, n))
            return true;
    return false;
}

/* ---- the tools --------------------------------------------------------------------- */

static void
order(const char *tool, const char *server, const char *said)
{
    char arguments[128], expected[128];

    snprintf(arguments, sizeof(arguments), "{\"serverId\":\"%s\"}", server);
    snprintf(expected, sizeof(expected), said, server);
    ck_assert_str_eq(hr_say(&hr, d, tool, arguments), expected);
}

static void
disable(const char *server)
{
    order("mcp_disable", server, "ok: disabled %s and set enabled=false");
    ck_assert_int_eq(hr_server_state(&hr, server), MCPHOST_SERVER_DISABLED);
}

static void
toggle(const char *server)
{
    static struct bytes before, off, again, on;
    struct stat first, second;

    ck_assert_int_eq(hr_server_state(&hr, server), MCPHOST_SERVER_LOADED);
    read_bytes(config_path(), &before);
    disable(server);
    read_bytes(config_path(), &off);
    ck_assert_msg(is_replaced(&before, &off, "true", "false") ||
                      is_inserted(&before, &off),
                  "%s:\n%s", server, off.data);
    ck_assert_int_eq(stat(config_path(), &first), 0);
    ck_assert_int_eq((int)first.st_mode & 07777, 0640);
    disable(server); /* `enabled` is already false: the host writes nothing */
    read_bytes(config_path(), &again);
    ck_assert_int_eq(stat(config_path(), &second), 0);
    ck_assert(first.st_ino == second.st_ino);
    ck_assert(same_rest(&off, 0, &again, 0));
    order("mcp_restart", server, "ok: restarted %s");
    ck_assert_int_eq(hr_server_state(&hr, server), MCPHOST_SERVER_LOADED);
    read_bytes(config_path(), &on);
    ck_assert_msg(is_replaced(&off, &on, "false", "true"), "%s:\n%s", server, on.data);
    order("mcp_restart", server, "ok: restarted %s"); /* the host writes nothing */
    read_bytes(config_path(), &again);
    ck_assert(same_rest(&on, 0, &again, 0));
}

/* B.14 */
START_TEST(the_tools_change_the_text_of_enabled_and_no_other_byte)
{
    up(files[_i].file);
    for (size_t i = 0; i < 4 && files[_i].servers[i]; i++)
        toggle(files[_i].servers[i]);
    hr_down(&hr);
}
END_TEST

/* Tests is_replaced() and is_inserted().  These functions must not accept the changes
 * below. */
START_TEST(the_comparison_detects_a_change_of_any_other_byte)
{
    static const struct {
        const char *before, *after;
    } wrong[] = {
        {"a: true\n", "a: false \n"},          {"a: true # c\n", "a: false\n"},
        {"a: b\n", "enabled: false\na: c\n"},  {"a: b\n", "enabled: true\na: b\n"},
        {"a: b\n", "x\nenabled: false\na: b"}, {"a: true\r\n", "a: false\n"},
        {"{a: b}", "{enabled: false,, a: b}"}, {"a: true", "a: true"},
    };
    static struct bytes a, b;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        a.len = (size_t)snprintf(a.data, sizeof(a.data), "%s", wrong[i].before);
        b.len = (size_t)snprintf(b.data, sizeof(b.data), "%s", wrong[i].after);
        ck_assert_msg(!is_replaced(&a, &b, "true", "false") && !is_inserted(&a, &b), "%s",
                      wrong[i].after);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "bytes");

    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, the_tools_change_the_text_of_enabled_and_no_other_byte, 0,
                        (int)(sizeof(files) / sizeof(files[0])));
    tcase_add_test(tc, the_comparison_detects_a_change_of_any_other_byte);
}

int
main(void)
{
    return test_main("live-bytes", add);
}
