/* SPDX-License-Identifier: MIT
 *
 * policy.h - options: the times, limits and choices of a host and of its sources.
 */
#ifndef MCPHOST_POLICY_H
#define MCPHOST_POLICY_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The options of mcphost_set_option().
 *
 * The comment of an option says what it limits or chooses.  Then come the values that are
 * allowed and the default.
 *
 * "Per source": each source can have a value of its own (mcphost_source_set_policy()).  A
 * source that has none has the value of the host.  "`KEY` of a server wins": a server
 * whose entry has this key (mcphost-config(5)) has the value of the key.
 *
 * An option can be set until the host is loaded.  "Late": it can be set afterwards, too,
 * and the comment says for what the new value counts.
 *
 * Since: 0.1
 */
enum mcphost_option {
    /* ---- times, in milliseconds ---------------------------------------------------- */
    /* How long a start can take, from the start of the process or connection to the end
     * of the handshake.  From 1 on; default 60000.  Per source; `timeouts.start` of a
     * server wins. */
    MCPHOST_OPT_START_TIMEOUT = 1,
    /* How long it can take to get one whole list with all its pages, such as the list of
     * tools.  From 1 on; default 15000.  Per source; `timeouts.list` of a server wins. */
    MCPHOST_OPT_LIST_TIMEOUT = 2,
    /* How long a call can take.  From 0 on, or MCPHOST_TIMEOUT_NONE; default 60000.  Per
     * source; `timeouts.call` of a server wins, and mcphost_call_set_timeout() wins over
     * both. */
    MCPHOST_OPT_CALL_TIMEOUT = 3,
    /* If a stdio server whose era is not known has not answered server/discover after
     * this time, the host sends initialize, too.  From 1 on; default 5000.  Per
     * source. */
    MCPHOST_OPT_PROBE_TIMEOUT = 4,
    /* How long calls in flight can go on when their instance is to stop; 0: not at all.
     * From 0 on, or MCPHOST_DRAIN_*; default MCPHOST_DRAIN_AUTO.  Per source. */
    MCPHOST_OPT_DRAIN_TIMEOUT = 5,
    /* How long a server can take to end after its stdin was closed, until it gets
     * SIGTERM; for a server over HTTP, to answer the DELETE that ends its session.  0 to
     * 600000; default 2000.  Per source. */
    MCPHOST_OPT_STOP_EOF = 6,
    /* How long a server can take to end after SIGTERM, until it gets SIGKILL.  0 to
     * 600000; default 2000.  Per source. */
    MCPHOST_OPT_STOP_TERM = 7,
    /* An instance lists the tools of a server that is not shared.  This instance is kept
     * for this time, so that the first dialog that calls one of the tools can lease it;
     * 0: not at all.  From 0 on; default 30000.  Per source. */
    MCPHOST_OPT_FIRST_LEASE_WAIT = 8,
    /* The least time between two starts of one lease's instance, if the instance ends by
     * itself.  The time doubles up to 60000 while the instance lives for less than
     * MCPHOST_OPT_CRASH_WINDOW.  1 to 60000; default 1000.  Per source. */
    MCPHOST_OPT_RESTART_DELAY = 9,
    /* An edit that the kernel reports is applied when no other edit has followed for this
     * time, and at the latest after ten times this time.  100 to 500; default 200.  Per
     * source. */
    MCPHOST_OPT_RELOAD_DEBOUNCE = 10,
    /* The time between two checks of the followed files.  10 to 3600000; default 1500.
     * Per source. */
    MCPHOST_OPT_RELOAD_POLL = 11,
    /* A dialog's lease ends after this time without a call, a task or a subscription; 0:
     * never.  From 0 on; default 0.  Per source. */
    MCPHOST_OPT_LEASE_IDLE = 12,
    /* A stdio server of the legacy era gets a ping if it has had nothing to do and has
     * sent nothing for this time; 0: never.  From 0 on; default 0.  Per source. */
    MCPHOST_OPT_PING = 13,
    /* A server that sends nothing for this time after a ping is lost: its process is
     * ended.  From 1 on; default 10000.  Per source. */
    MCPHOST_OPT_PING_TIMEOUT = 14,
    /* An instance that came up and has lived for this time does not count as a crash if
     * it ends by itself.  From 1 on; default 60000.  Per source. */
    MCPHOST_OPT_CRASH_WINDOW = 15,
    /* How long the application can take to answer a request of a server, and to decide
     * whether a call may run (mcphost_set_before_call()).  0 to 31536000000, a year, or
     * MCPHOST_TIMEOUT_NONE; default 600000. */
    MCPHOST_OPT_REQUEST_TIMEOUT = 16,
    /* How long a call of a tool that does not exist yet waits while a server is starting;
     * 0: not at all.  From 0 on; default 0.  Late: for calls that are made afterwards. */
    MCPHOST_OPT_WAIT_STARTING = 17,
    /* How long a call can take that its server continues as a task, unless the call has a
     * `max_ms` (mcphost_call_set_timeout()).  From 0 on, or MCPHOST_TIMEOUT_NONE; default
     * 86400000, a day.  With 0, the host offers no tasks to servers of the modern era.
     * Per source. */
    MCPHOST_OPT_TASK_TIMEOUT = 18,
    /* ---- limits -------------------------------------------------------------------- */
    /* How many instances can be starting at the same time; the others wait.  1 to 1024;
     * default 8. */
    MCPHOST_OPT_CONCURRENT_STARTS = 20,
    /* How many calls one instance can work on at the same time; the others wait in a
     * queue.  1 to 65536; default 256. */
    MCPHOST_OPT_CALLS_IN_FLIGHT = 21,
    /* How many calls can wait in that queue; one more fails with MCPHOST_E_LIMIT.  0 to
     * 1048576; default 4096. */
    MCPHOST_OPT_QUEUED_CALLS = 22,
    /* The size in bytes of the largest message that is kept in memory; a larger one is
     * kept in a file.  1024 to 4 GiB; default 64 MiB. */
    MCPHOST_OPT_MESSAGE_BYTES = 23,
    /* How many pages of one list are read; the rest is left out, with a problem.  1 to
     * 100000; default 64.  Per source. */
    MCPHOST_OPT_LIST_PAGES = 24,
    /* How many tools one server can have, and how many entries each of its other lists; a
     * longer list is rejected.  1 to 10000000; default 100000.  Per source. */
    MCPHOST_OPT_LIST_TOOLS = 25,
    /* The size in bytes of the longest text that mcphost_call_make_items() puts into an
     * item; a longer text becomes a file.  8192 to 1 TiB; default 1 MiB.  Late: for items
     * that are made afterwards. */
    MCPHOST_OPT_TEXT_SPILL = 26,
    /* The size in bytes of the largest message that is kept in a file
     * (mcphost_set_spool_dir()); a call whose answer is larger fails with
     * MCPHOST_E_LIMIT.  0 to 1 TiB, 0: no file is made; default 1 GiB. */
    MCPHOST_OPT_SPOOL_BYTES = 27,
    /* The memory in bytes for answers that servers of the modern era allow to be used
     * again for a while.  0 to 4 GiB, 0: no answer is kept; default 16 MiB. */
    MCPHOST_OPT_CACHE_BYTES = 28,
    /* How many sampling requests of one server can wait for an answer at the same time;
     * others are refused.  1 to 256; default 8.  Per source. */
    MCPHOST_OPT_SAMPLING_OPEN = 32,
    /* How many sampling requests one server can make within a minute; others are refused.
     * 1 to 1000000; default 60.  Per source. */
    MCPHOST_OPT_SAMPLING_RATE = 33,
    /* How deep sampling requests can be nested (mcphost_call_set_request()); deeper ones
     * are refused.  1 to 16; default 1, no request within another.  Per source. */
    MCPHOST_OPT_SAMPLING_DEPTH = 34,
    /* How many steps it can take to compile a tool's schema, and to check a value against
     * it.  1000 to 1099511627776; default 200000, which takes some 5 ms. */
    MCPHOST_OPT_SCHEMA_STEPS = 35,
    /* How many bytes each of these can have: the description, the title and the
     * annotations of a tool, and a text that a server writes about itself; a longer one
     * is cut.  64 to 1 GiB; default 32 KiB.  Per source. */
    MCPHOST_OPT_TOOL_TEXT = 36,
    /* The memory in bytes that all messages of more than 64 KiB can take together:
     * messages that are being read, and messages that results and catalogs keep.  One
     * server can take at most half of the memory that the other servers leave free.  A
     * call fails with MCPHOST_E_LIMIT if its answer would exceed one of these limits.  1
     * MiB to 1 TiB; default 192 MiB. */
    MCPHOST_OPT_HELD_BYTES = 38,
    /* How many files a dialog's directory of artifacts can hold, including files of
     * earlier runs.  0 to 1099511627776, 0: no limit; default 10000.  Late: for
     * directories that mcphost_dialog_set_artifact_dir() sets afterwards. */
    MCPHOST_OPT_ARTIFACT_FILES = 39,
    /* ---- choices ------------------------------------------------------------------- */
    /* Which variables of the host's environment a server gets.  MCPHOST_ENV_*; default
     * MCPHOST_ENV_ALL.  Per source. */
    MCPHOST_OPT_INHERIT_ENV = 40,
    /* What happens if a server brings a tool whose name is taken.  MCPHOST_COLLISION_*;
     * default MCPHOST_COLLISION_SKIP.  Per source. */
    MCPHOST_OPT_COLLISION = 41,
    /* How arguments of calls are checked.  MCPHOST_ARGUMENTS_*; default
     * MCPHOST_ARGUMENTS_OBJECT.  Per source; `arguments` of a server wins. */
    MCPHOST_OPT_ARGUMENTS = 42,
    /* Whether servers run under mcphost-guard.  MCPHOST_GUARD_*; default
     * MCPHOST_GUARD_REQUIRED. */
    MCPHOST_OPT_GUARD = 43,
    /* Whether a second process watches the guard.  0 or 1; default 1. */
    MCPHOST_OPT_WARDEN = 44,
    /* Whether every dialog without a grant has the built-in toolset mcp_admin.  0 or 1;
     * default 0, only views whose grant names the toolset have it. */
    MCPHOST_OPT_ADMIN_TOOLS = 45,
    /* Whether a server that did not come up is started again after a delay: 1 s, doubled
     * up to 60 s, or as long as the server asked for (Retry-After), an hour at most.  0
     * or 1; default 1.  With 0 it is started again after the next edit, or by
     * mcphost_restart_server().  Per source. */
    MCPHOST_OPT_RETRY = 46,
    /* When followed files are read again.  MCPHOST_RELOAD_*; default
     * MCPHOST_RELOAD_WATCH.  Per source. */
    MCPHOST_OPT_RELOAD = 47,
    /* Whether the tools env_get, env_set and env_unset of mcp_admin show values, which
     * may be secrets.  0 or 1; default 0.  Late: from the next call on. */
    MCPHOST_OPT_SHOW_ENV = 48,
    /* Which server carries out a call of a turn's tool if the tool's server was removed
     * or changed.  MCPHOST_REMOVED_*; default MCPHOST_REMOVED_SUCCESSOR.  Per source. */
    MCPHOST_OPT_REMOVED = 49,
    /* Which requests of servers the application answers.  MCPHOST_REQUEST_*, or'ed;
     * default 0, none.  mcphost_set_sampler() adds MCPHOST_REQUEST_SAMPLING. */
    MCPHOST_OPT_REQUESTS = 50,
    /* What happens after an edit that does not work.  MCPHOST_LAST_GOOD_*; default
     * MCPHOST_LAST_GOOD_KEEP.  Per source. */
    MCPHOST_OPT_LAST_GOOD = 51,
    /* How structured content of answers is checked.  MCPHOST_RESULTS_*; default
     * MCPHOST_RESULTS_OFF.  Per source; `results` of a server wins. */
    MCPHOST_OPT_RESULTS = 52,
    /* Which transports servers may have.  MCPHOST_ALLOW_*, or'ed, at least one; default
     * MCPHOST_ALLOW_STDIO and MCPHOST_ALLOW_STREAMABLE_HTTP.  Per source. */
    MCPHOST_OPT_TRANSPORTS = 53,
    /* Whether a server at a URL that does not come up is sent two more requests, whose
     * answers explain the error (mcphost_set_option(3)).  0 or 1; default 1.  Per
     * source. */
    MCPHOST_OPT_HTTP_DIAGNOSIS = 54,
    /* Which server has the name of a tool if several servers offer a tool of this name.
     * MCPHOST_HOLDERS_*; default MCPHOST_HOLDERS_KEEP.  Per source. */
    MCPHOST_OPT_HOLDERS = 55,
    /* How the names of tools are made.  MCPHOST_NAMES_*; default
     * MCPHOST_NAMES_TRANSFORMS.  Per source. */
    MCPHOST_OPT_NAMES = 56,
    /* Whether a server without a `manual` is a problem.  MCPHOST_MANUALS_*; default
     * MCPHOST_MANUALS_OPTIONAL.  Per source. */
    MCPHOST_OPT_MANUALS = 57,
    /* Which types of items mcphost_call_make_items() makes.  MCPHOST_ITEMS_*; default
     * MCPHOST_ITEMS_TEXT_IMAGE.  Late: for items that are made afterwards. */
    MCPHOST_OPT_ITEM_TYPES = 60,
    /* Which dialogs share an instance.  MCPHOST_SCOPE_*; default MCPHOST_SCOPE_DIALOG.
     * Per source; `scope` of a server wins. */
    MCPHOST_OPT_LEASE_SCOPE = 61,
    /* The lowest level of the log messages that servers are asked for.
     * MCPHOST_MESSAGES_*; default MCPHOST_MESSAGES_UNASKED.  Per source; `logLevel` of a
     * server wins. */
    MCPHOST_OPT_MESSAGES = 62,
    /* Whether the host announces to servers that the application shows their apps (ui://
     * resources).  0 or 1; default 0.  Per source. */
    MCPHOST_OPT_APPS = 63,
    /* Which tools of servers may not be called, by their annotations.  MCPHOST_DENY_*,
     * or'ed; default 0, none.  Per source. */
    MCPHOST_OPT_DENIED = 64,
    /* Which era of the protocol the clients of mcphost_serve_fd() may speak.
     * MCPHOST_ERA_*; default MCPHOST_ERA_AUTO, either.  Late: for clients that are served
     * afterwards. */
    MCPHOST_OPT_SERVED_ERA = 65
};

