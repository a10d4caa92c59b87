/* SPDX-License-Identifier: MIT
 *
 * test_config_key.c - the table of a server's keys.
 *
 * The library parses, hashes, compares and shows each key of the table.  The manual
 * documents each key that a file can set.  A dialect can give a key another name.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "profile/reading.h"
#include "support/conf.h"
#include "support/runner.h"

#define TEXT_MAX ((size_t)256 * 1024)

static const struct mcph_key *
row(int i)
{
    const struct mcph_key *key = mcph_key_at((size_t)i);

    ck_assert_ptr_nonnull(key);
    return key;
}

static int
count_rows(void)
{
    int n = 0;

    while (mcph_key_at((size_t)n))
        n++;
    return n;
}

/* ---- each key is read, hashed and compared ----------------------------------------- */

/* Returns a value other than the default, in the dialect of Dominds. */
static const char *
sample(const struct mcph_key *key)
{
    static const char *const samples[] = {
        [MCPH_KEY_TEXT] = "text",
        [MCPH_KEY_URL] = "http://other/",
        [MCPH_KEY_SESSION] = "abc",
        [MCPH_KEY_PROGRAM] = "other",
        [MCPH_KEY_PATH] = "below",
        [MCPH_KEY_FILE] = "file",
        [MCPH_KEY_DIRECTORY] = "dir",
        [MCPH_KEY_VARIABLES] = "{NAME: text}",
        [MCPH_KEY_HEADERS] = "{NAME: text}",
        [MCPH_KEY_VALUE] = "http://proxy:1",
        [MCPH_KEY_STRINGS] = "[one]",
        [MCPH_KEY_PATTERNS] = "[one]",
        [MCPH_KEY_STEPS] = "[{prefix: a}]",
        [MCPH_KEY_TIME] = "5",
        [MCPH_KEY_COUNT] = "5",
        [MCPH_KEY_BOOL] = "true",
        [MCPH_KEY_TRANSPORT] = "streamable_http",
    };
    size_t n = key->n_values;
    int value = 0;

    if (key->kind != MCPH_KEY_CHOICE)
        return samples[key->kind];
    if (n == 0)
        n = mcphost_enum_count_values(key->values);
    ck_assert_int_eq(mcphost_enum_get_value(key->values, n - 1, &value), 0);
    return mcphost_enum_get_name(key->values, value);
}

/* Writes a dotted key as nested maps: "resources: {skills: {a: 1}}". */
static void
put_nested(const char *name, const char *value, char *text, size_t size)
{
    size_t n = 0, depth = 0;
    const char *dot;

    for (; (dot = strchr(name, '.')); name = dot + 1, depth++)
        n += (size_t)snprintf(text + n, size - n, "%.*s: {", (int)(dot - name), name);
    n += (size_t)snprintf(text + n, size - n, "%s: %s", name, value);
    while (depth-- > 0)
        n += (size_t)snprintf(text + n, size - n, "}");
    snprintf(text + n, size - n, "\n");
}

/* Writes an entry of the provider `files` with or without the option `key`.  The entry
 * always has `base_dir`. */
static void
put_inside(const struct mcph_key *key, bool with, char *text, size_t size)
{
    const char *name = strchr(key->name, '.') + 1;
    bool is_dir = strcmp(name, "base_dir") == 0;

    snprintf(text, size, "provider: files\noptions: {base_dir: %s%s%s%s%s}\n",
             is_dir && with ? sample(key) : "/there", with && !is_dir ? ", " : "",
             with && !is_dir ? name : "", with && !is_dir ? ": " : "",
             with && !is_dir ? sample(key) : "");
}

/* Writes an entry with or without the key.  If the key needs another key, writes the
 * needed key in both cases, as in "tls: {a: 1, b: 2}". */
