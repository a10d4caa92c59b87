/* SPDX-License-Identifier: MIT
 *
 * fuzz_connection_modern.c - runs a server with a client of the modern era and a
 * provider.
 *
 * serving.h describes the lines of an input.
 */
#include "serving.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    serving_run(data, size, true);
    return 0;
}
