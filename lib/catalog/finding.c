/* SPDX-License-Identifier: MIT
 *
 * finding.c - the reasons why an element is not in a catalog, is cut short or has no id,
 * and their problems.
 *
 * A finding is data.  The kind, id and detail of a finding have the form of B.17.
 * Therefore the store of problems can keep a finding and need not know the meaning of the
 * finding.  Texts from a server are cut and cleaned when the finding is made.  Texts from
 * the configuration are cut and cleaned when they are written out.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "names/names.h"

/* The length of "mcp_".  The id of a problem leaves this prefix out. */
#define PREFIX_LEN 4

/* The names of the problems that elements of the kind `noun` can have. */
#define NAMES(noun)                                                      \
    {                                                                    \
        [MCPH_FINDING_INVALID] = "mcp_" noun "_invalid",                 \
        [MCPH_FINDING_INVALID_SCHEMA] = "mcp_" noun "_invalid",          \
        [MCPH_FINDING_INVALID_NAME] = "mcp_" noun "_invalid_name",       \
        [MCPH_FINDING_INVALID_RENAMED] = "mcp_" noun "_invalid_name",    \
        [MCPH_FINDING_REFUSED] = "mcp_" noun "_name_refused",            \
        [MCPH_FINDING_BLACKLISTED] = "mcp_" noun "_blacklisted",         \
        [MCPH_FINDING_NOT_WHITELISTED] = "mcp_" noun "_not_whitelisted", \
        [MCPH_FINDING_COLLISION] = "mcp_" noun "_collision",             \
        [MCPH_FINDING_TYPE] = "mcp_" noun "_type_not_wanted",            \
        [MCPH_FINDING_SAME_ID] = "mcp_" noun "_without_id",              \
        [MCPH_FINDING_CUT] = "mcp_" noun "_cut",                         \
        [MCPH_FINDING_MORE] = "mcp_" noun "s_left_out",                  \
        [MCPH_FINDING_SERVER] = "mcp_server_error",                      \
    }

#define N_KINDS (MCPH_FINDING_SERVER + 1)

static const char *const names[MCPH_LIST_KINDS][N_KINDS] = {
    [MCPH_LIST_TOOLS] = NAMES("tool"),
    [MCPH_LIST_RESOURCES] = NAMES("resource"),
    [MCPH_LIST_TEMPLATES] = NAMES("resource_template"),
    [MCPH_LIST_PROMPTS] = NAMES("prompt"),
    [MCPH_LIST_SKILLS] = NAMES("skill"),
};

/* The member of the detail that has the name or URI of the element. */
static const char *const subjects[MCPH_LIST_KINDS] = {
    [MCPH_LIST_TOOLS] = "toolName",
    [MCPH_LIST_RESOURCES] = "uri",
    [MCPH_LIST_TEMPLATES] = "uriTemplate",
    [MCPH_LIST_PROMPTS] = "promptName",
    [MCPH_LIST_SKILLS] = "uri",
};

/* The member of the detail that has the finding's `text`, or NULL if there is no text. */
static const char *const members[N_KINDS] = {
    [MCPH_FINDING_INVALID] = "errorText",   [MCPH_FINDING_INVALID_SCHEMA] = "errorText",
    [MCPH_FINDING_INVALID_NAME] = "rule",   [MCPH_FINDING_INVALID_RENAMED] = "rule",
    [MCPH_FINDING_BLACKLISTED] = "pattern", [MCPH_FINDING_NOT_WHITELISTED] = "pattern",
    [MCPH_FINDING_TYPE] = "errorText",      [MCPH_FINDING_SAME_ID] = "errorText",
    [MCPH_FINDING_CUT] = "errorText",       [MCPH_FINDING_SERVER] = "errorText",
    [MCPH_FINDING_REFUSED] = "errorText",
};

/* Returns how many of `len` bytes to keep: at most `max`, in whole UTF-8 characters. */
static size_t
cut_len(const char *data, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max && ((unsigned char)data[max] & 0xc0) == 0x80)
        max--;
    return max;
}

/* Adds a name as messages show it.  If the name is too long, cuts the name and adds the
 * element's place, so that two long names stay different. */
static int
add_shown(struct mcph_buf *buf, struct mcph_span tool, size_t place)
{
    size_t len = cut_len(tool.p, tool.len, MCPH_NAME_SHOWN_MAX);

    mcph_utf8_add_clean(buf, tool.p, len, true);
    if (len < tool.len)
        mcph_buf_addf(buf, "...#%zu", place + 1);
    return mcph_buf_ok(buf);
}

