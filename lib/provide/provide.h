/* SPDX-License-Identifier: MIT
 *
 * provide.h - the room `provide`: the server's side of MCP.
 *
 * Two things.  A *provider* is what an application offers: features (tools, resources,
 * templates, prompts) with functions that carry requests out.  A *connection*
 * (connection.h) is one MCP connection as a server: it speaks the protocol of either era
 * with a client, for a service, which may be a provider.
 *
 *   a request --carrier--> mcphost_provider_call --its function--> an answer --> carrier
 *
 * A *carrier* passes a request to a provider: a connection, or the host by the short
 * way (host/carrying.c).  Both use the same calls, checks and limits.
 *
 * The room is sans-I/O and knows no host, catalog or file.  What belongs to the
 * dispatcher is said so; everything else may be used by any thread.  The lock is that of
 * the core.
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

#define MCPH_PROVIDE_FEATURES 5 /* MCPHOST_FEATURE_*, counted from 1 */

/* ---- features (feature.c) ----------------------------------------------------------
 * Immutable but for `completion`; referenced by the provider and by calls. */

struct mcph_feature {
    struct mcph_refs refs;
    struct mcph_list link; /* in the provider's, under the lock */
    int kind;              /* MCPHOST_FEATURE_* */
    char *name;            /* or URI, or template */
    size_t name_len;
    char *definition; /* as it is listed */
    size_t definition_len;
    mcphost_schema *input, *output; /* of a tool; output NULL: none */
    struct mcph_template *template; /* of a template; its text is `name` */
    struct mcph_hook *hook;         /* mcphost_provide_fn */
    struct mcph_hook *completion;   /* likewise, or NULL; under the provider's lock */
};

/* Takes over `arg` whatever it returns.  0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT,
 * MCPHOST_E_NOMEM. */
int mcph_feature_new(int kind, struct mcph_span definition, mcphost_provide_fn fn,
                     void *arg, mcphost_free_fn free_arg, struct mcph_feature **ret,
                     mcphost_error **reterr);
struct mcph_feature *mcph_feature_ref(struct mcph_feature *feature);
/* The last one runs `free_arg`, so never under the lock.  Returns NULL; NULL is fine. */
struct mcph_feature *mcph_feature_unref(struct mcph_feature *feature);

/* ---- checks (check.c) --------------------------------------------------------------
 * Of what an application says, whose author can mend it.  0, MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */

enum {
    MCPH_PROVIDE_CALL,     /* of a tool */
    MCPH_PROVIDE_READ,     /* of a resource, which a template may have */
    MCPH_PROVIDE_GET,      /* of a prompt */
    MCPH_PROVIDE_COMPLETE, /* of a prompt's argument, or a template's variable */
    MCPH_PROVIDE_METHODS
};

/* A whole result of a method.  `ret_object` loses the white space around it. */
int mcph_provide_check_result(int method, struct mcph_span json,
                              struct mcph_span *ret_object, mcphost_error **reterr);
/* Arguments, an object, against the input schema of a tool. */
int mcph_feature_check_arguments(const struct mcph_feature *tool,
                                 struct mcph_span arguments, mcphost_error **reterr);
/* A checked result against the output schema of a tool. */
int mcph_feature_check_output(const struct mcph_feature *tool, struct mcph_span result,
                              mcphost_error **reterr);
/* Whether a prompt has each argument that it requires, and all are strings. */
int mcph_feature_check_prompt(const struct mcph_feature *prompt,
                              struct mcph_span arguments, mcphost_error **reterr);

/* ---- providers (provider.c, life.c, news.c, settings.c) ---------------------------- */

/* Is told the news of a provider; the dispatcher's.  Each function may be NULL. */
struct mcph_listener;
struct mcph_listener_ops {
    /* Setup has ended; `error` NULL: it can be used.  Told once, not from inside
     * mcph_provider_listen(). */
    void (*up)(struct mcph_listener *listener, mcphost_error *error);
    /* Lists of these features are others now: bits 1u << MCPHOST_FEATURE_*. */
    void (*changed)(struct mcph_listener *listener, unsigned features);
    void (*updated)(struct mcph_listener *listener, struct mcph_span uri);
    /* `logger` p NULL: none; `data` is JSON. */
    void (*logged)(struct mcph_listener *listener, int level, struct mcph_span logger,
                   struct mcph_span data);
    /* It was closed: no new call is taken. */
    void (*closing)(struct mcph_listener *listener);
};

struct mcph_listener {
    struct mcph_list link; /* in provider->listeners */
    const struct mcph_listener_ops *ops;
    bool told_up;
};

