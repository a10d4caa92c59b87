/* SPDX-License-Identifier: MIT
 *
 * login_record.c - the tokens of one login as a JSON object, for stores.
 *
 *   {"access_token": "...", "refresh_token": "...", "scope": "...", "expires_at": 1,
 *    "client_id": "...", "client_secret": "...", "client_secret_expires_at": 0,
 *    "token_endpoint_auth_method": "none", "client_name": "...", "redirect_uri": "...",
 *    "client_scope": "...", "client_in_doubt": true, "dpop_key": "..."}
 *
 * A record of tokens that were refused has a `reason`, and no tokens.  All members are
 * optional.  dpop_key is a private key as PEM, in base64url, because
 * mcph_oauth_doc_secret() refuses the line ends of PEM.
 */
#include "auth/auth.h"
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

#define REASON_MAX 4096
#define AT_MAX     ((int64_t)1 << 40) /* seconds since 1970 */

/* Checks the key, because each refresh with a key that cannot be read would fail. */
static int
check_key(const struct mcph_oauth_doc *doc, const char *pem, mcphost_error **reterr)
{
    struct mcph_keypair *key = NULL;
    mcphost_error *why = NULL;
    int r = mcph_keypair_read(pem, strlen(pem), "\"dpop_key\"", &key, &why);

    mcph_keypair_free(key);
    if (r == MCPHOST_E_NOMEM)
        mcph_err_nomem(reterr);
    else if (r < 0)
        r = mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, NULL, NULL, "%s",
                            mcphost_error_get_message(why));
    mcphost_error_unref(why);
    return r;
}

static int
read_key(const struct mcph_oauth_doc *doc, char **ret, mcphost_error **reterr)
{
    struct mcph_base64 b64;
    char *text = NULL, *pem = NULL;
    size_t len = 0, more = 0;
    int r = mcph_oauth_doc_secret(doc, "dpop_key", false, &text, reterr);

    if (r < 0 || !text)
        return r;
    pem = calloc(1, MCPH_BASE64_ROOM(strlen(text)) + 1);
    if (!pem)
        r = mcph_err_nomem(reterr);
    mcph_base64_init(&b64);
    if (r == 0 &&
        (mcph_base64_feed(&b64, text, strlen(text), (unsigned char *)pem, &len) < 0 ||
         mcph_base64_end(&b64, (unsigned char *)pem + len, &more) < 0))
        r = mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, NULL, NULL,
                            "\"dpop_key\" is not base64");
    mcph_str_wipe(text);
    if (r == 0)
        r = check_key(doc, pem, reterr);
    if (r < 0)
        mcph_str_wipe(pem);
    else
        *ret = pem;
    return r;
}

static int
read_client(const struct mcph_oauth_doc *doc, struct mcph_oauth_client *client,
            mcphost_error **reterr)
{
    char *method = NULL;
    int r =
        mcph_oauth_doc_text(doc, "client_id", MCPH_OAUTH_URL_MAX, &client->id, reterr);

    if (r == 0)
        r = mcph_oauth_doc_secret(doc, "client_secret", true, &client->secret, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "token_endpoint_auth_method", 64, &method, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "client_name", MCPH_OAUTH_URL_MAX, &client->name,
                                reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "redirect_uri", MCPH_OAUTH_URL_MAX,
                                &client->redirect_uri, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "client_scope", MCPH_SCOPES_MAX, &client->scope,
                                reterr);
    client->is_doubted = mcph_oauth_doc_flag(doc, "client_in_doubt");
    client->method = method ? (int)mcph_oauth_method_bit(method) : 0;
    client->expires_s = mcph_oauth_doc_seconds(doc, "client_secret_expires_at", AT_MAX);
    if (client->expires_s < 0)
        client->expires_s = 0;
    free(method);
    return r;
}

