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
#define MCPHOST_VERSION_MINOR  2
#define MCPHOST_VERSION_PATCH  0
#define MCPHOST_VERSION_STRING "0.2.0"
#define MCPHOST_VERSION_NUMBER 0x000200

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

/* The parts that the library can be built without.  The comment of each part names the
 * options of `configure` that leave the part out.  Since: 0.1 */
enum mcphost_part {
    MCPHOST_PART_HTTP = 1, /* servers at URLs: --disable-http */
    /* logins, and credentials for servers at URLs in addition to the headers of their
     * entries: --disable-auth or --disable-http */
    MCPHOST_PART_AUTH = 2,
    MCPHOST_PART_SERVING = 3, /* mcphost_serve_fd(): --disable-serving */
    /* JSON Schema, mcphost_schema_new(): --disable-schema.  Without this part, arguments
     * and results are not checked against schemas. */
    MCPHOST_PART_SCHEMA = 4,
    /* the configurations of ChatOS, goclaw and `mcpServers`: --disable-profiles */
    MCPHOST_PART_PROFILES = 5,
    MCPHOST_PART_PLUGINS = 6 /* mcphost_plugins_new(): --disable-plugins */
};

/*
 * mcphost_has_part - find out whether the library was built with a part.
 *
 * `part` is a constant of enum mcphost_part.  A library without a part exports the same
 * functions.  A function that needs the missing part returns MCPHOST_E_UNSUPPORTED.
 *
 * Returns: 1 if the library has the part, or 0 if the library does not have the part or
 *   does not know `part`.
 * Since: 0.1
 */
MCPHOST_API int mcphost_has_part(int part);

#ifdef __cplusplus
}
#endif
#endif
