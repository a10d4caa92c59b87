/* SPDX-License-Identifier: MIT
 *
 * key.c - the table of the keys of a server's entry.
 *
 * The code that reads, hashes, compares, masks and shows keys works from this table.  A
 * new key needs a field of struct mcph_spec, a row here, and code that uses the key.  The
 * rows are in the order in which a comparison names the keys.  The members of a map
 * follow the row of the map.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#define LAUNCH MCPH_KEY_LAUNCH
#define VIEW   MCPH_KEY_VIEW
#define CHILD  MCPH_KEY_PROCESS
#define AT_URL MCPH_KEY_AT_URL
#define OWN    MCPH_KEY_OF_PROFILE
#define INSIDE MCPH_KEY_INSIDE
#define MADE   MCPH_KEY_MADE

#define KEY(key_name, key_kind, field, ...)                      \
    {                                                            \
        .name = key_name, .kind = MCPH_KEY_##key_kind,           \
        .offset = offsetof(struct mcph_spec, field), __VA_ARGS__ \
    }
#define MAP(key_name, ...)                                  \
    {                                                       \
        .name = key_name, .kind = MCPH_KEY_MAP, __VA_ARGS__ \
    }

static const struct mcph_key keys[] = {
    KEY("transport", TRANSPORT, transport, .flags = LAUNCH | OWN,
        .values = MCPHOST_ENUM_TRANSPORT),
    KEY("provider", TEXT, provider, .flags = LAUNCH | INSIDE | OWN),
    MAP("options", .flags = INSIDE | MCPH_KEY_STRICT, .wanted = "a map with 'base_dir'",
        .good = "a map with 'base_dir'"),
    KEY("options.base_dir", PATH, base_dir, .flags = LAUNCH | INSIDE,
        .wanted = "the directory of the files"),
    KEY("options.allowed_extensions", STRINGS, allowed_extensions,
        .flags = LAUNCH | INSIDE, .good = "an extension such as '.md'",
        .fault = mcph_extension_check),
    KEY("options.max_bytes", COUNT, max_bytes, .flags = LAUNCH | INSIDE,
        .number = MCPH_FILES_BYTES_MAX),
    KEY("command", PROGRAM, command, .flags = LAUNCH | CHILD,
        .wanted = "the program to run"),
    KEY("args", STRINGS, args, .flags = LAUNCH | CHILD),
    KEY("env", VARIABLES, env, .flags = LAUNCH | CHILD),
    KEY("cwd", PATH, cwd, .flags = LAUNCH | CHILD),
    KEY("containment", CHOICE, containment, .flags = LAUNCH | CHILD,
        .values = MCPHOST_ENUM_CONTAINMENT, .n_values = MCPHOST_CONTAINMENT_PID + 1),
    KEY("url", URL, url, .flags = LAUNCH | AT_URL, .wanted = "an http or https URL"),
    KEY("headers", HEADERS, headers, .flags = LAUNCH | AT_URL),
    KEY("sessionId", SESSION, session_id, .flags = LAUNCH | AT_URL),
    KEY("proxy", VALUE, proxy, .flags = LAUNCH | AT_URL, .fault = mcph_proxy_check,
        .good = "'none' or a proxy"),
    MAP("tls", .flags = AT_URL),
    KEY("tls.caFile", FILE, ca_file, .flags = LAUNCH | AT_URL),
    KEY("tls.caDir", DIRECTORY, ca_dir, .flags = LAUNCH | AT_URL),
    KEY("tls.clientCert", FILE, client_cert, .flags = LAUNCH | AT_URL),
    KEY("tls.clientKey", FILE, client_key, .flags = LAUNCH | AT_URL,
        .needs = "tls.clientCert"),
    KEY("tls.keyPassword", VALUE, key_password, .flags = LAUNCH | AT_URL,
        .needs = "tls.clientCert"),
    KEY("publicOnly", BOOL, public_only, .flags = LAUNCH | AT_URL),
    MAP("auth", .flags = AT_URL | MCPH_KEY_STRICT, .plain = "auth.mode",
        .good = "a map, or the way to get credentials"),
    KEY("auth.mode", CHOICE, auth, .flags = LAUNCH | AT_URL,
        .values = MCPHOST_ENUM_AUTH_MODE),
    KEY("auth.flow", CHOICE, auth_flow, .flags = LAUNCH | AT_URL,
        .values = MCPHOST_ENUM_LOGIN_FLOW),
    KEY("auth.clientId", VALUE, client_id, .flags = LAUNCH | AT_URL,
        .good = "the client's id"),
    KEY("auth.clientSecret", VALUE, client_secret, .flags = LAUNCH | AT_URL,
        .needs = "auth.clientId", .good = "the client's secret"),
    KEY("auth.clientKeyFile", FILE, login_key, .flags = LAUNCH | AT_URL,
        .needs = "auth.clientId"),
    KEY("auth.clientMetadataUrl", TEXT, client_document, .flags = LAUNCH | AT_URL),
    KEY("auth.issuer", TEXT, issuer, .flags = LAUNCH | AT_URL),
    KEY("auth.metadataUrl", TEXT, issuer_metadata, .flags = LAUNCH | AT_URL),
    KEY("auth.scopes", STRINGS, scopes, .flags = LAUNCH | AT_URL,
        .fault = mcph_scope_check, .good = "a scope"),
    KEY("auth.audience", TEXT, audience, .flags = LAUNCH | AT_URL),
    KEY("auth.account", TEXT, account, .flags = LAUNCH | AT_URL),
    KEY("auth.assertion", VALUE, assertion, .flags = LAUNCH | AT_URL,
        .good = "a signed token"),
    KEY("auth.idpTokenUrl", TEXT, idp_token_url, .flags = LAUNCH | AT_URL),
    KEY("auth.idpClientId", TEXT, idp_client_id, .flags = LAUNCH | AT_URL),
    KEY("auth.idpClientSecret", VALUE, idp_client_secret, .flags = LAUNCH | AT_URL,
        .needs = "auth.idpClientId", .good = "the client's secret"),
    KEY("auth.allowPrivate", BOOL, private_issuer, .flags = LAUNCH | AT_URL),
    KEY("auth.allowNoPkce", BOOL, no_pkce, .flags = LAUNCH | AT_URL),
    MAP("timeouts", .good = "a map with 'start', 'list' and 'call'"),
    KEY("timeouts.connect", TIME, connect_timeout_ms, .flags = LAUNCH | AT_URL),
    KEY("timeouts.idle", TIME, idle_timeout_ms, .flags = LAUNCH | AT_URL),
    KEY("era", CHOICE, era, .flags = LAUNCH, .values = MCPHOST_ENUM_ERA),
    MAP("tools"),
    KEY("tools.whitelist", PATTERNS, filter, .flags = VIEW,
        .number = MCPH_FILTER_WHITELIST),
    KEY("tools.blacklist", PATTERNS, filter, .flags = VIEW,
        .number = MCPH_FILTER_BLACKLIST),
    KEY("tools.transform", STEPS, tools_transform, .flags = VIEW | OWN,
        .replaces = "transform"),
    KEY("transform", STEPS, transform, .flags = VIEW | OWN),
    MAP("prompts"),
    KEY("prompts.whitelist", PATTERNS, prompts_filter, .flags = VIEW,
        .number = MCPH_FILTER_WHITELIST),
    KEY("prompts.blacklist", PATTERNS, prompts_filter, .flags = VIEW,
        .number = MCPH_FILTER_BLACKLIST),
    KEY("prompts.transform", STEPS, prompts_transform, .flags = VIEW | OWN,
        .replaces = "transform"),
    MAP("resources"),
    KEY("resources.whitelist", PATTERNS, resources_filter, .flags = VIEW,
        .number = MCPH_FILTER_WHITELIST),
    KEY("resources.blacklist", PATTERNS, resources_filter, .flags = VIEW,
        .number = MCPH_FILTER_BLACKLIST),
    KEY("resources.transform", STEPS, resources_transform, .flags = VIEW | OWN,
        .replaces = "transform"),
    KEY("resources.mimeTypes", STRINGS, mime_types, .flags = VIEW),
    KEY("resources.maxBytes", COUNT, resource_bytes, .flags = VIEW,
        .number = 64 * 1024 * 1024),
    MAP("resources.skills"),
    KEY("resources.skills.enabled", BOOL, skills, .flags = VIEW),
    KEY("resources.skills.whitelist", PATTERNS, skills_filter, .flags = VIEW,
        .number = MCPH_FILTER_WHITELIST),
    KEY("resources.skills.blacklist", PATTERNS, skills_filter, .flags = VIEW,
        .number = MCPH_FILTER_BLACKLIST),
    KEY("resources.skills.transform", STEPS, skills_transform, .flags = VIEW | OWN,
        .replaces = "resources.transform"),
    KEY("truely-stateless", BOOL, stateless, .flags = VIEW),
    KEY("scope", CHOICE, scope, .flags = VIEW, .number = -1,
        .values = MCPHOST_ENUM_SCOPE),
    KEY("timeouts.start", TIME, start_timeout_ms, .flags = VIEW),
    KEY("timeouts.list", TIME, list_timeout_ms, .flags = VIEW),
    KEY("timeouts.call", TIME, call_timeout_ms, .flags = VIEW),
    KEY("arguments", CHOICE, arguments, .flags = VIEW, .number = -1,
        .values = MCPHOST_ENUM_ARGUMENTS_CHECK),
    KEY("results", CHOICE, results, .flags = VIEW, .number = -1,
        .values = MCPHOST_ENUM_RESULTS_CHECK),
    KEY("logLevel", CHOICE, log_level, .flags = VIEW, .number = -1,
        .values = MCPHOST_ENUM_MESSAGE_LEVEL),
    KEY("callsInFlight", COUNT, calls_in_flight, .flags = VIEW, .number = 100000),
    KEY("manual", TEXT, manual, .flags = VIEW | OWN),
    KEY("callMeta", OBJECT, call_meta, .flags = VIEW | MADE),
};

const char *
mcph_scope_check(const char *text)
{
    const char *c = text;

    while (*c > ' ' && *c <= '~' && *c != '"' && *c != '\\')
        c++;
    return *text && !*c ? NULL : "a scope has no blanks, quotes and backslashes";
}

const struct mcph_key *
mcph_key_at(size_t index)
{
    return index < MCPH_ARRAY_SIZE(keys) ? &keys[index] : NULL;
}

const struct mcph_key *
mcph_key_find(const char *name)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(keys); i++) {
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return NULL;
}

void *
mcph_key_field(const struct mcph_key *key, struct mcph_spec *spec)
{
    return (char *)spec + key->offset;
}

const void *
mcph_key_get(const struct mcph_key *key, const struct mcph_spec *spec)
{
    return (const char *)spec + key->offset;
}

const mcphost_transform *
mcph_key_steps(const struct mcph_key *key, const struct mcph_spec *spec)
{
    const mcphost_transform *steps = *(mcphost_transform *const *)mcph_key_get(key, spec);

    while (!steps && key->replaces) {
        key = mcph_key_find(key->replaces);
        steps = *(mcphost_transform *const *)mcph_key_get(key, spec);
    }
    return steps;
}

bool
mcph_key_fits(const struct mcph_key *key, int transport)
{
    const struct mcph_transport_kind *kind = mcph_transport_kind(transport);

    return (key->flags & (CHILD | AT_URL | INSIDE)) == 0 ||
           ((key->flags & CHILD) && kind->has_process) ||
           ((key->flags & INSIDE) && kind->carrier == MCPH_CARRIER_PROVIDER) ||
           ((key->flags & AT_URL) && kind->has_url);
}

bool
mcph_key_has_values(const struct mcph_key *key)
{
    return key->kind >= MCPH_KEY_VARIABLES && key->kind <= MCPH_KEY_VALUE;
}

bool
mcph_key_has_text(const struct mcph_key *key)
{
    return key->kind <= MCPH_KEY_DIRECTORY;
}

void
mcph_key_copy_number(const struct mcph_key *key, const void *from, void *to)
{
    switch (key->kind) {
    case MCPH_KEY_TIME:
        *(int64_t *)to = *(const int64_t *)from;
        break;
    case MCPH_KEY_COUNT:
        *(size_t *)to = *(const size_t *)from;
        break;
    case MCPH_KEY_BOOL:
        *(bool *)to = *(const bool *)from;
        break;
    case MCPH_KEY_CHOICE:
    case MCPH_KEY_TRANSPORT:
        *(int *)to = *(const int *)from;
        break;
    default:
        break;
    }
}

/* ---- init and done ----------------------------------------------------------------- */

