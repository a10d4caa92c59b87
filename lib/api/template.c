/* SPDX-License-Identifier: MIT
 *
 * template.c - the public functions of <mcphost/template.h>.
 *
 * The functions check their arguments and call the code in lib/uri.
 */
#include "uri/uri.h"

#include <mcphost/template.h>

/* Stores the text of a buffer for the application if `r` is 0.  Always frees the buffer.
 * Returns 0 or an error. */
static int
hand_out(int r, struct mcph_buf *buf, char **ret_text, size_t *ret_len,
         mcphost_error **reterr)
{
    char *text = NULL;
    size_t len = 0;

    if (r == 0) {
        text = mcph_buf_steal(buf, &len);
        if (!text)
            r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(buf);
    if (r < 0)
        return r;
    *ret_text = text;
    if (ret_len)
        *ret_len = len;
    return 0;
}

static int
add_names(const struct mcph_template *t, struct mcph_buf *buf, mcphost_error **reterr)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < t->n_names; i++) {
        mcph_json_add_comma(buf);
        mcph_json_add_string(buf, t->names[i].p, t->names[i].len);
    }
    mcph_buf_addc(buf, ']');
    return mcph_buf_ok(buf) < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcphost_template_check(const char *uri_template, size_t len, char **ret_names,
                       size_t *ret_len, mcphost_error **reterr)
{
    struct mcph_template *t = NULL;
    struct mcph_buf buf;
    int r;

    if (!uri_template)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    r = mcph_template_parse(mcph_span(uri_template, len), &t, reterr);
    if (r == 0 && ret_names) {
        mcph_buf_init(&buf, SIZE_MAX / 4);
        r = hand_out(add_names(t, &buf, reterr), &buf, ret_names, ret_len, reterr);
    }
    mcph_template_free(t);
    return r;
}

int
mcphost_template_expand(const char *uri_template, size_t len, const char *values,
                        size_t values_len, char **ret_uri, size_t *ret_len,
                        mcphost_error **reterr)
{
    struct mcph_span object = values ? mcph_span(values, values_len) : mcph_span("{}", 2);
    struct mcph_template *t = NULL;
    struct mcph_buf buf;
    int r;

    if (!uri_template || !ret_uri)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    r = mcph_template_parse(mcph_span(uri_template, len), &t, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, MCPH_URI_MAX);
    r = mcph_template_expand(t, object, false, &buf, reterr);
    mcph_template_free(t);
    return hand_out(r, &buf, ret_uri, ret_len, reterr);
}

int
mcphost_template_match(const char *uri_template, size_t len, const char *uri,
                       size_t uri_len, char **ret_values, size_t *ret_len,
                       mcphost_error **reterr)
{
    struct mcph_template *t = NULL;
    struct mcph_buf buf;
    int r;

    if (!uri_template || !uri || !ret_values)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    r = mcph_template_parse(mcph_span(uri_template, len), &t, reterr);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, SIZE_MAX / 4);
    r = mcph_template_match(t, mcph_span(uri, uri_len), &buf, reterr);
    mcph_template_free(t);
    return hand_out(r, &buf, ret_values, ret_len, reterr);
}
