/* SPDX-License-Identifier: MIT
 *
 * stress.h - random edits against a running host, and a model that knows what may
 * come of them.
 *
 * A launch is a program with its arguments, numbered; its number is in its arguments
 * and in each of its answers.  An edition is a launch as a view shows it.  Of each
 * server the model keeps the set of editions that may be its last good one: what an
 * edit adds is added before the edit is made, what was observed since takes away.  So
 * the order of events inside the host, which is nobody's business, needs no
 * prediction.
 *
 * The main thread edits and looks; calls are made from completions, which another
 * thread may run.  `st.lock` guards the model and the calls.
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
#define N_SLOTS    2 /* calls of a dialog at once */
#define N_MAY      48
#define N_TOOLS    8 /* the last is the launch's own */
#define N_OBSERVED 128
#define TOOL_SLOW  4 /* those before it are in one of a launch's two lists each */
#define TOOL_BOOM  5
#define TOOL_TURN  6 /* its process offers the second list from then on */
#define TOOL_OWN   7
#define N_MEMBERS  3
#define N_NAMES    10

/* How a launch fares. */
enum {
    FARE_WELL,
    FARE_SLOWLY,
    FARE_SECOND, /* comes up at the second attempt */
    FARE_GOOD,   /* up to here it comes up */
    FARE_NO_PROGRAM,
    FARE_EXIT,
    FARE_NO_LIST,
    FARE_BAD_LIST,
    FARE_NO_ENV,
    FARE_HANG,
    FARE_END
};

enum { MODE_EXPLICIT, MODE_WATCH, MODE_POLL, MODE_TURN };

/* What there is no room for on the disk. */
enum { FULL_NOT, FULL_FOR_NAMES, FULL_FOR_BYTES, FULL_FOR_SYNC };

enum { HTTP_NOT, HTTP_MODERN, HTTP_LEGACY };

struct launch {
    unsigned tools; /* bits */
    int fare;
    int http;
    bool turned;     /* a process of it may offer the second list */
    bool turned_all; /* one that is everybody's may */
};

struct edition {
    int launch;  /* 0: nothing is published */
    bool second; /* the second list of its process */
    bool shared;
    unsigned whitelist; /* bits; 0: none */
    int prefix;         /* 0: none */
};

struct entry { /* of the file */
    bool present, enabled, invalid;
    struct edition want;
};

struct server {
    struct edition may[N_MAY]; /* one of these is the last good edition */
    int n_may;
    struct entry entry;  /* applied last */
    struct edition last; /* wanted before: to go back to */
    bool fits;           /* what is wanted may be what is published */
    bool dying;          /* a process of it was killed; until the next quiet point */
};

/* A name that was published as a server's.  `loose`: since then that server may have been
 * without it, so that any other may have it now. */
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
    struct grant drawn; /* in the file, when that is fine */
    int fate;
    struct grant grant, next; /* in force; `next` may be too */
    bool pending;
};

struct dialog {
    mcphost_dialog *handle;
    mcphost_tool *kept; /* from an earlier catalog */
    unsigned made;      /* dialogs in this place */
    int member;         /* -1: of everybody's view */
    bool in_turn;
};

struct call {
    mcphost_call *handle;          /* NULL: the slot is idle */
    int dialog, server, tool, own; /* own: the launch whose own tool it is */
    char token[48];
    int may[64], n_may; /* launches that may answer */
    bool may_gone, may_die, may_cancel, may_denied;
    bool pinned; /* by a turn whose servers go on: nothing else may answer */
    int ends;    /* how often it was told to have ended */
};

struct observed {
    char name[64];
    int server; /* -1: a built-in */
};

struct stress {
    pthread_mutex_t lock;
    mcphost *host;
    char dir[64], tag[32];
    uint64_t seed, edits, traffic; /* states of two generators */
    long steps, step;
    int mode;
    bool serve;          /* what a turn has goes on until it ends */
    bool profiles_alone; /* only sources of other profiles are edited */
    bool thread, draining, over;

    struct launch *launches;
    int n_launches, cap_launches;
    struct server servers[N_SERVERS];
    int order[N_SERVERS]; /* of the file that was applied last */
    struct held held[N_OBSERVED];
    size_t n_held;
    long n_kept; /* names that had to be where they were */

