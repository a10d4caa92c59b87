/* SPDX-License-Identifier: MIT
 *
 * model.c - predicts what the host may publish, from the edits and from the way in which
 * each launch starts (its fare).
 *
 * The model knows whether a launch starts.  The model does not predict when the launch
 * starts.  model_observe() learns from the published catalog which launches have started.
 *
 * History decides only which server has a name that several servers offer.  A name stays
 * with its server while each possible last good edition of the server offers the name.
 * Neither the order of the file nor the server's processes can take such a name away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress/stress.h"

const char *const model_tools[N_TOOLS] = {"alpha", "beta", "gamma", "delta",
                                          "slow",  "boom", "turn",  NULL};

int
model_launch(int fare, unsigned tools, int http)
{
    if (st.n_launches + 1 >= st.cap_launches) {
        st.cap_launches = st.cap_launches ? st.cap_launches * 2 : 64;
        st.launches =
            realloc(st.launches, (size_t)st.cap_launches * sizeof(*st.launches));
        STRESS_CHECK(st.launches != NULL);
    }
    st.n_launches++;
    st.launches[st.n_launches] =
        (struct launch){.tools = tools, .fare = fare, .http = http};
    return st.n_launches;
}

unsigned
model_list(int launch, bool second)
{
    return st.launches[launch].tools ^ (second ? (1U << TOOL_SLOW) - 1 : 0);
}

bool
model_comes_up(const struct edition *edition)
{
    return edition->launch && st.launches[edition->launch].fare < FARE_GOOD;
}

static bool
shows(const struct edition *edition, int tool)
{
    unsigned tools;

    if (!edition->launch)
        return false;
    tools = model_list(edition->launch, edition->second);
    return (tools & 1U << tool) &&
           (!edition->whitelist || (edition->whitelist & 1U << tool));
}

static bool
offers(const struct edition *edition, int tool, int own)
{
    return shows(edition, tool) && (tool != TOOL_OWN || edition->launch == own);
}

const char *
model_text(int server)
{
    static char text[512];
    const struct server *s = &st.servers[server];
    int n = snprintf(text, sizeof(text), "s%d:", server);

    for (int i = 0; i < s->n_may && n < (int)sizeof(text) - 80; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " %d%s%s/%x/%d",
                      s->may[i].launch, s->may[i].shared ? "s" : "",
                      s->may[i].second ? "+" : "", s->may[i].whitelist, s->may[i].prefix);
    snprintf(text + n, sizeof(text) - (size_t)n, "; wanted %d%s%s%s",
             s->entry.want.launch, s->entry.present ? "" : " absent",
             s->entry.enabled ? "" : " disabled", s->entry.invalid ? " invalid" : "");
    return text;
}

/* ---- sets -------------------------------------------------------------------------- */

static bool
same(const struct edition *a, const struct edition *b)
{
    return a->launch == b->launch &&
           (!a->launch || (a->shared == b->shared && a->second == b->second &&
                           a->whitelist == b->whitelist && a->prefix == b->prefix));
}

static void
add(struct edition *set, int *n, const struct edition *edition)
{
    for (int i = 0; i < *n; i++)
        if (same(&set[i], edition))
            return;
    STRESS_CHECK(*n < N_MAY);
    set[(*n)++] = *edition;
}

/* If the second list of a launch may be published, adds each possible edition of this
 * launch a second time, with the other list.  A shared process may have changed to the
 * second list, and a new process begins with the first list. */
static void
add_seconds(struct server *s)
{
    for (int i = 0; i < s->n_may; i++) {
        struct edition other = s->may[i];

        other.second = !other.second;
        if (other.launch && st.launches[other.launch].turned_all)
            add(s->may, &s->n_may, &other);
    }
}

static bool
is_wanted(const struct entry *entry)
{
    return entry->present && entry->enabled && !entry->invalid;
}

/* Returns the edition that replaces a last good edition when the entry is applied. */
static struct edition
apply_entry(const struct entry *entry, const struct edition *edition)
{
    struct edition next = {0};

    if (!entry->present || !entry->enabled)
        return next;
    if (!is_wanted(entry) || edition->launch != entry->want.launch)
        return *edition;
    next = entry->want;
    next.second = edition->second;
    return next;
}

/* ---- names ------------------------------------------------------------------------- */

