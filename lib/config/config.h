/* SPDX-License-Identifier: MIT
 *
 * config.h - interface of lib/config: the server spec, one in-memory model for every
 * source of configuration.
 *
 * lib/config contains the values that may come from variables, the two hashes of a
 * spec, and the workspace model with its diagnostics.  It also contains the YAML and
 * JSON readers that keep line and column, the writer that changes one value of a file,
 * and the interface of sources.  A profile decides which keys a file may have.
 * lib/config starts nothing, reads no environment and no file, and puts no value of env
 * or headers into a message.
 */
#ifndef MCPH_CONFIG_H
#define MCPH_CONFIG_H

#include "base/base.h"
#include "json/json.h"
#include "names/names.h"

#include <mcphost/config.h>
#include <mcphost/policy.h>

/* ---- values of env, headers and other keys (value.c) ----------------------------------
 * A value belongs to a name.  It is a literal text, the contents of a variable ({env:
 * OLD}), or a text followed by the contents of a variable ({prefix, env}).  The value
 * is resolved at each start of the server, never when the file is parsed (R15).  A
 * variable that is set but empty counts as present (B.4). */

struct mcph_value {
    char *name; /* the target: the name of a variable or a header */
    char *text; /* the literal, or the prefix if `env` is set; never NULL */
    char *env;  /* the variable to read, or NULL for a literal */
};

struct mcph_values {
    struct mcph_value *items; /* in file order */
    size_t n;
};

int mcph_values_add(struct mcph_values *values, const char *name, const char *text,
                    const char *env); /* copies texts; returns 0 or MCPHOST_E_NOMEM */
void mcph_values_done(struct mcph_values *values);

/* Looks up a variable of the host's environment.  Returns NULL if the variable is not
 * set.  The caller copies the text before the next call. */
typedef const char *(*mcph_env_lookup_fn)(const char *name, void *arg);

struct mcph_pair {
    char *name, *text;
};

struct mcph_pairs {
    struct mcph_pair *items;
    size_t n;
};

void mcph_pairs_done(struct mcph_pairs *pairs); /* wipes the texts, because texts may
                                                 * be secret */

struct mcph_spec;

/* Resolves `values`, a field of `spec`, into pairs of name and text, in file order.  A
 * missing variable gives MCPHOST_E_CONFIG with a message that names server, variable and
 * target key (R16).  A text that the field's key does not allow, such as a header with a
 * control character, gives MCPHOST_E_CONFIG too.  *ret_pairs is set only on success and
 * belongs to the caller. */
int mcph_spec_resolve(const struct mcph_spec *spec, const struct mcph_values *values,
                      mcph_env_lookup_fn lookup, void *arg, struct mcph_pairs *ret_pairs,
                      mcphost_error **reterr);

/* ---- texts with variables (expand.c) --------------------------------------------------
 * A text may contain "${NAME}", or "${NAME:-text}" with a default for an unset variable.
 * In a spec with variables, a path or program may begin with a variable.  A URL that
 * contains a variable is normalized when the server starts, not when the file is read. */

enum {
    MCPH_VARIABLES_NONE,   /* "${NAME}" is ordinary text */
    MCPH_VARIABLES_NEEDED, /* a server with an unset variable does not start */
    MCPH_VARIABLES_EMPTY   /* an unset variable counts as an empty text */
};

bool mcph_text_has_variables(const char *text);
/* Makes the spec of one start.  If spec->variables is MCPH_VARIABLES_NONE, *ret is a new
 * reference to `spec`.  Otherwise *ret is a copy of the launch keys in which all
 * variables are replaced.  The copy is not sealed and belongs to the caller alone.
 * Returns 0, MCPHOST_E_CONFIG (a variable is not set, or an expanded text is not a URL or
 * not an absolute path), MCPHOST_E_LIMIT or MCPHOST_E_NOMEM.  The error has the server,
 * the place and the key. */
int mcph_spec_expand(struct mcph_spec *spec, mcph_env_lookup_fn lookup, void *arg,
                     struct mcph_spec **ret, mcphost_error **reterr);

/* ---- transports (transports.c) --------------------------------------------------------
 * The table has one row for each MCPHOST_TRANSPORT_*.  Code tests a property of a row
 * instead of comparing transports.  A new transport needs a row and, for a new carrier, a
 * function in pool/start.c. */

enum {
    MCPH_CARRIER_NONE,
    MCPH_CARRIER_CHILD,    /* a child process, over its stdin and stdout */
    MCPH_CARRIER_HTTP,     /* requests on the HTTP engine */
    MCPH_CARRIER_PROVIDER, /* a provider, in memory */
    MCPH_N_CARRIERS
};

struct mcph_transport_kind {
    unsigned allowed_by; /* the MCPHOST_ALLOW_* that permits the transport, or 0 if no
                          * file can name the transport */
    int carrier;         /* MCPH_CARRIER_* */
    int fallback;        /* the transport to try, if allowed, when the server refuses
                          * this transport; or NONE */
    bool has_process;    /* takes command, args, env, cwd and containment */
    bool has_url;        /* takes url, headers, proxy, tls and credentials */
    bool has_session_id; /* takes sessionId, because a connection can join a session */
    bool has_headers;    /* a tool's schema may put arguments into headers */
    bool keeps_state;    /* in every era, the server can keep state for the dialog that
                          * uses the connection */
    bool is_pinged;      /* is pinged, because a silent peer may hang */
    bool is_one_stream;  /* all answers come on the stream of the first request */
    bool is_legacy;      /* not part of modern protocol versions */
};

