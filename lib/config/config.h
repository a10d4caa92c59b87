/* SPDX-License-Identifier: MIT
 *
 * config.h - the room `config`: the server spec, one in-memory model for every
 * source of configuration.
 *
 * Value wiring, the two hashes of a spec, the workspace model with its
 * diagnostics, the YAML reader that keeps line and column, the writer that
 * keeps everything else as it is, and the interface
 * that sources implement.  Which keys a file may have is a profile's business.
 * This room starts nothing, reads no environment and no file, and puts no
 * value of env or headers into a message.
 */
#ifndef MCPH_CONFIG_H
#define MCPH_CONFIG_H

#include "base/base.h"
#include "json/json.h"
#include "names/names.h"

#include <mcphost/config.h>
#include <mcphost/policy.h>

/* ---- value wiring (value.c) -------------------------------------------------
 * NAME -> text, {env: OLD} or {prefix, env}.  Resolved at each start, never at
 * parse time (R15).  A variable that is set but empty is present (B.4). */

struct mcph_value {
    char *name; /* the target: a variable or a header */
    char *text; /* the literal; with `env`, what goes in front of it; never NULL */
    char *env;  /* the variable to read, or NULL for a literal */
};

struct mcph_values {
    struct mcph_value *items; /* in file order */
    size_t n;
};

int mcph_values_add(struct mcph_values *values, const char *name, const char *text,
                    const char *env); /* copies; 0 or MCPHOST_E_NOMEM */
void mcph_values_done(struct mcph_values *values);

/* The value of a variable of the host's environment, or NULL when it is not
 * set.  What it returns is copied before the next call. */
typedef const char *(*mcph_env_lookup_fn)(const char *name, void *arg);

struct mcph_pair {
    char *name, *text;
};

struct mcph_pairs {
    struct mcph_pair *items;
    size_t n;
};

void mcph_pairs_done(struct mcph_pairs *pairs); /* wipes the texts: they may be secrets */

struct mcph_spec;

/* Resolves `values`, which are a field of `spec`, in file order.  A missing variable
 * gives MCPHOST_E_CONFIG with a message naming server, variable and target key (R16); so
 * does a text that the field's key does not take, such as a header with a control
 * character.  *ret_pairs is replaced on success only and belongs to the caller. */
int mcph_spec_resolve(const struct mcph_spec *spec, const struct mcph_values *values,
                      mcph_env_lookup_fn lookup, void *arg, struct mcph_pairs *ret_pairs,
                      mcphost_error **reterr);

/* ---- texts with variables (expand.c) ------------------------------------------------
 * "${NAME}", or "${NAME:-text}" for when it is not set.  In a spec that has them, a path
 * or program may begin with one, and a URL is not normalized where it has one. */

enum {
    MCPH_VARIABLES_NONE,   /* nothing special */
    MCPH_VARIABLES_NEEDED, /* a variable that is not set keeps the server from starting */
    MCPH_VARIABLES_EMPTY   /* a variable that is not set counts as an empty text */
};

bool mcph_text_has_variables(const char *text);
/* The spec as one start has it: a reference to itself, where it has no variables, or a
 * copy of its launch keys with their values, which is not sealed and is nobody else's.
 * 0; MCPHOST_E_CONFIG (a variable is not set; what a text became is no URL, no absolute
 * path), MCPHOST_E_LIMIT, with server, place and key; MCPHOST_E_NOMEM. */
int mcph_spec_expand(struct mcph_spec *spec, mcph_env_lookup_fn lookup, void *arg,
                     struct mcph_spec **ret, mcphost_error **reterr);

/* ---- transports (transports.c) ------------------------------------------------------
 * One row for each MCPHOST_TRANSPORT_*.  Code asks a row for a property and compares no
 * kind.  A new transport is a row here and, for a new carrier, a function in
 * pool/start.c. */

enum {
    MCPH_CARRIER_NONE,
    MCPH_CARRIER_CHILD,    /* a child process, over its stdin and stdout */
    MCPH_CARRIER_HTTP,     /* requests on the HTTP engine */
    MCPH_CARRIER_PROVIDER, /* a provider, in memory */
    MCPH_N_CARRIERS
};

