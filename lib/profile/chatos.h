/* SPDX-License-Identifier: MIT
 *
 * chatos.h - the groundwork of the ChatOS profile: cmd:// URLs, derived names, the
 * manifest plugin.json, and which servers and prompts an app exposes.
 *
 * Everything here is text in, structures out: no file is opened, nothing is started, no
 * variable is resolved.  Paths are judged as text; symbolic links are the business of the
 * code that opens a file (mcph_open_beneath()).
 *
 * "Blank" and "trimmed" mean the white space of JavaScript, in which ChatOS is written:
 * ASCII's, U+FEFF, and the spaces of Unicode.
 */
#ifndef MCPH_PROFILE_CHATOS_H
#define MCPH_PROFILE_CHATOS_H

#include "profile/profile.h"

/* Limits of ChatOS (B.20), in bytes. */
#define MCPH_CHATOS_MANIFEST_MAX ((size_t)256 * 1024) /* plugin.json */
#define MCPH_CHATOS_PROMPT_MAX   ((size_t)128 * 1024) /* a prompt, in a file or inline */
#define MCPH_CHATOS_AI_MAX       ((size_t)128 * 1024) /* ai.config, a default list */
/* Limits of ours. */
#define MCPH_CHATOS_CMD_MAX    ((size_t)1024 * 1024) /* a cmd:// URL */
#define MCPH_CHATOS_PATH_MAX   4096
#define MCPH_CHATOS_ERRORS_MAX 1000 /* after so many no further app is read */

/* ---- cmd:// URLs (chatos_cmd.c; R131, B.22) -------------------------------------------
 * "cmd://node /plugins/a/server.mjs --root '/x y'": an argument list as text.  It is
 * never given to a shell. */

/* What is wrong with a text: `at` is an offset into it, `why` a static phrase. */
struct mcph_chatos_fault {
    size_t at;
    const char *why;
};

/* Whether a text, trimmed, begins with cmd:// in upper or lower case. */
bool mcph_chatos_is_cmd(const char *text, size_t len);

/* The URL of a program with its arguments.  A token with white space, a backslash, or a
 * quote of either kind is put in double quotes, in which a backslash stands before each
 * double quote and backslash; all other bytes are as they are, control characters too.
 * Empty tokens are dropped, as ChatOS drops them: an empty argument cannot be expressed.
 * `entry` may be NULL.
 *
 * 0, and *ret_url is the caller's; MCPHOST_E_INVALID if no token is left,
 * MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_chatos_cmd_format(const char *command, const char *entry,
                           const struct mcph_strings *args, char **ret_url);

/* The argument list of such a URL, at least the program, byte for byte.  Single quotes
 * are literal, double quotes take a backslash before any character, as does text outside
 * of quotes; quoted parts join what they touch.  Empty tokens are dropped, quoted ones
 * too (B.22), so that any list without empty ones comes back from its URL.
 *
 * 0, and *ret_argv, which is empty before, is the caller's.  MCPHOST_E_INVALID with the
 * reason and its offset in *ret_fault (may be NULL): no cmd://, nothing behind it, a NUL,
 * a quote that is not closed (its offset); MCPHOST_E_LIMIT likewise; MCPHOST_E_NOMEM
 * without a reason. */
int mcph_chatos_cmd_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                          struct mcph_chatos_fault *ret_fault);
/* The same of a command line, which is such a URL without cmd://. */
int mcph_chatos_line_parse(const char *text, size_t len, struct mcph_strings *ret_argv,
                           struct mcph_chatos_fault *ret_fault);

/* ---- names (chatos_names.c; R128-R130, B.21, B.25) ------------------------------------
 * Each gives a text that is the caller's. */

/* Trimmed, in lower case, each run of characters outside of [a-z0-9_-] as one '_', and
 * no '_' at either end.  0; MCPHOST_E_INVALID: nothing is left; MCPHOST_E_NOMEM. */
int mcph_chatos_normalize(const char *text, char **ret_name);

/* "PLUGIN.APP", ids trimmed; NULL: out of memory. */
char *mcph_chatos_server_name(const char *plugin_id, const char *app_id);

