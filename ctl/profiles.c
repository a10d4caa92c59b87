/* SPDX-License-Identifier: MIT
 *
 * profiles.c - the table of profiles, and the choice of the profiles that become sources.
 *
 *   --profile given               the given profiles, each in the directory of its -C
 *   --config, --stdio or --url    none
 *   otherwise                     each profile whose file is in the directory, if the
 *                                 command takes --profile
 *
 * The first source of the profile `dominds` is the default source.  The default source
 * always exists.  It has no servers if its file is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mcphost/goclaw.h>
#include <mcphost/mcpservers.h>

#include "chatos.h"
#include "goclaw.h"
#include "profiles.h"

/* ---- the table --------------------------------------------------------------------- */

static int
load_dominds(const struct ctl *ctl, const char *directory, unsigned transports,
             mcphost_config **ret, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_config_load(NULL, 0, NULL, directory, transports, ret, reterr);
}

static int
follow_dominds(const struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_source_follow_workspace(source->handle, source->directory, NULL,
                                           reterr);
}

static int
load_goclaw(const struct ctl *ctl, const char *directory, unsigned transports,
            mcphost_config **ret, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_goclaw_load(directory, NULL, 0, transports, ret, reterr);
}

static int
follow_goclaw(const struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_goclaw_follow(source->handle, source->directory, NULL, 0, reterr);
}

static int
load_mcpservers(const struct ctl *ctl, const char *directory, unsigned transports,
                mcphost_config **ret, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_mcpservers_load(NULL, 0, NULL, directory, transports, ret, reterr);
}

static int
follow_mcpservers(const struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    (void)ctl;
    return mcphost_mcpservers_follow(source->handle, source->directory, NULL, reterr);
}

static int
set_enabled_in_yaml(const struct source *source, const char *server, int enabled,
                    mcphost_error **reterr)
{
    return mcphost_config_file_set_enabled(source->path, server, enabled, reterr);
}

/* mcphostctl looks for the profiles' files in the order of the rows. */
static const struct profile profiles[] = {
    {.name = "dominds",
     .place = ".minds/mcp.yaml",
     .load = load_dominds,
     .follow = follow_dominds,
     .set_enabled = set_enabled_in_yaml},
    {.name = "goclaw",
     .place = ".goclaw/mcp.json",
     .transports = MCPHOST_ALLOW_SSE,
     .load = load_goclaw,
     .follow = follow_goclaw,
     .set_policies = goclaw_set_policies,
     .make_tools = goclaw_make_tools,
     .set_enabled = goclaw_set_enabled},
    {.name = "mcpservers",
     .place = ".mcp.json",
     .transports = MCPHOST_ALLOW_SSE,
     .load = load_mcpservers,
     .follow = follow_mcpservers},
    {.name = "chatos",
     .is_in = chatos_is_in,
     .transports = MCPHOST_ALLOW_SSE,
     .load = chatos_load,
     .follow = chatos_follow,
     .set_policies = chatos_set_policies},
};

enum { N_PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

const struct profile *
profile_find(const char *name)
{
    for (size_t i = 0; i < N_PROFILES; i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}

int
profile_is_in(const struct profile *profile, const char *directory)
{
    struct text path = {0};
    struct stat st;
    int there;

    if (profile->is_in)
        return profile->is_in(directory);
    text_printf(&path, "%s/%s", directory, profile->place);
    there = !text_failed(&path) && lstat(path.data, &st) == 0;
    text_free(&path);
    return there;
}

/* ---- choosing the sources ---------------------------------------------------------- */

static int
is_default(const struct profile *profile)
{
    return profile == &profiles[0];
}

/* Makes an id: the profile's name and, if another source has that id, a number. */
static void
make_id(struct ctl *ctl, const struct profile *profile, char id[NAME_SIZE])
{
    int n = 1;

    snprintf(id, NAME_SIZE, "%s", profile->name);
    while (source_find(ctl, id))
        snprintf(id, NAME_SIZE, "%s%d", profile->name, ++n);
}

static int
add_found(struct ctl *ctl, const struct profile *profile, const char *directory)
{
    char id[NAME_SIZE];

    make_id(ctl, profile, id);
    return sources_add(ctl, id, NULL, profile, directory, NULL);
}

/* Adds the sources that the options name.  The first source of the profile `dominds`
 * becomes the default source. */
static int
add_given(struct ctl *ctl)
{
    const struct options *opt = &ctl->opt;
    int status = 0, n_default = 0;

    /* Add sources with given ids first, so that no id that is made here takes a given
     * id. */
    for (size_t i = 0; i < opt->n_sources && status == 0; i++) {
        const struct given_source *given = &opt->sources[i];

        if (!given->profile)
            status = sources_add(ctl, given->id, given->path, NULL, NULL, NULL);
    }
    for (size_t i = 0; i < opt->n_sources && status == 0; i++) {
        const struct given_source *given = &opt->sources[i];
        const char *directory = given->directory ? given->directory : ctl_directory(ctl);

        if (!given->profile)
            continue;
        if (is_default(given->profile) && n_default++ == 0)
            ctl->directory = directory;
        else
            status = add_found(ctl, given->profile, directory);
    }
    ctl->default_is_empty =
        opt->n_profiles > 0 && n_default == 0 && !opt->config && !opt->stdio && !opt->url;
    return status;
}

/* Adds a source for each profile whose file is in the directory.  Skips the profile
 * `dominds`, because the default source already has this profile. */
static int
add_detected(struct ctl *ctl)
{
    const char *directory = ctl_directory(ctl);
    int status = 0;

    for (size_t i = 1; i < N_PROFILES && status == 0; i++) {
        if (!profile_is_in(&profiles[i], directory))
            continue;
        status = add_found(ctl, &profiles[i], directory);
        ctl->default_may_lack = !profile_is_in(&profiles[0], directory);
    }
    return status;
}

/* Refuses --admin if several workspaces have tools of their own, because the view can
 * have the tools of one workspace only. */
static int
check_admin(struct ctl *ctl)
{
    int n = 0;

    for (size_t i = 0; i < ctl->n_sources; i++)
        n += ctl->sources[i].profile && ctl->sources[i].profile->make_tools;
    if (!ctl->opt.admin || n <= 1)
        return 0;
    say(ctl, "--admin supports only one workspace with its own tools; there are %d", n);
    return STATUS_USAGE;
}

int
profiles_settle(struct ctl *ctl)
{
    const struct options *opt = &ctl->opt;
    int status;

    sources_close(ctl);
    status = add_given(ctl);
    if (status == 0 && opt->detects && opt->n_profiles == 0 && !opt->config &&
        !opt->stdio && !opt->url)
        status = add_detected(ctl);
    return status ? status : check_admin(ctl);
}
