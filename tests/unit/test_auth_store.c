/* SPDX-License-Identifier: MIT
 *
 * test_auth_store.c - the file store of tokens: versions, claims, and directories and
 * files that other users could use.
 *
 * A wrapper of flock() calls a function of the test between the steps of a claim or of a
 * write.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auth/auth.h"
#include "support/heap.h"
#include "support/rig.h"
#include "support/runner.h"

static void (*before_lock)(void); /* called once, before the next lock is taken */

int
flock(int fd, int operation)
{
    void (*hook)(void) = before_lock;

    before_lock = NULL;
    if (hook)
        hook();
    return (int)syscall(SYS_flock, fd, operation);
}

static struct rig_workspace ws;
static struct mcph_store *store;
static struct rig_census census;
static char said[1024]; /* the message of the last error */

static const struct mcph_store_key one = {"https://issuer.example", "https://r.example",
                                          "client", ""};
static const struct mcph_store_key two = {"https://issuer.example", "https://r.example",
                                          "client", "work"};

static const char *
path_of(const char *name)
{
    static char path[8][256];
    static int next;
    char *to = path[next++ % 8];

    snprintf(to, sizeof(path[0]), "%s/state/%s", ws.dir, name);
    return to;
}

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    census = rig_census_take();
    ck_assert_int_eq(mcph_store_file_new(path_of(""), &store, NULL), 0);
}

enum { FILE_STORE, MEMORY_STORE, N_STORES };

/* Replaces the file store, if the test wants another store. */
static void
use_store(int kind)
{
    if (kind == FILE_STORE)
        return;
    mcph_store_unref(store);
    ck_assert_int_eq(mcph_store_memory_new(&store), 0);
}

static void
down(void)
{
    store = mcph_store_unref(store);
    rig_census_check(&census, 0);
    rig_workspace_down(&ws);
}

/* Keeps the message and returns the code. */
static int
tell(int r, mcphost_error *err)
{
    ck_assert((r < 0) == (err != NULL));
    snprintf(said, sizeof(said), "%s", err ? mcphost_error_get_message(err) : "");
    mcphost_error_unref(err);
    return r;
}

static char version[MCPH_DIGEST_HEX]; /* version of the record written or read last */

static int
put(const struct mcph_store_key *key, const char *expected, const char *record)
{
    mcphost_error *err = NULL;
    char room[MCPH_DIGEST_HEX];
    int r = mcph_store_write(store, key, expected, record, strlen(record), room, &err);

    if (r == 0)
        memcpy(version, room, sizeof(version));
    return tell(r, err);
}

static int
take(const struct mcph_store_key *key, const char *expected)
{
    mcphost_error *err = NULL;
    int r = mcph_store_remove(store, key, expected, &err);

    return tell(r, err);
}

/* Returns the text of the record.  If the read fails, returns "" and sets `errno` to the
 * code. */
static const char *
get(const struct mcph_store_key *key)
{
    static char text[1024];
    struct mcph_store_record record = {0};
    mcphost_error *err = NULL;
    int r = mcph_store_read(store, key, &record, &err);

    errno = tell(r, err);
    snprintf(text, sizeof(text), "%s", r < 0 ? "" : record.text);
    if (r == 0) {
        ck_assert_uint_eq(strlen(record.text), record.len);
        memcpy(version, record.version, sizeof(version));
    }
    mcph_store_record_done(&record);
    return text;
}

static int
code_of_get(const struct mcph_store_key *key)
{
    return *get(key) ? 0 : errno;
}

/* ---- records ----------------------------------------------------------------------- */

START_TEST(a_record_is_read_as_it_was_written)
{
    char written[MCPH_DIGEST_HEX];

    use_store(_i);
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(put(&one, NULL, " {\"a\": [1.50, \"\\u00e9\"]}\n"), 0);
    memcpy(written, version, sizeof(written));
    ck_assert_str_eq(get(&one), "{\"a\": [1.50, \"\\u00e9\"]}");
    ck_assert_str_eq(version, written);
}
END_TEST

START_TEST(directory_and_files_belong_to_the_user_alone)
{
    static const char *const names[] = {"tokens.json", "tokens.lock"};
    mode_t old = umask(0);
    struct stat st;

    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    umask(old);
    ck_assert_int_eq(stat(path_of(""), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        ck_assert_int_eq(stat(path_of(names[i]), &st), 0);
        ck_assert_uint_eq(st.st_mode & 07777, 0600);
    }
    ck_assert_int_lt(access(path_of("tokens.json.new"), F_OK), 0);
}
END_TEST

START_TEST(a_read_makes_no_directory)
{
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_NOTFOUND);
    ck_assert_int_lt(access(path_of(""), F_OK), 0);
}
END_TEST

