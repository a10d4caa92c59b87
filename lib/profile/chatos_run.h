/* SPDX-License-Identifier: MIT
 *
 * chatos_run.h - a registry of ChatOS apps on a host, and what one run of an agent takes
 * of it (R142-R147, B.27, B.28).
 */
#ifndef MCPH_PROFILE_CHATOS_RUN_H
#define MCPH_PROFILE_CHATOS_RUN_H

#include "host/host.h"
#include "host/view.h"
#include "profile/chatos_apps.h"

/* ---- records of agents (chatos_record.c) ------------------------------------------- */

#define MCPH_CHATOS_RECORD_MAX ((size_t)1024 * 1024) /* bytes */
#define MCPH_CHATOS_REFS_MAX   1000                  /* apps of a record */

/* An app that an agent has selected. */
struct mcph_chatos_ref {
    char *plugin, *app;
    bool mcp, prompt;
    struct mcph_strings servers, prompts; /* ids, trimmed */
};

struct mcph_chatos_record {
    struct mcph_vec refs; /* struct mcph_chatos_ref * */
};

/* 0; MCPHOST_E_CONFIG with the place of the first error; MCPHOST_E_LIMIT,
 * MCPHOST_E_NOMEM. */
int mcph_chatos_record_parse(const char *json, size_t len,
                             struct mcph_chatos_record *ret_record,
                             mcphost_error **reterr);
void mcph_chatos_record_done(struct mcph_chatos_record *record);

/* Reads a JSON text of the application's, `shown` in messages, by `read`.  The first
 * error that `read` reports is the error.  Returns as above. */
int mcph_chatos_read_json(const char *json, size_t len, size_t max, const char *shown,
                          void (*read)(struct chatos_reading *rd,
                                       const struct mcph_node *root, void *arg),
                          void *arg, mcphost_error **reterr);

/* ---- the application's own list (chatos_admin.c) ----------------------------------- */

#define MCPH_CHATOS_ADMIN_MAX ((size_t)16 * 1024 * 1024)

struct mcph_chatos_item {
    int kind; /* MCPHOST_CHATOS_SERVER, MCPHOST_CHATOS_PROMPT */
    char *id, *name;
    char *title, *content; /* of a prompt; "" by default */
    bool allow_main, allow_sub;
    char *json; /* the record, as it was given */
    size_t json_len;
};

/* Immutable. */
struct mcph_chatos_admin {
    struct mcph_refs refs;
    struct mcph_vec items; /* struct mcph_chatos_item *, in the order of the list */
};

/* As mcph_chatos_record_parse(). */
int mcph_chatos_admin_parse(const char *json, size_t len, struct mcph_chatos_admin **ret,
                            mcphost_error **reterr);
struct mcph_chatos_admin *mcph_chatos_admin_new(void); /* NULL: out of memory */
struct mcph_chatos_admin *mcph_chatos_admin_ref(struct mcph_chatos_admin *admin);
struct mcph_chatos_admin *
mcph_chatos_admin_unref(struct mcph_chatos_admin *admin); /* NULL */
/* NULL: there is none.  By its id; by its name, in any case of its letters. */
const struct mcph_chatos_item *
mcph_chatos_admin_by_id(const struct mcph_chatos_admin *admin, int kind, const char *id);
const struct mcph_chatos_item *
mcph_chatos_admin_by_name(const struct mcph_chatos_admin *admin, int kind,
                          const char *name);
/* A record that the application has stored. */
struct mcph_chatos_stored {
    int kind;
    char *name, *json; /* the record is a secret */
};

/* A copy of the list with further records (struct mcph_chatos_stored *), each in place of
 * the one of its name.  0, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_chatos_admin_with(const struct mcph_chatos_admin *admin,
                           const struct mcph_vec *stored, struct mcph_chatos_admin **ret);
/* Whether a global server may be had (B.27); prompts likewise, by their item. */
bool mcph_chatos_admin_allows(const struct mcph_chatos_admin *admin, const char *server,
                              int flow);

