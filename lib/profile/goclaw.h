/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - the profile `goclaw`: servers and skills as plain files of a workspace
 * (R179-R195, B.33-B.35).
 *
 *     <workspace>/.goclaw/mcp.json                                the servers
 *     <workspace>/<skills directory>/<role>/<skill>/SKILL.md      the skills
 *
 * The files are the only state (R186).  Between two calls, the profile keeps no open
 * descriptor, and, except for goclaw_sub.c, no text that it has read.  This
 * profile writes and deletes only below the workspace (R187).  Below the workspace, the
 * profile opens each directory from the descriptor of the parent directory and follows no
 * symbolic link.  Only the reader of a source opens its file by the path, unless
 * MCPHOST_GOCLAW_CONFINED is set for a sub-agent.
 *
 * The functions read and write files, and sync the files to disk.  The functions do not
 * wait for locks.  Any thread may use a struct mcph_goclaw, because its members never
 * change.
 */
#ifndef MCPH_PROFILE_GOCLAW_H
#define MCPH_PROFILE_GOCLAW_H

#include <sys/stat.h>

#include "profile/profile.h"

#include <mcphost/goclaw.h>

#define MCPH_GOCLAW_FILE    ".goclaw/mcp.json"
#define MCPH_GOCLAW_SKILLS  "skills" /* the skills directory unless another is set */
#define MCPH_GOCLAW_ROLE    "main"   /* the role of the main agent */
#define MCPH_GOCLAW_PRIVATE ".goclaw/skills" /* skills in a sub-agent's work directory */
#define MCPH_GOCLAW_SOURCES \
    (MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE)

/* If a file, a directory or the number of servers exceeds a limit, the functions return
 * MCPHOST_E_LIMIT with the limit in the message.  A name that is too long gives
 * MCPHOST_E_INVALID. */
#define MCPH_GOCLAW_NAME_MAX    255           /* bytes of a role, skill or server name */
#define MCPH_GOCLAW_SIZE_MAX    (1024 * 1024) /* bytes of mcp.json */
#define MCPH_GOCLAW_SERVERS_MAX 1000          /* servers in mcp.json after an addition */
#define MCPH_GOCLAW_SKILL_BYTES (1024 * 1024) /* limit on the bytes of a SKILL.md */
#define MCPH_GOCLAW_NAMES_MAX \
    10000                             /* names in a role's directory, and files in a
                                       * skill that is deleted */
#define MCPH_GOCLAW_DEPTH_MAX   32    /* levels of directories in a deleted skill */
#define MCPH_GOCLAW_TIMEOUT_MAX 86400 /* limit on a time-out, in seconds */
#define MCPH_GOCLAW_WAIT_MS     10000 /* default limit in ms of starts and lists (B.37) */

/* ---- reading the servers (goclaw.c) ------------------------------------------------ */

/* In all functions below, `flags` is a set of MCPHOST_GOCLAW_*.  A function ignores flags
 * that it does not use. */

/* Parses text in memory by the rules of mcp.json.  Diagnostics call the text `name`.
 * Sets *ret_config also if the text is rejected.  Returns 0, MCPHOST_E_IO or
 * MCPHOST_E_NOMEM. */
int mcph_goclaw_parse(const char *data, size_t len, const char *name,
                      const char *workspace, uint64_t flags, mcphost_config **ret_config,
                      mcphost_error **reterr);

/* The keys that the tools write into a server's entry, in the order of writing.  NULL
 * ends the array. */
extern const char *const mcph_goclaw_keys[];
/* The keys that only later versions of goclaw know and that only people write (B.39).
 * NULL ends the array. */
extern const char *const mcph_goclaw_later_keys[];

/* ---- listing the servers (goclaw_list.c) ------------------------------------------- */

struct mcph_goclaw;