enum {
    MCPH_PROVIDER_NEW,
    MCPH_PROVIDER_SETUP, /* on its way */
    MCPH_PROVIDER_UP,
    MCPH_PROVIDER_FAILED,  /* setup refused */
    MCPH_PROVIDER_CLOSING, /* takes no new call; waits for those that it has */
    MCPH_PROVIDER_DOWN     /* torn down */
};

struct mcph_provider_news; /* news.c */

/* A provider that looks after its resources itself hears which are subscribed.  Each
 * connection subscribes a URI once.  The dispatcher's.  0, MCPHOST_E_NOTFOUND,
 * MCPHOST_E_INVALID, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
struct mcph_topics {
    int (*subscribe)(struct mcph_topics *topics, struct mcph_span uri);
    void (*unsubscribe)(struct mcph_topics *topics, struct mcph_span uri);
};

struct mcphost_provider {
    struct mcph_refs refs;
    struct mcph_core *core; /* a reference */
    char *id;
    /* Before the start. */
    char *about; /* JSON object; NULL: none */
    struct mcph_hook *life;
    mcphost_setup_fn setup;
    mcphost_teardown_fn teardown;
    char *defaults, *config; /* JSON objects; NULL: none */
    /* Whose it is: the host's source, told apart by address; what a provider of a view
     * has besides.  Freed by `release`. */
    void *owner;
    void (*release)(mcphost_provider *provider);
    /* Of a plugin: its kind, MCPHOST_PLUGIN_*, or 0, and the code of its functions: a
     * reference until it is DOWN. */
    int plugin;
    char *config_shown; /* NULL, or what the log shows in place of `config` */
    struct mcph_code *code;

    /* under the lock */
    atomic_int state; /* MCPH_PROVIDER_* */
    bool started;
    mcphost_error *why;                               /* of FAILED */
    struct mcph_list features[MCPH_PROVIDE_FEATURES]; /* mcph_feature.link, in order */
    struct mcph_map by_name[MCPH_PROVIDE_FEATURES];
    struct mcph_feature *recent; /* the one in `by_name` that was found last, or NULL */
    struct mcph_frame *lists[MCPH_PROVIDE_FEATURES]; /* made at the first ask */
    uint64_t edition;                                /* grows with each change */
    size_t n_features;
    bool completes;                  /* some completion was set */
    struct mcph_provider_news *news; /* what is to be told; a job is posted while there is
                                      * any */
    bool closed;

    /* the dispatcher's */
    struct mcph_list listeners;
    struct mcph_list calls;     /* mcphost_provider_call.link: open ones */
    struct mcph_topics *topics; /* of whoever made it, from the start to the teardown;
                                 * NULL: none */
    struct mcph_job up_job;
    struct mcph_timer drain;
    bool was_set_up, is_ending, is_withdrawn;
    struct mcph_delivery life_delivery;
};

/* 0, MCPHOST_E_INVALID (the id), MCPHOST_E_NOMEM.  Any thread. */
int mcph_provider_new(struct mcph_core *core, const char *id, mcphost_provider **ret,
                      mcphost_error **reterr);
mcphost_provider *mcph_provider_ref(mcphost_provider *provider);
mcphost_provider *mcph_provider_unref(mcphost_provider *provider); /* returns NULL */

/* As the public functions.  Any thread. */
int mcph_provider_set_about(mcphost_provider *provider, struct mcph_span json,
                            mcphost_error **reterr);
int mcph_provider_set_life(mcphost_provider *provider, mcphost_setup_fn setup,
                           mcphost_teardown_fn teardown, void *arg,
                           mcphost_free_fn free_arg);
/* settings.c */
int mcph_provider_set_defaults(mcphost_provider *provider, struct mcph_span json,
                               mcphost_error **reterr);
int mcph_provider_set_config(mcphost_provider *provider, struct mcph_span json,
                             mcphost_error **reterr);
int mcph_provider_dup_config(mcphost_provider *provider, const char *path,
                             char **ret_json, size_t *ret_len);
void mcph_provider_log_config(mcphost_provider *provider);
/* Whether a plugin of its kind may have such a feature.  0, MCPHOST_E_INVALID. */
int mcph_provider_check_kind(const mcphost_provider *provider, int feature,
                             mcphost_error **reterr);
/* Takes over the reference to `feature`, whatever comes of it. */
int mcph_provider_add(mcphost_provider *provider, struct mcph_feature *feature);
int mcph_provider_remove(mcphost_provider *provider, int kind, struct mcph_span name);
/* Takes over `arg` whatever it returns. */
int mcph_provider_set_completion(mcphost_provider *provider, int kind,
                                 struct mcph_span name, mcphost_provide_fn fn, void *arg,
                                 mcphost_free_fn free_arg);
