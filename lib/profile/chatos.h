/* SPDX-License-Identifier: MIT
 *
 * chatos.h - the basis of the ChatOS profile: cmd:// URLs, derived names, the manifest
 * plugin.json, and the exposure of servers and prompts by an app.
 *
 * The functions of this header turn text into structures.  They open no file, start no
 * server and read no environment variable.  Paths are checked as text only.  The code
 * that opens a file checks symbolic links (mcph_open_beneath()).
 *
 * "Blank" and "trimmed" refer to the white space of JavaScript: the white space of ASCII,
 * U+FEFF, and the spaces of Unicode.  ChatOS is written in JavaScript.
 */
#ifndef MCPH_PROFILE_CHATOS_H
#define MCPH_PROFILE_CHATOS_H

#include "profile/profile.h"

/* Limits of ChatOS (B.20), in bytes. */
#define MCPH_CHATOS_MANIFEST_MAX ((size_t)256 * 1024) /* plugin.json, or a callMeta */
#define MCPH_CHATOS_PROMPT_MAX   ((size_t)128 * 1024) /* a prompt, in a file or inline */
#define MCPH_CHATOS_AI_MAX       ((size_t)128 * 1024) /* a file that ai.config names */
/* Limits of this library. */
#define MCPH_CHATOS_CMD_MAX    ((size_t)1024 * 1024) /* bytes of a cmd:// URL */
#define MCPH_CHATOS_PATH_MAX   4096
#define MCPH_CHATOS_ERRORS_MAX 1000 /* errors after which no further app is read */

/* ---- cmd:// URLs (chatos_cmd.c; R131, B.22) -------------------------------------------
 * A cmd:// URL is a command line: "cmd://node /plugins/a/server.mjs --root '/x y'".  No
 * shell ever interprets it. */

/* An error in a text.  `at` is an offset into the text, and `why` is a static phrase. */
struct mcph_chatos_fault {
    size_t at;
    const char *why;
};

/* Checks whether a text begins with cmd://, in upper or lower case, after leading
 * blanks. */
bool mcph_chatos_is_cmd(const char *text, size_t len);

/* Makes the URL of a program with its arguments.  The tokens of the URL are `command`,
 * `entry` and each of `args`.  A token with white space, a backslash, or a quote of
 * either kind is put in double quotes.  Inside the quotes, a backslash precedes each
 * double quote and backslash.  All other bytes, also control characters, are unchanged.
 * Empty tokens are dropped, as ChatOS does, because an empty argument cannot be
 * expressed.  `entry` may be NULL.
 *
 * The caller owns *ret_url.  Returns 0, MCPHOST_E_INVALID if no token is left,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_chatos_cmd_format(const char *command, const char *entry,
                           const struct mcph_strings *args, char **ret_url);

/* Splits a cmd:// URL into its arguments.  The first argument is the program.  In single
 * quotes every character is literal.  In double quotes and outside of quotes, a backslash
 * makes the next character literal.  Quoted parts join adjacent text.  Empty tokens are
 * dropped, even if they are quoted (B.22).  A list without empty arguments survives
 * formatting and parsing unchanged.
 *
 * *ret_argv must be empty before the call.  The caller owns *ret_argv.  Returns 0 or
 * MCPHOST_E_NOMEM.  Returns MCPHOST_E_INVALID if there is no cmd://, no program, a NUL,
 * or a quote that is not closed.  Returns MCPHOST_E_LIMIT if the text is too long.  For
 * these two errors, *ret_fault gets the reason and its offset.  `ret_fault` may be
 * NULL. */
int mcph_chatos_cmd_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                          struct mcph_chatos_fault *ret_fault);
/* Splits a command line that is written like a cmd:// URL, but without cmd://. */
int mcph_chatos_line_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                           struct mcph_chatos_fault *ret_fault);

/* ---- names (chatos_names.c; R128-R130, B.21, B.25) ------------------------------------
 * The caller owns the texts that these functions make. */

/* Makes the normal form of a text: trimmed, in lower case, each run of characters outside
 * of [a-z0-9_-] replaced by one '_', and no '_' at either end.  Returns 0,
 * MCPHOST_E_INVALID if nothing is left, or MCPHOST_E_NOMEM. */
int mcph_chatos_normalize(const char *text, char **ret_name);

/* Makes "PLUGIN.APP" of the trimmed ids.  Returns NULL if there is no memory. */
char *mcph_chatos_server_name(const char *plugin_id, const char *app_id);

