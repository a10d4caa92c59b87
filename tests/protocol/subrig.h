/* SPDX-License-Identifier: MIT
 *
 * subrig.h - an extension of clientrig.h: a server of either era that announces changes
 * of resources, and an owner that subscribes to them.
 */
#ifndef TESTS_PROTOCOL_SUBRIG_H
#define TESTS_PROTOCOL_SUBRIG_H

#include "protocol/clientrig.h"

#define SR_ERAS   2 /* the number of eras: 0 is legacy, 1 is modern */
#define SR_OFFERS "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true}}"

struct sr {
    bool modern;
    char id[24];         /* id of the last subscription request, a JSON token */
    uint64_t stream;     /* stream of the last request; 0 without streams */
    char old_id[24];     /* id of the request before the last */
    uint64_t old_stream; /* stream of the request before the last */
};

extern struct sr sr;

/* Sets up `cr` and `sr`, for a checked fixture whose teardown is cr_down().  The client
 * asks for no notices about lists. */
void sr_up(void);
/* Starts a client and answers its handshake as a server of this era with these
 * capabilities. */
void sr_meet(int era, const char *capabilities);
/* Starts a client with sr_meet() and subscribes the client to "a:1". */
void sr_begin(int era);

/* Sends `text` from the server.  If cr.web is set, `text` is sent on the stream `on`. */
void sr_say(uint64_t on, const char *text);
/* Expects a request of `method` with these members of params.  Stores the id and the
 * stream of the request in `sr`. */
void sr_expect_request(const char *method, const char *params);
/* Expects a subscriptions/listen request.  `flags` holds members of its `notifications`,
 * and `uris` is a JSON array without its brackets.  An argument that is NULL adds no
 * member. */
void sr_expect_listen(const char *flags, const char *uris);
/* Acknowledges, as the server, the request with the id `of`, a JSON token.  `filter`
 * holds the members of `notifications`. */
void sr_acknowledge(const char *of, uint64_t on, const char *filter);
/* Expects a subscription to these URIs and accepts it as the server.  `uris` holds JSON
 * strings, separated by commas.  For a legacy server, `uris` holds only one string. */
void sr_take(const char *uris);
/* Announces, as the server, a change of `uri`, a JSON token.  A modern server announces
 * the change for the request with the id `of`, on the stream `on`.  sr_update()
 * announces a change for the last request. */
void sr_update_under(const char *of, uint64_t on, const char *uri);
void sr_update(const char *uri);
/* Expects that the client cancels the request with this id. */
void sr_expect_cancelled(const char *what);

/* These functions subscribe or unsubscribe as the owner of the client.  sr_subscribe()
 * and sr_unsubscribe() also call cr_turn(). */
void sr_want(const char *uri);
void sr_subscribe(const char *uri);
void sr_unsubscribe(const char *uri);
/* Compares the events since the last comparison with `story`.  sr_expect_refusal() also
 * checks the error of the last refusal. */
void sr_expect_story(const char *story);
void sr_expect_refusal(const char *story, int code, const char *part);

#endif
