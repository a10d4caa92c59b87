/* SPDX-License-Identifier: MIT
 *
 * fault.c - what a failed transfer means, in words that say where and why.
 *
 * The place is host and port, nothing else of the URL.  libcurl's own text is added
 * where it tells more than we can: it speaks of certificates and hosts, never of
 * headers.
 */
#include <stdlib.h>
#include <string.h>

#include "net/internal.h"

/* libcurl's text, or its general one for the code. */
static const char *
detail(const struct mcph_net_request *req, CURLcode code)
{
    return req->handle->text[0] ? req->handle->text : curl_easy_strerror(code);
}

static void
explain_connect(const struct mcph_net_request *req, const char *place,
                mcphost_error **reterr)
{
    long os_errno = 0;

    if (req->refused) {
        mcph_err(reterr, MCPHOST_E_TRANSPORT,
                 "'%s' leads to an address of a private network, which is not allowed",
                 place);
        return;
    }
    curl_easy_getinfo(req->handle->easy, CURLINFO_OS_ERRNO, &os_errno);
    if (os_errno)
        mcph_err_sys(reterr, MCPHOST_E_TRANSPORT, (int)os_errno, "cannot connect to '%s'",
                     place);
    else
        mcph_err(reterr, MCPHOST_E_TRANSPORT, "cannot connect to '%s'", place);
}

static void
explain_timeout(const struct mcph_net_request *req, const char *place,
                mcphost_error **reterr)
{
    int64_t ms = req->site->connect_ms > 0 ? req->site->connect_ms : MCPH_NET_CONNECT_MS;
    curl_off_t named = 0;

    curl_easy_getinfo(req->handle->easy, CURLINFO_NAMELOOKUP_TIME_T, &named);
    mcph_err(reterr, MCPHOST_E_TIMEOUT, "%s '%s' within %lld ms",
             named > 0 ? "no connection to" : "no answer from the name service for",
             place, (long long)ms);
}

static void
explain_tls(const struct mcph_net_request *req, CURLcode code, const char *place,
            mcphost_error **reterr)
{
    const char *what = "cannot speak TLS with";

    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
        what = "does not trust the certificate of";
        break;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
        what = "cannot read the CA certificates for";
        break;
    case CURLE_SSL_CERTPROBLEM:
        what = "cannot use the client certificate for";
        break;
    default:
        break;
    }
    mcph_err(reterr, MCPHOST_E_TRANSPORT, "%s '%s': %s", what, place, detail(req, code));
}

static void
explain(const struct mcph_net_request *req, CURLcode code, const char *place,
        mcphost_error **reterr)
{
    const int lost = MCPHOST_E_TRANSPORT;

    switch (code) {
    case CURLE_OUT_OF_MEMORY:
        /* Also what libcurl calls a header line beyond its own limit. */
        if (req->n_head > 0 && !req->head_told)
            mcph_err(reterr, MCPHOST_E_LIMIT,
                     "'%s' answers with a header that is too long", place);
        else
            mcph_err_nomem(reterr);
        return;
    case CURLE_COULDNT_RESOLVE_HOST:
        mcph_err(reterr, lost, "the name in '%s' cannot be resolved", place);
        return;
    case CURLE_COULDNT_RESOLVE_PROXY:
        mcph_err(reterr, lost, "the name of the proxy for '%s' cannot be resolved",
                 place);
        return;
    case CURLE_COULDNT_CONNECT:
    case CURLE_ABORTED_BY_CALLBACK:
        explain_connect(req, place, reterr);
        return;
    case CURLE_OPERATION_TIMEDOUT:
        explain_timeout(req, place, reterr);
        return;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
        explain_tls(req, code, place, reterr);
        return;
    case CURLE_GOT_NOTHING:
        mcph_err(reterr, lost, "'%s' closed the connection without an answer", place);
        return;
    case CURLE_PARTIAL_FILE:
        mcph_err(reterr, lost, "'%s' closed the connection in the middle of its answer",
                 place);
        return;
    case CURLE_BAD_CONTENT_ENCODING:
        mcph_err(reterr, lost, "the answer of '%s' cannot be decompressed: %s", place,
                 detail(req, code));
        return;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        mcph_err(reterr, lost, "'%s' does not answer in HTTP: %s", place,
                 detail(req, code));
        return;
    default:
        mcph_err(reterr, lost, "the exchange with '%s' failed: %s", place,
                 detail(req, code));
    }
}

void
net_explain(const struct mcph_net_request *req, CURLcode code, mcphost_error **reterr)
{
    char *place = mcph_net_url_place(req->handle->url);

    explain(req, code, place ? place : "?", reterr);
    free(place);
}
