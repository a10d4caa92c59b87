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
 * The comment of an option describes its limit or choice.  The allowed values and the
 * default follow.
 *
 * The comment says whether each source can have its own value
 * (mcphost_source_set_policy()).  A source without its own value has the value of the
 * host.  If a server's entry can have a key for the option (mcphost-config(5)), the
 * comment names the key.  The key overrides the option for that server.
 *
 * An option can be set until the host is loaded.  The comment of an option says whether
 * the option can be set afterwards, too.
 *
 * Since: 0.1
 */
enum mcphost_option {
    /* ---- times, in milliseconds ---------------------------------------------------- */
    /* How long a start can take, from the start of the process or connection to the end
     * of the handshake.  The value is at least 1.  The default is 60000.  Each source can
     * have its own value.  The key `timeouts.start` of a server overrides the value. */
    MCPHOST_OPT_START_TIMEOUT = 1,
    /* How long the host waits for one whole list with all its pages, such as the list of
     * tools.  The value is at least 1.  The default is 15000.  Each source can have its
     * own value.  The key `timeouts.list` of a server overrides the value. */
    MCPHOST_OPT_LIST_TIMEOUT = 2,
    /* How long a call can take.  The value is at least 0, or MCPHOST_TIMEOUT_NONE.  The
     * default is 60000.  Each source can have its own value.  The key `timeouts.call` of
     * a server overrides the option.  mcphost_call_set_timeout() overrides the option and
     * the key. */
    MCPHOST_OPT_CALL_TIMEOUT = 3,
    /* If a stdio server whose era is not known has not answered server/discover after
     * this time, the host sends initialize, too.  The value is at least 1.  The default
     * is 5000.  Each source can have its own value. */
    MCPHOST_OPT_PROBE_TIMEOUT = 4,
    /* How long calls in flight can continue when their instance is to stop.  The value is
     * at least 0, or one of MCPHOST_DRAIN_*.  The default is MCPHOST_DRAIN_AUTO.  Each
     * source can have its own value. */
    MCPHOST_OPT_DRAIN_TIMEOUT = 5,
    /* How long a server can take to end after its stdin was closed, until it gets
     * SIGTERM.  For a server over HTTP, how long the server can take to answer the DELETE
     * that ends its session.  The value is 0 to 600000.  The default is 2000.  Each
     * source can have its own value. */
    MCPHOST_OPT_STOP_EOF = 6,
    /* How long a server can take to end after SIGTERM, until it gets SIGKILL.  The value
     * is 0 to 600000.  The default is 2000.  Each source can have its own value. */
    MCPHOST_OPT_STOP_TERM = 7,
    /* An instance lists the tools of a server that is not shared.  The host keeps this
     * instance for this time, so that the first dialog that calls one of the tools can
     * lease it.  If the value is 0, the instance is not kept.  The value is at least 0.
     * The default is 30000.  Each source can have its own value. */
    MCPHOST_OPT_FIRST_LEASE_WAIT = 8,
    /* The least time between two starts of one lease's instance, if the instance ends by
     * itself.  The time doubles, up to 60000, each time that the instance lives for less
     * than MCPHOST_OPT_CRASH_WINDOW.  The value is 1 to 60000.  The default is 1000.
     * Each source can have its own value. */
    MCPHOST_OPT_RESTART_DELAY = 9,
    /* After an edit that the kernel reports, the host waits until no other edit has
     * followed for this time.  Then it applies the edits.  It waits at most ten times
     * this time.  The value is 100 to 500.  The default is 200.  Each source can have its
     * own value. */
    MCPHOST_OPT_RELOAD_DEBOUNCE = 10,
    /* The time between two checks of the followed files.  The value is 10 to 3600000.
     * The default is 1500.  Each source can have its own value. */
    MCPHOST_OPT_RELOAD_POLL = 11,
    /* A dialog's lease ends after this time without a call, a task or a subscription.
     * If the value is 0, idle leases do not end.  The value is at least 0.  The default
     * is 0.  Each source can have its own value. */
    MCPHOST_OPT_LEASE_IDLE = 12,
    /* A stdio server of the legacy era gets a ping if it has had nothing to do and has
     * sent nothing for this time.  If the value is 0, no ping is sent.  The value is at
     * least 0.  The default is 0.  Each source can have its own value. */
    MCPHOST_OPT_PING = 13,
    /* If a server sends nothing for this time after a ping, the host counts the server as
     * lost and ends its process.  The value is at least 1.  The default is 10000.  Each
     * source can have its own value. */
    MCPHOST_OPT_PING_TIMEOUT = 14,
    /* The end of an instance does not count as a crash if the instance has come up and
     * has lived for this time.  The value is at least 1.  The default is 60000.  Each
     * source can have its own value. */
    MCPHOST_OPT_CRASH_WINDOW = 15,
    /* How long the application can take to answer a request of a server, and to decide
     * whether a call may run (mcphost_set_before_call()).  The value is 0 to 31536000000
     * (a year), or MCPHOST_TIMEOUT_NONE.  The default is 600000. */
    MCPHOST_OPT_REQUEST_TIMEOUT = 16,
    /* How long a call of a tool that does not exist yet waits while a server is starting.
     * If the value is 0, the call does not wait.  The value is at least 0.  The default
     * is 0.  The option can be set after the load, too, for later calls. */
    MCPHOST_OPT_WAIT_STARTING = 17,
    /* How long a call can take if its server continues the call as a task.  The `max_ms`
     * of a call (mcphost_call_set_timeout()) overrides the option.  The value is at least
     * 0, or MCPHOST_TIMEOUT_NONE.  The default is 86400000, a day.  If the value is 0,
     * the host offers no tasks to servers of the modern era.  Each source can have its
     * own value. */
    MCPHOST_OPT_TASK_TIMEOUT = 18,
    /* ---- limits -------------------------------------------------------------------- */
    /* How many instances can be starting at the same time.  Further instances wait.  The
     * value is 1 to 1024.  The default is 8. */
    MCPHOST_OPT_CONCURRENT_STARTS = 20,
    /* How many calls one instance can work on at the same time.  Further calls wait in a
     * queue.  The value is 1 to 65536.  The default is 256. */
    MCPHOST_OPT_CALLS_IN_FLIGHT = 21,
    /* How many calls can wait in the queue of one instance.  Further calls fail with
     * MCPHOST_E_LIMIT.  The value is 0 to 1048576.  The default is 4096. */
    MCPHOST_OPT_QUEUED_CALLS = 22,
    /* The size in bytes of the largest message that is kept in memory.  A larger message
     * is kept in a file.  The value is 1024 to 4 GiB.  The default is 64 MiB. */
    MCPHOST_OPT_MESSAGE_BYTES = 23,
    /* How many pages of one list are read.  The host leaves out further pages.  A problem
     * reports the omission.  The value is 1 to 100000.  The default is 64.  Each source
     * can have its own value. */
    MCPHOST_OPT_LIST_PAGES = 24,
    /* How many tools one server can have, and how many entries each of its other lists
     * can have.  A longer list is rejected.  The value is 1 to 10000000.  The default is
     * 100000.  Each source can have its own value. */
    MCPHOST_OPT_LIST_TOOLS = 25,
    /* The size in bytes of the longest text that mcphost_call_make_items() puts into an
     * item.  A longer text becomes a file.  The value is 8192 to 1 TiB.  The default is 1
     * MiB.  The option can be set after the load, too, for later items. */
    MCPHOST_OPT_TEXT_SPILL = 26,
    /* The size in bytes of the largest message that is kept in a file
     * (mcphost_set_spool_dir()).  If an answer is larger than MCPHOST_OPT_MESSAGE_BYTES
     * and also larger than this value, its call fails with MCPHOST_E_LIMIT.  If the value
     * is 0, no file is made.  The value is 0 to 1 TiB.  The default is 1 GiB. */
    MCPHOST_OPT_SPOOL_BYTES = 27,
    /* The memory in bytes for answers that servers of the modern era allow the host to
     * use again for a while.  If the value is 0, no answer is kept.  The value is 0 to 4
     * GiB.  The default is 16 MiB. */
    MCPHOST_OPT_CACHE_BYTES = 28,
    /* How many sampling requests of one server can wait for an answer at the same time.
     * Further requests are refused.  The value is 1 to 256.  The default is 8.  Each
     * source can have its own value. */
    MCPHOST_OPT_SAMPLING_OPEN = 32,
    /* How many sampling requests one server can make within a minute.  Further requests
     * are refused.  The value is 1 to 1000000.  The default is 60.  Each source can have
     * its own value. */
    MCPHOST_OPT_SAMPLING_RATE = 33,
    /* How deep sampling requests can be nested (mcphost_call_set_request()).  Requests
     * that are nested deeper are refused.  The value is 1 to 16.  The default is 1: no
     * request within another request.  Each source can have its own value. */
    MCPHOST_OPT_SAMPLING_DEPTH = 34,
    /* How many steps each of these can take: the compiling of a tool's schema, and the
     * check of a value against the schema.  The value is 1000 to 1099511627776.  The
     * default is 200000, about 5 ms. */
    MCPHOST_OPT_SCHEMA_STEPS = 35,
    /* The limit in bytes of each description, title and annotations that a server lists,
     * and of a text that a server writes about itself.  A longer text is cut.  Of longer
     * annotations, only the members that the protocol names are kept.  The value is 64 to
     * 1 GiB.  The default is 32 KiB.  Each source can have its own value. */
    MCPHOST_OPT_TOOL_TEXT = 36,
    /* The memory in bytes that all messages of more than 64 KiB can take together:
     * messages that are being read, and messages that results and catalogs keep.  One
     * server can take at most half of the memory that the other servers leave free.  A
     * call fails with MCPHOST_E_LIMIT if its answer would exceed one of these limits.
     * The value is 1 MiB to 1 TiB.  The default is 192 MiB. */
    MCPHOST_OPT_HELD_BYTES = 38,
    /* How many files a dialog's directory of artifacts can hold, including files of
     * earlier runs.  If the value is 0, there is no limit.  The value is 0 to
     * 1099511627776.  The default is 10000.  The option can be set after the load, too,
     * for directories that mcphost_dialog_set_artifact_dir() sets later. */
    MCPHOST_OPT_ARTIFACT_FILES = 39,
    /* ---- choices ------------------------------------------------------------------- */
    /* Which variables of the host's environment a server gets.  The value is one of
     * MCPHOST_ENV_*.  The default is MCPHOST_ENV_ALL.  Each source can have its own
     * value. */
    MCPHOST_OPT_INHERIT_ENV = 40,
    /* How the host handles a server's tool whose name is taken.  The value is one of
     * MCPHOST_COLLISION_*.  The default is MCPHOST_COLLISION_SKIP.  Each source can have
     * its own value. */
    MCPHOST_OPT_COLLISION = 41,
    /* How arguments of calls are checked.  The value is one of MCPHOST_ARGUMENTS_*.  The
     * default is MCPHOST_ARGUMENTS_OBJECT.  Each source can have its own value.  The key
     * `arguments` of a server overrides the value. */
    MCPHOST_OPT_ARGUMENTS = 42,
    /* Whether stdio servers run under mcphost-guard.  The value is one of
     * MCPHOST_GUARD_*.  The default is MCPHOST_GUARD_REQUIRED. */
    MCPHOST_OPT_GUARD = 43,
    /* Whether a second process watches the guard.  The value is 0 or 1.  The default is
     * 1. */
    MCPHOST_OPT_WARDEN = 44,
    /* Whether every dialog has the built-in toolset mcp_admin if its view has no grant
     * and shows the host's built-in tools (mcphost_view_show_builtins()).  The value is 0
     * or 1.  The default is 0: only views whose grant names mcp_admin have mcp_admin. */
    MCPHOST_OPT_ADMIN_TOOLS = 45,
    /* Whether a server that did not come up is started again after a delay.  The first
     * delay is about 1 s.  Each failure doubles the delay, up to 60 s.  If the server
     * asks for a longer delay (Retry-After), the host waits for this delay, up to an
     * hour.  The value is 0 or 1.  The default is 1.  If the value is 0, the server is
     * started again only after the next edit, or by mcphost_restart_server().  Each
     * source can have its own value. */
    MCPHOST_OPT_RETRY = 46,
    /* When followed files are read again.  The value is one of MCPHOST_RELOAD_*.  The
     * default is MCPHOST_RELOAD_WATCH.  Each source can have its own value. */
    MCPHOST_OPT_RELOAD = 47,
    /* Whether the tools env_get, env_set and env_unset of mcp_admin show values.  Values
     * may be secrets.  The value is 0 or 1.  The default is 0.  The option can be set
     * after the load, too, for later calls. */
    MCPHOST_OPT_SHOW_ENV = 48,
    /* Which server carries out a call of a turn's tool if the tool's server was removed
     * or changed.  The value is one of MCPHOST_REMOVED_*.  The default is
     * MCPHOST_REMOVED_SUCCESSOR.  Each source can have its own value. */
    MCPHOST_OPT_REMOVED = 49,
    /* Which requests of servers the application answers.  The value is MCPHOST_REQUEST_*,
     * or'ed.  The default is 0, no requests.  mcphost_set_sampler() adds
     * MCPHOST_REQUEST_SAMPLING. */
    MCPHOST_OPT_REQUESTS = 50,
    /* How the host handles an edit that does not work.  The value is one of
     * MCPHOST_LAST_GOOD_*.  The default is MCPHOST_LAST_GOOD_KEEP.  Each source can have
     * its own value. */
    MCPHOST_OPT_LAST_GOOD = 51,
    /* How structured content of answers is checked.  The value is one of
     * MCPHOST_RESULTS_*.  The default is MCPHOST_RESULTS_OFF.  Each source can have its
     * own value.  The key `results` of a server overrides the value. */
    MCPHOST_OPT_RESULTS = 52,
    /* Which transports servers may have.  The value is at least one of MCPHOST_ALLOW_*,
     * or'ed.  The default is MCPHOST_ALLOW_STDIO and MCPHOST_ALLOW_STREAMABLE_HTTP.  Each
     * source can have its own value. */
    MCPHOST_OPT_TRANSPORTS = 53,
    /* Whether the host sends two more requests to a server at a URL if the server does
     * not come up.  The answers explain the error (mcphost_set_option(3)).  The value is
     * 0 or 1.  The default is 1.  Each source can have its own value. */
    MCPHOST_OPT_HTTP_DIAGNOSIS = 54,
    /* Which server has the name of a tool if several servers offer a tool of this name.
     * The value is one of MCPHOST_HOLDERS_*.  The default is MCPHOST_HOLDERS_KEEP.  Each
     * source can have its own value. */
    MCPHOST_OPT_HOLDERS = 55,
    /* How the names of tools are made.  The value is one of MCPHOST_NAMES_*.  The default
     * is MCPHOST_NAMES_TRANSFORMS.  Each source can have its own value. */
    MCPHOST_OPT_NAMES = 56,
    /* Whether a server without a `manual` is a problem.  The value is one of
     * MCPHOST_MANUALS_*.  The default is MCPHOST_MANUALS_OPTIONAL.  Each source can have
     * its own value. */
    MCPHOST_OPT_MANUALS = 57,
    /* Which types of items mcphost_call_make_items() makes.  The value is one of
     * MCPHOST_ITEMS_*.  The default is MCPHOST_ITEMS_TEXT_IMAGE.  The option can be set
     * after the load, too, for later items. */
    MCPHOST_OPT_ITEM_TYPES = 60,
    /* Which dialogs share an instance.  The value is one of MCPHOST_SCOPE_*.  The default
     * is MCPHOST_SCOPE_DIALOG.  Each source can have its own value.  The key `scope` of a
     * server overrides the value. */
    MCPHOST_OPT_LEASE_SCOPE = 61,
    /* The lowest level of the log messages that servers are asked for.  The value is one
     * of MCPHOST_MESSAGES_*.  The default is MCPHOST_MESSAGES_UNASKED.  Each source can
     * have its own value.  The key `logLevel` of a server overrides the value. */
    MCPHOST_OPT_MESSAGES = 62,
    /* Whether the host announces to servers that the application shows their apps (ui://
     * resources).  The value is 0 or 1.  The default is 0.  Each source can have its own
     * value. */
    MCPHOST_OPT_APPS = 63,
    /* Which tools of servers may not be called, by their annotations.  The value is
     * MCPHOST_DENY_*, or'ed.  The default is 0, no tools.  Each source can have its own
     * value. */
    MCPHOST_OPT_DENIED = 64,
    /* Which era of the protocol the clients of mcphost_serve_fd() may speak.  The value
     * is one of MCPHOST_ERA_*.  The default is MCPHOST_ERA_AUTO, either era.  The option
     * can be set after the load, too, for clients that are served later. */
    MCPHOST_OPT_SERVED_ERA = 65,
    /* By which flow servers get their tokens, if the key `auth.flow` of a server is auto.
     * The value is one of MCPHOST_FLOW_* (mcphost/logins.h).  The default is
     * MCPHOST_FLOW_AUTO.  Each source can have its own value. */
    MCPHOST_OPT_LOGIN_FLOW = 66
};

