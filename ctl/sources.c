/* SPDX-License-Identifier: MIT
 *
 * sources.c - the sources of --source, beside the default one, which is the workspace's
 * file, --config, --stdio or --url.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"
#include "term.h"

int
has_sources(const struct ctl *ctl)
{
    return ctl->opt.n_sources > 0;
}

struct source *
source_find(struct ctl *ctl, const char *id)
{
    for (size_t i = 0; id && i < ctl->opt.n_sources; i++) {
        if (strcmp(ctl->opt.source_ids[i], id) == 0)
            return &ctl->sources[i];
    }
    return NULL;
}

/* The id of a server may have a colon, too. */
struct source *
source_split(struct ctl *ctl, const char *name, const char **ret_server)
{
    const char *colon = strchr(name, ':');
    size_t len = colon ? (size_t)(colon - name) : 0;

    *ret_server = name;
    for (size_t i = 0; colon && i < ctl->opt.n_sources; i++) {
        const char *id = ctl->opt.source_ids[i];

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

    return source ? source->applied : ctl->applied;
}

void
source_keep_applied(struct ctl *ctl, const char *id, mcphost_config *config)
{
    struct source *source = source_find(ctl, id);
    mcphost_config **kept = source ? &source->applied : &ctl->applied;

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

/* A server's toolset has the server's name in the view. */
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

static int
read_source(struct ctl *ctl, struct source *source)
{
    mcphost_error *err = NULL;
    mcphost_config *config = NULL;
    int r;

    if (is_directory(source->path))
        r = mcphost_config_load_dir(source->path, ctl_directory(ctl), ctl_transports(ctl),
                                    &config, &err);
    else
        r = ctl_read_file(ctl, source->path, &config, &err);
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

    for (size_t i = 0; i < ctl->opt.n_sources && r == 0; i++) {
        struct source *source = &ctl->sources[i];

        source->id = ctl->opt.source_ids[i];
        source->path = ctl->opt.source_paths[i];
        source->config = mcphost_config_unref(source->config);
        if (!ctl->only || ctl->only_in == source)
            r = read_source(ctl, source);
    }
    return r;
}

/* ---- on the host ------------------------------------------------------------------- */

static int
start(struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    if (!ctl->follow)
        return file_load(ctl, source->handle, source->path, source->config);
    if (is_directory(source->path))
        return mcphost_source_follow_dir(source->handle, ctl_directory(ctl), source->path,
                                         reterr);
    return file_follow(ctl, source->handle, source->path, reterr);
}

int
sources_open(struct ctl *ctl, mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; i < ctl->opt.n_sources && r == 0; i++) {
        struct source *source = &ctl->sources[i];

        if (!source->config)
            continue;
        r = mcphost_source_new(ctl->host, source->id, &source->handle, reterr);
        if (r == 0)
            r = mcphost_view_add_source(mcphost_default_view(ctl->host), source->handle,
                                        NULL, 0);
        if (r == 0)
            r = start(ctl, source, reterr);
    }
    return r;
}

void
sources_close(struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->opt.n_sources; i++) {
        struct source *source = &ctl->sources[i];

        source->handle = mcphost_source_unref(source->handle);
        source->config = mcphost_config_unref(source->config);
        source->applied = mcphost_config_unref(source->applied);
    }
}
