/* SPDX-License-Identifier: MIT
 *
 * test_host_own_lists.c - a leased client whose prompts, resources or templates change.
 *
 * A client is the host's connection to one instance of a server: to a process, or to a
 * session over HTTP.  Only the dialog that leases the client sees a change of the lists.
 * Updates of resources reach this dialog after any length of silence.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "host/host.h"
#include "support/heard.h"
#include "support/httprig.h"

#define OFFERS                                                                     \
    "capabilities {\"tools\":{},\"prompts\":{\"listChanged\":true},\"resources\":" \
    "{\"listChanged\":true,\"subscribe\":true}}\n"
#define BOTH                                                 \
    "no-tools\ntool grow\ntool touch\n"                      \
    "entry prompts {\"name\":\"old\"}\n"                     \
    "entry resources {\"uri\":\"f:old\",\"name\":\"old\"}\n" \
    "entry resourceTemplates {\"uriTemplate\":\"f:old/{x}\",\"name\":\"old\"}\n"
#define MORE                                                 \
    "set more\n" BOTH "entry prompts {\"name\":\"new\"}\n"   \
    "entry resources {\"uri\":\"f:new\",\"name\":\"new\"}\n" \
    "entry resourceTemplates {\"uriTemplate\":\"f:new/{x}\",\"name\":\"new\"}\n"
#define TOUCH "on call:touch\n updated f:old\n text touched\n"
#define GROWS \
    TOUCH     \
    "on call:grow\n use more\n changed prompts\n changed resources\n text grown\n"
/* The host reads the lists again only for the caller's session, because the server
 * announces the changes only on the GET stream of this session. */
#define GROWS_OVER_HTTP                                     \
    TOUCH "on call:grow\n use more\n to get\n"              \
          " notify notifications/prompts/list_changed {}\n" \
          " notify notifications/resources/list_changed {}\n to here\n text grown\n"

#define TEXT OFFERS BOTH MORE

static const char *const scripts[] = {"era legacy\n" TEXT GROWS,
                                      "era modern\n" TEXT GROWS,
                                      "era legacy\n" TEXT GROWS_OVER_HTTP};

static struct hostrig hr;
static struct httprig web;
static mcphost_dialog *d, *e;
static int64_t ahead;

/* Starts a host and opens two dialogs.  `server` selects a legacy server, a modern
 * server, or a legacy server over HTTP.  The tests leave out a modern server over HTTP,
 * because a dialog cannot lease a connection of its own to a modern server over HTTP. */
static void
up(int server)
{
    hr_up(&hr);
    heard_up(&hr);
    if (server < 2)
        hr_server(&hr, "a", NULL, scripts[server]);
    else
        hr_http(&hr, &web, "a", NULL, scripts[server]);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    hr_say(&hr, e, "a_touch", NULL);
}

/* Returns the counts of a catalog as "PROMPTS/RESOURCES/TEMPLATES".  Drops the
 * caller's reference to the catalog. */
static const char *
counts(mcphost_catalog *catalog)
{
    static char text[64];

    snprintf(text, sizeof(text), "%zu/%zu/%zu", mcphost_catalog_count_prompts(catalog),
             mcphost_catalog_count_resources(catalog),
             mcphost_catalog_count_resource_templates(catalog));
    mcphost_catalog_unref(catalog);
    return text;
}

static const char *
seen_by(mcphost_dialog *dialog)
{
    mcphost_catalog *catalog;

    if (dialog)
        ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    else
        ck_assert_int_eq(
            mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog), 0);
    return counts(catalog);
}

static void
grow(void)
{
    ck_assert_str_eq(hr_say(&hr, d, "a_grow", NULL), "grown");
    hr_until(&hr, strcmp(seen_by(d), "2/2/2") == 0);
}

START_TEST(changed_lists_of_a_leased_client_are_seen_by_its_dialog_only)
{
    mcphost_catalog *catalog;
    mcphost_call *call;

    up(_i);
    grow();
    ck_assert_str_eq(seen_by(e), "1/1/1");
    ck_assert_str_eq(seen_by(NULL), "1/1/1");
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    ck_assert_ptr_nonnull(mcphost_catalog_find_prompt(catalog, "a_new"));
    ck_assert_ptr_nonnull(mcphost_catalog_find_resource(catalog, "a", "f:new"));
    ck_assert_str_eq(hr_last(&hr, MCPHOST_EVENT_CATALOG, NULL)->dialog, "d");
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_call_new_prompt(e, "a_new", NULL, 0, &call, NULL),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_call_new_prompt(d, "a_new", NULL, 0, &call, NULL), 0);
    mcphost_call_unref(call);
    hr_down(&hr);
}
END_TEST

/* R110: a turn keeps the catalog from its start. */
START_TEST(a_turn_keeps_the_lists_that_it_began_with)
{
    mcphost_catalog *catalog;
    mcphost_turn *turn;

    up(_i);
    hr_say(&hr, d, "a_touch", NULL);
    ck_assert_int_eq(mcphost_turn_new(d, &turn), 0);
    grow();
    ck_assert_int_eq(mcphost_turn_get_catalog(turn, &catalog), 0);
    ck_assert_str_eq(counts(catalog), "1/1/1");
    ck_assert_str_eq(seen_by(e), "1/1/1");
    ck_assert_int_eq(mcphost_turn_end(turn), 0);
    mcphost_turn_unref(turn);
    hr_down(&hr);
}
END_TEST

START_TEST(after_a_release_the_dialog_sees_the_views_lists_again)
{
    up(_i);
    grow();
    hr_release(d, "a");
    hr_until(&hr, strcmp(seen_by(d), "1/1/1") == 0);
    hr_down(&hr);
}
END_TEST

/* ---- updates ----------------------------------------------------------------------- */

static int64_t
now_ms(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms() + ahead;
}

/* Silence never ends a subscription.  Only the acknowledgment of a subscription has a
 * deadline. */
START_TEST(an_update_after_a_long_silence_reaches_its_dialog) /* R173 */
{
    up(_i);
    ahead = 0;
    mcph_core_set_clock(hr.host->core, now_ms, NULL);
    heard_subscribe(d, "f:old");
    hr_until(&hr, heard.on == 1);
    for (int i = 0; i < 10; i++) {
        ahead += 12345;
        hr_turn(&hr, 10);
    }
    hr_say(&hr, d, "a_touch", NULL);
    hr_until(&hr, heard.count == 1);
    hr_say(&hr, e, "a_touch", NULL);
    hr_turn(&hr, 50);
    ck_assert_uint_eq(heard.count, 1);
    ck_assert_int_eq(heard.over, 0);
    ck_assert_int_eq(heard.on, 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "own lists");

    tcase_add_loop_test(tc, changed_lists_of_a_leased_client_are_seen_by_its_dialog_only,
                        0, 3);
    tcase_add_loop_test(tc, a_turn_keeps_the_lists_that_it_began_with, 0, 3);
    tcase_add_loop_test(tc, after_a_release_the_dialog_sees_the_views_lists_again, 0, 3);
    tcase_add_loop_test(tc, an_update_after_a_long_silence_reaches_its_dialog, 0, 3);
}

int
main(void)
{
    return test_main("host-own-lists", add);
}
