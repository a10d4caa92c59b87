/* SPDX-License-Identifier: MIT
 *
 * profiles_mcpservers.c - edits of an mcpServers file.
 *
 * The source watches the file.  Sometimes the test reloads the source, too.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/mcpservers.h>

#include "stress/profiles.h"

static char dir[96], path[128];
static bool invalid[N_OF]; /* true for an invalid entry; the entry's last good shape stays
                            * published */

static const char *
text_of(void)
{
    static char text[8192];
    const struct origin *o = &origins[OF_MCPSERVERS];
    size_t n = (size_t)snprintf(text, sizeof(text), "{\"mcpServers\": {\n");
    const char *comma = "";

    for (int i = 0; i < N_OF; i++) {
        if (!o->offers[i].present)
            continue;
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "%s\"%s\": {\"command\": \"%s\", \"args\": [\"%s\"]%s%s}\n",
                              comma, o->servers[i], MCPH_TEST_PROGDIR "/fakeserver",
                              profiles_script(OF_MCPSERVERS, i, &o->offers[i]),
                              o->offers[i].enabled ? "" : ", \"disabled\": true",
                              invalid[i] ? ", \"cwd\": [7]" : "");
        comma = ",";
    }
    n += (size_t)snprintf(text + n, sizeof(text) - n, "}}\n");
    STRESS_CHECK(n < sizeof(text));
    return text;
}

/* Sometimes reloads the source.  Without the reload the source's watch notices the
 * edit. */
static void
maybe_reload(void)
{
    if (profiles_chance(2))
        STRESS_CHECK(mcphost_source_reload(origins[OF_MCPSERVERS].source) == 0);
}

static void
commit(void)
{
    profiles_save(path, text_of());
    maybe_reload();
    profiles_await();
}

void
mcpservers_begin(void)
{
    mcphost_source *source = profiles_source(OF_MCPSERVERS, MCPHOST_RELOAD_WATCH);

    snprintf(dir, sizeof(dir), "%s/shared", st.dir);
    snprintf(path, sizeof(path), "%s/.mcp.json", dir);
    STRESS_CHECK(mkdir(dir, 0700) == 0);
    STRESS_CHECK(mcphost_source_set_policy(source, MCPHOST_OPT_LEASE_SCOPE,
                                           MCPHOST_SCOPE_EVERYONE, NULL) == 0);
    STRESS_CHECK(mcphost_mcpservers_follow(source, dir, NULL, NULL) == 0);
}

/* Writes a file that the library rejects as a whole.  The next edit writes a valid
 * file. */
static void
spoil(void)
{
    static const char *const texts[] = {
        "{\"mcpServers\": {\"m0\": {\"command\": \"none\"", "{\"mcpServers\": []}",
        "{\"mcpServers\": {\"m0\": {}, \"m0\": {}}}"};

    stress_log("profiles: shared is spoilt");
    profiles_save(path, texts[profiles_chance(sizeof(texts) / sizeof(texts[0]))]);
    maybe_reload();
    stress_pump(5);
    stress_draw("mcpServers spoilt");
}

static void delete (void)
{
    for (int i = 0; i < N_OF; i++) {
        if (origins[OF_MCPSERVERS].offers[i].present)
            profiles_edit(OF_MCPSERVERS, i, &(struct offer){0});
        invalid[i] = false;
    }
    unlink(path);
    maybe_reload();
    profiles_await();
    stress_draw("mcpServers deleted");
}

static void
change(int server)
{
    struct offer next = origins[OF_MCPSERVERS].offers[server];

    invalid[server] = false;
    if (!next.present || profiles_chance(2)) {
        next = profiles_draw();
        stress_draw("mcpServers changed");
    } else if (profiles_chance(2)) {
        next.enabled = !next.enabled;
        stress_draw("mcpServers enabled");
    } else {
        next = (struct offer){0};
        stress_draw("mcpServers removed");
    }
    profiles_edit(OF_MCPSERVERS, server, &next);
    commit();
}

/* Makes the entry invalid.  The host does not start the new edition of an invalid
 * entry. */
static void
corrupt(int server)
{
    struct offer next = profiles_draw();

    next.works = false;
    next.enabled = origins[OF_MCPSERVERS].offers[server].enabled;
    if (!origins[OF_MCPSERVERS].offers[server].present || !next.enabled)
        return;
    invalid[server] = true;
    profiles_edit(OF_MCPSERVERS, server, &next);
    commit();
    stress_draw("mcpServers invalid");
}

void
mcpservers_step(void)
{
    unsigned what = profiles_chance(12);
    int server = (int)profiles_chance(3);

    if (what == 0)
        spoil();
    else if (what == 1)
        delete ();
    else if (what < 4)
        corrupt(server);
    else
        change(server);
}
