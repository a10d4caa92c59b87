/* SPDX-License-Identifier: MIT
 *
 * test_host_leaving.c - sources that are removed while their servers are busy, beside
 * another source with the same server ids, tool names or files.
 */
#include <string.h>

#include "base/base.h"
#include "support/hostrig.h"

#define SHARED "truely-stateless: true\ntransform: []"
#define FORM                                                       \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\"," \
    "\"properties\":{\"user\":{\"type\":\"string\"}}}}"

static struct hostrig hr;
static mcphost_request *asked;

static void
load_servers(mcphost_source *source)
{
    mcphost_config *config;

    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_config_get_status(config), 0);
    hr_edit(&hr);
    ck_assert_int_eq(mcphost_source_load(source, config), 0);
    mcphost_config_unref(config);
}

static mcphost_source *
source_new(const char *id)
{
    mcphost_source *source;

    ck_assert_int_eq(mcphost_source_new(hr.host, id, &source, NULL), 0);
    return source;
}

static mcphost_view *
view_of(const char *name, mcphost_source *source)
{
    mcphost_view *view;

    ck_assert_int_eq(mcphost_view_new_layered(hr.host, name, &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, source, NULL, 0), 0);
    return view;
}

static mcphost_dialog *
dialog_on(mcphost_view *view, const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_eq(mcphost_dialog_new(view, id, NULL, &dialog, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = dialog;
    return dialog;
}

/* Loads the default source with a working server `search`.  Returns the server's process
 * id. */
static int
up(mcphost_dialog **ret_dialog)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    hr_server(&hr, "search", SHARED, "era legacy\nno-tools\ntool find\ntool pid");
    load_servers(mcphost_default_source(hr.host));
    hr_ready(&hr);
    *ret_dialog = hr_dialog(&hr, "d");
    return hr_pid(&hr, *ret_dialog, "pid");
}

static void
check_source_ended(mcphost_source *source, mcphost_view *view, mcphost_dialog *other,
                   int pid)
{
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    hr_until(&hr, rig_workspace_living(&hr.ws, "search.trace") == 1);
    ck_assert_int_eq(hr_pid(&hr, other, "pid"), pid);
    ck_assert_str_eq(hr_tools(&hr, dialog_on(view, "last")), "");
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(source);
    hr_clear(&hr);
}

/* ---- a source that is removed while its server is busy ----------------------------- */

/* R107 */
START_TEST(a_source_can_be_removed_while_its_server_starts)
{
    static const struct {
        const char *script, *read; /* `read`: a message that the server gets before the
                                    * removal */
    } rows[] = {
        {"era legacy\nno-tools\ntool find\non initialize\n delay 60000",
         "\"initialize\""},
        {"era modern\nno-tools\ntool find\non discover\n delay 60000", "server/discover"},
        {"era legacy\nno-tools\ntool find\non list\n delay 60000", "tools/list"},
    };
    mcphost_source *plug;
    mcphost_dialog *d;
    mcphost_view *view;
    int pid = up(&d), before = rig_workspace_count(&hr.ws, "search.trace", rows[_i].read);

    plug = source_new("plug");
    view = view_of("p", plug);
    hr_server(&hr, "search", SHARED, rows[_i].script);
    load_servers(plug);
    hr_until(&hr, rig_workspace_count(&hr.ws, "search.trace", rows[_i].read) > before);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    check_source_ended(plug, view, d, pid);
}
END_TEST

static void
keep_question(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_REQUEST &&
        mcphost_event_get_state(event) == 1 && !asked)
        asked = mcphost_request_ref(mcphost_event_get_request(event));
}

/* R107: the removal does not affect the call.  The source ends after the call.  If _i is
 * 0, the application answers the question.  Otherwise the application cancels the
 * call. */
