/* SPDX-License-Identifier: MIT
 *
 * subrig.h - on top of clientrig.h: a server of either era that tells of changes of
 * resources, and an owner that subscribes to them.
 */
#ifndef TESTS_PROTOCOL_SUBRIG_H
#define TESTS_PROTOCOL_SUBRIG_H

#include "protocol/clientrig.h"

#define SR_ERAS   2 /* 0: legacy, 1: modern */
#define SR_OFFERS "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true}}"

struct sr {
    bool modern;
    char id[24];         /* of the request that was sent last, a token */
    uint64_t stream;     /* likewise; not on the web: 0 */
    char old_id[24];     /* of the request before */
    uint64_t old_stream; /* likewise */
};

extern struct sr sr;

/* A checked fixture; cr_down() is the other one.  No list is listened to. */
void sr_up(void);
/* READY on a server with these capabilities. */
void sr_meet(int era, const char *capabilities);
/* READY, subscribed to "a:1". */
void sr_begin(int era);

/* The server says it where it belongs. */
void sr_say(uint64_t on, const char *text);
/* The client sends a request with these members of params; the id is remembered. */
void sr_expect_request(const char *method, const char *params);
/* `flags` stand before `uris`, an array without its brackets; NULL: none. */
void sr_expect_listen(const char *flags, const char *uris);
/* The server acknowledges the request `of`, a token. */
void sr_acknowledge(const char *of, uint64_t on, const char *filter);
/* The client asks for these URIs, tokens (legacy: one), and the server agrees. */
void sr_take(const char *uris);
/* The URI, a token, was updated; under that modern request, or under the latest. */
void sr_update_under(const char *of, uint64_t on, const char *uri);
void sr_update(const char *uri);
/* The client cancels the request of this id. */
void sr_expect_cancelled(const char *what);

/* The owner subscribes, without and with cr_turn(). */
void sr_want(const char *uri);
void sr_subscribe(const char *uri);
void sr_unsubscribe(const char *uri);
/* What has happened since the last look. */
void sr_expect_story(const char *story);
void sr_expect_refusal(const char *story, int code, const char *part);

#endif
