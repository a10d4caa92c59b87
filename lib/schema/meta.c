/* SPDX-License-Identifier: MIT
 *
 * meta.c - the built-in meta-schemas of the drafts, for schemas that refer to them.
 *
 * The meta-schemas were written for this library.  Each meta-schema is one document that
 * accepts and refuses nearly the same schemas as the published meta-schema.  One
 * difference is that the document for 2020-12 also checks `additionalItems`.  Compiling a
 * schema does not need the meta-schemas, because rules.c knows the keywords.
 */
#include "schema/inner.h"

#define TYPES                                                                      \
    "{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\",\"object\"," \
    "\"string\"]}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define STRINGS \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}"
#define SOME_STRINGS                                                      \
    "{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}," \
    "\"uniqueItems\":true}"
#define STRING     "{\"type\":\"string\"}"
#define BOOLEAN    "{\"type\":\"boolean\"}"
#define NUMBER     "{\"type\":\"number\"}"
#define LIST(self) "{\"type\":\"array\",\"minItems\":1,\"items\":" self "}"
#define MAP(of)    "{\"type\":\"object\",\"additionalProperties\":" of "}"
#define OR(a, b)   "{\"anyOf\":[" a "," b "]}"
#define TYPE_OR_TYPES \
    OR(TYPES,         \
       "{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,\"items\":" TYPES "}")

/* Keywords that have kept their meaning since draft 4. */
/* clang-format off */
#define SHARED(self) \
    "\"title\":" STRING \
    ",\"description\":" STRING \
    ",\"maximum\":" NUMBER \
    ",\"minimum\":" NUMBER \
    ",\"maxLength\":" COUNT \
    ",\"minLength\":" COUNT \
    ",\"pattern\":" "{\"type\":\"string\",\"format\":\"regex\"}" \
    ",\"format\":" STRING \
    ",\"maxItems\":" COUNT \
    ",\"minItems\":" COUNT \
    ",\"uniqueItems\":" BOOLEAN \
    ",\"maxProperties\":" COUNT \
    ",\"minProperties\":" COUNT \
    ",\"definitions\":" MAP(self) \
    ",\"properties\":" MAP(self) \
    ",\"patternProperties\":" MAP(self) \
    ",\"additionalItems\":" OR(BOOLEAN, self) \
    ",\"additionalProperties\":" OR(BOOLEAN, self) \
    ",\"type\":" TYPE_OR_TYPES \
    ",\"allOf\":" LIST(self) \
    ",\"anyOf\":" LIST(self) \
    ",\"oneOf\":" LIST(self) \
    ",\"not\":" self
/* clang-format on */

#define MULTIPLE "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0}"
/* Adds the keywords that draft 6 introduced or changed. */
#define SHARED_6(self)                                                                 \
    SHARED(self)                                                                       \
    "," MULTIPLE ",\"exclusiveMaximum\":" NUMBER ",\"exclusiveMinimum\":" NUMBER       \
    ",\"required\":" STRINGS ",\"examples\":{\"type\":\"array\"},\"const\":true,"      \
    "\"default\":true,\"enum\":{\"type\":\"array\"},\"contains\":" self                \
    ",\"propertyNames\":" self ",\"dependencies\":" MAP(                               \
        OR(self, STRINGS)) ",\"$schema\":{\"type\":\"string\",\"format\":\"uri\"},\"$" \
                           "ref\":{\"type\":"                                          \
                           "\"string\",\"format\":\"uri-reference\"}"
#define SHARED_7(self)                                                             \
    SHARED_6(self)                                                                 \
    ",\"$comment\":" STRING ",\"readOnly\":" BOOLEAN ",\"writeOnly\":" BOOLEAN     \
    ",\"contentMediaType\":" STRING ",\"contentEncoding\":" STRING ",\"if\":" self \
    ",\"then\":" self ",\"else\":" self

#define DEFINITIONS(self)                                                      \
    "\"schemaArray\":" LIST(self) ",\"nonNegativeInteger\":" COUNT             \
                                  ",\"nonNegativeIntegerDefault0\":{\"type\":" \
                                  "\"integer\",\"minimum\":0,\"default\":0}"   \
                                  ",\"simpleTypes\":" TYPES ",\"stringArray\":" STRINGS

#define OLD "{\"$ref\":\"#\"}"

