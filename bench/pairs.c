/* SPDX-License-Identifier: MIT
 *
 * pairs.c - runs commands alternately and compares their figures.
 *
 *     pairs ROUNDS NAME COMMAND [ARG...] [-- NAME COMMAND [ARG...]]...
 *
 * Each command prints one line of JSON with flat numbers.  A round runs every command
 * once.  Each round begins with another command, so that a disturbance of the machine
 * affects all commands alike.  For each figure of each command the program prints
 *
 *     NAME FIGURE N MEDIAN LOW HIGH
 *
 * For each figure that the first command shares with another command, the program also
 * prints the ratios of the rounds:
 *
 *     FIRST/NAME FIGURE N MEDIAN LOW HIGH
 *
 * LOW and HIGH bound the median with at least 95 % confidence.  The program computes them
 * from the order of the values alone, and assumes no distribution of the values.  With
 * fewer than nine rounds, LOW and HIGH are the minimum and the maximum.  With fewer than
 * six rounds, the confidence is less than 95 %.
 */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "common/common.h"

#define COMMANDS_MAX 8
#define FIGURES_MAX  24

extern char **environ;

struct figure {
    char name[32];
    struct bench_samples all; /* one value for each round */
};

struct command {
    const char *name;
    char **argv;
    struct figure figures[FIGURES_MAX];
    size_t n_figures;
};

static struct command commands[COMMANDS_MAX];
static size_t n_commands, rounds;

/* ---- running ----------------------------------------------------------------------- */

/* Returns the environment with the current time added, for commands that measure the time
 * since their start. */
static char **
environment(char *start, size_t size)
{
    static char **env;
    size_t n = 0;

    while (environ[n])
        n++;
    env = bench_must(realloc(env, (n + 2) * sizeof(*env)));
    memcpy(env, environ, n * sizeof(*env));
    snprintf(start, size, "BENCH_START_NS=%.0f", bench_now_us() * 1e3);
    env[n] = start;
    env[n + 1] = NULL;
    return env;
}

static void
run_command(const struct command *c, char *text, size_t size)
{
    posix_spawn_file_actions_t actions;
    char start[64];
    size_t len = 0;
    int fds[2], status;
    ssize_t n;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        bench_die("no pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
    if (posix_spawnp(&pid, c->argv[0], &actions, NULL, c->argv,
                     environment(start, sizeof(start))))
        bench_die("cannot run '%s'", c->argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    do {
        n = read(fds[0], text + len, size - 1 - len);
        len += n > 0 ? (size_t)n : 0;
    } while (n > 0 && len < size - 1);
    text[len] = '\0';
    close(fds[0]);
    if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        bench_die("'%s %s' failed", c->argv[0], c->argv[1] ? c->argv[1] : "");
}

static struct figure *
find_figure(struct command *c, const char *name, size_t len)
{
    for (size_t i = 0; i < c->n_figures; i++)
        if (strlen(c->figures[i].name) == len &&
            memcmp(c->figures[i].name, name, len) == 0)
            return &c->figures[i];
    return NULL;
}

static struct figure *
figure_of(struct command *c, const char *name, size_t len)
{
    struct figure *f = find_figure(c, name, len);

    if (f)
        return f;
    if (c->n_figures == FIGURES_MAX || len >= sizeof(c->figures[0].name))
        return NULL;
    memcpy(c->figures[c->n_figures].name, name, len);
    return &c->figures[c->n_figures++];
}

/* Finds every "name":number in the text and adds the numbers to the command's figures.
 * Leaves out names that are too long, and new names if there are FIGURES_MAX figures. */
static void
take_figures(struct command *c, const char *text)
{
    const char *colon, *name;
    struct figure *f;
    double value;
    char *end;

    for (colon = strstr(text, "\":"); colon; colon = strstr(colon + 2, "\":")) {
        value = strtod(colon + 2, &end);
        if (end == colon + 2)
            continue;
        for (name = colon; name > text && name[-1] != '"';)
            name--;
        f = figure_of(c, name, (size_t)(colon - name));
        if (f)
            bench_add(&f->all, value);
    }
}

/* ---- figures ----------------------------------------------------------------------- */

/* Returns the rank of the bounds of the median: the bounds are the values of this rank
 * from the low end and from the high end, counted from 0.  It is the highest rank for
 * which the median is outside of the bounds with at most 5 % probability, or 0 if no rank
 * has this property. */
static size_t
rank_of(size_t n)
{
    double p = pow(0.5, (double)n), below = p; /* probability that at most k values are
                                                * below the median */
    size_t k = 0;

    while (below <= 0.025) {
        k++;
        p *= (double)(n - k + 1) / (double)k;
        below += p;
    }
    return k ? k - 1 : 0;
}

static void
print(const char *who, const char *versus, const char *name, struct bench_samples *s)
{
    double median = bench_quantile(s, 0.5);
    size_t k = rank_of(s->n);

    printf("%s%s%s %s %zu %.6g %.6g %.6g\n", who, versus ? "/" : "", versus ? versus : "",
           name, s->n, median, s->v[k], s->v[s->n - 1 - k]);
}

/* Prints the median and the bounds of the ratios of the first command's figures to the
 * figures of `other`.  Each ratio divides two figures of the same round.  Call this
 * function before print() sorts the figures of the commands. */
static void
compare(struct command *other)
{
    struct command *first = &commands[0];

    for (size_t i = 0; i < first->n_figures; i++) {
        struct figure *a = &first->figures[i];
        struct figure *b = find_figure(other, a->name, strlen(a->name));
        struct bench_samples ratios = {0};

        if (!b || b->all.n != a->all.n)
            continue;
        for (size_t k = 0; k < a->all.n; k++)
            if (b->all.v[k] > 0)
                bench_add(&ratios, a->all.v[k] / b->all.v[k]);
        if (ratios.n)
            print(first->name, other->name, a->name, &ratios);
        free(ratios.v);
    }
}

static void
options(int argc, char **argv)
{
    int i = 2;

    rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    while (i + 1 < argc && n_commands < COMMANDS_MAX) {
        commands[n_commands].name = argv[i];
        commands[n_commands++].argv = &argv[i + 1];
        while (i < argc && strcmp(argv[i], "--") != 0)
            i++;
        if (i < argc)
            argv[i++] = NULL;
    }
    if (!rounds || !n_commands)
        bench_die("usage: pairs ROUNDS NAME COMMAND... [-- NAME COMMAND...]");
}

int
main(int argc, char **argv)
{
    static char text[65536];
    size_t i, k;

    options(argc, argv);
    for (k = 0; k < rounds; k++) {
        for (i = 0; i < n_commands; i++) {
            struct command *c = &commands[(i + k) % n_commands];

            run_command(c, text, sizeof(text));
            take_figures(c, text);
        }
    }
    for (i = 1; i < n_commands; i++)
        compare(&commands[i]);
    for (i = 0; i < n_commands; i++)
        for (k = 0; k < commands[i].n_figures; k++)
            print(commands[i].name, NULL, commands[i].figures[k].name,
                  &commands[i].figures[k].all);
    return 0;
}