struct mcph_transport_kind {
    unsigned allowed_by; /* the MCPHOST_ALLOW_* that permits it; 0: no file has it */
    int carrier;         /* MCPH_CARRIER_* */
    int fallback;     /* tried, if allowed, when the server refuses this one; or NONE */
    bool has_process; /* takes command, args, env, cwd, containment */
    bool has_url;     /* takes url, headers, proxy, tls; credentials are asked for */
    bool has_session_id; /* takes sessionId: a connection can join a session */
    bool has_headers;    /* arguments of a tool may go into headers, by its schema */
    bool keeps_state;    /* a connection may keep state for its user in every era */
    bool is_pinged;      /* silence may mean that the peer hangs */
    bool is_one_stream;  /* all answers come on the stream of the first request */
    bool is_legacy;      /* no modern protocol version has it */
};

#define MCPH_N_TRANSPORTS (MCPHOST_TRANSPORT_IN_PROCESS + 1)

extern const struct mcph_transport_kind mcph_transport_kinds[MCPH_N_TRANSPORTS];

/* `transport`: any MCPHOST_TRANSPORT_*; the row of NONE has no property. */
static inline const struct mcph_transport_kind *
mcph_transport_kind(int transport)
{
    return &mcph_transport_kinds[transport];
}
/* `allowed`: MCPHOST_ALLOW_*, or'ed. */
bool mcph_transport_allowed(unsigned allowed, int transport);
unsigned mcph_transports_known(void); /* every MCPHOST_ALLOW_* of the table */
/* "'stdio' or 'streamable_http'" */
#define MCPH_TRANSPORTS_TEXT 128
void mcph_transports_text(unsigned allowed, char ret[MCPH_TRANSPORTS_TEXT]);
#define MCPH_TRANSPORTS_USUAL (MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP)

/* ---- options (option.c) ------------------------------------------------------------ */

#define MCPH_OPTIONS 96 /* numbers of MCPHOST_OPT_* are below */

/* What the value of an option is. */
enum {
    MCPH_OPTION_MS,
    MCPH_OPTION_COUNT,
    MCPH_OPTION_BYTES,
    MCPH_OPTION_BOOL,
    MCPH_OPTION_CHOICE, /* one value of an enumeration */
    MCPH_OPTION_FLAGS   /* values of an enumeration, or'ed */
};

enum {
    MCPH_OPTION_OF_SOURCE = 1, /* a policy, which each source may have of its own; else it
                                * is the host's */
    MCPH_OPTION_ANY_TIME = 2   /* may be set after the load, too */
};

struct mcph_option {
    int number; /* MCPHOST_OPT_* */
    int kind;
    int64_t min, max; /* of a number; `min` of FLAGS, too */
    int64_t fallback; /* the value until another one is set */
    int values;       /* MCPHOST_ENUM_*, of CHOICE and FLAGS; of a number: what is allowed
                       * besides, or 0 */
    unsigned flags;
    const char *room; /* the room that reads it */
};

const struct mcph_option *mcph_option_at(size_t index); /* NULL beyond the last */
const struct mcph_option *mcph_option_find(int number); /* NULL: unknown */
/* Appends which values are allowed: "milliseconds from 0 to 600000". */
void mcph_option_expected(const struct mcph_option *option, struct mcph_buf *buf);
/* Whether an option may have a value: 0; MCPHOST_E_INVALID with an error that names the
 * option and the values that it may have; MCPHOST_E_NOMEM. */
int mcph_option_check(int number, int64_t value, mcphost_error **reterr);

/* ---- the spec (spec.c, hash.c, key.c) ----------------------------------------
 * Built by one thread, sealed, then immutable and shared by any thread. */

struct mcph_strings {
    char **items; /* n and a NULL; NULL where there are none */
    size_t n;
};

int mcph_strings_add(struct mcph_strings *strings, const char *text); /* a copy */
void mcph_strings_done(struct mcph_strings *strings);