/* ---- what a run takes (chatos_choice.c) -------------------------------------------- */

/* What the host has of its own; borrowed. */
struct mcph_chatos_world {
    const struct mcph_chatos_apps *apps;
    const struct mcph_chatos_admin *admin;
    const mcphost_config *global; /* of the default source; NULL: none */
    uint64_t flags;               /* MCPHOST_CHATOS_* */
    int flow;
    int language; /* MCPH_CHATOS_ZH, MCPH_CHATOS_EN */
};

struct mcph_chatos_choice {
    struct mcph_strings global; /* ids of servers of the default source */
    struct mcph_vec own;        /* const struct mcph_chatos_entry *, borrowed: servers */
    struct mcph_buf servers, prompts, notices; /* members of JSON arrays */
};

/* 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
int mcph_chatos_choose(const struct mcph_chatos_world *world,
                       const struct mcph_chatos_record *record,
                       struct mcph_chatos_choice *choice);
void mcph_chatos_choice_init(struct mcph_chatos_choice *choice);
void mcph_chatos_choice_done(struct mcph_chatos_choice *choice);

/* Whether a server may be had: what its app says, or else yes (B.27). */
bool mcph_chatos_allowed(const struct mcph_chatos_mcp *mcp, int flow);

/* ---- the registry (chatos_registry.c) ---------------------------------------------- */

struct mcph_chatos_follow {
    struct mcphost_source *source; /* kept (host/native.h) */
    int flow;
};

struct mcphost_chatos {
    struct mcph_refs refs;
    mcphost *host; /* its memory */

    /* under the lock */
    struct mcph_chatos_dirs dirs;
    uint64_t flags;
    struct mcph_chatos_apps *apps; /* references, never NULL */
    struct mcph_chatos_admin *admin;
    struct mcph_chatos_apps *failed;  /* of the last scan, if that has failed; or NULL */
    uint64_t scans;                   /* that are over */
    bool scanning;                    /* the job is posted, with a reference */
    struct mcph_list waiting, served; /* struct waiter.link: for the next scan, and for
                                       * the one under way */
    struct mcph_vec follows;          /* struct mcph_chatos_follow * */
    unsigned runs;                    /* that were begun */

    /* the dispatcher's */
    struct mcph_job job;
    struct mcph_chatos_scan *scan;
    bool applies; /* it is read: sources are to get it */
};

/* References to what there is now, under the lock meanwhile.  0, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED. */
int mcph_chatos_get(mcphost_chatos *chatos, struct mcph_chatos_apps **ret_apps,
                    struct mcph_chatos_admin **ret_admin, uint64_t *ret_flags);
/* Gives each source that follows the registry the servers of the last scan.  0;
 * MCPHOST_E_NOMEM: some have not got them (chatos_follow.c). */
int mcph_chatos_apply_all(mcphost_chatos *chatos);
void mcph_chatos_follows_done(mcphost_chatos *chatos);
/* What the application has stored is part of its list.  0, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_chatos_keep_stored(mcphost_chatos *chatos, const struct mcph_vec *stored);
/* A configuration of the apps' own servers, or of `only` (NULL: of all).  0,
 * MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_chatos_make_config(const struct mcph_chatos_apps *apps, uint64_t flags, int flow,
                            const struct mcph_vec *only, mcphost_config **ret,
                            mcphost_error **reterr);
/* ChatOS' values of the options that nobody has set; under the lock. */
void mcph_chatos_set_policies_locked(struct mcphost_source *source);

/* ---- one run (chatos_inject.c) ----------------------------------------------------- */

struct mcphost_chatos_run {
    struct mcph_refs refs;
    mcphost *host;      /* its memory */
    mcphost_view *view; /* a reference */
    char *json;
    size_t len;
    /* under the lock */
    struct mcphost_source *source; /* a reference; NULL: none of its own */
    bool shows_global;             /* the view has a layer of the default source */
};

#endif
