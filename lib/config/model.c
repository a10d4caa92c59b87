/* SPDX-License-Identifier: MIT
 *
 * model.c - the configuration of a workspace: server entries in the order of the file,
 * and diagnostics (struct mcphost_config).
 *
 * A reader, mcph_config_merge() or mcph_config_pick() fills a configuration.  After
 * mcph_config_finish() the configuration is immutable.  A new entry is valid.  The reader
 * may disable an entry (MCPHOST_CONFIG_SERVER_DISABLED).  An error that names the server
 * makes the entry invalid, but an error of the severity MCPH_DIAGNOSTIC_SPARING does not.
 * A rejected configuration has no servers, only diagnostics (R114).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#define MESSAGE_MAX 2048

static void
diag_free(struct mcph_diag *diag)
{
    if (!diag)
        return;
    free(diag->message);
    free(diag->key);
    free(diag->server);
    free(diag);
}

static void
drop_servers(mcphost_config *config)
{
    for (size_t i = 0; i < config->servers.n; i++) {
        struct mcph_config_server *server = config->servers.items[i];

        mcph_spec_unref(server->spec);
        free(server->id);
        free(server);
    }
    mcph_vec_done(&config->servers);
    config->servers = (struct mcph_vec){0};
    mcph_map_done(&config->by_id);
    config->by_id = (struct mcph_map){0};
}

/* Makes one clean line of a file's name, because the name may contain any byte but
 * NUL. */
static char *
clean_name(const char *text)
{
    size_t len = strlen(text);
    struct mcph_buf buf;
    char *copy;

    mcph_buf_init(&buf, 3 * len + 1);
    mcph_utf8_add_clean(&buf, text, len, true);
    copy = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return copy;
}

mcphost_config *
mcph_config_new(const char *source, const char *file, const char *shown,
                const char *workspace)
{
    mcphost_config *config = calloc(1, sizeof(*config));

    if (!config)
        return NULL;
    mcph_refs_init(&config->refs);
    config->source = mcph_strdup(source);
    config->file = file ? mcph_strdup(file) : NULL;
    config->shown = clean_name(shown);
    config->workspace = mcph_strdup(workspace);
    if (!config->source || (file && !config->file) || !config->shown ||
        !config->workspace)
        return mcph_config_unref(config);
    return config;
}

int
mcph_config_reader_once(struct mcph_config_reader *reader, unsigned transports,
                        mcphost_config **ret_config, mcphost_error **reterr)
{
    int r;

    reader->transports = transports;
    r = reader->read(reader, ret_config, reterr);
    reader->free(reader);
    return r;
}

mcphost_config *
mcph_config_ref(mcphost_config *config)
{
    if (config)
        mcph_refs_get(&config->refs);
    return config;
}

mcphost_config *
mcph_config_unref(mcphost_config *config)
{
    if (!config || !mcph_refs_put(&config->refs))
        return NULL;
    drop_servers(config);
    for (size_t i = 0; i < config->diags.n; i++)
        diag_free(config->diags.items[i]);
    mcph_vec_done(&config->diags);
    for (size_t i = 0; i < config->files.n; i++)
        free(config->files.items[i]);
    mcph_vec_done(&config->files);
    mcph_map_done(&config->by_path);
    for (size_t i = 0; i < config->parts.n; i++)
        mcph_config_unref(config->parts.items[i]);
    mcph_vec_done(&config->parts);
    free(config->source);
    free(config->file);
    free(config->shown);
    free(config->workspace);
    free(config);
    return NULL;
}

struct mcph_config_server *
mcph_config_add_server(mcphost_config *config, const char *id, int line, int column)
{
    struct mcph_config_server *server = calloc(1, sizeof(*server));

    if (!server)
        return NULL;
    server->id = mcph_strdup(id);
    server->line = line;
    server->column = column;
    if (!server->id || mcph_vec_reserve(&config->servers, 1) < 0 ||
        mcph_map_put(&config->by_id, server->id, strlen(server->id), server, NULL) < 0) {
        free(server->id);
        free(server);
        return NULL;
    }
    mcph_vec_add(&config->servers, server); /* cannot fail, because memory is reserved */
    return server;
}

