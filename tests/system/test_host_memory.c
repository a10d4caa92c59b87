/* SPDX-License-Identifier: MIT
 *
 * test_host_memory.c - results of a hundred megabytes: memory use, and complete delivery.
 *
 * The tests measure the peak of the process's memory use.  They are a program of their
 * own, because the peak would include memory that other tests touched.  The peak is
 * VmHWM.  VmHWM also includes pages of files.  Therefore VmHWM may be higher than the
 * memory that a test uses, but is never lower.  In tests with many file pages, a thread
 * samples the anonymous pages instead.  Under sanitizers the tests do not measure memory
 * use, and all results are a sixteenth as large.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/httprig.h"
#include "support/instrumented.h"

#define MIB   1024       /* one MiB in KiB */
#define LIMIT (64 * MIB) /* the default limit of a message, in KiB */

#if INSTRUMENTED
#define PART 16
#define FILL "6553600"
#define LESS "4194304"
#else
#define PART 1
#define FILL "104857600"
#define LESS "67108864"
#endif
#define SIZE ((uint64_t)(100 << 20) / PART) /* the number of bytes in FILL */

static struct hostrig hr;
static mcphost_dialog *d;
static char store[220];

/* Loads the server, opens a dialog and makes one call.  If `message_bytes` is 0, the
 * limit of a message is the default, or a sixteenth of the default under sanitizers. */
static void
load_server(int64_t message_bytes)
{
    if (message_bytes || PART > 1)
        hr_option(&hr, MCPHOST_OPT_MESSAGE_BYTES,
                  message_bytes ? message_bytes : LIMIT / PART * 1024);
    ck_assert_int_eq(mcphost_set_spool_dir(hr.host, hr.ws.dir), 0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    snprintf(store, sizeof(store), "%s/store", hr.ws.dir);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, store, 0, NULL), 0);
    /* A first call makes all one-time allocations before the test measures the memory
     * use. */
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
}

static void
up(int64_t message_bytes, const char *script)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true", script);
    load_server(message_bytes);
}

static void
delete_store(void)
{
    ck_assert_int_eq(mcphost_artifact_delete_all(store, NULL), 0);
    rmdir(store);
}

static void
down(void)
{
    delete_store();
    hr_down(&hr);
}

/* Calls the tool `big` and waits up to 100 s for the end of the call.  Does not use
 * hr_end(), because its limit (10 s, if no sanitizer is in use) can be too short on a
 * busy machine. */
static mcphost_call *
call_big(void)
{
    mcphost_call *call = hr_call(&hr, d, "a_big", "{}");

    ck_assert_int_eq(mcphost_call_set_timeout(call, 100000, 0, -1), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_wait(call, 100000), 1);
    ck_assert_ptr_null(mcphost_call_get_error(call));
    return call;
}

