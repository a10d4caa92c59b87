/* SPDX-License-Identifier: MIT
 *
 * diagnose.c - explain why the start of a server at a URL failed (B.15).
 *
 * The client's owner lets the transport send test requests.  The owner passes the results
 * to mcph_client_diagnose().  mcph_client_diagnose() adds the results, the likely cause
 * and the next step to the message of the original error.
 */
#include <string.h>

#include "client/internal.h"

#define SHOWN_MAX 280 /* limit on the bytes of a body that a message shows */
#define TYPE_MAX  80

struct mcph_span
mcph_client_test_request(void)
{
    static const char initialize[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
        "\"name\":\"libmcphost\",\"version\":\"0\"}}}";

    return mcph_span_str(initialize);
}

/* Adds the result of a test request to `text`.  `known` is the original message.  If the
 * request failed with the same message, adds "the same" instead of the message. */
static void
add_trial(const struct mcph_trial *trial, const char *what, const char *known,
          struct mcph_buf *text)
{
    struct mcph_span body = trial->body;

    mcph_buf_addf(text, "; %s: ", what);
    if (!trial->status) {
        if (trial->failure && strcmp(trial->failure, known) == 0)
            mcph_buf_adds(text, "the same");
        else
            mcph_buf_adds(text, trial->failure ? trial->failure : "no answer");
        return;
    }
    mcph_buf_addf(text, "HTTP %d, ", trial->status);
    if (trial->type)
        mcph_utf8_add_clean(text, trial->type, strnlen(trial->type, TYPE_MAX), true);
    else
        mcph_buf_adds(text, "no content type");
    if (body.len == 0)
        return;
    mcph_buf_adds(text, ", \"");
    mcph_utf8_add_clean(text, body.p, body.len < SHOWN_MAX ? body.len : SHOWN_MAX, true);
    mcph_buf_adds(text, body.len > SHOWN_MAX ? "...\"" : "\"");
}

static void
add_cause(const struct mcph_trial *server, const struct mcph_trial *health,
          struct mcph_buf *text)
{
    bool is_up = health->status >= 200 && health->status < 300;
    const struct mcph_net_meaning *meaning;
    const char *cause;

    if (!server->method) /* no test request was prepared, in most cases because the server
                          * was silent until the start timeout */
        meaning = mcph_net_fault_meaning(MCPH_NET_FAULT_TALK);
    else if (!server->status)
        meaning = mcph_net_fault_meaning(server->fault);
    else
        meaning = mcph_net_status_meaning(server->status);
    cause = is_up && meaning->cause_if_up ? meaning->cause_if_up : meaning->cause;
    mcph_buf_addf(text, "; likely cause: %s; next: %s", cause, meaning->next);
}

/* Returns the message of an error without "server 'id': " at its start, because
 * mcph_err_set_server() adds this prefix again. */
static const char *
bare_message(const mcphost_error *error)
{
    const char *message = mcphost_error_get_message(error);
    const char *server = mcphost_error_get_server_id(error);
    size_t len = server ? strlen(server) : 0;

    if (server && strncmp(message, "server '", 8) == 0 &&
        strncmp(message + 8, server, len) == 0 &&
        strncmp(message + 8 + len, "': ", 3) == 0)
        message += 8 + len + 3;
    return message;
}

mcphost_error *
mcph_client_diagnose(mcphost_error *error, const struct mcph_trial *server,
                     const struct mcph_trial *health)
{
    const char *id = mcphost_error_get_server_id(error), *known = bare_message(error);
    const char *retry = mcphost_error_get_retry_after(error);
    mcphost_error *explained = NULL;
    struct mcph_buf text;
    const char *words;

    mcph_buf_init(&text, 64 * 1024);
    mcph_buf_adds(&text, known);
    if (server->method) {
        add_trial(server, server->method[0] == 'P' ? "POST initialize" : server->method,
                  known, &text);
        add_trial(health, "GET /health", known, &text);
    }
    add_cause(server, health, &text);
    words = mcph_buf_text(&text);
    if (words)
        mcph_err(&explained, mcphost_error_get_code(error), "%s", words);
    if (explained && id)
        mcph_err_set_server(explained, mcphost_error_get_source_id(error), id);
    mcph_err_set_http(explained, mcphost_error_get_http_status(error), retry,
                      retry ? strlen(retry) : 0);
    mcph_buf_done(&text);
    return explained ? explained : mcphost_error_ref(error);
}