START_TEST(two_accounts_of_one_server_have_records_of_their_own)
{
    use_store(_i);
    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    ck_assert_int_eq(put(&two, NULL, "{\"n\":2}"), 0);
    ck_assert_str_eq(get(&one), "{\"n\":1}");
    ck_assert_str_eq(get(&two), "{\"n\":2}");
}
END_TEST

START_TEST(a_write_must_name_the_stored_version)
{
    char first[MCPH_DIGEST_HEX];

    use_store(_i);
    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    memcpy(first, version, sizeof(first));
    ck_assert_int_eq(put(&one, NULL, "{\"n\":2}"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(put(&one, first, "{\"n\":3}"), 0);
    ck_assert_int_eq(put(&one, first, "{\"n\":4}"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(put(&two, first, "{\"n\":5}"), MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(get(&one), "{\"n\":3}");
    ck_assert_int_eq(code_of_get(&two), MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(a_removal_must_name_the_stored_version)
{
    use_store(_i);
    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    ck_assert_int_eq(take(&one, NULL), MCPHOST_E_EXISTS);
    ck_assert_int_eq(take(&one, "0"), MCPHOST_E_EXISTS);
    ck_assert_int_eq(take(&two, version), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(take(&two, NULL), MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(get(&one), "{\"n\":1}");
    ck_assert_int_eq(take(&one, version), 0);
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_NOTFOUND);
}
END_TEST

static int
note_key(const struct mcph_store_key *key, void *arg)
{
    char *to = arg;

    snprintf(to + strlen(to), 512 - strlen(to), "%s|%s|%s|%s\n", key->issuer,
             key->resource, key->client, key->account);
    return 0;
}

static int
end_list(const struct mcph_store_key *key, void *arg)
{
    (void)key;
    ++*(int *)arg;
    return MCPHOST_E_CANCELLED;
}

START_TEST(a_list_has_each_key_and_no_record)
{
    char text[512] = "";
    int n = 0;

    use_store(_i);
    ck_assert_int_eq(mcph_store_list(store, note_key, text, NULL), 0);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(put(&one, NULL, "{\"t\":\"secret\"}"), 0);
    ck_assert_int_eq(put(&two, NULL, "{\"t\":\"secret\"}"), 0);
    ck_assert_int_eq(mcph_store_list(store, note_key, text, NULL), 0);
    ck_assert_str_eq(text, "https://issuer.example|https://r.example|client|\n"
                           "https://issuer.example|https://r.example|client|work\n");
    ck_assert_int_eq(mcph_store_list(store, end_list, &n, NULL), MCPHOST_E_CANCELLED);
    ck_assert_int_eq(n, 1);
}
END_TEST

static const struct {
    const char *issuer, *record;
    int code;
} refusals[] = {
    {"i", "[]", MCPHOST_E_INVALID},
    {"i", "{\"secret\":}", MCPHOST_E_INVALID},
    {"i", "", MCPHOST_E_INVALID},
    {"i", "{\"secret\":[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]}", MCPHOST_E_INVALID},
    {"\xff", "{}", MCPHOST_E_INVALID},
    {NULL, "{}", MCPHOST_E_INVALID},
};

START_TEST(a_wrong_record_or_key_is_refused_before_anything_is_stored)
{
    struct mcph_store_key key = one;

    key.issuer = refusals[_i].issuer;
    ck_assert_int_eq(put(&key, NULL, refusals[_i].record), refusals[_i].code);
    test_has_not(said, "secret");
    ck_assert_int_lt(access(path_of(""), F_OK), 0);
}
END_TEST

START_TEST(records_and_texts_of_keys_have_limits)
{
    static char record[MCPH_STORE_RECORD_MAX + 2], text[MCPH_STORE_TEXT_MAX + 2];
    struct mcph_store_key key = one;

    memset(record, ' ', sizeof(record) - 1);
    record[0] = '{';
    record[MCPH_STORE_RECORD_MAX - 1] = '}';
    ck_assert_int_eq(put(&one, NULL, record), MCPHOST_E_LIMIT);
    record[MCPH_STORE_RECORD_MAX] = '\0';
    ck_assert_int_eq(put(&one, NULL, record), 0);
    memset(text, 'x', sizeof(text) - 1);
    key.client = text;
    ck_assert_int_eq(put(&key, NULL, "{}"), MCPHOST_E_INVALID);
    text[MCPH_STORE_TEXT_MAX] = '\0';
    ck_assert_int_eq(put(&key, NULL, "{}"), 0);
}
END_TEST

/* Appends a member whose value has the longest JSON text that is accepted, made of
 * escapes. */
static void
add_longest(struct mcph_buf *json, const char *name)
{
    mcph_buf_addf(json, ",\"%s\":\"", name);
    for (size_t i = 0; i < MCPH_OAUTH_TOKEN_MAX / 2 - 1; i++)
        mcph_buf_adds(json, "\\\"");
    ck_assert_int_eq(mcph_buf_addc(json, '"'), 0);
}

START_TEST(the_longest_tokens_that_are_accepted_can_be_stored)
{
    struct mcph_oauth_refusal refusal = {0};
    struct mcph_oauth_client client = {0};
    struct mcph_oauth_token token = {0};
    static char url[MCPH_OAUTH_URL_MAX + 1];
    struct mcph_store_key key = {url, url, url, url};
    struct mcph_buf text, record;

    memset(url, 'x', sizeof(url) - 1);
    mcph_buf_init(&text, MCPH_OAUTH_DOCUMENT_MAX);
    mcph_buf_adds(&text, "{\"token_type\":\"Bearer\",\"client_id\":\"c\"");
    add_longest(&text, "access_token");
    add_longest(&text, "refresh_token");
    add_longest(&text, "id_token");
    add_longest(&text, "client_secret");
    ck_assert_int_eq(mcph_buf_addc(&text, '}'), 0);
    ck_assert_int_eq(mcph_oauth_token_read(MCPH_OAUTH_GRANT_CODE, "https://i.ex", 200,
                                           text.data, text.len, NULL, &token, &refusal,
                                           NULL),
                     0);
    ck_assert_int_eq(mcph_oauth_registration_read("https://i.ex", 201, text.data,
                                                  text.len, NULL, &client, NULL),
                     0);
    mcph_buf_init(&record, SIZE_MAX / 2);
    mcph_buf_addc(&record, '{');
    mcph_json_add_member(&record, "access_token", token.access);
    mcph_json_add_member(&record, "refresh_token", token.refresh);
    mcph_json_add_member(&record, "id_token", token.id_token);
    mcph_json_add_member(&record, "client_secret", client.secret);
    for (int i = 0; i < 8; i++)
        mcph_json_add_member(&record, "url", url);
    mcph_buf_addc(&record, '}');
    ck_assert_int_eq(put(&key, NULL, mcph_buf_text(&record)), 0);
    mcph_oauth_token_done(&token);
    mcph_oauth_client_done(&client);
    mcph_buf_done(&record);
    mcph_buf_done(&text);
}
END_TEST

#define SECRET "0123456789-this-token-must-not-stay-in-memory"

START_TEST(no_copy_of_a_record_stays_in_memory)
{
    static const char mark[] = "this-token-must-not-stay";
    char *canary = mcph_strdup(mark);
    int seen = heap_count(mark);

    mcph_str_wipe(canary);
    ck_assert_int_eq(heap_count(mark), 0);
    ck_assert_int_eq(put(&one, NULL, "{\"t\":\"" SECRET "\"}"), 0);
    ck_assert_int_eq(put(&two, NULL, "{\"t\":\"" SECRET "\"}"), 0);
    test_has(get(&one), SECRET);
    ck_assert_int_eq(put(&one, version, "{\"t\":\"another " SECRET "\"}"), 0);
    test_has(get(&two), SECRET);
    ck_assert_int_eq(take(&two, version), 0);
    ck_assert_int_eq(heap_count(mark), 0);
    if (seen == 0)
        printf("not run: the heap is elsewhere under this tool\n");
}
END_TEST

/* ---- the directory and the file ---------------------------------------------------- */

static void
write_file(const char *name, const char *text)
{
    FILE *file;

    (void)mkdir(path_of(""), 0700);
    file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path_of(name), 0600), 0);
}

static void
refused_with(const char *why)
{
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_DENIED);
    test_has(said, why);
    ck_assert_int_eq(put(&one, NULL, "{}"), MCPHOST_E_DENIED);
    test_has(said, why);
}

START_TEST(a_directory_with_rights_for_others_is_refused)
{
    static const mode_t modes[] = {0710, 0702, 0755};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(modes); i++) {
        (void)mkdir(path_of(""), 0700);
        ck_assert_int_eq(chmod(path_of(""), modes[i]), 0);
        refused_with("gives rights to other users; use chmod 700");
    }
}
END_TEST

START_TEST(a_file_with_rights_for_others_is_refused_and_stays)
{
    struct stat st;

    write_file("tokens.json", "{\"format\":1,\"tokens\":[]}");
    ck_assert_int_eq(chmod(path_of("tokens.json"), 0640), 0);
    refused_with("tokens.json' gives rights to other users; use chmod 600");
    ck_assert_int_eq(stat(path_of("tokens.json"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
}
END_TEST

START_TEST(symbolic_links_are_refused)
{
    write_file("real", "{\"format\":1,\"tokens\":[]}");
    ck_assert_int_eq(symlink("real", path_of("tokens.json")), 0);
    refused_with("tokens.json' is a symbolic link");
    ck_assert_int_eq(unlink(path_of("tokens.json")), 0);
    ck_assert_int_eq(unlink(path_of("tokens.lock")), 0);
    ck_assert_int_eq(symlink("real", path_of("tokens.lock")), 0);
    ck_assert_int_eq(put(&one, NULL, "{}"), MCPHOST_E_DENIED);
    ck_assert_int_eq(rename(path_of(""), rig_workspace_path(&ws, "moved")), 0);
    ck_assert_int_eq(symlink("moved", rig_workspace_path(&ws, "state")), 0);
    refused_with("is a symbolic link, or not a directory");
}
END_TEST

START_TEST(a_fifo_is_refused_without_waiting)
{
    (void)mkdir(path_of(""), 0700);
    ck_assert_int_eq(mkfifo(path_of("tokens.json"), 0600), 0);
    refused_with("is not a regular file");
}
END_TEST

START_TEST(a_directory_of_another_user_is_refused)
{
    if (geteuid() != 0)
        return;
    (void)mkdir(path_of(""), 0700);
    ck_assert_int_eq(chown(path_of(""), 1, 1), 0);
    refused_with("belongs to the user 1");
}
END_TEST

START_TEST(a_relative_directory_is_refused)
{
    struct mcph_store *none = NULL;

    ck_assert_int_eq(mcph_store_file_new("state", &none, NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(none);
}
END_TEST

START_TEST(unknown_members_of_the_file_are_kept)
{
    char *text;

    write_file("tokens.json",
               "{\"comment\": 1e99,\n\"format\":1,\"tokens\":[],\"z\":{}}");
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    ck_assert_int_eq(take(&one, version), 0);
    text = rig_workspace_read(&ws, "state/tokens.json");
    test_has_all(text, "\"comment\": 1e99,\n|\"z\":{}");
    free(text);
}
END_TEST

/* Checks the text of tokens.json.damaged.  If `expected` is NULL, the file must not
 * exist. */
static void
check_damaged(const char *expected)
{
    char *text;

    if (!expected) {
        ck_assert_int_lt(access(path_of("tokens.json.damaged"), F_OK), 0);
        return;
    }
    text = rig_workspace_read(&ws, "state/tokens.json.damaged");
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(a_damaged_file_is_moved_aside_once_and_reported)
{
    for (int i = 1; i <= 2; i++) {
        const char *text = i == 1 ? "{\"format\":1," : "{}";

        write_file("tokens.json", text);
        ck_assert_int_eq(i == 1 ? code_of_get(&one) : put(&one, NULL, "{}"),
                         MCPHOST_E_STATE);
        test_has(said, "is damaged at line 1");
        test_has(said, "is now called 'tokens.json.damaged'");
        check_damaged(text);
        ck_assert_int_eq(code_of_get(&one), MCPHOST_E_NOTFOUND);
    }
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    check_damaged("{}");
}
END_TEST

START_TEST(a_removal_deletes_the_damaged_file)
{
    write_file("tokens.json.damaged", "{\"t\":\"secret\",");
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    check_damaged("{\"t\":\"secret\",");
    ck_assert_int_eq(take(&one, version), 0);
    check_damaged(NULL);
}
END_TEST

/* There is no valid record.  Two files contain a copy of the token: the damaged file,
 * and the unfinished file of a killed writer. */
START_TEST(a_removal_without_a_record_deletes_its_copies_too)
{
    write_file("tokens.json", "{\"t\":\"secret\",");
    write_file("tokens.json.new", "{\"t\":\"secret\"");
    ck_assert_int_eq(take(&one, "0"), MCPHOST_E_STATE);
    check_damaged("{\"t\":\"secret\",");
    ck_assert_int_eq(take(&one, "0"), MCPHOST_E_NOTFOUND);
    check_damaged(NULL);
    ck_assert_int_lt(access(path_of("tokens.json.new"), F_OK), 0);
}
END_TEST

START_TEST(a_file_of_a_newer_format_is_neither_used_nor_moved)
{
    write_file("tokens.json", "{\"format\":2}");
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_UNSUPPORTED);
    ck_assert_int_eq(put(&one, NULL, "{}"), MCPHOST_E_UNSUPPORTED);
    ck_assert_int_eq(access(path_of("tokens.json"), F_OK), 0);
}
END_TEST

START_TEST(a_file_above_the_limit_is_refused_and_stays)
{
    write_file("tokens.json", "");
    ck_assert_int_eq(truncate(path_of("tokens.json"), MCPH_STORE_FILE_MAX + 1), 0);
    ck_assert_int_eq(code_of_get(&one), MCPHOST_E_LIMIT);
    ck_assert_int_eq(put(&one, NULL, "{}"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(access(path_of("tokens.json"), F_OK), 0);
}
END_TEST

START_TEST(the_half_written_file_of_a_killed_writer_is_replaced)
{
    char *text;

    write_file("tokens.json.new", "{\"half\":");
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    ck_assert_int_lt(access(path_of("tokens.json.new"), F_OK), 0);
    text = rig_workspace_read(&ws, "state/tokens.json");
    test_has_not(text, "half");
    free(text);
}
END_TEST

START_TEST(while_another_process_writes_a_writer_is_busy_and_a_reader_reads)
{
    int fd;

    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    fd = open(path_of("tokens.lock"), O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(put(&one, version, "{}"), MCPHOST_E_BUSY);
    ck_assert_int_eq(put(&two, NULL, "{}"), MCPHOST_E_BUSY);
    ck_assert_int_eq(take(&one, version), MCPHOST_E_BUSY);
    ck_assert_str_eq(get(&one), "{\"n\":1}");
    close(fd);
    ck_assert_int_eq(put(&one, version, "{}"), 0);
}
END_TEST

static int new_lock;

static void
replace_lock(void)
{
    ck_assert_int_eq(unlink(path_of("tokens.lock")), 0);
    new_lock = open(path_of("tokens.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(new_lock, 0);
    ck_assert_int_eq(flock(new_lock, LOCK_EX | LOCK_NB), 0);
}

/* Between open() and flock() of a writer, the lock file is removed, and another writer
 * locks a new lock file. */
START_TEST(a_lock_on_a_removed_file_does_not_count)
{
    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    before_lock = replace_lock;
    ck_assert_int_eq(put(&one, version, "{\"n\":2}"), MCPHOST_E_BUSY);
    ck_assert_str_eq(get(&one), "{\"n\":1}");
    close(new_lock);
    ck_assert_int_eq(put(&one, version, "{\"n\":3}"), 0);
}
END_TEST

static void
remove_lock(void)
{
    ck_assert_int_eq(unlink(path_of("tokens.lock")), 0);
}

START_TEST(a_writer_whose_lock_was_removed_locks_a_new_file)
{
    ck_assert_int_eq(put(&one, NULL, "{\"n\":1}"), 0);
    before_lock = remove_lock;
    ck_assert_int_eq(put(&one, version, "{\"n\":2}"), 0);
    ck_assert_int_eq(access(path_of("tokens.lock"), F_OK), 0);
    ck_assert_str_eq(get(&one), "{\"n\":2}");
}
END_TEST

static const struct {
    const char *state_home, *home, *dir;
} defaults[] = {
    {"/s", "/h", "/s/mcphost"},
    {NULL, "/h", "/h/.local/state/mcphost"},
    {"", "/h", "/h/.local/state/mcphost"},
    {"relative", "/h", "/h/.local/state/mcphost"},
    {NULL, NULL, NULL},
    {"s", "", NULL},
};

START_TEST(the_default_directory_follows_the_environment)
{
    char *dir = NULL;
    int r =
        mcph_store_default_dir(defaults[_i].state_home, defaults[_i].home, &dir, NULL);

    ck_assert_int_eq(r, defaults[_i].dir ? 0 : MCPHOST_E_NOTFOUND);
    ck_assert_pstr_eq(dir, defaults[_i].dir);
    free(dir);
}
END_TEST

START_TEST(missing_parents_of_the_directory_are_made)
{
    store = mcph_store_unref(store);
    ck_assert_int_eq(mcph_store_file_new(path_of("a/b//c///"), &store, NULL), 0);
    ck_assert_int_eq(put(&one, NULL, "{}"), 0);
    ck_assert_int_eq(access(path_of("a/b/c/tokens.json"), F_OK), 0);
}
END_TEST

/* ---- claims ------------------------------------------------------------------------ */

static int
claim(const struct mcph_store_key *key, const char *holder, struct mcph_token_claim **ret)
{
    mcphost_error *err = NULL;
    int r = mcph_store_claim(store, key, holder, ret, &err);

    return tell(r, err);
}

static int
count_locks(void)
{
    struct mcph_vec names;
    int n;

    ck_assert_int_eq(mcph_dir_list(path_of(""), mcph_utf8_is_text, 100, &names, NULL), 0);
    n = (int)names.n - 2; /* do not count "." and ".." */
    mcph_dir_list_done(&names);
    return n;
}

START_TEST(a_claimed_key_is_busy_until_its_release)
{
    struct mcph_token_claim *first = NULL, *second = NULL;

    ck_assert_int_eq(claim(&one, "program 7", &first), 0);
    ck_assert_int_eq(fcntl(first->fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ck_assert_int_eq(claim(&one, "program 8", &second), MCPHOST_E_BUSY);
    test_has(said, "by program 7");
    ck_assert_int_eq(claim(&two, "program 8", &second), 0);
    mcph_store_release(second);
    mcph_store_release(first);
    ck_assert_int_eq(count_locks(), 0);
    ck_assert_int_eq(claim(&one, "program 9", &first), 0);
    mcph_store_release(first);
    mcph_store_release(NULL);
}
END_TEST

START_TEST(a_claim_ends_with_its_process)
{
    struct mcph_token_claim *mine = NULL;
    int ready[2];
    pid_t pid;
    char c;

    ck_assert_int_eq(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        if (mcph_store_claim(store, &one, "child", &mine, NULL) == 0)
            (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &c, 1), 1);
    ck_assert_int_eq(claim(&one, "parent", &mine), MCPHOST_E_BUSY);
    test_has(said, "by child");
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(claim(&one, "parent", &mine), 0);
    mcph_store_release(mine);
    close(ready[0]);
    close(ready[1]);
}
END_TEST

START_TEST(a_forked_child_does_not_release_its_parents_claim)
{
    struct mcph_token_claim *mine = NULL, *other = NULL;
    pid_t pid;

    ck_assert_int_eq(claim(&one, "parent", &mine), 0);
    pid = fork();
    if (pid == 0) {
        mcph_store_release(mine);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(claim(&one, "other", &other), MCPHOST_E_BUSY);
    mcph_store_release(mine);
}
END_TEST

static pid_t lingering;

static void
fork_lingering(void)
{
    lingering = fork();
    if (lingering == 0) {
        pause();
        _exit(0);
    }
}

/* The child inherits the descriptor of the lock and lives on.  The next write must still
 * get the lock. */
START_TEST(a_child_forked_during_a_write_does_not_keep_the_lock)
{
    before_lock = fork_lingering;
    ck_assert_int_eq(put(&one, NULL, "{\"a\":1}"), 0);
    ck_assert_int_gt(lingering, 0);
    ck_assert_int_eq(put(&two, NULL, "{\"a\":2}"), 0);
    kill(lingering, SIGKILL);
    ck_assert_int_eq(waitpid(lingering, NULL, 0), lingering);
}
END_TEST

static struct mcph_token_claim *first_claim, *second_claim;

static void
change_holder(void)
{
    mcph_store_release(first_claim);
    ck_assert_int_eq(mcph_store_claim(store, &one, "second", &second_claim, NULL), 0);
}

/* Between open() and flock() of a claim, the holder releases its claim.  The release
 * removes the file.  Another holder then claims the key with a new file. */
START_TEST(the_lock_of_a_removed_file_is_no_claim)
{
    struct mcph_token_claim *third = NULL;

    ck_assert_int_eq(claim(&one, "first", &first_claim), 0);
    before_lock = change_holder;
    ck_assert_int_eq(claim(&one, "third", &third), MCPHOST_E_BUSY);
    test_has(said, "by second");
    ck_assert_ptr_null(before_lock);
    mcph_store_release(second_claim);
}
END_TEST

START_TEST(a_holder_without_a_text_is_another_process)
{
    struct mcph_token_claim *first = NULL, *second = NULL;
    char holder[MCPH_STORE_HOLDER_MAX + 2];

    ck_assert_int_eq(claim(&one, "", &first), 0);
    ck_assert_int_eq(claim(&one, "x", &second), MCPHOST_E_BUSY);
    test_has(said, "by another process");
    ck_assert_int_eq(pwrite(first->fd, "a\nb\xff", 4, 0), 4);
    ck_assert_int_eq(claim(&one, "x", &second), MCPHOST_E_BUSY);
    test_has(said, "by a b\xef\xbf\xbd");
    mcph_store_release(first);
    memset(holder, 'x', sizeof(holder) - 1);
    holder[sizeof(holder) - 1] = '\0';
    ck_assert_int_eq(claim(&one, holder, &first), MCPHOST_E_INVALID);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "records");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_record_is_read_as_it_was_written, 0, N_STORES);
    tcase_add_test(tc, directory_and_files_belong_to_the_user_alone);
    tcase_add_test(tc, a_read_makes_no_directory);
    tcase_add_loop_test(tc, two_accounts_of_one_server_have_records_of_their_own, 0,
                        N_STORES);
    tcase_add_loop_test(tc, a_write_must_name_the_stored_version, 0, N_STORES);
    tcase_add_loop_test(tc, a_removal_must_name_the_stored_version, 0, N_STORES);
    tcase_add_loop_test(tc, a_list_has_each_key_and_no_record, 0, N_STORES);
    tcase_add_loop_test(tc, a_wrong_record_or_key_is_refused_before_anything_is_stored, 0,
                        (int)MCPH_ARRAY_SIZE(refusals));
    tcase_add_test(tc, records_and_texts_of_keys_have_limits);
    tcase_add_test(tc, the_longest_tokens_that_are_accepted_can_be_stored);
    tcase_add_test(tc, no_copy_of_a_record_stays_in_memory);

    tc = test_case(suite, "file");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_directory_with_rights_for_others_is_refused);
    tcase_add_test(tc, a_file_with_rights_for_others_is_refused_and_stays);
    tcase_add_test(tc, symbolic_links_are_refused);
    tcase_add_test(tc, a_fifo_is_refused_without_waiting);
    tcase_add_test(tc, a_directory_of_another_user_is_refused);
    tcase_add_test(tc, a_relative_directory_is_refused);
    tcase_add_test(tc, unknown_members_of_the_file_are_kept);
    tcase_add_test(tc, a_damaged_file_is_moved_aside_once_and_reported);
    tcase_add_test(tc, a_removal_deletes_the_damaged_file);
    tcase_add_test(tc, a_removal_without_a_record_deletes_its_copies_too);
    tcase_add_test(tc, a_file_of_a_newer_format_is_neither_used_nor_moved);
    tcase_add_test(tc, a_file_above_the_limit_is_refused_and_stays);
    tcase_add_test(tc, the_half_written_file_of_a_killed_writer_is_replaced);
    tcase_add_test(tc, while_another_process_writes_a_writer_is_busy_and_a_reader_reads);
    tcase_add_test(tc, a_lock_on_a_removed_file_does_not_count);
    tcase_add_test(tc, a_writer_whose_lock_was_removed_locks_a_new_file);
    tcase_add_loop_test(tc, the_default_directory_follows_the_environment, 0,
                        (int)MCPH_ARRAY_SIZE(defaults));
    tcase_add_test(tc, missing_parents_of_the_directory_are_made);

    tc = test_case(suite, "claims");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_claimed_key_is_busy_until_its_release);
    tcase_add_test(tc, a_claim_ends_with_its_process);
    tcase_add_test(tc, a_forked_child_does_not_release_its_parents_claim);
    tcase_add_test(tc, a_child_forked_during_a_write_does_not_keep_the_lock);
    tcase_add_test(tc, the_lock_of_a_removed_file_is_no_claim);
    tcase_add_test(tc, a_holder_without_a_text_is_another_process);
}

int
main(void)
{
    return test_main("auth-store", add);
}
