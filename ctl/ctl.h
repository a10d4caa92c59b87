/* SPDX-License-Identifier: MIT
 *
 * ctl.h - the interfaces between the parts of mcphostctl.
 *
 * mcphostctl uses only the public interface of libmcphost.  It has one thread.  This
 * thread waits for events in ctl_turn().
 */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <mcphost/chatos.h>
#include <mcphost/mcphost.h>

#include "text.h"

/* Exit statuses.  After a signal, the status is 128 + the signal's number. */
enum {
    STATUS_OK = 0,
    STATUS_TOOL = 1,   /* the tool's result has isError, or a value is not valid */
    STATUS_USAGE = 2,  /* wrong arguments */
    STATUS_CONFIG = 3, /* the configuration or the schema is not acceptable */
    STATUS_SERVER = 4  /* a server or its connection failed */
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The values of --elicit: how mcphostctl answers a server that asks the user to fill in a
 * form or to visit a page.  AUTO means ASK if there is a terminal, else OFF.  With OFF,
 * the host tells servers that it supports neither forms nor pages. */
enum { ELICIT_AUTO, ELICIT_ASK, ELICIT_DECLINE, ELICIT_CANCEL, ELICIT_OFF };

/* The value of options.token_store for --token-store=secret-service.  The values for the
 * other stores are the library's MCPHOST_TOKENS_*. */
enum { TOKENS_SECRET_SERVICE = 1000 };

struct table;
struct profile;

/* SOURCES_MAX is the greatest number of sources beside the default source.  NAME_SIZE is
 * the size in bytes of a buffer for "SOURCE:SERVER". */
enum { SOURCES_MAX = 32, NAME_SIZE = 512 };

/* A source that the command line gives, either by id and path or by profile. */
struct given_source {
    const char *id, *path;
    const struct profile *profile;
    const char *directory; /* the directory of the -C after --profile, or NULL */
};

struct options {
    const char *directory, *config, *stdio, *url; /* NULL if not given */
    const char *transport;                        /* the value of --transport, or NULL */
    int sse;   /* `url` or servers of a file may use HTTP+SSE (--transport sse) */
    int era;   /* the era of `url` and `stdio`; -1 if not given */
    int names; /* MCPHOST_NAMES_* */
    const char *headers[32]; /* "Name: value", then NULL */
    char *own_headers[32];   /* for each header: the pointer to free later, or NULL */
    size_t n_headers;
    struct given_source sources[SOURCES_MAX];
    size_t n_sources, n_profiles;
    int detects; /* The command takes --profile.  Without --profile, --config, --stdio and
                  * --url, each profile found in the directory becomes a source. */
    const char *plugins, *plugins_config;
    const char *builtin_plugins, *defaults, *state_dir, *project_root,
        *session_root; /* options for ChatOS plugins */
    int probe;
    const char *dialog, *toolset;
    const char *provider, *save; /* the values of --for and --save */
    const char *server, *role, *prompt, *template;
    const char *sampling_command, *sampling_format, *sampling_model;
    int sampling_events; /* --sampling-events was given */
    int elicit;          /* ELICIT_* */
    int token_store;     /* MCPHOST_TOKENS_* or TOKENS_SECRET_SERVICE; -1 if not given */
    int device, paste, no_browser;
    struct text server_words; /* the options that choose the servers and their tokens,
                               * quoted for a shell, with a blank before each option */
    int64_t timeout_ms;       /* -1 if not given */
    int json, raw, verbose, color;
    int help, version, admin;
    int serve_stdio;     /* --stdio follows the command `serve` */
    const char *command; /* NULL if not given */
    char **args;         /* the words after the command */
    int n_args;
};

/* A source beside the default source. */
struct source {
    char *id, *path;
    const struct profile *profile; /* NULL for a file or a directory of files */
    char *directory;               /* the profile's directory, or NULL */
    /* The configuration from the first reading.  NULL if the command uses only a server
     * of another source. */
    mcphost_config *config;
    mcphost_config *applied; /* the last configuration that the host applied */
    mcphost_source *handle;
    mcphost_chatos *chatos; /* the registry that the source follows, or NULL */
};

struct ctl {
    struct options opt;
    const char *directory;   /* the workspace of --profile dominds, or NULL */
    int default_is_empty;    /* --profile was given, but not for the default source */
    int default_may_lack;    /* the default source's file may be missing: print no message
                              * then */
    mcphost_config *config;  /* the default source's configuration */
    mcphost_config *applied; /* the configuration that the host applied last for the
                              * default source */
    struct source sources[SOURCES_MAX];
    size_t n_sources;
    const char *only;       /* the only server to start, or NULL for all */
    struct source *only_in; /* the source of `only`, or NULL for the default source */
    int follow;             /* the host follows the files */
    int has_turns;          /* dialog turns can begin, so goclaw's file is read only on
                             * request */
    mcphost *host;
    FILE *out; /* the stream for tables; NULL means stdout */
    int signal_fd;
    int signal;    /* the first signal, or 0 */
    int n_signals; /* signals so far; a SIGINT that cancels questions does not count */
    int n_heeded;  /* signals that have ended a wait, or that came before ctl_close() */
    int quiet;     /* no status line, and no messages about the configuration */
    mcphost_plugins *plugins; /* NULL without plugins */
    const char *plugins_only; /* the id of the only plugin to load, or NULL for all */
    int plugins_settled;
    uint64_t ready_at;   /* with plugins: the serial of the order of the host (see
                          * mcphost_get_order_serial(3)) that must be settled before
                          * `ready` is set */
    int without_servers; /* only plugins are loaded */
    int ready;           /* every server has come up or failed */
    uint64_t settled;    /* the orders up to this serial are settled */
    int closed;          /* the host is closed, and no server is left */
    int64_t close_by;    /* the time to kill the servers, in ms; 0 before the close */
    int status_shown;
    int call_shown;    /* the status line shows the progress of a call */
    int logs_in;       /* the command is `login` */
    int was_asked;     /* a server has asked for a login */
    int tokens_failed; /* the secret service could not load or save tokens */
    /* The running command's handler of events; may be NULL. */
    void (*on_event)(struct ctl *ctl, const mcphost_event *event);
    void *user;
    struct cache *cache;
    struct asking *asking;     /* the state of ask.c */
    struct sampling *sampling; /* the state of sample.c; NULL without
                                * --sampling-command */
};

/* ---- main.c: the commands ---------------------------------------------------------- */

/* The kinds of values that an option or an argument of a command takes. */
enum {
    TAKES_NOTHING,
    TAKES_TEXT,
    TAKES_WORD, /* one of the row's `words` */
    TAKES_FILE,
    TAKES_DIRECTORY,
    TAKES_SOURCE, /* ID=PATH */
    TAKES_PROVIDER,
    TAKES_SERVER,
    TAKES_TOOLSET,
    TAKES_TOOL,
    TAKES_PROMPT,
    TAKES_TEMPLATE,
    TAKES_URI,
    TAKES_SKILL,
    TAKES_ROLE,
    TAKES_TOOL_ARGUMENT,   /* KEY=VALUE for the tool that the first argument names */
    TAKES_PROMPT_ARGUMENT, /* KEY=VALUE for the prompt that the first argument names */
    TAKES_COMPLETED        /* KEY=VALUE for the prompt or template that an option names */
};

#define SKILLS_WORDS "list show enable disable"
#define TASK_WORDS   "get update cancel wait"
#define SCHEMA_WORDS "check"
#define AUTH_WORDS   "status"

struct command {
    const char *name;
    int (*run)(struct ctl *ctl);
    int least, most;                 /* the limits of the number of arguments; `most` is
                                      * -1 if there is no limit */
    const char *arguments, *summary; /* texts for the help; NULL if the help leaves out
                                      * the command */
    const char *first;               /* a description of the first argument for error
                                      * messages, for example "the id of a server" */
    int takes[3];                    /* TAKES_* of each argument; takes[1] is also for
                                      * further arguments */
    const char *words;               /* the choices of an argument with TAKES_WORD */
};

/* The table of the commands.  The last row has no name. */
extern const struct command commands[];
/* Returns the command of this name.  If no command has this name, prints an error and
 * returns NULL.  The error suggests a similar name if there is one. */
const struct command *command_find(const char *name);

/* ---- usage.c ----------------------------------------------------------------------- */

/* Prints the help of one command or, if `command` is NULL, of mcphostctl.  Returns the
 * exit status. */
int usage_print(FILE *to, const char *command);

/* ---- options.c --------------------------------------------------------------------- */

enum {
    OPTION_SERVERS = 1,  /* the option decides which servers there are */
    OPTION_LOOKUP = 2,   /* the option changes which offers of the servers are seen */
    OPTION_OFTEN = 4,    /* the option may be given several times */
    OPTION_OPTIONAL = 8, /* the value of the option may be missing */
};

struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* 0 if the option has no letter */
    int number;       /* the value that getopt_long() returns for the name */
    int takes;        /* TAKES_* */
    const char *value;
    const char *words;        /* for TAKES_WORD, the allowed words, separated by blanks */
    const char *only, *never; /* `only`: the only commands that take the option; `never`:
                               * commands that do not take the option; or NULL */
    int flags;                /* OPTION_* */
    const char *summary;
};

