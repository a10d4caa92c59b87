/* SPDX-License-Identifier: MIT
 *
 * stress.h - random edits of the configuration of a running host, and a model of the
 * tools that the host may publish.
 *
 * A launch is a program with its arguments.  The arguments and each answer of the program
 * contain the launch's number.  An edition is a launch as a view shows it.  For each
 * server the model keeps the set of editions that may be the server's last good edition.
 * Before an edit, the model adds the editions that the edit may lead to.  Later
 * observations remove editions.  So the model does not need to predict the order of
 * events inside the host.
 *
 * The main thread edits the file and observes the host.  The completion of a call starts
 * the next call, maybe on another thread.  `st.lock` guards the model and the calls.
 */
#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <mcphost/mcphost.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

#define STRESS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#define N_SERVERS  6
#define N_DIALOGS  8
#define N_SLOTS    2 /* largest number of calls of a dialog at the same time */
#define N_MAY      48
#define N_TOOLS    8 /* the last tool belongs to one launch only */
#define N_OBSERVED 128
#define TOOL_SLOW  4 /* tools with lower numbers are in one of a launch's two lists */
#define TOOL_BOOM  5
#define TOOL_TURN  6 /* a call makes the process offer the second list */
#define TOOL_OWN   7
#define N_MEMBERS  3
#define N_NAMES    10

/* The ways in which a launch starts or fails to start. */
enum {
    FARE_WELL,
    FARE_SLOWLY,
    FARE_SECOND, /* starts at the second attempt */
    FARE_GOOD,   /* a launch starts if its fare is less than FARE_GOOD */
    FARE_NO_PROGRAM,
    FARE_EXIT,
    FARE_NO_LIST,
    FARE_BAD_LIST,
    FARE_NO_ENV,
    FARE_HANG,
    FARE_END
};

enum { MODE_EXPLICIT, MODE_WATCH, MODE_POLL, MODE_TURN };

/* The operation that finds no space on the disk. */
enum { FULL_NOT, FULL_FOR_NAMES, FULL_FOR_BYTES, FULL_FOR_SYNC };

enum { HTTP_NOT, HTTP_MODERN, HTTP_LEGACY };

struct launch {
    unsigned tools; /* a bit for each tool of the first list */
    int fare;
    int http;
    bool turned;     /* one of its processes can offer the second list */
    bool turned_all; /* the second list can be published */
};

struct edition {
    int launch;  /* 0 means that nothing is published */
    bool second; /* the process offers the second list */
    bool shared;
    unsigned whitelist; /* a bit for each allowed tool; 0 means no whitelist */
    int prefix;         /* 0 means no prefix */
};

struct entry { /* a server in the file */
    bool present, enabled, invalid;
    struct edition want;
};

struct server {
    struct edition may[N_MAY]; /* the possible last good editions */
    int n_may;
    struct entry entry;  /* the entry that was applied last */
    struct edition last; /* the previous wanted edition, which an edit can restore */
    bool fits;           /* the published tools fit the wanted edition */
    bool dying;          /* until the next quiet point, a call of the server may fail
                          * because its process has ended or its session was lost */
};

/* A published name and its server.  If `loose` is true, the server may have lost the name
 * since the last observation, so that another server may have the name. */
struct held {
    char name[64];
    int server;
    bool loose;
};

/* ---- the team ---------------------------------------------------------------------- */

struct grant {
    char toolsets[N_NAMES][16], tools[N_NAMES][16];
    int n_toolsets, n_tools;
};

enum { MEMBER_FINE, MEMBER_INVALID, MEMBER_ABSENT };
enum { GRANT_NO, GRANT_MAYBE, GRANT_YES };

struct member {
    mcphost_view *view;
    uint64_t version;
    struct grant drawn; /* the grant in the file, if `fate` is MEMBER_FINE */
    int fate;
    struct grant grant, next; /* `grant`: in force; `next`: maybe in force if `pending` */
    bool pending;
};

struct dialog {
    mcphost_dialog *handle;
    mcphost_tool *kept; /* a tool of an earlier catalog */
    unsigned made;      /* number of dialogs opened in this element so far */
    int member;         /* -1 for a dialog in the default view */
    bool in_turn;
};

struct call {
    mcphost_call *handle;          /* NULL if the slot is idle */
    int dialog, server, tool, own; /* `own`: the launch whose own tool is called */
    char token[48];
    int may[64], n_may; /* launches that can give the answer */
    bool may_gone, may_die, may_cancel, may_denied;
    bool pinned; /* only one launch can answer, because a turn keeps its servers */
    int ends;    /* number of completions */
};

struct observed {
    char name[64];
    int server; /* -1 for a built-in tool */
};

struct stress {
    pthread_mutex_t lock;
    mcphost *host;
    char dir[64], tag[32];
    uint64_t seed, edits, traffic; /* `edits`, `traffic`: states of random generators */
    long steps, step;
    int mode;
    bool serve;          /* MCPHOST_REMOVED_SERVE is set: turns keep their servers */
    bool profiles_alone; /* edit only the sources of profiles.c */
    bool thread, draining, over;

    struct launch *launches;
    int n_launches, cap_launches;
    struct server servers[N_SERVERS];
    int order[N_SERVERS]; /* order of the servers in the file that was applied last */
    struct held held[N_OBSERVED];
    size_t n_held;
    long n_kept; /* number of checks that a name has stayed with its server */

