/* SPDX-License-Identifier: MIT
 *
 * profile.h - the room `profile`: front ends that turn the configuration files of a
 * product into server specs.
 *
 * The profiles: `dominds` reads .minds/mcp.yaml (R1-R18, B.2-B.5), `team` reads
 * .minds/team.yaml (B.18), `mcpservers` reads .mcp.json, `goclaw` reads .goclaw/mcp.json,
 * and `chatos` reads the plugins of ChatOS.
 *
 * A profile reads files and decides what their keys mean.  It starts no server and
 * resolves no variable.  A reader keeps no state between two reads.  There are two
 * exceptions: many.c keeps the last good state of each file, and a ChatOS registry keeps
 * its last scan.
 */
#ifndef MCPH_PROFILE_H
#define MCPH_PROFILE_H

#include <mcphost/chatos.h>

#include "catalog/catalog.h"
#include "config/config.h"

/* ---- one file (form.c) ------------------------------------------------------------- */

/* The format of a file of servers.  A reader keeps the pointer, so a form that
 * mcph_form_reader_new() gets is static. */
struct mcph_form {
    const char *source; /* the `source` of its configurations: "dominds" */
    const char *place;  /* path in a workspace, if no file is named */
    size_t size_max;
    unsigned transports; /* MCPHOST_ALLOW_*: what servers may have by default */
    /* Fills a configuration from text.  Errors in the text become diagnostics, not a
     * failure.  0, MCPHOST_E_NOMEM. */
    int (*fill)(mcphost_config *config, const char *data, size_t len);
    /* The `set_enabled` of the readers; NULL: they cannot edit the file. */
    int (*set_enabled)(struct mcph_config_reader *reader, const char *id, bool enabled,
                       struct mcph_config_edit *ret_edit, mcphost_error **reterr);
};

/* Parses text in memory; diagnostics call it `name`.  `transports`: the MCPHOST_ALLOW_*
 * that servers may have.  *ret_config is set also if the text is rejected.  0,
 * MCPHOST_E_IO (no current directory), MCPHOST_E_NOMEM. */
int mcph_form_parse(const struct mcph_form *form, const char *data, size_t len,
                    const char *name, const char *workspace, unsigned transports,
                    mcphost_config **ret_config, mcphost_error **reterr);
/* A reader of one file.  `file` NULL: form->place in the workspace, which may be absent.
 * `workspace` NULL: the current directory.  0, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_form_reader_new(const struct mcph_form *form, const char *file,
                         const char *workspace, struct mcph_config_reader **ret,
                         mcphost_error **reterr);

/* A reader of one file of the Dominds form.  `file` NULL: WORKSPACE/.minds/mcp.yaml,
 * which may be absent.  `workspace` NULL: the current directory. */
int mcph_dominds_source_new(const char *file, const char *workspace,
                            struct mcph_config_reader **ret_source,
                            mcphost_error **reterr);

/* ---- several files (many.c) -----------------------------------------------------------
 * A reader that joins several files of the form of .minds/mcp.yaml into one
 * configuration.  Servers come in the order of the files, and each diagnostic names its
 * own file.  If two files declare the same server id, the earlier file keeps it and the
 * later one gets an error. */

/* A reader of a list of 1 to 1,000 files.  Relative `files` start at the current
 * directory.  A missing file is rejected when it is read.  0, MCPHOST_E_INVALID (no file,
 * a path that is NULL or empty, a file named twice), MCPHOST_E_LIMIT, MCPHOST_E_IO,
 * MCPHOST_E_NOMEM. */
int mcph_many_reader_new(const char *const *files, size_t n, const char *workspace,
                         struct mcph_config_reader **ret, mcphost_error **reterr);
/* A reader of the files NAME.yaml and NAME.yml in a directory, in the order of the bytes
 * of their names.  Hidden files and subdirectories are skipped.  A missing directory, or
 * more than 1,000 files, rejects the whole configuration. */
int mcph_dir_reader_new(const char *dir, const char *workspace,
                        struct mcph_config_reader **ret, mcphost_error **reterr);

