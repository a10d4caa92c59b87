/* SPDX-License-Identifier: MIT
 *
 * loginrig.c - a host whose server wants a login, and the user of this host.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/keys.h"
#include "system/loginrig.h"

/* ---- what the library shows -------------------------------------------------------- */

static void
tell(struct loginrig *lr, const char *what, const char *text)
{
    sec_tell(&lr->secrets, what, text);
    if (text && getenv("LR_SHOW"))
        fprintf(stderr, "%s: %s\n", what, text);
}

static void
on_log(int level, const char *room, const char *server, const char *message, void *arg)
{
    (void)level;
    (void)server;
    tell(arg, room, message);
}

/* Adds a text of the library to the texts that were shown, and frees the text. */
static void
tell_json(struct loginrig *lr, const char *what, int r, char *json)
{
    ck_assert_int_eq(r, 0);
    tell(lr, what, json);
    mcphost_free(json);
}

static void
tell_error(struct loginrig *lr, const mcphost_error *error)
{
    char *json = NULL;
    int r = error ? mcphost_error_make_json(error, &json, NULL) : 0;

    tell_json(lr, "error", r, json);
}

static void
tell_event(struct loginrig *lr, const mcphost_event *event)
{
    const mcphost_problem *problem = mcphost_event_get_problem(event);

    tell(lr, "event", mcphost_event_get_text(event));
    tell_error(lr, mcphost_event_get_error(event));
    if (problem)
        tell(lr, "problem", mcphost_problem_get_message(problem));
}

void
lr_tell_state(struct loginrig *lr)
{
    mcphost_problems *problems;
    mcphost_status *status;
    char *json = NULL;
    int r;

    ck_assert_int_eq(mcphost_get_status(lr->hr.host, &status), 0);
    r = mcphost_status_make_json(status, &json, NULL);
    tell_json(lr, "status", r, json);
    mcphost_status_unref(status);
    ck_assert_int_eq(mcphost_get_problems(lr->hr.host, &problems), 0);
    r = mcphost_problems_make_json(problems, &json, NULL);
    tell_json(lr, "problems", r, json);
    mcphost_problems_unref(problems);
}

/* ---- the user ---------------------------------------------------------------------- */

static void
take_request(struct loginrig *lr, mcphost_request *request)
{
    int n = lr->n_asked;
    size_t len;
    const char *params = mcphost_request_get_params(request, &len);
    char *copy = params ? strndup(params, len) : NULL;

    ck_assert_int_lt(n, LR_MAX);
    ck_assert_int_eq(mcphost_request_get_kind(request), MCPHOST_REQUEST_AUTHORIZE);
    tell(lr, "message", mcphost_request_get_message(request));
    tell(lr, "params", copy);
    free(copy);
    lr->asked[n] = mcphost_request_ref(request);
    lr->urls[n] = strdup(mcphost_request_get_url(request));
    lr->n_asked++;
    if (lr->how != LR_WAIT)
        lr->browsers[n] = browser_start(lr->urls[n], lr->how);
}

static void
give_headers(struct loginrig *lr, mcphost_request *request)
{
    size_t len;
    const char *params = mcphost_request_get_params(request, &len);

    ck_assert_ptr_nonnull(lr->headers);
    snprintf(lr->header_url, sizeof(lr->header_url), "%s",
             mcphost_request_get_url(request));
    snprintf(lr->header_params, sizeof(lr->header_params), "%.*s", (int)len, params);
    ck_assert_int_eq(
        mcphost_request_respond(request, lr->headers, strlen(lr->headers), NULL), 0);
    lr->n_headers++;
}

static void
on_event(struct hostrig *hr, const mcphost_event *event)
{
    struct loginrig *lr = hr->user;
    mcphost_request *request = mcphost_event_get_request(event);
    const char *text = mcphost_event_get_text(event);

    tell_event(lr, event);
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_REQUEST)
        return;
    if (mcphost_event_get_state(event) == 0) {
        lr->n_over++;
        snprintf(lr->over, sizeof(lr->over), "%s", text ? text : "");
        return;
    }
    if (mcphost_request_get_kind(request) == MCPHOST_REQUEST_CREDENTIALS)
        give_headers(lr, request);
    else
        take_request(lr, request);
}

