/* SPDX-License-Identifier: MIT
 *
 * policy.h - limits, times and choices of a host.
 */
#ifndef MCPHOST_POLICY_H
#define MCPHOST_POLICY_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of mcphost_set_option(): name, unit, default.  Since: 0.1 */
enum mcphost_option {
    /* times, in ms */
    MCPHOST_OPT_START_TIMEOUT = 1,    /* spawn to handshake done: 60000 */
    MCPHOST_OPT_LIST_TIMEOUT = 2,     /* each page of a list: 15000 */
    MCPHOST_OPT_CALL_TIMEOUT = 3,     /* a tool call: 60000; MCPHOST_TIMEOUT_NONE */
    MCPHOST_OPT_PROBE_TIMEOUT = 4,    /* for an answer to server/discover: 5000 */
    MCPHOST_OPT_DRAIN_TIMEOUT = 5,    /* calls in flight when their instance is to stop:
                                      * MCPHOST_DRAIN_AUTO; 0: at once; or a number */
    MCPHOST_OPT_STOP_EOF = 6,         /* closed stdin to SIGTERM; the answer to the DELETE
                                       * that ends an HTTP session: 2000 */
    MCPHOST_OPT_STOP_TERM = 7,        /* SIGTERM to SIGKILL: 2000 */
    MCPHOST_OPT_FIRST_LEASE_WAIT = 8, /* how long the instance that listed the tools waits
                                      * to become the first lease: 30000; 0: not at all */
    MCPHOST_OPT_RESTART_DELAY = 9,    /* least time between two starts of one lease whose
                                      * server dies; doubles up to 60 s: 1000 */
    MCPHOST_OPT_RELOAD_DEBOUNCE = 10, /* an edit is applied when no other has followed for
                                       * this time, 100 to 500: 200 */
    MCPHOST_OPT_RELOAD_POLL = 11,     /* between two looks at the file: 1500 */
    MCPHOST_OPT_LEASE_IDLE = 12,      /* a dialog's lease ends when it has had no call
                                       * for this time: 0, which is never */
    MCPHOST_OPT_PING = 13, /* a stdio server that is asked nothing and sends nothing for
                            * this time is pinged: 0, which is never; revision 2026-07-28
                            * has no ping */
    MCPHOST_OPT_PING_TIMEOUT = 14, /* a server that sends nothing for this time after a
                                    * ping is taken for lost: 10000 */
    MCPHOST_OPT_CRASH_WINDOW = 15, /* an instance that has lived for this time before it
                                    * ends by itself counts as no crash: 60000 */
    MCPHOST_OPT_REQUEST_TIMEOUT = 16, /* for the application's answer to a server's
                                       * request, and to a call that waits for
                                       * mcphost_call_allow(): 600000;
                                       * MCPHOST_TIMEOUT_NONE */
    MCPHOST_OPT_WAIT_STARTING = 17,   /* how long a call by a name that no tool has yet
                                     * waits while servers start: 0, not at all */
    MCPHOST_OPT_TASK_TIMEOUT = 18,    /* a call with which its server goes on as a task:
                                       * 86400000, a day; 0: servers are not told that
                                       * they may; MCPHOST_TIMEOUT_NONE */
    /* limits */
    MCPHOST_OPT_CONCURRENT_STARTS = 20, /* servers starting at once: 8 */
    MCPHOST_OPT_CALLS_IN_FLIGHT = 21,   /* per instance, the rest queues: 256 */
    MCPHOST_OPT_QUEUED_CALLS = 22,      /* per instance, behind those: 4096 */
    MCPHOST_OPT_MESSAGE_BYTES = 23,     /* largest message kept in memory: 64 MiB */
    MCPHOST_OPT_LIST_PAGES = 24,        /* pages of one list: 64 */
    MCPHOST_OPT_LIST_TOOLS = 25,        /* tools of one server: 100000 */
    MCPHOST_OPT_TEXT_SPILL = 26,  /* bytes of a text from which on items have it as a
                                         * file, 8192 at least: 1 MiB */
    MCPHOST_OPT_SPOOL_BYTES = 27, /* largest message kept in a file
                                   * (mcphost_set_spool_dir()): 1 GiB; 0: none */
    MCPHOST_OPT_CACHE_BYTES = 28, /* memory for answers that servers (2026-07-28) allow to
                                   * be used again for a while: 16 MiB; 0: none is kept */
    MCPHOST_OPT_SAMPLING_OPEN = 32, /* sampling requests of one server that wait for their
                                     * answer at once; more are refused: 8 */
    MCPHOST_OPT_SAMPLING_RATE = 33, /* sampling requests of one server within a minute;
                                     * more are refused: 60 */
    MCPHOST_OPT_SAMPLING_DEPTH = 34, /* sampling requests within one another
                                      * (mcphost_call_set_request()): 1, none within */
    MCPHOST_OPT_SCHEMA_STEPS = 35,   /* what compiling a tool's schema may cost, and what
                                    * one check against it: 200000, some 5 ms */
    MCPHOST_OPT_TOOL_TEXT = 36,  /* bytes of a tool's description, of its title, of its
                                    * annotations; longer ones are cut: 32768 */
    MCPHOST_OPT_HELD_BYTES = 38, /* memory of all large messages together, those being
                                   * read and those that results and catalogs keep; a
                                   * call whose answer goes beyond it fails with
                                   * MCPHOST_E_LIMIT; one server takes at most as much
                                   * as it leaves to the others: 192 MiB */
    MCPHOST_OPT_ARTIFACT_FILES = 39, /* artifacts of one dialog, those of earlier runs
                                      * included: 10000; 0: no limit */
    /* choices */
    MCPHOST_OPT_INHERIT_ENV = 40, /* MCPHOST_ENV_ALL */
    MCPHOST_OPT_COLLISION = 41,   /* MCPHOST_COLLISION_SKIP */
    MCPHOST_OPT_ARGUMENTS = 42,   /* MCPHOST_ARGUMENTS_OBJECT */
    MCPHOST_OPT_GUARD = 43,       /* MCPHOST_GUARD_REQUIRED */
    MCPHOST_OPT_WARDEN = 44,      /* guard the guard: 1 */
    MCPHOST_OPT_ADMIN_TOOLS = 45, /* the built-in toolset mcp_admin for every dialog: 0,
                                   * only for grants that name it */
    MCPHOST_OPT_RETRY = 46,       /* start a server that failed again, after 1 s and up to
                                   * 60 s, or as long as it asked for (Retry-After):
                                   * 1; 0: with the next edit only */
    MCPHOST_OPT_RELOAD = 47,      /* MCPHOST_RELOAD_WATCH */
    MCPHOST_OPT_SHOW_ENV = 48,    /* the tools env_get, env_set and env_unset of mcp_admin
                                   * show values: 0; they may be secrets */
    MCPHOST_OPT_REMOVED = 49,     /* MCPHOST_REMOVED_SUCCESSOR */
    MCPHOST_OPT_REQUESTS = 50,    /* what servers may ask, MCPHOST_REQUEST_* or'ed: 0,
                                   * nothing */
    MCPHOST_OPT_LAST_GOOD = 51,   /* MCPHOST_LAST_GOOD_KEEP */
    MCPHOST_OPT_RESULTS = 52,     /* MCPHOST_RESULTS_OFF */
    MCPHOST_OPT_TRANSPORTS = 53,  /* which transports servers may have, MCPHOST_ALLOW_*
                                   * or'ed: stdio and streamable HTTP */
    MCPHOST_OPT_HTTP_DIAGNOSIS = 54, /* a server at a URL that does not come up is sent
                                     * two more requests, whose answers explain the
                                     * error: 1; mcphost_set_option(3) */
    MCPHOST_OPT_HOLDERS = 55,        /* MCPHOST_HOLDERS_KEEP */
    MCPHOST_OPT_NAMES = 56,          /* MCPHOST_NAMES_TRANSFORMS */
    MCPHOST_OPT_MANUALS = 57,        /* MCPHOST_MANUALS_OPTIONAL */
    MCPHOST_OPT_ITEM_TYPES = 60,     /* MCPHOST_ITEMS_TEXT_IMAGE */
    MCPHOST_OPT_LEASE_SCOPE = 61,    /* MCPHOST_SCOPE_* of servers whose entry names none:
                                      * MCPHOST_SCOPE_DIALOG */
    MCPHOST_OPT_MESSAGES = 62,       /* MCPHOST_MESSAGES_* of servers whose entry names
                                      * none: MCPHOST_MESSAGES_UNASKED */
    MCPHOST_OPT_APPS = 63,           /* the application shows apps of servers (ui://
                                      * resources), and servers are told so: 0 */
    MCPHOST_OPT_DENIED = 64,         /* which tools may not be called, by what they touch:
                                      * MCPHOST_DENY_* or'ed: 0, none */
    MCPHOST_OPT_SERVED_ERA = 65      /* the era of clients that a view is served to from
                                      * now on: MCPHOST_ERA_AUTO, which is either */
};

