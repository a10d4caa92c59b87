/* SPDX-License-Identifier: MIT
 *
 * relay.h - an HTTP proxy for tests: a thread on 127.0.0.1 that accepts CONNECT and
 * requests in absolute form.  It passes all of them to one port of this machine, whatever
 * host they name.
 */
#ifndef TESTS_SUPPORT_RELAY_H
#define TESTS_SUPPORT_RELAY_H

#include <stddef.h>

struct relay;

/* `target`: the port.  `login`: "user:password" in base64; NULL: none.  A client without
 * this login in Proxy-Authorization gets a 407. */
struct relay *relay_up(int target, const char *login);
void relay_down(struct relay *relay); /* NULL is allowed */
int relay_port(const struct relay *relay);
/* How many connections have sent a request so far. */
size_t relay_count(struct relay *relay);
/* The head of the first request on the `i`th of these connections; "" if there is none
 * yet. */
const char *relay_head(struct relay *relay, size_t i);

#endif