static void
put_entry(const struct mcph_key *key, bool with, char *text, size_t size)
{
    const struct mcph_key *other = key->needs ? mcph_key_find(key->needs) : NULL;
    const char *dot = strchr(key->name, '.');
    bool at_url = (key->flags & MCPH_KEY_AT_URL) != 0;
    size_t n = 0;

    if (key->flags & MCPH_KEY_INSIDE) {
        put_inside(key, with, text, size);
        return;
    }
    if (!(with && key->kind == MCPH_KEY_TRANSPORT))
        n += (size_t)snprintf(text, size, "transport: %s\n",
                              at_url ? "streamable_http" : "stdio");
    if (!(with && (key->kind == MCPH_KEY_URL || key->kind == MCPH_KEY_PROGRAM)))
        n += (size_t)snprintf(text + n, size - n, "%s\n",
                              at_url ? "url: http://h/p" : "command: c");
    if (with && key->kind == MCPH_KEY_TRANSPORT)
        n += (size_t)snprintf(text + n, size - n, "url: http://h/p\n");
    if (with && !other)
        put_nested(key->name, sample(key), text + n, size - n);
    else if (other)
        snprintf(text + n, size - n, "%.*s: {%s%s%s%s%s%s%s}\n", (int)(dot - key->name),
                 key->name, with ? dot + 1 : "", with ? ": " : "",
                 with ? sample(key) : "", with && other ? ", " : "",
                 other ? strchr(other->name, '.') + 1 : "", other ? ": " : "",
                 other ? sample(other) : "");
}

static const char *
changed_name(const struct mcph_key *key)
{
    static char name[128];
    bool map = key->kind == MCPH_KEY_VARIABLES || key->kind == MCPH_KEY_HEADERS;

    snprintf(name, sizeof(name), "%s%s", key->name, map ? ".NAME" : "");
    return name;
}

static void
shows(const struct mcph_spec *spec, const struct mcph_key *key)
{
    char name[128];
    struct mcph_buf buf;
    char *json;

    mcph_buf_init(&buf, 4096);
    ck_assert_int_eq(mcph_spec_show(spec, &buf), 0);
    json = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(json);
    snprintf(name, sizeof(name), "\"%s\":", key->name);
    ck_assert_msg(strstr(json, name) != NULL, "%s lacks %s", json, name);
    free(json);
}

/* R99 */
START_TEST(each_key_is_read_hashed_compared_and_shown_by_its_row)
{
    const struct mcph_key *key = row(_i);
    char without[512] = "", with[512] = "";
    const struct mcph_spec *a, *b;
    mcphost_config *from, *to;
    struct mcph_buf keys;
    int change;

    /* Skip the keys that the test cannot set.  A map has no value of its own.  Other
     * keys depend on `transport`.  Only a profile sets the keys with MCPH_KEY_MADE.
     * `provider` has only one value. */
    if (key->kind == MCPH_KEY_MAP || key->kind == MCPH_KEY_TRANSPORT ||
        key->flags & MCPH_KEY_MADE || strcmp(key->name, "provider") == 0)
        return;
    put_entry(key, false, without, sizeof(without));
    put_entry(key, true, with, sizeof(with));
    from = conf_load_server_over(mcph_transports_known(), without);
    to = conf_load_server_over(mcph_transports_known(), with);
    ck_assert_str_eq(conf_diags(to), "");
    a = conf_spec(from, "x");
    b = conf_spec(to, "x");
    mcph_buf_init(&keys, 1024);
    change = mcph_spec_compare(a, b, &keys);
    mcph_buf_addc(&keys, '\0');
    ck_assert_int_eq(mcph_buf_ok(&keys), 0);
    ck_assert_str_eq(keys.data, changed_name(key));
    ck_assert_int_eq(change, key->flags & MCPH_KEY_LAUNCH ? MCPHOST_CONFIG_CHANGE_LAUNCH
                                                          : MCPHOST_CONFIG_CHANGE_VIEW);
    ck_assert_int_eq(memcmp(a->launch_hash, b->launch_hash, MCPH_DIGEST_LEN) != 0,
                     (key->flags & MCPH_KEY_LAUNCH) != 0);
    ck_assert_int_eq(memcmp(a->view_hash, b->view_hash, MCPH_DIGEST_LEN) != 0,
                     (key->flags & MCPH_KEY_VIEW) != 0);
    shows(b, key);
    mcph_buf_done(&keys);
    mcph_config_unref(from);
    mcph_config_unref(to);
}
END_TEST