/* news.c */
int mcph_provider_updated(mcphost_provider *provider, struct mcph_span uri);
int mcph_provider_log(mcphost_provider *provider, int level, struct mcph_span logger,
                      struct mcph_span data);
void mcph_provider_note_changed_locked(mcphost_provider *provider, int kind);

/* All definitions of a kind in their order, as a JSON array.  A reference.  Any thread.
 * 0, MCPHOST_E_NOMEM. */
int mcph_provider_list(mcphost_provider *provider, int kind, struct mcph_frame **ret);
/* A bit 1u << MCPHOST_FEATURE_* for each kind that it has any of. */
unsigned mcph_provider_kinds(mcphost_provider *provider);
bool mcph_provider_completes(mcphost_provider *provider);

/* ---- life; the dispatcher's (life.c) ----------------------------------------------- */

/* From now on the listener is told.  The first one begins the setup. */
void mcph_provider_listen(mcphost_provider *provider, struct mcph_listener *listener);
void mcph_provider_unlisten(mcphost_provider *provider, struct mcph_listener *listener);
/* Closes it when nobody listens any more: its connections give its calls their time.  It
 * is in no catalog any more. */
void mcph_provider_withdraw(mcphost_provider *provider);
/* Takes no new call.  Its calls have `drain_ms` (-1: any time) to be answered, then they
 * are cancelled; teardown follows.  Twice is fine. */
void mcph_provider_close(mcphost_provider *provider, int64_t drain_ms);

/* ---- calls (call.c) ---------------------------------------------------------------- */

struct mcph_ask_out;

/* Has a request carried out.  All functions run in dispatch, except `asks`. */
struct mcph_carrier {
    /* The call has been answered: call->code, ->result or ->error are set.  Once, unless
     * the carrier has abandoned the call.  Drops the carrier's reference. */
    void (*answered)(mcphost_provider_call *call);
    /* While it is open: `total` NaN, `text` NULL: not said.  May be NULL. */
    void (*progress)(mcphost_provider_call *call, double progress, double total,
                     const char *text);
    /* Whether the client side answers requests of this kind, MCPHOST_REQUEST_*; any
     * thread.  NULL: none. */
    bool (*asks)(const mcphost_provider_call *call, int kind);
    /* Sends one, and answers by mcph_ask_out_answer(), now or later; not after unask. */
    void (*ask)(mcphost_provider_call *call, struct mcph_ask_out *ask);
    void (*unask)(mcphost_provider_call *call, struct mcph_ask_out *ask);
    /* Nobody refers to the call any more: frees its memory.  Any thread, never under the
     * lock. */
    void (*free)(mcphost_provider_call *call);
};

enum { MCPH_PROVIDING_OPEN, MCPH_PROVIDING_ANSWERED, MCPH_PROVIDING_OVER };

struct mcph_providing_more; /* of a call that reports, asks or watches; call.c */

/* In memory of the carrier's.  Texts have a NUL behind them and live as long. */
struct mcphost_provider_call {
    struct mcph_refs refs;
    struct mcph_refs users; /* the application's, and that of its function, as one */
    const struct mcph_carrier *carrier;
    mcphost_provider *provider;   /* a reference */
    struct mcph_feature *feature; /* likewise */
    struct mcph_hook *hook;       /* likewise: its function */
    int method;                   /* MCPH_PROVIDE_* */
    bool wants_progress;
    struct mcph_span name, arguments, meta; /* arguments: an object */
    struct mcph_span argument, value;       /* of a completion */
    const char *dialog;                     /* NULL: none of this host */

    struct mcph_list link; /* in provider->calls; the dispatcher's */
    struct mcph_delivery run;
    struct mcph_job settle;
    _Atomic(uintptr_t) runner; /* the thread on which its function runs; 0: it does not */
    atomic_int state;          /* MCPH_PROVIDING_*; set under the lock */
    atomic_bool unwanted;
    struct mcph_providing_more *more; /* under the lock; NULL: none */

    /* the answer */
    int code; /* 0, or MCPHOST_E_* */
    mcphost_error *error;
    struct mcph_frame *frame;
    struct mcph_span result; /* in it */
};

/* The feature and the function that carry out a request. */
struct mcph_provide_target {
    struct mcph_feature *feature; /* a reference */
    struct mcph_hook *hook;       /* likewise */
    struct mcph_buf variables;    /* of a template: JSON object; else empty */
};

