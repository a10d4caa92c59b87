/* SPDX-License-Identifier: MIT
 *
 * admin.c - edits that the host makes when its built-in tools or
 * mcphost_set_server_enabled() are called.
 *
 * The tools restart or disable a server, sometimes while the disk is full.  On a full
 * disk, the tools fail, and the file and its directory stay unchanged.  mcp_disable stops
 * its server nevertheless.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress/stress.h"

/* ---- the tools --------------------------------------------------------------------- */

/* Calls a built-in tool for a server.  Copies the text of the result to `text`.  Returns
 * true if the tool succeeded. */
static bool
call_tool(const char *tool, int server, char *text, size_t size)
{
    char arguments[64];
    int n = snprintf(arguments, sizeof(arguments), "{\"serverId\":\"s%d\"}", server);
    mcphost_result *result;
    mcphost_call *call;
    const char *said;
    size_t len;
    bool done;

    STRESS_CHECK(mcphost_call_new(st.turner, tool, arguments, (size_t)n, &call, NULL) ==
                 0);
    STRESS_CHECK(mcphost_call_start(call, NULL, NULL, NULL) == 0);
    if (mcphost_call_wait(call, 15000) != 1)
        stress_fail("%s of s%d does not end", tool, server);
    result = mcphost_call_get_result(call);
    STRESS_CHECK(result != NULL);
    STRESS_CHECK(mcphost_result_item_get_text(result, 0, &said, &len) == 0);
    snprintf(text, size, "%.*s", (int)len, said);
    done = !mcphost_result_is_error(result);
    STRESS_CHECK(done == (strncmp(text, "ok: ", 4) == 0));
    mcphost_call_unref(call);
    stress_log("%s of s%d: %.80s", tool, server, text);
    return done;
}

static void
grow(const struct entry entries[N_SERVERS])
{
    pthread_mutex_lock(&st.lock);
    model_grow(entries);
    pthread_mutex_unlock(&st.lock);
}

static void
note_applied(const struct entry entries[N_SERVERS])
{
    pthread_mutex_lock(&st.lock);
    model_applied(entries, st.file_order);
    pthread_mutex_unlock(&st.lock);
    model_observe();
}

/* The next two functions restart and disable a server.  They first write the file again
 * if it was spoilt or deleted. */

void
admin_restart(int server)
{
    struct entry *entry = &st.file[server];
    char text[400];
    bool done;

    edit_restore();
    entry->enabled = entry->enabled || entry->present;
    grow(st.file);
    done = call_tool("mcp_restart", server, text, sizeof(text));
    note_applied(st.file);
    if (entry->present && !entry->invalid && entry->want.launch &&
        st.launches[entry->want.launch].fare == FARE_SECOND)
        return; /* only the first start of this launch fails, and that start may have
                 * happened before mcp_restart */
    if (done != (entry->present && !entry->invalid && model_comes_up(&entry->want)))
        stress_fail("mcp_restart of s%d: %s; %s", server, text, model_text(server));
}

void
admin_disable(int server)
{
    struct entry *entry = &st.file[server];
    struct entry kept = *entry;
    char text[400];

    edit_restore();
    entry->enabled = false;
    grow(st.file);
    if (call_tool("mcp_disable", server, text, sizeof(text)) != entry->present)
        stress_fail("mcp_disable of s%d: %s", server, text);
    if (!entry->present)
        *entry = kept;
    note_applied(st.file);
}

/* ---- a full disk ------------------------------------------------------------------- */

static size_t
read_file(char *text, size_t size)
{
    char path[128];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", st.dir);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    STRESS_CHECK(fd >= 0);
    n = read(fd, text, size);
    close(fd);
    STRESS_CHECK(n > 0 && (size_t)n < size);
    return (size_t)n;
}

static int
count_files(void)
{
    char path[128];
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof(path), "%s/.minds", st.dir);
    dir = opendir(path);
    STRESS_CHECK(dir != NULL);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void
read_again(const struct entry entries[N_SERVERS])
{
    grow(entries);
    edit_tell();
    edit_await_turn();
    note_applied(entries);
}

static void
change_on_full_disk(int server)
{
    struct entry entries[N_SERVERS], *entry = &entries[server];
    char text[400], id[16];

    memcpy(entries, st.file, sizeof(entries));
    if (!entry->enabled) {
        if (call_tool("mcp_restart", server, text, sizeof(text)))
            stress_fail("mcp_restart of s%d on a full disk: %s", server, text);
    } else if (st.mode == MODE_EXPLICIT && stress_random(&st.edits, 2)) {
        /* The server stops although the file cannot be written.  Reading the file again
         * does not start the server.  Only mcp_restart starts the server. */
        entry->enabled = false;
        grow(entries);
        if (call_tool("mcp_disable", server, text, sizeof(text)))
            stress_fail("mcp_disable of s%d on a full disk: %s", server, text);
        note_applied(entries);
        faults_disk(FULL_NOT);
        read_again(entries);
        admin_restart(server);
        return;
    } else {
        snprintf(id, sizeof(id), "s%d", server);
        stress_log("the host disables %s on a full disk", id);
        STRESS_CHECK(mcphost_set_server_enabled(st.host, id, false) == 0);
        edit_await_turn();
    }
    note_applied(entries);
}

void
admin_disk_full(int server)
{
    static char before[65536], after[65536];
    const struct entry *entry = &st.file[server];
    size_t n;
    int files;

    if (!entry->present || entry->invalid)
        return;
    edit_restore();
    stress_draw("disk full");
    n = read_file(before, sizeof(before));
    files = count_files();
    faults_disk(FULL_FOR_NAMES + (int)stress_random(&st.edits, 3));
    change_on_full_disk(server);
    faults_disk(FULL_NOT);
    STRESS_CHECK(read_file(after, sizeof(after)) == n && memcmp(before, after, n) == 0);
    STRESS_CHECK(count_files() == files);
}
