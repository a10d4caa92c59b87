/* SPDX-License-Identifier: MIT
 *
 * form.c - check the schemas of elicitation forms, and the answers to the forms.
 *
 * The check of a schema and the check of an answer both read a field into a struct first.
 * Both ignore unknown keywords, because schemas are open.  Both ignore a default that
 * does not fit its own field.
 */
#include <ctype.h>
#include <string.h>

#include "client/client.h"

enum { FIELD_STRING = 1, FIELD_NUMBER, FIELD_INTEGER, FIELD_BOOL, FIELD_LIST };

/* The limits on a length, a value or a number of items.  read_limit() ignores a limit
 * that is not a number. */
struct range {
    double min, max;
    bool has_min, has_max;
};

struct field {
    int type;
    struct mcph_span choices; /* array of strings, or of objects with "const"; p is
                               * NULL if the field has no choices */
    bool titled;              /* the choices are objects */
    struct range range;       /* limits on the length, the value or the number of items */
    struct mcph_span format, fallback;
};

static bool
string_is(struct mcph_span token, const char *text)
{
    return mcph_json_type(token) == MCPH_JSON_STRING &&
           mcph_json_string_is(token, text, strlen(text));
}

/* ---- schemas ----------------------------------------------------------------------- */

static bool
read_limit(struct mcph_span token, double *ret)
{
    return mcph_json_type(token) == MCPH_JSON_NUMBER && mcph_json_double(token, ret) == 0;
}

static void
read_range(struct mcph_span field, const char *min, const char *max, struct range *ret)
{
    ret->has_min = read_limit(mcph_json_get(field, min), &ret->min);
    ret->has_max = read_limit(mcph_json_get(field, max), &ret->max);
}

/* Returns the value of a choice as a string token.  The token's p is NULL if the value is
 * not a string. */
static struct mcph_span
choice_value(const struct field *field, struct mcph_span choice)
{
    if (field->titled)
        choice = mcph_json_type(choice) == MCPH_JSON_OBJECT
                     ? mcph_json_get(choice, "const")
                     : MCPH_SPAN_NONE;
    return mcph_json_type(choice) == MCPH_JSON_STRING ? choice : MCPH_SPAN_NONE;
}

/* Reads the choices of a field.  `plain` is an array of strings.  `titled` is an array of
 * {const, title}.  Reads `titled` only if `plain` is missing.  Returns NULL, or a phrase
 * that names the fault. */
static const char *
read_choices(struct mcph_span plain, struct mcph_span titled, struct field *ret)
{
    struct mcph_json_iter it;
    struct mcph_span choice;

    ret->titled = !plain.p;
    ret->choices = plain.p ? plain : titled;
    if (!ret->choices.p)
        return NULL;
    if (mcph_json_type(ret->choices) != MCPH_JSON_ARRAY)
        return "has choices that are not an array";
    mcph_json_iter_init(&it, ret->choices);
    while (mcph_json_iter_next(&it, NULL, &choice)) {
        if (!choice_value(ret, choice).p)
            return "has a choice that is not a string";
    }
    return NULL;
}

static const char *
read_list(struct mcph_span schema, struct field *ret)
{
    struct mcph_span items = mcph_json_get(schema, "items");
    const char *why;

    ret->type = FIELD_LIST;
    if (mcph_json_type(items) != MCPH_JSON_OBJECT)
        return "is an array without 'items'";
    read_range(schema, "minItems", "maxItems", &ret->range);
    why = read_choices(mcph_json_get(items, "enum"), mcph_json_get(items, "anyOf"), ret);
    if (!why && !ret->choices.p)
        why = "is an array whose items are not choices";
    return why;
}

