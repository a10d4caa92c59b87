/* SPDX-License-Identifier: MIT
 *
 * sampling.c - the public functions of <mcphost/sampling.h>.
 *
 * The functions check their arguments and call the code in lib/model.
 */
#include "api/getter.h"
#include "catalog/catalog.h"
#include "model/model.h"

#define MODALITIES \
    (MCPHOST_MODALITY_IMAGES | MCPHOST_MODALITY_AUDIO | MCPHOST_MODALITY_TOOLS)

int
mcphost_sampling_new(const char *params, size_t len, int shape, int profile,
                     const char *model, int modalities, mcphost_sampling **ret_sampling,
                     mcphost_error **reterr)
{
    if (!params || !ret_sampling)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (shape <= MCPHOST_SHAPE_MCP || shape >= MCPH_N_SHAPES ||
        !(mcph_model_shapes(profile) >> shape & 1))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "shape %d cannot be used with profile %d", shape, profile);
    if (modalities < 0 || modalities & ~MODALITIES)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%d is not a set of modalities",
                        modalities);
    if (model && !mcph_utf8_is_text(model))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the model's name is not UTF-8");
    return mcph_sampling_make(mcph_span(params, len), shape, profile, model,
                              (unsigned)modalities, ret_sampling, reterr);
}

mcphost_sampling *
mcphost_sampling_ref(mcphost_sampling *sampling)
{
    if (sampling)
        mcph_refs_get(&sampling->refs);
    return sampling;
}

mcphost_sampling *
mcphost_sampling_unref(mcphost_sampling *sampling)
{
    if (sampling && mcph_refs_put(&sampling->refs))
        mcph_sampling_free(sampling);
    return NULL;
}

const char *
mcphost_sampling_get_json(const mcphost_sampling *sampling, size_t *ret_len)
{
    if (ret_len)
        *ret_len = sampling ? sampling->json_len : 0;
    return sampling ? sampling->json : NULL;
}

MCPH_GETTER(size_t, mcphost_sampling_count_notes, const mcphost_sampling *, self->notes.n)
MCPH_GETTER_AT(const char *, mcphost_sampling_get_note, const mcphost_sampling *,
               self->notes.n, self->notes.items[index])

int
mcphost_sampling_make_result(const mcphost_sampling *sampling, const char *answer,
                             size_t len, char **ret_json, size_t *ret_len,
                             mcphost_error **reterr)
{
    struct mcph_buf out;
    char *json = NULL;
    size_t n;
    int r;

    if (!sampling || !answer || !ret_json || !ret_len)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    mcph_buf_init(&out, MCPH_SAMPLING_MAX);
    r = mcph_sampling_answer(sampling, mcph_span(answer, len), &out, reterr);
    if (r == 0)
        json = mcph_buf_steal(&out, &n);
    mcph_buf_done(&out);
    if (r < 0)
        return r;
    if (!json)
        return mcph_err_nomem(reterr);
    *ret_json = json;
    *ret_len = n;
    return 0;
}
