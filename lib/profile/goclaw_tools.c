/* SPDX-License-Identifier: MIT
 *
 * goclaw_tools.c - built-in tools with which an agent manages its own skills and servers
 * (R181-R185, R192-R196, R213, B.35).
 *
 * Each tool answers with a JSON object in a text.  A tool that fails answers
 * {"success":false, ..., "error":"..."}.  After a write, the agent's next dialog turn
 * reads the files again (R199).  The present turn does not change (R197).
 *
 * If another process writes in the same directory or moves the directory, the tool tries
 * again later.  A timer of the loop starts each further attempt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/turn.h"
#include "host/walk.h"
#include "profile/goclaw.h"

#define RETRY_MS  20
#define RETRY_MAX 5000 /* time limit of all attempts, in ms */
#define TEXT_MAX  ((size_t)4 * 1024 * 1024)
#define AGENT     "default" /* the agent if the dialog names no agent */

/* The state that all tools of one mcphost_builtins share. */
struct tools {
    struct mcph_refs refs;
    struct mcph_goclaw *goclaw;
};

struct work;

struct tool {
    const char *name, *description, *schema, *annotations;
    /* Does the work and adds the members that follow `success`.  Returns 0 or an error
     * code. */
    int (*run)(struct work *work, mcphost_error **reterr);
    bool writes;
};

/* The `arg` with which the library calls the function of one tool. */
struct tool_arg {
    struct tools *tools; /* holds a reference */
    const struct tool *tool;
};

/* The state of one call. */
struct work {
    struct mcph_timer timer; /* runs between two attempts */
    mcphost_call *call;      /* lives longer than this struct */
    struct tools *tools;     /* holds a reference */
    const struct tool *tool;
    struct mcph_span arguments; /* borrowed from the call */
    int64_t until;
    struct mcph_buf out; /* the members of the answer */
    struct mcph_buf text[3];
    size_t n_text;
};

static void
tools_unref(struct tools *tools)
{
    if (!mcph_refs_put(&tools->refs))
        return;
    mcph_goclaw_free(tools->goclaw);
    free(tools);
}

static void
free_tool_arg(void *arg)
{
    struct tool_arg *tool_arg = arg;

    tools_unref(tool_arg->tools);
    free(tool_arg);
}

/* ---- arguments, which have passed the tool's schema -------------------------------- */

/* Gets a text argument.  If the argument is missing, ret->p is NULL.  Otherwise a NUL
 * follows the text. */
static int
get_text(struct work *work, const char *name, struct mcph_span *ret)
{
    struct mcph_span token = mcph_json_get(work->arguments, name), text;
    struct mcph_buf *buf = &work->text[work->n_text++];
    int r;

    *ret = MCPH_SPAN_NONE;
    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return 0;
    r = mcph_json_string_get(token, buf, &text);
    /* Copy a text without escapes, because mcph_json_string_get() has not copied it into
     * `buf`. */
    if (r == 0 && text.p != buf->data)
        mcph_buf_add(buf, text.p, text.len);
    mcph_buf_addc(buf, '\0');
    if (r == 0)
        r = mcph_buf_ok(buf);
    if (r == 0)
        *ret = mcph_span(buf->data, text.len);
    return r;
}

static bool
get_flag(const struct work *work, const char *name, bool fallback)
{
    bool value = fallback;

    return mcph_json_bool(mcph_json_get(work->arguments, name), &value) < 0 ? fallback
                                                                            : value;
}

static void
put_flag(struct work *work, const char *name, bool value)
{
    mcph_json_add_key(&work->out, name);
    mcph_json_add_bool(&work->out, value);
}

static void
put_text(struct work *work, const char *name, struct mcph_span text)
{
    mcph_json_add_key(&work->out, name);
    mcph_json_add_string(&work->out, text.p, text.len);
}

static void
put_role(struct work *work, struct mcph_span role)
{
    put_text(work, "role", role.len > 0 ? role : mcph_span_str(MCPH_GOCLAW_ROLE));
}

/* ---- servers ----------------------------------------------------------------------- */

static void
put_path(struct work *work)
{
    mcph_json_add_member(&work->out, "path", work->tools->goclaw->file);
}

static int
list_servers(struct work *work, mcphost_error **reterr)
{
    struct mcph_buf rows;
    int r;

    put_path(work);
    mcph_buf_init(&rows, TEXT_MAX);
    r = mcph_goclaw_list_servers(work->tools->goclaw, &rows, reterr);
    if (r == 0) {
        mcph_json_add_key(&work->out, "servers");
        mcph_buf_add(&work->out, rows.data, rows.len);
    }
    mcph_buf_done(&rows);
    return r;
}

