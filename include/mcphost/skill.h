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
 * A skill is a directory of files.  The file SKILL.md has instructions for a model, in
 * the format of Agent Skills (MCP extension `io.modelcontextprotocol/skills`).  Servers
 * list their skills.  A server may have skills that it does not list.  A skill is
 * identified by its server and its URI.  Several skills may have the same name.  The
 * library reads no file of a skill before the application (mcphost_call_new_read_skill())
 * or the model (the built-in tool read_skill) asks for the file.
 *
 * Trust the text of a skill no more than you trust its server.  Show the model and the
 * user which server a skill comes from.  Give the model no rights because of the skill's
 * front matter (`allowed-tools`).
 */

/* Takes a reference to `skill`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_skill *
mcphost_skill_ref(MCPHOST_NULLABLE mcphost_skill *skill);

/* Drops a reference to `skill`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_skill *
mcphost_skill_unref(MCPHOST_NULLABLE mcphost_skill *skill);

/* Returns the URI of the skill's SKILL.md as the server wrote it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_uri(const mcphost_skill *skill);

/* Returns the skill's name.  The name has at most 64 of the characters a-z, 0-9 and
 * hyphen.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_name(const mcphost_skill *skill, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the description of the skill's purpose.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_description(const mcphost_skill *skill,
                              MCPHOST_NULLABLE size_t *ret_len);

/* Returns the front matter of the skill's SKILL.md, a JSON object.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_frontmatter(const mcphost_skill *skill,
                              MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_skill_get_entry - get the skill's entry as the server sent it.
 *
 * The entry is a JSON object.  It has the URI of SKILL.md, its front matter, and as
 * `resources` the skill's files with their sizes and digests.  If the server makes the
 * files anew each time, `resources` is "dynamic".
 *
 * Returns: the entry of the skill.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_entry(const mcphost_skill *skill, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the id of the source of the skill's server, or NULL for the default source.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_source_id(const mcphost_skill *skill);

/* Returns the id of the server that lists the skill.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_skill_get_server_id(const mcphost_skill *skill);

#ifdef __cplusplus
}
#endif
#endif