#define MCPH_N_TRANSPORTS (MCPHOST_TRANSPORT_IN_PROCESS + 1)

extern const struct mcph_transport_kind mcph_transport_kinds[MCPH_N_TRANSPORTS];

/* Returns the row of any MCPHOST_TRANSPORT_*.  The row of NONE has no property. */
static inline const struct mcph_transport_kind *
mcph_transport_kind(int transport)
{
    return &mcph_transport_kinds[transport];
}
/* Checks whether `allowed`, a set of MCPHOST_ALLOW_* bits, permits the transport. */
bool mcph_transport_allowed(unsigned allowed, int transport);
unsigned mcph_transports_known(void); /* returns every MCPHOST_ALLOW_* of the table */
/* Writes the allowed transports for a message, such as "'stdio' or 'streamable_http'", in
 * at most MCPH_TRANSPORTS_TEXT bytes. */
#define MCPH_TRANSPORTS_TEXT 128
void mcph_transports_text(unsigned allowed, char ret[MCPH_TRANSPORTS_TEXT]);
#define MCPH_TRANSPORTS_USUAL (MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP)

/* ---- options (option.c) ------------------------------------------------------------ */

#define MCPH_OPTIONS 96 /* greater than the value of each MCPHOST_OPT_* */

/* The kind of an option's value. */
enum {
    MCPH_OPTION_MS,
    MCPH_OPTION_COUNT,
    MCPH_OPTION_BYTES,
    MCPH_OPTION_BOOL,
    MCPH_OPTION_CHOICE, /* one value of an enumeration */
    MCPH_OPTION_FLAGS   /* values of an enumeration, or'ed */
};

enum {
    MCPH_OPTION_OF_SOURCE = 1, /* each source may set its own value; an option without
                                * this flag belongs to the host */
    MCPH_OPTION_ANY_TIME = 2   /* may also be set after the host is loaded */
};

struct mcph_option {
    int number; /* MCPHOST_OPT_* */
    int kind;
    int64_t min, max; /* the range of a number; an option of the kind FLAGS uses only
                       * `min` */
    int64_t fallback; /* the default */
    int values;       /* MCPHOST_ENUM_* with the values of CHOICE and FLAGS, or further
                       * values of a number; or 0 */
    unsigned flags;
    const char *room; /* a directory of lib that uses the option */
};

const struct mcph_option *mcph_option_at(size_t index); /* returns NULL past the end */
const struct mcph_option *mcph_option_find(int number); /* returns NULL if unknown */
/* Appends the allowed values, for example "milliseconds from 0 to 600000". */
void mcph_option_expected(const struct mcph_option *option, struct mcph_buf *buf);
/* Checks the value of an option.  Returns 0, MCPHOST_E_INVALID (no option has this
 * number, or the option does not allow the value) or MCPHOST_E_NOMEM.  If the value is
 * not allowed, the error names the option and its allowed values. */
int mcph_option_check(int number, int64_t value, mcphost_error **reterr);

/* ---- the spec (spec.c, hash.c, key.c, shipped.c) --------------------------------------
 * One thread builds and seals a spec.  A sealed spec is immutable and shared by all
 * threads. */

struct mcph_strings {
    char **items; /* `n` texts, then NULL; or NULL if `n` is 0 */
    size_t n;
};

int mcph_strings_add(struct mcph_strings *strings, const char *text); /* adds a copy */
void mcph_strings_done(struct mcph_strings *strings);