/* The values of MCPHOST_OPT_DENIED: which tools of servers are denied, by their
 * annotations.  A tool that lacks an annotation has MCP's default for it (MCP,
 * "ToolAnnotations").  A call of a denied tool fails with MCPHOST_E_DENIED.  The option
 * protects from mistakes, but not from a server that lies, because a server can write
 * false annotations.  Since: 0.1 */
enum mcphost_deny {
    MCPHOST_DENY_WRITING = 1,     /* tools whose readOnlyHint is not true */
    MCPHOST_DENY_DESTRUCTIVE = 2, /* writing tools whose destructiveHint is not false */
    MCPHOST_DENY_OPEN_WORLD = 4   /* tools whose openWorldHint is not false */
};

/* The special value of MCPHOST_OPT_CALL_TIMEOUT, MCPHOST_OPT_REQUEST_TIMEOUT and
 * MCPHOST_OPT_TASK_TIMEOUT that is not a time.  Since: 0.1 */
enum mcphost_timeout {
    MCPHOST_TIMEOUT_NONE = -1 /* no limit */
};

/* The values of MCPHOST_OPT_ITEM_TYPES: the types of items that mcphost_call_make_items()
 * makes.  Since: 0.1 */
enum mcphost_item_types {
    MCPHOST_ITEMS_TEXT_IMAGE = 0, /* input_text and input_image */
    MCPHOST_ITEMS_ALL = 1 /* also input_audio, input_file, and the server's JSON */
};

