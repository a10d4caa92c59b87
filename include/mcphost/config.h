/* SPDX-License-Identifier: MIT
 *
 * config.h - a parsed and validated configuration, usable without a host.
 *
 * Loading always gives an object, also when the text is bad: what is wrong
 * stands in its diagnostics, each with file, line, column, key path, and what
 * was expected and found.  mcphost_config_get_status() tells whether the file
 * as a whole is acceptable; a bad server costs that server only.
 *
 * A configuration is immutable and reference-counted; every function here may
 * be called from any thread.  Strings are borrowed and live as long as the
 * object.  No value of `env` or `headers` can be read through this interface,
 * and none stands in a message.
 *
 * mcphost-config(5) describes the file.
 */
#ifndef MCPHOST_CONFIG_H
#define MCPHOST_CONFIG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a server is reached.  Since: 0.1 */
enum mcphost_transport {
    MCPHOST_TRANSPORT_NONE = 0,  /* not known: the entry is invalid or disabled */
    MCPHOST_TRANSPORT_STDIO = 1, /* a child process, over its stdin and stdout */
    MCPHOST_TRANSPORT_STREAMABLE_HTTP = 2, /* streamable HTTP */
    MCPHOST_TRANSPORT_SSE = 3,       /* HTTP+SSE of 2024-11-05, where it is allowed */
    MCPHOST_TRANSPORT_IN_PROCESS = 4 /* a provider, see provider.h */
};

/* The state of a server's entry.  Since: 0.1 */
enum mcphost_config_server_state {
    MCPHOST_CONFIG_SERVER_VALID = 0,
    MCPHOST_CONFIG_SERVER_INVALID = 1, /* its diagnostics say why */
    MCPHOST_CONFIG_SERVER_DISABLED = 2 /* `enabled: false`; not looked at further */
};

/* How bad a diagnostic is.  Since: 0.1 */
enum mcphost_diagnostic_severity {
    MCPHOST_DIAGNOSTIC_ERROR = 1,  /* the file, or the server it names, is rejected; of a
                                    * manual that is too long, the rest of it */
    MCPHOST_DIAGNOSTIC_WARNING = 2 /* probably not what was meant; nothing is rejected */
};

/* Which hash of a server.  Since: 0.1 */
enum mcphost_config_hash {
    MCPHOST_CONFIG_HASH_LAUNCH = 0, /* what decides which process or connection it is */
    MCPHOST_CONFIG_HASH_VIEW = 1 /* what decides how its tools are offered and called */
};

/* What an edit of a server's entry asks for.  Since: 0.1 */
enum mcphost_config_change {
    MCPHOST_CONFIG_CHANGE_NONE = 0,
    MCPHOST_CONFIG_CHANGE_VIEW = 1,  /* its tools are offered or called in another way;
                                      * process and connection stay */
    MCPHOST_CONFIG_CHANGE_LAUNCH = 2 /* another process or connection */
};

/* Bytes of a hash as text, the NUL included.  Since: 0.1 */
enum mcphost_config_size { MCPHOST_CONFIG_HASH_SIZE = 65 };

