/* SPDX-License-Identifier: MIT
 *
 * relay.h - an HTTP proxy for tests.
 *
 * Threads of the proxy accept CONNECT and requests in absolute form on 127.0.0.1.  They
 * pass each request to one port of this machine, whatever host the request names.
 */
#ifndef TESTS_SUPPORT_RELAY_H
#define TESTS_SUPPORT_RELAY_H

#include <stddef.h>

struct relay;

/* Starts a proxy that passes requests to the port `target`.  `login` is "user:password"
 * in base64, or NULL if the proxy needs no login.  A client without this login in
 * Proxy-Authorization gets a 407. */
struct relay *relay_up(int target, const char *login);
void relay_down(struct relay *relay); /* `relay` may be NULL */
int relay_port(const struct relay *relay);
/* Counts the connections that have sent a request so far. */
size_t relay_count(struct relay *relay);
/* Returns the head of the first request on connection number `i`, counted from 0 among
 * the connections that have sent a request.  Returns "" if there are fewer connections so
 * far. */
const char *relay_head(struct relay *relay, size_t i);

#endif