/* The values of MCPHOST_OPT_MANUALS: whether each valid server of a configuration file
 * should have the key `manual`.  Since: 0.1 */
enum mcphost_manuals {
    MCPHOST_MANUALS_OPTIONAL = 0, /* a manual is not needed */
    MCPHOST_MANUALS_WANTED = 1    /* a server without a manual is a problem (a warning) */
};

/* The values of MCPHOST_OPT_NAMES: how the names of servers' tools are made.  The filter
 * of a server gets the name that the server gave.  The new name must be valid.
 * Since: 0.1 */
enum mcphost_names {
    /* the server's configured transforms change the name that the server gave */
    MCPHOST_NAMES_TRANSFORMS = 0,
    /* the name is "<server>__" and the name that the transforms make.  The names of two
     * servers cannot collide. */
    MCPHOST_NAMES_SERVER = 1,
    /* the name is "mcp_<server>_<tool>", from the server's id and the name that the
     * transforms make.  The two parts are trimmed and put in lower case.  Each run of
     * characters other than a-z, 0-9, '_' and '-' becomes one '_'.  An empty id becomes
     * "server".  An empty name becomes "tool".  The name that the server gave may have
     * any characters but control characters, up to 1024 bytes. */
    MCPHOST_NAMES_FULL = 2,
    /* the function of mcphost_source_set_name_fn() makes the name from the name that the
     * transforms make.  The name that the server gave may have the characters and the
     * length that MCPHOST_NAMES_FULL allows. */
    MCPHOST_NAMES_CALLBACK = 3
};

