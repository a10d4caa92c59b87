/* SPDX-License-Identifier: MIT
 *
 * version.h - the version of the headers and the version of the library.
 */
#ifndef MCPHOST_VERSION_H
#define MCPHOST_VERSION_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers.  Since: 0.1 */
#define MCPHOST_VERSION_MAJOR  0
#define MCPHOST_VERSION_MINOR  1
#define MCPHOST_VERSION_PATCH  0
#define MCPHOST_VERSION_STRING "0.1.0"
#define MCPHOST_VERSION_NUMBER 0x000100

/*
 * mcphost_version - get the version of the library that the program runs with.
 *
 * Returns: a static text such as "0.1.0".
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_version(void);

/*
 * mcphost_version_number - get the version of the library as a number, for comparisons.
 *
 * Returns: the version as 0xMMmmpp, one byte for each of the parts major, minor and
 *   patch.
 * Since: 0.1
 */
MCPHOST_API unsigned mcphost_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
