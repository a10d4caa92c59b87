/* SPDX-License-Identifier: MIT
 *
 * walk.c - a walk through the catalog that a dialog sees, on behalf of a model's call.
 *
 * A walk visits resources, templates or skills: the elements.  Each run of the job
 * walk_step() visits a limited number of elements, because a server may list a hundred
 * thousand elements.  The job then posts itself again.  One turn of the dispatcher may
 * run the job a few times (loop/dispatch.c).
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/walk.h"

/* Limits of one run of walk_step(): elements that are visited, and bytes that are
 * searched or written. */
#define A_TURN       500
#define A_TURN_BYTES ((size_t)1 << 20)
/* The bytes of `rows` that are reserved for the text after the last row. */
#define END_MAX ((size_t)64)

void
mcph_walk_free(struct mcph_walk *walk)
{
    mcph_catalog_unref(walk->catalog);
    mcph_call_put(walk->call);
    mcph_buf_done(&walk->scratch);
    mcph_buf_done(&walk->id_buf);
    mcph_buf_done(&walk->rows);
    free(walk->texts);
    free(walk->back);
    free(walk);
}

/* Returns the next element, or NULL at the end.  *ret_entry gets the entry of the
 * element's server. */
static const mcphost_tool *
next_item(struct mcph_walk *walk, const mcphost_server **ret_entry)
{
    for (; walk->entry < walk->catalog->n_entries; walk->entry++, walk->kind = 0) {
        const mcphost_server *entry = &walk->catalog->entries[walk->entry];

        if (walk->server.p && !mcph_span_is(walk->server, entry->name))
            continue;
        for (; walk->kind < MCPH_LIST_KINDS; walk->kind++, walk->place = 0) {
            if ((walk->kinds & 1u << walk->kind) &&
                walk->place < mcph_entry_count(entry, walk->kind)) {
                *ret_entry = entry;
                return mcph_entry_item(entry, walk->kind, walk->place++);
            }
        }
    }
    return NULL;
}

static void
walk_step(struct mcph_job *job)
{
    struct mcph_walk *walk = MCPH_CONTAINER_OF(job, struct mcph_walk, job);
    mcphost *host = walk->call->host;
    const mcphost_server *entry = NULL;

    walk->looked = 0;
    for (size_t i = 0; i < A_TURN && walk->looked < A_TURN_BYTES; i++) {
        const mcphost_tool *item = walk->call->active ? next_item(walk, &entry) : NULL;

        if (item && walk->visit(walk, entry, item))
            continue;
        if (walk->call->active)
            walk->end(walk);
        mcph_walk_free(walk);
        return;
    }
    mcph_core_post(host->core, &walk->job);
}

int
mcph_walk_take(struct mcph_walk *walk, struct mcph_span args, const char *const *names,
               struct mcph_span *const *to, size_t n)
{
    struct mcph_buf buf;
    char *at;
    int r = 0;

    walk->texts = at = malloc(args.len + n + 1);
    if (!at)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < n && r == 0; i++) {
        struct mcph_span token = mcph_json_get(args, names[i]), text;

        if (mcph_json_type(token) != MCPH_JSON_STRING)
            continue;
        mcph_buf_init(&buf, token.len);
        r = mcph_json_string_get(token, &buf, &text);
        if (r == 0) {
            memcpy(at, text.p, text.len);
            *to[i] = mcph_span(at, text.len);
            at += text.len;
            *at++ = '\0';
        }
        mcph_buf_done(&buf);
    }
    return r;
}

int
mcph_walk_begin(mcphost_call *call, struct mcph_walk **ret)
{
    struct mcph_walk *walk = calloc(1, sizeof(*walk));
    int r;

    if (!walk)
        return MCPHOST_E_NOMEM;
    r = mcph_dialog_look(call->dialog, &walk->catalog);
    if (r < 0) {
        free(walk);
        return r;
    }
    walk->call = call;
    mcph_refs_get(&call->refs);
    walk->job.run = walk_step;
    mcph_list_init(&walk->job.link);
    mcph_buf_init(&walk->scratch, SIZE_MAX / 4);
    mcph_buf_init(&walk->id_buf, SIZE_MAX / 4);
    mcph_buf_init(&walk->rows, MCPH_ROWS_MAX);
    *ret = walk;
    return 0;
}