struct mcph_spec {
    struct mcph_refs refs;
    char *id;         /* toolset name; any text, never a part of a path as it is */
    char *source;     /* the source's name, e.g. "dominds" */
    char *file;       /* or NULL */
    int line, column; /* of the entry; 0 without a file */
    int variables; /* MCPH_VARIABLES_*: what "${NAME}" is in the texts of LAUNCH keys */
    int transport; /* MCPHOST_TRANSPORT_*, but not NONE */
    /* stdio */
    char *command; /* absolute, or without a slash: looked up in the child's PATH */
    struct mcph_strings args; /* without the program */
    struct mcph_values env;
    char *cwd;       /* absolute; never NULL */
    int containment; /* MCPHOST_CONTAINMENT_AUTO, _TREE, _CGROUP or _PID */
    /* streamable HTTP */
    char *url; /* normalized; userinfo and query are secrets */
    struct mcph_values headers;
    char *session_id;                                  /* or NULL; a secret */
    struct mcph_values proxy, key_password;            /* one each, or none; secrets */
    char *ca_file, *ca_dir, *client_cert, *client_key; /* absolute, or NULL */
    bool public_only; /* no name may lead to an address of a private network */
    int64_t connect_timeout_ms, idle_timeout_ms; /* -1: the library's */
    /* both */
    bool stateless; /* `truely-stateless: true`: may be shared by all dialogs */
    int scope;      /* MCPHOST_SCOPE_*; -1: the source's */
    /* Frozen; once sealed, filters are never NULL, nor is `transform`.  The transform of
     * tools, prompts, resources and skills: mcph_spec_transform(). */
    mcphost_filter *filter, *prompts_filter, *resources_filter, *skills_filter;
    mcphost_transform *transform, *tools_transform, *prompts_transform,
        *resources_transform, *skills_transform;
    struct mcph_strings mime_types; /* of resources; none: any */
    size_t resource_bytes;          /* 0: MCPH_RESOURCE_BYTES */
    bool skills;                    /* its resources are looked through for skills */
    int64_t start_timeout_ms, list_timeout_ms,
        call_timeout_ms; /* -1: the host's default */
    int era;             /* MCPHOST_ERA_* */
    int arguments;       /* MCPHOST_ARGUMENTS_*; -1: the host's */
    int results;         /* MCPHOST_RESULTS_*; -1: the host's */
    int log_level;       /* MCPHOST_MESSAGES_*; -1: the source's */
    char *manual;        /* for people and models; or NULL */
    char *call_meta;     /* a JSON object in canonical form, whose members go into the
                          * _meta of each tools/call; it may hold secrets; NULL: none */
    /* In process: the application's own provider, a reference, and what drops it. */
    struct mcphost_provider *native;
    void (*drop_native)(struct mcphost_provider *native);
    /* A provider that the library ships, by its name; NULL: none.  Its instances make
     * one each. */
    char *provider;
    char *base_dir;                         /* of 'files': absolute */
    struct mcph_strings allowed_extensions; /* likewise; none: any */
    size_t max_bytes;                       /* likewise; 0: MCPH_FILES_BYTES */
    size_t calls_in_flight; /* of all its instances together; 0: no such limit */
    /* SHA-256 over canonical forms; never leave the process as they are.  Which keys
     * they cover is in key.c. */
    unsigned char launch_hash[MCPH_DIGEST_LEN], view_hash[MCPH_DIGEST_LEN];
};

struct mcph_spec *mcph_spec_new(const char *id,
                                const char *source); /* NULL: out of memory */
struct mcph_spec *mcph_spec_ref(struct mcph_spec *spec);
struct mcph_spec *mcph_spec_unref(struct mcph_spec *spec); /* returns NULL */

#define MCPH_RESOURCE_BYTES 64000 /* of a skill, where `resources.maxBytes` is not set */

#define MCPH_FILES_BYTES ((size_t)10 * 1024 * 1024) /* of a file, by default */
#define MCPH_FILES_BYTES_MAX \
    (20 * 1024 * 1024) /* of it, at most: its base64 is a result */

/* Makes it one of a provider: what it sets a configuration may set otherwise. */
void mcph_spec_set_inside(struct mcph_spec *spec);

/* Freezes filters and transforms (making empty ones where there must be some) and
 * computes the hashes; nothing may be changed afterwards.  0, MCPHOST_E_NOMEM. */
int mcph_spec_seal(struct mcph_spec *spec);

/* What a server offers that has filters and transforms of its own. */
enum { MCPH_NAMED_TOOLS, MCPH_NAMED_PROMPTS, MCPH_NAMED_RESOURCES, MCPH_NAMED_SKILLS };

/* Of a sealed spec: the filter, and the transform that is nearest: a transform of its own
 * takes the place of the enclosing one, also an empty one (B.5). */
const mcphost_filter *mcph_spec_filter(const struct mcph_spec *spec, int named);
const mcphost_transform *mcph_spec_transform(const struct mcph_spec *spec, int named);