static void
tool_name(char *name, size_t size, const struct edition *edition, int tool)
{
    char prefix[16] = "", own[16];

    if (edition->prefix)
        snprintf(prefix, sizeof(prefix), "p%d_", edition->prefix);
    snprintf(own, sizeof(own), "u%d", edition->launch);
    snprintf(name, size, "%s%s", prefix, tool == TOOL_OWN ? own : model_tools[tool]);
}

static bool
shows_name(const struct edition *edition, const char *name)
{
    for (int tool = 0; tool < N_TOOLS; tool++) {
        char own[64];

        if (!shows(edition, tool))
            continue;
        tool_name(own, sizeof(own), edition, tool);
        if (strcmp(own, name) == 0)
            return true;
    }
    return false;
}

/* Marks each held name that need not stay with its server, because a possible edition
 * of the server lacks the name.  Call this after each change of a server's possible
 * editions. */
static void
loosen(void)
{
    for (size_t i = 0; i < st.n_held; i++) {
        struct held *held = &st.held[i];
        const struct server *s = &st.servers[held->server];

        for (int j = 0; j < s->n_may; j++)
            if (!shows_name(&s->may[j], held->name))
                held->loose = true;
    }
}

/* Checks that no held name has moved to another server, except loose names.  Then
 * replaces the held names by the observed names. */
static void
check_held(const struct observed *seen, size_t n)
{
    for (size_t i = 0; i < st.n_held; i++) {
        const struct held *held = &st.held[i];

        for (size_t j = 0; j < n && !held->loose; j++)
            if (strcmp(seen[j].name, held->name) == 0 && seen[j].server != held->server)
                stress_fail("'%s' went from s%d, which offers it, to s%d; %s", held->name,
                            held->server, seen[j].server, model_text(held->server));
        st.n_kept += !held->loose;
    }
    st.n_held = 0;
    for (size_t i = 0; i < n; i++) {
        if (seen[i].server < 0)
            continue;
        st.held[st.n_held] = (struct held){.server = seen[i].server};
        memcpy(st.held[st.n_held++].name, seen[i].name, sizeof(seen[i].name));
    }
}

/* ---- outcomes of calls ------------------------------------------------------------- */

static void
note_answer(struct call *call, int launch)
{
    for (int i = 0; i < call->n_may; i++)
        if (call->may[i] == launch)
            return;
    if (call->n_may < 64)
        call->may[call->n_may++] = launch;
}

static void
note_edition(struct call *call, const struct edition *edition)
{
    struct edition other = *edition;
    bool one = offers(edition, call->tool, call->own), two = one;

    /* Check the other list, too.  A process that serves only this dialog may offer the
     * second list while the first list is published. */
    other.second = !other.second;
    if (edition->launch && st.launches[edition->launch].turned)
        two = offers(&other, call->tool, call->own);
    if (!one || !two)
        call->may_gone = true;
    if (one || two)
        note_answer(call, edition->launch);
}

static void
note_turning(const struct call *call, const struct edition *edition)
{
    struct launch *launch = &st.launches[edition->launch];

    if (!edition->launch || !(launch->tools & 1U << TOOL_TURN))
        return;
    launch->turned = true;
    launch->turned_all |= edition->shared || call->pinned;
}

void
model_note(struct call *call)
{
    struct server *s = &st.servers[call->server];

    if (s->dying)
        call->may_die = true;
    if (call->pinned)
        return;
    for (int i = 0; i < s->n_may; i++) {
        if (call->tool == TOOL_TURN)
            note_turning(call, &s->may[i]);
        note_edition(call, &s->may[i]);
    }
    add_seconds(s);
    loosen();
}

void
model_pin(struct call *call, int launch)
{
    struct edition edition = {.launch = launch};

    call->pinned = true;
    note_answer(call, launch);
    if (call->tool == TOOL_TURN)
        note_turning(call, &edition);
    add_seconds(&st.servers[call->server]);
    loosen();
}

static void
note_all(void)
{
    for (int i = 0; i < N_DIALOGS; i++)
        for (int j = 0; j < N_SLOTS; j++)
            if (st.calls[i][j].handle)
                model_note(&st.calls[i][j]);
}

/* ---- edits ------------------------------------------------------------------------- */

void
model_grow(const struct entry entries[N_SERVERS])
{
    for (int i = 0; i < N_SERVERS; i++) {
        struct server *s = &st.servers[i];
        int n = s->n_may;

        for (int j = 0; j < n; j++) {
            struct edition next = apply_entry(&entries[i], &s->may[j]);

            add(s->may, &s->n_may, &next);
        }
        if (is_wanted(&entries[i]) && model_comes_up(&entries[i].want))
            add(s->may, &s->n_may, &entries[i].want);
        add_seconds(s);
    }
    loosen();
    note_all();
}

