/* SPDX-License-Identifier: MIT
 *
 * authclient.c - a small OAuth client over plain HTTP, which sends requests to the fake
 * authorization server in the tests of this server.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "system/authclient.h"

void
ac_up(struct ac *ac, const char *script)
{
    *ac = (struct ac){.issuer = 1};
    rig_workspace_up(&ac->ws, NULL);
    ar_up(&ac->ar, &ac->ws, "auth", script);
}

void
ac_down(struct ac *ac)
{
    web_done(&ac->answer);
    json_decref(ac->json);
    ar_down(&ac->ar);
    rig_workspace_down(&ac->ws);
}

static int
ask(struct ac *ac, const char *method, const char *url, const char *headers,
    const char *body)
{
    struct web_answer old = ac->answer; /* `url` may be a part of the old answer */
    json_t *old_json = ac->json;

    web_ask(method, url, headers, body, &ac->answer);
    ac->json = ac->answer.body
                   ? json_loadb(ac->answer.body, ac->answer.len, JSON_ALLOW_NUL, NULL)
                   : NULL;
    web_done(&old);
    json_decref(old_json);
    return ac->answer.status;
}

int
ac_get(struct ac *ac, const char *url)
{
    return ask(ac, "GET", url, NULL, NULL);
}

const char *
ac_text(const struct ac *ac, const char *name)
{
    const char *text = json_string_value(json_object_get(ac->json, name));

    return text ? text : "";
}

int
ac_form(struct ac *ac, const char *path, const char *form, ...)
{
    char body[4096], url[256], headers[2200];
    va_list ap;

    va_start(ap, form);
    vsnprintf(body, sizeof(body), form, ap);
    va_end(ap);
    snprintf(url, sizeof(url), "%s%s", ar_issuer(&ac->ar, ac->issuer), path);
    snprintf(headers, sizeof(headers),
             "Content-Type: application/x-www-form-urlencoded\r\n%s", ac->headers);
    return ask(ac, "POST", url, headers, body);
}

int
ac_register(struct ac *ac, const char *method)
{
    char body[512], url[256];

    snprintf(url, sizeof(url), "%s/register", ar_issuer(&ac->ar, ac->issuer));
    snprintf(body, sizeof(body),
             "{\"redirect_uris\":[\"" AC_REDIRECT "\"],\"client_name\":\"test\","
             "\"token_endpoint_auth_method\":\"%s\",\"application_type\":\"native\"}",
             method);
    ask(ac, "POST", url, "Content-Type: application/json\r\n", body);
    snprintf(ac->client, sizeof(ac->client), "%s", ac_text(ac, "client_id"));
    return ac->answer.status;
}

int
ac_call(struct ac *ac, const char *tool)
{
    char body[512], headers[2600];

    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
             "\"name\":\"%s\",\"arguments\":{},\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
             tool);
    snprintf(headers, sizeof(headers),
             "Content-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\n"
             "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
             "Mcp-Name: %s\r\n%s%s%s%s",
             tool, *ac->access ? "Authorization: Bearer " : "", ac->access,
             *ac->access ? "\r\n" : "", ac->headers);
    return ask(ac, "POST", ac->ar.web.url, headers, body);
}

void
ac_is(struct ac *ac, const char *account_and_scopes)
{
    json_t *content;

    ck_assert_int_eq(ac_call(ac, "whoami"), 200);
    content = json_object_get(json_object_get(ac->json, "result"), "content");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_array_get(content, 0), "text")),
        account_and_scopes);
}

const char *
ac_url(struct ac *ac, const char *more)
{
    static char url[2048];

    snprintf(url, sizeof(url),
             "%s/authorize?response_type=code&client_id=%s&redirect_uri=" AC_REDIRECT
             "&code_challenge=" AC_CHALLENGE "&code_challenge_method=S256"
             "&state=a%%20state&resource=%s%s",
             ar_issuer(&ac->ar, ac->issuer), ac->client, ac->ar.web.url,
             more ? more : "");
    return url;
}

const char *
ac_login(struct ac *ac, const char *more)
{
    static char query[256 * 1024];
    char *url = browser_redirect(ac_url(ac, more), BROWSER_LOGIN);

    snprintf(query, sizeof(query), "%s", url ? strchr(url, '?') + 1 : "");
    free(url);
    return query;
}

const char *
ac_param(const char *query, const char *name)
{
    static char value[128 * 1024];
    size_t len = strlen(name), n = 0;

    *value = '\0';
    for (const char *p = query; p; p = strchr(p, '&')) {
        p += *p == '&';
        if (strncmp(p, name, len) != 0 || p[len] != '=')
            continue;
        for (p += len + 1; *p && *p != '&'; p++) {
            char hex[3] = {p[0], *p == '%' ? p[1] : '\0'};

            if (*p == '%') {
                hex[0] = p[1];
                hex[1] = p[2];
                value[n++] = (char)strtol(hex, NULL, 16);
                p += 2;
            } else {
                value[n++] = *p;
            }
        }
        value[n] = '\0';
        return value;
    }
    return value;
}

static int
keep_tokens(struct ac *ac, int status)
{
    if (status == 200) {
        snprintf(ac->access, sizeof(ac->access), "%s", ac_text(ac, "access_token"));
        snprintf(ac->refresh, sizeof(ac->refresh), "%s", ac_text(ac, "refresh_token"));
    }
    return status;
}

int
ac_redeem(struct ac *ac, const char *code)
{
    return keep_tokens(ac, ac_form(ac, "/token",
                                   "grant_type=authorization_code&code=%s&client_id=%s"
                                   "&redirect_uri=" AC_REDIRECT
                                   "&code_verifier=" AC_VERIFIER "&resource=%s",
                                   code, ac->client, ac->ar.web.url));
}

int
ac_refresh(struct ac *ac, const char *token)
{
    char copy[256];

    snprintf(copy, sizeof(copy), "%s", token);
    return keep_tokens(
        ac, ac_form(ac, "/token",
                    "grant_type=refresh_token&refresh_token=%s&client_id=%s&resource=%s",
                    copy, ac->client, ac->ar.web.url));
}

void
ac_all(struct ac *ac, const char *more)
{
    ck_assert_int_eq(ac_register(ac, "none"), 201);
    ck_assert_int_eq(ac_redeem(ac, ac_param(ac_login(ac, more), "code")), 200);
}