/* Parses text in memory by the rules of .minds/mcp.yaml; diagnostics call it `name`.
 * `transports`: the MCPHOST_ALLOW_* that servers may have. */
int mcph_dominds_parse(const char *data, size_t len, const char *name,
                       const char *workspace, unsigned transports,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* ---- `mcpServers` (mcpservers.c) ----------------------------------------------------
 * The JSON file that Claude Desktop, Claude Code, Cursor and llama.cpp share.  `file`
 * NULL: WORKSPACE/.mcp.json, which may be absent. */

int mcph_mcpservers_parse(const char *data, size_t len, const char *name,
                          const char *workspace, unsigned transports,
                          mcphost_config **ret_config, mcphost_error **reterr);
int mcph_mcpservers_reader_new(const char *file, const char *workspace,
                               struct mcph_config_reader **ret, mcphost_error **reterr);

/* ---- goclaw (goclaw.c, goclaw_tools.c) --------------------------------------------- */

/* A reader of one file.  `file` NULL: WORKSPACE/.goclaw/mcp.json.  A relative `file`
 * starts at the workspace.  A missing or empty file gives a configuration without
 * servers; if a named file is missing, there is a warning.  `workspace` NULL: the current
 * directory.
 *
 * A server whose `enabled` is not true is MCPHOST_CONFIG_SERVER_DISABLED, and the rest of
 * its entry is not read.  If `file` is NULL, the reader can set `enabled` in the file
 * (goclaw_write.c); it returns MCPHOST_E_BUSY while another process writes.
 *
 * The caller owns *ret_source.  0, MCPHOST_E_IO (no current directory),
 * MCPHOST_E_NOMEM. */
int mcph_goclaw_source_new(const char *file, const char *workspace, uint64_t flags,
                           struct mcph_config_reader **ret_source,
                           mcphost_error **reterr);

/* A reader of the servers of a sub-agent.  mcphost_goclaw_load_subagent() describes how
 * the file is chosen.  The file is read here, and never again.  0, MCPHOST_E_DENIED (by
 * MCPHOST_GOCLAW_CONFINED), MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_subagent_new(const char *workspace, const char *workdir, const char *file,
                             uint64_t flags, struct mcph_config_reader **ret_source,
                             mcphost_error **reterr);

/* Makes a JSON object of an agent's skills.  `workdir` is the directory of a sub-agent,
 * or NULL.  The caller owns *ret_json.  0, MCPHOST_E_INVALID (`skills_dir`, `role`),
 * MCPHOST_E_NOTFOUND (no such workspace), MCPHOST_E_DENIED (a symbolic link),
 * MCPHOST_E_LIMIT, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_make_skills_json(const char *workspace, const char *workdir,
                                 const char *skills_dir, const char *role, uint64_t flags,
                                 char **ret_json, size_t *ret_len,
                                 mcphost_error **reterr);

/* Makes a block of built-in tools with the toolsets mcp_admin and skills_admin.  0,
 * MCPHOST_E_INVALID (`skills_dir`), MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_builtins_new(const char *workspace, const char *skills_dir,
                             uint64_t flags, mcphost_builtins **ret,
                             mcphost_error **reterr);

/* ---- ChatOS (chatos_registry.c, chatos_inject.c, chatos_sync.c) -----------------------
 * The public functions of <mcphost/chatos.h> check their arguments and call these. */

int mcph_chatos_new(mcphost *host, mcphost_chatos **ret, mcphost_error **reterr);
mcphost_chatos *mcph_chatos_ref(mcphost_chatos *chatos);
void mcph_chatos_unref(mcphost_chatos *chatos);
int mcph_chatos_set_dir(mcphost_chatos *chatos, int dir, const char *path,
                        mcphost_error **reterr);
int mcph_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags);
int mcph_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                          mcphost_error **reterr);
int mcph_chatos_begin_scan(mcphost_chatos *chatos, mcphost_chatos_scan_fn done, void *arg,
                           mcphost_free_fn free_arg);
int mcph_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms);
int mcph_chatos_list_apps(mcphost_chatos *chatos, char **ret_json, size_t *ret_len,
                          mcphost_error **reterr);
