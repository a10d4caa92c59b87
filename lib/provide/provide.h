/* SPDX-License-Identifier: MIT
 *
 * provide.h - interface of lib/provide: the server side of MCP.
 *
 * A *provider* is an application's own server: a set of features (tools, resources,
 * templates, prompts), each with a function that carries out its requests.  A
 * *connection* (connection.h) is one MCP connection on which the library is the server.
 * A connection speaks the protocol of either era with the client and passes requests to a
 * service, for example to a provider.
 *
 *   a request --carrier--> mcphost_provider_call --its function--> an answer --> carrier
 *
 * A *carrier* passes requests to a provider and receives the answers.  The library has
 * two carriers: a connection's service (service.c), and the host, which calls the
 * provider without a connection (host/carrying.c).  Both carriers use the same calls,
 * checks and limits.
 *
 * lib/provide does no I/O and knows no host, catalog or file.  Only the dispatcher calls
 * the functions that are marked "dispatcher only".  Any thread may call all other
 * functions.  "The lock" is the lock of the core.
 */
#ifndef MCPH_PROVIDE_H
#define MCPH_PROVIDE_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "rpc/rpc.h"
#include "schema/schema.h"
#include "uri/uri.h"

#include <mcphost/mcphost.h>

#define MCPH_PROVIDE_FEATURES 5 /* kinds + 1, because MCPHOST_FEATURE_* begin at 1 */

/* ---- features (feature.c) ----------------------------------------------------------
 * After mcph_provider_add(), a feature is immutable except for `link` and `completion`.
 * The provider and its calls hold references to the feature. */

struct mcph_feature {
    struct mcph_refs refs;
    struct mcph_list link; /* link in provider->features, under the lock */
    int kind;              /* one of MCPHOST_FEATURE_* */
    char *name;            /* the name, the URI or the URI template */
    size_t name_len;
    char *definition; /* the JSON object that a list shows */
    size_t definition_len;
    /* Tools only.  `output` may be NULL.  Without lib/schema, both are NULL. */
    mcphost_schema *input, *output;
    struct mcph_template *template; /* templates only: the parsed `name` */
    struct mcph_hook *hook;         /* calls an mcphost_provide_fn */
    struct mcph_hook *completion;   /* calls the completion function; may be NULL;
                                     * used under the lock */
};

/* Makes a feature from its definition and its function.  Takes ownership of `arg`, even
 * on failure.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_feature_new(int kind, struct mcph_span definition, mcphost_provide_fn fn,
                     void *arg, mcphost_free_fn free_arg, struct mcph_feature **ret,
                     mcphost_error **reterr);
struct mcph_feature *mcph_feature_ref(struct mcph_feature *feature);
/* Drops a reference and returns NULL.  Never call this function under the lock, because
 * the last drop runs `free_arg`.  `feature` may be NULL. */
struct mcph_feature *mcph_feature_unref(struct mcph_feature *feature);

/* ---- checks (check.c) --------------------------------------------------------------
 * These functions check results of the application and arguments of requests.  They
 * return 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT, MCPHOST_E_TIMEOUT (a check against a
 * schema took too long) or MCPHOST_E_NOMEM. */

enum {
    MCPH_PROVIDE_CALL,     /* tools/call */
    MCPH_PROVIDE_READ,     /* resources/read; the URI may match a template */
    MCPH_PROVIDE_GET,      /* prompts/get */
    MCPH_PROVIDE_COMPLETE, /* completion/complete */
    MCPH_PROVIDE_METHODS
};

/* Checks a whole result of `method`.  *ret_object becomes `json` without surrounding
 * white space. */
int mcph_provide_check_result(int method, struct mcph_span json,
                              struct mcph_span *ret_object, mcphost_error **reterr);
/* Checks arguments against the input schema of a tool.  `arguments` is a JSON object. */
int mcph_feature_check_arguments(const struct mcph_feature *tool,
                                 struct mcph_span arguments, mcphost_error **reterr);
/* Checks the structured content of a result against the output schema of a tool.  The
 * result must have passed mcph_provide_check_result(). */
int mcph_feature_check_output(const struct mcph_feature *tool, struct mcph_span result,
                              mcphost_error **reterr);
/* Checks that `arguments` has each argument that the prompt requires, and that all values
 * are strings. */
int mcph_feature_check_prompt(const struct mcph_feature *prompt,
                              struct mcph_span arguments, mcphost_error **reterr);

/* ---- providers (provider.c, life.c, news.c, settings.c) ---------------------------- */

