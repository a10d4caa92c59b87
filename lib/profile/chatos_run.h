/* SPDX-License-Identifier: MIT
 *
 * chatos_run.h - a registry of ChatOS apps on a host, and the servers and prompts that
 * one run of an agent gets (R142-R147, B.27, B.28).
 *
 * A `flow` is an enum mcphost_chatos_flow.  It says whether an agent is the main agent or
 * a sub-agent.
 */
#ifndef MCPH_PROFILE_CHATOS_RUN_H
#define MCPH_PROFILE_CHATOS_RUN_H

#include "host/host.h"
#include "host/view.h"
#include "profile/chatos_apps.h"

/* ---- records of agents (chatos_record.c) ------------------------------------------- */

#define MCPH_CHATOS_RECORD_MAX ((size_t)1024 * 1024) /* limit on the bytes of a record */
#define MCPH_CHATOS_REFS_MAX   1000                  /* limit on the apps in a record */

/* An app that an agent has selected. */
struct mcph_chatos_ref {
    char *plugin, *app;
    bool mcp, prompt;
    struct mcph_strings servers, prompts; /* ids without surrounding white space */
};

struct mcph_chatos_record {
    struct mcph_vec refs; /* holds struct mcph_chatos_ref * */
};

/* Parses a record.  Returns 0, MCPHOST_E_CONFIG with the place of the first error,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_chatos_record_parse(const char *json, size_t len,
                             struct mcph_chatos_record *ret_record,
                             mcphost_error **reterr);
void mcph_chatos_record_done(struct mcph_chatos_record *record);

/* Parses a JSON text that the application gave.  Messages call the text `shown`.  `read`
 * gets the root and reports errors.  The first error becomes *reterr.  Returns the codes
 * of mcph_chatos_record_parse(). */
int mcph_chatos_read_json(const char *json, size_t len, size_t max, const char *shown,
                          void (*read)(struct chatos_reading *rd,
                                       const struct mcph_node *root, void *arg),
                          void *arg, mcphost_error **reterr);

/* ---- the application's own list (chatos_admin.c) ----------------------------------- */

#define MCPH_CHATOS_ADMIN_MAX ((size_t)16 * 1024 * 1024)

struct mcph_chatos_item {
    int kind; /* MCPHOST_CHATOS_SERVER or MCPHOST_CHATOS_PROMPT */
    char *id, *name;
    char *title, *content; /* title and text of a prompt; "" by default */
    bool allow_main, allow_sub;
    char *json; /* the record, as the application gave it */
    size_t json_len;
};

/* An immutable copy of the application's list of servers and prompts. */
struct mcph_chatos_admin {
    struct mcph_refs refs;
    struct mcph_vec items; /* struct mcph_chatos_item *, in the order of the list */
};

/* Parses the application's list.  Returns the codes of mcph_chatos_record_parse(). */
int mcph_chatos_admin_parse(const char *json, size_t len, struct mcph_chatos_admin **ret,
                            mcphost_error **reterr);
struct mcph_chatos_admin *mcph_chatos_admin_new(void); /* NULL if memory is short */
struct mcph_chatos_admin *mcph_chatos_admin_ref(struct mcph_chatos_admin *admin);
struct mcph_chatos_admin *
mcph_chatos_admin_unref(struct mcph_chatos_admin *admin); /* returns NULL */
/* These functions find an item by its id, or by its name without regard to case.  They
 * return NULL if no item matches. */
const struct mcph_chatos_item *
mcph_chatos_admin_by_id(const struct mcph_chatos_admin *admin, int kind, const char *id);
const struct mcph_chatos_item *
mcph_chatos_admin_by_name(const struct mcph_chatos_admin *admin, int kind,
                          const char *name);
/* A record that the application has stored. */
struct mcph_chatos_stored {
    int kind;
    char *name, *json; /* `json` may hold secrets */
};

/* Makes a copy of the list with further records (struct mcph_chatos_stored *).  A further
 * record replaces a record of the list that has the same kind and, without regard to
 * case, the same name.  Returns 0, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_chatos_admin_with(const struct mcph_chatos_admin *admin,
                           const struct mcph_vec *stored, struct mcph_chatos_admin **ret);
/* Returns true if agents of this flow may have a server of the application (B.27).  If
 * the list has no record of the server, returns the default for its name.  Do not call
 * this function for a prompt, because a prompt's item has flags of its own. */
bool mcph_chatos_admin_allows(const struct mcph_chatos_admin *admin, const char *server,
                              int flow);

/* ---- choosing for a run (chatos_choice.c) ------------------------------------------ */

/* The input of mcph_chatos_choose(), apart from the record.  All members are borrowed. */
struct mcph_chatos_world {
    const struct mcph_chatos_apps *apps;
    const struct mcph_chatos_admin *admin;
    const mcphost_config *global; /* configuration of the default source, or NULL */
    uint64_t flags;               /* flags of enum mcphost_chatos_flag */
    int flow;
    int language; /* MCPH_CHATOS_ZH or MCPH_CHATOS_EN */
};