/* The values of MCPHOST_OPT_HOLDERS: which server has the name of a tool if several
 * servers offer a tool of this name.  A built-in tool keeps its name in any case.
 * Since: 0.1 */
enum mcphost_holders {
    /* During the first load, until each of its servers has come up or failed, the first
     * server in the order of the configuration has the name.  After that, a server keeps
     * its name for as long as it offers the tool, through crashes and restarts,
     * regardless of other servers.  If its list lacks the name, or if it is removed or
     * disabled, the first server in the order that offers the tool gets the name.  First
     * loads of several sources that overlap in time count as one load. */
    MCPHOST_HOLDERS_KEEP = 0,
    /* the first server in the order of the configuration, anew in each catalog */
    MCPHOST_HOLDERS_BY_ORDER = 1
};

/* The values of MCPHOST_OPT_TRANSPORTS: transports that servers may have.  Since: 0.1 */
enum mcphost_allowed_transport {
    MCPHOST_ALLOW_STDIO = 1,           /* a child process, over its stdin and stdout */
    MCPHOST_ALLOW_STREAMABLE_HTTP = 2, /* a server at a URL, over streamable HTTP */
    /* the deprecated HTTP+SSE of 2024-11-05.  The host also tries HTTP+SSE if a server
     * over streamable HTTP answers `initialize` with 400, 404 or 405. */
    MCPHOST_ALLOW_SSE = 4
};

