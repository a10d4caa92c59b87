/* SPDX-License-Identifier: MIT
 *
 * arguments.c - the arguments of a call, given as JSON, in a file or as key=value.
 *
 * mcphostctl passes JSON to the library unchanged.  The library checks the JSON.  The
 * value of key=value is a string if the tool's schema allows a string for the key, and
 * JSON if the schema states only other types for the key.  If the schema states no type,
 * a value that parses as JSON is JSON, and any other value is a string.  The value of
 * key:=value is always JSON.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"

/* ---- arguments as one JSON text ---------------------------------------------------- */

static int
read_from(struct ctl *ctl, int fd, const char *name, struct text *t)
{
    char part[65536];
    ssize_t n;

    for (;;) {
        n = read(fd, part, sizeof(part));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text_add(t, part, (size_t)n);
        if (text_failed(t)) {
            say(ctl, "'%s' is too large", name);
            return STATUS_USAGE;
        }
    }
    if (n < 0) {
        say(ctl, "cannot read '%s': %s", name, strerror(errno));
        return STATUS_USAGE;
    }
    return 0;
}

int
input_read(struct ctl *ctl, const char *path, struct text *t)
{
    int fd, r;

    if (strcmp(path, "-") == 0)
        return read_from(ctl, STDIN_FILENO, path, t);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        say(ctl, "cannot open '%s': %s", path, strerror(errno));
        return STATUS_USAGE;
    }
    r = read_from(ctl, fd, path, t);
    close(fd);
    return r;
}

/* Returns the length of the key in key=value or key:=value, or 0 if `pair` has neither
 * form. */
static size_t
key_length(const char *pair)
{
    const char *equals = strchr(pair, '=');

    if (!equals)
        return 0;
    return (size_t)(equals - pair) - (equals > pair && equals[-1] == ':');
}

int
arguments_read(struct ctl *ctl, char **args, int n, struct arguments *ret)
{
    if (n == 0) {
        text_puts(&ret->json, "{}");
        return 0;
    }
    if (n == 1 && strcmp(args[0], "-") == 0)
        return input_read(ctl, "-", &ret->json);
    if (n == 1 && args[0][0] == '@')
        return input_read(ctl, args[0] + 1, &ret->json);
    if (n == 1 && strchr("{[\"", args[0][strspn(args[0], " \t\r\n")])) {
        text_puts(&ret->json, args[0]);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        if (key_length(args[i]) > 0)
            continue;
        say(ctl,
            "'%s' is not key=value; arguments are a JSON object, @file, - or key=value",
            args[i]);
        return STATUS_USAGE;
    }
    ret->pairs = args;
    ret->n_pairs = n;
    return 0;
}

/* ---- key=value --------------------------------------------------------------------- */

/* Returns true if the schema keyword `type` allows `name`.  Returns false if `type` is
 * missing. */
static int
allows(const json_t *type, const char *name)
{
    const json_t *one;
    size_t i;

    if (json_is_string(type))
        return strcmp(json_string_value(type), name) == 0;
    json_array_foreach(type, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), name) == 0)
            return 1;
    }
    return 0;
}

static json_t *
parse_value(const char *value)
{
    return json_loads(value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

/* Makes the value of `key`.  `properties` is the member of the tool's schema, or NULL.
 * Returns NULL after printing the reason. */
static json_t *
make_value(struct ctl *ctl, const json_t *properties, const char *key, const char *value,
           int is_json)
{
    const json_t *type = json_object_get(json_object_get(properties, key), "type");
    json_t *made;

    if (!is_json && allows(type, "string"))
        made = json_string(value);
    else
        made = parse_value(value);
    if (!made && !is_json && !type)
        made = json_string(value);
    if (made)
        return made;
    if (type && !is_json)
        say(ctl, "'%s' needs a value of type %s, not '%s'", key,
            json_is_string(type) ? json_string_value(type) : "other than string", value);
    else
        say(ctl, "'%s' is not JSON, or not UTF-8: '%s'", key, value);
    return NULL;
}

static int
add_pair(struct ctl *ctl, json_t *object, const json_t *properties, const char *pair)
{
    size_t len = key_length(pair);
    int is_json = pair[len] == ':';
    char *key = strndup(pair, len);
    json_t *value;
    int r = STATUS_USAGE;

    if (!key)
        return out_of_memory(ctl);
    if (json_object_get(object, key)) {
        say(ctl, "'%s' is given twice", key);
        goto out;
    }
    value = make_value(ctl, properties, key, pair + len + 1 + is_json, is_json);
    if (!value)
        goto out;
    if (json_object_set_new(object, key, value) < 0) {
        say(ctl, "the key '%s' is not UTF-8", key);
        goto out;
    }
    r = 0;
out:
    free(key);
    return r;
}

int
arguments_finish(struct ctl *ctl, struct arguments *arguments, mcphost_tool *tool)
{
    size_t len = 0;
    const char *schema = mcphost_tool_get_input_schema(tool, &len);
    json_t *parsed, *object;
    int r = 0;

    if (!arguments->pairs)
        return text_failed(&arguments->json) ? out_of_memory(ctl) : 0;
    parsed = schema ? json_loadb(schema, len, JSON_ALLOW_NUL, NULL) : NULL;
    object = json_object();
    if (!object)
        r = out_of_memory(ctl);
    for (int i = 0; i < arguments->n_pairs && r == 0; i++)
        r = add_pair(ctl, object, json_object_get(parsed, "properties"),
                     arguments->pairs[i]);
    if (r == 0) {
        put_value(&arguments->json, object);
        r = text_failed(&arguments->json) ? out_of_memory(ctl) : 0;
    }
    json_decref(object);
    json_decref(parsed);
    return r;
}

void
arguments_free(struct arguments *arguments)
{
    text_free(&arguments->json);
}
