/* SPDX-License-Identifier: MIT
 *
 * kinds.c - the kinds of servers that the hosts of `closes` have.
 *
 * The program starts the servers over HTTP once.  These servers serve all hosts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "closes/closes.h"

extern char **environ;

static struct closes_web modern = {.script = "era modern"};
static struct closes_web legacy = {.script = "era legacy\nresumable 20\nreply sse"};
static struct closes_web dropping = {.script = "era legacy\non get\n stream\n cut"};
static struct closes_web mute = {
    .script = "on discover\n delay 600000\non initialize\n delay 600000"};
static struct closes_web busy = {
    .script = "on request\n status 503\n header Retry-After: 1\n body busy"};
static struct closes_web locked = {.script = "bearer secret"};
static struct closes_web clinging = {.script = "era legacy\non delete\n delay 600000"};
static struct closes_web absent = {.url = "http://127.0.0.1:1/mcp"};

#define FAKE MCPH_TEST_PROGDIR "/fakeserver"

const struct closes_kind closes_kinds[] = {
    {"healthy", FAKE, "", NULL},
    {"healthy legacy", FAKE, "-e, era legacy", NULL},
    {"slow", FAKE, "-e, on list, -e, \" delay 80\", -e, \" answer\"", NULL},
    {"without a program", "/nonexistent/program", "", NULL},
    {"exiting", "/bin/sh", "-c, exit 3", NULL},
    {"exiting late", "/bin/sh", "-c, sleep 0.1; exit 3", NULL},
    {"lingering", "/bin/sh", "-c, '" FAKE "; sleep 30'", NULL},
    {"deaf", FAKE, "-e, ignore eof, -e, ignore term", NULL},
    {"leaving a child", FAKE, "-e, on spawn, -e, \" child 30\"", NULL},
    {"refusing", FAKE,
     "-e, on discover, -e, \" error -32000 no\", -e, on initialize, "
     "-e, \" error -32000 no\"",
     NULL},
    {"without a list", FAKE, "-e, on list, -e, \" error -32000 no\"", NULL},
    {"with a bad list", FAKE, "-e, on list, -e, \" result {\\\"tools\\\":7}\"", NULL},
    {"hanging", FAKE,
     "-e, on discover, -e, \" delay 600000\", -e, on initialize, -e, \" delay 600000\"",
     NULL},
    {"asleep", FAKE, "-e, on spawn, -e, \" hang\"", NULL},
    {"crashing in calls", FAKE, "-e, \"on call:echo\", -e, \" exit 1\"", NULL},
    {"noisy", FAKE, "-e, on spawn, -e, \" lines 50 hello\"", NULL},
    {"modern HTTP", NULL, NULL, &modern},
    {"legacy HTTP", NULL, NULL, &legacy},
    {"HTTP that drops streams", NULL, NULL, &dropping},
    {"mute HTTP", NULL, NULL, &mute},
    {"busy HTTP", NULL, NULL, &busy},
    {"HTTP that wants credentials", NULL, NULL, &locked},
    {"HTTP that keeps its session", NULL, NULL, &clinging},
    {"HTTP with nobody listening", NULL, NULL, &absent},
};

const unsigned closes_n_kinds = sizeof(closes_kinds) / sizeof(closes_kinds[0]);

/* ---- servers over HTTP ------------------------------------------------------------- */

static void
read_url(struct closes_web *web, int fd)
{
    size_t len = 0;

    while (len == 0 || web->url[len - 1] != '\n') {
        ssize_t n = read(fd, web->url + len, sizeof(web->url) - 1 - len);

        if (n <= 0)
            closes_fail("an HTTP server does not start");
        len += (size_t)n;
    }
    web->url[len - 1] = '\0';
}

static void
spawn(struct closes_web *web, char **argv)
{
    posix_spawn_file_actions_t actions;
    int in[2], out[2], pid;

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        closes_fail("no pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
        closes_fail("an HTTP server does not start");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    web->pid = pid;
    web->hold = in[1];
    read_url(web, out[0]);
    close(out[0]);
}

static void
web_up(struct closes_web *web)
{
    char *argv[32] = {(char *)MCPH_TEST_PROGDIR "/fakehttp", (char *)"-e",
                      (char *)"lifetime 7200"};
    char *lines = strdup(web->script), *rest = NULL;
    int n = 3;

    for (char *l = strtok_r(lines, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
        argv[n++] = (char *)"-e";
        argv[n++] = l;
    }
    spawn(web, argv);
    free(lines);
}

void
webs_up(void)
{
    for (unsigned i = 0; i < closes_n_kinds; i++)
        if (closes_kinds[i].web && closes_kinds[i].web->script)
            web_up(closes_kinds[i].web);
}

void
webs_down(void)
{
    for (unsigned i = 0; i < closes_n_kinds; i++) {
        struct closes_web *web = closes_kinds[i].web;

        if (!web || !web->pid)
            continue;
        kill(web->pid, SIGKILL);
        close(web->hold);
        while (waitpid(web->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

/* ---- leftovers --------------------------------------------------------------------- */

int
closes_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    /* The loop counts `.` and `..`, but must not count the descriptor of `dir`. */
    int n = -1;

    if (!dir)
        closes_fail("no /proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Checks whether the main thread has children.  The kernel gives the main thread the
 * children of threads that have ended. */
static bool
has_children(void)
{
    char path[64], text[16];
    ssize_t len;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false; /* this kernel lacks the file */
    len = read(fd, text, sizeof(text));
    close(fd);
    return len > 0;
}

void
closes_check_children(void)
{
    int64_t until = closes_now() + opt.deadline_ms;

    while (has_children()) {
        if (closes_now() > until)
            closes_fail("a process is left");
        usleep(10000);
    }
}
