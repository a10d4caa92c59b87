/* SPDX-License-Identifier: MIT
 *
 * ctl.h - what the parts of mcphostctl share.
 *
 * It stands on the public interface of libmcphost alone.  One thread; everything
 * waits in ctl_turn().
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

/* Exit statuses; one that a signal ends gives 128 + its number. */
enum {
    STATUS_OK = 0,
    STATUS_TOOL = 1,   /* the tool said isError; the value is not valid */
    STATUS_USAGE = 2,  /* wrong arguments */
    STATUS_CONFIG = 3, /* the configuration, or the schema, is not acceptable */
    STATUS_SERVER = 4  /* a server or the connection to it failed */
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* --elicit: who answers forms and pages.  AUTO: ASK if there is a terminal, else OFF,
 * and then servers are not offered to ask. */
enum { ELICIT_AUTO, ELICIT_ASK, ELICIT_DECLINE, ELICIT_CANCEL, ELICIT_OFF };

struct table;
struct profile;

/* Sources beside the default one; the bytes of "SOURCE:SERVER". */
enum { SOURCES_MAX = 32, NAME_SIZE = 512 };

/* A source that the command line names: by an id and a path, or by a profile. */
struct given_source {
    const char *id, *path;
    const struct profile *profile;
    const char *directory; /* of the -C behind --profile, or NULL */
};

struct options {
    const char *directory, *config, *stdio, *url; /* NULL: not given */
    const char *transport;                        /* --transport, or NULL */
    int sse;   /* it is HTTP+SSE: `url` has it, servers of a file may have it */
    int era;   /* of `url` and `stdio`; -1: not given */
    int names; /* MCPHOST_NAMES_* */
    const char *headers[32]; /* "Name: value", then NULL */
    char *own_headers[32];   /* the headers to free */
    size_t n_headers;
    struct given_source sources[SOURCES_MAX];
    size_t n_sources, n_profiles;
    int detects; /* the command has the sources that the directory has */
    const char *plugins, *plugins_config;
    const char *builtin_plugins, *defaults, *state_dir, *project_root,
        *session_root; /* of ChatOS */
    int probe;
    const char *dialog, *toolset;
    const char *provider, *save; /* --for, --save */
    const char *server, *role, *prompt, *template;
    const char *sampling_command, *sampling_format, *sampling_model;
    int sampling_events; /* --sampling-events */
    int elicit;          /* ELICIT_* */
    int64_t timeout_ms;  /* -1: not given */
    int json, raw, verbose, color;
    int help, version, admin;
    int serve_stdio;     /* --stdio behind the command serve */
    const char *command; /* NULL: not given */
    char **args;         /* what stands behind the command */
    int n_args;
};

/* A source beside the default one. */
struct source {
    char *id, *path;
    const struct profile *profile; /* NULL: the path says what it is */
    char *directory;               /* of the profile; NULL: the workspace */
    mcphost_config *config;        /* as it was read first; NULL: it is left out */
    mcphost_config *applied;       /* what the host applied last */
    mcphost_source *handle;
    mcphost_chatos *chatos; /* whose apps it has; NULL: none, or they are read once */
};

struct ctl {
    struct options opt;
    const char *directory;   /* the workspace, if a profile says so; or NULL */
    int default_is_empty;    /* profiles were named, and the default source is none */
    int default_may_lack;    /* ... its file, without a word */
    mcphost_config *config;  /* of the default source */
    mcphost_config *applied; /* what the host applied of it last */
    struct source sources[SOURCES_MAX];
    size_t n_sources;
    const char *only;       /* the one server that is wanted; NULL: all */
    struct source *only_in; /* its source; NULL: the default one */
    int follow;             /* the host is to follow the files */
    int has_turns;          /* ... which an agent changes between its turns */
    mcphost *host;
    FILE *out; /* where tables go; NULL: stdout */
    int signal_fd;
    int signal;    /* the last signal, or 0 */
    int n_signals; /* how many signals came */
    int quiet;     /* no status line, and no word on what the configuration lacks */
    mcphost_plugins *plugins; /* NULL: none */
    const char *plugins_only; /* the id of the plugin to load; NULL: all of them */
    int plugins_settled;
    uint64_t ready_at;   /* with plugins: ready is when this order is settled */
    int without_servers; /* nothing is loaded but plugins */
    int ready;           /* every server came up or failed */
    uint64_t settled;    /* ... of the orders up to this serial */
    int closed;          /* nothing is left */
    int64_t close_by;    /* when the servers are killed; 0: the end has not begun */
    int status_shown;
    int call_shown; /* progress is shown on the status line */
    /* What a command does with events besides; may be NULL. */
    void (*on_event)(struct ctl *ctl, const mcphost_event *event);
    void *user;
    struct cache *cache;
    struct asking *asking;     /* of ask.c */
    struct sampling *sampling; /* of sample.c; NULL: no command */
};

/* ---- main.c: the commands ---------------------------------------------------------- */

/* What an option or an argument of a command is. */
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
    TAKES_TOOL_ARGUMENT,   /* KEY=VALUE of the tool that is the first argument */
    TAKES_PROMPT_ARGUMENT, /* of the prompt that is it */
    TAKES_COMPLETED        /* of the prompt or the template that an option names */
};