static int
put_server(struct work *work, mcphost_error **reterr)
{
    struct mcph_span name;
    int r = get_text(work, "name", &name);

    put_path(work);
    put_text(work, "server", name);
    if (r == 0)
        r = mcph_goclaw_put_server(work->tools->goclaw, name, work->arguments, NULL,
                                   reterr);
    return r < 0 ? r : 0;
}

static int
delete_server(struct work *work, mcphost_error **reterr)
{
    struct mcph_span name;
    int r = get_text(work, "name", &name);

    put_path(work);
    if (r == 0)
        r = mcph_goclaw_delete_server(work->tools->goclaw, name, NULL, reterr);
    put_text(work, "server", name);
    put_flag(work, "deleted", r >= 0);
    return r < 0 ? r : 0;
}

static int
enable_server(struct work *work, mcphost_error **reterr)
{
    bool enabled = get_flag(work, "enabled", true);
    struct mcph_span name;
    int r = get_text(work, "name", &name);

    put_path(work);
    put_text(work, "server", name);
    if (r == 0)
        r = mcph_goclaw_enable_server(work->tools->goclaw, name, enabled, NULL, reterr);
    if (r >= 0)
        put_flag(work, "enabled", enabled);
    return r < 0 ? r : 0;
}

/* Carries out runtime_reload.  Does nothing here: answer_call() invalidates the agent's
 * next turn, because the tool has `writes` set. */
static int
reload_runtime(struct work *work, mcphost_error **reterr)
{
    (void)work;
    (void)reterr;
    return 0;
}

/* ---- skills ------------------------------------------------------------------------ */

static int
list_skills(struct work *work, mcphost_error **reterr)
{
    struct mcph_goclaw_skills *skills = NULL;
    struct mcph_span role;
    int r = get_text(work, "role", &role);

    put_role(work, role);
    if (r == 0)
        r = mcph_goclaw_list_skills(work->tools->goclaw, role,
                                    get_flag(work, "include_disabled", true), &skills,
                                    reterr);
    if (r < 0)
        return r;
    mcph_json_add_member(&work->out, "base_dir", skills->base_dir);
    mcph_json_add_key(&work->out, "skills");
    if (!skills->has_role) {
        mcph_buf_adds(&work->out, "null");
        mcph_json_add_member(&work->out, "message", "the role does not exist yet");
    } else {
        mcph_goclaw_skills_put(&work->out, skills, role);
    }
    mcph_goclaw_skills_free(skills);
    return 0;
}

static int
get_skill(struct work *work, mcphost_error **reterr)
{
    bool content = get_flag(work, "include_content", true);
    struct mcph_goclaw_skill *skill = NULL;
    struct mcph_span role, name;
    int r = get_text(work, "role", &role);

    if (r == 0)
        r = get_text(work, "skill_name", &name);
    if (r == 0)
        r = mcph_goclaw_get_skill(work->tools->goclaw, role, name, content, &skill,
                                  reterr);
    if (r < 0)
        return r;
    mcph_json_add_key(&work->out, "skill");
    mcph_goclaw_skill_put(&work->out, skill, role, content);
    mcph_goclaw_skill_free(skill);
    return 0;
}

/* Adds the role, the name and the state of the skill after the write.  If the skill
 * cannot be read, adds no state. */
static int
put_skill_state(struct work *work, struct mcph_span role, struct mcph_span name)
{
    struct mcph_goclaw_skill *skill = NULL;

    put_role(work, role);
    put_text(work, "name", name);
    if (mcph_goclaw_get_skill(work->tools->goclaw, role, name, false, &skill, NULL) < 0)
        return 0;
    mcph_json_add_member(&work->out, "dir", skill->dir);
    if (skill->file)
        mcph_json_add_member(&work->out, "skill_file", skill->file);
    put_flag(work, "enabled", skill->enabled);
    if (skill->warning)
        mcph_json_add_member(&work->out, "warning", skill->warning);
    mcph_goclaw_skill_free(skill);
    return 0;
}

static int
write_skill(struct work *work, mcphost_error **reterr)
{
    int enabled = MCPH_GOCLAW_KEEP;
    struct mcph_span role, name, text;
    int r = get_text(work, "role", &role);

    if (r == 0)
        r = get_text(work, "skill_name", &name);
    if (r == 0)
        r = get_text(work, "skill_md", &text);
    if (mcph_json_get(work->arguments, "enabled").p)
        enabled =
            get_flag(work, "enabled", true) ? MCPH_GOCLAW_ENABLE : MCPH_GOCLAW_DISABLE;
    if (r == 0)
        r = mcph_goclaw_put_skill(work->tools->goclaw, role, name, text, enabled,
                                  get_flag(work, "overwrite", true), reterr);
    return r < 0 ? r : put_skill_state(work, role, name);
}

