/* SPDX-License-Identifier: MIT
 *
 * probe.c - the protocol versions of this library, and the meaning of an answer to
 * server/discover.
 *
 * The meaning follows MCP 2026-07-28, "Versioning".  It depends only on the answer, and
 * on whether the client has sent the probe again with another version.  A server counts
 * as modern only if its answer looks like the answer of a modern server.  Except for
 * the answers below, every other answer, whatever its error code, comes from a server
 * that does not know the request.  The codes of header and capability errors (-32020,
 * -32021) come from a modern server only over HTTP, with status 400 and the id of the
 * request.  Otherwise these codes count as any other error.  Some answers only show
 * that the server did not read the request: 401, 403, 408, 429, a refused response with
 * a status below 400 (for example a redirect), 5xx without a JSON-RPC error, no
 * connection.  These answers say nothing about the era.
 */
#include <string.h>

#include "client/internal.h"

#define UNSUPPORTED_VERSION (-32022)
#define HEADER_MISMATCH     (-32020)
#define MISSING_CAPABILITY  (-32021)

/* The versions that this library speaks, newest first. */
static const char *const modern[] = {NEWEST_MODERN};
static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                     "2024-11-05", "2024-10-07"};

static const char *
find_version(const char *const *versions, size_t n, struct mcph_span token)
{
    for (size_t i = 0; i < n; i++) {
        if (mcph_json_string_is(token, versions[i], mcph_span_str(versions[i]).len))
            return versions[i];
    }
    return NULL;
}

static const char *
find_modern(struct mcph_span token)
{
    return find_version(modern, MCPH_ARRAY_SIZE(modern), token);
}

const char *
mcph_legacy_version(struct mcph_span token)
{
    return find_version(legacy, MCPH_ARRAY_SIZE(legacy), token);
}

const char *
mcph_modern_named(const char *version)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(modern); i++) {
        if (mcph_streq(version, modern[i]))
            return modern[i];
    }
    return modern[0];
}

/* The first modern version.  This file compares versions as text, because versions are
 * dates. */
static const char first_modern[] = "2026-07-28";

int
mcph_client_era(const char *version)
{
    if (!version)
        return MCPH_CLIENT_AUTO;
    return strcmp(version, first_modern) >= 0 ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
}

/* Returns true if a version is modern by its date.  The version need not be known. */
static bool
is_modern_date(struct mcph_span token)
{
    size_t len = sizeof(first_modern) - 1;

    if (token.len < 2)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (i + 2 >= token.len)
            return false;
        if (token.p[i + 1] != first_modern[i])
            return token.p[i + 1] > first_modern[i];
    }
    return true;
}

struct offer {
    size_t n;
    const char *mutual;   /* the newest modern version known to both sides */
    bool foreign, legacy; /* foreign: the server offers modern versions that this
                           * library does not know; legacy: it offers legacy versions
                           * that this library knows */
};

/* Reads the versions that a server offers.  Returns false if `versions` is not an array
 * of strings. */
static bool
read_offer(struct mcph_span versions, struct offer *offer)
{
    struct mcph_json_iter it;
    struct mcph_span token;
    const char *v;

    *offer = (struct offer){0};
    if (mcph_json_type(versions) != MCPH_JSON_ARRAY)
        return false;
    mcph_json_iter_init(&it, versions);
    while (mcph_json_iter_next(&it, NULL, &token)) {
        if (mcph_json_type(token) != MCPH_JSON_STRING)
            return false;
        offer->n++;
        v = find_modern(token);
        if (v && (!offer->mutual || strcmp(v, offer->mutual) > 0))
            offer->mutual = v;
        else if (!v && is_modern_date(token))
            offer->foreign = true;
        if (mcph_legacy_version(token))
            offer->legacy = true;
    }
    return true;
}

static void
fail_versions(const struct mcph_client *c, struct mcph_span versions,
              struct probe_verdict *ret)
{
    struct mcph_buf text;
    const char *offered;

    mcph_buf_init(&text, 512);
    mcph_utf8_add_clean(&text, versions.p, versions.len > 160 ? 160 : versions.len, true);
    offered = mcph_buf_text(&text);
    ret->kind = PROBE_FAIL;
    mcph_client_error(c, &ret->error, MCPHOST_E_PROTOCOL,
                      "supports none of the host's protocol versions; it offers %s",
                      offered ? offered : "others");
    mcph_buf_done(&text);
}

static void
classify_result(const struct mcph_client *c, struct mcph_span result,
                struct probe_verdict *ret)
{
    struct mcph_span versions = MCPH_SPAN_NONE;
    struct offer offer;

    if (mcph_json_type(result) == MCPH_JSON_OBJECT)
        versions = mcph_json_get(result, "supportedVersions");
    if (!read_offer(versions, &offer))
        return;
    if (offer.mutual) {
        ret->kind = PROBE_MODERN;
        ret->version = offer.mutual;
    } else if (offer.foreign && !offer.legacy) {
        fail_versions(c, versions, ret);
    }
}

static void
classify_error(const struct mcph_client *c, const struct mcph_rpc_answer *answer,
               bool corrected, struct probe_verdict *ret)
{
    struct mcph_span message, data, versions;
    struct offer offer;
    int64_t code;

    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if ((code == HEADER_MISMATCH || code == MISSING_CAPABILITY) &&
        answer->status == 400 && answer->msg->id.kind != MCPH_RPC_ID_NONE) {
        ret->kind = PROBE_FAIL;
        mcph_client_rpc_error(c, &ret->error, "refused server/discover: ", answer);
        return;
    }
    if (code != UNSUPPORTED_VERSION || mcph_json_type(data) != MCPH_JSON_OBJECT)
        return;
    versions = mcph_json_get(data, "supported");
    if (!read_offer(versions, &offer) || offer.n == 0)
        return;
    if (offer.mutual && !corrected) {
        ret->kind = PROBE_CORRECT;
        ret->version = offer.mutual;
    } else if (offer.mutual || (offer.foreign && !offer.legacy)) {
        fail_versions(c, versions, ret);
    }
}

/* Returns false if the answer comes from the transport or a proxy, not from a server that
 * read the request.  A JSON-RPC error comes from a server that read the request, even
 * under status 500.  Some legacy servers answer an unknown method with status 500. */
bool
mcph_probe_is_verdict(const struct mcph_rpc_answer *answer)
{
    int status = answer->status;

    if (status >= 500 && answer->code == MCPHOST_E_RPC)
        return true;

    if (status == 401 || status == 403 || status == 408 || status == 429 ||
        status >= 500 || (status > 0 && status < 400))
        return false;
    return status > 0 || !answer->error;
}

void
mcph_probe_classify(const struct mcph_client *c, const struct mcph_rpc_answer *answer,
                    bool corrected, struct probe_verdict *ret)
{
    *ret = (struct probe_verdict){.kind = PROBE_LEGACY};
    if (!mcph_probe_is_verdict(answer)) {
        ret->kind = PROBE_FAIL;
        mcph_client_answer_error(c, &ret->error, "server/discover", answer);
        return;
    }
    if (answer->code == 0)
        classify_result(c, answer->msg->result, ret);
    else if (answer->code == MCPHOST_E_RPC)
        classify_error(c, answer, corrected, ret);
}