/* Appends a JSON array of all servers in the order of their names, each with `name` and
 * the members of its entry that the profile knows.  Leaves out an entry that is not an
 * object.  A missing file counts as a file without servers.  Unless
 * MCPHOST_GOCLAW_SHOW_SECRETS is set, hides the values of `env` and of headers, and the
 * userinfo and query of `url`.  Returns 0, MCPHOST_E_CONFIG (with line and column),
 * MCPHOST_E_NOTFOUND if the workspace is missing, MCPHOST_E_DENIED, MCPHOST_E_LIMIT,
 * MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_goclaw_list_servers(const struct mcph_goclaw *goclaw, struct mcph_buf *buf,
                             mcphost_error **reterr);

/* ---- a workspace (goclaw_place.c) -------------------------------------------------- */

struct mcph_goclaw {
    char *workspace;  /* absolute path */
    char *skills_dir; /* relative to `workspace` */
    char *file;       /* absolute path of mcp.json */
    uint64_t flags;   /* set of MCPHOST_GOCLAW_* */
};

/* Makes the object for a workspace.  `skills_dir` is relative and must stay below the
 * workspace.  A `skills_dir` of NULL means MCPH_GOCLAW_SKILLS.  The workspace and
 * `skills_dir` need not exist.  If `workspace` is NULL, the workspace is the current
 * directory.  Returns 0, MCPHOST_E_INVALID for a bad `skills_dir`, MCPHOST_E_IO or
 * MCPHOST_E_NOMEM. */
int mcph_goclaw_new(const char *workspace, const char *skills_dir, uint64_t flags,
                    struct mcph_goclaw **ret, mcphost_error **reterr);
void mcph_goclaw_free(struct mcph_goclaw *goclaw); /* NULL is allowed */

/* Checks the name of a role, skill or server (B.34): an ASCII letter or digit, then
 * letters, digits, '_' and '-'.  Returns NULL if the name is good.  Otherwise returns a
 * static text for a message: "the name of the skill" TEXT. */
const char *mcph_goclaw_name_fault(struct mcph_span name);

/* ---- writing the servers (goclaw_write.c) ------------------------------------------
 * Each of these functions reads the file, makes one edit, and replaces the file whole.
 * Each returns 1 if the file was written, 0 if there was nothing to change, or
 *
 *   MCPHOST_E_BUSY      another process writes, or has moved the directory; nothing has
 *                       changed, retry later
 *   MCPHOST_E_INVALID   the name or the entry is not acceptable
 *   MCPHOST_E_NOTFOUND  the server or the workspace does not exist
 *   MCPHOST_E_CONFIG    the file is not acceptable and stays as it is; the error has line
 *                       and column
 *   MCPHOST_E_STATE     a program that takes no lock has changed the file three times
 *   MCPHOST_E_DENIED    the path has a symbolic link, or the file is read-only
 *   MCPHOST_E_LIMIT, MCPHOST_E_IO, MCPHOST_E_NOMEM
 *
 * If a function returns 1, the new file has reached the disk.  The function then also
 * sets *ret_edit, unless `ret_edit` is NULL.  The `file` of `ret_edit` is borrowed. */

/* Adds a server, or replaces its entry.  `entry` is a JSON object with the keys of
 * mcph_goclaw_keys.  The server is enabled unless `enabled` is false.  Ignores the key
 * `name`.  Any other key, or an entry that the reader would reject, gives
 * MCPHOST_E_INVALID.  Trims arguments and drops blank arguments (B.35).  Keeps other keys
 * of the old entry, with two exceptions: `http_headers`, which is another spelling of
 * `headers`, and the bearer token if the URL changes. */
int mcph_goclaw_put_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                           struct mcph_span entry, struct mcph_config_edit *ret_edit,
                           mcphost_error **reterr);
/* These functions delete a server, or enable or disable a server.  They accept any name
 * that occurs in the file (B.34). */
int mcph_goclaw_delete_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                              struct mcph_config_edit *ret_edit, mcphost_error **reterr);
int mcph_goclaw_enable_server(const struct mcph_goclaw *goclaw, struct mcph_span name,
                              bool enabled, struct mcph_config_edit *ret_edit,
                              mcphost_error **reterr);

/* ---- skills (goclaw_skills.c, goclaw_skill_write.c) -------------------------------- */

