/* SPDX-License-Identifier: MIT
 *
 * check.c - check a value against the rules of a node, within limits.
 *
 * The schema is only read.  `struct mcph_schema_check` holds all state and belongs to one
 * thread.  An error in `err` ends the check early.  After this error, the results of the
 * functions do not count, because check_tape() returns the error.  While `quiet` is above
 * 0, a failure is allowed.  In this case no error is reported, and each node stops at its
 * first failure.
 *
 * The limits of steps and of time bound the cost of an `allOf` that doubles at each
 * level.  The limit of depth stops references that lead back to themselves.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define HEAP_LIMIT    (4 * 1024) /* PCRE2's heap limit in KiB */
#define MATCH_LIMIT   1000000    /* PCRE2's match limit for PATTERN_COUNTED */
#define FIRST_LIMIT   64         /* PCRE2's first match limit for the other patterns */
#define WORDS         256
#define COST_OF_ERROR 64

bool
mcph_check_stop(struct mcph_schema_check *c, int err, const char *why)
{
    if (!c->err) {
        c->err = err;
        c->why = why;
    }
    return false;
}

bool
mcph_check_spent(struct mcph_schema_check *c)
{
    return mcph_check_stop(c, c->budget->err,
                           c->budget->err == MCPHOST_E_LIMIT
                               ? "checking takes too many steps"
                               : "checking takes too long");
}

bool
mcph_check_loud(const struct mcph_schema_check *c)
{
    return c->report && c->quiet == 0;
}

bool
mcph_check_full(const struct mcph_schema_check *c)
{
    return c->report && c->report->n >= c->report->max;
}

/* Returns true if the report must describe an error.  Charges the cost of the
 * description.  If the report is full, counts the error and returns false. */
static bool
must_report(struct mcph_schema_check *c)
{
    if (!mcph_check_loud(c) || c->err)
        return false;
    if (!mcph_check_full(c))
        return mcph_check_spend(c, COST_OF_ERROR);
    c->report->more++;
    return false;
}

/* ---- errors ------------------------------------------------------------------------ */

bool
mcph_check_fail_found(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                      int keyword, const char *found, const char *fmt, ...)
{
    char expected[WORDS];
    va_list ap;

    if (!must_report(c))
        return false;
    va_start(ap, fmt);
    vsnprintf(expected, sizeof(expected), fmt, ap);
    va_end(ap);
    if (mcph_report_add(c->report, c->way, node, keyword, expected, found) < 0)
        return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
    return false;
}

bool
mcph_check_fail(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                int keyword, uint32_t at, const char *fmt, ...)
{
    char expected[WORDS], found[WORDS];
    va_list ap;

    if (!must_report(c))
        return false;
    va_start(ap, fmt);
    vsnprintf(expected, sizeof(expected), fmt, ap);
    va_end(ap);
    mcph_report_value(&c->tape[at], found, sizeof(found));
    if (mcph_report_add(c->report, c->way, node, keyword, expected, found) < 0)
        return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
    return false;
}

/* ---- marks ------------------------------------------------------------------------- */

bool
mcph_marks_open(struct mcph_schema_check *c, size_t n, struct mcph_marks *ret_marks)
{
    size_t want = c->marks_len + n, cap = c->marks_cap;
    unsigned char *marks = c->marks;

    if (want > cap) {
        for (cap = cap ? cap : 256; cap < want; cap *= 2)
            ;
        marks = realloc(marks, cap);
        if (!marks)
            return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
        c->marks = marks;
        c->marks_cap = cap;
    }
    if (n)
        memset(marks + c->marks_len, 0, n);
    *ret_marks = (struct mcph_marks){c->marks_len, n};
    c->marks_len = want;
    return mcph_check_spend(c, n / 16);
}

void
mcph_marks_close(struct mcph_schema_check *c, const struct mcph_marks *marks)
{
    c->marks_len = marks->at;
}

static void
merge_marks(struct mcph_schema_check *c, const struct mcph_marks *into,
            const struct mcph_marks *from)
{
    size_t i;

    for (i = 0; i < from->n; i++)
        c->marks[into->at + i] |= c->marks[from->at + i];
}

