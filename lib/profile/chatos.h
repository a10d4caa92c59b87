/* SPDX-License-Identifier: MIT
 *
 * chatos.h - the basis of the ChatOS profile: cmd:// URLs, derived names, the manifest
 * plugin.json, and which servers and prompts an app exposes.
 *
 * These functions turn text into structures.  They open no file, start no server and
 * resolve no variable.  Paths are checked as text only.  The code that opens a file
 * checks symbolic links (mcph_open_beneath()).
 *
 * "Blank" and "trimmed" refer to the white space of JavaScript, in which ChatOS is
 * written: that of ASCII, U+FEFF, and the spaces of Unicode.
 */
#ifndef MCPH_PROFILE_CHATOS_H
#define MCPH_PROFILE_CHATOS_H

#include "profile/profile.h"

/* Limits of ChatOS (B.20), in bytes. */
#define MCPH_CHATOS_MANIFEST_MAX ((size_t)256 * 1024) /* plugin.json */
#define MCPH_CHATOS_PROMPT_MAX   ((size_t)128 * 1024) /* a prompt, in a file or inline */
#define MCPH_CHATOS_AI_MAX       ((size_t)128 * 1024) /* ai.config, a default list */
/* Limits of this library. */
#define MCPH_CHATOS_CMD_MAX    ((size_t)1024 * 1024) /* a cmd:// URL */
#define MCPH_CHATOS_PATH_MAX   4096
#define MCPH_CHATOS_ERRORS_MAX 1000 /* errors after which no further app is read */

/* ---- cmd:// URLs (chatos_cmd.c; R131, B.22) -------------------------------------------
 * A command line as a URL: "cmd://node /plugins/a/server.mjs --root '/x y'".  It is never
 * given to a shell. */

/* An error in a text: `at` is an offset into the text, `why` a static phrase. */
struct mcph_chatos_fault {
    size_t at;
    const char *why;
};

/* Whether a text begins with cmd:// in upper or lower case, after leading blanks. */
bool mcph_chatos_is_cmd(const char *text, size_t len);

/* Makes the URL of a program with its arguments.  A token with white space, a backslash,
 * or a quote of either kind is put in double quotes.  There a backslash precedes each
 * double quote and backslash; all other bytes, also control characters, are unchanged.
 * Empty tokens are dropped, as ChatOS does, because an empty argument cannot be
 * expressed.  `entry` may be NULL.
 *
 * The caller owns *ret_url.  0; MCPHOST_E_INVALID if no token is left; MCPHOST_E_LIMIT;
 * MCPHOST_E_NOMEM. */
int mcph_chatos_cmd_format(const char *command, const char *entry,
                           const struct mcph_strings *args, char **ret_url);

/* Splits a cmd:// URL into its arguments; the first one is the program.  In single quotes
 * every character is literal.  In double quotes and outside of quotes, a backslash makes
 * the next character literal.  Quoted parts join adjacent text.  Empty tokens are
 * dropped, quoted ones too (B.22).  A list without empty arguments survives formatting
 * and parsing unchanged.
 *
 * The caller owns *ret_argv, which is empty before.  0; MCPHOST_E_INVALID, with the
 * reason and its offset in *ret_fault (may be NULL): no cmd://, no program, a NUL, a
 * quote that is not closed (its offset); MCPHOST_E_LIMIT, also with *ret_fault;
 * MCPHOST_E_NOMEM. */
int mcph_chatos_cmd_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                          struct mcph_chatos_fault *ret_fault);
/* Splits a command line, which is such a URL without cmd://. */
int mcph_chatos_line_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                           struct mcph_chatos_fault *ret_fault);

/* ---- names (chatos_names.c; R128-R130, B.21, B.25) ------------------------------------
 * The caller owns the texts that these functions make. */

/* Makes the normal form of a text: trimmed, in lower case, each run of characters outside
 * of [a-z0-9_-] replaced by one '_', and no '_' at either end.  0; MCPHOST_E_INVALID:
 * nothing is left; MCPHOST_E_NOMEM. */
int mcph_chatos_normalize(const char *text, char **ret_name);

/* Makes "PLUGIN.APP" of the trimmed ids.  NULL: out of memory. */
char *mcph_chatos_server_name(const char *plugin_id, const char *app_id);

enum { MCPH_CHATOS_ZH, MCPH_CHATOS_EN, MCPH_CHATOS_N_LANGUAGES };

/* Makes "mcp_" and the normal form of the server's name; for English "__en" follows.
 * Fails as mcph_chatos_normalize(). */
