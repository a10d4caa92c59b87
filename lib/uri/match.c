/* SPDX-License-Identifier: MIT
 *
 * match.c - find the variables of a URI that is an expansion of a template.
 *
 * All expansions of a template form a regular language.  The template is compiled to a
 * program.  A machine runs the program over the URI from left to right.  Where the
 * machine can continue in two ways, it tries the preferred way first.  The work is at
 * most the number of steps times the length of the URI, because the machine never enters
 * a step at the same place of the URI twice.  WORK_MAX limits this product.
 *
 * A variable preferably has a value, and the shortest possible value.  A list takes all
 * members that have the name of the list.  An expression whose operator adds no text is
 * preferably empty.
 */
#include <stdlib.h>

#include "uri/inner.h"

#define WORK_MAX ((size_t)16 * 1024 * 1024) /* limit on steps times places in the URI */

/* ---- the program ------------------------------------------------------------------- */

/* The sets of characters that a value may have: unreserved characters and escaped UTF-8;
 * the comma; all other reserved characters and all other escapes. */
enum { PLAIN = 1, COMMA = 2, RESERVED = 4 };

enum {
    DO_TEXT,  /* match these bytes */
    DO_NOT,   /* fail if the name at this place is exactly these bytes */
    DO_ONE,   /* match one character */
    DO_MANY,  /* match any number of characters, as few as possible */
    DO_SPLIT, /* try the next step, then the step `to` */
    DO_GOTO,
    DO_MARK,
    DO_END
};

/* The marks of a value: its beginning (as a string, a list or a map), the beginning and
 * the end of a member, and the end of the value. */
enum { MARK_STRING, MARK_LIST, MARK_MAP, MARK_KEY, MARK_ITEM, MARK_STOP, MARK_END };

struct step {
    unsigned char what, set, mark;
    uint32_t to, var;
    struct mcph_span text;
};

struct program {
    const struct mcph_template *t;
    bool tells_apart; /* true if no map may have a member with the name of a list */
    struct step *steps;
    size_t n, cap, max;
    struct mcph_buf literals; /* the template's literals, in normal form */
    int err;
};

static const struct step no_step;

/* Appends a step to the program and returns the index of the step.  After an error, does
 * nothing and returns 0. */
static uint32_t
add_step(struct program *prog, struct step step)
{
    size_t cap = prog->cap ? 2 * prog->cap : 64;
    struct step *steps;

    if (prog->err)
        return 0;
    if (prog->n == prog->max) {
        prog->err = MCPHOST_E_LIMIT;
        return 0;
    }
    if (prog->n == prog->cap) {
        steps = mcph_reallocarray(prog->steps, cap, sizeof(*steps));
        if (!steps) {
            prog->err = MCPHOST_E_NOMEM;
            return 0;
        }
        prog->steps = steps;
        prog->cap = cap;
    }
    prog->steps[prog->n] = step;
    return (uint32_t)prog->n++;
}

static uint32_t
add_what(struct program *prog, unsigned char what, unsigned set)
{
    struct step step = no_step;

    step.what = what;
    step.set = (unsigned char)set;
    return add_step(prog, step);
}

static void
add_text(struct program *prog, const char *p, size_t len)
{
    struct step step = no_step;

    step.what = DO_TEXT;
    step.text = mcph_span(p, len);
    if (len > 0)
        add_step(prog, step);
}

static void
add_mark(struct program *prog, unsigned char mark, size_t var)
{
    struct step step = no_step;

    step.what = DO_MARK;
    step.mark = mark;
    step.var = (uint32_t)var;
    add_step(prog, step);
}

static void
add_goto(struct program *prog, uint32_t to)
{
    struct step step = no_step;

    step.what = DO_GOTO;
    step.to = to;
    add_step(prog, step);
}

/* Sets the target of the split or the goto at `at` to the step that is added next. */
static void
land_here(struct program *prog, uint32_t at)
{
    if (!prog->err)
        prog->steps[at].to = (uint32_t)prog->n;
}

/* Adds the steps that match a value of at most `max` characters.  If `max` is 0, the
 * number of characters is not limited. */