/* A listener receives the events of a provider.  All functions are called in the
 * dispatcher only.  Each function may be NULL. */
struct mcph_listener;
struct mcph_listener_ops {
    /* Reports that setup has ended.  `error` is NULL if the provider can be used.  This
     * function is called at most once, never from inside mcph_provider_listen().  If the
     * provider is closed first, only `closing` is called. */
    void (*up)(struct mcph_listener *listener, mcphost_error *error);
    /* Reports that the lists of these features, 1u << MCPHOST_FEATURE_*, have changed. */
    void (*changed)(struct mcph_listener *listener, unsigned features);
    void (*updated)(struct mcph_listener *listener, struct mcph_span uri);
    /* Reports that the provider has logged a message.  `logger.p` may be NULL.  `data` is
     * JSON. */
    void (*logged)(struct mcph_listener *listener, int level, struct mcph_span logger,
                   struct mcph_span data);
    /* Reports that the provider was closed and takes no new calls.  If the provider was
     * closed before the call of mcph_provider_listen(), the function is called soon after
     * that call. */
    void (*closing)(struct mcph_listener *listener);
};

struct mcph_listener {
    struct mcph_list link; /* link in provider->listeners */
    const struct mcph_listener_ops *ops;
    bool is_told; /* `up` or `closing` was called */
};

enum {
    MCPH_PROVIDER_NEW,
    MCPH_PROVIDER_SETUP, /* setup is running or about to run */
    MCPH_PROVIDER_UP,
    MCPH_PROVIDER_FAILED,  /* setup returned an error */
    MCPH_PROVIDER_CLOSING, /* takes no new calls and waits for open calls */
    MCPH_PROVIDER_DOWN     /* teardown has run */
};

struct mcph_provider_news; /* defined in news.c */

/* A provider that watches its resources itself (lib/files) implements this struct
 * to learn which URIs are subscribed.  Each connection subscribes to a URI at most once.
 * The functions are called in the dispatcher only.  `subscribe` returns 0,
 * MCPHOST_E_NOTFOUND, MCPHOST_E_INVALID, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
struct mcph_topics {
    int (*subscribe)(struct mcph_topics *topics, struct mcph_span uri);
    void (*unsubscribe)(struct mcph_topics *topics, struct mcph_span uri);
};

struct mcphost_provider {
    struct mcph_refs refs;
    struct mcph_core *core; /* a reference */
    char *id;
    /* The members below are set before the provider starts. */
    char *about; /* a JSON object, or NULL */
    struct mcph_hook *life;
    mcphost_setup_fn setup;
    mcphost_teardown_fn teardown;
    struct json_t *defaults, *config; /* references to JSON objects, or NULL */
    /* Data of the caller that made the provider, for example the source that the provider
     * belongs to.  `release` frees the data and may be NULL. */
    void *owner;
    void (*release)(mcphost_provider *provider);
    /* `plugin` is the kind of a plugin, MCPHOST_PLUGIN_*, or 0 for any other provider.
     * `code` is a reference to the loaded code of a plugin's functions, or NULL.  The
     * provider keeps the reference until it is DOWN. */
    int plugin;
    struct json_t *config_shown; /* replaces `config` in the log, or NULL */
    struct mcph_code *code;

    /* The members below are used under the lock. */
    atomic_int state; /* MCPH_PROVIDER_*; in contrast to the other members, used
                       * without the lock; only the dispatcher changes the state */
    bool started;
    mcphost_error *why; /* the error if setup failed, else NULL */
    struct mcph_list
        features[MCPH_PROVIDE_FEATURES]; /* struct mcph_feature, in order of addition */
    struct mcph_map by_name[MCPH_PROVIDE_FEATURES];
    struct mcph_feature *recent;                     /* the feature that was found
                                                      * last, or NULL */
    struct mcph_frame *lists[MCPH_PROVIDE_FEATURES]; /* JSON lists, made on demand */
    uint64_t edition;                                /* counts additions and removals
                                                      * of features */
    size_t n_features;
    bool completes;                  /* true if a completion function was set */
    struct mcph_provider_news *news; /* events that are not reported yet; a posted job
                                      * reports them */
    bool closed;

    /* The members below are for the dispatcher only. */
    struct mcph_list listeners;
    struct mcph_list calls;     /* calls whose end was not reported yet: list of struct
                                 * mcphost_provider_call */
    struct mcph_topics *topics; /* functions for subscriptions, set from setup to teardown
                                 * of a provider that watches its resources; else NULL */
    struct mcph_job up_job;
    struct mcph_timer drain;
    bool was_set_up, is_ending, is_withdrawn;
    struct mcph_delivery life_delivery;
};