int mcph_chatos_prompt_name(const char *server_name, int language, char **ret_name);

/* Makes the name of an app's default list without its extension: "PLUGIN__APP".  Each
 * part is normalized, but keeps '.', and so has no slash.  Fails as
 * mcph_chatos_normalize(), and then the app has no default list. */
int mcph_chatos_default_key(const char *plugin_id, const char *app_id, char **ret_key);

/* ---- what an app contributes: `ai` (chatos_ai.c, chatos_mcp.c; R120-R127, B.20) -------
 * Texts are trimmed.  A text with a default is never NULL. */

/* A token, basic credentials and headers.  All of them are secrets and are wiped. */
struct mcph_chatos_auth {
    char *token, *username, *password; /* NULL: none */
    struct mcph_values headers;        /* literals */
};

/* `ai.mcp`: the app's own server.  If it has neither `url` nor `entry`, it is declared
 * but cannot be used, because its entry leads out of the plugin's directory. */
struct mcph_chatos_mcp {
    int line, column;
    char *url;     /* NULL: none; if it is set, `entry` is NULL (R132) */
    char *entry;   /* NULL: none; below the plugin's directory, without "." and ".." */
    char *command; /* "node" by default */
    struct mcph_strings args;
    char *call_meta; /* a JSON object in canonical form; NULL: none */
    char *description;
    struct mcph_strings tags;
    int enabled, allow_main, allow_sub; /* 1, 0; -1: not set (B.27) */
    struct mcph_chatos_auth auth;
};

/* The text of a prompt in one language, inline or in a file.  Both NULL: there is
 * none. */
struct mcph_chatos_text {
    char *content; /* if it is set, `path` is NULL */
    char *path;    /* below the plugin's directory, without "." and ".." */
};

/* `ai.mcpPrompt`.  If it has no text at all, it is declared but cannot be used, because
 * each path leads out of the plugin's directory. */
struct mcph_chatos_prompt {
    int line, column;
    char *title; /* "": none */
    struct mcph_chatos_text texts[MCPH_CHATOS_N_LANGUAGES];
};

/* `ai.agent`: a template of an agent. */
struct mcph_chatos_agent {
    int line, column;
    char *name, *description, *model_id;
};

/* The value of a key `mcpServers` or `prompts`. */
enum { MCPH_CHATOS_UNSET, MCPH_CHATOS_OFF, MCPH_CHATOS_ALL, MCPH_CHATOS_LIST };

struct mcph_chatos_expose {
    int kind;                  /* MCPH_CHATOS_UNSET to _LIST */
    struct mcph_strings names; /* for LIST: trimmed, each once, in the order of the
                                * file */
};

struct mcph_chatos_ai {
    char *config; /* path of `ai.config` in the plugin's directory; NULL: none */
    struct mcph_chatos_mcp *mcp;
    struct mcph_chatos_prompt *prompt;
    struct mcph_chatos_agent *agent;
    struct mcph_chatos_expose servers, prompts;
};

struct mcph_chatos_ai *mcph_chatos_ai_free(struct mcph_chatos_ai *ai); /* returns NULL */

/* Makes the URL of an app's own server: the `url` as written, or a cmd:// URL with the
 * absolute path of `entry` (R131, R132).  `dir` is the plugin's directory, absolute and
 * without "." and "..".  The caller owns *ret_url.  0; MCPHOST_E_NOTFOUND: the server has
 * neither; MCPHOST_E_LIMIT; MCPHOST_E_NOMEM. */
int mcph_chatos_mcp_url(const struct mcph_chatos_mcp *mcp, const char *dir,
                        char **ret_url);

/* ---- plugin.json (chatos_manifest.c; R141, B.20) ----------------------------------- */

struct mcph_chatos_app {
    int line, column;
    char *id, *name;
    char *description, *icon;  /* "" by default */
    char *entry, *compact;     /* below the plugin's directory; `compact` NULL: none */
    struct mcph_chatos_ai *ai; /* NULL: not declared */
};

struct mcph_chatos_plugin {
    mcphost_config *report;    /* status and diagnostics; owned */
    char *dir;                 /* as given */
    char *id, *name, *version; /* NULL if rejected; version: "0.0.0" by default */
    char *description;         /* "" by default */
    char *provider;            /* `providerAppId`; by default the plugin's id */
    char *backend;             /* `backend.entry`, below `dir`; NULL: none */
    struct mcph_vec apps;      /* struct mcph_chatos_app *, the valid ones, in file
                                * order */
};

