/* SPDX-License-Identifier: MIT
 *
 * chatos_record.c - read the record of an agent: the apps that the agent has selected
 * (R144).
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_run.h"

#define SHOWN "record"

static void
ref_free(struct mcph_chatos_ref *ref)
{
    free(ref->plugin);
    free(ref->app);
    mcph_strings_done(&ref->servers);
    mcph_strings_done(&ref->prompts);
    free(ref);
}

void
mcph_chatos_record_done(struct mcph_chatos_record *record)
{
    for (size_t i = 0; i < record->refs.n; i++)
        ref_free(record->refs.items[i]);
    mcph_vec_done(&record->refs);
}

static void
read_ref(struct chatos_reading *rd, const struct mcph_node *node,
         struct mcph_chatos_record *record)
{
    static const char *const known[] = {"pluginId", "appId",        "mcp",
                                        "prompt",   "mcpServerIds", "promptIds"};
    struct mcph_chatos_ref *ref;

    if (!mcph_check_kind(rd->check, node, MCPH_NODE_MAP, "a map"))
        return;
    ref = calloc(1, sizeof(*ref));
    if (!ref || mcph_vec_add(&record->refs, ref) < 0) {
        free(ref);
        rd->check->err = MCPHOST_E_NOMEM;
        return;
    }
    mcph_chatos_warn_misspelt(rd, node, known, MCPH_ARRAY_SIZE(known));
    ref->plugin = mcph_chatos_read_text_at(rd, node, "pluginId", CHATOS_NEEDED);
    ref->app = mcph_chatos_read_text_at(rd, node, "appId", CHATOS_NEEDED);
    ref->mcp = mcph_chatos_read_flag_at(rd, node, "mcp") != 0;
    ref->prompt = mcph_chatos_read_flag_at(rd, node, "prompt") != 0;
    mcph_chatos_read_texts_at(rd, node, "mcpServerIds", &ref->servers);
    mcph_chatos_read_texts_at(rd, node, "promptIds", &ref->prompts);
}

static void
read_refs(struct chatos_reading *rd, const struct mcph_node *root,
          struct mcph_chatos_record *record)
{
    const struct mcph_node *list;
    size_t mark, item;

    if (!mcph_check_kind(rd->check, root, MCPH_NODE_MAP, "a map with 'uiApps'"))
        return;
    list = mcph_check_member(rd->check, root, "uiApps", MCPH_NODE_LIST, "a list of apps");
    if (!list)
        return; /* there are no apps, or mcph_check_member() has reported an error */
    mark = mcph_check_enter(rd->check, "uiApps");
    if (list->n > MCPH_CHATOS_REFS_MAX)
        mcph_check_error(rd->check, list, "has more than %d apps", MCPH_CHATOS_REFS_MAX);
    for (size_t i = 0; i < list->n && i < MCPH_CHATOS_REFS_MAX; i++) {
        item = mcph_check_enter_index(rd->check, i);
        read_ref(rd, list->items[i], record);
        mcph_check_leave(rd->check, item);
    }
    mcph_check_leave(rd->check, mark);
}

static int
give_first_error(const mcphost_config *report, int code, mcphost_error **reterr)
{
    const struct mcph_diag *diag = mcph_config_first_error(report);

    if (diag)
        return mcph_err_at(reterr, code, report->shown, diag->line, diag->column, "%s",
                           diag->message);
    return mcph_err(reterr, code, "%s: %s", report->shown, mcphost_strerror(code));
}

int
mcph_chatos_read_json(const char *json, size_t len, size_t max, const char *shown,
                      void (*read)(struct chatos_reading *rd,
                                   const struct mcph_node *root, void *arg),
                      void *arg, mcphost_error **reterr)
{
    mcphost_config *report = mcph_config_new("chatos", NULL, shown, "/");
    struct chatos_reading rd = {.dir = "/"};
    struct mcph_doc *doc = NULL;
    struct mcph_check check;
    int r;

    if (!report)
        return mcph_err_nomem(reterr);
    r = mcph_json_parse(json, len, max, 0, mcph_profile_report, report, &doc);
    if (r == 0) {
        mcph_check_init(&check, report);
        rd.check = &check;
        read(&rd, doc->root, arg);
        r = check.err;
        if (r == 0 && check.n_errors > 0)
            r = MCPHOST_E_CONFIG;
        mcph_check_done(&check);
    }
    mcph_doc_free(doc);
    if (r < 0 && r != MCPHOST_E_NOMEM && mcph_config_finish(report) < 0)
        r = MCPHOST_E_NOMEM;
    if (r == MCPHOST_E_NOMEM)
        mcph_err_nomem(reterr);
    else if (r < 0)
        give_first_error(report, r, reterr);
    mcph_config_unref(report);
    return r;
}

static void
read_record(struct chatos_reading *rd, const struct mcph_node *root, void *arg)
{
    read_refs(rd, root, arg);
}

int
mcph_chatos_record_parse(const char *json, size_t len,
                         struct mcph_chatos_record *ret_record, mcphost_error **reterr)
{
    int r;

    *ret_record = (struct mcph_chatos_record){0};
    r = mcph_chatos_read_json(json, len, MCPH_CHATOS_RECORD_MAX, SHOWN, read_record,
                              ret_record, reterr);
    if (r < 0)
        mcph_chatos_record_done(ret_record);
    return r;
}