enum { MCPH_CHATOS_ZH, MCPH_CHATOS_EN, MCPH_CHATOS_N_LANGUAGES };

/* Makes the name of a prompt: "mcp_", the normal form of the server's name, and for
 * English "__en".  Returns the codes of mcph_chatos_normalize(). */
int mcph_chatos_prompt_name(const char *server_name, int language, char **ret_name);

/* Makes the name of an app's default list without its extension: "PLUGIN__APP".  Each
 * part is normalized, but keeps '.'.  No part has a slash.  Returns the codes of
 * mcph_chatos_normalize().  After an error, the app has no default list. */
int mcph_chatos_default_key(const char *plugin_id, const char *app_id, char **ret_key);

/* ---- the contribution of an app: `ai` (chatos_ai.c, chatos_mcp.c; R120-R127, B.20) ----
 * Texts are trimmed.  A text with a default is never NULL. */

/* A token, basic credentials and headers.  All of them are secrets, and are wiped when
 * they are freed. */
struct mcph_chatos_auth {
    char *token, *username, *password; /* NULL if absent */
    struct mcph_values headers;        /* literal values */
};

/* `ai.mcp`: the app's own server.  A server with neither `url` nor `entry` is declared
 * but cannot be used: the declared entry leads out of the plugin's directory. */
struct mcph_chatos_mcp {
    int line, column;
    char *url;     /* the URL or NULL; if it is set, `entry` is NULL (R132) */
    char *entry;   /* path below the plugin's directory, without "." and "..", or NULL */
    char *command; /* "node" by default */
    struct mcph_strings args;
    char *call_meta; /* a JSON object in canonical form, or NULL */
    char *description;
    struct mcph_strings tags;
    int enabled, allow_main, allow_sub; /* 1, 0, or -1 if not set (B.27) */
    struct mcph_chatos_auth auth;
};

/* The text of a prompt in one language, inline or in a file.  Both members are NULL if
 * there is no text. */
struct mcph_chatos_text {
    char *content; /* if `content` is set, `path` is NULL */
    char *path;    /* path below the plugin's directory, without "." and ".." */
};

/* `ai.mcpPrompt`.  A prompt has no text if no declared path can be used, for example
 * because each path leads out of the plugin's directory.  A prompt without text is
 * declared, but cannot be used. */
struct mcph_chatos_prompt {
    int line, column;
    char *title; /* "" if there is no title */
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
    int kind;                  /* MCPH_CHATOS_UNSET to MCPH_CHATOS_LIST */
    struct mcph_strings names; /* for MCPH_CHATOS_LIST, the trimmed names without
                                * repetition, in file order */
};

struct mcph_chatos_ai {
    char *config; /* path of `ai.config` in the plugin's directory, or NULL */
    struct mcph_chatos_mcp *mcp;
    struct mcph_chatos_prompt *prompt;
    struct mcph_chatos_agent *agent;
    struct mcph_chatos_expose servers, prompts;
};

struct mcph_chatos_ai *mcph_chatos_ai_free(struct mcph_chatos_ai *ai); /* returns NULL */

/* Makes the URL of an app's own server: the `url` as written, or a cmd:// URL with the
 * absolute path of `entry` (R131, R132).  `dir` is the plugin's directory, absolute and
 * without "." and "..".  The caller owns *ret_url.  Returns 0, MCPHOST_E_NOTFOUND if the
 * server has neither `url` nor `entry`, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_chatos_mcp_url(const struct mcph_chatos_mcp *mcp, const char *dir,
                        char **ret_url);

/* ---- plugin.json (chatos_manifest.c; R141, B.20) ----------------------------------- */

struct mcph_chatos_app {
    int line, column;
    char *id, *name;
    char *description, *icon;  /* "" by default */
    char *entry, *compact;     /* paths below the plugin's directory; only `compact`
                                * may be NULL */
    struct mcph_chatos_ai *ai; /* NULL if not declared */
};

struct mcph_chatos_plugin {
    mcphost_config *report;    /* status and diagnostics; owned */
    char *dir;                 /* the plugin's directory, as the caller gave it */
    char *id, *name, *version; /* may be NULL if the plugin is rejected; the default of
                                * `version` is "0.0.0" */
    char *description;         /* "" by default */
    char *provider;            /* `providerAppId`; by default the plugin's id */
    char *backend;             /* path `backend.entry` below `dir`, or NULL */
    struct mcph_vec apps;      /* valid struct mcph_chatos_app *, in file order */
};