static void
add_value(struct program *prog, unsigned set, size_t max, size_t uri_len)
{
    uint32_t first, split;

    if (max == 0 || max >= uri_len) {
        add_what(prog, DO_MANY, set);
        return;
    }
    /* Add an exit before each character, because the value may end there.  All exits lead
     * to one place. */
    first = add_what(prog, DO_GOTO, 0);
    split = add_what(prog, DO_GOTO, 0);
    land_here(prog, first);
    for (size_t i = 0; i < max && !prog->err; i++) {
        first = add_what(prog, DO_SPLIT, 0);
        add_goto(prog, split);
        land_here(prog, first);
        add_what(prog, DO_ONE, set);
    }
    land_here(prog, split);
}

/* Adds the steps for the "=" after a name, the mark `mark`, and the value.  If the
 * operator omits the "=" of an empty value, the program has two ways: an empty value, or
 * "=" and at least one character. */
static void
add_assigned(struct program *prog, const struct mcph_template_op *op, unsigned char mark,
             size_t var, unsigned set, size_t max, size_t uri_len)
{
    uint32_t empty, end;

    if (op->named && !op->assigns) {
        empty = add_what(prog, DO_SPLIT, 0);
        add_mark(prog, mark, var);
        end = add_what(prog, DO_GOTO, 0);
        land_here(prog, empty);
        add_text(prog, "=", 1);
        add_mark(prog, mark, var);
        add_what(prog, DO_ONE, set);
        if (max != 1)
            add_value(prog, set, max ? max - 1 : 0, uri_len);
        land_here(prog, end);
        return;
    }
    if (op->named)
        add_text(prog, "=", 1);
    add_mark(prog, mark, var);
    add_value(prog, set, max, uri_len);
}

/* Adds the steps that follow a member: the end, or the separator and the next member.  If
 * `greedy` is true, the steps prefer the next member.  Returns the step that leads to the
 * end.  The caller sets the target of this step with land_here(). */
static uint32_t
add_next(struct program *prog, const struct mcph_template_op *op, uint32_t again,
         bool greedy)
{
    uint32_t split = add_what(prog, DO_SPLIT, 0), done = 0;

    if (!greedy) {
        done = add_what(prog, DO_GOTO, 0);
        land_here(prog, split);
    }
    add_text(prog, &op->sep, 1);
    add_goto(prog, again);
    return greedy ? split : done;
}

/* Adds steps that fail at the name of an exploded variable.  A member with that name
 * belongs to the list of that variable. */
static void
add_exclusions(struct program *prog, const struct mcph_template_part *part)
{
    struct step step = no_step;

    step.what = DO_NOT;
    for (size_t i = part->first; i < part->first + part->n; i++) {
        step.text = prog->t->names[prog->t->vars[i].name];
        if (prog->t->vars[i].explode)
            add_step(prog, step);
    }
}

static void
add_exploded(struct program *prog, const struct mcph_template_part *part, size_t var)
{
    const struct mcph_template_op *op = part->op;
    struct mcph_span name = prog->t->names[prog->t->vars[var].name];
    unsigned set = op->reserved ? PLAIN | RESERVED : PLAIN;
    uint32_t map = 0, list_done, again;

    if (!op->reserved)
        map = add_what(prog, DO_SPLIT, 0);
    add_mark(prog, MARK_LIST, var);
    again = (uint32_t)prog->n;
    if (op->named)
        add_text(prog, name.p, name.len);
    add_assigned(prog, op, MARK_ITEM, var, set, 0, 0);
    add_mark(prog, MARK_STOP, var);
    /* Prefer a further member with this name as a member of this list, because a map
     * cannot have the name twice. */
    list_done = add_next(prog, op, again, op->named);
    if (!op->reserved) {
        land_here(prog, map);
        add_mark(prog, MARK_MAP, var);
        again = (uint32_t)prog->n;
        if (op->named && prog->tells_apart)
            add_exclusions(prog, part);
        add_mark(prog, MARK_KEY, var);
        add_value(prog, set, 0, 0);
        add_mark(prog, MARK_STOP, var);
        if (!op->named)
            add_text(prog, "=", 1);
        add_assigned(prog, op, MARK_ITEM, var, set, 0, 0);
        add_mark(prog, MARK_STOP, var);
        land_here(prog, add_next(prog, op, again, false));
    }
    land_here(prog, list_done);
    add_mark(prog, MARK_END, var);
}

