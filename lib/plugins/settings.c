/* SPDX-License-Identifier: MIT
 *
 * settings.c - check the configuration of plugins, and get settings from it.
 */
#include <stdlib.h>

#include "plugins/plugins.h"

#define TEXT_MAX  ((size_t)1024 * 1024)
#define DEPTH_MAX 64

/* ---- checking ---------------------------------------------------------------------- */

static int
check_type(struct mcph_span value, int type, const char *path, mcphost_error **reterr)
{
    if (!value.p || mcph_json_type(value) == type)
        return 0;
    return mcph_err(reterr, MCPHOST_E_INVALID, "%s: not an %s but a value of the type %s",
                    path, mcph_json_type_name(type),
                    mcph_json_type_name(mcph_json_type(value)));
}

static int
check_disabled(struct mcph_span list, mcphost_error **reterr)
{
    struct mcph_json_iter items;
    struct mcph_span item;

    mcph_json_iter_init(&items, list);
    while (mcph_json_iter_next(&items, NULL, &item))
        if (mcph_json_type(item) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "plugins.disabled: an id is a string, not a value of the "
                            "type %s",
                            mcph_json_type_name(mcph_json_type(item)));
    return 0;
}

static int
check_each(struct mcph_span configs, mcphost_error **reterr)
{
    struct mcph_json_iter members;
    struct mcph_span key, value;

    mcph_json_iter_init(&members, configs);
    while (mcph_json_iter_next(&members, &key, &value)) {
        char *name = NULL;

        if (mcph_json_type(value) == MCPH_JSON_OBJECT)
            continue;
        (void)mcph_json_string_show(key, &name);
        mcph_err(reterr, MCPHOST_E_INVALID, "tool_configs.%s: not an object",
                 name ? name : "?");
        free(name);
        return MCPHOST_E_INVALID;
    }
    return 0;
}

int
mcph_plugins_check_config(struct mcph_span json, mcphost_error **reterr)
{
    struct mcph_span object, plugins, disabled, configs;
    int r;

    if (json.len > TEXT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the configuration of plugins is longer than %zu bytes",
                        TEXT_MAX);
    r = mcph_json_check_input(json, DEPTH_MAX, MCPH_JSON_OBJECT,
                              "the configuration of plugins", &object, reterr);
    if (r < 0)
        return r;
    plugins = mcph_json_get(object, "plugins");
    configs = mcph_json_get(object, "tool_configs");
    r = check_type(plugins, MCPH_JSON_OBJECT, "plugins", reterr);
    if (r == 0)
        r = check_type(configs, MCPH_JSON_OBJECT, "tool_configs", reterr);
    if (r < 0)
        return r;
    disabled = mcph_json_get(plugins, "disabled");
    r = check_type(disabled, MCPH_JSON_ARRAY, "plugins.disabled", reterr);
    if (r == 0)
        r = check_disabled(disabled, reterr);
    return r < 0 ? r : check_each(configs, reterr);
}

/* ---- reading ----------------------------------------------------------------------- */

bool
mcph_plugins_is_disabled(const char *config, const char *id)
{
    struct mcph_json_iter items;
    struct mcph_span item;

    if (!config)
        return false;
    mcph_json_iter_init(
        &items,
        mcph_json_get(mcph_json_get(mcph_span_str(config), "plugins"), "disabled"));
    while (mcph_json_iter_next(&items, NULL, &item))
        if (mcph_json_string_is(item, id, strlen(id)))
            return true;
    return false;
}

/* The name in a string "${NAME}", to be freed.  NULL: the value is no such string, or
 * there is no memory. */
static char *
variable_of(struct mcph_span token)
{
    char *text = NULL;
    size_t len;

    if (mcph_json_type(token) != MCPH_JSON_STRING ||
        mcph_json_string_dup(token, &text) < 0)
        return NULL;
    len = strlen(text);
    if (len < 4 || strncmp(text, "${", 2) != 0 || text[len - 1] != '}') {
        free(text);
        return NULL;
    }
    memmove(text, text + 2, len - 3);
    text[len - 3] = '\0';
    return text;
}

static int
add_variable(struct mcph_buf *buf, mcphost *host, const char *name)
{
    char *value = NULL;
    int r;

    mcph_core_lock(host->core);
    r = mcph_pool_get_variable(host->pool, name, &value);
    mcph_core_unlock(host->core);
    if (r == 0)
        r = mcph_json_add_str(buf, value ? value : "");
    free(value);
    return r;
}

static int
add_value(struct mcph_buf *buf, mcphost *host, struct mcph_span value)
{
    char *name = variable_of(value);
    struct mcph_json_iter members;
    struct mcph_span key, inner;
    int r = 0;

    if (name)
        r = add_variable(buf, host, name);
    else if (mcph_json_type(value) != MCPH_JSON_OBJECT)
        r = mcph_buf_add(buf, value.p, value.len);
    free(name);
    if (r < 0 || mcph_json_type(value) != MCPH_JSON_OBJECT)
        return r;
    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&members, value);
    while (r == 0 && mcph_json_iter_next(&members, &key, &inner)) {
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, key.p, key.len);
        mcph_buf_addc(buf, ':');
        r = add_value(buf, host, inner);
    }
    mcph_buf_addc(buf, '}');
    return r < 0 ? r : mcph_buf_ok(buf);
}

/* Finds the settings of a plugin.  If the key occurs twice, which JSON allows without
 * saying what it means, the last one counts. */
static struct mcph_span
find(const char *config, const char *id)
{
    struct mcph_span key, value, found = MCPH_SPAN_NONE;
    struct mcph_json_iter members;

    mcph_json_iter_init(&members, mcph_json_get(mcph_span_str(config), "tool_configs"));
    while (mcph_json_iter_next(&members, &key, &value))
        if (mcph_json_string_is(key, id, strlen(id)))
            found = value;
    return found;
}

int
mcph_plugins_settings(mcphost *host, const char *config, const char *id, char **ret_json,
                      char **ret_shown)
{
    struct mcph_span own = config ? find(config, id) : MCPH_SPAN_NONE;
    struct mcph_buf buf;
    char *shown;
    int r;

    *ret_json = *ret_shown = NULL;
    if (!own.p)
        return 0;
    mcph_buf_init(&buf, TEXT_MAX);
    r = add_value(&buf, host, own);
    shown = mcph_strndup(own.p, own.len);
    if (r == 0)
        r = shown ? mcph_buf_give(&buf, ret_json, NULL) : MCPHOST_E_NOMEM;
    if (r < 0) {
        mcph_buf_wipe(&buf);
        free(shown);
        return r;
    }
    *ret_shown = shown;
    return 0;
}