struct mcph_spec {
    struct mcph_refs refs;
    char *id;         /* the server's id: any text, never used as a path unchanged */
    char *source;     /* the source's name, e.g. "dominds" */
    char *file;       /* the configuration file, or NULL */
    int line, column; /* the place of the entry, or 0 without a file */
    int variables;    /* MCPH_VARIABLES_*: meaning of "${NAME}" in LAUNCH keys */
    int transport;    /* MCPHOST_TRANSPORT_*, but not NONE */
    /* Keys of stdio servers. */
    char *command; /* an absolute path, a name to search in the child's PATH, or a text
                    * that begins with a variable */
    struct mcph_strings args; /* without the program's name */
    struct mcph_values env;
    char *cwd;       /* an absolute path, or a text that begins with a variable; never
                      * NULL in a sealed spec */
    int containment; /* MCPHOST_CONTAINMENT_AUTO, _TREE, _CGROUP or _PID */
    /* Keys of HTTP servers. */
    char *url; /* normalized; userinfo and query are secrets */
    struct mcph_values headers;
    char *session_id;                                  /* a secret, or NULL */
    struct mcph_values proxy, key_password;            /* at most one value each;
                                                        * secrets */
    char *ca_file, *ca_dir, *client_cert, *client_key; /* absolute paths, or NULL */
    bool public_only; /* the host refuses to connect to addresses of private networks */
    /* Keys of logins at HTTP servers (mcphost-auth(7)). */
    int auth, auth_flow;                      /* MCPHOST_AUTH_*, MCPHOST_FLOW_* */
    struct mcph_values client_id;             /* at most one value */
    struct mcph_values client_secret;         /* at most one value; a secret */
    struct mcph_values assertion;             /* at most one value; a secret */
    struct mcph_values idp_client_secret;     /* at most one value; a secret */
    char *login_key;                          /* an absolute path, or NULL */
    char *client_document, *issuer;           /* URLs, or NULL */
    char *issuer_metadata, *idp_token_url;    /* URLs, or NULL */
    char *audience, *account, *idp_client_id; /* or NULL */
    struct mcph_strings scopes;
    bool private_issuer, no_pkce;
    int64_t connect_timeout_ms, idle_timeout_ms; /* -1 for the library's default */
    /* Keys of all servers. */
    bool stateless; /* all dialogs may share the server (`truely-stateless: true`) */
    int scope;      /* MCPHOST_SCOPE_*, or -1 for the source's default */
    /* Sealing freezes these members.  In a sealed spec, the filters and `transform` are
     * never NULL.  To get the transform of tools, prompts, resources or skills, call
     * mcph_spec_transform(). */
    mcphost_filter *filter, *prompts_filter, *resources_filter, *skills_filter;
    mcphost_transform *transform, *tools_transform, *prompts_transform,
        *resources_transform, *skills_transform;
    struct mcph_strings mime_types; /* the media types of resources; any type if empty */
    size_t resource_bytes;          /* `resources.maxBytes`, 0 if not set; has no
                                     * effect (B.19) */
    bool skills;                    /* `resources.skills.enabled`; has no effect (B.19) */
    int64_t start_timeout_ms, list_timeout_ms,
        call_timeout_ms; /* in ms, or -1 for the source's default */
    int era;             /* MCPHOST_ERA_* */
    int arguments;       /* MCPHOST_ARGUMENTS_*, or -1 for the source's default */
    int results;         /* MCPHOST_RESULTS_*, or -1 for the source's default */
    int log_level;       /* MCPHOST_MESSAGES_*, or -1 for the source's default */
    char *manual;        /* a text for people and models, or NULL */
    char *call_meta;     /* members to add to _meta of each tools/call, as a JSON
                          * object in canonical form, or NULL; the members may hold
                          * secrets */
    /* The application's own provider (a reference), and the function that drops it. */
    struct mcphost_provider *native;
    void (*drop_native)(struct mcphost_provider *native);
    /* The name of a provider that the library ships, or NULL.  Each instance makes a
     * provider of its own. */
    char *provider;
    char *base_dir;                         /* the provider 'files': its absolute
                                             * directory */
    struct mcph_strings allowed_extensions; /* the provider 'files': extensions of the
                                             * files that it offers; any if empty */
    size_t max_bytes;                       /* the provider 'files': limit on the bytes of
                                             * a file that it reads; 0 means
                                             * MCPH_FILES_BYTES */
    size_t calls_in_flight; /* limit on calls in flight for all instances of the server
                             * together; 0 means no limit */
    /* SHA-256 hashes over canonical forms.  launch_hash covers the keys that decide how
     * the host starts or reaches the server.  view_hash covers the keys that decide how
     * the server's tools are offered and called.  The flags in the table of key.c say
     * which hash covers a key.  Only the HMAC of a hash leaves the process
     * (mcph_spec_hash_hex()). */
    unsigned char launch_hash[MCPH_DIGEST_LEN], view_hash[MCPH_DIGEST_LEN];
};

struct mcph_spec *mcph_spec_new(const char *id,
                                const char *source); /* NULL if memory is short */
struct mcph_spec *mcph_spec_ref(struct mcph_spec *spec);
struct mcph_spec *mcph_spec_unref(struct mcph_spec *spec); /* returns NULL */

#define MCPH_RESOURCE_BYTES 64000 /* the default of `resources.maxBytes`; not used */

#define MCPH_FILES_BYTES ((size_t)10 * 1024 * 1024) /* the default of `max_bytes` */
/* The highest `max_bytes`.  The limit is low, because the result of a read holds the file
 * in base64. */
#define MCPH_FILES_BYTES_MAX (20 * 1024 * 1024)

/* Sets the members that are the same for every shipped provider.  A configuration may
 * override these settings, except the transport. */
void mcph_spec_set_inside(struct mcph_spec *spec);

/* Freezes filters and transforms, and computes the hashes.  Replaces each NULL filter
 * by an empty filter, and a NULL `transform` by an empty transform.  Do not change the
 * spec after this call.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_spec_seal(struct mcph_spec *spec);

/* The kinds of items that have filters and transforms of their own. */
enum { MCPH_NAMED_TOOLS, MCPH_NAMED_PROMPTS, MCPH_NAMED_RESOURCES, MCPH_NAMED_SKILLS };

/* Return the filter and the transform of one kind in a sealed spec.  A kind's own
 * transform replaces the transform of the enclosing map, even if the kind's own transform
 * is empty (B.5). */
const mcphost_filter *mcph_spec_filter(const struct mcph_spec *spec, int named);
const mcphost_transform *mcph_spec_transform(const struct mcph_spec *spec, int named);

