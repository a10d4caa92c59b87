/* SPDX-License-Identifier: MIT
 *
 * out.h - the output of a hostile server.
 *
 * Only serve.c and web.c use this header.
 */
#ifndef ISOLATION_OUT_H
#define ISOLATION_OUT_H

#include <pthread.h>

#include "isolation/isolation.h"

struct out {
    int fd;
    bool web, chunked, lost;
    pthread_mutex_t *lock;
    size_t len;
    char buf[65536];
};

/* Answers one message of the session. */
void session_answer(const struct row *row, struct out *out, const char *message);

#endif
