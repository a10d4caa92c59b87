/* SPDX-License-Identifier: MIT
 *
 * config.h - read, check and make configurations, with or without a host.
 *
 * A configuration is a list of servers in the order of the file, and a list of
 * diagnostics.  Loading makes a configuration even if the text that is loaded is bad.
 * The diagnostics describe the errors of the text.  Each diagnostic has a message and the
 * name of the file or text.  A diagnostic about a place in the text also has line, column
 * and key path.  mcphost_config_get_status() says whether the configuration as a whole is
 * accepted.  An error in the entry of one server makes only that server invalid.
 *
 * A configuration is reference-counted.  After it is made, only mcphost_config_set_era()
 * changes it.  Strings that getters return are borrowed, and live as long as the
 * configuration.  No function returns a value of `env` or `headers`.  No message contains
 * these values.
 *
 * mcphost-config(5) describes the file.
 */
#ifndef MCPHOST_CONFIG_H
#define MCPHOST_CONFIG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The transport over which the host reaches a server.  Since: 0.1 */
enum mcphost_transport {
    /* not known: no entry declares the server, or the entry names no transport, several
     * transports, or a transport that is not allowed */
    MCPHOST_TRANSPORT_NONE = 0,
    MCPHOST_TRANSPORT_STDIO = 1, /* a child process, over its stdin and stdout */
    MCPHOST_TRANSPORT_STREAMABLE_HTTP = 2, /* a server at a URL, over streamable HTTP */
    MCPHOST_TRANSPORT_SSE = 3,       /* HTTP+SSE of 2024-11-05, where it is allowed */
    MCPHOST_TRANSPORT_IN_PROCESS = 4 /* a provider, see provider.h */
};

/* The state of a server's entry.  Since: 0.1 */
enum mcphost_config_server_state {
    MCPHOST_CONFIG_SERVER_VALID = 0,   /* the server can be started */
    MCPHOST_CONFIG_SERVER_INVALID = 1, /* the entry is wrong; a diagnostic says why */
    MCPHOST_CONFIG_SERVER_DISABLED = 2 /* `enabled: false`; other keys are not read */
};

/* The severity of a diagnostic.  Since: 0.1 */
enum mcphost_diagnostic_severity {
    /* the library rejects the file, the server that the diagnostic names, a second
     * declaration of that server, or the end of a manual that is too long */
    MCPHOST_DIAGNOSTIC_ERROR = 1,
    /* the library rejects nothing, but the text is probably a mistake */
    MCPHOST_DIAGNOSTIC_WARNING = 2
};

/* The two hashes of a server.  Since: 0.1 */
enum mcphost_config_hash {
    /* a hash of the keys that decide how the host starts or reaches the server */
    MCPHOST_CONFIG_HASH_LAUNCH = 0,
    /* a hash of the keys that decide how the server's tools are offered and called */
    MCPHOST_CONFIG_HASH_VIEW = 1
};

/* The action that an edit of a server's entry requires.  Since: 0.1 */
enum mcphost_config_change {
    MCPHOST_CONFIG_CHANGE_NONE = 0, /* nothing; both entries have the same meaning */
    /* the host offers or calls the tools in another way, and keeps the process and the
     * connection */
    MCPHOST_CONFIG_CHANGE_VIEW = 1,
    MCPHOST_CONFIG_CHANGE_LAUNCH = 2 /* a new process or connection */
};

/* Sizes of texts.  Since: 0.1 */
enum mcphost_config_size {
    MCPHOST_CONFIG_HASH_SIZE = 65 /* bytes of a hash: 64 hexadecimal digits and a NUL */
};

