/* SPDX-License-Identifier: MIT
 *
 * samplingrig.c - translates sampling requests for a model provider (see samplingrig.h).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "unit/samplingrig.h"

const int samplingrig_profiles[] = {0, MCPHOST_PROFILE_OPENAI, MCPHOST_PROFILE_OPENAI,
                                    MCPHOST_PROFILE_ANTHROPIC, MCPHOST_PROFILE_GEMINI};

mcphost_sampling *samplingrig_sampling;
mcphost_error *samplingrig_error;
char *samplingrig_result;

void
samplingrig_down(void)
{
    samplingrig_sampling = mcphost_sampling_unref(samplingrig_sampling);
    samplingrig_error = mcphost_error_unref(samplingrig_error);
    mcphost_free(samplingrig_result);
    samplingrig_result = NULL;
}

/* Returns a copy of the text with a double quote in place of each single quote.  The
 * caller must free the copy. */
static char *
quoted(const char *text)
{
    char *copy = strdup(text);

    ck_assert_ptr_nonnull(copy);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

int
samplingrig_try_as(const char *params, int shape, int profile, int modalities)
{
    char *text = quoted(params);
    int r;

    samplingrig_down();
    r = mcphost_sampling_new(text, strlen(text), shape, profile, "m", modalities,
                             &samplingrig_sampling, &samplingrig_error);
    free(text);
    return r;
}

int
samplingrig_try(const char *params, int shape)
{
    return samplingrig_try_as(params, shape, samplingrig_profiles[shape], ALL);
}

void
samplingrig_make(const char *params, int shape)
{
    int r = samplingrig_try(params, shape);

    ck_assert_msg(r == 0, "%s", r ? mcphost_error_get_message(samplingrig_error) : "");
}

void
samplingrig_expect_json(const char *text, const char *wanted)
{
    char *copy = quoted(wanted);
    json_error_t why;
    json_t *is = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why), *should;

    ck_assert_msg(is != NULL, "%s: %s", why.text, text);
    should = json_loads(copy, 0, &why);
    ck_assert_msg(should != NULL, "%s: %s", why.text, copy);
    ck_assert_msg(json_equal(is, should), "is     %s\nshould %s", text, copy);
    json_decref(is);
    json_decref(should);
    free(copy);
}

void
samplingrig_expect(const char *wanted)
{
    size_t len;
    const char *json = mcphost_sampling_get_json(samplingrig_sampling, &len);

    ck_assert_uint_eq(strlen(json), len);
    samplingrig_expect_json(json, wanted);
}

void
samplingrig_expect_note(size_t index, const char *part)
{
    const char *note = mcphost_sampling_get_note(samplingrig_sampling, index);

    ck_assert_msg(note && strstr(note, part), "note %zu: %s", index,
                  note ? note : "none");
}

int
samplingrig_answer_with(const char *text)
{
    char *copy = quoted(text);
    size_t len;
    int r;

    samplingrig_error = mcphost_error_unref(samplingrig_error);
    mcphost_free(samplingrig_result);
    samplingrig_result = NULL;
    r = mcphost_sampling_make_result(samplingrig_sampling, copy, strlen(copy),
                                     &samplingrig_result, &len, &samplingrig_error);
    free(copy);
    return r;
}

void
samplingrig_answer(const char *text, const char *wanted)
{
    int r = samplingrig_answer_with(text);

    ck_assert_msg(r == 0, "%s", r ? mcphost_error_get_message(samplingrig_error) : "");
    samplingrig_expect_json(samplingrig_result, wanted);
}

void
samplingrig_fails(const char *text, int code, const char *part)
{
    ck_assert_int_eq(samplingrig_answer_with(text), code);
    ck_assert_msg(strstr(mcphost_error_get_message(samplingrig_error), part), "%s",
                  mcphost_error_get_message(samplingrig_error));
}

void
samplingrig_is_invalid(const char *params, const char *part)
{
    for (int shape = CHAT; shape < SHAPES; shape++) {
        ck_assert_msg(samplingrig_try(params, shape) == MCPHOST_E_INVALID, "%d: %s",
                      shape, params);
        ck_assert_msg(strstr(mcphost_error_get_message(samplingrig_error), part),
                      "%s: %s", params, mcphost_error_get_message(samplingrig_error));
    }
}

const char *
samplingrig_name(char name[80])
{
    const char *at =
        strstr(mcphost_sampling_get_json(samplingrig_sampling, NULL), "get_it_");
    size_t len = at ? strcspn(at, "\"") : 0;

    ck_assert_uint_eq(len, 17);
    memcpy(name, at, len);
    name[len] = '\0';
    return name;
}
