/* SPDX-License-Identifier: MIT
 *
 * addon.c - a host in the event loop of Node.js.
 *
 *   const { Host } = require('./addon.node');
 *   const host = new Host(workspace);
 *   await host.ready();
 *   const result = JSON.parse(await host.call('tool', '{"n":1}'));
 *   await host.close();
 *
 * A JavaScript program cannot poll a descriptor that Node.js did not open.  An addon gets
 * the loop of libuv from Node-API and attaches the host to the loop.  The addon settles
 * promises on the thread of JavaScript, because the loop dispatches the host on this
 * thread.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/adapters/libuv.h>
#include <mcphost/mcphost.h>

struct host {
    napi_env env;
    napi_ref self; /* keeps the JavaScript object while the host runs */
    napi_async_context async;
    mcphost *host;
    mcphost_dialog *dialog;
    struct mcphost_libuv *attached;
    napi_deferred ready, closed;
    int is_ready, is_over;
};

/* The promise of a call's result. */
struct promised {
    struct host *host;
    napi_deferred deferred;
};

/* ---- settling promises ------------------------------------------------------------- */

static napi_value
make_text(napi_env env, const char *text, size_t len)
{
    napi_value value = NULL;

    napi_create_string_utf8(env, text, len, &value);
    return value;
}

static napi_value
make_error(napi_env env, int code, mcphost_error *err)
{
    const char *name = mcphost_enum_get_name(MCPHOST_ENUM_ERROR_CODE, code);
    const char *text = err ? mcphost_error_get_message(err) : mcphost_strerror(code);
    napi_value value = NULL;

    napi_create_error(env, make_text(env, name ? name : "unknown", NAPI_AUTO_LENGTH),
                      make_text(env, text, NAPI_AUTO_LENGTH), &value);
    return value;
}

/* The scope of a callback that settles promises.  When the scope closes, the JavaScript
 * code that waits for the promises runs. */
struct scope {
    napi_handle_scope handles;
    napi_callback_scope callback;
};

static void
scope_open(const struct host *host, struct scope *scope)
{
    napi_value self = NULL;

    napi_open_handle_scope(host->env, &scope->handles);
    napi_get_reference_value(host->env, host->self, &self);
    napi_open_callback_scope(host->env, self, host->async, &scope->callback);
}

static void
scope_close(const struct host *host, struct scope *scope)
{
    napi_close_callback_scope(host->env, scope->callback);
    napi_close_handle_scope(host->env, scope->handles);
}

static void
settle(napi_env env, napi_deferred *deferred, napi_value value)
{
    if (!*deferred)
        return;
    if (!value)
        napi_get_undefined(env, &value);
    napi_resolve_deferred(env, *deferred, value);
    *deferred = NULL;
}

/* ---- the callbacks of the host ----------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    struct host *host = arg;
    struct scope scope;

    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_READY)
        return;
    host->is_ready = 1;
    scope_open(host, &scope);
    settle(host->env, &host->ready, NULL);
    scope_close(host, &scope);
}

static void
on_done(mcphost_call *call, void *arg)
{
    struct promised *promised = arg;
    const struct host *host = promised->host;
    mcphost_result *result = mcphost_call_get_result(call);
    mcphost_error *err = mcphost_call_get_error(call);
    struct scope scope;
    size_t len;

    scope_open(host, &scope);
    if (result) {
        const char *json = mcphost_result_get_json(result, &len);

        napi_resolve_deferred(host->env, promised->deferred,
                              make_text(host->env, json ? json : "null", json ? len : 4));
    } else {
        napi_reject_deferred(host->env, promised->deferred,
                             make_error(host->env, mcphost_error_get_code(err), err));
    }
    scope_close(host, &scope);
}

/* Settles the promises of ready() and close() when the host has ended.  Detaches the
 * host, so that the loop of JavaScript can end. */
static void
on_ended(mcphost *ended, int code, void *arg)
{
    struct host *host = arg;
    struct scope scope;

    (void)ended;
    (void)code;
    host->is_over = 1;
    scope_open(host, &scope);
    settle(host->env, &host->ready, NULL);
    settle(host->env, &host->closed, NULL);
    scope_close(host, &scope);
    mcphost_libuv_detach(host->attached);
    host->attached = NULL;
    napi_reference_unref(host->env, host->self, NULL); /* lets the object be collected */
}

/* ---- the class --------------------------------------------------------------------- */

/* Frees the host when the environment ends or the object is collected.  Servers that
 * still run are killed. */
static void
clean_up(void *arg)
{
    struct host *host = arg;

    mcphost_libuv_detach(host->attached);
    host->attached = NULL;
    host->dialog = mcphost_dialog_unref(host->dialog);
    host->host = mcphost_unref(host->host);
}

static void
finalize(napi_env env, void *data, void *hint)
{
    struct host *host = data;

    (void)hint;
    napi_remove_env_cleanup_hook(env, clean_up, host);
    clean_up(host);
    if (host->async)
        napi_async_destroy(env, host->async);
    if (host->self)
        napi_delete_reference(env, host->self);
    free(host);
}

/* Returns the text of an argument, or NULL.  The caller frees the text. */
static char *
get_text(napi_env env, napi_value value)
{
    size_t len = 0;
    char *text;

    if (napi_get_value_string_utf8(env, value, NULL, 0, &len) != napi_ok)
        return NULL;
    text = malloc(len + 1);
    if (text)
        napi_get_value_string_utf8(env, value, text, len + 1, &len);
    return text;
}

