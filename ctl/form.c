/* SPDX-License-Identifier: MIT
 *
 * form.c - forms of elicitation, filled in on a terminal.
 *
 * The library has checked the schema, and checks each value (mcphost_request_check()).
 * form.c makes a value of the field's type from a typed line, and passes on the reason
 * for a refusal.  The texts of the schema are shortened and made harmless before they are
 * shown, because they come from the server.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "form.h"
#include "term.h"

/* Limits for showing a server's texts. */
enum {
    NAME_CHARS = 60,
    DESCRIPTION_BYTES = 1000,
    DESCRIPTION_LINES = 10,
    CHOICES_SHOWN = 100,
};

enum field_type { A_TEXT, A_NUMBER, AN_INTEGER, A_FLAG, A_CHOICE, CHOICES };

struct field {
    const char *key; /* the field's name; all pointers here point into the form's
                      * `schema` */
    const json_t *schema;
    enum field_type type;
    int required;
    const json_t *choices; /* strings, or objects with `const` and `title` */
    const json_t *names;   /* titles for `choices` that are strings; or NULL */
};

struct form {
    mcphost_request *request;
    json_t *schema;
    json_t *defaults;
    json_t *values;
    size_t n;
    struct field fields[];
};

/* ---- the schema -------------------------------------------------------------------- */

static const char *
get_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int
is_required(const json_t *schema, const char *key)
{
    const json_t *names = json_object_get(schema, "required");
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), key) == 0)
            return 1;
    }
    return 0;
}

static void
read_field(const json_t *schema, struct field *ret)
{
    const char *type = get_string(schema, "type");
    int is_list = type && strcmp(type, "array") == 0;
    const json_t *of = is_list ? json_object_get(schema, "items") : schema;

    ret->schema = schema;
    ret->choices = json_object_get(of, "enum");
    ret->names = json_object_get(of, "enumNames");
    if (!ret->choices)
        ret->choices = json_object_get(of, is_list ? "anyOf" : "oneOf");
    if (is_list)
        ret->type = CHOICES;
    else if (type && strcmp(type, "boolean") == 0)
        ret->type = A_FLAG;
    else if (type && strcmp(type, "number") == 0)
        ret->type = A_NUMBER;
    else if (type && strcmp(type, "integer") == 0)
        ret->type = AN_INTEGER;
    else
        ret->type = ret->choices ? A_CHOICE : A_TEXT;
}

static const char *
choice_value(const struct field *field, size_t i)
{
    const json_t *choice = json_array_get(field->choices, i);

    return json_is_object(choice) ? get_string(choice, "const")
                                  : json_string_value(choice);
}

/* Returns the server's title of a choice, or NULL. */
static const char *
choice_title(const struct field *field, size_t i)
{
    const json_t *choice = json_array_get(field->choices, i);

    return json_is_object(choice) ? get_string(choice, "title")
                                  : json_string_value(json_array_get(field->names, i));
}