/* The values of MCPHOST_OPT_GUARD: whether stdio servers run under mcphost-guard.
 * Without the guard a server is a child of the host's process.  The process group of the
 * server is killed together with the server.  A process that has left the group is not
 * killed.  After a crash of the host, no process is killed.  Since: 0.1 */
enum mcphost_guard_mode {
    MCPHOST_GUARD_NONE = 0,     /* servers run without the guard */
    MCPHOST_GUARD_REQUIRED = 1, /* under the guard; without it, no stdio server starts */
    MCPHOST_GUARD_OPTIONAL = 2  /* under the guard; if the guard is missing, servers run
                                 * without it, and a problem reports this */
};

/* The key `containment` of a server: the means by which all processes of the server end
 * together with the server.  In a status, the constant is the means in force.
 * Since: 0.1 */
enum mcphost_containment {
    MCPHOST_CONTAINMENT_AUTO = 0,   /* as CGROUP if possible, else as TREE; in a status:
                                     * no process runs */
    MCPHOST_CONTAINMENT_TREE = 1,   /* the guard finds the processes by descent, and by
                                     * MCPHOST_SPAWN_ID in their environments */
    MCPHOST_CONTAINMENT_CGROUP = 2, /* a control group (v2) for the server alone */
    MCPHOST_CONTAINMENT_PID = 3,    /* a PID namespace for the server alone */
    MCPHOST_CONTAINMENT_GROUP = 4   /* the process group of a server without a guard; only
                                     * in a status */
};

