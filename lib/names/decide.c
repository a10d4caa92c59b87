/* SPDX-License-Identifier: MIT
 *
 * decide.c - the fate of one tool name (B.8, steps 1 to 4): original validity,
 * filter on the original, transforms, name policy, validity of the outcome.
 *
 * The first rule that hits decides, so an invalid name is reported as invalid
 * also when the filter would have dropped it.
 */
#include <string.h>

#include "names/names.h"

/* What a name may grow to on its way; one that grows beyond is too long, even if
 * later steps would strip it again.  Bounds the work for each tool of a server. */
#define TRANSFORMED_MAX ((size_t)64 * 1024)

static void
keep_name(struct mcph_name_decision *d, const char *name, size_t len)
{
    memcpy(d->name, name, len);
    d->name[len] = '\0';
    d->len = len;
}

/* The beginning of a bad name, fit for a message; what cannot be cleaned for
 * lack of memory is left out. */
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
        /* Never end in the middle of a character. */
        while (n < clean.len && n > 0 && ((unsigned char)clean.data[n] & 0xc0) == 0x80)
            n--;
        if (n > 0)
            keep_name(d, clean.data, n);
    }
    mcph_buf_done(&clean);
    return r;
}

/* What can be mapped: it is sent to the server as it is, also as a header. */
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

/* What has a normal form: anything that can be kept, sent and shown as a text of one
 * line. */
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

/* The rule that the original name breaks. */
static int
check_original(const struct mcph_name_rules *rules, const char *name, size_t len)
{
    int rule;

    if (rules->policy == MCPH_NAME_POLICY_FULL)
        return check_line(name, len);
    rule = mcph_name_check(name, len);
    if (rule != MCPH_NAME_RULE_NONE && mcph_transform_maps(rules->transform))
        rule = check_mapped(name, len);
    return rule;
}

/* Without transforms and a name policy nothing changes a name (R46, R49). */
static bool
is_kept(const struct mcph_name_rules *rules)
{
    return rules->policy == MCPH_NAME_POLICY_TRANSFORMS &&
           (!rules->transform || rules->transform->n == 0);
}

/* The configured transforms, then the name policy. */
static int
rename_by(const struct mcph_name_rules *rules, const char *name, size_t len,
          struct mcph_buf *buf)
{
    struct mcph_buf made;
    int r, added = 0;

    mcph_buf_init(&made, TRANSFORMED_MAX);
    if (rules->transform)
        r = mcph_transform_apply(rules->transform, name, len, rules->hashed, &made);
    else
        r = mcph_buf_add(&made, name, len);
    if (rules->policy == MCPH_NAME_POLICY_SERVER)
        added = mcph_buf_addf(buf, "%s__", rules->server);
    /* What is too long is shown, too. */
    if (rules->policy == MCPH_NAME_POLICY_FULL)
        added =
            mcph_name_add_full(rules->server, made.data ? made.data : "", made.len, buf);
    else if (added == 0)
        added = mcph_buf_add(buf, made.data, made.len);
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

    if (is_kept(rules)) {
        keep_name(&d, name, len);
        goto out;
    }
    r = rename_by(rules, name, len, &buf);
    if (r < 0 && r != MCPHOST_E_LIMIT)
        goto out;
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