/* ---- types ------------------------------------------------------------------------- */

static bool
is_integer(const struct mcph_schema_node *node, const struct mcph_schema_value *v)
{
    struct mcph_number number;

    if (mcph_is_written_integer(v->p, v->len))
        return true;
    /* In draft 4, accept only a number that is written as an integer. */
    if (node->resource->dialect.draft == MCPHOST_SCHEMA_DRAFT_4)
        return false;
    number = mcph_number(mcph_span(v->p, v->len));
    return mcph_number_is_integer(&number);
}

static bool
has_type(const struct mcph_schema_node *node, const struct mcph_schema_value *v)
{
    if (node->types & TYPE_BIT(v->type))
        return true;
    return v->type == MCPH_JSON_NUMBER && (node->types & TYPE_INTEGER) &&
           is_integer(node, v);
}

static void
type_words(unsigned types, char *room, size_t size)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {TYPE_BIT(MCPH_JSON_STRING), "string"},
        {TYPE_BIT(MCPH_JSON_NUMBER), "number"},
        {TYPE_INTEGER, "integer"},
        {TYPE_BIT(MCPH_JSON_BOOL), "boolean"},
        {TYPE_BIT(MCPH_JSON_OBJECT), "object"},
        {TYPE_BIT(MCPH_JSON_ARRAY), "array"},
        {TYPE_BIT(MCPH_JSON_NULL), "null"},
    };
    size_t i, n = 0;

    for (i = 0; i < MCPH_ARRAY_SIZE(names) && n < size; i++) {
        if (types & names[i].bit)
            n += (size_t)snprintf(room + n, size - n, "%s%s", n ? " or " : "",
                                  names[i].name);
    }
}

static bool
fail_type(struct mcph_schema_check *c, const struct mcph_schema_node *node, uint32_t at)
{
    char words[WORDS] = "";

    if (!mcph_check_loud(c))
        return false;
    type_words(node->types, words, sizeof(words));
    return mcph_check_fail(c, node, KW_TYPE, at, "%s", words);
}

/* ---- scalars ----------------------------------------------------------------------- */

static bool
check_constant(struct mcph_schema_check *c, const struct mcph_schema_node *node,
               const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_value *constants = rule->constant.tape;
    uint32_t i, n = 1, p = 0;
    bool found = false;
    int len;

    (void)marks;
    if (rule->kind == RULE_ENUM) {
        n = constants[0].n;
        p = 1;
    }
    for (i = 0; i < n && !found; i++, p = constants[p].next)
        found = mcph_tape_equal(c->tape, at, constants, p, c->budget);
    if (!mcph_check_spend(c, i / 4))
        return false;
    if (found)
        return true;
    len = rule->constant.text.len < 160 ? (int)rule->constant.text.len : 160;
    return mcph_check_fail(c, node, rule->keyword, at, "%s%.*s%s",
                           rule->kind == RULE_ENUM ? "one of " : "", len,
                           rule->constant.text.p, len == 160 ? "..." : "");
}

static bool
check_bound(struct mcph_schema_check *c, const struct mcph_schema_node *node,
            const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    struct mcph_number number = mcph_number(mcph_span(c->tape[at].p, c->tape[at].len));
    int order = mcph_number_compare(&number, &rule->bound.number);

    (void)marks;
    if (order != rule->bound.sign && (order != 0 || !rule->bound.open))
        return true;
    return mcph_check_fail(
        c, node, rule->keyword, at, "a number %s %.*s",
        rule->bound.sign < 0 ? (rule->bound.open ? "above" : "of at least")
                             : (rule->bound.open ? "below" : "of at most"),
        (int)(rule->bound.text.len < 80 ? rule->bound.text.len : 80), rule->bound.text.p);
}

static bool
check_multiple(struct mcph_schema_check *c, const struct mcph_schema_node *node,
               const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    struct mcph_number number = mcph_number(mcph_span(c->tape[at].p, c->tape[at].len));
    uint64_t steps;
    bool ok;

    (void)marks;
    if (!mcph_check_spend(c, number.n / 16 * (rule->bound.number.n / 9 + 1)))
        return false;
    ok = mcph_number_is_multiple(&number, &rule->bound.number, &steps);
    if (!mcph_check_spend(c, steps))
        return false;
    return ok ||
           mcph_check_fail(c, node, rule->keyword, at, "a multiple of %.*s",
                           (int)(rule->bound.text.len < 80 ? rule->bound.text.len : 80),
                           rule->bound.text.p);
}

