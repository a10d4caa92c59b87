/* SPDX-License-Identifier: MIT
 *
 * profiles_goclaw.c - edits of a goclaw workspace.
 *
 * goclaw's built-in tools edit servers and skills, also during a turn.  The test also
 * edits the file by hand.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <mcphost/goclaw.h>

#include "stress/profiles.h"

#define N_SKILLS 3

struct skill {
    bool present, enabled;
    int version;
};

static char dir[96], path[128];
static mcphost_builtins *tools;
static bool spoilt;
static struct skill skills[N_SKILLS];
static long n_asked, n_refused;

static const char *
entry_of(int server, const struct offer *offer)
{
    static char text[2048];
    int n;

    n = snprintf(
        text, sizeof(text),
        "\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"%s\"],\"env\":{\"KEY\":"
        "\"hush\"},\"timeoutSeconds\":20",
        MCPH_TEST_PROGDIR "/fakeserver", profiles_script(OF_GOCLAW, server, offer));
    STRESS_CHECK(n > 0 && n < (int)sizeof(text));
    return text;
}

static const char *
text_of(void)
{
    static char text[8192];
    const struct origin *o = &origins[OF_GOCLAW];
    size_t n = (size_t)snprintf(text, sizeof(text), "{\"version\":1,\"servers\":{");
    const char *comma = "";

    for (int i = 0; i < N_OF; i++) {
        if (!o->offers[i].present)
            continue;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"%s\":{\"enabled\":%s,%s}",
                              comma, o->servers[i],
                              o->offers[i].enabled ? "true" : "false",
                              entry_of(i, &o->offers[i]));
        comma = ",";
    }
    n += (size_t)snprintf(text + n, sizeof(text) - n, "}}\n");
    STRESS_CHECK(n < sizeof(text));
    return text;
}

void
goclaw_begin(void)
{
    mcphost_source *source = profiles_source(OF_GOCLAW, MCPHOST_RELOAD_EXPLICIT);

    snprintf(dir, sizeof(dir), "%s/goclaw", st.dir);
    snprintf(path, sizeof(path), "%s/.goclaw/mcp.json", dir);
    STRESS_CHECK(mkdir(dir, 0700) == 0);
    STRESS_CHECK(mcphost_source_set_policy(source, MCPHOST_OPT_LEASE_SCOPE,
                                           MCPHOST_SCOPE_AGENT, NULL) == 0);
    STRESS_CHECK(mcphost_goclaw_builtins_new(dir, NULL, 0, &tools, NULL) == 0);
    STRESS_CHECK(mcphost_goclaw_follow(source, dir, NULL, 0, NULL) == 0);
}

mcphost_builtins *
goclaw_tools(void)
{
    return tools;
}

/* ---- edits by the tools ------------------------------------------------------------ */

/* Checks that a tool has returned an error because the file is spoilt. */
static void
check_refused(const char *answer)
{
    STRESS_CHECK(strncmp(answer, "{\"success\":false", 16) == 0);
    STRESS_CHECK(strstr(answer, "line 1, column") != NULL);
    n_refused++;
    stress_draw("goclaw refused");
}

/* Calls a tool, and fails unless the tool succeeds.  The answer must contain `member`,
 * unless `member` is NULL. */
static void
call_tool(int reader, const char *tool, const char *arguments, const char *member)
{
    const char *answer = readers_ask(reader, tool, arguments);

    if (strncmp(answer, "{\"success\":true", 15) != 0 ||
        (member && !strstr(answer, member)))
        stress_fail("%s %s: %s", tool, arguments, answer);
    n_asked++;
}

/* Makes an edit of a server by a call of `tool`.  If the file is spoilt, the tool must
 * refuse the edit. */
static void
edit_by_tool(int server, const struct offer *next, const char *tool,
             const char *arguments)
{
    int reader = readers_draw();
    const char *agent = readers_agent(reader);

    if (spoilt) {
        check_refused(readers_ask(reader, tool, arguments));
        return;
    }
    profiles_edit(OF_GOCLAW, server, next);
    call_tool(reader, tool, arguments, "\"reloaded\":true");
    readers_stale(agent ? agent : "default");
    profiles_await();
}

