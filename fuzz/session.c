/* SPDX-License-Identifier: MIT
 *
 * session.c - a client in a fuzz target.
 *
 * For any input, each accepted call must get at most one answer, and each question (a
 * request of the server) must end at most once.  When a client goes down, each call that
 * was not cancelled must have got its answer, and each question must have ended.  A
 * client that is down must send no events.
 */
#include "client/internal.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

#define ALL_KINDS ((1u << MCPH_LIST_KINDS) - 1)

struct session ses;

void
must(bool holds)
{
    if (!holds)
        abort();
}

unsigned
session_next(void)
{
    return ses.in < ses.end ? *ses.in++ : 0;
}

static int64_t
fuzz_clock(void *arg)
{
    (void)arg;
    return ses.now;
}

/* ---- events of the client ---------------------------------------------------------- */

static void
must_be_alive(const struct mcph_client *c)
{
    must(c == ses.client && !ses.down);
}

void
session_retire(void)
{
    mcph_transport_free(ses.retired, 0);
    ses.retired = ses.transport;
    ses.transport = NULL;
    if (ses.retired)
        mcph_transport_close(ses.retired);
}

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(mcph_client_get_info(c) != NULL);
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(reason != NULL);
    session_retire();
}

/* Returns the slot of a question or, if `q` is NULL, a free slot.  Returns NULL if no
 * slot fits. */
static struct mcph_client_question **
place_of(const struct mcph_client_question *q)
{
    for (size_t i = 0; i < SESSION_QUESTIONS; i++) {
        if (ses.questions[i] == q)
            return &ses.questions[i];
    }
    return NULL;
}

static void
on_question(struct mcph_client *c, struct mcph_client_question *q, void *arg)
{
    struct mcph_client_question **place = place_of(NULL);

    (void)arg;
    must_be_alive(c);
    must(place != NULL && (q->kind & (int)ses.spec.questions));
    must(!q->params.p || mcph_json_type(q->params) == MCPH_JSON_OBJECT);
    *place = q;
}

static void
on_question_over(struct mcph_client *c, struct mcph_client_question *q, const char *why,
                 void *arg)
{
    struct mcph_client_question **place = place_of(q);

    (void)arg;
    must(c == ses.client && place != NULL && why != NULL);
    *place = NULL;
}

static void
answer_question(unsigned which, unsigned how)
{
    static const char *const answers[] = {
        "{\"action\":\"accept\",\"content\":{\"a\":1}}", "{\"action\":\"decline\"}",
        "{\"roots\":[]}", "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{}}"};
    struct mcph_client_question *q = ses.questions[which % SESSION_QUESTIONS];

    if (!q)
        return;
    *place_of(q) = NULL;
    if (how % 8 == 7)
        mcph_client_question_refuse(q, -1, "no");
    else
        mcph_client_question_answer(q, mcph_span_str(answers[how % 4]));
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(reason != NULL && ses.outstanding == 0);
    for (size_t i = 0; i < SESSION_QUESTIONS; i++)
        must(!ses.questions[i]);
    memset(ses.wanted, 0, sizeof(ses.wanted));
    ses.down = true;
    session_retire();
}

static void
on_listed(struct mcph_client *c, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(!list != !error);
    must(!list || list->kind == kind);
    for (size_t i = 0; list && i < list->n_pages; i++)
        must(mcph_json_type(list->pages[i].items) == MCPH_JSON_ARRAY);
}

static void
on_changed(struct mcph_client *c, int kind, void *arg)
{
    (void)arg;
    must_be_alive(c);
    (void)mcph_client_list(c, kind);
}

static const char *const uris[SESSION_URIS] = {"a", "a/b", "c d", "\xc3\xa9\n", "a/"};

/* Returns the counter of a URI.  Aborts if the client has no subscription to the URI. */
static unsigned *
wanted(struct mcph_span uri)
{
    for (size_t i = 0; i < SESSION_URIS; i++) {
        if (mcph_span_is(uri, uris[i])) {
            must(ses.wanted[i] > 0);
            return &ses.wanted[i];
        }
    }
    abort();
}

static void
on_subscribed(struct mcph_client *c, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    unsigned *n = wanted(uri);

    (void)arg;
    must_be_alive(c);
    if (error)
        *n = 0;
}

static void
on_updated(struct mcph_client *c, struct mcph_span uri, uint64_t count, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(count > 0);
    (void)wanted(uri);
}

