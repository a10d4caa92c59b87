/* SPDX-License-Identifier: MIT
 *
 * scopes.c - checks which process answers each call, and when the process ends.
 *
 * The test has dialogs of several agents and workspaces, their turns, and a source with a
 * server of each scope.
 *
 * The model predicts the process of each answer and the end of each process.  A seat is
 * an edition of a server for one scope key.  A seat has one process from its first call
 * until no dialog holds the seat.  A dialog holds each seat that the dialog has called.
 * A dialog releases a seat when the dialog closes or releases the server.  A dialog also
 * releases a seat of a replaced edition when no turn of the dialog pins the edition.
 * No dialog holds a seat of the scope `everyone`.  The process of this seat ends when the
 * edition is replaced and no turn pins the edition.  Turns pin editions only if st.serve
 * is set.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "stress/stress.h"

#define N_PLACES   6
#define N_TURNS    6
#define N_SEATS    128
#define N_TWO      2 /* number of views */
#define PATIENT_MS 15000

enum { FOR_DIALOG, FOR_AGENT, FOR_WORKSPACE, FOR_EVERYONE, N_SCOPES };

static const char *const scopes[N_SCOPES] = {"dialog", "agent", "workspace", "everyone"};
static const int kinds[N_SCOPES] = {MCPHOST_SCOPE_DIALOG, MCPHOST_SCOPE_AGENT,
                                    MCPHOST_SCOPE_WORKSPACE, MCPHOST_SCOPE_EVERYONE};

struct place { /* a dialog */
    mcphost_dialog *handle;
    unsigned made;
    int view;
    char id[32];
    const char *agent, *workspace; /* either may be NULL */
};

struct pin {              /* a turn */
    mcphost_turn *handle; /* NULL if there is no turn */
    int view, place;      /* place: -1 if the turn's dialog is closed */
    bool whole;           /* a turn for all dialogs of the view */
    const char *agent;
    int shown[N_SCOPES]; /* the editions that the turn pins */
    bool stale;
};

struct seat {
    int server, edition;
    char key[40];
    int pid;          /* 0 if the seat is unused */
    unsigned holders; /* a bit for each dialog that holds the seat */
};

static mcphost_source *source;
static mcphost_view *views[N_TWO];
static struct place places[N_PLACES];
static struct pin pins[N_TURNS];
static struct seat seats[N_SEATS];
static int now[N_SCOPES]; /* the newest editions */
static uint64_t state;
static long n_shared, n_kept, n_ended;

static unsigned
chance(unsigned n)
{
    return stress_random(&state, n);
}

/* ---- the source -------------------------------------------------------------------- */

static void
load_source(void)
{
    char yaml[4096] = "version: 1\nservers:\n";
    size_t n = strlen(yaml);
    mcphost_config *config;

    for (int i = 0; i < N_SCOPES; i++)
        n += (size_t)snprintf(
            yaml + n, sizeof(yaml) - n,
            "  %s:\n    transport: stdio\n"
            "    command: '" MCPH_TEST_PROGDIR "/fakeserver'\n    scope: %s\n"
            "    transform: [{prefix: %s_}]\n"
            "    args: [-e, no-tools, -e, tool who, -e, tool e%d, -e, on call, -e, "
            "' text %d %%p']\n",
            scopes[i], scopes[i], scopes[i], now[i], now[i]);
    STRESS_CHECK(n < sizeof(yaml));
    STRESS_CHECK(mcphost_config_load_memory(yaml, n, "scopes", st.dir, &config, NULL) ==
                 0);
    STRESS_CHECK(mcphost_config_get_status(config) == 0);
    STRESS_CHECK(mcphost_source_load(source, config) == 0);
    mcphost_config_unref(config);
}

