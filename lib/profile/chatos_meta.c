/* SPDX-License-Identifier: MIT
 *
 * chatos_meta.c - make the `_meta` that an app's own server gets with each call
 * (R135-R139, B.24).  The members of the app's `callMeta`, with their variables replaced,
 * override the defaults of the host.  Unless MCPHOST_CHATOS_IDENTITY is set, `callMeta`
 * cannot override the members in "uiApp".
 *
 *   {"chatos": {"uiApp": {"appId": ..., "dataDir": ..., ...}}, "workdir": ...}
 *
 * The fields in this file are sorted by their names, because mcph_json_add_merged() needs
 * objects in canonical form.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"

#define BARE 1 /* MCPHOST_CHATOS_BARE leaves the field out */

/* The fields of an app's place, sorted by the bytes of their names. */
static const struct field {
    const char *name;
    size_t offset;
    int flags;
} fields[] = {
    {"appId", offsetof(struct mcph_chatos_place, app_id), 0},
    {"dataDir", offsetof(struct mcph_chatos_place, data_dir), 0},
    {"pluginDir", offsetof(struct mcph_chatos_place, plugin_dir), 0},
    {"pluginId", offsetof(struct mcph_chatos_place, plugin_id), 0},
    {"projectRoot", offsetof(struct mcph_chatos_place, project_root), BARE},
    {"sessionRoot", offsetof(struct mcph_chatos_place, session_root), BARE},
    {"stateDir", offsetof(struct mcph_chatos_place, state_dir), 0},
};

struct meta {
    const struct mcph_chatos_place *place;
    uint64_t flags; /* flags of enum mcphost_chatos_flag */
};

/* Returns the value of a field, or NULL if the value is not known.  An empty value counts
 * as not known. */
static const char *
value_of(const struct meta *m, const struct field *field)
{
    const char *const *value = (const void *)((const char *)m->place + field->offset);

    return *value && **value ? *value : NULL;
}

/* ---- defaults (R136, R137) --------------------------------------------------------- */

static bool
is_shown(const struct meta *m, const struct field *field)
{
    return value_of(m, field) && !(field->flags & BARE && m->flags & MCPHOST_CHATOS_BARE);
}

/* Adds the member `chatos` if is_shown() accepts at least one field. */
static void
add_identity(const struct meta *m, struct mcph_buf *buf)
{
    bool opened = false;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(fields); i++) {
        if (!is_shown(m, &fields[i]))
            continue;
        if (!opened)
            mcph_buf_adds(buf, "\"chatos\":{\"uiApp\":{");
        opened = true;
        mcph_json_add_member(buf, fields[i].name, value_of(m, &fields[i]));
    }
    if (opened)
        mcph_buf_adds(buf, "}}");
}

static int
add_defaults(const struct meta *m, struct mcph_buf *buf, bool workdir)
{
    const char *dir = m->place->data_dir;

    mcph_buf_addc(buf, '{');
    add_identity(m, buf);
    if (workdir && dir && *dir)
        mcph_json_add_member(buf, "workdir", dir);
    return mcph_buf_addc(buf, '}');
}

/* ---- variables (R138) -------------------------------------------------------------- */

/* Returns the variable at the beginning of the text, for example "$dataDir", or NULL if
 * there is no variable.  If several names match, the longest name counts. */
static const struct field *
variable_at(struct mcph_span text)
{
    const struct field *found = NULL;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(fields); i++) {
        size_t len = strlen(fields[i].name);

        if (text.len > len && text.p[0] == '$' &&
            memcmp(text.p + 1, fields[i].name, len) == 0 &&
            (!found || len > strlen(found->name)))
            found = &fields[i];
    }
    return found;
}

/* Adds a text and replaces all its variables, for MCPHOST_CHATOS_SUBSTITUTE.  Replaces a
 * variable without a value by nothing. */
static int
add_replaced(const struct meta *m, struct mcph_span text, struct mcph_buf *buf)
{
    struct mcph_buf made;
    int r;

    mcph_buf_init(&made, MCPH_CHATOS_META_MAX);
    while (text.len > 0) {
        const struct field *field = variable_at(text);
        size_t n = field ? strlen(field->name) + 1 : 1;
        const char *value = field ? value_of(m, field) : NULL;

        if (!field)
            mcph_buf_addc(&made, *text.p);
        else if (value)
            mcph_buf_adds(&made, value);
        text = mcph_span(text.p + n, text.len - n);
    }
    r = mcph_buf_ok(&made);
    if (r == 0)
        r = mcph_json_add_string(buf, made.data ? made.data : "", made.len);
    mcph_buf_wipe(&made);
    return r;
}

