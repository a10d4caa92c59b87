/* SPDX-License-Identifier: MIT
 *
 * profile.c - list the keywords, formats, limits and names that each provider documents,
 * and make tool names that a provider accepts.
 */
#include <string.h>

#include "model/inner.h"

#define B(kw) MCPH_KW_BIT(MCPH_KW_##kw)

#define RANGES  (B(MINIMUM) | B(MAXIMUM))
#define LIMITS  (B(ABOVE) | B(BELOW) | B(MULTIPLE_OF))
#define COUNTS  (B(MIN_ITEMS) | B(MAX_ITEMS))
#define LENGTHS (B(MIN_LENGTH) | B(MAX_LENGTH))
#define ALL                                                                          \
    (RANGES | LIMITS | COUNTS | LENGTHS | B(PATTERN) | B(FORMAT) | B(UNIQUE_ITEMS) | \
     B(MIN_PROPERTIES) | B(MAX_PROPERTIES) | B(DEFAULT) | B(EXAMPLES))

#define OUT_MAX ((size_t)256 * 1024)

static bool
is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool
is_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* ---- names of parameters ----------------------------------------------------------- */

static bool
any_property(struct mcph_span name)
{
    return name.len > 0;
}

/* Checks whether a name consists of 1 to 64 letters, digits, '_', '.' and '-'.  Anthropic
 * checks only the names of the root's parameters. */
static bool
anthropic_property(struct mcph_span name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_word(name.p[i]) && name.p[i] != '.' && name.p[i] != '-')
            return false;
    return name.len > 0 && name.len <= 64;
}

/* Checks whether a name consists of 1 to 64 letters, digits and '_', and does not begin
 * with a digit. */
static bool
gemini_property(struct mcph_span name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_word(name.p[i]))
            return false;
    return name.len > 0 && name.len <= 64 && (is_letter(*name.p) || *name.p == '_');
}

static bool
moonshot_property(struct mcph_span name)
{
    static const char *const reserved[] = {"$defs", "$ref", "anyOf", "required",
                                           "additionalProperties"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(reserved); i++)
        if (mcph_span_is(name, reserved[i]))
            return false;
    return name.len > 0;
}

/* ---- names of tools (in a catalog: 1-64 letters, digits, "_" and "-") -------------- */

static bool
any_name(const char *name, size_t len)
{
    return name && len > 0;
}

static bool
letter_first(const char *name, size_t len)
{
    return len > 0 && (is_letter(*name) || *name == '_');
}

static bool
moonshot_name(const char *name, size_t len)
{
    return len >= 3 && letter_first(name, len);
}

/* ---- profiles ---------------------------------------------------------------------- */

static const struct mcph_known_format strict_formats[] = {
    {"date-time", MCPH_T_STRING}, {"time", MCPH_T_STRING},
    {"date", MCPH_T_STRING},      {"duration", MCPH_T_STRING},
    {"email", MCPH_T_STRING},     {"hostname", MCPH_T_STRING},
    {"ipv4", MCPH_T_STRING},      {"ipv6", MCPH_T_STRING},
    {"uuid", MCPH_T_STRING},      {NULL, 0},
};
static const struct mcph_known_format gemini_formats[] = {
    {"date-time", MCPH_T_STRING},
    {"int32", MCPH_T_INTEGER},
    {"int64", MCPH_T_INTEGER},
    {"float", MCPH_T_NUMBER | MCPH_T_INTEGER},
    {"double", MCPH_T_NUMBER | MCPH_T_INTEGER},
    {NULL, 0},
};
static const struct mcph_known_format no_formats[] = {{NULL, 0}};