/* Writes the path of the only artifact of the items to `path`. */
static void
path_of(const mcphost_items *items, char *path, size_t size)
{
    const char *at = strstr(mcphost_items_get_json(items, NULL), "\"relPath\":\"");

    ck_assert_ptr_nonnull(at);
    at += strlen("\"relPath\":\"");
    snprintf(path, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* Checks that this text occurs in the items' JSON. */
static void
expect_items(const mcphost_items *items, const char *fmt, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    ck_assert_ptr_nonnull(strstr(mcphost_items_get_json(items, NULL), text));
}

/* ---- a thread that samples the anonymous pages of the process ---------------------- */

static atomic_bool watching;
static long seen;

static void *
watch(void *arg)
{
    (void)arg;
    while (atomic_load(&watching)) {
        long now = rig_anon_kib();

        seen = now > seen ? now : seen;
        rig_pause(1);
    }
    return NULL;
}

static pthread_t
watch_begin(void)
{
    pthread_t thread;

    seen = -1;
    atomic_store(&watching, true);
    ck_assert_int_eq(pthread_create(&thread, NULL, watch, NULL), 0);
    return thread;
}

static long
watch_end(pthread_t thread)
{
    atomic_store(&watching, false);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return seen;
}

/* ---- tests ------------------------------------------------------------------------- */

/* R68, R69: the library decodes the picture from its frame into the file in steps and
 * makes no second copy. */
START_TEST(a_picture_of_64_megabytes_peaks_below_1_3_times_its_frame)
{
    const unsigned bytes = (48 << 20) / PART;
    mcphost_items *items = NULL;
    unsigned char part[6];
    char path[400];
    mcphost_call *call;
    long before;
    size_t n;

    up(100 << 20,
       "on call:big\n"
       " raw {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[{\"type\":"
       "\"image\",\"mimeType\":\"image/png\",\"data\":\"\n"
       " fill " LESS " iVBORw0KGgoB\n"
       " raw \"}]}}\\n\n"
       "on call:add\n text small");
    rig_peak_reset();
    before = rig_peak_kib();
    call = call_big();
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    ck_assert_int_lt(rig_peak_kib() - before, 64 * MIB * 13 / 10);
    expect_items(items, "\"byteLength\":%d,", bytes);
    path_of(items, path, sizeof(path));
    for (uint64_t offset = 0; offset <= bytes - 9; offset += bytes / 9 * 3 - 9) {
        ck_assert_int_eq(
            mcphost_artifact_read(store, path, offset / 9 * 9, part, 6, &n, NULL), 0);
        ck_assert_uint_eq(n, 6);
        ck_assert_mem_eq(part, "\x89PNG\r\n", 6);
    }
    mcphost_items_unref(items);
    down();
}
END_TEST

/* Checks that the artifact's file repeats `pattern` at both ends and in the middle.
 * A read that begins 3 bytes before the end of the file must return 3 bytes.  A read that
 * begins at the end must return 0 bytes. */
static void
expect_file(const mcphost_items *items, const char *pattern, size_t period,
            uint64_t bytes)
{
    const uint64_t places[] = {0,         1,        4095, bytes / 2 - 8, bytes / 2 + 3,
                               bytes - 9, bytes - 8};
    char path[400], part[8];
    size_t n;

    path_of(items, path, sizeof(path));
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        ck_assert_int_eq(mcphost_artifact_read(store, path, places[i], part, 8, &n, NULL),
                         0);
        ck_assert_uint_eq(n, 8);
        for (size_t k = 0; k < n; k++)
            ck_assert_int_eq(part[k], pattern[(places[i] + k) % period]);
    }
    ck_assert_int_eq(mcphost_artifact_read(store, path, bytes - 3, part, 8, &n, NULL), 0);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(mcphost_artifact_read(store, path, bytes, part, 8, &n, NULL), 0);
    ck_assert_uint_eq(n, 0);
}

/* Makes a call, and makes items of its answer, a message that is larger than
 * MCPHOST_OPT_MESSAGE_BYTES.  The library writes the message to a file and maps the file.
 * Checks that the memory in use grows by less than LIMIT plus 8 MiB meanwhile, and that
 * less than 8 MiB of the growth remain after the items are made. */
static mcphost_items *
make_big_items(mcphost_call **ret_call)
{
    mcphost_items *items = NULL;
    long before = rig_anon_kib(), most;
    pthread_t watcher = watch_begin();

    *ret_call = call_big();
    ck_assert_int_eq(mcphost_call_make_items(*ret_call, &items, NULL), 0);
    most = watch_end(watcher);
    if (most >= 0) {
        ck_assert_int_lt(most - before, LIMIT + 8 * MIB);
        ck_assert_int_lt(rig_anon_kib() - before, 8 * MIB);
    }
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small"); /* the connection works */
    return items;
}

START_TEST(a_text_of_100_megabytes_costs_no_more_than_the_limit)
{
    static const char pattern[] = "0123456789abcdef";
    mcphost_items *items;
    mcphost_call *call;
    const char *text;
    long before;
    size_t n;

    up(0,
       "on call:big\n"
       " raw {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[{\"type\":\"text\","
       "\"text\":\"\n"
       " fill " FILL " 0123456789abcdef\n"
       " raw \"}]}}\\n\n"
       "on call:add\n text small");
    items = make_big_items(&call);
    expect_items(items, "\"byteLength\":%d,\"lineCount\":%d,", 104857600 / PART, 1);
    expect_file(items, pattern, 16, SIZE);
    before = rig_anon_kib();
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &n), 0);
    ck_assert_uint_eq(n, SIZE);
    ck_assert_mem_eq(text + SIZE - 16, pattern, 16);
    ck_assert_int_lt(rig_anon_kib() - before, 8 * MIB);
    mcphost_items_unref(items);
    down();
}
END_TEST

