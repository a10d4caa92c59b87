/* SPDX-License-Identifier: MIT
 *
 * serving.h - a connection as server under a fuzzer: the input is what its client and its
 * provider do, line by line.
 *
 * A line begins with what happens:
 *
 *   <TEXT     the client sends these bytes and a line end
 *   mID METHOD MEMBERS   the client sends this request, which has these params
 *   rID MEMBERS          it sends its last "ask" again, with the state that it was given
 *   aTEXT     it answers the last request that it was sent
 *   +  !  p  q  the oldest open call: answered, failed, reports progress, asks
 *   u  l  c     the provider: a resource has changed, a message, another tool
 *   tN        the clock moves on by N times N seconds
 *   s  S      the client stops reading, and goes on
 *   x  e  f   the connection is closed, the client ends, another connection
 *
 * What is checked: each line of the server is a message, it answers nothing that was not
 * asked, and in the end nothing is left.
 */
#ifndef FUZZ_SERVING_H
#define FUZZ_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One input.  A modern client's requests have a _meta; a legacy one sent initialize. */
void serving_run(const uint8_t *data, size_t size, bool modern);

#endif
