/* SPDX-License-Identifier: MIT
 *
 * chatosrig.h - parses plugin manifests of ChatOS in tests.
 *
 * chatosrig_plugin is the plugin that was parsed last.  Each parse checks the rules that
 * hold for all manifests.
 */
#ifndef CHATOSRIG_H
#define CHATOSRIG_H

#include "profile/chatos.h"

#define PLUGIN_DIR "/plugins/db"

/* APP_1 and APP_2 begin and end a manifest with one app.  The app's further keys go
 * between APP_1 and APP_2.  IN_AI(x) is a manifest with the keys `x` in the app's `ai`.
 * IN_MCP(x) is a manifest with the keys `x` in the app's `ai.mcp`. */
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
const char *chatosrig_diags(void); /* returns the diagnostics, one per line */
const struct mcph_chatos_app *chatosrig_app_at(size_t i);
/* Parses a plugin with one app that has the further keys `keys`.  Returns NULL if the app
 * is invalid. */
const struct mcph_chatos_app *chatosrig_parse_app(const char *keys);
/* Parses a plugin with one app whose key `ai` has the value `ai`.  The value must be
 * valid.  Returns the parsed value. */
const struct mcph_chatos_ai *chatosrig_parse_ai(const char *ai);

#endif