/* The values of MCPHOST_OPT_LAST_GOOD: how the host handles an edit that does not work.
 * Since: 0.1 */
enum mcphost_last_good {
    MCPHOST_LAST_GOOD_KEEP = 0, /* each server's last good edition stays in use until a
                                 * good edition replaces it */
    MCPHOST_LAST_GOOD_NONE = 1 /* a server has no tools if its entry is invalid or its new
                                * process does not come up; no server has tools if the
                                * file is rejected as a whole */
};

/* Which dialogs share an instance of a server.  The key `scope` of a server sets the
 * scope of this server.  Without the key, MCPHOST_OPT_LEASE_SCOPE sets the scope.
 * mcphost_dialog_set_agent() sets the agent of a dialog.  mcphost_dialog_set_workspace()
 * sets the workspace.  Since: 0.1 */
enum mcphost_scope {
    MCPHOST_SCOPE_DIALOG = 0,    /* each dialog has its own instance */
    MCPHOST_SCOPE_AGENT = 1,     /* dialogs with the same agent */
    MCPHOST_SCOPE_WORKSPACE = 2, /* dialogs with the same workspace */
    MCPHOST_SCOPE_EVERYONE = 3   /* all dialogs */
};

/* The lowest level of the log messages (MCPHOST_EVENT_LOG) that a server is asked to
 * send.  The server sends messages of this level and of the levels behind it in this
 * list.  The key `logLevel` of a server sets the level.  Without this key,
 * MCPHOST_OPT_MESSAGES sets the level.  MCP, "Logging".  Since: 0.1 */