static int
delete_skill(struct work *work, mcphost_error **reterr)
{
    struct mcph_span role, name = MCPH_SPAN_NONE;
    int r = get_text(work, "role", &role);

    if (r == 0)
        r = get_text(work, "skill_name", &name);
    if (r == 0)
        r = mcph_goclaw_delete_skill(work->tools->goclaw, role, name, reterr);
    put_role(work, role);
    put_text(work, "name", name);
    put_flag(work, "deleted", r >= 0);
    return r < 0 ? r : 0;
}

static int
enable_skill(struct work *work, mcphost_error **reterr)
{
    struct mcph_span role, name;
    int r = get_text(work, "role", &role);

    if (r == 0)
        r = get_text(work, "skill_name", &name);
    if (r == 0)
        r = mcph_goclaw_enable_skill(work->tools->goclaw, role, name,
                                     get_flag(work, "enabled", true), reterr);
    return r < 0 ? r : put_skill_state(work, role, name);
}

/* ---- the tools --------------------------------------------------------------------- */

/* The schemas of the arguments.  PROPERTY writes the first property of a schema.  An AND_
 * macro writes each further property, with a comma in front. */
#define BEGIN         "{\"type\":\"object\",\"properties\":{"
#define END(required) "},\"required\":[" required "],\"additionalProperties\":false}"
#define PROPERTY(name, type, about) \
    "\"" name "\":{\"type\":" type ",\"description\":\"" about "\"}"
#define STRINGS "\"object\",\"additionalProperties\":{\"type\":\"string\"}"

#define AND_TEXT(name, about) "," PROPERTY(name, "\"string\"", about)
#define AND_FLAG(name, about) "," PROPERTY(name, "\"boolean\"", about)
#define AND_MAP(name, about)  "," PROPERTY(name, STRINGS, about)

#define NAME                       \
    PROPERTY("name", "\"string\"", \
             "The name of the server: letters, digits, '_' and '-'.")
#define ROLE \
    PROPERTY("role", "\"string\"", "The role that has the skills. Default: main.")
#define AND_SKILL \
    AND_TEXT("skill_name", "The name of the skill: letters, digits, '_' and '-'.")

/* clang-format off */
static const char no_arguments[] = BEGIN END("");

static const char server_entry[] =
    BEGIN NAME
    AND_FLAG("enabled", "Default: true.")
    ",\"type\":{\"type\":\"string\",\"enum\":[\"stdio\",\"http\",\"sse\"]}"
    AND_TEXT("command", "For stdio: the program.")
    ",\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
    AND_TEXT("url", "For http and sse.")
    AND_MAP("env", "For stdio: environment variables.")
    AND_MAP("headers", "For http and sse.")
    ",\"timeoutSeconds\":{\"type\":\"integer\",\"minimum\":0}"
    END("\"name\",\"type\"");

static const char server_name[] = BEGIN NAME END("\"name\"");

static const char server_state[] =
    BEGIN NAME
    AND_FLAG("enabled", "True to enable, false to disable.")
    END("\"name\",\"enabled\"");

static const char agent_id[] =
    BEGIN
    PROPERTY("agent_id", "\"string\"", "Default: the calling agent.")
    END("");

static const char skill_filter[] =
    BEGIN ROLE
    AND_FLAG("include_disabled", "Default: true.")
    END("");

static const char skill_content[] =
    BEGIN ROLE AND_SKILL
    AND_FLAG("include_content", "Default: true.")
    END("\"skill_name\"");

static const char skill_text[] =
    BEGIN ROLE AND_SKILL
    AND_TEXT("skill_md", "The whole text of SKILL.md.")
    AND_FLAG("enabled", "Default: unchanged; a new skill is enabled.")
    AND_FLAG("overwrite", "Default: true.")
    END("\"skill_name\",\"skill_md\"");

static const char skill_name[] = BEGIN ROLE AND_SKILL END("\"skill_name\"");

static const char skill_state[] =
    BEGIN ROLE AND_SKILL
    AND_FLAG("enabled", "True to enable, false to disable.")
    END("\"skill_name\",\"enabled\"");
/* clang-format on */

#define READS "{\"readOnlyHint\":true,\"openWorldHint\":false}"
#define WRITES                                                                  \
    "{\"readOnlyHint\":false,\"destructiveHint\":true,\"idempotentHint\":true," \
    "\"openWorldHint\":false}"

