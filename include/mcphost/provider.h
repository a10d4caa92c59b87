/* SPDX-License-Identifier: MIT
 *
 * provider.h - the application's own tools, resources and prompts, as a server in
 * process.
 *
 *   new -> set, add -> start -> (add, remove, updated at any time) -> close -> unref
 *
 * A provider is a server of its source: it stands in catalogs, grants, status, events and
 * problems as any other, and filters and names apply to it.  Its calls are carried out by
 * the application's functions, from dispatch, without a process or a wire.
 *
 * All functions may be called from any thread.
 */
#ifndef MCPHOST_PROVIDER_H
#define MCPHOST_PROVIDER_H

#include <mcphost/request.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a provider can have.  Since: 0.1 */
enum mcphost_feature {
    MCPHOST_FEATURE_TOOL = 1,
    MCPHOST_FEATURE_RESOURCE = 2,
    MCPHOST_FEATURE_TEMPLATE = 3, /* of resources */
    MCPHOST_FEATURE_PROMPT = 4
};

/*
 * mcphost_provide_fn - carries out a request.
 *
 * Runs from dispatch.  The function answers with one of the functions of
 * <mcphost/provider_call.h>, at once or later from any thread (it then keeps a reference
 * to `call`), or refuses by returning a negative code, with which the call fails.
 * Since: 0.1
 */
typedef int (*mcphost_provide_fn)(mcphost_provider_call *call,
                                  MCPHOST_NULLABLE void *arg);

/*
 * mcphost_setup_fn, mcphost_teardown_fn - the beginning and the end of a provider.
 *
 * Both run from dispatch, and teardown perhaps from the last mcphost_unref() of the host:
 * setup once, before anything is asked of the provider; teardown once, if setup
 * succeeded, when nothing more is asked and each call has been answered or dropped.
 * Setup may add features and start threads.  If it returns a negative code, the provider
 * cannot be used; an error with the reason may be stored through `reterr`.
 * Since: 0.1
 */
typedef int (*mcphost_setup_fn)(mcphost_provider *provider, MCPHOST_NULLABLE void *arg,
                                MCPHOST_OWNED mcphost_error **reterr);
