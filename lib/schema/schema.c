/* SPDX-License-Identifier: MIT
 *
 * schema.c - the handle of a schema: its options, its documents, its lifetime.
 *
 *   NEW --compile--> COMPILING --> READY, or BROKEN
 *
 * Until the schema is READY, only one thread uses it.  After that, the schema does not
 * change.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

const bool mcph_schema_is_built = true;

#define MIB ((int64_t)1024 * 1024)

static const struct option {
    int64_t value, least, most;
} options[MCPHOST_SCHEMA_OPT_MAX_VALUES + 1] = {
    [MCPHOST_SCHEMA_OPT_DRAFT] = {MCPHOST_SCHEMA_DRAFT_2020_12, MCPHOST_SCHEMA_DRAFT_4,
                                  MCPHOST_SCHEMA_DRAFT_2020_12},
    [MCPHOST_SCHEMA_OPT_FORMATS] = {0, 0, 1},
    [MCPHOST_SCHEMA_OPT_MAX_ERRORS] = {10, 1, 1000},
    [MCPHOST_SCHEMA_OPT_MAX_DEPTH] = {1024, 16, 8192},
    [MCPHOST_SCHEMA_OPT_MAX_STEPS] = {10000000, 1, INT64_MAX},
    [MCPHOST_SCHEMA_OPT_MAX_MS] = {1000, -1, INT32_MAX},
    [MCPHOST_SCHEMA_OPT_MAX_SIZE] = {8 * MIB, 2, INT32_MAX},
    [MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS] = {100000, 1, INT32_MAX},
    [MCPHOST_SCHEMA_OPT_MAX_VALUES] = {4000000, 1, INT32_MAX},
};

int
mcph_schema_new(mcphost_schema **ret_schema)
{
    mcphost_schema *schema = mcph_zalloc(sizeof(*schema), 0);
    size_t i;

    if (!schema)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&schema->refs);
    for (i = 0; i < MCPH_ARRAY_SIZE(options); i++)
        schema->options[i] = options[i].value;
    mcph_budget_init(&schema->budget, schema);
    *ret_schema = schema;
    return 0;
}

mcphost_schema *
mcph_schema_ref(mcphost_schema *schema)
{
    if (schema)
        mcph_refs_get(&schema->refs);
    return schema;
}

void
mcph_schema_drop_function(mcphost_schema *schema)
{
    mcphost_free_fn free_arg = schema->free_arg;
    void *arg = schema->arg;

    schema->fn = NULL;
    schema->arg = NULL;
    schema->free_arg = NULL;
    if (free_arg)
        free_arg(arg);
}

mcphost_schema *
mcph_schema_unref(mcphost_schema *schema)
{
    size_t i;

    if (!schema || !mcph_refs_put(&schema->refs))
        return NULL;
    mcph_schema_drop_function(schema);
    for (i = 0; i < schema->codes.n; i++)
        pcre2_code_free(schema->codes.items[i]);
    for (i = 0; i < schema->maps.n; i++)
        mcph_map_done(schema->maps.items[i]);
    mcph_vec_done(&schema->codes);
    mcph_vec_done(&schema->maps);
    mcph_map_done(&schema->documents);
    mcph_map_done(&schema->resources);
    mcph_map_done(&schema->anchors);
    mcph_map_done(&schema->nodes);
    mcph_map_done(&schema->targets);
    mcph_map_done(&schema->members);
    mcph_arena_done(&schema->arena);
    free(schema);
    return NULL;
}

int
mcph_schema_set_option(mcphost_schema *schema, int option, int64_t value)
{
    if (option < 1 || (size_t)option >= MCPH_ARRAY_SIZE(options) ||
        value < options[option].least || value > options[option].most)
        return MCPHOST_E_INVALID;
    if (option == MCPHOST_SCHEMA_OPT_DRAFT && value != MCPHOST_SCHEMA_DRAFT_4 &&
        value != MCPHOST_SCHEMA_DRAFT_6 && value != MCPHOST_SCHEMA_DRAFT_7 &&
        value != MCPHOST_SCHEMA_DRAFT_2019_09 && value != MCPHOST_SCHEMA_DRAFT_2020_12)
        return MCPHOST_E_INVALID;
    if (schema->state != SCHEMA_NEW)
        return MCPHOST_E_STATE;
    schema->options[option] = value;
    return 0;
}

int
mcph_schema_set_documents(mcphost_schema *schema, mcphost_schema_document_fn fn,
                          void *arg, mcphost_free_fn free_arg)
{
    if (schema->state != SCHEMA_NEW)
        return MCPHOST_E_STATE;
    mcph_schema_drop_function(schema);
    schema->fn = fn;
    schema->arg = arg;
    schema->free_arg = free_arg;
    return 0;
}

/* Checks that no object of a checked text has a name twice. */
static int
check_names(const char *what, struct mcph_span root, mcphost_error **reterr)
{
    struct mcph_tape tape;
    int r = mcph_tape_init(&tape, root, UINT32_MAX), n;

    if (r == MCPHOST_E_INVALID) {
        n = tape.twice.len < 80 ? (int)tape.twice.len : 80;
        r = mcph_schema_error(reterr, r, "%s: the name '%.*s' occurs twice in an object",
                              what, n, tape.twice.p);
    } else if (r < 0) {
        r = mcph_err_nomem(reterr);
    }
    mcph_tape_done(&tape);
    return r;
}