/* Checks whether a catalog shows exactly the tools of these editions. */
static bool
shows(mcphost_catalog *catalog, const int editions[N_SCOPES])
{
    bool same = mcphost_catalog_count_tools(catalog) == (size_t)2 * N_SCOPES;

    for (size_t i = 0; i < (size_t)2 * N_SCOPES && same; i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, i);
        char name[32];

        if (i % 2)
            snprintf(name, sizeof(name), "%s_e%d", scopes[i / 2], editions[i / 2]);
        else
            snprintf(name, sizeof(name), "%s_who", scopes[i / 2]);
        same = strcmp(mcphost_tool_get_name(tool), name) == 0 &&
               strcmp(mcphost_tool_get_server_id(tool), scopes[i / 2]) == 0;
    }
    return same;
}

static void
await_editions(void)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;

    for (int i = 0; i < N_TWO; i++) {
        mcphost_catalog *catalog;
        bool shown;

        do {
            if (mcph_clock_monotonic_ms() > until)
                stress_fail("the editions of scopes are not published");
            stress_pump(1);
            STRESS_CHECK(mcphost_view_get_catalog(views[i], &catalog) == 0);
            shown = shows(catalog, now);
            mcphost_catalog_unref(catalog);
        } while (!shown);
    }
    /* Wait for the dispatcher.  The catalog may be published before the dispatcher has
     * ended the replaced editions. */
    edit_await_turn();
}

/* ---- seats and leases -------------------------------------------------------------- */

static bool
is_of(const struct pin *pin, int place)
{
    return pin->whole ? pin->view == places[place].view : pin->place == place;
}

/* Checks whether the edition is the newest, or a turn of the dialog pins it.  If `place`
 * is -1, a turn of any dialog counts.  Without st.serve, turns pin nothing. */
static bool
is_kept(int server, int edition, int place)
{
    if (edition == now[server])
        return true;
    for (int i = 0; i < N_TURNS && st.serve; i++)
        if (pins[i].handle && pins[i].shown[server] == edition &&
            (place < 0 || is_of(&pins[i], place)))
            return true;
    return false;
}

static void
settle_seat(struct seat *seat)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;
    bool held;

    for (int i = 0; i < N_PLACES; i++)
        if (!places[i].handle || !is_kept(seat->server, seat->edition, i))
            seat->holders &= ~(1U << i);
    held = seat->server == FOR_EVERYONE ? is_kept(seat->server, seat->edition, -1)
                                        : seat->holders != 0;
    if (held && kill(seat->pid, 0) < 0)
        stress_fail("process %d of %s, edition %d, for %s has ended too early", seat->pid,
                    scopes[seat->server], seat->edition, seat->key);
    if (held)
        return;
    while (kill(seat->pid, 0) == 0) {
        if (mcph_clock_monotonic_ms() > until)
            stress_fail("process %d of %s, edition %d, for %s does not end", seat->pid,
                        scopes[seat->server], seat->edition, seat->key);
        stress_pump(1);
    }
    seat->pid = 0;
    n_ended++;
}

static bool
holds(int place, int server)
{
    for (int i = 0; i < N_SEATS; i++)
        if (seats[i].pid && seats[i].server == server && seats[i].holders & 1U << place)
            return true;
    return false;
}

/* Makes the scope key of a server for a dialog.  Returns the server's scope, or
 * FOR_DIALOG if the dialog has no agent or no workspace for this scope. */
static int
key_of(int place, int server, char *key, size_t size)
{
    const struct place *p = &places[place];
    const char *own = NULL;

    if (server == FOR_AGENT)
        own = p->agent;
    else if (server == FOR_WORKSPACE)
        own = p->workspace;
    else if (server == FOR_EVERYONE)
        own = "everyone";
    snprintf(key, size, "%s", own ? own : p->id);
    return own ? server : FOR_DIALOG;
}

static int
get_lease(int place, int server, mcphost_lease **ret)
{
    char id[32];

    snprintf(id, sizeof(id), "scopes:%s", scopes[server]);
    return mcphost_dialog_get_lease(places[place].handle, id, ret);
}