/* Writes the HMAC-SHA-256 of a hash as 64 hex digits and a NUL.  A hash may be shown,
 * stored or sent only in this form.  `which` is MCPHOST_CONFIG_HASH_*. */
int mcph_spec_hash_hex(const struct mcph_spec *spec, int which, const void *key,
                       size_t key_len, char ret_hex[MCPH_DIGEST_HEX]);

/* Compares two specs (compare.c).  Returns MCPHOST_CONFIG_CHANGE_*, MCPHOST_E_NOMEM or
 * MCPHOST_E_LIMIT.  Appends the keys that differ to the empty `keys`, separated by ", "
 * and without values. */
int mcph_spec_compare(const struct mcph_spec *from, const struct mcph_spec *to,
                      struct mcph_buf *keys);

/* ---- the keys of an entry (key.c) ----------------------------------------------------
 * The table has one row for each key that a configuration may set in a spec. */

enum {
    /* MCPH_KEY_TEXT to MCPH_KEY_DIRECTORY: the field is a char *, which is NULL if the
     * key is not set. */
    MCPH_KEY_TEXT,
    MCPH_KEY_URL,
    MCPH_KEY_SESSION, /* visible ASCII; a secret */
    MCPH_KEY_OBJECT,  /* JSON in canonical form, which may hold secrets */
    MCPH_KEY_PROGRAM,
    MCPH_KEY_PATH,
    MCPH_KEY_FILE,      /* must be readable when the server starts */
    MCPH_KEY_DIRECTORY, /* must be readable when the server starts */
    /* MCPH_KEY_VARIABLES to MCPH_KEY_VALUE: the field is a struct mcph_values. */
    MCPH_KEY_VARIABLES,
    MCPH_KEY_HEADERS,
    MCPH_KEY_VALUE,     /* at most one value */
    MCPH_KEY_STRINGS,   /* struct mcph_strings */
    MCPH_KEY_PATTERNS,  /* mcphost_filter *; `number` is MCPH_FILTER_* */
    MCPH_KEY_STEPS,     /* mcphost_transform *; if NULL, the key in `replaces` applies */
    MCPH_KEY_TIME,      /* int64_t in ms; -1 if not set */
    MCPH_KEY_COUNT,     /* size_t, 1 to `number`; 0 if not set */
    MCPH_KEY_BOOL,      /* bool; false if not set */
    MCPH_KEY_CHOICE,    /* int, one of `values`; `number` if not set */
    MCPH_KEY_TRANSPORT, /* int, MCPHOST_TRANSPORT_* */
    MCPH_KEY_MAP        /* no field; contains the keys "NAME.MEMBER" */
};

enum {
    MCPH_KEY_LAUNCH = 1,      /* belongs to the launch hash */
    MCPH_KEY_VIEW = 2,        /* belongs to the view hash */
    MCPH_KEY_PROCESS = 4,     /* has a meaning if the transport has a process */
    MCPH_KEY_AT_URL = 8,      /* has a meaning if the transport has a URL */
    MCPH_KEY_OF_PROFILE = 16, /* each profile reads the key in its own way */
    MCPH_KEY_INSIDE = 32,     /* has a meaning if the server is a shipped provider */
    MCPH_KEY_STRICT = 64,     /* in a MAP, an unknown member is an error */
    MCPH_KEY_MADE = 128       /* not in an entry; a profile sets the value */
};

struct mcph_key {
    const char *name; /* the name as in Dominds files and in comparisons, such as
                       * "tls.caFile" */
    int kind;
    size_t offset; /* offset of the field in struct mcph_spec */
    unsigned flags;
    int number;
    int values;           /* MCPHOST_ENUM_* of CHOICE and TRANSPORT */
    size_t n_values;      /* only the first n_values of these values are allowed; 0
                           * means all */
    const char *wanted;   /* describes a required key in errors; NULL if the key is
                           * optional */
    const char *good;     /* describes a valid value, or the contents of a MAP */
    const char *needs;    /* another key that must be set too, or NULL */
    const char *plain;    /* for a MAP, the key that a text in place of the map sets; or
                           * NULL */
    const char *replaces; /* for STEPS, the key that applies if this key is not set */
    /* Returns the fault of a VALUE or of a text in STRINGS, or NULL if the text is valid.
     * If `fault` is NULL, every text is valid. */
    const char *(*fault)(const char *text);
};

const struct mcph_key *mcph_key_at(size_t index);       /* returns NULL past the end */
const struct mcph_key *mcph_key_find(const char *name); /* returns NULL if unknown */
void *mcph_key_field(const struct mcph_key *key, struct mcph_spec *spec);
const void *mcph_key_get(const struct mcph_key *key, const struct mcph_spec *spec);
/* Returns the steps of a STEPS key or, if the key is not set, of the key in `replaces`.
 * Returns NULL if no steps apply. */
const mcphost_transform *mcph_key_steps(const struct mcph_key *key,
                                        const struct mcph_spec *spec);
/* Returns true if the key has a meaning with this transport.  With
 * MCPHOST_TRANSPORT_NONE, returns true only for keys that fit every transport. */