struct mcph_config_server *
mcph_config_find(const mcphost_config *config, const char *id)
{
    return mcph_map_get(&config->by_id, id, strlen(id));
}

/* Makes a diagnostic with copies of the arguments.  Cleans the text, so that a name from
 * a file cannot break a line or a terminal. */
static struct mcph_diag *
diag_new(const char *server, const char *key, const char *text)
{
    struct mcph_diag *diag = calloc(1, sizeof(*diag));
    struct mcph_buf buf;

    if (!diag)
        return NULL;
    mcph_buf_init(&buf, (size_t)8 * MESSAGE_MAX);
    if (*key)
        mcph_buf_addf(&buf, "%s: ", key);
    mcph_utf8_add_clean(&buf, text, strlen(text), true);
    diag->message = mcph_buf_steal(&buf, NULL);
    diag->key = mcph_strdup(key);
    diag->server = server ? mcph_strdup(server) : NULL;
    mcph_buf_done(&buf);
    if (!diag->message || !diag->key || (server && !diag->server)) {
        diag_free(diag);
        return NULL;
    }
    return diag;
}

static int
add_diag(mcphost_config *config, int severity, const char *server, const char *key,
         int line, int column, const char *text)
{
    struct mcph_diag *diag = diag_new(server, key, text);

    if (!diag)
        return MCPHOST_E_NOMEM;
    if (mcph_vec_add(&config->diags, diag) < 0) {
        diag_free(diag);
        return MCPHOST_E_NOMEM;
    }
    diag->severity = severity;
    diag->file = config->shown;
    diag->line = line;
    diag->column = column;
    diag->seq = config->diags.n;
    return 0;
}

/* Returns true if the caller must count the diagnostic and not add it.  The caller always
 * adds the first error of a server, so that every invalid server has a reason. */
static bool
is_counted_out(const mcphost_config *config, int severity,
               const struct mcph_config_server *entry)
{
    if (config->diags.n < MCPH_DIAG_MAX)
        return false;
    if (severity != MCPHOST_DIAGNOSTIC_ERROR)
        return true;
    return entry && entry->state == MCPHOST_CONFIG_SERVER_INVALID;
}

int
mcph_config_diag(mcphost_config *config, int severity, const char *server,
                 const char *key, int line, int column, const char *fmt, ...)
{
    struct mcph_config_server *entry = server ? mcph_config_find(config, server) : NULL;
    char text[MESSAGE_MAX];
    va_list ap;
    int r = 0;

    if (is_counted_out(config, severity, entry)) {
        config->n_left_out++;
    } else {
        va_start(ap, fmt);
        vsnprintf(text, sizeof(text), fmt, ap);
        va_end(ap);
        r = add_diag(config, severity, server, key, line, column, text);
    }
    if (r == 0 && entry && severity == MCPHOST_DIAGNOSTIC_ERROR) {
        entry->state = MCPHOST_CONFIG_SERVER_INVALID;
        entry->spec = mcph_spec_unref(entry->spec);
    }
    return r;
}

char *
mcph_diag_line(const struct mcph_diag *diag)
{
    if (diag->line <= 0)
        return mcph_asprintf("%s: %s", diag->file, diag->message);
    return mcph_asprintf("%s:%d:%d: %s", diag->file, diag->line, diag->column,
                         diag->message);
}

int
mcph_config_fail(mcphost_config *config, int status, const char *key, int line,
                 int column, const char *fmt, ...)
{
    char text[MESSAGE_MAX];
    va_list ap;

    drop_servers(config);
    config->status = status;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return add_diag(config, MCPHOST_DIAGNOSTIC_ERROR, NULL, key, line, column, text);
}

int
mcph_config_add_file(mcphost_config *config, const char *path)
{
    char *copy;

    if (mcph_map_get(&config->by_path, path, strlen(path)))
        return 0;
    copy = mcph_strdup(path);
    if (!copy || mcph_vec_reserve(&config->files, 1) < 0 ||
        mcph_map_put(&config->by_path, copy, strlen(copy), copy, NULL) < 0) {
        free(copy);
        return MCPHOST_E_NOMEM;
    }
    mcph_vec_add(&config->files, copy); /* cannot fail, because memory is reserved */
    return 0;
}