/* Makes a provider.  Returns 0, MCPHOST_E_INVALID (`id` is empty or not UTF-8) or
 * MCPHOST_E_NOMEM. */
int mcph_provider_new(struct mcph_core *core, const char *id, mcphost_provider **ret,
                      mcphost_error **reterr);
mcphost_provider *mcph_provider_ref(mcphost_provider *provider);
/* Releases a reference and returns NULL. */
mcphost_provider *mcph_provider_unref(mcphost_provider *provider);

/* These functions implement the public functions mcphost_provider_set_*(). */
int mcph_provider_set_about(mcphost_provider *provider, struct mcph_span json,
                            mcphost_error **reterr);
int mcph_provider_set_life(mcphost_provider *provider, mcphost_setup_fn setup,
                           mcphost_teardown_fn teardown, void *arg,
                           mcphost_free_fn free_arg);
/* These functions handle the configuration (settings.c). */
int mcph_provider_set_defaults(mcphost_provider *provider, struct mcph_span json,
                               mcphost_error **reterr);
int mcph_provider_set_config(mcphost_provider *provider, struct mcph_span json,
                             mcphost_error **reterr);
int mcph_provider_dup_config(mcphost_provider *provider, const char *path,
                             char **ret_json, size_t *ret_len);
void mcph_provider_log_config(mcphost_provider *provider);
/* Checks that the provider's kind of plugin may have features of the kind `feature`.  A
 * provider that is not a plugin may have any feature.  Returns 0 or MCPHOST_E_INVALID. */
int mcph_provider_check_kind(const mcphost_provider *provider, int feature,
                             mcphost_error **reterr);
/* Adds a feature.  Replaces a feature of the same kind and name, and keeps the completion
 * function of the replaced feature.  Takes over the reference to `feature`, even on
 * failure. */
int mcph_provider_add(mcphost_provider *provider, struct mcph_feature *feature);
int mcph_provider_remove(mcphost_provider *provider, int kind, struct mcph_span name);
/* Sets the completion function of a prompt or template.  Takes ownership of `arg`, even
 * on failure. */
int mcph_provider_set_completion(mcphost_provider *provider, int kind,
                                 struct mcph_span name, mcphost_provide_fn fn, void *arg,
                                 mcphost_free_fn free_arg);
/* These functions add events for the listeners (news.c). */
int mcph_provider_updated(mcphost_provider *provider, struct mcph_span uri);
int mcph_provider_log(mcphost_provider *provider, int level, struct mcph_span logger,
                      struct mcph_span data);
void mcph_provider_note_changed_locked(mcphost_provider *provider, int kind);

/* Makes a JSON array of all definitions of a kind, in the order of their addition.  The
 * caller gets a reference.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_provider_list(mcphost_provider *provider, int kind, struct mcph_frame **ret);
/* Returns a bit 1u << MCPHOST_FEATURE_* for each kind of which the provider has a
 * feature. */
unsigned mcph_provider_kinds(mcphost_provider *provider);
bool mcph_provider_completes(mcphost_provider *provider);

/* ---- life (life.c), dispatcher only ------------------------------------------------ */

/* Adds a listener for the events of the provider.  The first listener starts the
 * setup. */
void mcph_provider_listen(mcphost_provider *provider, struct mcph_listener *listener);
void mcph_provider_unlisten(mcphost_provider *provider, struct mcph_listener *listener);
/* Closes the provider as soon as it has no listener.  Call this function when no catalog
 * has the provider any more.  A connection that still listens keeps the provider open, so
 * that open calls can finish. */
void mcph_provider_withdraw(mcphost_provider *provider);
/* Closes the provider to new calls.  Cancels open calls that are not answered within
 * `drain_ms` (-1 means no limit).  Then runs the teardown.  A second
 * mcph_provider_close() is allowed: it cancels the open calls at once if its `drain_ms`
 * is 0, and else changes nothing. */
void mcph_provider_close(mcphost_provider *provider, int64_t drain_ms);

/* ---- calls (call.c) ---------------------------------------------------------------- */

struct mcph_ask_out;

/* The party that passes a request to a provider and receives the answer.  All functions
 * run in the dispatcher, except `asks` and `free`. */
