/* SPDX-License-Identifier: MIT
 *
 * profiles_readers.c - thirty dialogs and their turns.
 *
 * Each dialog belongs to the agent `main`, to the agent `aide`, or to no agent.
 */
#include <stdio.h>
#include <string.h>

#include "stress/profiles.h"

struct reader readers[N_READERS];
static struct pin pins[N_PINS];
static long n_turns, n_in_turn;

/* ---- turns ------------------------------------------------------------------------- */

const struct pin *
readers_find_pin(int reader, unsigned at)
{
    for (unsigned i = 0; i < N_PINS; i++) {
        const struct pin *pin = &pins[(at + i) % N_PINS];

        if (pin->handle && pin->reader == reader)
            return pin;
    }
    return NULL;
}

void
readers_stale(const char *agent)
{
    for (int i = 0; i < N_PINS; i++)
        if (pins[i].handle && pins[i].agent && strcmp(pins[i].agent, agent) == 0)
            pins[i].stale = true;
}

static void
begin_turn(struct pin *pin, int at)
{
    const struct reader *reader = &readers[at];

    *pin = (struct pin){.reader = at,
                        .agent = reader->agent,
                        .chosen = reader->chosen,
                        .tools = reader->tools};
    for (int i = 0; i < N_SOURCES; i++)
        for (int j = 0; j < N_OF; j++)
            pin->shown[i][j] = origins[i].offers[j].shown;
    STRESS_CHECK(mcphost_turn_new(reader->handle, &pin->handle) == 0);
    n_turns++;
    stress_draw("reader's turn");
}

static void
check_turn(const struct pin *pin)
{
    mcphost_catalog *catalog;

    STRESS_CHECK(mcphost_turn_get_catalog(pin->handle, &catalog) == 0);
    if (!profiles_shows(catalog, pin->chosen, pin->tools, pin->shown))
        stress_fail("a turn of reader %d does not show what it did when it began",
                    pin->reader);
    mcphost_catalog_unref(catalog);
    if (mcphost_turn_is_stale(pin->handle) != pin->stale)
        stress_fail("a turn of reader %d, agent %s, is %sstale", pin->reader,
                    pin->agent ? pin->agent : "none", pin->stale ? "not " : "");
}

static void
end_turn(struct pin *pin)
{
    check_turn(pin);
    calls_end_turn(pin);
    mcphost_turn_end(pin->handle);
    pin->handle = mcphost_turn_unref(pin->handle);
}

/* ---- goclaw's tools ---------------------------------------------------------------- */

int
readers_draw(void)
{
    int at;

    do
        at = (int)profiles_chance(N_READERS);
    while (!readers[at].tools);
    return at;
}

const char *
readers_agent(int reader)
{
    return readers[reader].agent;
}

const char *
readers_ask(int reader, const char *tool, const char *arguments)
{
    static char copy[65536];
    const struct pin *pin =
        profiles_chance(4) ? readers_find_pin(reader, profiles_chance(N_PINS)) : NULL;
    mcphost_error *error;
    mcphost_call *call;
    const char *text;
    size_t len;
    int r;

    if (pin)
        r = mcphost_call_new_in_turn(readers[reader].handle, pin->handle, tool, arguments,
                                     strlen(arguments), &call, &error);
    else
        r = mcphost_call_new(readers[reader].handle, tool, arguments, strlen(arguments),
                             &call, &error);
    n_in_turn += pin != NULL;
    if (r < 0)
        stress_fail("%s %s: %s", tool, arguments, mcphost_error_get_message(error));
    STRESS_CHECK(mcphost_call_start(call, NULL, NULL, NULL) == 0);
    STRESS_CHECK(mcphost_call_wait(call, PATIENT_MS) == 1);
    error = mcphost_call_get_error(call);
    if (error)
        stress_fail("%s %s: %s", tool, arguments, mcphost_error_get_message(error));
    STRESS_CHECK(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len) == 0);
    STRESS_CHECK(len < sizeof(copy));
    snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
    mcphost_call_unref(call);
    return copy;
}

/* ---- dialogs ----------------------------------------------------------------------- */

static void
open_reader(int at)
{
    static const char *const agents[] = {"main", "aide", "main", "aide", NULL};
    struct reader *reader = &readers[at];
    char id[32];

    snprintf(id, sizeof(id), "reader%d-%u", at, ++reader->made);
    STRESS_CHECK(mcphost_dialog_new(reader->view, id, NULL, &reader->handle, NULL) == 0);
    reader->agent = agents[profiles_chance(5)];
    if (reader->agent)
        STRESS_CHECK(mcphost_dialog_set_agent(reader->handle, reader->agent) == 0);
    STRESS_CHECK(mcphost_dialog_set_workspace(reader->handle, at % 2 ? "u" : "v") == 0);
}

static void
close_reader(int at)
{
    struct reader *reader = &readers[at];

    calls_close(at);
    for (int i = 0; i < N_PINS; i++)
        if (pins[i].reader == at)
            pins[i].reader = -1;
    STRESS_CHECK(mcphost_dialog_close(reader->handle) == 0);
    reader->handle = mcphost_dialog_unref(reader->handle);
}

static void
replace_reader(int at)
{
    close_reader(at);
    calls_await(at);
    open_reader(at);
    stress_draw("reader");
}

void
readers_change(void)
{
    struct pin *pin = &pins[profiles_chance(N_PINS)];
    int at = (int)profiles_chance(N_READERS);

    stress_log("profiles: a change for reader %d", at);
    if (profiles_chance(4) == 0)
        replace_reader(at);
    else if (pin->handle)
        end_turn(pin);
    else
        begin_turn(pin, at);
}

void
readers_begin(mcphost_view *const *views, const unsigned *chosen, const bool *tools,
              int n_views)
{
    calls_begin();
    for (int i = 0; i < N_READERS; i++) {
        readers[i].view = views[i % n_views];
        readers[i].chosen = chosen[i % n_views];
        readers[i].tools = tools[i % n_views];
        open_reader(i);
    }
}

void
readers_end(void)
{
    calls_drain();
    for (int i = 0; i < N_READERS; i++)
        close_reader(i);
    for (int i = 0; i < N_PINS; i++)
        if (pins[i].handle)
            end_turn(&pins[i]);
    calls_tell();
    printf(
        "stress: %ld turns of readers, in which goclaw's tools were called %ld times\n",
        n_turns, n_in_turn);
}