/* The table of the options.  The last row has no name.  There are at most OPTIONS_MAX
 * rows. */
enum { OPTIONS_MAX = 64 };
extern const struct option_row option_rows[];

/* Parses the command line.  Returns 0, or STATUS_USAGE after printing the reason.  Call
 * options_free() in both cases. */
int options_parse(struct options *opt, int argc, char **argv);
void options_free(struct options *opt);
/* Finds the row of an option by its number or letter.  Returns NULL if no row has this
 * number or letter. */
const struct option_row *option_find(int number);
int option_fits(const struct option_row *row, const char *command);

/* ---- headers.c --------------------------------------------------------------------- */

/* Add one header, "Name: value", the headers of a file, or a header whose value is in a
 * variable of the environment.  `own` is the pointer to free later, or NULL.
 * ctl_headers_add() takes over `own`.  Each function returns 0, or STATUS_USAGE after
 * printing the reason. */
int ctl_headers_add(struct options *opt, const char *line, char *own);
int ctl_headers_add_file(struct options *opt, const char *path);
int ctl_headers_add_env(struct options *opt, const char *text); /* "Name: VARIABLE" */
void ctl_headers_free(struct options *opt);                     /* wipes the headers */

/* ---- say.c: messages on stderr, output on stdout, colours -------------------------- */

