/* SPDX-License-Identifier: MIT
 *
 * page.c - the answers of a door: small pages that load nothing and run nothing.
 */
#include "door/inner.h"

static const struct {
    int status;
    const char *reason, *text;
} statuses[] = {
    {200, "OK", "The request was accepted."},
    {400, "Bad Request", "The request is malformed."},
    {403, "Forbidden", "The request is refused."},
    {404, "Not Found", "There is no page at this address."},
    {405, "Method Not Allowed", "The method of the request is not allowed."},
    {410, "Gone", "This page was used already."},
    {431, "Request Header Fields Too Large", "The request is too large."},
    {505, "HTTP Version Not Supported", "The version of HTTP is not supported."},
};

static size_t
find_status(int status)
{
    size_t i = 0;

    while (i < MCPH_ARRAY_SIZE(statuses) - 1 && statuses[i].status != status)
        i++;
    return i;
}

static void
add_escaped(struct mcph_buf *buf, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            mcph_buf_adds(buf, "&amp;");
        else if (*text == '<')
            mcph_buf_adds(buf, "&lt;");
        else
            mcph_buf_addc(buf, *text);
    }
}

int
mcph_door_add_page(struct mcph_buf *buf, int status, const char *text, bool body)
{
    size_t i = find_status(status);
    struct mcph_buf page;

    mcph_buf_init(&page, 8 * MCPH_DOOR_TEXT_MAX);
    mcph_buf_adds(&page, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
                         "<title>Authorization</title></head><body><p>");
    add_escaped(&page, text ? text : statuses[i].text);
    mcph_buf_adds(&page, "</p></body></html>\n");
    mcph_buf_addf(buf, "HTTP/1.1 %d %s\r\n", statuses[i].status, statuses[i].reason);
    if (status == 405)
        mcph_buf_adds(buf, "Allow: GET, HEAD\r\n");
    mcph_buf_addf(buf,
                  "Content-Type: text/html; charset=utf-8\r\n"
                  "Content-Length: %zu\r\n"
                  "Cache-Control: no-store\r\n"
                  "Content-Security-Policy: default-src 'none'; base-uri 'none'; "
                  "form-action 'none'; frame-ancestors 'none'\r\n"
                  "Referrer-Policy: no-referrer\r\n"
                  "X-Content-Type-Options: nosniff\r\n"
                  "Connection: close\r\n\r\n",
                  page.len);
    if (body && mcph_buf_ok(&page) == 0)
        mcph_buf_add(buf, page.data, page.len);
    if (mcph_buf_ok(buf) == 0 && mcph_buf_ok(&page) < 0)
        buf->err = mcph_buf_ok(&page);
    mcph_buf_done(&page);
    return mcph_buf_ok(buf);
}