/* MCPHOST_OPT_DENIED: tools of servers by their annotations.  A tool that lacks an
 * annotation has MCP's default for it (MCP, "ToolAnnotations").  A call of a denied tool
 * fails with MCPHOST_E_DENIED.  A server can write false annotations: they protect from
 * mistakes, not from a server that lies.  Since: 0.1 */
enum mcphost_deny {
    MCPHOST_DENY_WRITING = 1,     /* tools whose readOnlyHint is not true */
    MCPHOST_DENY_DESTRUCTIVE = 2, /* of these, tools whose destructiveHint is not false */
    MCPHOST_DENY_OPEN_WORLD = 4   /* tools whose openWorldHint is not false */
};

/* MCPHOST_OPT_CALL_TIMEOUT, MCPHOST_OPT_REQUEST_TIMEOUT and MCPHOST_OPT_TASK_TIMEOUT: a
 * special value that is not a time.  Since: 0.1 */
enum mcphost_timeout {
    MCPHOST_TIMEOUT_NONE = -1 /* no limit */
};

/* MCPHOST_OPT_ITEM_TYPES: the types of items that mcphost_call_make_items() makes.
 * Since: 0.1 */
enum mcphost_item_types {
    MCPHOST_ITEMS_TEXT_IMAGE = 0, /* input_text and input_image */
    MCPHOST_ITEMS_ALL = 1 /* also input_audio, input_file, and the server's own JSON */
};

