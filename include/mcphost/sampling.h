/* SPDX-License-Identifier: MIT
 *
 * sampling.h - sampling requests of servers in the form that a model's provider accepts.
 *
 * A server that asks for sampling (MCPHOST_REQUEST_SAMPLING) sends MCP messages.  The
 * server wants a message of the application's model back.  A mcphost_sampling is made
 * from the params of the request.  It holds the body of an HTTP request.  The application
 * sends this body to its model's provider.  mcphost_sampling_make_result() converts the
 * body of the provider's answer to the JSON for mcphost_request_respond().  The library
 * itself sends nothing to the provider and needs no key.
 *
 * Content that the provider or the model does not accept is replaced by a text in
 * brackets that describes the omitted content.  A note reports the replacement, too.
 *
 * A mcphost_sampling never changes.  Any thread may call these functions.
 */
#ifndef MCPHOST_SAMPLING_H
#define MCPHOST_SAMPLING_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The content that a model accepts besides text, to be combined with |.  Since: 0.1 */
enum mcphost_modality {
    MCPHOST_MODALITY_IMAGES = 1, /* the model accepts images */
    MCPHOST_MODALITY_AUDIO = 2,  /* the model accepts audio */
    MCPHOST_MODALITY_TOOLS = 4   /* the model accepts tools, their uses and results */
};

/*
 * mcphost_sampling_new - convert the params of a sampling request.
 *
 * `params` is the text of `len` bytes that mcphost_request_get_params() returns: a JSON
 * object with messages, maxTokens and other members of MCP 2025-11-25 and 2026-07-28,
 * "Sampling".
 *
 * `shape` selects the interface of the provider: MCPHOST_SHAPE_OPENAI_CHAT (also for
 * compatible providers), MCPHOST_SHAPE_OPENAI_RESPONSES, MCPHOST_SHAPE_ANTHROPIC
 * (messages) or MCPHOST_SHAPE_GEMINI (generateContent).  `profile` is a MCPHOST_PROFILE_*
 * that fits this shape.  The profile converts the tools that the request offers, and
 * their names, as mcphost_projection_new() does.  `modalities` are MCPHOST_MODALITY_*,
 * the content that the model accepts.
 *
 * `model` becomes the member "model" of the body.  If it is NULL, the body does not have
 * this member.  A body for Gemini never has it, because the model is in the URL.  The
 * request's modelPreferences are not in the body: they help the application to choose the
 * model.
 *
 * Messages with the role "system" become part of the system prompt.  The
 * structuredContent of a tool's result is sent only if the result has no content.
 *
 * Stop sequences, metadata, tools and a tool choice that the provider or the model does
 * not accept are left out without a text in their place.  includeContext is left out,
 * too, because the library adds no context of other servers.  Only a note reports these
 * omissions.  A temperature outside of the provider's range becomes the nearest
 * temperature in the range.  A note reports the change.
 *
 * Errors: MCPHOST_E_INVALID (the shape does not fit the profile, a modality is not known,
 *   `model` is not UTF-8, the params are not a JSON object, an object in the params has a
 *   name twice, or the params break a rule of the protocol, for example by a tool use
 *   without a result; the error says where the params are wrong), MCPHOST_E_LIMIT (the
 *   params are nested deeper than 512 levels or have more than 1048576 values, or the
 *   body is larger than 256 MiB), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_sampling_new(const char *params, size_t len, int shape, int profile,
                     MCPHOST_NULLABLE const char *model, int modalities,
                     MCPHOST_OWNED mcphost_sampling **ret_sampling,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `sampling`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_sampling *
mcphost_sampling_ref(MCPHOST_NULLABLE mcphost_sampling *sampling);

/* Drops a reference to `sampling`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_sampling *
mcphost_sampling_unref(MCPHOST_NULLABLE mcphost_sampling *sampling);

/* Returns the body of the request to the provider, a JSON object.  The body does not ask
 * for a stream, because mcphost_sampling_make_result() needs the whole answer.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_sampling_get_json(const mcphost_sampling *sampling,
                          MCPHOST_NULLABLE size_t *ret_len);

/* Returns the number of notes, at most 100.  If there are 100 notes, the last note says
 * that more was left out.  Since: 0.1 */
MCPHOST_API size_t mcphost_sampling_count_notes(const mcphost_sampling *sampling);

/*
 * mcphost_sampling_get_note - get a note.
 *
 * A note is a line in English, such as "messages[0].content[1]: image left out
 * (image/tiff): the provider does not accept images of this type".
 *
 * Returns: the note at `index`, or NULL past the end.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_sampling_get_note(const mcphost_sampling *sampling, size_t index);

/*
 * mcphost_sampling_make_result - convert the provider's answer for the server.
 *
 * `answer` is the body of the provider's answer, of `len` bytes.  *ret_json gets a JSON
 * object for mcphost_request_respond().  The caller frees *ret_json with mcphost_free().
 * The members of the object are:
 *
 *     role        assistant
 *     content     a text, image, audio or tool use, or an array if there are several;
 *                 texts that follow one another are joined
 *     model       the model that the answer names, else the model that
 *                 mcphost_sampling_new() got, else "unknown"
 *     stopReason  endTurn, stopSequence, maxTokens, toolUse, or the provider's own word
 *
 * Tools and their parameters have the server's own names again.  The model's reasoning is
 * left out.  The thoughtSignature that Gemini sends with a tool use is in the `_meta` of
 * the tool use, because Gemini wants the thoughtSignature back.
 *
 * If the provider or the model refuses, the message of the error quotes the refusal.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_DENIED (the model refuses, or the provider reports
 *   an error, blocks the prompt or gives no answer), MCPHOST_E_AUTH (the provider wants
 *   other credentials), MCPHOST_E_LIMIT (the provider is overloaded, a rate or quota is
 *   used up, the answer is nested deeper than 512 levels or has more than 1048576 values,
 *   or the result is larger than 256 MiB), MCPHOST_E_PROTOCOL (the answer does not have
 *   the provider's shape, or the arguments of a tool use are not a JSON object),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_sampling_make_result(const mcphost_sampling *sampling, const char *answer,
                             size_t len, MCPHOST_OWNED char **ret_json, size_t *ret_len,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
