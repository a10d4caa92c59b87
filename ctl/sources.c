/* SPDX-License-Identifier: MIT
 *
 * sources.c - the sources beside the default source, from --source and from profiles.
 *
 * The default source is the workspace's file, --config, --stdio or --url.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"
#include "chatos.h"
#include "term.h"

int
has_sources(const struct ctl *ctl)
{
    return ctl->n_sources > 0;
}

/* ---- the list of sources ----------------------------------------------------------- */

static void
free_source(struct source *source)
{
    mcphost_chatos_unref(source->chatos);
    mcphost_source_unref(source->handle);
    mcphost_config_unref(source->config);
    mcphost_config_unref(source->applied);
    free(source->id);
    free(source->path);
    free(source->directory);
    *source = (struct source){0};
}

/* Makes the path of a profile's file or, if the profile has no file, of the directory. */
static char *
path_in(const char *directory, const struct profile *profile)
{
    struct text t = {0};

    text_puts(&t, directory);
    if (profile->place)
        text_printf(&t, "/%s", profile->place);
    if (text_failed(&t))
        text_free(&t);
    return t.data;
}

int
sources_add(struct ctl *ctl, const char *id, const char *path,
            const struct profile *profile, const char *directory, struct source **ret)
{
    struct source *source = &ctl->sources[ctl->n_sources];

    if (ctl->n_sources == SOURCES_MAX) {
        say(ctl, "more than %d sources", SOURCES_MAX);
        return STATUS_USAGE;
    }
    *source = (struct source){.id = strdup(id), .profile = profile};
    if (profile)
        source->directory = strdup(directory);
    source->path = profile ? path_in(directory, profile) : strdup(path);
    if (!source->id || !source->path || (profile && !source->directory)) {
        free_source(source);
        return out_of_memory(ctl);
    }
    ctl->n_sources++;
    if (ret)
        *ret = source;
    return 0;
}

void
sources_drop(struct ctl *ctl, struct source *source)
{
    size_t left = --ctl->n_sources - (size_t)(source - ctl->sources);

    free_source(source);
    memmove(source, source + 1, left * sizeof(*source));
}

int
sources_have_tools(const struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->n_sources; i++) {
        if (ctl->sources[i].profile && ctl->sources[i].profile->make_tools)
            return 1;
    }
    return 0;
}

/* ---- finding a source by its name -------------------------------------------------- */

struct source *
source_find(struct ctl *ctl, const char *id)
{
    for (size_t i = 0; id && i < ctl->n_sources; i++) {
        if (strcmp(ctl->sources[i].id, id) == 0)
            return &ctl->sources[i];
    }
    return NULL;
}

/* Splits "SOURCE:SERVER".  Splits off only the id of a known source, because a server's
 * id may have a colon. */
struct source *
source_split(struct ctl *ctl, const char *name, const char **ret_server)
{
    const char *colon = strchr(name, ':');
    size_t len = colon ? (size_t)(colon - name) : 0;

    *ret_server = name;
    for (size_t i = 0; colon && i < ctl->n_sources; i++) {
        const char *id = ctl->sources[i].id;

        if (strlen(id) == len && memcmp(id, name, len) == 0) {
            *ret_server = colon + 1;
            return &ctl->sources[i];
        }
    }
    return NULL;
}

const char *
full_name(char name[NAME_SIZE], const char *source, const char *server)
{
    if (!source || !server)
        return server;
    snprintf(name, NAME_SIZE, "%s:%s", source, server);
    return name;
}

const mcphost_config *
source_applied(struct ctl *ctl, const char *id)
{
    const struct source *source = source_find(ctl, id);

    if (id && !source)
        return NULL; /* the source was removed */
    return source ? source->applied : ctl->applied;
}

void
source_keep_applied(struct ctl *ctl, const char *id, mcphost_config *config)
{
    struct source *source = source_find(ctl, id);
    mcphost_config **kept = source ? &source->applied : &ctl->applied;

    if (id && !source)
        return;
    mcphost_config_unref(*kept);
    *kept = mcphost_config_ref(config);
}

const char *
source_get_file(const struct source *source, const char *server)
{
    const mcphost_config *config = source->applied ? source->applied : source->config;
    const char *file = mcphost_config_get_file(config);
    size_t index;

    if (!file && mcphost_config_find_server(config, server, &index) == 0)
        file = mcphost_config_server_get_file(config, index);
    return file;
}

int
source_set_enabled(const struct source *source, const char *file, const char *server,
                   int enabled, mcphost_error **reterr)
{
    const struct profile *profile = source ? source->profile : NULL;

    if (!profile)
        return mcphost_config_file_set_enabled(file, server, enabled, reterr);
    if (profile->set_enabled)
        return profile->set_enabled(source, server, enabled, reterr);
    return mcphost_error_new(
        MCPHOST_E_STATE, "a server of this source must be enabled or disabled by hand",
        reterr);
}