struct mcph_goclaw_skill {
    char *name;
    char *dir;         /* absolute path */
    char *file;        /* absolute path of SKILL.md, else of skill.md, or NULL */
    bool enabled;      /* the file `.disabled` does not exist (R180) */
    char *description; /* from the front matter, or NULL */
    char *warning;     /* the fault of the front matter, or NULL (B.38) */
    char *content;     /* text of `file`, ended by a NUL, or NULL if not read */
    size_t len;
};

struct mcph_goclaw_skills {
    /* Holds struct mcph_goclaw_skill * in the order of the bytes of their names. */
    struct mcph_vec items;
    char *base_dir; /* absolute path of the role's directory */
    bool has_role;  /* the directory `base_dir` exists */
};

void mcph_goclaw_skill_free(struct mcph_goclaw_skill *skill); /* NULL is allowed */
void mcph_goclaw_skills_free(struct mcph_goclaw_skills *skills);

/* In all functions below, an empty `role` means MCPH_GOCLAW_ROLE.  The functions check
 * the role and the name before they touch a file (R187).  A role or a name that breaks
 * the rule for names gives MCPHOST_E_INVALID.  A symbolic link in a path gives
 * MCPHOST_E_DENIED.  Other codes are MCPHOST_E_NOTFOUND if the skill or the workspace
 * does not exist, MCPHOST_E_LIMIT, MCPHOST_E_IO and MCPHOST_E_NOMEM.  Functions that
 * write also return MCPHOST_E_BUSY if another process writes in this role, or has moved
 * the role's directory: retry later. */

/* Lists the skills of a role.  The list omits symbolic links, other entries that are not
 * directories, and names that break the rule for names.  A missing role has no skills.
 * The caller owns *ret. */
int mcph_goclaw_list_skills(const struct mcph_goclaw *goclaw, struct mcph_span role,
                            bool with_disabled, struct mcph_goclaw_skills **ret,
                            mcphost_error **reterr);
/* Lists the skills in `.goclaw/skills` of a sub-agent's directory (R209), like
 * mcph_goclaw_list_skills().  If `.goclaw/skills` does not exist, `has_role` is false. */
int mcph_goclaw_list_private_skills(const char *workdir, bool with_disabled,
                                    struct mcph_goclaw_skills **ret,
                                    mcphost_error **reterr);
/* Gets one skill.  A directory without SKILL.md and skill.md is a skill without content.
 * The caller owns *ret. */
int mcph_goclaw_get_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                          struct mcph_span name, bool with_content,
                          struct mcph_goclaw_skill **ret, mcphost_error **reterr);

enum { MCPH_GOCLAW_DISABLE, MCPH_GOCLAW_ENABLE, MCPH_GOCLAW_KEEP };

/* Writes SKILL.md, and makes missing directories.  `enabled` is MCPH_GOCLAW_DISABLE,
 * MCPH_GOCLAW_ENABLE or MCPH_GOCLAW_KEEP.  MCPH_GOCLAW_KEEP enables a new skill.  If
 * `overwrite` is false, a skill that has a SKILL.md or skill.md gives MCPHOST_E_EXISTS.
 * A text that is blank, not UTF-8, or has a NUL gives MCPHOST_E_INVALID.  An existing
 * `skill.md` stays.  Readers ignore `skill.md` if there is a SKILL.md.  Returns 1 if the
 * skill is enabled now, 0 if it is disabled. */
int mcph_goclaw_put_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                          struct mcph_span name, struct mcph_span text, int enabled,
                          bool overwrite, mcphost_error **reterr);
/* Removes the directory of a skill with its contents.  Removes symbolic links in the
 * directory and does not follow them.  A file system that is mounted in the directory
 * gives MCPHOST_E_DENIED.  A reader never sees a skill of which only a part is
 * deleted. */
int mcph_goclaw_delete_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                             struct mcph_span name, mcphost_error **reterr);
/* Enables or disables a skill.  Returns 1 if the skill changed, 0 if there was nothing to
 * change, or an error code. */
