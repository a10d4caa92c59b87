/* SPDX-License-Identifier: MIT
 *
 * chatos_spec.c - add an app's own server to a configuration (R120, R131, R132, B.22).
 *
 * The URL of the server becomes a program with arguments, or a server over HTTP.  The
 * library never starts a shell.  This file reports only the first error.  An error makes
 * this server invalid.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/chatos.h"

#define SCHEME_MAX 32 /* limit on the characters of a scheme in an error message */

struct adding {
    mcphost_config *config;
    const char *id;
    const struct mcph_chatos_mcp *mcp;
    const struct mcph_chatos_place *place;
    struct mcph_spec *spec;
};

static int refuse_key(struct adding *a, const char *key, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);

/* Reports an error about the server.  Returns MCPHOST_E_CONFIG or MCPHOST_E_NOMEM. */
static int
refuse_key(struct adding *a, const char *key, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    int r;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r = mcph_config_diag(a->config, MCPHOST_DIAGNOSTIC_ERROR, a->id, key, a->mcp->line,
                         a->mcp->column, "%s", text);
    return r < 0 ? r : MCPHOST_E_CONFIG;
}

/* Returns the key for errors about the URL. */
static const char *
url_key(const struct adding *a)
{
    return a->mcp->url ? "mcp.url" : "mcp.entry";
}

/* ---- servers that are started as programs ------------------------------------------ */

/* Makes the path of --root absolute: a relative path starts at the project (B.22).
 * `path` is a part of *arg.  Keeps the `before` bytes of *arg in front of `path`. */
static int
place_root(const struct adding *a, char **arg, const char *path, int before)
{
    char *absolute, *whole;

    if (!a->place->project_root || !*path || *path == '/')
        return 0;
    absolute = mcph_profile_join(a->place->project_root, path);
    whole = absolute ? mcph_asprintf("%.*s%s", before, *arg, absolute) : NULL;
    free(absolute);
    if (!whole)
        return MCPHOST_E_NOMEM;
    free(*arg);
    *arg = whole;
    return 0;
}

static int
place_roots(const struct adding *a, struct mcph_strings *args)
{
    static const char option[] = "--root";
    size_t len = sizeof(option) - 1;
    int r = 0;

    for (size_t i = 0; i < args->n && r == 0; i++) {
        char **arg = &args->items[i];

        if (i > 0 && strcmp(args->items[i - 1], option) == 0)
            r = place_root(a, arg, *arg, 0);
        else if (strncmp(*arg, option, len) == 0 && (*arg)[len] == '=')
            r = place_root(a, arg, *arg + len + 1, (int)len + 1);
    }
    return r;
}

static int
add_variables(struct adding *a)
{
    const struct {
        const char *name, *text;
    } variables[] = {
        {"MODEL_CLI_SESSION_ROOT", a->place->session_root},
        {"MODEL_CLI_WORKSPACE_ROOT", a->place->project_root},
        {"MODEL_CLI_CALLER", "mcphost"},
    };
    int r = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(variables) && r == 0; i++) {
        if (variables[i].text)
            r = mcph_values_add(&a->spec->env, variables[i].name, variables[i].text,
                                NULL);
    }
    return r;
}

static int
set_transport(struct adding *a, int transport)
{
    char expected[MCPH_TRANSPORTS_TEXT];

    if (mcph_transport_allowed(a->config->transports, transport)) {
        a->spec->transport = transport;
        return 0;
    }
    mcph_transports_text(a->config->transports, expected);
    return refuse_key(a, url_key(a), "expected a server over %s, found one over '%s'",
                      expected, mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, transport));
}