/* MCPHOST_OPT_MANUALS: whether each valid server of a configuration file should have the
 * key `manual`.  Since: 0.1 */
enum mcphost_manuals {
    MCPHOST_MANUALS_OPTIONAL = 0, /* a manual is not needed */
    MCPHOST_MANUALS_WANTED = 1    /* a server without a manual is a problem, a warning */
};

/* MCPHOST_OPT_NAMES: how the names of servers' tools are made.  The filter of a server
 * gets the name that the server gave.  The new name must be valid.  Since: 0.1 */
enum mcphost_names {
    /* the server's configured transforms change the name that the server gave */
    MCPHOST_NAMES_TRANSFORMS = 0,
    /* "<server>__" in front of the name that the server gave: no two servers collide */
    MCPHOST_NAMES_SERVER = 1,
    /* "mcp_<server>_<tool>" of the server's id and of the name that the transforms make.
     * Each of the two is trimmed and put in lower case, and each run of characters other
     * than a-z, 0-9, '_' and '-' becomes one '_'.  An empty id becomes "server", an empty
     * name "tool".  The name that the server gave may have any characters but control
     * characters, up to 1024 bytes. */
    MCPHOST_NAMES_FULL = 2,
    /* the function of mcphost_source_set_name_fn() makes the name from the name that the
     * transforms make; the name that the server gave may be as with MCPHOST_NAMES_FULL */
    MCPHOST_NAMES_CALLBACK = 3
};

