/* SPDX-License-Identifier: MIT
 *
 * rows_session.c - servers that are hostile within the protocol: requests, notifications,
 * progress and cancellations.
 */
#include <stdio.h>
#include <string.h>

#include "isolation/isolation.h"

/* ---- requests to the host ---------------------------------------------------------- */

static void
ask(struct out *out, const char *method, const char *params)
{
    for (unsigned long i = 0;
         out_message(out, "{\"jsonrpc\":\"2.0\",\"id\":\"q%lu\",\"method\":\"%s\"%s}", i,
                     method, params);
         i++)
        ;
}

static void
pings(struct out *out)
{
    ask(out, "ping", "");
}

static void
roots(struct out *out)
{
    ask(out, "roots/list", "");
}

static void
unknown(struct out *out)
{
    ask(out, "no/such/method", "");
}

static void
sampling(struct out *out)
{
    ask(out, "sampling/createMessage",
        ",\"params\":{\"maxTokens\":1,\"messages\":[{\"role\":\"user\",\"content\":{"
        "\"type\":\"text\",\"text\":\"x\"}}]}");
}

static void
elicitation(struct out *out)
{
    ask(out, "elicitation/create",
        ",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"string\"}}}}");
}

static void
asks_and_cancels(struct out *out)
{
    for (unsigned long i = 0;; i++) {
        if (!out_message(out,
                         "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"method\":"
                         "\"elicitation/create\",\"params\":{\"message\":\"m\","
                         "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}",
                         i) ||
            !out_message(out,
                         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                         "\"params\":{\"requestId\":%lu}}",
                         i))
            return;
    }
}

/* ---- notifications ----------------------------------------------------------------- */

static void
notify(struct out *out, const char *method, const char *params)
{
    while (out_message(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/%s\"%s}",
                       method, params))
        ;
}

static void
log_messages(struct out *out)
{
    notify(out, "message", ",\"params\":{\"level\":\"info\",\"data\":\"x\"}");
}

static void
list_changes(struct out *out)
{
    notify(out, "tools/list_changed", "");
}

static void
resource_updates(struct out *out)
{
    notify(out, "resources/updated", ",\"params\":{\"uri\":\"file:///x\"}");
}

static void
cancellations(struct out *out)
{
    notify(out, "cancelled", ",\"params\":{\"requestId\":4711}");
}

static void
completions(struct out *out)
{
    notify(out, "elicitation/complete", ",\"params\":{\"elicitationId\":\"x\"}");
}

static void
progress_of_nothing(struct out *out)
{
    notify(out, "progress", ",\"params\":{\"progressToken\":99999,\"progress\":1}");
}

static void
progress(struct out *out, const char *id, const char *token)
{
    (void)id;
    for (unsigned long i = 0; *token && i < 3000000; i++) {
        if (!out_message(out,
                         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                         "\"params\":{\"progressToken\":%s,\"progress\":%lu,\"message\":"
                         "\"on its way\"}}",
                         token, i))
            return;
    }
}

static void
slow_list(struct out *out, const char *id, const char *request)
{
    (void)request;
    pause_ms(300);
    out_result(out, id,
               "{\"tools\":[{\"name\":\"bait\",\"inputSchema\":{\"type\":\"object\"}}]}");
}

static const struct row rows[] = {
    {.name = "pings",
     .what = "pings, answers not read",
     .where = STDIO | WEB,
     .hello = pings,
     .deaf = true},
    {.name = "pings-read", .what = "pings, answers read", .where = STDIO, .hello = pings},
    {.name = "unknown-requests",
     .what = "requests of unknown methods",
     .where = STDIO | WEB,
     .hello = unknown},
    {.name = "roots",
     .what = "asks for roots",
     .where = STDIO | WEB,
     .hello = roots,
     .asks = true},
    {.name = "sampling",
     .what = "asks for samples",
     .where = STDIO | WEB,
     .hello = sampling,
     .asks = true},
    {.name = "elicitation",
     .what = "asks for forms",
     .where = STDIO | WEB,
     .hello = elicitation,
     .asks = true},
    {.name = "asks-and-cancels",
     .what = "takes each question back",
     .where = STDIO | WEB,
     .hello = asks_and_cancels,
     .asks = true},
    {.name = "log-messages",
     .what = "log messages",
     .where = STDIO | WEB,
     .hello = log_messages},
    {.name = "list-changes",
     .what = "list_changed, a quick list",
     .where = STDIO | WEB,
     .hello = list_changes},
    {.name = "list-changes-slow",
     .what = "list_changed, a slow list",
     .where = STDIO | WEB,
     .hello = list_changes,
     .list = slow_list},
    {.name = "resource-updates",
     .what = "resources/updated",
     .where = STDIO | WEB,
     .hello = resource_updates},
    {.name = "cancellations",
     .what = "cancels what was not asked",
     .where = STDIO | WEB,
     .hello = cancellations},
    {.name = "completions",
     .what = "completes what was not elicited",
     .where = STDIO | WEB,
     .hello = completions},
    {.name = "progress-of-nothing",
     .what = "progress of no call",
     .where = STDIO | WEB,
     .hello = progress_of_nothing},
    {.name = "progress",
     .what = "progress of calls",
     .where = STDIO | WEB,
     .call = progress,
     .calls = 2},
};
ROWS(rows)