/* Prints "mcphostctl: ", the message and a line break to stderr. */
__attribute__((format(printf, 2, 3))) void say(struct ctl *ctl, const char *fmt, ...);
/* Prints an error.  Adds the place in the file and the last lines of the server's stderr,
 * if the error has them, and the advice to log in, if a login helps. */
void say_error(struct ctl *ctl, int code, mcphost_error *err);
/* Shows a status line on a terminal, in place of the last status line.  Does nothing
 * without a terminal, on a dumb terminal, with -v, or while a question is shown. */
__attribute__((format(printf, 2, 3))) void say_status(struct ctl *ctl, const char *fmt,
                                                      ...);
void say_status_end(struct ctl *ctl);
/* Prints a line that a server wrote, if -v was given. */
void say_server(struct ctl *ctl, const char *server, const char *s, size_t len);
/* Prints a diagnostic of a configuration as FILE:LINE:COLUMN: SEVERITY: MESSAGE. */
void print_diagnostic(FILE *stream, const mcphost_config *config, size_t index,
                      int color);
/* Returns true if output on stdout is to be coloured. */
int use_color(const struct ctl *ctl);
/* Writes `t` and a line break to stdout.  Returns STATUS_OK, or STATUS_SERVER after
 * printing the reason. */
int print_json(struct ctl *ctl, const struct text *t);
/* Prints a table and frees it.  Returns as print_json() does. */
int print_table(struct ctl *ctl, struct table *table);
/* Prints a table as print_table() does, but at most 100 columns wide, also without a
 * terminal.  A text in the last column that is too long is cut.  --json prints the whole
 * text. */
int print_cut_table(struct ctl *ctl, struct table *table);
/* Prints the last lines of a server's stderr.  If the second line of `tail` is "...", the
 * first line is the first line of an error.  The function then prints these two lines
 * before the last lines. */
void print_tail(FILE *stream, const char *tail);
int out_of_memory(struct ctl *ctl);

/* ---- host.c: one host from its configuration to its end ---------------------------- */

/* Loads the configurations of all sources or, if ctl->only is set, only the configuration
 * of that server's source.  Returns 0, or a STATUS_* after printing the reason. */
