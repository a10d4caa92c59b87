/* SPDX-License-Identifier: MIT
 *
 * call.c - commands that make calls and show their outcome.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t message_len, void *arg)
{
    (void)call;
    (void)arg;
    for (size_t i = 0; i < sc.n_things; i++) {
        struct thing *thing = &sc.things[i];

        if (thing->object != call)
            continue;
        text_format(&thing->notes, "%g/%g %.*s\n", progress, total,
                    message ? (int)message_len : 1, message ? message : "-");
        thing->n++;
    }
}

static mcphost_dialog *
dialog_of(const struct command *c)
{
    return thing_find(THING_DIALOG, c->words[2])->object;
}

/* Returns the command's word `i`, or NULL if the command has fewer words. */
static const char *
word(const struct command *c, int i)
{
    return i < c->n ? c->words[i] : NULL;
}

static int
make_call(const struct command *c, mcphost_call **ret, mcphost_error **reterr)
{
    const char *name = c->words[0], *json = word(c, 4);
    size_t len = json ? strlen(json) : 0;

    if (strcmp(name, "call") == 0)
        return mcphost_call_new(dialog_of(c), c->words[3], json, len, ret, reterr);
    if (strcmp(name, "read") == 0)
        return mcphost_call_new_read(dialog_of(c), c->words[3], c->words[4], ret, reterr);
    if (strcmp(name, "prompt") == 0)
        return mcphost_call_new_prompt(dialog_of(c), c->words[3], json, len, ret, reterr);
    return mcphost_call_new_complete_prompt(dialog_of(c), c->words[3], c->words[4],
                                            c->words[5], NULL, 0, ret, reterr);
}

static void
start_call(const struct command *c)
{
    bool is_tool = strcmp(c->words[0], "call") == 0;
    const char *timeout = is_tool ? word(c, 5) : NULL;
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int r = make_call(c, &call, &err);

    if (r == 0 && timeout)
        r = mcphost_call_set_timeout(call, number(timeout), 0, -1);
    if (r == 0)
        r = mcphost_call_set_progress(call, on_progress, NULL, NULL);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0) {
        thing_add(THING_CALL, c->words[1], call);
        return;
    }
    say_error(c->words[0], r, err);
    mcphost_call_unref(call);
}

/* ---- outcomes ---------------------------------------------------------------------- */

static void
show_item(mcphost_result *result, size_t i)
{
    int kind = mcphost_result_item_get_kind(result, i);
    const char *text, *type = mcphost_result_item_get_mime_type(result, i);
    const char *name = mcphost_enum_get_name(MCPHOST_ENUM_CONTENT_KIND, kind);
    size_t len;

    if (mcphost_result_item_get_text(result, i, &text, &len) == 0)
        say("%s %.200s%s", name, text, len > 200 ? "..." : "");
    else
        say("%s %s", name, type ? type : "-");
}

static void
show_outcome(const char *what, mcphost_call *call)
{
    mcphost_error *err = mcphost_call_get_error(call);
    mcphost_result *result = mcphost_call_get_result(call);

    if (err) {
        say_error(what, mcphost_error_get_code(err), mcphost_error_ref(err));
        return;
    }
    say("%s: %s", what, mcphost_result_is_error(result) ? "failed" : "ok");
    for (size_t i = 0; i < mcphost_result_count_items(result); i++)
        show_item(result, i);
    for (size_t i = 0; i < mcphost_result_count_values(result); i++)
        say("value %s", mcphost_result_get_value(result, i, NULL));
}

static void
end_call(const char *name)
{
    struct thing *thing = thing_find(THING_CALL, name);
    mcphost_call *call = thing->object;
    struct text what = {0};

    if (mcphost_call_wait(call, WAIT_MS) != 1) {
        say("error timeout");
        die("the call did not end");
    }
    text_format(&what, "end %s", name);
    show_outcome(what.p, call);
    text_free(&what);
    mcphost_call_unref(call);
    thing_remove(thing);
}

struct reports {
    const struct thing *thing;
    int n;
};

static bool
has_reports(const void *arg)
{
    const struct reports *reports = arg;

    return reports->thing->n >= reports->n;
}

static void
show_reports(const char *name, int n)
{
    struct reports reports = {thing_find(THING_CALL, name), n};
    char *rest, *one;

    wait_until(has_reports, &reports);
    rest = reports.thing->notes.p;
    while (n-- > 0 && rest && (one = strsep(&rest, "\n")))
        say("%s", one);
}

bool
run_call(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "call") == 0 || strcmp(name, "read") == 0 ||
        strcmp(name, "prompt") == 0 || strcmp(name, "complete") == 0)
        start_call(c);
    else if (strcmp(name, "end") == 0)
        end_call(c->words[1]);
    else if (strcmp(name, "cancel") == 0)
        say_outcome("cancel", "ok",
                    mcphost_call_cancel(thing_find(THING_CALL, c->words[1])->object),
                    NULL);
    else if (strcmp(name, "reported") == 0)
        show_reports(c->words[1], number(c->words[2]));
    else
        return false;
    return true;
}
