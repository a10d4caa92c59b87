/* SPDX-License-Identifier: MIT
 *
 * samplingrig.h - translates sampling requests for a model provider, and compares the
 * results in tests.
 *
 * JSON arguments have ' in place of ", except `text` of samplingrig_expect_json().
 */
#ifndef SAMPLINGRIG_H
#define SAMPLINGRIG_H

#include <mcphost/mcphost.h>

#define ALL (MCPHOST_MODALITY_IMAGES | MCPHOST_MODALITY_AUDIO | MCPHOST_MODALITY_TOOLS)

#define CHAT      MCPHOST_SHAPE_OPENAI_CHAT
#define RESPONSES MCPHOST_SHAPE_OPENAI_RESPONSES
#define ANTHROPIC MCPHOST_SHAPE_ANTHROPIC
#define GEMINI    MCPHOST_SHAPE_GEMINI
#define SHAPES    ((int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE))

#define ONE(content) "'messages':[{'role':'user','content':" content "}]"
#define HI           ONE("{'type':'text','text':'hi'}")
/* A tool whose name the library replaces for every provider.  For Gemini, the library
 * also replaces `dry-run`, the name of the tool's first parameter. */
#define TOOLS                                                                 \
    "'tools':[{'name':'get.it','title':'T','description':'D','inputSchema':{" \
    "'type':'object','properties':{'dry-run':{'type':'string'},'n':{"         \
    "'type':'integer'}},'required':['n']}}],'toolChoice':{'mode':'required'}"

extern const int samplingrig_profiles[]; /* the profile of each shape */
extern mcphost_sampling *samplingrig_sampling;
extern mcphost_error *samplingrig_error;
extern char *samplingrig_result;

void samplingrig_down(void); /* frees the sampling, the error and the result */
int samplingrig_try_as(const char *params, int shape, int profile, int modalities);
int samplingrig_try(const char *params, int shape);
void samplingrig_make(const char *params, int shape); /* `params` must be valid */
void samplingrig_expect(const char *wanted);          /* compares the body as JSON */
void samplingrig_expect_json(const char *text, const char *wanted);
void samplingrig_expect_note(size_t index, const char *part);
/* Fails unless each shape refuses `params` with an error that contains `part`. */
void samplingrig_is_invalid(const char *params, const char *part);
/* Returns the name that the provider sees for the tool get.it. */
const char *samplingrig_name(char name[80]);
int samplingrig_answer_with(const char *text);
void samplingrig_answer(const char *text, const char *wanted);
void samplingrig_fails(const char *text, int code, const char *part);

#endif