void
mcph_keys_init(struct mcph_spec *spec)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(keys); i++) {
        void *field = mcph_key_field(&keys[i], spec);

        if (keys[i].kind == MCPH_KEY_TIME)
            *(int64_t *)field = -1;
        else if (keys[i].kind == MCPH_KEY_CHOICE)
            *(int *)field = keys[i].number;
    }
}

static void
free_text(char **text)
{
    mcph_str_wipe(*text);
    *text = NULL;
}

void
mcph_keys_done(struct mcph_spec *spec)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(keys); i++) {
        void *field = mcph_key_field(&keys[i], spec);

        if (mcph_key_has_text(&keys[i]))
            free_text(field);
        else if (mcph_key_has_values(&keys[i]))
            mcph_values_done(field);
        else if (keys[i].kind == MCPH_KEY_STRINGS)
            mcph_strings_done(field);
        else if (keys[i].kind == MCPH_KEY_PATTERNS)
            *(mcphost_filter **)field = mcph_filter_unref(*(mcphost_filter **)field);
        else if (keys[i].kind == MCPH_KEY_STEPS)
            *(mcphost_transform **)field =
                mcph_transform_unref(*(mcphost_transform **)field);
    }
}

/* ---- canonical form ---------------------------------------------------------------- */

static void
put_bytes(struct mcph_buf *buf, const char *data, size_t len)
{
    mcph_buf_addi(buf, (int64_t)len);
    mcph_buf_addc(buf, ':');
    mcph_buf_add(buf, data, len);
}

