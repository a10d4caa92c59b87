/* SPDX-License-Identifier: MIT
 *
 * crash.c - count crashes, and raise a problem for a server that keeps crashing (R109,
 * B.17).
 *
 * Other files decide how soon a server is started again.  server.c delays the attempts to
 * start a server.  The pool delays the restarts of each seat.  Both delays grow to at
 * most a minute.  Only server.c waits longer if the server asks for a longer delay.  This
 * file counts crashes over all instances of a server.  From the third crash in a row on,
 * a problem says how many crashes there were, and why the last crash happened.
 *
 * The crash of an instance that came up and has lived for MCPHOST_OPT_CRASH_WINDOW does
 * not count.  When an instance comes up or answers a call, a period of
 * MCPHOST_OPT_CRASH_WINDOW begins.  If no instance crashes in this period, the row of
 * crashes ends.  The row also ends when a new edition replaces the edition that crashed,
 * or when the configuration wants another process for the server, or no process.
 */
#include <stdlib.h>

#include "workspace/workspace.h"

#define IN_A_ROW   3
#define CRASH_LOOP "crash_loop"

/* Makes {"serverId": ID, "crashes": N, "errorText": TEXT}.  Returns NULL if memory is
 * short. */
static char *
make_detail(const struct mcph_server *server, const char *error_text)
{
    struct mcph_buf buf;
    char *detail;

    mcph_buf_init(&buf, 1024 * 1024);
    mcph_buf_addc(&buf, '{');
    mcph_json_add_member(&buf, "serverId", server->id);
    mcph_json_add_key(&buf, "crashes");
    mcph_buf_addi(&buf, (int64_t)server->crashes);
    mcph_json_add_member(&buf, "errorText", error_text);
    mcph_buf_addc(&buf, '}');
    detail = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return detail;
}

static void
raise_crash_loop(const struct mcph_server *server, const char *error_text)
{
    char *id = mcph_asprintf("mcp/server/%s/" CRASH_LOOP, server->id);
    char *detail = make_detail(server, error_text);
    char *message =
        mcph_asprintf("server '%s' keeps ending by itself (%u times in a row so far) and "
                      "is restarted after growing delays; the last end: %s",
                      server->id, server->crashes, error_text);
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "mcp_server_crash_loop",
                                       .source = server->source->id,
                                       .server = server->id,
                                       .message = message,
                                       .detail = detail,
                                       .severity = MCPHOST_SEVERITY_ERROR};

    mcph_problem_raise(server->source->journal, &draft);
    free(message);
    free(detail);
    free(id);
}

void
mcph_crash_note(struct mcph_server *server, const struct mcph_instance *inst,
                const mcphost_error *reason)
{
    struct mcphost_source *source = server->source;
    int64_t lived = mcph_core_now(source->core) - inst->started;
    int code = mcphost_error_get_code(reason);

    /* Do not count a failed start, an instance of an unwanted server, or an instance that
     * has lived long enough.  Before an instance comes up, MCPHOST_E_LIMIT means, for
     * example, that this process has no free descriptor. */
    if (!server->wanted || code == MCPHOST_E_SPAWN || code == MCPHOST_E_UNSUPPORTED ||
        (code == MCPHOST_E_LIMIT && !inst->came_up) ||
        (inst->came_up && lived >= mcph_source_policy(source, MCPHOST_OPT_CRASH_WINDOW)))
        return;
    mcph_timer_cancel(&server->calm);
    server->crashes++;
    if (server->crashes >= IN_A_ROW)
        raise_crash_loop(server, mcphost_error_get_message(reason));
}

void
mcph_crash_sign_of_life(struct mcph_server *server)
{
    struct mcphost_source *source = server->source;

    if (server->crashes && !mcph_timer_is_set(&server->calm))
        mcph_timer_set(&server->calm,
                       mcph_core_now(source->core) +
                           mcph_source_policy(source, MCPHOST_OPT_CRASH_WINDOW));
}

void
mcph_crash_forget(struct mcph_server *server)
{
    mcph_timer_cancel(&server->calm);
    if (server->lease_failed)
        mcph_problem_client(server->source->journal, server->source->id, server->id,
                            NULL);
    server->lease_failed = false;
    if (server->crashes >= IN_A_ROW)
        mcph_problem_clear_server(server->source->journal, server->source->id, server->id,
                                  CRASH_LOOP);
    server->crashes = 0;
}

void
mcph_crash_calm(struct mcph_timer *timer)
{
    mcph_crash_forget(MCPH_CONTAINER_OF(timer, struct mcph_server, calm));
}