/* HMAC-SHA-256 of a hash as 64 hex digits and a NUL, the only form in which it
 * may be shown, stored or sent.  `which`: MCPHOST_CONFIG_HASH_*. */
int mcph_spec_hash_hex(const struct mcph_spec *spec, int which, const void *key,
                       size_t key_len, char ret_hex[MCPH_DIGEST_HEX]);

/* What tells two specs apart (compare.c): MCPHOST_CONFIG_CHANGE_*, and into `keys`,
 * which is empty, the keys that differ, parted by ", ", without any value.
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
int mcph_spec_compare(const struct mcph_spec *from, const struct mcph_spec *to,
                      struct mcph_buf *keys);

/* ---- the keys of an entry (key.c) ----------------------------------------------------
 * One row for each field of a spec that a configuration may set. */

enum {
    /* char *, NULL: none */
    MCPH_KEY_TEXT,
    MCPH_KEY_URL,
    MCPH_KEY_SESSION, /* visible ASCII; a secret */
    MCPH_KEY_OBJECT,  /* JSON in canonical form, which may hold secrets */
    MCPH_KEY_PROGRAM,
    MCPH_KEY_PATH,
    MCPH_KEY_FILE,      /* must be readable when the server starts */
    MCPH_KEY_DIRECTORY, /* the same */
    /* struct mcph_values */
    MCPH_KEY_VARIABLES,
    MCPH_KEY_HEADERS,
    MCPH_KEY_VALUE,     /* one, or none */
    MCPH_KEY_STRINGS,   /* struct mcph_strings */
    MCPH_KEY_PATTERNS,  /* mcphost_filter *; `number` is the list */
    MCPH_KEY_STEPS,     /* mcphost_transform *; NULL: those that it replaces hold */
    MCPH_KEY_TIME,      /* int64_t, ms; -1: not set */
    MCPH_KEY_COUNT,     /* size_t, 1 to `number`; 0: not set */
    MCPH_KEY_BOOL,      /* bool, false: not set */
    MCPH_KEY_CHOICE,    /* int, one of `values`; `number`: not set */
    MCPH_KEY_TRANSPORT, /* int, MCPHOST_TRANSPORT_* */
    MCPH_KEY_MAP        /* no field: the keys "NAME.MEMBER" stand in it */
};

enum {
    MCPH_KEY_LAUNCH = 1,      /* belongs to the launch hash */
    MCPH_KEY_VIEW = 2,        /* belongs to the view hash */
    MCPH_KEY_PROCESS = 4,     /* has a meaning if the transport has a process */
    MCPH_KEY_AT_URL = 8,      /* has a meaning if the transport has a URL */
    MCPH_KEY_OF_PROFILE = 16, /* each profile reads it in its own way */
    MCPH_KEY_INSIDE = 32,     /* has a meaning if the server is a shipped provider */
    MCPH_KEY_STRICT = 64,     /* of a MAP: a member that is unknown is an error */
    MCPH_KEY_MADE = 128       /* no entry has it: a profile makes its value */
};

struct mcph_key {
    const char *name; /* as Dominds writes it and a comparison shows it: "tls.caFile" */
    int kind;
    size_t offset; /* of the field in struct mcph_spec */
    unsigned flags;
    int number;
    int values;           /* of CHOICE and TRANSPORT: MCPHOST_ENUM_* */
    size_t n_values;      /* of those, the first ones; 0: all */
    const char *wanted;   /* the key must be there: what is expected in it; or NULL */
    const char *good;     /* how what `fault` lets pass is called, or what a MAP holds */
    const char *needs;    /* the key that must stand beside it, or NULL */
    const char *replaces; /* of STEPS: the key that holds where this one is not set */
    /* What is wrong with a VALUE, or with one of STRINGS; or NULL. */
    const char *(*fault)(const char *text);
};

const struct mcph_key *mcph_key_at(size_t index);       /* NULL beyond the last */
const struct mcph_key *mcph_key_find(const char *name); /* NULL: there is none */
void *mcph_key_field(const struct mcph_key *key, struct mcph_spec *spec);
const void *mcph_key_get(const struct mcph_key *key, const struct mcph_spec *spec);
/* Of STEPS: those that hold.  NULL: none. */
const mcphost_transform *mcph_key_steps(const struct mcph_key *key,
                                        const struct mcph_spec *spec);