/* Sets the transport, the program, its arguments, its variables and its directory. */
static int
take_program(struct adding *a, const char *line, size_t len)
{
    const char *dir = a->place->plugin_dir ? a->place->plugin_dir : a->config->workspace;
    struct mcph_strings argv = {0};
    struct mcph_chatos_fault fault = {0};
    int r = set_transport(a, MCPHOST_TRANSPORT_STDIO);

    if (r == 0)
        r = mcph_chatos_is_cmd(line, len)
                ? mcph_chatos_cmd_parse(line, len, &argv, &fault)
                : mcph_chatos_line_parse(line, len, &argv, &fault);
    if (fault.why)
        return refuse_key(a, url_key(a), "%s, at character %zu", fault.why, fault.at + 1);
    for (size_t i = 1; i < argv.n && r == 0; i++)
        r = mcph_strings_add(&a->spec->args, argv.items[i]);
    if (r == 0)
        r = place_roots(a, &a->spec->args);
    if (r == 0)
        r = add_variables(a);
    if (r == 0) {
        a->spec->command = mcph_profile_command(dir, argv.items[0]);
        a->spec->cwd = mcph_strdup(dir);
        r = a->spec->command && a->spec->cwd ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_strings_done(&argv);
    return r;
}

/* ---- servers at a URL -------------------------------------------------------------- */

static int
add_header(struct adding *a, const char *name, const char *text)
{
    char key[64];

    snprintf(key, sizeof(key), "mcp.auth.headers.%.40s", name);
    if (!mcph_header_name_ok(name, strlen(name)))
        return refuse_key(a, "mcp.auth.headers",
                          "expected the name of an HTTP header, found a key with other "
                          "characters");
    if (!mcph_header_value_ok(text, strlen(text)))
        return refuse_key(a, key,
                          "expected a text on one line, found a control character");
    return mcph_values_add(&a->spec->headers, name, text, NULL);
}

static int
add_basic(struct adding *a, const struct mcph_chatos_auth *auth)
{
    char *pair = mcph_asprintf("%s:%s", auth->username ? auth->username : "",
                               auth->password ? auth->password : "");
    struct mcph_buf text;
    char *header = NULL;
    int r;

    mcph_buf_init(&text, SIZE_MAX / 4);
    mcph_buf_adds(&text, "Basic ");
    r = pair ? mcph_base64_add(&text, pair, strlen(pair)) : MCPHOST_E_NOMEM;
    if (r == 0)
        r = mcph_buf_give(&text, &header, NULL);
    if (r == 0)
        r = add_header(a, "Authorization", header);
    mcph_buf_wipe(&text);
    mcph_str_wipe(header);
    mcph_str_wipe(pair);
    return r;
}

static int
add_bearer(struct adding *a, const char *token)
{
    char *header = mcph_asprintf("Bearer %s", token);
    int r = header ? add_header(a, "Authorization", header) : MCPHOST_E_NOMEM;

    mcph_str_wipe(header);
    return r;
}

/* Adds the headers of `auth`.  If there is an explicit Authorization header, uses neither
 * the token nor the password.  If there is a token, does not use the password. */
static int
add_auth(struct adding *a)
{
    const struct mcph_chatos_auth *auth = &a->mcp->auth;
    bool has = false;
    int r = 0;

    for (size_t i = 0; i < auth->headers.n && r == 0; i++) {
        const struct mcph_value *header = &auth->headers.items[i];

        has = has || strcasecmp(header->name, "Authorization") == 0;
        r = add_header(a, header->name, header->text);
    }
    if (r < 0 || has)
        return r;
    if (auth->token && *auth->token)
        return add_bearer(a, auth->token);
    if (auth->username && strchr(auth->username, ':'))
        return refuse_key(a, "mcp.auth.basic.username", "has a ':'");
    return (auth->username && *auth->username) || (auth->password && *auth->password)
               ? add_basic(a, auth)
               : 0;
}

/* Checks whether the host is github.com or ends with ".github.com", because people often
 * give the page of a repository instead of the server's URL. */
static bool
is_repository(const char *url)
{
    static const char page[] = "github.com";
    const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "/?#");
    size_t len;

    for (const char *p = host; p < end; p++) {
        if (*p == '@')
            host = p + 1;
    }
    len = strcspn(host, ":/?#");
    if (len > 0 && host[len - 1] == '.') /* also accept "github.com." */
        len--;
    return len >= sizeof(page) - 1 &&
           strncasecmp(host + len - (sizeof(page) - 1), page, sizeof(page) - 1) == 0 &&
           (len == sizeof(page) - 1 || host[len - sizeof(page)] == '.');
}

static int
take_url(struct adding *a, const char *url, size_t len)
{
    bool streams = mcph_transport_allowed(a->config->transports,
                                          MCPHOST_TRANSPORT_STREAMABLE_HTTP) ||
                   !mcph_transport_allowed(a->config->transports, MCPHOST_TRANSPORT_SSE);
    const char *why = NULL;
    int r = set_transport(a, streams ? MCPHOST_TRANSPORT_STREAMABLE_HTTP
                                     : MCPHOST_TRANSPORT_SSE);

    if (r < 0)
        return r;
    r = mcph_url_normalize(url, len, &a->spec->url, &why);
    if (r == MCPHOST_E_CONFIG)
        return refuse_key(a, "mcp.url",
                          "expected an http or https URL, found one that %s", why);
    if (r == 0 && is_repository(a->spec->url))
        return refuse_key(a, "mcp.url",
                          "this is the page of a repository at github.com, not a server: "
                          "expected the server's own URL, or the command that starts it");
    if (r == 0)
        r = add_auth(a);
    if (r == 0) {
        a->spec->cwd = mcph_strdup(a->config->workspace);
        r = a->spec->cwd ? 0 : MCPHOST_E_NOMEM;
    }
    return r;
}

