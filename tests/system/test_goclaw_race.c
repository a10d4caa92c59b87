/* SPDX-License-Identifier: MIT
 *
 * test_goclaw_race.c - skills of a role whose directory a thread exchanges with a link
 * that leads out of the workspace.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"
#include "support/rig.h"
#include "support/runner.h"

#define ROLE MCPH_SPAN_NONE /* the role of the main agent */
#define NAME mcph_span_str("one")

static struct rig_workspace ws, out;
static struct mcph_goclaw *goclaw;

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    rig_workspace_up(&out, NULL);
    ck_assert_int_eq(mcph_goclaw_new(ws.dir, NULL, 0, &goclaw, NULL), 0);
}

static void
down(void)
{
    mcph_goclaw_free(goclaw);
    rig_workspace_down(&ws);
    rig_workspace_down(&out);
}

/* Reads the skill.  Its content must not come from outside the workspace. */
static int
get(void)
{
    struct mcph_goclaw_skill *skill = NULL;
    int r = mcph_goclaw_get_skill(goclaw, ROLE, NAME, true, &skill, NULL);

    ck_assert(r != 0 || !skill->content || strcmp(skill->content, "ours") == 0);
    mcph_goclaw_skill_free(skill);
    return r;
}

/* The race takes RACE_MS milliseconds.  On a slow or busy machine it may take up to
 * RACE_MAX milliseconds longer. */
#define RACE_MS  1500
#define RACE_MAX 15000

static atomic_bool over;
static char role_path[128], spare_path[128];

/* Exchanges the role's directory and a link that leads out, again and again.  Some pauses
 * between two exchanges are long enough for a write.  Other pauses are too short. */
static void *
exchange(void *arg)
{
    unsigned n = 0;

    (void)arg;
    while (!atomic_load(&over)) {
        if (++n % 8 == 0)
            usleep(n % 64 * 50);
        if (renameat2(AT_FDCWD, role_path, AT_FDCWD, spare_path, RENAME_EXCHANGE) < 0 &&
            rename(spare_path, role_path) < 0)
            usleep(100);
    }
    return NULL;
}

static int
count_out(void)
{
    DIR *dir = opendir(out.dir);
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* R187 R214 */
START_TEST(a_role_exchanged_with_a_link_never_leads_outside)
{
    int64_t until = mcph_clock_monotonic_ms() + RACE_MS, last = until + RACE_MAX, now;
    long done = 0, refused = 0;
    pthread_t mover;
    int before;

    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "skills"), 0755), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "skills/main"), 0755), 0);
    snprintf(role_path, sizeof(role_path), "%s", rig_workspace_path(&ws, "skills/main"));
    snprintf(spare_path, sizeof(spare_path), "%s",
             rig_workspace_path(&ws, "skills/spare"));
    ck_assert_int_eq(symlink(out.dir, spare_path), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&out, "one"), 0755), 0);
    rig_workspace_write(&out, "one/SKILL.md", "theirs");
    before = count_out();
    atomic_store(&over, false);
    ck_assert_int_eq(pthread_create(&mover, NULL, exchange, NULL), 0);
    while ((now = mcph_clock_monotonic_ms()) < until ||
           (now < last && (done == 0 || refused == 0))) {
        int r[4];

        r[0] = mcph_goclaw_put_skill(goclaw, ROLE, NAME, mcph_span_str("ours"),
                                     MCPH_GOCLAW_DISABLE, true, NULL);
        r[1] = get();
        r[2] = mcph_goclaw_enable_skill(goclaw, ROLE, NAME, true, NULL);
        r[3] = mcph_goclaw_delete_skill(goclaw, ROLE, NAME, NULL);
        for (int i = 0; i < 4; i++) {
            done += r[i] >= 0;
            refused += r[i] == MCPHOST_E_DENIED || r[i] == MCPHOST_E_BUSY;
        }
    }
    atomic_store(&over, true);
    pthread_join(mover, NULL);
    ck_assert_int_eq(rig_workspace_count(&out, "one/SKILL.md", "theirs"), 1);
    ck_assert_int_ne(access(rig_workspace_path(&out, "one/.disabled"), F_OK), 0);
    ck_assert_int_eq(count_out(), before);
    ck_assert_msg(done > 0 && refused > 0, "%ld done, %ld refused", done, refused);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "race");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_role_exchanged_with_a_link_never_leads_outside);
}

int
main(void)
{
    return test_main("goclaw-race", add);
}