static bool
check_length(struct mcph_schema_check *c, const struct mcph_schema_node *node,
             const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_value *v = &c->tape[at];
    bool least = rule->kind == RULE_MIN_LENGTH;
    size_t n;

    (void)marks;
    /* Decide by the byte length if possible, because a character has one to four
     * bytes. */
    if (least ? v->len / 4 >= rule->limit : v->len <= rule->limit)
        return true;
    if (!mcph_check_spend(c, v->len / 128))
        return false;
    n = mcph_text_length(v->p, v->len);
    if (least ? n >= rule->limit : n <= rule->limit)
        return true;
    return mcph_check_fail(c, node, rule->keyword, at,
                           "a string of at %s %zu character%s", least ? "least" : "most",
                           rule->limit, rule->limit == 1 ? "" : "s");
}

/* Charges the steps of a match.  PCRE2 calls this function before each item of the
 * pattern.  The charge is one step, and one more step for every 64 bytes.  These bytes
 * are the distance from the position of the last call, and the bytes that one item may
 * examine before it fails (`reach`). */
static int
count_item(pcre2_callout_block *at, void *data)
{
    struct mcph_schema_check *c = data;
    size_t reach = c->matching->reach, to = at->current_position;
    size_t way = to > c->matched_to ? to - c->matched_to : c->matched_to - to;

    if (reach > at->subject_length)
        reach = at->subject_length;
    c->matched_to = to;
    return mcph_check_spend(c, 1 + (way + reach) / 64) ? 0 : PCRE2_ERROR_CALLOUT;
}

static bool
prepare_match(struct mcph_schema_check *c)
{
    if (!c->match)
        c->match = pcre2_match_data_create(1, NULL);
    if (!c->limits)
        c->limits = pcre2_match_context_create(NULL);
    if (!c->match || !c->limits)
        return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
    pcre2_set_heap_limit(c->limits, HEAP_LIMIT);
    pcre2_set_callout(c->limits, count_item, c);
    return true;
}

static int
run_match(struct mcph_schema_check *c, const struct mcph_schema_pattern *pattern,
          const struct mcph_schema_value *text, uint32_t limit)
{
    c->matching = pattern;
    c->matched_to = 0;
    pcre2_set_match_limit(c->limits, limit);
    return pcre2_match(pattern->code, (PCRE2_SPTR)text->p, text->len, 0,
                       PCRE2_NO_UTF_CHECK, c->match, c->limits);
}

/* Matches with PCRE2's match limit.  Raises the limit until the limit is enough.  Before
 * each match, charges the work that the limit allows. */
static int
match_within_limits(struct mcph_schema_check *c,
                    const struct mcph_schema_pattern *pattern,
                    const struct mcph_schema_value *text)
{
    bool large = pattern->how == PATTERN_LARGE;
    uint64_t starts = large ? text->len + 1 : 1, cost = 16;
    uint64_t each = 1 + (pattern->text.len + (large ? text->len : 0)) / 64;
    uint32_t limit = FIRST_LIMIT;
    int r;

    if (large)
        cost = starts * limit * each;
    do {
        if (!mcph_check_spend(c, cost))
            return PCRE2_ERROR_CALLOUT;
        r = run_match(c, pattern, text, limit);
        limit *= 16;
        cost = starts * limit / 2 * each;
    } while (r == PCRE2_ERROR_MATCHLIMIT && limit < UINT32_MAX / 16);
    return r;
}

