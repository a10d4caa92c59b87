/* SPDX-License-Identifier: MIT
 *
 * chatos_sync.c - have the application store the apps' contributions (R143): records that
 * the application lacks, and records that have changed.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_run.h"

#define OWNER      "uiApp"
#define RECORD_MAX ((size_t)8 * 1024 * 1024)

struct sync {
    const struct mcph_chatos_admin *admin;
    struct mcph_vec stored; /* holds struct mcph_chatos_stored * */
    mcphost_chatos_put_fn put;
    void *arg;
};

/* ---- records ----------------------------------------------------------------------- */

static void
put_auth(const struct mcph_chatos_auth *auth, struct mcph_buf *buf)
{
    if (!auth->token && !auth->username && !auth->password && auth->headers.n == 0)
        return;
    mcph_json_add_key(buf, "auth");
    mcph_buf_addc(buf, '{');
    if (auth->token)
        mcph_json_add_member(buf, "token", auth->token);
    if (auth->username || auth->password) {
        mcph_json_add_key(buf, "basic");
        mcph_buf_addc(buf, '{');
        mcph_json_add_member(buf, "username", auth->username ? auth->username : "");
        mcph_json_add_member(buf, "password", auth->password ? auth->password : "");
        mcph_buf_addc(buf, '}');
    }
    if (auth->headers.n > 0) {
        mcph_json_add_key(buf, "headers");
        mcph_buf_addc(buf, '{');
        for (size_t i = 0; i < auth->headers.n; i++)
            mcph_json_add_member(buf, auth->headers.items[i].name,
                                 auth->headers.items[i].text);
        mcph_buf_addc(buf, '}');
    }
    mcph_buf_addc(buf, '}');
}

/* Writes the owner of a record.  mcph_chatos_sync() replaces only records of the same
 * owner. */
static void
put_owner(const struct mcph_chatos_entry *entry, struct mcph_buf *buf)
{
    mcph_json_add_key(buf, OWNER);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "pluginId", entry->plugin->id);
    mcph_json_add_member(buf, "appId", entry->app->id);
    mcph_buf_addc(buf, '}');
}

/* Writes the record of an app's server, with credentials and owner.  Writes nothing if
 * the server has no URL because its command line is too long.  In this case, the record
 * that mcph_chatos_put_server() writes is null. */
static int
put_server(const struct mcph_chatos_entry *entry, struct mcph_buf *buf)
{
    int r = mcph_chatos_put_server(entry, buf);

    if (r < 0 || mcph_buf_ok(buf) < 0)
        return r < 0 ? r : mcph_buf_ok(buf);
    buf->len--; /* drops the closing brace */
    if (buf->data[0] != '{') {
        buf->len = 0;
        return 0;
    }
    put_auth(&entry->offer.mcp->auth, buf);
    put_owner(entry, buf);
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}

static int
put_prompt(const struct mcph_chatos_entry *entry, const char *name, struct mcph_span text,
           struct mcph_buf *buf)
{
    const struct mcph_chatos_prompt *prompt = entry->offer.prompt;

    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", name);
    mcph_json_add_member(buf, "title", prompt->title ? prompt->title : "");
    mcph_json_add_member(buf, "type", "system");
    mcph_json_add_key(buf, "content");
    mcph_json_add_string(buf, text.p, text.len);
    mcph_json_add_key(buf, "allowMain");
    mcph_json_add_bool(buf, true);
    mcph_json_add_key(buf, "allowSub");
    mcph_json_add_bool(buf, true);
    put_owner(entry, buf);
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}

/* ---- comparing with the application's records -------------------------------------- */

/* Returns 1 if the values are equal, 0 if not, or an error code. */
static int
is_same(struct mcph_span a, struct mcph_span b)
{
    struct mcph_buf one, other;
    int r;

    mcph_buf_init(&one, RECORD_MAX);
    mcph_buf_init(&other, RECORD_MAX);
    mcph_json_add_canonical(&one, a);
    r = mcph_json_add_canonical(&other, b);
    if (r == 0)
        r = mcph_buf_ok(&one);
    if (r == 0)
        r = one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
    mcph_buf_wipe(&one);
    mcph_buf_wipe(&other);
    return r;
}

/* Returns 1 if the application's record `have` belongs to the app of `record`, 0 if not,
 * or an error code. */
static int
is_ours(struct mcph_span have, struct mcph_span record)
{
    struct mcph_span theirs = mcph_json_get(have, OWNER);

    return theirs.p ? is_same(mcph_json_get(record, OWNER), theirs) : 0;
}

/* Returns 1 if the record need not be stored, 0 if the record must be stored, or an error
 * code.  The record need not be stored if the application's record of this name has
 * another owner, no owner, or an equal value for each member. */
static int
is_up_to_date(const struct sync *sync, int kind, const char *name,
              struct mcph_span record)
{
    const struct mcph_chatos_item *item =
        mcph_chatos_admin_by_name(sync->admin, kind, name);
    struct mcph_span have, key, value, theirs;
    struct mcph_json_iter it;
    int r = 1;

