/* SPDX-License-Identifier: MIT
 *
 * chatos_expose.c - merge the three descriptions of an app's contribution: the manifest,
 * its ai.config file, and the default list of a built-in app (R148-R155, B.25, B.26).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/chatos.h"

#define SOURCE "chatos"

/* ---- a document -------------------------------------------------------------------- */

static bool
has_extension(const char *file, const char *extension)
{
    size_t len = strlen(file), n = strlen(extension);

    return len >= n && strcasecmp(file + len - n, extension) == 0;
}

static bool
is_json(const char *file, const char *data, size_t len)
{
    struct mcph_span text;

    if (has_extension(file, ".json"))
        return true;
    if (has_extension(file, ".yaml") || has_extension(file, ".yml"))
        return false;
    text = mcph_chatos_trim(data, len);
    return text.len > 0 && (*text.p == '{' || *text.p == '[');
}

/* Parses the text.  If the text is too large or invalid, stores the error in the report
 * and returns 0 without a document. */
static int
parse_text(const char *data, size_t len, const char *file, mcphost_config *report,
           struct mcph_doc **ret_doc)
{
    int r;

    if (len > MCPH_CHATOS_AI_MAX)
        return mcph_config_fail(report, MCPHOST_E_LIMIT, "", 0, 0,
                                "is larger than %zu bytes", MCPH_CHATOS_AI_MAX);
    if (is_json(file, data, len))
        r = mcph_json_parse(data, len, MCPH_CHATOS_AI_MAX, 0, mcph_profile_report, report,
                            ret_doc);
    else
        r = mcph_yaml_parse(data, len, mcph_profile_report, report, ret_doc);
    if (r == MCPHOST_E_NOMEM || r == 0)
        return r;
    report->status = r;
    return 0;
}

static int
read_document(const struct mcph_doc *doc, const char *dir, mcphost_config *report,
              struct mcph_chatos_ai **ret_ai)
{
    struct chatos_reading rd = {.dir = dir};
    struct mcph_check check;
    int r;

    mcph_check_init(&check, report);
    rd.check = &check;
    *ret_ai = mcph_chatos_read_ai(&rd, doc->root, false);
    r = check.err;
    if (!*ret_ai)
        report->status = MCPHOST_E_CONFIG;
    mcph_check_done(&check);
    return r;
}

int
mcph_chatos_ai_parse(const char *data, size_t len, const char *file, const char *dir,
                     struct mcph_chatos_ai **ret_ai, mcphost_config **ret_report)
{
    mcphost_config *report = mcph_config_new(SOURCE, NULL, file, dir);
    struct mcph_chatos_ai *ai = NULL;
    struct mcph_doc *doc = NULL;
    int r;

    if (!report)
        return MCPHOST_E_NOMEM;
    r = parse_text(data, len, file, report, &doc);
    if (r == 0 && doc)
        r = read_document(doc, dir, report, &ai);
    mcph_doc_free(doc);
    if (r == 0)
        r = mcph_config_finish(report);
    if (r < 0) {
        mcph_chatos_ai_free(ai);
        mcph_config_unref(report);
        return r;
    }
    *ret_ai = ai;
    *ret_report = report;
    return 0;
}

/* ---- the merge --------------------------------------------------------------------- */

static const struct mcph_chatos_expose unset = {.kind = MCPH_CHATOS_UNSET};
static const struct mcph_chatos_expose all = {.kind = MCPH_CHATOS_ALL};

/* Returns `value`, or an unset value if `value` is NULL or a list without names
 * (B.26). */
static const struct mcph_chatos_expose *
or_unset(const struct mcph_chatos_expose *value)
{
    if (!value || (value->kind == MCPH_CHATOS_LIST && value->names.n == 0))
        return &unset;
    return value;
}

static bool
is_set(const struct mcph_chatos_expose *value)
{
    return value->kind != MCPH_CHATOS_UNSET;
}

const struct mcph_chatos_expose *
mcph_chatos_expose(const struct mcph_chatos_expose *in_manifest,
                   const struct mcph_chatos_expose *in_file,
                   const struct mcph_chatos_expose *in_defaults)
{
    const struct mcph_chatos_expose *own = or_unset(in_manifest),
                                    *file = or_unset(in_file),
                                    *defaults = or_unset(in_defaults);

    if (own->kind == MCPH_CHATOS_OFF || own->kind == MCPH_CHATOS_LIST)
        return own;
    if (is_set(file))
        return file;
    if (own->kind == MCPH_CHATOS_UNSET)
        return &unset; /* defaults alone enable nothing (R152, R155) */
    return is_set(defaults) ? defaults : &all;
}

static bool
exposes_any(const struct mcph_chatos_expose *value)
{
    return value->kind == MCPH_CHATOS_ALL || value->kind == MCPH_CHATOS_LIST;
}

bool
mcph_chatos_offer(const struct mcph_chatos_ai *in_manifest,
                  const struct mcph_chatos_ai *in_file,
                  const struct mcph_chatos_ai *in_defaults,
                  struct mcph_chatos_offer *ret_offer)
{
    static const struct mcph_chatos_ai nothing = {0};
    const struct mcph_chatos_ai *from[] = {in_manifest, in_file, in_defaults};
    struct mcph_chatos_offer offer = {0};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(from); i++) {
        if (!from[i])
            from[i] = &nothing;
        offer.mcp = offer.mcp ? offer.mcp : from[i]->mcp;
        offer.prompt = offer.prompt ? offer.prompt : from[i]->prompt;
        offer.agent = offer.agent ? offer.agent : from[i]->agent;
    }
    offer.servers =
        mcph_chatos_expose(&from[0]->servers, &from[1]->servers, &from[2]->servers);
    offer.prompts =
        mcph_chatos_expose(&from[0]->prompts, &from[1]->prompts, &from[2]->prompts);
    if (!in_manifest || !(offer.mcp || offer.prompt || offer.agent ||
                          exposes_any(offer.servers) || exposes_any(offer.prompts)))
        return false;
    *ret_offer = offer;
    return true;
}