/* MCPHOST_OPT_DENIED: tools by their annotations, which have MCP's defaults where a tool
 * does not say (MCP, "ToolAnnotations").  A call of such a tool fails with
 * MCPHOST_E_DENIED.  Annotations are the server's word: they protect from mistakes, not
 * from a server that lies.  Since: 0.1 */
enum mcphost_deny {
    MCPHOST_DENY_WRITING = 1,     /* readOnlyHint is not true */
    MCPHOST_DENY_DESTRUCTIVE = 2, /* the same, and destructiveHint is not false */
    MCPHOST_DENY_OPEN_WORLD = 4   /* openWorldHint is not false */
};

/* MCPHOST_OPT_CALL_TIMEOUT, MCPHOST_OPT_REQUEST_TIMEOUT and MCPHOST_OPT_TASK_TIMEOUT:
 * without end.  Since: 0.1 */
enum mcphost_timeout { MCPHOST_TIMEOUT_NONE = -1 };

/* MCPHOST_OPT_ITEM_TYPES: which types mcphost_call_make_items() makes.  Since: 0.1 */
enum mcphost_item_types {
    MCPHOST_ITEMS_TEXT_IMAGE = 0, /* input_text and input_image */
    MCPHOST_ITEMS_ALL = 1 /* also input_audio, input_file, and the server's own JSON */
};

