/* SPDX-License-Identifier: MIT
 *
 * decide.c - decide on one tool name (B.8, steps 1 to 4): validity of the original name,
 * filter on the original name, transforms, name policy, validity of the final name.
 *
 * The first rule that applies decides.  Therefore an invalid name is reported as invalid
 * even if the filter would have removed it.
 */
#include <string.h>

#include "names/names.h"

/* Limit on the bytes of a name between two steps.  A longer name is rejected as too long,
 * even if later steps would shorten it.  The limit bounds the work for each tool of a
 * server. */
#define TRANSFORMED_MAX ((size_t)64 * 1024)

static void
keep_name(struct mcph_name_decision *d, const char *name, size_t len)
{
    memcpy(d->name, name, len);
    d->name[len] = '\0';
    d->len = len;
}

/* Keeps the beginning of a bad name, or of a reason, cleaned for a message.  If memory is
 * short, keeps nothing and returns MCPHOST_E_NOMEM. */
static int
keep_shown(struct mcph_name_decision *d, const char *name, size_t len)
{
    struct mcph_buf clean;
    size_t n;
    int r;

    if (len > MCPH_NAME_SHOWN_MAX)
        len = MCPH_NAME_SHOWN_MAX;
    mcph_buf_init(&clean, (size_t)4 * MCPH_NAME_SHOWN_MAX);
    r = mcph_utf8_add_clean(&clean, name, len, true);
    if (r == 0) {
        n = clean.len < MCPH_NAME_SHOWN_MAX ? clean.len : MCPH_NAME_SHOWN_MAX;
        /* Do not end in the middle of a character. */
        while (n < clean.len && n > 0 && ((unsigned char)clean.data[n] & 0xc0) == 0x80)
            n--;
        if (n > 0)
            keep_name(d, clean.data, n);
    }
    mcph_buf_done(&clean);
    return r;
}

/* Checks a name before a map changes it.  The name must be printable ASCII, because the
 * host still sends the original name to the server, also in a header. */
static int
check_mapped(const char *name, size_t len)
{
    if (len == 0)
        return MCPH_NAME_RULE_EMPTY;
    if (len > MCPH_NAME_TEXT_MAX)
        return MCPH_NAME_RULE_LENGTH;
    for (size_t i = 0; i < len; i++) {
        if (name[i] < 0x20 || name[i] > 0x7e)
            return MCPH_NAME_RULE_CHARACTER;
    }
    return MCPH_NAME_RULE_NONE;
}

/* Checks an original name that need not be valid.  The name must be a text of one line,
 * because the host keeps, sends and shows the name. */
static int
check_line(const char *name, size_t len)
{
    if (len > MCPH_NAME_TEXT_MAX)
        return MCPH_NAME_RULE_LINE;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return MCPH_NAME_RULE_LINE;
    }
    return MCPH_NAME_RULE_NONE;
}

bool
mcph_naming_takes_any(const struct mcph_naming *naming)
{
    return naming->policy == MCPH_NAME_POLICY_FULL ||
           naming->policy == MCPH_NAME_POLICY_CALLBACK;
}

/* Returns the rule that the original name breaks, or MCPH_NAME_RULE_NONE. */
static int
check_original(const struct mcph_name_rules *rules, const char *name, size_t len)
{
    int rule;

    if (mcph_naming_takes_any(&rules->naming))
        return check_line(name, len);
    rule = mcph_name_check(name, len);
    if (rule != MCPH_NAME_RULE_NONE && mcph_transform_maps(rules->transform))
        rule = check_mapped(name, len);
    return rule;
}

/* Returns true if there is neither a transform nor a name policy that changes a name
 * (R46, R49). */
static bool
keeps_names(const struct mcph_name_rules *rules)
{
    return rules->naming.policy == MCPH_NAME_POLICY_TRANSFORMS &&
           (!rules->transform || rules->transform->n == 0);
}

/* Lets the application's function make the name, or give a reason for its refusal.  Does
 * not pass a name that contains a NUL to the function, because the function gets a C
 * string.  This name stays unchanged and breaks a rule later. */