static void
add_var(struct program *prog, const struct mcph_template_part *part, size_t i,
        size_t uri_len)
{
    const struct mcph_template_op *op = part->op;
    const struct mcph_template_var *var = &prog->t->vars[i];
    struct mcph_span name = prog->t->names[var->name];
    unsigned set = PLAIN;

    if (var->explode) {
        add_exploded(prog, part, i);
        return;
    }
    if (op->reserved)
        set |= COMMA | RESERVED;
    else if (!var->prefix)
        set |= COMMA; /* allows the commas between members */
    if (op->named)
        add_text(prog, name.p, name.len);
    add_assigned(prog, op, MARK_STRING, i, set, var->prefix, uri_len);
    add_mark(prog, MARK_END, i);
}

/* Adds the steps of an expression.  Each of its variables may have a value or have none.
 * The values come in the order of the variables.  The operator's text precedes the first
 * value, and the separator precedes each other value.  The step enter[i] is taken if
 * variable i is the first variable with a value. */
static void
add_expression(struct program *prog, const struct mcph_template_part *part,
               size_t uri_len)
{
    const struct mcph_template_op *op = part->op;
    uint32_t enter[MCPH_TEMPLATE_VARS_MAX], none[2] = {0, 0}, skip;

    if (!*op->first) {
        skip = add_what(prog, DO_SPLIT, 0);
        none[0] = add_what(prog, DO_GOTO, 0);
        land_here(prog, skip);
    }
    for (size_t i = 0; i < part->n; i++) {
        skip = add_what(prog, DO_SPLIT, 0);
        add_text(prog, op->first, strlen(op->first));
        enter[i] = add_what(prog, DO_GOTO, 0);
        land_here(prog, skip);
    }
    none[1] = add_what(prog, DO_GOTO, 0);
    for (size_t i = 0; i < part->n; i++) {
        skip = i > 0 ? add_what(prog, DO_SPLIT, 0) : 0;
        if (i > 0)
            add_text(prog, &op->sep, 1);
        land_here(prog, enter[i]);
        add_var(prog, part, part->first + i, uri_len);
        if (i > 0)
            land_here(prog, skip);
    }
    if (!*op->first)
        land_here(prog, none[0]);
    land_here(prog, none[1]);
}

/* Compiles the template.  Reserves the whole buffer of the literals at once, because the
 * steps point into the buffer.  Escapes make the literals at most three times as long. */
static int
compile_template(struct program *prog, const struct mcph_template *t, size_t uri_len)
{
    size_t from;
    int r;

    prog->t = t;
    prog->max = WORK_MAX / (uri_len + 1);
    mcph_buf_init(&prog->literals, 3 * t->text.len + 1);
    r = mcph_buf_reserve(&prog->literals, 3 * t->text.len + 1);
    for (size_t i = 0; r == 0 && !prog->err && i < t->n_parts; i++) {
        if (t->parts[i].op) {
            add_expression(prog, &t->parts[i], uri_len);
            continue;
        }
        from = prog->literals.len;
        r = mcph_uri_add_normal(&prog->literals, t->parts[i].literal);
        add_text(prog, prog->literals.data + from, prog->literals.len - from);
    }
    add_what(prog, DO_END, 0);
    return r < 0 ? r : prog->err;
}

static void
program_done(struct program *prog)
{
    mcph_buf_done(&prog->literals);
    free(prog->steps);
}

/* ---- the machine ------------------------------------------------------------------- */

/* A place on the machine's path: the step, the place in the URI, and the number of ways
 * that were tried from this place. */
struct frame {
    uint32_t step, at;
    unsigned tried;
};

struct machine {
    const struct program *prog;
    struct mcph_span uri; /* the URI in normal form */
    unsigned char *seen;  /* a bit for each step and place in the URI */
    struct frame *frames; /* the path so far */
    size_t n, cap;
};

/* Returns the length of the character at `p` if a value with the characters of `set` may
 * contain this character, else 0. */
static size_t
character_len(const char *p, const char *end, unsigned set)
{
    bool utf8;
    size_t n;

    if (p == end)
        return 0;
    n = mcph_uri_escaped(p, end, &utf8);
    if (n > 0)
        return utf8 || (set & RESERVED) ? n : 0;
    if (mcph_uri_unreserved(*p))
        return 1;
    return (set & (*p == ',' ? COMMA : RESERVED)) != 0;
}

