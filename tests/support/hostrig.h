/* SPDX-License-Identifier: MIT
 *
 * hostrig.h - a whole host under test, with fake servers in a workspace.
 *
 *     struct hostrig hr;
 *
 *     hr_up(&hr);
 *     hr_server(&hr, "a", "truely-stateless: true", "on call:echo\n text hi");
 *     hr_load(&hr);
 *     ck_assert_str_eq(hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{}"), "hi");
 *     hr_down(&hr);
 *
 * The rig records the latest HR_EVENTS events.  At the end the rig checks that no
 * descriptor, child or thread is left.  Only the test's own thread drives the host, and
 * only inside the functions below and the library's waits.  The test fails if one of
 * these functions fails.
 */
#ifndef TESTS_SUPPORT_HOSTRIG_H
#define TESTS_SUPPORT_HOSTRIG_H

#include <mcphost/mcphost.h>

#include "support/rig.h"
#include "support/runner.h"

#define HR_EVENTS  8192
#define HR_HANDLES 2048

struct hr_event {
    int kind, state, code; /* `code`: the event's error code */
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
    int n_events; /* number of events so far; `events` keeps the latest */
    /* The test's own function.  The rig calls the function from dispatch with each
     * event. */
    void (*on_event)(struct hostrig *hr, const mcphost_event *event);
    void *user;
    int freed; /* how often the host freed the event function's argument */
    mcphost_dialog *dialogs[HR_HANDLES];
    mcphost_call *calls[HR_HANDLES];
    int n_dialogs, n_calls;
    struct httprig *webs; /* the host's web servers (httprig.h) */
    char log[65536];      /* lines "ROOM [SERVER] MESSAGE\n" since hr_keep_log() */
    char say[4096];       /* the latest text of hr_text() */
    struct hr_event events[HR_EVENTS]; /* hr_up() does not clear this last member */
};

/* Makes a host with this build's guard and with the admin tools.  Each step of stopping a
 * server takes at most 300 ms. */
void hr_up(struct hostrig *hr);
/* Closes the host, dispatching until the host has closed, and releases all handles.
 * Checks that no descriptor, child or thread is left. */
void hr_close(struct hostrig *hr);
/* Ends the web servers and removes the workspace.  Call this after hr_close(). */
void hr_clear(struct hostrig *hr);
void hr_down(struct hostrig *hr); /* does hr_close() and hr_clear() */
/* Checks that no descriptor, child or thread is left, and calls hr_clear().  Call this
 * instead of hr_down() if the test has ended the host and set hr->host to NULL. */
void hr_down_ended(struct hostrig *hr);

/* ---- configuration: before hr_load() ----------------------------------------------- */

/* Adds a server `id` that runs the fake server with the lines of `script`.  The lines of
 * `keys` are more keys of the server's entry.  Both texts may be NULL.  Unless `keys` has
 * a `transform`, the tools get the prefix "<id>_".  The fake server traces to
 * "<id>.trace". */
void hr_server(struct hostrig *hr, const char *id, const char *keys, const char *script);
/* Adds the text of an entry, from the entry's key on.  The text has no indentation. */
void hr_entry(struct hostrig *hr, const char *entry);
void hr_option(struct hostrig *hr, int option, int64_t value);
/* Clears hr->log.  After this call, the rig adds each line of the log up to this level to
 * hr->log. */
void hr_keep_log(struct hostrig *hr, int level);
/* Makes a grant of these toolsets and tools.  Blanks separate the names. */
mcphost_grant *hr_grant(const char *toolsets, const char *tools);

/* Loads the workspace and waits until every server has started or failed. */
void hr_load(struct hostrig *hr);
void hr_load_only(struct hostrig *hr); /* loads without waiting */
void hr_ready(struct hostrig *hr);

/* Loads the workspace with mcphost_load_workspace(), so that the host follows the file
 * (MCPHOST_OPT_RELOAD).  Then waits until every server has started or failed. */
void hr_follow(struct hostrig *hr);
/* Begins a new text for the file.  Later calls of hr_server() and hr_entry() add servers
 * to the text. */