/* Reads a field of the schema.  Returns NULL, or a phrase that names the fault. */
static const char *
read_field(struct mcph_span schema, struct field *ret)
{
    struct mcph_span type;

    *ret = (struct field){0};
    if (mcph_json_type(schema) != MCPH_JSON_OBJECT)
        return "is not an object";
    type = mcph_json_get(schema, "type");
    ret->fallback = mcph_json_get(schema, "default");
    if (string_is(type, "array"))
        return read_list(schema, ret);
    if (string_is(type, "boolean")) {
        ret->type = FIELD_BOOL;
    } else if (string_is(type, "string")) {
        ret->type = FIELD_STRING;
        ret->format = mcph_json_get(schema, "format");
        read_range(schema, "minLength", "maxLength", &ret->range);
        return read_choices(mcph_json_get(schema, "enum"), mcph_json_get(schema, "oneOf"),
                            ret);
    } else if (string_is(type, "number") || string_is(type, "integer")) {
        ret->type = string_is(type, "number") ? FIELD_NUMBER : FIELD_INTEGER;
        read_range(schema, "minimum", "maximum", &ret->range);
    } else {
        return "must be a string, number, integer, boolean or list of choices";
    }
    return NULL;
}

static int
field_error(mcphost_error **reterr, int code, struct mcph_span key, const char *why)
{
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, 1024);
    mcph_utf8_add_clean(&text, key.p, key.len < 80 ? key.len : 80, true);
    r = mcph_buf_text(&text)
            ? mcph_err(reterr, code, "the form's field %s %s", text.data, why)
            : mcph_err_nomem(reterr);
    mcph_buf_done(&text);
    return r;
}

int
mcph_form_check(struct mcph_span schema, mcphost_error **reterr)
{
    struct mcph_span properties, key, value;
    struct mcph_json_iter it;
    struct field field;
    const char *why;

    if (mcph_json_type(schema) != MCPH_JSON_OBJECT ||
        !string_is(mcph_json_get(schema, "type"), "object"))
        return mcph_err(reterr, MCPHOST_E_PROTOCOL,
                        "the requested schema is not of type object");
    properties = mcph_json_get(schema, "properties");
    if (mcph_json_type(properties) != MCPH_JSON_OBJECT)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL,
                        "the requested schema has no properties");
    if (mcph_json_count(properties) > MCPH_FORM_FIELDS_MAX)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL,
                        "the requested schema has more than %d fields",
                        MCPH_FORM_FIELDS_MAX);
    mcph_json_iter_init(&it, properties);
    while (mcph_json_iter_next(&it, &key, &value)) {
        why = read_field(value, &field);
        if (why)
            return field_error(reterr, MCPHOST_E_PROTOCOL, key, why);
    }
    return 0;
}

/* ---- checking values --------------------------------------------------------------- */

static bool
in_range(const struct range *range, double value)
{
    return !(range->has_min && value < range->min) &&
           !(range->has_max && value > range->max);
}

static size_t
characters(struct mcph_span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return n;
}

static bool
is_choice(const struct field *field, struct mcph_span value)
{
    struct mcph_json_iter it;
    struct mcph_span choice;

    mcph_json_iter_init(&it, field->choices);
    while (mcph_json_iter_next(&it, NULL, &choice)) {
        if (mcph_json_string_eq(choice_value(field, choice), value))
            return true;
    }
    return false;
}

/* Returns true if the text begins with the pattern.  In the pattern, '9' matches any
 * digit.  Every other character matches itself. */
static bool
looks_like(const char *text, size_t len, const char *pattern)
{
    size_t n = strlen(pattern);

    if (len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (pattern[i] == '9' ? !isdigit((unsigned char)text[i]) : text[i] != pattern[i])
            return false;
    }
    return true;
}