/* Returns true if the name at `p` is exactly `name`. */
static bool
is_name(const char *p, const char *end, struct mcph_span name)
{
    return (size_t)(end - p) >= name.len && memcmp(p, name.p, name.len) == 0 &&
           character_len(p + name.len, end, PLAIN) == 0;
}

/* Sets *ret to the next frame after `frame`.  Returns false if the way fails or all ways
 * were tried. */
static bool
next_way(const struct machine *m, struct frame *frame, struct frame *ret)
{
    const struct step *step = &m->prog->steps[frame->step];
    const char *p = m->uri.p + frame->at, *end = m->uri.p + m->uri.len;
    unsigned tried = frame->tried++;
    size_t n;

    *ret = (struct frame){frame->step + 1, frame->at, 0};
    switch (step->what) {
    case DO_TEXT:
        ret->at += (uint32_t)step->text.len;
        return tried == 0 && (size_t)(end - p) >= step->text.len &&
               memcmp(p, step->text.p, step->text.len) == 0;
    case DO_NOT:
        return tried == 0 && !is_name(p, end, step->text);
    case DO_ONE:
        n = character_len(p, end, step->set);
        ret->at += (uint32_t)n;
        return tried == 0 && n > 0;
    case DO_MANY:
        if (tried == 0)
            return true;
        n = character_len(p, end, step->set);
        *ret = (struct frame){frame->step, frame->at + (uint32_t)n, 0};
        return tried == 1 && n > 0;
    case DO_SPLIT:
        if (tried == 1)
            ret->step = step->to;
        return tried < 2;
    case DO_GOTO:
        ret->step = step->to;
        return tried == 0;
    case DO_MARK:
        return tried == 0;
    default:
        return false;
    }
}

/* Marks the step and the place of a frame as seen.  Returns true if this pair was seen
 * before. */
static bool
mark_seen(struct machine *m, const struct frame *frame)
{
    size_t bit = frame->step * (m->uri.len + 1) + frame->at;
    unsigned char mask = (unsigned char)(1u << bit % 8);
    bool seen = (m->seen[bit / 8] & mask) != 0;

    m->seen[bit / 8] |= mask;
    return seen;
}

static int
push_frame(struct machine *m, const struct frame *frame)
{
    size_t cap = m->cap ? 2 * m->cap : 256;
    struct frame *frames;

    if (m->n == m->cap) {
        frames = mcph_reallocarray(m->frames, cap, sizeof(*frames));
        if (!frames)
            return MCPHOST_E_NOMEM;
        m->frames = frames;
        m->cap = cap;
    }
    m->frames[m->n++] = *frame;
    return 0;
}

/* Runs the program.  On success the frames are the path through the program.  Returns 0,
 * MCPHOST_E_NOTFOUND or MCPHOST_E_NOMEM. */
static int
run_program(struct machine *m)
{
    struct frame next = {0, 0, 0};
    int r;

    m->seen = calloc(m->prog->n * (m->uri.len + 1) / 8 + 1, 1);
    if (!m->seen)
        return MCPHOST_E_NOMEM;
    r = push_frame(m, &next);
    while (r == 0 && m->n > 0) {
        struct frame *last = &m->frames[m->n - 1];

        if (m->prog->steps[last->step].what == DO_END && last->at == m->uri.len)
            return 0;
        if (!next_way(m, last, &next))
            m->n--;
        else if (!mark_seen(m, &next))
            r = push_frame(m, &next);
    }
    return r < 0 ? r : MCPHOST_E_NOTFOUND;
}

/* ---- the variables ----------------------------------------------------------------- */

/* The frame where a variable's value begins, and how complete this value is. */
struct found {
    size_t frame;
    size_t weight; /* weight of the value; 0 if no value was found */
};

struct answer {
    const struct machine *m;
    struct mcph_buf *buf, text;
    const struct mcph_template_op *op;
    struct mcph_map keys; /* the keys of the current map so far */
};

static const struct step *
step_at(const struct machine *m, size_t frame)
{
    return &m->prog->steps[m->frames[frame].step];
}

/* Returns the index of the frame with the next mark after `frame`. */
static size_t
next_mark(const struct machine *m, size_t frame)
{
    do
        frame++;
    while (step_at(m, frame)->what != DO_MARK);
    return frame;
}