/*
 * mcphost_config_load_workspace - read DIR/.minds/mcp.yaml.
 *
 * If the file or `.minds` is missing, the configuration is empty and has no diagnostics.
 * Relative paths in the file are resolved against `dir`.
 *
 * The function stores a configuration even if the file is bad or cannot be read: see
 * mcphost_config_get_status().  It blocks while it reads.
 *
 * Errors: MCPHOST_E_INVALID (`dir` is empty), MCPHOST_E_IO (the current directory cannot
 *   be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_workspace(const char *dir, MCPHOST_OWNED mcphost_config **ret_config,
                              MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load_file - read the configuration file `path`.
 *
 * If the file is missing, the status of the configuration is MCPHOST_E_NOTFOUND.
 * Relative paths in the file are resolved against `workspace`, or against the current
 * directory if `workspace` is NULL.
 *
 * The function stores a configuration even if the file is bad or cannot be read: see
 * mcphost_config_get_status().  It blocks while it reads.
 *
 * Errors: MCPHOST_E_INVALID (`path` is empty), MCPHOST_E_IO (the current directory cannot
 *   be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_file(const char *path, MCPHOST_NULLABLE const char *workspace,
                         MCPHOST_OWNED mcphost_config **ret_config,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load_memory - parse `len` bytes of YAML.
 *
 * `name` is the name of the text in diagnostics.  If it is NULL, the name is "<memory>".
 * Relative paths in the text are resolved against `workspace`, or against the current
 * directory if `workspace` is NULL.  `data` may be NULL if `len` is 0.
 *
 * The function stores a configuration even if the text is bad: see
 * mcphost_config_get_status().
 *
 * Errors: MCPHOST_E_INVALID (`data` is NULL and `len` is not 0), MCPHOST_E_IO (the
 *   current directory cannot be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_load_memory(
    MCPHOST_NULLABLE const char *data, size_t len, MCPHOST_NULLABLE const char *name,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_load - read a configuration whose servers may have the given transports.
 *
 * `transports` are MCPHOST_ALLOW_*, or'ed.  A server with another transport is invalid.
 * The diagnostic names the transports that are allowed.  mcphost_config_load_workspace(),
 * mcphost_config_load_file() and mcphost_config_load_memory() allow MCPHOST_ALLOW_STDIO
 * and MCPHOST_ALLOW_STREAMABLE_HTTP.
 *
 * If `data` is not NULL, the function parses its `len` bytes as
 * mcphost_config_load_memory() does.  In this case, `file` is the name of the text in
 * diagnostics.  If `data` is NULL, the function reads `file` as
 * mcphost_config_load_file() does.  If `data` and `file` are NULL, the function reads
 * .minds/mcp.yaml of `workspace` as mcphost_config_load_workspace() does.  If `workspace`
 * is NULL, the current directory is used.
 *
 * A host that gets the configuration starts only servers whose transport its own
 * MCPHOST_OPT_TRANSPORTS allows.
 *
 * Errors: MCPHOST_E_INVALID (a path is empty, or `transports` is 0 or has an unknown
 *   bit), MCPHOST_E_IO (the current directory cannot be determined), MCPHOST_E_NOMEM.
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
 * The configuration has the servers of all files NAME.yaml and NAME.yml of `dir`, like a
 * source that follows the directory (mcphost_source_follow_dir()).  Each file is accepted
 * or rejected by itself.  A rejected file has a diagnostic.  The status is 0 even if
 * files are rejected.  The status is negative if the directory itself cannot be read or
 * has more than 1,000 files of these names.
 *
 * Relative paths in the files are resolved against `workspace`, or against the current
 * directory if `workspace` is NULL.  `transports` are as in mcphost_config_load().  The
 * function blocks while it reads.
 *
 * Errors: MCPHOST_E_INVALID (a path is empty, or `transports` is 0 or has an unknown
 *   bit), MCPHOST_E_IO (the current directory cannot be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_load_dir(const char *dir, MCPHOST_NULLABLE const char *workspace,
                        unsigned transports, MCPHOST_OWNED mcphost_config **ret_config,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_stdio - make a configuration of one stdio server, without a file.
 *
 * `argv` is the program and its arguments, ended by NULL.  If the program has no slash,
 * the host searches the server's PATH for it at each start.  Any other relative path of a
 * program is resolved against `workspace`.  The server runs in the directory `workspace`.
 * If `workspace` is NULL, the current directory is used.  All other keys have their
 * defaults.
 *
 * Errors: MCPHOST_E_INVALID (the id or the program is blank), MCPHOST_E_IO (the current
 *   directory cannot be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_new_stdio(const char *id, const char *const *argv,
                         MCPHOST_NULLABLE const char *workspace,
                         MCPHOST_OWNED mcphost_config **ret_config,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_http - make a configuration of one server at a URL, without a file.
 *
 * `url` is an absolute http or https URL.  `headers` is an array of texts "Name: value"
 * that ends with NULL, or NULL for no headers.  The host sends the headers with every
 * request, but leaves out headers that the protocol itself sets.  All other keys have
 * their defaults.  For a proxy, an authority or a limit, give the entry as JSON to
 * mcphost_config_load_memory().  `workspace` is the configuration's directory.  If it is
 * NULL, the current directory is used.
 *
 * Errors: MCPHOST_E_INVALID (the id or the URL is blank, or a header does not have the
 *   form "Name: value"), MCPHOST_E_CONFIG (the URL is not an absolute http or https URL),
 *   MCPHOST_E_IO (the current directory cannot be determined), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_new_http(
    const char *id, const char *url, MCPHOST_NULLABLE const char *const *headers,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_config_new_sse - make a configuration of one server that speaks HTTP+SSE of
 * 2024-11-05, without a file.
 *
 * `url` is the address of the server's stream of events.  A host starts the server if the
 * host's MCPHOST_OPT_TRANSPORTS has MCPHOST_ALLOW_SSE.  The other arguments are as in
 * mcphost_config_new_http().
 *
 * Errors: those of mcphost_config_new_http().
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_new_sse(
    const char *id, const char *url, MCPHOST_NULLABLE const char *const *headers,
    MCPHOST_NULLABLE const char *workspace, MCPHOST_OWNED mcphost_config **ret_config,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* The eras of the protocol: groups of revisions that begin a connection in the same way.
 * Since: 0.1 */
