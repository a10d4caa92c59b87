/* SPDX-License-Identifier: MIT
 *
 * inner.h - characters of URIs (text.c), shared by the files of lib/uri.
 */
#ifndef MCPH_URI_INNER_H
#define MCPH_URI_INNER_H

#include "uri/uri.h"

bool mcph_uri_unreserved(char c); /* true for unreserved characters (RFC 3986, 2.3) */
bool mcph_uri_reserved(char c);   /* true for reserved characters (RFC 3986, 2.2) */
/* Returns true if a percent sign and two hexadecimal digits are at `p`. */
bool mcph_uri_escape(const char *p, const char *end);
/* Returns the length of the percent-encoded character at `p`.  If one or several escapes
 * form a UTF-8 character, returns the length of all of them and sets *ret_utf8 to true.
 * Otherwise sets *ret_utf8 to false, and returns the length of one escape, or 0 if there
 * is no escape. */
size_t mcph_uri_escaped(const char *p, const char *end, bool *ret_utf8);
/* Appends the UTF-8 text `text` and escapes each byte that must not appear in a URI.  If
 * `reserved` is false, also escapes the reserved characters and '%'.  Appends at most
 * `max` characters.  0 means no limit.  Returns 0 or the code of the buffer. */
int mcph_uri_add(struct mcph_buf *buf, struct mcph_span text, bool reserved, size_t max);
/* Appends a URI in the normal form for comparisons (RFC 3986, sections 6.2.2.1 and
 * 6.2.2.2).  Unreserved characters are not escaped.  Characters that must not appear in a
 * URI are escaped.  Escapes are in upper case. */
int mcph_uri_add_normal(struct mcph_buf *buf, struct mcph_span uri);
/* Appends the decoded text of a part of a URI in normal form.  If `reserved` is true,
 * reserved characters, '%' and invalid UTF-8 stay escaped, because mcph_uri_add() would
 * not escape them again. */
int mcph_uri_add_decoded(struct mcph_buf *buf, struct mcph_span part, bool reserved);

#endif