static int
two_digits(const char *p)
{
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static bool
is_date(const char *text, size_t len)
{
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!looks_like(text, len, "9999-99-99"))
        return false;
    year = two_digits(text) * 100 + two_digits(text + 2);
    month = two_digits(text + 5);
    day = two_digits(text + 8);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    return month != 2 || day < 29 ||
           (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Returns true for a date and time of RFC 3339. */
static bool
is_date_time(const char *text, size_t len)
{
    const char *end = text + len, *p = text + 19;

    if (!is_date(text, len) || len < 20 || (text[10] != 'T' && text[10] != 't') ||
        !looks_like(text + 11, len - 11, "99:99:99") || two_digits(text + 11) > 23 ||
        two_digits(text + 14) > 59 || two_digits(text + 17) > 60)
        return false;
    if (*p == '.') {
        do
            p++;
        while (p < end && isdigit((unsigned char)*p));
        if (p[-1] == '.')
            return false;
    }
    if (end - p == 1)
        return *p == 'Z' || *p == 'z';
    return end - p == 6 && (*p == '+' || *p == '-') && looks_like(p + 1, 5, "99:99") &&
           two_digits(p + 1) < 24 && two_digits(p + 4) < 60;
}

/* Returns true if the text has a blank or a control character. */
static bool
has_space(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
            return true;
    }
    return false;
}

/* Returns true for a text with exactly one '@', without blanks and control characters.
 * Text must precede the '@'.  The domain behind the '@' must not be empty, and must have
 * no dot at either end. */
static bool
is_email(const char *text, size_t len)
{
    const char *at = memchr(text, '@', len), *end = text + len;

    return at && at > text && end - at > 1 && at[1] != '.' && end[-1] != '.' &&
           !memchr(at + 1, '@', (size_t)(end - at - 1)) && !has_space(text, len);
}

/* Returns true for a scheme, a colon and more text, without blanks and control
 * characters. */
static bool
is_uri(const char *text, size_t len)
{
    size_t i = 0;

    if (len == 0 || !isalpha((unsigned char)text[0]) || has_space(text, len))
        return false;
    while (i < len && (isalnum((unsigned char)text[i]) || strchr("+-.", text[i])))
        i++;
    return i < len - 1 && text[i] == ':';
}

static bool
fits_format(struct mcph_span format, struct mcph_span text)
{
    if (string_is(format, "date"))
        return text.len == 10 && is_date(text.p, text.len);
    if (string_is(format, "date-time"))
        return is_date_time(text.p, text.len);
    if (string_is(format, "email"))
        return is_email(text.p, text.len);
    if (string_is(format, "uri"))
        return is_uri(text.p, text.len);
    return true;
}

static const char *
check_string(const struct field *field, struct mcph_span value)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    const char *why = NULL;

    if (mcph_json_type(value) != MCPH_JSON_STRING)
        return "must be a string";
    if (field->choices.p)
        return is_choice(field, value) ? NULL : "is not one of the choices";
    mcph_buf_init(&decoded, value.len + 1);
    if (mcph_json_string_get(value, &decoded, &text) < 0)
        why = "cannot be read";
    else if (!in_range(&field->range, (double)characters(text)))
        why = "is too short or too long";
    else if (!fits_format(field->format, text))
        why = "does not have the requested format";
    mcph_buf_done(&decoded);
    return why;
}

static const char *
check_list(const struct field *field, struct mcph_span value)
{
    struct mcph_json_iter it;
    struct mcph_span item;

    if (mcph_json_type(value) != MCPH_JSON_ARRAY)
        return "must be a list";
    if (!in_range(&field->range, (double)mcph_json_count(value)))
        return "has too few or too many items";
    mcph_json_iter_init(&it, value);
    while (mcph_json_iter_next(&it, NULL, &item)) {
        if (mcph_json_type(item) != MCPH_JSON_STRING || !is_choice(field, item))
            return "has an item that is not one of the choices";
    }
    return NULL;
}

static bool
is_whole(double d)
{
    return d >= -9007199254740992.0 && d <= 9007199254740992.0 && d == (double)(int64_t)d;
}

/* Checks whether a value fits its field.  Returns NULL, or a phrase that says why the
 * value does not fit. */
static const char *
check_value(const struct field *field, struct mcph_span value)
{
    double d;

    switch (field->type) {
    case FIELD_STRING:
        return check_string(field, value);
    case FIELD_LIST:
        return check_list(field, value);
    case FIELD_BOOL:
        return mcph_json_type(value) == MCPH_JSON_BOOL ? NULL : "must be true or false";
    default:
        if (mcph_json_type(value) != MCPH_JSON_NUMBER || mcph_json_double(value, &d) < 0)
            return "must be a number";
        if (field->type == FIELD_INTEGER && !is_whole(d))
            return "must be an integer";
        return in_range(&field->range, d) ? NULL : "is too small or too large";
    }
}

