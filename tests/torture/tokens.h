/* SPDX-License-Identifier: MIT
 *
 * tokens.h - an application's store of tokens whose own allocations never fail.
 */
#ifndef TESTS_TORTURE_TOKENS_H
#define TESTS_TORTURE_TOKENS_H

#include "auth/store.h"
#include "support/tokendb.h"

extern struct tokendb tokens;
extern const struct mcph_store_calls tokens_calls; /* the functions use `tokens` */

#endif
