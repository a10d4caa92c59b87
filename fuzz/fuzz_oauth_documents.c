/* SPDX-License-Identifier: MIT
 *
 * fuzz_oauth_documents.c - reads metadata and answers of authorization servers.
 *
 * The first line is the URL of the MCP server.  The second line is the issuer that was
 * asked for.  The remaining lines are the document, which every reader reads.  The
 * library must be allowed to fetch each endpoint that it takes from the document.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "uri/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message must not contain HIDDEN, the query of AT, unless the input contains it. */
#define HIDDEN "hidden-query"
#define AT     "https://id.ex/x?" HIDDEN

static struct mcph_oauth_server server;
static bool is_hidden;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static char *
take_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t len = end ? (size_t)(end - *data) : *size;
    char *line = mcph_strndup((const char *)*data, len);

    must(line != NULL);
    len += end != NULL;
    *data += len;
    *size -= len;
    return line;
}

/* Checks that there is an error if and only if `r` is negative, and that the error's
 * message can be shown. */
static bool
is_good(int r, mcphost_error **err)
{
    const char *message = mcphost_error_get_message(*err);

    must(r <= 0 && (r < 0) == (*err != NULL) && mcphost_error_get_code(*err) == r);
    must(mcph_utf8_is_text(message) && !(is_hidden && strstr(message, HIDDEN)));
    for (; *message; message++)
        must((unsigned char)*message >= ' ');
    mcphost_error_unref(*err);
    *err = NULL;
    return r == 0;
}

static void
must_be_allowed(const char *url)
{
    must(!url || mcph_oauth_check_url(&server, "url", url, NULL) == 0);
    must(!url || !strpbrk(url, " \"<>\\^`{|}#"));
}

static void
check_places(const char *issuer)
{
    struct mcph_oauth_places places = {0};
    mcphost_error *err = NULL;

    (void)is_good(mcph_oauth_issuer_places(&server, issuer, &places, &err), &err);
    for (size_t i = 0; i < places.n; i++)
        must_be_allowed(places.urls[i]);
    mcph_oauth_places_done(&places);
    (void)is_good(mcph_oauth_resource_places(&server, issuer, &places, &err), &err);
    for (size_t i = 0; i < places.n; i++)
        must_be_allowed(places.urls[i]);
    mcph_oauth_places_done(&places);
}

static void
read_resource(const char *text, size_t len)
{
    struct mcph_oauth_resource got = {0};
    mcphost_error *err = NULL;

    if (is_good(mcph_oauth_resource_read(&server, AT, text, len, &got, &err), &err)) {
        char *root = mcph_oauth_root(got.resource), *own = mcph_oauth_root(server.url);

        must(strcmp(got.resource, server.url) == 0 || mcph_streq(root, own));
        free(root);
        free(own);
    }
    for (size_t i = 0; i < got.n_issuers; i++)
        must_be_allowed(got.issuers[i]);
    mcph_oauth_resource_done(&got);
}

static void
read_issuer(const char *wanted, bool relaxed, const char *text, size_t len)
{
    struct mcph_oauth_issuer got = {0};
    mcphost_error *err = NULL;

    if (is_good(
            mcph_oauth_issuer_read(&server, AT, wanted, relaxed, text, len, &got, &err),
            &err)) {
        must(got.issuer && got.token);
        must(relaxed || strncmp(wanted, got.issuer, strlen(got.issuer)) == 0);
        must_be_allowed(got.authorization);
        must_be_allowed(got.token);
        must_be_allowed(got.registration);
        must_be_allowed(got.device);
        must_be_allowed(got.revocation);
    }
    mcph_oauth_issuer_done(&got);
}

static void
read_answers(const char *text, size_t len)
{
    struct mcph_oauth_client client = {0};
    struct mcph_oauth_device device = {0};
    mcphost_error *err = NULL;

    if (is_good(mcph_oauth_registration_read(AT, 201, text, len, NULL, &client, &err),
                &err))
        must(*client.id && client.expires_s >= 0);
    mcph_oauth_client_done(&client);
    if (is_good(mcph_oauth_device_read(&server, AT, 200, text, len, NULL, &device, &err),
                &err)) {
        must(*device.device_code && *device.user_code && device.interval_s > 0);
        must(device.expires_s > 0 && strlen(device.user_code) <= 64);
        must_be_allowed(device.uri);
        must_be_allowed(device.uri_complete);
    }
    mcph_oauth_device_done(&device);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *all = data;
    size_t all_size = size;
    char *url = take_line(&data, &size), *issuer = take_line(&data, &size);
    const char *text = (const char *)data;
    char *root = mcph_oauth_root(url);

    is_hidden = all_size == 0 || !memmem(all, all_size, HIDDEN, sizeof(HIDDEN) - 1);
    /* Go on only if the server's URL is an http or https URL, because the callers in the
     * library have checked this. */
    server = (struct mcph_oauth_server){.url = url};
    if (root) {
        check_places(issuer);
        read_resource(text, size);
        read_issuer(issuer, false, text, size);
        read_issuer(issuer, true, text, size);
        read_answers(text, size);
    }
    free(root);
    free(issuer);
    free(url);
    return 0;
}
