/* SPDX-License-Identifier: MIT
 *
 * chatos_inject.c - give the view of a run its layers, and remove them (R142, B.28).
 *
 * A layer of a view is a source, or some of the servers of a source.  The application's
 * servers become a layer of the default source.  The apps' own servers become a layer of
 * a source that exists only for this run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_run.h"

#define SOURCE    "uiapp"
#define ID_SIZE   32
#define TRIES_MAX 1000 /* attempts to find a free numbered id */

/* ---- the object -------------------------------------------------------------------- */

mcphost_chatos_run *
mcph_chatos_run_ref(mcphost_chatos_run *run)
{
    mcph_refs_get(&run->refs);
    return run;
}

int
mcph_chatos_run_end(mcphost_chatos_run *run)
{
    struct mcph_core *core = run->host->core;
    struct mcphost_source *source;
    bool shows_global;

    if (mcph_core_forked(core))
        return MCPHOST_E_FORKED;
    mcph_core_lock(core);
    source = run->source;
    shows_global = run->shows_global;
    run->source = NULL;
    run->shows_global = false;
    mcph_core_unlock(core);
    /* Ignore failures, because a closing host ends the layer and the source anyway. */
    if (shows_global)
        (void)mcph_view_remove_source(run->view, run->host->source);
    if (source) {
        (void)mcph_host_remove_source(source);
        mcph_source_unref(source);
    }
    return 0;
}

void
mcph_chatos_run_unref(mcphost_chatos_run *run)
{
    if (!mcph_refs_put(&run->refs))
        return;
    (void)mcph_chatos_run_end(run);
    if (run->view)
        mcph_view_put(run->view);
    mcph_host_put_mem(run->host);
    free(run->json);
    free(run);
}

const char *
mcph_chatos_run_json(const mcphost_chatos_run *run, size_t *ret_len)
{
    if (ret_len)
        *ret_len = run->len;
    return run->json;
}

static mcphost_chatos_run *
run_new(mcphost_view *view)
{
    mcphost_chatos_run *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    mcph_refs_init(&run->refs);
    run->host = view->host;
    mcph_host_get_mem(run->host);
    mcph_view_get(view);
    run->view = view;
    return run;
}

/* ---- layers ------------------------------------------------------------------------ */

/* Adds the source of a run.  The id of the source is "uiapp", or "uiapp-N" if "uiapp" is
 * taken. */
static int
add_source(mcphost_chatos *chatos, struct mcphost_source **ret, mcphost_error **reterr)
{
    mcphost_error *err = NULL;
    char id[ID_SIZE] = SOURCE;
    int r = mcph_host_add_source(chatos->host, id, ret, &err);

    for (int i = 0; i < TRIES_MAX && r == MCPHOST_E_EXISTS; i++) {
        mcphost_error_unref(err);
        err = NULL;
        r = mcph_host_enter(chatos->host);
        if (r < 0)
            return mcph_err(reterr, r, "%s", mcphost_strerror(r));
        snprintf(id, sizeof(id), SOURCE "-%u", ++chatos->runs);
        mcph_core_leave(chatos->host->core);
        r = mcph_host_add_source(chatos->host, id, ret, &err);
    }
    if (reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

static int
fail_with(int r, mcphost_error **reterr)
{
    return mcph_err(reterr, r, "%s", mcphost_strerror(r));
}

static int
show_own(mcphost_chatos *chatos, const struct mcph_chatos_world *world,
         const struct mcph_vec *entries, mcphost_chatos_run *run, mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    int r;

    if (entries->n == 0)
        return 0;
    r = mcph_chatos_make_config(world->apps, world->flags, world->flow, entries, &config,
                                reterr);
    if (r == 0)
        r = add_source(chatos, &run->source, reterr);
    if (r < 0) {
        mcph_config_unref(config);
        return r;
    }
    mcph_core_lock(chatos->host->core);
    mcph_chatos_set_policies_locked(run->source);
    mcph_core_unlock(chatos->host->core);
    r = mcph_view_add_source(run->view, run->source, NULL, 0);
    if (r == 0)
        r = mcph_host_load(run->source, config);
    mcph_config_unref(config);
    return r < 0 ? fail_with(r, reterr) : 0;
}

static int
show_global(const struct mcph_strings *servers, mcphost_chatos_run *run,
            mcphost_error **reterr)
{
    int r;

    if (servers->n == 0)
        return 0;
    r = mcph_view_add_source(run->view, run->host->source,
                             (const char *const *)servers->items, servers->n);
    run->shows_global = r == 0;
    return r < 0 ? fail_with(r, reterr) : 0;
}

/* ---- injection --------------------------------------------------------------------- */

static int
make_json(const struct mcph_chatos_choice *choice, mcphost_chatos_run *run,
          mcphost_error **reterr)
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, choice->servers.max + choice->prompts.max + choice->notices.max);
    mcph_buf_addc(&buf, '{');
    mcph_json_add_member(&buf, "source", run->source ? run->source->id : NULL);
    mcph_json_add_key(&buf, "servers");
    mcph_buf_addc(&buf, '[');
    mcph_buf_add(&buf, choice->servers.data, choice->servers.len);
    mcph_buf_adds(&buf, "],\"prompts\":[");
    mcph_buf_add(&buf, choice->prompts.data, choice->prompts.len);
    mcph_buf_adds(&buf, "],\"notices\":[");
    mcph_buf_add(&buf, choice->notices.data, choice->notices.len);
    mcph_buf_adds(&buf, "]}");
    r = mcph_buf_give(&buf, &run->json, &run->len);
    return r < 0 ? fail_with(r, reterr) : 0;
}