bool mcph_key_fits(const struct mcph_key *key, int transport);
/* Return true if the key's field is a struct mcph_values (has_values), or a text
 * (has_text). */
bool mcph_key_has_values(const struct mcph_key *key);
bool mcph_key_has_text(const struct mcph_key *key);
/* Copies the key's field if it is a number, a choice or a bool. */
void mcph_key_copy_number(const struct mcph_key *key, const void *from, void *to);
/* Returns true if the key's value in a sealed spec is not the default. */
bool mcph_key_is_set(const struct mcph_key *key, const struct mcph_spec *spec);
/* Appends the canonical form of the key's field in a sealed spec, or nothing if the key
 * is not set.  The form may hold secrets, because the form contains literal values.
 * Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
int mcph_key_put(const struct mcph_key *key, const struct mcph_spec *spec,
                 struct mcph_buf *buf);
void mcph_keys_init(struct mcph_spec *spec); /* sets all keys of a zeroed spec to "not
                                              * set" */
void mcph_keys_done(struct mcph_spec *spec); /* frees the contents of the fields */

/* Appends the keys that are set in a sealed spec as a JSON object (show.c).  Times are in
 * seconds.  "(hidden)" replaces the values that show.c treats as secrets.  `args` are not
 * among these values.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
int mcph_spec_show(const struct mcph_spec *spec, struct mcph_buf *buf);
/* Appends a URL without its secrets: "http://(hidden)@host/path?(hidden)". */
void mcph_url_show(const char *url, struct mcph_buf *buf);

/* ---- providers that the library ships (shipped.c) ---------------------------------- */

bool mcph_shipped_known(const char *name);
void mcph_shipped_text(struct mcph_buf *buf); /* appends all names in quotes */

#define MCPH_EXTENSION_MAX 64
/* Returns NULL if `text` is a file extension such as "md" or ".md".  Otherwise returns a
 * static text that names the fault of `text`. */
const char *mcph_extension_check(const char *text);
/* Returns NULL if `text` is a scope (RFC 6749, section 3.3), else a static text about its
 * fault (key.c). */
const char *mcph_scope_check(const char *text);

/* ---- the workspace model: struct mcphost_config (model.c) -------------------------- */

/* An internal severity: an error that does not make its server invalid.  The application
 * sees MCPHOST_DIAGNOSTIC_ERROR. */
#define MCPH_DIAGNOSTIC_SPARING 3

struct mcph_diag {
    int severity;     /* MCPHOST_DIAGNOSTIC_* or MCPH_DIAGNOSTIC_SPARING */
    char *message;    /* one line, with the key path in front */
    char *key;        /* the key path, or "" for the whole file */
    char *file;       /* borrowed from the configuration or from the part that has the
                       * diagnostic */
    char *server;     /* the server's id, or NULL */
    int line, column; /* from 1, or 0 if not known */
    size_t part;      /* the number, from 1, of the part (mcph_config_merge()) that has
                       * the diagnostic; 0 without a part */
    size_t seq;       /* the order in which diagnostics were found */
};

/* Returns "FILE:LINE:COLUMN: message", without the numbers if the place is not known.
 * The caller frees the text with free().  Returns NULL if memory is short. */
char *mcph_diag_line(const struct mcph_diag *diag);

/* Limit on the diagnostics of a configuration.  The first error of each server's entry,
 * and errors that are about no entry of the configuration, are added beyond the limit.
 * Other diagnostics beyond the limit are only counted.  A last warning gives their
 * number. */
#define MCPH_DIAG_MAX 1000

struct mcph_config_server {
    char *id;
    int state;     /* MCPHOST_CONFIG_SERVER_* */
    int transport; /* MCPHOST_TRANSPORT_*, or NONE if it was not read, is not valid or is
                    * not allowed */
    int line, column;
    struct mcph_spec *spec;  /* the spec of a valid server, or NULL */
    struct mcph_diag *error; /* the first error of an invalid server, borrowed; or NULL */
    mcphost_config *part;    /* the part that declares the server, borrowed; NULL if
                              * not merged */
};

struct mcphost_config {
    struct mcph_refs refs;
    char *source;        /* name of the source, e.g. "dominds" */
    char *file;          /* the file's name as given, or NULL without a file */
    char *shown;         /* the file's name in diagnostics: one clean line, never NULL */
    char *workspace;     /* absolute path of the workspace */
    unsigned transports; /* the transports that the reader accepts, as a set of
                          * MCPHOST_ALLOW_* bits */
    int status;          /* 0, or the error that rejects the configuration; a rejected
                          * configuration has no servers */
    struct mcph_vec servers; /* struct mcph_config_server *, in file order */
    struct mcph_map by_id;   /* the servers by their ids */
    struct mcph_vec diags;   /* struct mcph_diag * */
    size_t n_left_out;       /* number of diagnostics that were only counted */
    struct mcph_vec files;   /* char *: absolute paths of further files that were read */
    struct mcph_map by_path; /* the members of `files` by path */
    struct mcph_vec parts;   /* references to struct mcphost_config
                              * (mcph_config_merge()) */
    bool has_manuals;        /* entries of servers may have the key for a manual */
};

/* Makes an empty configuration.  `file` may be NULL.  `shown` is the name of the text in
 * diagnostics. */