/* Whether it has a meaning with this transport; NONE: with any. */
bool mcph_key_fits(const struct mcph_key *key, int transport);
/* Whether its field is a struct mcph_values; a text. */
bool mcph_key_has_values(const struct mcph_key *key);
bool mcph_key_has_text(const struct mcph_key *key);
/* Copies its field if that is a number, a choice or a bool. */
void mcph_key_copy_number(const struct mcph_key *key, const void *from, void *to);
/* Whether a sealed spec has it with another value than the default. */
bool mcph_key_is_set(const struct mcph_key *key, const struct mcph_spec *spec);
/* Appends the canonical form of its field in a sealed spec: nothing where it is not
 * set.  It has literal values, which may be secrets.  0, MCPHOST_E_NOMEM, _LIMIT. */
int mcph_key_put(const struct mcph_key *key, const struct mcph_spec *spec,
                 struct mcph_buf *buf);
void mcph_keys_init(struct mcph_spec *spec); /* to what is "not set" */
void mcph_keys_done(struct mcph_spec *spec); /* frees what the fields hold */

/* Appends the keys that are set in a sealed spec, as a JSON object (show.c): times in
 * seconds, and "(hidden)" for what may be a secret.  0, MCPHOST_E_NOMEM, _LIMIT. */
int mcph_spec_show(const struct mcph_spec *spec, struct mcph_buf *buf);
/* Appends a URL in the same way: "http://(hidden)@host/path?(hidden)". */
void mcph_url_show(const char *url, struct mcph_buf *buf);

/* ---- providers that the library ships (shipped.c) ---------------------------------- */

bool mcph_shipped_known(const char *name);
void mcph_shipped_text(struct mcph_buf *buf); /* "'files'": appends all names */

#define MCPH_EXTENSION_MAX 64
/* NULL where `text` is an extension of files, "md" or ".md"; else what is wrong. */
const char *mcph_extension_check(const char *text);

/* ---- the workspace model: struct mcphost_config (model.c) -------------------------- */

/* A severity of ours: an error that costs its server nothing.  The application sees
 * MCPHOST_DIAGNOSTIC_ERROR. */
#define MCPH_DIAGNOSTIC_SPARING 3

struct mcph_diag {
    int severity;     /* MCPHOST_DIAGNOSTIC_* or MCPH_DIAGNOSTIC_SPARING */
    char *message;    /* one line, with the key path in front */
    char *key;        /* "" for the whole file */
    char *file;       /* borrowed from the configuration, or from its part */
    char *server;     /* or NULL */
    int line, column; /* from 1; 0: no place */
    size_t part;      /* the number of the part, from 1; 0: of no part */
    size_t seq;       /* the order in which they were found */
};

/* "FILE:LINE:COLUMN: message", without the numbers where there is no place in the file;
 * NULL: out of memory. */
char *mcph_diag_line(const struct mcph_diag *diag);

/* Further diagnostics are counted out by one last warning. */
#define MCPH_DIAG_MAX 1000

struct mcph_config_server {
    char *id;
    int state;     /* MCPHOST_CONFIG_SERVER_* */
    int transport; /* MCPHOST_TRANSPORT_*, as far as it could be read */
    int line, column;
    struct mcph_spec *spec;  /* of a valid server; else NULL */
    struct mcph_diag *error; /* the first error of an invalid one, borrowed; else NULL */
    mcphost_config *part;    /* which declares it, borrowed; NULL: the whole does */
};

struct mcphost_config {
    struct mcph_refs refs;
    char *source;        /* name of the source, e.g. "dominds" */
    char *file;          /* as given, or NULL: from no file */
    char *shown;         /* what diagnostics call the file: one clean line; never NULL */
    char *workspace;     /* absolute */
    unsigned transports; /* that its reader accepts: MCPHOST_ALLOW_* */
    int status;          /* 0 or the workspace-level failure; then there are no servers */
    struct mcph_vec servers; /* struct mcph_config_server *, in file order */
    struct mcph_map by_id;   /* id -> the same */
    struct mcph_vec diags;   /* struct mcph_diag * */
    size_t n_left_out;       /* diagnostics beyond MCPH_DIAG_MAX */
    struct mcph_vec files;   /* char *, absolute: read beside `file` */
    struct mcph_map by_path; /* the same */
    struct mcph_vec parts;   /* mcphost_config *: references; mcph_config_merge() */
    bool has_manuals;        /* its servers may have a manual */
};

