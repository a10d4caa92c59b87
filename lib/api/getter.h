/* SPDX-License-Identifier: MIT
 *
 * getter.h - macros that define public getters of handles, one line each.
 *
 * In each macro, `function` is the name of the public function.  `handle` is the type of
 * the first parameter of the function.  The parameter is called `self`.  If `self` is
 * NULL, the function returns 0 or NULL.
 */
#ifndef MCPH_API_GETTER_H
#define MCPH_API_GETTER_H

#include "base/base.h"

#define MCPH_GETTER(type, function, handle, value) \
    type function(handle self)                     \
    {                                              \
        return self ? (value) : (type)0;           \
    }

/* Defines a getter of the element at `index`.  The getter returns 0 or NULL if `index` is
 * not less than `count`. */
#define MCPH_GETTER_AT(type, function, handle, count, value) \
    type function(handle self, size_t index)                 \
    {                                                        \
        return self && index < (count) ? (value) : (type)0;  \
    }

/* Defines a getter of a text with its length.  `span` has a NUL behind its last byte. */
#define MCPH_GETTER_TEXT(function, handle, span)                        \
    const char *function(handle self, size_t *ret_len)                  \
    {                                                                   \
        return mcph_span_give(self ? (span) : MCPH_SPAN_NONE, ret_len); \
    }

/* Defines a getter of a part of the definition of `item`.  The item keeps a copy of the
 * part.  The copy ends with a NUL. */
#define MCPH_GETTER_PART(function, handle, item, span)          \
    const char *function(handle self, size_t *ret_len)          \
    {                                                           \
        struct mcph_span part = self ? (span) : MCPH_SPAN_NONE; \
                                                                \
        mcph_span_give(part, ret_len);                          \
        return part.p ? mcph_tool_give(item, part) : NULL;      \
    }

#endif
