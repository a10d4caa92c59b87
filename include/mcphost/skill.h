/* SPDX-License-Identifier: MIT
 *
 * skill.h - skills that servers offer: instructions for a model, with files.
 */
#ifndef MCPHOST_SKILL_H
#define MCPHOST_SKILL_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A skill is a directory of files that begins with a SKILL.md: instructions for a model,
 * as Agent Skills describe them (MCP extension `io.modelcontextprotocol/skills`).
 * Servers list their skills; a server may have more that it does not list.  A skill is
 * told apart by its server and its URI, and its name may be another one's, too.  Nothing
 * of a skill is read before mcphost_call_new_read_skill() asks for it.
 *
 * What a server says in a skill is as little to be trusted as anything else that it
 * writes.  Show the model and the user whose skill it is, and do not let its front matter
 * (`allowed-tools`) give the model rights.
 */

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_skill *
mcphost_skill_ref(MCPHOST_NULLABLE mcphost_skill *skill);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_skill *
mcphost_skill_unref(MCPHOST_NULLABLE mcphost_skill *skill);

/* The URI of its SKILL.md, as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_uri(const mcphost_skill *skill);

/* Its name: a-z, 0-9 and hyphens, 64 bytes at most.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_name(const mcphost_skill *skill, MCPHOST_NULLABLE size_t *ret_len);

/* What it is for.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_description(const mcphost_skill *skill,
                              MCPHOST_NULLABLE size_t *ret_len);

/* The front matter of its SKILL.md, a JSON object.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_frontmatter(const mcphost_skill *skill,
                              MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_skill_get_entry - its whole entry as the server sent it, a JSON object.
 *
 * With the URI, the front matter and, as `resources`, its files with their sizes and
 * digests, or "dynamic" where the server makes them anew each time.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_entry(const mcphost_skill *skill, MCPHOST_NULLABLE size_t *ret_len);

/* The id of the source of its server; NULL: the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_source_id(const mcphost_skill *skill);

/* The id of the server that lists it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_server_id(const mcphost_skill *skill);

#ifdef __cplusplus
}
#endif
#endif