START_TEST(a_removed_source_ends_after_the_open_question_of_its_server)
{
    mcphost_source *plug;
    mcphost_call *call;
    mcphost_dialog *d;
    mcphost_view *view;
    int pid = up(&d);

    asked = NULL;
    hr.on_event = keep_question;
    plug = source_new("plug");
    view = view_of("p", plug);
    hr_server(
        &hr, "search", SHARED,
        "era legacy\nno-tools\ntool find\non call:find\n ask elicitation/create " FORM
        "\n text %r");
    load_servers(plug);
    hr_ready(&hr);
    ck_assert_str_eq(hr_tools(&hr, dialog_on(view, "first")), "find");
    call = hr_start(&hr, dialog_on(view, "p"), "find", "{}");
    hr_until(&hr, asked != NULL);
    ck_assert_int_eq(mcphost_source_remove(plug), 0);
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_request_is_open(asked), 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1), 0);
    if (_i == 0)
        ck_assert_int_eq(mcphost_request_respond(asked, "{\"user\":\"mina\"}", 15, NULL),
                         0);
    else
        ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), _i == 0 ? 0 : MCPHOST_E_CANCELLED);
    if (_i == 0)
        ck_assert_ptr_nonnull(strstr(hr_text(&hr, call), "mina"));
    ck_assert_int_eq(mcphost_request_is_open(asked), 0);
    mcphost_request_unref(asked);
    check_source_ended(plug, view, d, pid);
}
END_TEST

/* ---- two sources with one file ----------------------------------------------------- */

/* R3 */
START_TEST(two_sources_that_follow_one_file_have_a_process_each)
{
    mcphost_source *sources[2];
    mcphost_dialog *dialogs[2];
    mcphost_view *views[2];
    int pids[2];

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, "no-tools\ntool pid");
    hr_save(&hr);
    for (int i = 0; i < 2; i++) {
        sources[i] = source_new(i ? "two" : "one");
        ck_assert_int_eq(
            mcphost_source_follow_workspace(sources[i], hr.ws.dir, NULL, NULL), 0);
        views[i] = view_of(i ? "w" : "v", sources[i]);
        dialogs[i] = dialog_on(views[i], i ? "e" : "d");
    }
    ck_assert_int_eq(mcphost_source_follow_workspace(sources[0], hr.ws.dir, "", NULL),
                     MCPHOST_E_INVALID);
    hr_ready(&hr);
    for (int i = 0; i < 2; i++) {
        hr_until(&hr, strcmp(hr_tools(&hr, dialogs[i]), "pid") == 0);
        pids[i] = hr_pid(&hr, dialogs[i], "pid");
    }
    ck_assert_int_ne(pids[0], pids[1]);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {EDITION: \"2\"}",
              "no-tools\ntool pid\ntool more");
    hr_save(&hr);
    ck_assert_int_eq(mcphost_source_reload(sources[0]), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, dialogs[0]), "pid more") == 0);
    ck_assert_int_eq(mcphost_source_remove(sources[0]), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SOURCE, NULL, NULL, -1) == 1);
    ck_assert_str_eq(hr_tools(&hr, dialogs[1]), "pid");
    ck_assert_int_eq(hr_pid(&hr, dialogs[1], "pid"), pids[1]);
    ck_assert_int_eq(mcphost_source_reload(sources[1]), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, dialogs[1]), "pid more") == 0);
    for (int i = 0; i < 2; i++)
        mcphost_view_unref(views[i]);
    hr_close(&hr);
    for (int i = 0; i < 2; i++)
        mcphost_source_unref(sources[i]);
    hr_clear(&hr);
}
END_TEST

/* ---- layers that change ------------------------------------------------------------ */

/* R28: removing a layer frees its names.  A layer that is added again comes last. */
START_TEST(a_layer_that_is_removed_and_added_again_comes_last)
{
    mcphost_source *one, *two;
    mcphost_view *view;
    mcphost_dialog *d, *p;
    int pids[2];

    (void)up(&d);
    one = source_new("one");
    hr_server(&hr, "first", SHARED, "no-tools\ntool pid");
    load_servers(one);
    two = source_new("two");
    hr_server(&hr, "second", SHARED, "no-tools\ntool find\ntool pid");
    load_servers(two);
    hr_ready(&hr);
    view = view_of("p", one);
    p = dialog_on(view, "p");
    hr_until(&hr, strcmp(hr_tools(&hr, p), "pid") == 0);
    pids[0] = hr_pid(&hr, p, "pid");
    ck_assert_int_eq(mcphost_view_add_source(view, two, NULL, 0), 0);
    ck_assert_int_eq(mcphost_view_add_source(view, one, NULL, 0), MCPHOST_E_EXISTS);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "pid find") == 0);
    ck_assert_int_eq(hr_pid(&hr, p, "pid"), pids[0]);
    ck_assert_int_eq(mcphost_view_remove_source(view, one), 0);
    ck_assert_int_eq(mcphost_view_remove_source(view, one), MCPHOST_E_NOTFOUND);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "find pid") == 0);
    pids[1] = hr_pid(&hr, p, "pid");
    ck_assert_int_ne(pids[0], pids[1]);
    ck_assert_int_eq(mcphost_view_add_source(view, one, NULL, 0), 0);
    hr_turn(&hr, 20);
    ck_assert_str_eq(hr_tools(&hr, p), "find pid");
    ck_assert_int_eq(hr_pid(&hr, p, "pid"), pids[1]);
    ck_assert_int_eq(mcphost_source_remove(two), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, p), "pid") == 0);
    ck_assert_int_eq(hr_pid(&hr, p, "pid"), pids[0]);
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(one);
    mcphost_source_unref(two);
    hr_clear(&hr);
}
END_TEST