mcphost_config *mcph_config_new(const char *source, const char *file, const char *shown,
                                const char *workspace); /* NULL if memory is short */
mcphost_config *mcph_config_ref(mcphost_config *config);
mcphost_config *mcph_config_unref(mcphost_config *config); /* returns NULL */

/* Adds an entry.  Returns NULL if memory is short.  The caller makes sure that the id is
 * new. */
struct mcph_config_server *mcph_config_add_server(mcphost_config *config, const char *id,
                                                  int line, int column);
struct mcph_config_server *mcph_config_find(const mcphost_config *config, const char *id);

/* Adds a copy of `path` to the files that were read.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_config_add_file(mcphost_config *config, const char *path);

/* Makes a configuration with only one server of `config` and the diagnostics of this
 * server.  Returns 0, MCPHOST_E_NOTFOUND or MCPHOST_E_NOMEM. */
int mcph_config_pick(const mcphost_config *config, const char *id, mcphost_config **ret);

/* Adds the servers, diagnostics and files of `part`, and keeps a reference to `part`.
 * The part must be finished.  If `part` is rejected, only its own servers are missing
 * in `config`.  If an earlier part already declares the id of a server, the earlier
 * declaration stays, and the function adds an error that names both places.
 * `kept` is true if `part` is the last good version of a part that is rejected now.  If
 * `kept` is true, the function adds no diagnostics except the error of each invalid
 * server.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_config_merge(mcphost_config *config, mcphost_config *part, bool kept);

/* Adds a diagnostic.  `server` may be NULL.  If the configuration already has
 * MCPH_DIAG_MAX diagnostics, the function only counts a diagnostic of another severity
 * than MCPHOST_DIAGNOSTIC_ERROR, and a further error of a server whose entry is already
 * invalid.  An error for a known server makes its entry invalid.  The message becomes
 * "KEY: text", or the text alone if the key is "".  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_config_diag(mcphost_config *config, int severity, const char *server,
                     const char *key, int line, int column, const char *fmt, ...)
    MCPHOST_PRINTF(7, 8);

/* Returns the first diagnostic that is an error, or NULL if no diagnostic is an error. */
const struct mcph_diag *mcph_config_first_error(const mcphost_config *config);

/* Sorts the diagnostics by part and place, finds the first error of each invalid
 * server, and adds the warning about diagnostics that were only counted.  Every reader
 * must call this function last.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_config_finish(mcphost_config *config);

/* Rejects the configuration: adds an error, sets `status` and drops all servers. */
int mcph_config_fail(mcphost_config *config, int status, const char *key, int line,
                     int column, const char *fmt, ...) MCPHOST_PRINTF(6, 7);

/* ---- documents (doc.c, scalar.c) ----------------------------------------------------
 * A reader of YAML or JSON makes a document.  A document is a tree with the line and
 * column of each node. */

enum {
    MCPH_NODE_NULL,
    MCPH_NODE_BOOL,
    MCPH_NODE_INT,
    MCPH_NODE_FLOAT,
    MCPH_NODE_STRING,
    MCPH_NODE_LIST,
    MCPH_NODE_MAP
};

struct mcph_node {
    int kind;
    int line, column; /* counted from 1 */
    /* For a scalar, the text as written (quotes and escapes resolved), NUL-terminated.
     * The readers refuse a string that contains a NUL. */
    char *text;
    size_t len;
    bool boolean;
    int64_t integer;
    double number; /* the value of INT and FLOAT */
    /* A LIST has `n` items.  A MAP has `n` scalar keys and `n` items.  Keys and items are
     * in file order. */
    struct mcph_node **items, **keys;
    size_t n;
    size_t weight; /* the number of nodes in this subtree after aliases are expanded; a
                    * long text counts as several nodes */
    int height;    /* the number of levels from this node down, after aliases are
                    * expanded */
};

/* Limit on the levels of a document, after aliases are expanded. */
#define MCPH_DOC_DEPTH_MAX 64

struct mcph_doc {
    struct mcph_node *root;
    struct mcph_vec nodes; /* owns each node once; aliases share nodes */
};

/* Receives reports: warnings about doubtful input that is accepted, such as unknown tags
 * (MCPHOST_DIAGNOSTIC_WARNING), and at most one error (MCPHOST_DIAGNOSTIC_ERROR) as the
 * last report.  If the function returns a code below 0, the parser stops and returns
 * this code.  If a parser gets NULL in place of this function, it reports nothing. */
typedef int (*mcph_doc_report_fn)(int severity, const char *key, int line, int column,
                                  const char *text, void *arg);

struct mcph_doc *mcph_doc_free(struct mcph_doc *doc); /* returns NULL */
struct mcph_node *mcph_node_get(const struct mcph_node *map,
                                const char *key); /* returns NULL if absent */
const char *
mcph_node_kind_text(const struct mcph_node *node); /* returns "a string", "a list", ... */

