/* SPDX-License-Identifier: MIT
 *
 * fault.c - turn a failed transfer into an error message that says where it failed and
 * why.
 *
 * Of the URL, the message contains only host and port.  The message includes libcurl's
 * own text if that text adds information.  libcurl's texts mention certificates and
 * hosts, but never headers.
 */
#include <stdlib.h>
#include <string.h>

#include "net/internal.h"

/* Returns libcurl's text for this transfer, or else its general text for `code`. */
static const char *
curl_text(const struct mcph_net_request *req, CURLcode code)
{
    return req->handle->text[0] ? req->handle->text : curl_easy_strerror(code);
}

/* Explains a failure that the site's own proxy caused.  Returns false if the proxy did
 * not cause the failure, or if there is no memory. */
static bool
explain_proxy(const struct mcph_net_request *req, CURLcode code, const char *place,
              mcphost_error **reterr)
{
    const int lost = MCPHOST_E_TRANSPORT;
    long os_errno = 0, status = 0;
    bool told = true;
    char *proxy;

    if (!req->handle->proxied)
        return false;
    proxy = mcph_net_proxy_place(req->site->proxy);
    if (!proxy)
        return false;
    curl_easy_getinfo(req->handle->easy, CURLINFO_HTTP_CONNECTCODE, &status);
    curl_easy_getinfo(req->handle->easy, CURLINFO_OS_ERRNO, &os_errno);
    if (code == CURLE_COULDNT_RESOLVE_PROXY)
        mcph_err(reterr, lost, "the name of the proxy '%s' for '%s' cannot be resolved",
                 proxy, place);
    else if (status >= 300)
        mcph_err(reterr, lost, "the proxy '%s' refuses to connect to '%s' (HTTP %ld%s)",
                 proxy, place, status, status == 407 ? ", it requires a login" : "");
    else if (code == CURLE_COULDNT_CONNECT && os_errno)
        mcph_err_sys(reterr, lost, (int)os_errno,
                     "cannot connect to the proxy '%s' for '%s'", proxy, place);
    else if (code == CURLE_COULDNT_CONNECT || code == CURLE_PROXY)
        mcph_err(reterr, lost, "cannot connect to '%s' through the proxy '%s': %s", place,
                 proxy, curl_text(req, code));
    else
        told = false;
    free(proxy);
    return told;
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

/* Returns true if the TCP connection was made, even if it failed later. */
static bool
is_connected(const struct mcph_net_request *req)
{
    long port = 0;

    curl_easy_getinfo(req->handle->easy, CURLINFO_LOCAL_PORT, &port);
    return port > 0;
}

static void
explain_timeout(const struct mcph_net_request *req, const char *place,
                mcphost_error **reterr)
{
    int64_t ms = req->site->connect_ms > 0 ? req->site->connect_ms : MCPH_NET_CONNECT_MS;
    const char *what = "no answer from the name service for";
    curl_off_t named = 0;

    curl_easy_getinfo(req->handle->easy, CURLINFO_NAMELOOKUP_TIME_T, &named);
    if (is_connected(req))
        what = "a connection, but no TLS handshake with";
    else if (named > 0)
        what = "no connection to";
    mcph_err(reterr, MCPHOST_E_TIMEOUT, "%s '%s' within %lld ms", what, place,
             (long long)ms);
}

/* `found` is a phrase in a message of the TLS library, and `words` explains the phrase.
 * In the error, the message of the TLS library follows `words` in parentheses. */
static const struct {
    const char *found, *words;
} handshakes[] = {
    {"wrong version number", "the other end does not speak TLS"},
    {"packet length too long", "the other end does not speak TLS"},
    {"http request", "the other end does not speak TLS"},
    {"unsupported protocol", "it supports only TLS versions before 1.2"},
    {"version too low", "it supports only TLS versions before 1.2"},
    {"alert protocol version", "it supports only TLS versions before 1.2"},
    {"certificate required", "it requires a client certificate"},
    {"handshake failure",
     "it refused the handshake; it may require a client certificate"},
    {"unknown ca", "it does not trust the client certificate"},
    {"bad certificate", "it rejects the client certificate"},
};

static const char *
words_of_handshake(const char *text)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(handshakes); i++) {
        if (strstr(text, handshakes[i].found))
            return handshakes[i].words;
    }
    return NULL;
}

