/* SPDX-License-Identifier: MIT
 *
 * fuzz_template.c - matches and expands URI templates.
 *
 * The target matches the URI with the template.  Expanding the template with the values
 * of the match must give an equivalent URI.  Then the target expands the template with
 * the given values.  If the resulting URI matches the template, the values of this match
 * must give an equivalent URI, too.
 *
 * The first line is the template.  The second line is a URI.  The remaining bytes are the
 * values.
 */
#include <stdlib.h>
#include <string.h>

#include "uri/inner.h"
#include "uri/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static struct mcph_span
take_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t len = end ? (size_t)(end - *data) : *size;
    struct mcph_span line = mcph_span((const char *)*data, len);

    len += end != NULL;
    *data += len;
    *size -= len;
    return line;
}

static bool
equivalent(struct mcph_span a, struct mcph_span b)
{
    struct mcph_buf x, y;
    bool same;

    mcph_buf_init(&x, 1 << 20);
    mcph_buf_init(&y, 1 << 20);
    must(mcph_uri_add_normal(&x, a) == 0 && mcph_uri_add_normal(&y, b) == 0);
    same = mcph_span_eq(mcph_span(x.data, x.len), mcph_span(y.data, y.len));
    mcph_buf_done(&x);
    mcph_buf_done(&y);
    return same;
}

/* Matches the URI with the template.  If the URI matches, checks the values of the
 * match. */
static void
check_match(const struct mcph_template *t, struct mcph_span uri)
{
    struct mcph_buf found, again;
    int r;

    mcph_buf_init(&found, 1 << 22);
    mcph_buf_init(&again, 1 << 20);
    r = mcph_template_match(t, uri, &found, NULL);
    must(r == 0 || r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_INVALID ||
         r == MCPHOST_E_LIMIT);
    if (r == 0) {
        struct mcph_span values = mcph_span(found.data, found.len);

        must(mcph_json_check(values, 0, NULL, NULL) == 0);
        must(mcph_template_expand(t, values, false, &again, NULL) == 0);
        must(equivalent(uri, mcph_span(again.data, again.len)));
    } else {
        must(found.len == 0);
    }
    mcph_buf_done(&found);
    mcph_buf_done(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_span text = take_line(&data, &size), uri = take_line(&data, &size);
    struct mcph_template *t = NULL;
    mcphost_error *err = NULL;
    struct mcph_buf made;

    if (mcph_template_parse(text, &t, &err) < 0) {
        must(err && mcphost_error_get_message(err));
        mcphost_error_unref(err);
        return 0;
    }
    must(t->n_names <= t->n_vars && t->n_vars <= MCPH_TEMPLATE_VARS_MAX);
    check_match(t, uri);
    mcph_buf_init(&made, MCPH_URI_MAX);
    if (mcph_template_expand(t, mcph_span((const char *)data, size), false, &made,
                             NULL) == 0)
        check_match(t, mcph_span(made.data ? made.data : "", made.len));
    mcph_buf_done(&made);
    mcph_template_free(t);
    return 0;
}
