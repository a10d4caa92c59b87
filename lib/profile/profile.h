/* SPDX-License-Identifier: MIT
 *
 * profile.h - the room `profile`: front ends that turn a product's files into
 * server specs.
 *
 * `dominds` reads .minds/mcp.yaml (R1-R18, B.2-B.5), `team` .minds/team.yaml (B.18).  A
 * profile reads files and decides what their keys mean; it starts nothing, resolves no
 * variable, and keeps no state between two reads, except for the last good state of each
 * file of several.
 */
#ifndef MCPH_PROFILE_H
#define MCPH_PROFILE_H

#include <mcphost/chatos.h>

#include "catalog/catalog.h"
#include "config/config.h"

/* ---- one file (form.c) ------------------------------------------------------------- */

/* A form that files may have, static. */
struct mcph_form {
    const char *source; /* what configurations of it are called: "dominds" */
    const char *place;  /* of the file in a workspace, where none is named */
    size_t size_max;
    unsigned transports; /* MCPHOST_ALLOW_*, that it may have if nothing else is said */
    /* Fills a configuration from text; what is wrong with the text is no failure.  0,
     * MCPHOST_E_NOMEM. */
    int (*fill)(mcphost_config *config, const char *data, size_t len);
    /* Of a reader's; NULL: no edits. */
    int (*set_enabled)(struct mcph_config_reader *reader, const char *id, bool enabled,
                       struct mcph_config_edit *ret_edit, mcphost_error **reterr);
};

/* Text in memory; `name` stands for the file.  A configuration comes back also when it is
 * rejected; 0, MCPHOST_E_IO (no current directory), MCPHOST_E_NOMEM. */
int mcph_form_parse(const struct mcph_form *form, const char *data, size_t len,
                    const char *name, const char *workspace, unsigned transports,
                    mcphost_config **ret_config, mcphost_error **reterr);
/* `file` NULL: that of the workspace, which may be absent.  `workspace` NULL: the current
 * directory. */
int mcph_form_reader_new(const struct mcph_form *form, const char *file,
                         const char *workspace, struct mcph_config_reader **ret,
                         mcphost_error **reterr);

/* A source over one file.  `file` NULL: WORKSPACE/.minds/mcp.yaml, which may be
 * absent.  `workspace` NULL: the current directory. */
int mcph_dominds_source_new(const char *file, const char *workspace,
                            struct mcph_config_reader **ret_source,
                            mcphost_error **reterr);

/* ---- several files (many.c) -----------------------------------------------------
 * All of them at once, each in the form of .minds/mcp.yaml: servers in the order of the
 * files, diagnostics with their own file.  A server id that an earlier file declares is
 * an error of the later file alone. */

/* 1 to 1,000 files; `files` relative: from the current directory.  One that is missing is
 * rejected when it is read.  0, MCPHOST_E_INVALID (none, a NULL, one named twice),
 * MCPHOST_E_LIMIT, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_many_reader_new(const char *const *files, size_t n, const char *workspace,
                         struct mcph_config_reader **ret, mcphost_error **reterr);
/* The files NAME.yaml and NAME.yml of a directory in the order of their bytes, but no
 * hidden ones and none of the directories in it.  A directory that is not there, or has
 * more than 1,000 of them, is an error of the whole. */
int mcph_dir_reader_new(const char *dir, const char *workspace,
                        struct mcph_config_reader **ret, mcphost_error **reterr);

/* The same rules over text in memory; `name` stands for the file.  `transports`:
 * MCPHOST_ALLOW_* that servers may have. */