static const char *
words_of_distrust(const struct mcph_net_request *req, const char *text)
{
    long found = 0;

    curl_easy_getinfo(req->handle->easy, CURLINFO_SSL_VERIFYRESULT, &found);
    switch (found) { /* numbers of OpenSSL's X509_V_ERR_* */
    case 9:
        return "it is not valid yet; check the clock";
    case 10:
        return "it has expired";
    case 18:
        return "it is self-signed";
    case 19:
    case 20:
    case 21:
        return "the authority that signed it is not known here";
    case 23:
        return "it was revoked";
    default:
        return strstr(text, "target host name") || strstr(text, "subject name")
                   ? "it was issued for another host name"
                   : NULL;
    }
}

static void
explain_tls(const struct mcph_net_request *req, CURLcode code, const char *place,
            mcphost_error **reterr)
{
    const char *what = "cannot speak TLS with", *text = curl_text(req, code);
    const char *words = words_of_handshake(text);

    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
        what = "cannot trust the certificate of";
        words = words_of_distrust(req, text);
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
    if (words)
        mcph_err(reterr, MCPHOST_E_TRANSPORT, "%s '%s': %s (%s)", what, place, words,
                 text);
    else
        mcph_err(reterr, MCPHOST_E_TRANSPORT, "%s '%s': %s", what, place, text);
}

/* Returns the reason in libcurl's message about a socket, without the name of the system
 * call in front.  Returns NULL if the message is not about a socket. */
static const char *
words_of_loss(const char *text)
{
    static const char *const starts[] = {"Recv failure: ", "Send failure: "};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(starts); i++) {
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return text + strlen(starts[i]);
    }
    return strncmp(text, "getpeername", 11) == 0 ? "it is closed" : NULL;
}

/* Explains a lost connection.  A server that rejects the TLS handshake may send an alert
 * with the reason before it closes the connection.  If libcurl's text contains the alert,
 * the function explains the alert. */
static void
explain_loss(const struct mcph_net_request *req, CURLcode code, const char *place,
             mcphost_error **reterr)
{
    const char *text = curl_text(req, code), *words = words_of_loss(text);

    if (words)
        mcph_err(reterr, MCPHOST_E_TRANSPORT, "the connection to '%s' was lost: %s",
                 place, words);
    else if (words_of_handshake(text))
        explain_tls(req, code, place, reterr);
    else
        mcph_err(reterr, MCPHOST_E_TRANSPORT, "the exchange with '%s' failed: %s", place,
                 text);
}

static bool
is_tls(CURLcode code)
{
    switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
        return true;
    default:
        return false;
    }
}

static void
explain_code(const struct mcph_net_request *req, CURLcode code, const char *place,
             mcphost_error **reterr)
{
    const int lost = MCPHOST_E_TRANSPORT;

    if (explain_proxy(req, code, place, reterr))
        return;
    if (is_tls(code)) {
        explain_tls(req, code, place, reterr);
        return;
    }
    switch (code) {
    case CURLE_OUT_OF_MEMORY:
        /* libcurl also uses this code for a header line beyond its own limit.  Therefore
         * report a header that is too long if the response's headers are incomplete. */
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
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        explain_loss(req, code, place, reterr);
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
                 curl_text(req, code));
        return;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        mcph_err(reterr, lost, "'%s' does not answer in HTTP: %s", place,
                 curl_text(req, code));
        return;
    default:
        mcph_err(reterr, lost, "the exchange with '%s' failed: %s", place,
                 curl_text(req, code));
    }
}

int
mcph_net_fault_of(const struct mcph_net_request *req, CURLcode code)
{
    if (is_tls(code))
        return MCPH_NET_FAULT_TLS;
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return MCPH_NET_FAULT_NAME;
    case CURLE_COULDNT_CONNECT:
        return req->refused ? MCPH_NET_FAULT_OTHER : MCPH_NET_FAULT_CONNECT;
    case CURLE_OPERATION_TIMEDOUT:
        return is_connected(req) ? MCPH_NET_FAULT_TALK : MCPH_NET_FAULT_CONNECT;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return MCPH_NET_FAULT_TALK;
    default:
        return MCPH_NET_FAULT_OTHER;
    }
}

void
mcph_net_explain(const struct mcph_net_request *req, CURLcode code,
                 mcphost_error **reterr)
{
    char *place = mcph_net_url_place(req->handle->url);

    explain_code(req, code, place ? place : "?", reterr);
    free(place);
}