/* MCPHOST_OPT_MANUALS: whether each server of a configuration file must have the key
 * `manual`.  Since: 0.1 */
enum mcphost_manuals {
    MCPHOST_MANUALS_OPTIONAL = 0, /* no */
    MCPHOST_MANUALS_WANTED = 1    /* a server without a manual is a problem, a warning */
};

/* MCPHOST_OPT_NAMES: what servers' tools are called.  A server's filter sees the name
 * that the server gave; the name that comes out must be valid.  Since: 0.1 */
enum mcphost_names {
    MCPHOST_NAMES_TRANSFORMS = 0, /* what the configured transforms make of their names */
    MCPHOST_NAMES_SERVER = 1, /* "<server>__" before that, so no two servers collide */
    /* "mcp_<server>_<tool>" of the server's id and of what the transforms make, each
     * trimmed, in lower case, with one '_' for each run of characters other than
     * a-z, 0-9, '_' and '-'; an empty one is "server" or "tool".  The server's own name
     * may have any characters but control characters, up to 1024 bytes. */
    MCPHOST_NAMES_FULL = 2,
    /* what the function of mcphost_source_set_name_fn() makes of that; the server's own
     * name may have any characters likewise */
    MCPHOST_NAMES_CALLBACK = 3
};

/* MCPHOST_OPT_HOLDERS: which of several servers that offer a tool name has it.  Built-in
 * tools have their names in any case.  Since: 0.1 */
enum mcphost_holders {
    /* Until each server of the first load is ready or has failed: the first in the order
     * of the configuration.  From then on the server that has the name, for as long as
     * it offers it: through crashes and restarts, and whatever other servers offer.  When
     * its list lacks the name, or it is removed or disabled, the order decides again.
     * First loads of several sources that overlap in time count as one. */
    MCPHOST_HOLDERS_KEEP = 0,
    MCPHOST_HOLDERS_BY_ORDER = 1 /* the first in the order, in each catalog anew */
};

/* MCPHOST_OPT_TRANSPORTS.  With SSE, if a server over streamable HTTP answers
 * `initialize` with 400, 404 or 405, HTTP+SSE is tried.  Since: 0.1 */