static json_t *
load_value(const char *s, size_t len)
{
    json_t *json = s ? json_loadb(s, len, 0, NULL) : json_object();

    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

struct form *
form_new(mcphost_request *request)
{
    size_t len = 0, n;
    const char *s = mcphost_request_get_schema(request, &len);
    json_t *schema = load_value(s, len);
    json_t *properties = json_object_get(schema, "properties");
    const char *key;
    json_t *part;
    struct form *form;

    n = json_object_size(properties);
    form = calloc(1, sizeof(*form) + n * sizeof(*form->fields));
    if (!form || !schema) {
        json_decref(schema);
        free(form);
        return NULL;
    }
    form->request = request;
    form->schema = schema;
    s = mcphost_request_get_defaults(request, &len);
    form->defaults = load_value(s, len);
    form->values = json_copy(form->defaults);
    json_object_foreach(properties, key, part)
    {
        form->fields[form->n].key = key;
        form->fields[form->n].required = is_required(schema, key);
        read_field(part, &form->fields[form->n++]);
    }
    if (form->values)
        return form;
    form_free(form);
    return NULL;
}

void
form_free(struct form *form)
{
    if (!form)
        return;
    json_decref(form->schema);
    json_decref(form->defaults);
    json_decref(form->values);
    free(form);
}

size_t
form_count(const struct form *form)
{
    return form->n;
}

/* ---- values as JSON ---------------------------------------------------------------- */

static int
check_value(const struct form *form, const struct field *field, const json_t *value,
            struct text *why)
{
    mcphost_error *err = NULL;
    struct text t = {0};
    int r = MCPHOST_E_NOMEM;

    put_begin(&t, '{');
    put_key(&t, field->key);
    put_value(&t, value);
    put_end(&t, '}');
    if (!text_failed(&t))
        r = mcphost_request_check(form->request, t.data, t.len, &err);
    if (r < 0)
        text_puts(why, err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    text_free(&t);
    return r < 0 ? -1 : 0;
}

int
form_send(const struct form *form, mcphost_error **reterr)
{
    struct text t = {0};
    int r = MCPHOST_E_NOMEM;

    put_begin(&t, '{');
    for (size_t i = 0; i < form->n; i++) {
        const json_t *value = json_object_get(form->values, form->fields[i].key);

        if (!value)
            continue;
        put_key(&t, form->fields[i].key);
        put_value(&t, value);
    }
    put_end(&t, '}');
    if (!text_failed(&t))
        r = mcphost_request_respond(form->request, t.data, t.len, reterr);
    text_free(&t);
    return r;
}

/* ---- showing a form ---------------------------------------------------------------- */

void
quote(FILE *to, const char *indent, const char *s, size_t max, size_t lines)
{
    size_t len = strlen(s), end = len, n;

    for (size_t i = 0; i < end; i += n) {
        utf8_next(s + i, len - i, &n);
        if (i + n > max || (s[i] == '\n' && --lines == 0))
            end = i;
    }
    term_print(to, indent, s, end);
    if (end == 0 || s[end - 1] != '\n')
        fputc('\n', to);
    if (end < len)
        fprintf(to, "%s(%zu more bytes are not shown)\n", indent, len - end);
}

/* Adds a text on one line, cut to NAME_CHARS characters. */
static void
add_name(struct text *t, const char *s)
{
    size_t len = strlen(s), i = 0, n;

    for (int chars = 0; i < len && chars < NAME_CHARS; chars++, i += n)
        utf8_next(s + i, len - i, &n);
    term_flatten(t, s, i);
    if (i < len)
        text_puts(t, "...");
}

static void
print_name(FILE *to, const char *s)
{
    struct text t = {0};

    add_name(&t, s);
    if (!text_failed(&t) && t.data)
        fputs(t.data, to);
    text_free(&t);
}

static void
print_number(FILE *to, const json_t *n)
{
    struct text t = {0};

    put_value(&t, n);
    if (!text_failed(&t))
        fputs(t.data, to);
    text_free(&t);
}

static void
print_range(FILE *to, const struct field *field, const char *least, const char *most,
            const char *unit)
{
    const json_t *min = json_object_get(field->schema, least);
    const json_t *max = json_object_get(field->schema, most);

    if (json_is_number(min)) {
        fputs(json_is_number(max) ? ", " : ", at least ", to);
        print_number(to, min);
    }
    if (json_is_number(max)) {
        fputs(json_is_number(min) ? " to " : ", at most ", to);
        print_number(to, max);
    }
    if (json_is_number(min) || json_is_number(max))
        fputs(unit, to);
}

static void
print_text_type(FILE *to, const struct field *field)
{
    static const char *const formats[][2] = {
        {"email", "an e-mail address"},
        {"uri", "a URI"},
        {"date", "a date, such as 2026-01-31"},
        {"date-time", "a date with a time, such as 2026-01-31T12:00:00Z"},
    };
    const char *format = get_string(field->schema, "format"), *words = "a text";

    for (size_t i = 0; format && i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(format, formats[i][0]) == 0)
            words = formats[i][1];
    }
    fputs(words, to);
    print_range(to, field, "minLength", "maxLength", " characters");
}

static void
print_type(FILE *to, const struct field *field)
{
    switch (field->type) {
    case A_TEXT:
        print_text_type(to, field);
        break;
    case A_NUMBER:
    case AN_INTEGER:
        fputs(field->type == A_NUMBER ? "a number" : "a whole number", to);
        print_range(to, field, "minimum", "maximum", "");
        break;
    case A_FLAG:
        fputs("y or n", to);
        break;
    case A_CHOICE:
        fputs("one of these", to);
        break;
    case CHOICES:
        fputs("any of these, with commas between; [] for none", to);
        print_range(to, field, "minItems", "maxItems", " of them");
        break;
    }
    fputs(field->required ? "; required\n" : "\n", to);
}

static void
print_choices(FILE *to, const struct field *field)
{
    size_t n = json_array_size(field->choices);

    for (size_t i = 0; i < n && i < CHOICES_SHOWN; i++) {
        const char *value = choice_value(field, i), *title = choice_title(field, i);

        fprintf(to, "    %zu) ", i + 1);
        print_name(to, value);
        if (title && strcmp(title, value) != 0) {
            fputs("  - ", to);
            print_name(to, title);
        }
        fputc('\n', to);
    }
    if (n > CHOICES_SHOWN)
        fprintf(to, "    (%zu more)\n", n - CHOICES_SHOWN);
}

/* Returns true if a field's text asks for a secret.  Servers must not ask for secrets in
 * a form. */
static int
looks_secret(const char *s)
{
    static const char *const words[] = {
        "password", "passphrase", "passwd", "secret",      "token",      "api key",
        "api_key",  "api-key",    "apikey", "private key", "credential", "credit card"};

    for (size_t i = 0; s && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasestr(s, words[i]))
            return 1;
    }
    return 0;
}