static const struct tool server_tools[] = {
    {"mcp_list", "List the MCP servers of the workspace, enabled or not.", no_arguments,
     READS, list_servers, false},
    {"mcp_put_server",
     "Add an MCP server to the workspace, or replace its entry. It takes effect from the "
     "next turn on.",
     server_entry, WRITES, put_server, true},
    {"mcp_delete_server", "Remove an MCP server. Turns in progress keep it.", server_name,
     WRITES, delete_server, true},
    {"mcp_set_enabled", "Enable or disable an MCP server from the next turn on.",
     server_state, WRITES, enable_server, true},
    {"runtime_reload", "Make the next turn read skills and servers again.", agent_id,
     WRITES, reload_runtime, true},
};

static const struct tool skill_tools[] = {
    {"skills_list", "List the skills of a role.", skill_filter, READS, list_skills,
     false},
    {"skills_get", "Read a skill.", skill_content, READS, get_skill, false},
    {"skills_put", "Write a skill. It takes effect from the next turn on.", skill_text,
     WRITES, write_skill, true},
    {"skills_delete", "Delete a skill with all its files.", skill_name, WRITES,
     delete_skill, true},
    {"skills_set_enabled", "Enable or disable a skill from the next turn on.",
     skill_state, WRITES, enable_skill, true},
};

/* ---- a call ------------------------------------------------------------------------ */

static void
work_free(struct work *work)
{
    mcph_timer_done(&work->timer);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(work->text); i++)
        mcph_buf_wipe(&work->text[i]);
    mcph_buf_wipe(&work->out);
    tools_unref(work->tools);
    free(work);
}

/* Makes the agent's next dialog turn read the files again.  Returns true on success. */
static bool
invalidate_turn(struct work *work, mcphost_error **reterr)
{
    const char *agent = mcph_dialog_get_key(work->call->dialog, MCPHOST_SCOPE_AGENT);
    struct mcph_span asked = MCPH_SPAN_NONE;
    int r = 0;

    if (work->tool->run == reload_runtime)
        r = get_text(work, "agent_id", &asked);
    if (asked.len > 0)
        agent = asked.p;
    agent = agent ? agent : AGENT;
    if (r == 0)
        r = mcph_turns_invalidate(work->call->host, NULL, agent);
    if (work->tool->run == reload_runtime)
        mcph_json_add_member(&work->out, "agent_id", agent);
    if (r < 0)
        mcph_err(reterr, r, "the next turn will not read the files again: %s",
                 mcphost_strerror(r));
    return r == 0;
}

/* Adds the message of an error.  If the error has a line and a column in a file, puts
 * them in front of the message. */
static void
put_error(struct mcph_buf *buf, const char *name, int code, const mcphost_error *err)
{
    const char *text = err ? mcphost_error_get_message(err) : mcphost_strerror(code);
    char place[64] = "";

    if (err && mcphost_error_get_line(err) > 0)
        snprintf(place, sizeof(place),
                 "line %d, column %d: ", mcphost_error_get_line(err),
                 mcphost_error_get_column(err));
    mcph_json_add_key(buf, name);
    mcph_buf_addc(buf, '"');
    mcph_json_add_part(buf, place, strlen(place));
    mcph_json_add_part(buf, text, strlen(text));
    mcph_buf_addc(buf, '"');
}

static void
answer_call(struct work *work, int code, mcphost_error *err)
{
    struct mcph_buf text;
    mcphost_error *late = NULL;
    bool reloaded = code == 0 && work->tool->writes && invalidate_turn(work, &late);

    if (code == 0 && work->tool->writes)
        put_flag(work, "reloaded", reloaded);
    mcph_buf_init(&text, 2 * TEXT_MAX);
    mcph_buf_adds(&text, code == 0 ? "{\"success\":true" : "{\"success\":false");
    if (work->out.len > 0)
        mcph_buf_addc(&text, ',');
    mcph_buf_add(&text, work->out.data, work->out.len);
    if (code < 0)
        put_error(&text, "error", code, err);
    else if (late)
        put_error(&text, "message", code, late);
    mcph_buf_addc(&text, '}');
    if (mcph_buf_ok(&text) < 0 || mcph_buf_ok(&work->out) < 0)
        mcph_said(work->call, MCPHOST_E_NOMEM);
    else
        mcph_said(work->call,
                  mcph_handling_answer(work->call, text.data, text.len, false));
    mcph_buf_wipe(&text);
    mcphost_error_unref(late);
}

/* Makes one attempt.  If the attempt gives MCPHOST_E_BUSY (another process has the lock,
 * or has moved the directory) and there is time left, sets the timer for the next attempt
 * and returns false.  Otherwise answers the call and returns true. */