void hr_edit(struct hostrig *hr);
void hr_save(struct hostrig *hr); /* writes mcp.yaml atomically */
/* Writes mcp.yaml, makes the host reload the file, and dispatches once.  Does not wait
 * for the servers. */
void hr_reload(struct hostrig *hr);

/* ---- dialogs and calls: the rig keeps and releases the handles --------------------- */

mcphost_dialog *hr_dialog(struct hostrig *hr, const char *id);
/* Makes and starts a call, without waiting for it. */
mcphost_call *hr_start(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                       const char *arguments);
/* Makes a call without starting it. */
mcphost_call *hr_call(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                      const char *arguments);
void hr_go(mcphost_call *call);
/* Dispatches until the call has ended.  Returns 0 or the error's code. */
int hr_end(struct hostrig *hr, mcphost_call *call);
/* Returns the text of the first item in the result of an ended call.  The text is valid
 * until the next call of hr_text(), hr_say() or hr_pid(). */
const char *hr_text(struct hostrig *hr, mcphost_call *call);
/* These functions run a call that must succeed.  hr_say() returns the text of the result.
 * hr_pid() returns the text as a number. */
const char *hr_say(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
                   const char *arguments);
int hr_pid(struct hostrig *hr, mcphost_dialog *dialog, const char *tool);
/* Runs a call that must fail, and returns the error's code. */
int hr_fail(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
            const char *arguments);
/* Releases the dialog's lease of this server.  The dialog must have a lease. */
void hr_release(mcphost_dialog *dialog, const char *server);
/* Returns the message of a failed call's error. */
const char *hr_why(mcphost_call *call);

/* ---- inspection -------------------------------------------------------------------- */

/* Waits until the host has work, at most `ms`, and dispatches once. */
void hr_turn(struct hostrig *hr, int ms);
/* Dispatches until the condition is true.  The test fails after 3 s times
 * CK_TIMEOUT_MULTIPLIER. */
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

/* Counts the events of this kind so far.  NULL or -1 matches any server, dialog or state.
 * hr_count(), hr_last() and hr_place() fail the test once there were HR_EVENTS events. */
int hr_count(const struct hostrig *hr, int kind, const char *server, const char *dialog,
             int state);
const struct hr_event *hr_last(const struct hostrig *hr, int kind, const char *server);
/* Returns the index of the first event that matches the arguments, or -1. */
int hr_place(const struct hostrig *hr, int kind, const char *server, int state);

/* The admin tools of the library.  The default view lists them before all other tools. */
#define HR_ADMIN "mcp_restart mcp_release mcp_disable env_get env_set env_unset"

/* Returns the names of the tools that a dialog sees, e.g. "a_add a_echo".  If `dialog` is
 * NULL, returns the tools of the default view. */
const char *hr_tools(struct hostrig *hr, mcphost_dialog *dialog);
/* Returns the names of the tools of one server or toolset in the default view, or NULL if
 * the view has no toolset of this name. */
const char *hr_toolset(struct hostrig *hr, const char *toolset);
/* Returns a reference to the tool, or NULL if the default view has no tool `name`. */
mcphost_tool *hr_tool(struct hostrig *hr, const char *name);
uint64_t hr_version(struct hostrig *hr); /* version of the default view's catalog */
bool hr_has(struct hostrig *hr, const char *tool);
/* hr_server_state(), hr_server_pid() and hr_server_why() return values of a server's row
 * in the host's status. */
int hr_server_state(struct hostrig *hr, const char *id);
void hr_loaded(struct hostrig *hr, const char *id); /* checks that the server is loaded */
int64_t hr_server_pid(struct hostrig *hr, const char *id);
/* Returns the message of the server's error, or "" if the server has no error. */
const char *hr_server_why(struct hostrig *hr, const char *id);
size_t hr_leases(struct hostrig *hr); /* the number of leases in the host's status */
/* Returns the message of the problem with this id, or NULL. */
const char *hr_problem(struct hostrig *hr, const char *id);
int hr_severity(struct hostrig *hr, const char *id); /* 0 if there is no problem `id` */

#endif