static const char draft_4[] =
    "{\"id\":\"http://json-schema.org/draft-04/schema#\","
    "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
    "\"definitions\":{\"schemaArray\":" LIST(
        OLD) ",\"positiveInteger\":" COUNT ",\"positiveIntegerDefault0\":{\"type\":"
             "\"integer\",\"minimum\":0,\"default\":0}"
             ",\"simpleTypes\":" TYPES ",\"stringArray\":" SOME_STRINGS "},"
             "\"type\":\"object\",\"default\":{},\"properties\":{" SHARED(
                 OLD) ",\"id\":" STRING ",\"$schema\":" STRING ",\"default\":{},"
                      "\"multipleOf\":{\"type\":\"number\",\"minimum\":0,"
                      "\"exclusiveMinimum\":true},"
                      "\"exclusiveMaximum\":" BOOLEAN ",\"exclusiveMinimum\":" BOOLEAN
                      ",\"required\":" SOME_STRINGS
                      ",\"enum\":{\"type\":\"array\",\"minItems\":1,"
                      "\"uniqueItems\":true},\"items\":" OR(
                          OLD,
                          LIST(
                              OLD)) ",\"dependencies\":" MAP(OR(OLD,
                                                                SOME_STRINGS)) "},"
                                                                               "\"depende"
                                                                               "ncies\":{"
                                                                               "\"exclusi"
                                                                               "veMaximum"
                                                                               "\":["
                                                                               "\"maximum"
                                                                               "\"],"
                                                                               "\"exclusi"
                                                                               "veMinimum"
                                                                               "\":["
                                                                               "\"minimum"
                                                                               "\"]}}";

#define OLD_ID                                                                   \
    ",\"$id\":{\"type\":\"string\",\"format\":\"uri-reference\"},\"items\":" OR( \
        OLD, LIST(OLD))

static const char draft_6[] =
    "{\"$id\":\"http://json-schema.org/draft-06/schema#\","
    "\"$schema\":\"http://json-schema.org/draft-06/schema#\","
    "\"definitions\":{" DEFINITIONS(
        OLD) "},"
             "\"type\":[\"object\",\"boolean\"],\"properties\":{" SHARED_6(OLD) OLD_ID
    "}}";

static const char draft_7[] =
    "{\"$id\":\"http://json-schema.org/draft-07/schema#\","
    "\"$schema\":\"http://json-schema.org/draft-07/schema#\","
    "\"definitions\":{" DEFINITIONS(
        OLD) "},"
             "\"type\":[\"object\",\"boolean\"],\"properties\":{" SHARED_7(OLD) OLD_ID
    "}}";

/* Adds the keywords that 2019-09 introduced or changed. */
#define SHARED_2019(self)                                                          \
    SHARED_7(self)                                                                 \
    ",\"$id\":{\"type\":\"string\",\"format\":\"uri-reference\","                  \
    "\"pattern\":\"^[^#]*#?$\"},\"$defs\":" MAP(self) ",\"$vocabulary\":" MAP(     \
        BOOLEAN) ",\"deprecated\":" BOOLEAN ",\"contentSchema\":" self             \
                 ",\"dependentSchemas\":" MAP(self) ",\"dependentRequired\":" MAP( \
                     STRINGS) ",\"maxContains\":" COUNT ",\"minContains\":" COUNT  \
                              ",\"unevaluatedItems\":" self                        \
                              ",\"unevaluatedProperties\":" self

#define SELF_2019 "{\"$recursiveRef\":\"#\"}"
static const char draft_2019[] =
    "{\"$id\":\"https://json-schema.org/draft/2019-09/schema\","
    "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
    "\"$recursiveAnchor\":true,\"$defs\":{" DEFINITIONS(
        SELF_2019) "},"
                   "\"type\":[\"object\",\"boolean\"],\"properties\":{" SHARED_2019(
                       SELF_2019) ",\"$anchor\":{\"type\":\"string\",\"pattern\":\"^[A-"
                                  "Za-z][-A-Za-z0-9.:_]*$\"},"
                                  "\"$recursiveRef\":" STRING
                                  ",\"$recursiveAnchor\":" BOOLEAN
                                  ",\"items\":" OR(SELF_2019, LIST(SELF_2019)) "}}";

#define SELF_2020 "{\"$dynamicRef\":\"#meta\"}"
#define ANCHOR    "{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"}"
static const char draft_2020[] =
    "{\"$id\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$dynamicAnchor\":\"meta\",\"$defs\":{" DEFINITIONS(
        SELF_2020) "},"
                   "\"type\":[\"object\",\"boolean\"],\"properties\":{" SHARED_2019(
                       SELF_2020) ",\"$anchor\":" ANCHOR ",\"$dynamicAnchor\":" ANCHOR
                                  ",\"$dynamicRef\":" STRING ",\"prefixItems\":" LIST(
                                      SELF_2020) ",\"items\":" SELF_2020 "}}";

struct mcph_span
mcph_meta_schema(struct mcph_span uri)
{
    static const struct {
        const char *uri, *text;
        size_t len;
    } texts[] = {
        {"http://json-schema.org/draft-04/schema", draft_4, sizeof(draft_4) - 1},
        {"http://json-schema.org/draft-06/schema", draft_6, sizeof(draft_6) - 1},
        {"http://json-schema.org/draft-07/schema", draft_7, sizeof(draft_7) - 1},
        {"https://json-schema.org/draft/2019-09/schema", draft_2019,
         sizeof(draft_2019) - 1},
        {"https://json-schema.org/draft/2020-12/schema", draft_2020,
         sizeof(draft_2020) - 1},
    };
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        if (mcph_span_is(uri, texts[i].uri))
            return mcph_span(texts[i].text, texts[i].len);
    }
    return MCPH_SPAN_NONE;
}