struct mcph_finding *
mcph_finding_new(enum mcph_finding_kind kind, int of, const char *server,
                 struct mcph_span tool, size_t place, const char *renamed,
                 const char *text)
{
    struct mcph_finding *finding = calloc(1, sizeof(*finding));
    struct mcph_buf shown;

    if (!finding)
        return NULL;
    /* Allow for bad bytes: each bad byte becomes the three bytes of U+FFFD. */
    mcph_buf_init(&shown, (size_t)MCPH_NAME_SHOWN_MAX * 3 + 32);
    finding->kind = kind;
    finding->of = of;
    finding->severity =
        kind == MCPH_FINDING_SERVER ? MCPHOST_SEVERITY_ERROR : MCPHOST_SEVERITY_WARNING;
    finding->server = server;
    finding->text = text;
    if (text && kind == MCPH_FINDING_REFUSED) {
        finding->text = finding->made = mcph_strdup(text);
        if (!finding->made)
            goto no_memory;
    }
    if (renamed) {
        finding->renamed = mcph_strdup(renamed);
        if (!finding->renamed)
            goto no_memory;
    }
    if (kind == MCPH_FINDING_SERVER || kind == MCPH_FINDING_MORE)
        return finding;
    if (tool.p)
        add_shown(&shown, tool, place);
    else
        mcph_buf_addf(&shown, "#%zu", place + 1);
    finding->tool = mcph_buf_steal(&shown, NULL);
    if (!finding->tool)
        goto no_memory;
    return finding;

no_memory:
    mcph_buf_done(&shown);
    mcph_finding_free(finding);
    return NULL;
}

void
mcph_finding_free(struct mcph_finding *finding)
{
    if (!finding)
        return;
    free((char *)finding->tool);
    free((char *)finding->renamed);
    free(finding->made);
    free(finding);
}

const char *
mcph_finding_kind_name(const struct mcph_finding *finding)
{
    return names[finding->of][finding->kind];
}

int
mcph_finding_add_id(struct mcph_buf *buf, const struct mcph_finding *finding)
{
    mcph_buf_addf(buf, "mcp/server/%s/%s", finding->server,
                  mcph_finding_kind_name(finding) + PREFIX_LEN);
    if (finding->kind == MCPH_FINDING_SERVER || finding->kind == MCPH_FINDING_MORE)
        return mcph_buf_ok(buf);
    mcph_buf_addf(buf, "/%s",
                  finding->kind == MCPH_FINDING_COLLISION && finding->renamed
                      ? finding->renamed
                      : finding->tool);
    if (finding->kind == MCPH_FINDING_INVALID_RENAMED)
        mcph_buf_adds(buf, "/transformed");
    return mcph_buf_ok(buf);
}

static void
add_member(struct mcph_buf *buf, const char *name, const char *value)
{
    size_t len = value ? strlen(value) : 0;
    size_t kept = value ? cut_len(value, len, MCPH_FINDING_TEXT_MAX) : 0;
    char *text;

    if (!value)
        return;
    mcph_json_add_key(buf, name);
    if (kept == len) {
        mcph_json_add_str(buf, value);
        return;
    }
    text = mcph_asprintf("%.*s...", (int)kept, value);
    if (text)
        mcph_json_add_str(buf, text);
    else
        buf->err = buf->err ? buf->err : MCPHOST_E_NOMEM;
    free(text);
}

int
mcph_finding_add_detail(struct mcph_buf *buf, const struct mcph_finding *finding)
{
    mcph_buf_addc(buf, '{');
    add_member(buf, "serverId", finding->server);
    add_member(buf, subjects[finding->of], finding->tool);
    add_member(buf, "finalName", finding->renamed);
    add_member(buf, finding->owner_builtin ? "builtinToolset" : "ownerId",
               finding->owner);
    if (members[finding->kind])
        add_member(buf, members[finding->kind], finding->text);
    if (finding->kind == MCPH_FINDING_MORE) {
        mcph_json_add_key(buf, "count");
        mcph_buf_addf(buf, "%zu", finding->more);
    }
    return mcph_buf_addc(buf, '}');
}

static void
add_text(struct mcph_buf *buf, const char *text)
{
    size_t len = strlen(text), kept = cut_len(text, len, MCPH_FINDING_TEXT_MAX);

    mcph_utf8_add_clean(buf, text, kept, true);
    if (kept < len)
        mcph_buf_adds(buf, "...");
}

