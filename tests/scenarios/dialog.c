/* SPDX-License-Identifier: MIT
 *
 * dialog.c - commands about dialogs: views, leases, turns, subscriptions and requests.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

static void
open_dialog(const char *name, const char *view)
{
    mcphost_view *on =
        view ? thing_find(THING_VIEW, view)->object : mcphost_default_view(sc.host);
    mcphost_error *err = NULL;
    mcphost_dialog *dialog;
    int r = mcphost_dialog_new(on, name, NULL, &dialog, &err);

    if (r < 0)
        say_error("dialog", r, err);
    else
        thing_add(THING_DIALOG, name, dialog);
}

static void
close_dialog(const char *name)
{
    struct thing *thing = thing_find(THING_DIALOG, name);

    say_outcome("close", "ok", mcphost_dialog_close(thing->object), NULL);
    mcphost_dialog_unref(thing->object);
    thing_remove(thing);
}

/* Adds each name of a list to a grant.  Commas separate the names.  The list "-" has no
 * names. */
static void
grant_names(mcphost_grant *grant, const char *names,
            int (*add)(mcphost_grant *grant, const char *text))
{
    char *copy = strdup(names), *rest = copy, *name;

    while (strcmp(names, "-") != 0 && (name = strsep(&rest, ","))) {
        int r = add(grant, name);

        if (r < 0)
            say_error("grant", r, NULL);
    }
    free(copy);
}

static void
make_view(const char *name, const char *toolsets, const char *tools)
{
    mcphost_error *err = NULL;
    mcphost_grant *grant;
    mcphost_view *view;
    int r = mcphost_grant_new(&grant);

    if (r < 0)
        die("there is no grant");
    grant_names(grant, toolsets, mcphost_grant_add_toolset);
    grant_names(grant, tools, mcphost_grant_add_tool);
    r = mcphost_view_new(sc.host, name, grant, &view, &err);
    mcphost_grant_unref(grant);
    if (r < 0)
        say_error("grant", r, err);
    else
        thing_add(THING_VIEW, name, view);
}

/* ---- leases and turns -------------------------------------------------------------- */

static void
show_lease(const char *dialog, const char *server, bool release)
{
    const char *what = release ? "release" : "lease";
    mcphost_lease *lease;
    int r = mcphost_dialog_get_lease(thing_find(THING_DIALOG, dialog)->object, server,
                                     &lease);

    if (r < 0) {
        say_error(what, r, NULL);
        return;
    }
    if (release)
        say_outcome(what, "ok", mcphost_lease_release(lease), NULL);
    else
        say("lease: %s",
            mcphost_enum_get_name(MCPHOST_ENUM_SCOPE, mcphost_lease_get_scope(lease)));
    mcphost_lease_unref(lease);
}

static void
begin_turn(const char *name, const char *dialog)
{
    mcphost_turn *turn;
    int r = mcphost_turn_new(thing_find(THING_DIALOG, dialog)->object, &turn);

    if (r < 0)
        say_error("turn", r, NULL);
    else
        thing_add(THING_TURN, name, turn);
}

static void
end_turn(const char *name)
{
    struct thing *thing = thing_find(THING_TURN, name);
    int r = mcphost_turn_end(thing->object);

    if (r < 0)
        say_error("end-turn", r, NULL);
    mcphost_turn_unref(thing->object);
    thing_remove(thing);
}

/* ---- subscriptions ----------------------------------------------------------------- */

static void
subscribe(const struct command *c)
{
    mcphost_subscription *subscription;
    mcphost_error *err = NULL;
    int r = mcphost_subscribe(thing_find(THING_DIALOG, c->words[2])->object, c->words[3],
                              c->words[4], &subscription, &err);

    if (r < 0)
        say_error("subscribe", r, err);
    else
        thing_add(THING_SUBSCRIPTION, c->words[1], subscription);
}

static void
unsubscribe(const char *name)
{
    struct thing *thing = thing_find(THING_SUBSCRIPTION, name);
    int r = mcphost_unsubscribe(thing->object);

    if (r < 0)
        say_error("unsubscribe", r, NULL);
    mcphost_subscription_unref(thing->object);
    thing_remove(thing);
}

struct updates {
    const struct thing *thing;
    int n;
};

static bool
has_updates(const void *arg)
{
    const struct updates *updates = arg;

    return updates->thing->n >= updates->n;
}

