/* SPDX-License-Identifier: MIT
 *
 * profiles.h - sources of several profiles in one host, views that layer them, and
 * dialogs that call their tools while their files are edited.
 *
 * A shape is an edition of a server: its number is in one of its tools' names and in each
 * of its answers.  Each edit is awaited, so that what a view shows is predicted, not
 * learnt.  Calls are not awaited: an edit adds its shape to those that may answer a call
 * under way.
 *
 * The main thread edits; calls end on the thread that dispatches.  `st.lock` guards all
 * that both use.
 */
#ifndef TESTS_STRESS_PROFILES_H
#define TESTS_STRESS_PROFILES_H

#include "stress/stress.h"

#define N_OF       4  /* servers of a source, at most */
#define N_RUNS     2  /* at once */
#define N_READERS  30 /* dialogs */
#define N_PINS     10 /* turns at once */
#define PATIENT_MS 15000

/* The servers of a run come from a source of the run's own. */
enum { OF_GOCLAW, OF_MCPSERVERS, OF_CHATOS, OF_RUNS, N_SOURCES = OF_RUNS + N_RUNS };

struct shape {
    int number; /* 0: nothing is published */
    bool common;
};

struct offer { /* a server */
    bool present, enabled;
    bool works; /* false: its last good shape goes on */
    struct shape wanted, shown;
};

struct origin {                 /* a source */
    mcphost_source *source;     /* NULL: a run's */
    const char *id;             /* or the begin of its id */
    const char *servers[N_OF];  /* NULL: no more */
    const char *prefixes[N_OF]; /* what the profile puts before a tool's name; NULL: "" */
    char letter;                /* of its tools' own names */
    bool serves;                /* a turn keeps what it began with */
    struct offer offers[N_OF];
};

struct reader {
    mcphost_dialog *handle;
    mcphost_view *view;
    unsigned chosen, made; /* sources of the view, as bits; dialogs in this place */
    bool tools;
    const char *agent;
};

struct pin {
    mcphost_turn *handle; /* NULL: there is none */
    int reader;           /* -1: its dialog is closed */
    const char *agent;
    unsigned chosen;
    bool tools, stale;
    struct shape shown[N_SOURCES][N_OF];
};

extern struct origin origins[N_SOURCES];
extern struct reader readers[N_READERS];

/* ---- profiles.c -------------------------------------------------------------------- */

unsigned profiles_chance(unsigned n);
/* The reload mode -1 is the host's. */
mcphost_source *profiles_source(int origin, int reload);
/* A server with a new edition, of which one in six does not come up. */
struct offer profiles_draw(void);
/* The server is about to become this, but for `shown`. */
void profiles_edit(int origin, int server, const struct offer *next);
/* Until each view shows what it should. */
void profiles_await(void);
bool profiles_shows(mcphost_catalog *catalog, unsigned chosen, bool tools,
                    const struct shape shown[N_SOURCES][N_OF]);
/* The path of the script that the fake server is to follow. */
const char *profiles_script(int origin, int server, const struct offer *offer);
/* As views show it; `number` 0: the tool that each edition has. */
void profiles_tool_name(char *name, size_t size, int origin, int server, int number);
/* `text` takes the place of the file, whole. */
void profiles_save(const char *path, const char *text);

/* ---- profiles_readers.c ------------------------------------------------------------ */

/* Readers are spread over these views. */
void readers_begin(mcphost_view *const *views, const unsigned *chosen, const bool *tools,
                   int n_views);
void readers_change(void); /* a turn begins or ends, or a dialog is replaced */
void readers_end(void);
/* A turn of the reader, or NULL; `at`: the place of the first that is tried. */
const struct pin *readers_find_pin(int reader, unsigned at);
/* What a tool of the view's own answers a dialog; valid until the next call. */
const char *readers_ask(int reader, const char *tool, const char *arguments);
int readers_draw(void);                /* one that has goclaw's tools */
const char *readers_agent(int reader); /* NULL: none */
void readers_stale(const char *agent); /* its turns are */

/* ---- profiles_calls.c -------------------------------------------------------------- */

void calls_begin(void);
void calls_go(void);    /* starts some */
void calls_drain(void); /* until all have ended */
void calls_kill(void);  /* the process that answered last */
void calls_tell(void);
/* Under the lock: the server shows something else from some time on. */
void calls_edited(int origin, int server);
void calls_close(int reader);               /* its dialog is about to be closed */
void calls_await(int reader);               /* until its call has ended */
void calls_end_turn(const struct pin *pin); /* which is about to end */

/* ---- profiles_goclaw.c, profiles_mcpservers.c, profiles_chatos.c ------------------- */

void goclaw_begin(void);
mcphost_builtins *goclaw_tools(void);
void goclaw_step(void);
void goclaw_end(void);
void mcpservers_begin(void);
void mcpservers_step(void);
void chatos_begin(mcphost_view *const *views); /* N_RUNS for runs */
void chatos_step(void);
void chatos_end(void);

#endif