static void
add_quoted(struct mcph_buf *buf, const char *text)
{
    mcph_buf_addc(buf, '\'');
    add_text(buf, text);
    mcph_buf_addc(buf, '\'');
}

static void
add_collision(struct mcph_buf *buf, const struct mcph_finding *finding)
{
    const char *noun = mcph_list_kinds[finding->of].noun;

    if (!finding->renamed) {
        mcph_buf_addf(buf, "an earlier %s of the server has it", noun);
        return;
    }
    mcph_buf_addf(buf, "the name '%s' is taken by ", finding->renamed);
    if (!finding->owner_builtin && finding->owner_is_itself) {
        mcph_buf_addf(buf, "an earlier %s of the same server", noun);
        return;
    }
    mcph_buf_adds(buf, finding->owner_builtin ? "the built-in toolset " : "server ");
    add_quoted(buf, finding->owner);
    if (!finding->owner_builtin && mcph_streq(finding->owner, finding->server))
        mcph_buf_adds(buf, " of the default source");
    if (finding->owner_keeps)
        mcph_buf_adds(buf, ", which had it first");
}

/* Returns true if a transform that maps characters would accept the name.  Does not
 * notice a name that is too long for a map, because `tool` has only the beginning of a
 * long name. */
static bool
can_be_mapped(const struct mcph_finding *finding)
{
    const char *p = finding->tool;

    while (*p >= 0x20 && *p <= 0x7e)
        p++;
    return *finding->tool && !*p;
}

/* Returns a phrase about the effect of the finding on the element. */
static const char *
outcome_text(const struct mcph_finding *finding)
{
    switch (finding->kind) {
    case MCPH_FINDING_CUT:
        return " is cut short: ";
    case MCPH_FINDING_SAME_ID:
        return " has no id: ";
    default:
        return " is left out: ";
    }
}

int
mcph_finding_add_message(struct mcph_buf *buf, const struct mcph_finding *finding)
{
    const struct mcph_list_kind *kind = &mcph_list_kinds[finding->of];

    mcph_buf_adds(buf, "server ");
    add_quoted(buf, finding->server);
    if (finding->kind == MCPH_FINDING_MORE)
        return mcph_buf_addf(buf, ": and %zu more %s%s left out", finding->more,
                             kind->noun, finding->more == 1 ? " is" : "s are");
    if (finding->tool)
        mcph_buf_addf(buf, ": %s '%s'", kind->noun, finding->tool);
    mcph_buf_adds(buf, outcome_text(finding));
    switch (finding->kind) {
    case MCPH_FINDING_INVALID:
    case MCPH_FINDING_INVALID_SCHEMA:
    case MCPH_FINDING_TYPE:
    case MCPH_FINDING_SAME_ID:
    case MCPH_FINDING_CUT:
        add_text(buf, finding->text);
        break;
    case MCPH_FINDING_INVALID_NAME:
        mcph_buf_addf(buf, "its %s ", kind->is_keyed ? kind->subject : "name");
        add_text(buf, finding->text);
        if (!kind->is_keyed && can_be_mapped(finding))
            mcph_buf_adds(buf, " (the step {map: _} of 'transform' would make it valid)");
        break;
    case MCPH_FINDING_INVALID_RENAMED:
        mcph_buf_addf(buf, "its final name '%s' ", finding->renamed);
        add_text(buf, finding->text);
        break;
    case MCPH_FINDING_REFUSED:
        mcph_buf_adds(buf, "the application refuses its name");
        if (finding->text) {
            mcph_buf_adds(buf, ": ");
            add_text(buf, finding->text);
        }
        break;
    case MCPH_FINDING_BLACKLISTED:
        mcph_buf_adds(buf, "it is on the blacklist: ");
        add_quoted(buf, finding->text);
        break;
    case MCPH_FINDING_NOT_WHITELISTED:
        mcph_buf_adds(buf, "it is not on the whitelist: ");
        add_quoted(buf, finding->text);
        break;
    case MCPH_FINDING_COLLISION:
        add_collision(buf, finding);
        break;
    case MCPH_FINDING_MORE: /* the message is complete already */
        break;
    case MCPH_FINDING_SERVER:
        add_text(buf, finding->text);
        if (finding->renamed) {
            mcph_buf_adds(buf, ": ");
            add_collision(buf, finding);
        }
        break;
    }
    return mcph_buf_ok(buf);
}