/* The text has many lines.  The line ends are JSON escapes.  The library decodes these
 * escapes on the way to the file. */
START_TEST(lines_of_100_megabytes_cost_no_more_than_the_limit)
{
    mcphost_items *items;
    mcphost_call *call;

    up(0,
       "on call:big\n"
       " raw {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[{\"type\":\"text\","
       "\"text\":\"\n"
       " fill " FILL " 0123456789abcd\\n\n"
       " raw \"}]}}\\n\n"
       "on call:add\n text small");
    items = make_big_items(&call);
    expect_items(items, "\"byteLength\":%d,\"lineCount\":%d,", 98304000 / PART,
                 6553600 / PART);
    expect_file(items, "0123456789abcd\n", 15, SIZE / 16 * 15);
    mcphost_items_unref(items);
    down();
}
END_TEST

/* A server sends its reply as a JSON document, or as an event of an SSE stream. */
static const char *const replies[] = {
    " header Content-Type: application/json\n raw ",
    " stream\n raw data: ",
};

START_TEST(over_http_100_megabytes_cost_no_more_than_the_limit)
{
    struct httprig web;
    mcphost_items *items;
    mcphost_call *call;
    char script[400];

    hr_up(&hr);
    snprintf(script, sizeof(script),
             "era modern\non call:big\n%s{\"jsonrpc\":\"2.0\",\"id\":%%i,\"result\":{"
             "\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"\n"
             " fill " FILL " 0123456789abcd\\n\n"
             " raw \"}]}}\\n\\n\n end\n"
             "on call:add\n text small",
             replies[_i]);
    hr_http(&hr, &web, "a", "truely-stateless: true", script);
    load_server(0);
    items = make_big_items(&call);
    expect_items(items, "\"byteLength\":%d,\"lineCount\":%d,", 98304000 / PART,
                 6553600 / PART);
    expect_file(items, "0123456789abcd\n", 15, SIZE / 16 * 15);
    mcphost_items_unref(items);
    delete_store();
    hr_down(&hr);
}
END_TEST

/* R68, R69: the 100 MiB of base64 decode to a picture of 75 MiB.  The fill ends in the
 * middle of its 12-byte pattern. */
START_TEST(a_picture_of_100_megabytes_costs_no_more_than_the_limit)
{
    mcphost_items *items;
    mcphost_call *call;
    char *parts = NULL;

    up(0, "on call:big\n"
          " raw {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[{\"type\":"
          "\"image\",\"mimeType\":\"image/png\",\"data\":\"\n"
          " fill " FILL " iVBORw0KGgoB\n"
          " raw \"}]}}\\n\n"
          "on call:add\n text small");
    items = make_big_items(&call);
    expect_items(items,
                 "{\"type\":\"input_image\",\"mimeType\":\"image/png\",\"byteLength\":%d,"
                 "\"artifact\":",
                 78643200 / PART);
    expect_file(items, "\x89PNG\r\n\x1a\n\x01", 9, SIZE / 4 * 3);
    /* A text replaces the picture, because the picture is too large for a model
     * request. */
    ck_assert_int_eq(mcphost_items_make_parts(items, MCPHOST_SHAPE_ANTHROPIC,
                                              PART > 1 ? 1 << 20 : 0, &parts, NULL, NULL),
                     0);
    ck_assert_ptr_nonnull(strstr(parts, "[image omitted, too large: artifacts/"));
    mcphost_free(parts);
    mcphost_items_unref(items);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "memory");

    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, a_picture_of_64_megabytes_peaks_below_1_3_times_its_frame);
    tcase_add_test(tc, a_text_of_100_megabytes_costs_no_more_than_the_limit);
    tcase_add_test(tc, lines_of_100_megabytes_cost_no_more_than_the_limit);
    tcase_add_loop_test(tc, over_http_100_megabytes_cost_no_more_than_the_limit, 0,
                        sizeof(replies) / sizeof(replies[0]));
    tcase_add_test(tc, a_picture_of_100_megabytes_costs_no_more_than_the_limit);
}

int
main(void)
{
    return test_main("host-memory", add);
}