static void
put_server(int server)
{
    struct offer next = profiles_draw();
    unsigned enabled = profiles_chance(4);
    char arguments[3072];

    next.enabled = enabled != 0;
    snprintf(arguments, sizeof(arguments), "{\"name\":\"%s\",%s%s}",
             origins[OF_GOCLAW].servers[server], entry_of(server, &next),
             enabled == 0   ? ",\"enabled\":false"
             : enabled == 1 ? ",\"enabled\":true"
                            : "");
    edit_by_tool(server, &next, "mcp_put_server", arguments);
    stress_draw("mcp_put_server");
}

static void
enable(int server)
{
    struct offer next = origins[OF_GOCLAW].offers[server];
    char arguments[128];

    if (!next.present)
        return;
    next.enabled = profiles_chance(3) ? !next.enabled : next.enabled;
    snprintf(arguments, sizeof(arguments), "{\"name\":\"%s\",\"enabled\":%s}",
             origins[OF_GOCLAW].servers[server], next.enabled ? "true" : "false");
    edit_by_tool(server, &next, "mcp_set_enabled", arguments);
    stress_draw("mcp_set_enabled");
}

static void delete (int server)
{
    char arguments[64];

    if (!origins[OF_GOCLAW].offers[server].present)
        return;
    snprintf(arguments, sizeof(arguments), "{\"name\":\"%s\"}",
             origins[OF_GOCLAW].servers[server]);
    edit_by_tool(server, &(struct offer){0}, "mcp_delete_server", arguments);
    stress_draw("mcp_delete_server");
}

static void
list(void)
{
    char copy[16384], part[64];
    const struct origin *o = &origins[OF_GOCLAW];
    const char *answer = readers_ask(readers_draw(), "mcp_list", "{}");

    stress_draw("mcp_list");
    if (spoilt) {
        check_refused(answer);
        return;
    }
    snprintf(copy, sizeof(copy), "%s", answer);
    STRESS_CHECK(strstr(copy, "hush") == NULL);
    for (int i = 0; i < N_OF && o->servers[i]; i++) {
        snprintf(part, sizeof(part), "\"name\":\"%s\",\"enabled\":%s", o->servers[i],
                 o->offers[i].enabled ? "true" : "false");
        if ((strstr(copy, part) != NULL) != o->offers[i].present)
            stress_fail("mcp_list does not fit what %s is: %s", o->servers[i], copy);
    }
}

/* ---- edits by hand ----------------------------------------------------------------- */

/* Makes the source read the file, in one of three ways. */
static void
trigger_reload(void)
{
    static const char *const agents[] = {"main", "aide", "default"};
    const char *agent = agents[profiles_chance(3)];
    char arguments[64];

    switch (profiles_chance(3)) {
    case 0:
        snprintf(arguments, sizeof(arguments), "{\"agent_id\":\"%s\"}", agent);
        call_tool(readers_draw(), "runtime_reload", arguments, agent);
        readers_stale(agent);
        stress_draw("runtime_reload");
        break;
    case 1:
        STRESS_CHECK(mcphost_invalidate_agent(st.host, agent) == 0);
        readers_stale(agent);
        break;
    default:
        STRESS_CHECK(mcphost_source_reload(origins[OF_GOCLAW].source) == 0);
        break;
    }
}

/* Edits one or two servers.  Writes the whole file, so that a spoilt file becomes
 * valid. */
static void
edit_by_hand(int first)
{
    int n = 1 + (int)profiles_chance(2);
    char file_dir[112];

    for (int i = 0; i < n; i++) {
        int server = (first + i) % 3;
        struct offer next = profiles_draw();

        if (profiles_chance(4) == 0)
            next = (struct offer){0};
        profiles_edit(OF_GOCLAW, server, &next);
    }
    snprintf(file_dir, sizeof(file_dir), "%s/.goclaw", dir);
    mkdir(file_dir, 0700);
    profiles_save(path, text_of());
    spoilt = false;
    trigger_reload();
    profiles_await();
    stress_draw("goclaw by hand");
}

