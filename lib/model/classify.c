/* SPDX-License-Identifier: MIT
 *
 * classify.c - classify a provider's answer by its status, its error type and the
 * transport's code (C2).
 *
 * The words of the error text decide only if there is no HTTP status, and if no error
 * type and no code is known.
 */
#include <string.h>

#include "model/model.h"

struct meaning {
    const char *text;
    int failure;
};

/* Error types of OpenAI, Anthropic and Gemini. */
static const struct meaning types[] = {
    {"invalid_request_error", MCPHOST_FAILURE_REJECTED},
    {"authentication_error", MCPHOST_FAILURE_REJECTED},
    {"permission_error", MCPHOST_FAILURE_REJECTED},
    {"not_found_error", MCPHOST_FAILURE_REJECTED},
    {"billing_error", MCPHOST_FAILURE_REJECTED},
    {"request_too_large", MCPHOST_FAILURE_REJECTED},
    {"insufficient_quota", MCPHOST_FAILURE_REJECTED},
    {"context_length_exceeded", MCPHOST_FAILURE_REJECTED},
    {"invalid_function_parameters", MCPHOST_FAILURE_REJECTED},
    {"invalid_prompt", MCPHOST_FAILURE_REJECTED},
    {"rate_limit_error", MCPHOST_FAILURE_RATE},
    {"rate_limit_exceeded", MCPHOST_FAILURE_RATE},
    {"tokens", MCPHOST_FAILURE_RATE},
    {"requests", MCPHOST_FAILURE_RATE},
    {"api_error", MCPHOST_FAILURE_TRANSIENT},
    {"overloaded_error", MCPHOST_FAILURE_TRANSIENT},
    {"timeout_error", MCPHOST_FAILURE_TRANSIENT},
    {"server_error", MCPHOST_FAILURE_TRANSIENT},
    {"INVALID_ARGUMENT", MCPHOST_FAILURE_REJECTED},
    {"FAILED_PRECONDITION", MCPHOST_FAILURE_REJECTED},
    {"OUT_OF_RANGE", MCPHOST_FAILURE_REJECTED},
    {"UNAUTHENTICATED", MCPHOST_FAILURE_REJECTED},
    {"PERMISSION_DENIED", MCPHOST_FAILURE_REJECTED},
    {"NOT_FOUND", MCPHOST_FAILURE_REJECTED},
    {"RESOURCE_EXHAUSTED", MCPHOST_FAILURE_RATE},
    {"INTERNAL", MCPHOST_FAILURE_TRANSIENT},
    {"UNAVAILABLE", MCPHOST_FAILURE_TRANSIENT},
    {"DEADLINE_EXCEEDED", MCPHOST_FAILURE_TRANSIENT},
};

/* Error codes that error texts contain: of operating systems, of the name lookup, and of
 * the HTTP client of Node.js. */
static const struct meaning codes[] = {
    {"ETIMEDOUT", MCPHOST_FAILURE_TRANSIENT},
    {"ECONNRESET", MCPHOST_FAILURE_TRANSIENT},
    {"ECONNREFUSED", MCPHOST_FAILURE_TRANSIENT},
    {"ECONNABORTED", MCPHOST_FAILURE_TRANSIENT},
    {"EPIPE", MCPHOST_FAILURE_TRANSIENT},
    {"EAI_AGAIN", MCPHOST_FAILURE_TRANSIENT},
    {"ENOTFOUND", MCPHOST_FAILURE_TRANSIENT},
    {"ENETUNREACH", MCPHOST_FAILURE_TRANSIENT},
    {"ENETDOWN", MCPHOST_FAILURE_TRANSIENT},
    {"EHOSTUNREACH", MCPHOST_FAILURE_TRANSIENT},
    {"UND_ERR_CONNECT_TIMEOUT", MCPHOST_FAILURE_TRANSIENT},
    {"UND_ERR_HEADERS_TIMEOUT", MCPHOST_FAILURE_TRANSIENT},
    {"UND_ERR_BODY_TIMEOUT", MCPHOST_FAILURE_TRANSIENT},
    {"UND_ERR_SOCKET", MCPHOST_FAILURE_TRANSIENT},
};