/* Appends a text.  An absent text and an empty text have different forms. */
static void
put_text(struct mcph_buf *buf, const char *text)
{
    if (text)
        put_bytes(buf, text, strlen(text));
    else
        mcph_buf_addc(buf, '-');
}

static void
put_number(struct mcph_buf *buf, int64_t n)
{
    mcph_buf_addi(buf, n);
    mcph_buf_addc(buf, ';');
}

static int
by_name(const void *a, const void *b)
{
    const struct mcph_value *const *va = a, *const *vb = b;

    return strcmp((*va)->name, (*vb)->name);
}

/* Appends values.  Sorts them by name, because the order of a map does not count.
 * Includes the name of a variable, because the variable's value is not known. */
static int
put_values(struct mcph_buf *buf, const struct mcph_values *values)
{
    const struct mcph_value **sorted;

    sorted = mcph_reallocarray(NULL, values->n, sizeof(const struct mcph_value *));
    if (!sorted)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < values->n; i++)
        sorted[i] = &values->items[i];
    qsort(sorted, values->n, sizeof(const struct mcph_value *), by_name);
    for (size_t i = 0; i < values->n; i++) {
        put_text(buf, sorted[i]->name);
        put_text(buf, sorted[i]->text);
        put_text(buf, sorted[i]->env);
    }
    free(sorted);
    return 0;
}