/* R99: a key that is new in the library changes no hash of a server that does not set the
 * key.  Each server sets `transport`, so the test does not check that key. */
START_TEST(a_key_that_is_not_set_adds_nothing_to_a_hash)
{
    const struct mcph_key *key = row(_i);
    struct mcph_spec *spec = mcph_spec_new("x", "test");
    struct mcph_buf buf;

    ck_assert_ptr_nonnull(spec);
    ck_assert_int_eq(mcph_spec_seal(spec), 0);
    mcph_buf_init(&buf, 1024);
    ck_assert_int_eq(mcph_key_put(key, spec, &buf), 0);
    if (key->kind != MCPH_KEY_TRANSPORT)
        ck_assert_uint_eq(buf.len, 0);
    mcph_buf_done(&buf);
    mcph_spec_unref(spec);
}
END_TEST

/* R135 */
START_TEST(a_key_that_only_a_profile_sets_is_unknown_in_a_file)
{
    mcphost_config *config =
        conf_load_server("transport: stdio\ncommand: c\ncallMeta: {a: 1}\n");

    ck_assert_ptr_null(conf_spec(config, "x")->call_meta);
    test_has(conf_diags(config), "warning servers.x.callMeta: unknown key");
    mcph_config_unref(config);
}
END_TEST

START_TEST(each_key_belongs_to_one_hash_and_has_one_row)
{
    const struct mcph_key *key = row(_i);
    unsigned hashes = key->flags & (MCPH_KEY_LAUNCH | MCPH_KEY_VIEW);

    ck_assert_ptr_eq(mcph_key_find(key->name), key);
    if (key->kind == MCPH_KEY_MAP)
        ck_assert_uint_eq(hashes, 0);
    else
        ck_assert(hashes == MCPH_KEY_LAUNCH || hashes == MCPH_KEY_VIEW);
    if (key->needs)
        ck_assert_ptr_nonnull(mcph_key_find(key->needs));
    if (key->kind == MCPH_KEY_CHOICE)
        ck_assert_uint_gt(mcphost_enum_count_values(key->values), 1);
}
END_TEST

/* The manual lists a key by the last part of its name. */
START_TEST(the_manual_lists_each_key)
{
    const struct mcph_key *key = row(_i);
    const char *dot = strrchr(key->name, '.'), *name = dot ? dot + 1 : key->name;
    char path[1024], line[128], *page;
    struct mcph_buf buf;

    if (key->flags & MCPH_KEY_MADE)
        return;
    snprintf(path, sizeof(path), "%s/man/mcphost-config.5", test_srcdir());
    mcph_buf_init(&buf, TEXT_MAX);
    ck_assert_int_eq(mcph_file_read(path, TEXT_MAX, &buf, NULL), 0);
    page = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(page);
    snprintf(line, sizeof(line), "Ic %s", name);
    ck_assert_msg(strstr(page, line) != NULL, "the manual lacks '%s'", line);
    free(page);
}
END_TEST

/* ---- showing ----------------------------------------------------------------------- */

