/* SPDX-License-Identifier: MIT
 *
 * types.c - the types and methods that are generated from the headers.
 */
#include "core.h"

#include "generated.inc"