static const struct meaning words[] = {
    {"rate limit", MCPHOST_FAILURE_RATE},
    {"too many requests", MCPHOST_FAILURE_RATE},
    {"fetch failed", MCPHOST_FAILURE_TRANSIENT},
    {"socket hang up", MCPHOST_FAILURE_TRANSIENT},
    {"terminated", MCPHOST_FAILURE_TRANSIENT},
    {"timeout", MCPHOST_FAILURE_TRANSIENT},
    {"timed out", MCPHOST_FAILURE_TRANSIENT},
    {"connection reset", MCPHOST_FAILURE_TRANSIENT},
    {"couldn't connect", MCPHOST_FAILURE_TRANSIENT},
    {"could not resolve host", MCPHOST_FAILURE_TRANSIENT},
    {"empty reply from server", MCPHOST_FAILURE_TRANSIENT},
};

static int
of_status(int status)
{
    if (status == 429)
        return MCPHOST_FAILURE_RATE;
    if (status == 408 || (status >= 500 && status <= 599))
        return MCPHOST_FAILURE_TRANSIENT;
    if (status >= 400 && status <= 499)
        return MCPHOST_FAILURE_REJECTED;
    return -1;
}

/* Classifies `token`, which is the name of an error, or an HTTP status in place of a
 * name.  Returns -1 if the name or the status is unknown. */
static int
of_token(struct mcph_span token)
{
    int64_t status;

    if (mcph_json_int64(token, &status) == 0)
        return status > 0 && status < 600 ? of_status((int)status) : -1;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        if (mcph_json_string_is(token, types[i].text, strlen(types[i].text)))
            return types[i].failure;
    }
    return -1;
}

/* Finds the error in {"error":{"type":...,"code":...,"status":...}}.  The streams of
 * OpenAI also contain {"type":"error","code":...} and
 * {"type":"response.failed","response":{"error":{"code":...}}}. */
static struct mcph_span
find_error(struct mcph_span value)
{
    struct mcph_span error = mcph_json_get(value, "error");

    if (mcph_json_type(error) != MCPH_JSON_OBJECT)
        error = mcph_json_get(mcph_json_get(value, "response"), "error");
    return mcph_json_type(error) == MCPH_JSON_OBJECT ? error : value;
}

/* Classifies a body.  The body may be an array of one error.  Examines `code` first,
 * because a code is more precise than a type. */
static int
of_body(const char *body, size_t len)
{
    static const char *const members[] = {"code", "type", "status"};
    struct mcph_span value, error;

    if (!body || mcph_json_check(mcph_span(body, len), 0, &value, NULL) < 0)
        return -1;
    if (mcph_json_type(value) == MCPH_JSON_ARRAY) {
        struct mcph_json_iter it;

        mcph_json_iter_init(&it, value);
        if (!mcph_json_iter_next(&it, NULL, &value))
            return -1;
    }
    error = find_error(value);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(members); i++) {
        int failure = of_token(mcph_json_get(error, members[i]));

        if (failure >= 0)
            return failure;
    }
    return -1;
}

static int
of_text(const char *text, const struct meaning *meanings, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        if (strcasestr(text, meanings[i].text))
            return meanings[i].failure;
    }
    return -1;
}

int
mcphost_classify_failure(int status, const char *body, size_t body_len, const char *error)
{
    int failure = of_status(status);

    if (failure < 0)
        failure = of_body(body, body_len);
    if (failure < 0)
        failure = of_text(error, codes, MCPH_ARRAY_SIZE(codes));
    if (failure < 0 && !status)
        failure = of_text(error, words, MCPH_ARRAY_SIZE(words));
    return failure < 0 ? MCPHOST_FAILURE_FATAL : failure;
}