enum { MCPH_CHATOS_ZH, MCPH_CHATOS_EN, MCPH_CHATOS_N_LANGUAGES };

/* "mcp_NORMALIZED", in English with "__en".  Fails as mcph_chatos_normalize(). */
int mcph_chatos_prompt_name(const char *server_name, int language, char **ret_name);

/* The name of an app's default list without its extension: "PLUGIN__APP", each part
 * normalized with '.' as a further legal character.  It has no slash.  Fails as
 * mcph_chatos_normalize(), and then the app has no default list. */
int mcph_chatos_default_key(const char *plugin_id, const char *app_id, char **ret_key);

/* ---- what an app contributes: `ai` (chatos_ai.c, chatos_mcp.c; R120-R127, B.20) -------
 * Texts are trimmed, and never NULL where a default is named. */

/* A token, basic credentials, headers: all of them secrets, and wiped. */
struct mcph_chatos_auth {
    char *token, *username, *password; /* NULL: none */
    struct mcph_values headers;        /* literals */
};

/* `ai.mcp`: the app's own server.  With neither `url` nor `entry` it is declared but of
 * no use, because its entry leads out of the plugin's directory. */
struct mcph_chatos_mcp {
    int line, column;
    char *url;     /* NULL: none; it wins, and then there is no `entry` (R132) */
    char *entry;   /* NULL: none; below the plugin's directory, without "." and ".." */
    char *command; /* "node" by default */
    struct mcph_strings args;
    char *call_meta; /* a JSON object in canonical form; NULL: none */
    char *description;
    struct mcph_strings tags;
    int enabled, allow_main, allow_sub; /* 1, 0; -1: not set (B.27) */
    struct mcph_chatos_auth auth;
};

/* The text of a prompt in one language: inline, or in a file; neither: none. */
struct mcph_chatos_text {
    char *content; /* wins, and then there is no `path` */
    char *path;    /* below the plugin's directory, without "." and ".." */
};

/* `ai.mcpPrompt`.  Without any text it is declared but of no use, because each path leads
 * out of the plugin's directory. */
struct mcph_chatos_prompt {
    int line, column;
    char *title; /* "": none */
    struct mcph_chatos_text texts[MCPH_CHATOS_N_LANGUAGES];
};

/* `ai.agent`: a template. */
struct mcph_chatos_agent {
    int line, column;
    char *name, *description, *model_id;
};

/* What a key `mcpServers` or `prompts` says. */
enum { MCPH_CHATOS_UNSET, MCPH_CHATOS_OFF, MCPH_CHATOS_ALL, MCPH_CHATOS_LIST };

struct mcph_chatos_expose {
    int kind;                  /* MCPH_CHATOS_* */
    struct mcph_strings names; /* of LIST: trimmed, each once, in the order of the file */
};

struct mcph_chatos_ai {
    char *config; /* the file `ai.config` below the plugin's directory; NULL: none */
    struct mcph_chatos_mcp *mcp;
    struct mcph_chatos_prompt *prompt;
    struct mcph_chatos_agent *agent;
    struct mcph_chatos_expose servers, prompts;
};

struct mcph_chatos_ai *mcph_chatos_ai_free(struct mcph_chatos_ai *ai); /* returns NULL */

/* The URL of an app's own server: as written, or cmd:// with the absolute entry (R131,
 * R132).  `dir`: the plugin's directory, absolute and without "." and "..".  0 and
 * *ret_url is the caller's; MCPHOST_E_NOTFOUND: it has none; MCPHOST_E_LIMIT,
 * MCPHOST_E_NOMEM. */
int mcph_chatos_mcp_url(const struct mcph_chatos_mcp *mcp, const char *dir,
                        char **ret_url);

/* ---- plugin.json (chatos_manifest.c; R141, B.20) ----------------------------------- */

struct mcph_chatos_app {
    int line, column;
    char *id, *name;
    char *description, *icon;  /* "" by default */
    char *entry, *compact;     /* paths as above; `compact` NULL: none */
    struct mcph_chatos_ai *ai; /* NULL: not declared */
};

