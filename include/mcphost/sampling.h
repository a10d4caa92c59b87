/* SPDX-License-Identifier: MIT
 *
 * sampling.h - a server's sampling request as a model's provider takes it, and the
 * provider's answer as the server takes it.
 *
 * A server that samples (MCPHOST_REQUEST_SAMPLING) sends MCP messages and wants one back.
 * A mcphost_sampling is made from the request's params.  It holds the body of an HTTP
 * request to the provider, which the application sends; from the body of the answer it
 * makes the JSON for mcphost_request_respond().  Nothing is sent from here, and no key of
 * a provider is needed.
 *
 * What the provider or the model does not take is replaced in the body by a text in
 * brackets that says what was left out, and reported by a note.  A mcphost_sampling never
 * changes.  Everything here may be called from any thread.
 */
#ifndef MCPHOST_SAMPLING_H
#define MCPHOST_SAMPLING_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a model takes besides text.  Since: 0.1 */
enum mcphost_modality {
    MCPHOST_MODALITY_IMAGES = 1,
    MCPHOST_MODALITY_AUDIO = 2,
    MCPHOST_MODALITY_TOOLS = 4 /* tools, their uses and their results */
};

/*
 * mcphost_sampling_new - convert the params of a sampling request.
 *
 * `params` is what mcphost_request_get_params() gives: an object with messages, maxTokens
 * and what else MCP 2025-11-25 and 2026-07-28, "Sampling", allow.  `shape` is the
 * provider's interface: MCPHOST_SHAPE_OPENAI_CHAT (and compatible ones),
 * _OPENAI_RESPONSES, _ANTHROPIC (messages) or _GEMINI (generateContent).  `profile`, a
 * MCPHOST_PROFILE_* that goes with it, changes tools and their names as a projection does
 * (projection.h).  `model` becomes the body's "model"; NULL: it has none, as for Gemini,
 * whose model is in the URL.  modelPreferences are hints for choosing it and not in the
 * body.  `modalities` are MCPHOST_MODALITY_* or'ed: what this model takes.
 *
 * Not replaced by a text but reported by a note: stop sequences, metadata and tools that
 * the provider does not take, a temperature beyond its range, includeContext, as nothing
 * of other servers is added.  A tool result's structuredContent is sent if it has no
 * content.  Messages of role "system" become part of the system prompt.
 *
 * Returns 0, MCPHOST_E_INVALID (not JSON, not UTF-8, not as the protocol wants it, for
 * example a tool use without a result: the error says where), MCPHOST_E_LIMIT (nesting,
 * more than 1048576 values, or a body beyond 256 MiB), MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_sampling_new(const char *params, size_t len, int shape, int profile,
                     MCPHOST_NULLABLE const char *model, int modalities,
                     MCPHOST_OWNED mcphost_sampling **ret_sampling,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference; drops one.  NULL is fine.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_sampling *
mcphost_sampling_ref(MCPHOST_NULLABLE mcphost_sampling *sampling);
MCPHOST_API MCPHOST_NULLABLE mcphost_sampling *
mcphost_sampling_unref(MCPHOST_NULLABLE mcphost_sampling *sampling);

/* The body of the request to the provider: a JSON object.  The answer is to come whole,
 * not streamed.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_sampling_get_json(const mcphost_sampling *sampling,
                          MCPHOST_NULLABLE size_t *ret_len);

/* How many notes there are; 100 at most, of which the last then says that more was left
 * out.  Since: 0.1 */
MCPHOST_API size_t mcphost_sampling_count_notes(const mcphost_sampling *sampling);

/* One line in English, such as "messages[0].content[1]: image left out (image/tiff): the
 * provider takes no images of this type"; NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_sampling_get_note(const mcphost_sampling *sampling, size_t index);

/*
 * mcphost_sampling_make_result - the provider's answer as a server takes it.
 *
 * `answer` is the body of the provider's answer to mcphost_sampling_get_json().
 * *ret_json gets an object with role, content, model and stopReason, which is the
 * caller's: mcphost_free(); mcphost_request_respond() takes it.  content is one object,
 * and an array only for a model that uses tools or answers with more than text.  Tools
 * and parameters have the server's own names again.  stopReason is endTurn, stopSequence,
 * maxTokens, toolUse, or the provider's own word.  The model's reasoning is left out; the
 * thoughtSignature that Gemini wants back with a tool use is in that use's _meta.
 *
 * Returns 0 or, with the provider's words in the error, MCPHOST_E_DENIED (the model or
 * the provider refuses), MCPHOST_E_AUTH (it wants other credentials), MCPHOST_E_LIMIT (it
 * is overloaded, or a rate or quota is used up; also a result beyond 256 MiB).
 * MCPHOST_E_PROTOCOL: the answer is not of this shape, or the arguments of a tool use are
 * no JSON object.  MCPHOST_E_INVALID, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_sampling_make_result(const mcphost_sampling *sampling, const char *answer,
                             size_t len, MCPHOST_OWNED char **ret_json, size_t *ret_len,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