static bool
lease_fits(int place, int server)
{
    mcphost_lease *lease;
    char key[40];
    int kind = key_of(place, server, key, sizeof(key)), r;

    r = get_lease(place, server, &lease);
    if (r == MCPHOST_E_NOTFOUND)
        return server == FOR_EVERYONE || !holds(place, server);
    STRESS_CHECK(r == 0 && server != FOR_EVERYONE);
    STRESS_CHECK(mcphost_lease_get_scope(lease) == kinds[kind]);
    STRESS_CHECK(strcmp(mcphost_lease_get_scope_key(lease), key) == 0);
    mcphost_lease_unref(lease);
    return holds(place, server);
}

static void
print_seats(void)
{
    mcphost_status *status;

    for (int i = 0; i < N_SEATS; i++)
        if (seats[i].pid)
            printf("    %s, edition %d, for %s: process %d, held by %x\n",
                   scopes[seats[i].server], seats[i].edition, seats[i].key, seats[i].pid,
                   seats[i].holders);
    STRESS_CHECK(mcphost_get_status(st.host, &status) == 0);
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++) {
        const char *dialog = mcphost_status_lease_get_dialog_id(status, i);

        printf("    lease of %s on %s, process %d\n", dialog ? dialog : "none",
               mcphost_status_lease_get_server_id(status, i),
               (int)mcphost_status_lease_get_pid(status, i));
    }
    mcphost_status_unref(status);
}

/* Checks all seats and leases, and waits for processes that must end. */
static void
settle(void)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENT_MS;

    for (int i = 0; i < N_SEATS; i++)
        if (seats[i].pid)
            settle_seat(&seats[i]);
    for (int i = 0; i < N_PLACES; i++) {
        for (int j = 0; j < N_SCOPES && places[i].handle; j++) {
            while (!lease_fits(i, j)) {
                if (mcph_clock_monotonic_ms() > until) {
                    print_seats();
                    stress_fail("%s should %shold a lease on %s", places[i].id,
                                holds(i, j) ? "" : "not ", scopes[j]);
                }
                stress_pump(1);
            }
        }
    }
}

/* ---- calls ------------------------------------------------------------------------- */

static struct seat *
find_seat(int server, int edition, const char *key)
{
    struct seat *seat = NULL;

    for (int i = 0; i < N_SEATS; i++) {
        if (!seats[i].pid)
            seat = seat ? seat : &seats[i];
        else if (seats[i].server == server && seats[i].edition == edition &&
                 strcmp(seats[i].key, key) == 0)
            return &seats[i];
    }
    STRESS_CHECK(seat != NULL);
    *seat = (struct seat){.server = server, .edition = edition};
    snprintf(seat->key, sizeof(seat->key), "%s", key);
    return seat;
}

static void
check_process(int place, int server, int edition, int pid)
{
    struct seat *seat;
    char key[40];

    (void)key_of(place, server, key, sizeof(key));
    seat = find_seat(server, edition, key);
    if (seat->pid && seat->pid != pid)
        stress_fail("process %d answers %s of %s, not %d of %s", pid, scopes[server],
                    places[place].id, seat->pid, seat->key);
    for (int i = 0; i < N_SEATS && !seat->pid; i++)
        if (seats[i].pid == pid)
            stress_fail("process %d of %s answers %s of %s", pid, seats[i].key,
                        scopes[server], places[place].id);
    n_shared += seat->pid && !(seat->holders & 1U << place);
    n_kept += edition != now[server];
    seat->pid = pid;
    if (server != FOR_EVERYONE)
        seat->holders |= 1U << place;
}

/* Calls a tool of a random server.  The tool is `who`, which every edition has, or the
 * tool that only one edition has.  If `pin` is NULL, the newest edition must answer,
 * otherwise the edition that the turn pins.  Without st.serve, a turn does not keep a
 * replaced edition.  Then the newest edition answers `who`, and a call of the tool that
 * only the replaced edition has must end with MCPHOST_E_GONE. */