/*
 * Reads the text of a plugin.json.  Diagnostics name the text `shown`.  `dir` is the
 * absolute path of the plugin's directory.
 *
 * The function sets *ret_plugin even if the text is bad.  The plugin's report lists the
 * errors with line, column and key path.  An error has one of these effects:
 *   - If the text is not JSON, or a key of the plugin itself is wrong, the plugin is
 *     rejected: the status of the report is below 0 (MCPHOST_E_LIMIT if the text is too
 *     large), and the plugin has no apps.
 *   - If a key of an app or of its `ai` is wrong, `apps` does not contain the app.
 *   - If two apps have the same id, `apps` does not contain the second of the two, even
 *     if the first is invalid.
 *   - If a path leads out of `dir`, its key counts as absent.  If the key is the entry of
 *     an app, `apps` does not contain the app.
 *
 * After MCPH_CHATOS_ERRORS_MAX errors, the function reads no further app.  One more error
 * reports this.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_manifest_parse(const char *data, size_t len, const char *shown,
                               const char *dir, struct mcph_chatos_plugin **ret_plugin);
struct mcph_chatos_plugin *
mcph_chatos_plugin_free(struct mcph_chatos_plugin *plugin); /* returns NULL */

/* ---- exposure (chatos_expose.c; R148-R155, B.26) ----------------------------------- */

/*
 * Reads the text of an ai.config file or of a default list.  Both kinds of text have the
 * keys of `ai` except for `config`.  `dir` is the plugin's directory.  Diagnostics show
 * the name `file`.  The name also decides the format: .json is JSON, and .yaml and .yml
 * are YAML.  Any other file is JSON if the text begins with { or [, and otherwise YAML.
 *
 * Returns 0 or MCPHOST_E_NOMEM.  The caller owns *ret_ai and a reference to *ret_report.
 * If the status of the report is below 0, the text is rejected as a whole and *ret_ai is
 * NULL.
 */
int mcph_chatos_ai_parse(const char *data, size_t len, const char *file, const char *dir,
                         struct mcph_chatos_ai **ret_ai, mcphost_config **ret_report);

/* Decides which value counts: the value of the manifest (`in_manifest`), of the ai.config
 * file (`in_file`) or of the default list (`in_defaults`).  A value that is NULL, or a
 * list without names, is UNSET.  Returns one of the three values, borrowed, or a
 * constant.
 *
 *   in_manifest   result
 *   off           off
 *   list          this list
 *   all           the file's value, else the defaults' value, else all
 *   unset         the file's value, else unset, but never the defaults' value */
const struct mcph_chatos_expose *
mcph_chatos_expose(const struct mcph_chatos_expose *in_manifest,
                   const struct mcph_chatos_expose *in_file,
                   const struct mcph_chatos_expose *in_defaults);

/* An app's contribution after the merge of its three sources.  All members are borrowed
 * from these sources. */
struct mcph_chatos_offer {
    const struct mcph_chatos_mcp *mcp;
    const struct mcph_chatos_prompt *prompt;
    const struct mcph_chatos_agent *agent;
    const struct mcph_chatos_expose *servers, *prompts; /* never NULL */
};

/* Merges `ai` of the manifest with ai.config and the default list.  Each of the three may
 * be NULL.  Each of `mcp`, `mcpPrompt` and `agent` comes whole from the first source that
 * has this key (B.26).  Returns false if the app contributes nothing.  Without an `ai` in
 * the manifest, the result is always false. */
bool mcph_chatos_offer(const struct mcph_chatos_ai *in_manifest,
                       const struct mcph_chatos_ai *in_file,
                       const struct mcph_chatos_ai *in_defaults,
                       struct mcph_chatos_offer *ret_offer);

/* ---- an app's own server (chatos_meta.c, chatos_spec.c; R131-R140, B.22, B.24) ---- */

/* The ids and directories of an app.  An unknown value is NULL or "". */
struct mcph_chatos_place {
    const char *plugin_id, *app_id;
    const char *plugin_dir, *data_dir, *state_dir, *session_root, *project_root;
};

#define MCPH_CHATOS_META_MAX   ((size_t)1024 * 1024) /* limit on the bytes of a `_meta` */
#define MCPH_CHATOS_META_DEPTH 64