enum mcphost_era {
    MCPHOST_ERA_AUTO = 0,   /* the host tries server/discover first, then initialize */
    MCPHOST_ERA_LEGACY = 1, /* revisions up to 2025-11-25, which begin with initialize */
    MCPHOST_ERA_MODERN = 2  /* revisions from 2026-07-28 on, which begin with
                             * server/discover */
};

/*
 * mcphost_config_set_era - set which revisions of the protocol the server speaks.
 *
 * `config` comes from mcphost_config_new_stdio(), mcphost_config_new_http() or
 * mcphost_config_new_sse().  The caller has the only reference to `config`.  Without this
 * call the era is MCPHOST_ERA_AUTO.  In a file, the key `era` sets the era.
 *
 * Errors: MCPHOST_E_INVALID (`era` is none of MCPHOST_ERA_*, or is MCPHOST_ERA_MODERN for
 *   a server over HTTP+SSE), MCPHOST_E_STATE (another function made the configuration, or
 *   the configuration has a second reference), MCPHOST_E_NOMEM.
 * Thread: one thread, while no other thread uses the configuration.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_set_era(mcphost_config *config, int era);

/*
 * mcphost_config_pick_server - make a configuration of one server of another
 * configuration.
 *
 * The new configuration has the server's entry, valid or not, and the diagnostics of the
 * entry.  A host that gets the new configuration starts only that server.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the configuration declares no server of
 *   this id, or is rejected as a whole), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_pick_server(const mcphost_config *config, const char *id,
                                           MCPHOST_OWNED mcphost_config **ret_config);

/* Takes a reference to `config`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_config *
mcphost_config_ref(MCPHOST_NULLABLE mcphost_config *config);

/* Drops a reference to `config`.  Dropping the last reference frees the configuration.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_config *
mcphost_config_unref(MCPHOST_NULLABLE mcphost_config *config);

/*
 * mcphost_config_get_status - say whether the configuration as a whole is accepted.
 *
 * A rejected configuration has no servers.  Its diagnostics give the reason.
 *
 * Returns: 0 if the configuration as a whole is accepted, even if single servers are
 *   invalid.  Otherwise the function returns MCPHOST_E_CONFIG (the content is rejected),
 *   MCPHOST_E_NOTFOUND (the file, the directory or the workspace is missing),
 *   MCPHOST_E_IO (the file or the directory cannot be read), MCPHOST_E_LIMIT (the text is
 *   larger than 1 MiB, or than 16 MiB for mcphost_mcpservers_load(), the directory has
 *   more than 1,000 files, or the process has too many open files) or MCPHOST_E_INVALID
 *   (`config` is NULL).
 * Since: 0.1
 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_config_get_status(const mcphost_config *config);

/* Returns the name of the file that was read (the name that the caller gave, or the path
 * of .minds/mcp.yaml), or NULL if the configuration does not come from a single file.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_get_file(const mcphost_config *config);

/* Returns the absolute path of the directory against which relative paths are resolved.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_get_workspace(const mcphost_config *config);

/* ---- servers, in the order of the file --------------------------------------------- */