struct mcph_carrier {
    /* Reports that the call was answered.  Its `code`, and `result` or `error`, are set.
     * The function is called once, unless the carrier abandoned the call.  The function
     * must drop the carrier's reference. */
    void (*answered)(mcphost_provider_call *call);
    /* Reports the progress of an open call.  `total` is NaN if the total is not known.
     * `text` may be NULL.  This function may be NULL. */
    void (*progress)(mcphost_provider_call *call, double progress, double total,
                     const char *text);
    /* Returns true if the client side answers requests of this kind, MCPHOST_REQUEST_*.
     * The function is called from any thread.  A NULL function means that the client side
     * answers no requests. */
    bool (*asks)(const mcphost_provider_call *call, int kind);
    /* `ask` sends a question.  The carrier must call mcph_ask_out_answer() at once or
     * later.  `unask` withdraws a question, because the call is over.  After `unask`,
     * the carrier must not call mcph_ask_out_answer(). */
    void (*ask)(mcphost_provider_call *call, struct mcph_ask_out *ask);
    void (*unask)(mcphost_provider_call *call, struct mcph_ask_out *ask);
    /* Frees the call's memory when the last reference is dropped.  The function is called
     * from any thread, but never under the lock. */
    void (*free)(mcphost_provider_call *call);
};

enum { MCPH_PROVIDING_OPEN, MCPH_PROVIDING_ANSWERED, MCPH_PROVIDING_OVER };

struct mcph_providing_more; /* holds progress, questions and watch (more.c) */

/* One request to a provider.  The carrier owns the memory.  Texts end with a NUL and live
 * as long as the call. */
struct mcphost_provider_call {
    struct mcph_refs refs;
    struct mcph_refs users; /* references of the application, and the reference of the
                             * running function */
    const struct mcph_carrier *carrier;
    mcphost_provider *provider;   /* a reference */
    struct mcph_feature *feature; /* a reference */
    struct mcph_hook *hook;       /* a reference to the function that runs, or NULL */
    int method;                   /* one of MCPH_PROVIDE_* */
    bool wants_progress;
    struct mcph_span name, arguments, meta; /* `arguments` is an object */
    struct mcph_span argument, value;       /* for completion only */
    const char *dialog;                     /* id of the dialog; NULL if the call
                                             * belongs to no dialog of this host */

    struct mcph_list link; /* link in provider->calls; dispatcher only */
    struct mcph_delivery run;
    struct mcph_job settle;
    _Atomic(uintptr_t) runner; /* the thread that runs the call's function, or 0 */
    atomic_int state;          /* MCPH_PROVIDING_*; changes from OPEN under the lock */
    atomic_bool unwanted;
    struct mcph_providing_more *more; /* extra state, used under the lock; may be NULL */

    /* The answer to the call. */
    int code; /* result code, 0 or MCPHOST_E_* */
    mcphost_error *error;
    struct mcph_frame *frame;
    struct mcph_span result; /* points into `frame` */
};

/* The feature and the function that carry out a request. */
struct mcph_provide_target {
    struct mcph_feature *feature; /* a reference */
    struct mcph_hook *hook;       /* a reference; for COMPLETE it may be NULL */
    struct mcph_buf variables;    /* a JSON object if a template matched, else empty */
};

/* Finds the feature and the function for `method` and `name`.  `name` is a URI for READ.
 * For COMPLETE it is the name of a prompt or a URI template, depending on `kind`.  Other
 * methods ignore `kind`.  Returns 0, MCPHOST_E_NOTFOUND or MCPHOST_E_NOMEM. */
int mcph_provider_find(mcphost_provider *provider, int method, int kind,
                       struct mcph_span name, struct mcph_provide_target *ret);
void mcph_provide_target_done(struct mcph_provide_target *target);

/* Starts a call, in the dispatcher only.  The carrier has zeroed the call and has set
 * `carrier`, `method` and the texts.  On success, the carrier holds one reference to the
 * call.  The call takes over the references in `target`.  The provider's function runs in
 * a delivery.  Returns MCPHOST_E_CLOSED if the provider takes no calls.  After
 * MCPHOST_E_CLOSED, the carrier still owns the call, and `target` still owns its
 * references. */
int mcph_provider_begin(mcphost_provider *provider, mcphost_provider_call *call,
                        struct mcph_provide_target *target);
/* Abandons a call whose answer the carrier does not want any more, in the dispatcher
 * only.  Queues the function that was set by mcph_providing_watch().  Drops the carrier's
 * reference.  Does nothing if `answered` was called for this call before.  After this
 * function returns, `asks` and `free` are the only functions of the carrier that are
 * called for this call. */
