/* SPDX-License-Identifier: MIT
 *
 * heard.h - what a host tells of subscriptions, counted.
 *
 *     hr_up(&hr);
 *     heard_up(&hr);
 */
#ifndef TESTS_SUPPORT_HEARD_H
#define TESTS_SUPPORT_HEARD_H

#include "support/hostrig.h"

struct heard {
    int on, over, code; /* events of subscriptions; the last error */
    uint64_t count;     /* of all updates */
    int updates;
    char said[1024]; /* "DIALOG:URI " of each update, as far as there is room */
};

extern struct heard heard;

/* Begins to count; takes the host's place for its event function. */
void heard_up(struct hostrig *hr);
/* A subscription at server `a`, a reference. */
mcphost_subscription *heard_want(mcphost_dialog *dialog, const char *uri);
/* The same, kept by the host alone. */
void heard_subscribe(mcphost_dialog *dialog, const char *uri);

#endif