/* ---- life -------------------------------------------------------------------------- */

void
lr_up_kinds(struct loginrig *lr, int how, int64_t kinds)
{
    memset(&lr->ar, 0, sizeof(*lr) - offsetof(struct loginrig, ar));
    hr_up(&lr->hr);
    sec_up(&lr->secrets, NULL);
    lr->how = how;
    lr->hr.user = lr;
    lr->hr.on_event = on_event;
    hr_option(&lr->hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&lr->hr, MCPHOST_OPT_REQUESTS, kinds);
    ck_assert_int_eq(mcphost_set_log(lr->hr.host, MCPHOST_LOG_TRACE, on_log, lr, NULL),
                     0);
}

void
lr_up(struct loginrig *lr, int how)
{
    lr_up_kinds(lr, how, MCPHOST_REQUEST_AUTHORIZE);
}

/* Waits for the end of the browsers, while the host, if it is open, serves them.  Then
 * releases the requests. */
static void
end_users(struct loginrig *lr)
{
    for (int i = 0; i < lr->n_asked; i++) {
        if (lr->browsers[i]) {
            if (lr->hr.host)
                hr_until(&lr->hr, browser_is_done(lr->browsers[i]));
            (void)browser_end(lr->browsers[i]);
        }
        mcphost_request_unref(lr->asked[i]);
        free(lr->urls[i]);
    }
    lr->n_asked = 0;
}

/* Checks that no text that was shown contains a secret.  The marks are the beginnings of
 * secrets that fake servers make.  The marks also find secrets that are in no trace. */
static void
check_told(struct loginrig *lr)
{
    static const char *const marks[] = {"\"at-", "\"rt-", " at-", " rt-",
                                        "code-", "cs-",   "dc-",  "canary."};

    sec_rest(&lr->secrets);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *told = lr->secrets.told.data, *at = strstr(told, marks[i]);

        ck_assert_msg(!at, "a secret was shown: %.300s",
                      at && at - told > 200 ? at - 200 : told);
    }
    for (struct httprig *web = lr->hr.webs; web; web = web->next) {
        char *slash = strrchr(web->script, '/'), *name = strdup(slash + 1), *trace;

        snprintf(strrchr(name, '.'), strlen(".script"), ".trace");
        trace = rig_workspace_read(&lr->hr.ws, name);
        sec_learn_trace(&lr->secrets, trace);
        free(trace);
        free(name);
    }
    sec_end(&lr->secrets);
}

void
lr_down(struct loginrig *lr)
{
    lr_tell_state(lr);
    sec_rest(&lr->secrets);
    end_users(lr);
    hr_close(&lr->hr);
    check_told(lr);
    hr_clear(&lr->hr);
}

void
lr_down_ended(struct loginrig *lr)
{
    end_users(lr);
    check_told(lr);
    hr_down_ended(&lr->hr);
}

void
lr_keyed(struct loginrig *lr, struct authrig *ar, const char *server, const char *key)
{
    struct mcph_span pem = keys_text(key);
    char text[256];

    rig_workspace_write(&lr->hr.ws, "key.pem", "%.*s", (int)pem.len, pem.p);
    snprintf(text, sizeof(text), "client robot key %s",
             rig_workspace_path(&lr->hr.ws, "key.pem"));
    ar_web(&lr->hr, ar, server, text);
    snprintf(text, sizeof(text),
             "auth: {flow: client_credentials, clientId: robot, clientKeyFile: \"%s\"}",
             rig_workspace_path(&lr->hr.ws, "key.pem"));
    hr_url(&lr->hr, server, ar->web.url, text);
}