static int
ask_name_function(const struct mcph_name_rules *rules, struct mcph_buf *name,
                  struct mcph_buf *buf, struct mcph_name_decision *d)
{
    const struct mcph_naming *naming = &rules->naming;
    char made[MCPH_NAME_ROOM] = "";
    size_t len = name->len;
    int r = mcph_buf_addc(name, '\0');

    if (r < 0)
        return r;
    if (strlen(name->data) < len)
        return mcph_buf_add(buf, name->data, len);
    if (!naming->fn) {
        d->verdict = MCPH_NAME_REFUSED;
        return mcph_buf_adds(buf, "no name function is set");
    }
    if (naming->fn(rules->server, name->data, made, sizeof(made), naming->arg) != 0)
        d->verdict = MCPH_NAME_REFUSED;
    return mcph_buf_add(buf, made, strnlen(made, sizeof(made)));
}

/* Applies the name policy to the transformed name. */
static int
apply_policy(const struct mcph_name_rules *rules, struct mcph_buf *made,
             struct mcph_buf *buf, struct mcph_name_decision *d)
{
    switch (rules->naming.policy) {
    case MCPH_NAME_POLICY_FULL:
        return mcph_name_add_full(rules->server, made->data ? made->data : "", made->len,
                                  buf);
    case MCPH_NAME_POLICY_CALLBACK:
        return ask_name_function(rules, made, buf, d);
    case MCPH_NAME_POLICY_SERVER:
        mcph_buf_addf(buf, "%s__", rules->server);
        break;
    default:
        break;
    }
    return mcph_buf_add(buf, made->data, made->len);
}

/* Applies the configured transforms, then the name policy. */
static int
rename_by(const struct mcph_name_rules *rules, const char *name, size_t len,
          struct mcph_buf *buf, struct mcph_name_decision *d)
{
    struct mcph_buf made;
    int r, added;

    mcph_buf_init(&made, TRANSFORMED_MAX);
    if (rules->transform)
        r = mcph_transform_apply(rules->transform, name, len, rules->hashed, &made);
    else
        r = mcph_buf_add(&made, name, len);
    /* Do not pass an overlong name to the application's function.  Keep the name, so that
     * the message can show it. */
    if (r < 0 && rules->naming.policy == MCPH_NAME_POLICY_CALLBACK)
        added = mcph_buf_add(buf, made.data, made.len);
    else
        added = apply_policy(rules, &made, buf, d);
    if (r == 0)
        r = added;
    mcph_buf_done(&made);
    return r;
}

int
mcph_name_decide(const struct mcph_name_rules *rules, const char *name, size_t len,
                 struct mcph_name_decision *ret_decision)
{
    struct mcph_name_decision d = {.verdict = MCPH_NAME_ACCEPTED};
    struct mcph_buf buf;
    int r = 0;

    mcph_buf_init(&buf, TRANSFORMED_MAX);

    d.rule = check_original(rules, name, len);
    if (d.rule != MCPH_NAME_RULE_NONE) {
        d.verdict = MCPH_NAME_INVALID;
        goto out;
    }

    switch (mcph_filter_decide(rules->filter, name, len, &d.pattern)) {
    case MCPHOST_FILTER_BLACKLISTED:
        d.verdict = MCPH_NAME_BLACKLISTED;
        goto out;
    case MCPHOST_FILTER_NOT_WHITELISTED:
        d.verdict = MCPH_NAME_NOT_WHITELISTED;
        goto out;
    default:
        d.pattern = NULL;
    }

    if (keeps_names(rules)) {
        keep_name(&d, name, len);
        goto out;
    }
    r = rename_by(rules, name, len, &buf, &d);
    if (r < 0 && r != MCPHOST_E_LIMIT)
        goto out;
    if (d.verdict == MCPH_NAME_REFUSED) {
        r = keep_shown(&d, buf.data, buf.len);
        goto out;
    }
    d.rule = r < 0 ? MCPH_NAME_RULE_LENGTH : mcph_name_check(buf.data, buf.len);
    if (d.rule == MCPH_NAME_RULE_NONE) {
        keep_name(&d, buf.data, buf.len);
    } else {
        d.verdict = MCPH_NAME_INVALID_TRANSFORMED;
        r = keep_shown(&d, buf.data, buf.len);
    }
out:
    mcph_buf_done(&buf);
    if (r == 0)
        *ret_decision = d;
    return r;
}
