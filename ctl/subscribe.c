/* SPDX-License-Identifier: MIT
 *
 * subscribe.c - the command `subscribe`: print a line when a resource changes.
 */
#include <string.h>

#include "ctl.h"
#include "term.h"

struct hearing {
    int wanted, over; /* `wanted`: the number of subscriptions; `over`: how many of them
                       * have ended */
    int status;
};

/* Prints {"server":...,"uri":...,"count":...} or, without --json, the values with blanks
 * between them. */
static void
print_update(struct ctl *ctl, const mcphost_event *event)
{
    const char *uri = mcphost_event_get_uri(event);
    char room[NAME_SIZE];
    const char *server = full_name(room, mcphost_event_get_source_id(event),
                                   mcphost_event_get_server_id(event));
    struct text t = {0};

    if (ctl->opt.json) {
        put_begin(&t, '{');
        put_key(&t, "server");
        put_str(&t, mcphost_event_get_server_id(event));
        put_source(&t, mcphost_event_get_source_id(event));
        put_key(&t, "uri");
        put_str(&t, uri);
        put_key(&t, "count");
        put_int(&t, (int64_t)mcphost_event_get_count(event));
        put_end(&t, '}');
        (void)print_json(ctl, &t);
    } else {
        term_print(stdout, "", server, strlen(server));
        putchar(' ');
        term_print(stdout, "", uri, strlen(uri));
        printf(" %llu\n", (unsigned long long)mcphost_event_get_count(event));
    }
    text_free(&t);
    fflush(stdout);
}

static void
on_event(struct ctl *ctl, const mcphost_event *event)
{
    struct hearing *h = ctl->user;
    int kind = mcphost_event_get_kind(event);
    mcphost_error *err = mcphost_event_get_error(event);

    if (kind == MCPHOST_EVENT_UPDATED)
        print_update(ctl, event);
    if (kind != MCPHOST_EVENT_SUBSCRIPTION || mcphost_event_get_state(event))
        return;
    h->over++;
    h->status = status_of(ctl, mcphost_error_get_code(err));
    say_error(ctl, mcphost_error_get_code(err), err);
}

static int
until_over(struct ctl *ctl, void *arg)
{
    const struct hearing *h = arg;

    return h->over >= h->wanted || ctl->closed || ferror(stdout);
}

static int
subscribe(struct ctl *ctl, const mcphost_catalog *catalog, mcphost_dialog *dialog,
          const char *uri)
{
    mcphost_subscription *subscription;
    mcphost_error *err = NULL;
    char name[NAME_SIZE];
    int r, status = offers_pick(ctl, catalog, OFFER_RESOURCES, uri, name);

    if (status)
        return status;
    r = mcphost_subscribe(dialog, name, uri, &subscription, &err);
    if (r < 0)
        status = call_failed(ctl, r, err, 1);
    else
        mcphost_subscription_unref(subscription);
    mcphost_error_unref(err);
    return status;
}

int
cmd_subscribe(struct ctl *ctl)
{
    struct hearing h = {.wanted = ctl->opt.n_args};
    mcphost_catalog *catalog = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_error *err = NULL;
    int r, status = ctl_start(ctl, &catalog);

    if (status == 0) {
        r = call_dialog(ctl, &dialog, &err);
        status = r < 0 ? call_failed(ctl, r, err, 0) : 0;
    }
    ctl->on_event = on_event;
    ctl->user = &h;
    for (int i = 0; i < ctl->opt.n_args && status == 0; i++)
        status = subscribe(ctl, catalog, dialog, ctl->opt.args[i]);
    if (status == 0) {
        r = ctl_run(ctl, until_over, &h, -1);
        status = r < 0 ? status_of(ctl, r) : h.status;
    }
    ctl->on_event = NULL;
    mcphost_error_unref(err);
    mcphost_dialog_unref(dialog);
    mcphost_catalog_unref(catalog);
    return status;
}