/* MCPHOST_OPT_HOLDERS: which server has the name of a tool if several servers offer a
 * tool of this name.  A built-in tool keeps its name in any case.  Since: 0.1 */
enum mcphost_holders {
    /* During the first load, until each of its servers has come up or failed, the first
     * server in the order of the configuration has the name.  After that, a server keeps
     * its name for as long as it offers the tool, through crashes and restarts,
     * regardless of other servers.  If its list lacks the name, or if it is removed or
     * disabled, the order decides again.  First loads of several sources that overlap in
     * time count as one. */
    MCPHOST_HOLDERS_KEEP = 0,
    /* the first server in the order of the configuration, anew in each catalog */
    MCPHOST_HOLDERS_BY_ORDER = 1
};

/* MCPHOST_OPT_TRANSPORTS: transports that servers may have.  Since: 0.1 */
enum mcphost_allowed_transport {
    MCPHOST_ALLOW_STDIO = 1,           /* a child process */
    MCPHOST_ALLOW_STREAMABLE_HTTP = 2, /* streamable HTTP */
    /* HTTP+SSE of 2024-11-05, which is deprecated; it is tried, too, if a server over
     * streamable HTTP answers `initialize` with 400, 404 or 405 */
    MCPHOST_ALLOW_SSE = 4
};

