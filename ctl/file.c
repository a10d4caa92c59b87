/* SPDX-License-Identifier: MIT
 *
 * file.c - read, load and follow a file of servers, which has the form of
 * .minds/mcp.yaml or is JSON with `mcpServers`.
 *
 * JSON is recognized by the file's name (.json, .jsonc) and the word "mcpServers" in the
 * file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcpservers.h>

#include "ctl.h"

#define LOOKED_AT ((size_t)16 * 1024 * 1024)

static int
ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

int
file_contains(const char *file, const char *text)
{
    FILE *f = fopen(file, "re");
    char *data = f ? malloc(LOOKED_AT + 1) : NULL;
    size_t n = data ? fread(data, 1, LOOKED_AT, f) : 0;
    int found;

    if (f)
        fclose(f);
    if (data)
        data[n] = '\0';
    found = data && strstr(data, text) != NULL;
    free(data);
    return found;
}

int
is_mcpservers(const char *file)
{
    return file && (ends_with(file, ".json") || ends_with(file, ".jsonc")) &&
           file_contains(file, "\"mcpServers\"");
}

unsigned
file_transports(const struct ctl *ctl, const char *file)
{
    return ctl_transports(ctl) | (is_mcpservers(file) ? MCPHOST_ALLOW_SSE : 0u);
}

int
ctl_read_file(const struct ctl *ctl, const char *file, mcphost_config **ret,
              mcphost_error **reterr)
{
    if (is_mcpservers(file))
        return mcphost_mcpservers_load(NULL, 0, file, ctl_directory(ctl),
                                       file_transports(ctl, file), ret, reterr);
    return mcphost_config_load(NULL, 0, file, ctl_directory(ctl), ctl_transports(ctl),
                               ret, reterr);
}

int
file_load(const struct ctl *ctl, mcphost_source *source, const char *file,
          mcphost_config *config)
{
    int r = 0;

    if (is_mcpservers(file))
        r = mcphost_source_set_policy(source, MCPHOST_OPT_TRANSPORTS,
                                      file_transports(ctl, file), NULL);
    /* Ignore MCPHOST_E_STATE: a plugin has given the source a provider, and the policies
     * of a source with a provider cannot be set. */
    return r < 0 && r != MCPHOST_E_STATE ? r : mcphost_source_load(source, config);
}

int
file_follow(const struct ctl *ctl, mcphost_source *source, const char *file,
            mcphost_error **reterr)
{
    if (is_mcpservers(file))
        return mcphost_mcpservers_follow(source, ctl_directory(ctl), file, reterr);
    return mcphost_source_follow_workspace(source, ctl_directory(ctl), file, reterr);
}
