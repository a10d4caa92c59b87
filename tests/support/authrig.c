/* SPDX-License-Identifier: MIT
 *
 * authrig.c - starts a fake MCP server that requires access tokens, with its
 * authorization servers.  A test uses the server with or without a host.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/authrig.h"
#include "support/runner.h"
#include "support/webclient.h"

/* Sets up `ar` and returns `script` with the line `auth on` in front.  The caller frees
 * the text. */
static char *
prepare(struct authrig *ar, struct rig_workspace *ws, const char *name,
        const char *script)
{
    char *whole = NULL;

    *ar = (struct authrig){.ws = ws};
    snprintf(ar->name, sizeof(ar->name), "%s.trace", name);
    ck_assert_int_ge(asprintf(&whole, "auth on\n%s", script ? script : ""), 0);
    return whole;
}

void
ar_up(struct authrig *ar, struct rig_workspace *ws, const char *name, const char *script)
{
    char *whole = prepare(ar, ws, name, script);

    http_up(&ar->web, ws, name, whole);
    free(whole);
}

void
ar_down(struct authrig *ar)
{
    http_down(&ar->web);
}

void
ar_again(struct authrig *ar)
{
    http_again(&ar->web);
}

void
ar_web(struct hostrig *hr, struct authrig *ar, const char *id, const char *script)
{
    char *whole = prepare(ar, &hr->ws, id, script);

    hr_web(hr, &ar->web, id, whole);
    free(whole);
}

void
ar_http(struct hostrig *hr, struct authrig *ar, const char *id, const char *keys,
        const char *script)
{
    ar_web(hr, ar, id, script);
    hr_url(hr, id, ar->web.url, keys);
}

const char *
ar_browser(void)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/browser_main", test_progdir());
    return path;
}

const char *
ar_issuer(const struct authrig *ar, int number)
{
    ck_assert_msg(number >= 1 && number <= HTTP_ISSUERS && *ar->web.issuers[number - 1],
                  "there is no issuer %d", number);
    return ar->web.issuers[number - 1];
}

void
ar_say(struct authrig *ar, const char *lines, ...)
{
    char *text = NULL, *url = NULL;
    struct web_answer answer;
    va_list ap;

    va_start(ap, lines);
    ck_assert_int_ge(vasprintf(&text, lines, ap), 0);
    va_end(ap);
    ck_assert_int_ge(asprintf(&url, "http://127.0.0.1:%d/fake/script", ar->web.port), 0);
    ck_assert_msg(web_ask("POST", url, NULL, text, &answer) == 200,
                  "the server does not take '%s'", text);
    web_done(&answer);
    free(text);
    free(url);
}

int
ar_traced(const struct authrig *ar, const char *what)
{
    return rig_workspace_count(ar->ws, ar->name, what);
}

void
ar_approve(struct authrig *ar, const char *user_code, bool denies)
{
    struct web_answer answer;
    char *url = NULL;

    ck_assert_int_ge(asprintf(&url, "%s/device/%s?user_code=%s", ar_issuer(ar, 1),
                              denies ? "deny" : "approve", user_code),
                     0);
    ck_assert_int_eq(web_ask("GET", url, NULL, NULL, &answer), 200);
    web_done(&answer);
    free(url);
}
