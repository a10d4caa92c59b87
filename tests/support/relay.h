/* SPDX-License-Identifier: MIT
 *
 * relay.h - an HTTP proxy of a test: a thread on 127.0.0.1 that takes CONNECT and
 * requests in absolute form, and brings them all to one port of this machine, whatever
 * name they ask for.
 */
#ifndef TESTS_SUPPORT_RELAY_H
#define TESTS_SUPPORT_RELAY_H

#include <stddef.h>

struct relay;

/* `target`: the port.  `login` ("user:password" in base64; NULL: none): without it in
 * Proxy-Authorization a client gets a 407. */
struct relay *relay_up(int target, const char *login);
void relay_down(struct relay *relay); /* NULL is fine */
int relay_port(const struct relay *relay);
/* How many connections it was asked to bring on. */
size_t relay_count(struct relay *relay);
/* The first request of the `i`th, head only; "" when it has not come. */
const char *relay_head(struct relay *relay, size_t i);

#endif
