/* SPDX-License-Identifier: MIT
 *
 * subrig.c - implements the test rig for subscriptions (see subrig.h).
 */
#include "protocol/subrig.h"

#include <stdio.h>
#include <string.h>

#include "support/runner.h"

struct sr sr;

/* ---- the server -------------------------------------------------------------------- */

void
sr_up(void)
{
    cr_up();
    cr.spec.listen = 0;
    sr.modern = false;
    sr.id[0] = sr.old_id[0] = '\0';
    sr.stream = sr.old_stream = 0;
}

void
sr_meet(int era, const char *capabilities)
{
    sr.modern = era;
    cr_meet(era, capabilities);
}

void
sr_say(uint64_t on, const char *text)
{
    if (cr.web)
        cr_say_on(on, "%s", text);
    else
        cr_say("%s", text);
}

void
sr_expect_request(const char *method, const char *params)
{
    const char *line = cr_next(), *p = strstr(line, "\"id\":");
    char text[2048];

    snprintf(sr.old_id, sizeof(sr.old_id), "%s", sr.id);
    sr.old_stream = sr.stream;
    ck_assert_msg(p, "%s", line);
    snprintf(sr.id, sizeof(sr.id), "%.*s", (int)strcspn(p + 5, ","), p + 5);
    sr.stream = cr.web ? cr_stream() : 0;
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":{%s%s%s}}",
             sr.id, method, params, sr.modern ? "," : "", sr.modern ? CR_META "}" : "");
    ck_assert_str_eq(line, text);
}

void
sr_expect_listen(const char *flags, const char *uris)
{
    char params[1500];

    snprintf(params, sizeof(params), "\"notifications\":{%s%s%s%s%s}", flags ? flags : "",
             flags && uris ? "," : "", uris ? "\"resourceSubscriptions\":[" : "",
             uris ? uris : "", uris ? "]" : "");
    sr_expect_request("subscriptions/listen", params);
}

void
sr_acknowledge(const char *of, uint64_t on, const char *filter)
{
    char text[4096];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
             "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
             "subscriptionId\":%s},\"notifications\":{%s}}}",
             of, filter);
    sr_say(on, text);
}

void
sr_take(const char *uris)
{
    char text[2048];

    if (sr.modern) {
        sr_expect_listen(NULL, uris);
        snprintf(text, sizeof(text), "\"resourceSubscriptions\":[%s]", uris);
        sr_acknowledge(sr.id, sr.stream, text);
        return;
    }
    snprintf(text, sizeof(text), "\"uri\":%s", uris);
    sr_expect_request("resources/subscribe", text);
    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", sr.id);
    sr_say(sr.stream, text);
}

void
sr_update_under(const char *of, uint64_t on, const char *uri)
{
    char text[4096];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
             "\"params\":{\"uri\":%s%s%s%s}}",
             uri,
             sr.modern ? ",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" : "",
             sr.modern ? of : "", sr.modern ? "}" : "");
    sr_say(on, text);
}

void
sr_update(const char *uri)
{
    sr_update_under(sr.id, sr.stream, uri);
}

void
sr_expect_cancelled(const char *what)
{
    char text[160];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
             "\"requestId\":%s}}",
             what);
    cr_expect(text);
}

/* ---- the owner --------------------------------------------------------------------- */

void
sr_want(const char *uri)
{
    ck_assert_int_eq(mcph_client_subscribe(cr.client, mcph_span_str(uri), NULL), 0);
}

void
sr_subscribe(const char *uri)
{
    sr_want(uri);
    cr_turn();
}

void
sr_unsubscribe(const char *uri)
{
    mcph_client_unsubscribe(cr.client, mcph_span_str(uri));
    cr_turn();
}

void
sr_expect_story(const char *story)
{
    ck_assert_str_eq(cr.story, story);
    cr.story[0] = '\0';
}

void
sr_expect_refusal(const char *story, int code, const char *part)
{
    sr_expect_story(story);
    ck_assert_ptr_nonnull(cr.sub_error);
    ck_assert_int_eq(mcphost_error_get_code(cr.sub_error), code);
    test_has(mcphost_error_get_message(cr.sub_error), part);
    ck_assert_str_eq(mcphost_error_get_server_id(cr.sub_error), "srv");
}

void
sr_begin(int era)
{
    sr_meet(era, SR_OFFERS);
    sr_subscribe("a:1");
    sr_take("\"a:1\"");
    sr_expect_story("ready subscribed:a:1 ");
    cr_expect_nothing();
}