int mcph_goclaw_enable_skill(const struct mcph_goclaw *goclaw, struct mcph_span role,
                             struct mcph_span name, bool enabled, mcphost_error **reterr);

/* ---- within the profile: goclaw.c, goclaw_entry.c, goclaw_form.c, goclaw_place.c,
 * goclaw_tree.c ---------------------------------------------------------------------- */

#define GOCLAW_TEXT_MAX (MCPH_GOCLAW_SIZE_MAX + (size_t)64 * 1024)

/* A file of servers, and the result of reading it. */
struct goclaw_file {
    char *path;      /* absolute path */
    char *workspace; /* absolute path; relative paths in the file start here */
    bool named;      /* the application named the file; a missing file gives a warning */
    uint64_t flags;
    struct mcph_buf text;
    int code; /* 0, or the error of reading the file, with details in `err` */
    mcphost_error *err;
};

/* Makes a configuration from the result of reading a file.  Sets *ret_config also if the
 * file is rejected.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_goclaw_file_config(const struct goclaw_file *file, unsigned transports,
                            mcphost_config **ret_config, mcphost_error **reterr);
void mcph_goclaw_file_clear(struct goclaw_file *file); /* frees the result of reading */
void mcph_goclaw_file_done(struct goclaw_file *file);
/* Sets the members that are equal in all readers of goclaw files. */
void mcph_goclaw_reader_init(struct mcph_config_reader *base);

/* Reads one entry of `servers`.  mcph_reading_servers() calls this function. */
void mcph_goclaw_read_server(struct mcph_check *check, struct mcph_config_server *server,
                             const struct mcph_node *key, struct mcph_node *node);
/* Returns the description of a node for an error message: the text of a fraction, or else
 * the kind of the node. */
const char *mcph_goclaw_found(const struct mcph_node *node);

/* Kinds of edits of the servers. */
enum { GOCLAW_PUT, GOCLAW_DELETE, GOCLAW_ENABLE };

struct goclaw_edit {
    int what;                      /* one of GOCLAW_* */
    const char *name;              /* name of the server */
    const struct mcph_node *entry; /* the new entry, a map, for GOCLAW_PUT */
    bool enabled;                  /* for GOCLAW_PUT and GOCLAW_ENABLE */
};

/* Appends the edited document.  `root` is NULL if the old document is empty.  After
 * this call, check mcph_buf_ok(buf). */
void mcph_goclaw_form_put(struct mcph_buf *buf, const struct mcph_node *root,
                          const struct goclaw_edit *edit);
/* Checks whether `key` is one of mcph_goclaw_keys. */
bool mcph_goclaw_form_knows(const char *key);

/* A directory below the workspace, locked while it is open. */
struct goclaw_dir {
    const struct mcph_goclaw *goclaw;
    const char *path; /* relative to the workspace; also shown in messages */
    /* Descriptors of the workspace and of the directory, or -1 if not open. */
    int top, fd;
};

/* Opens the workspace directory.  Returns a descriptor, MCPHOST_E_NOTFOUND if the
 * directory is missing, or the code of another error of open(). */
int mcph_goclaw_open_top(const struct mcph_goclaw *goclaw, mcphost_error **reterr);
/* Opens and locks a directory.  If `make` is true, makes missing directories.  Otherwise
 * a missing directory gives MCPHOST_E_NOTFOUND.  Returns MCPHOST_E_BUSY if another writer
 * has the lock.  After this call, call mcph_goclaw_dir_close(), also on failure. */
int mcph_goclaw_dir_open(struct goclaw_dir *dir, const struct mcph_goclaw *goclaw,
                         const char *path, bool make, mcphost_error **reterr);
void mcph_goclaw_dir_close(struct goclaw_dir *dir);
/* Checks that the path still leads to the opened directory.  Returns 0, MCPHOST_E_BUSY if
 * the directory was moved or replaced, or MCPHOST_E_NOMEM. */
int mcph_goclaw_dir_check(const struct goclaw_dir *dir, mcphost_error **reterr);

/* Opens a path below a directory.  Messages call the path `shown`.  Returns a descriptor,
 * MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED for a symbolic link, or another error code. */
