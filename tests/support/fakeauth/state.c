/* SPDX-License-Identifier: MIT
 *
 * state.c - clocks, accounts, random texts and lists of words of the fake authorization
 * server.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "support/fakeauth/inner.h"

int64_t
auth_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
auth_now_s(struct auth *auth, enum step step)
{
    long skew = 0;

    fault_is(auth, step, "skew", &skew, NULL);
    return (int64_t)time(NULL) + auth->skew_s + skew;
}

/* Returns `hint` if `hint` is not NULL.  Otherwise returns the first account of the
 * script for the first login, the next account for the next login, and the last account
 * for all further logins.  The account is `user` if the script names no account. */
char *
auth_account(struct auth *auth, const char *hint)
{
    if (hint)
        return strdup(hint);
    if (!auth->accounts)
        return strdup("user");
    if (auth->account_is_used && auth->accounts->next)
        auth->accounts = auth->accounts->next;
    auth->account_is_used = true;
    return strdup(auth->accounts->name);
}

char *
auth_vformat(const char *fmt, va_list ap)
{
    char *text = NULL;

    if (vasprintf(&text, fmt, ap) < 0)
        _exit(99);
    return text;
}

char *
auth_format(const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    text = auth_vformat(fmt, ap);
    va_end(ap);
    return text;
}

char *
auth_random(const char *prefix)
{
    unsigned char bytes[32];
    char *encoded, *text;

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        _exit(99);
    encoded = jwt_encode(bytes, sizeof(bytes));
    text = auth_format("%s%s", prefix, encoded);
    free(encoded);
    return text;
}

bool
auth_has_word(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = words; p && *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");

        if (n == len && strncmp(p, word, len) == 0)
            return true;
        p += n;
    }
    return false;
}

bool
auth_has_words(const char *words, const char *some)
{
    char *copy = strdup(some), *save = NULL;
    bool all = true;

    for (char *w = strtok_r(copy, " ", &save); w && all; w = strtok_r(NULL, " ", &save))
        all = auth_has_word(words, w);
    free(copy);
    return all;
}

bool
auth_is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

char *
auth_resource(const struct auth *auth)
{
    char *origin = conn_origin(auth->http, auth->http->listeners);
    char *url = auth_format("%s%s", origin, auth->http->path);

    free(origin);
    return url;
}

void
auth_trace(const struct auth *auth, const char *what, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        _exit(99);
    va_end(ap);
    fake_trace(auth->http->fake, what, text);
    free(text);
}