#define SKILLS_WORDS "list show enable disable"
#define TASK_WORDS   "get update cancel wait"
#define SCHEMA_WORDS "check"

struct command {
    const char *name;
    int (*run)(struct ctl *ctl);
    int least, most;                 /* arguments; most -1: any number */
    const char *arguments, *summary; /* NULL: the usage does not name it */
    const char *first;               /* what the first argument is */
    int takes[3];                    /* TAKES_* of the arguments; the last: of the rest */
    const char *words;               /* where the first one is TAKES_WORD */
};

/* Ended by a row without a name. */
extern const struct command commands[];

/* ---- options.c --------------------------------------------------------------------- */

enum {
    OPTION_SERVERS = 1,  /* says which servers there are */
    OPTION_LOOKUP = 2,   /* changes what they are seen to offer */
    OPTION_OFTEN = 4,    /* may be given several times */
    OPTION_OPTIONAL = 8, /* the value may be missing */
};

struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* 0: there is none */
    int number;       /* what getopt_long() gives for the name */
    int takes;        /* TAKES_* */
    const char *value;
    const char *words;        /* of TAKES_WORD, parted by blanks */
    const char *only, *never; /* commands that it is for, or not for; NULL: each */
    int flags;                /* OPTION_* */
    const char *summary;
};

/* Ended by a row without a name; at most OPTIONS_MAX. */
enum { OPTIONS_MAX = 64 };
extern const struct option_row option_rows[];

/* Returns 0 or STATUS_USAGE, the reason told. */
int options_parse(struct options *opt, int argc, char **argv);
/* The row of a number or a letter, or NULL. */
const struct option_row *option_find(int number);
int option_fits(const struct option_row *row, const char *command);
/* The part of the usage that is about options. */
void options_usage(FILE *to);

/* ---- headers.c --------------------------------------------------------------------- */

/* `own`: what of the line is to be freed, or NULL.  0 or STATUS_USAGE, the reason
 * told. */
int ctl_headers_add(struct options *opt, const char *line, char *own);
int ctl_headers_add_file(struct options *opt, const char *path);
int ctl_headers_add_env(struct options *opt, const char *text); /* "Name: VARIABLE" */
void ctl_headers_free(struct options *opt);                     /* wipes them */

/* ---- say.c: what goes to stderr, and colours --------------------------------------- */

/* Prints "mcphostctl: ..." and a line break. */
__attribute__((format(printf, 2, 3))) void say(struct ctl *ctl, const char *fmt, ...);
/* Prints an error with what it knows besides. */
void say_error(struct ctl *ctl, int code, mcphost_error *err);
/* A line on a terminal that the next one replaces; nothing elsewhere. */
__attribute__((format(printf, 2, 3))) void say_status(struct ctl *ctl, const char *fmt,
                                                      ...);