int mcph_goclaw_open(int dir, const char *name, int flags, const char *shown,
                     mcphost_error **reterr);
/* Reads a regular file of at most `max` bytes into the empty `buf`.  *ret_sig and *ret_st
 * describe the file that was read.  Each of these two pointers may be NULL. */
int mcph_goclaw_read(int dir, const char *name, size_t max, const char *shown,
                     struct mcph_buf *buf, struct mcph_file_sig *ret_sig,
                     struct stat *ret_st, mcphost_error **reterr);

/* The new contents of a file, written to a temporary file in the same directory. */
struct goclaw_new_file {
    int dir, fd;
    const char *name, *temp, *shown;
};

/* Writes the contents to the file `temp` in `dir` and syncs this file.  The new file gets
 * the mode and the owner of `old`, or the mode `mode` if `old` is NULL.  The caller holds
 * the lock.  Removes an existing `temp`, because only a killed process can have left
 * `temp`. */
int mcph_goclaw_new_file_write(struct goclaw_new_file *file, struct mcph_span text,
                               const struct stat *old, mode_t mode,
                               mcphost_error **reterr);
/* Renames the new file to `name` and syncs the directory. */
int mcph_goclaw_new_file_place(struct goclaw_new_file *file, mcphost_error **reterr);
/* Closes the new file.  Removes `temp` if it was not renamed. */
void mcph_goclaw_new_file_done(struct goclaw_new_file *file);

/* The names of files in a skill's directory. */
#define GOCLAW_MAIN_FILE  "SKILL.md"
#define GOCLAW_OTHER_FILE "skill.md"
#define GOCLAW_FLAG       ".disabled"

/* The place of a skill, or of a role if `name` is NULL (goclaw_skills.c). */
struct goclaw_skill_place {
    size_t *front_left; /* argument `left` of mcph_goclaw_front_read() */
    const struct mcph_goclaw *goclaw;
    char *role_dir; /* path of the role's directory, relative to the workspace */
    char *name;
    char *shown; /* path of the skill or the role in the workspace */
};

/* Checks the names and sets the place of a skill, or of a role if `name` is NULL.  After
 * this call, call mcph_goclaw_skill_done(), also on failure. */
int mcph_goclaw_skill_init(struct goclaw_skill_place *place,
                           const struct mcph_goclaw *goclaw, struct mcph_span role,
                           const struct mcph_span *name, mcphost_error **reterr);
void mcph_goclaw_skill_done(struct goclaw_skill_place *place);
/* Opens the directory of a skill.  `role` is the descriptor of the role's directory.
 * Returns a descriptor or an error code. */
int mcph_goclaw_skill_open(const struct goclaw_skill_place *place, int role,
                           mcphost_error **reterr);
/* Reads the front matter of a skill and sets `description` and `warning`
 * (goclaw_front.c).  `dir` is the descriptor of the skill's directory.  *left is the
 * number of bytes of front matters that may still be read.  The function lowers *left.
 * If `left` is NULL, there is no limit.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_goclaw_front_read(int dir, struct mcph_goclaw_skill *skill, size_t *left);
/* These functions append one skill as a JSON object, or all skills as a JSON array
 * (goclaw_front.c). */
void mcph_goclaw_skill_put(struct mcph_buf *buf, const struct mcph_goclaw_skill *skill,
                           struct mcph_span role, bool content);
void mcph_goclaw_skills_put(struct mcph_buf *buf, const struct mcph_goclaw_skills *skills,
                            struct mcph_span role);
/* Checks whether the entry `name` exists.  Returns false only if it is certain that the
 * entry does not exist. */
bool mcph_goclaw_exists(int dir, const char *name);

int mcph_goclaw_sync(int dir, const char *shown, mcphost_error **reterr);

/* Removes the directory `name` in `dir` with its contents.  If `remove` is false, only
 * checks the limits and changes nothing. */
int mcph_goclaw_remove_tree(int dir, const char *name, bool remove, const char *shown,
                            mcphost_error **reterr);

#endif
