/* SPDX-License-Identifier: MIT
 *
 * format.h - declarations shared by format.c and format_net.c.
 */
#ifndef MCPH_SCHEMA_FORMAT_H
#define MCPH_SCHEMA_FORMAT_H

#include "schema/inner.h"

bool mcph_is_digit(char c);
bool mcph_is_alpha(char c);
bool mcph_is_hex(char c);

bool mcph_format_email(const char *p, size_t len);
bool mcph_format_idn_email(const char *p, size_t len);
bool mcph_format_hostname(const char *p, size_t len);
bool mcph_format_idn_hostname(const char *p, size_t len);
bool mcph_format_ipv4(const char *p, size_t len);
bool mcph_format_ipv6(const char *p, size_t len);
bool mcph_format_uri(const char *p, size_t len);
bool mcph_format_uri_reference(const char *p, size_t len);
bool mcph_format_iri(const char *p, size_t len);
bool mcph_format_iri_reference(const char *p, size_t len);
bool mcph_format_uri_template(const char *p, size_t len);

#endif
