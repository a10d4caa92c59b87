/* SPDX-License-Identifier: MIT
 *
 * fault.c - planned faults of the fake authorization server: which requests they are for,
 * and the answers that replace the work of a step.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeauth/inner.h"

struct fault {
    enum step step;
    int as; /* the number of the only server that has this fault; 0 means all */
    size_t kind;
    int from;        /* number of requests of the step before the script set this fault */
    int first, only; /* `first`: only the first N requests have the fault; `only`: only
                      * the Nth request has it; 0 means no limit */
    int told;        /* number of the step's last request for which the fault was
                      * traced */
    bool is_done;    /* the script has removed the fault */
    long n;
    char *text;
    struct fault *next;
};

static const char *const steps[STEPS] = {
    [STEP_CHALLENGE] = "challenge", [STEP_USE] = "use",
    [STEP_RESOURCE] = "resource",   [STEP_ISSUER] = "issuer",
    [STEP_REGISTER] = "register",   [STEP_AUTHORIZE] = "authorize",
    [STEP_TOKEN] = "token",         [STEP_REFRESH] = "refresh",
    [STEP_DEVICE] = "device",       [STEP_REVOKE] = "revoke",
};

#define AT(step) (1U << STEP_##step)

/* The table `kinds` has for each kind of fault: the name, whether a number follows the
 * name, the function that replaces the work of a step, and the steps that handle the kind
 * themselves.  A kind without a function never replaces the work of a step. */
static void send_missing(struct auth *, struct exchange *, const struct fault *);
static void send_status(struct auth *, struct exchange *, const struct fault *);
static void send_redirect(struct auth *, struct exchange *, const struct fault *);
static void send_refusal(struct auth *, struct exchange *, const struct fault *);
static void send_garbage(struct auth *, struct exchange *, const struct fault *);
static void send_echo(struct auth *, struct exchange *, const struct fault *);
static void send_endless(struct auth *, struct exchange *, const struct fault *);
static void send_cut(struct auth *, struct exchange *, const struct fault *);
static void send_crash(struct auth *, struct exchange *, const struct fault *);
static void send_nonce(struct auth *, struct exchange *, const struct fault *);

static const struct {
    const char *name;
    bool has_number;
    void (*replace)(struct auth *, struct exchange *, const struct fault *);
    unsigned except;
} kinds[] = {
    {"missing", false, send_missing, AT(CHALLENGE)},
    {"status", true, send_status, 0},
    {"redirect", false, send_redirect, 0},
    {"refuse", false, send_refusal, AT(CHALLENGE) | AT(USE) | AT(AUTHORIZE)},
    {"refuse-ok", false, send_refusal, 0},
    {"garbage", false, send_garbage, AT(CHALLENGE) | AT(AUTHORIZE)},
    {"echo", true, send_echo, 0},
    {"endless", false, send_endless, 0},
    {"cut", false, send_cut, 0},
    {"crash", false, send_crash, 0},
    {"nonce-loop", false, send_nonce, AT(USE)},
    {"lying", false, NULL, 0},
    {"huge", true, NULL, 0},
    {"slow", true, NULL, 0},
    {"drip", true, NULL, 0},
    {"half", false, NULL, 0},
    {"hold", false, NULL, 0},
    {"type", false, NULL, 0},
    {"nul", false, NULL, 0},
    {"lost", false, NULL, 0},
    {"skew", true, NULL, 0},
    {"absurd-expiry", false, NULL, 0},
    {"wrong-state", false, NULL, 0},
    {"no-state", false, NULL, 0},
    {"wrong-iss", false, NULL, 0},
    {"no-iss", false, NULL, 0},
    {"code-twice", false, NULL, 0},
    {"same-code", false, NULL, 0},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void __attribute__((noreturn)) die(const char *what, const char *word)
{
    fprintf(stderr, "fakehttp: fault: '%s' is no %s\n", word, what);
    _exit(2);
}

char *
fault_word(char **rest)
{
    char *start = *rest, *end = start + strcspn(start, " ");

    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static long
number_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text)
        die("number", text);
    return *end == 'k' ? n * 1024 : *end == 'M' ? n * 1024 * 1024 : n;
}

static void
clear(struct auth *auth, enum step step)
{
    for (struct fault *f = auth->faults; f; f = f->next)
        if (f->step == step)
            f->is_done = true;
}

enum step
fault_step(const char *name)
{
    enum step step = 0;

    while (step < STEPS && strcmp(steps[step], name) != 0)
        step++;
    if (step == STEPS)
        die("step", name);
    return step;
}