static const struct mcph_profile profiles[] = {
    [MCPHOST_PROFILE_OPENAI] = {.flags = MCPH_P_TYPE_LIST | MCPH_P_ONE_OF |
                                         MCPH_P_TUPLES | MCPH_P_VALUES |
                                         MCPH_P_ADDITIONAL,
                                .keep = ALL,
                                .enum_max = 1000,
                                .enum_chars_max = 100000,
                                .properties_max = 5000,
                                .out_max = OUT_MAX,
                                .objects_max = 32,
                                .property_ok = any_property,
                                .name_ok = any_name,
                                .name_max = 64,
                                .description_max = 1024},
    [MCPHOST_PROFILE_OPENAI_STRICT] = {.flags = MCPH_P_TYPE_LIST | MCPH_P_STRICT,
                                       .keep = RANGES | LIMITS | COUNTS | B(PATTERN) |
                                               B(FORMAT),
                                       .formats = strict_formats,
                                       .enum_max = 1000,
                                       .enum_chars_max = 15000,
                                       .properties_max = 5000,
                                       .out_max = 120000,
                                       .objects_max = 10,
                                       .property_ok = any_property,
                                       .name_ok = any_name,
                                       .name_max = 64,
                                       .description_max = 1024},
    [MCPHOST_PROFILE_ANTHROPIC] = {.flags = MCPH_P_TYPE_LIST | MCPH_P_ONE_OF |
                                            MCPH_P_TUPLES | MCPH_P_VALUES |
                                            MCPH_P_ADDITIONAL | MCPH_P_NAMES_AT_ROOT,
                                   .keep = ALL,
                                   .enum_max = 1000,
                                   .enum_chars_max = 100000,
                                   .properties_max = 5000,
                                   .out_max = OUT_MAX,
                                   .objects_max = 32,
                                   .property_ok = anthropic_property,
                                   .name_ok = any_name,
                                   .name_max = 64},
    [MCPHOST_PROFILE_GEMINI] = {.flags = MCPH_P_GEMINI,
                                .keep = RANGES | COUNTS | LENGTHS | B(PATTERN) |
                                        B(FORMAT) | B(MIN_PROPERTIES) | B(MAX_PROPERTIES),
                                .formats = gemini_formats,
                                .enum_max = 500,
                                .enum_chars_max = 15000,
                                .properties_max = 3000,
                                .out_max = OUT_MAX,
                                .objects_max = 32,
                                .property_ok = gemini_property,
                                .name_ok = letter_first,
                                .name_max = 64},
    [MCPHOST_PROFILE_MOONSHOT] = {.flags = MCPH_P_ADDITIONAL,
                                  .keep = RANGES | COUNTS | LENGTHS,
                                  .formats = no_formats,
                                  .enum_max = 1000,
                                  .enum_chars_max = 75000,
                                  .properties_max = 3000,
                                  .out_max = 120000,
                                  .objects_max = 30,
                                  .property_ok = moonshot_property,
                                  .name_ok = moonshot_name,
                                  .name_max = 64},
};

const struct mcph_profile *
mcph_profile_of(int profile)
{
    if (profile < 0 || profile >= (int)MCPH_ARRAY_SIZE(profiles) ||
        !profiles[profile].name_ok)
        return NULL;
    return &profiles[profile];
}

size_t
mcph_model_description(int profile, struct mcph_span text, size_t *ret_max)
{
    const struct mcph_profile *p = mcph_profile_of(profile);
    size_t max = p ? p->description_max : 0, n = 0, kept = 0;

    *ret_max = max;
    if (!max || text.len <= max)
        return SIZE_MAX;
    for (size_t i = 0; i < text.len; i++) {
        if (((unsigned char)text.p[i] & 0xc0) == 0x80)
            continue;
        if (n == max - (sizeof(MCPH_DESCRIPTION_MARK) - 1))
            kept = i;
        if (n++ == max)
            return kept;
    }
    return SIZE_MAX;
}

/* ---- names that fit ---------------------------------------------------------------- */

#define SUFFIX 11 /* length of "_" and 10 digits */

/* Checks whether a name has only letters, digits, '_' and '-', like names in a
 * catalog. */
static bool
is_plain(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_word(name[i]) && name[i] != '-')
            return false;
    return len > 0;
}

bool
mcph_model_tool_name(int profile, size_t name_max, const char *name, unsigned round,
                     char ret_name[MCPH_PROJECTED_NAME])
{
    const struct mcph_profile *p = mcph_profile_of(profile);
    unsigned char digest[MCPH_DIGEST_LEN];
    size_t len = strlen(name), max = name_max ? name_max : 64, at = 0;
    char hex[MCPH_DIGEST_HEX], seed = (char)('0' + round);
    struct mcph_sha256 sha;

    if (p && p->name_max < max)
        max = p->name_max;
    if (len <= max && is_plain(name, len) && (!p || p->name_ok(name, len))) {
        memcpy(ret_name, name, len + 1);
        return false;
    }
    /* Make the suffix only from the whole name and the round, so that a name gets the
     * same suffix in every request. */
    mcph_sha256_init(&sha);
    mcph_sha256_add(&sha, &seed, 1);
    mcph_sha256_add(&sha, name, len);
    mcph_sha256_end(&sha, digest);
    mcph_hex(digest, SUFFIX / 2, hex);
    if (!letter_first(name, len))
        ret_name[at++] = '_';
    if (len > max - SUFFIX - at)
        len = max - SUFFIX - at;
    for (size_t i = 0; i < len; i++)
        ret_name[at++] = is_plain(name + i, 1) ? name[i] : '_';
    ret_name[at++] = '_';
    memcpy(ret_name + at, hex, SUFFIX - 1);
    ret_name[at + SUFFIX - 1] = '\0';
    return true;
}
