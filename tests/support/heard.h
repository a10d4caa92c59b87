/* SPDX-License-Identifier: MIT
 *
 * heard.h - counts the host's events about subscriptions.
 *
 *     hr_up(&hr);
 *     heard_up(&hr);
 */
#ifndef TESTS_SUPPORT_HEARD_H
#define TESTS_SUPPORT_HEARD_H

#include "support/hostrig.h"

struct heard {
    int on, over, code; /* `on`: subscriptions that began; `over`: subscriptions that
                         * ended; `code`: the code of the last error */
    uint64_t count;     /* sum of the counts of all updates */
    int updates;
    char said[1024]; /* "DIALOG:URI " for each update, cut at the end of the buffer */
};

extern struct heard heard;

/* Clears the counters and makes hr->on_event count the events. */
void heard_up(struct hostrig *hr);
/* Subscribes to a resource of server `a`.  Returns a reference to the subscription. */
mcphost_subscription *heard_want(mcphost_dialog *dialog, const char *uri);
/* Subscribes to a resource of server `a` without a reference, so that only the host keeps
 * the subscription. */
void heard_subscribe(mcphost_dialog *dialog, const char *uri);

#endif