struct mcph_chatos_choice {
    struct mcph_strings global; /* ids of servers of the default source */
    struct mcph_vec own;        /* apps whose own servers were chosen: borrowed const
                                 * struct mcph_chatos_entry * */
    struct mcph_buf servers, prompts, notices; /* each has the items of a JSON array */
};

/* Chooses the servers and prompts of a run.  Returns 0, MCPHOST_E_NOMEM or
 * MCPHOST_E_LIMIT. */
int mcph_chatos_choose(const struct mcph_chatos_world *world,
                       const struct mcph_chatos_record *record,
                       struct mcph_chatos_choice *choice);
void mcph_chatos_choice_init(struct mcph_chatos_choice *choice);
void mcph_chatos_choice_done(struct mcph_chatos_choice *choice);

/* Checks whether agents of this flow may have the app's own server.  By default, all
 * agents may have the server (B.27). */
bool mcph_chatos_allowed(const struct mcph_chatos_mcp *mcp, int flow);

/* ---- the registry (chatos_registry.c) ---------------------------------------------- */

struct mcph_chatos_follow {
    struct mcphost_source *source; /* kept alive by mcph_native_keep_source() */
    int flow;
};

struct mcphost_chatos {
    struct mcph_refs refs;
    mcphost *host; /* holds a reference to the host's memory */

    /* The lock of the host's core protects the members from here to `runs`. */
    struct mcph_chatos_dirs dirs;
    uint64_t flags;
    /* Reference to the result of the last scan that was kept, or to an empty result
     * before the first scan. */
    struct mcph_chatos_apps *apps;
    struct mcph_chatos_admin *admin;
    struct mcph_chatos_apps *failed; /* the last result that was not kept, or NULL */
    uint64_t scans;                  /* number of scans that were kept */
    bool scanning;                   /* the job is posted and has a reference */
    /* Lists of struct waiter (chatos_registry.c), linked by `link`.  The callers in
     * `waiting` wait for the next scan.  The callers in `served` wait for the present
     * scan. */
    struct mcph_list waiting, served;
    struct mcph_vec follows; /* holds struct mcph_chatos_follow * */
    unsigned runs;           /* the N of the newest id "uiapp-N" */

    /* Only the dispatcher uses the following members. */
    struct mcph_job job;
    struct mcph_chatos_scan *scan;
    bool applies; /* the sources do not have the new `apps` yet */
};

/* Gets references to the apps and to the application's list, and the flags.  Each pointer
 * may be NULL.  Takes the lock.  Returns 0, MCPHOST_E_CLOSED or MCPHOST_E_FORKED. */
int mcph_chatos_get(mcphost_chatos *chatos, struct mcph_chatos_apps **ret_apps,
                    struct mcph_chatos_admin **ret_admin, uint64_t *ret_flags);
/* Gives each source that follows the registry the servers of the last scan
 * (chatos_follow.c).  Removes sources that have left the host.  Returns 0, or
 * MCPHOST_E_NOMEM if memory was short for some sources.  Ignores other errors. */
int mcph_chatos_apply_all(mcphost_chatos *chatos);
void mcph_chatos_follows_done(mcphost_chatos *chatos);
/* Extends the application's list by the records in `stored`.  Returns 0,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_chatos_keep_stored(mcphost_chatos *chatos, const struct mcph_vec *stored);
/* Makes a configuration of all apps' own servers that agents of this flow may have.  If
 * `only` is not NULL, takes only the entries in `only`.  Otherwise adds the flaws of the
 * scan as diagnostics.  Returns 0, MCPHOST_E_IO or MCPHOST_E_NOMEM. */
int mcph_chatos_make_config(const struct mcph_chatos_apps *apps, uint64_t flags, int flow,
                            const struct mcph_vec *only, mcphost_config **ret,
                            mcphost_error **reterr);
/* Gives ChatOS's own values to policies of a source, for example to the names of tools
 * and to the time limit of calls.  Keeps the policies that the application has set.  Does
 * nothing if the policies of the source can no longer change.  Call this function under
 * the lock. */
void mcph_chatos_set_policies_locked(struct mcphost_source *source);

/* ---- one run (chatos_inject.c) ----------------------------------------------------- */

struct mcphost_chatos_run {
    struct mcph_refs refs;
    mcphost *host;      /* holds a reference to the host's memory */
    mcphost_view *view; /* holds a reference */
    char *json;
    size_t len;
    /* The lock of the host's core protects the following members. */
    struct mcphost_source *source; /* reference to the run's own source, or NULL */
    bool shows_global;             /* the view has a layer of the default source */
};

#endif