/*
 * Reads the text of a plugin.json; diagnostics call it `shown`.  `dir`: the plugin's
 * directory, absolute.
 *
 * *ret_plugin is set also if the text is bad.  Its report has all errors, with line,
 * column and key path.  An error has one of these effects:
 *   - If the text is not JSON, or a key of the plugin itself is wrong, the plugin is
 *     rejected: its status is below 0 (MCPHOST_E_LIMIT for the size), and it has no apps.
 *   - If a key of an app is wrong, also in `ai`, or an earlier app has the same id, the
 *     app is missing in `apps`.
 *   - If a path leads out of `dir`, its key counts as absent.  If it is the path of an
 *     app's entry, the app is missing in `apps`.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_manifest_parse(const char *data, size_t len, const char *shown,
                               const char *dir, struct mcph_chatos_plugin **ret_plugin);
struct mcph_chatos_plugin *
mcph_chatos_plugin_free(struct mcph_chatos_plugin *plugin); /* returns NULL */

/* ---- exposure (chatos_expose.c; R148-R155, B.26) ----------------------------------- */

/*
 * Reads the text of an ai.config file or of a default list.  Both have the keys of `ai`
 * except for `config`.  The name `file`, which diagnostics show, decides the format:
 * .json is JSON, .yaml and .yml are YAML, and other files are JSON if the text begins
 * with { or [.
 *
 * Returns 0 or MCPHOST_E_NOMEM.  The caller owns *ret_ai and a reference to *ret_report.
 * If the status of the report is below 0, the text is rejected as a whole and *ret_ai is
 * NULL.
 */
int mcph_chatos_ai_parse(const char *data, size_t len, const char *file, const char *dir,
                         struct mcph_chatos_ai **ret_ai, mcphost_config **ret_report);

/* Decides which of three values counts.  A value that is NULL, or a list without names,
 * is UNSET.  Returns one of the three, borrowed, or a constant.
 *
 *   in_manifest   result
 *   off           off
 *   list          this list
 *   all           the file's value, else the defaults' value, else all
 *   unset         the file's value, else unset; never the defaults' value */
const struct mcph_chatos_expose *
mcph_chatos_expose(const struct mcph_chatos_expose *in_manifest,
                   const struct mcph_chatos_expose *in_file,
                   const struct mcph_chatos_expose *in_defaults);

/* What an app contributes after the merge of its three sources.  All members are borrowed
 * from them. */
struct mcph_chatos_offer {
    const struct mcph_chatos_mcp *mcp;
    const struct mcph_chatos_prompt *prompt;
    const struct mcph_chatos_agent *agent;
    const struct mcph_chatos_expose *servers, *prompts; /* never NULL */
};

/* Merges `ai` of the manifest with ai.config and the default list; each may be NULL.
 * Each of `mcp`, `mcpPrompt` and `agent` comes whole from the first of the three that has
 * it (B.26).  False: the app contributes nothing.  Without an `ai` in the manifest the
 * result is always false. */
bool mcph_chatos_offer(const struct mcph_chatos_ai *in_manifest,
                       const struct mcph_chatos_ai *in_file,
                       const struct mcph_chatos_ai *in_defaults,
                       struct mcph_chatos_offer *ret_offer);

/* ---- an app's own server (chatos_meta.c, chatos_spec.c; R131-R140, B.22, B.24) ---- */

/* The ids and directories of an app.  NULL or "": not known. */
struct mcph_chatos_place {
    const char *plugin_id, *app_id;
    const char *plugin_dir, *data_dir, *state_dir, *session_root, *project_root;
};

#define MCPH_CHATOS_META_MAX   ((size_t)1024 * 1024) /* bytes of a `_meta` */
#define MCPH_CHATOS_META_DEPTH 64

/*
 * Makes the members that an app's server gets in `_meta` of each tools/call: defaults
 * from `place`, and over them `call_meta` (a JSON object, or NULL).  Maps are merged;
 * other values of `call_meta` replace the default.  In `call_meta`, also in nested maps
 * and lists, a text "$NAME" is replaced by the value of NAME.  It stays if the name is
 * unknown or has no value.  Names: pluginId, appId, pluginDir, dataDir, stateDir,
 * sessionRoot, projectRoot.  `flags`: enum mcphost_chatos_flag, which can change these
 * rules.
 *
 * *ret_meta is in canonical form and is the caller's; NULL if there is no member.  0;
 * MCPHOST_E_INVALID: `call_meta` is not a JSON object; MCPHOST_E_LIMIT; MCPHOST_E_NOMEM.
 */