bool
mcph_check_pattern(struct mcph_schema_check *c, const struct mcph_schema_pattern *pattern,
                   const struct mcph_schema_value *text)
{
    int r;

    if ((!c->limits && !prepare_match(c)) || !mcph_check_spend(c, 8 + text->len / 64))
        return false;
    r = pattern->how == PATTERN_COUNTED ? run_match(c, pattern, text, MATCH_LIMIT)
                                        : match_within_limits(c, pattern, text);
    if (r >= 0)
        return true;
    if (r == PCRE2_ERROR_NOMATCH)
        return false;
    if (r == PCRE2_ERROR_NOMEMORY)
        return mcph_check_stop(c, MCPHOST_E_NOMEM, NULL);
    return mcph_check_stop(c, MCPHOST_E_LIMIT, "a pattern takes too long for a string");
}

static bool
check_pattern(struct mcph_schema_check *c, const struct mcph_schema_node *node,
              const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    (void)marks;
    if (mcph_check_pattern(c, &rule->pattern, &c->tape[at]))
        return true;
    return mcph_check_fail(
        c, node, rule->keyword, at, "a string that matches the pattern %.*s",
        (int)(rule->pattern.text.len < 160 ? rule->pattern.text.len : 160),
        rule->pattern.text.p);
}

static bool
check_format(struct mcph_schema_check *c, const struct mcph_schema_node *node,
             const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_value *v = &c->tape[at];

    (void)marks;
    if (!mcph_check_spend(c, mcph_format_cost(rule->format.check, v->len)))
        return false;
    return rule->format.check(v->p, v->len) ||
           mcph_check_fail(c, node, rule->keyword, at, "a string in the format '%.*s'",
                           (int)rule->format.name.len, rule->format.name.p);
}

static bool
check_count(struct mcph_schema_check *c, const struct mcph_schema_node *node,
            const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_value *v = &c->tape[at];
    bool least = rule->kind == RULE_MIN_COUNT;
    char found[WORDS];

    (void)marks;
    if (least ? v->n >= rule->limit : v->n <= rule->limit)
        return true;
    snprintf(found, sizeof(found), "%u", v->n);
    return mcph_check_fail_found(c, node, rule->keyword, found, "at %s %zu %s%s",
                                 least ? "least" : "most", rule->limit,
                                 v->type == MCPH_JSON_ARRAY ? "item" : "member",
                                 rule->limit == 1 ? "" : "s");
}

/* ---- logic ------------------------------------------------------------------------- */

static bool
check_ref(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_node *target = mcph_ref_target(c, rule->ref);

    (void)node;
    return target && mcph_check_node(c, target, at, marks);
}

static bool
check_all(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    bool ok = true;
    size_t i;

    (void)node;
    for (i = 0; i < rule->list.n && (ok || mcph_check_loud(c)) && !c->err; i++)
        ok &= mcph_check_node(c, rule->list.nodes[i], at, marks);
    return ok;
}

static bool
try_node(struct mcph_schema_check *c, const struct mcph_schema_node *node, uint32_t at,
         struct mcph_marks *marks)
{
    bool ok;

    c->quiet++;
    ok = mcph_check_node(c, node, at, marks);
    c->quiet--;
    return ok;
}

/* Returns the types that a schema allows, read from its `type` or from the target of its
 * `$ref`.  Returns 0 if the types are not known. */
static unsigned
types_of(const struct mcph_schema_node *node)
{
    int hops;

    for (hops = 0; hops < 8 && !node->types; hops++) {
        if (node->n_rules == 0 || node->rules[0].kind != RULE_REF)
            break;
        node = node->rules[0].ref->target;
    }
    return node->types;
}

/* Reports that no alternative fits.  If only one alternative allows the value's type,
 * reports the errors of that alternative.  If no alternative allows the type, lists the
 * allowed types. */
static bool
fail_any(struct mcph_schema_check *c, const struct mcph_schema_node *node,
         const struct mcph_rule *rule, uint32_t at)
{
    const struct mcph_schema_value *v = &c->tape[at];
    const struct mcph_schema_node *only = NULL;
    unsigned all = 0, bits, mine = TYPE_BIT(v->type);
    size_t i, n = 0;
    char words[WORDS] = "";

    if (!mcph_check_loud(c) || c->err || !mcph_check_spend(c, rule->list.n))
        return false;
    if (v->type == MCPH_JSON_NUMBER)
        mine |= TYPE_INTEGER;
    for (i = 0; i < rule->list.n; i++) {
        bits = types_of(rule->list.nodes[i]);
        all |= bits ? bits : TYPE_EVERY;
        if (!bits || (bits & mine)) {
            only = rule->list.nodes[i];
            n++;
        }
    }
    if (n == 1)
        return mcph_check_node(c, only, at, NULL) && false;
    if (n == 0) {
        type_words(all, words, sizeof(words));
        return mcph_check_fail(c, node, rule->keyword, at, "%s", words);
    }
    return mcph_check_fail(c, node, rule->keyword, at,
                           "a value that fits one of %zu alternatives", rule->list.n);
}