void say_status_end(struct ctl *ctl);
/* A line of a server's, when -v asks for it. */
void say_server(struct ctl *ctl, const char *server, const char *s, size_t len);
/* One line: FILE:LINE:COLUMN: error: what the configuration's diagnostic says. */
void print_diagnostic(FILE *stream, const mcphost_config *config, size_t index,
                      int color);
/* Whether to colour what goes to stdout. */
int use_color(const struct ctl *ctl);
/* Writes `t` and a line break to stdout.  Returns STATUS_OK or, told, STATUS_SERVER. */
int print_json(struct ctl *ctl, const struct text *t);
/* Prints and frees a table.  Likewise. */
int print_table(struct ctl *ctl, struct table *table);
/* The same, within 100 columns where there is no terminal, for a last column that --json
 * has whole. */
int print_cut_table(struct ctl *ctl, struct table *table);
/* The last lines of a server's stderr; before them the first line of an error further
 * up, if the tail begins with that. */
void print_tail(FILE *stream, const char *tail);
int out_of_memory(struct ctl *ctl);

/* ---- host.c: one host from configuration to end ------------------------------------ */

/* Loads the configuration.  Returns 0 or a status, the reason told. */
int ctl_load_config(struct ctl *ctl);

/* The workspace; the path of the file of the default source or, where that is none, of
 * another one; MCPHOST_ALLOW_* that the options allow. */
const char *ctl_directory(const struct ctl *ctl);
const char *ctl_file(const struct ctl *ctl);
unsigned ctl_transports(const struct ctl *ctl);

/* Leaves ctl->only of a configuration.  0 or, told, a status. */
int ctl_pick_server(struct ctl *ctl, mcphost_config **config);

/* Reads `file`, or that of the workspace if it is NULL, in the form that it has (file.c),
 * with the transports that the options and the form allow.  Returns what
 * mcphost_config_load() returns. */
int ctl_read_file(const struct ctl *ctl, const char *file, mcphost_config **ret,
                  mcphost_error **reterr);
int is_mcpservers(const char *file); /* NULL: no */
/* Whether the first 16 MiB of a file have the text; one that cannot be read has not. */
int file_contains(const char *file, const char *text);
unsigned file_transports(const struct ctl *ctl, const char *file);
/* Gives a source what was read of `file`, or has it follow the file; NULL: that of the
 * workspace.  They return what mcphost_source_load() and its relatives return. */
int file_load(const struct ctl *ctl, mcphost_source *source, const char *file,
              mcphost_config *config);
int file_follow(const struct ctl *ctl, mcphost_source *source, const char *file,
                mcphost_error **reterr);
/* Makes the host and starts what is configured.  Returns 0 or a status. */
int ctl_open(struct ctl *ctl);
/* Begins the orderly end, and sets its deadline.  Idempotent. */
void ctl_begin_close(struct ctl *ctl);
/* The time in ms until that deadline; -1: the end has not begun. */
int64_t ctl_close_left(const struct ctl *ctl);
/* Ends the host in good order.  After the deadline it kills the servers, and says so. */
void ctl_close(struct ctl *ctl);
/* Shows on the status line which servers are not up yet. */
void say_starting(struct ctl *ctl);

/* ---- sources.c: the sources beside the default one --------------------------------- */

/* Whether there are any, so that servers have to be told apart by their sources. */
int has_sources(const struct ctl *ctl);
/* Adds one, which a path or, in a directory, a profile makes; everything is copied.
 * *ret (may be NULL) lives until one is removed.  0 or, told, a status. */
int sources_add(struct ctl *ctl, const char *id, const char *path,
                const struct profile *profile, const char *directory,
                struct source **ret);
