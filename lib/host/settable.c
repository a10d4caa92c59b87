/* SPDX-License-Identifier: MIT
 *
 * settable.c - the environment variables that a model may change with env_set and
 * env_unset of mcp_admin.
 *
 * A variable that makes programs load code, run other programs or send their traffic
 * elsewhere is refused, even if a configuration names it.  Any other variable must be
 * named by the present configuration of a server that the dialog's view shows.  The
 * application may replace the list of refused variables, and may set a list of allowed
 * variables, which overrides both rules.
 */
#include <ctype.h>
#include <stdlib.h>

#include "host/builtin.h"
#include "host/dialog.h"
#include "host/host.h"

#define PATTERNS_MAX 4096

/* The names of refused variables.  A `*` at the beginning or at the end matches any
 * characters. */
static const char *const refused_names[] = {
    /* the dynamic loader and the C library */
    "LD_*",
    "DYLD_*",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "GETCONF_DIR",
    "HOSTALIASES",
    "LOCALDOMAIN",
    "LOCPATH",
    "MALLOC_*",
    "NLSPATH",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "TERMCAP",
    "TERMINFO*",
    "TZDIR",
    /* the places of programs and of their settings */
    "PATH",
    "HOME",
    "SHELL",
    "XDG_*",
    "TMPDIR",
    /* shells */
    "BASH_*",
    "BASHOPTS",
    "CDPATH",
    "ENV",
    "FPATH",
    "IFS",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "ZDOTDIR",
    /* programs that other programs start */
    "BROWSER",
    "CVS_RSH",
    "GIT_*",
    "HGRCPATH",
    "LESSCLOSE",
    "LESSOPEN",
    "RSYNC_RSH",
    "SVN_SSH",
    "VISUAL",
    "*_ASKPASS",
    "*EDITOR",
    "*_EXECUTABLE_PATH",
    "*PAGER",
    "CHROME_PATH",
    "PLAYWRIGHT_*",
    "PUPPETEER_*",
    /* Node.js, other JavaScript runtimes and their package managers */
    "BUN_*",
    "COREPACK_*",
    "DENO_*",
    "ELECTRON_*",
    "NODE_*",
    "NPM_CONFIG_*",
    "PNPM_*",
    "TS_NODE_*",
    "YARN_*",
    /* Python */
    "CONDA_*",
    "PIP_*",
    "PIPX_*",
    "POETRY_*",
    "PYTHON*",
    "UV_*",
    "VIRTUAL_ENV",
    /* Perl, Ruby, PHP, Lua, R, Tcl, awk and other languages that read code from
     * variables */
    "AWKLIBPATH",
    "AWKPATH",
    "BUNDLE_*",
    "ELIXIR_*",
    "ERL_*",
    "GEM_*",
    "GUILE_*",
    "JULIA_*",
    "LUA_*",
    "PERL*",
    "PHP*",
    "R_*",
    "RUBY*",
    "TCLLIBPATH",
    /* Java and .NET */
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "COMPLUS_*",
    "COR_*",
    "CORECLR_*",
    "DOTNET_*",
    "GRADLE_*",
    "JAVA_*",
    "JDK_*",
    "MAVEN_*",
    "NUGET_*",
    "SBT_OPTS",
    /* tools that build programs */
    "CARGO_*",
    "GOENV",
    "GOFLAGS",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GOTOOLCHAIN",
    "MAKEFLAGS",
    "RUSTC*",
    "RUSTFLAGS",
    "RUSTUP_*",
    /* plug-ins of libraries */
    "GI_TYPELIB_PATH",
    "GIO_*",
    "GST_*",
    "GTK_*",
    "ODBC*",
    "QT_*",
    /* trusted certificates, credentials, proxies and endpoints */
    "*_CA_BUNDLE",
    "*_CA_CERT*",
    "*_PROXY",
    "AWS_CONFIG_FILE",
    "AWS_ENDPOINT_URL*",
    "AWS_SHARED_CREDENTIALS_FILE",
    "CURL_HOME",
    "DOCKER_*",
    "KRB5*",
    "KUBECONFIG",
    "NETRC",
    "OPENSSL_*",
    "SSL_CERT_*",
    "SSLKEYLOGFILE",
    "WGETRC",
    /* variables of this library */
    "LIBMCPHOST_*",
    "MCPHOST_*",
};

/* Returns true if the first `len` bytes of two names are equal.  Does not distinguish
 * upper and lower case, because some runtimes read both spellings. */
static bool
equal(const char *a, const char *b, size_t len)
{
    size_t i = 0;

    while (i < len && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))
        i++;
    return i == len;
}

static bool
matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern), len = strlen(name);

    if (n > 0 && pattern[0] == '*')
        return len >= n - 1 && equal(pattern + 1, name + len - (n - 1), n - 1);
    if (n > 0 && pattern[n - 1] == '*')
        return len >= n - 1 && equal(pattern, name, n - 1);
    return n == len && equal(pattern, name, n);
}

