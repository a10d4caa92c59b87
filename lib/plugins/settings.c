/* SPDX-License-Identifier: MIT
 *
 * settings.c - read the configuration of plugins, and get settings from it.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/plugins.h"

#define TEXT_MAX  ((size_t)1024 * 1024)
#define DEPTH_MAX 64

/* ---- reading ----------------------------------------------------------------------- */

static const char *
name_type(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object", [JSON_ARRAY] = "array",    [JSON_STRING] = "string",
        [JSON_REAL] = "number",   [JSON_INTEGER] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean", [JSON_NULL] = "null"};

    return names[json_typeof(value)];
}

static int
check_type(const json_t *value, json_type type, const char *path, mcphost_error **reterr)
{
    if (!value || json_typeof(value) == type)
        return 0;
    return mcph_err(reterr, MCPHOST_E_INVALID,
                    "%s: expected an %s, found a value of the type %s", path,
                    type == JSON_OBJECT ? "object" : "array", name_type(value));
}

static int
check_config(const json_t *config, mcphost_error **reterr)
{
    const json_t *plugins = json_object_get(config, "plugins"), *item;
    json_t *configs = json_object_get(config, "tool_configs"), *value;
    const json_t *disabled = json_object_get(plugins, "disabled");
    const char *id;
    size_t i;
    int r = check_type(plugins, JSON_OBJECT, "plugins", reterr);

    if (r == 0)
        r = check_type(configs, JSON_OBJECT, "tool_configs", reterr);
    if (r == 0)
        r = check_type(disabled, JSON_ARRAY, "plugins.disabled", reterr);
    if (r < 0)
        return r;
    json_array_foreach(disabled, i, item)
    {
        if (!json_is_string(item))
            return mcph_err(
                reterr, MCPHOST_E_INVALID,
                "plugins.disabled: an id must be a string, not a value of the type %s",
                name_type(item));
    }
    json_object_foreach(configs, id, value)
    {
        if (!json_is_object(value))
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "tool_configs.%s: expected an object, found a value of the "
                            "type %s",
                            id, name_type(value));
    }
    return 0;
}

int
mcph_plugins_load_config(struct mcph_span json, json_t **ret_config,
                         mcphost_error **reterr)
{
    json_t *config;
    int r;

    if (json.len > TEXT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the configuration of plugins is longer than %zu bytes",
                        TEXT_MAX);
    r = mcph_json_load(json, DEPTH_MAX, "the configuration of plugins", NULL, 0, &config,
                       reterr);
    if (r < 0)
        return r;
    r = check_config(config, reterr);
    if (r < 0)
        json_decref(config);
    else
        *ret_config = config;
    return r;
}

bool
mcph_plugins_is_disabled(const json_t *config, const char *id)
{
    const json_t *plugins = json_object_get(config, "plugins"), *item;
    size_t i;

    json_array_foreach(json_object_get(plugins, "disabled"), i, item)
    {
        if (mcph_streq(json_string_value(item), id))
            return true;
    }
    return false;
}

/* ---- settings ---------------------------------------------------------------------- */

/* Stores in *ret the value of the variable that a text "${NAME}" names, or "" if the
 * variable has no value.  For any other text, *ret stays NULL.  Returns 0 or
 * MCPHOST_E_NOMEM. */
static int
read_variable(mcphost *host, const char *text, char **ret)
{
    size_t len = text ? strlen(text) : 0;
    char *name;
    int r;

    if (len < 4 || strncmp(text, "${", 2) != 0 || text[len - 1] != '}')
        return 0;
    name = mcph_strndup(text + 2, len - 3);
    if (!name)
        return MCPHOST_E_NOMEM;
    mcph_core_lock(host->core);
    r = mcph_pool_get_variable(host->pool, name, ret);
    mcph_core_unlock(host->core);
    free(name);
    if (r == 0 && !*ret)
        *ret = mcph_strdup("");
    return r < 0 || *ret ? r : MCPHOST_E_NOMEM;
}

/* Replaces the variables among the members of an object and of nested objects.  The
 * values may have *room bytes in all.  Accepts values that are not UTF-8, because the
 * JSON writer replaces invalid bytes. */
static int
replace_variables(mcphost *host, json_t *object, size_t *room)
{
    const char *name;
    json_t *member;
    int r = 0;

    json_object_foreach(object, name, member)
    {
        char *value = NULL;

        r = json_is_object(member)
                ? replace_variables(host, member, room)
                : read_variable(host, json_string_value(member), &value);
        if (value && strlen(value) > *room)
            r = MCPHOST_E_LIMIT;
        else if (value)
            *room -= strlen(value);
        if (r == 0 && value &&
            json_object_set_new(object, name, json_string_nocheck(value)) < 0)
            r = MCPHOST_E_NOMEM;
        mcph_str_wipe(value);
        if (r < 0)
            break;
    }
    return r;
}

int
mcph_plugins_settings(mcphost *host, const json_t *config, const char *id,
                      json_t **ret_settings, json_t **ret_shown)
{
    json_t *own = json_object_get(json_object_get(config, "tool_configs"), id), *made;
    size_t room = TEXT_MAX;
    int r;

    *ret_settings = *ret_shown = NULL;
    if (!own)
        return 0;
    made = json_deep_copy(own);
    r = made ? replace_variables(host, made, &room) : MCPHOST_E_NOMEM;
    if (r < 0) {
        json_decref(made);
        return r;
    }
    *ret_settings = made;
    *ret_shown = json_incref(own);
    return 0;
}
