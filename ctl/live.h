/* SPDX-License-Identifier: MIT
 *
 * live.h - the live view of the command `watch`, on a terminal.
 */
#ifndef CTL_LIVE_H
#define CTL_LIVE_H

#include "ctl.h"

struct live {
    struct ctl *ctl;
    const mcphost_catalog *catalog; /* the present catalog; at first NULL */
    const struct text *reading;     /* reason and changes of the file's last reading */
    char *const *lines;             /* a ring of the last messages; unused places are
                                     * NULL */
    size_t n_lines, oldest;
};

/* Returns true if stdout is a terminal that can show the view. */
int live_possible(void);
/* Take over the terminal, draw one picture, and restore the terminal. */
void live_begin(void);
void live_draw(const struct live *live);
void live_end(void);

#endif