/* ---- kinds of URLs ----------------------------------------------------------------- */

/* Returns the text without the blanks and backticks around it. */
static struct mcph_span
trim_url(const char *url)
{
    struct mcph_span text = mcph_chatos_trim(url, strlen(url));

    while (text.len >= 2 && text.p[0] == '`' && text.p[text.len - 1] == '`')
        text = mcph_chatos_trim(text.p + 1, text.len - 2);
    return text;
}

/* Returns the length of the scheme if the text begins with "SCHEME://", else 0. */
static size_t
scheme_len(struct mcph_span text)
{
    size_t n = 0;

    while (n < text.len && (((text.p[n] | 0x20) >= 'a' && (text.p[n] | 0x20) <= 'z') ||
                            (n > 0 && ((text.p[n] >= '0' && text.p[n] <= '9') ||
                                       memchr("+-.", text.p[n], 3)))))
        n++;
    return text.len - n >= 3 && memcmp(text.p + n, "://", 3) == 0 ? n : 0;
}

static bool
is_scheme(struct mcph_span text, size_t len, const char *scheme)
{
    return len == strlen(scheme) && strncasecmp(text.p, scheme, len) == 0;
}

static int
take_endpoint(struct adding *a, const char *url)
{
    struct mcph_span text = trim_url(url);
    size_t n = scheme_len(text);

    if (text.len == 0)
        return refuse_key(a, url_key(a), "expected a URL or a command, found a blank");
    if (n == 0 || is_scheme(text, n, "cmd"))
        return take_program(a, text.p, text.len);
    if (is_scheme(text, n, "http") || is_scheme(text, n, "https"))
        return take_url(a, text.p, text.len);
    return refuse_key(a, url_key(a), "there is no transport for '%.*s' URLs",
                      (int)(n < SCHEME_MAX ? n : SCHEME_MAX), text.p);
}

/* ---- the entry of the configuration ------------------------------------------------ */

static int
fill_spec(struct adding *a, uint64_t flags)
{
    char *url = NULL;
    int r;

    if (!a->mcp->url && !a->mcp->entry)
        return refuse_key(a, "mcp",
                          "expected 'url', or an 'entry' inside the plugin's "
                          "directory, found neither");
    if (!a->mcp->url && !a->place->plugin_dir)
        return refuse_key(a, "mcp.entry", "the directory of its plugin is not known");
    r = mcph_chatos_mcp_url(a->mcp, a->place->plugin_dir, &url);
    if (r == MCPHOST_E_LIMIT)
        r = refuse_key(a, url_key(a), "is longer than %zu bytes", MCPH_CHATOS_CMD_MAX);
    if (r == 0)
        r = take_endpoint(a, url);
    mcph_str_wipe(url);
    if (r < 0)
        return r;
    r = mcph_chatos_call_meta(a->mcp->call_meta, a->place, flags, &a->spec->call_meta);
    if (r == MCPHOST_E_LIMIT || r == MCPHOST_E_INVALID)
        r = refuse_key(
            a, "mcp.callMeta",
            "is not an object, is nested too deep, or is larger than %zu bytes",
            MCPH_CHATOS_META_MAX);
    return r;
}

static struct mcph_spec *
spec_new(const struct adding *a)
{
    struct mcph_spec *spec = mcph_spec_new(a->id, a->config->source);

    if (!spec)
        return NULL;
    spec->line = a->mcp->line;
    spec->column = a->mcp->column;
    if (a->config->file) {
        spec->file = mcph_strdup(a->config->file);
        if (!spec->file)
            spec = mcph_spec_unref(spec);
    }
    return spec;
}

int
mcph_chatos_add_server(mcphost_config *config, const char *id,
                       const struct mcph_chatos_mcp *mcp,
                       const struct mcph_chatos_place *place, uint64_t flags)
{
    struct mcph_config_server *entry =
        mcph_config_add_server(config, id, mcp->line, mcp->column);
    struct adding a = {.config = config, .id = id, .mcp = mcp, .place = place};
    int r;

    if (!entry)
        return MCPHOST_E_NOMEM;
    if (mcp->enabled == 0) {
        entry->state = MCPHOST_CONFIG_SERVER_DISABLED;
        return 0;
    }
    a.spec = spec_new(&a);
    r = a.spec ? fill_spec(&a, flags) : MCPHOST_E_NOMEM;
    if (a.spec)
        entry->transport = a.spec->transport;
    if (r == 0)
        r = mcph_spec_seal(a.spec);
    if (r == 0)
        entry->spec = mcph_spec_ref(a.spec);
    mcph_spec_unref(a.spec);
    return r == MCPHOST_E_CONFIG ? 0 : r;
}