/* `file` may be NULL, then `shown` names the text in diagnostics. */
mcphost_config *mcph_config_new(const char *source, const char *file, const char *shown,
                                const char *workspace); /* NULL: out of memory */
mcphost_config *mcph_config_ref(mcphost_config *config);
mcphost_config *mcph_config_unref(mcphost_config *config); /* returns NULL */

/* Adds an entry, or returns NULL when out of memory.  The caller has made sure
 * that the id is new. */
struct mcph_config_server *mcph_config_add_server(mcphost_config *config, const char *id,
                                                  int line, int column);
struct mcph_config_server *mcph_config_find(const mcphost_config *config, const char *id);

/* Notes that `path` was read, too; it is copied.  0, MCPHOST_E_NOMEM. */
int mcph_config_add_file(mcphost_config *config, const char *path);

/* A configuration of one server of this one, with what was said about it.  0,
 * MCPHOST_E_NOTFOUND, MCPHOST_E_NOMEM. */
int mcph_config_pick(const mcphost_config *config, const char *id, mcphost_config **ret);

/* Adds the servers, diagnostics and files of `part`, which is finished and is kept alive.
 * A part that is rejected costs its own servers only.  An id that an earlier part
 * declares stays with that part; an error with both places says so and costs the server
 * nothing.  `kept`: `part` is what one that is rejected now declared when it was good, so
 * only its servers count, with the error of each invalid one.  0, MCPHOST_E_NOMEM. */
int mcph_config_merge(mcphost_config *config, mcphost_config *part, bool kept);

/* Adds a diagnostic.  `server` may be NULL.  An error for a known server makes
 * its entry invalid.  The message becomes "KEY: text", or the text alone when
 * the key is "".  0, MCPHOST_E_NOMEM. */
int mcph_config_diag(mcphost_config *config, int severity, const char *server,
                     const char *key, int line, int column, const char *fmt, ...)
    MCPHOST_PRINTF(7, 8);

/* NULL: there is none. */
const struct mcph_diag *mcph_config_first_error(const mcphost_config *config);

/* Puts the diagnostics into the order of the parts and of the file and finds each invalid
 * server's first error.  The last step of every reader.  0, MCPHOST_E_NOMEM. */
int mcph_config_finish(mcphost_config *config);

/* Rejects the whole: an error diagnostic, `status` set, all servers dropped. */
int mcph_config_fail(mcphost_config *config, int status, const char *key, int line,
                     int column, const char *fmt, ...) MCPHOST_PRINTF(6, 7);

/* ---- documents (doc.c) -------------------------------------------------------------
 * A tree with line and column of each node, made by a reader of YAML or JSON. */

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
    int line, column; /* from 1 */
    /* scalars: the text as written (quotes and escapes resolved), NUL-terminated;
     * a string with a NUL inside is refused by the readers */
    char *text;
    size_t len;
    bool boolean;
    int64_t integer;
    double number; /* of INT and FLOAT */
    /* LIST: items; MAP: keys (scalars) and items, both n, in file order */
    struct mcph_node **items, **keys;
    size_t n;
    size_t weight; /* nodes below and including this one, aliases expanded */
    int height;    /* levels below and including this one, aliases expanded */
};

#define MCPH_DOC_DEPTH_MAX 64 /* levels, aliases expanded */

struct mcph_doc {
    struct mcph_node *root;
    struct mcph_vec nodes; /* owns every node once; aliases share */
};

/* Told of what is wrong (MCPHOST_DIAGNOSTIC_ERROR, once, the last report) and of
 * what is odd but accepted (_WARNING: unknown tags).  Below 0 ends the parse
 * with that code.  NULL where a function takes one: nothing is told. */
typedef int (*mcph_doc_report_fn)(int severity, const char *key, int line, int column,
                                  const char *text, void *arg);

struct mcph_doc *mcph_doc_free(struct mcph_doc *doc); /* returns NULL */
struct mcph_node *mcph_node_get(const struct mcph_node *map,
                                const char *key); /* or NULL */
const char *
mcph_node_kind_text(const struct mcph_node *node); /* "a string", "a list", ... */

/* For readers; 0 or MCPHOST_E_NOMEM.  A node that belongs to the document; its text, a
 * copy; an item of a list, or, with `key`, of a map. */
int mcph_doc_add(struct mcph_doc *doc, int kind, int line, int column,
                 struct mcph_node **ret_node);
