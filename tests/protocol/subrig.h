/* SPDX-License-Identifier: MIT
 *
 * subrig.h - an extension of clientrig.h: a server of either era that announces changes
 * of resources, and an owner that subscribes to them.
 */
#ifndef TESTS_PROTOCOL_SUBRIG_H
#define TESTS_PROTOCOL_SUBRIG_H

#include "protocol/clientrig.h"

#define SR_ERAS   2 /* 0: legacy, 1: modern */
#define SR_OFFERS "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true}}"

struct sr {
    bool modern;
    char id[24];         /* id of the last request, a JSON token */
    uint64_t stream;     /* its stream; 0 without streams */
    char old_id[24];     /* id of the request before */
    uint64_t old_stream; /* its stream */
};

extern struct sr sr;

/* A checked fixture, for use with cr_down().  The client asks for no notices about
 * lists. */
void sr_up(void);
/* Starts a client, which becomes READY on a server with these capabilities. */
void sr_meet(int era, const char *capabilities);
/* Starts a client, which becomes READY and subscribes to "a:1". */
void sr_begin(int era);

/* The server sends `text`; if cr.web is set, on the stream `on`. */
void sr_say(uint64_t on, const char *text);
/* Expects a request with these members of params, and remembers its id and stream. */
void sr_expect_request(const char *method, const char *params);
/* Expects a subscriptions/listen request.  `flags` are members of its `notifications`,
 * `uris` is a JSON array without its brackets.  Each may be NULL: none. */
void sr_expect_listen(const char *flags, const char *uris);
/* The server acknowledges the request with the id `of`, a JSON token.  `filter` are the
 * members of `notifications`. */
void sr_acknowledge(const char *of, uint64_t on, const char *filter);
/* Expects a subscription to these URIs, JSON tokens (legacy: only one), which the server
 * accepts. */
void sr_take(const char *uris);
/* The server announces a change of `uri`, a JSON token.  A modern server announces it for
 * the request `of`; sr_update(): for the last request. */
void sr_update_under(const char *of, uint64_t on, const char *uri);
void sr_update(const char *uri);
/* Expects that the client cancels the request with this id. */
void sr_expect_cancelled(const char *what);

/* The owner subscribes or unsubscribes.  All but sr_want() then call cr_turn(). */
void sr_want(const char *uri);
void sr_subscribe(const char *uri);
void sr_unsubscribe(const char *uri);
/* Compares the events since the last comparison.  sr_expect_refusal() also checks the
 * error of the last refusal. */
void sr_expect_story(const char *story);
void sr_expect_refusal(const char *story, int code, const char *part);

#endif