int mcph_dominds_parse(const char *data, size_t len, const char *name,
                       const char *workspace, unsigned transports,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* ---- `mcpServers` (mcpservers.c) ----------------------------------------------------
 * The JSON file of Claude Desktop, Claude Code, Cursor, llama.cpp.  `file` NULL:
 * WORKSPACE/.mcp.json, which may be absent. */

int mcph_mcpservers_parse(const char *data, size_t len, const char *name,
                          const char *workspace, unsigned transports,
                          mcphost_config **ret_config, mcphost_error **reterr);
int mcph_mcpservers_reader_new(const char *file, const char *workspace,
                               struct mcph_config_reader **ret, mcphost_error **reterr);

/* ---- goclaw (goclaw.c, goclaw_tools.c) --------------------------------------------- */

/* A source over one file.  `file` NULL: WORKSPACE/.goclaw/mcp.json.  `file` relative:
 * from the workspace.  A missing or empty file gives a configuration without servers; if
 * a named file is missing, there is a warning.  `workspace` NULL: the current directory.
 *
 * A server whose `enabled` is not true is MCPHOST_CONFIG_SERVER_DISABLED, and the rest of
 * its entry is not read.  If `file` is NULL, the source can set `enabled`
 * (goclaw_write.c); while another process writes, that is MCPHOST_E_BUSY.
 *
 * *ret_source is the caller's.  0, MCPHOST_E_IO (no current directory),
 * MCPHOST_E_NOMEM. */
int mcph_goclaw_source_new(const char *file, const char *workspace, uint64_t flags,
                           struct mcph_config_reader **ret_source,
                           mcphost_error **reterr);

/* The source of a sub-agent: mcphost_goclaw_load_subagent() says which file it has.  The
 * file is read here, and never again.  0, MCPHOST_E_DENIED (by MCPHOST_GOCLAW_CONFINED),
 * MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_subagent_new(const char *workspace, const char *workdir, const char *file,
                             uint64_t flags, struct mcph_config_reader **ret_source,
                             mcphost_error **reterr);

/* The skills of an agent as a JSON object; `workdir` (may be NULL) is a sub-agent's.
 * *ret_json is the caller's.  0, MCPHOST_E_INVALID (`skills_dir`, `role`),
 * MCPHOST_E_NOTFOUND (no such workspace), MCPHOST_E_DENIED (a symbolic link),
 * MCPHOST_E_LIMIT, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_make_skills_json(const char *workspace, const char *workdir,
                                 const char *skills_dir, const char *role, uint64_t flags,
                                 char **ret_json, size_t *ret_len,
                                 mcphost_error **reterr);

/* A block with the toolsets mcp_admin and skills_admin.  0, MCPHOST_E_INVALID
 * (`skills_dir`), MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_goclaw_builtins_new(const char *workspace, const char *skills_dir,
                             uint64_t flags, mcphost_builtins **ret,
                             mcphost_error **reterr);

/* ---- ChatOS (chatos_registry.c, chatos_inject.c, chatos_sync.c) ---------------------
 * As the public functions of <mcphost/chatos.h>, of arguments that are checked. */

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

/* A configuration of one stdio server with defaults everywhere else; its source
 * is called "command" (single.c). */
int mcph_profile_stdio(const char *id, const char *const *argv, const char *workspace,
                       mcphost_config **ret_config, mcphost_error **reterr);

/* The same of one server at a URL, with headers "Name: value" up to a NULL (or NULL),
 * by MCPHOST_TRANSPORT_STREAMABLE_HTTP or _SSE; its source is called "url". */
int mcph_profile_http(int transport, const char *id, const char *url,
                      const char *const *headers, const char *workspace,
                      mcphost_config **ret_config, mcphost_error **reterr);

/* Sets the era of such a configuration and seals it anew: 0, MCPHOST_E_STATE (it has
 * another origin, or is shared), MCPHOST_E_INVALID, MCPHOST_E_NOMEM. */
int mcph_profile_set_era(mcphost_config *config, int era);

/* ---- team.yaml (team.c) ---------------------------------------------------------
 * members.<id>.toolsets and .tools, each a list of names (B.18); other keys are
 * other programs' business.  The grants are names only: mcph_catalog_new_granted()
 * says what they give. */

/* From text in memory; `name` stands for the file.  A team comes back also when it is
 * rejected; 0, MCPHOST_E_IO (no current directory), MCPHOST_E_NOMEM. */
int mcph_team_parse(const char *data, size_t len, const char *name, const char *workspace,
                    struct mcph_team **ret_team, mcphost_error **reterr);
/* The same as a source.  `file` NULL: WORKSPACE/.minds/team.yaml, which is a team without
 * members if it is not there.  `file` relative: from the workspace. */
int mcph_team_source_new(const char *file, const char *workspace,
                         struct mcph_team_source **ret_source, mcphost_error **reterr);

/* ---- shared by the profiles -------------------------------------------------------- */

/* The severity and text of the YAML reader as a diagnostic of the configuration in
 * `arg`; an error rejects the whole.  A mcph_doc_report_fn. */
int mcph_profile_report(int severity, const char *key, int line, int column,
                        const char *text, void *arg);

/* An absolute path of the workspace; `dir` NULL or relative: from the current
 * directory.  0, MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_profile_workspace(const char *dir, char **ret_path, mcphost_error **reterr);

/* 0, or MCPHOST_E_NOTFOUND when the workspace itself is not there or no directory: a
 * mistyped one, while a file that is missing in it is no error. */
int mcph_profile_check_workspace(const char *dir, mcphost_error **reterr);
/* `path` as seen from `dir`; NULL: out of memory. */
char *mcph_profile_join(const char *dir, const char *path);

/* A program: without a slash as it is, for the PATH; else as seen from `dir`. */
char *mcph_profile_command(const char *dir, const char *command);

/* Reads one server of a Dominds file into its entry (dominds_server.c); what is
 * wrong is reported through `check`. */
void mcph_dominds_server(struct mcph_check *check, struct mcph_config_server *server,
                         const struct mcph_node *key, struct mcph_node *node);

#endif