/* Forgets it; the others may move. */
void sources_drop(struct ctl *ctl, struct source *source);
/* Reads them.  Returns 0 or, told, a status. */
int sources_load(struct ctl *ctl);
/* Adds them to the host, where the default view shows them.  0 or MCPHOST_E_*. */
int sources_open(struct ctl *ctl, mcphost_error **reterr);
int source_open(struct ctl *ctl, struct source *source, mcphost_error **reterr);
void sources_close(struct ctl *ctl);
/* Whether one of them has tools of its own for --admin. */
int sources_have_tools(const struct ctl *ctl);
/* NULL: the default source, whose id is NULL. */
struct source *source_find(struct ctl *ctl, const char *id);
/* Of "SOURCE:SERVER", where there is this source; else the name is the server's. */
struct source *source_split(struct ctl *ctl, const char *name, const char **ret_server);
/* "SOURCE:SERVER", or `server` as it is for the default source, NULL. */
const char *full_name(char name[NAME_SIZE], const char *source, const char *server);
/* A table whose first column, "SOURCE", is there when there are several; its cell, which
 * is added first. */
struct table *table_of_sources(const struct ctl *ctl, const char *const *heads);
void table_add_source(const struct ctl *ctl, struct table *table, const char *source);
/* The id of the source whose server has the toolset at `index`; or NULL. */
const char *toolset_source(const mcphost_catalog *catalog, size_t index);
/* The member "source", which things of the default source do not have. */
void put_source(struct text *t, const char *source);
/* What the host applied last of the source with this id. */
const mcphost_config *source_applied(struct ctl *ctl, const char *id);
void source_keep_applied(struct ctl *ctl, const char *id, mcphost_config *config);
/* The file in which the server stands or, if the source is a file, would; or NULL. */
const char *source_get_file(const struct source *source, const char *server);
/* Writes `enabled` of a server into the file that has it; `source` NULL: the default one.
 * 1 (it has changed), 0 or MCPHOST_E_*: STATE where that is done by hand. */
int source_set_enabled(const struct source *source, const char *file, const char *server,
                       int enabled, mcphost_error **reterr);

/* ---- wait.c: waiting --------------------------------------------------------------- */

/*
 * ctl_turn - sleep until something happens, at most `timeout_ms` (-1: no limit), and
 * let the host do its work.
 *
 * fds[0] and fds[1] are filled in here; the `n` - 2 behind them, 2 at most, are the
 * caller's.
 * Returns 0 or a negative MCPHOST_E_*; that the host is closed stands in ctl->closed.
 */
int ctl_turn(struct ctl *ctl, struct pollfd *fds, nfds_t n, int64_t timeout_ms);
/*
 * ctl_run - turn until `until` says so.
 *
 * Returns 1, 0 when the time passed, MCPHOST_E_CANCELLED when a signal came, or what
 * failed.
 */
int ctl_run(struct ctl *ctl, int (*until)(struct ctl *ctl, void *arg), void *arg,
            int64_t timeout_ms);
/* Waits for the servers.  Returns 0, also when the time passed, or a status. */
int ctl_wait_ready(struct ctl *ctl);
/* Opens the host and waits for the servers; the catalog (NULL: it is not wanted) is the
 * caller's.  Returns 0 or a status. */
int ctl_start(struct ctl *ctl, mcphost_catalog **ret_catalog);
/* Waits until the dialog's tool `name` is certain and gives a reference, or NULL when
 * there is none.  Returns 0 or a status, also when there is none, the reason told. */
int ctl_wait_tool(struct ctl *ctl, const char *name, mcphost_tool **ret_tool);
/* The worst status of the servers now, with a note on each that is not up. */
int ctl_servers_status(struct ctl *ctl, int tell);
int64_t now_ms(void);
/* The status that goes with a failure; 128 + n after a signal. */
int status_of(const struct ctl *ctl, int code);

/* ---- rows.c: things as JSON -------------------------------------------------------- */

