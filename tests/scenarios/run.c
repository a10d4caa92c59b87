/* SPDX-License-Identifier: MIT
 *
 * run.c - runs one scenario.
 *
 *   scenario SERVER GUARD FILE
 *
 * SERVER and GUARD are the paths of the scripted server and of mcphost-guard.  FILE has
 * the commands.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"

struct scenario sc;

/* ---- things ------------------------------------------------------------------------ */

struct thing *
thing_find(int kind, const char *name)
{
    for (size_t i = 0; i < sc.n_things; i++)
        if (sc.things[i].kind == kind && strcmp(sc.things[i].name, name) == 0)
            return &sc.things[i];
    die("there is no %s", name);
}

struct thing *
thing_add(int kind, const char *name, void *object)
{
    struct thing *thing = &sc.things[sc.n_things++];

    if (sc.n_things == THINGS_MAX)
        die("too many things");
    *thing = (struct thing){.kind = kind, .name = strdup(name), .object = object};
    return thing;
}

void
thing_remove(struct thing *thing)
{
    free(thing->name);
    text_free(&thing->notes);
    *thing = sc.things[--sc.n_things];
}

static void
drop_thing(struct thing *thing)
{
    void *object = thing->object;

    switch (thing->kind) {
    case THING_DIALOG:
        mcphost_dialog_unref(object);
        break;
    case THING_VIEW:
        mcphost_view_unref(object);
        break;
    case THING_CALL:
        mcphost_call_unref(object);
        break;
    case THING_TURN:
        mcphost_turn_unref(object);
        break;
    case THING_SUBSCRIPTION:
        mcphost_subscription_unref(object);
        break;
    default:
        mcphost_provider_unref(object);
    }
    thing_remove(thing);
}

/* ---- life -------------------------------------------------------------------------- */

static void
make_host(void)
{
    const int asked = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL |
                      MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_ROOTS |
                      MCPHOST_REQUEST_AUTHORIZE;
    int r = mcphost_new(&sc.host, NULL);

    if (r == 0)
        r = mcphost_set_guard_path(sc.host, sc.guard);
    if (r == 0)
        r = mcphost_set_option(sc.host, MCPHOST_OPT_REQUESTS, asked);
    if (r == 0)
        r = mcphost_set_option(sc.host, MCPHOST_OPT_ADMIN_TOOLS, 0);
    if (r == 0)
        r = mcphost_set_event(sc.host, on_event, NULL, NULL);
    if (r < 0)
        die("cannot make a host: %s", mcphost_strerror(r));
}

static void
end_host(void)
{
    while (sc.n_things > 0)
        drop_thing(&sc.things[sc.n_things - 1]);
    sc.host = mcphost_unref(sc.host);
}

void
new_host(void)
{
    end_host();
    make_host();
}

static void
begin(void)
{
    snprintf(sc.dir, sizeof(sc.dir), "/tmp/scenario.XXXXXX");
    if (!mkdtemp(sc.dir))
        die("cannot make a directory");
    make_host();
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void
end(void)
{
    end_host();
    end_webs();
    for (size_t i = 0; i < sc.n_answers; i++)
        free(sc.answers[i].json);
    free(sc.login);
    text_free(&sc.requests);
    text_free(&sc.yaml);
    nftw(sc.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int
main(int argc, char **argv)
{
    struct command c;

    if (argc != 4)
        die("usage: scenario SERVER GUARD FILE");
    sc.server = argv[1];
    sc.guard = argv[2];
    script_open(argv[3]);
    begin();
    while (script_next(&c)) {
        if (!run_config(&c) && !run_catalog(&c) && !run_dialog(&c) && !run_call(&c) &&
            !run_own(&c) && !run_login(&c) && !run_value(&c))
            die("unknown command: %s", c.words[0]);
        command_free(&c);
    }
    end();
    return 0;
}