struct mcph_chatos_plugin {
    mcphost_config *report;    /* its `status` and diagnostics; owned */
    char *dir;                 /* as given */
    char *id, *name, *version; /* NULL where rejected; version: "0.0.0" by default */
    char *description;         /* "" by default */
    char *provider;            /* `providerAppId`, by default the id */
    char *backend;             /* `backend.entry`, a path as above; NULL: none */
    struct mcph_vec apps;      /* struct mcph_chatos_app *, valid ones, in file order */
};

/*
 * Reads the text of a plugin.json; `shown` names it in diagnostics.  `dir`: the plugin's
 * directory, absolute.
 *
 * Whatever is wrong with the text, a plugin comes back, and its report tells all of it
 * with line, column and key path.  What it costs:
 *  - text that is no JSON, or the keys of the plugin itself: the plugin is rejected,
 *    which is a `status` below 0 (MCPHOST_E_LIMIT for the size) and no apps;
 *  - the keys of an app, `ai` among them, and an id that an earlier app has: this app,
 *    which is not among `apps`;
 *  - a path that leads out of `dir`: the key that has it, for an app's entry the app.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_manifest_parse(const char *data, size_t len, const char *shown,
                               const char *dir, struct mcph_chatos_plugin **ret_plugin);
struct mcph_chatos_plugin *
mcph_chatos_plugin_free(struct mcph_chatos_plugin *plugin); /* returns NULL */

/* ---- exposure (chatos_expose.c; R148-R155, B.26) ----------------------------------- */

/*
 * Reads the text of an ai.config file or a default list, which have the keys of `ai`
 * except for `config`.  The name `file`, which diagnostics show, decides: .json is JSON,
 * .yaml and .yml are YAML, and other names are JSON if the text begins with { or [.
 *
 * Returns 0 or MCPHOST_E_NOMEM.  With 0, *ret_report is a reference of the caller's; if
 * its `status` is below 0, the text is rejected as a whole and *ret_ai is NULL.
 */
int mcph_chatos_ai_parse(const char *data, size_t len, const char *file, const char *dir,
                         struct mcph_chatos_ai **ret_ai, mcphost_config **ret_report);

/* Which of the three values decides; each may be NULL, which is UNSET, as is a list
 * without names.  The result is one of the three, borrowed, or a constant.
 *
 *   inline   then
 *   off      off
 *   list     this list
 *   all      the file's value, or else the defaults', or else all
 *   unset    the file's value, or else unset; never the defaults
 */
const struct mcph_chatos_expose *
mcph_chatos_expose(const struct mcph_chatos_expose *in_manifest,
                   const struct mcph_chatos_expose *in_file,
                   const struct mcph_chatos_expose *in_defaults);

/* What an app contributes after the merge; everything is borrowed from the three. */
struct mcph_chatos_offer {
    const struct mcph_chatos_mcp *mcp;
    const struct mcph_chatos_prompt *prompt;
    const struct mcph_chatos_agent *agent;
    const struct mcph_chatos_expose *servers, *prompts; /* never NULL */
};

/* Merges `ai` of the manifest with ai.config and the default list; each may be NULL.
 * `mcp`, `mcpPrompt` and `agent` are each taken whole from the first that has it (B.26).
 * False: the app contributes nothing, as always without an `ai` in the manifest. */
bool mcph_chatos_offer(const struct mcph_chatos_ai *in_manifest,
                       const struct mcph_chatos_ai *in_file,
                       const struct mcph_chatos_ai *in_defaults,
                       struct mcph_chatos_offer *ret_offer);

/* ---- an app's own server (chatos_meta.c, chatos_spec.c; R131-R140, B.22, B.24) ---- */

/* Of an app.  NULL or "": not known. */
struct mcph_chatos_place {
    const char *plugin_id, *app_id;
    const char *plugin_dir, *data_dir, *state_dir, *session_root, *project_root;
};

#define MCPH_CHATOS_META_MAX   ((size_t)1024 * 1024) /* bytes of a _meta */
#define MCPH_CHATOS_META_DEPTH 64