static bool
try_tool(struct work *work)
{
    struct mcph_core *core = work->call->host->core;
    mcphost_error *err = NULL;
    int r;

    mcph_buf_clear(&work->out);
    for (work->n_text = 0; work->n_text < MCPH_ARRAY_SIZE(work->text); work->n_text++)
        mcph_buf_clear(&work->text[work->n_text]);
    work->n_text = 0;
    r = work->tool->run(work, &err);
    if (r == MCPHOST_E_BUSY && mcph_core_now(core) < work->until) {
        mcphost_error_unref(err);
        mcph_timer_set(&work->timer, mcph_core_now(core) + RETRY_MS);
        return false;
    }
    answer_call(work, r, err);
    mcphost_error_unref(err);
    return true;
}

static void
on_retry(struct mcph_timer *timer)
{
    struct work *work = MCPH_CONTAINER_OF(timer, struct work, timer);

    if (!mcph_handling_is_cancelled(work->call))
        (void)try_tool(work);
}

/* Frees the state of a call that has ended, with or without an answer. */
static void
free_work(void *arg)
{
    work_free(arg);
}

static int
carry_out(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    const struct tool_arg *tool_arg = arg;
    struct work *work = calloc(1, sizeof(*work));
    int r;

    if (!work)
        return MCPHOST_E_NOMEM;
    work->call = call;
    work->tools = tool_arg->tools;
    mcph_refs_get(&work->tools->refs);
    work->tool = tool_arg->tool;
    work->arguments = mcph_span(arguments, len);
    work->until = mcph_core_now(call->host->core) + RETRY_MAX;
    mcph_buf_init(&work->out, TEXT_MAX);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(work->text); i++)
        mcph_buf_init(&work->text[i], TEXT_MAX);
    r = mcph_timer_init(&work->timer, call->host->core, on_retry);
    if (r == 0 && !try_tool(work)) {
        r = mcph_handling_set_cancelled(call, NULL, work, free_work);
        if (r == 0)
            return 0;
    }
    work_free(work);
    return r;
}

/* ---- the block --------------------------------------------------------------------- */

static int
add_tool(mcphost_builtins *builtins, struct tools *tools, const struct tool *tool,
         mcphost_error **reterr)
{
    const struct mcph_builtin_draft draft = {.name = tool->name,
                                             .description = tool->description,
                                             .schema = tool->schema,
                                             .annotations = tool->annotations};
    struct tool_arg *arg = malloc(sizeof(*arg));
    struct mcph_builtin how = {.fn = carry_out, .arg = arg, .free_arg = free_tool_arg};
    struct mcph_builtin *made = NULL;
    int r;

    if (!arg)
        return mcph_err_nomem(reterr);
    mcph_refs_get(&tools->refs);
    *arg = (struct tool_arg){tools, tool};
    r = mcph_builtin_new_draft(&draft, &how, &made, reterr);
    if (r == 0)
        r = mcph_builtins_add(builtins, made, reterr);
    mcph_builtin_unref(made);
    return r;
}

static int
add_set(mcphost_builtins *builtins, struct tools *tools, const char *name,
        const char *about, const struct tool *all, size_t n, mcphost_error **reterr)
{
    const char *names[8];
    int r = 0;

    for (size_t i = 0; i < n && r == 0; i++) {
        names[i] = all[i].name;
        r = add_tool(builtins, tools, &all[i], reterr);
    }
    return r < 0 ? r : mcph_builtins_add_set(builtins, name, about, names, n, reterr);
}

int
mcph_goclaw_builtins_new(const char *workspace, const char *skills_dir, uint64_t flags,
                         mcphost_builtins **ret, mcphost_error **reterr)
{
    struct tools *tools = calloc(1, sizeof(*tools));
    mcphost_builtins *builtins = NULL;
    int r;

    if (!tools)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&tools->refs);
    r = mcph_goclaw_new(workspace, skills_dir, flags, &tools->goclaw, reterr);
    if (r == 0 && mcph_builtins_new("goclaw", &builtins) < 0)
        r = mcph_err_nomem(reterr);
    if (r == 0)
        r = add_set(builtins, tools, "mcp_admin", "The MCP servers of the workspace.",
                    server_tools, MCPH_ARRAY_SIZE(server_tools), reterr);
    if (r == 0)
        r = add_set(builtins, tools, "skills_admin", "The skills of the workspace.",
                    skill_tools, MCPH_ARRAY_SIZE(skill_tools), reterr);
    tools_unref(tools);
    if (r < 0)
        mcph_builtins_unref(builtins);
    else
        *ret = builtins;
    return r;
}
