/* SPDX-License-Identifier: MIT
 *
 * live.h - the live view of the command watch, on a terminal.
 */
#ifndef CTL_LIVE_H
#define CTL_LIVE_H

#include "ctl.h"

struct live {
    struct ctl *ctl;
    const mcphost_catalog *catalog; /* NULL: none yet */
    const struct text *reading;     /* what the last reading of the file did, and why */
    char *const *lines;             /* what happened last: a ring, NULL where none is */
    size_t n_lines, oldest;
};

/* Whether there is a terminal that can show it. */
int live_possible(void);
/* Takes the terminal, draws one picture, gives the terminal back as it was. */
void live_begin(void);
void live_draw(const struct live *live);
void live_end(void);

#endif