/* Returns the number of servers in the configuration, including invalid and disabled
 * servers.  Since: 0.1 */
MCPHOST_API size_t mcphost_config_count_servers(const mcphost_config *config);

/*
 * mcphost_config_find_server - find the index of a server by its id.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (the configuration declares no
 *   server of this id).
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_find_server(const mcphost_config *config, const char *id,
                                           size_t *ret_index);

/* Returns the id of the server at `index`, or NULL if `index` is too large.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_server_get_id(const mcphost_config *config, size_t index);

/*
 * mcphost_config_server_get_state - get the state of a server's entry.
 *
 * Returns: the state of the entry, one of MCPHOST_CONFIG_SERVER_*.
 * Errors: MCPHOST_E_INVALID (`index` is too large).
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_get_state(const mcphost_config *config,
                                                size_t index);

/*
 * mcphost_config_server_get_transport - get the transport of a server.
 *
 * For a server that is not valid, the function returns the transport that the entry
 * names, if this part of the entry can be read.
 *
 * Returns: the transport, one of MCPHOST_TRANSPORT_*, or MCPHOST_TRANSPORT_NONE if the
 *   entry names no transport, a transport that the application does not allow, or a
 *   transport and a provider, or if `index` is too large.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_get_transport(const mcphost_config *config,
                                                    size_t index);

/* Returns the name of the file that declares the server, or NULL if no file declares
 * the server or if `index` is too large.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_server_get_file(const mcphost_config *config, size_t index);

/* Returns the line at which the entry of the server begins, counted from 1, or 0 if the
 * entry was not read from a text or if `index` is too large.  Since: 0.1 */
MCPHOST_API int mcphost_config_server_get_line(const mcphost_config *config,
                                               size_t index);

