/* SPDX-License-Identifier: MIT
 *
 * template.c - parse and expand URI templates (RFC 6570).
 *
 * Where the RFC leaves a choice, this file is strict.  The parser rejects a template with
 * a mistake as a whole.  The expansion rejects a list or a map as the value of a variable
 * with a prefix.
 */
#include <stdlib.h>

#include "uri/inner.h"

/* The operators of RFC 6570, appendix A. */
static const struct mcph_template_op ops[] = {
    {"", '\0', ',', false, false, false}, {"", '+', ',', false, false, true},
    {"#", '#', ',', false, false, true},  {".", '.', '.', false, false, false},
    {"/", '/', '/', false, false, false}, {";", ';', ';', true, false, false},
    {"?", '?', '&', true, true, false},   {"&", '&', '&', true, true, false},
};

/* ---- parsing ----------------------------------------------------------------------- */

struct parser {
    struct mcph_template *t;
    const char *p, *end;
    mcphost_error **reterr;
};

static int
refuse_template(const struct parser *parser, int code, const char *at, const char *why)
{
    int line, column;

    mcph_json_position(parser->t->text, (size_t)(at - parser->t->text.p), &line, &column);
    return mcph_err_at(parser->reterr, code, NULL, line, column,
                       "the URI template is invalid at line %d, column %d: %s", line,
                       column, why);
}

static size_t
count_char(struct mcph_span text, char c)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == c;
    return n;
}

/* Allocates room for all parts and variables that the template can have: a literal before
 * and after each expression, and a variable after each brace and comma.  Above
 * MCPH_TEMPLATE_VARS_MAX variables, allocates room for one more variable, because the
 * parser rejects the template at this variable. */
static struct mcph_template *
template_new(struct mcph_span text)
{
    size_t n_expressions = count_char(text, '{'),
           n_vars = n_expressions + count_char(text, ',');
    struct mcph_template *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    if (n_vars > MCPH_TEMPLATE_VARS_MAX)
        n_vars = MCPH_TEMPLATE_VARS_MAX;
    if (n_expressions > n_vars)
        n_expressions = n_vars;
    t->text = text;
    t->parts = calloc(2 * n_expressions + 2, sizeof(*t->parts));
    t->vars = calloc(n_vars + 1, sizeof(*t->vars));
    t->names = calloc(n_vars + 1, sizeof(*t->names));
    if (t->parts && t->vars && t->names)
        return t;
    mcph_template_free(t);
    return NULL;
}

void
mcph_template_free(struct mcph_template *template)
{
    if (!template)
        return;
    free(template->parts);
    free(template->vars);
    free(template->names);
    free(template);
}

/* Returns true if a literal may have the character at `p` (section 2.1). */
static bool
is_literal(const char *p, const char *end)
{
    return (unsigned char)*p > ' ' && *p != '\x7f' && !strchr("\"<>\\^`|{}", *p) &&
           (*p != '%' || mcph_uri_escape(p, end));
}

static int
parse_literal(struct parser *parser)
{
    const char *from = parser->p, *p = from;

    while (p < parser->end && *p != '{') {
        if (*p == '}')
            return refuse_template(parser, MCPHOST_E_INVALID, p, "'}' without '{'");
        if (!is_literal(p, parser->end))
            return refuse_template(parser, MCPHOST_E_INVALID, p,
                                   *p == '%'
                                       ? "'%' without two hexadecimal digits"
                                       : "a character that is not allowed in a URI");
        p++;
    }
    if (p > from)
        parser->t->parts[parser->t->n_parts++].literal =
            mcph_span(from, (size_t)(p - from));
    parser->p = p;
    return 0;
}

static const struct mcph_template_op *
find_op(char c)
{
    for (size_t i = 1; i < MCPH_ARRAY_SIZE(ops); i++) {
        if (ops[i].c == c)
            return &ops[i];
    }
    return &ops[0];
}

/* Returns the end of the varchar at `p` (RFC 6570, section 2.3), or NULL if no varchar is
 * at `p`. */
