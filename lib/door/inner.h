/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations that the files of lib/door share: listening (door.c),
 * connections (guest.c), the head of a request (head.c) and the answers (page.c).
 */
#ifndef MCPH_DOOR_INNER_H
#define MCPH_DOOR_INNER_H

#include "door/door.h"

/* ---- the head of a request (head.c) ------------------------------------------------ */

/* The parts of a head.  The texts are inside the head. */
struct mcph_door_head {
    const char *method, *path, *query, *host;
    /* A web page may have sent the request without the user: the request has an Origin,
     * a Sec-Fetch-Mode other than "navigate", or a Sec-Fetch-Dest other than
     * "document". */
    bool foreign;
};

/* Returns true if a request can begin with these bytes.  They must be a part of a method,
 * or begin with a method and a blank. */
bool mcph_door_head_can_begin(const char *data, size_t len);
/* Returns the length of the head at the beginning of `data`, up to and with its empty
 * line, or 0 if the head is not complete. */
size_t mcph_door_head_end(const char *data, size_t len);
/* Parses a complete head and puts NULs into it.  Returns 0, or the status of the answer
 * if the head is not acceptable: 400 or 505. */
int mcph_door_head_parse(char *head, size_t len, struct mcph_door_head *ret);

/* ---- answers (page.c) -------------------------------------------------------------- */

/* Adds an answer with a page.  If `text` is NULL, the page has the usual text of the
 * status.  If `body` is false, adds the same header fields, but no page.  Returns 0 or
 * the buffer's error. */
int mcph_door_add_page(struct mcph_buf *buf, int status, const char *text, bool body);

/* ---- doors and guests -------------------------------------------------------------- */

struct mcph_door_listener {
    struct mcph_source source;
    struct mcph_door *door;
};

struct mcph_door {
    struct mcph_core *core;
    struct mcph_door_listener listeners[2]; /* 127.0.0.1 and ::1 */
    struct mcph_timer pause;                /* accepts connections again when it is due */
    struct mcph_list guests;
    size_t n_guests;
    struct mcph_door_guest *current; /* the guest whose redirect is being reported */
    const struct mcph_door_events *events;
    void *arg;
    char *path, *done, *failed, *url;
    unsigned port;
    unsigned busy; /* the number of functions on the stack that use the door */
    bool used, closed;
};

/* Makes a guest for a connected socket and takes the socket over, also on failure. */
int mcph_door_guest_new(struct mcph_door *door, int fd);
/* Ends the oldest guest that has sent no complete head.  Returns false if each
 * guest has sent its head. */
bool mcph_door_end_idle(struct mcph_door *door);
/* Ends the guests, when the door closes. */
void mcph_door_guests_done(struct mcph_door *door);
/* Call mcph_door_enter() before and mcph_door_leave() after code that may call an
 * event.  An event may close the door, and mcph_door_leave() then frees it. */
void mcph_door_enter(struct mcph_door *door);
void mcph_door_leave(struct mcph_door *door);
/* Accepts connections if there is room for a guest, else stops accepting.  Does nothing
 * while the door pauses. */
void mcph_door_resume(struct mcph_door *door);

#endif