enum mcphost_allowed_transport {
    MCPHOST_ALLOW_STDIO = 1,
    MCPHOST_ALLOW_STREAMABLE_HTTP = 2,
    MCPHOST_ALLOW_SSE = 4 /* HTTP+SSE of 2024-11-05, which is deprecated */
};

/* MCPHOST_OPT_GUARD: whether servers run under mcphost-guard.  Without it a server is
 * the host's own child.  Its process group is killed with it; a process that has left
 * that group is not, and after a crash of the host no process is.  Since: 0.1 */
enum mcphost_guard_mode {
    MCPHOST_GUARD_NONE = 0,     /* they do not */
    MCPHOST_GUARD_REQUIRED = 1, /* they do; if the guard is missing, no server starts */
    MCPHOST_GUARD_OPTIONAL = 2  /* they do; if the guard is missing, they run without it,
                                 * and a problem says so */
};

/* `containment` of a configuration: what holds the processes of a server together, so
 * that all of them end with it.  Also what a status says is in force.  Since: 0.1 */
enum mcphost_containment {
    MCPHOST_CONTAINMENT_AUTO = 0,   /* a control group where one can be made, else the
                                     * tree; in a status: no process runs */
    MCPHOST_CONTAINMENT_TREE = 1,   /* descent from the guard, and MCPHOST_SPAWN_ID */
    MCPHOST_CONTAINMENT_CGROUP = 2, /* a control group (v2) of its own */
    MCPHOST_CONTAINMENT_PID = 3,    /* a PID namespace of its own */
    MCPHOST_CONTAINMENT_GROUP = 4   /* its process group: it has no guard; only in a
                                     * status */
};

/* MCPHOST_OPT_LAST_GOOD: what happens after an edit that does not work.  Since: 0.1 */
enum mcphost_last_good {
    MCPHOST_LAST_GOOD_KEEP = 0, /* each server's last good edition is offered and serves
                                 * until a good one takes over */
    MCPHOST_LAST_GOOD_NONE = 1 /* a server has no tools if its entry is invalid or its new
                                 * process does not come up; no server has, if the file is
                                 * rejected as a whole */
};

/* For whom an instance works: which dialogs share it.  A server's `scope` says so
 * (mcphost-config(5)), else MCPHOST_OPT_LEASE_SCOPE.  Since: 0.1 */
enum mcphost_scope {
    MCPHOST_SCOPE_DIALOG = 0,    /* one dialog */
    MCPHOST_SCOPE_AGENT = 1,     /* those with the same mcphost_dialog_set_agent() */
    MCPHOST_SCOPE_WORKSPACE = 2, /* those with the same mcphost_dialog_set_workspace() */
    MCPHOST_SCOPE_EVERYONE = 3   /* all */
};

/* From which level on a server is to send log messages (MCPHOST_EVENT_LOG).  A server's
 * `logLevel` says so (mcphost-config(5)), else MCPHOST_OPT_MESSAGES.  MCP, "Logging".
 * Since: 0.1 */
enum mcphost_message_level {
    MCPHOST_MESSAGES_UNASKED = 0, /* what it sends unasked: a modern server sends none */
    MCPHOST_MESSAGES_DEBUG = 1,
    MCPHOST_MESSAGES_INFO = 2,
    MCPHOST_MESSAGES_NOTICE = 3,
    MCPHOST_MESSAGES_WARNING = 4,
    MCPHOST_MESSAGES_ERROR = 5,
    MCPHOST_MESSAGES_CRITICAL = 6,
    MCPHOST_MESSAGES_ALERT = 7,
    MCPHOST_MESSAGES_EMERGENCY = 8
};

/* MCPHOST_OPT_REMOVED: which server carries out a tool of a turn's catalog, if the tool's
 * server was removed or changed since the turn began.  Since: 0.1 */
enum mcphost_removed {
    MCPHOST_REMOVED_SUCCESSOR = 0, /* the server as it is now, if it offers a tool of the
                                    * same original name with the same bytes as input
                                    * schema; else the call ends with MCPHOST_E_GONE */
    MCPHOST_REMOVED_SERVE = 1      /* the old server, which is stopped when the last turn
                                    * that keeps it ends */
};

/* MCPHOST_OPT_RELOAD: when a file that was given to mcphost_load_workspace() is read
 * again.  Since: 0.1 */