void row_error(struct text *t, int code, const mcphost_error *err);
void row_server(struct text *t, const mcphost_status *status, size_t index);
/* `toolset`: what the catalog calls it. */
void row_tool(struct text *t, const mcphost_tool *tool, const char *toolset);
void row_problem(struct text *t, const mcphost_problem *problem);
/* Whole arrays. */
void rows_servers(struct text *t, const mcphost_status *status);
void rows_leases(struct text *t, const mcphost_status *status);
void rows_tools(struct text *t, const mcphost_catalog *catalog, const char *toolset);
void rows_problems(struct text *t, const mcphost_problems *problems);
/* An object with them.  0 or MCPHOST_E_*. */
int rows_plugins(struct text *t, mcphost_plugins *plugins);

/* ---- plugins.c --------------------------------------------------------------------- */

/* Loads what --plugins names, and waits for it.  0 or MCPHOST_E_*. */
int plugins_open(struct ctl *ctl, mcphost_error **reterr);
void plugins_close(struct ctl *ctl);

/* ---- changes.c: two editions of a configuration ------------------------------------ */

enum {
    CHANGE_KEPT,
    CHANGE_ADDED,
    CHANGE_REMOVED,
    CHANGE_VIEW,    /* the process stays */
    CHANGE_RESTART, /* another process */
    CHANGE_ENABLED,
    CHANGE_DISABLED,
    CHANGE_INVALID,  /* what worked of it stays */
    CHANGE_CORRECTED /* valid again */
};

struct change {
    const char *server;
    int kind;       /* CHANGE_* */
    char keys[512]; /* of VIEW and RESTART: which differ */
};

const char *name_change(int change);
/* Calls `each` for every server of the two, in the order of `to`, then those that it
 * has no more.  `from` NULL: nothing. */
void changes_each(const mcphost_config *from, const mcphost_config *to,
                  void (*each)(const struct change *change, void *arg), void *arg);
void row_change(struct text *t, const struct change *change);

/* ---- result.c: what a call brought ------------------------------------------------- */

/* Prints the result of a call that has one, as the options say.  Returns the status. */
int result_print(struct ctl *ctl, mcphost_call *call);

/* ---- call.c: calls ----------------------------------------------------------------- */

/* The directory of --save as the library wants it.  0 or, told, a status. */
int call_find_save(struct ctl *ctl);
/* The dialog that calls; 0 or MCPHOST_E_*. */
int call_dialog(struct ctl *ctl, mcphost_dialog **ret, mcphost_error **reterr);
/* Runs it and has its result printed.  Returns the status. */
typedef int print_fn(struct ctl *ctl, mcphost_call *call);
int call_run(struct ctl *ctl, mcphost_call *call, print_fn *print);
/* The same of one that was to be made: `r` says how that went.  Takes over both. */
int call_run_made(struct ctl *ctl, int r, mcphost_call *call, mcphost_error *err,
                  print_fn *print);
/* Tells of a failure, as JSON besides when that was asked for; `usage`: the command
 * line may be wrong.  Returns the status. */
int call_failed(struct ctl *ctl, int code, mcphost_error *err, int usage);

/* ---- offers.c: what servers offer besides tools ------------------------------------ */

/* OFFER_ANY: any server has it. */
enum { OFFER_RESOURCES, OFFER_TEMPLATES, OFFER_PROMPTS, OFFER_ANY };

/* All of a kind as an array. */
void rows_offers(struct text *t, int kind, const mcphost_catalog *catalog);
/* The servers that a URI, a template or the name of a prompt may be of: how many, the
 * first one's name, and all of them as "'a', 'b'". */
size_t offers_find_server(const mcphost_catalog *catalog, int kind, const char *wanted,
                          char name[NAME_SIZE], struct text *names);
/* Whether there is the server of --server, if there is one.  0 or, told, STATUS_USAGE. */
int offers_check_server(struct ctl *ctl, const mcphost_catalog *catalog);
/* The one that is meant, by --server or because no other can be.  Returns 0 or, told, a
 * status. */
int offers_pick(struct ctl *ctl, const mcphost_catalog *catalog, int kind,
                const char *wanted, char name[NAME_SIZE]);