int mcph_node_set_text(struct mcph_node *node, struct mcph_span text);
int mcph_node_add(struct mcph_node *node, struct mcph_node *key, struct mcph_node *item);

/* ---- YAML (yaml.c, scalar.c) -------------------------------------------------
 * One document: YAML 1.2 core schema, strict (B.2). */

#define MCPH_YAML_SIZE_MAX  (1024 * 1024) /* bytes of a file */
#define MCPH_YAML_ALIAS_MAX 10000         /* nodes that aliases may stand for, in all */

/* 0; MCPHOST_E_CONFIG, or MCPHOST_E_LIMIT for the size, after an error was
 * reported; MCPHOST_E_NOMEM.  A text without content has a null root. */
int mcph_yaml_parse(const char *data, size_t len, mcph_doc_report_fn report, void *arg,
                    struct mcph_doc **ret_doc);

/* The core schema's reading of a plain scalar: sets kind and values. */
void mcph_scalar_resolve(struct mcph_node *node);

/* ---- front matter (front.c) ---------------------------------------------------------
 * YAML at the beginning of a SKILL.md, between two lines "---". */

#define MCPH_FRONT_MAX (64 * 1024) /* bytes of it */

/* Its tree, whose root may be any node or NULL.  0; MCPHOST_E_NOTFOUND: there is none;
 * MCPHOST_E_LIMIT; MCPHOST_E_CONFIG: it is not valid YAML, at *ret_line of the text (may
 * be NULL; 0: not known); MCPHOST_E_NOMEM. */
int mcph_front_parse(struct mcph_span text, struct mcph_doc **ret_doc, int *ret_line);

/* ---- JSON (json.c) -------------------------------------------------------------------
 * One document: RFC 8259, in which no key of an object stands twice and each string is
 * UTF-8 once its escapes are resolved. */

#define MCPH_JSON_DOC_SIZE  (16 * 1024 * 1024) /* bytes of a file, as a rule */
#define MCPH_JSON_DOC_NODES 1000000

/* Line and block comments, and a comma behind the last item, as settings files of editors
 * have them. */
enum { MCPH_JSON_DOC_RELAXED = 1 };

/* As mcph_yaml_parse(), but a text without content is an error; `size_max` bytes at
 * most. */
int mcph_json_parse(const char *data, size_t len, size_t size_max, unsigned flags,
                    mcph_doc_report_fn report, void *arg, struct mcph_doc **ret_doc);

/* ---- key paths (path.c): servers.web.args[1], servers["a b"] ----------------------- */

/* Append; to go back, set path->len to what it was.  The buffer stays without
 * a NUL; mcph_path_text() ends it for reading ("" when out of memory). */
int mcph_path_member(struct mcph_buf *path, const char *key);
int mcph_path_index(struct mcph_buf *path, size_t index);
const char *mcph_path_text(struct mcph_buf *path);

/* ---- checking a tree (check.c) -------------------------------------------------
 * Walks maps and lists with the key path at hand and reports what is not as
 * expected.  The first lack of memory is kept in `err` and ends all reporting. */

struct mcph_check {
    mcphost_config *config;
    const char *server; /* the server looked at, or NULL */
    struct mcph_buf path;
    size_t n_errors; /* reported through this object */
    int err;         /* 0 or MCPHOST_E_NOMEM */
};

void mcph_check_init(struct mcph_check *check, mcphost_config *config);
void mcph_check_done(struct mcph_check *check);
size_t mcph_check_enter(struct mcph_check *check, const char *key); /* returns a mark */
size_t mcph_check_enter_index(struct mcph_check *check, size_t index);
void mcph_check_leave(struct mcph_check *check, size_t mark);

/* Report at `node` under the present path. */
void mcph_check_error(struct mcph_check *check, const struct mcph_node *node,
                      const char *fmt, ...) MCPHOST_PRINTF(3, 4);
void mcph_check_sparing(struct mcph_check *check, const struct mcph_node *node,
                        const char *fmt, ...) MCPHOST_PRINTF(3, 4);
void mcph_check_warn(struct mcph_check *check, const struct mcph_node *node,
                     const char *fmt, ...) MCPHOST_PRINTF(3, 4);

/* The present path's node is `node`: true when it has the kind, else reported
 * as "expected <expected>, found <kind>" without its value. */
bool mcph_check_kind(struct mcph_check *check, const struct mcph_node *node, int kind,
                     const char *expected);