int ctl_load_config(struct ctl *ctl);

/* ctl_directory() returns the workspace.  ctl_file() returns the path of the default
 * source's file or, if that source is empty or its file may be missing, of the first
 * other source.  ctl_follows_file() returns true if the host follows the default source's
 * file.  ctl_transports() returns the MCPHOST_ALLOW_* that the options allow. */
const char *ctl_directory(const struct ctl *ctl);
const char *ctl_file(const struct ctl *ctl);
int ctl_follows_file(const struct ctl *ctl);
unsigned ctl_transports(const struct ctl *ctl);

/* Reduces *config to the server ctl->only.  Returns 0, or a STATUS_* after printing the
 * reason. */
int ctl_pick_server(struct ctl *ctl, mcphost_config **config);

/* Reads `file`, which has the form of .minds/mcp.yaml or is JSON with `mcpServers`
 * (file.c decides).  Accepts the transports that the options allow for this kind of file.
 * If `file` is NULL, reads the workspace's file.  Returns the codes of
 * mcphost_config_load() and mcphost_mcpservers_load(). */
int ctl_read_file(const struct ctl *ctl, const char *file, mcphost_config **ret,
                  mcphost_error **reterr);
/* Returns true if the file is JSON with `mcpServers`.  Returns false for NULL. */
int is_mcpservers(const char *file);
/* Returns true if the first 16 MiB of a file contain the text.  Returns false if the file
 * cannot be read. */
int file_contains(const char *file, const char *text);
unsigned file_transports(const struct ctl *ctl, const char *file);
/* file_load() gives a source the configuration that was read from `file`.  The function
 * returns as mcphost_source_load() does.  file_follow() makes a source follow `file`.  If
 * `file` is NULL, the source follows the workspace's file.  The function returns as
 * mcphost_source_follow_workspace() does. */
int file_load(const struct ctl *ctl, mcphost_source *source, const char *file,
              mcphost_config *config);
int file_follow(const struct ctl *ctl, mcphost_source *source, const char *file,
                mcphost_error **reterr);
/* Makes the host, and starts the configured servers unless `without_servers` is set.
 * Returns 0, or a STATUS_* after printing the reason. */
int ctl_open(struct ctl *ctl);
/* Begins to close the host, and sets the deadline of the close.  A second call does
 * nothing. */
void ctl_begin_close(struct ctl *ctl);
/* Returns the ms until the deadline that ctl_begin_close() has set.  Returns -1 if
 * ctl_begin_close() was not called. */
int64_t ctl_close_left(const struct ctl *ctl);
/* Closes the host and waits until its servers have ended.  After the deadline, prints a
 * message and kills the servers. */
void ctl_close(struct ctl *ctl);
/* Shows on the status line which servers are still starting. */
void say_starting(struct ctl *ctl);

/* ---- sources.c: the sources beside the default one --------------------------------- */

/* Returns true if there are sources beside the default source.  In this case, the name of
 * a server is shown with its source. */
int has_sources(const struct ctl *ctl);
/* Adds a source, made from a path or from a profile in a directory.  The function copies
 * the texts, but not `profile`.  `ret` may be NULL.  *ret is valid until any source is
 * removed.  Returns 0, or a STATUS_* after printing the reason. */
int sources_add(struct ctl *ctl, const char *id, const char *path,
                const struct profile *profile, const char *directory,
                struct source **ret);
/* Removes a source from the list.  The other sources can move in memory. */
void sources_drop(struct ctl *ctl, struct source *source);
/* Reads all sources or, if ctl->only is set, only the source of that server.  Returns 0,
 * or a STATUS_* after printing the reason. */
int sources_load(struct ctl *ctl);
/* Add all sources, or a single source, to the host and the default view.  Return 0 or
 * MCPHOST_E_*. */
int sources_open(struct ctl *ctl, mcphost_error **reterr);
int source_open(struct ctl *ctl, struct source *source, mcphost_error **reterr);
void sources_close(struct ctl *ctl);
/* Returns true if one of the sources has tools of its own for --admin. */
int sources_have_tools(const struct ctl *ctl);
/* Returns the source with this id.  Returns NULL for an unknown id, and for the id NULL
 * of the default source. */