/* The name that the catalog has for a prompt, which with --server may be given as its
 * server names it.  Likewise. */
int offers_find_prompt(struct ctl *ctl, const mcphost_catalog *catalog,
                       const char *wanted, const char **ret);

/* ---- project.c --------------------------------------------------------------------- */

/* Whether --for knows the provider; MCPHOST_SHAPE_* and MCPHOST_PROFILE_*. */
int provider_find(const char *name, int *ret_shape, int *ret_profile);
/* The providers, one by one; NULL beyond the last. */
const char *project_provider(size_t index);

/* ---- skills.c ---------------------------------------------------------------------- */

/* All, or those of --server, as an array. */
void rows_skills(struct text *t, const struct ctl *ctl, const mcphost_catalog *catalog);

/* ---- reading.c, task.c ------------------------------------------------------------- */

/* What a completion brought. */
void put_values(struct text *t, mcphost_result *result);
/* What a call for a task says of it. */
void put_task(struct text *t, const mcphost_call *call);
/* The actions upon a task: "get", "update" (with `responses`), "cancel", "wait"; and the
 * call for one.  0 or MCPHOST_E_*. */
int is_task_action(const char *word);
int make_for_task(mcphost_dialog *dialog, const char *action, const char *server,
                  const char *id, const char *responses, size_t len, mcphost_call **ret,
                  mcphost_error **reterr);

/* ---- arguments.c: the arguments of a call ------------------------------------------ */

struct arguments {
    struct text json; /* given whole */
    char **pairs;     /* or as key=value */
    int n_pairs;
};

/* Reads them as far as that needs no tool.  Returns 0 or a status, the reason told. */
int arguments_read(struct ctl *ctl, char **args, int n, struct arguments *ret);
/* Makes JSON of pairs, by the types that the tool's schema names.  Likewise. */
int arguments_finish(struct ctl *ctl, struct arguments *arguments, mcphost_tool *tool);
void arguments_free(struct arguments *arguments);
/* A file whole, or standard input for "-".  0 or, told, STATUS_USAGE. */
int input_read(struct ctl *ctl, const char *path, struct text *t);

/* ---- cache.c: verdicts on eras, kept between runs ---------------------------------- */

/* Hands what was kept to the host.  Never fails: without a cache nothing is kept. */
void cache_load(struct ctl *ctl);
/* Keeps what the host knows now, when that is news.  Frees the cache. */
void cache_save(struct ctl *ctl);

/* ---- list.c: tables on stdout; STATUS_OK or, told, STATUS_SERVER ------------------- */

int show_servers(struct ctl *ctl, const mcphost_status *status);
int show_problems(struct ctl *ctl, const mcphost_problems *problems);

/* ---- edit.c: commands about the file ----------------------------------------------- */

/* A server that the command line names. */
struct target {
    struct source *source; /* NULL: the default one */
    const char *server;
    const mcphost_config *config; /* which declares it, borrowed */
    const char *file;             /* that declares it; NULL: none does */
};

/* Each returns 0 or, told, a status: when --stdio or --url stands for a file; when the
 * server is not declared or what should declare it is rejected.  The configurations are
 * loaded. */
int want_file(struct ctl *ctl);
int want_server(struct ctl *ctl, const char *name, struct target *ret);
/* Both of them; loads the configurations. */
int want_server_of_file(struct ctl *ctl, const char *name, struct target *ret);
/* Drops the configurations: from now on this server alone is wanted. */
void want_only(struct ctl *ctl, const struct target *target);
void say_all_diagnostics(const mcphost_config *config);
/* Writes `enabled` into the file of a target.  0 or, told, a status; *ret_changed: 1
 * or 0. */
int target_set_enabled(struct ctl *ctl, const struct target *target, int enabled,
                       int *ret_changed);
/* The whole and every entry of it. */
int config_is_valid(const mcphost_config *config);

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
int cmd_complete_line(struct ctl *ctl);

#endif