    struct entry file[N_SERVERS]; /* as it is, or is to be again */
    int file_order[N_SERVERS];
    bool written; /* the file stands there as `file` says */
    long marker;  /* in the file */

    struct member members[N_MEMBERS];
    mcphost_dialog *turner; /* whose turns have the files looked at */
    struct dialog dialogs[N_DIALOGS];
    struct call calls[N_DIALOGS][N_SLOTS];
    long n_calls, n_results, n_gone, n_died, n_cancelled, n_denied, n_freed;
    long n_turns, n_pinned, n_refused, n_turned;

    uint64_t version; /* the highest seen */
    long n_catalogs;
    bool closed;
    char **builtins;
    int n_builtins;
    long rss_kib;
};

extern struct stress st;

/* ---- stress.c ---------------------------------------------------------------------- */

void stress_log(const char *fmt, ...) STRESS_PRINTF(1, 2);
void stress_draw(const char *what); /* counts it */
_Noreturn void stress_fail(const char *fmt, ...) STRESS_PRINTF(1, 2);
void stress_pump(int ms); /* lets the host work; without the lock */
unsigned stress_random(uint64_t *state, unsigned n); /* 0 to n - 1 */
#define STRESS_CHECK(condition)                                       \
    do {                                                              \
        if (!(condition))                                             \
            stress_fail("%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* ---- model.c ----------------------------------------------------------------------- */

extern const char *const model_tools[N_TOOLS];
int model_launch(int fare, unsigned tools, int http); /* makes one: its number */
unsigned model_list(int launch, bool second);         /* its tools, as bits */
bool model_comes_up(const struct edition *edition);
/* The edit may be applied from now on; it has been applied. */
void model_grow(const struct entry entries[N_SERVERS]);
void model_applied(const struct entry entries[N_SERVERS], const int order[N_SERVERS]);
/* Compares with what is published, and learns from it. */
void model_observe(void);
bool model_reached(int server);                /* what is wanted is what is published */
void model_note(struct call *call);            /* what may come of it as things are */
void model_pin(struct call *call, int launch); /* nothing else may answer */
/* "s3: 17 or 18" */
const char *model_text(int server);

/* ---- traffic.c --------------------------------------------------------------------- */

void traffic_open(int dialog);
void traffic_reopen(int dialog);
void traffic_go(void);    /* starts a call wherever none is under way */
void traffic_drain(void); /* until all have ended */
void traffic_dying(int server);
void traffic_close(void);

void traffic_regrant(void); /* under the lock: grants are about to change */

/* ---- edit.c ------------------------------------------------------------------------ */

void edit_begin(void);
void edit_step(void);
void edit_restore(void); /* the file stands as it should again */
void edit_tell(void);    /* where the host does not notice by itself */
void edit_await_turn(void);

/* ---- admin.c ----------------------------------------------------------------------- */

void admin_restart(int server); /* by the tool */
void admin_disable(int server);
void admin_disk_full(int server);

/* ---- team.c ------------------------------------------------------------------------ */

void team_begin(void);      /* before the workspace is loaded */
void team_take_views(void); /* after */
void team_step(void);
void team_gone(void);
void team_await(void);
void team_observe(void);
int team_judge(int member, int server, int tool);

/* ---- faults.c ---------------------------------------------------------------------- */

void faults_disk(int how);
void faults_unreadable(bool yes);
void faults_inotify(int init, int add); /* errno, or 0 */
void faults_clock(long seconds);
bool faults_clock_is_set(void);

/* ---- http.c ------------------------------------------------------------------------ */

int http_port(int launch); /* of its process, which is started */
/* One of them is killed and started again, or forgets its sessions; false: there is
 * none. */
bool http_trouble(unsigned at, bool restart);
void http_reap(bool all); /* all, or those that nobody needs */

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
size_t look_catalog(struct observed *observed); /* and the version */
void look_builtins(void);
bool look_applied(void);
void look_quiet(void); /* waits until all has come to rest; compares everything */
int look_processes(pid_t *pids, int *launches, int size);
int look_children(void);
int look_descriptors(void);
long look_rss_kib(void);

#endif