static int
by_place(const void *a, const void *b)
{
    const struct mcph_diag *const *da = a, *const *db = b;

    if ((*da)->part != (*db)->part)
        return (*da)->part < (*db)->part ? -1 : 1;
    if ((*da)->line != (*db)->line)
        return (*da)->line < (*db)->line ? -1 : 1;
    if ((*da)->column != (*db)->column)
        return (*da)->column < (*db)->column ? -1 : 1;
    return (*da)->seq < (*db)->seq ? -1 : 1;
}

const struct mcph_diag *
mcph_config_first_error(const mcphost_config *config)
{
    for (size_t i = 0; i < config->diags.n; i++) {
        const struct mcph_diag *diag = config->diags.items[i];

        if (diag->severity != MCPHOST_DIAGNOSTIC_WARNING)
            return diag;
    }
    return NULL;
}

int
mcph_config_finish(mcphost_config *config)
{
    if (config->diags.n > 0)
        qsort(config->diags.items, config->diags.n, sizeof(void *), by_place);
    for (size_t i = 0; i < config->diags.n; i++) {
        struct mcph_diag *diag = config->diags.items[i];
        struct mcph_config_server *entry;

        if (diag->severity != MCPHOST_DIAGNOSTIC_ERROR || !diag->server)
            continue;
        entry = mcph_config_find(config, diag->server);
        if (entry && !entry->error)
            entry->error = diag;
    }
    if (config->n_left_out > 0) {
        char text[80];

        snprintf(text, sizeof(text), "%zu more messages are left out",
                 config->n_left_out);
        return add_diag(config, MCPHOST_DIAGNOSTIC_WARNING, NULL, "", 0, 0, text);
    }
    return 0;
}

/* ---- one server of a configuration ------------------------------------------------- */

static struct mcph_config_server *
copy_server(mcphost_config *config, const struct mcph_config_server *from)
{
    struct mcph_config_server *server =
        mcph_config_add_server(config, from->id, from->line, from->column);

    if (!server)
        return NULL;
    server->state = from->state;
    server->transport = from->transport;
    server->spec = from->spec ? mcph_spec_ref(from->spec) : NULL;
    return server;
}

/* Returns the text of a diagnostic without the key in front. */
static const char *
text_of(const struct mcph_diag *diag)
{
    return *diag->key ? diag->message + strlen(diag->key) + 2 : diag->message;
}

static int
copy_diag(mcphost_config *config, const struct mcph_diag *diag)
{
    return mcph_config_diag(config, diag->severity, diag->server, diag->key, diag->line,
                            diag->column, "%s", text_of(diag));
}

int
mcph_config_pick(const mcphost_config *config, const char *id, mcphost_config **ret)
{
    const struct mcph_config_server *server = mcph_config_find(config, id);
    mcphost_config *picked;
    int r;

    if (!server)
        return MCPHOST_E_NOTFOUND;
    if (server->part)
        return mcph_config_pick(server->part, id, ret);
    picked =
        mcph_config_new(config->source, config->file, config->shown, config->workspace);
    if (!picked)
        return MCPHOST_E_NOMEM;
    r = copy_server(picked, server) ? 0 : MCPHOST_E_NOMEM;
    for (size_t i = 0; i < config->diags.n && r == 0; i++) {
        const struct mcph_diag *diag = config->diags.items[i];

        if (diag->server && strcmp(diag->server, id) == 0)
            r = copy_diag(picked, diag);
    }
    if (r == 0)
        r = mcph_config_finish(picked);
    if (r < 0) {
        mcph_config_unref(picked);
        return r;
    }
    *ret = picked;
    return 0;
}

/* ---- merging parts ----------------------------------------------------------------- */

