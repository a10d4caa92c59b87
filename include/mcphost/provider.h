/* SPDX-License-Identifier: MIT
 *
 * provider.h - providers: the application's own tools, resources and prompts, as an MCP
 * server inside its process.
 *
 *   new -> set, add -> start -> (add, remove, updated at any time) -> close -> unref
 *
 * A provider belongs to a source and is one of the source's servers.  A provider appears
 * in catalogs, grants, status, events and problems like any other server.  Filters and
 * name policies apply to a provider, too.  Functions of the application carry out the
 * requests that a provider gets.  The thread that dispatches calls these functions.  A
 * request needs no other process and no connection.
 *
 * Any thread may call the functions of this header.
 */
#ifndef MCPHOST_PROVIDER_H
#define MCPHOST_PROVIDER_H

#include <mcphost/request.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of features that a provider can offer.  Since: 0.1 */
enum mcphost_feature {
    MCPHOST_FEATURE_TOOL = 1,     /* a tool that models call */
    MCPHOST_FEATURE_RESOURCE = 2, /* a resource with a URI */
    MCPHOST_FEATURE_TEMPLATE = 3, /* resources whose URIs fit a template */
    MCPHOST_FEATURE_PROMPT = 4    /* a prompt that people pick */
};

/*
 * mcphost_provide_fn - carry out a request.
 *
 * The function runs on the thread that dispatches.  It answers `call` with a function of
 * <mcphost/provider_call.h>: at once, or later from any thread.  To answer later, the
 * function takes a reference to the call (mcphost_provider_call_ref()).  If the last
 * reference is dropped before the call is answered, the call fails with MCPHOST_E_RPC.
 *
 * Returns: 0, or a negative code with which the call fails.
 * Since: 0.1
 */
typedef int (*mcphost_provide_fn)(mcphost_provider_call *call,
                                  MCPHOST_NULLABLE void *arg);

/*
 * mcphost_setup_fn - set up a provider.
 *
 * The function runs once, on the thread that dispatches, before the provider gets a
 * request.  It may add features and start threads.  To report the reason of a failure,
 * the function stores an error in *reterr, for example with mcphost_error_new().  The
 * status of the server then shows this error.
 *
 * Returns: 0, or a negative code if the provider cannot be used.
 * Since: 0.1
 */