static void
use(int place, const struct pin *pin)
{
    int server = (int)chance(N_SCOPES), edition = pin ? pin->shown[server] : now[server];
    bool who = chance(3) != 0, gone = edition != now[server] && !st.serve;
    int answered = 0, pid = 0, r;
    mcphost_call *call;
    char name[32], copy[64];
    const char *text;
    size_t len;

    if (who)
        snprintf(name, sizeof(name), "%s_who", scopes[server]);
    else
        snprintf(name, sizeof(name), "%s_e%d", scopes[server], edition);
    r = pin ? mcphost_call_new_in_turn(places[place].handle, pin->handle, name, "{}", 2,
                                       &call, NULL)
            : mcphost_call_new(places[place].handle, name, "{}", 2, &call, NULL);
    STRESS_CHECK(r == 0);
    STRESS_CHECK(mcphost_call_start(call, NULL, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_call_wait(call, PATIENT_MS) == 1);
    if (gone && !who) {
        STRESS_CHECK(mcphost_error_get_code(mcphost_call_get_error(call)) ==
                     MCPHOST_E_GONE);
    } else {
        if (mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len) <
            0)
            stress_fail("%s of %s: %s", name, places[place].id,
                        mcphost_error_get_message(mcphost_call_get_error(call)));
        snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
        STRESS_CHECK(sscanf(copy, "%d %d", &answered, &pid) == 2);
        if (answered != (gone ? now[server] : edition))
            stress_fail("edition %d answers %s of %s", answered, name, places[place].id);
        check_process(place, server, answered, pid);
    }
    mcphost_call_unref(call);
    stress_draw("scope is used");
}

/* ---- turns ------------------------------------------------------------------------- */

static void
check_pin(const struct pin *pin)
{
    mcphost_catalog *catalog;

    STRESS_CHECK(mcphost_turn_get_catalog(pin->handle, &catalog) == 0);
    if (!shows(catalog, pin->shown))
        stress_fail("a turn does not show what it did when it began");
    mcphost_catalog_unref(catalog);
    STRESS_CHECK(mcphost_turn_is_stale(pin->handle) == pin->stale);
}

static void
begin_turn(struct pin *pin, int place)
{
    const struct place *p = &places[place];

    *pin = (struct pin){.view = p->view, .place = place, .agent = p->agent};
    pin->whole = chance(4) == 0;
    if (pin->whole)
        STRESS_CHECK(mcphost_turn_new_view(views[p->view], p->agent, &pin->handle) == 0);
    else
        STRESS_CHECK(mcphost_turn_new(p->handle, &pin->handle) == 0);
    memcpy(pin->shown, now, sizeof(now));
    stress_draw("turn");
}

static void
end_turn(struct pin *pin)
{
    check_pin(pin);
    if (pin->place < 0)
        stress_draw("turn outlives its dialog");
    if (chance(2))
        STRESS_CHECK(mcphost_turn_end(pin->handle) == 0);
    mcphost_turn_unref(pin->handle);
    pin->handle = NULL;
}

static void
invalidate(const char *agent, int view)
{
    if (agent)
        STRESS_CHECK(mcphost_invalidate_agent(st.host, agent) == 0);
    else
        STRESS_CHECK(mcphost_invalidate_view(views[view]) == 0);
    for (int i = 0; i < N_TURNS; i++) {
        struct pin *pin = &pins[i];

        if (pin->handle &&
            (agent ? pin->agent && strcmp(pin->agent, agent) == 0 : pin->view == view))
            pin->stale = true;
    }
    stress_draw(agent ? "agent invalidated" : "view invalidated");
}

/* ---- dialogs ----------------------------------------------------------------------- */

static void
open_place(struct place *p)
{
    static const char *const keys[] = {NULL, "x", "y"};

    p->view = (int)chance(N_TWO);
    p->agent = keys[chance(3)];
    p->workspace = keys[chance(3)];
    snprintf(p->id, sizeof(p->id), "scoped%d-%u", (int)(p - places), ++p->made);
    STRESS_CHECK(mcphost_dialog_new(views[p->view], p->id, NULL, &p->handle, NULL) == 0);
    if (p->agent)
        STRESS_CHECK(mcphost_dialog_set_agent(p->handle, p->agent) == 0);
    if (p->workspace)
        STRESS_CHECK(mcphost_dialog_set_workspace(p->handle, p->workspace) == 0);
}

