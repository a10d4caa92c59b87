/* SPDX-License-Identifier: MIT
 *
 * kind.c - the kinds of lists, one row each: the word for an element, the member that an
 * element must have, and the member that identifies an element.
 */
#include "catalog/catalog.h"
#include "config/config.h"

#define SUBJECT(name) .subject = name, .subject_len = sizeof(name) - 1

const struct mcph_list_kind mcph_list_kinds[MCPH_LIST_KINDS] = {
    [MCPH_LIST_TOOLS] = {.noun = "tool",
                         .method = "tools/list",
                         .array = "tools",
                         SUBJECT("inputSchema"),
                         .subject_type = MCPH_JSON_OBJECT,
                         .needs_subject = true,
                         .named = MCPH_NAMED_TOOLS},
    [MCPH_LIST_RESOURCES] = {.noun = "resource",
                             .method = "resources/list",
                             .array = "resources",
                             SUBJECT("uri"),
                             .subject_type = MCPH_JSON_STRING,
                             .needs_subject = true,
                             .is_keyed = true,
                             .named = MCPH_NAMED_RESOURCES},
    [MCPH_LIST_TEMPLATES] = {.noun = "resource template",
                             .method = "resources/templates/list",
                             .array = "resourceTemplates",
                             SUBJECT("uriTemplate"),
                             .subject_type = MCPH_JSON_STRING,
                             .needs_subject = true,
                             .is_keyed = true,
                             .named = MCPH_NAMED_RESOURCES},
    [MCPH_LIST_PROMPTS] = {.noun = "prompt",
                           .method = "prompts/list",
                           .array = "prompts",
                           SUBJECT("arguments"),
                           .subject_type = MCPH_JSON_ARRAY,
                           .named = MCPH_NAMED_PROMPTS},
    [MCPH_LIST_SKILLS] = {.noun = "skill",
                          .method = "skills/list",
                          .array = "skills",
                          SUBJECT("uri"),
                          .subject_type = MCPH_JSON_STRING,
                          .needs_subject = true,
                          .is_keyed = true,
                          .named = MCPH_NAMED_SKILLS},
};
