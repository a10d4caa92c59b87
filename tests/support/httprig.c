/* SPDX-License-Identifier: MIT
 *
 * httprig.c - fake HTTP servers for a test, alone or as servers of a host under test.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/httprig.h"

#define START_MS 20000

extern char **environ;

const char *
rig_fakehttp(void)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/fakehttp", test_progdir());
    return path;
}

/* Copies the next line, or "" if no line is left. */
static void
copy_line(char to[128], char **rest)
{
    size_t len = strcspn(*rest, "\n");

    snprintf(to, 128, "%.*s", (int)len, *rest);
    *rest += len + ((*rest)[len] == '\n');
}

/* Reads the URL of the server and, in further lines, the URLs of its issuers.  The server
 * prints the lines in one write, when it listens. */
static void
read_url(struct httprig *web, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char lines[(HTTP_ISSUERS + 1) * sizeof(web->url)], *rest = lines;
    size_t len = 0;

    while (len + 1 < sizeof(lines)) {
        ssize_t n;

        ck_assert_msg(poll(&p, 1, START_MS) == 1, "fakehttp does not start");
        n = read(fd, lines + len, sizeof(lines) - 1 - len);
        ck_assert_msg(n > 0, "fakehttp ended at once: %s", web->script);
        len += (size_t)n;
        lines[len] = '\0';
        if (lines[len - 1] == '\n')
            break;
    }
    copy_line(web->url, &rest);
    for (int i = 0; i < HTTP_ISSUERS; i++)
        copy_line(web->issuers[i], &rest);
    web->port = (int)strtol(strrchr(web->url, ':') + 1, NULL, 10);
}

/* If the server starts again at `port`, makes a script line that gives the server's
 * issuers the ports that they had before.  If `port` is 0, makes a comment line. */
static void
name_ports(const struct httprig *web, int port, char *line, size_t size)
{
    int n = snprintf(line, size, "#");

    for (int i = 0; port && i < HTTP_ISSUERS && *web->issuers[i]; i++) {
        const char *colon = strchr(web->issuers[i] + 8, ':');

        if (i == 0)
            n = snprintf(line, size, "issuer-ports");
        n += snprintf(line + n, size - (size_t)n, " %ld", strtol(colon + 1, NULL, 10));
    }
}

static void
start(struct httprig *web, int port)
{
    char fixed[32], issuers[96];
    char *argv[] = {(char *)rig_fakehttp(),
                    (char *)"-e",
                    fixed,
                    (char *)"-e",
                    issuers,
                    web->script,
                    NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2];

    snprintf(fixed, sizeof(fixed), "port %d", port);
    name_ports(web, port, issuers, sizeof(issuers));
    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    ck_assert_int_eq(posix_spawn(&web->pid, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    web->hold = in[1];
    read_url(web, out[0]);
    close(out[0]);
}

void
http_up(struct httprig *web, struct rig_workspace *ws, const char *name,
        const char *script)
{
    char file[64];

    snprintf(file, sizeof(file), "%s.script", name);
    rig_workspace_write(ws, file, "trace %s/%s.trace\n%s\n", ws->dir, name,
                        script ? script : "");
    snprintf(web->script, sizeof(web->script), "%s", rig_workspace_path(ws, file));
    start(web, 0);
}

void
http_down(struct httprig *web)
{
    if (!web->pid)
        return;
    kill(web->pid, SIGKILL);
    close(web->hold);
    while (waitpid(web->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    web->pid = 0;
}

void
http_again(struct httprig *web)
{
    http_down(web);
    start(web, web->port);
}

void
hr_url(struct hostrig *hr, const char *id, const char *url, const char *keys)
{
    char *entry = NULL, *text = strdup(keys ? keys : ""), *save = NULL;
    size_t size;
    FILE *out = open_memstream(&entry, &size);

    fprintf(out, "\"%s\":\n  transport: streamable_http\n  url: \"%s\"\n", id, url);
    if (!strstr(text, "transform:"))
        fprintf(out, "  transform: [{prefix: \"%s_\"}]\n", id);
    for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
        fprintf(out, "  %s\n", l);
    fclose(out);
    hr_entry(hr, entry);
    free(entry);
    free(text);
}

void
hr_web(struct hostrig *hr, struct httprig *web, const char *id, const char *script)
{
    http_up(web, &hr->ws, id, script);
    hr->before.children++;
    hr->before.fds++;
    web->next = hr->webs;
    hr->webs = web;
}

void
hr_http(struct hostrig *hr, struct httprig *web, const char *id, const char *keys,
        const char *script)
{
    hr_web(hr, web, id, script);
    hr_url(hr, id, web->url, keys);
}

int
hr_traced(struct hostrig *hr, const char *id, const char *what)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.trace", id);
    return rig_workspace_count(&hr->ws, name, what);
}
