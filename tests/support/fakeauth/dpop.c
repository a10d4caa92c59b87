/* SPDX-License-Identifier: MIT
 *
 * dpop.c - checks proofs of possession (RFC 9449) for the fake authorization server and
 * its resource.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

#define PROOF_S 300 /* a proof's time may differ from the server's clock by up to 300 s */

const char *
dpop_nonce(struct auth *auth, enum step step, bool fresh)
{
    char **nonce = &auth->nonces[step == STEP_USE];

    if (fresh || !*nonce) {
        free(*nonce);
        *nonce = auth_format("nonce-%d", ++auth->n_nonces);
    }
    return *nonce;
}

static bool
says(json_t *claims, const char *name, const char *value)
{
    return auth_is_same(json_string_value(json_object_get(claims, name)), value);
}

/* Returns true if the proof has an id (`jti`) that no earlier proof had.  Records the
 * id. */
static bool
is_new(struct auth *auth, json_t *claims)
{
    const char *jti = json_string_value(json_object_get(claims, "jti"));

    if (!auth->jtis)
        auth->jtis = json_object();
    if (!jti || json_object_get(auth->jtis, jti))
        return false;
    json_object_set_new(auth->jtis, jti, json_true());
    return true;
}

/* Returns the name of the first wrong claim of a proof, or NULL if no claim is wrong. */
static const char *
fault_of(struct auth *auth, json_t *claims, enum step step, const char *verb,
         const char *url, const char *token)
{
    int64_t at = json_integer_value(json_object_get(claims, "iat"));
    int64_t late = auth_now_s(auth, step) - at;
    char *ath = token ? jwt_digest(token) : NULL;
    bool fits = !token || says(claims, "ath", ath);

    free(ath);
    if (!says(claims, "htm", verb))
        return "htm";
    if (!says(claims, "htu", url))
        return "htu";
    if (late > PROOF_S || late < -PROOF_S)
        return "iat";
    if (!fits)
        return "ath";
    return is_new(auth, claims) ? NULL : "jti";
}

/* Checks the proof.  If the proof is good, sets *ret_jkt and returns NULL.  Otherwise
 * returns the word for the error. */
static const char *
check_proof(struct auth *auth, const char *proof, enum step step, const char *verb,
            const char *url, const char *token, char **ret_jkt)
{
    json_t *header = jwt_part(proof, 0), *claims = jwt_part(proof, 1);
    json_t *jwk = json_object_get(header, "jwk");
    EVP_PKEY *key = jwk && !json_object_get(jwk, "d") ? jwt_key(jwk) : NULL;
    const char *why = NULL, *word = NULL;

    if (!claims || !says(header, "typ", "dpop+jwt"))
        why = "typ";
    else if (!key || !jwt_verify(key, proof))
        why = "signature";
    else
        why = fault_of(auth, claims, step, verb, url, token);
    if (why)
        word = "invalid_dpop_proof";
    else if (auth->dpop == DPOP_NONCE &&
             !says(claims, "nonce", dpop_nonce(auth, step, false)))
        word = why = "use_dpop_nonce";
    else
        *ret_jkt = jwt_thumbprint(jwk);
    if (why)
        auth_trace(auth, "dpop", "%s", why);
    EVP_PKEY_free(key);
    json_decref(header);
    json_decref(claims);
    return word;
}

const char *
dpop_check(struct auth *auth, const struct exchange *ex, enum step step, const char *url,
           const char *token, char **ret_jkt)
{
    char *proof = request_header(ex, "DPoP");
    const char *word = NULL;

    *ret_jkt = NULL;
    if (auth->dpop == DPOP_OFF)
        ;
    else if (proof)
        word = check_proof(auth, proof, step, ex->verb, url, token, ret_jkt);
    else if (auth->dpop >= DPOP_REQUIRED)
        word = "invalid_dpop_proof";
    free(proof);
    return word;
}