static const struct {
    const char *body, *json;
} shown[] = {
    {"transport: stdio\ncommand: ./run\nargs: [a, '\"']\n"
     "env: {A: secret, B: {env: C}, D: {prefix: secret, env: E}}\ncontainment: tree\n"
     "truely-stateless: true\ntimeouts: {call: 2.5}\ncallsInFlight: 3\nmanual: m\n",
     "{\"transport\":\"stdio\",\"command\":\"/ws/run\",\"args\":[\"a\",\"\\\"\"],"
     "\"env\":{\"A\":\"(hidden)\",\"B\":{\"env\":\"C\"},"
     "\"D\":{\"prefix\":\"(hidden)\",\"env\":\"E\"}},\"cwd\":\"/ws\","
     "\"containment\":\"tree\",\"truely-stateless\":true,\"timeouts.call\":2.5,"
     "\"callsInFlight\":3,\"manual\":\"m\"}"},
    {"transport: streamable_http\nurl: 'http://u:secret@h/p@q?secret'\n"
     "headers: {X: secret}\nsessionId: secret\nproxy: 'http://u:secret@p:1'\n"
     "tls: {clientCert: f, keyPassword: secret}\nera: legacy\n",
     "{\"transport\":\"streamable_http\",\"cwd\":\"/ws\","
     "\"url\":\"http://(hidden)@h/p@q?(hidden)\",\"headers\":{\"X\":\"(hidden)\"},"
     "\"sessionId\":\"(hidden)\",\"proxy\":\"(hidden)\","
     "\"tls.clientCert\":\"/ws/f\",\"tls.keyPassword\":\"(hidden)\","
     "\"era\":\"legacy\"}"},
    {"transport: stdio\ncommand: c\ntools: {whitelist: [a, b*], blacklist: [c]}\n"
     "transform: [{prefix: p}, {prefix: {remove: r, add: s}}, {suffix: t}, {map: _}]\n",
     "{\"transport\":\"stdio\",\"command\":\"c\",\"cwd\":\"/ws\","
     "\"tools.whitelist\":[\"a\",\"b*\"],\"tools.blacklist\":[\"c\"],"
     "\"transform\":[{\"prefix\":\"p\"},{\"prefix\":{\"remove\":\"r\",\"add\":\"s\"}},"
     "{\"suffix\":\"t\"},{\"map\":\"_\"}]}"},
    {"transport: streamable_http\nurl: 'http://h/'\n",
     "{\"transport\":\"streamable_http\",\"cwd\":\"/ws\",\"url\":\"http://h/\"}"},
};

/* R18 */
START_TEST(an_entry_is_shown_without_defaults_and_without_secrets)
{
    mcphost_config *config = conf_load_server(shown[_i].body);
    char *json = NULL;
    size_t len = 0;

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_int_eq(mcphost_config_server_make_json(config, 0, &json, &len), 0);
    ck_assert_str_eq(json, shown[_i].json);
    ck_assert_uint_eq(len, strlen(json));
    ck_assert_ptr_null(strstr(json, "secret"));
    free(json);
    mcph_config_unref(config);
}
END_TEST

