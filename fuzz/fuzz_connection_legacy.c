/* SPDX-License-Identifier: MIT
 *
 * fuzz_connection_legacy.c - a server whose client is of the legacy era, and its
 * provider, at random (serving.h says what the lines of an input mean).
 */
#include "serving.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    serving_run(data, size, false);
    return 0;
}