struct source *source_find(struct ctl *ctl, const char *id);
/* Splits "SOURCE:SERVER" and returns the source.  *ret_server gets the server's name.  If
 * no source has the name SOURCE, returns NULL for the default source, and *ret_server
 * gets all of `name`. */
struct source *source_split(struct ctl *ctl, const char *name, const char **ret_server);
/* Writes "SOURCE:SERVER" to `name` and returns `name`.  If `source` is NULL (the default
 * source), returns `server`. */
const char *full_name(char name[NAME_SIZE], const char *source, const char *server);
/* Makes a table.  The first of `heads`, "SOURCE", is left out if there is only the
 * default source.  table_add_source() adds the cell of this column.  Call
 * table_add_source() first in each row. */
struct table *table_of_sources(const struct ctl *ctl, const char *const *heads);
void table_add_source(const struct ctl *ctl, struct table *table, const char *source);
/* Returns the id of the source whose server has the toolset at `index`, or NULL. */
const char *toolset_source(const mcphost_catalog *catalog, size_t index);
/* Writes the member "source".  Writes nothing for NULL, the default source. */
void put_source(struct text *t, const char *source);
/* Returns the configuration that the host applied last for the source with this id, or
 * for the default source if `id` is NULL.  Returns NULL if the host has applied no
 * configuration for the source, or if the source was removed. */
const mcphost_config *source_applied(struct ctl *ctl, const char *id);
void source_keep_applied(struct ctl *ctl, const char *id, mcphost_config *config);
/* Returns the file of the source.  If the source has several files, returns the file that
 * declares the server, or NULL if none of the files declares it. */
const char *source_get_file(const struct source *source, const char *server);
/* Writes `enabled` of a server into the file that declares the server.  If `source` is
 * NULL, the server belongs to the default source.  Returns 1 if the call changed the
 * file, 0 if the file stays unchanged, or MCPHOST_E_*.  MCPHOST_E_STATE means that only a
 * person may edit the file. */
int source_set_enabled(const struct source *source, const char *file, const char *server,
                       int enabled, mcphost_error **reterr);

/* ---- wait.c: waiting --------------------------------------------------------------- */

/*
 * ctl_turn - wait until a descriptor is ready or the time is over, and dispatch the host.
 *
 * The function waits at most `timeout_ms`, or without a limit if `timeout_ms` is -1.  It
 * fills in fds[0] and fds[1].  The other `n` - 2 descriptors, at most 2, are the
 * caller's.  The function sets ctl->closed when the host is closed.  It returns 0 or
 * MCPHOST_E_*.
 */
int ctl_turn(struct ctl *ctl, struct pollfd *fds, nfds_t n, int64_t timeout_ms);
/*
 * ctl_run - call ctl_turn() until `until` returns true.
 *
 * Returns 1 if `until` returned true.  Returns 0 after `timeout_ms`, MCPHOST_E_CANCELLED
 * after a signal, or another error.  A signal that arrives just before `until` returns
 * true ends the next wait.
 */
int ctl_run(struct ctl *ctl, int (*until)(struct ctl *ctl, void *arg), void *arg,
            int64_t timeout_ms);
/* Waits for the servers.  Returns 0 when they are ready or the time of --timeout is over.
 * After a signal, prints nothing and returns 128 + the signal's number.  After a failure,
 * prints the reason and returns a STATUS_*. */
int ctl_wait_ready(struct ctl *ctl);
/* Opens the host and waits for the servers.  The caller owns the catalog.  `ret_catalog`
 * may be NULL.  Returns 0, a STATUS_* after printing the reason, or the number that
 * ctl_wait_ready() returns after a signal. */
int ctl_start(struct ctl *ctl, mcphost_catalog **ret_catalog);
/* Waits until it is certain which tool has the name `name`, and gives a reference to the
 * tool.  Returns 0.  If no tool has the name, or after another failure, prints the reason
 * and returns a STATUS_*.  After a signal, prints nothing and returns 128 + the signal's
 * number. */
int ctl_wait_tool(struct ctl *ctl, const char *name, mcphost_tool **ret_tool);
/* Returns the worst status of the configurations and the servers at present.  If `tell`
 * is true, also prints a message about each enabled server that is not loaded, except
 * invalid and starting servers, which other messages report. */
