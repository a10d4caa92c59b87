/* SPDX-License-Identifier: MIT
 *
 * version.h - the version at compile time and at run time.
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
 * mcphost_version - the version of the library that is linked.
 *
 * Returns a static string such as "0.1.0".  Any thread.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_version(void);

/*
 * mcphost_version_number - the same as 0xMMmmpp, for comparisons.
 *
 * Any thread.  Since: 0.1
 */
MCPHOST_API unsigned mcphost_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