/* ---- calls ------------------------------------------------------------------------- */

static mcphost_dialog *
new_dialog(struct loginrig *lr)
{
    static int n;
    char id[16];

    snprintf(id, sizeof(id), "d%d", n++);
    return hr_dialog(&lr->hr, id);
}

const char *
lr_whoami_of(struct loginrig *lr, const char *server)
{
    char tool[64];
    mcphost_call *call;

    hr_loaded(&lr->hr, server);
    snprintf(tool, sizeof(tool), "%s_whoami", server);
    call = hr_start(&lr->hr, new_dialog(lr), tool, "{}");
    ck_assert_msg(hr_end(&lr->hr, call) == 0, "%s", hr_why(call));
    return hr_text(&lr->hr, call);
}

const char *
lr_whoami(struct loginrig *lr)
{
    return lr_whoami_of(lr, "web");
}

mcphost_call *
lr_start(struct loginrig *lr)
{
    return hr_start(&lr->hr, new_dialog(lr), "web_whoami", "{}");
}

int
lr_fail(struct loginrig *lr, char *why, size_t size)
{
    mcphost_call *call = lr_start(lr);
    int r;

    ck_assert_int_eq(mcphost_call_wait(call, 20000), 1);
    r = hr_end(&lr->hr, call);
    ck_assert_int_ne(r, 0);
    tell_error(lr, mcphost_call_get_error(call));
    snprintf(why, size, "%s", hr_why(call));
    return r;
}

const char *
lr_why(struct loginrig *lr, int *ret_code)
{
    static char why[4096];
    const mcphost_error *error = NULL;
    mcphost_status *status;
    size_t i = 0;

    ck_assert_int_eq(mcphost_get_status(lr->hr.host, &status), 0);
    while (strcmp(mcphost_status_server_get_id(status, i), "web") != 0)
        i++;
    error = mcphost_status_server_get_error(status, i);
    snprintf(why, sizeof(why), "%s", error ? mcphost_error_get_message(error) : "");
    if (ret_code)
        *ret_code = error ? mcphost_error_get_code(error) : 0;
    tell_error(lr, error);
    mcphost_status_unref(status);
    return why;
}

void
lr_restart(struct loginrig *lr)
{
    ck_assert_int_eq(mcphost_restart_server(lr->hr.host, "web"), 0);
    hr_turn(&lr->hr, 1);
    lr_settle(lr);
}

void
lr_settle(struct loginrig *lr)
{
    for (int i = 0; hr_server_state(&lr->hr, "web") == MCPHOST_SERVER_STARTING; i++) {
        ck_assert_msg(i < 2000, "the server neither starts nor fails");
        hr_turn(&lr->hr, 10);
    }
}

void
lr_load_asked(struct loginrig *lr)
{
    hr_load_only(&lr->hr);
    hr_until(&lr->hr, lr->n_asked == 1);
}

/* ---- requests ---------------------------------------------------------------------- */

const char *
lr_param(const mcphost_request *request, const char *name)
{
    const char *text = mcphost_request_get_param(request, name);

    return text ? text : "";
}

int
lr_paste(mcphost_request *request, const char *text)
{
    json_t *object = json_pack("{s:s}", "redirect", text);
    char *json = json_dumps(object, JSON_COMPACT);
    mcphost_error *error = NULL;
    int r = mcphost_request_respond(request, json, strlen(json), &error);

    if (error)
        ck_assert_msg(!strstr(mcphost_error_get_message(error), "code-"), "%s",
                      mcphost_error_get_message(error));
    mcphost_error_unref(error);
    free(json);
    json_decref(object);
    return r;
}

int
lr_open(struct loginrig *lr)
{
    int n = 0;

    for (int i = 0; i < lr->n_asked; i++)
        n += mcphost_request_is_open(lr->asked[i]);
    return n;
}

int
lr_traced(struct loginrig *lr, const char *what)
{
    return ar_traced(&lr->ar, what);
}