static void
subscribe(unsigned which)
{
    const char *uri = uris[which % SESSION_URIS];

    if (ses.client && mcph_client_subscribe(ses.client, mcph_span_str(uri), NULL) == 0)
        ses.wanted[which % SESSION_URIS]++;
}

static void
unsubscribe(unsigned which)
{
    unsigned *n = &ses.wanted[which % SESSION_URIS];

    if (ses.client)
        mcph_client_unsubscribe(ses.client, mcph_span_str(uris[which % SESSION_URIS]));
    *n -= *n > 0;
}

static void
on_log(struct mcph_client *c, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    (void)level;
    (void)logger;
    (void)data;
    (void)arg;
    must_be_alive(c);
}

static void
on_noise(struct mcph_client *c, const char *text, void *arg)
{
    (void)arg;
    must_be_alive(c);
    must(strlen(text) < 1000);
    if (*text == 'F')
        session_free_client();
}

/* Gives the client one of two caller identities.  The clock decides which identity.  At
 * some times, the function returns false, as if the identity were not known. */
static bool
on_who(struct mcph_client *client, unsigned char ret_who[MCPH_DIGEST_LEN], void *arg)
{
    (void)client;
    (void)arg;
    ret_who[0] = (unsigned char)(ses.now / 5000 % 2);
    return ses.now / 5000 % 7 != 3;
}

static const struct mcph_client_events events = {
    .who = on_who,
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .changed = on_changed,
    .subscribed = on_subscribed,
    .updated = on_updated,
    .log = on_log,
    .question = on_question,
    .question_over = on_question_over,
    .noise = on_noise,
};

/* ---- calls ------------------------------------------------------------------------- */

static void
on_done(struct mcph_operation *call, const struct mcph_client_answer *answer)
{
    struct session_slot *slot = MCPH_CONTAINER_OF(call, struct session_slot, call);

    must(slot->under_way && ses.outstanding > 0);
    slot->under_way = false;
    ses.outstanding--;
    must((answer->code == 0) == (answer->error == NULL));
    if (answer->code == 0)
        must(mcph_json_check(answer->result, 0, NULL, NULL) == 0);
    if (slot->again)
        session_call(slot, "tool", 0);
}

static void
on_progress(struct mcph_operation *call, const struct mcph_client_progress *progress)
{
    must(MCPH_CONTAINER_OF(call, struct session_slot, call)->under_way);
    (void)progress;
}

static void
clear(struct session_slot *slot)
{
    mcph_client_unwatch_task(&slot->watch);
    for (size_t i = 0; i < slot->answered.n; i++)
        free(slot->answered.items[i]);
    mcph_vec_done(&slot->answered);
    memset(slot, 0, sizeof(*slot));
}

void
session_call(struct session_slot *slot, const char *tool, unsigned how)
{
    if (slot->under_way || !ses.client)
        return;
    clear(slot);
    slot->call.method = &mcph_methods[MCPH_METHOD_CALL_TOOL];
    slot->call.name = mcph_span_str(tool);
    slot->call.arguments = mcph_span_str(how & 1 ? "{\n}" : NULL);
    slot->call.task_ttl_ms = how & 2 ? 9 : 0;
    if (how & 128) {
        slot->call.method = &mcph_methods[MCPH_METHOD_GET_TASK];
        slot->call.name = slot->watch.id = mcph_span_str("t");
        slot->call.arguments = MCPH_SPAN_NONE;
        slot->call.answered = how & 1 ? &slot->answered : NULL;
        mcph_client_watch_task(ses.client, &slot->watch);
    }
    slot->call.meta = mcph_span_str(how & 2 ? "{\"a\":1}" : NULL);
    slot->call.timeout_ms = how & 4 ? 500 : -1;
    slot->call.max_ms = how & 8 ? 900 : -1;
    slot->call.progress_resets = how & 16;
    slot->call.progress = how & 32 ? on_progress : NULL;
    slot->again = how & 64;
    slot->call.done = on_done;
    if (mcph_operation_start(ses.client, &slot->call, NULL) == 0) {
        slot->under_way = true;
        ses.outstanding++;
    }
}

static void
cancel_call(struct session_slot *slot)
{
    mcph_operation_cancel(&slot->call, "why not");
    if (slot->under_way)
        ses.outstanding--;
    slot->under_way = false;
}

