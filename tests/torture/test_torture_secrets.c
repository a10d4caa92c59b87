/* SPDX-License-Identifier: MIT
 *
 * test_torture_secrets.c - the tokens of mcphostctl in the keyring (ctl/secrets.c) while
 * memory runs out.
 *
 * The functions below replace the other functions of mcphostctl that ctl/secrets.c calls.
 * The program secret-tool is the fake of keyring.h, whose own allocations never fail.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ctl.h"
#include "support/keyring.h"
#include "support/rig.h"
#include "torture/torture.h"

#define KEY    "[\"https://i.example\",\"https://r.example\",\"c\",\"work\"]"
#define SECRET "access-token-1"
#define RECORD "{\"access_token\":\"" SECRET "\"}"

/* A failed spawn gives MCPHOST_E_IO, even if the reason is a lack of memory. */
static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_IO, 0};

static struct rig_workspace ws;
static struct rig_census census;
static char clean[256];

/* The store that secrets_set_up() has set. */
static struct {
    mcphost_token_load_fn load;
    mcphost_token_save_fn save;
    mcphost_token_next_fn next;
    void *arg;
    mcphost_free_fn free_arg;
} store;

/* ---- mcphostctl -------------------------------------------------------------------- */

int64_t
now_ms(void)
{
    return mcph_clock_monotonic_ms();
}

void
say(struct ctl *ctl, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    (void)ctl;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    torture_must(!strstr(text, SECRET));
}

int
mcphost_set_token_callbacks(mcphost *host, mcphost_token_load_fn load,
                            mcphost_token_save_fn save, mcphost_token_next_fn next,
                            void *arg, mcphost_free_fn free_arg, mcphost_error **reterr)
{
    (void)host;
    (void)reterr;
    store.load = load;
    store.save = save;
    store.next = next;
    store.arg = arg;
    store.free_arg = free_arg;
    return 0;
}

/* ---- the functions of the store ---------------------------------------------------- */

/* Checks the result of a function, and keeps a failure for torture_code().  The result
 * `expected` is not a failure. */
static bool
told(int r, int expected, mcphost_error *error)
{
    torture_must(r < 0 || !error);
    torture_must(!error || !strstr(mcphost_error_get_message(error), SECRET));
    mcphost_error_unref(error);
    return torture_good(r == expected ? 0 : r);
}

static bool
save(const char *old, const char *text, int expected)
{
    mcphost_error *error = NULL;
    int r = store.save(KEY, old, text, store.arg, &error);

    return told(r, expected, error);
}

static bool
load(const char *text, int expected)
{
    static char buffer[8192];
    mcphost_error *error = NULL;
    int r;

    memset(buffer, 0, sizeof(buffer));
    r = store.load(KEY, buffer, sizeof(buffer), store.arg, &error);
    torture_must(r < 0 || (text && strcmp(buffer, text) == 0));
    return told(r, expected, error);
}

static bool
find_next(const char *after, int expected)
{
    char buffer[256] = "";
    mcphost_error *error = NULL;
    int r = store.next(after, buffer, sizeof(buffer), store.arg, &error);

    torture_must(r < 0 || strcmp(buffer, KEY) == 0);
    return told(r, expected, error);
}

static bool
begin(const char *mode, int logs_in)
{
    static struct ctl ctl;
    mcphost_error *error = NULL;
    int r;

    failing_pause();
    torture_must(system(clean) == 0);
    keyring_set_mode(&ws, mode);
    failing_resume();
    ctl = (struct ctl){.logs_in = logs_in};
    r = secrets_set_up(&ctl, &error);
    return told(r, 0, error);
}

static int
use(void)
{
    if (!begin("works", 1))
        return torture_code();
    (void)(save(NULL, RECORD, 0) && load(RECORD, 0) && find_next("", 0) &&
           find_next(KEY, MCPHOST_E_NOTFOUND) && save(RECORD, NULL, 0) &&
           load(NULL, MCPHOST_E_NOTFOUND));
    store.free_arg(store.arg);
    return torture_code();
}

static int
use_broken(void)
{
    if (!begin("fail", 0))
        return torture_code();
    (void)(save(NULL, RECORD, MCPHOST_E_IO) && load(NULL, MCPHOST_E_IO) &&
           find_next("", MCPHOST_E_IO));
    store.free_arg(store.arg);
    return torture_code();
}

static int
use_locked(void)
{
    if (!begin("locked", 0))
        return torture_code();
    (void)(load(NULL, MCPHOST_E_DENIED) && find_next("", MCPHOST_E_DENIED));
    store.free_arg(store.arg);
    return torture_code();
}

/* ---- tests ------------------------------------------------------------------------- */

static void
up(void)
{
    char path[256];

    rig_workspace_up(&ws, NULL);
    keyring_up(&ws);
    snprintf(clean, sizeof(clean), "rm -rf %s", rig_workspace_path(&ws, "bin/items"));
    snprintf(path, sizeof(path), "%s/bin:/usr/bin:/bin", ws.dir);
    ck_assert_int_eq(setenv("PATH", path, 1), 0);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", rig_workspace_path(&ws, "state"), 1), 0);
    census = rig_census_take();
}

static void
down(void)
{
    rig_census_check(&census, 0);
    rig_workspace_down(&ws);
}

START_TEST(if_allocations_fail_the_keyring_works_or_its_functions_fail)
{
    int (*const runs[])(void) = {use, use_broken, use_locked};

    torture_run(&(struct torture){.run = runs[_i / 2], .least = 8, .codes = codes},
                _i % 2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "secrets");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, if_allocations_fail_the_keyring_works_or_its_functions_fail,
                        0, 6);
    tcase_set_timeout(tc, 120);
}

int
main(void)
{
    return torture_main("torture-secrets", add);
}
