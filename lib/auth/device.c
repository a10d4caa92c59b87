/* SPDX-License-Identifier: MIT
 *
 * device.c - the device grant (RFC 8628): a login on another device, by a short code.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"

#define EXPIRES_DEFAULT  600
#define EXPIRES_MAX      (24 * 3600)
#define INTERVAL_DEFAULT 5
#define INTERVAL_MAX     300

static const char step[] = "device authorization";

int
mcph_oauth_device_add(const char *scope, const char *resource,
                      const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                      struct mcph_buf *header, mcphost_error **reterr)
{
    const struct mcph_oauth_pair pairs[] = {
        {"scope", scope && *scope ? scope : NULL, false},
        {"resource", resource, false},
    };

    return mcph_oauth_form_fill(pairs, MCPH_ARRAY_SIZE(pairs), proof, body, header,
                                reterr);
}

/* Drops a `verification_uri_complete` that the check refuses, because the login works
 * without it. */
static int
check_complete(const struct mcph_oauth_server *server, struct mcph_oauth_device *to,
               mcphost_error **reterr)
{
    int r = mcph_oauth_check_url(server, "verification URI", to->uri_complete, NULL);

    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0) {
        free(to->uri_complete);
        to->uri_complete = NULL;
    }
    return 0;
}

static int
read_uris(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
          struct mcph_oauth_device *to, mcphost_error **reterr)
{
    /* Drafts of RFC 8628 called the member "verification_url". */
    const char *name = json_object_get(doc->object, "verification_uri")
                           ? "verification_uri"
                           : "verification_url";
    int r = mcph_oauth_doc_text(doc, name, MCPH_OAUTH_URL_MAX, &to->uri, reterr);

    if (r == 0 && !to->uri)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, doc->url, NULL,
                               "the answer has no \"verification_uri\"");
    if (r == 0)
        r = mcph_oauth_check_url(server, "verification URI", to->uri, reterr);
    if (r == 0)
        r = mcph_oauth_doc_text(doc, "verification_uri_complete", MCPH_OAUTH_URL_MAX,
                                &to->uri_complete, reterr);
    if (r == 0 && to->uri_complete)
        r = check_complete(server, to, reterr);
    return r;
}

/* Returns true if the user can read and type the code: visible ASCII characters, and
 * single blanks and hyphens between them.  A blank or a hyphen at the end is refused,
 * because strchr() also finds the NUL. */
static bool
is_user_code(const char *code)
{
    char before = ' ';

    for (const char *p = code; *p; before = *p++)
        if (*p < ' ' || *p > '~' ||
            (strchr(" -", *p) && (strchr(" -", before) || strchr(" -", p[1]))))
            return false;
    return *code;
}

static int
read_codes(const struct mcph_oauth_doc *doc, struct mcph_oauth_device *to,
           mcphost_error **reterr)
{
    int r = mcph_oauth_doc_secret(doc, "device_code", true, &to->device_code, reterr);

    if (r == 0)
        r = mcph_oauth_doc_text(doc, "user_code", MCPH_OAUTH_USER_CODE_MAX,
                                &to->user_code, reterr);
    if (r < 0)
        return r;
    if (!to->device_code || !*to->device_code || !to->user_code || !*to->user_code)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, doc->url, NULL,
                               "the answer has no \"device_code\" or no \"user_code\"");
    if (!is_user_code(to->user_code))
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, doc->url, NULL,
                               "the member \"user_code\" must consist of visible ASCII "
                               "characters, with single blanks and hyphens between them");
    return 0;
}

int
mcph_oauth_device_read(const struct mcph_oauth_server *server, const char *url,
                       int status, const char *text, size_t len, struct mcph_mask *mask,
                       struct mcph_oauth_device *ret, mcphost_error **reterr)
{
    struct mcph_oauth_device made = {0};
    struct mcph_oauth_doc doc;
    int r = mcph_oauth_answer_open(&doc, step, url, status, text, len, NULL, mask, NULL,
                                   reterr);

    if (r < 0)
        return r;
    r = read_codes(&doc, &made, reterr);
    if (r == 0)
        r = read_uris(server, &doc, &made, reterr);
    made.expires_s = mcph_oauth_doc_seconds(&doc, "expires_in", EXPIRES_MAX);
    made.interval_s = mcph_oauth_doc_seconds(&doc, "interval", INTERVAL_MAX);
    if (made.expires_s <= 0)
        made.expires_s = EXPIRES_DEFAULT;
    if (made.interval_s <= 0)
        made.interval_s = INTERVAL_DEFAULT;
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_oauth_device_done(&made);
    else
        *ret = made;
    return r;
}

int64_t
mcph_oauth_device_next(int64_t interval_s, const struct mcph_oauth_refusal *refusal)
{
    if (refusal->why == MCPH_OAUTH_WHY_SLOW_DOWN)
        interval_s += 5;
    if (refusal->why == MCPH_OAUTH_WHY_LOST)
        interval_s *= 2; /* slow down after a lost answer (RFC 8628, section 3.5) */
    if (refusal->interval_s > interval_s)
        interval_s = refusal->interval_s;
    return interval_s > INTERVAL_MAX ? INTERVAL_MAX : interval_s;
}

void
mcph_oauth_device_done(struct mcph_oauth_device *device)
{
    mcph_str_wipe(device->device_code);
    free(device->user_code);
    free(device->uri);
    free(device->uri_complete);
    *device = (struct mcph_oauth_device){0};
}
