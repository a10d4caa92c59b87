/* SPDX-License-Identifier: MIT
 *
 * serving.h - a server's connection in a fuzz target, driven by the lines of the input.
 *
 * The first character of a line selects an action of the client or the provider.  Any
 * other character does the same as q.
 *
 *   <TEXT                the client sends these bytes and a line end
 *   mID METHOD MEMBERS   the client sends this request, with these params
 *   rID MEMBERS          the client calls the tool `ask`, with the last requestState
 *   aTEXT                the client answers the last request that it received
 *   +  !  p  q           for the oldest open call: answer, fail, report progress, ask
 *   u  l  c              the provider changes a resource, logs, changes its tools
 *   tC                   the clock advances by N * N seconds, N = low 6 bits of C
 *   s  S                 the client stops reading, and starts again
 *   x  e  f              close the connection, end the client, make another connection
 *
 * The loop runs after each line, except after a line that ends with `;` and after a line
 * for an open call (+, !, p, q and other characters).
 *
 * Each line of the server must be a message.  There must not be more answers than
 * messages that may get an answer.  At the end, the provider must have no calls, and as
 * many teardowns as setups.
 */
#ifndef FUZZ_SERVING_H
#define FUZZ_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs one input.  A modern client sends its protocol and capabilities in the _meta of
 * each request.  A legacy client sends initialize. */
void serving_run(const uint8_t *data, size_t size, bool modern);

#endif