static bool
any_matches(const struct mcph_vec *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (matches(patterns->items[i], name))
            return true;
    }
    return false;
}

static bool
is_refused(const mcphost *host, const char *name)
{
    if (host->env_refused_set)
        return any_matches(&host->env_refused, name);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(refused_names); i++) {
        if (matches(refused_names[i], name))
            return true;
    }
    return false;
}

/* Returns true if one of the values is read from the variable `name`.  If `targets` is
 * true, also returns true if one of the values sets this variable. */
static bool
values_name(const struct mcph_values *values, bool targets, const char *name)
{
    for (size_t i = 0; i < values->n; i++) {
        const struct mcph_value *value = &values->items[i];

        if ((targets && strcmp(value->name, name) == 0) || mcph_streq(value->env, name))
            return true;
    }
    return false;
}

static bool
spec_names(const struct mcph_spec *spec, const char *name)
{
    const struct mcph_key *key;

    for (size_t i = 0; (key = mcph_key_at(i)); i++) {
        if (mcph_key_has_values(key) &&
            values_name(mcph_key_get(key, spec), key->kind == MCPH_KEY_VARIABLES, name))
            return true;
    }
    return false;
}

/* Returns true if the configuration of a server that the layer shows names the variable.
 * Call this under the lock. */
static bool
layer_names(const struct mcph_layer *layer, const char *name)
{
    const mcphost_config *config = layer->source->config;

    for (size_t i = 0; config && i < config->servers.n; i++) {
        const struct mcph_config_server *entry = config->servers.items[i];

        if (entry->spec && spec_names(entry->spec, name) &&
            mcph_layer_shows(layer, entry->id))
            return true;
    }
    return false;
}

static bool
is_declared(const mcphost_dialog *dialog, const char *name)
{
    const struct mcph_stack *stack = dialog->view->stack;
    bool found = false;

    mcph_core_lock(dialog->host->core);
    for (size_t i = 0; i < stack->layers.n && !found; i++)
        found = layer_names(stack->layers.items[i], name);
    mcph_core_unlock(dialog->host->core);
    return found;
}

const char *
mcph_settable_refuse(const mcphost_dialog *dialog, const char *name)
{
    const mcphost *host = dialog->host;

    if (any_matches(&host->env_allowed, name))
        return NULL;
    if (is_refused(host, name))
        return "it can make programs load code or trust other parties";
    if (!is_declared(dialog, name))
        return "no server's configuration names it";
    return NULL;
}

/* ---- the application's lists ------------------------------------------------------- */

static void
free_patterns(struct mcph_vec *patterns)
{
    for (size_t i = 0; i < patterns->n; i++)
        free(patterns->items[i]);
    mcph_vec_done(patterns);
    *patterns = (struct mcph_vec){0};
}

/* Returns true if the text is not empty and has only letters, digits and `_`, and at most
 * one `*` at the beginning or at the end.  A `*` alone is a pattern too. */
static bool
is_pattern(const char *text)
{
    size_t len = strlen(text);
    bool front = text[0] == '*';
    bool behind = !front && len > 0 && text[len - 1] == '*';

    for (size_t i = front; i < len - behind; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    }
    return len > 0;
}

static int
copy_patterns(const char *const *from, struct mcph_vec *to)
{
    for (size_t i = 0; from && from[i]; i++) {
        char *copy;

        if (!is_pattern(from[i]))
            return MCPHOST_E_INVALID;
        if (i >= PATTERNS_MAX)
            return MCPHOST_E_LIMIT;
        copy = mcph_strdup(from[i]);
        if (!copy || mcph_vec_add(to, copy) < 0) {
            free(copy);
            return MCPHOST_E_NOMEM;
        }
    }
    return 0;
}

int
mcph_settable_set(mcphost *host, const char *const *refused, const char *const *allowed)
{
    struct mcph_vec no = {0}, yes = {0}, old;
    int r = copy_patterns(refused, &no);

    if (r == 0)
        r = copy_patterns(allowed, &yes);
    if (r == 0)
        r = mcph_host_enter(host);
    if (r == 0) {
        if (host->loaded) {
            r = MCPHOST_E_STATE;
        } else {
            old = host->env_refused;
            host->env_refused = no;
            no = old;
            old = host->env_allowed;
            host->env_allowed = yes;
            yes = old;
            host->env_refused_set = refused != NULL;
        }
        mcph_core_leave(host->core);
    }
    free_patterns(&no);
    free_patterns(&yes);
    return r;
}

void
mcph_settable_done(mcphost *host)
{
    free_patterns(&host->env_refused);
    free_patterns(&host->env_allowed);
}
