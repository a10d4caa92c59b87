/* SPDX-License-Identifier: MIT
 *
 * test_auth_store_race.c - many processes change the records of one file store, and are
 * killed at random moments.
 *
 * Each record counts the changes of each process.  A process notes each change that
 * succeeded.  The notes are in memory that the process shares with the test.  A process
 * that is killed may have made one more change than it noted.  The test finds this change
 * in the record.  At the end the records and the notes must be equal: no change is lost,
 * and no change is made twice.
 *
 * STORE_RACE (default: 25) is the number of changes of each process.  `make store-race`
 * runs the test with more changes.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "auth/store.h"
#include "support/rig.h"
#include "support/runner.h"

#define WORKERS 8
#define KEYS    3

struct notes {
    long done[KEYS][WORKERS]; /* noted changes */
    long key[WORKERS];        /* the key of the change in progress, or -1 */
    long faults;
};

static struct rig_workspace ws;
static struct mcph_store *store;
static struct notes *notes;
static long wanted;

static const struct mcph_store_key keys[KEYS] = {
    {"https://a.example", "https://r.example/mcp", "client", ""},
    {"https://a.example", "https://r.example/mcp", "client", "second"},
    {"https://b.example", "https://r.example/mcp", "client", ""}};

static void
up(void)
{
    const char *text = getenv("STORE_RACE");

    wanted = text ? strtol(text, NULL, 10) : 25;
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mcph_store_file_new(rig_workspace_path(&ws, "state"), &store, NULL),
                     0);
    notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    ck_assert_ptr_ne(notes, MAP_FAILED);
    for (int i = 0; i < WORKERS; i++)
        notes->key[i] = -1;
}

static void
down(void)
{
    munmap(notes, sizeof(*notes));
    store = mcph_store_unref(store);
    rig_workspace_down(&ws);
}

/* Reads the counts of a record, and its version.  Without a record the counts are 0.
 * Returns the code of the read. */
static int
read_counts(int key, long counts[WORKERS], char version[MCPH_DIGEST_HEX])
{
    struct mcph_store_record record = {0};
    int r = mcph_store_read(store, &keys[key], &record, NULL);
    const char *p = record.text;

    memset(counts, 0, WORKERS * sizeof(*counts));
    if (r < 0)
        return r;
    memcpy(version, record.version, MCPH_DIGEST_HEX);
    for (int i = 0; i < WORKERS; i++) {
        p = p ? strpbrk(p, "[,") : NULL;
        counts[i] = p ? strtol(++p, NULL, 10) : -1;
    }
    mcph_store_record_done(&record);
    return 0;
}

/* Adds one to the count of worker `me`.  Returns the code of the write. */
static int
change(int me, int key)
{
    char version[MCPH_DIGEST_HEX], text[512];
    long counts[WORKERS];
    int r = read_counts(key, counts, version), n;

    if (r < 0 && r != MCPHOST_E_NOTFOUND)
        return r;
    counts[me]++;
    n = snprintf(text, sizeof(text), "{\"counts\":");
    for (int i = 0; i < WORKERS; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%c%ld", i ? ',' : '[',
                      counts[i]);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "],\"filler\":\"%0*ld\"}",
                  (int)(counts[me] % 97) + 1, 0L);
    return mcph_store_write(store, &keys[key], r == 0 ? version : NULL, text, (size_t)n,
                            NULL, NULL);
}

static long
done_by(int me)
{
    long n = 0;

    for (int key = 0; key < KEYS; key++)
        n += notes->done[key][me];
    return n;
}

/* Makes changes until this worker has noted `wanted` changes, then ends the process. */
static void
work(int me)
{
    while (done_by(me) < wanted) {
        int key = (int)(done_by(me) % KEYS), r;

        notes->key[me] = key;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        r = change(me, key);
        if (r == 0) {
            __atomic_add_fetch(&notes->done[key][me], 1, __ATOMIC_SEQ_CST);
        } else if (r == MCPHOST_E_BUSY || r == MCPHOST_E_EXISTS) {
            sched_yield();
        } else {
            fprintf(stderr, "worker %d: code %d\n", me, r);
            __atomic_add_fetch(&notes->faults, 1, __ATOMIC_SEQ_CST);
            _exit(1);
        }
    }
    _exit(0);
}

static pid_t
start(int me)
{
    pid_t pid = fork();

    if (pid == 0)
        work(me);
    ck_assert_int_gt(pid, 0);
    return pid;
}

/* Notes the change that the killed process `me` made and did not note.  The record shows
 * this change, because only the process `me` changes counts[me].  The read also proves
 * that the file is whole. */
static void
settle(int me)
{
    char version[MCPH_DIGEST_HEX];
    long counts[WORKERS];

    for (int key = 0; key < KEYS; key++) {
        long noted = notes->done[key][me], more;
        int r = read_counts(key, counts, version);

        ck_assert_msg(r == 0 || r == MCPHOST_E_NOTFOUND, "after a kill: code %d", r);
        more = counts[me] - noted;
        ck_assert_msg(more == 0 || (more == 1 && key == notes->key[me]),
                      "worker %d noted %ld changes of key %d, the record has %ld", me,
                      noted, key, counts[me]);
        notes->done[key][me] = counts[me];
    }
}

static void
check_files(void)
{
    DIR *dir = opendir(rig_workspace_path(&ws, "state"));
    const struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    for (entry = readdir(dir); entry; entry = readdir(dir))
        ck_assert_ptr_null(strstr(entry->d_name, "damaged"));
    closedir(dir);
}

/* Kills a process at a random moment, and starts its successor. */
static void
kill_one(pid_t pids[WORKERS], unsigned *seed)
{
    int i = rand_r(seed) % WORKERS;

    nanosleep(&(struct timespec){.tv_nsec = rand_r(seed) % 4000000}, NULL);
    if (done_by(i) >= wanted)
        return;
    kill(pids[i], SIGKILL);
    ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
    settle(i);
    pids[i] = start(i);
}

START_TEST(killed_processes_lose_no_change_and_leave_the_file_whole)
{
    unsigned seed = (unsigned)time(NULL);
    char version[MCPH_DIGEST_HEX];
    long counts[WORKERS], total = 0, kills = 0;
    pid_t pids[WORKERS];
    int status;

    for (int i = 0; i < WORKERS; i++)
        pids[i] = start(i);
    for (int left = WORKERS; left > 0 && notes->faults == 0; kills++) {
        left = 0;
        for (int i = 0; i < WORKERS; i++)
            left += done_by(i) < wanted;
        kill_one(pids, &seed);
    }
    for (int i = 0; i < WORKERS; i++) {
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
    for (int key = 0; key < KEYS; key++) {
        ck_assert_int_eq(read_counts(key, counts, version), 0);
        for (int i = 0; i < WORKERS; i++) {
            ck_assert_int_eq(counts[i], notes->done[key][i]);
            total += counts[i];
        }
    }
    ck_assert_int_eq(total, WORKERS * wanted);
    check_files();
    printf("%ld changes, %ld attempts to kill\n", total, kills);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "race");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, killed_processes_lose_no_change_and_leave_the_file_whole);
    tcase_set_timeout(tc, getenv("STORE_RACE") ? 1800 : 60);
}

int
main(void)
{
    return test_main("auth-store-race", add);
}