/*
 * mcphost_config_server_get_hash - make one of the two hashes of a valid server.
 *
 * `which` is MCPHOST_CONFIG_HASH_*.  The hashes of two servers are equal if their keys of
 * this kind have the same values.  The order of keys in a map makes no difference.  A key
 * that the entry does not have is not in the hash, except `cwd`, whose default is the
 * path of the workspace.  If a value is {env: NAME}, the hash depends on the name, not on
 * the variable's value.
 *
 * The hash is an HMAC-SHA-256 with the caller's `key`.  Without the bytes of `key`,
 * nobody can find out from a stored hash whether a guessed secret is in the file.  Use 16
 * or more random bytes as `key`, and keep them where the hashes are kept.  `ret_hex` gets
 * MCPHOST_CONFIG_HASH_SIZE bytes.
 *
 * Errors: MCPHOST_E_INVALID (the key is shorter than 16 bytes, the argument `which` is
 *   not one of MCPHOST_CONFIG_HASH_*, or `index` is too large), MCPHOST_E_STATE (the
 *   server is not valid), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_get_hash(const mcphost_config *config, size_t index,
                                               int which, const void *key, size_t key_len,
                                               char *ret_hex);

/*
 * mcphost_config_server_compare - compare a server's entry before and after an edit.
 *
 * `ret_keys` gets the keys that differ, separated by ", ", as in "args, env.MODE".  The
 * text names variables and headers, but does not show their values.  The text takes at
 * most `size` bytes, its NUL included.  Keys that do not fit whole are left out, and
 * "..." takes their place.
 *
 * Returns: the consequence of the edit, one of MCPHOST_CONFIG_CHANGE_*.
 * Errors: MCPHOST_E_INVALID (`ret_keys` has fewer than 4 bytes), MCPHOST_E_NOTFOUND (one
 *   of the two configurations does not declare the server), MCPHOST_E_STATE (the server
 *   is not valid in one of the two configurations), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_server_compare(const mcphost_config *from,
                                              const mcphost_config *to, const char *id,
                                              MCPHOST_NULLABLE char *ret_keys,
                                              size_t size);

/*
 * mcphost_config_server_make_json - show the keys that are set in a server's entry.
 *
 * The text is for people and logs.  It is an object with the keys of mcphost-config(5).
 * A key in a map has the map's name in front, as in "tls.caFile".  Keys that the entry
 * does not have are left out, except `cwd` and, for a provider, `truely-stateless`,
 * `era`, `arguments` and `results`.  Paths are absolute, and times are in seconds.
 *
 * "(hidden)" takes the place of texts that can be secrets: the literal values of
 * variables, headers, `proxy`, `keyPassword`, `clientId`, `clientSecret`, `assertion` and
 * `idpClientSecret`, the session id, `callMeta`, and the userinfo and the query of the
 * URL.  Arguments are shown.
 *
 * Free *ret_json with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (`index` is too large), MCPHOST_E_STATE (the server is not
 *   valid), MCPHOST_E_NOMEM.
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
 * No other byte of the file changes, comments included.  If the key `enabled` is missing,
 * the function adds it.  The file is replaced in one step and keeps its owner and mode.
 * A host that follows the file notices the change.  The function blocks while it reads
 * and writes.
 *
 * Returns: 1 if the file was changed, 0 if the file already has this value.
 * Errors: MCPHOST_E_INVALID (`path` or `id` is empty), MCPHOST_E_NOTFOUND (the file
 *   does not exist, or has no server of this id), MCPHOST_E_CONFIG (the file is no
 *   configuration, or `enabled` cannot be changed alone, as in a server that is a YAML
 *   alias or that an alias uses), MCPHOST_E_IO (the file cannot be read or replaced, or
 *   the current directory cannot be determined), MCPHOST_E_LIMIT (the file is larger than
 *   1 MiB, or would become larger, or the process has too many open files),
 *   MCPHOST_E_STATE (another process keeps saving the file), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_config_file_set_enabled(const char *path, const char *id, int enabled,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- diagnostics, in the order of the file ----------------------------------------- */

/* Returns the number of diagnostics of the configuration.  Since: 0.1 */
MCPHOST_API size_t mcphost_config_count_diagnostics(const mcphost_config *config);

/*
 * mcphost_config_diagnostic_get_severity - get the severity of a diagnostic.
 *
 * Returns: the severity, one of MCPHOST_DIAGNOSTIC_*.
 * Errors: MCPHOST_E_INVALID (`index` is too large).
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_diagnostic_get_severity(const mcphost_config *config,
                                                       size_t index);

/* Returns the message of the diagnostic, or NULL if `index` is too large.  The message is
 * one line.  A message about a key begins with the key path.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_message(const mcphost_config *config, size_t index);

/* Returns the key path of the diagnostic, as in "servers.web.args[1]", or "" if the
 * diagnostic is about the whole file, or NULL if `index` is too large.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_key(const mcphost_config *config, size_t index);

/* Returns the id of the server that the diagnostic is about, or NULL if the diagnostic is
 * about no server or if `index` is too large.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_server_id(const mcphost_config *config, size_t index);

/* Returns the name of the file or of the text that the diagnostic is about, or NULL if
 * `index` is too large.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_config_diagnostic_get_file(const mcphost_config *config, size_t index);

/*
 * mcphost_config_diagnostic_get_line, mcphost_config_diagnostic_get_column - get the
 * place that a diagnostic is about.
 *
 * Returns: the line or the column, counted from 1, or 0 if the diagnostic is about no
 *   place in the text or if `index` is too large.
 * Since: 0.1
 */
MCPHOST_API int mcphost_config_diagnostic_get_line(const mcphost_config *config,
                                                   size_t index);
MCPHOST_API int mcphost_config_diagnostic_get_column(const mcphost_config *config,
                                                     size_t index);

#ifdef __cplusplus
}
#endif
#endif