int mcph_chatos_contribution(mcphost_chatos *chatos, const char *plugin, const char *app,
                             char **ret_json, size_t *ret_len, mcphost_error **reterr);
int mcph_chatos_get_config(mcphost_chatos *chatos, int flow, mcphost_config **ret,
                           mcphost_error **reterr);
int mcph_chatos_follow(mcphost_chatos *chatos, mcphost_source *source, int flow,
                       mcphost_error **reterr);
int mcph_chatos_check_record(const char *json, size_t len, mcphost_error **reterr);
int mcph_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                       size_t len, int flow, const char *language,
                       mcphost_chatos_run **ret, mcphost_error **reterr);
const char *mcph_chatos_run_json(const mcphost_chatos_run *run, size_t *ret_len);
int mcph_chatos_run_end(mcphost_chatos_run *run);
mcphost_chatos_run *mcph_chatos_run_ref(mcphost_chatos_run *run);
void mcph_chatos_run_unref(mcphost_chatos_run *run);
int mcph_chatos_sync(mcphost_chatos *chatos, mcphost_chatos_put_fn put, void *arg,
                     mcphost_error **reterr);

/* ---- one server without a file (single.c) ------------------------------------------ */

/* A configuration of one stdio server, with defaults for everything else.  Its `source`
 * is "command". */
int mcph_profile_stdio(const char *id, const char *const *argv, const char *workspace,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* The same for one server at a URL.  `transport` is MCPHOST_TRANSPORT_STREAMABLE_HTTP or
 * _SSE.  `headers` (NULL: none) are texts "Name: value", ended by NULL.  The `source` of
 * the configuration is "url". */
int mcph_profile_http(int transport, const char *id, const char *url,
                      const char *const *headers, const char *workspace,
                      mcphost_config **ret_config, mcphost_error **reterr);

/* Sets the era of a configuration of the two functions above and seals its spec again.
 * 0, MCPHOST_E_STATE (the configuration was made otherwise, or is shared),
 * MCPHOST_E_INVALID (the transport has no modern era), MCPHOST_E_NOMEM. */
int mcph_profile_set_era(mcphost_config *config, int era);

/* ---- team.yaml (team.c) ---------------------------------------------------------------
 * Reads `toolsets` and `tools` of each member, both lists of names (B.18).  Other keys
 * belong to other programs.  A grant holds names only: mcph_catalog_new_granted() decides
 * which tools the names give. */

/* A source of teams that reads a file.  `file` NULL: WORKSPACE/.minds/team.yaml; if it is
 * missing, the team has no members.  A relative `file` starts at the workspace. */
int mcph_team_source_new(const char *file, const char *workspace,
                         struct mcph_team_source **ret_source, mcphost_error **reterr);

/* ---- shared by the profiles -------------------------------------------------------- */

/* A mcph_doc_report_fn: adds what a YAML or JSON reader reports to the configuration
 * `arg` as a diagnostic.  An error rejects the whole configuration. */
int mcph_profile_report(int severity, const char *key, int line, int column,
                        const char *text, void *arg);

/* The absolute path of a workspace.  `dir` NULL or relative: it starts at the current
 * directory.  0, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_profile_workspace(const char *dir, char **ret_path, mcphost_error **reterr);

/* 0, or MCPHOST_E_NOTFOUND if the workspace does not exist or is not a directory.
 * Callers use it when a file is missing: a missing file is no error, a mistyped workspace
 * is one. */
int mcph_profile_check_workspace(const char *dir, mcphost_error **reterr);
/* Makes `path` absolute: a relative one starts at `dir`.  NULL: out of memory. */
char *mcph_profile_join(const char *dir, const char *path);

/* The path of a program.  A name without a slash stays as it is and is looked up in PATH;
 * other paths are joined to `dir`. */
char *mcph_profile_command(const char *dir, const char *command);

/* Reads one server of a Dominds file into `server` (dominds_server.c).  Errors are
 * reported through `check`. */
void mcph_dominds_server(struct mcph_check *check, struct mcph_config_server *server,
                         const struct mcph_node *key, struct mcph_node *node);

#endif
