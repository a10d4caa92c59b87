/* SPDX-License-Identifier: MIT
 *
 * inner.h - characters of URIs (text.c), for the files of the room `uri`.
 */
#ifndef MCPH_URI_INNER_H
#define MCPH_URI_INNER_H

#include "uri/uri.h"

bool mcph_uri_unreserved(char c); /* RFC 3986, section 2.3 */
bool mcph_uri_reserved(char c);   /* section 2.2 */
/* Whether a percent sign and two hexadecimal digits stand at `p`. */
bool mcph_uri_escape(const char *p, const char *end);
/* The length of one percent-encoded character at `p`: that of all escapes of a character
 * of UTF-8, else that of one escape, else 0. */
size_t mcph_uri_escaped(const char *p, const char *end, bool *ret_utf8);
/* Appends `text`, which is UTF-8, with each byte escaped that may not stand in a URI; if
 * not `reserved`, the reserved characters and '%', too.  `max` not 0: at most so many
 * characters. */
int mcph_uri_add(struct mcph_buf *buf, struct mcph_span text, bool reserved, size_t max);
/* Appends a URI in the form in which two of them are compared (RFC 3986, section 6.2.2.1
 * and 6.2.2.2): unreserved characters are not escaped, what may not stand in a URI is,
 * and escapes have upper case. */
int mcph_uri_add_normal(struct mcph_buf *buf, struct mcph_span uri);
/* Appends what a part of a URI in that form says.  With `reserved` a reserved character,
 * '%' and what is no UTF-8 stay escaped, since mcph_uri_add() would not escape them. */
int mcph_uri_add_decoded(struct mcph_buf *buf, struct mcph_span part, bool reserved);

#endif
