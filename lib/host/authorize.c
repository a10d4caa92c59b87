/* SPDX-License-Identifier: MIT
 *
 * authorize.c - answers to requests of the kind MCPHOST_REQUEST_AUTHORIZE.
 *
 * The user's browser usually returns by the redirect to this machine, and the request
 * ends without an answer.  Where the browser runs on another machine, the user pastes the
 * URL of the redirect.  An answer is checked on the thread that gives it, before the
 * login gets it.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/request.h"

int
mcph_authorize_keep(mcphost_request *request, const struct mcph_oauth_awaited *awaited)
{
    struct mcph_oauth_awaited *to = &request->awaited;

    if (!awaited)
        return 0;
    *to = *awaited;
    to->state = to->issuer = to->redirect_uri = NULL;
    return mcph_str_copy(awaited->state, (char **)(uintptr_t)&to->state) &&
                   mcph_str_copy(awaited->issuer, (char **)(uintptr_t)&to->issuer) &&
                   mcph_str_copy(awaited->redirect_uri,
                                 (char **)(uintptr_t)&to->redirect_uri)
               ? 0
               : MCPHOST_E_NOMEM;
}

void
mcph_authorize_done(mcphost_request *request)
{
    mcph_str_wipe((char *)(uintptr_t)request->awaited.state);
    free((char *)(uintptr_t)request->awaited.issuer);
    free((char *)(uintptr_t)request->awaited.redirect_uri);
}

/* Checks the pasted text.  Accepts a redirect that reports an error (MCPHOST_E_AUTH, or
 * MCPHOST_E_TRANSPORT if the user should try again later), because the error answers the
 * request.  Refuses any other text without a usable code, because the user may have
 * copied only a part of the URL, and can paste again. */
static int
check_pasted(const mcphost_request *request, struct mcph_span text,
             mcphost_error **reterr)
{
    mcphost_error *error = NULL;
    char *code = NULL;
    int why, r;

    r = mcph_oauth_pasted_read(&request->awaited, text.p, text.len, NULL, &code, &why,
                               &error);
    mcph_str_wipe(code);
    if (r == 0 || r == MCPHOST_E_AUTH || r == MCPHOST_E_TRANSPORT) {
        mcphost_error_unref(error);
        return 0;
    }
    r = r == MCPHOST_E_NOMEM
            ? mcph_err_nomem(reterr)
            : mcph_err(reterr, MCPHOST_E_INVALID, "answer: 'redirect': %s",
                       mcphost_error_get_message(error));
    mcphost_error_unref(error);
    return r;
}

int
mcph_authorize_read(const mcphost_request *request, struct mcph_span json,
                    struct mcph_buf *buf, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("redirect")};
    struct mcph_buf decoded;
    struct mcph_span text;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "answer", &json, reterr);

    if (r < 0)
        return r;
    if (!request->awaited.state)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "answer: the user answers this request at the page alone");
    (void)mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) != MCPH_JSON_STRING)
        return mcph_err(reterr, MCPHOST_E_INVALID, "answer: 'redirect' is not a string");
    mcph_buf_init_sized(&decoded, json.len + 1, json.len + 1);
    r = mcph_json_string_get(want[0].value, &decoded, &text);
    if (r < 0)
        mcph_err(reterr, r, "answer: 'redirect': %s", mcphost_strerror(r));
    if (r == 0)
        r = check_pasted(request, text, reterr);
    /* Reserve the memory first, because a buffer that grows would leave a copy of the
     * text behind.  `decoded` does not grow, because the text is never longer than the
     * answer. */
    if (r == 0 && (mcph_buf_reserve(buf, text.len + 1) < 0 ||
                   mcph_buf_add(buf, text.p, text.len) < 0))
        r = mcph_err_nomem(reterr);
    mcph_buf_wipe(&decoded);
    return r;
}