/* MCPHOST_OPT_GUARD: whether servers run under mcphost-guard.  Without the guard a server
 * is a child of the host's process.  The process group of the server is killed together
 * with the server.  A process that has left the group is not killed.  After a crash of
 * the host, no process is killed.  Since: 0.1 */
enum mcphost_guard_mode {
    MCPHOST_GUARD_NONE = 0,     /* servers run without the guard */
    MCPHOST_GUARD_REQUIRED = 1, /* with it; if the guard is missing, no server starts */
    MCPHOST_GUARD_OPTIONAL = 2  /* with it; if the guard is missing, servers run without
                                 * it, and a problem says so */
};

/* The key `containment` of a server: the means by which all processes of the server end
 * together with the server.  A status returns the means in force.  Since: 0.1 */
enum mcphost_containment {
    MCPHOST_CONTAINMENT_AUTO = 0,   /* a control group where one can be made, else the
                                     * tree; in a status: no process runs */
    MCPHOST_CONTAINMENT_TREE = 1,   /* descent from the guard, and MCPHOST_SPAWN_ID in
                                     * the environment */
    MCPHOST_CONTAINMENT_CGROUP = 2, /* a control group (v2) of its own */
    MCPHOST_CONTAINMENT_PID = 3,    /* a PID namespace of its own */
    MCPHOST_CONTAINMENT_GROUP = 4   /* the process group of a server without a guard; only
                                     * in a status */
};