/* The member when it is there and of the kind; NULL when it is not there, or
 * is reported. */
const struct mcph_node *mcph_check_member(struct mcph_check *check,
                                          const struct mcph_node *map, const char *key,
                                          int kind, const char *expected);
bool mcph_check_bool(struct mcph_check *check, const struct mcph_node *map,
                     const char *key, bool fallback);
/* Warns of each key of `map` that is not among `known`. */
void mcph_check_unknown(struct mcph_check *check, const struct mcph_node *map,
                        const char *const *known, size_t n);
bool mcph_text_blank(const char *text);

/* ---- writing (writer.c) --------------------------------------------------------
 * One edit of a text that a person wrote: no byte changes but those of the edit. */

/* Sets servers.<id>.enabled in the YAML (or JSON) text and puts the whole new text
 * into `ret_text`, which is empty.  An existing value is replaced where it stands; a
 * missing key becomes the server's first one, in the notation and indentation of
 * its neighbours.  What is to be changed must be written there and for this server
 * alone: refused are a server or value that is an alias or is used by one, a `<<`
 * key, and whatever would not read back as the same document but for this value.
 *
 * Returns 1; 0 when it says so already, also by default, and nothing is put into
 * `ret_text`; MCPHOST_E_NOTFOUND (no such server); MCPHOST_E_CONFIG (not readable,
 * refused) with file, line and column, `shown` being what the file is called;
 * MCPHOST_E_LIMIT; MCPHOST_E_NOMEM. */
int mcph_config_set_enabled(const char *data, size_t len, const char *shown,
                            const char *id, bool enabled, struct mcph_buf *ret_text,
                            mcphost_error **reterr);

/* ---- URLs (url.c) ------------------------------------------------------------------ */

/* The normalized form of an absolute http or https URL: scheme and host in
 * lower case, no default port, a path, no fragment.  0; MCPHOST_E_CONFIG and in
 * *ret_why a static text on what is wrong ("has no host"), which never holds
 * a part of the URL; MCPHOST_E_NOMEM. */
int mcph_url_normalize(const char *text, size_t len, char **ret_url,
                       const char **ret_why);

/* NULL where `text` is "none", blank, or a proxy with scheme, host and port; else a
 * static text on what is wrong, which never holds a part of it. */
const char *mcph_proxy_check(const char *text);
bool mcph_proxy_is_none(const char *text);

/* A token as RFC 9110 has it: what a header may be called. */
bool mcph_header_name_ok(const char *name, size_t len);
/* Without control characters but tabs: one line. */
bool mcph_header_value_ok(const char *value, size_t len);

/* ---- sources ------------------------------------------------------------------
 * What a profile gives the host: something that can be read again. */

/* What set_enabled() wrote. */
struct mcph_config_edit {
    const char *file; /* borrowed from the reader */
    struct mcph_file_sig before, after;
};

struct mcph_config_reader {
    const char *name;
    /* Reads the present state.  A configuration comes back also when it is
     * rejected; failure means only that none could be made (no memory). */
    int (*read)(struct mcph_config_reader *source, mcphost_config **ret_config,
                mcphost_error **reterr);
    void (*free)(struct mcph_config_reader *source);
    /* Absolute; what to watch.  NULL: nothing that could change. */
    const char *file;
    bool (*counts)(
        const char *name); /* `file` is a directory with these names; or NULL */
    const char *workspace; /* absolute; NULL: none */
    /* The owner may change them: */
    unsigned transports;       /* that servers may have */
    int64_t start_ms, list_ms; /* of starts and lists; 0: the library's */
    bool once;                 /* a reload does not read it again */
    bool keeps_last_good; /* of several files: a bad one is as it was when it was good */
    /* Writes servers.<id>.enabled into the file as mcph_config_set_enabled() does,
     * with the same returns and those of mcph_file_replace().  *ret_edit is set when 1
     * is returned.  NULL: a source that cannot. */
    int (*set_enabled)(struct mcph_config_reader *source, const char *id, bool enabled,
                       struct mcph_config_edit *ret_edit, mcphost_error **reterr);
};

/* Reads with these transports, MCPHOST_ALLOW_*, and frees the reader. */
int mcph_config_reader_once(struct mcph_config_reader *reader, unsigned transports,
                            mcphost_config **ret_config, mcphost_error **reterr);

#endif