void
model_applied(const struct entry entries[N_SERVERS], const int order[N_SERVERS])
{
    for (int i = 0; i < N_SERVERS; i++) {
        struct server *s = &st.servers[i];
        struct edition before[N_MAY];
        int n = s->n_may;

        memcpy(before, s->may, sizeof(before));
        s->n_may = 0;
        for (int j = 0; j < n; j++) {
            struct edition next = apply_entry(&entries[i], &before[j]);

            add(s->may, &s->n_may, &next);
        }
        add_seconds(s);
        if (s->entry.present && s->entry.want.launch != entries[i].want.launch)
            s->last = s->entry.want;
        s->entry = entries[i];
    }
    memcpy(st.order, order, sizeof(st.order));
    loosen();
}

/* Returns true if the catalog shows the wanted edition.  Also returns true if other
 * servers have all names of the edition, because then the catalog cannot show the
 * edition.  In addition, look.c checks the server's status. */
bool
model_reached(int server)
{
    return st.servers[server].fits;
}

/* ---- observation ------------------------------------------------------------------- */

/* Checks whether another server has the name.  The order of the servers does not
 * matter. */
static bool
is_taken(const struct observed *seen, size_t n, int server, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (seen[i].server != server && strcmp(seen[i].name, name) == 0)
            return true;
    return false;
}

/* Checks whether the tools observed from `at` on, up to the next server, are the tools of
 * this edition.  A tool may be absent if another server has its name. */
static bool
fits(const struct edition *edition, int server, const struct observed *seen, size_t n,
     size_t at)
{
    size_t next = at;

    for (int tool = 0; tool < N_TOOLS; tool++) {
        char name[64];

        if (!shows(edition, tool))
            continue;
        tool_name(name, sizeof(name), edition, tool);
        if (is_taken(seen, n, server, name))
            continue;
        if (next == n || seen[next].server != server ||
            strcmp(seen[next].name, name) != 0)
            return false;
        next++;
    }
    return next == n || seen[next].server != server;
}

static void
print_seen(const struct observed *seen, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("    s%d %s\n", seen[i].server, seen[i].name);
}

/* Removes the editions that do not fit the observed tools.  Keeps the wanted edition if
 * it may still start. */
static void
learn(int server, const struct observed *seen, size_t n, size_t at)
{
    struct server *s = &st.servers[server];
    struct edition after[N_MAY], second;
    int n_after = 0;

    for (int i = 0; i < s->n_may; i++)
        if (fits(&s->may[i], server, seen, n, at))
            add(after, &n_after, &s->may[i]);
    if (!n_after) {
        print_seen(seen, n);
        stress_fail("what is published of a server is none of what may be; %s",
                    model_text(server));
    }
    if (is_wanted(&s->entry) && model_comes_up(&s->entry.want) &&
        !(n_after == 1 && same(&after[0], &s->entry.want)))
        add(after, &n_after, &s->entry.want);
    memcpy(s->may, after, sizeof(after));
    s->n_may = n_after;
    add_seconds(s);
    second = s->entry.want;
    second.second = true;
    s->fits = fits(&s->entry.want, server, seen, n, at) ||
              (second.launch && st.launches[second.launch].turned_all &&
               fits(&second, server, seen, n, at));
}

void
model_observe(void)
{
    struct observed seen[N_OBSERVED];
    size_t n = look_catalog(seen), at = 0;

    for (; at < n && seen[at].server < 0; at++)
        if (at >= (size_t)st.n_builtins || strcmp(seen[at].name, st.builtins[at]) != 0)
            stress_fail("'%s' is not the built-in expected", seen[at].name);
    STRESS_CHECK(at == (size_t)st.n_builtins);
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_SERVERS; i++) {
        int server = st.order[i];

        if (!st.servers[server].entry.present)
            continue;
        learn(server, seen, n, at);
        while (at < n && seen[at].server == server)
            at++;
    }
    if (at < n) {
        print_seen(seen, n);
        stress_fail("'%s' of s%d stands where nothing should", seen[at].name,
                    seen[at].server);
    }
    check_held(seen, n);
    loosen();
    pthread_mutex_unlock(&st.lock);
    team_observe();
}