static bool
check_any(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    bool ok = false;
    size_t i;

    /* If `marks` is not NULL, try all alternatives, because each alternative that fits
     * adds marks. */
    for (i = 0; i < rule->list.n && (!ok || marks) && !c->err; i++)
        ok |= try_node(c, rule->list.nodes[i], at, marks);
    return ok || fail_any(c, node, rule, at);
}

static bool
check_one(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    size_t i, n = 0, which[2] = {0, 0};

    for (i = 0; i < rule->list.n && n < 2 && !c->err; i++) {
        if (try_node(c, rule->list.nodes[i], at, marks))
            which[n++] = i;
    }
    if (n == 1)
        return !c->err;
    if (n == 0)
        return fail_any(c, node, rule, at);
    return mcph_check_fail(c, node, rule->keyword, at,
                           "a value that fits exactly one of %zu alternatives, not both "
                           "number %zu and number %zu",
                           rule->list.n, which[0] + 1, which[1] + 1);
}

static bool
check_not(struct mcph_schema_check *c, const struct mcph_schema_node *node,
          const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    (void)marks;
    if (!try_node(c, rule->node, at, NULL))
        return !c->err;
    return mcph_check_fail(c, node, rule->keyword, at,
                           "a value that does not fit the schema in 'not'");
}

static bool
check_if(struct mcph_schema_check *c, const struct mcph_schema_node *node,
         const struct mcph_rule *rule, uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_node *next;

    (void)node;
    if (!rule->branch.then && !rule->branch.otherwise && !marks)
        return true;
    next = try_node(c, rule->branch.condition, at, marks) ? rule->branch.then
                                                          : rule->branch.otherwise;
    return !c->err && (!next || mcph_check_node(c, next, at, marks));
}

/* ---- a node ------------------------------------------------------------------------ */

static const mcph_rule_fn rule_fns[RULE_COUNT] = {
    [RULE_REF] = check_ref,
    [RULE_ALL_OF] = check_all,
    [RULE_ANY_OF] = check_any,
    [RULE_ONE_OF] = check_one,
    [RULE_NOT] = check_not,
    [RULE_IF] = check_if,
    [RULE_CONST] = check_constant,
    [RULE_ENUM] = check_constant,
    [RULE_MULTIPLE] = check_multiple,
    [RULE_BOUND] = check_bound,
    [RULE_MIN_LENGTH] = check_length,
    [RULE_MAX_LENGTH] = check_length,
    [RULE_PATTERN] = check_pattern,
    [RULE_FORMAT] = check_format,
    [RULE_MIN_COUNT] = check_count,
    [RULE_MAX_COUNT] = check_count,
    [RULE_UNIQUE] = mcph_check_unique,
    [RULE_ITEMS] = mcph_check_items,
    [RULE_CONTAINS] = mcph_check_contains,
    [RULE_MEMBERS] = mcph_check_members,
    [RULE_NAMES] = mcph_check_names,
    [RULE_DEPENDS] = mcph_check_depends,
    [RULE_LAST_ITEMS] = mcph_check_last_items,
    [RULE_LAST_MEMBERS] = mcph_check_last_members,
};

static bool
run_rules(struct mcph_schema_check *c, const struct mcph_schema_node *node, uint32_t at,
          struct mcph_marks *marks)
{
    unsigned bit = TYPE_BIT(c->tape[at].type);
    bool ok = true;
    size_t i;

    for (i = 0; i < node->n_rules && (ok || mcph_check_loud(c)); i++) {
        const struct mcph_rule *rule = &node->rules[i];

        if (!(rule->applies & bit))
            continue;
        ok &= rule_fns[rule->kind](c, node, rule, at, marks);
        if (c->err)
            return false;
    }
    return ok;
}