static struct mcph_span
uri_between(const struct machine *m, size_t from, size_t to)
{
    return mcph_span(m->uri.p + m->frames[from].at,
                     m->frames[to].at - m->frames[from].at);
}

static int
add_text_of(struct answer *a, struct mcph_span part)
{
    int r;

    mcph_buf_clear(&a->text);
    r = mcph_uri_add_decoded(&a->text, part, a->op->reserved);
    return r < 0 ? r : mcph_json_add_string(a->buf, a->text.data, a->text.len);
}

/* Adds the value of a variable that is not exploded.  If the value has commas and the
 * operator does not keep reserved characters, the value is a list. */
static int
add_string(struct answer *a, struct mcph_span part)
{
    const char *p = part.p, *end = p + part.len, *comma;
    int r = 0;

    if (a->op->reserved || !part.len || !memchr(p, ',', part.len))
        return add_text_of(a, part);
    mcph_buf_addc(a->buf, '[');
    for (; r == 0 && p; p = comma ? comma + 1 : NULL) {
        comma = memchr(p, ',', (size_t)(end - p));
        mcph_json_add_comma(a->buf);
        r = add_text_of(a, mcph_span(p, (size_t)((comma ? comma : end) - p)));
    }
    mcph_buf_addc(a->buf, ']');
    return r;
}

/* Adds a key and a colon, or an item.  Returns MCPHOST_E_NOTFOUND if a map has a key
 * twice. */
static int
add_member(struct answer *a, unsigned mark, struct mcph_span part)
{
    void *old = NULL;
    int r = 0;

    if (mark == MARK_ITEM)
        return add_text_of(a, part);
    r = mcph_map_put(&a->keys, part.p, part.len, a, &old);
    if (r == 0 && old)
        r = MCPHOST_E_NOTFOUND;
    if (r == 0)
        r = add_text_of(a, part);
    mcph_buf_addc(a->buf, ':');
    return r;
}

static int
add_members(struct answer *a, size_t frame)
{
    bool map = step_at(a->m, frame)->mark == MARK_MAP;
    size_t next;
    unsigned mark;
    int r = 0;

    mcph_buf_addc(a->buf, map ? '{' : '[');
    frame = next_mark(a->m, frame);
    while (r == 0 && step_at(a->m, frame)->mark != MARK_END) {
        mark = step_at(a->m, frame)->mark;
        next = next_mark(a->m, frame);
        if (mark == MARK_KEY || !map)
            mcph_json_add_comma(a->buf);
        r = add_member(a, mark, uri_between(a->m, frame, next));
        frame = next_mark(a->m, next);
    }
    mcph_buf_addc(a->buf, map ? '}' : ']');
    mcph_map_done(&a->keys);
    return r;
}

static const struct mcph_template_op *
op_of(const struct mcph_template *t, size_t var)
{
    size_t i = 0;

    while (!t->parts[i].op || var >= t->parts[i].first + t->parts[i].n)
        i++;
    return t->parts[i].op;
}

/* Finds the most complete value of each variable.  A variable may appear more than once.
 * A prefix is less complete than the whole value, and the whole value is less complete
 * than its exploded members. */
static void
collect_values(const struct machine *m, struct found *found)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct step *step = step_at(m, i);
        const struct mcph_template_var *var = &m->prog->t->vars[step->var];
        size_t weight;

        if (step->what != DO_MARK || step->mark > MARK_MAP)
            continue;
        weight = SIZE_MAX - !var->explode;
        if (var->prefix)
            weight = uri_between(m, i, next_mark(m, i)).len + 1;
        if (weight > found[var->name].weight)
            found[var->name] = (struct found){i, weight};
    }
}

static int
add_variables(const struct machine *m, const struct found *found, struct mcph_buf *buf)
{
    const struct mcph_template *t = m->prog->t;
    struct answer a = {.m = m, .buf = buf};
    int r = 0;

    mcph_buf_init(&a.text, m->uri.len + 1);
    mcph_buf_addc(buf, '{');
    for (size_t i = 0; r == 0 && i < t->n_names; i++) {
        size_t frame = found[i].frame;

        if (!found[i].weight)
            continue;
        mcph_json_add_comma(buf);
        mcph_json_add_string(buf, t->names[i].p, t->names[i].len);
        mcph_buf_addc(buf, ':');
        a.op = op_of(t, step_at(m, frame)->var);
        r = step_at(m, frame)->mark == MARK_STRING
                ? add_string(&a, uri_between(m, frame, next_mark(m, frame)))
                : add_members(&a, frame);
    }
    mcph_buf_addc(buf, '}');
    mcph_buf_done(&a.text);
    return r < 0 ? r : mcph_buf_ok(buf);
}

