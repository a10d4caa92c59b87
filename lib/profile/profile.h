/* SPDX-License-Identifier: MIT
 *
 * profile.h - interface of lib/profile: front ends that turn the configuration files of a
 * product into server specs.
 *
 * There are five profiles.  `dominds` reads .minds/mcp.yaml (R1-R18, B.2-B.5), `team`
 * reads .minds/team.yaml (B.18), `mcpservers` reads .mcp.json, `goclaw` reads
 * .goclaw/mcp.json, and `chatos` reads the plugins of ChatOS.
 *
 * A profile reads files and decides the meaning of their keys.  It starts no server and
 * resolves no variable.  A reader keeps no state between two reads.  There are three
 * exceptions: many.c keeps the last good state of each file, goclaw_sub.c keeps the text
 * of its file, and a ChatOS registry keeps its last scan.
 */
#ifndef MCPH_PROFILE_H
#define MCPH_PROFILE_H

#include <mcphost/chatos.h>

#include "catalog/catalog.h"
#include "config/config.h"

/* False if the library was built without the profiles of other programs: `mcpservers`,
 * `goclaw` and `chatos`. */
extern const bool mcph_profile_has_all;

/* ---- one file (form.c) ------------------------------------------------------------- */

/* The format of a file of servers.  A form for mcph_form_reader_new() must be static,
 * because the reader keeps the pointer. */
struct mcph_form {
    const char *source; /* `source` of the configurations, for example "dominds" */
    const char *place;  /* the path in the workspace, used if no file is named */
    size_t size_max;
    unsigned transports; /* MCPHOST_ALLOW_* that servers may have by default */
    /* Fills a configuration from text.  Errors in the text become diagnostics, not a
     * failure.  Returns 0 or MCPHOST_E_NOMEM. */
    int (*fill)(mcphost_config *config, const char *data, size_t len);
    /* Sets `enabled` of a server in the file.  The readers get this function.  The member
     * is NULL if the readers cannot edit the file. */
    int (*set_enabled)(struct mcph_config_reader *reader, const char *id, bool enabled,
                       struct mcph_config_edit *ret_edit, mcphost_error **reterr);
};

/* Parses text in memory.  Diagnostics call the text `name`.  `transports` is the set of
 * MCPHOST_ALLOW_* of the transports that servers may use.  Sets *ret_config also if the
 * text is rejected.  Returns 0, MCPHOST_E_IO if there is no current directory, or
 * MCPHOST_E_NOMEM. */
int mcph_form_parse(const struct mcph_form *form, const char *data, size_t len,
                    const char *name, const char *workspace, unsigned transports,
                    mcphost_config **ret_config, mcphost_error **reterr);
/* Makes a reader of one file.  If `file` is NULL, the file is form->place in the
 * workspace.  This default file may be absent.  If `workspace` is NULL, the workspace is
 * the current directory.  Returns 0, MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_form_reader_new(const struct mcph_form *form, const char *file,
                         const char *workspace, struct mcph_config_reader **ret,
                         mcphost_error **reterr);

/* Makes a reader of one file of the Dominds form.  If `file` is NULL, the file is
 * WORKSPACE/.minds/mcp.yaml.  This default file may be absent.  If `workspace` is NULL,
 * the workspace is the current directory. */
int mcph_dominds_source_new(const char *file, const char *workspace,
                            struct mcph_config_reader **ret_source,
                            mcphost_error **reterr);

/* ---- several files (many.c) -----------------------------------------------------------
 * These readers join several files of the form of .minds/mcp.yaml into one
 * configuration.  Servers come in the order of the files.  Each diagnostic names its own
 * file.  If two files declare the same server id, the earlier file keeps the id and the
 * later file gets an error. */