static int
add_text(const struct meta *m, struct mcph_span token, struct mcph_buf *buf)
{
    const struct field *field;
    const char *value = NULL;
    struct mcph_buf decoded;
    struct mcph_span text;
    int r;

    mcph_buf_init(&decoded, token.len + 1);
    r = mcph_json_string_get(token, &decoded, &text);
    if (r == 0 && memchr(text.p, '$', text.len)) {
        field = variable_at(text);
        if (field && text.len == strlen(field->name) + 1)
            value = value_of(m, field);
        if (m->flags & MCPHOST_CHATOS_SUBSTITUTE)
            r = add_replaced(m, text, buf);
        else if (value)
            r = mcph_json_add_str(buf, value);
        else
            r = mcph_buf_add(buf, token.p, token.len);
    } else if (r == 0) {
        r = mcph_buf_add(buf, token.p, token.len);
    }
    mcph_buf_wipe(&decoded);
    return r;
}

/* Adds a value with its variables replaced.  Does not change the names of members.  The
 * function is recursive.  expand_meta() limits the nesting depth. */
static int
add_expanded(const struct meta *m, struct mcph_span value, struct mcph_buf *buf)
{
    int type = mcph_json_type(value);
    struct mcph_json_iter items;
    struct mcph_span key, item;
    int r = 0;

    if (type == MCPH_JSON_STRING)
        return add_text(m, value, buf);
    if (type != MCPH_JSON_OBJECT && type != MCPH_JSON_ARRAY)
        return mcph_buf_add(buf, value.p, value.len);
    mcph_buf_addc(buf, type == MCPH_JSON_OBJECT ? '{' : '[');
    mcph_json_iter_init(&items, value);
    while (r == 0 && mcph_json_iter_next(&items, &key, &item)) {
        mcph_json_add_comma(buf);
        if (key.p) {
            mcph_buf_add(buf, key.p, key.len);
            mcph_buf_addc(buf, ':');
        }
        r = add_expanded(m, item, buf);
    }
    if (r == 0)
        r = mcph_buf_addc(buf, type == MCPH_JSON_OBJECT ? '}' : ']');
    return r;
}

/* ---- the result -------------------------------------------------------------------- */

/* Adds callMeta in canonical form, with its variables replaced.  If `call_meta` is NULL,
 * adds an empty object. */
static int
expand_meta(const struct meta *m, const char *call_meta, struct mcph_buf *buf)
{
    struct mcph_buf canonical;
    struct mcph_span value;
    int r;

    if (!call_meta)
        return mcph_buf_adds(buf, "{}");
    r = mcph_json_check(mcph_span_str(call_meta), MCPH_CHATOS_META_DEPTH, &value, NULL);
    if (r == 0 && mcph_json_type(value) != MCPH_JSON_OBJECT)
        r = MCPHOST_E_INVALID;
    if (r < 0)
        return r;
    mcph_buf_init(&canonical, MCPH_CHATOS_META_MAX);
    r = mcph_json_add_canonical(&canonical, value);
    if (r == 0)
        r = add_expanded(m, mcph_span(canonical.data, canonical.len), buf);
    mcph_buf_wipe(&canonical);
    return r;
}

static struct mcph_span
span_of(const struct mcph_buf *buf)
{
    return mcph_span(buf->data, buf->len);
}

int
mcph_chatos_call_meta(const char *call_meta, const struct mcph_chatos_place *place,
                      uint64_t flags, char **ret_meta)
{
    enum { DEFAULTS, GIVEN, MERGED, IDENTITY, WHOLE, N };
    struct meta m = {.place = place, .flags = flags};
    struct mcph_buf bufs[N];
    int r, last = MERGED;

    for (int i = 0; i < N; i++)
        mcph_buf_init(&bufs[i], MCPH_CHATOS_META_MAX);
    r = add_defaults(&m, &bufs[DEFAULTS], !(flags & MCPHOST_CHATOS_BARE));
    if (r == 0)
        r = expand_meta(&m, call_meta, &bufs[GIVEN]);
    if (r == 0)
        r = mcph_json_add_merged(&bufs[MERGED], span_of(&bufs[DEFAULTS]),
                                 span_of(&bufs[GIVEN]));
    /* Merge the identity last, so that callMeta cannot claim the identity of another
     * app. */
    if (r == 0 && !(flags & MCPHOST_CHATOS_IDENTITY)) {
        last = WHOLE;
        r = add_defaults(&m, &bufs[IDENTITY], false);
        if (r == 0)
            r = mcph_json_add_merged(&bufs[WHOLE], span_of(&bufs[MERGED]),
                                     span_of(&bufs[IDENTITY]));
    }
    if (r == 0 && bufs[last].len == 2) /* the object is empty */
        *ret_meta = NULL;
    else if (r == 0)
        r = mcph_buf_give(&bufs[last], ret_meta, NULL);
    for (int i = 0; i < N; i++)
        mcph_buf_wipe(&bufs[i]);
    return r;
}