void
form_show(const struct form *form, size_t index, FILE *to)
{
    const struct field *field = &form->fields[index];
    const char *title = get_string(field->schema, "title");
    const char *description = get_string(field->schema, "description");

    fprintf(to, "  %zu of %zu: ", index + 1, form->n);
    print_name(to, title ? title : field->key);
    fputs(", ", to);
    print_type(to, field);
    if (description)
        quote(to, "    | ", description, DESCRIPTION_BYTES, DESCRIPTION_LINES);
    print_choices(to, field);
    if (field->type == A_TEXT &&
        (looks_secret(field->key) || looks_secret(title) || looks_secret(description)))
        fputs("    Careful: this looks like a secret, and servers must not ask for "
              "secrets like this.\n",
              to);
}

void
form_add_prompt(const struct form *form, size_t index, struct text *t)
{
    const struct field *field = &form->fields[index];
    const json_t *value = json_object_get(form->values, field->key);
    struct text shown = {0};

    add_name(t, field->key);
    if (value && json_is_string(value))
        text_add(&shown, json_string_value(value), json_string_length(value));
    else if (value)
        put_value(&shown, value);
    text_add(&shown, "", 0);
    if (value && !text_failed(&shown)) {
        text_puts(t, " [");
        add_name(t, shown.data);
        text_puts(t, "]");
    }
    text_free(&shown);
}

void
form_review(const struct form *form, FILE *to)
{
    for (size_t i = 0; i < form->n; i++) {
        const json_t *value = json_object_get(form->values, form->fields[i].key);
        struct text t = {0};

        if (!value)
            continue;
        put_value(&t, value);
        fputs("    ", to);
        print_name(to, form->fields[i].key);
        fprintf(to, ": %s\n", text_failed(&t) ? "" : t.data);
        text_free(&t);
    }
}

/* ---- typed input ------------------------------------------------------------------- */

/* Parses JSON of the wanted type.  Returns NULL if the line is not JSON or has another
 * type. */
static json_t *
parse_json(const char *line, size_t len, json_type type)
{
    json_t *json = json_loadb(line, len, JSON_DECODE_ANY, NULL);

    if (json && json_typeof(json) == type)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *
parse_text(const char *line, size_t len)
{
    json_t *json = line[0] == '"' ? parse_json(line, len, JSON_STRING) : NULL;

    return json ? json : json_stringn(line, len);
}

static json_t *
parse_number(const char *line, size_t len)
{
    json_t *json = parse_json(line, len, JSON_INTEGER);

    return json ? json : parse_json(line, len, JSON_REAL);
}

static json_t *
parse_flag(const char *line, size_t len)
{
    static const char *const words[] = {"n", "no", "false", "y", "yes", "true"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i]) == len && strncasecmp(words[i], line, len) == 0)
            return json_boolean(i >= 3);
    }
    return NULL;
}