int ctl_servers_status(struct ctl *ctl, int tell);
int64_t now_ms(void);
/* Returns the exit status for an MCPHOST_E_*.  For MCPHOST_E_CANCELLED after a signal,
 * returns 128 + the signal's number. */
int status_of(const struct ctl *ctl, int code);

/* ---- rows.c: status, tools and errors as JSON -------------------------------------- */

void row_error(struct text *t, int code, const mcphost_error *err);
void row_server(struct text *t, const mcphost_status *status, size_t index);
/* Writes a tool.  `toolset` is the name of the tool's toolset in the catalog. */
void row_tool(struct text *t, const mcphost_tool *tool, const char *toolset);
void row_problem(struct text *t, const mcphost_problem *problem);
/* Each of these functions writes an array of JSON objects. */
void rows_servers(struct text *t, const mcphost_status *status);
void rows_leases(struct text *t, const mcphost_status *status);
void rows_tools(struct text *t, const mcphost_catalog *catalog, const char *toolset);
void rows_problems(struct text *t, const mcphost_problems *problems);
/* Writes an object with the array `plugins`.  Returns 0 or MCPHOST_E_*. */
int rows_plugins(struct text *t, mcphost_plugins *plugins);

/* ---- plugins.c --------------------------------------------------------------------- */

/* Loads the plugins of --plugins.  Waits until none is loading, but not longer than the
 * time of --timeout.  Returns 0, also if that time is over, or MCPHOST_E_*. */
int plugins_open(struct ctl *ctl, mcphost_error **reterr);
void plugins_close(struct ctl *ctl);

/* ---- changes.c: the differences of two editions of a configuration ----------------- */

enum {
    CHANGE_KEPT,
    CHANGE_ADDED,
    CHANGE_REMOVED,
    CHANGE_VIEW,    /* the offer of the tools changes, but the server's process stays */
    CHANGE_RESTART, /* a new process is started */
    CHANGE_ENABLED,
    CHANGE_DISABLED,
    CHANGE_INVALID,  /* the entry is invalid; the last valid entry, if any, stays */
    CHANGE_CORRECTED /* the entry is valid again */
};

struct change {
    const char *server;
    int kind;       /* CHANGE_* */
    char keys[512]; /* the keys that differ, for VIEW and RESTART */
};

const char *name_change(int change);
/* Calls `each` for every server of two configurations, in the order of `to`.  Servers
 * that are only in `from` come last.  `from` may be NULL, and then counts as a
 * configuration without servers. */
void changes_each(const mcphost_config *from, const mcphost_config *to,
                  void (*each)(const struct change *change, void *arg), void *arg);
void row_change(struct text *t, const struct change *change);

/* ---- result.c: printing the result of a call --------------------------------------- */

/* Prints the result of a call in the form that the options choose.  The call must have
 * ended with a result.  Returns the exit status. */
int result_print(struct ctl *ctl, mcphost_call *call);

/* ---- call.c: making calls ---------------------------------------------------------- */

/* Makes the directory of --save absolute, as the library requires.  Returns 0, or a
 * STATUS_* after printing the reason. */
int call_find_save(struct ctl *ctl);
/* Opens the dialog that makes the calls.  Returns 0 or MCPHOST_E_*. */
int call_dialog(struct ctl *ctl, mcphost_dialog **ret, mcphost_error **reterr);
/* Runs the call and prints its result with `print`.  Returns the exit status. */
typedef int print_fn(struct ctl *ctl, mcphost_call *call);
int call_run(struct ctl *ctl, mcphost_call *call, print_fn *print);
/* Runs the call if `r`, the result of making the call, is 0.  Otherwise reports the
 * failure.  Takes over `call` and `err`.  Returns the exit status. */
int call_run_made(struct ctl *ctl, int r, mcphost_call *call, mcphost_error *err,
                  print_fn *print);
/* Reports a failure on stderr and, with --json, on stdout.  `usage` is true if the
 * command line may be the cause.  Returns the exit status. */
int call_failed(struct ctl *ctl, int code, mcphost_error *err, int usage);

/* ---- offers.c: resources, templates and prompts of servers ------------------------- */

/* The kinds of offers.  OFFER_ANY is for an item that any server can have, for example
 * a task. */