/* ---- life -------------------------------------------------------------------------- */

void
session_free_client(void)
{
    ses.client = mcph_client_free(ses.client);
    memset(ses.questions, 0, sizeof(ses.questions));
    memset(ses.wanted, 0, sizeof(ses.wanted));
    for (size_t i = 0; i < SESSION_CALLS; i++)
        ses.slots[i].under_way = false;
    ses.outstanding = 0;
    session_retire();
}

void
session_connect(void)
{
    if (ses.transport || !ses.client || ses.down)
        return;
    ses.connect();
    must(ses.transport != NULL && mcph_transport_open(ses.transport, NULL) == 0);
    if (mcph_client_start(ses.client, ses.transport, NULL) < 0)
        session_retire();
}

void
session_new_client(void)
{
    static const unsigned char place[MCPH_DIGEST_LEN] = {1};

    session_free_client();
    ses.down = false;
    must(mcph_client_new(ses.core, &ses.spec, &events, NULL, &ses.client, NULL) == 0);
    mcph_client_set_cache(ses.client, ses.cache, place);
    session_connect();
}

void
session_begin(const uint8_t *data, size_t size, void (*connect)(void))
{
    unsigned how;

    ses =
        (struct session){.in = data, .end = data + size, .now = 1000, .connect = connect};
    how = session_next();
    must(mcph_core_new(&ses.core, NULL) == 0);
    mcph_core_set_clock(ses.core, fuzz_clock, NULL);
    mcph_client_spec_init(&ses.spec);
    ses.odd = how & 128;
    ses.cache = mcph_client_cache_new(ses.core, 2000);
    must(ses.cache != NULL);
    ses.spec.server = "s";
    ses.spec.name = "n";
    ses.spec.version = "v";
    ses.spec.era = (int)(how & 3) % 3;
    ses.spec.cached_era = (int)(how >> 2 & 3) % 3;
    ses.spec.tasks = true;
    ses.spec.log_level = how & 16 ? "info" : NULL;
    ses.spec.lists = ses.spec.listen = how & 32 ? ALL_KINDS : 0;
    ses.spec.max_in_flight = 4;
    ses.spec.max_queued = 4;
    ses.spec.max_pages = 3;
    ses.spec.max_subscriptions = 4;
    ses.spec.max_open = SESSION_QUESTIONS;
    ses.spec.question_ms = 3000;
    if (how & 64)
        ses.spec.questions = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL |
                             MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_ROOTS;
    session_new_client();
}

void
session_end(void)
{
    session_turn();
    session_free_client();
    for (size_t i = 0; i < SESSION_CALLS; i++)
        clear(&ses.slots[i]);
    ses.retired = mcph_transport_free(ses.retired, 0);
    ses.cache = mcph_client_cache_free(ses.cache);
}

void
session_turn(void)
{
    for (int i = 0; i < 100 && mcph_core_dispatch(ses.core) > 0; i++)
        ;
}

void
session_act(unsigned what, const char *tool)
{
    struct session_slot *slot;
    unsigned which;

    switch (what) {
    case 0:
        slot = &ses.slots[session_next() % SESSION_CALLS];
        session_call(slot, tool, session_next());
        break;
    case 1:
        cancel_call(&ses.slots[session_next() % SESSION_CALLS]);
        break;
    case 2:
        if (ses.client)
            (void)mcph_client_list(ses.client, (int)session_next() % MCPH_LIST_KINDS);
        break;
    case 3:
        ses.now += (int64_t)session_next() * 40;
        break;
    case 4:
        session_connect();
        break;
    case 5:
        if (ses.client)
            mcph_client_stop(ses.client, MCPHOST_E_CANCELLED, NULL);
        ses.down = ses.down || ses.client;
        memset(ses.wanted, 0, sizeof(ses.wanted));
        break;
    case 6:
        session_new_client();
        break;
    case 8:
        which = session_next();
        answer_question(which, session_next());
        break;
    case 9:
        subscribe(session_next());
        break;
    case 10:
        unsubscribe(session_next());
        break;
    case 11:
        if (ses.client)
            (void)mcph_client_set_log_level(ses.client,
                                            session_next() & 1 ? "debug" : NULL);
        break;
    default:
        session_turn();
    }
}

void
session_check(void)
{
    if (ses.client)
        must(ses.client->n_in_flight + ses.client->n_queued == ses.outstanding);
}
