/* SPDX-License-Identifier: MIT
 *
 * compare.c - which keys of a server's entry tell two specs apart (R99).
 *
 * The hashes say whether a server is the same; this says what was edited.  What is
 * looked at is what hash.c covers.  Keys are named, and variables and headers by
 * their names; no value is.
 */
#include <string.h>

#include "config/config.h"

/* Parts it from the one before. */
static void
add_key(struct mcph_buf *keys, const char *key)
{
    if (keys->len > 0)
        mcph_buf_adds(keys, ", ");
    mcph_buf_adds(keys, key);
}

/* `key` when the two are not the same. */
static void
check(struct mcph_buf *keys, const char *key, bool same)
{
    if (!same)
        add_key(keys, key);
}

/* ---- what a process or connection is made of --------------------------------------- */

static bool
same_args(const struct mcph_spec *a, const struct mcph_spec *b)
{
    if (a->n_args != b->n_args)
        return false;
    for (size_t i = 0; i < a->n_args; i++) {
        if (!mcph_streq(a->args[i], b->args[i]))
            return false;
    }
    return true;
}

/* Names those of `a` that `b` has not, with `changed` also those that differ there. */
static int
add_values(struct mcph_buf *keys, const char *key, const struct mcph_values *a,
           const struct mcph_values *b, bool changed)
{
    struct mcph_map others = {0};
    int r = 0;

    for (size_t i = 0; i < b->n && r == 0; i++)
        r = mcph_map_put(&others, b->items[i].name, strlen(b->items[i].name),
                         &b->items[i], NULL);
    for (size_t i = 0; i < a->n && r == 0; i++) {
        const struct mcph_value *mine = &a->items[i];
        const struct mcph_value *other =
            mcph_map_get(&others, mine->name, strlen(mine->name));

        if (other && (!changed || (mcph_streq(mine->text, other->text) &&
                                   mcph_streq(mine->env, other->env))))
            continue;
        add_key(keys, key);
        mcph_path_member(keys, mine->name);
    }
    mcph_map_done(&others);
    return r;
}

static int
compare_values(struct mcph_buf *keys, const char *key, const struct mcph_values *from,
               const struct mcph_values *to)
{
    int r = add_values(keys, key, from, to, true);

    return r < 0 ? r : add_values(keys, key, to, from, false);
}

/* Of a key that has one value, or none. */
static bool
same_value(const struct mcph_values *a, const struct mcph_values *b)
{
    return a->n == b->n &&
           (a->n == 0 || (mcph_streq(a->items[0].text, b->items[0].text) &&
                          mcph_streq(a->items[0].env, b->items[0].env)));
}

static void
compare_way(struct mcph_buf *keys, const struct mcph_spec *from,
            const struct mcph_spec *to)
{
    check(keys, "proxy", same_value(&from->proxy, &to->proxy));
    check(keys, "tls.caFile", mcph_streq(from->ca_file, to->ca_file));
    check(keys, "tls.caDir", mcph_streq(from->ca_dir, to->ca_dir));
    check(keys, "tls.clientCert", mcph_streq(from->client_cert, to->client_cert));
    check(keys, "tls.clientKey", mcph_streq(from->client_key, to->client_key));
    check(keys, "tls.keyPassword", same_value(&from->key_password, &to->key_password));
    check(keys, "publicOnly", from->public_only == to->public_only);
    check(keys, "timeouts.connect", from->connect_timeout_ms == to->connect_timeout_ms);
    check(keys, "timeouts.idle", from->idle_timeout_ms == to->idle_timeout_ms);
}

static int
compare_launch(struct mcph_buf *keys, const struct mcph_spec *from,
               const struct mcph_spec *to)
{
    int r;

    check(keys, "transport", from->transport == to->transport);
    check(keys, "command", mcph_streq(from->command, to->command));
    check(keys, "args", same_args(from, to));
    r = compare_values(keys, "env", &from->env, &to->env);
    check(keys, "cwd", mcph_streq(from->cwd, to->cwd));
    check(keys, "containment", from->containment == to->containment);
    check(keys, "url", mcph_streq(from->url, to->url));
    if (r == 0)
        r = compare_values(keys, "headers", &from->headers, &to->headers);
    check(keys, "sessionId", mcph_streq(from->session_id, to->session_id));
    compare_way(keys, from, to);
    check(keys, "era", from->era == to->era);
    return r;
}

/* ---- how its tools are offered and called ------------------------------------------ */

static bool
same_patterns(const struct mcph_patterns *a, const struct mcph_patterns *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->items[i].len != b->items[i].len ||
            memcmp(a->items[i].text, b->items[i].text, a->items[i].len) != 0)
            return false;
    }
    return true;
}

static bool
same_steps(const mcphost_transform *a, const mcphost_transform *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct mcph_transform_step *x = &a->steps[i], *y = &b->steps[i];

        if (x->kind != y->kind || !mcph_streq(x->add, y->add) ||
            !mcph_streq(x->remove, y->remove))
            return false;
    }
    return true;
}

static void
compare_view(struct mcph_buf *keys, const struct mcph_spec *from,
             const struct mcph_spec *to)
{
    static const char *const lists[] = {[MCPH_FILTER_WHITELIST] = "tools.whitelist",
                                        [MCPH_FILTER_BLACKLIST] = "tools.blacklist"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lists); i++)
        check(keys, lists[i],
              same_patterns(&from->filter->lists[i], &to->filter->lists[i]));
    check(keys, "transform", same_steps(from->transform, to->transform));
    check(keys, "truely-stateless", from->stateless == to->stateless);
    check(keys, "timeouts.start", from->start_timeout_ms == to->start_timeout_ms);
    check(keys, "timeouts.list", from->list_timeout_ms == to->list_timeout_ms);
    check(keys, "timeouts.call", from->call_timeout_ms == to->call_timeout_ms);
    check(keys, "arguments", from->arguments == to->arguments);
    check(keys, "results", from->results == to->results);
    check(keys, "callsInFlight", from->calls_in_flight == to->calls_in_flight);
    check(keys, "manual", mcph_streq(from->manual, to->manual));
}

/* ---- both -------------------------------------------------------------------------- */

int
mcph_spec_compare(const struct mcph_spec *from, const struct mcph_spec *to,
                  struct mcph_buf *keys)
{
    bool launch = memcmp(from->launch_hash, to->launch_hash, MCPH_DIGEST_LEN) != 0;
    bool view = memcmp(from->view_hash, to->view_hash, MCPH_DIGEST_LEN) != 0;
    int r = launch ? compare_launch(keys, from, to) : 0;

    if (r < 0)
        return r;
    if (view)
        compare_view(keys, from, to);
    r = mcph_buf_ok(keys);
    if (r < 0)
        return r;
    if (launch)
        return MCPHOST_CONFIG_CHANGE_LAUNCH;
    return view ? MCPHOST_CONFIG_CHANGE_VIEW : MCPHOST_CONFIG_CHANGE_NONE;
}