START_TEST(an_invalid_entry_is_not_shown)
{
    mcphost_config *config = conf_load_server("transport: stdio\n");
    char *json = NULL;

    ck_assert_int_eq(mcphost_config_server_make_json(config, 0, &json, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_config_server_make_json(config, 1, &json, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_make_json(NULL, 0, &json, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_config_server_make_json(config, 0, NULL, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(json);
    mcph_config_unref(config);
}
END_TEST

/* ---- another dialect --------------------------------------------------------------- */

static const struct spelling spellings[] = {
    {"command", "cmd"},     {"args", "argv"},
    {"env", "environment"}, {"timeouts.call", "call"},
    {"era", "protocol"},    {"callsInFlight", "inHand"},
    {NULL, NULL},
};

static void
read_own(struct reading *rd, const struct mcph_key *key, const char *spelled,
         const struct mcph_node *node)
{
    (void)rd;
    (void)key;
    (void)spelled;
    (void)node;
}

/* Reads "$NAME" as a variable, and any other text literally. */
static void
read_dollar(struct reading *rd, const struct mcph_key *key, const char *name,
            const struct mcph_node *node)
{
    bool env = node->text[0] == '$';

    mcph_reading_add_value(rd, key, name, node, env ? "" : node->text,
                           env ? node->text + 1 : NULL);
}

static const char *const others[] = {"label", NULL};

static const struct dialect dialect = {
    .spellings = spellings, .others = others, .read = read_own, .value = read_dollar};

/* Reads an entry in the other dialect.  Sets *ret_config to a configuration that holds
 * the diagnostics. */
static struct mcph_spec *
read_other(const char *text, int transport, mcphost_config **ret_config)
{
    struct mcph_spec *spec = mcph_spec_new("x", "test");
    struct mcph_check check;
    struct reading rd = {.check = &check, .spec = spec, .dialect = &dialect};
    struct mcph_doc *doc = NULL;

    *ret_config = mcph_config_new("test", NULL, "<test>", "/ws");
    ck_assert(spec && *ret_config);
    spec->transport = transport;
    ck_assert_int_eq(
        mcph_yaml_parse(text, strlen(text), mcph_profile_report, *ret_config, &doc), 0);
    mcph_check_init(&check, *ret_config);
    rd.map = doc->root;
    mcph_reading_keys(&rd);
    ck_assert_int_eq(check.err, 0);
    mcph_check_done(&check);
    mcph_doc_free(doc);
    ck_assert_int_eq(mcph_config_finish(*ret_config), 0);
    return spec;
}

START_TEST(a_dialect_reads_the_keys_under_its_own_names)
{
    static const char text[] =
        "{\"cmd\": \"run\", \"argv\": [\"a\"], \"environment\": {\"A\": \"$B\", "
        "\"C\": \"d\"},\n \"call\": 2, \"protocol\": \"legacy\", \"inHand\": 3, "
        "\"label\": 7}";
    mcphost_config *config;
    struct mcph_spec *spec = read_other(text, MCPHOST_TRANSPORT_STDIO, &config);

    ck_assert_str_eq(conf_diags(config), "");
    ck_assert_str_eq(spec->command, "run");
    ck_assert_str_eq(spec->args.items[0], "a");
    ck_assert_str_eq(spec->env.items[0].env, "B");
    ck_assert_str_eq(spec->env.items[1].text, "d");
    ck_assert_int_eq(spec->call_timeout_ms, 2000);
    ck_assert_int_eq(spec->era, MCPHOST_ERA_LEGACY);
    ck_assert_uint_eq(spec->calls_in_flight, 3);
    ck_assert_str_eq(spec->cwd, "/ws");
    mcph_spec_unref(spec);
    mcph_config_unref(config);
}
END_TEST

START_TEST(a_dialect_reports_its_own_names_and_warns_of_others)
{
    static const char text[] = "{\"command\": \"run\", \"argv\": 1, \"protocl\": 1,\n"
                               " \"protocol\": \"old\", \"call\": {}, \"cwd\": 1}";
    mcphost_config *config;
    struct mcph_spec *spec = read_other(text, MCPHOST_TRANSPORT_STDIO, &config);

    ck_assert_str_eq(
        conf_diags(config),
        "1:1 error cmd: expected the program to run, found nothing\n"
        "1:2 warning command: unknown key, ignored\n"
        "1:28 error argv: expected a list of strings, found a number\n"
        "1:31 warning protocl: unknown key, ignored; did you mean 'protocol'?\n"
        "2:14 error protocol: expected 'auto', 'legacy' or 'modern', found 'old'\n"
        "2:29 error call: expected a number of seconds, found a map\n"
        "2:33 warning cwd: unknown key, ignored; did you mean 'cmd'?\n");
    mcph_spec_unref(spec);
    mcph_config_unref(config);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "table");
    int n = count_rows();

    tcase_add_loop_test(tc, each_key_is_read_hashed_compared_and_shown_by_its_row, 0, n);
    tcase_add_loop_test(tc, a_key_that_is_not_set_adds_nothing_to_a_hash, 0, n);
    tcase_add_test(tc, a_key_that_only_a_profile_sets_is_unknown_in_a_file);
    tcase_add_loop_test(tc, each_key_belongs_to_one_hash_and_has_one_row, 0, n);
    tcase_add_loop_test(tc, the_manual_lists_each_key, 0, n);
    tc = test_case(suite, "show");
    tcase_add_loop_test(tc, an_entry_is_shown_without_defaults_and_without_secrets, 0,
                        (int)MCPH_ARRAY_SIZE(shown));
    tcase_add_test(tc, an_invalid_entry_is_not_shown);
    tc = test_case(suite, "dialect");
    tcase_add_test(tc, a_dialect_reads_the_keys_under_its_own_names);
    tcase_add_test(tc, a_dialect_reports_its_own_names_and_warns_of_others);
}

int
main(void)
{
    return test_main("config-key", add);
}