/* MCPHOST_OPT_LAST_GOOD: what happens after an edit that does not work.  Since: 0.1 */
enum mcphost_last_good {
    MCPHOST_LAST_GOOD_KEEP = 0, /* each server's last good edition is offered and serves
                                 * until a good one takes over */
    MCPHOST_LAST_GOOD_NONE = 1 /* a server has no tools if its entry is invalid or its new
                                * process does not come up; no server has tools if the
                                * file is rejected as a whole */
};

/* Which dialogs share an instance of a server.  The key `scope` of a server decides, or
 * else MCPHOST_OPT_LEASE_SCOPE.  mcphost_dialog_set_agent() sets the agent of a dialog,
 * and mcphost_dialog_set_workspace() sets the workspace.  Since: 0.1 */
enum mcphost_scope {
    MCPHOST_SCOPE_DIALOG = 0,    /* none: each dialog has an instance of its own */
    MCPHOST_SCOPE_AGENT = 1,     /* dialogs with the same agent */
    MCPHOST_SCOPE_WORKSPACE = 2, /* dialogs with the same workspace */
    MCPHOST_SCOPE_EVERYONE = 3   /* all dialogs */
};

/* The lowest level of the log messages (MCPHOST_EVENT_LOG) that a server is asked to
 * send.  The server sends messages of this level and of the levels behind it in this
 * list.  The key `logLevel` of a server sets the level, or else MCPHOST_OPT_MESSAGES.
 * MCP, "Logging".  Since: 0.1 */
enum mcphost_message_level {
    MCPHOST_MESSAGES_UNASKED = 0,  /* it is not asked; a modern server then sends none */
    MCPHOST_MESSAGES_DEBUG = 1,    /* details for debugging */
    MCPHOST_MESSAGES_INFO = 2,     /* general information */
    MCPHOST_MESSAGES_NOTICE = 3,   /* normal but significant events */
    MCPHOST_MESSAGES_WARNING = 4,  /* warnings */
    MCPHOST_MESSAGES_ERROR = 5,    /* errors */
    MCPHOST_MESSAGES_CRITICAL = 6, /* critical conditions */
    MCPHOST_MESSAGES_ALERT = 7,    /* action must be taken at once */
    MCPHOST_MESSAGES_EMERGENCY = 8 /* the system cannot be used */
};

/* MCPHOST_OPT_REMOVED: which server carries out a call of a tool of a turn's catalog, if
 * the tool's server was removed or changed since the turn began.  Since: 0.1 */
enum mcphost_removed {
    MCPHOST_REMOVED_SUCCESSOR = 0, /* the server as it is now, if it offers a tool of the
                                    * same original name with the same bytes as input
                                    * schema; else the call ends with MCPHOST_E_GONE */
    MCPHOST_REMOVED_SERVE = 1      /* the old server, which is stopped when the last turn
                                    * that keeps it ends */
};

/* MCPHOST_OPT_RELOAD: when the files that a source follows are read again.  Since: 0.1 */
enum mcphost_reload_mode {
    MCPHOST_RELOAD_WATCH = 0,   /* when the kernel or a periodic check reports a change */
    MCPHOST_RELOAD_POLL = 1,    /* when a periodic check finds a change */
    MCPHOST_RELOAD_TURN = 2,    /* when a turn begins, if the files have changed */
    MCPHOST_RELOAD_EXPLICIT = 3 /* only by mcphost_reload(), mcphost_source_reload(),
                                 * mcphost_invalidate_agent() and
                                 * mcphost_invalidate_view() */
};

/* MCPHOST_OPT_DRAIN_TIMEOUT: special values that are not times.  Since: 0.1 */
enum mcphost_drain {
    /* as long as the deadlines of the calls in flight allow, and 60 s at most */
    MCPHOST_DRAIN_AUTO = -1,
    MCPHOST_DRAIN_INFINITE = -2 /* no limit */
};