/* Makes a reader of a list of 1 to 1,000 files.  Relative `files` start at the current
 * directory.  The reader rejects a missing file.  Returns 0, MCPHOST_E_INVALID for no
 * file, a path that is NULL or empty, or a file named twice, MCPHOST_E_LIMIT,
 * MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_many_reader_new(const char *const *files, size_t n, const char *workspace,
                         struct mcph_config_reader **ret, mcphost_error **reterr);
/* Makes a reader of the files NAME.yaml and NAME.yml in a directory, in the order of the
 * bytes of their names.  The reader skips hidden files and does not search
 * subdirectories.  If the directory is missing or has more than 1,000 of these files, the
 * reader rejects the whole configuration. */
int mcph_dir_reader_new(const char *dir, const char *workspace,
                        struct mcph_config_reader **ret, mcphost_error **reterr);

/* Parses text in memory by the rules of .minds/mcp.yaml.  Diagnostics call the text
 * `name`.  `transports` has the MCPHOST_ALLOW_* that servers may have. */
int mcph_dominds_parse(const char *data, size_t len, const char *name,
                       const char *workspace, unsigned transports,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* ---- `mcpServers` (mcpservers.c) ----------------------------------------------------
 * These functions read the JSON file that Claude Desktop, Claude Code, Cursor and
 * llama.cpp share.  If `file` is NULL, the file is WORKSPACE/.mcp.json.  This default
 * file may be absent. */

int mcph_mcpservers_parse(const char *data, size_t len, const char *name,
                          const char *workspace, unsigned transports,
                          mcphost_config **ret_config, mcphost_error **reterr);
int mcph_mcpservers_reader_new(const char *file, const char *workspace,
                               struct mcph_config_reader **ret, mcphost_error **reterr);

/* ---- goclaw (goclaw.c, goclaw_tools.c) --------------------------------------------- */

/* Makes a reader of one file.  If `file` is NULL, the file is WORKSPACE/.goclaw/mcp.json.
 * A relative `file` starts at the workspace.  A missing or empty file gives a
 * configuration without servers.  If a named file is missing, there is a warning.  If no
 * file is named and the workspace is missing, there is an error.  If `workspace` is NULL,
 * the workspace is the current directory.
 *
 * A server without `enabled`, or with `enabled` false or null, is
 * MCPHOST_CONFIG_SERVER_DISABLED.  The reader does not read the rest of a disabled entry.
 * If `file` is NULL, the reader can set `enabled` in the file (goclaw_write.c).  The
 * reader then returns MCPHOST_E_BUSY while another process writes.
 *
 * The caller owns *ret_source.  Returns 0, MCPHOST_E_IO if there is no current directory,
 * or MCPHOST_E_NOMEM. */
int mcph_goclaw_source_new(const char *file, const char *workspace, uint64_t flags,
                           struct mcph_config_reader **ret_source,
                           mcphost_error **reterr);

/* Makes a reader of the servers of a sub-agent.  mcphost_goclaw_load_subagent() describes
 * how this function chooses the file.  Reads the file once.  Returns 0, MCPHOST_E_DENIED
 * if MCPHOST_GOCLAW_CONFINED forbids the file, MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_goclaw_subagent_new(const char *workspace, const char *workdir, const char *file,
                             uint64_t flags, struct mcph_config_reader **ret_source,
                             mcphost_error **reterr);

/* Makes a JSON object of an agent's skills.  `workdir` is the directory of a sub-agent,
 * or NULL.  The caller owns *ret_json.  Returns 0, MCPHOST_E_INVALID for a bad
 * `skills_dir` or `role`, MCPHOST_E_NOTFOUND if the workspace is missing,
 * MCPHOST_E_DENIED for a symbolic link, MCPHOST_E_LIMIT, MCPHOST_E_IO or
 * MCPHOST_E_NOMEM. */
int mcph_goclaw_make_skills_json(const char *workspace, const char *workdir,
                                 const char *skills_dir, const char *role, uint64_t flags,
                                 char **ret_json, size_t *ret_len,
                                 mcphost_error **reterr);

/* Makes a set of built-in tools with the toolsets mcp_admin and skills_admin.  Returns 0,
 * MCPHOST_E_INVALID for a bad `skills_dir`, MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_goclaw_builtins_new(const char *workspace, const char *skills_dir,
                             uint64_t flags, mcphost_builtins **ret,
                             mcphost_error **reterr);

/* ---- ChatOS (chatos_registry.c, chatos_inject.c, chatos_sync.c) -----------------------
 * The public functions of <mcphost/chatos.h> check their arguments and call the
 * functions below. */

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

/* Makes a configuration of one stdio server, with defaults for all other settings.  The
 * `source` of the configuration is "command". */
int mcph_profile_stdio(const char *id, const char *const *argv, const char *workspace,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* Makes a configuration of one server at a URL, with defaults for all other settings.
 * `transport` is MCPHOST_TRANSPORT_STREAMABLE_HTTP or _SSE.  `headers` has texts "Name:
 * value" and ends with NULL.  `headers` may be NULL.  The `source` of the configuration
 * is "url".  Returns 0, MCPHOST_E_CONFIG for a bad URL, MCPHOST_E_INVALID for a header
 * without a valid name, MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_profile_http(int transport, const char *id, const char *url,
                      const char *const *headers, const char *workspace,
                      mcphost_config **ret_config, mcphost_error **reterr);

/* Sets the era of a configuration that mcph_profile_stdio() or mcph_profile_http() made,
 * and seals its spec again.  Returns 0, MCPHOST_E_STATE if another function made the
 * configuration or the configuration is shared, MCPHOST_E_INVALID if `era` is
 * MCPHOST_ERA_MODERN and the transport has no modern era, or MCPHOST_E_NOMEM. */
int mcph_profile_set_era(mcphost_config *config, int era);

/* ---- team.yaml (team.c) ---------------------------------------------------------------
 * A team source reads `toolsets` and `tools` of each member, both lists of names (B.18).
 * Other keys belong to other programs.  A grant holds names only:
 * mcph_catalog_new_granted() decides which tools the names give. */

/* Makes a source of teams that reads a file.  If `file` is NULL, the file is
 * WORKSPACE/.minds/team.yaml.  If this default file is missing, the team has no members.
 * A relative `file` starts at the workspace. */
int mcph_team_source_new(const char *file, const char *workspace,
                         struct mcph_team_source **ret_source, mcphost_error **reterr);

/* ---- shared by the profiles -------------------------------------------------------- */

/* Adds a report of a YAML or JSON reader to the configuration `arg` as a diagnostic.  An
 * error rejects the whole configuration.  This function is a mcph_doc_report_fn. */
int mcph_profile_report(int severity, const char *key, int line, int column,
                        const char *text, void *arg);

/* Makes the absolute path of a workspace.  If `dir` is NULL, the path is the current
 * directory.  A relative `dir` starts at the current directory.  Returns 0, MCPHOST_E_IO
 * or MCPHOST_E_NOMEM. */
int mcph_profile_workspace(const char *dir, char **ret_path, mcphost_error **reterr);

/* Checks that a workspace exists.  Returns 0, or MCPHOST_E_NOTFOUND if stat() fails or
 * the workspace is not a directory.  Callers use this check when a file is missing: a
 * missing file is no error, but a mistyped workspace is an error. */
int mcph_profile_check_workspace(const char *dir, mcphost_error **reterr);
/* Makes `path` absolute.  A relative path starts at `dir`.  Returns NULL if there is no
 * memory. */
char *mcph_profile_join(const char *dir, const char *path);

/* Makes the path of a program.  A name without a slash stays as it is: the start of the
 * server looks the name up in PATH.  Other relative paths start at `dir`.  Returns NULL
 * if there is no memory. */
char *mcph_profile_command(const char *dir, const char *command);

/* Reads one server of a Dominds file into `server` (dominds_server.c).  Reports errors
 * through `check`. */
void mcph_dominds_server(struct mcph_check *check, struct mcph_config_server *server,
                         const struct mcph_node *key, struct mcph_node *node);

#endif
