/* SPDX-License-Identifier: MIT
 *
 * server_problem.c - raise and clear problems of one server: the server does not start
 * or has an error, its calls fail, its results do not fit their schema, or another fact
 * about the server needs a warning (R114, R117, B.17).
 */
#include <stdlib.h>
#include <string.h>

#include "journal/journal.h"

static void
log_lost(struct mcph_journal *journal, const char *server, const char *text)
{
    mcph_log(journal->core, MCPHOST_LOG_ERROR, "host", server,
             "a problem was lost: out of memory: %s", text);
}

void
mcph_problem_server(struct mcph_journal *journal, const char *source, const char *server,
                    int severity, mcphost_error *error)
{
    char *id = mcph_asprintf("mcp/server/%s/server_error", server);
    bool spawn = mcphost_error_get_code(error) == MCPHOST_E_SPAWN;
    const char *text = mcphost_error_get_message(error);
    struct mcph_problem_draft draft = {.kind = spawn ? "mcp_server_start_failed"
                                                     : "mcp_server_error",
                                       .source = source,
                                       .server = server,
                                       .message = text,
                                       .severity = severity};
    char *detail = mcph_problem_detail("serverId", server, text);

    draft.id = id;
    draft.detail = detail;
    mcph_problem_raise(journal, &draft);
    free(detail);
    free(id);
}

void
mcph_problem_odd(struct mcph_journal *journal, const char *source, const char *server,
                 const char *what, const char *text)
{
    char *id = mcph_asprintf("mcp/server/%s/%s", server, what);
    char *message = text ? mcph_asprintf("server '%s': %s", server, text) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = source,
                                       .server = server,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    mcph_problem_raise(journal, &draft);
    free(id);
    free(message);
}

void
mcph_problem_clear_server(struct mcph_journal *journal, const char *source,
                          const char *server, const char *what)
{
    char *id = mcph_asprintf("mcp/server/%s/%s", server, what);

    mcph_problem_clear(journal, source, id);
    free(id);
}

void
mcph_problem_client(struct mcph_journal *journal, const char *source, const char *server,
                    const mcphost_error *error)
{
    char *id = mcph_asprintf("mcp/server/%s/start_failed", server);
    const char *text = error ? mcphost_error_get_message(error) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "mcp_server_start_failed",
                                       .source = source,
                                       .server = server,
                                       .message = text,
                                       .severity = MCPHOST_SEVERITY_ERROR};
    char *detail = text ? mcph_problem_detail("serverId", server, text) : NULL;

    draft.detail = detail;
    if (error)
        mcph_problem_raise(journal, &draft);
    else
        mcph_problem_clear(journal, source, id);
    free(detail);
    free(id);
}

/* ---- calls that fail (B.17) -------------------------------------------------------- */

#define CALL_ERROR_MAX 10000 /* the maximum length of a message, in characters */

/* Makes the id HEAD/SERVER or, if `tool` is not NULL, HEAD/SERVER.TOOL.  Replaces each
 * byte of the two names other than a letter, a digit, '_', '-' or '.' by '_'. */
static char *
id_under(const char *head, const char *server, const char *tool)
{
    char *id =
        mcph_asprintf("%s/%s%s%s", head, server, tool ? "." : "", tool ? tool : "");

    for (char *p = id ? id + strlen(head) + 1 : NULL; p && *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.",
                    *p))
            *p = '_';
    return id;
}

static char *
call_error_id(const char *server)
{
    return id_under("mcp/tool_call_error", server, NULL);
}

/* Returns the length in bytes of the first CALL_ERROR_MAX characters of a UTF-8 text. */
static size_t
cut_len(const char *text)
{
    size_t n = 0, i = 0;

    for (; text[i]; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            n++;
        if (n > CALL_ERROR_MAX)
            break;
    }
    return i;
}

void
mcph_problem_call(struct mcph_journal *journal, const char *source, const char *server,
                  const char *error_text)
{
    char *id = call_error_id(server);
    char *message = mcph_strndup(error_text, cut_len(error_text));
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = source,
                                       .server = server,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_ERROR};

    if (id && message)
        mcph_problem_raise(journal, &draft);
    else
        log_lost(journal, server, error_text);
    free(message);
    free(id);
}

void
mcph_problem_call_clear(struct mcph_journal *journal, const char *source,
                        const char *server)
{
    char *id = call_error_id(server);

    mcph_problem_clear(journal, source, id);
    free(id);
}

void
mcph_problem_result(struct mcph_journal *journal, const char *source, const char *server,
                    const char *tool, const char *text)
{
    char *id = id_under("mcp/tool_result", server, tool);
    char *message = text ? mcph_strndup(text, cut_len(text)) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = source,
                                       .server = server,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    if (id && message)
        mcph_problem_raise(journal, &draft);
    else if (text)
        log_lost(journal, server, text);
    else
        mcph_problem_clear(journal, source, id);
    free(message);
    free(id);
}