static void
close_place(struct place *p)
{
    for (int i = 0; i < N_TURNS; i++)
        if (!pins[i].whole && pins[i].place == p - places)
            pins[i].place = -1;
    STRESS_CHECK(mcphost_dialog_close(p->handle) == 0);
    p->handle = mcphost_dialog_unref(p->handle);
}

static void
release(int place)
{
    int server = (int)chance(FOR_EVERYONE);
    mcphost_lease *lease;

    if (!holds(place, server))
        return;
    STRESS_CHECK(get_lease(place, server, &lease) == 0);
    STRESS_CHECK(mcphost_lease_release(lease) == 0);
    mcphost_lease_unref(lease);
    for (int i = 0; i < N_SEATS; i++)
        if (seats[i].server == server)
            seats[i].holders &= ~(1U << place);
    stress_draw("released");
}

/* ---- steps ------------------------------------------------------------------------- */

static void
begin(void)
{
    static const char *const names[N_TWO] = {"scopes0", "scopes1"};

    state = st.seed * 5;
    STRESS_CHECK(mcphost_source_new(st.host, "scopes", &source, NULL) == 0);
    for (int i = 0; i < N_TWO; i++) {
        STRESS_CHECK(mcphost_view_new_layered(st.host, names[i], &views[i], NULL) == 0);
        STRESS_CHECK(mcphost_view_add_source(views[i], source, NULL, 0) == 0);
    }
    load_source();
    await_editions();
    for (int i = 0; i < N_PLACES; i++)
        open_place(&places[i]);
}

static void
edit(void)
{
    now[chance(N_SCOPES)]++;
    load_source();
    await_editions();
    stress_draw("scope edited");
}

/* Draws a turn in which the dialog can make calls.  Returns NULL if the draw finds no
 * turn. */
static const struct pin *
draw_pin(int place)
{
    unsigned at = chance(N_TURNS);

    for (unsigned i = 0; i < N_TURNS && chance(4); i++) {
        const struct pin *pin = &pins[(at + i) % N_TURNS];

        if (pin->handle && is_of(pin, place))
            return pin;
    }
    return NULL;
}

static void
act(int place, struct pin *pin, unsigned what)
{
    struct place *p = &places[place];

    stress_log("scopes: %u for %s", what, p->id);
    if (what == 0 && p->handle)
        close_place(p);
    else if (!p->handle)
        open_place(p);
    else if (what < 3)
        edit();
    else if (what == 3)
        release(place);
    else if (what == 4)
        invalidate(chance(2) ? p->agent : NULL, p->view);
    else if (what < 8 && !pin->handle)
        begin_turn(pin, place);
    else if (what < 6)
        end_turn(pin);
    else
        use(place, draw_pin(place));
}

void
scopes_step(void)
{
    if (st.step == 1)
        begin();
    if (chance(2))
        return;
    act((int)chance(N_PLACES), &pins[chance(N_TURNS)], chance(14));
    settle();
}

/* Closes the dialogs, then removes the source, and then ends the turns. */
void
scopes_end(void)
{
    for (int i = 0; i < N_PLACES; i++)
        if (places[i].handle)
            close_place(&places[i]);
    settle();
    STRESS_CHECK(mcphost_source_remove(source) == 0);
    for (int i = 0; i < N_TURNS; i++)
        if (pins[i].handle)
            end_turn(&pins[i]);
    for (int i = 0; i < N_TWO; i++)
        mcphost_view_unref(views[i]);
    mcphost_source_unref(source);
    printf("stress: %ld times a dialog came to another's process, %ld answers of "
           "editions that were replaced, %ld processes ended when they should\n",
           n_shared, n_kept, n_ended);
}