/* ---- the source that an error names ------------------------------------------------ */

/* Returns the error of the first server of `source` in the status.  In these tests, this
 * server is `search`. */
static mcphost_error *
error_of(const mcphost_status *status, const char *source)
{
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        if (mcph_streq(mcphost_status_server_get_source_id(status, i), source))
            return mcphost_status_server_get_error(status, i);
    ck_abort_msg("no such server");
    return NULL;
}

static void
expect_source(const mcphost_error *err, const char *source)
{
    ck_assert_ptr_nonnull(err);
    ck_assert_str_eq(mcphost_error_get_server_id(err), "search");
    if (source)
        ck_assert_str_eq(mcphost_error_get_source_id(err), source);
    else
        ck_assert_ptr_null(mcphost_error_get_source_id(err));
}

static int n_progress;

static void
see_progress(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_PROGRESS)
        return;
    ck_assert_str_eq(mcphost_event_get_source_id(event), "plug");
    ck_assert_str_eq(mcphost_event_get_server_id(event), "search");
    n_progress++;
}

/* R117 */
START_TEST(progress_names_the_source_of_its_server)
{
    mcphost_source *plug;
    mcphost_view *view;
    mcphost_call *call;

    hr_up(&hr);
    hr.on_event = see_progress;
    n_progress = 0;
    plug = source_new("plug");
    hr_server(&hr, "search", SHARED,
              "no-tools\ntool find\non call:find\n progress 1\n text done");
    load_servers(plug);
    view = view_of("v", plug);
    hr_ready(&hr);
    call = hr_call(&hr, dialog_on(view, "d"), "find", NULL);
    ck_assert_int_eq(mcphost_call_set_progress(call, NULL, NULL, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(n_progress, 1);
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(plug);
    hr_clear(&hr);
}
END_TEST

/* R117: two servers have the id `search`.  The source id in an error is NULL for the
 * default source. */
START_TEST(an_error_names_the_source_of_its_server)
{
    static const char fails[] = "era legacy\nno-tools\ntool find\non call:find\n"
                                " error -32000 no";
    mcphost_source *plug;
    mcphost_dialog *p, *d;
    mcphost_status *status;
    mcphost_call *call;
    mcphost_view *view;

    hr_up(&hr);
    plug = source_new("plug");
    view = view_of("p", plug);
    for (int i = 0; i < 4; i++) {
        hr_server(&hr, "search", SHARED, i < 2 ? "on spawn\n exit 3" : fails);
        load_servers(i % 2 ? plug : mcphost_default_source(hr.host));
        hr_ready(&hr);
        if (i != 1)
            continue;
        ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
        expect_source(error_of(status, NULL), NULL);
        expect_source(error_of(status, "plug"), "plug");
        mcphost_status_unref(status);
    }
    p = dialog_on(view, "p");
    d = hr_dialog(&hr, "d");
    for (int i = 0; i < 2; i++) {
        call = hr_start(&hr, i ? p : d, "find", NULL);
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_RPC);
        expect_source(mcphost_call_get_error(call), i ? "plug" : NULL);
    }
    mcphost_view_unref(view);
    hr_close(&hr);
    mcphost_source_unref(plug);
    hr_clear(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "leaving");

    tcase_add_loop_test(tc, a_source_can_be_removed_while_its_server_starts, 0, 3);
    tcase_add_loop_test(tc, a_removed_source_ends_after_the_open_question_of_its_server,
                        0, 2);
    tcase_add_test(tc, two_sources_that_follow_one_file_have_a_process_each);
    tcase_add_test(tc, a_layer_that_is_removed_and_added_again_comes_last);
    tcase_add_test(tc, an_error_names_the_source_of_its_server);
    tcase_add_test(tc, progress_names_the_source_of_its_server);
}

int
main(void)
{
    return test_main("host-leaving", add);
}
