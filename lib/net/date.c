/* SPDX-License-Identifier: MIT
 *
 * date.c - dates in headers.
 */
#include <curl/curl.h>

#include "net/net.h"

int64_t
mcph_net_read_date(const char *value)
{
    return (int64_t)curl_getdate(value, NULL);
}
