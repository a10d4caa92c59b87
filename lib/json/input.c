/* SPDX-License-Identifier: MIT
 *
 * input.c - check JSON that people write: errors have a line and a column.
 */
#include <limits.h>

#include "json/json.h"

void
mcph_json_position(struct mcph_span text, size_t at, int *ret_line, int *ret_column)
{
    int line = 1, column = 1;
    size_t i;

    for (i = 0; i < at && i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];

        if (c == '\n') {
            line += line < INT_MAX;
            column = 1;
        } else if ((c & 0xc0) != 0x80) {
            column += column < INT_MAX;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

int
mcph_json_check_input(struct mcph_span text, unsigned depth, int want_type,
                      const char *what, struct mcph_span *ret_value,
                      mcphost_error **reterr)
{
    struct mcph_span value = MCPH_SPAN_NONE;
    struct mcph_json_fault fault = {0};
    int line, column, r;

    r = mcph_json_check(text, depth, &value, &fault);
    if (r == 0 && (want_type == MCPH_JSON_ANY || mcph_json_type(value) == want_type)) {
        if (ret_value)
            *ret_value = value;
        return 0;
    }
    if (r == 0)
        fault.at = (size_t)(value.p - text.p);
    mcph_json_position(text, fault.at, &line, &column);
    if (r < 0)
        return mcph_err_at(reterr, r, NULL, line, column,
                           "%s: not valid JSON at line %d, column %d: %s", what, line,
                           column, fault.why);
    return mcph_err_at(reterr, MCPHOST_E_INVALID, NULL, line, column,
                       "%s: expected %s, found %s at line %d, column %d", what,
                       mcph_json_type_name(want_type),
                       mcph_json_type_name(mcph_json_type(value)), line, column);
}