static void
spoil(void)
{
    char file_dir[112];

    stress_log("profiles: goclaw is spoilt");
    snprintf(file_dir, sizeof(file_dir), "%s/.goclaw", dir);
    mkdir(file_dir, 0700);
    profiles_save(path, "{\"version\":1,\"servers\":{\"g0\":");
    spoilt = true;
    trigger_reload();
    stress_pump(2);
    stress_draw("goclaw spoilt");
}

/* ---- skills ------------------------------------------------------------------------ */

static void
put_skill(int reader, int at)
{
    struct skill *skill = &skills[at];
    unsigned enabled = profiles_chance(3);
    char arguments[160];

    skill->version++;
    skill->enabled = enabled ? enabled == 1 : !skill->present || skill->enabled;
    skill->present = true;
    snprintf(arguments, sizeof(arguments),
             "{\"skill_name\":\"k%d\",\"skill_md\":\"# version %d.\\n\"%s}", at,
             skill->version,
             enabled == 1   ? ",\"enabled\":true"
             : enabled == 2 ? ",\"enabled\":false"
                            : "");
    call_tool(reader, "skills_put", arguments,
              skill->enabled ? "\"enabled\":true" : "\"enabled\":false");
}

static void
change_skill(int reader, int at)
{
    struct skill *skill = &skills[at];
    char arguments[96];

    if (!skill->present || profiles_chance(2)) {
        put_skill(reader, at);
    } else if (profiles_chance(2)) {
        skill->enabled = !skill->enabled;
        snprintf(arguments, sizeof(arguments), "{\"skill_name\":\"k%d\",\"enabled\":%s}",
                 at, skill->enabled ? "true" : "false");
        call_tool(reader, "skills_set_enabled", arguments, NULL);
    } else {
        skill->present = false;
        snprintf(arguments, sizeof(arguments), "{\"skill_name\":\"k%d\"}", at);
        call_tool(reader, "skills_delete", arguments, "\"deleted\":true");
    }
    readers_stale(readers_agent(reader) ? readers_agent(reader) : "default");
}

static void
look_at_skill(int reader, int at)
{
    char arguments[64], part[64];

    snprintf(arguments, sizeof(arguments), "{\"skill_name\":\"k%d\"}", at);
    snprintf(part, sizeof(part), "# version %d.", skills[at].version);
    if (skills[at].present)
        call_tool(reader, "skills_get", arguments, part);
    else
        STRESS_CHECK(strncmp(readers_ask(reader, "skills_get", arguments),
                             "{\"success\":false", 16) == 0);
    for (int i = 0; i < N_SKILLS; i++) {
        const char *listed =
            readers_ask(reader, "skills_list", "{\"include_disabled\":false}");

        snprintf(part, sizeof(part), "\"name\":\"k%d\"", i);
        STRESS_CHECK((strstr(listed, part) != NULL) ==
                     (skills[i].present && skills[i].enabled));
    }
    stress_draw("skill looked at");
}

/* ---- steps ------------------------------------------------------------------------- */

void
goclaw_step(void)
{
    unsigned what = profiles_chance(16);
    int server = (int)profiles_chance(3);

    if (what < 4)
        put_server(server);
    else if (what < 6)
        enable(server);
    else if (what == 6)
        delete (server);
    else if (what == 7)
        list();
    else if (what < 11)
        edit_by_hand(server);
    else if (what == 11)
        spoil();
    else if (what < 14)
        change_skill(readers_draw(), (int)profiles_chance(N_SKILLS));
    else
        look_at_skill(readers_draw(), (int)profiles_chance(N_SKILLS));
}

void
goclaw_end(void)
{
    mcphost_builtins_unref(tools);
    printf("stress: goclaw's tools did %ld times as asked, and refused %ld times to "
           "touch a file that was spoilt\n",
           n_asked, n_refused);
}