enum mcphost_message_level {
    MCPHOST_MESSAGES_UNASKED = 0,  /* the server is not asked; a modern server then
                                    * sends no messages */
    MCPHOST_MESSAGES_DEBUG = 1,    /* details for debugging */
    MCPHOST_MESSAGES_INFO = 2,     /* general information */
    MCPHOST_MESSAGES_NOTICE = 3,   /* normal but significant events */
    MCPHOST_MESSAGES_WARNING = 4,  /* for example, use of a deprecated feature */
    MCPHOST_MESSAGES_ERROR = 5,    /* failed operations */
    MCPHOST_MESSAGES_CRITICAL = 6, /* failed components of a system */
    MCPHOST_MESSAGES_ALERT = 7,    /* action must be taken at once */
    MCPHOST_MESSAGES_EMERGENCY = 8 /* the system cannot be used */
};

/* The values of MCPHOST_OPT_REMOVED: which server carries out a call of a tool of a
 * turn's catalog, if the tool's server was removed or changed since the turn began.
 * Since: 0.1 */
enum mcphost_removed {
    MCPHOST_REMOVED_SUCCESSOR = 0, /* the present server, if it offers a tool with the
                                    * same original name and input schema bytes as the
                                    * turn's tool; else the call ends with
                                    * MCPHOST_E_GONE */
    MCPHOST_REMOVED_SERVE = 1      /* the old server, until the last turn that keeps it
                                    * ends */
};

/* The values of MCPHOST_OPT_RELOAD: when the files that a source follows are read again.
 * Since: 0.1 */
enum mcphost_reload_mode {
    MCPHOST_RELOAD_WATCH = 0,   /* when the kernel or a periodic check reports a change */
    MCPHOST_RELOAD_POLL = 1,    /* when a periodic check finds a change */
    MCPHOST_RELOAD_TURN = 2,    /* when a turn begins, if the files have changed */
    MCPHOST_RELOAD_EXPLICIT = 3 /* by mcphost_reload(), mcphost_source_reload(),
                                 * mcphost_invalidate_agent(), mcphost_invalidate_view()
                                 * and tools of mcp_admin, and after an edit by the host
                                 * itself */
};

