/* SPDX-License-Identifier: MIT
 *
 * plugindirs.c - directories of ChatOS plugins in the workspace of a test.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <check.h>

#include "support/plugindirs.h"

#define TEXT_SIZE 16384

void
plugin_dir(const struct rig_workspace *ws, const char *name)
{
    char part[512];

    for (size_t i = 1; i <= strlen(name); i++) {
        if (name[i] != '/' && name[i] != '\0')
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)i, name);
        if (mkdir(rig_workspace_path(ws, part), 0755) < 0)
            ck_assert_msg(errno == EEXIST, "%s: %s", part, strerror(errno));
    }
}

void
plugin_file(struct rig_workspace *ws, const char *dir, const char *file, const char *text,
            ...)
{
    static char written[TEXT_SIZE];
    char name[512];
    va_list ap;

    plugin_dir(ws, dir);
    snprintf(name, sizeof(name), "%s/%s", dir, file);
    va_start(ap, text);
    vsnprintf(written, sizeof(written), text, ap);
    va_end(ap);
    rig_workspace_write(ws, name, "%s", written);
}

void
plugin_write(struct rig_workspace *ws, const char *dir, const char *id, const char *apps,
             ...)
{
    static char list[TEXT_SIZE];
    va_list ap;

    va_start(ap, apps);
    vsnprintf(list, sizeof(list), apps, ap);
    va_end(ap);
    plugin_file(ws, dir, "plugin.json", "{\"id\":\"%s\",\"name\":\"%s\",\"apps\":[%s]}",
                id, id, list);
}