/* Finds what carries out `method` for `name` (of READ a URI; of COMPLETE that of a prompt
 * or template, by `kind`).  0; MCPHOST_E_NOTFOUND; MCPHOST_E_NOMEM.  Any thread. */
int mcph_provider_find(mcphost_provider *provider, int method, int kind,
                       struct mcph_span name, struct mcph_provide_target *ret);
void mcph_provide_target_done(struct mcph_provide_target *target);

/* The dispatcher's.  The carrier has zeroed the call and set carrier, method and texts;
 * one reference is the carrier's.  Takes the references of the target, and those to the
 * call that it needs.  The function runs by delivery.  0, or MCPHOST_E_CLOSED: the
 * provider takes no calls; then nothing was taken, and the call is still the carrier's.
 * */
int mcph_provider_begin(mcphost_provider *provider, mcphost_provider_call *call,
                        struct mcph_provide_target *target);
/* The carrier does not want an answer any more: nothing is told it but free.  Tells the
 * function, and drops the carrier's reference. */
void mcph_providing_abandon(mcphost_provider_call *call);

/* The carrier's. */
void mcph_providing_put(mcphost_provider_call *call);
/* The application's.  Any thread; the last one fails a call that is open. */
void mcph_providing_get_user(mcphost_provider_call *call);
void mcph_providing_put_user(mcphost_provider_call *call);
/* Any thread; as the public functions. */
int mcph_providing_answer(mcphost_provider_call *call, struct mcph_span json,
                          mcphost_error **reterr);
/* The same with a whole result that this library has made, which is not checked.  Takes
 * over the reference, whatever comes of it. */
int mcph_providing_answer_frame(mcphost_provider_call *call, struct mcph_frame *frame);
int mcph_providing_answer_text(mcphost_provider_call *call, struct mcph_span text,
                               bool is_error);
int mcph_providing_fail(mcphost_provider_call *call, int64_t rpc_code,
                        const char *message, struct mcph_span data);
int mcph_providing_report(mcphost_provider_call *call, double progress, double total,
                          const char *text, size_t len);
bool mcph_providing_is_unwanted(const mcphost_provider_call *call);
/* On failure `arg` stays the caller's. */
int mcph_providing_watch(mcphost_provider_call *call, mcphost_unwanted_fn fn, void *arg,
                         mcphost_free_fn free_arg);

/* ---- progress (report.c) -----------------------------------------------------------
 * Of calls of providers and of built-in tools. */

struct mcph_provide_report;
struct mcph_reporter {
    struct mcph_core *core;
    struct mcph_provide_report
        *posted; /* under the lock: the report that was not told yet */
    /* Under the lock: a report is on its way, until `tell`, which may free it. */
    void (*keep)(struct mcph_reporter *reporter);
    void (*tell)(struct mcph_reporter *reporter, double progress, double total,
                 const char *text);
};

/* NULL: no memory. */
struct mcph_provide_report *mcph_provide_report_new(double progress, double total,
                                                    const char *text, size_t len);
void mcph_provide_report_free(struct mcph_provide_report *report); /* NULL is fine */
/* Takes the report, or its content; what is returned is to be freed without the lock. */
struct mcph_provide_report *
mcph_provide_report_post_locked(struct mcph_reporter *reporter,
                                struct mcph_provide_report *report);

/* ---- asking the client side (ask.c) ------------------------------------------------ */

#define MCPH_ASKS_MAX 16 /* of one call, open at once */

struct mcph_ask_out {
    mcphost_provider_call *call; /* a reference */
    int kind;                    /* MCPHOST_REQUEST_* */
    char *params;                /* JSON object with a NUL; NULL: none */
    size_t params_len;
    void *carried; /* the carrier's own */

    /* of ask.c */
    mcphost_answered_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
    struct mcph_list link; /* in the call's; the dispatcher's */
    struct mcph_job job;
    struct mcph_delivery delivery;
    int code;
    char *result;
    size_t result_len;
    mcphost_error *error;
};

/* As the public function.  Takes over `arg` whatever it returns. */
int mcph_providing_ask(mcphost_provider_call *call, int kind, struct mcph_span params,
                       mcphost_answered_fn fn, void *arg, mcphost_free_fn free_arg,
                       mcphost_error **reterr);
/* The dispatcher's: what the client side said.  `code` 0 and a copy of `result` is made;
 * or `error`, borrowed. */
void mcph_ask_out_answer(struct mcph_ask_out *ask, int code, struct mcph_span result,
                         mcphost_error *error);
#endif