static const char *
skip_varchar(const char *p, const char *end)
{
    if (mcph_uri_escape(p, end))
        return p + 3;
    return p < end && *p != '-' && *p != '.' && *p != '~' && mcph_uri_unreserved(*p)
               ? p + 1
               : NULL;
}

static size_t
name_index(struct mcph_template *t, struct mcph_span name)
{
    size_t i = 0;

    while (i < t->n_names && !mcph_span_eq(t->names[i], name))
        i++;
    if (i == t->n_names)
        t->names[t->n_names++] = name;
    return i;
}

static int
parse_name(struct parser *parser, struct mcph_template_var *var)
{
    const char *from = parser->p, *p = from, *next;

    for (next = skip_varchar(p, parser->end); next;) {
        p = next;
        next = skip_varchar(p, parser->end);
        if (!next && p < parser->end && *p == '.') {
            next = skip_varchar(p + 1, parser->end);
            if (!next)
                return refuse_template(
                    parser, MCPHOST_E_INVALID, p,
                    "a variable name that ends with '.' or has two dots in a row");
        }
    }
    if (p == from)
        return refuse_template(parser, MCPHOST_E_INVALID, p,
                               p < parser->end ? "a variable name is missing here"
                                               : "the expression does not end");
    var->name = name_index(parser->t, mcph_span(from, (size_t)(p - from)));
    parser->p = p;
    return 0;
}

/* Parses `*`, or a colon and the length of a prefix (section 2.4). */
static int
parse_modifier(struct parser *parser, struct mcph_template_var *var)
{
    const char *p = parser->p, *end = parser->end;
    unsigned n = 0;

    if (p < end && *p == '*') {
        var->explode = true;
        parser->p = p + 1;
    } else if (p < end && *p == ':') {
        for (p++; p < end && *p >= '0' && *p <= '9' && n < 1000; p++) {
            n = 10 * n + (unsigned)(*p - '0');
            if (n == 0)
                break;
        }
        if (n == 0 || (p < end && *p >= '0' && *p <= '9'))
            return refuse_template(parser, MCPHOST_E_INVALID, p,
                                   "a prefix must be a number from 1 to 9999");
        var->prefix = n;
        parser->p = p;
    }
    return 0;
}

static int
parse_var(struct parser *parser)
{
    struct mcph_template *t = parser->t;
    struct mcph_template_var *var = &t->vars[t->n_vars];
    int r;

    if (t->n_vars == MCPH_TEMPLATE_VARS_MAX)
        return refuse_template(parser, MCPHOST_E_LIMIT, parser->p,
                               "more variables than allowed");
    r = parse_name(parser, var);
    if (r == 0)
        r = parse_modifier(parser, var);
    if (r < 0)
        return r;
    t->n_vars++;
    if (parser->p == parser->end)
        return refuse_template(parser, MCPHOST_E_INVALID, parser->p,
                               "the expression does not end");
    if (*parser->p != ',' && *parser->p != '}')
        return refuse_template(parser, MCPHOST_E_INVALID, parser->p,
                               "a character that is not allowed in a variable name");
    return 0;
}

static int
parse_expression(struct parser *parser)
{
    struct mcph_template *t = parser->t;
    struct mcph_template_part *part = &t->parts[t->n_parts++];
    int r;

    part->first = t->n_vars;
    parser->p++;
    part->op = find_op(parser->p < parser->end ? *parser->p : '\0');
    if (part->op->c)
        parser->p++;
    else if (parser->p < parser->end && strchr("=,!@|", *parser->p))
        return refuse_template(parser, MCPHOST_E_INVALID, parser->p,
                               "an unknown operator");
    do {
        r = parse_var(parser);
        if (r < 0)
            return r;
    } while (*parser->p++ == ',');
    part->n = t->n_vars - part->first;
    return 0;
}