/*
 * The members that an app's server gets in `_meta` of each tools/call: what the place
 * says, and over it `call_meta` (a JSON object, or NULL).  Maps are merged, other values
 * replace.  A text "$NAME" becomes the value of that name, as do those in maps and lists;
 * it stays as it is if the name is unknown or has no value.  Names: pluginId, appId,
 * pluginDir, dataDir, stateDir, sessionRoot, projectRoot.
 *
 * 0, and *ret_meta, in canonical form, is the caller's, NULL if there is no member;
 * MCPHOST_E_INVALID: no JSON object; MCPHOST_E_LIMIT; MCPHOST_E_NOMEM.
 */
int mcph_chatos_call_meta(const char *call_meta, const struct mcph_chatos_place *place,
                          uint64_t flags, char **ret_meta);

/*
 * Adds an app's own server to a configuration, whose `transports` say what it may be.
 * The id must be new there.  `flags`: enum mcphost_chatos_flag.
 *
 * The entry is disabled if the app says so; invalid, with one error that has the place of
 * `mcp` and a key below "mcp", if it cannot be started: no URL, one without a transport,
 * a page of a repository, a quote that is not closed.  No file is looked at.
 *
 * Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_chatos_add_server(mcphost_config *config, const char *id,
                           const struct mcph_chatos_mcp *mcp,
                           const struct mcph_chatos_place *place, uint64_t flags);

/* ---- texts and paths (chatos_text.c) ----------------------------------------------- */

/* What blank and trimmed mean here. */
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

/* What `path`, absolute or as seen from `dir`, names below the absolute directory `dir`,
 * without "." and ".." and slashes at the end: steps are compared, not prefixes.  0, and
 * *ret_path is the caller's; MCPHOST_E_CONFIG and a static phrase in *ret_why: it leads
 * out of the directory, is the directory itself, or is too long; MCPHOST_E_NOMEM. */
int mcph_chatos_path(const char *dir, struct mcph_span path, char **ret_path,
                     const char **ret_why);

/* ---- shared by the readers of this profile ----------------------------------------- */

struct chatos_reading {
    struct mcph_check *check;
    const char *dir; /* the plugin's */
};

/* What a text must be. */
enum {
    CHATOS_ANY,    /* it may be absent or blank */
    CHATOS_FILLED, /* it may be absent, not blank */
    CHATOS_NEEDED  /* it must be there and not be blank */
};

/* The value of the present path as a trimmed copy; NULL: what is wrong is reported, or
 * memory is short, which the check keeps. */
char *mcph_chatos_read_text(struct chatos_reading *rd, const struct mcph_node *node,
                            int need);
/* The same as a path below the plugin's directory.  `sparing`: a path that leads out of
 * it is an error that costs this key alone. */
char *mcph_chatos_read_path(struct chatos_reading *rd, const struct mcph_node *node,
                            bool sparing);
/* Appends the strings of a list. */
void mcph_chatos_read_texts(struct chatos_reading *rd, const struct mcph_node *list,
                            int need, struct mcph_strings *texts);

/* Members of `map`, likewise.  NULL also where it is absent and need not be there. */
char *mcph_chatos_read_text_at(struct chatos_reading *rd, const struct mcph_node *map,
                               const char *key, int need);
/* The member `id`, which is needed: at most 200 bytes without slashes and control
 * characters, and not "." or "..". */
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

/* `ai.mcp` (chatos_mcp.c).  NULL: an error, which is reported. */
struct mcph_chatos_mcp *mcph_chatos_read_mcp(struct chatos_reading *rd,
                                             const struct mcph_node *node);
struct mcph_chatos_mcp *mcph_chatos_mcp_free(struct mcph_chatos_mcp *mcp);

/* A map with the keys of `ai` (chatos_ai.c).  `in_manifest`: it may have `config`, and a
 * text stands for a map with `config` alone.  NULL: an error that is not sparing. */
struct mcph_chatos_ai *mcph_chatos_read_ai(struct chatos_reading *rd,
                                           const struct mcph_node *node,
                                           bool in_manifest);

#endif
