/* SPDX-License-Identifier: MIT
 *
 * chatosrig.h - manifests of ChatOS read for a test.
 *
 * chatosrig_plugin is what was read last.  Each read checks what holds for all manifests.
 */
#ifndef CHATOSRIG_H
#define CHATOSRIG_H

#include "profile/chatos.h"

#define PLUGIN_DIR "/plugins/db"

/* A manifest of one app, and its parts around further keys. */
#define APP_1                                                                        \
    "{\"id\":\"p\",\"name\":\"P\",\"apps\":[{\"id\":\"a\",\"name\":\"A\",\"entry\":" \
    "\"e\","
#define APP_2     "}]}"
#define IN_AI(x)  APP_1 "\"ai\":{" x "}" APP_2
#define IN_MCP(x) IN_AI("\"mcp\":{\"entry\":\"e\"," x "}")

extern struct mcph_chatos_plugin *chatosrig_plugin;

void chatosrig_down(void);
void chatosrig_parse_bytes(const char *text, size_t len);
void chatosrig_parse(const char *text);
const char *chatosrig_diags(void); /* one a line */
const struct mcph_chatos_app *chatosrig_app_at(size_t i);
/* The only app of a plugin, whose further keys are these; NULL: it is not valid. */
const struct mcph_chatos_app *chatosrig_parse_app(const char *keys);
/* The same of its `ai`, which must be valid. */
const struct mcph_chatos_ai *chatosrig_parse_ai(const char *ai);

#endif