/*
 * mcphost_config_load_workspace - read DIR/.minds/mcp.yaml.
 *
 * A missing file or a missing `.minds` is an empty configuration without
 * diagnostics.  Relative paths in the file start at `dir`.  *ret_config gets a
 * reference for the caller.  Blocks for the file.
 *
 * Returns 0, also when the content or the file is bad (see
 * mcphost_config_get_status()); MCPHOST_E_INVALID when dir or ret_config is
 * NULL or dir is empty, MCPHOST_E_IO when the current directory cannot be
 * told, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_workspace(const char *dir, MCPHOST_OWNED mcphost_config **ret_config,
                              MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load_file - read `path`, which must exist.
 *
 * `workspace` is where relative paths in the file start; NULL: the current
 * directory.  A missing file gives a configuration whose status is
 * MCPHOST_E_NOTFOUND.  The rest is as mcphost_config_load_workspace().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_file(const char *path, MCPHOST_NULLABLE const char *workspace,
                         MCPHOST_OWNED mcphost_config **ret_config,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load_memory - parse `len` bytes of YAML.
 *
 * `name` stands for the file in diagnostics; NULL: "<memory>".  The rest is as
 * mcphost_config_load_file().
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_load_memory(
    const char *data, size_t len, MCPHOST_NULLABLE const char *name,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load - read a configuration whose servers may have other transports.
 *
 * `transports` are MCPHOST_ALLOW_*, or'ed.  A server with another transport is invalid,
 * and its diagnostic names those that are allowed.  The three functions above allow
 * MCPHOST_ALLOW_STDIO and MCPHOST_ALLOW_STREAMABLE_HTTP.
 *
 * If `data` is not NULL, its `len` bytes are parsed and `file` is their name in
 * diagnostics, as in mcphost_config_load_memory().  Otherwise `file` is read, as in
 * mcphost_config_load_file(); if `file` is NULL too, .minds/mcp.yaml of `workspace` is
 * read, as in mcphost_config_load_workspace().  `workspace` NULL: the current directory.
 *
 * A host that gets the configuration starts only servers whose transport its own
 * MCPHOST_OPT_TRANSPORTS allows.
 *
 * Returns what those functions return; MCPHOST_E_INVALID also when `transports` is 0 or
 * has an unknown bit.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load(MCPHOST_NULLABLE const char *data, size_t len,
                    MCPHOST_NULLABLE const char *file,
                    MCPHOST_NULLABLE const char *workspace, unsigned transports,
                    MCPHOST_OWNED mcphost_config **ret_config,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load_dir - read the files of a directory as one configuration.
 *
 * As a source reads them that follows the directory, see mcphost_source_follow_dir():
 * the servers of all NAME.yaml and NAME.yml of `dir`, each file good or bad on its own.
 * The status is MCPHOST_E_NOTFOUND, MCPHOST_E_IO or MCPHOST_E_LIMIT for the directory; a
 * file that is rejected is in the diagnostics.  `workspace` NULL: the current directory.
 * `transports` are those of mcphost_config_load().
 *
 * Returns as mcphost_config_load(); MCPHOST_E_INVALID also when `dir` is NULL or empty.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_dir(const char *dir, MCPHOST_NULLABLE const char *workspace,
                        unsigned transports, MCPHOST_OWNED mcphost_config **ret_config,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_stdio - a configuration of one stdio server, without a file.
 *
 * `argv` is the program and its arguments, ended by NULL; a program without a
 * slash is looked up in PATH when it is started.  Everything else has its
 * default.  `workspace` is the server's directory; NULL: the current one.
 *
 * Returns 0, MCPHOST_E_INVALID when id, argv, argv[0] or ret_config is NULL or
 * the id or program is blank, MCPHOST_E_IO, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_new_stdio(const char *id, const char *const *argv,
                         MCPHOST_NULLABLE const char *workspace,
                         MCPHOST_OWNED mcphost_config **ret_config,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_http - a configuration of one server at a URL, without a file.
 *
 * `url` is absolute, http or https.  `headers` (NULL: none) are texts "Name: value",
 * ended by NULL, that go with every request; those that the protocol itself sets are
 * left out.  Everything else has its default; for a proxy, an authority or a limit, give
 * the entry as JSON to mcphost_config_load_memory().  `workspace`: as above.
 *
 * Returns 0, MCPHOST_E_INVALID when id, url or ret_config is NULL, the id or URL is
 * blank or a header is no header, MCPHOST_E_CONFIG (not an http or https URL),
 * MCPHOST_E_IO, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_new_http(
    const char *id, const char *url, MCPHOST_NULLABLE const char *const *headers,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_sse - the same of a server that speaks HTTP+SSE of 2024-11-05.
 *
 * `url` is that of its stream of events.  A host starts the server if its
 * MCPHOST_OPT_TRANSPORTS has MCPHOST_ALLOW_SSE.  The rest is as
 * mcphost_config_new_http().
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_new_sse(
    const char *id, const char *url, MCPHOST_NULLABLE const char *const *headers,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The eras of the protocol.  Since: 0.1 */
enum mcphost_era {
    MCPHOST_ERA_AUTO = 0,   /* ask with server/discover, fall back to initialize */
    MCPHOST_ERA_LEGACY = 1, /* revisions up to 2025-11-25: begin with initialize */
    MCPHOST_ERA_MODERN = 2  /* revisions from 2026-07-28 on: server/discover alone */
};