/*
 * Makes the members that an app's server gets in `_meta` of each tools/call.  They are
 * defaults from `place`, changed by `call_meta` (a JSON object, or NULL).  Maps are
 * merged.  Other values of `call_meta` replace the default, except the members of
 * chatos.uiApp that come from `place`.  In `call_meta`, also in nested maps and lists, a
 * text "$NAME" is replaced by the value of NAME.  The text stays if the name is unknown
 * or has no value.  The names are pluginId, appId, pluginDir, dataDir, stateDir,
 * sessionRoot and projectRoot.  `flags` (enum mcphost_chatos_flag) can change these
 * rules.
 *
 * The caller owns *ret_meta, which is in canonical form, or NULL if there is no member.
 * Returns 0, MCPHOST_E_INVALID if `call_meta` is not a JSON object, MCPHOST_E_LIMIT or
 * MCPHOST_E_NOMEM.
 */
int mcph_chatos_call_meta(const char *call_meta, const struct mcph_chatos_place *place,
                          uint64_t flags, char **ret_meta);

/*
 * Adds an app's own server to a configuration.  `id` must be new in the configuration.
 * The configuration's `transports` decide which transports are allowed.  `flags` is a set
 * of enum mcphost_chatos_flag.
 *
 * The entry is disabled if the app disables the server.  The entry is invalid if the
 * server cannot be started, for example if it has no URL, if no transport fits the URL,
 * if the URL is the page of a source repository, or if a quote is not closed.  An invalid
 * entry has one error, with the place of `mcp` and the key "mcp" or a key below it.  No
 * file is opened.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_add_server(mcphost_config *config, const char *id,
                           const struct mcph_chatos_mcp *mcp,
                           const struct mcph_chatos_place *place, uint64_t flags);

/* ---- texts and paths (chatos_text.c) ----------------------------------------------- */

/* These functions find and trim white space.  They define "blank" and "trimmed" in this
 * profile. */
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
 * *ret_path is relative to `dir` and has no ".", "..", or slashes at the end.  The caller
 * owns *ret_path.  Whole components are compared, not prefixes of texts.  Returns 0 or
 * MCPHOST_E_NOMEM.  If the path leads out of `dir`, is `dir` itself, or is too long,
 * returns MCPHOST_E_CONFIG and stores a static phrase in *ret_why. */
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
    CHATOS_FILLED, /* may be absent, but must not be blank */
    CHATOS_NEEDED  /* must be present and not blank */
};

/* Returns a trimmed copy of the text in `node`.  Returns NULL after an error was
 * reported.  If there is no memory, returns NULL and records the error in check->err. */
char *mcph_chatos_read_text(struct chatos_reading *rd, const struct mcph_node *node,
                            int need);
/* Reads a path below the plugin's directory.  Returns a copy, or NULL like
 * mcph_chatos_read_text().  If `sparing` is true, a path that leads out of the directory
 * makes only this key absent, and the app or the plugin with the key stays valid. */
char *mcph_chatos_read_path(struct chatos_reading *rd, const struct mcph_node *node,
                            bool sparing);
/* Appends the strings of a list to `texts`. */
void mcph_chatos_read_texts(struct chatos_reading *rd, const struct mcph_node *list,
                            int need, struct mcph_strings *texts);

/* The functions mcph_chatos_read_*_at() read the member `key` of `map` like the functions
 * without "_at".  They also return NULL if the member may be absent and is absent. */
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
                             const char *key); /* returns 1, 0, or -1 if absent */
/* Reports that a member is missing. */
void mcph_chatos_missing(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key, const char *expected);
/* Warns of unknown keys that look like known keys.  All other unknown keys are ignored,
 * because they belong to other programs. */
void mcph_chatos_warn_misspelt(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *const *known, size_t n);

/* Reads `ai.mcp` (chatos_mcp.c).  Returns NULL after reporting an error. */
struct mcph_chatos_mcp *mcph_chatos_read_mcp(struct chatos_reading *rd,
                                             const struct mcph_node *node);
struct mcph_chatos_mcp *mcph_chatos_mcp_free(struct mcph_chatos_mcp *mcp);

/* Reads a map with the keys of `ai` (chatos_ai.c).  If `in_manifest` is true, the map may
 * have `config`, and a text in place of the map is the value of `config`.  Returns NULL
 * if an error was reported.  An error that only makes its key absent (see `sparing`
 * above) does not cause NULL. */
struct mcph_chatos_ai *mcph_chatos_read_ai(struct chatos_reading *rd,
                                           const struct mcph_node *node,
                                           bool in_manifest);

#endif