/* Runs the rules and records the evaluated elements and members.  The unevaluated* rules
 * of this node, or of a node above it if `up` is not NULL, need the record. */
static bool
run_marked(struct mcph_schema_check *c, const struct mcph_schema_node *node, uint32_t at,
           struct mcph_marks *up)
{
    struct mcph_marks own;
    bool ok;

    if (!mcph_marks_open(c, c->tape[at].n, &own))
        return false;
    ok = run_rules(c, node, at, &own);
    if (ok && up)
        merge_marks(c, up, &own);
    mcph_marks_close(c, &own);
    return ok;
}

static bool
run_deep(struct mcph_schema_check *c, const struct mcph_schema_node *node, uint32_t at,
         struct mcph_marks *marks)
{
    struct mcph_schema_scope scope = {node->resource, c->scope};
    const struct mcph_schema_scope *outer = c->scope;
    bool ok;

    if (++c->depth > (unsigned)c->schema->options[MCPHOST_SCHEMA_OPT_MAX_DEPTH]) {
        c->where = node;
        return mcph_check_stop(c, MCPHOST_E_LIMIT, "subschemas are nested too deep");
    }
    if (!outer || outer->resource != node->resource)
        c->scope = &scope;
    if (marks || node->last)
        ok = run_marked(c, node, at, marks);
    else
        ok = run_rules(c, node, at, NULL);
    c->scope = outer;
    c->depth--;
    return ok;
}

bool
mcph_check_node(struct mcph_schema_check *c, const struct mcph_schema_node *node,
                uint32_t at, struct mcph_marks *marks)
{
    const struct mcph_schema_value *v = &c->tape[at];
    bool ok = true;

    /* Charge more for a long number, because rules for numbers examine all digits. */
    if (!mcph_check_spend(c, v->type == MCPH_JSON_NUMBER ? 1 + v->len / 8 : 1))
        return false;
    if (node->never)
        return mcph_check_fail(c, node, 0, at, "nothing");
    if (node->types && !has_type(node, v)) {
        fail_type(c, node, at);
        /* Skip the other rules, because a wrong type is enough for the report. */
        return false;
    }
    if (node->n_rules > 0)
        ok = run_deep(c, node, at, marks);
    return ok;
}

/* ---- a value ----------------------------------------------------------------------- */

