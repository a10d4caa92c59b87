/* SPDX-License-Identifier: MIT
 *
 * owner.c - the owner of a client, for sessions in which memory runs out.
 */
#include "torture/owner.h"

struct owner owner;
unsigned owner_kinds = 1u << MCPH_LIST_TOOLS;

static int64_t
fake_clock(void *arg)
{
    (void)arg;
    return owner.now;
}

/* ---- events from the client -------------------------------------------------------- */

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)c;
    (void)arg;
    owner.ready++;
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)reason;
    (void)arg;
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    torture_must(reason != NULL);
    owner.downs++;
}

static void
on_listed(struct mcph_client *c, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    (void)c;
    (void)arg;
    torture_must(!list != !error);
    torture_must(!list || list->kind == kind);
    owner.listed++;
    owner.complete_lists += list && !list->cut && list->n_pages == 2;
}

static void
on_subscribed(struct mcph_client *c, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    (void)c;
    (void)error;
    (void)arg;
    torture_must(uri.len > 0);
    owner.told++;
}

static void
on_updated(struct mcph_client *c, struct mcph_span uri, uint64_t count, void *arg)
{
    (void)c;
    (void)arg;
    torture_must(uri.len > 0 && count > 0);
    owner.updated++;
}

static void
on_question(struct mcph_client *c, struct mcph_client_question *q, void *arg)
{
    (void)c;
    (void)arg;
    owner.asked++;
    mcph_client_question_answer(q,
                                mcph_span_str("{\"action\":\"accept\",\"content\":{}}"));
}

static void
on_question_over(struct mcph_client *c, struct mcph_client_question *q, const char *why,
                 void *arg)
{
    (void)c;
    (void)q;
    (void)arg;
    torture_must(why != NULL);
    owner.over++;
}

static const struct mcph_client_events events = {.ready = on_ready,
                                                 .restart = on_restart,
                                                 .down = on_down,
                                                 .listed = on_listed,
                                                 .subscribed = on_subscribed,
                                                 .updated = on_updated,
                                                 .question = on_question,
                                                 .question_over = on_question_over};

static void
on_done(struct mcph_operation *call, const struct mcph_client_answer *answer)
{
    (void)call;
    torture_must((answer->code == 0) == (answer->error == NULL));
    owner.answered++;
    owner.good += answer->code == 0;
}

static void
on_progress(struct mcph_operation *call, const struct mcph_client_progress *progress)
{
    (void)call;
    (void)progress;
}

/* ---- actions ----------------------------------------------------------------------- */

struct mcph_client *
owner_start(struct mcph_transport *transport)
{
    struct mcph_client_spec spec;
    struct mcph_client *c = NULL;
    mcphost_error *error = NULL;

    owner.refused = true;
    if (!transport)
        return NULL;
    torture_must(mcph_transport_open(transport, NULL) == 0);
    mcph_client_spec_init(&spec);
    spec.server = "srv";
    spec.name = "chost";
    spec.version = "0.3";
    spec.log_level = "info";
    spec.lists = spec.listen = owner_kinds;
    spec.questions = MCPHOST_REQUEST_FORM;
    spec.question_ms = 1000;
    if (mcph_client_new(owner.core, &spec, &events, NULL, &c, &error) < 0 ||
        mcph_client_start(c, transport, &error) < 0)
        torture_must(error != NULL);
    else
        owner.refused = false;
    mcphost_error_unref(error);
    return c;
}

void
owner_ask(struct mcph_client *c, struct mcph_operation *op, int method, const char *name)
{
    mcphost_error *error = NULL;

    *op = (struct mcph_operation){
        .method = &mcph_methods[method],
        .name = mcph_span_str(name),
        .timeout_ms = 1000,
        .max_ms = -1,
        .progress = on_progress,
        .done = on_done,
    };
    if (mcph_operation_start(c, op, &error) == 0)
        owner.taken++;
    else
        torture_must(error != NULL);
    mcphost_error_unref(error);
}

void
owner_call(struct mcph_client *c, struct mcph_operation *call, const char *tool)
{
    owner_ask(c, call, MCPH_METHOD_CALL_TOOL, tool);
}

void
owner_subscribe(struct mcph_client *c, const char *uri)
{
    mcphost_error *error = NULL;

    if (mcph_client_subscribe(c, mcph_span_str(uri), &error) == 0)
        owner.wanted++;
    else
        torture_must(error != NULL);
    mcphost_error_unref(error);
}

void
owner_cancel(struct mcph_operation *call)
{
    if (call->client) {
        mcph_operation_cancel(call, "never mind");
        owner.taken--;
    }
}

/* ---- runs -------------------------------------------------------------------------- */

long
owner_run(void (*session)(void), long nth, int mode)
{
    long live = failing_live(), n;

    owner = (struct owner){.now = 1000};
    torture_begin();
    ck_assert_int_eq(mcph_core_new(&owner.core, NULL), 0);
    mcph_core_set_clock(owner.core, fake_clock, NULL);
    failing_arm(nth, mode);
    session();
    n = failing_disarm();
    owner.core = mcph_core_unref(owner.core);
    ck_assert_msg(!torture_broken(), "allocation %ld: %s", nth, torture_broken());
    ck_assert_msg(failing_live() == live, "allocation %ld failing leaks %ld blocks", nth,
                  failing_live() - live);
    return n;
}

void
owner_check(long nth)
{
    if (owner.refused)
        return;
    ck_assert_msg(owner.answered == owner.taken, "allocation %ld: %d calls, %d answers",
                  nth, owner.taken, owner.answered);
    ck_assert_msg(owner.ready + owner.downs > 0, "allocation %ld: limbo", nth);
}
