/* SPDX-License-Identifier: MIT
 *
 * heard.c - counts the host's events about subscriptions.
 */
#include "support/heard.h"

#include <stdio.h>
#include <string.h>

struct heard heard;

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    int kind = mcphost_event_get_kind(event);
    size_t len = strlen(heard.said);

    (void)rig;
    if (kind == MCPHOST_EVENT_SUBSCRIPTION && mcphost_event_get_state(event)) {
        heard.on++;
    } else if (kind == MCPHOST_EVENT_SUBSCRIPTION) {
        heard.over++;
        heard.code = mcphost_error_get_code(mcphost_event_get_error(event));
        ck_assert_int_eq(
            mcphost_subscription_is_ended(mcphost_event_get_subscription(event)), 1);
    } else if (kind == MCPHOST_EVENT_UPDATED) {
        heard.updates++;
        heard.count += mcphost_event_get_count(event);
        ck_assert_str_eq(
            mcphost_event_get_uri(event),
            mcphost_subscription_get_uri(mcphost_event_get_subscription(event)));
        snprintf(heard.said + len, sizeof(heard.said) - len, "%s:%s ",
                 mcphost_event_get_dialog_id(event), mcphost_event_get_uri(event));
    }
}

void
heard_up(struct hostrig *hr)
{
    memset(&heard, 0, sizeof(heard));
    hr->on_event = on_event;
}

mcphost_subscription *
heard_want(mcphost_dialog *dialog, const char *uri)
{
    mcphost_subscription *subscription;
    mcphost_error *err = NULL;

    if (mcphost_subscribe(dialog, "a", uri, &subscription, &err) < 0)
        ck_abort_msg("%s", mcphost_error_get_message(err));
    return subscription;
}

void
heard_subscribe(mcphost_dialog *dialog, const char *uri)
{
    mcphost_subscription_unref(heard_want(dialog, uri));
}