/* ---- filling in a form ------------------------------------------------------------- */

static struct mcph_span
find_member(struct mcph_span object, struct mcph_span key)
{
    struct mcph_json_iter it;
    struct mcph_span k, value;

    mcph_json_iter_init(&it, object);
    while (mcph_json_iter_next(&it, &k, &value)) {
        if (mcph_json_string_eq(k, key))
            return value;
    }
    return MCPH_SPAN_NONE;
}

static bool
is_required(struct mcph_span schema, struct mcph_span key)
{
    struct mcph_span required = mcph_json_get(schema, "required"), name;
    struct mcph_json_iter it;

    if (mcph_json_type(required) != MCPH_JSON_ARRAY)
        return false;
    mcph_json_iter_init(&it, required);
    while (mcph_json_iter_next(&it, NULL, &name)) {
        if (mcph_json_type(name) == MCPH_JSON_STRING && mcph_json_string_eq(name, key))
            return true;
    }
    return false;
}

/* Checks the names in `content`.  Rejects a name that the schema does not have, and a
 * name that occurs twice. */
static int
check_names(struct mcph_span properties, struct mcph_span content, mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    mcph_json_iter_init(&it, content);
    while (mcph_json_iter_next(&it, &key, &value)) {
        if (!find_member(properties, key).p)
            return field_error(reterr, MCPHOST_E_INVALID, key,
                               "is not a field of the requested form");
        if (find_member(content, key).p != value.p)
            return field_error(reterr, MCPHOST_E_INVALID, key, "was answered twice");
    }
    return 0;
}

static int
fill_form(struct mcph_span schema, struct mcph_span content, bool demand,
          struct mcph_buf *buf, mcphost_error **reterr)
{
    struct mcph_span properties = mcph_json_get(schema, "properties"), key, part, value;
    struct mcph_json_iter it;
    struct field field;
    const char *why;
    int r;

    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&it, properties);
    while (mcph_json_iter_next(&it, &key, &part)) {
        if (read_field(part, &field))
            continue;
        value = content.p ? find_member(content, key) : MCPH_SPAN_NONE;
        why = value.p ? check_value(&field, value) : NULL;
        if (why)
            return field_error(reterr, MCPHOST_E_INVALID, key, why);
        if (!value.p && field.fallback.p && !check_value(&field, field.fallback))
            value = field.fallback;
        if (!value.p && demand && is_required(schema, key))
            return field_error(reterr, MCPHOST_E_INVALID, key, "is required");
        if (!value.p)
            continue;
        mcph_json_add_comma(buf);
        mcph_json_add_span(buf, key);
        mcph_buf_addc(buf, ':');
        r = mcph_json_add_canonical(buf, value);
        if (r < 0)
            return mcph_err(reterr, r, "the form: %s", mcphost_strerror(r));
    }
    r = mcph_buf_addc(buf, '}');
    return r < 0 ? mcph_err(reterr, r, "the form: %s", mcphost_strerror(r)) : 0;
}

int
mcph_form_fill(struct mcph_span schema, struct mcph_span content, struct mcph_buf *buf,
               mcphost_error **reterr)
{
    int r = check_names(mcph_json_get(schema, "properties"), content, reterr);

    return r < 0 ? r : fill_form(schema, content, true, buf, reterr);
}

int
mcph_form_fill_part(struct mcph_span schema, struct mcph_span content,
                    struct mcph_buf *buf, mcphost_error **reterr)
{
    int r = check_names(mcph_json_get(schema, "properties"), content, reterr);

    return r < 0 ? r : fill_form(schema, content, false, buf, reterr);
}

int
mcph_form_defaults(struct mcph_span schema, struct mcph_buf *buf)
{
    return fill_form(schema, MCPH_SPAN_NONE, false, buf, NULL);
}