typedef int (*mcphost_setup_fn)(mcphost_provider *provider, MCPHOST_NULLABLE void *arg,
                                MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_teardown_fn - tear a provider down.
 *
 * If the setup has succeeded, the function runs once.  At that time the provider gets no
 * more requests, and all its calls are over.  The thread that dispatches, or the last
 * mcphost_unref() of the host, runs the function.
 * Since: 0.1
 */
typedef void (*mcphost_teardown_fn)(mcphost_provider *provider,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_new - create a provider that will be a server of a source.
 *
 * `id` becomes the id of the server.  Catalogs show the features of the provider after
 * mcphost_provider_start().
 *
 * Errors: MCPHOST_E_INVALID (the id is empty or not UTF-8), MCPHOST_E_EXISTS (the source
 *   has another provider of this id that is not closed and whose setup has not failed),
 *   MCPHOST_E_CLOSED (the host is closed, or the source was removed), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_new(mcphost_source *source, const char *id,
                     MCPHOST_OWNED mcphost_provider **ret_provider,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_new_in_view - create a provider that only one view shows.
 *
 * The function adds a source with the id `id` to the host, for this provider alone.  When
 * the provider starts, its source becomes the last layer of the view.  The source is
 * removed when a provider that was started is closed, or when a provider that was not
 * started is freed.
 *
 * Errors: MCPHOST_E_INVALID (the view has no layers of its own, or the id does not
 *   consist of 1 to 64 ASCII letters, digits, '_', '-' and '.'), MCPHOST_E_EXISTS (the
 *   host has a source of this id, or the id is "default"), MCPHOST_E_CLOSED,
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_new_in_view(mcphost_view *view, const char *id,
                             MCPHOST_OWNED mcphost_provider **ret_provider,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `provider`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_ref(MCPHOST_NULLABLE mcphost_provider *provider);

/* Drops a reference to `provider`.  A provider that was started exists until it is
 * closed.  A provider that was not started is freed when its last reference is dropped.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_unref(MCPHOST_NULLABLE mcphost_provider *provider);

/* Returns the id of the provider and of its server, or NULL if `provider` is NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_get_id(MCPHOST_NULLABLE const mcphost_provider *provider);

/*
 * mcphost_provider_set_about - set how the provider describes itself.
 *
 * `json` is an object of `len` bytes with any of the members "name", "version", "title",
 * "description" (strings) and "icons" (an array), as in MCP's Implementation, and
 * "instructions" (a string).  The function copies the object.  The copy replaces the
 * object that was set before.
 *
 * Errors: MCPHOST_E_INVALID (the text is not a JSON object, or a member has the wrong
 *   type; the error names the member), MCPHOST_E_LIMIT (the object is nested deeper than
 *   512 levels), MCPHOST_E_STATE (the provider has been started or closed),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_about(mcphost_provider *provider, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_set_life - set the functions that begin and end the provider.
 *
 * A later call replaces both functions and `arg`.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, when nothing needs `arg` any more: after the teardown, or when the provider ends
 * without a teardown.  `free_arg` also runs when the functions are replaced, and when the
 * last reference to a provider that was not started is dropped.  If this function fails,
 * it calls `free_arg` before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the provider has been started or closed, or
 *   it belongs to a plugin), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_set_life(mcphost_provider *provider,
                                          MCPHOST_NULLABLE mcphost_setup_fn setup,
                                          MCPHOST_NULLABLE mcphost_teardown_fn teardown,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_set_defaults, mcphost_provider_set_config - set the configuration of
 * the provider.
 *
 * `json` is an object of `len` bytes.  The function copies the object.  The copy replaces
 * the object that the same function has set before.  Integers must fit an int64_t.  Other
 * numbers must fit a double.
 *
 * The effective configuration combines the configuration and the defaults.  A member that
 * is an object in the configuration and in the defaults is merged, member by member.  Any
 * other member of the configuration replaces the default.  The library logs the effective
 * configuration once, at the setup of the provider.  The library masks the values of
 * members whose names suggest a secret.
 *
 * Errors: MCPHOST_E_INVALID (the text is not a JSON object, or a number does not fit; the
 *   error names the place), MCPHOST_E_LIMIT (the object is longer than 1 MiB, or nested
 *   deeper than 64 levels), MCPHOST_E_STATE (the provider has been started or closed; or,
 *   for mcphost_provider_set_config(), the provider belongs to a plugin),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_defaults(mcphost_provider *provider, const char *json, size_t len,
                              MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);
MCPHOST_API int
mcphost_provider_set_config(mcphost_provider *provider, const char *json, size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_dup_config - get a part of the effective configuration.
 *
 * `path` names the part: member names with dots between them, such as
 * "tool_configs.search.limit".  "" means the whole configuration.  *ret_json gets a JSON
 * value with a NUL behind it.  The caller frees *ret_json with mcphost_free().  *ret_len
 * gets the number of bytes without the NUL.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the configuration has no member at
 *   `path`), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_dup_config(mcphost_provider *provider, const char *path,
                                            MCPHOST_OWNED char **ret_json,
                                            MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_provider_add - add a tool, a resource, a resource template or a prompt.
 *
 * `feature` is one of MCPHOST_FEATURE_*.  `definition` is a JSON object of `len` bytes.
 * The function copies the object.  The object has the form in which a server lists the
 * feature: MCP's Tool, Resource, ResourceTemplate or Prompt.  Each definition needs a
 * "name".  A tool also needs an "inputSchema", a resource a "uri", and a resource
 * template a "uriTemplate".  The schemas of a tool must compile.  `fn` carries out the
 * requests.
 *
 * An old feature of this kind with this name, URI or URI template is replaced.  The new
 * feature takes the place of the old feature in the list.  The new feature keeps the old
 * completion function.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, when nothing needs `arg` any more: the feature was removed or replaced, or the
 * provider has ended, and each call that `fn` got is released.  If this function fails,
 * it calls `free_arg` before it returns.  `free_arg` runs on the thread that makes the
 * last release.
 *
 * Errors: MCPHOST_E_INVALID (`feature` is none of MCPHOST_FEATURE_*, the definition is
 *   wrong, or the kind of the plugin does not allow this kind of feature; the error
 *   gives the reason), MCPHOST_E_LIMIT (the definition is longer than 4 MiB or nested
 *   deeper than 512 levels, a URI or a template is longer than 65,536 bytes, a template
 *   has more than 256 variables, a schema is too expensive, or the provider has 100,000
 *   features), MCPHOST_E_CLOSED (the provider or the host is closed), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_add(mcphost_provider *provider, int feature, const char *definition,
                     size_t len, mcphost_provide_fn fn, MCPHOST_NULLABLE void *arg,
                     MCPHOST_NULLABLE mcphost_free_fn free_arg,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_remove - remove a feature.
 *
 * `name` is the name of the tool or prompt, the URI of the resource, or the URI template.
 * The calls that the feature has can still be answered.
 *
 * Errors: MCPHOST_E_INVALID (`feature` is none of MCPHOST_FEATURE_*), MCPHOST_E_NOTFOUND
 *   (the provider has no feature of this kind with this name), MCPHOST_E_CLOSED (the
 *   provider or the host is closed), MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_remove(mcphost_provider *provider, int feature,
                                        const char *name);

/*
 * mcphost_provider_set_completion - complete the arguments of a prompt, or the variables
 * of a resource template.
 *
 * `feature` is MCPHOST_FEATURE_PROMPT or MCPHOST_FEATURE_TEMPLATE.  `name` is the name of
 * the prompt, or the URI template.  The call that `fn` gets has the name of an argument
 * or variable (mcphost_provider_call_get_argument()) and the beginning of its value
 * (mcphost_provider_call_get_value()).  `fn` answers with a whole result, such as
 *
 *     {"completion": {"values": ["one", "two"]}}
 *
 * A later call replaces the function that was set before.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once, when nothing needs `arg` any more: the function was replaced, the feature was
 * removed, or the provider has ended, and each call that `fn` got is released.  If this
 * function fails, it calls `free_arg` before it returns.
 *
 * Errors: MCPHOST_E_INVALID (`feature` is neither MCPHOST_FEATURE_PROMPT nor
 *   MCPHOST_FEATURE_TEMPLATE), MCPHOST_E_NOTFOUND (the provider has no prompt or template
 *   of this name), MCPHOST_E_CLOSED (the provider or the host is closed),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_completion(mcphost_provider *provider, int feature, const char *name,
                                mcphost_provide_fn fn, MCPHOST_NULLABLE void *arg,
                                MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_updated - report that a resource has changed.
 *
 * The library informs the dialogs and clients that have subscribed to the URI.  Several
 * updates of one URI may be reported as one update.
 *
 * Errors: MCPHOST_E_INVALID (the URI is empty, is not UTF-8, has a control character, or
 *   is longer than 65,536 bytes), MCPHOST_E_LIMIT (10,000 updates wait to be reported),
 *   MCPHOST_E_CLOSED (the provider or the host is closed), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_updated(mcphost_provider *provider, const char *uri);

/*
 * mcphost_provider_log - send a log message of the provider (MCP, "Logging").
 *
 * `level` is one of MCPHOST_MESSAGES_*, but not MCPHOST_MESSAGES_UNASKED.  `logger` is
 * the name of the logger.  `data` is a JSON value of `len` bytes.
 *
 * The application gets the message as an event MCPHOST_EVENT_LOG if the host asks the
 * server for messages of this level.  A client that the host serves gets the message if
 * it has asked for this level or a lower level.  A client that does not read its input
 * misses messages.
 *
 * Errors: MCPHOST_E_INVALID (the level is not allowed, `logger` is not UTF-8, or `data`
 *   is not JSON or is nested deeper than 512 levels), MCPHOST_E_LIMIT (`logger` and
 *   `data` are together longer than 64 KiB, or 1,000 messages or 4 MiB wait to be sent),
 *   MCPHOST_E_CLOSED (the provider or the host is closed), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_log(mcphost_provider *provider, int level,
                                     MCPHOST_NULLABLE const char *logger,
                                     const char *data, size_t len);

/*
 * mcphost_provider_start - show the provider as a server.
 *
 * The source gets a server with the id of the provider, in front of the servers of its
 * files.  A server of this id in a file is left out.  A problem reports that server.
 * Events report the state of the server, as for any other server.
 *
 * The first start in a host fixes the options of the host, as a load does.  The first
 * start in a source fixes the policies of the source.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the provider has been started or closed, or
 *   it belongs to a plugin), MCPHOST_E_CLOSED (the host is closed, or the source was
 *   removed), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_start(mcphost_provider *provider);

/*
 * mcphost_provider_close - withdraw the provider.
 *
 * Catalogs no longer show the features of the provider.  Calls in flight can be answered
 * until the drain deadline of the source (MCPHOST_OPT_DRAIN_TIMEOUT) has passed.  The
 * teardown runs when all calls are over.  The function returns at once.
 *
 * Removing a source closes its providers in the same manner.  Closing the host closes all
 * providers, too, but ends their calls at once.
 *
 * Returns: 0 (also if the provider was closed before).
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the provider belongs to a plugin),
 *   MCPHOST_E_FORKED, MCPHOST_E_NOMEM (nothing has changed; close the provider again).
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_close(mcphost_provider *provider);

/*
 * mcphost_answered_fn - receive the answer to a request of a provider.
 *
 * The function runs exactly once for each request that was accepted, on the thread that
 * dispatches or in the last mcphost_unref() of the host.  If `code` is 0, `json` is the
 * result, `len` bytes that are valid while the function runs.  If `code` is negative,
 * `json` is NULL and `error` says why.
 * Since: 0.1
 */
typedef void (*mcphost_answered_fn)(mcphost_provider_call *call, int code,
                                    MCPHOST_NULLABLE const char *json, size_t len,
                                    MCPHOST_NULLABLE const mcphost_error *error,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_request_sampling - ask the client side for a message of its model.
 *
 * The function works like mcphost_provider_call_ask() with MCPHOST_REQUEST_SAMPLING.
 * `params` is an object of `len` bytes with "messages", "maxTokens", and the other
 * members that MCP's CreateMessageRequest has.
 *
 * Errors: MCPHOST_E_INVALID (`params` is not a JSON object), those of
 *   mcphost_provider_call_ask().
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_request_sampling(
    mcphost_provider_call *call, const char *params, size_t len, mcphost_answered_fn fn,
    MCPHOST_NULLABLE void *arg, MCPHOST_NULLABLE mcphost_free_fn free_arg,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_set_sampler - answer the sampling requests of a host, as a plugin.
 *
 * Use this function in a plugin (plugin.h) of the kind MCPHOST_PLUGIN_SAMPLING, from its
 * setup to its teardown.  Until the plugin ends, the host calls `fn` as it calls a
 * function of mcphost_set_sampler().  `fn` does not replace the sampler of the
 * application or of another plugin.  The application may replace the sampler of a plugin.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: after the last call of `fn`, or, if this function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID (`provider` or `fn` is NULL, or the provider does not belong
 *   to a plugin of the kind MCPHOST_PLUGIN_SAMPLING), MCPHOST_E_EXISTS (the host already
 *   has a sampler; the error names the owner of this sampler), MCPHOST_E_STATE
 *   (MCPHOST_OPT_REQUESTS did not allow sampling when the application loaded the host,
 *   so that servers know that the host offers no sampling), MCPHOST_E_CLOSED (the
 *   plugin is ending, or the host is closed), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_sampler(mcphost_provider *provider, mcphost_sampler_fn fn,
                             MCPHOST_NULLABLE void *arg,
                             MCPHOST_NULLABLE mcphost_free_fn free_arg,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