typedef void (*mcphost_teardown_fn)(mcphost_provider *provider,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_new - a provider that will be a server of a source.
 *
 * `id` is the server's id: not empty, UTF-8.  *ret_provider gets a reference.  Nothing is
 * shown before mcphost_provider_start().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS (the source has a provider of this id),
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_new(mcphost_source *source, const char *id,
                     MCPHOST_OWNED mcphost_provider **ret_provider,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_new_in_view - a provider that one view shows, and no other.
 *
 * The same in a source of the provider's own, whose id is `id`, and which becomes the
 * last layer of the view, when the provider starts.  The source goes with the provider.
 *
 * Returns 0, MCPHOST_E_INVALID (also a view without layers of its own, and an id that no
 * source can have), MCPHOST_E_EXISTS (there is a source of this id), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_new_in_view(mcphost_view *view, const char *id,
                             MCPHOST_OWNED mcphost_provider **ret_provider,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_ref(MCPHOST_NULLABLE mcphost_provider *provider);

/* Drops a reference.  A provider that was started exists until it is closed.  A provider
 * that was not started is freed with its last reference.  Returns NULL; NULL is allowed.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_provider *
mcphost_provider_unref(MCPHOST_NULLABLE mcphost_provider *provider);

/* The server's id.  NULL for NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_provider_get_id(MCPHOST_NULLABLE const mcphost_provider *provider);

/*
 * mcphost_provider_set_about - what the provider says of itself.
 *
 * `json` is an object of `len` bytes with any of "name", "version", "title",
 * "description", "instructions" (strings) and "icons" (an array), as in MCP's
 * Implementation.  Before the start.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (it was started), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_about(mcphost_provider *provider, const char *json, size_t len,
                           MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_set_life - what runs at its beginning and its end.
 *
 * `setup` and `teardown` may be NULL.  To be called before the start.  Takes over `arg`
 * whatever it returns: `free_arg` (may be NULL) runs once, after the teardown; without a
 * teardown, when the provider is freed.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_STATE (it was started), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_set_life(mcphost_provider *provider,
                                          MCPHOST_NULLABLE mcphost_setup_fn setup,
                                          MCPHOST_NULLABLE mcphost_teardown_fn teardown,
                                          MCPHOST_NULLABLE void *arg,
                                          MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_set_defaults, mcphost_provider_set_config - its configuration.
 *
 * Each takes a JSON object of `len` bytes; a second one replaces the first.  Integers
 * must fit an int64_t, other numbers a double.  The effective configuration is the
 * defaults with the configuration over them, object by object: a member that is an object
 * in both is merged, any other member of the configuration takes the place of the
 * default.  It is logged once, at the beginning, without the values of members whose
 * names say that they are secret.  Before the start.
 *
 * Return 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (more than 1 MiB), MCPHOST_E_STATE (it was
 * started), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_defaults(mcphost_provider *provider, const char *json, size_t len,
                              MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);
MCPHOST_API int
mcphost_provider_set_config(mcphost_provider *provider, const char *json, size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_dup_config - a part of the effective configuration.
 *
 * `path` names it member by member, with dots between them, such as
 * "tool_configs.search.limit"; "" is all of it.  *ret_json gets a JSON value with a NUL
 * behind its *ret_len bytes (may be NULL), for mcphost_free().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_dup_config(mcphost_provider *provider, const char *path,
                                            MCPHOST_OWNED char **ret_json,
                                            MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_provider_add - add a tool, a resource, a template or a prompt.
 *
 * `definition` is a JSON object of `len` bytes, which is copied: what a server would list
 * (MCP's Tool, Resource, ResourceTemplate, Prompt).  A tool needs "name" and
 * "inputSchema", a resource "uri", a template "uriTemplate", a prompt "name"; resources
 * and templates need a "name", too.  Schemas must compile.  A feature of this kind and
 * name (URI, template) is replaced, and keeps its place in the list.
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, when nothing
 * needs the feature any more: it was removed or replaced, or the provider has ended, and
 * each call that `fn` was given has been released.  It runs on the thread that releases
 * the last of them.
 *
 * Returns 0, MCPHOST_E_INVALID (the definition is wrong), MCPHOST_E_LIMIT (more than
 * 4 MiB, 100,000 features, or a schema that is too expensive), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_add(mcphost_provider *provider, int feature, const char *definition,
                     size_t len, mcphost_provide_fn fn, MCPHOST_NULLABLE void *arg,
                     MCPHOST_NULLABLE mcphost_free_fn free_arg,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_remove - remove one, by its name, URI or template.
 *
 * Calls that it has are answered all the same.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND, MCPHOST_E_CLOSED, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_remove(mcphost_provider *provider, int feature,
                                        const char *name);

/*
 * mcphost_provider_set_completion - complete arguments of a prompt or a template.
 *
 * `fn` is asked for values of the prompt's argument, or the template's variable, that
 * begin in some way; it answers with a whole result {"completion": {"values": [...]}}.
 * Takes over `arg`, as mcphost_provider_add().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND, MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_provider_set_completion(mcphost_provider *provider, int feature, const char *name,
                                mcphost_provide_fn fn, MCPHOST_NULLABLE void *arg,
                                MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_provider_updated - a resource has changed.
 *
 * Tells those who have subscribed to the URI.  Updates of one URI that follow each other
 * at once may be told as one.
 *
 * Returns 0, MCPHOST_E_INVALID (not UTF-8, empty or too long), MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_updated(mcphost_provider *provider, const char *uri);

/*
 * mcphost_provider_log - a log message of the provider (MCP, "Logging").
 *
 * `level` is one of MCPHOST_MESSAGES_*, but not UNASKED; `logger` may be NULL.  `data` is
 * a JSON value of `len` bytes.  Clients that asked for messages of this level, or of a
 * lower one, are sent it, unless they do not read what they are sent; in a host,
 * MCPHOST_EVENT_LOG tells of it.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (more than 64 KiB, or too many that are
 * not told yet), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_log(mcphost_provider *provider, int level,
                                     MCPHOST_NULLABLE const char *logger,
                                     const char *data, size_t len);

/*
 * mcphost_provider_start - show it.
 *
 * The source gets a server of this id in front of those of its files; a server of the
 * same id there is left out, and a problem says so.  Its state is told by events as that
 * of any server.
 *
 * Returns 0, MCPHOST_E_STATE (it was started), MCPHOST_E_CLOSED, MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_start(mcphost_provider *provider);

/*
 * mcphost_provider_close - withdraw it.
 *
 * Catalogs lose its features; calls in flight are finished first, up to the drain
 * deadline of its source (MCPHOST_OPT_DRAIN); then the teardown runs.  Closing a host or
 * removing a source does the same to its providers.  Returns at once.
 *
 * Returns 0 (also if it was closed before), MCPHOST_E_FORKED, MCPHOST_E_NOMEM (it goes on
 * and may be closed again).
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_close(mcphost_provider *provider);

/*
 * mcphost_answered_fn - what the client side said.
 *
 * Runs from dispatch, or from the last mcphost_unref() of the host, exactly once for each
 * request that was accepted.  `code` is 0 and `json` the result of `len` bytes, valid
 * during this call; or `code` is negative, `json` is NULL and `error` says why.
 * Since: 0.1
 */
typedef void (*mcphost_answered_fn)(mcphost_provider_call *call, int code,
                                    MCPHOST_NULLABLE const char *json, size_t len,
                                    MCPHOST_NULLABLE const mcphost_error *error,
                                    MCPHOST_NULLABLE void *arg);

/*
 * mcphost_provider_request_sampling - ask the client side for a text of its model.
 *
 * `params` is an object of `len` bytes with "messages" and "maxTokens", and what else
 * MCP's CreateMessageRequest has.  The answer comes to `fn` while the call is open.
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, behind `fn`.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_DENIED (the client side answers no such
 * requests), MCPHOST_E_STATE (the call was answered or is over), MCPHOST_E_LIMIT (too
 * many requests of this call are open), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_provider_request_sampling(
    mcphost_provider_call *call, const char *params, size_t len, mcphost_answered_fn fn,
    MCPHOST_NULLABLE void *arg, MCPHOST_NULLABLE mcphost_free_fn free_arg,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_provider_set_sampler - give the host its sampler.
 *
 * For a plugin (plugin.h) of the kind MCPHOST_PLUGIN_SAMPLING, from its setup to its
 * teardown.  As mcphost_set_sampler(), but the sampler goes with the plugin, and it takes
 * the place of no other: a host whose application or another plugin has set one refuses
 * it.  The application may still put its own in this one's place.  Takes over `arg`
 * whatever it returns: `free_arg` (may be NULL) runs once, after the function's last
 * call, or before this returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID (also of another kind of plugin), MCPHOST_E_EXISTS (the
 * error says whose sampler there is), MCPHOST_E_STATE (servers were told before that
 * nobody samples), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
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
