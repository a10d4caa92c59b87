/* SPDX-License-Identifier: MIT
 *
 * auth.h - the room `auth`: what servers want to see before they answer.
 *
 * Reads challenges (RFC 9110, 11.6.1; RFC 6750).  It must never keep, log or tell a
 * secret: what is in here comes from servers and is told to people.
 */
#ifndef MCPH_AUTH_H
#define MCPH_AUTH_H

#include "base/base.h"
#include "json/json.h"

/* ---- challenges (challenge.c) ------------------------------------------------------ */

/* The first challenge of WWW-Authenticate that we know what to do about: Bearer or
 * DPoP, else the first of all.  Strings are ours, UTF-8 on one line; NULL: not said. */
struct mcph_challenge {
    char *scheme; /* as it was spelled */
    char *realm, *scope, *error, *description, *metadata;
};

/* `lines`: the values of all such headers.  0; MCPHOST_E_NOTFOUND: there is none that
 * can be read; MCPHOST_E_NOMEM.  *ret is to be given to done in any case. */
int mcph_challenge_parse(const struct mcph_span *lines, size_t n_lines,
                         struct mcph_challenge *ret);
void mcph_challenge_done(struct mcph_challenge *challenge);
/* What it asks for, as words behind "it ": "asks for Bearer with scope ...". */
int mcph_challenge_describe(const struct mcph_challenge *challenge, struct mcph_buf *buf);

#endif