/*
 * mcphost_config_set_era - which revisions of the protocol the server speaks.
 *
 * For a configuration that mcphost_config_new_stdio(), mcphost_config_new_http() or
 * mcphost_config_new_sse() has just made: without this call the era is
 * MCPHOST_ERA_AUTO.  In a file the key `era` says it.
 *
 * Returns 0, MCPHOST_E_INVALID when config is NULL, era is none of MCPHOST_ERA_* or
 * is MCPHOST_ERA_MODERN for a server over HTTP+SSE, MCPHOST_E_STATE when the
 * configuration comes from a file or from memory, or when a host or another holder has
 * a reference, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_set_era(mcphost_config *config, int era);

/*
 * mcphost_config_pick_server - a configuration of one server of this one.
 *
 * Its entry as it is, valid or not, with its diagnostics, to start that server alone.
 * *ret_config gets a reference.
 *
 * Returns 0, MCPHOST_E_NOTFOUND when it is not declared (also where the whole is
 * rejected), MCPHOST_E_INVALID when an argument is NULL, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_pick_server(const mcphost_config *config, const char *id,
                                           MCPHOST_OWNED mcphost_config **ret_config);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_config *
mcphost_config_ref(MCPHOST_NULLABLE mcphost_config *config);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_config *
mcphost_config_unref(MCPHOST_NULLABLE mcphost_config *config);

/*
 * mcphost_config_get_status - whether the configuration as a whole holds.
 *
 * Returns 0, also when single servers are invalid; MCPHOST_E_CONFIG when the
 * content is rejected, MCPHOST_E_IO or MCPHOST_E_NOTFOUND when the file cannot
 * be read, MCPHOST_E_LIMIT when it is too large; then there are no servers, and
 * the diagnostics say why.  MCPHOST_E_INVALID when config is NULL.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_config_get_status(const mcphost_config *config);

/* The file as it was given, or NULL for one that came from no file.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_get_file(const mcphost_config *config);

/* The directory where relative paths start, absolute.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_get_workspace(const mcphost_config *config);

/* ---- servers, in the order of the file --------------------------------------------- */

/* How many server entries there are, invalid and disabled ones included.
 * Since: 0.1 */
MCPHOST_API size_t mcphost_config_count_servers(const mcphost_config *config);

/*
 * mcphost_config_find_server - the index of a server by its id.
 *
 * *ret_index gets it.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_INVALID when an
 * argument is NULL.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_find_server(const mcphost_config *config, const char *id,
                                           size_t *ret_index);

/* The server's id, or NULL beyond the last.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_server_get_id(const mcphost_config *config, size_t index);

/* MCPHOST_CONFIG_SERVER_*, or MCPHOST_E_INVALID beyond the last.  Since: 0.1 */
MCPHOST_API int mcphost_config_server_get_state(const mcphost_config *config,
                                                size_t index);

/* MCPHOST_TRANSPORT_*: of a valid server never NONE; of the others what the
 * entry says, as far as it can be read.  NONE beyond the last.  Since: 0.1 */
MCPHOST_API int mcphost_config_server_get_transport(const mcphost_config *config,
                                                    size_t index);

/* The file that declares the server; NULL: no file does, or beyond the last.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_server_get_file(const mcphost_config *config, size_t index);

/* Where the entry stands in the file, counted from 1; 0 when it came from no
 * file, and beyond the last.  Since: 0.1 */
MCPHOST_API int mcphost_config_server_get_line(const mcphost_config *config,
                                               size_t index);

