/* SPDX-License-Identifier: MIT
 *
 * show.c - show the keys that are set in a server's entry, as JSON for people and tools.
 *
 * Texts that may be secrets are hidden: the texts in struct mcph_value (literals and
 * prefixes), JSON objects, the session id, and the userinfo and query of the key "url".
 * The names of variables and headers are shown.  The texts of all other keys are shown in
 * full, also `args` and the URLs of "auth".
 */
#include <string.h>

#include "config/config.h"
#include "json/json.h"

#define HIDDEN "(hidden)"

void
mcph_url_show(const char *url, struct mcph_buf *buf)
{
    const char *host = strstr(url, "://"), *path, *at = NULL;

    host = host ? host + 3 : url;
    path = host + strcspn(host, "/?");
    for (const char *p = host; p < path; p++) {
        if (*p == '@')
            at = p;
    }
    mcph_buf_add(buf, url, (size_t)(host - url));
    if (at)
        mcph_buf_adds(buf, HIDDEN);
    host = at ? at : host;
    mcph_buf_add(buf, host, strcspn(host, "?"));
    if (strchr(host, '?'))
        mcph_buf_adds(buf, "?" HIDDEN);
}

static void
show_url(const char *url, struct mcph_buf *buf)
{
    struct mcph_buf shown;

    mcph_buf_init(&shown, SIZE_MAX);
    mcph_url_show(url, &shown);
    if (mcph_buf_ok(&shown) < 0)
        buf->err = shown.err;
    else
        mcph_json_add_string(buf, shown.data, shown.len);
    mcph_buf_done(&shown);
}

static void
show_value(const struct mcph_value *value, struct mcph_buf *buf)
{
    if (!value->env) {
        mcph_json_add_str(buf, HIDDEN);
        return;
    }
    mcph_buf_addc(buf, '{');
    if (*value->text)
        mcph_json_add_member(buf, "prefix", HIDDEN);
    mcph_json_add_member(buf, "env", value->env);
    mcph_buf_addc(buf, '}');
}

static void
show_values(const struct mcph_key *key, const struct mcph_values *values,
            struct mcph_buf *buf)
{
    if (key->kind == MCPH_KEY_VALUE) {
        show_value(&values->items[0], buf);
        return;
    }
    mcph_buf_addc(buf, '{');
    for (size_t i = 0; i < values->n; i++) {
        mcph_json_add_key(buf, values->items[i].name);
        show_value(&values->items[i], buf);
    }
    mcph_buf_addc(buf, '}');
}

static void
show_step(const struct mcph_transform_step *step, struct mcph_buf *buf)
{
    static const char *const names[] = {[MCPH_TRANSFORM_PREFIX] = "prefix",
                                        [MCPH_TRANSFORM_SUFFIX] = "suffix",
                                        [MCPH_TRANSFORM_MAP] = "map"};

    mcph_buf_addc(buf, '{');
    mcph_json_add_key(buf, names[step->kind]);
    if (step->remove_len > 0) {
        mcph_buf_addc(buf, '{');
        mcph_json_add_key(buf, "remove");
        mcph_json_add_string(buf, step->remove, step->remove_len);
        mcph_json_add_key(buf, "add");
    }
    mcph_json_add_string(buf, step->add, step->add_len);
    mcph_buf_adds(buf, step->remove_len > 0 ? "}}" : "}");
}

static void
show_list(const struct mcph_key *key, const void *field, struct mcph_buf *buf)
{
    const struct mcph_strings *strings = field;
    const struct mcph_patterns *patterns;
    const mcphost_transform *transform;

    mcph_buf_addc(buf, '[');
    if (key->kind == MCPH_KEY_STRINGS) {
        for (size_t i = 0; i < strings->n; i++) {
            mcph_json_add_comma(buf);
            mcph_json_add_str(buf, strings->items[i]);
        }
    } else if (key->kind == MCPH_KEY_PATTERNS) {
        patterns = &(*(mcphost_filter *const *)field)->lists[key->number];
        for (size_t i = 0; i < patterns->n; i++) {
            mcph_json_add_comma(buf);
            mcph_json_add_string(buf, patterns->items[i].text, patterns->items[i].len);
        }
    } else {
        transform = *(mcphost_transform *const *)field;
        for (size_t i = 0; i < transform->n; i++) {
            mcph_json_add_comma(buf);
            show_step(&transform->steps[i], buf);
        }
    }
    mcph_buf_addc(buf, ']');
}

static void
show_field(const struct mcph_key *key, const void *field, struct mcph_buf *buf)
{
    switch (key->kind) {
    case MCPH_KEY_URL:
        show_url(*(char *const *)field, buf);
        break;
    case MCPH_KEY_SESSION:
    case MCPH_KEY_OBJECT:
        mcph_json_add_str(buf, HIDDEN);
        break;
    case MCPH_KEY_STRINGS:
    case MCPH_KEY_PATTERNS:
    case MCPH_KEY_STEPS:
        show_list(key, field, buf);
        break;
    case MCPH_KEY_TIME:
        mcph_json_add_double(buf, (double)*(const int64_t *)field / 1000);
        break;
    case MCPH_KEY_COUNT:
        mcph_buf_addi(buf, (int64_t) * (const size_t *)field);
        break;
    case MCPH_KEY_BOOL:
        mcph_json_add_bool(buf, *(const bool *)field);
        break;
    case MCPH_KEY_CHOICE:
    case MCPH_KEY_TRANSPORT:
        mcph_json_add_str(buf, mcphost_enum_get_name(key->values, *(const int *)field));
        break;
    default:
        if (mcph_key_has_values(key))
            show_values(key, field, buf);
        else
            mcph_json_add_str(buf, *(char *const *)field);
    }
}

int
mcph_spec_show(const struct mcph_spec *spec, struct mcph_buf *buf)
{
    const struct mcph_key *key;

    mcph_buf_addc(buf, '{');
    for (size_t i = 0; (key = mcph_key_at(i)); i++) {
        if (!mcph_key_is_set(key, spec))
            continue;
        mcph_json_add_key(buf, key->name);
        show_field(key, mcph_key_get(key, spec), buf);
    }
    mcph_buf_addc(buf, '}');
    return mcph_buf_ok(buf);
}