int
mcph_walk_go(struct mcph_walk *walk, int r)
{
    if (r < 0)
        mcph_walk_free(walk);
    else
        mcph_core_post(walk->call->host->core, &walk->job);
    return r;
}

/* ---- lists ------------------------------------------------------------------------- */

static char
lower_char(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Makes the search table of the query (Knuth, Morris, Pratt).  walk->back[i] is the
 * length of the longest proper prefix of the query's first i + 1 bytes that is also a
 * suffix of these bytes.  After a mismatch the search continues with this prefix.
 * Therefore no text of a server makes the search slow.  Returns 0 or MCPHOST_E_NOMEM. */
static int
prepare_words(struct mcph_walk *walk)
{
    struct mcph_span query = walk->query;

    if (query.len == 0)
        return 0;
    walk->back = calloc(query.len, sizeof(*walk->back));
    if (!walk->back)
        return MCPHOST_E_NOMEM;
    for (size_t i = 1, k = 0; i < query.len; i++) {
        while (k > 0 && lower_char(query.p[k]) != lower_char(query.p[i]))
            k = walk->back[k - 1];
        k += lower_char(query.p[k]) == lower_char(query.p[i]);
        walk->back[i] = k;
    }
    return 0;
}

/* Returns true if the text contains the query.  Does not distinguish upper and lower case
 * of ASCII letters. */
static bool
has_query(struct mcph_walk *walk, struct mcph_span text)
{
    struct mcph_span query = walk->query;
    size_t k = 0;

    walk->looked += text.len;
    for (size_t i = 0; i < text.len && k < query.len; i++) {
        while (k > 0 && lower_char(query.p[k]) != lower_char(text.p[i]))
            k = walk->back[k - 1];
        k += lower_char(query.p[k]) == lower_char(text.p[i]);
    }
    return k == query.len;
}

bool
mcph_walk_fits(struct mcph_walk *walk, struct mcph_span text, struct mcph_span object,
               const char *const *names, size_t n)
{
    if (!walk->query.p || has_query(walk, text))
        return true;
    for (size_t i = 0; i < n; i++) {
        struct mcph_span token = mcph_json_get(object, names[i]);

        mcph_buf_clear(&walk->scratch);
        if (mcph_json_type(token) != MCPH_JSON_STRING)
            continue;
        if (mcph_json_string_get(token, &walk->scratch, &text) < 0)
            walk->failed = true;
        else if (has_query(walk, text))
            return true;
    }
    return false;
}

void
mcph_walk_copy(struct mcph_buf *rows, struct mcph_span object,
               const struct mcph_walk_member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct mcph_span token = mcph_json_get(object, members[i].name);

        if (mcph_json_type(token) != members[i].type)
            continue;
        mcph_json_add_key(rows, members[i].name);
        mcph_buf_add(rows, token.p, token.len);
    }
}

void
mcph_walk_end_row(struct mcph_walk *walk, size_t begin)
{
    struct mcph_buf *rows = &walk->rows;

    walk->looked += rows->len - begin;
    if (rows->err == MCPHOST_E_NOMEM ||
        (rows->err == 0 && rows->len <= MCPH_ROWS_MAX - END_MAX))
        return;
    rows->len = begin;
    rows->err = 0;
    walk->left_out++;
}

static void
end_list(struct mcph_walk *walk)
{
    struct mcph_buf *rows = &walk->rows;

    mcph_buf_adds(rows, "]");
    if (walk->left_out)
        mcph_buf_addf(rows, ",\"leftOut\":%zu", walk->left_out);
    mcph_buf_addc(rows, '}');
    if (walk->failed || mcph_buf_ok(rows) < 0)
        mcph_say(walk->call, true, "error: out of memory");
    else
        mcph_said(walk->call,
                  mcph_handling_answer(walk->call, rows->data, rows->len, false));
}

int
mcph_walk_list(struct mcph_walk *walk, int r)
{
    mcphost_error *err = NULL;

    walk->end = end_list;
    if (r == 0)
        r = prepare_words(walk);
    if (r == 0 && walk->server.p && !mcph_catalog_server(walk->catalog, walk->server.p)) {
        r = mcph_err(&err, MCPHOST_E_NOTFOUND, "there is no server '%.64s'",
                     walk->server.p);
        mcph_say_error(walk->call, err, r);
        mcphost_error_unref(err);
        mcph_walk_free(walk);
        return 0;
    }
    return mcph_walk_go(walk, r);
}
