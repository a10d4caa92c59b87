/* SPDX-License-Identifier: MIT
 *
 * settings.c - the configuration of a provider: its defaults, overridden by its settings.
 *
 * The two texts do not change after the start.  They are merged whenever the
 * configuration is read.
 */
#include <stdlib.h>
#include <string.h>

#include "provide/inner.h"

#define TEXT_MAX  ((size_t)1024 * 1024)
#define DEPTH_MAX 64
#define MASKED    "\"***\""

/* ---- setting ----------------------------------------------------------------------- */

static int
set_text(mcphost_provider *provider, char **place, struct mcph_span json,
         const char *what, mcphost_error **reterr)
{
    struct mcph_span object;
    char *copy, *old;
    int r;

    if (json.len > TEXT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "%s are longer than %zu bytes", what,
                        TEXT_MAX);
    r = mcph_json_check_input(json, DEPTH_MAX, MCPH_JSON_OBJECT, what, &object, reterr);
    if (r < 0)
        return r;
    copy = mcph_strndup(object.p, object.len);
    if (!copy)
        return mcph_err_nomem(reterr);
    r = mcph_provider_enter_new(provider);
    if (r < 0) {
        free(copy);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    old = *place;
    *place = copy;
    mcph_core_leave(provider->core);
    free(old);
    return 0;
}

int
mcph_provider_set_defaults(mcphost_provider *provider, struct mcph_span json,
                           mcphost_error **reterr)
{
    return set_text(provider, &provider->defaults, json, "the defaults of a provider",
                    reterr);
}

int
mcph_provider_set_config(mcphost_provider *provider, struct mcph_span json,
                         mcphost_error **reterr)
{
    return set_text(provider, &provider->config, json, "the settings of a provider",
                    reterr);
}

/* ---- merging ----------------------------------------------------------------------- */

/* Returns the last member with this name: JSON does not define which of two members
 * counts. */
static struct mcph_span
last_member(struct mcph_span object, struct mcph_span name)
{
    struct mcph_span key, value, found = MCPH_SPAN_NONE;
    struct mcph_json_iter members;

    mcph_json_iter_init(&members, object);
    while (mcph_json_iter_next(&members, &key, &value))
        if (mcph_json_string_eq(key, name))
            found = value;
    return found;
}

static bool
is_secret(struct mcph_span key)
{
    char *name = NULL;
    bool secret = true;

    if (mcph_json_string_show(key, &name) == 0)
        secret = mcph_mask_is_secret_name(name);
    free(name);
    return secret;
}

static void add_merged(struct mcph_buf *buf, struct mcph_span below,
                       struct mcph_span above, bool masks);

static void
add_member(struct mcph_buf *buf, struct mcph_span key, struct mcph_span below,
           struct mcph_span above, bool masks)
{
    mcph_json_add_comma(buf);
    mcph_buf_add(buf, key.p, key.len);
    mcph_buf_addc(buf, ':');
    if (masks && is_secret(key))
        mcph_buf_adds(buf, MASKED);
    else
        add_merged(buf, below, above, masks);
}

/* Adds an array, in whose objects the secret members are masked. */
static void
add_masked_array(struct mcph_buf *buf, struct mcph_span array)
{
    struct mcph_json_iter items;
    struct mcph_span item;

    mcph_buf_addc(buf, '[');
    mcph_json_iter_init(&items, array);
    while (mcph_json_iter_next(&items, NULL, &item)) {
        mcph_json_add_comma(buf);
        add_merged(buf, MCPH_SPAN_NONE, item, true);
    }
    mcph_buf_addc(buf, ']');
}

/* Adds the default `below` overridden by the setting `above`; p NULL: not there. */
static void
add_merged(struct mcph_buf *buf, struct mcph_span below, struct mcph_span above,
           bool masks)
{
    struct mcph_span key, value, first = above.p ? above : below;
    bool both = mcph_json_type(below) == MCPH_JSON_OBJECT &&
                mcph_json_type(above) == MCPH_JSON_OBJECT;
    struct mcph_json_iter members;

    if (mcph_json_type(first) != MCPH_JSON_OBJECT) {
        if (masks && mcph_json_type(first) == MCPH_JSON_ARRAY)
            add_masked_array(buf, first);
        else
            mcph_rpc_add_oneline(buf, first);
        return;
    }
    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&members, both ? below : first);
    while (mcph_json_iter_next(&members, &key, &value))
        add_member(buf, key, value, both ? last_member(above, key) : MCPH_SPAN_NONE,
                   masks);
    mcph_json_iter_init(&members, both ? above : MCPH_SPAN_NONE);
    while (mcph_json_iter_next(&members, &key, &value))
        if (!last_member(below, key).p)
            add_member(buf, key, MCPH_SPAN_NONE, value, masks);
    mcph_buf_addc(buf, '}');
}

/* Returns the last member with this name; `value` need not be an object. */
static struct mcph_span
member_named(struct mcph_span value, const char *name, size_t len)
{
    struct mcph_span key, found = MCPH_SPAN_NONE, next;
    struct mcph_json_iter members;

    if (mcph_json_type(value) != MCPH_JSON_OBJECT)
        return found;
    mcph_json_iter_init(&members, value);
    while (mcph_json_iter_next(&members, &key, &next))
        if (mcph_json_string_is(key, name, len))
            found = next;
    return found;
}

int
mcph_provider_dup_config(mcphost_provider *provider, const char *path, char **ret_json,
                         size_t *ret_len)
{
    struct mcph_span below =
        mcph_span_str(provider->defaults ? provider->defaults : "{}");
    struct mcph_span above = mcph_span_str(provider->config ? provider->config : "{}");
    struct mcph_buf buf;

    while (*path) {
        size_t len = strcspn(path, ".");
        struct mcph_span set_here = member_named(above, path, len);

        /* A setting that is not an object replaces the whole default. */
        below = set_here.p && mcph_json_type(set_here) != MCPH_JSON_OBJECT
                    ? MCPH_SPAN_NONE
                    : member_named(below, path, len);
        if (above.p && mcph_json_type(above) != MCPH_JSON_OBJECT)
            below = MCPH_SPAN_NONE;
        above = set_here;
        path += len + (path[len] == '.');
        if (!above.p && !below.p)
            return MCPHOST_E_NOTFOUND;
    }
    mcph_buf_init(&buf, 4 * TEXT_MAX);
    add_merged(&buf, below, above, false);
    return mcph_buf_give(&buf, ret_json, ret_len);
}

void
mcph_provider_log_config(mcphost_provider *provider)
{
    const char *defaults = provider->defaults, *config = provider->config;
    struct mcph_buf buf;

    if (!defaults && !config)
        return;
    if (provider->config_shown)
        config = provider->config_shown;
    mcph_buf_init(&buf, 4 * TEXT_MAX);
    add_merged(&buf, mcph_span_str(defaults ? defaults : "{}"),
               mcph_span_str(config ? config : "{}"), true);
    mcph_log(provider->core, MCPHOST_LOG_INFO, "provide", provider->id,
             "its configuration: %s", mcph_buf_ok(&buf) < 0 ? "?" : mcph_buf_text(&buf));
    mcph_buf_done(&buf);
}