static int
stop_error(const struct mcph_schema_check *c, mcphost_error **reterr)
{
    if (c->err == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (c->where)
        return mcph_node_error(reterr, c->err, c->where, 0, "%s", c->why);
    return mcph_err(reterr, c->err, "%s", c->why);
}

static int
check_tape(mcphost_schema *schema, const struct mcph_tape *tape,
           struct mcph_budget *budget, mcphost_schema_report *report,
           mcphost_error **reterr)
{
    struct mcph_schema_check c = {
        .schema = schema,
        .tape = tape->at,
        .report = report,
        .budget = budget,
    };
    bool ok;

    ok = mcph_check_node(&c, schema->root, 0, NULL);
    pcre2_match_data_free(c.match);
    pcre2_match_context_free(c.limits);
    free(c.marks);
    if (c.err)
        return stop_error(&c, reterr);
    return ok ? MCPHOST_SCHEMA_VALID : MCPHOST_SCHEMA_INVALID;
}

/* Creates the error for a budget that runs out while no node is being checked. */
static int
spent_error(int r, mcphost_error **reterr)
{
    return mcph_err(reterr, r,
                    r == MCPHOST_E_LIMIT ? "checking takes too many steps"
                                         : "checking takes too long");
}

static int
make_tape(const mcphost_schema *schema, struct mcph_span json, bool checked,
          struct mcph_budget *budget, struct mcph_tape *tape, struct mcph_span *ret_value,
          mcphost_error **reterr)
{
    int64_t max = schema->options[MCPHOST_SCHEMA_OPT_MAX_VALUES];
    uint64_t left;
    int r, n;

    tape->at = tape->room;
    tape->text = NULL;
    r = mcph_budget_spend(budget, json.len / 32);
    if (r < 0)
        return spent_error(r, reterr);
    *ret_value = json;
    r = checked ? 0 : mcph_json_check(json, 0, ret_value, NULL);
    if (r < 0)
        return mcph_json_check_input(json, 0, MCPH_JSON_ANY, "the value", NULL, reterr);
    /* Refuse a value at once if it holds more values and names than the budget has steps
     * left. */
    left = budget->max - budget->steps + 1;
    r = mcph_tape_init(tape, *ret_value,
                       left < (uint64_t)max ? (uint32_t)left : (uint32_t)max);
    if (r == MCPHOST_E_LIMIT && left < (uint64_t)max)
        return spent_error(r, reterr);
    if (r == MCPHOST_E_INVALID) {
        n = tape->twice.len < 80 ? (int)tape->twice.len : 80;
        return mcph_schema_error(reterr, r,
                                 "the value: the name '%.*s' occurs twice in an object",
                                 n, tape->twice.p);
    }
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(reterr, r, "the value holds more than %lld values and names",
                        (long long)max);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

/* Adds defaults until no member with a default is missing.  The function works in rounds,
 * because a default value may itself lack members that have defaults.  If 16 rounds are
 * not enough, fails with MCPHOST_E_LIMIT. */
static int
add_defaults(mcphost_schema *schema, struct mcph_span value, struct mcph_budget *budget,
             mcphost_schema_report *report, mcphost_error **reterr)
{
    struct mcph_buf next;
    struct mcph_tape tape;
    bool changed = true;
    int rounds, r;

    r = mcph_buf_add(&report->instance, value.p, value.len);
    for (rounds = 0; r == 0 && changed && rounds < 16; rounds++) {
        mcph_buf_init(&next, report->instance.max);
        r = make_tape(schema, mcph_span(report->instance.data, report->instance.len),
                      false, budget, &tape, &value, reterr);
        if (r < 0) {
            mcph_tape_done(&tape);
            return r;
        }
        r = mcph_schema_complete(schema, &tape, value, budget, &next, &changed);
        mcph_tape_done(&tape);
        if (r == 0 && changed) {
            mcph_buf_done(&report->instance);
            report->instance = next;
        } else {
            mcph_buf_done(&next);
        }
    }
    report->completed = true;
    if (budget->err)
        return spent_error(budget->err, reterr);
    if (r == 0 && changed)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "defaults add further defaults endlessly");
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(reterr, r, "the value with its defaults is too large");
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_schema_validate(mcphost_schema *schema, struct mcph_span json, uint64_t flags,
                     mcphost_schema_report **ret_report, mcphost_error **reterr)
{
    mcphost_schema_report *report = NULL;
    struct mcph_budget budget;
    struct mcph_span value;
    struct mcph_tape tape;
    int r = 0, verdict = 0;

    if (schema->state != SCHEMA_READY)
        return mcph_err(reterr, MCPHOST_E_STATE, "the schema is not compiled");
    if (ret_report || (flags & MCPHOST_SCHEMA_DEFAULTS)) {
        r = mcph_report_new((size_t)schema->options[MCPHOST_SCHEMA_OPT_MAX_ERRORS],
                            &report);
        if (r < 0)
            return mcph_err_nomem(reterr);
    }
    mcph_budget_init(&budget, schema);
    r = make_tape(schema, json, flags & MCPH_SCHEMA_CHECKED, &budget, &tape, &value,
                  reterr);
    if (r == 0 && (flags & MCPHOST_SCHEMA_DEFAULTS)) {
        mcph_tape_done(&tape);
        r = add_defaults(schema, value, &budget, report, reterr);
        if (r == 0)
            r = make_tape(schema, mcph_span(report->instance.data, report->instance.len),
                          false, &budget, &tape, &value, reterr);
    }
    if (r == 0)
        r = verdict =
            check_tape(schema, &tape, &budget, ret_report ? report : NULL, reterr);
    mcph_tape_done(&tape);
    if (r >= 0 && ret_report) {
        if (mcph_report_finish(report) == 0) {
            *ret_report = report;
            return verdict;
        }
        r = mcph_err_nomem(reterr);
    }
    mcph_schema_report_unref(report);
    return r;
}