void
fault_read(struct auth *auth, char *value)
{
    struct fault *f = fake_alloc(NULL, sizeof(*f)), **last = &auth->faults;
    char *step = fault_word(&value), *kind = fault_word(&value), *at = strchr(step, '@');
    size_t len;

    *f = (struct fault){0};
    if (at) {
        *at = '\0';
        f->as = (int)number_of(at + 1);
    }
    if (f->as < 0 || f->as > SERVERS)
        die("server", at + 1);
    f->step = fault_step(step);
    f->from = auth->seen[f->step][f->as];
    if (strcmp(kind, "none") == 0) {
        clear(auth, f->step);
        return;
    }
    if (strcmp(kind, "once") == 0)
        f->first = 1;
    else if (strcmp(kind, "first") == 0)
        f->first = (int)number_of(fault_word(&value));
    else if (strcmp(kind, "only") == 0)
        f->only = (int)number_of(fault_word(&value));
    if (f->first || f->only)
        kind = fault_word(&value);
    while (f->kind < N_KINDS && strcmp(kinds[f->kind].name, kind) != 0)
        f->kind++;
    if (f->kind == N_KINDS)
        die("kind", kind);
    if (kinds[f->kind].has_number && *value)
        f->n = number_of(fault_word(&value));
    f->text = strdup(fake_unescape(value, &len));
    while (*last)
        last = &(*last)->next;
    *last = f;
}

void
fault_count(struct auth *auth, enum step step)
{
    auth->seen[step][0]++;
    if (auth->current)
        auth->seen[step][auth->current]++;
}

static bool
is_due(const struct auth *auth, const struct fault *f, enum step step)
{
    int nth = auth->seen[step][f->as] - f->from;

    return f->step == step && !f->is_done && (!f->as || f->as == auth->current) &&
           (!f->first || nth <= f->first) && (!f->only || nth == f->only);
}

static void
tell(struct auth *auth, struct fault *f)
{
    if (f->told != auth->seen[f->step][0])
        auth_trace(auth, "fault", "%s %s", steps[f->step], kinds[f->kind].name);
    f->told = auth->seen[f->step][0];
}

bool
fault_is(struct auth *auth, enum step step, const char *kind, long *ret_n,
         const char **ret_text)
{
    for (struct fault *f = auth->faults; f; f = f->next) {
        if (!is_due(auth, f, step) || strcmp(kinds[f->kind].name, kind) != 0)
            continue;
        tell(auth, f);
        if (ret_n)
            *ret_n = f->n;
        if (ret_text)
            *ret_text = f->text;
        return true;
    }
    return false;
}

bool
fault_replaces(struct auth *auth, struct exchange *ex, enum step step)
{
    for (struct fault *f = auth->faults; f; f = f->next)
        if (is_due(auth, f, step) && kinds[f->kind].replace &&
            !(kinds[f->kind].except & 1U << step)) {
            tell(auth, f);
            kinds[f->kind].replace(auth, ex, f);
            return true;
        }
    return false;
}

/* ---- answers that replace the work of a step --------------------------------------- */

static void
send_missing(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    struct reply reply = {0};

    reply_page(&reply, 404, "Not Found");
    reply_send(auth, ex, f->step, &reply);
}

/* Answers with the status of the fault.  The fault's text is the value of Retry-After. */
static void
send_status(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    struct reply reply = {0};

    reply_page(&reply, (int)f->n, "This is a fault.");
    if (*f->text)
        reply_header(&reply, "Retry-After: %s", f->text);
    reply_send(auth, ex, f->step, &reply);
}

static void
send_redirect(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    struct reply reply = {0};

    reply_page(&reply, 307, "It is elsewhere.");
    reply_header(&reply, "Location: %s", *f->text ? f->text : ex->path);
    reply_send(auth, ex, f->step, &reply);
}

/* Answers with an OAuth error.  The fault's text is the error code and a description.
 * The status is 200 for `refuse-ok`, and otherwise the status of RFC 6749. */
static void
send_refusal(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    char *copy = strdup(f->text), *rest = copy, *word = fault_word(&rest);
    bool is_ok = strcmp(kinds[f->kind].name, "refuse-ok") == 0;
    struct reply reply = {0};

    reply_error(&reply,
                is_ok                                 ? 200
                : strcmp(word, "invalid_client") == 0 ? 401
                                                      : 400,
                *word ? word : "invalid_request", rest);
    reply_send(auth, ex, f->step, &reply);
    free(copy);
}

static void
send_garbage(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    struct reply reply = {.status = 200, .type = "application/json"};

    bytes_str(&reply.body, "}{ this is no JSON \xff\n");
    reply_send(auth, ex, f->step, &reply);
}

/* Answers with the request: its body and its header lines. */
static void
send_echo(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    char *text = auth_format("%.*s %s", (int)auth->posted_len, auth->posted, ex->head);
    struct reply reply = {0};

    if (f->n >= 500)
        reply_page(&reply, (int)f->n, text);
    else
        reply_error(&reply, (int)f->n, "invalid_request", text);
    reply_send(auth, ex, f->step, &reply);
    free(text);
}

static void
send_endless(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    free(ex->type);
    ex->type = strdup("application/json");
    exchange_endless(auth->http, ex, *f->text ? f->text : "          ");
}

static void
send_cut(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    (void)f;
    exchange_cut(auth->http, ex, true);
}

static void __attribute__((noreturn))
send_crash(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    (void)auth;
    (void)ex;
    (void)f;
    _exit(1);
}

static void
send_nonce(struct auth *auth, struct exchange *ex, const struct fault *f)
{
    struct reply reply = {0};

    reply_error(&reply, 400, "use_dpop_nonce", "this nonce is too old");
    reply_header(&reply, "DPoP-Nonce: %s", dpop_nonce(auth, f->step, true));
    reply_send(auth, ex, f->step, &reply);
}