/* ---- requests ---------------------------------------------------------------------- */

static void
set_answer(const struct command *c)
{
    struct answer *answer = NULL;
    int kind = enum_value(MCPHOST_ENUM_REQUEST_KIND, c->words[1]);

    for (size_t i = 0; i < sc.n_answers; i++)
        if (sc.answers[i].kind == kind)
            answer = &sc.answers[i];
    if (!answer)
        answer = &sc.answers[sc.n_answers++];
    free(answer->json);
    answer->kind = kind;
    answer->json = NULL;
    if (strcmp(c->words[2], "respond") == 0)
        answer->json = strdup(c->words[3]);
    else
        answer->how = enum_value(MCPHOST_ENUM_REJECTION, c->words[3]);
}

static void
handle_request(mcphost_request *request)
{
    int kind = mcphost_request_get_kind(request), r;
    const char *message = mcphost_request_get_message(request);
    mcphost_error *err = NULL;

    text_format(&sc.requests, "%s %s %s\n",
                mcphost_enum_get_name(MCPHOST_ENUM_REQUEST_KIND, kind),
                mcphost_request_get_server_id(request), message ? message : "-");
    for (size_t i = 0; i < sc.n_answers; i++) {
        const struct answer *answer = &sc.answers[i];

        if (answer->kind != kind)
            continue;
        r = answer->json ? mcphost_request_respond(request, answer->json,
                                                   strlen(answer->json), &err)
                         : mcphost_request_reject(request, answer->how, NULL);
        if (r < 0) {
            say_error("answer", r, err);
            mcphost_request_reject(request, MCPHOST_REJECT_CANCEL, NULL);
        }
        return;
    }
    mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, NULL);
}

static void
on_request(const mcphost_event *event)
{
    mcphost_request *request = mcphost_event_get_request(event);
    bool is_login = mcphost_request_get_kind(request) == MCPHOST_REQUEST_AUTHORIZE;

    if (mcphost_event_get_state(event) == 1 && is_login)
        handle_login(request);
    else if (mcphost_event_get_state(event) == 1)
        handle_request(request);
    else if (is_login)
        text_format(&sc.requests, "over %s %s\n", mcphost_request_get_server_id(request),
                    mcphost_event_get_text(event));
}

void
on_event(const mcphost_event *event, void *arg)
{
    int kind = mcphost_event_get_kind(event);

    (void)arg;
    if (kind == MCPHOST_EVENT_REQUEST)
        on_request(event);
    if (kind != MCPHOST_EVENT_UPDATED)
        return;
    for (size_t i = 0; i < sc.n_things; i++)
        if (sc.things[i].object == mcphost_event_get_subscription(event))
            sc.things[i].n += (int)mcphost_event_get_count(event);
}

static void
show_requests(void)
{
    char *rest = sc.requests.p, *one;

    while (rest && *rest && (one = strsep(&rest, "\n")))
        say("%s", one);
    text_free(&sc.requests);
}

bool
run_dialog(const struct command *c)
{
    const char *name = c->words[0];

    if (strcmp(name, "dialog") == 0) {
        open_dialog(c->words[1], c->n > 2 ? c->words[2] : NULL);
    } else if (strcmp(name, "close") == 0) {
        close_dialog(c->words[1]);
    } else if (strcmp(name, "grant") == 0) {
        make_view(c->words[1], c->words[2], c->words[3]);
    } else if (strcmp(name, "lease") == 0 || strcmp(name, "release") == 0) {
        show_lease(c->words[1], c->words[2], *name == 'r');
    } else if (strcmp(name, "turn") == 0) {
        begin_turn(c->words[1], c->words[2]);
    } else if (strcmp(name, "end-turn") == 0) {
        end_turn(c->words[1]);
    } else if (strcmp(name, "subscribe") == 0) {
        subscribe(c);
    } else if (strcmp(name, "unsubscribe") == 0) {
        unsubscribe(c->words[1]);
    } else if (strcmp(name, "updated") == 0) {
        struct updates updates = {thing_find(THING_SUBSCRIPTION, c->words[1]),
                                  number(c->words[2])};

        wait_until(has_updates, &updates);
        say("updated: %d", updates.thing->n);
    } else if (strcmp(name, "answer") == 0) {
        set_answer(c);
    } else if (strcmp(name, "requests") == 0) {
        show_requests();
    } else {
        return false;
    }
    return true;
}