enum { OFFER_RESOURCES, OFFER_TEMPLATES, OFFER_PROMPTS, OFFER_ANY };

/* Writes all offers of a kind as an array. */
void rows_offers(struct text *t, int kind, const mcphost_catalog *catalog);
/* Finds the servers that can have the URI, template or prompt `wanted`.  Returns the
 * number of servers found.  `name` gets the first server's name, and `names` gets all
 * names, as "'a', 'b'". */
size_t offers_find_server(const mcphost_catalog *catalog, int kind, const char *wanted,
                          char name[NAME_SIZE], struct text *names);
/* Checks that the server of --server is declared, if the option was given.  Returns 0, or
 * STATUS_USAGE after printing the reason. */
int offers_check_server(struct ctl *ctl, const mcphost_catalog *catalog);
/* Finds the name of the server to use: the server of --server, or the only server that
 * can have `wanted`.  Returns 0, or a STATUS_* after printing the reason. */
int offers_pick(struct ctl *ctl, const mcphost_catalog *catalog, int kind,
                const char *wanted, char name[NAME_SIZE]);
/* Finds the catalog's name of a prompt.  With --server, `wanted` may also be the server's
 * own name of the prompt.  Returns as offers_pick() does. */
int offers_find_prompt(struct ctl *ctl, const mcphost_catalog *catalog,
                       const char *wanted, const char **ret);

/* ---- project.c --------------------------------------------------------------------- */

/* Returns true if --for knows the provider.  Sets *ret_shape to its MCPHOST_SHAPE_* and
 * *ret_profile to its MCPHOST_PROFILE_*. */
int provider_find(const char *name, int *ret_shape, int *ret_profile);
/* Returns the name of the provider at `index`, or NULL past the end. */
const char *project_provider(size_t index);

/* ---- skills.c ---------------------------------------------------------------------- */

/* Writes the skills of all servers, or of the server that --server names, as an array.
 * With --role, the array is empty. */
void rows_skills(struct text *t, const struct ctl *ctl, const mcphost_catalog *catalog);

/* ---- reading.c, task.c ------------------------------------------------------------- */

/* Writes the values that a completion returned. */
void put_values(struct text *t, mcphost_result *result);
/* Writes the status of a task that a call has read. */
void put_task(struct text *t, const mcphost_call *call);
/* is_task_action() returns true for an action on a task: "get", "update" (which sends
 * `responses`), "cancel" or "wait".  make_for_task() makes the call for an action, and
 * returns 0 or MCPHOST_E_*. */
int is_task_action(const char *word);
int make_for_task(mcphost_dialog *dialog, const char *action, const char *server,
                  const char *id, const char *responses, size_t len, mcphost_call **ret,
                  mcphost_error **reterr);

/* ---- arguments.c: the arguments of a call ------------------------------------------ */

struct arguments {
    struct text json; /* the arguments, if given as JSON */
    char **pairs;     /* the arguments, if given as key=value */
    int n_pairs;
};

/* Reads the arguments as far as possible without the tool's schema.  Returns 0, or a
 * STATUS_* after printing the reason. */
int arguments_read(struct ctl *ctl, char **args, int n, struct arguments *ret);
/* Makes JSON of the key=value pairs, with the types that the tool's schema states.
 * Returns as arguments_read() does. */
int arguments_finish(struct ctl *ctl, struct arguments *arguments, mcphost_tool *tool);
void arguments_free(struct arguments *arguments);
/* Reads a whole file, or standard input for "-".  Returns 0, or STATUS_USAGE after
 * printing the reason. */
int input_read(struct ctl *ctl, const char *path, struct text *t);

/* ---- cache.c: verdicts on eras, kept between runs ---------------------------------- */

/* Gives the kept verdicts to the host.  A verdict says which era of the protocol a server
 * speaks.  A cache that cannot be used is no error: then the host gets no verdicts. */
void cache_load(struct ctl *ctl);
/* Keeps the host's verdicts if they have changed.  Frees the cache. */
void cache_save(struct ctl *ctl);

/* ---- list.c: print tables or JSON on stdout; return as print_json() does ----------- */

int show_servers(struct ctl *ctl, const mcphost_status *status);
int show_problems(struct ctl *ctl, const mcphost_problems *problems);