int mcph_chatos_call_meta(const char *call_meta, const struct mcph_chatos_place *place,
                          uint64_t flags, char **ret_meta);

/*
 * Adds an app's own server to a configuration.  `id` must be new there.  The
 * configuration's `transports` are the allowed ones.  `flags`: enum mcphost_chatos_flag.
 *
 * The entry is disabled if the app says so.  It is invalid if the server cannot be
 * started: it has no URL, the URL has no transport or is a page of a repository, or a
 * quote is not closed.  Then there is one error, with the place of `mcp` and a key below
 * "mcp".  No file is opened.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_add_server(mcphost_config *config, const char *id,
                           const struct mcph_chatos_mcp *mcp,
                           const struct mcph_chatos_place *place, uint64_t flags);

/* ---- texts and paths (chatos_text.c) ----------------------------------------------- */

/* The functions that define "blank" and "trimmed" in this profile. */
static inline size_t
mcph_chatos_space(const char *p, const char *end)
{
    return mcph_name_space(p, end);
}

static inline struct mcph_span
mcph_chatos_trim(const char *text, size_t len)
{
    return mcph_name_trim(text, len);
}

/* Resolves `path`, which is absolute or starts at the absolute directory `dir`.
 * *ret_path is the result relative to `dir`, without ".", ".." and slashes at the end,
 * and is the caller's.  Whole components are compared, not prefixes of texts.  0;
 * MCPHOST_E_CONFIG, with a static phrase in *ret_why: the path leads out of `dir`, is
 * `dir` itself, or is too long; MCPHOST_E_NOMEM. */
int mcph_chatos_path(const char *dir, struct mcph_span path, char **ret_path,
                     const char **ret_why);

/* ---- shared by the readers of this profile ----------------------------------------- */

struct chatos_reading {
    struct mcph_check *check;
    const char *dir; /* the plugin's directory */
};

/* The requirements on a text. */
enum {
    CHATOS_ANY,    /* may be absent or blank */
    CHATOS_FILLED, /* may be absent, must not be blank */
    CHATOS_NEEDED  /* must be present and not blank */
};

/* A trimmed copy of the text at the current path.  NULL: an error is reported, or there
 * is no memory, which check->err says. */
char *mcph_chatos_read_text(struct chatos_reading *rd, const struct mcph_node *node,
                            int need);
/* The same for a path below the plugin's directory.  `sparing`: if the path leads out of
 * the directory, only this key is lost, and the entry stays valid. */
char *mcph_chatos_read_path(struct chatos_reading *rd, const struct mcph_node *node,
                            bool sparing);
/* Appends the strings of a list. */
void mcph_chatos_read_texts(struct chatos_reading *rd, const struct mcph_node *list,
                            int need, struct mcph_strings *texts);

/* The next functions read members of `map` in the same way.  NULL also if the member is
 * absent and may be absent. */
char *mcph_chatos_read_text_at(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *key, int need);
/* Reads the member `id`, which must be present: at most 200 bytes, without slashes and
 * control characters, and not "." or "..". */
char *mcph_chatos_read_id_at(struct chatos_reading *rd, const struct mcph_node *map);
char *mcph_chatos_read_path_at(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *key, bool sparing);
char *mcph_chatos_read_text_or(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *key, const char *fallback);
void mcph_chatos_read_texts_at(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *key, struct mcph_strings *texts);
int mcph_chatos_read_flag_at(struct chatos_reading *rd, const struct mcph_node *map,
                             const char *key); /* 1, 0; -1: absent */
/* Reports that a member is missing. */
void mcph_chatos_missing(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key, const char *expected);
/* Warns of unknown keys that look like known ones.  All others are ignored: they belong
 * to other programs. */
void mcph_chatos_warn_misspelt(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *const *known, size_t n);

/* Reads `ai.mcp` (chatos_mcp.c).  NULL: an error, which is reported. */
struct mcph_chatos_mcp *mcph_chatos_read_mcp(struct chatos_reading *rd,
                                             const struct mcph_node *node);
struct mcph_chatos_mcp *mcph_chatos_mcp_free(struct mcph_chatos_mcp *mcp);

/* Reads a map with the keys of `ai` (chatos_ai.c).  `in_manifest`: the map may have
 * `config`, and a text in place of the map is the value of `config`.  NULL: an error is
 * reported.  Errors that are sparing do not count. */
struct mcph_chatos_ai *mcph_chatos_read_ai(struct chatos_reading *rd,
                                           const struct mcph_node *node,
                                           bool in_manifest);

#endif