int
mcph_schema_take_text(mcphost_schema *schema, const char *what, struct mcph_span json,
                      struct mcph_document **ret_document, mcphost_error **reterr)
{
    int64_t max = schema->options[MCPHOST_SCHEMA_OPT_MAX_SIZE];
    struct mcph_document *document;
    struct mcph_span root;
    char *copy;
    int r = 0;

    if (json.len > (size_t)max - schema->size)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "%s: the documents are larger than %" PRId64 " bytes", what, max);
    /* Charge only documents that the compilation loads.  The application has added all
     * other documents before the compilation. */
    if (schema->state == SCHEMA_COMPILING)
        r = mcph_schema_spend(schema, json.len / 4, reterr);
    if (r == 0)
        r = mcph_json_check_input(json, 0, MCPH_JSON_ANY, what, NULL, reterr);
    if (r < 0)
        return r;
    copy = mcph_arena_copy(&schema->arena, json.p, json.len);
    document = mcph_arena_take(&schema->arena, 1, sizeof(*document));
    if (!copy || !document)
        return mcph_err_nomem(reterr);
    mcph_json_check(mcph_span(copy, json.len), 0, &root, NULL);
    r = check_names(what, root, reterr);
    if (r < 0)
        return r;
    schema->size += json.len;
    document->root = root;
    *ret_document = document;
    return 0;
}

int
mcph_schema_add_document(mcphost_schema *schema, const char *uri, struct mcph_span json,
                         mcphost_error **reterr)
{
    struct mcph_document *document;
    struct mcph_span fragment, name;
    char *copy;
    int r;

    if (schema->state > SCHEMA_COMPILING)
        return mcph_err(reterr, MCPHOST_E_STATE, "the schema is already compiled");
    name = mcph_uri_split(mcph_span_str(uri), &fragment);
    if (!mcph_uri_is_absolute(name) || fragment.len > 0)
        return mcph_schema_error(reterr, MCPHOST_E_INVALID, "'%s' is not an absolute URI",
                                 uri);
    if (mcph_map_get(&schema->documents, name.p, name.len))
        return mcph_schema_error(reterr, MCPHOST_E_EXISTS,
                                 "a document '%s' already exists", uri);
    copy = mcph_arena_copy(&schema->arena, name.p, name.len);
    if (!copy)
        return mcph_err_nomem(reterr);
    r = mcph_schema_take_text(schema, copy, json, &document, reterr);
    if (r < 0)
        return r;
    document->uri = mcph_span(copy, name.len);
    if (mcph_map_put(&schema->documents, copy, name.len, document, NULL) < 0)
        return mcph_err_nomem(reterr);
    return 0;
}