/* Adds a diagnostic of the part that was added last. */
static int
add_diag_of_part(mcphost_config *config, int severity, const char *server,
                 const char *key, int line, int column, const char *text)
{
    const mcphost_config *part = config->parts.items[config->parts.n - 1];
    int r = add_diag(config, severity, server, key, line, column, text);

    if (r == 0) {
        struct mcph_diag *diag = config->diags.items[config->diags.n - 1];

        diag->file = part->shown;
        diag->part = config->parts.n;
    }
    return r;
}

/* Reports that `server` is left out, because an earlier part declares a server with the
 * same id, `first`. */
static int
add_duplicate(mcphost_config *config, const struct mcph_config_server *server,
              const struct mcph_config_server *first)
{
    char text[MESSAGE_MAX];
    struct mcph_buf key;
    int r;

    if (config->diags.n >= MCPH_DIAG_MAX) {
        config->n_left_out++;
        return 0;
    }
    snprintf(text, sizeof(text), "declared already at %s:%d:%d, and that one is used",
             first->part->shown, first->line, first->column);
    mcph_buf_init(&key, (size_t)4 * MESSAGE_MAX);
    mcph_path_member(&key, "servers");
    mcph_path_member(&key, server->id);
    r = add_diag_of_part(config, MCPH_DIAGNOSTIC_SPARING, server->id,
                         mcph_path_text(&key), server->line, server->column, text);
    mcph_buf_done(&key);
    return r;
}

static int
merge_server(mcphost_config *config, mcphost_config *part,
             const struct mcph_config_server *server, bool kept)
{
    const struct mcph_config_server *first = mcph_config_find(config, server->id);
    struct mcph_config_server *copy;

    if (first)
        return kept ? 0 : add_duplicate(config, server, first);
    copy = copy_server(config, server);
    if (!copy)
        return MCPHOST_E_NOMEM;
    copy->part = part;
    return 0;
}

/* Adds a diagnostic of `part`.  When the list is full, adds only the reason for which a
 * server is invalid or the part is rejected.  If `kept` is true, `part` is the last good
 * state of a file, and only reasons for which servers are invalid are added. */
static int
merge_diag(mcphost_config *config, const mcphost_config *part,
           const struct mcph_diag *diag, bool kept)
{
    const struct mcph_config_server *server =
        diag->server ? mcph_config_find(config, diag->server) : NULL;
    bool ours = server && server->part == part;
    bool reason = ours && mcph_config_find(part, diag->server)->error == diag;
    int severity = diag->severity;

    if (kept && !reason)
        return 0;
    if (config->diags.n >= MCPH_DIAG_MAX && !reason &&
        !(part->status < 0 && severity == MCPHOST_DIAGNOSTIC_ERROR)) {
        config->n_left_out++;
        return 0;
    }
    /* An error of this part must not make the server of another part invalid.
     * Therefore use the severity that makes no server invalid. */
    if (severity == MCPHOST_DIAGNOSTIC_ERROR && diag->server && !ours)
        severity = MCPH_DIAGNOSTIC_SPARING;
    return add_diag_of_part(config, severity, diag->server, diag->key, diag->line,
                            diag->column, text_of(diag));
}

int
mcph_config_merge(mcphost_config *config, mcphost_config *part, bool kept)
{
    /* Skip the part's last diagnostic if it gives the number of omitted diagnostics.  The
     * whole configuration adds a diagnostic with its own number. */
    size_t n_diags = part->diags.n - (part->n_left_out > 0);
    int r = mcph_vec_add(&config->parts, part);

    if (r < 0)
        return r;
    mcph_config_ref(part);
    config->has_manuals |= part->has_manuals;
    config->n_left_out += kept ? 0 : part->n_left_out;
    for (size_t i = 0; i < part->servers.n && r == 0; i++)
        r = merge_server(config, part, part->servers.items[i], kept);
    for (size_t i = 0; i < n_diags && r == 0; i++)
        r = merge_diag(config, part, part->diags.items[i], kept);
    for (size_t i = 0; i < part->files.n && r == 0; i++)
        r = mcph_config_add_file(config, part->files.items[i]);
    return r;
}