/* Stores a reference to the configuration of the default source in *ret, or NULL if there
 * is no configuration. */
static int
get_global(mcphost *host, mcphost_config **ret)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    *ret = host->source->config ? mcph_config_ref(host->source->config) : NULL;
    mcph_core_leave(host->core);
    return 0;
}

static int
fill_run(mcphost_chatos *chatos, const struct mcph_chatos_world *world,
         const struct mcph_chatos_record *record, mcphost_chatos_run *run,
         mcphost_error **reterr)
{
    struct mcph_chatos_choice choice;
    int r;

    mcph_chatos_choice_init(&choice);
    r = mcph_chatos_choose(world, record, &choice);
    if (r < 0)
        fail_with(r, reterr);
    if (r == 0)
        r = show_global(&choice.global, run, reterr);
    if (r == 0)
        r = show_own(chatos, world, &choice.own, run, reterr);
    if (r == 0)
        r = make_json(&choice, run, reterr);
    mcph_chatos_choice_done(&choice);
    return r;
}

static int
begin_run(mcphost_chatos *chatos, mcphost_view *view, struct mcph_chatos_world *world,
          const struct mcph_chatos_record *record, mcphost_chatos_run **ret,
          mcphost_error **reterr)
{
    mcphost_chatos_run *run = run_new(view);
    int r = run ? fill_run(chatos, world, record, run, reterr) : mcph_err_nomem(reterr);

    if (r == 0)
        *ret = run;
    else if (run)
        mcph_chatos_run_unref(run);
    return r;
}

int
mcph_chatos_check_record(const char *json, size_t len, mcphost_error **reterr)
{
    struct mcph_chatos_record record;
    int r = mcph_chatos_record_parse(json, len, &record, reterr);

    if (r == 0)
        mcph_chatos_record_done(&record);
    return r;
}

int
mcph_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                   size_t len, int flow, const char *language, mcphost_chatos_run **ret,
                   mcphost_error **reterr)
{
    bool english = language && strcmp(language, "en") == 0;
    struct mcph_chatos_world world = {
        .flow = flow, .language = english ? MCPH_CHATOS_EN : MCPH_CHATOS_ZH};
    struct mcph_chatos_apps *apps = NULL;
    struct mcph_chatos_admin *admin = NULL;
    mcphost_config *global = NULL;
    struct mcph_chatos_record refs;
    int r;

    if (view->host != chatos->host || !mcph_view_is_layered(view))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the view has no layers of its own, or belongs to another host");
    r = mcph_chatos_record_parse(record, len, &refs, reterr);
    if (r < 0)
        return r;
    r = mcph_chatos_get(chatos, &apps, &admin, &world.flags);
    if (r == 0)
        r = get_global(chatos->host, &global);
    if (r < 0)
        fail_with(r, reterr);
    world.apps = apps;
    world.admin = admin;
    world.global = global;
    if (r == 0)
        r = begin_run(chatos, view, &world, &refs, ret, reterr);
    mcph_config_unref(global);
    mcph_chatos_admin_unref(admin);
    mcph_chatos_apps_unref(apps);
    mcph_chatos_record_done(&refs);
    return r;
}