int
mcph_login_record_read(const char *text, size_t len, struct mcph_login_record *ret,
                       mcphost_error **reterr)
{
    struct mcph_login_record made = {.expires_at = -1};
    struct mcph_oauth_doc doc;
    int r = mcph_oauth_doc_open(&doc, "stored tokens", NULL, text, len, reterr);

    if (r < 0)
        return r;
    r = mcph_oauth_doc_secret(&doc, "access_token", false, &made.access, reterr);
    if (r == 0)
        r = mcph_oauth_doc_secret(&doc, "refresh_token", true, &made.refresh, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(&doc, "scope", MCPH_SCOPES_MAX, &made.scope, reterr);
    if (r == 0)
        r = read_client(&doc, &made.client, reterr);
    if (r == 0)
        r = read_key(&doc, &made.dpop_key, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(&doc, "reason", REASON_MAX, &made.reason, reterr);
    made.expires_at = mcph_oauth_doc_seconds(&doc, "expires_at", AT_MAX);
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_login_record_done(&made);
    else
        *ret = made;
    return r;
}

static void
add_text(struct mcph_buf *buf, const char *name, const char *text)
{
    if (text)
        mcph_json_add_member(buf, name, text);
}

static void
add_number(struct mcph_buf *buf, const char *name, int64_t number)
{
    mcph_json_add_key(buf, name);
    mcph_buf_addi(buf, number);
}

int
mcph_login_record_add(const struct mcph_login_record *record, struct mcph_buf *buf)
{
    mcph_buf_addc(buf, '{');
    add_text(buf, "access_token", record->access);
    add_text(buf, "refresh_token", record->refresh);
    add_text(buf, "scope", record->scope);
    if (record->expires_at >= 0)
        add_number(buf, "expires_at", record->expires_at);
    add_text(buf, "reason", record->reason);
    add_text(buf, "client_id", record->client.id);
    add_text(buf, "client_secret", record->client.secret);
    if (record->client.expires_s > 0)
        add_number(buf, "client_secret_expires_at", record->client.expires_s);
    if (record->client.method)
        add_text(buf, "token_endpoint_auth_method",
                 mcph_oauth_method_word((unsigned)record->client.method));
    add_text(buf, "client_name", record->client.name);
    add_text(buf, "redirect_uri", record->client.redirect_uri);
    add_text(buf, "client_scope", record->client.scope);
    if (record->client.is_doubted) {
        mcph_json_add_key(buf, "client_in_doubt");
        mcph_buf_adds(buf, "true");
    }
    if (record->dpop_key) {
        mcph_json_add_key(buf, "dpop_key");
        mcph_buf_addc(buf, '"');
        mcph_base64url_add(buf, record->dpop_key, strlen(record->dpop_key));
        mcph_buf_addc(buf, '"');
    }
    return mcph_buf_addc(buf, '}');
}

void
mcph_login_record_done(struct mcph_login_record *record)
{
    mcph_str_wipe(record->access);
    mcph_str_wipe(record->refresh);
    free(record->scope);
    mcph_oauth_client_done(&record->client);
    mcph_str_wipe(record->dpop_key);
    free(record->reason);
    *record = (struct mcph_login_record){.expires_at = -1};
}

/* ---- summaries --------------------------------------------------------------------- */

int
mcph_login_summarize(struct mcph_store *store, const struct mcph_store_key *key,
                     struct mcph_login_summary *ret, mcphost_error **reterr)
{
    struct mcph_login_record record = {.expires_at = -1};
    struct mcph_store_record text = {0};
    int r = mcph_store_read(store, key, &text, reterr);

    if (r < 0)
        return r;
    r = mcph_login_record_read(text.text, text.len, &record, reterr);
    mcph_store_record_done(&text);
    if (r < 0)
        return r;
    *ret = (struct mcph_login_summary){.scope = record.scope,
                                       .expires_at = record.expires_at,
                                       .can_refresh = record.refresh != NULL,
                                       .is_refused = record.access == NULL};
    record.scope = NULL;
    mcph_login_record_done(&record);
    return 0;
}

int
mcph_login_serves(const char *resource, const char *url)
{
    int r = mcph_net_url_compare_origins(resource, url);
    char *outer, *inner;
    size_t len;

    if (r != 1)
        return r;
    outer = mcph_oauth_path(resource, true);
    inner = mcph_oauth_path(url, true);
    if (outer && inner) {
        len = strlen(outer);
        r = strncmp(outer, inner, len) == 0 && (inner[len] == '\0' || inner[len] == '/');
    } else {
        r = MCPHOST_E_NOMEM;
    }
    free(outer);
    free(inner);
    return r;
}
