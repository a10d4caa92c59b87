/* SPDX-License-Identifier: MIT
 *
 * hostrig.h - a whole host under test: a workspace with fake servers, every event
 * kept, and at the end the proof that no descriptor, child or thread is left.
 *
 *     struct hostrig hr;
 *
 *     hr_up(&hr);
 *     hr_server(&hr, "a", "truely-stateless: true", "on call:echo\n text hi");
 *     hr_load(&hr);
 *     ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}"), "hi");
 *     hr_down(&hr);
 *
 * The host is driven by the test's own thread, only inside the functions below and
 * the library's waits.  Everything ends the test when it fails.
 */
#ifndef TESTS_SUPPORT_HOSTRIG_H
#define TESTS_SUPPORT_HOSTRIG_H

#include <mcphost/mcphost.h>

#include "support/rig.h"
#include "support/runner.h"

#define HR_EVENTS  8192
#define HR_HANDLES 2048

struct hr_event {
    int kind, state, code; /* code: of its error */
    int64_t pid;
    uint64_t version;
    double progress;
    char server[48], dialog[48], problem[160], text[512];
};

struct hostrig {
    mcphost *host;
    struct rig_workspace ws;
    struct rig_census before;
    char yaml[16384];
    size_t yaml_len;
    int n_events; /* of `events` */
    /* Also called with each event, from dispatch. */
    void (*on_event)(struct hostrig *hr, const mcphost_event *event);
    void *user;
    int freed; /* how often the event function's argument was freed */
    mcphost_dialog *dialogs[HR_HANDLES];
    mcphost_call *calls[HR_HANDLES];
    int n_dialogs, n_calls;
    struct httprig *webs; /* see httprig.h */
    char log[65536];      /* what hr_keep_log() keeps: "ROOM [SERVER] MESSAGE\n" */
    char say[4096];       /* what hr_say() gave */
    struct hr_event events[HR_EVENTS]; /* the last member: hr_up() leaves it alone */
};

/* A host of its own, with this build's guard and 300 ms for each step of the stop
 * ladder. */
void hr_up(struct hostrig *hr);
/* Closes the host by dispatching, drops all, and takes the census. */
void hr_close(struct hostrig *hr);
/* After that: its web servers go, and the workspace. */
void hr_clear(struct hostrig *hr);
void hr_down(struct hostrig *hr); /* both */
/* The same for a host that a test has ended itself (hr->host is NULL then). */
void hr_down_ended(struct hostrig *hr);

/* ---- configuration: before hr_load() ----------------------------------------------- */

/* A server `id` on the fake server with this script (lines; NULL: none).  `keys` are
 * more keys of its entry, one a line, NULL: none; without a `transform` among them
 * its tools get the prefix "<id>_".  It traces to "<id>.trace". */
void hr_server(struct hostrig *hr, const char *id, const char *keys, const char *script);
/* An entry written out, from its key on, without indentation. */
void hr_entry(struct hostrig *hr, const char *entry);
void hr_option(struct hostrig *hr, int option, int64_t value);
/* From now on lines of the log up to this level are added to hr->log. */
void hr_keep_log(struct hostrig *hr, int level);
/* A grant of these toolsets and tools, parted by blanks. */
mcphost_grant *hr_grant(const char *toolsets, const char *tools);

/* Loads the workspace and waits until every server has come up or failed. */
void hr_load(struct hostrig *hr);
void hr_load_only(struct hostrig *hr); /* without waiting */
void hr_ready(struct hostrig *hr);

/* The same through mcphost_load_workspace(): the file is followed, as
 * MCPHOST_OPT_RELOAD says. */
void hr_follow(struct hostrig *hr);
/* Begins the file anew: the servers that are added next are those of the edit. */
void hr_edit(struct hostrig *hr);
void hr_save(struct hostrig *hr);   /* writes it, atomically */
void hr_reload(struct hostrig *hr); /* writes it and has it read, but does not wait */

/* ---- dialogs and calls; the rig keeps and drops the handles ------------------------ */

mcphost_dialog *hr_dialog(struct hostrig *hr, const char *id);
/* Made and started; not waited for. */
mcphost_call *hr_start(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                       const char *arguments);
/* Made, not started. */
mcphost_call *hr_call(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                      const char *arguments);
void hr_go(mcphost_call *call);
/* Dispatches until it has ended: 0 or the error's code. */
int hr_end(struct hostrig *hr, mcphost_call *call);
/* The text of the first item of a call's result, ended before; lives until the next
 * call of this and of the two below. */
const char *hr_text(struct hostrig *hr, mcphost_call *call);
/* A whole call that must succeed, and its text. */
const char *hr_say(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                   const char *arguments);
int hr_pid(struct hostrig *hr, mcphost_dialog *dialog, const char *tool);
/* A whole call that must fail: its code. */
int hr_fail(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
            const char *arguments);
/* Releases the dialog's lease of this server, which it must have. */
void hr_release(mcphost_dialog *dialog, const char *server);
/* The message of a failed call's error. */
const char *hr_why(mcphost_call *call);

/* ---- looking ----------------------------------------------------------------------- */

/* Dispatches what there is, for so long. */
void hr_turn(struct hostrig *hr, int ms);
/* Dispatches until the condition holds; fails after 3 s, or as many times more as
 * Check's own limits are. */
#define hr_until(hr, condition)                                                    \
    do {                                                                           \
        int64_t hr_end_at = hr_deadline();                                         \
                                                                                   \
        while (!(condition)) {                                                     \
            ck_assert_msg(hr_in_time(hr_end_at), "in vain until: %s", #condition); \
            hr_turn(hr, 10);                                                       \
        }                                                                          \
    } while (0)
int64_t hr_deadline(void);
bool hr_in_time(int64_t deadline);

/* How many events of this kind there were; NULL or -1: any server, dialog, state. */
int hr_count(const struct hostrig *hr, int kind, const char *server, const char *dialog,
             int state);
const struct hr_event *hr_last(const struct hostrig *hr, int kind, const char *server);
/* The place of the first such event, or -1. */
int hr_place(const struct hostrig *hr, int kind, const char *server, int state);

/* The library's own tools, which every view has first. */
#define HR_ADMIN "mcp_restart mcp_release mcp_disable env_get env_set env_unset"

/* The names of the tools that a dialog (NULL: the view) sees, "a_add a_echo". */
const char *hr_tools(struct hostrig *hr, mcphost_dialog *dialog);
/* The same of one server's or toolset's tools. */
const char *hr_toolset(struct hostrig *hr, const char *toolset);
mcphost_tool *hr_tool(struct hostrig *hr, const char *name); /* a reference, or NULL */
uint64_t hr_version(struct hostrig *hr); /* of the default view's catalog */
bool hr_has(struct hostrig *hr, const char *tool);
/* Of the status: the row of a server, and what stands in it. */
int hr_server_state(struct hostrig *hr, const char *id);
void hr_loaded(struct hostrig *hr, const char *id); /* it must be */
int64_t hr_server_pid(struct hostrig *hr, const char *id);
/* The message of its error, "" when there is none. */
const char *hr_server_why(struct hostrig *hr, const char *id);
size_t hr_leases(struct hostrig *hr);
/* The message of the problem with this id, or NULL. */
const char *hr_problem(struct hostrig *hr, const char *id);
int hr_severity(struct hostrig *hr, const char *id); /* 0: there is none */

#endif