/* Finds a choice by its number, its value or its title.  A JSON string in double quotes
 * can only be a value. */
static json_t *
parse_choice(const struct field *field, const char *line, size_t len)
{
    size_t n = json_array_size(field->choices), number = 0, i = 0;
    json_t *quoted = line[0] == '"' ? parse_json(line, len, JSON_STRING) : NULL;

    if (quoted)
        return quoted;
    for (; i < len && i < 6 && line[i] >= '0' && line[i] <= '9'; i++)
        number = number * 10 + (size_t)(line[i] - '0');
    if (len > 0 && i == len && number >= 1 && number <= n)
        return json_string(choice_value(field, number - 1));
    for (int titles = 0; titles < 2; titles++) {
        for (i = 0; i < n; i++) {
            const char *s = titles ? choice_title(field, i) : choice_value(field, i);

            if (s && strlen(s) == len && memcmp(s, line, len) == 0)
                return json_string(choice_value(field, i));
        }
    }
    return NULL;
}

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void
trim(const char **s, size_t *len)
{
    while (*len > 0 && is_blank(**s))
        (*s)++, (*len)--;
    while (*len > 0 && is_blank((*s)[*len - 1]))
        (*len)--;
}

static json_t *
parse_choices(const struct field *field, const char *line, size_t len)
{
    json_t *list = line[0] == '[' ? parse_json(line, len, JSON_ARRAY) : NULL;
    const char *end = line + len;

    if (list)
        return list;
    list = json_array();
    while (list && line <= end) {
        const char *comma = memchr(line, ',', (size_t)(end - line));
        size_t n = (size_t)((comma ? comma : end) - line);
        const char *part = line;

        line += n + 1;
        trim(&part, &n);
        if (json_array_append_new(list, parse_choice(field, part, n)) < 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* Returns true if all characters may go into a form.  Control characters are not allowed.
 * Arrow keys, for example, send control characters. */
static int
is_clean(const char *line, size_t len)
{
    for (size_t i = 0, n; i < len; i += n) {
        int32_t cp = utf8_next(line + i, len - i, &n);

        if (cp != '\t' && text_is_harmful(cp))
            return 0;
    }
    return 1;
}

static json_t *
parse(const struct field *field, const char *line, size_t len, const char **ret_why)
{
    *ret_why = "the text has control characters, or is not UTF-8";
    if (!is_clean(line, len))
        return NULL;
    if (field->type == A_TEXT) {
        *ret_why = "out of memory";
        return parse_text(line, len);
    }
    trim(&line, &len);
    switch (field->type) {
    case A_NUMBER:
    case AN_INTEGER:
        *ret_why = "enter a number, such as 12 or -0.5";
        return parse_number(line, len);
    case A_FLAG:
        *ret_why = "enter y or n";
        return parse_flag(line, len);
    case A_CHOICE:
        *ret_why = "this is not one of the choices: enter the number of one";
        return parse_choice(field, line, len);
    default:
        *ret_why = "enter a list of choices, such as 1,2";
        return parse_choices(field, line, len);
    }
}

int
form_take(struct form *form, size_t index, const char *line, size_t len, struct text *why)
{
    const struct field *field = &form->fields[index];
    const char *reason;
    json_t *value;

    if (len == 0) {
        if (json_object_get(form->values, field->key) || !field->required)
            return 0;
        text_puts(why, "this field is required");
        return -1;
    }
    value = parse(field, line, len, &reason);
    if (!value) {
        text_puts(why, reason);
        return -1;
    }
    if (check_value(form, field, value, why) < 0) {
        json_decref(value);
        return -1;
    }
    return json_object_set_new(form->values, field->key, value) < 0 ? -1 : 0;
}

void
form_clear(struct form *form, size_t index)
{
    const char *key = form->fields[index].key;
    json_t *value = json_object_get(form->defaults, key);

    if (value)
        json_object_set(form->values, key, value);
    else
        json_object_del(form->values, key);
}