enum mcphost_reload_mode {
    MCPHOST_RELOAD_WATCH = 0, /* when the kernel tells of a change, or a look finds one */
    MCPHOST_RELOAD_POLL = 1,  /* when a look finds one */
    MCPHOST_RELOAD_TURN = 2,  /* when a turn of a dialog begins and it has changed */
    MCPHOST_RELOAD_EXPLICIT = 3 /* by mcphost_reload(), mcphost_invalidate_agent() and
                                 * mcphost_invalidate_view() alone */
};

/* MCPHOST_OPT_DRAIN_TIMEOUT: the longest time left of the calls in flight, at
 * most 60 s; or no limit.  Since: 0.1 */
enum mcphost_drain { MCPHOST_DRAIN_AUTO = -1, MCPHOST_DRAIN_INFINITE = -2 };

/* MCPHOST_OPT_INHERIT_ENV: what a server sees of the environment besides its
 * own `env`.  MINIMAL: HOME LANG LC_* LOGNAME PATH SHELL TERM TMPDIR TZ USER.
 * Since: 0.1 */
enum mcphost_inherited_env {
    MCPHOST_ENV_ALL = 0,
    MCPHOST_ENV_MINIMAL = 1,
    MCPHOST_ENV_NONE = 2
};

/* MCPHOST_OPT_COLLISION: what happens when a server brings a tool whose name is
 * taken.  Since: 0.1 */
enum mcphost_collision {
    MCPHOST_COLLISION_SKIP = 0, /* that tool is left out */
    /* The update that brings the tool is rejected: the server keeps its last good
     * edition, or is left out if it has none, and a problem says so. */
    MCPHOST_COLLISION_REJECT = 1
};

/* MCPHOST_OPT_ARGUMENTS: how arguments are checked before a call.  For built-in
 * tools OBJECT and OFF are as FULL.  Since: 0.1 */
enum mcphost_arguments_check {
    MCPHOST_ARGUMENTS_OBJECT = 0, /* they must be a JSON object */
    MCPHOST_ARGUMENTS_OFF = 1,    /* well-formed JSON is enough */
    MCPHOST_ARGUMENTS_FULL = 2,   /* they must fit the tool's input schema; a call of a
                                   * tool whose schema is unfit is refused */
    /* the schema's defaults are put in for members that are missing
     * (MCPHOST_SCHEMA_DEFAULTS); the result must fit, and the server gets it */
    MCPHOST_ARGUMENTS_COMPLETE = 3
};

/* MCPHOST_OPT_RESULTS: how the structured content of an answer is checked against
 * the tool's output schema, if it has one.  Since: 0.1 */
enum mcphost_results_check {
    MCPHOST_RESULTS_OFF = 0, /* not at all */
    MCPHOST_RESULTS_REPORT =
        1,                   /* what does not fit is a problem, and the result stands */
    MCPHOST_RESULTS_FAIL = 2 /* the call fails with MCPHOST_E_PROTOCOL */
};

/*
 * mcphost_set_option - set a limit, time or choice.
 *
 * Before mcphost_load(); at any time MCPHOST_OPT_WAIT_STARTING, MCPHOST_OPT_TEXT_SPILL,
 * MCPHOST_OPT_ARTIFACT_FILES, MCPHOST_OPT_SHOW_ENV, MCPHOST_OPT_ITEM_TYPES and
 * MCPHOST_OPT_SERVED_ERA.
 *
 * Returns 0, MCPHOST_E_INVALID (mcphost_check_option() says why),
 * MCPHOST_E_STATE after mcphost_load(), MCPHOST_E_CLOSED, MCPHOST_E_FORKED; of
 * MCPHOST_OPT_ADMIN_TOOLS also MCPHOST_E_EXISTS (the application has one of its names)
 * and MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_option(mcphost *host, int option, int64_t value);

/*
 * mcphost_get_option - read one.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_option(mcphost *host, int option, int64_t *ret_value);

/*
 * mcphost_check_option - whether an option may have a value.
 *
 * Nothing is set.  The error names the option and the values that it may have: "option
 * stop_eof: expected milliseconds from 0 to 600000, found -1".
 *
 * Returns 0, MCPHOST_E_INVALID (unknown option, value not allowed), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_check_option(int option, int64_t value,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