/* Expands the values again and compares the result with the URI.  The URIs differ if a
 * variable that appears more than once does not have the same value everywhere.  Returns
 * 0, MCPHOST_E_NOTFOUND or MCPHOST_E_NOMEM. */
static int
check_again(const struct machine *m, struct mcph_span values)
{
    struct mcph_buf uri, normal;
    int r;

    mcph_buf_init(&uri, 4 * MCPH_URI_MAX);
    mcph_buf_init(&normal, 4 * MCPH_URI_MAX);
    r = mcph_template_expand(m->prog->t, values, false, &uri, NULL);
    if (r == 0)
        r = mcph_uri_add_normal(&normal, mcph_span(uri.data, uri.len));
    if (r == 0 && !mcph_span_eq(mcph_span(normal.data, normal.len), m->uri))
        r = MCPHOST_E_NOTFOUND;
    mcph_buf_done(&uri);
    mcph_buf_done(&normal);
    return r == MCPHOST_E_NOMEM ? r : r < 0 ? MCPHOST_E_NOTFOUND : 0;
}

static int
add_answer(const struct machine *m, struct mcph_buf *buf)
{
    const struct mcph_template *t = m->prog->t;
    struct found *found = calloc(t->n_names + 1, sizeof(*found));
    size_t from = buf->len;
    int r;

    if (!found)
        return MCPHOST_E_NOMEM;
    collect_values(m, found);
    r = add_variables(m, found, buf);
    if (r == 0 && t->n_names < t->n_vars)
        r = check_again(m, mcph_span(buf->data + from, buf->len - from));
    free(found);
    return r;
}

/* ---- matching ---------------------------------------------------------------------- */

static int
match_program(const struct mcph_template *t, struct mcph_span uri, bool tells_apart,
              struct mcph_buf *buf)
{
    struct program prog = {.tells_apart = tells_apart};
    struct machine m = {.prog = &prog, .uri = uri};
    int r = compile_template(&prog, t, uri.len);

    if (r == 0)
        r = run_program(&m);
    if (r == 0)
        r = add_answer(&m, buf);
    free(m.seen);
    free(m.frames);
    program_done(&prog);
    return r;
}

static bool
has_exploded_var(const struct mcph_template *t)
{
    for (size_t i = 0; i < t->n_vars; i++) {
        if (t->vars[i].explode)
            return true;
    }
    return false;
}

/* Matches the URI in two attempts.  Only the second attempt allows a map to have a member
 * with the name of a list. */
static int
match_either(const struct mcph_template *t, struct mcph_span uri, struct mcph_buf *buf)
{
    size_t from = buf->len;
    int r = match_program(t, uri, true, buf);

    if (r == MCPHOST_E_NOTFOUND && has_exploded_var(t)) {
        buf->len = from;
        r = match_program(t, uri, false, buf);
    }
    return r;
}

int
mcph_template_match(const struct mcph_template *template, struct mcph_span uri,
                    struct mcph_buf *buf, mcphost_error **reterr)
{
    size_t from = buf->len;
    struct mcph_buf normal;
    int r;

    if (uri.len > MCPH_URI_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "the URI is longer than %d bytes",
                        MCPH_URI_MAX);
    if (!mcph_utf8_valid(uri.p, uri.len, NULL))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the URI is not UTF-8");
    mcph_buf_init(&normal, 3 * uri.len + 1);
    r = mcph_uri_add_normal(&normal, uri);
    if (r == 0)
        r = match_either(template, mcph_span(normal.data ? normal.data : "", normal.len),
                         buf);
    mcph_buf_done(&normal);
    if (r == 0)
        return 0;
    mcph_buf_clear(buf);
    buf->len = from;
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r == MCPHOST_E_LIMIT)
        return mcph_err(reterr, r, "the URI and its template are too long to compare");
    return mcph_err(reterr, r, "the URI does not match the template");
}