/* ---- edit.c: commands about the file ----------------------------------------------- */

/* A server that the command line names. */
struct target {
    struct source *source; /* NULL for the default source */
    const char *server;
    const mcphost_config *config; /* the configuration that declares the server,
                                   * borrowed */
    const char *file;             /* the file that declares the server, or NULL */
};

/* want_file() checks that the default source has a configuration file, and fails if
 * --stdio or --url replaces the file.  want_server() finds a server in the loaded
 * configurations, and fails if the server is not declared or if its configuration is
 * rejected.  Both functions return 0, or a STATUS_* after printing the reason. */
int want_file(struct ctl *ctl);
int want_server(struct ctl *ctl, const char *name, struct target *ret);
/* Does the work of want_file() if the server is of the default source.  Then loads the
 * configurations and does the work of want_server(). */
int want_server_of_file(struct ctl *ctl, const char *name, struct target *ret);
/* Drops the default source's configuration.  After this call, ctl_open() loads and starts
 * only the target's server. */
void want_only(struct ctl *ctl, const struct target *target);
void say_all_diagnostics(const mcphost_config *config);
/* Writes `enabled` into the file of a target.  *ret_changed becomes 1 if the call changed
 * the file, else 0.  Returns 0, or a STATUS_* after printing the reason. */
int target_set_enabled(struct ctl *ctl, const struct target *target, int enabled,
                       int *ret_changed);
/* Returns true if the configuration as a whole is accepted and none of its entries is
 * invalid. */
int config_is_valid(const mcphost_config *config);

/* ---- login.c: logins and their tokens ---------------------------------------------- */

/* Tells the host where tokens are kept, by which flow users log in and, for the command
 * `login` with --timeout, how long the user may take.  Returns 0 or MCPHOST_E_*. */
int login_set_up(struct ctl *ctl, mcphost_error **reterr);
/* If a login of the user helps against the error, adds a line to `t` that says how to log
 * in, without a line break.  Returns 1 if it added the line, else 0. */
int login_advise(struct ctl *ctl, const mcphost_error *err, struct text *t);

/* ---- secrets.c: tokens in the secret service of the desktop ------------------------ */

/* Makes the host keep its tokens in the secret service.  For the command `login`, also
 * checks that the service works.  Returns 0 or MCPHOST_E_*. */
int secrets_set_up(struct ctl *ctl, mcphost_error **reterr);

/* ---- browser.c --------------------------------------------------------------------- */

/* Opens a page in the user's browser.  Returns 0.  Returns -1 if `url` is no http or
 * https URL, if there is no browser or no screen, or if the browser cannot be started. */
int browser_open(const char *url);

/* ---- commands: each returns the exit status ---------------------------------------- */

int cmd_check(struct ctl *ctl);
int cmd_servers(struct ctl *ctl);
int cmd_tools(struct ctl *ctl);
int cmd_server(struct ctl *ctl);
int cmd_tool(struct ctl *ctl);
int cmd_call(struct ctl *ctl);
int cmd_resources(struct ctl *ctl);
int cmd_templates(struct ctl *ctl);
int cmd_prompts(struct ctl *ctl);
int cmd_read(struct ctl *ctl);
int cmd_prompt(struct ctl *ctl);
int cmd_complete(struct ctl *ctl);
int cmd_subscribe(struct ctl *ctl);
int cmd_task(struct ctl *ctl);
int cmd_skills(struct ctl *ctl);
int cmd_apps(struct ctl *ctl);
int cmd_app(struct ctl *ctl);
int cmd_project(struct ctl *ctl);
int cmd_schema(struct ctl *ctl);
int cmd_problems(struct ctl *ctl);
int cmd_plugins(struct ctl *ctl);
int cmd_serve(struct ctl *ctl);
int cmd_batch(struct ctl *ctl);
int cmd_watch(struct ctl *ctl);
int cmd_diff(struct ctl *ctl);
int cmd_enable(struct ctl *ctl);
int cmd_disable(struct ctl *ctl);
int cmd_reload(struct ctl *ctl);
int cmd_restart(struct ctl *ctl);
int cmd_login(struct ctl *ctl);
int cmd_logout(struct ctl *ctl);
int cmd_auth(struct ctl *ctl);
int cmd_complete_line(struct ctl *ctl);

#endif