int
mcph_template_parse(struct mcph_span text, struct mcph_template **ret_template,
                    mcphost_error **reterr)
{
    struct parser parser = {.p = text.p, .end = text.p + text.len, .reterr = reterr};
    size_t bad;
    int r = 0;

    if (text.len > MCPH_URI_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the URI template is longer than %d bytes", MCPH_URI_MAX);
    parser.t = template_new(text);
    if (!parser.t)
        return mcph_err_nomem(reterr);
    if (!mcph_utf8_valid(text.p, text.len, &bad))
        r = refuse_template(&parser, MCPHOST_E_INVALID, text.p + bad, "invalid UTF-8");
    while (r == 0 && parser.p < parser.end)
        r = *parser.p == '{' ? parse_expression(&parser) : parse_literal(&parser);
    if (r == 0)
        *ret_template = parser.t;
    else
        mcph_template_free(parser.t);
    return r;
}

/* ---- expanding --------------------------------------------------------------------- */

struct expansion {
    const struct mcph_template *t;
    const struct mcph_json_want *values; /* a value for each name */
    struct mcph_buf *buf, text;          /* `buf` gets the URI; `text` is the decoded
                                          * text of a string */
    mcphost_error **reterr;
};

static int
refuse_value(const struct expansion *x, size_t name, const char *why)
{
    struct mcph_span text = x->t->names[name];

    return mcph_err(x->reterr, MCPHOST_E_INVALID, "variable '%.*s' %s",
                    (int)(text.len < 200 ? text.len : 200), text.p, why);
}

/* Gets a scalar as plain text.  The text of a string is valid until the next call. */
static int
scalar_text(struct expansion *x, struct mcph_span value, struct mcph_span *ret_text)
{
    *ret_text = value;
    if (mcph_json_type(value) != MCPH_JSON_STRING)
        return 0;
    mcph_buf_clear(&x->text);
    return mcph_json_string_get(value, &x->text, ret_text);
}

static bool
is_composite(struct mcph_span value)
{
    int type = mcph_json_type(value);

    return type == MCPH_JSON_ARRAY || type == MCPH_JSON_OBJECT;
}

/* Gets the next member whose value is not null.  Returns false after the last member. */
static bool
next_member(struct mcph_json_iter *it, struct mcph_span *key, struct mcph_span *value)
{
    bool more = mcph_json_iter_next(it, key, value);

    while (more && mcph_json_type(*value) == MCPH_JSON_NULL)
        more = mcph_json_iter_next(it, key, value);
    return more;
}

/* Returns true for an absent value, for null, and for a list or a map without a member
 * that has a value (section 2.3). */
static bool
is_undefined(struct mcph_span value)
{
    struct mcph_span key, member;
    struct mcph_json_iter it;

    if (!is_composite(value))
        return !value.p || mcph_json_type(value) == MCPH_JSON_NULL;
    mcph_json_iter_init(&it, value);
    return !next_member(&it, &key, &member);
}

static int
put_scalar(struct expansion *x, const struct mcph_template_op *op, struct mcph_span value,
           size_t max)
{
    struct mcph_span text;
    int r = scalar_text(x, value, &text);

    return r < 0 ? r : mcph_uri_add(x->buf, text, op->reserved, max);
}

/* Removes the "=" of an empty value if the operator omits it.  Call this function after
 * adding a name, "=" and a value.  `after` is the length of the buffer before the
 * value. */
static void
drop_empty_sign(struct mcph_buf *buf, const struct mcph_template_op *op, size_t after)
{
    if (op->named && !op->assigns && buf->len == after && mcph_buf_ok(buf) == 0)
        buf->len--;
}

static int
put_members(struct expansion *x, const struct mcph_template_op *op,
            const struct mcph_template_var *var, struct mcph_span value)
{
    struct mcph_span name = x->t->names[var->name], key, member;
    bool first = true;
    size_t from;
    struct mcph_json_iter it;
    int r = 0;

    mcph_json_iter_init(&it, value);
    while (r == 0 && next_member(&it, &key, &member)) {
        if (is_composite(member))
            return refuse_value(x, var->name, "has a list or an object inside another");
        if (!first)
            mcph_buf_addc(x->buf, var->explode ? op->sep : ',');
        first = false;
        if (key.p)
            r = put_scalar(x, op, key, 0);
        else if (var->explode && op->named)
            mcph_buf_add(x->buf, name.p, name.len);
        if (key.p || (var->explode && op->named))
            mcph_buf_addc(x->buf, var->explode ? '=' : ',');
        from = x->buf->len;
        if (r == 0)
            r = put_scalar(x, op, member, 0);
        if (var->explode)
            drop_empty_sign(x->buf, op, from);
    }
    return r;
}

static int
put_var(struct expansion *x, const struct mcph_template_op *op,
        const struct mcph_template_var *var)
{
    struct mcph_span name = x->t->names[var->name], value = x->values[var->name].value;
    bool composite = is_composite(value);
    size_t from;
    int r;

    if (composite && var->prefix)
        return refuse_value(x, var->name,
                            "is a list or an object, which a prefix cannot be taken of");
    if (composite && var->explode)
        return put_members(x, op, var, value);
    if (op->named) {
        mcph_buf_add(x->buf, name.p, name.len);
        mcph_buf_addc(x->buf, '=');
    }
    from = x->buf->len;
    r = composite ? put_members(x, op, var, value)
                  : put_scalar(x, op, value, var->prefix);
    drop_empty_sign(x->buf, op, from);
    return r;
}

static int
put_expression(struct expansion *x, const struct mcph_template_part *part)
{
    bool first = true;
    int r = 0;

    for (size_t i = part->first; r == 0 && i < part->first + part->n; i++) {
        const struct mcph_template_var *var = &x->t->vars[i];

        if (is_undefined(x->values[var->name].value))
            continue;
        if (first)
            mcph_buf_adds(x->buf, part->op->first);
        else
            mcph_buf_addc(x->buf, part->op->sep);
        first = false;
        r = put_var(x, part->op, var);
    }
    return r;
}

/* Checks that each variable has a value that is not empty (B.19). */
static int
check_complete(struct expansion *x)
{
    struct mcph_span value;

    for (size_t i = 0; i < x->t->n_names; i++) {
        value = x->values[i].value;
        if (is_undefined(value))
            return refuse_value(x, i, "has no value");
        if (mcph_json_string_is(value, "", 0))
            return refuse_value(x, i, "is empty");
    }
    return 0;
}

static int
expand_parts(struct expansion *x, bool complete)
{
    const struct mcph_template *t = x->t;
    int r = complete ? check_complete(x) : 0;

    for (size_t i = 0; r == 0 && i < t->n_parts; i++)
        r = t->parts[i].op ? put_expression(x, &t->parts[i])
                           : mcph_uri_add(x->buf, t->parts[i].literal, true, 0);
    if (r == 0)
        r = mcph_buf_ok(x->buf);
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(x->reterr, r, "the URI is longer than allowed");
    return r == MCPHOST_E_NOMEM ? mcph_err_nomem(x->reterr) : r;
}

/* Finds the values of the variables.  Returns MCPHOST_E_INVALID if a variable has two
 * values. */
static int
pick_values(const struct mcph_template *t, struct mcph_span values,
            struct mcph_json_want *want, mcphost_error **reterr)
{
    struct mcph_span object;
    int r = mcph_json_check_input(values, 0, MCPH_JSON_OBJECT, "values of a URI template",
                                  &object, reterr);

    if (r < 0)
        return r;
    for (size_t i = 0; i < t->n_names; i++)
        want[i] = (struct mcph_json_want){t->names[i].p, t->names[i].len, MCPH_SPAN_NONE};
    if (mcph_json_pick(object, want, t->n_names) < 0)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "a variable of the URI template has two values");
    return 0;
}

int
mcph_template_expand(const struct mcph_template *template, struct mcph_span values,
                     bool complete, struct mcph_buf *buf, mcphost_error **reterr)
{
    struct mcph_json_want *want = calloc(template->n_names + 1, sizeof(*want));
    struct expansion x = {.t = template, .values = want, .buf = buf, .reterr = reterr};
    int r;

    if (!want)
        return mcph_err_nomem(reterr);
    mcph_buf_init(&x.text, SIZE_MAX / 4);
    r = pick_values(template, values, want, reterr);
    if (r == 0)
        r = expand_parts(&x, complete);
    mcph_buf_done(&x.text);
    free(want);
    return r;
}