/* These functions build a document for a reader.  mcph_doc_add() makes a node that the
 * document owns.  mcph_node_set_text() sets a node's text to a copy.  mcph_node_add()
 * adds an item to a list or, if `key` is not NULL, to a map.  Each function returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_doc_add(struct mcph_doc *doc, int kind, int line, int column,
                 struct mcph_node **ret_node);
int mcph_node_set_text(struct mcph_node *node, struct mcph_span text);
int mcph_node_add(struct mcph_node *node, struct mcph_node *key, struct mcph_node *item);

/* ---- YAML (yaml.c, scalar.c) ----------------------------------------------------------
 * These functions read one document of YAML 1.2 with the core schema.  They are strict
 * (B.2). */

#define MCPH_YAML_SIZE_MAX  (1024 * 1024) /* largest file in bytes */
#define MCPH_YAML_ALIAS_MAX 10000         /* limit on the nodes that all aliases add */

/* Parses a document.  Returns 0 or MCPHOST_E_NOMEM.  After a reported error, returns
 * MCPHOST_E_CONFIG, or MCPHOST_E_LIMIT if the text is too long.  A text without content
 * gives a root of the kind NULL. */
int mcph_yaml_parse(const char *data, size_t len, mcph_doc_report_fn report, void *arg,
                    struct mcph_doc **ret_doc);

/* Resolves a plain scalar by the core schema: sets its kind and values. */
void mcph_scalar_resolve(struct mcph_node *node);

/* ---- front matter (front.c) ---------------------------------------------------------
 * Front matter is YAML at the beginning of a SKILL.md, between two lines "---". */

#define MCPH_FRONT_MAX (64 * 1024) /* limit on the bytes of the YAML text */

/* Parses the front matter.  The root may be a node of any kind.  Returns 0,
 * MCPHOST_E_NOTFOUND (the text has no front matter), MCPHOST_E_LIMIT (the front matter is
 * too long), MCPHOST_E_CONFIG (the front matter is not valid YAML) or MCPHOST_E_NOMEM.
 * With MCPHOST_E_CONFIG, *ret_line is the line in `text`, or 0 if the line is not known.
 * `ret_line` may be NULL. */
int mcph_front_parse(struct mcph_span text, struct mcph_doc **ret_doc, int *ret_line);

/* ---- JSON (json.c) --------------------------------------------------------------------
 * The reader reads one document of RFC 8259.  No object may have a key twice.  Each
 * string must be UTF-8 after its escapes are resolved. */

#define MCPH_JSON_DOC_SIZE  (16 * 1024 * 1024) /* the usual limit of a file in bytes */
#define MCPH_JSON_DOC_NODES 1000000

/* Allows line and block comments and a comma after the last item, as in the settings
 * files of editors. */
enum { MCPH_JSON_DOC_RELAXED = 1 };

/* Parses a JSON document as mcph_yaml_parse() parses YAML.  Unlike in YAML, a text
 * without content is an error.  `size_max` is the limit in bytes. */
int mcph_json_parse(const char *data, size_t len, size_t size_max, unsigned flags,
                    mcph_doc_report_fn report, void *arg, struct mcph_doc **ret_doc);

/* ---- key paths (path.c): servers.web.args[1], servers["a b"] ----------------------- */

/* Append a key or an index to the path.  To remove the key or the index, set path->len to
 * its earlier value.  The buffer has no NUL.  mcph_path_text() adds a NUL and returns the
 * text, or returns "" if memory is short or the path is too long. */
int mcph_path_member(struct mcph_buf *path, const char *key);
int mcph_path_index(struct mcph_buf *path, size_t index);
const char *mcph_path_text(struct mcph_buf *path);

/* ---- checking a tree (check.c) --------------------------------------------------------
 * These functions walk maps and lists, record the key path, and report each node of a
 * wrong kind.  If memory is short, `err` becomes MCPHOST_E_NOMEM.  After that, the
 * functions report nothing. */

struct mcph_check {
    mcphost_config *config;
    const char *server; /* the server that is checked, or NULL */
    struct mcph_buf path;
    size_t n_errors; /* number of errors reported through this object; does not count
                      * the errors of mcph_check_sparing() */
    int err;         /* 0 or MCPHOST_E_NOMEM */
};

void mcph_check_init(struct mcph_check *check, mcphost_config *config);
void mcph_check_done(struct mcph_check *check);
size_t mcph_check_enter(struct mcph_check *check, const char *key); /* returns a mark */
size_t mcph_check_enter_index(struct mcph_check *check, size_t index);
void mcph_check_leave(struct mcph_check *check, size_t mark);

/* Report a problem at `node` under the current path.  mcph_check_sparing() reports an
 * error that does not make the server invalid. */
void mcph_check_error(struct mcph_check *check, const struct mcph_node *node,
                      const char *fmt, ...) MCPHOST_PRINTF(3, 4);
void mcph_check_sparing(struct mcph_check *check, const struct mcph_node *node,
                        const char *fmt, ...) MCPHOST_PRINTF(3, 4);
void mcph_check_warn(struct mcph_check *check, const struct mcph_node *node,
                     const char *fmt, ...) MCPHOST_PRINTF(3, 4);

/* Checks the kind of `node`, the node at the current path.  If the kind is wrong, reports
 * "expected <expected>, found <kind>" without the value and returns false. */
bool mcph_check_kind(struct mcph_check *check, const struct mcph_node *node, int kind,
                     const char *expected);
