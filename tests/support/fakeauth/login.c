/* SPDX-License-Identifier: MIT
 *
 * login.c - logins, their access tokens, and the rotation of their refresh tokens.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

struct login *
login_new(const struct as *as, const struct client *client, const char *scope,
          const char *resource)
{
    struct login *login = fake_alloc(NULL, sizeof(*login));

    *login = (struct login){.as = as->number,
                            .client = client,
                            .scope = strdup(scope),
                            .resource = resource ? strdup(resource) : NULL};
    return login;
}

void
login_as(struct auth *auth, struct login *login, char *account)
{
    login->number = ++auth->n_logins;
    login->account = account;
    auth_trace(auth, "login", "%s", account);
}

char *
login_scope(const struct auth *auth, const char *asked)
{
    char *copy = strdup(asked ? asked : auth->scopes), *save = NULL;
    struct bytes scope = {0};

    bytes_str(&scope, "");
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        if (auth->allows && !auth_has_word(auth->allows, w))
            continue;
        if (scope.len)
            bytes_str(&scope, " ");
        bytes_str(&scope, w);
    }
    free(copy);
    return scope.p;
}

struct access *
login_access(struct auth *auth, struct login *login, const char *scope, const char *jkt)
{
    struct access *access = fake_alloc(NULL, sizeof(*access));

    *access = (struct access){.text = auth_random("at-"),
                              .scope = strdup(scope),
                              .jkt = jkt ? strdup(jkt) : NULL,
                              .login = login,
                              .until_ms = auth_now_ms() + auth->expires_s * 1000,
                              .next = auth->accesses};
    auth->accesses = access;
    return access;
}

struct refresh *
login_refresh(struct auth *auth, struct login *login, struct refresh *parent)
{
    struct refresh *refresh = fake_alloc(NULL, sizeof(*refresh));

    *refresh = (struct refresh){.text = auth_random("rt-"),
                                .login = login,
                                .parent = parent,
                                .next = auth->refreshes};
    auth->refreshes = refresh;
    return refresh;
}

struct access *
access_find(struct auth *auth, const char *text)
{
    struct access *access = auth->accesses;

    while (access && strcmp(access->text, text) != 0)
        access = access->next;
    return access;
}

struct refresh *
refresh_find(struct auth *auth, const char *text)
{
    struct refresh *refresh = auth->refreshes;

    while (refresh && strcmp(refresh->text, text) != 0)
        refresh = refresh->next;
    return refresh;
}

/* Ends the parent of a token that is used, and the parent's other successors. */
static void
end_relatives(struct auth *auth, const struct refresh *used)
{
    if (!used->parent)
        return;
    used->parent->dead = true;
    for (struct refresh *r = auth->refreshes; r; r = r->next)
        if (r != used && r->parent == used->parent)
            r->dead = true;
}

/* Checks whether a token was used before. */
static bool
has_successor(const struct auth *auth, const struct refresh *refresh)
{
    for (const struct refresh *r = auth->refreshes; r; r = r->next)
        if (r->parent == refresh)
            return true;
    return false;
}

const char *
refresh_use(struct auth *auth, struct refresh *old, struct refresh **ret)
{
    struct login *login = old->login;
    const char *result = "ok";

    *ret = NULL;
    if (login->revoked)
        result = "revoked";
    else if (old->dead && auth->rotate == ROTATE_STRICT)
        result = "reused";
    else if (old->dead)
        result = "dead";
    else if (auth->rotate == ROTATE_GRACE && has_successor(auth, old))
        result = "grace";
    auth_trace(auth, "refresh", "%d %s", login->number, result);
    if (strcmp(result, "reused") == 0)
        login->revoked = true;
    if (strcmp(result, "ok") != 0 && strcmp(result, "grace") != 0)
        return "invalid_grant";
    if (auth->rotate == ROTATE_OFF)
        return NULL;
    if (auth->rotate == ROTATE_STRICT)
        old->dead = true;
    end_relatives(auth, old);
    *ret = login_refresh(auth, login, old);
    return NULL;
}
