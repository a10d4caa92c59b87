/* SPDX-License-Identifier: MIT
 *
 * types.c - the types and methods that follow from the headers.
 */
#include "core.h"

#include "generated.inc"