/* The special values of MCPHOST_OPT_DRAIN_TIMEOUT that are not times.  Since: 0.1 */
enum mcphost_drain {
    /* as long as the deadlines of the calls in flight allow, at most 60 s */
    MCPHOST_DRAIN_AUTO = -1,
    MCPHOST_DRAIN_INFINITE = -2 /* no limit except the deadlines of the calls */
};

/* The values of MCPHOST_OPT_INHERIT_ENV: which variables of the host's environment a
 * server gets, besides the variables of the server's own `env` and of mcphost_set_env().
 * Since: 0.1 */
enum mcphost_inherited_env {
    MCPHOST_ENV_ALL = 0, /* all variables */
    /* HOME LANG LANGUAGE LC_* LOGNAME PATH SHELL TERM TMPDIR TZ USER, but no variable
     * whose value is a shell function */
    MCPHOST_ENV_MINIMAL = 1,
    MCPHOST_ENV_NONE = 2 /* no variable */
};

/* The values of MCPHOST_OPT_COLLISION: how the host handles a server's tool whose name is
 * taken.  Since: 0.1 */
enum mcphost_collision {
    MCPHOST_COLLISION_SKIP = 0, /* the tool is left out */
    /* The update that brings the tool is rejected.  The server keeps its last good
     * edition.  A server without a good edition is left out.  A problem reports the
     * rejection. */
    MCPHOST_COLLISION_REJECT = 1
};

/* The values of MCPHOST_OPT_ARGUMENTS: how arguments are checked before a call.  For
 * built-in tools, MCPHOST_ARGUMENTS_OBJECT and MCPHOST_ARGUMENTS_OFF have the effect of
 * MCPHOST_ARGUMENTS_FULL.  Since: 0.1 */
enum mcphost_arguments_check {
    MCPHOST_ARGUMENTS_OBJECT = 0, /* arguments of a server's tool must be a JSON object */
    MCPHOST_ARGUMENTS_OFF = 1,    /* arguments of a server's tool must be JSON */
    MCPHOST_ARGUMENTS_FULL = 2,   /* arguments must fit the tool's input schema; a tool
                                   * whose schema cannot be compiled cannot be called */
    /* the host adds the schema's defaults for members that are missing
     * (MCPHOST_SCHEMA_DEFAULTS).  The completed arguments must fit the schema.  The
     * server gets the completed arguments. */
    MCPHOST_ARGUMENTS_COMPLETE = 3
};

/* The values of MCPHOST_OPT_RESULTS: how the structured content of an answer is checked
 * against the tool's output schema.  The check applies if the tool has an output schema
 * and the answer does not report a failure.  Since: 0.1 */
enum mcphost_results_check {
    MCPHOST_RESULTS_OFF = 0,    /* the content is not checked */
    MCPHOST_RESULTS_REPORT = 1, /* content that does not fit is a problem; the call
                                 * still ends with the result */
    MCPHOST_RESULTS_FAIL = 2    /* the call fails with MCPHOST_E_PROTOCOL */
};

/*
 * mcphost_set_option - set an option of a host.
 *
 * Call this function before the host loads its first source.  Some options can be set at
 * any time, because the host reads them each time that it needs them:
 * MCPHOST_OPT_WAIT_STARTING, MCPHOST_OPT_TEXT_SPILL, MCPHOST_OPT_ARTIFACT_FILES,
 * MCPHOST_OPT_SHOW_ENV, MCPHOST_OPT_ITEM_TYPES and MCPHOST_OPT_SERVED_ERA.
 *
 * Errors: MCPHOST_E_INVALID (the option is unknown, or the value is not allowed),
 *   MCPHOST_E_STATE (the host is loaded, and the option cannot be set after a load),
 *   MCPHOST_E_EXISTS (MCPHOST_OPT_ADMIN_TOOLS is set to 1, and a toolset of the
 *   application is named mcp_admin, or a tool of the application has the name of a tool
 *   of mcp_admin), MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
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