void mcph_providing_abandon(mcphost_provider_call *call);

/* Drops a reference of the carrier. */
void mcph_providing_put(mcphost_provider_call *call);
/* These functions take and drop references of the application, on any thread.  If the
 * last of these references is dropped while the call is still open, the call fails. */
void mcph_providing_get_user(mcphost_provider_call *call);
void mcph_providing_put_user(mcphost_provider_call *call);
/* These functions implement the public functions mcphost_provider_call_*(), on any
 * thread. */
int mcph_providing_answer(mcphost_provider_call *call, struct mcph_span json,
                          mcphost_error **reterr);
/* Answers the call with a whole result.  Does not check the result, because the library
 * has made or checked the result before.  Takes over the reference to `frame`, even on
 * failure. */
int mcph_providing_answer_frame(mcphost_provider_call *call, struct mcph_frame *frame);
int mcph_providing_answer_text(mcphost_provider_call *call, struct mcph_span text,
                               bool is_error);
int mcph_providing_fail(mcphost_provider_call *call, int64_t rpc_code,
                        const char *message, struct mcph_span data);
int mcph_providing_report(mcphost_provider_call *call, double progress, double total,
                          const char *text, size_t len);
bool mcph_providing_is_unwanted(const mcphost_provider_call *call);
/* Sets the function that is called if the call is cancelled.  Replaces an earlier
 * function.  Takes ownership of `arg`, even on failure.  Returns 0, MCPHOST_E_STATE (the
 * call is not open), MCPHOST_E_NOMEM or the code of mcph_core_enter_closed(). */
int mcph_providing_watch(mcphost_provider_call *call, mcphost_unwanted_fn fn, void *arg,
                         mcphost_free_fn free_arg);

/* ---- progress (report.c) -----------------------------------------------------------
 * The dispatcher passes on the progress reports of providers and built-in tools. */

struct mcph_provide_report;
struct mcph_reporter {
    struct mcph_core *core;
    struct mcph_provide_report
        *posted; /* the report that waits for the dispatcher; under the lock */
    /* `keep` runs under the lock when a report is posted.  `keep` keeps the reporter
     * alive until `tell` runs.  `tell` runs in the dispatcher and may free the
     * reporter. */
    void (*keep)(struct mcph_reporter *reporter);
    void (*tell)(struct mcph_reporter *reporter, double progress, double total,
                 const char *text);
};

/* Makes a report.  Returns NULL if memory is short. */
struct mcph_provide_report *mcph_provide_report_new(double progress, double total,
                                                    const char *text, size_t len);
void mcph_provide_report_free(struct mcph_provide_report *report); /* NULL is allowed */
/* Posts the report, or copies it into the report that is posted already.  Returns a
 * report that is no longer needed, or NULL.  Free the returned report after the lock is
 * released. */
struct mcph_provide_report *
mcph_provide_report_post_locked(struct mcph_reporter *reporter,
                                struct mcph_provide_report *report);

/* ---- asking the client side (ask.c) ------------------------------------------------ */

#define MCPH_ASKS_MAX 16 /* limit on open questions of one call */

struct mcph_ask_out {
    mcphost_provider_call *call; /* a reference */
    int kind;                    /* one of MCPHOST_REQUEST_* */
    char *params;                /* a JSON object with a NUL at its end, or NULL */
    size_t params_len;
    void *carried; /* data of the carrier */

    /* Only ask.c uses the members below. */
    mcphost_answered_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
    struct mcph_list link; /* link in the list of the call's open questions; dispatcher
                            * only */
    struct mcph_job job;
    struct mcph_delivery delivery;
    int code;
    char *result;
    size_t result_len;
    mcphost_error *error;
};

/* Asks a question.  Implements mcphost_provider_call_ask().  Takes ownership of `arg`,
 * even on failure. */
int mcph_providing_ask(mcphost_provider_call *call, int kind, struct mcph_span params,
                       mcphost_answered_fn fn, void *arg, mcphost_free_fn free_arg,
                       mcphost_error **reterr);
/* Returns the method of a server's request of this kind, MCPHOST_REQUEST_*.  Returns NULL
 * if servers make no requests of this kind (asks.c). */
const char *mcph_ask_method(int kind);
/* Ends a question, in the dispatcher only.  If `code` is 0, `result` is copied.
 * Otherwise `error` is borrowed and may be NULL. */
void mcph_ask_out_answer(struct mcph_ask_out *ask, int code, struct mcph_span result,
                         mcphost_error *error);
#endif