/* Appends the steps of a transform, or "-" if the transform has no steps. */
static void
put_steps(struct mcph_buf *buf, const mcphost_transform *transform)
{
    if (transform->n == 0)
        mcph_buf_addc(buf, '-');
    for (size_t i = 0; i < transform->n; i++) {
        const struct mcph_transform_step *step = &transform->steps[i];

        put_number(buf, step->kind);
        put_bytes(buf, step->remove, step->remove_len);
        put_bytes(buf, step->add, step->add_len);
    }
}

static void
put_list(const struct mcph_key *key, const void *field, struct mcph_buf *buf)
{
    const struct mcph_patterns *patterns;
    const struct mcph_strings *strings = field;

    if (key->kind == MCPH_KEY_STRINGS) {
        for (size_t i = 0; i < strings->n; i++)
            put_text(buf, strings->items[i]);
    } else if (key->kind == MCPH_KEY_PATTERNS) {
        patterns = &(*(mcphost_filter *const *)field)->lists[key->number];
        for (size_t i = 0; i < patterns->n; i++)
            put_bytes(buf, patterns->items[i].text, patterns->items[i].len);
    } else {
        put_steps(buf, *(mcphost_transform *const *)field);
    }
}

/* Returns the value of a key whose field is a number. */
static int64_t
number_of(const struct mcph_key *key, const void *field)
{
    switch (key->kind) {
    case MCPH_KEY_TIME:
        return *(const int64_t *)field;
    case MCPH_KEY_COUNT:
        return (int64_t) * (const size_t *)field;
    case MCPH_KEY_BOOL:
        return *(const bool *)field;
    default:
        return *(const int *)field;
    }
}

static bool
has_steps(const struct mcph_key *key, const mcphost_transform *transform)
{
    return transform && (key->replaces || transform->n > 0);
}

bool
mcph_key_is_set(const struct mcph_key *key, const struct mcph_spec *spec)
{
    const void *field = mcph_key_get(key, spec);

    if (mcph_key_has_text(key))
        return *(char *const *)field != NULL;
    if (mcph_key_has_values(key))
        return ((const struct mcph_values *)field)->n > 0;
    switch (key->kind) {
    case MCPH_KEY_MAP:
        return false;
    case MCPH_KEY_STRINGS:
        return ((const struct mcph_strings *)field)->n > 0;
    case MCPH_KEY_PATTERNS:
        return (*(mcphost_filter *const *)field)->lists[key->number].n > 0;
    case MCPH_KEY_STEPS:
        return has_steps(key, *(mcphost_transform *const *)field);
    case MCPH_KEY_TIME:
        return number_of(key, field) >= 0;
    case MCPH_KEY_CHOICE:
        return number_of(key, field) != key->number;
    default:
        return number_of(key, field) != 0;
    }
}

int
mcph_key_put(const struct mcph_key *key, const struct mcph_spec *spec,
             struct mcph_buf *buf)
{
    const void *field = mcph_key_get(key, spec);
    int r = 0;

    if (!mcph_key_is_set(key, spec))
        return mcph_buf_ok(buf);
    if (mcph_key_has_text(key))
        put_text(buf, *(char *const *)field);
    else if (mcph_key_has_values(key))
        r = put_values(buf, field);
    else if (key->kind <= MCPH_KEY_STEPS)
        put_list(key, field, buf);
    else
        put_number(buf, number_of(key, field));
    return r < 0 ? r : mcph_buf_ok(buf);
}