/* MCPHOST_OPT_INHERIT_ENV: which variables of the host's environment a server gets,
 * besides the variables of the server's own `env` and of mcphost_set_env().
 * Since: 0.1 */
enum mcphost_inherited_env {
    MCPHOST_ENV_ALL = 0, /* all */
    /* HOME LANG LANGUAGE LC_* LOGNAME PATH SHELL TERM TMPDIR TZ USER; of these none whose
     * value is a shell function */
    MCPHOST_ENV_MINIMAL = 1,
    MCPHOST_ENV_NONE = 2 /* none */
};

/* MCPHOST_OPT_COLLISION: what happens if a server brings a tool whose name is taken.
 * Since: 0.1 */
enum mcphost_collision {
    MCPHOST_COLLISION_SKIP = 0, /* that tool is left out */
    /* The update that brings the tool is rejected.  The server keeps its last good
     * edition, or is left out if it has none, and a problem says so. */
    MCPHOST_COLLISION_REJECT = 1
};

/* MCPHOST_OPT_ARGUMENTS: how arguments are checked before a call.  For built-in tools
 * MCPHOST_ARGUMENTS_OBJECT and MCPHOST_ARGUMENTS_OFF mean MCPHOST_ARGUMENTS_FULL.
 * Since: 0.1 */
enum mcphost_arguments_check {
    MCPHOST_ARGUMENTS_OBJECT = 0, /* they must be a JSON object */
    MCPHOST_ARGUMENTS_OFF = 1,    /* they must be JSON */
    MCPHOST_ARGUMENTS_FULL = 2,   /* they must fit the tool's input schema; a tool whose
                                   * schema cannot be compiled cannot be called */
    /* the schema's defaults are put in for members that are missing
     * (MCPHOST_SCHEMA_DEFAULTS); the result must fit, and the server gets it */
    MCPHOST_ARGUMENTS_COMPLETE = 3
};

/* MCPHOST_OPT_RESULTS: how the structured content of an answer is checked against the
 * tool's output schema, if the tool has one and the answer is no failure.  Since: 0.1 */
enum mcphost_results_check {
    MCPHOST_RESULTS_OFF = 0,    /* it is not checked */
    MCPHOST_RESULTS_REPORT = 1, /* content that does not fit is a problem; the call ends
                                 * with the result all the same */
    MCPHOST_RESULTS_FAIL = 2    /* the call fails with MCPHOST_E_PROTOCOL */
};

/*
 * mcphost_set_option - set an option of a host.
 *
 * Call it before the host is loaded, that is, before its first source is loaded.  Some
 * options can be set at any time, because the host reads them each time that it needs
 * them: MCPHOST_OPT_WAIT_STARTING, MCPHOST_OPT_TEXT_SPILL, MCPHOST_OPT_ARTIFACT_FILES,
 * MCPHOST_OPT_SHOW_ENV, MCPHOST_OPT_ITEM_TYPES and MCPHOST_OPT_SERVED_ERA.
 *
 * Returns: 0.
 * Errors: MCPHOST_E_INVALID (the option is unknown, or the value is not allowed),
 *   MCPHOST_E_STATE (the host is loaded), MCPHOST_E_EXISTS (MCPHOST_OPT_ADMIN_TOOLS is
 *   set to 1, and the application has a tool or a toolset with a name of mcp_admin),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_option(mcphost *host, int option, int64_t value);

/*
 * mcphost_get_option - get the value of an option.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_option(mcphost *host, int option, int64_t *ret_value);

/*
 * mcphost_check_option - check whether an option may have a value, and set nothing.
 *
 * The error names the option and the values that it may have, as in "option stop_eof:
 * expected milliseconds from 0 to 600000, found -1".
 *
 * Errors: MCPHOST_E_INVALID (the option is unknown, or the value is not allowed),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_check_option(int option, int64_t value,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