/* Returns the id of a toolset's source, or NULL.  Finds the server by the toolset's name,
 * because the toolset of a server has the server's name in the view. */
const char *
toolset_source(const mcphost_catalog *catalog, size_t toolset)
{
    const char *name = mcphost_catalog_get_toolset(catalog, toolset);

    if (!mcphost_catalog_get_toolset_owner(catalog, toolset))
        return NULL;
    return mcphost_server_get_source_id(mcphost_catalog_find_server(catalog, name));
}

void
put_source(struct text *t, const char *source)
{
    if (source) {
        put_key(t, "source");
        put_str(t, source);
    }
}

struct table *
table_of_sources(const struct ctl *ctl, const char *const *heads)
{
    return table_new(heads + !has_sources(ctl));
}

void
table_add_source(const struct ctl *ctl, struct table *table, const char *source)
{
    if (has_sources(ctl))
        table_add(table, COLOR_PLAIN, source);
}

/* ---- reading ----------------------------------------------------------------------- */

static int
is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static unsigned
transports_of(const struct ctl *ctl, const struct source *source)
{
    return ctl_transports(ctl) | source->profile->transports;
}

static int
read_any(struct ctl *ctl, const struct source *source, mcphost_config **ret,
         mcphost_error **reterr)
{
    if (source->profile)
        return source->profile->load(ctl, source->directory, transports_of(ctl, source),
                                     ret, reterr);
    if (is_directory(source->path))
        return mcphost_config_load_dir(source->path, ctl_directory(ctl),
                                       ctl_transports(ctl), ret, reterr);
    return ctl_read_file(ctl, source->path, ret, reterr);
}

static int
read_source(struct ctl *ctl, struct source *source)
{
    mcphost_error *err = NULL;
    mcphost_config *config = NULL;
    int r;

    if (source->profile && !is_directory(source->directory)) {
        say(ctl, "'%s' is not a directory", source->directory);
        return STATUS_USAGE;
    }
    r = read_any(ctl, source, &config, &err);
    source->config = config;
    if (r == 0)
        return ctl->only ? ctl_pick_server(ctl, &source->config) : 0;
    say_error(ctl, r, err);
    mcphost_error_unref(err);
    return STATUS_CONFIG;
}

int
sources_load(struct ctl *ctl)
{
    int r = 0;

    for (size_t i = 0; i < ctl->n_sources && r == 0; i++) {
        struct source *source = &ctl->sources[i];

        source->config = mcphost_config_unref(source->config);
        if (!ctl->only || ctl->only_in == source)
            r = read_source(ctl, source);
    }
    return r;
}

/* ---- on the host ------------------------------------------------------------------- */

static int
start_profile(struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    const struct profile *profile = source->profile;
    int r = 0;

    if (profile->transports)
        r = mcphost_source_set_policy(source->handle, MCPHOST_OPT_TRANSPORTS,
                                      transports_of(ctl, source), reterr);
    if (r == 0 && profile->set_policies)
        r = profile->set_policies(ctl, source->handle, reterr);
    if (r < 0)
        return r;
    return ctl->follow ? profile->follow(ctl, source, reterr)
                       : mcphost_source_load(source->handle, source->config);
}

static int
start_source(struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    if (source->profile)
        return start_profile(ctl, source, reterr);
    if (!ctl->follow)
        return file_load(ctl, source->handle, source->path, source->config);
    if (is_directory(source->path))
        return mcphost_source_follow_dir(source->handle, ctl_directory(ctl), source->path,
                                         reterr);
    return file_follow(ctl, source->handle, source->path, reterr);
}

int
source_open(struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    int r = mcphost_source_new(ctl->host, source->id, &source->handle, reterr);

    if (r == 0)
        r = mcphost_view_add_source(mcphost_default_view(ctl->host), source->handle, NULL,
                                    0);
    return r < 0 ? r : start_source(ctl, source, reterr);
}

/* Offers the source's own tools in the default view, if --admin was given. */
static int
show_tools(struct ctl *ctl, const struct source *source, mcphost_error **reterr)
{
    mcphost_builtins *tools = NULL;
    int r;

    if (!ctl->opt.admin || !source->profile || !source->profile->make_tools)
        return 0;
    r = source->profile->make_tools(source->directory, &tools, reterr);
    if (r == 0)
        r = mcphost_view_set_builtins(mcphost_default_view(ctl->host), tools, reterr);
    mcphost_builtins_unref(tools);
    return r;
}

int
sources_open(struct ctl *ctl, mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; i < ctl->n_sources && r == 0; i++) {
        struct source *source = &ctl->sources[i];

        if (!source->config)
            continue;
        r = show_tools(ctl, source, reterr);
        if (r == 0)
            r = source_open(ctl, source, reterr);
    }
    return r;
}

void
sources_close(struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->n_sources; i++)
        free_source(&ctl->sources[i]);
    ctl->n_sources = 0;
}
