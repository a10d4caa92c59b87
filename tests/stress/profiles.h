/* SPDX-License-Identifier: MIT
 *
 * profiles.h - sources of several profiles in one host, views that layer the sources, and
 * dialogs that call tools of the views while the files are edited.
 *
 * A shape is an edition of a server.  One tool of the shape has the shape's number in its
 * name, and each answer of the shape contains the number.  The test waits until an edit
 * is applied, so that the model can predict what a view shows.  The test does not wait
 * for calls.  An edit adds the server's new shape to the shapes that may answer a call in
 * flight.
 *
 * A run is an mcphost_chatos_run.  A reader has one dialog at a time.  A pin is a turn of
 * a reader's dialog.
 *
 * The main thread edits the files.  Calls end on the dispatching thread.  `st.lock`
 * guards the data that both threads use.
 */
#ifndef TESTS_STRESS_PROFILES_H
#define TESTS_STRESS_PROFILES_H

#include "stress/stress.h"

#define N_OF       4  /* maximum number of servers of a source */
#define N_RUNS     2  /* largest number of runs at the same time */
#define N_READERS  30 /* number of dialogs */
#define N_PINS     10 /* largest number of turns at the same time */
#define PATIENT_MS 15000

/* The sources.  The servers of each run have a source of their own. */
enum { OF_GOCLAW, OF_MCPSERVERS, OF_CHATOS, OF_RUNS, N_SOURCES = OF_RUNS + N_RUNS };

struct shape {
    int number; /* 0 means that nothing is published */
    bool common;
};

struct offer { /* a server of a source */
    bool present, enabled;
    bool works; /* `wanted` starts; if not, the last good shape stays */
    struct shape wanted, shown;
};

struct origin {                 /* a source */
    mcphost_source *source;     /* NULL for the source of a run */
    const char *id;             /* the source's id or the start of the id */
    const char *servers[N_OF];  /* ids; unused places are NULL */
    const char *prefixes[N_OF]; /* prefixes of the tools' names; NULL means "" */
    char letter;                /* first letter of the tools' names */
    bool serves;                /* a turn keeps the servers that it has at its start */
    struct offer offers[N_OF];
};

struct reader {
    mcphost_dialog *handle;
    mcphost_view *view;
    unsigned chosen, made; /* `chosen`: a bit for each source of the view; `made`: the
                            * number of dialogs opened so far */
    bool tools;
    const char *agent;
};

struct pin {
    mcphost_turn *handle; /* NULL if there is no turn */
    int reader;           /* -1 if the turn's dialog is closed */
    const char *agent;
    unsigned chosen;
    bool tools, stale;
    struct shape shown[N_SOURCES][N_OF];
};

extern struct origin origins[N_SOURCES];
extern struct reader readers[N_READERS];

/* ---- profiles.c -------------------------------------------------------------------- */

unsigned profiles_chance(unsigned n);
/* Makes the source of an origin and sets its policies.  If `reload` is -1, the source
 * uses the host's reload mode. */
mcphost_source *profiles_source(int origin, int reload);
/* Draws a new edition of a server.  One edition in six does not start. */
struct offer profiles_draw(void);
/* Changes a server of the test's model to `next`, and computes the server's `shown`
 * shape.  Call this before an edit. */
void profiles_edit(int origin, int server, const struct offer *next);
/* Waits until each view shows the tools that the model predicts. */
void profiles_await(void);
bool profiles_shows(mcphost_catalog *catalog, unsigned chosen, bool tools,
                    const struct shape shown[N_SOURCES][N_OF]);
/* Returns the path of the script for the fake server.  Writes the script if it is
 * missing. */
const char *profiles_script(int origin, int server, const struct offer *offer);
/* Makes the name that a tool has in views.  If `number` is 0, makes the name of the tool
 * that each edition has. */
void profiles_tool_name(char *name, size_t size, int origin, int server, int number);
/* Replaces the whole file by `text`. */
void profiles_save(const char *path, const char *text);

/* ---- profiles_readers.c ------------------------------------------------------------ */

/* Distributes the readers over these views and opens their dialogs. */
void readers_begin(mcphost_view *const *views, const unsigned *chosen, const bool *tools,
                   int n_views);
void readers_change(void); /* begins or ends a turn, or replaces a dialog */
void readers_end(void);
/* Returns a turn of the reader, or NULL.  `at` is the index in `pins` at which the search
 * begins. */
const struct pin *readers_find_pin(int reader, unsigned at);
/* Calls a built-in tool of the reader's view.  Returns the text of the result, which is
 * valid until the next call of this function. */
const char *readers_ask(int reader, const char *tool, const char *arguments);
int readers_draw(void);                /* draws a reader with goclaw's tools */
const char *readers_agent(int reader); /* NULL if the dialog has no agent */
void readers_stale(const char *agent); /* the model marks the agent's turns as stale */

/* ---- profiles_calls.c -------------------------------------------------------------- */

void calls_begin(void);
void calls_go(void);    /* starts calls for some idle readers */
void calls_drain(void); /* waits until all calls have ended */
void calls_kill(void);  /* kills the process that answered last */
void calls_tell(void);
/* Adds the server's shown shape to the shapes that may answer each of the server's calls
 * in flight.  Skips the calls whose turn keeps the server.  Call this with the lock held,
 * after an edit has changed the shape in the model. */
void calls_edited(int origin, int server);
void calls_close(int reader);               /* call this before the dialog closes */
void calls_await(int reader);               /* waits until the reader's call has ended */
void calls_end_turn(const struct pin *pin); /* call this before the turn ends */

/* ---- profiles_goclaw.c, profiles_mcpservers.c, profiles_chatos.c ------------------- */

void goclaw_begin(void);
mcphost_builtins *goclaw_tools(void);
void goclaw_step(void);
void goclaw_end(void);
void mcpservers_begin(void);
void mcpservers_step(void);
void chatos_begin(mcphost_view *const *views); /* one view for each of N_RUNS runs */
void chatos_step(void);
void chatos_end(void);

#endif