/* Returns the member if it exists and has the kind.  Returns NULL if the member is
 * missing.  If the member has a wrong kind, reports the wrong kind and returns NULL. */
const struct mcph_node *mcph_check_member(struct mcph_check *check,
                                          const struct mcph_node *map, const char *key,
                                          int kind, const char *expected);
bool mcph_check_bool(struct mcph_check *check, const struct mcph_node *map,
                     const char *key, bool fallback);
/* Warns of each key of `map` that is not among `known`. */
void mcph_check_unknown(struct mcph_check *check, const struct mcph_node *map,
                        const char *const *known, size_t n);
bool mcph_text_blank(const char *text);

/* ---- writing (writer.c) ---------------------------------------------------------------
 * The writer makes one edit of a text that a person wrote.  No other byte changes. */

/* Sets servers.<id>.enabled in the YAML (or JSON) text and puts the whole new text into
 * the empty `ret_text`.  Replaces an existing value in place.  Adds a missing key as
 * the first key of the server, in the notation and indentation of its neighbours.  The
 * edit must not change any other server.  Therefore the function refuses an edit if the
 * server is an alias, or if an alias elsewhere uses the server or the value.  The
 * function refuses an edit if the key is missing and the server has a `<<` key.  The
 * function also refuses an edit if the new text would not read back as the same
 * document with only this value changed.
 *
 * Returns 1 if the text changed.  Returns 0 and leaves `ret_text` empty if the server
 * already has the value.  A server without the key is enabled.  Otherwise returns
 * MCPHOST_E_NOTFOUND (no server has the id), MCPHOST_E_CONFIG (not readable, or refused),
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM.  The error MCPHOST_E_CONFIG has file, line and
 * column.  `shown` is the file's name. */
int mcph_config_set_enabled(const char *data, size_t len, const char *shown,
                            const char *id, bool enabled, struct mcph_buf *ret_text,
                            mcphost_error **reterr);

/* ---- URLs and headers (url.c, header.c) -------------------------------------------- */

/* Normalizes an absolute http or https URL: no blanks around it, scheme and host in lower
 * case, no default port, a path, no fragment.  Returns 0, MCPHOST_E_CONFIG or
 * MCPHOST_E_NOMEM.  With MCPHOST_E_CONFIG, *ret_why is a static text ("has no host") that
 * contains no part of the URL. */
int mcph_url_normalize(const char *text, size_t len, char **ret_url,
                       const char **ret_why);

/* Returns NULL if `text` is "none", blank, or a proxy with scheme, host and port.  The
 * proxy may have userinfo.  Otherwise returns a static text about the fault.  The static
 * text contains no part of `text`. */
const char *mcph_proxy_check(const char *text);
bool mcph_proxy_is_none(const char *text);

/* Returns true for a valid name of a header: a token of RFC 9110 of at most 256 bytes. */
bool mcph_header_name_ok(const char *name, size_t len);
/* Returns true for one line without control characters other than tabs. */
bool mcph_header_value_ok(const char *value, size_t len);

/* ---- sources --------------------------------------------------------------------------
 * A profile gives the host a reader.  The host uses the reader for the first read of
 * the profile's configuration and for each later read. */

/* The change that set_enabled() made to a file. */
struct mcph_config_edit {
    const char *file; /* borrowed from the reader */
    struct mcph_file_sig before, after;
};

struct mcph_config_reader {
    const char *name;
    /* Reads the current configuration.  Also succeeds with a rejected configuration
     * (mcphost_config.status).  Fails only if memory is too short to make a
     * configuration. */
    int (*read)(struct mcph_config_reader *source, mcphost_config **ret_config,
                mcphost_error **reterr);
    void (*free)(struct mcph_config_reader *source);
    /* The absolute path to watch, or NULL if the configuration cannot change. */
    const char *file;
    bool (*counts)(
        const char *name); /* if `file` is a directory: a function that returns true for
                            * the names of files to read; otherwise NULL */
    const char *workspace; /* the absolute path of the workspace, or NULL */
    /* The owner of the reader may change the members from `transports` to
     * `keeps_last_good`. */
    unsigned transports;       /* the transports that servers may have */
    int64_t start_ms, list_ms; /* timeouts; 0 means the library's default */
    bool once;                 /* a reload does not read this source again */
    bool keeps_last_good;      /* if one of several files becomes invalid, its last
                                * valid contents stay in use */
    /* Writes servers.<id>.enabled into the file as mcph_config_set_enabled() does.
     * Returns the codes of that function and of mcph_file_replace().  The reader of the
     * profile `goclaw` calls mcph_goclaw_enable_server() instead and returns its codes,
     * also MCPHOST_E_BUSY.  *ret_edit is set if the result is 1.  `set_enabled` is NULL
     * if the source cannot write. */
    int (*set_enabled)(struct mcph_config_reader *source, const char *id, bool enabled,
                       struct mcph_config_edit *ret_edit, mcphost_error **reterr);
};

/* Reads the configuration once with these transports (MCPHOST_ALLOW_*) and frees the
 * reader. */
int mcph_config_reader_once(struct mcph_config_reader *reader, unsigned transports,
                            mcphost_config **ret_config, mcphost_error **reterr);

#endif