    if (!item)
        return 0;
    have = mcph_span(item->json, item->json_len);
    r = is_ours(have, record);
    if (r <= 0)
        return r < 0 ? r : 1;
    mcph_json_iter_init(&it, record);
    while (r == 1 && mcph_json_iter_next(&it, &key, &value)) {
        char *member;

        r = mcph_json_string_dup(key, &member);
        if (r < 0)
            return r;
        theirs = mcph_json_get(have, member);
        free(member);
        r = theirs.p ? is_same(value, theirs) : mcph_json_is_null(value);
    }
    return r;
}

static int
keep_stored(struct sync *sync, int kind, const char *name, struct mcph_buf *record)
{
    struct mcph_chatos_stored *stored = calloc(1, sizeof(*stored));
    size_t len;

    if (!stored)
        return MCPHOST_E_NOMEM;
    stored->kind = kind;
    stored->name = mcph_strdup(name);
    stored->json = mcph_buf_steal(record, &len);
    if (stored->name && stored->json && mcph_vec_add(&sync->stored, stored) == 0)
        return 0;
    free(stored->name);
    mcph_str_wipe(stored->json);
    free(stored);
    return MCPHOST_E_NOMEM;
}

/* Stores a record if necessary.  Adds the record to the list before the call of put(), so
 * that adding it cannot fail after put() has stored it. */
static int
store_record(struct sync *sync, int kind, const char *name, struct mcph_buf *record)
{
    const struct mcph_chatos_stored *stored;
    int r = is_up_to_date(sync, kind, name, mcph_span(record->data, record->len));

    if (r != 0)
        return r < 0 ? r : 0;
    r = keep_stored(sync, kind, name, record);
    if (r < 0)
        return r;
    stored = sync->stored.items[sync->stored.n - 1];
    r = sync->put(kind, stored->name, stored->json, strlen(stored->json), sync->arg);
    if (r >= 0)
        return 0;
    sync->stored.n--;
    free(stored->name);
    mcph_str_wipe(stored->json);
    free((void *)stored);
    return r;
}

/* ---- an app ------------------------------------------------------------------------ */

static int
sync_server(struct sync *sync, const struct mcph_chatos_entry *entry)
{
    struct mcph_buf record;
    int r;

    if (!entry->offer.mcp || entry->no_server)
        return 0;
    mcph_buf_init(&record, RECORD_MAX);
    r = put_server(entry, &record);
    if (r == 0 && record.len > 0)
        r = store_record(sync, MCPHOST_CHATOS_SERVER, entry->server, &record);
    mcph_buf_wipe(&record);
    return r;
}

/* Stores the prompt of one language.  Skips a prompt that does not exist.  Also skips a
 * prompt whose file cannot be read, because the app's contribution reports that error. */
static int
sync_prompt(struct sync *sync, const struct mcph_chatos_entry *entry, int language)
{
    struct mcph_buf text, record;
    char *name = NULL;
    bool none;
    int r;

    mcph_buf_init(&text, MCPH_CHATOS_PROMPT_MAX + 1);
    mcph_buf_init(&record, RECORD_MAX);
    r = mcph_chatos_read_prompt(entry, language, &text, NULL);
    if (r == 0)
        r = mcph_chatos_prompt_name(entry->server, language, &name);
    none = r < 0 && r != MCPHOST_E_NOMEM;
    if (r == 0)
        r = put_prompt(entry, name, mcph_span(text.data, text.len), &record);
    if (r == 0)
        r = store_record(sync, MCPHOST_CHATOS_PROMPT, name, &record);
    free(name);
    mcph_buf_done(&text);
    mcph_buf_done(&record);
    return none ? 0 : r;
}

static int
sync_all(struct sync *sync, const struct mcph_chatos_apps *apps)
{
    int r = 0;

    for (size_t i = 0; i < apps->entries.n && r == 0; i++) {
        const struct mcph_chatos_entry *entry = apps->entries.items[i];

        if (!entry->offers)
            continue;
        r = sync_server(sync, entry);
        for (int j = 0; j < MCPH_CHATOS_N_LANGUAGES && r == 0; j++)
            r = sync_prompt(sync, entry, j);
    }
    return r;
}

static void
sync_done(struct sync *sync)
{
    for (size_t i = 0; i < sync->stored.n; i++) {
        struct mcph_chatos_stored *stored = sync->stored.items[i];

        free(stored->name);
        mcph_str_wipe(stored->json);
        free(stored);
    }
    mcph_vec_done(&sync->stored);
}

int
mcph_chatos_sync(mcphost_chatos *chatos, mcphost_chatos_put_fn put, void *arg,
                 mcphost_error **reterr)
{
    struct sync sync = {.put = put, .arg = arg};
    struct mcph_chatos_apps *apps = NULL;
    struct mcph_chatos_admin *admin = NULL;
    int r = mcph_chatos_get(chatos, &apps, &admin, NULL), kept = 0;
    int n;

    if (r == 0) {
        sync.admin = admin;
        r = sync_all(&sync, apps);
    }
    n = (int)sync.stored.n;
    /* Keep the records that were stored, even if a later record failed. */
    if (n > 0)
        kept = mcph_chatos_keep_stored(chatos, &sync.stored);
    sync_done(&sync);
    mcph_chatos_admin_unref(admin);
    mcph_chatos_apps_unref(apps);
    if (r == 0)
        r = kept;
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : n;
}
