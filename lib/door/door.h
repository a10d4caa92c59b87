/* SPDX-License-Identifier: MIT
 *
 * door.h - interface of lib/door: connections from outside, for the redirect by which a
 * browser returns from an authorization server (RFC 8252, section 7.3).
 *
 * A door listens on the loopback addresses and waits for one GET of one path.  The door
 * tells its owner the query of this request, and shows the browser a page without
 * scripts.
 *
 * Any program of this machine, and any page in a browser of this machine, can send
 * requests to a door.  Therefore the door refuses requests that name another host (DNS
 * rebinding) and requests that a page sends by itself (Origin, Sec-Fetch-*).  The owner
 * must check the query, above all its `state`.
 *
 * lib/door never writes a query into a log or a message, and listens only on loopback
 * addresses.  Only the dispatcher may call its functions.
 */
#ifndef MCPH_DOOR_H
#define MCPH_DOOR_H

#include "base/base.h"
#include "loop/loop.h"

#define MCPH_DOOR_GUESTS_MAX 32 /* limit on open connections */
#define MCPH_DOOR_HEAD_MAX \
    32768                       /* limit on the bytes of a request's head; the limit is
                                    * high, because a browser sends the cookies of all
                                    * servers of this machine */
#define MCPH_DOOR_GUEST_MS 5000 /* limit in ms on the time of one connection */
#define MCPH_DOOR_PATH_MAX 256
#define MCPH_DOOR_TEXT_MAX 512

struct mcph_door;

/* The owner's verdict about a redirect. */
enum mcph_door_verdict {
    MCPH_DOOR_REFUSED, /* not the awaited redirect; the door continues to wait */
    MCPH_DOOR_DONE,    /* the browser shows `done`; the door takes no further redirect */
    MCPH_DOOR_FAILED   /* the browser shows `failed`; the door takes no further
                        * redirect */
};

struct mcph_door_events {
    /* Reports a redirect.  `query` is the text behind the "?", as the browser sent it, or
     * "".  It is secret, and valid during the call. */
    enum mcph_door_verdict (*request)(struct mcph_door *door, const char *query,
                                      void *arg);
    /* Reports the end of the connection that brought the last redirect.  The owner has
     * answered this redirect with DONE or FAILED.  If the owner closes the door before
     * this event, the browser may get only a part of the page.  `answered` may be
     * NULL. */
    void (*answered)(struct mcph_door *door, void *arg);
};

struct mcph_door_spec {
    const char *path;          /* "/callback": visible ASCII, no "?", "#" and "%" */
    unsigned port;             /* the port to try first; 0 for none */
    const char *done, *failed; /* UTF-8 texts for people; no HTML */
    const struct mcph_door_events *events; /* must outlive the door */
    void *arg;
};

/* Listens on 127.0.0.1 at `port` or, if `port` is 0 or cannot be used, at a port that the
 * system chooses.  Listens on ::1 at the same port, if this is possible.  Copies the
 * texts of `spec`.  Returns 0, MCPHOST_E_INVALID (a path or text is not allowed),
 * MCPHOST_E_LIMIT (no descriptor is left), MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_door_open(struct mcph_core *core, const struct mcph_door_spec *spec,
                   struct mcph_door **ret, mcphost_error **reterr);
/* Returns the URL of the door, such as "http://127.0.0.1:PORT/callback".  The text is
 * valid until the door is closed. */
const char *mcph_door_get_url(const struct mcph_door *door);
/* Ends all connections at once, and frees the door.  The owner's event functions may call
 * this function.  `door` may be NULL.  Returns NULL. */
struct mcph_door *mcph_door_close(struct mcph_door *door);

#endif
