/* SPDX-License-Identifier: MIT
 *
 * plugin.h - write a plugin: a shared object that adds tools, resources, prompts or a
 * sampler to a host.
 *
 *   static int setup(...);     mcphost_setup_fn
 *   static void teardown(...); mcphost_teardown_fn
 *
 *   MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, teardown)
 *
 * The host loads the shared object from a directory (plugins.h) and makes a provider
 * (provider.h) for it.  The plugin's setup adds features to this provider.  The plugin's
 * teardown undoes the work of the setup.  The two functions get NULL as `arg`.  A plugin
 * has features of one kind only.  The host configures, starts and closes the provider.
 * mcphost-plugins(7) explains plugins and shows a whole plugin.
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

/* The number of the interface between plugins and the library.  A plugin has the number
 * that it was compiled with.  A library with another number refuses the plugin. */
#define MCPHOST_PLUGIN_ABI 1

/* The kinds of plugins: the features that a plugin can add.  Since: 0.1 */
enum mcphost_plugin_kind {
    MCPHOST_PLUGIN_RESOURCE = 1, /* the plugin adds resources and templates */
    MCPHOST_PLUGIN_PROMPT = 2,   /* the plugin adds prompts */
    MCPHOST_PLUGIN_TOOL = 3,     /* the plugin adds tools */
    MCPHOST_PLUGIN_SAMPLING = 4  /* the plugin adds the host's sampler */
};

/*
 * mcphost_plugin_declare - declare the interface, the kind and the functions of a plugin.
 *
 * The macro MCPHOST_PLUGIN() calls this function, once, from the entry function of the
 * plugin.  `abi` is MCPHOST_PLUGIN_ABI and `kind` is one of MCPHOST_PLUGIN_*.  The
 * library checks the declaration when the entry function has returned.
 *
 * Errors: MCPHOST_E_INVALID.
 * Thread: the thread that runs the entry function of the plugin.
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

/* Makes a shared object a plugin.  Use the macro once in the object, outside of
 * functions. */
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