/*
 * mcphost_config_server_get_hash - one of a valid server's two hashes.
 *
 * They do not depend on the order of keys in a map, nor on the values of
 * variables named by {env: NAME}.  `key` and `key_len` key the hash
 * (HMAC-SHA-256), so that what is shown or stored cannot be used to guess a
 * secret that stands in the file: give 16 or more random bytes and keep them
 * where the hashes are kept.  ret_hex gets MCPHOST_CONFIG_HASH_SIZE bytes.
 *
 * Returns 0; MCPHOST_E_INVALID when an argument is NULL, the key is shorter
 * than 16 bytes, `which` is unknown or index is beyond the last;
 * MCPHOST_E_STATE when the server is not valid; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_get_hash(const mcphost_config *config, size_t index,
                                               int which, const void *key, size_t key_len,
                                               char *ret_hex);

/*
 * mcphost_config_server_compare - what an edit changed in one server's entry.
 *
 * ret_keys, which may be NULL, gets at most `size` bytes, the NUL included: the keys
 * that differ, parted by ", ", such as "args, env.MODE".  Variables and headers
 * are named, no value is.  What does not fit whole is left out, "..." stands for it.
 *
 * Returns MCPHOST_CONFIG_CHANGE_*; MCPHOST_E_NOTFOUND when one of the two does not
 * declare the server, MCPHOST_E_STATE when it is not valid in one of them,
 * MCPHOST_E_INVALID when `from`, `to` or `id` is NULL or ret_keys has fewer than 4
 * bytes, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_compare(const mcphost_config *from,
                                              const mcphost_config *to, const char *id,
                                              MCPHOST_NULLABLE char *ret_keys,
                                              size_t size);

/*
 * mcphost_config_server_make_json - the keys that are set in one server's entry.
 *
 * For people and logs: an object with the keys of mcphost-config(5), those of a map as
 * "tls.caFile", without keys that have their default.  Paths are absolute, times are
 * seconds.  "(hidden)" stands for what may be a secret: literal values of variables,
 * headers, proxy and keyPassword, the session, and of the URL userinfo and query.
 * Arguments are shown.
 *
 * *ret_json is the caller's: mcphost_free().
 *
 * Returns 0; MCPHOST_E_INVALID when config or ret_json is NULL or index is beyond the
 * last; MCPHOST_E_STATE when the server is not valid; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_make_json(const mcphost_config *config,
                                                size_t index,
                                                MCPHOST_OWNED char **ret_json,
                                                MCPHOST_NULLABLE size_t *ret_len);

/* ---- editing the file -------------------------------------------------------------- */

/*
 * mcphost_config_file_set_enabled - write `enabled` of one server into a file.
 *
 * No other byte of it changes, comments included; an `enabled` that is missing is put
 * in.  The file is replaced in one step and keeps its owner and mode.  A host that
 * follows it notices.  Blocks for the file.
 *
 * Returns 1; 0 when the file says so already and is left alone; MCPHOST_E_NOTFOUND
 * (no such file or server), MCPHOST_E_CONFIG (not readable as a configuration, or the
 * server is an alias or used by one), MCPHOST_E_IO, MCPHOST_E_LIMIT, MCPHOST_E_STATE
 * (another process goes on saving it), MCPHOST_E_INVALID when `path` or `id` is NULL or
 * empty, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_file_set_enabled(const char *path, const char *id, int enabled,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- diagnostics, in the order of the file ----------------------------------------- */

/* How many diagnostics there are.  Since: 0.1 */
MCPHOST_API size_t mcphost_config_count_diagnostics(const mcphost_config *config);

/* MCPHOST_DIAGNOSTIC_*, or MCPHOST_E_INVALID beyond the last.  Since: 0.1 */
MCPHOST_API int mcphost_config_diagnostic_get_severity(const mcphost_config *config,
                                                       size_t index);

/* One line: the key path, what was expected and what was found.  NULL beyond
 * the last.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_message(const mcphost_config *config, size_t index);

/* The key path alone, such as servers.web.args[1]; "" for the whole file; NULL
 * beyond the last.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_key(const mcphost_config *config, size_t index);

/* The id of the server that it concerns, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_server_id(const mcphost_config *config, size_t index);

/* The file, or the name given instead; NULL beyond the last.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_file(const mcphost_config *config, size_t index);

/* Line and column, counted from 1; 0 when it concerns no place.  Since: 0.1 */
MCPHOST_API int mcphost_config_diagnostic_get_line(const mcphost_config *config,
                                                   size_t index);
MCPHOST_API int mcphost_config_diagnostic_get_column(const mcphost_config *config,
                                                     size_t index);

#ifdef __cplusplus
}
#endif
#endif