static int
start_host(struct host *host, const char *dir, const char *guard, mcphost_error **reterr)
{
    uv_loop_t *loop = NULL;
    int r = mcphost_new(&host->host, reterr);

    if (r == 0 && guard)
        r = mcphost_set_guard_path(host->host, guard);
    if (r == 0)
        r = mcphost_set_event(host->host, on_event, host, NULL);
    if (r == 0)
        r = mcphost_load_workspace(host->host, dir, NULL, reterr);
    if (r == 0)
        r = mcphost_dialog_new(mcphost_default_view(host->host), "node", NULL,
                               &host->dialog, reterr);
    if (r == 0 && napi_get_uv_event_loop(host->env, &loop) != napi_ok)
        r = MCPHOST_E_STATE;
    if (r == 0)
        r = mcphost_libuv_attach(host->host, loop, on_ended, host, &host->attached);
    return r;
}

/* Makes the object of `new Host(workspace[, pathOfTheGuard])`. */
static napi_value
construct(napi_env env, napi_callback_info info)
{
    struct host *host = calloc(1, sizeof(*host));
    mcphost_error *err = NULL;
    napi_value args[2] = {NULL}, self = NULL;
    char *dir, *guard;
    size_t n = 2;
    int r;

    napi_get_cb_info(env, info, &n, args, &self, NULL);
    dir = get_text(env, args[0]);
    guard = get_text(env, args[1]);
    if (!host || !dir) {
        free(host);
        free(dir);
        free(guard);
        napi_throw_type_error(env, NULL, "a directory is needed");
        return NULL;
    }
    host->env = env;
    napi_async_init(env, self, make_text(env, "mcphost", NAPI_AUTO_LENGTH), &host->async);
    r = start_host(host, dir, guard, &err);
    free(dir);
    free(guard);
    napi_wrap(env, self, host, finalize, NULL, NULL);
    napi_add_env_cleanup_hook(env, clean_up, host);
    napi_create_reference(env, self, r == 0, &host->self);
    if (r < 0)
        napi_throw(env, make_error(env, r, err));
    mcphost_error_unref(err);
    return self;
}

static struct host *
get_host(napi_env env, napi_callback_info info, size_t *n, napi_value *args)
{
    struct host *host = NULL;
    napi_value self = NULL;

    napi_get_cb_info(env, info, n, args, &self, NULL);
    if (napi_unwrap(env, self, (void **)&host) != napi_ok)
        napi_throw_type_error(env, NULL, "not a Host");
    return host;
}

/* Returns the promise of host.ready().  The promise is resolved when each server has
 * started or failed, or when the host has ended. */
static napi_value
ready(napi_env env, napi_callback_info info)
{
    size_t n = 0;
    struct host *host = get_host(env, info, &n, NULL);
    napi_deferred deferred;
    napi_value promise = NULL;

    if (!host)
        return NULL;
    napi_create_promise(env, &deferred, &promise);
    if (host->is_ready || host->is_over)
        settle(env, &deferred, NULL);
    else if (host->ready) /* only one promise can wait */
        napi_reject_deferred(env, deferred, make_error(env, MCPHOST_E_STATE, NULL));
    else
        host->ready = deferred;
    return promise;
}

/* Starts the call of host.call(tool, arguments).  Returns a promise of the result as
 * JSON. */
static napi_value
call(napi_env env, napi_callback_info info)
{
    struct promised *promised = calloc(1, sizeof(*promised));
    napi_value args[2] = {NULL}, promise = NULL;
    mcphost_error *err = NULL;
    mcphost_call *made = NULL;
    napi_deferred deferred;
    char *tool, *json;
    size_t n = 2;
    int r;

    if (!promised)
        return NULL;
    promised->host = get_host(env, info, &n, args);
    if (!promised->host) {
        free(promised);
        return NULL;
    }
    napi_create_promise(env, &deferred, &promise);
    promised->deferred = deferred;
    tool = get_text(env, args[0]);
    json = get_text(env, args[1]);
    r = mcphost_call_new(promised->host->dialog, tool, json, json ? strlen(json) : 0,
                         &made, &err);
    if (r == 0)
        r = mcphost_call_start(made, on_done, promised, free);
    else
        free(promised);
    if (r < 0)
        napi_reject_deferred(env, deferred, make_error(env, r, err));
    mcphost_call_unref(made);
    mcphost_error_unref(err);
    free(tool);
    free(json);
    return promise;
}

/* Closes the host for host.close().  Returns a promise that is resolved when all servers
 * have ended. */
static napi_value
close_host(napi_env env, napi_callback_info info)
{
    size_t n = 0;
    struct host *host = get_host(env, info, &n, NULL);
    napi_deferred deferred;
    napi_value promise = NULL;

    if (!host)
        return NULL;
    napi_create_promise(env, &deferred, &promise);
    mcphost_close(host->host);
    if (host->is_over)
        settle(env, &deferred, NULL);
    else if (host->closed)
        napi_reject_deferred(env, deferred, make_error(env, MCPHOST_E_STATE, NULL));
    else
        host->closed = deferred;
    return promise;
}

NAPI_MODULE_INIT()
{
    const napi_property_descriptor members[] = {
        {.utf8name = "ready", .method = ready, .attributes = napi_default_method},
        {.utf8name = "call", .method = call, .attributes = napi_default_method},
        {.utf8name = "close", .method = close_host, .attributes = napi_default_method},
    };
    napi_value class_of = NULL;

    napi_define_class(env, "Host", NAPI_AUTO_LENGTH, construct, NULL,
                      sizeof(members) / sizeof(*members), members, &class_of);
    napi_set_named_property(env, exports, "Host", class_of);
    return exports;
}
