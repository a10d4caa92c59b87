/* SPDX-License-Identifier: MIT
 *
 * http.c - launches that are HTTP servers.
 *
 * The test starts the servers, kills and restarts them at the same port, or makes them
 * forget their sessions.  A launch has one process for all dialogs.  The test keeps a
 * process while its launch is in the file or may return to the file.  At a quiet point,
 * the test ends the processes of all other launches.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress/stress.h"

#define N_WEBS     64
#define LIFETIME_S 7200

extern char **environ;

static struct web {
    int launch; /* 0 means that the place is free */
    pid_t pid;
    int hold; /* the write end of the process's stdin */
    int port;
} webs[N_WEBS];

/* ---- a process --------------------------------------------------------------------- */

static void
write_script(int launch, const char *path)
{
    const struct launch *l = &st.launches[launch];
    unsigned tools = model_list(launch, false);
    FILE *f = fopen(path, "we");

    STRESS_CHECK(f != NULL);
    fprintf(f, "lifetime %d\nera %s\nno-tools\n", LIFETIME_S,
            l->http == HTTP_MODERN ? "modern" : "legacy");
    if (launch % 2)
        fputs("reply sse\nresumable 20\n", f);
    for (int i = 0; i < TOOL_OWN; i++)
        if (tools & 1U << i)
            fprintf(f, "tool %s\n", model_tools[i]);
    fprintf(f, "tool u%d\n", launch);
    fprintf(f, "on call\n text %d %%p %%a\n", launch);
    fprintf(f, "on call:slow\n delay 15\n text %d %%p %%a\n", launch);
    fputs("on call:boom\n reset\n", f);
    if (l->fare == FARE_SLOWLY)
        fputs("on list\n delay 60\n answer\n", f);
    else if (l->fare == FARE_NO_LIST)
        fputs("on list\n error -32000 no\n", f);
    else if (l->fare == FARE_BAD_LIST)
        fputs("on list\n result {\"tools\":7}\n", f);
    else if (l->fare == FARE_HANG)
        fputs("on discover\n delay 60000\non initialize\n delay 60000\n", f);
    STRESS_CHECK(fclose(f) == 0);
}

/* Reads the port from the line that the server prints once it listens. */
static int
read_port(int fd)
{
    char line[128];
    size_t len = 0;
    const char *port;

    while (len == 0 || line[len - 1] != '\n') {
        ssize_t n = read(fd, line + len, sizeof(line) - 1 - len);

        if (n <= 0)
            stress_fail("an HTTP server does not start");
        len += (size_t)n;
    }
    line[len] = '\0';
    port = strrchr(line, ':');
    STRESS_CHECK(port != NULL);
    return (int)strtol(port + 1, NULL, 10);
}

static void
start(struct web *w)
{
    char port[32], path[128];
    char *argv[] = {(char *)MCPH_TEST_PROGDIR "/fakehttp", (char *)"-e", port, path,
                    NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2];

    snprintf(port, sizeof(port), "port %d", w->port);
    snprintf(path, sizeof(path), "%s/web-%d", st.dir, w->launch);
    STRESS_CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    STRESS_CHECK(posix_spawn(&w->pid, argv[0], &actions, NULL, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    w->hold = in[1];
    w->port = read_port(out[0]);
    close(out[0]);
}

static void
stop(struct web *w)
{
    kill(w->pid, SIGKILL);
    close(w->hold);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ---- interface --------------------------------------------------------------------- */

int
http_port(int launch)
{
    struct web *place = NULL;
    char path[128];

    for (int i = 0; i < N_WEBS; i++) {
        if (webs[i].launch == launch)
            return webs[i].port;
        if (!webs[i].launch && !place)
            place = &webs[i];
    }
    STRESS_CHECK(place != NULL);
    *place = (struct web){.launch = launch};
    snprintf(path, sizeof(path), "%s/web-%d", st.dir, launch);
    write_script(launch, path);
    start(place);
    return place->port;
}

bool
http_trouble(unsigned at, bool restart)
{
    struct web *found[N_WEBS], *w;
    unsigned n = 0;

    for (int i = 0; i < N_WEBS; i++)
        if (webs[i].launch &&
            (restart || st.launches[webs[i].launch].http == HTTP_LEGACY))
            found[n++] = &webs[i];
    if (n == 0)
        return false;
    w = found[at % n];
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_SERVERS; i++)
        traffic_dying(i);
    pthread_mutex_unlock(&st.lock);
    stress_log("launch %d, at port %d, %s", w->launch, w->port,
               restart ? "is started again" : "forgets its sessions");
    if (restart) {
        stop(w);
        start(w);
    } else {
        kill(w->pid, SIGUSR1);
    }
    return true;
}

static bool
is_needed(int launch)
{
    for (int i = 0; i < N_SERVERS; i++) {
        const struct server *s = &st.servers[i];

        if (st.file[i].want.launch == launch || s->entry.want.launch == launch ||
            s->last.launch == launch)
            return true;
        for (int j = 0; j < s->n_may; j++)
            if (s->may[j].launch == launch)
                return true;
    }
    return false;
}

void
http_reap(bool all)
{
    for (int i = 0; i < N_WEBS; i++) {
        if (!webs[i].launch || (!all && is_needed(webs[i].launch)))
            continue;
        stop(&webs[i]);
        webs[i].launch = 0;
    }
}