    struct entry file[N_SERVERS]; /* the entries that are or will be in the file */
    int file_order[N_SERVERS];
    bool written; /* the file was written and not deleted */
    long marker;  /* number in the id of the entry that marks the newest write */

    struct member members[N_MEMBERS];
    mcphost_dialog *turner; /* calls built-in tools; its turns reload the files */
    struct dialog dialogs[N_DIALOGS];
    struct call calls[N_DIALOGS][N_SLOTS];
    long n_calls, n_results, n_gone, n_died, n_cancelled, n_denied, n_freed;
    long n_turns, n_pinned, n_refused, n_turned;

    uint64_t version; /* highest version of the default view's catalog in an event */
    long n_catalogs;
    bool closed;
    char **builtins;
    int n_builtins;
    long rss_kib;
};

extern struct stress st;

/* ---- stress.c ---------------------------------------------------------------------- */

void stress_log(const char *fmt, ...) STRESS_PRINTF(1, 2);
void stress_draw(const char *what); /* counts an event */
_Noreturn void stress_fail(const char *fmt, ...) STRESS_PRINTF(1, 2);
void stress_pump(int ms); /* dispatches or, with -t, sleeps; call this without the lock */
unsigned stress_random(uint64_t *state, unsigned n); /* returns 0 to n - 1 */
#define STRESS_CHECK(condition)                                       \
    do {                                                              \
        if (!(condition))                                             \
            stress_fail("%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* ---- model.c ----------------------------------------------------------------------- */

extern const char *const model_tools[N_TOOLS];
int model_launch(int fare, unsigned tools, int http); /* returns the launch's number */
unsigned model_list(int launch, bool second);         /* returns a bit for each tool */
bool model_comes_up(const struct edition *edition);
/* These functions record an edit in the model.  Call model_grow() before the edit, and
 * model_applied() after the host has applied the edit. */
void model_grow(const struct entry entries[N_SERVERS]);
void model_applied(const struct entry entries[N_SERVERS], const int order[N_SERVERS]);
/* Checks the published catalog, and removes editions that do not fit the catalog. */
void model_observe(void);
bool model_reached(int server);     /* returns whether the wanted edition is published */
void model_note(struct call *call); /* adds the outcomes that are possible now */
/* Records that only this launch can answer the call. */
void model_pin(struct call *call, int launch);
/* Returns a text with the possible editions of a server, for messages. */
const char *model_text(int server);

/* ---- traffic.c --------------------------------------------------------------------- */

void traffic_open(int dialog);
void traffic_reopen(int dialog);
void traffic_go(void);    /* starts a call in each idle slot */
void traffic_drain(void); /* waits until all calls have ended */
void traffic_dying(int server);
void traffic_close(void);

void traffic_regrant(void); /* call this with the lock held, before grants change */

/* ---- edit.c ------------------------------------------------------------------------ */

void edit_begin(void);
void edit_step(void);
void edit_restore(void); /* writes the file again if it was spoilt or deleted */
/* In the modes `explicit` and `turn`, makes the host check the files. */
void edit_tell(void);
void edit_await_turn(void);

/* ---- admin.c ----------------------------------------------------------------------- */

void admin_restart(int server); /* calls mcp_restart */
void admin_disable(int server);
void admin_disk_full(int server);

/* ---- team.c ------------------------------------------------------------------------ */

void team_begin(void);      /* call this before the workspace is loaded */
void team_take_views(void); /* call this after the workspace is loaded */
void team_step(void);
void team_gone(void);
void team_await(void);
void team_observe(void);
int team_judge(int member, int server, int tool);

/* ---- faults.c ---------------------------------------------------------------------- */

void faults_disk(int how);
void faults_unreadable(bool yes);
void faults_inotify(int init, int add); /* errno values, or 0 */
void faults_clock(long seconds);
bool faults_clock_is_set(void);

/* ---- http.c ------------------------------------------------------------------------ */

int http_port(int launch); /* starts the launch's process if needed */
/* If `restart` is true, restarts an HTTP server.  Otherwise makes a legacy HTTP server
 * forget its sessions.  Returns false if there is no server to choose. */
bool http_trouble(unsigned at, bool restart);
/* Ends the servers' processes.  If `all` is false, keeps the process of each launch that
 * may still be used. */
void http_reap(bool all);

/* ---- passing.c --------------------------------------------------------------------- */

void passing_step(void);
void passing_end(void);

/* ---- scopes.c ---------------------------------------------------------------------- */

void scopes_step(void);
void scopes_end(void);

/* ---- layers.c ---------------------------------------------------------------------- */

void layers_step(void);
void layers_end(void);

/* ---- profiles.c -------------------------------------------------------------------- */

void profiles_step(void);
void profiles_end(void);

/* ---- look.c ------------------------------------------------------------------------ */

void look_tool(mcphost_tool *tool, struct observed *seen);
/* Reads the tools of the catalog into `observed` and returns their number.  Without the
 * option -t, also checks that the catalog's version has not decreased. */
size_t look_catalog(struct observed *observed);
void look_builtins(void);
bool look_applied(void);
void look_quiet(void); /* waits until the host is at rest and fits the model */
int look_processes(pid_t *pids, int *launches, int size);
int look_children(void);
int look_descriptors(void);
long look_rss_kib(void);

#endif
