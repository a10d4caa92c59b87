/* SPDX-License-Identifier: MIT
 *
 * plugin.h - for the authors of plugins: a shared object that adds to a host.
 *
 *   static int setup(...);     mcphost_setup_fn
 *   static void teardown(...); mcphost_teardown_fn
 *
 *   MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, teardown)
 *
 * A plugin is a provider (provider.h): its setup adds features, its teardown ends
 * what the setup began.  Both get NULL as their `arg`.  A plugin does one thing: it has
 * features of its kind and no others.  The host loads it from a directory (plugins.h),
 * begins and ends it, and gives it its configuration.  mcphost-plugins(7) explains all of
 * it and shows a whole plugin.
 */
#ifndef MCPHOST_PLUGIN_H
#define MCPHOST_PLUGIN_H

#include <mcphost/error.h>
#include <mcphost/provider.h>
#include <mcphost/provider_call.h>
#include <mcphost/request.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface between a plugin and the library.  A plugin is compiled with a number;
 * a library with another number refuses the plugin. */
#define MCPHOST_PLUGIN_ABI 1

/* What a plugin adds.  Since: 0.1 */
enum mcphost_plugin_kind {
    MCPHOST_PLUGIN_RESOURCE = 1, /* resources and templates of resources */
    MCPHOST_PLUGIN_PROMPT = 2,
    MCPHOST_PLUGIN_TOOL = 3,
    MCPHOST_PLUGIN_SAMPLING = 4 /* the host's sampler */
};

/*
 * mcphost_plugin_declare - what the macro MCPHOST_PLUGIN() has a plugin say of itself.
 *
 * To be called once, from the plugin's entry.  `kind` is MCPHOST_PLUGIN_*; `teardown` may
 * be NULL.  The library judges what was said when the entry has returned.
 *
 * Returns 0, MCPHOST_E_INVALID (`plugin` or `setup` is NULL).
 * Since: 0.1
 */
MCPHOST_API int mcphost_plugin_declare(mcphost_plugin *plugin, int abi, int kind,
                                       mcphost_setup_fn setup,
                                       MCPHOST_NULLABLE mcphost_teardown_fn teardown);

#if defined(__GNUC__) || defined(__clang__)
#define MCPHOST_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define MCPHOST_PLUGIN_EXPORT
#endif
#ifdef __cplusplus
#define MCPHOST_PLUGIN_LINKAGE extern "C"
#else
#define MCPHOST_PLUGIN_LINKAGE extern
#endif

/* Makes a shared object a plugin: once in it, at the level of functions. */
#define MCPHOST_PLUGIN(kind, setup, teardown)                                      \
    MCPHOST_PLUGIN_LINKAGE MCPHOST_PLUGIN_EXPORT void mcphost_plugin_entry(        \
        mcphost_plugin *plugin);                                                   \
    void mcphost_plugin_entry(mcphost_plugin *plugin)                              \
    {                                                                              \
        mcphost_plugin_declare(plugin, MCPHOST_PLUGIN_ABI, kind, setup, teardown); \
    }

#ifdef __cplusplus
}
#endif
#endif
